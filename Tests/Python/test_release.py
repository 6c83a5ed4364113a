"""The script that makes a release from a tag: what it refuses, and what it makes."""

import hashlib
import json
import pathlib
import subprocess
import tarfile

import pytest
from relationd import ROOT

BILL = {"spdxVersion": "SPDX-2.3", "name": "relationd-1.2.0"}
ARCHITECTURE = subprocess.run(
    ["dpkg", "--print-architecture"], capture_output=True, text=True).stdout.strip()


def git(folder, *arguments):
    identity = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org"]
    subprocess.run(["git", *identity, "-C", folder, *arguments], check=True, capture_output=True)


@pytest.fixture
def source(tmp_path):
    """A repository of a version that is ready to be tagged."""
    folder = tmp_path / "source"
    (folder / "Packaging").mkdir(parents=True)
    script = folder / "Packaging" / "release"
    script.write_bytes((ROOT / "Packaging" / "release").read_bytes())
    script.chmod(0o755)
    say(folder, "1.2.0")
    (folder / "CHANGELOG.md").write_text("# Changelog\n\n## Unreleased\n\n## 1.2.0 (2030-01-02)\n")
    git(folder, "init", "--quiet")
    commit(folder)
    return folder


def say(folder, version):
    text = (ROOT / "Package.swift").read_text()
    line = next(line for line in text.splitlines() if "RELATION_VERSION\"]" in line)
    head, _, _ = line.rpartition('?? "')
    (folder / "Package.swift").write_text(f'{head}?? "{version}"\n')


def commit(folder):
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "A state")


@pytest.fixture
def packages(tmp_path):
    """Packages of the version, as far as the script looks into them."""
    folder = tmp_path / "packages"
    folder.mkdir()
    for name in ("relationd", "relationd-dbgsym"):
        root = tmp_path / name
        (root / "DEBIAN").mkdir(parents=True)
        (root / "DEBIAN" / "control").write_text(
            f"Package: {name}\nVersion: 1.2.0\nArchitecture: {ARCHITECTURE}\n"
            "Maintainer: Ann <ann@example.org>\nDescription: a package\n")
        share = root / "usr/share/doc/relationd"
        share.mkdir(parents=True)
        (share / "sbom.spdx.json").write_text(json.dumps(BILL))
        subprocess.run(
            ["dpkg-deb", "--root-owner-group", "--build", root, folder],
            check=True, capture_output=True)
    return folder


def release(folder, *arguments):
    return subprocess.run(
        [folder / "Packaging" / "release", *map(str, arguments)], capture_output=True, text=True)


def refusal(folder, *arguments):
    done = release(folder, *arguments)
    assert done.returncode == 1 and not done.stdout
    return done.stderr.strip().removeprefix("release: ")


@pytest.mark.parametrize("tag", ["1.2.0", "v1.2", "v1.2.0.1", "v1.2.0-", "latest", "v1.2.x"])
def test_a_name_that_is_no_version_is_refused(source, tag):
    assert refusal(source, tag) == f"{tag} is no tag such as v1.0.0"


def test_a_tag_that_is_missing_is_refused(source):
    assert refusal(source, "v1.2.0") == "there is no tag v1.2.0"


def test_a_tag_of_another_version_than_the_sources_say_is_refused(source):
    git(source, "tag", "v1.3.0")
    assert refusal(source, "v1.3.0") == "Package.swift of v1.3.0 says version 1.2.0"


def test_a_version_without_a_place_in_the_changelog_is_refused(source):
    say(source, "1.2.1")
    commit(source)
    git(source, "tag", "v1.2.1")
    assert refusal(source, "v1.2.1") == "CHANGELOG.md of v1.2.1 has no heading '## 1.2.1'"


def test_the_state_of_the_tag_counts_and_not_that_of_the_folder(source, packages):
    git(source, "tag", "v1.2.0")
    say(source, "1.3.0-dev")
    commit(source)
    assert release(source, "v1.2.0", "--packages", packages).returncode == 0


def test_a_package_that_is_missing_is_named(source, packages):
    git(source, "tag", "v1.2.0")
    path = packages / f"relationd-dbgsym_1.2.0_{ARCHITECTURE}.deb"
    path.unlink()
    assert refusal(source, "v1.2.0", "--packages", packages) == f"there is no {path}"


def test_a_release_has_packages_sources_bill_and_the_checksum_of_each(source, packages):
    git(source, "tag", "v1.2.0")
    done = release(source, "v1.2.0", "--packages", packages)
    assert done.returncode == 0, done.stderr
    out = pathlib.Path(source / ".build-release" / "1.2.0")
    sums = dict(
        reversed(line.split("  ")) for line in (out / "SHA256SUMS").read_text().splitlines())
    assert set(sums) == {
        f"relationd_1.2.0_{ARCHITECTURE}.deb", f"relationd-dbgsym_1.2.0_{ARCHITECTURE}.deb",
        "relation-chain-1.2.0.tar.gz", "relationd-1.2.0.spdx.json"}
    for name, digest in sums.items():
        assert hashlib.sha256((out / name).read_bytes()).hexdigest() == digest
    assert json.loads((out / "relationd-1.2.0.spdx.json").read_text()) == BILL
    with tarfile.open(out / "relation-chain-1.2.0.tar.gz") as archive:
        assert "relation-chain-1.2.0/Package.swift" in archive.getnames()
    before = {name: (out / name).read_bytes() for name in sums}
    assert release(source, "v1.2.0", "--packages", packages).returncode == 0
    assert {name: (out / name).read_bytes() for name in sums} == before
