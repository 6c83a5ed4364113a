"""The packages of clients are made from the frozen contract. Tests/Clients installs them."""

import importlib
import pathlib
import re
import subprocess
import sys
import zipfile

import client_features
import pytest
from relationd import ROOT

FOLDER = ROOT / "Packaging" / "clients"


@pytest.fixture(scope="module")
def contract():
    sys.path.insert(0, str(FOLDER))
    made = importlib.import_module("contract").Contract(ROOT / "proto" / "released.binpb")
    yield made
    sys.path.remove(str(FOLDER))


def methods(contract):
    return [method for service in contract.services.values() for method in service]


def test_a_client_has_every_call_of_the_contract(contract):
    assert len(contract.services) == 17
    assert {method.name for method in methods(contract)} > {"AddFriends", "Watch", "ImportApp"}


def test_a_write_is_repeated_under_an_id_and_a_read_without_one(contract):
    writes = {method.name: method.writes for method in methods(contract)}
    assert writes["AddFriends"] and writes["AcquireConsumer"]
    assert not (writes["CheckFriends"] or writes["ReportPresence"] or writes["AcknowledgeChanges"])
    # Each call that needs an id takes one.
    for method in methods(contract):
        if method.writes and not method.server_streams:
            assert contract.field(method.request, "options").type_name.endswith(".WriteOptions")


def test_a_list_by_pages_names_the_field_of_its_items(contract):
    items = {method.name: method.items for method in methods(contract)}
    assert items["ListFriends"] == "friends" and items["ListMutualFriends"] == "user_ids"
    # One has two lists, and one has pages of each group and none of its own.
    assert items["SyncFriends"] == "" and items["GetFriendGroups"] is None


def test_the_wheel_is_typed_and_has_the_version_of_the_package(tmp_path):
    said = subprocess.run(
        [sys.executable, FOLDER / "clients.py", "python", "--out", tmp_path],
        capture_output=True, text=True, timeout=300, check=True).stdout
    wheel = zipfile.ZipFile(pathlib.Path(said.strip()))
    names = set(wheel.namelist())
    assert names > {
        "relation/py.typed", "relation/v1/friend_pb2.pyi", "relation_client/services.py",
        "relation_client/py.typed"}
    (metadata,) = [name for name in names if name.endswith("METADATA")]
    text = wheel.read(metadata).decode()
    assert "Name: relation-client\n" in text and "Requires-Dist: grpcio>=" in text
    assert "License-Expression: Apache-2.0\n" in text


# What a client takes from its language's own libraries.
FOREIGN = {"withDeadlineAfter", "NODE_EXTRA_CA_CERTS", "HttpMessageHandler", "Config"}


def test_the_table_of_features_is_that_of_the_clients_pages():
    page = client_features.PAGE.read_text()
    assert client_features.made(page) == page, "python3 Tests/Python/client_features.py writes it"


@pytest.mark.parametrize("language", client_features.LANGUAGES)
def test_a_client_has_each_feature_by_the_name_that_its_page_says(language):
    told = client_features.rows(language)
    assert told.keys() >= {"address", *client_features.FEATURES}
    sources = "".join(
        path.read_text()
        for path in [*(FOLDER / language).rglob("*"), *FOLDER.glob(f"*{language}*.py")]
        if path.is_file() and path.suffix not in (".md", ".pyc"))
    for feature in client_features.FEATURES:
        for name in client_features.names(told[feature]):
            # The calls of services are generated: `listFriendsPages` is one of many.
            words = re.findall(r"[A-Za-z]\w+", re.sub("(?i)listfriends|\"…\"|'…'", "", name))
            for word in set(words) - FOREIGN - {"relation", "client", "request", "file"}:
                assert re.search(rf"{word}\b", sources), (feature, name, word)
