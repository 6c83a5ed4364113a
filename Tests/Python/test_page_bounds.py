"""The pages for operators, among clients that take all places, ask without reading, or lie about
the host that they ask."""

import json
import re
import socket
import subprocess
import threading
import time
import urllib.request

import pytest
from web import Http1, Http1Stream, Reply, envelope

WATCH = "/relation.v1.ChangeService/Watch"
CHECK = "/relation.v1.FriendService/CheckFriends"
PROBES = ["/livez", "/readyz", "/metrics"]
#: More than the places that there are, of either kind.
MANY = 100
#: What the answers that wait may take together, with the buffers of sockets and some air.
MOST_BYTES = 40 << 20


def port_of(server):
    return int(server.pages.rsplit(":", 1)[1])


def connect(server):
    return socket.create_connection(("127.0.0.1", port_of(server)), timeout=20)


def asked(path, *fields, method="GET", host="localhost"):
    return "\r\n".join([f"{method} {path} HTTP/1.1", f"host: {host}", *fields, "", ""]).encode()


def resident(running):
    with open(f"/proc/{running.process.pid}/status") as status:
        return int(re.search(r"VmRSS:\s+(\d+)", status.read())[1]) * 1_024


def assert_probes_answer(server):
    for path in PROBES:
        # The thread of the pages stands back for all that a busy machine does besides.
        with urllib.request.urlopen(server.pages + path, timeout=60) as answer:
            assert answer.status == 200, path
            assert answer.read()


@pytest.mark.parametrize("connections", [1, 8])
def test_requests_whose_answers_are_not_read_take_little_memory(start, connections):
    running = start()
    assert_probes_answer(running)
    before = resident(running)
    held = [connect(running) for _ in range(connections)]
    most = 0
    for one in held:
        one.settimeout(0.2)
        try:
            one.sendall(asked("/metrics") * 4_000)
        except TimeoutError:
            pass  # It reads no more, as it should.
        most = max(most, resident(running) - before)
    assert_probes_answer(running)
    for one in held:
        one.close()
    assert most < MOST_BYTES, most


def test_calls_whose_answers_are_not_read_take_little_memory(start):
    running = start()
    text = json.dumps({"userId": "a", "userIds": ["x" * 60] * 100}).encode()
    one = asked(CHECK, "content-type: application/json", f"content-length: {len(text)}",
                method="POST") + text  # fmt: skip
    assert_probes_answer(running)
    before = resident(running)
    held = [connect(running) for _ in range(8)]
    most = 0
    for client in held:
        client.settimeout(0.2)
        try:
            client.sendall(one * 300)
        except TimeoutError:
            pass
        most = max(most, resident(running) - before)
    assert_probes_answer(running)
    for client in held:
        client.close()
    assert most < MOST_BYTES, most


def watching(user):
    body = envelope(json.dumps({"userId": user}).encode())
    return asked(WATCH, "content-type: application/connect+json", f"content-length: {len(body)}",
                 method="POST") + body  # fmt: skip


@pytest.mark.parametrize("kind", ["idle", "half head", "half body", "half call", "unread"])
def test_probes_get_in_among_connections_that_take_all_places(server, kind):
    sent = {
        "idle": b"",
        "half head": b"GET /livez HTTP/1.1\r\nhost: loc",
        "half body": asked("/livez", "content-length: 10") + b"123",
        "half call": asked(CHECK, "content-type: application/json", "content-length: 10",
                           method="POST") + b"{",
        "unread": asked("/metrics") * 200,
    }[kind]
    held = []
    for _ in range(MANY):
        one = connect(server)
        one.settimeout(1)
        held.append(one)
        try:
            one.sendall(sent)
        except OSError:
            pass  # It had to make room.
    try:
        for _ in range(3):
            assert_probes_answer(server)
    finally:
        for one in held:
            one.close()


def test_probes_get_in_among_streams_and_a_stream_too_many_is_told_so(server, people):
    (ann,) = people(1)
    held, refused = [], 0
    try:
        for _ in range(MANY):
            one = connect(server)
            held.append(one)
            one.sendall(watching(ann))
            head = one.recv(4_096)
            if head.startswith(b"HTTP/1.1 429"):
                refused += 1
                assert b"resource_exhausted" in head + one.recv(4_096)
            else:
                assert head.startswith(b"HTTP/1.1 200"), head
        assert 0 < refused < MANY - 16
        for _ in range(3):
            assert_probes_answer(server)
        # Those that were let in are still there.
        held[0].settimeout(0.1)
        with pytest.raises(TimeoutError):
            while held[0].recv(4_096):
                pass
    finally:
        for one in held:
            one.close()
    end = time.monotonic() + 20
    while True:
        with connect(server) as again:
            again.sendall(watching(ann))
            if again.recv(4_096).startswith(b"HTTP/1.1 200"):
                break
        assert time.monotonic() < end, "no place comes back"


def test_a_page_by_another_name_is_refused_and_a_probe_is_not(server):
    for host in ("evil.example", f"evil.example:{port_of(server)}", "10.1.2.3"):
        for path in ("/", "/metrics", "/slow", "/connections", "/version", "/console/app.js",
                     "/console/history.json", "/reference", "/openapi.json"):  # fmt: skip
            with connect(server) as one:
                one.sendall(asked(path, "connection: close", host=host))
                answer = b"".join(iter(lambda: one.recv(1 << 16), b""))
            assert answer.startswith(b"HTTP/1.1 403"), (host, path)
            assert b"relation_" not in answer and b"browser-hosts" in answer
        for path in ("/livez", "/readyz"):
            with connect(server) as one:
                one.sendall(asked(path, host=host))
                assert one.recv(4_096).startswith(b"HTTP/1.1 200")
    with connect(server) as old:
        old.sendall(b"GET /metrics HTTP/1.0\r\n\r\n")
        assert old.recv(4_096).startswith(b"HTTP/1.0 200")


def test_pages_for_others_have_the_addresses_and_the_names_that_are_listed(start):
    running = start("data", "--metrics-listen", "0.0.0.0:0", "--metrics-allow-plaintext",
                    "--browser-hosts", "metrics.example")  # fmt: skip
    for host, status in [("10.1.2.3", 200), ("[fd00::1]:7451", 200), ("metrics.example:1", 200),
                         ("localhost", 200), ("evil.example", 403)]:  # fmt: skip
        with connect(running) as one:
            one.sendall(asked("/metrics", host=host))
            assert one.recv(4_096).startswith(f"HTTP/1.1 {status}".encode()), host


UPGRADES = [
    ["connection: Upgrade, HTTP2-Settings", "upgrade: h2c", "http2-settings: AAMAAABkAAQAoAAAAAIA"],
    ["connection: upgrade", "upgrade: websocket", "sec-websocket-key: x"],
    ["connection: Upgrade", "upgrade: TLS/1.0"],
]


@pytest.mark.parametrize("fields", UPGRADES)
@pytest.mark.parametrize("listener", ["pages", "calls"])
def test_row_84_who_asks_for_another_protocol_is_answered_and_goes_on(server, listener, fields):
    port = port_of(server) if listener == "pages" else server.port
    path = "/livez" if listener == "pages" else (
        "/grpc.health.v1.Health/Check?encoding=proto&message=")
    with Http1(port) as one:
        for _ in range(3):
            one.send(asked(path, *fields))
            assert Reply(Http1Stream(one, method="GET")).status in (200, 405)
        body = b"{}"
        post = asked(CHECK, *fields, "content-type: application/json",
                     f"content-length: {len(body)}", method="POST")  # fmt: skip
        for _ in range(2):
            one.send(post + body)
            assert Reply(Http1Stream(one)).json["code"] == "invalid_argument"


@pytest.mark.parametrize("listener", ["pages", "calls"])
def test_row_84_curl_offers_another_protocol_and_makes_all_its_requests(server, listener):
    base = server.pages if listener == "pages" else f"http://{server.address}"
    made = subprocess.run(
        ["curl", "-s", "--http2", "--max-time", "20", "-o", "/dev/null", "-o", "/dev/null",
         "-o", "/dev/null", "-w", "%{http_code} ", *[f"{base}/livez"] * 3],
        capture_output=True, text=True)
    assert made.stdout.split() == (["200"] if listener == "pages" else ["405"]) * 3, made


def test_an_answer_of_the_pages_tells_its_time_and_is_not_kept(server):
    with urllib.request.urlopen(server.pages + "/livez", timeout=20) as answer:
        assert re.fullmatch(r"\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT", answer.headers["date"])
        assert answer.headers["cache-control"] == "no-store"


def test_a_scraper_is_answered_while_others_come_and_go(server):
    """Newcomers take no place of a connection that is being answered."""
    ended = threading.Event()

    def churn():
        while not ended.is_set():
            held = [connect(server) for _ in range(40)]
            for one in held:
                one.close()

    other = threading.Thread(target=churn)
    other.start()
    try:
        for _ in range(20):
            assert_probes_answer(server)
    finally:
        ended.set()
        other.join()
