"""The comparison of counted instructions and allocations with their ceilings."""

import pathlib
import subprocess

import pytest
from bench_check import (
    CEILINGS,
    Ceiling,
    Count,
    Failed,
    before_last_change,
    count,
    judge,
    number_of_part,
    read_ceilings,
    read_profile,
    renewed,
    together,
    unexplained,
    write_ceilings,
)

CEILING = Ceiling(10_000, 20, "it reads four keys")


def judged(instructions=10_000.0, allocations=20.0, ceiling=CEILING):
    return judge({"call": Count(instructions, allocations)}, {"call": ceiling})


@pytest.mark.parametrize("factor", [1, 1.03, 0.971])
def test_a_count_near_its_ceiling_passes(factor):
    assert judged(10_000 * factor, 20 * factor) == ([], [])


@pytest.mark.parametrize("counts", [(10_310, 20), (10_000, 20.7), (10_310, 10)])
def test_a_count_above_its_ceiling_fails(counts):
    faults, _ = judged(*counts)
    assert faults
    assert "raise it with a reason" in faults[0]


@pytest.mark.parametrize(("counts", "kind"), [
    ((9_690, 20), "instructions"), ((10_000, 19.3), "allocations"), ((9_700, 20), "instructions"),
])  # fmt: skip
def test_a_count_below_its_ceiling_asks_to_lower_it(counts, kind):
    faults, requests = judged(*counts)
    assert not faults
    assert len(requests) == 1
    assert kind in requests[0]
    assert "please lower it" in requests[0]


def test_a_count_far_below_its_ceiling_fails():
    faults, requests = judged(8_900)
    assert [fault.endswith("lower it") for fault in faults] == [True]
    assert not requests


def test_the_first_allocation_of_a_call_fails():
    none = Ceiling(10_000, 0, "pools keep all of it")
    assert judged(allocations=0.02, ceiling=none) == ([], [])
    assert judged(allocations=0.03, ceiling=none)[0]


def test_a_call_without_a_ceiling_fails():
    faults, _ = judge({"call": Count(1, 1), "other": Count(1, 1)}, {"call": Ceiling(1, 1, "why")})
    assert faults == ["other has no ceiling"]


def test_a_ceiling_without_a_call_fails():
    faults, _ = judge({}, {"call": CEILING})
    assert faults == ["call has a ceiling, and no call has that name"]


def test_a_ceiling_without_a_reason_fails():
    faults, _ = judged(ceiling=CEILING._replace(reason=""))
    assert faults == ["call has a ceiling without a reason"]


@pytest.mark.parametrize(("json", "is_fine"), [(30_000, True), (30_001, False)])
def test_a_call_in_json_takes_at_most_three_times_its_protobuf(json, is_fine):
    counts = {"call": Count(10_000, 20), "call.json": Count(json, 20)}
    ceilings = {name: Ceiling(*counted, "why") for name, counted in counts.items()}
    faults, _ = judge(counts, ceilings)
    assert faults == [] if is_fine else "may take 3 times as much" in faults[0]


@pytest.mark.parametrize(("history", "is_fine"), [(13_000, True), (13_001, False)])
def test_a_write_with_a_history_takes_at_most_thirteen_tenths_of_one_without(history, is_fine):
    counts = {"call": Count(10_000, 20), "call.history": Count(history, 20)}
    ceilings = {name: Ceiling(*counted, "why") for name, counted in counts.items()}
    faults, _ = judge(counts, ceilings)
    assert faults == [] if is_fine else "may take 1.3 times as much" in faults[0]


# The file


def test_ceilings_are_read_as_they_were_written():
    ceilings = {"one": CEILING, "other": Ceiling(1, 0.25, "")}
    assert read_ceilings(write_ceilings(ceilings)) == ceilings


@pytest.mark.parametrize("text", ["call\t1\t2", "call\t1\t2\twhy\tmore", "a\t1\t2\tb\na\t1\t2\tb"])
def test_a_broken_file_is_refused(text):
    with pytest.raises(Failed):
        read_ceilings(text)


def test_the_committed_ceilings_have_reasons():
    for name, ceiling in read_ceilings(CEILINGS.read_text()).items():
        assert ceiling.reason, name


# New ceilings


def test_a_ceiling_that_rises_needs_another_reason():
    raised = CEILING._replace(instructions=10_001)
    assert unexplained({"call": CEILING}, {"call": raised}) == ["call"]
    assert not unexplained({"call": CEILING}, {"call": raised._replace(reason="it reads five")})
    assert not unexplained({"call": CEILING}, {"call": CEILING._replace(allocations=19)})
    assert not unexplained({}, {"call": CEILING})


def test_the_ceilings_of_before_are_those_of_the_change_before_the_last(tmp_path):
    def git(*words):
        command = ["git", "-C", tmp_path, "-c", "user.name=a", "-c", "user.email=a@example.org"]
        subprocess.run([*command, *words], check=True, capture_output=True)

    def write(number):
        path.write_text(write_ceilings({"call": CEILING._replace(instructions=number)}))

    def before():
        return before_last_change(path, tmp_path)["call"].instructions

    path = tmp_path / "ceilings.tsv"
    git("init")
    write(1)
    assert before_last_change(path, tmp_path) is None
    git("add", ".")
    git("commit", "--message", "one")
    assert before_last_change(path, tmp_path) is None
    write(2)
    assert before() == 1
    git("commit", "--all", "--message", "two")
    assert before() == 1
    (tmp_path / "other").write_text("")
    git("add", ".")
    git("commit", "--message", "three")
    assert before() == 1
    write(3)
    assert before() == 2


def test_new_ceilings_keep_the_reason_of_what_falls():
    new = renewed({"call": Count(9_000.4, 19.996)}, {"call": CEILING}, "")
    assert new == {"call": Ceiling(9_000, 20, CEILING.reason)}


@pytest.mark.parametrize("ceilings", [{"call": CEILING}, {}])
def test_new_ceilings_that_rise_need_a_reason(ceilings):
    counts = {"call": Count(10_001, 20)}
    with pytest.raises(Failed):
        renewed(counts, ceilings, "")
    new = renewed(counts, ceilings, "a fifth key")
    assert new == {"call": Ceiling(10_001, 20, "a fifth key")}


# The profile

TEXT = """\
# callgrind format
positions: line
events: Ir
summary: 1000

ob=(1) /lib/x/libc.so.6
fl=(1) ???
fn=(1) posix_memalign
0 5
cfn=(2) malloc
calls=7 0
0 70

fn=(2)
0 70

ob=(2) bench
fn=(3) work'2
0 100
+4 1
cob=(1)
cfn=(1)
calls=7 0
0 75
cob=(1)
cfn=(2)
calls=3 0
* 30
-2 10

totals: 1200
"""


def test_a_profile_has_the_instructions_and_allocations_of_the_part_that_counts():
    profile = read_profile(TEXT)
    assert profile.instructions == 1_000
    # What the C library allocates for posix_memalign is not counted twice.
    assert profile.allocations == 10
    assert profile.functions == {"posix_memalign": 5, "malloc": 70, "work": 111}


def test_a_profile_of_nothing_is_refused():
    with pytest.raises(Failed):
        read_profile("summary: 0\n")


def test_parts_come_in_the_order_in_which_they_were_counted():
    names = ["callgrind.10-01", "callgrind.2-01", "callgrind.1-01"]
    parts = sorted(map(pathlib.Path, names), key=number_of_part)
    assert [part.name for part in parts] == ["callgrind.1-01", "callgrind.2-01", "callgrind.10-01"]


def test_parts_that_count_add_up():
    part = read_profile(TEXT)
    whole = together([part, part])
    assert (whole.instructions, whole.allocations) == (2_000, 20)
    assert whole.functions == {"posix_memalign": 10, "malloc": 140, "work": 222}
    assert count(whole, 8) == Count(250, 2.5)
    with pytest.raises(Failed):
        together([])
