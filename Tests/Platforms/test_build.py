"""The build of this machine: all contract cases on rows in RocksDB."""

import os
import re
import subprocess
import sys

import platforms
from relationd import ROOT, Relationd
from web import HTTP1

SECONDS = 900


def test_every_case_of_the_contract_passes(tmp_path):
    with Relationd(tmp_path / "data", "--hooks") as server:
        done = subprocess.run(
            [sys.executable, ROOT / "Tests/Python/contract_web.py", str(server.port), "connect",
             "json", HTTP1, *os.environ.get("PLATFORM_CASES", "").split()],
            capture_output=True, text=True, timeout=SECONDS)  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    passed = int(re.search(r"(\d+) passed", done.stdout)[1])
    built = platforms.built_with()
    platforms.record(
        "build", f"{built['system']}, Swift {built['swift']}", cases=passed, of=platforms.cases(),
        **built)
