"""No answer, event or state message is longer than gRPC clients take by default, whatever an app's
settings are: events are split, states and pages end early, and calls without pages are told how
many items they may name."""

import string

import grpc
import pytest
from people import People, codes
from refusals import assert_invalid, refusal
from watching import SYNC_COMPLETED, Copy, Watching, live

# The highest that the contract allows.
HIGHEST = {
    "friends": 10_000, "blacklisted_users": 10_000, "groups": 1_000, "pendencies": 1_000,
    "group_name": 256, "remark": 512, "wording": 256, "nick": 1_024, "face_url": 1_024,
    "self_signature": 1_024, "location_bytes": 256, "unique_id": 64, "email": 256,
    "birthday_text": 256, "location_text": 256, "profiles_per_call": 100, "profile_keys": 100,
    "friend_keys": 100, "custom_value": 1_024, "subscriptions": 10_000, "subscribers": 50_000,
}  # fmt: skip
LIMIT = 4_000_000
PROFILE, FRIEND = 1, 2
KEYS = [first + second for first in string.ascii_lowercase[:10] for second in "abcdefghij"]
VALUE = bytes(1_024).replace(b"\0", b"v")
CUSTOM = [{"key": key, "data": VALUE} for key in KEYS]
SNS_PROFILE_CHANGE = 8


def define(relation, owner):
    fields = [{"owner": owner, "key": key, "type": "CUSTOM_FIELD_TYPE_STRING"} for key in KEYS]
    assert codes(relation("DefineCustomFields", fields=fields)) == [0] * len(fields)


def made(relation, *owners, preset="APP_PRESET_TIM", **limits):
    """The people of a new app with these limits, and with as many custom fields as it may have."""
    app = relation("CreateApp", preset=preset, settings={"limits": limits or HIGHEST}).app
    people = People(relation.in_app(app.app_id))
    for owner in owners:
        define(people.relation, owner)
    return people


def long_rows(people, count):
    """A user with that many friends, the row of each of which takes 100 KB."""
    ann, *friends = sorted(people(count + 1))
    for friend in friends:
        people.import_friends([{"user_id": ann, "friend_id": friend, "custom": CUSTOM}])
    return ann, friends


def remarks(ann, friends, text="r" * 512):
    items = [
        {"user_id": friend, "remark": text, "update_mask": {"paths": ["remark"]}}
        for friend in friends
    ]
    return {"user_id": ann, "items": items}


def changed(events):
    return [item.friend.user_id for event in events for item in event.items]


def assert_told(events, answer, friends):
    """Several events, each within the limit, with whole rows in the order of the request."""
    assert len(events) > 1
    assert all(event.ByteSize() <= LIMIT for event in events)
    first = answer.sequence - len(events) + 1
    assert [event.sequence for event in events] == list(range(first, answer.sequence + 1))
    assert changed(events) == friends
    for event in events:
        assert {item.friend.sequence for item in event.items} == {event.sequence}
        assert all(len(item.friend.custom) == 100 for item in event.items)


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
        # And behind them it is live.
        people.set_profile(ann, nick=f"of {scope}")
        assert stream.until(lambda event: event.kind == 100 or event.items[0].profile.nick)


def test_a_log_is_listed_past_long_rows(changes):
    people, ann, friends, *_, answer = changes
    events, token = [], ""
    while True:
        page = people.relation("ListChanges", user_id=ann, page_token=token, page_size=500)
        assert page.ByteSize() <= LIMIT and page.events
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
    page = people.relation("SyncFriends", user_id=ann, sequence=answer.sequence - 1, page_size=1000)
    last = {row.user_id for row in page.friends}
    assert last and last < set(friends) and last == set(friends[-len(last):])


def test_the_present_state_of_long_rows_comes_in_messages_that_fit(changes):
    people, ann, friends, scopes, *_ = changes
    for fields in scopes.values():
        with Watching(people.relation, **fields) as stream:
            copy = {}
            for event in stream.state():
                assert event.ByteSize() <= LIMIT
                for item in event.items:
                    if item.HasField("friend"):
                        assert item.friend.user_id not in copy
                        copy[item.friend.user_id] = item.friend
            assert list(copy) == friends
