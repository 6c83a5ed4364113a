"""The events of every call that writes: the logs of all users around it, also of those that are not
told."""

import pytest
from events import Words, events, sequence
from people import codes
from watching import Printed

CLIENT = "reader"
# These calls are tested in files of their own.
ELSEWHERE = {"Subscribe", "Unsubscribe"}


class Scene:
    """Five users. In every case eve is a friend of ann's and bob's, both ways, and joe has ann and
    bob in his list and is in no list."""

    def __init__(self, people):
        self.people = people
        self.relation = people.relation
        self.ann, self.bob, self.eve, self.joe, self.kim = people(5)
        self.names = {
            self.ann: "ann", self.bob: "bob", self.eve: "eve", self.joe: "joe", self.kim: "kim",
        }
        people.befriend(self.eve, self.ann, self.bob)
        people.import_friends(
            [{"user_id": self.joe, "friend_user_id": friend} for friend in (self.ann, self.bob)])

    # Preparations

    def friends(self):
        self.people.befriend(self.ann, self.bob)

    def has(self, user, friend):
        self.people.import_friends([{"user_id": user, "friend_user_id": friend}])

    def in_group(self):
        self.friends()
        self.people.group(self.ann, "work", self.bob)

    def asked(self):
        """Bob asked ann."""
        self.people.apply(self.bob, self.ann)

    def asks(self):
        """Ann asked bob."""
        self.people.apply(self.ann, self.bob)

    def follows(self, user, other):
        assert codes(self.relation("Follow", user_id=user, user_ids=[other])) == [0]

    def mutual(self):
        self.follows(self.ann, self.bob)
        self.follows(self.bob, self.ann)

    def granted(self):
        self.people.grant(self.ann, CLIENT, "email")

    # The calls

    def write(self, call, user=None, **fields):
        return self.relation(
            call, user_id=user or self.ann,
            options={"request_id": "r1", "device_id": "phone"}, **fields)

    def add(self, **item):
        add_type = item.pop("add_type", "ADD_TYPE_BOTH")
        force = item.pop("force", False)
        return self.write(
            "AddFriends", items=[{"user_id": self.bob, **item}], add_type=add_type, force=force)

    def respond(self, response, **item):
        items = [{"user_id": self.bob, "response_type": response, **item}]
        return self.write("RespondToApplications", items=items)

    def delete(self, delete_type):
        return self.write("DeleteFriends", user_ids=[self.bob], delete_type=delete_type)

    def update(self, *paths, **fields):
        item = {"user_id": self.bob, "update_mask": {"paths": paths}, **fields}
        return self.write("UpdateFriends", items=[item])

    def profile(self, **fields):
        return self.write(
            "UpdateProfile", profile=fields, update_mask={"paths": list(fields)})

    def permissions(self, call, *names):
        names = {"values": names} if call == "RevokePermissions" else names
        return self.write(call, client_app_id=CLIENT, names=names)

    def import_friend(self, **first):
        row = {
            "user_id": self.ann, "friend_user_id": self.bob, "both_ways": True,
            "groups": {"values": ["work"]},
        }
        told, progress = self.people.imported("ImportFriends", [{"row": row, **first}])
        assert (told, progress.accepted) == ([], 1)

    def import_row(self, call, **row):
        told, progress = self.people.imported(call, [{"row": {"user_id": self.ann, **row}}])
        assert (told, progress.accepted) == ([], 1)

    def invite(self, user, **fields):
        """Makes an invitation, and keeps its id and its code."""
        made = self.relation(
            "CreateInvitation", user_id=user, max_uses=2, expiry_seconds=60, **fields)
        self.invitation, self.code = made.invitation.invitation_id, made.invitation_code

    def delete_account(self, user):
        answer = self.relation("DeleteAccounts", user_ids=[user])
        assert codes(answer) == [0]
        self.people.await_deletion(answer.results[0].deletion_id)


def nothing(scene):
    pass


AGREE, AGREE_AND_ADD, REJECT = 0, 1, 2
COME_IN, SEND_OUT = "PENDENCY_TYPE_COME_IN", "PENDENCY_TYPE_SEND_OUT"
# The preparation, the name of the call, the call, and the events of each user that is told.
CASES = {
    # AddFriends
    "both ways": (
        nothing, "AddFriends", lambda s: s.add(),
        {"ann": ["ADD_FRIEND bob:friend"], "bob": ["ADD_FRIEND ann:friend"]}),
    "one way": (
        nothing, "AddFriends", lambda s: s.add(add_type="ADD_TYPE_SINGLE"),
        {"ann": ["ADD_FRIEND bob:friend"]}),
    "the half that was missing is mine": (
        lambda s: s.has(s.bob, s.ann), "AddFriends", lambda s: s.add(),
        {"ann": ["ADD_FRIEND bob:friend"]}),
    "the half that was missing is the other's": (
        lambda s: s.has(s.ann, s.bob), "AddFriends", lambda s: s.add(),
        {"bob": ["ADD_FRIEND ann:friend"]}),
    "into a new group": (
        nothing, "AddFriends", lambda s: s.add(group="work"),
        {
            "ann": ["ADD_FRIEND bob:friend[work]", "GROUP_CREATED work(1)"],
            "bob": ["ADD_FRIEND ann:friend"],
        }),
    "a friend already": (lambda s: s.friends(), "AddFriends", lambda s: s.add(), {}),
    "an application": (
        lambda s: s.people.need_confirm(s.bob), "AddFriends", lambda s: s.add(),
        {
            "ann": ["ADD_FRIEND_REQ bob:SEND_OUT UNHANDLED"],
            "bob": ["ADD_FRIEND_REQ ann:COME_IN UNHANDLED"],
        }),
    "an application again": (
        lambda s: s.asks(), "AddFriends", lambda s: s.add(wording="please"),
        {
            "ann": ["ADD_FRIEND_REQ bob:SEND_OUT UNHANDLED"],
            "bob": ["ADD_FRIEND_REQ ann:COME_IN UNHANDLED"],
        }),
    "two who ask each other": (
        lambda s: s.asked(), "AddFriends", lambda s: s.add(),
        {
            "ann": ["ADD_FRIEND bob:friend", "DEL_FRIEND_REQ bob:COME_IN ACCEPTED"],
            "bob": ["ADD_FRIEND ann:friend", "DEL_FRIEND_REQ ann:SEND_OUT ACCEPTED"],
        }),
    "one way to who asks": (
        lambda s: s.asked(), "AddFriends",
        lambda s: s.add(add_type="ADD_TYPE_SINGLE", force=True),
        {"ann": ["ADD_FRIEND bob:friend"]}),
    "by force what was asked for": (
        lambda s: s.asks(), "AddFriends", lambda s: s.add(force=True),
        {
            "ann": ["ADD_FRIEND bob:friend", "DEL_FRIEND_REQ bob:SEND_OUT ACCEPTED"],
            "bob": ["ADD_FRIEND ann:friend", "DEL_FRIEND_REQ ann:COME_IN ACCEPTED"],
        }),
    "who wants none": (
        lambda s: s.people.deny_any(s.bob), "AddFriends", lambda s: s.add(), {}),
    "who blocked me": (
        lambda s: s.people.block(s.bob, s.ann), "AddFriends", lambda s: s.add(), {}),
    # RespondToApplications
    "agree": (
        lambda s: s.asked(), "RespondToApplications", lambda s: s.respond(AGREE),
        {
            "ann": ["DEL_FRIEND_REQ bob:COME_IN ACCEPTED"],
            "bob": ["ADD_FRIEND ann:friend", "DEL_FRIEND_REQ ann:SEND_OUT ACCEPTED"],
        }),
    "agree and add": (
        lambda s: s.asked(), "RespondToApplications",
        lambda s: s.respond(AGREE_AND_ADD, group="work"),
        {
            "ann": [
                "ADD_FRIEND bob:friend[work]", "DEL_FRIEND_REQ bob:COME_IN ACCEPTED",
                "GROUP_CREATED work(1)",
            ],
            "bob": ["ADD_FRIEND ann:friend", "DEL_FRIEND_REQ ann:SEND_OUT ACCEPTED"],
        }),
    "reject": (
        lambda s: s.asked(), "RespondToApplications", lambda s: s.respond(REJECT),
        {
            "ann": ["DEL_FRIEND_REQ bob:COME_IN REFUSED"],
            "bob": ["DEL_FRIEND_REQ ann:SEND_OUT REFUSED"],
        }),
    "an answer to no user": (
        nothing, "RespondToApplications", lambda s: s.respond(AGREE_AND_ADD), {}),
    # DeleteFriends, DeleteAllFriends
    "my side": (
        lambda s: s.friends(), "DeleteFriends", lambda s: s.delete("DELETE_TYPE_SINGLE"),
        {"ann": ["DEL_FRIEND bob"]}),
    "both sides": (
        lambda s: s.friends(), "DeleteFriends", lambda s: s.delete("DELETE_TYPE_BOTH"),
        {"ann": ["DEL_FRIEND bob"], "bob": ["DEL_FRIEND ann"]}),
    "both sides where only I had one": (
        lambda s: s.has(s.ann, s.bob), "DeleteFriends", lambda s: s.delete("DELETE_TYPE_BOTH"),
        {"ann": ["DEL_FRIEND bob"]}),
    "both sides where only the other had one": (
        lambda s: s.has(s.bob, s.ann), "DeleteFriends", lambda s: s.delete("DELETE_TYPE_BOTH"),
        {"bob": ["DEL_FRIEND ann"]}),
    "a friend in a group": (
        lambda s: s.in_group(), "DeleteFriends", lambda s: s.delete("DELETE_TYPE_SINGLE"),
        {"ann": ["DEL_FRIEND bob"]}),
    "no friend": (nothing, "DeleteFriends", lambda s: s.delete("DELETE_TYPE_BOTH"), {}),
    "all of mine": (
        lambda s: s.friends(), "DeleteAllFriends",
        lambda s: s.write("DeleteAllFriends", delete_type="DELETE_TYPE_SINGLE"),
        {"ann": ["DEL_FRIEND bob eve"]}),
    "all both ways": (
        lambda s: s.has(s.ann, s.bob), "DeleteAllFriends",
        lambda s: s.write("DeleteAllFriends", delete_type="DELETE_TYPE_BOTH"),
        {"ann": ["DEL_FRIEND bob eve"], "eve": ["DEL_FRIEND ann"]}),
    # UpdateFriends
    "a remark": (
        lambda s: s.friends(), "UpdateFriends", lambda s: s.update("remark", remark="dear"),
        {"ann": ["SNS_PROFILE_CHANGE bob:friend"]}),
    "groups": (
        lambda s: s.in_group(), "UpdateFriends",
        lambda s: s.update("groups", groups=["play"]),
        {"ann": ["GROUP_CREATED play(1)", "SNS_PROFILE_CHANGE bob:friend[play]"]}),
    "the same again": (
        lambda s: s.in_group(), "UpdateFriends",
        lambda s: s.update("groups", "remark", groups=["work"]), {}),
    # Pendencies
    "take one off my list": (
        lambda s: s.asked(), "DeletePendencies",
        lambda s: s.write("DeletePendencies", pendency_type=COME_IN, user_ids=[s.bob]),
        {"ann": ["DEL_FRIEND_REQ bob:COME_IN UNHANDLED"]}),
    "take my own off my list": (
        lambda s: s.asks(), "DeletePendencies",
        lambda s: s.write("DeletePendencies", pendency_type=SEND_OUT, user_ids=[s.bob]),
        {"ann": ["DEL_FRIEND_REQ bob:SEND_OUT UNHANDLED"]}),
    "read": (
        lambda s: s.asked(), "ReportPendencies",
        lambda s: s.write("ReportPendencies", timestamp_ms=4_000_000_000_000),
        {"ann": ["PENDENCY_REPORT read"]}),
    "read when nothing is unread": (
        nothing, "ReportPendencies",
        lambda s: s.write("ReportPendencies", timestamp_ms=4_000_000_000_000), {}),
    "withdraw": (
        lambda s: s.asks(), "WithdrawApplications",
        lambda s: s.write("WithdrawApplications", user_ids=[s.bob]),
        {
            "ann": ["DEL_FRIEND_REQ bob:SEND_OUT WITHDRAWN"],
            "bob": ["DEL_FRIEND_REQ ann:COME_IN WITHDRAWN"],
        }),
    # The blacklist
    "block a friend": (
        lambda s: s.friends(), "AddToBlacklist",
        lambda s: s.write("AddToBlacklist", user_ids=[s.bob]),
        {
            "ann": ["ADD_BLACKLIST bob:blacklisted", "DEL_FRIEND bob"],
            "bob": ["DEL_FRIEND ann"],
        }),
    "block an unrelated user": (
        nothing, "AddToBlacklist", lambda s: s.write("AddToBlacklist", user_ids=[s.bob]),
        {"ann": ["ADD_BLACKLIST bob:blacklisted"]}),
    "block who has me": (
        lambda s: s.has(s.bob, s.ann), "AddToBlacklist",
        lambda s: s.write("AddToBlacklist", user_ids=[s.bob]),
        {"ann": ["ADD_BLACKLIST bob:blacklisted"], "bob": ["DEL_FRIEND ann"]}),
    "block who asks": (
        lambda s: s.asked(), "AddToBlacklist",
        lambda s: s.write("AddToBlacklist", user_ids=[s.bob]),
        {
            "ann": ["ADD_BLACKLIST bob:blacklisted", "DEL_FRIEND_REQ bob:COME_IN REFUSED"],
            "bob": ["DEL_FRIEND_REQ ann:SEND_OUT REFUSED"],
        }),
    "block whom I ask": (
        lambda s: s.asks(), "AddToBlacklist",
        lambda s: s.write("AddToBlacklist", user_ids=[s.bob]),
        {
            "ann": ["ADD_BLACKLIST bob:blacklisted", "DEL_FRIEND_REQ bob:SEND_OUT WITHDRAWN"],
            "bob": ["DEL_FRIEND_REQ ann:COME_IN WITHDRAWN"],
        }),
    "unblock": (
        lambda s: s.people.block(s.ann, s.bob), "RemoveFromBlacklist",
        lambda s: s.write("RemoveFromBlacklist", user_ids=[s.bob]),
        {"ann": ["DEL_BLACKLIST bob:blacklisted"]}),
    # Groups
    "make groups": (
        lambda s: s.friends(), "CreateFriendGroups",
        lambda s: s.write(
            "CreateFriendGroups", names=["work", "play"], user_ids=[s.bob, s.eve]),
        {"ann": ["GROUP_CREATED work(2):+bob,eve play(2):+bob,eve"]}),
    "put into a group": (
        lambda s: s.in_group(), "AddFriendsToGroup",
        lambda s: s.write("AddFriendsToGroup", name="work", user_ids=[s.eve]),
        {"ann": ["GROUP_MEMBERS_CHANGED work(2):+eve"]}),
    "put there who is there": (
        lambda s: s.in_group(), "AddFriendsToGroup",
        lambda s: s.write("AddFriendsToGroup", name="work", user_ids=[s.bob]), {}),
    "take out of a group": (
        lambda s: s.in_group(), "RemoveFriendsFromGroup",
        lambda s: s.write("RemoveFriendsFromGroup", name="work", user_ids=[s.bob]),
        {"ann": ["GROUP_MEMBERS_CHANGED work(0):-bob"]}),
    "rename a group": (
        lambda s: s.in_group(), "RenameFriendGroup",
        lambda s: s.write("RenameFriendGroup", name="work", new_name="play"),
        {"ann": ["GROUP_RENAMED play(1):was work"]}),
    "delete a group": (
        lambda s: s.in_group(), "DeleteFriendGroups",
        lambda s: s.write("DeleteFriendGroups", names=["work"]),
        {"ann": ["GROUP_DELETED work(1)"]}),
    # Profiles: no friend's log has a copy.
    "a profile": (
        lambda s: s.friends(), "UpdateProfile", lambda s: s.profile(nick="Ann", level=3),
        {"ann": ["PROFILE_CHANGE ann:v1:nick,level"]}),
    "the same profile": (
        lambda s: s.profile(nick="Ann"), "UpdateProfile",
        lambda s: s.relation(
            "UpdateProfile", user_id=s.ann, profile={"nick": "Ann"},
            update_mask={"paths": ["nick"]}),
        {}),
    "a visibility": (
        lambda s: s.friends(), "SetVisibility",
        lambda s: s.write("SetVisibility", visibility="VISIBILITY_FRIENDS"),
        {"ann": ["VISIBILITY_CHANGED ann:v1:visibility:FRIENDS"]}),
    "a field's visibility": (
        lambda s: s.friends(), "SetVisibility",
        lambda s: s.write("SetVisibility", fields=[{"field": "email", "visibility": 3}]),
        {"ann": ["VISIBILITY_CHANGED ann:v1:email:NOT_SET:email FRIENDS:was email NOT_SET"]}),
    "no visibility": (
        nothing, "SetVisibility",
        lambda s: s.write("SetVisibility", visibility="VISIBILITY_NOT_SET"), {}),
    "find settings": (
        lambda s: s.friends(), "SetFindSettings",
        lambda s: s.write("SetFindSettings", settings={"by_id": 1, "by_name": 2}),
        {"ann": ["FIND_SETTINGS_CHANGED ann:by_id=NO_USER,by_name=EVERYONE"]}),
    "the same find settings": (
        lambda s: s.relation("SetFindSettings", user_id=s.ann, settings={"by_id": 1}),
        "SetFindSettings",
        lambda s: s.write("SetFindSettings", settings={"by_id": 1, "by_name": 0}), {}),
    "contact digests": (
        nothing, "SetContactDigests",
        lambda s: s.write("SetContactDigests", kind=1, digests=[b"d" * 32]), {}),
    "contacts": (
        nothing, "FindContacts",
        lambda s: s.write("FindContacts", kind=1, digests=[b"d" * 32]), {}),
    # Consent
    "grant": (
        nothing, "GrantPermissions", lambda s: s.permissions("GrantPermissions", "email"),
        {"ann": ["CONSENT_CHANGED reader:email GRANTED reader:public_profile GRANTED"]}),
    "decline": (
        nothing, "DeclinePermissions", lambda s: s.permissions("DeclinePermissions", "email"),
        {"ann": ["CONSENT_CHANGED reader:email DECLINED"]}),
    "revoke": (
        lambda s: s.granted(), "RevokePermissions",
        lambda s: s.permissions("RevokePermissions", "email"),
        {"ann": ["CONSENT_CHANGED reader:email REVOKED"]}),
    # Follows
    "follow": (
        nothing, "Follow", lambda s: s.write("Follow", user_ids=[s.bob]),
        {
            "ann": ["FOLLOWING_CHANGED bob:follow:FOLLOWING"],
            "bob": ["FOLLOWERS_CHANGED ann:follow:FOLLOWED_BY"],
        }),
    "follow back": (
        lambda s: s.follows(s.bob, s.ann), "Follow",
        lambda s: s.write("Follow", user_ids=[s.bob]),
        {
            "ann": ["FOLLOWING_CHANGED bob:follow:MUTUAL"],
            "bob": ["FOLLOWERS_CHANGED ann:follow:MUTUAL"],
        }),
    "follow again": (
        lambda s: s.follows(s.ann, s.bob), "Follow",
        lambda s: s.write("Follow", user_ids=[s.bob]), {}),
    "unfollow": (
        lambda s: s.mutual(), "Unfollow", lambda s: s.write("Unfollow", user_ids=[s.bob]),
        {
            "ann": ["FOLLOWING_CHANGED bob:FOLLOWED_BY"],
            "bob": ["FOLLOWERS_CHANGED ann:FOLLOWING"],
        }),
    "dismiss a suggestion": (
        nothing, "DismissSuggestions",
        lambda s: s.write("DismissSuggestions", user_ids=[s.bob]),
        {"ann": ["DISMISSALS_CHANGED bob:dismissed"]}),
    "restore a suggestion": (
        lambda s: s.relation("DismissSuggestions", user_id=s.ann, user_ids=[s.bob]),
        "RestoreSuggestions",
        lambda s: s.write("RestoreSuggestions", user_ids=[s.bob]),
        {"ann": ["DISMISSALS_CHANGED bob"]}),
    "unfollow no user": (
        nothing, "Unfollow", lambda s: s.write("Unfollow", user_ids=[s.bob]), {}),
    "block a mutual follow": (
        lambda s: s.mutual(), "AddToBlacklist",
        lambda s: s.write("AddToBlacklist", user_ids=[s.bob]),
        {
            "ann": [
                "ADD_BLACKLIST bob:blacklisted", "FOLLOWERS_CHANGED bob:NONE",
                "FOLLOWING_CHANGED bob:FOLLOWED_BY",
            ],
            "bob": ["FOLLOWERS_CHANGED ann:FOLLOWING", "FOLLOWING_CHANGED ann:NONE"],
        }),
    # Administrators
    "an import": (
        nothing, "ImportFriends", lambda s: s.import_friend(),
        {"ann": ["GROUP_CREATED work(1)", "LIST_CHANGED"], "bob": ["LIST_CHANGED"]}),
    "an import that tells": (
        nothing, "ImportFriends", lambda s: s.import_friend(notify=True),
        {
            "ann": ["ADD_FRIEND bob:friend[work]", "GROUP_CREATED work(1)"],
            "bob": ["ADD_FRIEND ann:friend"],
        }),
    "an import that tells of what was there": (
        lambda s: s.friends(), "ImportFriends", lambda s: s.import_friend(notify=True),
        {"ann": ["GROUP_CREATED work(1)", "SNS_PROFILE_CHANGE bob:friend[work]"]}),
    "a blacklist that is imported beside a friendship": (
        lambda s: s.friends(), "ImportBlacklists",
        lambda s: s.import_row("ImportBlacklists", blocked_user_id=s.bob),
        {"ann": ["ADD_BLACKLIST bob:blacklisted"]}),
    "a follow that is imported": (
        nothing, "ImportFollows",
        lambda s: s.import_row("ImportFollows", followed_user_id=s.bob),
        {
            "ann": ["FOLLOWING_CHANGED bob:follow:FOLLOWING"],
            "bob": ["FOLLOWERS_CHANGED ann:follow:FOLLOWED_BY"],
        }),
    "a profile that is imported": (
        nothing, "ImportProfiles",
        lambda s: s.import_row("ImportProfiles", profile={"nick": "Ann"}),
        {"ann": ["PROFILE_CHANGE ann:v1:nick"]}),
    "accounts": (
        nothing, "ImportAccounts", lambda s: s.people.make([s.ann, s.people.unknown_user()]), {}),
    "a deleted friend": (
        lambda s: s.in_group(), "DeleteAccounts", lambda s: s.delete_account(s.bob),
        {"ann": ["DEL_FRIEND bob"], "eve": ["DEL_FRIEND bob"], "joe": ["DEL_FRIEND bob"]}),
    "one deleted who was blocked": (
        lambda s: s.people.block(s.ann, s.bob), "DeleteAccounts",
        lambda s: s.delete_account(s.bob),
        {
            "ann": ["DEL_BLACKLIST bob:blacklisted"], "eve": ["DEL_FRIEND bob"],
            "joe": ["DEL_FRIEND bob"],
        }),
    "one deleted who asked": (
        lambda s: s.asked(), "DeleteAccounts", lambda s: s.delete_account(s.bob),
        {
            "ann": ["DEL_FRIEND_REQ bob:COME_IN WITHDRAWN"], "eve": ["DEL_FRIEND bob"],
            "joe": ["DEL_FRIEND bob"],
        }),
    # SetStatus
    "set a status": (
        nothing, "SetStatus", lambda s: s.write("SetStatus", text="away", expiry_seconds=60),
        {"ann": ["STATUS_CHANGED ann:'away' for a time"]}),
    "set a status for good": (
        lambda s: s.relation("SetStatus", user_id=s.ann, text="away"), "SetStatus",
        lambda s: s.write("SetStatus", text="back"), {"ann": ["STATUS_CHANGED ann:'back'"]}),
    "clear a status": (
        lambda s: s.relation("SetStatus", user_id=s.ann, text="away"), "SetStatus",
        lambda s: s.write("SetStatus"), {"ann": ["STATUS_CHANGED ann:''"]}),
    "set the same status": (
        lambda s: s.relation("SetStatus", user_id=s.ann, text="away"), "SetStatus",
        lambda s: s.write("SetStatus", text="away"), {}),
    # SuspendAccounts, ReinstateAccounts
    "suspend": (
        nothing, "SuspendAccounts",
        lambda s: s.relation("SuspendAccounts", items=[{"user_id": s.ann, "level": 2}]),
        {"ann": ["SUSPENSION_CHANGED ann:SUSPENDED"]}),
    "reinstate": (
        lambda s: s.relation("SuspendAccounts", items=[{"user_id": s.ann, "level": 1}]),
        "ReinstateAccounts", lambda s: s.relation("ReinstateAccounts", user_ids=[s.ann]),
        {"ann": ["SUSPENSION_CHANGED ann:UNSPECIFIED"]}),
    # No log tells of a report.
    "report": (
        nothing, "ReportUser",
        lambda s: s.write("ReportUser", reported_user_id=s.bob, category=1), {}),
    # CreateInvitation, RevokeInvitation, AcceptInvitation
    "invite": (
        nothing, "CreateInvitation",
        lambda s: s.write("CreateInvitation", max_uses=2, expiry_seconds=60),
        {"ann": ["INVITATION_CHANGED ACTIVE 0/2"]}),
    "revoke an invitation": (
        lambda s: s.invite(s.ann), "RevokeInvitation",
        lambda s: s.write("RevokeInvitation", invitation_id=s.invitation),
        {"ann": ["INVITATION_CHANGED REVOKED 0/2"]}),
    "use an invitation": (
        lambda s: s.invite(s.bob, pre_approved=True), "AcceptInvitation",
        lambda s: s.write("AcceptInvitation", invitation_code=s.code),
        {
            "ann": ["ADD_FRIEND bob:friend"],
            "bob": ["ADD_FRIEND ann:friend", "INVITATION_CHANGED ann:ACTIVE 1/2"],
        }),
    "apply by an invitation": (
        lambda s: (s.people.need_confirm(s.bob), s.invite(s.bob)), "AcceptInvitation",
        lambda s: s.write("AcceptInvitation", invitation_code=s.code),
        {
            "ann": ["ADD_FRIEND_REQ bob:SEND_OUT UNHANDLED"],
            "bob": [
                "ADD_FRIEND_REQ ann:COME_IN UNHANDLED", "INVITATION_CHANGED ann:ACTIVE 1/2",
            ],
        }),
    "use an invitation of who blocked me": (
        lambda s: (s.invite(s.bob, pre_approved=True), s.people.block(s.bob, s.ann)),
        "AcceptInvitation", lambda s: s.write("AcceptInvitation", invitation_code=s.code), {}),
    "one deleted who was asked": (
        lambda s: s.asks(), "DeleteAccounts", lambda s: s.delete_account(s.bob),
        {
            "ann": ["DEL_FRIEND_REQ bob:SEND_OUT REFUSED"], "eve": ["DEL_FRIEND bob"],
            "joe": ["DEL_FRIEND bob"],
        }),
}  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def client(people):
    people.register_client(CLIENT)


@pytest.fixture(scope="module")
def printed(server, stubs, client):
    printed = Printed(server, stubs)
    yield printed
    printed.stop()


@pytest.mark.parametrize("case", CASES)
def test_a_call_notifies_whom_it_changed_and_no_other_user(people, printed, case):
    prepare, _, call, wanted = CASES[case]
    scene = Scene(people)
    prepare(scene)
    before = {user: sequence(people, user) for user in scene.names}
    call(scene)

    words = Words(people, scene.names)
    told = {}
    for user, name in scene.names.items():
        if people.relation("CheckAccounts", user_ids=[user]).results[0].status != 1:
            continue
        found = events(people, user, before[user])
        assert [event.sequence for event in found] == list(
            range(before[user] + 1, sequence(people, user) + 1))
        assert printed.events(user, before[user], sequence(people, user)) == found
        for event in found:
            assert event.user_id == user and event.time_ms > 0
            about_call(scene, case, event)
            about_rows(scene, user, event)
        places = [event.feed_position for event in found]
        assert places == sorted(set(places)) and 0 not in places
        if found:
            told[name] = sorted(words(event) for event in found)
    assert told == wanted


# These calls act for no user, so their events name none.
OF_NO_USER = {
    "ImportFriends", "ImportBlacklists", "ImportFollows", "ImportProfiles", "ImportAccounts",
    "DeleteAccounts", "SuspendAccounts", "ReinstateAccounts"}


def about_call(scene, case, event):
    """Checks the event's user, device and request id."""
    made = (event.actor_user_id, event.device_id, event.request_id)
    # A user whose follow a blacklist ended does not hear whose blacklist it was.
    hidden = CASES[case][1] == "AddToBlacklist" and event.kind == 160 and event.user_id != scene.ann
    if hidden or CASES[case][1] in OF_NO_USER:
        assert made == ("", "", "")
    else:
        assert made == (scene.ann, "phone", "r1")


def about_rows(scene, user, event):
    """Checks that the rows in an event equal the present ones, which calls read."""
    people = scene.people
    for item in event.items:
        if item.HasField("friend_entry"):
            assert item.friend_entry == people.friend(user, item.user_id)
        if item.HasField("follow"):
            call = "ListFollowing" if event.kind == 160 else "ListFollowers"
            assert item.follow in people.relation(call, user_id=user).entries
        if item.HasField("blacklist_entry") and event.kind == 5:
            entries = people.relation("ListBlacklist", user_id=user).entries
            assert item.blacklist_entry in entries
        if item.HasField("group") and event.kind != 101:
            answer = people.relation(
                "GetFriendGroups", user_id=user, names=[item.group.name])
            assert item.group == answer.results[0].group
        if item.HasField("application"):
            lines = people.applications(user)
            for line in lines:
                line.ClearField("nick")
                line.ClearField("face_url")
            if item.application.status == 0 and event.kind == 4:
                assert item.application not in lines
            else:
                assert item.application in lines
        if item.HasField("profile"):
            profile = people.profile(user)
            assert item.profile.version == profile.version
            for path in item.fields:
                if path != "visibility":
                    assert getattr(item.profile, path) == getattr(profile, path)
        if item.HasField("invitation"):
            assert item.invitation in people.relation(
                "ListInvitations", user_id=user).invitations
        if item.HasField("permission"):
            answer = people.relation(
                "ListPermissions", user_id=user, client_app_id=item.client_app_id)
            assert item.permission in answer.permissions


def test_every_call_that_writes_for_a_user_is_in_the_table(stubs):
    writes = set()
    for path in stubs.paths:
        method = stubs.method(path)[1]
        fields = method.input_type.fields_by_name
        options = fields.get("options")
        if options is not None and options.message_type.name == "WriteOptions":
            if "user_id" in fields and not method.client_streaming:
                writes.add(method.name)
    covered = {case[1] for case in CASES.values()}
    assert writes - covered - ELSEWHERE == set()
    assert {"ImportFriends", "ImportAccounts", "DeleteAccounts"} <= covered


def test_each_kind_of_the_contract_is_told_by_some_call(stubs):
    told = {
        words.split()[0]
        for case in CASES.values() for events in case[3].values() for words in events
    }
    names = {name.removeprefix("CHANGE_KIND_") for name in stubs.ChangeKind.keys()}
    # These are in the feed of the app, in streams, in apps that report reverse friends, and those
    # of subscriptions and of reviews in files of their own.
    rest = {
        "UNSPECIFIED", "ACCOUNT_CREATED", "ACCOUNT_DELETED", "SUBSCRIPTION_CHANGED",
        "SUBSCRIPTION_EXPIRED", "PRESENCE", "STATE", "SYNC_COMPLETED", "RESYNC",
        "USER_REPORTED", "REPORT_RESOLVED", "RISK_MARKED", "REVIEW_ASKED", "REVIEW_DECIDED",
        "REVERSE_FRIENDS_CHANGED",
    }  # fmt: skip
    assert names - rest == told


@pytest.mark.parametrize(
    "case", ["both ways", "an application", "block a friend", "make groups", "a profile"])
def test_a_call_that_is_only_tried_notifies_no_user(people, case):
    prepare, _, call, _ = CASES[case]
    scene = Scene(people)
    prepare(scene)
    before = {user: sequence(people, user) for user in scene.names}
    scene.write = lambda name, **fields: people.relation(
        name, user_id=scene.ann, options={"dry_run": True}, **fields)
    call(scene)
    assert {user: sequence(people, user) for user in scene.names} == before


def test_one_call_makes_one_event_for_each_kind_and_receiver(people):
    ann, *others = people(5)
    people.need_confirm(others[0])
    before = sequence(people, ann)
    answer = people.relation(
        "AddFriends", user_id=ann, items=[{"user_id": other} for other in others])
    assert codes(answer) == [30539, 0, 0, 0]
    applied, added = events(people, ann, before)
    assert [item.user_id for item in applied.items] == others[:1]
    assert [item.user_id for item in added.items] == others[1:]
    for other in others:
        (event,) = events(people, other, sequence(people, other) - 1)
        assert [item.user_id for item in event.items] == [ann]


def test_a_repeated_request_notifies_no_user_again(people):
    ann, bob = people(2)
    for _ in range(2):
        answer = people.relation(
            "AddFriends", user_id=ann, items=[{"user_id": bob}],
            options={"request_id": "again"})
    assert answer.replayed
    assert len(events(people, ann)) == len(events(people, bob)) == 1
