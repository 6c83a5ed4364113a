"""A PostgreSQL of another system: its package in a clean root, on a port of this machine."""

import contextlib
import re

import ports
from clean_root import clean_root

DATA = "/var/lib/postgresql/tried"
SETTINGS = {
    "listen_addresses": "127.0.0.1", "fsync": "off", "max_connections": "300",
    "unix_socket_directories": "/tmp"}


class Database:
    """The server in a root, which `address` names."""

    def __init__(self, root):
        self.root = root
        self.port = ports.take()
        # The package would start a server of its own.
        root.inside("/usr/sbin/policy-rc.d").write_text("#!/bin/sh\nexit 101\n")
        root.inside("/usr/sbin/policy-rc.d").chmod(0o755)
        folder = root.inside("/etc/postgresql-common")
        folder.mkdir()
        (folder / "createcluster.conf").write_text("create_main_cluster = false\n")
        root.run("apt-get", "update", "--quiet=2")
        root.run(
            "apt-get", "install", "--quiet", "--yes", "--no-install-recommends",
            "-o", "Dpkg::Options::=--force-unsafe-io", "postgresql")
        (self.binaries,) = root.inside("/usr/lib/postgresql").glob("*/bin")
        self.command("initdb", "-D", DATA, "-U", "postgres", "-A", "trust", "-E", "UTF8",
                     "--locale=C", "--no-sync")
        self.start()

    @property
    def address(self):
        return f"postgresql://postgres@127.0.0.1:{self.port}"

    def command(self, program, *words):
        """Runs one of PostgreSQL's programs as its user."""
        path = self.binaries.relative_to(self.root.path) / program
        return self.root.run(f"/{path}", *words, user="postgres:postgres")

    def start(self):
        words = " ".join(f"-c {name}={value}" for name, value in SETTINGS.items())
        self.command("pg_ctl", "start", "-w", "-D", DATA, "-l", "/tmp/log", "-o",
                     f"-c port={self.port} {words}")

    def stop(self):
        """Ends it as a crash does: without a last word to anyone, and with a recovery to come."""
        self.command("pg_ctl", "stop", "-w", "-D", DATA, "-m", "immediate")

    def ask(self, query, database="postgres"):
        return self.command(
            "psql", "-qXAt", "-v", "ON_ERROR_STOP=1", f"{self.address}/{database}", "-c", query
        ).strip()

    @property
    def version(self):
        """The version without what the distribution calls it."""
        return re.match(r"[0-9.]+", self.ask("SHOW server_version"))[0]


@contextlib.contextmanager
def database(suite):
    with clean_root(suite) as root:
        made = Database(root)
        try:
            yield made
        finally:
            made.stop()
