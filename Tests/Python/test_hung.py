"""Servers and databases that hang, and wake up: a process that is stopped, and a primary that is
stopped while another one takes over. Hung is not dead: what woke up must neither hold others up nor
act on what it knew.

`make failover` runs all of them. Without its `FAILOVERS` only those run that are about the leases, and
one about commits that no standby has.
"""

import contextlib
import os
import pathlib
import random
import signal
import subprocess
import threading
import time
from concurrent import futures

import grpc
import ledger
import pytest
from credentials import Keys, bearer
from history import History, Servers
from people import People
from postgres import Cluster
from relationd import Relationd
from stalling_proxy import StallingProxy
from stubs import Relation
from test_failover import health, make_store, sql, standby_of
from test_shared_store import add, cluster, init, integrity_findings, store  # noqa: F401
from waiting import until
from watching import Watching

#: How long anything is waited for.
SECONDS = 30
#: The proxy knows no way to begin an encrypted connection.
NO_ENCRYPTION = "?sslmode=disable&gssencmode=disable"
#: Checks of an app that may run at once.
CHECKS = 2
#: Commits that wait for a standby.
WAITING = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
#: `Lock.store`
STORE_LOCK = 0x72656C6174696F6E
long = pytest.mark.skipif("FAILOVERS" not in os.environ, reason="`make failover` runs it")
FREEZES = int(os.environ.get("FAILOVERS", "0")) // 10 + 2
REFUSALS = {grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.UNAUTHENTICATED}


@contextlib.contextmanager
def stopped(*pids):
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)


def processes(cluster):  # noqa: F811
    """The server's process, and those that it has made."""
    first = cluster.pid
    found = [first]
    for entry in pathlib.Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if entry.name.isdigit():
                parent = (entry / "stat").read_text().rpartition(")")[2].split()[1]
                if int(parent) == first:
                    found.append(int(entry.name))
    return found


class Load:
    """Writes friends of one user at one server, until it is ended."""

    def __init__(self, relation, owner, others):
        self.relation, self.owner, self.others = relation, owner, others
        self.ends = threading.Event()
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self):
        while not self.ends.is_set():
            for user in self.others:
                with contextlib.suppress(grpc.RpcError):
                    self.relation(
                        "AddFriends", user_id=self.owner, items=[{"user_id": user}], force=True,
                        timeout=2)
                    self.relation(
                        "DeleteFriends", user_id=self.owner, user_ids=[user],
                        delete_type="DELETE_TYPE_BOTH", timeout=2)

    def end(self):
        self.ends.set()
        self.thread.join(SECONDS)


def holders(cluster, address):  # noqa: F811
    """The backends that hold a lock of a transaction and wait for their client."""
    name = address.rpartition("/")[2]
    return sql(
        cluster, "SELECT count(DISTINCT l.pid) FROM pg_locks l JOIN pg_stat_activity a "
        f"ON a.pid = l.pid WHERE a.datname = '{name}' AND l.locktype = 'advisory' AND l.granted "
        "AND a.wait_event = 'ClientRead'") != "0"  # fmt: skip


@contextlib.contextmanager
def stopped_with_its_locks(cluster, address, server):  # noqa: F811
    """Stops the server while a transaction of it holds the locks of its app."""
    end = time.monotonic() + SECONDS
    while True:
        os.kill(server.process.pid, signal.SIGSTOP)
        try:
            # A transaction whose end is on its way ends without its client.
            time.sleep(0.02)
            if holders(cluster, address):
                yield
                return
        finally:
            os.kill(server.process.pid, signal.SIGCONT)
        assert time.monotonic() < end, "no transaction was caught"
        time.sleep(0.005)


def test_a_server_that_is_stopped_in_a_transaction_holds_no_other_up(
    cluster, store, stubs, tmp_path  # noqa: F811
):
    operator = init(store, "--replace-key")
    with Relationd(tmp_path / "one", store=store, insecure=False) as one, \
            Relationd(tmp_path / "other", store=store, insecure=False) as other, \
            grpc.insecure_channel(one.address) as first, \
            grpc.insecure_channel(other.address) as second:
        keys = Keys(stubs, second, operator)
        apps = [keys.app(), keys.app()]
        writers = [keys.as_operator(app) for app in apps]
        people = [People(writer)(4) for writer in writers]
        loads = [
            Load(Keys(stubs, first, operator).as_operator(apps[0]), user, people[0][3:])
            for user in people[0][:2]]
        try:
            with stopped_with_its_locks(cluster, store, one):
                began = time.monotonic()
                with futures.ThreadPoolExecutor() as pool:
                    # Each of them waits for the locks of the transaction, or behind one that does.
                    calls = [
                        pool.submit(
                            writer, "AddFriends", user_id=users[2],
                            items=[{"user_id": users[3]}], force=True, timeout=SECONDS)
                        for writer, users in zip(writers, people, strict=True)]
                    calls.append(pool.submit(keys.as_operator(), "CreateApp", timeout=SECONDS))
                    for call in calls:
                        call.result()
                # A third server can start and write.
                with Relationd(tmp_path / "third", store=store, insecure=False) as third, \
                        grpc.insecure_channel(third.address) as channel:
                    assert Keys(stubs, channel, operator).app()
                took = time.monotonic() - began
                assert health(second) == 1
        finally:
            for load in loads:
                load.end()
        assert took < SECONDS
        for writer in writers:
            assert integrity_findings(writer) == []


def test_a_revoked_key_opens_no_server_that_wakes_up(store, stubs, tmp_path):  # noqa: F811
    operator = init(store, "--replace-key")
    with Relationd(tmp_path / "one", store=store, insecure=False) as one, \
            Relationd(tmp_path / "other", store=store, insecure=False) as other, \
            grpc.insecure_channel(one.address) as first, \
            grpc.insecure_channel(other.address) as second:
        keys = Keys(stubs, second, operator)
        app = keys.app()
        for _ in range(2):
            made = keys.as_operator(app)("CreateCredential", scopes=["SCOPE_ADMIN", "SCOPE_WATCH"])
            caller = Relation(
                stubs, first, [bearer(made.key), ("x-app-id", str(app))])
            ann, *others = People(caller)(30)
            stream = Watching(caller, user_id=ann, timeout=SECONDS)
            stream.state()
            told = []
            reader = threading.Thread(target=read_all, args=(stream, told), daemon=True)
            reader.start()
            loads = [Load(caller, user, others[:3]) for user in others[3:5]]
            time.sleep(0.3)
            with stopped(one.process.pid):
                revoked = keys.as_operator(app)(
                    "RevokeCredential", credential_id=made.credential.credential_id,
                    timeout=SECONDS)
                assert revoked is not None
                # The key was revoked when these are sent, and they wait in the server's sockets.
                late = []
                for user in others[5:]:
                    fields = {"user_id": ann, "items": [{"user_id": user}], "force": True}
                    late.append(future(caller, "AddFriends", fields))
                    late.append(future(caller, "ListFriends", {"user_id": ann, "page_size": 9}))
                # An event that the server may not tell to the stream of the key.
                add(keys.as_operator(app), ann, others[5])
                # The revocation waited for the lease, so it has run out.
            codes = [error.code() if error else None for error in (
                call.exception(SECONDS) for call in late)]
            for load in loads:
                load.end()
            reader.join(SECONDS)
            assert set(codes) <= REFUSALS, codes
            assert others[5] not in told, "an event was told after the revocation"
            there = keys.as_operator(app)("ListFriends", user_id=ann, page_size=100).friends
            assert [row.user_id for row in there] == [others[5]]
            assert not reader.is_alive()


def read_all(stream, told):
    with contextlib.suppress(grpc.RpcError):
        while True:
            for item in stream.event().items:
                told.append(item.user_id)


def future(relation, name, fields):
    request = relation.stubs.request(name, fields)
    return relation.start(name).future(request, timeout=SECONDS, metadata=relation.metadata)


@long
def test_a_server_whose_transaction_does_not_end_says_so(
    cluster, store, stubs, tmp_path  # noqa: F811
):
    """Another program has the lock, and no lease tells when it ends."""
    with Relationd(tmp_path / "data", store=store) as server, \
            grpc.insecure_channel(server.address) as channel:
        relation = Relation(stubs, channel)
        ann, bob, cid = People(relation)(3)
        add(relation, ann, bob)
        with locked(cluster, store):
            fields = {"user_id": ann, "items": [{"user_id": cid}], "force": True}
            began = time.monotonic()
            write = future(relation, "AddFriends", fields)
            until(lambda: health(channel) != 1, "health does not tell")
            assert relation("ListFriends", user_id=ann, page_size=9).friends
            error = write.exception(SECONDS)
            took = time.monotonic() - began
        assert error.code() is grpc.StatusCode.UNAVAILABLE
        assert took < 20, "the page says ten seconds"
        until(lambda: health(channel) == 1, "health does not come back")
        add(relation, ann, cid)


@contextlib.contextmanager
def locked(cluster, address):  # noqa: F811
    """Holds the lock of the whole store, as a program without a lease."""
    with subprocess.Popen(
        ["psql", "-qXAt", address], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
    ) as psql:
        psql.stdin.write(f"SELECT pg_advisory_lock({STORE_LOCK});\n")
        psql.stdin.flush()
        until(lambda: holders(cluster, address), "psql does not get the lock")
        yield
        psql.stdin.close()


@long
def test_long_reads_work_at_once_after_each_restart_of_the_database(stubs, tmp_path):
    cluster = Cluster()  # noqa: F811
    address = f"{cluster.address}/postgres"
    try:
        make_store(address)
        with Relationd(tmp_path / "data", store=address) as server, \
                grpc.insecure_channel(server.address) as channel:
            relation = Relation(stubs, channel)
            ann, bob = People(relation)(2)
            add(relation, ann, bob)
            for mode in ("fast", "immediate", "fast"):
                # These leave several idle connections behind.
                check(relation)
                cluster.stop(mode)
                cluster.start()
                until(lambda: health(channel) == 1, "health does not come back")
                until(lambda: is_let_in(relation, ann), "no call is let in")
                check(relation)
                stream = Watching(relation, user_id=ann)
                stream.state()
                stream.cancel()
    finally:
        cluster.remove()


def check(relation):
    """Reads all rows, on as many connections at once as an app may use for that."""
    with futures.ThreadPoolExecutor(CHECKS) as pool:
        found = pool.map(lambda _: integrity_findings(relation), range(CHECKS))
        assert list(found) == [[]] * CHECKS


def is_let_in(relation, user):
    try:
        return bool(relation("ListFriends", user_id=user, page_size=9).friends)
    except grpc.RpcError as error:
        assert error.code() is grpc.StatusCode.UNAVAILABLE
        return False


@pytest.fixture
def pair():
    """A primary, and a standby that has all that was answered."""
    primary = Cluster()
    standby = None
    try:
        standby = standby_of(primary)
        yield primary, standby
    finally:
        for cluster in (primary, standby):
            if cluster:
                cluster.remove()


def is_done(relation, call):
    """Repeats a write under its request id; the store may still be away for a moment."""
    try:
        return relation(call[0], timeout=SECONDS, **call[1]).results[0].code == 0
    except grpc.RpcError as error:
        assert error.code() == grpc.StatusCode.UNAVAILABLE, error
        return False


def test_a_commit_that_no_standby_has_is_not_shown(pair, stubs, tmp_path):
    """PostgreSQL shows such a commit when its session is ended, and a takeover would lose it."""
    primary, standby = pair
    address = f"{primary.address}/postgres"
    make_store(address)
    with Relationd(tmp_path / "one", store=address) as one, \
            Relationd(tmp_path / "other", store=address) as other, \
            grpc.insecure_channel(one.address) as first, \
            grpc.insecure_channel(other.address) as second:
        relations = [Relation(stubs, channel) for channel in (first, second)]
        ann, bob, cid = People(relations[0])(3)
        rows = "SELECT count(*) FROM relation_kv"
        until(lambda: health(second) == 1, "a server does not serve")
        before = sql(primary, rows)
        calls = [
            ("AddFriends", {"user_id": ann, "items": [{"user_id": user}], "force": True,
                            "options": {"request_id": user}}) for user in (bob, cid)]  # fmt: skip
        with stopped(*processes(standby)):
            # One commits, and the other waits for its lock until the lease has run out.
            writes = [
                future(relation, *call) for relation, call in zip(relations, calls, strict=True)]
            codes = {write.exception(SECONDS).code() for write in writes}
            assert codes <= {grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.UNKNOWN}
            assert sql(primary, WAITING) != "0"
            assert sql(primary, rows) == before
        for channel in (first, second):
            until(lambda c=channel: health(c) == 1, "health does not come back")
        for relation, call in zip(relations, calls, strict=True):
            until(lambda r=relation: is_let_in(r, ann) is not None, "no call is let in")
            until(lambda r=relation, c=call: is_done(r, c), "a write is not done")
        there = relations[0]("ListFriends", user_id=ann, page_size=9).friends
        assert sorted(row.user_id for row in there) == sorted([bob, cid])
        assert integrity_findings(relations[1]) == []


@long
def test_a_primary_that_wakes_up_is_not_read_any_more(pair, stubs, tmp_path):
    primary, standby = pair
    hosts = ",".join(f"127.0.0.1:{cluster.port}" for cluster in pair)  # noqa: F811
    address = f"postgresql://postgres@{hosts}/postgres"
    make_store(address)
    with Relationd(tmp_path / "one", store=address) as one, \
            Relationd(tmp_path / "other", store=address) as other, \
            grpc.insecure_channel(one.address) as first, \
            grpc.insecure_channel(other.address) as second:
        relations = [Relation(stubs, channel) for channel in (first, second)]
        ann, *others = People(relations[0])(60)
        # Every connection of the pools is open.
        with futures.ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda user: add(relations[0], ann, user), others[:8]))
            list(pool.map(lambda _: is_let_in(relations[0], ann), range(100)))
        for relation in relations:
            check(relation)
        with stopped(*processes(primary)):
            until(lambda: health(first) != 1, "health does not tell")
            standby.promote()
            for channel in (first, second):
                until(
                        lambda c=channel: health(c) == 1, f"health does not come back: {one.log}")
            until(lambda: is_let_in(relations[0], ann), "no call is let in")
            known = {row.user_id for row in relations[0](
                "ListFriends", user_id=ann, page_size=100).friends}
        # The old primary answers again, and does not know of the new one.
        assert sql(primary, "SELECT pg_is_in_recovery()") == "f"
        for number, user in enumerate(others[8:]):
            add(relations[number % 2], ann, user)
            known.add(user)
            for relation in relations:
                page = relation("ListFriends", user_id=ann, page_size=100)
                assert {row.user_id for row in page.friends} == known
        for relation in relations:
            assert integrity_findings(relation) == []
        # Nothing was written there, and no client is connected.
        clients = "SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'relationd%'"
        until(lambda: sql(primary, clients) == "0", "connections to the old primary stay")


@long
@ledger.trial("failover: freezes", freezes=FREEZES)
def test_servers_databases_and_links_that_freeze_lose_and_double_nothing(
    cluster, store, stubs, tmp_path, seed  # noqa: F811
):
    """A history while one of them stands still, for less than a lease or for longer, and wakes."""
    numbers = random.Random(seed)
    proxy = StallingProxy(cluster.port)
    slow = store.replace(f":{cluster.port}", f":{proxy.port}") + NO_ENCRYPTION
    servers = Servers(stubs)
    try:
        with Relationd(tmp_path / "one", store=store) as one, \
                Relationd(tmp_path / "other", store=slow) as other:
            for server in (one, other):
                servers.connect(server)
            history = History(servers, People(Relation(stubs, servers.channels[0])), seed)
            for _ in range(FREEZES):
                history.goes_on()
                with frozen(numbers, cluster, one, proxy):
                    # This waits for nothing: how long it lasts is the input of this test.
                    time.sleep(numbers.choice([0.3, 2, 4]))
            history.goes_on()
            history.end()
            assert integrity_findings(Relation(stubs, servers.channels[0])) == []
    finally:
        servers.close()
        proxy.close()


@contextlib.contextmanager
def frozen(numbers, cluster, server, proxy):  # noqa: F811
    """A server, the database, or the link of the other server stands still."""
    kind = numbers.choice(["server", "database", "link"])
    if kind == "link":
        proxy.stall()
        yield
        proxy.go_on()
        return
    with stopped(*([server.process.pid] if kind == "server" else processes(cluster))):
        yield
