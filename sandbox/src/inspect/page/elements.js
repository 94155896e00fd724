const $ = (id) => document.getElementById(id);

/** An element with text, never with markup: what is shown comes from requests. */
function element(name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined && text !== null) made.textContent = text;
  if (className) made.className = className;
  return made;
}

/** A row of cells, each with the name of its column, which narrow screens show. */
function row(cells) {
  const made = element('tr');
  made.role = 'row';
  for (const [label, content, className] of cells) {
    const cell = element('td', undefined, className);
    cell.role = 'cell';
    cell.dataset.label = label;
    cell.append(content instanceof Node ? content : element('span', content));
    made.append(cell);
  }
  return made;
}

/** A table with a heading for each column. */
function table(label, columns) {
  const made = element('table');
  made.role = 'table';
  made.setAttribute('aria-label', label);
  const head = element('thead');
  const body = element('tbody');
  head.role = body.role = 'rowgroup';
  const headings = element('tr');
  headings.role = 'row';
  for (const [column, className] of columns) {
    const heading = element('th', column, className);
    heading.role = 'columnheader';
    headings.append(heading);
  }
  head.append(headings);
  made.append(head, body);
  return { table: made, body };
}

/** Makes `nodes` the children of an element. A node that stays is not moved, so that it keeps focus and selection. */
function sync(parent, nodes) {
  const wanted = new Set(nodes);
  for (const child of [...parent.children]) if (!wanted.has(child)) child.remove();
  let at = parent.firstElementChild;
  for (const node of nodes) {
    if (node === at) at = at.nextElementSibling;
    else parent.insertBefore(node, at);
  }
}

/** A JSON text that scrolls by keyboard, too. */
function scrollable(label) {
  const made = element('pre');
  made.tabIndex = 0;
  made.role = 'region';
  made.setAttribute('aria-label', label);
  return made;
}

/** Details that are filled when they are first opened. */
function lazyDetails(summary, fill) {
  const made = element('details');
  made.append(element('summary', summary));
  made.addEventListener('toggle', () => made.open && made.children.length === 1 && fill(made));
  return made;
}

const plural = (count, one, many = `${one}s`) => `${count} ${count === 1 ? one : many}`;

async function load(path, options) {
  const response = await fetch(path, options);
  if (!response.ok) throw new Error((await message(response)) ?? `${path}: ${response.status}`);
  return response;
}

/** What the inspection API says is wrong. */
async function message(response) {
  try {
    return (await response.json()).message;
  } catch {
    return undefined;
  }
}

async function get(path) {
  return parseExact(await (await load(path)).text());
}

/** Changes something, with JSON as the inspection API requires. */
function change(method, path, body = {}) {
  const headers = { 'Content-Type': 'application/json' };
  return load(path, { method, headers, ...(method === 'DELETE' ? {} : { body: JSON.stringify(body) }) });
}
