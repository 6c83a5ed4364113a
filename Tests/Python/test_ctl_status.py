"""What `relationctl status` tells, keys that do not fit the app, and the pages of a profile."""

import json
import collections
import os
import re
import subprocess
import types

import grpc
import pytest
from credentials import Keys, init
from grpc_health.v1 import health_pb2, health_pb2_grpc
from relationd import Relationd, executable
from test_metrics import metrics


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
            running.writer = keys.key(running.app, "read", "write")
            running.watcher = keys.key(running.app, "watch")
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
    assert told.clock.startswith("the same, as far as the endpoints say: to ")
    assert told.may == "read, write, watch, admin, operator", "an insecure server lets all do all"
    assert (told.app, told.credential) == ("1", "none; the server asks for none")


def test_status_says_that_the_pages_cannot_be_read(ctl, server):
    told = facts(ctl("status", "--server", server.address, "--pages", "127.0.0.1:1"))
    assert told.relationd.startswith("not known: the admin endpoints of 127.0.0.1:1 cannot be read")
    assert told.health == "serving"


def test_status_tells_who_the_caller_is(ctl, guarded, authority):
    where = ["status", "--server", guarded.address, "--tls-ca", authority.path]
    told = facts(ctl(*where, "--key", guarded.all_scopes))
    assert told.server == f"{guarded.address}, encrypted"
    assert told.app == str(guarded.app)
    # Nothing more: a server that asks for a credential is what people expect.
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
    assert ctl("login", "other", "--unchecked", "--server", "127.0.0.1:1").returncode == 0
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


def test_a_profile_without_pages_is_told(ctl, server):
    assert ctl("login", "bare", "--server", server.address).returncode == 0
    for command in (["slow", "--profile", "bare"], ["slow"]):
        assert f"it is not known where the admin endpoints of {server.address} are" in told(ctl(*command), 64)
    # Everything else is known of a server.
    for command in (["--profile", "bare", "status"], ["status"]):
        found = facts(ctl(*command))
        assert found.relationd.startswith("not known: it is not known where the admin endpoints of ")
        assert found.health == "serving"
    assert "no profile none in " in told(ctl("slow", "--profile", "none"), 64)
    assert "--pages takes an address" in told(ctl("login", "--pages", "x"), 64)


# Pages of another server


@pytest.fixture(scope="module")
def other(tmp_path_factory):
    with Relationd(tmp_path_factory.mktemp("other") / "data") as running:
        yield running


COMMANDS = [["slow"], ["connections"], ["top", "--interval", "1", "--count", "1"]]


@pytest.mark.parametrize("command", COMMANDS)
def test_no_figures_of_another_server_are_shown(ctl, server, other, command):
    words = (
        f"the admin endpoints of {pages(other)} are those of another server than {server.address}")
    for arguments, variables in [
        (["--server", server.address, "--pages", pages(other)], {}),
        (["--pages", pages(other)], {"RELATION_SERVER": server.address, "RELATION_PAGES": "x"}),
        (["--server", server.address], {"RELATION_PAGES": pages(other)}),
        ([], {"RELATION_SERVER": server.address, "RELATION_PAGES": pages(other)}),
    ]:
        is_alone = arguments[:1] == ["--pages"]
        done = ctl(*command, *arguments, **variables)
        if is_alone:
            assert done.returncode == 0, "the pages themselves are asked for"
        else:
            assert words in told(done, 1) and done.stdout == ""
    done = ctl("--server", server.address, *command, "--pages", pages(server))
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("command", COMMANDS)
def test_a_profile_reads_no_pages_of_another_server(ctl, server, other, command):
    done = ctl("login", "mixed", "--server", server.address, "--pages", pages(other))
    assert done.returncode == 0, done.stderr
    assert "another server" in told(ctl(*command), 1)
    assert "another server" in told(ctl(*command, "--profile", "mixed"), 1)
    assert ctl(*command, "--pages", pages(other)).returncode == 0


def test_several_addresses_are_called_and_show_no_figures(ctl, server):
    both = f"127.0.0.1:1,{server.address}"
    assert ctl("call", "GetStats", "--server", both).returncode == 0
    assert ctl("call", "GetStats", RELATION_SERVER=both).returncode == 0
    line = told(ctl("slow", "--server", both, "--pages", pages(server)), 64)
    assert f"figures are those of one server: name one of {both}" in line
    found = facts(ctl("status", "--server", both, "--pages", pages(server)))
    assert found.server.startswith(both) and "figures are those of one" in found.relationd
    assert ctl("login", "both", "--server", both).returncode == 0
    assert ctl("call", "GetStats").returncode == 0
    for text in (f"{server.address},x", f"x,{server.address}", f"{server.address},"):
        assert ctl("call", "GetStats", "--server", text).returncode == 64, text


@pytest.mark.parametrize("command", COMMANDS)
def test_a_server_whose_pages_are_not_known_has_none_shown(ctl, server, command):
    line = told(ctl(*command, "--server", server.address), 64)
    assert f"it is not known where the admin endpoints of {server.address} are" in line and "--pages" in line


def test_a_status_tells_nothing_of_another_server(ctl, server, other):
    told = facts(ctl("status", "--server", server.address, "--pages", pages(other)))
    assert "those of another server" in told.relationd and not hasattr(told, "clock")
    told = facts(ctl("status", "--server", server.address))
    assert told.relationd.startswith("not known: it is not known where the admin endpoints of ")


def test_pages_are_not_shown_beside_a_server_that_does_not_answer(ctl, other):
    done = ctl("slow", "--server", "127.0.0.1:1", "--pages", pages(other))
    assert done.returncode == 3 and done.stdout == ""


def test_top_says_whose_pages_it_shows(ctl, server):
    done = ctl("top", "--interval", "1", "--count", "1", "--pages", pages(server))
    assert f"  at {pages(server)}" in done.stdout.splitlines()[0]


def test_a_server_started_again_is_the_same_one(tmp_path):
    def start():
        return Relationd(tmp_path / "data", "--metrics-listen", "127.0.0.1:0")

    with start() as first:
        with grpc.insecure_channel(first.address) as channel:
            names = {instance(channel), instance(channel)}
    with start() as second:
        with grpc.insecure_channel(second.address) as channel:
            names.add(instance(channel))
    assert len(names) == 2 and all(re.fullmatch("[0-9a-f]{16}", name) for name in names)


def instance(channel):
    """The name of the process that answers a call of health."""
    _, call = health_pb2_grpc.HealthStub(channel).Check.with_call(health_pb2.HealthCheckRequest())
    return dict(call.initial_metadata())["relation-instance"]


# Log in


def test_a_login_says_who_the_caller_is(ctl, guarded, authority):
    where = ["--server", guarded.address, "--tls-ca", authority.path]
    done = ctl("login", "work", *where, input=guarded.reader + "\n")
    assert done.returncode == 0, done.stderr
    assert f"the server accepts the key {guarded.reader.split('.')[1]} of app {guarded.app}" \
        in done.stdout
    assert done.stdout.rstrip().endswith("which may: read")
    assert guarded.reader.rpartition(".")[2] not in done.stdout + done.stderr


@pytest.mark.parametrize("key", ["wrong", "", "1.abc.def"])
def test_a_login_that_the_server_does_not_accept_keeps_nothing(ctl, guarded, authority, key):
    where = ["--server", guarded.address, "--tls-ca", authority.path]
    done = ctl("login", "work", *where, input=key + "\n")
    assert done.returncode == 4 and done.stdout == ""
    assert "profile work is not kept; --unchecked keeps it all the same" in done.stderr
    assert "no profile work" in told(ctl("status", "--profile", "work"), 64)
    assert ctl("login", "work", "--unchecked", *where, input=key + "\n").returncode == 0


@pytest.mark.parametrize("key, words", [
    ("", "the server asks for no credential; a caller may: read, write, watch, admin, operator"),
    ("1.abc.def", "the server asks for no credential, and has not looked at the key; a caller "
     "may: read, write, watch, admin"),
    ("0.abc.def", "the server asks for no credential, and has not looked at the key; a caller "
     "may: read, write, watch, admin, operator"),
])  # fmt: skip
def test_a_login_says_that_the_server_asks_for_no_credential(ctl, server, key, words):
    done = ctl("login", "open", "--server", server.address, input=key + "\n")
    assert done.returncode == 0, done.stderr
    assert done.stdout.rstrip().endswith(words) and "accepts" not in done.stdout
    # With a key, status makes no call without one, which a server may count as refused.
    told = facts(ctl("status", "--profile", "open"))
    assert told.credential.endswith("; the server asks for none") == (key == "")


@pytest.mark.parametrize("key", ["wrong", "1.abc", "x.abc.def", "12345678901.abc.def", "1..def"])
def test_a_login_without_a_need_keeps_nothing_that_is_no_key(ctl, server, key):
    where = ["login", "work", "--server", server.address]
    done = ctl(*where, input=key + "\n")
    assert done.returncode == 64 and done.stdout == ""
    assert "the server asks for no credential, and what was given is not a key" in done.stderr
    assert "profile work is not kept; --unchecked keeps it all the same" in done.stderr
    assert "no profile work" in told(ctl("status", "--profile", "work"), 64)
    assert ctl(*where, "--unchecked", input=key + "\n").returncode == 0
    told_again = facts(ctl("status", "--profile", "work"))
    assert told_again.credential == "a key of no known form; the server asks for none"


def test_a_status_in_json_has_null_for_what_is_not_known(ctl, server):
    done = ctl("status", "--server", server.address, "--pages", "127.0.0.1:1", "-o", "json")
    shown = json.loads(done.stdout)
    assert shown["relationd"] is None and "clock" not in shown
    assert shown["relationdReason"].startswith("the admin endpoints of 127.0.0.1:1 cannot be read")
    done = ctl("status", "--server", server.address, "--pages", server.pages, "-o", "json")
    shown = json.loads(done.stdout)
    assert ", contract " in shown["relationd"] and "relationdReason" not in shown
    assert shown["clock"]


def test_a_status_in_json_says_whether_a_credential_is_asked_for(ctl, server, guarded, authority):
    done = ctl("status", "--server", server.address, "--output", "json")
    shown = json.loads(done.stdout)
    assert (shown["asksForCredential"], shown["isServing"]) == (False, True)
    assert shown["may"] == ["read", "write", "watch", "admin", "operator"]
    done = ctl("status", "--server", guarded.address, "--tls-ca", authority.path, "--key",
               guarded.reader, "--output", "json")
    shown = json.loads(done.stdout)
    assert (shown["asksForCredential"], shown["isEncrypted"]) == (True, True)
    assert shown["may"] == ["read"]


def test_a_login_without_a_server_keeps_nothing(ctl):
    done = ctl("login", "work", "--server", "127.0.0.1:1", input="\n")
    assert done.returncode == 3 and "is not kept" in done.stderr
    assert "no profile work" in told(ctl("status", "--profile", "work"), 64)


# Variables


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_line_end_behind_a_secret_is_no_part_of_it(ctl, guarded, authority, end):
    where = ["call", "ListOperatorKeys", "--tls-ca", authority.path]
    done = ctl(*where, RELATION_SERVER=guarded.address + end,
               RELATION_API_KEY=guarded.operator + end)
    assert done.returncode == 0, done.stderr
    done = ctl(*where, "--server", guarded.address, "--key", guarded.operator + end)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", [
    "RELATION_API_KEY", "RELATION_USER_SIG", "RELATION_SERVER", "RELATION_APP",
    "RELATION_PROFILE", "RELATION_PAGES"])
@pytest.mark.parametrize("value", ["SECRET\nx", "SECRET\n\n", "SEC\tRET", "SECRET\x7f"])
def test_a_variable_of_several_lines_is_named(ctl, server, name, value):
    variables = {"RELATION_SERVER": server.address, name: value}
    line = told(ctl("slow" if name == "RELATION_PAGES" else "status", **variables), 64)
    assert f"{name} must be one line" in line and "SEC" not in line


# Nothing that was not understood is a success


@pytest.mark.parametrize("program, arguments", [
    ("relationd", []), ("relationctl", []), ("relationd", ["config"]),
    ("relationctl", ["operator-keys"]), ("relationctl", ["--server", "127.0.0.1:1"])])
def test_a_command_line_without_a_command_is_no_success(program, arguments):
    done = subprocess.run([executable(program), *arguments], capture_output=True, text=True)
    assert done.returncode == 64 and done.stdout == ""
    assert "a command is missing" in done.stderr and "USAGE: " + program in done.stderr
    done = subprocess.run([executable(program), *arguments, "--help"], capture_output=True,
                          text=True)
    assert done.returncode == 0 and "USAGE: " + program in done.stdout


@pytest.fixture(scope="module")
def mover(tmp_path_factory):
    """A library that moves the environment before a program begins, as libfaketime does."""
    folder = tmp_path_factory.mktemp("mover")
    source, library = folder / "mover.c", folder / "mover.so"
    source.write_text("""
        #include <stdlib.h>
        __attribute__((constructor)) static void move(void) { setenv("MOVED", "1", 1); }
    """)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True)
    return str(library)


@pytest.mark.parametrize("program, arguments, words", [
    ("relationd", ["--version"], "relationd "), ("relationctl", ["--version"], "relationctl "),
    ("relationctl", ["describe", "AddFriends"], "FriendService/AddFriends"),
    ("relationd", ["config", "page"], "# Settings")])
def test_arguments_are_found_when_the_environment_has_moved(mover, program, arguments, words):
    done = subprocess.run(
        [executable(program), *arguments], capture_output=True, text=True,
        env={**os.environ, "LD_PRELOAD": mover})
    assert done.returncode == 0, done.stderr
    assert words in done.stdout, done.stdout


# The calls of a status


def failed_calls(running):
    """The calls that did not end in OK, as the server counts them: how many of each code."""
    counts = collections.Counter()
    for name, value in metrics(running).items():
        if name.startswith("relation_calls_total{") and 'code="OK"' not in name:
            counts[re.search('code="([A-Z_]+)"', name)[1]] += value
    return counts


@pytest.mark.parametrize("who, may, refused", [
    ("operator", "read, write, watch, admin, operator", 0),
    ("all_scopes", "read, write, watch, admin", 0),
    # One refusal tells a key without the scope admin which ones it has.
    ("reader", "read", 1), ("writer", "read, write", 1), ("watcher", "watch", 1),
])
def test_a_status_makes_no_call_that_breaks_a_rule(ctl, guarded, authority, who, may, refused):
    before = failed_calls(guarded)
    where = ["status", "--server", guarded.address, "--tls-ca", authority.path, "--key",
             getattr(guarded, who), "--app", guarded.app]
    assert facts(ctl(*where)).may == may
    assert failed_calls(guarded) - before == (
        {"PERMISSION_DENIED": refused} if refused else {})


def test_a_status_of_an_open_server_makes_no_call_that_is_refused(ctl, server):
    before = failed_calls(server)
    assert facts(ctl("status", "--server", server.address)).may.endswith("operator")
    assert failed_calls(server) == before
