"""A back end that keeps follows, invitations, dismissed suggestions, marks, statuses, suspensions
and choices from the events of an app alone, while its stream breaks: its copy equals the lists."""

import random

import pytest
from people import codes
from products import Product
from watching import RESYNC, STATE, SYNC_COMPLETED, Watching

USERS = [f"user{number}" for number in range(7)]
ROUNDS = 400
FOR_GOOD = (1 << 63) - 1


class Copy:
    """What one user has, as events tell it."""

    def __init__(self):
        self.following, self.followers, self.dismissed = {}, {}, {}
        self.invitations, self.marks = {}, {}
        self.relations = {}
        self.status, self.suspension, self.find, self.fields = ("", 0), 0, {}, {}

    def take(self, kind, item):
        if kind in ("FOLLOWING_CHANGED", "FOLLOWERS_CHANGED"):
            rows = self.following if kind == "FOLLOWING_CHANGED" else self.followers
            rows.pop(item.user_id, None)
            if item.HasField("follow"):
                rows[item.user_id] = item.follow.follow_time_ms
            self.relations[item.user_id] = item.follow_relation
        elif kind == "DISMISSALS_CHANGED":
            self.dismissed.pop(item.user_id, None)
            if item.HasField("dismissed_suggestion"):
                self.dismissed[item.user_id] = item.dismissed_suggestion.dismiss_time_ms
        elif kind == "INVITATION_CHANGED":
            self.invitations[item.invitation.invitation_id] = item.invitation
        elif kind in ("ADD_FRIEND", "SNS_PROFILE_CHANGE"):
            self.marks[item.user_id] = marks(item.friend_entry)
        elif kind == "DEL_FRIEND":
            del self.marks[item.user_id]
        elif kind == "STATUS_CHANGED":
            self.status = (item.presence.status_text, item.presence.status_expire_time_ms)
        elif kind == "SUSPENSION_CHANGED":
            self.suspension = item.suspension.level
        elif kind == "FIND_SETTINGS_CHANGED":
            self.find = choices(item.find_settings)
        elif kind == "VISIBILITY_CHANGED":
            for field in item.field_visibilities:
                self.fields[field.field] = field.visibility

    def state(self, item):
        """A row of the present state."""
        if item.HasField("follow"):
            self.take("FOLLOWING_CHANGED", item)
        elif item.HasField("dismissed_suggestion"):
            self.take("DISMISSALS_CHANGED", item)
        elif item.HasField("invitation"):
            self.take("INVITATION_CHANGED", item)
        elif item.HasField("friend_entry"):
            self.take("ADD_FRIEND", item)
        elif item.HasField("profile"):
            self.take("VISIBILITY_CHANGED", item)


def marks(row):
    return row.starred, row.pin_order, row.mute_until_ms, row.ignored


def choices(settings):
    return {field.name: value for field, value in settings.ListFields() if value}


class Backend:
    """The copies of all users, kept over any number of streams."""

    def __init__(self, product):
        self.product = product
        self.kinds = product.stubs.ChangeKind
        self.copies = {user: Copy() for user in USERS}
        self.token = ""
        self.sequences = dict.fromkeys(USERS, 0)

    def read(self, messages):
        """Reads so many events of a new stream."""
        with Watching(
                self.product.relation, timeout=30, app=True, resume_token=self.token) as stream:
            for _ in range(messages):
                self.take(stream.event())
            self.token = stream.token

    def until(self, sequences):
        with Watching(
                self.product.relation, timeout=30, app=True, resume_token=self.token) as stream:
            while any(self.sequences[user] < sequences[user] for user in USERS):
                self.take(stream.event())
            self.token = stream.token

    def take(self, event):
        assert event.kind not in (RESYNC, STATE, SYNC_COMPLETED), event
        if event.sequence:
            assert event.sequence == self.sequences[event.user_id] + 1, event
            self.sequences[event.user_id] = event.sequence
        name = self.kinds.Name(event.kind).removeprefix("CHANGE_KIND_")
        for item in event.items:
            self.copies[event.user_id].take(name, item)


class Users:
    """Random calls of a few users and of the moderators of their app."""

    def __init__(self, product, numbers):
        self.product, self.numbers = product, numbers
        self.codes = []

    def act(self):
        numbers = self.numbers
        user, other, third = numbers.sample(USERS, 3)
        device = self.product.device(user)
        some, sure = [other, third], numbers.random() < 0.5
        # One entry for each call; those of follows come more often.
        act = numbers.choice([
            lambda: device("Follow", user_ids=some), lambda: device("Follow", user_ids=some),
            lambda: device("Unfollow", user_ids=some),
            lambda: device("AddToBlacklist", user_ids=[other]),
            lambda: device("RemoveFromBlacklist", user_ids=USERS),
            lambda: device("AddFriends", items=[{"user_id": each} for each in some]),
            lambda: device("DeleteFriends", user_ids=some, delete_type=numbers.choice([1, 2])),
            lambda: device("UpdateFriends", items=[{
                "user_id": each, "starred": sure, "pin_order": numbers.randrange(3),
                "mute_until_ms": FOR_GOOD if sure else 0, "ignored": not sure,
                "update_mask": {"paths": ["starred", "pin_order", "mute_until_ms", "ignored"]},
            } for each in some]),
            lambda: device("DismissSuggestions", user_ids=some),
            lambda: device("RestoreSuggestions", user_ids=some),
            lambda: self.invite(device),
            lambda: self.accept(device),
            lambda: device("SetStatus", text=numbers.choice(["", "Away", "Here"])),
            lambda: device("SetFindSettings", settings={
                numbers.choice(["by_id", "by_name", "by_phone"]): numbers.randrange(3)}),
            lambda: device("SetVisibility", fields=[{
                "field": numbers.choice(["email", "gender"]),
                "visibility": numbers.choice([0, 1, 2, 3, 4])}]),
            lambda: self.moderate(user),
        ])  # fmt: skip
        act()

    def invite(self, device):
        made = device("CreateInvitation", max_uses=2, expiry_seconds=3_600, pre_approved=True)
        if made.code == 0:
            self.codes.append(made.invitation_code)
        listed = device("ListInvitations").invitations
        if len(listed) > 3:
            device("RevokeInvitation", invitation_id=listed[-1].invitation_id)

    def accept(self, device):
        if self.codes:
            device("AcceptInvitation", invitation_code=self.numbers.choice(self.codes))

    def moderate(self, user):
        item = {"user_id": user, "level": self.numbers.choice([1, 2])}
        assert codes(self.product.relation("SuspendAccounts", items=[item])) == [0]
        assert codes(self.product.relation("ReinstateAccounts", user_ids=[user])) == [0]


def listed(product, user):
    """The same, as the lists answer it."""
    device, copy = product.device(user), Copy()

    def rows(name, place):
        return device.pages(name, place, 2)[0]

    copy.following = {row.user_id: row.follow_time_ms for row in rows("ListFollowing", "entries")}
    copy.followers = {row.user_id: row.follow_time_ms for row in rows("ListFollowers", "entries")}
    copy.dismissed = {
        row.user_id: row.dismiss_time_ms for row in rows("ListDismissedSuggestions", "users")}
    copy.invitations = {row.invitation_id: row for row in rows("ListInvitations", "invitations")}
    copy.marks = {row.user_id: marks(row) for row in rows("ListFriends", "friends")}
    checked = device("CheckFollows", user_ids=[other for other in USERS if other != user])
    copy.relations = {row.user_id: row.relation for row in checked.results if row.relation}
    presence = device("GetPresence", user_ids=[user]).results[0].presence
    copy.status = (presence.status_text, presence.status_expire_time_ms)
    copy.find = choices(device("GetFindSettings").settings)
    copy.fields = {row.field: row.visibility for row in device("GetVisibility").fields}
    suspended = product.relation("ListSuspensions").suspensions
    copy.suspension = next((row.level for row in suspended if row.user_id == user), 0)
    return copy


def told(copy):
    """A copy in a form that can be compared: without what says nothing."""
    return {**vars(copy),
            "relations": {user: one for user, one in copy.relations.items() if one},
            "fields": {field: one for field, one in copy.fields.items() if one}}  # fmt: skip


@pytest.fixture
def product(relation):
    product = Product(relation)
    product(*USERS)
    return product


def test_a_copy_of_an_app_over_streams_that_break_equals_its_lists(product, seed):
    numbers = random.Random(seed)
    backend, users = Backend(product), Users(product, random.Random(seed + 1))
    with Watching(product.relation, app=True) as stream:
        stream.state()
        backend.token = stream.token
    for number in range(ROUNDS):
        users.act()
        if number % 40 == 39:
            present = {
                user: product.relation("GetSequence", user_id=user).sequence for user in USERS}
            waiting = sum(present.values()) - sum(backend.sequences.values())
            if waiting:
                backend.read(numbers.randint(1, waiting))
    answer = product.relation("SuspendAccounts", items=[{"user_id": USERS[0], "level": 2}])
    assert codes(answer) == [0]
    present = {user: product.relation("GetSequence", user_id=user).sequence for user in USERS}
    backend.until(present)
    for user in USERS:
        assert told(backend.copies[user]) == told(listed(product, user)), user
    assert sum(present.values()) > ROUNDS / 2


def test_the_present_state_of_a_user_is_what_its_lists_say(product, seed):
    users = Users(product, random.Random(seed + 2))
    for _ in range(ROUNDS // 2):
        users.act()
    for user in USERS:
        copy, device = Copy(), product.device(user)
        with Watching(device.relation, user_id=user) as stream:
            for event in stream.state():
                for item in event.items if event.user_id == user else []:
                    copy.state(item)
        wanted = listed(product, user)
        # Followers have no bound, and these choices are read by calls of their own.
        wanted.followers, wanted.find, wanted.status = {}, {}, ("", 0)
        wanted.relations = {
            other: one for other, one in wanted.relations.items() if other in wanted.following}
        assert told(copy) == told(wanted), user
