"""Behaviours on which users of RongCloud and Facebook rely, as a claim each; other files hold the
rest."""

import concurrent.futures
import time

import pytest
from people import People, absent, codes, outcomes
from refusals import assert_invalid, refusal
from stubs import Relation

RONGCLOUD = 2
AGREE_AND_ADD = "FRIEND_RESPONSE_TYPE_AGREE_AND_ADD"
HIDDEN = 2


@pytest.fixture
def app(relation):
    """An app that belongs to one test, with its people: `app(RONGCLOUD, limits={"friends": 3})`."""

    def make(preset=1, **settings):
        made = relation("CreateApp", preset=preset, settings=settings).app
        return People(relation.in_app(made.app_id))

    return make


def speaking(people, user):
    """A client with the credential of one user."""
    relation = people.relation
    metadata = [*relation.metadata, ("x-user-id", user)]
    return Relation(relation.stubs, relation.channel, metadata)


def seen(people, viewer, user):
    """The names of the fields of `user` that `viewer` gets, and of those that are hidden."""
    answer = speaking(people, viewer)("GetProfiles", user_ids=[user])
    (result,) = answer.results
    assert result.code == 0
    shown = {field.name for field, _ in result.profile.ListFields()}
    return shown, {name for name, why in absent(result).items() if why == HIDDEN}


def violations(answer):
    return {item.key: item.code for item in answer.violations}


def set_limit(people, **limits):
    people.relation(
        "UpdateApp", settings={"limits": limits},
        update_mask={"paths": [f"limits.{name}" for name in limits]},
    )  # fmt: skip


# Visibility

ALL = {
    "nick": "Ann", "face_url": "https://f", "gender": 2, "email": "a@example.org",
    "birthday_text": "1990", "location_text": "here", "role": 5, "level": 6,
}  # fmt: skip
ALWAYS = {"user_id", "nick", "face_url"}


def test_by_default_an_unrelated_user_sees_the_id_the_name_and_the_portrait_only(app):
    people = app(RONGCLOUD)
    ann, unrelated = people(2)
    people.set_profile(ann, **ALL)
    people.relation("DefineCustomFields", items=[{"owner": 1, "key": "ext_a", "value_type": 1}])
    people.relation(
        "UpdateProfile", user_id=ann, tags=[{"tag": "Tag_Profile_Custom_ext_a", "text": "x"}]
    )
    shown, hidden = seen(people, unrelated, ann)
    assert shown - {"version"} == ALWAYS
    assert set(ALL) - ALWAYS <= hidden
    # A field that was never set is hidden as much as one that was.
    assert {"unique_id", "language"} <= hidden
    shown, hidden = seen(people, ann, ann)
    assert set(ALL) | {"custom"} <= shown
    assert not hidden


def test_a_friend_sees_all_of_who_shows_itself_to_friends_and_an_ex_friend_nothing_at_once(app):
    people = app(RONGCLOUD)
    ann, bob, unrelated = people(3)
    people.set_profile(ann, **ALL)
    assert people.relation("GetVisibility", user_id=ann).effective == 1
    people.relation("SetVisibility", user_id=ann, visibility="VISIBILITY_FRIENDS")
    assert seen(people, bob, ann)[0] - {"version"} == ALWAYS
    people.befriend(ann, bob)
    assert set(ALL) <= seen(people, bob, ann)[0]
    assert seen(people, unrelated, ann)[0] - {"version"} == ALWAYS
    people.relation("DeleteFriends", user_id=ann, user_ids=[bob])
    assert seen(people, bob, ann)[0] - {"version"} == ALWAYS
    assert speaking(people, bob)("ListFriends", with_profiles=True).friends[0].profile.email == ""


@pytest.mark.parametrize("app_level", [1, 2, 3])
@pytest.mark.parametrize("user_level", [None, 0, 1, 2, 3])
def test_the_users_own_visibility_beats_the_apps(app, app_level, user_level):
    people = app(RONGCLOUD, default_visibility=app_level)
    ann, friend, unrelated, listed = people(4)
    people.set_profile(ann, **ALL)
    people.befriend(ann, friend)
    # A user that merely has Ann in its own list is not her friend.
    people.add(listed, ann, add_type="ADD_TYPE_SINGLE")
    if user_level is not None:
        people.relation("SetVisibility", user_id=ann, visibility=user_level)
    effective = user_level or app_level
    told = people.relation("GetVisibility", user_id=ann)
    assert (told.user_level, told.app_level, told.effective) == (
        user_level or 0, app_level, effective,
    )  # fmt: skip
    everyone = effective == 2
    expected = {ann: True, friend: effective != 1, unrelated: everyone, listed: everyone}
    assert {viewer: "email" in seen(people, viewer, ann)[0] for viewer in expected} == expected


# Profiles


def test_all_that_is_wrong_with_a_profile_is_named_in_one_answer(app):
    people = app(RONGCLOUD)
    (ann,) = people(1)
    people.relation("DefineCustomFields", items=[{"owner": 1, "key": "ext_a", "value_type": 1}])
    answer = people.relation(
        "UpdateProfile", user_id=ann,
        tags=[
            {"tag": "name", "text": "x" * 33},
            {"tag": "portraitUri", "text": "x" * 129},
            {"tag": "role", "number": 101},
            {"tag": "Tag_Profile_Custom_ext_a", "text": "x" * 257},
            {"tag": "Tag_Profile_Custom_ext_b", "text": "x"},
            {"tag": "email", "text": "x" * 129},
            {"tag": "level", "number": 100},
        ],
    )  # fmt: skip
    assert violations(answer) == {
        "name": 24364, "portraitUri": 24364, "role": 24368,
        "Tag_Profile_Custom_ext_a": 24364, "Tag_Profile_Custom_ext_b": 24362, "email": 24364,
    }  # fmt: skip
    assert answer.code == 24364
    assert not answer.applied
    assert people.profile(ann).level == 0


def test_limits_of_characters_count_characters(app):
    people = app(RONGCLOUD)
    (ann,) = people(1)
    people.set_profile(ann, nick="王" * 32, face_url="é" * 128, role=100, level=100)
    answer = people.relation(
        "UpdateProfile", user_id=ann, profile={"nick": "王" * 33}, update_mask={"paths": ["nick"]}
    )
    assert answer.code == 24364


def test_the_twenty_first_key_of_a_profile_is_refused(app):
    people = app(RONGCLOUD)
    (ann,) = people(1)
    keys = [f"k{number}" for number in range(20)]
    fields = [{"owner": 1, "key": key, "value_type": 1} for key in keys]
    assert codes(people.relation("DefineCustomFields", items=fields)) == [0] * 20
    tags = [{"tag": f"Tag_Profile_Custom_{key}", "text": "x"} for key in keys]
    assert people.relation("UpdateProfile", user_id=ann, tags=tags).code == 0
    tags.append({"tag": "Tag_Profile_Custom_k20", "text": "x"})
    answer = people.relation("UpdateProfile", user_id=ann, tags=tags)
    assert answer.code == 24363, answer
    assert {item.code for item in answer.violations} <= {24362, 24363}
    assert not answer.applied


def test_a_unique_id_is_given_by_administrators_only_and_once(app):
    people = app(RONGCLOUD)
    ann, bob = people(2)
    fields = {"profile": {"unique_id": "Ann01"}, "update_mask": {"paths": ["unique_id"]}}
    answer = speaking(people, ann)("UpdateProfile", **fields)
    assert (answer.code, answer.applied) == (24360, False)
    assert people.relation("UpdateProfile", user_id=ann, **fields).code == 0
    answer = people.relation("UpdateProfile", user_id=bob, **fields)
    assert (answer.code, answer.info) == (24368, "Err_Profile_UniqueId_Taken")
    assert people.relation("UpdateProfile", user_id=ann, **fields).code == 0
    found = people.relation("FindProfileByUniqueId", user_id=bob, unique_id="Ann01")
    assert (found.code, found.profile.user_id) == (0, ann)
    # It is free again as soon as it is given up.
    people.set_profile(ann, unique_id="")
    assert people.relation("UpdateProfile", user_id=bob, **fields).code == 0


def test_of_many_who_take_one_unique_id_at_once_one_has_it(app):
    people = app()
    users = people(16)

    def take(user):
        return people.relation(
            "UpdateProfile", user_id=user, profile={"unique_id": "wanted"},
            update_mask={"paths": ["unique_id"]},
        ).code  # fmt: skip

    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(take, users))
    assert sorted(answers) == [0] + [40605] * 15
    found = people.relation("FindProfileByUniqueId", user_id=users[0], unique_id="wanted")
    assert found.profile.user_id == users[answers.index(0)]


def test_twenty_one_profiles_and_a_hundred_and_one_friends_are_too_many(app):
    people = app(RONGCLOUD)
    users = people(101)
    for call, most in (("GetProfiles", 20), ("GetFriends", 100), ("AddFriends", 100)):
        def ask(count, call=call):
            asked = [{"user_id": user} for user in users[:count]]
            name = "items" if call == "AddFriends" else "user_ids"
            values = asked if call == "AddFriends" else users[:count]
            return {"name": name, "fields": {"user_id": users[0], name: values}}

        full, over = ask(most), ask(most + 1)
        assert len(people.relation(call, **full["fields"]).results) == most
        refused = refusal(people.relation, call, **over["fields"])
        assert_invalid(refused, over["name"], reason="TOO_MANY_ITEMS")
    tim = app()
    users = tim(101)
    assert len(tim.relation("GetProfiles", user_id=users[0], user_ids=users[:100]).results) == 100
    refused = refusal(tim.relation, "GetProfiles", user_id=users[0], user_ids=users)
    assert_invalid(refused, "user_ids", reason="TOO_MANY_ITEMS")


# Applications and friends


def test_who_never_said_whom_it_lets_add_it_is_asked_before(app):
    people = app(RONGCLOUD)
    ann, bob = people(2)
    assert people.relation("GetApp").app.settings.default_allow_type == 1
    assert people.add(ann, bob)[0] == 30539
    assert people.respond(bob, ann, AGREE_AND_ADD)[0] == 0
    assert people.are_friends(ann, bob) == (True, True)
    # A user's own choice goes before that, and TIM's preset lets any user in.
    people.allow_any(ann)
    people.relation("DeleteFriends", user_id=bob, user_ids=[ann], delete_type=2)
    assert people.add(bob, ann)[0] == 0
    tim = app()
    ann, bob = tim(2)
    assert tim.add(ann, bob)[0] == 0


def test_an_application_that_is_too_old_is_not_accepted_and_is_listed_as_expired(app):
    assert app(RONGCLOUD).relation("GetApp").app.settings.application_lifetime_ms == 7 * 86_400_000
    people = app(RONGCLOUD, application_lifetime_ms=1)
    ann, bob = people(2)
    people.apply(ann, bob)
    (sent,) = people.applications(ann)
    # This waits for the next millisecond.
    while time.time_ns() // 1_000_000 <= sent.add_time_ms + 1:
        pass
    assert people.respond(bob, ann, AGREE_AND_ADD)[0] == 30614
    assert people.are_friends(ann, bob) == (False, False)
    for user in (ann, bob):
        assert people.pendencies(user) == []
        assert [item.status for item in people.applications(user)] == [3]


def test_two_lists_with_one_place_left_take_one_of_all_that_are_accepted_at_once(app):
    people = app(limits={"friends": 3})
    users = people(18)
    ann, bob, others = users[0], users[1], users[2:]
    people.befriend(ann, *others[:2])
    people.befriend(bob, *others[2:4])
    rest = others[4:]
    people.need_confirm(ann)
    people.need_confirm(bob)
    pairs = [(ann, bob)] + [(owner, user) for user in rest for owner in (ann, bob)]
    for owner, user in pairs:
        people.apply(user, owner)
    with concurrent.futures.ThreadPoolExecutor(12) as pool:
        answers = list(pool.map(lambda pair: people.respond(*pair, AGREE_AND_ADD)[0], pairs))
    assert set(answers) <= {0, 30010, 30014}
    for owner in (ann, bob):
        assert len(people.friend_ids(owner)) == 3
        page = people.relation("ListFriends", user_id=owner)
        assert page.total_size == 3
        mine = [code for (who, _), code in zip(pairs, answers, strict=True) if who == owner]
        others = [code for (_, who), code in zip(pairs, answers, strict=True) if who == owner]
        assert (mine + others).count(0) == 1
    for user in rest:
        for owner in (ann, bob):
            assert people.are_friends(owner, user) in ((True, True), (False, False))


def test_no_way_of_adding_at_once_passes_the_limit_of_a_list(app):
    people = app()
    users = people(26)
    ann, others = users[0], users[1:]
    people.befriend(ann, others[0])
    set_limit(people, friends=4)
    for user in others[1:9]:
        people.apply(ann, user)
        people.need_confirm(user)
    ways = []
    for user in others[1:9]:
        ways.append(lambda user=user: people.respond(user, ann, AGREE_AND_ADD))
    for user in others[9:17]:
        ways.append(lambda user=user: people.add(ann, user))
    for user in others[17:]:
        ways.append(lambda user=user: people.add(user, ann))
    with concurrent.futures.ThreadPoolExecutor(12) as pool:
        answers = [answer[0] for answer in pool.map(lambda way: way(), ways)]
    assert len(people.friend_ids(ann)) == 4
    assert answers.count(0) == 3
    assert set(answers) <= {0, 30010, 30014}


def test_deleting_takes_remark_and_custom_values_and_adding_again_starts_clean(app):
    people = app(RONGCLOUD)
    ann, bob = people(2)
    people.relation("DefineCustomFields", items=[{"owner": 2, "key": "ext_a", "value_type": 1}])
    people.befriend(ann, bob)
    for user, other in ((ann, bob), (bob, ann)):
        answer = people.relation(
            "UpdateFriends", user_id=user,
            items=[{
                "user_id": other, "remark": "old", "groups": ["old"],
                "custom": [{"key": "ext_a", "data": b"old"}],
                "update_mask": {"paths": ["remark", "groups", "custom"]},
            }],
        )  # fmt: skip
        assert outcomes(answer) == [(0, "")]
    answer = people.relation("DeleteFriends", user_id=ann, user_ids=[bob], delete_type=2)
    assert codes(answer) == [0]
    assert people.are_friends(ann, bob) == (False, False)
    people.befriend(ann, bob)
    for user, other in ((ann, bob), (bob, ann)):
        row = people.friend(user, other)
        assert (row.remark, row.remark_time_ms, list(row.groups), list(row.custom)) == (
            "", 0, [], [],
        )  # fmt: skip
        found = people.relation("SearchFriends", user_id=user, keyword="old")
        assert found.total_size == 0
        assert people.groups(user) == {"old": []}


@pytest.mark.parametrize("keyword, is_legal", [("", False), ("x", True), ("王" * 64, True),
                                               ("王" * 65, False)])  # fmt: skip
def test_a_keyword_has_one_to_sixty_four_characters(people, keyword, is_legal):
    (ann,) = people(1)
    if is_legal:
        assert people.relation("SearchFriends", user_id=ann, keyword=keyword).total_size == 0
    else:
        refused = refusal(people.relation, "SearchFriends", user_id=ann, keyword=keyword)
        assert_invalid(refused, "keyword")


def test_a_remark_is_found_before_a_name_whatever_its_case(people):
    users = people(4)
    ann, others = users[0], users[1:]
    people.befriend(ann, *others)
    people.set_profile(others[0], nick="a MARTIN")
    people.import_friends([{"user_id": ann, "friend_user_id": others[2], "remark": "zz Martin"}])
    for keyword in ("martin", "MARTIN", "ｍａｒｔｉｎ"):
        found = people.relation("SearchFriends", user_id=ann, keyword=keyword)
        assert [friend.user_id for friend in found.friends] == [others[2], others[0]]
