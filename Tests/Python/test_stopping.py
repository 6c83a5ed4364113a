"""A server that is told to stop tells those who watch its health, and waits for nobody's watch."""

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

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
