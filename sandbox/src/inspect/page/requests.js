/** The requests of the log by number, oldest first, each with its row once it was shown. */
const log = new Map();
/** As many as the sandbox keeps. */
const kept = 1000;
const step = 100;
let shownRequests = step;
let lastNumber = 0;
/** Identifies the log that is shown: it may be cleared, and another sandbox may reply at the same address. */
let run = null;

/** Reads what is new in the log, and returns whether there was anything. */
async function readRequests() {
  let response = await load(`requests?after=${lastNumber}`);
  if (response.headers.get('X-Sandbox-Run') !== run) {
    log.clear();
    lastNumber = 0;
    response = await load('requests');
    run = response.headers.get('X-Sandbox-Run');
  }
  const added = parseExact(await response.text());
  for (const request of added) {
    request.number = Number(request.number.source);
    request.status = request.status === null ? null : Number(request.status.source);
    lastNumber = request.number;
    log.set(request.number, { request });
  }
  for (const number of log.keys()) {
    if (log.size <= kept) break;
    log.delete(number);
  }
  return added.length > 0;
}

/** Whether a request has every word that is searched for; `#12` is its number. */
function matches(entry, words) {
  const { request } = entry;
  if ($('refused').checked && request.reasons.length === 0) return false;
  return words.every((word) => {
    if (/^#\d+$/.test(word)) return request.number === Number(word.slice(1));
    entry.text ??= JSON.stringify(request).toLowerCase();
    return entry.text.includes(word);
  });
}

function showRequests() {
  const words = $('search').value.toLowerCase().split(/\s+/).filter((word) => word !== '');
  const found = [...log.values()].filter((entry) => matches(entry, words)).reverse();
  sync($('requests'), found.slice(0, shownRequests).map((entry) => (entry.row ??= requestRow(entry.request))));
  const filtered = words.length > 0 || $('refused').checked;
  const text = filtered ? `${found.length} of ${plural(log.size, 'request')}` : '';
  if ($('found').textContent !== text) $('found').textContent = text;
  $('more').hidden = found.length <= shownRequests;
}

function requestRow(request) {
  const status = request.status === null ? 'reset' : String(request.status);
  const good = request.accepted && request.status === 200;
  const made = row([
    ['#', String(request.number), 'short'],
    ['Time (UTC)', request.at.slice(11, 23), 'short'],
    ['Operation', request.operation, 'short'],
    ['Business', request.uid ?? '–'],
    ['Status', element('strong', status, good ? 'good' : 'bad'), 'short'],
    ['Details', details(request), 'wide'],
  ]);
  made.id = `request-${request.number}`;
  made.className = 'new';
  return made;
}

/** Why a request was refused, its warnings, its fault and its body. */
function details(request) {
  const list = element('div');
  for (const reason of request.reasons) {
    const where = reason.pointer ? `At ${reason.pointer}: ` : '';
    list.append(element('div', `${where}${sentence(reason)}.`, 'bad'));
  }
  for (const warning of request.warnings) {
    list.append(element('div', `${request.accepted ? 'Accepted, but: ' : ''}${warning}.`, 'warn'));
  }
  if (request.fault) {
    const stored = request.accepted && request.status !== 200 ? ' It was stored, whatever the reply says.' : '';
    list.append(element('div', `Injected fault: ${request.fault}.${stored}`, 'warn'));
  }
  if (request.body !== null) list.append(bodyOf(request));
  return list;
}

function bodyOf(request) {
  const marks = request.reasons.filter((reason) => reason.pointer !== '').length;
  const marked = marks > 0 ? `, ${plural(marks, 'location')} marked` : '';
  return lazyDetails(`Body, without secrets${marked}`, (opened) => {
    const text = scrollable(`Body of request ${request.number}`);
    writeMarked(text, request.body, request.reasons);
    opened.append(text);
    const mark = text.querySelector('mark');
    if (mark) text.scrollTop = mark.offsetTop - text.offsetTop - text.clientHeight / 2;
  });
}

/** A link such as `/_sandbox/#12` leads to a request. */
function searchFromAddress() {
  if (!/^#\d+$/.test(location.hash)) return;
  $('search').value = location.hash;
  showRequests();
}

$('search').addEventListener('input', showRequests);
$('refused').addEventListener('change', showRequests);
$('more').addEventListener('click', () => {
  shownRequests += step;
  showRequests();
});
addEventListener('hashchange', searchFromAddress);
searchFromAddress();
