"""Who may read each field of a profile: every kind of viewer, every field and every level, in every
answer that has the field; and no way to learn of a field that is hidden."""

import pytest
from people import People, absent, codes
from refusals import assert_invalid, refusal
from test_app_import import exported, imported
from test_joined_profiles import joined, profile_of
from test_profile_views import PROFILE, as_user
from watching import Watching, live

NOT_SET, INVISIBLE, EVERYONE, FRIENDS, FOLLOWERS, GROUPS = range(6)
HIDDEN, ONLY_FRIENDS, ONLY_FOLLOWERS, ONLY_GROUPS, ONLY_ONESELF = 2, 7, 8, 9, 10
PROFILE_CHANGE, VISIBILITY_CHANGED = 110, 111
USER_PROFILE = 2
KEYS = ["Blood", "Zodiac"]
#: Every field with a choice. The age follows the birthday unless it has its own.
FIELDS = [
    *(field for field in PROFILE
      if field not in {"nick", "face_url", "msg_settings", "admin_forbid_type"}),
    "unique_id", "age_range", *(f"custom.{key}" for key in KEYS),
]  # fmt: skip
LEVELS = [INVISIBLE, EVERYONE, FRIENDS, FOLLOWERS, GROUPS]
#: The levels that let each viewer in; and the reason of each level that does not.
LETS_IN = {
    "oneself": set(LEVELS),
    "admin": set(LEVELS),
    "unrelated": {EVERYONE},
    "fan": {EVERYONE},
    "friend": {EVERYONE, FRIENDS},
    "follower": {EVERYONE, FOLLOWERS},
    "member": {EVERYONE, FRIENDS, GROUPS},
    "enemy": set(),
}
REASON = {
    INVISIBLE: ONLY_ONESELF, FRIENDS: ONLY_FRIENDS, FOLLOWERS: ONLY_FOLLOWERS,
    GROUPS: ONLY_GROUPS,
}  # fmt: skip


def choose(people, user, *choices, **fields):
    """Sets choices of fields, each `(field, level)` or `(field, level, groups)`."""
    items = [
        {"field": field, "visibility": level, "group_names": list(*groups)}
        for field, level, *groups in choices]
    answer = people.relation("SetVisibility", user_id=user, fields=items, **fields)
    assert answer.code == 0, answer
    return answer


def level_of(level):
    return (level, ["close"]) if level == GROUPS else (level,)


def has(profile, field):
    key = field.removeprefix("custom.")
    if key != field:
        return key in {value.key for value in profile.custom}
    return field in {present.name for present, _ in profile.ListFields()}


class House:
    """An app with an owner of a full profile, and viewers of every kind."""

    def __init__(self, relation, **settings):
        settings = {"keeps_friendship_on_blacklist": True, **settings}
        app = relation("CreateApp", settings=settings).app.app_id
        self.people = People(relation.in_app(app))
        self.relation = self.people.relation
        fields = [{"owner": 1, "key": key, "value_type": 1} for key in KEYS]
        assert codes(self.relation("DefineCustomFields", items=fields)) == [0, 0]
        self.owner, *others = self.people(8)
        names = ["unrelated", "fan", "friend", "follower", "member", "enemy", "admin"]
        self.viewers = {"oneself": self.owner, **dict(zip(names, others))}
        owner, viewers = self.owner, self.viewers
        self.people.set_profile(
            owner, unique_id=f"owner{app}", custom=[{"key": key, "data": b"x"} for key in KEYS],
            **PROFILE)
        self.people.befriend(owner, *(viewers[kind] for kind in ("friend", "member", "enemy")))
        # A fan has the owner in its list; that side does not count.
        self.people.import_friends([{"user_id": viewers["fan"], "friend_user_id": owner}])
        self.relation("Follow", user_id=viewers["follower"], user_ids=[owner])
        self.people.group(owner, "close", viewers["member"])
        self.people.group(owner, "other", viewers["friend"])
        self.people.block(owner, viewers["enemy"])

    def caller(self, kind):
        return self.relation if kind == "admin" else as_user(self.people, self.viewers[kind])

    def seen(self, kind, **fields):
        (result,) = self.caller(kind)(
            "GetProfiles", user_id=self.viewers[kind], user_ids=[self.owner], **fields
        ).results  # fmt: skip
        assert result.code == 0
        return result


@pytest.fixture(scope="module")
def house(relation):
    return House(relation)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("whole", [INVISIBLE, EVERYONE, FRIENDS, FOLLOWERS])
def test_each_viewer_sees_each_field_as_its_level_says(house, whole, level):
    """All fields have the level, whatever the profile as a whole is."""
    house.relation("SetVisibility", user_id=house.owner, visibility=whole)
    choose(house.people, house.owner, *((field, *level_of(level)) for field in FIELDS))
    for kind, levels in LETS_IN.items():
        result = house.seen(kind)
        told = absent(result)
        for field in FIELDS:
            assert has(result.profile, field) == (level in levels), (kind, field)
            reason = HIDDEN if kind == "enemy" else REASON.get(level)
            assert told.get(field) == (None if level in levels else reason), (kind, field)
        assert result.profile.nick == "Ann"


@pytest.mark.parametrize("field", FIELDS)
def test_a_choice_is_for_its_field_alone(house, field):
    choose(house.people, house.owner, *((other, NOT_SET) for other in FIELDS))
    house.relation("SetVisibility", user_id=house.owner, visibility=EVERYONE)
    for level in LEVELS:
        choose(house.people, house.owner, (field, *level_of(level)))
        for kind, levels in LETS_IN.items():
            if kind == "enemy":
                continue
            profile = house.seen(kind).profile
            hidden = {other for other in FIELDS if not has(profile, other)}
            wanted = set() if level in levels else {field}
            # Without a choice of its own, the age has that of the birthday.
            if "birthday" in wanted:
                wanted.add("age_range")
            assert hidden == wanted, (level, kind)
    choose(house.people, house.owner, (field, NOT_SET))


def test_every_answer_has_the_same_profile(house):
    """Lists, relations and searches show a viewer what GetProfiles shows."""
    owner, people = house.owner, house.people
    house.relation("SetVisibility", user_id=owner, visibility=EVERYONE)
    levels = (LEVELS * len(FIELDS))[: len(FIELDS)]
    choose(people, owner, *((field, *level_of(level)) for field, level in zip(FIELDS, levels)))
    calls = {
        "unrelated": ["GetRelations"],
        "fan": ["GetRelations", "GetFriends", "ListFriends"],
        "friend": ["GetRelations", "GetFriends", "ListFriends"],
        "member": ["GetRelations", "GetFriends", "ListFriends"],
        "follower": ["GetRelations", "ListFollowing"],
        "enemy": ["GetRelations", "GetFriends", "ListFriends"],
    }
    for kind, names in calls.items():
        viewer, caller = house.viewers[kind], house.caller(kind)
        wanted = profile_of(caller, viewer, owner)
        for call in names:
            assert joined(caller, viewer, owner, call) == wanted, (kind, call)
        found = caller("FindProfileByUniqueId", user_id=viewer,
                       unique_id=f"owner{house.relation.metadata[0][1]}")  # fmt: skip
        assert (found.code, found.profile) == (0, wanted)
    choose(people, owner, *((field, NOT_SET) for field in FIELDS))


def test_a_list_is_neither_sorted_nor_searched_by_a_name_that_is_hidden(relation):
    house = House(relation)
    people, owner, friend = house.people, house.owner, house.viewers["friend"]
    (other,) = people(1)
    people.set_profile(
        owner, nick="zed", first_name="Ann", last_name="Bee", middle_name="", name="")
    people.set_profile(other, nick="max", first_name="Max")
    people.befriend(friend, other)
    caller = house.caller("friend")

    def told():
        listed = caller("ListFriends", user_id=friend, order=3)
        found = caller("SearchFriends", user_id=friend, keyword="ann")
        return (
            [row.user_id for row in listed.friends], [row.section for row in listed.friends],
            [(section.letter, section.count) for section in listed.sections],
            [row.user_id for row in found.friends], found.total_size)  # fmt: skip

    assert told() == ([owner, other], ["A", "M"], [("A", 1), ("M", 1)], [owner], 1)
    choose(people, owner, ("first_name", FOLLOWERS))
    hidden = told()
    assert hidden == ([other, owner], ["M", "#"], [("M", 1), ("#", 1)], [], 0)
    # A change of the name changes nothing of it.
    people.set_profile(owner, first_name="Mia")
    people.set_profile(owner, first_name="Ann")
    assert told() == hidden
    choose(people, owner, ("first_name", GROUPS, ["other"]))
    assert told()[3] == [owner]
    # Who leaves the group does not see it any more.
    people.relation(
        "RemoveFriendsFromGroup", user_id=owner, name="other", user_ids=[friend])
    assert told() == hidden
    # The app's default hides it likewise.
    choose(people, owner, ("first_name", NOT_SET))
    assert told()[3] == [owner]
    house.relation(
        "UpdateApp", settings={"field_defaults": {"oneself": {"values": ["first_name"]}}},
        update_mask={"paths": ["field_defaults.oneself"]})
    # The other's name is hidden too then.
    assert told()[1:] == (["#", "#"], [("#", 2)], [], 0)


def test_a_hidden_field_moves_no_version(relation):
    house = House(relation)
    people, owner = house.people, house.owner
    choose(people, owner, ("email", FRIENDS), ("level", FOLLOWERS))

    def versions():
        told = {}
        for kind in ("unrelated", "friend", "follower", "member"):
            result = house.seen(kind)
            told[kind] = (result.profile.version, result.view_version)
        return told

    before = versions()
    people.set_profile(owner, email="new@example.org")
    after = versions()
    assert {kind for kind in before if before[kind] != after[kind]} == {"friend", "member"}
    present = house.seen("oneself").profile.version
    assert after["friend"][0] == after["member"][0] == present
    people.set_profile(owner, level=9)
    assert {kind for kind in after if after[kind] != versions()[kind]} == {"follower"}
    # A choice that lets no user in or out of those that see it tells them nothing.
    before = versions()
    choose(people, owner, ("level", GROUPS, ["close"]))
    after = versions()
    assert before["unrelated"][0] == after["unrelated"][0]
    assert before["friend"][0] == after["friend"][0]
    assert before["member"] != after["member"] and before["follower"] != after["follower"]
    # The reason tells which level it is.
    assert absent(house.seen("unrelated"))["level"] == ONLY_GROUPS


def test_events_are_masked_like_answers(relation):
    house = House(relation)
    people, owner = house.people, house.owner
    kinds = ["unrelated", "friend", "follower", "member"]
    for kind in kinds:
        answer = people.relation(
            "Subscribe", user_id=house.viewers[kind], user_ids=[owner],
            subscribe_type=USER_PROFILE, expiry_seconds=600)
        assert codes(answer) == [0]
    choose(people, owner, ("email", FRIENDS), ("level", FOLLOWERS))
    streams = {kind: live(house.caller(kind), user_id=house.viewers[kind]) for kind in kinds}
    tokens = {kind: stream.token for kind, stream in streams.items()}
    told = {kind: [] for kind in kinds}

    def read(kind, stream):
        """The events up to that of the viewer's own log, all of them about the owner."""
        viewer = house.viewers[kind]
        events = stream.until(lambda event: event.user_id == viewer)[:-1]
        assert all(event.user_id == owner for event in events)
        return [(event.kind, list(event.items[0].fields), event.items[0].profile)
                for event in events]  # fmt: skip

    def step(number):
        # An event is masked when it is sent, so each is awaited before the next change.
        for kind, stream in streams.items():
            people.set_profile(house.viewers[kind], nick=f"step {number}")
            told[kind] += read(kind, stream)

    people.set_profile(owner, email="new@example.org", level=7)
    step(1)
    people.set_profile(owner, level=8)
    step(2)
    choose(people, owner, ("level", GROUPS, ["close"]))
    step(3)
    choose(people, owner, ("email", INVISIBLE))
    step(4)
    assert [event[:2] for event in told["unrelated"]] == []
    assert [event[:2] for event in told["friend"]] == [
        (PROFILE_CHANGE, ["email"]), (VISIBILITY_CHANGED, [])]
    assert [event[:2] for event in told["follower"]] == [
        (PROFILE_CHANGE, ["level"]), (PROFILE_CHANGE, ["level"]), (VISIBILITY_CHANGED, [])]
    assert [event[:2] for event in told["member"]] == [
        (PROFILE_CHANGE, ["email"]), (VISIBILITY_CHANGED, []), (VISIBILITY_CHANGED, [])]
    # The last event has what a read has.
    for kind in kinds:
        if told[kind]:
            profile = house.seen(kind).profile
            profile.ClearField("age_range")
            assert told[kind][-1][2] == profile, kind
    # Who was away is told the same in sum, and the unrelated user nothing.
    for kind, stream in streams.items():
        stream.cancel()
        with Watching(
            house.caller(kind), user_id=house.viewers[kind], resume_token=tokens[kind]
        ) as again:
            assert bool(read(kind, again)) == bool(told[kind]), kind


def test_the_owner_is_told_of_its_choices(house):
    owner, people = house.owner, house.people
    choose(people, owner, *((field, NOT_SET) for field in FIELDS))
    stream = live(as_user(people, owner), user_id=owner)
    choose(people, owner, ("email", GROUPS, ["close"]))
    with stream:
        (event,) = stream.until(lambda event: event.kind == VISIBILITY_CHANGED)
    (item,) = event.items
    (now,), (former,) = item.field_visibilities, item.former_field_visibilities
    assert (now.field, now.visibility, list(now.group_names)) == ("email", GROUPS, ["close"])
    assert (former.field, former.visibility) == ("email", NOT_SET)
    told = people.relation("GetVisibility", user_id=owner)
    assert [(one.field, one.visibility, list(one.group_names)) for one in told.fields] == [
        ("email", GROUPS, ["close"])]
    choose(people, owner, ("email", NOT_SET))


def test_a_group_keeps_the_choice_when_it_is_renamed_and_not_when_it_is_made_anew(relation):
    house = House(relation)
    owner, people, member = house.owner, house.people, house.viewers["member"]
    choose(people, owner, ("email", GROUPS, ["close"]))
    people.relation("RenameFriendGroup", user_id=owner, name="close", new_name="closer")
    assert has(house.seen("member").profile, "email")
    told = people.relation("GetVisibility", user_id=owner)
    assert list(told.fields[0].group_names) == ["closer"]
    people.relation("DeleteFriendGroups", user_id=owner, names=["closer"])
    people.group(owner, "closer", member)
    assert absent(house.seen("member"))["email"] == ONLY_GROUPS
    told = people.relation("GetVisibility", user_id=owner)
    assert list(told.fields[0].group_names) == []


def test_the_app_has_defaults_for_fields(relation):
    defaults = {
        "oneself": {"values": ["email", "custom.Blood"]}, "friends": {"values": ["level", "email"]},
        "everyone": {"values": ["locale"]},
    }  # fmt: skip
    house = House(relation, default_visibility=FOLLOWERS, field_defaults=defaults)
    owner, people = house.owner, house.people
    told = people.relation("GetVisibility", user_id=owner)
    assert [(one.field, one.visibility) for one in told.app_fields] == [
        ("level", FRIENDS), ("email", INVISIBLE), ("locale", EVERYONE),
        ("custom.Blood", INVISIBLE)]  # fmt: skip

    def fields(kind):
        profile = house.seen(kind).profile
        return {field for field in ("email", "level", "locale", "gender", "custom.Blood")
                if has(profile, field)}  # fmt: skip

    assert fields("unrelated") == {"locale"}
    assert fields("friend") == {"level", "locale"}
    assert fields("follower") == {"locale", "gender"}
    # Once the user has chosen for the whole, both must let the viewer in.
    people.relation("SetVisibility", user_id=owner, visibility=FRIENDS)
    assert (fields("unrelated"), fields("friend")) == (set(), {"level", "locale", "gender"})
    # A choice of the field decides alone.
    choose(people, owner, ("email", EVERYONE))
    assert (fields("unrelated"), fields("enemy")) == ({"email"}, set())


def test_choices_that_cannot_be_are_refused(house):
    def refused(*items, **fields):
        return refusal(
            house.relation, "SetVisibility", user_id=house.owner, fields=list(items), **fields)

    for field in ("nick", "face_url", "user_id", "version", "msg_settings", "admin_forbid_type",
                  "custom", "custom.None", "no_field", ""):  # fmt: skip
        assert_invalid(refused({"field": field, "visibility": FRIENDS}), "fields[0].field")
    assert_invalid(refused({"field": "email"}), "fields[0].visibility")
    assert_invalid(refused({"field": "email", "visibility": 77}), "fields[0].visibility")
    email = {"field": "email", "visibility": FRIENDS}
    assert_invalid(refused(email, email), "fields[1].field")
    assert_invalid(refused({**email, "group_names": ["close"]}), "fields[0].group_names")
    groups = {"field": "email", "visibility": GROUPS}
    for names in ([], ["close", "close"], [""], ["g" * 257]):
        assert_invalid(refused({**groups, "group_names": names}), "fields[0].group_names")
    many = [f"g{number}" for number in range(11)]
    assert_invalid(
        refused({**groups, "group_names": many}), "fields[0].group_names",
        reason="TOO_MANY_ITEMS")
    assert_invalid(refused(*[email] * 101), "fields", reason="TOO_MANY_ITEMS")
    assert_invalid(refused(email, visibility=GROUPS), "visibility")
    bad = {"field_defaults": {"friends": {"values": ["nick"]}}}
    assert_invalid(
        refusal(house.relation, "CreateApp", settings=bad), "settings.field_defaults.friends")


def test_fields_and_groups_of_choices_are_bounded(relation):
    house = House(relation, limits={"field_visibilities": 3})
    owner, people = house.owner, house.people

    def chosen(*choices):
        items = [{"field": field, "visibility": GROUPS, "group_names": names}
                 for field, names in choices]  # fmt: skip
        answer = people.relation("SetVisibility", user_id=owner, fields=items)
        return answer.code, answer.reason, answer.applied

    many = [f"g{number}" for number in range(21)]
    assert codes(people.relation("CreateFriendGroups", user_id=owner, names=many)) == [0] * 21
    assert chosen(("email", ["none"])) == (40001, 4500, False)
    assert chosen(("email", many[:10]), ("level", many[10:20])) == (0, 0, True)
    assert chosen(("role", many[20:])) == (40601, 4502, False)
    assert chosen(("role", many[:1])) == (0, 0, True)
    assert chosen(("link", many[:1])) == (40601, 4501, False)
    limits = {limit.name: limit for limit in people.relation("GetLimits", user_id=owner).limits}
    limit = limits["limits.field_visibilities"]
    assert (limit.value, limit.in_use) == (3, 3)


def test_a_copy_of_an_app_has_the_choices(relation):
    house = House(relation)
    owner, people = house.owner, house.people
    choose(people, owner, ("email", GROUPS, ["close"]), ("level", INVISIBLE))
    rows = exported(house.relation)
    copy = relation.in_app(relation("CreateApp").app.app_id)
    told, progress = imported(copy, rows, import_id="copy")
    assert (told, progress.refused, progress.accepted) == ([], 0, len(rows))
    chosen = [(one.field, one.visibility, list(one.group_names))
              for one in copy("GetVisibility", user_id=owner).fields]  # fmt: skip
    assert chosen == [("level", INVISIBLE, []), ("email", GROUPS, ["close"])]
    for kind, wanted in (("member", True), ("friend", False)):
        (result,) = copy(
            "GetProfiles", user_id=house.viewers[kind], user_ids=[owner],
            read_mask={"paths": ["email"]}).results  # fmt: skip
        assert has(result.profile, "email") is True
        own = as_user(People(copy), house.viewers[kind])
        profile = profile_of(own, house.viewers[kind], owner)
        assert (has(profile, "email"), has(profile, "level")) == (wanted, False)
