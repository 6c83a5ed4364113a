"""Writes the inputs of Tests/FuzzTests/Corpus that are frames of HTTP/2: `record.py FOLDER`.

Most are the exchange of Google's client and server about the methods of `FuzzService`, as it stands
on the wire without the client's first 24 bytes. The others are made by hand, each for one rule that
a peer may break. The first byte of an input gives the place in it at which our side sends.
"""

import concurrent.futures
import pathlib
import socket
import struct
import sys
import threading
import zlib

import grpc
import hpack

MAGIC = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, PRIORITY, RESET, SETTINGS, PING, GOAWAY, WINDOW, CONTINUATION = (
    0, 1, 2, 3, 4, 6, 7, 8, 9,
)  # fmt: skip
END_STREAM, END_HEADERS, PADDED = 1, 4, 8
LONGEST = 4_000


class Tap:
    """A relay to one port that keeps the bytes of both directions of its first connection."""

    def __init__(self, port):
        self.up, self.down = bytearray(), bytearray()
        self._port = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self):
        near, _ = self._listener.accept()
        far = socket.create_connection(("127.0.0.1", self._port))
        back = threading.Thread(target=self._relay, args=(far, near, self.down), daemon=True)
        back.start()
        self._relay(near, far, self.up)

    @staticmethod
    def _relay(source, target, kept):
        try:
            while data := source.recv(65536):
                kept += data
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            pass


class Echo(grpc.GenericRpcHandler):
    """Serves every method, of any shape, and sends each message back."""

    def service(self, details):
        def answer(requests, context):
            context.send_initial_metadata((("x-text-back", "yes"),))
            yield from requests
            context.set_trailing_metadata((("x-data-back-bin", b"\xab"),))
            if details.method.endswith("Fail"):
                context.abort(grpc.StatusCode.ABORTED, "a b%\u263a")

        return grpc.stream_stream_rpc_method_handler(answer)


def call(name, messages, **options):
    """A conversation of one call."""

    def speak(channel):
        run = channel.stream_stream(f"/test.Echo/{name}")(iter(messages), timeout=5, **options)
        try:
            list(run)
        except grpc.RpcError:
            pass

    return speak


def cancelled(channel):
    hold = threading.Event()

    def requests():
        yield b"one"
        hold.wait(5)

    run = channel.stream_stream("/test.Echo/Chat")(requests(), timeout=5)
    next(run)
    run.cancel()
    hold.set()


def several(channel):
    for name in ["Unary", "Metadata", "Collect", "Unary"]:
        call(name, [name.encode()])(channel)


CONVERSATIONS = {
    "unary": call("Unary", [b"hello"]),
    "metadata": call(
        "Metadata", [b""], metadata=(("x-text", "words"), ("x-data-bin", b"\xab\xcd"))
    ),
    "fail": call("Fail", [b"\x05no"]),
    "collect": call("Collect", [b"a" * 20, b"", b"b" * 300]),
    "chat": call("Chat", [b"a", b"b", b"c"], metadata=(("x-eager", "1"),)),
    "packed": call("Chat", [b"a" * 1500], compression=grpc.Compression.Gzip),
    "expand": call("Expand", [b"\x03\x01\x00"]),
    "unknown": call("No", [b"x"]),
    "cancelled": cancelled,
    "several": several,
}


def record():
    server = grpc.server(concurrent.futures.ThreadPoolExecutor(4))
    server.add_generic_rpc_handlers((Echo(),))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    for name, speak in CONVERSATIONS.items():
        tap = Tap(port)
        with grpc.insecure_channel(f"127.0.0.1:{tap.port}") as channel:
            speak(channel)
        assert tap.up.startswith(MAGIC)
        yield name, bytes(tap.up[len(MAGIC) :]), bytes(tap.down)
    server.stop(None).wait()


# By hand


def frame(kind, stream=0, payload=b"", flags=0):
    head = struct.pack(">I", len(payload))[1:] + bytes([kind, flags])
    return head + struct.pack(">I", stream) + payload


def request(path="/test.Echo/Unary", *more):
    fields = [
        (":method", "POST"), (":scheme", "http"), (":path", path), (":authority", "a"),
        ("te", "trailers"), ("content-type", "application/grpc"), *more,
    ]  # fmt: skip
    return hpack.Encoder().encode(fields)


def response(*more):
    return hpack.Encoder().encode([(":status", "200"), *more])


def head(stream, block, flags=END_HEADERS):
    return frame(HEADERS, stream, block, flags)


def message(content, packed=0):
    return bytes([packed]) + struct.pack(">I", len(content)) + content


def setting(name, value):
    return frame(SETTINGS, 0, struct.pack(">HI", name, value))


def bomb():
    """One large field, and a thousand references to it."""
    return b"\x40\x01a\x7f\xd1\x0e" + b"x" * 2000 + b"\xbe" * 1000


BY_CLIENTS = {
    "rapid-reset": b"".join(
        head(stream, request()) + frame(RESET, stream, b"\0\0\0\x08") for stream in range(1, 41, 2)
    ),
    "continuations": head(1, request()[:5], 0)
    + b"".join(frame(CONTINUATION, 1, b"") for _ in range(12)),
    "bomb": head(1, request() + bomb()),
    "padding": head(1, request())
    + frame(DATA, 1, b"\x07" + message(b"abc") + bytes(7), PADDED | END_STREAM),
    "split-message": head(1, request("/test.Echo/Collect"))
    + b"".join(frame(DATA, 1, message(b"abcd")[n : n + 1]) for n in range(9))
    + frame(DATA, 1, b"", END_STREAM),
    "window-overflow": head(1, request("/test.Echo/Chat"))
    + frame(WINDOW, 1, struct.pack(">I", 0x7FFFFFFF))
    + setting(4, 0x7FFFFFFF),
    "priority-zero": head(1, request()) + frame(PRIORITY, 0, bytes(5)),
    "lower-stream": head(5, request(), END_HEADERS | END_STREAM) + head(3, request()),
    "trailers": head(1, request("/test.Echo/Chat"))
    + frame(DATA, 1, message(b"x"))
    + head(1, hpack.Encoder().encode([("x-last", "1")]), END_HEADERS | END_STREAM),
    "deflated": head(1, request("/test.Echo/Chat", ("grpc-encoding", "deflate")))
    + frame(DATA, 1, message(zlib.compress(b"z" * 5000), 1), END_STREAM),
    "deflate-cut": head(1, request("/test.Echo/Unary", ("grpc-encoding", "deflate")))
    + frame(DATA, 1, message(zlib.compress(b"z" * 5000)[:9], 1), END_STREAM),
    "timeouts": b"".join(
        head(2 * n + 1, request("/test.Echo/Wait", ("grpc-timeout", text)))
        + frame(DATA, 2 * n + 1, message(b""), END_STREAM)
        for n, text in enumerate(["1n", "99999999H", "0m", "100000000S", "1", "-1S"])
    ),
    "zero-window": setting(4, 0)
    + head(1, request("/test.Echo/Expand"))
    + frame(DATA, 1, message(b"\xff\x10\x00"), END_STREAM)
    + frame(WINDOW, 1, b"\0\0\0\x01") * 5
    + setting(4, 70000),
    "two-messages": head(1, request())
    + frame(DATA, 1, message(b"a") + message(b"b"), END_STREAM),
    "paused": head(1, request("/test.Echo/Collect"))
    + frame(DATA, 1, message(b"p") + message(b"a") * 3, END_STREAM)
    + frame(RESET, 1, b"\0\0\0\x08"),
    "get": head(1, hpack.Encoder().encode([
        (":method", "GET"), (":scheme", "http"), (":path", "/"), (":authority", "a")
    ]), END_HEADERS | END_STREAM),
    "goaway": head(1, request("/test.Echo/Wait"))
    + frame(DATA, 1, message(b""), END_STREAM)
    + frame(GOAWAY, 0, bytes(8)),
    "idle-frames": frame(PING, 0, bytes(8)) * 4 + frame(SETTINGS) * 4 + frame(DATA, 0, b""),
}  # fmt: skip

STATUS = ("grpc-status", "0")
BY_SERVERS = {
    "trailers-only": frame(SETTINGS) + head(1, response(STATUS), END_HEADERS | END_STREAM),
    "interim": frame(SETTINGS) + head(1, hpack.Encoder().encode([(":status", "100")]))
    + head(1, response()) + frame(DATA, 1, message(b"x"))
    + head(1, hpack.Encoder().encode([STATUS]), END_HEADERS | END_STREAM),
    "goaway": frame(SETTINGS) + frame(GOAWAY, 0, struct.pack(">II", 1, 0) + b"bye")
    + head(1, response(STATUS), END_HEADERS | END_STREAM),
    "refused": frame(SETTINGS) + frame(RESET, 3, b"\0\0\0\x07") + frame(RESET, 5, b"\0\0\0\x0b"),
    "no-streams": setting(3, 0) + setting(4, 0) + setting(5, 20000),
    "push": frame(SETTINGS) + frame(5, 1, struct.pack(">I", 2) + request(), END_HEADERS),
    "unasked": frame(SETTINGS) + head(7, response()) + frame(DATA, 9, b"x"),
    "bomb": frame(SETTINGS) + head(1, response() + bomb()),
    "window-overflow": frame(SETTINGS) + frame(WINDOW, 0, struct.pack(">I", 0x7FFFFFFF)),
}  # fmt: skip


def main(folder):
    def keep(target, name, content, options):
        place = folder / target
        place.mkdir(parents=True, exist_ok=True)
        (place / name).write_bytes(bytes([options]) + content[:LONGEST])

    for name, up, down in record():
        for options in (0, 128):
            keep("http2-server", f"grpcio-{name}-{options}", up, options)
            keep("http2-client", f"grpcio-{name}-{options}", down, options)
        keep("grpc-connection", f"grpcio-{name}", up, 0)
    for name, content in BY_CLIENTS.items():
        keep("http2-server", name, content, 200)
        keep("grpc-connection", name, content, 1)
    for name, content in BY_SERVERS.items():
        keep("http2-client", name, content, 100)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
