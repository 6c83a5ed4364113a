"""Packages of others that depend on this one by a version, as the README says: they fetch and build
what a client needs and nothing else.

The products of their builds stay in `.build-dependents`, since most of them never change.
"""

import json
import os
import re
import subprocess
import time

import grpc
import pytest
from guide import CATALOGUE, manifest_and_program
from people import People
from relationd import ROOT, Relationd
from stubs import Relation, Stubs

WORK = ROOT / ".build-dependents"
SWIFT = os.environ.get("SWIFT", "swift")
VERSION = "0.1.0"
# The variables with which this project's own commands change what its package holds.
OURS = ("RELATION_TESTS", "RELATION_TSAN", "RELATION_FUZZER")

# The packages that a dependent fetches beside this one.
PACKAGES = {
    "swift-atomics", "swift-collections", "swift-distributed-tracing", "swift-log",
    "swift-metrics", "swift-nio", "swift-nio-ssl", "swift-system",
}
# The targets of this package that it compiles; `ImportRules.targetsOfClient` has the others too,
# which are modules of C libraries.
OURS_BUILT = {
    "CRelease", "Compression", "GRPCClient", "GRPCWire", "HTTP2", "Memory", "Protobuf", "RPC",
    "RelationAPI", "RelationClient", "RelationModel", "Release", "TextFiles",
}
CLIENTS_LIBRARIES = ("libnghttp2", "libprotobuf-c", "libz")
SERVERS_LIBRARIES = ("libcrypto", "libicu", "libpq", "librocksdb", "libssl")


@pytest.fixture(scope="module")
def origin(tmp_path_factory):
    """A clone of this repository whose last commit has a version."""
    folder = tmp_path_factory.mktemp("origin") / "relation-chain"

    def git(*arguments):
        done = subprocess.run(["git", *arguments], check=True, capture_output=True, text=True)
        return done.stdout.strip()

    here = git("-C", str(ROOT), "rev-parse", "HEAD")
    git("clone", "--quiet", "--no-checkout", str(ROOT), str(folder))
    git("-C", str(folder), "checkout", "--quiet", "-B", "main", here)
    git("-C", str(folder), "tag", VERSION)
    return folder


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """A server that has the users whom the README names."""
    folder = tmp_path_factory.mktemp("server")
    with Relationd(folder / "data") as server:
        stubs = Stubs(tmp_path_factory.mktemp("stubs"))
        with grpc.insecure_channel(server.address) as channel:
            People(Relation(stubs, channel)).make(["0", "4038"])
        yield server.address


def swift(folder, *arguments, **variables):
    """Runs a command of the package manager in a package, and returns its output."""
    command, *rest = arguments
    environment = {name: value for name, value in os.environ.items() if name not in OURS}
    done = subprocess.run(
        [SWIFT, command, "--package-path", str(folder), "--scratch-path", str(WORK), *rest],
        env={**environment, **variables}, text=True, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT)
    assert done.returncode == 0, done.stdout
    return done.stdout


def linked_targets(product):
    """The targets whose objects make up a program, by the list that the linker is given.

    The folder of the build has objects of earlier runs too, and its plan those of other products.
    """
    objects = (product / "Objects.LinkFileList").read_text()
    return set(re.findall(r"/([\w-]+)\.build/", objects))


def dependent(folder, origin, address):
    """Writes the package that the README shows."""
    manifest, program = manifest_and_program()
    text = manifest.text
    url = (ROOT / "Packaging/address.txt").read_text().strip()
    product = '.product(name: "RelationClient", package: "relation-chain")'
    assert text.count(url) == 1 and text.count(product) == 1
    text = text.replace(url, origin.as_uri())
    (folder / "Sources" / "backend").mkdir(parents=True)
    (folder / "Package.swift").write_text(text)
    assert program.text.count('host: "127.0.0.1", port: 7450') == 1
    host, _, port = address.rpartition(":")
    (folder / "Sources" / "backend" / "main.swift").write_text(
        program.text.replace('"127.0.0.1", port: 7450', f'"{host}", port: {port}'))


def note_seconds(seconds, is_new):
    """Keeps how long the build took, for `make dependents` to tell: nothing is asserted of it."""
    kind = "from nothing" if is_new else "with products of an earlier run"
    (WORK / "seconds.txt").write_text(
        f"A dependent was built in {seconds:.0f} s {kind}, on {os.cpu_count()} processors.\n")


def test_a_dependent_builds_what_a_client_needs(origin, address, tmp_path):
    dependent(tmp_path, origin, address)
    is_new = not (WORK / "debug").exists()
    start = time.monotonic()
    # CI sets CI: a package that is checked so must not make its warnings errors for others.
    output = swift(tmp_path, "build", CI="true")
    note_seconds(time.monotonic() - start, is_new)
    assert "warning: 'relation-chain'" not in output, output

    pins = json.loads((tmp_path / "Package.resolved").read_text())["pins"]
    versions = {pin["identity"]: pin["state"].get("version") for pin in pins}
    assert versions["relation-chain"] == VERSION
    assert "swift-argument-parser" not in versions, "the commands' package is fetched"

    packages = set(versions) - {"relation-chain"}
    assert packages == PACKAGES, "what a dependent fetches has changed"
    products = WORK / "debug"
    built = linked_targets(products / "backend.product")
    ours = built & {path.name for path in (ROOT / "Sources").iterdir()}
    assert ours == OURS_BUILT, "what a dependent builds of this package has changed"
    boring = {name for name in built if "BoringSSL" in name}
    assert boring == {"CNIOBoringSSL", "CNIOBoringSSLShims"}
    assert "NIOHTTP1" not in built, "a parser of HTTP/1.1 is built"
    program = products / "backend"
    linked = subprocess.run(["ldd", program], check=True, capture_output=True, text=True).stdout
    assert [library for library in SERVERS_LIBRARIES if library in linked] == []
    assert [library for library in CLIENTS_LIBRARIES if library not in linked] == []

    done = subprocess.run([program], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert '"4038"' in done.stdout, done.stdout


@pytest.mark.parametrize("name", ["relation-chain", "checkout", "Relation Chain", "v0.1.relation"])
def test_a_dependent_may_name_a_folder_of_any_name(name, origin, tmp_path):
    """The line for a folder that README and the first article show."""
    [line] = set(re.findall(
        r"`(\.package\(name: .*?path: .*?\))`",
        (ROOT / "README.md").read_text() + (CATALOGUE / "FirstCall.md").read_text()))
    folder = tmp_path / name
    folder.symlink_to(origin)
    dependent = tmp_path / "backend"
    (dependent / "Sources" / "backend").mkdir(parents=True)
    (dependent / "Sources" / "backend" / "main.swift").write_text("import RelationClient\n")
    manifest, _ = manifest_and_program()
    text, count = re.subn(
        r"\.package\(url: .*?\)", lambda _: line.replace("…", str(folder)), manifest.text)
    assert count == 1
    (dependent / "Package.swift").write_text(text)
    described = swift(dependent, "package", "describe", "--type", "json")
    [target] = json.loads(described[described.index("{"):])["targets"]
    assert target["product_dependencies"] == ["RelationClient"]
