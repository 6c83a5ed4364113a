"""The accounts of an app: listed, looked up, deleted; and imports that are taken up again."""


import grpc
import pytest
from people import codes
from refusals import assert_invalid, refusal

# The calls that take rows of users, one after another.
IMPORTS = [
    "ImportAccounts", "ImportFriends", "ImportBlacklists", "ImportFollows", "ImportProfiles"]


def deleted(people, *users):
    """Deletes accounts and waits until every row of them is gone."""
    answer = people.relation("DeleteAccounts", user_ids=users)
    assert codes(answer) == [0] * len(users)
    for result in answer.results:
        people.await_deletion(result.deletion_id)
    return answer


def all_accounts(people, size):
    return [
        account.user_id
        for page in people.pages("ListAccounts", size)
        for account in page.accounts
    ]


# ListAccounts and CheckAccounts


def test_pages_of_any_size_hold_every_account_once_in_order(people):
    made = people(30)
    whole = all_accounts(people, 1000)
    assert whole == sorted(whole)
    assert set(made) <= set(whole)
    assert all_accounts(people, 7) == whole
    assert people.relation("ListAccounts", page_size=1).total_size == len(whole)


def test_a_token_of_another_list_is_refused(people):
    ann, *others = people(3)
    people.block(ann, *others)
    token = people.relation("ListBlacklist", user_id=ann, page_size=1).next_page_token
    refused = refusal(people.relation, "ListAccounts", page_token=token)
    assert_invalid(refused, "page_token", reason="INVALID_PAGE_TOKEN")


def test_a_check_tells_accounts_from_unknown_users_and_from_malformed_ids(people):
    (ann,) = people(1)
    unknown = people.unknown_user()
    answer = people.relation("CheckAccounts", user_ids=[ann, unknown, "", ann])
    assert [(item.user_id, item.code, item.info, item.status) for item in answer.results] == [
        (ann, 0, "", 1),
        (unknown, 0, "", 2),
        ("", 30001, "Err_Account_Check_UserId_Illegal", 0),
        (ann, 0, "", 1),
    ]
    assert answer.results[0].create_time_ms > 0


@pytest.mark.parametrize("name", ["CheckAccounts", "DeleteAccounts"])
def test_a_list_of_accounts_has_one_to_a_hundred(people, name):
    assert_invalid(refusal(people.relation, name, user_ids=[]), "user_ids")
    refused = refusal(people.relation, name, user_ids=["x"] * 101)
    assert_invalid(refused, "user_ids", reason="TOO_MANY_ITEMS")


# DeleteAccounts and GetDeletion


def test_a_deleted_account_is_none_for_any_call_from_the_start(people):
    ann, bob = people(2)
    people.befriend(ann, bob)
    people.relation("DeleteAccounts", user_ids=[ann])
    assert refusal(people.relation, "GetSelfProfile", user_id=ann).reason == "USER_NOT_FOUND"
    assert people.relation("CheckAccounts", user_ids=[ann]).results[0].status == 2
    assert ann not in all_accounts(people, 1000)
    assert people.add(bob, ann)[0] == 30003


def test_no_list_has_a_deleted_account_afterwards(people):
    ann, bob, carl, dora, eve = people(5)
    people.befriend(ann, bob)
    people.import_friends([{"user_id": carl, "friend_user_id": ann}])
    people.block(dora, ann)
    people.apply(bob, carl)
    people.apply(ann, eve)
    people.apply(dora, eve)
    deleted(people, ann)
    assert people.friend_ids(bob) == people.friend_ids(carl) == []
    assert people.blacklist(dora) == []
    assert people.incoming(eve) == [dora]
    assert people.incoming(carl) == [bob]


def test_a_deletion_says_who_went_when_and_how_many_rows(people):
    ann, bob = people(2)
    people.befriend(ann, bob)
    deletion = people.relation("DeleteAccounts", user_ids=[ann]).results[0].deletion_id
    answer = people.await_deletion(deletion)
    assert answer.user_id == ann
    assert answer.removed_rows > 4
    assert 0 < answer.start_time_ms <= answer.end_time_ms


def test_each_user_of_a_deletion_has_its_own_outcome(people):
    (ann,) = people(1)
    unknown = people.unknown_user()
    answer = people.relation("DeleteAccounts", user_ids=[ann, unknown, " ", ann])
    assert [(item.code, bool(item.deletion_id)) for item in answer.results] == [
        (0, True), (30003, False), (30001, False), (0, True),
    ]  # fmt: skip
    assert answer.results[0].deletion_id == answer.results[3].deletion_id
    assert (answer.applied, answer.sequence) == (True, 0)


def test_all_or_nothing_deletes_none_if_one_is_unknown(people):
    (ann,) = people(1)
    answer = people.relation(
        "DeleteAccounts", user_ids=[ann, people.unknown_user()], options={"all_or_nothing": True}
    )
    assert codes(answer) == [0, 30003]
    assert not answer.applied
    assert [item.deletion_id for item in answer.results] == ["", ""]
    assert people.profile(ann).user_id == ann


def test_a_deletion_that_never_was_is_not_found(people):
    refused = refusal(people.relation, "GetDeletion", deletion_id="f" * 16)
    assert (refused.code, refused.reason) == (grpc.StatusCode.NOT_FOUND, "DELETION_NOT_FOUND")
    for text in ("", "1", "F" * 16, "x" * 16, "0" * 17):
        assert_invalid(refusal(people.relation, "GetDeletion", deletion_id=text), "deletion_id")


def test_a_user_under_deletion_is_no_account_and_its_id_is_taken(people):
    for _ in range(5):
        users = people(1500)
        ann, bob = users[:2]
        people.befriend(ann, *users[2:])
        first = people.relation("DeleteAccounts", user_ids=[ann]).results[0]
        again = people.relation("DeleteAccounts", user_ids=[ann]).results[0]
        added = people.add(bob, ann)
        told = people.imported("ImportAccounts", [{"row": {"user_id": ann}}])[0]
        status = people.relation("CheckAccounts", user_ids=[ann]).results[0].status
        read = people.relation("GetProfiles", user_id=bob, user_ids=[ann]).results[0].code
        refused = [
            refusal(people.relation, "GetSelfProfile", user_id=ann),
            refusal(
                people.relation, "UpdateProfile", user_id=ann, profile={"nick": "x"},
                update_mask={"paths": ["nick"]}),
        ]  # fmt: skip
        state = people.relation("GetDeletion", deletion_id=first.deletion_id).state
        if state == people.stubs.DeletionState.Value("DELETION_STATE_RUNNING"):
            break
    else:
        pytest.skip("the deletion was always faster")
    assert (again.code, again.info, again.deletion_id) == (0, "running", first.deletion_id)
    assert added == (30003, "Err_SNS_FriendAdd_Account_Not_Exist")
    assert [(row.code, row.info) for row in told] == [
        (30001, "Err_Account_Import_Deletion_Running")
    ]
    assert (status, read) == (2, 40003)
    assert [error.reason for error in refused] == ["USER_NOT_FOUND"] * 2
    people.await_deletion(first.deletion_id)
    people.make([ann])
    assert people.add(bob, ann) == (0, "")


def test_a_user_made_again_goes_on_with_its_old_sequence_and_without_its_old_friends(people):
    ann, bob = people(2)
    people.befriend(ann, bob)
    before = people.relation("ListFriends", user_id=ann).sequence
    deleted(people, ann)
    people.make([ann])
    assert people.friend_ids(ann) == []
    assert people.relation("ListFriends", user_id=ann).sequence > before


def test_a_deletion_goes_on_after_the_server_was_killed(people, start, stubs):
    # A server of its own, which is killed while it deletes an account that many have.
    running = start("killed")
    with grpc.insecure_channel(running.address) as channel:
        own = type(people)(type(people.relation)(stubs, channel))
        ann, *others = own(601)
        own.befriend(ann, *others)
        deletion = own.relation("DeleteAccounts", user_ids=[ann]).results[0].deletion_id
    running.kill()
    running = start("killed")
    with grpc.insecure_channel(running.address) as channel:
        own = type(people)(type(people.relation)(stubs, channel))
        own.await_deletion(deletion)
        for user in others[::50]:
            assert own.friend_ids(user) == []


# Imports that are taken up again


def accounts(users):
    return [{"row": {"user_id": user}} for user in users]


def test_an_import_under_a_known_id_goes_on_where_it_stood(people):
    users = [people.unknown_user() for _ in range(6)]
    first = accounts(users[:4])
    first[0]["import_id"] = "goes on"
    people.imported("ImportAccounts", first)
    again = accounts(users[2:])
    again[0] |= {"import_id": "goes on", "first_row": 3}
    answers = list(people.relation.stream("ImportAccounts", again))
    assert answers[0].progress.last_durable_row == 4
    # Rows 3 and 4 would say that their accounts existed if they were written again.
    assert [answer.WhichOneof("answer") for answer in answers] == ["progress"] * len(answers)
    last = answers[-1].progress
    assert (last.received, last.accepted, last.refused, last.last_durable_row) == (6, 6, 0, 6)


def test_rows_sent_again_from_the_first_are_written_once(people):
    ann, *others = people(4)
    rows = [{"row": {"user_id": ann, "friend_user_id": other}} for other in others]
    rows[0] |= {"import_id": "twice", "notify": True}
    people.imported("ImportFriends", rows)
    sequence = people.relation("ListFriends", user_id=ann).sequence
    told, progress = people.imported("ImportFriends", rows)
    assert (told, progress.accepted, progress.last_durable_row) == ([], 3, 3)
    assert people.relation("ListFriends", user_id=ann).sequence == sequence


def test_an_import_that_broke_is_complete_after_it_is_taken_up_at_its_last_durable_row(people):
    users = [people.unknown_user() for _ in range(3000)]
    first = accounts(users)
    first[0]["import_id"] = "broke"
    answers = people.relation.stream("ImportAccounts", first)
    # How many rows are durable at each report depends on the disk.
    assert any(answer.progress.last_durable_row >= 1000 for answer in answers)
    answers.cancel()
    # Rows that were under way when the stream broke may have become durable meanwhile.
    probe = [{"import_id": "broke"}]
    stood = next(people.relation.stream("ImportAccounts", probe)).progress.last_durable_row
    rest = accounts(users[stood:]) or [{}]
    rest[0] |= {"import_id": "broke", "first_row": stood + 1}
    told, progress = people.imported("ImportAccounts", rest)
    assert told == []
    assert (progress.accepted, progress.last_durable_row) == (3000, 3000)
    for start in range(0, 3000, 100):
        answer = people.relation("CheckAccounts", user_ids=users[start : start + 100])
        assert {item.status for item in answer.results} == {1}


def test_an_import_that_leaves_out_rows_is_refused(people):
    first = accounts([people.unknown_user(), people.unknown_user()])
    first[0]["import_id"] = "gap"
    people.imported("ImportAccounts", first)
    later = accounts([people.unknown_user()])
    later[0] |= {"import_id": "gap", "first_row": 4}
    assert_invalid(refusal(people.relation.stream, "ImportAccounts", later), "first_row")
    for fields in ({"first_row": 2}, {"first_row": -1, "import_id": "x"}):
        row = accounts([people.unknown_user()])[0] | fields
        assert_invalid(refusal(people.relation.stream, "ImportAccounts", [row]), "first_row")


@pytest.mark.parametrize("name", IMPORTS)
@pytest.mark.parametrize("first", [10**12 + 1, 2**63 - 1])
def test_a_first_row_beyond_all_numbers_is_refused_and_harms_no_call(people, name, first):
    row = {"row": {"user_id": people.unknown_user()}, "import_id": "far", "first_row": first}
    assert_invalid(refusal(people.relation.stream, name, [row]), "first_row")
    people(1)


@pytest.mark.parametrize("name", IMPORTS)
def test_what_names_an_import_comes_first_and_is_bounded(people, name):
    row = {"row": {"user_id": people.unknown_user()}}
    refused = refusal(people.relation.stream, name, [{"import_id": "x" * 65, **row}])
    assert_invalid(refused, "import_id")
    refused = refusal(
        people.relation.stream, name, [row, {"import_id": "x", "first_row": 2, **row}]
    )
    assert_invalid(refused, "import_id", "first_row")


def test_two_streams_of_one_import_write_each_row_once(people):
    ann, *others = people(201)
    rows = [{"row": {"user_id": ann, "friend_user_id": other}} for other in others]
    rows[0] |= {"import_id": "at once", "notify": True}
    streams = [people.relation.stream("ImportFriends", rows) for _ in range(2)]
    ends = [list(stream)[-1].progress for stream in streams]
    assert all((end.accepted, end.last_durable_row) == (200, 200) for end in ends)
    assert len(people.friend_ids(ann)) == 200


def test_the_ids_of_both_imports_are_apart(people):
    ann, bob = people(2)
    rows = accounts([people.unknown_user() for _ in range(3)])
    rows[0]["import_id"] = "apart"
    people.imported("ImportAccounts", rows)
    row = {"row": {"user_id": ann, "friend_user_id": bob}, "import_id": "apart"}
    assert people.imported("ImportFriends", [row])[1].accepted == 1
    assert people.friend_ids(ann) == [bob]
