"""The wire, frame by frame: heads of requests, and deadlines. The numbers are those of the rules."""

import json

import pytest
from interop import ECHO_INITIAL, ECHO_TRAILING
from raw_peer import HEADERS, NO_ERROR, PROTOCOL_ERROR, RawPeer, envelope, literal


def assert_refused(answer, code, http="200"):
    """Checks that the answer is one block of fields that ends the stream, and at most a reset after
    it."""
    assert answer.is_trailers_only
    assert (answer.http, answer.code) == (http, code), answer.head
    assert answer.head["content-type"] == "application/grpc"
    assert answer.body == b"" and len(answer.blocks) == 1


# Content types and methods


@pytest.mark.parametrize("kind", [None, "text/html", "application/grpcx", "application/xml", ""])
def test_row_01_another_content_type_is_415(peer, kind):
    assert_refused(peer.call(peer.request(**{"content-type": kind})), "3", http="415")
    peer.assert_alive()


@pytest.mark.parametrize(
    "kind",
    ["application/grpc", "application/grpc+proto", "application/grpc;charset=utf-8",
     "application/grpc+proto;a=b", "Application/gRPC", "APPLICATION/GRPC+PROTO"],
)  # fmt: skip
def test_row_02_content_types_of_grpc_are_taken(peer, kind):
    answer = peer.call(peer.request(**{"content-type": kind}))
    assert (answer.http, answer.code) == ("200", "0")
    assert answer.head["content-type"] in ("application/grpc", "application/grpc+proto")


@pytest.mark.parametrize("kind", ["application/grpc+thrift", "application/grpc+xml"])
def test_row_03_a_format_without_a_codec_is_unimplemented(peer, kind):
    assert_refused(peer.call(peer.request(**{"content-type": kind})), "12")


def test_row_03_json_is_served_where_a_method_has_it(server):
    with RawPeer(server.port) as peer:
        fields = {"content-type": "application/grpc+json"}
        path = "/relation.v1.AppService/ListApps"
        answer = peer.call(peer.request(path, **fields), b'{"pageSize":5}')
        assert (answer.code, answer.head["content-type"]) == ("0", "application/grpc+json")
        assert json.loads(answer.messages[0][1])["apps"]


@pytest.mark.parametrize("method", ["GET", "PUT", "OPTIONS", "post"])
def test_row_04_only_post_is_allowed(peer, method):
    answer = peer.call(peer.request(**{":method": method}))
    assert_refused(answer, "13", http="405")
    assert answer.head["allow"] == "POST"


def test_row_05_te_may_be_missing(peer):
    assert peer.call(peer.request(te=None)).code == "0"


@pytest.mark.parametrize(
    "path", ["/grpc.testing.TestService/No", "/no.Service/UnaryCall", "/foo", "//", "/"]
)
def test_row_06_what_is_not_there_is_unimplemented_before_any_body_comes(peer, path):
    assert_refused(peer.call(peer.request(path)), "12")
    stream = peer.open(peer.request(path), end=False)
    assert_refused(peer.answer(stream), "12")
    assert peer.await_reset(stream) == NO_ERROR


# Malformed heads

GOOD = [
    (":method", "POST"), (":scheme", "http"), (":path", "/grpc.testing.TestService/EmptyCall"),
    (":authority", "x"), ("te", "trailers"), ("content-type", "application/grpc"),
]  # fmt: skip


def without(name):
    return [field for field in GOOD if field[0] != name]


@pytest.mark.parametrize(
    "fields",
    [
        without(":method"), without(":scheme"), without(":path"), without(":path") + [(":path", "")],
        [GOOD[2], *GOOD], [GOOD[0], *GOOD], [(":nothing", "x"), *GOOD], [(":status", "200"), *GOOD],
        GOOD + [(":path", "/late")], GOOD + [("Upper", "x")], GOOD + [("connection", "close")],
        GOOD + [("transfer-encoding", "chunked")], GOOD + [("keep-alive", "x")],
        GOOD + [("proxy-connection", "x")], GOOD + [("upgrade", "h2c")],
        without("te") + [("te", "gzip")], GOOD + [("a b", "x")], GOOD + [("", "x")],
        GOOD + [("x", "a\nb")], GOOD + [("x", "a\0b")], GOOD + [("x", "a\rb")],
        GOOD + [("content-length", "5")],
    ],
)  # fmt: skip
def test_row_07_a_malformed_head_ends_its_stream_alone(peer, fields):
    block = b"".join(literal(name, value) for name, value in fields)
    stream = peer.new_stream()
    peer.send(peer.headers(stream, None, block=block, end=True))
    answer = peer.answer(stream)
    assert answer.reset == PROTOCOL_ERROR
    assert answer.blocks == []
    peer.assert_alive()


def test_row_08_host_may_stand_for_authority(peer):
    fields = peer.request(**{":authority": None, "host": "somewhere"})
    assert peer.call(fields).code == "0"


# Metadata


def test_row_09_reserved_fields_that_are_unknown_are_passed_over(peer):
    fields = peer.request(**{"grpc-unknown": "x", "grpc-previous-rpc-attempts": "2"})
    answer = peer.call(fields)
    assert answer.code == "0"
    assert not [name for block in answer.blocks for name, _ in block if "unknown" in name]


@pytest.mark.parametrize("value", [b"caf\xc3\xa9", b"\xff", b"a\x7fb", b"a\x01b"])
def test_row_10_text_that_is_not_printable_is_refused_and_not_sent_back(peer, value):
    block = b"".join(literal(name, text) for name, text in GOOD) + literal(ECHO_INITIAL, value)
    stream = peer.new_stream()
    peer.send(peer.headers(stream, None, block=block))
    peer.data(stream, envelope(b""), end=True)
    answer = peer.answer(stream)
    # Metadata that HTTP itself forbids does not reach gRPC.
    if answer.reset is None:
        assert_refused(answer, "13")
    else:
        assert answer.reset == PROTOCOL_ERROR and value[1] in (1, 0x7F)
    assert all(value not in one.payload for one in answer.frames)
    peer.assert_alive()


# Deadlines


@pytest.mark.parametrize(
    "timeout", ["1H", "1M", "20S", "20000m", "20000000u", "99999999n", "00000020S", "99999999H"]
)
def test_row_11_every_unit_is_known_and_the_longest_time_does_not_overflow(peer, timeout):
    assert peer.call(peer.request(**{"grpc-timeout": timeout})).code == "0"


@pytest.mark.parametrize(
    "timeout", ["", "10", "S", "1s", "1h", "+1S", "-1S", "1.5S", "123456789S", "1 S", "1SS", "0x1S"]
)
def test_row_12_a_malformed_time_is_refused(peer, timeout):
    assert_refused(peer.call(peer.request(**{"grpc-timeout": timeout})), "13")


@pytest.mark.parametrize("timeout", ["0n", "0H", "00000000S"])
def test_row_13_no_time_at_all_is_over_before_the_call_begins(peer, timeout):
    stream = peer.open(peer.request("FullDuplexCall", **{"grpc-timeout": timeout}), end=False)
    assert_refused(peer.answer(stream), "4")


def test_row_14_a_call_that_runs_ends_with_its_time(peer):
    fields = peer.request("FullDuplexCall", **{"grpc-timeout": "20m", ECHO_INITIAL: "early"})
    stream = peer.open(fields, end=False)
    answer = peer.answer(stream)
    assert answer.head[ECHO_INITIAL] == "early"
    assert answer.trailers["grpc-status"] == "4"
    assert peer.await_reset(stream) == NO_ERROR


def test_row_14_nothing_comes_after_the_end(peer, messages):
    request = messages.StreamingOutputCallRequest(
        response_parameters=[{"size": 10}, {"size": 10, "interval_us": 60_000_000}]
    )
    fields = peer.request("StreamingOutputCall", **{"grpc-timeout": "300m"})
    answer = peer.call(fields, request.SerializeToString())
    assert answer.code == "4"
    assert len(answer.messages) == 1
    count = len(answer.frames)
    peer.assert_alive()
    # The client had ended its side, so there is nothing to reset.
    assert len(peer.of(answer.frames[0].stream).frames) == count


def test_row_15_time_runs_from_the_head_on(peer):
    # The request itself comes after its deadline, so nothing of it runs.
    stream = peer.open(peer.request("UnaryCall", **{"grpc-timeout": "30m"}), end=False)
    answer = peer.answer(stream)
    assert_refused(answer, "4")
    peer.data(stream, envelope(b""), end=True)
    peer.assert_alive()
    assert peer.of(stream).body == b""


# Metadata of bytes


@pytest.mark.parametrize("value", ["q6ur", "AQ==", "AQ", "", "AQ==,AgM=", "AQ,AgM", " AQ , AgM "])
def test_row_34_bytes_come_with_padding_and_without_and_in_lists(peer, value):
    answer = peer.call(peer.request("EmptyCall", **{ECHO_TRAILING: value}))
    assert answer.code == "0"
    first = value.split(",")[0].strip().rstrip("=")
    assert answer.trailers[ECHO_TRAILING] == first


def test_row_34_a_name_may_come_more_than_once(peer):
    fields = peer.request("EmptyCall") + [(ECHO_TRAILING, "AQ"), (ECHO_TRAILING, "Ag")]
    answer = peer.call(fields)
    assert (answer.code, answer.trailers[ECHO_TRAILING]) == ("0", "AQ")


@pytest.mark.parametrize("value", ["A", "%%", "AQ=", "A===", "A-_A", "AQ==,A", "é"])
def test_row_34_what_is_no_base64_is_refused(peer, value):
    block = b"".join(literal(name, text) for name, text in GOOD) + literal(ECHO_TRAILING, value)
    stream = peer.new_stream()
    peer.send(peer.headers(stream, None, block=block, end=True))
    assert_refused(peer.answer(stream), "13")


# A word before the body


def heads(answer):
    """The statuses of the heads of an answer, in their order."""
    return [dict(one.fields).get(":status") for one in answer.frames if one.kind == HEADERS]


@pytest.mark.parametrize("kind", ["application/grpc", "application/proto"])
def test_row_85_who_asks_whether_to_send_is_told_to(peer, kind):
    body = envelope(b"") if kind == "application/grpc" else b""
    for _ in range(3):
        fields = peer.request(**{"content-type": kind, "expect": "100-continue"})
        stream = peer.open(fields, end=False)
        first = peer.until(lambda one: one.stream == stream and one.kind == HEADERS)
        assert first.fields == [(":status", "100")] and not first.ends
        peer.data(stream, body, end=True)
        answer = peer.answer(stream)
        wanted = ["100", "200", None] if kind == "application/grpc" else ["100", "200"]
        assert heads(answer) == wanted, answer.frames
        # Answers to others have the heads that they always have.
        plain = peer.call(peer.request())
        assert heads(plain) == ["200", None] and plain.code == "0"


def test_row_85_who_is_refused_is_not_told_to_send(peer):
    for changes in ({"content-type": "text/html"}, {"grpc-timeout": "0S"}, {":method": "PUT"}):
        stream = peer.open(peer.request(expect="100-continue", **changes), end=False)
        assert len(heads(peer.answer(stream))) == 1
    # Nor is one who has sent its request.
    answer = peer.call(peer.request(expect="100-Continue"))
    assert heads(answer) in (["200", None], ["100", "200", None])
    last = [one for one in answer.frames if one.kind == HEADERS][-1]
    assert dict(last.fields)["grpc-status"] == "0"
    assert peer.call(peer.request(expect="something else")).code == "0"
    peer.assert_alive()
