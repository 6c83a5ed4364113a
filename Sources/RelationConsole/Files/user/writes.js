// @ts-check
// The acts of a user on another: each is a dialog with a dry run, and then the write.

import {link, userLink} from '../shared/shell.js';
import {call, requestId, stream} from '../shared/api.js';
import {contract, shortName} from '../shared/contract.js';
import {buttons, element, labelled, number, press, replace} from '../shared/dom.js';
import {operate} from '../shared/operation.js';
import {chain, RELATIONS} from './explain.js';
import {find, nameLinks} from './people.js';

/** @type {Asked} */
const ids = other => ({userIds: [other]});
/** @type {(more: Dynamic) => Asked} */
const item = more => other => ({items: [{userId: other, ...more}]});

/**
 * Each act: its words, its call, and its request for the other user.
 *
 * @type {Record<string, [name: string, path: string, request: Asked]>}
 */
const ACTS = {
  add: ['Add a friend', 'FriendService/AddFriends', item({})],
  delete: ['Delete a friend', 'FriendService/DeleteFriends', ids],
  block: ['Block', 'BlacklistService/AddToBlacklist', ids],
  unblock: ['Unblock', 'BlacklistService/RemoveFromBlacklist', ids],
  answer: ['Answer an application', 'FriendApplicationService/RespondToApplications',
    item({responseType: 'FRIEND_RESPONSE_TYPE_AGREE_AND_ADD'})],
  withdraw: ['Take an application back', 'FriendApplicationService/WithdrawApplications', ids],
  follow: ['Follow', 'FollowService/Follow', ids],
  unfollow: ['Unfollow', 'FollowService/Unfollow', ids],
  dismiss: ['Dismiss a suggestion', 'FriendService/DismissSuggestions', ids],
  restore: ['Suggest again', 'FriendService/RestoreSuggestions', ids],
  report: ['Report', 'ModerationService/ReportUser', other => (
    {reportedUserId: other, category: 'REPORT_CATEGORY_OTHER'})],
};
/** @type {Words} */
const BACK = {block: 'unblock', unblock: 'block', follow: 'unfollow', unfollow: 'follow',
  dismiss: 'restore', restore: 'dismiss'};
/** Fields that the dialog leaves out; the API explorer has them. */
const HIDES = ['user_id', 'force', 'items[0].custom', 'items[0].source', 'items[0].update_mask'];

/** Each call that is explained: its words, and the enum of its code. */
const EXPLAINED = /** @type {const} */ ([
  ['Send a message', 'Send', 'SendStatus'],
  ['Add as a friend', 'AddFriend', 'FriendStatus'],
  ['Accept the application', 'Respond', 'FriendStatus'],
  ['Follow', 'Follow', 'FollowStatus'],
  ['Block', 'Block', 'FriendStatus'],
  ['Check the friendship', 'CheckFriend', 'FriendStatus'],
]);
/** The place where a user acts; `done` is called after each write that was made. */
export class Acts {
  other = element('input', {maxlength: 64,
    'aria-describedby': 'acts-error acts-relation', change: () => this.look()});
  error = element('p', {class: 'bad', id: 'acts-error', role: 'alert'});
  relation = element('p', {class: 'hint', id: 'acts-relation', role: 'status'});
  ladders = element('div');
  undone = element('p', {class: 'undo', role: 'status'});
  /** The menu of a row, which is filled when it opens. */
  list = element('div', {class: 'menu', popover: 'auto', click: () => this.hide()});

  /**
   * @param {string} user
   * @param {AbortSignal} signal
   * @param {() => Promise<void>} done
   */
  constructor(user, signal, done) {
    this.user = user;
    this.signal = signal;
    this.done = done;
    this.element = element('section', {class: 'acts'}, element('h2', {}, `Act as user ${user}`),
      labelled('Other user', this.other),
      buttons(Object.entries(ACTS).map(([act, [name]]) =>
        press({click: () => this.begin(act)}, `${name} …`))),
      // They come and go below the buttons, which so stay where the pointer is.
      this.error, this.relation, this.ladders, this.undone, this.list);
  }

  hide() {
    /** @type {Dynamic} */ (this.list).hidePopover();
  }

  /**
   * The button of a row, which opens all that can be done with the user of that row.
   *
   * @param {string} other
   * @param {string[]} acts
   * @param {() => Child} [more]
   */
  menu(other, acts, more = () => null) {
    const button = press({class: 'small', 'aria-haspopup': 'true',
      'aria-label': `Actions for ${other}`, click: () => {
        replace(this.list, press({click: () => {
          this.choose(other, true);
          this.element.scrollIntoView({block: 'nearest'});
        }}, 'Explain what it may do'), more(),
          acts.map(act => this.button(act, other, ACTS[act][0])),
          userLink(other, 'Open the user'),
          link('user', {id: this.user, part: 'history', with: other},
            'History of the two'),
          link('graph', {id: other}, 'In the graph'),
          link('graph', {id: this.user, to: other}, 'Path to the user'),
          link('user', {id: other, part: 'seen', as: this.user},
            `As seen by ${this.user}`));
        /** @type {Dynamic} */ (this.list).showPopover();
        const {clientWidth} = document.documentElement;
        const {left, bottom, top} = button.getBoundingClientRect();
        const {offsetWidth: width, offsetHeight: height} = this.list;
        this.list.style.left = `${Math.max(0, Math.min(left, clientWidth - width - 8))}px`;
        this.list.style.top = `${bottom + height > innerHeight ? Math.max(0, top - height)
          : bottom}px`;
        /** @type {HTMLElement | null} */ (this.list.querySelector('button, a'))?.focus();
      }}, 'Actions');
    return button;
  }

  /**
   * A button in a row of a list, for an act on the user of that row.
   *
   * @param {string} act
   * @param {string} other
   * @param {string} name
   */
  button(act, other, name) {
    return press({class: 'small', 'aria-label': `${name} ${other}`,
      click: () => {
        this.other.value = other;
        this.begin(act);
      }}, `${name} …`);
  }

  /** @param {string} error */
  say(error) {
    this.error.textContent = error;
    this.other.ariaInvalid = String(error !== '');
  }

  /** @param {string} act */
  async begin(act) {
    const other = this.other.value.trim();
    this.say(other ? '' : 'Give the id of the other user.');
    if (!other) return this.other.focus();
    const [name, path, request] = ACTS[act];
    // These end a friendship.
    const before = ['delete', 'block'].includes(act) ? await this.friendship(other) : [];
    const made = await this.open(path, request(other),
      `${name}: user ${this.user} acts on user ${other}.`);
    if (!made || !BACK[act] && !before.length) return;
    this.offer(`${name}: ${other}.`, async () => {
      if (BACK[act]) {
        const [, back, asked] = ACTS[BACK[act]];
        await call(back, {userId: this.user, ...asked(other), options: {requestId: requestId()}},
          this.signal);
      }
      await this.bringBack(before);
    });
  }

  /**
   * The rows of a friendship, of both its sides, as an import takes them.
   *
   * @param {string} other
   * @returns {Promise<Relation.FriendRow[]>}
   */
  async friendship(other) {
    const pairs = [[this.user, other], [other, this.user]];
    const read = await Promise.all(pairs.map(([userId, id]) =>
      call('FriendService/GetFriends', {userId, userIds: [id]}, this.signal)
        .catch(() => ({results: undefined}))));
    return read.flatMap(({results}, index) => {
      const entry = results?.[0]?.friendEntry;
      if (!entry) return [];
      // These are not fields of a row.
      const {groups, sequence, displayName, section, profile, ...row} = entry;
      return {...row, userId: pairs[index][0], friendUserId: pairs[index][1],
        groups: {values: groups}};
    });
  }

  /** @param {Relation.FriendRow[]} rows */
  async bringBack(rows) {
    if (!rows.length) return;
    const asked = rows.map((row, index) => index ? {row} : {row, notify: true});
    for await (const {row} of stream('MaintenanceService/ImportFriends', asked, this.signal)) {
      if (row?.info) throw new Error(row.info);
    }
  }

  /**
   * Offers to take back what was done, until the next act.
   *
   * @param {string} text
   * @param {() => Promise<void>} undo
   */
  offer(text, undo) {
    const button = press({click: async () => {
      button.disabled = true;
      await undo().finally(() => { button.disabled = false; });
      replace(this.undone, 'Taken back.');
      await this.done();
    }}, 'Undo');
    replace(this.undone, text, ' ', button);
  }

  /**
   * A button for a write of the user about itself.
   *
   * @param {string} name
   * @param {string} path
   * @param {Dynamic} request
   * @param {string} [text] shown in place of the name
   */
  own(name, path, request, text = name) {
    return press({class: text !== name && 'small', 'aria-label': name,
      click: () => this.open(path, request)}, `${text} …`);
  }

  /**
   * @param {string} path
   * @param {Dynamic} request
   * @param {string} [say]
   * @returns {Promise<boolean>} whether it was done
   */
  async open(path, request, say) {
    const made = await operate(this.element, await contract(), path, {
      request: {userId: this.user, ...request}, hides: HIDES, say}, this.signal);
    if (this.signal.aborted) return false;
    this.look();
    if (made) {
      replace(this.undone);
      await this.done();
    }
    return made?.results?.every((/** @type {Dynamic} */ {code}) => /_SUCC$/.test(code)) ?? false;
  }

  /**
   * Says how the two stand to each other, or which users may be meant.
   *
   * @returns {Promise<void>}
   */
  async look() {
    const other = this.other.value.trim();
    this.say('');
    replace(this.relation);
    replace(this.ladders);
    if (!other) return;
    const asked = {userId: this.user, userIds: [other]};
    const [answer, mutual] = await Promise.all([
      call('FriendService/GetRelations', asked, this.signal),
      call('FriendService/GetMutualFriendCounts', asked, this.signal)]);
    const [card] = answer.results ?? [];
    const {mutualCount = 0, bounded} = mutual.results?.[0] ?? {};
    if (other !== this.other.value.trim()) return;
    const code = shortName('FriendStatus', card.code);
    if (code !== 'SUCC') {
      const {hits} = await find(other, '', this.signal);
      if (other !== this.other.value.trim()) return;
      if (!hits.length) return this.say('No account of the app has this id or name.');
      replace(this.relation, 'Users with such a name: ', hits.map(({id, name}) => [
        press({class: 'small', click: () => this.choose(id)},
          `${name} ${id}`), ' ']));
      return;
    }
    replace(this.relation, userLink(other), ': ', [
      RELATIONS[shortName('FriendRelation', card.relation)],
      card.blacklisted && 'this user blocks the other',
      card.blacklistedBy && 'the other blocks this user',
      card.sent && 'an application to the other waits',
      card.received && 'an application of the other waits',
      mutualCount > 0 && `common friends: ${number(mutualCount)}${bounded ? ' or more' : ''}`,
    ].filter(Boolean).join('; '), '.');
    nameLinks(this.relation, this.signal);
    replace(this.ladders, buttons(
      press({class: 'small', click: () => this.explain(other)}, 'Explain'),
    link('user', {id: this.user, part: 'history', with: other},
      'History of the two')));
  }

  /**
   * Shows why this user may do each of these to the other, or not.
   *
   * @param {string} other
   */
  async explain(other) {
    const pair = {fromUserId: this.user, toUserId: other};
    const found = await Promise.all(EXPLAINED.map(([name, path, status], index) =>
      chain(name, path, status, pair, this.signal, index === 0)));
    if (other !== this.other.value.trim()) return;
    replace(this.ladders, found, element('p', {}, link('user',
      {id: other, why: this.user}, `May ${other} do so to ${this.user}?`)));
  }

  /**
   * Chooses the other user.
   *
   * @param {string} other
   * @param {boolean} explains whether to explain the two at once
   */
  async choose(other, explains = false) {
    this.other.value = other;
    await this.look();
    if (explains) await this.explain(other);
  }
}
