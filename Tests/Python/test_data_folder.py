"""The data folder belongs to one server and to one user, and stays where it is."""

import os
import pathlib
import re
import shutil
import socket
import stat
import subprocess
import tempfile

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from people import People
from refusals import refusal
from relationd import Relationd, executable
from stubs import Relation
from test_start import assert_refused, serve

NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING
# Another user, which every Debian has.
OTHERS = 65534

as_root = pytest.mark.skipif(
    os.geteuid() != 0, reason="only root can act as another user, or mount a folder twice"
)


# One server


def test_a_folder_stays_locked_without_its_lock_file(start, stubs):
    first = start("data")
    (first.data / "rows" / "LOCK").unlink()
    assert_refused(serve(first.data, "--insecure"), first.data, "in use by another server")
    with grpc.insecure_channel(first.address) as channel:
        People(Relation(stubs, channel))(2)


def test_a_folder_is_locked_by_every_path_to_it(start, tmp_path):
    first = start("data")
    (tmp_path / "link").symlink_to(first.data)
    assert_refused(serve(tmp_path / "link", "--insecure"), "in use by another server")
    (first.data / "rows" / "LOCK").unlink()
    assert_refused(serve(tmp_path / "link", "--insecure"), "in use by another server")


@as_root
def test_a_folder_is_locked_where_it_is_mounted_a_second_time(start, tmp_path):
    first = start("data")
    (first.data / "rows" / "LOCK").unlink()
    twin = tmp_path / "twin"
    twin.mkdir()
    script = f"""mount --bind {first.data} {twin} || exit 77
        exec {executable('relationd')} serve --insecure --listen 127.0.0.1:0 --data {twin}"""
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", script], capture_output=True, text=True, timeout=30
    )
    if done.returncode == 77 or "unshare" in done.stderr:
        pytest.skip(f"this machine allows no mount: {done.stderr}")
    assert_refused((done.returncode, done.stdout, done.stderr), "in use by another server")


# In its place


def remove(data):
    shutil.rmtree(data)


def move(data):
    data.rename(data.with_name("moved"))


def replace(data):
    move(data)
    data.mkdir()


def replace_rows(data):
    (data / "rows").rename(data / "rows.old")
    shutil.copytree(data / "rows.old", data / "rows")


def empty(data):
    for path in (data / "rows").iterdir():
        path.unlink()


@pytest.mark.parametrize("act", [remove, move, replace, replace_rows, empty])
def test_a_folder_that_is_taken_away_is_noticed_and_health_says_so(tmp_path, stubs, act):
    data = tmp_path / "data"
    running = Relationd(data)
    try:
        with grpc.insecure_channel(running.address) as channel:
            people = People(Relation(stubs, channel))
            ann, bob = people(2)
            stub = health_pb2_grpc.HealthStub(channel)
            watch = stub.Watch(health_pb2.HealthCheckRequest(), timeout=20)
            assert next(watch).status == health_pb2.HealthCheckResponse.SERVING
            act(data)
            if act is not empty:
                # At once, before any check: nothing is answered that would not be found again.
                refused = refusal(people.add, ann, bob)
                assert refused.code == grpc.StatusCode.UNAVAILABLE
            assert next(watch).status == NOT_SERVING
        # As with any other failure of the store, service ends.
        assert running.process.wait(30) == os.EX_IOERR
        assert "critical" in running.log and str(data) in running.log
        assert "disk is full" not in running.log and "in reserve" not in running.log
    finally:
        running.kill()


# One user


def assert_closed(data):
    for path in [data, *data.rglob("*")]:
        mode = stat.S_IMODE(path.lstat().st_mode)
        assert mode == (0o700 if path.is_dir() else 0o600), (path, oct(mode))


def open_up(data):
    """Sets the permissions that an older server left under the usual umask, in a folder that an
    operator made."""
    for path in [data, *data.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)


@pytest.mark.parametrize("command", ["serve", "init"])
def test_what_a_server_makes_is_its_owners_alone(tmp_path, stubs, command):
    data = tmp_path / "data"
    # A folder that an operator made.
    data.mkdir(mode=0o755)
    data.chmod(0o755)
    mask = os.umask(0o022)
    try:
        if command == "init":
            subprocess.run(
                [executable("relationd"), "init", "--data", str(data)], check=True, timeout=30
            )
            assert_closed(data)
        with Relationd(data) as running, grpc.insecure_channel(running.address) as channel:
            People(Relation(stubs, channel))(3)
            assert_closed(data)
    finally:
        os.umask(mask)
    assert_closed(data)


def test_a_folder_that_others_may_read_is_closed_and_the_log_says_so(tmp_path):
    data = tmp_path / "data"
    with Relationd(data):
        pass
    open_up(data)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("not ours to change")
    elsewhere.chmod(0o644)
    (data / "link").symlink_to(elsewhere)
    with Relationd(data) as running:
        line, = running.complaints
        assert re.search(rf"others had rights on {data} and \d+ more", line)
        (data / "link").unlink()
        assert_closed(data)
        assert stat.S_IMODE(elsewhere.stat().st_mode) == 0o644
    with Relationd(data) as running:
        assert running.complaints == [line]


@as_root
def test_another_user_reads_no_secret_out_of_a_folder_that_was_open(tmp_path):
    data = tmp_path / "data"
    with Relationd(data):
        pass
    open_up(data)
    (data / "rows").chmod(0o755)
    # Every folder above it, up to the one for such files, lets others through.
    tmp_path.chmod(0o711)
    for folder in tmp_path.parents:
        if folder == pathlib.Path(tempfile.gettempdir()):
            break
        folder.chmod(folder.stat().st_mode | 0o011)

    def read():
        return subprocess.run(
            ["cat", str(data / "rows" / "CURRENT")], user=OTHERS, group=OTHERS, extra_groups=[],
            capture_output=True,
        ).returncode  # fmt: skip

    assert read() == 0
    with Relationd(data):
        assert read() != 0


@as_root
def test_a_folder_of_somebody_else_that_others_may_read_is_refused(tmp_path):
    data = tmp_path / "data"
    with Relationd(data):
        pass
    os.chown(data / "FORMAT", OTHERS, OTHERS)
    (data / "FORMAT").chmod(0o640)
    answer = serve(data, "--insecure")
    assert_refused(answer, data / "FORMAT", f"user {OTHERS}", f"chmod -R go= {data}")
    assert stat.S_IMODE((data / "FORMAT").stat().st_mode) == 0o640
    # A file that only its owner and we may read is not open to others.
    (data / "FORMAT").chmod(0o600)
    with Relationd(data):
        pass


@pytest.fixture
def open_folder():
    """A folder that other users may enter, which pytest's own is not."""
    with tempfile.TemporaryDirectory(prefix="socket") as folder:
        os.chmod(folder, 0o755)
        yield pathlib.Path(folder)


@pytest.mark.parametrize("mask", [0o022, 0o000, 0o077])
@pytest.mark.parametrize("asked, mode", [
    (None, 0o600), ("0660", 0o660), ("666", 0o666), ("0777", 0o777)])
def test_a_socket_lets_those_in_whom_its_mode_names(open_folder, mask, asked, mode):
    path = open_folder / "socket"
    options = ["--listen-mode", asked] if asked else []
    before = os.umask(mask)
    try:
        running = Relationd(open_folder / "data", *options, listen=f"unix:{path}")
    finally:
        os.umask(before)
    try:
        assert stat.S_IMODE(path.stat().st_mode) == mode
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(str(path))
        if os.geteuid() == 0:
            # Another user, and one of the file's group.
            for group, bit in ((OTHERS, 0o002), (path.stat().st_gid, 0o020)):
                done = subprocess.run(
                    ["curl", "--silent", "--unix-socket", path, "http://localhost/"], user=OTHERS,
                    group=group, extra_groups=[], capture_output=True, text=True)
                # 7 is that curl cannot connect.
                assert done.returncode == (0 if mode & bit else 7), done.stderr
    finally:
        assert running.stop() == 0
