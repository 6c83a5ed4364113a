"""Speaks HTTP/2 frame by frame to the server at a port, and checks the frames that come back.

It uses Python's h2, which shares no code with our library."""

import socket
import sys

import h2.config
import h2.connection
import h2.errors
import h2.events
import h2.settings

port = int(sys.argv[1])
GOOD = [
    (":method", "POST"), (":scheme", "http"), (":path", "/test.Echo/Unary"),
    (":authority", "x"), ("te", "trailers"), ("content-type", "application/grpc"),
]


def envelope(body, flag=0):
    return bytes([flag]) + len(body).to_bytes(4, "big") + body


class Peer:
    def __init__(self):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=20)
        config = h2.config.H2Configuration(
            client_side=True, header_encoding="utf-8", validate_outbound_headers=False,
            normalize_outbound_headers=False)
        self.connection = h2.connection.H2Connection(config)
        self.connection.initiate_connection()
        self.events = []
        self.flush()

    def flush(self):
        self.socket.sendall(self.connection.data_to_send())

    def open(self, headers=GOOD, body=None, end=True):
        stream = self.connection.get_next_available_stream_id()
        self.connection.send_headers(stream, headers, end_stream=end and body is None)
        if body is not None:
            self.connection.send_data(stream, body, end_stream=end)
        self.flush()
        return stream

    def read_until(self, wanted):
        """Reads until an event satisfies `wanted`, and returns it."""
        while True:
            for event in self.events:
                if wanted(event):
                    return event
            data = self.socket.recv(65536)
            if not data:
                raise AssertionError(f"the server closed; events: {self.events}")
            self.events += self.connection.receive_data(data)
            self.flush()

    def answer(self, stream):
        """The fields of the head, the body, and the fields of the trailers."""
        self.read_until(lambda e: isinstance(e, (h2.events.StreamEnded, h2.events.StreamReset))
                        and e.stream_id == stream)
        head, trailers, body = {}, {}, b""
        for event in self.events:
            if getattr(event, "stream_id", None) != stream:
                continue
            if isinstance(event, h2.events.ResponseReceived):
                head = dict(event.headers)
            elif isinstance(event, h2.events.TrailersReceived):
                trailers = dict(event.headers)
            elif isinstance(event, h2.events.DataReceived):
                body += event.data
        return head, body, trailers


def with_field(name, value):
    fields = [(n, v) for n, v in GOOD if n != name]
    if value is not None:
        fields.append((name, value))
    return sorted(fields, key=lambda field: not field[0].startswith(":"))


refused = [
    ("content-type", None, "415", "3"), ("content-type", "text/html", "415", "3"),
    ("content-type", "application/grpc+thrift", "200", "12"), (":method", "PUT", "405", "13"),
    (":path", "/nothing", "200", "12"), ("grpc-encoding", "br", "200", "12"),
    ("grpc-timeout", "5x", "200", "13"), ("grpc-timeout", "0m", "200", "4"),
    ("a-bin", "!", "200", "13"),
]
peer = Peer()
for name, value, http, code in refused:
    stream = peer.open(with_field(name, value), envelope(b"a"))
    head, body, trailers = peer.answer(stream)
    assert (head[":status"], head["grpc-status"]) == (http, code), (name, value, head)
    assert not body and not trailers, (name, value)

bodies = [
    (envelope(b"a", flag=1), "13"), (envelope(b"a", flag=7), "13"), (b"\0\0", "13"),
    (envelope(b"abc")[:-1], "13"), (b"", "12"), (envelope(b"a") * 2, "12"),
    (b"\0\xff\xff\xff\xff", "8"),
]
for body, code in bodies:
    head, data, trailers = peer.answer(peer.open(body=body))
    assert head["grpc-status"] == code and not data, (body, head)

# A good call: head, data, trailers, and no padding.
head, data, trailers = peer.answer(peer.open(body=envelope(b"hello")))
assert head == {":status": "200", "content-type": "application/grpc"}, head
assert data == envelope(b"hello")
assert trailers == {"grpc-status": "0"}, trailers

# A prefix in single bytes, and empty frames between them.
stream = peer.open(end=False)
for byte in envelope(b"split"):
    peer.connection.send_data(stream, bytes([byte]))
    peer.connection.send_data(stream, b"")
    peer.flush()
peer.connection.end_stream(stream)
peer.flush()
assert peer.answer(stream)[1] == envelope(b"split")

# An early refusal ends the stream with trailers first and NO_ERROR after.
stream = peer.open(body=b"\0\xff\xff\xff\xff", end=False)
assert peer.answer(stream)[0]["grpc-status"] == "8"
reset = peer.read_until(
    lambda e: isinstance(e, h2.events.StreamReset) and e.stream_id == stream)
assert reset.error_code == h2.errors.ErrorCodes.NO_ERROR, reset

# As many streams as the settings allow, and one more.
limit = peer.connection.remote_settings[h2.settings.SettingCodes.MAX_CONCURRENT_STREAMS]
assert limit == 1024, limit
peer.connection.remote_settings[h2.settings.SettingCodes.MAX_CONCURRENT_STREAMS] = 1 << 20
peer.connection.remote_settings.acknowledge()
last = [peer.open(end=False) for _ in range(limit + 1)][-1]
reset = peer.read_until(lambda e: isinstance(e, h2.events.StreamReset) and e.stream_id == last)
assert reset.error_code == h2.errors.ErrorCodes.REFUSED_STREAM, reset

# HTTP/1.1 on the same port.
plain = socket.create_connection(("127.0.0.1", port), timeout=20)
plain.sendall(b"GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
text = b""
while chunk := plain.recv(4096):
    text += chunk
assert text.startswith(b"HTTP/1.1 405 "), text
print("passed")
