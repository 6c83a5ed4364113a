"""Looks at the files that a forge reads: forms, workflows, the configuration of updates."""

import pathlib
import re
import shutil
import subprocess
import sys

import pytest
import slowtest
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


def jobs():
    """The jobs of all workflows, each with the name of its file."""
    for file in WORKFLOWS:
        for name, job in yaml.safe_load(file.read_text())["jobs"].items():
            yield file.name, name, job


def container(job):
    """The image of a job that runs in one; nothing for another."""
    said = job.get("container")
    return said["image"] if isinstance(said, dict) else said


def test_workflows_call_targets_that_exist():
    targets = set(re.findall(r"^([a-z-]+):.*?## ", (ROOT / "Makefile").read_text(), re.MULTILINE))
    called = set()
    for _, _, job in jobs():
        called |= set(job.get("strategy", {}).get("matrix", {}).get("target", []))
        for step in job["steps"]:
            called |= set(re.findall(r"^make ([a-z-]+)", step.get("run", ""), re.MULTILINE))
    assert {"lint", "packages", "platforms", "site", "release"} <= called <= targets
    # The rest of what a change must pass is in one script.
    assert any(step.get("run") == "bash .ci/run" for _, _, job in jobs() for step in job["steps"])
    script = (ROOT / ".ci" / "run").read_text()
    assert "try lint" in script and "try test" in script
    assert re.search(r"^lint: gate ", (ROOT / "Makefile").read_text(), re.MULTILINE)


def test_each_night_runs_every_long_test():
    """A command that no workflow calls breaks, and is only seen when a release is made."""
    [nightly] = [job for file, _, job in jobs() if file == "nightly.yml"]
    long = {part.command[0] for part in slowtest.PARTS}
    assert long <= set(nightly["strategy"]["matrix"]["target"])


def test_workflows_use_the_toolchain_that_the_readme_names():
    version = re.search(r"Swift (\d+\.\d+) toolchain", (ROOT / "README.md").read_text())[1]
    for file, name, job in jobs():
        makes = any(
            re.search("make |[.]ci/run", step.get("run", "")) for step in job["steps"])
        assert container(job) == (f"swift:{version}-bookworm" if makes else None), (file, name)


def test_what_workflows_run_is_whole():
    """As far as it can be seen without a forge: actionlint sees more, where it is installed."""
    for file, name, job in jobs():
        assert job["timeout-minutes"] <= 120, (file, name)
        needed = job.get("needs", [])
        known = {other for of, other, _ in jobs() if of == file}
        assert {needed} if isinstance(needed, str) else set(needed) <= known
        for step in job["steps"]:
            assert ("run" in step) != ("uses" in step)
            if "uses" in step:
                assert re.fullmatch(r"actions/[a-z-]+@v\d+", step["uses"]), step
                continue
            # A text of the event would be code in a shell; only a word of the matrix may be.
            said = re.findall(r"\$\{\{ *(.*?) *\}\}", step["run"])
            assert set(said) <= {"matrix.target"}, (file, name)
            script = re.sub(r"\$\{\{.*?\}\}", "word", step["run"])
            done = subprocess.run(
                ["bash", "-n"], input=script, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr


def test_git_reads_the_sources_in_each_container():
    """The forge checks them out as another user, and git then refuses its own commands."""
    for file, name, job in jobs():
        steps = [step.get("run", step.get("uses", "")) for step in job["steps"]]
        if container(job) and any(step.startswith("actions/checkout@") for step in steps):
            [checkout] = [at for at, step in enumerate(steps) if step.startswith("actions/checkout")]
            assert steps[checkout + 1] == (
                'git config --global --add safe.directory "$GITHUB_WORKSPACE"'), (file, name)


def test_only_the_job_that_drafts_a_release_may_write():
    for file in WORKFLOWS:
        assert yaml.safe_load(file.read_text())["permissions"] == {"contents": "read"}
    writing = [name for _, name, job in jobs() if "permissions" in job]
    assert writing == ["draft"]


@pytest.mark.skipif(shutil.which("actionlint") is None, reason="actionlint is not installed")
def test_actionlint_finds_nothing():
    done = subprocess.run(
        ["actionlint", "-no-color", *WORKFLOWS], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")


def test_what_dependabot_looks_at_is_there():
    kept = yaml.safe_load((FORGE / "dependabot.yml").read_text())["updates"]
    files = {"swift": "Package.swift", "pip": "requirements.txt", "docker": "Dockerfile",
             "docker-compose": "compose.yaml", "github-actions": ".github/workflows/check.yml"}
    assert {one["package-ecosystem"] for one in kept} == set(files)
    for one in kept:
        folder = ROOT / one["directory"].lstrip("/")
        assert (folder / files[one["package-ecosystem"]]).is_file()


@pytest.mark.parametrize("page", ["README.md", "README.zh-CN.md"])
def test_badges_show_workflows_that_exist(page):
    address = (ROOT / "Packaging" / "address.txt").read_text().strip()
    shown = re.findall(
        rf"\[!\[(\w+)\]\({re.escape(address)}/actions/workflows/(\w+)\.yml/badge\.svg\)\]"
        rf"\({re.escape(address)}/actions/workflows/(\w+)\.yml\)", (ROOT / page).read_text())
    assert shown == [("check",) * 3, ("nightly",) * 3]
    assert {name for name, _, _ in shown} <= {file.stem for file in WORKFLOWS}
