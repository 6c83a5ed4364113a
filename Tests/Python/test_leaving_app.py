"""A user who leaves for good: its file, its receipt, and what is left of it from every side: of
friends, followers, guests, moderators, searchers, back ends, and whoever takes its id next."""

import hashlib
import hmac
import time

import grpc
import pytest
from people import codes
from products import Product, ids
from stubs import Relation
from test_app_import import exported
from test_hooks import FLAGS, SECONDS, receiver  # noqa: F401
from watching import RESYNC, Watching, live

MARK = "zq7"
MIA = f"{MARK}-mia"
KEY = "a secret of the app"
PHONE, BANNED = 1, 3
DIGEST = hashlib.sha256(b"+49 30 7").digest()
# Who is what to mia.
OTHERS = ["friend", "fan", "guest", "victim", "troll", "watcher", "reader"]


class Town:
    """An app in which mia has relations of every kind."""

    def __init__(self, relation, **settings):
        self.product = product = Product(relation, finds_users=True, **settings)
        product(*OTHERS)
        product.make([MIA], nick=f"{MARK} Mia", face_url=f"https://x.org/{MARK}.png")
        product.set_profile(MIA, unique_id=f"{MARK}unique", email=f"{MARK}@x.org")
        self.mia, (self.friend, self.fan, self.guest, self.victim, self.troll, self.watcher,
                   self.reader) = product.device(MIA), map(product.device, OTHERS)  # fmt: skip
        self.relation = product.relation
        self.fill()

    def fill(self):
        mia, product = self.mia, self.product
        product.befriend(MIA, "friend", "reader")
        product.befriend("friend", "watcher")
        self.friend.does("UpdateFriends", items=[{
            "user_id": MIA, "starred": True, "pin_order": 1, "remark": f"{MARK} remark",
            "update_mask": {"paths": ["starred", "pin_order", "remark"]}}])
        product.group(MIA, f"{MARK} circle", "friend")
        mia.does("SetVisibility", fields=[
            {"field": "email", "visibility": 5, "group_names": [f"{MARK} circle"]}])
        self.fan.does("Follow", user_ids=[MIA])
        mia.does("Follow", user_ids=["fan"])
        made = mia("CreateInvitation", max_uses=5, expiry_seconds=3_600, pre_approved=True,
                   text=f"{MARK} party")  # fmt: skip
        self.code = {"invitation_code": made.invitation_code}
        self.guest.does("AcceptInvitation", **self.code)
        self.victim.does("ReportUser", reported_user_id=MIA, category=1, text="about her")
        mia.does("ReportUser", reported_user_id="troll", category=2, text=f"{MARK} words")
        mia.does("AddToBlacklist", user_ids=["troll"])
        self.troll.does("AddFriends", items=[{"user_id": "reader"}])
        self.watcher.does("Subscribe", user_ids=[MIA], expiry_seconds=600,
                          subscribe_type="SUBSCRIBE_TYPE_USER_PROFILE")  # fmt: skip
        self.watcher.does("DismissSuggestions", user_ids=[MIA])
        mia.does("DismissSuggestions", user_ids=["watcher"])
        self.reader.does("DeleteFriends", user_ids=[MIA])
        mia.does("SetStatus", text=f"{MARK} status")
        answer = product.relation(
            "SetContactDigests", user_id=MIA, kind=PHONE, digests=[DIGEST])
        assert answer.code == 0
        for online in (True, False):
            report = {"user_id": MIA, "device_id": f"{MARK} phone", "online": online}
            product.relation("ReportPresence", items=[{**report, "lease_seconds": 60}])

    def erase(self, **fields):
        answer = self.relation("DeleteAccounts", user_ids=[MIA], end_sessions=True, erase=True,
                               erasure_key=KEY, **fields)  # fmt: skip
        assert codes(answer) == [0]
        return self.product.await_deletion(answer.results[0].deletion_id)

    def views(self):
        """What each side reads that does not name mia in its request."""
        own = [
            ("friend", "ListFriends", {"with_profiles": True}), ("friend", "SyncFriends", {}),
            ("guest", "ListFriends", {}), ("guest", "ListChanges", {}),
            ("fan", "ListFollowing", {"with_profiles": True}),
            ("fan", "ListFollowers", {"with_profiles": True}), ("fan", "ListMutualFollows", {}),
            ("fan", "ListChanges", {}), ("reader", "ListReverseFriends", {}),
            ("watcher", "ListSubscriptions", {}), ("watcher", "ListDismissedSuggestions", {}),
            ("victim", "ListChanges", {}), ("troll", "ListChanges", {}),
            ("reader", "SuggestFriends", {}), ("guest", "SuggestFriends", {}),
            ("guest", "GetInvitation", self.code), ("reader", "FindUsers", {"keyword": MARK}),
            ("reader", "FindContacts", {"kind": PHONE, "digests": [DIGEST]}),
            ("reader", "FindProfileByUniqueId", {"unique_id": f"{MARK}unique"}),
        ]  # fmt: skip
        for user, name, fields in own:
            yield name, self.product.device(user)(name, **fields)
        for name in ("ListReports", "ListSuspensions", "ListAccounts"):
            yield name, self.relation(name)
        for hook in self.relation("ListHooks").hooks:
            yield "ListHookFailures", self.relation("ListHookFailures", hook_id=hook.hook_id)
        yield "moderators' search", self.relation("FindUsers", user_id="reader", keyword=MARK)

    def named(self):
        return {name for name, answer in self.views() if MARK in str(answer)}


@pytest.fixture
def town(relation):
    return Town(relation)


def findings(product):
    relation = product.relation
    answers = relation.start("CheckIntegrity")(
        product.stubs.request("CheckIntegrity", {}), timeout=60, metadata=relation.metadata)
    return [answer.finding for answer in answers if answer.HasField("finding")]


def test_nothing_of_the_user_is_left_on_any_side(town):
    before = town.named()
    assert before == {
        "ListFriends", "SyncFriends", "ListChanges", "ListFollowing", "ListFollowers",
        "ListMutualFollows", "ListReverseFriends", "ListSubscriptions",
        "ListDismissedSuggestions", "GetInvitation", "FindUsers", "FindContacts",
        "FindProfileByUniqueId", "ListReports", "ListAccounts", "moderators' search",
        "SuggestFriends"}  # fmt: skip
    done = town.erase()
    assert town.named() == set()
    receipt = done.receipt
    assert receipt.digest == hmac.new(KEY.encode(), MIA.encode(), hashlib.sha256).hexdigest()
    assert done.user_id == "" and MARK not in str(done)
    assert receipt.events > 0 and receipt.stream_events > 0 and done.removed_rows > 20
    assert findings(town.product) == []
    # What is left is of others. A report that she made has neither her name nor her words.
    (report,) = town.relation("ListReports").reports
    assert (report.reporter_user_id, report.reported_user_id, report.text) == ("", "troll", "")
    assert (report.category, report.count, receipt.reports) == (2, 1, 1)
    assert ids(town.friend("ListFriends").friends) == ["watcher"]
    assert ids(town.troll("ListFriends").friends) == ["reader"]


def test_what_a_receiver_did_not_take_names_her_no_more(
        start, stubs, receiver):  # noqa: F811
    running = start("data", *FLAGS)
    with grpc.insecure_channel(running.address) as channel:
        town = Town(Relation(stubs, channel))
        receiver.status = 500
        town.relation("CreateHook", url=receiver.url, kinds=["CHANGE_KIND_PROFILE_CHANGE"])
        town.product.set_profile(MIA, email=f"{MARK}@y.org")
        deadline = time.monotonic() + SECONDS
        while "ListHookFailures" not in town.named():
            assert time.monotonic() < deadline, "no failure is told"
            time.sleep(0.1)
        receiver.status = 204
        town.erase()
        assert town.named() == set()


def test_who_names_the_user_is_told_that_it_is_no_account(town):
    town.erase()
    for name, code in {
        "Follow": 30003, "Unfollow": 30003, "CheckFollows": 30003, "GetFollowCounts": 30003,
        "GetFriends": 30003, "CheckFriends": 30003, "GetRelations": 30003, "GetProfiles": 40003,
        "GetPresence": 30003, "GetMutualFriendCounts": 30003, "DismissSuggestions": 30003,
    }.items():  # fmt: skip
        assert codes(town.fan(name, user_ids=[MIA])) == [code], name
    assert town.fan.told("AddFriends", items=[{"user_id": MIA}])[0] == 30003
    assert town.fan.told("ReportUser", reported_user_id=MIA, category=1)[0] == 30003
    # Her code is as one that there never was; the one who used it is told no more than another.
    for device in (town.guest, town.reader):
        assert device.told("GetInvitation", **town.code) == (30001, "INVITATION_GET_NOT_EXIST")
        assert device.told("AcceptInvitation", **town.code) == (
            30001, "INVITATION_ACCEPT_NOT_EXIST")
    (counts,) = town.reader("GetFollowCounts", user_ids=["fan"]).results
    assert (counts.counts.followers, counts.counts.following, counts.counts.mutual) == (0, 0, 0)


def test_devices_hear_the_end_and_the_erasure_may_come_later(town):
    friend, fan, watcher = (device.watch() for device in (town.friend, town.fan, town.watcher))
    moderators = live(town.relation, timeout=30, app=True)
    before = moderators.token
    town.relation("AcquireConsumer", consumer="earlier", start=2)
    deleted = town.relation("DeleteAccounts", user_ids=[MIA], end_sessions=True)
    answer = town.product.await_deletion(deleted.results[0].deletion_id)
    assert (answer.user_id, answer.HasField("receipt")) == (MIA, False)
    (item,) = town.friend.until(friend, "DEL_FRIEND")
    assert item.user_id == MIA
    items = [item for _ in range(2) for item in fan.event().items]
    assert [(item.user_id, item.HasField("follow")) for item in items] == [(MIA, False)] * 2
    assert items[-1].follow_relation == 0
    (item,) = town.watcher.until(watcher, "SUBSCRIPTION_CHANGED")
    assert (item.subscription.user_id, item.subscription.expire_time_ms) == (MIA, 0)
    assert moderators.until(lambda event: event.kind == 141)[-1].user_id == MIA
    # The logs have her still, and the texts of her reports, but no list of relations.
    assert town.named() == {"ListChanges", "ListReports"}
    town.relation("AcquireConsumer", consumer="later", start=2)
    town.erase()
    # The deletion took her id out of her reports, so the erasure does not know them; 180 days end
    # their texts, as docs/erasure.md says.
    assert town.named() == {"ListReports"}
    # A mirror that stood behind all of it is not disturbed.
    consumers = town.relation("ListConsumers").consumers
    assert [(row.consumer, row.is_trimmed) for row in consumers] == [
        ("earlier", True), ("later", False)]
    # Back ends that come back from before begin anew, and the state has nothing of her.
    with Watching(town.relation, timeout=30, app=True, resume_token=before) as again:
        state = again.state()
    assert state[0].kind == RESYNC and MARK not in str(state)
    assert findings(town.product) == []


def test_the_phone_number_the_handle_and_the_id_are_free(town):
    town.product.relation("SuspendAccounts", items=[{"user_id": MIA, "level": BANNED}])
    old = town.relation("GetSequence", user_id=MIA).sequence
    town.erase()
    town.product.set_profile("reader", unique_id=f"{MARK}unique")
    answer = town.relation("SetContactDigests", user_id="reader", kind=PHONE, digests=[DIGEST])
    assert answer.code == 0
    found = town.fan("FindContacts", kind=PHONE, digests=[DIGEST]).contacts
    assert [row.user_id for row in found] == ["reader"]
    # The next account of the id is another user: not suspended, known to none, blocked by none.
    town.product.make([MIA], nick="Other")
    new = town.product.device(MIA)
    assert new("GetSequence").sequence > old
    assert new("ListChanges", since_sequence=old).resync
    new.does("SetStatus", text="Hello")
    new.does("Follow", user_ids=["fan", "troll"])
    assert town.watcher("ListDismissedSuggestions").total_size == 0
    assert new("ListDismissedSuggestions").total_size == new("ListInvitations").total_size == 0
    assert new("GetVisibility").fields == [] and new("GetSelfProfile").profile.email == ""
    (presence,) = town.friend("GetPresence", user_ids=[MIA]).results
    assert presence.presence.status_text == "Hello" and presence.presence.last_seen_time_ms == 0
    assert town.relation("ListReports", reported_user_id=MIA).total_size == 0
    town.troll.does("Follow", user_ids=[MIA])
    assert findings(town.product) == []


def test_an_app_that_keeps_logs_says_so_and_breaks_no_stream(relation):
    town = Town(relation, erasure={"keeps_logs": True})
    with live(town.relation, timeout=30, app=True) as moderators:
        before = moderators.token
    known = town.fan("GetSequence").sequence
    receipt = town.erase().receipt
    assert receipt.logs_kept_until_ms > 0 and receipt.events == receipt.stream_events == 0
    assert town.named() == {"ListChanges"}
    events = town.fan("ListChanges", since_sequence=known).events
    assert {item.user_id for event in events for item in event.items} == {MIA}
    again = Watching(town.relation, timeout=30, app=True, resume_token=before)
    assert again.until(lambda event: event.kind == 141)[-1].user_id == MIA


def test_the_file_that_she_takes_along_has_what_the_others_lose(town):
    request = town.product.stubs.request("ExportUser", {"exported_user_id": MIA})
    parts = list(town.relation.start("ExportUser")(
        request, timeout=60, metadata=town.relation.metadata))
    text = "".join(map(str, parts))
    for word in (" status", " party", " circle", "unique", "@x.org"):
        assert f"{MARK}{word}" in text, word
    # Of others it has the ones on her own lists, and none that only has her on its list.
    for name in ("friend", "fan", "guest", "troll"):
        assert f'user_id: "{name}"' in text, name
    assert "victim" not in text
    assert "her words" not in text and "about her" not in text
    assert f"{MARK} remark" not in text


def test_an_invited_user_who_leaves_keeps_the_use_that_it_took_and_no_name(relation):
    product = Product(relation, default_allow_type="ALLOW_TYPE_NEED_CONFIRM")
    host, eve, joe = product("host", "eve", "joe")
    product.make([MIA])
    mia = product.device(MIA)
    card = {"max_uses": 2, "expiry_seconds": 3_600}
    code = host("CreateInvitation", pre_approved=True, **card).invitation_code
    mia.does("AcceptInvitation", invitation_code=code)
    asked = eve("CreateInvitation", **card).invitation_code
    told = mia.told("AcceptInvitation", invitation_code=asked, wording=f"{MARK} please")
    assert told == (30539, "INVITATION_ACCEPT_NEED_CONFIRM")
    eve.does("RespondToApplications", items=[{"user_id": MIA, "response_type": 2}])
    joe("AddFriends", items=[{"user_id": MIA}])
    product.relation("SuspendAccounts", items=[{"user_id": MIA, "level": 1}])
    rows = {row.WhichOneof("row") for row in exported(product.relation) if MARK in str(row)}
    assert {"invitation_use", "friend_entry", "application", "suspension"} <= rows
    deleted = product.relation("DeleteAccounts", user_ids=[MIA], erase=True)
    receipt = product.await_deletion(deleted.results[0].deletion_id).receipt
    assert receipt.digest == "" and receipt.ended_applications >= 1
    assert [row for row in exported(product.relation) if MARK in str(row)] == []
    for device in (host, eve, joe):
        for name in ("ListApplications", "ListInvitations", "ListChanges", "ListPendencies"):
            assert MARK not in str(device(name)), name
        assert device("ListApplications").total_size == 0
    # The guest's place is taken still, and the last one is free.
    (row,) = host("ListInvitations").invitations
    assert (row.use_count, row.state) == (1, 1)
    joe.does("AcceptInvitation", invitation_code=code)
    assert eve.told("AcceptInvitation", invitation_code=code) == (
        30001, "INVITATION_ACCEPT_USED_UP")
    assert ids(host("ListFriends").friends) == ["joe"]
    assert findings(product) == []
