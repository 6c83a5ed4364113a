"""Several servers on one database: each call on any of them, and the same answers from all."""

import os
import re
import subprocess
import time
import uuid
from concurrent import futures

import grpc
import pytest
from credentials import Keys, bearer, sign, usersig
from erasing import MARK, erase, fill, named
from people import People, codes
from postgres import Cluster
from refusals import refusal
from relationd import Relationd, executable
from stubs import Relation
from test_metrics import metrics
from watching import Watching

PRESENCE = 122


@pytest.fixture(scope="module")
def cluster():
    """A PostgreSQL for the tests of this file, which may stop it and cut its connections."""
    made = Cluster()
    yield made
    made.remove()


@pytest.fixture
def store(cluster):
    """The address of an empty database with the tables of a store."""
    name = "shared_" + uuid.uuid4().hex
    psql(f"{cluster.address}/postgres", f"CREATE DATABASE {name}")
    address = f"{cluster.address}/{name}"
    init(address, "--list-keys")
    yield address
    psql(f"{cluster.address}/postgres", f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def serve(store, tmp_path):
    """Starts servers of the store, each stopped at the end."""
    started = []

    def begin(*arguments, **options):
        data = tmp_path / f"server{len(started)}"
        started.append(Relationd(data, *arguments, store=store, **options))
        return started[-1]

    yield begin
    for running in started:
        if running.process.poll() is None:
            assert running.stop() == 0, running.log


def psql(address, command):
    done = subprocess.run(
        ["psql", "-qXAt", "-v", "ON_ERROR_STOP=1", address, "-c", command], capture_output=True,
        text=True, check=True)  # fmt: skip
    return done.stdout.strip()


def init(address, *arguments):
    done = subprocess.run(
        [executable("relationd"), "init", "--store", address, *arguments], capture_output=True,
        text=True, check=True, timeout=30)  # fmt: skip
    return done.stdout.strip()


@pytest.fixture
def pair(serve, stubs):
    """Clients of two servers."""
    servers = serve(), serve()
    channels = [grpc.insecure_channel(server.address) for server in servers]
    yield [Relation(stubs, channel) for channel in channels]
    for channel in channels:
        channel.close()


def add(relation, user, other):
    answer = relation("AddFriends", user_id=user, items=[{"user_id": other}], force=True)
    assert codes(answer) == [0]


def friends(relation, user):
    return [row.user_id for row in relation("ListFriends", user_id=user, page_size=100).friends]


def integrity_findings(relation):
    answers = relation.start("CheckIntegrity")(
        relation.stubs.request("CheckIntegrity", {}), timeout=300, metadata=relation.metadata)
    return [answer.finding for answer in answers if answer.WhichOneof("answer") == "finding"]


def test_a_write_on_one_server_is_read_on_the_other(pair):
    one, other = pair
    ann, bob, cid = People(one)(3)
    add(one, ann, bob)
    assert friends(other, ann) == [bob]
    add(other, ann, cid)
    assert friends(one, ann) == [bob, cid]
    assert friends(one, cid) == [ann]


def test_writes_of_both_servers_make_one_log_without_gaps(pair):
    one, other = pair
    ann, *others = People(one)(41)
    log = Watching(one, user_id=ann)
    log.state()
    with futures.ThreadPoolExecutor(8) as threads:
        list(threads.map(add, [one, other] * 20, [ann] * 40, others))
    assert sorted(friends(other, ann)) == sorted(others)
    events = [log.event() for _ in others]
    first = events[0].sequence
    assert [event.sequence for event in events] == list(range(first, first + 40))
    for relation in pair:
        assert integrity_findings(relation) == []


def test_a_watcher_on_one_server_sees_what_is_written_on_the_other(pair):
    one, other = pair
    ann, *others = People(one)(9)
    watching = [Watching(relation, user_id=ann) for relation in pair]
    for watcher in watching:
        watcher.state()
    for relation, user in zip([one, other] * 4, others, strict=True):
        add(relation, ann, user)
    seen = [
        [item.user_id for _ in others for item in watcher.event().items] for watcher in watching]
    assert seen == [others, others]


def test_a_stream_goes_on_at_another_server_where_it_broke(pair):
    one, other = pair
    ann, *others = People(one)(7)
    watcher = Watching(one, user_id=ann)
    watcher.state()
    for user in others[:3]:
        add(other, ann, user)
    seen = [watcher.event().items[0].user_id for _ in range(2)]
    watcher.stream.cancel()
    for user in others[3:]:
        add(one, ann, user)
    again = Watching(other, user_id=ann, resume_token=watcher.token)
    seen += [again.event().items[0].user_id for _ in range(4)]
    assert seen == others


def test_a_reader_is_fenced_by_one_at_another_server(pair):
    one, other = pair
    People(one)(1)
    first = one("AcquireConsumer", consumer="orders", start="CONSUMER_START_NOW").consumer
    holder = {"consumer": "orders", "reader": first.reader}
    stream = Watching(one, app=True, consumer=holder)
    stream.next()
    refused = refusal(other, "AcquireConsumer", consumer="orders")
    assert refused.reason == "CONSUMER_BUSY"
    second = other("AcquireConsumer", consumer="orders", take_over=True).consumer
    begun = time.monotonic()
    refused = refusal(one, "AcknowledgeChanges", **holder, resume_token=stream.token)
    assert refused.reason == "READER_FENCED"
    assert stream.refusal().reason == "READER_FENCED"
    assert time.monotonic() - begun < 3
    with Watching(other, app=True, consumer={"consumer": "orders", "reader": second.reader}) as next:
        assert next.next().resume_token


def test_a_request_id_is_known_on_all_servers(pair):
    one, other = pair
    ann, bob, cid = People(one)(3)
    first = one(
        "AddFriends", user_id=ann, options={"request_id": "r1"}, items=[{"user_id": bob}], force=True)
    again = other(
        "AddFriends", user_id=ann, options={"request_id": "r1"}, items=[{"user_id": bob}], force=True)
    assert again.results == first.results and again.sequence == first.sequence
    refused = refusal(
        other, "AddFriends", user_id=ann, options={"request_id": "r1"},
        items=[{"user_id": cid}], force=True)
    assert refused.reason == "REQUEST_ID_REUSED"


def test_the_sequence_of_a_write_is_reached_on_all_servers(pair):
    one, other = pair
    ann, bob = People(one)(2)
    written = one("AddFriends", user_id=ann, items=[{"user_id": bob}], force=True)
    read = other(
        "ListFriends", user_id=ann, options={"min_sequence": {"sequence": written.sequence}}, page_size=5)
    assert [row.user_id for row in read.friends] == [bob]


def test_a_revoked_key_opens_no_server_from_the_answer_on(serve, store, stubs):
    operator = init(store, "--replace-key")
    channels = [grpc.insecure_channel(serve(insecure=False).address) for _ in range(3)]
    keys = Keys(stubs, channels[0], operator)
    app = keys.app()
    # Each server knows the app at once, and the key.
    for _ in range(5):
        made = keys.as_operator(app)("CreateCredential", scopes=["SCOPE_ADMIN"])
        named = [bearer(made.key), ("x-app-id", str(app))]
        callers = [Relation(stubs, channel, named) for channel in channels]
        for caller in callers:
            assert caller("GetApp").app.app_id == app
        keys.as_operator(app)("RevokeCredential", credential_id=made.credential.credential_id)
        for caller in callers:
            assert refusal(caller, "GetApp").code is grpc.StatusCode.UNAUTHENTICATED


def test_ended_sessions_open_no_server_from_the_answer_on(serve, store, stubs):
    operator = init(store, "--replace-key")
    channels = [grpc.insecure_channel(serve(insecure=False).address) for _ in range(3)]
    keys = Keys(stubs, channels[0], operator)
    app = keys.app()
    secret = keys.secret(app)
    names = [f"u{number}" for number in range(6)]
    keys.accounts(app, *names)
    ends = [
        Relation(stubs, channel, [bearer(operator), ("x-app-id", str(app))]) for channel in channels
    ]
    tokens = {name: usersig(sign(app, secret, name)) for name in names}
    for place, name in enumerate(names):
        callers = [Relation(stubs, channel, [tokens[name]]) for channel in channels]
        for caller in callers:
            assert caller("GetSelfProfile").profile.user_id == name
        # Each server in turn: what one commits, another must have read though it commits too.
        ahead = int(time.time() * 1000) + 30_000
        ends[place % 3]("RevokeUserSessions", user_ids=[name], before_time_ms=ahead)
        for caller in callers:
            refused = refusal(caller, "GetSelfProfile")
            assert (refused.code, refused.reason) == (
                grpc.StatusCode.UNAUTHENTICATED, "SESSION_REVOKED")
    for channel in channels:
        channel.close()


def test_two_servers_that_end_sessions_at_once_both_know_all_of_them(serve, store, stubs):
    operator = init(store, "--replace-key")
    channels = [grpc.insecure_channel(serve(insecure=False).address) for _ in range(2)]
    keys = Keys(stubs, channels[0], operator)
    app = keys.app()
    secret = keys.secret(app)
    names = [f"u{number}" for number in range(40)]
    keys.accounts(app, *names)
    tokens = {name: usersig(sign(app, secret, name)) for name in names}
    ahead = int(time.time() * 1000) + 30_000

    def end(place):
        caller = Relation(
            stubs, channels[place], [bearer(operator), ("x-app-id", str(app))])
        for name in names[place::2]:
            caller("RevokeUserSessions", user_ids=[name], before_time_ms=ahead)

    with futures.ThreadPoolExecutor() as pool:
        list(pool.map(end, range(2)))
    for channel in channels:
        for name in names:
            refused = refusal(Relation(stubs, channel, [tokens[name]]), "GetSelfProfile")
            assert refused.reason == "SESSION_REVOKED", name
        channel.close()


def test_a_stream_on_another_server_ends_with_the_session(serve, store, stubs):
    operator = init(store, "--replace-key")
    channels = [grpc.insecure_channel(serve(insecure=False).address) for _ in range(2)]
    keys = Keys(stubs, channels[0], operator)
    app = keys.app()
    secret = keys.secret(app)
    keys.accounts(app, "ann", "bob")
    callers = [
        Relation(stubs, channels[1], [usersig(sign(app, secret, name))]) for name in ("ann", "bob")]
    ended, other = (Watching(caller, timeout=30) for caller in callers)
    ended.state()
    other.state()
    first = Relation(stubs, channels[0], [bearer(operator), ("x-app-id", str(app))])
    first("RevokeUserSessions", user_ids=["ann"], before_time_ms=int(time.time() * 1000) + 30_000)
    refused = ended.refusal()
    assert (refused.code, refused.reason) == (
        grpc.StatusCode.UNAUTHENTICATED, "SESSION_REVOKED")
    # The stream of the other user goes on.
    first("UpdateProfile", user_id="bob", profile={"nick": "Bob"})
    assert other.event().items[0].profile.nick == "Bob"
    for channel in channels:
        channel.close()


def test_a_key_of_init_is_good_while_servers_run(serve, store, stubs):
    server = serve(insecure=False)
    operator = init(store, "--replace-key")
    with grpc.insecure_channel(server.address) as channel:
        assert Keys(stubs, channel, operator).app()


def test_settings_of_an_app_hold_on_all_servers_from_the_answer_on(pair):
    one, other = pair
    for limit in (5, 7, 9):
        one("UpdateApp", settings={"log_events": limit})
        assert other("GetApp").app.settings.log_events == limit


def test_presence_that_is_reported_on_one_server_is_known_on_all(pair):
    one, other = pair
    ann, bob = People(one)(2)
    add(one, ann, bob)
    watcher = Watching(other, user_id=ann)
    watcher.state()
    item = {"user_id": bob, "device_id": "phone", "online": True, "lease_seconds": 60}
    assert codes(one("ReportPresence", items=[item])) == [0]
    told = watcher.event()
    assert (told.kind, told.items[0].presence.online) == (PRESENCE, True)
    assert is_online(other, ann, bob)
    # The other server takes the device's next report.
    assert codes(other("ReportPresence", items=[{**item, "online": False}])) == [0]
    wait(10, lambda: not is_online(one, ann, bob))


def test_the_presence_that_was_reported_last_holds_on_all_servers(pair):
    one, other = pair
    ann, bob = People(one)(2)
    item = {"user_id": bob, "device_id": "phone", "online": True, "lease_seconds": 60}
    for _ in range(50):
        # The second report is sent at once after the answer to the first one.
        for first, second in (pair, pair[::-1]):
            assert codes(first("ReportPresence", items=[{**item, "online": False}])) == [0]
            assert codes(second("ReportPresence", items=[item])) == [0]
            assert is_online(second, ann, bob)
            # What the other server heard last is what it stays with.
            wait(10, lambda: all(is_online(relation, ann, bob) for relation in pair))
    time.sleep(0.2)
    assert all(is_online(relation, ann, bob) for relation in pair)


def test_of_reports_with_a_time_the_latest_holds_whichever_server_takes_it(pair):
    one, other = pair
    ann, bob = People(one)(2)
    begin = int(time.time() * 1000) - 50_000
    with futures.ThreadPoolExecutor(2) as threads:
        for number in range(1, 41):
            # The two are sent at the same time; every second time the earlier report is online.
            online = number % 2 == 0
            item = {"user_id": bob, "device_id": "phone", "lease_seconds": 3600}
            early = {**item, "online": not online, "report_time_ms": begin + 10 * number}
            late = {**item, "online": online, "report_time_ms": begin + 10 * number + 5}
            first, second = pair[:: 1 if number % 4 < 2 else -1]
            sent = [threads.submit(first, "ReportPresence", items=[early]),
                    threads.submit(second, "ReportPresence", items=[late])]  # fmt: skip
            assert [codes(answer.result()) for answer in sent] == [[0], [0]]
            wait(10, lambda: all(is_online(relation, ann, bob) == online for relation in pair))
            [result] = second("ReportPresence", items=[early]).results
            assert (result.changed, result.info) == (False, "Err_PresenceReport_Outdated")
            assert all(is_online(relation, ann, bob) == online for relation in pair)


def test_exports_of_many_apps_leave_connections_to_streams(pair):
    relation = pair[0]
    for number in range(70):
        app = relation.in_app(relation("CreateApp").app.app_id)
        export = app.start("ExportApp")(
            relation.stubs.request("ExportApp", {}), timeout=60, metadata=app.metadata)
        assert list(export)[-1].HasField("point"), number
    ann, bob = People(relation)(2)
    add(relation, ann, bob)
    assert Watching(relation, user_id=ann).state()
    assert integrity_findings(relation) == []


def lock_of(app):
    """The number of an app's advisory lock: the FNV-1a of its partition."""
    number = 0xCBF29CE484222325
    for byte in app.to_bytes(4, "big") + b"\x01@@\x00":
        number = (number ^ byte) * 0x100000001B3 % 2**64
    return number - 2**64 if number >= 2**63 else number


def test_an_app_whose_lock_is_held_elsewhere_waits_for_itself_alone(pair, store):
    one, other = pair
    ann, bob = People(one)(2)
    second = one("CreateApp", name="second").app.app_id
    relations = [relation.in_app(second) for relation in pair]
    cid, *others = People(relations[0])(51)
    holder = subprocess.Popen(
        ["psql", "-qXAt", store], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        holder.stdin.write(f"SELECT pg_advisory_lock({lock_of(1)});\n\\echo held\n")
        holder.stdin.flush()
        # The answer of the function is an empty line.
        assert [holder.stdout.readline() for _ in range(2)] == ["\n", "held\n"]
        with futures.ThreadPoolExecutor(1) as threads:
            waiting = threads.submit(add, one, ann, bob)
            for relation in relations:
                for user in others[:25]:
                    add(relation, cid, user)
                others = others[25:]
            third = other("CreateApp", name="third").app.app_id
            assert third not in (1, second)
            assert not waiting.done()
            holder.stdin.close()
            waiting.result(30)
    finally:
        holder.kill()
        holder.wait()
    assert friends(other, ann) == [bob]
    assert len(friends(relations[1], cid)) == 50


def test_a_server_that_starts_knows_the_presence_that_others_know(serve, stubs):
    with grpc.insecure_channel(serve().address) as channel:
        one = Relation(stubs, channel)
        ann, bob = People(one)(2)
        item = {"user_id": bob, "device_id": "phone", "online": True, "lease_seconds": 60}
        assert codes(one("ReportPresence", items=[item])) == [0]
        # Another server has it as soon as it is posted.
        with grpc.insecure_channel(serve().address) as second:
            wait(10, lambda: is_online(Relation(stubs, second), ann, bob))
        with grpc.insecure_channel(serve().address) as third:
            assert is_online(Relation(stubs, third), ann, bob)


def is_online(relation, viewer, user):
    (result,) = relation("GetPresence", user_id=viewer, user_ids=[user]).results
    return result.presence.online


def wait(seconds, ready):
    end = time.monotonic() + seconds
    while not ready():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.02)


def test_the_metrics_tell_of_the_database(serve, stubs):
    server = serve()
    with grpc.insecure_channel(server.address) as channel:
        relation = Relation(stubs, channel)
        ann, bob = People(relation)(2)
        watcher = Watching(relation, user_id=ann)
        watcher.state()
        add(relation, ann, bob)
        watcher.event()
        samples = metrics(server)
        watcher.stream.cancel()
    assert samples["relation_database_round_trips_total"] > 0
    assert samples["relation_database_connects_total"] > 0
    assert samples["relation_database_reruns_total"] == 0
    assert samples["relation_database_settled_total"] == 0
    assert samples['relation_database_connections_max{pool="writers"}'] > 0
    assert samples['relation_database_connections_used{pool="writers"}'] >= 0
    assert samples["relation_feed_lag_seconds_count"] > 0
    assert "relation_store_free_bytes" not in samples


def test_top_shows_the_database_in_place_of_a_disk(serve):
    server = serve()
    done = subprocess.run(
        [executable("relationctl"), "top", "--pages", server.pages, "--interval", "1",
         "--count", "1"], capture_output=True, text=True, timeout=60)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert not re.search(r"^disk |free|blocks|\?", done.stdout, re.M), done.stdout
    line = r"^database  round trips [1-9]\S*/s  reruns 0/s  connections \d+ of [1-9]\d*$"
    assert re.search(line, done.stdout, re.M), done.stdout


#: How often a call may ask the database, beside the last word of a transaction that ends.
ROUND_TRIPS = {
    "CheckFriends": (1, lambda ann, some: {"user_ids": some[:20]}),
    "CanSend": (1, lambda ann, some: {"user_ids": some[:20]}),
    "GetRelations": (1, lambda ann, some: {"user_ids": some[:20]}),
    "CheckBlacklist": (1, lambda ann, some: {"user_ids": some[:20]}),
    "GetProfiles": (1, lambda ann, some: {"user_ids": some[:20]}),
    "ListFriends": (1, lambda ann, some: {"page_size": 50}),
    # Each call adds another friend: one that is a friend already is a transaction of no change.
    "AddFriends": (2, lambda ann, some: {"items": [{"user_id": some.pop()}], "force": True}),
}
REPEATS = 40


def test_hot_calls_ask_the_database_as_seldom_as_they_are_said_to(serve, stubs):
    server = serve()
    asked = {}
    with grpc.insecure_channel(server.address) as channel:
        relation = Relation(stubs, channel)
        ann, *some = People(relation)(81)
        for user in some[:20]:
            add(relation, ann, user)
        for name, (_, fields) in ROUND_TRIPS.items():
            before = metrics(server)["relation_database_round_trips_total"]
            for _ in range(REPEATS):
                relation(name, user_id=ann, **fields(ann, some))
            after = metrics(server)["relation_database_round_trips_total"]
            # Once a second the server looks at the registry too.
            asked[name] = int((after - before) // REPEATS)
    assert asked == {name: most for name, (most, _) in ROUND_TRIPS.items()}


# Databases that let no server in


@pytest.mark.parametrize("change, words", [
    (("postgres@", "unknown@"), 'role "unknown" does not exist'),
    (("/shared_", "/other_"), "does not exist"),
])
@pytest.mark.parametrize("command", ["serve", "init"])
def test_a_database_that_refuses_for_good_is_not_waited_for(store, change, words, command):
    address = store.replace(*change)
    done = subprocess.run(
        [executable("relationd"), command, "--store", address,
         *(["--listen", "127.0.0.1:0"] if command == "serve" else ["--list-keys"])],
        capture_output=True, text=True, timeout=30)
    assert done.returncode == 1 and words in done.stderr, done.stderr
    assert "waiting for the database" not in done.stderr and "is not there" not in done.stderr


@pytest.mark.parametrize("password, words", [
    ("wrong", "it refuses the user or the password: password authentication failed"),
    (None, "it asks for a password, and none was given, by a variable or by PGPASSFILE"),
])
def test_a_wrong_password_is_told_as_such(tmp_path, password, words):
    cluster = Cluster()
    try:
        psql(f"{cluster.address}/postgres", "CREATE USER anna PASSWORD 'right'")
        rules = cluster.data / "pg_hba.conf"
        rules.write_text("host all anna 127.0.0.1/32 scram-sha-256\n" + rules.read_text())
        psql(f"{cluster.address}/postgres", "SELECT pg_reload_conf()")
        address = cluster.address.replace("postgres@", "anna@") + "/postgres"
        variables = {name: value for name, value in os.environ.items() if name != "PGPASSWORD"}
        if password:
            variables["RELATIOND_STORE_PASSWORD"] = password
        config = tmp_path / "relationd.yaml"
        config.write_text(f"store: {address}\n")
        for command in (["serve", "--store", address], ["init", "--store", address],
                        ["config", "check", str(config)]):
            done = subprocess.run(
                [executable("relationd"), *command], capture_output=True, text=True, timeout=30,
                env=variables)
            assert done.returncode == 1 and words in done.stderr, (command, done.stderr)
            assert "wrong" not in done.stderr.replace(words, "")
    finally:
        cluster.remove()


def rows_with(address, text):
    found = psql(address, "SELECT encode(p || k || v, 'hex') FROM relation_kv")
    return [row for row in found.splitlines() if text.encode().hex() in row]


def test_no_row_of_a_database_that_two_servers_share_has_the_id(pair, store):
    one, other = pair
    people = People(one)
    others = people(5)
    fill(people, others)
    stream = Watching(other, app=True)
    stream.state()
    assert rows_with(store, MARK)
    erase(people)
    assert rows_with(store, MARK) == []
    for relation in pair:
        assert named(relation, others) == set()
    # The stream goes on: no server takes a row that was written again for another store.
    ann, bob, *_ = others
    assert codes(other("Follow", user_id=bob, user_ids=[ann])) == [0]
    assert stream.until(lambda event: event.user_id == ann and event.kind == 161)
