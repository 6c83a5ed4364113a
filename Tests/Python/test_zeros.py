"""A zero that is a fact is visible in JSON, and to languages that print messages."""

import json

import pytest
from google.protobuf import json_format
from test_relationctl import relationctl


def told(message):
    return json_format.MessageToDict(message)


@pytest.fixture
def pair(people):
    ann, bob = people(2)
    return ann, bob


def test_a_success_is_told_by_every_kind_of_result(people, pair):
    ann, bob = pair
    people.register_client("client")
    item = {"user_id": bob, "device_id": "d", "online": False}
    answers = [
        people.relation(name, **({"user_id": ann} | fields if acting else fields))
        for name, acting, fields in [
            ("AddFriends", True, {"items": [{"user_id": bob}]}),
            ("GetFriends", True, {"user_ids": [bob]}),
            ("CheckFriends", True, {"user_ids": [bob]}),
            ("GetRelations", True, {"user_ids": [bob]}),
            ("CheckBlacklist", True, {"user_ids": [bob]}),
            ("CanSend", True, {"user_ids": [bob]}),
            ("CreateFriendGroups", True, {"names": ["g"], "user_ids": [bob]}),
            ("GetFriendGroups", True, {}),
            ("GetProfiles", True, {"user_ids": [bob]}),
            ("Subscribe", True, {"user_ids": [bob], "expiry_seconds": 60}),
            ("QuerySubscriptions", True, {"user_ids": [bob]}),
            ("Follow", True, {"user_ids": [bob]}),
            ("CheckFollows", True, {"user_ids": [bob]}),
            ("GetFollowCounts", True, {"user_ids": [bob]}),
            ("GetPresence", True, {"user_ids": [bob]}),
            ("GrantPermissions", True, {"client_app_id": "client", "names": ["email"]}),
            ("CheckAccounts", False, {"user_ids": [bob]}),
            ("ReportPresence", False, {"items": [item]}),
            ("DefineCustomFields", False, {"items": [{"owner": 1, "key": "x", "value_type": 1}]}),
            ("DefinePermissions", False, {"items": [{"name": "p", "kind": 4}]}),
            ("RevokeUserSessions", False, {"user_ids": [bob]}),
            ("DeleteAccounts", False, {"user_ids": [bob]}),
        ]
    ]
    for answer in answers:
        results = told(answer)["results"]
        assert results and all(result["code"].endswith("_SUCC") for result in results), answer
        # There is nothing to say of it.
        assert not any({"reason", "info"} & set(result) for result in results)
    (member,) = told(answers[6])["results"][0]["members"]
    assert member["code"] == "FRIEND_STATUS_SUCC"


@pytest.mark.parametrize("name", ["CheckFriends", "GetRelations"])
def test_no_relation_is_a_relation(people, pair, name):
    ann, bob = pair
    unknown = people.unknown_user()
    answer = people.relation(name, user_id=ann, user_ids=[bob, unknown])
    first, second = told(answer)["results"]
    assert first["relation"] == "FRIEND_RELATION_NONE"
    assert (second["code"], "relation" in second) == ("FRIEND_STATUS_ACCOUNT_NOT_FOUND", False)


def test_a_pair_without_a_blacklist_has_a_relation_too(people, pair):
    ann, bob = pair
    answer = people.relation("CheckBlacklist", user_id=ann, user_ids=[bob, people.unknown_user()])
    first, second = told(answer)["results"]
    assert first["relation"] == "BLACKLIST_RELATION_NO"
    assert "relation" not in second


def test_an_update_of_a_profile_and_a_search_by_id_tell_their_success(people, pair):
    ann, _ = pair
    answer = people.relation("UpdateProfile", user_id=ann, profile={"unique_id": "zero1"})
    assert told(answer)["code"] == "PROFILE_STATUS_SUCC"
    answer = people.relation("FindProfileByUniqueId", user_id=ann, unique_id="zero1")
    assert told(answer)["code"] == "PROFILE_STATUS_SUCC"
    people.set_profile(ann, unique_id="")


def test_an_allow_type_of_zero_that_was_chosen_is_told(people, pair):
    ann, _ = pair
    assert "allowType" not in told(people.profile(ann))
    people.allow_any(ann)
    assert told(people.profile(ann))["allowType"] == "ALLOW_TYPE_ALLOW_ANY"


def test_a_visibility_that_was_not_chosen_is_told(people, pair):
    ann, _ = pair
    answer = told(people.relation("GetVisibility", user_id=ann))
    assert answer["userLevel"] == "VISIBILITY_NOT_SET"


def test_an_application_that_waits_says_so(people, pair):
    ann, bob = pair
    people.apply(ann, bob)
    waiting = "APPLICATION_STATUS_UNHANDLED"
    pendencies = people.relation("ListPendencies", user_id=ann)
    assert told(pendencies)["pendencies"][0]["status"] == waiting
    listed = people.relation("ListApplications", user_id=bob)
    assert told(listed)["applications"][0]["status"] == waiting
    card = people.relation("GetRelations", user_id=ann, user_ids=[bob]).results[0]
    assert told(card)["sent"]["status"] == waiting
    events = people.relation("ListChanges", user_id=ann).events
    assert told(events[-1])["items"][0]["application"]["status"] == waiting


def test_the_command_line_shows_them(server, pair):
    ann, bob = pair
    request = json.dumps({"user_id": ann, "userIds": [bob]})
    done = relationctl("call", "--server", server.address, "CheckFriends", request)
    assert json.loads(done.stdout)["results"] == [
        {"userId": bob, "code": "FRIEND_STATUS_SUCC", "relation": "FRIEND_RELATION_NONE"}]
