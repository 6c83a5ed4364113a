// @ts-check
// A write as a dialog: what it will do, its fields, a dry run first, and what came of it.

import {notify, notifyError} from './shell.js';
import {call as send, requestId} from './api.js';
import {showAnswer, showError} from './answer.js';
import {help, messageOf, why} from './contract.js';
import {buttons, copyButton, element, folded, number, on, press, replace, table} from './dom.js';
import {differing, Form, showViolations, violationsOf} from './form.js';
import {act, kindName, pathLabel, spoken} from './labels.js';

/**
 * Opens a dialog for a call; resolves to its answer, or to null if it was not made.
 *
 * The dialog ends with the page, and with it a key that the answer holds.
 *
 * @param {Element} place
 * @param {Contract} all
 * @param {string} path
 * @param {Options} more
 * @param {AbortSignal} signal
 */
export function operate(place, all, path, more, signal) {
  const {word = '', app, hides = [], say = '', present, result} = more;
  let request = {...structuredClone(present), ...more.request};
  const call = /** @type {Call} */ (all.calls.get(path));
  /** @type {Map<string, string>} */
  const errors = new Map();
  const form = new Form(all, errors, new Set(), new Set(['options', ...hides]), true);
  /** @type {Slot} */
  const holder = {keeps: true, get: () => request, set: value => { request = value; }};
  const fields = element('div', {class: 'fields'},
    form.fields(call.request, holder, ''));
  const outcome = element('div', {class: 'answer'});
  const typed = element('input', {name: 'word'});
  const close = press({}, 'Cancel');
  const dry = press({class: 'primary', click: () => run(true)}, 'Dry run');
  const go = press({class: word && 'danger', disabled: word !== '',
    click: () => run(false)}, 'Run');
  on(typed, 'input', () => { go.disabled = typed.value !== word; });
  const dialog = dialogOf(element('span', {title: call.path}, act(call.name)),
    help(call.lines, 'operation-help', all),
    app && element('p', {}, `It acts in app ${app}.`), say && element('p', {}, say), fields,
    word && element('label', {class: 'wide'}, 'Type ', element('code', {}, word), ' to go on ',
      typed),
    buttons(call.dryRun && dry, go, close), outcome);
  // A repeated press is the same write, which the server does once.
  const id = requestId();
  /** @type {Dynamic | null} */
  let answer = null;
  /** @param {boolean} dryRun */
  const run = async dryRun => {
    const begun = performance.now();
    const took = () => Math.round(performance.now() - begun);
    if (errors.size) {
      replace(outcome, element('p', {class: 'bad', role: 'alert'}, 'Not sent. ',
        [...errors].map(([path, error]) => `${pathLabel(path)}: ${error}. `)));
      return;
    }
    dry.disabled = go.disabled = true;
    showViolations(fields, []);
    replace(outcome, element('p', {role: 'status'}, 'Waiting for the answer.'));
    const options = dryRun ? {dryRun, listEffects: true} : {requestId: id};
    const body = present ? differing(all, call.request, present, request) : request;
    try {
      const made = await send(path, call.dryRun ? {...body, options} : body, signal, app);
      showDone(outcome, all, call, made, took(), dryRun);
      if (!dryRun) {
        if (result) outcome.prepend(element('p', {role: 'status'}, result(made)));
        answer = made;
        close.textContent = 'Close';
        fields.inert = true;
        outcome.scrollIntoView({block: 'nearest'});
        return;
      }
    } catch (/** @type {any} */ error) {
      const violations = violationsOf(error);
      const left = showViolations(fields, violations ?? named(error.message));
      // The message itself is shown in any case.
      showError(outcome, all, error, {took: took(), left: violations && left});
      if (error.code === 'unauthenticated') notifyError(error);
    }
    outcome.scrollIntoView({block: 'nearest'});
    dry.disabled = false;
    go.disabled = word !== '' && typed.value !== word;
  };
  return opened(place, dialog, close, signal, () => {
    if (answer) notify(`${act(call.name)}: done.`);
    return answer;
  });
}

/**
 * The field that stands at the beginning of an error's message, as `asks: …`.
 *
 * @param {string} message
 * @returns {Violation[]}
 */
function named(message) {
  const [, field, description] = /^([a-z][a-z0-9_.[\]]*): (.+)$/.exec(message) ?? [];
  return field ? [{field, description}] : [];
}

/** @type {(title: Child, ...inside: Child[]) => HTMLDialogElement} one with its title */
export const dialogOf = (title, ...inside) => element('dialog', {class: 'operation',
  'aria-labelledby': 'operation-title'}, element('h2', {id: 'operation-title'}, title), inside);

/**
 * Shows a dialog until it is closed, by a button, by Escape or with the page.
 *
 * @template Result
 * @param {Element} place
 * @param {HTMLDialogElement} dialog
 * @param {Element} close the button that closes it
 * @param {AbortSignal} signal
 * @param {() => Result} result
 * @returns {Promise<Result>}
 */
export function opened(place, dialog, close, signal, result) {
  place.append(dialog);
  const leave = () => dialog.close();
  on(close, 'click', leave);
  on(signal, 'abort', leave, {once: true});
  dialog.showModal();
  return new Promise(done => on(dialog, 'close', () => {
    signal.removeEventListener('abort', leave);
    dialog.remove();
    done(result());
  }));
}

/**
 * What came of each item in words, and what a dry run says of rows and events.
 *
 * @param {Contract} all
 * @param {Call} call
 * @param {Dynamic} answer
 * @param {boolean} dryRun
 * @returns {Child[]}
 */
export function outcomes(all, call, {results = [], effects, code, reason, info}, dryRun) {
  /** @param {string} type */
  const fields = type => messageOf(all, type).fields;
  const own = fields(call.answer);
  const item = own.find(({json}) => json === 'results')?.type;
  /** @type {(holder: string, code: string, reason?: string, info?: string) => Child[]} */
  const said = (holder, code, reason, info) => {
    if (/_SUCC$/.test(code)) return [dryRun ? 'nothing stands in the way' : 'done'];
    const type = fields(holder).find(({json}) => json === 'code')?.type ?? '';
    const {info: name, text} = why(all, type, code, reason);
    return [element('strong', {class: 'warn'}, text),
      element('small', {title: reason || code}, ` ${info || name || code}`)];
  };
  /** @param {Dynamic} result */
  const nameOf = result => String(Object.entries(result).find(([name, value]) =>
    /^(?!code$|info$|reason$|.*Status$)/.test(name) &&
    /^(string|number)$/.test(typeof value))?.[1] ?? '');
  /** @type {Relation.WriteEffects} */
  const {rows = [], events = [], rowCount = '0', eventCount = '0'} = effects ?? {};
  return [
    item && element('ul', {}, results.map((/** @type {Dynamic} */ result) => element('li', {},
      nameOf(result), ': ', said(item, result.code ?? '', result.reason, result.info)))),
    code && element('p', {}, said(call.answer, code, reason, info)),
    effects && folded(`It would write ${
      number(rowCount)} rows, and tell of ${number(eventCount)} events.`,
    table('Rows', ['Of', 'User', 'Key', ''], rows.map(
      ({table: of = '', ownerUserId, key, deleted}) =>
        [spoken(of), ownerUserId || '–', key || '–', deleted ? 'removed' : 'put'])),
    table('Events', ['User', 'Kind', 'Items'], events.map(({userId, kind = '', itemCount = '0'}) =>
      [userId, kindName(kind.replace('CHANGE_KIND_', '')), number(itemCount)]))),
  ];
}

/**
 * The answer; a key or secret in it stands apart, to be copied now or never.
 *
 * @param {Element} place
 * @param {Contract} all
 * @param {Call} call
 * @param {Dynamic} answer
 * @param {number} took
 * @param {boolean} dryRun
 */
function showDone(place, all, call, answer, took, dryRun) {
  const {key, secret, ...rest} = answer;
  const whole = element('div');
  showAnswer(whole, all, call, rest, {took, note: ''});
  replace(place, (key || secret) && element('div', {class: 'once'},
    element('p', {}, element('strong', {},
      'Copy it now: it is never shown again.')),
    element('code', {class: 'key'}, key || secret), ' ', copyButton(() => key || secret)),
  element('p', {class: 'outcome', role: 'status'}, element('strong', {class: 'good'},
    dryRun ? 'Dry run' : 'Answered'), dryRun && ': nothing was changed'),
  outcomes(all, call, rest, dryRun),
  folded('The whole answer', whole));
}

/**
 * A plain question; resolves to whether to go on.
 *
 * @param {Element} place
 * @param {string} title
 * @param {string} text
 * @param {AbortSignal} signal
 */
export function ask(place, title, text, signal) {
  let go = false;
  const leave = press({}, 'Cancel');
  const dialog = dialogOf(title, element('p', {}, text),
    buttons(press({class: 'primary', click: () => {
      go = true;
      dialog.close();
    }}, 'Run'), leave));
  return opened(place, dialog, leave, signal, () => go && !signal.aborted);
}
