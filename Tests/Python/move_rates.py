"""What a move of an app costs its callers: `make move-rates` prints it.

    move_rates.py [--rate ROWS]... [--writes N] [--seconds N] [--friendships FILE]

Two databases are those of a fleet with one server. Callers write at a steady rate: each of them sends its
next write at its time, or when the one before was answered. First there is no move, then the app moves, and
then there is none again. A write that is refused while the app is closed is sent again, and its time lasts
until it is answered. The figures are times, so they need a quiet machine; the ratios need it less.
"""

import argparse
import asyncio
import contextlib
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import grpc
from postgres import Cluster
from relationd import ROOT, Relationd, executable
from stubs import Relation, Stubs

CALLERS = 8
APP = 4711
#: The lines of a mover after which its next part begins.
PARTS = {"copying": "copying", "following": "comparing", "comparing": "comparing",
         "observing": "observing", "closed": "closed", "arrived": "removing",
         "removing": "removing"}  # fmt: skip
SECONDS = 3_600
#: How often an import is begun at most.
IMPORTS = 10


class Fleet:
    """Two databases, a server of both, and an app with friendships in the second one."""

    def __init__(self, graph):
        self.stack = contextlib.ExitStack()
        self.folder = Path(self.stack.enter_context(tempfile.TemporaryDirectory()))
        with contextlib.ExitStack() as made:
            self.home, self.other = (self._database(made) for _ in range(2))
            run("init", "--store", self.home, "--list-keys")
            run("databases", "add", "--store", self.home, "other", self.other)
            self.server = Relationd(self.folder / "server", store=self.home)
            made.callback(self.server.stop)
            self.stubs = Stubs(self.folder)
            with grpc.insecure_channel(self.server.address) as channel:
                self._create(Relation(self.stubs, channel))
            self._import(graph)
            self.stack.push(made.pop_all())

    @staticmethod
    def _database(made):
        cluster = Cluster({"fsync": "on"})
        made.callback(cluster.remove)
        return f"{cluster.address}/postgres"

    def _create(self, relation):
        """Makes the app where there is room: away from home, which has an app."""
        end = time.monotonic() + SECONDS
        while True:
            try:
                return relation("CreateApp", app_id=APP)
            except grpc.RpcError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.1)

    def _import(self, graph):
        """An import that breaks off on a busy machine goes on where it stood."""
        words = [executable("relationctl"), "--server", self.server.address, "--app", str(APP),
                 "import", str(graph)]  # fmt: skip
        for _ in range(IMPORTS):
            done = subprocess.run(words, check=False, capture_output=True, text=True)
            if done.returncode == 0:
                return
        raise RuntimeError(done.stderr)

    def place(self):
        return psql(self.home, f"SELECT database FROM relation_app_place WHERE app = {APP}")

    def rows(self):
        where = f"p >= '\\x{APP:08x}' AND p < '\\x{APP:08x}ff'"
        store = self.home if self.place() == "home" else self.other
        return int(psql(store, f"SELECT count(*) FROM relation_kv WHERE {where}"))

    def close(self):
        self.stack.close()


def run(*words):
    return subprocess.run(
        [executable("relationd"), *words], check=True, capture_output=True, text=True).stdout


def psql(store, command):
    return subprocess.run(
        ["psql", "-qXAt", store, "-c", command], check=True, capture_output=True,
        text=True).stdout.strip()


class Load:
    """Writes at a steady rate, with the time of each."""

    def __init__(self, fleet, friendships, rate):
        self.fleet, self.pause = fleet, CALLERS / rate
        lines = Path(friendships).read_text().splitlines()
        self.edges = [line.split() for line in lines if line and not line.startswith("#")]
        self.part = "before"
        #: The milliseconds of each write, by the part in which it began.
        self.times = {}
        self.refused = 0
        self.isOver = False
        self.count = 0

    async def __aenter__(self):
        self.channel = grpc.aio.insecure_channel(self.fleet.server.address)
        response = self.fleet.stubs.message("UpdateFriendsResponse")
        self.call = self.channel.unary_unary(
            "/relation.v1.FriendService/UpdateFriends",
            request_serializer=lambda message: message.SerializeToString(),
            response_deserializer=response.FromString)
        self.callers = [asyncio.create_task(self._write(place)) for place in range(CALLERS)]
        return self

    async def __aexit__(self, *_):
        self.isOver = True
        await asyncio.gather(*self.callers)
        await self.channel.close()

    async def _write(self, place):
        request = self.fleet.stubs.message("UpdateFriendsRequest")
        due = time.perf_counter() + self.pause * place / CALLERS
        while not self.isOver:
            await asyncio.sleep(due - time.perf_counter())
            self.count += 1
            one, other = self.edges[self.count * 7919 % len(self.edges)]
            message = request(
                user_id=one, items=[{"user_id": other, "remark": f"r{self.count}"}],
                options={"request_id": f"write{self.count}"})
            part, begun = self.part, time.perf_counter()
            await self._until_answered(message)
            self.times.setdefault(part, []).append((time.perf_counter() - begun) * 1e3)
            due = max(due + self.pause, time.perf_counter())

    async def _until_answered(self, message):
        end = time.monotonic() + SECONDS
        while True:
            try:
                return await self.call(message, metadata=[("x-app-id", str(APP))])
            except grpc.RpcError as error:
                if error.code() is not grpc.StatusCode.UNAVAILABLE or time.monotonic() > end:
                    raise
                self.refused += 1
                await asyncio.sleep(0.01)


async def move(fleet, load, rate):
    """Moves the app to the database where it is not; the seconds of each part, and what it said."""
    target = "home" if fleet.place() == "other" else "other"
    mover = await asyncio.create_subprocess_exec(
        executable("relationd"), "move-app", "--store", fleet.home, "--app", str(APP), "--to", target,
        "--rate", str(rate), stdout=asyncio.subprocess.PIPE)
    begun, seconds, closed = time.monotonic(), {}, None
    load.part = "copying"
    async for line in mover.stdout:
        words = line.decode().partition(": ")[2].strip()
        seconds[load.part] = seconds.get(load.part, 0) + time.monotonic() - begun
        begun = time.monotonic()
        word = words.partition(":")[0]
        if word == "following" and load.part in ("observing", "closed"):
            continue
        load.part = PARTS.get(word, load.part)
        if word == "arrived":
            closed = int(words.split()[-2])
    assert await mover.wait() == 0
    return seconds, closed


def say(*cells):
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


async def measure(fleet, options, rate):
    rows = fleet.rows()
    async with Load(fleet, options.friendships, options.writes) as load:
        # The first writes meet a cold server.
        load.part = "warm-up"
        await asyncio.sleep(options.seconds / 4)
        load.part = "before"
        await asyncio.sleep(options.seconds)
        seconds, closed = await move(fleet, load, rate)
        load.part = "after"
        await asyncio.sleep(options.seconds)
    print(f"\n{rows} rows, at most {rate} a second, {options.writes} writes a second:"
          f" closed for {closed} ms, {load.refused} refusals\n")
    say("part of the move", "seconds", "writes", "p50, ms", "p99, ms", "p99, of that before", "longest, ms")
    say("---", *["--:"] * 6)
    base = None
    for part in ("before", "copying", "comparing", "observing", "closed", "removing", "after"):
        times = sorted(load.times.get(part, []))
        if not times:
            continue
        p50, p99 = times[len(times) // 2], times[len(times) * 99 // 100]
        base = base or p99
        say(part, f"{seconds.get(part, options.seconds):.1f}", len(times), f"{p50:.1f}", f"{p99:.1f}",
            f"{p99 / base:.1f}", f"{times[-1]:.0f}")


def main():
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("--rate", type=int, action="append", help="rows of the mover in a second")
    words.add_argument("--writes", type=int, default=100, help="writes of the callers in a second")
    words.add_argument("--seconds", type=float, default=20, help="before the move, and after it")
    words.add_argument("--friendships", default=ROOT / "Tests/Data/facebook_edges.txt")
    options = words.parse_args()
    with contextlib.closing(Fleet(options.friendships)) as fleet:
        for rate in options.rate or [5_000, 20_000]:
            asyncio.run(measure(fleet, options, rate))


if __name__ == "__main__":
    sys.exit(main())
