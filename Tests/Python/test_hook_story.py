"""A foreign receiver of webhooks keeps copies from events alone, while the server is killed again
and again: the copies equal an export, and its book has no gap and no disorder within a user.

`HOOK_EVENTS` and `HOOK_KILLS` make the book longer: `make hooks` has a million and a hundred.
On a database the server after a killed one waits for the lease, so there is one kill.
"""

import json
import os
import pathlib
import random
import subprocess
import sys
import threading
import time
import urllib.request

import grpc
import ledger
import pytest
from google.protobuf import json_format
from relationd import Relationd
from stubs import Relation
from test_hooks import FLAGS
from test_watch_mirror import USERS, Writer, prepare
from watching import Copy, exported

RECEIVER = pathlib.Path(__file__).with_name("hook_receiver.py")
IS_SHARED = os.environ.get("RELATION_STORE") == "postgresql"
EVENTS = int(os.environ.get("HOOK_EVENTS", 6_000))
KILLS = int(os.environ.get("HOOK_KILLS", 1 if IS_SHARED else 5))
# Writes of one life of the server in the story, of which some are made before it is killed.
WRITES = 150
SECONDS = 180 if IS_SHARED else 60
# Users of the long book, and the users that one call follows.
FOLLOWERS, FOLLOWED = 20, 100


class Receiver:
    """A process of `hook_receiver.py`, and its book."""

    def __init__(self, folder, seed, lost, *options):
        self.book = folder / "book"
        self.process = subprocess.Popen(
            [sys.executable, RECEIVER, self.book, str(seed), str(lost), *options],
            stdout=subprocess.PIPE, text=True)
        self.url = f"http://127.0.0.1:{int(self.process.stdout.readline())}"

    def secrets(self, *secrets):
        request = urllib.request.Request(
            f"{self.url}/secrets", json.dumps(secrets).encode(),
            {"content-type": "application/json"}, method="PUT")
        assert urllib.request.urlopen(request, timeout=SECONDS).status == 204

    def lines(self):
        with open(self.book, encoding="utf-8") as lines:
            for line in lines:
                assert not line.startswith("refused"), line
                yield line

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


class Person(Copy):
    """A copy with follows on both sides too."""

    def __init__(self):
        super().__init__()
        self.following, self.followers = set(), set()

    def change(self, kind, item, sequence):
        side = {"FOLLOWING_CHANGED": self.following, "FOLLOWERS_CHANGED": self.followers}.get(kind)
        if side is None:
            super().change(kind, item, sequence)
        elif item.HasField("follow"):
            side.add(item.user_id)
        else:
            side.discard(item.user_id)


def copies_of(receiver, stubs):
    """The copies that the events of the book make, each user's in the order of its log."""
    copies, places = {}, {}
    for line in receiver.lines():
        content = json.loads(line)
        user, position = content["subject"], int(content["position"])
        assert position > places.get(user, 0), (user, position, places)
        places[user] = position
        event = json_format.ParseDict(content["data"], stubs.message("ChangeEvent")())
        assert event.user_id == user
        if event.sequence:
            copies[user].event(event, stubs.ChangeKind)
        else:
            assert event.kind == stubs.ChangeKind.CHANGE_KIND_ACCOUNT_CREATED, event
            assert user not in copies, "an account was told of twice"
            copies[user] = Person()
            copies[user].sequence = event.items[0].sequence
            # An export leaves out a profile that has the user's id alone.
            if len(event.items[0].profile.ListFields()) > 1:
                copies[user].put(event.items[0])
    return copies


def follows(relation):
    """Who follows whom, from an export."""
    request = relation.stubs.request("ExportApp", {})
    rows = relation.start("ExportApp")(request, timeout=SECONDS)
    return {(row.follow.user_id, row.follow.entry.user_id)
            for row in rows if row.WhichOneof("row") == "follow"}


def all_delivered(relation, seconds=SECONDS):
    """Waits until the hook has come to the end of the feed."""
    deadline = time.monotonic() + seconds
    while (hook := relation("ListHooks").hooks[0]).behind:
        assert time.monotonic() < deadline, hook
        time.sleep(0.05)


class Day(Writer):
    """Random writes, follows too."""

    def write(self):
        if self.numbers.random() < 0.8:
            return super().write()
        user, other, third = self.numbers.sample(USERS, 3)
        self.relation(
            self.numbers.choice(["Follow", "Follow", "Unfollow"]), user_id=user,
            user_ids=[other, third])


@ledger.trial("hooks: copies from events", kills=KILLS)
def test_copies_of_a_foreign_receiver_through_kills_equal_an_export(stubs, seed, tmp_path):
    numbers = random.Random(seed)
    with Receiver(tmp_path, seed, 0.02) as receiver:
        for life in range(KILLS + 1):
            server = Relationd(tmp_path / "data", *FLAGS)
            with grpc.insecure_channel(server.address) as channel:
                relation = Relation(stubs, channel)
                if life == 0:
                    made = relation("CreateHook", url=receiver.url + "/hook", batch_size=8)
                    receiver.secrets(made.secret)
                    prepare(relation)
                writer = Day(relation, random.Random(numbers.random()), WRITES)
                writer.start()
                if life < KILLS:
                    kill_at = numbers.randrange(WRITES)
                    while writer.left > kill_at and writer.is_alive():
                        time.sleep(0.001)
                    server.kill()
                writer.join()
                assert writer.problem is None, f"SEED={seed}: {writer.problem!r}"
                if life < KILLS:
                    continue
                all_delivered(relation)
                truth, pairs = exported(relation), follows(relation)
            assert server.stop() == 0
        copies = copies_of(receiver, stubs)
        assert {user: copy.told() for user, copy in copies.items()} == {
            user: copy.told() for user, copy in truth.items()}, f"SEED={seed}"
        assert {(user, other) for user in copies for other in copies[user].following} == pairs
        assert {(other, user) for user in copies for other in copies[user].followers} == pairs


class Crowd(threading.Thread):
    """Follows and unfollows many users, until the server is gone or enough events are made."""

    def __init__(self, stubs, address, numbers, number, counter):
        super().__init__()
        self.stubs, self.address, self.numbers = stubs, address, numbers
        self.user, self.counter = f"fan{number}", counter
        self.problem = None

    def run(self):
        users = [f"star{number}" for number in range(FOLLOWED)]
        try:
            with grpc.insecure_channel(self.address) as channel:
                relation = Relation(self.stubs, channel)
                while self.counter.events < self.counter.end:
                    call = self.numbers.choice(["Follow", "Unfollow"])
                    some = self.numbers.sample(users, FOLLOWED // 2)
                    try:
                        answer = relation(call, user_id=self.user, user_ids=some)
                    except grpc.RpcError as error:
                        # A server whose queue is full has done nothing, and asks for a pause.
                        if error.code() != grpc.StatusCode.RESOURCE_EXHAUSTED:
                            raise
                        time.sleep(0.05)
                        continue
                    changed = sum(result.changed for result in answer.results)
                    self.counter.add(changed + (changed > 0))
        except grpc.RpcError as error:
            if error.code() != grpc.StatusCode.UNAVAILABLE:
                self.problem = error


class Counter:
    """Counts events up to an end."""

    def __init__(self, end):
        self.events, self.end, self.lock = 0, end, threading.Lock()

    def add(self, events):
        with self.lock:
            self.events += events


@ledger.trial("hooks: a book through kills", kills=KILLS, events=EVENTS)
def test_the_book_of_a_receiver_has_no_gap_and_no_disorder_through_kills(stubs, seed, tmp_path):
    numbers = random.Random(seed)
    counter = Counter(EVENTS)
    kills = sorted(numbers.randrange(EVENTS) for _ in range(KILLS))
    with Receiver(tmp_path, seed, 0.001, "--brief") as receiver:
        for life, end in enumerate([*kills, None]):
            server = Relationd(tmp_path / "data", *FLAGS)
            with grpc.insecure_channel(server.address) as channel:
                relation = Relation(stubs, channel)
                if life == 0:
                    relation("UpdateApp", settings={"makes_accounts_implicitly": True})
                    made = relation("CreateHook", url=receiver.url + "/hook", batch_size=100)
                    receiver.secrets(made.secret)
                crowd = [
                    Crowd(stubs, server.address, random.Random(numbers.random()), number, counter)
                    for number in range(FOLLOWERS)]
                for thread in crowd:
                    thread.start()
                if end is not None:
                    while counter.events < end and any(thread.is_alive() for thread in crowd):
                        time.sleep(0.001)
                    server.kill()
                for thread in crowd:
                    thread.join()
                    assert thread.problem is None, f"SEED={seed}: {thread.problem!r}"
                if end is None:
                    all_delivered(relation, seconds=SECONDS + EVENTS / 500)
                    sequences = {user: copy.sequence for user, copy in exported(relation).items()}
                    assert server.stop() == 0
        check_book(receiver, sequences, EVENTS, f"SEED={seed}")


def check_book(receiver, sequences, events, words):
    """Each user's events are there with each sequence once, in order, up to the present one."""
    places, last = {}, {}
    for line in receiver.lines():
        user, position, sequence = line.split()
        assert int(position) > places.get(user, 0), (words, line)
        places[user] = int(position)
        if int(sequence):
            assert int(sequence) == last.get(user, 0) + 1, (words, line, last.get(user))
            last[user] = int(sequence)
    assert last == {user: sequence for user, sequence in sequences.items() if sequence}, words
    assert sum(last.values()) >= events


class Written:
    """A book of lines that no server has sent."""

    def __init__(self, *lines):
        self.lines = lambda: iter(lines)


BOOK = ("ann 3 0", "bob 4 1", "ann 5 1", "ann 7 2", "bob 8 2", "ann 9 3")


def test_a_book_without_a_fault_is_whole():
    check_book(Written(*BOOK), {"ann": 3, "bob": 2, "eve": 0}, 5, "")


@pytest.mark.parametrize("lines", [
    pytest.param((*BOOK[:2], BOOK[3], BOOK[2], *BOOK[4:]), id="another order"),
    pytest.param((*BOOK[:3], *BOOK[4:]), id="a gap"),
    pytest.param(BOOK[:-1], id="no end"),
    pytest.param((*BOOK, "ann 10 3"), id="a sequence twice"),
    pytest.param((*BOOK[:3], "ann 5 2", *BOOK[4:]), id="a position twice"),
    pytest.param((*BOOK, "eve 10 1"), id="an event that no log has"),
])  # fmt: skip
def test_a_book_with_a_fault_is_not_whole(lines):
    with pytest.raises(AssertionError):
        check_book(Written(*lines), {"ann": 3, "bob": 2, "eve": 0}, 5, "")
