"""The script that makes a release: what it refuses, and what it makes."""

import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile

import pytest
from relationd import ROOT

BILL = {"spdxVersion": "SPDX-2.3", "name": "relationd-1.2.0"}
ARCHITECTURE = subprocess.run(
    ["dpkg", "--print-architecture"], capture_output=True, text=True).stdout.strip()


def git(folder, *arguments):
    identity = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org"]
    subprocess.run(["git", *identity, "-C", folder, *arguments], check=True, capture_output=True)


# The targets of the real Makefile, as far as a release sees them: each says what it was given.
MAKEFILE = f"""\
D := .build-deb
deb:
\tmkdir -p $D/packages $D/release
\ttouch $D/packages/relationd_1.2.0_{ARCHITECTURE}.deb
\ttouch $D/packages/relationd-dbgsym_1.2.0_{ARCHITECTURE}.deb
\techo '{json.dumps(BILL)}' > $D/release/relationd.spdx.json
\techo '{{"pins": []}}' > $D/release/Package.resolved
tar:
\tmkdir -p $D/tar && touch $D/tar/relationd-1.2.0-linux-{ARCHITECTURE}.tar.gz
image:
\tmkdir -p $D/image && touch $D/image/relationd-1.2.0-{ARCHITECTURE}.oci.tar
buf-module:
\tmkdir -p $D/module && touch $D/module/relation-1.2.0-buf.tar.gz
chart:
\tmkdir -p $D/chart && touch $D/chart/relationd-1.2.0.tgz
clients:
\tmkdir -p .build-clients/{{python,typescript,php,csharp,go/proxy,java/repository}}
\ttouch .build-clients/python/relation_client-1.2.0-py3-none-any.whl
\ttouch .build-clients/typescript/relation-client-1.2.0.tgz
\ttouch .build-clients/php/relation-client-php-1.2.0.zip
\ttouch .build-clients/csharp/relation-client-csharp-1.2.0.zip
\ttouch .build-clients/go/proxy/v1.2.0.zip .build-clients/java/repository/client.jar
site:
\tmkdir -p .build-site/site && echo '$(PROGRAMS)' > .build-site/site/index.html
SHELL := bash
"""
CHART = "\tmkdir -p .build-deb/chart && touch .build-deb/chart/relationd-1.2.0.tgz\n"
PARTS = ("deb", "tar", "image", "buf-module", "chart", "clients", "site")
# An image needs the rights of root, which those who run tests may not have.
USUAL = ("--parts", " ".join(PARTS if os.geteuid() == 0 else set(PARTS) - {"image"}))


@pytest.fixture
def source(tmp_path):
    """A repository of a version that is ready to be tagged."""
    folder = tmp_path / "source"
    (folder / "Packaging").mkdir(parents=True)
    script = folder / "Packaging" / "release"
    script.write_bytes((ROOT / "Packaging" / "release").read_bytes())
    script.chmod(0o755)
    (folder / "Packaging" / "address.txt").write_text("https://git.example/chain\n")
    (folder / ".gitignore").write_text(".build*\nPackage.resolved\n")
    (folder / "Makefile").write_text(MAKEFILE)
    say(folder, "1.2.0")
    (folder / "CHANGELOG.md").write_text(
        "# Changelog\n\n## Unreleased\n\nLater.\n\n## 1.2.0 (2030-01-02)\n\n### Added\n\n"
        "- [Now](docs/now.md#it), as [they](https://example.org/a) say [below](#x), "
        "[too](SUPPORT.md).\n"
        "\n## 1.1.0 (2029-01-02)\n\nEarlier.\n"
        # More than a pipe holds.
        + "- A line of a page that has been written for years.\n" * 10_000)
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


def release(folder, *arguments):
    return subprocess.run(
        [folder / "Packaging" / "release", *map(str, arguments)], capture_output=True, text=True)


def refusal(folder, *arguments):
    done = release(folder, *arguments)
    assert done.returncode == 1 and not done.stdout
    return done.stderr.strip().removeprefix("release: ")


@pytest.mark.parametrize("tag", [
    "1.2.0", "v1.2", "v1.2.0.1", "v1.2.0-", "latest", "v1.2.x", "v01.2.0", "v1.2.0-rc", "v1.2.0-rc.01", "v1.2.0-rc..1",
    "v1.2.0-x.1", "v1.2.0+1", "vv1.2.0", "v1.2.0\nv1.2.0", ""])
def test_a_name_that_is_no_version_is_refused(source, tag):
    assert refusal(source, tag) == f"{tag} is not a tag such as v1.0.0 or v1.0.0-rc.1"


@pytest.mark.parametrize("tag", ["v1.2.0-alpha.0", "v1.2.0-rc.10", "v1.2.0-dev", "v0.0.0"])
def test_a_version_that_all_packages_may_have_is_looked_for(source, tag):
    assert refusal(source, tag) == f"there is no tag {tag}, and Package.swift of HEAD says version 1.2.0"


def released(source):
    """Has the changelog list nothing above version 1.2.0."""
    page = source / "CHANGELOG.md"
    page.write_text(page.read_text().replace("Later.\n\n", ""))
    commit(source)


def test_a_version_without_a_tag_is_made_from_the_commit_that_names_it(source):
    released(source)
    done = release(source, "v1.2.0", *USUAL)
    assert done.returncode == 0, done.stderr
    head = subprocess.run(["git", "-C", source, "rev-parse", "HEAD"], capture_output=True, text=True).stdout.strip()
    assert done.stdout.splitlines()[-1] == f"This is {head}: git tag v1.2.0 {head}"
    made = source / ".build-release" / "1.2.0"
    without = {path.name: path.read_bytes() for path in made.iterdir()}
    git(source, "tag", "v1.2.0")
    done = release(source, "v1.2.0", *USUAL)
    assert done.returncode == 0 and "git tag" not in done.stdout
    assert {path.name: path.read_bytes() for path in made.iterdir()} == without


def test_a_commit_after_a_release_is_not_that_release(source):
    released(source)
    page = source / "CHANGELOG.md"
    page.write_text(page.read_text().replace("## Unreleased\n", "## Unreleased\n\n- A later change.\n"))
    commit(source)
    assert refusal(source, "v1.2.0") \
        == "there is no tag v1.2.0, and CHANGELOG.md of HEAD lists changes above '## 1.2.0'"


def test_a_commit_without_a_tag_needs_a_place_in_the_changelog(source):
    say(source, "1.2.1")
    commit(source)
    assert refusal(source, "v1.2.1") == "CHANGELOG.md of HEAD has no heading '## 1.2.1'"


def test_a_tag_of_another_version_than_the_sources_say_is_refused(source):
    git(source, "tag", "v1.3.0")
    assert refusal(source, "v1.3.0") == "Package.swift of v1.3.0 says version 1.2.0"


def test_a_version_without_a_place_in_the_changelog_is_refused(source):
    say(source, "1.2.1")
    commit(source)
    git(source, "tag", "v1.2.1")
    assert refusal(source, "v1.2.1") == "CHANGELOG.md of v1.2.1 has no heading '## 1.2.1'"


def test_the_state_of_the_tag_counts_and_not_that_of_the_folder(source):
    git(source, "tag", "v1.2.0")
    say(source, "1.3.0-dev")
    commit(source)
    done = release(source, "v1.2.0", *USUAL)
    assert done.returncode == 0, done.stderr


def test_a_folder_with_changes_is_refused(source):
    git(source, "tag", "v1.2.0")
    (source / "new.txt").touch()
    assert refusal(source, "v1.2.0") == "there are changes that are not committed: git status"


@pytest.mark.parametrize("arguments, words", [
    ([], "release TAG [--programs FOLDER] [--parts PARTS]"),
    (["v1.2.0", "--packages", "x"], "release TAG [--programs FOLDER] [--parts PARTS]"),
    (["v1.2.0", "--parts"], "release TAG [--programs FOLDER] [--parts PARTS]"),
    (["v1.2.0", "--programs", "nowhere"], "--programs: there is no folder nowhere"),
    (["v1.2.0", "--programs", "Makefile"], "--programs: there is no folder Makefile"),
    (["v1.2.0", "--parts", "deb rpm"], "rpm is not part of a release")])
def test_what_is_no_release_is_refused(source, arguments, words):
    git(source, "tag", "v1.2.0")
    assert refusal(source, *arguments) == words


def test_a_part_that_fails_and_a_file_that_is_missing_are_named(source):
    makefile = (source / "Makefile").read_text()
    (source / "Makefile").write_text(makefile.replace("relationd-dbgsym_", "other_"))
    commit(source)
    git(source, "tag", "v1.2.0")
    name = f".build-deb/packages/relationd-dbgsym_1.2.0_{ARCHITECTURE}.deb"
    done = release(source, "v1.2.0", "--parts", "deb")
    assert done.returncode == 1
    assert f"release: there is no .build-release/source/{name}" in done.stderr
    (source / "Makefile").write_text("deb:\n\tfalse\n")
    commit(source)
    git(source, "tag", "--force", "v1.2.0")
    done = release(source, "v1.2.0", "--parts", "deb")
    assert done.returncode == 1
    assert "release: make deb failed in .build-release/source" in done.stderr


def test_a_release_that_fails_leaves_the_one_before_as_it_is(source):
    git(source, "tag", "v1.2.0")
    assert release(source, "v1.2.0", "--parts", "deb chart").returncode == 0
    out = source / ".build-release" / "1.2.0"
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    makefile = (source / "Makefile").read_text()
    (source / "Makefile").write_text(makefile.replace("relationd-1.2.0.tgz", "other"))
    commit(source)
    git(source, "tag", "--force", "v1.2.0")
    done = release(source, "v1.2.0", "--parts", "chart deb")
    assert done.returncode == 1 and "there is no .build-release/source/" in done.stderr
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before
    assert {path.name for path in out.parent.iterdir()} == {"1.2.0", "source"}


@pytest.mark.skipif(os.geteuid() != 0, reason="the image needs the rights of root")
def test_a_contract_that_is_not_frozen_ends_a_release_before_it_compiles(source):
    makefile = (source / "Makefile").read_text()
    (source / "Makefile").write_text(
        makefile.replace("buf-module:\n", "buf-module:\n\techo run make freeze first >&2; false\n"))
    commit(source)
    git(source, "tag", "v1.2.0")
    done = release(source, "v1.2.0")
    assert done.returncode == 1 and "run make freeze first" in done.stderr
    assert not list((source / ".build-release" / "source").glob(".build-*"))


def test_the_packages_of_an_earlier_release_are_not_taken_again(source):
    (source / "Makefile").write_text("chart:\n\ttest ! -e Package.resolved\n" + CHART)
    commit(source)
    git(source, "tag", "v1.2.0")
    for _ in range(2):
        # A maintainer's own list is no part of a tag either.
        (source / "Package.resolved").write_text("{}")
        done = release(source, "v1.2.0", "--parts", "chart")
        assert done.returncode == 0, done.stderr
        (source / ".build-release" / "source" / "Package.resolved").write_text("{}")


def test_a_release_has_all_parts_notes_and_the_checksum_of_each(source):
    git(source, "tag", "v1.2.0")
    done = release(source, "v1.2.0", *USUAL)
    assert done.returncode == 0, done.stderr
    out = source / ".build-release" / "1.2.0"
    sums = dict(
        reversed(line.split("  ")) for line in (out / "SHA256SUMS").read_text().splitlines())
    image = {f"relationd-1.2.0-{ARCHITECTURE}.oci.tar"} if "image" in USUAL[1] else set()
    assert set(sums) == image | {
        f"relationd_1.2.0_{ARCHITECTURE}.deb", f"relationd-dbgsym_1.2.0_{ARCHITECTURE}.deb",
        f"relationd-1.2.0-linux-{ARCHITECTURE}.tar.gz", "relationd-1.2.0.spdx.json",
        "relation-1.2.0-buf.tar.gz", "relationd-1.2.0.tgz", "relation_client-1.2.0-py3-none-any.whl",
        "relation-client-1.2.0.tgz", "relation-client-php-1.2.0.zip",
        "relation-client-csharp-1.2.0.zip", "relation-client-go-1.2.0.tar.gz",
        "relation-client-java-1.2.0.tar.gz", "relation-chain-site-1.2.0.tar.gz",
        "relation-chain-1.2.0.tar.gz", "Package.resolved", "NOTES.md"}
    assert {path.name for path in out.iterdir()} == {*sums, "SHA256SUMS"}
    for name, digest in sums.items():
        assert hashlib.sha256((out / name).read_bytes()).hexdigest() == digest
    assert json.loads((out / "relationd-1.2.0.spdx.json").read_text()) == BILL
    # A link of the changelog leads to the file of the tag, wherever the notes are read.
    files = "https://git.example/chain/blob/v1.2.0"
    assert (out / "NOTES.md").read_text() == (
        f"### Added\n\n- [Now]({files}/docs/now.md#it), as [they](https://example.org/a) say "
        f"[below](#x), [too]({files}/SUPPORT.md).\n\n")
    with tarfile.open(out / "relation-chain-1.2.0.tar.gz") as archive:
        # The sources are built with the versions that the programs are of.
        assert archive.getnames().count("relation-chain-1.2.0/Package.resolved") == 1
        assert "relation-chain-1.2.0/Package.swift" in archive.getnames()
    with tarfile.open(out / "relation-client-go-1.2.0.tar.gz") as archive:
        assert "relation-client-go-1.2.0/v1.2.0.zip" in archive.getnames()
    before = {name: (out / name).read_bytes() for name in sums}
    assert release(source, "v1.2.0", *USUAL).returncode == 0
    after = {name: (out / name).read_bytes() for name in sums}
    # The folders of these are made anew, with times of their own, which no archive keeps.
    assert after == before


def test_a_folder_of_programs_stands_in_for_the_build(source, tmp_path):
    git(source, "tag", "v1.2.0")
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "relationd.spdx.json").write_text("{}")
    done = release(source, "v1.2.0", "--programs", programs, "--parts", "tar site")
    assert done.returncode == 0, done.stderr
    out = source / ".build-release" / "1.2.0"
    assert (out / "relationd-1.2.0.spdx.json").read_text() == "{}"
    with tarfile.open(out / "relation-chain-site-1.2.0.tar.gz") as archive:
        page = archive.extractfile("relation-chain-site-1.2.0/index.html").read().decode()
    assert page == f"{programs}\n"
    # No part that was not asked for is there.
    assert not list(out.glob("*.deb")) and not list(out.glob("*.whl"))


def test_make_release_gives_the_script_what_it_is_told():
    said = subprocess.run(
        ["make", "--dry-run", "release", "VERSION=1.2.0", "PROGRAMS=here", "PARTS=deb tar"],
        cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert " ".join(said.replace("\\\n", " ").split()) == (
        "Packaging/release v1.2.0 --programs 'here' --parts 'deb tar'")


# The module of buf


@pytest.fixture
def contract(tmp_path):
    """The contract, promised as it stands, with the script that packs it."""
    folder = tmp_path / "contract"
    shutil.copytree(ROOT / "proto", folder / "proto")
    (folder / "Packaging").mkdir()
    shutil.copy(ROOT / "Packaging" / "module", folder / "Packaging")
    described(folder / "proto", folder / "proto" / "released.binpb")
    return folder


def buf(*words):
    program = pathlib.Path(sys.executable).parent / "buf"
    return subprocess.run([program, *words], capture_output=True, text=True)


def described(source, path):
    done = buf("build", source, "--exclude-source-info", "-o", path)
    assert done.returncode == 0, done.stderr
    return path.read_bytes()


def pack(folder):
    program = pathlib.Path(sys.executable).parent / "buf"
    return subprocess.run(
        [folder / "Packaging" / "module", "1.2.0", "out", program], capture_output=True, text=True,
        env={**os.environ, "SOURCE_DATE_EPOCH": "1000000000"})


def test_the_module_says_what_is_promised_and_passes_its_own_rules(contract, tmp_path):
    assert pack(contract).returncode == 0
    made = contract / "out" / "relation-1.2.0-buf.tar.gz"
    assert described(made, tmp_path / "said.binpb") == (
        contract / "proto" / "released.binpb").read_bytes()
    assert buf("lint", made).returncode == 0
    with tarfile.open(made) as archive:
        names = {name.removeprefix("./") for name in archive.getnames()}
    assert {"buf.yaml", "LICENSE", "README.md", "relation/v1/friend.proto"} <= names
    assert not [name for name in names if name.endswith((".binpb", ".gen.yaml"))]
    first = made.read_bytes()
    assert pack(contract).returncode == 0 and made.read_bytes() == first


def test_a_module_of_more_than_is_promised_is_not_made(contract):
    (contract / "proto" / "relation" / "v1" / "more.proto").write_text(
        'syntax = "proto3";\npackage relation.v1;\nmessage More {}\n')
    done = pack(contract)
    assert done.returncode == 1 and "run make freeze first" in done.stderr
    assert not (contract / "out").exists()


def test_each_entry_of_the_changelog_stands_once_and_ends():
    # Two entries that are joined by mistake break off in a sentence, or have the same head twice.
    text = (ROOT / "CHANGELOG.md").read_text()
    parts = re.split(r"^- ", text, flags=re.MULTILINE)[1:]
    entries = [part.partition("\n\n")[0] for part in parts]
    heads = [entry[:60] for entry in entries]
    assert len(set(heads)) == len(heads), sorted(head for head in heads if heads.count(head) > 1)
    links = [link[1] for entry in entries if (link := re.match(r"\[([^]]+)\]\(", entry))]
    assert len(set(links)) == len(links), sorted(link for link in links if links.count(link) > 1)
    # A line after the end of a sentence begins a sentence.
    unended = [entry for entry in entries if not entry.rstrip().endswith((".", ":", ")", "|"))]
    assert not unended, unended
    broken = [entry for entry in entries if re.search(r"\.\n  [a-z]", entry)]
    assert not broken, broken
