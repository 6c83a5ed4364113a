"""`relationctl import`: files of friendships in three forms, and what became of their rows."""

import json
import os
import pty
import select
import subprocess
import sys
import time

import grpc
import pytest
from people import People
from relationd import Relationd, executable
from stubs import Relation
from test_relationctl import PEAK_OF_CHILD, relationctl

GROUP_LIMIT = 32
ROUNDS = 20


@pytest.fixture
def load(server, tmp_path):
    """Imports a file of this name and text: `load("a.csv", "…", "--columns", "…")`."""

    def run(name, text, *arguments):
        file = tmp_path / name
        file.write_text(text)
        return relationctl("import", "--server", server.address, str(file), *arguments)

    return run


def friends(people, user):
    return {row.user_id: row for row in people.relation(
        "ListFriends", user_id=user, page_size=100).friends}


def counts(done):
    """The accepted and refused rows of each stage."""
    found = {}
    for line in done.stdout.splitlines():
        name, _, words = line.partition(": ")
        accepted, _, refused, _ = words.split()
        found[name] = (int(accepted), int(refused))
    return found


# Forms


def test_the_columns_of_a_csv_fill_the_fields_of_their_names(load, people):
    ann, bob, cat = people(3)
    people.relation("DefineCustomFields", items=[
        {"owner": "CUSTOM_FIELD_OWNER_FRIEND", "key": "Note",
         "value_type": "CUSTOM_FIELD_TYPE_STRING"},
        {"owner": "CUSTOM_FIELD_OWNER_FRIEND", "key": "Level",
         "value_type": "CUSTOM_FIELD_TYPE_UINT64"},
    ])
    done = load("rows.csv", (
        "user_id,friend_user_id,both_ways,add_time_ms,remark,groups,source,wording,custom.Note,"
        "custom.Level.number\r\n"
        f'{ann},{bob},true,1700000000000,"Bob, the ""tall""\none",work;chess,Web,hello,n,7\r\n'
        f'{ann},{cat},no,,,"[""a;b""]",,,,\r\n'))
    assert done.returncode == 0, done.stderr
    assert counts(done) == {"users": (3, 0), "friendships": (2, 0)}
    rows = friends(people, ann)
    assert rows[bob].remark == 'Bob, the "tall"\none'
    assert set(rows[bob].groups) == {"work", "chess"} and list(rows[cat].groups) == ["a;b"]
    assert rows[bob].add_time_ms == 1_700_000_000_000
    assert (rows[bob].source, rows[bob].wording) == ("AddSource_Type_Web", "hello")
    custom = {value.key: value for value in rows[bob].custom}
    assert custom["Note"].text == "n" and custom["Level"].number == 7
    assert set(friends(people, bob)) == {ann} and friends(people, cat) == {}


def test_columns_of_other_names_are_named(load, people):
    ann, bob = people(2)
    text = f"\ufeffsince,from,to,note\n2020,{ann},{bob},Bobby\n"
    done = load("rows.csv", text, "--both-ways", "--columns",
                "user_id=from,friend_user_id=to,remark=note")
    assert done.returncode == 0, done.stderr
    assert friends(people, ann)[bob].remark == "Bobby"
    assert set(friends(people, bob)) == {ann}


def test_json_lines_are_rows_as_the_contract_has_them(load, people):
    ann, bob = people(2)
    row = {"user_id": ann, "friendUserId": bob, "remark": "B", "groups": {"values": ["x"]}}
    done = load("rows.jsonl", json.dumps(row) + "\n\n")
    assert done.returncode == 0, done.stderr
    assert friends(people, ann)[bob].remark == "B" and friends(people, bob) == {}


def test_the_form_may_be_said(load, people):
    ann, bob = people(2)
    done = load("rows.txt", f"user_id,friend_user_id\n{ann},{bob}\n", "--format", "csv")
    assert done.returncode == 0, done.stderr
    assert set(friends(people, ann)) == {bob}


@pytest.mark.parametrize("text, arguments, status, words", [
    ("user,friend_user_id\n", [], 1, "no field user: did you mean user_id or friend_user_id?"),
    ("user_id,zzzzzzzzz\n", [], 1, "no field zzzzzzzzz: the fields are user_id, friend_user_id"),
    ("user_id,remark\n", [], 1, "no column friend_user_id: name one with --columns"),
    ("user_id,user_id\n", [], 1, "two columns user_id"),
    ("", [], 1, "it has no line of columns"),
    ('"a', [], 1, "has a quote that no other quote ends"),
    # A word that is too long is compared with no other.
    ("remark" + "x" * 58, [], 1, "did you mean remark?"),
    ("remark" + "x" * 59, [], 1, "the fields are user_id, friend_user_id"),
    ('user_id,friend_user_id\na,"' + "x\n" * (1 << 19), [], 1, "is longer than 1048576 bytes"),
    ("user_id,friend_user_id\na,b\n" + "c\n" * 1_001, [], 1, "1000 lines before it are not rows"),
    ("c" + ",c" * 256, [], 1, "has 257 columns, and may have 256"),
    ("from,to\n", ["--columns", "user_id=form,friend_user_id=to"], 1,
     "no column form: did you mean from?"),
    ("from,to\n", ["--columns", "user_id=from,friend=to"], 64,
     "no field friend: did you mean friend_user_id?"),
    ("from,to\n", ["--columns", "user_id=from,user_id=to"], 64, "user_id has two columns"),
    ("from,to\n", ["--columns", "user_id"], 64, "write FIELD=COLUMN"),
    ("a b\n", ["--format", "edges", "--columns", "user_id=a"], 64, "--columns is for csv"),
    ("a b\n", ["--import-id", "x" * 57], 64, "--import-id takes 1 to 56 bytes"),
])  # fmt: skip
def test_columns_that_say_nothing_are_refused(load, text, arguments, status, words):
    done = load("rows.csv", text, *arguments)
    assert done.returncode == status and done.stdout == "", done.stderr
    assert words in done.stderr


@pytest.mark.parametrize("name, line, words", [
    ("a.csv", "x", "has 1 cells, and the first line has 4"),
    ("a.csv", "x,y,0,soon", "add_time_ms must be a time in milliseconds since 1970: it is soon"),
    ("a.csv", "x,y,perhaps,", "both_ways must be true or false: it is perhaps"),
    ("a.csv", "x,,,", "has no friend_user_id"),
    ("a.csv", 'x,"y"z,,', "has more after the quote that ends a cell"),
    ("a.csv", 'x,y"z,,', "has a quote in a cell that none begins"),
    ("a.jsonl", '{"user": "x"}', "must be a FriendRow in JSON: "),
    ("a.jsonl", "{", "must be a FriendRow in JSON: "),
    ("a.txt", "x", "must be two users with blanks or a tab between them"),
])  # fmt: skip
def test_a_line_that_is_no_row_is_named_and_kept(load, people, tmp_path, name, line, words):
    ann, bob = people(2)
    good = {
        "a.csv": f"user_id,friend_user_id,both_ways,add_time_ms\n{ann},{bob},,\n",
        "a.jsonl": json.dumps({"userId": ann, "friendUserId": bob}) + "\n",
        "a.txt": f"{ann} {bob}\n",
    }[name]
    refused = tmp_path / "refused.jsonl"
    done = load(name, good + line + "\n", "--refused", str(refused))
    number = good.count("\n") + 1
    assert done.returncode == 1
    assert f"{tmp_path / name}:{number}: " in done.stderr and words in done.stderr
    assert counts(done)["friendships"] == (1, 0)
    [kept] = map(json.loads, refused.read_text().splitlines())
    assert kept["text"] == line
    assert words in kept["refused"]["reason"]
    # Alone, such lines are not a list of friendships.
    head = good.splitlines(keepends=True)[0] if name == "a.csv" else ""
    done = load(name, head + line + "\n")
    assert done.returncode == 1 and done.stdout == ""
    assert "is not a list of friendships: " in done.stderr and words in done.stderr


def test_a_csv_that_is_no_text_is_refused(server, tmp_path):
    file = tmp_path / "rows.csv"
    file.write_bytes(b"user_id,friend_user_id\na,b\n\xff,b\n")
    done = relationctl("import", "--server", server.address, str(file))
    assert done.returncode == 1 and done.stdout == ""
    assert f"{file}:3: is not UTF-8" in done.stderr


# Dry runs and refusals


def test_a_dry_run_asks_no_server_and_writes_nothing(tmp_path):
    file = tmp_path / "rows.csv"
    file.write_text("user_id,friend_user_id,add_time_ms\na,b,1700000000000\na,a,\na,b,-1\n a,b,\na\n")
    done = relationctl("import", "--server", "127.0.0.1:1", "--dry-run", str(file))
    assert done.returncode == 1
    assert done.stdout == "dry run: 1 rows are good, 4 are not; nothing was written\n"
    for words in ["row 2: a would be its own friend", "row 3: add_time_ms is before 1970",
                  "row 4:  a is not a user's id", f"{file}:6: has 1 cells"]:
        assert words in done.stderr
    file.write_text("user_id,friend_user_id\na,b\n")
    done = relationctl("import", "--server", "127.0.0.1:1", "--dry-run", str(file))
    assert done.returncode == 0
    assert done.stdout == "dry run: 1 rows are good, 0 are not; nothing was written\n"
    done = relationctl("import", "--dry-run", "--refused", str(tmp_path / "r"), str(file))
    assert done.returncode == 64 and not (tmp_path / "r").exists()


def test_refused_rows_are_explained_in_one_line_kept_repaired_and_sent_again(
    load, people, tmp_path
):
    ann, *others = people(GROUP_LIMIT + 2)
    rows = [{"userId": ann, "friendUserId": other, "groups": {"values": [f"g{number}"]}}
            for number, other in enumerate(others)]
    rows.insert(3, {"userId": ann, "friendUserId": ann})
    text = "".join(json.dumps(row) + "\n" for row in rows)
    refused = tmp_path / "refused.jsonl"
    done = load("rows.jsonl", text, "--refused", str(refused), "--fail-on-refused")
    assert done.returncode == 5
    assert counts(done)["friendships"] == (GROUP_LIMIT, 2)
    [line] = [line for line in done.stderr.splitlines() if "refused" in line]
    assert line == (
        "friendships: 2 of 34 rows were refused: 1 because a field is malformed, or a user is its "
        "own friend (30001), 1 because the user would have more groups than the app allows "
        f"(30011); {refused} has them")
    assert refused.stat().st_mode & 0o777 == 0o600
    kept = [json.loads(line) for line in refused.read_text().splitlines()]
    assert [row["refused"]["row"] for row in kept] == [4, 34]
    assert [row["refused"]["code"] for row in kept] == [30001, 30011]
    assert kept[1]["groups"] == {"values": ["g32"]} and kept[1]["friendUserId"] == others[-1]
    kept[0]["friendUserId"], kept[1]["groups"] = others[0], {"values": ["g0"]}
    done = load("repaired.jsonl", "".join(json.dumps(row) + "\n" for row in kept))
    assert done.returncode == 0 and counts(done)["friendships"] == (2, 0)
    assert len(friends(people, ann)) == GROUP_LIMIT + 1


def test_refused_circles_are_kept_too(load, people, tmp_path):
    ann, *others = people(GROUP_LIMIT + 2)
    circles, refused = tmp_path / "circles.tsv", tmp_path / "refused.jsonl"
    circles.write_text("".join(
        f"{ann}\tc{number}\t{other}\n" for number, other in enumerate(others)))
    done = load("rows.txt", "".join(f"{ann} {other}\n" for other in others),
                "--circles", str(circles), "--refused", str(refused))
    assert done.returncode == 0, done.stderr
    assert counts(done)["circle members"] == (GROUP_LIMIT, 1)
    [kept] = map(json.loads, refused.read_text().splitlines())
    assert kept["groups"] == {"values": ["c32"]} and kept["friendUserId"] == others[-1]
    assert kept["refused"]["row"] == GROUP_LIMIT + 1 and kept["refused"]["code"] == 30011
    kept["groups"] = {"values": ["c0"]}
    done = load("repaired.jsonl", json.dumps(kept) + "\n")
    assert done.returncode == 0 and counts(done)["friendships"] == (1, 0)
    assert list(friends(people, ann)[others[-1]].groups) == ["c0"]


def test_each_refused_row_has_a_line_if_asked(load, people):
    ann, = people(1)
    text = f"user_id,friend_user_id\n{ann},{ann}\n"
    done = load("rows.csv", text)
    assert done.returncode == 0
    assert "row 1" not in done.stderr
    assert "--verbose names each, --refused FILE keeps them" in done.stderr
    done = load("rows.csv", text, "--verbose")
    assert f"friendships: row 1 (user {ann}): 30001 FRIEND_STATUS_" in done.stderr


# Going on


def test_a_file_that_was_imported_is_imported_again_in_full(load, people):
    ann, bob = people(2)
    text = f"{ann} {bob}\n"
    for _ in range(3):
        done = load("rows.txt", text)
        assert done.returncode == 0 and "goes on" not in done.stderr
        assert set(friends(people, ann)) == {bob}
        people.relation("DeleteFriends", user_id=ann, user_ids=[bob])
    for _ in range(2):
        done = load("rows.txt", text, "--import-id", f"once-{ann}")
        assert done.returncode == 0
    # The name is done, so the second time nothing is sent.
    assert "friendships: goes on after row 1" in done.stderr


def test_a_file_is_imported_anew_so_many_times(load, people):
    ann, bob = people(2)
    for _ in range(ROUNDS):
        assert load("rows.txt", f"{ann} {bob}\n").returncode == 0
    done = load("rows.txt", f"{ann} {bob}\n")
    assert done.returncode == 1 and done.stdout == ""
    assert f"imported {ROUNDS} times in the last days: name this import" in done.stderr
    assert load("rows.txt", f"{ann} {bob}\n", "--import-id", "more").returncode == 0


def test_an_import_that_broke_goes_on_where_it_stood(stubs, tmp_path):
    file = tmp_path / "rows.csv"
    count = 60_000
    with open(file, "w") as out:
        out.write("user_id,friend_user_id\n")
        for number in range(count):
            # One row of a thousand is refused.
            other = f"u{number % 50}" if number % 1_000 == 0 else f"f{number % 700}"
            out.write(f"u{number % 50},{other}\n")
    refused = tmp_path / "refused.jsonl"
    with Relationd(tmp_path / "data") as first:
        command = [executable("relationctl"), "import", str(file), "--refused", str(refused),
                   "--server", first.address]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True) as importing:
            line = "."
            while line and not line.startswith("friendships: 1"):
                line = importing.stderr.readline()
            assert line
            first.kill()
            _, errors = importing.communicate(timeout=60)
        assert importing.returncode == 3, errors
    with Relationd(tmp_path / "data") as second:
        command[-1] = second.address
        done = subprocess.run(command, capture_output=True, text=True, timeout=240)
        assert done.returncode == 0, done.stderr
        [line] = [line for line in done.stderr.splitlines() if line.startswith("friendships: goes")]
        stood = int(line.rpartition(" ")[2])
        assert 0 < stood < count
        assert counts(done)["friendships"] == (count - count // 1_000, count // 1_000)
        with grpc.insecure_channel(second.address) as channel:
            relation = Relation(stubs, channel)
            assert len(friends(People(relation), "u1")) == 14
    rows = [json.loads(line)["refused"]["row"] for line in refused.read_text().splitlines()]
    # Refusals that were on their way when the server was killed may be missing; none is wrong.
    assert {row % 1_000 for row in rows} == {1}
    assert {row for row in range(1, count, 1_000) if row > stood} <= set(rows)


def test_an_error_is_not_written_into_the_bar(tmp_path):
    file = tmp_path / "rows.txt"
    file.write_text("".join(f"u{number % 50} f{number % 700}\n" for number in range(60_000)))
    shown = b""
    with Relationd(tmp_path / "data") as running:
        leader, follower = pty.openpty()
        with subprocess.Popen(
            [executable("relationctl"), "import", str(file), "--server", running.address],
            stdout=follower, stderr=follower,
        ) as importing:
            os.close(follower)
            killed, end = False, time.monotonic() + 120
            while time.monotonic() < end and select.select([leader], [], [], 60)[0]:
                try:
                    part = os.read(leader, 65_536)
                except OSError:
                    break
                shown += part
                if not killed and b"friendships \xe2\x96" in shown:
                    running.kill()
                    killed = True
        os.close(leader)
    assert killed and importing.returncode == 3
    # A terminal shows of a line what stands behind the last return to its beginning.
    lines = [line.rpartition("\x1b[K")[2] for line in shown.decode().split("\r\n")]
    [error] = [line for line in lines if "Error: " in line]
    assert error.startswith("Error: UNAVAILABLE")
    assert not any("░" in line and "rror" in line for line in lines)


# Memory


@pytest.mark.parametrize("name, most", [
    ("rows.csv", 300_000), ("rows.jsonl", 100_000), ("rows.txt", 300_000),
])  # fmt: skip
def test_memory_does_not_grow_with_the_rows(name, most, server, tmp_path):
    file = tmp_path / name
    kibibytes = []
    for count in [3_000, most]:
        with open(file, "w") as out:
            if name == "rows.csv":
                out.write("user_id,friend_user_id,remark\n")
            for number in range(count):
                pair = f"a{number % 300}", f"b{number % 700}"
                out.write({
                    "rows.csv": '%s,%s,"a remark"\n',
                    "rows.jsonl": '{"userId":"%s","friendUserId":"%s"}\n',
                    "rows.txt": "%s %s\n",
                }[name] % pair)
        arguments = ["--dry-run"] if name != "rows.csv" else [
            "--server", server.address, "--refused", str(tmp_path / "refused.jsonl")]
        kibibytes.append(int(subprocess.check_output(
            [sys.executable, "-c", PEAK_OF_CHILD, executable("relationctl"), "import",
             str(file), *arguments], text=True, timeout=600)))
    assert kibibytes[1] - kibibytes[0] < 8_000, kibibytes
