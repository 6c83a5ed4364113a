"""An hour of streams through proxies, on two clocks that run ahead.

The clock of the server is that of a demo, which the test sets. The clock of a proxy runs `SPEED`
times as fast as the machine's, so its file is the one of Packaging with its own times. Only those
for a connect and a check are longer: a machine with other work needs more than 2 s / `SPEED`.
"""

import contextlib
import sys
import time

import grpc
import proxies
import pytest
from people import People
from proxies import LONG, Proxy
from relationd import ROOT
from stubs import Relation
from watching import Watching

sys.path.insert(0, str(ROOT / "Examples" / "Testing" / "Python"))
from relation_demo import RelationDemo  # noqa: E402

LONGER = {
    "nginx": [("grpc_connect_timeout 2s", "grpc_connect_timeout 60s")],
    "haproxy": [("timeout connect 2s", "timeout connect 60s"), ("inter 2s", "inter 60s")],
}  # fmt: skip
#: Seconds of a proxy in one of the machine: an hour takes a minute and a half.
SPEED = 40
HOUR = 3_600
#: The heartbeats that clients of this project ask for, in seconds.
HEARTBEAT = 25


class Demo(RelationDemo):
    """A demo that stands behind proxies."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.port = int(self.address.rpartition(":")[2])
        self.pages = self._clock.removesuffix("/demo/clock")


class Hour:
    """A stream with heartbeats and one without, through the same proxy."""

    def __init__(self, block, name, server, authority, certificate, stubs, folder):
        proxy = block.enter_context(
            Proxy(name, folder / name, [server], certificate, quiet=LONG, speed=SPEED,
                  changes=LONGER[name]))
        credentials = grpc.ssl_channel_credentials(authority.pem)
        channel = block.enter_context(grpc.secure_channel(proxy.address, credentials))
        self.relation = Relation(stubs, channel)
        self.beating, self.quiet = (
            block.enter_context(
                Watching(self.relation, timeout=None, user_id="alice", heartbeat_ms=beat))
            for beat in (1_000 * HEARTBEAT, 0))
        for stream in (self.beating, self.quiet):
            stream.state()


def test_a_stream_with_heartbeats_lives_for_an_hour(authority, certificate, stubs, tmp_path):
    names = [name for name in LONGER if proxies.program(name)]
    if not names or proxies.fast_clock() is None:
        pytest.skip("no proxy is installed, or no libfaketime")
    with contextlib.ExitStack() as block:
        server = block.enter_context(Demo("--sample"))
        # The heartbeats come by the test's word alone.
        server.set_clock(stopped=True)
        began = time.monotonic()
        hours = [Hour(block, name, server, authority, certificate, stubs, tmp_path)
                 for name in names]
        for second in range(HEARTBEAT, HOUR + 1, HEARTBEAT):
            # The proxy's clock cannot be set, so the server's waits for it.
            time.sleep(max(0, began + second / SPEED - time.monotonic()))
            server.set_clock(advance_ms=1_000 * HEARTBEAT)
            for hour in hours:
                assert not hour.beating.next().HasField("event")
        for name, hour in zip(names, hours):
            # The proxy's clock is a fast one: it has ended the stream in which nothing came.
            assert not hour.quiet.stream.is_active(), name
            People(hour.relation).set_profile("alice", nick=f"after an hour of {name}")
            assert hour.beating.event().user_id == "alice"
