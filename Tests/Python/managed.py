"""Databases on machines under a manager of clusters, set up with the files of
`Packaging/postgresql` and the commands of `docs/postgresql.md`."""

import contextlib
import json
import pathlib
import subprocess
import time

from machines import Room, run
from relationd import executable
from waiting import until

FILES = pathlib.Path(__file__).resolve().parents[2] / "Packaging/postgresql"
NAMES = ("db1", "db2", "db3")
#: The databases, each by its name with its machines: one with two standbys, or two with one each.
ONE = {"relation": NAMES}
TWO = {"relation": ("db1", "db2"), "east": ("db3", "db4")}
PASSWORD = "secret"
#: How long a cluster may take to become whole. A clock that was 300 s ahead and is right again keeps
#: Patroni asleep for as long.
WHOLE_SECONDS = 480
#: After that time a manager that is awake has looked at its cluster again.
AWAKE_SECONDS = 3
#: Lines of each log that a failure shows.
TOLD_LINES = 80
PASSWORDS = ("SUPERUSER_PASSWORD", "REPLICATION_PASSWORD", "RELATION_PASSWORD")


class Database:
    """A primary and its standbys, on machines of their own."""

    def __init__(self, managed, name, machines):
        self.managed, self.name, self.machines = managed, name, machines

    @property
    def store(self):
        """The address of the store for servers."""
        hosts = ",".join(f"{machine.address}:{self.managed.port}" for machine in self.machines)
        return f"postgresql://relation@{hosts}/relation"

    def make(self):
        """A role, and a database that it owns."""
        primary = self.primary()
        self.sql(primary, f"CREATE ROLE relation LOGIN PASSWORD '{PASSWORD}'")
        self.sql(primary, "CREATE DATABASE relation OWNER relation")
        # libpq asks no further database where one says that it has none of this name.
        made = "SELECT count(*) FROM pg_database WHERE datname = 'relation'"
        until(
            lambda: all(self.sql(machine, made) == "1" for machine in self.machines),
            "a standby does not follow")

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
        """Whether all standbys follow, one of them confirms what the primary commits, and the manager
        would promote it."""
        roles = self.roles()
        standbys = len(self.machines) - 1
        if sorted(roles.values()) != [False] * standbys + [True]:
            return False
        (primary,) = [machine for machine, is_one in roles.items() if is_one]
        try:
            states = self.sql(
                primary, "SELECT state || ' ' || sync_state FROM pg_stat_replication ORDER BY 1")
        except (RuntimeError, subprocess.TimeoutExpired):
            # It has lost its role since it was asked for it, and ends.
            return False
        words = states.split("\n")
        return len(words) == standbys and all(
            word.startswith("streaming ") for word in words
        ) and any(word.endswith((" sync", " quorum")) for word in words) and any(
            self.managed.may_promote(machine) for machine in self.machines if machine is not primary)

    def await_whole(self):
        begun = time.time()
        until(lambda: self.is_whole() and all(
            self.managed.has_looked(machine, begun + AWAKE_SECONDS) for machine in self.machines),
              lambda: f"the database {self.name} does not become whole: {self.managed.told()}",
              seconds=WHOLE_SECONDS)


class Managed:
    """What all managers share."""

    port = 5432
    #: Machines without a database.
    others = ()
    #: The programs of the manager beside a database.
    programs = ()

    def __init__(self, databases=None):
        databases = databases or ONE
        names = [name for machines in databases.values() for name in machines]
        self.room = Room([*names, *self.others])
        try:
            self.machines = [self.room.machines[name] for name in names]
            self.databases = [
                Database(self, name, [self.room.machines[machine] for machine in machines])
                for name, machines in databases.items()]
            passwords = self.room.folder / "passwords"
            passwords.write_text(f"*:*:relation:relation:{PASSWORD}\n")
            passwords.chmod(0o600)
            self.begin()
            self.make_stores()
        except BaseException:
            self.room.remove()
            raise

    @property
    def home(self):
        """The database that servers name."""
        return self.databases[0]

    def wrapper(self, machine):
        """The words before a server that runs on a machine."""
        return [*machine.on_its_network, "env", f"RELATIOND_STORE_PASSWORD={PASSWORD}",
                f"PGPASSFILE={self.room.folder / 'passwords'}"]  # fmt: skip

    def make_stores(self):
        """The tables, and the directory if there are several databases."""
        for database in self.databases:
            database.make()
        words = self.wrapper(self.home.primary())
        run(*words, executable("relationd"), "init", "--store", self.home.store, "--list-keys")
        for database in self.databases[1:]:
            run(*words, executable("relationd"), "databases", "add", "--store", self.home.store,
                database.name, database.store)  # fmt: skip

    def has_looked(self, machine, since):
        """Whether the manager on a machine has looked at its cluster since a time of day."""
        return True

    def may_promote(self, standby):
        """Whether the manager knows that a standby has all that was answered."""
        return True

    def database_of(self, machine):
        return next(one for one in self.databases if machine in one.machines)

    def await_whole(self):
        for database in self.databases:
            database.await_whole()

    def told(self):
        """The last words of all logs."""
        return "\n".join(
            f"--- {path}\n" + "\n".join(path.read_text(errors="replace").splitlines()[-TOLD_LINES:])
            for path in sorted(self.room.folder.glob("*/*.log")))

    def write_from(self, machine, source, folder, name, mode=0o600):
        """Fills a file of `Packaging/postgresql` in, as an operator does."""
        text = (FILES / source).read_text().replace("@NAME@", machine.name)
        text = text.replace("scope: relation", f"scope: {self.database_of(machine).name}")
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
    """Patroni and PgBouncer beside each database, and an etcd on the first three machines."""

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

    def has_looked(self, machine, since):
        # Patroni waits by the wall clock: one that was set back keeps it asleep for as long, after
        # a last look at once.
        with contextlib.suppress(RuntimeError, subprocess.TimeoutExpired, ValueError):
            state = json.loads(machine.run("curl", "-s", "http://localhost:8008/patroni"))
            return since < state["dcs_last_seen"] < time.time() + AWAKE_SECONDS
        return False

    def may_promote(self, standby):
        # The primary waits for a standby first, and then etcd says so.
        with contextlib.suppress(RuntimeError, subprocess.TimeoutExpired):
            return standby.run(
                "curl", "-s", "-o", "/dev/null", "-w", "%{http_code}",
                "http://localhost:8008/synchronous") == "200"
        return False

    def start(self, machine):
        if machine.name in NAMES:
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
        for database in self.databases[1:]:
            until(lambda name=database.name: self.has_formation(monitor, name), self.told)
        for machine in self.machines:
            until(lambda: self.can_join(machine), self.told)
            machine.run(
                "pg_autoctl", "config", "set", "--pgdata", self.data,
                "timeout.network_partition_timeout", "4")
            if machine is self.database_of(machine).machines[0]:
                # The others copy the settings with all else.
                self.append(machine, "database.conf", "relation")
                self.append(machine, "database.hba", "relation", "pg_hba.conf")
            self.start(machine)
        self.await_whole()

    def formation(self, machine):
        """The name of a database at the monitor."""
        database = self.database_of(machine)
        return "default" if database is self.home else database.name

    @staticmethod
    def has_formation(monitor, name):
        """Makes a further formation; False if the monitor is not ready yet."""
        with contextlib.suppress(RuntimeError):
            monitor.run(
                "pg_autoctl", "create", "formation", "--pgdata", "/var/lib/postgresql/monitor",
                "--formation", name, "--kind", "pgsql", "--dbname", "postgres")
            return True
        return False

    def can_join(self, machine):
        """Makes a database known to the monitor; False if the monitor is not ready yet."""
        with contextlib.suppress(RuntimeError):
            machine.run(
                "pg_autoctl", "create", "postgres", "--pgdata", self.data, "--name", machine.name,
                "--hostname", machine.name, "--formation", self.formation(machine),
                "--auth", "trust", "--no-ssl", "--monitor",
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
