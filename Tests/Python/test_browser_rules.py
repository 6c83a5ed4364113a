"""Which pages of browsers may call: by host and by origin, asked before and with each call."""

import json

import pytest
from relationd import Relationd
from web import HTTP1, HTTP2, Caller, Wire, envelope, envelopes, lines

ORIGIN = "https://app.example"
CREATE = "/relation.v1.AppService/CreateApp"
LIST = "/relation.v1.AppService/ListApps"
JSON = ("content-type", "application/json")
WEB = ("content-type", "application/grpc-web+proto")
FORMS = [
    "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/plain",
    "text/plain;charset=UTF-8", None,
]  # fmt: skip


@pytest.fixture(scope="module")
def listed(tmp_path_factory):
    """A server that an origin may call, and that has a name of its own."""
    data = tmp_path_factory.mktemp("listed") / "data"
    with Relationd(
        data, "--browser-origins", ORIGIN, "--browser-hosts", "relation.example,other.example:80",
    ) as running:
        yield running


@pytest.fixture(params=[HTTP1, HTTP2])
def wire(listed, request):
    with Wire(listed.port, request.param) as made:
        yield made


@pytest.fixture(params=[HTTP1, HTTP2])
def strict(server, request):
    """A wire to a server without a list."""
    with Wire(server.port, request.param) as made:
        yield made


def names(wire):
    reply = wire.ask("POST", LIST, [JSON], b'{"pageSize": 100}')
    return [app.get("name") for app in reply.json["apps"]]


def assert_denied(wire, *fields):
    """Each protocol of the web refuses the request, and nothing is written."""
    reply = wire.ask("POST", CREATE, [JSON, *fields], b'{"name": "foreign"}')
    assert (reply.status, reply.json["code"]) == (403, "permission_denied"), reply.body
    assert not any(name.startswith("access-control") for name in reply.fields)
    web = wire.ask("POST", CREATE, [WEB, *fields], envelope(b"\x0a\x07foreign"))
    assert web.status in (200, 403)
    if web.status == 200:
        assert lines(envelopes(web.body)[-1][1])["grpc-status"] == "7"
    query = LIST + "?encoding=json&message=%7B%7D"
    assert wire.ask("GET", query, fields).status == 403
    stream = [("content-type", "application/connect+json"), *fields]
    reply = wire.ask("POST", "/relation.v1.ChangeService/Watch", stream, envelope(b"{}"))
    told = json.loads(envelopes(reply.body)[-1][1])
    assert told["error"]["code"] == "permission_denied"
    assert "foreign" not in names(wire)


@pytest.mark.parametrize("host", [
    "evil.example", "evil.example:7450", "127.0.0.1.evil.example", "localhost.evil.example",
    "1.2.3.4", "[::2]", "128.0.0.1", "127.0.0.1x", "0.0.0.0", "xlocalhost",
])  # fmt: skip
def test_row_80_a_foreign_host_is_refused_by_a_server_without_credentials(strict, host):
    assert_denied(strict, ("host", host))


@pytest.mark.parametrize("host", [
    "localhost", "LOCALHOST:1", "127.0.0.1", "127.9.9.9:80", "[::1]", "[::1]:80", "a.localhost",
])  # fmt: skip
def test_row_80_names_of_the_machine_are_taken(strict, host):
    assert strict.ask("POST", LIST, [JSON, ("host", host)], b"{}").status == 200


def test_row_80_listed_names_are_taken(wire):
    for host, status in [
        ("relation.example", 200), ("Relation.Example:1", 200), ("other.example:80", 200),
        ("other.example", 403), ("evil.example", 403),
    ]:
        assert wire.ask("POST", LIST, [JSON, ("host", host)], b"{}").status == status, host


def test_row_80_grpc_is_not_asked_for_its_host(server):
    with Wire(server.port, HTTP2) as wire:
        answer, outcome = Caller(wire, "grpc").call(LIST, b"", [("host", "evil.example")])
        assert answer and outcome.code == "ok"


@pytest.mark.parametrize("origin", [
    "https://evil.example", "null", "", "http://app.example", "https://app.example:1",
    "https://app.example.evil.example", "https://APP.example", "http://localhost",
])  # fmt: skip
def test_row_81_a_foreign_origin_is_refused(wire, origin):
    assert_denied(wire, ("origin", origin))


def test_row_81_two_origins_are_none(wire):
    for other in (ORIGIN, "https://evil.example"):
        assert_denied(wire, ("origin", ORIGIN), ("origin", other))
        asked = [("origin", ORIGIN), ("origin", other), ("access-control-request-method", "POST")]
        assert wire.ask("OPTIONS", CREATE, asked).status == 403


@pytest.mark.parametrize("method, kind, status", [
    ("POST", "text/plain", 415), ("POST", "application/xml", 415), ("DELETE", "text/plain", 405),
])  # fmt: skip
def test_row_81_a_listed_origin_may_read_why_its_request_is_none(wire, method, kind, status):
    fields = [("origin", ORIGIN), ("content-type", kind)]
    reply = wire.ask(method, LIST, fields, b"{}")
    assert reply.status == status
    assert reply.fields["access-control-allow-origin"] == ORIGIN
    assert reply.fields["vary"] == "origin" and reply.fields["access-control-expose-headers"]
    plain = wire.ask(method, LIST, fields[1:], b"{}")
    assert not any(name.startswith("access-control") for name in plain.fields)


def test_row_81_without_a_list_every_origin_is_foreign(strict):
    assert_denied(strict, ("origin", ORIGIN))
    assert_denied(strict, ("origin", "http://127.0.0.1"))


@pytest.mark.parametrize("body, status", [(b"{}", 200), (b"{", 400)])
def test_row_81_a_listed_origin_may_read_answers_and_errors(wire, body, status):
    reply = wire.ask("POST", LIST, [JSON, ("origin", ORIGIN)], body)
    assert reply.status == status
    assert reply.fields["access-control-allow-origin"] == ORIGIN
    assert reply.fields["vary"] == "origin" and reply.fields["access-control-expose-headers"]
    assert "access-control-allow-credentials" not in reply.fields
    web = wire.ask("POST", LIST, [WEB, ("origin", ORIGIN)], envelope(b""))
    assert web.fields["access-control-allow-origin"] == ORIGIN
    plain = wire.ask("POST", LIST, [JSON], body)
    assert not any(name.startswith("access-control") for name in plain.fields)


def test_row_82_a_browser_that_asks_before_is_told(wire):
    fields = [("origin", ORIGIN), ("access-control-request-method", "POST"),
              ("access-control-request-headers", "content-type,x-app-id")]  # fmt: skip
    reply = wire.ask("OPTIONS", CREATE, fields)
    assert (reply.status, reply.body) == (204, b"")
    assert reply.fields["access-control-allow-origin"] == ORIGIN
    assert reply.fields["access-control-allow-methods"] == "GET, POST"
    assert reply.fields["access-control-allow-headers"] == "content-type,x-app-id"
    assert int(reply.fields["access-control-max-age"]) > 0 and "origin" in reply.fields["vary"]
    assert "access-control-allow-credentials" not in reply.fields
    # The connection lives.
    assert wire.ask("POST", LIST, [JSON], b"{}").status == 200


@pytest.mark.parametrize("fields", [
    [("origin", "https://evil.example")], [("origin", ORIGIN), ("host", "evil.example")],
])  # fmt: skip
def test_row_82_a_foreign_page_is_told_nothing(wire, fields):
    reply = wire.ask("OPTIONS", CREATE, [*fields, ("access-control-request-method", "POST")])
    assert reply.status == 403
    assert not any(name.startswith("access-control") for name in reply.fields)


def test_row_82_a_question_without_an_origin_is_405(wire):
    assert wire.ask("OPTIONS", CREATE, [("origin", ORIGIN)]).status == 405
    assert wire.ask("OPTIONS", CREATE, [("access-control-request-method", "POST")]).status == 405


@pytest.mark.parametrize("kind", FORMS)
def test_row_83_no_form_makes_a_call(wire, kind):
    fields = [("origin", ORIGIN)] + ([("content-type", kind)] if kind else [])
    for more in ([], [("x-grpc-web", "1")]):
        assert wire.ask("POST", CREATE, fields + more, b'{"name": "formed"}').status == 415
    assert "formed" not in names(wire)
