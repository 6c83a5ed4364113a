"""How commands are named and found: near names, groups, options on either side, completions."""

import json
import os
import pathlib
import re
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
    (["help", "cal"], "no command cal: did you mean call?"),
    (["help", "hooks", "lst"], "no command lst: did you mean list"),
    (["help", "check-friends"], "it is a call: 'relationctl call CheckFriends'"),
    (["--verison"], "Unknown option '--verison': did you mean --version?"),
    (["explain", "profiel", "alice", "bob"], "no command profiel: did you mean profile?"),
    (["explain", "evnt", "alice", "bob"], "no command evnt: did you mean event?"),
    (["explain", "profiel"], "no code or reason profiel: did you mean profile?"),
    (["explain", "30525", "alice"], "Unexpected argument 'alice'"),
    (["explain", "UNAVAILABEL"], "did you mean UNAVAILABLE"),
    (["explain", "RESOURCE_EXHAUSTD"], "did you mean RESOURCE_EXHAUSTED"),
    (["explain", "FRIEND_STATUS_PEER_FRIEND_FULL"], "or FRIEND_STATUS_THEIR_FRIEND_FULL"),
    (["explain", "-1"], "no code or reason -1: a code has no sign"),
    (["explain", "-30525"], "no code or reason -30525: a code has no sign"),
    (["watch", "alice", "--usr", "0"], "Unknown option '--usr': '--help' lists the options"),
    (["top", "--pagse", "127.0.0.1:1"], "Unknown option '--pagse'. Did you mean '--pages'?"),
    (["slow", "--hlep"], "Unknown option '--hlep': did you mean --help?"),
    # Of three letters one may differ, or all stand in another order.
    (["tpo"], "no command tpo: did you mean top?"), (["tip"], "no command tip: did you mean top?"),
    (["foo"], "no command foo: 'relationctl --help' lists them"),
    # A name that several enums have is offered once.
    (["explain", "PEER_IN_SELF_BLACKLIST"], ": did you mean IN_SELF_BLACK_LIST?"),
    (["explain", ""], "the code is empty: give a number or a name"),
    (["describe", ""], "the name is empty: 'relationctl describe' lists all calls"),
    (["call", ""], "the name of the call is empty: 'relationctl methods' lists all calls"),
    # A number with a sign is not another option.
    (["call", "GetStats", "--timeout", "-1"], "'-1' is invalid for '--timeout <timeout>': it"),
    (["keys", "make", "x", "--days", "-1"], "'-1' is invalid for '--days <days>': it takes no"),
    (["top", "--count", "-3"], "'-3' is invalid for '--count <count>': it takes no number below 0"),
    (["top", "--count"], "Missing value for '--count <count>'"),
])  # fmt: skip
def test_a_command_that_is_none_is_answered_with_what_was_meant(ctl, arguments, words):
    assert words in told(ctl(*arguments))


@pytest.mark.parametrize("words", [
    ["help"], ["help", "call"], ["help", "hooks", "list"], ["help", "help"], ["hooks", "help"],
    ["help", "explain", "code"],
])  # fmt: skip
def test_help_of_a_command_is_shown(ctl, words):
    done = ctl(*words)
    assert done.returncode == 0 and "USAGE: relationctl" in done.stdout, done.stderr


def test_a_watch_of_no_one_is_told_before_a_call_goes_out(ctl):
    # No server listens there: the answer would be another one.
    done = ctl("watch", "--server", "127.0.0.1:1")
    assert "name a user to follow, or --all for the whole app" in told(done)


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
    ("70009", ["70009, of TIM", "here: UNAUTHENTICATED, reason CREDENTIAL_INVALID"]),
    ("60007", ["60007, of TIM", "here: reason THROTTLED"]),
    ("30520", ["30520, of TIM", "there: in old Windows clients", "Err_SNS_FriendAdd_Friend_Exist"]),
    ("70051", ["70051, of TIM", "here: PERMISSION_DENIED, reason ACCOUNT_SUSPENDED"]),
    # Both the item of the contract and its namesake there.
    ("30005", ["FRIEND_STATUS_SENSITIVE_TEXT = 30005", "30005, of TIM"]),
    # A range of codes, at its ends and inside.
    ("38000", ["FRIEND_STATUS_REFUSED_BY_HOOK = 38000", "38000 to 39000, of TIM"]),
    ("38500", ["38000 to 39000, of TIM"]), ("39000", ["38000 to 39000, of TIM"]),
    # A text that TIM sends, and this service does not.
    ("err_tls_pt_open_login_account_not_exist", ["70107, of TIM", "USER_NOT_FOUND"]),
])  # fmt: skip
def test_a_code_is_explained(ctl, code, words):
    done = ctl("explain", code)
    assert done.returncode == 0, done.stderr
    for word in words:
        assert word in done.stdout, (word, done.stdout)


@pytest.mark.parametrize("text, number", [
    ("030525", "30525"), ("+30525", "30525"), ("+030005", "30005"), ("08", "8"), ("00", "0")])
def test_a_number_is_explained_however_it_is_written(ctl, text, number):
    other, plain = ctl("explain", text), ctl("explain", number)
    assert (other.returncode, other.stdout) == (0, plain.stdout) and plain.stdout


@pytest.mark.parametrize("form", [[], ["-o", "json"]])
def test_each_reason_of_a_call_has_advice(ctl, stubs, some_of, form):
    for name in some_of(stubs.ErrorReason.keys(), 2):
        done = ctl("explain", name, *form)
        assert done.returncode == 0, done.stderr
        if form:
            (entry,) = [each for each in json.loads(done.stdout) if each["name"] == name]
            assert entry["advice"].endswith("."), name
        else:
            assert re.search(r"^  do: .+\.$", done.stdout, re.M), name


def test_a_reason_of_any_call_names_no_calls(ctl):
    """Only one of the calls names it, and all that act for a user answer it."""
    assert "calls:" not in ctl("explain", "USER_NOT_FOUND").stdout
    assert "  calls: ExportApp" in ctl("explain", "POINT_GONE").stdout


def test_each_status_of_grpc_is_explained(ctl):
    for number in range(17):
        done = ctl("explain", number)
        assert f" = {number}, of gRPC" in done.stdout and "  do: " in done.stdout, number


ROOT = pathlib.Path(__file__).resolve().parents[2]
# TIM's codes of what the service has, by its REST pages and the headers of its clients.
OF_TIM = """
30001-30014 30515 30516 30519 30520 30525 30539 30540 30614 30615 30617 30630 31307 31503 31704
31707 31804 32100-32103 32207 32216 32511 32518-32521 38000-39000 40001-40009 40601 40605 40610
6014 6017 7003 20007 20009-20011 60002-60021 60025-60028 80001 80002 70001-70003 70005-70009 70013
70014 70016 70020 70050 70051 70107 70169 70202 70398 70399 70402-70404 70500 71000 72001 72012
90001 90003 90009 90011 90992 90994 90995 91000
"""


def numbers(text):
    for word in text.split():
        first, _, last = word.partition("-")
        yield from range(int(first), int(last or first) + 1)


def test_each_code_of_tim_has_one_row_with_our_counterpart():
    """The table itself, since a process for each of the thousand codes takes minutes."""
    table = (ROOT / "Sources/relationctl/Describe/TIMCode.swift").read_text()
    rows = re.findall(r"TIMCode\(\s*([\d_]+)(?:\.\.\.([\d_]+))?,", table)
    covered = [
        number for first, last in rows
        for number in range(int(first.replace("_", "")), int((last or first).replace("_", "")) + 1)]
    assert len(covered) == len(set(covered)), "a code has two rows"
    assert set(covered) == set(numbers(OF_TIM))


def gateway_codes():
    """The codes in the source of the gateway, which all are numbers of five digits."""
    folder = ROOT / "Sources/TIMGateway"
    text = "".join(path.read_text() for path in sorted(folder.glob("*.swift")))
    # The two ends of a range are not codes.
    return sorted(set(re.findall(r"\b[3-9]\d{4}\b", text)) - {"40000", "41000"})


@pytest.mark.parametrize("code", gateway_codes())
def test_each_code_of_the_gateway_is_explained_with_our_counterpart(ctl, code):
    done = ctl("explain", code)
    assert done.returncode == 0, done.stderr
    page = done.stdout[done.stdout.index(f"{code}, of TIM"):]
    there, here = (re.search(rf"^  {word}: (.+)$", page, re.M)[1] for word in ("there", "here"))
    assert there and re.search(
        r"[A-Z]{3}[A-Z_]+|\b\d{5}\b|Err_|^never|^the same code|^TIM's", here), here


ITEM_CODES = ["FriendStatus", "FollowStatus", "ProfileStatus", "SendStatus", "SubscriptionStatus"]


@pytest.mark.parametrize("name", ITEM_CODES)
def test_each_code_of_an_item_is_explained(ctl, stubs, some_of, name):
    # The numbers below 100 are statuses of gRPC.
    asked = [(text, value) for value, number in getattr(stubs, name).items()
             for text in ((value, str(number)) if number >= 100 else (value,))]  # fmt: skip
    for text, value in some_of(asked, 3):
        done = ctl("explain", text)
        assert done.returncode == 0 and value in done.stdout, text


def test_a_code_that_is_none_is_told(ctl):
    assert "no code or reason THROTLED: did you mean THROTTLED" in told(ctl("explain", "THROTLED"))
    for number in ("99999", "39001", "37999", "60022"):
        assert "'relationctl describe' explains" in told(ctl("explain", number))
