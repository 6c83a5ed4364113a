"""What `relationctl describe` explains, without a server."""

import pathlib
import subprocess
import zlib

import described
import pytest
from relationd import executable

COMMITTED = (
    pathlib.Path(__file__).resolve().parents[2] / "Sources/ContractText/contract.zz")


def describe(*names):
    return subprocess.run(
        [executable("relationctl"), "describe", *names], capture_output=True, text=True,
        timeout=60)


def page(*names):
    done = describe(*names)
    assert done.returncode == 0, done.stderr
    return done.stdout


def told(done, status):
    assert done.returncode == status and done.stdout == "", (done.stdout, done.stderr)
    (line,) = done.stderr.splitlines()
    return line


def test_the_description_is_the_one_that_the_contract_gives_today():
    assert zlib.decompress(COMMITTED.read_bytes()) == described.description(), (
        "run 'make contract'")


@pytest.mark.parametrize("name", [
    "AddFriends", "addfriends", "add-friends", "FriendService/AddFriends",
    "relation.v1.FriendService.AddFriends", "/relation.v1.FriendService/AddFriends",
])  # fmt: skip
def test_a_call_is_explained_with_its_codes_and_messages(name):
    text = page(name)
    assert text.startswith("FriendService/AddFriends\n  Adds friends, or sends an application")
    assert "AddFriendsRequest -> AddFriendsResponse; scope write" in text
    assert "30525  FRIEND_STATUS_IN_OTHER_SIDE_BLACK_LIST" in text
    assert "message AddFriendsRequest" in text and "  items = 3: repeated AddFriend" in text
    assert "message AddFriendsResponse" in text and "  replayed = 3: bool" in text


def test_a_stream_says_so():
    assert "WatchRequest -> stream WatchResponse; scope watch" in page("watch")


def test_a_service_a_message_and_an_enum_are_explained():
    text = page("friendservice")
    assert text.startswith("service FriendService\n") and "  CheckFriends: " in text
    text = page("RelationCard")
    assert "  blacklisted_by = 8: optional bool\n    Whether the user has the caller" in text
    text = page("friendstatus")
    assert "  FRIEND_STATUS_PENDING = 30539\n    The application waits" in text
    assert "known_versions = 6: map<string, int64>" in page("GetProfilesRequest")
    assert "data = 2: bytes, of oneof value" in page("CustomValue")


@pytest.mark.parametrize("name, heading", [
    ("friend.remark", "Friend.remark = 2: string"),
    ("FRIEND_STATUS_PENDING", "FRIEND_STATUS_PENDING = 30539, of FriendStatus"),
    ("30539", "FRIEND_STATUS_PENDING = 30539, of FriendStatus"),
    ("THROTTLED", "ERROR_REASON_THROTTLED = 30, of ErrorReason"),
    ("reason_sns_friend_add_admin_forbid", "REASON_SNS_FRIEND_ADD_ADMIN_FORBID = 111, of Reason"),
    ("Err_SNS_FriendAdd_Admin_Forbid", "REASON_SNS_FRIEND_ADD_ADMIN_FORBID = 111, of Reason"),
])  # fmt: skip
def test_a_field_a_code_and_a_reason_are_explained(name, heading):
    text = page(name)
    assert text.splitlines()[0] == heading
    assert len(text.splitlines()) > 1, "its comment"


def test_a_reason_says_what_a_caller_does():
    text = page("REASON_SNS_FRIEND_ADD_ADMIN_FORBID")
    assert "  calls: AddFriends, ExplainAddFriend\n  codes: 30009\n  do: Only an administrator can change" in text


def test_a_name_of_many_things_is_answered_with_a_list():
    lines = page("user_id").splitlines()
    assert lines[0].startswith("user_id is the name of ") and len(lines) == 62
    assert lines[-1].startswith("and ") and lines[-1].endswith(" more")
    # Up to four are explained at once.
    assert page("40003").startswith("PROFILE_STATUS_ACCOUNT_NOT_FOUND = 40003")


@pytest.mark.parametrize("name, meant", [
    ("AddFreinds", "AddFriends"), ("RelationCrad", "RelationCard"), ("friend.remarc", "remark"),
    ("THROTLED", "THROTTLED"),
])  # fmt: skip
def test_a_name_that_is_nearly_right_is_answered_with_what_was_meant(name, meant):
    line = told(describe(name), 64)
    assert f"nothing is called {name}: did you mean " in line and meant in line


def test_a_name_of_nothing_is_told(tmp_path):
    assert "'relationctl describe' lists all calls" in told(describe("zzzzzzzzzz"), 64)
    assert "\x1b" not in told(describe("zz\x1b[2Jzzzzzzzz"), 64)


def test_without_a_name_all_calls_are_listed_with_a_sentence(stubs):
    text = page()
    assert all(path.rpartition("/")[2] in text for path in stubs.paths)
    line = next(line for line in text.splitlines() if line.split()[:1] == ["GetRelations"])
    assert "Reports everything that users and the caller are to each other" in line
