"""The servers beside which ours is measured: they answer as ours does, and the measurement runs."""

import contextlib
import json
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
    assert all(target["value"] is not None for target in figures["targets"])
    assert set(figures["versions"]) > {"libnghttp2", "nghttpd", "gRPC C++", "grpc-go", "grpcio"}
    assert figures["disturbed"] == bool(figures["disturbances"])

    for row in figures["targets"]:
        assert row["title"] in run.stdout
    picture = xml.etree.ElementTree.parse(tmp_path / "peers.svg").getroot()
    texts = {text.text for text in picture.iter("{http://www.w3.org/2000/svg}text")}
    assert set(names) - {"ours, open"} <= texts


def test_a_run_without_peers_says_how_to_build_them(tmp_path):
    run = subprocess.run(
        [executable("relationbench"), "peers", "--quick", "--peers", tmp_path],
        cwd=ROOT, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert run.returncode != 0
    assert "`make peers` builds them" in run.stderr
