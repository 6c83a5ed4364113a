"""Every write of the relation chain by many callers at once, in an app of narrow limits, while the
server is killed now and then. The rows that are left fit together, and no limit was ever passed."""

import collections
import concurrent.futures
import itertools
import random

import grpc
import ledger
from people import People
from stubs import Relation

ROUNDS = 4
CALLERS = 8
CALLS = 400
LIMITS = {
    "friends": 8, "groups": 4, "pendencies": 5, "blacklisted_users": 4, "subscriptions": 5,
    "subscribers": 4, "followings": 5, "followers": 4, "mutual_follows": 2,
}  # fmt: skip
GROUPS = ["one", "two", "three", "four", "five"]
# The statuses with which a call of these histories may fail as a whole. The reasons: its user is
# being deleted, its group has the name that it is to get, its request id belonged to another call,
# or the server is gone.
EXPECTED = {
    grpc.StatusCode.NOT_FOUND, grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.UNAVAILABLE,
}  # fmt: skip


class History:
    """Random writes of one caller."""

    def __init__(self, people, users, seed):
        self.people, self.users = people, users
        self.numbers = random.Random(seed)

    def step(self):
        name, fields = self.numbers.choice(self.choices())
        try:
            if name == "ImportAccounts":
                list(self.people.relation.stream(name, [{"row": row} for row in fields]))
            elif name == "DeleteAccounts":
                self.people.relation(name, **fields)
            else:
                self.people.relation(
                    name, user_id=self.user(), options=self.options(), **fields
                )
        except grpc.RpcError as error:
            assert error.code() in EXPECTED, (name, error)
            return error.code() != grpc.StatusCode.UNAVAILABLE
        return True

    def user(self):
        return self.numbers.choice(self.users)

    def options(self):
        if self.numbers.random() < 0.2:
            return {"request_id": str(self.numbers.randrange(40))}
        return {
            "dry_run": self.numbers.random() < 0.1,
            "all_or_nothing": self.numbers.random() < 0.2,
        }

    def choices(self):
        numbers = self.numbers
        some = numbers.sample(self.users, numbers.randint(1, 4))
        groups = numbers.sample(GROUPS, 2)
        delete_type = numbers.randrange(3)
        kind = numbers.randint(1, 2)
        adds = [{"user_id": user, "group": groups[0], "remark": "r"} for user in some]
        answers = [
            {"user_id": user, "response_type": numbers.randrange(3), "group": groups[1]}
            for user in some
        ]
        changes = [
            {"user_id": user, "groups": groups, "update_mask": {"paths": ["groups"]}}
            for user in some
        ]
        profile = {"allow_type": numbers.randrange(2), "unique_id": numbers.choice("abc")}
        return [
            ("AddFriends", {"items": adds, "add_type": numbers.randrange(3)}),
            ("AddFriends", {"items": adds, "force": True}),
            ("AddFriends", {"items": adds}),
            ("RespondToApplications", {"items": answers}),
            ("RespondToApplications", {"items": answers}),
            ("WithdrawApplications", {"user_ids": some}),
            ("DeletePendencies", {"user_ids": some, "pendency_type": numbers.randint(1, 3)}),
            ("DeleteFriends", {"user_ids": some, "delete_type": delete_type}),
            ("DeleteAllFriends", {"delete_type": delete_type}),
            ("UpdateFriends", {"items": changes}),
            ("CreateFriendGroups", {"names": groups, "user_ids": some}),
            ("DeleteFriendGroups", {"names": groups}),
            ("RenameFriendGroup", {"name": groups[0], "new_name": groups[1]}),
            ("AddToBlacklist", {"user_ids": some[:2]}),
            ("RemoveFromBlacklist", {"user_ids": some}),
            ("Subscribe", {"user_ids": some, "subscribe_type": kind, "expiry_seconds": 60 + kind}),
            ("Unsubscribe", {"user_ids": some[:2], "subscribe_type": kind}),
            ("Follow", {"user_ids": some}),
            ("Unfollow", {"user_ids": some[:2]}),
            ("UpdateProfile", {"profile": profile, "update_mask": {"paths": list(profile)}}),
            ("ImportAccounts", [{"user_id": user} for user in self.users]),
            ("DeleteAccounts", {"user_ids": some[:1]}),
        ]


def await_deletions(people):
    """Waits for the deletions: they are done one after another, so when a new one is done, all
    before it are."""
    people.make(["last"])
    answer = people.relation("DeleteAccounts", user_ids=["last"])
    deletion = answer.results[0].deletion_id
    for _ in range(10_000):
        told = people.relation("GetDeletion", deletion_id=deletion)
        if told.end_time_ms:
            return
    raise AssertionError("the deletions do not end")


def assert_fits_together(people):
    relation = people.relation
    await_deletions(people)
    answers = relation.start("CheckIntegrity")(
        relation.stubs.request("CheckIntegrity", {}), timeout=60, metadata=relation.metadata
    )
    *told, last = answers
    assert [answer.finding for answer in told if answer.WhichOneof("answer") == "finding"] == []
    assert (last.progress.findings, last.progress.complete) == (0, True)
    pages = people.pages("ListAccounts", 5)
    users = [account.user_id for page in pages for account in page.accounts]
    total = collections.Counter(accounts=len(users))
    for user in users:
        rows, blocked, groups = people.friends(user), people.blacklist(user), people.groups(user)
        friends = {row.user_id for row in rows}
        assert len(rows) == len(friends) <= LIMITS["friends"]
        assert len(blocked) <= LIMITS["blacklisted_users"]
        assert len(groups) <= LIMITS["groups"]
        assert not friends & set(blocked), user
        assert not friends - set(users), user
        assert user not in friends
        for name, members in groups.items():
            assert set(members) == {row.user_id for row in rows if name in row.groups}
        waiting = people.relation("ListApplications", user_id=user, statuses=[0])
        assert waiting.total_size == len(people.pendencies(user))
        following, followers = map(set, people.follows(user))
        assert len(following) <= LIMITS["followings"] and len(followers) <= LIMITS["followers"]
        assert not (following | followers) & set(blocked), user
        assert not (following | followers) - set(users), user
        assert len(following & followers) <= LIMITS["mutual_follows"]
        followed = people.subscriptions(user)
        for kind in (1, 2):
            users_followed = [item.user_id for item in followed if item.subscribe_type == kind]
            assert len(users_followed) <= LIMITS["subscriptions"]
            assert not set(users_followed) - set(users), user
        total += collections.Counter(
            friends=len(rows), blacklisted_users=len(blocked), groups=len(groups),
            subscriptions=len(followed),
        )
    stats = relation("GetStats").app
    assert {name: getattr(stats, name) for name in total} == total


@ledger.trial("kill: all writes at once", kills=ROUNDS // 2)
def test_whatever_is_written_at_once_and_cut_off_by_a_kill_fits_together(start, stubs, seed):
    server = start("all")
    with grpc.insecure_channel(server.address) as channel:
        operator = Relation(stubs, channel)
        settings = {"limits": LIMITS, "log_events": 20}
        app = operator("CreateApp", settings=settings).app.app_id
        users = People(operator.in_app(app))(14)
    for round_ in range(ROUNDS):
        with grpc.insecure_channel(server.address) as channel:
            people = People(Relation(stubs, channel).in_app(app))
            calls = itertools.count()

            def run(number, people=people, server=server, round_=round_, calls=calls):
                history = History(people, users, f"{seed} {round_} {number}")
                while next(calls) < CALLS and history.step():
                    pass
                # One of two rounds ends in the middle of the others' calls.
                if round_ % 2:
                    server.process.kill()

            with concurrent.futures.ThreadPoolExecutor(CALLERS) as pool:
                for ended in [pool.submit(run, number) for number in range(CALLERS)]:
                    ended.result()
        if round_ % 2:
            server.kill()
            server = start("all")
        assert server.process.poll() is None, server.log
        with grpc.insecure_channel(server.address) as channel:
            assert_fits_together(People(Relation(stubs, channel).in_app(app)))
