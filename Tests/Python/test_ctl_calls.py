"""Calls that a person types: names, requests, answers, and how the program ends."""

import json
import os
import socket
import subprocess

import pytest
import yaml
from relationd import executable


@pytest.fixture
def ctl(server):
    def run(*arguments, server=server.address, **options):
        return subprocess.run(
            [executable("relationctl"), *map(str, arguments), "--server", server],
            capture_output=True, text=True, timeout=60, **options)

    return run


def told(done, status):
    """The one line of an error."""
    assert done.returncode == status, (done.returncode, done.stdout, done.stderr)
    (line,) = done.stderr.splitlines()
    assert line.startswith("Error: ")
    return line


@pytest.mark.parametrize("name", [
    "GetStats", "getstats", "GET_STATS", "get-stats", "maintenanceservice/getstats",
    "relation.v1.MaintenanceService/GetStats", "/relation.v1.MaintenanceService/GetStats",
])  # fmt: skip
def test_the_name_of_a_call_is_known_in_any_case(ctl, name):
    done = ctl("call", name)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name, meant", [
    ("CheckFriend", "CheckFriends"), ("listfreinds", "ListFriends"), ("getsats", "GetStats"),
    ("Stats", "GetStats"),
])  # fmt: skip
def test_a_name_that_is_nearly_right_is_answered_with_what_was_meant(ctl, name, meant):
    line = told(ctl("call", name), 64)
    assert f"no call {name}: did you mean " in line and meant in line


def test_a_name_of_no_call_is_answered_with_the_list(ctl):
    assert "'relationctl methods' lists all calls" in told(ctl("call", "zzzzzzzzzz"), 64)


def test_a_request_comes_from_standard_input_or_a_file(ctl, people, tmp_path):
    ann, bob = people(2)
    request = json.dumps({"user_id": ann, "user_ids": [bob]}, indent=2)
    file = tmp_path / "request.json"
    file.write_text(request)
    texts = {ctl("call", "CheckFriends", "-", input=request).stdout,
             ctl("call", "CheckFriends", f"@{file}").stdout,
             ctl("call", "CheckFriends", request).stdout}
    assert len(texts) == 1 and bob in texts.pop()


def test_a_stream_takes_one_request_a_line_of_a_file(ctl, people, tmp_path):
    people(1)
    file = tmp_path / "rows.jsonl"
    file.write_text('{"row": {"user_id": "lined1"}}\n\n{"row": {"user_id": "lined2"}}\n')
    done = ctl("call", "ImportAccounts", f"@{file}")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1])["progress"]["accepted"] == "2"
    file.write_text('{"row": {"user_id": "lined1"}}\n{"row": {"user": "lined2"}}\n')
    line = told(ctl("call", "ImportAccounts", f"@{file}"), 64)
    assert f"{file}:2: request 2 is not a relation.v1.ImportAccountsRequest" in line
    assert "row.user" in line


def test_a_file_of_a_request_has_bounds(ctl, tmp_path):
    file = tmp_path / "request.json"
    assert f"{file} cannot be read: No such file" in told(ctl("call", "GetStats", f"@{file}"), 1)
    file.write_bytes(b"\xff")
    assert f"{file} is not UTF-8" in told(ctl("call", "GetStats", f"@{file}"), 1)
    file.write_text("{")
    assert f"{file}: the request is not a relation.v1.GetStatsRequest" in told(
        ctl("call", "GetStats", f"@{file}"), 64)
    file.write_bytes(b" " * (16 * 1_048_576 + 1))
    assert f"{file} is longer than 16777216 bytes" in told(
        ctl("call", "GetStats", f"@{file}"), 1)


def test_an_answer_is_shown_on_one_line_on_several_or_as_a_table(ctl, people):
    ann, bob, cat = people(3)
    people.befriend(ann, bob)
    request = json.dumps({"user_id": ann, "user_ids": [bob, cat]})
    short = ctl("call", "CheckFriends", request).stdout
    assert len(short.splitlines()) == 1
    long = ctl("call", "CheckFriends", request, "--output", "pretty").stdout
    assert long.startswith('{\n  "results": [\n    {\n')
    assert json.loads(long)["results"][1]["info"] == "", "zeros are kept"
    assert "info" not in short
    table = ctl("call", "CheckFriends", request, "-o", "table").stdout.splitlines()
    assert table[0] == "results:"
    assert table[1].split()[:2] == ["userId", "code"]
    assert table[2].split() == [bob, "FRIEND_STATUS_SUCC", "FRIEND_RELATION_BOTH_WAY"]
    assert table[3].split()[0] == cat


def test_an_answer_is_shown_as_yaml(ctl, people):
    ann, bob = people(2)
    people.befriend(ann, bob)
    people.set_profile(ann, nick="a: #b\n- \"c\"\x1b 张", face_url="no")
    request = json.dumps({"user_id": ann, "user_ids": [bob]})
    for call, request in [
        ("CheckFriends", request), ("GetSelfProfile", json.dumps({"user_id": ann})),
        ("ListBlacklist", json.dumps({"user_id": ann})),
        ("GetLimits", json.dumps({"user_id": ann})),
    ]:
        done = ctl("call", call, request, "--output", "yaml")
        assert done.returncode == 0 and "\x1b" not in done.stdout, done.stderr
        pretty = json.loads(ctl("call", call, request, "--output", "pretty").stdout)
        assert yaml.safe_load(done.stdout) == pretty, done.stdout
    request = json.dumps({"user_id": ann, "user_ids": [bob]})
    lines = ctl("call", "CheckFriends", request, "-o", "yaml").stdout.splitlines()
    assert lines[0] == "results:" and "    code: FRIEND_STATUS_SUCC" in lines


def test_each_answer_of_a_stream_is_a_document_of_yaml(ctl):
    done = ctl(
        "call", "ImportAccounts", '{"row": {"user_id": "yaml1"}}', "--output", "yaml")
    assert done.returncode == 0, done.stderr
    answers = list(yaml.safe_load_all(done.stdout))
    assert done.stdout.startswith("---\n") and answers[-1]["progress"]["accepted"] == "1"


def test_a_table_shows_no_character_that_moves_the_cursor(ctl, people):
    ann, = people(1)
    people.set_profile(ann, nick="a\x1b[2Jb\tc")
    request = json.dumps({"user_id": ann})
    for form in ["json", "pretty", "yaml", "table"]:
        done = ctl("call", "GetSelfProfile", request, "-o", form)
        assert done.returncode == 0 and "\x1b" not in done.stdout, form
    assert r"a\u001b[2Jb\tc" in done.stdout


def test_a_mistake_in_a_request_costs_one_line_that_points_at_it(ctl):
    assert "nope" in told(ctl("call", "CheckFriends", '{"nope": 1}'), 64)
    assert "byte 11" in told(ctl("call", "CheckFriends", '{"user_id" 1}'), 64)
    assert "takes one request, not 2" in told(ctl("call", "GetStats", "{}", "{}"), 64)
    line = told(ctl("call", "CheckFriends", "{}"), 2)
    assert "INVALID_ARGUMENT" in line and "user_id" in line


@pytest.mark.parametrize("arguments, word", [
    (["call"], "method"), (["call", "GetStats", "--timeout", "0"], "--timeout"),
    (["call", "GetStats", "--timeout", "86401"], "--timeout"),
    (["call", "GetStats", "--metadata", "x"], "NAME=VALUE"),
    (["call", "GetStats", "--output", "xml"], "xml"), (["cal"], "cal"),
    (["call", "GetStats", "--nope"], "--nope"),
    (["call", "GetStats", "--request-id", "x"], "it is not a write"),
])  # fmt: skip
def test_a_mistake_in_a_command_costs_one_line_and_has_its_own_status(arguments, word):
    done = subprocess.run(
        [executable("relationctl"), *arguments], capture_output=True, text=True, timeout=60)
    assert word in told(done, 64)


def test_a_timeout_ends_a_call(ctl):
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        line = told(ctl("call", "GetStats", "--timeout", "0.3", server=address), 3)
    assert "DEADLINE_EXCEEDED" in line


def test_metadata_goes_with_the_call(ctl):
    done = ctl("call", "GetStats", "--metadata", "x-app-id=7", "--metadata", "x-note=a=b")
    assert done.returncode == 2 and "APP" in done.stderr
    assert told(ctl("call", "GetStats", "--metadata", "UPPER=1"), 2)


def test_a_request_id_makes_a_write_be_done_once(ctl, people):
    ann, bob = people(2)
    request = json.dumps({"user_id": ann, "items": [{"user_id": bob}]})
    answers = [ctl("call", "AddFriends", request, "--request-id", "typed-1") for _ in range(2)]
    assert answers[0].returncode == 0, answers[0].stderr
    assert '"changed":true' in answers[0].stdout and "replayed" not in answers[0].stdout
    assert '"replayed":true' in answers[1].stdout
    without = ctl("call", "AddFriends", request)
    assert '"changed":true' not in without.stdout


def test_refused_items_fail_a_call_if_that_is_asked_for(ctl, people):
    ann, bob = people(2)
    request = json.dumps({"user_id": ann, "items": [{"user_id": "not-there"}]})
    assert ctl("call", "AddFriends", request).returncode == 0
    request = json.dumps({"user_id": ann, "items": [{"user_id": bob}, {"user_id": "not-there"}]})
    done = ctl("call", "AddFriends", request, "--fail-on-refused")
    assert done.returncode == 5
    assert "1 of 2 items were refused" in done.stderr
    assert json.loads(done.stdout)["results"], "the answer is printed too"


def test_the_status_tells_why_a_call_failed(ctl, tmp_path):
    assert told(ctl("call", "GetStats", server="127.0.0.1:1"), 3)
    assert told(ctl("call", "ListFriends", '{"user_id": "unknown-user"}'), 2)


def test_output_that_cannot_be_written_is_told(server):
    with open("/dev/full", "w") as full:
        for command in [["call", "GetStats", "--server", server.address], ["methods"]]:
            done = subprocess.run(
                [executable("relationctl"), *command], stdout=full, stderr=subprocess.PIPE,
                text=True, timeout=60)
            assert "the output cannot be written: No space left on device" in told(done, 74)


def test_a_reader_that_has_seen_enough_is_no_error(server):
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, "w") as pipe:
        done = subprocess.run(
            [executable("relationctl"), "methods"], stdout=pipe, stderr=subprocess.PIPE,
            text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_complete_the_names_of_calls(shell):
    script = subprocess.run(
        [executable("relationctl"), "--generate-completion-script", shell],
        capture_output=True, text=True, timeout=60, check=True).stdout
    assert "CheckFriends" in script and "GetStats" in script
