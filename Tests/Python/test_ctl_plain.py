"""What end users wrote, in the output of every command: no terminal obeys it."""

import json
import re
import subprocess

import pytest
from relationd import Relationd, executable
from test_relationctl import relationctl

# Escapes, line ends of all kinds, a turn of the direction, what takes no place, and a tag.
HOSTILE = (
    "A\x1b[2J\x07\nforged\r\tline\x7f\x85\x9b2J\u2028\u2029\u202ex\u2066y\u200bz\ufeff"
    "\U000e0041")
HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\U000e0000-\U000e007f]")


@pytest.fixture(scope="module")
def crowd(people):
    """Users whose texts are all hostile."""
    ann, bob, cat = people(3)
    for user in (ann, bob, cat):
        people.set_profile(user, nick=HOSTILE)
    people.import_friends([{
        "user_id": ann, "friend_user_id": bob, "both_ways": True, "remark": HOSTILE,
        "groups": {"values": [HOSTILE[:20]]}}])
    people.apply(cat, ann, wording=HOSTILE)
    return ann, bob, cat


def plain(done, status=0):
    assert done.returncode == status, done.stderr
    for text in (done.stdout, done.stderr):
        assert not HIDDEN.search(text), text
        assert not any(line.startswith("forged") for line in text.splitlines()), text
    return done.stdout


def commands(ann, bob, cat):
    yield from (
        ["user", ann], ["pair", ann, bob], ["pair", cat, ann], ["graph", ann],
        ["watch", ann, "--count", "9"], ["watch", ann, "--count", "9", "--json"])
    for form in ("json", "pretty", "yaml", "table"):
        for call, request in [
            ("GetSelfProfile", {"user_id": ann}), ("ListFriends", {"user_id": ann, "page_size": 9}),
            ("GetFriendGroups", {"user_id": ann}), ("ListApplications", {"user_id": ann})]:
            yield ["call", call, json.dumps(request), "--output", form]


def test_texts_of_users_are_plain_in_every_output(server, crowd):
    seen = 0
    for command in commands(*crowd):
        done = subprocess.run(
            [executable("relationctl"), *command, "--server", server.address],
            capture_output=True, text=True, timeout=60)
        seen += "forged" in plain(done)
    assert seen >= 14, "the texts are shown"


def test_json_keeps_every_character(server, crowd):
    done = relationctl("call", "GetSelfProfile", json.dumps({"user_id": crowd[0]}), "--server",
                       server.address)
    assert json.loads(plain(done))["profile"]["nick"] == HOSTILE


def test_pictures_and_languages_stay_as_they_are(server, people):
    (ann,) = people(1)
    nick = "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 \U0001f469\u200d\U0001f467 ni\u00f1o"
    people.set_profile(ann, nick=nick)
    assert nick in relationctl("user", ann, "--server", server.address).stdout
    people.set_profile(ann, nick="al\u200dice")
    assert "al\\u200dice" in relationctl("user", ann, "--server", server.address).stdout


def test_errors_that_repeat_a_text_are_plain(server):
    for command, status in [
        (["call", HOSTILE], 64), (["call", "GetStats", '{"' + "\x85" + '": 1}'], 64),
        (["user", "a\x9bb"], 2), (["watch", "a\u202eb"], 2), (["describe", "a\x9bb"], 64),
        (["call", "GetApp", "{}", "--profile", "a\u202eb"], 64),
        (["graph", "a\x9bb"], 2), (["pair", "a\x9bb", "c"], 2)]:
        done = subprocess.run(
            [executable("relationctl"), *command, "--server", server.address],
            capture_output=True, text=True, timeout=60)
        plain(done, status)


def test_rows_of_an_import_are_plain_in_its_messages(server, tmp_path):
    file = tmp_path / "rows.csv"
    file.write_text('user_id,friend_user_id,both_ways\nx,"a\u202eb\x9b",\nx,y,"\x1b[2J"\n')
    done = relationctl("import", "--server", server.address, str(file), "--verbose")
    plain(done, 1)


def test_names_of_apps_and_keys_are_plain(tmp_path):
    with Relationd(tmp_path / "data") as running:
        for command in (
            ["call", "CreateApp", json.dumps({"name": HOSTILE[:40]})],
            ["call", "ListApps"], ["status", "--pages", running.pages], ["connections", "--pages",
            running.pages], ["slow", "--pages", running.pages]):
            done = relationctl(*command, "--server", running.address)
            if done.returncode != 2:
                plain(done)


def test_columns_stand_below_each_other_beside_wide_letters(server, people):
    ann, bob, cat = people(3)
    people.set_profile(bob, nick="\u5f20\u4e09")
    people.set_profile(cat, nick="Cat")
    people.befriend(ann, bob)
    people.befriend(ann, cat)
    head, *rows = relationctl("graph", ann, "--server", server.address).stdout.splitlines()
    place = head.index("HAS")
    for row in rows:
        wide = sum(ord(letter) >= 0x4E00 for letter in row)
        assert row[place - wide:].startswith("yes"), rows


@pytest.mark.parametrize("nick, more", [
    ("\u5f20\u4e09", 2), ("\uff21b", 1), ("\ud55c\uae00", 2), ("\U0001f600", 1),
    ("\u2764\ufe0f", 0), ("\U0001f468\u200d\U0001f469\u200d\U0001f467", -3),
    ("\U0001f1e8\U0001f1f3", 0), ("e\u0301a\u0308", -2), ("\u0e01\u0e34", -1), ("Cat", 0),
])  # fmt: skip
def test_columns_stand_below_each_other_beside_pictures_and_marks(server, people, nick, more):
    """`more` is the places that the name takes beyond the number of its code points."""
    ann, bob = people(2)
    people.set_profile(bob, nick=nick)
    people.befriend(ann, bob)
    head, row = relationctl("graph", ann, "--server", server.address).stdout.splitlines()
    assert nick in row
    # The name is shorter than the head of its column, or as long.
    assert row[head.index("HAS") - more:].startswith("yes"), (head, row)
