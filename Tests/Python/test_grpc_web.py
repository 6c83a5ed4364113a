"""gRPC-Web as its specification names it, in bytes and in text, over both versions of HTTP."""

import base64
import gzip

import pytest
from interop import ECHO_INITIAL, ECHO_TRAILING
from web import COMPRESSED, HTTP1, HTTP2, TRAILERS, Caller, Wire, envelope, envelopes, lines

TEST = "/grpc.testing.TestService/"
CHECK = "/relation.v1.FriendService/CheckFriends"
WEB = ("content-type", "application/grpc-web+proto")
TEXT = ("content-type", "application/grpc-web-text+proto")


@pytest.fixture(params=[HTTP1, HTTP2])
def wire(ours, request):
    with Wire(ours.port, request.param) as made:
        yield made


def decoded(text):
    """The bytes of pieces of base64, each with its own padding."""
    return b"".join(base64.b64decode(text[at : at + 4]) for at in range(0, len(text), 4))


def code_of(reply):
    """The code in the last message, before which `reply` must have only whole ones."""
    flag, data = envelopes(reply.body)[-1]
    assert flag == TRAILERS
    return lines(data)["grpc-status"]


@pytest.mark.parametrize("kind", ["", "+proto", "+proto; a=b"])
def test_row_67_the_last_message_has_the_trailers(wire, kind, messages):
    request = messages.SimpleRequest(response_size=9)
    fields = [("content-type", "application/grpc-web" + kind), ("x-grpc-web", "1"),
              (ECHO_INITIAL, "first"), (ECHO_TRAILING, "q6ur")]  # fmt: skip
    body = envelope(request.SerializeToString())
    reply = wire.ask("POST", TEST + "UnaryCall", fields, body)
    (first, answer), (last, data) = envelopes(reply.body)
    assert (reply.status, first, last) == (200, 0, TRAILERS)
    assert reply.fields["content-type"].startswith("application/grpc-web")
    assert len(messages.SimpleResponse.FromString(answer).payload.body) == 9
    assert reply.fields[ECHO_INITIAL] == "first" and reply.trailers == {}
    # Each line has a name in lower case, and ends as in a head.
    assert data.endswith(b"\r\n") and lines(data) == {"grpc-status": "0", ECHO_TRAILING: "q6ur"}


@pytest.mark.parametrize("number", [1, 3, 5, 8, 12, 13, 16])
def test_row_67_a_status_comes_with_http_200(wire, messages, number):
    request = messages.SimpleRequest()
    request.response_status.code, request.response_status.message = number, "100 % \u00e4"
    body = envelope(request.SerializeToString())
    reply = wire.ask("POST", TEST + "UnaryCall", [WEB], body)
    ((flag, data),) = envelopes(reply.body)
    assert (reply.status, flag) == (200, TRAILERS)
    assert lines(data) == {"grpc-status": str(number), "grpc-message": "100 %25 %C3%A4"}


def test_row_67_details_and_metadata_are_those_of_gRPC(server, stubs):
    request = stubs.request("GetSelfProfile", {"user_id": "no one"}).SerializeToString()
    path = "/relation.v1.ProfileService/GetSelfProfile"
    with Wire(server.port, HTTP2) as made:
        told = [Caller(made, name).call(path, request)[1]
                for name in ("grpc", "grpc-web", "grpc-web-text")]  # fmt: skip
    assert len({(one.code, one.message, str(one.details)) for one in told}) == 1
    assert told[0].details and told[0].code == "not_found"


@pytest.mark.parametrize("kind", ["application/grpc-web+xml", "application/grpc-webs"])
def test_row_67_another_format_is_refused(wire, kind):
    reply = wire.ask("POST", TEST + "UnaryCall", [("content-type", kind)], envelope(b""))
    assert reply.status == 415


@pytest.mark.parametrize("value, code", [("20S", "0"), ("0m", "4"), ("1", "13"), ("S", "13")])
def test_row_67_the_time_is_that_of_gRPC(wire, value, code):
    fields = [WEB, ("grpc-timeout", value)]
    assert code_of(wire.ask("POST", TEST + "EmptyCall", fields, envelope(b""))) == code


def test_row_67_messages_are_packed_as_in_gRPC(wire, messages):
    request = messages.SimpleRequest(response_size=50_000)
    request.response_compressed.value = True
    body = envelope(gzip.compress(request.SerializeToString()), COMPRESSED)
    fields = [WEB, ("grpc-encoding", "gzip"), ("grpc-accept-encoding", "gzip")]
    reply = wire.ask("POST", TEST + "UnaryCall", fields, body)
    (flag, answer), _ = envelopes(reply.body)
    assert (flag, reply.fields["grpc-encoding"]) == (COMPRESSED, "gzip")
    found = messages.SimpleResponse.FromString(gzip.decompress(answer))
    assert len(found.payload.body) == 50_000
    unknown = wire.ask("POST", TEST + "UnaryCall", [WEB, ("grpc-encoding", "br")], body)
    assert code_of(unknown) == "12"
    bare = wire.ask("POST", TEST + "UnaryCall", [WEB], body)
    assert code_of(bare) == "13"
    bomb = envelope(gzip.compress(bytes((4 << 20) + 1)), COMPRESSED)
    assert code_of(wire.ask("POST", TEST + "UnaryCall", fields, bomb)) == "8"


@pytest.mark.parametrize("body", [b"", envelope(b"") * 2])
def test_row_67_a_call_of_one_message_has_one(wire, body):
    assert code_of(wire.ask("POST", TEST + "EmptyCall", [WEB], body)) == "12"


@pytest.mark.parametrize("body", [envelope(b"abc")[:-1], b"\0\0", b"\2\0\0\0\0", b"\0\0\0\0\1\xff"])
def test_row_67_a_message_that_is_cut_off_or_marked_is_refused(wire, body):
    assert code_of(wire.ask("POST", TEST + "UnaryCall", [WEB], body)) == "13"


def test_row_67_answers_come_as_they_are_made(wire, messages):
    request = messages.StreamingOutputCallRequest()
    for size, pause in [(5, 0), (7, 200_000)]:
        request.response_parameters.add(size=size, interval_us=pause)
    call = Caller(wire, "grpc-web").start(TEST + "StreamingOutputCall")
    call.send(request.SerializeToString())
    call.finish()
    sizes = [len(messages.StreamingOutputCallResponse.FromString(one).payload.body)
             for one in call]  # fmt: skip
    assert (sizes, call.outcome.code) == ([5, 7], "ok")


@pytest.mark.parametrize("kind", ["application/grpc-web-text", "application/grpc-web-text+proto"])
def test_row_68_text_is_base64_of_the_same_bytes(wire, kind, messages):
    request = messages.SimpleRequest(response_size=10)
    body = base64.b64encode(envelope(request.SerializeToString()))
    reply = wire.ask("POST", TEST + "UnaryCall", [("content-type", kind)], body)
    assert reply.fields["content-type"].startswith("application/grpc-web-text")
    (_, answer), (flag, data) = envelopes(decoded(reply.body))
    assert (flag, lines(data)["grpc-status"]) == (TRAILERS, "0")
    assert len(messages.SimpleResponse.FromString(answer).payload.body) == 10


@pytest.mark.parametrize("size", range(1, 8))
def test_row_68_padding_may_stand_in_the_middle(wire, size, messages):
    data = envelope(messages.SimpleRequest(response_size=3).SerializeToString())
    parts = [data[at : at + size] for at in range(0, len(data), size)]
    body = b"".join(map(base64.b64encode, parts))
    reply = wire.ask("POST", TEST + "UnaryCall", [TEXT], body)
    assert lines(envelopes(decoded(reply.body))[-1][1])["grpc-status"] == "0"


@pytest.mark.parametrize("body", [b"====", b"AAAA=AAA", b"AAAA!AAA", b"AAA=BBBBB"])
def test_row_68_what_is_no_base64_is_refused(wire, body):
    reply = wire.ask("POST", TEST + "UnaryCall", [TEXT], body)
    assert lines(envelopes(decoded(reply.body))[-1][1])["grpc-status"] in ("12", "13")


def test_row_68_a_text_is_at_most_as_long_as_a_message(wire):
    body = base64.b64encode(envelope(bytes((4 << 20) + 4)))
    reply = wire.ask("POST", TEST + "UnaryCall", [TEXT], body)
    assert lines(envelopes(decoded(reply.body))[-1][1])["grpc-status"] == "8"


def test_row_68_a_stream_of_text_comes_in_whole_pieces(wire, messages):
    request = messages.StreamingOutputCallRequest()
    for size in (1, 2, 3, 4):
        request.response_parameters.add(size=size)
    call = Caller(wire, "grpc-web-text").start(TEST + "StreamingOutputCall")
    call.send(request.SerializeToString())
    call.finish()
    sizes = [len(messages.StreamingOutputCallResponse.FromString(one).payload.body)
             for one in call]  # fmt: skip
    assert (sizes, call.outcome.code) == ([1, 2, 3, 4], "ok")


def test_row_68_no_requests_stream_in_text(wire):
    reply = wire.ask("POST", TEST + "StreamingInputCall", [TEXT], base64.b64encode(envelope(b"")))
    assert reply.status == 415
