"""A collector of spans, made of OpenTelemetry's own messages, that answers as a test says."""

import threading
import time
from concurrent import futures

import grpc
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2, trace_service_pb2_grpc

PATIENCE = 30


def attributes(owner):
    """The attributes of a span or of a resource."""
    values = {}
    for entry in owner.attributes:
        kind = entry.value.WhichOneof("value")
        assert entry.key not in values
        values[entry.key] = getattr(entry.value, kind)
    return values


class Collector(trace_service_pb2_grpc.TraceServiceServicer):
    """Listens at `address` as a context manager, and keeps the spans that come.

    `refusal` is the code with which messages are refused; `rejects` says how many spans of a
    message it does not take; while `gate` is not set, no message is answered.
    """

    def __init__(self, port=0, credentials=None):
        self.requests, self.metadata = [], []
        self.refusal, self.rejects = None, 0
        self.gate = threading.Event()
        self.gate.set()
        self._server = grpc.server(
            futures.ThreadPoolExecutor(4), options=[("grpc.so_reuseport", 0)])
        trace_service_pb2_grpc.add_TraceServiceServicer_to_server(self, self._server)
        address = f"127.0.0.1:{port}"
        self.port = (
            self._server.add_secure_port(address, credentials)
            if credentials else self._server.add_insecure_port(address)
        )  # fmt: skip
        self.url = f"http{'s' if credentials else ''}://127.0.0.1:{self.port}"

    def Export(self, request, context):
        self.metadata.append(dict(context.invocation_metadata()))
        self.gate.wait(PATIENCE)
        if self.refusal:
            context.abort(self.refusal, "refused by the test")
        self.requests.append(request)
        answer = trace_service_pb2.ExportTraceServiceResponse()
        answer.partial_success.rejected_spans = self.rejects
        return answer

    def __enter__(self):
        self._server.start()
        return self

    def __exit__(self, *_):
        self.gate.set()
        self._server.stop(None).wait()

    @property
    def spans(self):
        return [
            span for request in list(self.requests) for resource in request.resource_spans
            for scope in resource.scope_spans for span in scope.spans
        ]  # fmt: skip

    @property
    def calls(self):
        """The spans of calls, in the order in which they came."""
        return [span for span in self.spans if span.kind == span.SPAN_KIND_SERVER]

    def await_calls(self, count):
        """The spans of calls, once there are so many."""
        end = time.monotonic() + PATIENCE
        while len(found := self.calls) < count:
            assert time.monotonic() < end, f"{len(found)} of {count} spans came"
            time.sleep(0.02)
        return found

    def parts(self, call):
        """The spans of the parts of a call, by their names."""
        found = [span for span in self.spans if span.parent_span_id == call.span_id]
        assert all(span.trace_id == call.trace_id for span in found)
        return {span.name: span for span in found}
