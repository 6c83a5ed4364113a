"""ProfileService as users see it: visibility, unique ids, profiles that a caller already has, and
custom fields."""

import pytest
from people import People, absent, codes, outcomes
from refusals import assert_invalid, refusal
from stubs import Relation

NOT_SET, INVISIBLE, EVERYONE, FRIENDS = range(4)
HIDDEN = 2
TAKEN = "Err_Profile_UniqueId_Taken"
CARD = {"user_id", "nick", "face_url", "version"}
PROFILE = {
    "nick": "Ann",
    "face_url": "https://a/f",
    "allow_type": 0,
    "gender": 2,
    "birthday": 19900630,
    "location": b"here",
    "language": 7,
    "level": 1,
    "role": 2,
    "self_signature": b"hello",
    "msg_settings": 1,
    "admin_forbid_type": 0,
    "email": "ann@example.org",
    "birthday_text": "30 June",
    "location_text": "Here",
    "name": "Ann B. Example",
    "first_name": "Ann",
    "middle_name": "B.",
    "last_name": "Example",
    "link": "https://a",
    "username": "ann",
    "locale": "en_GB",
    "picture_url": "https://a/p",
}
OPEN = {"user_id", "version", "age_range", "unique_id", *PROFILE} - {
    "msg_settings", "admin_forbid_type",
}  # fmt: skip
OWN = OPEN | {"msg_settings", "admin_forbid_type"}


def as_user(people, user):
    """Calls with that user's own credential, in the same app."""
    metadata = [*people.relation.metadata, ("x-user-id", user)]
    return Relation(people.stubs, people.relation.channel, metadata)


def show(people, user, visibility):
    return as_user(people, user)("SetVisibility", visibility=visibility)


def given(profile):
    return {field.name for field, _ in profile.ListFields()}


def seen(people, user, viewer, **fields):
    (result,) = as_user(people, viewer)("GetProfiles", user_ids=[user], **fields).results
    assert result.code == 0
    return result


def update(people, user, *tags, **fields):
    return people.relation(
        "UpdateProfile", user_id=user, tags=[{"tag": tag, **value} for tag, value in tags], **fields
    )


def violations(answer):
    return [(item.key, item.code) for item in answer.violations]


def new_app(relation, **settings):
    """People of a new app."""
    app = relation("CreateApp", settings=settings).app
    return People(relation.in_app(app.app_id))


# Visibility


@pytest.mark.parametrize("app_level", [INVISIBLE, EVERYONE, FRIENDS])
def test_each_viewer_sees_what_the_table_of_visibilities_says(relation, app_level):
    people = new_app(
        relation, default_visibility=app_level, keeps_friendship_on_blacklist=True
    )
    owner, friend, fan, other, enemy, cold = people(6)
    people.set_profile(owner, unique_id="owner1", **PROFILE)
    people.import_friends(
        [{"user_id": owner, "friend_user_id": friend}, {"user_id": fan, "friend_user_id": owner}]
    )
    people.befriend(owner, cold)
    people.block(owner, enemy, cold)
    for chosen in (NOT_SET, INVISIBLE, EVERYONE, FRIENDS):
        answer = show(people, owner, chosen)
        holds = chosen or app_level
        # The first choice is the one that a new user has.
        assert (answer.applied, answer.effective) == (chosen != NOT_SET, holds)
        levels = as_user(people, owner)("GetVisibility")
        assert (levels.user_level, levels.app_level, levels.effective) == (
            chosen, app_level, holds,
        )  # fmt: skip
        sees = {
            owner: OWN,
            friend: CARD if holds == INVISIBLE else OPEN,
            fan: OPEN if holds == EVERYONE else CARD,
            other: OPEN if holds == EVERYONE else CARD,
            enemy: CARD,
            cold: CARD,
        }
        for viewer, wanted in sees.items():
            result = seen(people, owner, viewer)
            assert given(result.profile) == wanted, (chosen, viewer)
            assert absent(result) == dict.fromkeys(OWN - wanted, HIDDEN), (chosen, viewer)
            found = as_user(people, viewer)("FindProfileByUniqueId", unique_id="owner1")
            assert (found.code, found.profile) == (0, result.profile)
            assert absent(found) == absent(result)
        # A server sees everything, whoever it acts for.
        assert given(people.relation(
            "GetProfiles", user_id=enemy, user_ids=[owner]).results[0].profile) == OWN


def test_a_visibility_must_be_given_and_known(people):
    (ann,) = people(1)
    for fields in ({}, {"visibility": 5}, {"visibility": -1}):
        refused = refusal(people.relation, "SetVisibility", user_id=ann, **fields)
        assert_invalid(refused, "visibility")


def test_a_visibility_is_dry_and_repeated_like_any_write(people):
    (ann,) = people(1)
    fields = {"user_id": ann, "visibility": FRIENDS}
    dry = people.relation("SetVisibility", options={"dry_run": True}, **fields)
    assert (dry.applied, dry.version, dry.effective) == (False, 1, FRIENDS)
    assert people.relation("GetVisibility", user_id=ann).user_level == NOT_SET
    first = people.relation("SetVisibility", options={"request_id": "r"}, **fields)
    again = people.relation("SetVisibility", options={"request_id": "r"}, **fields)
    assert (first.replayed, again.replayed) == (False, True)
    assert (again.version, again.sequence) == (first.version, first.sequence) == (1, 1)


# Profiles that the caller has


def test_what_the_caller_has_is_not_sent_again(people):
    ann, bob, eve = people(3)
    people.set_profile(ann, **PROFILE)
    caller = as_user(people, eve)
    unknown = people.unknown_user()
    asked = [ann, bob, unknown, "", ann]
    first = caller("GetProfiles", user_ids=asked)
    assert first.cache_seconds == 86_400
    versions = {result.user_id: result.view_version for result in first.results}
    assert versions[unknown] == versions[""] == 0
    again = caller("GetProfiles", user_ids=asked, known_versions=versions)
    assert codes(again) == codes(first) == [0, 0, 40003, 40001, 0]
    for result in again.results:
        assert result.not_modified == (result.code == 0)
        assert not result.HasField("profile") and not result.field_access
    people.set_profile(ann, nick="Anna")
    third = caller("GetProfiles", user_ids=asked, known_versions=versions)
    assert [result.not_modified for result in third.results] == [False, True, False, False, False]
    assert third.results[0].profile.nick == "Anna"


def test_no_more_versions_are_known_than_profiles_may_be_asked_for(people):
    (ann,) = people(1)
    versions = {f"x{number}": 1 for number in range(101)}
    refused = refusal(
        people.relation, "GetProfiles", user_id=ann, user_ids=[ann], known_versions=versions
    )
    assert_invalid(refused, "known_versions", reason="TOO_MANY_ITEMS")


# Unique ids


def test_only_an_administrator_gives_a_unique_id_and_each_is_given_once(people):
    ann, bob = people(2)
    own = as_user(people, ann)("UpdateProfile", tags=[{"tag": "uniqueId", "text": "ann7"}])
    assert (own.code, own.applied) == (40008, False)
    assert update(people, ann, ("uniqueId", {"text": "ann7"})).code == 0
    # The taken one stands among the other violations, in the request's order.
    taken = update(
        people, bob, ("level", {"text": "x"}), ("uniqueId", {"text": "ann7"}),
        ("role", {"text": "x"}),
    )  # fmt: skip
    assert violations(taken) == [("level", 40610), ("uniqueId", 40605), ("role", 40610)]
    assert taken.violations[1].info == TAKEN
    taken = update(people, bob, ("uniqueId", {"text": "ann7"}), ("nick", {"text": "x"}))
    assert (taken.code, taken.info) == (40605, TAKEN)
    # A user may give itself its own identifier again.
    assert update(people, ann, ("uniqueId", {"text": "ann7"})).code == 0
    assert update(people, ann, ("uniqueId", {"text": ""})).code == 0
    assert update(people, bob, ("uniqueId", {"text": "ann7"})).code == 0
    found = people.relation("FindProfileByUniqueId", user_id=ann, unique_id="ann7")
    assert found.profile.user_id == bob


def test_a_unique_id_is_found_whole_or_not_at_all(people):
    ann, bob = people(2)
    update(people, ann, ("uniqueId", {"text": "Whole1"}))
    for text, code, info in [
        ("Whole1", 0, ""),
        ("whole1", 24366, "Err_Profile_UniqueId_Not_Exist"),
        ("Whole", 24366, "Err_Profile_UniqueId_Not_Exist"),
        ("x" * 32, 24366, "Err_Profile_UniqueId_Not_Exist"),
        ("", 34236, "Err_Profile_UniqueId_Illegal"),
        ("x" * 33, 34236, "Err_Profile_UniqueId_Illegal"),
        ("Whole 1", 34236, "Err_Profile_UniqueId_Illegal"),
        ("Wholé1", 34236, "Err_Profile_UniqueId_Illegal"),
    ]:
        found = people.relation("FindProfileByUniqueId", user_id=bob, unique_id=text)
        assert (found.code, found.info) == (code, info)
        assert found.HasField("profile") == (code == 0)


# Custom fields


@pytest.fixture(scope="module")
def house(relation):
    """People of an app with custom fields of every type and permission."""
    people = new_app(relation, forbidden_words={"values": ["worse"]})
    fields = [
        {"owner": 1, "key": "Blood", "value_type": 1},
        {"owner": 1, "key": "Blob", "value_type": 2},
        {"owner": 1, "key": "Size", "value_type": 3},
        {"owner": 1, "key": "Fixed", "value_type": 1, "admin_writes": True},
        {"owner": 1, "key": "Secret", "value_type": 1, "admin_reads": True},
    ]
    assert codes(people.relation("DefineCustomFields", items=fields)) == [0] * 5
    return people


def test_custom_fields_are_written_typed_and_answered_by_their_types(house):
    ann, bob = house(2)
    tags = [
        ("Tag_Profile_Custom_Blood", {"text": "é"}),
        ("TIMProfileTypeKey_Custom_Blob", {"data": b"\xff\0"}),
        ("Tag_Profile_Custom_Size", {"number": 2**64 - 1}),
    ]
    assert update(house, ann, *tags).code == 0
    custom = seen(house, ann, bob).profile.custom
    assert [(item.key, item.WhichOneof("value")) for item in custom] == [
        ("Blob", "data"), ("Blood", "text"), ("Size", "number"),
    ]  # fmt: skip
    assert (custom[0].data, custom[1].text, custom[2].number) == (
        b"\xff\0", "é", 2**64 - 1,
    )  # fmt: skip
    # Values that were read may be written back.
    answer = house.relation(
        "UpdateProfile", user_id=bob, profile={"custom": custom}, update_mask={"paths": ["custom"]}
    )
    assert answer.code == 0
    assert seen(house, bob, ann).profile.custom == custom


def test_a_custom_field_is_read_and_written_by_whom_it_says(house):
    ann, bob = house(2)
    both = [("Tag_Profile_Custom_Fixed", {"text": "f"}), ("Tag_Profile_Custom_Secret", {"text": "s"})]
    own = as_user(house, ann)("UpdateProfile", tags=[{"tag": tag, **value} for tag, value in both])
    assert violations(own) == [("Tag_Profile_Custom_Fixed", 40008)]
    assert update(house, ann, *both).code == 0
    for viewer in (ann, bob):
        result = seen(house, ann, viewer, read_mask={"paths": ["custom"]})
        assert [item.key for item in result.profile.custom] == ["Fixed"]
        assert absent(result) == {"custom.Secret": HIDDEN}
    admin = house.relation("GetProfiles", user_id=bob, user_ids=[ann]).results[0]
    assert [item.key for item in admin.profile.custom] == ["Fixed", "Secret"]


def test_every_custom_violation_is_named(house):
    (ann,) = house(1)
    answer = update(
        house, ann,
        ("Tag_Profile_Custom_Unknown", {"text": "x"}),
        ("Tag_Profile_Custom_Blood", {"number": 1}),
        ("Tag_Profile_Custom_Blob", {"data": b"x" * 501}),
        ("Tag_Profile_Custom_Size", {"text": "1"}),
        ("Tag_Profile_Custom_Fixed", {"text": "even WORSE"}),
        ("TIMProfileTypeKey_Custom_Blood", {"text": "x"}),
    )  # fmt: skip
    assert [code for _, code in violations(answer)] == [40009, 40610, 40601, 40610, 40005, 40001]
    assert house.profile(ann).version == 0


# Blocked viewers in other lists


def test_whoever_is_blacklisted_sees_name_and_portrait_only_wherever_profiles_are_joined(relation):
    people = new_app(relation, keeps_friendship_on_blacklist=True)
    ann, bob = people(2)
    people.set_profile(ann, **PROFILE)
    people.befriend(ann, bob)
    people.block(ann, bob)
    mine = as_user(people, bob)
    listed = mine("ListFriends", with_profiles=True).friends[0].profile
    card = mine("GetRelations", user_ids=[ann], with_profiles=True).results[0].profile
    for profile in (listed, card):
        assert given(profile) == CARD
    blocked = (20007, "Err_Msg_SendCheck_In_Peer_BlackList")
    # A message server asks in the app's name; the user itself does not learn who blocks it.
    assert outcomes(people.relation("CanSend", user_id=bob, user_ids=[ann])) == [blocked]
    assert outcomes(mine("CanSend", user_ids=[ann])) == [(0, "")]
    assert mine("SearchFriends", keyword="ann b").friends == []
    assert [friend.user_id for friend in mine("SearchFriends", keyword="ann").friends] == [ann]
