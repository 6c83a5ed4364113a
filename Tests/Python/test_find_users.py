"""FindUsers: a search over the whole app, and who may be found by it."""

import hashlib
import hmac
import time

import pytest
from people import People
from stubs import Relation

OFF = {"finds_users": False}
NO_USER, EVERYONE = 1, 2


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


def whole(people, keyword, seconds=90):
    """The answer as soon as the index is complete."""
    end = time.monotonic() + seconds
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
    answer = people.relation("FindUsers", user_id="ann", keyword="zoe")
    assert answer.index_incomplete and not answer.users
    assert found(people.relation, "ann", "u0001") == ["u0001"]
    people.relation("UpdateApp", settings={"finds_users": True})
    assert whole(people, "ZOE") == users[:100]
    people.relation("UpdateApp", settings=OFF)
    answer = people.relation("FindUsers", user_id="ann", keyword="zoe")
    assert answer.index_incomplete and not answer.users
    assert found(people.relation, "ann", "u0001") == ["u0001"]
    # A nick that changes meanwhile is in the next index.
    people.relation("UpdateProfile", user_id="u0007", profile={"nick": "Other"})
    people.relation("UpdateApp", settings={"finds_users": True})
    assert whole(people, "other") == ["u0007"]
    assert "u0007" not in whole(people, "zoe")


def test_an_import_that_switches_the_search_on_begins_the_index(app):
    people = app(**OFF)
    rows = [
        {"point": {"format": 1}},
        {"app": {"app_id": 1, "preset": 1, "settings": {"finds_users": True}}},
        {"account": {"user_id": "ann", "create_time_ms": 1_000}},
        {"account": {"user_id": "bob", "create_time_ms": 1_000}},
        {"profile": {"profile": {"user_id": "bob", "nick": "Robert"}}},
    ]
    told, progress = people.imported("ImportApp", [{"row": row} for row in rows])
    assert (told, progress.refused) == ([], 0)
    # The server looks for work by itself once a minute.
    assert whole(people, "rob", seconds=20) == ["bob"]


def test_who_may_be_found_is_the_choice_of_the_user_and_the_default_of_the_app(app):
    people = app(default_findability=NO_USER)
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
    people.relation("SetFindSettings", user_id="bob", settings={"by_name": NO_USER})
    relation = people.relation
    request = relation.stubs.request("CheckIntegrity", {})
    answers = list(
        relation.start("CheckIntegrity")(request, timeout=60, metadata=relation.metadata))
    assert not [answer for answer in answers if answer.WhichOneof("answer") == "finding"]


PHONE, EMAIL = 1, 2


def digest(text):
    return hmac.digest(b"a key of the app", text.encode(), hashlib.sha256)


def contacts(relation, user, *texts, kind=PHONE):
    answer = relation(
        "FindContacts", user_id=user, kind=kind, digests=[digest(text) for text in texts])
    return [(row.digest, row.user_id) for row in answer.contacts], answer.code, answer.left_today


def test_users_are_found_by_the_digests_of_their_contacts(app):
    people = app(limits={"contact_lookups": 3})
    people.make(["ann", "bob", "carl"])
    relation, ann = people.relation, own(people, "ann")
    for user in ("bob", "carl"):
        relation("SetContactDigests", user_id=user, kind=PHONE, digests=[digest("+4930123")])
    both = [(digest("+4930123"), "bob"), (digest("+4930123"), "carl")]
    assert contacts(ann, "ann", "+4930999", "+4930123") == (both, 0, 1)
    # Nothing is counted beyond the limit.
    assert contacts(ann, "ann", "+4930999", "+4930123") == ([], 30001, 1)
    relation("SetFindSettings", user_id="bob", settings={"by_phone": NO_USER})
    assert contacts(ann, "ann", "+4930123") == (both[1:], 0, 0)
    limits = {limit.name: limit for limit in relation("GetLimits", user_id="ann").limits}
    assert limits["limits.contact_lookups"].in_use == 3
    answer = ann("SetContactDigests", user_id="ann", kind=PHONE, digests=[digest("+4930123")])
    assert (answer.code, answer.info) == (30004, "Err_ContactSet_Admin_Required")


def test_a_request_that_is_repeated_counts_once(app):
    people = app(limits={"contact_lookups": 3})
    people.make(["ann"])
    request = {"user_id": "ann", "kind": EMAIL, "digests": [digest("a@example.org")] * 2}
    first = people.relation("FindContacts", options={"request_id": "one"}, **request)
    again = people.relation("FindContacts", options={"request_id": "one"}, **request)
    assert (first.left_today, again.left_today, again.replayed) == (1, 1, True)
    dry = people.relation("FindContacts", options={"dry_run": True}, **request)
    assert (dry.code, dry.left_today) == (30001, 1)


def test_no_more_users_have_a_digest_than_may(people):
    users = people(5)
    digests = [b"5" * 32]
    answers = [
        people.relation("SetContactDigests", user_id=user, kind=PHONE, digests=digests)
        for user in users]
    assert [answer.code for answer in answers] == [0, 0, 0, 0, 30001]
    full = people.stubs.Reason.Value("REASON_CONTACT_SET_DIGEST_FULL")
    assert answers[-1].reason == full
