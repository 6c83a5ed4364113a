"""Writes the text that `relationctl describe` reads: the contract with its comments.

python described.py OUTPUT

A line has a kind, a name, a number and a type, with tabs between them. A comment follows on lines
that begin with `|`, and then the names that other systems have for the same thing, if the comment
tells some, on a line that begins with `=`. Fields, calls and values follow what they stand in. All
is packed by zlib.
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import zlib

from google.protobuf import descriptor_pb2

PROTO = pathlib.Path(__file__).resolve().parents[2] / "proto"
PACKAGE = ".relation.v1."
FIELD = descriptor_pb2.FieldDescriptorProto
# A name, of a call or a field or a value, in any form that the sources have.
WORD = re.compile(r"`?(/?[A-Za-z][\w/]*\w)`?")
# A name whose form shows that it is not a word of ours.
FOREIGN = re.compile(
    r"(V2)?TIM[A-Z_]\w+|RC[A-Z][a-z]\w+|FB[A-Z]\w+|Tag_\w+|ERR_SVR_\w+|[A-Z]\w*[a-z]_Type(_\w+)?"
    r"|Response_Action(_\w+)?"
    r"|Err_[A-Z]\w+|/[a-z]+(/[a-z]+)+")
# A word of several parts, which no prose has.
PARTS = re.compile(r"[a-z]+\w*[A-Z_]\w*|[A-Z]+[a-z]+\w*[A-Z_]\w*|SDKAppID|UserID")
OWNERS = re.compile(r"\b(?:TIM|RongCloud|Facebook|IMKit|FBFriendPicker)'s ((`\w+`(, | and ))*)")
# Words with two capitals that name no part of an interface.
PROSE = {"RongCloud", "IMKit", "GET", "DELETE", "POST", "Err_SNS", "ERR_SVR_PROFILE", "ERR_SVR_MSG"}


def files():
    names = sorted(str(path.relative_to(PROTO)) for path in PROTO.glob("relation/v1/*.proto"))
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


def foreign_names(comment, ours):
    """The names of other systems in a comment, in its order.

    A sentence such as "TIM's addFriend and friend_add." tells them. After the owner's name each
    word of several parts is one, and the first word also if it is quoted or begins with a capital;
    other quoted words may follow it. A name whose form no word of ours has is one anywhere.
    """
    found = {}
    for sentence in re.split(r"(?<=[.;:]) ", " ".join(comment.split())):
        owned = OWNERS.search(sentence)
        for word in WORD.finditer(sentence):
            name = word[1].removesuffix("_")
            if name in PROSE or owned is None and not FOREIGN.fullmatch(name):
                continue
            first = any(
                each.start(1) <= word.start() <= each.end(1)
                for each in OWNERS.finditer(sentence))
            quoted = word[0] != word[1] and word[0].endswith("`")
            if FOREIGN.fullmatch(name) or owned.start(1) <= word.start() and (
                    first and (quoted or name[0].isupper())
                    or PARTS.fullmatch(name) and name not in ours):
                found[name] = True
    return list(found)


def our_names(descriptions):
    """The names of everything in the contract, and of values without the words of their enum."""
    for file in descriptions:
        for whole in (*file.message_type, *file.enum_type, *file.service):
            yield whole.name
            for parts in ("field", "value", "method"):
                yield from (part.name for part in getattr(whole, parts, []))


def lines_of(file, ours):
    comments = {
        tuple(place.path): place.leading_comments for place in file.source_code_info.location}

    def entry(path, kind, name, number="", type_name=""):
        yield f"{kind}\t{name}\t{number}\t{type_name}"
        comment = comments.get(tuple(path), "").rstrip("\n")
        for line in comment.splitlines():
            yield "|" + line.removeprefix(" ")
        if names := foreign_names(comment, ours):
            yield "=" + " ".join(names)

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
    described = files()
    ours = set(our_names(described))
    return "".join(line + "\n" for file in described for line in lines_of(file, ours)).encode()


if __name__ == "__main__":
    pathlib.Path(sys.argv[1]).write_bytes(zlib.compress(description(), 9))
