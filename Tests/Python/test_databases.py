"""One fleet of servers on several databases: calls, operators, new apps, and the outage of one."""

import subprocess
import time
import urllib.request
import uuid

import grpc
import pytest
from credentials import Keys
from people import People, codes
from postgres import Cluster
from refusals import refusal
from relationd import Relationd, executable
from test_metrics import metrics
from test_shared_store import friends, psql

SECONDS = 30


def soon(is_true):
    """Waits until `is_true` answers so."""
    end = time.monotonic() + SECONDS
    while not is_true():
        assert time.monotonic() < end, is_true
        time.sleep(0.05)


@pytest.fixture(scope="module")
def cluster():
    """A PostgreSQL for the tests of this file."""
    made = Cluster()
    yield made
    made.remove()


class Fleet:
    """A home and the databases `a` and `b`, with servers of the home."""

    def __init__(self, cluster, folder, stubs):
        self.cluster = cluster
        self.folder = folder
        self.stubs = stubs
        self.servers = []
        self.channels = []
        run = uuid.uuid4().hex[:12]
        self.names = {name: f"fleet_{name}_{run}" for name in ("home", "a", "b")}
        for name in self.names.values():
            self.admin(f"CREATE DATABASE {name}")
        self.operator = run_relationd("init", "--store", self.address("home")).stdout.strip()

    def address(self, name):
        return f"{self.cluster.address}/{self.names[name]}"

    def admin(self, command):
        return psql(f"{self.cluster.address}/postgres", command)

    def command(self, *words, check=True):
        flags = ["--store", self.address("home")]
        return run_relationd("databases", words[0], *flags, *words[1:], check=check)

    def add(self, *names):
        for name in names:
            self.command("add", name, self.address(name))

    def serve(self, *arguments):
        """Starts a server, and acts as an operator there once each database is served."""
        data = self.folder / f"server{len(self.servers)}"
        server = Relationd(
            data, *arguments, store=self.address("home"), insecure=False)
        self.servers.append(server)
        self.channels.append(grpc.insecure_channel(server.address))
        soon(lambda: away(server) == "ready\n")
        return Keys(self.stubs, self.channels[-1], self.operator)

    def place(self, app):
        return psql(
            self.address("home"), f"SELECT database FROM relation_app_place WHERE app = {app}")

    def outage(self, name):
        """Ends the connections to a database, and lets no others in."""
        self.admin(f"ALTER DATABASE {self.names[name]} ALLOW_CONNECTIONS false")
        self.admin(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
            f"WHERE datname = '{self.names[name]}'")

    def end_outage(self, name):
        self.admin(f"ALTER DATABASE {self.names[name]} ALLOW_CONNECTIONS true")

    def close(self):
        for channel in self.channels:
            channel.close()
        try:
            for server in self.servers:
                assert server.stop() == 0, server.log
        finally:
            for name in self.names.values():
                self.admin(f"DROP DATABASE {name} WITH (FORCE)")


def run_relationd(*words, check=True):
    return subprocess.run(
        [executable("relationd"), *words], capture_output=True, text=True, check=check, timeout=60)


def away(server):
    """What the server says of its readiness."""
    with urllib.request.urlopen(f"{server.pages}/readyz") as answer:
        return answer.read().decode()


@pytest.fixture
def fleet(cluster, tmp_path, stubs):
    made = Fleet(cluster, tmp_path, stubs)
    yield made
    made.close()


def backend(keys, app):
    return keys.with_key(keys.key(app))


def befriend(relation, count=1):
    ann, *others = People(relation)(1 + count)
    for other in others:
        answer = relation("AddFriends", user_id=ann, items=[{"user_id": other}], force=True)
        assert codes(answer) == [0]
    assert sorted(friends(relation, ann)) == sorted(others)
    return ann, others


def test_new_apps_spread_and_each_server_serves_all(fleet):
    fleet.add("a", "b")
    one, other = fleet.serve(), fleet.serve()
    apps = [one.app() for _ in range(5)]
    # The first app of a new store lives at home.
    assert apps == [2, 3, 4, 5, 6]
    assert [fleet.place(app) for app in apps] == ["a", "b", "a", "b", "home"]
    for app in apps:
        relation = backend(one, app)
        ann, others = befriend(relation)
        assert friends(other.with_key(one.key(app)), ann) == others
    everything = other.as_operator()("ListApps", page_size=2)
    assert everything.total_size == 6
    listed = [app.app_id for app in everything.apps]
    while everything.next_page_token:
        everything = one.as_operator()(
            "ListApps", page_size=2, page_token=everything.next_page_token)
        listed += [app.app_id for app in everything.apps]
    assert listed == [1, *apps]


def test_an_app_is_seen_at_once_by_a_server_that_did_not_make_it(fleet):
    fleet.add("a", "b")
    one, other = fleet.serve(), fleet.serve()
    for _ in range(3):
        app = one.app()
        key = other.key(app)
        befriend(one.with_key(key))


def test_operators_act_in_apps_of_each_database(fleet):
    fleet.add("a")
    keys = fleet.serve()
    app = keys.app()
    assert fleet.place(app) == "a"
    assert keys.as_operator(app)("GetApp").app.app_id == app
    # One who acts in an app at home asks for one elsewhere.
    assert keys.as_operator(1)("GetApp", app_id=app).app.app_id == app
    assert refusal(keys.as_operator(1), "GetApp", app_id=99).reason == "APP_NOT_FOUND"
    made = keys.as_operator()("CreateOperatorKey", name="second")
    second = Keys(fleet.stubs, keys.channel, made.key)
    assert second.as_operator(app)("GetApp").app.app_id == app
    keys.as_operator()("RevokeOperatorKey", credential_id=made.operator_key.credential_id)
    assert refusal(second.as_operator(app), "GetApp").reason == "CREDENTIAL_INVALID"
    assert keys.as_operator()("DeleteApp", app_id=app).applied
    assert refusal(keys.as_operator(app), "UpdateApp", name="x").reason == "APP_NOT_FOUND"


def test_a_request_that_is_repeated_makes_one_app(fleet):
    fleet.add("a", "b")
    one, other = fleet.serve(), fleet.serve()
    request = {"name": "shop", "options": {"request_id": "make it's shop"}}
    first = one.as_operator()("CreateApp", **request)
    again = other.as_operator()("CreateApp", **request)
    assert again.app.app_id == first.app.app_id and again.replayed
    taken = refusal(one.as_operator(), "CreateApp", app_id=first.app.app_id)
    assert taken.reason == "APP_EXISTS"
    assert refusal(one.as_operator(), "CreateApp", app_id=1).reason == "APP_EXISTS"
    assert one.as_operator()("CreateApp", app_id=77).app.app_id == 77


def test_the_outage_of_a_database_touches_its_own_apps_alone(fleet):
    fleet.add("a", "b")
    keys = fleet.serve()
    in_a, in_b = keys.app(), keys.app()
    of_a, of_b, of_home = (backend(keys, app) for app in (in_a, in_b, 1))
    for relation in (of_a, of_b, of_home):
        befriend(relation)
    fleet.outage("a")
    server = fleet.servers[0]
    soon(lambda: "a: " in away(server))
    assert "b: " not in away(server)
    refused = refusal(of_a, "ListAccounts")
    assert refused.code == grpc.StatusCode.UNAVAILABLE
    for relation in (of_b, of_home):
        befriend(relation)
    numbers = metrics(server)
    assert numbers['relation_database_up{database="a"}'] == 0
    assert numbers['relation_database_up{database="b"}'] == 1
    assert refusal(keys.as_operator(), "ListApps").code == grpc.StatusCode.UNAVAILABLE
    # A new app goes where there is a database.
    assert fleet.place(keys.app()) in ("b", "home")
    fleet.end_outage("a")
    soon(lambda: away(server) == "ready\n")
    befriend(of_a)


def test_a_server_starts_while_a_database_is_away(fleet):
    fleet.add("a")
    keys = fleet.serve()
    of_a = backend(keys, keys.app())
    fleet.outage("a")
    data = fleet.folder / "late"
    late = Relationd(data, store=fleet.address("home"), insecure=False)
    fleet.servers.append(late)
    fleet.channels.append(grpc.insecure_channel(late.address))
    there = Keys(fleet.stubs, fleet.channels[-1], fleet.operator)
    befriend(backend(there, 1))
    assert "a: " in away(late)
    fleet.end_outage("a")
    soon(lambda: away(late) == "ready\n")
    befriend(there.with_key(of_a.metadata[0][1].removeprefix("Bearer ")))


def test_databases_come_and_go_while_servers_run(fleet):
    fleet.add("a")
    keys = fleet.serve()
    server = fleet.servers[0]
    fleet.add("b")
    soon(lambda: 'relation_database_up{database="b"}' in metrics(server))
    soon(lambda: away(server) == "ready\n")
    apps = [keys.app() for _ in range(2)]
    assert [fleet.place(app) for app in apps] == ["a", "b"]
    refused = fleet.command("remove", "b", check=False)
    assert refused.returncode != 0 and "1 apps live there" in refused.stderr
    keys.as_operator()("DeleteApp", app_id=apps[1])
    soon(lambda: fleet.command("remove", "b", check=False).returncode == 0)
    soon(lambda: 'relation_database_up{database="b"}' not in metrics(server))
    befriend(backend(keys, apps[0]))
    listed = fleet.command("list").stdout
    assert "home" in listed and fleet.address("a") in listed and fleet.address("b") not in listed


def test_wrong_commands_name_what_is_wrong(fleet):
    def words(*given):
        done = fleet.command(*given, check=False)
        assert done.returncode != 0
        return done.stderr

    assert "beginning with a letter" in words("add", "2a", fleet.address("a"))
    assert "URL of a database" in words("add", "a", "rocks:there")
    assert "it is the database of --store" in words("add", "a", fleet.address("home"))
    fleet.add("a")
    assert "registered as a" in words("add", "b", fleet.address("a"))
    assert "a database of the name a" in words("add", "a", fleet.address("b"))
    assert "no database has the name c" in words("remove", "c")
    assert "home has the directory" in words("remove", "home")
    done = run_relationd("serve", "--store", fleet.address("a"), "--listen", "127.0.0.1:0",
                         "--metrics-listen", "off", check=False)
    assert done.returncode != 0 and "registered as a" in done.stderr


def test_the_first_database_waits_until_no_server_runs(fleet):
    data = fleet.folder / "alone"
    server = Relationd(data, store=fleet.address("home"), insecure=False)
    try:
        done = fleet.command("add", "a", fleet.address("a"), check=False)
        assert done.returncode != 0 and "stop them first" in done.stderr
    finally:
        assert server.stop() == 0, server.log
    fleet.add("a")
