"""A history of writes by clients of several servers of one store, and its check.

Each writer owns users that no other changes, so its answers say what must be there. Watchers follow
the same users, and go on at any server with their tokens. At the end there must be one history: all
that was answered is there, on both sides; each user's events have each sequence once and in order;
every watcher has seen the same ones.
"""

import itertools
import random
import threading
import time

import grpc
from people import codes
from stubs import Relation

PASSING = (
    grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.UNKNOWN, grpc.StatusCode.DEADLINE_EXCEEDED)
SECONDS = 60


def passes(error):
    """Whether the call may be tried again: at another channel, if the test closed this one."""
    if isinstance(error, grpc.RpcError):
        return error.code() in PASSING
    return "closed channel" in str(error)


class Servers:
    """The servers of a store by their channels, which a test may exchange."""

    def __init__(self, stubs, app=None):
        self.stubs = stubs
        self.app = app
        self.channels = []

    def connect(self, server, place=None):
        channel = grpc.insecure_channel(
            server.address, options=[("grpc.max_reconnect_backoff_ms", 200),
                                     ("grpc.initial_reconnect_backoff_ms", 50)])
        if place is None:
            self.channels.append(channel)
        else:
            old, self.channels[place] = self.channels[place], channel
            old.close()

    def at(self, channel):
        relation = Relation(self.stubs, channel)
        return relation.in_app(self.app) if self.app else relation

    def any(self, numbers):
        return self.at(numbers.choice(self.channels))

    def in_turn(self, numbers):
        """All of them again and again, from any one on."""
        first = numbers.randrange(len(self.channels))
        for turn in itertools.count(first):
            yield self.at(self.channels[turn % len(self.channels)])

    def close(self):
        for channel in self.channels:
            channel.close()


class Writer(threading.Thread):
    """Adds and deletes friends of one user at any server, each call until it is answered."""

    def __init__(self, servers, owner, others, seed, pause=0):
        super().__init__(daemon=True)
        self.servers, self.owner, self.others = servers, owner, others
        self.pause = pause
        self.numbers = random.Random(seed)
        self.is_there = dict.fromkeys(others, False)
        self.answered = 0
        self.repeated = 0
        self.problem = None
        self.ends = threading.Event()

    def run(self):
        try:
            for number in itertools.count():
                if self.ends.is_set():
                    return
                self._write(f"{self.owner}-{number}")
                if self.ends.wait(self.pause):
                    return
        except Exception as problem:
            self.problem = problem

    def _write(self, request_id):
        some = self.numbers.sample(self.others, self.numbers.randint(1, 4))
        adds = self.numbers.random() < 0.6
        fields = {"user_id": self.owner, "options": {"request_id": request_id}}
        if adds:
            fields |= {"items": [{"user_id": user} for user in some], "force": True}
        else:
            fields |= {"user_ids": some, "delete_type": "DELETE_TYPE_BOTH"}
        answer = self._until_answered("AddFriends" if adds else "DeleteFriends", fields)
        assert set(codes(answer)) <= {0, 30001, 31704}, answer
        self.is_there.update(dict.fromkeys(some, adds))
        self.answered += 1

    def _until_answered(self, name, fields):
        end = time.monotonic() + SECONDS
        # A call that gets no answer goes to another server, since one of them may hang.
        for server in self.servers.in_turn(self.numbers):
            try:
                return server(name, timeout=15, **fields)
            except (grpc.RpcError, ValueError) as error:
                if not passes(error) or time.monotonic() > end:
                    raise
                self.repeated += 1
                # A client does not rush a server that is away.
                time.sleep(0.05)

    def check(self, relation):
        """Compares rows of both sides with the answers."""
        page = relation("ListFriends", user_id=self.owner, page_size=1000)
        there = {row.user_id for row in page.friends}
        assert there == {user for user, is_there in self.is_there.items() if is_there}, self.owner
        assert page.total_size == len(there)
        for user in self.others:
            back = relation("CheckFriends", user_id=user, user_ids=[self.owner]).results[0]
            assert back.relation == (3 if user in there else 0), (self.owner, user)


class Watcher(threading.Thread):
    """Follows users from before the first write, at one server after another."""

    def __init__(self, servers, users, seed):
        super().__init__(daemon=True)
        self.servers, self.users = servers, users
        self.numbers = random.Random(seed)
        self.sequences = {user: [] for user in users}
        self.token = ""
        self.began = threading.Event()
        self.ends = threading.Event()
        self.resumed = 0
        self.problem = None
        self.stream = None

    def run(self):
        try:
            while not self.ends.is_set():
                try:
                    self._follow()
                except (grpc.RpcError, ValueError) as error:
                    if self.ends.is_set():
                        return
                    assert passes(error), error
                    self.resumed += 1
                    time.sleep(0.05)
        except Exception as problem:
            self.problem = problem

    def _follow(self):
        relation = self.servers.any(self.numbers)
        request = relation.stubs.request(
            "Watch", {"user_ids": {"values": self.users}, "resume_token": self.token})
        self.stream = relation.start("Watch")(
            request, timeout=600, metadata=relation.metadata)
        for message in self.stream:
            if message.HasField("event") and message.event.sequence and self.began.is_set():
                self.sequences[message.event.user_id].append(message.event.sequence)
            if message.resume_token:
                self.token = message.resume_token
                self.began.set()

    def stop(self):
        self.ends.set()
        if self.stream is not None:
            self.stream.cancel()

    def is_at(self, sequences):
        return all(
            (self.sequences[user] or [0])[-1] >= sequence for user, sequence in sequences.items())


class History:
    """Writers and watchers that run until `end`; each writer pauses after each answer."""

    def __init__(self, servers, people, seed, writers=4, pool=8, pause=0):
        self.servers = servers
        self.numbers = random.Random(seed)
        self.writers = []
        for _ in range(writers):
            owner, *others = people(pool + 1)
            self.writers.append(
                Writer(servers, owner, others, self.numbers.getrandbits(32), pause))
        owners = [writer.owner for writer in self.writers]
        self.watchers = [
            Watcher(servers, owners, self.numbers.getrandbits(32)) for _ in range(2)]
        for watcher in self.watchers:
            watcher.start()
            assert watcher.began.wait(SECONDS), watcher.problem
        for writer in self.writers:
            writer.start()

    @property
    def answered(self):
        return sum(writer.answered for writer in self.writers)

    def goes_on(self, calls=20):
        """Waits until so many more calls are answered, and returns the seconds that took."""
        start, wanted = time.monotonic(), self.answered + calls
        while self.answered < wanted:
            for thread in (*self.writers, *self.watchers):
                assert thread.problem is None, thread.problem
            assert time.monotonic() < start + SECONDS, "no more calls are answered"
            time.sleep(0.01)
        return time.monotonic() - start

    def end(self):
        """Stops the writers, and checks that there is one history."""
        for writer in self.writers:
            writer.ends.set()
        for writer in self.writers:
            writer.join(2 * SECONDS)
            assert not writer.is_alive() and writer.problem is None, writer.problem
        relation = self.servers.any(self.numbers)
        last = {}
        for writer in self.writers:
            writer.check(relation)
            page = relation("ListFriends", user_id=writer.owner, page_size=1)
            last[writer.owner] = page.sequence
        end = time.monotonic() + SECONDS
        for watcher in self.watchers:
            while not watcher.is_at(last):
                assert watcher.problem is None, watcher.problem
                assert time.monotonic() < end, (watcher.sequences, last)
                time.sleep(0.02)
            watcher.stop()
            watcher.join(SECONDS)
            for user, sequences in watcher.sequences.items():
                first = sequences[0]
                assert sequences == list(range(first, first + len(sequences))), (user, sequences)
        one, other = (watcher.sequences for watcher in self.watchers)
        assert one == other
