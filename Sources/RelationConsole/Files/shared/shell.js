// @ts-check
// The parts of the frame that each page uses: addresses, links, and the line for what went wrong.

import {element, replace, visible} from './dom.js';

const status = /** @type {HTMLElement} */ (document.querySelector('#note'));
/** @type {(error: Failure) => boolean} */
let handler = () => false;

/**
 * The address of a page; it never holds a credential.
 *
 * @param {string} name
 * @param {Record<string, string>} parameters
 */
export function address(name, parameters = {}) {
  const query = new URLSearchParams(parameters).toString();
  return `#${name}${query ? `?${query}` : ''}`;
}

/** @type {(page: string, to: Record<string, string>, ...text: Child[]) => HTMLAnchorElement} */
export const link = (page, parameters, ...text) =>
  element('a', {href: address(page, parameters)}, text);

/**
 * A link to the page of a user; without a text it has the id, to which a look-up adds the name.
 *
 * @param {string} id
 * @param {string | false} [text]
 */
export const userLink = (id, text) =>
  element('a', {href: address('user', {id}), 'data-user': !text && id}, text || id);

/**
 * Links to several users, with commas between them.
 *
 * @param {string[]} ids
 * @param {string} first what stands before them
 */
export const userLinks = (ids, first = ' ') =>
  ids.map((id, index) => [index ? ', ' : first, userLink(id)]);

/**
 * Says something in one line below the page; screen readers say it too.
 *
 * @param {string} text
 */
export function notify(text) {
  status.textContent = visible(text);
}

/**
 * Says what went wrong: the code, the reason and the message of a call, or the error itself.
 *
 * @param {any} error
 */
export function notifyError(error) {
  if (error.name === 'AbortError' || handler(error)) return;
  notify(error.name === 'CallError'
    ? `${error.code}${error.reason ? ` (${error.reason})` : ''}: ${error.message}`
    : `${error.name === 'TypeError' && /fetch|network|load/i.test(error.message)
      ? 'the server cannot be reached' : 'the page failed'}: ${error.message}`);
}

/** @param {Failure} error in a line of its own */
export const errorText = error => `${error.code ?? error.name}: ${error.message}`;

/**
 * The same in a place where an answer was to stand.
 *
 * @param {Element} place
 * @param {any} error
 */
export function failed(place, error) {
  replace(place, element('p', {class: 'bad'}, errorText(error)));
  notifyError(error);
}

/**
 * Sets what looks at each error first; it returns whether there is nothing left to say.
 *
 * @param {(error: Failure) => boolean} look
 */
export function onError(look) {
  handler = look;
}
