"""The wire, frame by frame: messages and compression. The numbers are those of the rules."""

import gzip
import struct
import zlib

import pytest
from raw_peer import DATA, HEADERS, NO_ERROR, PADDED, envelope, frame

LIMIT = 4 * 1024 * 1024
ACCEPT = "grpc-accept-encoding"
ENCODING = "grpc-encoding"


@pytest.fixture
def input_of(messages):
    """A message of StreamingInputCall with so many bytes of payload."""

    def make(size):
        request = messages.StreamingInputCallRequest(payload=messages.payload(size))
        return request.SerializeToString()

    return make


def assert_refused(answer, code):
    assert answer.is_trailers_only, answer.frames
    assert (answer.http, answer.code) == ("200", code), answer.head


def total(messages, answer):
    """The sum in the answer of StreamingInputCall."""
    assert answer.code == "0", answer.frames
    ((_, message),) = answer.messages
    return messages.StreamingInputCallResponse.FromString(message).aggregated_payload_size


# Framing


@pytest.mark.parametrize("size", [1, 2, 3, 5, 7, 1000, 16384])
def test_row_16_envelopes_may_be_split_anywhere_and_frames_hold_several(
    peer, messages, input_of, size
):
    sizes = [0, 1, 300, 0, 2000]
    body = b"".join(envelope(input_of(count)) for count in sizes) + envelope(b"")
    stream = peer.open(peer.request("StreamingInputCall"), end=False)
    peer.data(stream, body, size=size)
    peer.send(frame(DATA, stream=stream), frame(DATA, 1, stream))
    assert total(messages, peer.answer(stream)) == sum(sizes)


def test_row_16_empty_frames_between_bytes_change_nothing(peer):
    stream = peer.open(peer.request("EmptyCall"), end=False)
    for byte in envelope(b""):
        peer.send(frame(DATA, stream=stream), frame(DATA, stream=stream, payload=bytes([byte])))
    peer.data(stream, b"", end=True)
    assert peer.answer(stream).code == "0"


def test_row_16_padded_frames_are_taken(peer):
    stream = peer.open(peer.request("EmptyCall"), end=False)
    padded = bytes([9]) + envelope(b"") + bytes(9)
    peer.send(frame(DATA, 1 | PADDED, stream, padded))
    assert peer.answer(stream).code == "0"


@pytest.mark.parametrize("name", ["UnaryCall", "StreamingInputCall", "StreamingOutputCall"])
@pytest.mark.parametrize("flag", [2, 7, 128, 255])
def test_row_17_a_flag_is_zero_or_one(peer, name, flag):
    assert_refused(peer.call(peer.request(name), body=envelope(b"", flag)), "13")


@pytest.mark.parametrize("encoding", [None, "identity"])
def test_row_18_a_compressed_message_needs_an_encoding(peer, encoding):
    packed = gzip.compress(b"")
    answer = peer.call(peer.request(**{ENCODING: encoding}), body=envelope(packed, 1))
    assert_refused(answer, "13")


@pytest.mark.parametrize("encoding", ["br", "snappy", "zstd", "xgzip", "", "gzip,deflate"])
def test_row_19_an_encoding_that_is_not_there_is_named_before_a_message_comes(peer, encoding):
    stream = peer.open(peer.request("StreamingInputCall", **{ENCODING: encoding}), end=False)
    answer = peer.answer(stream)
    assert_refused(answer, "12")
    assert answer.head[ACCEPT].split(",") == ["identity", "deflate", "gzip"]


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "identity", "GZIP", "x-gzip"])
def test_row_20_a_plain_message_is_taken_whatever_the_encoding(
    peer, messages, input_of, encoding
):
    fields = peer.request("StreamingInputCall", **{ENCODING: encoding})
    assert total(messages, peer.call(fields, input_of(7))) == 7


PACKED = {"gzip": gzip.compress, "deflate": zlib.compress}


@pytest.mark.parametrize("encoding", PACKED)
def test_row_20_each_message_says_for_itself_whether_it_is_compressed(
    peer, messages, input_of, encoding
):
    fields = peer.request("StreamingInputCall", **{ENCODING: encoding})
    pack = PACKED[encoding]
    body = envelope(pack(input_of(50_000)), 1) + envelope(input_of(3)) + envelope(pack(b""), 1)
    assert total(messages, peer.call(fields, body=body)) == 50_003


def test_row_20_a_gzip_message_of_several_members_is_all_of_them(peer, messages, input_of):
    fields = peer.request("StreamingInputCall", **{ENCODING: "gzip"})
    whole = input_of(50_000)
    parts = [whole[:7], whole[7:30_000], b"", whole[30_000:]]
    packed = b"".join(gzip.compress(part) for part in parts)
    assert total(messages, peer.call(fields, body=envelope(packed, 1))) == 50_000
    # The members together have the limit of one message, and their number is limited too.
    overhead = len(input_of(LIMIT)) - LIMIT
    fits = input_of(LIMIT - overhead)
    two = gzip.compress(fits[: LIMIT // 2]) + gzip.compress(fits[LIMIT // 2 :])
    assert total(messages, peer.call(fields, body=envelope(two, 1))) == LIMIT - overhead
    assert_refused(peer.call(fields, body=envelope(two + gzip.compress(b"x"), 1)), "8")
    most = gzip.compress(whole) + gzip.compress(b"") * 1_023
    assert total(messages, peer.call(fields, body=envelope(most, 1))) == 50_000
    assert_refused(peer.call(fields, body=envelope(most + gzip.compress(b""), 1)), "8")
    peer.assert_alive()


GZIP = gzip.compress(bytes(3000), mtime=0)


@pytest.mark.parametrize("name", ["UnaryCall", "StreamingInputCall"])
@pytest.mark.parametrize(
    "packed",
    [b"", b"abc", GZIP[:-1], GZIP[:10], GZIP[:40], GZIP + b"\0", GZIP + b"\x1f", GZIP[:-8] + bytes(8),
     GZIP + GZIP[:-1], GZIP + b"\0" + GZIP, GZIP + zlib.compress(bytes(3000)),
     zlib.compress(bytes(3000)), GZIP[:3] + b"\xff" + GZIP[4:]],
)  # fmt: skip
def test_row_21_corrupt_truncated_and_trailing_bytes_are_refused(peer, name, packed):
    fields = peer.request(name, **{ENCODING: "gzip"})
    assert_refused(peer.call(fields, body=envelope(packed, 1)), "13")
    peer.assert_alive()


@pytest.mark.parametrize("encoding", PACKED)
def test_row_22_the_limit_is_of_what_a_message_expands_to(peer, messages, input_of, encoding):
    fields = peer.request("StreamingInputCall", **{ENCODING: encoding})
    pack = PACKED[encoding]
    overhead = len(input_of(LIMIT)) - LIMIT
    fits = input_of(LIMIT - overhead)
    assert len(fits) == LIMIT
    assert total(messages, peer.call(fields, body=envelope(pack(fits), 1))) == LIMIT - overhead
    assert_refused(peer.call(fields, body=envelope(pack(fits + b"\0"), 1)), "8")
    assert_refused(peer.call(fields, body=envelope(pack(bytes(1 << 27)), 1)), "8")
    peer.assert_alive()


# Lengths


@pytest.mark.parametrize("name", ["UnaryCall", "StreamingInputCall", "FullDuplexCall"])
@pytest.mark.parametrize("length", [LIMIT + 1, 1 << 31, (1 << 32) - 1])
def test_row_23_a_length_beyond_the_limit_is_refused_when_it_is_read(peer, name, length):
    stream = peer.open(peer.request(name), b"\0" + struct.pack(">I", length), end=False)
    assert_refused(peer.answer(stream), "8")
    assert peer.await_reset(stream) == NO_ERROR
    peer.assert_alive()


def test_row_23_a_message_of_the_limit_is_taken(peer, messages, input_of):
    overhead = len(input_of(LIMIT)) - LIMIT
    stream = peer.open(peer.request("StreamingInputCall"), end=False)
    peer.data_as_allowed(stream, envelope(input_of(LIMIT - overhead)))
    assert total(messages, peer.answer(stream)) == LIMIT - overhead


@pytest.mark.parametrize("name", ["UnaryCall", "StreamingInputCall", "FullDuplexCall"])
@pytest.mark.parametrize("body", [b"\0", b"\0\0\0\0", b"\0\0\0\0\2a"])
def test_row_24_an_end_inside_a_message_is_an_error(peer, name, body):
    assert peer.call(peer.request(name), body=body).code == "13"


def test_row_24_an_end_inside_a_later_message_is_one_too(peer):
    answer = peer.call(peer.request("StreamingInputCall"), body=envelope(b"") + b"\0")
    assert answer.code == "13"


@pytest.mark.parametrize("name", ["UnaryCall", "StreamingOutputCall"])
@pytest.mark.parametrize("ends_with", ["head", "data"])
def test_row_25_a_call_of_one_message_needs_one(peer, name, ends_with):
    stream = peer.open(peer.request(name), end=ends_with == "head")
    if ends_with == "data":
        peer.data(stream, b"", end=True)
    assert_refused(peer.answer(stream), "12")


@pytest.mark.parametrize("name", ["UnaryCall", "StreamingOutputCall"])
def test_row_26_a_call_of_one_message_has_no_second(peer, name):
    answer = peer.call(peer.request(name), body=envelope(b"") * 2)
    assert_refused(answer, "12")


@pytest.mark.parametrize(
    "name", ["EmptyCall", "UnaryCall", "StreamingInputCall", "StreamingOutputCall", "FullDuplexCall"]
)
def test_row_27_what_is_no_protobuf_is_an_error_of_the_call(peer, name):
    for message in (b"\xff", b"\x0a\x05a", b"\x07", b"\x0a\xff\xff\xff\xff\x0f"):
        answer = peer.call(peer.request(name), message)
        assert answer.code == "13", (message, answer.frames)
    peer.assert_alive()


def test_row_28_an_answer_beyond_the_limit_is_an_error_and_nothing_of_it_is_sent(peer, messages):
    def ask(size):
        return peer.call(
            peer.request("UnaryCall"),
            messages.SimpleRequest(response_size=size).SerializeToString(),
        )

    overhead = len(
        messages.SimpleResponse(payload=messages.payload(LIMIT)).SerializeToString()
    ) - LIMIT  # fmt: skip
    fits = ask(LIMIT - overhead)
    assert (fits.code, len(fits.messages[0][1])) == ("0", LIMIT)
    assert_refused(ask(LIMIT - overhead + 1), "8")


# Compressed answers


def ask_compressed(peer, messages, accepted, wanted, size=50_000, **fields):
    request = messages.SimpleRequest(response_size=size)
    if wanted is not None:
        request.response_compressed.value = wanted
    named = {ACCEPT: accepted, **fields}
    return peer.call(peer.request("UnaryCall", **named), request.SerializeToString())


@pytest.mark.parametrize(
    "accepted, encoding",
    [("gzip", "gzip"), ("deflate", "deflate"), ("identity, deflate ,gzip", "gzip"),
     ("br,deflate", "deflate"), ("identity", None), (None, None), ("br", None), ("", None)],
)  # fmt: skip
def test_row_29_answers_are_compressed_only_as_the_client_accepts_it(
    peer, messages, accepted, encoding
):
    answer = ask_compressed(peer, messages, accepted, True)
    assert answer.code == "0"
    assert answer.head.get(ENCODING) == encoding
    ((flag, message),) = answer.messages
    assert flag == (encoding is not None)
    unpack = {"gzip": gzip.decompress, "deflate": zlib.decompress, None: bytes}[encoding]
    assert len(messages.SimpleResponse.FromString(unpack(message)).payload.body) == 50_000


@pytest.mark.parametrize("wanted", [False, None])
def test_row_29_who_accepts_it_does_not_get_it_unasked(peer, messages, wanted):
    answer = ask_compressed(peer, messages, "gzip,deflate", wanted)
    assert ENCODING not in answer.head
    assert answer.messages[0][0] == 0


def test_row_29_who_compresses_is_answered_in_the_same_encoding(peer, messages):
    answer = ask_compressed(peer, messages, "gzip,deflate", None, **{ENCODING: "deflate"})
    assert answer.head[ENCODING] == "deflate"
    flag, message = answer.messages[0]
    assert flag == 1 and len(zlib.decompress(message)) > 50_000


def test_row_29_each_answer_says_for_itself_whether_it_is_compressed(peer, messages):
    request = messages.StreamingOutputCallRequest(
        response_parameters=[
            {"size": 31415, "compressed": {"value": True}},
            {"size": 92653, "compressed": {"value": False}},
            {"size": 9, "compressed": {"value": True}},
        ]
    )
    fields = peer.request("StreamingOutputCall", **{ACCEPT: "gzip"})
    answer = peer.call(fields, request.SerializeToString())
    # A message that is too short to become shorter is sent as it is.
    assert [flag for flag, _ in answer.messages] == [1, 0, 0]
    assert answer.head[ENCODING] == "gzip"


def test_row_30_nothing_is_ever_padded(peer, messages):
    stream = peer.open(peer.request("UnaryCall"), end=False)
    peer.data_as_allowed(stream, envelope(messages.large_request().SerializeToString()))
    answer = peer.answer(stream)
    assert len(answer.messages[0][1]) > 314_159
    assert {one.flags & PADDED for one in peer.frames if one.kind in (DATA, HEADERS)} == {0}
