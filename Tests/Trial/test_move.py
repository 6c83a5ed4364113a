"""A TIM app in use moves over: read while it changes, killed and resumed, read again once its
writers rest, switched behind the proxy, and compared as a whole.

    make trial TRIAL_USERS=100000 TRIAL_FRIENDS=30
"""

import json
import os
import re
import subprocess
import time

import pytest
from crowd import CrowdTIM, Stages, Traffic, Users, name
from fake_tim import APP
from relationd import Relationd, executable
from test_proxy_tim import proxied

USERS = int(os.environ.get("TRIAL_USERS", "1000"))
FRIENDS = int(os.environ.get("TRIAL_FRIENDS", "10"))
# How long the app is in use behind the proxy.
SECONDS = int(os.environ.get("TRIAL_SECONDS", "10"))
SEED = int(os.environ.get("TRIAL_SEED", "1"))
HOURS = 4 * 3600


class Trial:
    """The files and the servers of a move."""

    def __init__(self, folder, tim, server):
        self.folder = folder
        self.tim = tim
        self.server = server
        (folder / "key").write_text("k" * 64 + "\n")
        with open(folder / "accounts", "w") as accounts:
            accounts.writelines(f"{name(number)}\n" for number in range(USERS))

    def tool(self, *words):
        return [executable("relationctl"), *map(str, words)]

    def run(self, *words, codes=(0,)):
        done = subprocess.run(
            self.tool(*words), capture_output=True, text=True, timeout=HOURS, check=False)
        assert done.returncode in codes, done.stderr[-4000:] + done.stdout[-4000:]
        return done

    def source(self):
        return ["--host", self.tim.address, "--sdk-app-id", APP, "--secret-file",
                self.folder / "key", "--accounts", self.folder / "accounts", "--rate", "10000"]

    def migration(self, file):
        return ["migrate", "tim", *self.source(), "--to", self.folder / file]

    def taken_in(self, file, number):
        """Makes an app of that number from a file, and lets it speak TIM's API."""
        server = ["--server", self.server.address]
        self.run(*server, "call", "CreateApp", json.dumps({"app_id": number, "name": file}))
        self.run(*server, "--app", number, "import-app", "--from", self.folder / file)
        self.run(*server, "--app", number, "call", "UpdateApp", json.dumps({"settings": {
            "tim_rest": True, "tim_administrators": {"values": ["administrator"]}}}))

    def differing(self, number):
        """The users of that app that differ from those at TIM, with all that does."""
        report = self.folder / f"report-{number}-{time.monotonic_ns()}"
        done = self.run(
            "compare", "tim", *self.source(), "--with", f"http://{self.server.address}",
            "--with-app-id", number, "--report", report, codes=(0, 5))
        count = int(re.search(rf"{USERS} users, (\d+) differences", done.stdout)[1])
        lines = [json.loads(line) for line in report.read_text().splitlines()]
        assert len(lines) == count
        return {line["user"] for line in lines}, lines


def repeated(done):
    """What a pull says of its calls."""
    return re.search(r"by (\d+ calls of which \d+ were repeated)", done.stdout)[1]


def killed_halfway(trial, command):
    """Runs a pull, and kills it once half of its users are read."""
    before = trial.tim.calls["sns/friend_get"]
    with subprocess.Popen(trial.tool(*command), stderr=subprocess.DEVNULL) as process:
        while trial.tim.calls["sns/friend_get"] - before < USERS // 2:
            assert process.poll() is None
            time.sleep(0.05)
        process.kill()


@pytest.fixture
def trial(tmp_path):
    def fault(_, number):
        """A gateway that fails now and then, as long as the app is read."""
        kinds = {0: "throttle", 1: "gateway", 2: "garbage", 3: "drop"}
        return kinds.get(number % 1009) if tim.fails else None

    tim = CrowdTIM(Users(USERS, FRIENDS), fault, page=1000)
    tim.fails = False
    with tim, Relationd(tmp_path / "data") as server:
        yield Trial(tmp_path, tim, server)


def test_an_app_in_use_moves_over_and_compares_equal(trial):
    print(f"\n{USERS} users, {USERS * FRIENDS} friend rows, seed {SEED}")
    tim, stages = trial.tim, Stages()

    with Traffic(tim.address, tim.users, SEED) as traffic:
        tim.fails = True
        killed_halfway(trial, trial.migration("first"))
        stages.end("read half of the users while they change, and was killed")
        done = trial.run(*trial.migration("first"))
        assert "goes on after" in done.stderr
        tim.fails = False
        stages.end(f"read the rest: {repeated(done)}")
        trial.taken_in("first", 7)
        stages.end("imported it into a first app")
    users, lines = trial.differing(7)
    assert users <= traffic.touched, lines[:10]
    stages.end(f"compared: {len(users)} of {len(traffic.touched)} changed users differ, no other")

    done = trial.run(*trial.migration("second"))
    stages.end(f"read all again, with the writers at rest: {repeated(done)}")
    trial.taken_in("second", APP)
    stages.end("imported it into a second app")
    users, lines = trial.differing(APP)
    assert not users, lines[:10]
    stages.end("compared: no difference")

    with proxied(tim, f"http://{trial.server.address}", seconds=SECONDS + 120) as proxy:
        address = f"http://127.0.0.1:{proxy.connection.port}"
        with Traffic(address, tim.users, SEED + 1) as traffic:
            time.sleep(SECONDS)
        assert traffic.requests > SECONDS and not traffic.failed
        counts, output = proxy.counts(requests=traffic.requests, compared=traffic.requests)
        assert counts["different"] == 0, output
    stages.end(f"answered {traffic.requests} requests behind the proxy, all the same")
    users, lines = trial.differing(APP)
    assert not users, lines[:10]
    stages.end(f"compared: no difference, {len(traffic.touched)} users were changed on the way")
