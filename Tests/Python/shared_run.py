"""`make run STORE=postgresql`: two servers on one database of their own, with the sample graph.

Ctrl-C stops all of it, and the database is gone then.
"""

import pathlib
import signal
import subprocess
import sys
import time

from postgres import Cluster

BIN = pathlib.Path(".build/release")
LOGS = pathlib.Path(".build-run")
SAMPLE = "Tests/Data/facebook_edges.txt", "--circles", "Tests/Data/facebook_circles.tsv"
PORTS = 7450, 7460


def serve(store, port):
    """A server of the store, which has written where it listens."""
    log = open(LOGS / f"server-{port}.log", "a")  # noqa: SIM115
    server = subprocess.Popen(
        [BIN / "relationd", "serve", "--store", store, "--listen", f"127.0.0.1:{port}",
         "--metrics-listen", f"127.0.0.1:{port + 1}", "--insecure"],
        stdout=subprocess.PIPE, stderr=log, text=True, start_new_session=True)
    ready = server.stdout.readline()
    if not ready.startswith("listening on"):
        sys.exit(f"a server did not start: see {log.name}")
    print(f"{ready.strip()} (process {server.pid}), console on http://127.0.0.1:{port + 1}/")
    return server


def ctl(port, *words):
    return [str(BIN / "relationctl"), "--server", f"127.0.0.1:{port}", *words]


def main():
    # A stop by a signal ends the database and the servers too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    LOGS.mkdir(exist_ok=True)
    servers = []
    cluster = Cluster({"fsync": "on"})
    try:
        store = f"{cluster.address}/postgres"
        subprocess.run(
            [BIN / "relationd", "init", "--store", store, "--list-keys"], check=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        print(f"database {store}")
        servers = [serve(store, port) for port in PORTS]
        subprocess.run(ctl(PORTS[0], "import", *SAMPLE), check=True)
        one, other = PORTS
        add = '{"user_id": "0", "items": [{"user_id": "4038"}], "force": true}'
        print("\nTry: follow a user at one server, and add a friend at the other.\n")
        print("  " + " ".join(ctl(other, "watch", "0")))
        print("  " + " ".join(ctl(one, "call", "AddFriends", f"'{add}'")))
        print("\nThen end one of them, and go on at the other:\n")
        print(f"  kill -9 {servers[0].pid}")
        print("  " + " ".join(ctl(other, "call", "DeleteFriends", "'" + add.replace(
            '"items": [{"user_id": "4038"}], "force": true', '"user_ids": ["4038"]') + "'")))
        print("\nCtrl-C stops all, and the database is gone then.", flush=True)
        while any(server.poll() is None for server in servers):
            time.sleep(0.5)
    except KeyboardInterrupt:
        pass
    finally:
        # A second Ctrl-C does not leave them behind.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        for server in servers:
            server.terminate()
        for server in servers:
            server.wait(30)
        cluster.remove()


if __name__ == "__main__":
    main()
