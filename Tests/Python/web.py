"""A small client of our own for gRPC, Connect and gRPC-Web, over HTTP/1.1 and over HTTP/2.

`Wire` sends requests and gives the answers as they came; `Caller` makes calls with it, in one of
the protocols, and reads what the answers mean. Messages are bytes: protobuf, or JSON.
"""

import base64
import json
import socket
import ssl
import struct
from urllib.parse import unquote_to_bytes

import h2.config
import h2.connection
import h2.events
from google.rpc import status_pb2

SECONDS = 20
HTTP1, HTTP2 = "HTTP/1.1", "HTTP/2"
ALPN = {HTTP1: "http/1.1", HTTP2: "h2"}

# The names of the codes in Connect, in the order of their numbers.
CODES = (
    "ok canceled unknown invalid_argument deadline_exceeded not_found already_exists"
    " permission_denied resource_exhausted failed_precondition aborted out_of_range unimplemented"
    " internal unavailable data_loss unauthenticated"
).split()
# The statuses of HTTP that Connect gives to them.
HTTP_OF = dict(zip(CODES, [
    200, 499, 500, 400, 504, 404, 409, 403, 429, 400, 409, 400, 501, 500, 503, 500, 401,
]))  # fmt: skip

COMPRESSED, END_OF_STREAM, TRAILERS = 1, 2, 0x80


def dial(port, secure=None, protocol=None, source=None):
    """A socket to a server of this machine; `secure` is the certificate that it must trust."""
    made = socket.create_connection(
        ("127.0.0.1", port), timeout=SECONDS, source_address=source and (source, 0))
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if secure is None:
        return made
    context = ssl.create_default_context(cadata=secure.decode())
    if protocol:
        context.set_alpn_protocols([protocol])
    return context.wrap_socket(made, server_hostname="127.0.0.1")


class Head:
    """The status and the fields of an answer."""

    def __init__(self, status, pairs):
        self.status = status
        self.pairs = pairs
        self.fields = dict(pairs)

    def all(self, name):
        return [value for key, value in self.pairs if key == name]


class Ended(Exception):
    """The server ended the connection, or the stream, before the answer was whole."""


class Connection:
    """A socket to the server, which ends with its block."""

    def __init__(self, port, secure, version, source):
        self.socket = dial(port, secure, ALPN[version], source)
        self.port = port
        self.is_busy = False
        self.is_closed = False

    def received(self):
        """The bytes of one read; none at the end."""
        try:
            return self.socket.recv(1 << 16)
        except (ConnectionError, ssl.SSLError):
            return b""

    def close(self):
        self.is_closed = True
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Http1(Connection):
    """A connection of HTTP/1.1, which has one request at a time."""

    def __init__(self, port, secure=None, source=None):
        super().__init__(port, secure, HTTP1, source)
        self.rest = b""

    def send(self, data):
        try:
            self.socket.sendall(data)
        except OSError:
            # The next read says so.
            pass

    # Reading

    def more(self):
        """Reads once; False at the end."""
        data = self.received()
        self.rest += data
        self.is_closed = self.is_closed or not data
        return bool(data)

    def line(self):
        while b"\r\n" not in self.rest:
            if not self.more():
                raise Ended(self.rest)
        line, _, self.rest = self.rest.partition(b"\r\n")
        return line

    def take(self, count):
        while len(self.rest) < count:
            if not self.more():
                raise Ended(self.rest)
        data, self.rest = self.rest[:count], self.rest[count:]
        return data

    def everything(self):
        """All bytes until the server ends the connection."""
        while self.more():
            pass
        data, self.rest = self.rest, b""
        return data

    def head(self):
        version, status, *_ = self.line().decode().split(" ", 2)
        assert version == HTTP1
        pairs = []
        while line := self.line().decode():
            name, _, value = line.partition(":")
            pairs.append((name.lower(), value.strip()))
        return Head(int(status), pairs)

    # Requests

    def open(self, method, target, fields, body=None):
        """Begins a request: with its body, or in chunks that follow."""
        assert not self.is_busy and not self.is_closed
        lines = [f"{method} {target} {HTTP1}"]
        if not any(name == "host" for name, _ in fields):
            lines.append(f"host: 127.0.0.1:{self.port}")
        lines += [f"{name}: {value}" for name, value in fields]
        if body is None:
            lines.append("transfer-encoding: chunked")
        elif body or method == "POST":
            lines.append(f"content-length: {len(body)}")
        self.is_busy = True
        self.send("\r\n".join([*lines, "", ""]).encode() + (body or b""))
        return Http1Stream(self, body is None, method)


class Http1Stream:
    """A request of HTTP/1.1 with its answer."""

    def __init__(self, connection, is_open=False, method="POST"):
        self.connection = connection
        self.is_open = is_open
        self.method = method
        self.trailers = {}
        self._head = None
        self._length = None
        self._is_done = False

    def send(self, data):
        if data:
            self.connection.send(b"%x\r\n%b\r\n" % (len(data), data))

    def finish(self):
        if self.is_open:
            self.is_open = False
            self.connection.send(b"0\r\n\r\n")

    @property
    def head(self):
        while self._head is None or 100 <= self._head.status < 200:
            self._head = self.connection.head()
            fields = self._head.fields
            self._length = int(fields["content-length"]) if "content-length" in fields else None
            if self.method == "HEAD" or self._head.status == 204:
                self._length = 0
        return self._head

    def read(self):
        """The next bytes of the body; None at its end."""
        fields = self.head.fields
        if self._is_done:
            return None
        connection = self.connection
        if self._length is not None:
            data = connection.take(self._length) if self._length else None
            self._length = 0
        elif "transfer-encoding" in fields:
            size = int(connection.line().partition(b";")[0], 16)
            data = connection.take(size) if size else None
            assert connection.line() == b""
        else:
            data = connection.everything() or None
            connection.is_closed = True
        if data is None:
            self._end()
        return data

    def _end(self):
        self._is_done = True
        self.connection.is_busy = False
        if self.head.fields.get("connection") == "close" or self.is_open:
            self.connection.is_closed = True

    def cancel(self):
        if not self._is_done:
            self.connection.close()


class Http2(Connection):
    """A connection of HTTP/2 by PyPI's `h2`."""

    def __init__(self, port, secure=None, source=None):
        super().__init__(port, secure, HTTP2, source)
        self.scheme = "https" if secure else "http"
        self.streams = {}
        self.h2 = h2.connection.H2Connection(h2.config.H2Configuration(
            client_side=True, header_encoding="utf-8", validate_outbound_headers=False,
            normalize_outbound_headers=False, validate_inbound_headers=True))
        self.h2.initiate_connection()
        self.h2.increment_flow_control_window(1 << 30)
        self.flush()

    def flush(self):
        data = self.h2.data_to_send()
        try:
            if data:
                self.socket.sendall(data)
        except OSError:
            pass

    def more(self):
        """Reads once, and gives each stream what came for it."""
        data = self.received()
        if not data:
            self.is_closed = True
            raise Ended("the server closed")
        for event in self.h2.receive_data(data):
            if isinstance(event, h2.events.ConnectionTerminated):
                self.is_closed = True
            stream = self.streams.get(getattr(event, "stream_id", None))
            if stream is not None:
                stream.came(event)
            if isinstance(event, h2.events.DataReceived) and event.flow_controlled_length:
                self.h2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
        self.flush()

    def open(self, method, target, fields, body=None):
        number = self.h2.get_next_available_stream_id()
        stream = self.streams[number] = Http2Stream(self, number)
        named = dict(fields)
        head = [(":method", method), (":scheme", self.scheme), (":path", target),
                (":authority", named.get("host", f"127.0.0.1:{self.port}"))]  # fmt: skip
        head += [(name, value) for name, value in fields if name != "host"]
        if body is not None and (body or method == "POST"):
            head.append(("content-length", str(len(body))))
        self.h2.send_headers(number, head, end_stream=body == b"")
        self.flush()
        if body:
            stream.send(body)
            stream.finish()
        elif body == b"":
            stream.is_open = False
        return stream


class Http2Stream:
    """A request of HTTP/2 with its answer."""

    def __init__(self, connection, number):
        self.connection = connection
        self.number = number
        self.is_open = True
        self.is_over = False
        self.reset = None
        self.trailers = {}
        self._head = None
        self._body = []

    def came(self, event):
        if isinstance(event, h2.events.ResponseReceived):
            fields = list(event.headers)
            self._head = Head(int(dict(fields)[":status"]), fields)
        elif isinstance(event, h2.events.DataReceived) and event.data:
            self._body.append(event.data)
        elif isinstance(event, h2.events.TrailersReceived):
            self.trailers = dict(event.headers)
        elif isinstance(event, h2.events.StreamReset):
            self.is_open, self.reset = False, int(event.error_code)
        elif isinstance(event, h2.events.StreamEnded):
            self.is_over = True

    def send(self, data):
        h2, connection = self.connection.h2, self.connection
        while data and self.is_open and not self.is_over:
            room = min(h2.local_flow_control_window(self.number), h2.max_outbound_frame_size)
            if room <= 0:
                connection.more()
                continue
            h2.send_data(self.number, data[:room])
            data = data[room:]
            connection.flush()

    def finish(self):
        if self.is_open:
            self.is_open = False
            self.connection.h2.end_stream(self.number)
            self.connection.flush()

    @property
    def head(self):
        while self._head is None:
            if self.reset is not None:
                raise Ended(f"the stream was reset: {self.reset}")
            self.connection.more()
        return self._head

    def read(self):
        while not self._body and not self.is_over:
            if self.reset is not None:
                raise Ended(f"the stream was reset: {self.reset}")
            self.connection.more()
        return self._body.pop(0) if self._body else None

    def cancel(self):
        if not self.is_over and self.reset is None:
            self.is_over = True
            self.connection.h2.reset_stream(self.number, 8)
            self.connection.flush()


class Wire:
    """Requests to a server in one version of HTTP, over as many connections as they need.

    Something on the way may end a kept connection of HTTP/1.1 at the moment of the next request:
    with `keeps=False` each request there has a connection of its own.
    """

    def __init__(self, port, version=HTTP2, secure=None, source=None, keeps=True):
        self.version = version
        self.keeps = keeps or version == HTTP2
        self._make = lambda: {HTTP1: Http1, HTTP2: Http2}[version](port, secure, source)
        self._made = []

    def connection(self):
        for one in self._made:
            if self.keeps and not one.is_busy and not one.is_closed:
                return one
        if not self.keeps:
            self._made = [one for one in self._made if one.is_busy or one.close()]
        self._made = [one for one in self._made if not one.is_closed]
        self._made.append(self._make())
        return self._made[-1]

    def open(self, method, target, fields=(), body=None):
        return self.connection().open(method, target, list(fields), body)

    def ask(self, method, target, fields=(), body=b""):
        """The whole answer to a request."""
        return Reply(self.open(method, target, fields, body))

    def close(self):
        for one in self._made:
            one.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Reply:
    """An answer as it came, and its JSON if it is some."""

    def __init__(self, stream):
        self.head = stream.head
        self.status, self.fields = self.head.status, self.head.fields
        self.body = b""
        while (part := stream.read()) is not None:
            self.body += part
        self.trailers = stream.trailers

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def code(self):
        """The code of an error of Connect, or None."""
        return self.json["code"] if self.status != 200 else None


def envelope(message, flag=0):
    return bytes([flag]) + struct.pack(">I", len(message)) + message


def envelopes(data):
    """The flag and the bytes of each message; nothing may be left over."""
    out = []
    while data:
        length = struct.unpack(">I", data[1:5])[0]
        assert len(data) >= 5 + length, "a message is cut off"
        out.append((data[0], data[5 : 5 + length]))
        data = data[5 + length :]
    return out


def lines(data):
    """The trailers of gRPC-Web."""
    pairs = [line.partition(b":") for line in data.split(b"\r\n") if line]
    return {name.decode(): value.strip().decode() for name, _, value in pairs}


def unpadded(text):
    return base64.b64decode(text + "=" * (-len(text) % 4))


class Outcome:
    """How a call ended: its code, its words, the details, and what came beside the messages."""

    def __init__(self, code, message="", details=(), trailers=(), head=None):
        self.code = code
        self.message = message
        self.details = list(details)
        self.trailers = dict(trailers)
        self.head = head

    @property
    def status(self):
        """The same as the status that gRPC has for it."""
        made = status_pb2.Status(code=CODES.index(self.code), message=self.message)
        for kind, value in self.details:
            made.details.add(type_url=f"type.googleapis.com/{kind}", value=value)
        return made

    @classmethod
    def of_error(cls, error, **rest):
        details = [(one["type"], unpadded(one["value"])) for one in error.get("details", [])]
        return cls(error["code"], error.get("message", ""), details, **rest)

    @classmethod
    def of_fields(cls, fields, **rest):
        """The outcome of gRPC and of gRPC-Web, which stands in fields."""
        status = status_pb2.Status()
        if packed := fields.get("grpc-status-details-bin"):
            status.ParseFromString(unpadded(packed))
        details = [(one.type_url.rpartition("/")[2], one.value) for one in status.details]
        message = unquote_to_bytes(fields.get("grpc-message", "")).decode()
        code = CODES[int(fields["grpc-status"])]
        return cls(code, message, details, trailers=fields, **rest)


class Call:
    """A call that runs: `send`, `finish`, then iterate over its messages; `outcome` at the end."""

    def __init__(self, caller, path, metadata=(), seconds=None, unary=False):
        self.caller = caller
        self.unary = unary and caller.protocol == "connect"
        self.is_text = caller.protocol == "grpc-web-text"
        self.outcome = None
        self._rest, self._text, self._body = b"", b"", b""
        self._holds = self.unary or self.is_text
        fields = caller.head(self.unary, seconds) + list(metadata)
        self._begin = lambda body: caller.wire.open("POST", path, fields, body)
        self.stream = None if self._holds else self._begin(None)

    def send(self, message, flag=0):
        data = message if self.unary else envelope(message, flag)
        if self._holds:
            self._body += data
        else:
            self.stream.send(data)

    def finish(self):
        if self._holds and self.stream is None:
            body = base64.b64encode(self._body) if self.is_text else self._body
            self.stream = self._begin(body)
        self.stream.finish()

    def cancel(self):
        if self.stream is not None:
            self.stream.cancel()

    # Reading

    def __iter__(self):
        return self

    def __next__(self):
        if self.outcome is not None:
            raise StopIteration
        if self.unary:
            return self._answer()
        head = self.stream.head
        if head.status != 200:
            return self._end(Outcome(f"http {head.status}", head=head))
        if self.caller.protocol == "grpc" and "grpc-status" in head.fields:
            self._more()
            return self._end(Outcome.of_fields(head.fields, head=head))
        found = self._message()
        if found is None:
            return self._end(self._last())
        flag, data = found
        if flag & TRAILERS:
            self._more()
            return self._end(Outcome.of_fields(lines(data), head=head))
        if flag & END_OF_STREAM:
            self._more()
            told = json.loads(data)
            trailers = {name: values[0] for name, values in told.get("metadata", {}).items()}
            error = told.get("error", {"code": "ok"})
            return self._end(Outcome.of_error(error, trailers=trailers, head=head))
        assert flag == 0, "an answer is packed"
        return data

    def _answer(self):
        reply = Reply(self.stream)
        named = [name for name in reply.fields if name.startswith("trailer-")]
        trailers = {name.removeprefix("trailer-"): reply.fields[name] for name in named}
        if reply.status == 200:
            self.outcome = Outcome("ok", trailers=trailers, head=reply.head)
            return reply.body
        is_error = reply.fields.get("content-type") == "application/json"
        error = reply.json if is_error else {"code": f"http {reply.status}"}
        self._end(Outcome.of_error(error, trailers=trailers, head=reply.head))

    def _end(self, outcome):
        self.outcome = outcome
        raise StopIteration

    def _last(self):
        if self.caller.protocol == "grpc":
            return Outcome.of_fields(self.stream.trailers, head=self.stream.head)
        raise Ended("the last message is missing")

    def _more(self):
        data = self.stream.read()
        if data is not None and self.is_text:
            self._text += data
            whole = len(self._text) // 4 * 4
            parts = [self._text[at : at + 4] for at in range(0, whole, 4)]
            data, self._text = b"".join(map(base64.b64decode, parts)), self._text[whole:]
        self._rest += data or b""
        return data is not None

    def _message(self):
        while True:
            if len(self._rest) >= 5:
                length = struct.unpack(">I", self._rest[1:5])[0]
                if len(self._rest) >= 5 + length:
                    flag, data = self._rest[0], self._rest[5 : 5 + length]
                    self._rest = self._rest[5 + length :]
                    return flag, data
            if not self._more():
                assert not self._rest and not self._text, "the answer is cut off"
                return None


class Caller:
    """Makes calls in `grpc`, `connect`, `grpc-web` or `grpc-web-text`, in `proto` or `json`."""

    def __init__(self, wire, protocol, form="proto"):
        self.wire = wire
        self.protocol = protocol
        self.form = form

    def head(self, unary, seconds=None):
        if self.protocol == "connect":
            kind = f"application/{'' if unary else 'connect+'}{self.form}"
            fields = [("connect-protocol-version", "1")]
        else:
            kind = f"application/{self.protocol}+{self.form}"
            fields = [("te", "trailers")] if self.protocol == "grpc" else [("x-grpc-web", "1")]
        if seconds is not None:
            timeout = f"{max(0, int(seconds * 1000))}"
            fields += [("connect-timeout-ms", timeout) if self.protocol == "connect"
                       else ("grpc-timeout", f"{timeout}m")]  # fmt: skip
        return [("content-type", kind), *fields]

    def call(self, path, message, metadata=(), seconds=None):
        """Makes a unary call: the answer, or None, and the outcome."""
        call = Call(self, path, metadata, seconds, unary=True)
        call.send(message)
        call.finish()
        answers = list(call)
        assert len(answers) <= 1
        if self.protocol == "connect" and call.outcome.code == "ok":
            return answers[0], call.outcome
        return (answers[0] if answers else None), call.outcome

    def start(self, path, metadata=(), seconds=None):
        """A call whose requests or answers are a stream."""
        return Call(self, path, metadata, seconds)
