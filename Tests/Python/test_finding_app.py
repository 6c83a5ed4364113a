"""An app in which people find each other: by names and their pinyin, by the numbers in an address
book, by codes and by friends of friends; and what each of them lets others find."""

import hashlib
import hmac

import pytest
from people import codes
from products import Product, eventually, ids

PHONE, EMAIL = 1, 2
NOT_SET, NO_USER, EVERYONE = 0, 1, 2
BY_ID, BY_UNIQUE_ID, BY_NAME, BY_PINYIN, BY_INITIALS = 1, 2, 3, 4, 5
HOUR, DAY = 3_600, 86_400


@pytest.fixture
def finding(relation):
    return Product(relation, finds_users=True)


def search(device, keyword, **fields):
    """The users of the first page, each with the way in which it was found."""
    answer = device("FindUsers", keyword=keyword, **fields)
    assert not answer.index_incomplete
    return [(row.user_id, row.found_by) for row in answer.users]


def digest(number):
    return hmac.digest(b"a key of the app", number.encode(), hashlib.sha256)


def verify(product, user, *numbers, kind=PHONE):
    """The app has checked that these numbers are the user's."""
    answer = product.relation(
        "SetContactDigests", user_id=user, kind=kind, digests=[digest(one) for one in numbers])
    assert answer.code == 0, answer


def upload(device, *numbers, kind=PHONE):
    """The users that an address book with these numbers finds, with the numbers; and the code."""
    answer = device("FindContacts", kind=kind, digests=[digest(one) for one in numbers])
    names = {digest(one): one for one in numbers}
    return [(names[row.digest], row.user_id) for row in answer.contacts], answer.code


# The search


def test_the_search_bar_ranks_as_readers_expect(finding):
    (ann,) = finding("ann")
    for user, nick in {
        "zs": "Exact", "u1": "ZS Band", "u2": "张三", "u3": "朱晓松", "u4": "zsolt", "u5": "Zoë Smith",
    }.items():  # fmt: skip
        finding.make([user], nick=nick)
    finding.make(["u6"], nick="Other")
    finding.set_profile("u6", unique_id="zs")
    assert search(ann, "zs") == [
        ("zs", BY_ID), ("u6", BY_UNIQUE_ID), ("u1", BY_NAME), ("u4", BY_NAME), ("u2", BY_INITIALS)]
    assert search(ann, "zhang s") == search(ann, "ZHANGSAN") == [("u2", BY_PINYIN)]
    assert search(ann, "zxs") == [("u3", BY_INITIALS)]
    assert search(ann, "zoe sm") == search(ann, "ZOË") == [("u5", BY_NAME)]
    assert search(ann, "smith") == []
    # Both readings of a surname, and none that no reader would expect.
    finding.make(["u7"], nick="单田芳")
    for keyword in ("shantian", "dantian", "单"):
        assert [user for user, _ in search(ann, keyword)] == ["u7"], keyword
    assert search(ann, "chantian") == []


def test_everyone_of_many_is_found_on_some_page_while_names_change(finding):
    names = [f"Kim {number:04}" for number in range(1_050)]
    users = [f"k{number:04}" for number in range(1_050)]
    (ann,) = finding("ann")
    finding.imported("ImportAccounts", (
        {"row": {"user_id": user, "nick": name}} for user, name in zip(users, names)))
    rows, token = [], ""
    for number in range(11):
        page = ann("FindUsers", keyword="kim", page_size=100, page_token=token)
        rows += [(row.user_id, row.nick) for row in page.users]
        token = page.next_page_token
        assert bool(token) == (number < 10)
        # The last of each page has another name at once, and some hide before or after theirs.
        finding.device(rows[-1][0]).does("UpdateProfile", profile={"nick": "Gone"})
        finding.device(f"k{500 + number:04}").does(
            "SetFindSettings", settings={"by_name": NO_USER})
    assert rows == list(zip(users, names))[:500] + list(zip(users, names))[505:]
    # A moderator finds those that hide too, behind all others.
    pages = finding.pages("FindUsers", 100, user_id="ann", keyword="kim")
    everyone = [row.user_id for page in pages for row in page.users]
    gone = {rows[last][0] for last in (*range(99, 1_000, 100), -1)}
    wanted = users[:500] + users[511:] + users[500:511]
    assert everyone == [user for user in wanted if user not in gone]


def test_a_user_chooses_each_way_and_hears_of_it_on_its_other_device(finding):
    ann, bob = finding("ann", "bob")
    finding.set_profile("bob", unique_id="bobby")
    verify(finding, "bob", "+1")
    verify(finding, "bob", "b@x.org", kind=EMAIL)
    desk = bob.watch()

    def ways():
        """The ways in which ann finds bob."""
        return {
            "by_id": ("bob", BY_ID) in search(ann, "bob"),
            "by_unique_id": ("bob", BY_UNIQUE_ID) in search(ann, "bobby"),
            "by_name": ("bob", BY_NAME) in search(ann, "bo"),
            "by_phone": upload(ann, "+1")[0] == [("+1", "bob")],
            "by_email": upload(ann, "b@x.org", kind=EMAIL)[0] == [("b@x.org", "bob")],
        }

    every = {"by_id", "by_unique_id", "by_name", "by_phone", "by_email"}
    assert ways() == dict.fromkeys(every, True)
    for closed in sorted(every):
        # Its choice is for this way alone.
        bob.does("SetFindSettings", settings={closed: NO_USER})
        (item,) = bob.until(desk, "FIND_SETTINGS_CHANGED")
        assert getattr(item.find_settings, closed) == NO_USER
        assert ways() == {way: way != closed for way in every}, closed
        bob.does("SetFindSettings", settings={closed: NOT_SET})
        bob.until(desk, "FIND_SETTINGS_CHANGED")
    # The app changes its mind for all who did not choose.
    bob.does("SetFindSettings", settings={"by_phone": EVERYONE})
    finding.change(default_findability="FINDABILITY_NO_USER")
    assert upload(ann, "+1")[0] == [("+1", "bob")]
    assert upload(ann, "b@x.org", kind=EMAIL)[0] == []
    # The change holds before the index is made anew.
    assert not ann("FindUsers", keyword="bo").users
    effective = bob("GetFindSettings").effective
    assert (effective.by_phone, effective.by_email) == (EVERYONE, NO_USER)


def test_who_is_blocked_does_not_find_and_sees_no_gap(finding):
    ann, *_ = finding("ann")
    users = [f"kim{number}" for number in range(6)]
    finding(*users)
    for number, user in enumerate(users):
        verify(finding, user, f"+{number}")
    finding.set_profile("kim1", unique_id="k1")
    for user in ("kim1", "kim4"):
        finding.device(user).does("AddToBlacklist", user_ids=["ann"])
    pages, token = [], ""
    while not pages or token:
        page = ann("FindUsers", keyword="kim", page_size=2, page_token=token)
        pages.append(ids(page.users))
        token = page.next_page_token
        assert "kim1" not in str(page) and "kim4" not in str(page)
    assert pages == [["kim0", "kim2"], ["kim3", "kim5"]]
    assert search(ann, "k1") == search(ann, "kim1") == []
    assert upload(ann, *(f"+{number}" for number in range(6)))[0] == [
        (f"+{number}", f"kim{number}") for number in (0, 2, 3, 5)]
    # The ones who block find the blocked one: a block has one direction here.
    assert search(finding.device("kim1"), "ann") == [("ann", BY_ID)]
    finding.device("kim4").does("RemoveFromBlacklist", user_ids=["ann"])
    assert search(ann, "kim4") == [("kim4", BY_ID)]


def test_a_handle_for_friends_is_not_learned_letter_by_letter(relation):
    product = Product(relation, finds_users=True, finds_id_beginnings=True)
    ann, bob, eve = product("ann", "bob", "eve")
    product.set_profile("bob", unique_id="quartz")
    product.befriend("bob", "eve")
    typed = ["qua", "quar", "quart", "quartz"]

    def finds(device):
        return [keyword for keyword in typed if search(device, keyword)]

    assert finds(ann) == finds(eve) == typed
    bob.does("SetVisibility", fields=[{"field": "unique_id", "visibility": "VISIBILITY_FRIENDS"}])
    assert finds(ann) == ["quartz"]
    assert finds(eve) == typed
    # A profile that is closed as a whole closes the handle too, and the app's back end finds it.
    bob.does("SetVisibility", visibility="VISIBILITY_INVISIBLE", fields=[
        {"field": "unique_id", "visibility": "VISIBILITY_NOT_SET"}])
    assert finds(ann) == finds(eve) == ["quartz"]
    found = product.relation("FindUsers", user_id="ann", keyword="qua").users
    assert ids(found) == ["bob"]


# Contacts


def test_an_address_book_is_uploaded_day_by_day(timed, clock):
    timed.change(limits={"contact_lookups": 250})
    (ann,) = timed("ann")
    friends = [f"user{number}" for number in range(3)]
    timed(*friends)
    verify(timed, "user0", "+100", "+101")
    verify(timed, "user1", "+101")
    verify(timed, "user2", "+249")
    clock.begin_day()
    book = [f"+{number}" for number in range(400)]
    found = []
    for first in (0, 100, 200, 300):
        rows, code = upload(ann, *book[first:first + 100])
        assert code == (0 if first < 200 else 30001)
        found += rows
    assert found == [("+100", "user0"), ("+101", "user0"), ("+101", "user1")]
    # The rest of the day fits, and nothing more; on the next day the phone goes on.
    assert upload(ann, *book[200:250]) == ([("+249", "user2")], 0)
    assert upload(ann, "+101") == ([], 30001)
    clock.move(DAY)
    assert upload(ann, "+101") == ([("+101", "user0"), ("+101", "user1")], 0)
    # Another user has its own day, and the number that passes on finds its new owner alone.
    timed.device("user1").does("FindContacts", kind=PHONE, digests=[digest("+1")])
    verify(timed, "user0", "+100")
    verify(timed, "user2", "+249", "+101")
    assert upload(ann, "+101")[0] == [("+101", "user1"), ("+101", "user2")]


def test_two_who_know_each_others_numbers_become_friends(finding):
    ann, bob = finding("ann", "bob")
    finding.change(default_allow_type="ALLOW_TYPE_NEED_CONFIRM")
    verify(finding, "bob", "+2")
    ((_, user),), _ = upload(ann, "+1", "+2", "+3")
    assert codes(ann("AddFriends", items=[{"user_id": user, "wording": "From my book"}])) == [30539]
    (waiting,) = bob("ListPendencies", pendency_type="PENDENCY_TYPE_COME_IN").pendencies
    assert (waiting.user_id, waiting.nick, waiting.wording) == ("ann", "Ann", "From my book")
    bob.does("RespondToApplications", items=[{"user_id": "ann", "response_type": 1}])
    assert ids(ann("ListFriends").friends) == ["bob"]
    # One who goes takes its numbers along, and a new account of the id has none.
    gone = finding.relation("DeleteAccounts", user_ids=["bob"])
    assert upload(ann, "+2") == ([], 0)
    finding.await_deletion(gone.results[0].deletion_id)
    finding.make(["bob"])
    assert upload(ann, "+2") == ([], 0)
    assert not finding.relation("GetContactDigests", user_id="bob").phones


# Friends of friends


def suggested(device, **fields):
    answer = device("SuggestFriends", **fields)
    return [(row.user_id, row.mutual_count) for row in answer.suggestions], answer.total_size


def test_suggestions_follow_what_happens_between_users(finding):
    ann, *_ = finding("ann", "bob", "joe", "eve", "kim", "max")
    finding.befriend("ann", "bob", "joe")
    finding.befriend("eve", "bob", "joe")
    finding.befriend("kim", "bob")
    finding.befriend("max", "joe")
    assert suggested(ann) == ([("eve", 2), ("kim", 1), ("max", 1)], 3)
    counts = ann("GetMutualFriendCounts", user_ids=["eve", "kim", "max", "bob"]).results
    assert [one.mutual_count for one in counts] == [2, 1, 1, 0]
    # A friendship that ends takes its reason along.
    finding.device("joe").does("DeleteFriends", user_ids=["max"], delete_type=2)
    assert suggested(ann) == ([("eve", 2), ("kim", 1)], 2)
    ann.does("DismissSuggestions", user_ids=["eve"])
    finding.device("kim").does("AddToBlacklist", user_ids=["ann"])
    assert suggested(ann) == ([], 0)
    finding.device("kim").does("RemoveFromBlacklist", user_ids=["ann"])
    # A dismissed user that adds ann is a friend all the same, and is not suggested afterwards.
    finding.device("eve").does("AddFriends", items=[{"user_id": "ann"}])
    assert "eve" in ids(ann("ListFriends").friends)
    ann.does("RestoreSuggestions", user_ids=["eve"])
    assert suggested(ann)[0] == [("kim", 1)]
    ann.does("DeleteFriends", user_ids=["eve"], delete_type=2)
    assert suggested(ann)[0] == [("eve", 2), ("kim", 1)]


def test_thousands_of_dismissed_users_by_pages(finding):
    (ann,) = finding("ann")
    users = [f"user{number:04}" for number in range(1_600)]
    finding.make(users)
    known = ann("GetSequence").sequence
    for first in range(0, 1_600, 100):
        ann.does("DismissSuggestions", user_ids=users[first:first + 100])
    rows, total = ann.pages("ListDismissedSuggestions", "users", 1_000)
    assert (ids(rows), total) == (users, 1_600)
    # Another device has followed the log: each event says who came and who went.
    copy = {}
    ann.does("RestoreSuggestions", user_ids=users[:100])
    ann.does("DismissSuggestions", user_ids=users[7:9])
    for page in finding.pages("ListChanges", 9, user_id="ann", since_sequence=known):
        for event in page.events:
            for item in event.items:
                copy.pop(item.user_id, None)
                if item.HasField("dismissed_suggestion"):
                    copy[item.user_id] = item.dismissed_suggestion
    rows, total = ann.pages("ListDismissedSuggestions", "users", 77)
    assert total == 1_502 and [copy[user] for user in sorted(copy)] == rows


# Codes


def invite(device, **fields):
    answer = device("CreateInvitation", **{"max_uses": 1, "expiry_seconds": HOUR, **fields})
    assert answer.code == 0, answer
    return answer


def test_a_code_on_a_wall_runs_out_and_makes_room_for_the_next(timed, clock):
    timed.change(limits={"invitations": 2}, new_account_quarantine_ms=DAY * 1_000)
    ann, bob, eve, kim = timed("ann", "bob", "eve", "kim")
    timed.need_confirm("ann")
    stream = ann.watch()
    party = invite(ann, max_uses=2, expiry_seconds=DAY, pre_approved=True, text="Party")
    ann.until(stream, "INVITATION_CHANGED")
    card = {"invitation_code": invite(ann, expiry_seconds=HOUR).invitation_code}
    ann.until(stream, "INVITATION_CHANGED")
    full = ann.told("CreateInvitation", max_uses=1, expiry_seconds=HOUR)
    assert full == (30001, "INVITATION_CREATE_NUM_EXCEED_THRESHOLD")
    # A guest looks before it decides; looking takes no use.
    use = {"invitation_code": party.invitation_code}
    shown = bob("GetInvitation", **use)
    assert (shown.inviter_user_id, shown.nick, shown.text, shown.pre_approved) == (
        "ann", "Ann", "Party", True)
    # New accounts may not add others, but who was let in before is let in.
    assert bob.told("AcceptInvitation", **card) == (30540, "INVITATION_ACCEPT_NEW_ACCOUNT")
    bob.does("AcceptInvitation", **use)
    (item,) = ann.until(stream, "INVITATION_CHANGED")
    assert (item.user_id, item.invitation.use_count) == ("bob", 1)
    assert ids(bob("ListFriends").friends) == ["ann"]
    clock.move(2 * HOUR)
    assert bob("GetInvitation", **card).state == 4
    # The card has expired, so there is room for another one.
    invite(ann, expiry_seconds=60)
    eve.does("AcceptInvitation", **use)
    assert kim.told("AcceptInvitation", **use) == (30001, "INVITATION_ACCEPT_USED_UP")
    clock.move(DAY)
    # The card is over for good; kim is no new account any more and makes its way by asking.
    assert kim.told("AcceptInvitation", **card) == (30001, "INVITATION_ACCEPT_EXPIRED")
    fresh = invite(ann, max_uses=5)
    assert kim.told("AcceptInvitation", invitation_code=fresh.invitation_code)[0] == 30539
    (waiting,) = ann("ListPendencies", pendency_type="PENDENCY_TYPE_COME_IN").pendencies
    assert waiting.user_id == "kim"
    rows, total = ann.pages("ListInvitations", "invitations", 1)
    assert total == 4 and [(row.state, row.use_count) for row in rows] == [
        (1, 1), (4, 0), (4, 0), (3, 2)]
    # What has ended is listed for a month more.
    clock.move(31 * DAY)
    eventually(lambda: not ann("ListInvitations").invitations)
    assert ann("ListInvitations").total_size == 0


def test_a_promoter_with_many_codes_keeps_the_latest_of_those_that_ended(finding):
    finding.change(limits={"invitations": 200})
    ann, *_ = finding("ann")
    made = [invite(ann, text=f"{number}").invitation for number in range(200)]
    rows, total = ann.pages("ListInvitations", "invitations", 33)
    assert sorted(row.text for row in rows) == sorted(row.text for row in made) and total == 200
    times = [row.create_time_ms for row in rows]
    assert times == sorted(times, reverse=True)
    made = rows
    first = ann("ListInvitations", page_size=33)
    for one in made[50:]:
        ann.does("RevokeInvitation", invitation_id=one.invitation_id)
    last = invite(ann, text="last").invitation
    # The next page goes on where the first ended; the list has a hundred that ended.
    second = ann("ListInvitations", page_size=10, page_token=first.next_page_token)
    assert [row.text for row in second.invitations] == [row.text for row in made[33:43]]
    rows, total = ann.pages("ListInvitations", "invitations", 33)
    assert total == len(rows) == 151 and rows[:51] == [last, *made[:50]]
    ended = {row.text for row in rows[51:]}
    assert len(ended) == 100 and ended < {row.text for row in made[50:]}
    assert {row.state for row in rows[51:]} == {2}
