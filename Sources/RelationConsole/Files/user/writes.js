// @ts-check
// The acts of a user on another: each is a dialog with a dry run, and then the write.

import {tellError, userLink} from '../shared/shell.js';
import {call} from '../shared/api.js';
import {contract, shortName} from '../shared/contract.js';
import {element, labelled, replace} from '../shared/dom.js';
import {operate} from '../shared/operation.js';

/** @typedef {(other: string) => Dynamic} Asked the fields of a request for the other user */

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
/** Fields that the dialog leaves out; the page Try has them. */
const HIDES = ['user_id', 'force', 'items[0].custom', 'items[0].source'];

/** @type {Record<string, string>} */
const RELATIONS = {
  NONE: 'neither has the other as a friend', BOTH_WAY: 'each has the other as a friend',
  MY_UNI: 'this user has the other as a friend, not so the other',
  OTHER_UNI: 'the other has this user as a friend, not so this user',
};

/** The place where a user acts; `done` is called after each write that was made. */
export class Acts {
  other = element('input', {autocomplete: 'off', spellcheck: 'false', maxlength: 64,
    'aria-describedby': 'acts-fault acts-relation', on: {change: () => this.look()}});
  fault = element('p', {class: 'bad', id: 'acts-fault', role: 'alert'});
  relation = element('p', {class: 'hint', id: 'acts-relation', role: 'status'});

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
      element('p', {class: 'buttons'}, Object.entries(ACTS).map(([act, [name]]) =>
        element('button', {type: 'button', on: {click: () => this.begin(act)}}, `${name} …`))),
      // They come and go below the buttons, which so stay where the pointer is.
      this.fault, this.relation);
  }

  /**
   * A button in a row of a list, for an act on the user of that row.
   *
   * @param {string} act
   * @param {string} other
   * @param {string} name
   */
  button(act, other, name) {
    return element('button', {type: 'button', class: 'small', 'aria-label': `${name} ${other}`,
      on: {click: () => {
        this.other.value = other;
        this.begin(act);
      }}}, `${name} …`);
  }

  /** @param {string} fault */
  say(fault) {
    this.fault.textContent = fault;
    this.other.setAttribute('aria-invalid', String(fault !== ''));
  }

  /** @param {string} act */
  async begin(act) {
    const other = this.other.value.trim();
    this.say(other ? '' : 'Give the id of the other user.');
    if (!other) return this.other.focus();
    const [name, path, request] = ACTS[act];
    await this.open(path, request(other), `${name}: user ${this.user} acts on user ${other}.`);
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
    return element('button', {type: 'button', class: text !== name && 'small', 'aria-label': name,
      on: {click: () => this.open(path, request)}}, `${text} …`);
  }

  /**
   * @param {string} path
   * @param {Dynamic} request
   * @param {string} [say]
   */
  async open(path, request, say) {
    try {
      const made = await operate(this.element, await contract(), path, {
        request: {userId: this.user, ...request}, hides: HIDES, say}, this.signal);
      if (this.signal.aborted) return;
      this.look();
      if (made) await this.done();
    } catch (error) {
      if (!this.signal.aborted) tellError(error);
    }
  }

  /** Says how the two stand to each other. */
  async look() {
    const other = this.other.value.trim();
    this.say('');
    replace(this.relation);
    if (!other) return;
    try {
      const answer = await call('FriendService/GetRelations',
        {userId: this.user, userIds: [other]}, this.signal);
      const [card] = answer.results ?? [];
      if (other !== this.other.value.trim()) return;
      const code = shortName('FriendStatus', card.code);
      if (code !== 'SUCC') return this.say(`${code}: no account of the app has this id.`);
      replace(this.relation, userLink(other), ': ', [
        RELATIONS[shortName('FriendRelation', card.relation)],
        card.blacklisted && 'this user blocks the other',
        card.blacklistedBy && 'the other blocks this user',
        card.sent && 'an application to the other waits',
        card.received && 'an application of the other waits',
      ].filter(Boolean).join('; '), '.');
    } catch (error) {
      if (!this.signal.aborted) tellError(error);
    }
  }
}
