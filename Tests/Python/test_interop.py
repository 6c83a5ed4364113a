"""The standard test cases of gRPC, each both ways: a foreign client with our server, and our client
with foreign servers, well-behaved or not."""

import functools
import subprocess
import threading

import grpc
import pytest
from authority import Authority
from hostile_server import HostileServer
from interop import (
    ECHO_INITIAL, ECHO_TRAILING, SIZES_DOWN, SIZES_UP, ForeignServer, InteropServer, run_case,
)  # fmt: skip
from relationd import executable

SPECIAL = "\t\ntest with whitespace\r\nand Unicode BMP \u263a and non-BMP \U0001f608\t\n"
HOSTILE = [
    "goaway", "max_streams", "ping", "rst_after_header", "rst_during_data", "rst_after_data",
    "data_frame_padding",
]  # fmt: skip
# Cases that Google's Python server cannot check: it does not see whether a message was compressed
# on its way.
UNSEEN = ["client_compressed_unary", "client_compressed_streaming"]


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp("interop-tls"))


@pytest.fixture(scope="module")
def encrypted(authority):
    """Our server, which encrypts."""
    certificate = authority.server()
    with InteropServer(
        "--port", "0", "--tls-cert", certificate.path, "--tls-key", certificate.key_path
    ) as running:
        yield running


@pytest.fixture(scope="module")
def foreign(messages):
    running = ForeignServer(messages)
    yield running
    running.stop()


def cases():
    """The names of all cases of our client."""
    listed = subprocess.run(
        [executable("relation-interop-client"), "--server_port", "1", "--test_case", "list"],
        capture_output=True, text=True, timeout=30, check=True,
    )  # fmt: skip
    return listed.stdout.split()


# Our client


def test_our_client_has_every_standard_case():
    names = set(cases())
    assert len(names) == 30
    assert names == set(HOSTILE + UNSEEN + [case.__name__ for case in CASES])


def test_our_client_passes_every_case_with_a_foreign_server(foreign):
    standard = [case for case in cases() if case not in HOSTILE + UNSEEN]
    assert len(standard) == 21
    assert [wrong for case in standard if (wrong := run_case(foreign.port, case))] == []


def test_our_client_passes_every_case_with_our_server(ours):
    standard = [case for case in cases() if case not in HOSTILE]
    assert [wrong for case in standard if (wrong := run_case(ours.port, case))] == []


def test_our_client_passes_every_case_over_tls(encrypted, authority):
    standard = [case for case in cases() if case not in HOSTILE]
    tls = ("--ca_file", authority.path)
    assert [wrong for case in standard if (wrong := run_case(encrypted.port, case, *tls))] == []


@pytest.mark.parametrize("case", UNSEEN)
def test_our_client_compresses_what_a_foreign_server_looks_at(messages, case):
    with HostileServer(messages, "none") as server:
        assert run_case(server.port, case) == ""
        assert server.faults == []


@pytest.mark.parametrize("case", HOSTILE)
def test_our_client_bears_a_server_that_misbehaves(messages, case):
    with HostileServer(messages, case) as server:
        assert run_case(server.port, case) == ""
        assert server.faults == []
        assert server.connections == (2 if case == "goaway" else 1)
        assert server.unanswered_pings == 0
        if case == "max_streams":
            assert server.most_streams == 1


def test_our_client_says_what_is_wrong(messages):
    # A case that needs a misbehaving server fails with a well-behaved one.
    with HostileServer(messages, "none") as server:
        assert "the call succeeded" in run_case(server.port, "rst_after_data")


# Google's client


class Caller:
    """The means that a case of Google's client needs."""

    def __init__(self, messages, connect):
        self.messages = messages
        self.connect = connect
        self.channel = connect()

    def stub(self, name, **options):
        return self.messages.stub(self.channel, name, **options)

    def output(self, sizes=(), up=0, **fields):
        return self.messages.StreamingOutputCallRequest(
            response_parameters=[{"size": size} for size in sizes],
            payload=self.messages.payload(up), **fields,
        )  # fmt: skip


def refused(call):
    with pytest.raises(grpc.RpcError) as caught:
        call()
    return caught.value


def empty_unary(caller):
    empty = caller.messages.Empty()
    assert caller.stub("EmptyCall")(empty, timeout=20) == empty


def large_unary(caller):
    answer = caller.stub("UnaryCall")(caller.messages.large_request(), timeout=20)
    assert answer.payload.body == bytes(314159)


def client_streaming(caller):
    make = caller.messages.StreamingInputCallRequest
    requests = [make(payload=caller.messages.payload(size)) for size in SIZES_UP]
    answer = caller.stub("StreamingInputCall")(iter(requests), timeout=20)
    assert answer.aggregated_payload_size == 74922


def server_streaming(caller):
    call = caller.stub("StreamingOutputCall")(caller.output(SIZES_DOWN), timeout=20)
    assert [len(answer.payload.body) for answer in call] == SIZES_DOWN


def ping_pong(caller):
    turn = threading.Semaphore(1)

    def requests():
        for up, down in zip(SIZES_UP, SIZES_DOWN):
            turn.acquire()
            yield caller.output([down], up)

    sizes = []
    for answer in caller.stub("FullDuplexCall")(requests(), timeout=20):
        sizes.append(len(answer.payload.body))
        turn.release()
    assert sizes == SIZES_DOWN


def empty_stream(caller):
    assert list(caller.stub("FullDuplexCall")(iter(()), timeout=20)) == []


def timeout_on_sleeping_server(caller):
    request = caller.output()
    request.response_parameters.add(size=31415, interval_us=500_000)
    error = refused(lambda: list(caller.stub("FullDuplexCall")(iter([request]), timeout=0.001)))
    assert error.code() == grpc.StatusCode.DEADLINE_EXCEEDED


def cancel_after_begin(caller):
    hold = threading.Event()

    def requests():
        hold.wait(20)
        yield from ()

    call = caller.stub("StreamingInputCall").future(requests(), timeout=20)
    call.cancel()
    assert call.cancelled() and call.code() == grpc.StatusCode.CANCELLED
    hold.set()


def cancel_after_first_response(caller):
    hold = threading.Event()

    def requests():
        yield caller.output([31415], 27182)
        hold.wait(20)

    call = caller.stub("FullDuplexCall")(requests(), timeout=20)
    assert len(next(call).payload.body) == 31415
    call.cancel()
    hold.set()
    assert call.code() == grpc.StatusCode.CANCELLED


def ended_with(caller, text, duplex=True):
    status = {"code": 2, "message": text}
    request = caller.messages.SimpleRequest(response_status=status)
    error = refused(lambda: caller.stub("UnaryCall")(request, timeout=20))
    assert (error.code(), error.details()) == (grpc.StatusCode.UNKNOWN, text)
    if duplex:
        request = caller.output(response_status=status)
        call = caller.stub("FullDuplexCall")
        error = refused(lambda: list(call(iter([request]), timeout=20)))
        assert (error.code(), error.details()) == (grpc.StatusCode.UNKNOWN, text)


def status_code_and_message(caller):
    ended_with(caller, "test status message")


def special_status_message(caller):
    ended_with(caller, SPECIAL, duplex=False)


def custom_metadata(caller):
    metadata = ((ECHO_INITIAL, "test_initial_metadata_value"), (ECHO_TRAILING, b"\xab\xab\xab"))
    request = caller.messages.large_request()
    _, unary = caller.stub("UnaryCall").with_call(request, metadata=metadata, timeout=20)
    duplex = caller.stub("FullDuplexCall")(
        iter([caller.output([314159], 271828)]), metadata=metadata, timeout=20
    )
    for call in (unary, duplex):
        assert dict(call.initial_metadata())[ECHO_INITIAL] == "test_initial_metadata_value"
    assert len(list(duplex)) == 1
    for call in (unary, duplex):
        assert dict(call.trailing_metadata())[ECHO_TRAILING] == b"\xab\xab\xab"


def unimplemented_method(caller):
    error = refused(lambda: caller.stub("UnimplementedCall")(caller.messages.Empty(), timeout=20))
    assert error.code() == grpc.StatusCode.UNIMPLEMENTED


def unimplemented_service(caller):
    call = caller.stub("UnimplementedCall", service="grpc.testing.UnimplementedService")
    error = refused(lambda: call(caller.messages.Empty(), timeout=20))
    assert error.code() == grpc.StatusCode.UNIMPLEMENTED


def half_duplex(caller):
    requests = iter([caller.output([size]) for size in SIZES_DOWN])
    call = caller.stub("HalfDuplexCall")(requests, timeout=20)
    assert [len(answer.payload.body) for answer in call] == SIZES_DOWN


def slow_consumer(caller):
    call = caller.stub("StreamingOutputCall")(caller.output([1030] * 2000), timeout=60)
    for _ in range(20):
        empty_unary(caller)
    assert [len(answer.payload.body) for answer in call] == [1030] * 2000


def rpc_soak(caller):
    for _ in range(20):
        large_unary(caller)


def channel_soak(caller):
    for _ in range(10):
        options = [("grpc.use_local_subchannel_pool", 1)]
        other = Caller(caller.messages, lambda: caller.connect(options=options))
        with other.channel:
            large_unary(other)


def pick_first_unary(caller):
    call = caller.stub("UnaryCall")
    request = caller.messages.SimpleRequest(fill_server_id=True)
    assert len({call(request, timeout=20).server_id for _ in range(20)} - {""}) == 1


def client_compressed_unary(caller):
    request = caller.messages.large_request(expect_compressed={"value": True})
    call = caller.stub("UnaryCall")
    probe = refused(lambda: call(request, timeout=20))
    assert probe.code() == grpc.StatusCode.INVALID_ARGUMENT
    for algorithm in (grpc.Compression.Gzip, grpc.Compression.Deflate):
        answer = call(request, timeout=20, compression=algorithm)
        assert answer.payload.body == bytes(314159)


def client_compressed_streaming(caller):
    make = caller.messages.StreamingInputCallRequest
    requests = [
        make(payload=caller.messages.payload(size), expect_compressed={"value": True})
        for size in (27182, 45904)
    ]
    call = caller.stub("StreamingInputCall")
    probe = refused(lambda: call(iter(requests), timeout=20))
    assert probe.code() == grpc.StatusCode.INVALID_ARGUMENT
    answer = call(iter(requests), timeout=20, compression=grpc.Compression.Gzip)
    assert answer.aggregated_payload_size == 73086


def server_compressed_unary(caller):
    for compressed in (True, False):
        request = caller.messages.large_request(response_compressed={"value": compressed})
        assert caller.stub("UnaryCall")(request, timeout=20).payload.body == bytes(314159)


def server_compressed_streaming(caller):
    request = caller.messages.StreamingOutputCallRequest(
        response_parameters=[
            {"size": 31415, "compressed": {"value": True}},
            {"size": 92653, "compressed": {"value": False}},
        ]
    )
    call = caller.stub("StreamingOutputCall")(request, timeout=20)
    assert [len(answer.payload.body) for answer in call] == [31415, 92653]


CASES = [
    empty_unary, large_unary, client_streaming, server_streaming, ping_pong, empty_stream,
    timeout_on_sleeping_server, cancel_after_begin, cancel_after_first_response,
    status_code_and_message, special_status_message, custom_metadata, unimplemented_method,
    unimplemented_service, half_duplex, slow_consumer, rpc_soak, channel_soak, pick_first_unary,
    client_compressed_unary, client_compressed_streaming, server_compressed_unary,
    server_compressed_streaming,
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_googles_client_passes_every_case_with_our_server(messages, ours, case):
    caller = Caller(messages, functools.partial(grpc.insecure_channel, ours.address))
    with caller.channel:
        case(caller)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_googles_client_passes_every_case_over_tls(messages, encrypted, authority, case):
    credentials = grpc.ssl_channel_credentials(authority.pem)
    connect = functools.partial(grpc.secure_channel, encrypted.address, credentials)
    caller = Caller(messages, connect)
    with caller.channel:
        case(caller)


@pytest.mark.parametrize("case", [empty_unary, custom_metadata, slow_consumer, half_duplex])
def test_the_foreign_server_of_these_tests_is_a_true_one(messages, foreign, case):
    address = f"127.0.0.1:{foreign.port}"
    caller = Caller(messages, functools.partial(grpc.insecure_channel, address))
    with caller.channel:
        case(caller)


def test_a_message_may_be_longer_one_way_than_the_other(messages):
    limits = ["--max-received-message-bytes", "1000", "--max-sent-message-bytes", "2000"]

    def ask(channel, up, down):
        request = messages.SimpleRequest(payload=messages.payload(up), response_size=down)
        call = channel.unary_unary("/grpc.testing.TestService/UnaryCall")
        try:
            return len(call(request.SerializeToString(), timeout=20))
        except grpc.RpcError as error:
            return error.code()

    with InteropServer("--port", "0", *limits) as server:
        with grpc.insecure_channel(server.address) as channel:
            up = 1000 - len(messages.SimpleRequest(
                payload=messages.payload(1000), response_size=1990
            ).SerializeToString()) + 1000  # fmt: skip
            assert 1000 < ask(channel, up, 1990) <= 2000
            assert ask(channel, up + 1, 1990) == grpc.StatusCode.RESOURCE_EXHAUSTED
            assert ask(channel, up, 2001) == grpc.StatusCode.RESOURCE_EXHAUSTED


@pytest.mark.parametrize("option", ["--max_sent_message_bytes", "--max_received_message_bytes"])
def test_our_client_has_a_limit_each_way(ours, option):
    """The case sends 271,828 bytes and gets 314,159."""
    command = [executable("relation-interop-client"), "--server_port", str(ours.port)]
    command += ["--test_case", "large_unary", option]
    fits = {"--max_sent_message_bytes": 272_000, "--max_received_message_bytes": 315_000}[option]
    assert subprocess.run([*command, str(fits)], capture_output=True).returncode == 0
    refused = subprocess.run([*command, str(fits - 2_000)], capture_output=True, text=True)
    assert refused.returncode != 0
    assert "RESOURCE_EXHAUSTED" in refused.stdout + refused.stderr
