// Protobuf messages by their descriptors, in the JSON that `buf build` writes, without a library.
//
// A message is an object in the form of proto3 JSON: names in camelCase, 64-bit numbers as texts,
// enums as names, bytes in base64. A field that is not set is not there. Of the types that have a
// form of their own in proto3 JSON, only FieldMask has it here.

const VARINT = 0, FIXED64 = 1, BYTES = 2, FIXED32 = 5; // Wire types.
const MASK = "google.protobuf.FieldMask";

// How to read the bits of a varint. The contract has no number of another kind.
const NUMBERS = {
  TYPE_BOOL: (bits) => bits !== 0n,
  TYPE_INT32: (bits) => Number(BigInt.asIntN(32, bits)),
  TYPE_UINT32: (bits) => Number(BigInt.asUintN(32, bits)),
  TYPE_INT64: (bits) => String(BigInt.asIntN(64, bits)),
  TYPE_UINT64: (bits) => String(bits),
  TYPE_ENUM: (bits) => Number(BigInt.asIntN(32, bits)),
};
const LENGTHS = ["TYPE_STRING", "TYPE_BYTES", "TYPE_MESSAGE"];

// The fields that the contract does not have. They are encoded again, after the others.
const unknown = Symbol("unknown fields");

const snake = (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const camel = (name) => name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());

function varint(value) {
  const bytes = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  return Buffer.from([...bytes, Number(rest)]);
}

const sized = (bytes) => Buffer.concat([varint(bytes.length), bytes]);

class Reader {
  at = 0;

  constructor(bytes) {
    this.bytes = bytes;
  }

  get atEnd() {
    return this.at === this.bytes.length;
  }

  take(length) {
    if (this.at + length > this.bytes.length) throw new RangeError("the message is cut off");
    return this.bytes.subarray(this.at, (this.at += length));
  }

  varint() {
    for (let value = 0n, shift = 0n; shift < 70n; shift += 7n) {
      const [byte] = this.take(1);
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return BigInt.asUintN(64, value);
    }
    throw new RangeError("a number has more than ten bytes");
  }

  value(wire) {
    switch (wire) {
      case VARINT: return this.varint();
      case FIXED64: return this.take(8);
      case BYTES: return this.take(Number(this.varint()));
      case FIXED32: return this.take(4);
      default: throw new RangeError(`wire type ${wire} is none of proto3`);
    }
  }
}

/** The messages and methods of descriptor sets. */
export class Contract {
  #messages = new Map();
  #enums = new Map();
  #methods = new Map();

  constructor(...sets) {
    for (const file of sets.flatMap((set) => set.file)) {
      this.#add(file.package, file.messageType, file.enumType);
      for (const { name, method: methods } of file.service ?? []) {
        const service = `${file.package}.${name}`;
        for (const method of methods) this.#methods.set(`${service}/${method.name}`, method);
      }
    }
  }

  #add(scope, messages = [], enums = []) {
    for (const { name, value: values } of enums) {
      const numbers = new Map(values.map((value) => [value.name, value.number]));
      const names = new Map(values.map((value) => [value.number, value.name]));
      this.#enums.set(`${scope}.${name}`, { numbers, names });
    }
    for (const { name, field = [], nestedType, enumType, options } of messages) {
      const isEntry = options?.mapEntry ?? false;
      const fields = field.map((one) => compiled(one, field, isEntry));
      this.#messages.set(`${scope}.${name}`, {
        fields: fields.sort((one, other) => one.number - other.number),
        byNumber: new Map(fields.map((one) => [one.number, one])),
        names: new Set(fields.flatMap((one) => [one.name, one.original])),
        isEntry,
      });
      this.#add(`${scope}.${name}`, nestedType, enumType);
    }
  }

  /** The names of the messages that a call such as `relation.v1.FriendService/AddFriends` takes. */
  method(path) {
    const { inputType, outputType } = this.#methods.get(path);
    return { request: inputType.slice(1), answer: outputType.slice(1) };
  }

  encode(type, message) {
    const { fields, names } = this.#messages.get(type);
    for (const name of Object.keys(message)) {
      if (!names.has(name)) throw new TypeError(`${type} has no field ${name}`);
    }
    const parts = fields.flatMap((field) => {
      const value = message[field.name] ?? message[field.original] ?? null;
      return value === null ? [] : this.#encodeField(field, value);
    });
    return Buffer.concat([...parts, ...(message[unknown] ?? [])]);
  }

  #encodeField(field, value) {
    const tag = (wire) => varint((field.number << 3) | wire);
    if (!field.repeated) {
      const bytes = this.#encodeValue(field, value);
      const isDefault = bytes.length === 1 && bytes[0] === 0; // Zero, or a length of zero.
      return isDefault && !field.hasPresence ? [] : [tag(field.wire), bytes];
    }
    const list = !this.#messages.get(field.target)?.isEntry ? value
      : Object.entries(value).map(([key, item]) => ({ key, value: item }));
    const items = list.map((item) => this.#encodeValue(field, item));
    if (field.wire === BYTES) return items.flatMap((item) => [tag(BYTES), item]);
    return items.length === 0 ? [] : [tag(BYTES), sized(Buffer.concat(items))];
  }

  #encodeValue({ type, target }, value) {
    switch (type) {
      case "TYPE_STRING": return sized(Buffer.from(value));
      case "TYPE_BYTES": return sized(Buffer.from(value, "base64"));
      case "TYPE_ENUM": return varint(this.#enums.get(target).numbers.get(value) ?? value);
      case "TYPE_MESSAGE": return sized(this.encode(target, target !== MASK ? value
        : { paths: value.split(",").filter(Boolean).map(snake) }));
      default: return varint(value);
    }
  }

  /** Reads the fields of a message into an object. */
  decode(type, bytes, message = {}) {
    const { byNumber } = this.#messages.get(type);
    const reader = new Reader(bytes);
    while (!reader.atEnd) {
      const start = reader.at;
      const tag = Number(reader.varint());
      const wire = tag & 7;
      const value = reader.value(wire);
      const field = byNumber.get(tag >>> 3);
      if (wire === field?.wire) {
        this.#decodeField(message, field, value);
      } else if (wire === BYTES && field?.repeated) {
        for (const packed = new Reader(value); !packed.atEnd; ) {
          this.#decodeField(message, field, packed.varint());
        }
      } else {
        (message[unknown] ??= []).push(bytes.subarray(start, reader.at));
      }
    }
    return message;
  }

  #decodeField(message, field, value) {
    const { name } = field;
    const { fields: parts, isEntry } = this.#messages.get(field.target) ?? {};
    if (isEntry) {
      const zero = (part) => this.#decodeValue(part, part.wire === VARINT ? 0n : Buffer.alloc(0));
      const entry = Object.fromEntries(parts.map((part) => [part.name, zero(part)]));
      this.decode(field.target, value, entry);
      (message[name] ??= {})[entry.key] = entry.value;
    } else if (field.repeated) {
      (message[name] ??= []).push(this.#decodeValue(field, value));
    } else {
      for (const rival of field.rivals) delete message[rival];
      message[name] = this.#decodeValue(field, value, message[name]);
      if (!field.hasPresence && (value === 0n || value.length === 0)) delete message[name];
    }
  }

  #decodeValue({ type, target }, value, before) {
    switch (type) {
      case "TYPE_STRING": return value.toString();
      case "TYPE_BYTES": return value.toString("base64");
      case "TYPE_ENUM": {
        const number = NUMBERS[type](value);
        return this.#enums.get(target).names.get(number) ?? number;
      }
      case "TYPE_MESSAGE": return target !== MASK ? this.decode(target, value, before)
        : (this.decode(target, value).paths ?? []).map(camel).join(",");
      default: return NUMBERS[type](value);
    }
  }
}

/** A field of a message whose descriptor has the fields `all`. */
function compiled({ name, jsonName, number, type, typeName, label, oneofIndex }, all, isEntry) {
  if (!NUMBERS[type] && !LENGTHS.includes(type)) throw new TypeError(`no code for ${type} ${name}`);
  const isInOneof = oneofIndex !== undefined;
  const others = all.filter((one) => one.name !== name && one.oneofIndex === oneofIndex);
  return {
    name: jsonName,
    original: name,
    number,
    type,
    target: typeName?.slice(1),
    repeated: label === "LABEL_REPEATED",
    wire: NUMBERS[type] ? VARINT : BYTES,
    hasPresence: isInOneof || isEntry || type === "TYPE_MESSAGE",
    rivals: isInOneof ? others.map((one) => one.jsonName) : [],
  };
}
