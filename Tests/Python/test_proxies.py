"""Streams and imports through the proxies of Packaging/proxies: the commands go on over each end
that a proxy makes of a call. `make proxies` tries the rest."""

import re
import subprocess

import grpc
import ports
import proxies
import pytest
import yaml
from people import People
from proxies import Proxy
from relationd import ROOT, Relationd, executable
from stubs import Relation
from test_ctl_import import counts

PROXIES = ["nginx", "haproxy"]
PAGE = ROOT / "docs" / "proxies.md"
#: Longer than a proxy lets a stream be quiet here.
LATE = 60_000


@pytest.mark.parametrize("name", [name for name in proxies.FILES if proxies.program(name)])
def test_a_program_takes_its_file(name, server, certificate, tmp_path):
    looked = Proxy(name, tmp_path / name, [server], certificate).check()
    assert looked.returncode == 0, looked.stdout + looked.stderr


def test_each_file_is_on_the_page_and_trusts_the_ports_of_a_server():
    page = PAGE.read_text()
    assert {path.name for path in proxies.FOLDER.iterdir()} == set(proxies.FILES.values())
    for file in proxies.FILES.values():
        text = (proxies.FOLDER / file).read_text()
        assert f"](../Packaging/proxies/{file})" in page
        assert "docs/proxies.md" in text.split("\n\n")[0].replace("\n# ", " ")
        assert re.search(r"\b7450\b", text) and proxies.CERTIFICATE.split("/")[2] in text


def test_envoy_has_no_time_for_a_whole_call():
    made = yaml.safe_load((proxies.FOLDER / "envoy.yaml").read_text())["static_resources"]
    manager = made["listeners"][0]["filter_chains"][0]["filters"][0]["typed_config"]
    route, = manager["route_config"]["virtual_hosts"][0]["routes"]
    assert route["route"] == {"cluster": made["clusters"][0]["name"], "timeout": "0s"}
    assert manager["stream_idle_timeout"] == f"{proxies.LONG}s"


class Watching:
    """`relationctl watch` of a user, from now on."""

    def __init__(self, proxy, authority, user, *arguments):
        self.process = subprocess.Popen(
            [executable("relationctl"), "watch", user, "--server", proxy.address,
             "--tls-ca", authority.path, *arguments],
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
def test_a_watch_goes_on_over_each_stream_that_a_proxy_ends(
    name, stubs, tmp_path, authority, certificate
):
    with (
        Relationd(tmp_path / "data") as server,
        Proxy(name, tmp_path / name, [server], certificate) as proxy,
        grpc.insecure_channel(server.address) as channel,
    ):
        people = People(Relation(stubs, channel))
        ann, = people(1)
        with Watching(proxy, authority, ann, "--heartbeat", str(LATE)) as watching:
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
def test_a_watch_goes_on_when_the_server_behind_a_proxy_was_killed(
    name, stubs, tmp_path, authority, certificate
):
    listen, pages = ports.address(), ports.address()
    with (
        Relationd(tmp_path / "data", "--metrics-listen", pages, listen=listen) as first,
        grpc.insecure_channel(first.address) as channel,
    ):
        people = People(Relation(stubs, channel))
        ann, = people(1)
        with (
            Proxy(name, tmp_path / name, [first], certificate, quiet=30) as proxy,
            Watching(proxy, authority, ann) as watching,
        ):
            watching.until("SYNC_COMPLETED presence")
            people.set_profile(ann, nick="before")
            watching.until("#1 PROFILE_CHANGE")
            first.kill()
            # Tries that the proxy answers by itself.
            with pytest.raises(subprocess.TimeoutExpired):
                watching.process.wait(1)
            with (
                Relationd(tmp_path / "data", "--metrics-listen", pages, listen=listen) as second,
                grpc.insecure_channel(second.address) as channel,
            ):
                People(Relation(stubs, channel)).set_profile(ann, nick="after")
                lines = watching.until("#2 PROFILE_CHANGE")
                assert not [line for line in lines if "STATE" in line], lines


def test_an_import_goes_on_in_requests_that_a_proxy_takes(
    stubs, tmp_path, authority, certificate
):
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
        # nginx's own bound, which its file lifts.
        Proxy("nginx", tmp_path / "nginx", [server], certificate, quiet=30,
              changes=[("client_max_body_size 0", "client_max_body_size 1m")]) as proxy,
    ):
        refused = tmp_path / "refused.jsonl"
        done = subprocess.run(
            [executable("relationctl"), "import", str(file), "--server", proxy.address,
             "--tls-ca", authority.path, "--refused", str(refused)],
            capture_output=True, text=True, timeout=240)
        assert done.returncode == 0, (done.returncode, done.stderr)
        assert counts(done)["friendships"] == (count - count // 1_000, count // 1_000), done.stderr
        assert "the stream ended after row" in done.stderr, done.stderr
        assert done.stderr.count("the stream ended after row") <= 4, done.stderr
        # No refusal that was on its way when a stream was cut off is missing, and none is double.
        rows = refused.read_text().splitlines()
        assert len(rows) == count // 1_000 and len(set(rows)) == len(rows)
        assert server.complaints == []
