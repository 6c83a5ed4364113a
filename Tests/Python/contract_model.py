"""The contract as plain values: its services, calls, messages and enums with their comments.

The descriptors of `proto/` say what there is. `proto/CALLS.md`, which the server's own tables make,
says who may make a call, which codes it answers, and how much it takes. So what is made from these
values needs no build.
"""

import dataclasses
import functools
import pathlib
import re

import call_sources
import described
from google.protobuf import descriptor_pb2

ROOT = pathlib.Path(__file__).resolve().parents[2]
CALLS = ROOT / "proto/CALLS.md"
PACKAGE = "relation.v1"
FIELD = descriptor_pb2.FieldDescriptorProto
MASK = "google.protobuf.FieldMask"
#: The statuses of gRPC by their names, with the words and the HTTP status that Connect has for
#them.
STATUSES = {
    "CANCELLED": ("canceled", 499), "UNKNOWN": ("unknown", 500),
    "INVALID_ARGUMENT": ("invalid_argument", 400), "DEADLINE_EXCEEDED": ("deadline_exceeded", 504),
    "NOT_FOUND": ("not_found", 404), "ALREADY_EXISTS": ("already_exists", 409),
    "PERMISSION_DENIED": ("permission_denied", 403),
    "RESOURCE_EXHAUSTED": ("resource_exhausted", 429),
    "FAILED_PRECONDITION": ("failed_precondition", 400), "ABORTED": ("aborted", 409),
    "OUT_OF_RANGE": ("out_of_range", 400), "UNIMPLEMENTED": ("unimplemented", 501),
    "INTERNAL": ("internal", 500), "UNAVAILABLE": ("unavailable", 503),
    "DATA_LOSS": ("data_loss", 500), "UNAUTHENTICATED": ("unauthenticated", 401),
}  # fmt: skip


@dataclasses.dataclass
class Field:
    name: str
    number: int
    #: A scalar of protobuf, or the name of a message or enum without the package.
    type: str
    comment: str
    json: str
    is_repeated: bool = False
    #: Whether a field that is not set differs from one that has the default.
    has_presence: bool = False
    oneof: str = ""
    #: The type of the keys, if the field is a map.
    key: str = ""

    @property
    def shown(self):
        """The type as the contract writes it."""
        if self.key:
            return f"map<{self.key}, {self.type}>"
        if self.is_repeated:
            return f"repeated {self.type}"
        is_optional = self.has_presence and not self.oneof and self.type[0].islower()
        return f"optional {self.type}" if is_optional else self.type


@dataclasses.dataclass
class Message:
    name: str
    comment: str
    fields: list
    #: The comments of its groups of fields of which one is set, by their names.
    oneofs: dict


@dataclasses.dataclass
class Value:
    name: str
    number: int
    comment: str


@dataclasses.dataclass
class Enum:
    name: str
    comment: str
    values: list


@dataclasses.dataclass
class Code:
    """A row of the tables of codes."""

    number: int
    name: str
    meaning: str

    @property
    def is_error(self):
        """Whether the call as a whole fails for it."""
        return self.name.startswith("ERROR_REASON_")

    @property
    def short(self):
        """The name as the details of an error have it."""
        return self.name.removeprefix("ERROR_REASON_")

    @property
    def statuses(self):
        return [name for name in re.findall(r"`([A-Z_]+)`", self.meaning) if name in STATUSES]


@dataclasses.dataclass
class Limit:
    field: str
    #: None, and no unit, if a setting of the app is the bound.
    most: int | None
    unit: str


@dataclasses.dataclass
class Call:
    service: str
    name: str
    comment: str
    request: str
    answer: str
    sends_stream: bool
    gives_stream: bool
    #: Whether it may be a GET, since it changes nothing.
    is_safe: bool
    #: The kind, "reads for a user", and the scope, "read".
    kind: str = ""
    scope: str = ""
    codes: list = dataclasses.field(default_factory=list)
    #: The reasons for which every call of its kind may fail.
    shared: list = dataclasses.field(default_factory=list)
    limits: list = dataclasses.field(default_factory=list)
    #: What implements it, as pairs of a name and a path in this repository.
    handlers: list = dataclasses.field(default_factory=list)
    rules: list = dataclasses.field(default_factory=list)

    @property
    def path(self):
        return f"/{PACKAGE}.{self.service}/{self.name}"

    @property
    def is_stream(self):
        return self.sends_stream or self.gives_stream

    @property
    def is_for_users(self):
        return self.kind.endswith("for a user")


@dataclasses.dataclass
class Service:
    name: str
    comment: str
    calls: list


@dataclasses.dataclass
class Contract:
    services: list
    messages: dict
    enums: dict

    @property
    def calls(self):
        return [call for service in self.services for call in service.calls]

    def reachable(self, name):
        """The names of the messages in a message, itself included."""
        found, ahead = [], [name]
        while ahead:
            name = ahead.pop(0)
            if name not in found and name in self.messages:
                found.append(name)
                ahead += [field.type for field in self.messages[name].fields]
        return found


@functools.cache
def contract():
    """The contract as `proto/` and the page of calls say it today."""
    made = Contract([], {}, {})
    for file in described.files():
        _File(file).add_to(made)
    order = re.findall(r"^### (\w+Service)$", CALLS.read_text(), re.MULTILINE)
    made.services.sort(key=lambda service: order.index(service.name))
    _add_page(made, CALLS.read_text())
    return made


class _File:
    """One file of the contract."""

    def __init__(self, file):
        self.file = file
        self.comments = {
            tuple(place.path): _unindented(place.leading_comments)
            for place in file.source_code_info.location}  # fmt: skip

    def add_to(self, made):
        for index, service in enumerate(self.file.service):
            calls = [
                self._call(service.name, method, (6, index, 2, place))
                for place, method in enumerate(service.method)]  # fmt: skip
            made.services.append(Service(service.name, self._comment(6, index), calls))
        for index, message in enumerate(self.file.message_type):
            made.messages[message.name] = self._message(message, (4, index))
        for index, enum in enumerate(self.file.enum_type):
            values = [
                Value(value.name, value.number, self._comment(5, index, 2, place))
                for place, value in enumerate(enum.value)]  # fmt: skip
            made.enums[enum.name] = Enum(enum.name, self._comment(5, index), values)

    def _comment(self, *path):
        return self.comments.get(path, "")

    def _call(self, service, method, path):
        safe = descriptor_pb2.MethodOptions.NO_SIDE_EFFECTS
        return Call(
            service, method.name, self._comment(*path), _short(method.input_type),
            _short(method.output_type), method.client_streaming, method.server_streaming,
            method.options.idempotency_level == safe)  # fmt: skip

    def _message(self, message, path):
        maps = {
            nested.name: nested for nested in message.nested_type if nested.options.map_entry}
        oneofs = [oneof.name for oneof in message.oneof_decl]
        fields = []
        for place, field in enumerate(message.field):
            made = Field(
                field.name, field.number, _type(field), self._comment(*path, 2, place),
                field.json_name, field.label == FIELD.LABEL_REPEATED)  # fmt: skip
            if pair := maps.get(field.type_name.rpartition(".")[2]):
                made.key, made.type = (_type(part) for part in pair.field)
                made.is_repeated = False
            elif field.proto3_optional:
                made.has_presence = True
            elif field.HasField("oneof_index"):
                made.has_presence, made.oneof = True, oneofs[field.oneof_index]
            elif field.type == FIELD.TYPE_MESSAGE:
                made.has_presence = not made.is_repeated
            fields.append(made)
        used = {field.oneof for field in fields}
        comments = {
            name: self._comment(*path, 8, place) for place, name in enumerate(oneofs)
            if name in used}  # fmt: skip
        return Message(message.name, self._comment(*path), fields, comments)


def _short(name):
    return name.removeprefix(f".{PACKAGE}.").removeprefix(".")


def _type(field):
    return _short(field.type_name) if field.type_name else FIELD.Type.Name(field.type)[5:].lower()


def _unindented(comment):
    return "\n".join(line.removeprefix(" ") for line in comment.rstrip("\n").splitlines())


def _add_page(made, text):
    """Adds what the page of calls says of each call."""
    before, _, rest = text.partition("## The calls\n")
    rest = rest.partition("## The reasons of results")[0]
    shared = {
        section.partition("\n")[0].strip(): _codes(section) for section in before.split("### ")[1:]}
    calls = {call.name: call for call in made.calls}
    for section in rest.split("\n#### ")[1:]:
        call = calls[section.partition("\n")[0]]
        found = re.search(r" → .*; (.*), scope `(\w*)`\.$", section, re.MULTILINE)
        call.kind, call.scope = found.groups()
        words = {"Any", "call", "that", *call.kind.split()}
        kinds = [kind for kind in shared if set(kind.split()) <= words]
        call.shared = [code for kind in kinds for code in shared[kind]]
        call.codes = _codes(section)
        if limits := re.search(r"^Limits: (.*)\.$", section, re.MULTILINE):
            call.limits = [
                Limit(field, int(most) if most else None, unit) for field, most, unit in re.findall(
                    r"`([^`]+)` (?:(\d+) (\w+)|by the app's settings)", limits[1])]
    for name, *parts in call_sources.ROW.findall(rest):
        calls[name].handlers, calls[name].rules = (
            re.findall(r"\[`([^`]+)`\]\(\.\./([^)]+)\)", part) for part in parts)


def _codes(section):
    rows = re.findall(r"^\| (-?\d+) \| (\w+) \| (.*) \|$", section, re.MULTILINE)
    return [Code(int(number), name, meaning) for number, name, meaning in rows]
