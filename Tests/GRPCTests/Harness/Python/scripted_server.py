"""A server for our client: it answers rightly or wrongly, as the path of a request says."""

import gzip
import os
import socket
import sys
import threading

import h2.config
import h2.connection
import h2.events
import h2.exceptions
import h2.settings

HEAD = [(":status", "200"), ("content-type", "application/grpc")]
connections = 0
most_open = 0


def envelope(body):
    return b"\0" + len(body).to_bytes(4, "big") + body


class Connection:
    def __init__(self, client, number):
        self.client = client
        self.number = number
        config = h2.config.H2Configuration(client_side=False, header_encoding="utf-8")
        self.h2 = h2.connection.H2Connection(config)
        self.paths = {}
        self.bodies = {}
        self.open = set()

    def run(self):
        self.h2.local_settings = h2.settings.Settings(
            client=False,
            initial_values={h2.settings.SettingCodes.MAX_CONCURRENT_STREAMS: 2})
        self.h2.initiate_connection()
        self.flush()
        while data := self.client.recv(65536):
            try:
                events = self.h2.receive_data(data)
            except h2.exceptions.ProtocolError as error:
                print("protocol error", error, file=sys.stderr, flush=True)
                break
            for event in events:
                self.handle(event)
            self.flush()

    def flush(self):
        self.client.sendall(self.h2.data_to_send())

    def handle(self, event):
        global most_open
        if isinstance(event, h2.events.RequestReceived):
            self.paths[event.stream_id] = dict(event.headers)[":path"]
            self.bodies[event.stream_id] = b""
            self.open.add(event.stream_id)
            most_open = max(most_open, len(self.open))
        elif isinstance(event, h2.events.DataReceived):
            self.bodies[event.stream_id] += event.data
            self.h2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
        elif isinstance(event, h2.events.StreamEnded):
            self.answer(event.stream_id)
            self.open.discard(event.stream_id)

    def answer(self, stream):
        _, kind, *rest = self.paths[stream].split("/")
        send, data = self.h2.send_headers, self.h2.send_data
        if kind == "reset":
            self.h2.reset_stream(stream, int(rest[0]))
        elif kind == "http":
            send(stream, [(":status", rest[0])], end_stream=True)
        elif kind == "nostatus":
            send(stream, HEAD)
            data(stream, envelope(b"x"), end_stream=True)
        elif kind == "headstatus":
            send(stream, HEAD + [("grpc-status", rest[0]), ("x-head", "1")])
            data(stream, envelope(b"x") if rest[1] else b"", end_stream=True)
        elif kind == "otherhead":
            send(stream, [(":status", rest[0]), ("grpc-status", "0")])
            data(stream, envelope(b"x"))
            send(stream, [("grpc-status", "0")], end_stream=True)
        elif kind == "bothstatuses":
            send(stream, HEAD + [("grpc-status", rest[0])])
            data(stream, envelope(b"x"))
            send(stream, [("grpc-status", rest[1])], end_stream=True)
        elif kind == "twostatuses":
            send(stream, HEAD)
            data(stream, envelope(b"x"))
            send(stream, [("grpc-status", one) for one in rest], end_stream=True)
        elif kind == "twoheadstatuses":
            send(stream, HEAD + [("grpc-status", one) for one in rest], end_stream=True)
        elif kind == "format":
            send(stream, HEAD[:1] + [("content-type", "/".join(rest))])
            data(stream, envelope(b"x"))
            send(stream, [("grpc-status", "0")], end_stream=True)
        elif kind == "wrongtype":
            send(stream, [(":status", "200"), ("content-type", "text/html")])
            data(stream, b"<html>", end_stream=True)
        elif kind == "messages":
            send(stream, HEAD)
            for _ in range(int(rest[0])):
                data(stream, envelope(b"x"))
            send(stream, [("grpc-status", "0")], end_stream=True)
        elif kind == "truncated":
            send(stream, HEAD)
            data(stream, b"\0\0\0\0\x09abc")
            send(stream, [("grpc-status", "0")], end_stream=True)
        elif kind == "compressed":
            send(stream, HEAD)
            data(stream, b"\x01\0\0\0\x01a")
            send(stream, [("grpc-status", "0")], end_stream=True)
        elif kind == "encoded":
            # The head names an encoding, and the message is not valid in it.
            send(stream, HEAD + [("grpc-encoding", rest[0])])
            data(stream, b"\x01\0\0\0\x03abc")
            send(stream, [("grpc-status", "0")], end_stream=True)
        elif kind == "bomb":
            send(stream, HEAD + [("grpc-encoding", "gzip")])
            body = gzip.compress(bytes(int(rest[0])))
            data(stream, b"\x01" + len(body).to_bytes(4, "big") + body)
            send(stream, [("grpc-status", "0")], end_stream=True)
        elif kind == "long":
            send(stream, HEAD)
            data(stream, b"\0\xff\xff\xff\xff")
            send(stream, [("grpc-status", "0")], end_stream=True)
        elif kind == "interim":
            send(stream, [(":status", "103"), ("link", "x")])
            self.reply(stream, b"x")
        elif kind == "status":
            send(stream, HEAD + [
                ("grpc-status", rest[0]), ("grpc-message", "a%20b%zz"),
                ("grpc-status-details-bin", "CAU"), ("x-more-bin", "AQ=="),
            ], end_stream=True)
        elif kind == "goaway" and self.number == 0:
            # No stream after the one before this one was processed.
            self.h2.close_connection(last_stream_id=stream - 2)
        elif kind == "refuse" and stream == 1:
            self.h2.reset_stream(stream, 7)
        elif kind == "drop":
            self.flush()
            self.client.shutdown(socket.SHUT_RDWR)
        elif kind == "hang":
            pass
        elif kind == "most":
            self.reply(stream, b"%d" % most_open)
        else:
            self.reply(stream, b"%d" % self.number)

    def reply(self, stream, body):
        self.h2.send_headers(stream, HEAD)
        self.h2.send_data(stream, envelope(body))
        self.h2.send_headers(stream, [("grpc-status", "0")], end_stream=True)


def serve(connection):
    try:
        connection.run()
    except OSError:
        pass
    finally:
        connection.client.close()


def end_with_input():
    sys.stdin.read()
    os._exit(0)


threading.Thread(target=end_with_input, daemon=True).start()
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
while True:
    accepted, _ = listener.accept()
    threading.Thread(target=serve, args=(Connection(accepted, connections),), daemon=True).start()
    connections += 1
