// @ts-check
// The changes that the app has kept of a user, or of two: what was before and after, and their
// undo.

import {address, link, notifyError, userLink} from '../shared/shell.js';
import {call, requestId} from '../shared/api.js';
import {contract, messageOf, shortName} from '../shared/contract.js';
import {buttons, element, formOf, labelled, number, on, press, replace, rowsOf, select, table, time}
  from '../shared/dom.js';
import {kindName, label, localTime, pathLabel, spoken} from '../shared/labels.js';
import {dialogOf, opened, outcomes} from '../shared/operation.js';
import {bodyOf, grows, hint, PAGE_ROWS} from './people.js';
import {shown as shownField} from './seen.js';

/** The kinds of changes that an entry may have: what the owner of the row did. */
const KINDS = /** @type {Words} */ ({
  ADD_FRIEND: 'got the friend', DEL_FRIEND: 'lost the friend', SNS_PROFILE_CHANGE:
  'changed the entry of the friend', ADD_BLACKLIST: 'blocked', DEL_BLACKLIST: 'unblocked',
  ADD_FRIEND_REQ: 'has an application with', DEL_FRIEND_REQ: 'lost the application with',
  FOLLOWING_CHANGED: 'followed', GROUP_CREATED: 'made a group', GROUP_DELETED: 'deleted a group',
  GROUP_RENAMED: 'renamed a group', PROFILE_CHANGE: 'changed the profile',
});
/** The most entries that one undo takes. */
const MOST_UNDONE = 100;
/**
 * The rows that a change may have, before and after, with their messages.
 *
 * @type {Words}
 */
const ROWS = {friend: 'Friend', blacklist: 'BlacklistEntry', application: 'FriendApplication',
  follow: 'FollowEntry'};
/** Fields of a row that say nothing of what was changed. */
const SILENT = /^(userId|sequence|remarkTimeMs|profile|displayName|section)$/;

/**
 * A value of a row as a person reads it.
 *
 * @param {Contract} all
 * @param {string} type the message of the row
 * @param {string} name
 * @param {any} value
 * @returns {Child}
 */
function valueOf(all, type, name, value) {
  if (value === undefined) return 'none';
  if (/TimeMs$|UntilMs$/.test(name)) return time(value);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) {
    return value.map(each => typeof each === 'object'
      ? `${each.key}: ${each.text ?? each.number ?? ''}` : each).join(', ');
  }
  const kind = messageOf(all, type).fields.find(({json}) => json === name)?.type ?? '';
  return all.enums.has(kind) ? spoken(shortName(kind, value)) : String(value);
}

/**
 * The fields of a row that differ from the same row at the other time.
 *
 * @param {Contract} all
 * @param {string} type the message of the row
 * @param {Dynamic | undefined} row
 * @param {Dynamic | undefined} other
 * @returns {Child}
 */
function differences(all, type, row, other) {
  if (!row) return 'none';
  const lines = Object.entries({...other, ...row}).filter(([name]) => !SILENT.test(name) &&
    JSON.stringify(row[name]) !== JSON.stringify(other?.[name]));
  return lines.length ? lines.map(([name, value]) => element('div', {}, `${pathLabel(name)}: `,
    valueOf(all, type, name, row[name] ?? (value === true ? false : undefined)))) : 'there';
}

/**
 * The cells of one change: what happened, and what was before and after.
 *
 * @param {Contract} all
 * @param {Relation.HistoryChange} change
 * @returns {Child[]}
 */
function cellsOf(all, {kind, ownerUserId = '', otherUserId, profileFields, groupBefore, groupAfter,
  profileBefore, profileAfter, ...rest}) {
  const did = KINDS[shortName('ChangeKind', kind)] ?? kindName(shortName('ChangeKind', kind));
  const said = [userLink(ownerUserId), ' ',
    rest.followBefore && !rest.followAfter ? 'unfollowed' : did,
    otherUserId && [' ', userLink(otherUserId)]];
  if (profileFields) {
    /** @param {Relation.Profile | undefined} profile */
    const fields = profile => profileFields.map(path => element('div', {}, `${
      label(path)}: `, shownField(/** @type {Profile} */ (profile ?? {}), path) ?? 'not set'));
    return [said, fields(profileBefore), fields(profileAfter)];
  }
  /** @type {Dynamic} */
  const rows = rest;
  const name = Object.keys(ROWS).find(each => rows[`${each}Before`] || rows[`${each}After`]);
  if (!name) return [said, groupBefore || 'none', groupAfter || 'none'];
  const [before, after] = [rows[`${name}Before`], rows[`${name}After`]];
  return [said, differences(all, ROWS[name], before, after),
    differences(all, ROWS[name], after, before)];
}

/**
 * Shows the entries of the user, or of it and another, with the ways to take them back.
 *
 * @param {import('./user.js').UserPage} page
 * @param {Element} place
 */
export async function history(page, place) {
  const {parameters, user, signal} = page;
  const all = await contract();
  /** @type {Set<string>} */
  const chosen = new Set();
  /** @type {(name: string, type?: string) => HTMLInputElement} */
  const input = (name, type = 'text') => element('input', {type, name,
    step: type === 'text' ? undefined : 1, value: type === 'text' ? parameters[name]
      : localTime(Number(parameters[name] ?? 0))});
  const fields = {with: input('with'), by: input('by'), of: input('of'),
    since: input('since', 'datetime-local'), until: input('until', 'datetime-local')};
  const kind = select(['', ...Object.keys(KINDS)].map(each =>
    [each, each ? kindName(each) : 'all changes']), parameters.kind);
  const form = formOf(() => {
    /** @type {Record<string, string>} */
    const asked = {id: user, part: 'history', kind: kind.value};
    for (const {name, type, value} of Object.values(fields)) {
      asked[name] = type === 'text' || !value ? value.trim() : String(new Date(value).getTime());
    }
    location.hash = address('user', Object.fromEntries(
      Object.entries(asked).filter(([, value]) => value)));
  }, labelled('With user', fields.with), labelled('Made by user', fields.by),
  labelled('Kind', kind), labelled('Since', fields.since), labelled('Until', fields.until),
  labelled('Request', fields.of), element('button', {}, 'Filter'));
  form.className = 'bar';
  const undo = press({disabled: true, click: () =>
    // The latest is taken back first.
    begin([...chosen].sort((one, other) => Number(other) - Number(one)))}, 'Undo the chosen …');
  /** @param {string[]} positions */
  const begin = positions => take(page, positions)
    .then(done => done ? page.refresh() : undefined);
  const made = table(`Changes of ${user}, the latest first`,
    ['', 'Time', 'By', 'Change', 'Before', 'After', ''], []);
  const list = element('div');
  replace(place, form, list, buttons(undo));
  /** @param {Relation.HistoryEntry} entry */
  const rows = ({position = '', timeMs = '', caller, actorUserId, requestId: request,
    credential, address: from, changes = []}) => changes.map((change, index) => index
    ? ['', '', '', ...cellsOf(all, change), ''] : [
    element('input', {type: 'checkbox', 'aria-label': `Choose change ${position}`,
      change: () => {
        if (!chosen.delete(position)) chosen.add(position);
        undo.disabled = !chosen.size || chosen.size > MOST_UNDONE;
      }}), time(timeMs), [actorUserId ? userLink(actorUserId) : 'the app',
      element('small', {title: [credential, from,
        request && `request ${request}`].filter(Boolean).join(', ')},
        ` ${spoken(shortName('CallerKind', caller)).toLowerCase()}`)],
    ...cellsOf(all, change),
    press({class: 'small', 'aria-label': `Undo change ${position}`,
      click: () => begin([position])}, 'Undo …')]);
  let pageToken = '';
  const {by, of, since, until} = parameters;
  await grows(list, made, async () => {
    const answer = await call('MaintenanceService/ListHistory', {pageSize: PAGE_ROWS, pageToken,
      aboutUserId: user, withUserId: parameters.with, actorUserId: by, ofRequestId: of,
      sinceTimeMs: since, untilTimeMs: until, kinds: /** @type {Relation.ChangeKind[]} */ (
        parameters.kind ? [`CHANGE_KIND_${parameters.kind}`] : [])}, signal);
    bodyOf(made).append(...rowsOf((answer.entries ?? []).flatMap(rows)));
    pageToken = answer.nextPageToken ?? '';
    undo.hidden = !bodyOf(made).children.length;
    return {left: pageToken !== '', said: answer.totalSize
      ? `The app keeps ${number(answer.totalSize)} changes of all users.` : ''};
  });
  if (bodyOf(made).children.length || pageToken) return;
  const {app = {}} = await call('AppService/GetApp', {}, signal);
  list.append(app.settings?.historyDays ? hint('No such change is kept.') : hint(
    'The app keeps no changes: its setting “History days” is 0. ',
    link('apps', {part: 'settings'}, 'Settings')));
}

/**
 * Says what the undo of these entries would do, and what conflicts; then takes them back.
 *
 * @param {import('./user.js').UserPage} page
 * @param {string[]} positions
 * @returns {Promise<boolean>} whether anything was taken back
 */
async function take({head, signal}, positions) {
  const all = await contract();
  const path = 'MaintenanceService/UndoChanges';
  const called = /** @type {Call} */ (all.calls.get(path));
  const status = element('div', {role: 'status'}, 'Looking…');
  const go = press({class: 'primary', disabled: true}, 'Undo');
  const close = press({}, 'Cancel');
  const whole = element('input', {type: 'checkbox'});
  const dialog = dialogOf(`Undo ${positions.length > 1
    ? `${number(positions.length)} changes` : `change ${positions[0]}`}`, status,
    positions.length > 1 && labelled('All or none', whole),
    buttons(go, close));
  let done = false;
  const id = requestId();
  /** @param {boolean} dryRun */
  const run = async dryRun => {
    go.disabled = true;
    try {
      const answer = await call(path, {positions, options: dryRun ? {dryRun, listEffects: true}
        : {requestId: id, allOrNothing: whole.checked}}, signal);
      const free = (answer.results ?? []).filter(({code}) => /_SUCC$/.test(code ?? '')).length;
      replace(status, element('p', {}, !dryRun ? 'Taken back: ' : free === positions.length
        ? 'Nothing stands in the way of the undo: '
        : `${number(positions.length - free)} conflict: `),
      outcomes(all, called, answer, dryRun));
      go.disabled = !dryRun || !free;
      if (dryRun) return;
      done = true;
      close.textContent = 'Close';
    } catch (thrown) {
      if (signal.aborted) return;
      replace(status, element('p', {class: 'bad'}, /** @type {Failure} */ (thrown).message));
      notifyError(thrown);
    }
  };
  on(go, 'click', () => run(false));
  run(true);
  return opened(head, dialog, close, signal, () => done);
}
