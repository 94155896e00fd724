/** A number as it was written, since a JavaScript number does not hold every digit. */
class Exact {
  constructor(source) {
    this.source = source;
  }
  toJSON() {
    return JSON.rawJSON(this.source);
  }
}

/** Parses JSON whose numbers are `Exact`. */
function parseExact(text) {
  return JSON.parse(text, (_, value, { source }) => (typeof value === 'number' ? new Exact(source) : value));
}

const isContainer = (value) => value !== null && typeof value === 'object' && !(value instanceof Exact);

const hasKey = (value, key) => isContainer(value) && Object.hasOwn(value, key);

const keyOf = (part) => part.replaceAll('~1', '/').replaceAll('~0', '~');

const pointerTo = (pointer, key) => `${pointer}/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`;

/** A reason as a sentence, after its location. */
const sentence = ({ expected, got, rule }) => `expected ${expected}, got ${got} (${rule})`;

/**
 * Where each reason belongs in a body: at a value, or in an object that lacks a key. A location below a value that is
 * hidden or absent belongs to what there is of it.
 */
function locate(body, reasons) {
  const located = { at: new Map(), missing: new Map() };
  const add = (map, pointer, entry) => map.set(pointer, [...(map.get(pointer) ?? []), entry]);
  for (const reason of reasons.filter((reason) => reason.pointer !== '')) {
    let [value, pointer] = [body, ''];
    const keys = reason.pointer.split('/').slice(1).map(keyOf);
    while (keys.length > 0 && hasKey(value, keys[0])) {
      const key = keys.shift();
      value = value[key];
      pointer = pointerTo(pointer, key);
    }
    if (keys.length === 1 && isContainer(value) && !Array.isArray(value)) {
      add(located.missing, pointer, { key: keys[0], reason });
    } else {
      add(located.at, pointer, reason);
    }
  }
  return located;
}

/** Writes a body into an element, with a mark and a note at each location that a reason names. */
function writeMarked(into, body, reasons) {
  const { at, missing } = locate(body, reasons);
  const note = (target, reason) => target.append(element('span', sentence(reason), 'note'));
  const write = (target, value, pointer, indent) => {
    const faulty = at.get(pointer) ?? [];
    if (!isContainer(value)) {
      const text = JSON.stringify(value);
      target.append(faulty.length > 0 ? element('mark', text) : text);
      return faulty;
    }
    const isList = Array.isArray(value);
    const members = isList ? value.map((item, index) => [index, item]) : Object.entries(value);
    const open = isList ? '[' : '{';
    target.append(faulty.length > 0 ? element('mark', open) : open);
    faulty.forEach((reason) => note(target, reason));
    const inner = `${indent}  `;
    const absent = missing.get(pointer) ?? [];
    members.forEach(([key, item], index) => {
      target.append(`\n${inner}${isList ? '' : `${JSON.stringify(key)}: `}`);
      const after = write(target, item, pointerTo(pointer, key), inner);
      if (index < members.length - 1) target.append(',');
      after.forEach((reason) => note(target, reason));
    });
    for (const { key, reason } of absent) {
      target.append(`\n${inner}`, element('mark', JSON.stringify(key)));
      note(target, reason);
    }
    const close = isList ? ']' : '}';
    target.append(members.length + absent.length > 0 ? `\n${indent}${close}` : close);
    return [];
  };
  write(into, body, '', '').forEach((reason) => note(into, reason));
}
