"""A database that fails over, and connections to it that are cut at any point: all that was
answered is kept, nothing is half done, and streams go on.

`FAILOVERS` and `CUTS` of the environment say how many there are.
"""

import itertools
import os
import random
import subprocess
import time

import grpc
import ledger
import pytest
from cutting_proxy import CuttingProxy
from history import History, Servers
from people import People
from postgres import Cluster
from refusals import refusal
from relationd import Relationd, executable
from stubs import Relation
from test_shared_store import integrity_findings
from waiting import until
from watching import RESYNC, Watching, live

FAILOVERS = int(os.environ.get("FAILOVERS", "2"))
CUTS = int(os.environ.get("CUTS", "10"))
#: Messages of the database's protocol among which a cut falls: some ten transactions.
MESSAGES_BEFORE_A_CUT = 200


def make_store(address):
    subprocess.run(
        [executable("relationd"), "init", "--store", address, "--list-keys"], check=True,
        capture_output=True, timeout=60)  # fmt: skip


def begin(stubs, servers, seed):
    relation = Relation(stubs, servers.channels[0])
    return History(servers, People(relation), seed)


def end(history, servers, numbers):
    history.end()
    assert integrity_findings(servers.any(numbers)) == []


@pytest.fixture
def servers(stubs):
    made = Servers(stubs)
    yield made
    made.close()


@ledger.trial("failover: cut connections", cuts=CUTS)
def test_connections_that_are_cut_lose_and_double_nothing(tmp_path, stubs, servers, seed):
    numbers = random.Random(seed)
    cluster = Cluster()
    proxy = CuttingProxy(cluster.port)
    # The proxy knows no way to begin an encrypted connection.
    address = (
        f"postgresql://postgres@127.0.0.1:{proxy.port}/postgres"
        "?sslmode=disable&gssencmode=disable")
    try:
        make_store(address)
        with Relationd(tmp_path / "one", store=address) as one, \
                Relationd(tmp_path / "other", store=address) as other:
            servers.connect(one)
            servers.connect(other)
            history = begin(stubs, servers, seed)
            for _ in range(CUTS):
                proxy.arm(
                    numbers.randint(1, MESSAGES_BEFORE_A_CUT), numbers.choice([0, 0.5, 1]))
                while proxy.is_armed:
                    history.goes_on(1)
                history.goes_on()
            end(history, servers, numbers)
            assert proxy.cuts == CUTS
            unknown = [line for line in one.complaints + other.complaints if "OUTCOME" in line]
            assert unknown == []
    finally:
        cluster.remove()
        proxy.close()


def standby_of(primary):
    standby = Cluster({"hot_standby": "on"}, following=primary)
    sql(primary, "ALTER SYSTEM SET synchronous_standby_names = '*'")
    sql(primary, "SELECT pg_reload_conf()")
    end = time.monotonic() + 30
    while sql(primary, "SELECT sync_state FROM pg_stat_replication") != "sync":
        assert time.monotonic() < end, "the standby does not follow"
        time.sleep(0.05)
    return standby


def sql(cluster, text):
    return subprocess.run(
        ["psql", "-qXAt", f"{cluster.address}/postgres", "-c", text], capture_output=True,
        text=True, check=True, timeout=30).stdout.strip()  # fmt: skip


@ledger.trial("failover: promotions", failovers=FAILOVERS)
def test_a_standby_that_takes_over_has_all_that_was_answered(tmp_path, stubs, servers, seed):
    numbers = random.Random(seed)
    clusters = [Cluster()]
    ports = [clusters[0].port]
    took = []
    try:
        clusters.append(standby_of(clusters[0]))
        ports.append(clusters[1].port)
        running = []

        def address():
            hosts = ",".join(f"127.0.0.1:{cluster.port}" for cluster in clusters[-2:])
            return f"postgresql://postgres@{hosts}/postgres"

        make_store(address())
        for place in range(2):
            running.append(Relationd(tmp_path / f"server{place}", store=address()))
            servers.connect(running[place])
        history = begin(stubs, servers, seed)
        for number in range(FAILOVERS):
            history.goes_on()
            primary, standby = clusters[-2:]
            # This waits for nothing: the moment is the input of this test.
            time.sleep(numbers.uniform(0, 0.3))
            killed = time.monotonic()
            primary.stop("immediate")
            standby.promote()
            history.goes_on()
            took.append(time.monotonic() - killed)
            primary.remove()
            # A server dies too, and comes back knowing of the new standby.
            clusters.append(standby_of(standby))
            for place, server in enumerate(running):
                if place == number % 2:
                    server.kill()
                else:
                    assert server.stop() == 0, server.log
                running[place] = Relationd(
                    tmp_path / f"server{place}-{number}", store=address())
                servers.connect(running[place], place)
        history.goes_on()
        end(history, servers, numbers)
        for server in running:
            assert server.stop() == 0, server.log
    finally:
        for cluster in clusters:
            cluster.remove()
    print("seconds from the kill of a primary to 20 more answered calls:",
          ", ".join(f"{seconds:.2f}" for seconds in took))


def test_calls_wait_for_a_database_that_restarts_and_health_says_so(tmp_path, stubs):
    cluster = Cluster()
    address = f"{cluster.address}/postgres"
    try:
        make_store(address)
        with Relationd(tmp_path / "data", store=address) as server, \
                grpc.insecure_channel(server.address) as channel:
            relation = Relation(stubs, channel)
            ann, bob = People(relation)(2)
            assert health(channel) == 1
            cluster.stop("immediate")
            # A call is refused, and another one is answered once the database is back.
            end = time.monotonic() + 30
            while health(channel) == 1:
                assert time.monotonic() < end, "health does not tell"
                time.sleep(0.05)
            with pytest.raises(grpc.RpcError) as refused:
                relation("CheckFriends", user_id=ann, user_ids=[bob])
            assert refused.value.code() is grpc.StatusCode.UNAVAILABLE
            cluster.start()
            while health(channel) != 1:
                assert time.monotonic() < end, "health does not come back"
                time.sleep(0.05)
            answer = relation("AddFriends", user_id=ann, items=[{"user_id": bob}], force=True)
            assert answer.results[0].code == 0
    finally:
        cluster.remove()


def health(channel, service=""):
    # The message of grpc.health.v1 with the name of a service, and its answer of one number.
    call = channel.unary_unary("/grpc.health.v1.Health/Check")
    named = b"\x0a" + bytes([len(service)]) + service.encode() if service else b""
    return call(named, timeout=10)[-1]


def test_what_a_standby_lacks_is_noticed_and_no_number_is_used_twice(tmp_path, stubs):
    """A standby takes over without the last commits, which watchers at another server have seen."""
    primary = Cluster()
    standby = None
    try:
        standby = Cluster({"hot_standby": "on"}, following=primary)
        hosts = ",".join(f"127.0.0.1:{cluster.port}" for cluster in (primary, standby))
        address = f"postgresql://postgres@{hosts}/postgres"
        make_store(address)
        with Relationd(tmp_path / "one", store=address) as one, \
                Relationd(tmp_path / "other", store=address) as other, \
                grpc.insecure_channel(one.address) as first, \
                grpc.insecure_channel(other.address) as second:
            writer = Relation(stubs, first)
            ann, *others = People(writer)(8)
            stream = live(Relation(stubs, second), user_id=ann)
            kept = [befriended(writer, ann, user) for user in others[:2]]
            seen = [stream.event() for _ in kept]
            until(lambda: has_all(primary, standby), "the standby does not follow")
            sql(standby, "ALTER SYSTEM SET primary_conninfo = ''")
            sql(standby, "SELECT pg_reload_conf()")
            until(
                lambda: sql(standby, "SELECT count(*) FROM pg_stat_wal_receiver") == "0",
                "the standby still follows")
            lost = [befriended(writer, ann, user) for user in others[2:5]]
            seen += [stream.event() for _ in lost]
            assert [event.sequence for event in seen] == kept + lost
            primary.stop("immediate")
            standby.promote()
            # Neither serves anything more, and the stream is told.
            assert stream.refusal().code is grpc.StatusCode.UNAVAILABLE
            for running, channel in ((one, first), (other, second)):
                until(lambda r=running: "gone back" in r.log, "a server does not notice")
                assert health(channel) == 2
            refused = [
                refusal(Relation(stubs, channel), "ListFriends", user_id=ann)
                for channel in (first, second)]
            assert {answer.code for answer in refused} == {grpc.StatusCode.UNAVAILABLE}
        subprocess.run(
            [executable("relationd"), "init", "--store", address, "--restored"], check=True,
            capture_output=True, timeout=60)
        with Relationd(tmp_path / "third", store=address) as third, \
                grpc.insecure_channel(third.address) as channel:
            relation = Relation(stubs, channel)
            # A mirror begins anew with what is there.
            again = Watching(relation, user_id=ann, resume_token=stream.token)
            assert again.event().kind == RESYNC
            again.state()
            present = [row.user_id for row in relation("ListFriends", user_id=ann).friends]
            assert sorted(present) == sorted(others[:2])
            new = [befriended(relation, ann, user) for user in others[5:]]
            assert [again.event().sequence for _ in new] == new
            assert min(new) > max(kept + lost)
            assert integrity_findings(relation) == []
    finally:
        for cluster in (primary, standby):
            if cluster:
                cluster.remove()


def befriended(relation, user, other):
    """Adds a friend, and returns the sequence of that."""
    answer = relation("AddFriends", user_id=user, items=[{"user_id": other}], force=True)
    assert answer.results[0].code == 0
    return answer.sequence


def has_all(primary, standby):
    there = sql(primary, "SELECT pg_current_wal_lsn()")
    return sql(standby, f"SELECT pg_last_wal_replay_lsn() >= '{there}'") == "t"


@pytest.mark.parametrize("seed", range(6))
def test_unanswered_calls_of_a_trial_come_to_each_server_in_turn(seed):
    servers = Servers(None)
    servers.channels = ["first", "second", "third"]
    servers.at = lambda channel: channel
    asked = list(itertools.islice(servers.in_turn(random.Random(seed)), 6))
    assert set(asked[:3]) == set(servers.channels)
    assert asked[3:] == asked[:3]
