"""The hook of Examples/Veto in Swift, with the packages that it names."""

from stubs import Stubs
from test_veto_examples import try_hook


def test_a_hook_refuses_the_word_and_allows_others(tmp_path):
    (tmp_path / "stubs").mkdir()
    try_hook("swift", tmp_path, Stubs(tmp_path / "stubs"))
