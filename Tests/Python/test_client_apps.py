"""AppService's client apps, and the permissions for which they may ask users."""

import grpc
import pytest
from people import People
from refusals import assert_invalid, refusal
from stubs import Relation

NAMES = "Err_Consent_Define_"
BUILT_IN = {
    "public_profile": "PERMISSION_KIND_BASIC",
    "email": "PERMISSION_KIND_EMAIL",
    "user_birthday": "PERMISSION_KIND_EXTENDED_PROFILE",
    "user_location": "PERMISSION_KIND_EXTENDED_PROFILE",
    "user_friends": "PERMISSION_KIND_BASIC",
}
TEN_YEARS = 3650 * 86_400_000


def define(people, *permissions, **options):
    permissions = [{"kind": "PERMISSION_KIND_EXTENDED", **item} for item in permissions]
    return people.relation("DefinePermissions", items=permissions, options=options)


def outcomes(answer):
    return [(result.code, result.info.removeprefix(NAMES)) for result in answer.results]


def listed(people):
    """Every client app, by id, and every permission, by name."""
    clients, permissions = {}, {}
    for page in people.pages("ListClientApps", 1000):
        clients |= {client.client_app_id: client.name for client in page.client_apps}
    for page in people.pages("ListPermissionDefinitions", 1000):
        permissions |= {permission.name: permission for permission in page.permissions}
    return clients, permissions


@pytest.fixture(scope="module")
def registered(people):
    """Client apps in the order in which they were registered, which is not that of their ids."""
    clients = [f"{letter}.client-{number}_" for letter in "zaM" for number in range(3)]
    for client in clients:
        people.register_client(client)
    return clients


# RegisterClientApp, ListClientApps


def test_a_client_app_is_registered_once_and_renamed(people):
    first = people.relation("RegisterClientApp", client_app_id="renamed", name="One")
    assert (first.client_app.client_app_id, first.client_app.name) == ("renamed", "One")
    assert (first.sequence, first.applied, first.replayed) == (0, True, False)
    for applied in (True, False):
        again = people.relation("RegisterClientApp", client_app_id="renamed", name="Två")
        assert (again.client_app.name, again.applied) == ("Två", applied)
    assert listed(people)[0]["renamed"] == "Två"


@pytest.mark.parametrize("page_size", [1, 2, 5, 1000, 0])
def test_pages_list_all_client_apps_in_order_of_their_ids(people, registered, page_size):
    pages = list(people.pages("ListClientApps", page_size))
    ids = [client.client_app_id for page in pages for client in page.client_apps]
    assert ids == sorted(ids) and set(registered) <= set(ids)
    assert all(page.total_size == len(ids) for page in pages)


@pytest.mark.parametrize("page_size", [1, 2, 5, 1000, 0])
def test_pages_list_all_permissions_in_order_of_their_names(people, page_size):
    define(people, {"name": "a.first"}, {"name": ".last"})
    pages = list(people.pages("ListPermissionDefinitions", page_size))
    names = [permission.name for page in pages for permission in page.permissions]
    assert names == sorted(names) and {"a.first", ".last", *BUILT_IN} <= set(names)
    assert all(page.total_size == len(names) for page in pages)
    assert all(len(page.permissions) == page_size for page in pages[:-1])


def test_a_token_of_another_list_is_refused(people, registered):
    token = people.relation("ListClientApps", page_size=1).next_page_token
    (ann,) = people(1)
    refused = refusal(people.relation, "ListBlacklist", user_id=ann, page_token=token)
    assert_invalid(refused, "page_token", reason="INVALID_PAGE_TOKEN")
    refused = refusal(people.relation, "ListClientApps", page_token=token[:-2])
    assert_invalid(refused, "page_token", reason="INVALID_PAGE_TOKEN")
    refused = refusal(people.relation, "ListPermissionDefinitions", page_token=token)
    assert_invalid(refused, "page_token", reason="INVALID_PAGE_TOKEN")


@pytest.mark.parametrize("client", ["", "x" * 65, "a b", "a/b", "a\0", "é", "a:b"])
def test_a_malformed_client_app_is_named(people, client):
    refused = refusal(people.relation, "RegisterClientApp", client_app_id=client, name="")
    assert_invalid(refused, "client_app_id", "name")


def test_the_texts_of_a_client_app_have_limits(people):
    refused = refusal(
        people.relation, "RegisterClientApp", client_app_id="long", name="é" * 64 + "x"
    )
    assert_invalid(refused, "name")
    people.relation("RegisterClientApp", client_app_id="l" * 64, name="é" * 64)
    assert listed(people)[0]["l" * 64] == "é" * 64


def test_an_app_has_a_hundred_client_apps(start, stubs):
    with grpc.insecure_channel(start().address) as channel:
        people = People(Relation(stubs, channel))
        for number in range(100):
            people.register_client(f"client{number}")
        refused = refusal(people.relation, "RegisterClientApp", client_app_id="more", name="x")
        assert refused.code == grpc.StatusCode.RESOURCE_EXHAUSTED
        assert refused.reason == "TOO_MANY_CLIENT_APPS"
        assert refused.metadata == {"limit": "100", "actual": "100"}
        people.relation("RegisterClientApp", client_app_id="client7", name="renamed")
        assert len(listed(people)[0]) == 100


def test_client_apps_and_permissions_survive_a_restart(start, stubs):
    for kept in (False, True):
        running = start("kept")
        with grpc.insecure_channel(running.address) as channel:
            people = People(Relation(stubs, channel))
            if not kept:
                people.register_client("kept", "Kept")
                assert outcomes(define(people, {"name": "kept", "fields": ["level"]})) == [(0, "")]
            clients, permissions = listed(people)
            assert clients == {"kept": "Kept"}
            assert list(permissions["kept"].fields) == ["level"]
        assert running.stop() == 0


# DefinePermissions


def test_the_built_in_permissions_are_there(people):
    kinds = {
        name: people.stubs.PermissionKind.Name(permission.kind)
        for name, permission in listed(people)[1].items()
        if name in BUILT_IN
    }
    assert kinds == BUILT_IN


def test_the_public_profile_opens_the_nine_basic_fields_and_the_picture(people):
    fields = set(listed(people)[1]["public_profile"].fields)
    # The id, the ninth, is always there.
    basic = "name first_name last_name link username gender locale age_range".split()
    assert fields >= {*basic, "picture_url"}
    assert fields.isdisjoint({"email", "birthday", "location", "unique_id"})


@pytest.mark.parametrize(
    "item, wanted",
    [
        ({"name": ""}, (40001, "Permission_Illegal")),
        ({"name": "x" * 65}, (40001, "Permission_Illegal")),
        ({"name": "a-b"}, (40001, "Permission_Illegal")),
        ({"name": "n", "fields": ["level", "level"]}, (40001, "Fields_Illegal")),
        ({"name": "n", "fields": [f"f{i}" for i in range(65)]}, (40001, "Fields_Illegal")),
        ({"name": "n", "lifetime_ms": -1}, (40001, "Lifetime_Illegal")),
        ({"name": "n", "lifetime_ms": TEN_YEARS + 1}, (40001, "Lifetime_Illegal")),
        ({"name": "n", "lifetime_ms": TEN_YEARS}, (0, "")),
        ({"name": "email"}, (40605, "Built_In")),
        ({"name": "public_profile", "kind": 1, "lifetime_ms": 5}, (40605, "Built_In")),
        ({"name": "public_profile", "kind": 1}, (0, "")),
        ({"name": "n", "fields": ["nothing"]}, (40009, "Field_Not_Exist")),
        ({"name": "n", "fields": ["user_id"]}, (40009, "Field_Not_Exist")),
        ({"name": "n", "fields": ["custom.No"]}, (40009, "Field_Not_Exist")),
        ({"name": "n", "fields": ["msg_settings"]}, (40007, "Field_Not_Readable")),
        ({"name": "n", "fields": ["admin_forbid_type"]}, (40007, "Field_Not_Readable")),
        ({"name": "n", "fields": ["level"], "access": 2}, (40605, "Access_Illegal")),
        ({"name": "n", "kind": 2, "access": 2}, (40605, "Access_Illegal")),
        ({"name": "n", "kind": 3, "access": 2}, (40605, "Access_Illegal")),
        ({"name": "n", "kind": 1}, (40605, "Kind_Illegal")),
        ({"name": "n", "kind": 5, "access": 2}, (0, "")),
    ],
)
def test_each_definition_is_answered_alone(people, item, wanted):
    answer = define(people, item, {"name": "beside", "fields": ["level"]})
    assert outcomes(answer) == [wanted, (0, "")]
    assert [result.name for result in answer.results] == [item["name"], "beside"]
    assert "beside" in listed(people)[1]


def test_a_definition_replaces_the_earlier_one(people):
    define(people, {"name": "replaced", "fields": ["level"]})
    define(people, {"name": "replaced", "kind": 5, "fields": ["role"], "lifetime_ms": 7})
    permission = listed(people)[1]["replaced"]
    assert (permission.kind, permission.access, permission.lifetime_ms) == (5, 1, 7)
    assert list(permission.fields) == ["role"]


def test_a_definition_given_twice_must_be_the_same(people):
    one, other = {"name": "twice", "fields": ["role"]}, {"name": "twice"}
    assert outcomes(define(people, one, one, other)) == [(0, ""), (0, ""), (40001, "Duplicate")]
    assert list(listed(people)[1]["twice"].fields) == ["role"]


def test_kinds_and_accesses_must_be_known(people):
    items = [{"name": "a"}, {"name": "b", "kind": 6}, {"name": "c", "kind": 4, "access": 3}]
    refused = refusal(people.relation, "DefinePermissions", items=items)
    assert_invalid(
        refused, "items[0].kind", "items[1].kind", "items[2].access"
    )


@pytest.mark.parametrize("count, reason", [(0, "INVALID_FIELD"), (101, "TOO_MANY_ITEMS")])
def test_one_to_a_hundred_permissions_are_defined_at_once(people, count, reason):
    refused = refusal(define, people, *[{"name": f"n{number}"} for number in range(count)])
    assert_invalid(refused, "items", reason=reason)


def test_an_app_defines_a_hundred_permissions(start, stubs):
    with grpc.insecure_channel(start().address) as channel:
        people = People(Relation(stubs, channel))
        items = [{"name": f"n{number}"} for number in range(101)]
        assert outcomes(define(people, *items[:99])) == [(0, "")] * 99
        assert outcomes(define(people, *items[98:], {"name": "n0", "fields": ["level"]})) == [
            (0, ""),
            (0, ""),
            (40605, "Permission_Num_Exceed_Threshold"),
            (0, ""),
        ]
        assert len(listed(people)[1]) == 100 + len(BUILT_IN)


# Options


def test_definitions_are_held_back_and_tried_and_repeated(people):
    before = listed(people)
    good, bad = {"name": "held"}, {"name": "held.too", "fields": ["nothing"]}
    held = define(people, good, bad, all_or_nothing=True)
    assert (held.applied, outcomes(held)[0]) == (False, (0, ""))
    assert not any(result.changed for result in held.results)
    tried = define(people, good, dry_run=True)
    assert (tried.applied, outcomes(tried)) == (False, [(0, "")])
    assert listed(people) == before
    done = define(people, good, request_id="define")
    again = define(people, good, request_id="define")
    assert done.applied and again.replayed and outcomes(again) == [(0, "")]
    refused = refusal(define, people, bad, request_id="define")
    assert refused.reason == "REQUEST_ID_REUSED"


def test_a_registration_is_tried_and_repeated(people):
    fields = {"client_app_id": "tried", "name": "x"}
    tried = people.relation("RegisterClientApp", options={"dry_run": True}, **fields)
    assert not tried.applied and "tried" not in listed(people)[0]
    for replayed in (False, True):
        answer = people.relation(
            "RegisterClientApp", options={"request_id": "register"}, **fields
        )
        assert (answer.applied, answer.replayed) == (True, replayed)
