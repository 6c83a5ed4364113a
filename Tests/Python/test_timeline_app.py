"""A timeline app: fans, stars with thousands of them, badges of mutual follows, blocks, and a page
that only followers read. Each user calls from a device of its own."""

import pytest
from people import codes
from products import Product, ids
from watching import Watching

FANS = 2_200
FOLLOWING, FOLLOWED_BY, MUTUAL = 1, 2, 3


@pytest.fixture
def timeline(relation):
    return Product(relation)


def relation_of(device, other):
    (result,) = device("CheckFollows", user_ids=[other.user]).results
    return result.relation


def counts(device, *users):
    """Followers, followed users and mutual follows of each, as a page of profiles shows them."""
    answer = device("GetFollowCounts", user_ids=[user.user for user in users])
    assert set(codes(answer)) == {0}
    return [(one.counts.followers, one.counts.following, one.counts.mutual)
            for one in answer.results]  # fmt: skip


def make_famous(product, count=FANS):
    """A star with fans from the system before, each with the time of its follow, in their order."""
    fans = [f"fan{number:04}" for number in range(count)]
    rows = [{"point": {"format": 1}}]
    for number, fan in enumerate(fans):
        rows.append({"account": {"user_id": fan, "create_time_ms": 1_000}})
        rows.append({"follow": {"user_id": fan, "entry": {
            "user_id": "star", "follow_time_ms": 1_000_000 + number}}})  # fmt: skip
    # Accounts come in the order of the bytes of their ids.
    rows.append({"account": {"user_id": "star", "create_time_ms": 1_000}})
    told, progress = product.imported("ImportApp", [{"row": row} for row in rows])
    assert (told, progress.refused) == ([], 0)
    return product.device("star"), fans


def test_a_star_with_thousands_of_fans_has_pages_and_counts(timeline):
    star, fans = make_famous(timeline)
    (ann,) = timeline("ann")
    ann.does("Follow", user_ids=["star"])
    rows, total = star.pages("ListFollowers", "entries", 1_000, with_profiles=True)
    assert ids(rows) == ["ann", *reversed(fans)] and total == FANS + 1
    assert rows[0].profile.nick == "Ann"
    assert counts(ann, star, ann) == [(FANS + 1, 0, 0), (0, 1, 0)]
    # A fan that leaves while the star turns the pages moves no other fan.
    first = star("ListFollowers", page_size=10)
    leaver = timeline.device(first.entries[-1].user_id)
    leaver.does("Unfollow", user_ids=["star"])
    second = star("ListFollowers", page_size=10, page_token=first.next_page_token)
    assert ids(second.entries) == [row.user_id for row in rows[10:20]]
    assert second.total_size == FANS


def test_a_bulk_of_follows_of_one_moment_has_pages_without_a_double(timeline):
    ann, bob = timeline("ann", "bob")
    users = [f"user{number:02}" for number in range(50)]
    timeline.make(users)
    ann.does("Follow", user_ids=[*users, "bob"])
    bob.does("Follow", user_ids=["ann"])
    for size in (1, 7, 50):
        rows, total = ann.pages("ListFollowing", "entries", size)
        assert ids(rows) == [*reversed(users), "bob"] and total == 51
        assert len({row.follow_time_ms for row in rows}) == 1
    # One after another comes back, and a page goes on behind a user that leaves.
    for user in users[::2]:
        timeline.device(user).does("Follow", user_ids=["ann"])
    first = ann("ListMutualFollows", page_size=5)
    ann.does("Unfollow", user_ids=[first.entries[-1].user_id])
    rows, token = ids(first.entries), first.next_page_token
    while token:
        page = ann("ListMutualFollows", page_size=5, page_token=token)
        rows, token = rows + ids(page.entries), page.next_page_token
    assert sorted(rows) == sorted([*users[::2], "bob"])


def test_a_change_of_a_star_costs_its_fans_nothing(timeline):
    star, fans = make_famous(timeline, 300)
    (ann,) = timeline("ann")
    ann.does("Follow", user_ids=["star"])
    devices = [ann, *map(timeline.device, fans[::50])]

    def sequences():
        return [device("GetSequence").sequence for device in devices]

    before = sequences()
    star.does("UpdateProfile", profile={"self_signature": b"on tour"})
    assert sequences() == before
    # A fan that wants the star's changes subscribes to them, and only that one is told.
    ann.does(
        "Subscribe", user_ids=["star"], subscribe_type="SUBSCRIBE_TYPE_USER_PROFILE",
        expiry_seconds=600)
    stream = ann.watch()
    star.does("UpdateProfile", profile={"self_signature": b"home again"})
    (item,) = ann.until(stream, "PROFILE_CHANGE")
    assert item.profile.self_signature == b"home again"


def test_both_users_hear_of_a_follow_and_see_the_badge_of_a_mutual_one(timeline):
    ann, bob = timeline("ann", "bob")
    of_ann, of_bob = ann.watch(), bob.watch()
    ann.does("Follow", user_ids=["bob"])
    (mine,), (theirs,) = (
        ann.until(of_ann, "FOLLOWING_CHANGED"), bob.until(of_bob, "FOLLOWERS_CHANGED"))
    assert (mine.follow.user_id, mine.follow_relation) == ("bob", FOLLOWING)
    assert (theirs.follow.user_id, theirs.follow_relation) == ("ann", FOLLOWED_BY)
    assert mine.follow.follow_time_ms == theirs.follow.follow_time_ms > 0
    # The follow back puts the badge on both pages.
    bob.does("Follow", user_ids=["ann"])
    (mine,) = ann.until(of_ann, "FOLLOWERS_CHANGED")
    (theirs,) = bob.until(of_bob, "FOLLOWING_CHANGED")
    assert mine.follow_relation == theirs.follow_relation == MUTUAL
    assert (relation_of(ann, bob), relation_of(bob, ann)) == (MUTUAL, MUTUAL)
    assert counts(ann, ann, bob) == [(1, 1, 1), (1, 1, 1)]
    for device, other in ((ann, "bob"), (bob, "ann")):
        rows, total = device.pages("ListMutualFollows", "entries", 1)
        assert (ids(rows), total) == ([other], 1)
    bob.does("Unfollow", user_ids=["ann"])
    (mine,) = ann.until(of_ann, "FOLLOWERS_CHANGED")
    assert (mine.user_id, mine.HasField("follow"), mine.follow_relation) == (
        "bob", False, FOLLOWING)
    assert counts(ann, ann, bob) == [(0, 1, 0), (1, 0, 0)]


def test_a_device_that_was_away_catches_up_with_its_follows(timeline):
    _, ann, bob = timeline("star", "ann", "bob")
    ann.does("Follow", user_ids=["star"])
    stream = ann.watch()
    token = stream.token
    stream.cancel()
    known = ann("GetSequence").sequence
    ann.does("Unfollow", user_ids=["star"])
    bob.does("Follow", user_ids=["ann"])
    # By a stream that goes on where it was, or by a page of the log.
    events = ann("ListChanges", since_sequence=known).events
    assert [(event.items[0].user_id, event.items[0].HasField("follow")) for event in events] == [
        ("star", False), ("bob", True)]
    with Watching(ann.relation, user_id="ann", resume_token=token) as again:
        assert [again.event().sequence for _ in events] == [event.sequence for event in events]


def test_a_block_ends_the_follows_of_both_sides_without_a_word(timeline):
    ann, troll = timeline("ann", "troll")
    ann.does("Follow", user_ids=["troll"])
    troll.does("Follow", user_ids=["ann"])
    stream = troll.watch()
    ann.does("AddToBlacklist", user_ids=["troll"])
    # The events end both follows, one after the other, and none has a row of the blacklist.
    events = [stream.event(), stream.event()]
    assert [
        (item.user_id, item.HasField("follow"), item.follow_relation)
        for event in events for item in event.items
    ] == [("ann", False, FOLLOWING), ("ann", False, 0)]  # fmt: skip
    assert {event.kind for event in events} == {160, 161}
    ann.does("UpdateProfile", profile={"nick": "Anna"})
    troll.does("UpdateProfile", profile={"nick": "Alone"})
    assert stream.event().items[0].profile.nick == "Alone"
    assert counts(ann, ann, troll) == [(0, 0, 0), (0, 0, 0)]
    assert troll.told("Follow", user_ids=["ann"]) == (30525, "FOLLOW_ADD_IN_PEER_BLACK_LIST")
    assert ann.told("Follow", user_ids=["troll"]) == (30515, "FOLLOW_ADD_IN_SELF_BLACK_LIST")
    # Peace between them brings no follow back, and allows new ones.
    ann.does("RemoveFromBlacklist", user_ids=["troll"])
    assert (relation_of(ann, troll), relation_of(troll, ann)) == (0, 0)
    troll.does("Follow", user_ids=["ann"])


def test_a_page_for_followers_closes_to_who_leaves(timeline):
    star, fan, friend = timeline("star", "fan", "friend")
    timeline.befriend("star", "friend")
    star.does("UpdateProfile", profile={"self_signature": b"backstage", "email": "star@x.org"})
    star.does("SetVisibility", visibility="VISIBILITY_FOLLOWERS")
    fan.does("Follow", user_ids=["star"])

    def page(device):
        (result,) = device("GetProfiles", user_ids=["star"]).results
        assert result.profile.nick == "Star"
        return result.profile.self_signature

    assert page(fan) == b"backstage"
    # A friend that does not follow is none of the audience.
    assert page(friend) == b""
    (row,) = fan("ListFollowing", with_profiles=True).entries
    assert row.profile.self_signature == b"backstage"
    fan.does("Unfollow", user_ids=["star"])
    assert page(fan) == b""


def test_a_reader_with_too_many_follows_makes_room(relation):
    timeline = Product(relation, limits={"followings": 2})
    ann, *_ = timeline("ann", "b1", "b2", "b3")
    ann.does("Follow", user_ids=["b1", "b2"])
    assert ann.told("Follow", user_ids=["b3"])[0] == 32100
    limits = {limit.name: limit for limit in ann("GetLimits").limits}
    assert limits["limits.followings"].in_use == limits["limits.followings"].value == 2
    # One that is followed already costs no room.
    assert codes(ann("Follow", user_ids=["b1"])) == [0]
    ann.does("Unfollow", user_ids=["b1"])
    ann.does("Follow", user_ids=["b3"])
    assert ids(ann("ListFollowing").entries) == ["b3", "b2"]


def test_the_page_of_limits_tells_what_is_used_and_what_came_free(relation):
    timeline = Product(relation, limits={"mutual_follows": 2, "field_visibilities": 1})
    ann, bob, *_ = timeline("ann", "bob", "eve", "kim")
    ann.does("Follow", user_ids=["bob", "eve", "kim"])
    bob.does("Follow", user_ids=["ann"])
    ann.does("DismissSuggestions", user_ids=["bob", "eve"])
    ann.does("CreateInvitation", max_uses=1, expiry_seconds=600)
    ann.does("SetVisibility", fields=[{"field": "email", "visibility": 1}])

    def used(device):
        names = ["followings", "followers", "mutual_follows", "invitations",
                 "dismissed_suggestions", "field_visibilities"]  # fmt: skip
        limits = {limit.name: limit.in_use for limit in device("GetLimits").limits}
        return [limits[f"limits.{name}"] for name in names]

    assert used(ann) == [3, 1, 1, 1, 2, 1] and used(bob) == [1, 1, 1, 0, 0, 0]
    more = ann("SetVisibility", fields=[{"field": "gender", "visibility": 1}])
    assert more.code == 40601 and used(ann)[-1] == 1
    bob.does("AddToBlacklist", user_ids=["ann"])
    assert used(ann) == [2, 0, 0, 1, 2, 1] and used(bob) == [0] * 6
    gone = timeline.relation("DeleteAccounts", user_ids=["eve"])
    timeline.await_deletion(gone.results[0].deletion_id)
    assert used(ann) == [1, 0, 0, 1, 1, 1]
    (row,) = ann("ListInvitations").invitations
    ann.does("RevokeInvitation", invitation_id=row.invitation_id)
    ann.does("SetVisibility", fields=[
        {"field": "email", "visibility": 0}, {"field": "gender", "visibility": 1}])
    ann.does("RestoreSuggestions", user_ids=["bob"])
    assert used(ann) == [1, 0, 0, 0, 0, 1]
