"""What these tests build, and where it is."""

import os

from clean_root import run
from relationd import ROOT

WORK = ROOT / ".build-deb"
BUILD = WORK / "release"
PACKAGES = WORK / "packages"
EARLIER = "0.0.1"


def make(target, version=None, **given):
    """Makes a target of the Makefile, under the version of the sources unless another is named."""
    variables = {key: value for key, value in os.environ.items() if key != "RELATION_VERSION"}
    if version:
        variables["RELATION_VERSION"] = version
    run("make", target, *(f"{name}={value}" for name, value in given.items()), cwd=ROOT,
        env=variables)


def package(version, name="relationd"):
    """The one package of that version."""
    found = list(PACKAGES.glob(f"{name}_{version.replace('-', '~')}_*.deb"))
    assert len(found) == 1, found
    return found[0]
