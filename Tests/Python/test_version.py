"""Every place that tells the version tells the one of `Package.swift`."""

import json
import re
import subprocess
import urllib.request
from concurrent import futures

import grpc
import pytest
from relationd import ROOT, executable

DECLARED = re.compile(r'^let version = .*"RELATION_VERSION"\] \?\? "([^"]+)"$', re.MULTILINE)


@pytest.fixture(scope="module")
def version():
    """The version that the sources say."""
    return DECLARED.search((ROOT / "Package.swift").read_text())[1]


def test_the_version_has_three_numbers(version):
    assert re.fullmatch(r"\d+\.\d+\.\d+(-[0-9A-Za-z.]+)?", version)


# What names the version beside `Package.swift`, and is written by hand: CONTRIBUTING.md lists it.
WRITTEN = {
    "Packaging/clients/java/README.md": r"<version>(.+)</version>",
    "docs/kubernetes.md": r"--image relationd:(\S+)",
}


@pytest.mark.parametrize("page", WRITTEN)
def test_a_page_names_this_version(page, version):
    assert re.findall(WRITTEN[page], (ROOT / page).read_text()) == [version]
    steps = (ROOT / "CONTRIBUTING.md").read_text().split("## A release")[1].split("\n## ")[0]
    assert f"`{page}`" in steps


@pytest.mark.parametrize("program", ["relationd", "relationctl"])
def test_a_program_says_its_version(program, version):
    done = subprocess.run([executable(program), "--version"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, f"{program} {version}\n")


def test_a_server_says_its_version_in_its_pages_and_its_log(server, version):
    def page(path):
        with urllib.request.urlopen(f"{server.pages}{path}", timeout=10) as answer:
            return answer.read().decode()

    said = json.loads(page("/version"))
    assert said == {"name": "relationd", "version": version, "contract": "relation.v1"}
    labels = f'{{version="{version}",contract="relation.v1"}}'
    assert f"relation_build_info{labels} 1\n" in page("/metrics")
    assert f"relationd {version}: serving" in server.log


def test_a_client_says_its_version_and_the_programs(version):
    agents = []

    class Listener(grpc.GenericRpcHandler):
        def service(self, call):
            agents.append(dict(call.invocation_metadata)["user-agent"])

    server = grpc.server(futures.ThreadPoolExecutor(1), handlers=[Listener()])
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    command = [executable("relationctl"), "call", "--server", f"127.0.0.1:{port}", "GetSequence"]
    done = subprocess.run(command, capture_output=True, text=True)
    server.stop(None)
    assert done.returncode != 0
    assert set(agents) == {f"relationctl/{version} relation-chain-swift/{version}"}
