"""Files that a process may have open: connections get no more of them than everything else
leaves."""

import contextlib
import os
import re
import resource
import socket
import subprocess
import sys
import time

import grpc
import pytest
from people import People
from raw_peer import ACK, PREFACE, SETTINGS, frame, settings
from relationd import Relationd, executable
from stubs import Relation

PATIENCE = 30


def limited(soft, hard):
    """The command that runs a server with so many descriptors."""
    return ["prlimit", f"--nofile={soft}:{hard}"]


def shares(running):
    """The numbers of files, connections and files of rows in a line that follows the start."""
    found = running.await_log(r"(\d+) files may be open: (\d+) of them connections, (\d+)")
    return [int(number) for number in found.groups()]


def most_allowed(running):
    with open(f"/proc/{running.process.pid}/limits") as limits:
        line = next(line for line in limits if line.startswith("Max open files"))
    return int(line.split()[3])


class Crowd:
    """Connections that greet the server, and then send nothing."""

    GREETING = PREFACE + settings() + frame(SETTINGS, ACK)

    def __init__(self, port, count):
        self.sockets = [socket.create_connection(("127.0.0.1", port)) for _ in range(count)]
        for one in self.sockets:
            # One that is refused may be closed by now.
            with contextlib.suppress(OSError):
                one.sendall(self.GREETING)

    def open_ones(self, expected):
        """The number of connections that the server has not closed, once it is as expected."""
        end = time.monotonic() + PATIENCE
        while (count := sum(map(self._is_open, self.sockets))) > expected:
            if time.monotonic() > end:
                break
            time.sleep(0.1)
        return count

    def _is_open(self, one):
        one.setblocking(False)
        try:
            # The server greets with its settings, and ends with nothing.
            while True:
                if not one.recv(4096):
                    return False
        except BlockingIOError:
            return True
        except OSError:
            return False

    def close(self):
        for one in self.sockets:
            one.close()


@pytest.mark.parametrize("limit", [256, 1_024])
def test_idle_connections_end_no_server_and_keep_no_client_from_calling(tmp_path, stubs, limit):
    options = ["--address-connections", "0", "--address-rate", "0"]
    with Relationd(tmp_path / "data", *options, wrapper=limited(limit, limit)) as running:
        total, connections, files = shares(running)
        assert total == limit
        assert connections + files <= limit - 64
        with grpc.insecure_channel(running.address) as channel:
            relation = Relation(stubs, channel)
            relation("GetStats")
            crowd = Crowd(running.port, limit)
            try:
                # Our client has one of the places.
                assert crowd.open_ones(connections - 1) == connections - 1
                for number in range(50):
                    relation("GetStats")
                    relation("UpdateProfile", user_id="ann", profile={"nick": f"n{number}"},
                             update_mask={"paths": ["nick"]})
                held = len(os.listdir(f"/proc/{running.process.pid}/fd"))
                assert held < limit
            finally:
                crowd.close()
        assert "too_many_connections" in running.log


def test_the_soft_limit_is_raised_to_the_hard_one(tmp_path):
    hard = min(resource.getrlimit(resource.RLIMIT_NOFILE)[1], 20_000)
    with Relationd(tmp_path / "data", wrapper=limited(512, hard)) as running:
        assert shares(running)[0] == most_allowed(running) == hard


def test_a_hard_limit_below_what_is_needed_is_refused_and_named(tmp_path):
    command = [executable("relationd"), "serve", "--insecure", "--listen", "127.0.0.1:0",
               "--data", str(tmp_path / "data")]
    found = subprocess.run([*limited(100, 100), *command], capture_output=True, text=True,
                           timeout=PATIENCE)
    assert found.returncode != 0
    least = int(re.search(r"may have 100 files open, and needs (\d+) at least", found.stderr)[1])
    assert not (tmp_path / "data").exists()
    with Relationd(tmp_path / "data", wrapper=limited(least, least)) as running:
        assert shares(running)[0] == least


#: How long the test below keeps a server busy; `make crowd` says more.
BUSY_SECONDS = float(os.environ.get("CROWD_SECONDS", "2"))


@pytest.fixture()
def busy_cores():
    """Keeps every core busy with something else."""
    program = f"import time\nend = time.monotonic() + {BUSY_SECONDS + 60}\n" \
        "while time.monotonic() < end: pass"
    children = [subprocess.Popen([sys.executable, "-c", program])
                for _ in range(os.cpu_count())]
    yield
    for child in children:
        child.kill()
        child.wait()


def test_a_busy_server_with_all_its_connections_lives_on(tmp_path, stubs, busy_cores):
    options = ["--address-connections", "0", "--address-rate", "0"]
    with Relationd(tmp_path / "data", *options, wrapper=limited(1_024, 1_024)) as running:
        _, connections, _ = shares(running)
        with grpc.insecure_channel(running.address) as channel:
            relation = Relation(stubs, channel)
            people = People(relation)
            # The channel makes its connection before the crowd comes.
            relation("GetStats")
            crowd = Crowd(running.port, 1_000)
            end, rounds = time.monotonic() + BUSY_SECONDS, 0
            try:
                while rounds == 0 or time.monotonic() < end:
                    rounds += 1
                    # An import, a scan of everything, and work behind the calls.
                    users = people(50)
                    people.befriend(users[0], *users[1:])
                    for name in ("ExportApp", "CheckIntegrity"):
                        answers = relation.start(name)(stubs.request(name, {}), timeout=60)
                        assert sum(1 for _ in answers) > 0
                    relation("DeleteAccounts", user_ids=users[:10])
                assert crowd.open_ones(connections - 1) == connections - 1
            finally:
                crowd.close()
