"""The log of the server: its two forms, the lines of calls, and what stays out of it."""

import contextlib
import json
import os
import re
import signal
import socket
import ssl
import subprocess
import time

import grpc
import pytest
from credentials import Keys, init, sign
from people import People
from refusals import refusal
from relationd import executable
from stubs import Relation
from test_configuration import await_reload

PATIENCE = 30
TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


def objects(running):
    """The lines of a log in JSON."""
    # The last line may still be on its way.
    return [json.loads(line) for line in running.log.split("\n")[:-1]]


def calls(running, count, message="call"):
    """The lines of calls, once there are so many; no more of them come after a stop."""
    end = time.monotonic() + PATIENCE
    while True:
        found = [line for line in objects(running) if line["message"] == message]
        if len(found) >= count:
            return found
        assert running.process.poll() is None and time.monotonic() < end, running.log


@pytest.fixture
def logging(start):
    """Starts a server with a log in JSON."""
    return lambda *more, **options: start("data", "--log-format", "json", *more, **options)


def test_each_line_is_an_object_with_the_same_fields(logging):
    running = logging("--log-level", "debug")
    assert running.stop() == 0
    lines = objects(running)
    assert [line["message"] for line in lines][-1] == "stopped"
    for line in lines:
        assert list(line)[:5] == ["time", "level", "logger", "source", "message"]
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", line["time"])
        assert line["level"] in ("debug", "info", "notice", "warning", "error")


def test_a_call_has_a_line_with_all_that_is_known_of_it(logging, stubs, tmp_path):
    _, operator, _ = init(tmp_path / "data")
    running = logging("--access-log", "all", insecure=False)
    with grpc.insecure_channel(running.address) as channel:
        keys = Keys(stubs, channel, operator)
        app = keys.app()
        keys.accounts(app, "ann", "bob")
        key = keys.key(app)
        relation = keys.with_key(key, ("traceparent", TRACE))
        seen = len(calls(running, 3))
        answer = relation(
            "AddFriends", user_id="ann", options={"request_id": "r 1"},
            items=[{"user_id": "bob"}])  # fmt: skip
        line = calls(running, seen + 1)[-1]
        assert line["call"] == "/relation.v1.FriendService/AddFriends"
        assert (line["code"], line["level"], line["app"]) == ("OK", "info", app)
        assert line["request_id"] == "r 1"
        assert line["trace_id"] == TRACE[3:35]
        assert line["sent_bytes"] == answer.ByteSize() and line["received_bytes"] > 10
        assert 0 < line["microseconds"] < PATIENCE * 1_000_000
        assert re.fullmatch(r"127\.0\.0\.1:\d+", line["peer"])
        kind, _, name = line["caller"].partition(":")
        assert kind == "key" and name == key.split(".")[1] and key not in running.log
        refused = refusal(relation, "GetSelfProfile", user_id="eve")
        line = calls(running, seen + 2)[-1]
        assert (line["code"], line["reason"]) == ("NOT_FOUND", refused.reason)
        assert "request_id" not in line
        # A caller without a credential is not known.
        assert refusal(Relation(stubs, channel), "GetStats")
        line = calls(running, seen + 3)[-1]
        assert line["code"] == "UNAUTHENTICATED" and "caller" not in line and "app" not in line


@pytest.mark.parametrize("named", [False, True])
def test_a_user_is_named_only_if_the_operator_wants_it(logging, stubs, tmp_path, named):
    _, operator, _ = init(tmp_path / "data")
    more = ["--access-log-users"] if named else []
    running = logging("--access-log", "all", *more, insecure=False)
    with grpc.insecure_channel(running.address) as channel:
        keys = Keys(stubs, channel, operator)
        app = keys.app()
        keys.accounts(app, "user-ann", "user-bob")
        token = sign(app, keys.secret(app), "user-ann")
        seen = len(calls(running, 3))
        keys.with_signature(token)("CheckFriends", user_id="user-ann", user_ids=["user-bob"])
        assert calls(running, seen + 1)[-1]["caller"] == ("user:user-ann" if named else "user")
    assert ("user-ann" in running.log) == named
    assert "user-bob" not in running.log and token not in running.log


def test_the_log_of_calls_is_off_sampled_or_full(start, stubs, tmp_path):
    path = tmp_path / "relationd.yaml"
    path.write_text("log-format: json\nslow-call: 0\n")
    running = start("data", "--config", path)
    with grpc.insecure_channel(running.address) as channel:
        relation = Relation(stubs, channel)
        for _ in range(10):
            relation("GetStats")
        path.write_text("log-format: json\naccess-log: sampled\naccess-log-sample: 10\n")
        await_reload(running)
        for _ in range(100):
            relation("GetStats")
        assert len(calls(running, 10)) == 10
        path.write_text("log-format: json\naccess-log: all\nlog-level: critical\n")
        running.process.send_signal(1)
        while len(calls(running, 10)) < 12:
            relation("GetStats")
    assert running.stop() == 0
    assert len(calls(running, 12)) < 100


def test_a_slow_call_is_a_warning(logging, stubs):
    running = logging("--slow-call", "1")
    with grpc.insecure_channel(running.address) as channel:
        people = People(Relation(stubs, channel))
        ann, *friends = people(101)
        people.relation("AddFriends", user_id=ann, items=[{"user_id": user} for user in friends])
        line = calls(running, 1, "slow call")[-1]
    assert line["level"] == "warning" and line["microseconds"] > 1_000


def test_no_text_of_a_client_ends_a_line_or_begins_a_field(start, stubs):
    text = 'x"\n2026-01-01 critical: app=9\r\x1b[31m \\'
    running = start("data", "--access-log", "all")
    with grpc.insecure_channel(running.address) as channel:
        people = People(Relation(stubs, channel))
        ann, bob = people(2)
        people.relation(
            "AddToBlacklist", user_id=ann, options={"request_id": text}, user_ids=[bob])
    assert running.stop() == 0
    (line,) = [line for line in running.log.split("\n") if "request_id=" in line]
    assert r'request_id="x\"\n2026-01-01 critical: app=9\r\u001b[31m \\"' in line
    assert line.endswith("[calls] call") and "AddToBlacklist" in line
    assert not re.search(r"[\x00-\x09\x0b-\x1f]", running.log)


def test_a_log_that_is_not_read_stops_no_call(tmp_path, stubs):
    reading, writing = os.pipe()
    process = subprocess.Popen(
        [executable("relationd"), "serve", "--listen", "127.0.0.1:0", "--data",
         str(tmp_path / "data"), "--insecure", "--access-log", "all"],
        stdout=subprocess.PIPE, stderr=writing, text=True)  # fmt: skip
    os.close(writing)
    address = process.stdout.readline().split()[-1]
    count = 12_000
    with grpc.insecure_channel(address) as channel:
        relation = Relation(stubs, channel)
        request = stubs.request("GetSequence", {"user_id": "ann"})
        call = relation.start("GetSequence")
        for _ in range(count // 1_000):
            sent = [
                call.future(request, timeout=PATIENCE, metadata=relation.metadata)
                for _ in range(1_000)
            ]
            for one in sent:
                one.exception()
    process.terminate()
    with os.fdopen(reading, errors="replace") as log:
        lines = [line for line in log if "[calls] call" in line]
    assert process.wait(PATIENCE) == 0
    process.stdout.close()
    left_out = sum(int(number) for number in re.findall(r"left_out=(\d+)", "".join(lines)))
    assert len(lines) + left_out == count and left_out > 0


# The journal


class Journal:
    """Runs relationd as systemd does whose journal reads its standard error: here a file."""

    def __init__(self, folder):
        self.path = folder / "journal"
        self.path.touch()
        status = self.path.stat()
        self.variables = os.environ | {"JOURNAL_STREAM": f"{status.st_dev}:{status.st_ino}"}
        self.data = folder / "data"

    def start(self, *arguments, **variables):
        with open(self.path, "ab") as log:
            return subprocess.Popen(
                [executable("relationd"), *map(str, arguments)], stdout=subprocess.PIPE,
                stderr=log, text=True, env=self.variables | variables)

    def serve(self, *arguments):
        process = self.start(
            "serve", "--data", self.data, "--listen", "127.0.0.1:0", "--metrics-listen", "off",
            *arguments)
        assert process.stdout.readline().startswith("listening on ")
        return process

    def end(self, process, how):
        process.send_signal(how)
        status = process.wait(PATIENCE)
        process.stdout.close()
        return status

    @property
    def lines(self):
        """The levels and the texts of the lines; each has a level."""
        found = [re.fullmatch("<([2-7])>(.+)", line) for line in self.path.read_text().splitlines()]
        assert found and all(found), self.path.read_text()
        return [(int(line[1]), line[2]) for line in found]


LEVELS = {"critical": 2, "error": 3, "warning": 4, "notice": 5, "info": 6, "debug": 7, "trace": 7}


@pytest.fixture
def journal(tmp_path):
    return Journal(tmp_path)


@pytest.mark.parametrize("form", ["text", "json"])
def test_each_line_tells_the_journal_its_level(journal, tmp_path, form):
    key = tmp_path / "headers"
    key.write_text("x-api-key: x\n")
    key.chmod(0o644)
    # An info, and a warning of a file that is open to all.
    process = journal.serve(
        "--log-format", form, "--log-level", "debug", "--trace-headers", key,
        "--trace-endpoint", "http://127.0.0.1:1")
    assert journal.end(process, signal.SIGTERM) == 0
    for level, text in journal.lines:
        word = json.loads(text)["level"] if form == "json" else text.split()[1]
        assert level == LEVELS[word], text
    assert {4, 6} <= {level for level, _ in journal.lines}


@pytest.mark.parametrize("arguments", [
    ["serve"],
    ["serve", "--data", "DATA", "--threads", "none", "--stop-delay", "none"],
    ["serve", "--data", "/proc/none", "--listen", "127.0.0.1:0", "--metrics-listen", "off"],
    ["serve", "--nothing"],
    ["nothing"],
])  # fmt: skip
def test_a_start_that_fails_tells_the_journal_an_error(journal, arguments):
    arguments = [word.replace("DATA", str(journal.data)) for word in arguments]
    process = journal.start(*arguments)
    assert process.wait(PATIENCE) != 0
    process.stdout.close()
    assert {level for level, _ in journal.lines} == {3}


def test_a_crash_tells_the_journal_where_it_stood(journal):
    process = journal.serve()
    before = len(journal.lines)
    assert journal.end(process, signal.SIGQUIT) == -signal.SIGQUIT
    lines = journal.lines[before:]
    # A line of the server itself may have been on its way.
    while lines[0][0] != 2:
        del lines[0]
    assert {level for level, _ in lines} == {2}
    assert "The process ends by SIGQUIT" in lines[0][1]
    assert len([text for _, text in lines if "[0x" in text]) == len(lines) - 1 > 1


def test_no_line_of_a_crash_is_written_in_parts(tmp_path):
    # Each write is a message of its own here. So another thread's line cannot get into one.
    reading, writing = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    reading.settimeout(PATIENCE)
    status = os.fstat(writing.fileno())
    with reading, writing:
        process = subprocess.Popen(
            [executable("relationd"), "serve", "--data", str(tmp_path / "data"), "--listen",
             "127.0.0.1:0", "--metrics-listen", "off"],
            stdout=subprocess.PIPE, stderr=writing, text=True,
            env=os.environ | {"JOURNAL_STREAM": f"{status.st_dev}:{status.st_ino}"})  # fmt: skip
        assert process.stdout.readline().startswith("listening on ")
        process.send_signal(signal.SIGQUIT)
        assert process.wait(PATIENCE) == -signal.SIGQUIT
        process.stdout.close()
        # The socket is a datagram socket: there is no end to read up to.
        reading.setblocking(False)
        written = []
        with contextlib.suppress(BlockingIOError):
            while True:
                written.append(reading.recv(100_000).decode())
    assert all(re.fullmatch(r"(<[2-7]>[^\n]+\n)+", text) for text in written), written
    assert "The process ends by SIGQUIT" in "".join(written)
    assert len([text for text in written if re.fullmatch(r"<2>.*\[0x.*\n", text)]) > 1


@pytest.mark.parametrize("stream", [None, "", "1:2", "8", "x:y"])
def test_what_the_journal_does_not_read_has_no_levels_in_front(journal, stream):
    journal.variables.pop("JOURNAL_STREAM")
    process = journal.start("serve", **({} if stream is None else {"JOURNAL_STREAM": stream}))
    assert process.wait(PATIENCE) == 64
    process.stdout.close()
    assert journal.path.read_text().startswith("Error: no source")


# Connections that close


def test_ordinary_closes_are_not_notices(start, certificate):
    running = start(
        "data", "--tls-cert", certificate.path, "--tls-key", certificate.key_path,
        "--allow-anonymous", insecure=False)  # fmt: skip
    for _ in range(3):
        # As a balancer asks whether the server listens.
        socket.create_connection(("127.0.0.1", running.port)).close()
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.set_alpn_protocols(["h2"])
    with socket.create_connection(("127.0.0.1", running.port)) as plain:
        with context.wrap_socket(plain) as encrypted:
            encrypted.sendall(
                b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(3) + b"\4" + bytes(5)
                + b"\0\0\x08\7" + bytes(13))
            while encrypted.recv(1_000):
                pass
    assert running.stop() == 0
    assert " notice " not in running.log and not running.complaints, running.log


def test_a_peer_is_named_by_address_and_port(start):
    running = start("data")
    with socket.create_connection(("127.0.0.1", running.port)) as client:
        client.sendall(b"GET / HTTP/1.1\r\n\r\n")
        name = "{}:{}".format(*client.getsockname())
        while client.recv(1_000):
            pass
    assert running.stop() == 0
    assert f"peer={name} " in running.log
