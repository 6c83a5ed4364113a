// @ts-check
// Whether all is well with the server, and why not, from its own numbers.

import {bytes, number} from '../shared/dom.js';

/** @typedef {import('./metrics.js').Pair} Pair */
/** @typedef {{kind: 'bad' | 'warn', text: string}} Problem */

/** The part of a bound from which on the page warns. */
const NEARLY = 0.8;
/** A 99th percentile of calls above this is slow. */
const SLOW_SECONDS = 0.5;
/** The codes that are errors of the server or of its load, and not of a request. */
const FAILURES = ['INTERNAL', 'UNKNOWN', 'DATA_LOSS', 'UNAVAILABLE', 'RESOURCE_EXHAUSTED',
  'DEADLINE_EXCEEDED'];
/** The codes that say nothing of the server: a look-up found no one, or its caller left. */
export const HARMLESS = new Set(['OK', 'NOT_FOUND', 'CANCELLED']);
/**
 * What has a bound: its words, the number and the bound.
 *
 * @type {[string, string, string][]}
 */
const BOUNDS = [
  ['queued writes', 'relation_waiting_operations', 'relation_waiting_operations_max'],
  ['connections', 'relation_connections', 'relation_connections_max'],
  ['streams', 'relation_watch_streams', 'relation_watch_streams_max'],
  ['events before the streams', 'relation_watch_waiting_events',
    'relation_watch_waiting_events_max'],
  ['open files', 'process_open_fds', 'process_max_fds'],
  ['connections to the database', 'relation_database_connections_used',
    'relation_database_connections_max'],
];

/**
 * How full what has a bound is, from 0 to 1: the fullest first.
 *
 * @param {import('./metrics.js').Reading} now
 */
export function fullness(now) {
  return BOUNDS.flatMap(([name, used, most]) => {
    const [value, bound] = [now.sum(used), now.sum(most)];
    return value === null || !bound ? [] : [{name, value, bound, share: value / bound}];
  }).sort((one, other) => other.share - one.share);
}

/**
 * What is not well, the worst first. `pair` spans the last ten minutes.
 *
 * @param {Pair} pair
 * @param {number} nowMs the time of day
 * @returns {Problem[]}
 */
export function problems(pair, nowMs) {
  const {now} = pair;
  /** @type {Problem[]} */
  const found = [];
  /** @type {(kind: Problem['kind'], text: string) => void} */
  const add = (kind, text) => { found.push({kind, text}); };
  const [free, reserve] = ['relation_store_free_bytes', 'relation_store_reserve_bytes']
    .map(name => now.sum(name));
  if (free !== null && reserve && free < 2 * reserve) {
    add(free < reserve ? 'bad' : 'warn', free < reserve
      ? `The disk is full: ${bytes(free)} are free, and below ${bytes(reserve)} writes are refused.`
      : `The disk is nearly full: ${bytes(free)} are free. Writes end below ${bytes(reserve)}.`);
  }
  if (now.sum('relation_store_writes_stopped')) add('bad', 'The store accepts no write.');
  for (const code of FAILURES) {
    const count = pair.growth('relation_calls_total', {code}) ?? 0;
    if (count) add('bad', `${number(count)} calls failed with ${code} in the last 10 minutes.`);
  }
  const refused = pair.growth('relation_refused_writes_total') ?? 0;
  if (refused) add('bad', `${number(refused)} writes were refused because too much waited.`);
  for (const {name, value, bound, share} of fullness(now)) {
    if (share >= NEARLY) {
      add(share >= 1 ? 'bad' : 'warn', `${number(value)} of ${number(bound)} ${name} are in use.`);
    }
  }
  addBackups(now, nowMs, add);
  const [stopped, failing] = ['relation_hooks_stopped', 'relation_hooks_failing']
    .map(name => now.sum(name) ?? 0);
  if (stopped) add('warn', `${number(stopped)} webhooks are stopped.`);
  if (failing) add('warn', `Requests of ${number(failing)} webhooks fail.`);
  const slow = pair.quantile('relation_call_duration_seconds', 0.99);
  if (slow !== null && slow > SLOW_SECONDS) {
    add('warn', `One call of a hundred takes ${number(slow)} s or longer.`);
  }
  return found.sort((one, other) => Number(other.kind === 'bad') - Number(one.kind === 'bad'));
}

/**
 * @param {import('./metrics.js').Reading} now
 * @param {number} nowMs
 * @param {(kind: Problem['kind'], text: string) => void} add
 */
function addBackups(now, nowMs, add) {
  const interval = now.sum('relation_backup_interval_seconds');
  const last = now.sum('relation_backup_last_success_timestamp_seconds');
  // Only calls make backups where there is no interval; a new server has some time for its first.
  if (!interval || last === null) return;
  const since = last || (now.sum('process_start_time_seconds') ?? 0);
  const hours = (nowMs / 1000 - since) / 3600;
  if (hours * 3600 > interval) {
    add('warn', last ? `The newest backup is ${number(hours)} hours old.` : 'There is no backup.');
  }
}
