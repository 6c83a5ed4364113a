"""A dead hook costs other apps nothing: while the receivers of some apps never answer, have no address
or take no connection, all calls, questions and events of another app pass. Counts hold that, not
times: calls that were answered, calls that wait, threads of the server."""

import collections
import contextlib
import json
import os
import re
import socket

import grpc
import pytest
from refusals import Refusal, refusal
from stubs import Relation
from test_hooks import FLAGS
from test_veto import APP_LIMIT, SETTINGS, Veto, metrics
from waiting import until

SECONDS = 60
#: The calls of each dead app, and of the app beside them.
CALLS, OTHERS = APP_LIMIT, 100
#: The threads that look up names, which begin with the first name, and those that pools may begin.
MORE_THREADS = 16 + 8


class Dead:
    """An app whose receiver is asked before Follow, and gets the events, and many calls in it."""

    def __init__(self, server, stubs, relation, url, **fields):
        self.app = relation.in_app(relation("CreateApp", settings=SETTINGS).app.app_id)
        self.hook = self.app(
            "CreateHook", url=url, asks=["HOOK_QUESTION_FOLLOW"], silence="HOOK_SILENCE_FAIL",
            ask_timeout_ms=10_000, **fields).hook.hook_id
        self.channels = [
            grpc.insecure_channel(server.address, [("grpc.use_local_subchannel_pool", 1)])
            for _ in range(4)]
        self.server, self.stubs, self.waiting = server, stubs, []

    def call(self):
        for number in range(CALLS):
            follow = self.stubs.method("Follow")[0](self.channels[number % 4]).Follow
            self.waiting.append(follow.future(
                self.stubs.request("Follow", {"user_id": "ann", "user_ids": [f"u{number}"]}),
                metadata=self.app.metadata, timeout=SECONDS))

    def check(self):
        """Each call has failed, since silence means that, and the app is told why."""
        said = collections.Counter(
            Refusal(call.exception(timeout=SECONDS)).reason for call in self.waiting)
        assert said == {"HOOK_SILENT": CALLS}

        def causes():
            failures = self.app("ListHookFailures", hook_id=self.hook).failures
            return {row.cause for row in failures}

        until(lambda: self.cause in causes(), causes)

    def end(self):
        for channel in self.channels:
            channel.close()


class Silent(Dead):
    """The receiver takes questions and events, and answers none of them."""

    def __init__(self, server, stubs, relation):
        self.receiver = Veto()
        self.receiver.gate.clear()
        super().__init__(server, stubs, relation, self.receiver.url)

    def call(self):
        super().call()
        until(lambda: waiting(self.server) == CALLS, "not all calls wait")
        refused = refusal(self.app, "Follow", user_id="ann", user_ids=["bob"])
        assert (refused.reason, refused.metadata) == (
            "TOO_MANY_QUESTIONS", {"limit": str(APP_LIMIT)})

    def check(self):
        """All its calls still wait, and pass once the receiver answers."""
        assert not any(call.done() for call in self.waiting)
        self.receiver.gate.set()
        assert {call.result(timeout=SECONDS).results[0].code for call in self.waiting} == {0}

    def end(self):
        super().end()
        self.receiver.gate.set()
        self.receiver.server.shutdown()


class Nameless(Dead):
    """The name of the receiver has no address."""

    cause = "the host has no address"

    def __init__(self, server, stubs, relation):
        super().__init__(server, stubs, relation, "http://receiver.invalid:8080/")


class Refusing(Dead):
    """Nothing listens at the port of the receiver."""

    cause = "the receiver takes no connection"

    def __init__(self, server, stubs, relation):
        self.port = socket.socket()
        self.port.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{self.port.getsockname()[1]}/"
        super().__init__(server, stubs, relation, url)

    def end(self):
        super().end()
        self.port.close()


class Mute(Dead):
    """The receiver of gRPC takes connections, and says nothing in them."""

    cause = "the receiver takes no connection"

    def __init__(self, server, stubs, relation):
        self.listener = socket.create_server(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        super().__init__(server, stubs, relation, url, form="HOOK_FORM_GRPC")

    def end(self):
        super().end()
        self.listener.close()


def waiting(server):
    return int(re.search(r"^relation_hook_waiting_questions (\d+)", metrics(server), re.M)[1])


def asked(server):
    """The calls about which hooks were to be asked, by result."""
    found = re.findall(
        r'^relation_hook_questions_total{result="(\w+)"} (\d+)', metrics(server), re.M)
    return {result: int(count) for result, count in found}


def counted(server, first):
    """The calls since `first`; how many of the failed ones met a pause is a matter of their order."""
    last = {result: count - first[result] for result, count in asked(server).items()}
    last["silent or paused"] = last.pop("silent") + last.pop("paused")
    return last


def threads(server):
    return len(os.listdir(f"/proc/{server.process.pid}/task"))


class Living:
    """An app whose receiver answers."""

    def __init__(self, relation):
        self.receiver = Veto()
        self.app = relation.in_app(relation("CreateApp", settings=SETTINGS).app.app_id)
        self.app(
            "CreateHook", url=self.receiver.url, asks=["HOOK_QUESTION_FOLLOW"],
            kinds=["CHANGE_KIND_FOLLOWING_CHANGED"])
        self.made = 0

    def call(self, calls):
        """Makes calls, each of which is answered, asked about and told of as an event."""
        first = self.made
        self.made += calls
        users = [f"u{number}" for number in range(first, self.made)]
        for user in users:
            assert self.app("Follow", user_id="bob", user_ids=[user]).results[0].code == 0
        until(lambda: len(self.told("relation.v1.change.following_changed")) == self.made,
              "events are missing")
        questions = self.told("relation.v1.ask.follow")[first:]
        assert [one["items"][0]["userId"] for one in questions] == users

    def told(self, kind):
        bodies = [json.loads(body) for _, _, body in list(self.receiver.asked)]
        return [body["data"] for body in bodies if body["type"] == kind]


@pytest.mark.parametrize(
    "kinds", [[Silent], [Mute], [Silent, Nameless, Refusing]], ids=["silent", "mute", "all"])
def test_a_dead_hook_costs_another_app_nothing(kinds, start, stubs):
    server = start("data", *FLAGS)
    with contextlib.ExitStack() as stack:
        channel = stack.enter_context(grpc.insecure_channel(server.address))
        relation = Relation(stubs, channel)
        living = Living(relation)
        stack.callback(living.receiver.server.shutdown)
        # So many connections and threads as it has with all apps well.
        living.call(OTHERS)
        dead = []
        for kind in kinds:
            dead.append(kind(server, stubs, relation))
            stack.callback(dead[-1].end)
        before, first = threads(server), asked(server)
        # The silent ones come last, so that their calls wait while the others are looked at.
        for app in reversed(dead):
            app.call()
        living.call(OTHERS)
        assert threads(server) <= before + MORE_THREADS
        for app in dead:
            app.check()
        mine = CALLS * (Silent in kinds)
        expected = {
            "allowed": OTHERS + mine, "refused": 0, "changed": 0, "full": int(Silent in kinds),
            "silent or paused": CALLS * len(kinds) - mine}
        until(lambda: counted(server, first) == expected, lambda: counted(server, first))
        until(lambda: waiting(server) == 0, "calls wait still")
