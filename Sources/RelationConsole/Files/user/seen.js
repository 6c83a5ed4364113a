// @ts-check
// The profile of a user: as the user sees it, and as two others do, with the reasons.

import {address, tellError, userLink} from '../shared/shell.js';
import {call} from '../shared/api.js';
import {jsonName, shortName} from '../shared/contract.js';
import {element, labelled, replace, table, time} from '../shared/dom.js';
import {act, label} from '../shared/labels.js';
import {portrait} from './people.js';

/** Fields that each user may read, and those that no other user may, whatever was chosen. */
const OPEN = new Set(['nick', 'face_url']);
const PRIVATE = new Set(['msg_settings', 'admin_forbid_type']);
/** @type {Record<string, string>} */
const ENUMS = {allow_type: 'AllowType', gender: 'Gender', admin_forbid_type: 'AdminForbidType'};

/** @param {string} text */
const soft = text => element('span', {class: 'soft'}, text);
/** @param {...Child} text */
const hint = (...text) => element('p', {class: 'hint'}, text);
/**
 * The label of a field of a profile; a custom field has the name that the app gave it.
 *
 * @param {string} path
 */
const labelOf = path => path.startsWith('custom.') ? path.slice(7) : label(path);
/** @param {string} path */
const named = path => element('span', {title: path}, labelOf(path));
/** @param {Relation.FieldAccessState | undefined} access */
const isUnset = access => access === 'FIELD_ACCESS_STATE_NOT_SET';

/**
 * Bytes as their text, if they are one.
 *
 * @param {string} value
 */
export function ofBytes(value) {
  try {
    return new TextDecoder('utf-8', {fatal: true})
      .decode(Uint8Array.from(atob(value), letter => letter.charCodeAt(0)));
  } catch {
    return `${value} (base64)`;
  }
}

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
  if (ENUMS[path]) return shortName(ENUMS[path], value);
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
  ...Object.keys(rest).map(name => name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)),
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
  const words = value => shortName('Visibility', value).toLowerCase().replace('_', ' ');
  /** @param {string | undefined} value */
  const finders = value => shortName('Findability', value).toLowerCase().replace('_', ' ');
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
    element('p', {class: 'buttons'},
      acts.own('Change who may read it', 'ProfileService/SetVisibility',
        {visibility: chosen.userLevel, fields: chosen.fields}),
      acts.own('Set the custom status', 'PresenceService/SetStatus',
        {text: presence.statusText}),
      acts.own('Change who may find it', 'ProfileService/SetFindSettings',
        {settings: found.settings}),
      element('a', {href: address('apps', {part: 'moderation', of: user, closed: '1'})},
        'Reports about the user')),
    presence.devices ? table('Devices', ['Device', 'Platform', 'State', 'Since, or last seen'],
      presence.devices.map(({deviceId, platform, online, changeTimeMs}) => [deviceId,
        platform || 'unknown', online ? 'online' : 'offline', time(changeTimeMs ?? '')]))
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
  const {user, parameters, chosen, signal} = page;
  const viewers = [parameters.as ?? first, parameters.and ?? user];
  const fields = viewers.map(value =>
    element('input', {value, autocomplete: 'off', spellcheck: 'false'}));
  const inside = element('div', {});
  replace(place, element('form', {on: {submit: event => {
    event.preventDefault();
    const [as, and] = fields.map(field => field.value.trim());
    location.hash = address('user', {id: user, part: 'seen', as, and});
  }}}, labelled('As seen by', fields[0]), labelled('and by', fields[1]),
  element('button', {}, 'Compare')), inside);
  const seen = await Promise.all(viewers.map(viewer => look(viewer, user, chosen, signal)));
  const reads = seen.some(each => each.reads);
  const paths = [...new Set(['nick', 'face_url', ...seen.flatMap(({profile, access}) =>
    [...pathsOf(profile), ...access.keys()])])];
  // A credential that reads every field knows which of them have no value for any viewer.
  /** @param {string} path */
  const hasValue = path => !reads ||
    seen.some(({profile}) => valueOf(profile, path) !== undefined);
  replace(inside,
    element('ul', {}, seen.map(({viewer, said}) =>
      element('li', {}, viewer ? userLink(viewer) : 'No user', ': ', said))),
    reads && hint('This credential reads every field. The page therefore applies the rule of the ',
      'server to the visibility, the friend list, the followers and the blacklist.'),
    reads && rulesOf(chosen).length > 0 && hint('It does not apply the rules of single fields, which the ',
      'profile of the user lists.'),
    table(`The profile of ${user}`, ['Field', ...viewers.map(viewer => `As ${viewer || '–'}`)],
      paths.filter(hasValue).map(path => [named(path), ...seen.map(each => cell(path, each))])),
    hint('Not set: ', paths.filter(path => !hasValue(path)).map(labelOf).join(', ') || 'no further field', '.'));
}

/**
 * Reads `user` as `viewer` sees it, and how they stand to each other.
 *
 * @param {string} viewer
 * @param {string} user
 * @param {Relation.GetVisibilityResponse} chosen
 * @param {AbortSignal} signal
 * @returns {Promise<Look>}
 */
async function look(viewer, user, {effective}, signal) {
  const nothing = {viewer, profile: {}, access: new Map(), none: true, reads: false, why: '',
    isOwn: false};
  if (!viewer) return {...nothing, said: 'name one above.'};
  const asked = {userId: viewer, userIds: [user]};
  try {
    const [profiles, relations, follows] = await Promise.all([
      call('ProfileService/GetProfiles', {...asked, withUnsetFields: true}, signal),
      call('FriendService/GetRelations', asked, signal),
      call('FollowService/CheckFollows', asked, signal)]);
    const [{profile = {}, fieldAccess}] = profiles.results ?? [];
    const [card] = relations.results ?? [];
    /** @type {Access} */
    const access = new Map(fieldAccess?.map(({field = '', access}) => [field, access]));
    const visibility = shortName('Visibility', effective);
    const isFollower = /FOLLOWING|MUTUAL/.test(follows.results?.[0]?.relation ?? '');
    return {viewer, profile, access, ...rule(viewer, user, visibility, card, isFollower)};
  } catch (thrown) {
    const error = /** @type {Failure} */ (thrown);
    if (error.code === 'unauthenticated') tellError(error);
    return {...nothing, said: `${error.reason || error.code || 'no answer'}: ${error.message}`};
  }
}

/**
 * The rule of the server. Only a credential with the scope `admin` learns whether the user blocks
 * the viewer. It `reads` every field too, so that the rule hides what the viewer does not see.
 *
 * @param {string} viewer
 * @param {string} user
 * @param {string} visibility
 * @param {Relation.RelationCard} card
 * @param {boolean} isFollower
 * @returns {Rule}
 */
function rule(viewer, user, visibility, {blacklistedBy, relation}, isFollower) {
  const reads = blacklistedBy !== undefined;
  const isFriend = /OTHER_UNI|BOTH_WAY/.test(relation ?? '');
  const why = viewer === user ? ''
    : blacklistedBy ? `${user} blocks ${viewer}`
    : visibility === 'EVERYONE' || visibility === 'FRIENDS' && isFriend
      || visibility === 'FOLLOWERS' && isFollower ? ''
    : visibility === 'FRIENDS' ? `the profile is for friends, and ${viewer} is none`
    : visibility === 'FOLLOWERS' ? `the profile is for followers, and ${viewer} is none`
    : 'no other user may read the profile';
  const said = why ? `sees only the name, because ${why}.`
    : viewer === user ? 'sees the own profile.'
    : `may read the profile, which is for ${visibility.toLowerCase()}.`;
  return {reads, why, said, isOwn: viewer === user};
}

/**
 * Gives one field as one viewer sees it.
 *
 * @param {string} path
 * @param {Look} look
 * @returns {Child}
 */
function cell(path, {profile, access, none, why, reads, isOwn}) {
  if (none) return '–';
  const isPrivate = PRIVATE.has(path) && !isOwn;
  const state = access.get(path);
  const isHidden = reads ? isPrivate || why && !OPEN.has(path) : state && !isUnset(state);
  if (isHidden) {
    return [element('strong', {class: 'warn'}, reads ? 'HIDDEN'
      : shortName('FieldAccessState', state)),
    ` – ${isPrivate ? 'only the user itself and administrators' : why || 'by the server'}`];
  }
  const value = shown(profile, path);
  if (value === undefined) return soft('not set');
  // Which custom fields only administrators read is a setting of the app.
  return reads && path.startsWith('custom.') ? [value, soft(' if the app lets users read it')]
    : value;
}
