// @ts-check
// The drawing of a circle on a canvas, which is moved by the pointer, the wheel and keys.

import {on, visible} from '../shared/dom.js';

/**
 * The hues of groups, and the degrees from one to the next, which keep neighbours apart; and the
 * lightness and chroma of each round of hues, in light and in dark. Then they repeat.
 */
const [HUES, TURN, FIRST] = [12, 210, 255];
/** @type {[number, number][][]} */
const ROUNDS = [[[0.53, 0.17], [0.36, 0.11], [0.5, 0.06]],
  [[0.74, 0.14], [0.88, 0.08], [0.7, 0.05]]];
/** Portraits are drawn in users of so many pixels, and of at most so many users at once. */
const [PICTURE, MOST_PICTURES] = [9, 300];
/** A friend's half width, as a part of the distance between neighbours, and its least and most. */
const [SIZE, LEAST, MOST] = [0.36, 1.6, 13];
/** Names stand beside friends once neighbours are so many pixels apart, or where there are few. */
const [NAMES_FROM, FEW] = [32, 20];
/**
 * The size of the hole of a hollow shape, as a part of it.
 *
 * @type {Partial<Record<RelationState, number>>}
 */
export const HOLES = {one: 0.5, follower: 0.6, mutual: 0.3, invitation: 0.6};
/** The size of a badge at a user's upper right, as a part of the user's; the next stands below. */
export const BADGE = 0.6;
/** A name has no more letters; the list beside has all of them. */
const MOST_LETTERS = 24;
/** The scale may be so many times that at which the whole circle is seen, or a part of it. */
const [NEAREST, FARTHEST] = [40, 0.5];
/** A pointer that moved less than this many pixels has clicked. */
const CLICK = 5;
/** The pixels that an arrow key moves, and the factor of a key that zooms. */
const [STEP, ZOOM] = [60, 1.3];
/** The factor for one pixel of the wheel. */
const WHEEL = 0.0015;
/** So many arrows are drawn faintly: they all begin in the middle. */
const MANY_ARROWS = 100;
/** The opacity of all that a highlight does not touch. */
const DIM = 0.22;
const FONT = '12px system-ui, sans-serif';

const dark = matchMedia('(prefers-color-scheme: dark)');

/**
 * The colour of a sector; users outside of all groups are grey.
 *
 * @param {number} index
 * @param {boolean | undefined} isGrey
 */
export const colorOf = (index, isGrey) => shade(dark.matches, index, isGrey);

/**
 * The same colour for an element of the page, which follows a change of the scheme.
 *
 * @param {number} index
 * @param {boolean | undefined} isGrey
 */
export const markOf = (index, isGrey) =>
  `light-dark(${shade(false, index, isGrey)}, ${shade(true, index, isGrey)})`;

/**
 * @param {boolean} isDark
 * @param {number} index
 * @param {boolean | undefined} isGrey
 */
function shade(isDark, index, isGrey) {
  if (isGrey) return isDark ? 'oklch(0.7 0.01 260)' : 'oklch(0.5 0.01 260)';
  const [light, chroma] = ROUNDS[Number(isDark)][Math.floor(index / HUES) % 3];
  return `oklch(${light} ${chroma} ${(FIRST + index * TURN) % 360})`;
}

/**
 * The path of a user's shape around a place: it shows the state without its colour.
 *
 * @param {Pick<Brush, 'rect' | 'moveTo' | 'lineTo' | 'closePath' | 'arc'>} path
 * @param {RelationState} state
 * @param {number} x
 * @param {number} y
 * @param {number} size
 */
export function shape(path, state, x, y, size) {
  if (state === 'blocked') {
    path.rect(x - size, y - size, 2 * size, 2 * size);
  } else if (state === 'sent' || state === 'received') {
    // An application goes out, or comes in.
    const up = state === 'sent' ? -1.25 * size : 1.25 * size;
    path.moveTo(x, y + up);
    path.lineTo(x + 1.2 * size, y - up * 0.7);
    path.lineTo(x - 1.2 * size, y - up * 0.7);
    path.closePath();
  } else if (state === 'follows' || state === 'follower' || state === 'mutual') {
    const half = 1.3 * size;
    path.moveTo(x, y - half);
    path.lineTo(x + half, y);
    path.lineTo(x, y + half);
    path.lineTo(x - half, y);
    path.closePath();
  } else if (state === 'invited' || state === 'invitation') {
    // A letter.
    path.rect(x - 1.3 * size, y - 0.9 * size, 2.6 * size, 1.8 * size);
  } else {
    path.moveTo(x + size, y);
    path.arc(x, y, size, 0, 2 * Math.PI);
  }
}

/** @type {(node: Dot, place: number[], size: number) => Placed[]} the badges of a user */
export const badges = (node, [x, y], size) => (node.badges ?? []).map((state, index) =>
  [state, x + size * 1.2, y + size * (1.4 * index - 0.7)]);

/** A canvas with a circle. */
export class View {
  /** The pointers that are down, by their ids; `moved` is the way of each in pixels. */
  pointers = /** @type {Map<number, {x: number, y: number, moved: number}>} */ (new Map());
  lines = /** @type {[Dot, Dot][]} */ ([]);
  /** @type {Drawing} */
  circle = {name: '', sectors: [], radius: 0, outer: 0, nodes: []};
  colors = {text: '', ground: '', soft: ''};
  width = 0;
  height = 0;
  ratio = 1;
  /** The pixels between neighbours, and how many they were when the whole circle was seen. */
  scale = 0;
  fitted = 0;
  /** The place of the user in the middle. */
  x = 0;
  y = 0;
  node = /** @type {Dot | null} */ (null);
  lit = /** @type {Set<Dot> | null} */ (null);
  frame = /** @type {number | undefined} */ (undefined);
  /** The portraits that were asked for, by their addresses. */
  pictures = /** @type {Map<string, HTMLImageElement>} */ (new Map());

  /**
   * @param {HTMLCanvasElement} canvas
   * @param {Pointing} listener
   * @param {AbortSignal} signal
   */
  constructor(canvas, {pointed, chosen, colored}, signal) {
    this.canvas = canvas;
    this.pointed = pointed;
    this.chosen = chosen;
    this.colored = colored;
    this.context = /** @type {Brush} */ (canvas.getContext('2d'));
    on(canvas, 'wheel', event => {
      event.preventDefault();
      this.zoom(Math.exp(-event.deltaY * WHEEL), event.offsetX, event.offsetY);
    }, {signal, passive: false});
    on(canvas, 'keydown', event => this.key(event), {signal});
    on(canvas, 'pointerdown', event => this.down(event), {signal});
    on(canvas, 'pointermove', event => this.move(event), {signal});
    on(canvas, 'pointerup', event => this.up(event), {signal});
    on(canvas, 'pointercancel', ({pointerId}) => this.pointers.delete(pointerId), {signal});
    // A finger that is lifted leaves the canvas, but not the user that it has chosen.
    on(canvas, 'pointerleave', ({pointerType}) => {
      if (pointerType !== 'touch') this.pointed(null);
    }, {signal});
    const sized = new ResizeObserver(() => this.resize());
    sized.observe(canvas);
    on(signal, 'abort', () => sized.disconnect(), {once: true});
    on(dark, 'change', () => this.recolor(), {signal});
  }

  /** @param {Drawing} circle */
  show(circle) {
    this.circle = circle;
    for (const [index, sector] of circle.sectors.entries()) sector.index = index;
    this.recolor();
    this.resize();
  }

  /** The colours are those of the style sheet at this moment, light or dark. */
  recolor() {
    const style = getComputedStyle(this.canvas);
    this.colors = {text: style.color, ground: style.backgroundColor,
      soft: style.textDecorationColor};
    for (const sector of this.circle.sectors) {
      sector.color = colorOf(sector.index, sector.isNone || sector.isShared);
      sector.mark = markOf(sector.index, sector.isNone || sector.isShared);
    }
    this.colored();
    this.redraw();
  }

  resize() {
    const {clientWidth: width, clientHeight: height} = this.canvas;
    if (!width) return;
    const ratio = devicePixelRatio || 1;
    Object.assign(this.canvas, {width: width * ratio, height: height * ratio});
    this.width = width;
    this.height = height;
    this.ratio = ratio;
    this.fit();
  }

  /** Shows the whole circle. */
  fit() {
    const {outer, sectors, middle = 0} = this.circle;
    // The names of groups stand around the friends.
    const margin = sectors.length > 1 ? 3 : 1.5;
    const room = Math.min(this.width - (sectors.length > 1 ? 110 : 0), this.height);
    this.fitted = Math.min(room / 2 / (outer + margin), 70);
    this.scale = this.fitted;
    this.x = this.width / 2 - middle * this.scale;
    this.y = this.height / 2;
    this.redraw();
  }

  /** @param {number} factor */
  zoom(factor, x = this.width / 2, y = this.height / 2) {
    const scale = Math.min(Math.max(this.scale * factor, this.fitted * FARTHEST),
      this.fitted * NEAREST);
    this.x = x + (this.x - x) * scale / this.scale;
    this.y = y + (this.y - y) * scale / this.scale;
    this.scale = scale;
    this.redraw();
  }

  /**
   * @param {number} x
   * @param {number} y
   */
  pan(x, y) {
    this.x += x;
    this.y += y;
    this.redraw();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    /** @type {Record<string, (() => void) | undefined>} */
    const acts = {
      '+': () => this.zoom(ZOOM), '=': () => this.zoom(ZOOM), '-': () => this.zoom(1 / ZOOM),
      '0': () => this.fit(), ArrowLeft: () => this.pan(STEP, 0), ArrowUp: () => this.pan(0, STEP),
      ArrowRight: () => this.pan(-STEP, 0), ArrowDown: () => this.pan(0, -STEP),
    };
    const act = acts[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  /** @param {PointerEvent} event */
  down(event) {
    this.canvas.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId,
      {x: event.offsetX, y: event.offsetY, moved: 0});
  }

  /**
   * One pointer that is down moves the circle, and two of them zoom.
   *
   * @param {PointerEvent} event
   */
  move(event) {
    const {offsetX: x, offsetY: y} = event;
    const held = this.pointers.get(event.pointerId);
    if (!held) {
      const node = this.at(x, y);
      this.canvas.classList.toggle('on', node !== null);
      return this.pointed(node);
    }
    const other = [...this.pointers.values()].find(each => each !== held);
    if (other) {
      /** @param {{x: number, y: number}} one */
      const apart = one => Math.max(Math.hypot(one.x - other.x, one.y - other.y), 1);
      this.zoom(apart({x, y}) / apart(held), other.x, other.y);
    } else if (held.moved > CLICK) {
      this.pan(x - held.x, y - held.y);
    }
    held.moved += Math.hypot(x - held.x, y - held.y);
    held.x = x;
    held.y = y;
  }

  /** @param {PointerEvent} event */
  up(event) {
    const held = this.pointers.get(event.pointerId);
    this.pointers.delete(event.pointerId);
    if (held && held.moved <= CLICK && event.button === 0) {
      this.chosen(this.at(event.offsetX, event.offsetY), event.pointerType);
    }
  }

  get size() {
    return Math.min(Math.max(this.scale * SIZE, LEAST), MOST);
  }

  /**
   * The nearest user to a place of the canvas; null if none is near.
   *
   * @param {number} x
   * @param {number} y
   */
  at(x, y) {
    let found = /** @type {Dot | null} */ (null);
    let least = (this.size + 5) ** 2;
    for (const node of this.circle.nodes) {
      const distance = (this.x + node.x * this.scale - x) ** 2 +
        (this.y + node.y * this.scale - y) ** 2;
      if (distance < least) [found, least] = [node, distance];
    }
    return found;
  }

  /**
   * Highlights some users; the first may be the one that they belong to. Null ends it.
   *
   * @param {Dot | null} node
   * @param {Dot[] | null} nodes
   */
  highlight(node, nodes) {
    this.node = node;
    this.lit = nodes && new Set(nodes);
    this.redraw();
  }

  redraw() {
    this.frame ??= requestAnimationFrame(() => {
      this.frame = undefined;
      if (this.canvas.isConnected && this.scale) this.draw();
    });
  }

  draw() {
    const {context, circle: {sectors, nodes}, lit, ratio, node} = this;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, this.width, this.height);
    Object.assign(context, {font: FONT, textAlign: 'center'});
    /** @param {Dot} each */
    const isLit = each => !lit || lit.has(each) || each === node;
    this.drawLines(isLit);
    for (const {members, color} of sectors) {
      this.fill(members.filter(each => !isLit(each)), color, DIM);
      this.fill(members.filter(isLit), color, 1);
    }
    const others = nodes.filter(({isOther}) => isOther);
    this.fill(others.filter(each => !isLit(each)), this.colors.soft, DIM);
    this.fill(others.filter(isLit), this.colors.soft, 1);
    this.drawPictures(isLit);
    this.paint(nodes.filter(isLit).flatMap(each => badges(each, this.place(each), this.size)),
      this.size * BADGE, this.colors.text, 1);
    if (node) {
      this.stroke(path => shape(path, node.state, ...this.place(node), this.size + 4),
        this.colors.text, 2);
    }
    this.drawNames(isLit);
  }

  /**
   * @param {{x: number, y: number}} node
   * @returns {[number, number]}
   */
  place({x, y}) {
    return [this.x + x * this.scale, this.y + y * this.scale];
  }

  /**
   * @param {(path: Brush) => void} trace
   * @param {string} color
   * @param {number} width
   * @param {number} opacity
   */
  stroke(trace, color, width, opacity = 1) {
    const {context} = this;
    context.beginPath();
    trace(context);
    Object.assign(context, {strokeStyle: color, lineWidth: width, globalAlpha: opacity});
    context.stroke();
    context.globalAlpha = 1;
  }

  /**
   * Users of one colour are one path: so thousands are drawn in one step.
   *
   * @param {Dot[]} nodes
   * @param {string} color
   * @param {number} opacity
   */
  fill(nodes, color, opacity) {
    this.paint(nodes.map(node => [node.state, ...this.place(node)]), this.size, color, opacity);
  }

  /**
   * @param {Placed[]} shapes
   * @param {number} size
   * @param {string} color
   * @param {number} opacity
   */
  paint(shapes, size, color, opacity) {
    const {context, width, height} = this;
    const all = shapes.filter(([, x, y]) =>
      x > -size && y > -size && x < width + size && y < height + size);
    if (!all.length) return;
    context.beginPath();
    for (const [state, x, y] of all) shape(context, state, x, y, size);
    Object.assign(context, {fillStyle: color, globalAlpha: opacity});
    context.fill();
    context.globalAlpha = 1;
    this.stroke(path => {
      for (const [state, x, y] of all) {
        if (state !== 'blocked') continue;
        path.moveTo(x - size, y - size);
        path.lineTo(x + size, y + size);
        path.moveTo(x + size, y - size);
        path.lineTo(x - size, y + size);
      }
    }, this.colors.ground, Math.max(size / 4, 1));
    context.beginPath();
    for (const [state, x, y] of all) {
      const hole = HOLES[state];
      if (hole) shape(context, state, x, y, size * hole);
    }
    context.fillStyle = this.colors.ground;
    context.fill();
  }

  /**
   * The portraits of users that are large enough, each in a ring of its group's colour.
   *
   * @param {(node: Dot) => boolean} isLit
   */
  drawPictures(isLit) {
    const {context, size, width, height} = this;
    if (size < PICTURE) return;
    const inner = size * 0.78;
    const seen = this.circle.nodes.filter(node => {
      const [x, y] = this.place(node);
      return /^data:image\//.test(node.face ?? '') && x > -size && y > -size && x < width + size &&
        y < height + size;
    });
    for (const node of seen.slice(0, MOST_PICTURES)) {
      const [x, y] = this.place(node);
      const face = node.face ?? '';
      let picture = this.pictures.get(face);
      if (!picture) {
        picture = new Image(64, 64);
        picture.onload = () => this.redraw();
        picture.src = face;
        this.pictures.set(face, picture);
      }
      if (!picture.complete || !picture.naturalWidth) continue;
      context.save();
      context.globalAlpha = isLit(node) ? 1 : DIM;
      context.beginPath();
      context.arc(x, y, inner, 0, 2 * Math.PI);
      context.clip();
      context.drawImage(picture, x - inner, y - inner, 2 * inner, 2 * inner);
      context.restore();
    }
  }

  /** @param {(node: Dot) => boolean} isLit */
  drawLines(isLit) {
    const {circle, node, lit, lines} = this;
    /** @type {(path: Brush, ...ends: {x: number, y: number}[]) => void} */
    const line = (path, one, other) => {
      path.moveTo(...this.place(one));
      path.lineTo(...this.place(other));
    };
    const middle = {x: 0, y: 0};
    const isLarge = circle.nodes.length > FEW;
    this.stroke(path => {
      for (const [one, other] of lines) line(path, one, other);
      if (lines.length) return;
      for (const each of circle.nodes) if (each.state === 'both') line(path, middle, each);
    }, this.colors.soft, isLarge ? 0.6 : 1.2,
    lit ? 0.08 : !isLarge ? 0.6 : lines.length ? 0.3 : 0.14);
    const oneWay = circle.nodes.filter(each => each.state === 'one' && isLit(each));
    this.stroke(path => {
      for (const each of oneWay) this.arrow(path, each);
    }, this.colors.soft, 1, oneWay.length > MANY_ARROWS ? 0.35 : 0.8);
    if (!node || !lit) return;
    this.stroke(path => {
      for (const each of lit) line(path, node, each);
      if (node.state === 'both') line(path, middle, node);
    }, this.colors.text, 1.2, 0.75);
  }

  /**
   * An arrow from the user to a friend: the friend has no row for the user.
   *
   * @param {Brush} path
   * @param {Dot} node
   */
  arrow(path, node) {
    const [x, y] = this.place(node);
    const away = Math.atan2(node.y, node.x);
    const [edge, length] = [this.size + 1, Math.min(this.size + 1, 7)];
    const [tipX, tipY] = [x - Math.cos(away) * edge, y - Math.sin(away) * edge];
    path.moveTo(this.x, this.y);
    path.lineTo(tipX, tipY);
    for (const side of [-0.5, 0.5]) {
      path.moveTo(tipX, tipY);
      path.lineTo(tipX - Math.cos(away + side) * length, tipY - Math.sin(away + side) * length);
    }
  }

  /** @param {(node: Dot) => boolean} isLit */
  drawNames(isLit) {
    const {circle, node, lit, scale} = this;
    const taken = /** @type {Box[]} */ ([]);
    // The user in the middle comes first, and is larger.
    this.context.beginPath();
    this.context.arc(this.x, this.y, Math.max(this.size * 1.3, 6), 0, 2 * Math.PI);
    this.context.fillStyle = this.colors.text;
    this.context.fill();
    if (node) this.name(node.name, ...this.below(node), taken);
    this.name(circle.name, this.x, this.y + Math.max(this.size * 1.3, 6) + 11, taken, '600 ');
    // The other user of a picture of two.
    const last = circle.middle ? circle.nodes.at(-1) : null;
    if (last && last !== node) this.name(last.name, ...this.below(last), taken, '600 ');
    if (circle.sectors.length > 1) this.nameSectors(taken);
    if (scale < NAMES_FROM && circle.nodes.length > FEW && !(lit && node && scale > 14)) return;
    for (const each of circle.nodes) {
      if (each !== node && isLit(each)) this.name(each.name, ...this.below(each), taken);
    }
  }

  /**
   * @param {Dot} node
   * @returns {[number, number]}
   */
  below(node) {
    const [x, y] = this.place(node);
    return [x, y + this.size + 12];
  }

  /** @param {Box[]} taken */
  nameSectors(taken) {
    for (const {name, from, to, isNone, isHidden, color} of this.circle.sectors) {
      if (isHidden) continue;
      const middle = (from + to) / 2;
      const edge = (this.circle.radius + 1) * this.scale;
      const [cos, sin] = [Math.cos(middle), Math.sin(middle)];
      this.context.textAlign = cos > 0.3 ? 'left' : cos < -0.3 ? 'right' : 'center';
      this.name(name, this.x + cos * edge, this.y + sin * edge + sin * 8, taken, '',
        isNone ? this.colors.soft : color);
    }
  }

  /**
   * Writes a name, unless it is out of sight or would cover another one.
   *
   * @param {string} given
   * @param {number} x
   * @param {number} y
   * @param {Box[]} taken
   * @param {string} weight
   * @param {string} color
   */
  name(given, x, y, taken, weight = '', color = this.colors.text) {
    const {context} = this;
    const text = visible(given);
    const word = text.length > MOST_LETTERS ? `${text.slice(0, MOST_LETTERS - 1)}…` : text;
    if (x < -100 || y < -20 || x > this.width + 100 || y > this.height + 20) return;
    context.font = weight + FONT;
    const width = context.measureText(word).width;
    const align = context.textAlign;
    const left = align === 'left' ? x : align === 'right' ? x - width : x - width / 2;
    const box = {left: left - 2, right: left + width + 2, top: y - 8, bottom: y + 8};
    const isFree = taken.every(each => each.right < box.left || box.right < each.left ||
      each.bottom < box.top || box.bottom < each.top);
    if (isFree) {
      taken.push(box);
      Object.assign(context, {textBaseline: 'middle', lineWidth: 3, strokeStyle: this.colors.ground,
        fillStyle: color});
      context.strokeText(word, x, y);
      context.fillText(word, x, y);
    }
    context.textAlign = 'center';
  }
}
