"""FriendService: listing, reading and changing the rows of friends."""

import pytest
from people import outcomes


# ListFriends


@pytest.fixture(scope="module")
def listed(people):
    """A user with 23 friends, whose times of addition go against their ids, some at one time."""
    users = people(24)
    owner, friends = users[0], users[1:]
    times = {user: 5_000 - 10 * (number // 3) for number, user in enumerate(friends)}
    people.import_friends(
        [
            {"user_id": owner, "friend_user_id": user, "add_time_ms": time, "remark": f"r{user}"}
            for user, time in times.items()
        ]
    )
    return owner, times


@pytest.mark.parametrize("page_size", [1, 2, 7, 23, 24, 1000])
@pytest.mark.parametrize("direction", ["UNSPECIFIED", "ASCENDING", "DESCENDING"])
@pytest.mark.parametrize("order", ["UNSPECIFIED", "USER_ID", "ADD_TIME"])
def test_pages_of_every_size_and_order_make_the_whole_list(
    people, listed, order, direction, page_size
):
    owner, times = listed
    pages = list(
        people.pages(
            "ListFriends",
            page_size,
            user_id=owner,
            order=f"FRIEND_ORDER_{order}",
            direction=f"SORT_DIRECTION_{direction}",
        )
    )
    ids = [friend.user_id for page in pages for friend in page.friends]
    by_time = order == "ADD_TIME"
    expected = sorted(times, key=lambda user: (times[user] if by_time else 0, user))
    assert ids == (expected[::-1] if direction == "DESCENDING" else expected)
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
            ["source", "wording", "remark_time_ms", "sequence"],
            {"user_id", "source", "wording", "remark_time_ms", "sequence"},
        ),
    ],
)
def test_a_read_mask_answers_its_fields_only(people, paths, kept):
    ann, bob = people(2)
    people.add(ann, bob, remark="Bobby", group="work", wording="hi", source="Card")
    whole = people.friend(ann, bob)
    assert {field.name for field, _ in whole.ListFields()} == {
        "user_id", "remark", "groups", "source", "wording", "add_time_ms",
        "remark_time_ms", "sequence",
    }  # fmt: skip
    mask = {"paths": paths}
    listed = people.friends(ann, read_mask=mask)
    got = people.relation("GetFriends", user_id=ann, user_ids=[bob], read_mask=mask)
    for row in (listed[0], got.results[0].friend_entry):
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
    unknown = people.unknown_user()
    people.add(ann, bob, remark="Bobby")
    asked = [bob, eve, unknown, "x" * 65, ann, bob]
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
    assert [result.HasField("friend_entry") for result in answer.results] == [
        True, False, False, False, False, True,
    ]  # fmt: skip
    assert answer.results[0].friend_entry == people.friends(ann)[0]


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
        [{"user_id": ann, "friend_user_id": bob, "remark": "old", "groups": {"values": ["a", "b"]}}]
    )
    given = {"remark": remark, "groups": groups}
    given = {name: value for name, value in given.items() if value is not None}
    if names == "mask":
        # A field that the mask leaves out is not changed, whatever its value in the request.
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


@pytest.mark.parametrize(
    "item, remark, groups",
    [
        ({"remark": "new"}, "new", ["a", "b"]),
        ({"groups": ["x"]}, "old", ["x"]),
        ({"remark": "new", "groups": ["x"]}, "new", ["x"]),
        # An empty value is not set, so it empties nothing.
        ({"remark": "new", "groups": []}, "new", ["a", "b"]),
        ({"remark": "", "groups": ["x"]}, "old", ["x"]),
    ],
)
def test_an_update_without_a_mask_sets_what_is_set(people, item, remark, groups):
    ann, bob = people(2)
    row = {"remark": "old", "groups": {"values": ["a", "b"]}}
    people.import_friends([{"user_id": ann, "friend_user_id": bob, **row}])
    assert update(people, ann, bob, **item) == (0, "")
    row = people.friend(ann, bob)
    assert (row.remark, list(row.groups)) == (remark, groups)


def test_a_new_remark_has_a_new_time_and_other_changes_leave_it(people):
    ann, bob = people(2)
    people.import_friends(
        [{"user_id": ann, "friend_user_id": bob, "remark": "old", "remark_time_ms": 7}]
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
        {"user_id": people.unknown_user(), "remark": "x", "update_mask": mask},
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
    assert (row.remark, row.wording, list(row.groups)) == (text, text, [text[:7]])


def test_group_names_that_only_look_alike_are_two_groups(people):
    ann, bob = people(2)
    people.add(ann, bob)
    groups = ["caf\u00e9", "cafe\u0301"]
    item = {"groups": groups, "update_mask": {"paths": ["groups"]}}
    assert update(people, ann, bob, **item) == (0, "")
    assert list(people.friend(ann, bob).groups) == groups


# Two spellings of one text, which are equal to a reader and to Unicode, but not to a store of
# bytes.
COMPOSED, DECOMPOSED = "caf\u00e9", "cafe\u0301"


def test_a_remark_that_only_looks_the_same_is_a_change(people):
    ann, bob = people(2)
    people.add(ann, bob, remark=COMPOSED)
    before = people.sequences(ann)
    item = {"remark": DECOMPOSED, "update_mask": {"paths": ["remark"]}}
    assert update(people, ann, bob, **item) == (0, "")
    assert people.friend(ann, bob).remark == DECOMPOSED
    assert people.sequences(ann) != before


def test_moving_to_a_group_that_only_looks_the_same_is_a_change(people):
    ann, bob = people(2)
    people.add(ann, bob, group=COMPOSED)
    item = {"groups": [DECOMPOSED], "update_mask": {"paths": ["groups"]}}
    assert update(people, ann, bob, **item) == (0, "")
    assert list(people.friend(ann, bob).groups) == [DECOMPOSED]
