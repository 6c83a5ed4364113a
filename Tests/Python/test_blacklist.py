"""BlacklistService: what a blacklist ends and what it forbids."""

import pytest
from people import outcomes


@pytest.mark.parametrize("has_mine", [True, False])
@pytest.mark.parametrize("has_theirs", [True, False])
def test_the_friendship_ends_on_both_sides_and_tells_who_lost_it(
    people, has_mine, has_theirs
):
    ann, bob = people(2)
    if has_mine:
        people.import_friends([{"user_id": ann, "friend_id": bob}])
    if has_theirs:
        people.import_friends([{"user_id": bob, "friend_id": ann}])
    before = people.sequences(ann), people.sequences(bob)
    people.block(ann, bob)
    after = people.sequences(ann), people.sequences(bob)
    assert people.are_friends(ann, bob) == (False, False)
    changed = [[x != y for x, y in zip(old, new)] for old, new in zip(before, after)]
    # Of the other's lists only the friends may have changed: the blacklist is not its to know.
    assert changed == [[has_mine, False, True], [has_theirs, False, False]]


@pytest.mark.parametrize("applicant", ["ann", "bob"])
def test_applications_between_the_two_end_in_either_direction(people, applicant):
    ann, bob = people(2)
    people.apply(*((ann, bob) if applicant == "ann" else (bob, ann)))
    people.block(ann, bob)
    assert people.pendencies(ann) == people.pendencies(bob) == []


def test_applications_of_others_stay(people):
    ann, bob, eve = people(3)
    people.apply(eve, ann)
    people.apply(ann, eve, add_type="ADD_TYPE_SINGLE")
    people.block(ann, bob)
    assert people.incoming(ann) == people.outgoing(ann) == [eve]


def test_taking_off_restores_nothing(people):
    ann, bob = people(2)
    people.add(ann, bob, remark="Bobby")
    people.block(ann, bob)
    answer = people.relation("RemoveFromBlacklist", user_id=ann, user_ids=[bob])
    assert outcomes(answer) == [(0, "")]
    assert people.blacklist(ann) == []
    assert people.are_friends(ann, bob) == (False, False)
    people.add(ann, bob)
    assert people.friend(ann, bob).remark == ""


def test_adding_answers_each_id(people):
    ann, bob, eve = people(3)
    people.block(ann, eve)
    stranger = people.stranger()
    asked = [bob, ann, stranger, "", eve, bob]
    answer = people.relation("AddToBlacklist", user_id=ann, user_ids=asked)
    assert [result.user_id for result in answer.results] == asked
    assert outcomes(answer) == [
        (0, ""),
        (30001, "Err_SNS_BlackListAdd_Self"),
        (30003, "Err_SNS_BlackListAdd_Account_Not_Exist"),
        (30001, "Err_SNS_BlackListAdd_UserId_Illegal"),
        (31307, "Err_SNS_BlackListAdd_Already_Exist"),
        (0, ""),
    ]


def test_removing_answers_each_id(people):
    ann, bob, eve = people(3)
    people.block(ann, bob)
    stranger = people.stranger()
    asked = [bob, eve, stranger, "", ann, bob]
    answer = people.relation("RemoveFromBlacklist", user_id=ann, user_ids=asked)
    assert [result.user_id for result in answer.results] == asked
    not_there = (31503, "Err_SNS_BlackListDelete_Not_In_BlackList")
    assert outcomes(answer) == [
        (0, ""),
        not_there,
        (30003, "Err_SNS_BlackListDelete_Account_Not_Exist"),
        (30001, "Err_SNS_BlackListDelete_UserId_Illegal"),
        not_there,
        (0, ""),
    ]


@pytest.fixture(scope="module")
def blocked(people):
    """A user with 11 on its blacklist, three of them put there by one call."""
    users = people(12)
    ann, others = users[0], users[1:]
    for user in others[:0:-1][:8]:
        people.block(ann, user)
    people.block(ann, *others[:3][::-1])
    return ann, others


@pytest.mark.parametrize("page_size", [1, 2, 10, 11, 12, 1000, 0])
def test_pages_make_the_whole_list_in_order_of_time_and_id(people, blocked, page_size):
    ann, others = blocked
    pages = list(people.pages("ListBlacklist", page_size, user_id=ann))
    entries = [entry for page in pages for entry in page.entries]
    assert sorted(entry.user_id for entry in entries) == others
    keys = [(entry.add_time_ms, entry.user_id) for entry in entries]
    assert keys == sorted(keys)
    assert keys[0][0] > 1_600_000_000_000
    assert all(page.total_size == 11 for page in pages)
    assert all(len(page.entries) == page_size for page in pages[:-1])


def test_the_lists_sequence_is_that_of_its_last_change(people):
    ann, bob, eve = people(3)
    added = people.relation("AddToBlacklist", user_id=ann, user_ids=[bob, eve]).sequence
    people.set_profile(ann, nick="Ann")
    assert people.relation("ListBlacklist", user_id=ann).sequence == added
    removed = people.relation("RemoveFromBlacklist", user_id=ann, user_ids=[bob]).sequence
    assert people.relation("ListBlacklist", user_id=ann).sequence == removed > added


def test_an_empty_blacklist_is_one_empty_page(people):
    (ann,) = people(1)
    page = people.relation("ListBlacklist", user_id=ann)
    assert page == type(page)()


def test_a_thousand_are_blacklisted_and_taken_off_by_one_call(people):
    users = people(1001)
    ann, others = users[0], users[1:]
    people.block(ann, *others)
    assert people.relation("ListBlacklist", user_id=ann).total_size == 1000
    people.relation("RemoveFromBlacklist", user_id=ann, user_ids=others)
    assert people.blacklist(ann) == []
