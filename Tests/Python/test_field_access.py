"""The fields that an answer with a profile names as absent, and the profile without ballast."""

import pytest
from people import People, absent, codes
from stubs import Relation

NOT_SET, HIDDEN = 1, 2
INVISIBLE, EVERYONE = 1, 2
# The fields that no answer names: the id is always there, and the version is never asked for.
UNNAMED = {"user_id", "version", "custom"}
# The fields that every caller sees.
CARD = {"nick", "face_url"}
PRIVATE = {"msg_settings", "admin_forbid_type"}
KEYS = ["Blood", "Secret", "Zodiac"]


@pytest.fixture(scope="module")
def house(relation):
    """People of an app with three custom fields of profiles, one of them for administrators."""
    people = People(relation.in_app(relation("CreateApp").app.app_id))
    fields = [{"owner": 1, "key": key, "value_type": 1, "admin_reads": key == "Secret"}
              for key in reversed(KEYS)]
    assert codes(people.relation("DefineCustomFields", items=fields)) == [0] * 3
    return people


@pytest.fixture(scope="module")
def paths(stubs):
    """Every field that an answer may name, in the order of the schema and then of the keys."""
    fields = [field.name for field in stubs.message("Profile").DESCRIPTOR.fields]
    return [name for name in fields if name not in UNNAMED] + [f"custom.{key}" for key in KEYS]


def as_user(people, user):
    metadata = [*people.relation.metadata, ("x-user-id", user)]
    return Relation(people.stubs, people.relation.channel, metadata)


def seen(people, viewer, user, **fields):
    """The answer for one profile with that viewer's own credential."""
    (result,) = as_user(people, viewer)("GetProfiles", user_ids=[user], **fields).results
    assert result.code == 0
    return result


def set_all(people, user):
    people.set_profile(
        user, nick="n", face_url="f", allow_type=0, gender=0, birthday=19900630, location=b"l",
        language=0, level=0, role=0, self_signature=b"s", msg_settings=0, admin_forbid_type=0,
        email="e", birthday_text="b", location_text="l", name="n", first_name="f", middle_name="m",
        last_name="l", link="l", username="u", locale="l", picture_url="p", unique_id=user,
        custom=[{"key": key, "data": b"x"} for key in KEYS])  # fmt: skip


def test_an_empty_profile_carries_no_ballast(house):
    ann, bob = house(2)
    result = seen(house, bob, ann)
    # It is the id, twice; the zero code; the version of the view; and the fields that no other user
    # may read.
    hidden = [*sorted(PRIVATE, reverse=True), "custom.Secret"]
    assert list(absent(result).items()) == [(name, HIDDEN) for name in hidden]
    assert result.ByteSize() < 2 * len(ann) + 30 + sum(len(name) + 6 for name in hidden)
    assert result.profile.ByteSize() == len(ann) + 2
    own = house.relation("GetSelfProfile", user_id=ann)
    assert (absent(own), own.profile.ByteSize()) == ({}, len(ann) + 2)


def test_an_empty_profile_of_a_plain_app_is_a_quarter_of_what_it_was(people):
    """It was 389 bytes, 25 entries of a map."""
    ann, bob = people(2)
    answer = as_user(people, bob)("GetProfiles", user_ids=[ann])
    assert absent(answer.results[0]) == dict.fromkeys(PRIVATE, HIDDEN)
    assert answer.ByteSize() < 100
    # To itself, nothing is hidden.
    own = as_user(people, ann)("GetSelfProfile")
    assert absent(own) == {} and own.ByteSize() < 30


@pytest.mark.parametrize("full", [False, True], ids=["no values", "all values"])
def test_a_field_is_hidden_whether_or_not_it_has_a_value(house, paths, full):
    ann, bob = house(2)
    if full:
        set_all(house, ann)
    house.relation("SetVisibility", user_id=ann, visibility=INVISIBLE)
    hidden = {path: HIDDEN for path in paths if path not in CARD}
    result = seen(house, bob, ann)
    assert absent(result) == hidden
    assert list(absent(result)) == [path for path in paths if path not in CARD]
    with_unset = seen(house, bob, ann, with_unset_fields=True)
    unset = {} if full else dict.fromkeys(CARD, NOT_SET)
    assert absent(with_unset) == hidden | unset
    # Apart from the card, nothing shows whether there are values.
    house.relation("SetVisibility", user_id=ann, visibility=EVERYONE)
    private = PRIVATE | {"custom.Secret"}
    result = seen(house, bob, ann)
    assert absent(result) == dict.fromkeys(private, HIDDEN)
    with_unset = absent(seen(house, bob, ann, with_unset_fields=True))
    unset = {} if full else {path: NOT_SET for path in paths if path not in private}
    assert with_unset == dict.fromkeys(private, HIDDEN) | unset


def test_the_flag_names_every_field_in_the_order_of_the_schema(house, paths):
    (ann,) = house(1)
    own = as_user(house, ann)("GetSelfProfile", with_unset_fields=True)
    assert list(absent(own)) == paths
    assert absent(own) == {**dict.fromkeys(paths, NOT_SET), "custom.Secret": HIDDEN}
    # To an administrator nothing is hidden.
    answer = house.relation("GetSelfProfile", user_id=ann, with_unset_fields=True)
    assert absent(answer) == dict.fromkeys(paths, NOT_SET)
    set_all(house, ann)
    answer = house.relation("GetSelfProfile", user_id=ann, with_unset_fields=True)
    assert absent(answer) == {}


def test_only_fields_that_are_asked_for_are_named(house):
    ann, bob = house(2)
    house.relation("SetVisibility", user_id=ann, visibility=INVISIBLE)
    # The order is that of the schema, whatever that of the mask.
    mask = {"paths": ["custom.Zodiac", "email", "nick", "gender", "custom.Blood"]}
    result = seen(house, bob, ann, read_mask=mask)
    hidden = ["gender", "email", "custom.Blood", "custom.Zodiac"]
    assert list(absent(result).items()) == [(name, HIDDEN) for name in hidden]
    result = seen(house, bob, ann, read_mask=mask, with_unset_fields=True)
    assert list(absent(result).items()) == [
        ("nick", NOT_SET), *((name, HIDDEN) for name in hidden)]
    whole = seen(house, bob, ann, read_mask={"paths": ["custom"]})
    assert absent(whole) == {f"custom.{key}": HIDDEN for key in KEYS}


def test_every_call_with_a_profile_names_fields_in_the_same_way(house, paths):
    ann, bob = house(2)
    house.set_profile(ann, unique_id=ann)
    house.register_client("client")
    mine = as_user(house, bob)
    for flag in (False, True):
        fields = {"with_unset_fields": flag}
        profile = seen(house, bob, ann, **fields)
        found = mine("FindProfileByUniqueId", unique_id=ann, **fields)
        assert (found.code, absent(found)) == (0, absent(profile))
        own = as_user(house, ann)("GetSelfProfile", **fields)
        assert absent(own) == absent(seen(house, ann, ann, **fields))
        read = house.relation("ReadUser", user_id=ann, client_app_id="client", **fields)
        assert list(absent(read)) == paths


def test_a_copy_of_the_answer_without_the_flag_is_no_copy_of_the_one_with_it(house):
    ann, bob = house(2)
    version = seen(house, bob, ann).view_version
    assert seen(house, bob, ann, known_versions={ann: version}).not_modified
    result = seen(house, bob, ann, known_versions={ann: version}, with_unset_fields=True)
    assert not result.not_modified and result.view_version != version
    again = seen(
        house, bob, ann, known_versions={ann: result.view_version}, with_unset_fields=True)
    assert again.not_modified and not again.field_access
