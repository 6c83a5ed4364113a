// @ts-check
// The profile of a user: as the user sees it, and as two others do, with the reasons.

import {address, link, notifyError, userLink} from '../shared/shell.js';
import {call} from '../shared/api.js';
import {contract, jsonName, lower} from '../shared/contract.js';
import {buttons, element, folded, formOf, labelled, number, replace, table,
  time} from '../shared/dom.js';
import {act, parted, spoken} from '../shared/labels.js';
import {hides, labelOf, rungsOf, verdictOf} from './explain.js';
import {hint, nameLinks, portrait} from './people.js';

/** @type {Words} */
export const GENDERS = {'': 'not set', GENDER_UNKNOWN: 'unknown', GENDER_MALE: 'male',
  GENDER_FEMALE: 'female'};
/** @type {Words} */
export const ALLOWS = {'': 'not set', ALLOW_TYPE_ALLOW_ANY: 'are added at once',
  ALLOW_TYPE_NEED_CONFIRM: 'wait for its answer', ALLOW_TYPE_DENY_ANY: 'are refused'};
/** @type {Words} */
const CHOICES = {...GENDERS, ...ALLOWS, ADMIN_FORBID_TYPE_NONE: 'nothing',
  ADMIN_FORBID_TYPE_SEND_OUT: 'to add others'};

/** @param {string} text */
const soft = text => element('span', {class: 'soft'}, text);
/** @param {string} path */
const named = path => element('span', {title: path}, labelOf(path));
/** @param {Relation.FieldAccessState | undefined} access */
const isUnset = access => access === 'FIELD_ACCESS_STATE_NOT_SET';

/**
 * The text that bytes are; undefined if they are none, or have signs that control.
 *
 * @param {string} value
 */
export function textOf(value) {
  try {
    const text = new TextDecoder('utf-8', {fatal: true, ignoreBOM: true})
      .decode(Uint8Array.from(atob(value), letter => letter.charCodeAt(0)));
    return /[^\P{Cc}\t\n\r]/u.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

/**
 * Bytes as their text, if they are one.
 *
 * @param {string} value
 */
export const ofBytes = value => textOf(value) ?? `${value} (base64)`;

/**
 * A day as a field for dates takes it.
 *
 * @param {number} day such as 19900131
 */
export const dated = day => String(day).replace(/^(\d+)(\d\d)(\d\d)$/, '$1-$2-$3');

/**
 * The value of a field of a profile as a text; undefined if there is none.
 *
 * @param {Profile} profile
 * @param {string} path
 * @returns {string | undefined}
 */
function valueOf(profile, path) {
  if (path.startsWith('custom.')) {
    const found = profile.custom?.find(({key}) => `custom.${key}` === path);
    return found && (found.text ?? found.number ?? ofBytes(found.data ?? ''));
  }
  const value = profile[jsonName(path)];
  if (value === undefined) return undefined;
  if (path === 'age_range') return `${value.min ?? 0} to ${value.max ?? 'any age'}`;
  if (path === 'birthday') return dated(value);
  if (/^[A-Z]+_/.test(value) && /type$|gender/.test(path)) return CHOICES[value] ?? spoken(value);
  return path === 'location' || path === 'self_signature' ? ofBytes(value) : String(value);
}

/**
 * The same, with a portrait as a picture.
 *
 * @param {Profile} profile
 * @param {string} path
 */
export function shown(profile, path) {
  const value = valueOf(profile, path);
  return path === 'face_url' && /^data:image\//.test(value ?? '') ? portrait('', '', value) : value;
}

/**
 * The paths of the fields that a profile has, but for those that say who it is.
 *
 * @param {Profile} profile
 */
const pathsOf = ({userId, version, custom = [], ...rest}) => [
  ...Object.keys(rest).map(parted),
  ...custom.map(({key}) => `custom.${key}`)];

/**
 * The profile as the user itself sees it, and who else may see it.
 *
 * @param {Element} place
 * @param {UserRead} page
 */
export function showProfile(place, {user, own, chosen, found, presence, acts}) {
  const {profile = {}, fieldAccess = []} = own;
  const paths = pathsOf(profile);
  /** @param {(access: Relation.FieldAccessState | undefined) => boolean} isWanted */
  const list = isWanted => fieldAccess.filter(({access}) => isWanted(access))
    .map(({field = ''}) => labelOf(field)).join(', ');
  const hidden = list(access => !isUnset(access));
  /** @param {Relation.Visibility | undefined} value */
  const words = value => lower('Visibility', value);
  /** @param {string | undefined} value */
  const finders = value => lower('Findability', value);
  /** @type {Record<string, string | undefined>} */
  const choices = {...found.settings};
  const rules = rulesOf(chosen);
  replace(place,
    paths.length > 0 && table('Profile', ['Field', 'Value'],
      paths.map(path => [named(path), shown(profile, path)])),
    hint('Not set: ', list(isUnset) || 'no field', '.'),
    hidden && hint('Not readable with this credential: ', hidden, '.'),
    table('Readers of the profile', ['Chosen by the user', 'Default of the app', 'In effect'],
      [[words(chosen.userLevel), words(chosen.appLevel), words(chosen.effective)]]),
    rules.length > 0 && table('Readers of single fields',
      ['Field', 'Chosen by the user', 'Default of the app'],
      rules.map(([path, byUser, byApp]) => [named(path),
        byUser ? [words(byUser.visibility), ...byUser.groupNames ?? []].join(', ') : '',
        byApp ? words(byApp.visibility) : ''])),
    table('Who may find the user', ['How', 'Chosen by the user', 'In effect'],
      Object.entries(found.effective ?? {}).map(([how, value]) => [act(how),
        finders(choices[how]), finders(value)])),
    buttons(
      acts.own('Change who may read it', 'ProfileService/SetVisibility',
        {visibility: chosen.userLevel, fields: chosen.fields}),
      acts.own('Set the custom status', 'PresenceService/SetStatus',
        {text: presence.statusText}),
      acts.own('Change who may find it', 'ProfileService/SetFindSettings',
        {settings: found.settings}),
      link('apps', {part: 'moderation', of: user, closed: '1'},
        'Reports about the user')),
    presence.devices ? table('Devices', ['Device', 'Platform', 'State', 'Since, or last seen'],
      presence.devices.map(({deviceId, platform, online, changeTimeMs}) => [deviceId,
        platform || 'unknown', online ? 'online' : 'offline', time(changeTimeMs)]))
      : hint('No device was ever reported.'),
    presence.lastSeenTimeMs && hint('Last seen: ', time(presence.lastSeenTimeMs), '.'));
}

/**
 * The fields that have readers of their own, each with the choice of the user and the default of
 * the app.
 *
 * @param {Relation.GetVisibilityResponse} chosen
 * @returns {[string, Relation.FieldVisibility | undefined, Relation.FieldVisibility | undefined][]}
 */
function rulesOf({fields = [], appFields = []}) {
  const paths = new Set([...fields, ...appFields].map(({field = ''}) => field));
  return [...paths].map(path => [path, fields.find(({field}) => field === path),
    appFields.find(({field}) => field === path)]);
}

/**
 * Shows the two users that look, and the fields that each of them sees.
 *
 * @param {Element} place
 * @param {UserRead} page
 * @param {string} first
 */
export async function showSeen(place, page, first) {
  const {user, parameters, signal} = page;
  const viewers = [parameters.as ?? first, parameters.and ?? user];
  const fields = viewers.map(value => element('input', {value}));
  const inside = element('div');
  replace(place, formOf(() => {
    const [as, and] = fields.map(field => field.value.trim());
    location.hash = address('user', {id: user, part: 'seen', as, and});
  }, labelled('As seen by', fields[0]), labelled('and by', fields[1]),
  element('button', {}, 'Compare')), inside);
  const all = await contract();
  const seen = await Promise.all(viewers.map(viewer => look(all, viewer, user, signal)));
  const reads = seen.some(each => each.fields.size);
  const paths = [...new Set(['nick', 'face_url', ...seen.flatMap(({profile, access, fields}) =>
    [...pathsOf(profile), ...access.keys(), ...fields.keys()])])];
  // A credential that reads every field knows which of them have no value for any viewer.
  /** @param {string} path */
  const hasValue = path => !reads ||
    seen.some(({profile}) => valueOf(profile, path) !== undefined);
  replace(inside,
    // One that is no account has no name.
    element('ul', {}, seen.map(({viewer, said, none}) => element('li', {},
      viewer ? userLink(viewer, none && viewer) : 'No user', ': ', said))),
    reads && hint('This credential reads hidden fields too. ',
      'Open a field to see the rule behind it.'),
    table(`The profile of ${user}`, ['Field', ...viewers.map(viewer => `As ${viewer || '–'}`)],
      paths.filter(hasValue).map(path => [named(path), ...seen.map(each =>
        cell(all, path, each, user))])),
    hint('Not set: ', paths.filter(path => !hasValue(path)).map(labelOf).join(', ') ||
      'no further field', '.'));
  await nameLinks(inside, signal);
}

/**
 * Reads `user` as `viewer` sees it; the rules of its fields too, if the credential may.
 *
 * @param {Contract} all
 * @param {string} viewer
 * @param {string} user
 * @param {AbortSignal} signal
 * @returns {Promise<Look>}
 */
async function look(all, viewer, user, signal) {
  const nothing = {viewer, profile: {}, access: new Map(), fields: new Map(), none: true};
  if (!viewer) return {...nothing, said: 'name one above.'};
  try {
    const rules = await call('ModerationService/ExplainProfile',
      {fromUserId: viewer, toUserId: user}, signal).catch(error => {
      if (error.code !== 'permission_denied') throw error;
      return null;
    });
    if (rules && !/_SUCC$/.test(rules.code ?? '')) {
      return {...nothing,
        said: `${verdictOf(all, 'ProfileStatus', rules, viewer, user)}.`};
    }
    const {results} = await call('ProfileService/GetProfiles',
      {userId: viewer, userIds: [user], withUnsetFields: true}, signal);
    const {profile = {}, ...rest} = results?.[0] ?? {};
    const fieldAccess = rest.fieldAccess ?? [];
    const fields = new Map(rules?.fields?.map(each => [each.field ?? '', each]));
    // Of fields that no one has set there is nothing to hide.
    const hidden = rules ? [...fields.values()].filter(each => hides(each) !== null &&
      valueOf(profile, each.field ?? '') !== undefined)
      : fieldAccess.filter(({access}) => !isUnset(access));
    return {viewer, profile, fields,
      access: new Map(fieldAccess.map(({field = '', access}) => [field, access])),
      said: hidden.length ? `${number(hidden.length)} of the fields are hidden.`
        : 'sees all that is set.'};
  } catch (/** @type {any} */ error) {
    if (error.code === 'unauthenticated') notifyError(error);
    return {...nothing, said: error.message};
  }
}

/**
 * Gives one field as one viewer sees it; the rule behind it opens.
 *
 * @param {Contract} all
 * @param {string} path
 * @param {Look} look
 * @param {string} user
 * @returns {Child}
 */
function cell(all, path, {viewer, profile, access, fields, none}, user) {
  if (none) return '–';
  const field = fields.get(path);
  const why = hides(field ?? {state: access.get(path)});
  const said = why === null ? shown(profile, path) ?? soft('not set')
    : [element('strong', {class: 'warn'}, 'Hidden'), ` – ${why}`];
  return field ? folded(said,
    rungsOf(all, field.rungs ?? [], viewer, user)) : said;
}
