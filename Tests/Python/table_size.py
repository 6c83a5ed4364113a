"""How large the table of a store on PostgreSQL is, and what its settings do: `make table-size`.

    table_size.py [sizes] [updates] [repack] [far] [--friendships FILE] [--additions N]
                  [--updates N] [--in-flight N]

`sizes` loads a graph and makes additions, and says how many bytes each kind of row takes.
`updates` makes a million updates with other fill factors, settings of autovacuum and partitions.
`repack` runs pg_repack while additions go on.
`far` makes additions while each commit takes 50 ms, as with a standby far away.
Without names, all are done. Sizes are the same on a busy machine; times are not.
"""

import argparse
import asyncio
import contextlib
import random
import re
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

import grpc
from postgres import Cluster, binaries
from relationd import ROOT, Relationd, executable
from stubs import Stubs

USERS = 4_000
SEED = 5
FAR_MICROSECONDS = 50_000
# So much of a row stands beside its columns in the table, and in the index: the header, the
# pointer, and the lengths of the columns. A row begins at a multiple of eight bytes.
KINDS = """
    SELECT encode(substr(k, 1, 1), 'hex'), count(*),
        sum((pg_column_size(r.*) + 7) / 8 * 8 + 4),
        sum((8 + 2 + length(p) + length(k) + 7) / 8 * 8 + 4)
    FROM relation_kv r GROUP BY 1 ORDER BY 3 DESC LIMIT 4"""
NAMES = {"11": "friend", "51": "event", "72": "feed", "01": "user", "a3": "directory"}

# What an update writes: the user's record, a friend's row, an event, a row of the feed and its
# state. The log keeps KEPT events, so that the table does not grow by what it holds.
UPDATES = """
CREATE TABLE some_user AS SELECT row_number() OVER (ORDER BY p) - 1 AS n, p, k, v
    FROM relation_kv WHERE substr(k, 1, 1) = '\\x01';
CREATE UNIQUE INDEX ON some_user (n);
CREATE TABLE some_friend AS SELECT row_number() OVER (ORDER BY p, k) - 1 AS n, p, k, v
    FROM relation_kv WHERE substr(k, 1, 1) = '\\x11';
CREATE UNIQUE INDEX ON some_friend (n);
ANALYZE some_user; ANALYZE some_friend;
CREATE PROCEDURE updates(first bigint, total bigint, kept bigint) LANGUAGE plpgsql AS $body$
DECLARE
    users bigint := (SELECT count(*) FROM some_user);
    friends bigint := (SELECT count(*) FROM some_friend);
    begun bigint;
BEGIN
    FOR batch IN first / 64..(first + total) / 64 - 1 LOOP
        begun := batch * 64;
        INSERT INTO relation_kv AS r (p, k, v)
            SELECT DISTINCT ON (1, 2) p, k, v FROM (
                SELECT s.p, s.k, s.v FROM generate_series(begun, begun + 63) i
                    JOIN some_user s ON s.n = abs(hashint8(i)) % users
                UNION ALL SELECT s.p, s.k, s.v FROM generate_series(begun, begun + 63) i
                    JOIN some_friend s ON s.n = abs(hashint8(i + 1000000000)) % friends
                UNION ALL SELECT s.p, '\\x59'::bytea || int8send(i), decode(repeat('65', 45), 'hex')
                    FROM generate_series(begun, begun + 63) i
                    JOIN some_user s ON s.n = abs(hashint8(i)) % users
                UNION ALL SELECT '\\x0000000104', '\\x79'::bytea || int8send(i),
                    decode(repeat('66', 35), 'hex') FROM generate_series(begun, begun + 63) i
                UNION ALL SELECT '\\x0000000104', '\\x7a', int8send(batch)) q ORDER BY 1, 2
            ON CONFLICT (p, k) DO UPDATE SET v = excluded.v;
        DELETE FROM relation_kv r USING (
                SELECT s.p, '\\x59'::bytea || int8send(i) AS k
                    FROM generate_series(begun - kept, begun - kept + 63) i
                    JOIN some_user s ON s.n = abs(hashint8(i)) % users
                UNION ALL SELECT '\\x0000000104', '\\x79'::bytea || int8send(i)
                    FROM generate_series(begun - kept, begun - kept + 63) i) q
            WHERE r.p = q.p AND r.k = q.k AND begun >= kept;
        COMMIT;
    END LOOP;
END $body$;
"""
KEPT = 50_000
CALL_UPDATES = 6_400
EAGER = "autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02, " \
    "autovacuum_vacuum_cost_delay = 0"
# The name of each try, its fill factor, other options of the table, and its partitions.
TRIES = [
    ("autovacuum as usual", 85, "", 0),
    ("autovacuum at 0.02, as `init` sets it", 85, EAGER.rpartition(",")[0], 0),
    ("autovacuum at 0.02, without delay", 85, EAGER, 0),
    ("fillfactor 100, the same", 100, EAGER, 0),
    ("fillfactor 70, the same", 70, EAGER, 0),
    ("8 partitions, the same", 85, EAGER, 8),
]


class Store:
    """A database with a server, which has users and friendships."""

    def __init__(self, settings=None, serves=True):
        self.cluster = Cluster(settings)
        self.folder = tempfile.TemporaryDirectory()
        try:
            store = f"{self.cluster.address}/postgres"
            subprocess.run([executable("relationd"), "init", "--store", store, "--list-keys"],
                           check=True, capture_output=True)
            self.server = serves and Relationd(
                Path(self.folder.name) / "server", "--threads", "1", store=store)
        except BaseException:
            self.cluster.remove()
            raise

    def close(self):
        if self.server:
            self.server.stop()
            self.server = None
        self.cluster.remove()
        self.folder.cleanup()

    def sql(self, text):
        done = subprocess.run(
            [str(binaries() / "psql"), "-XqAt", "-F", " ", "-v", "ON_ERROR_STOP=1", "-d",
             f"{self.cluster.address}/postgres"],
            input=text, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(done.stderr)
        return done.stdout.strip()

    def sizes(self):
        """The bytes of the table, and of its index."""
        return [int(self.sql(
            "SELECT sum(pg_relation_size(oid)) FROM pg_class WHERE relname ~ '^relation_kv' "
            f"AND relkind = '{kind}'")) for kind in "ri"]

    def load(self, graph):
        done = subprocess.run(
            [executable("relationctl"), "--server", self.server.address, "import", str(graph)],
            capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(done.stderr)
        return int(re.search(r"friendships: (\d+) accepted", done.stdout).group(1))

    def load_users(self):
        """Users in pairs, who are friends."""
        path = Path(self.folder.name) / "users.txt"
        path.write_text("".join(f"u{2 * n} u{2 * n + 1}\n" for n in range(USERS // 2)))
        self.load(path)

    def add(self, stubs, pairs, in_flight, beside=None):
        """Makes additions, until all are made or `beside` has ended; the seconds, and the
        milliseconds of each."""
        return asyncio.run(self._add(stubs, pairs, in_flight, beside))

    async def _add(self, stubs, pairs, in_flight, beside):
        waiting = iter(pairs)
        request, response = stubs.message("AddFriendsRequest"), stubs.message("AddFriendsResponse")
        times = []
        async with grpc.aio.insecure_channel(self.server.address) as channel:
            call = channel.unary_unary(
                "/relation.v1.FriendService/AddFriends",
                request_serializer=lambda message: message.SerializeToString(),
                response_deserializer=response.FromString)

            async def caller():
                for one, other in waiting:
                    if beside and beside.done():
                        return
                    begun = time.perf_counter()
                    answer = await call(request(
                        user_id=f"u{one}", items=[{"user_id": f"u{other}"}], force=True))
                    times.append((time.perf_counter() - begun) * 1e3)
                    if answer.results[0].code != 0:
                        raise RuntimeError(str(answer))

            begun = time.perf_counter()
            beside = beside and asyncio.ensure_future(beside())
            await asyncio.gather(*(caller() for _ in range(in_flight)))
            seconds = time.perf_counter() - begun
            if beside:
                await beside
        return seconds, sorted(times)


def some_pairs(count):
    """Pairs of users who are not friends yet, always the same."""
    numbers = random.Random(SEED)
    pairs = {}
    while len(pairs) < count:
        one, other = sorted(numbers.sample(range(USERS), 2))
        if one // 2 != other // 2:
            pairs[one, other] = None
    return list(pairs)


def say(*cells):
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


def sizes(options, stubs):
    """The bytes of a friendship that was imported, and of one that was added."""
    say("load", "friendships", "table, bytes each", "index, bytes each", "both", "packed")
    for name in ("import", "additions"):
        with contextlib.closing(Store()) as store:
            before = [0, 0]
            if name == "import":
                count = store.load(options.friendships)
            else:
                store.load_users()
                store.sql("VACUUM relation_kv")
                before, count = store.sizes(), options.additions
                store.add(stubs, some_pairs(count), options.in_flight)
            store.sql("VACUUM ANALYZE relation_kv")
            each = [(now - then) / count for now, then in zip(store.sizes(), before, strict=True)]
            rows = [line.split() for line in store.sql(KINDS).splitlines()]
            store.server.stop()
            store.server = None
            store.sql("VACUUM FULL relation_kv")
            say(name, count, *(round(value) for value in each), round(sum(each)),
                round((sum(store.sizes()) - sum(before)) / count))
            for kind, number, table, index in rows:
                say(f"rows of kind {NAMES.get(kind, kind)}", number, round(int(table) / count),
                    round(int(index) / count), round((int(table) + int(index)) / count), "")


def updates(options, _):
    """The size of the table after many updates, with other settings."""
    say("settings", "table, MB", "index, MB", "both packed, MB", "updates in their page",
        "autovacuums", "seconds", "WAL, MB")
    for name, fill, other, partitions in TRIES:
        with contextlib.closing(Store({"autovacuum_naptime": "1s"})) as store:
            store.load(options.friendships)
            store.server.stop()
            store.server = None
            prepare(store, fill, other, partitions)
            store.sql(UPDATES)
            store.sql("SELECT pg_stat_reset()")
            log = store.sql("SELECT pg_current_wal_lsn()")
            begun = time.perf_counter()
            # The database counts what a session has changed when the session rests.
            store.sql("".join(
                f"CALL updates({first}, {min(CALL_UPDATES, options.updates - first)}, {KEPT});\n"
                for first in range(0, options.updates, CALL_UPDATES)))
            seconds = time.perf_counter() - begun
            log = store.sql(f"SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '{log}')::bigint")
            store.sql("SELECT pg_stat_force_next_flush()")
            inside, vacuums = store.sql(
                "SELECT round(100.0 * sum(n_tup_hot_upd) / sum(n_tup_upd)), sum(autovacuum_count) "
                "FROM pg_stat_user_tables WHERE relname ~ '^relation_kv'").split()
            table, index = store.sizes()
            store.sql("VACUUM FULL relation_kv")
            say(name, mega(table), mega(index), mega(sum(store.sizes())), f"{inside} %", vacuums,
                round(seconds), mega(int(log)))


def prepare(store, fill, other, partitions):
    """Makes the table anew with these options."""
    store.sql("ALTER TABLE relation_kv RENAME TO relation_old")
    store.sql("ALTER INDEX relation_kv_pkey RENAME TO relation_old_pkey")
    columns = "(p bytea NOT NULL, k bytea NOT NULL, v bytea NOT NULL, PRIMARY KEY (p, k))"
    options = f"WITH (fillfactor = {fill}{', ' + other if other else ''})"
    if partitions == 0:
        store.sql(f"CREATE TABLE relation_kv {columns} {options}")
    else:
        store.sql(f"CREATE TABLE relation_kv {columns} PARTITION BY HASH (p)")
        for number in range(partitions):
            store.sql(
                f"CREATE TABLE relation_kv_{number} PARTITION OF relation_kv FOR VALUES WITH "
                f"(MODULUS {partitions}, REMAINDER {number}) {options}")
    store.sql("INSERT INTO relation_kv SELECT * FROM relation_old")
    store.sql("DROP TABLE relation_old")
    store.sql("VACUUM ANALYZE relation_kv")


def mega(size):
    return round(size / 1e6, 1)


def repack(options, stubs):
    """What pg_repack gains, and how long callers wait meanwhile."""
    program = binaries() / "pg_repack"
    if not program.exists():
        print("left out: pg_repack is not installed, see the package postgresql-15-repack")
        return
    with contextlib.closing(Store()) as store:
        store.load_users()
        store.sql("CREATE EXTENSION pg_repack")
        pairs = some_pairs(2 * options.additions)
        store.add(stubs, pairs[:options.additions], options.in_flight)
        # The positions of what is left stay as they are: nothing in this server reads the feed.
        store.sql("DELETE FROM relation_kv WHERE substr(k, 1, 1) = '\\x72'")
        before = store.sizes()

        async def run():
            process = await asyncio.create_subprocess_exec(
                str(program), "-h", "127.0.0.1", "-p", str(store.cluster.port), "-U", "postgres",
                "-d", "postgres", "-t", "relation_kv", stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT)
            said, _ = await process.communicate()
            if process.returncode != 0:
                raise RuntimeError(said.decode())

        seconds, times = store.add(stubs, pairs[options.additions:], 4, beside=run)
        say("", "table, MB", "index, MB")
        say("before pg_repack", *map(mega, before))
        say("after it", *map(mega, store.sizes()))
        half = times[len(times) // 2]
        print(f"{seconds:.1f} s, {len(times)} writes beside it, p50 {half:.0f} ms, "
              f"longest {times[-1]:.0f} ms, none refused", flush=True)


def far(options, stubs):
    """Additions while each commit takes 50 ms."""
    say("in flight", "additions a second", "p50, ms", "operations a commit")
    for in_flight in (64, options.in_flight, 4 * options.in_flight):
        settings = {"fsync": "on", "commit_delay": str(FAR_MICROSECONDS), "commit_siblings": "0"}
        with contextlib.closing(Store(settings)) as store:
            store.load_users()
            count = 40 * in_flight
            commits = committed(store)
            seconds, times = store.add(stubs, some_pairs(count), in_flight)
            commits = committed(store) - commits
            say(in_flight, round(count / seconds), round(times[len(times) // 2]),
                round(count / max(1, commits), 1))


def committed(store):
    """The transactions of the server that were committed."""
    page = urllib.request.urlopen(store.server.pages + "/metrics", timeout=10).read().decode()
    return int(float(re.search(r"^relation_commit_duration_seconds_count\S* (\S+)$", page,
                               re.MULTILINE).group(1)))


def main():
    parts = {"sizes": sizes, "updates": updates, "repack": repack, "far": far}
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("parts", nargs="*", choices=[[], *parts])
    words.add_argument("--friendships", default=ROOT / "Tests/Data/facebook_edges.txt")
    words.add_argument("--additions", type=int, default=60_000)
    words.add_argument("--updates", type=int, default=1_000_000)
    words.add_argument("--in-flight", type=int, default=256)
    options = words.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        stubs = Stubs(Path(folder))
        for part in options.parts or parts:
            print(f"\n{part}", flush=True)
            parts[part](options, stubs)


if __name__ == "__main__":
    sys.exit(main())
