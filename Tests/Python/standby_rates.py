"""What reads from standbys take off the primary: `make standby-rates` prints it.

    standby_rates.py [--reads N] [--writes N] [--friendships FILE]

Each database is thought to stand on a machine of its own, with one processor. So the rate of reads
is bounded by the database that takes the most processor time for each read of all. The figures are
processor times and no rates: they need no machines, and differ little on a busy one.
The last part times writes beside exports, and needs a quiet machine with four processors.
"""

import argparse
import asyncio
import contextlib
import os
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from pathlib import Path

import grpc
from postgres import Cluster
from relationd import ROOT, Relationd, executable
from stubs import Stubs

USERS_OF_A_READ = 20
IN_FLIGHT = 32
USERS = 4_000
STALENESS = 1_000
TICKS = os.sysconf("SC_CLK_TCK")


def processor_seconds(cluster):
    """The processor time of all processes of a database, also of those that have ended."""
    total = 0
    parents = [str(cluster.pid)]
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            fields = path.read_text().rpartition(")")[2].split()
            if path.parent.name in parents:
                total += sum(map(int, fields[11:15]))
            elif fields[1] in parents:
                total += sum(map(int, fields[11:13]))
    return total / TICKS


class Machines:
    """A primary with the sample graph, two standbys, and a server at a time."""

    def __init__(self, graph):
        self.stack = contextlib.ExitStack()
        self.folder = Path(self.stack.enter_context(tempfile.TemporaryDirectory()))
        self.servers = 0
        self.clusters = []
        with contextlib.ExitStack() as made:
            self._add(made)
            self.store = f"{self.clusters[0].address}/postgres"
            subprocess.run([executable("relationd"), "init", "--store", self.store, "--list-keys"],
                           check=True, capture_output=True)
            with contextlib.closing(self.serve()) as server:
                subprocess.run([executable("relationctl"), "--server", server.address, "import",
                                str(graph)], check=True, capture_output=True)
            for _ in range(2):
                self._add(made, self.clusters[0])
            self.stack.push(made.pop_all())
        self.stubs = Stubs(self.folder)

    def _add(self, made, following=None):
        cluster = Cluster({"hot_standby": "on", "fsync": "on"}, following=following)
        made.callback(cluster.remove)
        self.clusters.append(cluster)

    def close(self):
        self.stack.close()

    def serve(self, standbys=()):
        self.servers += 1
        options = []
        if standbys:
            names = " ".join(f"{standby.address}/postgres" for standby in standbys)
            options = ["--store-read", names, "--store-read-staleness", str(STALENESS)]
        server = Relationd(
            self.folder / f"server{self.servers}", "--threads", "1", *options, store=self.store)
        server.close = server.stop
        return server

    def call(self, server, method, requests, in_flight):
        """Makes calls, and gives the milliseconds of each."""
        return asyncio.run(self._call(server, method, iter(requests), in_flight))

    async def _call(self, server, method, requests, in_flight):
        times = []
        response = self.stubs.message(f"{method}Response")
        async with grpc.aio.insecure_channel(server.address) as channel:
            call = channel.unary_unary(
                f"/relation.v1.FriendService/{method}",
                request_serializer=lambda message: message.SerializeToString(),
                response_deserializer=response.FromString)

            async def caller():
                for request in requests:
                    begun = time.perf_counter()
                    await call(request)
                    times.append((time.perf_counter() - begun) * 1e3)

            await asyncio.gather(*(caller() for _ in range(in_flight)))
        return sorted(times)

    def reads(self, count, token):
        """Checks of twenty users, with a token or without one."""
        request = self.stubs.message("CheckFriendsRequest")
        options = {"min_sequence": {"sequence": 1}} if token else {}
        for number in range(count):
            first = number * 7919 % USERS
            yield request(
                user_id=str(first), options=options,
                user_ids=[str((first + 1 + other) % USERS) for other in range(USERS_OF_A_READ)])

    def writes(self, count, beginning):
        request = self.stubs.message("UpdateFriendsRequest")
        edges = [line.split() for line in
                 (ROOT / "Tests/Data/facebook_edges.txt").read_text().splitlines()]
        for number in range(beginning, beginning + count):
            one, other = edges[number * 7919 % len(edges)]
            yield request(user_id=one, items=[{"user_id": other, "remark": f"r{number}"}])


def say(*cells):
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


def measure_reads(machines, options):
    """The processor time of each database for a read, with and without standbys."""
    standbys = machines.clusters[1:]
    say("reads", "primary, µs", "one standby, µs", "the other, µs", "rate of the primary alone",
        "answered by standbys")
    alone = {}
    for token in (False, True):
        for others in ((), standbys):
            with contextlib.closing(machines.serve(others)) as server:
                machines.call(server, "CheckFriends", machines.reads(500, token), IN_FLIGHT)
                before = [processor_seconds(cluster) for cluster in machines.clusters]
                machines.call(
                    server, "CheckFriends", machines.reads(options.reads, token), IN_FLIGHT)
                each = [(processor_seconds(cluster) - begun) / options.reads * 1e6
                        for cluster, begun in zip(machines.clusters, before, strict=True)]
                # A standby applies nothing here: all of its time is that of reads.
                alone.setdefault(token, each[0])
                say("with a token" if token else f"up to {STALENESS} ms old",
                    *(round(value) for value in each), f"{alone[token] / max(each):.2f} ×",
                    standby_answers(server))


def standby_answers(server):
    page = urllib.request.urlopen(server.pages + "/metrics", timeout=10).read().decode()
    return next((line.split()[-1] for line in page.splitlines()
                 if line.startswith("relation_database_standby_reads_total")
                 and 'outcome="answered"' in line), "0")


def measure_exports(machines, options):
    """The latency of writes alone, and beside exports at the primary and at standbys."""
    standbys = machines.clusters[1:]
    say("writes", "p50, ms", "p99, ms", "exports meanwhile", "primary, s of the processor")
    begun = 0
    for name, others, exports in (
            ("alone", (), False), ("beside exports at the primary", (), True),
            ("beside exports at standbys", standbys, True)):
        with contextlib.closing(machines.serve(others)) as server:
            ending, made = threading.Event(), []

            def export(server=server, ending=ending, made=made, name=f"export{begun}"):
                while not ending.is_set():
                    subprocess.run(
                        [executable("relationctl"), "--server", server.address, "export", "--to",
                         str(machines.folder / f"{name}-{len(made)}.jsonl")],
                        check=True, capture_output=True)
                    made.append(None)

            thread = threading.Thread(target=export)
            if exports:
                thread.start()
            before = processor_seconds(machines.clusters[0])
            try:
                times = machines.call(
                    server, "UpdateFriends", machines.writes(options.writes, begun), 4)
            finally:
                ending.set()
                if exports:
                    thread.join()
            used = processor_seconds(machines.clusters[0]) - before
            begun += options.writes
            say(name, f"{times[len(times) // 2]:.1f}", f"{times[len(times) * 99 // 100]:.1f}",
                len(made), f"{used:.1f}")


def main():
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("--reads", type=int, default=20_000)
    words.add_argument("--writes", type=int, default=5_000)
    words.add_argument("--friendships", default=ROOT / "Tests/Data/facebook_edges.txt")
    options = words.parse_args()
    with contextlib.closing(Machines(options.friendships)) as machines:
        measure_reads(machines, options)
        print()
        measure_exports(machines, options)


if __name__ == "__main__":
    sys.exit(main())
