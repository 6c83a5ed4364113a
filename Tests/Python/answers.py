"""Compares the answers of calls with proto/CALLS.md and with reason.proto, which declare them."""

import functools
import json
import pathlib
import re

import reasons
from google.protobuf.descriptor import FieldDescriptor

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "proto" / "CALLS.md"
# `Limits.messageBytes` of Sources/RelationModel.
LONGEST_MESSAGE = 4_000_000
STATUSES = {
    "FriendStatus", "ProfileStatus", "SendStatus", "SubscriptionStatus", "FollowStatus",
}  # fmt: skip
# The fields that are set in every answer, also if they are 0.
ALWAYS_SET = {
    "FriendApplication": "status", "ExportedProfile": "visibility",
    "GetVisibilityResponse": "user_level", "FieldVisibility": "visibility",
    "ExportedFieldVisibility": "visibility",
}  # fmt: skip
# TIM's code for an application that was made, which is not a refusal.
PENDING = 30539
# A hook of the app refuses with one of these codes, and with its own words.
OF_HOOKS = range(38000, 39001)
QUOTED = "REASON_HOOK_REFUSED"


def as_declared(code):
    """The code that stands for it in the contract: the first of those that a hook may have."""
    return OF_HOOKS[0] if code in OF_HOOKS else code


def declared():
    """For each call its own codes, for each kind of call the reasons that all of its calls share,
    and for each reason the gRPC statuses that may come with it."""
    calls, kinds, statuses, place = {}, {}, {}, None
    for line in PAGE.read_text().splitlines():
        if line.startswith("### Any call"):
            place = kinds.setdefault(line.removeprefix("### Any call"), set())
        elif line.startswith("#### "):
            place = calls.setdefault(line.removeprefix("#### "), set())
        elif found := re.match(r"\| -?\d+ \| ((?!REASON_)\w+) \|", line):
            place.add(found.group(1))
            if found.group(1).startswith("ERROR_REASON_"):
                statuses[found.group(1)] = set(re.findall(r"`([A-Z_]+)`", line))
    return calls, kinds, statuses


class Answers:
    """Every code and every reason that the tests of one run got as an answer, by call."""

    def __init__(self):
        self.calls, self.kinds, self._statuses = declared()
        self._common = set().union(*self.kinds.values())
        self.seen = {}
        self.reasons = set()
        self.table = reasons.table()
        # Each reason of a result, with the call that sent it and the code beside it.
        self.given = set()

    def response(self, call, message):
        """Notes an answer. Fails if it is longer than an answer may be, or has a code or a reason
        that the contract does not say of the call, or says of itself what its items do not."""
        assert message.ByteSize() <= LONGEST_MESSAGE, f"{call} answered {message.ByteSize()} bytes"
        changed = []
        for part in parts(message):
            shape = shape_of(part.DESCRIPTOR)
            for name in shape.statuses:
                self._add(call, shape.status(part, name))
            if shape.is_result:
                self._result(call, part, shape)
            if shape.always_set:
                assert part.HasField(shape.always_set), (call, part)
            if shape.is_changed:
                assert not part.changed or part.code in (0, PENDING), (call, part)
                changed.append(part.changed)
        # A write whose answer has an outcome for each item changed something if an item did.
        if changed and "applied" in message.DESCRIPTOR.fields_by_name:
            assert message.applied == any(changed), (call, message.applied, changed)

    def _result(self, call, result, shape):
        """Notes the reason of an outcome, which explains every code but 0."""
        if shape.may_lack_code:
            assert result.HasField("code"), f"{call} answered no code"
        if shape.has_relation:
            assert result.HasField("relation") == (result.code == 0), (call, result)
        if not result.reason:
            assert (result.code, result.info) == (0, ""), f"{call} gave no reason: {result}"
            return
        row = self.table.get(result.reason)
        assert row and (result.info == row.info or row.name == QUOTED), f"{call} answered {result}"
        sent = (row.name, call, as_declared(result.code))
        assert sent in row.sent, f"reason.proto does not say of {sent[0]} that it is {sent[1:]}"
        self.given.add(sent)

    def refusal(self, call, refused):
        """Notes why a call failed as a whole, and fails if its status does not belong to the
        reason."""
        if not refused.reason:
            return
        code = f"ERROR_REASON_{refused.reason}"
        self.reasons.add(code)
        # A call for the app may declare by itself what all calls for a user share.
        if code not in self._common or code in self.calls[call]:
            self._add(call, code)
        assert refused.code.name in self._statuses[code], refused

    def _add(self, call, code):
        self.seen.setdefault(call, set()).add(code)
        assert code in self.calls[call], f"{call} answered {code}, which CALLS.md does not say"

    def save(self, path):
        """Writes what was noted to a file."""
        path.write_text(json.dumps({
            "seen": {call: sorted(codes) for call, codes in self.seen.items()},
            "reasons": sorted(self.reasons), "given": sorted(self.given),
        }))  # fmt: skip

    def load(self, folder):
        """Adds what other processes of the same run saved in a folder."""
        for path in folder.iterdir():
            saved = json.loads(path.read_text())
            for call, codes in saved["seen"].items():
                self.seen.setdefault(call, set()).update(codes)
            self.reasons.update(saved["reasons"])
            self.given.update(map(tuple, saved["given"]))

    def missing(self):
        """The codes that the page declares of calls, and that no test got as an answer."""
        return sorted(
            f"{call}: {code}"
            for call, codes in self.calls.items()
            for code in codes - self.seen.get(call, set())
        )

    def missing_reasons(self):
        """The reasons that reason.proto names with a call and a code, and that no test got."""
        told = set().union(*(row.sent for row in self.table.values()))
        return sorted(told - self.given)


class Shape:
    """The fields of one message that a look at an answer needs."""

    def __init__(self, descriptor):
        fields = descriptor.fields
        names = set(descriptor.fields_by_name)
        self.statuses = [
            field.name for field in fields
            if field.type == FieldDescriptor.TYPE_ENUM and field.enum_type.name in STATUSES
        ]
        self.is_result = {"code", "reason", "info"} <= names
        self.may_lack_code = self.is_result and descriptor.fields_by_name["code"].has_presence
        self.has_relation = "relation" in names
        self.is_changed = "changed" in names
        self.always_set = ALWAYS_SET.get(descriptor.name)
        #: The fields with messages in which there is something to look at.
        self.ones, self.lists = [], []
        for field in messages_of(descriptor):
            if any(map(is_looked_at, within(field.message_type))):
                (self.lists if field.is_repeated else self.ones).append(field.name)
        self._numbers = {
            field.name: field.enum_type.values_by_number
            for field in fields if field.type == FieldDescriptor.TYPE_ENUM
        }

    def status(self, message, name):
        """The name of a status code, zero included, or its number if the enum has no such value."""
        number = as_declared(getattr(message, name))
        known = self._numbers[name].get(number)
        return known.name if known else str(number)


@functools.cache
def shape_of(descriptor):
    return Shape(descriptor)


def messages_of(descriptor):
    """The fields of a message that are messages themselves, without maps."""
    return [
        field for field in descriptor.fields if field.type == FieldDescriptor.TYPE_MESSAGE
        and not field.message_type.GetOptions().map_entry]


def within(descriptor):
    """The kinds of messages that a message can have in it, at any depth, with its own."""
    found, waiting = {descriptor.full_name: descriptor}, [descriptor]
    while waiting:
        for field in messages_of(waiting.pop()):
            if field.message_type.full_name not in found:
                found[field.message_type.full_name] = field.message_type
                waiting.append(field.message_type)
    return found.values()


def is_looked_at(descriptor):
    """Whether a message has a code, a reason or a field of its own that `Answers` looks at."""
    names = set(descriptor.fields_by_name)
    return descriptor.name in ALWAYS_SET or "changed" in names or (
        {"code", "reason", "info"} <= names) or any(
        field.type == FieldDescriptor.TYPE_ENUM and field.enum_type.name in STATUSES
        for field in descriptor.fields)


def parts(message):
    """A message and every message in it that is looked at, with those on the way to it."""
    yield message
    shape = shape_of(message.DESCRIPTOR)
    for name in shape.ones:
        if message.HasField(name):
            yield from parts(getattr(message, name))
    for name in shape.lists:
        for item in getattr(message, name):
            yield from parts(item)
