"""The service as products use it: each test is one page of an app, through a generated client.

They ask for no code of a refusal and no bound. Other files do, call by call.
"""

import hashlib
import hmac

import grpc
import pytest
from people import People, codes
from stubs import Relation
from watching import Watching


@pytest.fixture
def four(people):
    """Four accounts that no other test has."""
    return people(4)


def ids(rows):
    return [row.user_id for row in rows]


def signed_in(people, user):
    """The calls of the user's own device."""
    relation = people.relation
    own = [("x-user-id", user), ("x-scopes", "read,write")]
    return Relation(relation.stubs, relation.channel, [*relation.metadata, *own])


def test_a_feed_collects_from_the_authors_that_a_reader_follows(people, four):
    reader, author, other, troll = four
    stream = Watching(people.relation, user_id=author)
    stream.state()
    followed = people.relation("Follow", user_id=reader, user_ids=[author, other])
    assert codes(followed) == [0, 0]
    # The author's page is told, and counts.
    [event] = stream.until(lambda event: event.kind == people.stubs.ChangeKind.Value(
        "CHANGE_KIND_FOLLOWERS_CHANGED"))
    assert [item.follow.user_id for item in event.items if item.HasField("follow")] == [reader]
    people.relation("Follow", user_id=troll, user_ids=[author])
    people.relation("Follow", user_id=author, user_ids=[reader])
    [counts] = people.relation(
        "GetFollowCounts", user_id=reader, user_ids=[author]).results
    assert (counts.counts.followers, counts.counts.following, counts.counts.mutual) == (2, 1, 1)
    # The feed asks for the authors of a reader, page by page.
    pages = people.pages("ListFollowing", 1, user_id=reader)
    assert sorted(ids(row for page in pages for row in page.entries)) == sorted([author, other])
    # A reader that the author blocks is none any more, and cannot come back.
    people.block(author, troll)
    assert people.follows(author) == [[reader], [reader]]
    assert codes(people.relation("Follow", user_id=troll, user_ids=[author])) != [0]


def test_who_added_me_is_added_back(people, four):
    ann, bob, joe, _ = four
    people.befriend(ann, joe)
    assert people.add(bob, ann, add_type="ADD_TYPE_SINGLE")[0] == 0
    listed = people.relation("ListReverseFriends", user_id=ann, page_size=10)
    assert ids(listed.users) == [bob]
    assert people.add(ann, bob, add_type="ADD_TYPE_SINGLE")[0] == 0
    assert not people.relation("ListReverseFriends", user_id=ann, page_size=10).users
    assert people.are_friends(ann, bob) == (True, True)


def test_a_chat_list_has_pins_above_and_says_whom_not_to_disturb(people, four):
    ann, bob, joe, eve = four
    people.befriend(ann, bob, joe, eve)
    people.mark(ann, eve, pin_order=1, starred=True)
    people.mark(ann, joe, pin_order=2)
    people.mark(ann, bob, mute_until_ms=1 << 52)
    rows = people.friends(ann, order="FRIEND_ORDER_PIN")
    assert ids(rows) == [eve, joe, bob]
    assert ids(people.friends(ann, mark="FRIEND_MARK_STARRED")) == [eve]
    # The push service asks before it makes a sound, and the sender learns nothing.
    [sent] = people.relation("CanSend", user_id=bob, user_ids=[ann]).results
    assert sent.code == 0 and sent.muted and not sent.ignored
    [sent] = people.relation("CanSend", user_id=joe, user_ids=[ann]).results
    assert sent.code == 0 and not sent.muted


def test_people_you_may_know_shows_why_and_forgets_who_was_dismissed(people, four):
    ann, bob, joe, eve = four
    people.befriend(ann, bob, joe)
    people.befriend(eve, bob, joe)
    [suggestion] = people.relation("SuggestFriends", user_id=ann).suggestions
    assert (suggestion.user_id, suggestion.mutual_count) == (eve, 2)
    assert list(suggestion.mutual_user_ids) == sorted([bob, joe])
    [count] = people.relation(
        "GetMutualFriendCounts", user_id=ann, user_ids=[eve]).results
    assert count.mutual_count == 2
    assert codes(people.relation("DismissSuggestions", user_id=ann, user_ids=[eve])) == [0]
    assert not people.relation("SuggestFriends", user_id=ann).suggestions
    assert ids(people.relation("SuggestFriends", user_id=eve).suggestions) == [ann]


def test_a_printed_code_makes_friends_of_the_first_two_who_scan_it(people, four):
    host, bob, joe, eve = four
    people.need_confirm(host)
    stream = Watching(people.relation, user_id=host)
    stream.state()
    made = people.relation(
        "CreateInvitation", user_id=host, max_uses=2, expiry_seconds=3_600, pre_approved=True,
        text="Come in")

    def scan(user):
        return people.relation(
            "AcceptInvitation", user_id=user, invitation_code=made.invitation_code).code

    assert (scan(bob), scan(joe)) == (0, 0) and scan(eve) != 0
    added = people.stubs.ChangeKind.Value("CHANGE_KIND_ADD_FRIEND")
    told = [stream.until(lambda event: event.kind == added)[-1] for _ in range(2)]
    assert [item.friend_entry.user_id for event in told for item in event.items] == [bob, joe]
    [row] = people.relation("ListInvitations", user_id=host).invitations
    assert (row.use_count, row.max_uses, row.text) == (2, 2, "Come in")


def test_a_status_is_read_by_friends_and_by_no_other_user(people, four):
    ann, bob, eve, _ = four
    people.befriend(ann, bob)
    people.relation("SetVisibility", user_id=ann, visibility="VISIBILITY_INVISIBLE")
    people.relation("SetStatus", user_id=ann, text="On a train", expiry_seconds=600)

    def status(reader):
        [result] = people.relation("GetPresence", user_id=reader, user_ids=[ann]).results
        return result.presence.status_text

    assert (status(bob), status(eve)) == ("On a train", "")
    people.relation("SetStatus", user_id=ann, text="")
    assert status(bob) == ""


def test_who_is_new_finds_the_people_of_its_address_book(people):
    made = people.relation("CreateApp", settings={"finds_users": True}).app
    people = People(people.relation.in_app(made.app_id))
    for user, nick in (("new", "New"), ("zhang", "张三"), ("mia", "Müller"), ("shy", "Zhang")):
        people.make([user], nick=nick)
    digests = {
        user: hmac.digest(b"a key of the app", number.encode(), hashlib.sha256)
        for user, number in (("zhang", "+8613800138000"), ("shy", "+4930123"))}
    for user, digest in digests.items():
        people.relation("SetContactDigests", user_id=user, kind=1, digests=[digest])
    shut = {"by_name": "FINDABILITY_NO_USER", "by_phone": "FINDABILITY_NO_USER"}
    people.relation("SetFindSettings", user_id="shy", settings=shut)
    phone = signed_in(people, "new")
    book = phone("FindContacts", user_id="new", kind=1, digests=list(digests.values()))
    assert ids(book.contacts) == ["zhang"]
    # What one types on a keyboard of Latin letters is enough.
    for keyword, user in (("zhangs", "zhang"), ("zs", "zhang"), ("mull", "mia")):
        assert ids(phone("FindUsers", user_id="new", keyword=keyword).users) == [user]
    assert ids(phone("FindUsers", user_id="new", keyword="zhang").users) == ["zhang"]
    # Who knows the id finds the user, and who was blocked finds no user.
    assert ids(phone("FindUsers", user_id="new", keyword="shy").users) == ["shy"]
    people.block("mia", "new")
    assert ids(phone("FindUsers", user_id="new", keyword="mull").users) == []


def test_a_profile_page_shows_each_visitor_its_part(people, four):
    ann, friend, fan, unrelated = four
    people.befriend(ann, friend)
    people.relation("Follow", user_id=fan, user_ids=[ann])
    people.set_profile(ann, nick="Ann", location_text="Paris", self_signature=b"Hello")
    chosen = [
        {"field": "location_text", "visibility": "VISIBILITY_FRIENDS"},
        {"field": "self_signature", "visibility": "VISIBILITY_FOLLOWERS"}]
    people.relation("SetVisibility", user_id=ann, fields=chosen)

    def shown(visitor):
        [result] = signed_in(people, visitor)(
            "GetProfiles", user_id=visitor, user_ids=[ann]).results
        return result.profile.location_text, result.profile.self_signature

    assert shown(friend) == ("Paris", b"")
    assert shown(fan) == ("", b"Hello")
    assert shown(unrelated) == ("", b"")
    assert shown(ann) == ("Paris", b"Hello")


def test_moderators_stop_a_user_that_was_reported_for_a_while(people, four):
    troll, bob, ann, _ = four
    bobs, trolls = signed_in(people, bob), signed_in(people, troll)
    made = bobs(
        "ReportUser", user_id=bob, reported_user_id=troll, category="REPORT_CATEGORY_SPAM",
        text="He sends advertisements")
    assert made.code == 0
    # The moderators' page: what is open about the user, and what they do about it.
    [report] = people.relation("ListReports", reported_user_id=troll, only_open=True).reports
    assert (report.reporter_user_id, report.text) == (bob, "He sends advertisements")
    end = report.report_time_ms + 3_600_000
    item = {"user_id": troll, "level": "SUSPENSION_LEVEL_SUSPENDED", "end_time_ms": end}
    assert codes(people.relation("SuspendAccounts", items=[item])) == [0]
    with pytest.raises(grpc.RpcError) as caught:
        trolls("AddFriends", user_id=troll, items=[{"user_id": ann}])
    assert caught.value.code() is grpc.StatusCode.PERMISSION_DENIED
    [sent] = people.relation("CanSend", user_id=troll, user_ids=[ann]).results
    assert sent.code != 0
    closing = {"report_id": report.report_id, "outcome": "REPORT_OUTCOME_SUSPENDED"}
    assert codes(people.relation("ResolveReports", items=[closing])) == [0]
    assert not people.relation("ListReports", reported_user_id=troll, only_open=True).reports
    assert codes(people.relation("ReinstateAccounts", user_ids=[troll])) == [0]
    assert codes(trolls("Follow", user_id=troll, user_ids=[ann])) == [0]


def test_a_user_takes_its_data_along_and_goes(people, four):
    ann, bob, eve, _ = four
    people.befriend(ann, bob)
    people.block(eve, ann)
    people.set_profile(ann, nick="Ann")
    parts = list(people.relation.start("ExportUser")(
        people.stubs.request("ExportUser", {"exported_user_id": ann}), timeout=60,
        metadata=people.relation.metadata))
    text = "".join(map(str, parts))
    assert "Ann" in text and bob in text and eve not in text
    deletion = people.relation("DeleteAccounts", user_ids=[ann], end_sessions=True)
    assert codes(deletion) == [0]
    people.await_deletion(deletion.results[0].deletion_id)
    [checked] = people.relation("CheckAccounts", user_ids=[ann]).results
    assert checked.status == people.stubs.AccountStatus.Value(
        "ACCOUNT_STATUS_NOT_IMPORTED")
    assert people.friend_ids(bob) == []
