"""HTTP/1.1 beside HTTP/2 on one port: requests in a row, bounds, and heads that are refused."""

import http.client
import json
import ssl
import threading
import time

import pytest
from raw_peer import PREFACE, RawPeer, settings
from relationd import Relationd
from web import HTTP1, HTTP2, Caller, Ended, Http1, Http1Stream, Reply, Wire, dial, envelope

LIST = "/relation.v1.AppService/ListApps"
CREATE = "/relation.v1.AppService/CreateApp"
WATCH = "/relation.v1.ChangeService/Watch"
HEAD_BYTES = 16 * 1024


@pytest.fixture
def one(server):
    """A connection of HTTP/1.1."""
    with Http1(server.port) as made:
        yield made


def post(path=LIST, body=b"", *lines, host="localhost", kind="application/proto", length=True):
    """The bytes of a request."""
    head = [f"POST {path} HTTP/1.1", f"host: {host}", f"content-type: {kind}"]
    head += [f"content-length: {len(body)}"] if length else []
    return "\r\n".join([*head, *lines, "", ""]).encode() + body


def get(path=LIST):
    return f"GET {path}?encoding=json&message=%7B%7D HTTP/1.1\r\nhost: localhost\r\n\r\n".encode()


def answer(connection, method="POST"):
    return Reply(Http1Stream(connection, method=method))


def assert_alive(connection):
    connection.send(post())
    assert answer(connection).status == 200


def apps(relation):
    return [app.name for app in relation("ListApps", page_size=100).apps]


def create(name):
    return json.dumps({"name": name}).encode()


# Requests in a row


def test_row_70_a_connection_has_many_requests(one):
    for _ in range(5):
        one.send(post())
        reply = answer(one)
        assert (reply.status, reply.fields.get("connection")) == (200, None)


@pytest.mark.parametrize("value", ["close", "Close", "keep-alive, close"])
def test_row_70_a_client_may_ask_for_the_end(one, value):
    one.send(post(LIST, b"", f"connection: {value}"))
    reply = answer(one)
    assert (reply.status, reply.fields["connection"]) == (200, "close")
    assert one.everything() == b""


def test_row_70_an_answer_to_half_a_request_ends_the_connection(one):
    one.send(post("/no.Service/No", b"", "content-length: 100", length=False))
    try:
        reply = answer(one)
        assert reply.status in (404, 408)
        assert reply.fields["connection"] == "close"
    finally:
        one.close()


def test_row_70_chunks_may_be_split_at_every_byte(server, stubs):
    body = b'{"userId": "none"}'
    chunks = b"5;name=value\r\n" + body[:5] + b"\r\nD\r\n" + body[5:] + b"\r\n0\r\nx: y\r\n\r\n"
    data = post("/relation.v1.ProfileService/GetSelfProfile", b"", "transfer-encoding: chunked",
                kind="application/json", length=False) + chunks  # fmt: skip
    with Http1(server.port) as one:
        one.send(data)
        whole = answer(one)
        assert (whole.status, whole.json["code"]) == (404, "not_found")
        assert_alive(one)
        for at in range(1, len(data)):
            one.send(data[:at])
            one.send(data[at:])
            assert answer(one).body == whole.body, at
        for byte in data:
            one.send(bytes([byte]))
        assert answer(one).body == whole.body


def test_row_70_who_asks_whether_to_send_is_told_to(one):
    body = b"{}"
    one.send(post(LIST, b"", f"content-length: {len(body)}", "expect: 100-continue",
                  kind="application/json", length=False))  # fmt: skip
    assert one.head().status == 100
    one.send(body)
    assert answer(one).status == 200
    assert_alive(one)


@pytest.mark.parametrize("line", [
    "content-length: 2 ", "content-length:2", "content-length:\t 2\t ", "Content-Length: 2",
])  # fmt: skip
def test_row_70_blanks_around_a_value_mean_nothing(one, line):
    one.send(post(LIST, b"", line, kind="application/json \t", length=False) + b"{}")
    assert answer(one).status == 200
    assert_alive(one)


def test_row_71_requests_in_a_row_are_answered_in_their_order(one):
    paths = [LIST, "/no.Service/A", LIST, "/no.Service/B"] * 5
    one.send(b"".join(map(post, paths)))
    for path in paths:
        reply = answer(one)
        assert reply.status == (200 if path == LIST else 404)
        assert path == LIST or path in reply.json["message"]
    assert_alive(one)


def test_row_71_nothing_is_answered_after_the_last(one):
    one.send(post(LIST, b"", "connection: close") + post() * 3)
    assert answer(one).status == 200
    assert one.everything() == b""


# Bounds


def test_row_72_a_head_that_does_not_end_is_408(one):
    begun = time.monotonic()
    one.send(b"POST /x HTTP/1.1\r\nhost: x\r\n")
    one.socket.settimeout(40)
    reply = answer(one)
    assert (reply.status, reply.fields["connection"]) == (408, "close")
    assert 9 <= time.monotonic() - begun <= 25
    assert one.everything() == b""


def padded(total):
    """A request whose fields take so many bytes as HTTP/2 counts them."""
    pairs = [(":method", "POST"), (":scheme", "http"), (":path", LIST), (":authority", "localhost"),
             ("content-type", "application/proto"), ("content-length", "0")]  # fmt: skip
    used = sum(len(name) + len(value) + 32 for name, value in pairs) + len("x-pad") + 32
    return post(LIST, b"", "x-pad: " + "x" * (total - used))


@pytest.mark.parametrize("over", [0, 1, 100])
def test_row_74_a_head_is_bounded_exactly(one, over):
    one.send(padded(HEAD_BYTES + over))
    assert answer(one).status == (200 if over == 0 else 431)


def test_row_74_a_head_without_an_end_is_cut_off(one):
    one.send(b"POST /x HTTP/1.1\r\nhost: x\r\nx: " + b"y" * (HEAD_BYTES + 2_000))
    reply = answer(one)
    assert (reply.status, one.everything()) == (431, b"")


@pytest.mark.parametrize(
    "line", [b"1" * 20_000, b"1;" + b"x" * 20_000, b"0\r\n" + b"x: y\r\n" * 4_000])
def test_row_74_a_line_of_chunks_without_an_end_is_cut_off(one, line):
    one.send(post(CREATE, b"", "transfer-encoding: chunked", length=False) + line)
    data = one.everything()
    assert b"HTTP/1.1 200" not in data and data.count(b"HTTP/1.1 ") <= 1


def test_row_74_a_body_is_bounded_like_a_message(one):
    one.send(post(LIST, bytes((4 << 20) + 1)))
    reply = answer(one)
    assert (reply.status, reply.json["code"]) == (429, "resource_exhausted")


def test_row_75_a_stop_ends_idle_connections_and_streams(start):
    running = start()
    with Wire(running.port, HTTP1) as wire, Http1(running.port) as idle:
        assert_alive(idle)
        call = Caller(wire, "connect").start("/grpc.health.v1.Health/Watch")
        call.send(b"")
        call.finish()
        assert next(call) == b"\x08\x01"
        begun = time.monotonic()
        running.process.terminate()
        assert running.process.wait(40) == 0
        assert time.monotonic() - begun < 20
        assert idle.everything() == b""


def test_a_client_that_goes_within_a_body_is_told_so_in_the_log(start):
    running = start()
    for body in (b"{", b""):
        with Http1(running.port) as one:
            one.send(post(LIST, b"", "content-length: 100", kind="application/json", length=False))
            one.send(body)
    with Http1(running.port) as one:
        one.send(b"POST / HTTP/1.1\r\nhost: x")
    end = time.monotonic() + 20
    while running.log.count("cut_off_http1_request") < 3:
        assert time.monotonic() < end, running.log
        time.sleep(0.02)
    assert running.log.count("inside the body of a request") == 2
    assert running.log.count("inside the header section of a request") == 1
    assert "no request of HTTP/1.1" not in running.log and "peer=unknown" not in running.log


# Heads that two programs may read in two ways


SMUGGLED = post(CREATE, create("smuggled"), kind="application/json")
CHUNKS = b"0\r\n\r\n"
CHUNKED = post(LIST, b"", "transfer-encoding: chunked", length=False)
SHAPES = {
    "two lengths": post(LIST, b"", "content-length: 5", "content-length: 6", length=False),
    "the same length twice": post(LIST, b"", "content-length: 0"),
    "the same length in another spelling": post(LIST, b"", "Content-Length: 0"),
    "a list of lengths": post(LIST, b"", "content-length: 0, 0", length=False),
    "a length and chunks":
        post(LIST, b"", "content-length: 5", "transfer-encoding: chunked", length=False) + CHUNKS,
    "chunks and a length":
        post(LIST, b"", "transfer-encoding: chunked", "content-length: 5", length=False) + CHUNKS,
    "xchunked": post(LIST, b"", "transfer-encoding: xchunked", length=False) + CHUNKS,
    "chunked twice":
        post(LIST, b"", "transfer-encoding: chunked", "transfer-encoding: chunked", length=False)
        + CHUNKS,
    "chunked, identity":
        post(LIST, b"", "transfer-encoding: chunked, identity", length=False) + CHUNKS,
    "identity": post(LIST, b"", "transfer-encoding: identity", length=False),
    "gzip, chunked": post(LIST, b"", "transfer-encoding: gzip, chunked", length=False) + CHUNKS,
    "a coding behind a control character":
        post(LIST, b"", "transfer-encoding: \x0bchunked", length=False) + CHUNKS,
    "a folded field": post(LIST, b"", "x-a: b\r\n content-length: 0"),
    "a folded coding": post(LIST, b"", "transfer-encoding:\r\n chunked", length=False) + CHUNKS,
    "a bare CR": post(LIST, b"", "x-a: b\rcontent-length: 9"),
    "a bare CR at the end of a line":
        post(LIST).replace(b"host: localhost\r\n", b"host: localhost\r"),
    "a space before the colon": post(LIST, b"", "content-length : 0", length=False),
    "a tab before the colon":
        post(LIST, b"", "transfer-encoding\t: chunked", length=False) + CHUNKS,
    "a name with a space": post(LIST, b"", "x y: z"),
    "a name without a colon": post(LIST, b"", "x-y"),
    "an empty name": post(LIST, b"", ": x"),
    "a space before the first field":
        post(LIST).replace(b"host: localhost", b" host: localhost"),
    "a zero in a value": post(LIST, b"", "x-a: b\0c"),
    "a negative length": post(LIST, b"", "content-length: -1", length=False),
    "a length with a plus": post(LIST, b"", "content-length: +0", length=False),
    "a length in hexadecimal": post(LIST, b"", "content-length: 0x0", length=False),
    "a length without digits": post(LIST, b"", "content-length: ", length=False),
    "a huge length": post(LIST, b"", "content-length: 99999999999999999999", length=False),
    "a length of 2^64": post(LIST, b"", "content-length: 18446744073709551616", length=False),
    "a size that is negative":
        post(LIST, b"", "transfer-encoding: chunked", length=False) + b"-1\r\n\r\n",
    "a size with a plus": CHUNKED + b"+0\r\n\r\n",
    "a size in 0x": CHUNKED + b"0x0\r\n\r\n",
    "a size beyond 64 bits":
        post(LIST, b"", "transfer-encoding: chunked", length=False) + b"10000000000000000\r\n",
    "a chunk that is longer than its size":
        post(LIST, b"", "transfer-encoding: chunked", length=False) + b"1\r\nabc\r\n0\r\n\r\n",
    "no host": post(LIST).replace(b"host: localhost\r\n", b""),
    "two hosts": post(LIST, b"", "host: localhost"),
    "no version": f"POST {LIST}\r\nhost: localhost\r\ncontent-length: 0\r\n\r\n".encode(),
    "two blanks behind the method": post(LIST).replace(b"POST ", b"POST  "),
    "two blanks before the version": post(LIST).replace(b" HTTP/1.1", b"  HTTP/1.1"),
    "a blank behind the version": post(LIST).replace(b" HTTP/1.1", b" HTTP/1.1 "),
    "a size behind a blank": CHUNKED + b" 0\r\n\r\n",
    "a blank behind a size": CHUNKED + b"0 \r\n\r\n",
    "a tab in the line": post(LIST).replace(b" HTTP/1.1", b"\tHTTP/1.1"),
}  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
def test_row_76_what_can_be_read_in_two_ways_ends_the_connection(server, relation, shape):
    with Http1(server.port) as one:
        one.send(SHAPES[shape] + SMUGGLED)
        data = one.everything()
    assert data.count(b"HTTP/1.1 ") <= 1, data
    assert not data or data.split(b" ")[1] in (b"400", b"501", b"505"), data
    assert "smuggled" not in apps(relation)


@pytest.mark.parametrize("shape", ["line feeds alone", "line feeds in chunks"])
def test_row_76_line_feeds_alone_are_read_in_one_way(server, relation, shape):
    data = post(LIST).replace(b"\r\n", b"\n")
    if shape == "line feeds in chunks":
        data = post(LIST, b"", "transfer-encoding: chunked", length=False) + b"0\n\n"
    with Http1(server.port) as one:
        one.send(data + post(LIST, b"", "connection: close"))
        came = one.everything()
    # Either each request is one, or nothing after the first line feed is read.
    assert came.count(b"HTTP/1.1 ") <= 2
    assert came.count(b"HTTP/1.1 200") in (0, 2), came


# Methods, targets, versions


def test_row_77_a_question_for_the_head_has_no_body(one):
    one.send(f"HEAD {LIST} HTTP/1.1\r\nhost: localhost\r\n\r\n".encode())
    reply = answer(one, "HEAD")
    assert (reply.status, reply.body) == (405, b"")
    assert_alive(one)


@pytest.mark.parametrize("line, status", [
    (f"POST {LIST} HTTP/1.0", 505), (f"POST {LIST} HTTP/1.2", 400), ("OPTIONS * HTTP/1.1", 405),
    (f"POST localhost{LIST} HTTP/1.1", 400), ("CONNECT localhost:80 HTTP/1.1", 400),
    (f"PUT {LIST} HTTP/1.1", 405), (f"PATCH {LIST} HTTP/1.1", 405), ("GET / HTTP/1.1", 405),
])  # fmt: skip
def test_row_77_other_methods_targets_and_versions_are_refused(one, line, status):
    one.send(f"{line}\r\nhost: localhost\r\ncontent-length: 0\r\n\r\n".encode())
    assert answer(one).status == status


@pytest.mark.parametrize("named, status", [("localhost", 200), ("evil.example", 403)])
def test_row_77_the_host_of_a_whole_address_counts(one, named, status):
    for beside in ("localhost", "evil.example"):
        one.send(post(f"http://{named}{LIST}", host=beside))
        assert answer(one).status == status


@pytest.mark.parametrize("kind", ["", "+proto", "+json", "+thrift"])
def test_row_77_grpc_needs_http2(one, kind):
    one.send(post(LIST, envelope(b""), kind="application/grpc" + kind))
    assert answer(one).status == 505


# The first bytes


@pytest.mark.parametrize("version", [HTTP1, HTTP2])
def test_row_78_first_bytes_may_come_one_by_one(server, version):
    if version == HTTP1:
        with Http1(server.port) as one:
            for byte in post():
                one.send(bytes([byte]))
            assert answer(one).status == 200
    else:
        with RawPeer(server.port, preface=b"") as peer:
            for byte in PREFACE + settings():
                peer.send(bytes([byte]))
            peer.round_trip()


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "PRI", "PROPFIND"])
@pytest.mark.parametrize("cut", [1, 2, 3])
def test_row_78_a_beginning_that_both_have_is_neither_yet(server, method, cut):
    line = f"{method} /x HTTP/1.1\r\nhost: localhost\r\n\r\n".encode()
    with Http1(server.port) as one:
        one.send(line[:cut])
        one.socket.settimeout(0.05)
        # Nothing is said while the protocol is not known; the greeting of HTTP/2 would be wrong.
        with pytest.raises(TimeoutError):
            one.socket.recv(1)
        one.socket.settimeout(20)
        one.send(line[cut:])
        data = one.socket.recv(1 << 16)
    if method == "PRI":
        assert not data.startswith(b"HTTP/1.1 200")
    else:
        assert data.startswith((b"HTTP/1.1 415", b"HTTP/1.1 405", b"HTTP/1.1 400")), data


@pytest.mark.parametrize(
    "data", [b"\x16\x03\x01\0\xc8", b"post / HTTP/1.1\r\n\r\n", b"\0", b"\r\n\r\nX"])
def test_row_78_bytes_of_neither_are_closed_without_an_answer(server, data):
    with Http1(server.port) as one:
        one.send(data)
        assert one.everything() == b""


@pytest.mark.parametrize("protocol", ["h2", "http/1.1", None])
def test_row_78_the_handshake_chooses_the_protocol(tmp_path, authority, certificate, protocol):
    with Relationd(
        tmp_path / "data", "--tls-cert", certificate.path, "--tls-key", certificate.key_path,
        "--allow-anonymous", insecure=False,
    ) as running:
        made = dial(running.port, authority.pem, protocol)
        assert made.selected_alpn_protocol() == protocol
        if protocol == "h2":
            made.sendall(PREFACE + settings())
            assert made.recv(9)[3] == 4
        else:
            made.sendall(post())
            assert made.recv(100).startswith(b"HTTP/1.1 200 ")
        made.close()
        # The other protocol is not understood on it.
        with dial(running.port, authority.pem, protocol) as other:
            try:
                other.sendall(post() if protocol == "h2" else PREFACE + settings())
                assert b" 200 " not in other.recv(1 << 16)
            except (ssl.SSLError, ConnectionError):
                pass


# Streams


def test_row_79_a_stream_has_its_events_and_its_heartbeats_at_once(server, people, relation, stubs):
    (ann,) = people(1)
    with Wire(server.port, HTTP1) as wire:
        call = Caller(wire, "connect").start(WATCH)
        request = stubs.request("Watch", {"user_id": ann, "heartbeat_ms": 1_000})
        call.send(request.SerializeToString())
        call.finish()
        kind = stubs.message("WatchResponse")
        first = kind.FromString(next(call))
        assert call.stream.head.fields["transfer-encoding"] == "chunked", first
        people.set_profile(ann, nick="new")
        came = [first]
        while not came[-1].ByteSize() == 0 and came[-1].HasField("event"):
            came.append(kind.FromString(next(call)))
        assert any("new" in str(one) for one in came), came
        call.cancel()


@pytest.mark.parametrize("version", [HTTP1, HTTP2])
@pytest.mark.parametrize("protocol", ["connect", "grpc-web"])
def test_row_79_a_client_that_goes_ends_its_stream(server, people, stubs, version, protocol):
    (ann,) = people(1)
    request = stubs.request("Watch", {"user_id": ann}).SerializeToString()
    before = opened(server)
    with Wire(server.port, version) as wire:
        for _ in range(5):
            call = Caller(wire, protocol).start(WATCH)
            call.send(request)
            call.finish()
            next(call)
        await_opened(server, before + 5)
    await_opened(server, before)


def await_opened(server, count):
    """Waits for the figures, which loops tell now and then."""
    end = time.monotonic() + 15
    while opened(server) != count:
        assert time.monotonic() < end, opened(server)


def opened(server):
    """The calls that are open, of the server's figures."""
    host, port = server.pages.removeprefix("http://").split(":")
    connection = http.client.HTTPConnection(host, int(port), timeout=20)
    connection.request("GET", "/metrics")
    text = connection.getresponse().read().decode()
    connection.close()
    return sum(
        int(float(line.split()[-1])) for line in text.splitlines()
        if line.startswith("relation_open_calls"))


def test_row_79_a_slow_reader_stops_itself_alone(server, people, one):
    (ann,) = people(1)
    text = json.dumps({"userId": ann, "userIds": ["x" * 60] * 100}).encode()
    asked = post("/relation.v1.FriendService/CheckFriends", text, kind="application/json")
    with Http1(server.port) as slow:
        # The server takes no more requests than it has room for answers to.
        sender = threading.Thread(target=slow.send, args=[asked * 200])
        sender.start()
        for _ in range(10):
            assert_alive(one)
        sizes = {len(answer(slow).body) for _ in range(200)}
        sender.join()
    assert len(sizes) == 1 and sizes.pop() > 6_000


def test_row_79_an_answer_may_begin_before_the_request_ends(server, stubs, people):
    with Wire(server.port, HTTP1) as wire:
        call = Caller(wire, "connect").start("/relation.v1.AccountService/ImportAccounts")
        bad = stubs.request("ImportAccounts", {"row": {"user_id": ""}})
        call.send(bad.SerializeToString())
        first = stubs.message("ImportAccountsResponse").FromString(next(call))
        assert first.row.row_number == 1
        call.finish()
        try:
            assert list(call) and call.outcome.code == "ok"
        except Ended:
            raise AssertionError("the rest of the answer is missing") from None
