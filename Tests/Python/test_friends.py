"""FriendService: adding, deleting and checking friends."""

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
        assert row.source == "AddSource_Type_Search"
        assert row.wording == "hello"
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
    assert people.friend(ann, bob).source == "AddSource_Type_Search"


def test_the_first_case_that_applies_is_the_answer(people):
    """All obstacles to an addition hold at once, and are removed one by one from the top."""
    ann, bob = people(2)
    people.import_friends([{"user_id": ann, "friend_user_id": bob, "both_ways": True}])
    people.set_profile(ann, admin_forbid_type=1)
    people.block(ann, bob)
    people.block(bob, ann)
    # An import checks no blacklist, so they can be friends and block each other.
    people.import_friends([{"user_id": ann, "friend_user_id": bob, "both_ways": True}])
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
        people.import_friends([{"user_id": ann, "friend_user_id": bob}])
    if has_theirs:
        people.import_friends([{"user_id": bob, "friend_user_id": ann}])
    assert people.add(ann, bob, add_type=add_type) == expected


def test_oneself_is_refused_before_anything_is_asked(people):
    (ann,) = people(1)
    people.set_profile(ann, admin_forbid_type=1)
    assert people.add(ann, ann) == (30001, "Err_SNS_FriendAdd_Self")


def test_an_unknown_user_is_30003_before_the_callers_own_ban(people):
    (ann,) = people(1)
    people.set_profile(ann, admin_forbid_type=1)
    answer = people.add(ann, people.unknown_user())
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
    assert (theirs.wording, theirs.source) == ("let me in", "AddSource_Type_Card")
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
    unknown = people.unknown_user()
    people.need_confirm(eve)
    people.deny_any(joe)
    asked = [unknown, eve, "", bob, joe, ann]
    answer = people.relation(
        "AddFriends", user_id=ann, items=[{"user_id": user} for user in asked]
    )
    assert [result.user_id for result in answer.results] == asked
    assert codes(answer) == [30003, 30539, 30001, 0, 30516, 30001]
    assert answer.applied and not answer.replayed
    assert people.friend_ids(ann) == [bob]


def test_the_same_friend_twice_is_added_once_and_answered_twice(people):
    ann, bob = people(2)
    item = {"user_id": bob, "remark": "same"}
    answer = people.relation("AddFriends", user_id=ann, items=[item, item])
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
    answer = people.relation("AddFriends", user_id=ann, items=items)
    duplicate = (30001, "Err_SNS_FriendAdd_Duplicate")
    assert outcomes(answer) == [(0, ""), duplicate, (0, ""), (0, "")]
    assert people.friend(ann, bob).remark == "first"


def test_items_that_only_look_the_same_are_not_the_same(people):
    ann, bob = people(2)
    items = [{"user_id": bob, "wording": text} for text in ("caf\u00e9", "cafe\u0301")]
    answer = people.relation("AddFriends", user_id=ann, items=items)
    assert outcomes(answer) == [(0, ""), (30001, "Err_SNS_FriendAdd_Duplicate")]


def test_a_hundred_friends_are_added_by_one_call_with_one_event(people):
    users = people(101)
    ann, others = users[0], users[1:]
    answer = people.relation(
        "AddFriends", user_id=ann, items=[{"user_id": user} for user in others]
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
    answer = people.relation("AddFriends", user_id=ann, items=[{"user_id": bob}])
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
        people.import_friends([{"user_id": ann, "friend_user_id": bob}])
    if has_theirs:
        people.import_friends([{"user_id": bob, "friend_user_id": ann}])
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
    unknown = people.unknown_user()
    people.befriend(ann, bob)
    answer = people.relation(
        "DeleteFriends", user_id=ann, user_ids=[bob, unknown, "", ann, bob]
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
    assert (row.remark, list(row.groups), row.wording, row.source) == ("", [], "", "")
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
        people.import_friends([{"user_id": ann, "friend_user_id": bob}])
    if has_theirs:
        people.import_friends([{"user_id": bob, "friend_user_id": ann}])
    for check_type, relation in [(0, two), (1, one), (2, two)]:
        answer = people.relation(
            "CheckFriends", user_id=ann, user_ids=[bob], check_type=check_type
        )
        (result,) = answer.results
        assert (result.user_id, result.code, result.info) == (bob, 0, "")
        assert result.relation == relation


def test_checking_answers_each_id(people):
    ann, bob = people(2)
    unknown = people.unknown_user()
    people.befriend(ann, bob)
    asked = [bob, unknown, " x", ann, bob]
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


# Reasons


def test_a_friend_already_is_told_apart_from_a_malformed_remark_by_the_reason_alone(people):
    ann, bob, eve = people(3)
    people.befriend(ann, bob)
    items = [{"user_id": bob}, {"user_id": eve, "remark": "x" * 97}]
    answer = people.relation("AddFriends", user_id=ann, items=items)
    friend_already, malformed = answer.results
    # The number of the source is the same for both.
    assert friend_already.code == malformed.code == 30001
    reasons = people.stubs.Reason
    assert friend_already.reason == reasons.Value("REASON_SNS_FRIEND_ADD_FRIEND_EXIST") == 114
    assert malformed.reason == reasons.Value("REASON_SNS_FRIEND_ADD_REMARK_ILLEGAL") == 101


def test_a_friend_that_was_added_has_no_reason(people):
    ann, bob = people(2)
    answer = people.relation("AddFriends", user_id=ann, items=[{"user_id": bob}])
    (result,) = answer.results
    assert (result.code, result.reason, result.info, result.changed) == (0, 0, "", True)
