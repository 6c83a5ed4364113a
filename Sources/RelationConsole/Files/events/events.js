// @ts-check
// The live feed of a user, or of the whole app.

import {address, errorText, link, notifyError, userLink, userLinks} from '../shared/shell.js';
import {call, caller, stream} from '../shared/api.js';
import {lower} from '../shared/contract.js';
import {element, formOf, labelled, number, on, press, replace, time} from '../shared/dom.js';
import {kindName} from '../shared/labels.js';
import {askingOf, labelOf} from '../user/explain.js';
import {nameLinks} from '../user/people.js';
import {follow} from './feed.js';

export const title = 'Events';

/** The most events that are kept; the oldest are dropped, and the page says how many. */
const MOST_EVENTS = 300;
/** The events from before that are shown at once. */
const PAST_EVENTS = 50;
/** The most users that one event names; its details have the others. */
const MOST_NAMES = 6;
/** The most characters of the details of one event. */
const MOST_CHARACTERS = 20_000;

/**
 * Each kind with the words for it: what stands between the user and the others.
 *
 * @type {Record<string, string>}
 */
export const KINDS = {
  ADD_FRIEND: 'has new friends', DEL_FRIEND: 'lost friends',
  ADD_FRIEND_REQ: 'has a new application', DEL_FRIEND_REQ: 'has one application less',
  ADD_BLACKLIST: 'blacklisted', DEL_BLACKLIST: 'took off the blacklist',
  PENDENCY_REPORT: 'read the applications', SNS_PROFILE_CHANGE: 'changed the entries of friends',
  GROUP_CREATED: 'made groups', GROUP_DELETED: 'deleted groups', GROUP_RENAMED: 'renamed a group',
  GROUP_MEMBERS_CHANGED: 'changed the members of groups',
  LIST_CHANGED: 'friend list changed, by an import or a repair',
  PROFILE_CHANGE: 'changed the profile', VISIBILITY_CHANGED: 'changed who may read the profile',
  SUBSCRIPTION_CHANGED: 'changed subscriptions', SUBSCRIPTION_EXPIRED: 'lost subscriptions',
  FOLLOWING_CHANGED: 'follows others', FOLLOWERS_CHANGED: 'has other followers',
  PRESENCE: 'came or went, or changed its status', STATUS_CHANGED: 'set the custom status',
  CONSENT_CHANGED: 'answered client apps', FIND_SETTINGS_CHANGED: 'chose who may find the user',
  INVITATION_CHANGED: 'has invitations that changed',
  DISMISSALS_CHANGED: 'has dismissed suggestions that changed',
  REVERSE_FRIENDS_CHANGED: 'is the friend of others, or is not any more',
  SUSPENSION_CHANGED: 'was suspended, or is not any more',
  RISK_MARKED: 'made an application that carries a risk',
  USER_REPORTED: 'reported another user', REPORT_RESOLVED: 'has a report that was closed',
  REVIEW_ASKED: 'has new values under review', REVIEW_DECIDED: 'has reviews that ended',
  ACCOUNT_CREATED: 'is an account now', ACCOUNT_DELETED: 'is no longer an account',
};
/**
 * How a state of the stream looks, unless it is of no weight.
 *
 * @type {Partial<Record<StreamState, string>>}
 */
const LOOKS = {live: 'good', ended: 'bad', waiting: 'warn'};
/**
 * The part of a user's page that has what an event changed, by the beginning of its kind.
 *
 * @type {[begin: RegExp, part: string][]}
 */
const OPENS = [
  [/^(ADD_FRIEND_REQ|DEL_FRIEND_REQ|PENDENCY|RISK)/, 'applications'],
  [/^(ADD_FRIEND|DEL_FRIEND|SNS|LIST)/, 'friends'], [/BLACKLIST$/, 'blacklist'],
  [/^GROUP/, 'groups'], [/^SUBSCRIPTION/, 'subscriptions'], [/^REVERSE/, 'reverse'],
];
/** Kinds that are of the stream, and of no user. */
const OF_THE_STREAM = new Set(['STATE', 'SYNC_COMPLETED', 'RESYNC']);

/** @param {Relation.ChangeEvent} event */
export const kindOf = event => (event.kind ?? 'UNSPECIFIED').toString().replace('CHANGE_KIND_', '');

/**
 * What an event and its entry in the history have in common.
 *
 * @param {Relation.ChangeEvent} event
 */
const keyOf = event => `${kindOf(event)} ${event.timeMs} ${event.userId}`;

/** @type {Show} */
export async function show(place, parameters, signal) {
  const page = new EventsPage(parameters.user ?? '', signal);
  const kinds = (parameters.kinds ?? parameters.kind ?? '').split(',');
  page.only = new Set(kinds.filter(kind => Object.hasOwn(KINDS, kind)));
  replace(place, page.controls(), page.stateLine, page.snapshot, page.status, page.list);
  page.draw();
  await page.run();
}

class EventsPage {
  paused = false;
  dropped = 0;
  held = 0;
  events = /** @type {Entry[]} */ ([]);
  /** The kinds that are shown; none means all. */
  only = /** @type {Set<string>} */ (new Set());
  /** The keys of the events that came live, which the past repeats. */
  known = /** @type {Set<string>} */ (new Set());
  hasPast = false;
  /** The number of rows of each type in the present state. */
  rows = /** @type {Map<string, number>} */ (new Map());
  stateLine = element('p', {class: 'state', role: 'status'});
  snapshot = element('p', {class: 'hint snapshot'});
  status = element('p', {class: 'hint'});
  list = element('ol', {class: 'events', 'aria-label': 'Events, the newest first'});
  stateKey = '';
  word = /** @type {StreamState | null} */ (null);

  /**
   * @param {string} user
   * @param {AbortSignal} signal
   */
  constructor(user, signal) {
    this.user = user;
    this.signal = signal;
  }

  /**
   * The token of the last event, for this tab: a page that is loaded again goes on from it.
   *
   * @returns {Token}
   */
  token() {
    const key = `relation.feed/${caller().app}/${this.user}`;
    return {
      get: () => sessionStorage.getItem(key) ?? '',
      set: value => value ? sessionStorage.setItem(key, value) : sessionStorage.removeItem(key),
    };
  }

  controls() {
    const user = element('input', {value: this.user,
      placeholder: 'empty: the whole app'});
    const pause = press({'aria-pressed': 'false'}, 'Pause');
    on(pause, 'click', () => {
      this.paused = !this.paused;
      pause.textContent = this.paused ? 'Go on' : 'Pause';
      pause.ariaPressed = String(this.paused);
      this.draw();
    });
    const clear = press({click: () => {
      this.dropped = 0;
      this.held = 0;
      this.events = [];
      replace(this.list);
      this.draw();
    }}, 'Clear the list');
    const again = press({click: () => {
      this.token().set('');
      location.reload();
    }}, 'Restart');
    return formOf(() => {
      location.hash = address('events', user.value.trim() ? {user: user.value.trim()} : {});
    }, element('div', {class: 'bar'}, labelled('User', user),
      element('button', {}, 'Follow'), this.kinds(), pause, clear, again));
  }

  /** A choice of kinds; the events of other kinds are kept and counted. */
  kinds() {
    const status = element('summary');
    const update = () => replace(status, 'Kinds: ',
      [...this.only].map(kindName).join(', ') || 'all');
    const boxes = Object.keys(KINDS).map(kind => {
      const box = element('input', {type: 'checkbox', checked: this.only.has(kind)});
      on(box, 'change', () => {
        if (box.checked) this.only.add(kind);
        else this.only.delete(kind);
        update();
        this.draw();
      });
      return element('label', {title: kind}, box, ` ${kindName(kind)}`);
    });
    update();
    return element('details', {class: 'kinds'}, status, element('div', {}, boxes));
  }

  /**
   * The last changes of the app, as its history keeps them: logs are of single users.
   *
   * @returns {Promise<Relation.ChangeEvent[]>} the latest first
   */
  async pastOfApp() {
    const {entries, totalSize} = await call('MaintenanceService/ListHistory',
      {pageSize: PAST_EVENTS}, this.signal);
    replace(this.snapshot, totalSize
      ? 'The feed begins with the latest of the history.'
      : ['The feed begins now: the app keeps no history. Set “History days” for the latest. ',
        link('apps', {part: 'settings'}, 'Settings')]);
    /** @type {Map<string, Relation.ChangeEvent>} */
    const events = new Map();
    for (const {timeMs, actorUserId, changes = []} of entries ?? []) {
      for (const {kind, ownerUserId, otherUserId, profileFields, groupAfter, groupBefore}
        of changes) {
        /** @type {Relation.ChangeEvent} */
        const event = {kind, userId: ownerUserId, timeMs, actorUserId, items: []};
        const held = events.get(keyOf(event)) ?? event;
        held.items?.push({userId: otherUserId, fields: profileFields,
          group: {name: groupAfter || groupBefore}});
        events.set(keyOf(event), held);
      }
    }
    return [...events.values()];
  }

  /** Shows the last events from before, below those that came live. */
  async past() {
    if (this.hasPast) return;
    this.hasPast = true;
    const events = this.user ? await this.pastOfUser() : await this.pastOfApp();
    for (const event of events) {
      if (this.known.has(keyOf(event))) continue;
      const kind = kindOf(event);
      const entry = {event, kind, row: row({event, kind}, this.signal)};
      entry.row.classList.add('past');
      this.events.push(entry);
      this.list.append(entry.row);
    }
    this.draw();
  }

  /** @returns {Promise<Relation.ChangeEvent[]>} the last events of the user, the latest first */
  async pastOfUser() {
    const {signal, user} = this;
    const {sequence = '0'} = await call('ChangeService/GetSequence', {userId: user}, signal);
    const since = Math.max(0, Number(sequence) - PAST_EVENTS);
    const answer = await call('ChangeService/ListChanges',
      {userId: user, sinceSequence: String(since), pageSize: PAST_EVENTS}, signal);
    if (answer.resync) this.note('The log of the user does not reach back so far.');
    return (answer.events ?? []).reverse();
  }

  async run() {
    const {signal} = this;
    const token = this.token();
    if (token.get()) this.snapshot.textContent = 'Goes on after the last event of this tab.';
    try {
      if (!this.user && !token.get()) await this.beginApp(token);
      await follow(this.user ? {userId: this.user} : {app: true}, token,
        message => this.seen(message), (word, more) => {
          this.showState(word, more);
          // What comes while the past is read is known already when it arrives.
          if (word === 'live') this.past().catch(error => signal.aborted || notifyError(error));
        }, signal);
    } catch (/** @type {any} */ error) {
      if (signal.aborted) return;
      this.showState('ended', {error});
      notifyError(error);
    }
  }

  /**
   * Takes the token of the present moment. The present state of an app is all its rows, and that of
   * one user is few; the token of either is good for both.
   *
   * @param {Token} token
   */
  async beginApp(token) {
    const {signal} = this;
    this.showState('connecting');
    const {accounts} = await call('AccountService/ListAccounts', {pageSize: 1}, signal);
    if (!accounts?.length) return;
    /** @type {Relation.WatchRequest} */
    const request = {userId: accounts[0].userId, kinds: ['CHANGE_KIND_CONSENT_CHANGED']};
    for await (const {resumeToken} of stream('ChangeService/Watch', request, signal)) {
      if (!resumeToken) continue;
      token.set(resumeToken);
      return;
    }
  }

  /**
   * @param {StreamState} word
   * @param {More} more
   */
  showState(word, {seconds = 0, lost = '', now, error} = {}) {
    const key = `${word} ${seconds}`;
    if (key === this.stateKey) return;
    this.stateKey = key;
    // While it counts down, the button stays as it is: it may have the focus, or be clicked.
    const isCounting = word === 'waiting' && this.word === word;
    this.word = word;
    const kind = LOOKS[word] ?? '';
    const text = {
      live: 'live', connecting: 'connecting', state: 'reading the present state',
      waiting: `waiting ${seconds} s to connect again`, ended: 'ended',
      forgotten: 'the server does not know the place any more; starting again',
    }[word];
    if (isCounting) {
      const shown = this.stateLine.querySelector('strong');
      if (shown) shown.textContent = text;
      return;
    }
    replace(this.stateLine, element('span', {class: kind, 'aria-hidden': 'true'}, '●'),
      ' ', element('strong', {class: kind}, text),
      lost && ` – ${lost}`, error && ` – ${errorText(error)}`,
      now && [' ', press({click: now}, 'Connect now')],
      error && [' ', press({click: () => this.run()},
        'Connect again')]);
  }

  /** @param {Relation.WatchResponse} message */
  seen({event}) {
    if (!event) return;
    const kind = kindOf(event);
    if (kind === 'RESYNC') {
      this.rows.clear();
      this.note('The server does not know all events since. The present state follows.');
    } else if (kind === 'STATE' || kind === 'SYNC_COMPLETED') {
      const type = (event.syncType ?? '').replace('SYNC_TYPE_', '').toLowerCase();
      this.rows.set(type, (this.rows.get(type) ?? 0) + (event.items?.length ?? 0));
      this.showRows();
    }
    if (OF_THE_STREAM.has(kind)) return;
    if (this.hasPast && this.shows(event)) return;
    this.known.add(keyOf(event));
    this.add({event, kind});
  }

  showRows() {
    const known = [...this.rows].filter(([, count]) => count > 0)
      .map(([type, count]) => `${type}: ${number(count)}`);
    // A feed that goes on gets no state, and has said so.
    if (!known.length && this.snapshot.textContent) return;
    this.snapshot.textContent =
      `The feed began with the present state: ${known.join(', ') || 'nothing is stored'}.`;
  }

  /** @param {string} text */
  note(text) {
    this.add({kind: 'NOTE', text});
  }

  /**
   * Whether the past has an event already.
   *
   * @param {Relation.ChangeEvent} event
   */
  shows(event) {
    return this.events.some(entry => entry.row?.classList.contains('past') && entry.event &&
      keyOf(entry.event) === keyOf(event));
  }

  /** @param {Entry} entry */
  add(entry) {
    this.events.unshift(entry);
    if (this.events.length > MOST_EVENTS) {
      const [gone] = this.events.splice(MOST_EVENTS);
      gone.row?.remove();
      this.dropped += 1;
    }
    if (this.paused) this.held += 1;
    this.draw();
  }

  /** @param {Entry} entry */
  hides({kind}) {
    return this.only.size > 0 && !this.only.has(kind) && kind !== 'NOTE';
  }

  /** Puts new rows on top, hides those of other kinds, and says what is left out. */
  draw() {
    if (!this.paused) {
      this.held = 0;
      for (const entry of this.events.filter(({row}) => !row).reverse()) {
        entry.row = row(entry, this.signal);
        this.list.prepend(entry.row);
      }
      for (const entry of this.events) if (entry.row) entry.row.hidden = this.hides(entry);
      nameLinks(this.list, this.signal).catch(error => this.signal.aborted || notifyError(error));
    }
    const hidden = this.events.filter(entry => this.hides(entry)).length;
    this.status.textContent = [
      this.events.length ? `${number(this.events.length)} events`
        : `No event yet. Change something about ${
          this.user || 'a user'}, and it appears here at once`,
      hidden && `${number(hidden)} of other kinds`,
      this.paused && `paused, ${number(this.held)} new ones wait`,
      this.dropped && `the oldest ${number(this.dropped)} were dropped: the page keeps ${
        number(MOST_EVENTS)}`,
    ].filter(Boolean).join('; ');
  }
}

/**
 * The users that an event is about, besides its own.
 *
 * @param {Relation.ChangeEvent} event
 */
function others(event) {
  const names = (event.items ?? []).flatMap(item => [
    item.friendEntry?.userId, item.application?.userId, item.blacklistEntry?.userId,
    item.subscription?.userId, item.presence?.userId, item.userId,
    ...item.addedUserIds ?? [], ...item.removedUserIds ?? [],
  ]);
  return [...new Set(names)].flatMap(name => name && name !== event.userId ? name : []);
}

/**
 * Groups, fields, permissions and marks of risks that an event names.
 *
 * @param {Relation.ChangeEvent} event
 */
function things(event) {
  return (event.items ?? []).flatMap((
    {group, oldGroupName, fields = [], permission, riskMarks = []}) => [
    group && (oldGroupName ? `${oldGroupName} → ${group.name}` : group.name),
    ...fields.map(path => labelOf(path).toLowerCase()),
    permission?.name, ...riskMarks.map(mark => lower('RiskMark', mark)),
  ]).flatMap(name => name || []);
}

/**
 * The first of both, with how many users are left out.
 *
 * @param {Relation.ChangeEvent} event
 * @param {number} most
 */
export function about(event, most) {
  const names = others(event);
  return {names: names.slice(0, most), topics: things(event).slice(0, most).join(', '),
    more: names.length > most && ` and ${number(names.length - most)} more`};
}

/**
 * @param {Entry} entry
 * @param {AbortSignal} signal
 */
function row({event, kind, text}, signal) {
  if (!event) return element('li', {class: 'note warn'}, text);
  const {names, more, topics} = about(event, MOST_NAMES);
  const details = element('div', {hidden: true});
  const open = press({class: 'small', 'aria-expanded': 'false',
    'aria-label': `Details of ${kindName(kind)} ${event.sequence ?? ''}`}, 'Details');
  on(open, 'click', () => {
    details.hidden = !details.hidden;
    open.ariaExpanded = String(!details.hidden);
    // They are made on demand: most events are never opened.
    if (details.firstChild) return;
    replace(details, element('pre', {tabindex: 0, 'aria-label': 'details'},
      JSON.stringify(event, null, 2).slice(0, MOST_CHARACTERS)),
    event.sequence && event.userId && askingOf(event, signal));
  });
  // Of a changed profile the fields are the news.
  const isFields = kind === 'PROFILE_CHANGE' && topics !== '';
  const part = OPENS.find(([begin]) => begin.test(kind))?.[1] ?? 'profile';
  return element('li', {},
    element('div', {class: 'line'},
      element('span', {class: 'when'}, event.timeMs ? time(event.timeMs) : ''),
      element('span', {class: 'kind', title: kind}, event.userId
        ? link('user', {id: event.userId, part}, kindName(kind))
        : kindName(kind)),
      element('span', {class: 'words'},
        event.userId ? userLink(event.userId) : 'The app', ' ',
        isFields ? `${topics} changed` : KINDS[kind] ?? 'had a change that this page does not know',
        userLinks(names, ': '), more, topics && !isFields && ` (${topics})`,
        event.actorUserId && event.actorUserId !== event.userId &&
          [', by ', userLink(event.actorUserId)]),
      element('span', {class: 'at'}, event.sequence ? `#${number(event.sequence)}` : '',
        event.feedPosition ? ` at ${number(event.feedPosition)}` : ''),
      open),
    details);
}
