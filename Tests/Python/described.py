"""Writes the text that `relationctl describe` reads: the contract with its comments.

python described.py OUTPUT

A line has a kind, a name, a number and a type, with tabs between them. A comment follows on lines
that begin with `|`. Fields, calls and values follow what they stand in. All is packed by zlib.
"""

import pathlib
import subprocess
import sys
import tempfile
import zlib

from google.protobuf import descriptor_pb2

PROTO = pathlib.Path(__file__).resolve().parents[2] / "proto"
PACKAGE = ".relation.v1."
FIELD = descriptor_pb2.FieldDescriptorProto


def files():
    names = sorted(str(path.relative_to(PROTO)) for path in PROTO.rglob("*.proto"))
    with tempfile.NamedTemporaryFile(suffix=".binpb") as output:
        subprocess.run(
            [sys.executable, "-m", "grpc_tools.protoc", f"--proto_path={PROTO}",
             "--include_source_info", f"--descriptor_set_out={output.name}", *names],
            check=True, timeout=60)
        data = pathlib.Path(output.name).read_bytes()
    return descriptor_pb2.FileDescriptorSet.FromString(data).file


def short(name):
    return name.removeprefix(PACKAGE).removeprefix(".")


def type_of(field, message):
    """The type as the contract writes it."""
    name = (
        short(field.type_name) if field.type_name else FIELD.Type.Name(field.type)[5:].lower())
    for nested in message.nested_type:
        if nested.options.map_entry and field.type_name.endswith(f"{message.name}.{nested.name}"):
            return f"map<{', '.join(type_of(part, nested) for part in nested.field)}>"
    if field.label == FIELD.LABEL_REPEATED:
        return f"repeated {name}"
    if field.proto3_optional:
        return f"optional {name}"
    if field.HasField("oneof_index"):
        return f"{name}, of oneof {message.oneof_decl[field.oneof_index].name}"
    return name


def lines_of(file):
    comments = {
        tuple(place.path): place.leading_comments for place in file.source_code_info.location}

    def entry(path, kind, name, number="", type_name=""):
        yield f"{kind}\t{name}\t{number}\t{type_name}"
        for line in comments.get(tuple(path), "").rstrip("\n").splitlines():
            yield "|" + line.removeprefix(" ")

    def enum(path, description):
        yield from entry(path, "E", description.name)
        for index, value in enumerate(description.value):
            yield from entry([*path, 2, index], "V", value.name, value.number)

    for index, service in enumerate(file.service):
        yield from entry([6, index], "S", service.name)
        for place, method in enumerate(service.method):
            request = ("stream " if method.client_streaming else "") + short(method.input_type)
            answer = ("stream " if method.server_streaming else "") + short(method.output_type)
            yield from entry(
                [6, index, 2, place], "C", method.name, type_name=f"{request} -> {answer}")
    for index, message in enumerate(file.message_type):
        assert not message.enum_type, "a nested enum has no place in this text"
        assert all(nested.options.map_entry for nested in message.nested_type), message.name
        yield from entry([4, index], "M", message.name)
        for place, field in enumerate(message.field):
            yield from entry(
                [4, index, 2, place], "F", field.name, field.number, type_of(field, message))
    for index, description in enumerate(file.enum_type):
        yield from enum([5, index], description)


def description():
    return "".join(line + "\n" for file in files() for line in lines_of(file)).encode()


if __name__ == "__main__":
    pathlib.Path(sys.argv[1]).write_bytes(zlib.compress(description(), 9))
