"""The project's address: one file names it, and all places that repeat it follow one command."""

import re
import shutil
import subprocess

import pytest
from relationd import ROOT

ADDRESS = (ROOT / "Packaging/address.txt").read_text().strip()
PLACE = ADDRESS.removeprefix("https://")
JAVA = ".".join(reversed(PLACE.split("/")[0].split("."))) + ".relation.v1"
#: Where each place stands, and how it repeats the address.
PLACES = {
    "README.md": f'.package(url: "{ADDRESS}"',
    "Sources/RelationClient/RelationClient.docc/FirstCall.md": f'.package(url: "{ADDRESS}"',
    "Packaging/prometheus/alerts.yml": f"{ADDRESS}/docs/runbooks/",
    "proto/relation/v1/friend.proto": f'go_package = "{PLACE}/gen/go/relation/v1;relationv1"',
    "proto/relation/v1/common.proto": f'java_package = "{JAVA}"',
    "proto/README.md": f"{PLACE}/gen/go/relation/v1",
    "proto/buf.gen.yaml": f"module={PLACE}/gen/go",
    "docs/calling.md": f"{JAVA}.Friend",
    "Examples/Go/go.mod": f"{PLACE} v0.0.0",
    "Examples/Go/main.go": f'"{PLACE}/gen/go/relation/v1"',
    "Examples/Java/FirstStory.java": f"import {JAVA}.*;",
    "Tests/Contract/go/run.go": f'"{PLACE}/gen/go/relation/v1"',
    "Tests/Contract/java/Run.java": f'"{JAVA}."',
    "Packaging/clients/go/go.mod": f"module {PLACE}/gen/go",
    "Packaging/clients/go/changes.go": f'"{PLACE}/gen/go/relation/v1"',
    "Packaging/clients/java/pom.xml": f"<groupId>{JAVA}</groupId>",
    "Packaging/clients/java/src/Changes.java": f"package {JAVA}.client;",
    "Packaging/clients/python/pyproject.toml": f'Source = "{ADDRESS}"',
    "Packaging/clients/typescript/package.json": f'"repository": "{ADDRESS}"',
    "Tests/Clients/go/faults.go": f'"{PLACE}/gen/go"',
    "Benchmarks/peers/go/server.go": f'"{PLACE}/gen/go/relation/v1"',
}


@pytest.mark.parametrize("path", PLACES)
def test_each_place_repeats_the_address(path):
    assert PLACES[path] in (ROOT / path).read_text()


def test_no_place_has_another_one():
    every = re.compile(r"(?:https://)?[\w.-]+\.example/relation-chain\b")
    for path in PLACES:
        for found in every.findall((ROOT / path).read_text()):
            assert found.removeprefix("https://") == PLACE, (path, found)


def test_one_command_changes_all_of_them(tmp_path):
    for path in [*PLACES, "Packaging/address.txt", "Packaging/set-address"]:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, tmp_path / path)
    git = ["git", "-C", tmp_path, "-c", "user.name=x", "-c", "user.email=x@x"]
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "add", "-A"], check=True)
    command = [tmp_path / "Packaging/set-address"]
    subprocess.run([*command, "https://code.test.org/team/chain"], check=True)
    for path, words in PLACES.items():
        text = (tmp_path / path).read_text()
        assert words.replace(PLACE, "code.test.org/team/chain").replace(
            JAVA, "org.test.code.relation.v1") in text, path
        assert PLACE not in text and JAVA not in text, path
    for wrong in ("http://code.test.org/chain", "https://localhost", "code.test.org/chain"):
        done = subprocess.run([*command, wrong], capture_output=True, text=True)
        assert done.returncode == 1 and "is not an address" in done.stderr


def test_the_module_of_the_contract_has_the_licence_of_the_project():
    assert (ROOT / "proto/LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()
