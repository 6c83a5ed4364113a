"""The fixtures that the tests share: generated stubs, a running server, a client of it."""

import os
import pathlib
import random

import grpc
import pytest
from authority import Authority
from browser import Browser
from interop import InteropServer, Messages
from moved_clock import MovedClock
from people import People
from products import Product
from raw_peer import RawPeer
from relationd import Relationd
from stubs import Relation, Stubs


@pytest.fixture(scope="session")
def stubs(tmp_path_factory):
    """The contract's generated stubs.

    What they were answered is saved in the folder `ANSWERS`, if the environment names one: a run
    by several processes is looked back at by a process of its own.
    """
    stubs = Stubs(tmp_path_factory.mktemp("stubs"))
    yield stubs
    if "ANSWERS" in os.environ:
        name = os.environ.get("PYTEST_XDIST_WORKER", "alone")
        stubs.answers.save(pathlib.Path(os.environ["ANSWERS"]) / f"{name}-{os.getpid()}.json")


@pytest.fixture(scope="session")
def seed():
    """The seed of random numbers: `SEED` of the environment, or a new one that is printed."""
    seed = int(os.environ.get("SEED") or random.randrange(1 << 32))
    print(f"SEED={seed}")
    return seed


@pytest.fixture
def some_of(seed, request):
    """Takes every so many-th entry of a list, each time others: `some_of(rows, 4)` is a quarter.

    With `WHOLE=1`, as `make whole` has it, it is the whole list.
    """

    def chosen(rows, count):
        rows = list(rows)
        if os.environ.get("WHOLE"):
            return rows
        some = rows[random.Random(f"{seed} {request.node.name}").randrange(count)::count]
        assert some, f"{len(rows)} rows are too few for {count} parts"
        return some

    return chosen


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server with an empty data folder, for all tests of one file; it must stop with status 0."""
    with Relationd(tmp_path_factory.mktemp("relationd") / "data", "--hooks") as running:
        yield running


@pytest.fixture
def start(tmp_path):
    """Starts further servers, each stopped at the end: `start()`, `start("NAME", "--flag")`.

    The name is that of a data folder, so a server started again with it finds its rows.
    """
    started = []

    def begin(name="data", *arguments, **options):
        started.append(Relationd(tmp_path / name, *arguments, **options))
        return started[-1]

    yield begin
    for running in started:
        if running.process.poll() is None:
            assert running.stop() == 0, running.log


@pytest.fixture(scope="module")
def channel(server):
    with grpc.insecure_channel(server.address) as channel:
        yield channel


@pytest.fixture(scope="module")
def relation(stubs, channel):
    """Calls the server: `relation("ListFriends", user_id="7", page_size=5)`."""
    return Relation(stubs, channel)


@pytest.fixture(scope="module")
def people(relation):
    """Makes accounts for a test: `ann, bob = people(2)`."""
    return People(relation)


@pytest.fixture
def app(relation):
    """Makes people of an app of their own, with its settings."""

    def make(**settings):
        return People(relation.in_app(relation("CreateApp", settings=settings).app.app_id))

    return make


@pytest.fixture(scope="module")
def clock(tmp_path_factory):
    """The clock of the server of `timed`, which the tests of one file move ahead."""
    if os.environ.get("RELATION_STORE") == "postgresql":
        pytest.skip("a server on a database goes by the clock of the database")
    return MovedClock(tmp_path_factory.mktemp("clock"))


@pytest.fixture(scope="module")
def timed_relation(tmp_path_factory, stubs, clock):
    folder = tmp_path_factory.mktemp("timed") / "data"
    with Relationd(folder, wrapper=clock.wrapper) as running:
        with grpc.insecure_channel(running.address) as channel:
            yield Relation(stubs, channel)


@pytest.fixture
def timed(timed_relation):
    """A product on a server whose clock the test moves."""
    return Product(timed_relation)


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    """A maker of certificates, for the tests of one file."""
    return Authority(tmp_path_factory.mktemp("tls"))


@pytest.fixture(scope="module")
def certificate(authority):
    """A server's certificate that clients of the authority trust."""
    return authority.server()


@pytest.fixture(scope="session")
def messages(tmp_path_factory):
    """The messages of gRPC's standard test service."""
    return Messages(tmp_path_factory.mktemp("interop"))


@pytest.fixture(scope="module")
def ours():
    """Our server of that service, for all tests of one file."""
    with InteropServer("--port", "0") as running:
        yield running


@pytest.fixture
def peer(ours):
    """A client of that server which makes its frames by hand."""
    with RawPeer(ours.port) as peer:
        yield peer


@pytest.fixture
def others(ours):
    """Another client, which the events on the test's connection must not disturb."""
    with RawPeer(ours.port) as peer:
        peer.assert_alive()
        yield peer
        peer.assert_alive()


# The files that take longest, the longest first: with one of them at the end, the other processes
# would have nothing left to do.
LONG = (
    "test_site", "test_move_app", "test_store_faults", "test_contract_cases", "test_console_user",
    "test_hooks", "test_shared_store", "test_console_rules", "test_console_screens",
    "test_console_explorer", "test_ctl_import", "test_migrate_tim", "test_message_size",
    "test_contract_gate", "test_tim", "test_import_changes", "test_failover", "test_hook_grpc",
    "test_veto", "test_console_hooks", "test_configuration", "test_secrets", "test_durability",
    "test_graph",
)  # fmt: skip
PLACE_OF = {name: place for place, name in enumerate(LONG)}


def pytest_collection_modifyitems(items):
    """Puts long files first, and tests that check the answers to all others last."""
    items.sort(key=lambda item: (
        item.get_closest_marker("last") is not None, PLACE_OF.get(item.path.stem, len(LONG))))


def pytest_sessionfinish():
    """Ends the browser that is kept for a next test: a process of xdist ends without `atexit`."""
    Browser.end_kept()
