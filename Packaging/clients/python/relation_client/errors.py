"""A call that failed, with the reason that the service gave."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import grpc

from relation.v1.reason_pb2 import ErrorReason

DOMAIN = "relation.v1"
_DETAILS = "grpc-status-details-bin"
# Codes after which a stream of changes goes on: some are the words of proxies.
_PASSING = {
    grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.ABORTED, grpc.StatusCode.CANCELLED,
    grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.RESOURCE_EXHAUSTED,
}


@dataclass
class CallError(Exception):
    """A call that failed as a whole. The outcome of an item is in the answer, not here."""

    code: grpc.StatusCode
    message: str
    #: The reason as a text, such as ``USER_NOT_FOUND``; empty if the service gave none.
    reason: str = ""
    #: The metadata of the reason, such as ``limit`` and ``actual``.
    metadata: dict[str, str] = field(default_factory=dict)
    #: Each invalid field of the request, with its rule.
    fields: list[tuple[str, str]] = field(default_factory=list)
    #: The seconds after which the server asks to try again.
    retry_after: float | None = None
    #: How often the call was made.
    attempts: int = 1

    def __str__(self) -> str:
        head = f"{self.code.name} ({self.reason})" if self.reason else self.code.name
        tail = f" (after {self.attempts} attempts)" if self.attempts > 1 else ""
        return f"{head}: {self.message}{tail}"

    @property
    def error_reason(self) -> ErrorReason:
        """The reason as the contract's enum; UNSPECIFIED if it is newer than this package."""
        name = f"ERROR_REASON_{self.reason}"
        return ErrorReason.Value(name if name in ErrorReason.keys() else ErrorReason.Name(0))

    @property
    def may_be_repeated(self) -> bool:
        """Whether the same call may succeed later, if it does no harm to make it twice."""
        if self.code is grpc.StatusCode.UNAVAILABLE:
            return self.reason != "BEHIND"
        if self.code is grpc.StatusCode.RESOURCE_EXHAUSTED:
            return self.retry_after is not None
        return self.reason in ("OUTCOME_UNKNOWN", "CONFLICT")

    @property
    def ends_a_stream_only(self) -> bool:
        """Whether another stream of changes may go on after the one that ended so."""
        if self.code in _PASSING:
            return self.reason != "READER_FENCED"
        return not self.reason and self.code in (
            grpc.StatusCode.UNKNOWN, grpc.StatusCode.INTERNAL)


def call_error(error: grpc.RpcError, attempts: int = 1) -> CallError:
    """The error of gRPC with its details read."""
    made = CallError(error.code(), error.details() or "", attempts=attempts)
    for key, value in error.trailing_metadata() or ():
        if key == _DETAILS:
            _read_status(value, made)
    return made


def _read_status(status: bytes, into: CallError) -> None:
    for number, detail in _fields(status):
        if number != 3 or not isinstance(detail, bytes):
            continue
        parts = dict(_fields(detail))
        kind = bytes(parts.get(1, b"")).decode().rpartition(".")[2]
        value = bytes(parts.get(2, b""))
        if kind == "ErrorInfo":
            _read_info(value, into)
        elif kind == "BadRequest":
            violations = (dict(_fields(one)) for _, one in _fields(value))
            into.fields += [(_text(one, 1), _text(one, 2)) for one in violations]
        elif kind == "RetryInfo":
            delay = dict(_fields(bytes(dict(_fields(value)).get(1, b""))))
            into.retry_after = int(delay.get(1, 0)) + int(delay.get(2, 0)) / 1e9


def _read_info(info: bytes, into: CallError) -> None:
    parts = dict(_fields(info))
    if _text(parts, 2) != DOMAIN:
        return
    into.reason = _text(parts, 1)
    for number, entry in _fields(info):
        if number == 3:
            pair = dict(_fields(entry))
            into.metadata[_text(pair, 1)] = _text(pair, 2)


def _text(parts: dict, number: int) -> str:
    return bytes(parts.get(number, b"")).decode()


def _fields(message: bytes) -> Iterator[tuple[int, bytes | int]]:
    """The fields of an encoded message: numbers, and what has a length."""
    at = 0

    def varint() -> int:
        nonlocal at
        number = shift = 0
        while True:
            byte = message[at]
            at += 1
            number |= (byte & 127) << shift
            if byte < 128:
                return number
            shift += 7

    while at < len(message):
        tag = varint()
        if tag & 7 == 0:
            yield tag >> 3, varint()
        elif tag & 7 == 2:
            length = varint()
            at += length
            yield tag >> 3, message[at - length:at]
        else:
            at += 8 if tag & 7 == 1 else 4
