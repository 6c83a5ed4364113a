"""Servers on each PostgreSQL that a Debian or an Ubuntu has: the contract's cases, and a crash."""

import json
import os
import re
import subprocess
import sys
import time

import platforms
import pytest
from clean_root import base
from database import database
from relationd import ROOT, Relationd, executable
from web import HTTP1

# The systems by the major version that they have.
SUITES = {13: "bullseye", 14: "jammy", 15: "bookworm", 16: "noble", 17: "trixie"}
SECONDS = 900
WORDS = re.compile(r"(\d+) passed, 0 failed, (\d+) skipped")


@pytest.fixture(scope="module", params=SUITES, ids=lambda major: f"PostgreSQL-{major}")
def tried(request):
    """A database of that version, with the tables of a store."""
    with database(SUITES[request.param]) as made:
        assert made.version.split(".")[0] == str(request.param)
        made.ask("CREATE DATABASE relation")
        made.store = f"{made.address}/relation"
        made.system = base.WITH_OLDER[SUITES[request.param]][0]
        subprocess.run(
            [executable("relationd"), "init", "--store", made.store, "--list-keys"], check=True,
            capture_output=True, timeout=60)
        yield made


def call(server, name, request):
    done = subprocess.run(
        [executable("relationctl"), "--server", server.address, "--app", "1", "call", name,
         json.dumps(request)],
        capture_output=True, text=True, timeout=60, check=True)  # fmt: skip
    return json.loads(done.stdout)


def relation(server):
    return call(server, "CheckFriends", {"user_id": "ann", "user_ids": ["bob"]})["results"][0][
        "relation"]


def test_two_servers_share_it_and_a_crash_loses_nothing(tried, tmp_path):
    with (
        Relationd(tmp_path / "a", store=tried.store) as one,
        Relationd(tmp_path / "b", store=tried.store) as other,
    ):
        for user in ("ann", "bob"):
            call(one, "ImportAccounts", {"row": {"user_id": user}})
        call(one, "AddFriends", {
            "user_id": "ann", "items": [{"user_id": "bob", "source": "Web"}]})
        assert relation(other) == "FRIEND_RELATION_BOTH_WAY"
        tried.stop()
        tried.start()
        # A server finds the database again by itself.
        end = time.monotonic() + 60
        while True:
            try:
                found = [relation(server) for server in (one, other)]
                break
            except subprocess.CalledProcessError:
                assert time.monotonic() < end
        assert found == ["FRIEND_RELATION_BOTH_WAY"] * 2


def test_every_case_of_the_contract_passes(tried, tmp_path):
    # The cases count what an empty store has.
    tried.ask("CREATE DATABASE cases")
    store = f"{tried.address}/cases"
    subprocess.run(
        [executable("relationd"), "init", "--store", store, "--list-keys"], check=True,
        capture_output=True, timeout=60)
    with Relationd(tmp_path / "data", "--hooks", store=store) as server:
        done = subprocess.run(
            [sys.executable, ROOT / "Tests/Python/contract_web.py", str(server.port), "connect",
             "json", HTTP1, "--shared", *os.environ.get("PLATFORM_CASES", "").split()],
            capture_output=True, text=True, timeout=SECONDS)  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    passed, _ = WORDS.search(done.stdout).groups()
    platforms.record(
        "postgresql", f"PostgreSQL {tried.version}", system=tried.system, cases=int(passed),
        of=platforms.cases())
