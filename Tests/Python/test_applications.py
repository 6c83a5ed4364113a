"""FriendApplicationService: answering applications, and listing those that wait."""

import pytest
from people import codes, outcomes

AGREE, AGREE_AND_ADD, REJECT = range(3)
COME_IN, SEND_OUT = 1, 2


# RespondToApplications


@pytest.mark.parametrize(
    "response_type, applicant_gains, responder_gains",
    [(AGREE, True, False), (AGREE_AND_ADD, True, True), (REJECT, False, False)],
)
def test_an_answer_makes_its_rows_and_ends_the_application(
    people, response_type, applicant_gains, responder_gains
):
    ann, bob = people(2)
    people.apply(ann, bob, remark="mine", group="work", wording="please", source="Card")
    answer = people.respond(bob, ann, response_type, remark="yours", group="club")
    assert answer == (0, "")
    assert people.are_friends(ann, bob) == (applicant_gains, responder_gains)
    assert people.pendencies(ann) == people.pendencies(bob) == []
    if applicant_gains:
        row = people.friend(ann, bob)
        assert (row.remark, list(row.groups)) == ("mine", ["work"])
        assert (row.wording, row.source) == ("please", "AddSource_Type_Card")
    if responder_gains:
        row = people.friend(bob, ann)
        assert (row.remark, list(row.groups)) == ("yours", ["club"])
        assert (row.wording, row.source) == ("please", "AddSource_Type_Card")


def test_an_application_is_answered_once(people):
    ann, bob = people(2)
    people.apply(ann, bob)
    assert people.respond(bob, ann, AGREE) == (0, "")
    again = people.respond(bob, ann, REJECT)
    assert again == (30614, "Err_SNS_FriendResponse_Pendency_Not_Exist")


def test_no_user_answers_its_own_application(people):
    ann, bob = people(2)
    people.apply(ann, bob)
    assert people.respond(ann, bob, AGREE)[0] == 30614
    assert people.incoming(bob) == [ann]


@pytest.mark.parametrize(
    "response_type, gains", [(AGREE, False), (AGREE_AND_ADD, True), (REJECT, False)]
)
def test_an_applicant_that_has_the_responder_already_is_answered_all_the_same(
    people, response_type, gains
):
    ann, bob = people(2)
    people.import_friends([{"user_id": ann, "friend_user_id": bob, "remark": "kept"}])
    people.apply(ann, bob, remark="new")
    assert people.respond(bob, ann, response_type) == (0, "")
    assert people.are_friends(ann, bob) == (True, gains)
    assert people.friend(ann, bob).remark == "kept"
    assert people.pendencies(ann) == people.pendencies(bob) == []


@pytest.mark.parametrize("response_type, left", [(AGREE, True), (AGREE_AND_ADD, False)])
def test_crossing_applications_end_together_when_both_rows_are_written(
    people, response_type, left
):
    ann, bob = people(2)
    people.need_confirm(ann)
    people.apply(ann, bob)
    assert people.add(bob, ann, add_type="ADD_TYPE_SINGLE")[0] == 30539
    assert people.respond(bob, ann, response_type) == (0, "")
    expected = [bob] if left else []
    assert people.incoming(ann) == expected
    assert people.outgoing(ann) == []


def test_answering_answers_each_item(people):
    ann, bob, eve, joe = people(4)
    unknown = people.unknown_user()
    for user in (bob, eve):
        people.apply(user, ann)
    items = [
        {"user_id": bob, "response_type": AGREE},
        {"user_id": unknown, "response_type": AGREE},
        {"user_id": joe, "response_type": REJECT},
        {"user_id": "", "response_type": REJECT},
        {"user_id": bob, "response_type": AGREE},
        {"user_id": bob, "response_type": REJECT},
        {"user_id": eve, "response_type": REJECT},
        {"user_id": ann, "response_type": AGREE},
    ]
    answer = people.relation("RespondToApplications", user_id=ann, items=items)
    assert [result.user_id for result in answer.results] == [item["user_id"] for item in items]
    none_waits = (30614, "Err_SNS_FriendResponse_Pendency_Not_Exist")
    assert outcomes(answer) == [
        (0, ""),
        (30003, "Err_SNS_FriendResponse_Account_Not_Exist"),
        none_waits,
        (30001, "Err_SNS_FriendResponse_UserId_Illegal"),
        (0, ""),
        (30001, "Err_SNS_FriendResponse_Duplicate"),
        (0, ""),
        none_waits,
    ]
    assert people.incoming(ann) == []


def test_a_hundred_are_answered_by_one_call(people):
    users = people(101)
    ann, others = users[0], users[1:]
    people.need_confirm(ann)
    for user in others:
        people.add(user, ann)
    answer = people.relation(
        "RespondToApplications",
        user_id=ann,
        items=[{"user_id": user, "response_type": AGREE_AND_ADD} for user in others],
    )
    assert codes(answer) == [0] * 100
    assert people.friend_ids(ann) == others
    assert people.incoming(ann) == []


# ListPendencies


def test_a_pendency_shows_both_sides_of_one_application(people):
    ann, bob = people(2)
    people.set_profile(ann, nick="Ann", face_url="https://faces/ann")
    people.set_profile(bob, nick="Bob")
    people.apply(ann, bob, wording="please", source="Card", remark="secret", group="secret")
    (out,) = people.pendencies(ann)
    (come_in,) = people.pendencies(bob)
    assert (out.user_id, out.pendency_type) == (bob, SEND_OUT)
    assert (come_in.user_id, come_in.pendency_type) == (ann, COME_IN)
    assert (out.nick, out.face_url) == ("Bob", "")
    assert (come_in.nick, come_in.face_url) == ("Ann", "https://faces/ann")
    assert out.application_id == come_in.application_id != ""
    for item in (out, come_in):
        assert (item.wording, item.source) == ("please", "AddSource_Type_Card")
        assert item.add_time_ms > 1_600_000_000_000
        assert item.status == 0
    people.set_profile(ann, nick="Anna")
    assert people.pendencies(bob)[0].nick == "Anna"


def test_a_repeated_application_is_renewed(people):
    ann, bob, eve = people(3)
    people.apply(ann, bob, wording="first", source="Card")
    people.apply(eve, bob)
    before = people.pendencies(bob)
    assert [item.user_id for item in before] == [eve, ann]
    assert people.add(ann, bob, wording="second", source="Search")[0] == 30539
    newest, other = people.pendencies(bob)
    assert (newest.user_id, other.user_id) == (ann, eve)
    assert (newest.wording, newest.source) == ("second", "AddSource_Type_Search")
    assert newest.add_time_ms > other.add_time_ms
    assert newest.application_id == before[1].application_id
    assert [item.wording for item in people.pendencies(ann)] == ["second"]
    assert people.relation("ListPendencies", user_id=bob).unread_count == 2


def test_a_new_application_after_an_answer_has_a_new_id(people):
    ann, bob = people(2)
    people.apply(ann, bob)
    first = people.pendencies(bob)[0].application_id
    people.respond(bob, ann, REJECT)
    people.apply(ann, bob)
    assert people.pendencies(bob)[0].application_id != first


@pytest.fixture(scope="module")
def crowd(people):
    """A user to whom 12 applied and who applied to 7, in turns."""
    users = people(20)
    ann, others = users[0], users[1:]
    people.need_confirm(ann)
    come_in, send_out = [], []
    for number, user in enumerate(others):
        if number % 3 == 2 or number == 18:
            people.apply(ann, user)
            send_out.append(user)
        else:
            people.add(user, ann)
            come_in.append(user)
    assert (len(come_in), len(send_out)) == (12, 7)
    newest_first = others[::-1]
    return ann, newest_first, come_in, send_out


@pytest.mark.parametrize("rows", [1, 2, 5, 12, 19, 100, 0])
@pytest.mark.parametrize("pendency_type", [0, 1, 2, 3])
def test_pages_by_time_make_the_whole_list(people, crowd, pendency_type, rows):
    ann, newest_first, come_in, send_out = crowd
    wanted = {1: come_in, 2: send_out}.get(pendency_type, newest_first)
    expected = [user for user in newest_first if user in wanted]
    seen, times, timestamp, pages = [], [], 0, 0
    while pages == 0 or timestamp:
        page = people.relation(
            "ListPendencies",
            user_id=ann,
            pendency_type=pendency_type,
            num_per_page=rows,
            timestamp_ms=timestamp,
        )
        seen += [item.user_id for item in page.pendencies]
        times += [item.add_time_ms for item in page.pendencies]
        assert page.unread_count == 12
        timestamp, pages = page.timestamp_ms, pages + 1
    assert seen == expected
    assert times == sorted(set(times), reverse=True)
    assert pages == -(-len(expected) // (rows or 100))


def test_who_knows_the_present_list_gets_no_items(people, crowd):
    ann = crowd[0]
    page = people.relation("ListPendencies", user_id=ann)
    again = people.relation("ListPendencies", user_id=ann, seq=page.seq)
    assert list(again.pendencies) == []
    assert (again.seq, again.timestamp_ms, again.unread_count) == (page.seq, 0, 12)
    other = people.relation("ListPendencies", user_id=ann, seq=page.seq - 1)
    assert list(other.pendencies) == list(page.pendencies)


def test_the_version_rises_with_each_change_of_either_side(people):
    ann, bob = people(2)
    versions = [people.sequences(user)[1] for user in (ann, bob)]
    for change in (
        lambda: people.apply(ann, bob),
        lambda: people.apply(ann, bob),
        lambda: people.respond(bob, ann, REJECT),
    ):
        change()
        now = [people.sequences(user)[1] for user in (ann, bob)]
        assert now[0] > versions[0] and now[1] > versions[1]
        versions = now


def test_an_application_that_ends_is_not_unread_any_more(people):
    ann, bob, eve = people(3)
    people.apply(bob, ann)
    people.apply(eve, ann)
    counts = [people.relation("ListPendencies", user_id=ann).unread_count]
    people.respond(ann, bob, AGREE)
    counts.append(people.relation("ListPendencies", user_id=ann).unread_count)
    people.block(ann, eve)
    counts.append(people.relation("ListPendencies", user_id=ann).unread_count)
    assert counts == [2, 1, 0]


def test_applications_of_one_call_have_times_of_their_own(people):
    users = people(51)
    ann, others = users[0], users[1:]
    for user in others:
        people.need_confirm(user)
    answer = people.relation(
        "AddFriends", user_id=ann, items=[{"user_id": user} for user in others]
    )
    assert codes(answer) == [30539] * 50
    times = [item.add_time_ms for item in people.pendencies(ann)]
    assert len(set(times)) == 50
    assert people.outgoing(ann) == others[::-1]


def test_no_user_has_pendencies_at_first(people):
    (ann,) = people(1)
    page = people.relation("ListPendencies", user_id=ann)
    assert page == type(page)()
