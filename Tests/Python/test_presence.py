"""PresenceService: the users that are online, by reports and until their leases end."""

import grpc
import pytest
from people import People, codes, outcomes
from refusals import assert_invalid, refusal
from stubs import Relation
from watching import Watching


def item(user, device="phone", *, online=True, lease_seconds=60, **fields):
    return {
        "user_id": user, "device_id": device, "online": online,
        "lease_seconds": lease_seconds, **fields,
    }  # fmt: skip


def report(people, *items, **options):
    return people.relation("ReportPresence", items=items, options=options)


def come(people, *items):
    answer = report(people, *items)
    assert codes(answer) == [0] * len(items), answer


def presence(people, viewer, user):
    """Whether the user is online, and each device with its platform, as the viewer sees it."""
    (result,) = people.relation("GetPresence", user_id=viewer, user_ids=[user]).results
    assert (result.code, result.presence.user_id) == (0, user)
    devices = [
        (device.device_id, device.platform, device.online) for device in result.presence.devices
    ]
    assert result.presence.online == any(online for _, _, online in devices)
    return devices


def test_a_user_is_online_while_any_device_is(people):
    ann, bob = people(2)
    assert presence(people, ann, bob) == []
    come(people, item(bob, "web", platform="web"), item(bob, "phone", platform="ios"))
    assert presence(people, ann, bob) == [("phone", "ios", True), ("web", "web", True)]
    come(people, item(bob, "phone", online=False, platform="ios"))
    assert presence(people, ann, bob) == [("phone", "ios", False), ("web", "web", True)]
    come(people, item(bob, "web", online=False))
    assert presence(people, ann, bob) == [("phone", "ios", False), ("web", "", False)]


def test_the_time_is_that_of_the_change_and_not_of_the_report(people):
    ann, bob = people(2)

    def changed():
        answer = people.relation("GetPresence", user_id=ann, user_ids=[bob])
        return answer.results[0].presence.devices[0].change_time_ms

    come(people, item(bob))
    first = changed()
    assert first > 1_700_000_000_000
    come(people, item(bob, lease_seconds=3600))
    assert changed() == first
    come(people, item(bob, online=False))
    assert changed() >= first


def test_reports_of_one_call_are_taken_in_their_order(people):
    ann, bob = people(2)
    answer = report(people, item(bob), item(bob, "web"), item(bob, "web", online=False), item(bob))
    assert outcomes(answer) == [
        (0, ""), (0, ""), (30001, "Err_PresenceReport_Duplicate"), (0, ""),
    ]  # fmt: skip
    assert presence(people, ann, bob) == [("phone", "", True), ("web", "", True)]


def test_reporting_answers_each_item(people):
    ann, bob = people(2)
    answer = report(
        people,
        item(" "),
        item(people.unknown_user()),
        item(ann, ""),
        item(ann, "x" * 65),
        item(ann, platform="x" * 33),
        item(ann, lease_seconds=9),
        item(ann, lease_seconds=3601),
        # Left out, it would be a report that the device is offline.
        {"user_id": ann, "device_id": "phone", "lease_seconds": 60},
        item(bob, "x" * 64, platform="y" * 32, lease_seconds=10),
        item(bob, "web", lease_seconds=3600),
        # The lease of a device that is offline is not checked.
        item(bob, "desk", online=False, lease_seconds=-5),
    )
    illegal = [
        (30001, f"Err_PresenceReport_{name}_Illegal")
        for name in ("UserId", "DeviceId", "DeviceId", "Platform", "Lease", "Lease", "Online")
    ]
    assert outcomes(answer) == [
        illegal[0], (30003, "Err_PresenceReport_Account_Not_Exist"), *illegal[1:],
        (0, ""), (0, ""), (0, ""),
    ]  # fmt: skip
    assert (answer.applied, answer.sequence) == (True, 0)
    assert presence(people, bob, ann) == []
    assert [device for device, _, _ in presence(people, ann, bob)] == ["desk", "web", "x" * 64]


@pytest.mark.parametrize("count, reason", [(0, "INVALID_FIELD"), (1001, "TOO_MANY_ITEMS")])
def test_so_many_devices_are_reported_at_once(people, count, reason):
    (ann,) = people(1)
    items = [item(ann, f"d{number}") for number in range(count)]
    assert_invalid(refusal(report, people, *items), "items", reason=reason)


def test_a_thousand_users_are_reported_and_asked_for_at_once(people):
    users = people(1001)
    come(people, *(item(user) for user in users[1:]))
    answer = people.relation("GetPresence", user_id=users[0], user_ids=users[1:])
    assert [result.user_id for result in answer.results] == users[1:]
    assert all(result.presence.online for result in answer.results)
    asked = users + ["one more"]
    for wrong, reason in (([], "INVALID_FIELD"), (asked, "TOO_MANY_ITEMS")):
        refused = refusal(people.relation, "GetPresence", user_id=users[0], user_ids=wrong)
        assert_invalid(refused, "user_ids", reason=reason)


def test_of_many_devices_the_oldest_that_is_offline_goes(people):
    ann, bob = people(2)
    come(people, item(bob, "a", online=False))
    come(people, *(item(bob, f"d{number:02}") for number in range(19)))
    assert len(presence(people, ann, bob)) == 20
    come(people, item(bob, "new"))
    devices = [device for device, _, _ in presence(people, ann, bob)]
    assert len(devices) == 20 and "a" not in devices and "new" in devices


def test_asking_answers_each_id(people):
    ann, bob = people(2)
    come(people, item(ann))
    asked = [bob, "", people.unknown_user(), ann, bob]
    answer = people.relation("GetPresence", user_id=ann, user_ids=asked)
    assert [result.user_id for result in answer.results] == asked
    assert outcomes(answer) == [
        (0, ""),
        (30001, "Err_PresenceGet_UserId_Illegal"),
        (30003, "Err_PresenceGet_Account_Not_Exist"),
        (0, ""),
        (0, ""),
    ]
    has = [result.HasField("presence") for result in answer.results]
    assert has == [True, False, False, True, True]
    assert answer.results[3].presence.online and not answer.results[0].presence.online


def test_whom_a_user_has_blacklisted_sees_it_as_never_online(people):
    ann, bob = people(2)
    come(people, item(ann), item(bob))
    people.block(ann, bob)
    assert presence(people, bob, ann) == []
    assert presence(people, ann, bob) == [("phone", "", True)]
    people.relation("RemoveFromBlacklist", user_id=ann, user_ids=[bob])
    assert presence(people, bob, ann) == [("phone", "", True)]


def test_a_dry_run_and_what_is_held_back_report_nothing(people):
    ann, bob = people(2)
    assert not report(people, item(bob), dry_run=True).applied
    held = report(people, item(bob), item(people.unknown_user()), all_or_nothing=True)
    assert (codes(held), held.applied) == ([0, 30003], False)
    assert presence(people, ann, bob) == []
    assert report(people, item(bob), all_or_nothing=True).applied
    assert presence(people, ann, bob) == [("phone", "", True)]


def test_a_request_that_is_sent_again_reports_nothing(people):
    ann, bob = people(2)
    first = report(people, item(bob), request_id="presence-1")
    come(people, item(bob, online=False))
    again = report(people, item(bob), request_id="presence-1")
    assert (first.replayed, again.replayed) == (False, True)
    assert codes(again) == [0]
    assert presence(people, ann, bob) == [("phone", "", False)]


def test_apps_are_apart(relation, people):
    other = People(relation.in_app(relation("CreateApp").app.app_id))
    ann, bob = people(2)
    other.make([ann, bob])
    come(people, item(bob))
    assert presence(people, ann, bob) == [("phone", "", True)]
    assert presence(other, ann, bob) == []


def test_in_an_app_of_implicit_accounts_a_report_makes_one(relation):
    settings = {"makes_accounts_implicitly": True}
    people = People(relation.in_app(relation("CreateApp", settings=settings).app.app_id))
    assert presence(people, "ann", "bob") == []
    come(people, item("bob"))
    assert presence(people, "ann", "bob") == [("phone", "", True)]
    checked = people.relation("CheckAccounts", user_ids=["bob", "ann"])
    assert [result.status for result in checked.results] == [1, 2]


def test_an_account_made_anew_was_never_online(people):
    ann, bob = people(2)
    come(people, item(bob))
    deletion = people.relation("DeleteAccounts", user_ids=[bob]).results[0].deletion_id
    answer = people.relation("GetPresence", user_id=ann, user_ids=[bob])
    assert codes(answer) == [30003]
    while people.relation("GetDeletion", deletion_id=deletion).state != 2:
        pass
    people.make([bob])
    assert presence(people, ann, bob) == []
    come(people, item(bob, "new"))
    assert presence(people, ann, bob) == [("new", "", True)]


def test_only_a_service_reports(stubs, channel, people):
    (ann,) = people(1)
    mine = Relation(stubs, channel, [("x-user-id", ann)])
    refused = refusal(mine, "ReportPresence", items=[item(ann)])
    assert (refused.code, refused.reason) == (
        grpc.StatusCode.PERMISSION_DENIED, "SCOPE_MISSING",
    )  # fmt: skip
    service = Relation(stubs, channel, [("x-scopes", "write")])
    assert codes(service("ReportPresence", items=[item(ann)])) == [0]


def test_after_a_restart_no_user_is_online(start, stubs):
    running = start()
    with grpc.insecure_channel(running.address) as channel:
        own = People(Relation(stubs, channel))
        ann, bob = own(2)
        come(own, item(bob))
        assert presence(own, ann, bob) == [("phone", "", True)]
    assert running.stop() == 0
    with grpc.insecure_channel(start().address) as channel:
        assert presence(People(Relation(stubs, channel)), ann, bob) == [("phone", "", False)]


# Last seen


def last_seen(people, viewer, user):
    (result,) = people.relation("GetPresence", user_id=viewer, user_ids=[user]).results
    return result.presence.last_seen_time_ms


def test_a_user_was_last_seen_when_its_last_device_went(people):
    ann, bob = people(2)
    assert last_seen(people, ann, bob) == 0
    come(people, item(bob), item(bob, "web"))
    assert last_seen(people, ann, bob) == 0
    come(people, item(bob, online=False))
    assert last_seen(people, ann, bob) == 0
    come(people, item(bob, "web", online=False))
    (result,) = people.relation("GetPresence", user_id=ann, user_ids=[bob]).results
    times = [device.change_time_ms for device in result.presence.devices]
    assert result.presence.last_seen_time_ms == max(times) > 1_700_000_000_000
    come(people, item(bob))
    assert last_seen(people, ann, bob) == 0


def test_no_user_from_whom_presence_is_hidden_learns_when_another_was_seen(people):
    ann, bob, carl = people(3)
    come(people, item(bob))
    come(people, item(bob, online=False))
    people.block(bob, ann)
    assert last_seen(people, ann, bob) == 0 < last_seen(people, carl, bob)
    people.relation("SetVisibility", user_id=bob, visibility="VISIBILITY_INVISIBLE")
    assert last_seen(people, carl, bob) == 0
    people.befriend(carl, bob)
    assert last_seen(people, carl, bob) > 0
    told = people.relation("GetPresence", user_ids=[bob], unmasked=True)
    assert told.results[0].presence.last_seen_time_ms > 0


def test_an_account_made_anew_was_never_seen(people):
    ann, bob = people(2)
    come(people, item(bob))
    come(people, item(bob, online=False))
    deletion = people.relation("DeleteAccounts", user_ids=[bob]).results[0].deletion_id
    while people.relation("GetDeletion", deletion_id=deletion).state != 2:
        pass
    people.make([bob])
    assert last_seen(people, ann, bob) == 0


def test_when_a_user_was_seen_outlives_a_restart(start, stubs):
    running = start()
    with grpc.insecure_channel(running.address) as channel:
        own = People(Relation(stubs, channel))
        ann, bob, carl = own(3)
        come(own, item(bob))
        come(own, item(bob, online=False), item(carl))
        seen = last_seen(own, ann, bob)
    assert running.stop() == 0
    with grpc.insecure_channel(start().address) as channel:
        own = People(Relation(stubs, channel))
        # It was written when the device came, and the time until it went was shorter than a minute.
        assert seen - 60_000 < last_seen(own, ann, bob) <= seen
        # Who was online has been seen at least then.
        assert abs(last_seen(own, ann, carl) - seen) < 60_000


SYNC_PRESENCE = 7


def devices(people, viewer, user):
    """When each device was last seen, and whether it is online now, as the viewer sees it."""
    (result,) = people.relation("GetPresence", user_id=viewer, user_ids=[user]).results
    return {device.device_id: (device.change_time_ms, device.online)
            for device in result.presence.devices}


def test_each_device_was_last_seen_when_it_went(people):
    ann, bob = people(2)
    come(people, item(bob, report_time_ms=1_000), item(bob, "desk", report_time_ms=2_000))
    come(people, item(bob, "desk", online=False, report_time_ms=30_000))
    come(people, item(bob, "web"))
    seen = devices(people, ann, bob)
    assert seen["desk"] == (30_000, False) and seen["web"][1]
    # The lease of the phone ended a minute after its report.
    assert seen["phone"] == (61_000, False)
    come(people, item(bob, "desk"))
    assert devices(people, ann, bob)["desk"][1]


def test_devices_are_told_to_those_that_learn_when_the_user_was_seen(people):
    ann, bob, carl, dora = people(4)
    come(people, item(bob, online=False), item(bob, "desk", online=False))
    people.befriend(carl, bob)
    people.block(bob, dora)
    everyone = devices(people, ann, bob)
    assert set(everyone) == {"phone", "desk"} and not any(on for _, on in everyone.values())
    for viewer, sees in [(bob, True), (ann, True), (carl, True), (dora, False)]:
        assert devices(people, viewer, bob) == (everyone if sees else {})
        assert (last_seen(people, viewer, bob) > 0) == sees
    people.relation("SetVisibility", user_id=bob, visibility="VISIBILITY_INVISIBLE")
    for viewer, sees in [(bob, True), (ann, False), (carl, True), (dora, False)]:
        assert devices(people, viewer, bob) == (everyone if sees else {})
        assert (last_seen(people, viewer, bob) > 0) == sees
    told = people.relation("GetPresence", user_ids=[bob], unmasked=True).results[0].presence
    assert {device.device_id: (device.change_time_ms, False) for device in told.devices} == everyone


def test_when_devices_were_seen_outlives_a_restart_and_the_oldest_is_forgotten(start, stubs):
    running = start()
    with grpc.insecure_channel(running.address) as channel:
        own = People(Relation(stubs, channel))
        ann, bob, carl = own(3)
        own.befriend(carl, bob)
        come(own, *(item(bob, f"d{number:02}", online=False, platform="ios",
                         report_time_ms=1_000 * (number + 1)) for number in range(21)))
        before = devices(own, ann, bob)
        # The limit of GetLimits, `devices of a user`.
        assert before == {f"d{n:02}": (1_000 * (n + 1), False) for n in range(1, 21)}
        own.relation("SetVisibility", user_id=bob, visibility="VISIBILITY_FRIENDS")
    assert running.stop() == 0
    with grpc.insecure_channel(start().address) as channel:
        own = People(Relation(stubs, channel))
        assert devices(own, carl, bob) == devices(own, bob, bob) == before
        assert last_seen(own, carl, bob) == 21_000
        assert devices(own, ann, bob) == {} and last_seen(own, ann, bob) == 0
        # The state of a stream has them too.
        with Watching(own.relation, user_id=carl) as watching:
            found = [one.presence for event in watching.state() for one in event.items
                     if event.sync_type == SYNC_PRESENCE and one.presence.user_id == bob]
        told = {device.device_id: (device.change_time_ms, device.online)
                for device in found[0].devices}
        assert told == before
        come(own, item(bob, "d05", platform="web"))
        now = devices(own, carl, bob)
        assert now.pop("d05")[1] and now == {
            name: time for name, time in before.items() if name != "d05"}
        assert last_seen(own, carl, bob) == 0


# SetStatus


PRESENCE = 122


def status(people, viewer, user):
    (result,) = people.relation("GetPresence", user_id=viewer, user_ids=[user]).results
    return result.presence.status_text


def set_status(people, user, text, **fields):
    assert people.relation("SetStatus", user_id=user, text=text, **fields).code == 0


def test_a_status_needs_no_device_and_is_seen_like_the_presence(people):
    ann, bob = people(2)
    set_status(people, bob, "away", expiry_seconds=60)
    assert status(people, ann, bob) == "away" and presence(people, ann, bob) == []
    people.block(bob, ann)
    assert status(people, ann, bob) == ""
    assert status(people, bob, bob) == "away"


def test_a_status_is_joined_where_presence_is(people):
    ann, bob = people(2)
    set_status(people, bob, "away")
    people.relation("Subscribe", user_id=ann, user_ids=[bob], expiry_seconds=60)
    for call, field in (("ListSubscriptions", {}), ("QuerySubscriptions", {"user_ids": [bob]})):
        answer = people.relation(call, user_id=ann, with_presence=True, **field)
        rows = answer.subscriptions if call == "ListSubscriptions" else [
            result.subscription for result in answer.results]
        assert [row.presence.status_text for row in rows] == ["away"]


def test_friends_are_told_of_a_status_and_of_its_end_by_hand(people):
    ann, bob, carl = people(3)
    people.befriend(ann, bob)
    set_status(people, bob, "before")
    with Watching(people.relation, user_id=ann) as stream:
        state = [item for event in stream.state() for item in event.items
                 if item.HasField("presence")]
        assert [(item.user_id, item.presence.status_text) for item in state] == [(bob, "before")]
        set_status(people, carl, "no friend")
        for text in ("away", ""):
            set_status(people, bob, text)
            event = stream.until(lambda event: event.kind == PRESENCE)[-1]
            told = [(item.user_id, item.presence.status_text) for item in event.items]
            assert told == [(bob, text)]


def test_a_forbidden_word_is_no_status(relation):
    people = People(relation.in_app(
        relation("CreateApp", settings={"forbidden_words": {"values": ["badword"]}}).app.app_id))
    (ann,) = people(1)
    refused = people.relation("SetStatus", user_id=ann, text="a BadWord")
    name = people.stubs.Reason.Name(refused.reason)
    assert (refused.code, name) == (30005, "REASON_STATUS_SET_SENSITIVE_TEXT")
    assert not refused.applied
