"""The console in Debian's chromium, on a server that has the sample graph.

`CONSOLE_ADDRESS` names one that runs already, which saves the import while a page is written.
"""

import fcntl
import json
import os
import shutil
import subprocess
import time
import urllib.request

import pytest
from browser import CHROMIUM, DRIVER, IN_MEMORY, Browser
from relationd import ROOT, Relationd, executable

needs_browser = pytest.mark.skipif(
    not (CHROMIUM and DRIVER), reason="Debian's chromium and chromium-driver are missing")
SAMPLE = [
    str(ROOT / "Tests/Data/facebook_edges.txt"),
    "--circles", str(ROOT / "Tests/Data/facebook_circles.tsv")]


class Console(Browser):
    """A browser that looks at the console at `address`, with a profile in memory or on the disk."""

    def __init__(self, address, in_memory=True):
        # Logs of level "severe" are what a page throws, and what its policy refused.
        super().__init__(
            "--window-size=1280,960", *[IN_MEMORY] * in_memory,
            capabilities={"goog:loggingPrefs": {"browser": "ALL"}})
        self.address = address

    def show(self, page, **parameters):
        """Opens a page of the console, such as `graph`, anew."""
        query = "&".join(f"{name}={value}" for name, value in parameters.items())
        if not self.is_blank:
            self.go("about:blank")
        self.go(f"{self.address}/#{page}{'?' + query if query else ''}")

    def complaints(self):
        """What the page's console has that is worse than information."""
        path = f"/session/{self.session}/se/log"
        return [
            entry for entry in self._say("POST", path, {"type": "browser"})
            if entry["level"] in ("SEVERE", "WARNING")]


def call(address, method, **request):
    """Makes a call as another program would, while the page looks on."""
    asked = urllib.request.Request(
        f"{address}/relation.v1.{method}", json.dumps(request).encode(),
        {"content-type": "application/json"})
    with urllib.request.urlopen(asked, timeout=20) as answer:
        return json.load(answer)


def call_until(holds, address, method, **request):
    """Repeats a call until its answer is as it should be, and gives that answer."""
    end = time.monotonic() + 60
    while not holds(answer := call(address, method, **request)):
        assert time.monotonic() < end, answer
        time.sleep(0.01)
    return answer


def import_sample(server):
    subprocess.run(
        [executable("relationctl"), "--server", server.address, "import", *SAMPLE],
        check=True, capture_output=True, timeout=120)


def copy_of_sample(shared, folder):
    """Copies a data folder with the sample graph, which the first process of a run fills."""
    shared.mkdir(exist_ok=True)
    made = shared / "data"
    with open(shared / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            filling = shared / "filling"
            shutil.rmtree(filling, ignore_errors=True)
            with Relationd(filling) as server:
                import_sample(server)
            filling.rename(made)
    shutil.copytree(made, folder)


@pytest.fixture(scope="session")
def console_address(tmp_path_factory):
    """Where the console of a server with the sample graph is."""
    if "CONSOLE_ADDRESS" in os.environ:
        yield os.environ["CONSOLE_ADDRESS"]
        return
    folder = tmp_path_factory.mktemp("console") / "data"
    base = tmp_path_factory.getbasetemp()
    # The processes of xdist share the folder above their own.
    base = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    has_folder = os.environ.get("RELATION_STORE") != "postgresql"
    if has_folder:
        copy_of_sample(base / "sample", folder)
    with Relationd(folder) as server:
        if not has_folder:
            import_sample(server)
        yield server.pages


@pytest.fixture
def console(console_address):
    with Console(console_address) as browser:
        yield browser
        complaints = browser.complaints()
        assert complaints == [], f"the browser complains: {complaints}"

