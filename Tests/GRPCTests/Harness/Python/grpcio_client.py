"""Calls the test server at a port with the C-core client, and checks what comes back."""

import sys
import threading

import grpc
from google.protobuf.descriptor_pool import DescriptorPool
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import (
    ProtoReflectionDescriptorDatabase,
)

target = f"127.0.0.1:{sys.argv[1]}"
LIMIT = 4 * 1024 * 1024
options = [("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)]
channel = grpc.insecure_channel(target, options=options)
checks = []


def check(function):
    checks.append(function)
    return function


def unary(name):
    return channel.unary_unary(f"/test.Echo/{name}")


def failure(call):
    try:
        call()
    except grpc.RpcError as error:
        return error
    raise AssertionError("the call succeeded")


@check
def messages_of_all_sizes():
    for size in (0, 1, 100, 16_384, 100_000, 1_000_000, LIMIT):
        body = bytes(range(256)) * (size // 256) + b"x" * (size % 256)
        assert unary("Unary")(body, timeout=20) == body, size


@check
def too_long_a_message_is_refused():
    error = failure(lambda: unary("Unary")(b"x" * (LIMIT + 1), timeout=20))
    assert error.code() == grpc.StatusCode.RESOURCE_EXHAUSTED, error
    assert unary("Unary")(b"after", timeout=20) == b"after"


@check
def many_calls_at_once():
    calls = [unary("Unary").future(b"%d" % n, timeout=20) for n in range(3_000)]
    assert [call.result() for call in calls] == [b"%d" % n for n in range(3_000)]


@check
def status_message_details_and_trailers():
    text = "\t\ntest with whitespace\r\nand Unicode BMP \u263a and non-BMP \U0001f608\t\n"
    error = failure(lambda: unary("Fail")(b"\x09" + text.encode(), timeout=20))
    assert error.code() == grpc.StatusCode.FAILED_PRECONDITION
    assert error.details() == text, error.details()
    trailers = dict(error.trailing_metadata())
    assert trailers["x-reason"] == "test"
    assert trailers["x-raw-bin"] == b"\xab"
    assert trailers["grpc-status-details-bin"] == b"\x08\x09"


@check
def metadata_both_ways():
    metadata = (("x-text", "some text"), ("x-data-bin", b"\x00\xff\xab"))
    answer, call = unary("Metadata").with_call(b"", metadata=metadata, timeout=20)
    assert answer == b"\x00\xff\xab"
    assert dict(call.initial_metadata())["x-text-back"] == "some text"
    assert dict(call.trailing_metadata())["x-data-back-bin"] == b"\x00\xff\xab"


@check
def deadlines():
    error = failure(lambda: unary("Wait")(b"", timeout=0.05))
    assert error.code() == grpc.StatusCode.DEADLINE_EXCEEDED, error


@check
def unknown_methods():
    for path in ("/test.Echo/Nothing", "/test.Nothing/Unary"):
        error = failure(lambda: channel.unary_unary(path)(b"", timeout=20))
        assert error.code() == grpc.StatusCode.UNIMPLEMENTED, error


@check
def client_streaming():
    parts = [b"x" * size for size in (27182, 8, 1828, 45904, 0)]
    answer = channel.stream_unary("/test.Echo/Collect")(iter(parts), timeout=20)
    assert answer == b"74922", answer


@check
def server_streaming_with_a_slow_reader():
    call = channel.unary_stream("/test.Echo/Expand")(b"\xc8\x01\x00\x00", timeout=60)
    assert [len(message) for message in call] == [65536] * 200


@check
def ping_pong():
    turn = threading.Semaphore(1)

    def requests():
        for size in (27182, 8, 1828, 45904):
            turn.acquire()
            yield b"x" * size

    sizes = []
    for message in channel.stream_stream("/test.Echo/Chat")(requests(), timeout=20):
        sizes.append(len(message))
        turn.release()
    assert sizes == [27182, 8, 1828, 45904], sizes


@check
def an_empty_stream_ends_well():
    assert list(channel.stream_stream("/test.Echo/Chat")(iter(()), timeout=20)) == []


@check
def initial_metadata_comes_early():
    more = threading.Event()

    def requests():
        yield b"first"
        more.wait(20)

    metadata = (("x-eager", "1"),)
    call = channel.stream_stream("/test.Echo/Chat")(requests(), metadata=metadata, timeout=20)
    assert dict(call.initial_metadata())["x-early"] == "yes"
    assert next(call) == b"first"
    more.set()
    assert list(call) == []


@check
def cancelling_leaves_the_connection_well():
    for _ in range(50):
        call = channel.stream_stream("/test.Echo/Chat")(iter([b"a"]), timeout=20)
        call.cancel()
    waiting = unary("Wait").future(b"", timeout=20)
    waiting.cancel()
    assert waiting.cancelled()
    assert unary("Unary")(b"after", timeout=20) == b"after"


@check
def health():
    stub = health_pb2_grpc.HealthStub(channel)
    request = health_pb2.HealthCheckRequest
    response = health_pb2.HealthCheckResponse
    assert stub.Check(request(), timeout=20).status == response.SERVING
    assert stub.Check(request(service="test.Echo"), timeout=20).status == response.NOT_SERVING
    error = failure(lambda: stub.Check(request(service="no.Such"), timeout=20))
    assert error.code() == grpc.StatusCode.NOT_FOUND
    watch = stub.Watch(request(service="no.Such"), timeout=20)
    assert next(watch).status == response.SERVICE_UNKNOWN
    assert watch.is_active()
    watch.cancel()


@check
def reflection():
    pool = DescriptorPool(ProtoReflectionDescriptorDatabase(channel))
    service = pool.FindServiceByName("test.Echo")
    assert service.methods_by_name["Unary"].input_type.full_name == "test.Note"
    note = pool.FindMessageTypeByName("test.Note")
    assert note.fields_by_name["time"].message_type.full_name == "google.protobuf.Timestamp"
    assert pool.FindEnumTypeByName("test.Kind").values_by_name["KIND_OTHER"].number == 1

    def ask(**question):
        request = reflection_pb2.ServerReflectionRequest(**question)
        stub = reflection_pb2_grpc.ServerReflectionStub(channel)
        (answer,) = stub.ServerReflectionInfo(iter([request]), timeout=20)
        assert answer.original_request == request
        return answer

    assert [s.name for s in ask(list_services="").list_services_response.service] == ["test.Echo"]
    for symbol in ("test.Note.Inner", "test.Note.text", "test.KIND_OTHER", "test.Echo.Unary"):
        files = ask(file_containing_symbol=symbol).file_descriptor_response.file_descriptor_proto
        assert len(files) == (2 if symbol else 1), symbol
    assert ask(file_containing_symbol="test.No").error_response.error_code == 5
    assert ask(file_by_filename="no.proto").error_response.error_code == 5
    extension = reflection_pb2.ExtensionRequest(containing_type="test.Note", extension_number=7)
    assert ask(file_containing_extension=extension).error_response.error_code == 5
    assert ask(all_extension_numbers_of_type="test.No").error_response.error_code == 5
    numbers = ask(all_extension_numbers_of_type="test.Note").all_extension_numbers_response
    assert numbers.base_type_name == "test.Note" and not numbers.extension_number


@check
def reflection_v1():
    call = channel.stream_stream("/grpc.reflection.v1.ServerReflection/ServerReflectionInfo")
    (answer,) = call(iter([b"\x3a\x00"]), timeout=20)
    assert b"test.Echo" in answer


for function in checks:
    function()
    print("passed", function.__name__)
