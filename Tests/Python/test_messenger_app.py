"""A messenger: who has me, a chat list with stars, pins and mutes, the push service that asks
before it makes a sound, a status with an end, and when a friend was last seen."""

import grpc
import pytest
from people import codes
from products import Product, ids

FOR_GOOD = (1 << 63) - 1
HOUR = 3_600


@pytest.fixture
def messenger(relation):
    return Product(relation)


def mark(device, friend, **marks):
    """The user touches one row of its chat list."""
    device.does("UpdateFriends", items=[
        {"user_id": friend, "update_mask": {"paths": list(marks)}, **marks}])


def gate(product, sender, receiver):
    """What the message server does with a message: its code, and whether it makes a sound."""
    (sent,) = product.relation("CanSend", user_id=sender, user_ids=[receiver]).results
    if sent.code != 0:
        return sent.code
    return "aside" if sent.ignored else "silent" if sent.muted else "sound"


# Who has me


def test_the_screen_of_who_added_me_lists_them_and_adds_them_back(messenger):
    ann, bob, joe, eve = messenger("ann", "bob", "joe", "eve")
    messenger.befriend("ann", "joe")
    for fan in (bob, eve):
        fan.does("AddFriends", items=[{"user_id": "ann"}], add_type="ADD_TYPE_SINGLE")
    rows, total = ann.pages("ListReverseFriends", "users", 1, with_profiles=True)
    assert (ids(rows), total) == (["bob", "eve"], 2)
    assert [row.profile.nick for row in rows] == ["Bob", "Eve"]
    ann.does("AddFriends", items=[{"user_id": "bob"}], add_type="ADD_TYPE_SINGLE")
    rows, total = ann.pages("ListReverseFriends", "users", 1)
    assert (ids(rows), total) == (["eve"], 1)

    def chosen(device, relation):
        name = "FRIEND_RELATION_" + relation
        rows, total = device.pages("ListFriends", "friends", 1, relation=name)
        assert total == len(rows)
        return sorted(ids(rows))

    assert chosen(ann, "BOTH_WAY") == ["bob", "joe"] and chosen(ann, "MY_UNI") == []
    assert chosen(eve, "MY_UNI") == ["ann"] and chosen(eve, "BOTH_WAY") == []
    # Who deletes the other alone is on that one's screen.
    joe.does("DeleteFriends", user_ids=["ann"], delete_type="DELETE_TYPE_SINGLE")
    assert chosen(ann, "MY_UNI") == ["joe"]
    assert ids(joe("ListReverseFriends").users) == ["ann"]


def test_an_app_that_tells_who_has_whom_sends_each_change(relation):
    """The screen stays open: it goes on from its own sequence, and its number is exact."""
    telling = Product(relation, reports_reverse_friends=True)
    ann, bob, joe = telling("ann", "bob", "joe")
    stream = ann.watch()
    start = ann("ListReverseFriends")
    assert start.total_size == start.sequence == 0
    single = {"add_type": "ADD_TYPE_SINGLE"}
    for fan in (bob, joe):
        fan.does("AddFriends", items=[{"user_id": "ann"}], **single)
    ann.does("AddFriends", items=[{"user_id": "bob"}], **single)
    joe.does("DeleteFriends", user_ids=["ann"])
    told = ann("ListChanges", since_sequence=start.sequence, kinds=[205]).events
    assert [(item.user_id, item.reverse_friend) for event in told for item in event.items] == [
        ("bob", True), ("joe", True), ("bob", False), ("joe", False)]
    live = [stream.event() for _ in range(5)]
    assert [event.sequence for event in live if event.kind == 205] == [
        event.sequence for event in told]
    now = ann("ListReverseFriends")
    assert (now.total_size, now.bounded, now.sequence) == (0, False, told[-1].sequence)
    assert ann("GetSequence").reverse_friends_sequence == told[-1].sequence
    # Who is had by one that is had back is told nothing: the two are friends.
    assert bob("GetSequence").reverse_friends_sequence == 0


def test_no_other_user_reads_who_has_me(messenger):
    _, bob = messenger("ann", "bob")
    with pytest.raises(grpc.RpcError) as caught:
        bob.relation("ListReverseFriends", user_id="ann")
    assert caught.value.code() == grpc.StatusCode.PERMISSION_DENIED


def test_thousands_who_added_one_user_and_a_long_list_by_its_marks(messenger):
    ann, *_ = messenger("ann")
    users = [f"user{number:04}" for number in range(1_500)]
    messenger.make(users)
    # All have ann; she has every third of them, and every fourth of the others she has alone.
    mutual, mine = users[::3], users[1::12]
    messenger.import_friends([
        *({"user_id": user, "friend_user_id": "ann"} for user in users if user not in mine),
        *({"user_id": "ann", "friend_user_id": user} for user in [*mutual, *mine])])
    fans = sorted(set(users) - set(mutual) - set(mine))
    rows, total = ann.pages("ListReverseFriends", "users", 400)
    assert (ids(rows), total) == (fans, len(fans))
    for relation, wanted in (("BOTH_WAY", mutual), ("MY_UNI", mine)):
        rows, total = ann.pages(
            "ListFriends", "friends", 90, relation=f"FRIEND_RELATION_{relation}")
        assert ids(rows) == wanted and total == len(wanted), relation
    # Marks are few among many: the pages of a filter have none too many and none too few.
    for number, user in enumerate([*mutual[5::61], *mine[3::19]]):
        mark(ann, user, starred=True, pin_order=number % 3 + 1)
    starred = sorted([*mutual[5::61], *mine[3::19]])
    rows, total = ann.pages("ListFriends", "friends", 2, mark="FRIEND_MARK_STARRED")
    assert (ids(rows), total) == (starred, len(starred))
    rows, _ = ann.pages("ListFriends", "friends", 300, order="FRIEND_ORDER_PIN")
    rest = sorted(set(mutual + mine) - set(starred))
    assert ids(rows)[len(starred):] == rest
    pins = [(row.pin_order, row.user_id) for row in rows[:len(starred)]]
    assert pins == sorted(pins) and [user for _, user in pins] != starred
    # The screen of fans changes between two pages by those alone that changed.
    first = ann("ListReverseFriends", page_size=100)
    ann.does("AddFriends", items=[{"user_id": fans[99]}], add_type="ADD_TYPE_SINGLE")
    messenger.device(fans[150]).does("DeleteFriends", user_ids=["ann"])
    second = ann("ListReverseFriends", page_size=100, page_token=first.next_page_token)
    assert ids(second.users) == [*fans[100:150], *fans[151:201]]
    # Pages repeat the number of the first; a new listing counts anew.
    assert second.total_size == len(fans)
    assert ann("ListReverseFriends", page_size=1).total_size == len(fans) - 2


# The chat list


def test_pins_stand_above_in_their_order_and_stars_are_a_list(messenger):
    ann, *_ = messenger("ann", "bob", "joe", "eve", "kim")
    messenger.befriend("ann", "bob", "joe", "eve", "kim")
    mark(ann, "eve", pin_order=2)
    mark(ann, "joe", pin_order=1, starred=True)
    rows, total = ann.pages("ListFriends", "friends", 2, order="FRIEND_ORDER_PIN")
    assert ids(rows)[:2] == ["joe", "eve"] and sorted(ids(rows)[2:]) == ["bob", "kim"]
    assert total == 4
    # The user drags a chat to the top, and takes another one down.
    mark(ann, "kim", pin_order=1)
    mark(ann, "joe", pin_order=3)
    mark(ann, "eve", pin_order=0)
    rows, _ = ann.pages("ListFriends", "friends", 2, order="FRIEND_ORDER_PIN")
    assert ids(rows)[:2] == ["kim", "joe"]
    rows, total = ann.pages("ListFriends", "friends", 9, mark="FRIEND_MARK_STARRED")
    assert (ids(rows), total) == (["joe"], 1)
    # The page of the pair tells the marks too, to their owner alone.
    (card,) = ann("GetRelations", user_ids=["joe"]).results
    assert card.friend_entry.starred and card.friend_entry.pin_order == 3


def test_the_other_device_has_the_marks_and_the_friend_hears_nothing(messenger):
    ann, bob = messenger("ann", "bob")
    messenger.befriend("ann", "bob")
    desk, of_bob = ann.watch(), bob.watch()
    since = ann("GetSequence").friends_sequence
    mark(ann, "bob", starred=True, mute_until_ms=FOR_GOOD)
    (item,) = ann.until(desk, "SNS_PROFILE_CHANGE")
    assert item.friend_entry.starred and item.friend_entry.mute_until_ms == FOR_GOOD
    (row,) = ann("SyncFriends", since_sequence=since).friends
    assert row.starred and row.mute_until_ms == FOR_GOOD
    bob.does("UpdateProfile", profile={"nick": "Robert"})
    assert of_bob.event().items[0].profile.nick == "Robert"


def test_the_push_service_makes_no_sound_for_a_muted_chat(messenger):
    ann, bob, joe = messenger("ann", "bob", "joe")
    messenger.befriend("ann", "bob", "joe")
    mark(ann, "bob", mute_until_ms=FOR_GOOD)
    mark(ann, "joe", ignored=True)
    assert gate(messenger, "bob", "ann") == "silent"
    assert gate(messenger, "joe", "ann") == "aside"
    assert gate(messenger, "ann", "bob") == gate(messenger, "ann", "joe") == "sound"
    # The senders ask themselves and learn nothing.
    for device in (bob, joe):
        (sent,) = device("CanSend", user_ids=["ann"]).results
        assert (sent.code, sent.muted, sent.ignored) == (0, False, False)
    mark(ann, "bob", mute_until_ms=0)
    assert gate(messenger, "bob", "ann") == "sound"
    # A block is harder than both, and takes the marks along with the friend.
    ann.does("AddToBlacklist", user_ids=["joe"])
    assert gate(messenger, "joe", "ann") == 20007
    ann.does("RemoveFromBlacklist", user_ids=["joe"])
    assert gate(messenger, "joe", "ann") == "sound"


# Time


def presence(device, user):
    (result,) = device("GetPresence", user_ids=[user]).results
    assert result.code == 0
    return result.presence


def test_a_mute_for_eight_hours_ends_by_itself(timed, clock):
    ann, _ = timed("ann", "bob")
    timed.befriend("ann", "bob")
    mark(ann, "bob", mute_until_ms=clock.now_ms + 8 * HOUR * 1_000)
    clock.move(8 * HOUR - 60)
    assert gate(timed, "bob", "ann") == "silent"
    assert ids(ann("ListFriends", mark="FRIEND_MARK_MUTED").friends) == ["bob"]
    clock.move(120)
    assert gate(timed, "bob", "ann") == "sound"
    assert not ann("ListFriends", mark="FRIEND_MARK_MUTED").friends


def test_a_status_reaches_friends_at_once_and_ends_at_its_time(timed, clock):
    ann, bob, eve = timed("ann", "bob", "eve")
    timed.befriend("ann", "bob")
    ann.does("SetVisibility", visibility="VISIBILITY_INVISIBLE")
    stream, desk = bob.watch(), ann.watch()
    ann.does("SetStatus", text="On holiday", expiry_seconds=24 * HOUR)
    (item,) = bob.until(stream, "PRESENCE")
    assert item.presence.status_text == "On holiday"
    assert item.presence.status_expire_time_ms == pytest.approx(
        clock.now_ms + 24 * HOUR * 1_000, abs=60_000)
    (own,) = ann.until(desk, "STATUS_CHANGED")
    assert own.presence.status_text == "On holiday"
    assert presence(bob, "ann").status_text == "On holiday"
    # An invisible user shows an unrelated user neither the status nor its end.
    hidden = presence(eve, "ann")
    assert (hidden.status_text, hidden.status_expire_time_ms) == ("", 0)
    clock.move(24 * HOUR + 1)
    assert presence(bob, "ann").status_text == ""
    assert presence(ann, "ann").status_text == ""


def test_last_seen_is_told_to_those_that_see_the_presence(timed, clock):
    ann, bob, eve = timed("ann", "bob", "eve")
    timed.befriend("ann", "bob")

    def report(device, online):
        answer = timed.relation("ReportPresence", items=[
            {"user_id": "ann", "device_id": device, "online": online, "lease_seconds": 600}])
        assert codes(answer) == [0]

    report("phone", True)
    report("desk", True)
    assert presence(bob, "ann").last_seen_time_ms == 0
    report("desk", False)
    clock.move(60)
    report("phone", False)
    left = clock.now_ms
    clock.move(2 * HOUR)
    # The last of the devices counts, and each of them has a time of its own.
    for viewer in (bob, eve):
        told = presence(viewer, "ann")
        assert told.last_seen_time_ms == pytest.approx(left, abs=30_000)
        desk, phone = told.devices
        assert (desk.device_id, phone.device_id) == ("desk", "phone")
        assert phone.change_time_ms == told.last_seen_time_ms
        assert phone.change_time_ms - desk.change_time_ms == pytest.approx(60_000, abs=30_000)
    ann.does("SetVisibility", visibility="VISIBILITY_INVISIBLE")
    assert presence(bob, "ann").last_seen_time_ms > 0 and len(presence(bob, "ann").devices) == 2
    assert presence(eve, "ann").last_seen_time_ms == 0 and not presence(eve, "ann").devices
    ann.does("AddToBlacklist", user_ids=["bob"])
    assert presence(bob, "ann").last_seen_time_ms == 0 and not presence(bob, "ann").devices
