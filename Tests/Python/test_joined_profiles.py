"""Profiles and presence where rows are: each is the one that GetProfiles or GetPresence answers to
the same caller, whatever the user shows and whoever asks."""

import pytest
from people import codes
from refusals import assert_invalid, refusal
from test_message_size import CUSTOM, made
from test_message_size import PROFILE as PROFILES
from test_profile_views import (
    CARD, EVERYONE, FRIENDS, INVISIBLE, NOT_SET, PROFILE, as_user, given, new_app, show,
)  # fmt: skip

ONLINE_STATUS = 1
FOLLOWING = {"subscribe_type": ONLINE_STATUS}
#: The calls that join profiles to rows, each with what it asks about a user.
CALLS = {
    "GetFriends": lambda user: {"user_ids": [user]},
    "ListFriends": lambda user: {},
    "SearchFriends": lambda user: {"keyword": "mine"},
    "GetRelations": lambda user: {"user_ids": [user]},
    "GetFriendGroups": lambda user: {"names": ["work"], "with_members": True},
    "ListBlacklist": lambda user: {},
    "ListMutualFriends": lambda user: {"other_user_id": user},
    "SuggestFriends": lambda user: {},
    "QuerySubscriptions": lambda user: {"user_ids": [user], **FOLLOWING},
    "ListSubscriptions": lambda user: {},
    "ListFollowing": lambda user: {},
    "ListFollowers": lambda user: {},
    "ListMutualFollows": lambda user: {},
}
#: They sort by names, as the owner of the list sees them, so their profiles are what it sees too.
SORTED = {"ListFriends", "SearchFriends"}


def profiles_in(message):
    """All profiles in an answer."""
    for field, value in message.ListFields():
        if not field.message_type or field.message_type.GetOptions().map_entry:
            continue
        for part in value if field.is_repeated else [value]:
            if field.message_type.name == "Profile":
                yield part
            else:
                yield from profiles_in(part)


def joined(relation, viewer, user, call, **fields):
    """The one profile of `user` in the answer of a call; None if the answer has none."""
    asked = {**CALLS[call](user), "with_profiles": True, **fields}
    answer = relation(call, user_id=viewer, **asked)
    found = [profile for profile in profiles_in(answer) if profile.user_id == user]
    assert len(found) <= 1, call
    return found[0] if found else None


def profile_of(relation, viewer, user, **fields):
    answer = relation("GetProfiles", user_id=viewer, user_ids=[user], **fields)
    assert codes(answer) == [0]
    return answer.results[0].profile


def follow(people, viewer, user):
    answer = people.relation(
        "Subscribe", user_id=viewer, user_ids=[user], expiry_seconds=600, **FOLLOWING)
    assert codes(answer) == [0]


@pytest.fixture(scope="module")
def lists(relation):
    """An app in which `owner` stands in every list of its viewers that can have it."""
    people = new_app(
        relation, default_visibility=FRIENDS, keeps_friendship_on_blacklist=True)
    owner, friend, fan, enemy, unrelated, between = people(6)
    people.set_profile(owner, unique_id="owner7", **PROFILE)
    people.befriend(between, owner, unrelated)
    mine = {"remark": "mine", "groups": {"values": ["work"]}}
    people.import_friends(
        [{"user_id": viewer, "friend_user_id": owner, **mine} for viewer in (friend, fan, enemy)]
        + [{"user_id": owner, "friend_user_id": friend}])
    for viewer in (friend, fan, enemy, unrelated):
        follow(people, viewer, owner)
        people.block(viewer, owner)
    people.block(owner, enemy)
    return people, owner, {"friend": friend, "fan": fan, "enemy": enemy, "unrelated": unrelated}


OF_ALL = {"GetRelations", "ListBlacklist", "QuerySubscriptions", "ListSubscriptions"}
OF_FRIENDS = {"GetFriends", "ListFriends", "SearchFriends", "GetFriendGroups"}


@pytest.mark.parametrize("chosen", [NOT_SET, INVISIBLE, EVERYONE, FRIENDS])
@pytest.mark.parametrize("kind", ["friend", "fan", "enemy", "unrelated"])
def test_a_joined_profile_is_that_of_get_profiles(lists, kind, chosen):
    people, owner, viewers = lists
    viewer = viewers[kind]
    show(people, owner, chosen)
    mask = {"paths": ["nick", "gender", "msg_settings"]}
    calls = OF_ALL if kind == "unrelated" else OF_ALL | OF_FRIENDS
    own = as_user(people, viewer)
    if kind == "enemy":
        assert given(profile_of(own, viewer, owner)) == CARD
    for relation in (own, people.relation):
        wanted = profile_of(relation, viewer, owner)
        masked = profile_of(relation, viewer, owner, read_mask=mask)
        for call in calls - SORTED if relation is people.relation else calls:
            assert joined(relation, viewer, owner, call) == wanted, call
            assert joined(relation, viewer, owner, call, profile_mask=mask) == masked, call
    for call in calls & SORTED:
        assert joined(people.relation, viewer, owner, call) == profile_of(own, viewer, owner)


@pytest.mark.parametrize("chosen", [INVISIBLE, EVERYONE, FRIENDS])
@pytest.mark.parametrize("is_friend", [False, True])
def test_profiles_of_circles_are_those_of_get_profiles(relation, chosen, is_friend):
    people = new_app(relation, default_visibility=EVERYONE)
    viewer, between, other, user = people(4)
    people.befriend(viewer, between)
    people.befriend(other, between, user)
    people.befriend(between, user)
    for one in (between, user):
        people.set_profile(one, **PROFILE)
    if is_friend:
        people.import_friends([
            {"user_id": user, "friend_user_id": viewer},
            {"user_id": between, "friend_user_id": other}])
    show(people, user, chosen)
    own = as_user(people, viewer)
    for caller in (own, people.relation):
        wanted = profile_of(caller, viewer, user)
        assert joined(caller, viewer, user, "SuggestFriends") == wanted
        mutual = caller(
            "ListMutualFriends", user_id=viewer, other_user_id=other, with_profiles=True)
        assert list(mutual.user_ids) == [between]
        assert list(mutual.profiles) == [profile_of(caller, viewer, between)]


@pytest.mark.parametrize("call", CALLS)
def test_profiles_come_only_if_they_are_asked_for(lists, call):
    people, owner, viewers = lists
    fields = CALLS[call](owner)
    answer = people.relation(call, user_id=viewers["fan"], **fields)
    assert list(profiles_in(answer)) == []
    refused = refusal(
        people.relation, call, user_id=viewers["fan"], profile_mask={"paths": ["nick"]}, **fields)
    assert_invalid(refused, "profile_mask")
    wrong = {"with_profiles": True, "profile_mask": {"paths": ["nik"]}}
    refused = refusal(people.relation, call, user_id=viewers["fan"], **fields, **wrong)
    assert_invalid(refused, "profile_mask")


def test_profiles_of_members_need_members(lists):
    people, _, viewers = lists
    refused = refusal(
        people.relation, "GetFriendGroups", user_id=viewers["fan"], with_profiles=True)
    assert_invalid(refused, "with_profiles")


def test_a_read_mask_without_profile_leaves_it_out(lists):
    people, owner, viewers = lists
    for paths, has in ((["remark"], False), (["remark", "profile"], True), ([], True)):
        entry = people.relation(
            "GetFriends", user_id=viewers["fan"], user_ids=[owner], with_profiles=True,
            read_mask={"paths": paths}).results[0].friend_entry
        assert (entry.remark, entry.HasField("profile")) == ("mine", has)


def test_who_is_not_followed_or_no_friend_has_no_profile(lists):
    people, _, viewers = lists
    viewer, other = viewers["fan"], viewers["friend"]
    (result,) = people.relation(
        "QuerySubscriptions", user_id=viewer, user_ids=[other], with_profiles=True,
        with_presence=True, **FOLLOWING).results
    assert (result.code, result.HasField("subscription")) == (0, False)
    (result,) = people.relation(
        "GetFriends", user_id=viewer, user_ids=[other], with_profiles=True).results
    assert (result.code, result.HasField("friend_entry")) == (30001, False)


# Presence


@pytest.mark.parametrize("chosen", [NOT_SET, INVISIBLE, EVERYONE])
@pytest.mark.parametrize("kind", ["friend", "fan", "enemy", "unrelated"])
def test_the_presence_of_a_subscription_is_that_of_get_presence(lists, kind, chosen):
    people, owner, viewers = lists
    viewer = viewers[kind]
    show(people, owner, chosen)
    report = {"user_id": owner, "device_id": "phone", "online": True, "lease_seconds": 600}
    assert codes(people.relation("ReportPresence", items=[report])) == [0]
    for relation in (as_user(people, viewer), people.relation):
        answer = relation("GetPresence", user_id=viewer, user_ids=[owner])
        wanted = answer.results[0].presence
        # An unrelated user subscribes, which opens nothing; the others have the owner as a friend.
        assert wanted.online == (kind != "enemy" and (kind, chosen) != ("unrelated", INVISIBLE))
        for call in ("QuerySubscriptions", "ListSubscriptions"):
            asked = CALLS[call](owner)
            plain = relation(call, user_id=viewer, **asked)
            told = relation(call, user_id=viewer, with_presence=True, **asked)
            rows = [
                row.subscription if call == "QuerySubscriptions" else row
                for answer in (plain, told)
                for row in (answer.results if call == "QuerySubscriptions"
                            else answer.subscriptions)]
            assert [row.HasField("presence") for row in rows] == [False, True]
            assert rows[1].presence == wanted


# Pages


@pytest.fixture(scope="module")
def long_profiles(relation):
    """A user's friend with 25 friends, each with a profile of 100 KB: a page holds some ten."""
    people = made(relation, PROFILES)
    ann, between, *friends = sorted(people(27))
    for friend in friends:
        for start in (0, 50):
            people.set_profile(friend, custom=CUSTOM[start:start + 50])
    people.befriend(ann, between)
    people.befriend(between, *friends)
    return people, ann, between, friends


def pages(people, call, rows, **fields):
    token, found, count = "", [], 0
    while True:
        answer = people.relation(call, page_token=token, with_profiles=True, **fields)
        assert answer.ByteSize() <= 1.1 * (1 << 20)
        found += rows(answer)
        token, count = answer.next_page_token, count + 1
        if not token:
            return found, count


def test_a_page_of_profiles_ends_at_its_bytes(long_profiles):
    people, ann, between, friends = long_profiles
    found, count = pages(
        people, "SuggestFriends", lambda answer: answer.suggestions, user_id=ann, page_size=200)
    assert sorted(row.user_id for row in found) == sorted(friends) and count > 1
    assert all(row.profile.user_id == row.user_id and len(row.profile.custom) == len(CUSTOM)
               for row in found)
    for user in friends:
        follow(people, ann, user)
    people.befriend(ann, *friends)
    people.group(ann, "all", *friends)
    # Every list names the same users, in the same order.
    found, count = pages(
        people, "ListMutualFriends", lambda answer: list(zip(answer.user_ids, answer.profiles)),
        user_id=ann, other_user_id=between, page_size=200)
    assert [user for user, _ in found] == sorted(friends) and count > 1
    assert all(profile.user_id == user for user, profile in found)
    found, count = pages(
        people, "ListSubscriptions", lambda answer: answer.subscriptions, user_id=ann,
        page_size=200, with_presence=True)
    assert [row.profile.user_id for row in found] == sorted(friends) and count > 1
    group = {"names": ["all"], "with_members": True, "with_profiles": True}
    token, members = "", []
    while True:
        (result,) = people.relation(
            "GetFriendGroups", user_id=ann, page_token=token, **group).results
        assert [profile.user_id for profile in result.profiles] == list(result.user_ids)
        members += result.user_ids
        token = result.next_page_token
        if not token:
            break
        assert result.ByteSize() <= 1.1 * (1 << 20)
    assert members == sorted(friends)
    people.block(ann, *friends)
    found, count = pages(
        people, "ListBlacklist", lambda answer: answer.entries, user_id=ann, page_size=1_000)
    assert sorted(row.profile.user_id for row in found) == sorted(friends) and count > 1
    assert all(row.profile.user_id == row.user_id for row in found)


def test_a_group_that_finds_no_room_for_a_profile_answers_a_token(long_profiles):
    people, _, between, friends = long_profiles
    names = [f"g{number:02}" for number in range(20)]
    people.relation("CreateFriendGroups", user_id=between, names=names, user_ids=friends[:2])
    answer = people.relation(
        "GetFriendGroups", user_id=between, names=names, with_members=True, with_profiles=True)
    assert answer.ByteSize() <= 1.1 * (1 << 20)
    counts = [len(result.user_ids) for result in answer.results]
    assert counts[0] == 2 and counts[-1] == 0
    assert [bool(result.next_page_token) for result in answer.results] == [
        count < 2 for count in counts]
    last = answer.results[-1]
    (result,) = people.relation(
        "GetFriendGroups", user_id=between, names=[last.name], with_members=True,
        with_profiles=True, page_token=last.next_page_token).results
    assert list(result.user_ids) == friends[:2] and not result.next_page_token
    assert [profile.user_id for profile in result.profiles] == friends[:2]
