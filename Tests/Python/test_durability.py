"""Answered writes are kept: by a server that is killed at any moment, and by a log that is
synced."""

import os
import random
import re
import shutil
import subprocess
import threading
import time

import grpc
import ledger
import pytest
from people import People, codes
from relationd import Relationd, executable
from stubs import Relation

# `make kill` has more.
ROUNDS = int(os.environ.get("KILL_ROUNDS", 20))
# How long a writer of a long round waits between two writes, up to the last moments.
PAUSE_SECONDS = 0.05
LAST_SECONDS = 0.3
WRITERS = 4
POOL = 400

NONE, BOTH_WAY = 0, 3


class Writer(threading.Thread):
    """Adds and deletes friends of one user, both ways, until the server is gone.

    `sure` holds the facts from answers. `unsure` holds the users whose last call was not answered,
    with the wish of that call.
    """

    def __init__(self, relation, owner, others, numbers):
        super().__init__()
        self.relation = relation
        self.owner = owner
        self.others = others
        self.numbers = numbers
        self.sure = {}
        self.unsure = None
        self.answered = 0
        self.problem = None
        # Set while it writes without a pause.
        self.is_fast = threading.Event()
        self.is_fast.set()

    def run(self):
        try:
            while self._write():
                self.answered += 1
                self.is_fast.wait(PAUSE_SECONDS)
        except Exception as problem:
            self.problem = problem

    def _write(self):
        some = self.numbers.sample(self.others, self.numbers.randint(1, 5))
        present = {user for user, is_there in self.sure.items() if is_there}
        deletes = len(present) > 20 and self.numbers.random() < 0.3
        if deletes:
            some = self.numbers.sample(sorted(present), len(some))
        self.unsure = (some, not deletes)
        try:
            if deletes:
                answer = self.relation(
                    "DeleteFriends", user_id=self.owner, user_ids=some, delete_type=2, timeout=20
                )
            else:
                answer = self.relation(
                    "AddFriends",
                    user_id=self.owner,
                    items=[{"user_id": user} for user in some],
                    timeout=20,
                )
        except grpc.RpcError as error:
            assert error.code() == grpc.StatusCode.UNAVAILABLE, error
            return False
        assert set(codes(answer)) <= {0, 30001}, answer
        self.sure.update((user, not deletes) for user in some)
        self.unsure = None
        return True

    def check(self, relation):
        """Compares the server's rows with its answers, and returns the user's friends."""
        assert self.problem is None, self.problem
        answer = relation("CheckFriends", user_id=self.owner, user_ids=self.others)
        # One direction alone would be half a pair.
        assert {result.relation for result in answer.results} <= {NONE, BOTH_WAY}
        there = {result.user_id: result.relation == BOTH_WAY for result in answer.results}
        unsure = []
        if self.unsure is not None:
            users, wish = self.unsure
            # A call is one transaction: its changes are there as a whole, or not at all.
            open_ones = [user for user in users if self.sure.get(user, False) != wish]
            assert len({there[user] for user in open_ones}) <= 1, (self.owner, open_ones)
            unsure = open_ones
        lost = [
            user
            for user in self.others
            if user not in unsure and there[user] != self.sure.get(user, False)
        ]
        assert lost == [], (self.owner, lost)
        friends = {user for user, is_there in there.items() if is_there}
        page = relation("ListFriends", user_id=self.owner, page_size=1000)
        assert {friend.user_id for friend in page.friends} == friends
        assert page.total_size == len(friends)
        return friends


def kill_while_starting(data, numbers):
    """Starts a server and kills it before, or just as, it is ready."""
    process = subprocess.Popen(
        [executable("relationd"), "serve", "--listen", "127.0.0.1:0", "--data", str(data)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    # This waits for nothing: the moment of the kill is the input of this test.
    time.sleep(numbers.uniform(0, 0.1))
    process.kill()
    process.wait()


@ledger.trial("kill: writers of friends", kills=ROUNDS)
def test_a_killed_server_has_kept_all_that_it_answered(tmp_path, stubs, seed):
    numbers = random.Random(seed)
    data = tmp_path / "data"
    others = [f"other{number:04}" for number in range(POOL)]
    with Relationd(data) as running, grpc.insecure_channel(running.address) as channel:
        people = People(Relation(stubs, channel))
        people.make(others)
        people.make([f"round{r:02}writer{w}" for r in range(ROUNDS) for w in range(WRITERS)])

    expected = {}
    writers, answered, interrupted = [], 0, 0
    for number in range(ROUNDS + 1):
        running = Relationd(data)
        try:
            with grpc.insecure_channel(running.address) as channel:
                relation = Relation(stubs, channel)
                for writer in writers:
                    for friend in writer.check(relation):
                        expected.setdefault(friend, set()).add(writer.owner)
                if number == ROUNDS:
                    break
                writers = [
                    Writer(
                        relation,
                        f"round{number:02}writer{place}",
                        others,
                        random.Random(numbers.randrange(1 << 32)),
                    )
                    for place in range(WRITERS)
                ]
                for writer in writers:
                    writer.start()
                # This waits for nothing: the moment of the kill is the input of this test.
                time.sleep(numbers.uniform(0.01, 0.3))
                running.kill()
                for writer in writers:
                    writer.join(60)
                    assert not writer.is_alive()
                answered += sum(writer.answered for writer in writers)
                interrupted += sum(writer.unsure is not None for writer in writers)
        finally:
            if running.process.poll() is None:
                running.kill()
        if numbers.random() < 0.2:
            kill_while_starting(data, numbers)

    print(f"{answered} answered, {interrupted} interrupted")
    assert answered > 10 * ROUNDS and interrupted >= ROUNDS
    # After the last kill: every list of the other side, over all rounds.
    with Relationd(data) as running, grpc.insecure_channel(running.address) as channel:
        # Kills lose no answered write, so the server reports nothing.
        assert running.complaints == []
        people = People(Relation(stubs, channel))
        for user in others:
            assert set(people.friend_ids(user)) == expected.get(user, set())
            page = people.relation("ListFriends", user_id=user)
            assert page.total_size == len(expected.get(user, ()))


@pytest.mark.parametrize("arguments", [(), ("--no-sync",)])
def test_a_server_killed_among_its_marks_starts_without_a_word(tmp_path, stubs, seed, arguments):
    """Marks are written once a second: these kills come later than those above.

    Each second needs a write for its mark, and only the last moments need as many as there can be.
    """
    numbers = random.Random(seed)
    data = tmp_path / "data"
    others = [f"other{number:04}" for number in range(POOL)]
    with Relationd(data) as running, grpc.insecure_channel(running.address) as channel:
        People(Relation(stubs, channel)).make([*others, *(f"writer{w}" for w in range(4))])
    marks = set()
    for _ in range(3):
        running = Relationd(data, *arguments)
        try:
            marks.add((data / "MARK").read_bytes())
            with grpc.insecure_channel(running.address) as channel:
                relation = Relation(stubs, channel)
                writers = [
                    Writer(relation, f"writer{w}", others, random.Random(numbers.randrange(1 << 32)))
                    for w in range(4)
                ]
                for writer in writers:
                    writer.is_fast.clear()
                    writer.start()
                # These wait for nothing: the moment of the kill is the input of this test.
                time.sleep(numbers.uniform(1.5, 3) - LAST_SECONDS)
                for writer in writers:
                    writer.is_fast.set()
                time.sleep(LAST_SECONDS)
                running.kill()
                for writer in writers:
                    writer.join(60)
                    assert not writer.is_alive() and writer.problem is None, writer.problem
            marks.add((data / "MARK").read_bytes())
        finally:
            if running.process.poll() is None:
                running.kill()
    with Relationd(data) as running:
        # A busy machine has slow calls, which the log says too.
        assert [line for line in running.complaints if "slow call" not in line] == []
    # Each start has its mark; and so has each second of writes, if they are synced.
    assert len(marks) == 3 if arguments else len(marks) > 3


# The log


TRACED = "fdatasync,fsync,read,readv,recvfrom,recvmsg,write,writev,sendto,sendmsg"
LINE = re.compile(r"^(?P<thread>\d+) +(?P<rest>.*)$")
RESUMED = re.compile(r"^<\.\.\. (?P<name>\w+) resumed>")
LOG_SYNC = re.compile(r"^(fdatasync|fsync)\(\d+<[^>]*/\d+\.log>")


class Trace:
    """The system calls of a server, in the order in which they began and ended."""

    def __init__(self, text):
        self.received = []
        self.sent = []
        self.synced = []
        unfinished = {}
        for place, line in enumerate(text.splitlines()):
            match = LINE.match(line)
            if not match:
                continue
            thread, rest = match["thread"], match["rest"]
            resumed = RESUMED.match(rest)
            begun = unfinished.pop(thread, "") if resumed else rest
            if rest.endswith("<unfinished ...>"):
                unfinished[thread] = rest
            # The bytes of a send are known when the call begins, those of a receive when it has
            # ended.
            if "<TCP" in begun and begun.startswith(("write", "send")) and not resumed:
                self.sent.append((place, rest))
            if rest.endswith("<unfinished ...>"):
                continue
            if "<TCP" in begun and begun.startswith(("read", "recv")):
                self.received.append((place, rest))
            if LOG_SYNC.match(begun) and rest.endswith("= 0"):
                self.synced.append(place)

    def syncs_between(self, marker):
        """How often the log was synced between the request with `marker` and its answer."""
        (received,) = [place for place, text in self.received if marker in text]
        (sent,) = [place for place, text in self.sent if marker in text]
        assert received < sent
        return sum(received < place < sent for place in self.synced)


def traced_writes(tmp_path, stubs, *arguments):
    """Makes writes, one after another and many at once, under `strace`: trace and markers.

    Each names a user that no other call names, whose id stands in the request and in the answer.
    """
    assert shutil.which("strace"), "strace is missing"
    data, trace = tmp_path / "data", tmp_path / "trace"
    marks = [f"marked{number:04}" for number in range(60)]
    # The accounts are made before anything is traced: their import names the marks too.
    with Relationd(data) as running, grpc.insecure_channel(running.address) as channel:
        People(Relation(stubs, channel)).make(["ann", *marks])
    # `-D`: the server itself is our child, and gets our signals.
    wrapper = ["strace", "-D", "-f", "-yy", "-s", "100000", "-e", f"trace={TRACED}"]
    wrapper += ["-o", str(trace)]
    running = Relationd(data, *arguments, wrapper=wrapper)
    try:
        with grpc.insecure_channel(running.address) as channel:
            people = People(Relation(stubs, channel))
            add = people.relation.start("AddFriends")
            request = people.stubs.request
            for mark in marks[:20]:
                assert people.add("ann", mark) == (0, "")
            calls = [
                add.future(
                    request("AddFriends", {"user_id": "ann", "items": [{"user_id": mark}]}),
                    timeout=20,
                )
                for mark in marks[20:]
            ]
            assert all(codes(call.result()) == [0] for call in calls)
    finally:
        status = running.stop()
    assert status == 0, running.log
    return Trace(await_end(trace)), marks


def await_end(trace):
    """The trace's text once its writer, which is not a child of ours, has ended."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        text = trace.read_text(errors="replace")
        if re.search(r"\+\+\+ exited with 0 \+\+\+\n$", text):
            return text
        time.sleep(0.01)
    raise TimeoutError("strace did not come to its end")


def test_every_write_is_synced_before_it_is_answered(tmp_path, stubs):
    trace, marks = traced_writes(tmp_path, stubs)
    unsynced = [mark for mark in marks if trace.syncs_between(mark) < 1]
    assert unsynced == []


def test_the_trace_shows_when_nothing_is_synced(tmp_path, stubs):
    """The test above can fail: without syncs it would find none."""
    trace, marks = traced_writes(tmp_path, stubs, "--no-sync")
    assert [mark for mark in marks if trace.syncs_between(mark) > 0] == []
