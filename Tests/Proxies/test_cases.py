"""The contract's cases through each proxy: what comes through is what a server answers."""

import subprocess
import sys

import proxies
import pytest
from proxies import Proxy
from relationd import ROOT, Relationd
from web import HTTP1, HTTP2, Wire

SECONDS = 900
# Protocol, form of the messages, version of HTTP.
WAYS = [
    ("grpc", "proto", HTTP2), ("connect", "json", HTTP1), ("connect", "proto", HTTP2),
    ("grpc-web", "proto", HTTP1), ("grpc-web-text", "proto", HTTP1),
]  # fmt: skip
# By HTTP/1.1 these two pass no answer on before a request is whole.
HALF = {"apache", "caddy"}
UNARY = ("AddFriends", "CheckFriends", "GetProfiles")


def whole():
    for name in ("nginx", "haproxy", *sorted(HALF)):
        for way in WAYS:
            if name not in HALF or way[2] == HTTP2:
                yield pytest.param(name, way, id="-".join((name, *way)).replace("/", ""))


def passes(name, server, authority, certificate, folder, way, *arguments):
    if proxies.program(name) is None:
        pytest.skip(f"{name} is not installed")
    with Proxy(name, folder / name, [server], certificate, quiet=60) as proxy:
        done = subprocess.run(
            [sys.executable, ROOT / "Tests/Python/contract_web.py", str(proxy.port), *way,
             "--authority", authority.path, "--proxied", *arguments],
            capture_output=True, text=True, timeout=SECONDS)
        assert done.returncode == 0, done.stdout + done.stderr + proxy.output[-4000:]


@pytest.mark.parametrize("name, way", list(whole()))
def test_every_case_passes_through_a_proxy(name, way, server, authority, certificate, tmp_path):
    passes(name, server, authority, certificate, tmp_path, way)


@pytest.mark.parametrize("call", UNARY)
@pytest.mark.parametrize("name", sorted(HALF))
def test_calls_of_one_message_pass_by_http1(
    name, call, server, authority, certificate, tmp_path
):
    way = ("connect", "json", HTTP1)
    passes(name, server, authority, certificate, tmp_path, way, "--only", call)


def test_a_public_name_is_one_that_the_server_must_know(authority, certificate, tmp_path):
    answers = []
    for number, names in enumerate([(), ("--browser-hosts", "relation.example")]):
        with (
            Relationd(tmp_path / f"data{number}", *names) as server,
            Proxy("nginx", tmp_path / f"nginx{number}", [server], certificate) as proxy,
            Wire(proxy.port, HTTP1, authority.pem, keeps=False) as wire,
        ):
            fields = [("host", "relation.example"), ("content-type", "application/json")]
            path = "/relation.v1.AppService/ListApps"
            answers.append(wire.ask("POST", path, fields, b"{}").status)
    assert answers == [403, 200]
