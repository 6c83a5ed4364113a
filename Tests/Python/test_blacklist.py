"""BlacklistService: the relations that a blacklist ends, and the calls that it forbids."""

import pytest
from people import People, codes, outcomes

NO, A_WITH_B, B_WITH_A, BOTH_WAY = range(4)
SINGLE, BOTH = 1, 2


@pytest.mark.parametrize("has_mine", [True, False])
@pytest.mark.parametrize("has_theirs", [True, False])
def test_the_friendship_ends_on_both_sides_and_tells_who_lost_it(
    people, has_mine, has_theirs
):
    ann, bob = people(2)
    if has_mine:
        people.import_friends([{"user_id": ann, "friend_user_id": bob}])
    if has_theirs:
        people.import_friends([{"user_id": bob, "friend_user_id": ann}])
    before = people.sequences(ann), people.sequences(bob)
    people.block(ann, bob)
    after = people.sequences(ann), people.sequences(bob)
    assert people.are_friends(ann, bob) == (False, False)
    changed = [[x != y for x, y in zip(old, new)] for old, new in zip(before, after)]
    # Of the other user's lists only the friends may have changed: it may not learn of the
    # blacklist.
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
    unknown = people.unknown_user()
    asked = [bob, ann, unknown, "", eve, bob]
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
    unknown = people.unknown_user()
    asked = [bob, eve, unknown, "", ann, bob]
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


def check(people, user, *others, **fields):
    """The relations of a check in which every id is an account."""
    answer = people.relation("CheckBlacklist", user_id=user, user_ids=others, **fields)
    assert outcomes(answer) == [(0, "")] * len(others)
    return [result.relation for result in answer.results]


def test_a_check_tells_who_has_whom(people):
    ann, neither, mine, theirs, both = people(5)
    people.block(ann, mine, both)
    for user in (theirs, both):
        people.block(user, ann)
    asked = [neither, mine, theirs, both, ann, mine]
    wanted = [NO, A_WITH_B, B_WITH_A, BOTH_WAY, NO, A_WITH_B]
    assert check(people, ann, *asked, check_type=BOTH) == wanted
    assert check(people, ann, *asked) == wanted
    assert check(people, ann, *asked, check_type=SINGLE) == [NO, A_WITH_B, NO, A_WITH_B, NO, A_WITH_B]
    people.relation("RemoveFromBlacklist", user_id=ann, user_ids=[mine, both])
    assert check(people, ann, *asked) == [NO, NO, B_WITH_A, B_WITH_A, NO, NO]


def test_a_check_answers_each_id(people):
    ann, bob = people(2)
    unknown = people.unknown_user()
    asked = [bob, "", unknown, ann]
    answer = people.relation("CheckBlacklist", user_id=ann, user_ids=asked)
    assert [result.user_id for result in answer.results] == asked
    assert outcomes(answer) == [
        (0, ""),
        (30001, "Err_SNS_BlackListCheck_UserId_Illegal"),
        (30003, "Err_SNS_BlackListCheck_Account_Not_Exist"),
        (0, ""),
    ]


def test_who_is_blocked_may_not_send_and_who_blocks_may(people):
    ann, bob = people(2)
    people.block(ann, bob)
    blocked = (20007, "Err_Msg_SendCheck_In_Peer_BlackList")
    ask = {user: {"user_id": user, "user_ids": [ann, bob]} for user in (ann, bob)}
    assert outcomes(people.relation("CanSend", **ask[bob])) == [blocked, (0, "")]
    assert outcomes(people.relation("CanSend", **ask[ann])) == [(0, ""), (0, "")]
    people.relation("RemoveFromBlacklist", user_id=ann, user_ids=[bob])
    assert codes(people.relation("CanSend", **ask[bob])) == [0, 0]


def test_unrelated_users_may_send_unless_the_app_says_otherwise(people):
    ann, bob = people(2)
    assert codes(people.relation("CanSend", user_id=ann, user_ids=[bob])) == [0]


def test_the_gate_answers_each_id(people):
    ann, bob = people(2)
    people.block(bob, ann)
    unknown = people.unknown_user()
    asked = [bob, " ", unknown, ann, bob]
    answer = people.relation("CanSend", user_id=ann, user_ids=asked)
    assert [result.user_id for result in answer.results] == asked
    assert outcomes(answer) == [
        (20007, "Err_Msg_SendCheck_In_Peer_BlackList"),
        (30001, "Err_Msg_SendCheck_UserId_Illegal"),
        (30003, "Err_Msg_SendCheck_Account_Not_Exist"),
        (0, ""),
        (20007, "Err_Msg_SendCheck_In_Peer_BlackList"),
    ]


@pytest.mark.parametrize("name", ["CheckBlacklist", "CanSend"])
def test_a_thousand_are_asked_about_at_once(people, name):
    users = people(1001)
    people.block(users[1], users[0])
    answer = people.relation(name, user_id=users[0], user_ids=users[1:])
    assert [result.user_id for result in answer.results] == users[1:]
    if name == "CanSend":
        assert codes(answer) == [20007] + [0] * 999
    else:
        assert [result.relation for result in answer.results] == [B_WITH_A] + [NO] * 999


@pytest.mark.parametrize("blocker", ["ann", "bob"])
def test_no_user_blocked_either_way_can_apply_or_be_accepted(people, blocker):
    # Nakama #264: a blocked user could still apply, and acceptance made "blocked and friends".
    ann, bob = people(2)
    people.apply(bob, ann)
    people.block(*((ann, bob) if blocker == "ann" else (bob, ann)))
    mine, theirs = (30515, 30525) if blocker == "ann" else (30525, 30515)
    assert people.respond(ann, bob, 1)[0] == 30614
    assert people.add(ann, bob)[0] == mine
    assert people.add(bob, ann)[0] == theirs
    assert people.add(bob, ann, force=True)[0] == theirs
    assert people.are_friends(ann, bob) == (False, False)
    assert people.pendencies(ann) == people.pendencies(bob) == []


def test_a_blocked_applicant_causes_no_event_of_the_blocker(people):
    # Nakama #1105: a blocked sender still made a notification.
    ann, bob = people(2)
    people.block(ann, bob)
    before = people.sequences(ann)
    people.add(bob, ann)
    people.add(bob, ann, add_type="ADD_TYPE_SINGLE")
    assert people.sequences(ann) == before


# Settings of the app


def test_an_app_may_keep_friendships_of_the_blacklisted(relation):
    app = relation("CreateApp", settings={"keeps_friendship_on_blacklist": True}).app
    people = People(relation.in_app(app.app_id))
    ann, bob, eve = people(3)
    people.befriend(ann, bob)
    people.apply(eve, ann)
    sequences = people.sequences(bob)
    people.block(ann, bob, eve)
    assert people.are_friends(ann, bob) == (True, True)
    assert people.sequences(bob) == sequences
    # Applications still end, and no new ones can be made.
    assert people.incoming(ann) == people.outgoing(eve) == []
    assert people.add(eve, ann)[0] == 30525
    people.relation("RemoveFromBlacklist", user_id=ann, user_ids=[bob])
    assert people.are_friends(ann, bob) == (True, True)
