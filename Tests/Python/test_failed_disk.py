"""A disk that fails ends service: nobody is told a lie, health says so, and the next start recovers.

`strace` makes the system calls of a running server fail.
"""

import contextlib
import os
import resource
import shutil
import subprocess
import time

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from people import People, codes
from refusals import Refusal, refusal
from relationd import Relationd
from stubs import Relation

SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING
# The server's own bound is 6 seconds; this machine may have others at work.
END_SECONDS = 60
# What sysexits.h calls an error of input or output.
STATUS = 74


@contextlib.contextmanager
def failing(server, calls, error, *options, when="1+"):
    """Lets system calls of the server fail, from now on and in each of its threads."""
    assert shutil.which("strace"), "strace is missing"
    # `-f` and a thread's own number: all threads that there are, and those to come.
    command = ["strace", "-f", "-p", str(server.process.pid), "-o", f"{server.data}.trace"]
    command += ["-e", f"trace={calls}", "-e", f"inject={calls}:{error}:when={when}", *options]
    tracer = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        line = tracer.stderr.readline()
        assert "attached" in line, line
        yield
    finally:
        tracer.terminate()
        tracer.wait()
        tracer.stderr.close()


def log_file(server):
    """The engine's log that is being written: the one with the highest number."""
    return max((server.data / "rows").glob("*.log"), key=lambda path: int(path.stem))


@pytest.fixture
def serve(tmp_path, stubs):
    """Starts a server of its own, and answers it with callers: `server, people, health = serve()`."""
    with contextlib.ExitStack() as stack:

        def begin():
            server = Relationd(tmp_path / "data")
            stack.callback(lambda: server.process.poll() is None and server.kill())
            channel = stack.enter_context(grpc.insecure_channel(server.address))
            people = People(Relation(stubs, channel))
            return server, people, health_pb2_grpc.HealthStub(channel)

        yield begin


def adding(user, friend, request_id=None):
    fields = {"user_id": user, "friends": [{"user_id": friend}]}
    return fields | ({"options": {"request_id": request_id}} if request_id else {})


def test_a_sync_that_fails_ends_service_and_the_request_id_settles_the_write(serve):
    server, people, health = serve()
    people.make(["ann", "bob", "eve"])
    watch = health.Watch(health_pb2.HealthCheckRequest(), timeout=60)
    assert next(watch).status == SERVING
    with failing(server, "fdatasync", "error=EIO"):
        refused = refusal(people.relation, "AddFriends", **adding("ann", "bob", "first"))
        assert (refused.code, refused.reason) == (grpc.StatusCode.UNKNOWN, "OUTCOME_UNKNOWN")
        assert next(watch).status == NOT_SERVING
        refused = refusal(people.relation, "AddFriends", **adding("ann", "eve", "second"))
        assert refused.code == grpc.StatusCode.UNAVAILABLE, refused
        assert refused.reason in ("STOPPING", ""), refused
        assert server.process.wait(END_SECONDS) == STATUS, server.log
    assert "fdatasync" in server.log and "critical" in server.log

    server, people, _ = serve()
    # The record was in the file, whole: only its sync had failed.
    assert people.friend_ids("ann") == ["bob"]
    for request_id, friend, was_done in (("first", "bob", True), ("second", "eve", False)):
        answer = people.relation("AddFriends", **adding("ann", friend, request_id))
        assert codes(answer) == [0]
        assert answer.replayed == was_done
    assert people.friend_ids("ann") == ["bob", "eve"]
    assert server.stop() == 0
