"""Webhooks against a foreign reader of signatures, and against receivers that fail in each way."""

import datetime
import json
import queue
import socket
import threading
import time

import pytest
from standardwebhooks import Webhook, webhooks
from test_hooks import FLAGS, SECONDS, Receiver, hooked, nick, receiver  # noqa: F401

ANSWER = b"HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n"


# Signatures


def verifies(secret, headers, body):
    try:
        Webhook(secret).verify(body, headers)
    except webhooks.WebhookVerificationError:
        return False
    return True


def test_a_foreign_reader_takes_both_secrets_until_the_older_one_ends(
        hooked, receiver):  # noqa: F811
    _, relation = hooked
    made = relation("CreateHook", url=receiver.url, kinds=["CHANGE_KIND_PROFILE_CHANGE"])
    fields = {"hook_id": made.hook.hook_id}
    nick(relation, "one")
    _, headers, body = receiver.next()
    assert verifies(made.secret, headers, body)
    assert not verifies(made.secret, headers, body + b" ")
    soon = int(time.time() * 1000) + 3_600_000
    newer = relation("RotateHookSecret", old_expire_time_ms=soon, **fields).secret
    nick(relation, "two")
    _, headers, body = receiver.next()
    assert verifies(made.secret, headers, body) and verifies(newer, headers, body)
    newest = relation("RotateHookSecret", old_expire_time_ms=0, **fields).secret
    nick(relation, "three")
    _, headers, body = receiver.next()
    assert verifies(newest, headers, body)
    assert not verifies(newer, headers, body) and not verifies(made.secret, headers, body)


def test_a_foreign_reader_refuses_a_request_that_is_sent_again_later(
        hooked, receiver, monkeypatch):  # noqa: F811
    _, relation = hooked
    secret = relation(
        "CreateHook", url=receiver.url, kinds=["CHANGE_KIND_PROFILE_CHANGE"]).secret
    nick(relation, "one")
    _, headers, body = receiver.next()
    assert verifies(secret, headers, body)

    class Later(datetime.datetime):
        @classmethod
        def now(cls, tz=None):
            return datetime.datetime.now(tz) + datetime.timedelta(minutes=6)

    monkeypatch.setattr(webhooks, "datetime", Later)
    assert not verifies(secret, headers, body)


# Receivers that fail


class FaultyReceiver:
    """A receiver that reads the first requests and does something else than to take them."""

    def __init__(self, fault, faults=1):
        self.fault, self.faults = fault, faults
        self.requests = queue.Queue()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}/hook"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        try:
            while True:
                connection, _ = self.listener.accept()
                threading.Thread(target=self.serve, args=[connection], daemon=True).start()
        except OSError:
            return

    def serve(self, connection):
        with connection, connection.makefile("rb") as lines:
            length = 0
            while (line := lines.readline().strip().lower()):
                if line.startswith(b"content-length:"):
                    length = int(line.partition(b":")[2])
            body = lines.read(length)
            self.faults -= 1
            try:
                if self.faults >= 0:
                    self.fault(connection)
                else:
                    connection.sendall(ANSWER)
            except OSError:
                pass
            self.requests.put(json.loads(body))

    def next(self):
        return self.requests.get(timeout=SECONDS)


def saying(text):
    return lambda connection: connection.sendall(text)


def without_end(head, part):
    """Sends until the server ends the connection."""

    def send(connection):
        connection.sendall(head)
        while True:
            connection.sendall(part * 1_000)

    return send


FAULTS = {
    "500": (saying(b"HTTP/1.1 500 Oh\r\ncontent-length: 2\r\n\r\nno"), 500),
    "404": (saying(b"HTTP/1.1 404 Oh\r\ncontent-length: 0\r\n\r\n"), 404),
    "garbage": (saying(b"\x16\x03\x01\x00\xa5 not HTTP at all\r\n\r\n"), 0),
    "no answer": (lambda connection: connection.shutdown(socket.SHUT_RDWR), 0),
    "half an answer": (saying(b"HTTP/1.1 204 No"), 0),
    "headers without end": (without_end(b"HTTP/1.1 204 No Content\r\n", b"x: y\r\n"), 0),
    "500 without end": (
        without_end(b"HTTP/1.1 500 Oh\r\ntransfer-encoding: chunked\r\n\r\n", b"1\r\nx\r\n"), 500),
    "half a 500": (saying(b"HTTP/1.1 500 Oh\r\ncontent-length: 20\r\n\r\nno"), 500),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_an_event_comes_again_after_each_fault_of_the_receiver(hooked, fault):  # noqa: F811
    _, relation = hooked
    does, status = FAULTS[fault]
    faulty = FaultyReceiver(does)
    hook = relation("CreateHook", url=faulty.url, kinds=["CHANGE_KIND_PROFILE_CHANGE"]).hook
    nick(relation, "one")
    first, again = faulty.next(), faulty.next()
    assert first == again
    nick(relation, "two")
    assert faulty.next()["data"]["items"][0]["profile"]["nick"] == "two"
    assert statuses(relation, hook) == [status]
    faulty.listener.close()


def test_a_redirection_is_a_failure_and_never_followed(hooked, receiver):  # noqa: F811
    _, relation = hooked
    place = receiver.url.encode()
    faulty = FaultyReceiver(saying(
        b"HTTP/1.1 301 Moved\r\nlocation: " + place + b"\r\ncontent-length: 0\r\n\r\n"))
    hook = relation("CreateHook", url=faulty.url, kinds=["CHANGE_KIND_PROFILE_CHANGE"]).hook
    nick(relation, "one")
    assert faulty.next() == faulty.next()
    assert len(statuses(relation, hook)) == 1
    assert receiver.requests.empty()
    faulty.listener.close()


@pytest.mark.parametrize("answer", [
    without_end(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n", b"1\r\nx\r\n"),
    saying(b"HTTP/1.1 200 OK\r\ncontent-length: 20\r\n\r\nhalf"),
    saying(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nha"),
], ids=["without end", "half", "half a chunk"])
def test_an_answer_of_success_counts_although_its_body_has_no_end(hooked, answer):  # noqa: F811
    _, relation = hooked
    faulty = FaultyReceiver(answer)
    hook = relation("CreateHook", url=faulty.url, kinds=["CHANGE_KIND_PROFILE_CHANGE"]).hook
    for text in ("one", "two"):
        nick(relation, text)
        assert faulty.next()["data"]["items"][0]["profile"]["nick"] == text
    assert list(relation("ListHookFailures", hook_id=hook.hook_id).failures) == []
    faulty.listener.close()


def statuses(relation, hook):
    """The statuses of the failed requests, once they are told."""
    deadline = time.monotonic() + SECONDS
    while not (rows := relation("ListHookFailures", hook_id=hook.hook_id).failures):
        assert time.monotonic() < deadline, "no failure is told"
        time.sleep(0.05)
    return [row.status for row in rows]


def test_events_that_left_the_log_are_told_by_a_marker(hooked, receiver):  # noqa: F811
    _, relation = hooked
    hook = relation("CreateHook", url=receiver.url, paused=True).hook
    relation("UpdateApp", settings={"log_events": 1, "makes_accounts_implicitly": True},
             update_mask={"paths": ["log_events", "makes_accounts_implicitly"]})
    for number in range(1, 5):
        nick(relation, f"nick {number}")
    # The maintenance then removes rows beside the calls.
    relation("Follow", user_id="joe", user_ids=["ann"])
    relation("DeleteAccounts", user_ids=["joe"])
    consumer = {"consumer": "marks", "start": "CONSUMER_START_TOKEN",
                "resume_token": hook.resume_token}
    relation("AcquireConsumer", **consumer)
    deadline = time.monotonic() + 2 * SECONDS
    while not relation("ListConsumers").consumers[0].is_trimmed:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    relation("UpdateHook", hook_id=hook.hook_id, paused=False)
    first = json.loads(receiver.next()[2])
    assert first["type"] == "relation.v1.trimmed"
    assert int(first["data"]["toPosition"]) > int(first["data"]["afterPosition"])
    # The events that are kept come after it.
    last = relation("ListHooks").hooks[0]
    assert last.state == relation.stubs.HookState.HOOK_STATE_ACTIVE
    nick(relation, "the last one")
    while b"the last one" not in receiver.next()[2]:
        pass


def test_a_hook_that_is_deleted_or_moved_while_it_fails_goes_no_further(
        hooked, receiver):  # noqa: F811
    _, relation = hooked
    moved, deleted = (
        relation("CreateHook", url=receiver.url, kinds=["CHANGE_KIND_PROFILE_CHANGE"]).hook
        for _ in range(2))
    other = Receiver()
    receiver.status = 500
    nick(relation, "one")
    receiver.next(), receiver.next()
    relation("DeleteHook", hook_id=deleted.hook_id)
    relation("UpdateHook", hook_id=moved.hook_id, url=other.url)
    nick(relation, "two")
    bodies = [other.next()[2], other.next()[2]]
    assert b"one" in bodies[0] and b"two" in bodies[1]
    assert [hook.hook_id for hook in relation("ListHooks").hooks] == [moved.hook_id]
    other.server.shutdown()
