"""Kills among writes of an app that keeps a history: a change and its entry are both there, or
neither is, in a folder and in a database."""

import os
import random
import threading
import time

import grpc
import ledger
import pytest
from people import People
from relationd import Relationd
from stubs import Relation
from test_shared_store import cluster, integrity_findings, store  # noqa: F401

# `make kill` has more.
ROUNDS = int(os.environ.get("KILL_ROUNDS", 5))
WRITERS = 3
OTHERS = [f"other{number}" for number in range(6)]


@pytest.fixture(params=["folder", "database"])
def start(request, tmp_path):
    """Starts a server of the same store each time."""
    address = request.getfixturevalue("store") if request.param == "database" else None
    return lambda: Relationd(tmp_path / "data", store=address)


class Writer(threading.Thread):
    """Changes what is between one user and others, until the server is gone."""

    def __init__(self, relation, owner, numbers):
        super().__init__()
        self.relation, self.owner, self.numbers = relation, owner, numbers
        self.answered = 0
        self.problem = None

    def run(self):
        try:
            while True:
                self.write()
                self.answered += 1
        except grpc.RpcError as error:
            if error.code() != grpc.StatusCode.UNAVAILABLE:
                self.problem = error
        except Exception as problem:
            self.problem = problem

    def write(self):
        some = self.numbers.sample(OTHERS, self.numbers.randint(1, 3))
        call, fields = self.numbers.choice([
            ("AddFriends", {"items": [{"user_id": user} for user in some]}),
            ("AddFriends", {"items": [{"user_id": user} for user in some]}),
            ("UpdateFriends", {"items": [
                {"user_id": user, "remark": f"{self.answered}"} for user in some]}),
            ("DeleteFriends", {"user_ids": some, "delete_type": 2}),
            ("AddToBlacklist", {"user_ids": some}),
            ("RemoveFromBlacklist", {"user_ids": some}),
            ("Follow", {"user_ids": some}),
            ("Unfollow", {"user_ids": some}),
        ])  # fmt: skip
        self.relation(call, user_id=self.owner, timeout=20, **fields)


def unnumbered(row):
    if "sequence" in row.DESCRIPTOR.fields_by_name:
        row.ClearField("sequence")
    return row.SerializeToString(deterministic=True)


def told(relation, owner):
    """The rows between the owner and others, as the entries of the history made them."""
    rows, token = {}, ""
    entries = []
    while True:
        page = relation(
            "ListHistory", about_user_id=owner, page_size=1_000, page_token=token)
        entries += page.entries
        if not (token := page.next_page_token):
            break
    for entry in reversed(entries):
        for change in entry.changes:
            for kind in ("friend", "blacklist", "follow"):
                before, after = f"{kind}_before", f"{kind}_after"
                if not (change.HasField(before) or change.HasField(after)):
                    continue
                key = kind, change.owner_user_id, change.other_user_id
                was = unnumbered(getattr(change, before)) if change.HasField(before) else None
                # No change is missing between two entries.
                assert rows.pop(key, None) == was, (entry.position, key)
                if change.HasField(after):
                    rows[key] = unnumbered(getattr(change, after))
    return rows


def present(people, owner):
    """These rows as the lists have them, without the numbers that no history has."""
    rows = {}
    for one, others in [(owner, OTHERS), *((other, [owner]) for other in OTHERS)]:
        for friend in people.friends(one):
            if friend.user_id in others:
                rows["friend", one, friend.user_id] = unnumbered(friend)
        for kind, call in [("blacklist", "ListBlacklist"), ("follow", "ListFollowing")]:
            for page in people.pages(call, 1_000, user_id=one):
                for entry in page.entries:
                    if entry.user_id in others:
                        rows[kind, one, entry.user_id] = unnumbered(entry)
    return rows


@ledger.trial("kill: writers of an app with a history", kills=ROUNDS)
def test_a_change_and_its_entry_are_both_there_or_neither_is(start, stubs, seed):
    numbers = random.Random(seed)
    answered, kept = 0, 0
    with start() as running, grpc.insecure_channel(running.address) as channel:
        people = People(Relation(stubs, channel))
        people.make([*OTHERS, *(f"r{r}w{w}" for r in range(ROUNDS) for w in range(WRITERS))])
        people.relation("UpdateApp", settings={"history_days": 30})
    for number in range(ROUNDS):
        owners = [f"r{number}w{place}" for place in range(WRITERS)]
        running = start()
        with grpc.insecure_channel(running.address) as channel:
            relation = Relation(stubs, channel)
            writers = [
                Writer(relation, owner, random.Random(numbers.randrange(1 << 32)))
                for owner in owners]
            for writer in writers:
                writer.start()
            # This waits for nothing: the moment of the kill is the input of this test.
            time.sleep(numbers.uniform(0.05, 0.4))
            running.kill()
            for writer in writers:
                writer.join(60)
                assert not writer.is_alive() and writer.problem is None, writer.problem
            answered += sum(writer.answered for writer in writers)
        with start() as running, grpc.insecure_channel(running.address) as channel:
            relation = Relation(stubs, channel)
            people = People(relation)
            for owner in owners:
                rows = present(people, owner)
                assert told(relation, owner) == rows, owner
                kept += len(rows)
            assert integrity_findings(relation) == []
    assert answered > ROUNDS and kept > ROUNDS
