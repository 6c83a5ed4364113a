"""A disk that fails ends service: no caller gets a false answer, health reports it, and the next
start recovers.

`strace` makes the system calls of a running server fail.
"""

import contextlib
import itertools
import os
import re
import shutil
import signal
import socket
import subprocess
import time

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from people import People, codes
from refusals import Refusal, refusal
from relationd import Relationd, executable
from stubs import Relation
from watching import STATE, Watching, live

SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING
# The server's own bound is 6 seconds; this machine may have others at work.
END_SECONDS = 60
# Far longer than an end takes, and shorter than the waits that were there before.
PROMPT_SECONDS = 10
# EX_IOERR of sysexits.h, an error of input or output.
STATUS = 74


@contextlib.contextmanager
def failing(server, calls, error, *options, inject=None, path=None):
    """Lets system calls of the server fail, from now on and in each of its threads.

    `path` bounds that to one file.
    """
    assert shutil.which("strace"), "strace is missing"
    command = ["strace", "-f", "-p", str(server.process.pid), "-o", f"{server.data}.trace"]
    command += ["-e", f"trace={calls}", "-e", f"inject={inject or calls}:{error}:when=1+"]
    command += [*options, *(["-P", str(path)] if path else [])]
    tracer = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        line = tracer.stderr.readline()
        assert "attached" in line, line
        yield
    finally:
        tracer.terminate()
        try:
            tracer.wait(5)
        except subprocess.TimeoutExpired:
            # It waits for the end of a delay, also for a process that is gone.
            tracer.kill()
            tracer.wait()
        tracer.stderr.close()


def log_file(server):
    """The engine's log that is being written: the one with the highest number."""
    return max((server.data / "rows").glob("*.log"), key=lambda path: int(path.stem))


@pytest.fixture
def serve(tmp_path, stubs):
    """Starts a server of its own, and returns it with callers: `server, people, health =
    serve()`."""
    with contextlib.ExitStack() as stack:

        def begin(**options):
            server = Relationd(tmp_path / "data", **options)
            stack.callback(lambda: server.process.poll() is None and server.kill())
            channel = stack.enter_context(grpc.insecure_channel(server.address))
            people = People(Relation(stubs, channel))
            return server, people, health_pb2_grpc.HealthStub(channel)

        yield begin


def adding(user, friend, request_id=None):
    fields = {"user_id": user, "items": [{"user_id": friend}]}
    return fields | ({"options": {"request_id": request_id}} if request_id else {})


FAULTS = {
    # The record is in the file, whole: only its sync fails.
    "a sync": ("fdatasync", "error=EIO", True),
    # Of a full device the engine may begin another log before the process is gone.
    "a sync on a full device": ("fdatasync", "error=ENOSPC", None),
    "a write": ("write", "error=EIO", False),
    "a write beyond a quota": ("write", "error=EDQUOT", False),
    "a write on a full device": ("write", "error=ENOSPC", False),
}


@pytest.mark.parametrize("calls, error, is_there", FAULTS.values(), ids=FAULTS.keys())
def test_a_failure_ends_service_and_the_request_id_settles_the_write(serve, calls, error, is_there):
    server, people, health = serve()
    people.make(["ann", "bob", "eve"])
    watch = health.Watch(health_pb2.HealthCheckRequest(), timeout=60)
    assert next(watch).status == SERVING
    with failing(server, calls, error, path=log_file(server)):
        refused = refusal(people.relation, "AddFriends", **adding("ann", "bob", "first"))
        assert (refused.code, refused.reason) == (grpc.StatusCode.UNKNOWN, "OUTCOME_UNKNOWN")
        assert next(watch).status == NOT_SERVING
        refused = refusal(people.relation, "AddFriends", **adding("ann", "eve", "second"))
        assert refused.code == grpc.StatusCode.UNAVAILABLE, refused
        assert refused.reason in ("STOPPING", ""), refused
        assert server.process.wait(END_SECONDS) == STATUS, server.log
    assert "the store has failed: service ends" in server.log

    server, people, _ = serve()
    found = people.friend_ids("ann")
    assert found == (["bob"] * is_there if is_there is not None else found)
    is_there = bool(found)
    for request_id, friend, was_done in (("first", "bob", is_there), ("second", "eve", False)):
        answer = people.relation("AddFriends", **adding("ann", friend, request_id))
        assert (codes(answer), answer.replayed) == ([0], was_done)
    assert people.friend_ids("ann") == ["bob", "eve"]
    assert server.stop() == 0


def test_of_many_writes_each_is_told_the_truth(serve):
    server, people, _ = serve()
    friends = [f"friend{number:03}" for number in range(300)]
    people.make(["ann", *friends])
    relation = people.relation
    # The sync takes long before it fails, so that others wait behind it.
    with failing(server, "fdatasync", "error=EIO:delay_enter=500000"):
        calls = {
            friend: relation.start("AddFriends").future(
                people.stubs.request("AddFriends", adding("ann", friend)), timeout=60
            )
            for friend in friends
        }
        told = {friend: Refusal(call.exception()) for friend, call in calls.items()}
        assert server.process.wait(END_SECONDS) == STATUS, server.log
    reasons = {friend: (refused.code.name, refused.reason) for friend, refused in told.items()}
    expected = {("UNKNOWN", "OUTCOME_UNKNOWN"), ("UNAVAILABLE", "STOPPING")}
    # A call that had not left the caller when the connection ended has no reason.
    assert expected <= set(reasons.values()) <= expected | {("UNAVAILABLE", "")}, reasons

    server, people, _ = serve()
    there = set(people.friend_ids("ann"))
    assert there <= {friend for friend in friends if reasons[friend][0] == "UNKNOWN"}
    assert server.stop() == 0


def test_streams_end_with_the_place_to_go_on_from(serve):
    server, people, _ = serve()
    people.make(["ann", "bob"])
    watch = live(people.relation, user_id="ann")
    with failing(server, "fdatasync", "error=EIO"):
        rows = ({"row": {"user_id": f"row{number}"}} for number in itertools.count(1))
        refused = refusal(people.relation.stream, "ImportAccounts", rows)
        assert (refused.code, refused.reason) == (grpc.StatusCode.UNKNOWN, "OUTCOME_UNKNOWN")
        assert refused.metadata == {"last_durable_row": "0"}
        ended = watch.refusal()
        assert (ended.code, ended.reason) == (grpc.StatusCode.UNAVAILABLE, "STOPPING")
        assert ended.metadata["resume_token"]
        assert server.process.wait(END_SECONDS) == STATUS, server.log
    server, people, _ = serve()
    token = ended.metadata["resume_token"]
    with Watching(people.relation, user_id="ann", resume_token=token) as watch:
        people.befriend("ann", "bob")
        assert watch.event().kind != STATE, "it goes on, and does not begin anew"
    assert server.stop() == 0


def test_what_hangs_does_not_hold_the_process_up(serve, tmp_path):
    """No process reads the log, so a thread that logs waits for ever."""
    path = str(tmp_path / "full")
    os.mkfifo(path)
    full = os.open(path, os.O_RDWR | os.O_NONBLOCK)
    try:
        with contextlib.suppress(BlockingIOError):
            while True:
                os.write(full, b"x")
        server, people, health = serve(wrapper=["sh", "-c", f'exec "$@" 2> {path}', "sh"])
        watch = health.Watch(health_pb2.HealthCheckRequest(), timeout=60)
        assert next(watch).status == SERVING
        create = people.relation.start("CreateApp")
        with failing(server, "fdatasync", "error=EIO"):
            call = create.future(people.stubs.request("CreateApp", {}), timeout=60)
            assert next(watch).status == NOT_SERVING
            assert server.process.wait(END_SECONDS) == STATUS
            assert call.exception()
    finally:
        os.close(full)


def test_a_signal_among_it_changes_nothing(serve):
    server, people, _ = serve()
    people.make(["ann", "bob"])
    with failing(server, "fdatasync", "error=EIO"):
        assert refusal(people.relation, "AddFriends", **adding("ann", "bob")).reason
        with contextlib.suppress(ProcessLookupError):
            server.process.terminate()
        assert server.process.wait(END_SECONDS) == STATUS, server.log


def test_an_operators_key_that_may_be_written_is_said_to_be(tmp_path):
    data = tmp_path / "data"
    command = [executable("relationd"), "init", "--data", str(data)]
    assert subprocess.run(command, capture_output=True).returncode == 0
    # The first sync of a file of the log is that of the key.
    tracer = ["strace", "-f", "-o", f"{data}.trace", "-e", "trace=fdatasync"]
    tracer += ["-e", "inject=fdatasync:error=EIO:when=1+"]
    tracer += [word for number in range(100) for word in ("-P", f"{data}/rows/{number:06}.log")]
    failed = subprocess.run([*tracer, *command, "--replace-key"], capture_output=True, text=True)
    assert failed.returncode == 1 and failed.stdout == "", failed
    assert "it is unknown" in failed.stderr and "--replace-key" in failed.stderr
    again = subprocess.run([*command, "--replace-key"], capture_output=True, text=True)
    assert again.returncode == 0 and again.stdout


def test_a_key_that_may_be_the_operators_is_in_its_file(tmp_path):
    data, file = tmp_path / "data", tmp_path / "operator.key"
    command = [executable("relationd"), "init", "--data", str(data)]
    assert subprocess.run(command, capture_output=True).returncode == 0
    tracer = ["strace", "-f", "-o", f"{data}.trace", "-e", "trace=fdatasync"]
    tracer += ["-e", "inject=fdatasync:error=EIO:when=1+"]
    tracer += [word for number in range(100) for word in ("-P", f"{data}/rows/{number:06}.log")]
    failed = subprocess.run(
        [*tracer, *command, "--replace-key", "--key-file", file], capture_output=True, text=True)
    assert failed.returncode == 1 and failed.stdout == "", failed
    assert "it is unknown" in failed.stderr and f"the new key is in {file}" in failed.stderr
    assert file.read_text().startswith("0.")


# Files that cannot be read


def test_a_file_that_cannot_be_read_fails_the_calls_that_read_it(serve):
    """A restart would repair nothing, and other rows are as good as before."""
    server, people, health = serve()
    # More than one block, since a start reads some: then into a file, and out of memory.
    people.make(["ann", "bob", *(f"user{place:04}" for place in range(3000))])
    assert server.stop() == 0
    server, people, health = serve()
    with failing(server, "pread64", "error=EIO"):
        for _ in range(2):
            refused = refusal(people.relation, "GetSelfProfile", user_id="user2999")
            assert (refused.code, refused.reason) == (
                grpc.StatusCode.INTERNAL, "STORAGE_UNAVAILABLE")
        answer = health.Check(health_pb2.HealthCheckRequest())
        assert answer.status == SERVING
    assert people.profile("user2999").user_id == "user2999"
    people.befriend("ann", "bob")
    assert server.stop() == 0


def test_a_write_that_cannot_read_takes_no_other_with_it(serve):
    server, people, _ = serve()
    people.make(["ann", "bob", "eve", *(f"user{place:04}" for place in range(3000))])
    people.befriend("ann", "bob", "eve")
    assert server.stop() == 0
    server, people, _ = serve()
    update = people.relation.start("UpdateFriends")

    def remark(user, friend, text):
        item = {"user_id": friend, "remark": text, "update_mask": {"paths": ["remark"]}}
        request = people.stubs.request("UpdateFriends", {"user_id": user, "items": [item]})
        return update.future(request, timeout=60)

    # The rows that these calls read are in memory from now on.
    assert codes(remark("ann", "bob", "one").result()) == [0]
    assert codes(remark("ann", "eve", "one").result()) == [0]
    # The first keeps the writer waiting, so that the others come into one transaction.
    slow = ["-e", "inject=fdatasync:delay_enter=500000"]
    with failing(server, "pread64,fdatasync", "error=EIO", *slow, inject="pread64"):
        calls = [
            remark(user, friend, "two")
            for user, friend in (("ann", "bob"), ("user2999", "user1500"), ("ann", "eve"))
        ]
        good, bad, other = calls
        assert codes(good.result()) == codes(other.result()) == [0]
        assert Refusal(bad.exception()).reason == "STORAGE_UNAVAILABLE"
    assert [friend.remark for friend in people.friends("ann")] == ["two", "two"]
    assert server.stop() == 0


# A clean stop, and a start after a crash


def logs(data):
    """The bytes that the next start reads back."""
    return sum(path.stat().st_size for path in (data / "rows").glob("*.log"))


def test_a_clean_stop_leaves_nothing_to_read_back(serve):
    for number in range(3):
        server, people, _ = serve()
        people.make([f"user{number}-{place}" for place in range(number * 500)])
        if number:
            people.befriend(f"user{number}-0", f"user{number}-1")
            assert logs(server.data) > 0
        assert server.stop() == 0
        assert logs(server.data) == 0
    assert "read back" not in server.log


def test_init_leaves_nothing_to_read_back(tmp_path):
    data = tmp_path / "data"
    command = [executable("relationd"), "init", "--data", str(data)]
    for arguments in ([], ["--replace-key"]):
        assert subprocess.run([*command, *arguments], stdout=subprocess.DEVNULL).returncode == 0
        assert logs(data) == 0


def test_a_start_after_a_crash_says_what_it_reads_back(serve):
    server, people, _ = serve()
    people.make([f"user{place}" for place in range(2000)])
    log, size = log_file(server), log_file(server).stat().st_size
    server.kill()
    # Each read of the log waits, so that it takes longer than a moment: of 32 KiB, the engine's
    # block.
    wait = 3_000_000 // (size // 32_768 + 1)
    tracer = ["strace", "-D", "-f", "-o", f"{server.data}.trace", "-P", str(log)]
    tracer += ["-e", "trace=read,pread64", "-e", f"inject=read,pread64:delay_enter={wait}"]
    server, people, _ = serve(wrapper=tracer)
    lines = [line for line in server.log.splitlines() if "read" in line.split("notice")[-1]]
    assert f"reading back {size} bytes of the log" in lines[0]
    assert re.search(rf"read back {size} bytes in \d+ ms", lines[-1])
    assert people.profile("user1999").user_id == "user1999"
    assert server.stop() == 0
    before = server.log
    server, _, _ = serve()
    assert server.stop() == 0
    assert "read" not in server.log[len(before):].replace("ready", "")


# Signals


# The faults of one thread; any thread may take a signal that is sent to the process.
OWN = ["SIGSEGV", "SIGBUS", "SIGILL", "SIGTRAP", "SIGFPE", "SIGSYS"]


@pytest.mark.alone
@pytest.mark.parametrize(
    "number, comes_from",
    [(number, "outside") for number in [*OWN, "SIGABRT", "SIGQUIT"]]
    + [(number, "the thread that writes") for number in OWN],
)
def test_a_signal_ends_the_process_promptly(serve, number, comes_from):
    """Seen: 5 ms. Before, up to 14 s, and no end at all for some."""
    server, people, _ = serve()
    people.make(["ann", "bob"])
    watch = live(people.relation, user_id="ann")
    if comes_from == "outside":
        begin = time.monotonic()
        server.process.send_signal(getattr(signal, number))
        status = server.process.wait(END_SECONDS)
    else:
        with failing(server, "fdatasync", f"signal={number}"):
            begin = time.monotonic()
            refused = refusal(people.relation, "AddFriends", **adding("ann", "bob"))
            assert refused.code == grpc.StatusCode.UNAVAILABLE
            status = server.process.wait(END_SECONDS)
    assert time.monotonic() - begin < PROMPT_SECONDS
    assert status == -getattr(signal, number)
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", server.port), timeout=5)
    assert watch.refusal().code == grpc.StatusCode.UNAVAILABLE
    text = server.log.partition(f"The process ends by {number}. Where it stood:")[2]
    assert text.count("[0x") > 3, server.log


def test_a_signal_ends_the_command_line_promptly(serve):
    server, people, _ = serve()
    people.make(["ann"])
    command = [executable("relationctl"), "--server", server.address, "watch", "ann"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as watch:
        assert watch.stdout.readline()
        begin = time.monotonic()
        watch.send_signal(signal.SIGABRT)
        _, errors = watch.communicate(timeout=END_SECONDS)
        assert time.monotonic() - begin < PROMPT_SECONDS
        assert watch.returncode == -signal.SIGABRT and "SIGABRT" in errors
    assert server.stop() == 0
