const shownCallbacks = new Map();

async function readCallbacks() {
  const callbacks = (await get('callbacks')).slice(-step).reverse();
  const rows = callbacks.map((callback) => {
    const id = callback.id.source;
    const text = JSON.stringify(callback);
    if (shownCallbacks.get(id)?.text !== text) shownCallbacks.set(id, { text, row: callbackRow(id, callback) });
    return shownCallbacks.get(id).row;
  });
  const current = new Set(callbacks.map((callback) => callback.id.source));
  for (const id of shownCallbacks.keys()) if (!current.has(id)) shownCallbacks.delete(id);
  sync($('callbacks'), rows);
  $('no-callbacks').hidden = rows.length > 0;
}

function callbackRow(id, callback) {
  const colour = { delivered: 'good', discarded: 'bad', waiting: 'warn' }[callback.state];
  const attempts = element('div');
  attempts.append(timeline(callback), lazyDetails('Response', (opened) => {
    const text = scrollable(`Response of callback ${id}`);
    writeMarked(text, callback.response, []);
    opened.append(text);
  }));
  return row([
    ['#', id, 'short'],
    ['Operation', callback.operation, 'short'],
    ['Business', callback.uid ?? '–'],
    ['Address', element('code', callback.webhook)],
    ['State', element('strong', callback.state, colour), 'short'],
    ['Attempts', attempts, 'wide'],
  ]);
}

/** How long something took, as people say it. */
function duration(millis) {
  if (millis < 1000) return `${millis} ms`;
  const units = [[86400e3, 'd'], [3600e3, 'h'], [60e3, 'min'], [1e3, 's']];
  const [size, unit] = units.find(([size]) => millis >= size);
  return `${Number((millis / size).toFixed(1))} ${unit}`;
}

/** What happened to a callback, and what comes next, each with the time since the step before. */
function timeline(callback) {
  const list = element('ol', undefined, 'timeline');
  let before = null;
  const add = (at, text, className) => {
    const item = element('li', undefined, className);
    const time = element('time', at.slice(11, 19));
    time.dateTime = at;
    item.append(time);
    if (before !== null) item.append(element('span', `+${duration(Math.max(0, Date.parse(at) - before))}`, 'soft'));
    item.append(text);
    before = Date.parse(at);
    list.append(item);
  };
  add(callback.timestamp, 'callback created');
  callback.attempts.forEach(({ at, outcome }, index) => {
    const ended = callback.state === 'delivered' && index === callback.attempts.length - 1;
    add(at, `attempt ${index + 1}: ${outcome}`, ended ? 'ok' : 'failed');
  });
  if (callback.next) add(callback.next, callback.attempts.length > 0 ? 'next attempt' : 'first attempt', 'next');
  return list;
}
