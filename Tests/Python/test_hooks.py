"""Webhooks, from a call to a receiver of HTTP."""

import base64
import hashlib
import hmac
import http.server
import json
import queue
import re
import threading
import time

import grpc
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
