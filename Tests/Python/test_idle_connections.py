"""A connection whose client says nothing takes little of the server's memory."""

import re

import pytest
from raw_peer import RawPeer
from relationd import Relationd

#: The first ones bring memory that all connections share.
BEFORE = 100
CONNECTIONS = 400
#: A sixth more than a connection takes, by and large.
MOST_BYTES = 19 << 10
HEALTH = "/grpc.health.v1.Health/Check"


def resident(running):
    with open(f"/proc/{running.process.pid}/status") as status:
        return int(re.search(r"VmRSS:\s+(\d+)", status.read())[1]) * 1024


def idle(running, count):
    """Connections that have had one call."""
    peers = [RawPeer(running.port) for _ in range(count)]
    for peer in peers:
        assert peer.call(peer.request(HEALTH)).code == "0"
    return peers


@pytest.fixture()
def running(tmp_path):
    with Relationd(tmp_path / "data") as running:
        yield running


def test_an_idle_connection_takes_little_memory(running):
    peers = idle(running, BEFORE)
    before = resident(running)
    peers += idle(running, CONNECTIONS)
    held = (resident(running) - before) // CONNECTIONS
    for peer in peers:
        peer.close()
    assert held <= MOST_BYTES, held
