"""FriendService: adding, deleting, checking, listing and changing friends."""

import pytest
from people import codes, outcomes

SINGLE, BOTH = "ADD_TYPE_SINGLE", "ADD_TYPE_BOTH"


# AddFriends


@pytest.mark.parametrize("add_type", ["ADD_TYPE_UNSPECIFIED", BOTH])
def test_adding_makes_a_row_on_both_sides(people, add_type):
    ann, bob = people(2)
    item = {"remark": "Bobby", "wording": "hello", "source": "Search", "group": "work"}
    assert people.add(ann, bob, add_type=add_type, **item) == (0, "")
    mine, theirs = people.friend(ann, bob), people.friend(bob, ann)
    assert (mine.remark, list(mine.groups)) == ("Bobby", ["work"])
    assert (theirs.remark, list(theirs.groups)) == ("", [])
    for row in (mine, theirs):
        assert row.add_source == "AddSource_Type_Search"
        assert row.add_wording == "hello"
    assert mine.add_time_ms == theirs.add_time_ms > 1_600_000_000_000
    assert mine.remark_time_ms == mine.add_time_ms
    assert theirs.remark_time_ms == 0


def test_a_single_add_makes_the_callers_row_only(people):
    ann, bob = people(2)
    assert people.add(ann, bob, add_type=SINGLE) == (0, "")
    assert people.are_friends(ann, bob) == (True, False)


@pytest.mark.parametrize("has, told", [("ann", "bob"), ("bob", "ann")])
def test_completing_a_one_way_friendship_tells_only_who_gains(people, has, told):
    ann, bob = people(2)
    names = {"ann": ann, "bob": bob}
    lacks = names[told]
    assert people.add(names[has], lacks, add_type=SINGLE, remark="kept") == (0, "")
    before = people.sequences(ann), people.sequences(bob)
    kept = people.friend(names[has], lacks)
    assert people.add(ann, bob, remark="new") == (0, "")
    after = people.sequences(ann), people.sequences(bob)
    assert people.are_friends(ann, bob) == (True, True)
    assert people.friend(names[has], lacks) == kept
    changed = [old != new for old, new in zip(before, after)]
    assert changed == [told == "ann", told == "bob"]


@pytest.mark.parametrize("source", ["Search", "AddSource_Type_Search"])
def test_a_source_gets_its_prefix_once(people, source):
    ann, bob = people(2)
    people.add(ann, bob, source=source)
    assert people.friend(ann, bob).add_source == "AddSource_Type_Search"


def test_the_first_case_that_applies_is_the_answer(people):
    """Everything that forbids an add holds at once, and is taken away from the top."""
    ann, bob = people(2)
    people.import_friends([{"user_id": ann, "friend_id": bob, "both_ways": True}])
    people.set_profile(ann, admin_forbid_type=1)
    people.block(ann, bob)
    people.block(bob, ann)
    # An import asks no blacklist, so they can be friends and block each other.
    people.import_friends([{"user_id": ann, "friend_id": bob, "both_ways": True}])
    people.deny_any(bob)

    assert people.add(ann, bob) == (30009, "Err_SNS_FriendAdd_Admin_Forbid")
    people.set_profile(ann, admin_forbid_type=0)
    assert people.add(ann, bob) == (30515, "Err_SNS_FriendAdd_In_Self_BlackList")
    people.relation("RemoveFromBlacklist", user_id=ann, user_ids=[bob])
    assert people.add(ann, bob) == (30525, "Err_SNS_FriendAdd_In_Peer_BlackList")
    people.relation("RemoveFromBlacklist", user_id=bob, user_ids=[ann])
    assert people.add(ann, bob) == (30001, "Err_SNS_FriendAdd_Friend_Exist")
    people.relation(
        "DeleteFriends", user_id=ann, user_ids=[bob], delete_type="DELETE_TYPE_BOTH"
    )
    assert people.add(ann, bob) == (30516, "Err_SNS_FriendAdd_Friend_Allow_Type_Forbid")
    people.need_confirm(bob)
    assert people.add(ann, bob) == (30539, "Err_SNS_FriendAdd_Friend_Allow_Type_Need_Confirm")
    people.allow_any(bob)
    assert people.add(ann, bob) == (0, "")


@pytest.mark.parametrize(
    "has_mine, has_theirs, add_type, expected",
    [
        (True, True, BOTH, (30001, "Err_SNS_FriendAdd_Friend_Exist")),
        (True, False, SINGLE, (30001, "Err_SNS_FriendAdd_Friend_Exist")),
        (True, True, SINGLE, (30001, "Err_SNS_FriendAdd_Friend_Exist")),
        (True, False, BOTH, (0, "")),
        (False, True, BOTH, (0, "")),
        (False, True, SINGLE, (0, "")),
        (False, False, SINGLE, (0, "")),
    ],
)
def test_friends_exist_when_no_asked_row_is_missing(
    people, has_mine, has_theirs, add_type, expected
):
    ann, bob = people(2)
    if has_mine:
        people.import_friends([{"user_id": ann, "friend_id": bob}])
    if has_theirs:
        people.import_friends([{"user_id": bob, "friend_id": ann}])
    assert people.add(ann, bob, add_type=add_type) == expected


def test_oneself_is_refused_before_anything_is_asked(people):
    (ann,) = people(1)
    people.set_profile(ann, admin_forbid_type=1)
    assert people.add(ann, ann) == (30001, "Err_SNS_FriendAdd_Self")


def test_an_unknown_user_is_30003_before_the_callers_own_ban(people):
    (ann,) = people(1)
    people.set_profile(ann, admin_forbid_type=1)
    answer = people.add(ann, people.stranger())
    assert answer == (30003, "Err_SNS_FriendAdd_Account_Not_Exist")


@pytest.mark.parametrize("add_type", [SINGLE, BOTH])
def test_confirmation_is_asked_for_either_type(people, add_type):
    ann, bob = people(2)
    people.need_confirm(bob)
    assert people.add(ann, bob, add_type=add_type)[0] == 30539
    assert people.are_friends(ann, bob) == (False, False)
    assert people.outgoing(ann) == [bob]
    assert people.incoming(bob) == [ann]


@pytest.mark.parametrize("allow_type", [1, 2])
def test_force_skips_the_consent(people, allow_type):
    ann, bob = people(2)
    people.set_profile(bob, allow_type=allow_type)
    assert people.add(ann, bob, force=True) == (0, "")
    assert people.are_friends(ann, bob) == (True, True)


@pytest.mark.parametrize(
    "blocker, code", [("ann", 30515), ("bob", 30525)], ids=["own", "other's"]
)
def test_force_skips_no_blacklist(people, blocker, code):
    ann, bob = people(2)
    people.block(*((ann, bob) if blocker == "ann" else (bob, ann)))
    assert people.add(ann, bob, force=True)[0] == code


def test_force_skips_no_ban(people):
    ann, bob = people(2)
    people.set_profile(ann, admin_forbid_type=1)
    assert people.add(ann, bob, force=True)[0] == 30009


def test_a_friendship_that_is_made_ends_the_callers_own_application(people):
    ann, bob = people(2)
    people.apply(ann, bob)
    people.allow_any(bob)
    assert people.add(ann, bob) == (0, "")
    assert people.outgoing(ann) == []
    assert people.incoming(bob) == []


@pytest.mark.parametrize("allow_type", [0, 1, 2])
def test_adding_who_applied_makes_both_friends(people, allow_type):
    ann, bob = people(2)
    item = {"remark": "the boss", "group": "work", "wording": "let me in", "source": "Card"}
    people.apply(bob, ann, **item)
    people.set_profile(bob, allow_type=allow_type)
    assert people.add(ann, bob, remark="Bobby") == (0, "")
    assert people.friend(ann, bob).remark == "Bobby"
    theirs = people.friend(bob, ann)
    assert (theirs.remark, list(theirs.groups)) == ("the boss", ["work"])
    assert (theirs.add_wording, theirs.add_source) == ("let me in", "AddSource_Type_Card")
    for user in (ann, bob):
        assert people.pendencies(user) == []


def test_a_single_add_does_not_answer_who_applied(people):
    ann, bob = people(2)
    people.apply(bob, ann)
    people.need_confirm(bob)
    assert people.add(ann, bob, add_type=SINGLE)[0] == 30539
    assert people.are_friends(ann, bob) == (False, False)
    assert people.incoming(ann) == people.outgoing(ann) == [bob]


def test_a_single_add_written_at_once_leaves_the_others_application_waiting(people):
    ann, bob = people(2)
    people.apply(bob, ann)
    people.allow_any(bob)
    assert people.add(ann, bob, add_type=SINGLE) == (0, "")
    assert people.are_friends(ann, bob) == (True, False)
    assert people.incoming(ann) == [bob]


def test_results_come_in_the_order_of_the_request(people):
    ann, bob, eve, joe = people(4)
    stranger = people.stranger()
    people.need_confirm(eve)
    people.deny_any(joe)
    asked = [stranger, eve, "", bob, joe, ann]
    answer = people.relation(
        "AddFriends", user_id=ann, friends=[{"user_id": user} for user in asked]
    )
    assert [result.user_id for result in answer.results] == asked
    assert codes(answer) == [30003, 30539, 30001, 0, 30516, 30001]
    assert answer.applied and not answer.replayed
    assert people.friend_ids(ann) == [bob]


def test_the_same_friend_twice_is_added_once_and_answered_twice(people):
    ann, bob = people(2)
    item = {"user_id": bob, "remark": "same"}
    answer = people.relation("AddFriends", user_id=ann, friends=[item, item])
    assert outcomes(answer) == [(0, ""), (0, "")]
    assert people.relation("ListFriends", user_id=ann).total_size == 1


def test_the_same_friend_with_other_content_is_a_duplicate(people):
    ann, bob, eve = people(3)
    items = [
        {"user_id": bob, "remark": "first"},
        {"user_id": bob, "remark": "second"},
        {"user_id": eve},
        {"user_id": bob, "remark": "first"},
    ]
    answer = people.relation("AddFriends", user_id=ann, friends=items)
    duplicate = (30001, "Err_SNS_FriendAdd_Duplicate")
    assert outcomes(answer) == [(0, ""), duplicate, (0, ""), (0, "")]
    assert people.friend(ann, bob).remark == "first"


def test_a_hundred_friends_are_added_by_one_call_with_one_event(people):
    users = people(101)
    ann, others = users[0], users[1:]
    answer = people.relation(
        "AddFriends", user_id=ann, friends=[{"user_id": user} for user in others]
    )
    assert codes(answer) == [0] * 100
    # One call makes one event of a kind, so the sequence rises by one.
    assert answer.sequence == 1
    assert {friend.sequence for friend in people.friends(ann)} == {1}


def test_the_sequence_counts_without_gaps(people):
    ann, bob = people(2)
    for number in range(1, 6):
        assert people.add(ann, bob)[0] == 0
        deleted = people.relation("DeleteFriends", user_id=ann, user_ids=[bob])
        assert deleted.sequence == 2 * number
        people.relation("DeleteFriends", user_id=bob, user_ids=[ann])


def test_a_call_that_changes_nothing_leaves_the_sequence(people):
    ann, bob = people(2)
    people.add(ann, bob)
    answer = people.relation("AddFriends", user_id=ann, friends=[{"user_id": bob}])
    assert codes(answer) == [30001]
    assert answer.sequence == 1


# DeleteFriends


@pytest.mark.parametrize("delete_type", [0, 1, 2], ids=["default", "single", "both"])
@pytest.mark.parametrize("has_mine", [True, False])
@pytest.mark.parametrize("has_theirs", [True, False])
def test_deleting_removes_the_rows_that_its_type_names(
    people, has_mine, has_theirs, delete_type
):
    ann, bob = people(2)
    if has_mine:
        people.import_friends([{"user_id": ann, "friend_id": bob}])
    if has_theirs:
        people.import_friends([{"user_id": bob, "friend_id": ann}])
    before = people.sequences(ann), people.sequences(bob)
    answer = people.relation(
        "DeleteFriends", user_id=ann, user_ids=[bob], delete_type=delete_type
    )
    is_both = delete_type == 2
    found = has_mine or (is_both and has_theirs)
    expected = (0, "") if found else (31704, "Err_SNS_FriendDelete_Not_Friend")
    assert outcomes(answer) == [expected]
    assert people.are_friends(ann, bob) == (False, has_theirs and not is_both)
    after = people.sequences(ann), people.sequences(bob)
    told = [old != new for old, new in zip(before, after)]
    assert told == [has_mine, is_both and has_theirs]


def test_deleting_answers_each_id(people):
    ann, bob = people(2)
    stranger = people.stranger()
    people.befriend(ann, bob)
    answer = people.relation(
        "DeleteFriends", user_id=ann, user_ids=[bob, stranger, "", ann, bob]
    )
    assert outcomes(answer) == [
        (0, ""),
        (30003, "Err_SNS_FriendDelete_Account_Not_Exist"),
        (30001, "Err_SNS_FriendDelete_UserId_Illegal"),
        (31704, "Err_SNS_FriendDelete_Not_Friend"),
        (0, ""),
    ]


def test_remark_and_groups_go_with_the_row(people):
    ann, bob = people(2)
    people.add(ann, bob, remark="Bobby", group="work", wording="hi", source="Card")
    people.relation("DeleteFriends", user_id=ann, user_ids=[bob])
    people.add(ann, bob)
    row = people.friend(ann, bob)
    assert (row.remark, list(row.groups), row.add_wording, row.add_source) == ("", [], "", "")
    assert row.remark_time_ms == 0


# CheckFriends

NONE, MY_UNI, OTHER_UNI, BOTH_WAY = range(4)


@pytest.mark.parametrize(
    "has_mine, has_theirs, one, two",
    [
        (False, False, NONE, NONE),
        (True, False, MY_UNI, MY_UNI),
        (False, True, NONE, OTHER_UNI),
        (True, True, MY_UNI, BOTH_WAY),
    ],
)
def test_checking_looks_at_one_list_or_both(people, has_mine, has_theirs, one, two):
    ann, bob = people(2)
    if has_mine:
        people.import_friends([{"user_id": ann, "friend_id": bob}])
    if has_theirs:
        people.import_friends([{"user_id": bob, "friend_id": ann}])
    for check_type, relation in [(0, two), (1, one), (2, two)]:
        answer = people.relation(
            "CheckFriends", user_id=ann, user_ids=[bob], check_type=check_type
        )
        (result,) = answer.results
        assert (result.user_id, result.code, result.info) == (bob, 0, "")
        assert result.relation == relation


def test_checking_answers_each_id(people):
    ann, bob = people(2)
    stranger = people.stranger()
    people.befriend(ann, bob)
    asked = [bob, stranger, " x", ann, bob]
    answer = people.relation("CheckFriends", user_id=ann, user_ids=asked)
    assert [result.user_id for result in answer.results] == asked
    assert outcomes(answer) == [
        (0, ""),
        (30003, "Err_SNS_FriendCheck_Account_Not_Exist"),
        (30001, "Err_SNS_FriendCheck_UserId_Illegal"),
        (0, ""),
        (0, ""),
    ]
    assert [result.relation for result in answer.results] == [3, 0, 0, NONE, 3]


def test_a_thousand_are_checked_by_one_call(people):
    users = people(1001)
    ann, others = users[0], users[1:]
    people.befriend(ann, *others[::2])
    answer = people.relation("CheckFriends", user_id=ann, user_ids=others)
    assert [result.relation for result in answer.results] == [BOTH_WAY, NONE] * 500


# ListFriends


@pytest.fixture(scope="module")
def listed(people):
    """A user with 23 friends, whose times of addition go against their ids, some at one time."""
    users = people(24)
    owner, friends = users[0], users[1:]
    times = {user: 5_000 - 10 * (number // 3) for number, user in enumerate(friends)}
    people.import_friends(
        [
            {"user_id": owner, "friend_id": user, "add_time_ms": time, "remark": f"r{user}"}
            for user, time in times.items()
        ]
    )
    return owner, times


@pytest.mark.parametrize("page_size", [1, 2, 7, 23, 24, 1000])
@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("order", ["UNSPECIFIED", "USER_ID", "ADD_TIME"])
def test_pages_of_every_size_and_order_make_the_whole_list(
    people, listed, order, descending, page_size
):
    owner, times = listed
    pages = list(
        people.pages(
            "ListFriends",
            page_size,
            user_id=owner,
            order=f"FRIEND_ORDER_{order}",
            descending=descending,
        )
    )
    ids = [friend.user_id for page in pages for friend in page.friends]
    by_time = order == "ADD_TIME"
    expected = sorted(times, key=lambda user: (times[user] if by_time else 0, user))
    assert ids == (expected[::-1] if descending else expected)
    assert all(len(page.friends) == page_size for page in pages[:-1])
    assert all(page.total_size == len(times) for page in pages)
    assert len({page.sequence for page in pages}) == 1


def test_a_page_has_a_hundred_rows_unless_it_is_asked_for_more(people):
    users = people(102)
    people.befriend(*users)
    page = people.relation("ListFriends", user_id=users[0])
    assert len(page.friends) == 100
    assert page.total_size == 101
    assert page.next_page_token


def test_an_empty_list_is_one_empty_page(people):
    (ann,) = people(1)
    page = people.relation("ListFriends", user_id=ann)
    assert page == type(page)()


def test_a_row_that_stays_appears_once_while_others_come_and_go(people):
    users = people(61)
    owner, friends = users[0], users[1:]
    stay, go, come = friends[0::3], friends[1::3], friends[2::3]
    people.befriend(owner, *stay, *go)
    seen, token, step = [], "", 0
    while step == 0 or token:
        page = people.relation("ListFriends", user_id=owner, page_size=3, page_token=token)
        seen += [friend.user_id for friend in page.friends]
        token = page.next_page_token
        if step < len(go):
            people.relation("DeleteFriends", user_id=owner, user_ids=[go[step]])
            people.befriend(owner, come[-1 - step])
        step += 1
    assert [user for user in seen if user in set(stay)] == stay
    assert len(seen) == len(set(seen))


@pytest.mark.parametrize(
    "paths, kept",
    [
        (["remark"], {"user_id", "remark"}),
        (["user_id"], {"user_id"}),
        (["groups", "add_time_ms"], {"user_id", "groups", "add_time_ms"}),
        (
            ["add_source", "add_wording", "remark_time_ms", "sequence"],
            {"user_id", "add_source", "add_wording", "remark_time_ms", "sequence"},
        ),
    ],
)
def test_a_read_mask_answers_its_fields_only(people, paths, kept):
    ann, bob = people(2)
    people.add(ann, bob, remark="Bobby", group="work", wording="hi", source="Card")
    whole = people.friend(ann, bob)
    assert {field.name for field, _ in whole.ListFields()} == {
        "user_id", "remark", "groups", "add_source", "add_wording", "add_time_ms",
        "remark_time_ms", "sequence",
    }  # fmt: skip
    mask = {"paths": paths}
    listed = people.friends(ann, read_mask=mask)
    got = people.relation("GetFriends", user_id=ann, user_ids=[bob], read_mask=mask)
    for row in (listed[0], got.results[0].friend):
        assert {field.name for field, _ in row.ListFields()} == kept
        assert all(getattr(row, name) == getattr(whole, name) for name in kept)


def test_the_lists_sequence_is_that_of_its_last_change(people):
    ann, bob, eve = people(3)
    people.add(ann, bob)
    added = people.relation("ListFriends", user_id=ann).sequence
    people.block(ann, eve)
    assert people.relation("ListFriends", user_id=ann).sequence == added
    changed = people.relation(
        "UpdateFriends",
        user_id=ann,
        items=[{"user_id": bob, "remark": "x", "update_mask": {"paths": ["remark"]}}],
    )
    assert people.relation("ListFriends", user_id=ann).sequence == changed.sequence > added
    assert people.friend(ann, bob).sequence == changed.sequence


# GetFriends


def test_getting_answers_each_id(people):
    ann, bob, eve = people(3)
    stranger = people.stranger()
    people.add(ann, bob, remark="Bobby")
    asked = [bob, eve, stranger, "x" * 65, ann, bob]
    answer = people.relation("GetFriends", user_id=ann, user_ids=asked)
    assert [result.user_id for result in answer.results] == asked
    assert outcomes(answer) == [
        (0, ""),
        (30001, "Err_SNS_FriendGetList_Friend_Not_Exist"),
        (30003, "Err_SNS_FriendGetList_Account_Not_Exist"),
        (30001, "Err_SNS_FriendGetList_UserId_Illegal"),
        (30001, "Err_SNS_FriendGetList_Friend_Not_Exist"),
        (0, ""),
    ]
    assert [result.HasField("friend") for result in answer.results] == [
        True, False, False, False, False, True,
    ]  # fmt: skip
    assert answer.results[0].friend == people.friends(ann)[0]


# UpdateFriends


def update(people, owner, friend, **item):
    answer = people.relation("UpdateFriends", user_id=owner, items=[{"user_id": friend, **item}])
    return outcomes(answer)[0]


@pytest.mark.parametrize(
    "remark, groups",
    [("new", None), (None, ["x", "y"]), ("new", ["b", "c"]), ("", None), (None, []), ("", [])],
)
@pytest.mark.parametrize("names", ["mask", "tags", "aliases"])
def test_an_update_sets_what_it_names(people, names, remark, groups):
    ann, bob = people(2)
    people.import_friends(
        [{"user_id": ann, "friend_id": bob, "remark": "old", "groups": {"values": ["a", "b"]}}]
    )
    given = {"remark": remark, "groups": groups}
    given = {name: value for name, value in given.items() if value is not None}
    if names == "mask":
        # What the mask leaves out is left alone, whatever stands there.
        item = {"remark": "ignored", "groups": ["ignored"], **given}
        item["update_mask"] = {"paths": list(given)}
    else:
        prefix = "Tag_SNS_IM_" if names == "tags" else "TIMFriendTypeKey_"
        tags = []
        if remark is not None:
            tags.append({"tag": prefix + "Remark", "text": remark})
        if groups is not None:
            tags.append({"tag": prefix + "Group", "texts": {"values": groups}})
        item = {"tags": tags}
    assert update(people, ann, bob, **item) == (0, "")
    row = people.friend(ann, bob)
    assert row.remark == ("old" if remark is None else remark)
    assert list(row.groups) == (["a", "b"] if groups is None else groups)


def test_a_new_remark_has_a_new_time_and_other_changes_leave_it(people):
    ann, bob = people(2)
    people.import_friends(
        [{"user_id": ann, "friend_id": bob, "remark": "old", "remark_time_ms": 7}]
    )
    update(people, ann, bob, groups=["a"], update_mask={"paths": ["groups"]})
    assert people.friend(ann, bob).remark_time_ms == 7
    update(people, ann, bob, remark="new", update_mask={"paths": ["remark"]})
    assert people.friend(ann, bob).remark_time_ms > 1_600_000_000_000


def test_an_update_that_changes_nothing_is_no_change(people):
    ann, bob = people(2)
    people.add(ann, bob, remark="same", group="g")
    before = people.sequences(ann)
    item = {"remark": "same", "groups": ["g"], "update_mask": {"paths": ["remark", "groups"]}}
    assert update(people, ann, bob, **item) == (0, "")
    assert people.sequences(ann) == before


def test_an_update_tells_the_owner_only(people):
    ann, bob = people(2)
    people.befriend(ann, bob)
    before = people.sequences(bob)
    update(people, ann, bob, remark="x", update_mask={"paths": ["remark"]})
    assert people.sequences(bob) == before
    assert people.friend(bob, ann).remark == ""


def test_updating_answers_each_item(people):
    ann, bob, eve = people(3)
    people.add(ann, bob)
    mask = {"paths": ["remark"]}
    items = [
        {"user_id": bob, "remark": "x", "update_mask": mask},
        {"user_id": eve, "remark": "x", "update_mask": mask},
        {"user_id": people.stranger(), "remark": "x", "update_mask": mask},
        {"user_id": ann, "remark": "x", "update_mask": mask},
        {"user_id": bob, "remark": "x", "update_mask": mask},
        {"user_id": bob, "remark": "y", "update_mask": mask},
    ]
    answer = people.relation("UpdateFriends", user_id=ann, items=items)
    assert outcomes(answer) == [
        (0, ""),
        (30001, "Err_SNS_FriendUpdate_Friend_Not_Exist"),
        (30003, "Err_SNS_FriendUpdate_Account_Not_Exist"),
        (30001, "Err_SNS_FriendUpdate_Friend_Not_Exist"),
        (0, ""),
        (30001, "Err_SNS_FriendUpdate_Duplicate"),
    ]
    assert people.friend(ann, bob).remark == "x"


@pytest.mark.parametrize("tag", ["Tag_SNS_Custom_Level", "TIMFriendTypeKey_Custom_Level"])
def test_a_custom_field_that_the_app_lacks_is_40009(people, tag):
    ann, bob = people(2)
    people.add(ann, bob)
    answer = update(people, ann, bob, tags=[{"tag": tag, "text": "x"}])
    assert answer == (40009, "Err_SNS_FriendUpdate_Custom_Tag_Not_Exist")


@pytest.mark.parametrize("text", ["\0", "a\0b", "é" * 48, "😀" * 24, "\x7f\n\t"])
def test_texts_are_kept_to_the_byte(people, text):
    ann, bob = people(2)
    assert people.add(ann, bob, remark=text, wording=text, group=text[:7]) == (0, "")
    row = people.friend(ann, bob)
    assert (row.remark, row.add_wording, list(row.groups)) == (text, text, [text[:7]])


def test_group_names_that_only_look_alike_are_two_groups(people):
    ann, bob = people(2)
    people.add(ann, bob)
    groups = ["caf\u00e9", "cafe\u0301"]
    item = {"groups": groups, "update_mask": {"paths": ["groups"]}}
    assert update(people, ann, bob, **item) == (0, "")
    assert list(people.friend(ann, bob).groups) == groups
