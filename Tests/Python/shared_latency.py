"""How long an event takes from one server of a database to another: `make shared` prints it.

A friend is added at one server, and the event is awaited at the other. The time is from before the
call to after the message, so it has the call in it, which is told beside it.
"""

import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import grpc
from people import People
from postgres import Cluster
from relationd import Relationd, executable
from stubs import Relation, Stubs
from watching import Watching

EVENTS = 1_000
PAUSE_SECONDS = 0.01


def main():
    cluster = Cluster({"fsync": "on"})
    try:
        store = f"{cluster.address}/postgres"
        subprocess.run(
            [executable("relationd"), "init", "--store", store, "--list-keys"], check=True,
            capture_output=True)
        with tempfile.TemporaryDirectory() as folder:
            servers = [
                Relationd(Path(folder) / name, "--threads", "1", store=store)
                for name in ("one", "other")]
            measure(servers, Stubs(Path(folder)))
            for server in servers:
                server.stop()
    finally:
        cluster.remove()


def measure(servers, stubs):
    one, other = (Relation(stubs, grpc.insecure_channel(server.address)) for server in servers)
    ann, *others = People(one)(EVENTS + 1)
    watcher = Watching(other, user_id=ann, timeout=600)
    watcher.state()
    come = []
    reader = threading.Thread(
        target=lambda: come.extend((watcher.event(), time.perf_counter())[1] for _ in others))
    reader.start()
    begun, answered = [], []
    for user in others:
        begun.append(time.perf_counter())
        one("AddFriends", user_id=ann, items=[{"user_id": user}], force=True)
        answered.append(time.perf_counter())
        time.sleep(PAUSE_SECONDS)
    reader.join()
    watcher.stream.cancel()
    for name, ends in (("answered", answered), ("told at the other server", come)):
        times = sorted((end - begin) * 1e3 for begin, end in zip(begun, ends, strict=True))
        print(f"{name}: p50 {times[len(times) // 2]:.1f} ms, "
              f"p99 {times[len(times) * 99 // 100]:.1f} ms, most {times[-1]:.1f} ms")


if __name__ == "__main__":
    sys.exit(main())
