"""What a server says of itself, to balancers and to people, while its database cannot serve it."""

import contextlib
import subprocess
import urllib.error
import urllib.request

import grpc
from test_failover import health
from test_shared_store import cluster, psql, serve, store  # noqa: F401
from waiting import until

#: How long anything is waited for.
SECONDS = 30


def readiness(server):
    """The status of the page for balancers, and its words."""
    try:
        with urllib.request.urlopen(f"{server.pages}/readyz", timeout=10) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as refusal:
        return refusal.code, refusal.read().decode()


def is_ready(server):
    with urllib.request.urlopen(f"{server.pages}/metrics", timeout=10) as answer:
        lines = answer.read().decode().splitlines()
    return "relation_ready 1" in lines


@contextlib.contextmanager
def locked(address, table, mode):
    """Another session holds a lock on a table."""
    with subprocess.Popen(
        ["psql", "-qXAt", address], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as psql:
        psql.stdin.write(f"BEGIN; LOCK TABLE {table} IN {mode} MODE; SELECT 'locked';\n")
        psql.stdin.flush()
        assert psql.stdout.readline() == "locked\n"
        yield
        psql.stdin.close()


@contextlib.contextmanager
def gone(address, table):
    psql(address, f"ALTER TABLE {table} RENAME TO gone")
    yield
    psql(address, f"ALTER TABLE gone RENAME TO {table}")


def test_a_server_tells_what_its_database_lacks_and_when_it_is_back(serve, store):  # noqa: F811
    server = serve()
    faults = [
        (gone(store, "relation_note"), '"relation_note" does not exist'),
        (locked(store, "relation_note", "SHARE"), "could not obtain lock"),
        # Nothing renews the lease then.
        (locked(store, "relation_server", "ACCESS EXCLUSIVE"), "the store is away"),
    ]
    with grpc.insecure_channel(server.address) as channel:
        assert (health(channel), readiness(server)) == (1, (200, "ready\n"))
        for fault, words in faults:
            with fault:
                until(lambda: health(channel) == 2, f"health does not tell: {words}")
                # Both say it at the same moment.
                status, said = readiness(server)
                assert status == 503 and said.startswith("not ready: ") and words in said, said
                # That page is kept for a moment.
                until(lambda: not is_ready(server), f"the metrics do not tell: {words}")
            until(lambda: health(channel) == 1, f"health does not come back: {words}")
            assert readiness(server) == (200, "ready\n")
            until(lambda: is_ready(server), f"the metrics do not come back: {words}")
