"""What `make bench-clients` makes of its rounds."""

import sys

import pytest
from relationd import ROOT

sys.path.insert(0, str(ROOT / "Benchmarks" / "clients"))

from figures import Failed, checked, full_speed, ratio, table  # noqa: E402
from runs import differences, group, kind  # noqa: E402


def test_a_ratio_is_the_median_of_those_within_a_round():
    rounds = [{"ours": 1, "C": 2}, {"ours": 30, "C": 10}, {"ours": 4, "C": 4}]
    assert ratio(rounds, "ours", "C") == 1


def test_the_first_full_slice_is_the_start_of_full_speed():
    assert full_speed([0, 0, 50, 90, 100] + [100] * 20) == 3


def test_a_burst_before_is_not_full_speed():
    assert full_speed([0, 300, 10, 20, 95] + [100] * 20) == 4


def test_a_server_that_answers_nothing_has_no_full_speed():
    with pytest.raises(Failed, match="never came to its full speed"):
        full_speed([0] * 40)


def test_too_few_slices_tell_no_full_rate():
    with pytest.raises(Failed, match="21 slices are too few"):
        full_speed([100] * 21)


GOOD = {"calls": 5, "failed": 0, "wrong": 0, "unanswered": 0}


def test_a_good_report_passes():
    assert checked(GOOD, "reads") is GOOD


@pytest.mark.parametrize("word", ["failed", "wrong", "unanswered"])
def test_a_report_of_bad_calls_fails(word):
    with pytest.raises(Failed, match=f"reads: 2 calls {word}"):
        checked(GOOD | {word: 2}, "reads")


def test_a_report_without_a_call_fails():
    with pytest.raises(Failed, match="reads: no call ended"):
        checked(GOOD | {"calls": 0}, "reads")


def test_threads_of_a_kind_are_taken_together():
    assert [kind(name) for name in ("NIO-ELT-1-#2", "committer", "rocksdb:low", "readers-3")] == [
        "NIO-ELT", "committer", "rocksdb:low", "readers"]
    before = {"1": ("NIO-ELT-1-#1", 1.0, 0.5, 3)}
    after = {"1": ("NIO-ELT-1-#1", 3.0, 0.75, 4), "2": ("NIO-ELT-1-#2", 4.0, 0.0, 9)}
    assert differences(before, after) == {"NIO-ELT": [6.0, 0.25, 10]}


def test_a_group_names_its_call_and_its_heads():
    words = group("reads", "S/C", "file", rate=7, heads=[("authorization", "Bearer k")])
    assert words == (
        "name=reads,path=/relation.v1.S/C,file=file,rate=7,head=authorization:Bearer k")


def test_a_table_has_numbers_to_the_right():
    assert table(["a", "b"], [["x", 1]]) == ["| a | b |", "|---|--:|", "| x | 1 |"]
