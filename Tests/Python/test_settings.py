"""Refusals by an app's settings: forbidden words, fields of administrators, a friendship before
messages, applications a day, and limits that were lowered while the server runs."""

import pytest
from people import People, codes, outcomes
from refusals import assert_invalid, refusal
from stubs import Relation

AGREE, AGREE_AND_ADD, REJECT = range(3)
PROFILE, FRIEND = 1, 2
STRING, BYTES, UINT64 = 1, 2, 3
WORD = "a BADword here"
FIELDS = [
    {"owner": PROFILE, "key": "Mood", "value_type": STRING},
    {"owner": PROFILE, "key": "Size", "value_type": UINT64},
    {"owner": FRIEND, "key": "Met", "value_type": STRING},
    {"owner": FRIEND, "key": "Rank", "value_type": UINT64, "admin_writes": True},
]


def app(relation, settings=None, **fields):
    """The people of a new app, which has custom fields."""
    made = relation("CreateApp", settings=settings or {}, **fields).app
    people = People(relation.in_app(made.app_id))
    assert codes(people.relation("DefineCustomFields", items=FIELDS)) == [0] * len(FIELDS)
    return people


def change(people, path, value):
    """Changes one setting of the app."""
    settings = {path: value}
    if path.startswith("limits."):
        settings = {"limits": {path.removeprefix("limits."): value}}
    answer = people.relation("UpdateApp", settings=settings, update_mask={"paths": [path]})
    assert answer.applied


def plain(people):
    """The people of the same app, for a backend that is not an administrator."""
    relation = people.relation
    scopes = [*relation.metadata, ("x-scopes", "read,write")]
    return People(Relation(relation.stubs, relation.channel, scopes))


def update(people, user, other, **item):
    """Changes one friend: code and reason."""
    items = [{"user_id": other, **item}]
    return outcomes(people.relation("UpdateFriends", user_id=user, items=items))[0]


def update_profile(people, user, **profile):
    return people.relation(
        "UpdateProfile", user_id=user, profile=profile, update_mask={"paths": list(profile)}
    )


def import_friend(people, user, other, **row):
    rows = [{"row": {"user_id": user, "friend_user_id": other, **row}}]
    told, progress = people.imported("ImportFriends", rows)
    assert progress.refused == len(told)
    return (told[0].code, told[0].info) if told else (0, "")


def import_account(people, **row):
    told, progress = people.imported("ImportAccounts", [{"row": row}])
    assert progress.refused == len(told)
    return (told[0].code, told[0].info) if told else (0, "")


# Forbidden words


@pytest.fixture(scope="module")
def censored(relation):
    return app(relation, {"forbidden_words": {"values": ["badword"]}})


CUSTOM = [{"key": "Met", "data": WORD.encode()}]


@pytest.mark.parametrize(
    "item", [{"remark": WORD}, {"wording": WORD}, {"group": WORD}, {"custom": CUSTOM}],
    ids=lambda item: next(iter(item)),
)  # fmt: skip
def test_a_forbidden_word_adds_no_friend(censored, item):
    ann, bob = censored(2)
    refused = (30005, "Err_SNS_FriendAdd_Sensitive_Text")
    assert censored.add(ann, bob, **item) == refused
    assert censored.are_friends(ann, bob) == (False, False)
    censored.need_confirm(bob)
    assert censored.add(ann, bob, **item) == refused
    assert censored.incoming(bob) == []


@pytest.mark.parametrize(
    "item",
    [
        {"remark": WORD, "update_mask": {"paths": ["remark"]}},
        {"groups": ["fine", WORD], "update_mask": {"paths": ["groups"]}},
        {"custom": CUSTOM, "update_mask": {"paths": ["custom"]}},
        {"tags": [{"tag": "Tag_SNS_IM_Remark", "text": WORD}]},
        {"tags": [{"tag": "Tag_SNS_IM_Group", "texts": {"values": [WORD]}}]},
        {"tags": [{"tag": "Tag_SNS_Custom_Met", "text": WORD}]},
    ],
    ids=["remark", "groups", "custom", "remark's tag", "groups' tag", "custom tag"],
)
def test_a_forbidden_word_changes_no_friend(censored, item):
    ann, bob = censored(2)
    censored.add(ann, bob, remark="kept", group="kept")
    before = censored.friend(ann, bob)
    assert update(censored, ann, bob, **item) == (30005, "Err_SNS_FriendUpdate_Sensitive_Text")
    assert censored.friend(ann, bob) == before


@pytest.mark.parametrize("field", ["remark", "group"])
def test_a_forbidden_word_accepts_no_friend_and_does_not_matter_to_who_refuses(censored, field):
    ann, bob = censored(2)
    censored.apply(bob, ann)
    for answer in (AGREE, AGREE_AND_ADD):
        refused = censored.respond(ann, bob, answer, **{field: WORD})
        assert refused == (30005, "Err_SNS_FriendResponse_Sensitive_Text")
        assert censored.incoming(ann) == [bob]
    assert censored.respond(ann, bob, REJECT, **{field: WORD}) == (0, "")


def test_a_forbidden_word_names_no_group(censored):
    ann, bob = censored(2)
    censored.befriend(ann, bob)
    answer = censored.relation(
        "CreateFriendGroups", user_id=ann, names=["one", WORD], user_ids=[bob]
    )
    assert outcomes(answer) == [(0, ""), (30005, "Err_SNS_GroupAdd_Sensitive_Text")]
    answer = censored.relation(
        "RenameFriendGroup", user_id=ann, name="one", new_name=WORD
    ).result
    assert (answer.code, answer.info) == (30005, "Err_SNS_GroupUpdate_Sensitive_Text")
    assert censored.groups(ann) == {"one": [bob]}


@pytest.mark.parametrize(
    "row", [{"remark": WORD}, {"wording": WORD}, {"groups": {"values": [WORD]}}, {"custom": CUSTOM}],
    ids=lambda row: next(iter(row)),
)  # fmt: skip
def test_a_forbidden_word_imports_no_friend(censored, row):
    ann, bob = censored(2)
    refused = import_friend(censored, ann, bob, **row)
    assert refused == (30005, "Err_SNS_FriendImport_Sensitive_Text")
    assert censored.friend_ids(ann) == []


@pytest.mark.parametrize("field", ["nick", "face_url"])
def test_a_forbidden_word_imports_no_account(censored, field):
    unknown = censored.unknown_user()
    refused = import_account(censored, user_id=unknown, **{field: WORD})
    assert refused == (30005, "Err_Account_Import_Sensitive_Text")
    assert censored.relation("CheckAccounts", user_ids=[unknown]).results[0].status == 2


TEXTS = [
    "nick", "face_url", "location", "self_signature", "email", "birthday_text", "location_text",
    "name", "first_name", "middle_name", "last_name", "link", "username", "locale", "picture_url",
]  # fmt: skip


def test_a_forbidden_word_is_in_no_text_of_a_profile(censored):
    (ann,) = censored(1)
    texts = dict.fromkeys(TEXTS, "xBADwordx")
    texts |= {name: b"xBADwordx" for name in ("location", "self_signature")}
    texts["unique_id"] = "BADword"
    answer = update_profile(censored, ann, **texts)
    reason = "Err_Profile_PortraitSet_Sensitive_Text"
    assert (answer.code, answer.info, answer.applied) == (40005, reason, False)
    assert [(item.key, item.code) for item in answer.violations] == [
        (name, 40005) for name in texts
    ]
    tag = {"tag": "Tag_Profile_Custom_Mood", "text": WORD}
    assert censored.relation("UpdateProfile", user_id=ann, tags=[tag]).code == 40005
    assert censored.profile(ann).version == 0


# Custom fields of friends


@pytest.fixture(scope="module")
def fielded(relation):
    return app(relation)


RANK = [{"key": "Rank", "number": 7}]
AGREE_AND_ADD = 1


def test_a_friends_field_of_administrators_is_written_by_them_only(fielded):
    ann, bob, eve = fielded(3)
    backend = plain(fielded)
    assert backend.add(ann, bob, custom=RANK) == (
        40008, "Err_SNS_FriendAdd_Custom_Write_Permission",
    )  # fmt: skip
    assert backend.are_friends(ann, bob) == (False, False)
    assert fielded.add(ann, bob, custom=RANK) == (0, "")
    for item in (
        {"custom": [{"key": "Rank", "number": 8}], "update_mask": {"paths": ["custom"]}},
        {"tags": [{"tag": "Tag_SNS_Custom_Rank", "number": 8}]},
    ):
        assert update(backend, ann, bob, **item) == (
            40008, "Err_SNS_FriendUpdate_Custom_Write_Permission",
        )  # fmt: skip
        assert fielded.friend(ann, bob).custom[0].number == 7
        assert update(fielded, ann, bob, **item) == (0, "")
        assert fielded.friend(ann, bob).custom[0].number == 8
        item = {"custom": RANK, "update_mask": {"paths": ["custom"]}}
        assert update(fielded, ann, bob, **item) == (0, "")
    assert import_friend(fielded, ann, eve, custom=RANK) == (0, "")
    backend.apply(bob, eve)
    assert backend.respond(eve, bob, AGREE_AND_ADD, custom=RANK) == (
        40008, "Err_SNS_FriendResponse_Custom_Write_Permission",
    )  # fmt: skip
    assert fielded.respond(eve, bob, AGREE_AND_ADD, custom=RANK) == (0, "")
    assert fielded.friend(eve, bob).custom[0].number == 7
    assert fielded.friend(ann, eve).custom[0].number == 7


@pytest.mark.parametrize(
    "value, reason",
    [
        ({"key": "None", "number": 7}, (40009, "Custom_Tag_Not_Exist")),
        ({"key": "rank", "number": 7}, (40009, "Custom_Tag_Not_Exist")),
        ({"key": "Mood", "data": b"a profile's"}, (40009, "Custom_Tag_Not_Exist")),
        ({"key": "", "number": 7}, (40009, "Custom_Tag_Not_Exist")),
        ({"key": "Rank"}, (30001, "Custom_Illegal")),
        ({"key": "Rank", "data": b"7"}, (30001, "Custom_Illegal")),
        ({"key": "Met", "number": 7}, (30001, "Custom_Illegal")),
        ({"key": "Met", "data": b"\xff"}, (30001, "Custom_Illegal")),
        ({"key": "Met", "data": b"x" * 501}, (30001, "Custom_Illegal")),
    ],
)
def test_a_wrong_custom_value_of_a_friend_is_refused_by_every_call(fielded, value, reason):
    ann, bob, eve = fielded(3)
    fielded.befriend(ann, bob)
    code, word = reason
    change = {"custom": [value], "update_mask": {"paths": ["custom"]}}
    assert update(fielded, ann, bob, **change) == (code, f"Err_SNS_FriendUpdate_{word}")
    assert fielded.add(ann, eve, custom=[value]) == (code, f"Err_SNS_FriendAdd_{word}")
    fielded.apply(eve, ann)
    answered = fielded.respond(ann, eve, AGREE_AND_ADD, custom=[value])
    assert answered == (code, f"Err_SNS_FriendResponse_{word}")
    imported = import_friend(fielded, ann, eve, custom=[value])
    assert imported == (code, f"Err_SNS_FriendImport_{word}")
    assert fielded.friend_ids(ann) == [bob]
    assert not fielded.friend(ann, bob).custom


def test_a_retired_field_of_friends_is_none_any_more(relation):
    people = app(relation)
    ann, bob, eve = people(3)
    met = [{"key": "Met", "data": b"at school"}]
    assert people.add(ann, bob, custom=met) == (0, "")
    people.relation("RetireCustomField", owner=FRIEND, key="Met")
    change = {"custom": met, "update_mask": {"paths": ["custom"]}}
    assert update(people, ann, bob, **change)[0] == 40009
    assert people.add(ann, eve, custom=met)[0] == 40009
    assert import_friend(people, ann, eve, custom=met)[0] == 40009
    assert not people.friend(ann, bob).custom


# CanSend


def test_an_app_may_ask_for_a_friendship_before_messages(relation):
    people = app(relation)
    ann, friend, unrelated, left, joined, blocker = people(6)
    people.befriend(ann, friend)
    people.add(ann, left, add_type="ADD_TYPE_SINGLE")
    people.add(joined, ann, add_type="ADD_TYPE_SINGLE")
    people.block(blocker, ann)
    asked = [friend, unrelated, left, joined, blocker, ann, people.unknown_user(), " "]

    def gate():
        return outcomes(people.relation("CanSend", user_id=ann, user_ids=asked))

    blocked = (20007, "Err_Msg_SendCheck_In_Peer_BlackList")
    others = [
        (0, ""),
        (30003, "Err_Msg_SendCheck_Account_Not_Exist"),
        (30001, "Err_Msg_SendCheck_UserId_Illegal"),
    ]
    assert gate() == [(0, "")] * 4 + [blocked, *others]
    change(people, "checks_friendship_on_send", True)
    assert gate() == [
        (0, ""),
        (20009, "Err_Msg_SendCheck_Not_Friend"),
        (20010, "Err_Msg_SendCheck_Not_Peer_Friend"),
        (20011, "Err_Msg_SendCheck_Not_Self_Friend"),
        blocked,
        *others,
    ]
    change(people, "checks_friendship_on_send", False)
    assert gate() == [(0, "")] * 4 + [blocked, *others]


# Applications a day


def test_an_app_says_how_many_applications_a_user_sends_in_a_day(relation):
    people = app(relation, {"applications_per_day": 2, "default_allow_type": 1})
    ann, *others = people(5)
    friends = [{"user_id": user} for user in others[:3]]
    # All are in one call, so that no midnight comes between them.
    answer = people.relation("AddFriends", user_id=ann, items=friends)
    waiting = (30539, "Err_SNS_FriendAdd_Friend_Allow_Type_Need_Confirm")
    assert outcomes(answer) == [waiting] * 2 + [(30540, "Err_SNS_FriendAdd_Too_Frequent")]
    assert people.outgoing(ann) == others[1::-1]
    # The applications of another user are counted separately.
    assert people.add(others[2], others[3])[0] == 30539
    change(people, "applications_per_day", 0)
    assert people.add(ann, others[2])[0] == 30539


# Users who add too many others

RESTRICTED = 30540


def test_an_app_says_how_many_applications_come_in_to_a_user_in_a_day(relation):
    people = app(relation, {"applications_received_per_day": 1, "default_allow_type": 1})
    ann, bob, eve = people(3)
    assert people.add(ann, eve)[0] == 30539
    assert people.add(bob, eve) == (RESTRICTED, "Err_SNS_FriendAdd_Peer_Too_Frequent")
    assert people.add(ann, eve)[0] == 30539, "a repeated one is no further one"
    assert people.add(bob, ann)[0] == 30539
    change(people, "applications_received_per_day", 0)
    assert people.add(bob, eve)[0] == 30539


@pytest.mark.parametrize("limit, window, reason", [
    ("applications_per_day", "applications_window_ms", "Too_Frequent"),
    ("applications_received_per_day", "applications_received_window_ms", "Peer_Too_Frequent"),
])  # fmt: skip
def test_an_app_says_how_long_applications_are_counted(relation, limit, window, reason):
    days = 90 * 86_400_000
    people = app(relation, {limit: 1, window: days, "default_allow_type": 1})
    ann, bob, eve = people(3)
    pairs = [(ann, bob), (ann, eve)] if limit == "applications_per_day" else [(ann, eve), (bob, eve)]
    assert people.add(*pairs[0])[0] == 30539
    assert people.add(*pairs[1]) == (RESTRICTED, f"Err_SNS_FriendAdd_{reason}")
    # The minute of now began at another moment than the ninety days.
    change(people, window, 60_000)
    assert people.add(*pairs[1])[0] == 30539


def test_an_app_says_how_long_digests_are_counted(relation):
    people = app(relation, {"limits": {"contact_lookups": 1},
                            "contact_lookups_window_ms": 90 * 86_400_000})
    (ann,) = people(1)

    def find():
        return people.relation("FindContacts", user_id=ann, kind=1, digests=[bytes(32)]).code

    assert [find(), find()] == [0, 30001]
    # The minute of now began at another moment than the ninety days.
    change(people, "contact_lookups_window_ms", 60_000)
    assert find() == 0


def test_an_app_says_how_long_reports_are_counted(relation):
    people = app(relation, {"reports_window_ms": 90 * 86_400_000})
    ann, bob = people(2)

    def report():
        return people.relation("ReportUser", user_id=ann, reported_user_id=bob, category=1).code

    assert [report() for _ in range(101)] == [0] * 100 + [30001]
    change(people, "reports_window_ms", 60_000)
    assert report() == 0


def test_a_user_that_was_refused_waits_as_long_as_the_app_says(relation):
    people = app(relation, {"application_cooldown_ms": 3_600_000, "default_allow_type": 1})
    ann, bob = people(2)
    assert people.add(ann, bob)[0] == 30539
    people.respond(bob, ann, 2)
    assert people.add(ann, bob) == (RESTRICTED, "Err_SNS_FriendAdd_Cooling_Down")
    change(people, "application_cooldown_ms", 0)
    assert people.add(ann, bob)[0] == 30539


def test_a_new_account_adds_no_friend_as_long_as_the_app_says(relation):
    people = app(relation, {"new_account_quarantine_ms": 3_600_000})
    ann, bob = people(2)
    assert people.add(ann, bob) == (RESTRICTED, "Err_SNS_FriendAdd_New_Account")
    change(people, "new_account_quarantine_ms", 0)
    assert people.add(ann, bob) == (0, "")


# Defaults


def test_the_allow_type_of_who_set_none_is_the_apps(relation):
    people = app(relation)
    ann, bob, eve = people(3)
    people.allow_any(eve)
    for allow_type, code in ((2, 30516), (1, 30539), (0, 0)):
        change(people, "default_allow_type", allow_type)
        assert people.add(ann, bob)[0] == code
    change(people, "default_allow_type", 2)
    assert people.add(ann, eve) == (0, "")


def test_the_visibility_of_who_set_none_is_the_apps(relation):
    people = app(relation)
    ann, bob = people(2)
    people.set_profile(bob, level=7)
    backend = plain(people).relation

    def level():
        answer = backend("GetProfiles", user_id=ann, user_ids=[bob])
        return answer.results[0].profile.level

    assert level() == 7
    change(people, "default_visibility", 1)
    assert level() == 0
    visibility = backend("GetVisibility", user_id=bob)
    assert (visibility.user_level, visibility.app_level, visibility.effective) == (0, 1, 1)
    assert backend("SetVisibility", user_id=bob, visibility=2).effective == 2
    assert level() == 7
    change(people, "default_visibility", 2)
    assert backend("SetVisibility", user_id=bob, visibility=1).effective == 1
    assert level() == 0
    assert backend("SetVisibility", user_id=bob, visibility=0).effective == 2
    assert level() == 7


def test_an_app_may_keep_friendships_of_who_is_blacklisted(relation):
    people = app(relation, {"keeps_friendship_on_blacklist": True})
    ann, bob, eve = people(3)
    people.befriend(ann, bob, eve)
    people.block(ann, bob)
    assert people.are_friends(ann, bob) == (True, True)
    assert codes(people.relation("CanSend", user_id=bob, user_ids=[ann])) == [20007]
    change(people, "keeps_friendship_on_blacklist", False)
    people.block(eve, ann)
    assert people.are_friends(ann, eve) == (False, False)
    assert people.are_friends(ann, bob) == (True, True)


# Limits that were lowered


@pytest.fixture(scope="module")
def narrow(relation):
    return app(relation)


@pytest.fixture
def lower(narrow):
    """Lowers a limit of `narrow` for one test."""
    paths = []

    def to(name, value):
        paths.append(f"limits.{name}")
        change(narrow, paths[-1], value)

    yield to
    narrow.relation("UpdateApp", update_mask={"paths": paths})


def test_a_lowered_limit_of_friends_holds_for_every_call(narrow, lower):
    ann, bob, eve, dan = narrow(4)
    narrow.befriend(ann, bob)
    narrow.apply(eve, ann)
    narrow.apply(ann, dan)
    lower("friends", 1)
    narrow.allow_any(ann)
    narrow.allow_any(dan)
    assert narrow.add(ann, dan)[0] == 30010
    assert narrow.add(dan, ann)[0] == 30014
    assert narrow.respond(ann, eve, AGREE_AND_ADD)[0] == 30010
    assert narrow.respond(dan, ann, AGREE)[0] == 30014
    assert import_friend(narrow, ann, dan)[0] == 30010
    assert import_friend(narrow, dan, ann, both_ways=True)[0] == 30014
    assert narrow.respond(ann, eve, AGREE) == (0, "")
    assert narrow.friend_ids(ann) == [bob]


def test_a_lowered_limit_of_a_blacklist_holds(narrow, lower):
    ann, bob, eve = narrow(3)
    lower("blacklisted_users", 1)
    answer = narrow.relation("AddToBlacklist", user_id=ann, user_ids=[bob, eve, bob])
    assert codes(answer) == [0, 30013, 0]
    assert narrow.blacklist(ann) == [bob]


def test_a_lowered_limit_of_groups_holds_for_every_call(narrow, lower):
    ann, bob, eve = narrow(3)
    narrow.befriend(ann, bob)
    lower("groups", 1)
    answer = narrow.relation("CreateFriendGroups", user_id=ann, names=["one", "two"])
    assert codes(answer) == [0, 30011]
    two = {"groups": ["one", "two"], "update_mask": {"paths": ["groups"]}}
    assert update(narrow, ann, bob, **two)[0] == 30011
    assert narrow.add(ann, eve, group="two")[0] == 30011
    assert import_friend(narrow, ann, eve, groups={"values": ["two"]})[0] == 30011
    assert narrow.groups(ann) == {"one": []}
    assert narrow.friend_ids(ann) == [bob]


def test_a_lowered_limit_of_applications_holds_on_both_sides(narrow, lower):
    ann, bob, eve, dan = narrow(4)
    for user in (bob, eve):
        narrow.need_confirm(user)
    lower("pendencies", 1)
    assert narrow.add(ann, bob)[0] == 30539
    assert narrow.add(ann, eve)[0] == 30012
    assert narrow.add(dan, bob)[0] == 30012
    assert narrow.add(ann, bob)[0] == 30539
    assert (narrow.outgoing(ann), narrow.incoming(bob)) == ([bob], [ann])


def created(people, user, name):
    return codes(people.relation("CreateFriendGroups", user_id=user, names=[name]))


def renamed(people, user, name):
    answer = people.relation("RenameFriendGroup", user_id=user, name="old", new_name=name)
    return [answer.result.code]


def masked(path, value):
    return {path: value, "update_mask": {"paths": [path]}}


def met(text):
    return [{"key": "Met", "data": text.encode()}]


# Each limit of a text of friends, and the code of each call that writes such a text: of `ann`, who
# has the friend `bob` and a group `old`, with `eve` unrelated to it.
FRIEND_TEXTS = [
    ("remark", "AddFriends", lambda p, ann, bob, eve, text: p.add(ann, eve, remark=text)),
    ("remark", "UpdateFriends", lambda p, ann, bob, eve, text:
        update(p, ann, bob, **masked("remark", text))),
    ("remark", "ImportFriends", lambda p, ann, bob, eve, text:
        import_friend(p, ann, eve, remark=text)),
    ("remark", "RespondToApplications", lambda p, ann, bob, eve, text:
        p.respond(bob, eve, AGREE, remark=text)),
    ("wording", "AddFriends", lambda p, ann, bob, eve, text: p.add(ann, eve, wording=text)),
    ("wording", "ImportFriends", lambda p, ann, bob, eve, text:
        import_friend(p, ann, eve, wording=text)),
    ("group_name", "AddFriends", lambda p, ann, bob, eve, text: p.add(ann, eve, group=text)),
    ("group_name", "UpdateFriends", lambda p, ann, bob, eve, text:
        update(p, ann, bob, **masked("groups", [text]))),
    ("group_name", "ImportFriends", lambda p, ann, bob, eve, text:
        import_friend(p, ann, eve, groups={"values": [text]})),
    ("group_name", "RespondToApplications", lambda p, ann, bob, eve, text:
        p.respond(bob, eve, AGREE_AND_ADD, group=text)),
    ("group_name", "CreateFriendGroups", lambda p, ann, bob, eve, text: created(p, ann, text)),
    ("group_name", "RenameFriendGroup", lambda p, ann, bob, eve, text: renamed(p, ann, text)),
    ("custom_value", "AddFriends", lambda p, ann, bob, eve, text:
        p.add(ann, eve, custom=met(text))),
    ("custom_value", "UpdateFriends", lambda p, ann, bob, eve, text:
        update(p, ann, bob, **masked("custom", met(text)))),
    ("custom_value", "ImportFriends", lambda p, ann, bob, eve, text:
        import_friend(p, ann, eve, custom=met(text))),
]  # fmt: skip


@pytest.mark.parametrize(
    "limit, write", [(limit, write) for limit, _, write in FRIEND_TEXTS],
    ids=[f"{limit} {call}" for limit, call, _ in FRIEND_TEXTS],
)  # fmt: skip
def test_a_lowered_limit_of_a_friends_text_holds_for_every_call(narrow, lower, limit, write):
    ann, bob, eve = narrow(3)
    narrow.befriend(ann, bob)
    narrow.group(ann, "old")
    narrow.apply(eve, bob)
    lower(limit, 3)
    assert write(narrow, ann, bob, eve, "é12")[0] == 30001
    assert write(narrow, ann, bob, eve, "é1")[0] == 0


# Each limit of a profile's field, a value at the limit and one beyond it, and the field.
PROFILE_LIMITS = [
    ("nick", 3, "nick", "é1", "é12"),
    ("nick", 3, "first_name", "é1", "é12"),
    ("face_url", 3, "face_url", "abc", "abcd"),
    ("face_url", 3, "picture_url", "abc", "abcd"),
    ("self_signature", 3, "self_signature", b"\xff\0\0", b"\xff\0\0\0"),
    ("location_bytes", 3, "location", b"\xff\0\0", b"\xff\0\0\0"),
    ("unique_id", 3, "unique_id", "a1B", "a1Bc"),
    ("email", 3, "email", "é@é", "é@é."),
    ("birthday_text", 3, "birthday_text", "éé1", "éé12"),
    ("location_text", 3, "location_text", "éé1", "éé12"),
]


@pytest.mark.parametrize("limit, value, field, good, bad", PROFILE_LIMITS)
def test_a_lowered_limit_of_a_profiles_text_holds(narrow, lower, limit, value, field, good, bad):
    (ann,) = narrow(1)
    lower(limit, value)
    assert update_profile(narrow, ann, **{field: bad}).code == 40601
    assert update_profile(narrow, ann, **{field: good}).code == 0
    assert getattr(narrow.profile(ann), field) == good


@pytest.mark.parametrize("field", ["level", "role"])
def test_a_lowered_highest_number_holds(narrow, lower, field):
    (ann,) = narrow(1)
    lower(field, 3)
    assert update_profile(narrow, ann, **{field: 4}).code == 40605
    assert update_profile(narrow, ann, **{field: 3}).code == 0


def test_a_lowered_limit_of_a_custom_value_holds_for_profiles(narrow, lower):
    (ann,) = narrow(1)
    lower("custom_value", 3)
    tag = {"tag": "Tag_Profile_Custom_Mood", "text": "é12"}
    assert narrow.relation("UpdateProfile", user_id=ann, tags=[tag]).code == 40601
    tag["text"] = "é1"
    assert narrow.relation("UpdateProfile", user_id=ann, tags=[tag]).code == 0


def test_an_update_names_no_more_custom_fields_than_the_app_allows(narrow, lower):
    (ann,) = narrow(1)
    tags = [
        {"tag": "Tag_Profile_Custom_Mood", "text": "x"},
        {"tag": "Tag_Profile_Custom_Size", "number": 1},
    ]
    lower("profile_keys", 1)
    answer = narrow.relation("UpdateProfile", user_id=ann, tags=tags)
    assert [(item.key, item.code, item.info) for item in answer.violations] == [
        ("Tag_Profile_Custom_Size", 40601, "Err_Profile_PortraitSet_Custom_Num_Exceed_Threshold")
    ]
    assert narrow.relation("UpdateProfile", user_id=ann, tags=tags[:1]).code == 0


@pytest.mark.parametrize("owner, limit", [(PROFILE, "profile_keys"), (FRIEND, "friend_keys")])
def test_a_lowered_limit_of_custom_fields_takes_none_away(narrow, lower, owner, limit):
    lower(limit, 1)
    field = {"owner": owner, "key": "More", "value_type": STRING}
    answer = narrow.relation("DefineCustomFields", items=[field])
    assert outcomes(answer) == [(30001, "Err_App_CustomField_Num_Exceed_Threshold")]
    kept = narrow.relation("ListCustomFields", owner=owner).fields
    assert [field.key for field in kept] == [
        field["key"] for field in FIELDS if field["owner"] == owner
    ]


def test_a_lowered_limit_of_profiles_in_a_call_holds(narrow, lower):
    users = narrow(4)
    lower("profiles_per_call", 3)
    refused = refusal(narrow.relation, "GetProfiles", user_id=users[0], user_ids=users)
    assert_invalid(refused, "user_ids", reason="TOO_MANY_ITEMS")
    answer = narrow.relation("GetProfiles", user_id=users[0], user_ids=users[1:])
    assert codes(answer) == [0, 0, 0]
