"""A server of the test service that misbehaves in one way, frame by frame (Python's h2)."""

import gzip
import socket
import threading

import h2.config
import h2.connection
import h2.errors
import h2.events
import h2.exceptions
import h2.settings

HEAD = [(":status", "200"), ("content-type", "application/grpc")]
TRAILERS = [("grpc-status", "0")]
PAD = 37
PINGS = 3


def envelopes(body):
    """The flag and the bytes of each message."""
    while body:
        length = int.from_bytes(body[1:5], "big")
        yield body[0], body[5 : 5 + length]
        body = body[5 + length :]


class HostileServer:
    """Listens until it is closed; `case` names its misbehaviour.

    It notes the actions of clients: `connections`, `most_streams` at once, `unanswered_pings`.
    """

    def __init__(self, messages, case):
        self.messages = messages
        self.case = case
        self.connections = 0
        self.most_streams = 0
        self.unanswered_pings = 0
        self.faults = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=Connection(self, client).run, daemon=True).start()

    def close(self):
        # Closing alone does not wake the thread that accepts.
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Connection:
    def __init__(self, server, client):
        self.server = server
        self.case = server.case
        self.client = client
        self.h2 = h2.connection.H2Connection(
            h2.config.H2Configuration(client_side=False, header_encoding="utf-8")
        )
        if self.case == "max_streams":
            self.h2.local_settings = h2.settings.Settings(
                client=False,
                initial_values={h2.settings.SettingCodes.MAX_CONCURRENT_STREAMS: 1},
            )
        self.paths = {}
        self.bodies = {}
        self.waiting = {}
        self.pinged = 0
        self.ended = False

    def run(self):
        try:
            self.h2.initiate_connection()
            self.ping()
            self.flush()
            while data := self.client.recv(65536):
                if self.ended:
                    # Frames that cross a GOAWAY are taken and ignored.
                    continue
                for event in self.h2.receive_data(data):
                    self.handle(event)
                self.pump()
                self.flush()
        except h2.exceptions.ProtocolError as error:
            self.server.faults.append(repr(error))
        except OSError:
            pass
        finally:
            self.client.close()

    def flush(self):
        self.client.sendall(self.h2.data_to_send())

    def ping(self):
        if self.case != "ping":
            return
        for _ in range(PINGS):
            self.pinged += 1
            self.server.unanswered_pings += 1
            self.h2.ping(self.pinged.to_bytes(8, "big"))

    def handle(self, event):
        stream = getattr(event, "stream_id", None)
        if isinstance(event, h2.events.RequestReceived):
            self.paths[stream] = dict(event.headers)[":path"]
            self.bodies[stream] = b""
            open_streams = len(self.bodies)
            self.server.most_streams = max(self.server.most_streams, open_streams)
            self.ping()
        elif isinstance(event, h2.events.DataReceived):
            self.bodies[stream] += event.data
            self.h2.acknowledge_received_data(event.flow_controlled_length, stream)
        elif isinstance(event, h2.events.StreamEnded):
            self.answer(stream, self.bodies[stream])
        elif isinstance(event, h2.events.PingAckReceived):
            self.server.unanswered_pings -= 1

    def answer(self, stream, body):
        messages = list(envelopes(body))
        status, answer = self.server_answer(self.paths[stream].rpartition("/")[2], messages)
        if answer is None:
            self.h2.send_headers(stream, HEAD + [("grpc-status", str(status))], end_stream=True)
            del self.bodies[stream]
            return
        self.h2.send_headers(stream, HEAD)
        self.ping()
        if self.case == "rst_after_header":
            return self.reset(stream)
        data = answer.SerializeToString()
        data = b"\0" + len(data).to_bytes(4, "big") + data
        self.waiting[stream] = data[: len(data) // 2] if self.case == "rst_during_data" else data

    def server_answer(self, name, requests):
        """The status, and the answer if it is OK."""
        messages = self.server.messages
        kind = messages.service.methods_by_name[name].input_type.name
        total = 0
        for flag, data in requests:
            request = getattr(messages, kind).FromString(gzip.decompress(data) if flag else data)
            if request.expect_compressed.value and not flag:
                return 3, None
            total += len(request.payload.body)
        if name == "StreamingInputCall":
            return 0, messages.StreamingInputCallResponse(aggregated_payload_size=total)
        return 0, messages.SimpleResponse(payload=messages.payload(request.response_size))

    def pump(self):
        """Sends as much of each answer as the client's windows allow."""
        for stream, data in list(self.waiting.items()):
            pad = PAD if self.case == "data_frame_padding" else None
            extra = PAD + 1 if pad else 0
            while data:
                room = min(
                    self.h2.local_flow_control_window(stream), self.h2.max_outbound_frame_size
                )
                if room <= extra:
                    break
                count = min(len(data), room - extra)
                self.h2.send_data(stream, data[:count], pad_length=pad)
                data = data[count:]
            self.waiting[stream] = data
            if not data:
                self.end(stream)

    def end(self, stream):
        del self.waiting[stream]
        self.ping()
        if self.case in ("rst_during_data", "rst_after_data"):
            return self.reset(stream)
        self.h2.send_headers(stream, TRAILERS, end_stream=True)
        del self.bodies[stream]
        if self.case == "goaway":
            self.h2.close_connection(last_stream_id=stream)
            self.ended = True

    def reset(self, stream):
        self.h2.reset_stream(stream, h2.errors.ErrorCodes.NO_ERROR)
        self.bodies.pop(stream, None)
