"""Checks the answers to the calls of all other tests."""

import pytest
from answers import reasons

pytestmark = pytest.mark.last

# Reasons that need a broken or a full disk, a race, or a second server: other tests check those.
OUT_OF_REACH = {
    "ERROR_REASON_UNSPECIFIED",
    "ERROR_REASON_CONFLICT",
    "ERROR_REASON_BEHIND",
    "ERROR_REASON_STORAGE_UNAVAILABLE",
    "ERROR_REASON_DISK_LOW",
}


@pytest.fixture
def whole_run(request):
    config = request.config
    if config.option.keyword or any("::" in word or ".py" in word for word in config.args):
        pytest.skip("a run of some tests does not show every code")


def test_every_code_that_a_call_declares_was_answered_by_it(stubs, whole_run):
    assert stubs.answers.missing() == []


def test_every_reason_in_reach_was_a_reason(stubs, whole_run):
    named = set(stubs.ErrorReason.keys())
    assert sorted(named - stubs.answers.reasons - OUT_OF_REACH) == []


def test_every_reason_of_a_result_was_given(stubs, whole_run):
    assert sorted(reasons() - stubs.answers.infos) == []


def test_every_reason_that_was_given_is_one_of_the_servers(stubs):
    assert sorted(stubs.answers.infos - reasons()) == []


def test_the_page_names_every_call_of_the_contract(stubs):
    assert set(stubs.answers.calls) == {path.rsplit("/", 1)[1] for path in stubs.paths}
