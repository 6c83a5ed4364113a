"""A handler that waits for its client goes on with messages that came meanwhile: nothing else wakes
it."""

import socket
import struct

import grpc
import h2.config
import h2.connection
import h2.events
import h2.settings
from grpc_reflection.v1alpha import reflection_pb2
from people import People
from refusals import Refusal
from stubs import Relation

QUESTIONS = 200


def test_questions_that_arrive_at_once_are_all_answered(server):
    host, port = server.address.rsplit(":", 1)
    question = reflection_pb2.ServerReflectionRequest(
        file_containing_symbol="relation.v1.FriendService").SerializeToString()
    connection = h2.connection.H2Connection(h2.config.H2Configuration(header_encoding="utf-8"))
    # Room for every answer, so that only the server's own mark makes it wait.
    connection.initiate_connection()
    connection.update_settings({h2.settings.SettingCodes.INITIAL_WINDOW_SIZE: 1 << 24})
    connection.increment_flow_control_window(1 << 24)
    with socket.create_connection((host, int(port)), timeout=20) as sock:
        connection.send_headers(1, [
            (":method", "POST"), (":scheme", "http"), (":authority", server.address),
            (":path", "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo"),
            ("content-type", "application/grpc"), ("te", "trailers")])
        framed = struct.pack(">BI", 0, len(question)) + question
        connection.send_data(1, framed * QUESTIONS, end_stream=False)
        sock.sendall(connection.data_to_send())

        received = bytearray()
        answers = 0
        while answers < QUESTIONS:
            data = sock.recv(1 << 16)
            assert data, "the server closed the connection"
            for event in connection.receive_data(data):
                if isinstance(event, h2.events.DataReceived):
                    received += event.data
            sock.sendall(connection.data_to_send())
            while len(received) >= 5:
                length = struct.unpack(">BI", received[:5])[1]
                if len(received) < 5 + length:
                    break
                del received[:5 + length]
                answers += 1
    assert answers == QUESTIONS


def test_long_reads_beyond_those_that_may_wait_are_refused_with_a_time_to_come_back(start, stubs):
    # Relations that are kept in memory would be answered faster than this client asks.
    server = start("data", "--kept-memory", "0")
    # The calls are more than one connection carries at once, and more than one app may have wait.
    options = [("grpc.use_local_subchannel_pool", 1)]
    channels = [grpc.insecure_channel(server.address, options=options) for _ in range(6)]
    relation = Relation(stubs, channels[0])
    (ann,) = People(relation)(1)
    asked = {"user_id": ann, "user_ids": [f"unknown{number}" for number in range(1000)]}
    request = stubs.request("GetRelations", asked)
    calls = [
        Relation(stubs, channel).start("GetRelations").future(request, timeout=20)
        for _ in range(1000) for channel in channels
    ]  # fmt: skip
    refused = [Refusal(call) for call in calls if call.code() != grpc.StatusCode.OK]
    overloaded = [refusal for refusal in refused if refusal.reason]
    assert 0 < len(overloaded) < 6000
    for refusal in overloaded:
        stubs.answers.refusal("GetRelations", refusal)
        assert (refusal.code, refusal.reason) == (
            grpc.StatusCode.RESOURCE_EXHAUSTED, "OVERLOADED",
        )  # fmt: skip
        assert refusal.retry_seconds > 0
    # The others were answered, or waited as long as their callers wanted to.
    assert {refusal.code for refusal in refused if not refusal.reason} <= {
        grpc.StatusCode.DEADLINE_EXCEEDED
    }
    assert len(relation("GetRelations", **asked).results) == 1000
    for channel in channels:
        channel.close()
