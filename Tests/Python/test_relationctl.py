"""The command line, as a person uses it."""

import json
import os
import re
import socket
import subprocess
import sys
import threading

import grpc
import ports
from people import People
from relationd import Relationd, executable
from stubs import Relation


def relationctl(*arguments):
    return subprocess.run(
        [executable("relationctl"), *arguments], capture_output=True, text=True, timeout=60)


def test_methods_names_every_call_of_the_contract(stubs):
    printed = relationctl("methods").stdout
    assert all(path.removeprefix("/") in printed for path in stubs.paths)


def test_lines_of_an_imported_file_may_end_in_two_characters(server, tmp_path):
    file = tmp_path / "pairs.txt"
    file.write_bytes(b"# from elsewhere\r\n\r\ncr lf\r\nlf end\r\n")
    done = relationctl("import", "--server", server.address, str(file))
    assert done.returncode == 0, done.stderr
    assert "users: 3 accepted, 0 refused" in done.stdout
    assert "friendships: 2 accepted, 0 refused" in done.stdout


def test_a_long_cell_of_a_first_line_is_not_shown_to_its_end(server, tmp_path):
    file = tmp_path / "cells.csv"
    for length, shown in [(64, "x" * 64 + ":"), (65, "x" * 64 + "…:"), (100_000, "x" * 64 + "…:")]:
        file.write_text(f"user_id,{'x' * length}\nann,bob\n")
        done = relationctl("import", "--server", server.address, str(file))
        assert done.returncode == 1 and len(done.stderr) < 1_000
        assert f"FriendRow has no field {shown}" in done.stderr


def test_a_broken_line_is_named_and_the_others_go_on(server, tmp_path):
    file = tmp_path / "pairs.txt"
    file.write_text("one two\nthree\ntwo four\n")
    done = relationctl("import", "--server", server.address, str(file))
    assert done.returncode != 0
    assert f"{file}:2: " in done.stderr
    assert "friendships: 2 accepted, 0 refused" in done.stdout


def test_a_file_that_is_no_list_of_friendships_is_refused_before_anything_is_written(
    server, tmp_path, people
):
    for name, fault in [("users.csv", "FriendRow has no field id"),
                        ("users.txt", "must be two users"),
                        ("users.jsonl", "must be a FriendRow in JSON")]:
        file = tmp_path / name
        file.write_text("id,name\nnolist1,Ann\n")
        done = relationctl("import", "--server", server.address, str(file))
        assert done.returncode != 0 and done.stdout == ""
        assert f"{file} is not a list of friendships: {file}:1: {fault}" in done.stderr

    file = tmp_path / "pairs.txt"

    file.write_text("nolist1 nolist2\n" + "no row\tof this file\n" * 1_001)
    done = relationctl("import", "--server", server.address, str(file))
    assert done.returncode != 0 and done.stdout == ""
    assert f"{file}:1002: " in done.stderr and "nothing is imported" in done.stderr
    checked = people.relation("CheckAccounts", user_ids=["nolist1", "nolist2"])
    assert [result.create_time_ms for result in checked.results] == [0, 0]


def test_a_file_that_cannot_be_read_to_its_end_is_refused_by_its_line(server, tmp_path):
    file = tmp_path / "pairs.txt"
    for content, expected in [
        (b"one two\n\xff two\n", f"{file}:2: is not UTF-8"),
        (b"one two\n" + b"x" * (1 << 20) + b"y", f"{file}:2: is longer than 1048576 bytes"),
    ]:
        file.write_bytes(content)
        done = relationctl("import", "--server", server.address, str(file))
        assert done.returncode != 0 and done.stdout == ""
        assert expected in done.stderr


def test_the_circles_of_an_owner_stand_together(server, people, tmp_path):
    ann, bob, cat = people(3)
    pairs, circles = tmp_path / "pairs.txt", tmp_path / "circles.tsv"
    pairs.write_text(f"{ann} {bob}\n{ann} {cat}\n{bob} {cat}\n")
    circles.write_text(
        f"{ann}\thome\t{bob} {cat}\n{ann}\twork\t{cat}\n{bob}\thome\t{ann}\n"
        f"{ann}\tlate\t{bob}\n")
    done = relationctl(
        "import", "--server", server.address, str(pairs), "--circles", str(circles))
    assert done.returncode != 0
    assert f"{circles}:4: must stand with the other lines of {ann}" in done.stderr
    assert "circle members: 3 accepted, 0 refused" in done.stdout
    friends = people.relation("ListFriends", user_id=ann, page_size=10).friends
    assert {row.user_id: list(row.groups) for row in friends} == {
        bob: ["home"], cat: ["home", "work"]}


# A small program, since a child has at least the memory of the program that it comes from.
PEAK_OF_CHILD = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def test_the_memory_of_an_import_does_not_grow_with_the_file(server, tmp_path):
    file = tmp_path / "pairs.txt"
    kibibytes = []
    for megabytes in [1, 24]:
        file.write_text("# about this file\n" * (megabytes * 1_000_000 // 18) + "mem1 mem2\n")
        kibibytes.append(int(subprocess.check_output(
            [sys.executable, "-c", PEAK_OF_CHILD, executable("relationctl"), "import",
             "--server", server.address, str(file)], text=True)))
    assert kibibytes[1] - kibibytes[0] < 8_000


def test_a_call_answers_in_json(server, people):
    ann, bob = people(2)
    people.befriend(ann, bob)
    request = json.dumps({"user_id": ann, "userIds": [bob]})
    done = relationctl("call", "--server", server.address, "CheckFriends", request)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["results"] == [
        {"userId": bob, "code": "FRIEND_STATUS_SUCC", "relation": "FRIEND_RELATION_BOTH_WAY"}]


def test_a_request_that_is_none_is_refused_by_its_field(server):
    done = relationctl("call", "--server", server.address, "CheckFriends", '{"nope": 1}')
    assert done.returncode != 0
    assert "nope" in done.stderr


def test_a_server_that_is_not_there_is_told_in_the_systems_words():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        done = relationctl("call", "--server", address, "CheckFriends")
    assert done.returncode != 0
    assert f"UNAVAILABLE: cannot connect to {address}: Connection refused" in done.stderr


def test_a_name_that_no_one_knows_is_told_with_the_name():
    done = relationctl("call", "GetStats", "--server", "no-such-host.invalid:7450")
    assert done.returncode == 3
    assert done.stderr.startswith("Error: UNAVAILABLE: cannot find no-such-host.invalid:7450: ")
    assert done.stderr.count("\n") == 1


def test_changes_are_printed_as_they_come_and_gone_on_with(server, people, tmp_path):
    ann, bob = people(2)
    people.befriend(ann, bob)
    token = tmp_path / "token"
    arguments = ["watch", ann, "--server", server.address, "--token-file", str(token)]
    with subprocess.Popen(
        [executable("relationctl"), *arguments], stdout=subprocess.PIPE, text=True
    ) as watching:
        lines = []
        while not lines or "SYNC_COMPLETED presence" not in lines[-1]:
            lines.append(watching.stdout.readline())
        assert any(f"STATE friends [{bob}]" in line for line in lines), lines
        people.block(ann, bob)
        lines = [watching.stdout.readline(), watching.stdout.readline()]
        assert any(line.endswith(f"DEL_FRIEND [{bob}]\n") for line in lines), lines
        assert any(line.endswith(f"ADD_BLACKLIST [{bob}]\n") for line in lines), lines
        watching.kill()
    people.set_profile(ann, nick="Ann")
    arguments += ["--kinds", "PROFILE_CHANGE", "--json", "--count", "1"]
    done = relationctl(*arguments)
    assert done.returncode == 0, done.stderr
    event = json.loads(done.stdout.splitlines()[-1])["event"]
    assert event["kind"] == "CHANGE_KIND_PROFILE_CHANGE"
    assert event["items"][0]["profile"]["nick"] == "Ann"


def test_changes_from_now_on_are_told_without_the_state_and_at_a_named_time(server, people):
    ann, bob = people(2)
    people.befriend(ann, bob)
    for clock, end in [("utc", "Z"), ("local", "+0530")]:
        command = [executable("relationctl"), "watch", ann, "--server", server.address, "--from",
                   "now", "--time", clock, "--count", "1"]
        stopped = threading.Event()

        def change():
            number = 0
            while not stopped.is_set():
                number += 1
                people.set_profile(ann, nick=f"{clock}{number}")

        worker = threading.Thread(target=change)
        worker.start()
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, timeout=60,
                env={**os.environ, "TZ": "IST-5:30"})
        finally:
            stopped.set()
            worker.join()
        assert done.returncode == 0, done.stderr
        (line,) = done.stdout.splitlines()
        assert re.match(r"\d\d:\d\d:\d\d" + re.escape(end) + " ", line), line
        assert "PROFILE_CHANGE" in line


def test_a_call_that_streams_prints_each_answer_as_it_comes(server, people):
    ann, = people(1)
    command = [executable("relationctl"), "call", "--server", server.address, "Watch",
               json.dumps({"user_id": ann, "kinds": ["CHANGE_KIND_PROFILE_CHANGE"]})]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as calling:
        # Without this, a reader that waits in vain would wait for ever.
        timer = threading.Timer(30, calling.kill)
        timer.start()
        line = "."
        while line and "resumeToken" not in line:
            line = calling.stdout.readline()
        assert line
        # It ends when its output is no longer read.
        calling.stdout.close()
        people.set_profile(ann, nick="Ann")
        assert calling.wait(30) == 0
        timer.cancel()


def test_watching_says_what_is_wrong(server, people):
    ann, = people(1)
    done = relationctl("watch", ann, "--server", server.address, "--kinds", "FRIENDS")
    assert done.returncode != 0
    assert "no kind FRIENDS" in done.stderr and "ADD_FRIEND" in done.stderr
    done = relationctl("watch", "unknown", "--server", server.address)
    assert done.returncode != 0
    assert "USER_NOT_FOUND" in done.stderr


def test_watching_goes_on_over_a_server_that_was_killed(stubs, tmp_path):
    address = ports.address()
    with (
        Relationd(tmp_path / "data", listen=address) as first,
        grpc.insecure_channel(address) as channel,
    ):
        people = People(Relation(stubs, channel))
        ann, = people(1)
        watching = subprocess.Popen(
            [executable("relationctl"), "watch", ann, "--server", address],
            stdout=subprocess.PIPE, text=True)
        line = ""
        while "SYNC_COMPLETED presence" not in line:
            line = watching.stdout.readline()
            assert line
        people.set_profile(ann, nick="before")
        assert "#1 PROFILE_CHANGE" in watching.stdout.readline()
        first.kill()
    with Relationd(tmp_path / "data", listen=address), grpc.insecure_channel(address) as channel:
        People(Relation(stubs, channel)).set_profile(ann, nick="after")
        # The state is not told again, and neither is the first change.
        while "#2 PROFILE_CHANGE" not in line:
            line = watching.stdout.readline()
            assert line and "STATE" not in line and "#1 " not in line, line
        watching.kill()
        watching.wait()
        watching.stdout.close()
