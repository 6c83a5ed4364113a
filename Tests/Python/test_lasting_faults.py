"""Faults of how client and server are set up stay as they are, so a client meets each of them once.

Each listener here counts the connections that are made to it for one call of `relationctl`, which
makes a call again as every user of the client library does.
"""

import os
import socket
import ssl
import subprocess
import threading

import pytest
from authority import Authority
from relationd import executable

#: How often a call is made at most, where the fault may pass.
ATTEMPTS = 5


class Listener:
    """Counts connections, and speaks to each as `answer` says until the client has gone."""

    def __init__(self, answer):
        self.answer = answer
        self.count = 0
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.address = "127.0.0.1:{}".format(self.socket.getsockname()[1])
        self.thread = threading.Thread(target=self.listen)
        self.thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        # A thread that waits for a connection does not see that its socket is closed.
        self.socket.shutdown(socket.SHUT_RDWR)
        self.thread.join()
        self.socket.close()

    def listen(self):
        while True:
            try:
                peer, _ = self.socket.accept()
            except OSError:
                return
            self.count += 1
            try:
                with peer:
                    self.answer(peer)
            except OSError:
                pass


def encrypted(certificate):
    """Makes a handshake, and sends nothing after it."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate.path, certificate.key_path)
    context.set_alpn_protocols(["h2"])

    def answer(peer):
        with context.wrap_socket(peer, server_side=True) as secured:
            while secured.recv(1_000):
                pass

    return answer


def saying(answer):
    """Sends `answer` to what comes first, and ends without a reset, which could take it along."""

    def answering(peer):
        peer.recv(1 << 16)
        peer.sendall(answer)
        peer.shutdown(socket.SHUT_WR)
        while peer.recv(1 << 16):
            pass

    return answering


HTTP1 = b"HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n"
#: The alert of TLS that no version of it was offered.
ALERT = bytes([0x15, 3, 1, 0, 2, 2, 70])
#: The first frame of HTTP/2: settings, of which there are none.
SETTINGS = bytes(3) + b"\4" + bytes(5)


def call(listener, *arguments):
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("RELATION_")}
    done = subprocess.run(
        [executable("relationctl"), "call", "GetStats", "--server", listener.address,
         "--timeout", "60", *map(str, arguments)],
        capture_output=True, text=True, timeout=120, env=environment)  # fmt: skip
    assert done.returncode == 3, (done.returncode, done.stderr)
    return done.stderr


@pytest.fixture(scope="module")
def untrusted(tmp_path_factory):
    """An authority that has signed none of the certificates."""
    return Authority(tmp_path_factory.mktemp("untrusted"))


def test_a_certificate_of_an_authority_that_is_not_trusted_is_met_once(certificate, untrusted):
    with Listener(encrypted(certificate)) as listener:
        words = call(listener, "--tls-ca", untrusted.path)
    assert "cannot connect" in words and listener.count == 1, words


def test_a_certificate_for_another_name_is_met_once(authority, certificate):
    with Listener(encrypted(certificate)) as listener:
        words = call(listener, "--tls-ca", authority.path, "--tls-name", "other.test")
    assert "other.test was expected" in words and listener.count == 1, words


def test_a_server_that_encrypts_is_met_once_by_a_client_that_does_not():
    with Listener(saying(ALERT)) as listener:
        words = call(listener)
    assert "let the client use TLS" in words and listener.count == 1, words


@pytest.mark.parametrize("answer", [HTTP1, SETTINGS])
def test_a_server_that_does_not_encrypt_is_met_once_by_a_client_that_does(authority, answer):
    with Listener(saying(answer)) as listener:
        words = call(listener, "--tls-ca", authority.path)
    assert listener.count == 1, words


def test_a_server_of_another_protocol_is_met_once():
    with Listener(saying(HTTP1)) as listener:
        words = call(listener)
    assert "HTTP/1" in words and listener.count == 1, words


def test_a_server_that_ends_its_connections_is_met_again():
    with Listener(saying(b"")) as listener:
        call(listener)
    assert listener.count == ATTEMPTS
