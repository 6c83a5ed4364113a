"""How commands are named and found: near names, groups, options on either side, completions."""

import json
import os
import subprocess

import pytest
from relationd import executable


@pytest.fixture
def ctl(tmp_path):
    """The command line of a person who has no profile yet."""

    def run(*arguments, **variables):
        environment = {
            name: value for name, value in os.environ.items() if not name.startswith("RELATION_")}
        environment |= {"XDG_CONFIG_HOME": str(tmp_path / "home"), **variables}
        return subprocess.run(
            [executable("relationctl"), *map(str, arguments)], capture_output=True, text=True,
            timeout=60, stdin=subprocess.DEVNULL, env=environment)

    run.file = tmp_path / "home" / "relationctl" / "profiles.json"
    return run


def told(done, status=64):
    assert done.returncode == status and done.stdout == "", (done.returncode, done.stdout)
    (line,) = done.stderr.splitlines()
    return line


@pytest.mark.parametrize("arguments, words", [
    (["staus"], "no command staus: did you mean status?"),
    (["wacth", "alice"], "no command wacth: did you mean watch?"),
    (["--server", "127.0.0.1:1", "grpah", "alice"], "no command grpah: did you mean graph?"),
    (["hooks", "lst"], "no command lst: did you mean list"),
    (["hooks", "zzzzzzzz"], "no command zzzzzzzz: 'relationctl hooks --help' lists them"),
    (["zzzzzzzz"], "no command zzzzzzzz: 'relationctl --help' lists them"),
    (["check-friends", "{}"], "it is a call: 'relationctl call CheckFriends'"),
])  # fmt: skip
def test_a_command_that_is_none_is_answered_with_what_was_meant(ctl, arguments, words):
    assert words in told(ctl(*arguments))


def test_a_further_argument_is_still_told_as_one(ctl):
    assert "Unexpected argument 'more'" in told(ctl("slow", "more"))


def test_help_has_the_commands_in_groups(ctl):
    lines = ctl("--help").stdout.splitlines()
    heads = [line for line in lines if line.endswith("SUBCOMMANDS:")]
    assert heads == [f"{name} SUBCOMMANDS:" for name in ("CALLS", "LOOKS", "APP", "DATA", "SERVER")]
    assert any(line.split()[:1] == ["keys"] for line in lines)


@pytest.mark.parametrize("before, after", [
    (["--output", "table"], []), ([], ["--output", "table"]), (["-o", "table"], []),
    (["--output=table", "--timeout", "9"], []), (["--timeout", "9"], ["-o", "table"]),
])  # fmt: skip
def test_options_stand_on_either_side_of_a_command(ctl, server, people, before, after):
    ann, bob = people(2)
    request = json.dumps({"user_id": ann, "user_ids": [bob]})
    done = ctl(*before, "call", "--server", server.address, "CheckFriends", *after, request)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("results:\n")


def test_options_stand_before_the_second_word_of_a_command_too(ctl, server):
    place = ["--server", server.address]
    for line in (["hooks", *place, "list"], [*place, "hooks", "list"], ["hooks", "list", *place]):
        done = ctl(*line)
        assert done.returncode == 0, (line, done.stderr)


def test_an_option_that_no_command_has_is_told_as_before(ctl):
    assert "Unknown option '--outptu'" in told(ctl("--outptu", "table", "call", "GetStats"))
    assert "'xml' is invalid" in told(ctl("--output", "xml", "call", "GetStats"))


# Completions


@pytest.mark.parametrize("before, name", [
    ([], "--profile"), (["status"], "--profile"), (["login"], "positional@0")])
def test_shells_complete_the_names_of_profiles(ctl, server, before, name):
    for profile in ("work", "home"):
        done = ctl("login", profile, "--server", server.address)
        assert done.returncode == 0, done.stderr
    done = ctl("---completion", *before, "--", name, "1", "0", "")
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["home", "work"]


def test_a_file_of_profiles_that_cannot_be_read_completes_nothing(ctl):
    ctl.file.parent.mkdir(parents=True)
    ctl.file.write_text("[]")
    done = ctl("---completion", "--", "--profile", "1", "0", "")
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "", "")


# Codes


@pytest.mark.parametrize("code, words", [
    ("30525", ["FRIEND_STATUS_IN_OTHER_SIDE_BLACK_LIST = 30525", "calls: ", "AddFriends",
               "\nreasons\n", "Err_SNS_FriendAdd_In_Peer_BlackList"]),
    ("throttled", ["ERROR_REASON_THROTTLED = 30, of ErrorReason", "RESOURCE_EXHAUSTED"]),
    ("Err_SNS_FriendAdd_Admin_Forbid", ["of Reason", "do: Only an administrator can change"]),
    ("8", ["RESOURCE_EXHAUSTED = 8, of gRPC", "do: Wait"]),
    ("unavailable", ["UNAVAILABLE = 14, of gRPC", "do: Try again."]),
    ("70009", ["70009, of TIM", "here: the gRPC status UNAUTHENTICATED"]),
    ("60007", ["60007, of TIM", "here: reason THROTTLED"]),
])  # fmt: skip
def test_a_code_is_explained(ctl, code, words):
    done = ctl("explain", code)
    assert done.returncode == 0, done.stderr
    for word in words:
        assert word in done.stdout, (word, done.stdout)


def test_each_status_of_grpc_is_explained(ctl):
    for number in range(17):
        done = ctl("explain", number)
        assert f" = {number}, of gRPC" in done.stdout and "  do: " in done.stdout, number


def test_a_code_that_is_none_is_told(ctl):
    assert "no code or reason THROTLED: did you mean THROTTLED" in told(ctl("explain", "THROTLED"))
    assert "'relationctl describe' explains" in told(ctl("explain", "99999"))
