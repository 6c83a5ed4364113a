"""Whatever callers send, whether or not they show a credential, the loop is there for the others.

Each attack goes on while another client makes a hundred calls a second, one after the other
whatever became of the last: what counts is how many of them are answered in time.
"""

import gzip
import threading
import time

import grpc
import pytest
from raw_peer import DATA, END_HEADERS, END_STREAM, HEADERS, RawPeer, envelope, frame, literal
from relationd import Relationd
from stubs import Relation

CONNECTIONS = 100
CALLS = 32
SECONDS = 4
PER_SECOND = 100
#: Ten times what a call may take beside the attacks, as they were seen on two busy cores.
IN_TIME = 2
BOMB = gzip.compress(bytes(4 << 20))


@pytest.fixture(scope="module")
def victim(tmp_path_factory):
    with Relationd(tmp_path_factory.mktemp("stalling") / "data") as running:
        yield running


def steady(relation, stubs):
    """Calls at equal distances in time; the share of them that were answered in time."""
    request = stubs.request("GetStats", {})
    start, calls = relation.start("GetStats"), []
    begin = time.monotonic()
    for number in range(SECONDS * PER_SECOND):
        wait = begin + number / PER_SECOND - time.monotonic()
        if wait > 0:
            time.sleep(wait)
        calls.append(start.future(request, timeout=IN_TIME))
    codes = [call.code() for call in calls]
    return codes.count(grpc.StatusCode.OK) / len(codes)


def beside(attack, running, stubs):
    """The share of a client's calls that are answered in time while the attack goes on."""
    threads = [threading.Thread(target=attack, args=(running.port, CONNECTIONS // 4))
               for _ in range(4)]
    with grpc.insecure_channel(running.address) as channel:
        relation = Relation(stubs, channel)
        relation("GetStats")
        for thread in threads:
            thread.start()
        try:
            return steady(relation, stubs)
        finally:
            for thread in threads:
                thread.join()


def sending(frames_of):
    """An attack: many connections that each send what they are given, and read nothing."""

    def attack(port, count):
        peers = [RawPeer(port) for _ in range(count)]
        frames = [frames_of(peer) for peer in peers]
        end = time.monotonic() + SECONDS
        for peer, sent in zip(peers, frames):
            if time.monotonic() < end:
                peer.send(sent)
        time.sleep(max(0, end - time.monotonic()))
        for peer in peers:
            peer.close()

    return attack


def bombs(path):
    """Calls whose messages expand a thousandfold."""

    def frames(peer):
        fields = peer.request(path, **{"grpc-encoding": "gzip"})
        # One field of bytes that no message has.
        body = envelope(BOMB, 1)
        return b"".join(
            peer.headers(stream, fields) + frame(DATA, END_STREAM, stream, body)
            for stream in range(1, 2 * CALLS, 2))

    return sending(frames)


def heads(peer):
    """Heads of some bytes that stand for 55 KB of fields."""
    entry = b"\x40\x01a" + b"\x7f\xc9\x1e" + b"x" * 4_040
    first = frame(HEADERS, END_HEADERS | END_STREAM, 1, b"".join(
        literal(name, value) for name, value in peer.request("/grpc.health.v1.Health/Check"))
        + entry)
    # POST, http and /, as the static table has them.
    again = b"\x83\x86\x84" + bytes([0x80 | 62]) * 13
    return first + b"".join(
        frame(HEADERS, END_HEADERS | END_STREAM, stream, again) for stream in range(3, 20_000, 2))


ATTACKS = {
    "bombs_without_a_credential": bombs("/grpc.health.v1.Health/Check"),
    "bombs_of_callers": bombs("/relation.v1.FriendService/CheckFriends"),
    "heads": sending(heads),
}


@pytest.mark.parametrize("name", ATTACKS)
def test_another_client_keeps_its_calls(victim, stubs, name):
    assert beside(ATTACKS[name], victim, stubs) >= 0.9
