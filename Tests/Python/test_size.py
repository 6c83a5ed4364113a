"""A text that is too long is refused by its own rule, however long it is, and never after the work
was done."""

import grpc
import pytest
from refusals import refusal

HUGE = "x" * (4 * 1024 * 1024 - 100)


def test_an_id_of_almost_a_message_hurts_no_other_item(people):
    ann, bob = people(2)
    call = dict(user_id=ann, items=[{"user_id": bob}, {"user_id": HUGE}],
                options={"request_id": "huge"})
    first = people.relation("AddFriends", **call)
    assert [result.code for result in first.results] == [0, 30001]
    assert first.results[1].user_id == HUGE[:256]
    again = people.relation("AddFriends", **call)
    assert again.replayed
    assert list(again.results) == list(first.results)


@pytest.mark.parametrize("name", ["CheckFriends", "GetFriends", "GetProfiles"])
def test_a_read_repeats_the_beginning_of_such_an_id(people, name):
    (ann,) = people(1)
    answer = people.relation(name, user_id=ann, user_ids=["é" * 200, HUGE[:-1000]])
    assert [result.user_id for result in answer.results] == ["é" * 128, HUGE[:256]]
    assert all(result.code in (30001, 40001) for result in answer.results)


def test_an_import_names_such_a_row_and_goes_on(people):
    ann, bob = people(2)
    rows = [{"row": {"user_id": HUGE, "friend_user_id": bob}},
            {"row": {"user_id": ann, "friend_user_id": bob}}]
    answers = list(people.relation.stream("ImportFriends", rows))
    results = [answer.row for answer in answers if answer.HasField("row")]
    assert [(row.row_number, row.code, row.user_id) for row in results] == [(1, 30001, HUGE[:256])]
    assert answers[-1].progress.accepted == 1


def test_a_list_beyond_all_measure_is_a_list_that_is_too_long(people):
    (ann,) = people(1)
    refused = refusal(people.relation, "CheckFriends", user_id=ann, user_ids=[""] * 1_900_000)
    assert refused.code == grpc.StatusCode.INVALID_ARGUMENT
    assert refused.reason == "TOO_MANY_ITEMS"


def test_an_answered_request_counts_no_more_as_half_sent(channel, stubs, people):
    """The requests of calls that go on do not count against the connection."""
    watch = channel.unary_stream("/relation.v1.ChangeService/Watch")
    (user,) = people(1)
    request = stubs.request("Watch", {"user_id": user}).SerializeToString()
    # Three million bytes in field 1,000, which it does not have.
    request += b"\xc2\x3e" + b"\xc0\x8d\xb7\x01" + bytes(3_000_000)
    calls = []
    for _ in range(14):
        calls.append(watch(request, timeout=60))
        assert next(calls[-1])
    for call in calls:
        call.cancel()
