"""A fleet under a manager of clusters: three servers on two databases with a standby each, and every
fault of a machine and of a server, one after another in any order. The app of each database has one
history, which goes on all the time.

`make failover` runs it for `FLEET_MINUTES`, as root, and for one round of all faults at least.
"""

import contextlib
import os
import random
import signal
import time

import grpc
import ledger
import machines
import pytest
from history import History, Servers
from managed import NAMES, TWO
from people import People
from stubs import Relation
from test_failover import health
from test_managed import COUNTED, FAULTS, MANAGERS, NAMED, meet, serve, tells
from test_shared_store import integrity_findings
from waiting import until

pytestmark = [
    pytest.mark.skipif("FAILOVERS" not in os.environ, reason="`make failover` runs it"),
    pytest.mark.skipif(machines.why_not() is not None, reason=str(machines.why_not()))]
#: How long the fleet lives under each manager.
SECONDS = float(os.environ.get("FLEET_MINUTES", "0")) * 60 / len(NAMED)
#: How long a writer waits after an answer: all machines stand on one.
PAUSE = 0.02


class Fleet:
    """Three servers on two databases, with a history in an app of each."""

    def __init__(self, managed, folder, stubs, seed):
        self.managed, self.folder = managed, folder
        self.running = []
        self.clients = [Servers(stubs)]
        try:
            for name in NAMES:
                self.running.append(serve(managed, managed.room.machines[name], folder))
                self.clients[0].connect(self.running[-1])
            self.clients.append(Servers(stubs, self._app_elsewhere(stubs)))
            for running in self.running:
                self.clients[1].connect(running)
            self.histories = [
                History(client, People(client.at(client.channels[0])), seed, pause=PAUSE)
                for client in self.clients]
        except BaseException:
            self.close()
            raise

    def _app_elsewhere(self, stubs):
        """An app in the database that is not the home."""
        channels = self.clients[0].channels
        home, other = self.managed.databases
        for channel in channels:
            until(lambda c=channel: serves(c, other.name), "a server does not open a database")
        app = Relation(stubs, channels[0])("CreateApp").app.app_id
        place = home.sql(
            home.primary(), f"SELECT database FROM relation_app_place WHERE app = {app}", "relation")
        assert place == other.name
        return app

    def await_served(self):
        """Waits until each server says that it serves the apps of both databases."""
        for channel, running in zip(self.clients[0].channels, self.running, strict=True):
            for name in ("home", self.managed.databases[1].name):
                until(lambda c=channel, n=name: serves(c, n),
                      f"a server does not serve {name} any more: {running.log[-3000:]}")

    def begin_again(self, place):
        """Starts a server that has ended."""
        machine = self.managed.room.machines[NAMES[place]]
        self.running[place] = serve(self.managed, machine, self.folder)

    def end(self):
        for history, client in zip(self.histories, self.clients, strict=True):
            history.end()
            assert integrity_findings(client.at(client.channels[0])) == []
        for running in self.running:
            assert running.stop() == 0, running.log
        self.running = []

    def close(self):
        for client in self.clients:
            client.close()
        for running in self.running:
            running.kill()


def serves(channel, name):
    """Whether a server says that it serves the apps of a database."""
    try:
        return health(channel, f"database/{name}") == 1
    except grpc.RpcError:
        return False


@contextlib.contextmanager
def server_ends(fleet, place):
    """A server is killed, and another one starts in its place when the fault is over."""
    fleet.running[place].kill()
    yield
    fleet.begin_again(place)


@contextlib.contextmanager
def server_hangs(fleet, place):
    process = fleet.running[place].process
    process.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        process.send_signal(signal.SIGCONT)


OF_SERVERS = {
    "end of a server": (server_ends, "kills"), "hang of a server": (server_hangs, "freezes")}


@pytest.mark.parametrize("name", NAMED)
def test_a_fleet_lives_through_all_faults(name, tmp_path, stubs, seed):
    """All faults in any order, at either database, under two histories that go on all the time."""
    numbers = random.Random(seed)
    with contextlib.ExitStack() as stack:
        trial = stack.enter_context(ledger.Trial(f"failover: {name}, a fleet", seed))
        managed = MANAGERS[name](TWO)
        stack.callback(managed.remove)
        fleet = Fleet(managed, tmp_path, stubs, seed)
        stack.callback(fleet.close)
        stack.push(tells(managed, tmp_path))
        end = time.monotonic() + SECONDS
        first, rest = shuffled(numbers), shuffled(numbers)
        while first or time.monotonic() < end:
            kind, place = (first or rest).pop()
            rest = rest or shuffled(numbers)
            database = managed.databases[place]
            if kind in FAULTS:
                fault, counted = FAULTS[kind], COUNTED.get(kind)
            else:
                of_server, counted = OF_SERVERS[kind]
                server = numbers.randrange(len(fleet.running))
                fault = of_a_server(of_server, fleet, server)
            told = meet(managed, database, fault, fleet.histories, numbers)
            fleet.await_served()
            if counted:
                trial.counts[counted] = trial.counts.get(counted, 0) + 1
            print(f"\n{name}, a fleet, {kind}, {database.name}: {told}", flush=True)
        fleet.end()


def shuffled(numbers):
    """Each fault at each database, in any order."""
    made = [(kind, place) for kind in [*FAULTS, *OF_SERVERS] for place in range(len(TWO))]
    numbers.shuffle(made)
    return made


def of_a_server(fault, fleet, place):
    return lambda managed, primary, standby: fault(fleet, place)
