// Elements are made here and nowhere else. Text always becomes text, never markup.

/**
 * Makes an element.
 *
 * `attributes` may have `class`, `on` (an object of listeners), and any attribute; false and
 * undefined leave an attribute out, and true sets an empty one. Children are elements, texts and
 * numbers; null and false are left out.
 */
export function element(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

/** The same for a drawing: elements of SVG. */
export function drawn(name, attributes = {}, ...children) {
  return fill(document.createElementNS('http://www.w3.org/2000/svg', name), attributes, children);
}

function fill(made, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (key === 'on') {
      for (const [event, body] of Object.entries(value)) made.addEventListener(event, body);
    } else if (value !== false && value !== undefined && value !== null) {
      made.setAttribute(key, value === true ? '' : String(value));
    }
  }
  made.append(...children.flat(Infinity).filter(kept).map(child =>
    child instanceof Node ? child : String(child)));
  return made;
}

const kept = child => child !== null && child !== undefined && child !== false;

/** Puts `children` in the place of all that an element has. */
export function replace(parent, ...children) {
  parent.replaceChildren(...children.flat(Infinity).filter(kept));
}

/** A table with a caption, one name a column, and rows of cells. */
export function table(caption, names, rows) {
  return element('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': caption},
    element('table', {},
      element('caption', {}, caption),
      element('thead', {}, element('tr', {},
        names.map(name => element('th', {scope: 'col'}, name)))),
      element('tbody', {}, rows.map(row =>
        element('tr', {}, row.map(cell => element('td', {}, cell)))))));
}

/** A field of a form with its name in front. */
export function labelled(name, field) {
  return element('label', {}, name, ' ', field);
}

const whole = new Intl.NumberFormat();
const parts = new Intl.NumberFormat(undefined, {maximumSignificantDigits: 3});

/** A number in the browser's own format: whole ones in full, others with three digits. */
export function number(value) {
  if (typeof value === 'string') {
    return /^-?\d+$/.test(value) ? whole.format(BigInt(value)) : value;
  }
  return Number.isInteger(value) ? whole.format(value) : parts.format(value);
}

/** Bytes with a unit. */
export function bytes(value) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let step = 0;
  for (; value >= 1024 && step < units.length - 1; step++) value /= 1024;
  return `${number(step ? value : Math.round(value))} ${units[step]}`;
}

const clock = new Intl.DateTimeFormat(undefined, {dateStyle: 'medium', timeStyle: 'medium'});

/** A time in the browser's own format, of milliseconds since 1970 or a text of RFC 3339. */
export function time(value) {
  const moment = typeof value === 'string' && !/^\d+$/.test(value)
    ? new Date(value) : new Date(Number(value));
  if (Number.isNaN(moment.getTime())) return String(value);
  return element('time', {datetime: moment.toISOString()}, clock.format(moment));
}

/** A button that puts a text into the clipboard, and says whether that worked. */
export function copyButton(text, name = 'Copy') {
  const told = element('span', {class: 'hint', role: 'status'});
  const button = element('button', {type: 'button', on: {click: async () => {
    try {
      await navigator.clipboard.writeText(text());
      told.textContent = 'copied';
    } catch (error) {
      told.textContent = `not copied: ${error.message}`;
    }
  }}}, name);
  return [button, ' ', told];
}
