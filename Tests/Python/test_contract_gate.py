"""`make gate`, which `.ci/run` passes through, lets additions to the contract in and refuses what
breaks a client."""

import functools
import os
import shutil
import subprocess

import pytest
from relationd import ROOT

FRIEND = "friend.proto"
# Each change: the file, a text in it, and the text that takes its place.
BREAKS = {
    "a field has another name": (FRIEND, "string remark = 3;", "string note = 3;"),
    "a field has another number": (FRIEND, "string remark = 3;", "string remark = 33;"),
    "a field has another type": (FRIEND, "string remark = 3;", "bytes remark = 3;"),
    "a field is gone": (FRIEND, "  string remark = 3;", "  reserved 3;\n  reserved \"remark\";"),
    "a single field is a list": (FRIEND, "string remark = 3;", "repeated string remark = 3;"),
    "a zero is no longer told": (
        "common.proto", "optional FriendStatus code = 2;", "FriendStatus code = 2;"),
    "a value has another number": (
        "common.proto", "FRIEND_RELATION_MY_UNI = 1;", "FRIEND_RELATION_MY_UNI = 7;"),
    "a reason has another name": (
        "reason.proto", "  REASON_RUNNING = 2002;", "  REASON_IN_PROGRESS = 2002;"),
    "a call is gone": ("change.proto", "rpc GetSequence(", "rpc GetNumber("),
    "a call has another request": (
        "profile.proto", "rpc GetVisibility(GetVisibilityRequest)",
        "rpc GetVisibility(GetSelfProfileRequest)"),
    "a call that reads may write": (
        "group.proto", "    option idempotency_level = NO_SIDE_EFFECTS;\n", ""),
    "a case leaves its oneof": ("common.proto", "    bytes data = 4;\n", ""),
    "a package of generated code has another name": (
        FRIEND, 'option java_package = "example.git.relation.v1";', 'option java_package = "relation";'),
    "a comment is missing": (FRIEND, "  // The user to add. TIM's `identifier`.\n", ""),
}  # fmt: skip
ADDS = {
    "a field": (
        FRIEND, "// The request of AddFriends.\nmessage AddFriendsRequest {",
        "// The request of AddFriends.\nmessage AddFriendsRequest {\n"
        "  // Something new.\n  string novelty = 100;\n"),
    "a value": (
        "common.proto",
        "  // Each has the other as a friend. TIM_FRIEND_RELATION_TYPE_BOTHWAY, "
        "CheckResult_Type_BothWay.",
        "  // Something new.\n  FRIEND_RELATION_NEW = 4;\n\n"
        "  // Each has the other as a friend. TIM_FRIEND_RELATION_TYPE_BOTHWAY, "
        "CheckResult_Type_BothWay."),
    "a case": (
        "common.proto", "    // The value of a field of type UINT64.",
        "    // Something new.\n    double real = 5;\n\n    // The value of a field of type UINT64."),
    "a call": (
        "group.proto", "service FriendGroupService {",
        "service FriendGroupService {\n  // Something new.\n"
        "  rpc CountFriendGroups(CountFriendGroupsRequest) returns (CountFriendGroupsResponse);\n"),
    "a comment": (FRIEND, "// The user to add.", "// The user to add, told in another way."),
}  # fmt: skip
NEW_MESSAGES = """
// The request of CountFriendGroups.
message CountFriendGroupsRequest {
  // The acting user.
  string user_id = 1;
}

// The response of CountFriendGroups.
message CountFriendGroupsResponse {
  // How many groups the user has.
  int32 count = 1;
}
"""


@pytest.fixture
def changed(tmp_path):
    """Makes a copy of the contract with one change: `changed(FILE, OLD, NEW)` is its folder."""

    def change(name, old, new):
        copy = shutil.copytree(ROOT / "proto", tmp_path / "proto")
        path = copy / "relation/v1" / name
        text = path.read_text()
        assert old in text, "the contract has changed here: take another example"
        text = text.replace(old, new, 1)
        path.write_text(text + NEW_MESSAGES if "CountFriendGroups" in new else text)
        return copy

    return change


def make(*words):
    # A `make` that runs the tests says things to its own children only.
    environment = {name: value for name, value in os.environ.items() if "MAKE" not in name}
    return subprocess.run(
        ["make", "--silent", *words], cwd=ROOT, env=environment, capture_output=True, text=True,
        timeout=300)


@functools.cache
def commands():
    """The commands of the gate, as make would run them for the contract in the folder PLACE.

    Those before them install tools, which takes as long as the gate itself.
    """
    lines = make("--dry-run", "gate", "PROTO=PLACE").stdout.splitlines()
    found = [line for line in lines if "/buf " in line and "PLACE" in line]
    assert len(found) == 2, lines
    return found


def gate(folder):
    """Passes a contract through the commands of the gate, up to the first that refuses it.

    The last one comes first: it refuses what breaks a client, which most changes here do.
    """
    for command in reversed(commands()):
        done = subprocess.run(
            command.replace("PLACE", str(folder)), shell=True, cwd=ROOT, capture_output=True,
            text=True, timeout=300)
        if done.returncode != 0:
            break
    return done


def test_the_contract_as_it_is_passes():
    done = make("gate", f"PROTO={ROOT / 'proto'}")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("change", ["a comment is missing", "a field has another name"])
def test_make_refuses_what_either_command_refuses(changed, change):
    name, old, new = BREAKS[change]
    done = make("gate", f"PROTO={changed(name, old, new)}")
    assert done.returncode != 0 and f"{name}:" in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize("change", BREAKS)
def test_a_change_that_breaks_a_client_is_refused(changed, change):
    name, old, new = BREAKS[change]
    done = gate(changed(name, old, new))
    assert done.returncode != 0
    assert f"{name}:" in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize("addition", ADDS)
def test_an_addition_is_let_in(changed, addition):
    done = gate(changed(*ADDS[addition]))
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_ci_passes_through_the_gate():
    steps = (ROOT / ".ci/run").read_text()
    assert "try lint >" in steps and "try test " in steps
    told = subprocess.run(
        ["make", "--dry-run", "lint"], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert "buf lint proto" in told.stdout
    assert "buf breaking proto --against proto/released.binpb" in told.stdout
