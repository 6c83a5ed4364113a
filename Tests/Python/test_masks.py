"""Every field mask of the contract refuses what is not a field in the same way."""

import json
import subprocess

import pytest
from people import People
from refusals import assert_invalid, refusal
from relationd import executable
from web import HTTP1, HTTP2, Wire

PROFILE_PATHS = [
    "no_such_field", "", "nick.first", "custom.None", "custom.", "userId", "*", "Nick",
    "age_range.min", " nick",
]  # fmt: skip
FRIEND_PATHS = ["no_such_field", "", "nick", "profile.nick", "userId", "*", "custom.Met"]
# Each mask, by its call and its place: the rest of the request, a good path, and paths that
# are not fields of it.
MASKS = {
    ("ListFriends", "read_mask"): ({}, "remark", FRIEND_PATHS),
    ("SearchFriends", "read_mask"): ({"keyword": "x"}, "remark", FRIEND_PATHS),
    ("GetFriends", "read_mask"): ({"user_ids": ["bob"]}, "remark", FRIEND_PATHS),
    ("ListFriends", "profile_mask"): ({"with_profiles": True}, "nick", PROFILE_PATHS),
    ("SearchFriends", "profile_mask"): (
        {"keyword": "x", "with_profiles": True}, "nick", PROFILE_PATHS),
    ("GetRelations", "profile_mask"): (
        {"user_ids": ["bob"], "with_profiles": True}, "nick", PROFILE_PATHS),
    ("GetFriends", "profile_mask"): (
        {"user_ids": ["bob"], "with_profiles": True}, "nick", PROFILE_PATHS),
    ("ListMutualFriends", "profile_mask"): (
        {"other_user_id": "bob", "with_profiles": True}, "nick", PROFILE_PATHS),
    ("SuggestFriends", "profile_mask"): ({"with_profiles": True}, "nick", PROFILE_PATHS),
    ("ListReverseFriends", "profile_mask"): ({"with_profiles": True}, "nick", PROFILE_PATHS),
    ("ListDismissedSuggestions", "profile_mask"): (
        {"with_profiles": True}, "nick", PROFILE_PATHS),
    ("ListBlacklist", "profile_mask"): ({"with_profiles": True}, "nick", PROFILE_PATHS),
    ("GetFriendGroups", "profile_mask"): (
        {"with_members": True, "with_profiles": True}, "nick", PROFILE_PATHS),
    ("QuerySubscriptions", "profile_mask"): (
        {"user_ids": ["bob"], "subscribe_type": 1, "with_profiles": True}, "nick", PROFILE_PATHS),
    ("ListSubscriptions", "profile_mask"): ({"with_profiles": True}, "nick", PROFILE_PATHS),
    ("ListFollowing", "profile_mask"): ({"with_profiles": True}, "nick", PROFILE_PATHS),
    ("ListFollowers", "profile_mask"): ({"with_profiles": True}, "nick", PROFILE_PATHS),
    ("ListMutualFollows", "profile_mask"): ({"with_profiles": True}, "nick", PROFILE_PATHS),
    ("GetSelfProfile", "read_mask"): ({}, "nick", PROFILE_PATHS),
    ("GetProfiles", "read_mask"): ({"user_ids": ["bob"]}, "nick", PROFILE_PATHS),
    ("ExplainProfile", "read_mask"): (
        {"from_user_id": "ann", "to_user_id": "bob"}, "nick", PROFILE_PATHS),
    ("FindProfileByUniqueId", "read_mask"): ({"unique_id": "x"}, "nick", PROFILE_PATHS),
    ("ReadUser", "read_mask"): ({"client_app_id": "client"}, "nick", PROFILE_PATHS),
    ("ListAppFriends", "read_mask"): ({"client_app_id": "client"}, "nick", PROFILE_PATHS),
    # Fields that no call writes are not paths of an update.
    ("UpdateProfile", "update_mask"): (
        {"profile": {"nick": "new"}}, "nick",
        [*PROFILE_PATHS, "user_id", "version", "age_range"]),
    ("UpdateFriends", "items[0].update_mask"): (
        {"items": [{"user_id": "bob", "remark": "new"}]}, "remark",
        [*FRIEND_PATHS, "user_id", "source", "wording", "add_time_ms", "sequence", "profile"]),
    ("UpdateApp", "update_mask"): (
        {"settings": {"limits": {"friends": 9}}}, "limits.friends",
        ["no_such_field", "", "limits", "limits.", "limits.nothing", "friends", "name", "app_id",
         "forbidden_words.values", "settings.log_events", "*"]),
}  # fmt: skip


@pytest.fixture(scope="module")
def app(relation):
    """People of an app with custom fields, in which ann and bob are friends."""
    people = People(relation.in_app(relation("CreateApp").app.app_id))
    people.make(["ann", "bob"])
    people.befriend("ann", "bob")
    people.register_client("client")
    fields = [{"owner": 1, "key": "Blood", "value_type": 1},
              {"owner": 2, "key": "Met", "value_type": 1}]  # fmt: skip
    people.relation("DefineCustomFields", items=fields)
    return people


def asked(app, call, mask, paths):
    fields = MASKS[call, mask][0]
    if "user_id" in app.stubs.method(call)[1].input_type.fields_by_name:
        fields = {"user_id": "ann", **fields}
    if mask.startswith("items"):
        (item,) = fields["items"]
        return {**fields, "items": [{**item, "update_mask": {"paths": paths}}]}
    return {**fields, mask: {"paths": paths}}


def state(app):
    relation = app.relation
    return (app.profile("ann"), app.friends("ann"), relation("GetApp").app,
            relation("GetSequence", user_id="ann").sequence)  # fmt: skip


def test_every_mask_of_the_contract_is_here(stubs):
    found = set()

    def look(call, message, prefix):
        for field in message.fields:
            if field.message_type is None:
                continue
            place = f"{prefix}{field.name}"
            if field.message_type.full_name == "google.protobuf.FieldMask":
                found.add((call, place))
            elif field.message_type.file.package == "relation.v1":
                look(call, field.message_type, place + ("[0]." if field.is_repeated else "."))

    for path in stubs.paths:
        method = stubs.method(path)[1]
        look(method.name, method.input_type, "")
    # A row of an import answers a code: the call goes on.
    assert found == {*MASKS, ("ImportProfiles", "row.update_mask")}


@pytest.mark.parametrize(
    "call, mask, path",
    [(*place, path) for place, row in MASKS.items() for path in row[2]],
)
def test_a_path_that_is_no_field_is_invalid_and_named(app, call, mask, path):
    before = state(app)
    good = MASKS[call, mask][1]
    for paths in ([path], [good, path]):
        refused = refusal(app.relation, call, **asked(app, call, mask, paths))
        assert_invalid(refused, mask)
        assert f'"{path}"' in refused.descriptions[0], refused.descriptions
    assert state(app) == before


@pytest.mark.parametrize("call, mask", MASKS)
def test_a_mask_has_64_paths_at_most(app, call, mask):
    before = state(app)
    good = MASKS[call, mask][1]
    refused = refusal(app.relation, call, **asked(app, call, mask, [good] * 65))
    assert_invalid(refused, mask)
    assert state(app) == before


@pytest.mark.parametrize("call, mask", MASKS)
def test_a_path_that_is_a_field_is_taken(app, call, mask):
    app.relation(call, **asked(app, call, mask, [MASKS[call, mask][1]]))


@pytest.mark.parametrize("call, mask, path, fault", [
    ("GetProfiles", "read_mask", "", "is an empty path"),
    ("GetProfiles", "read_mask", "nick..first", "has an empty name between its dots"),
    ("UpdateProfile", "update_mask", "nick first", "has a character that no name of a field has"),
    ("UpdateProfile", "update_mask", "nick.first", "goes on after a field that is named as a whole"),
    ("UpdateProfile", "update_mask", "custom.blood", "names no custom field that profiles of this"),
    ("UpdateProfile", "update_mask", "allowType", 'outside JSON it is "allow_type"'),
    ("UpdateProfile", "update_mask", "user_id", "is not a field that an update writes"),
    ("GetFriends", "read_mask", "addTimeMs", 'outside JSON it is "add_time_ms"'),
    ("UpdateFriends", "items[0].update_mask", "custom.Met", "goes on after a field"),
    ("UpdateFriends", "items[0].update_mask", "nick", "is not a field that an update writes"),
    ("UpdateApp", "update_mask", "limits.Friends", "is not a setting"),
    ("UpdateApp", "update_mask", "logEvents", 'outside JSON it is "log_events"'),
])  # fmt: skip
def test_a_refusal_says_what_is_wrong_with_the_form_of_a_path(app, call, mask, path, fault):
    refused = refusal(app.relation, call, **asked(app, call, mask, [path]))
    assert_invalid(refused, mask)
    (words,) = refused.descriptions
    assert words.startswith(f'"{path}" ') and fault in words


@pytest.mark.parametrize("path", ["display_name", "section"])
def test_a_field_that_only_lists_answer_is_refused_by_name_elsewhere(app, path):
    refused = refusal(app.relation, "GetFriends", **asked(
        app, "GetFriends", "read_mask", ["remark", path]))
    assert_invalid(refused, "read_mask")
    assert refused.descriptions == [f'"{path}" is a field that only lists answer']
    app.relation("ListFriends", **asked(app, "ListFriends", "read_mask", [path]))


def test_one_bad_mask_refuses_a_call_of_many_items(app):
    items = [
        {"user_id": "bob", "remark": "x"},
        {"user_id": "bob", "remark": "y", "update_mask": {"paths": ["remark", "nothing"]}},
        {"user_id": "bob", "remark": "z", "update_mask": {"paths": ["tags"]}},
    ]
    before = state(app)
    refused = refusal(app.relation, "UpdateFriends", user_id="ann", items=items)
    assert_invalid(refused, "items[1].update_mask", "items[2].update_mask")
    assert state(app) == before


def test_a_field_that_the_caller_may_not_write_is_a_field(app):
    # A path that is a field is refused by the field's own code, and not as a path.
    relation = app.relation
    user = type(relation)(
        relation.stubs, relation.channel, [*relation.metadata, ("x-user-id", "ann")])
    answer = user(
        "UpdateProfile", profile={"unique_id": "x"}, update_mask={"paths": ["unique_id"]})
    assert (answer.code, answer.applied) == (40008, False)


def test_a_setting_that_is_named_and_absent_follows_the_preset_again(relation):
    app = relation.in_app(relation("CreateApp", settings={"limits": {"friends": 9}}).app.app_id)
    settings = {"limits": {"groups": 7}, "log_events": 5}
    first = app("UpdateApp", settings=settings)
    assert sorted(first.app.changed_settings) == ["limits.friends", "limits.groups", "log_events"]
    again = app("UpdateApp", settings=settings)
    assert (again.applied, again.app.version) == (False, first.app.version)
    last = app("UpdateApp", settings={}, update_mask={"paths": ["limits.friends", "log_events"]})
    assert (last.applied, list(last.app.changed_settings)) == (True, ["limits.groups"])
    for fields in ({}, {"settings": {}}, {"settings": {"limits": {}}}):
        assert_invalid(refusal(app, "UpdateApp", **fields), "settings")


# JSON


@pytest.fixture(scope="module")
def colors(relation):
    """An app whose custom fields differ only in what the JSON of a mask may do to a name."""
    relation = relation.in_app(relation("CreateApp", preset=2).app.app_id)
    keys = ["favColor", "fav_color", "Blood", "_x", "a__B1"]
    relation("DefineCustomFields", items=[
        {"owner": 1, "key": key, "value_type": 1} for key in keys])
    people = People(relation)
    people.make(["ann"])
    relation("UpdateProfile", user_id="ann", profile={
        "custom": [{"key": key, "text": key} for key in keys]})
    return people


def ports(server):
    """The listener of calls, over both versions of HTTP, and that of the pages."""
    pages = int(server.pages.rsplit(":", 1)[1])
    return [(server.port, HTTP1), (server.port, HTTP2), (pages, HTTP1)]


def app_of(people):
    return dict(people.relation.metadata)["x-app-id"]


def posted(people, port, version, call, request):
    path = f"/relation.v1.ProfileService/{call}"
    fields = [("content-type", "application/json"), ("x-app-id", app_of(people))]
    with Wire(port, version) as wire:
        return wire.ask("POST", path, fields, json.dumps(request).encode())


def customs(people):
    return {value.key: value.text for value in people.profile("ann").custom}


def test_json_takes_the_key_of_a_custom_field_letter_by_letter(colors, server):
    for port, version in ports(server):
        for key in list(customs(colors)):
            before = customs(colors)
            reply = posted(colors, port, version, "UpdateProfile", {
                "userId": "ann", "profile": {}, "updateMask": f"custom.{key}"})
            assert reply.status == 200 and reply.json["code"] == "PROFILE_STATUS_SUCC", reply.body
            # Cleared is that one field, and no other.
            assert customs(colors) == {k: v for k, v in before.items() if k != key}
            read = posted(colors, port, version, "GetProfiles", {
                "userId": "ann", "userIds": ["ann"], "readMask": f"custom.{key}",
                "withUnsetFields": True})
            access = read.json["results"][0]["fieldAccess"]
            assert [entry["field"] for entry in access] == [f"custom.{key}"]
            colors.relation("UpdateProfile", user_id="ann", profile={
                "custom": [{"key": key, "text": before[key]}]})


def test_json_takes_a_field_of_the_contract_in_both_forms(colors, server):
    for port, version in ports(server):
        for mask in ("allow_type", "allowType", "faceUrl,allow_type", "allow_type,custom.Blood"):
            reply = posted(colors, port, version, "GetProfiles", {
                "userId": "ann", "userIds": ["ann"], "readMask": mask})
            assert reply.status == 200, reply.body


@pytest.mark.parametrize("mask, fault", [
    ("custom.favcolor", '"custom.favcolor" names no custom field'),
    ("custom.fav_Color", '"custom.fav_Color" names no custom field'),
    ("allowTyp", '"allow_typ" is not a field'), ("allow_Type", '"allow_Type" is not a field'),
    ("nick,,faceUrl", "read_mask: path 2 of the mask is empty"),
    ("nick,", "read_mask: path 2 of the mask is empty"),
    ("nick.first", '"nick.first" goes on after a field'),
    (",".join(["nick"] * 65), "names 65 paths; at most 64 may be named"),
    (",".join(["nick"] * 300_000), "read_mask: the mask names more than 1000 paths"),
])  # fmt: skip
def test_a_mask_in_json_is_refused_by_the_path_and_its_fault(colors, server, mask, fault):
    for port, version in ports(server):
        if len(mask) > 10_000 and port != server.port:
            continue
        reply = posted(colors, port, version, "GetProfiles", {
            "userId": "ann", "userIds": ["ann"], "readMask": mask})
        assert (reply.status, reply.json["code"]) == (400, "invalid_argument"), reply.body
        assert fault in reply.json["message"], reply.body


def test_relationctl_takes_the_key_of_a_custom_field_letter_by_letter(colors, server):
    before = customs(colors)
    request = {"userId": "ann", "profile": {}, "updateMask": "custom.favColor"}
    done = subprocess.run(
        [executable("relationctl"), "call", "UpdateProfile", json.dumps(request),
         "--server", server.address, "--app", app_of(colors)],
        capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert customs(colors) == {k: v for k, v in before.items() if k != "favColor"}
