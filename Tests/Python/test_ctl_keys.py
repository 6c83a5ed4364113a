"""Keys of an app, made in one step."""

import stat
import subprocess

import grpc
import pytest
from credentials import Keys, init
from relationd import Relationd, executable

CHECK = '{"user_id": "x", "user_ids": ["y"]}'


@pytest.fixture(scope="module")
def guarded(tmp_path_factory, stubs, authority, certificate):
    """A server that encrypts and asks for a credential, and an app."""
    data = tmp_path_factory.mktemp("keys") / "data"
    _, operator, _ = init(data)
    with Relationd(
        data, "--tls-cert", certificate.path, "--tls-key", certificate.key_path, insecure=False,
    ) as running:  # fmt: skip
        trust = grpc.ssl_channel_credentials(authority.pem)
        with grpc.secure_channel(running.address, trust) as channel:
            keys = Keys(stubs, channel, operator)
            running.app = keys.app()
            keys.accounts(running.app, "x")
        running.operator = operator
        yield running


@pytest.fixture
def ctl(guarded, authority):
    def run(*arguments, key=guarded.operator, app=guarded.app):
        return subprocess.run(
            [executable("relationctl"), *map(str, arguments), "--server", guarded.address,
             "--tls-ca", authority.path, "--key", key, *(["--app", str(app)] if app else [])],
            capture_output=True, text=True, timeout=60)

    return run


def told(done, status):
    assert done.returncode == status, (done.returncode, done.stdout, done.stderr)
    return done.stderr.splitlines()[0]


def test_a_key_is_made_listed_and_ended(ctl, guarded):
    done = ctl("keys", "make", "backend")
    assert done.returncode == 0, done.stderr
    key = done.stdout.strip()
    app, name, _ = key.split(".")
    assert app == str(guarded.app)
    assert ctl("call", "CheckFriends", CHECK, key=key, app=None).returncode == 0
    listed = ctl("keys", "list").stdout
    assert key not in listed
    row = next(line for line in listed.splitlines() if line.startswith(name))
    assert row.split()[-4:] == ["for", "ever", "read,write", "backend"]
    assert ctl("keys", "end", name).returncode == 0
    done = ctl("call", "CheckFriends", CHECK, key=key, app=None)
    assert "CREDENTIAL" in told(done, 4)
    assert "CREDENTIAL_NOT_FOUND" in told(ctl("keys", "end", name), 2)


def test_a_key_has_the_scopes_and_the_end_that_were_asked_for(ctl):
    done = ctl("keys", "make", "reports", "--scopes", "read,watch", "--days", "90")
    assert done.returncode == 0, done.stderr
    name = done.stdout.split(".")[1]
    row = next(line for line in ctl("keys", "list").stdout.splitlines() if line.startswith(name))
    assert row.split()[-3].startswith("20") and row.split()[-2:] == ["read,watch", "reports"]


def test_a_key_goes_into_a_new_file_that_only_its_owner_reads(ctl, tmp_path):
    file = tmp_path / "backend.key"
    done = ctl("keys", "make", "backend", "--key-file", file)
    assert done.returncode == 0, done.stderr
    key = file.read_text().strip()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert key not in done.stdout + done.stderr
    assert done.stdout == f"the key {key.split('.')[1]} is in {file}\n"
    assert ctl("call", "CheckFriends", CHECK, key=key, app=None).returncode == 0
    # What is there already stays, and no key is made.
    before = ctl("keys", "list").stdout
    assert "is there already" in told(ctl("keys", "make", "again", "--key-file", file), 1)
    assert file.read_text().strip() == key and ctl("keys", "list").stdout == before


def test_no_file_stays_of_a_key_that_was_not_made(ctl, tmp_path):
    file = tmp_path / "none.key"
    done = ctl("keys", "make", "x" * 129, "--key-file", file)
    assert done.returncode == 2 and not file.exists()


@pytest.mark.parametrize("arguments, words", [
    (["--scopes", "reed"], "no reed; there are read, write, watch, admin"),
    (["--days", "0"], "--days takes a number from 1 to 36500"),
    (["--days", "36501"], "--days takes a number from 1 to 36500"),
    (["--key-file", ""], "--key-file takes the path of a file"),
])  # fmt: skip
def test_a_key_that_cannot_be_made_is_told(ctl, arguments, words):
    assert words in told(ctl("keys", "make", "backend", *arguments), 64)
