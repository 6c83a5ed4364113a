"""Clients that others wrote for Connect and gRPC-Web: PyPI's connect-python, and buf's curl."""

import json
import os
import pathlib
import subprocess
import sys

import pytest
from connectrpc.client import ConnectClientSync
from connectrpc.code import Code
from connectrpc.errors import ConnectError
from connectrpc.method import IdempotencyLevel, MethodInfo
from connectrpc.protocol import ProtocolType
from relationd import ROOT

BUF = pathlib.Path(sys.executable).parent / "buf"
PROTOCOLS = [ProtocolType.CONNECT, ProtocolType.GRPC_WEB]


def method(stubs, call, level=IdempotencyLevel.UNKNOWN):
    found = stubs.method(call)[1]
    return MethodInfo(
        name=found.name, service_name=found.containing_service.full_name,
        input=stubs.message(found.input_type.name), output=stubs.message(found.output_type.name),
        idempotency_level=level)  # fmt: skip


@pytest.mark.parametrize("protocol", PROTOCOLS, ids=str)
def test_connect_python_makes_calls_of_all_kinds(server, stubs, people, relation, protocol):
    ann, bob = people(2)
    with ConnectClientSync(f"http://{server.address}", protocol=protocol) as client:
        request = stubs.request("CheckFriends", {"user_id": ann, "user_ids": [bob]})
        told = client.execute_unary(request=request, method=method(stubs, "CheckFriends"))
        assert told == relation("CheckFriends", user_id=ann, user_ids=[bob])
        if protocol == ProtocolType.CONNECT:
            safe = method(stubs, "CheckFriends", IdempotencyLevel.NO_SIDE_EFFECTS)
            assert client.execute_unary(request=request, method=safe, use_get=True) == told
        with pytest.raises(ConnectError) as caught:
            client.execute_unary(
                request=stubs.request("GetSelfProfile", {"user_id": "no one"}),
                method=method(stubs, "GetSelfProfile"))
        assert caught.value.code == Code.NOT_FOUND and "no one" in caught.value.message
        assert any("ErrorInfo" in one.type_url for one in caught.value.details)
        stream = client.execute_server_stream(
            request=stubs.request("Watch", {"user_id": ann}), method=method(stubs, "Watch"))
        assert next(iter(stream)).ByteSize() > 0


@pytest.mark.parametrize("protocol", ["connect", "grpcweb", "grpc"])
def test_buf_curl_makes_calls(server, people, protocol, tmp_path):
    ann, bob = people(2)

    def curl(call, body):
        return subprocess.run(
            [BUF, "curl", "--protocol", protocol, "--http2-prior-knowledge", "--schema",
             ROOT / "proto", "-d", json.dumps(body), f"http://{server.address}/relation.v1.{call}"],
            capture_output=True, text=True, timeout=60,
            env={**os.environ, "BUF_CACHE_DIR": str(tmp_path)})  # fmt: skip

    done = curl("FriendService/CheckFriends", {"userId": ann, "userIds": [bob]})
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["results"][0]["userId"] == bob
    done = curl("ProfileService/GetSelfProfile", {"userId": "no one"})
    assert done.returncode != 0 and json.loads(done.stderr)["code"] == "not_found"
    done = curl("MaintenanceService/ExportApp", {})
    assert done.returncode == 0 and done.stdout, done.stderr
