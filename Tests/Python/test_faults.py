"""Refusals: malformed requests and items, unknown users, apps and calls."""

import grpc
import pytest
from people import outcomes
from plain_requests import calls_of_one_request, is_for_user, plain
from refusals import Refusal, assert_invalid, refusal
from relationd import Relationd

ILLEGAL_IDS = {
    "empty": "",
    "65 bytes": "x" * 65,
    "leading space": " x",
    "trailing space": "x ",
    "only a space": " ",
    "newline": "a\nb",
    "nul": "a\0b",
    "delete": "a\x7fb",
    "no ASCII": "zoë",
}
LEGAL_IDS = ["x", "x" * 64, "a b", "!~", "a/b#c%00", "0"]

# A request of each call that is right, except for the acting user. A call whose request only names
# users needs no row here.
UNARY = {
    "AddFriends": {"items": [{"user_id": "other"}]},
    "SearchFriends": {"keyword": "x"},
    "UpdateFriends": {
        "items": [{"user_id": "other", "remark": "x", "update_mask": {"paths": ["remark"]}}]
    },
    "RespondToApplications": {"items": [{"user_id": "other", "response_type": 0}]},
    "DeletePendencies": {"pendency_type": 1, "user_ids": ["other"]},
    "ReportPendencies": {"timestamp_ms": 1},
    "CreateFriendGroups": {"names": ["group"], "user_ids": ["other"]},
    "DeleteFriendGroups": {"names": ["group"]},
    "AddFriendsToGroup": {"name": "group", "user_ids": ["other"]},
    "RemoveFriendsFromGroup": {"name": "group", "user_ids": ["other"]},
    "RenameFriendGroup": {"name": "group", "new_name": "other"},
    "GetFriendGroups": {"names": ["group"], "with_members": True},
    "FindProfileByUniqueId": {"unique_id": "other"},
    "SetVisibility": {"visibility": 1, "fields": [{"field": "email", "visibility": 3}]},
    "FindUsers": {"keyword": "x"},
    "SetFindSettings": {"settings": {"by_name": 1}},
    "SetContactDigests": {"kind": 1, "digests": [b"d" * 32]},
    "FindContacts": {"kind": 1, "digests": [b"d" * 32]},
    "UpdateProfile": {"profile": {"nick": "x"}, "update_mask": {"paths": ["nick"]}},
}
UNARY |= {
    "GrantPermissions": {"client_app_id": "client", "names": ["no.such"]},
    "DeclinePermissions": {"client_app_id": "client", "names": ["email"]},
    "RevokePermissions": {"client_app_id": "client", "names": {"values": ["email"]}},
    "ListPermissions": {"client_app_id": "client"},
    "ReadUser": {"client_app_id": "client"},
    "ListAppFriends": {"client_app_id": "client"},
}
UNARY |= {
    "Subscribe": {"user_ids": ["other"], "expiry_seconds": 60},
    "CreateInvitation": {"max_uses": 1, "expiry_seconds": 60},
    "GetInvitation": {"invitation_code": "0" * 32},
    "RevokeInvitation": {"invitation_id": "0" * 32},
    "AcceptInvitation": {"invitation_code": "0" * 32},
    "SetStatus": {"text": "away"},
    "ReportUser": {"reported_user_id": "other", "category": 1},
}
# A right request of each call that acts for the app, or for no app, and so names no acting user.
FOR_APPS = {
    "UpdateApp": {"name": "x"},
    "CreateCredential": {"scopes": ["SCOPE_READ"]},
    "RevokeCredential": {"credential_id": "x"},
    "RotateAppSecret": {"old_expire_time_ms": 0},
    "CreateHook": {"url": "https://receiver.invalid/", "paused": True},
    "UpdateHook": {"hook_id": "0" * 16},
    "DeleteHook": {"hook_id": "0" * 16},
    "RotateHookSecret": {"hook_id": "0" * 16, "old_expire_time_ms": 0},
    "ReplayHook": {"hook_id": "0" * 16, "time_ms": 1},
    "ListHookFailures": {"hook_id": "0" * 16},
    "TestHook": {"hook_id": "0" * 16},
    "DefineCustomFields": {"items": [{"owner": 1, "key": "x", "value_type": 1}]},
    "RetireCustomField": {"owner": 1, "key": "x"},
    "RegisterClientApp": {"client_app_id": "client", "name": "A client app"},
    "DefinePermissions": {"items": [{"name": "p", "kind": 4}]},
    "GetDeletion": {"deletion_id": "0" * 15 + "1"},
    "SuspendAccounts": {"items": [{"user_id": "other", "level": 1}]},
    "ListReports": {},
    "ResolveReports": {"items": [{"report_id": "1", "outcome": 1}]},
    "ListReviews": {},
    "DecideReviews": {"items": [{"review_id": "1", "decision": 1}]},
    "ExplainAcceptInvitation": {"from_user_id": "other", "invitation_id": "0" * 32},
    "ListHistory": {},
    "UndoChanges": {"positions": [1]},
    "ReportPresence": {"items": [{"user_id": "other", "device_id": "d", "online": False}]},
    "AcquireConsumer": {"consumer": "orders", "take_over": True},
    "AcknowledgeChanges": {"consumer": "orders", "reader": 1},
    "DeleteConsumer": {"consumer": "orders"},
}
# All calls that only operators make.
FOR_OPERATORS = {
    "CreateApp": {},
    "ListApps": {},
    "DeleteApp": {"app_id": 4_000_000_000},
    "CreateOperatorKey": {"name": "x"},
    "ListOperatorKeys": {},
    "RevokeOperatorKey": {"credential_id": "x"},
    "ImportAppSecret": {"app_id": 4_000_000_000, "secret": "s" * 64, "old_expire_time_ms": 0},
    "CreateBackup": {},
    "ListBackups": {},
    "ReadBackup": {"name": "20261125T235959Z", "path": "BACKUP"},
}
# A call that goes on until one side ends it; its faults are in test_watch.
FOLLOWING = ["Watch"]
for call, request in calls_of_one_request().items():
    if call not in {*UNARY, *FOR_APPS, *FOR_OPERATORS, *FOLLOWING}:
        (UNARY if is_for_user(request) else FOR_APPS)[call] = plain(request)
# Each list of ids or items, the form of its entries, and how many may be sent.
LISTS = [
    ("AddFriends", "items", lambda user: {"user_id": user}, 100),
    ("DeleteFriends", "user_ids", str, 1000),
    ("CheckFriends", "user_ids", str, 1000),
    ("GetFriends", "user_ids", str, 100),
    ("GetRelations", "user_ids", str, 1000),
    ("GetMutualFriendCounts", "user_ids", str, 100),
    ("DismissSuggestions", "user_ids", str, 100),
    ("RestoreSuggestions", "user_ids", str, 100),
    (
        "UpdateFriends",
        "items",
        lambda user: {"user_id": user, "update_mask": {"paths": ["remark"]}},
        100,
    ),
    (
        "RespondToApplications",
        "items",
        lambda user: {"user_id": user, "response_type": 0},
        100,
    ),
    ("WithdrawApplications", "user_ids", str, 100),
    ("AddToBlacklist", "user_ids", str, 1000),
    ("RemoveFromBlacklist", "user_ids", str, 1000),
    ("CheckBlacklist", "user_ids", str, 1000),
    ("CanSend", "user_ids", str, 1000),
    ("GetProfiles", "user_ids", str, 100),
    ("QuerySubscriptions", "user_ids", str, 200),
    ("Follow", "user_ids", str, 100),
    ("Unfollow", "user_ids", str, 100),
    ("CheckFollows", "user_ids", str, 100),
    ("GetFollowCounts", "user_ids", str, 100),
    ("GetPresence", "user_ids", str, 1000),
]
STREAMS = [
    "ImportAccounts", "ImportFriends", "ImportBlacklists", "ImportFollows", "ImportProfiles",
    "ImportApp"]  # fmt: skip


def path_of(stubs, name):
    return next(path for path in stubs.paths if path.endswith("/" + name))


def test_the_tables_here_name_every_call(stubs):
    tables = [*UNARY, *FOR_APPS, *FOR_OPERATORS, *STREAMS, *FOLLOWING]
    named = {path_of(stubs, name) for name in tables}
    assert named == set(stubs.paths)


@pytest.fixture(scope="module", autouse=True)
def client_app(people):
    people.register_client("client")


# The acting user


@pytest.mark.parametrize("name", UNARY)
@pytest.mark.parametrize("user", ILLEGAL_IDS.values(), ids=ILLEGAL_IDS.keys())
def test_an_illegal_acting_user_is_invalid(people, name, user):
    assert_invalid(refusal(people.relation, name, user_id=user, **UNARY[name]), "user_id")


@pytest.mark.parametrize("user", LEGAL_IDS)
def test_a_legal_id_is_taken_as_it_is(people, user):
    people.imported("ImportAccounts", [{"row": {"user_id": user}}])
    (ann,) = people(1)
    assert people.profile(user).user_id == user
    people.befriend(ann, user)
    assert people.friend_ids(ann) == [user]
    assert people.friend_ids(user)[-1] == ann


@pytest.mark.parametrize("name", [name for name in UNARY if name != "UpdateProfile"])
def test_an_unknown_acting_user_is_not_found(people, name):
    refused = refusal(people.relation, name, user_id=people.unknown_user(), **UNARY[name])
    assert refused.code == grpc.StatusCode.NOT_FOUND
    assert (refused.domain, refused.reason) == ("relation.v1", "USER_NOT_FOUND")


# Ids and fields of items: the item's own fault, and the others go on


def code_of_unknown(name):
    """The code of a user that is not an account. A suggestion of it is restored."""
    return {"GetProfiles": 40003, "RestoreSuggestions": 0}.get(name, 30003)


@pytest.mark.parametrize("user", ILLEGAL_IDS.values(), ids=ILLEGAL_IDS.keys())
@pytest.mark.parametrize("name, field, entry, _", LISTS, ids=[row[0] for row in LISTS])
def test_an_illegal_id_of_an_item_spoils_that_item_only(people, name, field, entry, _, user):
    ann, bob = people(2)
    unknown = people.unknown_user()
    asked = [unknown, user, bob]
    answer = people.relation(name, user_id=ann, **{field: [entry(id) for id in asked]})
    first, illegal, last = outcomes(answer)
    assert first[0] == code_of_unknown(name)
    assert illegal[0] == {"GetProfiles": 40001, "QuerySubscriptions": 34308}.get(name, 30001)
    assert illegal[1].endswith("_UserId_Illegal")
    assert not last[1].endswith("_UserId_Illegal")
    assert [result.user_id for result in answer.results] == asked


@pytest.mark.parametrize(
    "field, value, reason",
    [
        ("remark", "x" * 97, "Remark"),
        ("remark", "é" * 49, "Remark"),
        ("wording", "x" * 121, "Wording"),
        ("source", "AddSource_Type_", "Source"),
        ("source", "NineChars", "Source"),
        ("source", "AddSource_Type_NineChars", "Source"),
        ("source", "With1", "Source"),
        ("source", "with bar", "Source"),
        ("source", "é", "Source"),
        ("source", "addsource_type_Card", "Source"),
        ("group", "x" * 31, "Group"),
    ],
)
def test_a_malformed_field_of_a_friend_to_add_is_named(people, field, value, reason):
    ann, bob, eve = people(3)
    items = [{"user_id": bob, field: value}, {"user_id": eve}]
    answer = people.relation("AddFriends", user_id=ann, items=items)
    assert outcomes(answer) == [(30001, f"Err_SNS_FriendAdd_{reason}_Illegal"), (0, "")]
    assert people.friend_ids(ann) == [eve]


def test_a_malformed_field_goes_before_every_other_case(people):
    (ann,) = people(1)
    answer = people.add(ann, ann, remark="x" * 97)
    assert answer == (30001, "Err_SNS_FriendAdd_Remark_Illegal")


@pytest.mark.parametrize(
    "item",
    [
        {"remark": "é" * 48},
        {"wording": "é" * 60},
        {"source": "a" * 8},
        {"group": "é" * 15},
    ],
    ids=["remark", "wording", "source", "group"],
)
def test_a_field_of_a_friend_at_its_limit_is_taken(people, item):
    ann, bob = people(2)
    assert people.add(ann, bob, **item) == (0, "")


MASK = {"paths": ["remark"]}
TAG = {"tag": "Tag_SNS_IM_Remark", "text": "x"}


@pytest.mark.parametrize(
    "item, reason",
    [
        ({}, "UpdateMask"),
        ({"remark": "", "groups": []}, "UpdateMask"),
        ({"update_mask": {}}, "UpdateMask"),
        ({"update_mask": MASK, "tags": [TAG]}, "UpdateMask"),
        ({"remark": "x", "tags": [TAG]}, "UpdateMask"),
        ({"remark": "x" * 97}, "Remark"),
        ({"groups": [""]}, "Group"),
        ({"tags": [{"tag": "Tag_SNS_IM_AddTime", "number": 5}]}, "Tag"),
        ({"tags": [{"tag": "", "text": "x"}]}, "Tag"),
        ({"tags": [{"tag": "remark", "text": "x"}]}, "Tag"),
        ({"tags": [TAG, TAG]}, "Tag"),
        ({"tags": [TAG, {"tag": "TIMFriendTypeKey_Remark", "text": "y"}]}, "Tag"),
        ({"tags": [{"tag": "Tag_SNS_IM_Remark"}]}, "Value"),
        ({"tags": [{"tag": "Tag_SNS_IM_Remark", "number": 5}]}, "Value"),
        ({"tags": [{"tag": "Tag_SNS_IM_Remark", "data": b"x"}]}, "Value"),
        ({"tags": [{"tag": "Tag_SNS_IM_Group", "text": "x"}]}, "Value"),
        ({"update_mask": MASK, "remark": "x" * 97}, "Remark"),
        ({"tags": [{"tag": "Tag_SNS_IM_Remark", "text": "x" * 97}]}, "Remark"),
        ({"update_mask": {"paths": ["groups"]}, "groups": [""]}, "Group"),
        ({"update_mask": {"paths": ["groups"]}, "groups": ["x" * 31]}, "Group"),
        ({"update_mask": {"paths": ["groups"]}, "groups": ["a", "b", "a"]}, "Group"),
        ({"tags": [{"tag": "Tag_SNS_IM_Group", "texts": {"values": ["a", "a"]}}]}, "Group"),
    ],
)
def test_a_malformed_change_of_a_friend_is_named(people, item, reason):
    ann, bob, eve = people(3)
    people.befriend(ann, bob, eve)
    items = [{"user_id": bob, **item}, {"user_id": eve, "remark": "y", "update_mask": MASK}]
    answer = people.relation("UpdateFriends", user_id=ann, items=items)
    assert outcomes(answer) == [(30001, f"Err_SNS_FriendUpdate_{reason}_Illegal"), (0, "")]
    assert [friend.remark for friend in people.friends(ann)] == ["", "y"]


@pytest.mark.parametrize(
    "field, length, reason", [("remark", 96, "Remark"), ("group", 30, "Group")]
)
@pytest.mark.parametrize("response_type", [0, 1, 2])
def test_a_malformed_field_of_an_answer_is_named(people, field, length, reason, response_type):
    ann, bob = people(2)
    people.apply(bob, ann)
    answer = people.respond(ann, bob, response_type, **{field: "x" * (length + 1)})
    assert answer == (30001, f"Err_SNS_FriendResponse_{reason}_Illegal")
    assert people.incoming(ann) == [bob]
    assert people.respond(ann, bob, response_type, **{field: "x" * length}) == (0, "")


# The request's own fields


@pytest.mark.parametrize("name, field, entry, limit", LISTS, ids=[row[0] for row in LISTS])
def test_a_list_has_one_entry_at_least(people, name, field, entry, limit):
    (ann,) = people(1)
    assert_invalid(refusal(people.relation, name, user_id=ann, **{field: []}), field)


@pytest.mark.parametrize("name, field, entry, limit", LISTS, ids=[row[0] for row in LISTS])
def test_a_list_has_its_limit_at_most(people, name, field, entry, limit):
    (ann,) = people(1)
    entries = [entry(f"unknown{number}") for number in range(limit + 1)]
    refused = refusal(people.relation, name, user_id=ann, **{field: entries})
    assert_invalid(refused, field, reason="TOO_MANY_ITEMS")
    assert refused.metadata == {"limit": str(limit), "actual": str(limit + 1)}
    answer = people.relation(name, user_id=ann, **{field: entries[:limit]})
    assert {code for code, _ in outcomes(answer)} == {code_of_unknown(name)}


@pytest.mark.parametrize(
    "name, field, fields",
    [
        ("AddFriends", "add_type", UNARY["AddFriends"]),
        ("DeleteFriends", "delete_type", UNARY["DeleteFriends"]),
        ("CheckFriends", "check_type", UNARY["CheckFriends"]),
        ("CheckBlacklist", "check_type", UNARY["CheckBlacklist"]),
        ("ListFriends", "order", {}),
        ("ListFriends", "order", {"with_profiles": True}),
        ("ListFriends", "direction", {}),
        ("ListApplications", "direction", {}),
        ("ListApplications", "pendency_type", {}),
        ("ListFriends", "display_order", {}),
        ("SearchFriends", "search_match", UNARY["SearchFriends"]),
        ("SearchFriends", "display_order", UNARY["SearchFriends"]),
        ("ListPendencies", "pendency_type", {}),
        ("Subscribe", "subscribe_type", UNARY["Subscribe"]),
        ("Unsubscribe", "subscribe_type", UNARY["Unsubscribe"]),
        ("QuerySubscriptions", "subscribe_type", UNARY["QuerySubscriptions"]),
        ("ListSubscriptions", "subscribe_type", {}),
    ],
)
@pytest.mark.parametrize("value", [7, 99, -1, 2**31 - 1])
def test_an_unknown_number_of_an_enum_is_invalid(people, name, field, fields, value):
    (ann,) = people(1)
    refused = refusal(people.relation, name, user_id=ann, **{**fields, field: value})
    assert_invalid(refused, field)


def test_an_answer_without_a_type_is_invalid_and_so_is_an_unknown_one(people):
    ann, bob = people(2)
    people.apply(bob, ann)
    items = [
        {"user_id": bob},
        {"user_id": bob, "response_type": 1},
        {"user_id": bob, "response_type": 3},
    ]
    refused = refusal(people.relation, "RespondToApplications", user_id=ann, items=items)
    assert_invalid(refused, "items[0].response_type", "items[2].response_type")
    assert people.incoming(ann) == [bob]


@pytest.mark.parametrize(
    "name, field, values",
    [
        ("ListFriends", "page_size", [-1, -(2**31)]),
        ("ListFriends", "profile_mask", [{"paths": ["nick"]}, {}]),
        ("SearchFriends", "page_size", [-1]),
        ("SearchFriends", "keyword", ["", "x" * 65, "\u200b", "\u00ad\u200d"]),
        ("SearchFriends", "read_mask", [{"paths": ["nick"]}]),
        ("SearchFriends", "profile_mask", [{"paths": ["nick"]}]),
        ("ListBlacklist", "page_size", [-1]),
        ("GetFriendGroups", "page_size", [-1]),
        ("AddFriendsToGroup", "name", ["", "x" * 257]),
        ("RemoveFriendsFromGroup", "name", ["", "é" * 129]),
        ("ListPendencies", "num_per_page", [-1, 101]),
        ("ListPendencies", "seq", [-1]),
        ("ListPendencies", "timestamp_ms", [-1, -(2**63)]),
        ("ListFriends", "read_mask", [{"paths": ["nick"]}, {"paths": ["remark"] * 65}]),
        ("ListFriends", "read_mask", [{"paths": [""]}, {"paths": ["userId"]}]),
        ("GetFriends", "read_mask", [{"paths": ["remark", "nick"]}]),
        ("GetSelfProfile", "read_mask", [{"paths": ["remark"]}, {"paths": ["nick.x"]}]),
        ("GetProfiles", "read_mask", [{"paths": ["*"]}, {"paths": ["nick"] * 65}]),
        ("CreateInvitation", "max_uses", [-1, 0, 1_001, 2**31 - 1]),
        ("CreateInvitation", "expiry_seconds", [-(2**63), 0, 59, 365 * 86_400 + 1, 2**63 - 1]),
        ("ListInvitations", "page_size", [-1]),
        ("SetContactDigests", "kind", [0, 3]),
        ("FindContacts", "kind", [0, 3]),
        ("SetStatus", "expiry_seconds", [-(2**63), -1, 365 * 86_400 + 1, 2**63 - 1]),
        ("RevokeInvitation", "invitation_id", ["", "0" * 31, "0" * 33, "A" * 32, "é" * 16]),
    ],
)
def test_a_field_out_of_its_bounds_is_invalid(people, name, field, values):
    (ann,) = people(1)
    for value in values:
        refused = refusal(
            people.relation, name, user_id=ann, **{**UNARY[name], field: value}
        )
        assert_invalid(refused, field)


@pytest.mark.parametrize(
    "fields, names",
    [
        ({}, ["profile"]),
        ({"profile": {}}, ["profile"]),
        ({"profile": {"user_id": "x", "version": 7, "age_range": {"min": 1}}}, ["profile"]),
        ({"update_mask": {"paths": ["nick"]}}, ["profile"]),
        (
            {
                "profile": {"nick": "x"},
                "update_mask": {"paths": ["nick"]},
                "tags": [{"tag": "Tag_Profile_IM_Nick", "text": "x"}],
            },
            ["profile"],
        ),
        ({"profile": {}, "update_mask": {"paths": ["nick"] * 65}}, ["update_mask"]),
    ],
    ids=["nothing", "nothing set", "nothing to write", "no profile", "both", "65 paths"],
)
def test_an_update_of_a_profile_says_what_to_set_in_one_way(people, fields, names):
    (ann,) = people(1)
    assert_invalid(refusal(people.relation, "UpdateProfile", user_id=ann, **fields), *names)


@pytest.mark.parametrize("fields, name", [
    ({"tags": [{"tag": "Tag_Profile_IM_Nick", "text": "x"}] * 65}, "tags"),
    ({"profile": {"custom": [{"key": f"K{number}", "number": 1} for number in range(65)]}},
     "profile.custom"),
])
def test_an_update_of_a_profile_with_too_many_values_tells_how_many_there_may_be(
    people, fields, name
):
    (ann,) = people(1)
    refused = refusal(people.relation, "UpdateProfile", user_id=ann, **fields)
    assert (refused.reason, refused.fields) == ("TOO_MANY_ITEMS", [name])
    assert refused.metadata == {"limit": "64", "actual": "65"}


def test_every_bad_field_of_a_request_is_named(people):
    refused = refusal(
        people.relation,
        "ListFriends",
        user_id="",
        order=9,
        page_size=-1,
        page_token="x",
        read_mask={"paths": ["nick"]},
        options={"min_sequence": {"user_id": " ", "sequence": -1}},
    )
    assert refused.code == grpc.StatusCode.INVALID_ARGUMENT
    assert set(refused.fields) == {
        "user_id", "order", "page_size", "page_token", "read_mask",
        "options.min_sequence.user_id", "options.min_sequence.sequence",
    }  # fmt: skip
    refused = refusal(
        people.relation,
        "AddFriends",
        user_id="",
        options={"request_id": "x" * 65, "device_id": "x" * 65},
        add_type=9,
    )
    assert set(refused.fields) == {
        "user_id", "options.request_id", "options.device_id", "items", "add_type",
    }  # fmt: skip


# Page tokens


@pytest.fixture(scope="module")
def tokens(people):
    """Tokens of lists, by what they were made for, and the user whose lists they are."""
    users = people(4)
    ann, others = users[0], users[1:]
    people.block(ann, *others)
    people.befriend(ann, *others)
    requests = {
        "ids": ("ListFriends", {"order": 1}),
        "ids from the end": ("ListFriends", {"order": 1, "direction": 2}),
        "times": ("ListFriends", {"order": 2}),
        "first names": ("ListFriends", {"order": 3}),
        "last names": ("ListFriends", {"order": 4}),
        "last names from the end": ("ListFriends", {"order": 4, "direction": 2}),
        "display names": ("ListFriends", {"order": 5}),
        "display names by last name": ("ListFriends", {"order": 5, "display_order": 2}),
        "a search": ("SearchFriends", {"keyword": "user"}),
        "another search": ("SearchFriends", {"keyword": "use"}),
        "a search for prefixes": ("SearchFriends", {"keyword": "user", "search_match": 2}),
        "a search by last name": ("SearchFriends", {"keyword": "user", "display_order": 2}),
        "blacklist": ("ListBlacklist", {}),
    }
    made = {}
    for kind, (name, fields) in requests.items():
        page = people.relation(name, user_id=ann, page_size=1, **fields)
        made[kind] = page.next_page_token
        assert made[kind]
    return ann, others[0], requests, made


def test_a_token_serves_only_the_list_that_it_was_made_for(people, tokens):
    ann, _, requests, made = tokens
    for kind, (name, fields) in requests.items():
        for other, token in made.items():
            call = {"user_id": ann, "page_size": 1, "page_token": token, **fields}
            if other == kind:
                people.relation(name, **call)
                continue
            refused = refusal(people.relation, name, **call)
            assert_invalid(refused, "page_token", reason="INVALID_PAGE_TOKEN")


def test_a_token_serves_any_size_of_page_and_mask(people, tokens):
    ann, _, _, made = tokens
    page = people.relation(
        "ListFriends",
        user_id=ann,
        page_size=1000,
        page_token=made["ids"],
        read_mask={"paths": ["remark"]},
    )
    assert len(page.friends) == 2


def test_a_token_serves_only_its_owner(people, tokens):
    _, bob, requests, made = tokens
    for kind, (name, fields) in requests.items():
        refused = refusal(
            people.relation, name, user_id=bob, page_token=made[kind], **fields
        )
        assert_invalid(refused, "page_token", reason="INVALID_PAGE_TOKEN")


@pytest.mark.parametrize("name", ["ListFriends", "ListBlacklist"])
def test_what_is_no_token_is_refused(people, tokens, name):
    ann, _, _, made = tokens
    good = made["ids"] if name == "ListFriends" else made["blacklist"]
    cut = [good[:length] for length in range(1, len(good)) if length < 36]
    # One digit is another: in the version, or in the mark of the query.
    spoilt = [
        good[:place] + ("0" if good[place] != "0" else "1") + good[place + 1 :]
        for place in range(18)
    ]
    for token in [*cut, *spoilt, "x", "é", "\0", "0" * 600, good + "0", good.upper() + "ff"]:
        refused = refusal(people.relation, name, user_id=ann, page_token=token)
        assert_invalid(refused, "page_token", reason="INVALID_PAGE_TOKEN")


# Apps, bytes, sizes and names of calls


@pytest.mark.parametrize("name", UNARY)
def test_an_app_that_is_not_there_is_not_found(people, name):
    for app in (0, 2, 2**32 - 1):
        refused = refusal(people.relation.in_app(app), name, user_id="x", **UNARY[name])
        assert refused.code == grpc.StatusCode.NOT_FOUND
        assert (refused.domain, refused.reason) == ("relation.v1", "APP_NOT_FOUND")


@pytest.mark.parametrize("app", ["abc", "-1", "+1", "", str(2**32), "1.0", "0x1", "1 1"])
def test_an_app_that_is_no_number_is_invalid(people, app):
    (ann,) = people(1)
    refused = refusal(people.relation.in_app(app), "ListFriends", user_id=ann)
    assert_invalid(refused, "x-app-id")


def test_the_first_app_is_taken_when_none_is_named(people):
    (ann,) = people(1)
    assert people.relation.in_app(1)("GetSelfProfile", user_id=ann).profile.user_id == ann


@pytest.mark.parametrize("name", STREAMS)
def test_an_import_into_an_app_that_is_not_there_is_not_found(people, name):
    relation = people.relation.in_app(2)
    row = {"point": {"format": 1}} if name == "ImportApp" else {"user_id": "x"}
    refused = refusal(relation.stream, name, [{"row": row}])
    assert refused.code == grpc.StatusCode.NOT_FOUND
    assert refused.reason == "APP_NOT_FOUND"


@pytest.mark.parametrize("name", UNARY)
@pytest.mark.parametrize(
    "data",
    [b"\x0a\x05abc", b"\x0a", b"\x0a\x01\xff", b"\x0a\x03\xed\xa0\x80", b"\xff" * 11, b"\x00\x01"],
    ids=["cut off", "no length", "no UTF-8", "surrogate", "endless number", "field 0"],
)
def test_bytes_that_are_no_message_are_internal(people, channel, name, data):
    call = channel.unary_unary(path_of(people.stubs, name))
    refused = refusal(call, data, timeout=20)
    assert refused.code == grpc.StatusCode.INTERNAL
    assert (refused.domain, refused.reason) == ("relation.v1", "MALFORMED_MESSAGE")


@pytest.mark.parametrize("name", UNARY)
def test_fields_of_a_later_contract_are_passed_over(people, channel, name):
    (ann,) = people(1)
    stubs = people.stubs
    fields = dict(UNARY[name])
    if name == "RevokeInvitation":
        made = people.relation("CreateInvitation", user_id=ann, **UNARY["CreateInvitation"])
        fields["invitation_id"] = made.invitation.invitation_id
    request = stubs.request(name, {"user_id": ann, **fields}).SerializeToString()
    # Field 1000 in each of the four kinds of the wire.
    kinds = [b"\xc0\x3e\x01", b"\xc1\x3e" + b"x" * 8, b"\xc2\x3e\x02hi", b"\xc5\x3e" + b"x" * 4]
    call = channel.unary_unary(path_of(stubs, name))
    # The first write may change something, and the second changes nothing; or both do.
    call(request, timeout=20)
    later = call(b"".join(kinds) + request + kinds[2], timeout=20)
    same = call(request, timeout=20)
    # Each invitation has a code of its own, and each search for contacts leaves fewer of a day.
    assert later == same or name in ("CreateInvitation", "FindContacts")


def test_a_message_above_four_mebibytes_is_refused(people, channel):
    (ann,) = people(1)
    call = channel.unary_unary(path_of(people.stubs, "ListFriends"))
    request = people.stubs.request("ListFriends", {"user_id": ann}).SerializeToString()
    with pytest.raises(grpc.RpcError) as refused:
        call(request + b"\xc2\x3e\x80\x80\x80\x02" + b"x" * (4 << 20), timeout=20)
    assert refused.value.code() == grpc.StatusCode.RESOURCE_EXHAUSTED
    assert people.profile(ann).user_id == ann


@pytest.mark.parametrize(
    "path",
    [
        "/relation.v1.FriendService/AddFriend",
        "/relation.v1.FriendService/addFriends",
        "/relation.v1.FriendService/",
        "/relation.v1.friendservice/AddFriends",
        "/relation.v2.FriendService/AddFriends",
        "/FriendService/AddFriends",
        "/x",
    ],
)
def test_a_call_that_is_not_there_is_unimplemented(channel, path):
    with pytest.raises(grpc.RpcError) as refused:
        channel.unary_unary(path)(b"", timeout=20)
    assert refused.value.code() == grpc.StatusCode.UNIMPLEMENTED


def test_a_fault_leaves_the_connection_to_others(people, channel):
    """Good and bad calls at once, over one connection."""
    (ann,) = people(1)
    list_friends = people.relation.start("ListFriends")
    request = people.stubs.message("ListFriendsRequest")
    calls = []
    for number in range(200):
        user = ann if number % 2 else ""
        calls.append(list_friends.future(request(user_id=user), timeout=20))
    for number, call in enumerate(calls):
        if number % 2:
            assert call.result().total_size == 0
        else:
            assert_invalid(Refusal(call.exception()), "user_id")


# Without credentials


@pytest.fixture(scope="module")
def closed(tmp_path_factory):
    """A channel to a server that was started without `--insecure`."""
    with Relationd(tmp_path_factory.mktemp("closed") / "data", insecure=False) as running:
        with grpc.insecure_channel(running.address) as channel:
            yield channel


@pytest.mark.parametrize("name", UNARY)
@pytest.mark.parametrize(
    "metadata",
    [(), (("x-app-id", "1"),), (("authorization", "Bearer x"),)],
    ids=["nothing", "app", "key"],
)
def test_a_closed_server_takes_no_call(closed, stubs, name, metadata):
    call = closed.unary_unary(path_of(stubs, name))
    request = stubs.request(name, {"user_id": "ann", **UNARY[name]}).SerializeToString()
    refused = refusal(call, request, timeout=20, metadata=metadata)
    assert refused.code == grpc.StatusCode.UNAUTHENTICATED
    given = "INVALID" if metadata and metadata[0][0] == "authorization" else "MISSING"
    assert (refused.domain, refused.reason) == ("relation.v1", f"CREDENTIAL_{given}")


@pytest.mark.parametrize("name", STREAMS)
def test_a_closed_server_takes_no_import(closed, stubs, name):
    refused = refusal(closed.stream_stream(path_of(stubs, name)), iter([]), timeout=20)
    assert refused.code == grpc.StatusCode.UNAUTHENTICATED
    assert refused.reason == "CREDENTIAL_MISSING"


@pytest.mark.parametrize("version", ["v1", "v1alpha"])
def test_a_closed_server_does_not_describe_itself(closed, version):
    path = f"/grpc.reflection.{version}.ServerReflection/ServerReflectionInfo"
    refused = refusal(closed.stream_stream(path), iter([b"\x3a\x00"]), timeout=20)
    assert refused.code == grpc.StatusCode.UNAUTHENTICATED
    assert refused.reason == "CREDENTIAL_MISSING"
