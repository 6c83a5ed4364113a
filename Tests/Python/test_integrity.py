"""CheckIntegrity and GetStats: the amounts that an app has, and whether its rows fit together."""

import grpc
import pytest
from people import People
from refusals import refusal
from stubs import Relation
from test_accounts import deleted


@pytest.fixture
def own(start, stubs):
    """Users of a server that only this test uses."""
    running = start()
    with grpc.insecure_channel(running.address) as channel:
        yield People(Relation(stubs, channel))


def check(people, **fields):
    """The findings of a check, and its last progress."""
    request = people.stubs.request("CheckIntegrity", fields)
    findings, progress = [], None
    for answer in people.relation.start("CheckIntegrity")(request, timeout=60):
        if answer.WhichOneof("answer") == "finding":
            findings.append(answer.finding)
        else:
            progress = answer.progress
    return findings, progress


def lived(people):
    """Users that made every kind of row."""
    users = people(120)
    ann, bob, carl, dora = users[:4]
    people.befriend(ann, *users[1:60])
    people.import_friends([{"user_id": user, "friend_user_id": ann} for user in users[60:]])
    people.group(ann, "close", bob, carl)
    people.relation("DeleteFriends", user_id=bob, user_ids=[ann], delete_type=1)
    people.relation(
        "DeleteFriends", user_id=carl, user_ids=[ann], options={"request_id": "once"}
    )
    people.block(dora, *users[100:])
    people.apply(users[70], users[71])
    people.apply(users[72], users[73])
    people.relation("DeletePendencies", user_id=users[73], pendency_type=1, user_ids=[users[72]])
    people.respond(users[71], users[70], 2)
    deleted(people, users[59], users[99])
    return users


@pytest.mark.parametrize("repair", [False, True])
def test_a_check_of_what_calls_have_made_finds_nothing_and_changes_nothing(own, repair):
    users = lived(own)
    before = [own.sequences(user) for user in users[:4]]
    findings, progress = check(own, repair=repair)
    assert findings == []
    assert (progress.findings, progress.repaired, progress.complete) == (0, 0, True)
    assert progress.users >= 118
    assert [own.sequences(user) for user in users[:4]] == before


def test_a_check_waits_for_no_sequence_that_was_never_issued(own):
    (ann,) = own(1)
    least = {"user_id": ann, "sequence": 1 << 40}
    refused = refusal(check, own, options={"min_sequence": least})
    assert (refused.code, refused.reason) == (
        grpc.StatusCode.INVALID_ARGUMENT, "SEQUENCE_NOT_ISSUED",
    )  # fmt: skip
    least["sequence"] = 0
    assert check(own, options={"min_sequence": least})[1].complete


def test_statistics_count_what_the_app_has(own):
    ann, bob, carl, dora = own(4)
    before = own.relation("GetStats")
    assert (before.app.accounts, before.app.friends) == (4, 0)
    own.befriend(ann, bob)
    own.import_friends([{"user_id": carl, "friend_user_id": ann}])
    own.group(ann, "close", bob)
    own.block(dora, ann, bob)
    own.apply(bob, carl)
    after = own.relation("GetStats")
    counts = after.app
    assert (counts.friends, counts.groups, counts.blacklisted_users) == (3, 1, 2)
    assert (counts.come_in, counts.send_out) == (1, 1)
    assert counts.events > before.app.events
    assert after.store.engine == "rocksdb"
    assert after.store.rows > 0 and after.store.memory_bytes > 0
    own.relation("DeleteAllFriends", user_id=ann, delete_type=2)
    assert own.relation("GetStats").app.friends == 1


def test_statistics_tell_of_open_exports(own):
    own(1)
    assert own.relation("GetStats").store.open_exports == 0
    list(own.relation.start("ExportApp")(own.stubs.request("ExportApp", {}), timeout=20))
    assert own.relation("GetStats").store.open_exports == 1
