"""Who learns what: each fact of the table in docs/decisions (number 27) changes, and every unary call of
the contract is made before and after: by another user with a credential of its own, by a service that
acts for that user, and by an administrator that does. The calls whose answers differ are the table's
and no others, so what one call hides no other call shows; and a call that is added is walked too."""

import grpc
import pytest
from bad_input import good
from people import People, codes
from refusals import Refusal
from stubs import Relation
from test_bad_input import Walk
from test_every_call import takes
from watching import live

INVISIBLE, EVERYONE, FRIENDS, FOLLOWERS, GROUPS = 1, 2, 3, 4, 5
ONLINE_STATUS, USER_PROFILE = 1, 2
PROFILE_CHANGE, VISIBILITY_CHANGED, PRESENCE = 110, 111, 122

#: The metadata by which each caller identifies itself, beside the app.
CALLERS = {
    "user": lambda user: [("x-user-id", user)],
    "service": lambda user: [("x-scopes", "read,write,watch")],
    "admin": lambda user: [],
}
PROFILES = {"GetProfiles", "GetRelations", "FindProfileByUniqueId"}
#: The calls that join profiles to their rows, by what the viewer has the subject as.
OF_FRIENDS = {"GetFriends", "GetFriendGroups"}
#: They have no reasons for absent fields, so a new reason alone does not change them.
JOINED_ALONE = {"GetRelations"}
FOLLOWED = {"QuerySubscriptions", "ListSubscriptions"}
NOTHING = set()


class Pair:
    """Two users of an app of their own: `subject`, of whom something changes, and `viewer`."""

    def __init__(
        self, relation, visibility=None, follows=(), knows=None, fields=(), blocks=False,
        **settings):  # fmt: skip
        self.app = relation("CreateApp", settings=settings).app.app_id
        self.relation = Relation(
            relation.stubs, relation.channel, [("x-app-id", str(self.app))])
        self.people = People(self.relation)
        self.subject, self.viewer, self.other = self.people(3)
        self.people.register_client("client")
        self.people.set_profile(
            self.subject, nick="Sue", gender=1, birthday=20000101, unique_id=f"sue{self.app}")
        if visibility is not None:
            self.relation("SetVisibility", user_id=self.subject, visibility=visibility)
        if fields:
            self.people.group(self.subject, "close")
            self.choose(*fields)
        for kind in follows:
            self.people.relation(
                "Subscribe", user_id=self.viewer, user_ids=[self.subject], subscribe_type=kind,
                expiry_seconds=3600)
        if blocks:
            self.people.block(self.subject, self.viewer)
        self.know(knows)
        self.requests = dict(self.asked())

    def choose(self, *fields):
        """Chooses who may read fields, each with its level."""
        items = [
            {"field": field, "visibility": level, "group_names": ["close"] * (level == GROUPS)}
            for field, level in fields]
        assert self.relation("SetVisibility", user_id=self.subject, fields=items).code == 0

    def know(self, knows):
        """Puts the subject into a list of the viewer."""
        if knows == "friend":
            self.relation(
                "AddFriends", user_id=self.viewer, add_type=1,
                items=[{"user_id": self.subject, "group": "group", "remark": "Sue"}])
        elif knows == "friend of both ways":
            self.people.befriend(self.viewer, self.subject)
        elif knows == "follow":
            self.relation("Follow", user_id=self.viewer, user_ids=[self.subject])
        elif knows == "blacklist":
            self.people.block(self.viewer, self.subject)
        elif knows == "friend of a friend":
            self.people.befriend(self.viewer, self.other)
            self.people.befriend(self.other, self.subject)

    def asked(self):
        """A request of every unary call that reads, or writes about others, in which the viewer asks
        about the subject."""
        stubs = self.relation.stubs
        writes = takes(stubs, "WriteOptions")
        walk = Walk(self.relation, self.people, "GetProfiles")
        walk.ann, walk.bob = self.viewer, self.subject
        for walk.call in sorted(takes(stubs, "ReadOptions") + writes):
            call = walk.call
            request = good(
                stubs.message(stubs.method(call)[1].input_type.name)(),
                walk.examples() | {
                    "custom": None, "check_type": 2, "AddFriend.user_id": self.subject,
                    "FriendResponse.user_id": self.subject, "FriendUpdate.user_id": self.subject,
                    "FindProfileByUniqueIdRequest.unique_id": f"sue{self.app}",
                    "keyword": "Sue", "with_profiles": True, "with_members": True,
                    "with_presence": True,
                })  # fmt: skip
            if call in writes:
                if self.subject.encode() not in request.SerializeToString():
                    continue
                request.options.dry_run = True
            yield call, request

    def called_by(self, caller):
        metadata = CALLERS[caller](self.viewer)
        return Relation(
            self.relation.stubs, self.relation.channel, [*self.relation.metadata, *metadata])

    def answers(self):
        """The answer of each call to each caller, or its refusal."""
        return {
            (caller, call): answered(self.called_by(caller), call, request)
            for caller in CALLERS
            for call, request in self.requests.items()
        }


def answered(relation, call, request):
    try:
        answer = relation.start(call)(request, timeout=20, metadata=relation.metadata)
        if request.options.DESCRIPTOR.name == "WriteOptions":
            forget_times(answer)
        return answer
    except grpc.RpcError as error:
        return str(Refusal(error))


def forget_times(message):
    """Removes the times from a message: a dry run gives the present time, which differs later."""
    for field, value in message.ListFields():
        if field.name.endswith("_ms"):
            message.ClearField(field.name)
        elif field.message_type and not field.message_type.GetOptions().map_entry:
            for part in value if field.is_repeated else [value]:
                forget_times(part)


def profile(**fields):
    return lambda pair: pair.people.set_profile(pair.subject, **fields)


def remarks_as_a_user(remark):
    """The subject's remark on the viewer, which is reviewed."""
    def change(pair):
        relation = pair.relation
        own = Relation(
            relation.stubs, relation.channel, [*relation.metadata, ("x-scopes", "read,write")])
        items = [{"user_id": pair.viewer, "remark": remark}]
        assert own("UpdateFriends", user_id=pair.subject, items=items).applied
        assert relation("ListReviews").total_size == 1
    return change


def as_a_user(**fields):
    """Fields of the profile that the subject writes by itself, so that they may be reviewed."""
    def change(pair):
        relation = pair.relation
        own = Relation(
            relation.stubs, relation.channel, [*relation.metadata, ("x-scopes", "read,write")])
        written = own(
            "UpdateProfile", user_id=pair.subject, profile=fields,
            update_mask={"paths": list(fields)})
        assert list(written.reviewed_fields) == list(fields)
    return change


def visibility(choice):
    return lambda pair: pair.relation("SetVisibility", user_id=pair.subject, visibility=choice)


def fields(*choices):
    return lambda pair: pair.choose(*choices)


def online(pair):
    report = {"user_id": pair.subject, "device_id": "phone", "online": True, "lease_seconds": 60}
    assert codes(pair.relation("ReportPresence", items=[report])) == [0]


def seen(pair):
    """The subject comes and goes."""
    online(pair)
    report = {"user_id": pair.subject, "device_id": "phone", "online": False}
    assert codes(pair.relation("ReportPresence", items=[report])) == [0]


def grant(pair):
    pair.people.grant(pair.subject, "client", "email")


#: The change; the pair to which it is made; and by caller the calls that tell, and the events. A
#: caller that is not named learns the same as the one before it.
FACTS = {
    "a field of the card": (
        profile(nick="Susan"), {"visibility": INVISIBLE, "follows": [USER_PROFILE]},
        {"user": (PROFILES, [PROFILE_CHANGE])}),
    "a field that is open to all": (
        profile(gender=2), {"visibility": EVERYONE, "follows": [USER_PROFILE]},
        {"user": (PROFILES, [PROFILE_CHANGE])}),
    "a field that is hidden": (
        profile(gender=2), {"visibility": INVISIBLE, "follows": [USER_PROFILE]},
        {"user": (NOTHING, []), "admin": (PROFILES, [])}),
    "a field that is hidden by the app's default": (
        profile(gender=2), {"default_visibility": INVISIBLE},
        {"user": (NOTHING, []), "admin": (PROFILES, [])}),
    "a field that is hidden from who is not a friend": (
        profile(birthday=20000102), {"visibility": FRIENDS},
        {"user": (NOTHING, []), "admin": (PROFILES, [])}),
    "a field that administrators read": (
        profile(admin_forbid_type=1), {"visibility": EVERYONE, "follows": [USER_PROFILE]},
        {"user": (NOTHING, []), "admin": (PROFILES, [])}),
    "a field that is hidden from who is not a follower": (
        profile(gender=2), {"visibility": FOLLOWERS, "follows": [USER_PROFILE]},
        {"user": (NOTHING, []), "admin": (PROFILES, [])}),
    "a field that is open to followers": (
        profile(gender=2),
        {"visibility": FOLLOWERS, "follows": [USER_PROFILE], "knows": "follow"},
        {"user": (PROFILES | {"ListFollowing"}, [PROFILE_CHANGE])}),
    # Where rows have profiles. Lists that are sorted by names show them as their owner sees them.
    "a field of a friend's card": (
        profile(face_url="x"), {"visibility": INVISIBLE, "knows": "friend"},
        {"user": (PROFILES | OF_FRIENDS | {"ListFriends", "SearchFriends"}, [PROFILE_CHANGE])}),
    "a field that a friend hides": (
        profile(gender=2), {"visibility": FRIENDS, "knows": "friend"},
        {"user": (NOTHING, []), "admin": (PROFILES | OF_FRIENDS, [])}),
    "a field of the card of a user on the blacklist": (
        profile(nick="Susan"), {"visibility": INVISIBLE, "knows": "blacklist"},
        {"user": (PROFILES | {"ListBlacklist"}, [])}),
    "a field that a user on the blacklist hides": (
        profile(gender=2), {"visibility": INVISIBLE, "knows": "blacklist"},
        {"user": (NOTHING, []), "admin": (PROFILES | {"ListBlacklist"}, [])}),
    "a field of the card of a friend's friend": (
        profile(nick="Susan"), {"visibility": INVISIBLE, "knows": "friend of a friend"},
        {"user": (PROFILES | {"SuggestFriends"}, [])}),
    "a field that a friend's friend hides": (
        profile(gender=2), {"visibility": INVISIBLE, "knows": "friend of a friend"},
        {"user": (NOTHING, []), "admin": (PROFILES | {"SuggestFriends"}, [])}),
    "a field of the card of a user whose presence is followed": (
        profile(nick="Susan"), {"visibility": INVISIBLE, "follows": [ONLINE_STATUS]},
        {"user": (PROFILES | FOLLOWED, [])}),
    "a field that a user hides whose presence is followed": (
        profile(gender=2), {"visibility": INVISIBLE, "follows": [ONLINE_STATUS]},
        {"user": (NOTHING, []), "admin": (PROFILES | FOLLOWED, [])}),
    "a field that the user hides from all": (
        profile(gender=2),
        {"visibility": EVERYONE, "fields": [("gender", INVISIBLE)], "follows": [USER_PROFILE]},
        {"user": (NOTHING, []), "admin": (PROFILES, [])}),
    "a field that is for friends, of one that is none": (
        profile(gender=2),
        {"visibility": EVERYONE, "fields": [("gender", FRIENDS)], "follows": [USER_PROFILE]},
        {"user": (NOTHING, []), "admin": (PROFILES, [])}),
    "a field that is for followers, of one that is none": (
        profile(gender=2),
        {"visibility": EVERYONE, "fields": [("gender", FOLLOWERS)], "follows": [USER_PROFILE]},
        {"user": (NOTHING, []), "admin": (PROFILES, [])}),
    "a field that is for a group, of one that is in none": (
        profile(gender=2),
        {"visibility": EVERYONE, "fields": [("gender", GROUPS)], "follows": [USER_PROFILE]},
        {"user": (NOTHING, []), "admin": (PROFILES, [])}),
    "a name that a friend hides": (
        profile(first_name="Susan"),
        {"visibility": EVERYONE, "fields": [("first_name", FOLLOWERS)], "knows": "friend"},
        {"user": (NOTHING, []), "admin": (PROFILES | OF_FRIENDS, [])}),
    "the birthday, and with it the age": (
        profile(birthday=19600101),
        {"visibility": EVERYONE, "fields": [("birthday", INVISIBLE)], "follows": [USER_PROFILE]},
        {"user": (NOTHING, []), "admin": (PROFILES, [])}),
    "a field that the app hides": (
        profile(gender=2),
        {"field_defaults": {"friends": {"values": ["gender"]}}, "follows": [USER_PROFILE]},
        {"user": (NOTHING, []), "admin": (PROFILES, [])}),
    "a field that is for all, of a profile that is for none": (
        profile(gender=2),
        {"visibility": INVISIBLE, "fields": [("gender", EVERYONE)], "follows": [USER_PROFILE]},
        {"user": (PROFILES, [PROFILE_CHANGE])}),
    "a choice for a field that stays hidden": (
        fields(("gender", INVISIBLE)),
        {"visibility": EVERYONE, "fields": [("gender", FRIENDS)], "follows": [USER_PROFILE]},
        {"user": (PROFILES - JOINED_ALONE, []), "admin": (PROFILES, [])}),
    "a choice that hides a field": (
        fields(("gender", INVISIBLE)), {"visibility": EVERYONE, "follows": [USER_PROFILE]},
        {"user": (PROFILES, [VISIBILITY_CHANGED])}),
    "a choice for a field of one that has blocked the viewer": (
        fields(("gender", EVERYONE)),
        {"visibility": INVISIBLE, "blocks": True, "follows": [USER_PROFILE]},
        {"user": (NOTHING, []), "admin": (PROFILES, [])}),
    "a choice of visibility that opens nothing": (
        visibility(FRIENDS), {"visibility": INVISIBLE},
        {"user": (NOTHING, []), "admin": (PROFILES, [])}),
    "a choice of visibility that is the app's": (
        visibility(EVERYONE), {}, {"user": (NOTHING, []), "admin": (PROFILES, [])}),
    "a choice of visibility that closes": (
        visibility(INVISIBLE), {"visibility": EVERYONE, "follows": [USER_PROFILE]},
        {"user": (PROFILES, [VISIBILITY_CHANGED])}),
    "a block": (
        lambda pair: pair.people.block(pair.subject, pair.viewer), {"visibility": INVISIBLE},
        {
            "user": (NOTHING, []),
            "service": ({"AddFriends", "CanSend", "CheckBlacklist", "Follow"}, []),
            "admin": ({"AddFriends", "CanSend", "CheckBlacklist", "Follow", "GetRelations"}, []),
        }),
    "a mute of the viewer": (
        lambda pair: pair.people.mark(
            pair.subject, pair.viewer, mute_until_ms=2**63 - 1, ignored=True),
        {"knows": "friend of both ways"},
        {"user": (NOTHING, []), "service": ({"CanSend"}, []), "admin": ({"CanSend"}, [])}),
    "a remark on the viewer that is reviewed": (
        remarks_as_a_user("rude"),
        {"knows": "friend of both ways", "reviewed_friend_fields": {"values": ["remark"]}},
        {"user": (NOTHING, []), "admin": ({"ListReviews"}, [])}),
    "a value that is held, of a profile that is for all": (
        as_a_user(nick="Eve"),
        {
            "visibility": EVERYONE, "follows": [USER_PROFILE], "knows": "friend",
            "reviewed_fields": {"held": {"values": ["nick"]}},
        },
        {"user": (NOTHING, []), "admin": ({"ListReviews"}, [])}),
    "the presence of an invisible user": (
        online, {"visibility": INVISIBLE}, {"user": (NOTHING, [])}),
    "the presence of an invisible user, subscribed to": (
        online, {"visibility": INVISIBLE, "follows": [ONLINE_STATUS]}, {"user": (NOTHING, [])}),
    "the presence of an invisible user that is a friend": (
        online, {"visibility": INVISIBLE, "knows": "friend"},
        {"user": ({"GetPresence"}, [PRESENCE])}),
    "the presence of a user that is for friends, subscribed to": (
        online, {"visibility": FRIENDS, "follows": [ONLINE_STATUS]}, {"user": (NOTHING, [])}),
    "the presence of a user that is for followers, subscribed to": (
        online, {"visibility": FOLLOWERS, "follows": [ONLINE_STATUS]}, {"user": (NOTHING, [])}),
    "the presence of a user that is for followers, followed and subscribed to": (
        online, {"visibility": FOLLOWERS, "follows": [ONLINE_STATUS], "knows": "follow"},
        {"user": ({"GetPresence"} | FOLLOWED, [PRESENCE])}),
    "the presence of a user that is for all, subscribed to": (
        online, {"visibility": EVERYONE, "follows": [ONLINE_STATUS]},
        {"user": ({"GetPresence"} | FOLLOWED, [PRESENCE])}),
    "the presence of a user that blocks the viewer, subscribed to": (
        online, {"visibility": EVERYONE, "follows": [ONLINE_STATUS], "blocks": True},
        {"user": (NOTHING, [])}),
    "the presence of a user that is for friends": (
        online, {"visibility": FRIENDS}, {"user": (NOTHING, [])}),
    "the presence of a user that is for followers": (
        online, {"visibility": FOLLOWERS}, {"user": (NOTHING, [])}),
    "the presence of a user that is for followers, followed": (
        online, {"visibility": FOLLOWERS, "knows": "follow"},
        {"user": ({"GetPresence"}, [])}),
    "when a user that is for friends was seen": (
        seen, {"visibility": FRIENDS}, {"user": (NOTHING, [])}),
    "when an invisible user was seen": (
        seen, {"visibility": INVISIBLE}, {"user": (NOTHING, [])}),
    "when a user was seen that blocks the viewer": (
        seen, {"visibility": INVISIBLE, "blocks": True}, {"user": (NOTHING, [])}),
    "the presence of a user of an invisible app": (
        online, {"default_visibility": INVISIBLE}, {"user": ({"GetPresence"}, [])}),
    "a friend of the user": (
        lambda pair: pair.people.befriend(pair.subject, pair.other), {},
        {"user": (NOTHING, [])}),
    # One friend alone: each suggestion comes from that friend's list.
    "a friend of a friend whose list is for friends": (
        lambda pair: pair.people.befriend(pair.subject, pair.other),
        {"visibility": FRIENDS, "knows": "friend of both ways"},
        {"user": ({"SuggestFriends"}, [])}),
    "a friend of a friend whose list is hidden": (
        lambda pair: pair.people.befriend(pair.subject, pair.other),
        {"visibility": INVISIBLE, "knows": "friend of both ways"},
        {"user": (NOTHING, []), "admin": ({"SuggestFriends"}, [])}),
    "a friend of a friend of one direction whose list is for friends": (
        lambda pair: pair.people.befriend(pair.subject, pair.other),
        {"visibility": FRIENDS, "knows": "friend"},
        {"user": (NOTHING, []), "admin": ({"SuggestFriends"}, [])}),
    "an application to the user": (
        lambda pair: pair.people.apply(pair.other, pair.subject), {"default_allow_type": 1},
        {"user": (NOTHING, [])}),
    "a group of the user": (
        lambda pair: pair.people.group(pair.subject, "friends"), {}, {"user": (NOTHING, [])}),
    "another on the user's blacklist": (
        lambda pair: pair.people.block(pair.subject, pair.other), {}, {"user": (NOTHING, [])}),
    "a subscriber of the user": (
        lambda pair: pair.relation(
            "Subscribe", user_id=pair.other, user_ids=[pair.subject], expiry_seconds=60),
        {}, {"user": (NOTHING, [])}),
    "a follower of the user": (
        lambda pair: pair.relation("Follow", user_id=pair.other, user_ids=[pair.subject]),
        {}, {"user": ({"GetFollowCounts"}, [])}),
    "what the user lets a client app read": (grant, {}, {"user": (NOTHING, [])}),
}  # fmt: skip

#: They count the app's rows, or explain answers by them, and are told to its administrators.
OF_THE_APP = {
    "GetStats", "ListConsumers", "ExplainSend", "ExplainAddFriend", "ExplainFollow",
    "ExplainBlock", "ExplainRespond", "ExplainAcceptInvitation",
    "ExplainCheckFriend", "ExplainProfile", "ExplainEvent", "ExplainUpdateProfile",
}  # fmt: skip


@pytest.mark.parametrize("fact", FACTS)
def test_a_fact_is_told_by_the_calls_of_the_table_and_by_no_other(relation, fact):
    change, made, told = FACTS[fact]
    pair = Pair(relation, **made)
    if fact == "an application to the user":
        pair.people.need_confirm(pair.subject)
    before = pair.answers()
    streams = {
        caller: live(pair.called_by(caller), user_id=pair.viewer) for caller in CALLERS
    }
    change(pair)
    after = pair.answers()
    # The viewer's own change comes after the events of the changes before it.
    pair.people.set_profile(pair.viewer, nick="the end")
    learned = None
    for caller, stream in streams.items():
        learned = told.get(caller, learned)
        differ = {
            call for call in pair.requests
            if call not in OF_THE_APP and before[caller, call] != after[caller, call]
        }
        assert differ == learned[0], caller
        with stream:
            events = stream.until(lambda event: event.user_id == pair.viewer)
        assert [event.kind for event in events[:-1]] == learned[1], caller


def test_numbers_of_the_app_are_for_administrators(relation):
    pair = Pair(relation)
    # Consumers are for credentials that follow the whole app.
    for call in OF_THE_APP - {"ListConsumers"}:
        for caller, is_told in [("user", False), ("service", False), ("admin", True)]:
            answer = answered(pair.called_by(caller), call, pair.requests[call])
            assert isinstance(answer, str) != is_told, (call, caller, answer)


def test_the_version_that_a_viewer_is_told_is_of_what_it_sees(relation):
    pair = Pair(relation, EVERYONE)

    def version(caller):
        return pair.called_by(caller)(
            "GetProfiles", user_id=pair.viewer, user_ids=[pair.subject]
        ).results[0].profile.version  # fmt: skip

    # To choose the app's default opens nothing and closes nothing.
    start = version("admin")
    assert (version("user"), start) == (1, 2)
    profile(gender=2)(pair)
    assert (version("user"), version("admin")) == (start + 1, start + 1)
    profile(admin_forbid_type=1)(pair)
    assert (version("user"), version("admin")) == (start + 1, start + 2)
    visibility(FRIENDS)(pair)
    # The fields that are still visible have not changed since the profile was made.
    assert (version("user"), version("admin")) == (1, start + 3)
    profile(gender=1)(pair)
    assert (version("user"), version("admin")) == (1, start + 4)
    profile(nick="Susan")(pair)
    assert (version("user"), version("admin")) == (start + 5, start + 5)
    visibility(EVERYONE)(pair)
    assert version("user") == version("admin") == start + 6


# Blocks: a user learns of one only by an attempt that the other would have seen


IN_PEER_BLACKLIST, PENDING, SENSITIVE, SELF = 30525, 30539, 30005, 30001


class Asking:
    """A user with a credential of its own, and others of whom some block it."""

    def __init__(self, relation, **settings):
        pair = Pair(relation, forbidden_words={"values": ["badword"]}, **settings)
        self.pair, self.people, self.viewer = pair, pair.people, pair.viewer
        self.own, self.service = pair.called_by("user"), pair.called_by("service")
        self.blocking, self.second, self.open = self.people(3)
        for user in (self.blocking, self.second):
            self.people.block(user, self.viewer)
        self.people.need_confirm(self.open)

    def add(self, *users, caller=None, wording="", **options):
        answer = (caller or self.own)(
            "AddFriends", user_id=self.viewer, options=options,
            items=[{"user_id": user, "wording": wording} for user in users])
        return codes(answer), answer.applied

    def traces(self):
        return [
            self.pair.relation("GetSequence", user_id=user).sequence
            for user in (self.viewer, self.blocking, self.second, self.open)
        ]


def test_an_attempt_to_add_tells_of_a_block(relation):
    asking = Asking(relation)
    assert asking.add(asking.blocking) == ([IN_PEER_BLACKLIST], False)
    assert asking.add(asking.blocking, caller=asking.service) == ([IN_PEER_BLACKLIST], False)
    assert asking.add(asking.open, asking.blocking) == ([PENDING, IN_PEER_BLACKLIST], True)


def test_no_attempt_without_a_trace_tells_a_user_of_a_block(relation):
    asking = Asking(relation)
    (blocking, second, free, viewer), before = (
        (asking.blocking, asking.second, asking.open, asking.viewer), asking.traces())
    # A dry run, together or alone, and with all or nothing.
    for options in ({"dry_run": True}, {"dry_run": True, "all_or_nothing": True}):
        assert asking.add(blocking, free, **options) == ([0, PENDING], False)
    # Another rule refuses: a forbidden word, the user itself beside it.
    assert asking.add(blocking, free, wording="a badword") == ([SENSITIVE, SENSITIVE], False)
    assert asking.add(viewer, blocking, free, all_or_nothing=True) == ([SELF, 0, PENDING], False)
    # One that surely blocks says nothing of the others.
    for other in (second, free):
        assert asking.add(blocking, other, all_or_nothing=True) == (
            [IN_PEER_BLACKLIST, IN_PEER_BLACKLIST], False)
    assert asking.traces() == before
    # An app is told of all.
    for options in ({"dry_run": True}, {"all_or_nothing": True}):
        assert asking.add(blocking, free, caller=asking.service, **options) == (
            [IN_PEER_BLACKLIST, PENDING], False)


def test_a_limit_comes_before_a_block(relation):
    asking = Asking(relation, applications_per_day=1)
    asking.people.need_confirm(asking.blocking)
    assert asking.add(asking.open) == ([PENDING], True)
    assert asking.add(asking.blocking) == ([30540], False)
    asking.people.deny_any(asking.second)
    assert asking.add(asking.second) == ([30516], False)


@pytest.mark.parametrize("checks_friendship", [False, True])
def test_the_gate_of_messages_tells_apps_of_blocks_and_no_user(relation, checks_friendship):
    asking = Asking(
        relation, checks_friendship_on_send=checks_friendship, keeps_friendship_on_blacklist=True)
    asking.people.befriend(asking.viewer, asking.pair.other)
    asking.people.block(asking.pair.other, asking.viewer)
    users = [asking.blocking, asking.open, asking.pair.other]
    # Twice: from rows, and from what is kept in memory.
    for _ in range(2):
        told = codes(asking.own("CanSend", user_id=asking.viewer, user_ids=users))
        assert told == ([20009, 20009, 0] if checks_friendship else [0, 0, 0])
        told = codes(asking.service("CanSend", user_id=asking.viewer, user_ids=users))
        assert told == [20007, 20009 if checks_friendship else 0, 20007]
