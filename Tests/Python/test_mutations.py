"""The faults that `make mutations` puts back fit the sources as they are."""

import mutations
import pytest


def test_each_fault_changes_one_place_of_the_sources():
    assert [each.name for each in mutations.MUTATIONS if not each.is_possible()] == []


def test_each_fault_has_a_name_of_its_own_and_changes_something():
    names = [each.name for each in mutations.MUTATIONS]
    assert len(names) == len(set(names)) >= 12
    assert [each.name for each in mutations.MUTATIONS if each.old == each.new] == []


def test_an_unknown_fault_is_refused_with_the_names_that_there_are():
    with pytest.raises(SystemExit, match="there are these faults: half-pair, "):
        mutations.main(["no-such-fault"])
