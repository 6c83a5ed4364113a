// @ts-check
// The circle of a user as the service has it: friends, and others that wait or are blocked.

import {call, pages} from '../shared/api.js';
import {shortName} from '../shared/contract.js';
import {number} from '../shared/dom.js';
import {arranged, bounded, MOST_DRAWN} from './layout.js';
import {path} from './path.js';

/** The rows of a page: the most that the service gives, and that a check takes. */
const PAGE_ROWS = 1_000;
/** The most users that are drawn although they are not friends. */
const MOST_OTHERS = 200;
/** The most friends whose friends in common are kept, and among which all lines are read. */
export const MOST_KEPT = 400;
/** The most lines among friends that are drawn. */
const MOST_LINES = 20_000;
/** The calls for friends in common that run at the same time. */
const AT_ONCE = 6;

/**
 * The states of a user that is drawn, each with its words.
 *
 * @type {Record<RelationState, string>}
 */
export const STATES = {
  both: 'friend both ways', one: 'friend one way', sent: 'has an application of the user',
  received: 'applied to the user', blocked: 'blocked by the user',
  follows: 'followed by the user', follower: 'follows the user',
  mutual: 'follows the user and is followed', step: 'on the path',
  invited: 'by an invitation', invitation: 'an open invitation of the user',
};

/** @param {Dot} node */
export const statesOf = ({state, badges = []}) => [state, ...badges];
/**
 * The states of all that is drawn, in one order: what a legend explains.
 *
 * @param {Dot[]} nodes
 */
export const legend = nodes => /** @type {RelationState[]} */ (Object.keys(STATES))
  .filter(state => nodes.some(node => statesOf(node).includes(state)));
/** @type {(source?: string) => RelationState[]} */
const badgesOf = source => source === 'AddSource_Type_Invite' ? ['invited'] : [];

/** All that is drawn of one user. */
export class Circle {
  /** Friends in common that were read, by the other user. */
  kept = /** @type {Map<string, Common>} */ (new Map());
  /** All that are drawn, by their ids. */
  known = /** @type {Map<string, Dot>} */ (new Map());
  /** The lines to the other user, if there is one. */
  links = /** @type {[Dot, Dot][]} */ ([]);
  /** How far the middle of the drawing is from the user. */
  middle = 0;
  total = 0;
  name = '';
  said = '';
  nodes = /** @type {Dot[]} */ ([]);
  sectors = /** @type {Sector[]} */ ([]);
  radius = 0;
  outer = 0;

  /**
   * @param {string} user
   * @param {AbortSignal} signal
   * @param {string} [other] a user: then only the friends in common with it are drawn
   * @param {string} [to] a user: then only the path to it is drawn
   */
  constructor(user, signal, other = '', to = '') {
    this.user = user;
    this.signal = signal;
    this.other = other;
    this.to = to;
  }

  /**
   * @template {string} Name
   * @param {Name} method
   * @param {RequestOf<Name>} request
   * @returns {Promise<AnswerOf<Name>>}
   */
  ask(method, request, signal = this.signal) {
    return call(method, {userId: this.user, ...request}, signal);
  }

  async read() {
    if (this.to) return this.along(this.to);
    const follows = {pageSize: PAGE_ROWS, withProfiles: true, profileMask: 'nick'};
    const [friends, profiles, blacklist, waiting, following, followers, own] = await Promise.all([
      this.readFriends(),
      this.ask('ProfileService/GetProfiles', {userIds: [this.user], readMask: 'nick'}),
      this.ask('BlacklistService/ListBlacklist', follows),
      this.ask('FriendApplicationService/ListApplications', {pageSize: PAGE_ROWS,
        pendencyType: 'PENDENCY_TYPE_BOTH', statuses: ['APPLICATION_STATUS_UNHANDLED']}),
      this.ask('FollowService/ListFollowing', follows),
      this.ask('FollowService/ListFollowers', follows),
      this.ask('InvitationService/ListInvitations', {pageSize: PAGE_ROWS}),
    ]);
    this.name = profiles.results?.[0].profile?.nick || this.user;
    const {drawn, said} = bounded(this.other ? await this.shared(friends) : friends,
      this.other ? 0 : this.total);
    this.known = new Map(drawn.map(friend => [friend.id, friend]));
    if (this.other) return this.between(drawn);
    for (const {userId = '', nick, pendencyType, source} of waiting.applications ?? []) {
      this.note(userId, pendencyType === 'PENDENCY_TYPE_SEND_OUT' ? 'sent' : 'received', nick,
        badgesOf(source));
    }
    for (const {userId = '', profile} of blacklist.entries ?? []) {
      this.note(userId, 'blocked', profile?.nick);
    }
    this.noteFollows(following.entries, followers.entries);
    for (const {invitationId = '', state, useCount = 0, maxUses} of own.invitations ?? []) {
      // No id of a user has the end of a line.
      if (state === 'INVITATION_STATE_ACTIVE') this.note(`\n${invitationId}`, 'invitation',
        `Invitation, ${number(useCount)} of ${number(maxUses)} used`);
    }
    const others = [...this.known].filter(([, {isOther}]) => isOther);
    const cut = others.splice(MOST_OTHERS);
    for (const [key] of cut) this.known.delete(key);
    const read = [blacklist.entries, waiting.applications, following.entries, followers.entries]
      .reduce((sum, rows) => sum + (rows?.length ?? 0), 0);
    const left = cut.length - read + [blacklist, waiting, following, followers]
      .reduce((sum, {totalSize = 0}) => sum + totalSize, 0);
    const {sectors, radius, outer, nodes} = arranged(drawn, others.map(([, node]) => node));
    this.sectors = sectors;
    this.radius = radius;
    this.outer = outer;
    this.nodes = nodes;
    this.said = left > 0 ? `${said} ${
      number(left)} rows of follows, applications, invitations and the blacklist are left out.`
      : said;
    return this;
  }

  /**
   * Puts the users of the shortest path to another one in a row.
   *
   * @param {string} to
   */
  async along(to) {
    const {ids, said} = await path(this.user, to, this.signal);
    /** @type {Relation.GetProfilesResponse} */
    const {results = []} = ids.length ? await this.ask('ProfileService/GetProfiles',
      {userIds: ids, readMask: 'nick,faceUrl'}) : {};
    /** @type {Dot[]} */
    const all = ids.map((id, index) => ({id, name: results[index]?.profile?.nick || id,
      face: results[index]?.profile?.faceUrl, groups: [], state: 'step', isOther: true,
      x: index * 4, y: 0}));
    this.name = all[0]?.name ?? this.user;
    this.nodes = all.slice(1);
    this.known = new Map(all.map(node => [node.id, node]));
    this.links = this.nodes.map((node, index) => [all[index], node]);
    this.middle = this.nodes.length * 2;
    this.outer = Math.max(this.middle, 2);
    this.said = said;
    return this;
  }

  /**
   * Puts the friends in common between the two users, with lines to both.
   *
   * @param {Dot[]} drawn
   */
  async between(drawn) {
    const {other} = this;
    const answer = await this.ask('ProfileService/GetProfiles',
      {userIds: [other], readMask: 'nick,faceUrl'});
    const {nick, faceUrl} = answer.results?.[0].profile ?? {};
    /** @type {(id: string, name: string, face?: string) => Dot} */
    const end = (id, name, face) =>
      ({id, name, face, groups: [], state: 'both', isOther: true, x: 0, y: 0});
    const [first, last] = [end(this.user, this.name), end(other, nick || other, faceUrl)];
    const {sectors, nodes} = arranged(drawn);
    // Columns of a lens: as wide as the number of friends needs.
    const high = Math.max(3, Math.ceil(Math.sqrt(drawn.length * 1.5)));
    const columns = Math.ceil(drawn.length / high);
    const width = columns * 2.4 + 6;
    nodes.forEach((node, index) => {
      const column = Math.floor(index / high);
      const count = Math.min(high, drawn.length - column * high);
      node.x = 3 + (column + 0.5) * 2.4;
      node.y = (index % high - (count - 1) / 2) * 1.5;
    });
    last.x = width;
    this.sectors = sectors.map(each => ({...each, isHidden: true}));
    this.outer = Math.max(width, high * 1.5) / 2;
    this.middle = width / 2;
    this.nodes = [...nodes, last];
    this.known = new Map(this.nodes.map(node => [node.id, node]));
    this.links = nodes.flatMap(node => /** @type {[Dot, Dot][]} */ ([[last, node], [first, node]]));
    this.said = drawn.length ? `${number(drawn.length)} friends in common with ${last.name}.`
      : `No friend in common with ${last.name}.`;
    return this;
  }

  /**
   * The friends in common with the other user.
   *
   * @param {Dot[]} friends
   */
  async shared(friends) {
    /** @type {Set<string>} */
    const ids = new Set();
    for await (const {rows} of pages('FriendService/ListMutualFriends', {userId: this.user,
      otherUserId: this.other, pageSize: PAGE_ROWS}, 'userIds', this.signal)) {
      for (const id of rows) ids.add(id);
    }
    return friends.filter(({id}) => ids.has(id));
  }

  /**
   * Notes a state of a user, which need not be a friend.
   *
   * @param {string} id
   * @param {RelationState} state
   * @param {string} [name]
   * @param {RelationState[]} [badges]
   */
  note(id, state, name, badges = []) {
    const friend = this.known.get(id);
    if (friend) friend.state = state;
    else this.known.set(id, {id: id.trimStart(), name: name || id, groups: [], state, badges,
      isOther: true, x: 0, y: 0});
  }

  /**
   * Notes who follows whom: of friends as a badge, and of others as their state.
   *
   * @param {Relation.FollowEntry[]} [following]
   * @param {Relation.FollowEntry[]} [followers]
   */
  noteFollows(following = [], followers = []) {
    const mutual = new Set(followers.map(({userId}) => userId));
    const followed = new Set(following.map(({userId}) => userId));
    for (const {userId = '', profile} of [...following, ...followers]) {
      const state = !followed.has(userId) ? 'follower' : mutual.has(userId) ? 'mutual' : 'follows';
      const known = this.known.get(userId);
      if (!known) this.note(userId, state, profile?.nick);
      else if (!statesOf(known).includes(state)) {
        known.badges = [...known.badges ?? [], state];
      }
    }
  }

  /** Reads the friends by pages; each page is checked for its other side meanwhile. */
  async readFriends() {
    const checks = /** @type {Promise<void>[]} */ ([]);
    const friends = /** @type {Dot[]} */ ([]);
    for await (const {rows, answer} of pages('FriendService/ListFriends', {
      userId: this.user, pageSize: PAGE_ROWS, displayOrder: 'DISPLAY_ORDER_FIRST_NAME',
      readMask: 'userId,groups,addTimeMs,displayName,profile,source', withProfiles: true,
      profileMask: 'faceUrl'}, 'friends', this.signal)) {
      this.total = answer.totalSize ?? 0;
      /** @type {Dot[]} */
      const page = rows.map(({userId = '', displayName, groups = [], addTimeMs, profile,
        source}) => ({id: userId, name: displayName || userId, groups, addTimeMs,
        face: profile?.faceUrl, state: 'both', badges: badgesOf(source), x: 0, y: 0}));
      friends.push(...page);
      if (page.length) checks.push(this.check(page));
      if (friends.length >= MOST_DRAWN) break;
    }
    await Promise.all(checks);
    return friends;
  }

  /** @param {Dot[]} friends */
  async check(friends) {
    const answer = await this.ask('FriendService/CheckFriends', {
      userIds: friends.map(({id}) => id), checkType: 'CHECK_TYPE_BIDIRECTION'});
    answer.results?.forEach(({relation = ''}, index) => {
      if (shortName('FriendRelation', relation) === 'MY_UNI') friends[index].state = 'one';
    });
  }

  /**
   * The friends that the user and another have in common: their number, and a thousand of them.
   *
   * @param {string} id
   * @param {AbortSignal} [signal]
   */
  async common(id, signal) {
    const before = this.kept.get(id);
    if (before) return before;
    const answer = await this.ask('FriendService/ListMutualFriends',
      {otherUserId: id, pageSize: PAGE_ROWS}, signal);
    const found = {ids: answer.userIds ?? [], total: answer.totalSize ?? 0};
    this.kept.set(id, found);
    if (this.kept.size > MOST_KEPT) this.kept.delete([...this.kept.keys()][0]);
    return found;
  }

  get friends() {
    return this.nodes.filter(({isOther}) => !isOther);
  }

  /** The pairs of friends that are friends of one another, and how many are left out. */
  async lines() {
    const queue = this.friends.values();
    /** @type {Map<string, [Dot, Dot]>} */
    const found = new Map();
    await Promise.all(Array.from({length: AT_ONCE}, async () => {
      for (const friend of queue) {
        for (const id of (await this.common(friend.id)).ids) {
          const other = this.known.get(id);
          // A pair comes from both its sides.
          if (other) found.set([friend.id, id].sort().join('\n'), [friend, other]);
        }
      }
    }));
    const all = [...found.values()];
    return {drawn: all.slice(0, MOST_LINES), left: Math.max(0, all.length - MOST_LINES)};
  }
}
