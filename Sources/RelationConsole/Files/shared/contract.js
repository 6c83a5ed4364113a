// @ts-check
// The contract with its comments: the same text that `relationctl describe` shows.

import {element} from './dom.js';
import {act, kindName, pathLabel, spoken} from './labels.js';

/** The most characters of a comment that stand beside a field; the rest opens on demand. */
const SHORT_HELP = 160;
/** Calls that have effects, although their requests have the options of reads. */
const EFFECTS = new Set(['BackupService/CreateBackup', 'MaintenanceService/CheckIntegrity']);
/** Imports that are many writes: of the options of writes they take `device_id` alone. */
const WITHOUT_DRY_RUN = new Set([
  'AccountService/ImportAccounts', 'MaintenanceService/ImportFriends',
  'MaintenanceService/ImportBlacklists', 'MaintenanceService/ImportFollows',
  'MaintenanceService/ImportProfiles']);

/** @type {Promise<Contract> | undefined} */
let held;

/** The contract; it is read once, and again after a failure. */
export function contract() {
  held ??= read().catch(error => {
    held = undefined;
    throw error;
  });
  return held;
}

async function read() {
  const answer = await fetch('/console/contract.zz');
  if (!answer.ok) throw new Error(`the contract cannot be read: HTTP ${answer.status}`);
  const packed = /** @type {ReadableStream<Uint8Array>} */ (answer.body);
  const plain = packed.pipeThrough(new DecompressionStream('deflate'));
  return parsed(await new Response(plain).text());
}

/**
 * The name of a field in JSON: `userId` of `user_id`.
 *
 * @param {string} name
 */
export const jsonName = name => name.replace(/_(.)/g, (_, letter) => letter.toUpperCase());

/**
 * The words of a name in capitals: `ADD_TYPE` of `AddType`.
 *
 * @param {string} name
 */
export const capitals = name => name.replace(/(?<!^)([A-Z])/g, '_$1').toUpperCase();

/**
 * The name of a value without the words of its enum.
 *
 * @param {string} type
 * @param {string} [name] of no value if a field is left out
 */
export function shortName(type, name = '') {
  return name.startsWith(`${capitals(type)}_`) ? name.slice(capitals(type).length + 1) : name;
}

/** @type {(type: string, name?: string) => string} the same in small words: `add friends` */
export const lower = (type, name) => shortName(type, name).toLowerCase().replaceAll('_', ' ');

/**
 * @param {string} text
 * @returns {Contract}
 */
function parsed(text) {
  /** @type {Contract} */
  const found = {
    services: [], calls: new Map(), messages: new Map(), enums: new Map(), foreign: new Map(),
    labels: new Map(),
  };
  // The parts to which the lines that follow belong.
  let lines = /** @type {string[]} */ ([]);
  let foreign = /** @type {string[]} */ ([]);
  let service = /** @type {Service} */ ({});
  let message = /** @type {Message} */ ({});
  let enumeration = /** @type {Enum} */ ({});
  for (const line of text.split('\n')) {
    if (line.startsWith('|')) {
      lines.push(line.slice(1));
      continue;
    }
    if (line.startsWith('=')) {
      foreign.push(...line.slice(1).split(' '));
      continue;
    }
    const [kind, name, number, type] = line.split('\t');
    lines = [];
    foreign = [];
    if (kind === 'S') {
      service = {name, lines, foreign, calls: []};
      found.services.push(service);
    } else if (kind === 'C') {
      const call = {name, lines, foreign, ...signature(service, name, type), reads: false,
        dryRun: false};
      service.calls.push(call);
      found.calls.set(call.path, call);
    } else if (kind === 'M') {
      message = {name, lines, foreign, fields: []};
      found.messages.set(name, message);
    } else if (kind === 'E') {
      enumeration = {name, lines, foreign, values: []};
      found.enums.set(name, enumeration);
    } else if (kind === 'F') {
      message.fields.push({name, lines, foreign, ...fieldType(type), json: jsonName(name)});
    } else if (kind === 'V') {
      enumeration.values.push(
        {name, number, lines, foreign, short: shortName(enumeration.name, name)});
    }
  }
  for (const call of found.calls.values()) {
    const options = messageOf(found, call.request).fields.find(({name}) => name === 'options');
    call.reads = options?.type === 'ReadOptions' && !EFFECTS.has(call.path);
    call.dryRun = options?.type === 'WriteOptions' && !WITHOUT_DRY_RUN.has(call.path);
    addForeign(found, call);
  }
  return found;
}

/**
 * Adds the names of other systems that lead to a call: those of the call, and of all that its
 * messages hold.
 *
 * @param {Contract} all
 * @param {Call} call
 */
function addForeign(all, call) {
  /**
   * @param {Described} part
   * @param {string} ours
   */
  const add = (part, ours) => {
    for (const name of part.foreign) {
      const key = name.toLowerCase();
      const known = all.foreign.get(key) ?? {ours: new Set(), paths: new Set()};
      known.ours.add(ours);
      known.paths.add(call.path);
      all.foreign.set(key, known);
    }
  };
  add(call, call.name);
  const seen = new Set();
  const waiting = [call.request, call.answer];
  for (let type = waiting.pop(); type; type = waiting.pop()) {
    if (seen.has(type)) continue;
    seen.add(type);
    const part = all.messages.get(type) ?? all.enums.get(type);
    if (!part) continue;
    add(part, type);
    if ('values' in part) {
      for (const value of part.values) add(value, value.name);
    } else {
      for (const field of part.fields) {
        add(field, `${type}.${field.name}`);
        waiting.push(field.type);
      }
    }
  }
}

/**
 * A message that the contract has.
 *
 * @param {Contract} all
 * @param {string} type
 */
export const messageOf = (all, type) => /** @type {Message} */ (all.messages.get(type));

/**
 * @param {Service} service
 * @param {string} name
 * @param {string} type
 * @returns {Signature}
 */
function signature(service, name, type) {
  const [, sends, request, gives, answer] =
    /^(stream )?(\w+) -> (stream )?(\w+)$/.exec(type) ?? [];
  return {
    path: `${service.name}/${name}`, service, request, answer,
    sends: Boolean(sends), gives: Boolean(gives),
  };
}

/**
 * @param {string} text
 * @returns {FieldType}
 */
function fieldType(text) {
  const [full, oneof = ''] = text.split(', of oneof ');
  const map = /^map<(\w+), (\w+)>$/.exec(full);
  if (map) return {type: map[2], key: map[1], map: true, oneof};
  const [, label = '', type] = /^(optional |repeated )?(.+)$/.exec(full) ?? [];
  return {
    type, oneof, repeated: label === 'repeated ', optional: label === 'optional ' || oneof !== '',
  };
}

/**
 * The paragraphs of a comment.
 *
 * @param {string[]} lines
 */
export function paragraphs(lines) {
  let last = /** @type {string[]} */ ([]);
  const all = [last];
  for (const line of lines) {
    if (line.trim() === '') all.push(last = []);
    else if (line.startsWith('- ')) all.push(last = [line]);
    else last.push(line.trim());
  }
  return all.map(words => words.join(' ')).filter(Boolean);
}

/**
 * A text whose `names` stand in code.
 *
 * @param {string} text
 */
export function words(text) {
  return text.split('`').map((part, index) =>
    index % 2 ? element('code', {}, part) : part).filter(part => part !== '');
}

/** What other systems call it: that says nothing to a person at a form. */
const VENDORS =
  new RegExp('\\b(?:TIM|RongCloud|Facebook)[\'’]s |TIM[a-z_]|TypeKey|[a-z]_[A-Z]|' +
    '[A-Z]_[A-Z]+_[A-Z][a-z]');
/** How a call fails, with its code. */
const FAILS = new RegExp('(?:\\b(is|are|with|has|answers) |(?<=^|- ))(?:INVALID_A\\w+|NOT_FOUND|' +
  'ALREADY\\w+|PERMISSION_D\\w+|FAILED_P\\w+|RESOURCE_E\\w+|ABORTED|UNAVAIL\\w+|UNAUTH\\w+|' +
  'INTERNAL)(?:,? (?:reason )?[A-Z]+_[A-Z_]+)?(?:(?<!is.*|are.*|with.*): )?', 'g');
/** Names of the contract in a text. */
const NAMES = new RegExp('`([a-z][a-z\\d_]*(?:\\.[a-z_]+)*(?<!_))`|' +
  '`?\\b([A-Z][A-Z\\d]*(?:_[A-Z\\d]+)+|[A-Z]{4,})\\b`?|' +
  '\\b([a-z]+(?:_[a-z\\d]+)+)\\b|' +
  '`?\\b(?!RongC|CloudE|WebS|UserSig)((?:[A-Z]|[a-z]+(?=[A-Z]))[a-z]*(?:[A-Z][a-z]+)+)\\b`?', 'g');

/**
 * A comment in the words of a form: fields, values and calls have their labels.
 *
 * @param {Contract} all
 * @param {string} text
 */
export function plainly(all, text) {
  if (!all.labels.size) {
    for (const {name: type, values} of all.enums.values()) {
      const say = type === 'ChangeKind' ? kindName : spoken;
      for (const {name, short} of values) {
        all.labels.set(name, say(short)).set(short, all.labels.get(short) ?? say(short));
      }
    }
    for (const {name} of all.calls.values()) all.labels.set(name, act(name));
    all.labels.set('UNSPECIFIED', 'no choice').set('UNAUTHENTICATED', 'not signed in');
  }
  return text.split(/(?<=[.;:]) /).filter(part => !VENDORS.test(part)).join(' ')
    .replace(/[;:,]$/, '.').replace(FAILS, (_, verb) =>
      verb ? /is|are/.test(verb) ? `${verb} refused` : `${verb} a refusal` : '')
    .replace(NAMES, (whole, field, value, bare, camel) => {
      if (field || bare) return `“${pathLabel(field || bare)}”`;
      const known = all.labels.get(value || camel);
      return known || camel ? `“${known ?? act(camel)}”`
        : value.includes('_') ? spoken(value).toLowerCase() : whole;
    }).trim().replace(/^[a-z]/, letter => letter.toUpperCase());
}

/**
 * The first sentence of a text, without the rest of it behind a semicolon.
 *
 * @param {string} text
 */
export const sentence = text => text.split(/[.;:](?= |$)/, 1)[0];

/**
 * A comment as help: its first sentence, and the rest on demand.
 *
 * @param {string[]} lines
 * @param {string} [id]
 * @param {Contract | null} [all] the contract, for the words of a form in place of its names
 */
export function help(lines, id, all) {
  const [first = '', ...others] = paragraphs(lines).map(text => all ? plainly(all, text) : text)
    .filter(Boolean);
  if (!first) return null;
  const end = first.search(/[.:] (?=[A-Z`])/) + 1;
  const short = end > 0 && end < SHORT_HELP ? first.slice(0, end) : cut(first);
  const rest = [first.slice(short.length).trim(), ...others].filter(Boolean);
  return element('div', {class: 'help'},
    element('span', {id}, words(short.replace(/:$/, '.'))),
    rest.length > 0 && element('details', {},
      element('summary', {'aria-label': `more: ${short.slice(0, 40)}`}, 'more'),
      rest.map(paragraph => element('p', {}, words(paragraph)))));
}

/**
 * The beginning of a long sentence, ended between two words.
 *
 * @param {string} text
 */
function cut(text) {
  if (text.length <= SHORT_HELP) return text;
  const end = text.lastIndexOf(' ', SHORT_HELP);
  // A name in code is not torn.
  const begun = text.slice(0, end);
  return (begun.split('`').length % 2 ? begun : begun.slice(0, begun.lastIndexOf('`'))).trim();
}

/**
 * The comment of a value of an enum as one text; empty for a value that is not known.
 *
 * @param {Contract} all
 * @param {string} type
 * @param {string} name
 */
export function meaning(all, type, name) {
  const value = all.enums.get(type)?.values.find(each => each.name === name);
  return value ? paragraphs(value.lines).join(' ') : '';
}

/**
 * Why something is refused: its reason in words, and its code if it has none; `info` names the
 * reason as other systems do.
 *
 * @param {Contract} all
 * @param {string} type the enum of the code
 * @param {string} code
 * @param {string} [reason]
 */
export function why(all, type, code, reason = '') {
  const [, info = '', said = meaning(all, type, code)] =
    /^`(\w+)`, [^:]*: (.*)/.exec(meaning(all, 'Reason', reason)) ?? [];
  return {info, text: sentence(plainly(all, said)) || reason || code};
}
