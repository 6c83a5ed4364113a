"""Suspensions and reports over the wire: what a suspended user may do, and each refusal."""

import grpc
import pytest
from people import People, codes
from refusals import refusal
from stubs import Relation

LIMITED, SUSPENDED, BANNED = 1, 2, 3
SPAM, CLOSED = 1, 1


def reasons(people, answer):
    """Code and reason of each result, or of the one outcome."""
    results = answer.results if hasattr(answer, "results") else [answer]
    return [
        (result.code, people.stubs.Reason.Name(result.reason).removeprefix("REASON_"))
        for result in results]


def suspend(people, *items):
    return people.relation("SuspendAccounts", items=list(items))


def as_user(people, user):
    """The same server for a credential of the user alone."""
    relation = people.relation
    own = [("x-user-id", user), ("x-scopes", "read,write")]
    return Relation(relation.stubs, relation.channel, [*relation.metadata, *own])


@pytest.fixture
def pair(people):
    return people(2)


def test_a_suspended_user_writes_nothing_until_it_is_reinstated(people, pair):
    ann, bob = pair
    assert codes(suspend(people, {"user_id": ann, "level": SUSPENDED})) == [0]
    own = as_user(people, ann)
    refused = refusal(own, "SetStatus", user_id=ann, text="here")
    assert (refused.code, refused.reason) == (
        grpc.StatusCode.PERMISSION_DENIED, "ACCOUNT_SUSPENDED")
    assert refused.metadata == {"level": str(SUSPENDED), "end_time_ms": "0"}
    # It reads as before, and reports its presence.
    assert own("GetSelfProfile", user_id=ann).profile.user_id == ann
    [row] = people.relation("ListSuspensions", page_size=1_000).suspensions[-1:]
    assert row.level in (LIMITED, SUSPENDED, BANNED)
    assert codes(people.relation("ReinstateAccounts", user_ids=[ann])) == [0]
    assert own("SetStatus", user_id=ann, text="here").code == 0


def test_others_neither_add_nor_follow_a_suspended_user(people, pair):
    ann, bob = pair
    made = people.relation("CreateInvitation", user_id=ann, max_uses=1, expiry_seconds=60)
    suspend(people, {"user_id": ann, "level": SUSPENDED})
    added = people.relation("AddFriends", user_id=bob, items=[{"user_id": ann}])
    assert reasons(people, added) == [(30540, "SNS_FRIEND_ADD_PEER_SUSPENDED")]
    followed = people.relation("Follow", user_id=bob, user_ids=[ann])
    assert reasons(people, followed) == [(30540, "FOLLOW_ADD_PEER_SUSPENDED")]
    accepted = people.relation(
        "AcceptInvitation", user_id=bob, invitation_code=made.invitation_code)
    assert reasons(people, accepted) == [(30540, "INVITATION_ACCEPT_PEER_SUSPENDED")]
    seen = people.relation(
        "GetInvitation", user_id=bob, invitation_code=made.invitation_code)
    assert reasons(people, seen) == [(30540, "INVITATION_GET_PEER_SUSPENDED")]
    sent = people.relation("CanSend", user_id=ann, user_ids=[bob])
    assert reasons(people, sent) == [(20012, "MSG_SEND_CHECK_SELF_SUSPENDED")]


def test_only_administrators_find_a_banned_user(people):
    own = people.relation.in_app(
        people.relation("CreateApp", settings={"finds_users": True}).app.app_id)
    people = People(own)
    ann, bob = people(2)
    people.set_profile(ann, nick="Findable")
    digest = b"7" * 32
    own("SetContactDigests", user_id=ann, kind=1, digests=[digest])

    def found():
        reader = as_user(people, bob)
        by_name = reader("FindUsers", user_id=bob, keyword="Find").users
        by_id = reader("FindUsers", user_id=bob, keyword=ann).users
        by_phone = reader("FindContacts", user_id=bob, kind=1, digests=[digest]).contacts
        return [len(by_name), len(by_id), len(by_phone)]

    assert found() == [1, 1, 1]
    suspend(people, {"user_id": ann, "level": BANNED})
    assert found() == [0, 0, 0]
    assert len(own("FindUsers", user_id=bob, keyword="Find").users) == 1
    own("ReinstateAccounts", user_ids=[ann])
    assert found() == [1, 1, 1]


def test_each_refusal_of_a_suspension(people, pair):
    ann, bob = pair
    answer = suspend(
        people, {"user_id": "a\nb", "level": 1}, {"user_id": ann}, {"user_id": bob, "level": 9},
        {"user_id": ann, "level": 1, "reason_text": "x" * 501},
        {"user_id": ann, "level": BANNED, "end_time_ms": 1},
        {"user_id": people.unknown_user(), "level": 1})
    told = [reason for _, reason in reasons(people, answer)]
    assert told == [
        "ACCOUNT_SUSPEND_USER_ID_ILLEGAL", "ACCOUNT_SUSPEND_LEVEL_ILLEGAL",
        "ACCOUNT_SUSPEND_LEVEL_ILLEGAL", "ACCOUNT_SUSPEND_REASON_ILLEGAL",
        "ACCOUNT_SUSPEND_TIME_ILLEGAL", "ACCOUNT_SUSPEND_ACCOUNT_NOT_EXIST"]
    twice = suspend(
        people, {"user_id": ann, "level": LIMITED}, {"user_id": ann, "level": SUSPENDED})
    assert reasons(people, twice) == [(0, "UNSPECIFIED"), (30001, "ACCOUNT_SUSPEND_DUPLICATE")]


def report(people, user, other, **fields):
    return people.relation(
        "ReportUser", user_id=user, reported_user_id=other, **{"category": SPAM, **fields})


def test_a_report_reaches_moderators_alone_and_is_closed_once(people, pair):
    ann, bob = pair
    assert report(people, ann, bob, text="advertises").code == 0
    [open_one] = people.relation("ListReports", reported_user_id=bob).reports
    assert (open_one.reporter_user_id, open_one.text) == (ann, "advertises")
    mentions = "".join(map(str, people.relation("ListChanges", user_id=bob).events))
    assert ann not in mentions
    item = {"report_id": open_one.report_id, "outcome": CLOSED, "note": "seen"}
    assert codes(people.relation("ResolveReports", items=[item])) == [0]
    # A report that is made again has another id.
    report(people, ann, bob)
    late = people.relation("ResolveReports", items=[item])
    assert reasons(people, late) == [(30001, "REPORT_RESOLVE_NOT_EXIST")]


def test_each_refusal_of_a_report_and_of_its_end(people, pair):
    ann, bob = pair
    assert reasons(people, report(people, ann, ann)) == [(30001, "USER_REPORT_SELF")]
    assert reasons(people, report(people, ann, people.unknown_user())) == [
        (30003, "USER_REPORT_ACCOUNT_NOT_EXIST")]
    assert reasons(people, report(people, ann, bob, category=0)) == [
        (30001, "USER_REPORT_CATEGORY_ILLEGAL")]
    assert reasons(people, report(people, ann, bob, text="x" * 5_000)) == [
        (30001, "USER_REPORT_TEXT_ILLEGAL")]
    assert report(people, ann, bob).code == 0
    [made] = people.relation("ListReports", reported_user_id=bob).reports
    ended = people.relation("ResolveReports", items=[
        {"report_id": "no id", "outcome": CLOSED}, {"report_id": made.report_id},
        {"report_id": made.report_id, "outcome": CLOSED, "note": "x" * 501}])
    assert [reason for _, reason in reasons(people, ended)] == [
        "REPORT_RESOLVE_ID_ILLEGAL", "REPORT_RESOLVE_OUTCOME_ILLEGAL",
        "REPORT_RESOLVE_NOTE_ILLEGAL"]
    twice = people.relation("ResolveReports", items=[
        {"report_id": made.report_id, "outcome": 1}, {"report_id": made.report_id, "outcome": 2}])
    assert reasons(people, twice)[1] == (30001, "REPORT_RESOLVE_DUPLICATE")


def test_reports_have_bounds_for_a_day_and_about_a_user(people):
    ann, *others = people(102)
    for other in others[:100]:
        assert report(people, ann, other).code == 0
    assert reasons(people, report(people, ann, others[100])) == [
        (30001, "USER_REPORT_TOO_FREQUENT")]
    (star, *crowd) = people(102)
    for user in crowd[:100]:
        assert report(people, user, star).code == 0
    assert reasons(people, report(people, crowd[100], star)) == [
        (30001, "USER_REPORT_NUM_EXCEED_THRESHOLD")]
