"""The figures that the fuzzing script reads from libFuzzer's log."""

import pathlib

from fuzz import CORPUS, arguments, executions, kept, reason

ENDED = """#2\tINITED cov: 5 ft: 6 corp: 1/1b
#4096\tpulse  cov: 5 ft: 6 corp: 1/1b
stat::number_of_executed_units: 5210
stat::average_exec_per_sec:     500
"""
BROKEN = """#2\tINITED cov: 5 ft: 6 corp: 1/1b
#77\tNEW    cov: 6 ft: 7 corp: 2/3b
FuzzTests/LibFuzzer.swift:42: Fatal error: json: {} is another message
==12== ERROR: libFuzzer: deadly signal
artifact_prefix='x/'; Test unit written to x/json-crash-0a
"""


def test_the_executions_of_a_run_are_read():
    assert executions(ENDED) == 5210
    assert executions(BROKEN) == 77
    assert executions("the program is missing") == 0


def test_what_broke_is_told_with_its_input():
    assert reason(BROKEN).endswith("json: {} is another message")
    assert kept(BROKEN) == pathlib.Path("x/json-crash-0a")
    assert kept(ENDED) is None


def test_a_run_begins_with_the_corpus_and_keeps_it_as_it_is():
    words = arguments("json", 5, 77, pathlib.Path("work"))
    assert "-max_total_time=5" in words and "-seed=77" in words
    # New inputs go into the first folder.
    assert words[-2:] == ["work/json", str(CORPUS / "json")]
