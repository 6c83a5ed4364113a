// @ts-check
// Where each friend stands: each group is a sector around the user, filled ring by ring.

import {number} from '../shared/dom.js';

/** The most friends of one circle that are read and drawn. */
export const MOST_DRAWN = 3_000;
/** The most groups that have a sector of their own; the smallest ones share another. */
const MOST_SECTORS = 40;
/** The radius of the first ring. The distance between neighbours is 1. */
const INNER = 3;
/** The gap between two sectors, as a part of the number of rings. */
const GAP = 0.4;

const order = new Intl.Collator(undefined, {numeric: true});
/** @type {(one: {name: string}, other: {name: string}) => number} */
const byName = (one, other) => order.compare(one.name, other.name);

/**
 * The friends that are drawn, and a sentence that says what is left out.
 *
 * @template Friend
 * @param {Friend[]} friends
 * @param {number} total
 * @param {number} most
 */
export function bounded(friends, total, most = MOST_DRAWN) {
  const drawn = friends.slice(0, most);
  const left = Math.max(total, friends.length) - drawn.length;
  const all = ['This user has no friends.', 'This user has one friend.'][drawn.length] ??
    `All ${number(drawn.length)} friends are drawn.`;
  return {drawn, said: left > 0
    ? `${number(drawn.length)} of ${number(total)} friends are drawn, in the order of their ids. ${
      number(left)} are left out.` : all};
}

/**
 * The sectors: each friend stands in that of its first group. The largest sector comes first.
 *
 * @param {Dot[]} friends
 */
function sectorsOf(friends) {
  /** @type {Map<string | null, Dot[]>} */
  const found = new Map();
  for (const friend of friends) {
    const name = friend.groups[0] ?? null;
    const members = found.get(name) ?? [];
    found.set(name, members);
    members.push(friend);
  }
  const none = found.get(null) ?? [];
  found.delete(null);
  const named = [...found].map(([name, members]) => sector(name ?? '', members))
    .sort((one, other) => other.members.length - one.members.length || byName(one, other));
  const few = named.splice(MOST_SECTORS);
  if (few.length) {
    named.push({...sector(`${number(few.length)} smaller groups`,
      few.flatMap(({members}) => members)), isShared: true});
  }
  if (none.length) named.push({...sector('no group', none), isNone: true});
  return named;
}

/**
 * A sector that has no place yet.
 *
 * @param {string} name
 * @param {Dot[]} members
 * @returns {Sector}
 */
function sector(name, members) {
  return {name, members, from: 0, to: 0, gap: 0, weight: 0, index: 0, color: '', mark: ''};
}

/**
 * The rings that have room for `wanted`: how many places there are up to each of them.
 *
 * @param {number} wanted
 */
function ringsFor(wanted) {
  let last = 0;
  const upTo = [last];
  while (last < wanted) {
    last += 2 * Math.PI * (INNER + upTo.length - 1);
    upTo.push(last);
  }
  return upTo;
}

/**
 * Gives each friend and each of the `others` a place, always the same for the same users.
 *
 * The user itself stands at 0, 0. The others stand around the circle of friends.
 *
 * @param {Dot[]} friends
 * @param {Dot[]} others
 * @returns {Arrangement}
 */
export function arranged(friends, others = []) {
  const sectors = sectorsOf(friends);
  let upTo = ringsFor(friends.length);
  let whole = 0;
  // A sector is at least as wide as one friend in the middle ring. This needs room, and so rings.
  for (let round = 0; round < 4; round++) {
    const rings = upTo.length - 1;
    for (const sector of sectors) {
      sector.gap = sectors.length > 1 ? GAP * rings : 0;
      sector.weight = Math.max(sector.members.length, rings) + sector.gap;
    }
    whole = sectors.reduce((sum, {weight}) => sum + weight, 0);
    if (upTo[rings] >= whole) break;
    upTo = ringsFor(whole);
  }
  let begin = -Math.PI / 2;
  for (const sector of sectors) {
    const turn = 2 * Math.PI / whole;
    sector.from = begin + sector.gap / 2 * turn;
    sector.to = begin + (sector.weight - sector.gap / 2) * turn;
    begin += sector.weight * turn;
    fill(sector, upTo);
  }
  const radius = friends.length ? INNER + upTo.length - 2 : INNER - 1;
  return {sectors, radius, outer: surround(others, radius),
    nodes: [...sectors.flatMap(({members}) => members), ...others]};
}

/**
 * Spreads the members of a sector over the rings, as evenly as their places allow.
 *
 * @param {Sector} sector
 * @param {number[]} upTo
 */
function fill({members, from, to}, upTo) {
  members.sort(byName);
  let placed = 0;
  for (let ring = 1; ring < upTo.length; ring++) {
    const end = Math.round(members.length * upTo[ring] / upTo[upTo.length - 1]);
    const radius = INNER + ring - 1;
    for (let index = placed; index < end; index++) {
      const angle = from + (to - from) * (index - placed + 0.5) / (end - placed);
      put(members[index], radius, angle);
    }
    placed = end;
  }
}

/**
 * Puts the others on rings around the circle; gives the radius of the last of them.
 *
 * @param {Dot[]} others
 * @param {number} radius
 */
function surround(others, radius) {
  others.sort((one, other) => order.compare(one.state, other.state) || byName(one, other));
  let last = radius;
  for (let placed = 0; placed < others.length;) {
    last += last === radius ? 2 : 1.5;
    const room = Math.min(Math.floor(2 * Math.PI * last / 1.5), others.length - placed);
    for (let index = 0; index < room; index++) {
      put(others[placed + index], last, 2 * Math.PI * index / room - Math.PI / 2);
    }
    placed += room;
  }
  return last;
}

/**
 * @param {Dot} node
 * @param {number} radius
 * @param {number} angle
 */
function put(node, radius, angle) {
  node.x = radius * Math.cos(angle);
  node.y = radius * Math.sin(angle);
}
