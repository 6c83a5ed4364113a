// @ts-check
// The words of people for names of the contract.

import {number} from './dom.js';

/**
 * The units of durations, each in milliseconds.
 *
 * @type {Record<string, number>}
 */
const UNITS = {days: 864e5, hours: 36e5, minutes: 6e4, seconds: 1e3, milliseconds: 1};

/**
 * The unit of a field that holds a duration, by the end of its name; nothing for other fields.
 *
 * @param {string} name
 */
export function unitOf(name) {
  const [, end = ''] = /_(ms|seconds|days)$/.exec(name) ?? [];
  return isTime(name) ? undefined : end === 'ms' ? 'milliseconds' : end;
}

/**
 * Whether a field holds a moment in milliseconds since 1970.
 *
 * @param {string} name
 */
export const isTime = name => /(^|_)(time|timestamp|until|since|as_of)_ms$/.test(name);

/** @type {(unit: string) => string[]} the units in which one may be typed, the longest first */
export const unitsFrom = unit => Object.keys(UNITS).filter(name => UNITS[name] >= UNITS[unit]);

/** @type {(value: number, from: string, to: string) => number} the same duration in another unit */
export const inUnit = (value, from, to) => +(value * UNITS[from] / UNITS[to]).toFixed(3);

/** @type {(value: any, unit: string) => string} the longest unit in which it is a whole number */
export const bestUnit = (value, unit) =>
  unitsFrom(unit).find(each => +value && value * UNITS[unit] % UNITS[each] === 0) ?? unit;

/**
 * The help of a field that holds a duration, with those in it in words.
 *
 * @param {string[]} lines
 * @param {string} unit
 */
export const inWords = (lines, unit) => lines.join('\n')
  .replace(/,?\s(in (milli)?seconds|ms)\b/g, '').replace(/How\smany\sseconds/, 'How long')
  .replace(/\b([1-9]\d*(?= to \d)|\d+(,\d{3})+|\d{6,})\b/g, found =>
    lasting(found.replaceAll(',', ''), unit)).split('\n');

/**
 * A duration in words: `7 days`.
 *
 * @param {string | number} value
 * @param {string} unit
 */
export function lasting(value, unit = 'milliseconds') {
  const best = bestUnit(value, unit);
  const count = inUnit(Number(value), unit, best);
  return `${number(count)} ${count === 1 ? best.slice(0, -1) : best}`;
}
/** The words that are written in capitals. */
const CAPITALS = /\b(id|url|ip|tls|tim|json|qps)(s?)\b/gi;

/**
 * A name in capitals or with underscores as words: `Ask first` of `ASK_FIRST`.
 *
 * @param {string} name
 */
export function spoken(name) {
  const text = name.replace(/_/g, ' ').trim().toLowerCase()
    .replace(CAPITALS, (_, word, end) => word.toUpperCase() + end);
  return text === 'grpc' ? 'gRPC' : text.charAt(0).toUpperCase() + text.slice(1);
}

/**
 * The labels of fields whose names in the contract are not words of people.
 *
 * @type {Record<string, string>}
 */
const WORDS = {
  nick: 'Nickname', face_url: 'Picture address', self_signature: 'Words about itself',
  location: 'Place', email: 'Mail address', allow_type: 'Users who apply for friendship',
  msg_settings: 'Message settings', admin_forbid_type: 'Forbidden by administrators',
  pendencies: 'Applications', come_in: 'Received', send_out: 'Sent', add_time_ms: 'Since',
};

/**
 * The label of a field, without its unit: `Ask timeout` of `ask_timeout_ms`.
 *
 * @param {string} name
 */
export function label(name) {
  const bare = name.replace(/_(ms|seconds|bytes)$/, '');
  return WORDS[name] ?? WORDS[bare] ?? spoken(bare);
}

/**
 * The short names of kinds of events whose names in the contract are not words.
 *
 * @type {Record<string, string>}
 */
const NAMES = {
  ADD_FRIEND: 'Friends added', DEL_FRIEND: 'Friends lost', ADD_FRIEND_REQ: 'Application came',
  DEL_FRIEND_REQ: 'Application gone', ADD_BLACKLIST: 'Blocked', DEL_BLACKLIST: 'Unblocked',
  PENDENCY_REPORT: 'Applications read', SNS_PROFILE_CHANGE: 'Entries changed',
  PROFILE_CHANGE: 'Profile changed',
};
/**
 * The name of a kind of events, such as `DEL_FRIEND`.
 *
 * @param {string} kind
 */
export const kindName = kind => NAMES[kind] ?? spoken(kind);

/**
 * A name of a call, or one in JSON, as the contract has fields: `face_url` of `faceUrl`.
 *
 * @param {string} name
 */
export const parted = name =>
  name.replace(/(?<!^)[A-Z]/g, letter => `_${letter.toLowerCase()}`);

/**
 * The name of a call as words: `Create hook` of `CreateHook`.
 *
 * @param {string} name
 */
export const act = name => spoken(parted(name));

/**
 * The label of a setting or of a limit by its path: `Limits › Group name` of `limits.group_name`.
 *
 * @param {string} path
 */
export const pathLabel = path => path.split('.').map(name => label(
  parted(name).replace(/\[(\d+)\]$/, (_, index) => ` ${+index + 1}`)))
  .join(' › ');

/**
 * A moment as a field for times takes it; nothing for none, and for one that no calendar has.
 *
 * @param {number} milliseconds
 */
export function localTime(milliseconds) {
  const offset = new Date(milliseconds).getTimezoneOffset() * 60_000;
  const local = new Date(milliseconds - offset);
  return milliseconds && local.getTime() ? local.toISOString().slice(0, 19) : undefined;
}
