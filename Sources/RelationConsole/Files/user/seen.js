// The profile of a user: as the user sees it, and as two others do, with the reasons.

import {address, tellError, userLink} from '../shared/shell.js';
import {call} from '../shared/api.js';
import {jsonName, shortName} from '../shared/contract.js';
import {element, labelled, replace, table, time} from '../shared/dom.js';

/** Fields that each user may read, and those that no other user may, whatever was chosen. */
const OPEN = new Set(['nick', 'face_url']);
const PRIVATE = new Set(['msg_settings', 'admin_forbid_type']);
const ENUMS = {allow_type: 'AllowType', gender: 'Gender', admin_forbid_type: 'AdminForbidType'};

const soft = text => element('span', {class: 'soft'}, text);
const hint = (...text) => element('p', {class: 'hint'}, text);
const code = path => element('code', {}, path);
const isUnset = access => access === 'FIELD_ACCESS_STATE_NOT_SET';

/** Bytes as their text, if they are one. */
function ofBytes(value) {
  try {
    return new TextDecoder('utf-8', {fatal: true})
      .decode(Uint8Array.from(atob(value), letter => letter.charCodeAt(0)));
  } catch {
    return `${value} (base64)`;
  }
}

/** The value of a field of a profile as a text; undefined if there is none. */
function valueOf(profile, path) {
  if (path.startsWith('custom.')) {
    const found = profile.custom?.find(({key}) => `custom.${key}` === path);
    return found && (found.number ?? ofBytes(found.data ?? ''));
  }
  const value = profile[jsonName(path)];
  if (value === undefined) return undefined;
  if (path === 'age_range') return `${value.min ?? 0} to ${value.max ?? 'any age'}`;
  if (ENUMS[path]) return shortName(ENUMS[path], value);
  return path === 'location' || path === 'self_signature' ? ofBytes(value) : String(value);
}

/** The paths of the fields that a profile has, but for those that say who it is. */
const pathsOf = ({userId, version, custom = [], ...rest}) => [
  ...Object.keys(rest).map(name => name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)),
  ...custom.map(({key}) => `custom.${key}`)];

/** The profile as the user itself sees it, and who else may see it. */
export function showProfile(place, {own: {profile, fieldAccess = []}, chosen, presence}) {
  const paths = pathsOf(profile);
  const list = isWanted => fieldAccess.filter(({access}) => isWanted(access))
    .map(({field}) => field).join(', ');
  const hidden = list(access => !isUnset(access));
  const words = value => shortName('Visibility', value).toLowerCase().replace('_', ' ');
  replace(place,
    paths.length > 0 && table('Profile', ['Field', 'Value'],
      paths.map(path => [code(path), valueOf(profile, path)])),
    hint('Not set: ', list(isUnset) || 'no field', '.'),
    hidden && hint('Not readable with this credential: ', hidden, '.'),
    table('Readers of the profile', ['Chosen by the user', 'Default of the app', 'In effect'],
      [[words(chosen.userLevel), words(chosen.appLevel), words(chosen.effective)]]),
    presence.devices ? table('Devices', ['Device', 'Platform', 'State', 'Since'],
      presence.devices.map(({deviceId, platform, online, changeTimeMs}) => [deviceId,
        platform || 'unknown', online ? 'online' : 'offline', time(changeTimeMs)]))
      : hint('No device was reported since the server began.'));
}

/** Shows the two users that look, and the fields that each of them sees. */
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
  const hasValue = path => !reads ||
    seen.some(({profile}) => valueOf(profile, path) !== undefined);
  replace(inside,
    element('ul', {}, seen.map(({viewer, said}) =>
      element('li', {}, viewer ? userLink(viewer) : 'No user', ': ', said))),
    reads && hint('This credential reads every field. The page therefore applies the rule of the ',
      'server to the visibility, the friend list and the blacklist.'),
    table(`The profile of ${user}`, ['Field', ...viewers.map(viewer => `As ${viewer || '–'}`)],
      paths.filter(hasValue).map(path => [code(path), ...seen.map(each => cell(path, each))])),
    hint('Not set: ', paths.filter(path => !hasValue(path)).join(', ') || 'no further field', '.'));
}

/** Reads `user` as `viewer` sees it, and how they stand to each other. */
async function look(viewer, user, {effective}, signal) {
  const nothing = {viewer, profile: {}, access: new Map(), none: true};
  if (!viewer) return {...nothing, said: 'name one above.'};
  const ask = (method, more) => call(method, {userId: viewer, userIds: [user], ...more}, signal);
  try {
    const [{results: [{profile, fieldAccess = []}]}, {results: [card]}] = await Promise.all([
      ask('ProfileService/GetProfiles', {withUnsetFields: true}),
      ask('FriendService/GetRelations')]);
    const access = new Map(fieldAccess.map(({field, access}) => [field, access]));
    const visibility = shortName('Visibility', effective);
    return {viewer, profile, access, ...rule(viewer, user, visibility, card)};
  } catch (error) {
    if (error.code === 'unauthenticated') tellError(error);
    return {...nothing, said: `${error.reason || error.code || 'no answer'}: ${error.message}`};
  }
}

/**
 * The rule of the server. Only a credential with the scope `admin` is told whether the user blocks
 * the viewer. It `reads` every field too, so that the rule hides what the viewer does not see.
 */
function rule(viewer, user, visibility, {blacklistedBy, relation}) {
  const reads = blacklistedBy !== undefined;
  const isFriend = /OTHER_UNI|BOTH_WAY/.test(relation);
  const why = viewer === user ? ''
    : blacklistedBy ? `${user} blocks ${viewer}`
    : visibility === 'EVERYONE' || visibility === 'FRIENDS' && isFriend ? ''
    : visibility === 'FRIENDS' ? `the profile is for friends, and ${viewer} is none`
    : 'no other user may read the profile';
  const said = why ? `sees only the name, because ${why}.`
    : viewer === user ? 'sees the own profile.'
    : `may read the profile, which is for ${visibility.toLowerCase()}.`;
  return {reads, why, said, isOwn: viewer === user};
}

/** Gives one field as one viewer sees it. */
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
  const value = valueOf(profile, path);
  if (value === undefined) return soft('not set');
  // Which custom fields only administrators read is a setting of the app.
  return reads && path.startsWith('custom.') ? [value, soft(' if the app lets users read it')]
    : value;
}
