"""Checks the answers to the calls of all other tests."""

import os
import pathlib
import re

import pytest
import reasons
from answers import STATUSES

pytestmark = pytest.mark.last

OUT_OF_REACH = {
    "ERROR_REASON_UNSPECIFIED",
    # These need a race, or a broken or a full disk: other tests check them.
    "ERROR_REASON_CONFLICT",
    "ERROR_REASON_STORAGE_UNAVAILABLE",
    "ERROR_REASON_DISK_LOW",
    # No test sees it: one process alone never sends it (docs/known-limits.md).
    "ERROR_REASON_BEHIND",
}


@pytest.fixture(scope="module", autouse=True)
def other_processes(stubs):
    """Adds the answers to the tests that other processes ran."""
    if "ANSWERS" in os.environ:
        stubs.answers.load(pathlib.Path(os.environ["ANSWERS"]))


@pytest.fixture
def whole_run(request):
    config = request.config
    if "ANSWERS" in os.environ:
        return
    if config.option.keyword or any("::" in word or ".py" in word for word in config.args):
        pytest.skip("a run of some tests does not show every code and every reason")


def test_every_code_that_a_call_declares_was_answered_by_it(stubs, whole_run):
    assert stubs.answers.missing() == []


def test_every_reason_in_reach_was_a_reason(stubs, whole_run):
    named = set(stubs.ErrorReason.keys())
    assert sorted(named - stubs.answers.reasons - OUT_OF_REACH) == []


def test_every_reason_of_a_result_was_given_by_each_call_with_each_code(stubs, whole_run):
    # A test of the rules reaches this bound: it takes 100,000 suspensions.
    beyond = ("REASON_ACCOUNT_SUSPEND_NUM_EXCEED_THRESHOLD", "SuspendAccounts", 30001)
    assert [row for row in stubs.answers.missing_reasons() if row != beyond] == []


def test_the_page_names_every_call_of_the_contract(stubs):
    assert set(stubs.answers.calls) == {path.rsplit("/", 1)[1] for path in stubs.paths}


# The table of reasons


def test_the_table_has_a_row_for_every_value_of_the_enum(stubs):
    values = {value.number: value.name for value in stubs.Reason.DESCRIPTOR.values if value.number}
    table = reasons.table()
    assert {number: row.name for number, row in table.items()} == values
    assert len({row.info for row in table.values()}) == len(table)


def test_the_name_of_a_value_is_its_info_in_capitals():
    rows = reasons.table().values()
    assert [(row.name, row.info) for row in rows if row.name != reasons.name_of(row.info)] == []


def test_every_row_names_calls_that_there_are_and_codes_that_they_declare(stubs):
    numbers = {}
    for enum in sorted(STATUSES):
        for value in getattr(stubs, enum).DESCRIPTOR.values:
            numbers.setdefault(value.number, set()).add(value.name)
    for row in reasons.table().values():
        assert row.calls and row.codes and row.advice, row.name
        assert row.calls <= set(stubs.answers.calls), row.name
        assert (row.codes <= {0, 30539}) == (row.name in reasons.DONE), row.name
        for _, call, code in row.sent:
            assert numbers[code] & stubs.answers.calls[call], (row.name, call, code)


def test_every_row_says_what_it_means_and_what_a_caller_does(stubs):
    for row in reasons.table().values():
        assert len(re.findall(r"[\w`)]\.( |$)", row.advice)) >= 2, (row.name, row.advice)
