"""The loads of `make bench-clients`, and a short run of all of it."""

import contextlib
import json
import os
import socket
import struct
import subprocess
import sys
import threading

import pytest
from relationd import ROOT, executable

PEERS = ROOT / ".build-peers"
CLIENTS = ROOT / "Benchmarks" / "clients"
CHECK = "/relation.v1.FriendService/CheckFriends"
# A check of user b by user a, and its answer by all peers.
REQUEST = b"\x0a\x01a\x1a\x01b"
ANSWER = b"\x0a\x07\x0a\x01b\x10\x00\x28\x03"


@pytest.fixture(scope="module", autouse=True)
def built():
    peers = ROOT / "Benchmarks" / "peers"
    for words in (["--directory", CLIENTS], ["--directory", peers, "tls", PEERS / "c-server"]):
        subprocess.run(["make", *words, f"PYTHON={sys.executable}"], check=True)


@pytest.fixture
def files(tmp_path):
    """A request and its answer in files of the form of the loads."""
    for name, message in (("request", REQUEST), ("answer", ANSWER), ("other", ANSWER[:-1] + b"\1")):
        (tmp_path / name).write_bytes(struct.pack(">BI", 0, len(message)) + message)
    return tmp_path


@contextlib.contextmanager
def c_server():
    process = subprocess.Popen([PEERS / "c-server"], stdout=subprocess.PIPE, text=True)
    try:
        yield int(process.stdout.readline().rpartition(":")[2])
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()


@contextlib.contextmanager
def silent_server():
    """Takes a connection, says its settings, reads all, and answers no call."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve():
            link, _ = listener.accept()
            with link:
                link.sendall(b"\0\0\0\4\0\0\0\0\0")
                while link.recv(65_536):
                    pass

        thread = threading.Thread(target=serve)
        thread.start()
        yield listener.getsockname()[1]
        thread.join()


def load(port, seconds, *groups):
    done = subprocess.run(
        [PEERS / "load", str(port), "0", str(seconds), *groups], capture_output=True, text=True,
        check=True, timeout=60)
    begin, report = done.stdout.splitlines()
    assert begin == "begin"
    return json.loads(report)


def group(files, answers="answer", path=CHECK, **options):
    words = {"name": "reads", "path": path, "file": files / "request", **options}
    if answers:
        words["answers"] = files / answers
    return ",".join(f"{name}={value}" for name, value in words.items())


def test_a_closed_loop_counts_its_calls(files):
    with c_server() as port:
        (report,) = load(port, 0.2, group(files, connections=2, streams=3))
    assert report["calls"] > 0
    assert (report["failed"], report["wrong"], report["unanswered"]) == (0, 0, 0)


def test_a_wrong_answer_is_seen(files):
    with c_server() as port:
        (report,) = load(port, 0.1, group(files, answers="other"))
    assert report["wrong"] >= report["calls"] > 0


def test_a_call_that_fails_is_seen(files):
    with c_server() as port:
        (report,) = load(port, 0.1, group(files, path="/relation.v1.FriendService/None"))
    assert report["failed"] >= report["calls"] > 0


def test_an_open_loop_sends_as_many_as_are_due(files):
    with c_server() as port:
        (report,) = load(port, 0.5, group(files, streams=100, rate=200))
    assert report["due"] in (99, 100, 101)
    assert report["unanswered"] == 0


def test_a_call_that_a_stall_held_back_counts_from_when_it_was_due(files):
    """One call is in flight for ever: of the others none could even be sent."""
    with silent_server() as port:
        (report,) = load(port, 0.5, group(files, rate=100))
    assert report["due"] in (49, 50, 51)
    assert report["unanswered"] >= report["due"]
    # They are reported as late as they were when the load gave up, two seconds after the end.
    assert report["p50"] >= 2_000_000


def test_a_request_may_be_many_messages(files):
    message = (files / "request").read_bytes()
    (files / "request").write_bytes(message * 6)
    with c_server() as port:
        # The C server reads one message a call, and so refuses two.
        (report,) = load(port, 0.1, group(files, answers=None, batch=2, once=1))
    assert report["failed"] == 3


@pytest.mark.parametrize("words", [
    ["1", "0", "1"], ["1", "0", "1", "name=x"], ["1", "0", "1", "nothing"],
    ["1", "0", "1", "name=x,path=/x,file=/dev/null"],
])  # fmt: skip
def test_bad_words_of_a_load_end_it(words):
    done = subprocess.run([PEERS / "load", *words], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert done.stderr.startswith("load: ")


def test_a_quick_run_has_every_row(tmp_path):
    big = tmp_path / "big"
    environment = {
        **os.environ, "RELATIOND": executable("relationd"),
        "RELATIONCTL": executable("relationctl")}
    subprocess.run(
        [sys.executable, CLIENTS / "big_store.py", executable("relationbench"), "90k", big],
        check=True, env=environment, timeout=600)
    subprocess.run(
        [sys.executable, CLIENTS / "clients.py", "--quick", "--figures", tmp_path,
         "--data", big / "data", "--graph", big / "graph.txt"],
        check=True, env=environment, timeout=1_200)
    found = json.loads((tmp_path / "clients.json").read_text())
    rows = [(row["client"], row["head"]) for row in found["heads"]]
    assert rows == [
        ("grpc-go", "all"), ("grpc-java", "all"), ("grpcio", "all"), ("grpc-go", "deadline"),
        ("grpc-go", "none")]
    assert [(row["client"], row["head"]) for row in found["tls"]] == rows[:3]
    assert all(row["ofC"] > 0 and row["ofGo"] > 0 for row in found["heads"] + found["tls"])
    assert found["http1"]["ofGRPC"] > 0
    assert all(row["kept"] > 0 for row in found["neighbours"].values())
    # The messages of these are as long, and mean something.
    for name in (
            "16,384 unknown fields", "16,384 nested messages", "64 KiB of spaces in JSON",
            "a GET with a query of 8 KiB"):
        assert found["neighbours"][name]["refused"] == 0
        assert found["neighbours"][name]["others"] > 0
    for part in ("tails", "rate"):
        for rows in found[part].values():
            assert [row["beside"] for row in rows] == [
                "alone", "64 additions", "an import", "a backup", "an export", "1,000 streams"]
            assert all(0 < row["p50"] <= row["p99"] <= row["p999"] <= row["max"] for row in rows)
    assert all(0 < row["first"] for row in found["start"].values())
