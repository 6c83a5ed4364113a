"""The tests that `make test` does not run can begin at least: their imports and fixtures exist."""

import os
import subprocess
import sys

from relationd import ROOT

PYTHON = ROOT / "Tests" / "Python"


def collected(*folders):
    """The end of what pytest says when it collects the tests of folders, and its status."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-c", PYTHON / "pytest.ini", "--collect-only", "-qq",
         *folders],
        env={**os.environ, "PYTHONPATH": str(PYTHON)}, capture_output=True, text=True, timeout=300)
    return done.returncode, done.stdout + done.stderr


def test_the_tests_of_other_commands_can_be_collected():
    """A name that a shared file lost is seen here, and not by the next release."""
    folders = {path.parent for path in (ROOT / "Tests").glob("*/test_*.py")} - {PYTHON}
    assert {folder.name for folder in folders} >= {"Clients", "Packages", "Platforms", "Proxies"}
    status, said = collected(*sorted(folders))
    assert status == 0, said
    assert all(f"{file.name}: " in said for folder in folders for file in folder.glob("test_*.py"))


def test_a_lost_name_is_seen(tmp_path):
    (tmp_path / "test_lost.py").write_text("from ports import free_port\n")
    status, said = collected(tmp_path)
    assert status == 2 and "free_port" in said
