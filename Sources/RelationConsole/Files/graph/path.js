// @ts-check
// The shortest path from one user to another, over the friend lists of users from both ends.

import {pages} from '../shared/api.js';
import {number} from '../shared/dom.js';

/** The most friend lists of one search, the most rows of each, and the calls at the same time. */
const [MOST_LISTS, MOST_ROWS, AT_ONCE] = [600, 3_000, 6];

/**
 * The users of a shortest path, with both ends; none if there is none, or if it is too far.
 *
 * A friendship one way joins two users too. Each round reads the lists of the side with fewer users
 * at its edge.
 *
 * @param {string} one
 * @param {string} other
 * @param {(user: string) => Promise<string[]>} friends
 */
export async function shortest(one, other, friends, most = MOST_LISTS) {
  const sides = [one, other].map(id => ({seen: new Map([[id, '']]), edge: [id]}));
  let read = 0;
  let met = one === other ? one : '';
  while (!met && read < most && sides.every(({edge}) => edge.length)) {
    const [side, far] = sides[0].edge.length > sides[1].edge.length ? sides.toReversed() : sides;
    const queue = side.edge.values();
    side.edge = [];
    await Promise.all(Array.from({length: AT_ONCE}, async () => {
      for (const id of queue) {
        if (met || read >= most) return;
        read += 1;
        for (const friend of await friends(id)) {
          if (side.seen.has(friend)) continue;
          side.seen.set(friend, id);
          side.edge.push(friend);
          if (far.seen.has(friend)) met ||= friend;
        }
      }
    }));
  }
  const [begin, end] = sides.map(({seen}) => {
    const ids = [];
    for (let id = met; id; id = seen.get(id) ?? '') ids.push(id);
    return ids;
  });
  return {ids: [...begin.reverse(), ...end.slice(1)], read, isBound: !met && read >= most};
}

/**
 * The same with the lists of the server, and with a sentence about it.
 *
 * @param {string} one
 * @param {string} other
 * @param {AbortSignal} signal
 */
export async function path(one, other, signal) {
  const {ids, read, isBound} = await shortest(one, other, async userId => {
    const found = /** @type {string[]} */ ([]);
    try {
      for await (const {rows} of pages('FriendService/ListFriends',
        {userId, pageSize: 1_000, readMask: 'userId'}, 'friends', signal)) {
        found.push(...rows.map(({userId = ''}) => userId));
        if (found.length >= MOST_ROWS) break;
      }
    } catch (/** @type {any} */ error) {
      // An account may end meanwhile.
      if (error.reason !== 'USER_NOT_FOUND' || [one, other].includes(userId)) throw error;
    }
    return found;
  });
  const [after, steps] = [`Friend lists that were read: ${number(read)}.`, ids.length - 1];
  return {ids, said: ids.length
    ? `The shortest path from ${one} to ${other} has ${steps === 1 ? 'one step'
      : `${number(steps)} steps`}. ${after}`
    : isBound ? `No path from ${one} to ${other} is near. ${after} No more are read.`
      : `There is no path from ${one} to ${other}. ${after}`};
}
