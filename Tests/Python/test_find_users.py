"""FindUsers: a search over the whole app, and who may be found by it."""

import time

import pytest
from people import People
from refusals import refusal
from stubs import Relation

OFF = {"finds_users": False}
NOBODY, EVERYONE = 1, 2


@pytest.fixture
def app(relation):
    """Makes an app with these settings."""
    def make(**settings):
        made = relation("CreateApp", settings={"finds_users": True, **settings}).app
        return People(relation.in_app(made.app_id))

    return make


def own(people, user):
    """The calls of the user itself."""
    relation = people.relation
    return Relation(relation.stubs, relation.channel, [*relation.metadata, ("x-user-id", user)])


def found(relation, user, keyword, **fields):
    answer = relation("FindUsers", user_id=user, keyword=keyword, **fields)
    return [row.user_id for row in answer.users]


def whole(people, keyword):
    """The answer as soon as the index is complete."""
    end = time.monotonic() + 90
    while True:
        answer = people.relation("FindUsers", user_id="ann", keyword=keyword)
        if not answer.index_incomplete:
            return [row.user_id for row in answer.users]
        assert time.monotonic() < end, "the index does not become complete"
        time.sleep(0.05)


def test_each_writer_of_a_nick_keeps_the_index(app):
    people = app()
    people.make(["ann"])
    people.make(["bob"], nick="Robert")
    relation = people.relation
    assert whole(people, "rob") == ["bob"]
    relation("UpdateProfile", user_id="bob", profile={"nick": "张三"})
    assert found(relation, "ann", "rob") == []
    for keyword in ("张", "zhang san", "zhangs", "zs"):
        assert found(relation, "ann", keyword) == ["bob"]
    relation("DeleteAccounts", user_ids=["bob"])
    assert found(relation, "ann", "zs") == []


def test_an_app_that_switches_the_search_on_later_has_all_its_users(app):
    people = app(**OFF)
    users = [f"u{number:04}" for number in range(300)]
    people.make(["ann"])
    people.make(users, nick="Zoë")
    refused = refusal(people.relation, "FindUsers", user_id="ann", keyword="zoe")
    assert refused.reason == "USER_SEARCH_OFF"
    people.relation("UpdateApp", settings={"finds_users": True})
    assert whole(people, "ZOE") == users[:100]
    people.relation("UpdateApp", settings=OFF)
    refused = refusal(people.relation, "FindUsers", user_id="ann", keyword="zoe")
    assert refused.reason == "USER_SEARCH_OFF"
    # A nick that changes meanwhile is in the next index.
    people.relation("UpdateProfile", user_id="u0007", profile={"nick": "Other"})
    people.relation("UpdateApp", settings={"finds_users": True})
    assert whole(people, "other") == ["u0007"]
    assert "u0007" not in whole(people, "zoe")


def test_who_may_be_found_is_the_choice_of_the_user_and_the_default_of_the_app(app):
    people = app(default_findability=NOBODY)
    people.make(["ann"])
    people.make(["bob", "carl"], nick="Kim")
    relation, ann = people.relation, own(people, "ann")
    relation("UpdateProfile", user_id="bob", profile={"unique_id": "b1"})
    for keyword in ("kim", "bob", "b1"):
        assert found(ann, "ann", keyword) == []
    assert ann("FindProfileByUniqueId", user_id="ann", unique_id="b1").code == 24366
    assert found(relation, "ann", "kim") == ["bob", "carl"]
    relation("SetFindSettings", user_id="bob", settings={"by_name": EVERYONE})
    assert found(ann, "ann", "kim") == ["bob"]
    assert found(relation, "ann", "kim") == ["bob", "carl"]
    relation("SetFindSettings", user_id="bob", settings={"by_unique_id": EVERYONE})
    assert found(ann, "ann", "b1") == ["bob"]
    assert ann("FindProfileByUniqueId", user_id="ann", unique_id="b1").code == 0
    people.block("bob", "ann")
    assert found(ann, "ann", "kim") == found(ann, "ann", "b1") == []
    assert found(relation, "ann", "kim") == ["bob", "carl"]


def test_a_check_finds_the_index_whole(app):
    people = app()
    people.make(["ann", "bob"], nick="曾三")
    people.relation("SetFindSettings", user_id="bob", settings={"by_name": NOBODY})
    relation = people.relation
    request = relation.stubs.request("CheckIntegrity", {})
    answers = list(
        relation.start("CheckIntegrity")(request, timeout=60, metadata=relation.metadata))
    assert not [answer for answer in answers if answer.WhichOneof("answer") == "finding"]
