// @ts-check
// Why a call answers as it does: the questions of its rule as a chain, in words.

import {call} from '../shared/api.js';
import {contract, meaning, plainly, sentence, shortName, why} from '../shared/contract.js';
import {element, folded, formOf, labelled, number, replace, since, time} from '../shared/dom.js';
import {kindName, label, pathLabel, spoken} from '../shared/labels.js';
import {notifyError} from '../shared/shell.js';

/** @type {Words} */
export const RELATIONS = {
  NONE: 'neither has the other as a friend', BOTH_WAY: 'each has the other as a friend',
  MY_UNI: 'this user has the other as a friend, not so the other',
  OTHER_UNI: 'the other has this user as a friend, not so this user',
};

/** The rungs that decide nothing. */
const NOTED = ['HOOK', 'PEER_APPLICATION', 'PEER_MARKS', 'FIELD_REVIEW'];
const FOR_EVER = String(2n ** 63n - 1n);
/** Why a field is hidden, by the rung that decides; the readers that were chosen follow. */
const HIDES = /** @type {Words} */ ({
  READABLE_FIELD: 'administrators alone read it', PRIVATE_FIELD: 'no other user reads it',
  PEER_BLACKLIST: 'the owner blocks the viewer', FIELD_CHOICE: 'the user shows this field to ',
  FIELD_DEFAULT: 'the app shows this field to ', PROFILE_AUDIENCE: 'the profile is for ',
});
/** @type {Words} */
const READERS = {INVISIBLE: 'no other user', GROUPS: 'friends in some groups'};

/**
 * The label of a field of a profile; a custom field has the name that the app gave it.
 *
 * @param {string} path
 */
export const labelOf = path => path.startsWith('custom.') ? path.slice(7) : label(path);

/** @param {Relation.RungRow} row */
const rowOf = ({ownerUserId, otherUserId, present, addTimeMs, endTimeMs}) => element('div', {},
  ownerUserId, otherUserId && ` about ${otherUserId}`, present ? ': there' : ': none',
  since(' since ', addTimeMs),
  endTimeMs && (endTimeMs === FOR_EVER ? ' without end' : [' until ', time(endTimeMs)]));

/**
 * The value at which a rung looked, in words.
 *
 * @param {string} value
 */
const valueOf = value => value.startsWith('CHANGE_KIND_') ? kindName(value.slice(12))
  : spoken(value.replace(/^([A-Z]+_)*?(TYPE|LEVEL|STATE|SILENCE|VISIBILITY)_/, ''));

/**
 * The rungs of a rule: what was asked of these two users, what came of it, and the facts behind it.
 *
 * @param {Contract} all
 * @param {Relation.Rung[]} rungs
 * @param {string} user
 * @param {string} other
 */
export const rungsOf = (all, rungs, user, other) => element('ol', {}, rungs.map(({kind, decided,
  rows = [], setting, settingOn, value, limit, hookId, count = '0'}, index) => {
  const name = shortName('RungKind', kind);
  const asked = sentence(plainly(all, meaning(all, 'RungKind', kind ?? '')))
    .replace(/\b[Tt]he (caller|peer)(['’]s)?/g, (_, who, of) =>
      `${who === 'caller' ? user : other}${of ? '’s' : ''}`);
  const came = decided
    ? element('strong', {}, index === rungs.length - 1 ? 'it ends here' : 'decided')
    : name === 'FIELD_VALUE' ? value ? 'no' : 'yes' : NOTED.includes(name) ? 'noted' : 'passed';
  return element('li', {}, element(decided ? 'strong' : 'span', {title: kind}, asked), ': ', came,
    element('div', {class: 'hint'}, value && name !== 'FIELD_VALUE' && valueOf(value),
      setting && element('div', {title: setting}, `Setting ${pathLabel(setting)}`,
        limit ? `: ${number(count)} of ${number(limit)}` : value ? ''
        : settingOn ? ': on' : ': off'),
      !setting && limit && `${number(count)} of ${number(limit)}`,
      hookId && `hook ${hookId} is asked`, rows.map(rowOf)));
}));

/**
 * Why a field is hidden, or null if it is not.
 *
 * @param {Relation.ExplainedField} field
 * @returns {string | null}
 */
export function hides({state, rungs = []}) {
  if (!state || state === 'FIELD_ACCESS_STATE_NOT_SET') return null;
  const {kind, value} = rungs.find(({decided}) => decided) ?? {};
  const why = HIDES[shortName('RungKind', kind)] ?? (state === 'FIELD_ACCESS_STATE_HIDDEN'
    ? 'by the server' : spoken(shortName('FieldAccessState', state)).toLowerCase());
  const readers = shortName('Visibility', value);
  return why.endsWith(' ') ? why + (READERS[readers] ?? readers.toLowerCase()) : why;
}

/**
 * Why the answer is a refusal, in words that name the user that is not an account.
 *
 * @param {Contract} all
 * @param {string} status the enum of its code
 * @param {Answered} answer
 * @param {string} user
 * @param {string} other
 */
export function verdictOf(all, status, {code = '', reason, rungs = []}, user, other) {
  const [, who] = /^RUNG_KIND_(OWN|PEER)_ACCOUNT$/
    .exec(rungs.find(({decided}) => decided)?.kind ?? '') ?? [];
  return who ? `${who === 'OWN' ? user : other} is not an account of the app`
    : why(all, status, code, reason).text;
}

/**
 * An explanation as a chain of questions below its verdict.
 *
 * @param {string} name
 * @param {string} path
 * @param {string} status the enum of its code
 * @param {Dynamic} pair
 * @param {AbortSignal} signal
 * @param {boolean | null} [open] null for one that opens by itself if something stands in the way
 */
export async function chain(name, path, status, pair, signal, open = true) {
  const all = await contract();
  /** @type {Answered & {info?: string, inviterUserId?: string, relation?: string,
   * comes?: boolean, fields?: Relation.ExplainedField[]}} */
  const answer = await call(
    /** @type {string} */ (`${path === 'Event' ? 'Change' : 'Moderation'}Service/Explain${path}`),
    pair, signal);
  const {code = '', info, rungs = [], inviterUserId, relation, comes, fields = []} = answer;
  const passes = /_SUCC$/.test(code);
  const isGood = passes && (path !== 'Event' || comes);
  const {fromUserId: user, toUserId: other = inviterUserId || 'the inviter'} = pair;
  const verdict = relation ? RELATIONS[shortName('FriendRelation', relation)]
    : passes ? isGood ? 'yes' : 'no' : verdictOf(all, status, answer, user, other);
  return element('details', {class: 'chain', open: open ?? !isGood},
    element('summary', {}, `${name}: `, element('strong', {class: isGood ? 'good' : 'warn',
      title: `${code} ${info ?? ''}`}, verdict)),
    rungsOf(all, rungs, user, other), fields.map(each => folded(
      [`${labelOf(each.field ?? '')}: `, element('strong',
        {class: hides(each) ? 'warn' : 'good'}, hides(each) ?? 'shown')],
      rungsOf(all, each.rungs ?? [], user, other))));
}

/**
 * A form that asks for an explanation, which stands below it.
 *
 * @param {string[]} names of its fields, each with the value behind a line end
 * @param {string} button
 * @param {(values: string[]) => Promise<Node>} explained
 */
export function asking(names, button, explained) {
  // On paper the form is left out, and the chain stays.
  const output = element('div');
  const fields = names.map(each => {
    const [name, value = ''] = each.split('\n');
    return {name, field: element('input', {required: true, value})};
  });
  return [formOf(() => {
    explained(fields.map(({field}) => field.value.trim()))
      .then(made => replace(output, made), notifyError);
  }, fields.map(({name, field}) => labelled(name, field)),
  element('button', {class: 'small'}, button)), output];
}

/**
 * The same about an event: whether it comes to the stream of a user, and what it shows.
 *
 * @param {Relation.ChangeEvent} event
 * @param {AbortSignal} signal
 */
export const askingOf = ({userId: toUserId, sequence}, signal) => asking(['Stream of user'],
  'Explain what comes', ([fromUserId]) => chain(`Comes to ${fromUserId}`, 'Event', 'FriendStatus',
    {fromUserId, toUserId, sequence}, signal));
