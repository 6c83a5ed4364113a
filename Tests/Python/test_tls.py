"""Encrypted connections and sockets in the file system: the clients that may come in, and the
addresses at which a server listens. Row 58 of the wire's table is here."""

import contextlib
import json
import os
import signal
import socket
import ssl
import subprocess

import grpc
import pytest
from authority import Authority
from credentials import Keys, bearer, init, sign, usersig
from refusals import refusal
from relationd import Relationd, executable
from stubs import Relation
from test_bad_input import CALLS
from test_credentials import SCOPES, assert_opens_its_calls
from test_scopes import outcome
from test_start import assert_refused, serve

# Python warns of the old versions of TLS that are offered here.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\x00\x00\x00\x04\x00\x00\x00\x00\x00"


@pytest.fixture(scope="module")
def encrypted(tmp_path_factory, authority, certificate):
    """A server that encrypts and asks for credentials, a client certificate among them."""
    data = tmp_path_factory.mktemp("encrypted") / "data"
    _, operator, _ = init(data)
    with Relationd(
        data, "--tls-cert", certificate.path, "--tls-key", certificate.key_path,
        "--client-ca", authority.path, insecure=False,
    ) as running:  # fmt: skip
        running.operator = operator
        yield running


def secure(running, authority, client=None):
    shown = (client.key_pem, client.pem) if client else (None, None)
    credentials = grpc.ssl_channel_credentials(authority.pem, *shown)
    return grpc.secure_channel(running.address, credentials)


@pytest.fixture(scope="module")
def keys(encrypted, stubs, authority):
    with secure(encrypted, authority) as channel:
        yield Keys(stubs, channel, encrypted.operator)


def shake(running, authority, *protocols, version=None, client=None):
    """A handshake by Python's own TLS; returns the socket after it."""
    context = ssl.create_default_context(cadata=authority.pem.decode())
    if protocols:
        context.set_alpn_protocols(protocols)
    if version:
        context.minimum_version = ssl.TLSVersion.TLSv1
        context.maximum_version = version
        context.set_ciphers("ALL:@SECLEVEL=0")
    if client:
        context.load_cert_chain(client.path, client.key_path)
    plain = socket.create_connection(("127.0.0.1", running.port), timeout=20)
    return context.wrap_socket(plain, server_hostname="127.0.0.1")


def ended(connection):
    """Whether the other side ends the connection and sends nothing more."""
    try:
        while connection.recv(4_096):
            pass
    except (ssl.SSLError, ConnectionError):
        return True
    return True


# Row 58


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_row_58_http2_is_chosen_in_the_handshake(encrypted, authority, version):
    with shake(encrypted, authority, "http/1.1", "h2", version=version) as connection:
        assert connection.selected_alpn_protocol() == "h2"
        assert connection.version() == {0x303: "TLSv1.2", 0x304: "TLSv1.3"}[version]
        connection.sendall(PREFACE)
        # SETTINGS of the server.
        assert connection.recv(9)[3] == 4


@pytest.mark.parametrize("protocols", [(), ("http/1.1",), ("h2c", "http/1.1")])
def test_row_58_without_http2_in_the_handshake_http1_is_spoken(encrypted, authority, protocols):
    chosen = "http/1.1" if protocols else None
    with shake(encrypted, authority, *protocols) as connection:
        assert connection.selected_alpn_protocol() == chosen
        connection.sendall(b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n")
        assert connection.recv(4_096).startswith(b"HTTP/1.1 405 ")


@pytest.mark.parametrize("protocols", [(), ("http/1.1",)])
def test_row_58_http2_is_not_spoken_without_the_handshake(encrypted, authority, protocols):
    with shake(encrypted, authority, *protocols) as connection:
        connection.sendall(PREFACE)
        heard = b""
        try:
            while data := connection.recv(4_096):
                heard += data
        except (ssl.SSLError, ConnectionError):
            pass
        assert heard == b"" or heard.startswith(b"HTTP/1.1 4") or heard.startswith(b"HTTP/1.1 5")


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1])
def test_row_58_older_versions_are_refused(encrypted, authority, version):
    with pytest.raises((ssl.SSLError, ConnectionError)):
        shake(encrypted, authority, "h2", version=version)


@pytest.mark.parametrize(
    "suite", ["ECDHE-ECDSA-AES128-SHA", "ECDHE-ECDSA-AES256-SHA384", "AES128-GCM-SHA256"]
)
def test_row_58_suites_that_http2_forbids_are_refused(encrypted, authority, suite):
    context = ssl.create_default_context(cadata=authority.pem.decode())
    context.set_alpn_protocols(["h2"])
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    context.set_ciphers(f"{suite}:@SECLEVEL=0")
    with socket.create_connection(("127.0.0.1", encrypted.port), timeout=20) as plain:
        with pytest.raises((ssl.SSLError, ConnectionError)):
            context.wrap_socket(plain, server_hostname="127.0.0.1")


@pytest.mark.parametrize("sent", [PREFACE, b"GET / HTTP/1.1\r\n\r\n", b"\x16\x03\x01", b"\x00" * 99])
def test_row_58_what_is_not_encrypted_ends_an_encrypted_connection(encrypted, sent):
    with socket.create_connection(("127.0.0.1", encrypted.port), timeout=20) as plain:
        plain.sendall(sent)
        plain.shutdown(socket.SHUT_WR)
        assert ended(plain)


def test_row_58_a_plain_port_takes_both_versions_at_once(server):
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as plain:
        plain.sendall(PREFACE)
        assert plain.recv(9)[3] == 4
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as plain:
        plain.sendall(b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n")
        assert plain.recv(4_096).startswith(b"HTTP/1.1 405 ")


# Calls


def test_calls_of_all_sizes_pass_through_tls(keys):
    app = keys.app()
    users = [f"u{number}" for number in range(1_500)]
    keys.accounts(app, *users)
    mine = keys.with_key(keys.key(app))
    for first in range(1, 1_500, 100):
        friends = [
            {"user_id": user, "remark": "r" * 90} for user in users[first:first + 100]]
        assert mine("AddFriends", user_id="u0", items=friends).applied
    page = mine("ListFriends", user_id="u0", page_size=1_000)
    assert page.total_size == 1_499 and len(page.friends) == 1_000


def test_a_user_comes_in_over_tls(keys):
    app = keys.app()
    keys.accounts(app, "ann")
    mine = keys.with_signature(sign(app, keys.secret(app), "ann"))
    assert mine("GetSelfProfile").profile.user_id == "ann"


def test_a_client_that_does_not_trust_the_server_does_not_come_in(encrypted, stubs, tmp_path):
    with secure(encrypted, Authority(tmp_path, "other")) as channel:
        refused = refusal(Relation(stubs, channel), "GetStats")
        assert refused.code == grpc.StatusCode.UNAVAILABLE


def test_a_stop_does_not_wait_for_encrypted_connections(start, stubs, authority, certificate):
    running = start(
        "data", "--tls-cert", certificate.path, "--tls-key", certificate.key_path,
        "--allow-anonymous", insecure=False,
    )  # fmt: skip
    with secure(running, authority) as channel:
        assert Relation(stubs, channel)("GetStats")
        with shake(running, authority, "h2"):
            assert running.stop() == 0


# Client certificates


def register(keys, app, certificate, *scopes, **fields):
    names = scopes or ("read", "write", "watch", "admin")
    return keys.as_operator(app)(
        "CreateCredential", certificate_sha256=certificate.fingerprint,
        scopes=[f"SCOPE_{name.upper()}" for name in names], **fields)


@pytest.fixture(scope="module")
def walked(encrypted, keys, authority):
    """Maps each kind of caller with a certificate to its channel, its metadata and its scopes."""
    app, other = keys.app(), keys.app()
    keys.accounts(other, "ann")
    token = usersig(sign(other, keys.secret(other), "ann"))
    with contextlib.ExitStack() as channels:
        kinds = {}
        for kind in [*SCOPES, "service"]:
            client = authority.client(f"walk-{kind}")
            scopes = SCOPES if kind == "service" else [kind]
            register(keys, app, client, *scopes)
            channel = channels.enter_context(secure(encrypted, authority, client))
            kinds[kind] = channel, [("x-app-id", str(app))], set(scopes)
        # A signature goes before the certificate of the connection on which it comes.
        kinds["user"] = kinds["service"][0], [token], {"read", "write", "watch"}
        foreign = authority.client("walk-unregistered")
        channel = channels.enter_context(secure(encrypted, authority, foreign))
        kinds["unregistered"] = channel, [("x-app-id", str(app))], set()
        yield kinds


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("kind", [*SCOPES, "service", "user"])
def test_a_certificate_opens_exactly_the_calls_of_its_scopes(stubs, walked, call, kind):
    channel, metadata, scopes = walked[kind]
    assert_opens_its_calls(stubs, channel, call, kind, metadata, scopes)


@pytest.mark.parametrize("call", CALLS)
def test_a_certificate_that_is_not_registered_opens_no_call(stubs, walked, call):
    channel, metadata, _ = walked["unregistered"]
    refused = outcome(stubs, channel, call, *metadata)
    assert (refused.code, refused.reason) == (
        grpc.StatusCode.UNAUTHENTICATED, "CREDENTIAL_INVALID",
    )  # fmt: skip


def test_a_registered_certificate_stands_for_a_key(encrypted, stubs, keys, authority):
    app = keys.app()
    client = authority.client("backend")
    made = register(keys, app, client, "read", name="backend")
    assert made.key == ""
    assert made.credential.certificate_sha256 == client.fingerprint
    listed = keys.as_operator(app)("ListCredentials").credentials
    assert [row.certificate_sha256 for row in listed] == [client.fingerprint]
    keys.accounts(app, "ann")
    with secure(encrypted, authority, client) as channel:
        mine = Relation(stubs, channel, [("x-app-id", str(app))])
        assert mine("ListFriends", user_id="ann").total_size == 0
        refused = refusal(mine, "GetStats")
        assert (refused.code, refused.reason) == (
            grpc.StatusCode.PERMISSION_DENIED, "SCOPE_MISSING",
        )  # fmt: skip
        # The credential of the call goes before the connection's certificate.
        service = Relation(stubs, channel, [bearer(keys.key(app))])
        assert service("GetStats")
        assert refusal(Relation(stubs, channel, [bearer("1.2.3")]), "GetStats").reason == (
            "CREDENTIAL_INVALID")
        # It is of no other app, and names its own.
        refused = refusal(Relation(stubs, channel), "ListFriends", user_id="ann")
        assert (refused.code, refused.reason) == (
            grpc.StatusCode.UNAUTHENTICATED, "CREDENTIAL_MISSING",
        )  # fmt: skip
        assert "x-app-id" in refused.message
        other = Relation(stubs, channel, [("x-app-id", str(keys.app()))])
        assert refusal(other, "ListFriends", user_id="ann").reason == "CREDENTIAL_INVALID"
        # After its revocation it opens nothing, on existing connections too.
        keys.as_operator(app)("RevokeCredential", credential_id=made.credential.credential_id)
        refused = refusal(mine, "ListFriends", user_id="ann")
        assert (refused.code, refused.reason) == (
            grpc.StatusCode.UNAUTHENTICATED, "CREDENTIAL_INVALID",
        )  # fmt: skip


def test_a_certificate_is_registered_once_with_an_app_and_with_any_other(
    encrypted, stubs, keys, authority
):
    client = authority.client("shared")
    one, other = keys.app(), keys.app()
    register(keys, one, client)
    refused = refusal(register, keys, one, client)
    assert (refused.code, refused.reason) == (
        grpc.StatusCode.ALREADY_EXISTS, "CREDENTIAL_EXISTS",
    )  # fmt: skip
    register(keys, other, client, "watch")
    with secure(encrypted, authority, client) as channel:
        assert Relation(stubs, channel, [("x-app-id", str(one))])("GetStats")
        refused = refusal(Relation(stubs, channel, [("x-app-id", str(other))]), "GetStats")
        assert refused.reason == "SCOPE_MISSING"


@pytest.mark.parametrize("digest", [b"x", b"x" * 31, b"x" * 33])
def test_what_is_no_digest_of_a_certificate_is_refused(keys, digest):
    refused = refusal(
        keys.as_operator(1), "CreateCredential", scopes=["SCOPE_READ"], certificate_sha256=digest)
    assert refused.code == grpc.StatusCode.INVALID_ARGUMENT
    assert refused.fields == ["certificate_sha256"]


def test_a_certificate_of_another_authority_ends_the_handshake(
    encrypted, stubs, keys, tmp_path, authority
):
    foreign = Authority(tmp_path, "foreign").client()
    register(keys, 1, foreign)
    with secure(encrypted, authority, foreign) as channel:
        refused = refusal(Relation(stubs, channel, [("x-app-id", "1")]), "GetStats")
        assert refused.code == grpc.StatusCode.UNAVAILABLE


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_a_client_whose_certificate_is_refused_reads_why(
    encrypted, authority, tmp_path, version
):
    foreign = Authority(tmp_path, "foreign").client()
    for _ in range(10):
        with pytest.raises(ssl.SSLError, match="(?i)alert"):
            with shake(encrypted, authority, "h2", version=version, client=foreign) as connection:
                # The handshake of TLS 1.3 is over for the client, and it has much to say.
                connection.sendall(PREFACE + bytes(100_000))
                while connection.recv(4_096):
                    pass


def test_a_server_that_requires_certificates_takes_no_client_without(
    start, stubs, authority, certificate
):
    running = start(
        "data", "--tls-cert", certificate.path, "--tls-key", certificate.key_path,
        "--client-ca", authority.path, "--require-client-cert", "--allow-anonymous",
        insecure=False,
    )  # fmt: skip
    with secure(running, authority) as channel:
        refused = refusal(Relation(stubs, channel), "GetStats")
        assert refused.code == grpc.StatusCode.UNAVAILABLE
    with secure(running, authority, authority.client("any")) as channel:
        assert Relation(stubs, channel)("GetStats")
    # The server says so when the handshake is over for the client.
    done = relationctl(running, "--tls-ca", authority.path, "GetStats")
    assert done.returncode != 0 and "CERTIFICATE_REQUIRED" in done.stderr
    assert_no_places(done.stderr)


# New certificates


def serial(running, authority):
    with shake(running, authority, "h2") as connection:
        return int(connection.getpeercert()["serialNumber"], 16)


def reloaded(running, authority, wanted):
    """Asks for a reload and waits until the log tells of one more."""
    seen = running.log.count("SIGHUP")
    running.process.send_signal(signal.SIGHUP)
    while running.log.count("SIGHUP") == seen:
        assert running.process.poll() is None
    assert serial(running, authority) == wanted.certificate.serial_number


def test_a_new_certificate_is_shown_without_a_restart(start, stubs, authority, tmp_path):
    path, key_path = tmp_path / "now.pem", tmp_path / "now.key"
    first, second = authority.server("first"), authority.server("second")
    path.write_bytes(first.pem)
    key_path.write_bytes(first.key_pem)
    running = start(
        "data", "--tls-cert", path, "--tls-key", key_path, "--allow-anonymous", insecure=False)
    with secure(running, authority) as channel:
        mine = Relation(stubs, channel)
        assert mine("GetStats")
        path.write_bytes(second.pem)
        key_path.write_bytes(second.key_pem)
        assert serial(running, authority) == first.certificate.serial_number
        reloaded(running, authority, second)
        # The connection that was there goes on.
        assert mine("GetStats")
        # Bad files change nothing.
        key_path.write_bytes(first.key_pem)
        reloaded(running, authority, second)
        path.write_text("nothing")
        reloaded(running, authority, second)
        path.unlink()
        reloaded(running, authority, second)
        assert "stays as it was" in running.log
        assert mine("GetStats")


def test_a_server_without_tls_lives_through_the_signal(start, stubs):
    running = start("data")
    running.process.send_signal(signal.SIGHUP)
    with grpc.insecure_channel(running.address) as channel:
        assert Relation(stubs, channel)("GetStats")


# Sockets


def test_a_socket_in_the_file_system_is_served_and_removed(start, stubs, tmp_path):
    path = tmp_path / "relation.sock"
    running = start("data", listen=f"unix:{path}")
    assert running.address == f"unix:{path}"
    with grpc.insecure_channel(running.address) as channel:
        assert Relation(stubs, channel)("GetStats")
        done = subprocess.run(
            [executable("relationctl"), "call", "--server", running.address, "GetStats"],
            capture_output=True, text=True, timeout=60,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
    assert running.stop() == 0
    assert not path.exists()


def test_a_socket_that_a_killed_server_left_is_taken_over(start, stubs, tmp_path):
    path = tmp_path / "relation.sock"
    start("data", listen=f"unix:{path}").kill()
    assert path.exists()
    again = start("data", listen=f"unix:{path}")
    with grpc.insecure_channel(again.address) as channel:
        assert Relation(stubs, channel)("GetStats")


def test_a_server_that_stops_leaves_the_socket_of_another_in_its_place(start, stubs, tmp_path):
    path = tmp_path / "relation.sock"
    first = start("data", listen=f"unix:{path}")
    path.unlink()
    second = start("other", listen=f"unix:{path}")
    assert first.stop() == 0
    with grpc.insecure_channel(second.address) as channel:
        assert Relation(stubs, channel)("GetStats")
    assert second.stop() == 0
    assert not path.exists()


def test_a_socket_whose_server_is_too_busy_to_answer_is_not_taken_over(tmp_path):
    path = tmp_path / "relation.sock"
    with socket.socket(socket.AF_UNIX) as listener, socket.socket(socket.AF_UNIX) as first:
        listener.bind(str(path))
        listener.listen(0)
        first.connect(str(path))
        # Its queue is full now: a client that waits for room in it waits for ever.
        assert_refused(
            serve(tmp_path / "data", "--insecure", listen=f"unix:{path}"), path, "in use")
        assert path.exists()


def test_a_socket_that_is_listened_on_or_is_a_file_is_refused(start, stubs, tmp_path):
    path = tmp_path / "relation.sock"
    running = start("data", listen=f"unix:{path}")
    answer = serve(tmp_path / "other", "--insecure", listen=f"unix:{path}")
    assert_refused(answer, path, "in use")
    with grpc.insecure_channel(running.address) as channel:
        assert Relation(stubs, channel)("GetStats")
    file = tmp_path / "letter"
    file.write_text("dear reader")
    assert_refused(serve(tmp_path / "other", "--insecure", listen=f"unix:{file}"), file)
    assert file.read_text() == "dear reader"


@pytest.mark.parametrize("path", ["", "x" * 108])
def test_a_path_that_no_socket_can_have_is_refused(tmp_path, path):
    assert_refused(serve(tmp_path / "data", "--insecure", listen=f"unix:{path}"), "unix:")


def test_a_socket_asks_for_credentials_too(start, stubs, tmp_path):
    _, operator, _ = init(tmp_path / "data")
    running = start("data", listen=f"unix:{tmp_path}/relation.sock", insecure=False)
    with grpc.insecure_channel(running.address) as channel:
        assert refusal(Relation(stubs, channel), "GetStats").reason == "CREDENTIAL_MISSING"
        keys = Keys(stubs, channel, operator)
        assert keys.with_key(keys.key(1))("GetStats")


# Where a server listens


EVERYWHERE = ["0.0.0.0:0", "[::]:0"]


@pytest.mark.parametrize("address", EVERYWHERE)
@pytest.mark.parametrize("arguments", [[], ["--allow-anonymous"]])
def test_others_are_not_served_without_tls(tmp_path, address, arguments):
    answer = serve(tmp_path / "data", *arguments, listen=address)
    assert_refused(answer, address, "--tls-cert", "--allow-plaintext")
    assert not (tmp_path / "data").exists()


def test_each_lack_is_waived_by_its_own_name(start, stubs, authority, certificate):
    tls = ["--tls-cert", certificate.path, "--tls-key", certificate.key_path]
    plain = start("plain", "--allow-plaintext", listen="0.0.0.0:0", insecure=False)
    with grpc.insecure_channel(f"127.0.0.1:{plain.port}") as channel:
        assert refusal(Relation(stubs, channel), "GetStats").reason == "CREDENTIAL_MISSING"
    both = start(
        "both", "--allow-plaintext", "--allow-anonymous", listen="0.0.0.0:0", insecure=False)
    with grpc.insecure_channel(f"127.0.0.1:{both.port}") as channel:
        assert Relation(stubs, channel)("GetStats")
    encrypted = start("encrypted", *tls, listen="0.0.0.0:0", insecure=False)
    credentials = grpc.ssl_channel_credentials(authority.pem)
    with grpc.secure_channel(f"127.0.0.1:{encrypted.port}", credentials) as channel:
        assert refusal(Relation(stubs, channel), "GetStats").reason == "CREDENTIAL_MISSING"
    anonymous = start("anonymous", *tls, "--allow-anonymous", listen="0.0.0.0:0", insecure=False)
    with grpc.secure_channel(f"127.0.0.1:{anonymous.port}", credentials) as channel:
        assert Relation(stubs, channel)("GetStats")


def test_flags_that_do_not_fit_together_are_refused(tmp_path, certificate, authority):
    tls = ["--tls-cert", certificate.path, "--tls-key", certificate.key_path]
    for arguments, word in [
        (tls[:2], "--tls-key"),
        (tls[2:], "--tls-cert"),
        (["--client-ca", authority.path], "--tls-cert"),
        ([*tls, "--require-client-cert"], "--client-ca"),
        ([*tls, "--insecure"], "--insecure"),
        (["--key-rate", "-1"], "--key-rate"),
        (["--app-rate", "10000001"], "--app-rate"),
        (["--user-streams", "-1"], "--user-streams"),
        (["--app-connections", "10000001"], "--app-connections"),
        (["--address-connections", "-2"], "--address-connections"),
        (["--address-rate", "-1"], "--address-rate"),
        (["--memory", "15"], "--memory"),
    ]:
        assert_refused(serve(tmp_path / "data", *arguments), word)
    assert not (tmp_path / "data").exists()


def test_files_that_are_no_certificate_are_named(tmp_path, certificate, authority):
    letter = tmp_path / "letter"
    letter.write_text("dear reader")
    other = authority.server("another")
    none = tmp_path / "none"
    missing, empty = "cannot be read: No such file", "holds no certificate in PEM"
    for cert, key, ca, *words in [
        (none, certificate.key_path, None, none, missing),
        (letter, certificate.key_path, None, letter, empty),
        (certificate.path, none, None, none, missing),
        (certificate.path, tmp_path, None, tmp_path, "cannot be read: Is a directory"),
        (certificate.path, letter, None, letter, "holds no key in PEM"),
        (certificate.path, other.key_path, None, other.key_path, "does not belong to",
         certificate.path),
        (certificate.path, certificate.key_path, letter, letter, empty),
    ]:
        more = ["--client-ca", ca] if ca else []
        answer = serve(tmp_path / "data", "--tls-cert", cert, "--tls-key", key, *more)
        assert_refused(answer, *words)
    assert not (tmp_path / "data").exists()


# The command line


def relationctl(encrypted, *arguments, **environment):
    return subprocess.run(
        [executable("relationctl"), "call", "--server", encrypted.address, *map(str, arguments)],
        capture_output=True, text=True, timeout=60, env={**os.environ, **environment},
    )  # fmt: skip


def test_the_command_line_comes_in_with_each_credential(encrypted, keys, authority):
    app = keys.app()
    keys.accounts(app, "ann")
    key = keys.key(app)
    token = sign(app, keys.secret(app), "ann")
    client = authority.client("ctl")
    register(keys, app, client)
    tls = ["--tls-ca", authority.path]
    shown = ["--tls-cert", client.path, "--tls-key", client.key_path, "--app", app]
    for arguments, environment in [
        (["--key", key], {}),
        ([], {"RELATION_API_KEY": key}),
        (["--user-sig", token], {"RELATION_API_KEY": "1.2.3"}),
        ([], {"RELATION_USER_SIG": token}),
        (shown, {}),
        (["--key", encrypted.operator, "--app", app], {}),
    ]:
        done = relationctl(
            encrypted, *tls, *arguments, "ListFriends", '{"user_id": "ann"}', **environment)
        assert done.returncode == 0, (arguments, done.stderr)
        assert "friends" not in json.loads(done.stdout)
    done = relationctl(encrypted, *tls, "ListFriends", '{"user_id": "ann"}')
    assert done.returncode != 0 and "CREDENTIAL_MISSING" in done.stderr


def test_the_command_line_looks_for_the_name_of_the_server(start, authority):
    named = authority.server("named", "relation.example")
    running = start(
        "data", "--tls-cert", named.path, "--tls-key", named.key_path, "--allow-anonymous",
        insecure=False,
    )  # fmt: skip
    tls = ["--tls-ca", authority.path]
    done = relationctl(running, *tls, "--tls-name", "relation.example", "GetStats")
    assert done.returncode == 0, done.stderr
    for name in ([], ["--tls-name", "other.example"]):
        done = relationctl(running, *tls, *name, "GetStats")
        assert done.returncode != 0 and "UNAVAILABLE: cannot connect to" in done.stderr
        assert "the server's certificate is for another name or address: " in done.stderr
        assert_no_places(done.stderr)


def test_a_name_that_is_given_is_looked_for_alone(start, authority):
    # The address that is connected to is among those of the certificate, and is not enough.
    both = authority.server("both")
    running = start(
        "data", "--tls-cert", both.path, "--tls-key", both.key_path, "--allow-anonymous",
        insecure=False,
    )  # fmt: skip
    tls = ["--tls-ca", authority.path, "--tls-name"]
    for name in ("localhost", "LOCALHOST", "127.0.0.1"):
        done = relationctl(running, *tls, name, "GetStats")
        assert done.returncode == 0, (name, done.stderr)
    for name in ("other.example", "127.0.0.2", "::1"):
        done = relationctl(running, *tls, name, "GetStats")
        assert done.returncode == 3, name
        assert f"and {name} was expected" in done.stderr
        assert_no_places(done.stderr)


def test_the_address_of_a_connection_is_no_name_of_the_host(start, authority):
    # Whoever answers for the name in DNS chooses the address, and may have a certificate for it.
    addressed = authority.server("addressed", "127.0.0.1")
    running = start(
        "data", "--tls-cert", addressed.path, "--tls-key", addressed.key_path,
        "--allow-anonymous", insecure=False,
    )  # fmt: skip
    tls = ["--tls-ca", authority.path]
    assert relationctl(running, *tls, "GetStats").returncode == 0
    done = relationctl(running, *tls, "--server", f"localhost:{running.port}", "GetStats")
    assert done.returncode == 3 and "and localhost was expected" in done.stderr


def assert_no_places(words):
    """Checks that the program names no file of the sources from which it was built."""
    assert not any(sign in words for sign in (".swift", ".cc", ".c:", "/checkouts/")), words


def test_the_command_line_says_why_it_cannot_come_in(encrypted, authority, tmp_path, server):
    other = Authority(tmp_path, "other")
    done = relationctl(encrypted, "--tls-ca", other.path, "GetStats")
    assert done.returncode != 0 and "UNAVAILABLE: cannot connect to" in done.stderr
    assert "is not signed by a trusted authority" in done.stderr
    assert "CERTIFICATE_VERIFY_FAILED" in done.stderr
    assert_no_places(done.stderr)
    done = relationctl(encrypted, "--tls-ca", tmp_path / "none", "GetStats")
    assert done.returncode != 0 and str(tmp_path / "none") in done.stderr
    # One side encrypts and the other does not.
    done = relationctl(server, "--tls-ca", authority.path, "GetStats")
    assert done.returncode != 0 and "UNAVAILABLE" in done.stderr
    assert "the server closed the connection in the handshake" in done.stderr
    assert_no_places(done.stderr)
    done = relationctl(encrypted, "GetStats")
    assert done.returncode != 0 and "UNAVAILABLE" in done.stderr
