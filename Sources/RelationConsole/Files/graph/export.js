// @ts-check
// The drawing as a file: a picture in SVG, or a graph for Graphviz.

import {legend, STATES, statesOf} from './circle.js';
import {element, visible} from '../shared/dom.js';
import {BADGE, badges, HOLES, shape} from './view.js';

/** The pixels between neighbours in a picture, and the half width of a user. */
const [SCALE, SIZE] = [24, 7];

/**
 * A colour as all programs know it.
 *
 * @param {string} color
 */
function plain(color) {
  const context = /** @type {Brush} */ (
    element('canvas', {width: 1, height: 1}).getContext('2d'));
  context.fillStyle = color;
  context.fillRect(0, 0, 1, 1);
  return `rgb(${context.getImageData(0, 0, 1, 1).data.slice(0, 3).join(',')})`;
}

/**
 * The shape of a user as the path of a picture.
 *
 * @param {RelationState} state
 * @param {number[]} place
 * @param {number} size
 */
function drawn(state, [x, y], size) {
  let made = '';
  /** @param {number[]} numbers */
  const say = (letter = '', ...numbers) => {
    made += letter + numbers.map(each => +each.toFixed(1)).join(' ');
  };
  shape({
    moveTo: (...to) => say('M', ...to), lineTo: (...to) => say('L', ...to),
    closePath: () => say('Z'),
    rect: (left, top, width, height) =>
      say(`M${left.toFixed(1)} ${top.toFixed(1)}h${width}v${height}h${-width}Z`),
    arc: (_, __, radius) => say(`a${radius} ${radius} 0 1 0 ${-2 * radius} 0a${radius} ${
      radius} 0 1 0 ${2 * radius} 0`),
  }, state, x, y, size);
  return made;
}

/** @type {(state: RelationState, place: number[], color?: string, size?: number, more?: string)
  => string} a shape with its hole */
const mark = (state, place, color = '#888', size = SIZE, more = '') => {
  const hole = HOLES[state];
  return `<path fill="${color}" d="${drawn(state, place, size)}">${more}</path>${hole
    ? `<path fill="#fff" d="${drawn(state, place, size * hole)}"/>` : ''}`;
};

/** The direction of a line in Graphviz, where it has one. */
const DIRECTIONS = /** @type {Partial<Record<RelationState, string>>} */ ({one: 'forward',
  follows: 'forward', sent: 'forward', received: 'back', follower: 'back', mutual: 'both'});

/** @param {unknown} text */
const escaped = text => visible(String(text))
  .replace(/[<>&"]/g, letter => `&#${letter.charCodeAt(0)};`)
  // XML has none of these.
  .replace(/[\0-\x1f\ufffe\uffff]/g, ' ');
/** @param {string} text */
const quoted = text => `"${visible(text).replace(/["\\]/g, '\\$&').replace(/[\0-\x1f]/g, ' ')}"`;

/**
 * The circle as a picture in SVG, with the lines among friends that are shown.
 *
 * @param {Drawing} circle
 * @param {[Dot, Dot][]} lines
 */
export function svg({name, nodes, sectors, outer, middle = 0}, lines) {
  /** @type {Map<Dot, string>} */
  const colors = new Map();
  for (const {members, color} of sectors) {
    const made = plain(color);
    for (const member of members) colors.set(member, made);
  }
  const half = (outer + 4) * SCALE;
  /** @param {number} value */
  const at = value => (value * SCALE).toFixed(1);
  /** @type {(one: {x: number, y: number}, other: Dot) => string} */
  const line = (one, other) =>
    `<path d="M${at(one.x)} ${at(one.y)}L${at(other.x)} ${at(other.y)}"/>`;
  /** @param {Dot} node */
  const dot = node => {
    const place = [node.x * SCALE, node.y * SCALE];
    return mark(node.state, place, colors.get(node), SIZE,
      `<title>${escaped([node.name, ...statesOf(node).map(state => STATES[state])].join(', '))
      }</title>`) + badges(node, place, SIZE).map(([state, ...to]) =>
      mark(state, to, '#000', SIZE * BADGE)).join('') + `<text x="${at(node.x)}" y="${
      (place[1] + SIZE + 8).toFixed(1)}">${escaped(node.name)}</text>`;
  };
  const words = legend(nodes).map((state, index) => {
    const place = [middle * SCALE - half + 12, half + 20 * index];
    return `${mark(state, place)}<text x="${place[0] + 12}" y="${place[1] + 2.5}">${
      STATES[state]}</text>`;
  });
  const box = [middle * SCALE - half, -half, 2 * half, 2 * half + 20 * words.length].join(' ');
  const all = [...nodes.filter(({isOther}) => !isOther).map(node => line({x: 0, y: 0}, node)),
    ...lines.map(([one, other]) => line(one, other))];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${box}" font-size="7"`,
    'text-anchor="middle" font-family="sans-serif">',
    '<g stroke="#888" stroke-width=".5" opacity=".5">', ...all, '</g>', ...nodes.map(dot),
    '<g text-anchor="start">', ...words, '</g>',
    `<circle r="9"/><text y="20" font-size="10" font-weight="600">${escaped(name)}</text>`,
    '</svg>', '',
  ].join('\n');
}

/**
 * The circle in the language of Graphviz: a friendship one way is an arrow, and what
 * is not a friendship is a dashed line with words.
 *
 * @param {string} user
 * @param {Drawing} circle
 * @param {[Dot, Dot][]} lines
 */
export function dot(user, {name, nodes, sectors}, lines) {
  const friends = nodes.filter(({isOther}) => !isOther);
  const others = nodes.filter(({isOther, state}) => isOther && !['both', 'step'].includes(state));
  const groups = sectors.flatMap(({members, isNone, name: group}, index) => [
    `  subgraph ${isNone ? '' : `cluster_${index} `}{${isNone ? '' : ` label=${quoted(group)}`}`,
    ...members.map(({id, name}) => `    ${quoted(id)} [label=${quoted(name)}]`), '  }']);
  /** @type {(node: Dot, states: RelationState[], more?: string[]) => string} */
  const edge = ({id, state}, states, more = []) => {
    const way = [state, ...states].map(each => DIRECTIONS[each]).find(Boolean);
    if (way) more.push(`dir=${way}`);
    if (states.length) more.push(`label=${quoted(states.map(each => STATES[each]).join(', '))}`);
    return `  ${quoted(user)} -> ${quoted(id)}${more.length ? ` [${more.join(', ')}]` : ''}`;
  };
  return [
    'digraph {', '  edge [dir=none]',
    `  ${quoted(user)} [label=${quoted(name)}, shape=doublecircle]`, ...groups,
    ...friends.map(node => edge(node, node.badges ?? [])),
    ...others.flatMap(node => [`  ${quoted(node.id)} [label=${quoted(node.name)}]`,
      edge(node, statesOf(node), ['style=dashed'])]),
    ...lines.filter(([{id}, other]) => id !== user || other.isOther).map(([one, other]) =>
      `  ${quoted(one.id)} -> ${quoted(other.id)}`),
    '}', '',
  ].join('\n');
}

/**
 * Lets the browser keep a text as a file.
 *
 * @param {string} name
 * @param {string} type
 * @param {string} text
 */
export function keep(name, type, text) {
  const href = URL.createObjectURL(new Blob([text], {type}));
  element('a', {href, download: name}).click();
  setTimeout(() => URL.revokeObjectURL(href), 10_000);
}
