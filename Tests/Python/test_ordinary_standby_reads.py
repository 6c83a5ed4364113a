"""Ordinary reads from standbys: no answer is older than its token or than the settings allow, and a
standby that lags, hangs, is away or is promoted holds none of them up."""

import random
import time

import grpc
import pytest
from credentials import Keys
from people import People
from postgres import Cluster
from refusals import refusal
from relationd import Relationd
from stubs import Relation
from test_failover import make_store, sql, standby_of
from test_hung import processes, stopped
from test_metrics import metrics
from test_shared_store import init, integrity_findings
from waiting import until
from watching import Watching

#: How long one read may take whatever the standbys do; a process that is stopped costs a second.
SECONDS = 10
PAUSED = "SELECT pg_get_wal_replay_pause_state()"


@pytest.fixture
def primary():
    made = Cluster({"hot_standby": "on"})
    make_store(f"{made.address}/postgres")
    yield made
    made.remove()


@pytest.fixture
def standby(primary):
    made = Cluster({"hot_standby": "on"}, following=primary)
    yield made
    made.remove()


@pytest.fixture
def serve(tmp_path, stubs):
    """Serves the store with reads from standbys, and gives the server with its client."""
    open_ones = []

    def begin(primary, *standbys, staleness=0, store=None, insecure=True):
        names = " ".join(f"{standby.address}/postgres" for standby in standbys)
        server = Relationd(
            tmp_path / f"data{len(open_ones)}", f"--store-read={names}",
            f"--store-read-staleness={staleness}", store=store or f"{primary.address}/postgres",
            insecure=insecure)
        server.__enter__()
        channel = grpc.insecure_channel(server.address)
        open_ones.append((server, channel))
        return server, Relation(stubs, channel)

    def end():
        while open_ones:
            server, channel = open_ones.pop()
            channel.close()
            server.__exit__(None, None, None)

    begin.end = end
    yield begin
    end()


def pause(standby):
    sql(standby, "SELECT pg_wal_replay_pause()")
    until(lambda: sql(standby, PAUSED) == "paused", "the standby goes on")


def go_on(standby):
    sql(standby, "SELECT pg_wal_replay_resume()")


def befriend(relation, user, other):
    """Adds a friend, and answers the sequence."""
    answer = relation("AddFriends", user_id=user, items=[{"user_id": other}], force=True)
    return answer.sequence


def friends(relation, user, sequence=0, if_behind=0):
    """The friends of a user, as a read with the token sees them."""
    options = {"if_behind": if_behind}
    if sequence:
        options["min_sequence"] = {"user_id": user, "sequence": sequence}
    begun = time.monotonic()
    page = relation("ListFriends", user_id=user, page_size=1000, options=options)
    assert time.monotonic() - begun < SECONDS
    return sorted(row.user_id for row in page.friends)


def outcomes(server):
    samples = metrics(server)
    return {
        name: samples[f'relation_database_standby_reads_total{{outcome="{name}"}}']
        for name in ("answered", "behind", "away")}


def until_answered(server, read):
    """Reads until a standby has answered: the first reads come before it has a connection."""
    before = outcomes(server)["answered"]

    def answers():
        read()
        return outcomes(server)["answered"] > before

    until(answers, "no standby answers")


def test_a_read_with_a_token_goes_to_a_standby_that_shows_it(primary, standby, serve):
    server, relation = serve(primary, standby)
    ann, *others = People(relation)(4)
    tokens = [befriend(relation, ann, user) for user in others]
    until_answered(server, lambda: friends(relation, ann, tokens[-1]))
    pause(standby)
    (late,) = People(relation)(1)
    token = befriend(relation, ann, late)
    before = outcomes(server)
    # What the standby has is enough for the earlier token.
    assert friends(relation, ann, tokens[-1]) == sorted(others)
    assert outcomes(server) == before | {"answered": before["answered"] + 1}
    # The primary answers for the later one, and without any.
    assert friends(relation, ann, token) == sorted([*others, late])
    assert friends(relation, ann) == sorted([*others, late])
    after = outcomes(server)
    assert after["behind"] == before["behind"] + 1
    assert after["answered"] == before["answered"] + 1
    go_on(standby)
    until_answered(server, lambda: friends(relation, ann, token))
    assert friends(relation, ann, token) == sorted([*others, late])


def test_the_caller_chooses_what_happens_if_the_standby_is_behind(
    primary, standby, serve, stubs
):
    server, relation = serve(primary, standby)
    ann, bob, cid = People(relation)(3)
    token = befriend(relation, ann, bob)
    until_answered(server, lambda: friends(relation, ann, token))
    pause(standby)
    token = befriend(relation, ann, cid)
    both = sorted([bob, cid])
    choices = {name: stubs.IfBehind.Value(f"IF_BEHIND_{name}") for name in
               ("PRIMARY", "WAIT", "FAIL")}  # fmt: skip
    assert friends(relation, ann, token, choices["PRIMARY"]) == both
    for name in ("FAIL", "WAIT"):
        refused = refusal(friends, relation, ann, token, choices[name])
        assert (refused.code, refused.reason) == (grpc.StatusCode.UNAVAILABLE, "BEHIND")
    read = relation.start("ListFriends").future(
        relation.stubs.request("ListFriends", {
            "user_id": ann, "options": {
                "if_behind": choices["WAIT"],
                "min_sequence": {"user_id": ann, "sequence": token}}}), timeout=30)
    go_on(standby)
    try:
        assert sorted(row.user_id for row in read.result().friends) == both
    except grpc.RpcError as error:
        # A standby that takes its time after a pause.
        assert error.code() == grpc.StatusCode.UNAVAILABLE
    refused = refusal(friends, relation, ann, token, 99)
    assert refused.fields == ["options.if_behind"]


def test_a_read_without_a_token_is_no_older_than_the_setting(primary, standby, serve):
    staleness = 2_000
    server, relation = serve(primary, standby, staleness=staleness)
    ann, *others = People(relation)(6)
    befriend(relation, ann, others[0])
    until_answered(server, lambda: friends(relation, ann))
    pause(standby)
    begun = {}
    for user in others[1:]:
        befriend(relation, ann, user)
        begun[user] = time.monotonic()
    seen_old = seen_new = False
    until_time = time.monotonic() + 3 * staleness / 1_000
    while time.monotonic() < until_time:
        asked = time.monotonic()
        found = friends(relation, ann)
        for user, answered in begun.items():
            if user not in found:
                seen_old = True
                assert asked - answered <= staleness / 1_000
            else:
                seen_new = True
    assert seen_new
    assert seen_old
    assert friends(relation, ann) == sorted(others)
    go_on(standby)
    until_answered(server, lambda: friends(relation, ann))


def test_a_standby_that_hangs_or_ends_holds_no_read_up(primary, standby, serve):
    server, relation = serve(primary, standby, staleness=5_000)
    ann, bob, cid = People(relation)(3)
    token = befriend(relation, ann, bob)
    until_answered(server, lambda: friends(relation, ann, token))
    with stopped(*processes(standby)):
        token = befriend(relation, ann, cid)
        for _ in range(20):
            assert friends(relation, ann, token) == sorted([bob, cid])
        # The first reads have waited for it, and the later ones have not.
        begun = time.monotonic()
        for _ in range(20):
            assert friends(relation, ann, token) == sorted([bob, cid])
        assert metrics(server)["relation_database_standbys_paused"] == 1
        assert time.monotonic() - begun < SECONDS
    until_answered(server, lambda: friends(relation, ann, token))
    standby.stop()
    for _ in range(20):
        assert friends(relation, ann, token) == sorted([bob, cid])
    standby.start()
    until_answered(server, lambda: friends(relation, ann, token))


def test_searches_suggestions_and_streams_begin_at_a_standby(primary, standby, serve):
    server, relation = serve(primary, standby)
    ann, bob, cid = People(relation)(3)
    for user in (bob, cid):
        befriend(relation, ann, user)
        found = relation("SearchFriends", user_id=ann, keyword=user)
        assert [row.user_id for row in found.friends] == [user]
    relation("SuggestFriends", user_id=bob)
    with Watching(relation, user_id=ann) as stream:
        there = {item.friend_entry.user_id for event in stream.state() for item in event.items}
        assert {bob, cid} <= there
        # What is written now comes too.
        (dan,) = People(relation)(1)
        befriend(relation, ann, dan)
        stream.until(lambda event: any(item.user_id == dan for item in event.items))
    samples = metrics(server)
    assert samples['relation_database_long_reads_total{place="standby"}'] >= 4
    assert samples['relation_database_long_reads_total{place="primary"}'] == 0


def test_a_key_that_is_revoked_is_refused_at_once_beside_a_standby_that_lags(
    primary, standby, serve, stubs
):
    operator = init(f"{primary.address}/postgres", "--replace-key")
    server, _ = serve(primary, standby, staleness=60_000, insecure=False)
    with grpc.insecure_channel(server.address) as channel:
        keys = Keys(stubs, channel, operator)
        app = keys.app()
        keys.accounts(app, "ann")
        caller = keys.with_key(keys.key(app))
        until_answered(server, lambda: friends(caller, "ann"))
        pause(standby)
        made = keys.as_operator(app)("CreateCredential", scopes=["SCOPE_READ"])
        late = keys.with_key(made.key)
        assert friends(late, "ann") == []
        keys.as_operator(app)("RevokeCredential", credential_id=made.credential.credential_id)
        for _ in range(5):
            assert refusal(friends, late, "ann").code is grpc.StatusCode.UNAUTHENTICATED
            assert friends(caller, "ann") == []
        go_on(standby)


def test_no_read_is_older_than_its_token_through_lags_and_a_promotion(
    primary, serve, seed, stubs
):
    """Writes at the primary, reads with tokens at two standbys that lag by chance; then the
    synchronous one takes over, and the other one follows a primary that is gone."""
    numbers = random.Random(seed)
    synchronous = standby_of(primary)
    other = Cluster({"hot_standby": "on"}, following=primary)
    port = synchronous.port
    try:
        # Both confirm, so that the one that takes over has all that was answered.
        sql(primary, "ALTER SYSTEM SET synchronous_standby_names = '2 (*)'")
        sql(primary, "SELECT pg_reload_conf()")
        address = f"postgresql://postgres@127.0.0.1:{primary.port},127.0.0.1:{port}/postgres"
        server, relation = serve(
            primary, synchronous, other, staleness=0, store=address)
        people = People(relation)
        owners, others = people(3), people(40)
        written = {owner: [] for owner in owners}
        is_paused = False

        def write():
            owner = numbers.choice(owners)
            known = {user for user, _ in written[owner]}
            user = numbers.choice([user for user in others if user not in known] or others)
            if user in known:
                return
            end = time.monotonic() + 60
            while True:
                try:
                    answer = relation(
                        "AddFriends", user_id=owner, items=[{"user_id": user}], force=True,
                        options={"request_id": f"{owner}-{user}"}, timeout=15)
                    break
                except grpc.RpcError:
                    assert time.monotonic() < end
                    time.sleep(0.05)
            written[owner].append((user, answer.sequence))

        def read():
            owner = numbers.choice(owners)
            log = written[owner]
            count = numbers.randint(0, len(log))
            token = log[count - 1][1] if count else 0
            try:
                found = friends(relation, owner, token, numbers.choice([0, 1, 3]))
            except grpc.RpcError as error:
                assert error.code() == grpc.StatusCode.UNAVAILABLE, error
                return
            missing = {user for user, _ in log[:count]} - set(found)
            assert not missing, f"seed {seed}: {owner} at {token} lacks {missing}"

        def some(steps, lags=True):
            nonlocal is_paused
            for _ in range(steps):
                chance = numbers.random()
                if chance < 0.2:
                    write()
                elif chance < 0.24 and lags:
                    # They must confirm, but need not apply.
                    if is_paused:
                        go_on(synchronous)
                        go_on(other)
                    else:
                        pause(numbers.choice([synchronous, other]))
                    is_paused = not is_paused
                else:
                    read()

        some(250)
        assert outcomes(server)["answered"] > 20
        if is_paused:
            # A standby that is paused is not promoted before it goes on.
            go_on(synchronous)
            go_on(other)
            is_paused = False
        primary.stop()
        synchronous.promote()
        sql(synchronous, "ALTER SYSTEM RESET synchronous_standby_names")
        sql(synchronous, "SELECT pg_reload_conf()")
        some(250, lags=False)
        for owner in owners:
            log = written[owner]
            assert friends(relation, owner, log[-1][1]) == sorted(user for user, _ in log)
        assert integrity_findings(relation) == []
        serve.end()
    finally:
        other.remove()
        synchronous.remove()
