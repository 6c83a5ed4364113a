"""Hooks to receivers that ask for a certificate, by HTTP and by gRPC."""

import http.server
import queue
import ssl
import threading
import time
from concurrent import futures

import grpc
import pytest
from authority import Authority
from stubs import Relation
from test_configuration import assert_refused, await_reload, run
from test_hook_grpc import SERVICE
from test_hooks import SECONDS, nick

FLAGS = "--hooks", "--hook-allow-private"
WISH = "certificate of the sender"


class WebReceiver:
    """A receiver by HTTP, which takes only senders whose certificate the authority has signed."""

    form = {}

    def __init__(self, authority, shown):
        self.senders = queue.Queue()
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                self.rfile.read(int(self.headers["content-length"]))
                subject = dict(row[0] for row in self.connection.getpeercert()["subject"])
                outer.senders.put(subject["commonName"])
                self.send_response(200)
                self.send_header("content-length", "2")
                self.end_headers()
                self.wfile.write(b"{}")

            def log_message(self, *_):
                pass

        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(shown.path, shown.key_path)
        context.load_verify_locations(authority.path)
        context.verify_mode = ssl.CERT_REQUIRED
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.url = f"https://127.0.0.1:{self.server.server_port}/"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class CallReceiver:
    """The same by gRPC."""

    form = {"form": "HOOK_FORM_GRPC"}

    def __init__(self, authority, shown):
        self.senders = queue.Queue()
        handler = grpc.unary_unary_rpc_method_handler(self._take)
        self.server = grpc.server(
            futures.ThreadPoolExecutor(8), options=[("grpc.so_reuseport", 0)])
        self.server.add_generic_rpc_handlers([
            grpc.method_handlers_generic_handler(SERVICE, {"Deliver": handler, "Ask": handler})])
        credentials = grpc.ssl_server_credentials(
            [(shown.key_pem, shown.pem)], authority.pem, require_client_auth=True)
        port = self.server.add_secure_port("127.0.0.1:0", credentials)
        self.server.start()
        self.url = f"https://127.0.0.1:{port}"

    def _take(self, _, context):
        (name,) = context.auth_context()["x509_common_name"]
        self.senders.put(name.decode())
        return b""

    def close(self):
        self.server.stop(None).wait()


@pytest.fixture(params=[WebReceiver, CallReceiver], ids=["HTTP", "gRPC"])
def receiver(request, authority):
    receiver = request.param(authority, authority.server())
    yield receiver
    receiver.close()


def pair(issued):
    return "--hook-cert", issued.path, "--hook-key", issued.key_path


def begin(stubs, channel):
    relation = Relation(stubs, channel)
    relation("UpdateApp", settings={"makes_accounts_implicitly": True})
    nick(relation, "Ann")
    return relation


def hook(relation, receiver, **fields):
    return relation("CreateHook", url=receiver.url, **receiver.form, **fields).hook.hook_id


def sender(receiver):
    return receiver.senders.get(timeout=SECONDS)


def await_wish(relation, hook):
    """Waits for a failure that says that the receiver asks for a certificate."""
    deadline = time.monotonic() + SECONDS
    while True:
        causes = [row.cause for row in relation("ListHookFailures", hook_id=hook).failures]
        if any(WISH in cause for cause in causes):
            return
        assert time.monotonic() < deadline, causes
        time.sleep(0.1)


def test_a_receiver_sees_the_certificate_of_the_server(start, stubs, authority, receiver):
    own = pair(authority.client("hooks"))
    running = start("data", *FLAGS, "--hook-ca", authority.path, *own)
    with grpc.insecure_channel(running.address) as channel:
        relation = begin(stubs, channel)
        made = hook(relation, receiver, kinds=["CHANGE_KIND_PROFILE_CHANGE"])
        assert relation("TestHook", hook_id=made).confirmed
        assert sender(receiver) == "hooks"
        nick(relation, "one")
        assert sender(receiver) == "hooks"
        assert not relation("ListHookFailures", hook_id=made).failures


def test_a_question_shows_the_certificate_too(start, stubs, authority, receiver):
    own = pair(authority.client("hooks"))
    running = start("data", *FLAGS, "--hook-ca", authority.path, *own)
    with grpc.insecure_channel(running.address) as channel:
        relation = begin(stubs, channel)
        hook(relation, receiver, asks_only=True, asks=["HOOK_QUESTION_FOLLOW"])
        (result,) = relation("Follow", user_id="ann", user_ids=["bob"]).results
        assert result.code == 0
        assert receiver.senders.get_nowait() == "hooks"


@pytest.mark.parametrize("shows", ["none", "one of an unknown authority"])
def test_a_failure_says_that_a_receiver_asks_for_a_certificate(
        start, stubs, authority, receiver, tmp_path, shows):
    (tmp_path / "other").mkdir()
    other = pair(Authority(tmp_path / "other", "other").client("hooks"))
    running = start(
        "data", *FLAGS, "--hook-ca", authority.path, *(other if shows != "none" else ()))
    with grpc.insecure_channel(running.address) as channel:
        relation = begin(stubs, channel)
        made = hook(relation, receiver)
        tried = relation("TestHook", hook_id=made)
        assert (tried.confirmed, tried.status) == (False, 0) and tried.cause
        nick(relation, "one")
        await_wish(relation, made)
        assert receiver.senders.empty()


def test_a_signal_brings_other_certificates(start, stubs, authority, receiver, tmp_path):
    first, second = authority.client("first"), authority.client("second")
    file = tmp_path / "relationd.yaml"
    trust = f"hook-ca: {authority.path}\n"
    file.write_text(trust)
    running = start("data", *FLAGS, "--config", file)
    with grpc.insecure_channel(running.address) as channel:
        relation = begin(stubs, channel)
        made = hook(relation, receiver, kinds=["CHANGE_KIND_PROFILE_CHANGE"])
        nick(relation, "one")
        await_wish(relation, made)
        # A pair that does not belong together changes nothing.
        file.write_text(f"{trust}hook-cert: {first.path}\nhook-key: {second.key_path}\n")
        told = await_reload(running)
        assert "nothing is changed" in told and "does not belong to the certificate" in told
        file.write_text(f"{trust}hook-cert: {first.path}\nhook-key: {first.key_path}\n")
        assert "2 settings changed" in await_reload(running)
        assert sender(receiver) == "first"
        # The files change under their paths.
        first.path.write_bytes(second.pem)
        first.key_path.write_bytes(second.key_pem)
        await_reload(running)
        assert relation("TestHook", hook_id=made).confirmed
        senders = [sender(receiver)]
        while not receiver.senders.empty():
            senders.append(sender(receiver))
        assert senders[-1] == "second"


def test_a_pair_that_does_not_belong_together_is_refused(tmp_path, authority):
    first, second = authority.client("first"), authority.client("second")
    flags = ["--hooks", "--hook-cert", first.path, "--hook-key", second.key_path]
    answer = run("serve", "--data", tmp_path / "data", "--listen", "127.0.0.1:0", *flags)
    assert_refused(
        answer, "--hook-cert and --hook-key", second.key_path, "does not belong", first.path)
    assert not (tmp_path / "data").exists()
