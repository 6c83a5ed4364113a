"""A server and a database with a fault: away, foreign, guarded, read-only, full or slow.

Each fault has words for the operator and a code for callers, and nothing is half done.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import uuid
from concurrent import futures
from pathlib import Path

import grpc
import ports
import pytest
from authority import Authority
from people import People
from postgres import Cluster
from refusals import refusal
from relationd import Relationd, executable
from stalling_proxy import StallingProxy
from stubs import Relation
from test_failover import health
from test_shared_store import PRESENCE, add, init, integrity_findings, is_online, psql
from waiting import until
from watching import RESYNC, Watching

SECONDS = 30
#: The codes of a call that its caller sends again.
PASSING = {
    grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.UNKNOWN}
PASSWORD = "perhaps-a-secret"
#: The rule for a role that has a password; all others are let in.
GUARD = """
host all guarded 127.0.0.1/32 scram-sha-256
host all all 127.0.0.1/32 trust
host replication all 127.0.0.1/32 trust
"""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory, authority):
    """A PostgreSQL with a certificate, and with a role that needs its password."""
    made = Cluster({"hot_standby": "on"})
    try:
        issued = authority.server("database")
        for name, content in (
            ("server.crt", issued.pem), ("server.key", issued.key_pem),
            ("pg_hba.conf", GUARD.encode()),
        ):
            path = made.data / name
            path.touch(mode=0o600)
            path.write_bytes(content)
            os.chown(path, (made.data / "PG_VERSION").stat().st_uid, -1)
        administer(made, f"CREATE ROLE guarded LOGIN PASSWORD '{PASSWORD}'")
        administer(made, "ALTER SYSTEM SET ssl = on")
        administer(made, "SELECT pg_reload_conf()")
        yield made
    finally:
        made.remove()


@pytest.fixture
def empty(cluster):
    """The address of a database without tables."""
    with database(cluster) as address:
        yield address


@pytest.fixture
def store(empty):
    """The address of a database with the tables of a store."""
    init(empty, "--list-keys")
    return empty


@pytest.fixture
def guarded(cluster):
    """The address of a database of the role that needs a password."""
    with database(cluster, "OWNER guarded") as address:
        yield address.replace("postgres@", "guarded@")


@pytest.fixture
def open_relation(stubs):
    """Clients of servers, each closed at the end."""
    with contextlib.ExitStack() as stack:
        yield lambda server: Relation(
            stubs, stack.enter_context(grpc.insecure_channel(server.address)))


@contextlib.contextmanager
def database(cluster, more=""):
    name = "faults_" + uuid.uuid4().hex
    administer(cluster, f"CREATE DATABASE {name} {more}")
    try:
        yield f"{cluster.address}/{name}"
    finally:
        administer(cluster, f"DROP DATABASE {name} WITH (FORCE)")


def administer(cluster, command):
    return psql(f"{cluster.address}/postgres", command)


def relationd(*words, **variables):
    """Runs it to its end, and returns its status and all that it says."""
    done = subprocess.run(
        [executable("relationd"), *map(str, words)], env=os.environ | variables,
        capture_output=True, text=True, timeout=SECONDS)  # fmt: skip
    return done.returncode, done.stdout + done.stderr


def refused_to_serve(address, *words, **variables):
    """What a server says that does not start."""
    status, said = relationd(
        "serve", "--store", address, "--listen", "127.0.0.1:0", "--insecure", *words, **variables)
    assert status != 0 and "listening" not in said, said
    return said


@contextlib.contextmanager
def waiting(address, *words, **variables):
    """A server that does not find its database, and its log."""
    with subprocess.Popen(
        [executable("relationd"), "serve", "--store", address, "--listen", "127.0.0.1:0",
         "--insecure", *words],
        env=os.environ | variables, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    ) as process:  # fmt: skip
        timer = threading.Timer(SECONDS, process.kill)
        timer.start()
        try:
            yield process, process.stdout.readline()
        finally:
            process.kill()
            timer.cancel()


def friends(relation, user):
    return [row.user_id for row in relation("ListFriends", user_id=user, page_size=1000).friends]


def adds(relation, user, other):
    """Whether an addition comes through."""
    try:
        relation("AddFriends", user_id=user, items=[{"user_id": other}], force=True)
    except grpc.RpcError:
        return False
    return True


def fails_to_add(relation, user, other, **options):
    return refusal(
        relation, "AddFriends", user_id=user, items=[{"user_id": other}], force=True, **options)


def content(address):
    """All tables of a database, with their rows."""
    tables = psql(
        address, "SELECT relname FROM pg_class WHERE relkind = 'r' "
        "AND relnamespace = 'public'::regnamespace ORDER BY 1").split()  # fmt: skip
    return {name: psql(address, f"SELECT * FROM {name} ORDER BY 1") for name in tables}


# The start


def test_a_server_waits_for_a_database_that_is_away_and_then_serves(
    cluster, store, tmp_path, open_relation
):
    cluster.stop("fast")
    log = tmp_path / "data.log"
    with futures.ThreadPoolExecutor() as pool:
        try:
            server = pool.submit(Relationd, tmp_path / "data", store=store)
            until(
                lambda: log.exists() and "waiting for the database" in log.read_text(),
                "the log does not tell")
            assert not server.done()
        finally:
            cluster.start()
        with server.result(SECONDS) as running:
            ann, bob = People(open_relation(running))(2)
            add(open_relation(running), ann, bob)


def test_a_server_that_waits_for_its_database_stops_when_it_is_told_to():
    with waiting("postgresql://127.0.0.1:1/none") as (process, line):
        assert "waiting for the database" in line
        process.send_signal(signal.SIGTERM)
        process.wait(5)


def test_init_says_at_once_that_the_database_is_away():
    status, said = relationd("init", "--store", "postgresql://127.0.0.1:1/none")
    assert status != 0 and "the database is not there" in said and "refused" in said


def test_a_database_without_tables_is_not_served(empty):
    said = refused_to_serve(empty)
    assert "has no tables of this program" in said and "relationd init" in said
    assert content(empty) == {}


@pytest.mark.parametrize("name", ["relation_kv", "relation_store", "relation_server"])
def test_a_table_of_another_program_is_refused_and_left_alone(empty, name):
    psql(empty, f"CREATE TABLE {name} (name text, number int)")
    psql(empty, f"INSERT INTO {name} VALUES ('theirs', 1)")
    before = content(empty)
    status, said = relationd("init", "--store", empty)
    assert status != 0 and name in said, said
    # A server looks for the rows, and says whose they are.
    words = "of another program" if name == "relation_kv" else "no tables of this program"
    assert words in refused_to_serve(empty)
    assert content(empty) == before


@pytest.mark.parametrize(
    "change, words",
    [
        ("SET value = '99' WHERE name = 'format'", "format 99"),
        ("SET value = '1' WHERE name = 'format'", "format 1"),
        ("SET value = 'x' WHERE name = 'format'", "names no format"),
        ("SET value = '99' WHERE name = 'tables'", "form 99"),
        ("SET name = 'other' WHERE name = 'tables'", "form of another program"),
    ],
)
def test_a_store_of_another_version_is_refused_and_left_alone(store, change, words):
    psql(store, f"UPDATE relation_store {change}")
    before = content(store)
    assert words in refused_to_serve(store)
    status, said = relationd("init", "--store", store)
    assert status != 0 and words in said, said
    assert content(store) == before


@pytest.mark.parametrize("loss, words", [
    ("DROP TABLE relation_writer", "lacks the table relation_writer"),
    ("DROP TABLE relation_note", "lacks the table relation_note"),
    ("ALTER TABLE relation_kv DROP CONSTRAINT relation_kv_pkey",
     "lacks the primary key (p, k) of relation_kv"),
])  # fmt: skip
def test_a_store_that_is_not_whole_is_not_served(store, loss, words):
    psql(store, loss)
    assert words in refused_to_serve(store)
    status, said = relationd("init", "--store", store)
    assert status != 0 and words in said, said


@pytest.mark.parametrize("loss, back", [
    ("ALTER TABLE relation_writer RENAME TO lost", "ALTER TABLE lost RENAME TO relation_writer"),
    ("ALTER TABLE relation_note RENAME TO lost", "ALTER TABLE lost RENAME TO relation_note"),
])  # fmt: skip
def test_health_tells_that_a_table_is_gone_and_that_it_is_back(
    store, tmp_path, open_relation, loss, back
):
    with Relationd(tmp_path / "data", store=store) as server:
        relation = open_relation(server)
        assert health(relation.channel) == 1
        psql(store, loss)
        until(lambda: health(relation.channel) != 1, "health does not tell")
        psql(store, back)
        until(lambda: health(relation.channel) == 1, "health does not come back")
        ann, bob = People(relation)(2)
        add(relation, ann, bob)


def test_rows_of_the_format_before_are_upgraded_by_init(store, tmp_path, open_relation):
    with Relationd(tmp_path / "data", store=store) as server:
        relation = open_relation(server)
        ann, bob = People(relation)(2)
        add(relation, ann, bob)
    psql(store, "UPDATE relation_store SET value = '5' WHERE name = 'format'")
    assert "the format 5" in refused_to_serve(store)
    assert "`relationd init` brings them to it" in refused_to_serve(store)
    status, said = relationd("init", "--list-keys", "--store", store)
    assert status == 0 and "has format 6 now" in said, said
    with Relationd(tmp_path / "data", store=store) as server:
        assert friends(open_relation(server), ann) == [bob]


# Poolers


@pytest.fixture
def bouncer(cluster, store, tmp_path):
    """Starts PgBouncer before the store with a mode of pooling, and returns the address."""
    with contextlib.ExitStack() as stack:

        def start(mode):
            folder = Path(tempfile.mkdtemp(prefix="relation-bouncer-"))
            stack.callback(shutil.rmtree, folder)
            name = store.rpartition("/")[2]
            settings = folder / "pgbouncer.ini"

            def command(port):
                settings.write_text(
                    f"[databases]\n{name} = host=127.0.0.1 port={cluster.port} user=postgres\n"
                    f"[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\n"
                    f"unix_socket_dir =\nauth_type = any\npool_mode = {mode}\n"
                    "max_client_conn = 300\ndefault_pool_size = 90\n"
                    "ignore_startup_parameters = extra_float_digits\n")
                words = ["/usr/sbin/pgbouncer", "-q", str(settings)]
                return ["runuser", "-u", "postgres", "--", *words] if os.geteuid() == 0 else words

            if os.geteuid() == 0:
                folder.chmod(0o755)
            process, port = ports.launched(
                command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/")
            stack.callback(process.wait, SECONDS)
            stack.callback(process.terminate)
            address = store.replace(f":{cluster.port}", f":{port}")
            until(lambda: answers(address), "the pooler does not start")
            return address

        yield start


def answers(address):
    done = subprocess.run(["psql", address, "-c", "SELECT 1"], capture_output=True, check=False)
    return done.returncode == 0


def test_a_pooler_of_transactions_is_refused_by_name(bouncer):
    said = refused_to_serve(bouncer("transaction"))
    assert "a pooler between this server and the database gives one session" in said
    assert "session pooling" in said


def test_a_pooler_of_sessions_is_served(bouncer, tmp_path, open_relation):
    with Relationd(tmp_path / "data", store=bouncer("session")) as server:
        relation = open_relation(server)
        ann, bob = People(relation)(2)
        add(relation, ann, bob)
        assert friends(relation, ann) == [bob]


# Settings


def test_a_folder_and_a_database_are_refused_together(tmp_path):
    address = "postgresql://127.0.0.1:1/none"
    status, said = relationd("serve", "--store", address, "--data", tmp_path / "data")
    assert status == 64 and "--data and --store cannot be used together" in said
    status, said = relationd(
        "serve", RELATIOND_STORE=address, RELATIOND_DATA=str(tmp_path / "data"))
    assert status == 64
    assert "RELATIOND_DATA and RELATIOND_STORE cannot be used together" in said
    assert not (tmp_path / "data").exists()


def test_a_backup_is_not_restored_into_a_database(tmp_path):
    address = "postgresql://127.0.0.1:1/none"
    backup = ["--from", tmp_path / "backup"]
    status, said = relationd("restore", *backup, "--store", address)
    assert status == 64 and "--store" in said
    status, said = relationd("restore", *backup, RELATIOND_STORE=address)
    assert status == 64 and "needs a folder, and RELATIOND_STORE names a database" in said
    file = tmp_path / "settings.yaml"
    file.write_text(f"store: {address}\n")
    status, said = relationd("restore", *backup, "--config", file)
    assert status == 64 and "names a database" in said


@pytest.mark.parametrize(
    "call, fields",
    [
        ("CreateBackup", {}),
        ("ListBackups", {}),
        ("ReadBackup", {"name": "20260101T000000Z", "path": "backup.json"}),
    ],
)
def test_a_database_has_no_backups_of_the_server(store, tmp_path, open_relation, call, fields):
    with Relationd(tmp_path / "data", store=store) as server:
        relation = open_relation(server)
        request = relation.stubs.request(call, fields)
        refused = refusal(relation.start(call), request, timeout=20)
    assert refused.code is grpc.StatusCode.FAILED_PRECONDITION, refused
    assert refused.reason == "BACKUPS_UNAVAILABLE", refused


# Passwords


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://me:{}@127.0.0.1:1/none",
        "postgres://me:{}@127.0.0.1:1/none",
        "postgresql://127.0.0.1:1/none?user=me&password={}",
        "postgresql://127.0.0.1:1/none?user=me&sslpassword={}",
    ],
)
@pytest.mark.parametrize("command", ["serve", "init"])
def test_a_secret_in_an_address_is_refused_and_not_repeated(tmp_path, address, command):
    address = address.format(PASSWORD)
    file = tmp_path / "settings.yaml"
    file.write_text(f"store: {address}\n")
    for words, variables, place in (
        (["--store", address], {}, "--store"),
        ([], {"RELATIOND_STORE": address}, "RELATIOND_STORE"),
        (["--config", file], {}, f"{file}:1: store"),
    ):
        status, said = relationd(command, *words, **variables)
        assert status == 64 and f"{place} takes" in said and "without a password" in said, said
        assert PASSWORD not in said


@pytest.mark.parametrize("source", ["RELATIOND_STORE_PASSWORD", "PGPASSFILE"])
def test_a_password_opens_the_database_and_is_never_repeated(
    guarded, tmp_path, open_relation, monkeypatch, source
):
    give(monkeypatch, tmp_path, source, PASSWORD)
    said = relationd("init", "--store", guarded)[1]
    with Relationd(tmp_path / "data", "--log-level", "trace", store=guarded) as server:
        ann, bob = People(open_relation(server))(2)
        add(open_relation(server), ann, bob)
        with open(f"/proc/{server.process.pid}/cmdline", encoding="utf-8") as command:
            assert PASSWORD not in command.read()
    said += server.log + relationd("config", "show", "--store", guarded)[1]
    assert PASSWORD not in said


@pytest.mark.parametrize("source", ["RELATIOND_STORE_PASSWORD", "PGPASSFILE"])
def test_a_wrong_password_is_refused_in_words_that_do_not_repeat_it(
    guarded, tmp_path, monkeypatch, source
):
    wrong = "wrong-" + PASSWORD
    give(monkeypatch, tmp_path, source, wrong)
    status, said = relationd("init", "--store", guarded)
    assert status != 0 and "password authentication failed" in said, said
    with waiting(guarded) as (_, line):
        assert "password authentication failed" in line
        assert wrong not in said + line


def test_a_missing_password_is_refused_in_words(guarded):
    status, said = relationd("init", "--store", guarded, PGPASSFILE="/dev/null")
    assert status != 0 and "it asks for a password, and none was given" in said, said


def give(monkeypatch, tmp_path, source, password):
    """Gives a password to the programs that the test starts."""
    if source == "PGPASSFILE":
        file = tmp_path / "passwords"
        file.touch(mode=0o600)
        file.write_text(f"127.0.0.1:*:*:guarded:{password}\n")
        password = str(file)
    monkeypatch.setenv(source, password)


# TLS


def test_a_database_shows_a_certificate_of_the_named_authority(
    store, tmp_path, authority, open_relation
):
    address = f"{store}?sslmode=verify-full&sslrootcert={authority.path}"
    with Relationd(tmp_path / "data", store=address) as server:
        ann, bob = People(open_relation(server))(2)
        add(open_relation(server), ann, bob)
        plain = psql(
            store, "SELECT count(*) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) "
            "WHERE application_name = 'relationd' AND datname = current_database() AND NOT ssl")
        assert plain == "0"


def test_a_certificate_of_another_authority_is_refused_in_words(empty, tmp_path):
    other = Authority(tmp_path, "other")
    address = f"{empty}?sslmode=verify-full&sslrootcert={other.path}"
    status, said = relationd("init", "--store", address)
    assert status != 0 and "certificate verify failed" in said, said
    with waiting(address) as (_, line):
        assert "certificate verify failed" in line
    assert content(empty) == {}


# Faults while a server runs


def test_a_database_that_takes_no_writes_refuses_them_and_keeps_nothing_of_them(
    cluster, store, tmp_path, open_relation
):
    with Relationd(tmp_path / "data", store=store) as server:
        relation = open_relation(server)
        ann, bob, cid, *more = People(relation)(6)
        add(relation, ann, bob)
        administer(cluster, "ALTER SYSTEM SET default_transaction_read_only = on")
        try:
            administer(cluster, "SELECT pg_reload_conf()")
            until(lambda: psql(store, "SHOW default_transaction_read_only") == "on", "no reload")
            refused = [fails_to_add(relation, ann, user) for user in (cid, *more)]
        finally:
            administer(cluster, "ALTER SYSTEM RESET default_transaction_read_only")
            administer(cluster, "SELECT pg_reload_conf()")
        until(lambda: health(relation.channel) == 1, "health does not come back")
        assert friends(relation, ann) == [bob]
        assert [friends(relation, user) for user in (cid, *more)] == [[]] * 4
        add(relation, ann, cid)
        assert integrity_findings(relation) == []
    assert {one.code for one in refused} == {grpc.StatusCode.UNAVAILABLE}, refused


@pytest.fixture
def standby(cluster, store):
    """A server that follows the first one."""
    made = Cluster({"hot_standby": "on"}, following=cluster)
    yield made
    made.remove()


def test_a_standby_is_not_served_until_it_takes_over(store, standby, tmp_path, open_relation):
    address = f"{standby.address}/{store.rpartition('/')[2]}"
    status, said = relationd("init", "--store", address)
    assert status != 0 and "read-only" in said, said
    # An address that takes any server leads to a store that cannot be written.
    said = refused_to_serve(f"{address}?target_session_attrs=any")
    assert "read-only" in said and "cannot listen" not in said, said
    log = tmp_path / "data.log"
    with futures.ThreadPoolExecutor() as pool:
        server = pool.submit(Relationd, tmp_path / "data", store=address)
        until(lambda: log.exists() and "read-only" in log.read_text(), "the log does not tell")
        standby.promote()
        with server.result(SECONDS) as running:
            ann, bob = People(open_relation(running))(2)
            add(open_relation(running), ann, bob)


def test_a_write_is_not_answered_before_a_synchronous_standby_has_it(
    cluster, store, standby, tmp_path, open_relation
):
    administer(cluster, "ALTER SYSTEM SET synchronous_standby_names = '*'")
    try:
        administer(cluster, "SELECT pg_reload_conf()")
        state = "SELECT sync_state FROM pg_stat_replication"
        until(lambda: administer(cluster, state) == "sync", "the standby does not follow")
        with Relationd(tmp_path / "data", store=store) as server:
            relation = open_relation(server)
            ann, bob = People(relation)(2)
            standby.stop()
            fields = {"user_id": ann, "items": [{"user_id": bob}], "force": True}
            request = relation.stubs.request("AddFriends", fields)
            call = relation.start("AddFriends").future(request, timeout=5)
            # The primary has the write, and its answer is cut off.
            cut = (
                "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
                "WHERE wait_event = 'SyncRep' AND query LIKE 'INSERT INTO relation_writer%'")
            until(lambda: administer(cluster, cut) != "0", "no write waits for the standby")
            error = call.exception()
            standby.start()
            until(lambda: health(relation.channel) == 1, "health does not come back")
            relation("AddFriends", **fields)
            assert friends(relation, ann) == [bob]
        assert error is not None, "the write was answered"
        assert error.code() in PASSING
    finally:
        administer(cluster, "ALTER SYSTEM RESET synchronous_standby_names")
        administer(cluster, "SELECT pg_reload_conf()")


@pytest.fixture
def small(cluster):
    """The address of a store on a disk of a few megabytes, and the folder of that disk."""
    if os.geteuid() != 0:
        pytest.skip("only root can mount a small disk")
    place = cluster.folder / "small"
    place.mkdir()
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", place], capture_output=True, text=True)
    if done.returncode != 0:
        pytest.skip(f"this machine allows no mount: {done.stderr}")
    os.chown(place, (cluster.data / "PG_VERSION").stat().st_uid, -1)
    try:
        administer(cluster, f"CREATE TABLESPACE small LOCATION '{place}'")
        with database(cluster, "TABLESPACE small") as address:
            init(address, "--list-keys")
            yield address, place
        administer(cluster, "DROP TABLESPACE small")
    finally:
        subprocess.run(["umount", "-l", place], check=True)


def test_a_full_disk_refuses_writes_and_reads_go_on(small, tmp_path, open_relation):
    address, disk = small
    with Relationd(tmp_path / "data", store=address) as server:
        relation = open_relation(server)
        people = People(relation)
        ann, *others = people(600)
        add(relation, ann, others[0])
        ballast = disk / "ballast"
        with contextlib.suppress(OSError), open(ballast, "wb", buffering=0) as file:
            while True:
                file.write(bytes(4096))
        refused, there = [], {others[0]}
        for user in others[1:]:
            try:
                add(relation, ann, user)
                there.add(user)
            except grpc.RpcError as error:
                refused.append(error.code())
                if len(refused) == 20:
                    break
            assert set(friends(relation, ann)) == there
        wanted = {grpc.StatusCode.RESOURCE_EXHAUSTED, grpc.StatusCode.UNAVAILABLE}
        assert refused and set(refused) <= wanted, refused
        full = fails_to_add(relation, ann, others[-1])
        assert full.reason == "DISK_LOW", full
        assert health(relation.channel) == 1
        ballast.unlink()
        add(relation, ann, others[-1])
        assert set(friends(relation, ann)) == there | {others[-1]}
        assert integrity_findings(relation) == []


@pytest.fixture
def slow(cluster, store):
    """A proxy before the database, and the address of a store behind it."""
    proxy = StallingProxy(cluster.port)
    address = store.replace(f":{cluster.port}", f":{proxy.port}")
    yield proxy, f"{address}?sslmode=disable&gssencmode=disable"
    proxy.close()


def test_a_server_beside_a_database_that_hangs_stops_when_it_is_told_to(
    slow, tmp_path, open_relation
):
    proxy, address = slow
    server = Relationd(tmp_path / "data", store=address)
    try:
        relation = open_relation(server)
        ann, bob, cid = People(relation)(3)
        add(relation, ann, bob)
        proxy.stall()
        with futures.ThreadPoolExecutor(2) as threads:
            calls = [
                threads.submit(fails_to_add, relation, ann, cid, timeout=60),
                threads.submit(
                    refusal, relation, "ListFriends", user_id=ann, page_size=5, timeout=60),
            ]
            until(lambda: health(relation.channel) != 1, "health does not tell")
            server.process.send_signal(signal.SIGTERM)
            # It gives the database five seconds, and its supervisor kills it after thirty.
            assert server.process.wait(20) == 0
            assert {call.result().code for call in calls} <= PASSING
    finally:
        proxy.go_on()
        if server.process.poll() is None:
            server.process.kill()


def test_calls_to_a_database_that_stalls_end_and_are_answered_when_it_goes_on(
    slow, tmp_path, open_relation
):
    proxy, address = slow
    with Relationd(tmp_path / "data", store=address) as server:
        relation = open_relation(server)
        ann, bob, cid = People(relation)(3)
        add(relation, ann, bob)
        proxy.stall()
        began = time.monotonic()
        write = fails_to_add(relation, ann, cid, timeout=1)
        read = refusal(relation, "ListFriends", user_id=ann, page_size=5, timeout=1)
        until(lambda: health(relation.channel) != 1, "health does not tell")
        late = refusal(relation, "ListFriends", user_id=ann, page_size=5, timeout=20)
        assert time.monotonic() - began < 10
        proxy.go_on()
        until(lambda: health(relation.channel) == 1, "health does not come back")
        assert {write.code, read.code} <= PASSING - {grpc.StatusCode.UNKNOWN}
        assert late.code is grpc.StatusCode.UNAVAILABLE
        # The write may be there already: its caller was not told.
        relation("AddFriends", user_id=ann, items=[{"user_id": cid}], force=True)
        assert friends(relation, ann) == [bob, cid]
        assert integrity_findings(relation) == []


def test_connections_that_fall_silent_for_ever_are_given_up(slow, tmp_path, open_relation):
    proxy, address = slow
    with Relationd(tmp_path / "data", store=address) as server:
        relation = open_relation(server)
        ann, bob, cid = People(relation)(3)
        add(relation, ann, bob)
        proxy.forget()
        until(lambda: health(relation.channel) != 1, "health does not tell")
        # New connections find the database.
        until(lambda: health(relation.channel) == 1, "health does not come back")
        assert friends(relation, ann) == [bob]
        add(relation, ann, cid)


def test_presence_is_empty_after_a_crash_of_the_database(
    cluster, store, open_relation, tmp_path
):
    with (
        Relationd(tmp_path / "one", store=store) as first,
        Relationd(tmp_path / "other", store=store) as second,
    ):
        one, other = open_relation(first), open_relation(second)
        ann, bob = People(one)(2)
        add(one, ann, bob)
        item = {"user_id": bob, "device_id": "phone", "online": True, "lease_seconds": 3600}
        one("ReportPresence", items=[item])
        until(lambda: is_online(other, ann, bob), "the presence is not shared")
        watcher = Watching(other, user_id=ann)
        watcher.state()
        cluster.stop("immediate")
        cluster.start()
        event = watcher.until(lambda event: event.kind == PRESENCE)[-1]
        assert not event.items[0].presence.online
        until(lambda: is_gone(one, ann, bob) and is_gone(other, ann, bob), "the presence stays")
        one("ReportPresence", items=[item])
        until(lambda: is_online(other, ann, bob), "the presence is not shared anew")
        watcher.stream.cancel()


def test_a_database_that_lost_data_is_refused_until_another_history_begins(stubs, tmp_path):
    """The database's folder is put back as it was, while the servers run."""
    cluster = Cluster()
    saved = cluster.folder / "saved"
    try:
        store = f"{cluster.address}/postgres"
        init(store, "--list-keys")
        with Relationd(tmp_path / "first", store=store) as server:
            with grpc.insecure_channel(server.address) as channel:
                relation = Relation(stubs, channel)
                ann, bob = People(relation)(2)
                watcher = Watching(relation, user_id=ann)
                watcher.state()
                cluster.stop("fast")
                subprocess.run(["cp", "-a", cluster.data, saved], check=True)
                cluster.start()
                until(lambda: adds(relation, ann, bob), "the server does not come back")
                watcher.event()
                watcher.stream.cancel()
                cluster.stop("immediate")
                subprocess.run(["rm", "-r", cluster.data], check=True)
                saved.rename(cluster.data)
                cluster.start()
                until(lambda: "gone back to an earlier moment" in server.log, "nothing is said")
                refused = refusal(relation, "CheckFriends", user_id=ann, user_ids=[bob])
                assert refused.code is grpc.StatusCode.UNAVAILABLE
                assert health(channel) != 1
            # The lease that it had then has not run out, however slow this machine is.
            psql(store, "UPDATE relation_server SET until = now() + interval '1 hour'")
            status, said = relationd("init", "--restored", "--store", store)
            assert status != 0 and "servers run" in said
        status, said = relationd("init", "--restored", "--store", store)
        assert status == 0 and "another history of all apps has begun" in said, said
        with Relationd(tmp_path / "second", store=store) as server:
            with grpc.insecure_channel(server.address) as channel:
                relation = Relation(stubs, channel)
                # The token is of the history before, so the stream begins with the present state.
                again = Watching(relation, user_id=ann, resume_token=watcher.token)
                assert again.event().kind == RESYNC
                again.stream.cancel()
                assert not relation("ListFriends", user_id=ann, page_size=10).friends
    finally:
        cluster.remove()


def is_gone(relation, viewer, user):
    """Whether the user is offline; false as long as the server gives no answer."""
    try:
        return not is_online(relation, viewer, user)
    except grpc.RpcError:
        return False
