"""ExplainProfile, ExplainEvent and ExplainUpdateProfile over the wire: each says what GetProfiles,
Watch and UpdateProfile do, and tells no value."""

import itertools

import pytest
from people import People
from refusals import refusal
from stubs import Relation
from test_audit import ctl
from watching import live

EVERYONE, FRIENDS, INVISIBLE, FOLLOWERS, GROUPS = (
    f"VISIBILITY_{name}" for name in ("EVERYONE", "FRIENDS", "INVISIBLE", "FOLLOWERS", "GROUPS"))
SECRET = "ann@example.org"
PROFILE_CHANGE = "CHANGE_KIND_PROFILE_CHANGE"


@pytest.fixture
def people(relation):
    made = relation("CreateApp").app.app_id
    people = People(relation.in_app(made))
    people.app = made
    people.relation("DefineCustomFields", items=[
        {"owner": "CUSTOM_FIELD_OWNER_PROFILE", "key": key, "admin_reads": admin,
         "value_type": "CUSTOM_FIELD_TYPE_STRING"} for key, admin in [("Blood", False), ("Notes", True)]])
    return people


def as_user(people, user, scopes="read,write,watch"):
    relation = people.relation
    own = [("x-scopes", scopes), ("x-user-id", user)]
    return Relation(relation.stubs, relation.channel, [*relation.metadata, *own])


def states(people, viewer, owner):
    """The state of each field by the explanation, which GetProfiles answers too."""
    told = people.relation("ExplainProfile", from_user_id=viewer, to_user_id=owner)
    (got,) = as_user(people, viewer)(
        "GetProfiles", user_id=viewer, user_ids=[owner], with_unset_fields=True).results
    assert told.code == got.code == 0
    explained = {field.field: field.state for field in told.fields}
    assert {name: state for name, state in explained.items() if state} == {
        access.field: access.access for access in got.field_access}
    for field in told.fields:
        assert [rung.decided for rung in field.rungs].count(True) == 1, field
    assert SECRET not in str(told) and "zero negative" not in str(told)
    return explained


def chain(people, field, **fields):
    """The rungs of a field up to the one that decides."""
    told = people.relation("ExplainProfile", read_mask={"paths": [field]}, **fields)
    (one,) = told.fields
    names = [people.stubs.RungKind.Name(rung.kind).removeprefix("RUNG_KIND_") for rung in one.rungs]
    end = [rung.decided for rung in one.rungs].index(True)
    return names[:end + 1], one.rungs[end]


def test_each_field_has_the_state_of_an_answer(people):
    ann, bob = people(2)
    people.set_profile(ann, nick="Ann", email=SECRET, birthday=19900101)
    people.relation("UpdateProfile", user_id=ann, profile={
        "custom": [{"key": "Blood", "text": "zero negative"}]}, update_mask={"paths": ["custom.Blood"]})
    people.group(ann, "work")
    levels = [EVERYONE, FRIENDS, INVISIBLE, FOLLOWERS]
    people.add(ann, bob, add_type="ADD_TYPE_SINGLE")
    for whole, field in itertools.product(levels, [*levels, GROUPS]):
        groups = ["work"] if field == GROUPS else []
        people.relation("SetVisibility", user_id=ann, visibility=whole, fields=[
            {"field": path, "visibility": field, "group_names": groups}
            for path in ("email", "birthday", "custom.Blood")])
        states(people, bob, ann)
    assert states(people, ann, ann)["email"] == 0
    people.block(ann, bob)
    assert states(people, bob, ann)["nick"] == 0


def test_the_rung_that_decides_is_told_with_its_rows(people):
    ann, bob = people(2)
    people.set_profile(ann, email=SECRET)
    pair = {"from_user_id": bob, "to_user_id": ann}
    assert chain(people, "email", **pair)[0][-1] == "PROFILE_AUDIENCE"
    people.relation("UpdateApp", settings={"field_defaults": {"friends": {"values": ["email"]}}})
    rungs, last = chain(people, "email", **pair)
    assert rungs[-1] == "FIELD_DEFAULT" and last.setting == "field_defaults.friends"
    assert last.value == FRIENDS and [row.present for row in last.rows] == [False]
    people.relation("SetVisibility", user_id=ann, fields=[
        {"field": "email", "visibility": FOLLOWERS}])
    rungs, last = chain(people, "email", **pair)
    assert rungs[-1] == "FIELD_CHOICE" and [row.present for row in last.rows] == [True, False]
    assert (last.rows[1].owner_user_id, last.rows[1].other_user_id) == (bob, ann)
    assert chain(people, "custom.Notes", **pair)[0] == ["READABLE_FIELD"]
    assert chain(people, "msg_settings", **pair)[0] == ["OTHER_USER", "PRIVATE_FIELD"]


def test_an_event_is_explained_as_a_stream_gets_it(people):
    ann, bob = people(2)
    people.set_profile(ann, nick="Ann")
    people.add(bob, ann, add_type="ADD_TYPE_SINGLE")
    with live(as_user(people, bob), user_id=bob) as stream:
        for level, wanted in [(EVERYONE, True), (INVISIBLE, False), (EVERYONE, True)]:
            people.relation("SetVisibility", user_id=ann, visibility=level)
            email = f"{level.lower()}@example.org"
            sequence = people.set_profile(ann, email=email).sequence
            told = people.relation(
                "ExplainEvent", from_user_id=bob, to_user_id=ann, sequence=sequence)
            assert (told.code, told.comes) == (0, wanted)
            (field,) = told.fields
            assert (field.field, field.state == 0) == ("email", wanted)
            people.set_profile(ann, nick=f"Ann {sequence}")
            # The nick comes to all: before it stands what came of the address.
            events = stream.until(
                lambda event, nick=f"Ann {sequence}": event.items[0].profile.nick == nick)
            addresses = [event.items[0].profile.email for event in events]
            assert (email in addresses) == wanted
        people.block(ann, bob)
        told = people.relation(
            "ExplainEvent", from_user_id=bob, to_user_id=ann, kind=PROFILE_CHANGE)
        last = people.stubs.RungKind.Name(told.rungs[-1].kind)
        assert not told.comes and last in ("RUNG_KIND_PEER_BLACKLIST", "RUNG_KIND_EVENT_RECEIVER")


def test_the_calls_are_for_administrators(people):
    (ann,) = people(1)
    own = as_user(people, ann)
    for call, fields in [
        ("ExplainProfile", {"to_user_id": ann}), ("ExplainUpdateProfile", {}),
        ("ExplainEvent", {"to_user_id": ann, "kind": PROFILE_CHANGE}),
    ]:
        assert refusal(own, call, from_user_id=ann, **fields).code.name == "PERMISSION_DENIED"


def test_the_commands_show_the_chain(server, people):
    ann, bob = people(2)
    people.set_profile(ann, email=SECRET)
    people.relation("SetVisibility", user_id=ann, fields=[
        {"field": "email", "visibility": FRIENDS}])
    sequence = people.set_profile(ann, nick="Ann").sequence
    where = ["--server", server.address, "--app", people.app]
    status, shown, complaint = ctl(
        "explain", "profile", bob, ann, "--fields", "email,nick", *where)
    assert status == 0, complaint
    assert "email" in shown and "only_friends" in shown and SECRET not in shown
    assert "email rung field_choice" in shown and "VISIBILITY_FRIENDS" in shown
    assert "nick rung card_field" in shown
    status, shown, complaint = ctl(
        "explain", "event", bob, ann, "--sequence", sequence, *where)
    assert status == 0 and "does not come" in shown, complaint
    assert "event rung event_receiver" in shown and "Ann" not in shown
    status, shown, _ = ctl("explain", "event", ann, ann, "--kind", "profile_change", *where)
    assert status == 0 and "comes" in shown
    status, shown, _ = ctl("explain", "update", ann, "--as-user", *where)
    assert status == 0 and "update rung write" in shown
    assert ctl("explain", "event", ann, bob, *where)[0] == 64
    status, shown, _ = ctl("explain", "30525")
    assert status == 0 and "FRIEND_STATUS_IN_OTHER_SIDE_BLACK_LIST" in shown
