"""A proxy before PostgreSQL that cuts a connection at a chosen message, or in the middle of it."""

import socket
import struct
import threading


class CuttingProxy:
    """Listens on `port`, and passes on what comes to a server and back.

    `arm(n, part)` cuts the connection on which the n-th message from now on goes, in either
    direction: with `part` 0 before it, with 1 behind it, and else so far into it.
    """

    def __init__(self, port):
        self.target = port
        self.cuts = 0
        self._lock = threading.Lock()
        self._left = None
        self._part = 0.0
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def arm(self, number, part):
        with self._lock:
            self._left, self._part = number, part

    @property
    def is_armed(self):
        with self._lock:
            return self._left is not None

    def close(self):
        self._listener.close()

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            try:
                server = socket.create_connection(("127.0.0.1", self.target))
            except OSError:
                client.close()
                continue
            pair = client, server
            for source, sink, is_client in ((client, server, True), (server, client, False)):
                source.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                threading.Thread(
                    target=self._pass, args=(source, sink, pair, is_client), daemon=True).start()

    def _pass(self, source, sink, pair, is_client):
        stream = source.makefile("rb")
        try:
            if is_client:
                # The first message of a client has no type.
                size = stream.read(4)
                sink.sendall(size + stream.read(struct.unpack("!I", size)[0] - 4))
            while True:
                head = stream.read(5)
                if len(head) < 5:
                    break
                message = head + stream.read(struct.unpack("!I", head[1:])[0] - 4)
                part = self._next()
                if part is not None:
                    sink.sendall(message[:round(len(message) * part)])
                    break
                sink.sendall(message)
        except (OSError, struct.error):
            pass
        for end in pair:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def _next(self):
        """How much of the present message passes before the cut; None for no cut."""
        with self._lock:
            if self._left is None:
                return None
            self._left -= 1
            if self._left > 0:
                return None
            self._left = None
            self.cuts += 1
            return self._part
