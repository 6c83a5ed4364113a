"""After a burst a server gives its memory back to the system."""

import re
import time

import pytest
from raw_peer import RawPeer
from relationd import Relationd

#: Half of a message of 4 MiB, on each of a connection's streams up to what one may gather.
MESSAGES = 14
CONNECTIONS = 20
HALF = b"\0" + (4 << 20).to_bytes(4, "big") + bytes(2 << 20)
HELD = CONNECTIONS * MESSAGES * (2 << 20)
PATIENCE = 60


def resident(running):
    with open(f"/proc/{running.process.pid}/status") as status:
        return int(re.search(r"VmRSS:\s+(\d+)", status.read())[1]) * 1024


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
        # In turns, as the window of the connection opens.
        for _ in range(MESSAGES):
            stream = peer.open(fields, end=False)
            peer.data_as_allowed(stream, HALF, end=False)
    assert resident(running) > before + HELD // 2
    for peer in peers:
        peer.close()
    end = time.monotonic() + PATIENCE
    while resident(running) > before + HELD // 4:
        assert time.monotonic() < end, (before, resident(running))
        time.sleep(0.2)
