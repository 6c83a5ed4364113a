"""`relationctl migrate nakama` reads tables of Nakama's database into a file for import-app."""

import csv
import json
import subprocess
import uuid

import pytest
from people import People
from relationd import executable
from test_app_import import exported

BASE = 1_600_000_000_000
ANN, BOB, EVE, ZOE = (str(uuid.UUID(int=number)) for number in (1, 2, 3, 4))
SYSTEM = str(uuid.UUID(int=0))
FRIEND, SENT, RECEIVED, BLOCKED = range(4)


def at(milliseconds):
    """A time as PostgreSQL writes it, in a server that is an hour and a half east of Greenwich."""
    seconds, rest = divmod(milliseconds + 5_400_000, 1000)
    day, second = divmod(seconds, 86_400)
    assert day == BASE // 86_400_000, "the tests stay within a day"
    hour, minute = divmod(second // 60, 60)
    return f"2020-09-13 {hour:02}:{minute:02}:{second % 60:02}.{rest:03}456+01:30"


def user(number, name, **fields):
    return {
        "id": number, "username": name, "display_name": name.title(), "avatar_url": "",
        "lang_tag": "en", "location": "", "timezone": "", "metadata": "{}", "wallet": '{"gold": 1}',
        "create_time": at(BASE), "disable_time": "1970-01-01 00:00:00-05", **fields,
    }  # fmt: skip


def edge(source, state, destination, time=BASE + 1, metadata="{}"):
    return {
        "source_id": source, "position": time * 1_000_000, "update_time": at(time),
        "destination_id": destination, "state": state, "metadata": metadata,
    }  # fmt: skip


def tables():
    return {
        "users": [
            user(BOB, "bob"), user(SYSTEM, "", display_name=""), user(ZOE, "zoe"),
            user(ANN, "ann", avatar_url="http://faces/ann", location="Bath, \"UK\"\nGB",
                 timezone="Europe/London", metadata='{"rank": "a, b"}'),
            user(EVE, "eve", lang_tag="")],
        "user_edge": [
            edge(ANN, FRIEND, BOB, metadata='{"met": 1}'), edge(BOB, FRIEND, ANN),
            edge(ANN, BLOCKED, EVE, BASE + 2),
            edge(ZOE, SENT, ANN, BASE + 3), edge(ANN, RECEIVED, ZOE, BASE + 3),
            edge(BOB, SENT, ZOE, BASE + 3), edge(ZOE, RECEIVED, BOB, BASE + 3),
            edge(EVE, 5, BOB)],
    }  # fmt: skip


def written(folder, dump, end="\n"):
    folder.mkdir(exist_ok=True)
    for name, rows in dump.items():
        with (folder / f"{name}.csv").open("w", newline="") as file:
            table = csv.DictWriter(file, rows[0], lineterminator=end)
            table.writeheader()
            table.writerows(rows)
    return folder


def migrate(folder, *options, to=None):
    place = ["--to", str(to)] if to else ["--dry-run"]
    return subprocess.run(
        [executable("relationctl"), "migrate", "nakama", str(folder), *place, *options],
        capture_output=True, text=True, timeout=60, check=False)  # fmt: skip


FIELDS = ["--user-metadata", "Meta", "--user-timezone", "Zone", "--friend-metadata", "Meta"]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_tables_come_over_whole(relation, server, tmp_path, end):
    folder = written(tmp_path / "tables", tables(), end)
    file = tmp_path / "app.jsonl"
    done = migrate(folder, *FIELDS, to=file)
    assert done.returncode == 0, done.stderr
    app = relation("CreateApp").app.app_id
    read = subprocess.run(
        [executable("relationctl"), "import-app", "--from", str(file), "--server", server.address,
         "--app", str(app)],
        capture_output=True, text=True, timeout=60, check=False)  # fmt: skip
    assert read.returncode == 0, read.stderr
    copy = relation.in_app(app)
    accounts = [message.account for message in exported(copy)
                if message.WhichOneof("row") == "account"]  # fmt: skip
    assert [(row.user_id, row.create_time_ms) for row in accounts] == [
        (name, BASE) for name in (ANN, BOB, EVE, ZOE)]
    ann = copy("GetSelfProfile", user_id=ANN).profile
    assert (ann.username, ann.nick, ann.face_url, ann.locale, ann.location_text) == (
        "ann", "Ann", "http://faces/ann", "en", f'Bath, "UK"{chr(10)}GB')
    assert {value.key: value.text for value in ann.custom} == {
        "Meta": '{"rank": "a, b"}', "Zone": "Europe/London"}
    [bob] = copy("ListFriends", user_id=ANN).friends
    assert (bob.user_id, bob.add_time_ms, bob.custom[0].text) == (BOB, BASE + 1, '{"met": 1}')
    assert copy("ListFriends", user_id=BOB).total_size == 1
    [entry] = copy("ListBlacklist", user_id=ANN).entries
    assert (entry.user_id, entry.add_time_ms) == (EVE, BASE + 2)
    # Zoe has two applications, of which no two have the same time.
    waiting = copy("ListPendencies", user_id=ZOE, pendency_type=3, num_per_page=10).pendencies
    assert {row.add_time_ms for row in waiting} == {BASE + 3, BASE + 4}
    People(copy).respond(ANN, ZOE, 1)
    assert copy("ListFriends", user_id=ZOE).total_size == 1
    assert not copy("GetApp").app.settings.keeps_friendship_on_blacklist


def test_what_an_export_cannot_hold_is_reported(tmp_path):
    dump = tables()
    dump["users"] += [
        user(ANN, "twin"), user("naïve", "x"), user("long", "x", display_name="n" * 1_025),
        user("far", "x", location="l" * 257, lang_tag="t" * 36), user("out", "x", disable_time=at(BASE))]
    dump["user_edge"] += [
        edge(ANN, FRIEND, "unknown"), edge("unknown", BLOCKED, ANN), edge(EVE, FRIEND, EVE),
        edge(EVE, SENT, ZOE), edge(EVE, 9, BOB), edge("long", SENT, BOB, metadata='{"a": 1}'),
        edge(BOB, RECEIVED, "long")]
    folder = written(tmp_path / "tables", dump)
    report = tmp_path / "report"
    done = migrate(folder, "--report", str(report))
    assert done.returncode == 5, done.stderr
    told = {(line["user"], line["kind"], line.get("other", ""), line.get("field", ""))
            for line in map(json.loads, report.read_text().splitlines())}  # fmt: skip
    assert told == {
        (ANN, "account", "", "id"), ("naïve", "account", "", ""),
        ("long", "profile", "", "display_name"), ("far", "profile", "", "location"),
        ("far", "profile", "", "lang_tag"),
        ("out", "account", "", "disable_time"),
        (ANN, "profile", "", "metadata"), (ANN, "profile", "", "timezone"),
        (ANN, "friend", BOB, "metadata"), (ANN, "friend", "unknown", ""),
        ("unknown", "blacklist", ANN, ""), (EVE, "friend", EVE, ""), (EVE, "application", ZOE, ""),
        (EVE, "friend", BOB, ""), ("long", "application", BOB, "metadata"),
    }  # fmt: skip


@pytest.mark.parametrize(("name", "spoil", "words"), [
    ("users", lambda text: text.replace("username", "name", 1), "has no column username"),
    ("users", lambda text: "", "has no column id"),
    ("user_edge", lambda text: text.replace("state", "status", 1), "has no column state"),
    ("user_edge", lambda text: text + "one,two\n", "line 10 is not a line of 6 cells"),
    ("user_edge", lambda text: text + 'a,b"c,d,e,f,g\n', "is cut off"),
    ("user_edge", lambda text: text + 'a,"b"c,d,e,f,g\n', "line 10 is not a line of 6 cells"),
    ("users", lambda text: text + '"', "is cut off at line 8"),
    # Within a row, within its last value, and in a row that has all cells.
    ("users", lambda text: text[:-30], "is cut off at line 7"),
    ("users", lambda text: text[:-3], "is cut off at line 7"),
    ("user_edge", lambda text: text[:-1], "is cut off at line 9"),
    ("users", lambda text: text[:text.index('GB"')], "is cut off at line 5"),
])  # fmt: skip
def test_a_file_that_is_no_table_is_named(tmp_path, name, spoil, words):
    folder = written(tmp_path / "tables", tables())
    file = folder / f"{name}.csv"
    file.write_text(spoil(file.read_text()))
    done = migrate(folder)
    assert done.returncode == 1, done.stderr
    assert f"{name}.csv" in done.stderr and words in done.stderr, done.stderr


def test_both_tables_and_two_fields_must_be_there(tmp_path):
    folder = written(tmp_path / "tables", tables())
    assert migrate(folder, *FIELDS).returncode == 0
    done = migrate(folder, "--user-metadata", "Same", "--user-timezone", "Same")
    assert done.returncode != 0 and "two fields" in done.stderr
    assert migrate(folder, "--user-metadata", "no key").returncode != 0
    (folder / "user_edge.csv").unlink()
    done = migrate(folder)
    assert done.returncode == 1 and "user_edge.csv" in done.stderr
