"""Every language's client agrees with the server on every case that the language can express."""

import json
import re
import subprocess

import pytest
from relationd import ROOT, Relationd

CONTRACT = ROOT / "Tests" / "Contract"
# The needs of cases that a language cannot meet, as its page says.
CANNOT = {
    "cpp": set(),
    "go": set(),
    "java": set(),
    "node": set(),
    "php": {"bidirectional", "earlyAnswer"},
    "python": set(),
    "ruby": set(),
    "swift": {"unknownFields"},
}
SUMMARY = re.compile(r"(\d+) cases passed, (\d+) failed(?:, (\d+) skipped)?")
TITLE = "## What it cannot have"


def unmet(language):
    """The cases that the runner of a language names as skipped."""
    return {
        f"{path.parent.name}/{path.stem}: {case['name']}"
        for path in CONTRACT.glob("cases/*/*.json")
        for case in json.loads(path.read_text())["cases"]
        if CANNOT[language] & set(case.get("needs", []))
    }


def test_each_folder_of_a_runner_is_a_language_that_is_tested():
    assert {path.parent.name for path in CONTRACT.glob("*/Makefile")} == set(CANNOT)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """One server for all languages: cases of one run never meet those of another."""
    with Relationd(tmp_path_factory.mktemp("relationd") / "data", "--hooks") as running:
        yield running


@pytest.mark.parametrize("language", CANNOT)
def test_the_page_of_a_language_says_what_it_cannot_have(language):
    _, found, part = (CONTRACT / language / "README.md").read_text().partition(TITLE)
    assert bool(found) == bool(CANNOT[language])
    assert {need for need in CANNOT[language] if f"`{need}`" not in part} == set()


@pytest.mark.parametrize("language", CANNOT)
def test_a_client_agrees_with_the_server_on_every_case(language, server):
    done = subprocess.run(
        ["make", "--no-print-directory", "-C", CONTRACT / language, "run",
         f"SERVER={server.address}"],
        capture_output=True, text=True, timeout=1800)
    assert done.returncode == 0, done.stdout + done.stderr
    passed, failed, skipped = (
        int(number or 0) for number in SUMMARY.fullmatch(done.stdout.splitlines()[-1]).groups())
    names = re.findall(r"^skipped: (.*): needs .*$", done.stdout, re.M)
    assert (failed, skipped, set(names)) == (0, len(names), unmet(language))
    cases = CONTRACT.glob("cases/*/*.json")
    assert passed + skipped == sum(len(json.loads(path.read_text())["cases"]) for path in cases)
