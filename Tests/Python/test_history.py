"""The history of an app's relations over the wire: support asks it, takes changes back, and finds
nothing of a user that is gone."""

import subprocess
import time

import pytest
from people import People, codes
from refusals import refusal
from relationd import executable
from stubs import Relation

USER, BACK_END, ADMINISTRATOR, OPERATOR = 2, 3, 4, 5


@pytest.fixture
def people(relation):
    made = relation("CreateApp", settings={"history_days": 30}).app.app_id
    return People(relation.in_app(made))


def called_by(people, scopes, user=None):
    """The same app for a credential with these scopes, perhaps a user's own."""
    relation = people.relation
    own = [("x-scopes", scopes)] + ([("x-user-id", user)] if user else [])
    return Relation(relation.stubs, relation.channel, [*relation.metadata, *own])


def history(people, **fields):
    return people.relation("ListHistory", page_size=1_000, **fields).entries


def test_support_asks_for_a_pair_and_brings_it_back(people):
    ann, bob, joe = people(3)
    people.add(ann, bob, remark="Bobby")
    people.mark(bob, ann, starred=True)
    before = people.friend(ann, bob), people.friend(bob, ann)
    people.befriend(ann, joe)
    people.block(ann, bob)
    (blocked,) = history(people, about_user_id=bob, with_user_id=ann, kinds=[5])
    assert blocked.actor_user_id == ann and len(blocked.changes) == 3
    assert blocked.changes[0].friend_before.remark == "Bobby"
    undo = {"positions": [blocked.position]}
    tried = people.relation("UndoChanges", **undo, options={"dry_run": True})
    assert codes(tried) == [0] and not tried.applied
    assert not any(people.are_friends(ann, bob))
    assert people.relation("UndoChanges", **undo).applied
    assert not people.blacklist(ann)
    after = people.friend(ann, bob), people.friend(bob, ann)
    for old, new in zip(before, after, strict=True):
        old.ClearField("sequence")
        new.ClearField("sequence")
        assert old == new
    # A second time changes nothing.
    assert not people.relation("UndoChanges", **undo).applied


def test_a_wave_of_one_user_is_taken_back(people):
    troll, *others = people(6)
    for other in others:
        people.add(troll, other, force=True)
    people.befriend(others[0], others[1])
    wave = history(people, about_user_id=troll, actor_user_id=troll)
    assert len(wave) == 5
    answer = people.relation(
        "UndoChanges", positions=[entry.position for entry in wave],
        options={"all_or_nothing": True})
    assert answer.applied and codes(answer) == [0] * 5
    assert people.friend_ids(troll) == [] and people.are_friends(others[0], others[1])
    taken = history(people, about_user_id=troll)[0]
    assert taken.actor_user_id == "" and taken.caller in (ADMINISTRATOR, OPERATOR)


def test_a_request_is_taken_back_in_batches(people):
    ann, *others = people(6)
    people.relation(
        "AddFriends", user_id=ann, add_type=2, options={"request_id": "bulk"},
        items=[{"user_id": other} for other in others])
    people.befriend(others[0], others[1])
    assert len(history(people, of_request_id="bulk")) == 5
    tried = people.relation(
        "UndoChanges", of_request_id="bulk", options={"dry_run": True})
    assert codes(tried) == [0] * 5 and not tried.applied and not tried.next_before_position
    assert len(people.friend_ids(ann)) == 5
    before, taken = 0, []
    while True:
        answer = people.relation(
            "UndoChanges", of_request_id="bulk", max_entries=2, before_position=before)
        taken.append([result.position for result in answer.results])
        before = answer.next_before_position
        if not before:
            break
    assert taken == [[5, 4], [3, 2], [1]]
    assert people.friend_ids(ann) == [] and any(people.are_friends(others[0], others[1]))


def test_a_bulk_import_is_taken_back(people):
    """An import acts for no user, so it is found by its credential and its time."""
    ann, bob, *others = people(40)
    people.add(ann, bob, remark="pal")
    start = history(people)[0].time_ms + 1
    # The import comes in a later millisecond than the call before.
    while time.time() * 1_000 < start:
        time.sleep(0.001)
    people.import_friends(
        [{"user_id": ann, "friend_user_id": other, "both_ways": True, "remark": "import"}
         for other in [bob, *others]])
    (latest,) = people.relation("ListHistory", page_size=1).entries
    assert latest.actor_user_id == "" and len(people.friend_ids(ann)) == 39
    chosen = {"caller": latest.caller, "since_time_ms": start, "max_entries": 15}
    before, count = 0, 0
    while True:
        answer = people.relation("UndoChanges", **chosen, before_position=before)
        assert set(codes(answer)) <= {0}
        count += len(answer.results)
        before = answer.next_before_position
        if not before:
            break
    assert count == 39 and people.friend_ids(ann) == [bob]
    assert people.friend(ann, bob).remark == "pal"


@pytest.mark.parametrize("call, field, rows", [
    ("ImportFriends", "friend_user_id", 2), ("ImportFollows", "followed_user_id", 2),
    ("ImportBlacklists", "blocked_user_id", 2), ("ImportProfiles", "", 1)])
def test_an_import_is_taken_back_by_its_name(people, call, field, rows):
    ann, *others = people(3)
    requests = [{"row": {"user_id": ann, field: other}} for other in others] if field else [
        {"row": {"user_id": ann, "profile": {"nick": "n"}, "update_mask": {"paths": ["nick"]}}}]
    requests[0]["import_id"] = "import-7"
    told, progress = people.imported(call, requests)
    assert (told, progress.accepted) == ([], len(requests))
    named = history(people, of_request_id="import-7")
    assert {entry.request_id for entry in named} == {"import-7"}
    assert sum(len(entry.changes) for entry in named) == rows
    answer = people.relation("UndoChanges", of_request_id="import-7")
    assert set(codes(answer)) == {0} and len(answer.results) == len(named)
    assert people.friend_ids(ann) == [] and not people.blacklist(ann)
    assert people.profile(ann).nick == ""


@pytest.mark.parametrize("kind", ["profile", "group", "friend"])
def test_a_position_that_comes_twice_is_taken_back_in_each_place(people, kind):
    ann, bob = people(2)
    if kind == "profile":
        def write(value):
            people.set_profile(ann, nick=value)

        def read():
            return people.profile(ann).nick
    elif kind == "friend":
        people.befriend(ann, bob)

        def write(value):
            people.relation("UpdateFriends", user_id=ann, items=[
                {"user_id": bob, "remark": value}])

        def read():
            return people.friend(ann, bob).remark
    else:
        people.relation("CreateFriendGroups", user_id=ann, names=["first"])
        names = ["first"]

        def write(value):
            people.relation("RenameFriendGroup", user_id=ann, name=names[-1], new_name=value)
            names.append(value)

        def read():
            (name,) = people.groups(ann)
            return name
    write("one")
    write("two")
    changed = history(people)[0].position
    people.relation("UndoChanges", positions=[changed])
    assert read() == "one"
    undone = history(people)[0].position
    # The undo goes, then the change, and then the undo once more: as in three calls.
    answer = people.relation("UndoChanges", positions=[undone, changed, undone])
    assert [result.position for result in answer.results] == [undone, changed, undone]
    assert codes(answer) == [0, 0, 0] and all(result.changed for result in answer.results)
    assert read() == "two"
    # The same position in a row changes nothing the second time.
    answer = people.relation("UndoChanges", positions=[changed, changed, 0, 0])
    assert codes(answer) == [0, 0, 30001, 30001]
    assert [result.changed for result in answer.results] == [True, False, False, False]


def test_texts_come_back_with_words_that_were_forbidden_since(people):
    """Whichever change is taken back: of a group, of a friend's row or of a profile."""
    ann, bob = people(2)
    people.befriend(ann, bob)
    people.relation("CreateFriendGroups", user_id=ann, names=["bad one", "bad two"])
    people.relation("DeleteFriendGroups", user_id=ann, names=["bad one"])
    people.relation("RenameFriendGroup", user_id=ann, name="bad two", new_name="good")
    for remark in ("bad pal", "pal"):
        people.relation("UpdateFriends", user_id=ann, items=[{"user_id": bob, "remark": remark}])
    for nick in ("bad nick", "nick"):
        people.set_profile(ann, nick=nick)
    latest = [entry.position for entry in history(people)]
    people.relation("UpdateApp", settings={"forbidden_words": {"values": ["bad"]}})
    # The latest changes of the nick, of the remark, and of both groups.
    undone = [latest[0], latest[2], latest[4], latest[5]]
    answer = people.relation("UndoChanges", positions=undone)
    assert codes(answer) == [0] * 4 and all(result.changed for result in answer.results)
    assert people.profile(ann).nick == "bad nick"
    assert people.friend(ann, bob).remark == "bad pal"
    assert sorted(people.groups(ann)) == ["bad one", "bad two"]
    # A call that writes such a name is refused as before.
    refused = people.relation(
        "RenameFriendGroup", user_id=ann, name="bad one", new_name="bad three")
    assert refused.result.code == 30005


def test_a_dry_run_of_calls_says_what_conflicts(people):
    ann, bob, joe = people(3)
    start = people.relation("ListHistory").total_size
    people.add(ann, bob, force=True)
    people.add(ann, joe, force=True)
    people.mark(bob, ann, starred=True)
    since = history(people)[-1].time_ms
    chosen = {"actor_user_id": ann, "since_time_ms": since}
    tried = people.relation("UndoChanges", **chosen, options={"dry_run": True})
    assert start == 0 and codes(tried) == [0, 30001]
    assert tried.results[1].info == "Err_ChangeUndo_Changed_Since"
    held = people.relation("UndoChanges", **chosen, options={"all_or_nothing": True})
    assert not held.applied and len(people.friend_ids(ann)) == 2
    assert people.relation("UndoChanges", **chosen).applied
    assert people.friend_ids(ann) == [bob]


@pytest.mark.parametrize(("fields", "field"), [
    ({}, "positions"),
    ({"positions": [1], "of_request_id": "r"}, "of_request_id"),
    ({"positions": [1], "max_entries": 1}, "max_entries"),
    ({"actor_user_id": "ann"}, "since_time_ms"),
    ({"of_request_id": "r" * 65}, "of_request_id"),
    ({"of_request_id": "r", "actor_user_id": " "}, "actor_user_id"),
    ({"since_time_ms": -1}, "since_time_ms"),
    ({"since_time_ms": 5, "until_time_ms": 5}, "until_time_ms"),
    ({"since_time_ms": 5, "before_position": -1}, "before_position"),
    ({"since_time_ms": 5, "max_entries": 101}, "max_entries"),
    ({"since_time_ms": 5, "caller": 99}, "caller"),
])  # fmt: skip
def test_a_bad_choice_names_its_field(people, fields, field):
    assert field in refusal(people.relation, "UndoChanges", **fields).fields


def test_an_entry_tells_the_kind_of_its_credential(people):
    ann, bob = people(2)
    for scopes, user, caller in [
        ("read,write", ann, USER), ("read,write", None, BACK_END),
        ("read,write,admin", None, ADMINISTRATOR),
    ]:
        relation = called_by(people, scopes, user)
        options = {"device_id": "phone", "request_id": f"r{caller}"}
        relation("AddToBlacklist", user_id=ann, user_ids=[bob], options=options)
        entry = history(people)[0]
        assert (entry.caller, entry.actor_user_id, entry.device_id, entry.request_id) == (
            caller, ann, "phone", f"r{caller}")
        relation("RemoveFromBlacklist", user_id=ann, user_ids=[bob])


def test_an_entry_tells_who_called_on_a_server_without_credentials(people, server):
    ann, bob = people(2)
    relation = called_by(people, "read,write", ann)
    relation("AddToBlacklist", user_id=ann, user_ids=[bob])
    people.befriend(ann, people(1)[0])
    befriended, blocked = history(people)
    assert (blocked.credential, blocked.address) == ("user", "loopback")
    assert (befriended.credential, befriended.address) == ("anyone", "loopback")
    assert blocked.hook_answer == befriended.hook_answer == 0
    done = subprocess.run(
        [executable("relationctl"), "history", "--server", server.address, "--app",
         dict(people.relation.metadata)["x-app-id"]],
        check=True, capture_output=True, text=True, timeout=60)  # fmt: skip
    head, *lines = [line.split() for line in done.stdout.splitlines()]
    assert head == ["POSITION", "TIME", "BY", "AS", "CREDENTIAL", "FROM", "HOOK", "CHANGES"]
    first = {line[0]: line[-7:] for line in lines if line[0].isdigit()}
    assert first[str(blocked.position)][:4] == ["user", "user", "loopback", "-"]
    assert first[str(befriended.position)][:4] == ["operator", "anyone", "loopback", "-"]


def test_a_user_that_is_gone_is_gone_here_too(people):
    ann, bob, joe = people(3)
    people.befriend(ann, bob, joe)
    started = people.relation("DeleteAccounts", user_ids=[bob], erase=True)
    people.await_deletion(started.results[0].deletion_id)
    assert bob not in str(people.relation("ListHistory"))
    assert len(history(people)) == 1
    refused = people.relation("UndoChanges", positions=[1, 2])
    assert [result.code for result in refused.results].count(30001) == 1
