"""Writes that are refused because the caller has not seen what it would change."""

import time

import pytest
from people import outcomes

AGREE_AND_ADD = 1
COME_IN, SEND_OUT = 1, 2
CHANGED = "Application_Changed"


@pytest.fixture
def applied(people):
    """Two users, of whom the first applied, withdrew, and applied again; and both ids."""
    ann, bob = people(2)
    ids = []
    for _ in range(2):
        people.apply(ann, bob)
        answer = people.relation("ListPendencies", user_id=bob, pendency_type=COME_IN)
        ids.append(answer.pendencies[0].application_id)
        if len(ids) == 1:
            people.relation("WithdrawApplications", user_id=ann, user_ids=[bob])
    assert ids[0] != ids[1]
    return ann, bob, ids


def test_an_answer_to_an_application_that_was_not_seen_changes_nothing(people, applied):
    ann, bob, (old, new) = applied
    refused = people.respond(bob, ann, AGREE_AND_ADD, application_id=old)
    assert refused == (30614, f"Err_SNS_FriendResponse_{CHANGED}")
    assert people.are_friends(ann, bob) == (False, False)
    assert people.respond(bob, ann, AGREE_AND_ADD, application_id=new) == (0, "")
    assert people.are_friends(ann, bob) == (True, True)


def test_another_application_is_neither_withdrawn_nor_deleted(people, applied):
    ann, bob, (old, new) = applied

    def withdraw(application):
        fields = {"user_ids": [bob], "application_ids": {bob: application}}
        return outcomes(people.relation("WithdrawApplications", user_id=ann, **fields))

    def delete(application):
        fields = {"user_ids": [ann], "application_ids": {ann: application}}
        answer = people.relation(
            "DeletePendencies", user_id=bob, pendency_type=COME_IN, **fields)
        return outcomes(answer)

    assert withdraw(old) == [(30614, f"Err_SNS_ApplicationWithdraw_{CHANGED}")]
    assert delete(old) == [(30614, f"Err_SNS_PendencyDelete_{CHANGED}")]
    assert people.incoming(bob) == [ann]
    assert delete(new) == [(0, "")]
    assert withdraw(new) == [(0, "")]


def test_a_row_that_changed_meanwhile_is_not_updated(people):
    ann, bob = people(2)
    people.befriend(ann, bob)
    seen = people.friend(ann, bob).sequence

    def rename(remark):
        item = {"user_id": bob, "remark": remark, "expected_sequence": seen}
        return outcomes(people.relation("UpdateFriends", user_id=ann, items=[item]))

    assert rename("first") == [(0, "")]
    assert rename("second") == [(30001, "Err_SNS_FriendUpdate_Sequence_Stale")]
    assert people.friend(ann, bob).remark == "first"


def test_the_later_report_of_a_device_holds_in_whichever_order_they_come(people):
    ann, bob = people(2)
    now = int(time.time() * 1000)

    def report(at, online):
        item = {
            "user_id": bob, "device_id": "phone", "online": online, "lease_seconds": 60,
            "report_time_ms": at,
        }  # fmt: skip
        answer = people.relation("ReportPresence", items=[item])
        return outcomes(answer)[0], answer.results[0].changed

    assert report(now, False) == ((0, ""), True)
    assert report(now - 5, True) == ((0, "Err_PresenceReport_Outdated"), False)
    (result,) = people.relation("GetPresence", user_id=ann, user_ids=[bob]).results
    assert not result.presence.online
    assert report(now + 3_600_000, True) == ((30001, "Err_PresenceReport_Time_Illegal"), False)
    assert report(-1, True) == ((30001, "Err_PresenceReport_Time_Illegal"), False)
    assert report(now + 1, True) == ((0, ""), True)
