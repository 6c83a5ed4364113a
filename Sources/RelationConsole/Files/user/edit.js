// @ts-check
// The form of a profile: its fields by their names in words, with dates and choices.

import {call, requestId} from '../shared/api.js';
import {contract, jsonName, why} from '../shared/contract.js';
import {buttons, element, formOf, press, replace, select} from '../shared/dom.js';
import {pathLabel} from '../shared/labels.js';
import {dialogOf, opened} from '../shared/operation.js';
import {chain} from './explain.js';
import {ALLOWS, dated, GENDERS, textOf} from './seen.js';

/** @type {Editable[]} */
const FIELDS = [
  ['nick', 'text'], ['uniqueId', 'text'], ['faceUrl', 'text'], ['selfSignature', 'bytes'],
  ['gender', GENDERS], ['birthday', 'date'], ['location', 'bytes'], ['email', 'text'],
  ['allowType', ALLOWS],
];

/** @param {string} text */
const toBytes = text => btoa(String.fromCharCode(...new TextEncoder().encode(text)));

/**
 * The value of a field as its control shows it; undefined for bytes that are not a text.
 *
 * @param {string | Words} type
 * @param {any} value
 */
function shown(type, value) {
  if (value === undefined || type === 'date' && !value) return '';
  if (type === 'date') return dated(value);
  return type === 'bytes' ? textOf(value) : String(value);
}

/**
 * The same back; undefined if the field shall be empty.
 *
 * @param {string | Words} type
 * @param {string} text
 */
function read(type, text) {
  if (!text) return undefined;
  if (type === 'date') return Number(text.replaceAll('-', ''));
  return type === 'bytes' ? toBytes(text) : text;
}

/**
 * Writes the fields of a profile that are named; one without a value becomes empty.
 *
 * @param {string} userId
 * @param {Dynamic} from
 * @param {string[]} names
 * @param {AbortSignal} signal
 */
export function write(userId, from, names, signal) {
  const profile = Object.fromEntries(names.map(name => [name, from[name]]));
  return call('ProfileService/UpdateProfile', {userId, profile, updateMask: names.join(','),
    options: {requestId: requestId()}}, signal);
}

/**
 * Opens the form; resolves to the names of the fields that were changed, or to null.
 *
 * @param {Element} place
 * @param {string} user
 * @param {Profile} profile
 * @param {AbortSignal} signal
 * @returns {Promise<string[] | null>}
 */
export function edit(place, user, profile, signal) {
  /** @type {string[] | null} */
  let saved = null;
  const fields = FIELDS.map(([json, type]) => {
    const name = pathLabel(json);
    const before = shown(type, profile[json]);
    const error = element('p', {class: 'bad error', id: `edit-${json}`, role: 'alert'});
    // Once chosen, no write takes back who is let in.
    let control = typeof type === 'object'
      ? select(Object.entries(type).filter(([value]) => value || json !== 'allowType' || !before))
      : json === 'selfSignature' ? element('textarea', {rows: 2})
      : element('input', {type: type === 'date' ? type : 'text'});
    control.value = before ?? '';
    // A control may drop what it cannot show: then it would change what was not touched.
    const held = control.value !== before;
    if (held) {
      control = element('input', {readonly: true});
      control.value = before ?? `${profile[json]} (base64)`;
    }
    control.setAttribute('aria-describedby', error.id);
    return {json, name, type, initial: control.value, held, control, error};
  });
  const status = element('p', {class: 'bad', role: 'alert'});
  const rules = element('div');
  const rule = element('details', {toggle: () => {
    if (!rule.open || rules.firstChild) return;
    Promise.all([false, true].map(asUser => chain(`The ${asUser ? 'user' : 'app'} changes it`,
      'UpdateProfile', 'FriendStatus', {fromUserId: user, asUser}, signal, null)))
      .then(made => replace(rules, made), error => replace(rules, error.message));
  }}, element('summary', {}, 'Who may change it'), rules);
  const save = element('button', {class: 'primary'}, 'Save');
  const close = press({}, 'Cancel');
  const form = formOf(submit, fields.map(({name, held, control, error}) =>
    element('div', {class: 'field'},
      element('label', {}, name, ' ', control, held &&
        element('small', {}, ' Read-only: this form cannot show the value unchanged.')),
      error)), status, rule,
    buttons(save, close));
  const dialog = dialogOf(`The profile of ${user}`, form);
  async function submit() {
    const changed = fields.filter(({initial, control}) => control.value !== initial);
    if (!changed.length) return dialog.close();
    const made = Object.fromEntries(changed.map(({json, type, control}) =>
      [json, read(type, control.value)]));
    for (const {error} of fields) replace(error);
    replace(status);
    save.disabled = true;
    try {
      const {info, violations = []} = await write(user, made, Object.keys(made), signal);
      if (!info) {
        saved = Object.keys(made);
        return dialog.close();
      }
      for (const {key, code, reason} of violations) {
        const at = fields.find(({json}) => jsonName(key ?? '') === json);
        const {text} = why(await contract(), 'ProfileStatus', code ?? '', reason);
        replace(at?.error ?? status, element('span', {title: reason}, `${text}.`));
        at?.control.focus();
      }
      // Errors of values say themselves why.
      if (!violations.length) replace(status, `Refused: ${info}.`);
      rule.open ||= !violations.length;
    } catch (/** @type {any} */ {message, reason}) {
      if (signal.aborted) return;
      replace(status, `${message}${reason ? ` (${reason})` : ''}`);
      rule.open = true;
    }
    save.disabled = false;
  }
  return opened(place, dialog, close, signal, () => saved);
}
