/** The longest number that is added; a longer one would stop the page. */
const longestNumber = 400;

/** A decimal number, exactly: `digits` divided by ten to the power of `scale`; `null` for one that is too long. */
function decimal(source) {
  const [, sign, whole, fraction = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(source) ?? [];
  if (whole === undefined || source.length > longestNumber || Math.abs(Number(exponent)) > longestNumber) return null;
  const digits = BigInt(sign + whole + fraction);
  const scale = fraction.length - Number(exponent);
  return scale >= 0 ? { digits, scale } : { digits: digits * 10n ** BigInt(-scale), scale: 0 };
}

function sum(a, b) {
  const scale = Math.max(a.scale, b.scale);
  const scaled = ({ digits, scale: own }) => digits * 10n ** BigInt(scale - own);
  return { digits: scaled(a) + scaled(b), scale };
}

function written({ digits, scale }) {
  const sign = digits < 0n ? '-' : '';
  const text = String(digits < 0n ? -digits : digits).padStart(scale + 1, '0');
  const whole = text.slice(0, text.length - scale);
  return scale === 0 ? sign + whole : `${sign}${whole}.${text.slice(text.length - scale)}`;
}

/**
 * The sum of each number in the records, by type of record, field and currency. The currency is that of the nearest
 * enclosing object that has one.
 */
function totals(records) {
  const found = new Map();
  const add = (kind, field, currency, source) => {
    const key = JSON.stringify([kind, field, currency]);
    const total = found.get(key) ?? { kind, field, currency, count: 0, tooLong: 0, sum: { digits: 0n, scale: 0 } };
    const number = decimal(source);
    if (number === null) total.tooLong += 1;
    else total.sum = sum(total.sum, number);
    total.count += 1;
    found.set(key, total);
  };
  const visit = (kind, path, currency, value) => {
    if (value instanceof Exact) add(kind, path, currency, value.source);
    else if (Array.isArray(value)) value.forEach((item) => visit(kind, path, currency, item));
    else if (isContainer(value)) {
      const own = typeof value.currency === 'string' ? value.currency : currency;
      for (const [key, member] of Object.entries(value)) visit(kind, path ? `${path}.${key}` : key, own, member);
    }
  };
  for (const { kind, data } of records) visit(kind, '', null, data);
  const order = (total) => JSON.stringify([total.kind, total.currency ?? '', total.field]);
  return [...found.values()].sort((a, b) => (order(a) < order(b) ? -1 : 1));
}

function totalsTable(records) {
  const rows = totals(records).map((total) => {
    const omitted = total.tooLong > 0 ? `, and ${plural(total.tooLong, 'number')} too long to add` : '';
    return row([
      ['Type', total.kind],
      ['Field', total.field],
      ['Currency', total.currency ?? 'none'],
      ['Values', String(total.count), 'number'],
      ['Total', element('strong', written(total.sum) + omitted), 'number'],
    ]);
  });
  if (rows.length === 0) return element('p', 'The records hold no number.', 'soft');
  const columns = [['Type'], ['Field'], ['Currency'], ['Values', 'number'], ['Total', 'number']];
  const { table: made, body } = table('Totals', columns);
  body.append(...rows);
  return made;
}
