"""What changed is said at the item: `changed` of each result, and `applied` of the whole answer.

`Answers` holds for every answer of every test that `applied` is true exactly if a result says that
it changed something, and that a refused item changed nothing.
"""

import time

import pytest
from people import People, codes
from stubs import Relation
from test_every_call import takes

CLIENT = "client"
PROFILE = 1


class Scene:
    """Users of an app of their own, and the requests of ann."""

    def __init__(self, relation):
        self.relation = relation.in_app(relation("CreateApp").app.app_id)
        self.people = People(self.relation)
        self.ann, self.bob, self.eve = self.people(3)
        self.unknown = self.people.unknown_user()
        self.people.register_client(CLIENT)

    def call(self, name, options=None, /, **fields):
        request = self.people.stubs.method(name)[1].input_type
        if "user_id" in request.fields_by_name:
            fields["user_id"] = self.ann
        return self.relation(name, **fields, options=options)

    def befriend(self):
        self.people.befriend(self.ann, self.bob)

    def group(self):
        self.befriend()
        self.people.group(self.ann, "old", self.bob)

    def empty_group(self):
        self.befriend()
        self.people.group(self.ann, "old")

    def asked(self):
        self.people.apply(self.bob, self.ann)

    def asks(self):
        self.people.apply(self.ann, self.bob)

    def block(self):
        self.people.block(self.ann, self.bob)

    def follow(self):
        self.call("Subscribe", user_ids=[self.bob], expiry_seconds=60)

    def follows(self):
        self.call("Follow", user_ids=[self.bob])

    def dismisses(self):
        self.call("DismissSuggestions", user_ids=[self.bob])

    def reader(self):
        """The number of the reader of a new consumer."""
        return self.call("AcquireConsumer", consumer="orders").consumer.reader

    def report(self):
        """The id of a report about bob."""
        self.call("ReportUser", reported_user_id=self.bob, category=1)
        return self.relation("ListReports").reports[0].report_id

    def kept(self):
        """The position of the change with which ann and bob became friends."""
        self.relation("UpdateApp", settings={"history_days": 1})
        self.befriend()
        return self.relation("ListHistory", about_user_id=self.ann).entries[0].position

    def review(self):
        """The id of the review of a value that ann wrote as a user does."""
        fields = {"reviewed_fields": {"held": {"values": ["nick"]}}}
        self.relation("UpdateApp", settings=fields)
        own = Relation(
            self.relation.stubs, self.relation.channel,
            [*self.relation.metadata, ("x-scopes", "read,write")])
        own("UpdateProfile", user_id=self.ann, profile={"nick": "Ann"},
            update_mask={"paths": ["nick"]})
        return self.relation("ListReviews").reviews[0].review_id

    def suspended(self):
        self.call("SuspendAccounts", items=[{"user_id": self.bob, "level": 2}])

    def grant(self):
        self.people.grant(self.ann, CLIENT, "email")

    def invitation(self, user):
        """An invitation of the user, with its code."""
        made = self.relation(
            "CreateInvitation", user_id=user, max_uses=1, expiry_seconds=60, pre_approved=True)
        return made.invitation.invitation_id, made.invitation_code

    def field(self):
        self.call("DefineCustomFields", items=[{"owner": PROFILE, "key": "x", "value_type": 1}])

    def app(self):
        """Another app of the server."""
        return self.relation("CreateApp").app.app_id

    def credential(self):
        made = self.call("CreateCredential", scopes=["SCOPE_READ"])
        return made.credential.credential_id

    def hook(self):
        """A hook that sends nothing."""
        made = self.call("CreateHook", url="https://receiver.invalid/", paused=True)
        return made.hook.hook_id

    def operator_key(self):
        """A key that ends by itself, so that it need not be the only one."""
        made = self.call("CreateOperatorKey", name="anna", expire_time_ms=1 << 60)
        return made.operator_key.credential_id


def nothing(scene):
    pass


def device(user, name):
    return {"user_id": user, "device_id": name, "online": True, "lease_seconds": 60}


# Each write whose answer has a result for each item: what comes before it; a request whose first
# item changes something and whose second is refused; the codes, and those of the same request sent
# again; and whether the first item then changes something once more.
ITEMS = {
    "AddFriends": (
        nothing, lambda s: {"items": [{"user_id": s.bob}, {"user_id": s.unknown}]},
        [0, 30003], [30001, 30003], False),
    "DeleteFriends": (
        Scene.befriend, lambda s: {"user_ids": [s.bob, s.eve]},
        [0, 31704], [31704, 31704], False),
    "UpdateFriends": (
        Scene.befriend,
        lambda s: {"items": [{"user_id": user, "remark": "new"} for user in (s.bob, s.eve)]},
        [0, 30001], [0, 30001], False),
    "RespondToApplications": (
        Scene.asked,
        lambda s: {"items": [{"user_id": user, "response_type": 2} for user in (s.bob, s.eve)]},
        [0, 30614], [30614, 30614], False),
    "DeletePendencies": (
        Scene.asked, lambda s: {"pendency_type": 1, "user_ids": [s.bob, s.eve]},
        [0, 30614], [30614, 30614], False),
    "WithdrawApplications": (
        Scene.asks, lambda s: {"user_ids": [s.bob, s.eve]},
        [0, 30614], [30614, 30614], False),
    "AddToBlacklist": (
        nothing, lambda s: {"user_ids": [s.bob, s.ann]},
        [0, 30001], [31307, 30001], False),
    "RemoveFromBlacklist": (
        Scene.block, lambda s: {"user_ids": [s.bob, s.eve]},
        [0, 31503], [31503, 31503], False),
    "CreateFriendGroups": (
        Scene.befriend, lambda s: {"names": ["new", ""], "user_ids": [s.bob]},
        [0, 30001], [30001, 30001], False),
    "DeleteFriendGroups": (
        Scene.group, lambda s: {"names": ["old", "none"]},
        [0, 30001], [30001, 30001], False),
    "AddFriendsToGroup": (
        Scene.empty_group, lambda s: {"name": "old", "user_ids": [s.bob, s.eve]},
        [0, 32518], [32519, 32518], False),
    "RemoveFriendsFromGroup": (
        Scene.group, lambda s: {"name": "old", "user_ids": [s.bob, s.eve]},
        [0, 32520], [32520, 32520], False),
    # The subscription lasts for a new time.
    "Subscribe": (
        nothing, lambda s: {"user_ids": [s.bob, s.ann], "expiry_seconds": 60},
        [0, 34308], [0, 34308], True),
    "Unsubscribe": (
        Scene.follow, lambda s: {"user_ids": [s.bob, s.ann]},
        [0, 34308], [0, 34308], False),
    "Follow": (
        nothing, lambda s: {"user_ids": [s.bob, s.ann]},
        [0, 30001], [0, 30001], False),
    "Unfollow": (
        Scene.follows, lambda s: {"user_ids": [s.bob, s.ann]},
        [0, 30001], [0, 30001], False),
    "DismissSuggestions": (
        nothing, lambda s: {"user_ids": [s.bob, s.ann]},
        [0, 30001], [0, 30001], False),
    "RestoreSuggestions": (
        Scene.dismisses, lambda s: {"user_ids": [s.bob, "a\nb"]},
        [0, 30001], [0, 30001], False),
    # The lifetime of the grant begins anew.
    "GrantPermissions": (
        nothing, lambda s: {"client_app_id": CLIENT, "names": ["email", "none"]},
        [0, 40009], [0, 40009], True),
    "DeclinePermissions": (
        nothing, lambda s: {"client_app_id": CLIENT, "names": ["email", "none"]},
        [0, 40009], [0, 40009], False),
    "RevokePermissions": (
        Scene.grant, lambda s: {"client_app_id": CLIENT, "names": {"values": ["email", "none"]}},
        [0, 40009], [0, 40009], False),
    "DefineCustomFields": (
        nothing,
        lambda s: {"items": [{"owner": PROFILE, "key": key, "value_type": 1} for key in ("x", "")]},
        [0, 30001], [0, 30001], False),
    "DefinePermissions": (
        nothing, lambda s: {"items": [{"name": name, "kind": 4} for name in ("mine", "")]},
        [0, 40001], [0, 40001], False),
    # The deletion still runs, or is done.
    "DeleteAccounts": (
        nothing, lambda s: {"user_ids": [s.bob, s.unknown]},
        [0, 30003], None, False),
    # The moment is given: without it, it is the present one, which moves on.
    "RevokeUserSessions": (
        nothing, lambda s: {"user_ids": [s.bob, ""], "before_time_ms": 5},
        [0, 30001], [0, 30001], False),
    "SuspendAccounts": (
        nothing, lambda s: {"items": [{"user_id": user, "level": 2} for user in (s.bob, "")]},
        [0, 30001], [0, 30001], False),
    "ReinstateAccounts": (
        Scene.suspended, lambda s: {"user_ids": [s.bob, ""]},
        [0, 30001], [0, 30001], False),
    "ResolveReports": (
        nothing, lambda s: {"items": [{"report_id": id, "outcome": 1} for id in (s.report(), "")]},
        [0, 30001], [0, 30001], False),
    "DecideReviews": (
        nothing, lambda s: {"items": [{"review_id": id, "decision": 1} for id in (s.review(), "")]},
        [0, 30001], [30001, 30001], False),
    "UndoChanges": (
        nothing, lambda s: {"positions": [s.kept(), 0]}, [0, 30001], [0, 30001], False),
    # A report sets the lease anew.
    "ReportPresence": (
        nothing, lambda s: {"items": [device(s.bob, "phone"), device(s.bob, "")]},
        [0, 30001], [0, 30001], True),
}  # fmt: skip

# Each write whose answer has no list of results: what comes before it, a request, and what the same
# request does when it is sent again: whether it changes something, or None if it may then fail.
SINGLE = {
    "RenameFriendGroup": (
        Scene.group, lambda s: {"name": "old", "new_name": "new"}, False),
    "RetireCustomField": (Scene.field, lambda s: {"owner": PROFILE, "key": "x"}, False),
    "DeleteAllFriends": (Scene.befriend, lambda s: {}, False),
    "ReportPendencies": (Scene.asked, lambda s: {"timestamp_ms": 1 << 60}, False),
    "UpdateProfile": (nothing, lambda s: {"profile": {"nick": "Ann"}}, False),
    "SetVisibility": (nothing, lambda s: {"visibility": 1}, False),
    "SetFindSettings": (nothing, lambda s: {"settings": {"by_name": 1}}, False),
    "SetContactDigests": (nothing, lambda s: {"kind": 1, "digests": [b"d" * 32]}, False),
    "FindContacts": (nothing, lambda s: {"kind": 1, "digests": [b"d" * 32]}, True),
    "UpdateApp": (nothing, lambda s: {"settings": {"limits": {"friends": 7}}}, False),
    "RegisterClientApp": (nothing, lambda s: {"client_app_id": "other", "name": "x"}, False),
    # An app that is gone already is not found.
    "DeleteApp": (nothing, lambda s: {"app_id": s.app()}, None),
    "CreateApp": (nothing, lambda s: {"name": "x"}, True),
    "CreateCredential": (nothing, lambda s: {"scopes": ["SCOPE_READ"]}, True),
    "RevokeCredential": (nothing, lambda s: {"credential_id": s.credential()}, None),
    "CreateOperatorKey": (nothing, lambda s: {"name": "anna"}, True),
    "RevokeOperatorKey": (nothing, lambda s: {"credential_id": s.operator_key()}, None),
    "RotateAppSecret": (nothing, lambda s: {"old_expire_time_ms": 0}, True),
    "ImportAppSecret": (
        nothing,
        lambda s: {"app_id": s.app(), "secret": "s" * 64, "old_expire_time_ms": 0}, False),
    "CreateHook": (
        nothing, lambda s: {"url": "https://receiver.invalid/", "paused": True}, True),
    "UpdateHook": (nothing, lambda s: {"hook_id": s.hook(), "name": "x"}, False),
    "DeleteHook": (nothing, lambda s: {"hook_id": s.hook()}, None),
    "RotateHookSecret": (
        nothing, lambda s: {"hook_id": s.hook(), "old_expire_time_ms": 0}, True),
    "ReplayHook": (nothing, lambda s: {"hook_id": s.hook(), "time_ms": 1}, True),
    # Each test has a time of its own.
    "TestHook": (nothing, lambda s: {"hook_id": s.hook()}, True),
    "CreateInvitation": (nothing, lambda s: {"max_uses": 1, "expiry_seconds": 60}, True),
    "SetStatus": (nothing, lambda s: {"text": "away"}, False),
    # Each reader has a number of its own.
    "AcquireConsumer": (nothing, lambda s: {"consumer": "orders", "take_over": True}, True),
    "AcknowledgeChanges": (
        nothing, lambda s: {"consumer": "orders", "reader": s.reader(), "release": True}, False),
    "DeleteConsumer": (Scene.reader, lambda s: {"consumer": "orders"}, False),
    # A report that is made again counts.
    "ReportUser": (nothing, lambda s: {"reported_user_id": s.bob, "category": 1}, True),
    "RevokeInvitation": (
        nothing, lambda s: {"invitation_id": s.invitation(s.ann)[0]}, False),
    "AcceptInvitation": (
        nothing, lambda s: {"invitation_code": s.invitation(s.bob)[1]}, False),
}  # fmt: skip


@pytest.fixture
def scene(relation):
    return Scene(relation)


def changes(answer):
    """`changed` of each result."""
    return [result.changed for result in answer.results]


def later():
    """Waits for the next millisecond, so that a new time differs from the one before."""
    begun = time.time_ns() // 1_000_000
    while time.time_ns() // 1_000_000 == begun:
        pass


def test_every_write_of_the_contract_is_here(stubs):
    assert sorted([*ITEMS, *SINGLE]) == takes(stubs, "WriteOptions")


@pytest.mark.parametrize("name", ITEMS)
def test_each_item_says_whether_it_changed_something(scene, name):
    prepare, fields, first, again, renews = ITEMS[name]
    prepare(scene)
    fields = fields(scene)
    for options in ({"dry_run": True}, {"all_or_nothing": True}):
        answer = scene.call(name, options, **fields)
        assert (codes(answer), answer.applied) == (first, False)
        assert changes(answer) == [False, False], options
    answer = scene.call(name, {"request_id": "r"}, **fields)
    assert (codes(answer), answer.applied) == (first, True)
    assert changes(answer) == [True, False]
    # The repetition of a request has the answer of the first one, also in this.
    replayed = scene.call(name, {"request_id": "r"}, **fields)
    assert (replayed.replayed, replayed.applied, changes(replayed)) == (True, True, [True, False])
    later()
    answer = scene.call(name, **fields)
    assert again is None or codes(answer) == again
    assert (changes(answer), answer.applied) == ([renews, False], renews)


@pytest.mark.parametrize("name", ITEMS)
def test_a_write_of_refused_items_only_is_not_applied(scene, name):
    prepare, fields, first, *_ = ITEMS[name]
    prepare(scene)
    fields = fields(scene)
    listed = name_of_list(fields)
    answer = scene.call(name, **{**fields, listed: part(fields[listed], lambda items: items[1:])})
    assert (codes(answer), changes(answer), answer.applied) == (first[1:], [False], False)


@pytest.mark.parametrize("name", ITEMS)
def test_an_item_that_is_named_twice_is_answered_twice_in_the_same_way(scene, name):
    prepare, fields, *_ = ITEMS[name]
    prepare(scene)
    fields = fields(scene)
    listed = name_of_list(fields)
    twice = part(fields[listed], lambda items: items[:1] * 2)
    answer = scene.call(name, **{**fields, listed: twice})
    # UndoChanges takes a position back in each place, and finds nothing to do in the second one.
    changed = [True, name != "UndoChanges"]
    assert (codes(answer), changes(answer), answer.applied) == ([0, 0], changed, True)


def name_of_list(fields):
    """The field that has an entry for each result."""
    return next(name for name in ("items", "names", "user_ids", "positions") if name in fields)


def part(listed, of):
    """Some of the entries of a list, which may stand in a message of its own."""
    return {"values": of(listed["values"])} if isinstance(listed, dict) else of(listed)


def test_a_new_group_and_its_members_say_so_each(scene):
    scene.befriend()
    fields = {"names": ["one", "two"], "user_ids": [scene.bob, scene.eve]}
    answer = scene.call("CreateFriendGroups", **fields)
    assert (codes(answer), changes(answer)) == ([0, 0], [True, True])
    for result in answer.results:
        assert [(member.code, member.changed) for member in result.members] == [
            (0, True), (32216, False),
        ]  # fmt: skip
    again = scene.call("CreateFriendGroups", **fields)
    assert (codes(again), changes(again), again.applied) == ([30001] * 2, [False] * 2, False)


def test_an_application_is_a_change_and_no_refusal(scene):
    scene.people.need_confirm(scene.bob)
    answer = scene.call("AddFriends", items=[{"user_id": scene.bob, "wording": "please"}])
    assert (codes(answer), changes(answer), answer.applied) == ([30539], [True], True)


def test_a_friend_that_is_deleted_on_one_side_only_is_a_change(scene):
    scene.people.import_friends([{"user_id": scene.bob, "friend_user_id": scene.ann}])
    answer = scene.call("DeleteFriends", user_ids=[scene.bob], delete_type=2)
    assert (codes(answer), changes(answer), answer.applied) == ([0], [True], True)


@pytest.mark.parametrize("word", ["Revoke", "Decline"])
def test_a_permission_that_was_never_granted_is_not_taken_back(scene, word):
    names = {"values": ["email"]} if word == "Revoke" else ["email"]
    answer = scene.call(f"{word}Permissions", client_app_id=CLIENT, names=names)
    changed = word == "Decline"
    assert (codes(answer), changes(answer), answer.applied) == ([0], [changed], changed)


def test_all_permissions_that_are_revoked_say_so(scene):
    scene.people.grant(scene.ann, CLIENT, "email", "user_birthday")
    answer = scene.call("RevokePermissions", client_app_id=CLIENT, all=True)
    assert changes(answer) == [True] * 3 and answer.applied
    answer = scene.call("RevokePermissions", client_app_id=CLIENT, all=True)
    assert changes(answer) == [] and not answer.applied


@pytest.mark.parametrize("name", SINGLE)
def test_a_write_without_items_is_applied_if_it_changed_something(scene, name):
    prepare, fields, again = SINGLE[name]
    prepare(scene)
    fields = fields(scene)
    dry = scene.call(name, {"dry_run": True}, **fields)
    assert not dry.applied and not dry.replayed
    # The ids of operators' calls are those of the server.
    first = scene.call(name, {"request_id": f"changed-{name}"}, **fields)
    assert first.applied and not first.replayed
    replayed = scene.call(name, {"request_id": f"changed-{name}"}, **fields)
    assert replayed.applied and replayed.replayed
    if again is not None:
        assert scene.call(name, **fields).applied == again


def test_a_refused_update_of_a_profile_is_not_applied(scene):
    answer = scene.call("UpdateProfile", profile={"nick": "x" * 501})
    assert (answer.code, answer.applied) == (40601, False)


def test_an_update_that_makes_the_account_is_applied(scene):
    for applied in (True, False):
        answer = scene.relation(
            "UpdateProfile", user_id=scene.unknown, profile={"allow_type": 0})
        assert (answer.code, answer.applied) == (0, applied)


def test_an_account_that_a_write_makes_by_the_way_is_no_change_of_an_item(relation):
    settings = {"makes_accounts_implicitly": True}
    people = People(relation.in_app(relation("CreateApp", settings=settings).app.app_id))
    answer = people.relation("DeleteFriends", user_id="ann", user_ids=["bob"])
    assert (codes(answer), changes(answer), answer.applied) == ([31704], [False], False)
    checked = people.relation("CheckAccounts", user_ids=["ann"])
    assert checked.results[0].status == 1
