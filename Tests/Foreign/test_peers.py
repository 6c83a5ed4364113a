"""The servers beside which ours is measured: they answer as ours does, and the measurement runs."""

import contextlib
import json
import shutil
import socket
import subprocess
import sys
import xml.etree.ElementTree

import grpc
import pytest
from relationd import ROOT, START_SECONDS, STOP_SECONDS, executable

PEERS = ROOT / ".build-peers"
SCRIPT = ROOT / "Benchmarks" / "peers" / "python" / "server.py"
PATH = "/relation.v1.FriendService/CheckFriends"
COMMANDS = {
    "C": [PEERS / "c-server"],
    "C++ callback": [PEERS / "cpp-server"],
    "C++ queue": [PEERS / "cpp-server", "--queue"],
    "Go": [PEERS / "go-server"],
    "Python": [sys.executable, SCRIPT, PEERS / "python"],
}
# Another build's name, which a picture and a file must not take for their own signs.
ODD_NAME = 'a<b & "c"'


@pytest.fixture(scope="module", autouse=True)
def built():
    subprocess.run(
        ["make", "--directory", ROOT / "Benchmarks" / "peers", f"PYTHON={sys.executable}"],
        check=True,
    )


@contextlib.contextmanager
def channel_to(command):
    process = subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, text=True)
    try:
        words = process.stdout.readline().split()
        assert words[:2] == ["listening", "on"]
        with grpc.insecure_channel(words[2]) as channel:
            grpc.channel_ready_future(channel).result(START_SECONDS)
            yield channel
    finally:
        process.terminate()
        process.wait(STOP_SECONDS)
        process.stdout.close()


def check(channel, request):
    """The bytes of the answer: a codec of the test would hide what a peer sends."""
    return channel.unary_unary(PATH)(request, timeout=30)


def request(*users):
    def field(number, text):
        value = text.encode()
        assert len(value) < 128
        return bytes([number << 3 | 2, len(value)]) + value

    return field(1, "caller") + b"".join(field(3, user) for user in users)


REQUESTS = [
    request("1"),
    request("1", "4038", "107", "1"),
    request(*(str(number) for number in range(20))),
    request("x" * 32, "y"),
]


@pytest.fixture(scope="module")
def answers():
    with channel_to([executable("relationbench"), "serve", "--fixed"]) as channel:
        return [check(channel, request) for request in REQUESTS]


@pytest.mark.parametrize("name", COMMANDS)
def test_a_peer_answers_as_ours_does(name, answers):
    with channel_to(COMMANDS[name]) as channel:
        assert [check(channel, request) for request in REQUESTS] == answers


@pytest.mark.parametrize("name", COMMANDS)
def test_a_peer_reads_the_request(name):
    broken = b"\x0a\x7f"
    with channel_to(COMMANDS[name]) as channel:
        with pytest.raises(grpc.RpcError):
            check(channel, broken)
        with pytest.raises(grpc.RpcError) as unknown:
            channel.unary_unary("/relation.v1.FriendService/Nothing")(b"", timeout=30)
        assert unknown.value.code() == grpc.StatusCode.UNIMPLEMENTED
        assert len(check(channel, request("1"))) > 0


def test_a_quick_run_has_every_row(tmp_path):
    program = executable("relationbench")
    run = subprocess.run(
        [program, "peers", "--quick", "--also", f"{ODD_NAME}={program}", "--figures", tmp_path,
         "--folder", tmp_path, "--python", sys.executable],
        cwd=ROOT, capture_output=True, text=True, timeout=1200,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    figures = json.loads((tmp_path / "peers.json").read_text())

    builds = ["ours", ODD_NAME]
    names = ["ours", "ours, open", ODD_NAME, "C", "nghttpd", *list(COMMANDS)[1:]]
    shapes = [(1, 4, 50), (4, 4, 50), (20, 4, 50), (1, 100, 1), (1, 1, 1)]
    assert [(row["ids"], row["connections"], row["streams"]) for row in figures["stack"]] == shapes
    for row in figures["stack"]:
        assert [server["name"] for server in row["servers"]] == names
        for server in row["servers"]:
            for figure in ("cpuMicroseconds", "callsPerSecond", "p50Microseconds"):
                assert server[figure]["median"] > 0, (row["shape"], server["name"], figure)
            assert server["ours"] > 0
    assert [row["name"] for row in figures["instructions"]] == names
    for row in figures["instructions"]:
        if row["name"] != "Python":
            assert set(row["byIDs"]) == {"1", "4", "20"}, row
            assert row["byIDs"]["1"] > 1000
    assert [row["name"] for row in figures["idle"]] == names
    for part in ("reads", "loops", "events"):
        assert [row["name"] for row in figures[part]] == builds
    for row in figures["reads"]:
        assert len(row["cpuMicroseconds"]) == 6
        assert len(row["ofAlone"]) == 7
        assert row["ofAlone"]["nothing"] == 1
    check_stores(figures, builds)
    assert all(target["value"] is not None for target in figures["targets"])
    assert set(figures["versions"]) > {
        "libnghttp2", "nghttpd", "gRPC C++", "grpc-go", "grpcio", "LMDB", "Redis", "PostgreSQL"
    }  # fmt: skip
    assert figures["disturbed"] == bool(figures["disturbances"])

    for row in figures["targets"]:
        assert row["title"] in run.stdout
    picture = xml.etree.ElementTree.parse(tmp_path / "peers.svg").getroot()
    texts = {text.text for text in picture.iter("{http://www.w3.org/2000/svg}text")}
    assert set(names) - {"ours, open"} <= texts


def check_stores(figures, builds):
    """The rows beside stores, each with the time of its server and what it wrote."""
    checks = {row["call"]: row for row in figures["checks"]}
    assert list(checks) == [
        "CheckFriends of 1", "CheckFriends of 20", "CheckFriends of 100", "CheckFriends of 1000",
        "CanSend of 1", "CanSend of 20", "CheckBlacklist of 20", "GetRelations of 20",
        "ListMutualFriends", "SuggestFriends",
    ]  # fmt: skip
    for call, row in checks.items():
        fixed = [] if row["users"] is None else ["fixed row"]
        assert [server["name"] for server in row["servers"]] == builds + fixed, call
        assert (row["ofFixed"] is None) == (row["users"] is None)
    assert [row["ids"] for row in figures["lookups"]] == [20, 100]
    for row in figures["lookups"]:
        assert [server["name"] for server in row["servers"]] == [*builds, "Redis", "LMDB"]
    stores = ["PostgreSQL", "PostgreSQL, two trips", "Redis"]
    loads = ["AddFriends, 1 in flight", "AddFriends, 64 in flight"]
    assert [row["load"] for row in figures["writes"]] == loads
    for row in figures["writes"]:
        assert [server["name"] for server in row["servers"]] == builds + stores
        for server in row["servers"]:
            assert server["p99Microseconds"]["median"] >= server["p50Microseconds"]["median"]
            # A database may take less than a tick of the clock for the few additions of this run.
            assert server["writtenBytes"]["median"] > 0, (row["load"], server["name"])
    for part in ("checks", "lookups", "writes"):
        for row in figures[part]:
            for server in row["servers"]:
                assert server["callsPerSecond"]["median"] > 0
                assert server["cpuMicroseconds"]["median"] > 0, (part, server["name"])


def resp(*words):
    """A command in Redis' protocol."""
    parts = [f"*{len(words)}\r\n"] + [f"${len(word.encode())}\r\n{word}\r\n" for word in words]
    return "".join(parts).encode()


@contextlib.contextmanager
def lmdb(folder):
    process = subprocess.Popen([PEERS / "lmdb-server", folder], stdout=subprocess.PIPE, text=True)
    try:
        port = process.stdout.readline().rsplit(":", 1)[1]
        with socket.create_connection(("127.0.0.1", int(port)), START_SECONDS) as peer:
            yield peer
    finally:
        process.terminate()
        assert process.wait(STOP_SECONDS) == 0
        process.stdout.close()


def asked(peer, command, length):
    peer.sendall(command)
    answer = b""
    while len(answer) < length and (part := peer.recv(4096)):
        answer += part
    return answer


def test_the_peer_over_lmdb_looks_up_what_it_was_told(tmp_path):
    with lmdb(tmp_path) as peer:
        assert asked(peer, resp("SADD", "friends:1", "2", "3", "é"), 4) == b":3\r\n"
        assert asked(peer, resp("SADD", "friends:1", "3", "4"), 4) == b":1\r\n"
        question = resp("SMISMEMBER", "friends:1", "2", "5", "é", "")
        assert asked(peer, question * 2, 40) == b"*4\r\n:1\r\n:0\r\n:1\r\n:0\r\n" * 2
        # A user's name may begin another one's.
        assert asked(peer, resp("SMISMEMBER", "friends:", "1", "2"), 12) == b"*2\r\n:0\r\n:0\r\n"
        for place in range(len(question)):
            peer.sendall(question[place : place + 1])
        assert asked(peer, b"", 20).startswith(b"*4\r\n:1")
    with lmdb(tmp_path) as peer:
        assert asked(peer, resp("SMISMEMBER", "friends:1", "4"), 8) == b"*1\r\n:1\r\n"


@pytest.mark.parametrize(
    "command",
    [resp("GET", "a"), resp("SADD", "a" * 300, "b"), b"SMISMEMBER a b\r\n", b"*9999999\r\n",
     b"*3\r\n$99999999999\r\n", resp("SADD", "a", "b" * 600)],
)  # fmt: skip
def test_the_peer_over_lmdb_hangs_up_on_other_commands(tmp_path, command):
    with lmdb(tmp_path) as peer:
        assert asked(peer, command, 1) == b""


def test_a_quick_run_of_growth_has_every_row(tmp_path):
    run = subprocess.run(
        [executable("relationbench"), "growth", "--quick", "--figures", tmp_path, "--folder",
         tmp_path, "--importer", executable("relationctl")],
        cwd=ROOT, capture_output=True, text=True, timeout=600,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    assert run.stderr.startswith("needs up to ")
    figures = json.loads((tmp_path / "growth.json").read_text())
    assert [size["friendships"] for size in figures["sizes"]] == [400, 1200]
    for size in figures["sizes"]:
        assert size["import"]["perSecond"] > 0
        assert len(size["calls"]) == 3
    assert all(target["value"] is not None for target in figures["targets"])
    for row in figures["targets"]:
        assert row["title"] in run.stdout
    picture = xml.etree.ElementTree.parse(tmp_path / "growth.svg").getroot()
    texts = {text.text for text in picture.iter("{http://www.w3.org/2000/svg}text")}
    assert {"400", "1.2 k", "CheckFriends of 20, µs of CPU"} <= texts
    left = [path.name for path in tmp_path.iterdir()]
    assert sorted(left) == ["growth.json", "growth.svg"]


def test_a_graph_for_which_there_is_no_room_is_refused(tmp_path):
    if shutil.disk_usage(tmp_path).free > 900 * 10**9:
        pytest.skip("this device has room for the largest graph")
    run = subprocess.run(
        [executable("relationbench"), "growth", "--size", "1000M", "--folder", tmp_path],
        cwd=ROOT, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert run.returncode != 0
    assert "MiB free, and " in run.stderr and "MiB may be needed" in run.stderr
    assert not list(tmp_path.iterdir())


def test_a_run_without_peers_says_how_to_build_them(tmp_path):
    run = subprocess.run(
        [executable("relationbench"), "peers", "--quick", "--peers", tmp_path],
        cwd=ROOT, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert run.returncode != 0
    assert "`make peers` builds them" in run.stderr
