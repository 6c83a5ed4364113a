"""The fixtures of the tests in Python, as far as these tests need them."""

import pytest
from stubs import Stubs


@pytest.fixture(scope="session")
def stubs(tmp_path_factory):
    """The contract's generated stubs."""
    return Stubs(tmp_path_factory.mktemp("stubs"))
