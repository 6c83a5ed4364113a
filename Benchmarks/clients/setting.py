"""The servers, their rows, their credentials, and the files of requests."""

import itertools
import os
import pathlib
import random
import shutil
import struct
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests" / "Python"))

import grpc  # noqa: E402
from authority import Authority  # noqa: E402
from credentials import Keys, init  # noqa: E402
from relationd import executable  # noqa: E402
from runs import Server, on  # noqa: E402
from stubs import Stubs  # noqa: E402

PEERS = ROOT / ".build-peers"
EDGES = ROOT / "Tests" / "Data" / "facebook_edges.txt"
QUESTIONS = 4096
"""Different questions: so many that no branch predictor knows the next one."""

NEW_FRIENDS = 80
"""New friendships of each user that additions make: below what an app allows."""

UNLIMITED = 10_000_000
"""A rate that no load reaches. With it the buckets of rates count as ever."""


def framed(*messages, is_packed=False):
    """Messages, each with gRPC's five bytes before it."""
    return b"".join(struct.pack(">BI", is_packed, len(text)) + text for text in messages)


class Setting:
    """A folder for one measurement: the sample graph as a store, keys, certificates, requests."""

    def __init__(self, folder, copies):
        self.folder = pathlib.Path(folder)
        made = self.folder / "stubs"
        made.mkdir()
        self.stubs = Stubs(made)
        self.random = random.Random(1)
        self.pairs = [tuple(line.split()) for line in EDGES.read_text().splitlines()]
        self.users = sorted({user for pair in self.pairs for user in pair}, key=int)
        authority = Authority(self.folder)
        self.ca, self.certificate = authority.path, authority.server()
        self.files = {}
        self.numbers = itertools.count()
        self.make_store()
        self.make_checks()
        self.make_graph(copies)

    # MARK: Rows

    def make_store(self):
        """A store with the sample graph in an app that has keys."""
        self.base = self.folder / "base"
        _, self.operator, output = init(self.base)
        assert self.operator, output
        with self.start(self.base) as server, grpc.insecure_channel(server.address) as channel:
            keys = Keys(self.stubs, channel, self.operator)
            self.app = keys.app()
            self.key = keys.key(self.app)
            self.ctl(server, "import", EDGES)

    def make_graph(self, copies):
        """A file of friendships of other users, for imports: copies of the sample."""
        self.graph = self.folder / "graph.txt"
        with open(self.graph, "w") as file:
            for copy in range(copies):
                file.writelines(f"g{copy}x{one} g{copy}x{other}\n" for one, other in self.pairs)

    def ctl_words(self, server, *words):
        return [executable("relationctl"), *map(str, words), "--server", server.address]

    @property
    def environment(self):
        return {"RELATION_API_KEY": self.key}

    def ctl(self, server, *words):
        subprocess.run(
            self.ctl_words(server, *words), check=True, env={**os.environ, **self.environment},
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    # MARK: Servers

    def start(self, data, *flags, processors=(0,)):
        return Server(
            "ours",
            [executable("relationd"), "serve", "--listen", "127.0.0.1:0", "--data", data,
             "--metrics-listen", "off", "--key-rate", UNLIMITED, "--app-rate", UNLIMITED,
             "--address-rate", 0, *flags],
            processors, log=f"{data}.log")

    def fresh(self, *flags, processors=(0,)):
        """Ours over a copy of the sample of its own."""
        data = self.folder / f"data{next(self.numbers)}"
        shutil.copytree(self.base, data)
        return self.start(data, *flags, processors=processors)

    @property
    def tls(self):
        return (self.certificate.path, self.certificate.key_path)

    def peers(self, is_secure):
        """Starts the servers that a real client calls, one after another."""
        certificate, key = self.tls
        if is_secure:
            yield self.fresh("--tls-cert", certificate, "--tls-key", key)
            yield Server("C", [PEERS / "c-server-tls", certificate, key])
            yield Server("grpc-go", [PEERS / "go-server", "-cert", certificate, "-key", key])
        else:
            yield self.fresh()
            yield Server("C", [PEERS / "c-server"])
            yield Server("grpc-go", [PEERS / "go-server"])

    # MARK: Requests

    def write(self, name, text):
        self.files[name] = self.folder / f"{name}.requests"
        self.files[name].write_bytes(text)

    def encoded(self, call, **fields):
        return self.stubs.request(call, fields).SerializeToString()

    def questions(self, count, ids, pairs=None):
        """Checks of users who are friends, so that every server gives the same answer."""
        friends = {}
        for one, other in pairs or self.pairs:
            friends.setdefault(one, []).append(other)
            friends.setdefault(other, []).append(one)
        asked = [user for user in friends if len(friends[user]) >= ids]
        for _ in range(count):
            user = self.random.choice(asked)
            yield user, self.random.sample(friends[user], ids)

    def make_checks(self):
        answer = self.stubs.message("CheckFriendsResponse")
        for ids in (1, 20, 100):
            requests, answers = [], []
            for user, others in self.questions(QUESTIONS if ids == 1 else 512, ids):
                requests.append(self.encoded("CheckFriends", user_id=user, user_ids=others))
                answers.append(answer(results=[
                    {"user_id": other, "code": 0, "relation": 3} for other in others
                ]).SerializeToString())
            self.write(f"checks{ids}", framed(*requests))
            self.write(f"answers{ids}", framed(*answers))

    def make_additions(self):
        """Additions of pairs who are not friends yet, each once."""
        known = {frozenset(pair) for pair in self.pairs}
        count = len(self.users)
        requests = [
            self.encoded(
                "AddFriends", user_id=user, items=[{"user_id": other, "source": "Bench"}])
            for step in range(1, NEW_FRIENDS + 1)
            for place, user in enumerate(self.users)
            if frozenset((user, other := self.users[(place + step * 37) % count])) not in known]
        self.write("additions", framed(*requests))

    def make_streams(self, followed="0"):
        """Streams that follow one user, and changes of it."""
        self.write("watch", framed(self.encoded(
            "Watch", user_ids={"values": [followed]}, kinds=["CHANGE_KIND_PROFILE_CHANGE"])))
        self.write("changes", framed(*(
            self.encoded(
                "UpdateProfile", user_id=followed, profile={"nick": f"n{number}"},
                update_mask={"paths": ["nick"]})
            for number in range(64))))


def pinned():
    """Keeps this process and what it starts on the load's processor, unless they say otherwise."""
    os.sched_setaffinity(0, {1})


__all__ = ["PEERS", "ROOT", "Setting", "framed", "on", "pinned"]
