"""ChangeService: the log of a user by pages, and how far it reaches."""

import time

import pytest
from events import events, kind, sequence
from people import People
from refusals import assert_invalid, refusal
from stubs import Relation

ADD_FRIEND, GROUP_CREATED, CONSENT_CHANGED = 1, 100, 130


@pytest.fixture
def ann(people):
    """A user with a log of ten events."""
    ann, bob = people(2)
    people.add(ann, bob)
    for number in range(9):
        if number % 3:
            people.relation(
                "UpdateFriends", user_id=ann,
                items=[{
                    "user_id": bob, "remark": str(number), "update_mask": {"paths": ["remark"]},
                }])
        else:
            people.group(ann, f"group {number}")
    return ann


def app_of(relation, **fields):
    """A new app, and people in it."""
    app = relation("CreateApp", **fields).app.app_id
    return People(relation.in_app(app))


# ListChanges


@pytest.mark.parametrize("size", [1, 3, 10, 11, 500, 0])
def test_pages_of_any_size_hold_the_log_in_order(people, ann, size):
    found = events(people, ann, page_size=size)
    assert [event.sequence for event in found] == list(range(1, 11))
    assert {event.user_id for event in found} == {ann}


def test_a_client_goes_on_from_the_sequence_that_it_has_come_to(people, ann):
    for since in range(11):
        page = people.relation("ListChanges", user_id=ann, since_sequence=since)
        assert [event.sequence for event in page.events] == list(range(since + 1, 11))
        assert (page.sequence, page.resync, page.next_page_token) == (10, False, "")


def test_only_the_kinds_that_are_asked_for_come(people, ann):
    found = events(people, ann, kinds=[GROUP_CREATED, ADD_FRIEND], page_size=1)
    assert [kind(people, event) for event in found] == ["ADD_FRIEND"] + ["GROUP_CREATED"] * 3
    assert events(people, ann, kinds=[CONSENT_CHANGED]) == []


def test_a_write_is_in_the_log_when_it_is_answered(people, ann):
    answer = people.relation("CreateFriendGroups", user_id=ann, names=["now"])
    page = people.relation(
        "ListChanges", user_id=ann, since_sequence=10,
        options={"min_sequence": {"sequence": answer.sequence}})
    assert [event.items[0].group.name for event in page.events] == ["now"]
    assert page.sequence == answer.sequence == 11


def test_a_sequence_that_never_was_is_to_be_read_anew(people, ann):
    page = people.relation("ListChanges", user_id=ann, since_sequence=11)
    assert (page.resync, page.sequence, list(page.events)) == (True, 10, [])
    assert page.next_page_token == ""


def test_bad_fields_are_named(people, ann):
    def refused(**fields):
        return refusal(people.relation, "ListChanges", user_id=ann, **fields)

    assert_invalid(refused(since_sequence=-1), "since_sequence")
    assert_invalid(refused(page_size=-1), "page_size")
    assert_invalid(refused(kinds=[ADD_FRIEND, 0, 9]), "kinds[1]", "kinds[2]")
    assert_invalid(refused(kinds=[ADD_FRIEND] * 65), "kinds", reason="TOO_MANY_ITEMS")
    assert_invalid(refused(page_token="x"), "page_token", reason="INVALID_PAGE_TOKEN")
    assert_invalid(
        refused(since_sequence=-1, page_size=-1), "since_sequence", "page_size")
    assert len(events(people, ann, kinds=[ADD_FRIEND] * 64)) == 1
    token = people.relation("ListChanges", user_id=ann, page_size=1).next_page_token
    assert_invalid(
        refused(page_token=token, since_sequence=1), "page_token", reason="INVALID_PAGE_TOKEN")
    unknown = refusal(people.relation, "ListChanges", user_id=people.unknown_user())
    assert unknown.reason == "USER_NOT_FOUND"


@pytest.mark.parametrize("call", ["ListChanges", "GetSequence"])
def test_a_user_reads_its_own_log_and_no_other(people, stubs, channel, call):
    ann, bob = people(2)
    own = Relation(stubs, channel, [("x-user-id", ann)])
    assert own(call).sequence == own(call, user_id=ann).sequence == 0
    assert refusal(own, call, user_id=bob).reason == "FOREIGN_USER"


def test_what_a_caller_may_not_read_is_not_in_its_events_either(relation):
    people = app_of(relation)
    fields = [
        {"owner": owner, "key": key, "value_type": 1, "admin_reads": key == "Shut"}
        for owner in (1, 2) for key in ("Open", "Shut")
    ]
    answer = people.relation("DefineCustomFields", items=fields)
    assert [result.code for result in answer.results] == [0] * 4, answer
    ann, bob = people(2)
    custom = [{"key": key, "data": b"x"} for key in ("Open", "Shut")]
    assert people.add(ann, bob, custom=custom)[0] == 0
    people.set_profile(ann, custom=custom)
    people.relation(
        "UpdateProfile", user_id=ann, profile={"custom": [{"key": "Shut", "data": b"y"}]},
        update_mask={"paths": ["custom.Shut"]})
    reader = People(
        Relation(
            relation.stubs, relation.channel,
            [*people.relation.metadata, ("x-scopes", "read")]))
    for reads, keys in ((people, ["Open", "Shut"]), (reader, ["Open"])):
        added, first, second = events(reads, ann)
        assert [value.key for value in added.items[0].friend_entry.custom] == keys
        assert added.items[0].friend_entry == reads.friend(ann, bob)
        assert [value.key for value in first.items[0].profile.custom] == keys
        assert list(first.items[0].fields) == [f"custom.{key}" for key in keys]
        # The log has no gap for a reader that does not see the change.
        shut = ["custom.Shut"] if "Shut" in keys else []
        assert list(second.items[0].fields) == shut
        assert second.items[0].profile.version == 2
    people.relation("RetireCustomField", owner=2, key="Open")
    assert not events(reader, ann)[0].items[0].friend_entry.custom
    assert [value.key for value in events(people, ann)[0].items[0].friend_entry.custom] == ["Shut"]


# GetSequence


def test_the_sequences_are_those_of_the_lists(people, ann):
    answer = people.relation("GetSequence", user_id=ann)
    assert (answer.sequence, answer.first_sequence) == (10, 1)
    friends, pendencies, blacklist = people.sequences(ann)
    assert answer.friends_sequence == friends == 10
    assert (answer.pendencies_sequence, answer.blacklist_sequence) == (0, blacklist)
    assert answer.groups_sequence == 8
    assert pendencies == 0
    (bob,) = people(1)
    people.block(ann, bob)
    assert people.relation("GetSequence", user_id=ann).blacklist_sequence == 11


# How long events stay


def test_a_log_is_as_long_as_the_settings_allow(relation):
    people = app_of(relation)
    ann, bob, joe = people(3)
    people.add(ann, bob)
    for number in range(20):
        people.group(ann, f"{number}")
    people.relation(
        "UpdateApp", settings={"log_events": 5}, update_mask={"paths": ["log_events"]})
    # The maintenance then removes rows beside the calls.
    people.relation("DeleteAccounts", user_ids=[joe])
    for _ in range(2000):
        answer = people.relation("GetSequence", user_id=ann)
        if answer.first_sequence > 1:
            break
        time.sleep(0.005)
    assert (answer.sequence, answer.first_sequence) == (21, 17)
    found = events(people, ann, since=16)
    assert [event.sequence for event in found] == list(range(17, 22))
    page = people.relation("ListChanges", user_id=ann, since_sequence=15)
    assert (page.resync, list(page.events), page.sequence) == (True, [], 21)
    # Nothing else has changed.
    assert len(people.groups(ann)) == 20 and people.are_friends(ann, bob) == (True, True)
    assert events(people, bob) != []
    assert sequence(people, bob) == 1
