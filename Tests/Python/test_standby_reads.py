"""Exports and checks from a standby: they have all that was answered before they began, and a
standby that lags, hangs or is away holds none of them up."""

import time

import grpc
import pytest
from people import People
from postgres import Cluster
from relationd import Relationd
from stubs import Relation
from test_failover import make_store, sql
from test_hung import processes, stopped
from test_metrics import metrics
from test_shared_store import add, integrity_findings
from waiting import until

#: How long an export may take whatever the standby does: to connect, to wait, and to read.
SECONDS = 15
PAUSED = "SELECT pg_get_wal_replay_pause_state()"


@pytest.fixture
def pair():
    """A primary with a store, and a standby of it."""
    primary, standby = Cluster({"hot_standby": "on"}), None
    try:
        make_store(f"{primary.address}/postgres")
        standby = Cluster({"hot_standby": "on"}, following=primary)
        yield primary, standby
    finally:
        for cluster in (standby, primary):
            if cluster:
                cluster.remove()


@pytest.fixture
def served(pair, stubs, tmp_path):
    """The server, with its client."""
    primary, standby = pair
    with Relationd(
        tmp_path / "data", f"--store-read={standby.address}/postgres", "--store-read-wait=3000",
        store=f"{primary.address}/postgres",
    ) as server, grpc.insecure_channel(server.address) as channel:
        yield server, Relation(stubs, channel)


def exported_friends(relation, user, **fields):
    """The friends of a user by an export that begins now."""
    request = relation.stubs.request("ExportApp", fields)
    begun = time.monotonic()
    answers = list(relation.start("ExportApp")(request, timeout=60, metadata=relation.metadata))
    assert time.monotonic() - begun < SECONDS
    rows = [one.friend_entry for one in answers if one.WhichOneof("row") == "friend_entry"]
    return sorted(row.entry.user_id for row in rows if row.user_id == user)


def long_reads(server):
    """Long reads on the standby and on the primary, and standbys that are left alone."""
    samples = metrics(server)
    places = [
        samples[f'relation_database_long_reads_total{{place="{place}"}}']
        for place in ("standby", "primary")]
    assert samples["relation_database_standbys"] == 1
    return *places, samples["relation_database_standbys_paused"]


def test_an_export_from_a_standby_has_all_that_was_answered(pair, served):
    server, relation = served
    ann, *others = People(relation)(11)
    friends = []
    for user in others:
        answer = relation("AddFriends", user_id=ann, items=[{"user_id": user}], force=True)
        friends = sorted([*friends, user])
        least = {"min_sequence": {"user_id": ann, "sequence": answer.sequence}}
        assert exported_friends(relation, ann, options=least) == friends
    assert integrity_findings(relation) == []
    assert long_reads(server) == (len(others) + 1, 0, 0)
    sessions = "SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'relationd%'"
    assert sql(pair[1], sessions) != "0"


def test_a_standby_that_lags_is_left_until_it_has_caught_up(pair, served):
    server, relation = served
    ann, bob, cid = People(relation)(3)
    add(relation, ann, bob)
    assert exported_friends(relation, ann) == [bob]
    sql(pair[1], "SELECT pg_wal_replay_pause()")
    until(lambda: sql(pair[1], PAUSED) == "paused", "the standby goes on")
    before = long_reads(server)
    add(relation, ann, cid)
    for _ in range(2):
        assert exported_friends(relation, ann) == sorted([bob, cid])
    assert long_reads(server) == (before[0], before[1] + 2, 1)
    sql(pair[1], "SELECT pg_wal_replay_resume()")

    def is_back():
        assert exported_friends(relation, ann) == sorted([bob, cid])
        return long_reads(server)[0] > before[0]

    until(is_back, "the standby is not taken again")
    assert long_reads(server)[2] == 0


def test_a_standby_that_hangs_or_ends_holds_no_export_up(pair, served):
    server, relation = served
    ann, bob, cid = People(relation)(3)
    add(relation, ann, bob)
    assert exported_friends(relation, ann) == [bob]
    before = long_reads(server)
    with stopped(*processes(pair[1])):
        add(relation, ann, cid)
        for _ in range(2):
            assert exported_friends(relation, ann) == sorted([bob, cid])
        assert long_reads(server) == (before[0], before[1] + 2, 1)
    pair[1].stop()
    for _ in range(3):
        assert exported_friends(relation, ann) == sorted([bob, cid])
    assert long_reads(server)[0] == before[0]


def test_nothing_is_read_from_a_standby_that_was_promoted_by_mistake(pair, served):
    """Its address leads to a server with a history of its own."""
    server, relation = served
    ann, bob, cid = People(relation)(3)
    add(relation, ann, bob)
    assert exported_friends(relation, ann) == [bob]
    pair[1].promote()
    before = long_reads(server)
    add(relation, ann, cid)
    assert exported_friends(relation, ann) == sorted([bob, cid])
    assert long_reads(server)[1] == before[1] + 1
