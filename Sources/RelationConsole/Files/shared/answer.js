// @ts-check
// The answer of a call, with its codes and reasons in the words of the contract.

import {meaning, shortName, words} from './contract.js';
import {element, folded, note, number, replace} from './dom.js';

/** The most characters of an answer that are shown. */
const MOST_CHARACTERS = 100_000;
/** The most different codes and reasons that are explained. */
const MOST_WORDS = 20;
/** The most messages of a stream that are kept on the page: the latest. */
const MOST_MESSAGES = 200;

/**
 * Counts the values of enums in an answer: each type and name to how often it comes.
 *
 * @param {Contract} all
 * @param {string} type
 * @param {Dynamic | null} message
 * @param {Map<string, number>} found
 */
function values(all, type, message, found) {
  if (message === null || typeof message !== 'object') return;
  for (const field of all.messages.get(type)?.fields ?? []) {
    const value = message[field.json];
    if (value === undefined) continue;
    const each = field.map ? Object.values(value) : [value].flat();
    if (all.messages.has(field.type)) {
      for (const one of each) values(all, field.type, one, found);
    } else if (all.enums.has(field.type)) {
      for (const one of each) {
        const key = `${field.type}\n${one}`;
        found.set(key, (found.get(key) ?? 0) + 1);
      }
    }
  }
}

/**
 * The codes and reasons of messages, each with its comment.
 *
 * @param {Contract} all
 * @param {string} type
 * @param {Dynamic[]} messages
 */
function explained(all, type, messages) {
  /** @type {Map<string, number>} */
  const found = new Map();
  for (const message of messages) values(all, type, message, found);
  if (!found.size) return null;
  const known = [...found].slice(0, MOST_WORDS).map(([key, count]) => {
    const [kind, name] = key.split('\n');
    return [element('dt', {}, shortName(kind, name),
      element('small', {}, ` ${kind}${count > 1 ? `, ${number(count)} times` : ''}`)),
    element('dd', {}, words(meaning(all, kind, name) || 'This page does not know it.'))];
  });
  return element('details', {open: true}, element('summary', {}, 'In words'),
    element('dl', {}, known), found.size > MOST_WORDS && note(
      `${number(found.size - MOST_WORDS)} further values are left out.`));
}

/** @param {unknown} value */
export const pretty = value => JSON.stringify(value, null, 2);

/** @param {string} text */
function shown(text) {
  return [element('pre', {tabindex: 0, 'aria-label': 'answer'}, text.slice(0, MOST_CHARACTERS)),
    text.length > MOST_CHARACTERS && note(
      `${number(text.length - MOST_CHARACTERS)} further characters are left out.`)];
}

/**
 * Shows the answer of a call that has one.
 *
 * @param {Element} place
 * @param {Contract} all
 * @param {Call} call
 * @param {Dynamic} message
 * @param {{took: number, note: string}} more
 */
export function showAnswer(place, all, call, message, {took, note}) {
  replace(place, head('good', 'HTTP 200', took, note), explained(all, call.answer, [message]),
    shown(pretty(message)));
}

/**
 * @param {string} kind
 * @param {string} text
 * @param {number} took
 * @param {string} note
 */
function head(kind, text, took, note = '') {
  return element('p', {class: 'outcome', role: 'status'},
    element('strong', {class: kind}, text), ` in ${number(took)} ms`, note && ` – ${note}`);
}

/**
 * Shows the message of a failed call, with its code and its reason in words.
 *
 * @param {Element} place
 * @param {Contract} all
 * @param {Failure} error
 * @param {{took: number, left?: Violation[]}} more
 */
export function showError(place, all, error, {took, left = []}) {
  const call = error.name === 'CallError';
  const title = !call ? 'No answer'
    : `${error.code}${error.status ? `, HTTP ${error.status}` : ''}`;
  const reason = error.reason && meaning(all, 'ErrorReason', `ERROR_REASON_${error.reason}`);
  replace(place, head('bad', title, took),
    element('p', {class: 'message'}, call ? error.message
      : `The server cannot be reached: ${error.message}`),
    element('dl', {},
      error.reason && [element('dt', {}, error.reason),
        element('dd', {}, words(reason || 'This page does not know the reason.'))],
      left.map(({field, description}) => [element('dt', {}, field || 'request'),
        element('dd', {}, description)])),
    error.details && error.details.length > 0 && folded(
      'all details', shown(pretty(error.details))));
}

/** Answers that come one after another: the latest stay. */
export class Answers {
  count = 0;
  drawn = 0;
  /** @type {{message: Dynamic, at: number, number: number}[]} */
  kept = [];

  /**
   * @param {Element} place
   * @param {Contract} all
   * @param {Call} call
   */
  constructor(place, all, call) {
    this.all = all;
    this.call = call;
    this.list = element('ol', {class: 'answers', tabindex: 0, 'aria-label': 'answers'});
    this.state = element('p', {class: 'outcome', role: 'status'}, 'waiting for answers');
    this.words = element('div');
    this.end = element('div');
    replace(place, this.state, this.end, this.words, this.list);
  }

  /**
   * @param {Dynamic} message
   * @param {number} at in milliseconds
   */
  add(message, at) {
    this.count += 1;
    this.kept.push({message, at, number: this.count});
    if (this.kept.length > MOST_MESSAGES) this.kept.shift();
  }

  /**
   * Draws what has come since, and says that the first ones are gone.
   *
   * @param {string} text
   * @param {string} kind
   */
  show(text, kind = '') {
    const gone = this.count - this.kept.length;
    replace(this.state, element('strong', {class: kind}, text), `, ${number(this.count)} answers`,
      gone > 0 && `; the first ${number(gone)} are no longer shown`);
    this.list.append(...this.kept.filter(each => each.number > this.drawn).map(each =>
      element('li', {value: each.number}, element('small', {}, `${number(each.at)} ms`),
        shown(pretty(each.message)))));
    this.drawn = this.count;
    while (this.list.children.length > MOST_MESSAGES) this.list.firstChild?.remove();
    this.list.scrollTop = this.list.scrollHeight;
    replace(this.words, explained(this.all, this.call.answer,
      this.kept.map(({message}) => message)));
  }
}
