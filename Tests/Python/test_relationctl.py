"""The command line, as a person uses it."""

import json
import socket
import subprocess
import threading

import grpc
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


def test_a_broken_line_is_named_and_the_others_go_on(server, tmp_path):
    file = tmp_path / "pairs.txt"
    file.write_text("one two\nthree\ntwo four\n")
    done = relationctl("import", "--server", server.address, str(file))
    assert done.returncode != 0
    assert f"{file}:2: " in done.stderr
    assert "friendships: 2 accepted, 0 refused" in done.stdout


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
    done = relationctl("watch", "nobody", "--server", server.address)
    assert done.returncode != 0
    assert "USER_NOT_FOUND" in done.stderr


def test_watching_goes_on_over_a_server_that_was_killed(stubs, tmp_path):
    with Relationd(tmp_path / "data") as first, grpc.insecure_channel(first.address) as channel:
        people = People(Relation(stubs, channel))
        ann, = people(1)
        address = first.address
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
