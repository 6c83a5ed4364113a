"""The server tells the supervisor that started it how it stands, as systemd's `Type=notify` asks."""

import os
import pathlib
import signal
import socket
import tempfile

import pytest


WAIT_SECONDS = 20
# Supervisor gives up after two seconds for each of the words of a start and a stop.
LONGEST_PATH = 107


class Supervisor:
    """A socket that takes the words of a server, under a path or a name without one."""

    def __init__(self, name):
        self.name = name
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind("\0" + name[1:] if name.startswith("@") else name)
        self.socket.settimeout(WAIT_SECONDS)

    def next(self):
        """The next word, as a dictionary of its lines."""
        lines = self.socket.recv(4096).decode().splitlines()
        return dict(line.split("=", 1) for line in lines)

    def close(self):
        self.socket.close()


@pytest.fixture
def folder():
    """A folder whose path is short: a socket's path has few bytes."""
    with tempfile.TemporaryDirectory(prefix="notify") as folder:
        yield pathlib.Path(folder)


@pytest.fixture(params=["a path", "a name without a path"])
def supervisor(request, folder, monkeypatch):
    name = str(folder / "socket") if request.param == "a path" else f"@relation-{os.getpid()}"
    made = Supervisor(name)
    monkeypatch.setenv("NOTIFY_SOCKET", name)
    yield made
    made.close()


def test_a_supervisor_hears_of_the_start_the_reload_and_the_stop(supervisor, start):
    running = start()
    assert supervisor.next() == {"READY": "1", "STATUS": f"serving on {running.address}"}
    running.process.send_signal(signal.SIGHUP)
    word = supervisor.next()
    assert word.pop("RELOADING") == "1" and int(word.pop("MONOTONIC_USEC")) > 0 and not word
    assert supervisor.next() == {"READY": "1"}
    assert running.stop() == 0
    assert supervisor.next() == {
        "STOPPING": "1", "STATUS": "stopping", "EXTEND_TIMEOUT_USEC": "60000000"}


def test_a_stop_asks_for_the_time_of_its_delay_too(supervisor, start):
    running = start("data", "--stop-delay", "30")
    assert supervisor.next()["READY"] == "1"
    running.process.send_signal(signal.SIGTERM)
    assert supervisor.next()["EXTEND_TIMEOUT_USEC"] == "90000000"
    # A reload during a stop does not make the supervisor believe that the server is ready again.
    running.process.send_signal(signal.SIGHUP)
    running.process.send_signal(signal.SIGTERM)
    assert running.process.wait(WAIT_SECONDS) == 0
    supervisor.socket.setblocking(False)
    with pytest.raises(BlockingIOError):
        supervisor.socket.recv(4096)


def test_a_server_without_a_supervisor_serves(start, monkeypatch):
    monkeypatch.delenv("NOTIFY_SOCKET", raising=False)
    assert "supervisor" not in start().log


@pytest.mark.parametrize("name", ["relative", "/", "", "/" + "x" * LONGEST_PATH])
def test_a_name_that_no_socket_has_is_told_by_the_log(start, monkeypatch, name):
    monkeypatch.setenv("NOTIFY_SOCKET", name)
    assert "NOTIFY_SOCKET is not a name of a socket: the supervisor hears nothing" in start().log


def test_the_longest_name_of_a_socket_is_taken(start, folder, monkeypatch):
    name = f"{folder}/".ljust(LONGEST_PATH, "x")
    supervisor = Supervisor(name)
    monkeypatch.setenv("NOTIFY_SOCKET", name)
    start()
    assert supervisor.next()["READY"] == "1"
    supervisor.close()


def test_a_supervisor_that_is_gone_keeps_no_server_from_serving(start, folder, monkeypatch):
    monkeypatch.setenv("NOTIFY_SOCKET", str(folder / "nothing"))
    running = start()
    assert running.stop() == 0
    assert "the supervisor at NOTIFY_SOCKET cannot be notified: No such file" in running.log


@pytest.fixture
def deaf(folder, monkeypatch):
    """A supervisor whose socket is full, because it does not read."""
    supervisor = Supervisor(str(folder / "socket"))
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as filler:
        filler.setblocking(False)
        with pytest.raises(BlockingIOError):
            while True:
                filler.sendto(b"STATUS=full", supervisor.name)
    monkeypatch.setenv("NOTIFY_SOCKET", supervisor.name)
    yield supervisor
    supervisor.close()


def test_a_supervisor_that_does_not_read_holds_a_server_up_for_two_seconds(start, deaf):
    running = start()
    assert "cannot be notified: Resource temporarily unavailable" in running.log
    assert running.stop() == 0


def test_the_log_says_why_a_store_failed_before_the_process_ends(start, deaf):
    running = start("data")
    # Nothing is connected, so the server stops while the supervisor still holds the report up.
    for path in (running.data / "rows").iterdir():
        path.unlink()
    assert running.process.wait(WAIT_SECONDS) == os.EX_IOERR
    assert "critical" in running.log and "the store has failed: service ends" in running.log
