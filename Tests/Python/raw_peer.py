"""A client that makes every frame by hand: it can send what no library would.

Header blocks are made and read by PyPI's `hpack`; no other HTTP/2 library takes part.
"""

import dataclasses
import socket
import struct

import hpack

DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS = range(5)
PUSH_PROMISE, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = range(5, 10)
END_STREAM = ACK = 1
END_HEADERS = 4
PADDED = 8
WITH_PRIORITY = 0x20

(
    NO_ERROR, PROTOCOL_ERROR, INTERNAL_ERROR, FLOW_CONTROL_ERROR, SETTINGS_TIMEOUT, STREAM_CLOSED,
    FRAME_SIZE_ERROR, REFUSED_STREAM, CANCEL, COMPRESSION_ERROR, CONNECT_ERROR, ENHANCE_YOUR_CALM,
) = range(12)  # fmt: skip

# Names of settings.
HEADER_TABLE_SIZE, ENABLE_PUSH, MAX_CONCURRENT_STREAMS, INITIAL_WINDOW_SIZE = range(1, 5)
MAX_FRAME_SIZE, MAX_HEADER_LIST_SIZE = 5, 6

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
WIDE = 1 << 30
SECONDS = 20


def frame(kind, flags=0, stream=0, payload=b""):
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload


def settings(**values):
    """A SETTINGS frame: `settings(initial_window_size=5)`."""
    names = {name.upper(): value for name, value in values.items()}
    payload = b"".join(struct.pack(">HI", globals()[name], value) for name, value in names.items())
    return frame(SETTINGS, payload=payload)


def window_update(stream, count):
    return frame(WINDOW_UPDATE, stream=stream, payload=struct.pack(">I", count))


def reset(stream, code=CANCEL):
    return frame(RST_STREAM, stream=stream, payload=struct.pack(">I", code))


def ping(number=7, flags=0):
    return frame(PING, flags, payload=struct.pack(">Q", number))


def envelope(message, flag=0):
    return bytes([flag]) + struct.pack(">I", len(message)) + message


def literal(name, value):
    """A field that enters no table and follows no rule, for header blocks made by hand."""
    block = b"\x10"
    for text in (name, value):
        text = text.encode() if isinstance(text, str) else text
        block += integer(len(text), 7) + text
    return block


def integer(number, bits, mark=0):
    """A number with a prefix of so many bits (RFC 7541, section 5.1)."""
    most = (1 << bits) - 1
    if number < most:
        return bytes([mark | number])
    rest, out = number - most, [mark | most]
    while rest >= 128:
        out.append(rest & 127 | 128)
        rest >>= 7
    return bytes([*out, rest])


@dataclasses.dataclass
class Frame:
    kind: int
    flags: int
    stream: int
    payload: bytes
    fields: list | None = None

    @property
    def ends(self):
        return self.kind in (DATA, HEADERS) and bool(self.flags & END_STREAM)

    @property
    def code(self):
        """The error code of a reset or of a GOAWAY."""
        start = 4 if self.kind == GOAWAY else 0
        return struct.unpack(">I", self.payload[start : start + 4])[0]

    @property
    def last_stream(self):
        return struct.unpack(">I", self.payload[:4])[0]

    @property
    def debug(self):
        return self.payload[8:].decode()

    @property
    def number(self):
        return struct.unpack(">I", self.payload)[0]


class Answer:
    """All frames of one stream, as far as they have come."""

    def __init__(self, frames):
        self.frames = frames
        blocks = [one.fields for one in frames if one.kind == HEADERS]
        self.head = dict(blocks[0]) if blocks else {}
        self.trailers = dict(blocks[1]) if len(blocks) > 1 else {}
        self.blocks = blocks
        self.body = b"".join(one.payload for one in frames if one.kind == DATA)
        resets = [one.code for one in frames if one.kind == RST_STREAM]
        self.reset = resets[0] if resets else None

    @property
    def http(self):
        return self.head.get(":status")

    @property
    def code(self):
        return (self.trailers or self.head).get("grpc-status")

    @property
    def message(self):
        return (self.trailers or self.head).get("grpc-message")

    @property
    def messages(self):
        """Flag and bytes of each message."""
        out, rest = [], self.body
        while rest:
            length = struct.unpack(">I", rest[1:5])[0]
            out.append((rest[0], rest[5 : 5 + length]))
            rest = rest[5 + length :]
        return out

    @property
    def is_trailers_only(self):
        sent = [one for one in self.frames if one.kind in (DATA, HEADERS)]
        return len(sent) == 1 and sent[0].kind == HEADERS and sent[0].ends


class RawPeer:
    """A connection to a server at a port of this machine.

    Unless told otherwise it opens its windows wide and acknowledges the server's settings. It may
    come from another address of this machine, and be secured by a context of Python's TLS.
    """

    def __init__(self, port, *, preface=None, source=None, secure=None, **values):
        self.port = port
        self.socket = socket.create_connection(
            ("127.0.0.1", port), timeout=SECONDS, source_address=source and (source, 0)
        )
        if secure:
            self.socket = secure.wrap_socket(self.socket, server_hostname="127.0.0.1")
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.encoder = hpack.Encoder()
        self.decoder = hpack.Decoder()
        self.frames = []
        self.received = b""
        self.is_closed = False
        self.next_stream = 1
        self.settings = {}
        if preface is None:
            values = {"initial_window_size": (1 << 31) - 1, **values}
            preface = PREFACE + settings(**values) + window_update(0, WIDE)
        self.send(preface)

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    # Sending

    def send(self, *frames):
        """Sends bytes as they are; a server that is gone is noticed by the next read."""
        try:
            self.socket.sendall(b"".join(frames))
        except OSError:
            self.is_closed = True

    def request(self, path="UnaryCall", **changes):
        """The fields of a good request; `te=None` removes one, `("a", "b")` pairs come last."""
        if not path.startswith("/"):
            path = f"/grpc.testing.TestService/{path}"
        fields = {
            ":method": "POST", ":scheme": "http", ":path": path, ":authority": "localhost",
            "te": "trailers", "content-type": "application/grpc",
        }  # fmt: skip
        fields.update(changes)
        return [(name, value) for name, value in fields.items() if value is not None]

    def new_stream(self):
        stream = self.next_stream
        self.next_stream += 2
        return stream

    def headers(self, stream, fields, end=False, block=None, flags=0):
        """A HEADERS frame; `block` in place of `fields` is taken as it is."""
        if block is None:
            block = self.encoder.encode(fields)
        return frame(HEADERS, END_HEADERS | flags | (END_STREAM if end else 0), stream, block)

    def open(self, fields=None, body=b"", end=True):
        """Begins a stream with a request and a body, which ends it unless told otherwise."""
        stream = self.new_stream()
        fields = self.request() if fields is None else fields
        self.send(self.headers(stream, fields, end=end and not body))
        if body:
            self.data(stream, body, end)
        return stream

    def data(self, stream, body, end=False, size=16_384):
        parts = [body[start : start + size] for start in range(0, len(body), size)] or [b""]
        last = len(parts) - 1
        self.send(
            *(frame(DATA, END_STREAM if end and number == last else 0, stream, part)
              for number, part in enumerate(parts))
        )  # fmt: skip

    def data_as_allowed(self, stream, body, end=True):
        """Sends a body as the server's windows open; it must not answer before."""
        self.round_trip()
        initial = self.settings.get(INITIAL_WINDOW_SIZE, 65_535)
        seen = {stream: initial, 0: 65_535}
        sent = 0
        while sent < len(body):
            room = min(
                limit + sum(one.number for one in self.frames
                            if one.kind == WINDOW_UPDATE and one.stream == number) - sent
                for number, limit in seen.items()
            )  # fmt: skip
            if room <= 0:
                assert self.read(), "the server closed"
                continue
            self.data(stream, body[sent : sent + room])
            sent += room
        self.data(stream, b"", end)

    def call(self, fields=None, message=b"", body=None, end=True):
        """Makes a whole call and returns its answer."""
        body = envelope(message) if body is None else body
        return self.answer(self.open(fields, body, end))

    # Receiving

    def read(self):
        """The next frame, or None when the server has closed the connection."""
        while True:
            if len(self.received) >= 9:
                length = int.from_bytes(self.received[:3], "big")
                if len(self.received) >= 9 + length:
                    return self._take(length)
            try:
                data = self.socket.recv(1 << 16)
            except ConnectionResetError:
                data = b""
            if not data:
                self.is_closed = True
                return None
            self.received += data

    def _take(self, length):
        kind, flags, stream = struct.unpack(">BBI", self.received[3:9])
        one = Frame(kind, flags, stream & 0x7FFF_FFFF, self.received[9 : 9 + length])
        self.received = self.received[9 + length :]
        if kind == HEADERS:
            # Our server sends no continuations for blocks of this size, and no padding ever.
            assert flags & END_HEADERS and not flags & (PADDED | WITH_PRIORITY)
            one.fields = [(str(n), str(v)) for n, v in self.decoder.decode(one.payload)]
        if kind == SETTINGS and not flags & ACK:
            for start in range(0, length, 6):
                name, value = struct.unpack(">HI", one.payload[start : start + 6])
                self.settings[name] = value
            self.send(frame(SETTINGS, ACK))
        self.frames.append(one)
        return one

    def until(self, wanted):
        """Reads until a frame is as wanted, frames that have come before included; None at the
        end."""
        for one in self.frames:
            if wanted(one):
                return one
        while one := self.read():
            if wanted(one):
                return one
        return None

    def of(self, stream):
        """The frames that have come on a stream."""
        return Answer([one for one in self.frames if one.stream == stream])

    def answer(self, stream):
        """Reads until the server has ended a stream."""
        last = self.until(lambda one: one.stream == stream and (one.ends or one.kind == RST_STREAM))
        assert last, f"the server closed: {self.frames}"
        return self.of(stream)

    def goaway(self):
        """Reads until the server ends the connection; its last GOAWAY, or None."""
        while self.read():
            pass
        found = [one for one in self.frames if one.kind == GOAWAY]
        return found[-1] if found else None

    def await_reset(self, stream):
        """The code of the reset of a stream, which may follow its end."""
        one = self.until(lambda one: one.stream == stream and one.kind == RST_STREAM)
        return one and one.code

    def leave(self):
        """Ends our side, and waits until the server has closed its own."""
        self.socket.shutdown(socket.SHUT_WR)
        while self.read():
            pass

    def round_trip(self, number=99):
        """A ping and its answer: afterwards, the server has read everything that was sent before.

        The answer may overtake other frames of the server.
        """
        self.send(ping(number))
        wanted = struct.pack(">Q", number)
        found = self.until(lambda one: one.kind == PING and one.flags == ACK
                           and one.payload == wanted)  # fmt: skip
        assert found, "the server closed"
        self.frames.remove(found)

    def assert_alive(self):
        """The connection still carries a call."""
        answer = self.call(self.request("EmptyCall"))
        assert answer.code == "0", answer.frames
