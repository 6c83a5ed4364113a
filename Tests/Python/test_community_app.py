"""A moderated community: a report's way from the button to a suspension and its end, a queue that
moderators work off, what each level leaves to a user, and marks of risk with a clock that moves."""

import grpc
import pytest
from people import codes
from products import Product, eventually, ids
from refusals import refusal
from watching import live

LIMITED, SUSPENDED, BANNED = 1, 2, 3
SPAM, FRAUD = 1, 5
DISMISSED, WARNED, CLOSED_BY_SUSPENSION = 1, 2, 3
NEW_ACCOUNT, NEAR_LIMIT, REPORTED, REFUSED = 1, 2, 3, 4
USER_REPORTED, REPORT_RESOLVED, RISK_MARKED = 195, 196, 197
HOUR, DAY = 3_600, 86_400


@pytest.fixture
def community(relation):
    return Product(relation)


def suspend(product, user, level, **fields):
    item = {"user_id": user, "level": level, **fields}
    answer = product.relation("SuspendAccounts", items=[item])
    assert codes(answer) == [0]


def reinstate(product, user):
    assert codes(product.relation("ReinstateAccounts", user_ids=[user])) == [0]


def refused(device, name, **fields):
    """The level that a device is told when a call of its user is refused."""
    told = refusal(device, name, **fields)
    assert (told.code, told.reason) == (grpc.StatusCode.PERMISSION_DENIED, "ACCOUNT_SUSPENDED")
    return int(told.metadata["level"]), int(told.metadata["end_time_ms"])


def report(device, other, category=SPAM, **fields):
    device.does("ReportUser", reported_user_id=other, category=category, **fields)


def queue(product, **fields):
    return product.relation("ListReports", only_open=True, **fields)


def close(product, outcome, *reports):
    answer = product.relation("ResolveReports", items=[
        {"report_id": one.report_id, "outcome": outcome} for one in reports])
    assert set(codes(answer)) == {0}


def sends(product, sender, receiver):
    (sent,) = product.relation("CanSend", user_id=sender, user_ids=[receiver]).results
    return sent.code


# A report


def test_a_report_becomes_a_suspension_that_ends_by_itself(timed, clock):
    ann, troll = timed("ann", "troll")
    timed.befriend("ann", "troll")
    moderators, phone = live(timed.relation, app=True), troll.watch()
    report(ann, "troll", FRAUD, text="wants money", reference="message 17")
    (item,) = moderators.until(lambda event: event.kind == USER_REPORTED)[-1].items
    told = item.report
    assert (told.reporter_user_id, told.reported_user_id) == ("ann", "troll")
    assert (told.text, told.reference, told.count) == ("wants money", "message 17", 1)
    (waiting,) = queue(timed).reports
    assert waiting == told
    end = clock.now_ms + 3 * DAY * 1_000
    suspend(timed, "troll", SUSPENDED, end_time_ms=end, reason_text="fraud, case 4")
    close(timed, CLOSED_BY_SUSPENSION, waiting)
    (item,) = moderators.until(lambda event: event.kind == REPORT_RESOLVED)[-1].items
    assert item.report.outcome == CLOSED_BY_SUSPENSION and not queue(timed).reports
    # The phone shows until when; it learns neither the case nor who reported.
    (item,) = troll.until(phone, "SUSPENSION_CHANGED")
    assert (item.suspension.level, item.suspension.end_time_ms) == (SUSPENDED, end)
    heard = f"{item} {troll('ListChanges')}"
    assert "case 4" not in heard and "report" not in heard
    assert refused(troll, "SetStatus", text="Buy!") == (SUSPENDED, end)
    assert (sends(timed, "troll", "ann"), sends(timed, "ann", "troll")) == (20012, 0)
    clock.move(3 * DAY - HOUR)
    assert refused(troll, "SetStatus", text="Buy!") == (SUSPENDED, end)
    clock.move(2 * HOUR)
    # Nothing else has to happen: every call and list goes by the clock.
    assert sends(timed, "troll", "ann") == 0
    assert not timed.relation("ListSuspensions").suspensions
    troll.does("SetStatus", text="Back")
    # The same words again are another report, which counts the first.
    report(ann, "troll", FRAUD, text="again")
    (again,) = queue(timed).reports
    assert again.report_id != told.report_id
    assert (again.count, again.text, again.reference) == (2, "again", "")
    assert again.first_report_time_ms == told.report_time_ms < again.report_time_ms


def test_moderators_work_off_a_queue_while_it_is_listed(community):
    trolls = ["troll1", "troll2", "troll3"]
    crowd = [f"fan{number:02}" for number in range(60)]
    community(*trolls)
    community.make(crowd)
    for fan in crowd:
        for troll in trolls:
            report(community.device(fan), troll, text=f"{fan} about {troll}")
    wanted = [f"{fan} about {troll}" for fan in reversed(crowd) for troll in reversed(trolls)]
    pages = list(community.pages("ListReports", 7))
    assert [one.text for page in pages for one in page.reports] == wanted
    assert {(page.total_size, page.open_size) for page in pages} == {(180, 180)}
    # They close every page before they ask for the next one.
    seen = []
    for number, page in enumerate(community.pages("ListReports", 7, only_open=True)):
        seen += [one.text for one in page.reports]
        assert page.open_size == 180 - 7 * number
        close(community, DISMISSED, *page.reports)
    assert seen == wanted
    answer = queue(community, reported_user_id="troll2")
    assert (len(answer.reports), answer.total_size, answer.open_size) == (0, 60, 0)
    # A report that comes in meanwhile is the first of the next listing, of its user alone.
    report(community.device("fan07"), "troll2", text="once more")
    assert [one.text for one in queue(community, page_size=1).reports] == ["once more"]
    of_one = community.pages("ListReports", 11, reported_user_id="troll2")
    texts = [one.text for page in of_one for one in page.reports]
    assert texts == ["once more", *(text for text in wanted
                                    if text.endswith("troll2") and not text.startswith("fan07"))]


def test_a_day_of_reports_and_the_end_of_old_ones(timed, clock):
    ann, *_ = timed("ann", *(f"user{number:03}" for number in range(101)))
    clock.begin_day()
    for number in range(100):
        report(ann, f"user{number:03}")
    last = {"reported_user_id": "user100", "category": SPAM}
    assert ann.told("ReportUser", **last) == (30001, "USER_REPORT_TOO_FREQUENT")
    # A report of one that was reported before is a report too.
    assert ann.told("ReportUser", reported_user_id="user000", category=SPAM)[0] == 30001
    clock.move(DAY)
    report(ann, "user100")
    assert timed.relation("ListReports").total_size == 101
    clock.move(180 * DAY - HOUR)
    # The server looks each second for reports that are too old.
    eventually(lambda: timed.relation("ListReports").total_size == 1)
    assert [one.reported_user_id for one in queue(timed).reports] == ["user100"]
    assert queue(timed, reported_user_id="user000").total_size == 0


# The levels


def test_a_limited_user_keeps_its_friends_and_makes_no_new_ones(community):
    ann, bob, eve = community("ann", "bob", "eve")
    community.befriend("ann", "bob")
    community.need_confirm("ann")
    assert codes(eve("AddFriends", items=[{"user_id": "ann", "wording": "Hi"}])) == [30539]
    code = bob("CreateInvitation", max_uses=5, expiry_seconds=HOUR).invitation_code
    suspend(community, "ann", LIMITED)
    for name, fields in {
        "AddFriends": {"items": [{"user_id": "eve"}]}, "Follow": {"user_ids": ["eve"]},
        "CreateInvitation": {"max_uses": 1, "expiry_seconds": HOUR},
        "AcceptInvitation": {"invitation_code": code},
        "UpdateProfile": {"profile": {"nick": "Buy at X"}}, "SetStatus": {"text": "Buy at X"},
    }.items():  # fmt: skip
        assert refused(ann, name, **fields) == (LIMITED, 0), name
    # It answers who came before, writes to its friends, and keeps its own lists.
    ann.does("RespondToApplications", items=[{"user_id": "eve", "response_type": 1}])
    assert sorted(ids(ann("ListFriends").friends)) == ["bob", "eve"]
    assert sends(community, "ann", "bob") == 0
    ann.does("UpdateFriends", items=[{
        "user_id": "bob", "remark": "Bobby", "update_mask": {"paths": ["remark"]}}])
    ann.does("AddToBlacklist", user_ids=["eve"])
    ann.does("SetVisibility", visibility="VISIBILITY_FRIENDS")
    report(ann, "eve")
    # Others may still come to it.
    bob.does("Follow", user_ids=["ann"])
    assert ann("GetSelfProfile").profile.nick == "Ann"
    reinstate(community, "ann")
    ann.does("SetStatus", text="Here")
    assert [one.text for one in queue(community).reports] == [""]


def test_a_suspended_user_stays_in_the_lists_of_others_and_in_no_new_one(community):
    ann, bob, eve = community("ann", "bob", "eve")
    community.befriend("ann", "bob")
    community.need_confirm("bob")
    eve.does("Follow", user_ids=["bob"])
    community.need_confirm("eve")
    assert codes(bob("AddFriends", items=[{"user_id": "eve"}])) == [30539]
    made = bob("CreateInvitation", max_uses=1, expiry_seconds=HOUR, pre_approved=True)
    suspend(community, "bob", SUSPENDED)
    assert ids(ann("ListFriends").friends) == ids(eve("ListFollowing").entries) == ["bob"]
    (card,) = ann("GetRelations", user_ids=["bob"]).results
    assert card.code == 0 and card.friend_entry.user_id == "bob"
    # Its application waits on, and the other one may accept it.
    eve.does("RespondToApplications", items=[{"user_id": "bob", "response_type": 1}])
    assert ids(bob("ListFriends").friends) == ["ann", "eve"]
    assert (sends(community, "bob", "eve"), sends(community, "eve", "bob")) == (20012, 0)
    # Its code makes no friend and takes no use until it is reinstated.
    (kim,) = community("kim")
    use = {"invitation_code": made.invitation_code}
    assert kim.told("AcceptInvitation", **use) == (30540, "INVITATION_ACCEPT_PEER_SUSPENDED")
    assert [row.use_count for row in bob("ListInvitations").invitations] == [0]
    assert kim.told("Follow", user_ids=["bob"]) == (30540, "FOLLOW_ADD_PEER_SUSPENDED")
    reinstate(community, "bob")
    kim.does("AcceptInvitation", **use)
    kim.does("Follow", user_ids=["bob"])
    assert sends(community, "bob", "kim") == 0


def test_a_change_of_the_level_is_told_and_holds_at_once(community):
    (ann,) = community("ann")
    stream = ann.watch()
    for level in (LIMITED, BANNED, SUSPENDED):
        suspend(community, "ann", level)
    told = [ann.until(stream, "SUSPENSION_CHANGED")[0].suspension for _ in range(3)]
    assert [one.level for one in told] == [LIMITED, BANNED, SUSPENDED]
    assert len({one.start_time_ms for one in told}) == 1 and told[0].start_time_ms > 0
    assert refused(ann, "Unfollow", user_ids=["ann"])[0] == SUSPENDED
    reinstate(community, "ann")
    (item,) = ann.until(stream, "SUSPENSION_CHANGED")
    assert item.suspension.level == 0
    suspend(community, "ann", LIMITED)
    (again,) = ann.until(stream, "SUSPENSION_CHANGED")
    assert again.suspension.start_time_ms >= told[0].start_time_ms


def test_a_list_of_thousands_of_suspensions(community):
    users = [f"user{number:04}" for number in range(1_200)]
    community.make(users)
    for first in range(0, 1_200, 100):
        answer = community.relation("SuspendAccounts", items=[
            {"user_id": user, "level": LIMITED} for user in users[first:first + 100]])
        assert set(codes(answer)) == {0}
    pages = list(community.pages("ListSuspensions", 500))
    assert [len(page.suspensions) for page in pages] == [500, 500, 200]
    assert [one.user_id for page in pages for one in page.suspensions] == users
    # Those that are reinstated, and whose accounts go, leave the pages that are still to come.
    first = community.relation("ListSuspensions", page_size=500)
    community.relation("ReinstateAccounts", user_ids=users[500:550])
    gone = community.relation("DeleteAccounts", user_ids=users[550:560])
    for one in gone.results:
        community.await_deletion(one.deletion_id)
    token = first.next_page_token
    second = community.relation("ListSuspensions", page_size=1_000, page_token=token)
    assert [one.user_id for one in second.suspensions] == users[560:]
    assert second.total_size == 1_140


# Risks


def marks(stream, user):
    """The marks of the next risk that the app's stream tells, which must be of this user."""
    event = stream.until(lambda event: event.kind == RISK_MARKED)[-1]
    assert event.user_id == user
    return list(event.items[0].risk_marks)


def test_the_marks_of_a_risk_come_and_go(timed, clock):
    timed.change(marks_risks=True, default_allow_type="ALLOW_TYPE_NEED_CONFIRM")
    others = [f"user{number}" for number in range(9)]
    ann, *_ = timed("ann", *others)
    clock.begin_day()
    clock.move(DAY)

    def applies(device, other):
        assert codes(device("AddFriends", items=[{"user_id": other}])) == [30539]

    stream = live(timed.relation, app=True)
    (new,) = timed("new")
    applies(ann, "user0")
    applies(new, "user0")
    # Ann was made a day ago, so only the other one is marked.
    assert marks(stream, "new") == [NEW_ACCOUNT]
    for number in range(3):
        report(timed.device(f"user{number}"), "ann")
    applies(ann, "user1")
    assert marks(stream, "ann") == [REPORTED]
    close(timed, DISMISSED, queue(timed).reports[0])
    timed.change(applications_per_day=5)
    applies(ann, "user2")
    applies(ann, "user3")
    # This one is the fourth of five.
    assert marks(stream, "ann") == [NEAR_LIMIT]
    applies(ann, "user4")
    assert marks(stream, "ann") == [NEAR_LIMIT]
    told = ann.told("AddFriends", items=[{"user_id": "user5"}])
    assert told == (30540, "SNS_FRIEND_ADD_TOO_FREQUENT")
    for number in range(5):
        timed.device(f"user{number}").does("RespondToApplications", items=[
            {"user_id": "ann", "response_type": 2}])
    timed.change(applications_per_day=0)
    applies(ann, "user6")
    assert marks(stream, "ann") == [REFUSED]
    # The next day begins with none of it, but for what is open still.
    report(timed.device("user7"), "ann")
    clock.move(DAY)
    applies(ann, "user7")
    assert marks(stream, "ann") == [REPORTED]


def test_applications_are_counted_in_the_windows_that_the_app_sets(timed, clock):
    timed.change(applications_per_day=2, applications_window_ms=HOUR * 1_000,
                 applications_received_per_day=1, applications_received_window_ms=DAY * 1_000,
                 default_allow_type="ALLOW_TYPE_NEED_CONFIRM")
    ann, bob, *_ = timed("ann", "bob", "user1", "user2", "user3")

    def tries(user, other):
        return user.told("AddFriends", items=[{"user_id": other}])

    def used(user):
        limits = user.does("GetLimits").limits
        return {limit.name: (limit.value, limit.in_use) for limit in limits
                if limit.name.startswith("applications_")}

    clock.begin_day()
    clock.move(HOUR)
    for other in ("user1", "user2"):
        assert tries(ann, other)[0] == 30539
    assert tries(ann, "user3") == (30540, "SNS_FRIEND_ADD_TOO_FREQUENT")
    assert used(ann) == {
        "applications_per_day": (2, 2), "applications_received_per_day": (1, 0),
        "applications_window_ms": (HOUR * 1_000, 0),
        "applications_received_window_ms": (DAY * 1_000, 0)}
    assert used(timed.device("user1"))["applications_received_per_day"] == (1, 1)
    # The next hour lets ann go on, and the users that had an application today are left alone.
    clock.move(HOUR)
    assert used(ann)["applications_per_day"] == (2, 0)
    assert tries(bob, "user1") == (30540, "SNS_FRIEND_ADD_PEER_TOO_FREQUENT")
    assert tries(ann, "user3")[0] == 30539
    clock.move(DAY)
    assert tries(bob, "user1")[0] == 30539


def test_who_was_refused_waits_for_the_end_of_the_cool_down(timed, clock):
    timed.change(application_cooldown_ms=7 * DAY * 1_000, applications_received_per_day=2)
    ann, bob, eve, kim = timed("ann", "bob", "eve", "kim")
    timed.need_confirm("ann")
    clock.begin_day()
    item = {"items": [{"user_id": "ann"}]}
    assert codes(bob("AddFriends", **item)) == codes(eve("AddFriends", **item)) == [30539]
    assert kim.told("AddFriends", **item) == (30540, "SNS_FRIEND_ADD_PEER_TOO_FREQUENT")
    ann.does("RespondToApplications", items=[{"user_id": "bob", "response_type": 2}])
    assert bob.told("AddFriends", **item) == (30540, "SNS_FRIEND_ADD_COOLING_DOWN")
    clock.move(DAY)
    assert codes(kim("AddFriends", **item)) == [30539]
    clock.move(6 * DAY - HOUR)
    assert bob.told("AddFriends", **item) == (30540, "SNS_FRIEND_ADD_COOLING_DOWN")
    clock.move(2 * HOUR)
    assert codes(bob("AddFriends", **item)) == [30539]
    # The one that refused may come to the other at any time.
    ann.does("RespondToApplications", items=[{"user_id": "eve", "response_type": 2}])
    ann.does("AddFriends", items=[{"user_id": "eve"}])
    assert ids(eve("ListFriends").friends) == ["ann"]
