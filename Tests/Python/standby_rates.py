"""What reads from standbys take off the primary: `make standby-rates` prints it.

    standby_rates.py [--reads N] [--writes N] [--friendships FILE]

Each database is thought to stand on a machine of its own, with one processor. So the rate of reads
is bounded by the database that takes the most processor time for each read of all. The figures are
processor times and no rates, so they need no machines. All processes of this part share one processor:
two databases at a time on two threads of one core would slow each other down, as machines do not. The
primary alone and the standbys take turns, and each figure is the median of the rounds.
The last part times writes beside exports, and needs a quiet machine with four processors.
"""

import argparse
import asyncio
import contextlib
import os
import statistics
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
ROUNDS = 5
STALENESS = 1_000
TICKS = os.sysconf("SC_CLK_TCK")


def processes(cluster):
    """The processes of a database by their numbers, with their times in ticks: their own, and with
    those that they have waited for."""
    found = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            fields = path.read_text().rpartition(")")[2].split()
            pid = int(path.parent.name)
            if pid == cluster.pid or int(fields[1]) == cluster.pid:
                found[pid] = sum(map(int, fields[11:13])), sum(map(int, fields[11:15]))
    return found


def processor_seconds(cluster):
    """The processor time of all processes of a database, also of those that have ended."""
    found = processes(cluster)
    return sum(own for own, _ in found.values()) / TICKS + (
        (found[cluster.pid][1] - found[cluster.pid][0]) / TICKS)


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
    say("reads", "primary, µs", "one standby, µs", "the other, µs", "rate of the primary alone",
        "answered by standbys")
    with one_processor(machines):
        for token in (False, True):
            found, answered = {False: [], True: []}, 0
            for _ in range(ROUNDS):
                for others in ((), machines.clusters[1:]):
                    each, answers = cost_of_a_read(machines, options.reads, token, others)
                    found[bool(others)].append(each)
                    answered += answers
            for others, rounds in found.items():
                rates = [max(alone) / max(each)
                         for alone, each in zip(found[False], rounds, strict=True)]
                say("with a token" if token else f"up to {STALENESS} ms old",
                    *(round(statistics.median(values)) for values in zip(*rounds, strict=True)),
                    f"{statistics.median(rates):.2f} × ({min(rates):.2f} to {max(rates):.2f})",
                    answered if others else 0)


@contextlib.contextmanager
def one_processor(machines):
    """Has this process, the databases and what they start run on one processor."""
    before = os.sched_getaffinity(0)
    running = [0, *(pid for cluster in machines.clusters for pid in processes(cluster))]

    def move(wanted):
        for pid in running:
            with contextlib.suppress(ProcessLookupError):
                os.sched_setaffinity(pid, wanted)

    move({min(before)})
    try:
        yield
    finally:
        move(before)


def cost_of_a_read(machines, reads, token, others):
    """The processor time of each database for a read, in µs, and how many the standbys answered."""
    with contextlib.closing(machines.serve(others)) as server:
        machines.call(server, "CheckFriends", machines.reads(500, token), IN_FLIGHT)
        before = [processor_seconds(cluster) for cluster in machines.clusters]
        machines.call(server, "CheckFriends", machines.reads(reads, token), IN_FLIGHT)
        # A standby applies nothing here: all of its time is that of reads.
        each = [(processor_seconds(cluster) - begun) / reads * 1e6
                for cluster, begun in zip(machines.clusters, before, strict=True)]
        return each, standby_answers(server)


def standby_answers(server):
    page = urllib.request.urlopen(server.pages + "/metrics", timeout=10).read().decode()
    return next((int(line.split()[-1]) for line in page.splitlines()
                 if line.startswith("relation_database_standby_reads_total")
                 and 'outcome="answered"' in line), 0)


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
    words.add_argument("--reads", type=int, default=10_000)
    words.add_argument("--writes", type=int, default=5_000)
    words.add_argument("--friendships", default=ROOT / "Tests/Data/facebook_edges.txt")
    options = words.parse_args()
    with contextlib.closing(Machines(options.friendships)) as machines:
        measure_reads(machines, options)
        print()
        measure_exports(machines, options)


if __name__ == "__main__":
    sys.exit(main())
