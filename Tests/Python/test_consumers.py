"""Consumers: positions in the changes that the server keeps by name, for back ends that pull."""

import pathlib
import random
import signal
import subprocess
import sys
import threading
import time

import grpc
import ports
import pytest
from people import People
from refusals import refusal
from relationd import Relationd, executable
from stubs import Relation
from watching import RESYNC, Watching

BOOK = pathlib.Path(__file__).with_name("order_book.py")
# The longest time until the streams of a fenced reader end, as the contract says.
FENCE_SECONDS = 3


@pytest.fixture
def own(relation):
    """An app of its own."""
    return relation.in_app(relation("CreateApp").app.app_id)


def acquire(relation, name="orders", **fields):
    return relation("AcquireConsumer", consumer=name, **fields).consumer


def acknowledge(relation, consumer, **fields):
    return relation(
        "AcknowledgeChanges", consumer=consumer.consumer, reader=consumer.reader, **fields)


def watch(relation, consumer, **fields):
    reader = {"consumer": consumer.consumer, "reader": consumer.reader}
    return Watching(relation, app=True, consumer=reader, **fields)


def listed(relation):
    return list(relation("ListConsumers").consumers)


def versions(stream, count):
    """The sequences of the next changes of profiles."""
    return [stream.until(lambda event: event.kind == 110)[-1].sequence for _ in range(count)]


# One reader


def test_a_reader_goes_on_after_what_it_has_acknowledged(own):
    ann, = People(own)(1)
    consumer = acquire(own, start="CONSUMER_START_NOW")
    for number in range(5):
        People(own).set_profile(ann, level=number + 1)
    with watch(own, consumer) as stream:
        first = versions(stream, 3)
        answer = acknowledge(own, consumer, resume_token=stream.token)
        assert answer.applied and answer.resume_token == stream.token
        rest = versions(stream, 2)
    assert listed(own)[0].waiting_events == 2
    with watch(own, consumer) as stream:
        assert versions(stream, 2) == rest
    assert first + rest == list(range(first[0], first[0] + 5))


def test_a_consumer_without_a_position_begins_anew_each_time(own):
    People(own)(2)
    consumer = acquire(own)
    for _ in range(2):
        with watch(own, consumer) as stream:
            assert stream.event().kind == RESYNC
            stream.state()
    acknowledge(own, consumer, resume_token=stream.token)
    with watch(own, consumer) as stream:
        message = stream.next()
        assert not message.HasField("event") and message.resume_token


def test_a_position_that_left_the_log_begins_anew_and_is_told(own):
    ann, joe = People(own)(2)
    consumer = acquire(own, start="CONSUMER_START_NOW")
    settings = {"log_events": 1}
    own("UpdateApp", settings=settings, update_mask={"paths": ["log_events"]})
    for number in range(1, 4):
        People(own).set_profile(ann, level=number)
    # The maintenance then removes rows beside the calls.
    own("DeleteAccounts", user_ids=[joe])
    deadline = time.monotonic() + 60
    while not listed(own)[0].is_trimmed:
        assert time.monotonic() < deadline
        time.sleep(0.005)
    with watch(own, consumer) as stream:
        assert stream.event().kind == RESYNC


def test_an_app_has_no_more_consumers_than_it_may_have(relation):
    made = relation("CreateApp", settings={"limits": {"consumers": 1}}).app
    own = relation.in_app(made.app_id)
    acquire(own)
    refused = refusal(acquire, own, "mails")
    assert (refused.code, refused.reason) == (
        grpc.StatusCode.RESOURCE_EXHAUSTED, "TOO_MANY_CONSUMERS")
    assert refused.metadata == {"limit": "1", "actual": "1"}
    assert own("DeleteConsumer", consumer="orders").applied
    acquire(own, "mails")


def test_a_consumer_begins_after_a_token_of_the_app_alone(own):
    ann, = People(own)(1)
    with Watching(own, app=True) as stream:
        stream.state()
    People(own).set_profile(ann, level=1)
    start = {"start": "CONSUMER_START_TOKEN", "resume_token": stream.token}
    consumer = acquire(own, **start)
    assert consumer.resume_token == stream.token and consumer.waiting_events == 1
    other = own.in_app(own("CreateApp").app.app_id)
    assert refusal(acquire, other, **start).reason == "INVALID_RESUME_TOKEN"


# Two readers


def test_a_fenced_reader_acknowledges_nothing_and_its_stream_ends(own):
    People(own)(1)
    first = acquire(own, start="CONSUMER_START_NOW")
    stream = watch(own, first)
    stream.next()
    assert refusal(acquire, own).reason == "CONSUMER_BUSY"
    second = acquire(own, take_over=True)
    begun = time.monotonic()
    assert refusal(acknowledge, own, first, resume_token=stream.token).reason == "READER_FENCED"
    ended = stream.refusal()
    assert (ended.code, ended.reason) == (grpc.StatusCode.ABORTED, "READER_FENCED")
    assert ended.metadata == {"reader": str(second.reader)}
    assert time.monotonic() - begun < FENCE_SECONDS
    assert refusal(lambda: watch(own, first).next()).reason == "READER_FENCED"


def test_a_reader_that_says_nothing_loses_the_consumer(own):
    first = acquire(own, lease_ms=1_000)
    deadline = time.monotonic() + 20
    while True:
        try:
            second = acquire(own)
            break
        except grpc.RpcError:
            assert time.monotonic() < deadline
    assert second.reader > first.reader
    assert second.acquire_time_ms >= first.expire_time_ms


def test_two_readers_fight_and_the_position_only_moves_ahead(own, stubs):
    ann, = People(own)(1)
    acquire(own, start="CONSUMER_START_NOW")
    is_over = threading.Event()
    seen, waiting, problems = [[], []], [], []

    def fight(number):
        relation = Relation(stubs, own.channel, own.metadata)
        try:
            while not is_over.is_set():
                try:
                    consumer = acquire(relation, take_over=True)
                    with watch(relation, consumer, heartbeat_ms=1_000) as stream:
                        while not is_over.is_set():
                            message = stream.next()
                            if message.event.kind == 110:
                                seen[number].append(message.event.sequence)
                            if message.resume_token:
                                acknowledge(relation, consumer, resume_token=message.resume_token)
                except grpc.RpcError as error:
                    assert error.code() is grpc.StatusCode.ABORTED, error
        except Exception as problem:
            problems.append(problem)

    readers = [threading.Thread(target=fight, args=[number]) for number in range(2)]
    for reader in readers:
        reader.start()
    first = own("GetSequence", user_id=ann).sequence
    for number in range(60):
        People(own).set_profile(ann, level=number + 1)
        # The position, as the number of changes that are acknowledged.
        waiting.append(number + 1 - listed(own)[0].waiting_events)
    assert waiting == sorted(waiting)
    last = own("GetSequence", user_id=ann).sequence
    deadline = time.monotonic() + 60
    while set(range(first + 1, last + 1)) - set(seen[0]) - set(seen[1]):
        assert time.monotonic() < deadline and not problems, problems
        time.sleep(0.01)
    is_over.set()
    for reader in readers:
        reader.join()
    assert not problems, problems


# Crashes


def book(path):
    """The sequences of each reader, in the order in which they were entered."""
    found = {}
    for line in path.read_text().splitlines():
        words = line.split()
        # A kill may cut the last line.
        if len(words) == 3:
            found.setdefault(int(words[0]), []).append(int(words[2]))
    return found


def test_an_order_book_has_every_change_over_kills_of_client_and_server(stubs, tmp_path, seed):
    chance = random.Random(seed)
    folder = next(path for path in sys.path if (pathlib.Path(path) / "relation/v1").is_dir())
    path = tmp_path / "book"
    path.touch()
    address = ports.address()
    server = Relationd(tmp_path / "data", listen=address)

    def begin():
        return subprocess.Popen([sys.executable, BOOK, address, "orders", folder, path])

    client = begin()
    written = 0
    try:
        for round in range(8):
            with grpc.insecure_channel(address) as channel:
                relation = Relation(stubs, channel)
                people = People(relation)
                if round == 0:
                    people.make(["ann"])
                    acquire(relation, start="CONSUMER_START_NOW", reset=True, take_over=True)
                for number in range(25):
                    people.set_profile("ann", level=written % 100 + 1)
                    written += 1
                    if number == chance.randrange(25):
                        client.kill()
                        client.wait()
                        client = begin()
                first = relation("GetSequence", user_id="ann").sequence - written + 1
            if round % 2:
                server.process.send_signal(signal.SIGKILL)
                server.process.wait()
                server = Relationd(tmp_path / "data", listen=address)
        wanted = set(range(first, first + written))
        deadline = time.monotonic() + 120
        while True:
            entered = book(path)
            if wanted <= {sequence for run in entered.values() for sequence in run}:
                break
            assert time.monotonic() < deadline, wanted - set().union(*entered.values())
            assert client.poll() is None
            time.sleep(0.05)
    finally:
        client.kill()
        client.wait()
        server.kill()
    # Each reader saw the changes one after another, and none began behind a gap.
    known = first - 1
    for reader in sorted(entered):
        run = entered[reader]
        assert run == list(range(run[0], run[-1] + 1)), reader
        assert run[0] <= known + 1, reader
        known = max(known, run[-1])


def test_a_position_outlives_a_restart_and_counts_for_nothing_after_a_restore(stubs, tmp_path):
    with Relationd(tmp_path / "first") as server, grpc.insecure_channel(server.address) as channel:
        relation = Relation(stubs, channel)
        People(relation).make(["ann"])
        consumer = acquire(relation, start="CONSUMER_START_NOW")
        token = acknowledge(relation, consumer).resume_token
        backup = tmp_path / "backup.tar"
        subprocess.run(
            [executable("relationctl"), "--server", server.address, "backup", "--to", backup],
            check=True, capture_output=True, timeout=120)
    with Relationd(tmp_path / "first") as server, grpc.insecure_channel(server.address) as channel:
        relation = Relation(stubs, channel)
        [same] = listed(relation)
        assert (same.reader, same.resume_token) == (consumer.reader, token)
        assert not same.is_trimmed
        assert acknowledge(relation, consumer, resume_token=token).resume_token == token
        lost = acquire(relation, take_over=True)
    subprocess.run(
        [executable("relationd"), "restore", "--from", backup, "--data", tmp_path / "second"],
        check=True, capture_output=True, timeout=120)
    with Relationd(tmp_path / "second") as server, grpc.insecure_channel(server.address) as channel:
        relation = Relation(stubs, channel)
        assert listed(relation)[0].is_trimmed
        refused = refusal(acknowledge, relation, consumer, resume_token=token)
        assert refused.reason == "INVALID_RESUME_TOKEN"
        # The acquisition that was lost gave out a number that no other reader gets.
        assert acquire(relation, take_over=True).reader > lost.reader
        with watch(relation, listed(relation)[0]) as stream:
            assert stream.event().kind == RESYNC


# From the command line


def test_relationctl_reads_as_a_consumer_and_lists_it(server, relation):
    people = People(relation)
    ann, = people(1)
    name = f"ctl-{ann}"

    def run(*arguments):
        done = subprocess.run(
            [executable("relationctl"), *arguments, "--server", server.address],
            capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        return done.stdout

    acquired = acquire(relation, name, start="CONSUMER_START_NOW")
    for number in range(4):
        people.set_profile(ann, level=number + 1)
    kept = people.relation("GetSequence", user_id=ann).sequence
    named = ["watch", "--all", "--consumer", name, "--take-over", "--kinds", "PROFILE_CHANGE"]
    for count, last in [("3", kept - 1), ("1", kept)]:
        lines = run(*named, "--count", count).splitlines()
        assert len(lines) == int(count) and f"#{last} PROFILE_CHANGE" in lines[-1]
    row = next(row for row in run("consumers", "list").splitlines() if row.startswith(name))
    assert row.split()[1] == "0" and "in the log" in row
    assert int(row.split()[2]) > acquired.reader
    run("consumers", "delete", name)
    assert name not in run("consumers", "list")
