"""FriendService: a list is emptied, and a copy of a list is kept by its changes."""

import random

import pytest
from people import codes
from refusals import assert_invalid, refusal


class Copy:
    """A client's copy of a friend list, kept by SyncFriends alone."""

    def __init__(self, people, owner):
        self.people, self.owner = people, owner
        self.rows, self.sequence, self.resyncs, self.pages = {}, 0, 0, 0

    def sync(self, page_size=0, between=lambda: None):
        """Asks for all changes, and returns the ids that came, and those that went."""
        came, went, token = [], [], ""
        while True:
            page = self.people.relation(
                "SyncFriends",
                user_id=self.owner,
                since_sequence=self.sequence,
                page_size=page_size,
                page_token=token,
            )
            self.pages += 1
            if page.resync:
                self.rows, self.resyncs = {}, self.resyncs + 1
            for friend in page.friends:
                self.rows[friend.user_id] = friend
                came.append(friend.user_id)
            for user in page.removed_user_ids:
                self.rows.pop(user, None)
                went.append(user)
            assert not {friend.user_id for friend in page.friends} & set(page.removed_user_ids)
            token = page.next_page_token
            if not token:
                self.sequence = page.sequence
                assert page.total_size == len(self.rows)
                return came, went
            between()

    def assert_exact(self):
        assert self.rows == {row.user_id: row for row in self.people.friends(self.owner)}


def test_a_delta_holds_what_came_what_changed_and_what_went(people):
    ann, bob, eve, joe = people(4)
    people.befriend(ann, bob, eve)
    copy = Copy(people, ann)
    assert copy.sync() == ([bob, eve], [])
    assert copy.sync() == ([], [])
    people.relation(
        "UpdateFriends",
        user_id=ann,
        items=[{"user_id": eve, "remark": "x", "update_mask": {"paths": ["remark"]}}],
    )
    people.relation("DeleteFriends", user_id=bob, user_ids=[ann], delete_type=2)
    people.add(joe, ann)
    assert copy.sync() == ([eve, joe], [bob])
    copy.assert_exact()
    assert copy.resyncs == 0


def test_a_delta_after_an_import_contains_the_imported_friends(people):
    ann, bob, eve = people(3)
    people.befriend(ann, bob)
    copy = Copy(people, ann)
    copy.sync()
    people.import_friends([{"user_id": eve, "friend_user_id": ann, "both_ways": True}])
    assert copy.sync() == ([eve], [])
    copy.assert_exact()


def test_a_delta_of_thousands_of_changes_comes_in_pages_and_never_as_a_full_reload(people):
    users = people(1_501)
    owner, friends = users[0], users[1:]
    copy = Copy(people, owner)
    people.befriend(owner, *friends)
    copy.sync(page_size=1000)
    assert copy.pages == 2
    for some in (friends[:750], friends[750:1_000]):
        people.relation("DeleteFriends", user_id=owner, user_ids=some)
    people.import_friends(
        [{"user_id": owner, "friend_user_id": user, "remark": "x"} for user in friends[1_000:]]
    )
    came, went = copy.sync(page_size=200)
    assert (sorted(came), sorted(went)) == (sorted(friends[1_000:]), sorted(friends[:1_000]))
    assert (copy.pages, copy.resyncs) == (2 + 8, 0)
    copy.assert_exact()


def test_a_copy_follows_random_writes_between_its_pages(people, seed):
    numbers = random.Random(seed)
    users = people(13)
    owner, others = users[0], users[1:]

    def write():
        other = numbers.choice(others)
        kind = numbers.randrange(5)
        if kind < 2:
            people.add(owner, other)
        elif kind == 2:
            people.relation("DeleteFriends", user_id=owner, user_ids=[other])
        elif kind == 3:
            people.import_friends(
                [{"user_id": owner, "friend_user_id": other, "remark": str(numbers.random())}]
            )
        else:
            people.relation("DeleteFriends", user_id=other, user_ids=[owner], delete_type=2)

    copy = Copy(people, owner)
    for _ in range(60):
        for _ in range(numbers.randrange(4)):
            write()
        copy.sync(page_size=numbers.randrange(1, 4), between=write)
        # Nothing was written after the last page was read, so no page follows.
        copy.assert_exact()
    assert copy.resyncs == 0


def test_a_copy_from_a_time_that_never_was_is_dropped_and_begins_anew(people):
    ann, bob, eve = people(3)
    people.befriend(ann, bob, eve)
    copy = Copy(people, ann)
    copy.rows, copy.sequence = {"ghost": None}, 1_000
    assert copy.sync(page_size=1) == ([bob, eve], [])
    assert copy.resyncs == 1
    copy.assert_exact()


def test_any_sequence_of_the_user_will_do(people):
    ann, bob, eve = people(3)
    people.befriend(ann, bob)
    blocked = people.relation("AddToBlacklist", user_id=ann, user_ids=[eve]).sequence
    copy = Copy(people, ann)
    copy.sync()
    assert copy.sequence < blocked
    copy.sequence = blocked
    assert copy.sync() == ([], [])
    assert copy.resyncs == 0


def test_a_page_has_a_hundred_changes_unless_it_is_asked_for_more(people):
    users = people(102)
    people.befriend(*users)
    page = people.relation("SyncFriends", user_id=users[0])
    assert len(page.friends) == 100 and page.next_page_token
    assert page.total_size == 101


def test_a_negative_sequence_is_refused(people):
    (ann,) = people(1)
    refused = refusal(people.relation, "SyncFriends", user_id=ann, since_sequence=-1)
    assert_invalid(refused, "since_sequence")


def test_a_token_of_another_sequence_user_or_list_is_refused(people):
    users = people(4)
    ann, bob = users[:2]
    people.befriend(ann, *users[1:])
    people.befriend(bob, *users[2:])
    token = people.relation("SyncFriends", user_id=ann, page_size=1).next_page_token
    listed = people.relation("ListFriends", user_id=ann, page_size=1).next_page_token
    assert token and listed
    for fields in (
        {"user_id": ann, "since_sequence": 1, "page_token": token},
        {"user_id": bob, "page_token": token},
        {"user_id": ann, "page_token": listed},
        {"user_id": ann, "page_token": token[:-2]},
        {"user_id": ann, "page_token": "00" + token[2:]},
        {"user_id": ann, "page_token": "x"},
        {"user_id": ann, "page_token": token + "0" * 600},
    ):
        refused = refusal(people.relation, "SyncFriends", **fields)
        assert_invalid(refused, "page_token", reason="INVALID_PAGE_TOKEN")
    refused = refusal(people.relation, "ListFriends", user_id=ann, page_token=token)
    assert_invalid(refused, "page_token", reason="INVALID_PAGE_TOKEN")


# DeleteAllFriends


@pytest.mark.parametrize(
    "delete_type, theirs", [(0, 0), (1, 0), (2, 2)], ids=["default", "single", "both"]
)
def test_a_list_is_emptied_in_one_call(people, delete_type, theirs):
    ann, bob, eve, joe, fan = people(5)
    people.befriend(ann, bob, eve)
    people.add(ann, joe, add_type=1, remark="x", group="g")
    people.add(fan, ann, add_type=1)
    before = {user: people.sequences(user) for user in (bob, eve, joe, fan)}
    answer = people.relation("DeleteAllFriends", user_id=ann, delete_type=delete_type)
    assert (answer.applied, answer.removed_rows, answer.removed_reverse_rows) == (
        True, 3, theirs,
    )  # fmt: skip
    assert people.friends(ann) == []
    kept = [] if delete_type == 2 else [ann]
    assert [people.friend_ids(user) for user in (bob, eve, joe, fan)] == [kept, kept, [], [ann]]
    told = [user for user in before if people.sequences(user) != before[user]]
    assert told == ([bob, eve] if delete_type == 2 else [])
    assert answer.sequence == people.relation("ListFriends", user_id=ann).sequence
    # A deleted friend starts with empty fields when it is added again.
    assert people.add(ann, joe, add_type=1) == (0, "")
    assert (people.friend(ann, joe).remark, list(people.friend(ann, joe).groups)) == ("", [])


def test_a_full_list_is_emptied_in_one_call_and_its_copies_learn_of_it(people):
    users = people(3_001)
    owner, friends = users[0], users[1:]
    people.befriend(owner, *friends)
    copy = Copy(people, owner)
    copy.sync(page_size=1000)
    answer = people.relation("DeleteAllFriends", user_id=owner, delete_type=2, timeout=60)
    assert (answer.removed_rows, answer.removed_reverse_rows) == (3_000, 3_000)
    assert people.relation("ListFriends", user_id=owner).total_size == 0
    assert sorted(copy.sync(page_size=1000)[1]) == sorted(friends)
    assert (copy.rows, copy.resyncs) == ({}, 0)


def test_an_empty_list_is_emptied_without_a_change(people):
    (ann,) = people(1)
    before = people.sequences(ann)
    answer = people.relation("DeleteAllFriends", user_id=ann, delete_type=2)
    assert (answer.applied, answer.removed_rows, answer.sequence) == (False, 0, 0)
    assert people.sequences(ann) == before


def test_an_unknown_delete_type_is_refused(people):
    (ann,) = people(1)
    refused = refusal(people.relation, "DeleteAllFriends", user_id=ann, delete_type=3)
    assert_invalid(refused, "delete_type")


# DeleteFriends


def test_after_a_one_sided_delete_the_other_side_can_delete(people):
    ann, bob = people(2)
    people.befriend(ann, bob)
    assert codes(people.relation("DeleteFriends", user_id=ann, user_ids=[bob])) == [0]
    assert codes(people.relation("DeleteFriends", user_id=ann, user_ids=[bob])) == [31704]
    assert codes(people.relation("DeleteFriends", user_id=bob, user_ids=[ann])) == [0]
    assert people.are_friends(ann, bob) == (False, False)


def test_a_one_sided_friend_can_be_deleted_from_both_sides_by_either(people):
    ann, bob = people(2)
    for owner, other in ((ann, bob), (bob, ann)):
        people.add(owner, other, add_type=1)
        answer = people.relation("DeleteFriends", user_id=ann, user_ids=[bob], delete_type=2)
        assert codes(answer) == [0]
        assert people.are_friends(ann, bob) == (False, False)
