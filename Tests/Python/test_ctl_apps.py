"""What the command line does for an app: webhooks, suspensions, reports, erasures."""

import json
import os
import re
import subprocess
import time

import pytest
from people import People
from relationd import Relationd, executable
from test_hooks import receiver  # noqa: F401

# Nothing listens there.
URL = "http://127.0.0.1:65500/"
FAILED, MISUSE, REFUSED, ITEMS_REFUSED = 1, 64, 2, 5


@pytest.fixture(scope="module")
def hooked(tmp_path_factory):
    """A server that allows hooks."""
    data = tmp_path_factory.mktemp("hooked") / "data"
    flags = ["--hooks", "--hook-allow-plaintext", "--hook-allow-private"]
    with Relationd(data, *flags) as running:
        yield running


def run(server, *arguments, app=None, **variables):
    place = ["--server", server.address, *(["--app", str(app)] if app else [])]
    done = subprocess.run(
        [executable("relationctl"), *map(str, arguments), *place], capture_output=True, text=True,
        timeout=60, env={**os.environ, **variables})
    return done.returncode, done.stdout, done.stderr


def good(server, *arguments, **more):
    status, output, complaint = run(server, *arguments, **more)
    assert status == 0, complaint
    return output


def rows(output):
    """The rows of a table, without its names."""
    return [re.split(r" {2,}", line) for line in output.splitlines()[1:]]


def history(output):
    """The rows of each entry of a history: that of its head, and those below it."""
    entries = []
    for row in rows(output):
        if row[0]:
            entries.append([])
        entries[-1].append(row)
    return entries


def changes(entry):
    """The changes of an entry: a field of one is set in by two more blanks."""
    head, *below = entry
    return [head[7], *(row[1] for row in below if " -> " not in row[1])]


@pytest.fixture
def own(relation):
    """The number of an app of its own, and calls in it."""
    app = relation("CreateApp").app.app_id
    return app, relation.in_app(app)


# Webhooks


def test_a_webhook_is_made_paused_and_deleted(hooked):
    made = good(hooked, "hooks", "make", URL, "--name", "orders", "--kinds",
                "ADD_FRIEND,del_friend", "--batch", "10", "--users-only")
    identity, secret = made.split()
    assert secret.startswith("whsec_")
    (row,) = rows(good(hooked, "hooks", "list"))
    assert row[:3] == [identity, "active", "0"] and row[-2:] == ["orders", URL]
    assert good(hooked, "hooks", "pause", identity) == ""
    assert rows(good(hooked, "hooks", "list"))[0][1] == "paused"
    assert good(hooked, "hooks", "resume", identity) == ""
    assert rows(good(hooked, "hooks", "list"))[0][1] == "active"
    same, newer = good(hooked, "hooks", "rotate", identity, "--hours", "1").split()
    assert same == identity and newer != secret
    [hook] = json.loads(good(hooked, "call", "ListHooks", "{}"))["hooks"]
    assert len(hook["secrets"]) == 2 and hook["batchSize"] == 10 and hook["usersOnly"]
    assert hook["kinds"] == ["CHANGE_KIND_ADD_FRIEND", "CHANGE_KIND_DEL_FRIEND"]
    good(hooked, "hooks", "rotate", identity, "--hours", "0")
    [hook] = json.loads(good(hooked, "call", "ListHooks", "{}"))["hooks"]
    assert len(hook["secrets"]) == 1
    assert good(hooked, "hooks", "delete", identity) == ""
    assert rows(good(hooked, "hooks", "list")) == []
    status, _, complaint = run(hooked, "hooks", "pause", identity)
    assert status == REFUSED and "HOOK_NOT_FOUND" in complaint


def test_a_webhook_signs_with_the_secret_of_a_file(hooked, tmp_path):
    (own := tmp_path / "own").write_text("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n")
    (token := tmp_path / "token").write_text("token")
    (empty := tmp_path / "empty").write_text("\n")
    identity = good(hooked, "hooks", "make", URL, "--secret-file", own).strip()
    assert re.fullmatch("[0-9a-z]{16}", identity), "the id alone is printed"
    assert good(hooked, "hooks", "rotate", identity, "--secret-file", own).strip() == identity
    [hook] = json.loads(good(hooked, "call", "ListHooks", "{}"))["hooks"]
    assert len(hook["secrets"]) == 1, "it was the newest already"
    status, _, complaint = run(hooked, "hooks", "rotate", identity, "--secret-file", token)
    assert status == REFUSED and "secret" in complaint and "whsec_" in complaint
    status, _, complaint = run(hooked, "hooks", "make", URL, "--secret-file", empty)
    assert status == FAILED and complaint.endswith(f"{empty}: has no line\n")
    good(hooked, "hooks", "delete", identity)
    identity = good(hooked, "hooks", "make", URL, "--tim", "--secret-file", token).strip()
    good(hooked, "hooks", "delete", identity)


def test_failures_are_listed_and_a_webhook_goes_back(hooked):
    good(hooked, "call", "ImportAccounts", '{"row": {"user_id": "ann"}}')
    identity, _ = good(hooked, "hooks", "make", URL, "--tim").split()
    good(hooked, "call", "UpdateProfile", '{"user_id": "ann", "profile": {"nick": "Ann"}}')
    end = time.monotonic() + 60
    while not (found := rows(good(hooked, "hooks", "failures", identity))):
        assert time.monotonic() < end
    assert found[-1][2:5] == ["-", "1", "1"] and found[-1][6] == "ann"
    number = found[-1][0]
    assert good(hooked, "hooks", "replay", identity, "--failure", number) == ""
    status, _, complaint = run(hooked, "hooks", "replay", identity, "--failure", "1000000")
    assert status == FAILED and "no failed request of the number 1000000" in complaint
    assert good(hooked, "hooks", "replay", identity, "--hours", "24") == ""
    token = json.loads(good(hooked, "call", "ListHooks", "{}"))["hooks"][0]["resumeToken"]
    assert good(hooked, "hooks", "replay", identity, "--token", token) == ""
    good(hooked, "hooks", "delete", identity)


def test_a_webhook_is_asked_and_changed_field_by_field(hooked):
    def hook():
        [found] = json.loads(good(hooked, "call", "ListHooks", "{}"))["hooks"]
        return {name: value for name, value in found.items() if name != "resumeToken"}

    made = good(hooked, "hooks", "make", URL[:-1], "--asks", "ADD_FRIENDS,follow",
                "--silence", "refuse", "--ask-timeout", "300", "--asks-only", "--form", "grpc",
                "--name", "veto")
    identity = made.split()[0]
    first = hook()
    assert first["asks"] == ["HOOK_QUESTION_ADD_FRIENDS", "HOOK_QUESTION_FOLLOW"]
    assert (first["silence"], first["askTimeoutMs"]) == ("HOOK_SILENCE_REFUSE", "300")
    assert first["asksOnly"] and first["form"] == "HOOK_FORM_GRPC"
    (row,) = rows(good(hooked, "hooks", "list"))
    assert row[-4:] == ["grpc", "add_friends, follow (300 ms, refuse)", "veto", URL[:-1]]
    assert good(hooked, "hooks", "change", identity, "--silence", "fail") == ""
    assert hook() == {**first, "silence": "HOOK_SILENCE_FAIL"}
    good(hooked, "hooks", "change", identity, "--asks", "update_profile", "--ask-timeout", "0",
         "--no-asks-only", "--form", "cloud_events", "--url", f"{URL}b", "--name", "all",
         "--kinds", "profile_change", "--batch", "5", "--users-only")
    second = hook()
    assert second["asks"] == ["HOOK_QUESTION_UPDATE_PROFILE"] and second["askTimeoutMs"] == "2000"
    assert "asksOnly" not in second and second["form"] == "HOOK_FORM_CLOUD_EVENTS"
    assert (second["url"], second["name"], second["batchSize"]) == (f"{URL}b", "all", 5)
    assert second["kinds"] == ["CHANGE_KIND_PROFILE_CHANGE"] and second["usersOnly"]
    good(hooked, "hooks", "change", identity, "--asks", "", "--kinds", "", "--no-users-only")
    assert {"asks", "kinds", "usersOnly"}.isdisjoint(hook())
    assert rows(good(hooked, "hooks", "list"))[0][-4:] == ["cloud_events", "-", "all", f"{URL}b"]
    status, _, complaint = run(hooked, "hooks", "change", identity, "--ask-timeout", "99")
    assert status == REFUSED and "ask_timeout_ms: is 99" in complaint
    good(hooked, "hooks", "delete", identity)


def test_a_webhook_is_tested(hooked, receiver):  # noqa: F811
    identity = good(hooked, "hooks", "make", receiver.url, "--paused").split()[0]
    told = good(hooked, "hooks", "test", identity)
    assert re.fullmatch(r"confirmed with the status 204 in \d+ ms\n", told)
    receiver.status = 500
    assert run(hooked, "hooks", "test", identity) == (
        FAILED, "", "Error: the receiver did not confirm the event: the receiver answered 500\n")
    good(hooked, "hooks", "delete", identity)
    status, _, complaint = run(hooked, "hooks", "test", identity)
    assert status == REFUSED and "HOOK_NOT_FOUND" in complaint


@pytest.mark.parametrize("arguments", [
    ["hooks"], ["hooks", "change", "x"], ["hooks", "change", "x", "--asks", "find_users"],
    ["hooks", "change", "x", "--silence", "wait"], ["hooks", "change", "x", "--form", "xml"],
    ["hooks", "make", URL, "--tim", "--form", "grpc"], ["hooks", "test"],
    ["hooks", "replay", "x"], ["hooks", "replay", "x", "--hours", "1", "--token", "t"],
    ["hooks", "replay", "x", "--hours", "1", "--failure", "1"],
    ["hooks", "replay", "x", "--hours", "8761"], ["hooks", "rotate", "x", "--hours", "721"],
    ["hooks", "rotate", "x", "--hours", "-1"], ["hooks", "make", URL, "--kinds", "NO_KIND"],
    ["suspensions"], ["suspensions", "set", "ann"], ["suspensions", "set", "--level", "banned"],
    ["suspensions", "set", "ann", "--level", "unspecified"],
    ["suspensions", "set", "ann", "--level", "limited", "--days", "0"],
    ["reports"], ["reports", "close", "1", "--outcome", "open"], ["reports", "list", "--rows", "0"],
    ["reports", "list", "--rows", "10001"], ["erase"], ["history", "--rows", "0"],
    ["history", "--rows", "10001"], ["history", "--kinds", "no_kind"], ["undo"], ["undo", "x"],
    ["history", "--since", "2021-02-29T00:00:00Z"], ["undo", "1", "--request", "bulk"],
    ["undo", "--by", "ann"], ["undo", "--since", "now"],
    ["undo", "--since", "1582934400"], ["history", "--until", "1582934400"], ["history", ""],
    ["history", "ann", ""], ["history", "", "ann"], ["history", "ann", "ann"],
])  # fmt: skip
def test_a_wrong_command_says_so(hooked, arguments):
    status, output, complaint = run(hooked, *arguments)
    assert (status, output) == (MISUSE, "") and complaint.startswith("Error: ")


def test_a_server_without_hooks_says_so(start):
    status, _, complaint = run(start("data"), "hooks", "make", "https://example.org/")
    assert status == REFUSED and "HOOKS_DISABLED" in complaint


# Moderation


def test_users_are_suspended_and_may_act_again(server, own):
    app, relation = own
    ann, bob = People(relation)(2)
    good(server, "suspensions", "set", ann, bob, "--level", "limited", "--days", "7",
         "--text", "spam", "--end-sessions", app=app)
    listed = rows(good(server, "suspensions", "list", app=app))
    assert [row[:2] for row in listed] == [[ann, "limited"], [bob, "limited"]]
    assert all(row[-1] == "spam" and row[3].endswith("Z") for row in listed)
    good(server, "suspensions", "set", ann, "--level", "banned", app=app)
    assert rows(good(server, "suspensions", "list", app=app))[0][1:4:2] == ["banned", "no end"]
    status, _, complaint = run(
        server, "suspensions", "set", ann, "unknown", "--level", "suspended", app=app)
    assert status == ITEMS_REFUSED and "unknown: FRIEND_STATUS_" in complaint
    assert ann not in complaint
    good(server, "suspensions", "end", ann, bob, app=app)
    assert rows(good(server, "suspensions", "list", app=app)) == []
    assert run(server, "suspensions", "end", "unknown", app=app)[0] == ITEMS_REFUSED


def test_changes_are_listed_and_taken_back(server, own):
    app, relation = own
    ann, bob, joe = People(relation)(3)
    relation("UpdateApp", settings={"history_days": 1})
    relation("AddFriends", user_id=ann, items=[{"user_id": bob, "remark": "Rob"}], add_type=2)
    relation("AddToBlacklist", user_id=ann, user_ids=[bob])
    blocked, added = history(good(server, "history", ann, bob, app=app))
    assert [blocked[0][0], blocked[0][2]] == ["2", ann]
    assert changes(blocked) == [
        f"del_friend {ann} {bob}", f"del_friend {bob} {ann}", f"add_blacklist {ann} {bob}"]
    assert changes(added) == [f"add_friend {ann} {bob}", f"add_friend {bob} {ann}"]
    assert ["", 'remark: "Rob" -> none'] in blocked and ["", 'remark: none -> "Rob"'] in added
    status, output, complaint = run(server, "history", joe, app=app)
    assert (status, history(output)) == (0, []) and complaint == "no such change is kept\n"
    assert history(good(server, "history", "--by", ann, "--rows", "1", app=app)) == [blocked]
    assert history(good(server, "history", "--kinds", "add_blacklist", app=app)) == [blocked]
    told = good(server, "undo", "2", "--dry-run", app=app)
    assert ["delete", "blacklist", ann, bob] in [line[:4] for line in rows(told)]
    assert ["put", "friends", ann, bob] in [line[:4] for line in rows(told)]
    assert " events" in told.splitlines()[-1]
    assert relation("ListBlacklist", user_id=ann).entries
    good(server, "undo", "2", "--all-or-nothing", app=app)
    assert not relation("ListBlacklist", user_id=ann).entries
    assert relation("ListFriends", user_id=ann).friends[0].remark == "Rob"
    # What one request changed is taken back by its id, the latest first.
    relation(
        "Follow", user_id=ann, user_ids=[bob, joe], options={"request_id": "bulk"})
    found = history(good(server, "history", "--request", "bulk", app=app))
    assert [changes(entry) for entry in found] == [
        [f"following_changed {ann} {joe}"], [f"following_changed {ann} {bob}"]]
    taken = rows(good(server, "undo", "--request", "bulk", app=app))
    assert [row[0] for row in taken] == [entry[0][0] for entry in found]
    assert not relation("ListFollowing", user_id=ann).entries
    relation("UpdateProfile", user_id=joe, profile={"nick": "Joe"}, update_mask={"paths": ["nick"]})
    relation("CreateFriendGroups", user_id=joe, names=["work"])
    start = "2020-02-29T00:00:00Z"
    found = history(good(server, "history", "--by", joe, "--since", start, app=app))
    assert [changes(entry) for entry in found] == [
        [f"group_created {joe} work"], [f"profile_change {joe}"]]
    assert found[1][1:] == [["", 'nick: none -> "Joe"']]
    assert history(good(server, "history", "--by", joe, "--until", start, app=app)) == []
    # A time may be in milliseconds too.
    for since, rows_ in (("1582934400000", found), ("4000000000000", [])):
        line = ["history", "--by", joe, "--since", since]
        assert history(good(server, *line, app=app)) == rows_
    good(server, "undo", "--by", joe, "--since", start, app=app)
    assert not relation("GetFriendGroups", user_id=joe).results
    status, _, complaint = run(server, "undo", "1", "99", app=app)
    assert status == ITEMS_REFUSED and "99: FRIEND_STATUS_PARAM_INVALID" in complaint
    # A reason is named as it is in results, which every command does.
    assert " Err_" in complaint and "REASON_" not in complaint


def test_an_app_that_keeps_no_changes_says_so(server, own):
    app, _ = own
    status, output, complaint = run(server, "history", app=app)
    assert (status, history(output)) == (0, [])
    assert complaint == "no entries: the app keeps changes only while its history_days is above 0\n"


def test_reports_are_listed_and_closed(server, own):
    app, relation = own
    ann, bob, joe = People(relation)(3)
    for reporter in (bob, joe):
        relation("ReportUser", user_id=reporter, reported_user_id=ann,
            category="REPORT_CATEGORY_SPAM", text="ad\x1b[2Js", reference="message 17")
    listed = rows(good(server, "reports", "list", app=app))
    assert [row[2:] for row in listed] == [
        [ann, each, "1", "spam", "open", "message 17", "ad\\u001b[2Js"] for each in (joe, bob)]
    assert len(rows(good(server, "reports", "list", "--rows", "1", app=app))) == 1
    good(server, "reports", "close", listed[0][0], "--outcome", "warned", "--note", "once", app=app)
    assert [row[3] for row in rows(good(server, "reports", "list", app=app))] == [bob]
    closed = rows(good(server, "reports", "list", "--closed", "--about", ann, app=app))
    assert [row[6] for row in closed] == ["warned", "open"]
    assert rows(good(server, "reports", "list", "--about", bob, app=app)) == []
    status, _, complaint = run(
        server, "reports", "close", "999", "--outcome", "dismissed", app=app)
    assert status == ITEMS_REFUSED and "999: " in complaint


def test_users_are_erased_and_their_receipts_name_none_of_them(server, own):
    app, relation = own
    ann, bob = People(relation)(2)
    status, output, complaint = run(server, "erase", ann, "unknown", "--dry-run", app=app)
    assert status == ITEMS_REFUSED and "unknown: " in complaint
    # The deletion that would begin is a row; the rows of the account go later.
    assert ["put", "deletions", "-"] in [line[:3] for line in rows(output)]
    status, output, told = run(server, "erase", ann, bob, app=app, RELATION_ERASURE_KEY="key\n")
    assert status == 0, told
    assert [line.split(": deletion ")[0] for line in told.splitlines()] == [ann, bob]
    receipts = [json.loads(line) for line in output.splitlines()]
    assert len({each["receipt"]["digest"] for each in receipts}) == 2
    assert all(each["state"] == "DELETION_STATE_DONE" for each in receipts)
    assert ann not in output and bob not in output
