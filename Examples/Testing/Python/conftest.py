"""The fixtures: one server for all tests, and an app of its own for each."""

import pytest
from relation_demo import RelationDemo


@pytest.fixture(scope="session")
def relation():
    with RelationDemo() as demo:
        yield demo


@pytest.fixture
def app(relation):
    return relation.new_app()
