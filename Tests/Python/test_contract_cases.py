"""The cases of Tests/Contract: every row of the tables has one, and the server passes all."""

import pathlib
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from relationd import executable

ROOT = pathlib.Path(__file__).resolve().parents[2]
CONTRACT = ROOT / "Tests" / "Contract"


def told(*command):
    return subprocess.run(map(str, command), capture_output=True, text=True, timeout=600)


def run(*command):
    return told(sys.executable, *command)


def test_every_row_of_the_tables_has_a_case_or_a_reason_to_have_none():
    checked = run(CONTRACT / "check.py")
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_clients_agree_with_the_server_on_every_case_at_the_same_time(server):
    python = [sys.executable, CONTRACT / "python/run.py", server.address]
    clients = [
        python, [*python, "--contract", ROOT / "proto/released.binpb"],
        [executable("contract-runner"), server.address],
    ]
    with ThreadPoolExecutor() as threads:
        for passed in threads.map(lambda client: told(*client), clients):
            assert passed.returncode == 0, passed.stdout + passed.stderr


def test_the_runner_fails_if_no_case_ran_or_no_server_answers(server):
    assert run(CONTRACT / "python/run.py", server.address, "--only", "None").returncode == 1
    assert run(CONTRACT / "python/run.py", "127.0.0.1:1", "--only", "GetStats").returncode == 1


def test_a_runner_has_at_most_200_lines():
    for runner in CONTRACT.glob("*/[rR]un.*"):
        assert len(runner.read_text().splitlines()) <= 200, runner
