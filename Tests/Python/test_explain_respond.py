"""ExplainRespond over the wire: for each code of RespondToApplications the same answer, with the
rungs up to it."""

import pytest
from people import People

AGREE, AGREE_AND_ADD, REJECT = 0, 1, 2
SUSPENDED = 2


@pytest.fixture
def small(relation):
    """An app whose lists have room for one friend."""
    made = relation("CreateApp", settings={"limits": {"friends": 1}}).app.app_id
    return People(relation.in_app(made))


def explained(people, responder, applicant, kind=AGREE_AND_ADD, application_id="", **more):
    """The code, the reason and the last rung of the explanation, which the write answers too."""
    told = people.relation(
        "ExplainRespond", from_user_id=responder, to_user_id=applicant, response_type=kind,
        application_id=application_id, **more)  # fmt: skip
    if not more:
        item = {"user_id": applicant, "response_type": kind, "application_id": application_id}
        (tried,) = people.relation(
            "RespondToApplications", user_id=responder, items=[item], options={"dry_run": True},
        ).results  # fmt: skip
        assert (told.code, told.reason, told.info) == (tried.code, tried.reason, tried.info)
    assert [rung.decided for rung in told.rungs] == [False] * (len(told.rungs) - 1) + [True]
    names = people.stubs.RungKind.Name(told.rungs[-1].kind), people.stubs.Reason.Name(told.reason)
    return (told.code, *(name.split("_", 2)[2] if n == 0 else name for n, name in enumerate(names)))


def test_an_answer_that_nothing_stands_in_the_way_of_ends_at_its_write(people):
    ann, bob = people(2)
    people.apply(bob, ann)
    for kind in (AGREE, AGREE_AND_ADD, REJECT):
        assert explained(people, ann, bob, kind) == (0, "WRITE", "REASON_UNSPECIFIED")
    # Nothing says which answer: both would get a row.
    told = people.relation("ExplainRespond", from_user_id=ann, to_user_id=bob)
    kinds = [people.stubs.RungKind.Name(rung.kind) for rung in told.rungs]
    assert "RUNG_KIND_OWN_FRIEND_ROOM" in kinds and "RUNG_KIND_PEER_FRIEND_ROOM" in kinds


def test_the_first_rung_that_refuses_ends_the_ladder(people):
    ann, bob = people(2)
    reason = "REASON_SNS_FRIEND_RESPONSE_"
    assert explained(people, ann, " ") == (30001, "PEER_ID", f"{reason}USER_ID_ILLEGAL")
    ghost = people.unknown_user()
    assert explained(people, ann, ghost) == (
        30003, "PEER_ACCOUNT", f"{reason}ACCOUNT_NOT_EXIST")
    assert explained(people, ann, bob) == (
        30614, "WAITING_APPLICATION", f"{reason}PENDENCY_NOT_EXIST")
    people.apply(bob, ann)
    assert explained(people, ann, bob, application_id="another") == (
        30614, "MEANT_APPLICATION", f"{reason}APPLICATION_CHANGED")
    people.relation("SuspendAccounts", items=[{"user_id": ann, "level": SUSPENDED}])
    assert explained(people, ann, bob) == (0, "WRITE", "REASON_UNSPECIFIED")
    assert explained(people, ann, bob, as_user=True) == (
        30540, "OWN_SUSPENSION", f"{reason}SELF_SUSPENDED")


def test_a_full_list_decides(small):
    ann, bob, kim = small(3)
    small.apply(bob, ann)
    reason = "REASON_SNS_FRIEND_RESPONSE_"
    small.import_friends([{"user_id": bob, "friend_user_id": kim}])
    assert explained(small, ann, bob) == (
        30014, "PEER_FRIEND_ROOM", f"{reason}PEER_FRIEND_NUM_EXCEED_THRESHOLD")
    small.import_friends([{"user_id": ann, "friend_user_id": kim}])
    assert explained(small, ann, bob) == (
        30010, "OWN_FRIEND_ROOM", f"{reason}MY_FRIEND_NUM_EXCEED_THRESHOLD")


def test_a_caller_that_is_unknown_has_a_code_here(people):
    (bob,) = people(1)
    told = people.relation("ExplainRespond", from_user_id=people.unknown_user(), to_user_id=bob)
    assert told.code == 30003 and len(told.rungs) == 1 and told.rungs[0].decided
