"""The table of a store on PostgreSQL: how vacuum looks after it, and its partitions."""

import subprocess

import grpc
import pytest
from people import People
from relationd import ROOT, Relationd
from stubs import Relation
from test_shared_store import add, cluster, friends, integrity_findings, psql, store  # noqa: F401

PARTITION = ROOT / "Packaging/postgresql/partition.sql"
KINDS = "SELECT relkind || count(*) FROM pg_class WHERE relname ~ '^relation_kv' GROUP BY relkind"


def partition(store):  # noqa: F811
    return subprocess.run(
        ["psql", "-qX", "-v", "ON_ERROR_STOP=1", store, "-f", str(PARTITION)],
        capture_output=True, text=True, check=False)


@pytest.mark.parametrize("table, options", [
    ("relation_kv", {"fillfactor=85", "autovacuum_vacuum_scale_factor=0.02",
                     "autovacuum_vacuum_insert_scale_factor=0.02"}),
    ("relation_writer", {"fillfactor=50", "autovacuum_vacuum_scale_factor=0",
                         "autovacuum_vacuum_threshold=1000"}),
    ("relation_server", {"fillfactor=50", "autovacuum_vacuum_scale_factor=0",
                         "autovacuum_vacuum_threshold=1000"}),
])  # fmt: skip
def test_init_says_how_vacuum_looks_after_a_table(store, table, options):  # noqa: F811
    found = psql(store, f"SELECT unnest(reloptions) FROM pg_class WHERE relname = '{table}'")
    assert set(found.split()) == options


def test_a_store_in_partitions_is_served_with_all_that_it_had(store, tmp_path, stubs):  # noqa: F811
    with Relationd(tmp_path / "data", store=store) as server:
        with grpc.insecure_channel(server.address) as channel:
            relation = Relation(stubs, channel)
            ann, bob, cat = People(relation)(3)
            add(relation, ann, bob)
        # A server has the store open: nothing is changed.
        refused = partition(store)
        assert refused.returncode != 0 and "stop them first" in refused.stderr
        assert set(psql(store, KINDS).split()) == {"r1", "i1"}
    done = partition(store)
    assert done.returncode == 0, done.stderr
    assert set(psql(store, KINDS).split()) == {"p1", "I1", "r8", "i8"}
    again = partition(store)
    assert again.returncode != 0 and "is in partitions already" in again.stderr
    assert set(psql(store, KINDS).split()) == {"p1", "I1", "r8", "i8"}
    with Relationd(tmp_path / "data", store=store) as server, \
            grpc.insecure_channel(server.address) as channel:
        relation = Relation(stubs, channel)
        assert friends(relation, ann) == [bob]
        add(relation, ann, cat)
        relation("DeleteFriends", user_id=ann, user_ids=[bob])
        assert friends(relation, ann) == [cat]
        assert integrity_findings(relation) == []
        assert int(psql(store, "SELECT count(DISTINCT tableoid) FROM relation_kv")) > 1
