"""The erasure of deleted users: no answer, stream or export of others has the id or its texts."""

import hashlib
import hmac
import time

import grpc
import pytest
from people import People, codes
from refusals import assert_invalid, refusal
from stubs import Relation
from test_accounts import wait_for
from test_shared_store import cluster, pair, psql, serve, store
from watching import RESYNC, Watching

__all__ = ["cluster", "pair", "serve", "store"]

# The beginning of the id and of every text of the user that is erased.
MARK = "zq7"
RARE = f"{MARK}-id"
KEY = "a secret of the app"

# Every call that only reads and that another user may make, with what it needs.
READS = {
    "ListFriends": {}, "GetFriends": {"user_ids": [RARE]}, "CheckFriends": {"user_ids": [RARE]},
    "SyncFriends": {}, "GetFriendGroups": {}, "ListPendencies": {}, "ListApplications": {},
    "ListBlacklist": {}, "CheckBlacklist": {"user_ids": [RARE]}, "ListFollowing": {},
    "ListFollowers": {}, "ListMutualFollows": {}, "ListSubscriptions": {},
    "ListDismissedSuggestions": {}, "ListInvitations": {}, "SuggestFriends": {},
    "GetSequence": {}, "ListChanges": {},
}  # fmt: skip
# These repeat the id that the request has.
NAMING = {"GetFriends", "CheckFriends", "CheckBlacklist"}


def do(people, call, **fields):
    answer = people.relation(call, **fields)
    assert set(codes(answer)) <= {0}, (call, answer)
    return answer


def fill(people, others):
    """Gives a user of the rare id relations of each kind with the others; some have ended."""
    ann, bob, eve, joe, kim = others
    people.make([RARE], nick=f"{MARK} nick")
    people.befriend(RARE, ann, joe)
    do(people, "UpdateFriends", user_id=ann, items=[
        {"user_id": RARE, "remark": f"{MARK} remark", "update_mask": {"paths": ["remark"]}}])
    do(people, "CreateFriendGroups", user_id=ann, names=["team"], user_ids=[RARE])
    do(people, "DeleteFriends", user_id=joe, user_ids=[RARE], delete_type=2)
    people.block(eve, RARE)
    do(people, "RemoveFromBlacklist", user_id=eve, user_ids=[RARE])
    people.block(kim, RARE)
    people.relation(
        "UpdateProfile", user_id=bob, profile={"allow_type": 1},
        update_mask={"paths": ["allow_type"]})
    people.relation("AddFriends", user_id=RARE, items=[
        {"user_id": bob, "wording": f"{MARK} wording"}])
    people.respond(bob, RARE, 2)
    for one, other in ((ann, RARE), (RARE, ann), (joe, RARE)):
        do(people, "Follow", user_id=one, user_ids=[other])
    do(people, "Unfollow", user_id=joe, user_ids=[RARE])
    do(people, "DismissSuggestions", user_id=joe, user_ids=[RARE])
    do(people, "CheckFollows", user_id=eve, user_ids=[RARE])
    do(people, "Follow", user_id=eve, user_ids=[RARE], options={"request_id": "kept"})


def erase(people, **fields):
    answer = people.relation(
        "DeleteAccounts", user_ids=[RARE], erase=True, end_sessions=True, erasure_key=KEY,
        options={"request_id": "erase"}, **fields)
    assert codes(answer) == [0]
    return wait_for(people, answer.results[0].deletion_id)


def answers(relation, users):
    """What every read of the users answers, and all exports and streams, each with its name."""
    for user in users:
        for call, fields in READS.items():
            fields = {"user_id": user, "page_size": 500, **fields}
            fields = {name: value for name, value in fields.items()
                      if name in relation.stubs.request(call, {}).DESCRIPTOR.fields_by_name}
            answer = relation(call, **fields)
            if call in NAMING:
                for result in answer.results:
                    result.user_id = ""
            yield call, answer
        for row in relation.start("ExportUser")(
                relation.stubs.request("ExportUser", {"exported_user_id": user}), timeout=60,
                metadata=relation.metadata):
            yield "ExportUser", row
        yield from (("Watch", event) for event in Watching(relation, user_id=user).state())
    rows = relation.start("ExportApp")(
        relation.stubs.request("ExportApp", {}), timeout=60, metadata=relation.metadata)
    yield from (("ExportApp", row) for row in rows)
    yield from (("Watch", event) for event in Watching(relation, app=True).state())


def named(relation, users):
    return {call for call, answer in answers(relation, users) if MARK in str(answer)}


def test_nothing_that_others_read_has_the_erased_user(app):
    people = app()
    others = people(5)
    fill(people, others)
    before = named(people.relation, others)
    assert {"ListFriends", "ListBlacklist", "ListChanges", "ExportUser", "ExportApp", "Watch",
            "ListFollowers", "ListDismissedSuggestions"} <= before
    done = erase(people)
    assert named(people.relation, others) == set()
    assert done.user_id == ""
    receipt = done.receipt
    code = hmac.new(KEY.encode(), RARE.encode(), hashlib.sha256)
    assert receipt.digest == code.hexdigest()
    assert receipt.events > 5 and receipt.stream_events > 5
    assert (receipt.removed_friends, receipt.ended_applications) == (2, 1)
    assert receipt.kept_answers == 2, "eve's answer, and that to the deletion itself"
    assert receipt.session_end_digest_kept and not receipt.session_end_kept
    assert (receipt.logs_kept_until_ms, receipt.answers_kept_until_ms) == (0, 0)


def test_the_receipt_says_what_the_app_keeps(app):
    people = app(erasure={
        "always": True, "keeps_logs": True, "keeps_applications": True, "keeps_answers": True,
        "keeps_session_ends": True})
    others = people(5)
    fill(people, others)
    answer = people.relation("DeleteAccounts", user_ids=[RARE], end_sessions=True)
    receipt = wait_for(people, answer.results[0].deletion_id).receipt
    assert receipt.digest == "" and receipt.events == receipt.ended_applications == 0
    assert receipt.session_end_kept and not receipt.session_end_digest_kept
    hour = 3_600_000
    now = time.time() * 1000
    assert receipt.logs_kept_until_ms == pytest.approx(now + 7 * 24 * hour, abs=hour)
    assert receipt.applications_kept_until_ms == pytest.approx(now + 90 * 24 * hour, abs=hour)
    assert receipt.answers_kept_until_ms == pytest.approx(now + 24 * hour, abs=hour)
    assert named(people.relation, others) == {
        "ListChanges", "ListApplications", "ExportUser", "ExportApp"}


def test_who_comes_back_from_before_begins_anew(app):
    people = app()
    others = people(5)
    ann = others[0]
    fill(people, others)
    since = people.relation("GetSequence", user_id=ann).sequence
    streams = [Watching(people.relation, user_id=ann), Watching(people.relation, app=True)]
    for stream in streams:
        stream.state()
    erase(people)
    assert people.relation("ListChanges", user_id=ann, since_sequence=since).resync
    assert people.relation("SyncFriends", user_id=ann, since_sequence=since).resync
    for scope, stream in (({"user_id": ann}, streams[0]), ({"app": True}, streams[1])):
        again = Watching(people.relation, resume_token=stream.token, **scope)
        state = again.state()
        assert state[0].kind == RESYNC
        assert not [event for event in state if MARK in str(event)]


def test_an_account_of_the_id_begins_above_the_erased_one(app):
    people = app()
    fill(people, people(5))
    old = people.relation("GetSequence", user_id=RARE).sequence
    erase(people)
    people.make([RARE])
    new = people.relation("GetSequence", user_id=RARE)
    assert new.sequence > old and new.friends_sequence == new.sequence
    assert people.relation("ListChanges", user_id=RARE, since_sequence=old).resync
    assert people.relation("ListFriends", user_id=RARE).total_size == 0


def test_a_key_is_not_too_long(people):
    fields = {"user_ids": [people.stranger()], "erasure_key": "x" * 65}
    assert_invalid(refusal(people.relation, "DeleteAccounts", **fields), "erasure_key")
    fields["erasure_key"] = "x" * 64
    assert codes(people.relation("DeleteAccounts", **fields)) == [30003]


def test_an_erasure_goes_on_after_the_server_was_killed(start, stubs):
    running = start("erased")
    with grpc.insecure_channel(running.address) as channel:
        people = People(Relation(stubs, channel))
        others = people(5)
        fill(people, others)
        people(2_000)
        answer = people.relation("DeleteAccounts", user_ids=[RARE], erase=True)
        deletion = answer.results[0].deletion_id
    for _ in range(3):
        running.kill()
        running = start("erased")
    with grpc.insecure_channel(running.address) as channel:
        relation = Relation(stubs, channel)
        assert wait_for(People(relation), deletion).receipt.events > 0
        assert named(relation, others) == set()


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
    do(People(other), "Follow", user_id=bob, user_ids=[ann])
    assert stream.until(lambda event: event.user_id == ann and event.kind == 161)
