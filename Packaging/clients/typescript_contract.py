"""The contract in TypeScript: messages in the form of ProtoJSON, and a class for each service."""

import re
import sys
import tempfile

import clients
from contract import PACKAGE, camel
from google.protobuf import descriptor_pb2

HEAD = """\
/** The messages and calls of the contract, made by Packaging/clients. */
//
// Messages are those of ProtoJSON. A field that has its default is left out, and numbers of 64 bits
// are texts. A newer server may send values that a type does not name.

import type { BothStream, Paged, Pages, ServerStream, Transport, Unary } from "./calls.js";
"""
NUMBERS = {"TYPE_INT32", "TYPE_UINT32", "TYPE_SINT32", "TYPE_DOUBLE", "TYPE_FLOAT"}
WIDTH = 96
MESSAGE, ENUM, SERVICE = 4, 5, 6  # The numbers of these lists in a file's descriptor.


def comments(names):
    """The first paragraph of the comment of each message, field, enum and call, by its path."""
    with tempfile.NamedTemporaryFile() as file:
        clients.run(
            sys.executable, "-m", "grpc_tools.protoc", f"-I{clients.ROOT / 'proto'}",
            "--include_source_info", f"--descriptor_set_out={file.name}", *names)
        made = descriptor_pb2.FileDescriptorSet.FromString(file.read())
    found = {}
    for source in made.file:
        lists = {MESSAGE: (source.message_type, "field"), ENUM: (source.enum_type, "value"),
                 SERVICE: (source.service, "method")}
        for location in source.source_code_info.location:
            path, text = list(location.path), location.leading_comments.strip()
            if not text or len(path) not in (2, 4) or path[0] not in lists:
                continue
            outer, inner = lists[path[0]]
            name = outer[path[1]].name
            # Of the lists of a message or a service, number 2 has the fields or the calls.
            if len(path) == 4 and path[2] == 2:
                name += "." + getattr(outer[path[1]], inner)[path[3]].name
            elif len(path) == 4:
                continue
            found[name] = " ".join(text.split("\n\n")[0].split())
    return found


def words(text, indent):
    """A comment in lines, or nothing."""
    if not text:
        return ""
    lines, line = [], ""
    for word in text.replace("*/", "* /").split():
        if line and len(line) + len(word) > WIDTH - len(indent):
            lines.append(line)
            line = ""
        line += (" " if line else "") + word
    lines.append(line)
    if len(lines) == 1:
        return f"{indent}/** {line} */\n"
    return f"{indent}/**\n" + "".join(f"{indent} * {one}\n" for one in lines) + f"{indent} */\n"


class Writer:
    """Writes the types of one contract."""

    def __init__(self, contract):
        self.contract, self.comments = contract, comments(contract.names)

    def scalar(self, field):
        kind = descriptor_pb2.FieldDescriptorProto.Type.Name(field.type)
        if kind in ("TYPE_MESSAGE", "TYPE_ENUM"):
            name = field.type_name.removeprefix(f".{PACKAGE}.")
            return "string" if name == ".google.protobuf.FieldMask" else name
        return "boolean" if kind == "TYPE_BOOL" else "number" if kind in NUMBERS else "string"

    def type(self, field, message):
        entry = {f".{PACKAGE}.{message.name}.{nested.name}": nested
                 for nested in message.nested_type if nested.options.map_entry}
        if field.type_name in entry:
            return f"Record<string, {self.scalar(entry[field.type_name].field[1])}>"
        scalar = self.scalar(field)
        return f"{scalar}[]" if field.label == field.LABEL_REPEATED else scalar

    def message(self, message):
        for nested in message.nested_type:
            assert nested.options.map_entry, f"{message.name}.{nested.name}: no nested messages"
        about = words(self.comments.get(message.name), "")
        lines = [about, f"export interface {message.name} {{\n"]
        for field in message.field:
            lines.append(words(self.comments.get(f"{message.name}.{field.name}"), "  "))
            lines.append(f"  {field.json_name}?: {self.type(field, message)};\n")
        return "".join(lines) + "}\n"

    def enum(self, enum):
        values = "".join(f'\n  | "{value.name}"' for value in enum.value)
        return words(self.comments.get(enum.name), "") + f"export type {enum.name} ={values};\n"

    def call(self, method):
        types = f"{method.request}, {method.response}"
        path = f'"{method.path}"'
        if method.client_streams:
            return f"BothStream<{types}>", f"transport.bothStream({path})"
        if method.server_streams:
            return f"ServerStream<{types}>", f"transport.serverStream({path})"
        if method.items is not None:
            if not method.items:
                return f"Pages<{types}>", f"transport.pages({path})"
            field = self.contract.field(method.response, method.items)
            return (f"Paged<{types}, {self.scalar(field)}>",
                    f'transport.paged({path}, "{field.json_name}")')
        return f"Unary<{types}>", f"transport.unary({path}, {str(method.writes).lower()})"

    def service(self, name, methods):
        fields, made = [], []
        for method in methods:
            kind, value = self.call(method)
            about = words(self.comments.get(f"{name}Service.{method.name}"), "  ")
            fields.append(f"{about}  readonly {camel(method.name)}: {kind};\n")
            made.append(f"    this.{camel(method.name)} = {value};\n")
        return "".join([
            words(self.comments.get(f"{name}Service"), ""), f"export class {name}Service {{\n",
            *fields, "\n  constructor(transport: Transport) {\n", *made, "  }\n}\n"])

    def text(self):
        parts = [HEAD]
        parts += [self.enum(enum) for _, enum in sorted(self.contract.enums.items())]
        parts += [self.message(message) for _, message in sorted(self.contract.messages.items())]
        parts += [self.service(*item) for item in self.contract.services.items()]
        names = list(self.contract.services)
        parts.append("".join([
            "/** All services. */\nexport class Services {\n",
            *(f"  readonly {camel(name)}: {name}Service;\n" for name in names),
            "\n  constructor(transport: Transport) {\n",
            *(f"    this.{camel(name)} = new {name}Service(transport);\n" for name in names),
            "  }\n}\n"]))
        return "\n".join(parts)


def contract(contract):
    return re.sub(r"\n{3,}", "\n\n", Writer(contract).text())
