"""The examples in Swift and Python, against a new server each; the others are in Tests/Foreign."""

import os
import re
import shutil
import subprocess
import sys

import pytest
from examples import (
    EXAMPLES, assert_it_says_that_no_server_listens, assert_it_tells_the_story_twice,
)
from relationd import ROOT, executable


def commands_of_the_readme(language):
    """The lines of shell that the README gives for a language."""
    section = (EXAMPLES / "README.md").read_text().split(f"\n## {language}\n")[1]
    return re.search(r"```sh\n(.*?)```", section, re.DOTALL)[1]


@pytest.fixture(scope="module")
def python_example(tmp_path_factory):
    """The program in Python with stubs that the README's commands made, in a copy of the folder."""
    copy = tmp_path_factory.mktemp("copy")
    shutil.copytree(ROOT / "proto", copy / "proto")
    folder = copy / "Examples" / "Python"
    shutil.copytree(EXAMPLES / "Python", folder, ignore=shutil.ignore_patterns("relation"))
    # The packages are installed already, and the last line runs the program without an address.
    lines = commands_of_the_readme("Python").splitlines(keepends=True)
    assert lines[0] == "cd Examples/Python\n"
    assert lines[1] == "python3 -m venv venv && . venv/bin/activate\n"
    assert lines[2] == "pip install --requirement requirements.txt\n"
    assert lines[-1] == "python3 first_story.py\n"
    path = os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"]
    subprocess.run(
        ["sh", "-euc", "".join(lines[3:-1])], cwd=folder, env={**os.environ, "PATH": path},
        check=True)
    return [sys.executable, str(folder / "first_story.py")]


@pytest.fixture(params=["Swift", "Python"])
def example(request):
    if request.param == "Swift":
        return [executable("example-swift")]
    return request.getfixturevalue("python_example")


def test_an_example_tells_its_story_as_often_as_it_is_run(example, start):
    assert_it_tells_the_story_twice(example, start().address)


def test_an_example_says_that_no_server_listens(example):
    assert_it_says_that_no_server_listens(example)


def test_the_example_in_python_wants_packages_that_it_is_tested_with():
    def packages(path):
        return {line for line in path.read_text().splitlines() if not line.startswith("#")}

    wanted = packages(EXAMPLES / "Python" / "requirements.txt")
    assert wanted and wanted <= packages(ROOT / "Tests/Python/requirements.txt")
