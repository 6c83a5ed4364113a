"""Tests of a client, each in an app of its own."""

import pytest


@pytest.fixture
def friends(relation, app):
    """Ann and Bob, who are friends."""
    for user in ("ann", "bob"):
        relation.call(
            "ProfileService/UpdateProfile",
            {"userId": user, "profile": {"nick": user.capitalize()}}, app)
    relation.call(
        "FriendService/AddFriends",
        {"userId": "ann", "items": [{"userId": "bob", "source": "Web"}]}, app)
    return "ann", "bob"


def listed(relation, app, user):
    answer = relation.call("FriendService/ListFriends", {"userId": user}, app)
    return [friend["userId"] for friend in answer.get("friends", [])]


def test_friends_are_listed(relation, app, friends):
    assert listed(relation, app, "ann") == ["bob"]


def test_an_overloaded_server_is_an_error(relation, app, friends):
    with pytest.raises(RuntimeError, match="OVERLOADED"):
        relation.call(
            "FriendService/ListFriends", {"userId": "ann"}, app,
            fault="code=UNAVAILABLE; reason=OVERLOADED")


def test_a_week_passes_at_once(relation):
    before = relation.now_ms()
    relation.set_clock(advance_ms=7 * 86_400_000)
    assert relation.now_ms() >= before + 7 * 86_400_000
