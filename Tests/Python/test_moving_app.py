"""An app that moves to another number: what its users have is there as before, and works on, but
for what the contract says does not travel."""

import pytest
from people import absent, codes
from products import Product, ids
from test_app_import import exported, imported
from test_leaving_app import DIGEST, MARK, MIA, PHONE, Town

LIMITED = 1


class Moved:
    """The town of another test, before and after its move, with some rows more."""

    def __init__(self, relation):
        self.old = Town(relation)
        product = self.old.product
        product.make(["newcomer"])
        item = {"user_id": "troll", "level": LIMITED, "reason_text": "case 5"}
        assert codes(product.relation("SuspendAccounts", items=[item])) == [0]
        self.old.reader.does("SetFindSettings", settings={"by_name": 1})
        self.old.friend.does("UpdateFriends", items=[{
            "user_id": "watcher", "mute_until_ms": (1 << 63) - 1, "ignored": True,
            "update_mask": {"paths": ["mute_until_ms", "ignored"]}}])
        number = relation("CreateApp", name="The new number").app.app_id
        self.new = Product(relation, app=number)
        told, progress = imported(self.new.relation, exported(product.relation))
        assert (told, progress.refused) == ([], 0)

    def both(self, user, name, **fields):
        """The answers of one call in both apps."""
        return [product.device(user)(name, **fields) for product in (self.old.product, self.new)]


@pytest.fixture(scope="module")
def moved(relation):
    return Moved(relation)


def bare(message):
    """An answer without numbers of its history, and without tokens."""
    copy = type(message)()
    copy.CopyFrom(message)
    clear(copy)
    return copy


def clear(message):
    for field, value in message.ListFields():
        if field.name in ("sequence", "next_page_token", "version", "view_version"):
            message.ClearField(field.name)
        elif field.message_type and not field.message_type.GetOptions().map_entry:
            for one in value if field.is_repeated else [value]:
                clear(one)


@pytest.mark.parametrize("user", ["friend", "fan", "guest", "watcher", "reader", "troll", MIA])
def test_each_user_reads_what_it_read_before(moved, user):
    others = ["friend", "fan", "guest", "victim", "troll", "watcher", "reader", MIA]
    for name, fields in {
        "ListFriends": {"with_profiles": True, "order": "FRIEND_ORDER_PIN"},
        "ListReverseFriends": {"with_profiles": True}, "ListFollowing": {"with_profiles": True},
        "ListFollowers": {}, "ListMutualFollows": {}, "ListSubscriptions": {},
        "ListBlacklist": {}, "ListDismissedSuggestions": {}, "ListInvitations": {},
        "ListApplications": {}, "SuggestFriends": {}, "GetVisibility": {}, "GetFindSettings": {},
        "GetSelfProfile": {}, "GetFriendGroups": {"with_members": True},
        "GetProfiles": {"user_ids": others}, "GetRelations": {"user_ids": others},
        "CheckFollows": {"user_ids": others}, "GetFollowCounts": {"user_ids": others},
    }.items():  # fmt: skip
        one, other = moved.both(user, name, **fields)
        assert bare(one) == bare(other), name
    # The index of names may be called incomplete for a minute; the import wrote it all the same.
    one, other = moved.both(user, "FindUsers", keyword=MARK)
    assert one.users == other.users and bool(one.users) == (user not in ("troll", MIA))


def test_what_was_begun_goes_on_after_the_move(moved):
    new, old = moved.new, moved.old
    # A printed code, a phone number, a status, a suspension and its text for moderators.
    (waiting,) = old.mia("ListInvitations").invitations
    shown = new.device("newcomer")("GetInvitation", **old.code)
    assert (shown.inviter_user_id, shown.text) == (MIA, waiting.text)
    new.device("newcomer").does("AcceptInvitation", **old.code)
    assert "newcomer" in ids(new.device(MIA)("ListFriends").friends)
    assert [row.use_count for row in new.device(MIA)("ListInvitations").invitations] == [2]
    found = new.device("fan")("FindContacts", kind=PHONE, digests=[DIGEST]).contacts
    assert [row.user_id for row in found] == [MIA]
    (status,) = new.device("friend")("GetPresence", user_ids=[MIA]).results
    assert status.presence.status_text == f"{MARK} status"
    assert status.presence.last_seen_time_ms > 0 and not status.presence.online
    # So is when her device was seen, of which the new app never had a report.
    (before,) = old.friend("GetPresence", user_ids=[MIA]).results
    (was,), (device,) = before.presence.devices, status.presence.devices
    assert (device.device_id, device.online) == (was.device_id, False) == (f"{MARK} phone", False)
    assert was.change_time_ms - 60_000 < device.change_time_ms <= was.change_time_ms
    (held,) = new.relation("ListSuspensions").suspensions
    assert held == old.relation("ListSuspensions").suspensions[0]
    assert (held.user_id, held.level, held.reason_text) == ("troll", LIMITED, "case 5")
    # Reports have their ids, so that moderators close those that they have read.
    reports = new.relation("ListReports")
    assert reports.reports == old.relation("ListReports").reports and reports.open_size == 2
    answer = new.relation("ResolveReports", items=[
        {"report_id": reports.reports[0].report_id, "outcome": 1}])
    assert codes(answer) == [0]
    new.device("guest").does("ReportUser", reported_user_id="troll", category=1)
    listed = [row.report_id for row in new.relation("ListReports").reports]
    assert len(set(listed)) == 3
    # Who may see the email is still who was in the group.
    for viewer, sees in (("friend", True), ("fan", False)):
        (result,) = new.device(viewer)("GetProfiles", user_ids=[MIA]).results
        assert bool(result.profile.email) == sees
        assert sees or absent(result)["email"] == 9


def test_a_client_of_the_old_app_begins_anew(moved):
    old = moved.old.friend("GetSequence").sequence
    new = moved.new.device("friend")
    assert new("GetSequence").sequence > old
    assert new("ListChanges", since_sequence=old).resync
    new.does("SetStatus", text="Moved")
    assert new("ListChanges", since_sequence=new("GetSequence").sequence - 1).events
