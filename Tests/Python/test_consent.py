"""ConsentService: the fields that users let client apps read, and until when.

The rows of Facebook's permissions stand in the names of the tests.
"""

import grpc
import pytest
from people import absent, outcomes
from refusals import assert_invalid, refusal

CLIENT = "reader"
GRANTED, DECLINED, REVOKED, EXPIRED = range(1, 5)
NOT_SET, NOT_GRANTED = 1, 3
WHY = {DECLINED: 4, REVOKED: 5, EXPIRED: 6}
PROFILE = {
    "nick": "Ann",
    "face_url": "https://a/f",
    "gender": 2,
    "birthday": 19900630,
    "birthday_text": "30 June",
    "location": b"here",
    "location_text": "Here",
    "email": "ann@example.org",
    "name": "Ann Example",
    "first_name": "Ann",
    "last_name": "Example",
    "link": "https://a",
    "username": "ann",
    "locale": "en_GB",
    "picture_url": "https://a/p",
    "level": 7,
    "self_signature": b"hello",
    "allow_type": 1,
}
PUBLIC = {
    "name", "first_name", "last_name", "link", "username", "gender", "locale", "age_range",
    "picture_url", "nick", "face_url", "user_id",
}  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def client(people):
    people.register_client(CLIENT)
    people.register_client("other")
    people.relation(
        "DefinePermissions",
        items=[
            {"name": "publish_actions", "kind": "PERMISSION_KIND_OPEN_GRAPH", "access": 2},
            {"name": "user_actions:app", "kind": "PERMISSION_KIND_OPEN_GRAPH"},
            {"name": "read_level", "kind": "PERMISSION_KIND_EXTENDED", "fields": ["level"]},
            {"name": "manage_pages", "kind": "PERMISSION_KIND_EXTENDED", "access": 2},
            {
                "name": "read_once",
                "kind": "PERMISSION_KIND_EXTENDED",
                "fields": ["self_signature"],
                "lifetime_ms": 1,
            },
        ],
    )


@pytest.fixture
def ann(people):
    """A user with a full profile."""
    (user,) = people(1)
    people.set_profile(user, **PROFILE)
    return user


def say(people, word, user, *permissions, client=CLIENT, options=None, **fields):
    if "all" not in fields:
        fields["names"] = {"values": permissions} if word == "Revoke" else permissions
    return people.relation(
        f"{word}Permissions",
        user_id=user,
        client_app_id=client,
        options=options,
        **fields,
    )


def listed(people, user, client=CLIENT):
    answer = people.relation("ListPermissions", user_id=user, client_app_id=client)
    return {item.name: item for item in answer.permissions}


def statuses(people, user, client=CLIENT):
    return {name: item.status for name, item in listed(people, user, client).items()}


def read(people, user, *paths, client=CLIENT, **fields):
    return people.relation(
        "ReadUser", user_id=user, client_app_id=client, read_mask={"paths": paths}, **fields
    )


def seen(answer):
    """The fields that are there."""
    return {field.name for field, _ in answer.profile.ListFields()}


def sequence(people, user):
    """The user's sequence, told by a write that changes nothing."""
    return people.relation("UpdateProfile", user_id=user, update_mask={"paths": ["nick"]},
        profile={"nick": "x"}, options={"dry_run": True}).sequence  # fmt: skip


# Granting


def test_the_first_grant_brings_the_public_profile(people, ann):
    assert statuses(people, ann) == {}
    answer = say(people, "Grant", ann, "email")
    assert outcomes(answer) == [(0, "")]
    state = answer.results[0].state
    assert (state.name, state.status, state.kind, state.access) == ("email", GRANTED, 2, 1)
    assert state.grant_time_ms == state.change_time_ms > 1_600_000_000_000
    assert state.expire_time_ms == 0
    assert statuses(people, ann) == {"email": GRANTED, "public_profile": GRANTED}
    assert listed(people, ann)["email"] == state


def test_one_event_tells_of_a_grant_and_none_of_what_changes_nothing(people, ann):
    before = sequence(people, ann)
    assert say(people, "Grant", ann, "email", "user_friends").sequence == before + 1
    assert say(people, "Revoke", ann, "user_birthday").sequence == before + 1
    assert say(people, "Grant", ann, "nothing").sequence == before + 1
    assert say(people, "Decline", ann, "email", "user_friends").sequence == before + 2
    assert say(people, "Decline", ann, "email").sequence == before + 2
    assert say(people, "Revoke", ann, all=True).sequence == before + 3
    assert say(people, "Revoke", ann, all=True).sequence == before + 3


@pytest.mark.parametrize("word", ["Grant", "Decline", "Revoke"])
def test_an_unknown_permission_fails_alone(people, ann, word):
    asked = ["email", "user_likes", "", "x" * 65, "email", "no-name", "user_location"]
    answer = say(people, word, ann, *asked)
    unknown = (40009, f"Err_Consent_{word}_Permission_Not_Exist")
    illegal = (40001, f"Err_Consent_{word}_Permission_Illegal")
    fine = (0, "")
    assert outcomes(answer) == [fine, unknown, illegal, illegal, fine, illegal, fine]
    assert [result.name for result in answer.results] == asked
    assert not any(result.HasField("state") for result in answer.results if result.code)
    # A permission that was never granted is not taken back.
    changed = [not result.code and word != "Revoke" for result in answer.results]
    assert [result.changed for result in answer.results] == changed
    assert answer.applied == any(changed)


@pytest.mark.parametrize("word", ["Decline", "Revoke"])
def test_the_public_profile_is_neither_declined_nor_revoked_by_itself(people, ann, word):
    say(people, "Grant", ann, "email")
    answer = say(people, word, ann, "public_profile")
    assert outcomes(answer) == [(40605, f"Err_Consent_{word}_Permission_Basic")]
    assert statuses(people, ann)["public_profile"] == GRANTED


def test_reading_and_publishing_are_not_granted_together(people, ann):
    refused = refusal(say, people, "Grant", ann, "email", "nothing", "publish_actions")
    assert_invalid(refused, "names", reason="PERMISSIONS_MIXED")
    assert statuses(people, ann) == {}
    say(people, "Grant", ann, "publish_actions", "manage_pages")
    say(people, "Grant", ann, "email", "user_actions:app")
    assert set(statuses(people, ann).values()) == {GRANTED}
    # Permissions that were granted separately may be declined and revoked together.
    assert outcomes(say(people, "Decline", ann, "email", "publish_actions")) == [(0, "")] * 2
    assert outcomes(say(people, "Revoke", ann, "manage_pages", "user_actions:app")) == [
        (0, "")
    ] * 2


# Declining and revoking


def test_a_declined_permission_stays_declined_until_it_is_granted(people, ann):
    say(people, "Decline", ann, "email")
    assert statuses(people, ann) == {"email": DECLINED}
    assert outcomes(say(people, "Revoke", ann, "email")) == [(0, "")]
    assert statuses(people, ann) == {"email": DECLINED}
    say(people, "Grant", ann, "email")
    assert statuses(people, ann)["email"] == GRANTED


def test_revoking_all_takes_everything_that_is_granted(people, ann):
    say(people, "Grant", ann, "email", "user_birthday")
    say(people, "Grant", ann, "email", client="other")
    say(people, "Decline", ann, "user_location")
    answer = say(people, "Revoke", ann, all=True)
    assert [(result.name, result.code) for result in answer.results] == [
        ("email", 0), ("public_profile", 0), ("user_birthday", 0),
    ]  # fmt: skip
    assert all(result.state.status == REVOKED for result in answer.results)
    assert statuses(people, ann) == {
        "email": REVOKED, "public_profile": REVOKED, "user_birthday": REVOKED,
        "user_location": DECLINED,
    }  # fmt: skip
    assert statuses(people, ann, "other")["email"] == GRANTED
    assert seen(read(people, ann)) == {"user_id"}


def test_revoking_what_was_never_granted_changes_nothing(people, ann):
    answer = say(people, "Revoke", ann, "email")
    assert outcomes(answer) == [(0, "")]
    assert not answer.results[0].HasField("state")
    assert statuses(people, ann) == {}
    assert list(say(people, "Revoke", ann, all=True).results) == []


def test_one_of_names_and_all_is_given(people, ann):
    assert_invalid(refusal(say, people, "Revoke", ann, all=False), "all")
    assert_invalid(refusal(say, people, "Revoke", ann), "names")
    refused = refusal(
        people.relation, "RevokePermissions", user_id=ann, client_app_id=CLIENT)
    assert_invalid(refused, "names")


# ReadUser


def test_a_missing_permission_fails_nothing_and_the_field_says_why(people, ann):
    """Facebook's email, missing "for some users" with no reason."""
    answer = read(people, ann, "email", "name")
    assert seen(answer) == {"user_id"}
    assert absent(answer) == {"email": NOT_GRANTED, "name": NOT_GRANTED}
    say(people, "Grant", ann, "user_friends")
    answer = read(people, ann, "email", "name")
    assert (answer.profile.name, absent(answer)) == (
        "Ann Example", {"email": NOT_GRANTED},
    )  # fmt: skip
    say(people, "Decline", ann, "email")
    assert absent(read(people, ann, "email")) == {"email": WHY[DECLINED]}
    say(people, "Grant", ann, "email")
    answer = read(people, ann, "email")
    assert (answer.profile.email, absent(answer)) == ("ann@example.org", {})


def test_a_revoked_permission_is_gone_on_the_next_read(people, ann):
    """Facebook's revocation, seen up to 24 hours late."""
    say(people, "Grant", ann, "email")
    assert read(people, ann, "email").profile.email == "ann@example.org"
    say(people, "Revoke", ann, "email")
    answer = read(people, ann, "email")
    assert answer.profile.email == ""
    assert absent(answer) == {"email": WHY[REVOKED]}


def test_an_expired_permission_opens_nothing(people, ann):
    answer = say(people, "Grant", ann, "read_once")
    state = answer.results[0].state
    assert state.expire_time_ms == state.grant_time_ms + 1
    # The lifetime of a millisecond is over as soon as the server's clock has moved on.
    while statuses(people, ann)["read_once"] != EXPIRED:
        pass
    answer = read(people, ann, "self_signature")
    assert absent(answer) == {"self_signature": WHY[EXPIRED]}
    assert listed(people, ann)["read_once"].expire_time_ms == state.expire_time_ms


@pytest.mark.parametrize(
    "permission, fields",
    [
        ("public_profile", set()),
        ("email", {"email"}),
        ("user_friends", set()),
        ("user_birthday", {"birthday", "birthday_text"}),
        ("user_location", {"location", "location_text"}),
        ("read_level", {"level"}),
        ("publish_actions", set()),
        ("user_actions:app", set()),
    ],
)
def test_each_permission_opens_its_fields_beside_the_public_profile(
    people, ann, permission, fields
):
    say(people, "Grant", ann, permission)
    answer = read(people, ann)
    assert seen(answer) == PUBLIC | fields
    assert (answer.profile.age_range.min, answer.profile.age_range.HasField("max")) == (21, False)
    # Every other field is named, whether or not it has a value, with the permission's state; the
    # middle name is open, and has no value.
    others = {field.name for field in answer.profile.DESCRIPTOR.fields}
    others -= PUBLIC | fields | {"middle_name", "version", "custom"}
    assert absent(answer) == dict.fromkeys(others, NOT_GRANTED)


def test_a_granted_field_without_a_value_is_not_set(people):
    (user,) = people(1)
    say(people, "Grant", user, "email")
    paths = ("email", "birthday", "age_range")
    assert absent(read(people, user, *paths)) == {"birthday": NOT_GRANTED}
    assert absent(read(people, user, *paths, with_unset_fields=True)) == {
        "email": NOT_SET, "birthday": NOT_GRANTED, "age_range": NOT_SET,
    }  # fmt: skip


def test_consent_decides_and_not_visibility(people, ann):
    people.relation("SetVisibility", user_id=ann, visibility="VISIBILITY_INVISIBLE")
    say(people, "Grant", ann, "email")
    assert read(people, ann, "email").profile.email == "ann@example.org"
    people.relation("SetVisibility", user_id=ann, visibility="VISIBILITY_EVERYONE")
    assert absent(read(people, ann, "level")) == {"level": NOT_GRANTED}


def test_what_one_client_app_may_read_another_may_not(people, ann):
    say(people, "Grant", ann, "email")
    assert absent(read(people, ann, "email", client="other")) == {"email": NOT_GRANTED}


def test_a_redefined_permission_opens_what_it_says_now(people, ann):
    item = {"name": "changing", "kind": "PERMISSION_KIND_EXTENDED"}
    people.relation("DefinePermissions", items=[{**item, "fields": ["level"]}])
    say(people, "Grant", ann, "changing")
    assert read(people, ann, "level").profile.level == 7
    people.relation("DefinePermissions", items=[{**item, "fields": ["allow_type"]}])
    answer = read(people, ann, "level", "allow_type")
    assert absent(answer) == {"level": NOT_GRANTED}
    assert answer.profile.allow_type == 1


@pytest.mark.parametrize("path", ["nothing", "", "profile.nick", "custom.No"])
@pytest.mark.parametrize("name", ["ReadUser", "ListAppFriends"])
def test_an_unknown_path_is_named(people, ann, name, path):
    refused = refusal(
        people.relation, name, user_id=ann, client_app_id=CLIENT, read_mask={"paths": [path]}
    )
    assert_invalid(refused, "read_mask")


# ListAppFriends


@pytest.fixture(scope="module")
def crowd(people, client):
    """A user with 9 friends, of whom 5 granted `user_friends`; and those 5."""
    users = people(11)
    ann, friends, unrelated = users[0], users[1:10], users[10]
    people.befriend(ann, *friends)
    for user in [ann, *friends[::2], unrelated]:
        people.set_profile(user, name=f"Name of {user}", email="x@example.org")
        people.grant(user, CLIENT, "user_friends", "email")
    people.grant(friends[1], "other", "user_friends")
    people.grant(friends[3], CLIENT, "email")
    people.grant(friends[5], CLIENT, "user_friends")
    people.relation(
        "RevokePermissions", user_id=friends[5], client_app_id=CLIENT, all=True
    )
    return ann, friends[::2]


@pytest.mark.parametrize("page_size", [1, 2, 4, 5, 6, 1000, 0])
def test_friends_of_the_same_client_app_come_by_pages_with_both_counts(
    people, crowd, page_size
):
    """Facebook's friends, suddenly empty, whose total count does not match."""
    ann, friends = crowd
    pages = list(people.pages("ListAppFriends", page_size, user_id=ann, client_app_id=CLIENT))
    rows = [row for page in pages for row in page.friends]
    assert [row.user_id for row in rows] == friends
    assert all((page.total_size, page.visible_size, page.access) == (9, 5, 0) for page in pages)
    assert all(len(page.friends) == page_size for page in pages[:-1])
    assert [row.profile.name for row in rows] == [f"Name of {user}" for user in friends]
    # The user cannot open a friend's other fields.
    assert not any(row.profile.email for row in rows)


def test_a_mask_chooses_the_fields_of_friends(people, crowd):
    ann, friends = crowd
    answer = people.relation(
        "ListAppFriends", user_id=ann, client_app_id=CLIENT,
        read_mask={"paths": ["user_id", "email"]},
    )  # fmt: skip
    assert [row.profile.user_id for row in answer.friends] == friends
    assert not any(row.profile.name or row.profile.email for row in answer.friends)


def test_who_has_not_granted_its_friends_is_told_why_there_are_none(people):
    ann, bob = people(2)
    people.befriend(ann, bob)
    people.grant(bob, CLIENT, "user_friends")

    def answer():
        page = people.relation("ListAppFriends", user_id=ann, client_app_id=CLIENT)
        return [row.user_id for row in page.friends], page.total_size, page.access

    assert answer() == ([], 0, NOT_GRANTED)
    say(people, "Decline", ann, "user_friends")
    assert answer() == ([], 0, WHY[DECLINED])
    people.grant(ann, CLIENT, "user_friends")
    assert answer() == ([bob], 1, 0)
    say(people, "Revoke", ann, "user_friends")
    assert answer() == ([], 0, WHY[REVOKED])


def test_a_friend_that_declines_leaves_the_list_and_still_counts(people):
    ann, bob, eve = people(3)
    people.befriend(ann, bob, eve)
    for user in (ann, bob, eve):
        people.grant(user, CLIENT, "user_friends")
    say(people, "Decline", bob, "user_friends")
    page = people.relation("ListAppFriends", user_id=ann, client_app_id=CLIENT)
    assert [row.user_id for row in page.friends] == [eve]
    assert (page.total_size, page.visible_size) == (2, 1)


def test_a_page_of_long_profiles_ends_at_one_mebibyte(people):
    users = people(301)
    ann, friends = users[0], users[1:]
    people.befriend(ann, *friends)
    names = "nick face_url name first_name last_name link username picture_url".split()
    people.grant(ann, CLIENT, "user_friends")
    for user in friends:
        people.set_profile(user, **dict.fromkeys(names, "x" * 500))
        people.grant(user, CLIENT, "user_friends")
    pages = list(people.pages("ListAppFriends", 1000, user_id=ann, client_app_id=CLIENT))
    assert [row.user_id for page in pages for row in page.friends] == friends
    sizes = [sum(row.ByteSize() for row in page.friends) for page in pages]
    assert len(pages) == 2
    assert (1 << 20) - 5000 < sizes[0] <= 1 << 20


def test_a_token_of_another_client_app_or_user_is_refused(people, crowd):
    ann, friends = crowd
    people.grant(ann, "other", "user_friends")
    fields = {"user_id": ann, "client_app_id": CLIENT}
    token = people.relation("ListAppFriends", page_size=1, **fields).next_page_token
    for other in ({"client_app_id": "other"}, {"user_id": friends[0]}):
        refused = refusal(
            people.relation, "ListAppFriends", page_token=token, **{**fields, **other}
        )
        assert_invalid(refused, "page_token", reason="INVALID_PAGE_TOKEN")


# The request's own fields

CALLS = {
    "GrantPermissions": {"names": ["email"]},
    "DeclinePermissions": {"names": ["email"]},
    "RevokePermissions": {"names": {"values": ["email"]}},
    "ListPermissions": {},
    "ReadUser": {},
    "ListAppFriends": {},
}


@pytest.mark.parametrize("name", CALLS)
def test_a_client_app_that_was_never_registered_is_not_found(people, ann, name):
    refused = refusal(
        people.relation, name, user_id=ann, client_app_id="ghost", **CALLS[name]
    )
    assert refused.code == grpc.StatusCode.NOT_FOUND
    assert (refused.domain, refused.reason) == ("relation.v1", "CLIENT_APP_NOT_FOUND")


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("client", ["", "x" * 65, "a b", "reader\0", "é"])
def test_a_malformed_client_app_is_named(people, ann, name, client):
    refused = refusal(
        people.relation, name, user_id=ann, client_app_id=client, **CALLS[name]
    )
    assert_invalid(refused, "client_app_id")


@pytest.mark.parametrize("word", ["Grant", "Decline", "Revoke"])
@pytest.mark.parametrize("count, reason", [(0, "INVALID_FIELD"), (101, "TOO_MANY_ITEMS")])
def test_one_to_a_hundred_permissions_are_named(people, ann, word, count, reason):
    refused = refusal(say, people, word, ann, *[f"p{number}" for number in range(count)])
    assert_invalid(refused, "names", reason=reason)
    assert len(say(people, word, ann, *[f"p{number}" for number in range(100)]).results) == 100


# Options


@pytest.mark.parametrize("word", ["Grant", "Decline", "Revoke"])
def test_a_word_is_tried_without_being_said(people, ann, word):
    if word == "Revoke":
        say(people, "Grant", ann, "email")
    before = listed(people, ann)
    tried = say(people, word, ann, "email", options={"dry_run": True})
    assert (tried.applied, outcomes(tried)) == (False, [(0, "")])
    assert listed(people, ann) == before
    done = say(people, word, ann, "email")
    assert done.results[0].state.status == tried.results[0].state.status
    assert listed(people, ann) != before


def test_a_grant_is_held_back_as_a_whole(people, ann):
    options = {"all_or_nothing": True}
    held = say(people, "Grant", ann, "email", "nothing", options=options)
    assert (held.applied, [code for code, _ in outcomes(held)]) == (False, [0, 40009])
    assert held.results[0].state.status == GRANTED
    assert statuses(people, ann) == {}
    assert say(people, "Grant", ann, "email", "user_friends", options=options).applied
    assert len(statuses(people, ann)) == 3


def test_a_repeated_grant_is_answered_as_the_first(people, ann):
    options = {"request_id": "grant"}
    first = say(people, "Grant", ann, "email", options=options)
    say(people, "Revoke", ann, all=True)
    again = say(people, "Grant", ann, "email", options=options)
    assert again.replayed
    again.replayed = False
    assert again == first
    assert statuses(people, ann)["email"] == REVOKED
    refused = refusal(say, people, "Grant", ann, "user_friends", options=options)
    assert refused.reason == "REQUEST_ID_REUSED"
