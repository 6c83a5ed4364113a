// @ts-check
// One user: the profile, the lists, the log of changes, and what others see.

import {address, link, userLink, userLinks} from '../shared/shell.js';
import {call, pages, stream} from '../shared/api.js';
import {lower, shortName} from '../shared/contract.js';
import {buttons, element, formOf, labelled, number, on, options, press, replace, rowsOf, select,
  table, time, when} from '../shared/dom.js';
import {kindName, spoken} from '../shared/labels.js';
import {about, KINDS, kindOf} from '../events/events.js';
import {keep} from '../graph/export.js';
import {edit, write} from './edit.js';
import {asking, askingOf, chain} from './explain.js';
import {history} from './history.js';
import {bodyOf, everyone, grows, hint, matches, named, nameLinks, PAGE_ROWS, portrait, state,
  WAYS} from './people.js';
import {ofBytes, showProfile, showSeen} from './seen.js';
import {Acts} from './writes.js';

export const title = 'Users';

const MARKS = 'remark,starred,pinOrder,muteUntilMs,ignored';
/** The most names that a row of the log or of the groups has, and the most groups. */
const [MOST_NAMES, MOST_GROUPS] = [5, 500];
/**
 * The friends that can be shown: a field of the request, and its value.
 *
 * @type {Words}
 */
const CHOICES = {
  '': 'all friends', 'mark FRIEND_MARK_STARRED': 'starred', 'mark FRIEND_MARK_PINNED': 'pinned',
  'mark FRIEND_MARK_MUTED': 'muted', 'mark FRIEND_MARK_IGNORED': 'ignored',
  'relation FRIEND_RELATION_BOTH_WAY': 'both ways',
  'relation FRIEND_RELATION_MY_UNI': 'one way',
};
/** What a request has so that its users have names and portraits. */
const NAMED = {withProfiles: true, profileMask: 'nick,faceUrl'};

/**
 * A part: its name in the navigation, what draws it, and the call that counts its rows.
 *
 * @typedef {[name: string, draw: (page: UserPage, place: Element) => Promise<void>,
 *   counted?: keyof Relation.Calls]} Part
 */
/**
 * A part that is a list: the call that reads it counts its rows too.
 *
 * @template {keyof Relation.Calls} Name
 * @template {string & keyof Relation.Calls[Name]['answer']} Field
 * @param {string} name
 * @param {Name} method
 * @param {Field} field
 * @param {string[]} names of its columns
 * @param {string} none said if it is empty
 * @param {(row: RowOf<Relation.Calls[Name]['answer'][Field]>, acts: Acts) => Child[]} row
 * @returns {Part}
 */
const listed = (name, method, field, names, none, row) => [name, (page, place) => page.list(place,
  {method, field, name, names, none, row: each => row(each, page.acts)}), method];
/**
 * A list of those who follow or are followed, with the acts on each.
 *
 * @param {string} name
 * @param {'FollowService/ListFollowing' | 'FollowService/ListFollowers'
 *   | 'FollowService/ListMutualFollows'} method
 * @param {string} none
 * @param {string[]} menu
 * @returns {Part}
 */
const follows = (name, method, none, menu) => listed(name, method, 'entries', ['User', 'Since', ''],
  none, ({userId = '', followTimeMs}, acts) => [when(followTimeMs), acts.menu(userId, menu)]);
/** @type {Record<string, Part>} */
const PARTS = {
  profile: ['Profile', async (page, place) => showProfile(place, page)],
  friends: ['Friends', (page, place) => page.friends(place), 'FriendService/ListFriends'],
  reverse: listed('Friend of', 'FriendService/ListReverseFriends', 'users', ['User', ''],
    'Each user that has this one as a friend is its friend too.',
    ({userId = ''}, acts) => [acts.menu(userId, ['add', 'block', 'report'])]),
  applications: ['Applications', (page, place) => page.applications(place),
    'FriendApplicationService/ListApplications'],
  blacklist: listed('Blacklist', 'BlacklistService/ListBlacklist', 'entries',
    ['User', 'Since', ''], 'This user blocks no other.', ({userId = '', addTimeMs}, acts) => [
      when(addTimeMs), acts.menu(userId, ['unblock', 'report'])]),
  groups: ['Groups', (page, place) => page.groups(place), 'FriendGroupService/GetFriendGroups'],
  subscriptions: listed('Subscriptions', 'SubscriptionService/ListSubscriptions',
    'subscriptions', ['User', 'Of what', 'Since', 'Until'], 'This user subscribes to no other.',
    ({subscribeType, subscribeTimeMs, expireTimeMs}) => [
      spoken(shortName('SubscribeType', subscribeType)), when(subscribeTimeMs),
      when(expireTimeMs)]),
  following: follows('Following', 'FollowService/ListFollowing', 'This user follows no other.',
    ['unfollow', 'add', 'report']),
  followers: follows('Followers', 'FollowService/ListFollowers', 'No user follows this one.',
    ['follow', 'add', 'block', 'report']),
  mutual: follows('Mutual follows', 'FollowService/ListMutualFollows',
    'This user and no other follow each other.', ['unfollow', 'add', 'report']),
  invitations: ['Invitations', async (page, place) => { await page.list(place, {
    method: 'InvitationService/ListInvitations', request: {}, field: 'invitations',
    name: 'Invitations', names: ['Id', 'State', 'Uses', 'Made', 'Until', ''],
    none: 'This user has no invitation.',
    row: ({invitationId = '', state, useCount = 0, maxUses = 0, createTimeMs, expireTimeMs}) => [
      invitationId, spoken(shortName('InvitationState', state)), `${useCount} of ${maxUses}`,
      when(createTimeMs), when(expireTimeMs), state === 'INVITATION_STATE_ACTIVE' &&
        page.acts.own(`Revoke ${invitationId}`, 'InvitationService/RevokeInvitation',
          {invitationId}, 'Revoke')]});
  place.append(page.acts.own('Make an invitation', 'InvitationService/CreateInvitation',
    {maxUses: 1, expirySeconds: '604800'}), ' ',
  page.acts.own('Look at an invitation', 'InvitationService/GetInvitation', {}), ' ',
  page.acts.own('Use an invitation', 'InvitationService/AcceptInvitation', {}),
  ...page.explained());
  }, 'InvitationService/ListInvitations'],
  contacts: ['Contact digests', (page, place) => page.contacts(place)],
  // Suggestions are not counted: each reading of them is new.
  suggestions: listed('Suggested', 'FriendService/SuggestFriends', 'suggestions',
    ['User', 'Common friends', 'Some of them', ''], 'No user is suggested.',
    ({userId = '', mutualCount = 0, mutualUserIds = []}, acts) => [
      number(mutualCount), userLinks(mutualUserIds.slice(0, MOST_NAMES)),
      acts.menu(userId, ['add', 'dismiss'])]),
  dismissed: listed('Not suggested', 'FriendService/ListDismissedSuggestions', 'users',
    ['User', 'Since', ''], 'This user has dismissed no suggestion.',
    ({userId = '', dismissTimeMs}, acts) => [when(dismissTimeMs),
      acts.menu(userId, ['restore', 'add'])]),
  log: ['Log', (page, place) => page.logged(place)],
  history: ['History', (page, place) => history(page, place)],
  seen: ['As seen by', async (page, place) => showSeen(place, page, (await page.call(
    'FriendService/ListFriends', {pageSize: 1})).friends?.[0]?.userId ?? '')],
};
/** The parts whose rows are counted beside their names. */
const COUNTED = Object.keys(PARTS).filter(name => PARTS[name][2] && name !== 'suggestions');

/** @type {Show} */
export async function show(place, parameters, signal) {
  const {id: user = '', find: text = ''} = parameters;
  const field = element('input', {type: 'search', value: text || user, maxlength: 64,
    'aria-describedby': 'find-hint'});
  const form = formOf(() => {
    const find = field.value.trim();
    location.hash = address('user', find ? {find} : {});
  }, labelled('Find a user', field), element('button', {}, 'Find'),
  element('span', {class: 'hint', id: 'find-hint'}, `${WAYS}.`));
  form.className = 'bar';
  const inside = element('div');
  replace(place, element('search', {}, form), inside);
  if (user) {
    const part = Object.hasOwn(PARTS, parameters.part) ? parameters.part : 'profile';
    return new UserPage(user, part, parameters, signal).begin(inside);
  }
  return text ? matches(inside, text, signal) : everyone(inside, signal);
}

export class UserPage {
  name = element('h2');
  /** The portrait, and the line below the name; they have their room before they are read. */
  face = element('div', {class: 'face'});
  line = element('p', {class: 'line'}, '…');
  /** How many rows each part has, in the navigation. */
  counts = Object.keys(PARTS).map(() => element('small'));
  content = element('section', {class: 'content', tabindex: -1});
  own = /** @type {Relation.GetSelfProfileResponse} */ ({});
  chosen = /** @type {Relation.GetVisibilityResponse} */ ({});
  found = /** @type {Relation.GetFindSettingsResponse} */ ({});
  presence = /** @type {Relation.Presence} */ ({});
  log = /** @type {Relation.GetSequenceResponse} */ ({});
  /** Ends once the user was read for the first time. */
  read = Promise.resolve();

  /**
   * @param {string} user
   * @param {string} part
   * @param {Record<string, string>} parameters
   * @param {AbortSignal} signal
   */
  constructor(user, part, parameters, signal) {
    this.user = user;
    this.part = part;
    this.parameters = parameters;
    this.signal = signal;
    this.name.textContent = `User ${user}`;
    this.acts = new Acts(user, signal, () => this.refresh());
    this.head = element('div', {class: 'head'}, element('div', {class: 'who'}, this.face,
      element('div', {}, this.name, this.line),
      buttons(
        press({click: () => this.edit()}, 'Edit the profile …'),
        press({click: () => this.save()}, 'Save all data'),
        link('graph', {id: user}, 'In the graph'),
        link('events', {user}, 'Live events'))),
    element('nav', {class: 'parts', 'aria-label': `Parts of user ${user}`},
      Object.entries(PARTS).map(([name, [text]], index) => element('a', {
        href: address('user', {id: user, part: name}), 'aria-current': name === part && 'page',
      }, text, this.counts[index]))));
  }

  /**
   * Changes the profile by its form, once it is read, and offers to take that back.
   *
   * @returns {Promise<void>}
   */
  async edit() {
    await this.read;
    const profile = /** @type {Profile} */ (this.own.profile ?? {});
    const changed = await edit(this.head, this.user, profile, this.signal);
    if (!changed) return;
    await this.refresh();
    // Who is let in stays: a choice that was made is not unset.
    const back = changed.filter(name => name !== 'allowType' || profile[name]);
    const kept = back.length < changed.length ? ' Who is let in cannot be unset.' : '';
    if (!back.length) return replace(this.acts.undone, 'The profile is changed.', kept);
    this.acts.offer(`The profile is changed.${kept}`,
      async () => { await write(this.user, profile, back, this.signal); });
  }

  /** Lets the browser keep all that the app has of the user, as `relationctl export-user` does. */
  async save() {
    let text = '';
    const asked = {exportedUserId: this.user};
    for await (const part of stream('MaintenanceService/ExportUser', asked, this.signal)) {
      text += `${JSON.stringify(part)}\n`;
    }
    keep(`${this.user}.jsonl`, 'application/jsonl', text);
  }

  /**
   * The digests of phone numbers and of mail addresses, by which others find the user.
   *
   * @param {Element} place
   */
  async contacts(place) {
    const answer = await this.call('ProfileService/GetContactDigests');
    const {phones = [], emails = []} = answer;
    /** @type {[name: string, kind: string, digests: string[]][]} */
    const kinds = [['phone', 'PHONE', phones], ['mail', 'EMAIL', emails]];
    replace(place, phones.length + emails.length
      ? table('Contact digests', ['Kind', 'Digest'], kinds.flatMap(([name, , digests]) =>
        digests.map(digest => [name, element('code', {}, digest)])))
      : hint('This user has set no digest.'),
    buttons(kinds.map(([name, kind, digests]) => [
      this.acts.own(`Set ${name} digests`, 'ProfileService/SetContactDigests',
        {kind: `CONTACT_KIND_${kind}`, digests}),
      this.acts.own(`Find by ${name} digests`, 'ProfileService/FindContacts',
        {kind: `CONTACT_KIND_${kind}`})])));
  }

  /**
   * @template {keyof Relation.Calls} Name
   * @param {Name} method
   * @param {RequestOf<Name>} [request]
   * @returns {Promise<AnswerOf<Name>>}
   */
  call(method, request) {
    const asked = /** @type {RequestOf<Name>} */ (
      {userId: this.user, ...request});
    return call(method, asked, this.signal);
  }

  /** @param {Element} place */
  async begin(place) {
    replace(place, this.head, element('div', {class: 'two'}, this.content, this.acts.element));
    try {
      const {why, with: other} = this.parameters;
      if (why || other) this.acts.choose(why || other, Boolean(why));
      await (this.read = this.refresh());
    } catch (/** @type {any} */ error) {
      if (error.reason === 'USER_NOT_FOUND') {
        replace(place, hint(`The app has no account ${this.user}. `, element('a',
          {href: address('user', {find: this.user})}, 'Find others by this text')));
        return;
      }
      throw error;
    }
  }

  /** Reads the user, at first and after each write. */
  async refresh() {
    await this.readHead();
    const hadFocus = this.content.contains(document.activeElement);
    await PARTS[this.part][1](this, this.content);
    // The row with the button that was pressed may be gone.
    if (hadFocus && document.activeElement === document.body) this.content.focus();
  }

  async readHead() {
    const [own, chosen, found, {results: [{presence = {}}] = [{}]}, log, ...lists] =
    await Promise.all([
      this.call('ProfileService/GetSelfProfile', {withUnsetFields: true}),
      this.call('ProfileService/GetVisibility'),
      this.call('ProfileService/GetFindSettings'),
      this.call('PresenceService/GetPresence', {userIds: [this.user]}),
      this.call('ChangeService/GetSequence'),
      ...COUNTED.map(name =>
        call(/** @type {string} */ (PARTS[name][2]), {userId: this.user, pageSize: 1},
          this.signal)),
    ]);
    /** @type {Record<string, string | number>} */
    const counts = {log: log.sequence ?? 0};
    COUNTED.forEach((name, index) => {
      counts[name] = lists[index].totalSize ?? 0;
    });
    this.own = own;
    this.presence = presence;
    this.log = log;
    this.chosen = chosen;
    this.found = found;
    const {nick, faceUrl, uniqueId, selfSignature} = own.profile ?? {};
    replace(this.face, portrait(this.user, nick, faceUrl));
    replace(this.name, nick || `User ${this.user}`, element('small', {},
      nick && ` ${this.user}`, uniqueId && ` @${uniqueId}`));
    replace(this.line, state(presence), selfSignature && ` · “${ofBytes(selfSignature)}”`);
    // The links themselves stay: a click or the focus on one is not lost.
    Object.keys(PARTS).forEach((name, index) => {
      if (name in counts) this.counts[index].textContent = ` ${number(counts[name])}`;
    });
  }

  /** Says why a user may use an invitation, or not: of this user, or of another. */
  explained() {
    return asking([`User\n${this.acts.other.value}`, 'Id of the invitation'], 'Explain its use',
      ([fromUserId, invitationId]) => chain('Use the invitation', 'AcceptInvitation',
        'FriendStatus', {fromUserId, invitationId}, this.signal));
  }

  /**
   * A list by pages: a table that grows, up to its bound. Without a request of its own it is one of
   * users, which stand in the first column.
   *
   * @template {keyof Relation.Calls} Name
   * @template {string & keyof Relation.Calls[Name]['answer']} Field
   * @param {Element} place
   * @param {UserList<Name, Field>} list
   */
  async list(place, {method, request, field, name, names, row, none}) {
    let token = '';
    const made = table(name, names, []);
    const body = bodyOf(made);
    await grows(place, made, async () => {
      const asked = /** @type {RequestOf<Name>} */ (
        {...request ?? NAMED, pageSize: PAGE_ROWS, pageToken: token});
      /** @type {Dynamic} */
      const answer = await this.call(method, asked);
      const found = /** @type {any[]} */ (answer[field] ?? []);
      body.append(...rowsOf(found.map(each => request ? row(each) : [
        named(each.userId, each.profile?.nick, each.profile?.faceUrl), ...row(each)])));
      token = answer.nextPageToken;
      const total = Math.max(answer.totalSize ?? 0, body.children.length);
      return {left: Boolean(token), said: total
        ? `${number(body.children.length)} of ${number(total)} shown.` : none};
    });
  }

  /**
   * All friends, those that a choice leaves, or those that a text finds.
   *
   * @param {Element} place
   */
  async friends(place) {
    const field = element('input', {type: 'search', maxlength: 64});
    const answer = await this.call('FriendGroupService/GetFriendGroups');
    const {results = []} = answer;
    const choice = select(Object.entries(CHOICES));
    if (results.length) {
      choice.append(element('optgroup', {label: 'Group'}, options(
        results.slice(0, MOST_GROUPS).map(({name = ''}) => [`group ${name}`, name]))));
    }
    const rows = element('div');
    const read = () => {
      const keyword = field.value.trim();
      const [kind, chosen] = choice.value.split(/ (.*)/s);
      return this.list(rows, {
        method: keyword ? 'FriendService/SearchFriends' : 'FriendService/ListFriends',
        request: {displayOrder: 'DISPLAY_ORDER_FIRST_NAME', ...NAMED,
          ...keyword ? {keyword} : kind && {[kind]: chosen}},
        field: 'friends', name: 'Friends', none: 'There is no such friend.',
        names: ['Friend', 'Remark', 'Groups', 'Marks', 'Since', ''],
        row: ({userId = '', displayName, groups = [], addTimeMs, profile, ...marks}) => [
          named(userId, profile?.nick ?? displayName, profile?.faceUrl), marks.remark || '–',
          groups.join(', ') || '–', marksOf(marks) || '–', when(addTimeMs),
          this.acts.menu(userId, ['delete', 'block', 'follow', 'report'],
            () => this.mark(userId, marks))],
      });
    };
    // A search takes no other choice beside it.
    on(choice, 'change', () => {
      field.value = '';
      read();
    });
    replace(place, formOf(() => {
      if (field.value.trim()) choice.value = '';
      read();
    }, labelled('Name', field), element('button', {}, 'Filter'), ' ',
    labelled('or show', choice)), rows);
    await read();
  }

  /**
   * A button that changes the remark and the marks of a friend, from those that stand.
   *
   * @param {string} userId
   * @param {Partial<Relation.Friend>} friend
   */
  mark(userId, {remark, starred, pinOrder, muteUntilMs, ignored}) {
    return this.acts.own('Remark and marks', 'FriendService/UpdateFriends', {items: [
      {userId, updateMask: MARKS, remark, starred, pinOrder, muteUntilMs, ignored}]});
  }

  /** @param {Element} place */
  async applications(place) {
    const places = [element('div'), element('div')];
    replace(place, places);
    /** @type {[name: string, side: 'COME_IN' | 'SEND_OUT', act: string][]} */
    const sides = [['Received', 'COME_IN', 'answer'], ['Sent', 'SEND_OUT', 'withdraw']];
    await Promise.all(sides.map(([name, side, act], index) =>
      this.list(places[index], {
        method: 'FriendApplicationService/ListApplications', field: 'applications',
        request: {pendencyType: `PENDENCY_TYPE_${side}`}, name, none: `${name}: no application.`,
        names: ['User', 'State', 'Text', 'Made', 'Ended', ''],
        row: ({userId = '', nick, faceUrl, status, wording, addTimeMs, operationTimeMs}) => {
          const waits = status === 'APPLICATION_STATUS_UNHANDLED';
          return [named(userId, nick, faceUrl),
            waits ? 'waits' : lower('ApplicationStatus', status),
            wording || '–', when(addTimeMs), waits ? '–' : when(operationTimeMs),
            this.acts.menu(userId, [...waits ? [act] : [], 'block', 'report'])];
        },
      })));
  }

  /**
   * The groups, each with its first members.
   *
   * @param {Element} place
   */
  async groups(place) {
    const answer = await this.call('FriendGroupService/GetFriendGroups',
      {withMembers: true, pageSize: MOST_NAMES});
    const {results = []} = answer;
    replace(place, results.length ? table('Groups', ['Group', 'Members', 'First members', 'Made'],
      results.slice(0, MOST_GROUPS).map(({name, group = {}, userIds = [], nextPageToken}) => [
        name, number(group.memberCount), [userLinks(userIds), nextPageToken && ' …'],
        when(group.createTimeMs)])) : hint('This user has no group.'),
    results.length > MOST_GROUPS && hint(`${number(results.length - MOST_GROUPS)} are left out.`));
    await nameLinks(place, this.signal);
  }

  /**
   * The log of changes, the latest first: it is read in steps back from its end.
   *
   * @param {Element} place
   */
  async logged(place) {
    const first = Number(this.log.firstSequence ?? 0);
    let low = Number(this.log.sequence ?? 0) + 1;
    const made = table('Changes, the latest first',
      ['Sequence', 'Time', 'Kind', 'Change', 'Actor', 'Request'], []);
    await grows(place, made, async () => {
      const high = low;
      low = Math.max(first, high - PAGE_ROWS);
      const events = [];
      for await (const {rows} of pages('ChangeService/ListChanges', {userId: this.user,
        pageSize: PAGE_ROWS, sinceSequence: String(Math.max(0, low - 1))}, 'events', this.signal)) {
        events.unshift(...rows.filter(({sequence}) => Number(sequence) < high).reverse());
        if (Number(rows.at(-1)?.sequence) >= high - 1) break;
      }
      bodyOf(made).append(...rowsOf(events.map(event => logRow(event, this.signal))));
      return {left: low > first,
        said: first < high ? `The log goes back to ${number(first)}.` : 'The log is empty.'};
    });
  }
}

/**
 * The marks that the user put on a friend, in words.
 *
 * @param {Partial<Relation.Friend>} friend
 */
const marksOf = ({starred, pinOrder, muteUntilMs, ignored}) => [
  starred && 'starred', pinOrder && `pinned ${number(pinOrder)}`,
  Number(muteUntilMs ?? 0) > Date.now() && 'muted', ignored && 'ignored',
].filter(Boolean).join(', ');

/**
 * @param {Relation.ChangeEvent} event
 * @param {AbortSignal} signal
 */
function logRow(event, signal) {
  const {names, more, topics} = about(event, MOST_NAMES);
  return [event.sequence && number(event.sequence), time(event.timeMs),
    kindName(kindOf(event)),
    [KINDS[kindOf(event)] ?? 'another change', userLinks(names), more, topics && ` (${topics})`,
      element('details', {class: 'more'}, element('summary', {}, 'To whom it comes'),
        askingOf(event, signal))],
    event.actorUserId ? userLink(event.actorUserId) : 'not a user',
    [event.requestId ? element('code', {}, event.requestId) : '–',
      event.deviceId && ` from ${event.deviceId}`]];
}
