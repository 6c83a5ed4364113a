"""`make run STORE=postgresql`: two servers on one database of their own, with the sample graph.

The database has a standby, from which they read exports and what callers may read a little late.

Ctrl-C stops all of it, and the database is gone then.
"""

import pathlib
import signal
import socket
import subprocess
import sys
import time

import sample
from postgres import Cluster

BIN = pathlib.Path(".build/release")
LOGS = pathlib.Path(".build-run")
PORTS = 7450, 7460


def free(port):
    """An address with this port of loopback, or with any free one if it is taken."""
    with socket.socket() as found:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            found.bind(("127.0.0.1", port))
        except OSError:
            port = 0
    return f"127.0.0.1:{port}"


def serve(store, standby, port):
    """A server of the store: its process, its address, and that of its pages."""
    log = open(LOGS / f"server-{port}.log", "a")  # noqa: SIM115
    server = subprocess.Popen(
        [BIN / "relationd", "serve", "--store", store, "--store-read", standby,
         "--store-read-staleness", "1000", "--listen", free(port), "--metrics-listen", free(port + 1), "--insecure"],
        stdout=subprocess.PIPE, stderr=log, text=True, start_new_session=True)
    ready = server.stdout.readline()
    if not ready.startswith("listening on"):
        sys.exit(f"a server did not start: see {log.name}")
    pages = server.stdout.readline().split()[-1].removesuffix("metrics")
    print(f"{ready.strip()} (process {server.pid}), console on {pages}")
    return server, ready.split()[-1], pages


def ctl(address, *words):
    return [str(BIN / "relationctl"), "--server", address, *words]


def main():
    # A stop by a signal ends the database and the servers too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    LOGS.mkdir(exist_ok=True)
    servers, clusters = [], [Cluster({"fsync": "on", "hot_standby": "on"})]
    cluster = clusters[0]
    try:
        store = f"{cluster.address}/postgres"
        subprocess.run(
            [BIN / "relationd", "init", "--store", store, "--list-keys"], check=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        clusters.append(Cluster({"hot_standby": "on"}, following=cluster))
        standby = f"{clusters[1].address}/postgres"
        print(f"database {store}, standby {standby}")
        addresses = []
        for port in PORTS:
            server, address, pages = serve(store, standby, port)
            servers.append(server)
            addresses.append(address)
        one, other = addresses
        sample.load(str(BIN / "relationctl"), "--server", one)
        add = '{"user_id": "0", "items": [{"user_id": "4038"}], "force": true}'
        print("\nTry: follow a user at one server, and add a friend at the other.\n")
        print("  " + " ".join(ctl(other, "watch", "0")))
        print("  " + " ".join(ctl(one, "call", "AddFriends", f"'{add}'")))
        print("\nExport the app, which the standby reads, and see where it was read:\n")
        print("  " + " ".join(ctl(other, "export", "--to", "exported.jsonl")))
        print(f"  curl -s {pages}metrics | grep long_reads")
        friends = ctl(other, "call", "ListFriends", "'" + '{"user_id": "0"}' + "'")
        print("\nList friends some times, which the standby answers after the first times:\n")
        print("  for i in 1 2 3 4 5; do " + " ".join(friends) + " >/dev/null; done")
        print(f"  curl -s {pages}metrics | grep standby_reads")
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
        for cluster in reversed(clusters):
            cluster.remove()


if __name__ == "__main__":
    main()
