"""Files of commands that are streams, or come from elsewhere: pipes, marks, separators, times."""

import json
import os
import subprocess
import threading

import pytest
from relationd import Relationd, executable
from test_ctl_import import counts, friends
from test_relationctl import relationctl

MARK = "\ufeff"


@pytest.fixture
def fed(server):
    """Runs a command whose standard input has these bytes."""

    def run(text, *arguments, **more):
        bytes_ = text if isinstance(text, bytes) else text.encode()
        done = subprocess.run(
            [executable("relationctl"), *map(str, arguments), "--server", server.address],
            input=bytes_, capture_output=True, timeout=60, **more)
        return subprocess.CompletedProcess(
            done.args, done.returncode, done.stdout.decode(), done.stderr.decode())

    return run


@pytest.fixture
def load(server, tmp_path):
    """Imports a file of this name and these bytes."""

    def run(name, text, *arguments):
        file = tmp_path / name
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return relationctl("import", "--server", server.address, str(file), *arguments)

    return run


# Streams


@pytest.mark.parametrize("path", ["-", "/dev/stdin", "/dev/fd/0"])
@pytest.mark.parametrize("form", ["edges", "csv", "jsonl"])
def test_an_import_reads_a_stream_as_it_reads_a_file(fed, people, path, form):
    ann, bob = people(2)
    text = {
        "edges": f"{ann} {bob}\n",
        "csv": f"user_id,friend_user_id,both_ways\n{ann},{bob},true\n",
        "jsonl": json.dumps({"userId": ann, "friendUserId": bob, "bothWays": True}) + "\n",
    }[form]
    done = fed(text, "import", path, "--format", form)
    assert done.returncode == 0, done.stderr
    assert counts(done) == {"users": (2, 0), "friendships": (1, 0)}
    assert set(friends(people, ann)) == {bob} and set(friends(people, bob)) == {ann}


def test_circles_and_refused_rows_come_from_streams_too(fed, people, tmp_path):
    ann, bob = people(2)
    pairs, refused = tmp_path / "pairs.txt", tmp_path / "refused.jsonl"
    pairs.write_text(f"{ann} {bob}\n")
    done = fed(f"{ann}\thome\t{bob}\n{ann}\tself\t{ann}\n", "import", pairs, "--circles", "-",
               "--refused", refused)
    assert done.returncode == 0, done.stderr
    assert counts(done)["circle members"] == (1, 1)
    [kept] = map(json.loads, refused.read_text().splitlines())
    assert kept["friendUserId"] == ann and kept["groups"] == {"values": ["self"]}


def test_a_pipe_with_a_name_is_read_once(server, people, tmp_path):
    ann, bob = people(2)
    pipe = tmp_path / "pairs"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(f"{ann} {bob}\n",))
    writer.start()
    done = relationctl("import", "--server", server.address, str(pipe))
    writer.join()
    assert done.returncode == 0, done.stderr
    assert counts(done)["friendships"] == (1, 0)


def test_a_stream_leaves_no_file_behind(fed, people, tmp_path):
    ann, bob = people(2)
    done = fed(f"{ann} {bob}\n", "import", "-", env={**os.environ, "TMPDIR": str(tmp_path)})
    assert done.returncode == 0 and list(tmp_path.iterdir()) == []
    gone = tmp_path / "none"
    done = fed(f"{ann} {bob}\n", "import", "-", env={**os.environ, "TMPDIR": str(gone)})
    assert done.returncode == 1 and f"cannot be kept in {gone}: " in done.stderr


@pytest.mark.parametrize("text", ["", "\n\n", "# nothing\n", MARK])
@pytest.mark.parametrize("path", ["-", "file"])
def test_a_file_without_a_row_is_told(fed, load, text, path):
    done = fed(text, "import", "-") if path == "-" else load("pairs.txt", text)
    assert done.returncode == 1 and done.stdout == ""
    assert "has no row, so nothing is imported" in done.stderr


def test_standard_input_is_one_file(fed):
    done = fed("a b\n", "import", "-", "--circles", "-")
    assert done.returncode == 1 and "standard input can be read only once" in done.stderr
    done = fed("{}", "call", "ImportAccounts", "-", "-")
    assert done.returncode == 1 and "standard input can be read only once" in done.stderr


def test_a_call_without_requests_is_told(fed):
    done = fed("", "call", "ImportAccounts", "-")
    assert done.returncode == 64 and "gets no request" in done.stderr


def test_requests_of_windows_are_lines(fed, people):
    one, two = people.unknown_user(), people.unknown_user()
    text = "".join(json.dumps({"row": {"user_id": user}}) + "\r\n" for user in (one, two))
    done = fed(MARK + text, "call", "ImportAccounts", "-")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1])["progress"]["accepted"] == "2"


def test_an_export_goes_through_pipes(server, tmp_path, stubs):
    file = tmp_path / "app.jsonl"
    done = relationctl("export", "--server", server.address, "--to", str(file))
    assert done.returncode == 0, done.stderr
    with Relationd(tmp_path / "other") as other:
        done = subprocess.run(
            [executable("relationctl"), "import-app", "--server", other.address, "--from", "-"],
            input=file.read_bytes(), capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr


def test_backups_are_no_streams(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for command in (["restore", "--data", str(tmp_path / "data"), "--from"], ["verify"]):
        done = subprocess.run([executable("relationd"), *command, str(pipe)],
                              capture_output=True, text=True, timeout=20)
        assert done.returncode == 1 and "is a stream, and a backup is read" in done.stderr


def test_authorities_are_read_from_a_stream(tmp_path, authority, certificate):
    data = tmp_path / "data"
    with Relationd(
        data, "--tls-cert", certificate.path, "--tls-key", certificate.key_path,
        "--allow-anonymous", insecure=False,
    ) as running:  # fmt: skip
        done = subprocess.run(
            [executable("relationctl"), "call", "GetStats", "--server", running.address,
             "--tls-ca", "/dev/stdin"], input=MARK.encode() + authority.pem,
            capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr


# Edges


@pytest.mark.parametrize("line", [
    "{}\t{}", "{}  {}", "  {} \t {}  ", "{}\t\t{}\r", "\t{}\t{}\t"])
def test_users_of_edges_have_blanks_or_tabs_between_them(load, people, line):
    ann, bob = people(2)
    done = load("pairs.txt", "# FromNodeId\tToNodeId\n" + line.format(ann, bob) + "\n")
    assert done.returncode == 0, done.stderr
    assert set(friends(people, ann)) == {bob}


@pytest.mark.parametrize("line, words", [
    ("a b\tc", "must be two users with blanks or a tab between them, and has 3 words"),
    ("a b c", "and has 3 words"),
    ("a,b", "must be two users with blanks or a tab between them"),
    ("a\u00a0b c", "has the character U+00A0 in a user"),
    ("a b\r\r", "has the character U+000D in a user"),
    ("a\u200b b", "has the character U+200B in a user"),
    (f"{MARK}a b", "has the character U+FEFF in a user"),
    ("a\x00 b", "has the character U+0000 in a user"),
])
def test_a_line_of_edges_that_is_no_pair_makes_no_user(load, people, line, words):
    ann, bob = people(2)
    done = load("pairs.txt", f"{ann} {bob}\n{line}\n")
    assert done.returncode == 1 and words in done.stderr and "pairs.txt:2: " in done.stderr
    assert counts(done) == {"users": (2, 0), "friendships": (1, 0)}


def test_members_of_circles_may_have_tabs_between_them(load, people, tmp_path):
    ann, bob, cat = people(3)
    circles = tmp_path / "circles"
    circles.write_text(f"{MARK}{ann}\thome\t{bob}\t{cat}\r\n \t\n  # no circle\n")
    done = load("pairs.txt", f"{ann} {bob}\n{ann} {cat}\n", "--circles", str(circles))
    assert done.returncode == 0, done.stderr
    assert counts(done)["circle members"] == (2, 0)


# Marks and encodings


@pytest.mark.parametrize("name, text", [
    ("a.txt", "{a} {b}\n"), ("a.csv", "user_id,friend_user_id\n{a},{b}\n"),
    ("a.jsonl", '{{"userId": "{a}", "friendUserId": "{b}"}}\n')])
def test_a_mark_of_utf8_is_no_part_of_a_file(load, people, name, text):
    ann, bob = people(2)
    done = load(name, MARK + text.format(a=ann, b=bob))
    assert done.returncode == 0, done.stderr
    assert set(friends(people, ann)) == {bob}


@pytest.mark.parametrize("encoding, name", [
    ("utf-16", "UTF-16"), ("utf-32", "UTF-32")])
@pytest.mark.parametrize("ending", ["txt", "csv", "jsonl"])
def test_another_encoding_is_named(load, encoding, name, ending):
    done = load(f"a.{ending}", "user_id,friend_user_id\na,b\n".encode(encoding))
    assert done.returncode == 1 and done.stdout == ""
    assert f"is text in {name}: convert it to UTF-8" in done.stderr


def test_settings_and_keys_may_have_a_mark(tmp_path, server):
    settings = tmp_path / "relationd.yaml"
    settings.write_text(f"{MARK}data: {tmp_path}/data\n")
    done = subprocess.run([executable("relationd"), "config", "check", str(settings)],
                          capture_output=True, text=True, timeout=20)
    assert done.returncode == 0, done.stderr
    settings.write_bytes("data: x\n".encode("utf-16"))
    done = subprocess.run([executable("relationd"), "config", "check", str(settings)],
                          capture_output=True, text=True, timeout=20)
    assert done.returncode == 64 and "is text in UTF-16" in done.stderr
    token = tmp_path / "token"
    token.write_bytes("x".encode("utf-16"))
    done = relationctl("watch", "a", "--server", server.address, "--token-file", str(token))
    assert done.returncode == 1 and "is text in UTF-16" in done.stderr


# csv


@pytest.mark.parametrize("text, arguments", [
    ("user_id;friend_user_id;remark\n{a};{b};x, y\n", []),
    ("user_id\tfriend_user_id\tremark\n{a}\t{b}\tx, y\n", []),
    ("sep=;\r\nuser_id;friend_user_id;remark\r\n{a};{b};x, y\r\n", []),
    ("user_id|friend_user_id|remark\n{a}|{b}|x, y\n", ["--separator", "|"]),
    ("user_id\tfriend_user_id\tremark\n{a}\t{b}\tx, y\n", ["--separator", "tab"]),
    ('user_id;"from, to";friend_user_id;remark\n{a};1;{b};x, y\n',
     ["--columns", "user_id=user_id,friend_user_id=friend_user_id,remark=remark"]),
])
def test_the_first_line_of_a_csv_tells_its_separator(load, people, text, arguments):
    ann, bob = people(2)
    done = load("rows.csv", text.format(a=ann, b=bob), *arguments)
    assert done.returncode == 0, done.stderr
    assert friends(people, ann)[bob].remark == "x, y"


@pytest.mark.parametrize("text, arguments, status, words", [
    ("user_id|friend_user_id\na|b\n", [], 1, "--separator names another character"),
    ("user_id,friend_user_id;remark\n", [], 1, "--separator says which one stands between"),
    ("user_id,friend_user_id\n", ["--separator", "x"], 64, "separator"),
    ("a b\n", ["--format", "edges", "--separator", ";"], 64, "--separator is for csv"),
    ("a b\n", ["--format", "edges", "--times", "seconds"], 64, "--times is for csv and jsonl"),
])
def test_a_separator_that_is_not_known_is_told(load, text, arguments, status, words):
    done = load("rows.csv", text, *arguments)
    assert done.returncode == status and words in done.stderr, done.stderr


def test_rows_of_empty_cells_are_no_rows(load, people):
    ann, bob = people(2)
    text = f"user_id,friend_user_id,remark\n{ann},{bob},x\n" + ",,\n" * 1_500 + ',"",\r\n'
    done = load("rows.csv", text)
    assert done.returncode == 0, done.stderr
    assert counts(done)["friendships"] == (1, 0)


def test_a_record_of_several_lines_is_named_by_its_first(load, people):
    ann, bob = people(2)
    done = load("rows.csv", (
        f'user_id,friend_user_id,remark\n{ann},{bob},"x\ny"\n{ann},,"x\ny\nz"\n{ann},,w\n'))
    assert done.returncode == 1
    assert "rows.csv:4: has no friend_user_id" in done.stderr
    assert "rows.csv:7: has no friend_user_id" in done.stderr


# Times


@pytest.mark.parametrize("name, head, row", [
    ("a.csv", "user_id,friend_user_id,{f}\n", "{a},{b},{t}\n"),
    ("a.jsonl", "", '{{"user_id": "{a}", "friend_user_id": "{b}", "{f}": "{t}"}}\n')])
@pytest.mark.parametrize("field", ["add_time_ms", "remark_time_ms"])
def test_times_in_seconds_are_told_or_read(load, people, name, head, row, field):
    ann, bob = people(2)
    text = (head + row).format(a=ann, b=bob, f=field, t=1_552_470_229)
    done = load(name, text)
    assert done.returncode == 1 and done.stdout == ""
    assert f"{field} is 1552470229, which in milliseconds is before 1973" in done.stderr
    assert "--times seconds reads seconds" in done.stderr
    assert f"{name}:{1 + head.count(chr(10))}: " in done.stderr
    done = load(name, text, "--times", "seconds")
    assert done.returncode == 0, done.stderr
    if field == "add_time_ms":
        assert friends(people, ann)[bob].add_time_ms == 1_552_470_229_000


def test_times_that_are_no_milliseconds_are_told(load, people):
    ann, bob = people(2)
    head = "user_id,friend_user_id,add_time_ms\n"
    done = load("a.csv", f"{head}{ann},{bob},1552470229000000\n")
    assert done.returncode == 1 and "after 2286" in done.stderr
    done = load("a.csv", f"{head}{ann},{bob},1552470229000\n", "--times", "seconds")
    assert done.returncode == 1 and "which is not a time in seconds" in done.stderr
    done = load("a.csv", f"{head}{ann},{bob},1552470229\n", "--times", "milliseconds")
    assert done.returncode == 0, done.stderr
    assert friends(people, ann)[bob].add_time_ms == 1_552_470_229
