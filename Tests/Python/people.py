"""Users for a test, and the calls that most tests make for them."""

import itertools
import time

_numbers = itertools.count(1)


def outcomes(response):
    """Code and reason of each result."""
    return [(result.code, result.info) for result in response.results]


def codes(response):
    return [result.code for result in response.results]


def absent(answer):
    """The fields that an answer names as absent, each with the reason: in the order of Profile and
    then of the custom keys, none twice."""
    profile = answer.DESCRIPTOR.fields_by_name["profile"].message_type
    places = [field.name for field in profile.fields]
    names = [item.field for item in answer.field_access]
    assert names == sorted(
        set(names), key=lambda name: (places.index(name.partition(".")[0]), name.encode())), names
    assert all(item.access for item in answer.field_access), answer.field_access
    return {item.field: item.access for item in answer.field_access}


def codes_of_members(response):
    """The codes of each new group's members."""
    return [[member.code for member in result.members] for result in response.results]


class People:
    """Makes accounts that no other test has, and acts for them.

    `ann, bob = people(2)`.
    """

    def __init__(self, relation):
        self.relation = relation
        self.stubs = relation.stubs

    def __call__(self, count):
        start = [next(_numbers) for _ in range(count)]
        users = [f"user{number:06}" for number in start]
        self.make(users)
        return users

    def make(self, users, **profile):
        """Accounts with these ids, all with the same first profile."""
        rows = ({"row": {"user_id": user, **profile}} for user in users)
        progress = self.imported("ImportAccounts", rows)[1]
        assert progress.refused == 0

    def unknown_user(self):
        """An id that is not an account."""
        return f"unknown{next(_numbers):06}"

    def await_deletion(self, deletion):
        """Waits until every row of a deleted account is gone."""
        for _ in range(2000):
            answer = self.relation("GetDeletion", deletion_id=deletion)
            if answer.state == self.stubs.DeletionState.Value("DELETION_STATE_DONE"):
                return answer
            time.sleep(0.005)
        raise AssertionError("the deletion does not end")

    # Imports

    def imported(self, name, requests, timeout=120):
        """Runs an import: the rows that it told of, and its last progress."""
        told, progress = [], None
        for answer in self.relation.stream(name, requests, timeout=timeout):
            if answer.WhichOneof("answer") == "row":
                told.append(answer.row)
            else:
                progress = answer.progress
        return told, progress

    def import_friends(self, rows, **first):
        """Writes friendships by ImportFriends; every row must be taken."""
        requests = [{"row": row} for row in rows]
        requests[0].update(first)
        told, progress = self.imported("ImportFriends", requests)
        assert (told, progress.refused, progress.accepted) == ([], 0, len(requests))

    # Settings

    def set_profile(self, user, **fields):
        """Sets fields of a profile; enums by number."""
        answer = self.relation(
            "UpdateProfile", user_id=user, profile=fields, update_mask={"paths": list(fields)}
        )
        assert answer.code == 0, answer
        return answer

    def allow_any(self, user):
        self.set_profile(user, allow_type=0)

    def need_confirm(self, user):
        self.set_profile(user, allow_type=1)

    def deny_any(self, user):
        self.set_profile(user, allow_type=2)

    # Consent

    def register_client(self, client, name="A client app"):
        """Registers a client app, and returns its id."""
        self.relation("RegisterClientApp", client_app_id=client, name=name)
        return client

    def grant(self, user, client, *permissions):
        """Grants permissions, every one of which must be granted."""
        answer = self.relation(
            "GrantPermissions", user_id=user, client_app_id=client, names=permissions
        )
        assert codes(answer) == [0] * len(permissions), answer

    # Relations

    def add(self, user, other, *, add_type="ADD_TYPE_BOTH", force=False, **item):
        """Adds one friend: code and reason."""
        answer = self.relation(
            "AddFriends",
            user_id=user,
            items=[{"user_id": other, **item}],
            add_type=add_type,
            force=force,
        )
        return outcomes(answer)[0]

    def befriend(self, user, *others):
        """Makes friendships of both sides, whatever the others' allow types."""
        self.import_friends(
            [{"user_id": user, "friend_user_id": other, "both_ways": True} for other in others]
        )

    def mark(self, user, friend, **marks):
        """Marks a friend of the user."""
        item = {"user_id": friend, "update_mask": {"paths": list(marks)}, **marks}
        answer = self.relation("UpdateFriends", user_id=user, items=[item])
        assert [result.code for result in answer.results] == [0]

    def apply(self, user, other, **item):
        """Makes an application that waits; `other` needs to confirm from then on."""
        self.need_confirm(other)
        assert self.add(user, other, **item)[0] == 30539

    def respond(self, user, other, response_type, **item):
        """Answers one application: code and reason."""
        answer = self.relation(
            "RespondToApplications",
            user_id=user,
            items=[{"user_id": other, "response_type": response_type, **item}],
        )
        return outcomes(answer)[0]

    def block(self, user, *others):
        answer = self.relation("AddToBlacklist", user_id=user, user_ids=others)
        assert codes(answer) == [0] * len(others)

    def group(self, user, name, *members):
        """Makes a friend group of friends of `user`."""
        answer = self.relation(
            "CreateFriendGroups", user_id=user, names=[name], user_ids=members
        )
        assert codes(answer) == [0]
        assert codes_of_members(answer) == [[0] * len(members)]

    # Looking

    def pages(self, name, page_size, **fields):
        """All pages of a list; the last one and no other has no token."""
        token, count = "", 0
        while True:
            page = self.relation(name, page_size=page_size, page_token=token, **fields)
            yield page
            token, count = page.next_page_token, count + 1
            if not token:
                return
            assert count < 5000, "the list does not end"

    def friends(self, user, **fields):
        """All rows of a friend list."""
        pages = self.pages("ListFriends", 1000, user_id=user, **fields)
        return [friend for page in pages for friend in page.friends]

    def friend_ids(self, user):
        return [friend.user_id for friend in self.friends(user)]

    def friend(self, user, other):
        """The row of one friend, or None if the user is not a friend."""
        result = self.relation("GetFriends", user_id=user, user_ids=[other]).results[0]
        if result.code == 0:
            return result.friend_entry
        none = self.stubs.Reason.Value("REASON_SNS_FRIEND_GET_LIST_FRIEND_NOT_EXIST")
        assert result.reason == none, result
        return None

    def are_friends(self, user, other):
        """Whether each user has the other: `(True, False)` if only `user` has `other`."""
        return self.friend(user, other) is not None, self.friend(other, user) is not None

    def pendencies(self, user, pendency_type="PENDENCY_TYPE_BOTH"):
        answer = self.relation("ListPendencies", user_id=user, pendency_type=pendency_type)
        return list(answer.pendencies)

    def incoming(self, user):
        """The users that wait for an answer of `user`."""
        return [item.user_id for item in self.pendencies(user, "PENDENCY_TYPE_COME_IN")]

    def outgoing(self, user):
        """The users for whose answers `user` waits."""
        return [item.user_id for item in self.pendencies(user, "PENDENCY_TYPE_SEND_OUT")]

    def applications(self, user, **fields):
        """All applications of a user, those that wait and those that have ended."""
        pages = self.pages("ListApplications", 1000, user_id=user, **fields)
        return [application for page in pages for application in page.applications]

    def blacklist(self, user):
        pages = self.pages("ListBlacklist", 1000, user_id=user)
        return [entry.user_id for page in pages for entry in page.entries]

    def subscriptions(self, user):
        """The subscriptions of the user."""
        pages = self.pages("ListSubscriptions", 200, user_id=user)
        return [subscription for page in pages for subscription in page.subscriptions]

    def follows(self, user):
        """The users that the user follows, and its followers."""
        return [
            [entry.user_id for page in self.pages(call, 1000, user_id=user)
             for entry in page.entries]
            for call in ("ListFollowing", "ListFollowers")
        ]  # fmt: skip

    def groups(self, user):
        """The friend groups of a user, in their order, each with all its members."""
        answer = self.relation("GetFriendGroups", user_id=user, with_members=True)
        assert codes(answer) == [0] * answer.total_size
        assert all(result.name == result.group.name for result in answer.results)
        assert all(
            len(result.user_ids) == result.group.member_count for result in answer.results
        )
        return {result.name: list(result.user_ids) for result in answer.results}

    def profile(self, user):
        return self.relation("GetSelfProfile", user_id=user).profile

    def sequences(self, user):
        """The sequences of the friend list, the pendencies and the blacklist of `user`."""
        return (
            self.relation("ListFriends", user_id=user).sequence,
            self.relation("ListPendencies", user_id=user).seq,
            self.relation("ListBlacklist", user_id=user).sequence,
        )
