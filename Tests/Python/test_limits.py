"""The limits of an app's lists, each reached: the answers for the last place and for the one beyond
it."""

import pytest
from people import codes

FRIENDS, BLACKLIST, GROUPS, PENDENCIES = 3000, 1000, 32, 100
AGREE, AGREE_AND_ADD, REJECT = range(3)
SELF_FULL = (30010, "Err_SNS_FriendAdd_My_Friend_Num_Exceed_Threshold")
THEIR_FULL = (30014, "Err_SNS_FriendAdd_Peer_Friend_Num_Exceed_Threshold")
GROUP_LIMIT = (30011, "Err_SNS_FriendAdd_Group_Num_Exceed_Threshold")
PENDENCY_LIMIT = (30012, "Err_SNS_FriendAdd_Pendency_Num_Exceed_Threshold")


def import_row(people, **row):
    """The answer to one row of ImportFriends."""
    rows, _ = people.imported("ImportFriends", [{"row": row}])
    return (rows[0].code, rows[0].info) if rows else (0, "")


# Friends


@pytest.fixture(scope="module")
def full(people):
    """A user with a full friend list, whom every user may add; no friend has it."""
    users = people(FRIENDS + 1)
    owner, friends = users[0], users[1:]
    people.import_friends([{"user_id": owner, "friend_user_id": user} for user in friends])
    assert people.relation("ListFriends", user_id=owner).total_size == FRIENDS
    yield owner
    # No test has changed the state on which the next one relies.
    assert people.relation("ListFriends", user_id=owner).total_size == FRIENDS


@pytest.mark.parametrize("add_type", ["ADD_TYPE_SINGLE", "ADD_TYPE_BOTH"])
@pytest.mark.parametrize("force", [False, True])
def test_who_is_full_adds_no_friend(people, full, add_type, force):
    (ann,) = people(1)
    assert people.add(full, ann, add_type=add_type, force=force) == SELF_FULL
    assert people.are_friends(full, ann) == (False, False)


def test_who_is_full_is_added_one_way_only(people, full):
    (ann,) = people(1)
    assert people.add(ann, full) == THEIR_FULL
    assert people.are_friends(ann, full) == (False, False)
    assert people.add(ann, full, add_type="ADD_TYPE_SINGLE") == (0, "")
    assert people.add(ann, full) == THEIR_FULL


def test_the_own_list_is_looked_at_first(people, full):
    users = people(FRIENDS + 1)
    people.import_friends([{"user_id": users[0], "friend_user_id": user} for user in users[1:]])
    assert people.add(users[0], full) == SELF_FULL


def test_a_friend_of_the_full_list_can_still_be_completed(people, full):
    friend = people.friends(full)[17].user_id
    assert people.add(full, friend) == (0, "")
    assert people.are_friends(full, friend) == (True, True)


def test_who_is_full_still_applies_and_is_not_let_in(people, full):
    (ann,) = people(1)
    people.need_confirm(ann)
    assert people.add(full, ann)[0] == 30539
    for response_type in (AGREE, AGREE_AND_ADD):
        assert people.respond(ann, full, response_type) == (
            30014, "Err_SNS_FriendResponse_Peer_Friend_Num_Exceed_Threshold",
        )  # fmt: skip
    assert people.incoming(ann) == [full]
    assert people.respond(ann, full, REJECT) == (0, "")


def test_who_denies_is_asked_before_the_list_is(people, full):
    (ann,) = people(1)
    people.deny_any(ann)
    assert people.add(full, ann)[0] == 30516


def test_who_is_full_agrees_and_does_not_add(people, full):
    (ann,) = people(1)
    people.need_confirm(full)
    try:
        assert people.add(ann, full)[0] == 30539
        answer = people.respond(full, ann, AGREE_AND_ADD)
        assert answer == (30010, "Err_SNS_FriendResponse_My_Friend_Num_Exceed_Threshold")
        # To add the applicant would write both rows at once, so the list is checked first.
        assert people.add(full, ann) == SELF_FULL
        assert people.incoming(full) == [ann]
        assert people.respond(full, ann, AGREE) == (0, "")
        assert people.are_friends(ann, full) == (True, False)
    finally:
        people.allow_any(full)


def test_an_import_stops_at_the_limit_of_either_side(people, full):
    (ann,) = people(1)
    assert import_row(people, user_id=full, friend_user_id=ann) == (
        30010, "Err_SNS_FriendImport_My_Friend_Num_Exceed_Threshold",
    )  # fmt: skip
    both = {"user_id": ann, "friend_user_id": full, "both_ways": True, "remark": "x"}
    assert import_row(people, **both) == (
        30014, "Err_SNS_FriendImport_Peer_Friend_Num_Exceed_Threshold",
    )  # fmt: skip
    assert people.are_friends(ann, full) == (False, False)
    friend = people.friends(full)[99].user_id
    assert import_row(people, user_id=full, friend_user_id=friend, remark="still mine") == (0, "")


def test_a_place_that_is_given_up_is_free_again(people, full):
    ann, bob = people(2)
    friend = people.friends(full)[-1].user_id
    people.relation("DeleteFriends", user_id=full, user_ids=[friend])
    answer = people.relation(
        "AddFriends", user_id=full, items=[{"user_id": user} for user in (ann, bob)]
    )
    assert codes(answer) == [0, 30010]


# Blacklist


def test_the_blacklist_takes_a_thousand(people):
    users = people(BLACKLIST + 3)
    ann, bob, eve, others = users[0], users[1], users[2], users[3:]
    people.block(ann, *others)
    asked = [bob, others[0], people.unknown_user(), ann]
    answer = people.relation("AddToBlacklist", user_id=ann, user_ids=asked)
    assert codes(answer) == [30013, 31307, 30003, 30001]
    assert answer.results[0].info == "Err_SNS_BlackListAdd_BlackList_Num_Exceed_Threshold"
    people.relation("RemoveFromBlacklist", user_id=ann, user_ids=[others[5]])
    answer = people.relation("AddToBlacklist", user_id=ann, user_ids=[bob, eve])
    assert codes(answer) == [0, 30013]
    assert people.relation("ListBlacklist", user_id=ann).total_size == BLACKLIST


def test_a_full_blacklist_leaves_the_friendship(people):
    users = people(BLACKLIST + 2)
    ann, bob, others = users[0], users[1], users[2:]
    people.block(ann, *others)
    people.befriend(ann, bob)
    assert codes(people.relation("AddToBlacklist", user_id=ann, user_ids=[bob])) == [30013]
    assert people.are_friends(ann, bob) == (True, True)


# Groups


@pytest.fixture
def grouped(people):
    """A user with as many groups as there may be, `g0` to `g31`, and the friend that is in them."""
    ann, bob = people(2)
    groups = {"values": [f"g{number}" for number in range(GROUPS)]}
    people.import_friends([{"user_id": ann, "friend_user_id": bob, "groups": groups}])
    return ann, bob


def test_one_friend_may_be_in_all_groups(people, grouped):
    ann, bob = grouped
    assert list(people.friend(ann, bob).groups) == [f"g{number}" for number in range(GROUPS)]


@pytest.mark.parametrize("add_type", ["ADD_TYPE_SINGLE", "ADD_TYPE_BOTH"])
def test_a_friend_is_not_added_into_one_group_too_many(people, grouped, add_type):
    ann, _ = grouped
    (eve,) = people(1)
    assert people.add(ann, eve, add_type=add_type, group="g32") == GROUP_LIMIT
    assert people.are_friends(ann, eve) == (False, False)
    assert people.add(ann, eve, add_type=add_type, group="g31") == (0, "")


def test_an_update_into_one_group_too_many_changes_nothing(people, grouped):
    ann, bob = grouped
    before = people.friend(ann, bob)
    item = {"user_id": bob, "remark": "new", "update_mask": {"paths": ["remark", "groups"]}}
    answer = people.relation(
        "UpdateFriends", user_id=ann, items=[{**item, "groups": ["g0", "g32"]}]
    )
    assert codes(answer) == [30011]
    assert answer.results[0].info == "Err_SNS_FriendUpdate_Group_Num_Exceed_Threshold"
    assert people.friend(ann, bob) == before


def test_more_groups_than_there_may_be_are_refused_at_once(people):
    ann, bob = people(2)
    people.befriend(ann, bob)
    groups = [f"g{number}" for number in range(GROUPS + 1)]
    item = {"user_id": bob, "groups": groups, "update_mask": {"paths": ["groups"]}}
    assert codes(people.relation("UpdateFriends", user_id=ann, items=[item])) == [30011]


def test_an_imported_row_with_one_group_too_many_changes_nothing(people, grouped):
    ann, bob = grouped
    (eve,) = people(1)
    groups = {"values": ["g0", "g32"]}
    refused = (30011, "Err_SNS_FriendImport_Group_Num_Exceed_Threshold")
    before = people.friend(ann, bob)
    assert import_row(people, user_id=ann, friend_user_id=bob, groups=groups, remark="x") == refused
    assert people.friend(ann, bob) == before
    row = {"user_id": ann, "friend_user_id": eve, "both_ways": True, "groups": groups}
    assert import_row(people, **row) == refused
    assert people.are_friends(ann, eve) == (False, False)


def test_a_group_without_room_is_left_out_when_an_application_is_accepted(people, grouped):
    ann, _ = grouped
    (eve,) = people(1)
    people.need_confirm(eve)
    assert people.add(ann, eve, group="g32", remark="kept")[0] == 30539
    assert people.respond(eve, ann, AGREE) == (0, "")
    row = people.friend(ann, eve)
    assert (list(row.groups), row.remark) == ([], "kept")


def test_a_group_without_room_is_left_out_of_an_answer(people, grouped):
    ann, _ = grouped
    (eve,) = people(1)
    people.apply(eve, ann)
    assert people.respond(ann, eve, AGREE_AND_ADD, group="g32", remark="kept") == (0, "")
    row = people.friend(ann, eve)
    assert (list(row.groups), row.remark) == ([], "kept")


# Pendencies


def test_a_user_applies_to_a_hundred_at_a_time(people):
    users = people(PENDENCIES + 4)
    ann, bob, eve, joe, others = users[0], users[1], users[2], users[3], users[4:]
    for user in [bob, eve, joe, *others]:
        people.need_confirm(user)
    answer = people.relation(
        "AddFriends", user_id=ann, items=[{"user_id": user} for user in others]
    )
    assert codes(answer) == [30539] * PENDENCIES
    assert people.add(ann, bob) == PENDENCY_LIMIT
    assert people.incoming(bob) == []
    # To renew an application takes no place, and neither does meeting one.
    assert people.add(ann, others[0], wording="again")[0] == 30539
    people.apply(eve, ann)
    assert people.add(ann, eve) == (0, "")
    assert people.respond(others[1], ann, REJECT) == (0, "")
    assert people.add(ann, bob)[0] == 30539
    assert people.add(ann, joe) == PENDENCY_LIMIT


def test_a_hundred_apply_to_a_user_at_a_time(people):
    users = people(PENDENCIES + 2)
    ann, bob, others = users[0], users[1], users[2:]
    people.need_confirm(ann)
    for user in others:
        assert people.add(user, ann)[0] == 30539
    assert people.add(bob, ann) == PENDENCY_LIMIT
    assert people.outgoing(bob) == []
    assert people.add(others[0], ann)[0] == 30539
    assert people.relation("ListPendencies", user_id=ann).unread_count == PENDENCIES
    assert people.respond(ann, others[1], AGREE) == (0, "")
    assert people.add(bob, ann)[0] == 30539


def test_both_directions_are_counted_apart(people):
    users = people(PENDENCIES + 2)
    ann, bob, others = users[0], users[1], users[2:]
    people.need_confirm(ann)
    people.need_confirm(bob)
    for user in others:
        people.add(user, ann)
    assert people.add(ann, bob)[0] == 30539
    assert len(people.pendencies(ann)) == PENDENCIES
    page = people.relation("ListPendencies", user_id=ann)
    rest = people.relation("ListPendencies", user_id=ann, timestamp_ms=page.timestamp_ms)
    assert (len(rest.pendencies), rest.timestamp_ms) == (1, 0)


# Pages


def test_a_page_ends_at_one_mebibyte(people):
    users = people(1001)
    ann, others = users[0], users[1:]
    row = {
        "remark": "r" * 96,
        "wording": "w" * 120,
        "groups": {"values": [f"{number:02}" + "g" * 28 for number in range(GROUPS)]},
    }
    people.import_friends([{"user_id": ann, "friend_user_id": user, **row} for user in others])
    pages = list(people.pages("ListFriends", 1000, user_id=ann))
    assert [friend.user_id for page in pages for friend in page.friends] == others
    sizes = [sum(friend.ByteSize() for friend in page.friends) for page in pages]
    assert len(pages) == 2
    assert (1 << 20) - 2000 < sizes[0] <= 1 << 20
