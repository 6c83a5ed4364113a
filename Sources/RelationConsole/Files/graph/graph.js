// @ts-check
// The circle of a user as a drawing, with the same users in a list beside it.

import {address, link, notifyError, userLink} from '../shared/shell.js';
import {Circle, legend, MOST_KEPT, STATES, statesOf} from './circle.js';
import {buttons, element, formOf, labelled, note, number, on, press, replace, since}
  from '../shared/dom.js';
import {everyone, find, hint, outcome, portrait, WAYS} from '../user/people.js';
import {dot, keep, svg} from './export.js';
import {View} from './view.js';

export const title = 'Graph';

/** The steps of the walk that are shown and that the address holds. */
const MOST_STEPS = 12;
/** The friends in common that are named. */
const MOST_NAMES = 8;
/** Friends in common are asked for once a pointer or the focus has rested so long. */
const REST_MS = 90;
/** The rows that the keys Page Up and Page Down skip. */
const PAGE_KEY = 10;
/** The steps of the trail are divided by a character that no id has. */
const STEP = '\n';

/**
 * The shapes of the drawing as letters.
 *
 * @type {Record<RelationState, string>}
 */
const MARKS = {both: '●', one: '◎', sent: '▲', received: '▼', blocked: '⊠',
  follows: '◆', follower: '◇', mutual: '◈', step: '●', invited: '▬', invitation: '▭'};
/** @param {RelationState} state */
const mark = state => element('span', {class: 'mark', 'aria-hidden': 'true'}, MARKS[state]);

// A walk by keys goes on in the list of the next user.
let walkedByKeys = false;

/** @type {(names: string[], to: (name: string) => Child) => Child[]} */
const linked = (names, to) => names.map((name, index) => [index ? ', ' : ' ', to(name)]);
/** @type {(id: string, trail?: string[], text?: string) => HTMLAnchorElement} */
const graphLink = (id, trail = [], text = id) => link('graph',
  {id, ...trail.length > 0 && {trail: trail.slice(-MOST_STEPS).join(STEP)}}, text);

/** @type {Show} */
export async function show(place, parameters, signal) {
  const user = parameters.id ?? '';
  const trail = (parameters.trail ?? '').split(STEP).filter(Boolean).slice(-MOST_STEPS);
  const inside = element('div');
  replace(place, finder('find', 'Find a user', user, signal, id => ({id})),
    user && finder('path', 'Path to', user, signal, to => ({id: user, to})), inside);
  if (!user) return everyone(inside, signal, 'graph');
  const page = new GraphPage(user, trail, signal, parameters.with, parameters.to);
  replace(inside, hint(parameters.to ? `Looking for a path from ${user} to ${parameters.to}.`
    : `Reading the circle of ${user}.`));
  try {
    await page.circle.read();
  } catch (/** @type {any} */ error) {
    if (error.reason === 'USER_NOT_FOUND') {
      return replace(inside, hint(`The app has no account ${
        [user, parameters.to].filter(Boolean).join(', or no account ')}.`));
    }
    replace(inside);
    throw error;
  }
  if (!signal.aborted) page.draw(inside);
}

/**
 * A form that finds a user, with a list if it finds several; `to` gives where each of them leads.
 *
 * @param {string} id
 * @param {string} name
 * @param {string} user
 * @param {AbortSignal} signal
 * @param {(id: string) => Record<string, string>} to
 */
function finder(id, name, user, signal, to) {
  const field = element('input', {type: 'search', maxlength: 64,
    'aria-describedby': `find-hint ${id}-error`});
  const error = element('p', {class: 'bad', id: `${id}-error`, role: 'alert'});
  const found = element('div');
  /** @param {string} text */
  const say = text => {
    error.textContent = text;
    field.ariaInvalid = String(text !== '');
  };
  const form = formOf(async () => {
    const text = field.value.trim();
    replace(found);
    say(text ? '' : 'Give an id, a unique id or a name.');
    if (!text) return field.focus();
    const {hits, failed, isIncomplete} = await find(text, user, signal);
    if (hits.length === 1 && !failed.length) {
      location.hash = address('graph', to(hits[0].id));
      return;
    }
    const {said, advice} = outcome(text, hits, isIncomplete);
    say([said, ...failed].join(' ').trim());
    replace(found, hits.length > 0 && element('ul', {class: 'found'}, hits.map(
      ({id, name, how, face}) => element('li', {}, portrait(id, name, face),
        link('graph', to(id), name),
        name !== id && element('small', {}, ` ${id}`), ` ${how}`))),
    advice);
  }, labelled(name, field), element('button', {}, 'Find'),
  id === 'find' && element('p', {class: 'hint', id: 'find-hint'}, WAYS, user &&
    `, or by a part of a name among the friends of ${user}`, '.'));
  form.className = 'find';
  return element('search', {'aria-label': name}, form, error, found);
}

/** @param {Element} of a row or a button, with a mark in front */
const first = of => /** @type {HTMLElement} */ (of.firstChild);

class GraphPage {
  canvas = element('canvas', {tabindex: 0, role: 'application', 'aria-describedby': 'graph-keys'});
  card = element('div', {class: 'card', 'aria-live': 'polite'});
  list = element('ul', {role: 'listbox', tabindex: 0, 'aria-describedby': 'list-keys'});
  /** The rows of the list, in the order of the circle's nodes. */
  rows = /** @type {HTMLLIElement[]} */ ([]);
  /** The buttons of the groups. */
  keys = /** @type {{sector: Sector, button: HTMLButtonElement}[]} */ ([]);
  /** The user that is pointed at, and the friends of the group that is pressed. */
  node = /** @type {Dot | null} */ (null);
  lit = /** @type {Dot[] | null} */ (null);
  /** The lines among friends, once they were read. */
  lines = /** @type {{drawn: [Dot, Dot][], left: number} | null} */ (null);
  timer = 0;
  within = element('input', {type: 'search', maxlength: 64,
    input: () => this.search()});

  /**
   * @param {string} user
   * @param {string[]} trail
   * @param {AbortSignal} signal
   * @param {string} [other]
   * @param {string} [to]
   */
  constructor(user, trail, signal, other, to) {
    this.user = user;
    this.trail = trail;
    this.signal = signal;
    this.circle = new Circle(user, signal, other, to);
    this.invitations = address('user', {id: user, part: 'invitations'});
    this.view = new View(this.canvas, {
      pointed: node => this.point(node, true),
      // A finger cannot point before it chooses: its first touch does no more than point.
      chosen: (node, kind) => {
        if (node && (kind === 'mouse' || node === this.node)) this.walk(node);
        else this.point(node);
      },
      colored: () => this.color(),
    }, signal);
    on(signal, 'abort', () => clearTimeout(this.timer), {once: true});
  }

  /** @param {Element} place */
  draw(place) {
    const {circle, user, canvas} = this;
    this.fillList();
    canvas.ariaLabel = `The circle of ${circle.name}. ${circle.said}`;
    /** @type {(name: string, text: string, act: () => void) => HTMLButtonElement} */
    const button = (name, text, act) =>
      press({'aria-label': name, title: name, click: act}, text);
    replace(place,
      element('div', {class: 'head'}, element('h2', {}, circle.name,
        circle.name !== user && element('small', {}, ` ${user}`)), userLink(user, 'Profile')),
      this.trail.length > 0 && element('nav', {class: 'trail', 'aria-label': 'The way here'},
        element('ol', {}, this.trail.map((id, index) =>
          element('li', {}, graphLink(id, this.trail.slice(0, index)))),
        element('li', {'aria-current': 'page'}, user))),
      element('p', {class: 'said', role: 'status'}, circle.said),
      element('div', {class: 'two'},
        element('div', {class: 'drawing'}, canvas,
          buttons(
            button('Zoom in', '+', () => this.view.zoom(1.4)),
            button('Zoom out', '−', () => this.view.zoom(1 / 1.4)),
            button('Show the whole circle', 'Fit', () => this.view.fit()),
            button('Save as SVG', 'SVG', () => keep(`${user}.svg`, 'image/svg+xml',
              svg(circle, this.view.lines))),
            button('Save for Graphviz', 'Graphviz', () => keep(`${user}.dot`,
              'text/vnd.graphviz', dot(user, circle, this.view.lines))),
            circle.other || circle.to ? graphLink(user, this.trail, `All friends of ${circle.name}`)
              : this.linesButton()),
          element('p', {class: 'hint', id: 'graph-keys'}, 'Drag and turn the wheel, or press ',
            'arrows, +, − and 0. A click on a friend walks there.')),
        element('section', {class: 'side'}, labelled('Search within', this.within), this.list,
          element('p', {class: 'hint', id: 'list-keys'},
            'Arrows go through the list. Enter walks to the user.'), this.card),
        this.legend()));
    this.view.lines = circle.links;
    this.view.show(circle);
    this.point(null);
    if (walkedByKeys) this.list.focus();
    walkedByKeys = false;
  }

  fillList() {
    const {circle, list} = this;
    this.rows = circle.nodes.map((node, index) => element('li', {role: 'option', id: `row-${index}`,
      'aria-selected': 'false'}, mark(node.state), node.name, element('small', {}, ` ${[
      node.name !== node.id && node.id, ...statesOf(node).filter(state => state !== 'both')
        .map(state => STATES[state]), node.groups.join(', ')].filter(Boolean).join(' · ')}`)));
    list.ariaLabel = `The circle of ${circle.name} as a list`;
    replace(list, this.rows);
    /**
     * @param {Event} event
     * @returns {Dot | undefined}
     */
    const nodeOf = ({target}) => {
      const row = target instanceof Element ? target.closest('li') : null;
      return row ? circle.nodes[this.rows.indexOf(row)] : undefined;
    };
    on(list, 'keydown', event => this.key(event));
    on(list, 'focus', () => {
      const at = this.rows.findIndex(row => !row.hidden);
      if (!this.node && at >= 0) this.select(at);
    });
    on(list, 'pointerover', event => {
      const node = nodeOf(event);
      if (node) this.point(node, true);
    });
    on(list, 'click', event => {
      const node = nodeOf(event);
      if (node) this.walk(node);
    });
  }

  /** Shows only the rows, and marks the users, whose name, id, state or group has a text. */
  search() {
    const text = this.within.value.trim().toLowerCase();
    const found = this.circle.nodes.filter((_, index) => {
      const row = this.rows[index];
      row.hidden = !row.textContent?.toLowerCase().includes(text);
      return !row.hidden;
    });
    this.lit = text ? found : null;
    this.point(null);
    this.view.highlight(null, this.lit);
  }

  /** Gives the list and the legend the colours of the drawing. */
  color() {
    let index = 0;
    for (const {members, mark} of this.circle.sectors) {
      for (const _ of members) first(this.rows[index++]).style.color = mark;
    }
    for (const {button, sector} of this.keys) first(button).style.background = sector.mark;
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const {node} = this;
    const nodes = this.circle.nodes.filter((_, index) => !this.rows[index].hidden);
    if (event.ctrlKey || event.metaKey || event.altKey || !nodes.length) return;
    const at = node ? nodes.indexOf(node) : -1;
    /** @type {Record<string, number | undefined>} */
    const places = {ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: nodes.length - 1,
      PageDown: at + PAGE_KEY, PageUp: at - PAGE_KEY};
    const to = places[event.key];
    if (event.key === 'Enter' && node) {
      walkedByKeys = true;
      this.walk(node);
    } else if (event.key === 'Escape') {
      this.point(null);
    } else if (to !== undefined) {
      this.select(this.circle.nodes.indexOf(nodes[Math.min(Math.max(to, 0), nodes.length - 1)]));
    } else {
      return;
    }
    event.preventDefault();
  }

  /** @param {number} index */
  select(index) {
    this.point(this.circle.nodes[index]);
    this.rows[index].scrollIntoView({block: 'nearest'});
  }

  /** @param {Dot} node */
  walk({id, state}) {
    if (state === 'invitation') return location.assign(this.invitations);
    const trail = [...this.trail, this.user].slice(-MOST_STEPS).join(STEP);
    location.hash = address('graph', {id, trail});
  }

  /**
   * Points at a user, or at none: it is marked in both the drawing and the list.
   *
   * @param {Dot | null} node
   * @param {boolean} byPointer
   */
  point(node, byPointer = false) {
    // A pointer that leaves the drawing leaves the mark of the keys where it is.
    if (byPointer && !node && document.activeElement === this.list) return;
    if (node && node === this.node) return;
    clearTimeout(this.timer);
    const {circle, circle: {nodes}} = this;
    if (this.node) this.rows[nodes.indexOf(this.node)].ariaSelected = 'false';
    this.node = node;
    this.view.highlight(node, node ? [] : this.lit);
    if (!node) {
      this.list.removeAttribute('aria-activedescendant');
      replace(this.card, note(nodes.length
        ? 'Point at a friend to see the friends in common.'
        : circle.said));
      return;
    }
    const index = nodes.indexOf(node);
    this.rows[index].ariaSelected = 'true';
    this.list.setAttribute('aria-activedescendant', `row-${index}`);
    this.describe(node);
    if (node.state !== 'invitation') {
      this.timer = setTimeout(() => this.showCommon(node), REST_MS);
    }
  }

  /**
   * @param {Dot} node
   * @param {Child} [common]
   */
  describe(node, common) {
    const {id, name, state, groups, addTimeMs, badges = []} = node;
    const isUser = state !== 'invitation';
    replace(this.card, element('p', {}, isUser && portrait(id, name, node.face),
      element('strong', {}, name), name !== id && element('small', {}, ` ${id}`), ' ',
      isUser ? [userLink(id, 'Profile'), ' ',
        link('graph', {id: this.user, with: id}, 'In common')]
        : element('a', {href: this.invitations}, 'All invitations')),
    element('p', {class: 'state'}, STATES[state], groups.length > 0 && ` in ${groups.join(', ')}`,
      since(' since ', addTimeMs),
    badges.map(each => `; ${STATES[each]}`), '.'),
    isUser && element('p', {class: 'common'}, common ?? 'Friends in common: …'));
  }

  /** @param {Dot} node */
  async showCommon(node) {
    try {
      const {ids, total} = await this.circle.common(node.id, this.signal);
      if (this.node !== node || this.signal.aborted) return;
      const known = ids.flatMap(id => this.circle.known.get(id) ?? []);
      this.view.highlight(node, known);
      this.describe(node, [total ? `${number(total)} in common:` : 'No friend in common.',
        linked(known.slice(0, MOST_NAMES).map(({name}) => name), name => name),
        total > MOST_NAMES && ` and ${number(total - Math.min(MOST_NAMES, known.length))} more`]);
    } catch (/** @type {any} */ error) {
      if (this.signal.aborted || this.node !== node) return;
      this.describe(node, `Friends in common are not known: ${error.message}.`);
      notifyError(error);
    }
  }

  /** A button for the lines among all friends, if the circle is not too large for them. */
  linesButton() {
    const {friends} = this.circle;
    if (!friends.length) return null;
    if (friends.length > MOST_KEPT) {
      return element('span', {class: 'hint'},
        `Lines among all friends are drawn for at most ${number(MOST_KEPT)}.`);
    }
    const status = element('span', {class: 'hint', role: 'status'});
    const button = press({'aria-pressed': 'false', click: async () => {
        const isOn = button.ariaPressed === 'false';
        button.ariaPressed = String(isOn);
        try {
          status.textContent = isOn ? 'reading' : '';
          if (isOn) this.lines ??= await this.circle.lines();
        } catch (error) {
          button.ariaPressed = 'false';
          notifyError(error);
        }
        // It may have been pressed again in the meantime.
        const shown = button.ariaPressed === 'true' ? this.lines : null;
        status.textContent = shown ? `${number(shown.drawn.length)} lines${
          shown.left ? `, ${number(shown.left)} are left out` : ''}` : '';
        this.view.lines = shown?.drawn ?? [];
        this.view.redraw();
      }}, 'Lines among friends');
    return [button, status];
  }

  /** The shapes of states and the colours of groups; a press on a group marks its friends. */
  legend() {
    const {nodes, sectors} = this.circle;
    const groups = sectors.filter(({isNone, isShared}) => !isNone && !isShared);
    this.keys = groups.map(sector => ({sector, button: this.groupButton(sector)}));
    return element('div', {class: 'legend'},
      element('ul', {'aria-label': 'Shapes'}, legend(nodes).map(state => element('li', {},
        mark(state), STATES[state]))),
      groups.length > 0 && element('div', {class: 'groups', role: 'group', 'aria-label': 'Groups'},
        this.keys.map(({button}) => button)),
      groups.length > 0 && note(
        'A friend has the colour and the place of its first group.'));
  }

  /**
   * A button that marks all friends of a group, until it is pressed again.
   *
   * @param {Sector} sector
   */
  groupButton({name}) {
    const members = this.circle.nodes.filter(({groups}) => groups.includes(name));
    const button = press({class: 'small', 'aria-pressed': 'false', click: () => {
        const isOn = button.ariaPressed === 'false';
        for (const each of this.keys) {
          each.button.ariaPressed = String(isOn && each.button === button);
        }
        this.lit = isOn ? members : null;
        this.point(null);
      }}, element('span', {class: 'key', 'aria-hidden': 'true'}), `${name} `,
    element('small', {}, number(members.length)));
    return button;
  }
}
