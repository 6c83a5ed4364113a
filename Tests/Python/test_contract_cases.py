"""The cases of Tests/Contract: every row of the tables has one, and the server passes all."""

import itertools
import os
import pathlib
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from contract_web import Way
from relationd import Relationd, executable
from web import HTTP1, HTTP2

ROOT = pathlib.Path(__file__).resolve().parents[2]
CONTRACT = ROOT / "Tests" / "Contract"


def told(*command):
    return subprocess.run(map(str, command), capture_output=True, text=True, timeout=600)


def run(*command):
    return told(sys.executable, *command)


def test_every_row_of_the_tables_has_a_case_or_a_reason_to_have_none():
    checked = run(CONTRACT / "check.py")
    assert checked.returncode == 0, checked.stdout + checked.stderr


# Whether each client and each way does all cases, as `make contract-tests` has it.
WHOLE = os.environ.get("CONTRACT_WEB") == "whole"
# The calls in four parts, by their first letters: patterns of their files.
QUARTERS = ["[A-D]*", "[E-I]*", "[J-Q]*", "[!A-Q]*"]


def test_clients_agree_with_the_server_on_every_case_at_the_same_time(server, seed):
    """Swift does all cases, and Python one part with a client generated from `proto` and another
    with one from the frozen contract, each time others."""
    python = [sys.executable, CONTRACT / "python/run.py", server.address]
    frozen = [*python, "--contract", ROOT / "proto/released.binpb"]
    clients = [[executable("contract-runner"), server.address]]
    if WHOLE:
        clients += [python, frozen]
    else:
        parts = random.Random(f"{seed} parts").sample(QUARTERS, 2)
        clients += [
            [*client, "--only", part] for client, part in zip([python, frozen], parts, strict=True)]
    with ThreadPoolExecutor() as threads:
        for passed in threads.map(lambda client: told(*client), clients):
            assert passed.returncode == 0, passed.stdout + passed.stderr


# Protocol, form of the messages, version of HTTP.
WAYS = [
    ("grpc", "proto", HTTP2), ("grpc", "json", HTTP2),
    *itertools.product(["connect"], ["proto", "json"], [HTTP1, HTTP2]),
    ("grpc-web", "proto", HTTP1), ("grpc-web", "proto", HTTP2), ("grpc-web-text", "proto", HTTP1),
]  # fmt: skip


def test_all_protocols_agree_on_the_cases_plain_and_with_tls(
    server, tmp_path, authority, certificate, seed
):
    """Each way does a part of the cases, each time another: those of Connect a sixteenth, which are
    a half together, and the others a part of 32."""
    encrypted = Relationd(
        tmp_path / "data", "--tls-cert", certificate.path, "--tls-key", certificate.key_path,
        "--allow-anonymous", "--hooks", insecure=False)
    first, ways = random.Random(f"{seed} ways").randrange(32), []
    for number, way in enumerate(WAYS):
        parts = 1 if WHOLE else 16 if way[0] == "connect" else 32
        for secure in (False, True):
            part = f"{(first + 2 * number + secure) % parts}/{parts}"
            port = encrypted.port if secure else server.port
            ways.append(Way(port, *way, authority=authority.path if secure else None, part=part))
    with encrypted, ThreadPoolExecutor(4) as threads:
        for way in threads.map(Way.run, ways):
            assert way.has_passed, (way.client.caller, str(way))


def test_the_runner_fails_if_no_case_ran_or_no_server_answers(server):
    assert run(CONTRACT / "python/run.py", server.address, "--only", "None").returncode == 1
    assert run(CONTRACT / "python/run.py", "127.0.0.1:1", "--only", "GetStats").returncode == 1


def test_a_runner_has_at_most_200_lines():
    for runner in CONTRACT.glob("*/[rR]un.*"):
        assert len(runner.read_text().splitlines()) <= 200, runner
