"""The keys of operators: made, listed and ended while the server runs, by calls and by `relationd
init` beside the server."""

import os
import socket
import stat
import struct
import subprocess
import tarfile
import time
from pathlib import Path

import grpc
import pytest
from credentials import Keys, init
from refusals import assert_invalid, refusal
from relationd import Relationd, executable
from watching import live

EXHAUSTED = grpc.StatusCode.RESOURCE_EXHAUSTED
MOST = 100
DAY = 86_400_000


@pytest.fixture
def guarded(tmp_path):
    """A server that asks for credentials, with its first key of an operator."""
    data = tmp_path / "data"
    status, operator, complaint = init(data)
    assert status == 0, complaint
    with Relationd(data, insecure=False) as running:
        running.operator = operator
        yield running


@pytest.fixture
def keys(guarded, stubs):
    with grpc.insecure_channel(guarded.address) as channel:
        yield Keys(stubs, channel, guarded.operator)


def identifier(key):
    """The public part of a key."""
    return key.split(".")[1]


def with_key(keys, key, app=None):
    """The same server's operator with another key."""
    return Keys(keys.stubs, keys.channel, key).as_operator(app)


def names(operator):
    return sorted(key.name for key in operator("ListOperatorKeys").operator_keys)


def assert_ended(keys, key):
    refused = refusal(with_key(keys, key), "ListApps")
    assert (refused.code, refused.reason) == (
        grpc.StatusCode.UNAUTHENTICATED, "CREDENTIAL_INVALID"), refused


# Calls


def test_a_key_is_made_used_and_ended_while_the_server_runs(keys):
    first = keys.as_operator()
    made = first("CreateOperatorKey", name="anna")
    assert made.applied and made.operator_key.credential_id == identifier(made.key)
    second = with_key(keys, made.key)
    app = second("CreateApp").app.app_id
    second_in_app = with_key(keys, made.key, app)
    keys.accounts(app, "ann")
    stream = live(second_in_app, user_id="ann")
    assert names(second) == ["anna", "operator"]
    # Either operator may end the other's key.
    assert first("RevokeOperatorKey", credential_id=made.operator_key.credential_id).applied
    assert_ended(keys, made.key)
    assert stream.refusal().reason == "CREDENTIAL_INVALID"
    assert names(first) == ["operator"]
    refused = refusal(first, "RevokeOperatorKey", credential_id=made.operator_key.credential_id)
    assert (refused.code, refused.reason) == (
        grpc.StatusCode.NOT_FOUND, "CREDENTIAL_NOT_FOUND")


def test_the_last_key_that_is_good_for_ever_is_not_ended_by_a_call(keys):
    operator = keys.as_operator()
    own = identifier(keys.operator)
    end = int(time.time() * 1000) + DAY
    passing = operator("CreateOperatorKey", name="passing", expire_time_ms=end)
    for dry_run in (True, False):
        refused = refusal(
            operator, "RevokeOperatorKey", credential_id=own, options={"dry_run": dry_run})
        assert (refused.code, refused.reason, refused.domain) == (
            grpc.StatusCode.FAILED_PRECONDITION, "LAST_OPERATOR_KEY", "relation.v1"), refused
    # A key that ends by itself may go, and beside another one this one may too.
    operator("RevokeOperatorKey", credential_id=passing.operator_key.credential_id)
    other = operator("CreateOperatorKey", name="other")
    assert operator("RevokeOperatorKey", credential_id=own).applied
    assert_ended(keys, keys.operator)
    assert names(with_key(keys, other.key)) == ["other"]


def test_a_key_ends_by_itself_at_its_time(keys):
    end = int(time.time() * 1000) + 1_500
    made = keys.as_operator()("CreateOperatorKey", name="short", expire_time_ms=end)
    assert made.operator_key.expire_time_ms == end
    short = with_key(keys, made.key)
    assert short("ListApps").total_size == 1
    deadline = time.monotonic() + 30
    while time.time() * 1000 <= end + 1:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert refusal(short, "ListApps").reason == "CREDENTIAL_EXPIRED"


def test_a_server_has_so_many_keys_and_no_more(keys):
    operator = keys.as_operator()
    for number in range(MOST - 1):
        operator("CreateOperatorKey", name=f"key {number}")
    refused = refusal(operator, "CreateOperatorKey", name="one more")
    assert (refused.code, refused.reason) == (EXHAUSTED, "TOO_MANY_CREDENTIALS")
    assert refused.metadata == {"limit": str(MOST)}
    page = operator("ListOperatorKeys", page_size=60)
    assert (len(page.operator_keys), page.total_size) == (60, MOST)
    rest = operator("ListOperatorKeys", page_size=60, page_token=page.next_page_token)
    assert len(rest.operator_keys) == MOST - 60 and not rest.next_page_token
    listed = [key.credential_id for key in [*page.operator_keys, *rest.operator_keys]]
    assert listed == sorted(set(listed))
    operator("RevokeOperatorKey", credential_id=listed[0] if listed[0] not in keys.operator else listed[1])
    assert operator("CreateOperatorKey", name="one more").applied


def test_a_repeated_request_makes_one_key_and_tells_its_secret_once(keys):
    operator = keys.as_operator()
    first = operator("CreateOperatorKey", name="anna", options={"request_id": "one"})
    again = operator("CreateOperatorKey", name="anna", options={"request_id": "one"})
    assert again.replayed and not again.key
    assert again.operator_key == first.operator_key
    tried = operator("CreateOperatorKey", name="bob", options={"dry_run": True})
    assert not tried.applied and not tried.key
    assert names(operator) == ["anna", "operator"]


@pytest.mark.parametrize("fields, field", [
    ({}, "name"),
    ({"name": "n" * 129}, "name"),
    ({"name": "anna", "expire_time_ms": 1}, "expire_time_ms"),
    ({"name": "anna", "expire_time_ms": -1}, "expire_time_ms"),
])  # fmt: skip
def test_a_key_that_cannot_be_made_names_its_field(keys, fields, field):
    assert_invalid(refusal(keys.as_operator(), "CreateOperatorKey", **fields), field)


def test_only_an_operator_makes_lists_or_ends_operators_keys(keys):
    app = keys.app()
    backend = keys.with_key(keys.key(app))
    for call, fields in (
        ("CreateOperatorKey", {"name": "anna"}), ("ListOperatorKeys", {}),
        ("RevokeOperatorKey", {"credential_id": identifier(keys.operator)}),
    ):  # fmt: skip
        refused = refusal(backend, call, **fields)
        assert (refused.code, refused.reason) == (
            grpc.StatusCode.PERMISSION_DENIED, "SCOPE_MISSING"), refused
    # The credentials of an app and those of operators are apart.
    made = keys.as_operator()("CreateOperatorKey", name="anna")
    refused = refusal(
        keys.as_operator(app), "RevokeCredential", credential_id=made.operator_key.credential_id)
    assert refused.reason == "CREDENTIAL_NOT_FOUND"
    own = keys.as_operator(app)("ListCredentials").credentials
    refused = refusal(
        keys.as_operator(), "RevokeOperatorKey", credential_id=own[0].credential_id)
    assert refused.reason == "CREDENTIAL_NOT_FOUND"


def test_keys_are_there_after_a_restart_and_ended_ones_are_not(start, stubs, tmp_path):
    _, operator, _ = init(tmp_path / "data")
    running = start("data", insecure=False)
    with grpc.insecure_channel(running.address) as channel:
        keys = Keys(stubs, channel, operator)
        kept = keys.as_operator()("CreateOperatorKey", name="kept")
        ended = keys.as_operator()("CreateOperatorKey", name="ended")
        keys.as_operator()("RevokeOperatorKey", credential_id=ended.operator_key.credential_id)
    assert running.stop() == 0
    running = start("data", insecure=False)
    with grpc.insecure_channel(running.address) as channel:
        keys = Keys(stubs, channel, operator)
        assert names(with_key(keys, kept.key)) == ["kept", "operator"]
        assert_ended(keys, ended.key)
    for path in (tmp_path / "data").rglob("*"):
        if path.is_file():
            assert kept.key.split(".")[2].encode() not in path.read_bytes(), path


# The command beside the server


def rows(text):
    """The keys of `init --list-keys`: their names by their ids."""
    lines = text.splitlines()
    assert lines[0].split() == ["ID", "MADE", "UNTIL", "NAME"]
    return {line.split()[0]: line.split('"')[1] for line in lines[1:]}


@pytest.mark.parametrize("is_running", [False, True])
def test_the_command_makes_lists_and_ends_keys_with_and_without_a_server(
    start, stubs, tmp_path, is_running
):
    data = tmp_path / "data"
    if is_running:
        server = start("data", insecure=False)
    status, first, complaint = init(data)
    assert status == 0 and first.startswith("0."), complaint
    status, said, complaint = init(data)
    assert status != 0 and said == ""
    assert "--add-key" in complaint and "--replace-key" in complaint
    status, second, _ = init(data, "--add-key", "anna of \u2028operations", "--days", "2")
    assert status == 0
    status, said, _ = init(data, "--list-keys")
    assert status == 0
    assert set(rows(said)) == {identifier(first), identifier(second)}
    assert rows(said)[identifier(first)] == "operator"
    assert "for ever" in said and first not in said and second not in said
    status, said, complaint = init(data, "--end-key", identifier(first))
    assert status != 0 and "last" in complaint and "--add-key" in complaint
    assert init(data, "--end-key", "nothing")[0] != 0
    assert init(data, "--end-key", identifier(second)) == (0, "", "")
    status, third, _ = init(data, "--replace-key")
    assert status == 0
    if not is_running:
        server = start("data", insecure=False)
    with grpc.insecure_channel(server.address) as channel:
        keys = Keys(stubs, channel, third)
        assert names(keys.as_operator()) == ["operator"]
        for ended in (first, second):
            assert_ended(keys, ended)
    assert first not in server.log and third not in server.log
    if is_running:
        assert f"operator's key {identifier(third)}" in server.log


@pytest.mark.parametrize("is_running", [False, True])
@pytest.mark.parametrize("arguments, said", [
    (["--add-key", "n" * 129], "128 bytes"),
    (["--add-key", ""], "--add-key"),
    (["--add-key", "n", "--days", "0"], "--days"),
    (["--days", "1"], "--add-key"),
    (["--add-key", "n", "--list-keys"], "exclude"),
])  # fmt: skip
def test_what_the_command_cannot_do_it_says(start, tmp_path, is_running, arguments, said):
    if is_running:
        start("data", insecure=False)
    status, key, complaint = init(tmp_path / "data", *arguments)
    assert status != 0 and key == "" and said in complaint, complaint


def test_a_stream_ends_with_the_key_that_the_command_ends(guarded, keys):
    app = keys.app()
    keys.accounts(app, "ann")
    stream = live(keys.as_operator(app), user_id="ann")
    status, second, _ = init(guarded.data, "--replace-key")
    assert status == 0
    assert stream.refusal().reason == "CREDENTIAL_INVALID"
    assert_ended(keys, keys.operator)
    assert with_key(keys, second)("ListApps").total_size == 2


def test_the_command_reaches_a_server_whose_folder_lies_deep(start, stubs, tmp_path):
    deep = "/".join(["a folder with a long name"] * 8)
    (tmp_path / deep).mkdir(parents=True)
    running = start(f"{deep}/data", insecure=False)
    assert len(str(running.data)) > 200
    status, key, complaint = init(running.data)
    assert status == 0, complaint
    with grpc.insecure_channel(running.address) as channel:
        assert Keys(stubs, channel, key).as_operator()("ListApps").total_size == 1


# The key in a file


@pytest.fixture
def all_may_read():
    """New files are for all, as the umask says."""
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.mark.parametrize("is_running", [False, True])
@pytest.mark.parametrize("arguments", [[], ["--add-key", "anna"], ["--replace-key"]])
def test_a_key_goes_into_a_file_that_only_its_owner_reads(
    start, stubs, tmp_path, all_may_read, is_running, arguments
):
    data, file = tmp_path / "data", tmp_path / "operator.key"
    if arguments:
        assert init(data)[0] == 0
    if is_running:
        server = start("data", insecure=False)
    status, said, complaint = init(data, *arguments, "--key-file", str(file))
    assert status == 0, complaint
    assert said == f"the key of the operator is in {file}"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    key = file.read_text()
    assert key.startswith("0.") and key.endswith("\n") and key.count("\n") == 1
    if not is_running:
        server = start("data", insecure=False)
    with grpc.insecure_channel(server.address) as channel:
        assert Keys(stubs, channel, key.strip()).as_operator()("ListApps").total_size == 1


@pytest.mark.parametrize("kind", ["a file", "a link to nothing", "a folder", "a device"])
def test_what_is_in_the_place_of_the_key_file_stays_and_no_key_is_made(tmp_path, kind):
    data, file = tmp_path / "data", tmp_path / "operator.key"
    if kind == "a file":
        file.write_text("dear reader")
    elif kind == "a folder":
        file.mkdir()
    else:
        file.symlink_to("/dev/null" if kind == "a device" else tmp_path / "nothing")
    status, said, complaint = init(data, "--key-file", str(file))
    assert status == 1 and said == ""
    assert f"the key file {file} is there already" in complaint
    assert os.path.lexists(file) and not (tmp_path / "nothing").exists() and not data.exists()
    assert kind != "a file" or file.read_text() == "dear reader"


def test_a_key_file_that_cannot_be_made_is_named_before_anything_happens(tmp_path):
    file = tmp_path / "none" / "operator.key"
    status, said, complaint = init(tmp_path / "data", "--key-file", str(file))
    assert status == 1 and said == ""
    assert f"the key file {file} cannot be made: No such file" in complaint
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("is_running", [False, True])
def test_no_file_is_left_where_no_key_is_made(start, tmp_path, is_running):
    data, file = tmp_path / "data", tmp_path / "operator.key"
    assert init(data)[0] == 0
    if is_running:
        start("data", insecure=False)
    status, said, complaint = init(data, "--key-file", str(file))
    assert status == 1 and said == "" and "there is an operator's key" in complaint
    assert not file.exists()


@pytest.mark.parametrize("arguments", [["--list-keys"], ["--end-key", "x"], ["--restored"]])
def test_only_a_command_that_makes_a_key_takes_a_file_for_it(tmp_path, arguments):
    file = tmp_path / "operator.key"
    status, _, complaint = init(tmp_path / "data", *arguments, "--key-file", str(file))
    assert status == 64 and "--key-file goes with a command that makes a key" in complaint
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("call", ["write:error=ENOSPC", "fsync:error=EIO"])
def test_a_key_that_its_file_does_not_take_is_not_made(tmp_path, call):
    """The key is on the disk before the store has it."""
    data, file = tmp_path / "data", tmp_path / "operator.key"
    tracer = ["strace", "-f", "-o", str(tmp_path / "trace"), "-P", str(file), "-e",
              f"trace={call.split(':')[0]}", "-e", f"inject={call}"]
    done = subprocess.run(
        [*tracer, executable("relationd"), "init", "--data", str(data), "--key-file", str(file)],
        capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and done.stdout == "", done
    assert f"the key file {file} cannot be written" in done.stderr
    assert not file.exists()
    status, key, complaint = init(data)
    assert status == 0 and key.startswith("0."), complaint


# relationctl


def relationctl(server, key, *arguments):
    done = subprocess.run(
        [executable("relationctl"), "operator-keys", arguments[0], "--server", server.address,
         *arguments[1:]],
        capture_output=True, text=True, timeout=60, env={**os.environ, "RELATION_API_KEY": key},
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr


def test_relationctl_makes_lists_and_ends_keys(guarded, keys):
    status, made, complaint = relationctl(
        guarded, guarded.operator, "make", "anna", "--days", "1")
    assert status == 0, complaint
    made = made.strip()
    status, listed, _ = relationctl(guarded, made, "list")
    lines = listed.splitlines()
    assert lines[0].split() == ["ID", "MADE", "USED", "UNTIL", "NAME"] and len(lines) == 3
    assert {line.split()[0] for line in lines[1:]} == {
        identifier(made), identifier(guarded.operator)}
    assert "for ever" in listed and made not in listed
    status, _, complaint = relationctl(guarded, made, "end", identifier(guarded.operator))
    assert status != 0 and "LAST_OPERATOR_KEY" in complaint
    assert relationctl(guarded, guarded.operator, "end", identifier(made)) == (0, "", "")
    assert_ended(keys, made)
    assert relationctl(guarded, guarded.operator, "make", "anna", "--days", "0")[0] != 0
    assert relationctl(guarded, guarded.operator, "make", "")[0] != 0


# The socket


def reach(data):
    """A connection to the socket in the folder."""
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(30)
    connection.connect(str(data / "operator.sock"))
    return connection


def answered(connection):
    """All bytes until the server closes."""
    parts = []
    while part := connection.recv(4096):
        parts.append(part)
    return b"".join(parts)


def test_the_socket_is_for_its_owner_and_goes_with_the_server(guarded):
    path = guarded.data / "operator.sock"
    mode = path.stat().st_mode
    assert stat.S_ISSOCK(mode) and stat.S_IMODE(mode) == 0o600
    assert guarded.stop() == 0
    assert not path.exists()


def test_a_socket_that_a_killed_server_left_is_made_anew(start, tmp_path):
    running = start("data", insecure=False)
    running.kill()
    assert (tmp_path / "data" / "operator.sock").exists()
    start("data", insecure=False)
    assert init(tmp_path / "data")[0] == 0


def test_another_file_of_that_name_stays_and_is_said_to_be_in_the_way(start, tmp_path):
    init(tmp_path / "data")
    (tmp_path / "data" / "operator.sock").write_text("mine")
    running = start("data", insecure=False)
    assert "operator.sock" in running.log and "not a socket" in running.log
    status, _, complaint = init(tmp_path / "data", "--list-keys")
    assert status != 0 and "in use" in complaint
    assert running.stop() == 0
    assert (tmp_path / "data" / "operator.sock").read_text() == "mine"


@pytest.mark.parametrize("sent", [
    b"",
    b"\xff\xff\xff\xff",
    struct.pack(">I", 3) + b"\xff\xff\xff",
    struct.pack(">I", 2) + b"\x08",
    b"GET ",
])  # fmt: skip
def test_bytes_that_are_no_request_are_answered_by_an_end(guarded, sent):
    with reach(guarded.data) as connection:
        connection.sendall(sent)
        connection.shutdown(socket.SHUT_WR)
        assert answered(connection) == b""
    assert init(guarded.data, "--list-keys")[0] == 0


def test_a_request_of_a_newer_command_is_refused_in_words(guarded):
    with reach(guarded.data) as connection:
        connection.sendall(struct.pack(">I", 2) + b"\x08\x63")
        assert b"another version" in answered(connection)


def test_a_peer_that_says_nothing_keeps_the_next_one_waiting_for_seconds_only(guarded):
    with reach(guarded.data) as silent:
        assert init(guarded.data, "--list-keys")[0] == 0
        assert answered(silent) == b""
    assert "too slow" in guarded.log


def test_another_user_is_refused_even_if_the_modes_let_it_in(guarded):
    if os.geteuid() != 0:
        pytest.skip("only root may take another user's place")
    (guarded.data / "operator.sock").chmod(0o666)
    script = f"""
import os, socket, sys
folder = os.open({str(guarded.data)!r}, os.O_RDONLY)
os.fchdir(folder)
os.setgid(65534); os.setuid(65534)
connection = socket.socket(socket.AF_UNIX)
connection.settimeout(30)
connection.connect("operator.sock")
try:
    connection.sendall(b"\\0\\0\\0\\2\\x08\\x01")
except BrokenPipeError:
    pass  # The server has closed already.
said = b""
try:
    while part := connection.recv(4096):
        said += part
except ConnectionResetError:
    pass  # It closed without reading the request.
sys.stdout.buffer.write(said)
"""
    guarded.data.chmod(0o711)
    done = subprocess.run(["python3", "-c", script], capture_output=True, timeout=60)
    assert b"only root" in done.stdout, done
    assert "65534 was refused" in guarded.log
    assert init(guarded.data, "--list-keys")[0] == 0


def test_a_command_beside_a_server_that_does_not_answer_says_so(tmp_path, start):
    running = start("data", insecure=False)
    (running.data / "operator.sock").unlink()
    status, said, complaint = init(running.data, "--list-keys")
    assert status != 0 and said == "" and "in use by a server" in complaint


# From before


def test_the_one_key_of_a_folder_from_before_is_one_of_several_now(start, stubs, folder_before):
    data, operator = folder_before
    running = start(data.name, insecure=False)
    with grpc.insecure_channel(running.address) as channel:
        keys = Keys(stubs, channel, operator)
        listed = keys.as_operator()("ListOperatorKeys").operator_keys
        assert [key.name for key in listed] == ["operator"]
        made = keys.as_operator()("CreateOperatorKey", name="anna")
        assert names(with_key(keys, made.key)) == ["anna", "operator"]


@pytest.fixture
def folder_before(tmp_path):
    """A folder that a server from before this call made, with its operator's key."""
    packed = Path(__file__).parent.parent / "Data" / "folder-one-operator-key.tar.gz"
    with tarfile.open(packed) as archive:
        archive.extractall(tmp_path, filter="data")
    return tmp_path / "before", (tmp_path / "before.key").read_text().strip()
