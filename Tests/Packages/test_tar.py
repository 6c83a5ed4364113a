"""The archive of the programs, run on each system that it is for."""

import contextlib
import json
import os
import re
import shlex
import shutil
import subprocess
import tarfile
import urllib.error
import urllib.request

import platforms
import pytest
from clean_root import base, clean_root, run
from made import WORK, make
from relationd import ROOT

# A user without rights.
USER = "65534:65534"
CHECK = "/relation.v1.FriendService/CheckFriends"


@pytest.fixture(scope="module")
def archive(packages, version):
    if os.environ.get("PACKAGES_ARE_MADE") != "1":
        make("tar")
    (found,) = (WORK / "tar").glob(f"relationd-{version}-linux-*.tar.gz")
    return found


@contextlib.contextmanager
def serving(root, folder):
    """A server of the archive in a root, and the address of its calls."""
    process = subprocess.Popen(
        root.command(
            f"{folder}/bin/relationd", "serve", "--data", "/tmp/data", "--listen", "127.0.0.1:0",
            "--metrics-listen", "127.0.0.1:0", "--insecure", user=USER),
        env={"PATH": "/usr/bin"}, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    try:
        said = process.stdout.readline()
        assert said.startswith("listening on "), said + process.communicate(timeout=60)[0]
        yield said.removeprefix("listening on ").strip()
    finally:
        process.terminate()
        log, _ = process.communicate(timeout=60)
    assert process.returncode == 0, log


@pytest.mark.parametrize("suite", base.SYSTEMS)
def test_the_archive_serves_on_each_system_it_is_for(archive, version, suite):
    with clean_root(suite) as root:
        run("tar", "--extract", "--file", archive, "-C", root.inside("/opt"))
        folder = f"/opt/{archive.name.removesuffix('.tar.gz')}"
        control = f"{folder}/bin/relationctl"
        assert root.run(control, "--version", user=USER) == f"relationctl {version}\n"
        with serving(root, folder) as address:
            def call(name, request):
                return json.loads(root.run(
                    control, "call", "--server", address, name, json.dumps(request), user=USER))

            call("ImportAccounts", {"row": {"user_id": "ann"}})
            call("ImportAccounts", {"row": {"user_id": "bob"}})
            call("AddFriends", {
                "user_id": "ann", "items": [{"user_id": "bob", "source": "Web"}]})
            request = urllib.request.Request(
                f"http://{address}{CHECK}", b'{"userId": "ann", "userIds": ["bob"]}',
                {"content-type": "application/json"})
            with urllib.request.urlopen(request, timeout=10) as answer:
                (result,) = json.load(answer)["results"]
            assert result["relation"] == "FRIEND_RELATION_BOTH_WAY"
        glibc = re.search(r"([0-9.]+)$", root.run("ldd", "--version").splitlines()[0])[1]
    platforms.record("archive", base.SYSTEMS[suite][0], glibc=glibc)


def test_the_first_minute_of_the_readme_ends_with_an_answer(archive):
    """Its one command unpacks the archive and serves; the line that it prints gets an answer."""
    (command,) = re.findall(r"`(tar -xf .*? demo)`", (ROOT / "README.md").read_text())
    with clean_root() as root:
        shutil.copy(archive, root.inside("/tmp"))
        process = subprocess.Popen(
            root.command("sh", "-c", f"cd /tmp && {command.replace('&& ', '&& exec ')} --port 0",
                         user=USER),
            env={"PATH": "/usr/bin:/bin"}, text=True, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT)
        try:
            said = []
            while said[-1:] != ["ready"]:
                said.append(process.stdout.readline().rstrip("\n"))
                assert process.poll() is None, said
            (call,) = [line.removeprefix("try: ") for line in said if line.startswith("try: ")]
            assert json.loads(run(*shlex.split(call)))["friends"]
        finally:
            process.terminate()
            process.communicate(timeout=60)
        assert process.returncode == 0


def test_the_pages_name_the_systems_on_which_the_archive_is_tried():
    names = [name for name, _ in base.SYSTEMS.values()]
    page = (ROOT / "docs" / "operating.md").read_text()
    table = page[page.index("| system | glibc |"):].split("\n\n")[0]
    assert re.findall(r"^\| ((?:Debian|Ubuntu) [0-9.]+) \|", table, re.MULTILINE) == names


def test_the_archive_brings_the_licence_of_each_library(archive):
    with tarfile.open(archive) as opened:
        names = opened.getnames()
        top = archive.name.removesuffix(".tar.gz")
        bill = json.load(opened.extractfile(f"{top}/share/doc/relationd/sbom.spdx.json"))
        page = opened.extractfile(f"{top}/README.md").read().decode()
        assert all(member.uid == member.gid == 0 for member in opened)
    libraries = {name for name in names if name.startswith(f"{top}/lib/relationd/")}
    assert any("librocksdb" in name for name in libraries)
    assert not any(re.search(r"/lib(c|m|stdc\+\+|pthread)\.so", name) for name in libraries)
    licences = {
        name.rpartition("/")[2].removesuffix(".copyright") for name in names
        if name.endswith(".copyright")}
    loaded = {package["name"] for package in bill["packages"]
              if "pkg:deb/" in json.dumps(package)} - {"libc6", "libgcc-s1", "libstdc++6"}
    assert licences == loaded
    assert re.search(r"glibc 2\.\d\d or later", page) and "@" not in page


def test_an_archive_for_newer_systems_is_not_made(packages, tmp_path):
    script = (ROOT / "Packaging" / "tar").read_text()
    assert re.search(r"^GLIBC=2\.35$", script, re.MULTILINE)
    function = script[script.index("needs_at_most()"):].split("\n}\n")[0]
    for needed, allowed, status in (("2.34", "2.35", 0), ("2.35", "2.35", 0), ("2.36", "2.35", 1),
                                    ("2.4", "2.35", 0)):
        done = subprocess.run(
            ["bash", "-c", f'fail() {{ exit 1; }}\n{function}\n}}\nneeds_at_most "$@"', "-",
             "GLIBC", needed, allowed], check=False)
        assert done.returncode == status
