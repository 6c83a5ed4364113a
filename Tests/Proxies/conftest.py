"""The fixtures of the tests in Python, as far as these tests need them."""

import pytest
from authority import Authority
from relationd import Relationd
from stubs import Stubs


@pytest.fixture(scope="session")
def stubs(tmp_path_factory):
    """The contract's generated stubs."""
    return Stubs(tmp_path_factory.mktemp("stubs"))


@pytest.fixture(scope="session")
def authority(tmp_path_factory):
    """A maker of certificates."""
    return Authority(tmp_path_factory.mktemp("tls"))


@pytest.fixture(scope="session")
def certificate(authority):
    """A certificate for a proxy that clients of the authority trust."""
    return authority.server()


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server with an empty data folder, for all tests of one file; it must stop with status 0."""
    with Relationd(tmp_path_factory.mktemp("relationd") / "data", "--hooks") as running:
        yield running
