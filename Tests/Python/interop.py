"""The standard test service `grpc.testing.TestService`: its messages, our programs, a foreign server.

The messages come from Debian's protos. They are kept in a pool of their own, because the package
`grpc.testing` that `protoc` would generate bears the name of grpcio's own.
"""

import concurrent.futures
import pathlib
import subprocess
import threading
import time

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from grpc_tools import protoc
from relationd import START_SECONDS, STOP_SECONDS, executable

PROTOS = pathlib.Path("/usr/share/grpc-proto")
TEST_PROTO = "grpc/testing/test.proto"
SERVICE = "grpc.testing.TestService"
ECHO_INITIAL = "x-grpc-test-echo-initial"
ECHO_TRAILING = "x-grpc-test-echo-trailing-bin"
SIZES_UP = [27182, 8, 1828, 45904]
SIZES_DOWN = [31415, 9, 2653, 58979]


class Messages:
    """The generated messages by name: `messages.SimpleRequest(response_size=5)`."""

    def __init__(self, folder):
        path = folder / "test.binpb"
        arguments = [f"-I{PROTOS}", "--include_imports", f"--descriptor_set_out={path}", TEST_PROTO]
        if protoc.main(["protoc", *arguments]) != 0:
            raise RuntimeError("protoc failed; Debian's package grpc-proto has the files")
        pool = descriptor_pool.DescriptorPool()
        for file in descriptor_pb2.FileDescriptorSet.FromString(path.read_bytes()).file:
            pool.Add(file)
        self._pool = pool
        self.service = pool.FindServiceByName(SERVICE)

    def __getattr__(self, name):
        return message_factory.GetMessageClass(
            self._pool.FindMessageTypeByName(f"grpc.testing.{name}")
        )

    def stub(self, channel, name, service=SERVICE):
        """The callable of a method of the test service."""
        method = self.service.methods_by_name[name]
        shape = (method.client_streaming, method.server_streaming)
        return getattr(channel, SHAPES[shape])(
            f"/{service}/{name}",
            request_serializer=method_class(method.input_type).SerializeToString,
            response_deserializer=method_class(method.output_type).FromString,
        )

    def payload(self, size):
        return self.Payload(body=bytes(size))

    def large_request(self, **fields):
        return self.SimpleRequest(response_size=314159, payload=self.payload(271828), **fields)


SHAPES = {
    (False, False): "unary_unary",
    (False, True): "unary_stream",
    (True, False): "stream_unary",
    (True, True): "stream_stream",
}
method_class = message_factory.GetMessageClass


class InteropServer:
    """Our server of the test service; it stops when its standard input ends."""

    def __init__(self, *arguments):
        self.process = subprocess.Popen(
            [executable("relation-interop"), *arguments],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        timer = threading.Timer(START_SECONDS, self.process.kill)
        timer.start()
        line = self.process.stdout.readline()
        timer.cancel()
        assert line.startswith("listening on "), line
        self.address = line.split()[2]
        self.port = int(self.address.rpartition(":")[2])

    def stop(self):
        """Ends its input and returns its exit status."""
        self.process.stdin.close()
        try:
            return self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise
        finally:
            self.process.stdout.close()

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        status = self.stop()
        assert kind is not None or status == 0, f"exit status {status}"


def run_case(port, case, *arguments):
    """Runs a case of our client, and returns its complaint, or an empty text."""
    done = subprocess.run(
        [executable("relation-interop-client"), "--server_port", str(port), "--test_case", case,
         *arguments],
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    return "" if done.returncode == 0 else f"{case}: {done.stdout}{done.stderr}"


class ForeignServer:
    """The test service in Google's Python server."""

    def __init__(self, messages):
        self.messages = messages
        self.server = grpc.server(concurrent.futures.ThreadPoolExecutor(8))
        names = [
            "EmptyCall", "UnaryCall", "CacheableUnaryCall", "StreamingInputCall",
            "StreamingOutputCall", "FullDuplexCall", "HalfDuplexCall",
        ]  # fmt: skip
        handlers = {}
        for name in names:
            method = messages.service.methods_by_name[name]
            make = SHAPES[method.client_streaming, method.server_streaming]
            handlers[name] = getattr(grpc, f"{make}_rpc_method_handler")(
                getattr(self, name),
                request_deserializer=method_class(method.input_type).FromString,
                response_serializer=method_class(method.output_type).SerializeToString,
            )
        handler = grpc.method_handlers_generic_handler(SERVICE, handlers)
        self.server.add_generic_rpc_handlers((handler,))
        self.port = self.server.add_insecure_port("127.0.0.1:0")
        self.server.start()

    def stop(self):
        self.server.stop(None).wait()

    def echo(self, context):
        given = dict(context.invocation_metadata())
        if ECHO_INITIAL in given:
            context.send_initial_metadata(((ECHO_INITIAL, given[ECHO_INITIAL]),))
        if ECHO_TRAILING in given:
            context.set_trailing_metadata(((ECHO_TRAILING, given[ECHO_TRAILING]),))

    def finish(self, status, context):
        if status.code:
            context.abort(CODES[status.code], status.message)

    def EmptyCall(self, request, context):
        self.echo(context)
        return request

    def UnaryCall(self, request, context):
        if request.response_compressed.value:
            context.set_compression(grpc.Compression.Gzip)
        self.echo(context)
        self.finish(request.response_status, context)
        return self.messages.SimpleResponse(payload=self.messages.payload(request.response_size))

    CacheableUnaryCall = UnaryCall

    def StreamingInputCall(self, requests, context):
        total = sum(len(request.payload.body) for request in requests)
        return self.messages.StreamingInputCallResponse(aggregated_payload_size=total)

    def answers(self, request, context):
        for wanted in request.response_parameters:
            if wanted.interval_us:
                time.sleep(wanted.interval_us / 1e6)
            if not wanted.compressed.value:
                context.disable_next_message_compression()
            yield self.messages.StreamingOutputCallResponse(
                payload=self.messages.payload(wanted.size)
            )

    def StreamingOutputCall(self, request, context):
        if any(wanted.compressed.value for wanted in request.response_parameters):
            context.set_compression(grpc.Compression.Gzip)
        yield from self.answers(request, context)

    def FullDuplexCall(self, requests, context):
        self.echo(context)
        for request in requests:
            yield from self.answers(request, context)
            self.finish(request.response_status, context)

    def HalfDuplexCall(self, requests, context):
        for request in list(requests):
            yield from self.answers(request, context)


CODES = {code.value[0]: code for code in grpc.StatusCode}
