"""A PostgreSQL of one's own: in a folder of its own, on loopback, on a free port.

As a program it starts a server, prints its address, and serves until its input ends. So it ends
with whoever started it, however that ends.
"""

import os
import pwd
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import ports

# What a test needs no more than a database on a disk that forgets: a test that kills the machine
# would need the syncs, and none does.
SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "fsync": "off",
    "max_connections": "300",
    "shared_buffers": "256MB",
    "max_wal_size": "2GB",
    "logging_collector": "off",
    "log_min_messages": "fatal",
}


def binaries():
    """The folder of the newest server that Debian has installed."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parts[-2]))
    if not found:
        sys.exit("no PostgreSQL is installed; `make deps` installs it")
    return found[-1]


class Cluster:
    """A server with its data, which `remove` stops and deletes.

    With `following`, it is a standby of that server.
    """

    def __init__(self, settings=None, following=None):
        self.folder = Path(tempfile.mkdtemp(prefix="relation-postgres-"))
        self.data = self.folder / "data"
        self.port = ports.take()
        self.settings = SETTINGS | {"port": str(self.port)} | (settings or {})
        # The server refuses to run as root.
        self.user = "postgres" if os.geteuid() == 0 else pwd.getpwuid(os.geteuid()).pw_name
        shutil.chown(self.folder, self.user)
        if following is None:
            self._run("initdb", "-D", self.data, "-U", "postgres", "-A", "trust", "-E", "UTF8",
                      "--locale=C", "--no-sync", "--no-instructions")
        else:
            self._run("pg_basebackup", "-D", self.data, "-d", following.address, "-R", "-X",
                      "stream", "-c", "fast", "--no-sync")
        self.start()

    @property
    def address(self):
        return f"postgresql://postgres@127.0.0.1:{self.port}"

    @property
    def pid(self):
        return int((self.data / "postmaster.pid").read_text().split()[0])

    def start(self):
        words = " ".join(f"-c {name}={value}" for name, value in self.settings.items())
        self._run("pg_ctl", "start", "-w", "-D", self.data, "-l", self.folder / "log",
                  "-o", f"-k {self.folder} {words}")

    def stop(self, mode="immediate"):
        self._run("pg_ctl", "stop", "-w", "-D", self.data, "-m", mode)

    def promote(self):
        """Makes a standby the primary."""
        self._run("pg_ctl", "promote", "-w", "-D", self.data)

    def remove(self):
        if (self.data / "postmaster.pid").exists():
            self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _run(self, program, *words):
        command = [str(binaries() / program), *map(str, words)]
        if os.geteuid() == 0:
            command = ["runuser", "-u", self.user, "--", *command]
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, cwd="/", check=False)
        if done.returncode != 0:
            log = self.folder / "log"
            raise RuntimeError(
                f"{program} ended with {done.returncode}: {done.stdout}"
                + (log.read_text() if log.exists() else ""))


def main():
    cluster = Cluster()
    try:
        print(cluster.address, flush=True)
        sys.stdin.read()
    finally:
        cluster.remove()


if __name__ == "__main__":
    main()
