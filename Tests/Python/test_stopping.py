"""A server that is told to stop tells those who watch its health, and waits for nobody's watch."""

import itertools

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc
from people import People
from refusals import refusal
from stubs import Relation

SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING


def test_a_watch_is_told_and_ended(start):
    server = start()
    with grpc.insecure_channel(server.address) as channel:
        health = health_pb2_grpc.HealthStub(channel)
        watch = health.Watch(
            health_pb2.HealthCheckRequest(service="relation.v1.FriendService"), timeout=20)
        assert next(watch).status == SERVING
        server.process.terminate()
        assert next(watch).status == NOT_SERVING
        try:
            next(watch)
            raise AssertionError("the watch went on")
        except grpc.RpcError as error:
            assert error.code() == grpc.StatusCode.UNAVAILABLE
            assert error.details() == "the server is stopping"
    assert server.process.wait(20) == 0


def test_imports_without_end_do_not_hold_up_a_stop(start, stubs):
    """Their time is bounded: then they are cut off, and the server ends as it should."""
    server = start()
    with grpc.insecure_channel(server.address) as channel:
        relation = Relation(stubs, channel)

        def rows(stream):
            for number in itertools.count():
                yield {"row": {"user_id": f"{stream}-{number}"}}

        answers = [relation.stream("ImportAccounts", rows(stream)) for stream in range(4)]
        for answer in answers:
            next(answer)
        server.process.terminate()
        assert server.process.wait(40) == 0


def test_an_export_that_is_not_read_to_its_end_is_told_of_the_stop(start, stubs):
    server = start()
    # A client that reads nothing ahead of what its caller takes.
    options = [("grpc.http2.lookahead_bytes", 65_536), ("grpc.http2.bdp_probe", 0)]
    with grpc.insecure_channel(server.address, options=options) as channel:
        relation = Relation(stubs, channel)
        people = People(relation)
        users = people(3000)
        people.befriend(users[0], *users[1:])
        answers = relation.start("ExportApp")(stubs.request("ExportApp", {}), timeout=60)
        next(answers)
        server.process.terminate()
        refused = refusal(lambda: answers)
        assert (refused.code, refused.domain, refused.reason) == (
            grpc.StatusCode.UNAVAILABLE, "relation.v1", "STOPPING",
        )  # fmt: skip
    assert server.process.wait(40) == 0
