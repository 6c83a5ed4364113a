"""ListFriends by names, with sections and joined profiles, and SearchFriends."""

import itertools

import pytest
from people import codes

USER_ID, ADD_TIME, FIRST_NAME, LAST_NAME, DISPLAY_NAME = range(1, 6)
BY_FIRST, BY_LAST = 1, 2
SUBSTRING, PREFIX = 1, 2
ASCENDING, DESCENDING = 1, 2
NAMED = (FIRST_NAME, LAST_NAME, DISPLAY_NAME)


@pytest.fixture
def circle(people):
    """Makes an owner whose friends have the given profiles; a "remark" is the owner's."""

    def make(*profiles):
        owner, *friends = people(1 + len(profiles))
        people.befriend(owner, *friends)
        for friend, profile in zip(friends, profiles):
            fields = dict(profile)
            remark = fields.pop("remark", "")
            if remark:
                set_remark(people, owner, friend, remark)
            if fields:
                people.set_profile(friend, **fields)
        return owner, *friends

    return make


def set_remark(people, owner, friend, remark):
    item = {"user_id": friend, "remark": remark, "update_mask": {"paths": ["remark"]}}
    assert codes(people.relation("UpdateFriends", user_id=owner, items=[item])) == [0]


def set_visibility(people, user, visibility):
    people.relation("SetVisibility", user_id=user, visibility=f"VISIBILITY_{visibility}")


def listed(people, owner, order, **fields):
    return people.relation("ListFriends", user_id=owner, order=order, **fields)


def found(people, owner, keyword, **fields):
    return people.relation("SearchFriends", user_id=owner, keyword=keyword, **fields)


def ids(answer):
    return [friend.user_id for friend in answer.friends]


def shown(answer):
    return [friend.display_name for friend in answer.friends]


def sections(answer):
    return [(section.letter, section.count) for section in answer.sections]


# Orders


@pytest.fixture
def family(circle):
    """Owner and friends whose orders all differ."""
    return circle(
        {"first_name": "Zoe", "last_name": "Adler", "remark": "mother"},
        {"first_name": "Bo", "middle_name": "C", "last_name": "Young"},
        {"first_name": "Émile", "last_name": "Öst", "nick": "x"},
        {"nick": "Álvaro"},
    )


@pytest.mark.parametrize(
    "order, expected, letters",
    [
        (USER_ID, [1, 2, 3, 4], ["", "", "", ""]),
        (ADD_TIME, [1, 2, 3, 4], ["", "", "", ""]),
        # A name that is not set is sorted as an empty text, in the section of texts without a
        # letter.
        (FIRST_NAME, [2, 3, 1, 4], ["B", "E", "Z", "#"]),
        (LAST_NAME, [1, 3, 2, 4], ["A", "O", "Y", "#"]),
        (DISPLAY_NAME, [4, 2, 3, 1], ["A", "B", "E", "M"]),
    ],
)
@pytest.mark.parametrize("page_size", [1, 3, 1000])
def test_every_order_in_both_directions(
    people, family, order, expected, letters, page_size
):
    owner = family[0]
    expected = [family[place] for place in expected]
    directions = {0: expected, ASCENDING: expected, DESCENDING: expected[::-1]}
    for direction, wanted in directions.items():
        pages = list(
            people.pages(
                "ListFriends", page_size, user_id=owner, order=order, direction=direction
            )
        )
        rows = [friend for page in pages for friend in page.friends]
        assert [row.user_id for row in rows] == wanted
        shown_letters = letters[::-1] if direction == DESCENDING else letters
        assert [row.section for row in rows] == shown_letters
        for page in pages:
            assert page.total_size == 4
            assert page.sequence == people.sequences(owner)[0]
            # The index is the whole list's, in ascending order, whatever the page.
            counts = [(letter, 1) for letter in letters if letter]
            assert sections(page) == counts


def test_the_display_order_forms_what_is_shown_and_not_what_is_sorted_by(people, family):
    owner, zoe, bo, emile, alvaro = family
    by_first = ["Bo C Young", "Émile Öst", "mother", "Álvaro"]
    by_last = ["Young Bo C", "Öst Émile", "mother", "Álvaro"]
    for display_order, wanted in ((0, by_first), (BY_FIRST, by_first), (BY_LAST, by_last)):
        answer = listed(people, owner, FIRST_NAME, display_order=display_order)
        assert ids(answer) == [bo, emile, zoe, alvaro]
        assert shown(answer) == wanted
    answer = listed(people, owner, DISPLAY_NAME, display_order=BY_LAST)
    assert shown(answer) == ["Álvaro", "mother", "Öst Émile", "Young Bo C"]
    assert sections(answer) == [("A", 1), ("M", 1), ("O", 1), ("Y", 1)]


def test_an_order_without_names_shows_names_only_if_it_is_asked_to(people, family):
    owner = family[0]
    for order in (0, USER_ID, ADD_TIME):
        assert shown(listed(people, owner, order)) == [""] * 4
        answer = listed(people, owner, order, display_order=BY_LAST, page_size=3)
        assert shown(answer) == ["mother", "Young Bo C", "Öst Émile"]
        assert sections(answer) == []
        # The token serves the list with names and the list without.
        assert answer.next_page_token


def test_what_is_shown_is_the_remark_else_the_name_else_the_nick_else_the_id(people, circle):
    owner, *friends = circle(
        {"remark": "remark", "first_name": "first", "name": "name", "nick": "nick"},
        {"first_name": "first", "name": "name", "nick": "nick"},
        {"last_name": "last", "name": "name", "nick": "nick"},
        {"name": "name", "nick": "nick"},
        {"nick": "nick"},
        {},
    )
    answer = listed(people, owner, USER_ID, display_order=BY_FIRST)
    assert shown(answer) == ["remark", "first", "last", "name", "nick", friends[-1]]


def test_han_characters_stand_by_their_pinyin_under_its_letter(people, circle):
    nicks = ["王伟", "李娜", "Wang", "张三", "阿明", "lisa", "Яна", "7"]
    owner, *friends = circle(*({"nick": nick} for nick in nicks))
    answer = listed(people, owner, DISPLAY_NAME)
    assert shown(answer) == ["阿明", "李娜", "lisa", "王伟", "Wang", "张三", "7", "Яна"]
    assert sections(answer) == [("A", 1), ("L", 2), ("W", 2), ("Z", 1), ("#", 2)]


def test_equal_names_come_by_id_and_pages_divide_them(people, circle):
    owner, *friends = circle(*({"first_name": "Ann", "last_name": "A"} for _ in range(7)))
    for order, direction in itertools.product(NAMED, (ASCENDING, DESCENDING)):
        pages = people.pages(
            "ListFriends", 2, user_id=owner, order=order, direction=direction
        )
        assert [user for page in pages for user in ids(page)] == sorted(
            friends, reverse=direction == DESCENDING
        )


def test_an_empty_list_has_no_sections(people):
    (ann,) = people(1)
    for order in NAMED:
        answer = listed(people, ann, order)
        assert (ids(answer), sections(answer), answer.total_size) == ([], [], 0)
    assert found(people, ann, "a").total_size == 0


def test_a_list_follows_names_remarks_and_friends_at_once(people, circle):
    owner, ann, bob = circle({"nick": "ann"}, {"nick": "bob"})
    assert shown(listed(people, owner, DISPLAY_NAME)) == ["ann", "bob"]
    people.set_profile(ann, nick="zed")
    assert shown(listed(people, owner, DISPLAY_NAME)) == ["bob", "zed"]
    assert ids(found(people, owner, "ann")) == []
    assert ids(found(people, owner, "zed")) == [ann]
    set_remark(people, owner, ann, "aunt")
    assert shown(listed(people, owner, DISPLAY_NAME)) == ["aunt", "bob"]
    (carl,) = people(1)
    people.set_profile(carl, nick="carl")
    people.befriend(owner, carl)
    assert shown(listed(people, owner, DISPLAY_NAME)) == ["aunt", "bob", "carl"]
    people.relation("DeleteFriends", user_id=owner, user_ids=[bob])
    assert shown(listed(people, owner, DISPLAY_NAME)) == ["aunt", "carl"]
    people.block(owner, ann)
    assert shown(listed(people, owner, DISPLAY_NAME)) == ["carl"]


def test_a_list_whose_owner_and_friends_are_another_apps_is_another_list(people, circle):
    owner, ann = circle({"nick": "ann"})
    assert shown(listed(people, owner, DISPLAY_NAME)) == ["ann"]
    made = people.relation("CreateApp", name="other").app
    other = people.relation.in_app(made.app_id)
    rows = [{"row": {"user_id": user, "nick": "other"}} for user in (owner, ann)]
    list(other.stream("ImportAccounts", rows, timeout=20))
    answer = other("ListFriends", user_id=owner, order=DISPLAY_NAME)
    assert answer.total_size == 0


# Masks and profiles


def test_a_name_that_the_owner_may_not_see_sorts_as_empty_and_does_not_match(people, circle):
    person = {"first_name": "Ann", "last_name": "Bee", "name": "Ann B", "nick": "zed"}
    owner, ann, bob = circle(person, {"first_name": "Bob", "last_name": "Cee"})
    seen, hidden = ([ann, bob], ["Ann Bee", "Bob Cee"]), ([bob, ann], ["Bob Cee", "zed"])

    def expect(wanted, letters):
        answer = listed(people, owner, FIRST_NAME, with_profiles=True)
        assert (ids(answer), shown(answer)) == wanted
        assert [friend.section for friend in answer.friends] == letters
        matched = [ann] if wanted is seen else []
        for keyword in ("ann", "bee", "Ann B"):
            assert ids(found(people, owner, keyword)) == matched
        assert ids(found(people, owner, "zed")) == [ann]
        profile = next(row.profile for row in answer.friends if row.user_id == ann)
        assert profile.nick == "zed"
        name = ("Ann", "Bee", "Ann B") if matched else ("", "", "")
        assert (profile.first_name, profile.last_name, profile.name) == name

    set_visibility(people, ann, "EVERYONE")
    set_visibility(people, bob, "EVERYONE")
    expect(seen, ["A", "B"])
    set_visibility(people, ann, "INVISIBLE")
    expect(hidden, ["B", "#"])
    set_visibility(people, ann, "FRIENDS")
    expect(seen, ["A", "B"])
    # The other user's list counts, so a user that was removed from it is shut out at once.
    people.relation("DeleteFriends", user_id=ann, user_ids=[owner])
    expect(hidden, ["B", "#"])
    people.befriend(ann, owner)
    expect(seen, ["A", "B"])


def test_joined_profiles_have_the_fields_of_their_mask(people, circle):
    owner, ann, bob = circle({"nick": "ann", "first_name": "Ann", "gender": 2}, {"nick": "bob"})
    for order in range(6):
        assert not any(row.HasField("profile") for row in listed(people, owner, order).friends)
        answer = listed(people, owner, order, with_profiles=True)
        for row in answer.friends:
            profile = people.relation("GetProfiles", user_id=owner, user_ids=[row.user_id])
            assert row.profile == profile.results[0].profile
        answer = listed(
            people, owner, order, with_profiles=True, profile_mask={"paths": ["first_name"]}
        )
        row = next(row for row in answer.friends if row.user_id == ann)
        assert (row.profile.first_name, row.profile.nick) == ("Ann", "")
    answer = found(
        people, owner, "ann", with_profiles=True, profile_mask={"paths": ["nick"]}
    )
    (row,) = answer.friends
    assert (row.profile.nick, row.profile.first_name) == ("ann", "")


def test_a_read_mask_cuts_what_is_joined_to_a_row(people, circle):
    owner, ann = circle({"nick": "ann", "remark": "aunt"})
    row = people.friend(owner, ann)
    for name in ("remark", "display_name", "section", "profile", "sequence"):
        fields = {"with_profiles": True, "read_mask": {"paths": [name]}}
        (masked,) = listed(people, owner, DISPLAY_NAME, **fields).friends
        assert {field.name for field, _ in masked.ListFields()} == {"user_id", name}
    full = listed(people, owner, DISPLAY_NAME).friends[0]
    assert (full.display_name, full.section) == ("aunt", "A")
    full.ClearField("display_name")
    full.ClearField("section")
    # The stored row is the same in every list.
    assert full == row


def test_a_page_of_joined_profiles_ends_at_its_bytes_and_loses_none(people):
    owner, *friends = people(281)
    people.befriend(owner, *friends)
    text = "王" * 166
    for friend in friends:
        people.set_profile(
            friend, nick=text, name=text, first_name=text, last_name=text, middle_name=text,
            self_signature=text.encode(), face_url="x" * 500, link="x" * 500, username="x" * 500,
            picture_url="x" * 500,
        )  # fmt: skip
    for order in (USER_ID, DISPLAY_NAME):
        fields = {"user_id": owner, "order": order, "with_profiles": True}
        pages = list(people.pages("ListFriends", 1000, **fields))
        assert sorted(user for page in pages for user in ids(page)) == friends
        assert len(pages) > 1
        assert all(page.ByteSize() <= (1 << 20) + 4096 for page in pages)
    fields = {"user_id": owner, "keyword": "王", "with_profiles": True}
    pages = list(people.pages("SearchFriends", 1000, **fields))
    assert sorted(user for page in pages for user in ids(page)) == friends
    assert len(pages) > 1


# SearchFriends


def test_who_is_found_by_the_remark_comes_first_then_by_a_name_then_by_the_id(people, circle):
    owner, *friends = circle(
        {"nick": "zz"},
        {"nick": "a user"},
        {"remark": "a USER", "nick": "user"},
        {"first_name": "b", "last_name": "User"},
        {"remark": "User"},
        {"remark": "aa"},
    )
    one, two, three, four, five, six = friends
    answer = found(people, owner, "user")
    assert ids(answer) == [three, five, two, four, six, one]
    assert (answer.total_size, answer.next_page_token) == (6, "")
    assert answer.sequence == people.sequences(owner)[0]
    for page_size in (1, 2, 4):
        pages = list(people.pages("SearchFriends", page_size, user_id=owner, keyword="user"))
        assert [user for page in pages for user in ids(page)] == ids(answer)
        assert {page.total_size for page in pages} == {6}
    assert shown(answer) == ["a USER", "User", "a user", "b User", "aa", "zz"]


@pytest.mark.parametrize(
    "keyword, match, count",
    [
        ("ann", SUBSTRING, 1),
        ("ANN", 0, 1),
        ("ａｎｎ", SUBSTRING, 1),
        ("nn l", SUBSTRING, 1),
        ("lee", PREFIX, 1),
        ("an", PREFIX, 1),
        ("nn", PREFIX, 0),
        ("ee", PREFIX, 0),
        ("lea", SUBSTRING, 0),
        ("王", SUBSTRING, 1),
        ("伟", SUBSTRING, 1),
        ("伟", PREFIX, 0),
        ("straße", SUBSTRING, 1),
        ("STRASSE", SUBSTRING, 1),
        ("ﾔﾏﾀﾞ", SUBSTRING, 1),
        ("x" * 64, SUBSTRING, 0),
        ("王" * 64, SUBSTRING, 0),
        ("%", SUBSTRING, 0),
        (".*", SUBSTRING, 0),
    ],
)
def test_case_width_and_form_make_no_difference_and_nothing_is_a_wildcard(
    people, circle, keyword, match, count
):
    owner, ann = circle(
        {"first_name": "Ann", "last_name": "Lee", "name": "Straße ヤマダ", "nick": "王伟"}
    )
    answer = found(people, owner, keyword, search_match=match)
    assert (len(answer.friends), answer.total_size) == (count, count)


@pytest.mark.parametrize("keyword", ["zhang", "zhang san", "zs", "ZhangS", "san", "zengxm", "cxm"])
@pytest.mark.parametrize("field", ["nick", "remark"])
def test_han_names_are_found_by_their_pinyin(people, circle, field, keyword):
    owner, zhang, zeng, ann = circle({field: "张三"}, {field: "曾小明"}, {field: "Ann"})
    expected = zeng if keyword in ("zengxm", "cxm") else zhang
    assert ids(found(people, owner, keyword)) == [expected]


@pytest.mark.parametrize("keyword", ["muller", "MÜLLER", "mülle", "uller"])
def test_accents_make_no_difference(people, circle, keyword):
    owner, one, two, three = circle({"nick": "Müller"}, {"remark": "Muller"}, {"nick": "Miller"})
    assert ids(found(people, owner, keyword)) == [two, one]


def test_the_name_as_it_is_written_comes_before_the_name_as_it_is_read(people, circle):
    owner, *friends = circle(
        {"nick": "张三"}, {"remark": "章鱼"}, {"nick": "Zhang"}, {"remark": "zhang"})  # fmt: skip
    assert ids(found(people, owner, "zhang")) == [friends[3], friends[2], friends[1], friends[0]]
    pages = list(people.pages("SearchFriends", 1, user_id=owner, keyword="zhang"))
    assert [user for page in pages for user in ids(page)] == friends[::-1]


def test_a_surname_stands_where_readers_look_for_it(people, circle):
    owner, *friends = circle(
        {"nick": "曾小明"}, {"nick": "曾经"}, {"nick": "单雄信"}, {"nick": "单车"})  # fmt: skip
    answer = listed(people, owner, "FRIEND_ORDER_DISPLAY_NAME")
    assert shown(answer) == ["曾经", "单车", "单雄信", "曾小明"]
    assert sections(answer) == [("C", 1), ("D", 1), ("S", 1), ("Z", 1)]


def test_only_friends_are_found(people, circle):
    owner, ann = circle({"nick": "same"})
    unrelated, blocked, oneway = people(3)
    for user in (owner, unrelated, blocked, oneway):
        people.set_profile(user, nick="same")
    people.befriend(owner, blocked)
    people.block(owner, blocked)
    people.import_friends([{"user_id": oneway, "friend_user_id": owner}])
    assert ids(found(people, owner, "same")) == [ann]


def test_pages_of_a_search_hold_together_while_friends_come_and_go(people, circle):
    owner, *friends = circle(*({"nick": f"same {number}"} for number in range(8)))
    seen, token = [], ""
    for gone in (0, 7, None, None):
        page = found(people, owner, "same", page_size=2, page_token=token)
        seen += ids(page)
        token = page.next_page_token
        if gone is not None:
            # The row that the token names goes too: the next page begins where it was.
            people.relation(
                "DeleteFriends", user_id=owner, user_ids=[friends[gone], page.friends[-1].user_id]
            )
    assert seen == friends[:7]
    assert token == ""
