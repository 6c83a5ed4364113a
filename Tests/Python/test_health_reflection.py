"""The standard services beside ours, as standard clients use them: health and reflection."""

import base64
import json
import pathlib
import shutil
import subprocess
import sys

import grpc
import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.rpc import error_details_pb2
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import (
    ProtoReflectionDescriptorDatabase,
)
from refusals import refusal

SERVING = health_pb2.HealthCheckResponse.SERVING
UNKNOWN = health_pb2.HealthCheckResponse.SERVICE_UNKNOWN
VERSIONS = ["v1", "v1alpha"]
NOT_FOUND, INVALID_ARGUMENT = 5, 3


@pytest.fixture(scope="module")
def health(channel):
    return health_pb2_grpc.HealthStub(channel)


@pytest.fixture(scope="module")
def ask(channel):
    """Asks server reflection: `ask("v1", file_by_filename="x.proto")`.

    The two versions differ only in their names, so one version's messages serve both.
    """

    def call(version, *questions, **question):
        stub = channel.stream_stream(
            f"/grpc.reflection.{version}.ServerReflection/ServerReflectionInfo",
            request_serializer=reflection_pb2.ServerReflectionRequest.SerializeToString,
            response_deserializer=reflection_pb2.ServerReflectionResponse.FromString,
        )
        asked = [
            reflection_pb2.ServerReflectionRequest(**fields)
            for fields in ([question] if question else questions)
        ]
        answers = list(stub(iter(asked), timeout=20))
        assert [answer.original_request for answer in answers] == asked
        return answers[0] if question else answers

    return call


# Health


def test_the_server_as_a_whole_is_serving(health):
    assert health.Check(health_pb2.HealthCheckRequest(), timeout=20).status == SERVING


@pytest.mark.parametrize("service", ["no.such.Service", "x" * 1000, "\0"])
def test_the_health_of_an_unknown_service_is_not_found(health, service):
    refused = refusal(health.Check, health_pb2.HealthCheckRequest(service=service), timeout=20)
    assert refused.code == grpc.StatusCode.NOT_FOUND


@pytest.mark.parametrize("service, status", [("", SERVING), ("no.such.Service", UNKNOWN)])
def test_a_watch_says_the_present_state_and_stays_open(health, service, status):
    watch = health.Watch(health_pb2.HealthCheckRequest(service=service), timeout=20)
    assert next(watch).status == status
    # The call goes on: an answer on the same connection does not end it meanwhile.
    assert health.Check(health_pb2.HealthCheckRequest(), timeout=20).status == SERVING
    assert watch.is_active()
    watch.cancel()


def test_only_names_of_some_length_are_watched(health):
    watch = health.Watch(health_pb2.HealthCheckRequest(service="x" * 1_024), timeout=20)
    assert next(watch).status == UNKNOWN
    watch.cancel()
    longer = health_pb2.HealthCheckRequest(service="x" * 1_025)
    assert refusal(health.Watch, longer, timeout=20).code == grpc.StatusCode.INVALID_ARGUMENT


def test_health_needs_no_credential(start):
    running = start("closed", insecure=False)
    with grpc.insecure_channel(running.address) as channel:
        stub = health_pb2_grpc.HealthStub(channel)
        assert stub.Check(health_pb2.HealthCheckRequest(), timeout=20).status == SERVING
        assert next(stub.Watch(health_pb2.HealthCheckRequest(), timeout=20)).status == SERVING


# Reflection


@pytest.mark.parametrize("version", VERSIONS)
def test_the_services_of_the_contract_are_listed(ask, stubs, version):
    answer = ask(version, list_services="")
    names = [service.name for service in answer.list_services_response.service]
    assert {path.split("/")[1] for path in stubs.paths} <= set(names)
    assert len(names) == len(set(names))


@pytest.mark.parametrize("version", VERSIONS)
def test_a_file_comes_with_all_that_it_imports(ask, version):
    by_name = ask(version, file_by_filename="relation/v1/friend.proto")
    by_symbol = ask(version, file_containing_symbol="relation.v1.FriendService.AddFriends")
    for answer in (by_name, by_symbol):
        pool = descriptor_pool.DescriptorPool()
        waiting = {}
        for data in answer.file_descriptor_response.file_descriptor_proto:
            file = descriptor_pb2.FileDescriptorProto.FromString(data)
            waiting[file.name] = file

        def add(name):
            file = waiting.pop(name, None)
            if file is not None:
                for imported in file.dependency:
                    add(imported)
                pool.Add(file)

        add("relation/v1/friend.proto")
        assert waiting == {}
        assert pool.FindMessageTypeByName("relation.v1.AddFriendsRequest")


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(
    "question, code",
    [
        ({"file_by_filename": "no/such.proto"}, NOT_FOUND),
        ({"file_by_filename": ""}, NOT_FOUND),
        ({"file_containing_symbol": "relation.v1.NoSuch"}, NOT_FOUND),
        ({"all_extension_numbers_of_type": "relation.v1.NoSuch"}, NOT_FOUND),
        ({"host": "x"}, INVALID_ARGUMENT),
        (
            {
                "file_containing_extension": {
                    "containing_type": "relation.v1.Friend",
                    "extension_number": 5,
                }
            },
            NOT_FOUND,
        ),
    ],
)
def test_what_is_not_there_is_answered_inside_the_stream(ask, version, question, code):
    wrong, right = ask(version, question, {"list_services": ""})
    assert wrong.error_response.error_code == code
    assert wrong.error_response.error_message
    assert right.HasField("list_services_response")


@pytest.mark.parametrize("version", VERSIONS)
def test_every_symbol_of_the_contract_is_found(ask, stubs, version):
    pool = descriptor_pool.Default()
    symbols = []
    services = {path.split("/")[1] for path in stubs.paths}
    names = {pool.FindServiceByName(service).file.name for service in services}
    for name in sorted(names | {"relation/v1/common.proto", "relation/v1/reason.proto"}):
        file = pool.FindFileByName(name)
        symbols += [symbol.full_name for symbol in file.message_types_by_name.values()]
        symbols += [symbol.full_name for symbol in file.enum_types_by_name.values()]
        symbols += [symbol.full_name for symbol in file.services_by_name.values()]
        for service in file.services_by_name.values():
            symbols += [method.full_name for method in service.methods]
    answers = ask(version, *({"file_containing_symbol": symbol} for symbol in symbols))
    assert len(answers) == len(symbols) > 80
    missing = [
        symbol
        for symbol, answer in zip(symbols, answers)
        if not answer.HasField("file_descriptor_response")
    ]
    assert missing == []


def test_a_stock_client_makes_a_call_from_reflection_alone(channel, people):
    """The messages come from the server's description, and not from our files."""
    (ann,) = people(1)
    pool = descriptor_pool.DescriptorPool(ProtoReflectionDescriptorDatabase(channel))
    service = pool.FindServiceByName("relation.v1.ProfileService")
    method = service.FindMethodByName("GetSelfProfile")
    request = message_factory.GetMessageClass(method.input_type)
    response = message_factory.GetMessageClass(method.output_type)
    call = channel.unary_unary(
        f"/{service.full_name}/{method.name}",
        request_serializer=request.SerializeToString,
        response_deserializer=response.FromString,
    )
    assert call(request(user_id=ann), timeout=20).profile.user_id == ann


def test_a_call_that_only_reads_says_so(channel, stubs):
    """Proxies and clients may repeat such a call, and send it to any server."""
    pool = descriptor_pool.DescriptorPool(ProtoReflectionDescriptorDatabase(channel))
    levels = descriptor_pb2.MethodOptions.IdempotencyLevel
    silent, loud = set(), set()
    for path in stubs.paths:
        method = pool.FindMethodByName(path[1:].replace("/", "."))
        level = method.GetOptions().idempotency_level
        assert level in (levels.Value("IDEMPOTENCY_UNKNOWN"), levels.Value("NO_SIDE_EFFECTS"))
        (silent if level else loud).add(method.name)
        options = method.input_type.fields_by_name["options"].message_type.name
        # A check of the integrity may repair what it finds, and a backup makes files.
        writes = method.name in ("CheckIntegrity", "CreateBackup")
        reads = options == "ReadOptions" and not writes
        assert bool(level) == reads, method.full_name
    assert {"Watch", "ExportApp", "ListFriends", "GetLimits"} <= silent
    assert {"CheckIntegrity", "AddFriends", "ReportPresence", "ImportAccounts"} <= loud


DETAILS = {
    "google/rpc/status.proto": ["google.rpc.Status"],
    "google/rpc/error_details.proto": [
        "google.rpc.ErrorInfo",
        "google.rpc.BadRequest",
        "google.rpc.BadRequest.FieldViolation",
        "google.rpc.RetryInfo",
    ],
    "google/protobuf/any.proto": ["google.protobuf.Any"],
    "google/protobuf/duration.proto": ["google.protobuf.Duration"],
}


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("file", DETAILS)
def test_the_details_of_a_status_are_described(ask, version, file):
    by_name, *by_symbol = ask(
        version,
        {"file_by_filename": file},
        *({"file_containing_symbol": symbol} for symbol in DETAILS[file]),
    )
    for answer in (by_name, *by_symbol):
        data = answer.file_descriptor_response.file_descriptor_proto
        files = [descriptor_pb2.FileDescriptorProto.FromString(one) for one in data]
        assert files[0].name == file
        # All its imports come with it.
        names = {one.name for one in files}
        assert {imported for one in files for imported in one.dependency} <= names


def test_a_refusal_is_read_by_reflection_alone(channel, stubs):
    """The details of a real refusal, by messages that the server itself has described."""
    pool = descriptor_pool.DescriptorPool(ProtoReflectionDescriptorDatabase(channel))

    def message(name, data):
        type_ = message_factory.GetMessageClass(pool.FindMessageTypeByName(name))
        return type_.FromString(data)

    call = channel.unary_unary("/relation.v1.FriendService/ListFriends")
    request = stubs.message("ListFriendsRequest")(user_id="", page_size=-1)
    with pytest.raises(grpc.RpcError) as raised:
        call(request.SerializeToString(), timeout=20)
    trailers = dict(raised.value.trailing_metadata())
    status = message("google.rpc.Status", trailers["grpc-status-details-bin"])
    assert status.code == INVALID_ARGUMENT
    details = {}
    for detail in status.details:
        name = detail.type_url.rpartition("/")[2]
        details[name] = message(name, detail.value)
    assert details["google.rpc.ErrorInfo"].reason == "INVALID_FIELD"
    violations = details["google.rpc.BadRequest"].field_violations
    assert [violation.field for violation in violations] == ["user_id", "page_size"]


# buf curl


@pytest.fixture(scope="module")
def buf_curl(server, tmp_path_factory):
    """Runs `buf curl` against the server: status, answer and complaint."""
    beside = pathlib.Path(sys.executable).parent / "buf"
    buf = str(beside) if beside.exists() else shutil.which("buf")
    assert buf, "buf is missing; it comes with the tests' requirements"
    home = tmp_path_factory.mktemp("buf")

    def run(path, data, *options):
        done = subprocess.run(
            [
                buf, "curl", "--protocol", "grpc", "--http2-prior-knowledge",
                "--data", json.dumps(data), *options, f"http://{server.address}/{path}",
            ],  # fmt: skip
            capture_output=True,
            text=True,
            timeout=60,
            cwd=home,
            env={"HOME": str(home), "PATH": ""},
        )
        return done.returncode, done.stdout, done.stderr

    return run


@pytest.mark.parametrize("version", ["grpc-v1", "grpc-v1alpha"])
def test_buf_curl_calls_by_reflection(buf_curl, people, version):
    ann, bob = people(2)
    status, said, complained = buf_curl(
        "relation.v1.FriendService/AddFriends",
        {"user_id": ann, "items": [{"user_id": bob, "remark": "Bobby"}]},
        "--reflect",
        "--reflect-protocol",
        version,
    )
    assert status == 0, complained
    answer = json.loads(said)
    assert answer["applied"] is True
    assert answer["results"] == [
        {"userId": bob, "code": "FRIEND_STATUS_SUCC", "changed": True}]
    assert people.friend(ann, bob).remark == "Bobby"


def test_buf_curl_streams_both_ways(buf_curl, people):
    status, said, complained = buf_curl(
        "relation.v1.AccountService/ImportAccounts", {"row": {"user_id": ""}}, "--reflect"
    )
    assert status == 0, complained
    assert "Err_Account_Import_UserId_Illegal" in said
    assert "lastDurableRow" in said


def test_buf_curl_shows_status_and_details(buf_curl, people):
    status, _, complained = buf_curl(
        "relation.v1.FriendService/ListFriends", {"user_id": "", "page_size": -1}, "--reflect"
    )
    assert status != 0
    error = json.loads(complained)
    assert error["code"] == "invalid_argument"
    details = {}
    for detail in error["details"]:
        # The protocol of `buf` sends it without the padding of base64.
        value = base64.b64decode(detail["value"] + "==")
        details[detail["type"].rpartition(".")[2]] = value
    info = error_details_pb2.ErrorInfo.FromString(details["ErrorInfo"])
    assert (info.domain, info.reason) == ("relation.v1", "INVALID_FIELD")
    bad = error_details_pb2.BadRequest.FromString(details["BadRequest"])
    assert [violation.field for violation in bad.field_violations] == ["user_id", "page_size"]
