"""The settings of the server: the file, the variables and the flags, and what SIGHUP changes."""

import contextlib
import gzip
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tempfile

import grpc
import pytest
from credentials import Keys, init
from refusals import refusal
from relationd import ROOT, Relationd, executable
from stubs import Relation
from test_tls import PREFACE, secure, serial

PAGE = (ROOT / "docs" / "settings.md").read_text()
#: From the page: the name of each setting, and its values in words.
RULES = dict(re.findall(r"^\| \[`([a-z-]+)`\]\(#[a-z-]+\) \| ([^|]+) \|", PAGE, re.MULTILINE))
NUMBERS = {
    name: tuple(map(int, re.search(r"from (\d+) to (\d+)", rule).groups()))
    for name, rule in RULES.items() if rule.startswith("a number")
}  # fmt: skip
WITHOUT_FLAG = {"tls-key-pem", "store-password"}
WITHOUT_FILE = WITHOUT_FLAG | {"config", "accept-loss"}
#: The lines of `config show`: name, value and source.
SHOWN = re.compile(r"^(?:# )?([a-z-]+):(?: (.*?))?  +# (.*)$", re.MULTILINE)
PATIENCE = 30
# Another user, which every Debian has.
OTHERS = 65534


def variable(name):
    return "RELATIOND_" + name.upper().replace("-", "_")


def run(*arguments, **variables):
    """Runs relationd to its end with these variables, and returns status, output and complaints."""
    clean = {name: value for name, value in os.environ.items() if "RELATIOND_" not in name}
    done = subprocess.run(
        [executable("relationd"), *map(str, arguments)], capture_output=True, text=True,
        timeout=30, env=clean | variables,
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr


def show(*arguments, **variables):
    status, said, complained = run("config", "show", *arguments, **variables)
    assert status == 0, complained
    return {name: (value, source) for name, value, source in SHOWN.findall(said)}


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "relationd.yaml"

    def write(text):
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def assert_refused(answer, *words):
    status, said, complained = answer
    assert status > 0 and said == "", answer
    assert "Fatal error" not in complained
    for word in words:
        assert str(word) in complained, complained


# The table


def test_the_page_is_what_the_table_says():
    assert run("config", "page")[1] == PAGE, "make docs writes the page anew"
    assert len(RULES) > 25 and len(NUMBERS) > 15


def test_every_setting_is_a_flag():
    flags = set(re.findall(r"--([a-z-]+)", run("serve", "--help")[1]))
    assert set(RULES) - flags == WITHOUT_FLAG
    assert {name for name in flags if not name.startswith("no-")} - set(RULES) == {
        "help", "version"} & flags  # fmt: skip


def test_every_setting_is_shown_with_its_source():
    assert set(show()) == set(RULES)
    assert show()["app-rate"] == ("200000", "default")
    assert show()["data"] == ("", "default: the folder or database of `store`")


#: How each source says what `values` maps names to: arguments, variables, and what a fault names.
SOURCES = {
    "file": lambda values, write: (
        ["--config", write("".join(f"{name}: '{value}'\n" for name, value in values.items()))],
        {}, ": {} takes".format),
    "environment": lambda values, write: (
        [], {variable(name): str(value) for name, value in values.items()},
        lambda name: f"Error: {variable(name)} takes"),
    "flags": lambda values, write: (
        [f"--{name}={value}" for name, value in values.items()], {}, "Error: --{} takes".format),
}  # fmt: skip


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("end", [0, 1], ids=["lowest", "highest"])
def test_each_number_has_its_bounds_in_each_source(file, source, end):
    fits = {name: bounds[end] for name, bounds in NUMBERS.items()}
    arguments, variables, _ = SOURCES[source](fits, file)
    shown = show(*arguments, **variables)
    assert {name: int(shown[name][0]) for name in fits} == fits
    past = {name: bounds[end] + (1 if end else -1) for name, bounds in NUMBERS.items()}
    arguments, variables, fault = SOURCES[source](past, file)
    answer = run("config", "show", *arguments, **variables)
    assert_refused(answer, *map(fault, past))
    for low, high in NUMBERS.values():
        assert f"from {low} to {high}, not '" in answer[2]
    assert answer[2].count("Error: ") == len(past)


@pytest.mark.parametrize("source", SOURCES)
def test_a_number_is_digits_in_each_source(file, source):
    for wrong in ("x", "+1", "1_0", "0x10", "1.5", "1e3", " 1", "9" * 30):
        arguments, variables, fault = SOURCES[source]({"app-rate": wrong}, file)
        assert_refused(run("config", "show", *arguments, **variables), fault("app-rate"))


# The order


def test_a_flag_stands_over_a_variable_and_a_variable_over_the_file(file):
    path = file("key-rate: 5\nconnection-idle: 6\n")
    told = show("--config", path)
    assert told["key-rate"] == ("5", f"{path}:1")
    assert told["connection-idle"] == ("6", f"{path}:2")
    told = show(RELATIOND_CONFIG=str(path), RELATIOND_KEY_RATE="7")
    assert told["key-rate"] == ("7", "RELATIOND_KEY_RATE")
    assert told["connection-idle"] == ("6", f"{path}:2")
    told = show("--config", path, "--key-rate", 8, RELATIOND_KEY_RATE="7")
    assert told["key-rate"] == ("8", "--key-rate")
    assert told["user-rate"] == ("1000", "default")


def test_a_flag_turns_off_what_the_file_turns_on(file):
    path = file("insecure: true\n")
    assert show("--config", path)["insecure"] == ("true", f"{path}:1")
    assert show("--config", path, "--no-insecure")["insecure"] == ("false", "--no-insecure")
    assert show("--config", path, RELATIOND_INSECURE="false")["insecure"][0] == "false"


def test_what_is_shown_is_a_file_with_the_same_values(file):
    values = ["--listen", "unix:/tmp/a b'c", "--data", "# data: x", "--app-rate", 7, "--insecure"]
    shown = run("config", "show", *values)[1]
    again = show("--config", file(shown))
    assert {name: value for name, (value, _) in again.items() if name != "config"} == {
        name: value for name, (value, _) in show(*values).items() if name != "config"}  # fmt: skip


def test_a_server_starts_with_a_file_alone(tmp_path, file):
    path = file(f"data: {tmp_path / 'data'}\nlisten: 127.0.0.1:0\ninsecure: true\n")
    with subprocess.Popen(
        [executable("relationd"), "serve", "--config", str(path)], stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stdout.readline().startswith("listening on 127.0.0.1:")
        process.terminate()
        process.communicate(timeout=30)
    assert process.returncode == 0


def test_the_operators_key_is_made_in_the_folder_of_the_file(tmp_path, file):
    path = file(f"data: {tmp_path / 'data'}\n")
    status, key, complained = run("init", "--config", path)
    assert status == 0 and key, complained
    assert_refused(run("init", RELATIOND_DATA=str(tmp_path / "data")), "--replace-key")
    assert_refused(run("init"), "--data", "RELATIOND_DATA")


# Refusals

FAULTS = {
    "an unknown name": ("app-rate: 1\napp-rats: 2\n", ":2: there is no setting 'app-rats'"),
    "a name with other dashes": ("app_rate: 1\n", ":1: there is no setting", "app-rate is one"),
    "a name given twice": ("data: a\napp-rate: 1\napp-rate: 2\n", ":2: app-rate", "more than once"),
    "no YAML": ("app-rate: 1\nkey-rate: [1\n", ":3: "),
    "a tab": ("app-rate: 1\n\tkey-rate: 2\n", ":2: "),
    "a list": ("app-rate: [1, 2]\n", ":1: app-rate takes", "and not a list"),
    "a mapping": ("tls:\n  cert: a\n", ":1: there is no setting 'tls'"),
    "a list of settings": ("- app-rate\n", ":1: a file has one"),
    "a word": ("app-rate\n", ":1: a file has one"),
    "two documents": ("app-rate: 1\n---\nkey-rate: 1\n", ":2: "),
    "nothing as value": ("app-rate:\n", ":1: app-rate takes a number"),
    "yes": ("insecure: yes\n", ":1: insecure takes true or false, not 'yes'"),
    "another level": ("log-level: loud\n", ":1: log-level takes trace, ", "'loud'"),
    "no address": ("listen: 7450\n", ":1: listen takes HOST:PORT or unix:PATH, not '7450'"),
    "a key in place of its path": ("tls-key: |\n  -----BEGIN\n  SECRET\n", ":1: tls-key takes"),
    "a secret": ("tls-key-pem: SECRET\n", ":1: tls-key-pem", "RELATIOND_TLS_KEY_PEM"),
    "what is for one start": ("accept-loss: true\n", ":1: accept-loss", "--accept-loss"),
    "the file itself": ("config: other\n", ":1: config", "--config"),
    "no text": (b"app-rate: 1\nkey-rate: \xff\n", "is not UTF-8 in line 2"),
    "a control character": ("app-rate: 1\nkey-rate: 1\0\n", ":2: control characters"),
    "a packed file": (gzip.compress(b"app-rate: 1\n"), "is packed by gzip: unpack it first"),
    "too long": ("#" * 65_537, "65536"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_of_the_file_is_named_by_its_line_and_nothing_starts(tmp_path, file, fault):
    text, *words = FAULTS[fault]
    path = file(text)
    data = tmp_path / "data"
    for answer in (
        run("config", "check", path, "--data", data),
        run("serve", "--config", path, "--data", data, "--insecure")):
        assert_refused(answer, path, *words)
        assert "SECRET" not in answer[2]
        assert not data.exists()


def test_a_file_of_the_greatest_length_is_read(file):
    text = "app-rate: 3\n"
    path = file(text + "#" * (65_536 - len(text)))
    assert show("--config", path)["app-rate"][0] == "3"
    for text in ("", "# no\n"):
        assert run("config", "check", file(text), "--data", path.parent / "data")[0] == 0


def test_all_faults_are_told_at_once(file):
    path = file("app-rate: x\nnone: 1\nmemory: 15\n")
    answer = run("config", "check", path, RELATIOND_KEY_RATE="-", RELATIOND_NONE="1")
    assert_refused(
        answer, ":1: app-rate", ":2: there is no setting 'none'", ":3: memory",
        "RELATIOND_KEY_RATE takes", "there is no setting RELATIOND_NONE")  # fmt: skip
    assert answer[2].count("Error: ") == 5


def test_a_file_that_is_not_there_is_refused(tmp_path):
    assert_refused(run("config", "check", tmp_path / "none"), tmp_path / "none", "No such file")
    assert_refused(run("config", "check", tmp_path), tmp_path, "directory")
    assert_refused(run("config", "show", "--config", ""), "--config takes")


def test_settings_that_do_not_fit_together_are_named_by_their_sources(file):
    path = file("listen: 0.0.0.0:1\nrequire-client-cert: true\n")
    assert_refused(
        run("config", "check", path, RELATIOND_CLIENT_CA="ca"), "0.0.0.0:1", "--tls-cert",
        "RELATIOND_CLIENT_CA needs")  # fmt: skip
    assert_refused(run("config", "check", path), f"{path}:2: require-client-cert needs --client-ca")
    path = file("hook-cert: c.pem\n")
    assert_refused(run("config", "check", path), f"{path}:1: hook-cert needs --hook-key")
    assert_refused(
        run("config", "check", file(""), RELATIOND_HOOK_KEY="k"),
        "RELATIOND_HOOK_KEY needs --hook-cert")
    assert run("config", "check", file("listen: 0.0.0.0:0\n"), "--allow-plaintext", "--data",
               path.parent / "data")[0] == 0


def test_a_stronger_source_says_where_the_rows_are_whichever_word_it_has(file):
    address = "postgresql://db.example/relation"
    path = file("data: /var/lib/relationd\n")
    for shown in [show("--config", path, "--store", address),
                  show("--config", path, RELATIOND_STORE=address)]:
        assert shown["store"][0] == f"'{address}'" and not shown["data"][0]
    shown = show("--config", path, "--data", "there", RELATIOND_STORE=address)
    assert shown["data"][0] == "there" and not shown["store"][0]
    path = file(f"store: {address}\n")
    assert show("--config", path, RELATIOND_DATA="there")["data"][0] == "there"
    assert_refused(
        run("config", "check", file(f"store: {address}\ndata: here\n")),
        "data and", "cannot be used together")


def test_standbys_for_reads_are_addresses_beside_a_database(file):
    one, other = (f"postgresql://{host}.example:5432/relation" for host in ("one", "other"))
    path = file(f"store: {one}\nstore-read: {other} {other}\n")
    assert show("--config", path)["store-read"][0] == f"'{other} {other}'"
    for wrong in ("rocks:there", "elsewhere", " ".join([other] * 9),
                  other.replace("://", "://relation:secret@")):
        answer = run("config", "show", f"--store-read={wrong}")
        assert_refused(answer, "--store-read takes 1 to 8 addresses")
        assert "secret" not in answer[2]
    assert_refused(
        run("config", "check", file(f"data: here\nstore-read: {other}\n")),
        "store-read needs --store with a database")


def test_a_key_in_a_variable_stands_over_the_file_of_a_key(file, certificate, tmp_path):
    path = file(
        f"data: {tmp_path}/data\ntls-cert: {certificate.path}\ntls-key: /nowhere/key.pem\n")
    secret = pathlib.Path(certificate.key_path).read_text()
    assert run("config", "check", path, RELATIOND_TLS_KEY_PEM=secret)[0] == 0


@pytest.mark.parametrize("mode", ["600", "0660", "0666", "0777"])
def test_the_mode_of_a_socket_is_in_octal_digits(file, mode, tmp_path):
    path = file(
        f"data: {tmp_path}/data\nlisten: unix:{tmp_path}/socket\nlisten-mode: {mode}\n")
    assert run("config", "check", path)[0] == 0


@pytest.mark.parametrize("mode", ["", "66", "0o660", "0668", "1777", "00660", "0440", "rw", "432 "])
def test_what_is_no_mode_of_a_socket_is_refused(mode):
    assert_refused(
        run("config", "show", "--listen", "unix:/run/relation.sock", "--listen-mode", mode),
        "--listen-mode takes a mode of a file that lets its owner in, from 0600 to 0777")


def test_a_port_has_no_mode(file):
    assert_refused(
        run("config", "check", file("listen: 127.0.0.1:1\nlisten-mode: 0660\n")),
        ":2: listen-mode needs a socket, and 127.0.0.1:1 is none")


def test_a_check_reads_the_files_of_tls(file, tmp_path):
    path = file(f"tls-cert: {tmp_path}/none.pem\ntls-key: {tmp_path}/none.key\n")
    assert_refused(
        run("config", "check", path, "--data", tmp_path / "data"),
        f"{tmp_path}/none.pem cannot be read")


CANNOT_START = {
    "no place for the data": ("", "no source says where the data is"),
    "a file in place of the folder": ("data: FILE\n", "FILE is a file"),
    "a folder of something else": ("data: FOLDER\n", "holds files of something else"),
    "a folder below a file": ("data: FILE/data\n", "FILE/data"),
    "an address of another machine": (
        "listen: 192.0.2.1:0\nallow-plaintext: true\ndata: NEW\n", "cannot listen on 192.0.2.1:0"),
    "a name without an address": (
        "listen: relation.invalid:1\nallow-plaintext: true\ndata: NEW\n", "has no address"),
    "pages of another machine": (
        "metrics-listen: 192.0.2.1:0\nmetrics-allow-plaintext: true\ndata: NEW\n",
        "cannot listen on 192.0.2.1:0"),
    "one address for both": (
        "listen: 127.0.0.1:7999\nmetrics-listen: 127.0.0.1:7999\ndata: NEW\n", "are one address"),
    "a socket in no folder": ("listen: unix:NEW/none/s\ndata: NEW\n", "No such file"),
    "a socket in place of a file": ("listen: unix:FILE\ndata: NEW\n", "not a socket"),
    "backups in place of a file": ("backup-folder: FILE\ndata: NEW\n", "backup-folder FILE"),
    "backups below a file": ("backup-folder: FILE/x\ndata: NEW\n", "Not a directory"),
    "no authorities of traces": (
        "trace-endpoint: https://127.0.0.1:1\ntrace-ca: NEW/ca\ndata: NEW\n", "NEW/ca"),
    "no authorities of receivers": ("hooks: true\nhook-ca: NEW/ca\ndata: NEW\n", "hook-ca: "),
    "authorities of receivers that are none": (
        "hooks: true\nhook-ca: FILE\ndata: NEW\n", "FILE cannot be used: it holds no certificate"),
    "no certificate for receivers": (
        "hooks: true\nhook-cert: NEW/c\nhook-key: NEW/k\ndata: NEW\n",
        "hook-cert: the certificate NEW/c"),
    "a certificate for receivers that is none": (
        "hooks: true\nhook-cert: FILE\nhook-key: FILE\ndata: NEW\n",
        "the certificate FILE cannot be used"),
    "a database that is not there": (
        "store: postgresql://127.0.0.1:1/x\n", "the store postgresql://127.0.0.1:1/x"),
}


@pytest.mark.parametrize("fault", CANNOT_START)
def test_settings_with_which_no_server_starts_are_not_good(file, tmp_path, fault):
    text, words = CANNOT_START[fault]
    letter = tmp_path / "letter"
    letter.write_text("dear reader")
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "letter").write_text("dear reader")

    def real(text):
        for name, path in (("FILE", letter), ("FOLDER", folder), ("NEW", tmp_path / "new")):
            text = text.replace(name, str(path))
        return text

    before = sorted(path.name for path in tmp_path.iterdir())
    path = file(real(text))
    assert_refused(run("config", "check", path), real(words))
    # A start would wait for a database that is not there.
    if fault != "a database that is not there":
        status, _, complained = run("serve", "--config", path)
        assert status not in (0, None), complained
    assert sorted(path.name for path in tmp_path.iterdir() if path.name != "relationd.yaml") == [
        name for name in before if name != "relationd.yaml"]


def test_settings_are_good_beside_a_server_that_has_them(file, tmp_path):
    with Relationd(tmp_path / "data") as running:
        path = file(f"data: {tmp_path}/data\nlisten: {running.address}\nmetrics-listen: "
                    + running.pages.removeprefix("http://") + "\n")
        assert run("config", "check", path) == (0, f"{path} is good\n", "")


@pytest.mark.parametrize("end, status", [("\n", 0), ("\r\n", 0), ("\n\n", 64), ("\tx", 64)])
def test_a_line_end_behind_a_variable_is_no_part_of_it(end, status):
    found, said, complained = run(
        "config", "show", RELATIOND_STORE_PASSWORD="SECRET" + end, RELATIOND_THREADS="3\n")
    assert found == status, complained
    assert "SECRET" not in said + complained
    if status:
        assert "RELATIOND_STORE_PASSWORD takes one line of text" in complained
    else:
        assert "threads: 3 " in said


def test_variables_of_kubernetes_are_no_settings():
    status, _, complained = run(
        "config", "show", RELATIOND_PORT="tcp://10.0.0.1:7450", RELATIOND_SERVICE_HOST="10.0.0.1",
        RELATIOND_PORT_7450_TCP_ADDR="10.0.0.1")  # fmt: skip
    assert status == 0, complained
    names = [variable(name).removeprefix("RELATIOND_") for name in RULES]
    assert not [name for name in names if re.match("PORT$|PORT_|SERVICE_", name)]


# Secrets


def test_a_key_in_the_environment_serves_and_is_never_told(
    start, stubs, authority, certificate, monkeypatch
):
    secret = certificate.key_pem.decode()
    monkeypatch.setenv("RELATIOND_TLS_KEY_PEM", secret)
    running = start(
        "data", "--tls-cert", certificate.path, "--allow-anonymous", "--log-level", "trace",
        insecure=False)  # fmt: skip
    with secure(running, authority) as channel:
        assert Relation(stubs, channel)("GetStats")
    await_reload(running)
    status, shown, _ = run(
        "config", "show", "--tls-cert", certificate.path, RELATIOND_TLS_KEY_PEM=secret)
    assert status == 0
    assert re.search(r"^# tls-key-pem: \(secret\) +# RELATIOND_TLS_KEY_PEM$", shown, re.MULTILINE)
    line = secret.splitlines()[1]
    assert line not in shown and line not in running.log
    status, _, complained = run("serve", f"--tls-key-pem={secret}", "--data", "x")
    assert status > 0


def test_a_key_that_is_none_is_not_told(tmp_path, certificate):
    answer = run(
        "serve", "--data", tmp_path / "data", "--tls-cert", certificate.path, "--allow-anonymous",
        RELATIOND_TLS_KEY_PEM="SECRET")  # fmt: skip
    assert_refused(answer, "no key in PEM")
    assert "SECRET" not in answer[2]


# Files that others read


@pytest.mark.parametrize("mode, is_told", [
    (0o600, False), (0o400, False), (0o640, True), (0o644, True), (0o604, True), (0o602, True)])
def test_a_key_that_others_read_is_a_warning_of_the_start_and_of_a_reload(
    start, certificate, tmp_path, mode, is_told
):
    key = tmp_path / "server.key"
    shutil.copy(certificate.key_path, key)
    key.chmod(mode)
    running = start(
        "data", "--tls-cert", certificate.path, "--tls-key", str(key), "--allow-anonymous",
        insecure=False)  # fmt: skip
    await_reload(running)
    told = [line for line in running.complaints if "--tls-key: others than the owner" in line]
    assert len(told) == (2 if is_told else 0), running.log
    assert all(f"(mode 0{mode:o}): chmod go= {key}" in line for line in told)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can act as another user")
@pytest.mark.parametrize("mode, is_told", [(0o640, False), (0o644, True), (0o660, True)])
def test_roots_key_may_let_in_the_group_of_the_servers_user(certificate, mode, is_told):
    with tempfile.TemporaryDirectory(prefix="key") as folder:
        folder = pathlib.Path(folder)
        folder.chmod(0o755)
        key, cert, data = folder / "server.key", folder / "server.pem", folder / "data"
        shutil.copy(certificate.key_path, key)
        shutil.copy(certificate.path, cert)
        key.chmod(mode)
        cert.chmod(0o644)
        os.chown(key, 0, OTHERS)
        data.mkdir(mode=0o700)
        os.chown(data, OTHERS, OTHERS)
        as_other = ["setpriv", f"--reuid={OTHERS}", f"--regid={OTHERS}", "--clear-groups"]
        with Relationd(
            data, "--tls-cert", str(cert), "--tls-key", str(key), "--allow-anonymous",
            insecure=False, wrapper=as_other,
        ) as running:
            assert ("others than the owner" in running.log) == is_told, running.log


# SIGHUP


def await_reload(running):
    """Sends the signal, and returns the lines of the log that it caused."""
    before = len(running.log)
    running.process.send_signal(signal.SIGHUP)
    running.await_log("SIGHUP", after=before)
    return running.log[before:]


def test_limits_change_while_the_server_runs(start, stubs, tmp_path, file):
    path = file("app-rate: 1000\n")
    _, operator, _ = init(tmp_path / "data")
    running = start("data", "--config", path, insecure=False)
    with grpc.insecure_channel(running.address) as channel:
        keys = Keys(stubs, channel, operator)
        app = keys.app()
        relation = keys.with_key(keys.key(app))
        for _ in range(5):
            relation("GetStats")
        path.write_text("app-rate: 1\nkey-streams: 1\nmemory: 2000\nthreads: 3\n")
        told = await_reload(running)
        assert f"app-rate is 1 now ({path}:1); it was 1000" in told
        assert f"key-streams is 1 now ({path}:2); it was 50000" in told
        assert f"memory is 2000 now ({path}:3); it was 1024" in told
        assert f"threads stays not set: 3 ({path}:4) needs a restart" in told
        assert "SIGHUP: 3 settings changed, 1 need a restart" in told
        refused = refusal(lambda: [relation("GetStats") for _ in range(5)])
        assert refused.code == grpc.StatusCode.RESOURCE_EXHAUSTED
        # The operator meets no rate, and a bound that is lifted lets the key in again.
        path.write_text("app-rate: 0\n")
        assert "app-rate is 0 now" in await_reload(running)
        for _ in range(50):
            relation("GetStats")


def test_nothing_changes_if_anything_is_wrong(start, stubs, file):
    path = file("connection-idle: 100\n")
    running = start("data", "--config", path, "--log-level", "info")
    path.write_text("connection-idle: 200\nmemory: 1\n")
    told = await_reload(running)
    assert f"SIGHUP: nothing is changed: {path}:2: memory takes" in told and " now" not in told
    path.unlink()
    assert "nothing is changed" in await_reload(running)
    path.write_text("connection-idle: 300\nlog-level: error\n")
    told = await_reload(running)
    # A flag stands over the file.
    assert "connection-idle is 300 now" in told and "it was 100" in told
    assert "log-level" not in told
    assert "SIGHUP: 0 settings changed, 0 need" in await_reload(running)


def test_the_level_of_the_log_changes(start, file):
    path = file("log-level: info\n")
    running = start("data", "--config", path)
    path.write_text("log-level: debug\n")
    assert "log-level is debug now" in await_reload(running)
    with socket.create_connection(("127.0.0.1", running.port)) as client:
        client.sendall(b"x" * 100)
        while client.recv(100):
            pass
    running.await_log(" debug ")


def test_connections_of_an_address_are_bounded_anew(start, file):
    path = file("address-connections: 1\n")
    running = start("data", "--config", path)

    @contextlib.contextmanager
    def connection():
        """A connection, and whether the server serves it."""
        with socket.create_connection(("127.0.0.1", running.port)) as made:
            made.settimeout(PATIENCE)
            try:
                made.sendall(PREFACE)
                yield made.recv(1) != b""
            except ConnectionError:
                yield False

    with connection() as first:
        assert first
        with connection() as second:
            assert not second
        path.write_text("address-connections: 2\n")
        await_reload(running)
        with connection() as second, connection() as third:
            assert second and not third


def test_a_certificate_at_another_path_is_shown(start, authority, file):
    first, second = authority.server("first"), authority.server("second")
    text = "tls-cert: {0.path}\ntls-key: {0.key_path}\n".format
    path = file(text(first))
    running = start("data", "--config", path, "--allow-anonymous", insecure=False)
    assert serial(running, authority) == first.certificate.serial_number
    path.write_text(f"tls-cert: {second.path}\ntls-key: {first.key_path}\nmemory: 100\n")
    told = await_reload(running)
    assert "the certificate stays as it was" in told and "does not belong" in told
    assert "memory" not in told
    assert serial(running, authority) == first.certificate.serial_number
    path.write_text(text(second))
    assert "2 settings changed" in await_reload(running)
    assert serial(running, authority) == second.certificate.serial_number
    path.write_text("")
    assert "tls-cert stays" in await_reload(running)
    assert serial(running, authority) == second.certificate.serial_number


def test_a_stop_waits_as_long_as_the_file_says_at_last(start, file):
    path = file("stop-delay: 600\n")
    running = start("data", "--config", path)
    path.write_text("stop-delay: 0\n")
    await_reload(running)
    assert running.stop() == 0


def test_a_file_that_gives_nothing_holds_no_stop_up(start, file):
    path = pathlib.Path(file("app-rate: 1000\n"))
    running = start("data", "--config", path)
    path.unlink()
    os.mkfifo(path)
    running.process.send_signal(signal.SIGHUP)
    # The server has it open then.
    with open(path, "wb"):
        assert running.stop() == 0


def test_a_pipe_is_a_file_of_settings_too(start, file):
    path = pathlib.Path(file("app-rate: 1000\n"))
    running = start("data", "--config", path)
    path.unlink()
    os.mkfifo(path)
    running.process.send_signal(signal.SIGHUP)
    path.write_text("app-rate: 2000\n")
    assert running.await_log("app-rate is 2000 now")
