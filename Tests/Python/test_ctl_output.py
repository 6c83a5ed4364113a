"""The forms in which commands print data: every command that prints some has them all, and they
say the same."""

import json
import re
import subprocess

import pytest
import yaml
from people import People
from relationd import Relationd, executable
from test_hooks import receiver  # noqa: F401

FORMS = ["json", "pretty", "table", "yaml"]

# Commands that print no data, each with what it does instead.
NO_DATA = {
    "prints nothing": {
        "consumers delete", "hooks change", "hooks pause", "hooks resume", "hooks replay",
        "hooks delete", "suspensions set", "suspensions end", "reports close", "keys end",
        "operator-keys end",
    },
    "writes a file or a store, and says so in a line": {
        "audit export", "import", "export", "export-user", "import-app", "import-changes",
        "export-changes", "apply-changes", "migrate tim", "migrate rongcloud", "migrate openim",
        "migrate nakama", "backup", "login",
    },
    "serves": {"proxy tim"},
}

# Commands that need another system, or a file of one: their own tests run them in the forms.
ELSEWHERE = {"compare tim", "audit verify"}


class World:
    """A server with an app in which everything is there that a command may print."""

    def __init__(self, server, relation, url):
        app = relation("CreateApp", settings={"history_days": 1}).app.app_id
        self.server, self.app, self.relation = server, app, relation.in_app(app)
        people = People(self.relation)
        self.ann, self.bob, self.mallory = people(3)
        people.add(self.ann, self.bob, remark="Rob: \"no\"", force=True)
        people.befriend(self.bob, self.mallory)
        people.set_profile(self.ann, nick="安妮 😀")
        self.relation("CreateFriendGroups", user_id=self.ann, names=["on"])
        self.relation("SuspendAccounts", items=[
            {"user_id": self.mallory, "level": "SUSPENSION_LEVEL_LIMITED", "reason_text": "1"}])
        self.relation("ReportUser", user_id=self.ann, reported_user_id=self.mallory,
                      category="REPORT_CATEGORY_SPAM", text="yes")
        hook = self.relation("CreateHook", url=url, name="orders", paused=True).hook
        self.hook = hook.hook_id
        self.sequence = self.relation("ListFriends", user_id=self.bob).friends[0].sequence

    def run(self, words, *more):
        line = [*(str(word) for word in words), *more]
        place = ["--server", self.server.address, "--app", str(self.app)]
        if words[0] in ("slow", "connections", "top", "status"):
            place += ["--pages", self.server.pages]
        if words[0] in ("methods", "describe") or words[:2] == ["explain", "30005"]:
            place = []
        return subprocess.run(
            [executable("relationctl"), *line, *place], capture_output=True, text=True, timeout=60)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    data = tmp_path_factory.mktemp("forms") / "data"
    with Relationd(data, "--hooks", "--hook-allow-plaintext", "--hook-allow-private") as running:
        yield running


@pytest.fixture
def world(server, relation, receiver):  # noqa: F811
    return World(server, relation, receiver.url)


# A line of each command: whether it prints the same when it runs again, and its words.
SAME, OTHER = True, False
LINES = {
    "call": (SAME, lambda w: ["call", "GetSelfProfile", json.dumps({"user_id": w.ann})]),
    "methods": (SAME, lambda w: ["methods"]),
    "describe": (SAME, lambda w: ["describe", "FriendStatus"]),
    "explain code": (SAME, lambda w: ["explain", "30005"]),
    "explain profile": (SAME, lambda w: ["explain", "profile", w.bob, w.ann]),
    "explain event": (
        SAME, lambda w: ["explain", "event", w.bob, w.ann, "--kind", "profile_change"]),
    "explain update": (SAME, lambda w: ["explain", "update", w.ann]),
    "user": (SAME, lambda w: ["user", w.ann]),
    "pair": (SAME, lambda w: ["pair", w.ann, w.bob, "--explain"]),
    "graph": (SAME, lambda w: ["graph", w.bob]),
    "watch": (OTHER, lambda w: ["watch", w.ann, "--count", "1"]),
    "consumers list": (SAME, lambda w: ["consumers", "list"]),
    "hooks list": (SAME, lambda w: ["hooks", "list"]),
    "hooks failures": (SAME, lambda w: ["hooks", "failures", w.hook]),
    "hooks make": (OTHER, lambda w: ["hooks", "make", "http://127.0.0.1:65500/", "--paused"]),
    "hooks rotate": (OTHER, lambda w: ["hooks", "rotate", w.hook, "--hours", "0"]),
    "hooks test": (OTHER, lambda w: ["hooks", "test", w.hook]),
    "suspensions list": (SAME, lambda w: ["suspensions", "list"]),
    "reports list": (SAME, lambda w: ["reports", "list"]),
    "history": (SAME, lambda w: ["history", w.ann]),
    "undo": (OTHER, lambda w: ["undo", "1", "--dry-run"]),
    "erase": (OTHER, lambda w: ["erase", w.mallory, "--dry-run"]),
    "keys list": (SAME, lambda w: ["keys", "list"]),
    "keys make": (OTHER, lambda w: ["keys", "make", "backend"]),
    "status": (OTHER, lambda w: ["status"]),
    "top": (OTHER, lambda w: ["top", "--interval", "1", "--count", "1"]),
    "connections": (OTHER, lambda w: ["connections"]),
    "slow": (OTHER, lambda w: ["slow"]),
    "operator-keys list": (SAME, lambda w: ["operator-keys", "list"]),
    "operator-keys make": (OTHER, lambda w: ["operator-keys", "make", "anna"]),
    "backups": (SAME, lambda w: ["backups"]),
}


def commands():
    """The options of each command that has none after it, by its words."""
    done = subprocess.run(
        [executable("relationctl"), "--experimental-dump-help"], capture_output=True, text=True,
        timeout=60)
    found, left = {}, [([], json.loads(done.stdout)["command"])]
    while left:
        words, command = left.pop()
        inner = [each for each in command.get("subcommands", []) if each["commandName"] != "help"]
        left += [([*words, each["commandName"]], each) for each in inner]
        if not inner:
            found[" ".join(words)] = {
                name["name"]: option for option in command.get("arguments", [])
                for name in option.get("names") or []}
    return found


def test_each_command_that_prints_data_takes_each_form():
    none = set().union(*NO_DATA.values())
    all_commands = commands()
    assert set(all_commands) == none | set(LINES) | ELSEWHERE, "a command has no line here"
    assert not none & set(LINES)
    for words, options in all_commands.items():
        if words in none:
            assert "output" not in options, words
        else:
            assert options["output"]["allValues"] == FORMS, words
            assert options["o"] == options["output"], words


def is_part(part, whole):
    """Whether a value is another one without zeros."""
    if isinstance(part, dict):
        return isinstance(whole, dict) and all(
            key in whole and is_part(value, whole[key]) for key, value in part.items())
    if isinstance(part, list):
        return isinstance(whole, list) and len(part) == len(whole) and all(
            map(is_part, part, whole))
    return part == whole


def names(value):
    """The names of a value, or of the first value of a list."""
    if isinstance(value, list):
        return [names(inner) for inner in value[:1]]
    return sorted(value)


@pytest.mark.parametrize("command", LINES)
def test_the_forms_say_the_same(world, command):
    is_same, words = LINES[command]
    texts = {}
    for form in FORMS:
        done = world.run(words(world), "--output", form)
        assert done.returncode == 0, (form, done.stderr)
        texts[form] = done.stdout
    pretty, short = json.loads(texts["pretty"]), json.loads(texts["json"])
    (shown,) = yaml.safe_load_all(texts["yaml"])
    if is_same:
        assert shown == pretty
        assert is_part(short, pretty)
    else:
        assert names(shown) == names(pretty)
    # One line for a program that reads lines, and a page for people.
    assert texts["json"].count("\n") == 1
    assert texts["table"] != texts["json"] and not texts["table"].startswith(("{", "["))


def test_a_form_that_is_none_is_told(world):
    done = world.run(["hooks", "list"], "--output", "xml")
    assert (done.returncode, done.stdout) == (64, "") and "'xml' is invalid" in done.stderr


def test_made_secrets_are_shown_once_in_each_form(world, tmp_path):
    made = json.loads(world.run(["keys", "make", "one"], "-o", "json").stdout)
    assert made["key"].split(".")[:2] == [str(world.app), made["credentialId"]]
    path = tmp_path / "two.key"
    named = world.run(["keys", "make", "two", "--key-file", path], "-o", "json").stdout
    assert json.loads(named)["keyFile"] == str(path)
    secret = path.read_text().strip().rpartition(".")[2]
    assert secret and secret not in named
    listed = json.loads(world.run(["keys", "list"], "-o", "json").stdout)
    assert {key["name"] for key in listed} == {"one", "two"}
    hook = json.loads(
        world.run(["hooks", "make", "http://127.0.0.1:65500/x", "--paused"], "-o", "json").stdout)
    assert set(hook) == {"hookId", "secret"} and hook["secret"]
    assert hook["secret"] not in world.run(["hooks", "list"], "-o", "yaml").stdout


def test_a_list_without_rows_is_an_empty_one(world):
    for form, text in [("json", "[]\n"), ("yaml", "[]\n")]:
        assert world.run(["consumers", "list"], "-o", form).stdout == text


def test_receipts_are_lines_and_documents(world):
    done = world.run(["erase", world.mallory, world.bob], "-o", "yaml")
    assert done.returncode == 0, done.stderr
    first, second = yaml.safe_load_all(done.stdout)
    assert first["state"] == second["state"] == "DELETION_STATE_DONE"


def test_a_watch_prints_documents(world):
    done = world.run(["watch", world.ann, "--count", "2"], "-o", "yaml")
    messages = [json.loads(line) for line in world.run(
        ["watch", world.ann, "--count", "2", "--json"]).stdout.splitlines()]
    documents = list(yaml.safe_load_all(done.stdout))
    assert len(documents) == len(messages) >= 2
    refused = world.run(["watch", world.ann, "--json"], "-o", "yaml")
    assert refused.returncode == 64 and "--json is --output json" in refused.stderr


def test_a_user_has_a_part_for_each_list(world):
    user = json.loads(world.run(["user", world.ann], "-o", "json").stdout)
    assert list(user) == [
        "userId", "profile", "presence", "visibility", "friends", "groups", "applications",
        "blacklist", "following", "followers", "subscriptions", "invitations",
        "dismissedSuggestions"]
    assert user["profile"]["nick"] == "安妮 😀"
    assert user["friends"]["friends"][0]["userId"] == world.bob


def test_a_pair_has_both_directions_with_their_ladders(world):
    pair = json.loads(
        world.run(["pair", world.ann, world.bob, "--explain"], "-o", "json").stdout)
    there, back = pair["directions"]
    assert (there["fromUserId"], back["fromUserId"]) == (world.ann, world.bob)
    assert set(there["explain"]) == {"send", "add", "follow", "block", "respond", "check"}
    assert there["relations"]["friendEntry"]["remark"] == 'Rob: "no"'
    plain = json.loads(world.run(["pair", world.ann, world.bob], "-o", "json").stdout)
    assert "explain" not in plain["directions"][0]


def test_an_explanation_has_the_calls_and_reasons_of_a_code(world):
    item, tim = json.loads(world.run(["explain", "30005"], "-o", "json").stdout)
    assert (item["name"], item["number"]) == ("FRIEND_STATUS_SENSITIVE_TEXT", 30005)
    assert "AddFriends" in item["calls"]
    assert all(reason["info"].startswith("Err_") for reason in item["reasons"])
    assert (tim["number"], tim["lastNumber"]) == (30005, 30005)
    assert tim["there"] and tim["here"]


# The history


def test_a_history_shows_what_each_field_was_and_is(world):
    people = People(world.relation)
    people.mark(world.ann, world.bob, remark="Bob")
    people.set_profile(world.ann, nick="Ann")
    latest, before = json.loads(
        world.run(["history", world.ann, "--rows", "2"], "-o", "json").stdout)
    assert latest["changes"][0]["fields"] == [
        {"field": "nick", "before": "安妮 😀", "after": "Ann"}]
    # The server of the test asks for no credential.
    assert (latest["credential"], latest["address"]) == ("anyone", "loopback")
    (change,) = before["changes"]
    fields = {field["field"]: (field["before"], field["after"]) for field in change["fields"]}
    assert fields.pop("remark") == ('Rob: "no"', "Bob")
    assert set(fields) <= {"remarkTimeMs"}, "the rest of the row is as it was"
    # The rows themselves are there as the server answers them.
    assert change["friendBefore"]["remark"] == 'Rob: "no"'
    page = world.run(["history", world.ann, "--rows", "2"]).stdout
    assert f"profile_change {world.ann}\n" in page
    assert '  nick: "安妮 😀" -> "Ann"\n' in page
    assert r'  remark: "Rob: \"no\"" -> "Bob"' + "\n" in page


def test_a_history_shows_rows_that_were_made_and_are_gone(world):
    world.relation("DeleteFriends", user_id=world.ann, user_ids=[world.bob])
    page = world.run(["history", world.ann, world.bob]).stdout
    assert r'  remark: none -> "Rob: \"no\""' + "\n" in page
    assert r'  remark: "Rob: \"no\"" -> none' + "\n" in page
    assert "  add time: none -> 20" in page


@pytest.mark.parametrize("length, is_cut", [(60, False), (61, True)])
def test_a_long_value_of_a_history_is_cut(world, length, is_cut):
    text = "x" * length
    People(world.relation).set_profile(world.bob, self_signature=text.encode())
    line = next(
        line.strip() for line in world.run(["history", world.bob]).stdout.splitlines()
        if "self signature: " in line)
    shown = f'"{"x" * 60}"… (61 bytes)' if is_cut else f'"{text}"'
    assert line == f"self signature: none -> {shown}"


@pytest.mark.parametrize("text", ["none", "a -> b", "without end", "ALLOW_TYPE_NEED_CONFIRM", "7"])
def test_a_text_of_a_history_is_not_taken_for_a_word_of_the_page(world, text):
    People(world.relation).mark(world.ann, world.bob, remark=text)
    page = world.run(["history", world.ann, world.bob, "--rows", "1"]).stdout
    assert rf'  remark: "Rob: \"no\"" -> "{text}"' + "\n" in page
    People(world.relation).mark(world.ann, world.bob, remark="")
    page = world.run(["history", world.ann, world.bob, "--rows", "1"]).stdout
    assert f'  remark: "{text}" -> none\n' in page


def test_a_name_of_the_contract_and_a_time_of_a_history_have_no_quotes(world):
    People(world.relation).set_profile(world.ann, allow_type="ALLOW_TYPE_DENY_ANY")
    page = world.run(["history", world.ann, "--rows", "1"]).stdout
    assert re.search(r"  allow type: \w+ -> ALLOW_TYPE_DENY_ANY\n", page), page


# Texts that are no part of a page of YAML


@pytest.mark.parametrize("letter", [
    "\ufffe", "\uffff", "\ufffd", "\ue000", "\u0085", "\u007f", "\U0001fffe", "\U000e0001"])
def test_each_letter_is_valid_in_yaml(world, letter):
    People(world.relation).set_profile(world.ann, nick=f"a{letter}b")
    for line in (["history", world.ann, "--rows", "1"], ["user", world.ann]):
        text = world.run(line, "-o", "yaml").stdout
        (shown,) = yaml.safe_load_all(text)
        assert f"a{letter}b" in json.dumps(shown, ensure_ascii=False), text
