"""A proxy that holds back what goes through it, or loses it without a word."""

import contextlib
import socket
import threading


class StallingProxy:
    """Passes on what comes to a server and back, but between `stall` and `go_on`.

    `forget` loses all further bytes of the present connections, without an end.
    """

    def __init__(self, port):
        self.target = port
        self.passes = threading.Event()
        self.passes.set()
        self.forgotten = set()
        self.pairs = set()
        # The first client has come.
        self.connected = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def stall(self):
        self.passes.clear()

    def go_on(self):
        self.passes.set()

    def forget(self):
        self.forgotten |= set(self.pairs)

    def close(self):
        self._listener.close()
        self.passes.set()
        for pair in list(self.pairs):
            self._end(pair)

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                pair = client, socket.create_connection(("127.0.0.1", self.target))
                self.pairs.add(pair)
                self.connected.set()
                for source, sink in (pair, pair[::-1]):
                    threading.Thread(
                        target=self._pass, args=(source, sink, pair), daemon=True).start()

    def _pass(self, source, sink, pair):
        with contextlib.suppress(OSError):
            while chunk := source.recv(1 << 16):
                self.passes.wait()
                if pair in self.forgotten:
                    return
                sink.sendall(chunk)
        if pair not in self.forgotten:
            self._end(pair)

    @staticmethod
    def _end(pair):
        for end in pair:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
