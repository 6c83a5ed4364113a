"""The faults that `make mutations` puts back fit the sources as they are."""

import os
import select

import mutations
import pytest

STORY = """\
whole simulation: new seeds from RELATION_SEED=12345
recorded an issue: RELATION_SEED=12347, 300 steps, breaks:
  a promise
3 steps are enough:
recorded an issue: RELATION_SHARED_SEED=8, 2 servers, 200 steps, breaks:
2 steps are enough:
"""
FOUND = "found: RELATION_SEED=12347, RELATION_SHARED_SEED=8, 3 steps are enough:"


@pytest.fixture
def swift(monkeypatch, tmp_path):
    """Puts a program in place of the compiler: `swift(text of a shell)`."""

    def put(text):
        program = tmp_path / "swift"
        program.write_text("#!/bin/sh\n" + text)
        program.chmod(0o755)
        monkeypatch.setattr(mutations, "SWIFT", str(program))
        monkeypatch.setattr(mutations, "COPY", tmp_path)

    return put


def test_each_fault_changes_one_place_of_the_sources():
    assert [each.name for each in mutations.MUTATIONS if not each.is_possible()] == []


def test_each_fault_has_a_name_of_its_own_and_changes_something():
    names = [each.name for each in mutations.MUTATIONS]
    assert len(names) == len(set(names)) >= 12
    assert [each.name for each in mutations.MUTATIONS if each.old == each.new] == []


def test_an_unknown_fault_is_refused_with_the_names_that_there_are():
    with pytest.raises(SystemExit, match="there are these faults: half-pair, "):
        mutations.main(["no-such-fault"])


@pytest.mark.parametrize("text, result", [
    (f"cat <<END\n{STORY}END\nexit 1\n", FOUND), (f"cat <<END\n{STORY}END\n", "NOT FOUND"),
    ("echo exited with unexpected signal code 4 >&2; exit 1", "found: the program ends"),
    ("exit 1", "NOT FOUND"),
])  # fmt: skip
def test_a_result_names_each_history_that_was_told(swift, text, result):
    swift(text)
    assert mutations.found() == result


@pytest.mark.parametrize("failing, is_found", [
    ([], True), (["RELATION_SEED"], True), (["RELATION_SHARED_SEED"], True),
    (["RELATION_SEED", "RELATION_SHARED_SEED"], False),
])  # fmt: skip
def test_a_history_counts_if_it_passes_without_the_fault(swift, failing, is_found):
    swift("".join(f'[ -z "${name}" ] || exit 1\n' for name in failing))
    assert mutations.confirmed(FOUND).startswith("found: ") == is_found


def test_a_history_runs_again_alone_and_in_its_suite(swift, tmp_path):
    swift(f'echo "$*" $RELATION_SEED $RELATION_SHARED_SEED >> {tmp_path}/told\n')
    assert mutations.passes("RELATION_SEED", "7")
    assert mutations.passes("RELATION_SHARED_SEED", "8")
    told = [line.split("--filter ")[1] for line in (tmp_path / "told").read_text().splitlines()]
    assert told == ["WholeSimulationTests.WholeSimulationTests/everyKnownSeed 7",
                    "SharedSimulationTests/everyKnownSeed 8"]


def test_what_names_no_history_needs_none_again(monkeypatch):
    monkeypatch.setattr(mutations, "built", None)
    for result in "NOT FOUND", "found: the program ends":
        assert mutations.confirmed(result) == result


def test_tests_that_do_not_end_are_killed_with_the_program_that_started_them(
        swift, monkeypatch, tmp_path):
    monkeypatch.setattr(mutations, "SECONDS", "0.5")
    monkeypatch.setattr(mutations, "MARGIN_SECONDS", 1)
    os.mkfifo(tmp_path / "held")
    held = os.open(tmp_path / "held", os.O_RDONLY | os.O_NONBLOCK)
    # The tests hold the pipe open for as long as they live.
    swift(f"(exec sleep 600 > {tmp_path}/held) & wait\n")
    try:
        assert mutations.found() == "found: a history does not end"
        try:
            ended = os.read(held, 1)
        except BlockingIOError:
            assert select.select([held], [], [], 60)[0], "the tests go on"
            ended = os.read(held, 1)
        assert ended == b""
    finally:
        os.close(held)
