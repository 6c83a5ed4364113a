"""Measures the latency of other calls while backups are made, beside times without one.

python backup_latency.py FRIENDSHIPS

FRIENDSHIPS is a file of friendships, as `relationctl import` reads it. Several callers send calls
without a pause, so both processors are busy all the time. Rounds with and without backups take
turns; in a round with them one backup follows another. The first backup of a server copies all, so
it has rounds of its own, each with a fresh folder of backups.
"""

import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import grpc
from relationd import ROOT, Relationd, executable
from stubs import Relation, Stubs

ROUNDS = 5
SECONDS = 6
CALLERS = 4


def percentile(values, share):
    return sorted(values)[int(len(values) * share)]


class Callers:
    """Threads that send reads and writes, one after the other, until they are told to end."""

    def __init__(self, address, stubs, users):
        self.address, self.stubs, self.users = address, stubs, users

    def run(self, beside=None):
        """The latencies of a round in milliseconds, by the kind of call."""
        told = {"read": [], "write": []}
        ending = threading.Event()
        threads = [
            threading.Thread(target=self.send, args=(number, ending, told))
            for number in range(CALLERS)]
        for thread in threads:
            thread.start()
        end = time.monotonic() + SECONDS
        made = 0
        while time.monotonic() < end:
            if beside:
                made += beside()
            else:
                time.sleep(0.05)
        ending.set()
        for thread in threads:
            thread.join()
        return told, made

    def send(self, number, ending, told):
        with grpc.insecure_channel(self.address) as channel:
            relation = Relation(self.stubs, channel)
            turn = number
            while not ending.is_set():
                user = self.users[turn * 7919 % len(self.users)]
                other = self.users[turn * 104729 % len(self.users)]
                kind = "write" if turn % 4 == 0 else "read"
                begin = time.perf_counter()
                if kind == "write":
                    relation("UpdateProfile", user_id=user, profile={"nick": f"n{turn}"},
                             update_mask={"paths": ["nick"]})
                else:
                    relation("CheckFriends", user_id=user, user_ids=[other])
                told[kind].append((time.perf_counter() - begin) * 1000)
                turn += CALLERS


def main(graph):
    folder = pathlib.Path(tempfile.mkdtemp(prefix="backup-latency-", dir=ROOT / ".build"))
    stubs_folder = folder / "stubs"
    stubs_folder.mkdir()
    stubs = Stubs(stubs_folder)
    users = sorted({word for line in open(graph) for word in line.split()[:2]})
    data = folder / "data"
    try:
        with Relationd(data) as server:
            subprocess.run(
                [executable("relationctl"), "import", graph, "--server", server.address],
                check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        bytes_ = sum(file.stat().st_size for file in data.rglob("*") if file.is_file())
        print(f"{len(users)} users, {bytes_ / 1e6:.0f} MB in the data folder")
        for name in ("first", "next"):
            measure(name, data, stubs, users, folder)
    finally:
        shutil.rmtree(folder)


def measure(name, data, stubs, users, folder):
    """Rounds without and with backups: the `first` one of a folder, or `next` ones."""
    found = {"without": [], "with": []}
    count = 0
    for turn in range(ROUNDS):
        backups = folder / f"backups-{name}-{turn if name == 'first' else 0}"
        with Relationd(data, "--backup-folder", str(backups)) as server:
            with grpc.insecure_channel(server.address) as channel:
                relation = Relation(stubs, channel)

                def backup():
                    request = stubs.request("CreateBackup", {})
                    try:
                        list(relation.start("CreateBackup")(request, metadata=relation.metadata))
                        return 1
                    except grpc.RpcError:
                        # Two backups of one second would have one name.
                        time.sleep(0.1)
                        return 0

                if name == "next" and turn == 0:
                    backup()
                callers = Callers(server.address, stubs, users)
                callers.run()
                told, _ = callers.run()
                found["without"].append(told)
                told, made = callers.run(backup)
                found["with"].append(told)
                count += made
    print(f"{name}: {count} backups in {ROUNDS} rounds of {SECONDS} s")
    for kind in ("read", "write"):
        for share in (0.5, 0.99):
            values = {
                side: statistics.median(percentile(round_[kind], share) for round_ in rounds)
                for side, rounds in found.items()}
            print(
                f"  {kind} p{share * 100:.0f}: {values['without']:.2f} ms without, "
                f"{values['with']:.2f} ms with: {values['with'] / values['without']:.2f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
