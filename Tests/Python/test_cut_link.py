"""A standby whose link to the primary is cut, while servers still reach both: its answers are no older
than the bound, and no read with a token is older than its token, through a promotion too."""

import random
import time
import types

import grpc
import pytest
from people import People
from postgres import Cluster
from refusals import refusal
from stalling_proxy import StallingProxy
from test_failover import sql
from test_ordinary_standby_reads import befriend, friends, outcomes, primary, serve, until_answered
from test_shared_store import integrity_findings
from waiting import until

__all__ = ["primary", "serve"]
STALENESS = 2_000
STEPS = 200
SYNCHRONOUS = "SELECT sync_state FROM pg_stat_replication WHERE application_name = 'safe'"


@pytest.fixture
def link(primary):
    """The way of a standby to the primary, which a test may cut."""
    made = StallingProxy(primary.port)
    yield made
    made.close()


@pytest.fixture
def distant(primary, link):
    """A standby at the end of that way."""
    way = types.SimpleNamespace(address=f"postgresql://postgres@127.0.0.1:{link.port}")
    made = Cluster({"hot_standby": "on"}, following=way)
    yield made
    made.remove()


@pytest.fixture
def safe(primary):
    """A standby beside the primary, which has all that is answered."""
    made = Cluster({"hot_standby": "on", "cluster_name": "safe"}, following=primary)
    sql(primary, "ALTER SYSTEM SET synchronous_standby_names = 'safe'")
    sql(primary, "SELECT pg_reload_conf()")
    until(lambda: sql(primary, SYNCHRONOUS) == "sync", "the standby does not follow")
    yield made
    made.remove()


def test_a_standby_that_is_cut_off_answers_within_the_bound_and_then_no_more(
    primary, link, distant, serve, stubs
):
    server, relation = serve(primary, distant, staleness=STALENESS)
    ann, *others = People(relation)(4)
    tokens = [befriend(relation, ann, others[0])]
    until_answered(server, lambda: friends(relation, ann))
    link.stall()
    written = {}
    for user in others[1:]:
        tokens.append(befriend(relation, ann, user))
        written[user] = time.monotonic()
    # The standby has no later number: its views become too old.
    before = outcomes(server)
    seen_old = False

    def is_too_old():
        nonlocal seen_old
        asked = time.monotonic()
        found = friends(relation, ann)
        for user, answered in written.items():
            if user not in found:
                seen_old = True
                assert asked - answered <= STALENESS / 1_000
        return sorted(found) == sorted(others)

    until(is_too_old, "no read is fresh")
    after = outcomes(server)
    assert seen_old and after["answered"] > before["answered"]
    assert after["behind"] > before["behind"]
    # The primary answers now, with a token and without, and BEHIND says so where it may not.
    fails = stubs.IfBehind.Value("IF_BEHIND_FAIL")
    assert friends(relation, ann, tokens[-1]) == friends(relation, ann) == sorted(others)
    refused = refusal(friends, relation, ann, tokens[-1], fails)
    assert (refused.code, refused.reason) == (grpc.StatusCode.UNAVAILABLE, "BEHIND")
    assert refusal(friends, relation, ann, 0, fails).reason == "BEHIND"
    link.go_on()
    until_answered(server, lambda: friends(relation, ann, tokens[-1]))
    assert friends(relation, ann, tokens[-1], fails) == sorted(others)


def test_no_read_is_older_than_its_token_through_cut_links_and_a_promotion(
    primary, link, distant, safe, serve, seed
):
    numbers = random.Random(seed)
    store = f"postgresql://postgres@127.0.0.1:{primary.port},127.0.0.1:{safe.port}/postgres"
    server, relation = serve(primary, distant, safe, staleness=STALENESS, store=store)
    people = People(relation)
    owners, others = people(3), people(60)
    written = {owner: [] for owner in owners}

    def write():
        owner = numbers.choice(owners)
        left = [user for user in others if user not in dict(written[owner])]
        if not left:
            return
        user, end = numbers.choice(left), time.monotonic() + 60
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
        count = numbers.randint(1, len(log)) if log else 0
        token = log[count - 1][1] if count else 0
        try:
            found = friends(relation, owner, token, numbers.choice([0, 1, 3]))
        except grpc.RpcError as error:
            assert error.code() == grpc.StatusCode.UNAVAILABLE, error
            return
        missing = {user for user, _ in log[:count]} - set(found)
        assert not missing, f"seed {seed}: {owner} at {token} lacks {missing}"

    def some(cuts):
        is_cut = False
        for _ in range(STEPS):
            chance = numbers.random()
            if chance < 0.2:
                write()
            elif chance < 0.24 and cuts:
                is_cut = not is_cut
                link.stall() if is_cut else link.go_on()
            else:
                read()

    some(cuts=True)
    assert outcomes(server)["answered"] > 0
    # The distant standby stays with what it has of a primary that is gone.
    link.stall()
    write()
    primary.stop()
    safe.promote()
    sql(safe, "ALTER SYSTEM RESET synchronous_standby_names")
    sql(safe, "SELECT pg_reload_conf()")
    some(cuts=False)
    for owner, log in written.items():
        if log:
            assert friends(relation, owner, log[-1][1]) == sorted(user for user, _ in log)
    assert integrity_findings(relation) == []
    serve.end()
    link.go_on()
