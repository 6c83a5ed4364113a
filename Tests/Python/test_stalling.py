"""The loop still serves the others, whatever callers send, with or without a credential.

Each attack goes on while another client makes a hundred calls a second, one after the other,
whatever became of the one before. The result is how many of them are answered in time.
"""

import pathlib
import subprocess
import sys
import time

import grpc
import pytest
import staller
from relationd import Relationd
from stubs import Relation

SECONDS = 4
PER_SECOND = 100
ATTEMPTS = 3
#: Ten times the time of a call beside the attacks, as it was seen on two busy cores.
IN_TIME = 2


@pytest.fixture(scope="module")
def victim(tmp_path_factory):
    with Relationd(tmp_path_factory.mktemp("stalling") / "data") as running:
        yield running


def steady(relation, stubs):
    """Calls at equal distances in time; the share of them that were answered in time."""
    request = stubs.request("GetStats", {})
    start, calls = relation.start("GetStats"), []
    begin = time.monotonic()
    for number in range(SECONDS * PER_SECOND):
        wait = begin + number / PER_SECOND - time.monotonic()
        if wait > 0:
            time.sleep(wait)
        calls.append(start.future(request, timeout=IN_TIME))
    codes = [call.code() for call in calls]
    return codes.count(grpc.StatusCode.OK) / len(codes)


@pytest.mark.alone
@pytest.mark.parametrize("name", staller.ATTACKS)
def test_another_client_keeps_its_calls(victim, stubs, name):
    # A machine that is busy with other things takes calls away too. A server that can be stalled
    # fails every time.
    shares = []
    while len(shares) < ATTEMPTS and max(shares, default=0) < 0.9:
        shares.append(share_under(name, victim, stubs))
    assert max(shares) >= 0.9, shares


def share_under(name, victim, stubs):
    program = pathlib.Path(staller.__file__)
    with (
        grpc.insecure_channel(victim.address) as channel,
        subprocess.Popen(
            [sys.executable, str(program), str(victim.port), name, str(SECONDS)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        ) as attacker,
    ):  # fmt: skip
        relation = Relation(stubs, channel)
        relation("GetStats")
        assert attacker.stdout.readline() == "ready\n"
        attacker.stdin.write("\n")
        attacker.stdin.flush()
        return steady(relation, stubs)
