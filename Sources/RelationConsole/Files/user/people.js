// @ts-check
// The users of the app: found by a text, or all of them, as a table with portraits and counts.

import {address, link} from '../shared/shell.js';
import {call} from '../shared/api.js';
import {lower} from '../shared/contract.js';
import {element, number, on, press, replace, rowsOf, since, table, time} from '../shared/dom.js';

/** The rows that a list shows at first, and that each press of a button adds. */
export const PAGE_ROWS = 25;
/** The most rows of one list; a search or `relationctl` finds the others. */
const MOST_ROWS = 500;
/** The users that a search finds. */
const MOST_FOUND = 25;
/** The users whose names one call asks for. */
const MOST_NAMED = 100;
/** The search in words. */
export const WAYS = 'By id, by unique id, or by the beginning of a name, of its pinyin or initials';
/** Letters have so many colours. */
const COLORS = 12;

/** @param {...Child} text */
export const hint = (...text) => element('p', {class: 'hint', role: 'status'}, text);
/** @param {Element} made */
export const bodyOf = made => /** @type {Element} */ (made.querySelector('tbody'));
/** @type {(id: string, name?: string, face?: string, page?: string) => Child} */
export const named = (id, name, face, page = 'user') => [portrait(id, name, face),
  link(page, {id}, name || id),
  name && name !== id && element('small', {}, ` ${id}`)];

/**
 * What people know users by, by their ids: one call for a hundred, and smaller ones where the app
 * takes no such; none without the right to read them.
 *
 * @param {string[]} ids
 * @param {AbortSignal} [signal]
 * @param {string} [app]
 * @returns {Promise<Map<string, Relation.Profile>>}
 */
async function profilesOf(ids, signal, app) {
  if (!ids.length) return new Map();
  /** @param {number} size */
  const parts = size => Promise.all([ids.slice(0, size), ids.slice(size)].map(part =>
    profilesOf(part, signal, app))).then(made => new Map(made.flatMap(each => [...each])));
  if (ids.length > MOST_NAMED) return parts(MOST_NAMED);
  try {
    /** @type {Relation.GetProfilesResponse} */
    const {results = []} = await call('ProfileService/GetProfiles',
      {userId: ids[0], userIds: ids, readMask: 'nick,faceUrl'}, signal, app);
    return new Map(ids.map((id, index) => [id, results[index]?.profile ?? {}]));
  } catch (/** @type {any} */ error) {
    if (error.name !== 'CallError' || error.code === 'unauthenticated') throw error;
    // The first may be no account any more.
    return /^(invalid_argument|not_found)$/.test(error.code) && ids.length > 1
      ? parts(Math.ceil(ids.length / 2)) : new Map();
  }
}

/**
 * Puts the names of users before their ids in the links of a place, with one look-up for all.
 *
 * @param {Element} place
 * @param {AbortSignal} [signal]
 * @param {string} [app]
 */
export async function nameLinks(place, signal, app) {
  const links = /** @type {HTMLElement[]} */ ([...place.querySelectorAll('a[data-user]')]);
  const ids = links.map(({dataset}) => dataset.user ?? '');
  // Events that come meanwhile have links of their own.
  for (const link of links) delete link.dataset.user;
  const known = await profilesOf([...new Set(ids)], signal, app);
  links.forEach((link, index) => {
    const {nick} = known.get(ids[index]) ?? {};
    if (!nick || nick === ids[index]) return;
    replace(link, nick);
    link.after(element('small', {}, ` ${ids[index]}`));
  });
}

/**
 * The picture of a user, or the first letter of the name. Pictures of other servers are not
 * fetched: they would learn who looks at whom.
 *
 * @param {string} id
 * @param {string} [name]
 * @param {string} [face]
 */
export function portrait(id, name = id, face = '') {
  if (/^data:image\//.test(face)) {
    return element('img', {class: 'portrait', alt: '', src: face, 'aria-hidden': 'true'});
  }
  const made = element('span', {class: 'portrait', 'aria-hidden': 'true'},
    [...name || id][0]?.toUpperCase());
  const sum = [...id].reduce((sum, letter) => sum * 31 + (letter.codePointAt(0) ?? 0) >>> 0, 7);
  made.style.background = `oklch(0.45 0.11 ${sum % COLORS * 360 / COLORS})`;
  return made;
}

/**
 * A table that grows by `next` with each press of a button, up to its bound.
 *
 * @param {Element} place
 * @param {HTMLElement} made
 * @param {() => Promise<{left: boolean, said: string}>} next
 */
export async function grows(place, made, next) {
  const status = hint('');
  const more = press({}, 'Show more');
  const grow = async () => {
    more.disabled = true;
    const {left, said} = await next().finally(() => { more.disabled = false; });
    await nameLinks(made);
    const count = made.querySelectorAll('tbody > tr').length;
    made.hidden = !count;
    more.hidden = !left || count >= MOST_ROWS;
    status.textContent = left && more.hidden
      ? `${said} This page shows no more than ${number(MOST_ROWS)}.` : said;
  };
  on(more, 'click', grow);
  await grow();
  replace(place, made, status, more);
}

/**
 * All accounts of the app, in the order of their ids.
 *
 * @param {Element} place
 * @param {AbortSignal} signal
 * @param {string} [page] the one that opens
 */
export async function everyone(place, signal, page) {
  let token = '';
  const made = table('Users', [...NAMES, 'Made'], []);
  await grows(place, made, async () => {
    const answer = await call('AccountService/ListAccounts',
      {pageSize: PAGE_ROWS, pageToken: token}, signal);
    const {accounts = [], nextPageToken = '', totalSize = 0} = answer;
    bodyOf(made).append(...await rows(accounts.map(({userId = '', createTimeMs = ''}) => (
      {id: userId, name: '', how: '', made: createTimeMs})), signal, page));
    token = nextPageToken;
    return {left: token !== '', said: totalSize
      ? `${number(bodyOf(made).children.length)} of ${number(totalSize)} users, by their ids.`
      : 'The app has no users yet. An import, or the first write of a user, makes an account.'};
  });
}

/**
 * The users that a text finds, as a table; a single one is opened at once.
 *
 * @param {Element} place
 * @param {string} text
 * @param {AbortSignal} signal
 */
export async function matches(place, text, signal) {
  replace(place, hint(`Looking for “${text}”.`));
  const {hits, failed, isIncomplete} = await find(text, '', signal);
  if (signal.aborted) return;
  if (hits.length === 1 && !failed.length) {
    location.replace(address('user', {id: hits[0].id}));
    return;
  }
  const made = table(`Users found by “${text}”`, [...NAMES, 'Found'], []);
  bodyOf(made).append(...await rows(hits, signal));
  const {said, advice} = outcome(text, hits, isIncomplete);
  replace(place, hits.length > 0 && made, hint([said, ...failed].join(' ')), advice);
}

/**
 * What came of a search in words, with the way to a better one.
 *
 * @param {string} text
 * @param {Hit[]} hits
 * @param {boolean} isIncomplete
 */
export function outcome(text, hits, isIncomplete) {
  return {
    said: hits.length ? hits.length < MOST_FOUND ? ''
      : `The first ${MOST_FOUND} are shown; more letters find fewer.`
      : `No user is found by “${text}”.`,
    advice: isIncomplete && hint('Not all names are searched: the app does not let its users be ',
      'found by name, or the index is being made. ',
      link('apps', {part: 'settings'}, 'Settings of the app')),
  };
}

const NAMES = ['User', 'Presence', 'Friends', 'Followers', 'Follows'];

/**
 * The rows of a table of users.
 *
 * @param {Hit[]} hits
 * @param {AbortSignal} signal
 * @param {string} [page]
 */
async function rows(hits, signal, page) {
  if (!hits.length) return [];
  const userIds = hits.map(({id}) => id);
  const asked = {userId: userIds[0], userIds};
  /** @type {<Answer>(answer: Promise<Answer>) => Promise<Answer | undefined>} */
  const tried = answer => answer.catch((/** @type {Failure} */ error) => {
    if (error.name !== 'CallError' || error.code === 'unauthenticated') throw error;
    return undefined;
  });
  const [profiles, presences, follows, ...friends] = await Promise.all([
    profilesOf(userIds, signal),
    tried(call('PresenceService/GetPresence', asked, signal)),
    tried(call('FollowService/GetFollowCounts', asked, signal)),
    ...userIds.map(userId => tried(call('FriendService/ListFriends',
      {userId, pageSize: 1, readMask: 'userId'}, signal)))]);
  /** @param {string | number | undefined} value */
  const count = value => value === undefined ? '–' : number(value);
  return rowsOf(hits.map(({id, how, made}, index) => {
    const {nick, faceUrl} = profiles.get(id) ?? {};
    const {presence = {}} = presences?.results?.[index] ?? {};
    const counts = follows?.results?.[index].counts;
    const own = friends[index];
    return [named(id, nick, faceUrl, page), state(presence), count(own && (own.totalSize ?? 0)),
      count(counts && (counts.followers ?? 0)), count(counts && (counts.following ?? 0)),
      made ? time(made) : how];
  }));
}

/**
 * Whether a user is there, and the status that it has set.
 *
 * @param {Relation.Presence} presence
 */
export const state = ({online, statusText, lastSeenTimeMs}) => element('span', {class: 'state'},
  element('span', {class: online ? 'dot on' : 'dot', 'aria-hidden': 'true'}),
  online ? 'online' : 'offline', statusText && ` · ${statusText}`,
  !online && since(' · last seen ', lastSeenTimeMs));

/**
 * The users that a text finds, each with how it was found; and the searches that failed.
 *
 * @param {string} text
 * @param {string} user
 * @param {AbortSignal} signal
 */
export async function find(text, user, signal) {
  const hits = /** @type {Hit[]} */ ([]);
  const failed = /** @type {string[]} */ ([]);
  let isIncomplete = false;
  /** @type {(how: string, body: (how: string) => Promise<void>) => Promise<void>} */
  const look = async (how, body) => {
    try {
      await body(how);
    } catch (/** @type {any} */ error) {
      if (signal.aborted || error.code === 'unauthenticated') throw error;
      failed.push(`Not searched ${how}: ${error.reason || error.code || ''} ${error.message}.`);
    }
  };
  /** @type {(id: string, name: string | undefined, how: string, face?: string) => void} */
  const add = (id, name, how, face) => {
    const before = hits.find(hit => hit.id === id);
    if (before) Object.assign(before, name && {name}, face && {face});
    else hits.push({id, name: name || id, how, face});
  };
  await look('by id', async how => {
    const {results} = await call('AccountService/CheckAccounts', {userIds: [text]}, signal);
    if (results?.[0].status === 'ACCOUNT_STATUS_IMPORTED') add(text, text, how);
  });
  // The searches act for a user, whichever it is; since none finds itself, a second one looks too.
  /** @type {Relation.ListAccountsResponse} */
  const {accounts = []} = user ? {accounts: [{userId: user}]}
    : await call('AccountService/ListAccounts', {pageSize: 2}, signal);
  if (user) {
    await look(`among the friends of ${user}`, async how => {
      const answer = await call('FriendService/SearchFriends',
        {userId: user, keyword: text, pageSize: MOST_FOUND}, signal);
      const {friends = [], totalSize = 0} = answer;
      for (const {userId = '', displayName} of friends) add(userId, displayName, how);
      if (totalSize > friends.length) {
        failed.push(`${number(totalSize)} friends match; the first ${friends.length} are shown.`);
      }
    });
  }
  await look('in the app', async () => {
    for (const {userId = ''} of accounts) {
      const answer = await call('ProfileService/FindUsers',
        {userId, keyword: text, pageSize: MOST_FOUND}, signal);
      isIncomplete = answer.indexIncomplete ?? false;
      for (const {userId = '', nick, faceUrl, foundBy} of answer.users ?? []) {
        add(userId, nick, `by ${lower('FoundBy', foundBy)}`, faceUrl);
      }
    }
  });
  return {hits, failed, isIncomplete};
}
