"""The form of enums in answers in JSON: the field `json-enums`, in each protocol that has JSON."""

import json
from urllib.parse import quote

import pytest
from google.protobuf import json_format
from web import HTTP1, HTTP2, Caller, Wire

CHECK = "/relation.v1.FriendService/CheckFriends"
WATCH = "/relation.v1.ChangeService/Watch"
NUMBER, NAME = ("json-enums", "number"), ("json-enums", "name")
JSON = ("content-type", "application/json")
WAYS = [
    (version, protocol) for version in (HTTP1, HTTP2)
    for protocol in ("connect", "grpc-web", "grpc") if (version, protocol) != (HTTP1, "grpc")
]  # fmt: skip


@pytest.fixture(params=WAYS, ids=lambda way: f"{way[0][-3:]}-{way[1]}")
def caller(server, request):
    version, protocol = request.param
    with Wire(server.port, version) as wire:
        yield Caller(wire, protocol, "json")


@pytest.fixture
def asked(people):
    """A question, and its answer with both forms of enums."""
    ann, unknown = *people(1), people.unknown_user()
    request = json.dumps({"userId": ann, "userIds": [ann, unknown]}).encode()
    names = people.relation("CheckFriends", user_id=ann, user_ids=[ann, unknown])
    return request, {
        "name": json.loads(json_format.MessageToJson(names)),
        "number": json.loads(json_format.MessageToJson(names, use_integers_for_enums=True)),
    }


def test_row_87_an_answer_has_names_or_numbers(caller, asked):
    request, answers = asked
    assert answers["name"] != answers["number"]
    # The header blocks of one connection are remembered: they take turns.
    for fields, form in [([], "name"), ([NUMBER], "number"), ([NAME], "name")] * 3:
        data, outcome = caller.call(CHECK, request, fields)
        assert outcome.code == "ok"
        assert json.loads(data) == answers[form]
    assert answers["number"]["results"][1]["code"] == 30003


def test_row_87_a_stream_has_names_or_numbers(caller, people):
    (ann,) = people(1)
    for fields, kind in [([], "CHANGE_KIND_STATE"), ([NUMBER], 150)]:
        call = caller.start(WATCH, fields)
        call.send(json.dumps({"userId": ann}).encode())
        call.finish()
        kinds = set()
        for message in call:
            event = json.loads(message)["event"]
            kinds.add(event["kind"])
            if event["kind"] in (151, "CHANGE_KIND_SYNC_COMPLETED"):
                break
        call.cancel()
        assert kind in kinds


@pytest.mark.parametrize("version", [HTTP1, HTTP2])
def test_row_87_a_get_has_names_or_numbers(server, version, asked):
    request, answers = asked
    target = f"{CHECK}?encoding=json&message={quote(request)}"
    with Wire(server.port, version) as wire:
        for fields, form in [([], "name"), ([NUMBER], "number")]:
            assert wire.ask("GET", target, fields).json == answers[form]


def test_row_87_another_word_is_refused(caller, asked):
    for word in ("", "numbers", "1"):
        data, outcome = caller.call(CHECK, asked[0], [("json-enums", word)])
        assert data is None and "json-enums" in outcome.message
        assert outcome.code == "invalid_argument"


def test_row_87_protobuf_is_the_same(server, stubs, asked):
    request = json_format.Parse(asked[0], stubs.request("CheckFriends", {}))
    with Wire(server.port) as wire:
        for protocol in ("connect", "grpc-web", "grpc"):
            caller = Caller(wire, protocol)
            plain, _ = caller.call(CHECK, request.SerializeToString())
            data, outcome = caller.call(CHECK, request.SerializeToString(), [NUMBER])
            assert outcome.code == "ok" and data == plain


@pytest.mark.parametrize("version", [HTTP1, HTTP2])
def test_row_87_a_page_may_send_the_field(start, version):
    origin = "https://app.example"
    running = start("pages", "--browser-origins", origin)
    question = [("origin", origin), ("access-control-request-method", "POST"),
                ("access-control-request-headers", "content-type,json-enums")]  # fmt: skip
    with Wire(running.port, version) as wire:
        reply = wire.ask("OPTIONS", CHECK, question)
        assert reply.status == 204
        assert "json-enums" in reply.fields["access-control-allow-headers"]
        reply = wire.ask("POST", CHECK, [JSON, NUMBER, ("origin", origin)], b'{"userId": "x"}')
        # An error has no enums but in its details, whose reasons are words.
        assert reply.status == 400 and reply.json["details"][0]["debug"]["reason"]
