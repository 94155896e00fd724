const shownBusinesses = new Map();
const shownRecords = 100;
/** The operations that push, by the document. */
const pushes = new Set();

async function readBusinesses(changed) {
  const businesses = await get('businesses');
  for (const uid of shownBusinesses.keys()) {
    if (!businesses.some((business) => business.uid === uid)) shownBusinesses.delete(uid);
  }
  for (const { uid, data, records } of businesses) {
    const entry = shownBusinesses.get(uid) ?? addBusiness(uid);
    const count = Number(records.source);
    // A replaced record does not change the number, but it was requested.
    entry.stale ||= changed || entry.count !== count;
    [entry.count, entry.data] = [count, data];
    const text = `${uid}: ${plural(count, 'record')}`;
    if (entry.summary.textContent !== text) entry.summary.textContent = text;
  }
  sync($('businesses'), [...shownBusinesses.values()].map((entry) => entry.details));
  for (const [uid, entry] of shownBusinesses) await fillBusiness(uid, entry);
}

function addBusiness(uid) {
  const details = element('details');
  const entry = { details, summary: element('summary'), view: element('div', undefined, 'view'), count: -1, stale: true, next: 0 };
  details.append(entry.summary, entry.view);
  details.addEventListener('toggle', () => fillBusiness(uid, entry));
  shownBusinesses.set(uid, entry);
  return entry;
}

/**
 * Shows a business that is open, if there is anything new about it. Reading every record takes at most a twenty-fifth of
 * the time, so that those who push are not slowed down.
 */
async function fillBusiness(uid, entry) {
  const started = performance.now();
  if (!entry.details.open || !entry.stale || started < entry.next) return;
  entry.stale = false;
  const response = await fetch(`businesses/${encodeURIComponent(uid)}/records`);
  if (!response.ok) return;
  const records = parseExact(await response.text());
  entry.next = performance.now() + 24 * (performance.now() - started);
  const requests = [...log.values()].map(({ request }) => request);
  const pushed = requests.filter((request) => request.uid === uid && pushes.has(request.operation));
  const list = entry.list ?? (entry.list = scrollable(`Records of ${uid}`));
  const text = records.slice(-shownRecords).reverse().map((record) => JSON.stringify(record)).join('\n');
  if (list.textContent !== text) list.textContent = text;
  const newest = records.length > shownRecords ? `the newest ${shownRecords} of ${records.length}` : 'newest first';
  const parts = [
    element('h3', 'Totals'), totalsTable(records),
    element('h3', 'Pushed and refused over time'), pushChart(pushed),
    element('h3', `Records, ${newest}`), list,
  ];
  if (Object.keys(entry.data).length > 0) parts.unshift(element('pre', JSON.stringify(entry.data, null, 2)));
  sync(entry.view, parts);
}
