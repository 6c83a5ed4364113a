"""The committed description of the contract is the one that proto/ gives today."""

import pathlib

import describe

COMMITTED = pathlib.Path(__file__).resolve().parents[2] / "Sources/RelationService/relation.binpb"


def test_the_description_that_reflection_serves_is_fresh():
    assert describe.description() == COMMITTED.read_bytes(), "run 'make contract'"
