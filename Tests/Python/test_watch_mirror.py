"""Copies that are kept from events alone, on streams that break all the time, equal an export."""

import random
import threading
import time

import grpc
import ledger
from people import People, codes
from relationd import Relationd
from stubs import Relation
from watching import RESYNC, STATE, SYNC_COMPLETED, Copy, Watching, exported

USERS = [f"user{number}" for number in range(8)]
WRITES = 500
CUTS = 250
KILLS = 4


class Writer(threading.Thread):
    """Makes random writes between a few users, until the server is gone or all writes are made."""

    def __init__(self, relation, numbers, writes):
        super().__init__()
        self.relation = relation
        self.numbers = numbers
        self.left = writes
        self.problem = None

    def run(self):
        try:
            while self.left > 0:
                self.write()
                self.left -= 1
        except grpc.RpcError as error:
            if error.code() != grpc.StatusCode.UNAVAILABLE:
                self.problem = error
        except Exception as problem:
            self.problem = problem

    def write(self):
        numbers, relation = self.numbers, self.relation
        user, other, third = numbers.sample(USERS, 3)
        group = numbers.choice(["red", "green", "blue"])
        kind = numbers.randrange(14)
        if kind in (0, 1):
            relation("AddFriends", user_id=user, items=[
                {"user_id": other, "remark": numbers.choice(["", "R"]), "group": group},
                {"user_id": third}], add_type=numbers.choice([1, 2]))
        elif kind == 2:
            relation("DeleteFriends", user_id=user, user_ids=[other],
                     delete_type=numbers.choice([1, 2]))
        elif kind == 3:
            relation("AddToBlacklist", user_id=user, user_ids=[other])
        elif kind == 4:
            relation("RemoveFromBlacklist", user_id=user, user_ids=USERS)
        elif kind == 5:
            relation("UpdateProfile", user_id=user, profile={
                "nick": f"nick{numbers.randrange(100)}", "allow_type": numbers.choice([0, 1]),
                "language": numbers.randrange(9)},
                update_mask={"paths": ["nick", "allow_type", "language"]})
        elif kind == 6:
            relation("SetVisibility", user_id=user, visibility=numbers.choice([1, 2, 3]))
        elif kind == 7:
            relation("RespondToApplications", user_id=user, items=[
                {"user_id": each, "response_type": numbers.choice([0, 1, 2])}
                for each in (other, third)])
        elif kind == 8:
            relation("CreateFriendGroups", user_id=user, names=[group], user_ids=[other, third])
        elif kind == 9:
            relation("DeleteFriendGroups", user_id=user, names=[group])
        elif kind == 10:
            relation("RenameFriendGroup", user_id=user, name=group, new_name="violet")
            relation("DeleteFriendGroups", user_id=user, names=["violet"])
        elif kind == 11:
            relation("DeletePendencies", user_id=user, user_ids=[other],
                     pendency_type=numbers.choice([1, 2]))
        elif kind == 12:
            relation("ReportPendencies", user_id=user, timestamp_ms=int(time.time() * 1000))
        else:
            relation("GrantPermissions", user_id=user, client_app_id="client",
                     names=[numbers.choice(["email", "user_birthday"])])


class Mirror:
    """Copies of users that a stream keeps, over any number of streams."""

    def __init__(self, stubs, **scope):
        self.stubs = stubs
        self.scope = scope
        self.copies = {}
        self.token = ""
        self.resyncs = 0
        self.fresh = {}
        self.is_told_all = True

    def copy(self, user):
        return self.copies.setdefault(user, Copy())

    def follow(self, relation, messages=None, test=None):
        """Reads `messages` messages of a new stream, or until `test` returns true."""
        # A state that broke off is told anew from its beginning.
        self.fresh = {}
        self.is_told_all = not self.token
        # Heartbeats end the wait of a stream that has nothing more to tell.
        with Watching(
            relation, resume_token=self.token, heartbeat_ms=1000, **self.scope
        ) as stream:
            while messages is None or messages > 0:
                if test and test():
                    return
                self.take(stream.next())
                if messages is not None:
                    messages -= 1

    def take(self, message):
        if message.HasField("event"):
            event = message.event
            if event.kind == RESYNC:
                self.resyncs += 1
                self.token = ""
                self.is_told_all = True
            elif event.kind == STATE:
                self.state(event)
            elif event.kind != SYNC_COMPLETED:
                self.event(event)
            elif message.resume_token and self.is_told_all:
                # The state has come to its end: from here on it is the known state.
                self.copies, self.fresh = self.fresh, {}
                self.is_told_all = False
        if message.resume_token:
            self.token = message.resume_token

    def state(self, event):
        if event.user_id:
            self.fresh.setdefault(event.user_id, Copy()).state(event)

    def event(self, event):
        if event.sequence:
            self.copy(event.user_id).event(event, self.stubs.ChangeKind)
        elif event.kind == 140:
            assert event.user_id not in self.copies, "an account was told of twice"
            copy = self.copy(event.user_id)
            copy.sequence = event.items[0].sequence
            if event.items[0].HasField("profile"):
                copy.put(event.items[0])
        elif event.kind == 141:
            del self.copies[event.user_id]

    def told(self):
        return {user: copy.told() for user, copy in self.copies.items()}


def agree(mirror, relation):
    """Reads on until the mirror has come as far as an export, and compares the two."""
    truth = exported(relation)
    if "user_id" in mirror.scope:
        truth = {mirror.scope["user_id"]: truth[mirror.scope["user_id"]]}
    elif "user_ids" in mirror.scope:
        truth = {user: truth[user] for user in mirror.scope["user_ids"]}

    def is_there():
        return not mirror.fresh and mirror.token and all(
            user in mirror.copies and mirror.copies[user].sequence >= copy.sequence
            for user, copy in truth.items())

    if not is_there():
        mirror.follow(relation, test=is_there)
    assert mirror.told() == {user: copy.told() for user, copy in truth.items()}


def prepare(relation):
    people = People(relation)
    people.make(USERS)
    people.register_client("client")


def mirrors(stubs):
    return [
        Mirror(stubs, user_id=USERS[0]),
        Mirror(stubs, user_ids=USERS[:5]),
        Mirror(stubs, app=True),
    ]


def test_mirrors_on_streams_that_are_cut_hundreds_of_times_equal_an_export(start, stubs, seed):
    numbers = random.Random(seed)
    with grpc.insecure_channel(start().address) as channel:
        relation = Relation(stubs, channel)
        prepare(relation)
        copies = mirrors(stubs)
        writer = Writer(relation, random.Random(numbers.random()), WRITES)
        writer.start()
        cuts = 0
        while writer.is_alive() or cuts < CUTS:
            copy = numbers.choice(copies)
            if writer.is_alive():
                copy.follow(relation, messages=numbers.randint(1, 12))
            else:
                copy.follow(relation, messages=1)
            cuts += 1
        writer.join()
        assert writer.problem is None, f"SEED={seed}: {writer.problem!r}"
        for copy in copies:
            agree(copy, relation)
            assert copy.resyncs == 0


@ledger.trial("kill: mirrors", kills=KILLS)
def test_mirrors_over_servers_that_are_killed_equal_an_export(start, stubs, seed, tmp_path):
    numbers = random.Random(seed)
    copies = mirrors(stubs)
    for life in range(KILLS + 1):
        server = Relationd(tmp_path / "data")
        with grpc.insecure_channel(server.address) as channel:
            relation = Relation(stubs, channel)
            if life == 0:
                prepare(relation)
            for copy in copies:
                agree(copy, relation)
                assert copy.resyncs == 0
            writer = Writer(relation, random.Random(numbers.random()), WRITES)
            if life == KILLS:
                server.stop()
                return
            writer.start()
            for _ in range(numbers.randint(3, 30)):
                numbers.choice(copies).follow(relation, messages=numbers.randint(1, 6))
            server.kill()
            writer.join()
            assert writer.problem is None, f"SEED={seed}: {writer.problem!r}"


def test_accounts_that_come_and_go_are_told_to_a_mirror_of_the_app(start, stubs, seed):
    numbers = random.Random(seed)
    with grpc.insecure_channel(start().address) as channel:
        relation = Relation(stubs, channel)
        prepare(relation)
        people = People(relation)
        mirror = Mirror(stubs, app=True)
        agree(mirror, relation)
        for _ in range(12):
            mirror.follow(relation, messages=numbers.randint(1, 5))
            user = numbers.choice(USERS)
            writer = Writer(relation, random.Random(numbers.random()), 10)
            writer.run()
            assert writer.problem is None, f"SEED={seed}: {writer.problem!r}"
            answer = relation("DeleteAccounts", user_ids=[user])
            assert codes(answer) == [0]
            while relation("GetDeletion", deletion_id=answer.results[0].deletion_id).state != 2:
                pass
            people.make([user], nick="again")
        agree(mirror, relation)
        assert mirror.resyncs == 0


def test_a_stream_of_the_app_tells_every_log_as_it_is_listed(start, stubs, seed):
    with grpc.insecure_channel(start().address) as channel:
        relation = Relation(stubs, channel)
        prepare(relation)
        told = {user: [] for user in USERS}
        with Watching(relation, app=True) as stream:
            stream.state()
            writer = Writer(relation, random.Random(seed), WRITES)
            writer.run()
            assert writer.problem is None, f"SEED={seed}: {writer.problem!r}"
            listed = {user: [] for user in USERS}
            for user in USERS:
                for page in People(relation).pages("ListChanges", 500, user_id=user):
                    listed[user] += page.events
            while sum(map(len, told.values())) < sum(map(len, listed.values())):
                event = stream.event()
                if event.sequence:
                    told[event.user_id].append(event)
        # The same events, once each, in the order of each log.
        assert told == listed
