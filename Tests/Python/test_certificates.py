"""The rights of a connection by its client's certificate: who comes in after each handshake, a
resumed session included, until when, and which authorities may sign certificates."""

import datetime
import os
import signal
import socket
import ssl
import subprocess
import time

import grpc
import hpack
import pytest
from authority import Authority, self_signed
from cryptography import x509
from people import People
from raw_peer import HEADERS, PREFACE, RawPeer, envelope, settings
from refusals import Refusal, refusal
from relationd import Relationd, executable
from stubs import Relation
from test_start import assert_refused, serve
from watching import Watching

VERSIONS = [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3]
# The lifetime of a certificate that ends during a test: long enough for a first handshake.
SECONDS = 4


@pytest.fixture(scope="module")
def encrypted(tmp_path_factory, authority, certificate):
    """A server that accepts no client without a certificate, and every client with one."""
    data = tmp_path_factory.mktemp("encrypted") / "data"
    with Relationd(data, *flags(certificate, authority.path), insecure=False) as running:
        yield running


def flags(certificate, clients):
    return [
        "--tls-cert", certificate.path, "--tls-key", certificate.key_path, "--client-ca", clients,
        "--require-client-cert", "--allow-anonymous",
    ]  # fmt: skip


def context(authority, version=None, client=None, protocols=("h2",)):
    made = ssl.create_default_context(cadata=authority.pem.decode())
    if protocols:
        made.set_alpn_protocols(protocols)
    if version:
        made.minimum_version = made.maximum_version = version
    if client:
        made.load_cert_chain(client.path, client.key_path)
    return made


def shake(running, secure, session=None):
    plain = socket.create_connection(("127.0.0.1", running.port), timeout=20)
    return secure.wrap_socket(plain, server_hostname="127.0.0.1", session=session)


def greeting(connection):
    """The first bytes of a server that has let a client in; empty if it ends the connection."""
    try:
        connection.sendall(PREFACE + settings())
        return connection.recv(9)
    except (ssl.SSLError, ConnectionError):
        return b""


def wait_until(certificate):
    """Sleeps until a certificate has ended: no clock of the server's can be set from here."""
    end = certificate.certificate.not_valid_after_utc + datetime.timedelta(seconds=1.1)
    time.sleep(max(0, (end - datetime.datetime.now(datetime.timezone.utc)).total_seconds()))


def logged(running, *words):
    """Waits for a line of the log with all of `words`."""
    for _ in range(200):
        for line in running.log.splitlines():
            if all(word in line for word in words):
                return line
        time.sleep(0.02)
    raise AssertionError(running.log)


# After the handshake


@pytest.mark.parametrize("version", VERSIONS)
def test_a_certificate_that_has_ended_opens_no_session_again(encrypted, authority, version):
    client = authority.client(f"short-{version.name}", SECONDS)
    secure = context(authority, version, client)
    with shake(encrypted, secure) as first:
        assert greeting(first)[3] == 4 and not first.session_reused
        session = first.session
    # While the certificate is good its session is taken up, and so shows it.
    with shake(encrypted, secure, session) as again:
        assert again.session_reused
        assert greeting(again)[3] == 4
        session = again.session or session
    wait_until(client)
    with shake(encrypted, secure, session) as late:
        assert late.session_reused
        assert greeting(late) == b""
    assert logged(encrypted, "violation=expired_certificate")


@pytest.mark.parametrize("version", VERSIONS)
def test_a_session_of_an_authority_that_is_gone_is_not_taken_up(
    start, authority, certificate, tmp_path, version
):
    other = Authority(tmp_path, "other")
    path = tmp_path / "now.pem"
    path.write_bytes(authority.pem + other.pem)
    running = start("data", *flags(certificate, path), insecure=False)
    secure = context(authority, version, authority.client("leaving"))
    with shake(running, secure) as first:
        assert greeting(first)[3] == 4
        session = first.session
    with shake(running, secure, session) as again:
        assert again.session_reused
        assert greeting(again)[3] == 4
        session = again.session or session
    path.write_bytes(other.pem)
    running.process.send_signal(signal.SIGHUP)
    logged(running, "SIGHUP")
    with pytest.raises((ssl.SSLError, ConnectionError)):
        with shake(running, secure, session) as late:
            assert not late.session_reused
            late.sendall(PREFACE + settings())
            assert late.recv(9) == b""
            raise ConnectionError
    with shake(running, context(authority, version, other.client())) as staying:
        assert greeting(staying)[3] == 4


def test_a_connection_ends_politely_with_its_certificate(encrypted, authority, stubs):
    client = authority.client("lasting", SECONDS)
    credentials = grpc.ssl_channel_credentials(authority.pem, client.key_pem, client.pem)
    with grpc.secure_channel(encrypted.address, credentials) as channel:
        relation = Relation(stubs, channel)
        (user,) = People(relation)(1)
        stream = Watching(relation, user_id=user)
        stream.state()
        with pytest.raises(grpc.RpcError) as caught:
            stream.next()
        ended = datetime.datetime.now(datetime.timezone.utc)
        told = Refusal(caught.value)
        # The server tells the client, with the place from which to go on, and does not cut it off.
        assert (told.code, told.reason) == (grpc.StatusCode.UNAVAILABLE, "STOPPING"), told
        assert told.metadata["resume_token"]
        last = client.certificate.not_valid_after_utc
        assert last <= ended <= last + datetime.timedelta(seconds=15)
        # The client is not let in again.
        assert refusal(relation, "GetStats").code == grpc.StatusCode.UNAVAILABLE


# Without HTTP/2 in the handshake


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("protocols", [(), ("http/1.1",)])
def test_a_client_that_does_not_agree_on_h2_speaks_http1_with_its_certificate(
    encrypted, authority, version, protocols
):
    secure = context(authority, version, authority.client("any"), protocols)
    with shake(encrypted, secure) as connection:
        connection.sendall(
            b"POST /relation.v1.AppService/ListApps HTTP/1.1\r\nhost: localhost\r\n"
            b"content-type: application/json\r\ncontent-length: 2\r\n\r\n{}")
        assert connection.recv(4_096).startswith(b"HTTP/1.1 200 ")


def test_no_call_of_http2_runs_after_such_a_handshake(start, authority, certificate, stubs):
    running = start("data", *flags(certificate, authority.path), insecure=False)
    client = authority.client("eager")
    secure = context(authority, ssl.TLSVersion.TLSv1_3, client, ())
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    connection = secure.wrap_bio(incoming, outgoing, server_hostname="127.0.0.1")
    with socket.create_connection(("127.0.0.1", running.port), timeout=20) as plain:
        while True:
            try:
                connection.do_handshake()
                break
            except ssl.SSLWantReadError:
                plain.sendall(outgoing.read())
                incoming.write(plain.recv(1 << 16))
        # The end of the handshake and the call leave in one piece.
        fields = RawPeer.request(None, "/relation.v1.AppService/CreateApp")
        block = hpack.Encoder().encode(fields)
        body = envelope(stubs.request("CreateApp", {"name": "eager"}).SerializeToString())
        head = len(block).to_bytes(3, "big") + bytes([HEADERS, 4, 0, 0, 0, 1])
        data = len(body).to_bytes(3, "big") + bytes([0, 1, 0, 0, 0, 1])
        connection.write(PREFACE + settings() + head + block + data + body)
        plain.sendall(outgoing.read())
        while plain.recv(1 << 16):
            pass
    credentials = grpc.ssl_channel_credentials(authority.pem, client.key_pem, client.pem)
    with grpc.secure_channel(running.address, credentials) as channel:
        names = [app.name for app in Relation(stubs, channel)("ListApps").apps]
        assert "eager" not in names


# Signers


def usage(signs):
    return x509.KeyUsage(True, False, False, False, False, signs, False, False, False)


NAMES = x509.SubjectAlternativeName([x509.DNSName("pinned.example")])
PINNED = {
    "nothing": [],
    "names": [NAMES],
    "not an authority": [x509.BasicConstraints(False, None)],
    "a leaf's use": [NAMES, usage(False)],
    "an authority's name and a leaf's use": [x509.BasicConstraints(True, None), usage(False)],
}


@pytest.mark.parametrize("says", PINNED)
def test_a_certificate_that_signs_only_itself_is_no_authority(
    tmp_path, authority, certificate, says
):
    pinned = self_signed(tmp_path, "pinned", *PINNED[says])
    answer = serve(tmp_path / "data", *flags(certificate, pinned.path))
    assert_refused(
        answer, pinned.path, "certificate 1", "not an authority's", "basicConstraints CA:TRUE",
        "not even one that signs itself")
    # Beside an authority, the certificate is still not an authority.
    both = tmp_path / "both.pem"
    both.write_bytes(authority.pem + pinned.pem)
    assert_refused(serve(tmp_path / "data", *flags(certificate, both)), both, "certificate 2")
    assert not (tmp_path / "data").exists()


def test_an_authority_without_its_root_is_refused(tmp_path, authority, certificate):
    between = authority.intermediate()
    answer = serve(tmp_path / "data", *flags(certificate, between.path))
    assert_refused(answer, between.path, "the root")


@pytest.mark.parametrize("bounded", [False, True])
def test_an_authority_that_signs_itself_is_taken(start, authority, certificate, tmp_path, bounded):
    more = [usage(True)] if bounded else []
    root = self_signed(tmp_path, "root", x509.BasicConstraints(True, None), *more)
    both = tmp_path / "both.pem"
    both.write_bytes(authority.intermediate().pem + root.pem)
    running = start("data", *flags(certificate, both), insecure=False)
    with shake(running, context(authority, client=root)) as connection:
        assert greeting(connection)[3] == 4


def test_a_reload_takes_no_pinned_certificate_for_an_authority(
    start, authority, certificate, tmp_path
):
    path = tmp_path / "now.pem"
    path.write_bytes(authority.pem)
    running = start("data", *flags(certificate, path), insecure=False)
    path.write_bytes(self_signed(tmp_path, "pinned", NAMES).pem)
    running.process.send_signal(signal.SIGHUP)
    logged(running, "stays as it was", str(path), "not an authority's")
    with shake(running, context(authority, client=authority.client("staying"))) as connection:
        assert greeting(connection)[3] == 4


def test_the_help_says_who_may_sign():
    done = subprocess.run(
        [executable("relationd"), "serve", "--help"], capture_output=True, text=True, timeout=30)
    words = " ".join(done.stdout.split())
    assert "A client's own certificate does not work here, not even one that signs itself." in words
    done = subprocess.run(
        [executable("relationctl"), "call", "--help"], capture_output=True, text=True, timeout=30)
    words = " ".join(done.stdout.split())
    assert "A server's own certificate works only if it signs itself and may sign others." in words


def test_the_command_line_says_that_a_servers_own_certificate_is_no_root(
    start, authority, tmp_path
):
    leaf = authority.server("issued")
    limited = self_signed(
        tmp_path, "limited", x509.SubjectAlternativeName([x509.DNSName("localhost")]), usage(False))
    free = self_signed(tmp_path, "free", x509.SubjectAlternativeName([x509.DNSName("localhost")]))
    for shown, works in [(leaf, False), (limited, False), (free, True)]:
        running = start(
            shown.path.stem, "--tls-cert", shown.path, "--tls-key", shown.key_path,
            "--allow-anonymous", insecure=False)
        done = subprocess.run(
            [
                executable("relationctl"), "call", "--server", running.address,
                "--tls-ca", str(shown.path), "--tls-name", "localhost", "GetStats",
            ],
            capture_output=True, text=True, timeout=60, env=dict(os.environ),
        )  # fmt: skip
        if works:
            assert done.returncode == 0, done.stderr
        else:
            assert done.returncode != 0 and str(shown.path) in done.stderr
            assert "A chain ends at its root" in done.stderr
