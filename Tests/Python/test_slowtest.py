"""The order in which the long tests run, and the tests that are left out."""

from slowtest import PARTS, ROOT, Part, choose, order, touches

FAST = Part("fast", "", ("Sources/A",), 3, ("fast",))
SLOW = Part("slow", "", ("Sources/B",), 10, ("slow",))
FILLER = Part("filler", "", ("Sources/A", "Sources/C"), 2, ("filler",), fills=True)
ALL = (FAST, SLOW, FILLER)


def names(parts):
    return [part.name for part in parts]


def test_what_failed_last_comes_first():
    state = {"fast": {"time": 5}, "slow": {"time": 1}, "filler": {"time": 9, "failed": True}}
    assert names(order(ALL, state, {"fast": ["Sources/A/x"], "slow": []})) == [
        "filler", "fast", "slow",
    ]  # fmt: skip


def test_what_was_never_run_comes_before_what_changed():
    state = {"fast": {"time": 5}, "slow": {"time": 1}}
    changed = {"fast": ["Sources/A/x.swift"], "slow": ["Sources/A/x.swift"]}
    assert names(order(ALL, state, changed)) == ["filler", "fast", "slow"]


def test_what_has_waited_longest_comes_first_if_nothing_changed():
    state = {"fast": {"time": 5}, "slow": {"time": 9}, "filler": {"time": 2}}
    none = {name: [""] for name in state}
    assert names(order(ALL, state, none)) == ["filler", "fast", "slow"]


def test_of_two_that_failed_the_older_failure_comes_first():
    state = {"fast": {"time": 5, "failed": True}, "slow": {"time": 1, "failed": True}}
    assert names(order((FAST, SLOW), state, {})) == ["slow", "fast"]


def test_a_change_counts_only_in_the_folders_of_a_part():
    assert touches(FAST, ["Sources/A/deep/x.swift"])
    assert not touches(FAST, ["Sources/AB/x.swift", "README.md", ""])
    assert touches(FAST, ["Package.swift"])
    assert touches(FAST, None)
    assert not touches(FAST, [])


def test_a_part_that_does_not_fit_is_left_out():
    assert choose(SLOW, [], 9, {}) is None
    assert choose(SLOW, [], 10, {}) == 10
    # The time that a run has shown counts, and not the estimate.
    assert choose(SLOW, [], 9, {"slow": {"minutes": 4}}) == 9
    assert choose(FAST, [], 9, {"fast": {"minutes": 12}}) is None


def test_a_part_that_fills_its_time_leaves_the_others_theirs():
    assert choose(FILLER, [FAST, SLOW], 20, {}) == 7
    assert choose(FILLER, [FAST, SLOW], 14, {}) == 2
    assert choose(FILLER, [], 20, {}) == 20
    assert choose(FILLER, [], 1, {}) is None
    # It may have had more the last time than there is now.
    assert choose(FILLER, [], 5, {"filler": {"minutes": 15}}) == 5


def test_every_part_has_a_target_and_folders_that_exist():
    makefile = (ROOT / "Makefile").read_text()
    assert len(set(names(PARTS))) == len(PARTS)
    for part in PARTS:
        assert f"\n.PHONY: {part.command[0]}\n" in makefile
        assert [path for path in part.paths if not (ROOT / path).is_dir()] == []
