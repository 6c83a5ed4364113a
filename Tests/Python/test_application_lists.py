"""FriendApplicationService: deleting, reporting, withdrawing, and the list of all applications."""

import concurrent.futures

import pytest
from people import codes, outcomes
from refusals import assert_invalid, refusal

AGREE, AGREE_AND_ADD, REJECT = range(3)
COME_IN, SEND_OUT, BOTH = 1, 2, 3
ASCENDING, DESCENDING = 1, 2
UNHANDLED, ACCEPTED, REFUSED, EXPIRED, WITHDRAWN = range(5)
NONE_WAITS = (30614, "Err_SNS_FriendResponse_Pendency_Not_Exist")


def delete(people, user, pendency_type, *others):
    return people.relation(
        "DeletePendencies", user_id=user, pendency_type=pendency_type, user_ids=others
    )


def withdraw(people, user, *others):
    return people.relation("WithdrawApplications", user_id=user, user_ids=others)


def report(people, user, timestamp, **options):
    return people.relation(
        "ReportPendencies", user_id=user, timestamp_ms=timestamp, options=options
    )


def unread(people, user):
    return people.relation("ListPendencies", user_id=user).unread_count


# DeletePendencies


def test_deleting_answers_each_id_and_takes_only_the_callers_record(people):
    ann, bob, eve, joe = people(4)
    unknown = people.unknown_user()
    people.apply(bob, ann)
    people.apply(eve, ann)
    people.apply(ann, joe)
    before = people.sequences(bob), people.sequences(eve), people.sequences(joe)
    asked = [bob, joe, unknown, "", bob, ann]
    answer = delete(people, ann, COME_IN, *asked)
    assert [result.user_id for result in answer.results] == asked
    none = (30614, "Err_SNS_PendencyDelete_Pendency_Not_Exist")
    assert outcomes(answer) == [
        (0, ""),
        none,
        (30003, "Err_SNS_PendencyDelete_Account_Not_Exist"),
        (30001, "Err_SNS_PendencyDelete_UserId_Illegal"),
        (0, ""),
        none,
    ]
    assert people.incoming(ann) == [eve]
    assert people.outgoing(ann) == [joe]
    assert people.outgoing(bob) == [ann]
    assert (people.sequences(bob), people.sequences(eve), people.sequences(joe)) == before
    assert unread(people, ann) == 1


@pytest.mark.parametrize("pendency_type", [0, BOTH])
def test_deleting_names_one_side(people, pendency_type):
    ann, bob = people(2)
    people.apply(bob, ann)
    refused = refusal(delete, people, ann, pendency_type, bob)
    assert_invalid(refused, "pendency_type")
    assert people.incoming(ann) == [bob]


def test_what_its_sender_deleted_is_answered_all_the_same(people):
    ann, bob = people(2)
    people.apply(ann, bob, remark="mine")
    assert codes(delete(people, ann, SEND_OUT, bob)) == [0]
    assert people.outgoing(ann) == people.applications(ann) == []
    assert people.respond(bob, ann, AGREE_AND_ADD) == (0, "")
    assert people.are_friends(ann, bob) == (True, True)
    assert people.friend(ann, bob).remark == "mine"
    assert [item.status for item in people.applications(bob)] == [ACCEPTED]


def test_what_the_asked_user_deleted_is_renewed_by_adding_again(people):
    ann, bob = people(2)
    people.apply(ann, bob)
    application = people.pendencies(ann)[0].application_id
    assert codes(delete(people, bob, COME_IN, ann)) == [0]
    assert people.respond(bob, ann, AGREE) == NONE_WAITS
    assert people.outgoing(ann) == [bob]
    people.apply(ann, bob, wording="please")
    (item,) = people.pendencies(bob)
    assert (item.application_id, item.wording) == (application, "please")
    assert people.respond(bob, ann, AGREE) == (0, "")


# ReportPendencies


def test_a_report_is_inclusive_and_moves_only_forward(people):
    ann, *others = people(5)
    for user in others:
        people.apply(user, ann)
    newest, second, third, oldest = [item.add_time_ms for item in people.pendencies(ann)]
    sequence = people.sequences(ann)[1]
    assert report(people, ann, oldest - 1).unread_count == 4
    assert people.sequences(ann)[1] == sequence
    assert report(people, ann, second).unread_count == 1
    assert people.sequences(ann)[1] == sequence + 1
    assert report(people, ann, third).unread_count == 1
    assert people.sequences(ann)[1] == sequence + 1
    assert unread(people, ann) == 1
    assert report(people, ann, newest).unread_count == 0
    assert len(people.incoming(ann)) == 4


def test_a_report_from_the_future_counts_as_now(people):
    ann, bob, eve = people(3)
    people.apply(bob, ann)
    assert report(people, ann, 2**63 - 1).unread_count == 0
    people.apply(eve, ann)
    assert unread(people, ann) == 1
    people.apply(bob, ann)
    assert unread(people, ann) == 2


def test_a_report_says_up_to_when(people):
    (ann,) = people(1)
    for timestamp in (0, -1, -(2**63)):
        assert_invalid(refusal(report, people, ann, timestamp), "timestamp_ms")


def test_a_report_is_dry_and_repeated_like_any_write(people):
    ann, bob = people(2)
    people.apply(bob, ann)
    dry = report(people, ann, 2**60, dry_run=True)
    assert (dry.applied, dry.unread_count, unread(people, ann)) == (False, 0, 1)
    first = report(people, ann, 2**60, request_id="r")
    assert (first.applied, first.replayed, first.unread_count) == (True, False, 0)
    people.apply(bob, ann)
    again = report(people, ann, 2**60, request_id="r")
    assert (again.replayed, again.unread_count, again.sequence) == (True, 0, first.sequence)
    assert unread(people, ann) == 1


# WithdrawApplications


def test_withdrawing_answers_each_id_and_ends_both_sides(people):
    ann, bob, eve = people(3)
    unknown = people.unknown_user()
    people.apply(ann, bob)
    people.apply(eve, ann)
    asked = [bob, eve, unknown, " x", bob, ann]
    answer = withdraw(people, ann, *asked)
    assert [result.user_id for result in answer.results] == asked
    none = (30614, "Err_SNS_ApplicationWithdraw_Pendency_Not_Exist")
    assert outcomes(answer) == [
        (0, ""),
        none,
        (30003, "Err_SNS_ApplicationWithdraw_Account_Not_Exist"),
        (30001, "Err_SNS_ApplicationWithdraw_UserId_Illegal"),
        (0, ""),
        none,
    ]
    assert people.outgoing(ann) == people.incoming(bob) == []
    assert unread(people, bob) == 0
    assert people.incoming(ann) == [eve]
    assert people.respond(bob, ann, AGREE) == NONE_WAITS
    assert [item.status for item in people.applications(bob)] == [WITHDRAWN]
    assert outcomes(withdraw(people, ann, bob)) == [none]


# ListApplications


@pytest.mark.parametrize(
    "end, status",
    [
        (lambda people, ann, bob: people.respond(bob, ann, AGREE), ACCEPTED),
        (lambda people, ann, bob: people.respond(bob, ann, AGREE_AND_ADD), ACCEPTED),
        (lambda people, ann, bob: people.respond(bob, ann, REJECT), REFUSED),
        (lambda people, ann, bob: people.add(bob, ann), ACCEPTED),
        (lambda people, ann, bob: withdraw(people, ann, bob), WITHDRAWN),
        (lambda people, ann, bob: people.block(ann, bob), WITHDRAWN),
        (lambda people, ann, bob: people.block(bob, ann), REFUSED),
        (lambda people, ann, bob: people.add(ann, bob, force=True), ACCEPTED),
    ],
    ids=["agree", "add", "reject", "cross", "withdraw", "block", "blocked", "force"],
)
def test_whatever_ends_an_application_moves_it_into_both_histories(people, end, status):
    ann, bob = people(2)
    people.set_profile(ann, nick="Ann", face_url="https://faces/ann")
    people.apply(ann, bob, wording="please", source="Card", remark="secret")
    (waiting,) = people.applications(bob)
    assert (waiting.status, waiting.operation_time_ms) == (UNHANDLED, waiting.add_time_ms)
    end(people, ann, bob)
    (sent,), (received,) = people.applications(ann), people.applications(bob)
    assert people.pendencies(ann) == people.pendencies(bob) == []
    assert sent.status == received.status == status
    assert (sent.user_id, sent.pendency_type) == (bob, SEND_OUT)
    assert (received.user_id, received.pendency_type) == (ann, COME_IN)
    assert (received.nick, received.face_url) == ("Ann", "https://faces/ann")
    for item in (sent, received):
        assert item.application_id == waiting.application_id
        assert (item.wording, item.source) == ("please", "AddSource_Type_Card")
        assert item.operation_time_ms > item.add_time_ms == waiting.add_time_ms


@pytest.fixture(scope="module")
def busy(people):
    """A user with applications of each side and of all statuses that a call can make."""
    users = people(18)
    ann, others = users[0], users[1:]
    people.need_confirm(ann)
    for number, user in enumerate(others):
        sends = number % 2 == 0
        applicant, asked = (ann, user) if sends else (user, ann)
        people.apply(applicant, asked)
        if number % 4 == 1:
            assert people.respond(asked, applicant, AGREE) == (0, "")
        elif number % 4 == 2:
            assert people.respond(asked, applicant, REJECT) == (0, "")
        elif number % 8 == 4:
            assert codes(withdraw(people, applicant, asked)) == [0]
    return ann


@pytest.mark.parametrize("direction", [0, ASCENDING, DESCENDING])
@pytest.mark.parametrize("statuses", [[], [0], [1], [2, 2], [3], [4, 0], [0, 1, 2, 3, 4]])
@pytest.mark.parametrize("pendency_type", [0, COME_IN, SEND_OUT, BOTH])
def test_a_list_has_the_sides_and_statuses_that_are_asked_for(
    people, busy, pendency_type, statuses, direction
):
    def wanted(item):
        return (not statuses or item.status in statuses) and (
            pendency_type in (0, BOTH) or item.pendency_type == pendency_type
        )

    everything = people.applications(busy)
    assert len(everything) == 17
    expected = [item for item in everything if wanted(item)]
    if direction == ASCENDING:
        expected.reverse()
    filters = {"pendency_type": pendency_type, "statuses": statuses, "direction": direction}
    for size in (1, 3, 17, 1000, 0):
        pages = list(people.pages("ListApplications", size, user_id=busy, **filters))
        assert [item for page in pages for item in page.applications] == expected
        assert all(len(page.applications) == size for page in pages[:-1])
        for page in pages:
            assert page.total_size == len(expected)
            assert page.unread_count == unread(people, busy)
            assert page.sequence == people.sequences(busy)[1]


def test_the_latest_change_stands_first(people, busy):
    times = [item.operation_time_ms for item in people.applications(busy)]
    assert times == sorted(times, reverse=True)


@pytest.mark.parametrize(
    "change",
    [
        {"pendency_type": COME_IN},
        {"statuses": [0]},
        {"statuses": [0, 1]},
        {"direction": ASCENDING},
        {"pendency_type": 0, "statuses": [4]},
    ],
)
def test_a_cursor_carries_its_filter_and_says_so_in_the_error(people, busy, change):
    query = {"user_id": busy, "pendency_type": SEND_OUT, "statuses": [2, 0, 4], "page_size": 2}
    token = people.relation("ListApplications", **query).next_page_token
    assert token
    refused = refusal(
        people.relation, "ListApplications", **{**query, "page_token": token, **change}
    )
    assert_invalid(refused, "page_token", reason="INVALID_PAGE_TOKEN")


def test_a_cursor_serves_its_filter_in_any_order_and_any_size(people, busy):
    query = {"user_id": busy, "statuses": [2, 0, 4], "page_size": 2}
    token = people.relation("ListApplications", **query).next_page_token
    pages = [
        people.relation(
            "ListApplications", user_id=busy, statuses=statuses, page_size=5, page_token=token
        )
        for statuses in ([2, 0, 4], [4, 0, 2], [0, 0, 2, 4, 2])
    ]
    assert pages[0] == pages[1] == pages[2] and len(pages[0].applications) == 5


def test_a_cursor_of_another_user_or_list_is_refused(people, busy):
    (ann,) = people(1)
    token = people.relation("ListApplications", user_id=busy, page_size=1).next_page_token
    for name, user in (("ListApplications", ann), ("ListFriends", busy), ("ListBlacklist", busy)):
        refused = refusal(people.relation, name, user_id=user, page_token=token)
        assert_invalid(refused, "page_token", reason="INVALID_PAGE_TOKEN")


def test_bad_fields_of_a_list_are_all_named(people, busy):
    refused = refusal(
        people.relation, "ListApplications", user_id=busy, pendency_type=4, statuses=[0, 5, -1],
        page_size=-1, page_token="x", direction=3,
    )  # fmt: skip
    assert_invalid(
        refused, "pendency_type", "direction", "statuses[1]", "statuses[2]", "page_size",
        "page_token",
    )  # fmt: skip
    refused = refusal(people.relation, "ListApplications", user_id=busy, statuses=[0] * 6)
    assert_invalid(refused, "statuses", reason="TOO_MANY_ITEMS")
    assert refused.metadata == {"limit": "5", "actual": "6"}


def test_an_application_that_stays_is_listed_once_while_others_move(people):
    ann, *others = people(13)
    for user in others:
        people.apply(user, ann)
    seen, token = [], ""
    for moved in others[:3] + [None] * 50:
        page = people.relation(
            "ListApplications", user_id=ann, page_size=2, page_token=token, direction=ASCENDING
        )
        seen += [item.user_id for item in page.applications]
        token = page.next_page_token
        if not token:
            break
        if moved:
            people.respond(ann, moved, REJECT)
    # Applications that ended moved to the end, where this order reaches them again.
    assert sorted(set(seen)) == others
    assert all(seen.count(user) == 1 for user in others[3:])


def test_the_history_keeps_the_last_two_hundred(people):
    users = people(101)
    ann, others = users[0], users[1:]
    people.need_confirm(ann)
    ids = []
    for _ in range(3):
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(lambda user: people.add(user, ann)[0], others))
        assert answers == [30539] * 100
        ids.append({item.application_id for item in people.pendencies(ann)})
        items = [{"user_id": user, "response_type": REJECT} for user in others]
        assert codes(
            people.relation("RespondToApplications", user_id=ann, items=items)
        ) == [0] * 100
    kept = people.applications(ann)
    assert {item.application_id for item in kept} == ids[1] | ids[2]
    assert len(kept) == 200


# Named after what peers got wrong


def test_applying_again_after_an_answer_shows_a_new_application_and_a_new_event(people):
    ann, bob = people(2)
    ids, sequences = set(), []
    for _ in range(3):
        people.apply(ann, bob)
        ids.add(people.pendencies(bob)[0].application_id)
        sequences.append(people.sequences(bob)[1])
        assert people.respond(bob, ann, REJECT) == (0, "")
    assert len(ids) == 3 and sequences == sorted(set(sequences))
    statuses = [item.status for item in people.applications(bob)]
    assert statuses == [REFUSED] * 3


@pytest.mark.parametrize("first", [AGREE, AGREE_AND_ADD, REJECT])
def test_every_second_answer_to_an_application_has_one_reason(people, first):
    ann, bob = people(2)
    people.apply(ann, bob)
    assert people.respond(bob, ann, first) == (0, "")
    again = {people.respond(bob, ann, second) for second in (AGREE, AGREE_AND_ADD, REJECT)}
    assert again == {NONE_WAITS}


@pytest.mark.parametrize("has_mine", [False, True])
@pytest.mark.parametrize("has_theirs", [False, True])
@pytest.mark.parametrize("response_type", [AGREE, AGREE_AND_ADD, REJECT])
def test_an_answer_works_from_any_legal_state(people, has_mine, has_theirs, response_type):
    ann, bob = people(2)
    if has_theirs:
        people.import_friends([{"user_id": bob, "friend_user_id": ann}])
    if has_mine and has_theirs:
        # Friends do not apply; the application comes first, and its end with the friendship.
        people.import_friends([{"user_id": ann, "friend_user_id": bob}])
        people.need_confirm(bob)
        assert people.add(ann, bob)[0] == 30001
        assert people.respond(bob, ann, response_type) == NONE_WAITS
        return
    if has_mine:
        people.import_friends([{"user_id": ann, "friend_user_id": bob}])
    people.apply(ann, bob)
    assert people.respond(bob, ann, response_type) == (0, "")
    agreed = response_type != REJECT
    assert people.are_friends(ann, bob) == (
        has_mine or agreed, has_theirs or response_type == AGREE_AND_ADD,
    )  # fmt: skip


def test_a_hundred_applications_at_once_are_one(people):
    ann, bob = people(2)
    people.need_confirm(bob)
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(lambda _: people.add(ann, bob)[0], range(100)))
    assert answers == [30539] * 100
    (sent,), (received,) = people.pendencies(ann), people.pendencies(bob)
    assert sent.application_id == received.application_id
    assert len(people.applications(ann)) == unread(people, bob) == 1


def test_what_was_sent_is_always_listed(people):
    ann, bob = people(2)
    people.apply(ann, bob)
    assert people.outgoing(ann) == [item.user_id for item in people.applications(ann)] == [bob]


def test_two_who_add_each_other_at_once_become_friends_once_and_leave_no_application(people):
    pairs = [people(2) for _ in range(10)]
    for pair in pairs:
        for user in pair:
            people.need_confirm(user)
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        adds = [(one, other) for ann, bob in pairs for one, other in ((ann, bob), (bob, ann))]
        answers = list(pool.map(lambda add: people.add(*add)[0], adds))
    for number, (ann, bob) in enumerate(pairs):
        assert sorted(answers[2 * number : 2 * number + 2]) == [0, 30539]
        assert people.are_friends(ann, bob) == (True, True)
        assert people.pendencies(ann) == people.pendencies(bob) == []
        assert [item.status for item in people.applications(ann)] == [ACCEPTED]


def test_unread_and_totals_equal_a_recount_after_many_calls(people):
    ann, *others = people(9)
    people.need_confirm(ann)
    for number, user in enumerate(others * 3):
        people.apply(user, ann)
        if number % 3 == 0:
            people.respond(ann, others[number // 3], REJECT)
        elif number % 5 == 0:
            delete(people, ann, COME_IN, others[number // 5])
        elif number % 7 == 0:
            withdraw(people, others[number // 7], ann)
        elif number == 11:
            mark = people.pendencies(ann)[2].add_time_ms
            report(people, ann, mark)
    waiting = people.pendencies(ann)
    assert unread(people, ann) == sum(item.add_time_ms > mark for item in waiting)
    page = people.relation("ListApplications", user_id=ann, statuses=[0])
    assert page.total_size == len(page.applications) == len(waiting)
    assert {item.application_id for item in page.applications} == {
        item.application_id for item in waiting
    }
