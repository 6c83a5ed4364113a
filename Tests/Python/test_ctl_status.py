"""What `relationctl status` tells, keys that do not fit the app, and the pages of a profile."""

import os
import re
import subprocess
import types

import grpc
import pytest
from credentials import Keys, init
from relationd import Relationd, executable


@pytest.fixture(scope="module")
def guarded(tmp_path_factory, stubs, authority, certificate):
    """A server that encrypts, asks for a credential, and has two apps with a key each."""
    data = tmp_path_factory.mktemp("status") / "data"
    _, operator, _ = init(data)
    with Relationd(
        data, "--tls-cert", certificate.path, "--tls-key", certificate.key_path, insecure=False,
    ) as running:  # fmt: skip
        trust = grpc.ssl_channel_credentials(authority.pem)
        with grpc.secure_channel(running.address, trust) as channel:
            keys = Keys(stubs, channel, operator)
            running.app = keys.app()
            running.all_scopes = keys.key(running.app)
            running.reader = keys.key(running.app, "read")
        running.operator = operator
        yield running


@pytest.fixture
def ctl(tmp_path):
    """The command line of a person who has no profile yet."""

    def run(*arguments, input="", **variables):
        environment = {
            name: value for name, value in os.environ.items() if not name.startswith("RELATION_")}
        environment |= {"XDG_CONFIG_HOME": str(tmp_path / "home"), **variables}
        return subprocess.run(
            [executable("relationctl"), *map(str, arguments)], capture_output=True, text=True,
            timeout=60, input=input, env=environment)

    return run


def told(done, status):
    assert done.returncode == status, (done.returncode, done.stdout, done.stderr)
    (line,) = done.stderr.splitlines()
    return line


def facts(done, status=0):
    """The rows of the answer, by their names."""
    assert done.returncode == status, (done.returncode, done.stdout, done.stderr)
    return types.SimpleNamespace(
        **dict(re.split(r"\s{2,}", line, maxsplit=1) for line in done.stdout.splitlines()))


def pages(running):
    return running.pages.removeprefix("http://").rstrip("/")


def test_status_tells_address_versions_health_and_clock(ctl, server):
    told = facts(ctl("status", "--server", server.address, "--pages", pages(server)))
    assert told.server == f"{server.address}, not encrypted"
    version = subprocess.run(
        [executable("relationctl"), "--version"], capture_output=True, text=True).stdout.split()[1]
    assert told.relationctl == version
    assert told.relationd.startswith(f"{version}, contract ")
    assert told.health == "serving"
    assert told.clock.startswith("the same, as far as the pages tell: to ")
    assert told.may == "read, write, watch, admin, operator", "an insecure server lets all do all"
    assert (told.app, told.credential) == ("1", "none")


def test_status_says_that_the_pages_cannot_be_read(ctl, server):
    told = facts(ctl("status", "--server", server.address, "--pages", "127.0.0.1:1"))
    assert told.relationd.startswith("not known: the pages of 127.0.0.1:1 cannot be read")
    assert told.health == "serving"


def test_status_tells_who_the_caller_is(ctl, guarded, authority):
    where = ["status", "--server", guarded.address, "--tls-ca", authority.path]
    told = facts(ctl(*where, "--key", guarded.all_scopes))
    assert told.server == f"{guarded.address}, encrypted"
    assert told.app == str(guarded.app)
    assert re.fullmatch(rf"the key [0-9a-f]+ of app {guarded.app}", told.credential)
    assert told.may == "read, write, watch, admin"
    assert facts(ctl(*where, "--key", guarded.reader)).may == "read"
    told = facts(ctl(*where, "--key", guarded.operator))
    assert told.may.endswith("operator") and told.credential.startswith("the operator's key ")


def test_no_status_shows_the_secret_of_a_key(ctl, guarded, authority):
    done = ctl("status", "--server", guarded.address, "--tls-ca", authority.path, "--key",
               guarded.all_scopes)
    assert guarded.all_scopes.rpartition(".")[2] not in done.stdout + done.stderr


def test_a_status_without_a_credential_ends_with_4(ctl, guarded, authority):
    done = ctl("status", "--server", guarded.address, "--tls-ca", authority.path)
    assert "CREDENTIAL_MISSING" in told(done, 4)
    assert "may" in done.stdout and "nothing" in done.stdout


def test_a_status_of_an_app_that_is_not_there_ends_with_2(ctl, server):
    done = ctl("status", "--server", server.address, "--app", "77")
    assert "APP_NOT_FOUND" in told(done, 2)


def test_a_status_of_no_server_ends_with_3(ctl):
    assert "127.0.0.1:1" in told(ctl("status", "--server", "127.0.0.1:1"), 3)


def test_a_key_of_another_app_is_refused_before_a_call_goes_out(ctl, server):
    # No server listens there: the answer would be another one.
    done = ctl("call", "GetStats", "--server", "127.0.0.1:1", "--app", "2", "--key", "3.abc.def")
    line = told(done, 4)
    assert "the key is of app 3, and the call is for app 2" in line
    done = ctl("call", "GetStats", "--server", server.address, RELATION_APP="2",
               RELATION_API_KEY="3.abc.def")
    assert "the key is of app 3, and the call is for app 2" in told(done, 4)
    assert "the key is of app 3" in told(
        ctl("login", "--app", "2", input="3.abc.def\n"), 4)


def test_a_key_names_the_app_of_the_call_also_on_an_insecure_server(ctl, server):
    done = ctl("call", "GetStats", "--server", server.address, "--key", "77.abc.def")
    assert "APP_NOT_FOUND" in told(done, 2), "it does not act in app 1"
    done = ctl("call", "GetStats", "--server", server.address, "--key", "0.abc.def", "--app", "1")
    assert done.returncode == 0, "an operator's key acts in any app"
    done = ctl("call", "GetStats", "--server", server.address, "--key", "any words", "--app", "1")
    assert done.returncode == 0, "the server judges a key of no known form"


@pytest.mark.parametrize("command", [
    ["slow"], ["connections"], ["top", "--interval", "1", "--count", "1"], ["status"],
])  # fmt: skip
def test_the_pages_of_a_profile_are_read(ctl, server, command):
    done = ctl("login", "work", "--server", server.address, "--pages", pages(server))
    assert done.returncode == 0, done.stderr
    assert ctl("login", "other", "--server", "127.0.0.1:1").returncode == 0
    for way in [["--profile", "work", *command], [*command, "--profile", "work"]]:
        done = ctl(*way)
        assert done.returncode == 0, (way, done.stderr)
        assert "not known" not in done.stdout
    done = ctl(*command, RELATION_PROFILE="work")
    assert done.returncode == 0, done.stderr


def test_a_variable_names_the_pages(ctl, server):
    done = ctl("slow", RELATION_PAGES=pages(server))
    assert done.returncode == 0 and done.stdout.startswith("call ")
    assert "RELATION_PAGES takes an address such as" in told(ctl("slow", RELATION_PAGES="x"), 64)


def test_a_named_profile_without_pages_is_told(ctl, server):
    assert ctl("login", "bare", "--server", server.address).returncode == 0
    assert "has no pages: 'relationctl login' takes --pages" in told(
        ctl("slow", "--profile", "bare"), 64)
    assert "no profile none in " in told(ctl("slow", "--profile", "none"), 64)
    assert "--pages takes an address" in told(ctl("login", "--pages", "x"), 64)
