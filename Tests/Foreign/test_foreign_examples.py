"""The examples of other languages, built by their own makefiles, against a new server each."""

import subprocess

import pytest
from examples import (
    EXAMPLES, assert_it_says_that_no_server_listens, assert_it_tells_the_story_twice,
)
from relationd import Relationd


@pytest.fixture(scope="module", params=["Cpp", "Go", "Java", "Node", "Php", "Ruby"])
def example(request):
    folder = EXAMPLES / request.param
    subprocess.run(["make", "-j2", "-C", str(folder)], check=True)
    return [str(folder / "first-story")]


def test_a_foreign_example_tells_its_story_as_often_as_it_is_run(example, tmp_path):
    with Relationd(tmp_path / "data") as server:
        assert_it_tells_the_story_twice(example, server.address)


def test_a_foreign_example_says_that_no_server_listens(example):
    assert_it_says_that_no_server_listens(example)
