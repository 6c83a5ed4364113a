"""The wire, frame by frame: status, trailers, metadata, streams. The numbers are those of the
rules; the tests of our own client check those of clients."""

import base64
import re

import grpc
import pytest
from google.rpc import status_pb2
from interop import ECHO_INITIAL, ECHO_TRAILING
from raw_peer import (
    CANCEL, DATA, GOAWAY, HEADERS, MAX_CONCURRENT_STREAMS, NO_ERROR, REFUSED_STREAM, STREAM_CLOSED,
    WINDOW_UPDATE, RawPeer, envelope, frame, reset,
)  # fmt: skip

DETAILS = "grpc-status-details-bin"


@pytest.fixture
def status_of(peer, messages):
    """The answer of a call that asks for a status at its end."""

    def ask(code, text=""):
        request = messages.SimpleRequest(response_status={"code": code, "message": text})
        return peer.call(peer.request("UnaryCall"), request.SerializeToString())

    return ask


# Shape of answers


def test_row_31_an_answer_is_a_head_data_and_trailers(peer):
    answer = peer.call(peer.request("EmptyCall"))
    kinds = [one.kind for one in answer.frames]
    assert kinds[0] == kinds[-1] == HEADERS and set(kinds[1:-1]) == {DATA}
    assert [one.ends for one in answer.frames] == [False] * (len(kinds) - 1) + [True]
    assert answer.head == {":status": "200", "content-type": "application/grpc"}
    assert answer.trailers == {"grpc-status": "0"}


def test_row_31_trailers_have_no_pseudo_fields(peer, messages):
    request = messages.StreamingOutputCallRequest(
        response_parameters=[{"size": 1}], response_status={"code": 9, "message": "x"}
    )
    answer = peer.call(peer.request("FullDuplexCall"), request.SerializeToString())
    assert answer.trailers == {"grpc-status": "9", "grpc-message": "x"}


@pytest.mark.parametrize("code", range(1, 17))
def test_row_31_a_call_without_answers_is_one_block(status_of, code):
    answer = status_of(code)
    assert answer.is_trailers_only
    assert answer.head == {
        ":status": "200", "content-type": "application/grpc", "grpc-status": str(code)
    }  # fmt: skip


@pytest.mark.parametrize(
    "text, sent",
    [
        ("\t\nteßt %☺.", "%09%0Ate%C3%9Ft %25%E2%98%BA."),
        (" ends ", "%20ends%20"), ("a  b", "a  b"), ("~\x7f", "~%7F"), ("%41", "%2541"),
        ("\U0001f608", "%F0%9F%98%88"),
    ],
)  # fmt: skip
def test_row_32_messages_are_percent_encoded(status_of, text, sent):
    assert status_of(2, text).message == sent


def test_row_32_the_length_of_messages_is_bounded(status_of):
    answer = status_of(2, "☺" * 4000)
    assert re.fullmatch(r"(%E2%98%BA){300,400}", answer.message)


@pytest.fixture(scope="module")
def refusing(start_once, stubs):
    """A peer of the real service, whose errors have details."""
    with RawPeer(start_once.port) as peer:
        yield peer


@pytest.fixture(scope="module")
def start_once(server):
    return server


def test_row_33_details_have_the_code_of_the_status_and_no_padding(refusing):
    answer = refusing.call(refusing.request("/relation.v1.FriendService/ListFriends"))
    details = answer.head[DETAILS]
    assert "=" not in details
    status = status_pb2.Status.FromString(base64.b64decode(details + "=" * (-len(details) % 4)))
    assert (str(status.code), answer.code) == ("3", "3")
    assert status.details


def test_row_33_details_are_dropped_and_not_the_status_if_the_peer_takes_no_more(server):
    with RawPeer(server.port, max_header_list_size=200) as peer:
        answer = peer.call(peer.request("/relation.v1.FriendService/ListFriends"))
        assert answer.code == "3"
        assert DETAILS not in answer.head


# Metadata of answers


@pytest.mark.parametrize("raw", [b"", b"\0", b"\xab" * 3, bytes(range(256))])
def test_row_34_bytes_go_out_without_padding(peer, raw):
    sent = base64.b64encode(raw).decode()
    answer = peer.call(peer.request("EmptyCall", **{ECHO_TRAILING: sent}))
    assert answer.trailers[ECHO_TRAILING] == sent.rstrip("=")


def test_row_36_metadata_comes_early_where_the_call_asks_for_it(peer):
    stream = peer.open(peer.request("FullDuplexCall", **{ECHO_INITIAL: "now"}), end=False)
    head = peer.until(lambda one: one.stream == stream)
    assert dict(head.fields)[ECHO_INITIAL] == "now" and not head.ends
    peer.data(stream, b"", end=True)
    assert peer.answer(stream).code == "0"


def test_row_36_metadata_comes_with_the_status_at_the_latest(peer):
    stream = peer.open(peer.request("StreamingInputCall"), end=False)
    peer.round_trip()
    assert peer.of(stream).frames == []
    peer.data(stream, b"", end=True)
    assert peer.answer(stream).code == "0"


# Ends of streams


def test_row_38_after_an_early_end_late_data_costs_no_window(peer):
    # Several times the window of the connection, all of it on streams that have ended.
    for _ in range(60):
        stream = peer.open(peer.request("UnaryCall"), envelope(b"", flag=7), end=False)
        assert peer.answer(stream).code == "13"
        peer.data(stream, bytes(128 * 1024))
        assert peer.await_reset(stream) == NO_ERROR
        peer.send(reset(stream, NO_ERROR))
    paid = sum(
        one.number for one in peer.frames if one.kind == WINDOW_UPDATE and one.stream == 0
    )
    assert paid > 6 * 1024 * 1024
    peer.assert_alive()


def test_row_39_a_client_that_has_ended_its_side_is_still_answered(peer, messages):
    parameters = [{"size": 10, "interval_us": 1000}] * 10
    request = messages.StreamingOutputCallRequest(response_parameters=parameters)
    answer = peer.call(peer.request("StreamingOutputCall"), request.SerializeToString())
    assert (answer.code, len(answer.messages)) == ("0", 10)


def test_row_39_data_after_the_end_is_an_error_of_the_stream_or_worse(peer):
    stream = peer.open(peer.request("StreamingOutputCall"), end=False)
    forever = bytes([0x12, 5, 8, 1, 16, 0x80, 0x7F]) + b"\x12\x06\x08\x01\x10\x80\x80\x7f"
    peer.data(stream, envelope(forever), end=True)
    peer.data(stream, b"more")
    ended = peer.until(
        lambda one: one.kind == GOAWAY or one.stream == stream and one.kind == 3
    )
    assert ended.code == STREAM_CLOSED


def test_row_40_nothing_is_sent_on_a_stream_that_was_reset(peer, messages):
    for interval in (0, 1000):
        parameters = [{"size": 1000, "interval_us": interval}] * 100
        request = messages.StreamingOutputCallRequest(response_parameters=parameters)
        stream = peer.open(
            peer.request("StreamingOutputCall"), envelope(request.SerializeToString())
        )
        peer.send(reset(stream, CANCEL))
        peer.round_trip()
        peer.assert_alive()
        count = len(peer.of(stream).frames)
        peer.assert_alive()
        assert len(peer.of(stream).frames) == count
        assert peer.of(stream).reset is None


def test_row_44_as_many_streams_as_announced_and_one_more_is_refused(peer):
    peer.assert_alive()
    limit = peer.settings[MAX_CONCURRENT_STREAMS]
    assert limit == 1024
    fields = peer.request("FullDuplexCall")
    streams = [peer.open(fields, end=False) for _ in range(limit)]
    peer.round_trip()
    assert not [one for one in peer.frames if one.kind == 3]
    extra = peer.open(fields, end=False)
    assert peer.await_reset(extra) == REFUSED_STREAM
    # A stream that ends makes room for another.
    peer.data(streams[0], b"", end=True)
    assert peer.answer(streams[0]).code == "0"
    peer.assert_alive()
    assert peer.of(streams[1]).frames == []


def test_row_44_excess_before_our_settings_are_acknowledged_is_no_error_of_the_connection(ours):
    with RawPeer(ours.port) as peer:
        # Nothing was read, so nothing is acknowledged.
        fields = peer.request("FullDuplexCall")
        streams = [peer.open(fields, end=False) for _ in range(1030)]
        for stream in streams[1024:]:
            assert peer.await_reset(stream) == REFUSED_STREAM
        for stream in streams[:1024]:
            peer.send(frame(DATA, 1, stream))
        assert peer.answer(streams[1023]).code == "0"
        peer.assert_alive()


def test_row_37_an_error_says_nothing_of_the_inside(peer):
    answer = peer.call(peer.request("UnaryCall"), b"\xff")
    assert answer.code == "13"
    for word in ("swift", "Sources", "0x", "nil", "Error", "/work"):
        assert word not in answer.message


def test_row_35_names_in_answers_are_lower_case_and_none_of_ours_twice(peer, status_of):
    fields = peer.request("EmptyCall", **{ECHO_INITIAL: "a", ECHO_TRAILING: "AQ"})
    for answer in (peer.call(fields), status_of(5, "x")):
        for block in answer.blocks:
            names = [name for name, _ in block]
            assert len(names) == len(set(names))
            assert all(re.fullmatch(r":status|[0-9a-z_.-]+", name) for name in names)


def test_grpcio_agrees_on_what_a_status_is(ours, messages):
    with grpc.insecure_channel(ours.address) as channel:
        request = messages.SimpleRequest(response_status={"code": 8, "message": " a%☺ "})
        with pytest.raises(grpc.RpcError) as caught:
            messages.stub(channel, "UnaryCall")(request, timeout=20)
        assert caught.value.code() == grpc.StatusCode.RESOURCE_EXHAUSTED
        assert caught.value.details() == " a%☺ "
