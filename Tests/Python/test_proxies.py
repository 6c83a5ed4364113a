"""Streams and imports through proxies as people run them: the commands go on over each end that a
proxy makes of a call."""

import subprocess

import grpc
import pytest
from people import People
from proxies import proxy
from relationd import Relationd, executable
from stubs import Relation
from test_ctl_import import counts

PROXIES = ["nginx", "haproxy"]
#: Longer than a proxy lets a stream be quiet here.
LATE = 60_000


class Watching:
    """`relationctl watch` of a user, from now on."""

    def __init__(self, address, user, *arguments):
        self.process = subprocess.Popen(
            [executable("relationctl"), "watch", user, "--server", address, *arguments],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def until(self, words):
        """The lines to the first that has these words."""
        lines = []
        while not lines or words not in lines[-1]:
            line = self.process.stdout.readline()
            assert line, (lines, self.process.communicate()[1])
            lines.append(line)
        return lines

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()


@pytest.mark.parametrize("name", PROXIES)
def test_a_watch_goes_on_over_each_stream_that_a_proxy_ends(name, stubs, tmp_path):
    with (
        Relationd(tmp_path / "data") as server,
        proxy(name, server.port, tmp_path / name) as address,
        grpc.insecure_channel(server.address) as channel,
    ):
        people = People(Relation(stubs, channel))
        ann, = people(1)
        with Watching(address, ann, "--heartbeat", str(LATE)) as watching:
            watching.until("SYNC_COMPLETED presence")
            for number in (1, 2):
                # Each proxy ends the quiet stream after a second.
                with pytest.raises(subprocess.TimeoutExpired):
                    watching.process.wait(2.5)
                people.set_profile(ann, nick=f"nick {number}")
                lines = watching.until(f"#{number} PROFILE_CHANGE")
                assert len([line for line in lines if "PROFILE_CHANGE" in line]) == 1, lines
                assert not [line for line in lines if "STATE" in line], lines


@pytest.mark.parametrize("name", PROXIES)
def test_a_watch_goes_on_when_the_server_behind_a_proxy_was_killed(name, stubs, tmp_path):
    with Relationd(tmp_path / "data") as first, grpc.insecure_channel(first.address) as channel:
        people = People(Relation(stubs, channel))
        ann, = people(1)
        with (
            proxy(name, first.port, tmp_path / name, quiet=30) as address,
            Watching(address, ann) as watching,
        ):
            watching.until("SYNC_COMPLETED presence")
            people.set_profile(ann, nick="before")
            watching.until("#1 PROFILE_CHANGE")
            first.kill()
            # Tries that the proxy answers by itself.
            with pytest.raises(subprocess.TimeoutExpired):
                watching.process.wait(1)
            with (
                Relationd(tmp_path / "data", listen=first.address) as second,
                grpc.insecure_channel(second.address) as channel,
            ):
                People(Relation(stubs, channel)).set_profile(ann, nick="after")
                lines = watching.until("#2 PROFILE_CHANGE")
                assert not [line for line in lines if "STATE" in line], lines


def test_an_import_goes_on_in_requests_that_a_proxy_takes(stubs, tmp_path):
    count = 40_000
    file = tmp_path / "rows.csv"
    with open(file, "w") as out:
        out.write("user_id,friend_user_id\n")
        for number in range(count):
            # One row of a thousand is refused.
            other = f"user-{number % 50}" if number % 1_000 == 0 else f"friend-{number:08}"
            out.write(f"user-{number % 50},{other}\n")
    with (
        Relationd(tmp_path / "data") as server,
        proxy("nginx", server.port, tmp_path / "nginx", quiet=30) as address,
    ):
        refused = tmp_path / "refused.jsonl"
        done = subprocess.run(
            [executable("relationctl"), "import", str(file), "--server", address,
             "--refused", str(refused)],
            capture_output=True, text=True, timeout=240)
        assert done.returncode == 0, (done.returncode, done.stderr)
        assert counts(done)["friendships"] == (count - count // 1_000, count // 1_000), done.stderr
        assert "the stream ended after row" in done.stderr, done.stderr
        assert done.stderr.count("the stream ended after row") <= 4, done.stderr
        # No refusal that was on its way when a stream was cut off is missing, and none is double.
        rows = refused.read_text().splitlines()
        assert len(rows) == count // 1_000 and len(set(rows)) == len(rows)
        assert server.complaints == []
