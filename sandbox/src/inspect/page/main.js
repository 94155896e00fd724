let paused = false;

async function refresh() {
  const started = performance.now();
  try {
    if (!paused) {
      await readChoices();
      const changed = await readRequests();
      showRequests();
      await readBusinesses(changed);
      await readCallbacks();
      await readFaults();
      say(`${plural(lastNumber, 'request')} so far`);
    }
  } catch (error) {
    say(`The sandbox does not reply: ${error.message}`);
  }
  // At most a fifth of the time, however much there is to show.
  setTimeout(refresh, Math.max(1000, 4 * (performance.now() - started)));
}

/** Changes the state, which screen readers read out when it changes. */
function say(text) {
  if ($('state').textContent !== text) $('state').textContent = text;
}

$('pause').addEventListener('click', () => {
  paused = !paused;
  $('pause').textContent = paused ? 'Resume' : 'Pause';
  $('pause').setAttribute('aria-pressed', String(paused));
});
$('reset').addEventListener('click', async () => {
  if (confirm('Delete every record, request and callback, and every fault?')) await change('POST', 'reset');
});
// Without it the digits of numbers would be lost.
if (typeof JSON.rawJSON === 'function') refresh();
else say('This page needs a newer browser, one that supports JSON.rawJSON.');
