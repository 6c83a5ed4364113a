"""The book of a receiver of webhooks beside two servers of one database, which end one after the other:
it has no gap and no disorder within a user.

A server that is killed keeps its hook until its lease runs out. So the few ends of a usual run are a
kill of the server that does not deliver, and a stop of the one that does. With `HOOK_SHARED_KILLS`,
which `make hooks` sets, either of them is killed, by chance. `HOOK_SHARED_EVENTS` makes the book longer.
With `HOOK_SHARED_SLEEPS` the server that delivers, the receiver and the database are stopped and go on,
one after the other: of each sleep the others notice.
"""

import os
import random
import re
import time

import grpc
import ledger
import pytest
from stubs import Relation
from test_hook_story import Counter, Crowd, Receiver, all_delivered, check_book
from test_hooks import FLAGS
from test_hung import processes, stopped
from test_shared_store import cluster, serve, store  # noqa: F401
from test_veto import metrics
from waiting import until
from watching import exported

EVENTS = int(os.environ.get("HOOK_SHARED_EVENTS", 3_000))
KILLS = int(os.environ.get("HOOK_SHARED_KILLS", 0))
SLEEPS = int(os.environ.get("HOOK_SHARED_SLEEPS", 0))
# Events that are made while one sleeps, and after it.
SLEEP_EVENTS = 1_000
SECONDS = 180
# Users of each server.
FOLLOWERS = 8


class Pair:
    """Two servers of a store, and the users that call each."""

    def __init__(self, serve, stubs, numbers):  # noqa: F811
        self.serve, self.stubs, self.numbers = serve, stubs, numbers
        self.counter = Counter(0)
        self.servers = [serve(*FLAGS), serve(*FLAGS)]

    def deliverer(self):
        """The place of the server that delivers for the hook, once one does."""
        deadline = time.monotonic() + SECONDS
        while True:
            held = [int(re.search(r"^relation_hooks (\d+)", metrics(server), re.M)[1])
                    for server in self.servers]
            if sum(held) == 1:
                return held.index(1)
            assert time.monotonic() < deadline, held
            time.sleep(0.1)

    def live(self, end, place, kills):
        """Makes events up to `end`, and ends one server meanwhile, after which another begins."""
        first = self.counter.events
        self.counter.end = end
        crowd = [
            Crowd(self.stubs, self.servers[number % 2].address,
                  random.Random(self.numbers.random()), number, self.counter)
            for number in range(2 * FOLLOWERS)]
        for thread in crowd:
            thread.start()
        if place is not None:
            some = self.numbers.randrange(first, end)
            while self.counter.events < some and any(thread.is_alive() for thread in crowd):
                time.sleep(0.001)
            if kills:
                self.servers[place].kill()
            else:
                assert self.servers[place].stop() == 0
        for thread in crowd:
            thread.join()
            assert thread.problem is None, repr(thread.problem)
        assert self.counter.events >= end, "the other server went on"
        if place is not None:
            self.servers[place] = self.serve(*FLAGS)


@ledger.trial("hooks: a book beside two servers", kills=KILLS, events=EVENTS)
def test_the_book_of_a_receiver_is_whole_though_either_of_two_servers_ends(
        serve, stubs, seed, tmp_path):  # noqa: F811
    numbers = random.Random(seed)
    pair = Pair(serve, stubs, numbers)
    # Whether the server that delivers ends, and whether it is killed.
    ends = [(numbers.random() < 0.5, True) for _ in range(KILLS)] or [(False, True), (True, False)]
    print(f"SEED={seed}")
    with Receiver(tmp_path, seed, 0.001, "--brief") as receiver:
        with grpc.insecure_channel(pair.servers[0].address) as channel:
            relation = Relation(stubs, channel)
            relation("UpdateApp", settings={"makes_accounts_implicitly": True})
            made = relation("CreateHook", url=receiver.url + "/hook", batch_size=100)
            receiver.secrets(made.secret)
        for number, (is_deliverer, kills) in enumerate(ends, start=1):
            place = pair.deliverer()
            pair.live(
                EVENTS * number // (len(ends) + 1), place if is_deliverer else 1 - place, kills)
        pair.live(EVENTS, None, False)
        with grpc.insecure_channel(pair.servers[1].address) as channel:
            relation = Relation(stubs, channel)
            all_delivered(relation, seconds=SECONDS + EVENTS / 500)
            sequences = {user: copy.sequence for user, copy in exported(relation).items()}
        check_book(receiver, sequences, EVENTS, f"SEED={seed}")


def away(relation):
    """Whether the server says that its store is away."""
    try:
        relation("GetStats", timeout=5)
    except grpc.RpcError:
        return True
    return False


@pytest.mark.skipif(not SLEEPS, reason="HOOK_SHARED_SLEEPS says how many; each takes a minute")
@ledger.trial("hooks: a book beside sleepers", freezes=SLEEPS)
def test_the_book_of_a_receiver_is_whole_though_others_sleep(
        cluster, serve, stubs, seed, tmp_path):  # noqa: F811
    numbers = random.Random(seed)
    print(f"SEED={seed}")
    with Receiver(tmp_path, seed, 0.001, "--brief") as receiver:
        pair = Pair(serve, stubs, numbers)
        channels = [grpc.insecure_channel(server.address) for server in pair.servers]
        relations = [Relation(stubs, channel) for channel in channels]
        relations[0]("UpdateApp", settings={"makes_accounts_implicitly": True})
        made = relations[0]("CreateHook", url=receiver.url + "/hook", batch_size=100)
        receiver.secrets(made.secret)

        def live(*places):
            pair.counter.end = pair.counter.events + SLEEP_EVENTS
            crowd = [
                Crowd(stubs, pair.servers[place].address, random.Random(numbers.random()), number,
                      pair.counter)
                for number, place in enumerate(places * FOLLOWERS)]
            for thread in crowd:
                thread.start()
            for thread in crowd:
                thread.join()
                assert thread.problem is None, repr(thread.problem)

        def server_sleeps():
            place = pair.deliverer()
            with stopped(pair.servers[place].process.pid):
                live(1 - place)
                # The other one has the hook once the lease is over.
                all_delivered(relations[1 - place], seconds=SECONDS)

        def receiver_sleeps():
            with stopped(receiver.process.pid):
                live(0, 1)
                until(
                    lambda: relations[0]("ListHooks").hooks[0].failing_since_ms, "no failure",
                    SECONDS)

        def database_sleeps():
            with stopped(*processes(cluster)):
                until(lambda: all(map(away, relations)), "the store is not away", SECONDS)
            until(lambda: not any(map(away, relations)), "the store is not back", SECONDS)

        for number in range(SLEEPS):
            live(0, 1)
            [server_sleeps, receiver_sleeps, database_sleeps][number % 3]()
            live(0, 1)
            all_delivered(relations[numbers.randrange(2)], seconds=SECONDS)
        sequences = {user: copy.sequence for user, copy in exported(relations[0]).items()}
        for channel in channels:
            channel.close()
        check_book(receiver, sequences, 3 * SLEEPS * SLEEP_EVENTS // 2, f"SEED={seed}")
