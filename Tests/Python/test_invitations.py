"""Invitations over the wire: codes that no caller guesses or reads again, and what they leave."""

import hashlib
import time

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


# Each refusal of a use


def explained(people, user, made, **fields):
    """The explanation of a use without texts, whose last rung decides."""
    digest = hashlib.sha256(made.invitation_code.encode()).hexdigest()
    told = people.relation(
        "ExplainAcceptInvitation", from_user_id=user, invitation_id=digest[:32], **fields)
    assert [rung.decided for rung in told.rungs] == [False] * (len(told.rungs) - 1) + [True]
    return told


def used(people, user, made, **fields):
    """The code of a use, and the end of the name of its reason; its explanation has both."""
    told = explained(people, user, made)
    answer = accept(people, user, made, **fields)
    if not fields:
        outcome = (answer.code, answer.reason, answer.info, answer.inviter_user_id)
        assert (told.code, told.reason, told.info, told.inviter_user_id) == outcome
    return named(people, answer)


def named(people, answer):
    """The code of an answer, and the end of the name of its reason."""
    name = people.stubs.Reason.Name(answer.reason)
    return answer.code, name.removeprefix("REASON_INVITATION_ACCEPT_")


def test_a_use_that_the_two_users_stand_in_the_way_of(app):
    people = app(forbidden_words={"values": ["badword"]})
    ann, bob, joe = people(3)
    made = invite(people, ann, pre_approved=True)
    assert used(people, ann, made) == (30001, "SELF")
    people.set_profile(bob, admin_forbid_type=1)
    assert used(people, bob, made) == (30009, "ADMIN_FORBID")
    people.set_profile(bob, admin_forbid_type=0)
    people.block(bob, ann)
    assert used(people, bob, made) == (30515, "IN_SELF_BLACK_LIST")
    assert used(people, joe, made, wording="a badword") == (30005, "SENSITIVE_TEXT")
    assert used(people, joe, made)[0] == 0
    assert used(people, bob, made) == (30001, "USED_UP")
    people.deny_any(ann)
    made = invite(people, ann)
    assert used(people, bob, made)[1] == "IN_SELF_BLACK_LIST"
    people.relation("RemoveFromBlacklist", user_id=bob, user_ids=[ann])
    assert used(people, bob, made) == (30516, "ALLOW_TYPE_FORBID")
    refused = people.relation(
        "CreateInvitation", user_id=ann, max_uses=1, expiry_seconds=60, text="a badword")
    assert refused.code == 30005


def test_a_use_that_a_limit_stands_in_the_way_of(app):
    people = app(limits={"friends": 1, "pendencies": 1}, applications_per_day=2)
    ann, bob, joe, eve = people(4)
    people.need_confirm(ann)
    people.befriend(joe, eve)
    # Of a pre-approved one the lists of friends have to have room.
    assert used(people, bob, invite(people, joe, pre_approved=True)) == (
        30014, "PEER_FRIEND_NUM_EXCEED_THRESHOLD")
    assert used(people, eve, invite(people, bob, pre_approved=True)) == (
        30010, "MY_FRIEND_NUM_EXCEED_THRESHOLD")
    made = invite(people, ann, max_uses=9)
    assert used(people, bob, made) == (30539, "NEED_CONFIRM")
    zoe, max_ = people(2)
    assert used(people, zoe, made) == (30012, "PENDENCY_NUM_EXCEED_THRESHOLD")
    for other in people(2):
        people.need_confirm(other)
        assert people.add(max_, other)[0] == 30539
        people.relation("WithdrawApplications", user_id=max_, user_ids=[other])
    assert used(people, max_, made) == (30540, "TOO_FREQUENT")


def test_a_use_that_a_rule_against_abuse_stands_in_the_way_of(app):
    people = app(applications_received_per_day=1, application_cooldown_ms=3_600_000)
    ann, bob, joe = people(3)
    people.need_confirm(ann)
    made = invite(people, ann, max_uses=9)
    assert used(people, bob, made) == (30539, "NEED_CONFIRM")
    people.respond(ann, bob, 2)
    assert used(people, bob, made) == (30540, "COOLING_DOWN")
    assert used(people, joe, made) == (30540, "PEER_TOO_FREQUENT")
    people = app(new_account_quarantine_ms=3_600_000)
    ann, bob = people(2)
    assert used(people, bob, invite(people, ann)) == (30540, "NEW_ACCOUNT")


def test_an_invitation_that_has_expired_is_told_from_one_that_there_never_was(app):
    people = app()
    code = "0123456789abcdef" * 2
    now = int(time.time() * 1_000)
    digest = hashlib.sha256(code.encode()).hexdigest()
    rows = [
        {"point": {"format": 1}}, {"account": {"user_id": "ann", "create_time_ms": now - 9_000}},
        {"invitation": {"user_id": "ann", "invitation": {
            "invitation_id": digest[:32], "state": 1, "max_uses": 1,
            "create_time_ms": now - 9_000, "expire_time_ms": now - 1_000}}},
    ]  # fmt: skip
    told, progress = people.imported("ImportApp", [{"row": row} for row in rows])
    assert (told, progress.refused) == ([], 0)
    (bob,) = people(1)
    assert used(people, bob, made_of(people, code)) == (30001, "EXPIRED")
    assert used(people, bob, made_of(people, "f" * 32)) == (30001, "NOT_EXIST")


def test_the_last_refusals_of_a_use_are_explained_too(people):
    ann, bob, joe = people(3)
    made = invite(people, ann, max_uses=9, pre_approved=True)
    assert used(people, bob, made)[0] == 0
    assert used(people, bob, made) == (30001, "FRIEND_EXIST")
    people.block(ann, joe)
    assert used(people, joe, made) == (30525, "IN_PEER_BLACK_LIST")
    # With its own credential joe learns of the block last, and then alike.
    own = explained(people, joe, made, as_user=True)
    assert own.code == 30525 and len(own.rungs) > len(explained(people, joe, made).rungs)
    suspended = [{"user_id": ann, "level": 2}]
    people.relation("SuspendAccounts", items=suspended)
    answer = accept(people, joe, made)
    told = explained(people, joe, made)
    assert (told.code, told.reason) == (answer.code, answer.reason)
    assert people.stubs.Reason.Name(told.reason) == "REASON_INVITATION_ACCEPT_PEER_SUSPENDED"
    assert people.stubs.RungKind.Name(told.rungs[-1].kind) == "RUNG_KIND_INVITER_SUSPENSION"
    people.relation("SuspendAccounts", items=[{"user_id": bob, "level": 2}])
    told = explained(people, bob, made, as_user=True)
    assert (told.code, people.stubs.Reason.Name(told.reason)) == (
        30540, "REASON_INVITATION_ACCEPT_SELF_SUSPENDED")
    told = explained(people, people.unknown_user(), made)
    assert (told.code, people.stubs.Reason.Name(told.reason)) == (
        30003, "REASON_INVITATION_ACCEPT_SELF_UNKNOWN")


def made_of(people, code):
    """An answer of CreateInvitation, as if it had told the code."""
    answer = people.stubs.message(people.stubs.method("CreateInvitation")[1].output_type.name)()
    answer.invitation_code = code
    return answer


def test_an_invitation_of_an_account_that_is_being_deleted_is_good_for_nothing(app):
    people = app()
    full, bob = people(2)
    # So many rows take a moment to be removed: the invitation stays until then.
    others = people(2_000)
    people.import_friends([{"user_id": full, "friend_user_id": other} for other in others])
    (ann,) = people(1)
    made = invite(people, ann)
    people.relation("DeleteAccounts", user_ids=[full, ann])
    # The invitation may go between the two.
    for answer in (explained(people, bob, made), accept(people, bob, made)):
        assert named(people, answer) in [(30003, "ACCOUNT_NOT_EXIST"), (30001, "NOT_EXIST")]
