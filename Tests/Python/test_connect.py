"""The Connect protocol as its specification names it, over both versions of HTTP."""

import base64
import gzip
import json
import subprocess
import urllib.parse
import zlib

import pytest
from google.protobuf import json_format
from interop import ECHO_INITIAL, ECHO_TRAILING
from raw_peer import RawPeer
from web import CODES, COMPRESSED, END_OF_STREAM, HTTP1, HTTP2, HTTP_OF, Caller, Wire
from web import envelope, envelopes

VERSIONS = [HTTP1, HTTP2]
CHECK = "/relation.v1.FriendService/CheckFriends"
UPDATE = "/relation.v1.ProfileService/UpdateProfile"
WATCH = "/relation.v1.ChangeService/Watch"
IMPORT = "/relation.v1.AccountService/ImportAccounts"
TEST = "/grpc.testing.TestService/"
PROTO = ("content-type", "application/proto")
JSON = ("content-type", "application/json")
STREAM = ("content-type", "application/connect+proto")
LIMIT = 4 << 20


@pytest.fixture(params=VERSIONS)
def wire(server, request):
    with Wire(server.port, request.param) as made:
        yield made


@pytest.fixture(params=VERSIONS)
def test_wire(ours, request):
    """A wire to the server of gRPC's test service, which answers as it is told."""
    with Wire(ours.port, request.param) as made:
        yield made


@pytest.fixture(params=["proto", "json"])
def form(request):
    return request.param


def coded(message, form):
    if form == "proto":
        return message.SerializeToString()
    return json_format.MessageToJson(message).encode()


def read(data, kind, form):
    return kind.FromString(data) if form == "proto" else json_format.Parse(data, kind())


@pytest.fixture
def check(stubs, people):
    """A request that is good."""
    ann, bob = people(2)
    return stubs.request("CheckFriends", {"user_id": ann, "user_ids": [bob]})


def assert_error(reply, code, *words):
    assert (reply.status, reply.json["code"]) == (HTTP_OF[code], code), reply.body
    assert reply.fields["content-type"] == "application/json"
    assert all(word in reply.json["message"] for word in words), reply.json


# Content types


@pytest.mark.parametrize("suffix", ["", "; charset=utf-8", ";charset=UTF-8"])
def test_row_60_a_call_is_a_post_of_its_request(wire, form, suffix, stubs, check):
    fields = [("content-type", f"application/{form}{suffix}")]
    reply = wire.ask("POST", CHECK, fields, coded(check, form))
    assert (reply.status, reply.fields["content-type"]) == (200, f"application/{form}")
    assert int(reply.fields["content-length"]) == len(reply.body)
    answer = read(reply.body, stubs.message("CheckFriendsResponse"), form)
    assert [one.user_id for one in answer.results] == list(check.user_ids)


@pytest.mark.parametrize("kind", [
    "application/xml", "application/protobuf", "application/json; charset=latin1", "text/json",
    "application/connect+xml", "application/connect", "application/", "",
])  # fmt: skip
def test_row_60_a_form_that_is_not_known_is_415(wire, kind, check):
    reply = wire.ask("POST", CHECK, [("content-type", kind)], check.SerializeToString())
    assert reply.status == 415
    assert wire.ask("POST", CHECK, [PROTO], check.SerializeToString()).status == 200


def test_row_60_a_stream_and_a_call_have_different_content_types(wire, form, check):
    stream = [("content-type", f"application/connect+{form}")]
    assert wire.ask("POST", CHECK, stream, envelope(coded(check, form))).status == 415
    unary = [("content-type", f"application/{form}")]
    assert wire.ask("POST", WATCH, unary, b"").status == 415


@pytest.mark.parametrize("kind", ["", "connect+"])
def test_row_60_an_unknown_path_is_not_found(wire, form, kind):
    for path in ["/relation.v1.FriendService/No", "/no.Service/No", "/", "/no"]:
        reply = wire.ask("POST", path, [("content-type", f"application/{kind}{form}")], b"")
        assert (reply.status, reply.json["code"]) == (404, "unimplemented"), reply.body
        assert reply.fields["content-type"] == "application/json"
        assert path in reply.json["message"]
    reply = wire.ask("GET", "/no.Service/No?encoding=json&message=%7B%7D")
    assert (reply.status, reply.json["code"]) == (404, "unimplemented")


@pytest.mark.parametrize("field", [
    "connect-timeout-ms:  5000 ", "connect-timeout-ms:\t5000\t", "connect-protocol-version: 1 ",
    "content-encoding: identity\t", "content-encoding: IDENTITY",
])  # fmt: skip
def test_row_62_blanks_around_a_value_mean_nothing(wire, field):
    name, _, value = field.partition(":")
    reply = wire.ask("POST", "/relation.v1.AppService/ListApps", [JSON, (name, value)], b"{}")
    assert reply.status == 200, reply.body


@pytest.mark.parametrize("encoding", ["GZIP", "x-gzip", "X-GZip", "Gzip"])
def test_row_63_the_name_of_an_encoding_has_no_case_and_gzip_has_two(wire, test_wire, check,
                                                                    messages, encoding):
    fields = [PROTO, ("content-encoding", encoding)]
    body = gzip.compress(check.SerializeToString())
    assert wire.ask("POST", CHECK, fields, body).status == 200
    fields = [STREAM, ("connect-content-encoding", encoding)]
    request = messages.StreamingInputCallRequest(payload=messages.payload(5_000))
    request = envelope(gzip.compress(request.SerializeToString()), COMPRESSED)
    reply = test_wire.ask("POST", TEST + "StreamingInputCall", fields, request)
    assert json.loads(envelopes(reply.body)[-1][1]) == {}
    query = CHECK + "?encoding=proto&base64=1&compression=" + encoding
    packed = base64.urlsafe_b64encode(gzip.compress(check.SerializeToString())).decode()
    assert wire.ask("GET", f"{query}&message={packed}").status == 200
    request = messages.SimpleRequest(response_size=50_000)
    request.response_compressed.value = True
    fields = [PROTO, ("accept-encoding", encoding)]
    reply = test_wire.ask("POST", TEST + "UnaryCall", fields, request.SerializeToString())
    assert reply.fields["content-encoding"] == "gzip"


def test_row_86_what_a_cache_might_keep_tells_its_time_and_is_not_kept(wire, check):
    query = urllib.parse.urlencode({"encoding": "json", "message": "{}"})
    for method, path, fields in [
        ("GET", f"/relation.v1.AppService/ListApps?{query}", []), ("GET", f"{CHECK}?{query}", []),
        ("GET", f"/no.Service/No?{query}", []), ("GET", CHECK, []), ("DELETE", CHECK, []),
        ("POST", "/no.Service/No", [JSON]), ("POST", CHECK, [("content-type", "text/html")]),
    ]:
        reply = wire.ask(method, path, fields, b"{}" if method == "POST" else b"")
        assert reply.fields["cache-control"] == "no-store", (method, path)
        assert reply.fields["date"].endswith(" GMT"), (method, path)
        assert len(reply.head.all("date")) == 1


def test_row_60_a_request_that_is_not_of_its_form_is_refused(wire, form):
    reply = wire.ask("POST", CHECK, [("content-type", f"application/{form}")], b"\xff\x01{")
    assert_error(reply, "invalid_argument")
    # A field that the request does not have.
    if form == "json":
        reply = wire.ask("POST", CHECK, [JSON], b'{"userIdd": "x"}')
        assert_error(reply, "invalid_argument", "userIdd")


MALFORMED = [
    b"\xff", b"\x0a\x05ann", b"\x0a\x01\xff", b"\x0e", b"\x08", b"\x0a\xff\xff\xff\xff\xff\x01",
]


@pytest.mark.parametrize("body", MALFORMED)
def test_row_60_bytes_that_are_no_message_are_an_invalid_argument(wire, body):
    reply = wire.ask("POST", CHECK, [PROTO], body)
    assert_error(reply, "invalid_argument", "relation.v1.CheckFriendsRequest")
    (detail,) = [one["debug"] for one in reply.json["details"]]
    assert detail["reason"] == "MALFORMED_MESSAGE"
    packed = [PROTO, ("content-encoding", "gzip")]
    assert_error(wire.ask("POST", CHECK, packed, gzip.compress(body)), "invalid_argument")
    text = base64.urlsafe_b64encode(body).decode()
    reply = wire.ask("GET", query(connect="v1", encoding="proto", base64=1, message=text))
    assert_error(reply, "invalid_argument")
    # A call that others decode, one that writes, a stream, and one that needs no caller.
    for path in [UPDATE, "/grpc.health.v1.Health/Check"]:
        assert_error(wire.ask("POST", path, [PROTO], body), "invalid_argument")
    long = b"\x12\x00" * 1_000 + body
    assert_error(wire.ask("POST", CHECK, [PROTO], long), "invalid_argument")
    reply = wire.ask("POST", WATCH, [STREAM], envelope(body))
    assert json.loads(envelopes(reply.body)[-1][1])["error"]["code"] == "invalid_argument"


# GET


def query(**values):
    return CHECK + "?" + urllib.parse.urlencode(values)


def test_row_61_a_call_that_reads_may_be_a_get(wire, form, stubs, check):
    data = coded(check, form)
    text = base64.urlsafe_b64encode(data).decode()
    packed = base64.urlsafe_b64encode(gzip.compress(data)).decode()
    kind = stubs.message("CheckFriendsResponse")
    for target in [
        query(connect="v1", encoding=form, base64=1, message=text),
        query(encoding=form, base64=1, message=text.rstrip("=")),
        query(message=data, encoding=form, connect="v1"),
        query(connect="v1", encoding=form, base64=1, compression="gzip", message=packed),
        query(connect="v1", encoding=form, base64=1, compression="identity", message=text),
        query(connect="v1", encoding=form, base64=1, message=text, more="is passed over"),
    ]:
        reply = wire.ask("GET", target)
        assert reply.status == 200, (target, reply.body)
        assert reply.fields["content-type"] == f"application/{form}"
        assert reply.fields["x-content-type-options"] == "nosniff"
        assert read(reply.body, kind, form).results[0].user_id == check.user_ids[0]


@pytest.mark.parametrize("code, changes", [
    ("invalid_argument", {"connect": "v2"}), ("invalid_argument", {"encoding": None}),
    ("invalid_argument", {"message": None}), ("invalid_argument", {"message": "%%"}),
    ("invalid_argument", {"base64": "2"}), ("invalid_argument", {"message": "a"}),
    ("unimplemented", {"encoding": "xml"}), ("unimplemented", {"compression": "br"}),
    ("internal", {"compression": "gzip", "message": "AAAA"}),
])  # fmt: skip
def test_row_61_a_query_that_is_wrong_is_refused(wire, code, changes):
    values = {"connect": "v1", "encoding": "proto", "base64": "1", "message": "", **changes}
    reply = wire.ask("GET", query(**{name: v for name, v in values.items() if v is not None}))
    assert reply.json["code"] == code and reply.status == HTTP_OF[code], reply.body


@pytest.mark.parametrize("target", [
    CHECK + "?connect=v1&encoding=proto&message=%", CHECK + "?encoding=proto&message=%4",
    CHECK + "?encoding=proto&message=%zz", CHECK + "?encoding=proto&message=&message=",
])  # fmt: skip
def test_row_61_a_query_that_is_malformed_is_refused(wire, target):
    assert_error(wire.ask("GET", target), "invalid_argument", "query")


def test_row_61_a_call_that_writes_is_no_get(wire, people, relation):
    (ann,) = people(1)
    before = relation("GetSelfProfile", user_id=ann)
    text = json.dumps({"userId": ann, "profile": {"nick": "x"}, "updateMask": "nick"})
    values = urllib.parse.urlencode({"connect": "v1", "encoding": "json", "message": text})
    reply = wire.ask("GET", f"{UPDATE}?{values}")
    assert (reply.status, "POST" in reply.fields["allow"]) == (405, True)
    assert wire.ask("GET", CHECK).status == 405
    assert relation("GetSelfProfile", user_id=ann) == before


# Time and version


@pytest.mark.parametrize("value", ["1000", "20000", "9999999999", "0000020000"])
def test_row_62_a_time_of_one_to_ten_digits_holds(wire, value, check):
    fields = [PROTO, ("connect-timeout-ms", value)]
    assert wire.ask("POST", CHECK, fields, check.SerializeToString()).status == 200


@pytest.mark.parametrize("value", ["", "-1", "+1", "1.5", "1s", "99999999999", "x", "1 0"])
def test_row_62_a_malformed_time_is_refused(wire, value, check):
    fields = [PROTO, ("connect-timeout-ms", value)]
    reply = wire.ask("POST", CHECK, fields, check.SerializeToString())
    assert_error(reply, "invalid_argument", "connect-timeout-ms")


def test_row_62_no_time_at_all_is_over_before_the_call_begins(wire, people, relation, stubs):
    (ann,) = people(1)
    before = relation("GetSelfProfile", user_id=ann)
    request = stubs.request("UpdateProfile", {
        "user_id": ann, "profile": {"nick": "x"}, "update_mask": {"paths": ["nick"]}})
    fields = [PROTO, ("connect-timeout-ms", "0")]
    assert_error(wire.ask("POST", UPDATE, fields, request.SerializeToString()), "deadline_exceeded")
    assert relation("GetSelfProfile", user_id=ann) == before


def test_row_62_a_stream_ends_with_its_time(wire, people, stubs):
    (ann,) = people(1)
    call = Caller(wire, "connect").start(WATCH, seconds=0.3)
    call.send(stubs.request("Watch", {"user_id": ann}).SerializeToString())
    call.finish()
    list(call)
    assert (call.outcome.code, call.outcome.head.status) == ("deadline_exceeded", 200)


@pytest.mark.parametrize("value, status", [("1", 200), ("2", 400), ("", 400), ("v1", 400)])
def test_row_62_the_version_of_the_protocol_is_1_if_it_is_said(wire, value, status, check):
    fields = [PROTO, ("connect-protocol-version", value)]
    reply = wire.ask("POST", CHECK, fields, check.SerializeToString())
    assert reply.status == status
    assert status == 200 or reply.json["code"] == "invalid_argument"


# Compression


PACK = {"gzip": gzip.compress, "deflate": zlib.compress, "identity": bytes}
OPEN = {"gzip": gzip.decompress, "deflate": zlib.decompress, None: bytes}


@pytest.mark.parametrize("encoding", PACK)
def test_row_63_a_request_may_be_packed(wire, form, encoding, check):
    fields = [("content-type", f"application/{form}"), ("content-encoding", encoding)]
    assert wire.ask("POST", CHECK, fields, PACK[encoding](coded(check, form))).status == 200


@pytest.mark.parametrize("accepts", ["gzip", "deflate", "br, gzip;q=0.5", "identity"])
def test_row_63_an_answer_is_packed_as_the_client_takes_it(test_wire, messages, accepts):
    request = messages.SimpleRequest(response_size=50_000)
    request.response_compressed.value = True
    fields = [PROTO, ("accept-encoding", accepts)]
    reply = test_wire.ask("POST", TEST + "UnaryCall", fields, request.SerializeToString())
    encoding = reply.fields.get("content-encoding")
    assert reply.status == 200 and (encoding is None or encoding in accepts)
    answer = messages.SimpleResponse.FromString(OPEN[encoding](reply.body))
    assert len(answer.payload.body) == 50_000
    if accepts in ("gzip", "deflate"):
        assert encoding == accepts and len(reply.body) < 1_000


def test_row_63_an_encoding_that_is_not_there_is_named(wire, check):
    fields = [PROTO, ("content-encoding", "br")]
    reply = wire.ask("POST", CHECK, fields, check.SerializeToString())
    assert_error(reply, "unimplemented", "br", "gzip")
    fields = [STREAM, ("connect-content-encoding", "br")]
    reply = wire.ask("POST", WATCH, fields, envelope(b""))
    ((flag, end),) = envelopes(reply.body)
    assert (reply.status, flag) == (200, END_OF_STREAM)
    assert json.loads(end)["error"]["code"] == "unimplemented"


@pytest.mark.parametrize("body", [b"no gzip", gzip.compress(b"\x0a\x01x", mtime=0)[:-3]])
def test_row_63_a_body_that_is_badly_packed_is_refused(wire, body):
    reply = wire.ask("POST", CHECK, [PROTO, ("content-encoding", "gzip")], body)
    assert_error(reply, "internal")


def test_row_63_a_bomb_is_refused_at_the_bound_of_a_message(wire):
    bomb = gzip.compress(bytes(LIMIT + 1))
    reply = wire.ask("POST", CHECK, [PROTO, ("content-encoding", "gzip")], bomb)
    assert_error(reply, "resource_exhausted")


def test_row_63_messages_of_a_stream_are_packed_each_by_itself(test_wire, messages):
    request = messages.StreamingInputCallRequest(payload=messages.payload(5_000))
    data = request.SerializeToString()
    body = envelope(gzip.compress(data), COMPRESSED) + envelope(data)
    fields = [STREAM, ("connect-content-encoding", "gzip")]
    reply = test_wire.ask("POST", TEST + "StreamingInputCall", fields, body)
    (_, answer), (flag, end) = envelopes(reply.body)
    assert (flag, json.loads(end)) == (END_OF_STREAM, {})
    found = messages.StreamingInputCallResponse.FromString(answer)
    assert found.aggregated_payload_size == 10_000


def test_row_63_a_packed_message_needs_an_encoding(test_wire):
    body = envelope(gzip.compress(b""), COMPRESSED)
    reply = test_wire.ask("POST", TEST + "StreamingInputCall", [STREAM], body)
    assert json.loads(envelopes(reply.body)[-1][1])["error"]["code"] in (
        "internal", "invalid_argument")


# Errors


@pytest.mark.parametrize("number", range(1, 17))
def test_row_64_each_code_has_its_name_and_its_status_of_http(test_wire, messages, number):
    request = messages.SimpleRequest()
    request.response_status.code = number
    request.response_status.message = 'a "word" \u00e4 \\ \t and more'
    reply = test_wire.ask("POST", TEST + "UnaryCall", [PROTO], request.SerializeToString())
    assert reply.status == HTTP_OF[CODES[number]]
    assert reply.json == {"code": CODES[number], "message": request.response_status.message}


def test_row_64_an_error_has_the_details_of_gRPC(wire, form, stubs):
    request = stubs.request("GetSelfProfile", {"user_id": "no one"})
    path = "/relation.v1.ProfileService/GetSelfProfile"
    reply = wire.ask(
        "POST", path, [("content-type", f"application/{form}")], coded(request, form))
    assert_error(reply, "not_found", "no one")
    detail = next(one for one in reply.json["details"] if one["type"].endswith("ErrorInfo"))
    assert detail["type"] == "google.rpc.ErrorInfo" and "=" not in detail["value"]
    assert detail["debug"]["reason"] == "USER_NOT_FOUND"
    assert detail["debug"]["domain"] == "relation.v1"
    _, outcome = Caller(wire, "grpc-web").call(path, request.SerializeToString())
    told = Caller(wire, "connect", form).call(path, coded(request, form))[1]
    assert (told.code, told.details) == (outcome.code, outcome.details)


def test_row_64_a_handshake_with_a_wrong_method_is_405(wire):
    for method in ["PUT", "DELETE", "PATCH", "OPTIONS"]:
        reply = wire.ask(method, CHECK, [PROTO])
        assert reply.status == 405 and "POST" in reply.fields["allow"], method


# Metadata


def test_row_65_metadata_comes_as_fields_and_trailers_with_a_prefix(test_wire, messages):
    fields = [PROTO, (ECHO_INITIAL, "first"), (ECHO_TRAILING, "q6ur")]
    request = messages.SimpleRequest(response_size=1)
    reply = test_wire.ask("POST", TEST + "UnaryCall", fields, request.SerializeToString())
    assert reply.fields[ECHO_INITIAL] == "first"
    assert reply.fields[f"trailer-{ECHO_TRAILING}"] == "q6ur"
    request.response_status.code = 5
    reply = test_wire.ask("POST", TEST + "UnaryCall", fields, request.SerializeToString())
    assert (reply.status, reply.fields[f"trailer-{ECHO_TRAILING}"]) == (404, "q6ur")


def test_row_65_a_malformed_value_is_refused(wire, check):
    fields = [PROTO, ("x-some-bin", "!!")]
    reply = wire.ask("POST", CHECK, fields, check.SerializeToString())
    assert_error(reply, "invalid_argument", "x-some-bin")


# Streams


def test_row_66_a_stream_ends_with_a_message_of_its_own(test_wire, messages):
    request = messages.StreamingOutputCallRequest()
    for size in (3, 30_000, 1):
        request.response_parameters.add(size=size)
    fields = [STREAM, (ECHO_INITIAL, "first"), (ECHO_TRAILING, "q6ur")]
    body = envelope(request.SerializeToString())
    reply = test_wire.ask("POST", TEST + "FullDuplexCall", fields, body)
    *answers, (flag, end) = envelopes(reply.body)
    assert (reply.status, reply.fields["content-type"]) == (200, "application/connect+proto")
    sizes = [len(messages.StreamingOutputCallResponse.FromString(one).payload.body)
             for _, one in answers]  # fmt: skip
    assert (sizes, flag) == ([3, 30_000, 1], END_OF_STREAM)
    assert json.loads(end) == {"metadata": {ECHO_TRAILING: ["q6ur"]}}
    assert reply.fields[ECHO_INITIAL] == "first"


def test_row_66_an_error_stands_in_the_last_message(test_wire, messages):
    request = messages.StreamingOutputCallRequest()
    request.response_parameters.add(size=3)
    request.response_status.code, request.response_status.message = 9, "no"
    body = envelope(request.SerializeToString())
    reply = test_wire.ask("POST", TEST + "FullDuplexCall", [STREAM], body)
    (flag, _), (last, end) = envelopes(reply.body)
    assert (reply.status, flag, last) == (200, 0, END_OF_STREAM)
    assert json.loads(end)["error"] == {"code": "failed_precondition", "message": "no"}


def test_row_66_a_client_may_stream(wire, form, stubs, people):
    names = [people.unknown_user() for _ in range(20)]
    call = Caller(wire, "connect", form).start(IMPORT)
    for name in names:
        call.send(coded(stubs.request("ImportAccounts", {"row": {"user_id": name}}), form))
    call.finish()
    kind = stubs.message("ImportAccountsResponse")
    answers = [read(one, kind, form) for one in call]
    assert call.outcome.code == "ok"
    assert answers[-1].progress.accepted == 20


def test_row_66_requests_and_answers_may_take_turns(test_wire, messages):
    call = Caller(test_wire, "connect").start(TEST + "FullDuplexCall")
    for size in (10, 20, 30):
        request = messages.StreamingOutputCallRequest()
        request.response_parameters.add(size=size)
        call.send(request.SerializeToString())
        answer = messages.StreamingOutputCallResponse.FromString(next(call))
        assert len(answer.payload.body) == size
    call.finish()
    assert list(call) == [] and call.outcome.code == "ok"


def test_row_66_a_stream_of_health_stays_open(wire, form):
    call = Caller(wire, "connect", form).start("/grpc.health.v1.Health/Watch")
    call.send(b"" if form == "proto" else b"{}")
    call.finish()
    first = next(call)
    assert first == (b"\x08\x01" if form == "proto" else b'{"status":"SERVING"}')
    call.cancel()


@pytest.mark.parametrize("call", ["connect-unary", "connect", "grpc-web"])
def test_row_69_a_body_is_at_most_as_long_as_a_message(wire, call):
    message = bytes(LIMIT + 1)
    if call == "connect-unary":
        reply = wire.ask("POST", CHECK, [PROTO], message)
        return assert_error(reply, "resource_exhausted")
    caller = Caller(wire, call)
    running = caller.start(IMPORT)
    running.send(message)
    assert list(running) == [] and running.outcome.code == "resource_exhausted"


@pytest.mark.parametrize("body, code", [
    (b"", "unimplemented"), (envelope(b"") * 2, "unimplemented"),
    (envelope(b"abc")[:-1], "internal"), (b"\0\0\0", "internal"), (b"\7\0\0\0\0", "internal"),
])  # fmt: skip
@pytest.mark.parametrize("protocol", ["connect", "grpc-web"])
def test_row_69_a_stream_of_one_request_has_one(test_wire, protocol, body, code):
    call = Caller(test_wire, protocol).start(TEST + "StreamingOutputCall")
    call.stream.send(body)
    call.finish()
    assert list(call) == []
    assert call.outcome.code in (code, "invalid_argument"), call.outcome.code


def test_row_69_a_body_without_bytes_is_an_empty_message(test_wire):
    reply = test_wire.ask("POST", TEST + "EmptyCall", [PROTO], b"")
    assert (reply.status, reply.body) == (200, b"")


def test_row_69_a_request_that_is_cut_off_is_not_run(ours, server, stubs, people, relation):
    (ann,) = people(1)
    before = relation("GetSelfProfile", user_id=ann)
    request = stubs.request("UpdateProfile", {
        "user_id": ann, "profile": {"nick": "x"}, "update_mask": {"paths": ["nick"]}})
    body = request.SerializeToString()
    with RawPeer(server.port) as peer:
        fields = peer.request(UPDATE, te=None, **{"content-type": "application/proto"})
        stream = peer.open([*fields, ("content-length", str(len(body)))], body[:-1], end=True)
        assert peer.await_reset(stream) == 1
    with Wire(server.port, HTTP1) as wire:
        connection = wire.connection()
        connection.send(f"POST {UPDATE} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/"
                        f"proto\r\ncontent-length: {len(body)}\r\n\r\n".encode() + body[:-1])
        connection.socket.shutdown(1)
        assert b"200" not in connection.everything()
    assert relation("GetSelfProfile", user_id=ann) == before


# Witnesses


@pytest.mark.parametrize("version", ["--http1.1", "--http2-prior-knowledge"])
def test_curl_makes_calls_in_json_in_protobuf_and_by_get(server, version, check, stubs):
    def curl(*arguments):
        done = subprocess.run(["curl", "-sS", version, *arguments], capture_output=True, timeout=30)
        assert done.returncode == 0, done.stderr
        return done.stdout

    address = f"http://{server.address}{CHECK}"
    data = curl(address, "-H", "content-type: application/json", "-d",
                json_format.MessageToJson(check))  # fmt: skip
    wanted = stubs.message("CheckFriendsResponse")
    first = json_format.Parse(data, wanted())
    assert first.results[0].user_id == check.user_ids[0]
    data = subprocess.run(
        ["curl", "-sS", version, address, "-H", "content-type: application/proto",
         "--data-binary", "@-"],
        input=check.SerializeToString(), capture_output=True, timeout=30).stdout
    assert wanted.FromString(data) == first
    text = json.dumps(json_format.MessageToDict(check))
    data = curl("-G", address, "--data-urlencode", f"message={text}", "-d",
                "connect=v1&encoding=json")  # fmt: skip
    assert json_format.Parse(data, wanted()) == first


def test_pythons_own_client_makes_calls(server, check, stubs):
    import http.client

    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    for body in [json.dumps(json_format.MessageToDict(check)).encode()] * 3:
        connection.request("POST", CHECK, body, {"content-type": "application/json"})
        answer = connection.getresponse()
        assert answer.status == 200
        assert json.loads(answer.read())["results"][0]["userId"] == check.user_ids[0]
    connection.close()
