"""Addresses: both programs take the same forms, and refuse the others in the same words."""

import os
import socket
import subprocess

import pytest
from relationd import Relationd, executable

# The words for each text that is not an address.
BAD = {
    "": "the address is empty: write host:port",
    "http://relation.example:7450": "is a URL: write relation.example:7450",
    "https://[::1]:7450/x": "is a URL: write [::1]:7450",
    "unix:///run/x": "is a URL: write unix:/run/x",
    "unix:": "unix: has no path: write unix:/path/of/the/socket",
    "relation.example": "relation.example has no port: write relation.example:port",
    "7450": "7450 has no host: write host:7450",
    "[::1]": "[::1] has no port: write [::1]:port",
    "::1:7450": "has several colons: write an IPv6 address in brackets, such as [::1]:7450",
    "[::1:7450": "[::1:7450 is not an address: write [address]:port",
    ":7450": ":7450 has no host: write host:port",
    "a b:7450": "a b is not a name of a host: write host:port",
    "user@host:7450": "user@host is not a name of a host: write host:port",
    "host:65536": "the port 65536 is not a number from ",
    "host:+1": "the port +1 is not a number from ",
    "host:7450/path": "the port 7450/path is not a number from ",
}


def run(program, *arguments):
    names = [name for name in os.environ if not name.startswith("RELATION")]
    return subprocess.run(
        [executable(program), *arguments], capture_output=True, text=True, timeout=30,
        env={name: os.environ[name] for name in names})


@pytest.mark.parametrize("text", BAD)
def test_what_is_no_address_is_refused_in_the_same_words_by_both(tmp_path, text):
    data = tmp_path / "data"
    server = run("relationd", "serve", "--data", str(data), "--listen", text)
    client = run("relationctl", "call", "GetStats", "--server", text)
    for done in [server, client]:
        assert done.returncode == 64 and done.stdout == ""
        assert BAD[text] in done.stderr
        assert len(done.stderr.splitlines()) == 1, done.stderr
    pages = run("relationd", "serve", "--data", str(data), "--metrics-listen", text)
    assert pages.returncode == 64
    assert BAD[text] in pages.stderr or text.startswith("unix:")
    assert not data.exists()


def test_a_path_that_is_too_long_is_refused_by_both(tmp_path):
    text = "unix:/" + "x" * 107
    done = run("relationctl", "call", "GetStats", "--server", text)
    assert done.returncode == 64 and "it may have 107" in done.stderr
    done = run("relationd", "serve", "--data", str(tmp_path / "data"), f"--listen={text}")
    # The server's words repeat no long text.
    assert done.returncode == 64 and "takes HOST:PORT or unix:PATH, not 'unix:/xxx" in done.stderr


def test_only_a_server_may_ask_for_any_free_port():
    done = run("relationctl", "call", "GetStats", "--server=127.0.0.1:0")
    assert done.returncode == 64
    assert "the port 0 is not a number from 1 to 65535" in done.stderr


@pytest.mark.parametrize("form", ["127.0.0.1:0", "localhost:0", "[::1]:0", "unix:SOCKET"])
def test_what_the_server_says_is_what_the_client_takes(tmp_path, form):
    if "::" in form and not socket.has_ipv6:
        pytest.skip("this machine has no IPv6")
    listen = form.replace("SOCKET", str(tmp_path / "s"))
    with Relationd(tmp_path / "data", listen=listen) as running:
        done = run("relationctl", "call", "GetStats", "--server", running.address)
        assert done.returncode == 0, done.stderr
