"""The Makefile: `make help` shows the commands of every day first, and each recipe is well formed."""

import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def targets():
    """The commands that say what they do."""
    return re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text(), re.MULTILINE)


def test_the_everyday_commands_come_first():
    shown = subprocess.run(
        ["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    everyday, rest = re.fullmatch(
        r"Every day:\n(.*)\n\nNow and then:\n(.*)\n", shown, flags=re.DOTALL
    ).groups()
    days, others = ([line.split(maxsplit=2) for line in part.splitlines()]
                    for part in (everyday, rest))
    assert len(days) == 10
    assert [name for _, name, _ in days][:2] == ["run", "test"]
    # Each command that says what it does is shown once.
    assert sorted(name for _, name, _ in days + others) == sorted(targets())
    assert all(about for _, _, about in days + others)


@pytest.mark.parametrize("command", [
    *([target] for target in targets()),
    ["run", "STORE=postgresql"],
    ["test", "BUILD=once", "BESIDE=bench-check"],
], ids=" ".join)
def test_each_recipe_is_well_formed(command):
    """The shell reads each recipe to its end, and runs nothing of it."""
    read = subprocess.run(
        ["make", "--always-make", *command, ".SHELLFLAGS=-n -c"], cwd=ROOT, capture_output=True,
        text=True, timeout=60)
    assert (read.returncode, read.stderr) == (0, "")


def test_no_loop_passes_over_a_failure():
    """`set -e` does not end a recipe in the condition of a loop, so the work stands in its body."""
    text = (ROOT / "Makefile").read_text()
    assert not re.search(r"^\t\s*(while|until)$|\bdo :; done", text, re.MULTILINE)


def test_a_command_builds_the_programs_that_it_needs_and_no_others():
    """`swift build` without a product compiles all programs and examples, for some minutes."""
    text = (ROOT / "Makefile").read_text().replace("\\\n", " ")
    lines = re.findall(r"^\t.*\$\(SWIFT\) build\b.*", text, re.MULTILINE)
    whole = [line for line in lines
             if not re.search(r"--(product|build-tests|show-bin-path)\b", line)]
    assert len(lines) > 40 and whole == []


def test_a_recipe_that_writes_into_the_build_makes_its_folder_first():
    """The shell opens the file before `swift` makes the folder, which a fresh clone lacks."""
    text = (ROOT / "Makefile").read_text()
    recipes = re.findall(r"^([a-z-]+):.*\n((?:\t.*\n)+)", text, re.MULTILINE)
    writing = {name: recipe for name, recipe in recipes if re.search(r"(>|tee) \.build/", recipe)}
    assert {"docs", "platforms-page", "simulate"} <= set(writing)
    for name, recipe in writing.items():
        before = recipe[:re.search(r"(>|tee) \.build/", recipe).start()]
        lines = before.splitlines()[:-1]
        assert any(re.match(r"\t@?(mkdir -p \.build$|\$\(SWIFT\) build )", line)
                   for line in lines), name
