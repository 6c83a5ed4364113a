"""The list of all calls in Swift is that of the contract."""

import pathlib

import call_lists

COMMITTED = pathlib.Path(__file__).resolve().parents[2] / "Sources/RelationAPI/ServiceTable+Calls.swift"


def test_the_list_is_made_from_the_contract():
    assert COMMITTED.read_text() == call_lists.text(), (
        "run 'make contract', which writes the list of calls")


def test_names_are_those_of_swift():
    assert call_lists.noun("FriendGroupService") == "Group"
    assert call_lists.noun("ProfileService") == "Profile"
    assert call_lists.method("FindProfileByUniqueId") == "findProfileByUniqueID"
    assert call_lists.method("AddFriends") == "addFriends"


def test_each_call_of_the_contract_is_listed():
    described = sum(
        path.read_text().count("\n  rpc ") for path in call_lists.PROTO.glob("*.proto"))
    listed = [call for calls in call_lists.services().values() for call in calls]
    assert len(listed) == described > 100
