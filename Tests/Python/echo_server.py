"""A gRPC server that answers each request with its own bytes: the peer of the flood's own tests.

Its methods are `/echo.Echo/Say`, which answers, and `/echo.Echo/Refuse`, which aborts.
"""

import signal
import sys
from concurrent import futures

import grpc


def refuse(_request, context):
    context.abort(grpc.StatusCode.FAILED_PRECONDITION, "refused")


class Echo(grpc.GenericRpcHandler):
    def service(self, details):
        if details.method == "/echo.Echo/Say":
            return grpc.unary_unary_rpc_method_handler(lambda request, _context: request)
        if details.method == "/echo.Echo/Refuse":
            return grpc.unary_unary_rpc_method_handler(refuse)
        return None


def main():
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=2), handlers=(Echo(),))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    signal.signal(signal.SIGTERM, lambda *_: server.stop(grace=1))
    print(f"listening on 127.0.0.1:{port}", flush=True)
    server.wait_for_termination()
    sys.exit(0)


if __name__ == "__main__":
    main()
