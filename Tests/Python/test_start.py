"""How the server refuses to start, and how it stops while calls run."""

import concurrent.futures
import contextlib
import os
import re
import signal
import socket
import subprocess

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from people import People, codes
from refusals import refusal
from relationd import executable
from stubs import Relation


def serve(data, *arguments, listen="127.0.0.1:0"):
    """Runs a server that is expected to refuse, and returns its status and its output."""
    done = subprocess.run(
        [executable("relationd"), "serve", "--listen", listen, "--data", str(data), *arguments],
        capture_output=True,
        text=True,
        timeout=30,
    )
    return done.returncode, done.stdout, done.stderr


def assert_refused(answer, *words):
    """It ended with an error, never said that it is ready, and named `words` in its message."""
    status, said, complained = answer
    assert status not in (0, None) and status > 0, answer
    assert said == ""
    for word in words:
        assert str(word) in complained, complained
    assert "Fatal error" not in complained


# Starting


@pytest.fixture
def taken_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        yield taken.getsockname()[1]


def test_a_port_that_others_use_is_refused(tmp_path, taken_port):
    answer = serve(tmp_path / "data", "--insecure", listen=f"127.0.0.1:{taken_port}")
    assert_refused(answer, taken_port)


@pytest.mark.parametrize("closed", [">&-", ">&- 2>&-", "<&- >&-", "<&- >&- 2>&-"])
def test_no_file_takes_the_place_of_a_stream_that_is_closed(tmp_path, closed):
    # The key would go into whatever was opened first, and none would be told.
    command = [executable("relationd"), "init", "--data", str(tmp_path / "data")]
    done = subprocess.run(
        ["sh", "-c", f'exec "$@" {closed}', "sh", *command],
        capture_output=True, text=True, timeout=30)
    assert done.returncode == 1, done
    if "2>" not in closed:
        assert "the key could not be printed" in done.stderr


def test_an_address_of_another_machine_is_refused(tmp_path):
    # 192.0.2.0/24 is for examples: no machine has it.
    assert_refused(serve(tmp_path / "data", listen="192.0.2.1:0"), "192.0.2.1")


def test_a_start_whose_port_is_taken_leaves_nothing_behind(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        done = subprocess.run(
            [executable("relationd"), "serve", "--listen", address, "--metrics-listen", "off",
             "--data", str(tmp_path / "a" / "data")], capture_output=True, text=True, timeout=30)
    assert done.returncode != 0
    assert f"cannot listen on {address}: Address already in use" in done.stderr
    assert list(tmp_path.iterdir()) == []


@contextlib.contextmanager
def taken(*ports):
    """These ports are taken: by this, or by another program that had them before."""
    with contextlib.ExitStack() as stack:
        for port in ports:
            listener = stack.enter_context(socket.socket())
            with contextlib.suppress(OSError):
                listener.bind(("127.0.0.1", port))
                listener.listen()
        yield


def test_a_server_that_is_asked_for_no_address_takes_free_ports(tmp_path):
    with taken(7450, 7451), open(tmp_path / "log", "wb") as log:
        process = subprocess.Popen(
            [executable("relationd"), "serve", "--data", str(tmp_path / "data"), "--insecure"],
            stdout=subprocess.PIPE, stderr=log, text=True)
        lines = [process.stdout.readline() for _ in range(2)]
        process.terminate()
        assert process.wait(30) == 0
        process.stdout.close()
    ports = [int(re.search(r"127\.0\.0\.1:(\d+)", line)[1]) for line in lines]
    assert lines[0].startswith("listening on ") and lines[1].startswith("metrics on http://")
    assert not {7450, 7451} & set(ports) and ports[0] != ports[1]
    said = (tmp_path / "log").read_text()
    for port, flag in ((7450, "--listen"), (7451, "--metrics-listen")):
        line, = [line for line in said.splitlines() if f"127.0.0.1:{port} is taken" in line]
        assert " warning " in line and f"{flag} asks for an address" in line


@pytest.mark.parametrize("source", ["a flag", "a variable", "a file"])
@pytest.mark.parametrize("name, port", [("listen", 7450), ("metrics-listen", 7451)])
def test_an_address_that_is_asked_for_is_taken_or_the_start_fails(tmp_path, source, name, port):
    """Also where it is the usual one."""
    address, other = f"127.0.0.1:{port}", {"listen": "metrics-listen", "metrics-listen": "listen"}
    file = tmp_path / "relationd.yaml"
    file.write_text(f"{name}: {address}\n" if source == "a file" else "")
    variables = {f"RELATIOND_{name.replace('-', '_').upper()}": address}
    with taken(port):
        done = subprocess.run(
            [executable("relationd"), "serve", "--data", str(tmp_path / "data"), "--config",
             str(file), f"--{other[name]}", "127.0.0.1:0",
             *([f"--{name}", address] if source == "a flag" else [])],
            capture_output=True, text=True, timeout=30,
            env=os.environ | (variables if source == "a variable" else {}))
    assert_refused((done.returncode, done.stdout, done.stderr), address, "Address already in use")
    assert not (tmp_path / "data").exists()


FAILED_STARTS = {
    "a wrong setting": (["--threads", "none"], "--threads"),
    "no such file of settings": (["--config", "NOWHERE/relationd.yaml"], "relationd.yaml"),
    "a certificate that is not there": (
        ["--tls-cert", "NOWHERE/c.pem", "--tls-key", "NOWHERE/k.pem"], "c.pem"),
    "a key that is none": (["--tls-cert", "FILE", "--tls-key", "FILE"], "FILE"),
    "a port that is taken": (["--listen", "127.0.0.1:TAKEN"], "Address already in use"),
    "a port of the metrics that is taken": (
        ["--metrics-listen", "127.0.0.1:TAKEN"], "for the metrics"),
    "an address of another machine": (
        ["--listen", "192.0.2.1:0", "--allow-plaintext"], "192.0.2.1"),
    "a name without an address": (
        ["--listen", "relation.invalid:0", "--allow-plaintext"], "relation.invalid"),
    "a socket in a folder that is not there": (["--listen", "unix:NOWHERE/s"], "NOWHERE/s"),
    "a file in the place of a socket": (["--listen", "unix:FILE"], "FILE"),
    "backups in the place of a file": (["--backup-folder", "FILE/x"], "FILE/x"),
    "a certificate for receivers that is not there": (
        ["--hooks", "--hook-cert", "NOWHERE/c.pem", "--hook-key", "NOWHERE/k.pem"],
        "--hook-cert: the certificate NOWHERE/c.pem"),
    "authorities that are not there": (
        ["--trace-endpoint", "https://127.0.0.1:4317", "--trace-ca", "NOWHERE/ca"], "NOWHERE/ca"),
}


@pytest.mark.parametrize("fault", FAILED_STARTS)
def test_a_start_that_fails_leaves_nothing_behind(tmp_path, taken_port, fault):
    file = tmp_path / "file"
    file.write_text("no key, no socket and no folder")
    arguments, words = FAILED_STARTS[fault]

    def real(text):
        text = text.replace("NOWHERE", str(tmp_path / "nowhere")).replace("FILE", str(file))
        return text.replace("TAKEN", str(taken_port))

    usual = {"--listen": "127.0.0.1:0", "--metrics-listen": "127.0.0.1:0"}
    for name, value in usual.items():
        if name not in arguments:
            arguments = [*arguments, name, value]
    folder = tmp_path / "kept"
    folder.mkdir()
    for data in [folder / "a" / "data", folder / "data"]:
        done = subprocess.run(
            [executable("relationd"), "serve", "--data", str(data), *map(real, arguments)],
            capture_output=True, text=True, timeout=60)
        assert_refused((done.returncode, done.stdout, done.stderr), real(words))
        assert list(folder.iterdir()) == []
        assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "kept"]


def test_a_start_that_fails_leaves_the_data_from_before(start, tmp_path, stubs):
    running = start("data")
    with grpc.insecure_channel(running.address) as channel:
        ann, = People(Relation(stubs, channel))(1)
    assert running.stop() == 0
    answer = serve(tmp_path / "data", "--insecure", listen=f"unix:{tmp_path}/nowhere/s")
    assert_refused(answer, "nowhere/s")
    with grpc.insecure_channel(start("data").address) as channel:
        checked = Relation(stubs, channel)("CheckAccounts", user_ids=[ann])
    assert checked.results[0].create_time_ms > 0


def test_a_start_without_a_data_folder_says_what_to_do(tmp_path):
    done = subprocess.run(
        [executable("relationd"), "serve"], capture_output=True, text=True, timeout=30,
        cwd=tmp_path, env={})
    assert done.returncode == 64
    assert "no source says where the data is" in done.stderr and "--data" in done.stderr
    assert "For a first try: relationd serve --data ./relation-data" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_folder_with_other_files_is_refused_and_left_alone(tmp_path):
    data = tmp_path / "data"
    data.mkdir()
    (data / "letter.txt").write_text("dear reader")
    assert_refused(serve(data, "--insecure"), data, "letter.txt")
    assert [path.name for path in data.iterdir()] == ["letter.txt"]
    assert (data / "letter.txt").read_text() == "dear reader"


def test_a_folder_of_another_format_is_refused(start, tmp_path):
    assert start("data").stop() == 0
    (tmp_path / "data" / "FORMAT").write_text("relation-chain store, format 999\n")
    assert_refused(serve(tmp_path / "data", "--insecure"), tmp_path / "data", "999")


def test_a_file_in_place_of_the_folder_is_refused(tmp_path):
    (tmp_path / "file").write_text("no folder")
    for data in (tmp_path / "file", tmp_path / "file" / "data", tmp_path / "file" / "a" / "b"):
        assert_refused(serve(data, "--insecure"), data)


def test_a_folder_that_cannot_be_made_is_refused():
    # No user, not even root, can make a folder there.
    assert_refused(serve("/proc/relation-chain/data", "--insecure"), "/proc/relation-chain")


def test_a_reload_is_no_end_while_the_data_opens(tmp_path):
    data = tmp_path / "data"
    data.mkdir()
    # The server waits for the bytes of this pipe, as it may wait for a long log to be read.
    os.mkfifo(data / "FORMAT")
    with subprocess.Popen(
        [executable("relationd"), "serve", "--listen", "127.0.0.1:0", "--data", str(data)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        with open(data / "FORMAT", "w", buffering=1) as file:
            process.send_signal(signal.SIGHUP)
            with contextlib.suppress(BrokenPipeError):
                file.write("relation-chain store, format 999\n")
        said, complained = process.communicate(timeout=30)
    assert_refused((process.returncode, said, complained), data, "999")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write to every folder")
def test_a_folder_that_may_not_be_written_is_refused(tmp_path):
    data = tmp_path / "data"
    data.mkdir(mode=0o500)
    assert_refused(serve(data, "--insecure"), data)


def test_a_second_server_on_the_same_folder_is_refused_and_the_first_goes_on(start, stubs):
    first = start("data")
    assert_refused(serve(first.data, "--insecure"), first.data)
    with grpc.insecure_channel(first.address) as channel:
        People(Relation(stubs, channel))(2)


def test_folders_that_are_missing_are_made(tmp_path):
    data = tmp_path / "a" / "b" / "data"
    log = tmp_path / "log"
    with open(log, "wb") as errors:
        process = subprocess.Popen(
            [executable("relationd"), "serve", "--listen", "127.0.0.1:0", "--data", str(data)],
            stdout=subprocess.PIPE,
            stderr=errors,
        )
        try:
            assert process.stdout.readline().startswith(b"listening on "), log.read_text()
            assert data.is_dir()
        finally:
            process.terminate()
            assert process.wait(20) == 0
            process.stdout.close()


@pytest.mark.parametrize("address", [
    "0.0.0.0:0", "[::]:0", "192.0.2.1:7450", "example.org:0", "127.example.org:0", "127.1:0",
    "[::2]:0", "[::ffff:192.0.2.1]:0",
])  # fmt: skip
def test_a_server_for_everybody_listens_on_the_loopback_only(tmp_path, address):
    answer = serve(tmp_path / "data", "--insecure", listen=address)
    assert_refused(answer, "loopback", address)
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize("address", [
    "7450", "127.0.0.1", "127.0.0.1:65536", "127.0.0.1:x", "127.0.0.1:+7450", ":1",
])  # fmt: skip
def test_what_is_no_address_is_refused(tmp_path, address):
    assert_refused(serve(tmp_path / "data", listen=address), address)


@pytest.mark.parametrize("flag", ["--connection-age", "--connection-idle"])
@pytest.mark.parametrize("age", ["-1", "2592001", "x"])
def test_the_time_of_connections_is_a_number_of_seconds(tmp_path, flag, age):
    assert_refused(serve(tmp_path / "data", f"{flag}={age}"), flag)
    assert not (tmp_path / "data").exists()


def test_the_data_folder_must_be_named():
    done = subprocess.run(
        [executable("relationd"), "serve"], capture_output=True, text=True, timeout=30
    )
    assert done.returncode != 0
    assert "--data" in done.stderr


@pytest.mark.parametrize("address", ["127.0.0.1:0", "localhost:0", "[::1]:0"])
def test_any_loopback_address_serves(start, stubs, address):
    if "::" in address and not socket.has_ipv6:
        pytest.skip("this machine has no IPv6")
    running = start("data", listen=address)
    target = running.address.replace("[::1]", "ipv6:[::1]")
    with grpc.insecure_channel(target) as channel:
        People(Relation(stubs, channel))(1)


# Stopping


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_an_import_that_runs_is_told_at_the_end_how_far_it_came(start, stubs, how):
    running = start("data")
    told, ended = concurrent.futures.Future(), concurrent.futures.Future()
    with grpc.insecure_channel(running.address) as channel:
        people = People(Relation(stubs, channel))
        ann, = people(1)
        health = health_pb2_grpc.HealthStub(channel)
        watch = health.Watch(health_pb2.HealthCheckRequest(), timeout=20)
        assert next(watch).status == health_pb2.HealthCheckResponse.SERVING

        def rows():
            yield {"row": {"user_id": ann, "friend_user_id": people.unknown_user()}}
            # The first row is answered while this waits: the call runs.
            told.result(timeout=20)
            running.process.send_signal(how)
            assert next(watch).status == health_pb2.HealthCheckResponse.NOT_SERVING
            watch.cancel()
            ended.result(timeout=20)

        answers = people.relation.stream("ImportFriends", rows(), timeout=20)
        told.set_result(next(answers))
        refused = refusal(lambda: answers)
        ended.set_result(None)
        assert (refused.code, refused.reason) == (grpc.StatusCode.UNAVAILABLE, "STOPPING")
        assert refused.metadata == {"last_durable_row": "1"}
        assert running.process.wait(20) == 0


def test_calls_in_flight_at_the_end_are_answered_and_kept_or_refused(start, stubs):
    running = start("data")
    with grpc.insecure_channel(running.address) as channel:
        people = People(Relation(stubs, channel))
        users = people(401)
        add = people.relation.start("AddFriends")
        request = people.stubs.request
        calls = [
            add.future(
                request("AddFriends", {"user_id": users[0], "items": [{"user_id": user}]}),
                timeout=20,
            )
            for user in users[1:]
        ]
        calls[50].result()
        assert running.stop() == 0
        kept = []
        for user, call in zip(users[1:], calls):
            if call.exception() is None:
                assert codes(call.result()) == [0]
                kept.append(user)
            else:
                # This call came too late; no call was half done.
                assert call.exception().code() == grpc.StatusCode.UNAVAILABLE
    assert len(kept) >= 1
    again = start("data")
    with grpc.insecure_channel(again.address) as channel:
        assert set(kept) <= set(People(Relation(stubs, channel)).friend_ids(users[0]))


def test_a_client_that_only_stays_connected_does_not_hold_the_stop_up(start):
    running = start("data")
    with grpc.insecure_channel(running.address) as channel:
        grpc.channel_ready_future(channel).result(timeout=20)
        with socket.create_connection(("127.0.0.1", running.port)):
            assert running.stop() == 0
