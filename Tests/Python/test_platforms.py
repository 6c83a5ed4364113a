"""The page of platforms says what its record says, and the record has what tests have tried."""

import json
import re
import shutil
import subprocess

import platforms
import pytest
from relationd import ROOT

KNOWN = json.loads(platforms.RECORD.read_text())
TESTED = (ROOT / "Tests" / "Platforms" / "test_postgresql.py").read_text()
SUITES = {int(major) for major in re.findall(r'(\d+): "[a-z]+"', TESTED)}


def majors():
    return {platforms.version(name)[0] for name in KNOWN["postgresql"]}


def test_the_page_is_made_from_the_record():
    page = (ROOT / "docs" / "platforms.md").read_text()
    assert page == platforms.page(KNOWN)
    for name in KNOWN["postgresql"]:
        assert f"| {name} | " in page


def test_each_row_of_the_record_is_whole():
    fields = {
        "build": {"system", "swift", "rocksdb", "libpq", "cases", "of"},
        "postgresql": {"system", "cases", "of"}, "archive": {"glibc"}}
    assert set(KNOWN) <= set(fields)
    for kind, rows in KNOWN.items():
        for row in rows.values():
            # Rows that are older than the column of commits have none.
            assert set(row) - {"commit"} == fields[kind] | {"day", "architecture"}
            assert re.fullmatch(r"[0-9a-f]{12}\+?", row.get("commit", "0" * 12))
            assert re.fullmatch(r"20\d\d-\d\d-\d\d", row["day"])
            assert kind == "archive" or 0 < row["cases"] <= row["of"]


def test_other_pages_name_the_versions_that_were_tried():
    assert majors() <= SUITES
    text = (ROOT / "docs" / "postgresql.md").read_text()
    named = re.search(r"\[(\d+) to (\d+)\]\(platforms.md#postgresql\)", text)
    assert set(range(int(named[1]), int(named[2]) + 1)) == majors()
    readme = (ROOT / "README.md").read_text()
    toolchain = re.search(r"Swift (\d+\.\d+) toolchain", readme)[1]
    assert all(row["swift"].startswith(toolchain) for row in KNOWN["build"].values())


def test_a_record_is_kept_only_if_it_is_asked_for(tmp_path, monkeypatch):
    path = tmp_path / "record.json"
    monkeypatch.delenv("PLATFORMS", raising=False)
    platforms.record("archive", "Debian 12", glibc="2.36")
    assert not path.exists()
    monkeypatch.setenv("PLATFORMS", str(path))
    platforms.record("archive", "Debian 12", glibc="2.35")
    platforms.record("archive", "Debian 12", glibc="2.36")
    platforms.record("archive", "Debian 13", glibc="2.41")
    known = json.loads(path.read_text())
    assert {name: row["glibc"] for name, row in known["archive"].items()} == {
        "Debian 12": "2.36", "Debian 13": "2.41"}
    page = platforms.page(known)
    assert re.search(
        r"^\| Debian 13 \| \S+ \| 2\.41 \| 20[-0-9]+ \| [0-9a-f]{12}\+? \|$", page, re.MULTILINE)


def test_a_row_names_its_commit_and_whether_it_was_all(tmp_path, monkeypatch):
    def git(*arguments):
        subprocess.run(
            ["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@example.org",
             *arguments], check=True, capture_output=True)

    (tmp_path / "docs").mkdir()
    for name in ("source", "docs/platforms.json"):
        (tmp_path / name).write_text("one\n")
    git("init", "--quiet")
    git("add", "--all")
    git("commit", "--quiet", "--message", "one")
    monkeypatch.setattr(platforms, "ROOT", tmp_path)
    clean = platforms.commit()
    assert re.fullmatch("[0-9a-f]{12}", clean)
    # The record itself changes while tests write it.
    (tmp_path / "docs" / "platforms.json").write_text("two\n")
    assert platforms.commit() == clean
    (tmp_path / "source").write_text("two\n")
    assert platforms.commit() == clean + "+"


# What stands in for a compiler and for Python: it notes what it is asked for.
NOTES = """#!/bin/sh
echo "$(basename "$0") $*" >> asked.txt
case "$*" in *--show-bin-path) echo bin ;; esac
"""
BUILDS = [
    "swift build --product relationd", "swift build --product relationctl",
    "swift build --show-bin-path"]
PYTEST = "python -m pytest -c Tests/Python/pytest.ini"


@pytest.fixture
def tree(tmp_path):
    """A folder in which `make platforms` finds all that it runs, and tries nothing."""
    for name in ("Makefile", "Tests/Python/requirements.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "docs").mkdir()
    (tmp_path / "Package.resolved").touch()
    (tmp_path / "Tests/Python/platforms.py").write_text("print('# Platforms')\n")
    for name in ("swift", ".build-python/bin/python"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(NOTES)
        (tmp_path / name).chmod(0o755)
    (tmp_path / ".build-python/installed").touch()
    return tmp_path


def platforms_made(tree, *parts):
    # No package of Debian is installed by a test.
    there = [word for name in ("test", "packages") for word in ("-o", f"{name}-packages")]
    return subprocess.run(
        ["make", *there, "platforms", f"SWIFT={tree}/swift",
         *([f"PARTS={' '.join(parts)}"] if parts else [])], cwd=tree, capture_output=True, text=True)


@pytest.mark.parametrize("parts, asked", [
    ([], [*BUILDS, f"{PYTEST} Tests/Platforms/test_build.py Tests/Platforms/test_postgresql.py",
          f"{PYTEST} Tests/Packages/test_tar.py"]),
    (["databases"], [*BUILDS, f"{PYTEST} Tests/Platforms/test_postgresql.py"]),
    (["archive"], [f"{PYTEST} Tests/Packages/test_tar.py"])])
def test_one_command_renews_all_parts_or_some(tree, parts, asked):
    done = platforms_made(tree, *parts)
    assert done.returncode == 0, done.stderr
    assert (tree / "asked.txt").read_text().splitlines() == asked
    assert (tree / "docs/platforms.md").read_text() == "# Platforms\n"


def test_a_part_that_platforms_does_not_have_is_refused(tree):
    done = platforms_made(tree, "archive", "tar")
    assert done.returncode == 2 and "and no tar" in done.stderr
    assert not (tree / "asked.txt").exists()


def test_what_the_program_was_built_with_is_found():
    built = platforms.built_with()
    assert all(re.match(r"\d+\.\d+", built[name]) for name in ("swift", "rocksdb", "libpq"))
