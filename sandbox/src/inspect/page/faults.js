const shownRules = new Map();
let choices = null;

/** What a fault rule can be made of, which does not change. */
async function readChoices() {
  if (choices !== null) return;
  choices = await get('faults/choices');
  for (const { fault } of choices.faults) $('fault').append(new Option(fault));
  for (const { operation, direction } of choices.operations) {
    $('fault-operation').append(new Option(operation));
    if (direction === 'push') pushes.add(operation);
  }
  describeFault();
}

/** The fault as it is written, its number apart: `latency` and `MS`. */
const chosenFault = () => $('fault').value.split('=');

function describeFault() {
  const [, unit] = chosenFault();
  $('fault-effect').textContent = choices.faults.find(({ fault }) => fault === $('fault').value)?.effect ?? '';
  $('fault-number-label').hidden = unit === undefined;
  $('fault-number').required = unit !== undefined;
  $('fault-unit').textContent = { MS: 'Milliseconds', SECONDS: 'Seconds' }[unit] ?? unit ?? '';
}

async function readFaults() {
  const rules = await get('faults');
  const rows = rules.map((rule) => {
    const id = rule.id.source;
    const entry = shownRules.get(id) ?? addRule(id, rule);
    entry.times.textContent = rule.times === null ? 'until removed' : rule.times.source;
    return entry.row;
  });
  const current = new Set(rules.map((rule) => rule.id.source));
  for (const id of shownRules.keys()) if (!current.has(id)) shownRules.delete(id);
  sync($('rules'), rows);
  $('rules-table').hidden = rows.length === 0;
}

function addRule(id, rule) {
  const remove = element('button', 'Remove');
  remove.setAttribute('aria-label', `Remove ${rule.fault}`);
  remove.addEventListener('click', () => changeFaults('DELETE', `faults/${id}`));
  const times = element('span');
  const cells = [['Fault', element('code', rule.fault)], ['Operation', rule.operation ?? 'any'], ['Times', times], ['Remove', remove]];
  const entry = { row: row(cells), times };
  shownRules.set(id, entry);
  return entry;
}

async function changeFaults(method, path, body) {
  $('fault-error').textContent = '';
  try {
    await change(method, path, body);
  } catch (error) {
    $('fault-error').textContent = error.message;
  }
  await readFaults();
}

$('fault').addEventListener('change', describeFault);
$('fault-form').addEventListener('submit', async (event) => {
  event.preventDefault();
  const [name, unit] = chosenFault();
  const rule = { fault: unit === undefined ? name : `${name}=${$('fault-number').value}` };
  if ($('fault-operation').value !== '') rule.operation = $('fault-operation').value;
  if ($('fault-times').value !== '') rule.times = Number($('fault-times').value);
  await changeFaults('POST', 'faults', rule);
});
