"""A field that the contract does not have: ignored in protobuf, refused by its name in JSON, and
ignored there too if the request asks for that. All documents say so in one sentence."""

import json
import urllib.parse

import pytest
from relationd import ROOT
from web import HTTP1, HTTP2, Caller, Wire

SENTENCE = (
    "In protobuf a server ignores a field that it does not know. In JSON it refuses the request and "
    "names the field, since most such fields are slips; with `json-unknown-fields: ignore` among the "
    "headers it ignores them there too.")
IGNORE = ("json-unknown-fields", "ignore")
CHECK = "/relation.v1.FriendService/CheckFriends"
WATCH = "/relation.v1.ChangeService/Watch"
REFUSED = "relation.v1.CheckFriendsRequest has no such field"
#: The protocol, and the version of HTTP; gRPC has only HTTP/2.
WAYS = [
    ("connect", HTTP1), ("connect", HTTP2), ("grpc-web", HTTP1), ("grpc-web", HTTP2),
    ("grpc", HTTP2),
]  # fmt: skip


@pytest.fixture(params=WAYS, ids=lambda way: f"{way[0]}-{way[1]}")
def caller(server, request):
    protocol, version = request.param
    with Wire(server.port, version) as wire:
        yield Caller(wire, protocol, "json")


def call(caller, request, *metadata):
    text = request if isinstance(request, str) else json.dumps(request)
    answer, outcome = caller.call(CHECK, text.encode(), metadata)
    return json.loads(answer) if answer else None, outcome


def test_an_unknown_field_of_json_is_refused_by_its_name(caller, people):
    ann, bob = people(2)
    answer, outcome = call(caller, {"userId": ann, "userIds": [bob], "userIdz": [bob]})
    assert answer is None and outcome.code == "invalid_argument"
    assert outcome.message == f"userIdz: {REFUSED}"


def test_it_is_ignored_on_demand(caller, people):
    ann, bob = people(2)
    request = {
        "later": {"deep": [1, {"x": None}], "text": "\\"}, "userId": ann, "userIds": [bob],
        "options": {"newer": True},
    }  # fmt: skip
    answer, outcome = call(caller, request, IGNORE)
    assert outcome.code == "ok" and answer["results"][0]["userId"] == bob
    # What is not JSON is still refused.
    answer, outcome = call(caller, f'{{"userId": "{ann}", "later": [1, }}', IGNORE)
    assert answer is None and outcome.code == "invalid_argument"


def test_another_word_in_the_header_is_refused(caller, people):
    ann, bob = people(2)
    request = {"userId": ann, "userIds": [bob]}
    answer, outcome = call(caller, request, ("json-unknown-fields", "maybe"))
    assert answer is None and outcome.code == "invalid_argument"
    assert outcome.message == "the json-unknown-fields is neither refuse nor ignore"


def test_a_stream_takes_the_header_too(caller, people):
    (ann,) = people(1)
    request = json.dumps({"userId": ann, "later": 1}).encode()
    watch = caller.start(WATCH, [IGNORE])
    watch.send(request)
    watch.finish()
    assert json.loads(next(watch))["event"]
    watch.cancel()
    watch = caller.start(WATCH)
    watch.send(request)
    watch.finish()
    assert list(watch) == [] and watch.outcome.message == (
        "later: relation.v1.WatchRequest has no such field")


@pytest.mark.parametrize("version", [HTTP1, HTTP2])
def test_a_get_takes_the_header_too(server, people, version):
    ann, bob = people(2)
    message = urllib.parse.quote(json.dumps({"userId": ann, "userIds": [bob], "later": 1}))
    target = f"{CHECK}?connect=v1&encoding=json&message={message}"
    with Wire(server.port, version) as wire:
        assert wire.ask("GET", target).json["message"] == f"later: {REFUSED}"
        assert wire.ask("GET", target, [IGNORE]).json["results"][0]["userId"] == bob


def test_protobuf_ignores_it(server, stubs, people):
    ann, bob = people(2)
    request = stubs.request("CheckFriends", {"user_id": ann, "user_ids": [bob]})
    data = request.SerializeToString() + bytes([0xF8, 0x3F, 0x01])  # Field 1023: 1.
    for protocol, version in WAYS:
        with Wire(server.port, version) as wire:
            answer, outcome = Caller(wire, protocol).call(CHECK, data)
            assert answer and outcome.code == "ok"


@pytest.mark.parametrize("path", [
    "docs/compatibility.md", "docs/web.md", "proto/relation/v1/common.proto",
])  # fmt: skip
def test_one_sentence_says_so_everywhere(path):
    words = " ".join((ROOT / path).read_text().replace("\n//", " ").split())
    assert SENTENCE in words
