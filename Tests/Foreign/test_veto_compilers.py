"""The hook of Examples/Veto in the languages whose compilers take long."""

import pytest
from stubs import Stubs
from test_veto_examples import try_hook


@pytest.fixture(scope="module")
def stubs(tmp_path_factory):
    return Stubs(tmp_path_factory.mktemp("stubs"))


@pytest.mark.parametrize("language", ["cpp", "swift"])
def test_a_hook_refuses_the_word_and_allows_others(language, tmp_path, stubs):
    try_hook(language, tmp_path, stubs)
