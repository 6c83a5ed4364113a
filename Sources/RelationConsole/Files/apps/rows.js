// @ts-check
// The lists of an app, with the buttons of their rows.

import {errorText, notifyError} from '../shared/shell.js';
import {pages} from '../shared/api.js';
import {nameLinks} from '../user/people.js';
import {element, note, number, press, table, when} from '../shared/dom.js';

/** The most rows of a list that are shown; the page says how many there are. */
const MOST_ROWS = 200;

/** @param {string | undefined} value */
export const aged = value => [when(value), value && value !== '0' && element('small', {},
  ` ${number(Math.floor((Date.now() - Number(value)) / 86_400_000))} days ago`)];

/**
 * The first rows of a list, and a line that says what is left out.
 *
 * @template {keyof Relation.Calls} Name
 * @template {string & keyof AnswerOf<Name>} Field
 * @param {AppPage} page
 * @param {Name} path
 * @param {Field} field
 * @param {RequestOf<Name>} [request]
 */
export async function rowsOf({signal, app}, path, field, request) {
  /** @type {RowOf<AnswerOf<Name>[Field]>[]} */
  const rows = [];
  let total = 0;
  const asked = request ?? /** @type {RequestOf<Name>} */ ({});
  for await (const page of pages(path, asked, field, signal, app)) {
    rows.push(...page.rows);
    total = /** @type {Dynamic} */ (page.answer).totalSize ?? rows.length;
    if (rows.length >= MOST_ROWS) break;
  }
  const shown = rows.slice(0, MOST_ROWS);
  return {rows: shown, rest: total > shown.length && note(
    `${number(total - shown.length)} more are left out.`)};
}

/**
 * A button that opens a write.
 *
 * @param {AppPage} page
 * @param {string} text
 * @param {string} path
 * @param {Options} more
 * @param {string} [name]
 */
export function button(page, text, path, more = {}, name = undefined) {
  return press({'aria-label': name,
    click: () => page.operate(path, more)}, text);
}

/**
 * A list with its buttons; an error of one list leaves the others alone.
 *
 * @template {keyof Relation.Calls} Name
 * @template {string & keyof AnswerOf<Name>} Field
 * @param {AppPage} page
 * @param {AppList<Name, Field>} list
 */
export async function listed(page, {title: name, path, field, request, columns, row, add, empty}) {
  const head = element('h3', {}, name);
  try {
    const {rows, rest} = await rowsOf(page, path, field, request);
    const made = element('section', {}, head, rows.length
      ? table(name, columns, rows.map(row)) : note(empty), rest, add);
    await nameLinks(made, page.signal, page.app);
    return made;
  } catch (/** @type {any} */ error) {
    if (error.name === 'AbortError') throw error;
    notifyError(error);
    return element('section', {}, head, element('p', {class: 'bad'},
      errorText(error)), add);
  }
}
