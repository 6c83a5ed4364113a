"""After a burst a server gives its memory back to the system."""

import re
import time

import pytest
from raw_peer import WINDOW_UPDATE, RawPeer
from relationd import Relationd

#: Parts of messages, on many streams of some connections: each is a small piece of memory.
CONNECTIONS = 12
STREAMS = 400
PART = b"\0" + (100_000).to_bytes(4, "big") + bytes(60_000)
HELD = CONNECTIONS * STREAMS * len(PART)
PATIENCE = 60


def resident(running):
    with open(f"/proc/{running.process.pid}/status") as status:
        return int(re.search(r"VmRSS:\s+(\d+)", status.read())[1]) * 1024


def room(peer):
    """The bytes that the server has let the peer send on all its streams, by the updates that the
    peer has read."""
    updates = (one for one in peer.frames if one.kind == WINDOW_UPDATE and one.stream == 0)
    return 65_535 + sum(one.number for one in updates)


@pytest.fixture()
def running(tmp_path):
    with Relationd(tmp_path / "data") as running:
        yield running


def test_memory_goes_back_to_the_system_when_what_is_held_falls(running):
    before = resident(running)
    peers = []
    for _ in range(CONNECTIONS):
        peer = RawPeer(running.port)
        peers.append(peer)
        fields = peer.request("/relation.v1.FriendService/AddFriends")
        for number in range(1, STREAMS + 1):
            # The part is less than a stream's window, and within that of the connection.
            while room(peer) < number * len(PART):
                assert peer.read(), "the server closed"
            peer.open(fields, PART, end=False)
    assert resident(running) > before + HELD // 2
    for peer in peers:
        peer.close()
    end = time.monotonic() + PATIENCE
    while resident(running) > before + HELD // 4:
        assert time.monotonic() < end, (before, resident(running))
        time.sleep(0.2)
