"""Every list of the contract is read by pages in one way."""

import time

import grpc
import pytest
from people import People, codes
from refusals import assert_invalid, refusal
from stubs import Relation

CLIENT = "client"
LIMITS = {
    "ListChanges": 500, "ListSubscriptions": 200, "ListMutualFriends": 200, "SuggestFriends": 200,
    "FindUsers": 100,
}  # fmt: skip
DEFAULT = 100
# Groups come without pages; each has pages of its members, which test_groups reads.
# A server makes records of an audit only if it is asked to: test_audit.py reads them by pages.
NOT_LISTS = {"GetFriendGroups", "ListAuditRecords"}
# Each list: the field of its rows, and the fields that its request needs.
ROWS = {
    "ListFriends": ("friends", {}),
    "SearchFriends": ("friends", {"keyword": "u"}),
    "FindUsers": ("users", {"keyword": "user"}),
    "SyncFriends": ("friends", {}),
    "ListMutualFriends": ("user_ids", {"other_user_id": "bob"}),
    "SuggestFriends": ("suggestions", {}),
    "ListReverseFriends": ("users", {}),
    "ListDismissedSuggestions": ("users", {}),
    "ListApplications": ("applications", {}),
    "ListBlacklist": ("entries", {}),
    "ListSubscriptions": ("subscriptions", {}),
    "ListFollowing": ("entries", {}),
    "ListFollowers": ("entries", {}),
    "ListMutualFollows": ("entries", {}),
    "ListInvitations": ("invitations", {}),
    "ListChanges": ("events", {}),
    "ListPermissions": ("permissions", {"client_app_id": CLIENT}),
    "ListAppFriends": ("friends", {"client_app_id": CLIENT}),
    "ListAccounts": ("accounts", {}),
    "ListSuspensions": ("suspensions", {}),
    "ListReports": ("reports", {}),
    "ListReviews": ("reviews", {}),
    "ListHistory": ("entries", {}),
    "ListApps": ("apps", {}),
    "ListCredentials": ("credentials", {}),
    "ListHooks": ("hooks", {}),
    "ListHookFailures": ("failures", {}),
    "ListOperatorKeys": ("operator_keys", {}),
    "ListBackups": ("backups", {}),
    "ListCustomFields": ("fields", {}),
    "ListClientApps": ("client_apps", {}),
    "ListPermissionDefinitions": ("permissions", {}),
    "ListConsumers": ("consumers", {}),
}
# The lists of which the tests have more rows than a page may have.
LONG = {
    "ListFriends", "SearchFriends", "FindUsers", "SyncFriends", "ListMutualFriends",
    "ListBlacklist", "ListSubscriptions", "ListChanges", "ListAccounts", "ListFollowing",
    "ListFollowers", "ListMutualFollows", "ListDismissedSuggestions", "ListSuspensions",
    "ListReports", "ListReviews", "ListHistory",
}  # fmt: skip


class Lists:
    """An app whose user ann has several rows of every list."""

    def __init__(self, relation, count):
        limits = {"friends": 5_000, "blacklisted_users": 5_000, "subscriptions": 5_000}
        reviewed = {"shown": {"values": ["email"]}}
        made = relation("CreateApp", settings={
            "limits": limits, "finds_users": True, "reviewed_fields": reviewed,
            "history_days": 30}).app
        self.relation = relation.in_app(made.app_id)
        self.people = People(self.relation)
        self.users = [f"u{number:05}" for number in range(count)]
        self.people.make(["ann", "bob", *self.users], nick="User")
        for user in ("ann", "bob"):
            self.people.befriend(user, *self.users)
        for start in range(0, count, 200):
            answer = self.relation(
                "Subscribe", user_id="ann", user_ids=self.users[start:start + 200],
                expiry_seconds=3_600)  # fmt: skip
            assert set(codes(answer)) == {0}
        for start in range(0, count, 100):
            answer = self.relation(
                "Follow", user_id="ann", user_ids=self.users[start:start + 100])
            assert set(codes(answer)) == {0}
            answer = self.relation(
                "DismissSuggestions", user_id="ann", user_ids=self.users[start:start + 100])
            assert set(codes(answer)) == {0}
        for user in self.users:
            assert codes(self.relation("Follow", user_id=user, user_ids=["ann"])) == [0]

    def report(self, users):
        """Each user is reported by one that has reported few others."""
        for number, user in enumerate(users):
            self.relation(
                "ReportUser", user_id=self.users[number // 50], reported_user_id=user, category=1)

    def review(self, users):
        """Each user writes a value that is reviewed, without the scope of administrators."""
        relation = self.relation
        own = Relation(
            relation.stubs, relation.channel, [*relation.metadata, ("x-scopes", "read,write")])
        for user in users:
            own("UpdateProfile", user_id=user, profile={"email": user},
                update_mask={"paths": ["email"]})

    def suspend(self, users):
        for start in range(0, len(users), 100):
            items = [{"user_id": user, "level": 1} for user in users[start:start + 100]]
            assert set(codes(self.relation("SuspendAccounts", items=items))) == {0}

    def ask(self, call, **fields):
        return self.relation(call, **self.fields(call, **fields))

    def fields(self, call, **fields):
        request = self.relation.stubs.method(call)[1].input_type
        acting = {"user_id": "ann"} if "user_id" in request.fields_by_name else {}
        if "hook_id" in request.fields_by_name:
            acting["hook_id"] = self.hook
        return {**acting, **ROWS[call][1], **fields}

    def rows(self, call, page):
        return list(getattr(page, ROWS[call][0]))

    def pages(self, call, page_size):
        """All pages; only the last one has no token."""
        pages, token = [], ""
        while not pages or token:
            pages.append(self.ask(call, page_size=page_size, page_token=token))
            token = pages[-1].next_page_token
            assert len(pages) < 2_000, "the list does not end"
        return pages


@pytest.fixture(scope="module")
def lists(relation):
    lists = Lists(relation, 5)
    people, relation = lists.people, lists.relation
    people.make([f"v{number}" for number in range(9)])
    people.befriend(lists.users[0], "v0", "v1", "v2")
    people.block("ann", "v3", "v4", "v5")
    for user in ("v6", "v7", "v8"):
        people.apply("ann", user)
    people.make(["x0", "x1", "x2"])
    people.import_friends(
        [{"user_id": user, "friend_user_id": "ann"} for user in ("x0", "x1", "x2")])
    for client in (CLIENT, "another", "third"):
        people.register_client(client)
    people.grant("ann", CLIENT, "email", "user_birthday", "user_friends")
    for user in lists.users[:3]:
        people.grant(user, CLIENT, "user_friends")
    fields = [{"owner": 1 + number % 2, "key": key, "value_type": 1}
              for number, key in enumerate(["z", "b", "m"])]
    assert codes(relation("DefineCustomFields", items=fields)) == [0] * 3
    for name in ("orders", "audit", "mails"):
        relation("AcquireConsumer", consumer=name)
    lists.report(["x0", "x1", "x2"])
    lists.review(["x0", "x1", "x2"])
    lists.suspend(["x0", "x1", "x2"])
    for _ in range(3):
        relation("CreateCredential", scopes=["SCOPE_READ"])
        relation("CreateInvitation", user_id="ann", max_uses=1, expiry_seconds=3_600)
        relation("CreateOperatorKey", name="anna")
        relation("CreateApp")
    make_backups(relation, 3)
    lists.hook = make_failures(relation, lists.users[:3])
    return lists


def make_failures(relation, users):
    """Makes hooks, and a failed request of the last one for each of the users."""
    for _ in range(3):
        hook = relation("CreateHook", url="https://receiver.invalid/").hook.hook_id
    for user in users:
        relation("UpdateProfile", user_id=user, profile={"nick": user},
                 update_mask={"paths": ["nick"]})
    while relation("ListHookFailures", hook_id=hook).total_size < len(users):
        time.sleep(0.1)
    for made in relation("ListHooks").hooks:
        relation("UpdateHook", hook_id=made.hook_id, paused=True)
    # What is under way ends and is stored.
    before = None
    while before != (before := relation("ListHookFailures", hook_id=hook).total_size):
        time.sleep(3)
    return hook


def make_backups(relation, count):
    """Makes so many, each in a second of its own."""
    while len(relation("ListBackups").backups) < count:
        try:
            list(relation.start("CreateBackup")(relation.stubs.request("CreateBackup", {})))
        except grpc.RpcError:
            time.sleep(0.1)


@pytest.fixture(scope="module")
def long(relation):
    lists = Lists(relation, 1_001)
    # The users on the blacklist are others than the friends.
    others = [f"w{number:05}" for number in range(1_001)]
    lists.people.make(others)
    for start in range(0, len(others), 500):
        lists.people.block("ann", *others[start:start + 500])
    lists.report(others)
    lists.review(others)
    lists.suspend(others)
    for number in range(500):
        lists.people.set_profile("ann", level=number)
    return lists


def limit_of(call):
    return LIMITS.get(call, 1_000)


def test_every_list_of_the_contract_is_here(stubs):
    found = set()
    for path in stubs.paths:
        method = stubs.method(path)[1]
        request, response = method.input_type.fields_by_name, method.output_type.fields_by_name
        if {"page_size", "page_token"} & set(request) or "next_page_token" in response:
            found.add(method.name)
            if method.name in NOT_LISTS:
                continue
            numbers = request["page_size"].number, request["page_token"].number
            assert numbers == (3, 4), method.name
            assert "next_page_token" in response, method.name
    assert found - NOT_LISTS == set(ROWS)


@pytest.mark.parametrize("call", ROWS)
def test_the_limit_of_a_page_is_told(lists, call):
    told = {limit.name: limit.value for limit in lists.relation("GetLimits", user_id="ann").limits}
    assert told.get(f"{call}.page_size", told["page_size"]) == limit_of(call)


@pytest.mark.parametrize("call", ROWS)
def test_pages_of_one_row_make_the_whole_list(lists, call):
    whole = lists.ask(call, page_size=limit_of(call))
    rows = lists.rows(call, whole)
    assert len(rows) >= 3 and whole.next_page_token == ""
    pages = lists.pages(call, 1)
    assert [row for page in pages for row in lists.rows(call, page)] == rows
    # A page may have fewer rows than it is asked for, but these lists are short.
    assert all(len(lists.rows(call, page)) == 1 for page in pages)
    if "total_size" in whole.DESCRIPTOR.fields_by_name:
        field = "visible_size" if call == "ListAppFriends" else "total_size"
        assert {getattr(page, field) for page in [whole, *pages]} == {len(rows)}


@pytest.mark.parametrize("call", ROWS)
def test_a_page_size_above_the_limit_is_the_limit_and_0_is_a_hundred(lists, call):
    wanted = lists.rows(call, lists.ask(call, page_size=limit_of(call)))
    for size in (0, limit_of(call) + 1, 2**31 - 1):
        assert lists.rows(call, lists.ask(call, page_size=size)) == wanted


@pytest.mark.parametrize("call", sorted(LONG))
def test_a_longer_list_ends_its_page_at_the_limit(long, call):
    limit = limit_of(call)
    for size, count in ((0, DEFAULT), (limit, limit), (limit + 1, limit), (2**31 - 1, limit)):
        page = long.ask(call, page_size=size)
        assert len(long.rows(call, page)) == count, size
        assert page.next_page_token
    rest = long.ask(call, page_size=limit + 1, page_token=page.next_page_token)
    assert long.rows(call, rest)


@pytest.mark.parametrize("call", ROWS)
@pytest.mark.parametrize("size", [-1, -(2**31)])
def test_a_negative_page_size_is_invalid(lists, call, size):
    refused = refusal(lists.relation, call, **lists.fields(call, page_size=size))
    assert_invalid(refused, "page_size")


@pytest.mark.parametrize("call", ROWS)
def test_a_token_goes_on_with_pages_of_any_size(lists, call):
    whole = lists.rows(call, lists.ask(call))
    token = lists.ask(call, page_size=1).next_page_token
    assert lists.rows(call, lists.ask(call, page_size=2, page_token=token)) == whole[1:3]
    assert lists.rows(call, lists.ask(call, page_token=token)) == whole[1:]


@pytest.mark.parametrize("call", ROWS)
def test_a_token_of_another_list_or_of_none_is_invalid(lists, call):
    tokens = [lists.ask(other, page_size=1).next_page_token for other in ROWS if other != call]
    assert all(tokens)
    own = lists.ask(call, page_size=1).next_page_token
    for token in [*tokens, "x", own[:-2], own + "00", "é"]:
        refused = refusal(lists.relation, call, **lists.fields(call, page_token=token))
        assert_invalid(refused, "page_token", reason="INVALID_PAGE_TOKEN")


@pytest.mark.parametrize("call", ROWS)
def test_a_token_of_another_app_or_user_is_invalid(relation, lists, call):
    token = lists.ask(call, page_size=1).next_page_token
    fields = lists.fields(call, page_token=token)
    other = relation.in_app(relation("CreateApp").app.app_id)
    if "user_id" in fields:
        refused = refusal(lists.relation, call, **{**fields, "user_id": lists.users[0]})
        assert_invalid(refused, "page_token", reason="INVALID_PAGE_TOKEN")
        People(other).make(["ann", "bob"])
        People(other).register_client(CLIENT)
    # The list of all apps is the same for every app.
    if call not in ("ListApps", "ListOperatorKeys", "ListBackups"):
        refused = refusal(other, call, **fields)
        assert_invalid(refused, "page_token", reason="INVALID_PAGE_TOKEN")
