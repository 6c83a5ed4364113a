"""The table of lists in docs/calling.md: each call of the contract that answers pages has a row, and
what the row says of its count, its events and its limits is what the contract has."""

import re

import pytest
from stubs import ROOT
from test_every_call import CALLS

TABLE = re.compile(r"^\| `(\w+)` \| (.+) \| (.+) \| (.+) \| (.+) \|$", re.M)
KIND = re.compile(r"\b[A-Z]+(?:_[A-Z]+)+\b")


def rows():
    page = (ROOT / "docs/calling.md").read_text()
    part = page.split("### Each list")[1].split("\n## ")[0]
    return {row[1]: row.groups()[1:] for row in TABLE.finditer(part)}


def fields(message):
    return {field.name for field in message.fields}


def lists(stubs):
    """The calls that answer pages, with their answers."""
    answers = {call: stubs.method(call)[1].output_type for call in CALLS}
    return {call: answer for call, answer in answers.items() if "next_page_token" in fields(answer)}


def test_each_call_with_pages_has_a_row(stubs):
    assert set(rows()) == set(lists(stubs))


def test_a_row_says_whether_the_answer_counts(stubs):
    for call, (_, total, _, _) in rows().items():
        assert ("total_size" in fields(lists(stubs)[call])) != total.startswith("none"), call


def test_what_keeps_a_copy_is_in_the_contract(stubs):
    kinds = {kind.removeprefix("CHANGE_KIND_") for kind in stubs.ChangeKind.keys()}
    for call, (_, _, changes, _) in rows().items():
        named = set(KIND.findall(changes))
        assert named <= kinds, call
        assert set(re.findall(r"`(\w+)`", changes)) <= set(CALLS), call
        assert named or re.match("none|as ListFriends|it lists them", changes), call


def test_named_limits_are_settings_of_apps(stubs):
    limits = fields(stubs.message("AppLimits").DESCRIPTOR)
    for call, (_, _, _, most) in rows().items():
        assert set(re.findall(r"`limits\.(\w+)`", most)) <= limits, call


@pytest.mark.parametrize("call", ["ListReverseFriends", "FindUsers"])
def test_lists_that_nothing_bounds_say_so(call):
    assert rows()[call][3] == "none"
