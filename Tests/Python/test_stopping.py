"""A server that is told to stop tells the clients that watch its health, and waits for no watch."""

import itertools
import signal
import socket
import ssl
import subprocess
import threading

import grpc
import pytest
from authority import Authority
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2_grpc
from people import People
from raw_peer import GOAWAY, NO_ERROR, RawPeer
from refusals import Refusal, refusal
from relationd import executable
from stubs import Relation

SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING


def test_a_watch_is_told_and_ended(start):
    server = start()
    with grpc.insecure_channel(server.address) as channel:
        health = health_pb2_grpc.HealthStub(channel)
        watch = health.Watch(
            health_pb2.HealthCheckRequest(service="relation.v1.FriendService"), timeout=20)
        assert next(watch).status == SERVING
        server.process.terminate()
        assert next(watch).status == NOT_SERVING
        try:
            next(watch)
            raise AssertionError("the watch went on")
        except grpc.RpcError as error:
            assert error.code() == grpc.StatusCode.UNAVAILABLE
            assert error.details() == "the server is stopping"
    assert server.process.wait(20) == 0


CUT_OFF = "the stop has cut off calls"


def accounts(relation, users):
    """The users that are accounts."""
    found = {}
    for start in range(0, len(users), 100):
        answer = relation("CheckAccounts", user_ids=users[start : start + 100])
        found.update((result.user_id, result.create_time_ms > 0) for result in answer.results)
    return found


def flood(relation, process, name=None):
    """Stops a server under four endless imports, and returns the last durable row of each, as the
    server told it."""
    def requests(stream):
        first = {"import_id": f"{name}-{stream}"} if name else {}
        yield {"row": {"user_id": f"{stream}-1"}, **first}
        for number in itertools.count(2):
            yield {"row": {"user_id": f"{stream}-{number}"}}

    answers = [relation.stream("ImportAccounts", requests(stream)) for stream in range(4)]
    for answer in answers:
        next(answer)
    process.terminate()
    durable = []
    for answer in answers:
        last = 0
        try:
            for message in answer:
                last = message.progress.last_durable_row
            raise AssertionError("the import went on")
        except grpc.RpcError as error:
            refused = Refusal(error)
        assert (refused.code, refused.reason) == (grpc.StatusCode.UNAVAILABLE, "STOPPING")
        # The last progress and the end give the same row.
        assert refused.metadata == {"last_durable_row": str(last)} and last > 0
        durable.append(last)
    return durable


@pytest.mark.parametrize("name", [None, "import-1"])
def test_imports_without_end_end_and_are_told_what_was_taken(start, stubs, name):
    server = start()
    with grpc.insecure_channel(server.address) as channel:
        durable = flood(Relation(stubs, channel), server.process, name)
    assert server.process.wait(40) == 0
    # The calls ended by themselves, and were not cut off at the end of their time.
    assert CUT_OFF not in server.log

    again = start()
    with grpc.insecure_channel(again.address) as channel:
        relation = Relation(stubs, channel)
        for stream, last in enumerate(durable):
            told = [f"{stream}-{number}" for number in range(max(1, last - 300), last + 300)]
            expected = {user: int(user.split("-")[1]) <= last for user in told}
            assert accounts(relation, told) == expected


def test_calls_without_end_that_have_not_begun_end_too(start, stubs):
    """A client that opens a stream and sends nothing keeps no server from stopping."""
    server = start()
    with grpc.insecure_channel(server.address) as channel:
        relation = Relation(stubs, channel)
        silence = threading.Event()

        def nothing():
            silence.wait()
            yield from ()

        answers = relation.stream("ImportFriends", nothing())
        reflection = reflection_pb2_grpc.ServerReflectionStub(channel)
        idle = reflection.ServerReflectionInfo(nothing(), timeout=60)
        # An answer on the same connection shows that it is up; the streams were opened before.
        assert relation("CheckAccounts", user_ids=["unknown"]).results
        server.process.terminate()
        for stream in (answers, idle):
            refused = refusal(lambda stream=stream: stream)
            assert refused.code == grpc.StatusCode.UNAVAILABLE
            assert refused.message == "the server is stopping"
            # It is not known how far an import had come that sent nothing.
            assert refused.metadata == {}
        silence.set()
    assert server.process.wait(40) == 0
    assert CUT_OFF not in server.log


def test_a_check_of_integrity_is_told_of_the_stop(start, stubs):
    server = start()
    # A client that reads nothing ahead of what its caller takes.
    options = [("grpc.http2.lookahead_bytes", 65_536), ("grpc.http2.bdp_probe", 0)]
    with grpc.insecure_channel(server.address, options=options) as channel:
        relation = Relation(stubs, channel)
        People(relation)(4000)
        answers = relation.start("CheckIntegrity")(
            stubs.request("CheckIntegrity", {"repair": True}), timeout=60)
        next(answers)
        server.process.terminate()
        try:
            for _ in answers:
                pass
        except grpc.RpcError as error:
            refused = Refusal(error)
            assert (refused.code, refused.reason) == (grpc.StatusCode.UNAVAILABLE, "STOPPING")
    assert server.process.wait(40) == 0
    assert CUT_OFF not in server.log


def test_over_tls_the_last_word_arrives_too_and_handshakes_hold_no_other_up(start, stubs, tmp_path):
    authority = Authority(tmp_path)
    certificate = authority.server()
    server = start("data", "--allow-anonymous", "--tls-cert", str(certificate.path),
                   "--tls-key", str(certificate.key_path), insecure=False)
    # One sends nothing, one begins a handshake, one has ended it and sends nothing.
    silent, begun, plain = [
        socket.create_connection(("127.0.0.1", server.port), timeout=30) for _ in range(3)]
    context = ssl.create_default_context(cadata=authority.pem.decode())
    context.set_alpn_protocols(["h2"])
    idle = context.wrap_socket(plain, server_hostname="127.0.0.1")
    begun.sendall(bytes.fromhex("1603010200010001fc0303"))
    try:
        credentials = grpc.ssl_channel_credentials(authority.pem)
        with grpc.secure_channel(server.address, credentials) as channel:
            flood(Relation(stubs, channel), server.process)
        assert server.process.wait(40) == 0
    finally:
        for peer in (silent, begun, idle):
            peer.close()
    assert CUT_OFF not in server.log


# Signals


def test_health_says_so_for_as_long_as_one_wants_before_calls_are_refused(start, stubs):
    server = start("data", "--stop-delay=600")
    with grpc.insecure_channel(server.address) as channel:
        health = health_pb2_grpc.HealthStub(channel)
        watch = health.Watch(health_pb2.HealthCheckRequest(), timeout=60)
        assert next(watch).status == SERVING
        server.process.terminate()
        assert next(watch).status == NOT_SERVING
        # Health reports the stop, and calls are still accepted, on new connections too.
        assert health.Check(health_pb2.HealthCheckRequest(), timeout=20).status == NOT_SERVING
        with grpc.insecure_channel(server.address) as other:
            assert Relation(stubs, other)("CheckAccounts", user_ids=["unknown"]).results
        # A second signal ends the wait.
        server.process.terminate()
        assert refusal(lambda: watch).code == grpc.StatusCode.UNAVAILABLE
    assert server.process.wait(40) == 0


@pytest.mark.parametrize("delay", ["-1", "601", "x"])
def test_a_delay_of_the_stop_is_a_number_of_seconds(tmp_path, delay):
    done = subprocess.run(
        [executable("relationd"), "serve", "--data", str(tmp_path / "data"),
         f"--stop-delay={delay}"],
        capture_output=True, text=True, timeout=30,
    )  # fmt: skip
    assert done.returncode != 0 and "--stop-delay" in done.stderr


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_a_second_signal_cuts_off_what_still_runs(start, stubs, how):
    server = start()
    with RawPeer(server.port) as peer:
        # This call is begun and never sent to its end, so a stop would wait for it.
        call = peer.open(peer.request("/relation.v1.AccountService/CheckAccounts"), end=False)
        peer.round_trip()
        server.process.send_signal(how)
        warning = peer.until(lambda one: one.kind == GOAWAY)
        assert (warning.code, warning.last_stream) == (NO_ERROR, (1 << 31) - 1)
        server.process.send_signal(how)
        answer = peer.answer(call)
        assert (answer.code, answer.message) == ("14", "the server is stopping")
        assert peer.goaway().last_stream == call
    assert server.process.wait(40) == 0
    assert CUT_OFF in server.log


def test_clients_that_are_gone_without_a_word_do_not_hold_up_a_stop(start):
    """They answer no ping: calls of others have their time, and nothing runs for these clients."""
    server = start()
    with RawPeer(server.port) as peer:
        peer.round_trip()
        server.process.terminate()
        assert server.process.wait(40) == 0
        # Nothing of the call ran; the client would learn this if it came back.
        assert peer.goaway().last_stream == 0
    assert CUT_OFF not in server.log


def test_connections_that_have_hardly_begun_do_not_hold_up_a_stop(start):
    server = start()
    peers = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(5)]
    try:
        # Nothing, a part of the preface, bytes of another protocol.
        peers[0].sendall(b"PRI * HTTP/2.0")
        peers[1].sendall(bytes.fromhex("16030100c8"))
        peers[2].sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0")
        # It is answered only after it was accepted, and after those before it.
        peers[4].sendall(b"GET / HTTP/1.1\r\n\r\n")
        peers[4].settimeout(30)
        assert peers[4].recv(100).startswith(b"HTTP/1.1 400")
        server.process.terminate()
        assert server.process.wait(40) == 0
    finally:
        for peer in peers:
            peer.close()
    assert CUT_OFF not in server.log


def test_an_export_that_is_not_read_to_its_end_is_told_of_the_stop(start, stubs):
    server = start()
    # A client that reads nothing ahead of what its caller takes.
    options = [("grpc.http2.lookahead_bytes", 65_536), ("grpc.http2.bdp_probe", 0)]
    with grpc.insecure_channel(server.address, options=options) as channel:
        relation = Relation(stubs, channel)
        people = People(relation)
        users = people(3000)
        people.befriend(users[0], *users[1:])
        answers = relation.start("ExportApp")(stubs.request("ExportApp", {}), timeout=60)
        next(answers)
        server.process.terminate()
        refused = refusal(lambda: answers)
        assert (refused.code, refused.domain, refused.reason) == (
            grpc.StatusCode.UNAVAILABLE, "relation.v1", "STOPPING",
        )  # fmt: skip
    assert server.process.wait(40) == 0
