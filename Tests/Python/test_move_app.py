"""`relationd move-app`: an app goes to another database while its callers call."""

import os
import signal
import subprocess
import threading
import time
import uuid

import grpc
import pytest
from credentials import Keys, bearer
from people import People, codes
from postgres import Cluster
from refusals import Refusal, refusal
from relationd import Relationd, executable
from stubs import Relation
from test_databases import Fleet
from test_shared_store import add, friends, init, integrity_findings, psql
from waiting import until
from watching import Watching

SECONDS = 300
# How long a caller rests between two writes. Without a rest an app grows as fast as it is moved, and
# the processors do little else.
REST_SECONDS = 0.005

# The lines at which a mover is killed; `make kill` has all of them.
STEPS = ["copying", "closed", "removing"]
if "KILL_ROUNDS" in os.environ:
    STEPS += ["begun", "following", "comparing", "arrived"]


@pytest.fixture(scope="module")
def cluster():
    """A PostgreSQL whose databases an app goes between."""
    made = Cluster()
    yield made
    made.remove()


@pytest.fixture
def databases(cluster):
    """The addresses of two databases, each with an empty store."""
    names = ["move_" + uuid.uuid4().hex for _ in range(2)]
    addresses = [f"{cluster.address}/{name}" for name in names]
    for name, address in zip(names, addresses, strict=True):
        psql(f"{cluster.address}/postgres", f"CREATE DATABASE {name}")
        init(address, "--list-keys")
    yield addresses
    for name in names:
        psql(f"{cluster.address}/postgres", f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def serve(tmp_path, stubs):
    """Starts servers, each stopped at the end, and makes clients of them."""
    started, channels = [], []

    def begin(address, *arguments, **options):
        server = Relationd(tmp_path / f"server{len(started)}", *arguments, store=address, **options)
        started.append(server)
        channels.append(grpc.insecure_channel(server.address))
        return server, Relation(stubs, channels[-1])

    yield begin
    for channel in channels:
        channel.close()
    for server in started:
        if server.process.poll() is None:
            server.process.send_signal(signal.SIGCONT)
            assert server.stop() == 0, server.log


def command(source, target, app, *flags):
    return [executable("relationd"), "move-app", "--store", source, "--to", target,
            "--app", str(app), *flags]  # fmt: skip


def move(source, target, app, *flags):
    """Runs it to its end; its lines, without the name of the app before each."""
    done = subprocess.run(
        command(source, target, app, *flags), capture_output=True, text=True,
        timeout=SECONDS, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return [line.partition(": ")[2] for line in done.stdout.splitlines()]


def failed(source, target, app, *flags):
    """Runs one that must fail; its words."""
    done = subprocess.run(
        command(source, target, app, *flags), capture_output=True, text=True,
        timeout=SECONDS, check=False)
    assert done.returncode != 0, done.stdout
    return done.stderr


class Mover:
    """A mover that runs, and is stopped or killed at a line that it prints."""

    def __init__(self, source, target, app, *flags):
        self.process = subprocess.Popen(
            command(source, target, app, *flags), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True)  # fmt: skip
        self.lines = []

    def until(self, word):
        timer = threading.Timer(SECONDS, self.process.kill)
        timer.start()
        for line in self.process.stdout:
            self.lines.append(line)
            if line.partition(": ")[2].startswith(word):
                break
        else:
            raise AssertionError((word, self.lines, self.process.stderr.read()))
        timer.cancel()

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.close()

    def end(self):
        out, err = self.process.communicate(timeout=SECONDS)
        return self.process.returncode, out + err

    def close(self):
        self.process.stdout.close()
        self.process.stderr.close()


class Caller:
    """Calls an app wherever it is: it tries the one database and the other until one serves it."""

    def __init__(self, relations):
        self.relations = relations
        self.place = 0
        self.hops = 0
        self.longest = 0.0

    def __call__(self, name, **fields):
        begun = time.monotonic()
        while True:
            try:
                answer = self.relations[self.place](name, **fields)
                self.longest = max(self.longest, time.monotonic() - begun)
                return answer
            except grpc.RpcError as error:
                refused = Refusal(error)
                assert refused.code is grpc.StatusCode.UNAVAILABLE, refused
                assert time.monotonic() < begun + SECONDS, refused
                if refused.reason == "APP_MOVING":
                    assert refused.retry_seconds > 0
                self.hops += 1
                self.place = 1 - self.place
                time.sleep(0.01)


class Traffic:
    """Friends that are added and deleted while an app moves, each under a request id of its own."""

    def __init__(self, relations, ann, others):
        self.caller = Caller(relations)
        self.ann, self.others = ann, others
        self.done = []
        self.kept = set()
        self.wrong = None
        self.isOver = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        try:
            number = 0
            while not self.isOver.is_set():
                self.step(number)
                number += 1
                self.isOver.wait(REST_SECONDS)
        except BaseException as error:  # noqa: BLE001
            self.wrong = error

    def step(self, number):
        other = self.others[number % len(self.others)]
        options = {"request_id": f"step{number}"}
        if other in self.kept:
            fields = {"user_id": self.ann, "user_ids": [other], "options": options,
                      "delete_type": "DELETE_TYPE_BOTH"}
            answer = self.caller("DeleteFriends", **fields)
            self.kept.discard(other)
        else:
            fields = {"user_id": self.ann, "items": [{"user_id": other}], "options": options,
                      "force": True}
            answer = self.caller("AddFriends", **fields)
            self.kept.add(other)
        assert codes(answer) == [0]
        self.done.append((number, "Delete" if "user_ids" in fields else "Add", fields, answer))

    def end(self):
        self.isOver.set()
        self.thread.join(SECONDS)
        assert not self.thread.is_alive()
        assert self.wrong is None, repr(self.wrong)
        return self.done


def await_reason(relation, name, reason, **fields):
    """Calls until the call is refused for this reason: a server hears of a change within a second."""
    end = time.monotonic() + SECONDS
    refused = None
    while refused is None or refused.reason != reason:
        assert time.monotonic() < end, refused
        try:
            relation(name, **fields)
        except grpc.RpcError as error:
            refused = Refusal(error)
        if refused is None or refused.reason != reason:
            time.sleep(0.01)


def exported(relation):
    """All rows of an app, without the points of the export."""
    answers = relation.start("ExportApp")(
        relation.stubs.request("ExportApp", {}), timeout=SECONDS, metadata=relation.metadata)
    rows = []
    for answer in answers:
        kind = answer.WhichOneof("row")
        if kind not in ("point", "progress", None):
            rows.append(answer.SerializeToString(deterministic=True))
    return rows


@pytest.fixture
def world(databases, serve):
    """Two databases with a server each, and an app of some users in the first one."""
    source, target = databases
    here, there = serve(source)[1], serve(target)[1]
    app = here("CreateApp", settings={"history_days": 30}, app_id=4711).app.app_id
    one, other = here.in_app(app), there.in_app(app)
    users = People(one)(30)
    for user in users[1:8]:
        add(one, users[0], user)
    return source, target, app, one, other, users


def test_an_app_moves_with_its_traffic(world, serve):
    source, target, app, one, other, (ann, *others) = world
    beside = one.in_app(1)
    eve, fay = People(beside)(2)
    watcher = Watching(one, user_id=ann)
    watcher.state()
    for user in others[7:10]:
        add(one, ann, user)
    seen = [watcher.event() for _ in range(3)]
    before = one("GetSequence", user_id=ann)
    traffic = Traffic([one, other], ann, others[12:])
    lines = move(source, target, app, "--rate", "2000")
    assert lines[0] == "begun" and lines[-1] == "ended", lines
    assert any(line.startswith("arrived: it was closed for") for line in lines)
    until(lambda: traffic.caller.place == 1 and len(traffic.done) > 20, lambda: traffic.wrong)
    done = traffic.end()
    # Each write that was answered is there, and no other one.
    assert sorted(friends(other, ann)) == sorted({*others[:10], *traffic.kept})
    assert integrity_findings(other) == []
    # A write is known by its request id, wherever it was made.
    for number, kind, fields, answer in done[-200:]:
        again = other("DeleteFriends" if kind == "Delete" else "AddFriends", **fields)
        assert again.sequence == answer.sequence, number
    sequences = [answer.sequence for *_, answer in done]
    assert sequences == sorted(sequences) and sequences[0] > before.sequence
    # The stream has ended with the reason, and goes on at the other database without a gap.
    while True:
        try:
            seen.append(watcher.event())
        except grpc.RpcError as error:
            refused = Refusal(error)
            break
    assert (refused.code, refused.reason) == (grpc.StatusCode.UNAVAILABLE, "APP_MOVING")
    again = Watching(other, user_id=ann, resume_token=refused.metadata["resume_token"])
    while seen[-1].sequence < sequences[-1]:
        seen.append(again.event())
    numbers = [event.sequence for event in seen]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    # The first database has nothing of it, and the app beside it nothing noticed.
    refused = refusal(one, "GetSequence", user_id=ann)
    assert (refused.code, refused.reason) == (grpc.StatusCode.UNAVAILABLE, "APP_MOVING")
    assert psql(source, f"SELECT count(*) FROM relation_kv WHERE p >= '\\x{app:08x}' "
                f"AND p < '\\x{app:08x}ff'") == "0"
    assert psql(source, "SELECT count(*) FROM relation_move_change") == "0"
    assert psql(source, "SELECT count(*) FROM pg_trigger WHERE tgname LIKE 'relation_move%' "
                "AND tgenabled <> 'D'") == "0"
    add(beside, eve, fay)
    assert friends(beside, eve) == [fay]
    assert refusal(beside, "CreateApp", app_id=app).reason == "APP_EXISTS"


def test_all_of_an_app_is_the_same_afterwards(world):
    source, target, app, one, other, (ann, *others) = world
    one("CreateFriendGroups", user_id=ann, names=["close"], user_ids=others[:3])
    one("AddToBlacklist", user_id=others[0], user_ids=[ann])
    answers = [
        ("GetSequence", {"user_id": ann}), ("ListHistory", {}),
        ("GetFriendGroups", {"user_id": ann, "with_members": True}),
        ("ListChanges", {"user_id": ann, "page_size": 50}), ("GetApp", {}),
    ]

    def look(relation):
        found = [relation(name, **fields) for name, fields in answers]
        return exported(relation), [
            answer.SerializeToString(deterministic=True) for answer in found]

    before = look(one)
    page = one("ListFriends", user_id=ann, page_size=3)
    move(source, target, app)
    assert look(other) == before
    # A token of a page is good at the other database.
    rest = other("ListFriends", user_id=ann, page_size=100, page_token=page.next_page_token)
    assert len(page.friends) + len(rest.friends) == len(friends(other, ann))
    assert integrity_findings(other) == []


def test_an_app_goes_and_comes_back(world):
    source, target, app, one, other, (ann, *others) = world
    before = exported(one)
    for _ in range(2):
        move(source, target, app)
        assert exported(other) == before
        move(target, source, app)
        assert exported(one) == before
    assert refusal(other, "GetApp").reason == "APP_MOVING"
    add(one, ann, others[20])


def test_credentials_go_with_their_app(databases, serve, stubs):
    source, target = databases
    operators = [init(address, "--replace-key") for address in databases]
    servers = [serve(address, insecure=False)[0] for address in databases]
    channels = [grpc.insecure_channel(server.address) for server in servers]
    here, there = (
        Keys(stubs, channel, operator)
        for channel, operator in zip(channels, operators, strict=True))
    app = here.as_operator()("CreateApp", app_id=4711).app.app_id
    key, gone = here.key(app), here.as_operator(app)("CreateCredential", scopes=["SCOPE_READ"])
    here.as_operator(app)("RevokeCredential", credential_id=gone.credential.credential_id)
    assert here.with_key(key)("GetApp").app.app_id == app
    move(source, target, app)
    assert refusal(here.with_key(key), "GetApp").reason == "APP_MOVING"
    assert refusal(here.as_operator(app), "GetStats").reason == "APP_MOVING"
    assert there.with_key(key)("GetApp").app.app_id == app
    assert refusal(there.with_key(gone.key), "GetApp").code is grpc.StatusCode.UNAUTHENTICATED
    listed = here.as_operator()("ListApps")
    assert app not in [row.app_id for row in listed.apps]
    assert listed.total_size == len(listed.apps)
    for channel in channels:
        channel.close()


@pytest.mark.parametrize("word", STEPS)
def test_a_mover_that_is_killed_is_begun_again(world, word):
    source, target, app, one, other, (ann, *others) = world
    traffic = Traffic([one, other], ann, others[8:])
    # Slower than its callers write, a mover would not come to the later steps.
    mover = Mover(source, target, app, "--rate", "100" if word == "copying" else "2000")
    mover.until(word)
    mover.kill()
    lines = move(source, target, app, "--take-over", "--rate", "2000")
    assert lines[-1] == "ended"
    traffic.end()
    assert sorted(friends(other, ann)) == sorted({*others[:7], *traffic.kept})
    assert integrity_findings(other) == []
    assert refusal(one, "GetSequence", user_id=ann).reason == "APP_MOVING"


def test_a_mover_that_hangs_does_nothing_when_it_wakes(world):
    source, target, app, one, other, (ann, *others) = world
    traffic = Traffic([one, other], ann, others[8:])
    mover = Mover(source, target, app, "--rate", "50")
    mover.until("copying")
    mover.process.send_signal(signal.SIGSTOP)
    assert "another mover" in failed(source, target, app)
    move(source, target, app, "--take-over", "--rate", "2000")
    mover.process.send_signal(signal.SIGCONT)
    status, words = mover.end()
    assert status != 0, words
    traffic.end()
    assert sorted(friends(other, ann)) == sorted({*others[:7], *traffic.kept})
    assert integrity_findings(other) == []


def app_lock(app):
    """The number of the lock of an app, which each write of the app takes."""
    number = 0xCBF29CE484222325
    for byte in app.to_bytes(4) + b"\x01@@\x00":
        number = (number ^ byte) * 0x100000001B3 % 2**64
    return number - 2**64 if number >= 2**63 else number


def test_a_mover_that_is_killed_between_the_databases_is_begun_again(world):
    source, target, app, one, other, (ann, *others) = world
    mover = Mover(source, target, app)
    mover.until("observing")
    # The target takes no app while another one has its lock.
    holder = subprocess.Popen(
        ["psql", "-qXAt", target, "-c", f"SELECT pg_advisory_lock({app_lock(app)})", "-c",
         f"SELECT pg_sleep({SECONDS})"], stdout=subprocess.PIPE, text=True)  # fmt: skip
    try:
        holder.stdout.readline()
        mover.until("closed")
        await_reason(one, "GetSequence", "APP_MOVING", user_id=ann)
        mover.kill()
        assert f"app {app} is on its way to {target}, and closed" in listed(source)
        # Only the target knows whether it serves the app.
        await_reason(other, "GetApp", "APP_MOVING")
    finally:
        psql(target, "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' "
             "AND granted AND pid <> pg_backend_pid()")
        holder.wait(SECONDS)
        holder.stdout.close()
    lines = move(source, target, app, "--take-over")
    assert lines[:2] == ["begun", "closed: calls of the app get UNAVAILABLE"]
    assert sorted(friends(other, ann)) == sorted(others[:7])


def test_a_server_that_sleeps_through_a_move_serves_the_app_no_more(world, serve):
    source, target, app, _, other, (ann, *others) = world
    server, asleep = serve(source)
    assert friends(asleep.in_app(app), ann)
    server.process.send_signal(signal.SIGSTOP)
    try:
        move(source, target, app)
        add(other, ann, others[9])
    finally:
        server.process.send_signal(signal.SIGCONT)
    for _ in range(5):
        refused = refusal(asleep.in_app(app), "GetSequence", user_id=ann)
        assert refused.code is grpc.StatusCode.UNAVAILABLE
    assert sorted(friends(other, ann)) == sorted([*others[:7], others[9]])


def listed(address):
    return subprocess.run(
        [executable("relationd"), "move-app", "--store", address, "--list"],
        capture_output=True, text=True, check=True, timeout=SECONDS).stdout


def test_a_move_is_cancelled(world):
    source, target, app, one, other, (ann, *others) = world
    mover = Mover(source, target, app, "--rate", "50")
    mover.until("copying")
    mover.kill()
    assert f"app {app} is on its way to {target}" in listed(source)
    assert f"app {app} comes from {source}" in listed(target)
    await_reason(other, "GetApp", "APP_MOVING")
    add(one, ann, others[9])
    assert move(source, target, app, "--cancel", "--take-over")[-1] == "cancelled"
    assert listed(source) == listed(target) == ""
    await_reason(other, "GetApp", "APP_NOT_FOUND")
    assert psql(target, f"SELECT count(*) FROM relation_kv WHERE p >= '\\x{app:08x}' "
                f"AND p < '\\x{app:08x}ff'") == "0"
    add(one, ann, others[10])
    move(source, target, app)
    assert others[10] in friends(other, ann)
    assert "the move is over" in failed(source, target, app, "--cancel")


def test_a_target_that_dies_leaves_the_app_where_it_is(world, cluster):
    source, target, app, one, other, (ann, *others) = world
    name = target.rpartition("/")[2]
    mover = Mover(source, target, app, "--rate", "50")
    mover.until("copying")
    psql(source, f"ALTER DATABASE {name} WITH ALLOW_CONNECTIONS false")
    psql(source, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
         f"WHERE datname = '{name}'")
    status, words = mover.end()
    assert status != 0 and "run the same command again" in words
    add(one, ann, others[9])
    assert move(source, target, app, "--cancel", "--take-over")[-1] == "cancelled"
    psql(source, f"ALTER DATABASE {name} WITH ALLOW_CONNECTIONS true")
    # What had come is still there, and another cancelling removes it.
    assert "has not ended there" in failed(source, target, app)
    move(source, target, app, "--cancel")
    move(source, target, app)
    assert others[9] in friends(other, ann)


def test_what_stands_in_the_way_is_named(world):
    source, target, app, one, *_ = world
    assert "there is no app 99" in failed(source, target, 99)
    assert "there is another app 1" in failed(source, target, 1)
    assert "the target is the database that has the app" in failed(source, source, app)
    assert "cannot be opened" in failed(source, target + "_not", app)
    assert "--app takes the number" in failed(source, target, 0)
    assert "--rate takes a number" in failed(source, target, app, "--rate", "0")
    assert "URL of a database" in failed(source, "rocks:/tmp", app)
    assert listed(source) == ""
    deleted = one("CreateApp", app_id=4712).app.app_id
    one("DeleteApp", app_id=deleted)
    words = failed(source, target, deleted)
    assert "is being deleted" in words or "there is no app" in words


@pytest.mark.skipif(
    "KILL_ROUNDS" not in os.environ, reason="three moves of an app in use take minutes")
def test_a_fleet_follows_an_app_that_moves(tmp_path, cluster, stubs):
    fleet = Fleet(cluster, tmp_path, stubs)
    try:
        fleet.add("a", "b")
        keys = fleet.serve(), fleet.serve()
        app = keys[0].app()
        place = fleet.place(app) or "home"
        callers = [Relation(stubs, keys.channel, [bearer(keys.operator), ("x-app-id", str(app))])
                   for keys in keys]
        ann, *others = People(callers[0])(20)
        traffic = Traffic(callers, ann, others)
        # Once around, and back to where it was.
        targets = [name for name in ("home", "a", "b") if name != place]
        for target in [*targets, place]:
            # A move takes as long as the app is large, and the app grows as long as a move takes. So
            # the rate is far above what the callers write.
            lines = move(fleet.address("home"), target, app, "--rate", "50000")
            assert lines[-1] == "ended", lines
            assert fleet.place(app) == target
            await_answer(callers, ann)
        traffic.end()
        for caller in callers:
            assert sorted(friends(caller, ann)) == sorted(traffic.kept)
            assert integrity_findings(caller) == []
            listed = caller("ListApps")
            assert [row.app_id for row in listed.apps].count(app) == 1
        # To run it again changes nothing.
        assert move(fleet.address("home"), place, app)[-1] == "ended"
        assert "it lives there already" in failed(fleet.address("home"), "home", 1)
        assert "no database has the name" in failed(fleet.address("home"), "nowhere", app)
    finally:
        fleet.close()


def await_answer(callers, user):
    """Waits until each server finds the app."""
    end = time.monotonic() + SECONDS
    for caller in callers:
        while True:
            try:
                caller("GetSequence", user_id=user)
                break
            except grpc.RpcError as error:
                assert Refusal(error).reason == "APP_MOVING"
                assert time.monotonic() < end
