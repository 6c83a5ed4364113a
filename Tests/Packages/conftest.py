"""The fixtures of the tests in Python, as far as these tests need them, and what is built."""

import os
import re
import shutil

import pytest
from made import EARLIER, PACKAGES, make, package
from relationd import ROOT
from stubs import Stubs


@pytest.fixture(scope="session")
def stubs(tmp_path_factory):
    """The contract's generated stubs."""
    return Stubs(tmp_path_factory.mktemp("stubs"))


@pytest.fixture(scope="session")
def version():
    text = (ROOT / "Package.swift").read_text()
    return re.search(r'"RELATION_VERSION"\] \?\? "([^"]+)"', text)[1]


@pytest.fixture(scope="session")
def packages(version):
    """The packages of the earlier version and of this one, which is built last."""
    # Packages that are made already are taken as they are, if the caller says so.
    if os.environ.get("PACKAGES_ARE_MADE") != "1":
        shutil.rmtree(PACKAGES, ignore_errors=True)
        make("deb", EARLIER)
        make("deb")
    return package(EARLIER), package(version)
