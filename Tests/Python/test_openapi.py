"""The OpenAPI document is fresh and valid, and says of the calls what the contract says."""

import functools
import gzip
import json

import pytest
import reference_files
from contract_examples import Examples, error
from contract_model import ROOT, STATUSES, contract
from jsonschema import Draft202012Validator
from openapi_document import HTTP
from referencing import Registry
from referencing.jsonschema import DRAFT202012
from test_version import DECLARED

DOCUMENT = json.loads((ROOT / "docs/openapi.json").read_text())
#: The one case whose request has a number that its enum has not.
BEYOND = "an enum's number that the server does not define is refused by the code of the value"
PLACE = "urn:openapi"
REGISTRY = Registry().with_resource(PLACE, DRAFT202012.create_resource(DOCUMENT))


@functools.cache
def calls():
    """The calls of the contract by their names."""
    return {call.name: call for call in contract().calls}


def faults(name, value):
    """The complaints of a schema about a value."""
    schema = {"$ref": f"{PLACE}#/components/schemas/{name}"}
    found = Draft202012Validator(schema, registry=REGISTRY).iter_errors(value)
    return [f"{'/'.join(map(str, fault.path))}: {fault.message[:200]}" for fault in found]


@pytest.mark.parametrize(
    "path", reference_files.PATHS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_the_files_are_what_the_contract_says_today(path):
    made, kept = reference_files.files()[path], path.read_bytes()
    if path.suffix == ".gz":
        # Another version of zlib may pack it in another way.
        made, kept = gzip.decompress(made), gzip.decompress(kept)
    assert made == kept, "run make docs"


def test_a_validator_takes_the_document():
    # It takes long to load, and each process loads this file.
    import openapi_spec_validator

    openapi_spec_validator.validate(DOCUMENT)


def test_it_has_the_version_of_the_package():
    declared = DECLARED.search((ROOT / "Package.swift").read_text())[1]
    assert DOCUMENT["info"]["version"] == declared


def test_each_call_has_its_place_and_those_that_only_read_are_links_too():
    paths, streams = DOCUMENT["paths"], DOCUMENT["x-streams"]
    assert [*paths, *streams] and set(paths) | set(streams) == {
        call.path for call in calls().values()}
    for call in calls().values():
        assert (call.path in streams) == call.is_stream
        if not call.is_stream:
            assert ("get" in paths[call.path]) == call.is_safe, call.name
            assert call.kind.startswith("reads") or not call.is_safe, call.name
    names = {tag["name"] for tag in DOCUMENT["tags"]}
    assert names == {call.service for call in calls().values()}


def test_each_call_tells_the_reasons_for_which_it_fails():
    for call in calls().values():
        if call.is_stream:
            continue
        responses = DOCUMENT["paths"][call.path]["post"]["responses"]
        told = " ".join(responses[status]["description"] for status in responses)
        for code in [*call.codes, *call.shared]:
            if code.is_error and code.short != "MALFORMED_MESSAGE":
                assert code.statuses, code
                assert f"`{code.short}`" in told, (call.name, code.short)


def test_the_statuses_that_calls_answer_have_names():
    assert set(HTTP) <= {status for _, status in STATUSES.values()}


def test_lists_have_the_bounds_of_their_calls():
    schema = DOCUMENT["components"]["schemas"]["CheckFriendsRequest"]["properties"]["userIds"]
    assert schema["maxItems"] == 1_000
    limits = DOCUMENT["paths"]["/relation.v1.FriendService/UpdateFriends"]["post"]["x-limits"]
    assert {"field": "items.tags", "unit": "items", "most": 64} in limits


def test_the_answers_of_all_cases_hold_against_the_schemas():
    examples, count = Examples(contract()), 0
    for call in calls().values():
        for name, step in examples.steps(call):
            if "answer" in step and name != BEYOND:
                count += 1
                for message, part in ((call.request, "request"), (call.answer, "answer")):
                    value = examples.message(step[part], message)
                    assert not (found := faults(message, value)), (call.name, name, found)
    assert count > 500


def test_most_calls_have_an_example_of_an_answer_and_of_an_error():
    posts = [path["post"] for path in DOCUMENT["paths"].values()]
    answered = [
        post for post in posts
        if "examples" in post["responses"]["200"]["content"]["application/json"]]
    refused = [post for post in posts if '"refused"' in json.dumps(post["responses"])]
    assert len(answered) > 0.95 * len(posts)
    assert len(refused) > 0.9 * len(posts)
    for post in refused:
        for status, response in post["responses"].items():
            for example in response.get("content", {}).get("application/json", {}).get(
                    "examples", {}).values():  # fmt: skip
                if status != "200":
                    assert not faults("ConnectError", example["value"])


def test_the_schemas_refuse_what_the_server_refuses():
    assert not faults("AddFriendsRequest", {"userId": "ann", "addType": "ADD_TYPE_BOTH"})
    assert faults("AddFriendsRequest", {"userId": "ann", "addType": "BOTH"})
    assert faults("AddFriendsRequest", {"userId": "ann", "user": "bob"})
    assert faults("CheckFriendsRequest", {"userIds": ["x"] * 1_001})
    # One field of a group may be set.
    assert not faults("TagValue", {"tag": "a", "text": "b"}) and not faults("TagValue", {"tag": "a"})
    assert faults("TagValue", {"tag": "a", "text": "b", "number": "1"})
    # A request may have a number as a number; an answer has a text.
    assert not faults("TagValue", {"tag": "a", "number": 1})
    assert faults("AddFriendsResponse", {"sequence": 1})


def test_the_metadata_of_an_error_stands_in_the_order_of_its_names():
    """A map of protobuf has another order in each process, and the document has one."""
    names = [f"name_{number:02}" for number in range(40)]
    made = error({
        "status": "ABORTED", "reason": "CONSUMER_BUSY",
        "metadata": {name: "x" for name in reversed(names)}})
    assert list(made["details"][0]["debug"]["metadata"]) == names
