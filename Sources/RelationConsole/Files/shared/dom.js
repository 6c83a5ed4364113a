// @ts-check
// Elements are made here and nowhere else. Text always becomes text, never markup.

/**
 * Makes an element.
 *
 * `attributes` may have any attribute; false and undefined leave one out, and true sets an empty
 * one. A function listens to the event of its name. Children are elements, texts and numbers; null
 * and false are left out.
 *
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Attributes} attributes
 * @param {...Child} children
 */
export function element(name, attributes = {}, ...children) {
  // No browser keeps or corrects what is typed: names of users, keys, ids.
  return fill(document.createElement(name), name === 'input'
    ? {autocomplete: 'off', spellcheck: 'false', ...attributes} : attributes, children);
}

/**
 * Listens to what happens at an element, or at anything else.
 *
 * @template {keyof Heard} Name
 * @param {EventTarget} target
 * @param {Name} name
 * @param {(event: Heard[Name]) => void} body
 * @param {AddEventListenerOptions} [options]
 */
export const on = (target, name, body, options) =>
  target.addEventListener(name, /** @type {EventListener} */ (body), options);

/** @type {(attributes: Attributes, ...children: Child[]) => HTMLButtonElement} sends no form */
export const press = (attributes, ...children) =>
  element('button', {type: 'button', ...attributes}, ...children);

/** @type {(...text: Child[]) => HTMLElement} a line that explains */
export const note = (...text) => element('p', {class: 'hint'}, text);
/** @type {(...inside: Child[]) => HTMLElement} */
export const buttons = (...inside) => element('p', {class: 'buttons'}, inside);
/** @type {(name: Child, ...inside: Child[]) => HTMLDetailsElement} what opens by its name */
export const folded = (name, ...inside) =>
  element('details', {}, element('summary', {}, name), inside);

/**
 * A form that is sent nowhere: what it does stands in the page.
 *
 * @param {() => void} sent
 * @param {...Child} inside
 */
export const formOf = (sent, ...inside) => element('form', {submit: event => {
  event.preventDefault();
  sent();
}}, inside);

/**
 * The same for a drawing: elements of SVG.
 *
 * @template {keyof SVGElementTagNameMap} Name
 * @param {Name} name
 * @param {Attributes} attributes
 * @param {...Child} children
 */
export function drawn(name, attributes = {}, ...children) {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  return fill(made, attributes, children);
}

/**
 * @template {Element} Made
 * @param {Made} made
 * @param {Attributes} attributes
 * @param {Children} children
 */
function fill(made, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'function') {
      made.addEventListener(key, value);
    } else if (value !== false && value !== undefined && value !== null) {
      const text = value === true ? '' : String(value);
      made.setAttribute(key, /^(title|aria-label)$/.test(key) ? visible(text) : text);
    }
  }
  made.append(...kept(children));
  return made;
}

/**
 * All children and theirs in one list, as what an element takes.
 *
 * @param {Children} children
 */
function kept(children) {
  const all = /** @type {Leaf[]} */ (/** @type {any[]} */ (children).flat(Infinity));
  return all.filter(child => child !== null && child !== undefined && child !== false)
    .map(child => child instanceof Node ? child : visible(String(child)));
}

/**
 * A text in which signs are written out that turn the text beside them, or that control: so no name
 * looks like another one. They stand as in JSON.
 *
 * @param {string} text
 */
export const visible = text => text.replace(/[^\P{Cc}\t\n\r]|\p{Bidi_C}/gu, sign =>
  `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);

/**
 * Puts `children` in the place of all that an element has.
 *
 * @param {Element} parent
 * @param {...Child} children
 */
export function replace(parent, ...children) {
  parent.replaceChildren(...kept(children));
}

/**
 * A table with a caption, one name a column, and rows of cells.
 *
 * @param {string} caption
 * @param {Child[]} names
 * @param {Child[][]} rows
 */
export function table(caption, names, rows) {
  return element('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': caption},
    element('table', {},
      element('caption', {}, caption),
      element('thead', {}, element('tr', {},
        names.map(name => element('th', {scope: 'col'}, name)))),
      element('tbody', {}, rowsOf(rows))));
}

/** @type {(facts: [name: string, value: Child][]) => Child} numbers with their names */
export const facts = all => all.map(([name, value]) =>
  element('div', {}, element('dt', {}, name), element('dd', {}, value)));

/** @param {Child[][]} rows */
export const rowsOf = rows => rows.map(cells =>
  element('tr', {}, cells.map(cell => element('td', {}, cell))));

/**
 * The choices of a list, each with its value and its text.
 *
 * @param {string[][]} all
 * @param {string | string[]} [chosen]
 */
export const options = (all, chosen = '') => all.map(([value, text]) =>
  element('option', {value, selected: [chosen].flat().includes(value)}, text));

/**
 * A list of these choices, of which one may be chosen, or several.
 *
 * @param {string[][]} all
 * @param {string | string[]} [chosen]
 */
export const select = (all, chosen, multiple = false) =>
  element('select', {multiple, size: multiple && 6}, options(all, chosen));

/**
 * A field of a form with its name in front.
 *
 * @param {string} name
 * @param {Element} field
 */
export function labelled(name, field) {
  return element('label', {}, name, ' ', field);
}

const whole = new Intl.NumberFormat();
const parts = new Intl.NumberFormat(undefined, {maximumSignificantDigits: 3});

/**
 * A number in the browser's own format: whole ones in full, others with three digits.
 *
 * @param {string | number} value which the contract leaves out if it is 0
 */
export function number(value = 0) {
  if (typeof value === 'string') {
    return /^-?\d+$/.test(value) ? whole.format(BigInt(value)) : value;
  }
  return Number.isInteger(value) ? whole.format(value) : parts.format(value);
}

/**
 * Bytes with a unit.
 *
 * @param {number} value
 */
export function bytes(value) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let step = 0;
  for (; value >= 1024 && step < units.length - 1; step++) value /= 1024;
  return `${number(step ? value : Math.round(value))} ${units[step]}`;
}

const clock = new Intl.DateTimeFormat(undefined, {dateStyle: 'medium', timeStyle: 'medium'});

/**
 * A time in the browser's own format, of milliseconds since 1970 or a text of RFC 3339.
 *
 * @param {string | number} value
 */
export function time(value = '') {
  const moment = typeof value === 'string' && !/^\d+$/.test(value)
    ? new Date(value) : new Date(Number(value));
  if (Number.isNaN(moment.getTime())) return String(value);
  return element('time', {datetime: moment.toISOString()}, clock.format(moment));
}

/**
 * The same behind some words; nothing for no time.
 *
 * @param {string} words
 * @param {string} [value]
 */
export const since = (words, value) => Number(value) > 0 && [words, time(value)];

/** @param {string} [value] */
export const when = value => Number(value) ? time(value) : '–';

/**
 * A button that puts a text into the clipboard, and says whether that worked.
 *
 * @param {() => string} text
 * @param {string} name
 */
export function copyButton(text, name = 'Copy') {
  const status = element('span', {class: 'hint', role: 'status'});
  const button = press({click: async () => {
    try {
      await navigator.clipboard.writeText(text());
      status.textContent = 'copied';
    } catch (thrown) {
      status.textContent = `not copied: ${/** @type {Error} */ (thrown).message}`;
    }
  }}, name);
  return [button, ' ', status];
}
