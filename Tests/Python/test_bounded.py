"""The Swift tests run within a bound, and a run that hangs names the tests that did not end."""

import os
import signal
import subprocess
import sys
from pathlib import Path

from bounded import EXIT, Unended

PROGRAM = Path(__file__).with_name("bounded.py")
LINES = """
print("◇ Test run started.")
print("◇ Suite Writes started.")
print("◇ Test anEnd() started.")
print("◇ Test eachSize(size:) started.")
print("◇ Test case passing 1 argument size → 1 to eachSize(size:) started.")
print("✔ Test anEnd() passed after 0.1 seconds.")
print("✘ Test eachSize(size:) with 3 test cases failed after 0.1 seconds with 1 issue.")
print("◇ Test aHang() started.", flush=True)
"""


def run(code, minutes="1"):
    return subprocess.run([sys.executable, PROGRAM, minutes, sys.executable, "-c", LINES + code],
                          capture_output=True, text=True, check=False)


def test_a_run_that_ends_keeps_its_output_and_its_code():
    done = run("import sys; sys.exit(3)")
    assert done.returncode == 3
    assert done.stdout.startswith("◇ Test run started.\n")
    assert "did not end" not in done.stdout


def test_a_run_that_hangs_is_ended_and_names_its_tests():
    done = run("import signal; signal.pause()", minutes="0.02")
    assert done.returncode == EXIT
    told = done.stdout[done.stdout.index("did not end within"):]
    assert "✘ aHang()" in told and "✘ Writes" in told
    assert "anEnd" not in told and "eachSize" not in told
    assert "MainThread" in told or "python" in told


def test_a_process_that_a_test_leaves_is_not_waited_for():
    done = run("import subprocess as s; print('left', s.Popen(['sleep', '600']).pid, flush=True)")
    os.kill(int(done.stdout.split("left ")[1]), signal.SIGKILL)
    assert done.returncode == 0


def test_a_test_that_runs_in_two_suites_ends_twice():
    unended = Unended()
    for _ in range(2):
        unended.line("◇ Test read() started.")
    unended.line("✔ Test read() passed after 1 seconds.")
    assert unended.tests == {"read()": 1}
    unended.line("✔ Test read() passed after 1 seconds.")
    assert unended.tests == {}
