"""The image as an archive: its layers, its configuration, and its root at work."""

import contextlib
import gzip
import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tarfile
import urllib.request

import ports
import pytest
from clean_root import CleanRoot, mounted, run
from installed import DATA
from made import WORK, make

# A system with the package; a whole toolchain would be some hundreds more.
MOST_MEBIBYTES = 200


class Layout:
    """The files of an archive in the form of OCI."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        (described,) = json.loads((self.folder / "index.json").read_text())["manifests"]
        self.tag = described["annotations"]["org.opencontainers.image.ref.name"]
        self.name = described["annotations"]["io.containerd.image.name"]
        self.manifest = self.document(described)
        self.image = self.document(self.manifest["config"])

    def blob(self, described):
        """The bytes that a description names; they are what it says."""
        path = self.folder / "blobs" / described["digest"].replace(":", "/")
        content = path.read_bytes()
        assert len(content) == described["size"]
        assert f"sha256:{hashlib.sha256(content).hexdigest()}" == described["digest"]
        return content

    def document(self, described):
        return json.loads(self.blob(described))


@pytest.fixture(scope="module")
def archive(packages, version):
    if os.environ.get("PACKAGES_ARE_MADE") != "1":
        make("image")
    (found,) = (WORK / "image").glob(f"relationd-{version}-*.oci.tar")
    return found


@pytest.fixture(scope="module")
def layout(archive, tmp_path_factory):
    folder = tmp_path_factory.mktemp("layout")
    run("tar", "--extract", "--file", archive, "-C", folder)
    return Layout(folder)


@pytest.fixture(scope="module")
def root(layout, tmp_path_factory):
    """The root of a container of the image."""
    bundle = tmp_path_factory.mktemp("image") / "bundle"
    run("umoci", "unpack", "--image", f"{layout.folder}:{layout.tag}", bundle)
    made = CleanRoot(bundle / "rootfs")
    # Others may pass through pytest's own folders to it.
    with mounted(made):
        yield made
    shutil.rmtree(bundle)


def test_the_configuration_says_how_the_image_is_run(layout, version):
    config = layout.image["config"]
    assert (layout.tag, layout.image["os"]) == (version, "linux")
    assert layout.name == f"docker.io/library/relationd:{version}"
    assert config["User"] == "relationd"
    assert (config["Entrypoint"], config["Cmd"]) == (["relationd"], ["serve"])
    assert set(config["ExposedPorts"]) == {"7450/tcp", "7451/tcp"}
    assert set(config["Volumes"]) == {DATA}
    assert config["StopSignal"] == "SIGTERM"
    assert "RELATIOND_CONFIG=/etc/relationd.yaml" in config["Env"]
    labels = config["Labels"]
    assert labels["org.opencontainers.image.version"] == version
    assert "/readyz" in labels["org.relation-chain.healthcheck"]


def test_the_layers_are_the_system_and_the_package(layout, archive):
    layers = layout.manifest["layers"]
    assert len(layers) == len(layout.image["rootfs"]["diff_ids"]) == 2
    for described, digest in zip(layers, layout.image["rootfs"]["diff_ids"]):
        content = gzip.decompress(layout.blob(described))
        assert f"sha256:{hashlib.sha256(content).hexdigest()}" == digest
    names = []
    for described in layers:
        path = layout.folder / "blobs" / described["digest"].replace(":", "/")
        with tarfile.open(path) as opened:
            names.append({member.name.lstrip("./") for member in opened})
    assert "usr/bin/relationd" in names[1] - names[0]
    # What an installation leaves behind is in no layer.
    for left in ("packages", "usr/sbin/policy-rc.d", "etc/resolv.conf"):
        assert left not in names[0] | names[1]
    assert not [name for name in names[0] | names[1] if name.startswith("var/lib/apt/lists/deb.")]
    assert archive.stat().st_size < MOST_MEBIBYTES << 20


def first(process):
    """The first process of a container, as this machine numbers it; None before there is one, and
    when the container has ended."""
    children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children")
    try:
        children = children.read_text().split()
    except FileNotFoundError:
        return None
    return int(children[0]) if children else None


@contextlib.contextmanager
def container(layout, root, *command, **variables):
    """A container of the image, whose first process is the command; SIGTERM must end it well."""
    config = layout.image["config"]
    process = subprocess.Popen(
        root.contained(*config["Entrypoint"], *command, user=user(layout)),
        env=environment(layout) | variables, text=True, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT)
    try:
        yield process
    finally:
        served = first(process)
        os.kill(served or process.pid, signal.SIGTERM if served else signal.SIGKILL)
        said, _ = process.communicate(timeout=60)
    assert process.returncode == 0, said


def user(layout):
    name = layout.image["config"]["User"]
    return f"{name}:{name}"


def environment(layout):
    return dict(one.split("=", 1) for one in layout.image["config"]["Env"])


def test_the_root_serves_as_the_configuration_says_and_tells_its_health(layout, root):
    config = layout.image["config"]
    assert root.run("stat", "--format=%U %a", DATA) == "relationd 700\n"
    calls, admin = ports.take(), ports.take()
    addresses = {"RELATIOND_LISTEN": f"127.0.0.1:{calls}",
                 "RELATIOND_METRICS_LISTEN": f"127.0.0.1:{admin}"}
    key = root.run(*config["Entrypoint"], "init", user=user(layout),
                   variables=environment(layout) | addresses)
    assert key.splitlines()[-1].startswith("0.")
    health = config["Labels"]["org.relation-chain.healthcheck"].partition(" CMD ")[2]
    health = [word.replace("/7451 ", f"/{admin} ") for word in json.loads(health)]
    with container(layout, root, *config["Cmd"], **addresses) as process:
        assert process.stdout.readline().startswith("listening on ")
        root.run(*health, user=user(layout))
        # A signal that the first process of a container does not handle would not reach it.
        status = pathlib.Path(f"/proc/{first(process)}/status").read_text()
        assert re.search(r"^NSpid:\t\d+\t1$", status, re.MULTILINE)
        assert not re.search(r"^Uid:.*\b0\b", status, re.MULTILINE)
    with pytest.raises(RuntimeError):
        root.run(*health, user=user(layout))


def test_the_demo_takes_no_variable_and_prints_the_key_of_this_one_time(layout, root):
    with container(layout, root, "demo", "--address", "0.0.0.0", "--port", "0") as process:
        said = []
        while said[-1:] != ["ready"]:
            said.append(process.stdout.readline().rstrip("\n"))
            assert process.poll() is None, said
        words = dict(line.rsplit(" ", 1) for line in said if " " in line)
        port = words["listening on"].rpartition(":")[2]
        request = urllib.request.Request(
            f"http://127.0.0.1:{port}/relation.v1.FriendService/ListFriends",
            b'{"userId": "alice"}', {
                "content-type": "application/json", "x-app-id": "1",
                "authorization": f"Bearer {words['key']}"})
        with urllib.request.urlopen(request, timeout=10) as answer:
            assert json.load(answer)["friends"]
