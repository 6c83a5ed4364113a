// @ts-check
// A call as a program in each language; those for our packaged clients are here.

import {bytesOf, curl, joined, list, origin, paths, present, python, secret, serviceOf, swift, UNIX}
  from './snippets.js';

/** @type {(writer: Writer, install: string, mark?: string) => Writer} says how it is installed */
const packaged = (writer, install, mark = '//') => (...call) =>
  `${mark} The client of \`make clients\`: ${install}\n${writer(...call)}`;

/** @type {Record<string, Writer>} */
export const LANGUAGES = {curl,
  Python: packaged(python, 'pip install relation_client-*.whl', '#'),
  Go: packaged(go, 'go get git.example/relation-chain/gen/go'),
  TypeScript: packaged(typescript, 'npm install ./relation-client-*.tgz'),
  Java: packaged(java, 'example.git.relation.v1:relation-client'),
  Swift: swift};

/** @param {string} name */
const lowerFirst = name => name.charAt(0).toLowerCase() + name.slice(1);
/**
 * A name as Go's and Java's code of protobuf has it: `UserId` of `user_id`.
 *
 * @param {string} name
 */
const camel = name => `_${name}`.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());

/** @param {Who} who */
const note = who => who.place.address.startsWith(UNIX)
  ? '// This client needs an address of the network in place of a socket.' : null;

/** @type {Writer} */
function typescript(_, call, requests, who) {
  const key = secret(who);
  const options = [key && `credential: ${key.kind}(process.env.${key.variable} ?? "")`,
    who.app && `app: ${who.app}`].filter(Boolean).join(', ');
  // A message is ProtoJSON, in which a name needs no quotes.
  const given = JSON.stringify(call.sends ? requests : requests[0], null, 2)
    .replace(/"(\w+)":/g, '$1:');
  const made = `client.${lowerFirst(serviceOf(call))}.${lowerFirst(call.name)}(${given})`;
  return joined([
    `import { ${key ? `${key.kind}, ` : ''}Client } from "relation-client";`, '', note(who),
    `const client = new Client(${JSON.stringify(origin(who))}${options && `, { ${options} }`});`,
    call.gives ? `for await (const answer of ${made}) {\n  console.log(answer);\n}`
      : `console.log(await ${made});`,
  ]);
}

/** @type {Writer} */
function go(all, call, requests, who) {
  const used = new Set(['context', 'fmt']);
  /** @param {string} type */
  const typeOf = type => all.messages.has(type) ? `*v1.${type}` : all.enums.has(type) ? `v1.${type}`
    : type === 'bytes' ? '[]byte' : type === 'google.protobuf.FieldMask'
      ? '*fieldmaskpb.FieldMask' : type;
  /** @type {(type: string, value: any) => string} */
  const single = (type, value) => {
    if (all.messages.has(type)) return `&${message(type, value)}`;
    if (all.enums.has(type)) {
      return typeof value === 'number' ? `v1.${type}(${value})` : `v1.${type}_${value}`;
    }
    if (type === 'google.protobuf.FieldMask') {
      used.add('google.golang.org/protobuf/types/known/fieldmaskpb');
      return `&fieldmaskpb.FieldMask{Paths: []string${list('{',
        paths(value).map(path => JSON.stringify(path)), '}', ',')}}`;
    }
    if (type === 'bytes') return `[]byte{${bytesOf(value).join(', ')}}`;
    return type === 'string' ? JSON.stringify(value) : String(value);
  };
  /** @type {(field: Field, value: any) => string} */
  const literal = ({type, repeated, map, key, optional, oneof}, value) => {
    if (map) {
      return list(`map[${key}]${typeOf(type)}{`, Object.entries(value).map(([name, each]) =>
        `${key === 'string' ? JSON.stringify(name) : name}: ${single(type, each)}`), '}', ',');
    }
    if (repeated) {
      return list(`[]${typeOf(type)}{`, [value].flat().map(each => single(type, each)), '}', ',');
    }
    const made = single(type, value);
    // A field that may be absent is a pointer, unless it is one of several.
    if (!optional || oneof || all.messages.has(type) || type.includes('.') || type === 'bytes') {
      return made;
    }
    if (all.enums.has(type)) return `${made}.Enum()`;
    used.add('google.golang.org/protobuf/proto');
    return `proto.${camel(type)}(${made})`;
  };
  /** @type {(type: string, value: Dynamic) => string} */
  function message(type, value) {
    return list(`v1.${type}{`, present(all, type, value).map(({field, value}) => {
      // Go's code of protobuf has methods of these names.
      const name = camel(field.name).replace(/^(Reset|String|Descriptor)$/, '$1_');
      const part = `${name}: ${literal(field, value)}`;
      return field.oneof ? `${camel(field.oneof)}: &v1.${type}_${name}{${part}}` : part;
    }), '}', ',');
  }
  const key = secret(who);
  if (key) used.add('os');
  const options = [key && `Credential: relation.${key.kind === 'apiKey' ? 'APIKey' : 'UserSig'}(` +
    `os.Getenv("${key.variable}"))`, who.app && `App: ${who.app}`].filter(Boolean).join(', ');
  const made = requests.map(request => `&${message(call.request, request)}`);
  const method = `client.${serviceOf(call)}.${call.name}`;
  const body = [
    'ctx := context.Background()', note(who),
    `client, err := relation.Dial(${JSON.stringify(origin(who))}, relation.Options{${options}})`,
    'if err != nil {\n    panic(err)\n}',
    ...call.sends ? [`stream, err := ${method}(ctx)`, 'if err != nil {\n    panic(err)\n}',
      ...made.map(each => `stream.Send(${each})`), 'stream.CloseSend()']
      : [`${call.gives ? 'stream' : 'answer'}, err := ${method}(ctx, ${made[0]})`],
    ...call.gives ? ['for err == nil {\n    answer, failed := stream.Recv()\n' +
      '    fmt.Println(answer, failed)\n    err = failed\n}'] : ['fmt.Println(answer, err)'],
  ];
  const imports = [...used].sort((one, other) => Number(one.includes('.'))
    - Number(other.includes('.')) || (one < other ? -1 : 1)).map(name => `    "${name}"`);
  return joined(['package main', '', 'import (', ...imports,
    '    relation "git.example/relation-chain/gen/go"',
    '    v1 "git.example/relation-chain/gen/go/relation/v1"', ')', '', 'func main() {',
    `    ${joined(body).replace(/\n/g, '\n    ')}`, '}']);
}

/** @type {Writer} */
function java(all, call, requests, who) {
  // Java's code of protobuf writes a letter after a digit large.
  /** @param {string} name */
  const named = name => camel(name).replace(/\d[a-z]/g, pair => pair.toUpperCase());
  /** @param {string} text */
  const quoted = text => JSON.stringify(text);
  /** @type {(type: string, value: any) => string} */
  const single = (type, value) => {
    if (all.messages.has(type)) return builder(type, value);
    if (all.enums.has(type)) {
      return typeof value === 'number' ? `${type}.forNumber(${value})` : `${type}.${value}`;
    }
    if (type === 'google.protobuf.FieldMask') {
      return `FieldMask.newBuilder()${
        paths(value).map(path => `.addPaths(${quoted(path)})`).join('')}`;
    }
    if (type === 'bytes') return `ByteString.copyFrom(new byte[] {${
      bytesOf(value).map(byte => byte << 24 >> 24).join(', ')}})`;
    if (type === 'string') return quoted(value);
    // Numbers without a sign have the bits of those with one.
    if (type === 'uint64') return `${BigInt.asIntN(64, BigInt(value))}L`;
    return type === 'int64' ? `${value}L` : type === 'uint32' ? String(value | 0) : String(value);
  };
  /** @type {(type: string, value: Dynamic) => string} */
  function builder(type, value) {
    const parts = present(all, type, value).flatMap(({field, value}) => {
      const name = named(field.name);
      if (field.map) {
        return Object.entries(value).map(([key, each]) => `.put${name}(${
          field.key === 'string' ? quoted(key) : key}, ${single(field.type, each)}${
          all.messages.has(field.type) ? '.build()' : ''})`);
      }
      return [value].flat().map(each =>
        `.${field.repeated ? 'add' : 'set'}${name}(${single(field.type, each)})`);
    });
    const line = `${type}.newBuilder()${parts.join('')}`;
    return line.length < 76 && !line.includes('\n') ? line : `${type}.newBuilder()${
      parts.map(part => `\n    ${part.replace(/\n/g, '\n    ')}`).join('')}`;
  }
  const key = secret(who);
  const client = `RelationClient.to(${quoted(origin(who))})${
    key ? `.${key.kind}(System.getenv("${key.variable}"))` : ''}${
    who.app ? `.app(${who.app})` : ''}`;
  const made = requests.map(request => `${builder(call.request, request)}.build()`);
  const service = `client.${lowerFirst(serviceOf(call))}()`;
  const method = `${service}.${lowerFirst(call.name)}`;
  const body = call.sends ? [
    '// A call of many requests needs the stub that takes an observer.',
    `var stub = ${call.service.name}Grpc.newStub(client.channel());`,
    ...made.map(each => `// Send ${each.replace(/\n/g, '\n// ')}`)]
    : call.gives ? [`${method}(${made[0]})`, '    .forEachRemaining(System.out::println);']
      : [`System.out.println(${method}(${made[0]}));`];
  return joined([
    'import com.google.protobuf.*;', 'import example.git.relation.v1.*;',
    'import example.git.relation.v1.client.*;', '', note(who),
    `try (var client = ${client}.open()) {`,
    `    ${joined(body).replace(/\n/g, '\n    ')}`, '}']);
}
