"""No answer, event or state message is longer than gRPC clients accept by default, whatever an
app's settings are. Events are split, states and pages end early, and calls without pages are told
how many items they may name."""

import os
import random
import string

import grpc
import pytest
from answers import LONGEST_MESSAGE
from longest import HIGHEST, LIMITS, Longest
from people import People, codes
from raw_peer import RawPeer, envelope
from refusals import assert_invalid, refusal
from stubs import Relation
from watching import Watching, live

PROFILE, FRIEND = 1, 2
KEYS = [first + second for first in string.ascii_lowercase[:10] for second in "abcdefghij"]
VALUE = bytes(1_024).replace(b"\0", b"v")
CUSTOM = [{"key": key, "data": VALUE} for key in KEYS]
SNS_PROFILE_CHANGE, PROFILE_CHANGE = 8, 110


def define(relation, owner):
    kind = "CUSTOM_FIELD_TYPE_STRING"
    fields = [{"owner": owner, "key": key, "value_type": kind} for key in KEYS]
    assert codes(relation("DefineCustomFields", items=fields)) == [0] * len(fields)


def made(relation, *owners, preset="APP_PRESET_TIM", **limits):
    """The people of a new app with these limits, and with as many custom fields as it may have."""
    app = relation("CreateApp", preset=preset, settings={"limits": limits or HIGHEST}).app
    people = People(relation.in_app(app.app_id))
    for owner in owners:
        define(people.relation, owner)
    return people


def long_rows(people, count):
    """A user with that many friends, each with a row of 100 KB."""
    ann, *friends = sorted(people(count + 1))
    for friend in friends:
        people.import_friends([{"user_id": ann, "friend_user_id": friend, "custom": CUSTOM}])
    return ann, friends


def remarks(ann, friends, text="r" * 512):
    items = [
        {"user_id": friend, "remark": text, "update_mask": {"paths": ["remark"]}}
        for friend in friends
    ]
    return {"user_id": ann, "items": items}


def changed(events):
    return [item.friend_entry.user_id for event in events for item in event.items]


def assert_told(events, answer, friends):
    """Several events, each within the limit, with whole rows in the order of the request."""
    assert len(events) > 1
    assert all(event.ByteSize() <= LONGEST_MESSAGE for event in events)
    first = answer.sequence - len(events) + 1
    assert [event.sequence for event in events] == list(range(first, answer.sequence + 1))
    assert changed(events) == friends
    for event in events:
        assert {item.friend_entry.sequence for item in event.items} == {event.sequence}
        assert all(len(item.friend_entry.custom) == 100 for item in event.items)


@pytest.fixture(scope="module")
def changes(relation):
    """A call whose rows take more than one message, and the streams that were open before it."""
    people = made(relation, FRIEND)
    ann, friends = long_rows(people, 100)
    bob = people(1)[0]
    scopes = {"user": {"user_id": ann}, "users": {"user_ids": sorted([ann, bob])},
              "app": {"app": True}}  # fmt: skip
    streams = {name: live(people.relation, **scope) for name, scope in scopes.items()}
    tokens = {name: stream.token for name, stream in streams.items()}
    answer = people.relation("UpdateFriends", **remarks(ann, friends), timeout=60)
    assert codes(answer) == [0] * len(friends)
    yield people, ann, friends, scopes, streams, tokens, answer
    for stream in streams.values():
        stream.cancel()


def until(stream, sequence):
    events = stream.until(lambda event: event.sequence == sequence)
    return [event for event in events if event.kind == SNS_PROFILE_CHANGE]


@pytest.mark.parametrize("scope", ["user", "users", "app"])
def test_an_open_stream_is_told_of_long_rows_in_several_events(changes, scope):
    people, ann, friends, _, streams, _, answer = changes
    assert_told(until(streams[scope], answer.sequence), answer, friends)


@pytest.mark.parametrize("scope", ["user", "users", "app"])
def test_a_stream_goes_on_past_long_rows(changes, scope):
    people, ann, friends, scopes, _, tokens, answer = changes
    fields = {**scopes[scope], "resume_token": tokens[scope]}
    with Watching(people.relation, **fields) as stream:
        events = until(stream, answer.sequence)
        assert_told(events, answer, friends)
        # After them the stream is live.
        people.set_profile(ann, nick=f"of {scope}")
        stream.until(
            lambda event: event.kind == PROFILE_CHANGE
            and event.items[0].profile.nick == f"of {scope}")


def test_a_log_is_listed_past_long_rows(changes):
    people, ann, friends, *_, answer = changes
    events, token = [], ""
    while True:
        page = people.relation("ListChanges", user_id=ann, page_token=token, page_size=500)
        assert page.ByteSize() <= LONGEST_MESSAGE and page.events
        events += page.events
        token = page.next_page_token
        if not token:
            break
    assert [event.sequence for event in events] == list(range(1, page.sequence + 1))
    told = [event for event in events
            if event.kind == SNS_PROFILE_CHANGE and event.sequence <= answer.sequence]  # fmt: skip
    assert_told(told, answer, friends)


def test_rows_of_a_split_event_are_found_by_the_sequence_of_each_part(changes):
    people, ann, friends, *_, answer = changes
    found, token = [], ""
    while True:
        page = people.relation(
            "SyncFriends", user_id=ann, since_sequence=answer.sequence - 1, page_size=1000,
            page_token=token)  # fmt: skip
        found += [row.user_id for row in page.friends]
        token = page.next_page_token
        if not token:
            break
    assert found and found == friends[-len(found):] and len(found) < len(friends)


def test_the_present_state_of_long_rows_comes_in_messages_that_fit(changes):
    people, ann, friends, scopes, *_ = changes
    for fields in scopes.values():
        with Watching(people.relation, **fields) as stream:
            copy = {}
            for event in stream.state():
                assert event.ByteSize() <= LONGEST_MESSAGE
                for item in event.items:
                    if item.HasField("friend_entry"):
                        assert item.friend_entry.user_id not in copy
                        copy[item.friend_entry.user_id] = item.friend_entry
            assert list(copy) == friends


# Calls without pages


@pytest.fixture(scope="module")
def circle(relation):
    """A user with 90 friends whose profiles are as long as 100 custom fields make them."""
    people = made(relation, PROFILE)
    ann, *friends = sorted(people(91))
    people.import_friends([{"user_id": ann, "friend_user_id": friend} for friend in friends])
    for friend in friends:
        for start in (0, 50):
            people.set_profile(friend, custom=CUSTOM[start:start + 50])
    return people, ann, friends


def bound(people, user, name):
    limits = people.relation("GetLimits", user_id=user).limits
    return next(limit.value for limit in limits if limit.name == name)


@pytest.mark.parametrize("scope", ["user_id", "user_ids"])
def test_a_user_with_many_long_profiles_among_its_friends_is_watched(circle, scope):
    people, ann, friends = circle
    with Watching(people.relation, **{scope: [ann] if scope == "user_ids" else ann}) as stream:
        told = [
            item.profile.user_id
            for event in stream.state()
            for item in event.items
            if len(item.profile.custom) == 100
        ]
        token = stream.token
    assert sorted(told) == friends
    for friend in friends[:45]:
        people.set_profile(friend, nick=f"new to {scope}")
    with Watching(people.relation, user_id=ann, resume_token=token) as stream:
        told = {stream.event().user_id for _ in range(45)}
    assert told == set(friends[:45])


CALLS = [
    ("GetProfiles", "limits.profiles_per_call", {}, lambda result: result.profile),
    ("GetRelations", "GetRelations.user_ids, with profiles or custom fields",
     {"with_profiles": True}, lambda result: result.profile),
    ("GetFriends", "GetFriends.user_ids, with profiles", {"with_profiles": True},
     lambda result: result.friend_entry.profile),
    ("QuerySubscriptions", "QuerySubscriptions.user_ids, with profiles",
     {"with_profiles": True, "with_presence": True, "subscribe_type": 2},
     lambda result: result.subscription.profile),
]  # fmt: skip


@pytest.mark.parametrize("call, name, fields, profile", CALLS, ids=[row[0] for row in CALLS])
def test_a_call_may_ask_for_as_many_as_get_limits_tells(circle, call, name, fields, profile):
    people, ann, friends = circle
    most = bound(people, ann, name)
    assert 1 < most < 90
    if call == "QuerySubscriptions":
        people.relation("Subscribe", user_id=ann, user_ids=friends[:90], subscribe_type=2,
                        expiry_seconds=600)  # fmt: skip
    for start in range(0, 90, most):
        part = friends[start:start + most]
        answer = people.relation(call, user_id=ann, user_ids=part, **fields)
        assert [len(profile(result).custom) for result in answer.results] == [100] * len(part)
    refused = refusal(
        people.relation, call, user_id=ann, user_ids=friends[:most + 1], **fields)
    assert_invalid(refused, "user_ids", reason="TOO_MANY_ITEMS")
    assert refused.metadata == {"limit": str(most), "actual": str(most + 1)}


def test_get_friends_may_ask_for_as_many_as_get_limits_tells(changes):
    people, ann, friends, *_ = changes
    most = bound(people, ann, "GetFriends.user_ids")
    assert 1 < most < 100
    answer = people.relation("GetFriends", user_id=ann, user_ids=friends[:most])
    assert [len(result.friend_entry.custom) for result in answer.results] == [100] * most
    refused = refusal(
        people.relation, "GetFriends", user_id=ann, user_ids=friends[:most + 1])
    assert_invalid(refused, "user_ids", reason="TOO_MANY_ITEMS")


def test_a_bound_stays_where_rows_are_long_though_the_setting_was_lowered(relation):
    limits = {"friend_keys": 100, "custom_value": 1_024}
    people = made(relation, FRIEND, **limits)
    ann, bob = people(2)
    most = bound(people, ann, "GetFriends.user_ids")
    for value in (1, 700):
        people.relation("UpdateApp", settings={"limits": {"custom_value": value}},
                        update_mask={"paths": ["limits.custom_value"]})  # fmt: skip
        assert bound(people, ann, "GetFriends.user_ids") == most


@pytest.mark.parametrize("preset, most", [("APP_PRESET_TIM", 100), ("APP_PRESET_RONGCLOUD", 20)])
def test_an_app_with_the_usual_settings_may_ask_for_as_many_as_ever(relation, preset, most):
    app = relation("CreateApp", preset=preset).app
    people = People(relation.in_app(app.app_id))
    ann = people(1)[0]
    limits = {limit.name: limit.value
              for limit in people.relation("GetLimits", user_id=ann).limits}  # fmt: skip
    assert limits["limits.profiles_per_call"] == most
    assert limits["GetFriends.user_ids"] == 100
    assert limits["GetFriends.user_ids, with profiles"] == 100
    assert limits["QuerySubscriptions.user_ids, with profiles"] == 100
    assert limits["GetRelations.user_ids"] == 1_000
    assert limits["GetRelations.user_ids, with profiles or custom fields"] == 100
    assert limits["message"] == LONGEST_MESSAGE


def test_apps_with_long_lists_of_words_are_listed_by_pages_that_fit(relation):
    words = {"values": [f"{number:04}".ljust(64, "w") for number in range(1_000)]}
    apps = {
        relation("CreateApp", settings={"forbidden_words": words}).app.app_id for _ in range(70)
    }
    token, pages = "", 0
    while apps:
        page = relation("ListApps", page_size=1_000, page_token=token)
        assert page.ByteSize() <= LONGEST_MESSAGE
        apps -= {app.app_id for app in page.apps}
        token, pages = page.next_page_token, pages + 1
    assert pages > 4


# Bad ends


def test_a_stop_after_streams_that_ended_badly_ends_well(start, stubs):
    running = start()
    with grpc.insecure_channel(running.address) as channel:
        people = made(Relation(stubs, channel), FRIEND)
        ann, friends = long_rows(people, 40)
        relation = people.relation

        def begin(call, timeout=60, **fields):
            return relation.start(call)(
                stubs.request(call, fields), timeout=timeout, metadata=relation.metadata)

        streams = [("Watch", {"user_id": ann}), ("Watch", {"app": True}), ("ExportApp", {}),
                   ("CheckIntegrity", {"repair": True})]  # fmt: skip
        for call, fields in streams:
            for timeout in (60, 0.02):
                stream = begin(call, timeout, **fields)
                try:
                    next(stream)
                except grpc.RpcError as error:
                    assert error.code() == grpc.StatusCode.DEADLINE_EXCEEDED
                stream.cancel()
            # Its connection ends, with all answers that it has not taken.
            with RawPeer(running.port) as peer:
                body = envelope(stubs.request(call, fields).SerializeToString())
                path = next(path for path in stubs.paths if path.endswith(f"/{call}"))
                peer.open(peer.request(path) + list(relation.metadata), body)
                peer.round_trip()
        # One stream reads nothing while long events come, and one is told of a wrong token.
        slow = begin("Watch", user_id=ann)
        for text in "abc":
            relation("UpdateFriends", **remarks(ann, friends, text))
        assert refusal(begin, "Watch", user_id=ann, resume_token="none").reason == (
            "INVALID_RESUME_TOKEN")
        slow.cancel()
    assert running.stop() == 0, running.log


# Everything at its bounds


def settings(chance, kind):
    """Limits of an app: all of them lowest or highest, or each at random."""
    if kind == "any":
        return {name: chance.choice(bounds) for name, bounds in LIMITS.items()}
    return {name: bounds[kind == "highest"] for name, bounds in LIMITS.items()}


PRESETS = ["APP_PRESET_TIM", "APP_PRESET_RONGCLOUD"]
# `LONGEST_ROUNDS` in the environment makes the last of these so many.
ROUNDS = int(os.environ.get("LONGEST_ROUNDS", 1))
USERS = 8 if ROUNDS == 1 else 40
KINDS = ["highest", "lowest"] + [f"any {number}" for number in range(ROUNDS)]


@pytest.mark.parametrize("kind", KINDS)
def test_no_call_answers_with_a_message_that_is_too_long(relation, seed, some_of, kind):
    for preset in some_of(PRESETS, 2):
        chance = random.Random(f"{seed} {preset} {kind}")
        app = Longest(relation, chance, settings(chance, kind.split()[0]), preset, USERS)
        app.drive()
        calls = {path.rsplit("/", 1)[1] for path in relation.stubs.paths}
        # This call acts for the server as a whole.
        assert calls - app.asked == {"CreateApp"}
