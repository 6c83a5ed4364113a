"""ImportAccounts and ImportFriends: rows by stream, answered by their number."""

import queue

import grpc
import pytest
from refusals import assert_invalid, refusal

IMPORTS = ["ImportAccounts", "ImportFriends"]


class Rows:
    """Requests that a test hands over one by one; iterating waits for the next."""

    def __init__(self):
        self._waiting = queue.Queue()

    def send(self, request):
        self._waiting.put(request)

    def close(self):
        self._waiting.put(None)

    def __iter__(self):
        return iter(self._waiting.get, None)


def told(rows):
    return [(row.row_number, row.user_id, row.code, row.info) for row in rows]


def imported_row(people, **row):
    """The answer to one row of ImportFriends."""
    rows, progress = people.imported("ImportFriends", [{"row": row}])
    assert progress.received == progress.last_durable_row == 1
    assert (progress.accepted, progress.refused) == ((0, 1) if rows else (1, 0))
    return (rows[0].code, rows[0].info) if rows else (0, "")


# Both calls


@pytest.mark.parametrize("name", IMPORTS)
def test_an_import_without_rows_says_so(people, name):
    for requests in ([], [{"options": {"device_id": "pc"}}]):
        rows, progress = people.imported(name, requests)
        assert rows == []
        assert progress == type(progress)()


@pytest.mark.parametrize("name", IMPORTS)
@pytest.mark.parametrize(
    "first, field",
    [
        ({"request_id": "x"}, "options.request_id"),
        ({"dry_run": True}, "options.dry_run"),
        ({"all_or_nothing": True}, "options.all_or_nothing"),
        ({"device_id": "x" * 65}, "options.device_id"),
    ],
)
def test_an_option_that_means_nothing_here_is_refused(people, name, first, field):
    requests = [{"options": first, "row": {"user_id": people.unknown_user()}}]
    refused = refusal(people.relation.stream, name, requests)
    assert_invalid(refused, field)


@pytest.mark.parametrize("name", IMPORTS)
def test_options_come_first_or_not_at_all(people, name):
    row = {"row": {"user_id": people.unknown_user()}}
    later = {"options": {}, **row}
    assert_invalid(refusal(people.relation.stream, name, [row, later]), "options")


def test_notify_comes_first_or_not_at_all(people):
    row = {"row": {"user_id": people.unknown_user()}}
    refused = refusal(people.relation.stream, "ImportFriends", [row, {"notify": True, **row}])
    assert_invalid(refused, "notify")


@pytest.mark.parametrize("name", IMPORTS)
def test_only_the_first_message_may_be_without_a_row(people, name):
    row = {"row": {"user_id": people.unknown_user()}}
    assert_invalid(refusal(people.relation.stream, name, [row, {}]), "row")


@pytest.mark.parametrize("name", IMPORTS)
def test_bytes_that_are_no_message_end_the_import(people, channel, name):
    path = next(path for path in people.stubs.paths if path.endswith("/" + name))
    refused = refusal(channel.stream_stream(path), iter([b"\x1a\x05"]), timeout=20)
    assert refused.code == grpc.StatusCode.INTERNAL
    assert (refused.domain, refused.reason) == ("relation.v1", "MALFORMED_MESSAGE")


@pytest.mark.parametrize("name", IMPORTS)
def test_an_import_ends_with_its_app(people, name):
    number = people.relation("CreateApp").app.app_id
    rows = Rows()
    answers = people.relation.in_app(number).stream(name, rows)
    rows.send({"row": {"user_id": "", "friend_user_id": ""} if name == "ImportFriends" else {}})
    assert next(answers).row.code == 30001
    people.relation("DeleteApp", app_id=number)
    rows.send({"row": {"user_id": people.unknown_user()}})
    refused = refusal(lambda: answers)
    assert (refused.code, refused.reason) == (grpc.StatusCode.NOT_FOUND, "APP_NOT_FOUND")


def test_rows_before_a_fault_stay(people):
    user = people.unknown_user()
    rows = Rows()
    answers = people.relation.stream("ImportAccounts", rows)
    for _ in range(2):
        rows.send({"row": {"user_id": user}})
    assert next(answers).row.info == "existed"
    rows.send({})
    with pytest.raises(grpc.RpcError):
        list(answers)
    assert people.profile(user).user_id == user


def test_a_refused_row_is_answered_while_rows_keep_coming(people):
    rows = Rows()
    answers = people.relation.stream("ImportAccounts", rows)
    for number in range(1, 6):
        rows.send({"row": {"user_id": ""}})
        answer = next(answers)
        # Progress may stand between, after a second in which rows came.
        while answer.WhichOneof("answer") != "row":
            answer = next(answers)
        assert answer.row.row_number == number
    rows.close()
    last = list(answers)[-1].progress
    assert (last.received, last.accepted, last.refused, last.last_durable_row) == (5, 0, 5, 5)


def test_progress_comes_after_every_thousand_rows_and_at_the_end(people):
    users = [people.unknown_user() for _ in range(3500)]
    known = {number for number in range(1, 3501) if number % 7 == 0}
    bad = {number for number in range(1, 3501) if number % 500 == 3}
    people.make([users[number - 1] for number in known - bad])
    requests = [
        {"row": {"user_id": " " if number in bad else user}}
        for number, user in enumerate(users, 1)
    ]
    rows, reports, durable = [], [], 0
    for answer in people.relation.stream("ImportAccounts", requests):
        if answer.WhichOneof("answer") == "row":
            rows.append(answer.row)
            assert answer.row.row_number > durable
        else:
            reports.append(answer.progress)
            durable = answer.progress.last_durable_row
            assert answer.progress.accepted + answer.progress.refused == durable
    assert [row.row_number for row in rows] == sorted(known | bad)
    assert all((row.code == 30001) == (row.row_number in bad) for row in rows)
    assert len(reports) >= 4
    steps = [report.last_durable_row for report in reports]
    assert all(b - a <= 1250 for a, b in zip([0, *steps], steps))
    last = reports[-1]
    assert (last.received, last.refused, last.last_durable_row) == (3500, len(bad), 3500)


def test_an_import_that_waits_for_rows_tells_its_progress_every_second(people):
    rows = Rows()
    answers = people.relation.stream("ImportAccounts", rows, timeout=30)
    for user in (people.unknown_user(), " ", people.unknown_user()):
        rows.send({"row": {"user_id": user}})
    refused = next(answers).row
    assert (refused.row_number, refused.code) == (2, 30001)
    # Nothing more is sent, and the stream is not ended.
    for _ in range(2):
        progress = next(answers).progress
        assert (progress.received, progress.accepted, progress.refused) == (3, 2, 1)
        assert progress.last_durable_row == 3
    rows.close()
    assert next(answers).progress.last_durable_row == 3
    assert list(answers) == []


def test_a_broken_import_keeps_what_it_called_durable(people):
    users = [people.unknown_user() for _ in range(2000)]
    rows = Rows()
    answers = people.relation.stream("ImportAccounts", rows)
    for user in users:
        rows.send({"row": {"user_id": user}})
    # A slow server reports each second, and others each thousand rows.
    progress = next(answers).progress
    while progress.last_durable_row < 1000:
        progress = next(answers).progress
    answers.cancel()
    rows.close()
    durable = users[: progress.last_durable_row]
    for start in range(0, len(durable), 100):
        some = durable[start : start + 100]
        answer = people.relation("GetProfiles", user_id=some[0], user_ids=some)
        assert {result.code for result in answer.results} == {0}


# ImportAccounts


def test_an_account_gets_its_first_profile(people):
    ann, bob = people.unknown_user(), people.unknown_user()
    requests = [
        {"row": {"user_id": ann, "nick": "Ann", "face_url": "https://f"}},
        {"row": {"user_id": bob}},
    ]
    assert people.imported("ImportAccounts", requests)[0] == []
    profile = people.profile(ann)
    assert (profile.nick, profile.face_url, profile.version) == ("Ann", "https://f", 1)
    assert people.profile(bob).version == 0


def test_an_account_that_exists_is_left_as_it_is(people):
    (ann,) = people(1)
    people.set_profile(ann, nick="Ann")
    before = people.profile(ann)
    rows, progress = people.imported("ImportAccounts", [{"row": {"user_id": ann, "nick": "X"}}])
    assert told(rows) == [(1, ann, 0, "existed")]
    assert (progress.accepted, progress.refused) == (1, 0)
    assert people.profile(ann) == before


def test_a_malformed_account_does_not_stop_the_others(people):
    first, last = people.unknown_user(), people.unknown_user()
    bad = [
        ({"user_id": ""}, "UserId"),
        ({"user_id": "x" * 65}, "UserId"),
        ({"user_id": "ü"}, "UserId"),
        ({"user_id": people.unknown_user(), "nick": "x" * 501}, "Nick"),
        ({"user_id": people.unknown_user(), "face_url": "x" * 501}, "FaceUrl"),
    ]
    requests = [{"row": {"user_id": first}}]
    requests += [{"row": row} for row, _ in bad]
    requests += [{"row": {"user_id": last, "nick": "x" * 500}}]
    rows, progress = people.imported("ImportAccounts", requests)
    assert told(rows) == [
        (number, row["user_id"], 30001, f"Err_Account_Import_{field}_Illegal")
        for number, (row, field) in enumerate(bad, 2)
    ]
    assert (progress.received, progress.accepted, progress.refused) == (7, 2, 5)
    assert people.profile(last).nick == "x" * 500
    assert refusal(people.relation, "GetSelfProfile", user_id=bad[3][0]["user_id"])


# ImportFriends


def test_a_row_is_written_one_way_or_both(people):
    ann, bob = people(2)
    row = {"user_id": ann, "friend_user_id": bob}
    assert imported_row(people, **row) == (0, "")
    assert people.are_friends(ann, bob) == (True, False)
    assert imported_row(people, **row, both_ways=True) == (0, "")
    assert people.are_friends(ann, bob) == (True, True)


def test_an_import_asks_no_user_for_consent(people):
    ann, bob = people(2)
    people.deny_any(bob)
    people.set_profile(ann, admin_forbid_type=1)
    people.block(bob, ann)
    assert imported_row(people, user_id=ann, friend_user_id=bob, both_ways=True) == (0, "")
    assert people.are_friends(ann, bob) == (True, True)


@pytest.mark.parametrize("both_ways", [False, True])
def test_who_gains_a_friend_waits_for_it_no_longer(people, both_ways):
    ann, bob = people(2)
    people.need_confirm(ann)
    people.apply(ann, bob)
    assert people.add(bob, ann, add_type="ADD_TYPE_SINGLE")[0] == 30539
    assert imported_row(people, user_id=ann, friend_user_id=bob, both_ways=both_ways) == (0, "")
    assert people.outgoing(ann) == people.incoming(bob) == []
    left = [] if both_ways else [bob]
    assert (people.incoming(ann), people.outgoing(bob)) == (left, [ann] if left else [])


def test_a_new_row_has_what_was_given_and_the_other_side_what_is_shared(people):
    ann, bob = people(2)
    imported_row(
        people,
        user_id=ann,
        friend_user_id=bob,
        both_ways=True,
        add_time_ms=1111,
        remark="Bobby",
        remark_time_ms=2222,
        groups={"values": ["b", "a"]},
        source="Card",
        wording="hello",
    )
    mine, theirs = people.friend(ann, bob), people.friend(bob, ann)
    assert (mine.remark, mine.remark_time_ms, list(mine.groups)) == ("Bobby", 2222, ["b", "a"])
    assert (theirs.remark, theirs.remark_time_ms, list(theirs.groups)) == ("", 0, [])
    for row in (mine, theirs):
        assert row.add_time_ms == 1111
        assert (row.source, row.wording) == ("AddSource_Type_Card", "hello")


def test_absent_fields_of_an_existing_row_stay(people):
    ann, bob = people(2)
    given = {
        "add_time_ms": 1111,
        "remark": "Bobby",
        "remark_time_ms": 2222,
        "groups": {"values": ["a"]},
        "source": "Card",
        "wording": "hello",
    }
    pair = {"user_id": ann, "friend_user_id": bob}
    imported_row(people, **pair, **given)
    before = people.friend(ann, bob)
    imported_row(people, **pair)
    assert people.friend(ann, bob) == before
    changes = [
        ({"remark": ""}, {"remark": ""}),
        ({"groups": {"values": []}}, {"groups": []}),
        ({"groups": {"values": ["x", "y"]}}, {"groups": ["x", "y"]}),
        ({"source": ""}, {"source": ""}),
        ({"wording": "bye"}, {"wording": "bye"}),
        ({"add_time_ms": 5}, {"add_time_ms": 5}),
        ({"remark_time_ms": 6}, {"remark_time_ms": 6}),
    ]
    for change, expected in changes:
        before = people.friend(ann, bob)
        assert imported_row(people, **pair, **change) == (0, "")
        after = people.friend(ann, bob)
        assert after.sequence > before.sequence
        for field in after.DESCRIPTOR.fields:
            if field.name in expected:
                value = getattr(after, field.name)
                assert (list(value) if field.name == "groups" else value) == expected[field.name]
            elif field.name not in ("sequence", "remark_time_ms"):
                assert getattr(after, field.name) == getattr(before, field.name)


def test_a_changed_time_moves_the_row_in_the_order_of_time(people):
    ann, bob, eve = people(3)
    for user, time in [(bob, 10), (eve, 20), (bob, 30)]:
        imported_row(people, user_id=ann, friend_user_id=user, add_time_ms=time)
    rows = people.friends(ann, order="FRIEND_ORDER_ADD_TIME")
    assert [(row.user_id, row.add_time_ms) for row in rows] == [(eve, 20), (bob, 30)]


@pytest.mark.parametrize(
    "row, field",
    [
        ({"user_id": ""}, "UserId"),
        ({"user_id": "x\t"}, "UserId"),
        ({"friend_user_id": ""}, "FriendId"),
        ({"friend_user_id": "x" * 65}, "FriendId"),
        ({"add_time_ms": -1}, "Time"),
        ({"remark_time_ms": -1}, "Time"),
        ({"remark": "x" * 97}, "Remark"),
        ({"groups": {"values": [""]}}, "Group"),
        ({"groups": {"values": ["x" * 31]}}, "Group"),
        ({"groups": {"values": ["a", "b", "a"]}}, "Group"),
        ({"source": "with_bar"}, "Source"),
        ({"source": "NineChars"}, "Source"),
        ({"source": "AddSource_Type_"}, "Source"),
        ({"wording": "x" * 121}, "Wording"),
    ],
)
def test_a_malformed_row_names_its_field_and_changes_nothing(people, row, field):
    ann, bob = people(2)
    whole = {"user_id": ann, "friend_user_id": bob, "both_ways": True, **row}
    assert imported_row(people, **whole) == (30001, f"Err_SNS_FriendImport_{field}_Illegal")
    assert people.are_friends(ann, bob) == (False, False)


@pytest.mark.parametrize(
    "row, field, length",
    [
        ({"remark": "é" * 48}, "remark", 96),
        ({"wording": "é" * 60}, "wording", 120),
        ({"source": "EightChr"}, "source", 23),
    ],
)
def test_a_text_at_its_limit_is_taken_whole(people, row, field, length):
    ann, bob = people(2)
    assert imported_row(people, user_id=ann, friend_user_id=bob, **row) == (0, "")
    assert len(getattr(people.friend(ann, bob), field).encode()) == length


@pytest.mark.parametrize("both_ways", [False, True])
def test_no_user_is_its_own_friend(people, both_ways):
    (ann,) = people(1)
    answer = imported_row(people, user_id=ann, friend_user_id=ann, both_ways=both_ways)
    assert answer == (30001, "Err_SNS_FriendImport_Self")


@pytest.mark.parametrize("unknown", ["user_id", "friend_user_id"])
def test_an_unknown_user_of_a_row_is_30003(people, unknown):
    ann, bob = people(2)
    row = {"user_id": ann, "friend_user_id": bob, unknown: people.unknown_user()}
    assert imported_row(people, **row) == (30003, "Err_SNS_FriendImport_Account_Not_Exist")


def test_refused_rows_are_told_by_number_and_the_others_go_on(people):
    users = people(10)
    ann, others = users[0], users[1:]
    requests = []
    for number, user in enumerate(others, 1):
        friend = people.unknown_user() if number % 3 == 0 else user
        requests.append({"row": {"user_id": ann, "friend_user_id": friend}})
    rows, progress = people.imported("ImportFriends", requests)
    assert told(rows) == [
        (number, ann, 30003, "Err_SNS_FriendImport_Account_Not_Exist") for number in (3, 6, 9)
    ]
    assert (progress.received, progress.accepted, progress.refused) == (9, 6, 3)
    kept = [user for number, user in enumerate(others, 1) if number % 3]
    assert people.friend_ids(ann) == kept


@pytest.mark.parametrize("notify", [False, True])
def test_the_sequence_rises_for_every_owner_that_gained(people, notify):
    ann, bob, eve = people(3)
    before = [people.sequences(user)[0] for user in (ann, bob, eve)]
    rows = [
        {"user_id": ann, "friend_user_id": user, "both_ways": user == bob} for user in (bob, eve)
    ]
    people.import_friends(rows, notify=notify)
    after = [people.sequences(user)[0] for user in (ann, bob, eve)]
    assert [new > old for old, new in zip(before, after)] == [True, True, False]
