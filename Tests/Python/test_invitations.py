"""Invitations over the wire: codes that no caller guesses or reads again, and what they leave."""

import pytest
from events import events
from people import codes
from refusals import refusal
from stubs import Relation

HOUR = 3_600


def invite(people, user, **fields):
    return people.relation(
        "CreateInvitation", user_id=user, **{"max_uses": 1, "expiry_seconds": HOUR, **fields})


def accept(people, user, made, **fields):
    return people.relation(
        "AcceptInvitation", user_id=user, invitation_code=made.invitation_code, **fields)


@pytest.fixture
def pair(people):
    return people(2)


def test_each_code_is_another_and_is_of_128_bits(people, pair):
    ann, _ = pair
    made = [invite(people, ann) for _ in range(20)]
    assert len({answer.invitation_code for answer in made}) == 20
    assert len({answer.invitation.invitation_id for answer in made}) == 20
    for answer in made:
        assert len(bytes.fromhex(answer.invitation_code)) == 16
        assert answer.invitation_code != answer.invitation.invitation_id
    full = invite(people, ann)
    assert (full.code, full.invitation_code) == (30001, "")


def test_a_code_is_told_once_and_stands_in_no_list_event_or_export(people, pair):
    ann, bob = pair
    options = {"request_id": "r1"}
    made = invite(people, ann, pre_approved=True, options=options)
    again = invite(people, ann, pre_approved=True, options=options)
    assert again.replayed and again.invitation == made.invitation
    assert again.invitation_code == ""
    assert accept(people, bob, made).code == 0
    listed = people.relation("ListInvitations", user_id=ann)
    assert [row.use_count for row in listed.invitations] == [1]
    request = people.stubs.request("ExportApp", {})
    rows = people.relation.start("ExportApp")(
        request, timeout=60, metadata=people.relation.metadata)
    texts = [str(listed), *map(str, events(people, ann)), *map(str, rows)]
    assert not any(made.invitation_code in text for text in texts)


def test_the_same_user_is_approved_once(people, pair):
    ann, bob = pair
    people.need_confirm(ann)
    made = invite(people, ann, max_uses=9, pre_approved=True)
    assert accept(people, bob, made).code == 0
    deleted = people.relation(
        "DeleteFriends", user_id=ann, user_ids=[bob], delete_type="DELETE_TYPE_BOTH")
    assert codes(deleted) == [0]
    assert accept(people, bob, made).code == 30539
    listed = people.relation("ListInvitations", user_id=ann)
    assert [row.use_count for row in listed.invitations] == [1]


def test_a_block_is_told_by_a_use_as_by_an_attempt_to_add(people, pair):
    ann, bob = pair
    made = invite(people, ann, pre_approved=True)
    people.block(ann, bob)
    assert accept(people, bob, made).code == 30525
    relation = people.relation
    own = Relation(relation.stubs, relation.channel, [*relation.metadata, ("x-user-id", bob)])
    # A user learns of it only by an attempt that the other could see.
    fields = {"user_id": bob, "invitation_code": made.invitation_code}
    assert own("AcceptInvitation", options={"dry_run": True}, **fields).code == 0
    assert own("AcceptInvitation", **fields).code == 30525


def test_only_its_inviter_revokes_an_invitation(people, pair):
    ann, bob = pair
    made = invite(people, ann)
    fields = {"invitation_id": made.invitation.invitation_id}
    refused = refusal(people.relation, "RevokeInvitation", user_id=bob, **fields)
    assert refused.reason == "INVITATION_NOT_FOUND"
    assert people.relation("RevokeInvitation", user_id=ann, **fields).applied
    assert not people.relation("RevokeInvitation", user_id=ann, **fields).applied
