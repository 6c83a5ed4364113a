"""Webhooks, from a call to a receiver of HTTP."""

import base64
import hashlib
import hmac
import http.server
import json
import queue
import re
import socket
import threading
import time

import grpc
import ports
import pytest

from refusals import refusal
from stubs import Relation
from test_shared_store import cluster, serve, store  # noqa: F401

SECONDS = 30
FLAGS = "--hooks", "--hook-allow-plaintext", "--hook-allow-private"


class Receiver:
    """A receiver that answers what it is told, 204 at first."""

    def __init__(self):
        self.status = 204
        self.requests = queue.Queue()
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                outer.requests.put((outer.status, dict(self.headers), body))
                self.send_response(outer.status)
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/hook"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def next(self):
        return self.requests.get(timeout=SECONDS)


@pytest.fixture
def receiver():
    receiver = Receiver()
    yield receiver
    receiver.server.shutdown()


@pytest.fixture
def hooked(start, stubs):
    """A server that allows hooks, and its app of users that a call names."""
    running = start("data", *FLAGS)
    with grpc.insecure_channel(running.address) as channel:
        relation = Relation(stubs, channel)
        relation("UpdateApp", settings={"makes_accounts_implicitly": True})
        relation("UpdateProfile", user_id="ann", profile={"nick": "Ann"},
                 update_mask={"paths": ["nick"]})
        yield running, relation


def nick(relation, text):
    relation("UpdateProfile", user_id="ann", profile={"nick": text},
             update_mask={"paths": ["nick"]})


def signature(secret, headers, body):
    headers = {name.lower(): value for name, value in headers.items()}
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    code = base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()
    return f"v1,{code}" in headers["webhook-signature"].split()


def test_a_change_comes_as_a_signed_event_and_again_until_it_is_taken(hooked, receiver):
    _, relation = hooked
    made = relation("CreateHook", url=receiver.url, kinds=["CHANGE_KIND_PROFILE_CHANGE"])
    receiver.status = 500
    nick(relation, "one")
    first, second = receiver.next(), receiver.next()
    receiver.status = 204
    nick(relation, "two")
    events = []
    while not events or events[-1][0] != 204 or b"two" not in events[-1][2]:
        events.append(receiver.next())
    ids = [json.loads(body)["id"] for _, _, body in (first, second, *events)]
    # The second change waits until the first one was taken.
    assert ids[0] == ids[1]
    assert set(ids[:-1]) == {ids[0]} and ids[-1] != ids[0]
    _, headers, body = first
    event = json.loads(body)
    assert event["specversion"] == "1.0"
    assert event["type"] == "relation.v1.change.profile_change"
    assert event["subject"] == "ann"
    assert event["data"]["items"][0]["profile"]["nick"] == "one"
    assert signature(made.secret, headers, body)
    (hook,) = relation("ListHooks").hooks
    assert hook.hook_id == made.hook.hook_id
    deadline = time.monotonic() + SECONDS
    while not (rows := relation("ListHookFailures", hook_id=hook.hook_id).failures):
        assert time.monotonic() < deadline, "no failure is told"
        time.sleep(0.1)
    assert {(row.user_id, row.status, row.events) for row in rows} == {("ann", 500, 1)}


def test_a_replay_begins_with_a_failed_request(hooked, receiver):
    _, relation = hooked
    made = relation("CreateHook", url=receiver.url, kinds=["CHANGE_KIND_PROFILE_CHANGE"])
    fields = {"hook_id": made.hook.hook_id}
    nick(relation, "one")
    assert b"one" in receiver.next()[2]
    receiver.status = 500
    nick(relation, "two")
    assert b"two" in receiver.next()[2]
    receiver.status = 204
    nick(relation, "three")
    while b"three" not in receiver.next()[2]:
        pass
    deadline = time.monotonic() + SECONDS
    while not (rows := relation("ListHookFailures", **fields).failures):
        assert time.monotonic() < deadline, "no failure is told"
        time.sleep(0.1)
    assert relation("ReplayHook", resume_token=rows[-1].resume_token, **fields).applied
    assert b"two" in receiver.next()[2]
    assert b"three" in receiver.next()[2]
    assert receiver.requests.empty()


def test_a_server_that_is_started_again_goes_on(hooked, receiver, start, stubs):
    running, relation = hooked
    relation("CreateHook", url=receiver.url)
    nick(relation, "one")
    assert b"one" in receiver.next()[2]
    assert running.stop() == 0
    again = start("data", *FLAGS)
    with grpc.insecure_channel(again.address) as channel:
        nick(Relation(stubs, channel), "two")
        assert b"two" in receiver.next()[2]
    assert receiver.requests.empty()


def test_a_server_without_the_setting_refuses_hooks_by_name(start, stubs):
    running = start("plain")
    with grpc.insecure_channel(running.address) as channel:
        relation = Relation(stubs, channel)
        for call, fields in (
            ("CreateHook", {"url": "https://receiver.invalid/"}),
            ("UpdateHook", {"hook_id": "0" * 16}),
            ("TestHook", {"hook_id": "0" * 16}),
        ):
            refused = refusal(relation, call, **fields)
            assert refused.code == grpc.StatusCode.FAILED_PRECONDITION
            assert refused.reason == "HOOKS_DISABLED"


@pytest.mark.parametrize(
    "url", ["http://example.com/", "https://127.0.0.1/", "https://10.0.0.1/", "https://[::1]/"])
def test_addresses_that_only_this_machine_may_reach_are_refused(start, stubs, url):
    running = start(re.sub(r"\W", "", url), "--hooks")
    with grpc.insecure_channel(running.address) as channel:
        refused = refusal(Relation(stubs, channel), "CreateHook", url=url)
        assert refused.code == grpc.StatusCode.INVALID_ARGUMENT


def test_a_url_has_1024_bytes_and_no_more(hooked):
    _, relation = hooked
    longest = "https://receiver.invalid/".ljust(1_024, "x")
    made = relation("CreateHook", url=longest, paused=True).hook
    assert made.url == longest
    assert relation("UpdateHook", hook_id=made.hook_id, url=longest[:-1] + "y").hook.url[-1] == "y"
    for call, fields in (("CreateHook", {}), ("UpdateHook", {"hook_id": made.hook_id})):
        refused = refusal(relation, call, url=longest + "x", **fields)
        assert refused.code == grpc.StatusCode.INVALID_ARGUMENT
        assert list(refused.fields) == ["url"]
    assert [hook.url[-1] for hook in relation("ListHooks").hooks] == ["y"]


def test_one_of_two_servers_delivers_and_the_other_follows_a_dead_one(
        serve, stubs, receiver):  # noqa: F811
    first = serve(*FLAGS)
    with grpc.insecure_channel(first.address) as channel:
        relation = Relation(stubs, channel)
        relation("UpdateApp", settings={"makes_accounts_implicitly": True})
        relation("CreateHook", url=receiver.url, kinds=["CHANGE_KIND_PROFILE_CHANGE"])
        nick(relation, "one")
        assert b"one" in receiver.next()[2]
    second = serve(*FLAGS)
    with grpc.insecure_channel(second.address) as channel:
        relation = Relation(stubs, channel)
        nick(relation, "two")
        assert b"two" in receiver.next()[2]
        assert receiver.requests.empty()
        first.kill()
        nick(relation, "three")
        # The lease of the dead server runs out; at most what it had not stored comes again.
        bodies = []
        while not bodies or b"three" not in bodies[-1]:
            bodies.append(receiver.requests.get(timeout=3 * SECONDS)[2])
        assert len(bodies) <= 3


def test_an_app_has_twenty_hooks_and_a_replay_needs_a_token(hooked):
    _, relation = hooked
    made = [
        relation("CreateHook", url="https://receiver.invalid/", paused=True)
        for _ in range(20)]
    refused = refusal(relation, "CreateHook", url="https://receiver.invalid/", paused=True)
    assert (refused.reason, refused.metadata) == ("TOO_MANY_HOOKS", {"limit": "20"})
    refused = refusal(
        relation, "ReplayHook", hook_id=made[0].hook.hook_id, resume_token="no token")
    assert refused.reason == "INVALID_RESUME_TOKEN"


# Tests of a hook


def test_a_test_event_goes_out_at_once_and_its_answer_is_told(hooked, receiver):
    _, relation = hooked
    made = relation("CreateHook", url=receiver.url, paused=True)
    fields = {"hook_id": made.hook.hook_id}
    answer = relation("TestHook", **fields)
    assert (answer.applied, answer.confirmed, answer.status, answer.cause) == (True, True, 204, "")
    _, headers, body = receiver.next()
    event = json.loads(body)
    assert signature(made.secret, headers, body)
    assert (event["id"], event["type"]) == (answer.event_id, "relation.v1.test")
    assert event["data"] == {"hookId": made.hook.hook_id}
    receiver.status = 500
    failed = relation("TestHook", **fields)
    assert (failed.applied, failed.confirmed, failed.status) == (True, False, 500)
    assert "500" in failed.cause
    assert failed.event_id != answer.event_id
    # It is not a failure of the hook, moves no position, and is not sent again.
    assert not relation("ListHookFailures", **fields).failures
    (hook,) = relation("ListHooks").hooks
    assert hook.test_time_ms > made.hook.create_time_ms
    assert (hook.resume_token, hook.delivery_time_ms) == (made.hook.resume_token, 0)
    receiver.next()
    assert receiver.requests.empty()


def test_a_dry_run_and_a_repeated_request_send_no_test_event(hooked, receiver):
    _, relation = hooked
    hook = relation("CreateHook", url=receiver.url, paused=True).hook
    tried = relation("TestHook", hook_id=hook.hook_id, options={"dry_run": True})
    assert (tried.applied, tried.confirmed, tried.event_id) == (False, False, "")
    once = {"hook_id": hook.hook_id, "options": {"request_id": "once"}}
    first, again = relation("TestHook", **once), relation("TestHook", **once)
    assert (first.confirmed, first.replayed) == (True, False)
    assert (again.confirmed, again.replayed, again.event_id) == (False, True, first.event_id)
    receiver.next()
    assert receiver.requests.empty()


def test_a_test_has_the_form_of_its_hook(hooked, receiver):
    _, relation = hooked
    batch = relation("CreateHook", url=receiver.url, paused=True, batch_size=10).hook
    assert relation("TestHook", hook_id=batch.hook_id).confirmed
    (event,) = json.loads(receiver.next()[2])
    assert event["type"] == "relation.v1.test"
    tim = relation("CreateHook", url=receiver.url, paused=True, form="HOOK_FORM_TIM_CALLBACKS").hook
    # The receiver's 204 without an object of JSON does not confirm a callback.
    answer = relation("TestHook", hook_id=tim.hook_id)
    assert (answer.confirmed, answer.status) == (False, 204)
    assert json.loads(receiver.next()[2]) == {
        "CallbackCommand": "Relation.CallbackTest", "HookId": tim.hook_id}


def test_a_test_without_an_answer_has_no_status(hooked):
    _, relation = hooked
    url = f"http://{ports.address()}/"
    hook = relation("CreateHook", url=url, paused=True).hook
    answer = relation("TestHook", hook_id=hook.hook_id)
    assert (answer.applied, answer.confirmed, answer.status) == (True, False, 0)
    assert answer.cause == "the receiver takes no connection"


def test_four_secrets_sign_until_their_own_times(hooked, receiver):
    _, relation = hooked
    made = relation("CreateHook", url=receiver.url, kinds=["CHANGE_KIND_PROFILE_CHANGE"])
    fields = {"hook_id": made.hook.hook_id}
    soon = int(time.time() * 1000) + 3_600_000
    for count in range(2, 5):
        turned = relation("RotateHookSecret", old_expire_time_ms=soon + count, **fields)
        assert len(turned.hook.secrets) == count
    refused = refusal(relation, "RotateHookSecret", old_expire_time_ms=soon, **fields)
    assert refused.code == grpc.StatusCode.RESOURCE_EXHAUSTED
    assert (refused.reason, refused.metadata) == ("TOO_MANY_HOOK_SECRETS", {"limit": "4"})
    nick(relation, "one")
    _, headers, _ = receiver.next()
    assert len(headers["webhook-signature"].split()) == 4
    ended = relation("RotateHookSecret", old_expire_time_ms=0, **fields)
    assert len(ended.hook.secrets) == 1


def test_four_tests_of_an_app_wait_for_their_receivers(hooked):
    _, relation = hooked
    # Connections wait in the backlog of a socket that accepts none.
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/"
        hook = relation("CreateHook", url=url, paused=True).hook
        request = relation.stubs.request("TestHook", {"hook_id": hook.hook_id})
        waiting = [relation.start("TestHook").future(request, timeout=SECONDS) for _ in range(4)]
        accepted = [silent.accept()[0] for _ in range(4)]
        refused = refusal(relation, "TestHook", hook_id=hook.hook_id)
        assert refused.code == grpc.StatusCode.RESOURCE_EXHAUSTED
        assert (refused.reason, refused.metadata) == ("TOO_MANY_HOOK_TESTS", {"limit": "4"})
        for connection in accepted:
            connection.recv(65_536)
            connection.sendall(b"HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n")
        assert [one.result().status for one in waiting] == [202] * 4
        for connection in accepted:
            connection.close()
    # Their places are free again.
    assert relation("TestHook", hook_id=hook.hook_id).status == 0
