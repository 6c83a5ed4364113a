"""The ends of users' sessions: signatures that were made before a moment open nothing any more."""

import time

import grpc
import pytest
from credentials import Keys, init, sign
from refusals import assert_invalid, refusal
from relationd import Relationd
from test_app_import import exported, imported
from watching import live

UNAUTHENTICATED = grpc.StatusCode.UNAUTHENTICATED
AHEAD = 30_000


@pytest.fixture(scope="module")
def guarded(tmp_path_factory):
    """A server that asks for credentials, and its operator's key."""
    data = tmp_path_factory.mktemp("guarded") / "data"
    status, operator, complaint = init(data)
    assert status == 0, complaint
    with Relationd(data, insecure=False) as running:
        running.operator = operator
        yield running


@pytest.fixture(scope="module")
def keys(guarded, stubs):
    with grpc.insecure_channel(guarded.address) as channel:
        yield Keys(stubs, channel, guarded.operator)


@pytest.fixture
def app(keys):
    made = keys.app()
    keys.accounts(made, "ann", "bob")
    return made


def now():
    return int(time.time() * 1000)


def revoke(keys, app, *users, **fields):
    return keys.as_operator(app)("RevokeUserSessions", user_ids=users, **fields)


def assert_revoked(refused):
    assert (refused.code, refused.reason) == (UNAUTHENTICATED, "SESSION_REVOKED"), refused


def test_all_signatures_from_before_end_and_later_ones_are_good(keys, app):
    secret = keys.secret(app)
    phone, desk = (keys.with_signature(sign(app, secret, "ann", userbuf=buf)) for buf in (b"p", b"d"))
    other = keys.with_signature(sign(app, secret, "bob"))
    for caller in (phone, desk, other):
        assert caller("GetSelfProfile")
    answer = revoke(keys, app, "ann")
    for caller in (phone, desk):
        assert_revoked(refusal(caller, "GetSelfProfile"))
    assert other("GetSelfProfile")
    (result,) = answer.results
    assert answer.applied and result.changed
    first_good = -(-result.before_time_ms // 1000)
    assert result.first_good_time_ms == first_good * 1000
    last = sign(app, secret, "ann", at=first_good - 1)
    assert_revoked(refusal(keys.with_signature(last), "GetSelfProfile"))
    first = sign(app, secret, "ann", at=first_good)
    assert keys.with_signature(first)("GetSelfProfile")
    # The app's own credentials go on to act for the user.
    assert keys.with_key(keys.key(app))("GetSelfProfile", user_id="ann")


def test_a_stream_of_changes_ends_with_the_session(keys, app):
    token = sign(app, keys.secret(app), "ann")
    service = keys.with_key(keys.key(app))
    signed, going = live(keys.with_signature(token), user_id="ann"), live(service, user_id="ann")
    revoke(keys, app, "ann", before_time_ms=now() + AHEAD)
    assert_revoked(signed.refusal())
    service("AddFriends", user_id="ann", items=[{"user_id": "bob"}])
    assert [item.user_id for item in going.event().items] == ["bob"]
    going.cancel()


def test_a_moment_never_falls_and_is_not_of_the_future(keys, app):
    secret = keys.secret(app)
    token = keys.with_signature(sign(app, secret, "ann"))
    late = now() + AHEAD
    assert revoke(keys, app, "ann", before_time_ms=late).applied
    again = revoke(keys, app, "ann", before_time_ms=late - 5_000)
    assert not again.applied
    assert again.results[0].before_time_ms == late
    assert_revoked(refusal(token, "GetSelfProfile"))
    for moment in (now() + 120_000, -1):
        refused = refusal(
            keys.as_operator(app), "RevokeUserSessions", user_ids=["ann"], before_time_ms=moment)
        assert_invalid(refused, "before_time_ms")


def test_a_dry_run_and_one_that_is_held_back_end_nothing(keys, app):
    caller = keys.with_signature(sign(app, keys.secret(app), "ann"))
    late = now() + AHEAD
    revoke(keys, app, "ann", before_time_ms=late, options={"dry_run": True})
    revoke(keys, app, "ann", "", before_time_ms=late, options={"all_or_nothing": True})
    assert caller("GetSelfProfile")


def test_a_user_does_not_end_sessions_itself(keys, app):
    caller = keys.with_signature(sign(app, keys.secret(app), "ann"))
    refused = refusal(caller, "RevokeUserSessions", user_ids=["bob"])
    assert refused.code == grpc.StatusCode.PERMISSION_DENIED


def test_the_deletion_of_an_account_ends_its_sessions_if_it_is_asked_to(keys, app):
    secret = keys.secret(app)
    ann, bob = (sign(app, secret, user, at=time.time() - 5) for user in ("ann", "bob"))
    delete = keys.as_operator(app)
    delete("DeleteAccounts", user_ids=["ann"], end_sessions=True)
    delete("DeleteAccounts", user_ids=["bob"])
    assert_revoked(refusal(keys.with_signature(ann), "GetSelfProfile"))
    refused = refusal(keys.with_signature(bob), "GetSelfProfile")
    assert refused.reason == "USER_NOT_FOUND"


def test_ended_sessions_stay_ended_after_a_restart(start, stubs, tmp_path):
    _, operator, _ = init(tmp_path / "data")
    running = start("data", insecure=False)
    with grpc.insecure_channel(running.address) as channel:
        keys = Keys(stubs, channel, operator)
        keys.accounts(1, "ann", "bob")
        secret = keys.secret(1)
        ann, bob = (sign(1, secret, user) for user in ("ann", "bob"))
        revoke(keys, 1, "ann", before_time_ms=now() + AHEAD)
    assert running.stop() == 0
    again = start("data", insecure=False)
    with grpc.insecure_channel(again.address) as channel:
        keys = Keys(stubs, channel, operator)
        assert_revoked(refusal(keys.with_signature(ann), "GetSelfProfile"))
        assert keys.with_signature(bob)("GetSelfProfile")


def test_an_export_carries_the_ends_into_another_app(keys, app):
    keys.secret(app)
    late = now() + AHEAD
    revoke(keys, app, "ann", "unknown", before_time_ms=late)
    operator = keys.as_operator(app)
    rows = exported(operator, include_secrets=True)
    ends = [row.session_end for row in rows if row.WhichOneof("row") == "session_end"]
    assert sorted((end.user_id, end.before_time_ms) for end in ends) == [
        ("ann", late), ("unknown", late)]
    other = keys.app()
    told, progress = imported(keys.as_operator(other), rows)
    assert progress.refused == 0, told
    (secret,) = (row.secret.secret for row in rows if row.WhichOneof("row") == "secret")
    caller = keys.with_signature(sign(other, secret, "ann"))
    assert_revoked(refusal(caller, "GetSelfProfile"))
    assert keys.with_signature(sign(other, secret, "bob"))("GetSelfProfile")
    again = exported(keys.as_operator(other))
    assert [row.session_end for row in again if row.WhichOneof("row") == "session_end"] == ends
