"""The ledger of long trials, and the page that sums it up."""

import ledger
import pytest


def test_the_page_has_the_sums_of_the_ledger():
    text = ledger.PAGE.read_text()
    assert ledger.page(text, ledger.rows(ledger.LEDGER.read_text())) == text, (
        "run: python Tests/Python/ledger.py")


def test_each_trial_adds_a_row_whether_it_passes_or_fails(tmp_path, monkeypatch):
    path = tmp_path / "trials.tsv"
    path.write_text("\t".join(ledger.COLUMNS) + "\n")
    real = ledger.add
    monkeypatch.setattr(ledger, "add", lambda *values: real(*values, path))
    monkeypatch.setenv("LEDGER", "yes")
    with ledger.Trial("kills", 7, kills=20):
        pass
    with pytest.raises(AssertionError), ledger.Trial("kills", 8, kills=3):
        raise AssertionError
    monkeypatch.delenv("LEDGER")
    with ledger.Trial("kills", 9, kills=20):
        pass
    passed, failed = ledger.rows(path.read_text())
    assert (passed.seed, passed.counts, passed.result) == ("7", {"kills": 20}, "passed")
    assert (failed.seed, failed.counts, failed.result) == ("8", {}, "failed: AssertionError")
    table = ledger.sums([passed, failed])
    assert "| servers killed among writes | 20 | 10,000 |" in table
    assert "| kills | 2 | 1 |" in table


def test_a_count_that_has_no_goal_is_refused(tmp_path):
    with pytest.raises(ValueError, match="no counts of a trial: \\['kils'\\]"):
        ledger.add("kills", 1, "passed", {"kils": 1}, path=tmp_path / "trials.tsv")
