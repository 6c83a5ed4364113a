"""The erasure of deleted users: no answer, stream or export of others has the id or its texts."""

import hashlib
import hmac
import time

import grpc
import pytest
from erasing import KEY, MARK, RARE, erase, fill, named
from people import People, codes
from refusals import assert_invalid, refusal
from stubs import Relation
from test_hooks import FLAGS, SECONDS, receiver  # noqa: F401
from test_metrics import metrics
from watching import RESYNC, Watching


def test_nothing_that_others_read_has_the_erased_user(app):
    people = app()
    others = people(5)
    fill(people, others)
    before = named(people.relation, others)
    assert {"ListFriends", "ListBlacklist", "ListChanges", "ExportUser", "ExportApp", "Watch",
            "ListFollowers", "ListDismissedSuggestions", "ListReports"} <= before
    done = erase(people)
    assert named(people.relation, others) == set()
    assert done.user_id == ""
    receipt = done.receipt
    code = hmac.new(KEY.encode(), RARE.encode(), hashlib.sha256)
    assert receipt.digest == code.hexdigest()
    assert receipt.events > 5 and receipt.stream_events > 5
    assert (receipt.removed_friends, receipt.ended_applications) == (2, 1)
    assert receipt.kept_answers == 2, "eve's answer, and that to the deletion itself"
    assert receipt.session_end_digest_kept and not receipt.session_end_kept
    assert (receipt.logs_kept_until_ms, receipt.answers_kept_until_ms) == (0, 0)
    # Her report stays for the moderators, without her words; the one about her is gone.
    assert (receipt.reports, receipt.reports_kept_until_ms) == (1, 0)
    (report,) = people.relation("ListReports").reports
    assert (report.reporter_user_id, report.text, report.category) == ("", "", 1)


def test_a_failure_of_a_hook_names_the_erased_user_no_more(start, stubs, receiver):  # noqa: F811
    running = start("data", *FLAGS)
    with grpc.insecure_channel(running.address) as channel:
        people = People(Relation(stubs, channel))
        others = people(5)
        fill(people, others)
        receiver.status = 500
        people.relation(
            "CreateHook", url=receiver.url, kinds=["CHANGE_KIND_PROFILE_CHANGE"])
        people.set_profile(RARE, nick=f"{MARK} other nick")
        deadline = time.monotonic() + SECONDS
        while "ListHookFailures" not in named(people.relation, others):
            assert time.monotonic() < deadline, "no failure is told"
            time.sleep(0.1)
        receiver.status = 204
        erase(people)
        assert named(people.relation, others) == set()


def test_a_hook_forgets_the_events_of_the_erased_user_that_wait(start, stubs, receiver):  # noqa: F811
    running = start("data", *FLAGS)
    with grpc.insecure_channel(running.address) as channel:
        people = People(Relation(stubs, channel))
        others = people(5)
        fill(people, others)
        receiver.status = 500
        people.relation("CreateHook", url=receiver.url)
        people.set_profile(RARE, nick=f"{MARK} other nick")
        assert MARK.encode() in receiver.next()[2]
        erase(people)
        # The server may read that events are gone before it looks for erasures. Then the event waits
        # beside the marker in their place, until the marker alone is left.
        for _ in range(2):
            while b"relation.v1.trimmed" not in receiver.next()[2]:
                pass
        deadline = time.monotonic() + SECONDS
        while metrics(running)["relation_hook_waiting_events"] > 1:
            assert time.monotonic() < deadline, "the event waits on"
        receiver.status = 204
        people.set_profile(others[0], nick="The end")
        bodies = []
        while not bodies or b"The end" not in bodies[-1]:
            bodies.append(receiver.next()[2])
        assert not [body for body in bodies if MARK.encode() in body]
        assert named(people.relation, others) == set()


def test_the_receipt_says_what_the_app_keeps(app):
    people = app(erasure={
        "always": True, "keeps_logs": True, "keeps_applications": True, "keeps_answers": True,
        "keeps_session_ends": True, "keeps_reports": True})
    others = people(5)
    fill(people, others)
    answer = people.relation("DeleteAccounts", user_ids=[RARE], end_sessions=True)
    receipt = people.await_deletion(answer.results[0].deletion_id).receipt
    assert receipt.digest == "" and receipt.events == receipt.ended_applications == 0
    assert receipt.session_end_kept and not receipt.session_end_digest_kept
    hour = 3_600_000
    now = time.time() * 1000
    assert receipt.logs_kept_until_ms == pytest.approx(now + 7 * 24 * hour, abs=hour)
    assert receipt.applications_kept_until_ms == pytest.approx(now + 90 * 24 * hour, abs=hour)
    assert receipt.answers_kept_until_ms == pytest.approx(now + 24 * hour, abs=hour)
    assert receipt.reports == 0
    assert receipt.reports_kept_until_ms == pytest.approx(now + 180 * 24 * hour, abs=hour)
    assert named(people.relation, others) == {
        "ListChanges", "ListApplications", "ListReports", "ExportUser", "ExportApp"}


def test_who_comes_back_from_before_begins_anew(app):
    people = app()
    others = people(5)
    ann = others[0]
    fill(people, others)
    since = people.relation("GetSequence", user_id=ann).sequence
    streams = [Watching(people.relation, user_id=ann), Watching(people.relation, app=True)]
    for stream in streams:
        stream.state()
    erase(people)
    assert people.relation("ListChanges", user_id=ann, since_sequence=since).resync
    assert people.relation("SyncFriends", user_id=ann, since_sequence=since).resync
    for scope, stream in (({"user_id": ann}, streams[0]), ({"app": True}, streams[1])):
        again = Watching(people.relation, resume_token=stream.token, **scope)
        state = again.state()
        assert state[0].kind == RESYNC
        assert not [event for event in state if MARK in str(event)]


def test_an_account_of_the_id_begins_above_the_erased_one(app):
    people = app()
    fill(people, people(5))
    old = people.relation("GetSequence", user_id=RARE).sequence
    erase(people)
    people.make([RARE])
    new = people.relation("GetSequence", user_id=RARE)
    assert new.sequence > old and new.friends_sequence == new.sequence
    assert people.relation("ListChanges", user_id=RARE, since_sequence=old).resync
    assert people.relation("ListFriends", user_id=RARE).total_size == 0


def test_a_key_is_not_too_long(people):
    fields = {"user_ids": [people.unknown_user()], "erasure_key": "x" * 65}
    assert_invalid(refusal(people.relation, "DeleteAccounts", **fields), "erasure_key")
    fields["erasure_key"] = "x" * 64
    assert codes(people.relation("DeleteAccounts", **fields)) == [30003]


def test_an_erasure_goes_on_after_the_server_was_killed(start, stubs):
    running = start("erased")
    with grpc.insecure_channel(running.address) as channel:
        people = People(Relation(stubs, channel))
        others = people(5)
        fill(people, others)
        people(2_000)
        answer = people.relation("DeleteAccounts", user_ids=[RARE], erase=True)
        deletion = answer.results[0].deletion_id
    for _ in range(3):
        running.kill()
        running = start("erased")
    with grpc.insecure_channel(running.address) as channel:
        relation = Relation(stubs, channel)
        assert People(relation).await_deletion(deletion).receipt.events > 0
        assert named(relation, others) == set()


def test_a_user_whose_id_is_one_sign_shares_no_row_with_its_app(app):
    """Such an id is the name of a partition in which the app has lists of its own."""
    people = app(history_days=30, reviewed_fields={"held": {"values": ["nick"]}})
    own = people.relation
    signs = ["!", '"', "#", "'", "(", "*"]
    people.make(signs)
    ann, bob = people(2)
    people.befriend(ann, bob)
    own("DeleteFriends", user_id=ann, user_ids=[bob])
    end = int(time.time() * 1000) + 86_400_000
    suspended = {"user_id": ann, "level": 1, "end_time_ms": end}
    assert codes(own("SuspendAccounts", items=[suspended])) == [0]
    assert own("ReportUser", user_id=bob, reported_user_id=ann, category=1).code == 0
    writer = Relation(own.stubs, own.channel, [
        *own.metadata, ("x-user-id", bob), ("x-scopes", "read,write")])
    writer("UpdateProfile", user_id=bob, profile={"nick": "B"}, update_mask={"paths": ["nick"]})
    own("AcquireConsumer", consumer="orders")

    def seen():
        return (
            [one.user_id for one in own("ListSuspensions").suspensions],
            len(own("ListReports").reports), len(own("ListReviews").reviews),
            len(own("ListConsumers").consumers), len(own("ListHistory").entries))

    before = seen()
    assert before[0] == [ann] and before[1:] == (1, 1, 1, 2)
    answer = own("DeleteAccounts", user_ids=signs, erase=True)
    for result in answer.results:
        people.await_deletion(result.deletion_id)
    assert seen() == before
