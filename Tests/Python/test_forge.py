"""Looks at the files that a forge reads: forms, workflows, the configuration of updates."""

import pathlib
import re
import subprocess
import sys

import pytest
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
FORGE = ROOT / ".github"
WORKFLOWS = sorted((FORGE / "workflows").glob("*.yml"))
FORMS = sorted((FORGE / "ISSUE_TEMPLATE").glob("*.yml"))
RULES = """
extends: default
rules:
  line-length: {max: 100}
  document-start: disable
  truthy: {check-keys: false}
"""


def check(schema, *files):
    """Compares files with a schema that check-jsonschema brings along."""
    program = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}"]
    return subprocess.run([*program, *files], capture_output=True, text=True)


KINDS = {
    "github-workflows": WORKFLOWS,
    "github-issue-forms": [file for file in FORMS if file.name != "config.yml"],
    "github-issue-config": [FORGE / "ISSUE_TEMPLATE" / "config.yml"],
    "dependabot": [FORGE / "dependabot.yml"],
}


@pytest.mark.parametrize("schema", KINDS)
def test_files_have_the_form_that_the_forge_wants(schema):
    answer = check(schema, *KINDS[schema])
    assert answer.returncode == 0, answer.stdout + answer.stderr


def test_every_file_of_the_forge_has_a_schema():
    known = {file for files in KINDS.values() for file in files}
    assert known == set(FORGE.rglob("*.yml"))


def test_the_schemas_refuse_a_wrong_file(tmp_path):
    wrong = tmp_path / "check.yml"
    wrong.write_text(WORKFLOWS[0].read_text().replace("runs-on:", "runs-at:"))
    assert check("github-workflows", wrong).returncode == 1


def test_the_files_are_plain_yaml():
    answer = subprocess.run(
        [sys.executable, "-m", "yamllint", "--strict", "-d", RULES, FORGE],
        capture_output=True,
        text=True,
    )
    assert answer.returncode == 0, answer.stdout


def test_workflows_call_targets_that_exist():
    targets = set(re.findall(r"^([a-z-]+):.*?## ", (ROOT / "Makefile").read_text(), re.MULTILINE))
    called = set()
    for file in WORKFLOWS:
        for job in yaml.safe_load(file.read_text())["jobs"].values():
            called |= set(job.get("strategy", {}).get("matrix", {}).get("target", []))
            for step in job["steps"]:
                called |= set(re.findall(r"^make ([a-z-]+)$", step.get("run", ""), re.MULTILINE))
    assert {"slowtest", "deb"} <= called <= targets


def test_workflows_use_the_toolchain_that_the_readme_names():
    version = re.search(r"Swift (\d+\.\d+) toolchain", (ROOT / "README.md").read_text())[1]
    for file in WORKFLOWS:
        for job in yaml.safe_load(file.read_text())["jobs"].values():
            assert job["container"] == f"swift:{version}-bookworm", file.name
