"""Where commands go, and as whom: profiles, variables, options."""

import json
import os
import stat
import subprocess

import pytest
from credentials import init
from relationd import Relationd, executable


@pytest.fixture(scope="module")
def guarded(tmp_path_factory, authority, certificate):
    """A server that encrypts, and asks for a credential."""
    data = tmp_path_factory.mktemp("guarded") / "data"
    _, operator, _ = init(data)
    with Relationd(
        data, "--tls-cert", certificate.path, "--tls-key", certificate.key_path, insecure=False,
    ) as running:  # fmt: skip
        running.operator = operator
        yield running


@pytest.fixture
def ctl(tmp_path):
    """The command line of a person who has no profile yet."""
    file = tmp_path / "home" / "relationctl" / "profiles.json"

    def run(*arguments, input="", **variables):
        environment = {
            name: value for name, value in os.environ.items() if not name.startswith("RELATION_")}
        environment |= {"XDG_CONFIG_HOME": str(tmp_path / "home"), **variables}
        return subprocess.run(
            [executable("relationctl"), *map(str, arguments)], capture_output=True, text=True,
            timeout=60, input=input, env=environment)

    run.file = file
    return run


def login(ctl, guarded, authority, *more):
    done = ctl(
        "login", *more, "--server", guarded.address, "--tls-ca", authority.path, "--app", "1",
        input=guarded.operator + "\n")
    assert done.returncode == 0, done.stderr


def told(done, status):
    assert done.returncode == status, (done.returncode, done.stderr)
    (line,) = done.stderr.splitlines()
    return line


def test_a_login_is_used_by_later_commands(ctl, guarded, authority):
    login(ctl, guarded, authority)
    done = ctl("call", "ListOperatorKeys")
    assert done.returncode == 0, done.stderr
    assert "operator" in done.stdout


def test_profiles_are_closed_to_others(ctl, guarded, authority):
    login(ctl, guarded, authority)
    assert stat.S_IMODE(ctl.file.stat().st_mode) == 0o600
    assert stat.S_IMODE(ctl.file.parent.stat().st_mode) == 0o700
    ctl.file.chmod(0o640)
    line = told(ctl("call", "GetStats"), 1)
    assert str(ctl.file) in line and "chmod 600" in line


def test_a_profile_is_chosen_by_name(ctl, guarded, authority, server):
    login(ctl, guarded, authority, "work")
    assert ctl("login", "plain", "--server", server.address).returncode == 0
    assert json.loads(ctl.file.read_text())["current"] == "plain"
    assert ctl("call", "GetStats").returncode == 0
    for arguments, variables in [
        (["--profile", "work"], {}), ([], {"RELATION_PROFILE": "work"}),
    ]:  # fmt: skip
        done = ctl("call", "ListOperatorKeys", *arguments, **variables)
        assert done.returncode == 0, done.stderr
    line = told(ctl("call", "GetStats", "--profile", "none"), 64)
    assert "no profile none in " in line and "relationctl login" in line


def test_the_key_of_a_profile_goes_to_its_own_server_only(ctl, guarded, authority):
    login(ctl, guarded, authority, "work")
    file = json.loads(ctl.file.read_text())
    file["profiles"]["work"]["server"] = "127.0.0.1:1"
    ctl.file.write_text(json.dumps(file))
    done = ctl("call", "ListOperatorKeys", "--profile", "work", "--server", guarded.address,
               "--tls-ca", authority.path)
    assert "CREDENTIAL_MISSING" in done.stderr and done.returncode == 4


def test_variables_say_where_and_who(ctl, guarded, authority, server):
    done = ctl("call", "GetStats", RELATION_SERVER=server.address)
    assert done.returncode == 0, done.stderr
    done = ctl("call", "ListOperatorKeys", "--tls-ca", authority.path,
               RELATION_SERVER=guarded.address, RELATION_API_KEY=guarded.operator)
    assert done.returncode == 0, done.stderr
    # An option comes first.
    done = ctl("call", "GetStats", "--server", server.address, RELATION_SERVER="127.0.0.1:1")
    assert done.returncode == 0, done.stderr
    assert "RELATION_APP must be the number of an app" in told(
        ctl("call", "GetStats", RELATION_APP="one"), 64)
    assert "RELATION_SERVER: x has no port" in told(
        ctl("call", "GetStats", RELATION_SERVER="x"), 64)
    assert "is a URL: write" in told(
        ctl("call", "GetStats", RELATION_SERVER="https://x.example:7450"), 64)
    assert "RELATION_PROFILES must begin with /" in told(
        ctl("call", "GetStats", RELATION_PROFILES="here"), 64)


@pytest.mark.parametrize("text, words", [
    ("", "is not a file of profiles"), ("[]", "an object must be here"),
    ('{"nope": 1}', "nope is not known"),
    ('{"profiles": {"a": {"server": "x:1", "app": -1}}}', "a.app must be a number"),
    (" " * (1_048_576 + 1), "is longer than 1048576 bytes"),
])  # fmt: skip
def test_a_file_that_has_no_profiles_is_refused_by_its_fault(ctl, text, words):
    ctl.file.parent.mkdir(parents=True)
    ctl.file.write_text(text)
    ctl.file.chmod(0o600)
    assert words in told(ctl("call", "GetStats"), 1)


@pytest.mark.parametrize("arguments, words", [
    (["login", "a/b"], "the name of a profile"), (["login", "x" * 65], "the name of a profile"),
    (["login", "--key", "k" * 4_097], "at most 4096 bytes"),
    (["login", "--server", "https://x:7450"], "is a URL"),
    (["login", "--user-sig", "x"], "keeps no client certificate and no --user-sig"),
])  # fmt: skip
def test_a_login_that_cannot_be_kept_is_refused(ctl, arguments, words):
    assert words in told(ctl(*arguments), 64)
    assert not ctl.file.exists()
