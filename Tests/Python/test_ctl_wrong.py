"""What `relationctl` says of a command that cannot be carried out: option, rule and status."""

import os
import subprocess

import pytest
from relationd import executable

FAILED, UNREACHABLE, MISUSE = 1, 3, 64
NUMBER = ": it takes a whole number"
TIME = ": it takes a time as in 2026-11-29T18:00:00Z or in milliseconds since 1970"


@pytest.fixture
def wrong(tmp_path):
    """Runs a command that fails, in a folder with one folder and one empty file."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "empty").touch()

    def run(status, *arguments):
        environment = {
            name: value for name, value in os.environ.items() if not name.startswith("RELATION_")}
        done = subprocess.run(
            [executable("relationctl"), *map(str, arguments)], capture_output=True, text=True,
            timeout=60, stdin=subprocess.DEVNULL, cwd=tmp_path,
            env=environment | {"XDG_CONFIG_HOME": str(tmp_path / "home")})
        assert done.returncode == status, (done.returncode, done.stderr)
        assert done.stdout == ""
        # Nothing is half-written.
        assert {path.name for path in tmp_path.iterdir()} <= {"folder", "empty", "home"}
        return done.stderr.splitlines()[0]

    return run


@pytest.mark.parametrize("words, name, rule", [
    (["call", "ListFriends", "{}", "--timeout", "x"], "--timeout", ": it takes a number"),
    (["call", "ListFriends", "{}", "--app", "x"], "--app", NUMBER),
    (["call", "ListFriends", "{}", "--app", "99999999999"], "--app",
     NUMBER + " that is not too large"),
    (["call", "ListFriends", "{}", "--app=-1"], "--app", NUMBER + " that is not too small"),
    (["user", "alice", "--rows", "x"], "--rows", NUMBER),
    (["watch", "alice", "--heartbeat", "x"], "--heartbeat", NUMBER),
    (["hooks", "replay", "id", "--hours", "1.5"], "--hours", NUMBER),
    (["keys", "make", "name", "--days", "x"], "--days", NUMBER),
    (["undo", "x"], "<positions>", NUMBER),
    (["user", "alice", "--as-of", "x"], "--as-of", TIME),
    (["export-changes", "--since", "x", "--to", "x"], "--since", TIME),
    (["call", "ListFriends", "{}", "--output", "xml"], "--output", ". Please provide one of"),
    (["call", "ListFriends", "{}", "--server", "127.0.0.1:99999"], "--server", "from 1 to 65535"),
])  # fmt: skip
def test_a_value_that_is_none_names_its_option_and_the_rule(wrong, words, name, rule):
    line = wrong(MISUSE, *words)
    assert name in line and rule in line, line


@pytest.mark.parametrize("words, name", [
    (["export", "--to", "folder"], "--to"), (["export-user", "0", "--to", "folder"], "--to"),
    (["export-changes", "--since", "2026-11-29T18:00:00Z", "--to", "folder"], "--to"),
    (["apply-changes", "empty", "empty", "--to", "folder"], "--to"),
    (["graph", "0", "--svg", "folder"], "--svg"),
    (["audit", "export", "folder"], "the file to write"),
    (["import", "empty", "--refused", "folder"], "--refused"),
])  # fmt: skip
def test_a_folder_is_refused_before_the_work_of_a_file(wrong, words, name):
    # No server is there: so no call was made.
    address = [] if words[0] == "apply-changes" else ["--server", "127.0.0.1:1"]
    line = wrong(MISUSE, *words, *address)
    assert line.endswith(f"{name} must name a file: folder is a folder"), line


@pytest.mark.parametrize("status, words, told", [
    (FAILED, ["--tls-ca", "none"], "--tls-ca: none cannot be read: No such file or directory"),
    (FAILED, ["--tls-ca", "folder"], "--tls-ca: folder cannot be read: Is a directory"),
    (FAILED, ["--tls-ca", "empty"], "--tls-ca: empty cannot be used: it holds no certificate"),
    (FAILED, ["--tls", "--tls-cert", "none", "--tls-key", "none"],
     "--tls-cert: none cannot be read"),
    (MISUSE, ["--tls", "--tls-name", ""], "--tls-name must have 1 to 253 bytes"),
    (MISUSE, ["--key", ""], "--key: the key is empty"),
    (MISUSE, ["--user-sig", ""], "--user-sig: the signature is empty"),
])  # fmt: skip
def test_an_option_of_the_connection_is_named(wrong, status, words, told):
    assert told in wrong(status, "call", "GetStats", "{}", *words)


@pytest.mark.parametrize("words, told", [
    (["call", "GetStats", "@none"], "none cannot be read: No such file or directory"),
    (["call", "GetStats", "@folder"], "folder cannot be read: Is a directory"),
    (["import", "none"], "none cannot be read"), (["import", "folder"], "folder cannot be read"),
    (["import-app", "--from", "none"], "none cannot be read"),
    (["audit", "verify", "folder"], "folder cannot be read"),
    (["hooks", "make", "http://127.0.0.1:1/", "--secret-file", "none"], "none cannot be read"),
    (["hooks", "make", "http://127.0.0.1:1/", "--secret-file", "empty"], "empty: has no line"),
    (["migrate", "nakama", "folder", "--to", "new"], "folder/users.csv cannot be read"),
])  # fmt: skip
def test_a_file_that_cannot_be_read_is_named(wrong, words, told):
    assert told in wrong(FAILED, *words)


@pytest.mark.parametrize("words", [
    ["call", "GetStats"], ["user", "alice"], ["hooks", "list"], ["login"],
    ["--server", "127.0.0.1:1", "slow", "--pages", "127.0.0.1:1"],
    ["--server", "127.0.0.1:1", "connections", "--pages", "127.0.0.1:1"],
])  # fmt: skip
def test_a_server_that_is_away_ends_each_command_alike(wrong, words):
    address = [] if "--server" in words else ["--server", "127.0.0.1:1"]
    assert "Connection refused" in wrong(UNREACHABLE, *words, *address)
