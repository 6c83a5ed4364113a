"""Failover as people run it: a manager of clusters over three machines, a server on each of them, and
faults of a machine under traffic. Nothing that was answered is lost, and the history is one history.

`make failover` runs all of them, as root. The times until writes go on are printed, and not asserted.
"""

import contextlib
import os
import pathlib
import random
import signal
import threading
import time

import ledger
import machines
import pytest
from history import History, Servers
from managed import AutoFailover, Patroni
from people import People
from relationd import Relationd
from stubs import Relation
from test_shared_store import integrity_findings
from waiting import until

pytestmark = [
    pytest.mark.skipif("FAILOVERS" not in os.environ, reason="`make failover` runs it"),
    pytest.mark.skipif(machines.why_not() is not None, reason=str(machines.why_not()))]
#: How often each fault comes.
ROUNDS = int(os.environ.get("FAILOVERS", "0")) // 100 or 1
#: How long a machine hangs or is cut off: longer than its manager waits for it.
FAULT_SECONDS = 15
#: A disk this slow is still faster than the lease of a server lasts.
SYNC_SECONDS = 0.5
#: A clock is wrong by more than any lease lasts, and by less than callers try. Patroni 3.0 sleeps by the wall
#: clock: one that is set back by minutes stops the writes for minutes.
CLOCK_SECONDS = 30
MANAGERS = {"patroni": Patroni, "pg_auto_failover": AutoFailover}
#: The managers of this run.
NAMED = os.environ.get("MANAGERS", " ".join(MANAGERS)).split()


class Pulse:
    """Sees when calls are answered, and knows the longest time without."""

    def __init__(self, history):
        self.history = history
        self.longest = 0.0
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self):
        known, since = self.history.answered, time.monotonic()
        while not self._ends.wait(0.01):
            answered, now = self.history.answered, time.monotonic()
            self.longest = max(self.longest, now - since)
            if answered != known:
                known, since = answered, now

    def end(self):
        self._ends.set()
        self._thread.join()
        return self.longest


@pytest.fixture(scope="module", params=NAMED)
def managed(request):
    made = MANAGERS[request.param]()
    yield made
    made.remove()


@contextlib.contextmanager
def crash(cluster, primary, standby):
    """All processes of the primary's database end."""
    primary.signal(signal.SIGKILL, "postgres")
    yield


@contextlib.contextmanager
def power(cluster, primary, standby):
    """The primary's machine loses its power, with all that runs there but the server."""
    primary.power_off()
    yield
    primary.power_on()
    cluster.start(primary)


@contextlib.contextmanager
def hang(cluster, primary, standby):
    """The primary and its manager stand still, and wake up."""
    with primary.hung("postgres", *cluster.programs):
        yield


@contextlib.contextmanager
def machine_hang(cluster, primary, standby):
    """All that runs on the machine of the primary but the server stands still, and wakes up."""
    with primary.hung():
        yield


@contextlib.contextmanager
def standby_hang(cluster, primary, standby):
    with standby.hung("postgres", *cluster.programs):
        yield


@contextlib.contextmanager
def partition(cluster, primary, standby):
    """The primary's machine, with its server, reaches no other one."""
    with primary.cut_off():
        yield


@contextlib.contextmanager
def disk(cluster, primary, standby):
    with primary.slow_disk(SYNC_SECONDS):
        yield


@contextlib.contextmanager
def clock_ahead(cluster, primary, standby):
    with primary.clock_ahead(CLOCK_SECONDS):
        yield


@contextlib.contextmanager
def clock_behind(cluster, primary, standby):
    with primary.clock_ahead(-CLOCK_SECONDS):
        yield


FAULTS = {
    "crash": crash, "power": power, "hang": hang, "hang of a machine": machine_hang,
    "hang of a standby": standby_hang, "partition": partition, "slow disk": disk, "clock ahead": clock_ahead,
    "clock behind": clock_behind}  # fmt: skip
#: What the ledger counts them as; the others stand there without a number.
COUNTED = {
    "crash": "failovers", "power": "failovers", "hang": "freezes", "hang of a machine": "freezes",
    "hang of a standby": "freezes", "partition": "freezes"}  # fmt: skip


def test_a_machine_that_hung_can_be_switched_off():
    room = machines.Room(["one"])
    try:
        machine = room.machines["one"]
        machine.serve("sleep", "infinity")
        until(lambda: len(machine.processes("sleep")) == 2, "a program does not start")
        with machine.hung("sleep"):
            until(lambda: all(is_stopped(service.pid) for service in machine.services),
                  "what started it does not stop with it")
        machine.power_off()
        machine.power_on()
        assert machine.run("hostname") == "one"
    finally:
        room.remove()


def test_a_lock_file_names_no_process_of_a_later_start():
    room = machines.Room(["one"])
    try:
        machine = room.machines["one"]
        number = int(machine.run("sh", "-c", "echo $$ | tee /run/postgresql/.s.PGSQL.5432.lock"))
        machine.run("mkdir", "-p", "/run/postgresql/pg_autoctl/state")
        machine.power_off()
        machine.power_on()
        assert machine.run("ls", "-A", "/run/postgresql") == ""
        later = int(machine.run("sh", "-c", "echo $$"))
        assert later > number + 500
    finally:
        room.remove()


def is_stopped(pid):
    return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "T"


@pytest.mark.parametrize("kind", FAULTS)
def test_one_history_through_faults_of_machines(managed, kind, tmp_path, stubs, seed, request):
    name = request.node.callspec.params["managed"]
    counted = COUNTED.get(kind)
    counts = {counted: ROUNDS} if counted else {}
    with ledger.Trial(f"failover: {name}, {kind}", seed, **counts):
        told = through(managed, FAULTS[kind], tmp_path, stubs, seed)
    print(f"\n{name}, {kind}: longest time without an answered write, and who is the primary:",
          "; ".join(told))


def serve(managed, machine, folder):
    """A server on a machine, which a test reaches though no other machine may."""
    return Relationd(
        folder / machine.name, listen=f"unix:{folder / machine.name}.sock",
        store=managed.home.store, wrapper=managed.wrapper(machine))


def tells(managed, folder):
    """Prints the last words of all when a test fails."""
    return lambda kind, *_: kind and print(managed.told(), *(
        f"--- {path}\n{path.read_text()[-3000:]}" for path in folder.glob("*.log")))


def other_machine(numbers, database, primary):
    return numbers.choice([one for one in database.machines if one is not primary])


def through(managed, fault, tmp_path, stubs, seed):
    numbers = random.Random(seed)
    servers, told = Servers(stubs), []
    managed.await_whole()
    with contextlib.ExitStack() as stack:
        stack.callback(servers.close)
        for machine in managed.machines:
            servers.connect(stack.enter_context(serve(managed, machine, tmp_path)))
        history = History(servers, People(Relation(stubs, servers.channels[0])), seed)
        stack.push(tells(managed, tmp_path))
        for _ in range(ROUNDS):
            told.append(meet(managed, managed.home, fault, [history], numbers))
        history.end()
        assert integrity_findings(Relation(stubs, servers.channels[0])) == []
    return told


def meet(managed, database, fault, histories, numbers):
    """Lets a fault come and go, while histories go on; says how it went."""
    for history in histories:
        history.goes_on()
    primary = database.primary()
    standby = other_machine(numbers, database, primary)
    pulses = [Pulse(history) for history in histories]
    with fault(managed, primary, standby):
        # How long it lasts is the input of this test: longer than managers wait.
        time.sleep(FAULT_SECONDS)
        for history in histories:
            history.goes_on()
    healed = time.monotonic()
    managed.await_whole()
    for history in histories:
        history.goes_on()
    waits = ", ".join(f"{pulse.end():.1f} s" for pulse in pulses)
    return (f"{waits}, {primary.name} to {database.primary().name}, whole again after"
            f" {time.monotonic() - healed:.1f} s")
