"""A fleet whose databases fail, go back, or keep what moves that ended have left there."""

import signal
import subprocess
import time
from concurrent import futures

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from people import People
from postgres import Cluster
from refusals import refusal
from test_databases import Fleet, away, backend, befriend, run_relationd, soon
from test_metrics import metrics
from test_move_app import Mover, app_lock, failed, listed, move
from test_shared_store import add, friends, psql
from waiting import until
from watching import live

#: The time after which the database ends a mover that hangs, and ten times as much.
IDLE_SECONDS = 5
HANGING_SECONDS = 10 * IDLE_SECONDS


@pytest.fixture(scope="module")
def cluster():
    """A PostgreSQL for the tests of this file."""
    made = Cluster()
    yield made
    made.remove()


@pytest.fixture
def fleet(cluster, tmp_path, stubs):
    made = Fleet(cluster, tmp_path, stubs)
    yield made
    made.close()


def rows(address, app):
    """The number of the app's rows."""
    return int(psql(address, f"SELECT count(*) FROM relation_kv WHERE p >= '\\x{app:08x}' "
                    f"AND p < '\\x{app:08x}ff'"))


def clear(fleet, app, name, *flags):
    """Clears a database of what moves have left; the words after the name of the app."""
    done = run_relationd(
        "move-app", "--store", fleet.address("home"), "--app", str(app), "--to", name, "--clear",
        *flags, check=False)
    words = done.stdout + done.stderr
    return done.returncode == 0, words


def test_streams_of_operators_end_while_home_is_away(fleet):
    fleet.add("a")
    keys = fleet.serve()
    app = keys.app()
    assert fleet.place(app) == "a"
    relation = backend(keys, app)
    ann, [bob] = befriend(relation)
    of_operator = live(keys.as_operator(app), user_id=ann)
    of_backend = live(relation, user_id=ann)
    fleet.outage("home")
    refused = of_operator.refusal()
    assert refused.code == grpc.StatusCode.UNAVAILABLE, refused
    relation("UpdateFriends", user_id=ann, items=[{"user_id": bob, "remark": "Bob"}])
    assert of_backend.event().sequence > 0
    of_backend.cancel()
    fleet.end_outage("home")
    soon(lambda: away(fleet.servers[0]) == "ready\n")
    # It may begin anew as soon as home is there.
    live(keys.as_operator(app), user_id=ann).cancel()


KEPT = ("relation_kv", "relation_writer", "relation_server")


def test_a_database_that_lost_data_is_served_again_without_a_restart(fleet):
    fleet.add("a", "b")
    keys = fleet.serve()
    server = fleet.servers[0]
    app, other = keys.app(), keys.app()
    assert [fleet.place(app), fleet.place(other)] == ["a", "b"]
    relation, beside = backend(keys, app), backend(keys, other)
    ann, [bob] = befriend(relation)
    address = fleet.address("a")
    psql(address, "; ".join(f"CREATE TABLE kept_{name} AS TABLE {name}" for name in KEPT))
    stream = live(relation, user_id=ann)
    befriend(relation, 2)
    # A renewal of the lease shows that the state below is an earlier one.
    renewal = psql(address, "SELECT max(renewal) FROM relation_server")
    soon(lambda: psql(address, "SELECT max(renewal) FROM relation_server") != renewal)
    words = [f"TRUNCATE {name}; INSERT INTO {name} TABLE kept_{name}" for name in KEPT]
    psql(address, "BEGIN; " + "; ".join(words) + "; TRUNCATE relation_note; COMMIT")
    fleet.outage("a")
    fleet.end_outage("a")
    assert stream.refusal().code == grpc.StatusCode.UNAVAILABLE
    soon(lambda: "a: it has gone back" in away(server) or "init --restored" in away(server))
    assert refusal(relation, "ListFriends", user_id=ann).code == grpc.StatusCode.UNAVAILABLE
    befriend(beside)
    # It is not served by itself: its clients know of changes that it lacks.
    done = []
    soon(lambda: done.append(run_relationd(
        "init", "--restored", "--store", address, check=False)) or done[-1].returncode == 0)
    soon(lambda: away(server) == "ready\n")
    assert friends(relation, ann) == [bob]
    befriend(relation)
    live(relation, user_id=ann).cancel()


def test_a_call_about_another_app_needs_one_connection(fleet):
    fleet.add("a")
    # The fewest connections that a server may have to its databases.
    keys = fleet.serve("--database-connections", "16")
    apps = [keys.app()]
    while len([app for app in apps if fleet.place(app) == "a"]) < 2:
        apps.append(keys.app())
    one, other = [app for app in apps if fleet.place(app) == "a"][:2]
    caller = keys.as_operator(one)
    ann, _ = befriend(backend(keys, one))
    sequence = backend(keys, one)("GetSequence", user_id=ann).sequence
    assert sequence > 0
    for options in ({}, {"min_sequence": {"user_id": ann, "sequence": sequence}}):
        with futures.ThreadPoolExecutor(16) as threads:
            answers = list(threads.map(
                lambda _, options=options: caller("GetApp", app_id=other, options=options),
                range(400)))
        assert {answer.app.app_id for answer in answers} == {other}
    options = {"min_sequence": {"user_id": ann, "sequence": sequence + 1}}
    error = refusal(caller, "GetApp", app_id=other, options=options)
    assert error.code == grpc.StatusCode.INVALID_ARGUMENT


def test_health_says_nothing_of_a_database_that_was_removed(fleet):
    fleet.add("a", "b")
    fleet.serve()
    health = health_pb2_grpc.HealthStub(fleet.channels[0])

    def status(name):
        try:
            return health.Check(health_pb2.HealthCheckRequest(service=f"database/{name}")).status
        except grpc.RpcError as error:
            assert error.code() == grpc.StatusCode.NOT_FOUND
            return None

    serving = health_pb2.HealthCheckResponse.SERVING
    soon(lambda: status("b") == serving)
    watch = health.Watch(health_pb2.HealthCheckRequest(service="database/b"), timeout=60)
    assert next(watch).status == serving
    fleet.command("remove", "b")
    soon(lambda: status("b") is None)
    assert next(watch).status == health_pb2.HealthCheckResponse.SERVICE_UNKNOWN
    assert status("a") == status("home") == serving
    watch.cancel()


def test_the_number_of_an_app_that_moved_and_was_deleted_is_made_free(fleet):
    fleet.add("a")
    keys = fleet.serve()
    befriend(backend(keys, 1))
    move(fleet.address("home"), "a", 1)
    done, words = clear(fleet, 1, "home")
    assert done and "lives elsewhere, and keeps its number" in words, words
    until(lambda: keys.as_operator()("DeleteApp", app_id=1).applied, "the app is not deleted")
    soon(lambda: fleet.command("remove", "a", check=False).returncode == 0)
    assert refusal(keys.as_operator(), "CreateApp", app_id=1).reason == "APP_EXISTS"
    done, words = clear(fleet, 1, "home")
    assert done and "its number is free" in words, words
    soon(lambda: refusal(keys.as_operator(1), "GetApp").reason == "APP_NOT_FOUND")
    assert keys.as_operator()("CreateApp", app_id=1).app.app_id == 1
    befriend(backend(keys, 1))
    done, words = clear(fleet, 1, "home")
    assert not done and "app 1 lives there" in words, words


def test_what_a_move_left_in_a_database_that_was_away_is_cleared(fleet):
    fleet.add("a", "b")
    keys = fleet.serve()
    home = fleet.address("home")
    relation = backend(keys, 1)
    for _ in range(20):
        ann, others = befriend(relation, 3)
    mover = Mover(home, "b", 1, "--rate", "100")
    mover.until("copying")
    done, words = clear(fleet, 1, "b", "--take-over")
    assert not done and "comes there from home, which knows of the move" in words, words
    mover.kill()
    fleet.outage("b")
    move(home, "b", 1, "--cancel", "--take-over")
    fleet.end_outage("b")
    move(home, "a", 1)
    # The app has moved on, so its present database knows nothing of the first move.
    assert "has not ended there" in failed(home, "b", 1)
    assert rows(fleet.address("b"), 1) > 0
    soon(lambda: clear(fleet, 1, "b", "--take-over")[0])
    assert rows(fleet.address("b"), 1) == 0
    move(home, "b", 1)
    until(lambda: fleet.place(1) == "b", "it has not moved")
    soon(lambda: sorted(friends_of(keys, ann)) == sorted(others))
    done, words = clear(fleet, 1, "a", "--take-over")
    assert done and rows(fleet.address("a"), 1) == 0, words


def friends_of(keys, user):
    try:
        return friends(backend(keys, 1), user)
    except grpc.RpcError:
        return []


def test_a_creation_that_is_repeated_is_answered_where_the_app_lives(fleet):
    fleet.add("a", "b")
    one, other = fleet.serve(), fleet.serve()
    request = {"name": "shop", "options": {"request_id": "the shop"}}
    app = one.as_operator()("CreateApp", **request).app.app_id
    place = fleet.place(app)
    for target in ("b", "a", "home"):
        if target == place:
            continue
        move(fleet.address("home"), target, app)
        soon(lambda: answers(other, app))
        again = other.as_operator()("CreateApp", **request)
        assert again.app.app_id == app and again.replayed
    findings = [one.as_operator(app), one.as_operator(1)]
    assert all(refusal_of_integrity(relation) == [] for relation in findings)


def answers(keys, app):
    try:
        return keys.as_operator(app)("GetApp").app.app_id == app
    except grpc.RpcError:
        return False


def refusal_of_integrity(relation):
    found = relation.start("CheckIntegrity")(
        relation.stubs.request("CheckIntegrity", {}), timeout=300, metadata=relation.metadata)
    return [answer.finding for answer in found if answer.WhichOneof("answer") == "finding"]


# The sessions that wait for the lock of an app, and those that have one.
WAITING = ("SELECT count(*) FROM pg_locks AS l JOIN pg_stat_activity AS a ON a.pid = l.pid "
           "WHERE {} AND l.locktype = 'advisory' AND l.mode = 'ExclusiveLock' "
           "AND a.datname = current_database() AND a.application_name LIKE 'relationd%'")


def test_the_locks_of_a_mover_that_hangs_are_released(cluster, fleet):
    fleet.add("a")
    keys = fleet.serve()
    relation = backend(keys, 1)
    ann, others = befriend(relation, 5)
    [later] = People(relation)(1)
    address = fleet.address("home")
    holder = subprocess.Popen(
        ["psql", "-qXAt", address, "-c", f"SELECT pg_advisory_lock({app_lock(1)})", "-c",
         f"SELECT pg_sleep({HANGING_SECONDS})"], stdout=subprocess.PIPE, text=True)  # fmt: skip
    holder.stdout.readline()
    mover = Mover(address, "a", 1)
    try:
        until(lambda: psql(address, WAITING.format("NOT l.granted")) != "0", "it takes no lock")
        mover.process.send_signal(signal.SIGSTOP)
        psql(address, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
             "WHERE datname = current_database() AND query LIKE 'SELECT pg_sleep%'")
        until(lambda: psql(address, WAITING.format("NOT l.granted")) == "0", "it gets no lock")
        end = time.monotonic() + HANGING_SECONDS
        while True:
            try:
                add(relation, ann, later)
                break
            except grpc.RpcError:
                # The server itself waits for a shorter time than the lock is held.
                assert time.monotonic() < end, "the lock is held"
    finally:
        mover.process.send_signal(signal.SIGCONT)
        holder.wait()
        holder.stdout.close()
    status, words = mover.end()
    if status != 0:
        assert "run the same command again" in words, words
    move(address, "a", 1, "--take-over")
    soon(lambda: sorted(friends_of(keys, ann)) == sorted([*others, later]))


# Makes a directory in the transaction that takes the first lease of a server.
DIRECTORY = """
    CREATE FUNCTION make_directory() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF to_regclass('relation_database') IS NULL THEN
            CREATE TABLE relation_database (name text PRIMARY KEY, address text NOT NULL UNIQUE);
            CREATE TABLE relation_app_place (app bigint PRIMARY KEY, database text NOT NULL,
                moving_to text, version bigint NOT NULL, request text UNIQUE,
                allotted timestamptz);
            INSERT INTO relation_store VALUES ('directory', '1'), ('last_app', '1');
        END IF;
        RETURN NEW;
    END $$;
    CREATE TRIGGER make_directory BEFORE INSERT ON relation_server
        FOR EACH ROW EXECUTE FUNCTION make_directory()
"""


def test_a_server_looks_for_a_directory_that_is_made_while_it_starts(fleet):
    address = fleet.address("home")
    psql(address, DIRECTORY)
    done = run_relationd(
        "serve", "--store", address, "--listen", "127.0.0.1:0", "--metrics-listen", "off",
        "--insecure", check=False)
    assert done.returncode != 0
    assert "its directory was made or removed while the server started" in done.stderr, done


def test_nothing_is_cleared_where_nothing_is_left(fleet):
    fleet.add("a")
    done, words = clear(fleet, 1, "a")
    assert not done and "nothing of app 1 is left there" in words, words
    done, words = clear(fleet, 1, "nowhere")
    assert not done and "no database has the name nowhere" in words, words
    done, words = clear(fleet, 1, "a", "--cancel")
    assert not done and "--cancel and --clear exclude each other" in words, words
    assert listed(fleet.address("a")) == ""


def test_the_work_for_each_database_is_counted(fleet):
    fleet.add("a")
    keys = fleet.serve("--hooks")
    app = keys.app()
    assert fleet.place(app) == "a"
    numbers = metrics(fleet.servers[0])
    commits = {name: numbers[f'relation_database_commits_total{{database="{name}"}}']
               for name in ("home", "a")}
    befriend(backend(keys, app), 3)
    later = metrics(fleet.servers[0])
    assert later['relation_database_commits_total{database="a"}'] >= commits["a"] + 3
    assert later['relation_database_failed_commits_total{database="a"}'] == 0
    assert later['relation_database_waiting_operations{database="a"}'] == 0
    for pool in ("readers", "snapshots", "writers"):
        assert later[f'relation_database_pool_max{{database="a",pool="{pool}"}}'] > 0
        assert f'relation_database_pool_used{{database="home",pool="{pool}"}}' in later
    assert later['relation_database_hook_waiting_events{database="a"}'] == 0
    fleet.add("b")
    name = 'relation_database_commits_total{database="b"}'
    soon(lambda: name in metrics(fleet.servers[0]))
