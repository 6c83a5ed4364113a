"""Each package of a client, installed in a new place without a network, against the real server."""

import importlib
import sys

import faulty
import packed
import pytest
from relationd import ROOT, Relationd

STORY = """\
add bob {added}
friend bob
refused USER_NOT_FOUND
known
"""


@pytest.fixture(scope="session")
def contract(tmp_path_factory):
    """The contract that the tree has: what the next `make freeze` promises, and cases ask for."""
    path = tmp_path_factory.mktemp("contract") / "relation.binpb"
    packed.run(ROOT / ".build-python/bin/buf", "build", ROOT / "proto", "--exclude-source-info",
               "-o", path)
    return path


@pytest.fixture(scope="session")
def built(tmp_path_factory, contract):
    folder = tmp_path_factory.mktemp("built")
    packed.build(folder, "python", contract=contract)
    return folder


@pytest.fixture(scope="session", params=packed.LANGUAGES)
def client(request, built, contract, tmp_path_factory):
    if request.param != "python":
        packed.build(built, request.param, contract=contract)
    return packed.LANGUAGES[request.param](built, tmp_path_factory.mktemp(request.param))


@pytest.fixture(scope="session")
def v1(built):
    """The messages of the contract, for the servers of the tests."""
    sys.path.insert(0, str(built / "python/source"))
    return importlib.import_module("relation_client").v1


def test_the_example_makes_friends(client, tmp_path):
    program = client.program("example", packed.example(client.name, client.mark))
    with Relationd(tmp_path / "data") as server:
        assert packed.run(*program, server.address) == STORY.format(added="FRIEND_STATUS_SUCC")


def test_a_write_is_sent_again_under_its_id_and_changes_go_on(client, v1):
    story = faulty.Story(v1)
    program = client.program("faults", client.faults())
    with (faulty.by_grpc if client.grpc else faulty.by_connect)(story) as address:
        said = packed.run(*program, address, timeout=60)
    assert said.lower().split() == ["applied", "true", "token-1", "token-2", "token-3"]
    ids = {request.options.request_id for request in story.adds}
    assert len(story.adds) == 3 and len(ids) == 1 and len(ids.pop()) == 32
    assert [request.resume_token for request in story.watches] == ["", "token-1", "token-2"]
    assert all(request.heartbeat_ms == 25_000 for request in story.watches)


def test_a_client_agrees_with_the_server_on_every_case(client, tmp_path):
    with Relationd(tmp_path / "data", "--hooks") as server:
        said, count = client.cases(server.address)
    assert said.splitlines()[-1] == f"{count} cases passed, 0 failed"
