"""`relationctl migrate openim` reads a dump of OpenIM's database into a file that import-app takes."""

import gzip
import json
import struct
import subprocess
from datetime import UTC, datetime

import pytest
from people import People
from relationd import executable
from test_app_import import exported

BASE = 1_600_000_000_000


def date(milliseconds):
    """A date as mongoexport writes it."""
    moment = datetime.fromtimestamp(milliseconds / 1000, UTC)
    return {"$date": moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")}


def user(name, **fields):
    return {
        "user_id": name, "nickname": name.title(), "face_url": "", "ex": "",
        "app_manger_level": 1, "global_recv_msg_opt": 0, "create_time": date(BASE), **fields,
    }  # fmt: skip


def friend(owner, other, **fields):
    return {
        "owner_user_id": owner, "friend_user_id": other, "remark": "",
        "create_time": date(BASE + 1), "add_source": 2, "operator_user_id": owner, "ex": "",
        "is_pinned": False, **fields,
    }  # fmt: skip


def black(owner, other, **fields):
    return {"owner_user_id": owner, "block_user_id": other, "create_time": date(BASE + 2), **fields}


def request(applicant, asked, **fields):
    return {
        "from_user_id": applicant, "to_user_id": asked, "handle_result": 0, "req_msg": "hello",
        "create_time": date(BASE + 3), "handle_time": date(0), **fields,
    }  # fmt: skip


def collections():
    return {
        "user": [user("bob"), user("ann", ex="x", global_recv_msg_opt=1), user("Zoe"), user("eve")],
        "friend": [
            friend("bob", "ann", remark="Annie", ex="y"), friend("ann", "bob", is_pinned=True),
            friend("ann", "Zoe", add_source=1), friend("ann", "eve")],
        "black": [black("ann", "eve"), black("ann", "Zoe")],
        "friend_request": [
            request("bob", "eve"), request("Zoe", "bob"), request("Zoe", "eve", handle_result=-1)],
    }  # fmt: skip


def bson(value):
    """A document of BSON, with the types of OpenIM's fields."""
    body = b""
    for key, member in value.items():
        name = key.encode() + b"\0"
        if isinstance(member, bool):
            body += b"\x08" + name + bytes([member])
        elif isinstance(member, int):
            body += b"\x10" + name + struct.pack("<i", member)
        elif isinstance(member, dict):
            moment = datetime.fromisoformat(member["$date"])
            body += b"\x09" + name + struct.pack("<q", round(moment.timestamp() * 1000))
        else:
            text = member.encode() + b"\0"
            body += b"\x02" + name + struct.pack("<i", len(text)) + text
    body = b"\x07_id\0" + bytes(range(12)) + body
    return struct.pack("<i", len(body) + 5) + body + b"\0"


def written(folder, dump, form):
    folder.mkdir(exist_ok=True)
    for name, documents in dump.items():
        text = b"".join(
            bson(each) if form == "bson" else json.dumps(each).encode() + b"\n"
            for each in documents)
        (folder / f"{name}.{form}").write_bytes(text)
    return folder


def migrate(folder, *options, to=None):
    place = ["--to", str(to)] if to else ["--dry-run"]
    return subprocess.run(
        [executable("relationctl"), "migrate", "openim", str(folder), *place, *options],
        capture_output=True, text=True, timeout=60, check=False)  # fmt: skip


EX = ["--user-ex", "Ex", "--friend-ex", "Ex"]


@pytest.mark.parametrize("form", ["json", "bson"])
def test_a_dump_comes_over_whole(relation, server, tmp_path, form):
    folder = written(tmp_path / "dump", collections(), form)
    file = tmp_path / "app.jsonl"
    done = migrate(folder, *EX, to=file)
    assert done.returncode == 0, done.stderr
    app = relation("CreateApp").app.app_id
    read = subprocess.run(
        [executable("relationctl"), "import-app", "--from", str(file), "--server", server.address,
         "--app", str(app)],
        capture_output=True, text=True, timeout=60, check=False)  # fmt: skip
    assert read.returncode == 0, read.stderr
    copy = relation.in_app(app)
    found = {}
    for message in exported(copy):
        kind = message.WhichOneof("row")
        found.setdefault(kind, []).append(getattr(message, kind))
    assert [(row.user_id, row.create_time_ms) for row in found["account"]] == [
        (name, BASE) for name in ("Zoe", "ann", "bob", "eve")]
    ann = copy("GetSelfProfile", user_id="ann").profile
    assert (ann.nick, ann.msg_settings, ann.custom[0].text) == ("Ann", 1, "x")
    friends = copy("ListFriends", user_id="ann").friends
    assert [(row.user_id, row.pin_order, row.source, row.add_time_ms) for row in friends] == [
        ("Zoe", 0, "AddSource_Type_Import", BASE + 1), ("bob", 1, "AddSource_Type_Apply", BASE + 1),
        ("eve", 0, "AddSource_Type_Apply", BASE + 1)]
    [annie] = copy("ListFriends", user_id="bob").friends
    assert (annie.remark, annie.custom[0].text) == ("Annie", "y")
    entries = copy("ListBlacklist", user_id="ann").entries
    assert {(row.user_id, row.add_time_ms) for row in entries} == {
        ("eve", BASE + 2), ("Zoe", BASE + 2)}
    # Bob has two applications, of which no two have the same time.
    waiting = copy("ListPendencies", user_id="bob", pendency_type=3, num_per_page=10).pendencies
    times = {row.add_time_ms for row in waiting}
    assert times == {BASE + 3, BASE + 4}
    People(copy).respond("eve", "bob", 1)
    assert copy("ListFriends", user_id="bob").total_size == 2
    assert copy("GetApp").app.settings.keeps_friendship_on_blacklist


def test_what_an_export_cannot_hold_is_reported(tmp_path):
    dump = collections()
    dump["user"] += [user("ann"), user("naïve"), user("long", nickname="n" * 1_025),
                     user("mute", global_recv_msg_opt=2)]
    dump["friend"] += [friend("ann", "gone"), friend("gone", "ann"), friend("ann", "ann")]
    dump["friend_request"] += [request("ann", "gone"), request("ann", "eve", req_msg="w" * 257)]
    folder = written(tmp_path / "dump", dump, "json")
    report = tmp_path / "report"
    done = migrate(folder, "--report", str(report))
    assert done.returncode == 5, done.stderr
    told = {(line["user"], line["kind"], line.get("other", ""), line.get("field", ""))
            for line in map(json.loads, report.read_text().splitlines())}  # fmt: skip
    assert told == {
        ("ann", "account", "", "user_id"), ("naïve", "account", "", ""),
        ("long", "profile", "", "nickname"), ("mute", "profile", "", "global_recv_msg_opt"),
        ("ann", "profile", "", "ex"), ("bob", "friend", "ann", "ex"),
        ("ann", "friend", "gone", ""), ("gone", "friend", "ann", ""), ("ann", "friend", "ann", ""),
        ("ann", "application", "gone", ""), ("ann", "application", "eve", "req_msg"),
    }  # fmt: skip


@pytest.mark.parametrize(("form", "spoil", "words"), [
    ("json", lambda bytes: b"[" + bytes, "without --jsonArray"),
    ("json", lambda bytes: bytes[:-5], "is cut off at line 4"),
    ("json", lambda bytes: bytes.replace(b"Annie", b"Ann\xff"), "line 1 is not UTF-8"),
    ("json", lambda bytes: bytes.replace(b"Annie", b'Ann"'), "line 1 is not a document of JSON"),
    ("json", lambda bytes: bytes.decode().encode("utf-16"), "is text in UTF-16"),
    ("json", lambda bytes: gzip.compress(bytes, mtime=0), "is packed by gzip: unpack it first"),
    ("bson", lambda bytes: gzip.compress(bytes, mtime=0), "is packed by gzip: unpack it first"),
    ("bson", lambda bytes: bytes[:-5], "is cut off"),
    ("bson", lambda bytes: b"\xff\xff\xff\x7f" + bytes, "begins no document of BSON"),
    ("bson", lambda bytes: bytes.replace(b"\x02ex\0", b"\x55ex\0"), "begins no document"),
    ("bson", lambda bytes: bytes.replace(b"\x02ex\0\x01", b"\x02ex\0\xff"), "begins no document"),
])  # fmt: skip
def test_a_file_that_is_no_dump_is_named(tmp_path, form, spoil, words):
    folder = written(tmp_path / "dump", collections(), form)
    file = folder / f"friend.{form}"
    file.write_bytes(spoil(file.read_bytes()))
    done = migrate(folder)
    assert done.returncode == 1 and f"friend.{form}" in done.stderr and words in done.stderr


def rows(folder, to):
    """The rows of users that a dump becomes."""
    done = migrate(folder, *EX, to=to)
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in to.read_text().splitlines()]
    return [line for line in lines if not line.keys() & {"app", "customField", "point"}]


def distinct():
    """Collections of which no two applications have one time: the order of the file sets none."""
    dump = collections()
    dump["friend_request"][1]["create_time"] = date(BASE + 50)
    return dump


@pytest.mark.parametrize("spoil", [
    lambda bytes: b"\xef\xbb\xbf" + bytes, lambda bytes: bytes.replace(b"\n", b"\r\n"),
    lambda bytes: b"\n \t\r\n" + bytes.replace(b"\n", b"\n\n"), lambda bytes: bytes[:-1],
    lambda bytes: b"".join(sorted(bytes.splitlines(True))),
    lambda bytes: b"".join(reversed(bytes.splitlines(True))),
    lambda bytes: bytes.replace(b"{", b'{"more": {"a": [1, {"b": null}]}, ', 1),
    lambda bytes: bytes.replace(b', "', b'\t,\t"'),
], ids=["mark", "crlf", "blank", "no end", "sorted", "reversed", "unknown", "spaces"])
def test_a_dump_in_another_hand_is_the_same(tmp_path, spoil):
    folder = written(tmp_path / "dump", distinct(), "json")
    wanted = rows(folder, tmp_path / "wanted")
    for file in folder.iterdir():
        file.write_bytes(spoil(file.read_bytes()))
    assert rows(folder, tmp_path / "found") == wanted


@pytest.mark.parametrize("form", ["json", "bson"])
def test_documents_in_any_order_and_more_of_them_than_fields_are_the_same(tmp_path, form):
    wanted = rows(written(tmp_path / "dump", distinct(), form), tmp_path / "wanted")
    other = {
        name: [{"_more": "x", **dict(reversed(each.items()))} for each in reversed(documents)]
        for name, documents in distinct().items()}
    assert rows(written(tmp_path / "other", other, form), tmp_path / "found") == wanted


@pytest.mark.parametrize("form", ["json", "bson"])
def test_an_empty_collection_has_no_rows(tmp_path, form):
    dump = {**collections(), "friend": [], "black": [], "friend_request": []}
    found = rows(written(tmp_path / "dump", dump, form), tmp_path / "to")
    kinds = {next(iter(row)) for row in found}
    assert kinds == {"account", "profile"}


@pytest.mark.parametrize("form", ["json", "bson"])
def test_of_documents_that_come_twice_the_first_counts(relation, server, tmp_path, form):
    dump = collections()
    dump["user"].append(user("ann", nickname="Other"))
    dump["friend"].append(friend("bob", "ann", remark="Other"))
    dump["black"].append(black("ann", "eve"))
    dump["friend_request"] += [request("bob", "eve", req_msg="other"), request("eve", "bob")]
    report, to = tmp_path / "report", tmp_path / "to"
    folder = written(tmp_path / "dump", dump, form)
    done = migrate(folder, *EX, "--report", str(report), to=to)
    assert done.returncode == 5, done.stderr
    told = sorted((line["kind"], line["user"], line.get("other", ""))
                  for line in map(json.loads, report.read_text().splitlines()))  # fmt: skip
    assert told == [
        ("account", "ann", ""), ("application", "bob", "eve"), ("application", "eve", "bob"),
        ("blacklist", "ann", "eve"), ("friend", "bob", "ann")]
    text = to.read_text()
    assert "Other" not in text and "other" not in text.replace('"other"', "")
    app = relation("CreateApp").app.app_id
    imported = subprocess.run(
        [executable("relationctl"), "import-app", "--server", server.address, "--app", str(app),
         "--from", str(to)], capture_output=True, text=True, timeout=60, check=False)  # fmt: skip
    assert imported.returncode == 0 and ", 0 refused" in imported.stdout, imported.stderr


def test_the_collections_of_users_and_friends_must_be_there(tmp_path):
    folder = written(tmp_path / "dump", collections(), "json")
    (folder / "black.json").unlink()
    done = migrate(folder, *EX)
    assert done.returncode == 0 and "has no collection black" in done.stderr
    (folder / "friend.json").unlink()
    assert migrate(folder).returncode == 1


TIMES = {
    "null": None, "a text": "yesterday", "before 1970": {"$date": "1969-12-31T23:59:59Z"},
    "too late": {"$date": {"$numberLong": "253402300800000"}}, "a number": 5,
}  # fmt: skip


@pytest.mark.parametrize("what", TIMES)
def test_a_time_that_is_none_is_reported(tmp_path, what):
    bad = {"create_time": TIMES[what]}
    dump = {
        "user": [user("ann", **bad), user("bob")],
        "friend": [friend("ann", "bob", **bad), friend("bob", "ann")],
        "black": [black("ann", "bob", **bad)],
        "friend_request": [request("ann", "bob", handle_result=0, **bad)],
    }  # fmt: skip
    folder = tmp_path / "dump"
    written(folder, dump, "json")
    report = tmp_path / "report"
    done = migrate(folder, "--report", str(report), to=tmp_path / "app.jsonl")
    assert done.returncode == 5, done.stderr
    told = [json.loads(line) for line in report.read_text().splitlines()]
    assert {(line["user"], line["kind"], line["field"], line["rule"]) for line in told} == {
        ("ann", kind, "create_time", "is missing, or not a time since 1970")
        for kind in ("account", "friend", "blacklist", "application")}  # fmt: skip


def test_a_collection_is_one_file(tmp_path):
    written(tmp_path, {"user": [user("ann")], "friend": []}, "json")
    (tmp_path / "user.bson").write_bytes(b"")
    done = migrate(tmp_path, to=tmp_path / "app.jsonl")
    assert done.returncode == 1, done.stderr
    assert "has user.bson and user.json: leave one of them" in done.stderr
    assert not (tmp_path / "app.jsonl.part").exists()


def test_a_dump_has_a_user(tmp_path):
    written(tmp_path, {"user": [], "friend": []}, "json")
    done = migrate(tmp_path, to=tmp_path / "app.jsonl")
    assert done.returncode == 1 and "the dump has no user" in done.stderr, done.stderr
    assert not (tmp_path / "app.jsonl.part").exists()


@pytest.mark.parametrize(("named", "kept"), [("", "from OpenIM"), ("the export's", "the export's")])
def test_an_import_without_a_name_leaves_that_of_the_app(
    relation, server, tmp_path, named, kept
):  # fmt: skip
    file = tmp_path / "app.jsonl"
    assert migrate(written(tmp_path / "dump", collections(), "bson"), *EX, to=file).returncode == 0
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    [row] = [line["app"] for line in lines if "app" in line]
    assert "name" not in row
    if named:
        row["name"] = named
        file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    app = relation("CreateApp", name="from OpenIM").app.app_id
    done = subprocess.run(
        [executable("relationctl"), "import-app", "--from", str(file), "--server", server.address,
         "--app", str(app)],
        capture_output=True, text=True, timeout=60, check=False)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert relation.in_app(app)("GetApp").app.name == kept
