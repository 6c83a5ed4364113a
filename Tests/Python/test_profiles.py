"""ProfileService: reading and updating profiles, by field mask and by tag."""

import grpc
import pytest
from people import People, outcomes
from refusals import refusal
from stubs import Relation

# Each field: a value, TIM's tag, the name in TIM's client if it has one, and the tag's value.
FIELDS = [
    ("nick", "Ann", "IM_Nick", "Nick", {"text": "Ann"}),
    ("face_url", "https://f", "IM_Image", "FaceUrl", {"text": "https://f"}),
    ("allow_type", 1, "IM_AllowType", "AllowType", {"number": 1}),
    ("gender", 2, "IM_Gender", "Gender", {"number": 2}),
    ("birthday", 20190419, "IM_BirthDay", "Birthday", {"number": 20190419}),
    ("location", b"\0\xff123456", "IM_Location", "Location", {"data": b"\0\xff123456"}),
    ("language", 7, "IM_Language", "Language", {"number": 7}),
    ("level", 2**32 - 1, "IM_Level", "Level", {"number": 2**32 - 1}),
    ("role", 3, "IM_Role", "Role", {"number": 3}),
    ("self_signature", b"hi\0", "IM_SelfSignature", "SelfSignature", {"data": b"hi\0"}),
    ("msg_settings", 1, "IM_MsgSettings", None, {"number": 1}),
    ("admin_forbid_type", 1, "IM_AdminForbidType", None, {"number": 1}),
]
VALUES = {field[0]: field[1] for field in FIELDS}
NOT_A_FIELD = (40009, "Err_Profile_PortraitSet_Tag_Not_Exist")
NOT_WRITABLE = (40008, "Err_Profile_PortraitSet_Write_Permission")
WRONG_KIND = (40610, "Err_Profile_PortraitSet_Value_Format")
TOO_LONG = (40601, "Err_Profile_PortraitSet_Value_Too_Long")
ILLEGAL = (40605, "Err_Profile_PortraitSet_Value_Illegal")
SENSITIVE = "Err_Profile_PortraitSet_Sensitive_Text"
TWICE = (40001, "Err_Profile_PortraitSet_Duplicate")


def by_mask(people, user, **fields):
    return people.relation(
        "UpdateProfile", user_id=user, profile=fields, update_mask={"paths": list(fields)}
    )


def by_tags(people, user, *tags):
    return people.relation(
        "UpdateProfile", user_id=user, tags=[{"tag": tag, **value} for tag, value in tags]
    )


def violations(answer):
    return [(item.key, item.code, item.info) for item in answer.violations]


# Reading


def test_a_profile_begins_empty(people):
    (ann,) = people(1)
    profile = people.profile(ann)
    assert profile == type(profile)(user_id=ann)
    assert not profile.HasField("allow_type")


def test_a_read_mask_answers_its_fields_only(people):
    (ann,) = people(1)
    by_mask(people, ann, **VALUES)
    for paths in (["nick"], ["gender", "version"], ["user_id"], list(VALUES)):
        mask = {"paths": paths}
        own = people.relation("GetSelfProfile", user_id=ann, read_mask=mask).profile
        read = people.relation("GetProfiles", user_id=ann, user_ids=[ann], read_mask=mask)
        for profile in (own, read.results[0].profile):
            assert {field.name for field, _ in profile.ListFields()} == {"user_id", *paths}


def test_reading_profiles_answers_each_id(people):
    ann, bob = people(2)
    people.set_profile(bob, nick="Bob")
    asked = [bob, people.unknown_user(), "", ann, bob]
    answer = people.relation("GetProfiles", user_id=ann, user_ids=asked)
    assert [result.user_id for result in answer.results] == asked
    assert outcomes(answer) == [
        (0, ""),
        (40003, "Err_Profile_PortraitGet_Account_Not_Exist"),
        (40001, "Err_Profile_PortraitGet_UserId_Illegal"),
        (0, ""),
        (0, ""),
    ]
    assert [result.HasField("profile") for result in answer.results] == [
        True, False, False, True, True,
    ]  # fmt: skip
    assert [answer.results[place].profile.nick for place in (0, 3, 4)] == ["Bob", "", "Bob"]
    assert answer.results[3].profile.user_id == ann


# Updating


@pytest.mark.parametrize("name", VALUES)
def test_a_field_is_set_and_cleared_by_mask(people, name):
    (ann,) = people(1)
    assert by_mask(people, ann, **{name: VALUES[name]}).code == 0
    profile = people.profile(ann)
    assert getattr(profile, name) == VALUES[name]
    assert {field.name for field, _ in profile.ListFields()} == {"user_id", name, "version"}
    # A field that is named and left out gets its default; the allow type alone stays.
    answer = people.relation(
        "UpdateProfile", user_id=ann, profile={}, update_mask={"paths": [name]}
    )
    stays = name == "allow_type"
    assert (answer.code, answer.applied) == (0, not stays)
    profile = people.profile(ann)
    assert getattr(profile, name) == (VALUES[name] if stays else type(VALUES[name])())
    assert profile.version == answer.version == (1 if stays else 2)


@pytest.mark.parametrize("name, value, tag, alias, tagged", FIELDS)
def test_a_field_is_set_by_its_tag_and_its_alias(people, name, value, tag, alias, tagged):
    names = [f"Tag_Profile_{tag}"] + ([f"TIMProfileTypeKey_{alias}"] if alias else [])
    for key in names:
        (ann,) = people(1)
        answer = by_tags(people, ann, (key, tagged))
        assert (answer.code, violations(answer)) == (0, [])
        profile = people.profile(ann)
        assert getattr(profile, name) == value
        assert {field.name for field, _ in profile.ListFields()} == {"user_id", name, "version"}


@pytest.mark.parametrize(
    "tag, word, name, value",
    [
        ("AllowType", "AllowType_Type_AllowAny", "allow_type", 0),
        ("AllowType", "AllowType_Type_NeedConfirm", "allow_type", 1),
        ("AllowType", "AllowType_Type_DenyAny", "allow_type", 2),
        ("Gender", "Gender_Type_Unknown", "gender", 0),
        ("Gender", "Gender_Type_Male", "gender", 1),
        ("Gender", "Gender_Type_Female", "gender", 2),
        ("AdminForbidType", "AdminForbid_Type_None", "admin_forbid_type", 0),
        ("AdminForbidType", "AdminForbid_Type_SendOut", "admin_forbid_type", 1),
    ],
)
def test_an_enums_tag_takes_the_sources_word(people, tag, word, name, value):
    (ann,) = people(1)
    assert by_tags(people, ann, (f"Tag_Profile_IM_{tag}", {"text": word})).code == 0
    assert getattr(people.profile(ann), name) == value


def test_all_fields_are_set_at_once_with_one_version(people):
    (ann,) = people(1)
    answer = by_mask(people, ann, **VALUES)
    assert (answer.code, answer.version, answer.sequence, answer.applied) == (0, 1, 1, True)
    profile = people.profile(ann)
    assert {name: getattr(profile, name) for name in VALUES} == VALUES
    assert profile.version == 1


def test_an_update_that_changes_nothing_has_the_old_version_and_sequence(people):
    (ann,) = people(1)
    by_mask(people, ann, nick="Ann")
    answer = by_mask(people, ann, nick="Ann")
    assert (answer.code, answer.version, answer.sequence) == (0, 1, 1)
    assert not answer.applied


def test_a_text_that_only_looks_the_same_is_a_change(people):
    (ann,) = people(1)
    by_mask(people, ann, nick="caf\u00e9")
    assert by_mask(people, ann, nick="cafe\u0301").version == 2
    assert people.profile(ann).nick == "cafe\u0301"


@pytest.mark.parametrize(
    "key, value, expected",
    [
        ("nick", "x" * 501, TOO_LONG),
        ("nick", "é" * 251, TOO_LONG),
        ("face_url", "x" * 501, TOO_LONG),
        ("location", b"x" * 17, TOO_LONG),
        ("self_signature", b"x" * 501, TOO_LONG),
        ("birthday", 99991232, ILLEGAL),
        ("birthday", 2**32 - 1, ILLEGAL),
        ("allow_type", 3, ILLEGAL),
        ("allow_type", -1, ILLEGAL),
        ("gender", 3, ILLEGAL),
        ("admin_forbid_type", 2, ILLEGAL),
    ],
)
@pytest.mark.parametrize("mask", [True, False], ids=["mask", "no mask"])
def test_a_field_of_a_profile_is_refused(people, key, value, expected, mask):
    (ann,) = people(1)
    fields = {"update_mask": {"paths": [key]}} if mask else {}
    answer = people.relation("UpdateProfile", user_id=ann, profile={key: value}, **fields)
    assert (answer.code, answer.info) == expected
    assert violations(answer) == [(key, *expected)]
    assert (answer.applied, answer.version, answer.sequence) == (False, 0, 0)
    assert people.profile(ann).version == 0


def test_an_update_without_a_mask_sets_what_is_set_and_leaves_the_rest(people):
    (ann,) = people(1)
    by_mask(people, ann, **VALUES)
    answer = people.relation(
        "UpdateProfile", user_id=ann,
        # A zero that can be set is written; an empty value is none.
        profile={"nick": "Anna", "allow_type": 0, "level": 0, "face_url": "", "birthday": 0},
    )  # fmt: skip
    assert (answer.code, answer.applied, answer.version) == (0, True, 2)
    profile = people.profile(ann)
    wanted = {**VALUES, "nick": "Anna", "allow_type": 0, "level": 0}
    assert {name: getattr(profile, name) for name in VALUES} == wanted


def test_a_profile_that_was_read_may_be_sent_back_without_a_mask(people):
    ann, bob = people(2)
    values = {**VALUES, "birthday": 19900630}
    by_mask(people, ann, **values)
    read = people.profile(ann)
    assert read.user_id and read.version and read.HasField("age_range")
    answer = people.relation("UpdateProfile", user_id=bob, profile=read)
    assert (answer.code, answer.applied, answer.version) == (0, True, 1)
    assert {name: getattr(people.profile(bob), name) for name in values} == values
    again = people.relation("UpdateProfile", user_id=bob, profile=read)
    assert (again.code, again.applied, again.version) == (0, False, 1)


@pytest.mark.parametrize(
    "key, value, expected",
    [
        ("Tag_Profile_IM_Unknown", {"text": "x"}, NOT_A_FIELD),
        ("Tag_Profile_Custom_Blood", {"text": "x"}, NOT_A_FIELD),
        ("nick", {"text": "x"}, NOT_A_FIELD),
        ("", {}, NOT_A_FIELD),
        ("Tag_Profile_IM_Nick", {}, WRONG_KIND),
        ("Tag_Profile_IM_Nick", {"number": 5}, WRONG_KIND),
        ("Tag_Profile_IM_Nick", {"data": b"x"}, WRONG_KIND),
        ("Tag_Profile_IM_Nick", {"texts": {"values": ["x"]}}, WRONG_KIND),
        ("Tag_Profile_IM_BirthDay", {"text": "20190419"}, WRONG_KIND),
        ("Tag_Profile_IM_Location", {"number": 5}, WRONG_KIND),
        ("Tag_Profile_IM_Gender", {"data": b"x"}, WRONG_KIND),
        ("Tag_Profile_IM_AllowType", {}, WRONG_KIND),
        ("Tag_Profile_IM_Image", {"text": "x" * 501}, TOO_LONG),
        ("Tag_Profile_IM_Location", {"data": b"x" * 17}, TOO_LONG),
        ("Tag_Profile_IM_BirthDay", {"number": 99991232}, ILLEGAL),
        ("Tag_Profile_IM_Language", {"number": 2**32}, ILLEGAL),
        ("Tag_Profile_IM_MsgSettings", {"number": 2**64 - 1}, ILLEGAL),
        ("Tag_Profile_IM_Gender", {"number": 3}, ILLEGAL),
        ("Tag_Profile_IM_Gender", {"number": 2**32 + 1}, ILLEGAL),
        ("Tag_Profile_IM_Gender", {"text": "Gender_Type_Other"}, ILLEGAL),
        ("Tag_Profile_IM_Gender", {"text": "GENDER_MALE"}, ILLEGAL),
        ("Tag_Profile_IM_AllowType", {"text": "AllowType_Type_allow_any"}, ILLEGAL),
    ],
)
def test_a_tag_is_refused(people, key, value, expected):
    (ann,) = people(1)
    answer = by_tags(people, ann, (key, value))
    assert (answer.code, answer.info) == expected
    assert violations(answer) == [(key, *expected)]
    assert not answer.applied


@pytest.mark.parametrize(
    "name, value",
    [
        ("nick", "é" * 250),
        ("nick", "\0"),
        ("face_url", "x" * 500),
        ("location", b"\0" * 16),
        ("self_signature", b"\xff" * 500),
        ("birthday", 99991231),
    ],
)
def test_a_value_at_its_limit_is_taken_whole(people, name, value):
    (ann,) = people(1)
    assert by_mask(people, ann, **{name: value}).code == 0
    assert getattr(people.profile(ann), name) == value


def test_a_field_that_is_named_twice_is_refused(people):
    (ann,) = people(1)
    answer = people.relation(
        "UpdateProfile",
        user_id=ann,
        profile={"nick": "Ann"},
        update_mask={"paths": ["nick", "nick"]},
    )
    assert violations(answer) == [("nick", *TWICE)]
    tags = [(f"{name}_Nick", {"text": "Ann"}) for name in ("Tag_Profile_IM", "TIMProfileTypeKey")]
    assert violations(by_tags(people, ann, *tags)) == [("TIMProfileTypeKey_Nick", *TWICE)]


def test_all_that_is_wrong_is_named_and_nothing_is_written(people):
    (ann,) = people(1)
    by_mask(people, ann, role=1)
    answer = by_tags(
        people,
        ann,
        ("Tag_Profile_IM_Role", {"number": 2}),
        ("Tag_Profile_IM_Nick", {"text": "x" * 501}),
        ("Tag_Profile_IM_Nothing", {"text": "x"}),
        ("Tag_Profile_IM_Gender", {"number": 9}),
        ("Tag_Profile_IM_Level", {"text": "x"}),
    )
    assert violations(answer) == [
        ("Tag_Profile_IM_Nick", *TOO_LONG),
        ("Tag_Profile_IM_Nothing", *NOT_A_FIELD),
        ("Tag_Profile_IM_Gender", *ILLEGAL),
        ("Tag_Profile_IM_Level", *WRONG_KIND),
    ]
    assert (answer.code, answer.info) == TOO_LONG
    assert (answer.applied, answer.version) == (False, 1)
    assert people.profile(ann).role == 1


def test_an_update_makes_the_account_of_an_unknown_user(people):
    (ann,) = people(1)
    newcomer = people.unknown_user()
    assert by_mask(people, newcomer, nick="New").code == 0
    assert people.profile(newcomer).nick == "New"
    assert people.add(ann, newcomer) == (0, "")


def test_a_refused_update_of_an_unknown_user_says_what_is_wrong_and_makes_no_account(people):
    newcomer = people.unknown_user()
    for options in ({}, {"request_id": "r"}, {"request_id": "r"}):
        answer = people.relation(
            "UpdateProfile", user_id=newcomer, profile={"nick": "x" * 501, "level": 1},
            update_mask={"paths": ["nick", "level"]}, options=options)
        assert violations(answer) == [("nick", *TOO_LONG)]
        assert (answer.applied, answer.replayed, answer.version) == (False, False, 0)
    refused = refusal(people.relation, "GetSelfProfile", user_id=newcomer)
    assert refused.code == grpc.StatusCode.NOT_FOUND


# RongCloud's codes


@pytest.fixture(scope="module")
def rong(relation):
    """The people of an app of RongCloud's preset, which has two custom fields of profiles."""
    made = relation(
        "CreateApp", preset="APP_PRESET_RONGCLOUD",
        settings={"forbidden_words": {"values": ["badword"]}, "limits": {"profile_keys": 2}},
    ).app  # fmt: skip
    people = People(relation.in_app(made.app_id))
    fields = [{"owner": 1, "key": "mood_1", "value_type": 1}]
    fields.append({"owner": 1, "key": "score", "value_type": 3, "admin_writes": True})
    assert outcomes(people.relation("DefineCustomFields", items=fields)) == [(0, "")] * 2
    return people


@pytest.mark.parametrize(
    "key, value, expected",
    [
        ("Tag_Profile_IM_Unknown", {"text": "x"}, (24361, NOT_A_FIELD[1])),
        ("Tag_Profile_Custom_blood", {"text": "x"}, (24362, NOT_A_FIELD[1])),
        ("Tag_Profile_Custom_score", {"text": "x"}, (24367, WRONG_KIND[1])),
        ("Tag_Profile_IM_Level", {"text": "x"}, (24367, WRONG_KIND[1])),
        ("Tag_Profile_IM_Nick", {"text": "é" * 33}, (24364, TOO_LONG[1])),
        ("Tag_Profile_Custom_mood_1", {"text": "é" * 257}, (24364, TOO_LONG[1])),
        ("Tag_Profile_IM_Level", {"number": 101}, (24368, ILLEGAL[1])),
        ("Tag_Profile_IM_Gender", {"number": 3}, (24368, ILLEGAL[1])),
        ("Tag_Profile_IM_Nick", {"text": "BADword"}, (25480, SENSITIVE)),
        ("Tag_Profile_Custom_mood_1", {"text": "BADword"}, (25480, SENSITIVE)),
    ],
)
def test_a_tag_is_refused_by_rongclouds_code(rong, key, value, expected):
    (ann,) = rong(1)
    answer = by_tags(rong, ann, (key, value))
    assert (answer.code, answer.info, answer.applied) == (*expected, False)
    assert violations(answer) == [(key, *expected)]


@pytest.mark.parametrize(
    "name, value", [("nick", "é" * 32), ("face_url", "x" * 128), ("level", 100), ("role", 100)]
)
def test_a_value_at_rongclouds_limit_is_taken(rong, name, value):
    (ann,) = rong(1)
    assert by_mask(rong, ann, **{name: value}).code == 0
    assert getattr(rong.profile(ann), name) == value


def test_one_call_reads_twenty_profiles_of_rongclouds(rong):
    users = rong(21)
    refused = refusal(rong.relation, "GetProfiles", user_id=users[0], user_ids=users)
    assert (refused.reason, refused.metadata["limit"]) == ("TOO_MANY_ITEMS", "20")
    answer = rong.relation("GetProfiles", user_id=users[0], user_ids=users[1:])
    assert outcomes(answer) == [(0, "")] * 20


def test_rongclouds_codes_name_who_may_not_write_and_what_is_taken(rong):
    ann, bob = rong(2)
    relation = rong.relation
    scopes = [*relation.metadata, ("x-scopes", "read,write")]
    backend = People(Relation(relation.stubs, relation.channel, scopes))
    refused = (24360, NOT_WRITABLE[1])
    assert by_mask(backend, ann, unique_id="ann1").code == refused[0]
    answer = by_tags(backend, ann, ("Tag_Profile_Custom_score", {"number": 1}))
    assert violations(answer) == [("Tag_Profile_Custom_score", *refused)]
    assert by_mask(rong, ann, unique_id="ann1").code == 0
    assert violations(by_mask(rong, bob, unique_id="ann1")) == [
        ("unique_id", 24368, "Err_Profile_UniqueId_Taken")
    ]
    find = {"user_id": bob, "unique_id": "ann1"}
    assert relation("FindProfileByUniqueId", **find).profile.user_id == ann
    assert relation("FindProfileByUniqueId", **{**find, "unique_id": "ann2"}).code == 24366
    assert relation("FindProfileByUniqueId", **{**find, "unique_id": "a_b"}).code == 34236


def test_rongclouds_code_says_which_custom_field_is_one_too_many(rong):
    (ann,) = rong(1)
    tags = [("Tag_Profile_Custom_" + key, {"text": "x"}) for key in ("mood_1", "none", "more")]
    assert violations(by_tags(rong, ann, *tags)) == [
        ("Tag_Profile_Custom_none", 24362, NOT_A_FIELD[1]),
        ("Tag_Profile_Custom_more", 24363, "Err_Profile_PortraitSet_Custom_Num_Exceed_Threshold"),
    ]


# Versions


def test_an_expected_version_that_holds_lets_the_update_through(people):
    (ann,) = people(1)
    for version in range(3):
        answer = people.relation(
            "UpdateProfile",
            user_id=ann,
            profile={"role": version + 1},
            update_mask={"paths": ["role"]},
            expected_version=version,
        )
        assert (answer.code, answer.version) == (0, version + 1)


@pytest.mark.parametrize("expected", [0, 1, 3, -1])
def test_a_stale_version_is_aborted_with_the_present_one(people, expected):
    (ann,) = people(1)
    by_mask(people, ann, nick="one")
    by_mask(people, ann, nick="two")
    refused = refusal(
        people.relation,
        "UpdateProfile",
        user_id=ann,
        profile={"nick": "three"},
        update_mask={"paths": ["nick"]},
        expected_version=expected,
    )
    assert refused.code == grpc.StatusCode.ABORTED
    assert (refused.domain, refused.reason) == ("relation.v1", "VERSION_STALE")
    assert refused.metadata["version"] == "2"
    assert people.profile(ann).nick == "two"


# Visibility. Without credentials every caller reads as an administrator does, so fields that are
# hidden from others show only in the form of a name in other lists.


def test_an_administrator_reads_what_others_may_not(people):
    ann, bob = people(2)
    by_mask(people, bob, **VALUES)
    people.block(bob, ann)
    answer = people.relation("GetProfiles", user_id=ann, user_ids=[bob])
    assert answer.results[0].profile == people.profile(bob)
