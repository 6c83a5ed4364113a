"""Hooks by gRPC, from a call to a receiver of grpcio."""

import importlib
import queue
import random
import re
import socket
import subprocess
import sys
import threading
import time
from concurrent import futures

import grpc
import ports
import pytest
from authority import Authority
from refusals import assert_invalid, refusal
from relationd import ROOT
from stubs import Relation
from test_hooks import FLAGS, SECONDS, hooked, nick, signature  # noqa: F401

SERVICE = "relation.hook.v1.HookReceiverService"
GONE = (("webhook-gone", "1"),)


class Receiver:
    """A receiver that answers what `answer` does with a request, OK at first.

    It serves bytes, as a receiver that checks signatures must.
    """

    def __init__(self, port=0, credentials=None, deliver=None):
        self.messages = importlib.import_module("relation.hook.v1.receiver_pb2")
        self.requests = queue.Queue()
        self.answer = lambda request, context: None
        self.judge = lambda question: self.messages.AskResponse()
        handler = deliver or grpc.unary_unary_rpc_method_handler(self._deliver)
        asked = grpc.unary_unary_rpc_method_handler(self._ask)
        self.server = grpc.server(
            futures.ThreadPoolExecutor(8), options=[("grpc.so_reuseport", 0)])
        self.server.add_generic_rpc_handlers(
            [grpc.method_handlers_generic_handler(SERVICE, {"Deliver": handler, "Ask": asked})])
        address = f"127.0.0.1:{port}"
        self.port = (
            self.server.add_secure_port(address, credentials) if credentials
            else self.server.add_insecure_port(address))
        self.server.start()
        self.url = f"http://127.0.0.1:{self.port}"

    def _deliver(self, body, context):
        request = self.messages.DeliverRequest.FromString(body)
        self.requests.put((request, dict(context.invocation_metadata()), body))
        self.answer(request, context)
        return b""

    def _ask(self, body, context):
        question = self.messages.AskRequest.FromString(body)
        self.requests.put((question, dict(context.invocation_metadata()), body))
        return self.judge(question).SerializeToString()

    def next(self):
        return self.requests.get(timeout=SECONDS)

    def close(self):
        self.server.stop(None).wait()


@pytest.fixture
def receivers():
    """Starts receivers, each stopped at the end."""
    started = []

    def begin(**options):
        started.append(Receiver(**options))
        return started[-1]

    yield begin
    for receiver in started:
        receiver.close()


def hook(relation, url, **fields):
    return relation("CreateHook", url=url, form="HOOK_FORM_GRPC", **fields)


def failure(relation, hook):
    """The first failure that is told of a hook."""
    deadline = time.monotonic() + SECONDS
    while not (rows := relation("ListHookFailures", hook_id=hook).failures):
        assert time.monotonic() < deadline, "no failure is told"
        time.sleep(0.1)
    return rows[-1]


def refusing(code, trailers=()):
    def answer(_, context):
        context.set_trailing_metadata(trailers)
        context.abort(code, "a word of the receiver")

    return answer


def test_a_change_comes_as_a_signed_call_until_it_is_taken(hooked, receivers):  # noqa: F811
    _, relation = hooked
    receiver = receivers()
    made = hook(relation, receiver.url, kinds=["CHANGE_KIND_PROFILE_CHANGE"])
    receiver.answer = refusing(grpc.StatusCode.UNAVAILABLE)
    nick(relation, "one")
    first, second = receiver.next(), receiver.next()
    receiver.answer = lambda *_: None
    nick(relation, "two")
    rest = [receiver.next()]
    while rest[-1][0].events[0].change.items[0].profile.nick != "two":
        rest.append(receiver.next())
    request, metadata, body = first
    (event,) = request.events
    assert (request.hook_id, request.app_id) == (made.hook.hook_id, 1)
    assert (event.user_id, event.change.user_id) == ("ann", "ann")
    assert event.position == event.change.feed_position > 0
    assert event.change.items[0].profile.nick == "one"
    assert metadata["webhook-id"] == event.id
    assert signature(made.secret, metadata, body)
    assert "grpc-encoding" not in metadata
    # The second change waits until the first one was taken.
    ids = [row[0].events[0].id for row in (first, second, *rest)]
    assert set(ids[:-1]) == {event.id} != {ids[-1]}
    attempts = [row[0].attempt for row in (first, second, *rest)]
    assert attempts == [*range(1, len(attempts)), 1]
    row = failure(relation, made.hook.hook_id)
    assert (row.user_id, row.status, row.events, row.event_id) == ("ann", 14, 1, event.id)
    assert "UNAVAILABLE" in row.cause and "word" not in row.cause


def test_a_receiver_is_asked_and_refuses_items_or_changes_texts(hooked, receivers):  # noqa: F811
    _, relation = hooked
    receiver = receivers()
    made = hook(relation, receiver.url, asks_only=True,
                asks=["HOOK_QUESTION_ADD_FRIENDS", "HOOK_QUESTION_UPDATE_PROFILE"])

    def judge(question):
        said = receiver.messages.AnsweredItem
        *others, _ = question.items
        items = [said(index=index, texts={"remark": item.texts["remark"].replace("rude", "kind")})
                 for index, item in enumerate(others)]
        return receiver.messages.AskResponse(
            items=[*items, said(index=len(others), code=38005, info="closed")])

    receiver.judge = judge
    results = relation("AddFriends", user_id="ann", force=True, items=[
        {"user_id": "bob", "remark": "rude"}, {"user_id": "cid"}]).results
    assert [(row.code, row.info) for row in results] == [(0, ""), (38005, "closed")]
    (friend,) = relation("ListFriends", user_id="ann").friends
    assert (friend.user_id, friend.remark) == ("bob", "kind")
    question, metadata, body = receiver.next()
    assert signature(made.secret, metadata, body)
    assert (question.hook_id, question.call, question.user_id, question.force) == (
        made.hook.hook_id, "relation.v1.FriendService/AddFriends", "ann", True)
    assert [item.user_id for item in question.items] == ["bob", "cid"]
    answer = relation("UpdateProfile", user_id="ann", profile={"nick": "new"},
                      options={"dry_run": True})
    assert (answer.code, answer.info) == (38005, "closed")
    assert receiver.next()[0].dry_run


def test_a_receiver_that_is_started_again_gets_what_it_missed(hooked, receivers):  # noqa: F811
    _, relation = hooked
    first = receivers()
    made = hook(relation, first.url, kinds=["CHANGE_KIND_PROFILE_CHANGE"])
    nick(relation, "one")
    assert first.next()[0].events[0].change.items[0].profile.nick == "one"
    first.close()
    nick(relation, "two")
    nick(relation, "three")
    # Without a receiver there is no status. The first one may have ended before its answer was out.
    assert failure(relation, made.hook.hook_id).status in (0, 1, 14)
    second = receivers(port=first.port)
    nicks = []
    while "three" not in nicks:
        nicks.append(second.next()[0].events[0].change.items[0].profile.nick)
    assert [text for text in nicks if text != "one"] == ["two", "three"]


def test_a_trailer_stops_the_hook(hooked, receivers):  # noqa: F811
    _, relation = hooked
    receiver = receivers()
    hook(relation, receiver.url)
    receiver.answer = refusing(grpc.StatusCode.FAILED_PRECONDITION, GONE)
    nick(relation, "one")
    deadline = time.monotonic() + SECONDS
    while relation("ListHooks").hooks[0].state != relation.stubs.HookState.HOOK_STATE_STOPPED:
        assert time.monotonic() < deadline, "the hook goes on"
        time.sleep(0.1)
    assert receiver.requests.qsize() == 1


def endless(_, context):
    """Answers without an end."""
    while context.is_active():
        yield b"x" * 1_000


def late(_, context):
    """Does not answer until the caller has gone."""
    assert context.time_remaining() <= 15
    ended = threading.Event()
    context.add_callback(ended.set)
    ended.wait(SECONDS)
    return b""


BAD = {
    "many answers": (grpc.unary_stream_rpc_method_handler(endless), [12]),
    "a long answer": (
        grpc.unary_unary_rpc_method_handler(lambda *_: b"x" * 100_000), [0]),
    # The receiver knows the deadline, and may end the call itself in the last moment.
    "a late answer": (grpc.unary_unary_rpc_method_handler(late), [0, 4]),
}


@pytest.mark.parametrize("how", BAD)
def test_an_answer_that_breaks_a_bound_is_none(hooked, receivers, how):  # noqa: F811
    _, relation = hooked
    handler, statuses = BAD[how]
    made = hook(relation, receivers(deliver=handler).url)
    nick(relation, "one")
    assert failure(relation, made.hook.hook_id).status in statuses


@pytest.mark.parametrize("words", [
    b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}", b"\x00\xff" * 500, b""])
def test_a_peer_that_is_no_receiver_of_grpc_gets_nothing(hooked, words):  # noqa: F811
    _, relation = hooked
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(SECONDS)
        made = hook(relation, f"http://127.0.0.1:{listener.getsockname()[1]}")
        nick(relation, "one")
        peer, _ = listener.accept()
        with peer:
            peer.sendall(words)
            peer.settimeout(SECONDS)
            read = peer.recv(65_536)
        # The beginning of HTTP/2 is sent, and no event before the peer has answered it.
        assert read.startswith(b"PRI * HTTP/2.0") and b"ann" not in read
        row = failure(relation, made.hook.hook_id)
        assert row.status == 0


@pytest.mark.parametrize("shows", ["an unknown authority", "no TLS"])
def test_a_receiver_that_cannot_be_trusted_gets_nothing(
        hooked, receivers, tmp_path, shows):  # noqa: F811
    _, relation = hooked
    issued = Authority(tmp_path).server()
    credentials = grpc.ssl_server_credentials([(issued.key_pem, issued.pem)])
    receiver = receivers(credentials=credentials if shows != "no TLS" else None)
    made = hook(relation, f"https://127.0.0.1:{receiver.port}")
    nick(relation, "one")
    row = failure(relation, made.hook.hook_id)
    assert row.status == 0
    # A peer without TLS just ends the connection.
    assert "cannot be trusted" in row.cause or shows == "no TLS"
    assert receiver.requests.empty()


def test_a_url_of_grpc_has_no_path_and_keeps_the_rules_of_addresses(start, stubs):
    running = start("rules", "--hooks")
    with grpc.insecure_channel(running.address) as channel:
        relation = Relation(stubs, channel)
        for url in (
            "https://receiver.invalid/hook", "https://receiver.invalid/?a=b", "https://127.0.0.1",
            "https://[::1]:8443", "https://10.0.0.1", "http://receiver.invalid",
            "https://169.254.169.254", "grpc://receiver.invalid",
        ):
            fields = {"url": url, "form": "HOOK_FORM_GRPC"}
            assert_invalid(refusal(relation, "CreateHook", **fields), "url")
        assert hook(relation, "https://receiver.invalid/", paused=True).applied


def test_an_order_book_has_no_gap_over_failures_and_kills(
        start, stubs, receivers, seed):
    """Each user's changes come in their order, over refusals, restarts of both sides and kills."""
    chance = random.Random(seed)
    receiver = receivers()
    book, lock = {}, threading.Lock()

    def answer(request, context):
        if chance.random() < 0.2:
            codes = [grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.INTERNAL,
                     grpc.StatusCode.RESOURCE_EXHAUSTED]
            context.abort(chance.choice(codes), "")
        with lock:
            for event in request.events:
                book.setdefault(event.user_id, {}).setdefault(
                    event.position, event.change.items[0].profile.nick)

    receiver.answer = answer
    users = ["ann", "bob", "cid"]
    written = {user: [] for user in users}
    running = start("data", *FLAGS)
    for life in range(4):
        with grpc.insecure_channel(running.address) as channel:
            relation = Relation(stubs, channel)
            if life == 0:
                relation("UpdateApp", settings={"makes_accounts_implicitly": True})
                hook(relation, receiver.url, kinds=["CHANGE_KIND_PROFILE_CHANGE"], batch_size=3)
            for number in range(20):
                user = chance.choice(users)
                text = f"{life}-{number}"
                relation("UpdateProfile", user_id=user, profile={"nick": text},
                         update_mask={"paths": ["nick"]})
                written[user].append(text)
        if life == 3:
            break
        if life == 1:
            receiver.close()
            receiver = receivers(port=receiver.port)
            receiver.answer = answer
        running.kill()
        running = start("data", *FLAGS)
    # The pause of a receiver that is busy or away is at most a minute.
    deadline = time.monotonic() + 5 * SECONDS
    while True:
        with lock:
            # The first change of a user makes the account, and is not a change of a profile.
            come = {user: list(book.get(user, {}).items()) for user in users}
        if all(rows and rows[-1][1] == written[user][-1] for user, rows in come.items()):
            break
        assert time.monotonic() < deadline, (come, written)
        time.sleep(0.2)
    for user, rows in come.items():
        assert [position for position, _ in rows] == sorted(position for position, _ in rows)
        texts = [text for _, text in rows]
        assert texts == written[user][-len(texts):] and len(texts) >= len(written[user]) - 1


def test_the_receiver_of_the_page_prints_events(hooked, stubs):  # noqa: F811
    _, relation = hooked
    page = (ROOT / "docs/webhooks.md").read_text()
    (code,) = (block for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL)
               if "receiver_pb2" in block)
    port = ports.take()
    made = hook(relation, f"http://127.0.0.1:{port}", kinds=["CHANGE_KIND_PROFILE_CHANGE"])
    folder = importlib.import_module("relation.hook.v1.receiver_pb2").__file__
    with subprocess.Popen(
            [sys.executable, "-u", "-c", code.replace("127.0.0.1:8081", f"127.0.0.1:{port}")],
            cwd=folder.split("/relation/")[0], text=True, stdout=subprocess.PIPE,
            env={"SECRET": made.secret, "PYTHONPATH": folder.split("/relation/")[0]}) as process:
        watch = threading.Timer(SECONDS, process.kill)
        watch.start()
        try:
            nick(relation, "one")
            line = process.stdout.readline()
            assert "ann" in line and "CHANGE_KIND_PROFILE_CHANGE" in line
        finally:
            watch.cancel()
            process.kill()
