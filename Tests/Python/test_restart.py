"""Clients of every kind go on while the server is stopped, killed and started again under them."""

import random
import threading
import time

import grpc
from people import People, codes
from refusals import Refusal
from relationd import Relationd
from stubs import Relation
from watching import Watching

ROUNDS = 8
# Every third of them ends with a kill.
KILLS = 3
UNAVAILABLE = grpc.StatusCode.UNAVAILABLE
# A client that tries to connect as soon as the server may be back.
OPTIONS = [("grpc.initial_reconnect_backoff_ms", 50), ("grpc.min_reconnect_backoff_ms", 50),
           ("grpc.max_reconnect_backoff_ms", 200)]
# The seconds that a call may take before it counts as hanging.
CALL_SECONDS = 120


class Worker(threading.Thread):
    """Does one kind of work over and over, on a connection of its own, until it is told to end.

    A call that fails must fail with UNAVAILABLE; any other event is the worker's `problem`.
    """

    # How the last server ended, for all workers.
    last_end = "none"
    # How long it rests between two steps: it has done enough when the server ends, and without a
    # rest the processors do little else.
    rest_seconds = 0.002

    def __init__(self, address, stubs, user):
        super().__init__(daemon=True)
        self.address = address
        self.stubs = stubs
        self.user = user
        self.is_over = threading.Event()
        self.done = 0
        self.lost = 0
        self.lost_to_stops = []
        self.problem = None

    def run(self):
        try:
            with grpc.insecure_channel(self.address, options=OPTIONS) as channel:
                self.relation = Relation(self.stubs, channel)
                while not self.is_over.is_set():
                    self.step()
                    self.is_over.wait(self.rest_seconds)
        except Exception as problem:
            self.problem = problem

    def call(self, name, **fields):
        """The answer, or None if it was lost."""
        request = self.stubs.request(name, fields)
        try:
            return self.relation.start(name)(request, timeout=CALL_SECONDS, wait_for_ready=True)
        except grpc.RpcError as error:
            assert error.code() == UNAVAILABLE, error
            self.lost += 1
            if Worker.last_end != "kill":
                self.lost_to_stops.append(error.details())
            return None

    def sure(self, name, **fields):
        """The answer of a call that may be made again until it has one."""
        while True:
            answer = self.call(name, **fields)
            if answer is not None:
                return answer


class OnceWriter(Worker):
    """Adds friends under request ids, and makes every call again until it is answered."""

    replayed = 0

    def step(self):
        friend = f"{self.user}-friend{self.done}"
        answer = self.sure(
            "AddFriends", user_id=self.user, options={"request_id": friend},
            items=[{"user_id": friend}])
        # A call that was done twice would say that the friend is there already.
        assert codes(answer) == [0], answer
        self.replayed += answer.replayed
        self.done += 1

    def check(self, people):
        expected = {f"{self.user}-friend{number}" for number in range(self.done)}
        assert set(people.friend_ids(self.user)) == expected


class Writer(Worker):
    """Adds friends without request ids: an answered one is there, another may be."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.answered = set()
        self.tried = 0

    def step(self):
        friend = f"{self.user}-friend{self.tried}"
        self.tried += 1
        answer = self.call("AddFriends", user_id=self.user, items=[{"user_id": friend}])
        if answer is not None:
            # grpcio makes a call again that the server never looked at, and no other.
            assert codes(answer) == [0], answer
            self.answered.add(friend)
            self.done += 1

    def check(self, people):
        friends = set(people.friend_ids(self.user))
        assert self.answered <= friends, self.answered - friends
        assert len(friends) <= len(self.answered) + self.lost


class Reader(Worker):
    """Reads a list that only grows."""

    total = 0
    rest_seconds = 0.01

    def step(self):
        page = self.sure("ListFriends", user_id=self.user, page_size=10)
        assert page.total_size >= self.total
        self.total = page.total_size
        self.done += 1

    def check(self, people):
        pass


class Watcher(Worker):
    """Follows a user, and goes on with the token of the last message or of the end."""

    token = ""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.sequence = None
        self.stream = None

    def step(self):
        stream = Watching(
            self.relation, timeout=120, user_id=self.user, resume_token=self.token)
        self.stream = stream
        try:
            while True:
                self.take(stream.next())
                self.token = stream.token
        except grpc.RpcError as error:
            if self.is_over.is_set():
                return
            refused = Refusal(error)
            assert refused.code == UNAVAILABLE, refused
            self.token = refused.metadata.get("resume_token") or self.token
            self.lost += 1
            self.is_over.wait(0.05)

    def take(self, message):
        event = message.event
        if event.kind == 150 and event.sequence:
            assert not self.token, "it begins with the present state once"
            self.sequence = event.sequence
        elif event.sequence:
            assert event.sequence == self.sequence + 1, "no gap and no double"
            self.sequence = event.sequence
            self.done += 1

    def check(self, people):
        assert self.sequence == people.relation("GetSequence", user_id=self.user).sequence


class Importer(Worker):
    """Runs one long import, which goes on where the last stream of it ended."""

    durable = 0

    def step(self):
        first = {"import_id": self.user, "first_row": self.durable + 1}
        # Each stream has so many rows that a stop finds it at work.
        last = self.durable + 2000
        rows = [{"row": {"user_id": f"{self.user}-{number}"}, **(first if place == 0 else {})}
                for place, number in enumerate(range(self.durable + 1, last + 1))]
        said = False
        try:
            for answer in self.relation.stream("ImportAccounts", rows, timeout=CALL_SECONDS):
                said = True
                assert answer.WhichOneof("answer") == "progress", answer
                self.durable = answer.progress.last_durable_row
            self.done += 1
        except grpc.RpcError as error:
            refused = Refusal(error)
            assert refused.code == UNAVAILABLE, refused
            if refused.reason == "STOPPING" and said:
                assert self.durable == int(refused.metadata["last_durable_row"])
            self.lost += 1
            self.is_over.wait(0.05)

    def check(self, people):
        assert self.durable > 0
        users = [f"{self.user}-{number}" for number in range(1, self.durable + 1)]
        for start in range(0, len(users), 100):
            answer = people.relation("CheckAccounts", user_ids=users[start : start + 100])
            assert all(result.create_time_ms for result in answer.results)


class Exporter(Worker):
    """Exports the app; an export that is interrupted begins anew."""

    rest_seconds = 0.1

    def step(self):
        request = self.stubs.request("ExportApp", {})
        try:
            for answer in self.relation.start("ExportApp")(request, timeout=CALL_SECONDS):
                if self.is_over.is_set():
                    return
            self.done += 1
        except grpc.RpcError as error:
            assert error.code() == UNAVAILABLE, error
            self.lost += 1
            self.is_over.wait(0.05)

    def check(self, people):
        pass


def healthy(people):
    """A check of the whole app finds nothing."""
    answers = list(people.relation.start("CheckIntegrity")(
        people.stubs.request("CheckIntegrity", {}), timeout=60))
    return answers[-1].progress.complete and answers[-1].progress.findings == 0


def begin(relation):
    """An app in which every user that is named is an account, and its users."""
    relation("UpdateApp", settings={"makes_accounts_implicitly": True},
             update_mask={"paths": ["makes_accounts_implicitly"]})
    for user in ("once0", "once1", "plain0", "plain1"):
        assert codes(relation("AddFriends", user_id=user, items=[{"user_id": "first"}])) == [0]
        assert codes(relation("DeleteFriends", user_id=user, user_ids=["first"])) == [0]


def test_everybody_goes_on_over_stops_and_kills(tmp_path, stubs, seed):
    numbers = random.Random(seed)
    data = tmp_path / "data"
    running = Relationd(data, listen="127.0.79.1:0")
    with grpc.insecure_channel(running.address) as channel:
        begin(Relation(stubs, channel))
    address = running.address
    once = [OnceWriter(address, stubs, f"once{number}") for number in range(2)]
    plain = [Writer(address, stubs, f"plain{number}") for number in range(2)]
    watchers = [Watcher(address, stubs, writer.user) for writer in (once[0], plain[0])]
    others = [Reader(address, stubs, "once0"), Importer(address, stubs, "import"),
              Exporter(address, stubs, "export")]
    workers = [*once, *plain, *watchers, *others]
    try:
        for worker in workers:
            worker.start()
        for number in range(ROUNDS):
            # This waits for nothing: the moment of the end is the input of this test.
            time.sleep(numbers.uniform(0.2, 0.7))
            Worker.last_end = "kill" if number % KILLS == KILLS - 1 else "stop"
            if Worker.last_end == "kill":
                running.kill()
            else:
                assert running.stop() == 0, running.log
            # At once, at the same address and with the same rows.
            running = Relationd(data, listen=address)
        # Every worker has reached the last server.
        before = [worker.done for worker in workers]
        deadline = time.monotonic() + CALL_SECONDS
        while any(worker.done == start for worker, start in zip(workers, before)):
            assert time.monotonic() < deadline, [type(worker).__name__ for worker in workers
                                                 if worker.done in before]
            assert not any(worker.problem for worker in workers), problems(workers)
            time.sleep(0.05)
        finish(workers, address, stubs)
    finally:
        for worker in workers:
            worker.is_over.set()
        if running.process.poll() is None:
            assert running.stop() == 0, running.log
    print({type(worker).__name__: (worker.done, worker.lost) for worker in workers})
    # A kill loses answers; a stop loses none for a client that waits for the next server.
    assert [worker.lost_to_stops for worker in workers if worker.lost_to_stops] == []
    # The workers that follow, import and export did notice.
    assert all(worker.lost for worker in watchers)


def problems(workers):
    return [(type(worker).__name__, worker.problem) for worker in workers if worker.problem]


def finish(workers, address, stubs):
    """Ends the workers, the followers last, and compares their knowledge with the server."""
    followers = [worker for worker in workers if isinstance(worker, Watcher)]
    for worker in workers:
        if worker not in followers:
            worker.is_over.set()
    for worker in workers:
        if worker not in followers:
            worker.join(2 * CALL_SECONDS)
            assert not worker.is_alive(), f"{type(worker).__name__} hangs"
    assert problems(workers) == []
    with grpc.insecure_channel(address) as channel:
        people = People(Relation(stubs, channel))
        for worker in followers:
            last = people.relation("GetSequence", user_id=worker.user).sequence
            deadline = time.monotonic() + CALL_SECONDS
            while worker.sequence != last and not worker.problem:
                assert time.monotonic() < deadline, (worker.sequence, last)
                time.sleep(0.02)
            worker.is_over.set()
            worker.stream.cancel()
            worker.join(CALL_SECONDS)
            assert not worker.is_alive(), "a stream hangs"
        assert problems(workers) == []
        for worker in workers:
            worker.check(people)
        assert healthy(people)
