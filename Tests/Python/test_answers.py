"""Checks the answers to the calls of all other tests."""

import importlib.util
import os
import pathlib
import re

import pytest
import reasons
from answers import PAGE, STATUSES

pytestmark = pytest.mark.last

OUT_OF_REACH = {
    "ERROR_REASON_UNSPECIFIED",
    # These need a race, or a broken or a full disk: other tests check them.
    "ERROR_REASON_CONFLICT",
    "ERROR_REASON_STORAGE_UNAVAILABLE",
    "ERROR_REASON_DISK_LOW",
    # An app must move between two databases.
    "ERROR_REASON_APP_MOVING",
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


@pytest.fixture(scope="module")
def cases():
    """The codes and reasons of calls that cases of the contract expect.

    `test_contract_cases.py` has two foreign clients and ours run all of these cases.
    """
    path = pathlib.Path(__file__).parents[1] / "Contract/check.py"
    spec = importlib.util.spec_from_file_location("contract_check", path)
    check = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(check)
    return check.covered()


def test_every_code_that_a_call_declares_was_answered_by_it(stubs, whole_run, cases):
    expected = {f"{row[0]}: {row[1]}" for row in cases if len(row) == 2}
    assert [row for row in stubs.answers.missing() if row not in expected] == []


def test_every_reason_in_reach_was_a_reason(stubs, whole_run):
    named = set(stubs.ErrorReason.keys())
    assert sorted(named - stubs.answers.reasons - OUT_OF_REACH) == []


def test_every_reason_of_a_result_was_given_by_each_call_with_each_code(
        stubs, whole_run, cases):
    # A test of the rules reaches this bound: it takes 100,000 suspensions.
    beyond = ("REASON_ACCOUNT_SUSPEND_NUM_EXCEED_THRESHOLD", "SuspendAccounts", 30001)
    names, call = {}, ""
    for line in PAGE.read_text().splitlines():
        call = line.removeprefix("#### ") if line.startswith("#### ") else call
        if found := re.match(r"\| (-?\d+) \| (\w+) \|", line):
            names[call, int(found[1])] = found[2]
    expected = {(row[2], row[0], row[1]) for row in cases if len(row) == 3}
    assert [
        (reason, call, code) for reason, call, code in stubs.answers.missing_reasons()
        if (reason, call, code) != beyond
        and (reason, call, names[call, code]) not in expected] == []


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
