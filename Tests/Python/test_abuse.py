"""A hostile network: whatever one client does, the others are served. Afterwards nothing is left of
it: no descriptor, no thread, no memory, no change of the data, and no flood of the log."""

import os
import re
import ssl
import threading
import time

import grpc
import pytest
from authority import Authority
from credentials import Keys, bearer, init
from hostility import CASES, TLS_CASES, Victim
from people import People
from relationd import Relationd
from stubs import Relation

ROUNDS = 5
#: The memory that a server may keep after attacks: buffers for the next calls, and pages of the
#: allocator.
KEPT_BYTES = 48 << 20
PATIENCE = 30


class Ordinary:
    """A client that does nothing wrong."""

    def __init__(self, running, stubs, channel, metadata):
        self.running = running
        self.stubs = stubs
        self.relation = Relation(stubs, channel, metadata)

    def answers(self, call, **fields):
        request = self.stubs.request(call, fields)
        return list(self.relation.start(call)(
            request, timeout=60, metadata=self.relation.metadata))

    def data(self):
        """All rows of the app, and the findings about them."""
        rows = [answer.SerializeToString() for answer in self.answers("ExportApp")
                if answer.WhichOneof("row") != "point"]
        faults = [answer for answer in self.answers("CheckIntegrity")
                  if answer.HasField("finding")]
        return rows, faults

    def call(self):
        assert self.relation("GetStats", timeout=10)
        assert self.relation("ListFriends", user_id="ann", timeout=10).total_size == 1


def process(running):
    """The descriptors, threads and bytes of memory of a process."""
    pid = running.process.pid
    with open(f"/proc/{pid}/status") as status:
        text = status.read()
    resident = int(re.search(r"VmRSS:\s+(\d+)", text)[1]) * 1024
    return len(os.listdir(f"/proc/{pid}/fd")), resident


def eventually(check):
    """Waits until it holds: ends of connections are noticed a little after they come."""
    end = time.monotonic() + PATIENCE
    while not check():
        assert time.monotonic() < end, "it never comes true"
        time.sleep(0.01)


class Meanwhile:
    """Calls as an ordinary client does for as long as an attack goes on."""

    def __init__(self, ordinary):
        self.ordinary = ordinary
        self.count = 0
        self.error = None
        self.is_over = threading.Event()
        self.thread = threading.Thread(target=self.run)

    def run(self):
        try:
            while not self.is_over.is_set() or self.count == 0:
                self.ordinary.call()
                self.count += 1
        except BaseException as error:
            self.error = error

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.is_over.set()
        self.thread.join()
        assert self.error is None and self.count > 0, self.error


@pytest.fixture(scope="module")
def plain(tmp_path_factory, stubs):
    """A server without encryption, and its ordinary client."""
    with Relationd(tmp_path_factory.mktemp("plain") / "data") as running:
        with grpc.insecure_channel(running.address) as channel:
            yield settle(Ordinary(running, stubs, channel, ()))


@pytest.fixture(scope="module")
def encrypted(tmp_path_factory, stubs):
    """A server that encrypts and asks for a key, and its ordinary client."""
    folder = tmp_path_factory.mktemp("encrypted")
    authority = Authority(folder)
    certificate = authority.server()
    _, operator, _ = init(folder / "data")
    with Relationd(
        folder / "data", "--tls-cert", certificate.path, "--tls-key", certificate.key_path,
        insecure=False,
    ) as running:  # fmt: skip
        credentials = grpc.ssl_channel_credentials(authority.pem)
        with grpc.secure_channel(running.address, credentials) as channel:
            key = Keys(stubs, channel, operator).key(1)
            ordinary = Ordinary(running, stubs, channel, [bearer(key)])
            ordinary.context = secure_context(authority)
            yield settle(ordinary)


def secure_context(authority):
    context = ssl.create_default_context(cadata=authority.pem.decode())
    context.set_alpn_protocols(["h2"])
    return context


def settle(ordinary):
    """Gives the app some rows, and lets the server allocate the memory that it keeps for good."""
    people = People(ordinary.relation)
    people.make(["ann", "bob", "carl"])
    people.befriend("ann", "bob")
    ordinary.call()
    ordinary.data()
    return ordinary


def assert_harmless(ordinary, victim, attack):
    attack(victim)
    ordinary.call()
    before = ordinary.data()
    descriptors, resident = process(ordinary.running)
    told = len(ordinary.running.log)
    with Meanwhile(ordinary):
        for _ in range(ROUNDS):
            attack(victim)
    ordinary.call()
    assert ordinary.data() == before
    assert before[1] == []
    eventually(lambda: process(ordinary.running)[0] <= descriptors)
    assert process(ordinary.running)[1] - resident < KEPT_BYTES
    assert_told_once(ordinary.running.log[told:])


def assert_told_once(log):
    """No connection has two lines; the origin of one that was reset at once is not known."""
    peers = re.findall(r"peer=(\S+\d).*a client violates the protocol", log)
    assert len(peers) == len(set(peers)), log


@pytest.mark.parametrize("name", CASES)
def test_an_attack_harms_no_other_client_and_leaves_nothing(plain, stubs, name):
    assert_harmless(plain, Victim(plain.running.port, stubs), CASES[name])


@pytest.mark.parametrize("name", [*CASES, *TLS_CASES])
def test_an_attack_on_an_encrypted_server_is_as_harmless(encrypted, stubs, name):
    victim = Victim(
        encrypted.running.port, stubs, *encrypted.relation.metadata, secure=encrypted.context)
    attack = CASES.get(name) or TLS_CASES[name]
    assert_harmless(encrypted, victim, attack)
