"""Compares the answers of calls with proto/CALLS.md, which declares them."""

import pathlib
import re

from google.protobuf.descriptor import FieldDescriptor

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "proto" / "CALLS.md"
REASONS = ROOT / "Sources" / "RelationModel" / "Codes" / "Reason.swift"
# `Limits.messageBytes` of Sources/RelationModel.
LONGEST_MESSAGE = 4_000_000
STATUSES = {"FriendStatus", "ProfileStatus", "SendStatus", "SubscriptionStatus"}


def declared():
    """For each call its own codes, for each kind of call the reasons that all of its calls share,
    and for each reason the gRPC statuses that may come with it."""
    calls, kinds, statuses, place = {}, {}, {}, None
    for line in PAGE.read_text().splitlines():
        if line.startswith("### Any call"):
            place = kinds.setdefault(line.removeprefix("### Any call"), set())
        elif line.startswith("#### "):
            place = calls.setdefault(line.removeprefix("#### "), set())
        elif found := re.match(r"\| -?\d+ \| (\w+) \|", line):
            place.add(found.group(1))
            if found.group(1).startswith("ERROR_REASON_"):
                statuses[found.group(1)] = set(re.findall(r"`([A-Z_]+)`", line))
    return calls, kinds, statuses


def reasons():
    """Every reason that may stand in an `info` of the server."""
    return set(re.findall(r'Reason\(\s*"(\w+)"\)', REASONS.read_text()))


class Answers:
    """Every code that the tests of one run got as an answer, by call."""

    def __init__(self):
        self.calls, self.kinds, self._statuses = declared()
        self._common = set().union(*self.kinds.values())
        self.seen = {}
        self.infos = set()
        self.reasons = set()

    def response(self, call, message):
        """Notes an answer, and fails if it is longer than an answer may be or has a code that the
        call does not declare."""
        assert message.ByteSize() <= LONGEST_MESSAGE, f"{call} answered {message.ByteSize()} bytes"
        self.infos.update(infos(message))
        for code in set(statuses(message)):
            self._add(call, code)

    def refusal(self, call, refused):
        """Notes why a call failed as a whole, and fails if its status does not belong to the
        reason."""
        if not refused.reason:
            return
        code = f"ERROR_REASON_{refused.reason}"
        self.reasons.add(code)
        if code not in self._common:
            self._add(call, code)
        assert refused.code.name in self._statuses[code], refused

    def _add(self, call, code):
        self.seen.setdefault(call, set()).add(code)
        assert code in self.calls[call], f"{call} answered {code}, which CALLS.md does not say"

    def missing(self):
        """The codes that the page declares of calls, and that no test got as an answer."""
        return sorted(
            f"{call}: {code}"
            for call, codes in self.calls.items()
            for code in codes - self.seen.get(call, set())
        )


def statuses(message):
    """The names of all status codes in a message, zeros included."""
    for field in message.DESCRIPTOR.fields:
        if field.type == FieldDescriptor.TYPE_ENUM and field.enum_type.name in STATUSES:
            value = getattr(message, field.name)
            for number in value if field.is_repeated else [value]:
                known = field.enum_type.values_by_number.get(number)
                yield known.name if known else str(number)
        elif field.type == FieldDescriptor.TYPE_MESSAGE:
            yield from _inside(field, message)


def _inside(field, message):
    value = getattr(message, field.name)
    if field.message_type.GetOptions().map_entry:
        for item in value.values():
            if hasattr(item, "DESCRIPTOR"):
                yield from statuses(item)
    elif field.is_repeated:
        for item in value:
            yield from statuses(item)
    elif message.HasField(field.name):
        yield from statuses(value)


def infos(message):
    """The `info` of every result in a message that has one."""
    for field, value in message.ListFields():
        if field.name == "info":
            yield value
        elif field.message_type and not field.message_type.GetOptions().map_entry:
            for item in value if field.is_repeated else [value]:
                yield from infos(item)
