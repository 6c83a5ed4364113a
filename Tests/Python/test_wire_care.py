"""The wire, frame by frame: upkeep of connections, and abuse. The numbers are those of the rules.

Rules that need time to pass are tested in Swift, on a clock that tests drive.
"""

import concurrent.futures
import os
import resource
import socket
import struct

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from interop import InteropServer
from raw_peer import (
    ACK, COMPRESSION_ERROR, CONTINUATION, DATA, END_HEADERS, END_STREAM, ENHANCE_YOUR_CALM,
    FLOW_CONTROL_ERROR, GOAWAY, HEADERS, INITIAL_WINDOW_SIZE, MAX_HEADER_LIST_SIZE, NO_ERROR, PING,
    PREFACE, PRIORITY, PROTOCOL_ERROR, PUSH_PROMISE, RST_STREAM, SETTINGS, WINDOW_UPDATE, RawPeer,
    envelope, frame, integer, literal, ping, reset, settings, window_update,
)  # fmt: skip


def output(messages, size, count=1):
    request = messages.StreamingOutputCallRequest(response_parameters=[{"size": size}] * count)
    return envelope(request.SerializeToString())


def flood(peer, one, count, at_once=100):
    """Sends a frame over and over until the server ends the connection; returns its GOAWAY."""
    for _ in range(0, count, at_once):
        if peer.is_closed:
            break
        peer.send(one * at_once)
    return peer.goaway()


# Stopping


def test_row_45_a_stop_announces_itself_lets_calls_finish_and_closes(messages):
    server = InteropServer("--port", "0")
    with RawPeer(server.port) as peer:
        peer.assert_alive()
        running = peer.open(peer.request("FullDuplexCall"), end=False)
        peer.round_trip()
        server.process.stdin.write("stop\n")
        server.process.stdin.flush()
        first = peer.until(lambda one: one.kind == GOAWAY)
        assert (first.last_stream, first.code) == ((1 << 31) - 1, NO_ERROR)
        asked = peer.until(lambda one: one.kind == PING and not one.flags & ACK)
        # A call that crosses the announcement is still taken.
        crossing = peer.open(peer.request("EmptyCall"), envelope(b""))
        assert peer.answer(crossing).code == "0"
        peer.send(frame(PING, ACK, payload=asked.payload))
        second = peer.until(lambda one: one.kind == GOAWAY and one is not first)
        assert (second.last_stream, second.code) == (crossing, NO_ERROR)
        late = peer.open(peer.request("EmptyCall"), envelope(b""))
        peer.data(running, output(messages, 5), end=True)
        assert peer.answer(running).code == "0"
        assert peer.goaway() is second
        assert peer.of(late).frames == []
    assert server.stop() == 0


# Pings


def test_row_46_pings_are_answered_and_too_many_end_the_connection(ours, others):
    with RawPeer(ours.port) as peer:
        peer.send(*(ping(number) for number in range(3)))
        for number in range(3):
            payload = struct.pack(">Q", number)
            assert peer.until(lambda one: one.kind == PING and one.payload == payload).flags == ACK
        assert not [one for one in peer.frames if one.kind == GOAWAY]
        peer.send(ping(3), ping(4))
        last = peer.goaway()
        assert (last.code, last.debug) == (ENHANCE_YOUR_CALM, "too_many_pings")


def test_row_46_pings_between_answers_are_no_violation(peer):
    for number in range(20):
        peer.assert_alive()
        peer.round_trip(number)


# Resets and header blocks


def test_row_48_a_rapid_reset_ends_the_connection(ours, others):
    with RawPeer(ours.port) as peer:
        fields = [literal(name, value) for name, value in peer.request("UnaryCall")]
        block = b"".join(fields)
        count = 0
        while not peer.is_closed and count < 20_000:
            frames = b""
            for _ in range(100):
                stream = peer.new_stream()
                frames += peer.headers(stream, None, block=block) + reset(stream)
            peer.send(frames)
            count += 100
        last = peer.goaway()
        assert last is None or last.code == ENHANCE_YOUR_CALM
        assert count < 20_000


def test_row_49_a_flood_of_continuations_ends_the_connection(ours, others):
    for block in (b"", literal("a", "b"), literal("a", "b" * 10_000)):
        with RawPeer(ours.port) as peer:
            start = b"".join(literal(n, v) for n, v in peer.request("UnaryCall"))
            peer.send(frame(HEADERS, 0, 1, start))
            last = flood(peer, frame(CONTINUATION, 0, 1, block), 10_000)
            assert last is None or last.code == ENHANCE_YOUR_CALM


def test_row_50_a_large_head_is_refused_alone_and_the_tables_stay_in_step(peer):
    peer.assert_alive()
    limit = peer.settings[MAX_HEADER_LIST_SIZE]
    assert limit == 16 * 1024
    for size in (9_000, 15_000):
        assert peer.call(peer.request("UnaryCall") + [("x-large", "x" * size)]).code == "0"
    # In two fields, so that the block fits in frames; `hpack` puts them into its table.
    large = peer.request("EmptyCall") + [("x-one", "1" * 9_000), ("x-two", "2" * 9_000)]
    block = peer.encoder.encode(large)
    stream = peer.new_stream()
    parts = [block[start : start + 16_000] for start in range(0, len(block), 16_000)]
    kinds = [HEADERS] + [CONTINUATION] * (len(parts) - 1)
    for number, (kind, part) in enumerate(zip(kinds, parts)):
        flags = (END_STREAM if number == 0 else 0) | (
            END_HEADERS if number == len(parts) - 1 else 0
        )
        peer.send(frame(kind, flags, stream, part))
    answer = peer.answer(stream)
    assert answer.is_trailers_only and answer.code == "8"
    for _ in range(3):
        # References to what the large block has put into the table.
        assert peer.call(peer.request("EmptyCall") + [("x-small", "s")]).code == "0"


def test_row_51_a_bomb_of_references_ends_the_connection(ours, others):
    with RawPeer(ours.port) as peer:
        block = b"".join(literal(n, v) for n, v in peer.request("UnaryCall"))
        # A field of 3,000 bytes enters the table, and is then repeated by one byte each.
        block += b"\x40" + integer(1, 7) + b"a" + integer(3_000, 7) + b"x" * 3_000
        peer.send(peer.headers(1, None, block=block + bytes([0x80 | 62]) * 8_000))
        assert peer.goaway().code == ENHANCE_YOUR_CALM


@pytest.mark.parametrize(
    "block",
    [
        bytes([0x80]), integer(500, 7, 0x80), integer(1 << 40, 7, 0x80), b"\xff" * 12,
        integer(4_097, 5, 0x20), integer(1 << 30, 5, 0x20), bytes([0x82, 0x20]),
        b"\x40\x05ab", b"\x40\x81\xff\x01x", b"\x00\x84\xff\xff\xff\xff\x00",
    ],
)  # fmt: skip
def test_row_51_a_wrong_index_or_size_ends_the_connection(ours, others, block):
    with RawPeer(ours.port) as peer:
        peer.send(peer.headers(1, None, block=block, end=True))
        assert peer.goaway().code == COMPRESSION_ERROR


# Flow control


def test_row_52_windows_open_by_consumption(peer, messages):
    peer.round_trip()
    window = peer.settings[INITIAL_WINDOW_SIZE]
    # The server reads no more requests while its answers wait: our window for the stream is shut.
    peer.send(settings(initial_window_size=0))
    stream = peer.open(peer.request("FullDuplexCall"), end=False)
    question = output(messages, 200_000)
    peer.data(stream, question * (window // len(question)))
    peer.round_trip()
    paid = [one for one in peer.frames if one.kind == WINDOW_UPDATE and one.stream == stream]
    assert sum(one.number for one in paid) < window // 2
    # The server goes on when its answers are read.
    peer.send(window_update(stream, (1 << 31) - 1))
    peer.until(lambda one: one.stream == stream and one.kind == DATA)


def test_row_52_a_stalled_stream_stalls_no_other(ours, messages):
    with RawPeer(ours.port, initial_window_size=0) as peer:
        stalled = peer.open(
            peer.request("StreamingOutputCall"), output(messages, 100_000, 100)
        )
        sender = peer.open(peer.request("UnaryCall"), b"\0\0\1\0\0", end=False)
        other = peer.open(peer.request("EmptyCall"), envelope(b""))
        peer.send(window_update(other, 1000))
        assert peer.answer(other).code == "0"
        assert peer.of(stalled).body == b"" and peer.of(sender).frames == []


@pytest.mark.parametrize("stream", ["connection", "stream"])
def test_row_52_a_window_beyond_its_largest_is_an_error(ours, others, stream):
    with RawPeer(ours.port) as peer:
        opened = peer.open(peer.request("FullDuplexCall"), end=False)
        peer.send(*[window_update(opened if stream == "stream" else 0, (1 << 31) - 1)] * 2)
        if stream == "stream":
            assert peer.await_reset(opened) == FLOW_CONTROL_ERROR
            peer.assert_alive()
        else:
            assert peer.goaway().code == FLOW_CONTROL_ERROR


def test_row_52_more_than_the_window_is_an_error(ours, others, messages):
    with RawPeer(ours.port, initial_window_size=0) as peer:
        # The handler waits until its answers are read, and so takes nothing.
        stream = peer.open(peer.request("FullDuplexCall"), output(messages, 200_000), end=False)
        peer.round_trip()
        peer.data(stream, output(messages, 200_000) + bytes(600 * 1024))
        ended = peer.until(
            lambda one: one.kind == GOAWAY or one.kind == RST_STREAM and one.stream == stream
        )
        assert ended.code == FLOW_CONTROL_ERROR


# Floods


@pytest.mark.parametrize(
    "one",
    [
        settings(), settings(initial_window_size=5), ping(), frame(PRIORITY, 0, 1, b"\0\0\0\0\x10"),
        frame(DATA, 0, 1), frame(SETTINGS, payload=struct.pack(">HI", 9, 1) * 33),
    ],
    ids=["settings", "window settings", "ping", "priority", "empty data", "many settings"],
)  # fmt: skip
def test_row_54_a_flood_ends_the_connection(ours, others, one):
    with RawPeer(ours.port) as peer:
        peer.open(peer.request("StreamingInputCall"), end=False)
        last = flood(peer, one, 100_000)
        assert last is None or last.code == ENHANCE_YOUR_CALM


def test_row_54_answers_that_are_not_read_are_not_kept_for_ever(ours, others):
    with RawPeer(ours.port) as peer:
        peer.socket.settimeout(20)
        # Each is harmless, and the client reads none of the answers.
        peer.assert_alive()
        for _ in range(2_000):
            if peer.is_closed:
                break
            stream = peer.new_stream()
            fields = peer.headers(stream, peer.request("EmptyCall"))
            peer.send(fields + frame(DATA, END_STREAM, stream, envelope(b"")) + ping() * 50)
        last = peer.goaway()
        assert last is None or last.code == ENHANCE_YOUR_CALM


# The beginning


@pytest.mark.parametrize(
    "start", [b"PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n", b"PRI * HTTP/1.1\r\n\r\n", b"\x16\x03\x01\0\xc8"]
)
def test_row_55_a_wrong_preface_ends_the_connection(ours, others, start):
    with RawPeer(ours.port, preface=start) as peer:
        while data := peer.socket.recv(4096):
            assert not data.startswith(b"HTTP/1.1 200")


def test_row_55_a_preface_may_come_in_single_bytes(ours):
    with RawPeer(ours.port, preface=b"") as peer:
        for byte in PREFACE + settings():
            peer.send(bytes([byte]))
        peer.assert_alive()


def test_row_55_the_server_outlives_a_lack_of_file_descriptors():
    server = InteropServer("--port", "0")
    with server, RawPeer(server.port) as first:
        first.assert_alive()
        pid = server.process.pid
        used = max(int(name) for name in descriptors(pid))
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (used + 8, used + 8))
        crowd = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(40)]
        first.assert_alive()
        for client in crowd:
            client.close()
        # A new client is served as soon as there is room.
        with RawPeer(server.port) as late:
            late.assert_alive()
        first.assert_alive()


def descriptors(pid):
    return os.listdir(f"/proc/{pid}/fd")


def test_row_56_a_smaller_window_amid_an_answer_is_borne(ours, messages):
    with RawPeer(ours.port, initial_window_size=60_000) as peer:
        stream = peer.open(peer.request("StreamingOutputCall"), output(messages, 300_000))
        while len(peer.of(stream).body) < 60_000:
            peer.read()
        # The window is now 50,000 below zero.
        peer.send(settings(initial_window_size=10_000))
        peer.round_trip()
        peer.send(window_update(stream, 50_000))
        peer.round_trip()
        assert len(peer.of(stream).body) == 60_000
        peer.send(window_update(stream, 1))
        while len(peer.of(stream).body) < 60_001:
            peer.read()
        peer.assert_alive()
        assert len(peer.of(stream).body) == 60_001
        peer.send(settings(initial_window_size=400_000))
        assert peer.answer(stream).code == "0"


# Forbidden and unknown frames


def test_row_57_a_push_from_a_client_is_an_error(ours, others):
    with RawPeer(ours.port) as peer:
        peer.open(peer.request("FullDuplexCall"), end=False)
        block = struct.pack(">I", 2) + b"".join(literal(n, v) for n, v in peer.request())
        peer.send(frame(PUSH_PROMISE, END_HEADERS, 1, block))
        assert peer.goaway().code == PROTOCOL_ERROR


def test_row_57_unknown_frames_and_settings_are_passed_over(peer):
    peer.send(frame(0x42, 0xFF, 0, b"abc"), frame(0x42, 0xFF, 77), frame(0xFF, 0, 1, bytes(100)))
    peer.send(frame(SETTINGS, payload=struct.pack(">HI", 0x0A0A, 1)))
    peer.send(frame(SETTINGS, payload=struct.pack(">HI", 2, 0)))
    stream = peer.open(peer.request("EmptyCall"), end=False)
    peer.send(frame(0x42, 1, stream, b"abc"))
    peer.data(stream, envelope(b""), end=True)
    assert peer.answer(stream).code == "0"


def test_row_58_http_1_is_answered_on_this_port(ours):
    head = b"GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"
    with RawPeer(ours.port, preface=head) as peer:
        text = b""
        while data := peer.socket.recv(4096):
            text += data
    assert text.startswith(b"HTTP/1.1 405 ")


def test_row_59_health_is_served_by_the_same_rules(ours, peer):
    answer = peer.call(peer.request("/grpc.health.v1.Health/Check"))
    assert (answer.code, answer.messages) == ("0", [(0, b"\x08\x01")])
    unknown = health_pb2.HealthCheckRequest(service="no.such").SerializeToString()
    assert peer.call(peer.request("/grpc.health.v1.Health/Check"), unknown).code == "5"
    stream = peer.open(peer.request("/grpc.health.v1.Health/Watch"), envelope(unknown))
    peer.until(lambda one: one.stream == stream and one.kind == DATA)
    peer.round_trip()
    watched = peer.of(stream)
    assert (watched.messages, watched.code) == ([(0, b"\x08\x03")], None)
    with grpc.insecure_channel(ours.address) as channel:
        stub = health_pb2_grpc.HealthStub(channel)
        assert stub.Check(health_pb2.HealthCheckRequest(), timeout=20).status == 1


def test_a_plain_page_is_served_for_suites_of_http_2(peer):
    answer = peer.call([
        (":method", "GET"), (":scheme", "http"), (":path", "/h2spec"), (":authority", "x")
    ], body=b"")  # fmt: skip
    assert answer.http == "200" and len(answer.body) == 16
    assert answer.frames[-1].ends


def test_after_all_this_nothing_is_left_open(ours):
    """The other tests of this file have cost the server no descriptor."""
    before = len(descriptors(ours.process.pid))

    def one(_):
        with RawPeer(ours.port) as peer:
            peer.open(peer.request("FullDuplexCall"), end=False)
            peer.assert_alive()
            peer.leave()

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(one, range(100)))
    assert len(descriptors(ours.process.pid)) <= before
