"""Google's protobuf as a witness: one answer for each line of the request file.

Usage: witness.py DESCRIPTOR_SET REQUESTS ANSWERS

    echo NAME HEX      parse, drop what is unknown, serialise deterministically
    keep NAME HEX      the same, unknown fields kept
    json NAME HEX      parse, print as JSON in hex
    parse NAME HEX     JSON in hex, serialised deterministically
    random NAME SEED   a random message, serialised deterministically
    schema NAME        the message as Schema.description prints it, in hex

An answer is hex, or "error".
"""

import random
import sys

from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory
from google.protobuf.message import DecodeError


def main():
    files = descriptor_pb2.FileDescriptorSet()
    with open(sys.argv[1], "rb") as source:
        files.ParseFromString(source.read())
    pool = descriptor_pool.DescriptorPool()
    for file in files.file:
        pool.Add(file)
    with open(sys.argv[2]) as requests, open(sys.argv[3], "w") as answers:
        for line in requests:
            verb, name, *rest = line.split()
            type_ = message_factory.GetMessageClass(pool.FindMessageTypeByName(name))
            try:
                answer = ANSWERS[verb](type_, *rest)
            except (DecodeError, json_format.Error, UnicodeDecodeError, ValueError):
                answer = "error"
            answers.write(answer + "\n")


def parsed(type_, text=""):
    message = type_()
    message.ParseFromString(bytes.fromhex(text))
    return message


def serialised(message):
    return message.SerializeToString(deterministic=True).hex()


def echo(type_, text=""):
    message = parsed(type_, text)
    message.DiscardUnknownFields()
    return serialised(message)


def keep(type_, text=""):
    return serialised(parsed(type_, text))


def to_json(type_, text=""):
    return json_format.MessageToJson(parsed(type_, text), indent=None).encode().hex()


def from_json(type_, text=""):
    return serialised(json_format.Parse(bytes.fromhex(text).decode(), type_()))


def is_repeated(field):
    if hasattr(field, "is_repeated"):
        return field.is_repeated
    return field.label == field.LABEL_REPEATED


def is_map(field):
    return field.message_type is not None and field.message_type.GetOptions().map_entry


def a_scalar(field, dice):
    kind = field.cpp_type
    if kind == field.CPPTYPE_BOOL:
        return dice.random() < 0.5
    if kind in (field.CPPTYPE_INT32, field.CPPTYPE_INT64):
        bits = 31 if kind == field.CPPTYPE_INT32 else 63
        return dice.choice([0, -1, 1, 127, 128, -(2**bits), 2**bits - 1, dice.getrandbits(bits)])
    if kind in (field.CPPTYPE_UINT32, field.CPPTYPE_UINT64):
        bits = 32 if kind == field.CPPTYPE_UINT32 else 64
        return dice.choice([0, 1, 127, 128, 2**bits - 1, dice.getrandbits(bits)])
    if kind == field.CPPTYPE_FLOAT:
        return dice.choice([0.0, -0.0, 1.5, float("-inf"), dice.getrandbits(20) / 64, 2.0**-149])
    if kind == field.CPPTYPE_DOUBLE:
        return dice.choice([0.0, -0.0, 1.5, float("inf"), dice.random(), 5e-324])
    if kind == field.CPPTYPE_ENUM:
        return dice.choice([0, 1, 7, -3, 99, -(2**31)])
    if field.type == field.TYPE_BYTES:
        return bytes(dice.getrandbits(8) for _ in range(dice.choice([0, 1, 5, 200])))
    return "".join(
        dice.choice(["a", "\0", "é", "好", "😀", "~"]) for _ in range(dice.choice([0, 1, 9, 150])))


def a_key(field, dice):
    if field.cpp_type == field.CPPTYPE_STRING:
        return dice.choice(["", "a", "b", "long" * 9, "好"])
    return a_scalar(field, dice)


def fill(message, dice, levels=4):
    for field in message.DESCRIPTOR.fields:
        if dice.random() < 0.4 or (levels == 0 and field.message_type):
            continue
        if is_map(field):
            value = field.message_type.fields_by_name["value"]
            for _ in range(dice.randrange(4)):
                key = a_key(field.message_type.fields_by_name["key"], dice)
                if value.message_type:
                    fill(getattr(message, field.name)[key], dice, levels - 1)
                else:
                    getattr(message, field.name)[key] = a_scalar(value, dice)
        elif is_repeated(field):
            for _ in range(dice.randrange(4)):
                if field.message_type:
                    fill(getattr(message, field.name).add(), dice, levels - 1)
                else:
                    getattr(message, field.name).append(a_scalar(field, dice))
        elif field.message_type:
            getattr(message, field.name).SetInParent()
            fill(getattr(message, field.name), dice, levels - 1)
        else:
            setattr(message, field.name, a_scalar(field, dice))
    return message


def a_random(type_, seed):
    return serialised(fill(type_(), random.Random(int(seed))))


TYPES = {
    1: "double", 2: "float", 3: "int64", 4: "uint64", 5: "int32", 6: "fixed64", 7: "fixed32",
    8: "bool", 9: "string", 12: "bytes", 13: "uint32", 15: "sfixed32", 16: "sfixed64",
    17: "sint32", 18: "sint64",
}


def type_name(field):
    if field.message_type:
        return field.message_type.full_name
    if field.enum_type:
        return field.enum_type.full_name
    return TYPES[field.type]


def declared(field):
    words = []
    oneof = field.containing_oneof
    is_optional = oneof is not None and oneof.name == "_" + field.name
    if oneof is not None and not is_optional:
        words += ["oneof", oneof.name]
    if is_map(field):
        entry = field.message_type.fields_by_name
        words.append("map<%s, %s>" % (type_name(entry["key"]), type_name(entry["value"])))
    else:
        if is_repeated(field):
            words.append("repeated")
        if is_optional:
            words.append("optional")
        words.append(type_name(field))
    words += [field.name, "=", str(field.number)]
    if field.GetOptions().HasField("packed") and not field.GetOptions().packed:
        words.append("[packed = false]")
    return " ".join(words)


def schema(type_):
    fields = sorted(type_.DESCRIPTOR.fields, key=lambda field: field.number)
    lines = ["message %s {" % type_.DESCRIPTOR.full_name]
    lines += ["  " + declared(field) for field in fields]
    return "\n".join(lines + ["}"]).encode().hex()


ANSWERS = {
    "echo": echo, "keep": keep, "json": to_json, "parse": from_json, "random": a_random,
    "schema": schema,
}

main()
