// What each page uses of the frame around it: addresses, links, and the line for what went wrong.

import {element} from './dom.js';

const told = document.querySelector('#told');
let handler = () => false;

/** The address of a page; it never holds a credential. */
export function address(name, parameters = {}) {
  const query = new URLSearchParams(parameters).toString();
  return `#${name}${query ? `?${query}` : ''}`;
}

/** A link to the page of a user. */
export function userLink(id, text = id) {
  return element('a', {href: address('user', {id})}, text);
}

/** Says something in one line below the page; screen readers say it too. */
export function tell(text) {
  told.textContent = text;
}

/** Says what went wrong: the code, the reason and the message of a call, or the error itself. */
export function tellError(error) {
  if (error.name === 'AbortError' || handler(error)) return;
  tell(error.name === 'CallError'
    ? `${error.code}${error.reason ? ` (${error.reason})` : ''}: ${error.message}`
    : `the server cannot be reached: ${error.message}`);
}

/** Sets what looks at each error first; it returns whether there is nothing left to say. */
export function onError(look) {
  handler = look;
}
