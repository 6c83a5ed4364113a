"""FriendGroupService: named sets of friends."""

import concurrent.futures

import pytest
from people import People, codes, codes_of_members, outcomes
from refusals import assert_invalid, refusal

EXIST = (30001, "Err_SNS_GroupAdd_Group_Exist")
LIMIT = (30011, "Err_SNS_GroupAdd_Group_Num_Exceed_Threshold")
NAME_ILLEGAL = (30001, "Err_SNS_GroupUpdate_GroupName_Illegal")
NOT_EXIST = (30001, "Err_SNS_GroupUpdate_Group_Not_Exist")
DONE = (0, "")


@pytest.fixture
def friends(people):
    """A user with three friends."""
    users = people(4)
    people.befriend(*users)
    return users


def create(people, user, *names, members=(), **options):
    return people.relation(
        "CreateFriendGroups", user_id=user, names=names, user_ids=members, options=options
    )


def rename(people, user, name, new_name):
    answer = people.relation("RenameFriendGroup", user_id=user, name=name, new_name=new_name)
    assert answer.result.name == name[:256]
    return answer.result.code, answer.result.info


def row_groups(people, user, friend):
    return list(people.friend(user, friend).groups)


# Create


def test_the_same_members_go_into_all_new_groups(people, friends):
    ann, bob, eve, joe = friends
    answer = create(people, ann, "zebra", "ant", members=[joe, bob])
    assert [result.name for result in answer.results] == ["zebra", "ant"]
    assert outcomes(answer) == [DONE] * 2
    assert [[m.user_id for m in result.members] for result in answer.results] == [[joe, bob]] * 2
    assert codes_of_members(answer) == [[0, 0]] * 2
    assert people.groups(ann) == {"zebra": [bob, joe], "ant": [bob, joe]}
    assert row_groups(people, ann, bob) == ["zebra", "ant"]
    assert row_groups(people, ann, eve) == []
    assert people.groups(bob) == {}


def test_groups_keep_the_order_in_which_they_were_made(people, friends):
    ann, bob = friends[:2]
    create(people, ann, "m", "z")
    create(people, ann, "a", members=[bob])
    people.relation(
        "UpdateFriends",
        user_id=ann,
        items=[{"user_id": bob, "groups": ["k"], "update_mask": {"paths": ["groups"]}}],
    )
    assert list(people.groups(ann)) == ["m", "z", "a", "k"]


def test_a_member_who_is_no_friend_fails_alone_and_the_group_is_made(people, friends):
    ann, bob = friends[:2]
    (eve,) = people(1)
    unknown = people.unknown_user()
    answer = create(people, ann, "work", members=[eve, bob, unknown, "", ann, bob])
    assert outcomes(answer) == [DONE]
    assert [(m.code, m.info) for m in answer.results[0].members] == [
        (32216, "Err_SNS_GroupAdd_ToTinyId_Not_Friend"),
        DONE,
        (30003, "Err_SNS_GroupAdd_Account_Not_Exist"),
        (30001, "Err_SNS_GroupAdd_UserId_Illegal"),
        (32216, "Err_SNS_GroupAdd_ToTinyId_Not_Friend"),
        DONE,
    ]
    assert [m.user_id for m in answer.results[0].members] == [eve, bob, unknown, "", ann, bob]
    assert people.groups(ann) == {"work": [bob]}


def test_a_group_that_exists_fails_alone(people, friends):
    ann, bob = friends[:2]
    people.group(ann, "old")
    answer = create(people, ann, "new", "old", "newer", members=[bob])
    assert outcomes(answer) == [DONE, EXIST, DONE]
    assert codes_of_members(answer) == [[0], [], [0]]
    assert people.groups(ann) == {"old": [], "new": [bob], "newer": [bob]}


def test_the_same_name_twice_is_made_once_and_answered_twice(people, friends):
    ann, bob = friends[:2]
    answer = create(people, ann, "twice", "other", "twice", members=[bob, bob])
    assert outcomes(answer) == [DONE] * 3
    assert codes_of_members(answer) == [[0, 0]] * 3
    assert people.groups(ann) == {"twice": [bob], "other": [bob]}


@pytest.mark.parametrize("name", ["", "x" * 31, "é" * 15 + "x", "x" * 300], ids=len)
def test_a_malformed_name_fails_alone(people, friends, name):
    ann = friends[0]
    answer = create(people, ann, "fine", name)
    assert outcomes(answer) == [DONE, (30001, "Err_SNS_GroupAdd_GroupName_Illegal")]
    assert answer.results[1].name == name[:256]
    assert list(people.groups(ann)) == ["fine"]


@pytest.mark.parametrize("name", ["x", "x" * 30, "é" * 15, " ", "a\0b", "\n", "朋友"])
def test_a_name_is_any_text_of_30_bytes(people, friends, name):
    ann, bob = friends[:2]
    create(people, ann, name, members=[bob])
    assert people.groups(ann) == {name: [bob]}
    assert row_groups(people, ann, bob) == [name]
    answer = people.relation("GetFriendGroups", user_id=ann, names=[name])
    assert (answer.results[0].name, answer.results[0].group.member_count) == (name, 1)


def test_names_that_only_look_the_same_are_two_groups(people, friends):
    ann = friends[0]
    names = ["caf\u00e9", "cafe\u0301"]
    assert outcomes(create(people, ann, *names)) == [DONE] * 2
    assert list(people.groups(ann)) == names


def test_a_user_has_32_groups(people, friends):
    ann = friends[0]
    names = [f"g{number}" for number in range(33)]
    answer = create(people, ann, *names)
    assert outcomes(answer) == [DONE] * 32 + [LIMIT]
    assert list(people.groups(ann)) == names[:32]
    # An existing group is reported before a full list.
    assert outcomes(create(people, ann, "g5", "one more")) == [EXIST, LIMIT]
    people.relation("DeleteFriendGroups", user_id=ann, names=["g7"])
    assert outcomes(create(people, ann, "one more", "g7")) == [DONE, LIMIT]


def test_two_writers_at_the_limit_make_one_group(people, friends):
    ann = friends[0]
    create(people, ann, *[f"g{number}" for number in range(31)])
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        made = [pool.submit(create, people, ann, f"last {number}") for number in range(8)]
        answers = [outcomes(call.result())[0] for call in made]
    assert sorted(answers) == [DONE] + [LIMIT] * 7
    assert len(people.groups(ann)) == 32


def test_all_or_nothing_counts_the_members_too(people, friends):
    ann, bob = friends[:2]
    (eve,) = people(1)
    answer = create(people, ann, "one", "two", members=[bob, eve], all_or_nothing=True)
    assert not answer.applied
    assert (codes(answer), codes_of_members(answer)) == ([0, 0], [[0, 32216]] * 2)
    assert people.groups(ann) == {}
    answer = create(people, ann, "one", "two", members=[bob], all_or_nothing=True)
    assert answer.applied
    assert people.groups(ann) == {"one": [bob], "two": [bob]}


def test_a_dry_run_makes_nothing_and_a_repetition_makes_nothing_twice(people, friends):
    ann, bob = friends[:2]
    dry = create(people, ann, "one", members=[bob], dry_run=True)
    assert (dry.applied, people.groups(ann)) == (False, {})
    first = create(people, ann, "one", members=[bob], request_id="r")
    again = create(people, ann, "one", members=[bob], request_id="r")
    assert (first.replayed, again.replayed) == (False, True)
    assert first.results == again.results
    assert (outcomes(dry), codes_of_members(dry)) == (outcomes(first), codes_of_members(first))
    for result in dry.results:
        assert not result.changed and not any(member.changed for member in result.members)
    for result in first.results:
        assert result.changed and all(member.changed for member in result.members)
    assert first.sequence == again.sequence > dry.sequence


# The lists of requests


@pytest.mark.parametrize("name", ["CreateFriendGroups", "DeleteFriendGroups", "GetFriendGroups"])
def test_a_hundred_names_and_no_more(people, name):
    (ann,) = people(1)
    names = [f"g{number}" for number in range(101)]
    refused = refusal(people.relation, name, user_id=ann, names=names)
    assert_invalid(refused, "names", reason="TOO_MANY_ITEMS")
    assert refused.metadata == {"limit": "100", "actual": "101"}
    assert len(people.relation(name, user_id=ann, names=names[:100]).results) == 100


@pytest.mark.parametrize("name", ["CreateFriendGroups", "DeleteFriendGroups"])
def test_a_write_names_one_group_at_least(people, name):
    (ann,) = people(1)
    assert_invalid(refusal(people.relation, name, user_id=ann, names=[]), "names")


@pytest.mark.parametrize("name", ["AddFriendsToGroup", "RemoveFriendsFromGroup"])
def test_a_thousand_members_and_no_more(people, name):
    (ann,) = people(1)
    ids = [f"unknown{number}" for number in range(1001)]
    fields = {"user_id": ann, "name": "g"}
    assert_invalid(refusal(people.relation, name, **fields), "user_ids")
    refused = refusal(people.relation, name, user_ids=ids, **fields)
    assert_invalid(refused, "user_ids", reason="TOO_MANY_ITEMS")
    assert outcomes(people.relation(name, user_ids=ids[:1000], **fields)) == [NOT_EXIST] * 1000


@pytest.mark.parametrize("names, limit", [(1, 1000), (10, 1000), (11, 909), (100, 100)])
def test_names_times_members_are_ten_thousand(people, names, limit):
    (ann,) = people(1)
    fields = {"user_id": ann, "names": [f"g{number}" for number in range(names)]}
    ids = [f"unknown{number}" for number in range(limit + 1)]
    refused = refusal(people.relation, "CreateFriendGroups", user_ids=ids, **fields)
    assert_invalid(refused, "user_ids", reason="TOO_MANY_ITEMS")
    assert refused.metadata == {"limit": str(limit), "actual": str(limit + 1)}
    fields["options"] = {"dry_run": True}
    answer = people.relation("CreateFriendGroups", user_ids=ids[:limit], **fields)
    assert codes_of_members(answer)[0] == [30003] * limit


# Delete and rename


def test_deleting_answers_each_name_and_keeps_friends(people, friends):
    ann, bob, eve, _ = friends
    create(people, ann, "one", "two", "three", members=[bob, eve])
    names = ["one", "none", "", "x" * 257, "three", "one"]
    answer = people.relation("DeleteFriendGroups", user_id=ann, names=names)
    assert [result.name for result in answer.results] == [name[:256] for name in names]
    assert outcomes(answer) == [
        DONE, NOT_EXIST, NAME_ILLEGAL, NAME_ILLEGAL, DONE, DONE,
    ]  # fmt: skip
    assert people.groups(ann) == {"two": [bob, eve]}
    assert row_groups(people, ann, bob) == row_groups(people, ann, eve) == ["two"]
    assert people.are_friends(ann, bob) == (True, True)


def test_a_deleted_group_of_a_thousand_is_one_call(people):
    users = people(1001)
    ann, others = users[0], users[1:]
    people.befriend(ann, *others)
    people.group(ann, "all", *others)
    assert people.groups(ann) == {"all": others}
    answer = people.relation("DeleteFriendGroups", user_id=ann, names=["all"])
    assert outcomes(answer) == [DONE]
    assert all(not friend.groups for friend in people.friends(ann))


def test_a_renamed_group_keeps_its_place_and_members(people, friends):
    ann, bob, eve, _ = friends
    create(people, ann, "one", "two", "three", members=[bob, eve])
    assert rename(people, ann, "two", "2") == DONE
    assert people.groups(ann) == {name: [bob, eve] for name in ("one", "2", "three")}
    assert list(people.groups(ann)) == ["one", "2", "three"]
    assert row_groups(people, ann, bob) == ["one", "2", "three"]


def test_the_old_name_must_exist_and_the_new_one_must_not(people, friends):
    ann = friends[0]
    create(people, ann, "one", "two")
    exist = (30001, "Err_SNS_GroupUpdate_Group_Exist")
    illegal = (30001, "Err_SNS_GroupUpdate_NewGroupName_Illegal")
    assert rename(people, ann, "none", "new") == NOT_EXIST
    assert rename(people, ann, "none", "two") == NOT_EXIST
    assert rename(people, ann, "one", "two") == exist
    assert rename(people, ann, "one", "one") == exist
    for name in ("", "x" * 257):
        assert rename(people, ann, name, "") == NAME_ILLEGAL
    for name in ("", "x" * 31, "é" * 16):
        assert rename(people, ann, "one", name) == illegal
        assert rename(people, ann, "none", name) == illegal
    assert people.groups(ann) == {"one": [], "two": []}


# Members


def test_putting_into_a_group_answers_each_id(people, friends):
    ann, bob, eve, _ = friends
    people.group(ann, "work", bob)
    (joe,) = people(1)
    unknown = people.unknown_user()
    asked = [eve, bob, joe, unknown, "", ann, eve]
    answer = people.relation("AddFriendsToGroup", user_id=ann, name="work", user_ids=asked)
    assert [result.user_id for result in answer.results] == asked
    not_friend = (32518, "Err_SNS_GroupUpdate_Not_Friend")
    assert outcomes(answer) == [
        DONE,
        (32519, "Err_SNS_GroupUpdate_Already_In_Group"),
        not_friend,
        (30003, "Err_SNS_GroupUpdate_Account_Not_Exist"),
        (30001, "Err_SNS_GroupUpdate_UserId_Illegal"),
        not_friend,
        DONE,
    ]
    assert people.groups(ann) == {"work": [bob, eve]}


def test_taking_out_of_a_group_answers_each_id(people, friends):
    ann, bob, eve, joe = friends
    people.group(ann, "work", bob, eve)
    people.group(ann, "home", bob, joe)
    unknown = people.unknown_user()
    asked = [bob, joe, unknown, " ", ann, bob]
    answer = people.relation("RemoveFriendsFromGroup", user_id=ann, name="work", user_ids=asked)
    assert [result.user_id for result in answer.results] == asked
    not_in = (32520, "Err_SNS_GroupUpdate_Not_In_Group")
    assert outcomes(answer) == [
        DONE,
        not_in,
        (30003, "Err_SNS_GroupUpdate_Account_Not_Exist"),
        (30001, "Err_SNS_GroupUpdate_UserId_Illegal"),
        not_in,
        DONE,
    ]
    assert people.groups(ann) == {"work": [eve], "home": [bob, joe]}
    assert people.are_friends(ann, bob) == (True, True)


@pytest.mark.parametrize("name", ["AddFriendsToGroup", "RemoveFriendsFromGroup"])
def test_a_missing_group_has_no_members_to_change(people, friends, name):
    ann, bob = friends[:2]
    (eve,) = people(1)
    answer = people.relation(name, user_id=ann, name="x" * 256, user_ids=[bob, eve])
    assert outcomes(answer) == [NOT_EXIST] * 2
    assert answer.sequence == people.relation("ListFriends", user_id=ann).sequence


@pytest.mark.parametrize("end", ["DeleteFriends", "AddToBlacklist"])
def test_who_is_no_friend_any_more_is_in_no_group(people, friends, end):
    ann, bob, eve, _ = friends
    create(people, ann, "one", "two", members=[bob, eve])
    people.relation(end, user_id=ann, user_ids=[bob])
    assert people.groups(ann) == {"one": [eve], "two": [eve]}
    people.befriend(ann, bob)
    assert row_groups(people, ann, bob) == []


def test_a_friend_that_comes_with_a_group_is_in_it(people, friends):
    ann, bob = friends[:2]
    (eve,) = people(1)
    people.group(ann, "old", bob)
    people.add(ann, eve, group="old")
    people.import_friends([{"user_id": ann, "friend_user_id": bob, "groups": {"values": ["new"]}}])
    assert people.groups(ann) == {"old": [eve], "new": [bob]}


# Get


def test_named_groups_are_answered_in_the_order_of_the_request(people, friends):
    ann, bob, eve, _ = friends
    people.group(ann, "one", bob)
    people.group(ann, "two", bob, eve)
    names = ["two", "none", "", "x" * 257, "one", "two"]
    answer = people.relation("GetFriendGroups", user_id=ann, names=names)
    assert [result.name for result in answer.results] == [name[:256] for name in names]
    assert outcomes(answer) == [DONE, NOT_EXIST, NAME_ILLEGAL, NAME_ILLEGAL, DONE, DONE]
    present = [result for result in answer.results if result.code == 0]
    assert all(result.group.name == result.name for result in present)
    assert [result.group.member_count for result in present] == [2, 1, 2]
    assert all(not result.HasField("group") for result in answer.results if result.code)
    assert all(not result.user_ids and not result.next_page_token for result in answer.results)
    assert answer.total_size == 2


def test_the_groups_sequence_rises_with_every_change_of_theirs_and_no_other(people, friends):
    # TIMSDK #559: group lists that were wrong or stale on the client.
    ann, bob, eve, _ = friends

    def sequence():
        return people.relation("GetFriendGroups", user_id=ann).sequence

    assert sequence() == 0
    changes = [
        ("CreateFriendGroups", {"names": ["one"]}),
        ("AddFriendsToGroup", {"name": "one", "user_ids": [bob]}),
        ("RenameFriendGroup", {"name": "one", "new_name": "two"}),
        ("RemoveFriendsFromGroup", {"name": "two", "user_ids": [bob]}),
        ("UpdateFriends", {"items": [
            {"user_id": bob, "groups": ["two"], "update_mask": {"paths": ["groups"]}}]}),
        ("DeleteFriends", {"user_ids": [bob]}),
        ("DeleteFriendGroups", {"names": ["two"]}),
    ]  # fmt: skip
    for name, fields in changes:
        assert people.relation(name, user_id=ann, **fields).sequence == sequence()
    before = sequence()
    people.set_profile(ann, nick="Ann")
    people.block(ann, eve)
    assert sequence() == before


def test_a_friends_row_has_a_new_version_when_its_groups_change(people, friends):
    ann, bob, eve, _ = friends
    calls = [
        ("CreateFriendGroups", {"names": ["one"], "user_ids": [bob]}),
        ("RenameFriendGroup", {"name": "one", "new_name": "two"}),
        ("RemoveFriendsFromGroup", {"name": "two", "user_ids": [bob]}),
        ("AddFriendsToGroup", {"name": "two", "user_ids": [bob]}),
        ("DeleteFriendGroups", {"names": ["two"]}),
    ]
    untouched = people.friend(ann, eve)
    for name, fields in calls:
        sequence = people.relation(name, user_id=ann, **fields).sequence
        assert people.friend(ann, bob).sequence == sequence
        assert people.relation("ListFriends", user_id=ann).sequence == sequence
    assert people.friend(ann, eve) == untouched


def test_no_other_user_has_its_sequences_changed(people, friends):
    ann, bob = friends[:2]
    before = people.sequences(bob)
    create(people, ann, "one", members=[bob])
    people.relation("DeleteFriendGroups", user_id=ann, names=["one"])
    assert people.sequences(bob) == before


@pytest.fixture(scope="module")
def large(people):
    """A user with 23 friends, all in each of two groups and three in a third."""
    users = people(24)
    ann, others = users[0], users[1:]
    people.befriend(ann, *others)
    create(people, ann, "all", "again", members=others[::-1])
    people.group(ann, "few", *others[:3])
    return ann, others


@pytest.mark.parametrize("page_size", [1, 2, 22, 23, 24, 1000, 1001, 2**31 - 1, 0])
def test_pages_of_members_make_the_whole_group(people, large, page_size):
    ann, others = large
    token, found, pages = "", [], 0
    while True:
        answer = people.relation(
            "GetFriendGroups", user_id=ann, names=["all"], with_members=True,
            page_size=page_size, page_token=token,
        )  # fmt: skip
        (result,) = answer.results
        found += result.user_ids
        pages += 1
        token = result.next_page_token
        assert result.group.member_count == 23
        if not token:
            break
        assert len(result.user_ids) == page_size
    assert found == others
    assert pages == (1 if page_size == 0 else -(-23 // page_size))


def test_each_group_of_an_answer_has_its_own_first_page(people, large):
    ann, others = large
    answer = people.relation("GetFriendGroups", user_id=ann, with_members=True, page_size=3)
    assert [list(result.user_ids) for result in answer.results] == [others[:3]] * 3
    assert [bool(result.next_page_token) for result in answer.results] == [True, True, False]


def test_a_member_that_stays_is_answered_once_while_others_come_and_go(people, friends):
    users = people(10)
    ann, others = users[0], users[1:]
    people.befriend(ann, *others)
    people.group(ann, "g", *others[1:])
    fields = {"user_id": ann, "names": ["g"], "with_members": True, "page_size": 4}
    first = people.relation("GetFriendGroups", **fields).results[0]
    assert list(first.user_ids) == others[1:5]
    people.relation("RemoveFriendsFromGroup", user_id=ann, name="g", user_ids=[others[4], others[6]])
    people.relation("AddFriendsToGroup", user_id=ann, name="g", user_ids=[others[0]])
    rest = people.relation("GetFriendGroups", page_token=first.next_page_token, **fields).results[0]
    assert list(rest.user_ids) == [others[5], others[7], others[8]]
    assert not rest.next_page_token


def test_a_token_reads_only_the_group_that_it_was_made_for(people, large, friends):
    ann, _ = large
    fields = {"user_id": ann, "names": ["all"], "with_members": True, "page_size": 2}
    token = people.relation("GetFriendGroups", **fields).results[0].next_page_token
    of_friends = people.relation("ListFriends", user_id=ann, page_size=1).next_page_token
    for change in (
        {"names": ["again"]},
        {"names": ["all", "all"]},
        {"names": []},
        {"with_members": False},
        {"user_id": friends[0]},
        {"page_token": token[:-2]},
        {"page_token": of_friends},
        {"page_token": "x"},
    ):
        call = {**fields, "page_token": token, **change}
        refused = refusal(people.relation, "GetFriendGroups", **call)
        assert_invalid(refused, "page_token", reason="INVALID_PAGE_TOKEN")
    people.relation("GetFriendGroups", page_token=token, **{**fields, "page_size": 7})


def test_members_are_inline_while_the_answer_stays_below_one_mebibyte(people):
    owner = people(1)[0]
    members = [f"{number:04}".ljust(64, "m") for number in range(1000)]
    people.make(members)
    people.import_friends([{"user_id": owner, "friend_user_id": user} for user in members])
    names = [f"g{number:02}" for number in range(20)]
    for start in (0, 10):
        answer = create(people, owner, *names[start : start + 10], members=members)
        assert codes(answer) == [0] * 10
    answer = people.relation("GetFriendGroups", user_id=owner, with_members=True)
    assert 1_000_000 < answer.ByteSize() < 1 << 20
    assert [result.group.member_count for result in answer.results] == [1000] * 20
    counts = [len(result.user_ids) for result in answer.results]
    # Where no room is left, each group still shows its first member.
    assert counts[:15] == [1000] * 15 and counts[16:] == [1] * 4
    for result in (answer.results[15], answer.results[-1]):
        rest = people.relation(
            "GetFriendGroups", user_id=owner, names=[result.name], with_members=True,
            page_token=result.next_page_token,
        ).results[0]  # fmt: skip
        assert [*result.user_ids, *rest.user_ids] == members
        assert not rest.next_page_token


# Many groups of one friend


def test_a_friend_is_in_as_many_groups_as_the_app_lets_a_user_have(relation):
    many = People(relation.in_app(relation(
        "CreateApp", settings={"limits": {"groups": 300}}).app.app_id))
    many.make(["ann", "bob"])
    many.befriend("ann", "bob")
    names = [f"group {number}" for number in range(300)]

    def update(groups):
        (result,) = many.relation("UpdateFriends", user_id="ann", items=[
            {"user_id": "bob", "groups": groups}]).results
        return result.code, result.info

    assert update(names) == DONE
    assert row_groups(many, "ann", "bob") == names
    # One more is refused by the limit, and a bad name by its own rule, however many there are.
    full = (30011, "Err_SNS_FriendUpdate_Group_Num_Exceed_Threshold")
    illegal = (30001, "Err_SNS_FriendUpdate_Group_Illegal")
    assert update([*names, "one more"]) == full
    assert update([*names, names[0]]) == illegal
    assert update([*names[1:], ""]) == illegal
    assert row_groups(many, "ann", "bob") == names
    assert update(names[:150][::-1]) == DONE
    assert row_groups(many, "ann", "bob") == names[:150][::-1]
    # What was read is imported as it was.
    many.import_friends([
        {"user_id": "ann", "friend_user_id": "bob", "groups": {"values": names}}])
    assert row_groups(many, "ann", "bob") == names
