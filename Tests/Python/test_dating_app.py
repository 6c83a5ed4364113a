"""A profile page as each kind of viewer sees it while relations change, what its owner and its
viewers are told, and a client that keeps the page by its version."""

import pytest
from people import absent, codes
from products import Product, ids

EVERYONE, FRIENDS, FOLLOWERS, GROUPS, ONESELF = 2, 3, 4, 5, 1
HIDDEN, ONLY_FRIENDS, ONLY_FOLLOWERS, ONLY_GROUPS, ONLY_ONESELF = 2, 7, 8, 9, 10
FIELDS = ["email", "birthday_text", "location_text", "self_signature", "gender"]
VALUES = {
    "email": "ann@x.org", "birthday_text": "May", "location_text": "Kiel",
    "self_signature": b"Hello", "gender": 2,
}  # fmt: skip


class Page:
    """A profile that friends, a closer circle and followers read, each their own part of it."""

    def __init__(self, relation):
        self.product = Product(relation, field_defaults={
            "oneself": {"values": ["email"]}, "friends": {"values": ["birthday_text"]}})
        viewers = ["friend", "close", "fan", "unrelated", "enemy"]
        self.ann, *devices = self.product("ann", *viewers)
        self.viewers = dict(zip(viewers, devices))
        self.product.befriend("ann", "friend", "close")
        self.product.group("ann", "circle", "close")
        self.viewers["fan"].does("Follow", user_ids=["ann"])
        self.ann.does("AddToBlacklist", user_ids=["enemy"])
        self.ann.does("UpdateProfile", profile=VALUES)
        self.choose(("location_text", GROUPS, ["circle"]), ("self_signature", FOLLOWERS))

    def choose(self, *choices, **fields):
        self.ann.does("SetVisibility", fields=[
            {"field": field, "visibility": level, "group_names": list(*groups)}
            for field, level, *groups in choices], **fields)

    def read(self, viewer):
        """The fields that a viewer reads, and the reasons of the others."""
        device = self.ann if viewer == "ann" else self.viewers[viewer]
        (result,) = device("GetProfiles", user_ids=["ann"]).results
        assert (result.code, result.profile.nick) == (0, "Ann")
        shown = {field for field in FIELDS if getattr(result.profile, field)}
        for field in shown:
            assert getattr(result.profile, field) == VALUES[field]
        told = absent(result)
        return shown, {field: told[field] for field in FIELDS if field in told}

    def shown(self, viewer):
        return self.read(viewer)[0]


@pytest.fixture
def page(relation):
    return Page(relation)


def test_each_kind_of_viewer_has_its_own_page(page):
    assert page.shown("ann") == set(FIELDS)
    assert page.read("friend") == ({"birthday_text", "gender"}, {
        "email": ONLY_ONESELF, "location_text": ONLY_GROUPS, "self_signature": ONLY_FOLLOWERS})
    assert page.read("close") == ({"birthday_text", "gender", "location_text"}, {
        "email": ONLY_ONESELF, "self_signature": ONLY_FOLLOWERS})
    assert page.read("fan") == ({"self_signature", "gender"}, {
        "email": ONLY_ONESELF, "birthday_text": ONLY_FRIENDS, "location_text": ONLY_GROUPS})
    assert page.shown("unrelated") == {"gender"}
    shown, why = page.read("enemy")
    assert shown == set() and set(why.values()) == {HIDDEN} and set(why) == set(FIELDS)
    # The back end of the app reads what it needs.
    (whole,) = page.product.relation("GetProfiles", user_id="fan", user_ids=["ann"]).results
    assert all(getattr(whole.profile, field) == VALUES[field] for field in FIELDS)


def test_the_page_opens_and_closes_with_the_relations(page):
    friend, close, fan = (page.viewers[name] for name in ("friend", "close", "fan"))
    friend.does("Follow", user_ids=["ann"])
    assert page.shown("friend") == {"birthday_text", "gender", "self_signature"}
    page.ann.does("AddFriendsToGroup", name="circle", user_ids=["friend"])
    assert "location_text" in page.shown("friend")
    # A group keeps its audience under another name, and loses it when it is deleted.
    page.ann.does("RenameFriendGroup", name="circle", new_name="inner")
    assert "location_text" in page.shown("friend") & page.shown("close")
    page.ann.does("RemoveFriendsFromGroup", name="inner", user_ids=["close"])
    assert "location_text" not in page.shown("close")
    # Only ann's own list counts: that close deletes her changes nothing.
    close.does("DeleteFriends", user_ids=["ann"])
    assert "birthday_text" in page.shown("close")
    page.ann.does("DeleteFriends", user_ids=["close"])
    assert page.shown("close") == {"gender"}
    fan.does("Unfollow", user_ids=["ann"])
    assert page.shown("fan") == {"gender"}
    page.ann.does("DeleteFriendGroups", names=["inner"])
    page.ann.does("CreateFriendGroups", names=["inner"], user_ids=["friend"])
    assert "location_text" not in page.shown("friend")
    page.choose(("location_text", GROUPS, ["inner"]))
    assert "location_text" in page.shown("friend")
    # A block closes all of it, the follow included, and its end opens what is for everyone.
    page.ann.does("AddToBlacklist", user_ids=["friend"])
    assert page.shown("friend") == set()
    page.ann.does("RemoveFromBlacklist", user_ids=["friend"])
    assert page.shown("friend") == {"gender"}


def test_a_closed_profile_stays_closed_but_for_what_its_owner_opened(page):
    page.ann.does("SetVisibility", visibility="VISIBILITY_INVISIBLE")
    assert page.shown("unrelated") == set()
    # A choice for a field is wider than that for the whole; a default of the app is not.
    assert page.shown("close") == {"location_text"} and page.shown("fan") == {"self_signature"}
    page.product.change(field_defaults={
        "oneself": {"values": []}, "everyone": {"values": ["gender", "email"]}})
    assert page.shown("unrelated") == set()
    page.ann.does("SetVisibility", visibility="VISIBILITY_NOT_SET")
    assert page.shown("unrelated") == {"gender", "email"}
    page.choose(("gender", ONESELF), ("email", FRIENDS), ("birthday_text", EVERYONE))
    assert page.shown("unrelated") == {"birthday_text"}
    assert page.shown("friend") == {"birthday_text", "email"}


def test_the_same_page_stands_in_every_list(page):
    """Lists and cards of each viewer show what its own page shows."""
    ann, viewers = page.ann, page.viewers
    for name in ("fan", "unrelated"):
        viewers[name].does("AddFriends", items=[{"user_id": "ann"}], add_type="ADD_TYPE_SINGLE")
    for name in ("close", "unrelated"):
        viewers[name].does("Follow", user_ids=["ann"])
    ann.does("Follow", user_ids=["unrelated"])
    for name in ("close", "fan", "unrelated"):
        device = viewers[name]
        lists = [
            device("ListFollowing", with_profiles=True).entries[0].profile,
            device("ListFriends", with_profiles=True).friends[0].profile,
            device("GetRelations", user_ids=["ann"], with_profiles=True).results[0].profile]
        if name == "unrelated":
            lists += [
                device("ListFollowers", with_profiles=True).entries[0].profile,
                device("ListMutualFollows", with_profiles=True).entries[0].profile]
        for profile in lists:
            shown = {field for field in FIELDS if getattr(profile, field)}
            assert (profile.user_id, shown) == ("ann", page.shown(name)), name
    assert page.shown("unrelated") == {"gender", "self_signature"}


def test_viewers_hear_of_the_fields_that_they_may_read(page):
    friend, fan = page.viewers["friend"], page.viewers["fan"]
    fan.does("Subscribe", user_ids=["ann"], subscribe_type="SUBSCRIBE_TYPE_USER_PROFILE",
             expiry_seconds=600)  # fmt: skip
    streams = {"friend": friend.watch(), "fan": fan.watch()}

    def hears(name):
        event = streams[name].event()
        assert event.user_id == "ann"
        return set(event.items[0].fields), event.items[0].profile

    page.ann.does("UpdateProfile", profile={"birthday_text": "June", "self_signature": b"Hi"})
    fields, told = hears("friend")
    assert fields == {"birthday_text"}
    assert (told.birthday_text, told.self_signature) == ("June", b"")
    fields, told = hears("fan")
    assert fields == {"self_signature"}
    assert (told.birthday_text, told.self_signature) == ("", b"Hi")
    # What neither may read passes by without a word.
    page.ann.does("UpdateProfile", profile={"location_text": "Bonn", "email": "b@x.org"})
    page.ann.does("UpdateProfile", profile={"gender": 1})
    for name in streams:
        assert hears(name)[0] == {"gender"}
    page.choose(("gender", FRIENDS))
    (item,) = friend.until(streams["friend"], "VISIBILITY_CHANGED")
    assert item.profile.gender == 1 and not item.field_visibilities
    (item,) = fan.until(streams["fan"], "VISIBILITY_CHANGED")
    assert not item.profile.HasField("gender") and item.profile.self_signature == b"Hi"


def test_a_client_keeps_the_page_by_its_version(page):
    friend = page.viewers["friend"]

    def ask(known):
        (result,) = friend(
            "GetProfiles", user_ids=["ann"], known_versions={"ann": known}).results
        return result.not_modified, result.view_version

    _, known = ask(0)
    assert ask(known) == (True, known)
    # Changes that friend does not see leave it, and so does a choice that is the app's default.
    page.ann.does("UpdateProfile", profile={"email": "c@x.org"})
    assert ask(known) == (True, known)
    page.choose(("email", ONESELF))
    assert ask(known) == (True, known)
    # A relation that opens a field does not.
    friend.does("Follow", user_ids=["ann"])
    is_known, newer = ask(known)
    assert not is_known and newer != known
    friend.does("Unfollow", user_ids=["ann"])
    assert ask(newer)[0] is False and ask(known) == (True, known)


def test_last_seen_and_status_go_with_the_choice_for_the_whole(page):
    ann, product = page.ann, page.product
    report = {"user_id": "ann", "device_id": "phone", "lease_seconds": 600}
    for online in (True, False):
        told = product.relation("ReportPresence", items=[{**report, "online": online}])
        assert codes(told) == [0]
    ann.does("SetStatus", text="Free tonight")

    def sees(name):
        (result,) = page.viewers[name]("GetPresence", user_ids=["ann"]).results
        presence = result.presence
        return presence.status_text == "Free tonight", presence.last_seen_time_ms > 0

    assert [sees(name) for name in ("friend", "fan", "unrelated")] == [(True, True)] * 3
    assert sees("enemy") == (False, False)
    for level, readers in (("FRIENDS", {"friend"}), ("FOLLOWERS", {"friend", "fan"})):
        ann.does("SetVisibility", visibility=f"VISIBILITY_{level}")
        for name in ("friend", "fan", "unrelated", "enemy"):
            assert sees(name) == (name in readers,) * 2, (level, name)
    ann.does("SetVisibility", visibility="VISIBILITY_INVISIBLE")
    # A friend has consent, and is notified of it; a subscription has none.
    assert [sees(name) for name in ("friend", "fan", "enemy")] == [
        (True, True), (False, False), (False, False)]
    page.viewers["fan"].does(
        "Subscribe", user_ids=["ann"], subscribe_type="SUBSCRIBE_TYPE_ONLINE_STATUS",
        expiry_seconds=600)
    assert sees("fan") == (False, False)


def test_who_likes_whom_is_told_to_neither_before_it_is_mutual(page):
    """Likes as a dating app makes them: single rows, and a match when both are there."""
    ann, unrelated = page.ann, page.viewers["unrelated"]
    like = {"add_type": "ADD_TYPE_SINGLE"}
    stream = ann.watch()
    unrelated.does("AddFriends", items=[{"user_id": "ann"}], **like)
    (card,) = unrelated("CheckFriends", user_ids=["ann"], check_type=2).results
    assert card.relation == 1
    # Her own log and list are as before; the list of who has her is a screen that one pays for.
    ann.does("SetStatus", text="x")
    assert stream.event().kind == 180
    assert "unrelated" not in ids(ann("ListFriends").friends)
    assert ids(ann("ListReverseFriends").users) == ["unrelated"]
    ann.does("AddFriends", items=[{"user_id": "unrelated"}], **like)
    for device, other in ((ann, "unrelated"), (unrelated, "ann")):
        both = device("ListFriends", relation="FRIEND_RELATION_BOTH_WAY", page_size=1_000)
        assert other in ids(both.friends)
    assert ids(ann("ListReverseFriends").users) == []
