"""The server as a process: its start, the text that it prints about itself, its stop."""

import signal
import socket
import subprocess

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import (
    ProtoReflectionDescriptorDatabase,
)
from relationd import executable

STANDARD = {"grpc.health.v1.Health", "grpc.reflection.v1.ServerReflection"}


def serve(*arguments):
    """Runs a server that is expected to refuse, and returns its status and its text on standard
    error."""
    done = subprocess.run(
        [executable("relationd"), "serve", *arguments], capture_output=True, text=True, timeout=30
    )
    return done.returncode, done.stderr


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_it_with_status_zero(start, how):
    running = start()
    with socket.create_connection(("127.0.0.1", running.port)):
        assert running.stop(how) == 0


def test_it_starts_again_on_the_same_folder(start):
    for _ in range(2):
        assert start().stop() == 0


def test_a_port_in_use_is_refused(server, tmp_path):
    status, said = serve("--listen", server.address, "--data", str(tmp_path / "d"), "--insecure")
    assert status != 0
    assert str(server.port) in said


def test_a_folder_in_use_is_refused(server):
    status, said = serve("--listen", "127.0.0.1:0", "--data", str(server.data), "--insecure")
    assert status != 0
    assert str(server.data) in said


def test_a_folder_that_cannot_be_made_is_refused(tmp_path):
    (tmp_path / "file").write_text("no folder")
    folder = str(tmp_path / "file" / "data")
    status, said = serve("--listen", "127.0.0.1:0", "--data", folder, "--insecure")
    assert status != 0
    assert folder in said


def test_health_answers_serving(channel):
    health = health_pb2_grpc.HealthStub(channel)
    answer = health.Check(health_pb2.HealthCheckRequest(), timeout=20)
    assert answer.status == health_pb2.HealthCheckResponse.SERVING


def test_reflection_names_every_service_of_the_contract(stubs, channel):
    names = set(ProtoReflectionDescriptorDatabase(channel).get_services())
    contract = {path.split("/")[1] for path in stubs.paths}
    assert contract <= names
    assert STANDARD <= names


def test_an_unknown_call_is_unimplemented(channel):
    for path in ("/relation.v1.FriendService/NoSuchCall", "/no.Such/Service"):
        with pytest.raises(grpc.RpcError) as refusal:
            channel.unary_unary(path)(b"", timeout=20)
        assert refusal.value.code() == grpc.StatusCode.UNIMPLEMENTED


def test_without_insecure_every_call_is_unauthenticated(start, stubs):
    running = start("closed", insecure=False)
    with grpc.insecure_channel(running.address) as channel:
        for path in stubs.paths:
            _, method = stubs.method(path)
            streams = method.client_streaming, method.server_streaming
            with pytest.raises(grpc.RpcError) as refusal:
                if streams == (True, True):
                    list(channel.stream_stream(path)(iter([b""]), timeout=20))
                elif streams == (False, True):
                    list(channel.unary_stream(path)(b"", timeout=20))
                else:
                    channel.unary_unary(path)(b"", timeout=20)
            assert refusal.value.code() == grpc.StatusCode.UNAUTHENTICATED, path
        health = health_pb2_grpc.HealthStub(channel)
        health.Check(health_pb2.HealthCheckRequest(), timeout=20)
