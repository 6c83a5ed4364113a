// @ts-check
// A call as a program: curl, Python and Swift. A placeholder stands where a credential would.

import {capitals, messageOf} from '../shared/contract.js';
import {parted} from '../shared/labels.js';

/** The scheme of the path of a socket in the file system. */
export const UNIX = 'unix:';

/**
 * The address with its scheme; that of a socket as it is.
 *
 * @param {Who} who
 */
export const origin = who => who.place.address.startsWith(UNIX) ? who.place.address : web(who);
/** @type {(who: Who, address?: string) => string} the same as one of the web, also of a socket */
const web = ({place}, address = place.address) =>
  `http${place.encrypted ? 's' : ''}://${address}`;

/** @param {(string | null | false | undefined)[]} parts */
export const joined = parts =>
  parts.filter(part => part || part === '').join('\n');

/** @param {Call} call */
export const serviceOf = call => call.service.name.replace(/Service$/, '');

/** @param {string} text */
const quoted = text => `'${text.replaceAll("'", "'\\''")}'`;

/**
 * The environment's variable that holds the credential, and the word in front of it.
 *
 * @param {Who} who
 */
export function secret({credential}) {
  if (!credential) return null;
  return credential.startsWith('UserSig ')
    ? {word: 'UserSig', variable: 'RELATION_USER_SIG', kind: 'userSig'}
    : {word: 'Bearer', variable: 'RELATION_API_KEY', kind: 'apiKey'};
}

/** @type {Writer} */
export function curl(_, call, requests, who) {
  const key = secret(who);
  const stream = call.sends || call.gives;
  const to = origin(who);
  const socket = to.startsWith(UNIX) && to.slice(UNIX.length);
  const lines = [`curl -s${stream ? 'N' : ''} ${
    socket ? `--unix-socket ${quoted(socket)} ${web(who, 'localhost')}` : to}/relation.v1.${
    call.path}`,
    `-H 'content-type: application/${stream ? 'connect+json' : 'json'}'`];
  if (key) lines.push(`-H "authorization: ${key.word} $${key.variable}"`);
  if (who.app) lines.push(`-H ${quoted(`x-app-id: ${who.app}`)}`);
  if (!stream) return [...lines, `-d ${quoted(JSON.stringify(requests[0]))}`].join(' \\\n    ');
  // Each message has five bytes in front: no flags, and its length.
  const frames = requests.map(request => {
    const text = JSON.stringify(request);
    const {length} = new TextEncoder().encode(text);
    const head = [0, length >>> 24, length >>> 16 & 255, length >>> 8 & 255, length & 255];
    const octal = head.map(byte => `\\${byte.toString(8).padStart(3, '0')}`).join('');
    return `printf '${octal}%s' ${quoted(text)}`;
  });
  return `{ ${frames.join('\n  ')}\n} | ${lines.join(' \\\n    ')} \\\n    --data-binary @-`;
}

/**
 * The fields that a value of a message has, in the order of the contract.
 *
 * @param {Contract} all
 * @param {string} type
 * @param {Dynamic} value
 */
export function present(all, type, value) {
  return messageOf(all, type).fields
    .map(field => ({field, value: value?.[field.json] ?? value?.[field.name]}))
    .filter(each => each.value !== undefined && each.value !== null);
}

/**
 * Bytes of base64; none if it is not base64.
 *
 * @param {unknown} text
 */
export function bytesOf(text) {
  try {
    const raw = atob(String(text).replace(/-/g, '+').replace(/_/g, '/'));
    return Array.from(raw, letter => letter.charCodeAt(0));
  } catch {
    return [];
  }
}

/**
 * The paths of a mask as the contract writes them; the key behind `custom.` stays as it is.
 *
 * @param {unknown} text
 */
export const paths = text => String(text).split(',').filter(Boolean).map(path => {
  const key = path.search(/(?<![^.])custom\./);
  const end = key < 0 ? path.length : key;
  return path.slice(0, end).replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)
    + path.slice(end);
});
/** @param {unknown} value */
const wholeNumber = value => /^-?\d+$/.test(String(value)) ? String(value) : '0';
/** @type {(text: string, by: number) => string} */
const indented = (text, by) => text.replace(/\n/g, `\n${' '.repeat(by)}`);

/**
 * A list or a call in one line if it is short, else a line for each part.
 *
 * @param {string} begin
 * @param {string[]} parts
 * @param {string} end
 * @param {string} comma
 */
export function list(begin, parts, end, comma) {
  const line = `${begin}${parts.join(', ')}${end}`;
  if (line.length < 76 && !line.includes('\n')) return line;
  return `${begin}\n${parts.map(part => `    ${indented(part, 4)}`).join(',\n')}${comma}\n${end}`;
}

/**
 * A value of a field, by the words of a language.
 *
 * @param {Contract} all
 * @param {Field} field
 * @param {any} value
 * @param {Language} language
 * @returns {string}
 */
function literal(all, field, value, language) {
  if (field.map) return language.map(Object.entries(value), each => single(each));
  if (field.repeated) return language.list([value].flat().map(each => single(each)));
  return single(value);
  /** @param {any} one */
  function single(one) {
    if (field.type === 'google.protobuf.FieldMask') return language.mask(paths(one));
    if (all.messages.has(field.type)) return language.message(field.type, one);
    if (all.enums.has(field.type)) return language.enumeration(
      /** @type {Enum} */ (all.enums.get(field.type)), one);
    if (field.type === 'bytes') return language.bytes(bytesOf(one));
    if (field.type === 'bool') return language.bool(one === true);
    return field.type === 'string' ? language.text(String(one)) : wholeNumber(one);
  }
}

/**
 * Python's messages take dictionaries for the messages in them, and names for values.
 *
 * @type {Writer}
 */
export function python(all, call, requests, who) {
  /** @type {(type: string, value: Dynamic) => [string, string][]} */
  const pairs = (type, value) => present(all, type, value).map(each =>
    [each.field.name, literal(all, each.field, each.value, language)]);
  /** @param {[string, string][]} all */
  const dictionary = all => list('{', all.map(([key, value]) =>
    `${JSON.stringify(key)}: ${value}`), '}', ',');
  /** @type {Language} */
  const language = {
    list: parts => list('[', parts, ']', ','),
    map: (entries, single) => dictionary(entries.map(([key, value]) => [key, single(value)])),
    mask: names => `{"paths": ${JSON.stringify(names)}}`,
    message: (type, value) => dictionary(pairs(type, value)),
    enumeration: (_, value) => JSON.stringify(value),
    text: JSON.stringify,
    bytes: bytes => `bytes(${JSON.stringify(bytes)})`,
    bool: value => value ? 'True' : 'False',
  };
  const made = requests.map(request => list(`v1.${call.request}(`,
    pairs(call.request, request).map(pair => pair.join('=')), ')', ','));
  const key = secret(who);
  const kind = key && parted(key.kind);
  const options = [JSON.stringify(web(who)),
    key && `credential=${kind}(os.environ["${key.variable}"])`, who.app && `app=${who.app}`];
  const called = `client.${parted(serviceOf(call))}.${parted(call.name)}(request${
    call.sends ? 's' : ''})`.toLowerCase();
  return joined([
    key && 'import os\n', `from relation_client import Client, ${key ? `${kind}, ` : ''}v1\n`,
    call.sends ? `requests = ${list('[', made, ']', ',')}` : `request = ${made[0]}`,
    `with Client(${options.filter(Boolean).join(', ')}) as client:`,
    call.gives ? `    for answer in ${called}:\n        print(answer)` : `    print(${called})`,
  ]);
}

/**
 * A message whose fields are set in a closure: in one line if it is short.
 *
 * @param {string[]} fields
 */
function swiftMessage(fields) {
  const set = fields.map(field => `$0.${field}`);
  if (!set.length) return '.init()';
  return set.length > 1 || set[0].length > 60 || set[0].includes('\n')
    ? `.with {\n    ${indented(set.join('\n'), 4)}\n}` : `.with { ${set} }`;
}

/**
 * A name in the way of Swift: `userID` of `user_id`.
 *
 * @param {string} name
 */
function swiftName(name) {
  const camel = name.toLowerCase().replace(/_(.)/g, (_, letter) => letter.toUpperCase());
  return camel.replace(/(?<=.)(Id|Url|Sha|Rest|Tim)(?=s?(\d|[A-Z]|$))/g,
    word => word.toUpperCase());
}

/**
 * The values whose names in Swift do not follow from those of the contract.
 *
 * @type {Record<string, string>}
 */
const SWIFT_VALUES = {APP_PRESET_RONGCLOUD: 'rongCloud', BLACKLIST_RELATION_NO: 'none',
  CHANGE_KIND_SNS_PROFILE_CHANGE: 'friendChange'};

/** @type {Writer} */
export function swift(all, call, requests, who) {
  /** @type {Language} */
  const language = {
    list: parts => list('[', parts, ']', ''),
    map: (pairs, single) => pairs.length
      ? list('[', pairs.map(([key, value]) => `${JSON.stringify(key)}: ${single(value)}`), ']', '')
      : '[:]',
    mask: names => `FieldMask(${JSON.stringify(names)})`,
    message: (type, value) => swiftMessage(present(all, type, value).map(({field, value}) => {
      const name = swiftName(field.name);
      const made = literal(all, field, value, language);
      return field.oneof ? `${swiftName(field.oneof)} = .${name}(${made})` : `${name} = ${made}`;
    })),
    enumeration: ({name}, value) => {
      if (typeof value === 'number') return `${name}(rawValue: ${value})`;
      const said = SWIFT_VALUES[value] ?? swiftName(value.replace(`${capitals(name)}_`, '')
        .replace(/^DEL_/, 'DELETE_').replace(/_REQ$/, '_REQUEST'));
      // An optional field would take it for its own.
      return `${said === 'none' ? name : ''}.${said}`;
    },
    bytes: bytes => JSON.stringify(bytes),
    // Swift writes the number of a character in braces.
    text: text => `"${text.replace(/["\\]/g, '\\$&').replace(/\p{Cc}/gu, letter =>
      `\\u{${letter.charCodeAt(0).toString(16)}}`)}"`,
    bool: String,
  };
  const made = requests.map(request => call.request +
    language.message(call.request, request).replace(/^\.init/, ''));
  const key = secret(who);
  const {address, encrypted} = who.place;
  const [, host, port] = /^\[?(.*?)\]?:(\d+)$/.exec(address) ?? [];
  const place = address.startsWith(UNIX)
    ? `servers: [.unixSocket(path: ${JSON.stringify(address.slice(UNIX.length))})]`
    : `host: ${JSON.stringify(host)}, port: ${port}`;
  const name = `${call.service.name.replace(/^Friend(?=.+Service)|Service$/g, '')
    .replace(/Service$/, '')}Methods`;
  const method = swiftName(call.name.replace(/(?<!^)([A-Z])/g, '_$1'));
  const stream = call.sends || call.gives;
  return joined([
    key && 'import Foundation', 'import RelationClient', '',
    `${key || who.app || encrypted ? 'var' : 'let'} options = ClientOptions(${place})`,
    encrypted && 'options.security = .tls()',
    key && `let key = ProcessInfo.processInfo.environment["${key.variable}"] ?? ""`,
    key && `options.credential = .${key.kind}(key)`,
    who.app !== '' && `options.appID = ${who.app}`,
    'let client = try Client(options)',
    ...stream ? [
      `let stream = client.stream(${name}.${method})`,
      ...made.map(each => `try await stream.send(${each})`),
      'stream.finishSending()',
      'for try await answer in stream { print(answer) }',
    ] : [`let request = ${made[0]}`, `print(try await client.call(${name}.${method}, request))`],
    'await client.close()',
  ]);
}
