// The contract with its comments: the same text that `relationctl describe` shows.

import {element} from './dom.js';

/** The most characters of a comment that stand beside a field; the rest opens on demand. */
const SHORT_HELP = 160;
/** Calls that have effects, although their requests have the options of reads. */
const EFFECTS = new Set(['BackupService/CreateBackup', 'MaintenanceService/CheckIntegrity']);
/** Imports that are many writes: of the options of writes they take `device_id` alone. */
const WITHOUT_DRY_RUN =
  new Set(['AccountService/ImportAccounts', 'MaintenanceService/ImportFriends']);

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
  const plain = answer.body.pipeThrough(new DecompressionStream('deflate'));
  return parsed(await new Response(plain).text());
}

/** The name of a field in JSON: `userId` of `user_id`. */
export const jsonName = name => name.replace(/_(.)/g, (_, letter) => letter.toUpperCase());

/** The words of a name in capitals: `ADD_TYPE` of `AddType`. */
export const capitals = name => name.replace(/(?<!^)([A-Z])/g, '_$1').toUpperCase();

/** The name of a value without the words of its enum. */
export function shortName(type, name) {
  return name.startsWith(`${capitals(type)}_`) ? name.slice(capitals(type).length + 1) : name;
}

function parsed(text) {
  const found = {services: [], calls: new Map(), messages: new Map(), enums: new Map()};
  // Each file of the contract begins with its service; two files without one come first.
  let module = 'reason';
  let whole, last;
  for (const line of text.split('\n')) {
    if (line.startsWith('|')) {
      last.lines.push(line.slice(1));
      continue;
    }
    const [kind, name, number, type] = line.split('\t');
    last = {name, number, type, lines: []};
    if (kind === 'S') {
      module = capitals(name.replace(/Service$/, '').replace(/^Friend(?=.)/, '')).toLowerCase();
      whole = Object.assign(last, {calls: [], module});
      found.services.push(whole);
    } else if (kind === 'C') {
      Object.assign(last, signature(whole, last));
      whole.calls.push(last);
      found.calls.set(last.path, last);
    } else if (kind === 'M') {
      if (module === 'reason') module = 'common';
      whole = Object.assign(last, {fields: [], module});
      found.messages.set(name, whole);
    } else if (kind === 'E') {
      whole = Object.assign(last, {values: [], module});
      found.enums.set(name, whole);
    } else if (kind === 'F') {
      whole.fields.push(Object.assign(last, fieldType(type), {json: jsonName(name)}));
    } else if (kind === 'V') {
      whole.values.push(Object.assign(last, {short: shortName(whole.name, name)}));
    }
  }
  for (const call of found.calls.values()) {
    const options = found.messages.get(call.request).fields.find(({name}) => name === 'options');
    call.reads = options?.type === 'ReadOptions' && !EFFECTS.has(call.path);
    call.dryRun = options?.type === 'WriteOptions' && !WITHOUT_DRY_RUN.has(call.path);
  }
  return found;
}

function signature(service, {name, type}) {
  const [, sends, request, gives, answer] =
    /^(stream )?(\w+) -> (stream )?(\w+)$/.exec(type);
  return {
    path: `${service.name}/${name}`, service, request, answer,
    sends: Boolean(sends), gives: Boolean(gives),
  };
}

function fieldType(text) {
  const [full, oneof = ''] = text.split(', of oneof ');
  const map = /^map<(\w+), (\w+)>$/.exec(full);
  if (map) return {type: map[2], key: map[1], map: true, oneof};
  const [, label = '', type] = /^(optional |repeated )?(.+)$/.exec(full);
  return {
    type, oneof, repeated: label === 'repeated ', optional: label === 'optional ' || oneof !== '',
  };
}

/** The paragraphs of a comment. */
export function paragraphs(lines) {
  const all = [[]];
  for (const line of lines) {
    if (line.trim() === '') all.push([]);
    else if (line.startsWith('- ')) all.push([line]);
    else all.at(-1).push(line.trim());
  }
  return all.map(words => words.join(' ')).filter(Boolean);
}

/** A text whose `names` stand in code. */
export function words(text) {
  return text.split('`').map((part, index) =>
    index % 2 ? element('code', {}, part) : part).filter(part => part !== '');
}

/** A comment as help: its first sentence, and the rest on demand. */
export function help(lines, id) {
  const [first = '', ...others] = paragraphs(lines);
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

/** The beginning of a long sentence, ended between two words. */
function cut(text) {
  if (text.length <= SHORT_HELP) return text;
  const end = text.lastIndexOf(' ', SHORT_HELP);
  // A name in code is not torn.
  const begun = text.slice(0, end);
  return (begun.split('`').length % 2 ? begun : begun.slice(0, begun.lastIndexOf('`'))).trim();
}

/** The comment of a value of an enum as one text; empty for a value that is not known. */
export function meaning(all, type, name) {
  const value = all.enums.get(type)?.values.find(each => each.name === name);
  return value ? paragraphs(value.lines).join(' ') : '';
}

/** The paths of all calls, in the order of the contract. */
export async function allCalls() {
  return [...(await contract()).calls.values()].map(
    ({path, reads, dryRun, sends, gives}) => ({path, reads, dryRun, sends, gives}));
}
