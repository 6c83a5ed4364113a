"""The table of docs/performance.md that says what each write costs, and the script that fills it."""

import re

import pytest
from bench_check import CEILINGS, Failed, read_ceilings
from write_costs import CALLS, HEAD, NONE, PAGE, RULE, filled, read_rows, split

TABLE = "\n".join([
    "before", HEAD, RULE, "| `Follow` | 9 | 10 | 265 | 308,000 |",
    "| `Unfollow` | 7 | 10 | 224 | – |", "", "after",
])  # fmt: skip


def test_a_number_that_was_counted_takes_the_place_of_the_one_before():
    page = filled(TABLE, {}, {"Unfollow": 251_499.6})
    assert "| `Unfollow` | 7 | 10 | 224 | 251,000 |" in page
    assert "| `Follow` | 9 | 10 | 265 | 308,000 |" in page
    assert page.startswith("before\n") and page.endswith("\n\nafter")


def test_rows_that_were_measured_come_in_and_keep_their_instructions():
    measured = read_rows(["| `Follow` | 8 | 9 | 200 |", "| `DecideReviews` | 1 | 2 | 3 |"])
    page = filled(TABLE, measured, {})
    assert "| `Follow` | 8 | 9 | 200 | 308,000 |" in page
    assert f"| `DecideReviews` | 1 | 2 | 3 | {NONE} |" in page
    assert filled(page, measured, {}) == page


def test_a_row_that_no_counted_call_stands_for_is_a_fault():
    with pytest.raises(Failed, match="knows no counted call"):
        filled(TABLE, {"`Other`": ["1", "2", "3"]}, {})


def test_the_page_has_a_number_or_none_in_each_row():
    rows = read_rows(split(PAGE.read_text())[1])
    assert rows.keys() <= CALLS.keys()
    for name, cells in rows.items():
        assert len(cells) == 4, name
        assert all(re.fullmatch(r"[\d,]+", cell) for cell in cells[:3]), name
        assert cells[3] == NONE or re.fullmatch(r"\d{1,3}(,\d{3})*", cells[3]), name


def test_the_page_has_the_numbers_of_the_ceilings():
    ceilings = read_ceilings(CEILINGS.read_text())
    for name, cells in read_rows(split(PAGE.read_text())[1]).items():
        if ceiling := ceilings.get(f"{CALLS[name]}.batch16"):
            told = int(cells[3].replace(",", ""))
            # Tests/Python/write_costs.py without arguments takes them over.
            assert abs(told / ceiling.instructions - 1) < 0.03, (name, told, ceiling)
