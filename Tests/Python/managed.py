"""Databases on three machines under a manager of clusters, set up with the files of
`Packaging/postgresql` and the commands of `docs/postgresql.md`."""

import contextlib
import pathlib
import subprocess

from machines import SECONDS, Room, run
from relationd import executable
from waiting import until

FILES = pathlib.Path(__file__).resolve().parents[2] / "Packaging/postgresql"
NAMES = ("db1", "db2", "db3")
PASSWORD = "secret"
#: Lines of each log that a failure shows.
TOLD_LINES = 80
PASSWORDS = ("SUPERUSER_PASSWORD", "REPLICATION_PASSWORD", "RELATION_PASSWORD")


class Managed:
    """What all managers share."""

    port = 5432
    #: Machines without a database.
    others = ()
    #: The programs of the manager beside a database.
    programs = ()

    def __init__(self):
        self.room = Room([*NAMES, *self.others])
        try:
            self.machines = [self.room.machines[name] for name in NAMES]
            self.begin()
            self.make_store()
        except BaseException:
            self.room.remove()
            raise

    @property
    def store(self):
        """The address of the store for servers."""
        hosts = ",".join(f"{machine.address}:{self.port}" for machine in self.machines)
        return f"postgresql://relation@{hosts}/relation"

    def wrapper(self, machine):
        """The words before a server that runs on a machine."""
        return [*machine.on_its_network, "env", f"RELATIOND_STORE_PASSWORD={PASSWORD}"]

    def make_store(self):
        """A role, a database that it owns, and the tables in it."""
        primary = self.primary()
        self.sql(primary, f"CREATE ROLE relation LOGIN PASSWORD '{PASSWORD}'")
        self.sql(primary, "CREATE DATABASE relation OWNER relation")
        # libpq asks no further database where one says that it has none of this name.
        made = "SELECT count(*) FROM pg_database WHERE datname = 'relation'"
        until(
            lambda: all(self.sql(machine, made) == "1" for machine in self.machines),
            "a standby does not follow")
        run(*self.wrapper(primary), executable("relationd"), "init", "--store", self.store,
            "--list-keys")  # fmt: skip

    def sql(self, machine, text, database="postgres"):
        return machine.run(
            "psql", "-qXAt", "-h", "/run/postgresql", "-d", database, "-c", text,
            settings={"PGCONNECT_TIMEOUT": "3"})

    def roles(self):
        """Whether each database is a primary, by machine, as far as they answer."""
        found = {}
        for machine in self.machines:
            with contextlib.suppress(RuntimeError, subprocess.TimeoutExpired):
                found[machine] = self.sql(machine, "SELECT pg_is_in_recovery()") == "f"
        return found

    def primary(self):
        """The machine of the only primary, when there is one."""
        def alone():
            primaries = [machine for machine, is_one in self.roles().items() if is_one]
            return primaries[0] if len(primaries) == 1 else None

        return until(alone, "there is no primary alone")

    def is_whole(self):
        """Whether both standbys follow, and one of them confirms what the primary commits."""
        roles = self.roles()
        if sorted(roles.values()) != [False, False, True]:
            return False
        (primary,) = [machine for machine, is_one in roles.items() if is_one]
        states = self.sql(
            primary, "SELECT state || ' ' || sync_state FROM pg_stat_replication ORDER BY 1")
        words = states.split("\n")
        return len(words) == 2 and all(word.startswith("streaming ") for word in words) and any(
            word.endswith((" sync", " quorum")) for word in words)

    def await_whole(self):
        until(self.is_whole, lambda: f"the cluster does not become whole: {self.told()}",
              seconds=3 * SECONDS)

    def told(self):
        """The last words of all logs."""
        return "\n".join(
            f"--- {path}\n" + "\n".join(path.read_text(errors="replace").splitlines()[-TOLD_LINES:])
            for path in sorted(self.room.folder.glob("*/*.log")))

    def write_from(self, machine, source, folder, name, mode=0o600):
        """Fills a file of `Packaging/postgresql` in, as an operator does."""
        text = (FILES / source).read_text().replace("@NAME@", machine.name)
        for word in PASSWORDS:
            text = text.replace(f"@{word}@", PASSWORD)
        machine.write(folder, name, text, mode)
        return text

    def start(self, machine):
        """Starts what a machine has to run, also after it was without power."""
        raise NotImplementedError

    def remove(self):
        self.room.remove()


class Patroni(Managed):
    """Patroni and PgBouncer beside each database, and an etcd of three."""

    port = 6432
    programs = ("patroni",)

    def begin(self):
        for machine in self.machines:
            self.write_from(machine, "patroni/patroni.yml", "patroni", "relation.yml")
            self.write_from(
                machine, "patroni/role-changed.sh", "patroni", "role-changed.sh", mode=0o700)
            for name in ("pgbouncer.ini", "userlist.txt"):
                self.write_from(machine, f"patroni/{name}", "pgbouncer", name)
            self.start(machine)
        self.await_whole()

    def start(self, machine):
        text = self.write_from(machine, "patroni/etcd.env", "etcd", "etcd.env")
        lines = [line for line in text.splitlines() if line and not line.startswith("#")]
        machine.serve("etcd", settings=dict(line.split("=", 1) for line in lines))
        machine.serve("pgbouncer", "-q", "/etc/pgbouncer/pgbouncer.ini")
        machine.serve("patroni", "/etc/patroni/relation.yml")


class AutoFailover(Managed):
    """pg_auto_failover, with its monitor on a machine of its own."""

    others = ("monitor",)
    programs = ("pg_autoctl",)
    data = "/var/lib/postgresql/relation"

    def begin(self):
        monitor = self.room.machines["monitor"]
        monitor.run(
            "pg_autoctl", "create", "monitor", "--pgdata", "/var/lib/postgresql/monitor",
            "--hostname", "monitor", "--auth", "trust", "--no-ssl")
        self.append(monitor, "monitor.conf", "monitor")
        self.start(monitor)
        for machine in self.machines:
            until(lambda: self.can_join(machine), self.told)
            machine.run(
                "pg_autoctl", "config", "set", "--pgdata", self.data,
                "timeout.network_partition_timeout", "4")
            if machine is self.machines[0]:
                # The others copy the settings with all else.
                self.append(machine, "database.conf", "relation")
                self.append(machine, "database.hba", "relation", "pg_hba.conf")
            self.start(machine)
        self.await_whole()

    def can_join(self, machine):
        """Makes a database known to the monitor; False if the monitor is not ready yet."""
        with contextlib.suppress(RuntimeError):
            machine.run(
                "pg_autoctl", "create", "postgres", "--pgdata", self.data, "--name", machine.name,
                "--hostname", machine.name, "--auth", "trust", "--no-ssl", "--monitor",
                "postgres://autoctl_node@monitor:5432/pg_auto_failover?sslmode=prefer")
            return True
        return False

    def append(self, machine, source, folder, name="postgresql.conf"):
        text = (FILES / "auto-failover" / source).read_text()
        with (machine.folder / "postgresql" / folder / name).open("a") as file:
            file.write(text)

    def start(self, machine):
        data = "/var/lib/postgresql/monitor" if machine.name == "monitor" else self.data
        machine.serve("pg_autoctl", "run", "--pgdata", data)
