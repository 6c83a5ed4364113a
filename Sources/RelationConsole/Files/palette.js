// @ts-check
// The keyboard's way to everything: pages, calls, and users by their ids (Ctrl-K).

import {contract} from './shared/contract.js';
import {element, on, replace} from './shared/dom.js';
import {address} from './shared/shell.js';

/** The most choices that are shown. */
const MOST_CHOICES = 12;

/** @typedef {{text: string, more: string, to: string}} Choice */

/**
 * Opens the palette; its choices are the pages, every call of the contract, and a user by its id.
 *
 * @param {{name: string, title: string}[]} pages
 */
export function openPalette(pages) {
  const list = element('ul', {role: 'listbox', id: 'choices', 'aria-label': 'Choices'});
  const field = element('input', {
    type: 'search', role: 'combobox', 'aria-label': 'Jump to', 'aria-controls': 'choices',
    'aria-expanded': 'true', placeholder: 'A page, a call, or the id of a user',
  });
  const dialog = element('dialog', {class: 'palette', 'aria-label': 'Jump to'}, field, list);
  let calls = /** @type {Call[]} */ ([]);
  let choices = /** @type {Choice[]} */ ([]);
  let chosen = 0;
  /** @param {Choice} [choice] */
  const go = choice => {
    if (!choice) return;
    dialog.close();
    location.hash = choice.to;
  };
  const mark = () => {
    [...list.children].forEach((each, index) => {
      each.ariaSelected = String(index === chosen);
    });
    const one = list.children[chosen];
    if (one) field.setAttribute('aria-activedescendant', one.id);
    else field.removeAttribute('aria-activedescendant');
    one?.scrollIntoView({block: 'nearest'});
  };
  const draw = () => {
    choices = found(field.value.trim(), pages, calls);
    chosen = 0;
    replace(list, choices.map((choice, index) => element('li', {
      role: 'option', id: `choice-${index}`, click: () => go(choice),
    }, choice.text, ' ', element('small', {}, choice.more))));
    mark();
  };
  on(field, 'input', draw);
  on(field, 'keydown', event => {
    const step = {ArrowDown: 1, ArrowUp: -1}[event.key];
    if (step && choices.length) {
      event.preventDefault();
      chosen = (chosen + step + choices.length) % choices.length;
      mark();
    } else if (event.key === 'Enter') {
      event.preventDefault();
      go(choices[chosen]);
    }
  });
  on(dialog, 'close', () => dialog.remove());
  document.body.append(dialog);
  draw();
  dialog.showModal();
  contract().then(all => {
    calls = [...all.calls.values()];
    if (dialog.open) draw();
  }, () => {
    // Pages and users are found without the contract too.
  });
}

/**
 * The choices for a text.
 *
 * @param {string} text
 * @param {{name: string, title: string}[]} pages
 * @param {Call[]} calls
 * @returns {Choice[]}
 */
function found(text, pages, calls) {
  const wanted = text.toLowerCase();
  /** @param {string} name */
  const fits = name => name.toLowerCase().includes(wanted);
  const first = pages.filter(({title}) => fits(title))
    .map(({name, title}) => ({text: title, more: 'page', to: address(name)}));
  if (!wanted) return first;
  const fitting = calls.filter(({path, foreign}) => fits(path) || foreign.some(fits))
    .map(({name, path}) => ({text: name, more: `call, ${path}`,
      to: address('explorer', {call: path})}));
  return [...first, {text, more: 'the user with this id', to: address('user', {id: text})},
    {text, more: 'users found by this', to: address('user', {find: text})},
    {text, more: 'events of the user with this id', to: address('events', {user: text})},
    ...fitting].slice(0, MOST_CHOICES);
}
