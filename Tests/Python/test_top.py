"""The command line's pages for operators: top, connections, slow."""

import re
import subprocess
import threading

import pytest
from authority import Authority
from relationd import Relationd, executable
from watching import Watching


def relationctl(*arguments):
    return subprocess.run(
        [executable("relationctl"), *map(str, arguments)], capture_output=True, text=True, timeout=60)


def rows(text):
    """The lines of a table, as lists of cells."""
    return [re.split(r"\s{2,}", line) for line in text.splitlines()]


def test_top_shows_calls_commits_streams_memory_and_disk(server, relation, people):
    ann, bob = people(2)
    stream = Watching(relation, user_id=ann)
    stream.next()
    stopped = threading.Event()

    def work():
        while not stopped.is_set():
            relation("CheckFriends", user_id=ann, user_ids=[bob])
            relation("AddFriends", user_id=ann, items=[{"user_id": bob}])

    worker = threading.Thread(target=work)
    worker.start()
    try:
        done = relationctl("top", "--pages", server.pages, "--interval", "1", "--count", "1")
    finally:
        stopped.set()
        worker.join()
        stream.cancel()
    assert done.returncode == 0, done.stderr
    text = done.stdout
    assert re.search(r"^relationd \S+  ready  up ", text)
    assert re.search(r"^calls +[1-9]\S*/s  p50 \S+ (µs|ms|s)  p99 \S+ (µs|ms|s)", text, re.M)
    assert re.search(r"^failed +none$", text, re.M)
    assert re.search(r"^commits +[1-9]\S*/s  operations [1-9]", text, re.M)
    assert re.search(r"^streams +1  events \S+/s  p99 lag", text, re.M)
    assert re.search(r"^memory +\d+ MiB  kept \d+ .iB", text, re.M)
    assert re.search(r"^disk +\d+ .iB  free \d+ MiB  reserve \d+ MiB", text, re.M)
    assert re.search(r"^CheckFriends +[1-9]", text, re.M)
    assert re.search(r"^AddFriends +[1-9]", text, re.M)
    # Not a terminal: nothing clears the screen.
    assert "\x1b" not in text


def test_connections_lists_peers_with_what_they_hold(server, relation, people):
    (ann,) = people(1)
    stream = Watching(relation, user_id=ann)
    stream.next()
    done = relationctl("connections", "--pages", server.pages)
    stream.cancel()
    assert done.returncode == 0, done.stderr
    table = rows(done.stdout)
    assert table[0] == ["peer", "loop", "open calls", "held bytes", "age s", "idle s"]
    busiest = table[1]
    assert "127.0.0.1" in busiest[0] and int(busiest[2]) >= 1


def test_slow_tells_where_the_time_of_a_call_went(server, relation, people):
    ann, bob = people(2)
    relation("AddFriends", user_id=ann, items=[{"user_id": bob}])
    done = relationctl("slow", "--pages", server.pages)
    assert done.returncode == 0, done.stderr
    table = rows(done.stdout)
    assert table[0] == ["call", "code", "ms", "loop", "queue", "work", "answer", "seconds ago"]
    lengths = [float(row[2]) for row in table[1:]]
    assert lengths == sorted(lengths, reverse=True)
    write = next(row for row in table if row[0].endswith("/AddFriends"))
    assert float(write[5]) > 0, "the sync is work"
    parts = sum(float(cell) for cell in write[3:7])
    assert parts == pytest.approx(float(write[2]), abs=0.05)


def test_pages_that_are_not_there_are_told_in_the_systems_words():
    done = relationctl("slow", "--pages", "127.0.0.1:1")
    assert done.returncode != 0
    assert "the admin endpoints of 127.0.0.1:1 cannot be read: Connection refused" in done.stderr


def test_another_server_is_not_taken_for_the_pages(server):
    done = relationctl("slow", "--pages", server.address)
    assert done.returncode != 0
    assert server.address.split(":")[1] in done.stderr or "answers" in done.stderr


@pytest.mark.parametrize("address", ["", "x", "127.0.0.1", "127.0.0.1:many", "ftp://x:1", "https://x"])
def test_an_address_that_is_none_is_refused(address):
    done = relationctl("top", "--pages", address)
    assert done.returncode != 0
    assert "--pages" in done.stderr


@pytest.mark.parametrize("argument", ["--interval=0", "--count=0", "--methods=-1"])
def test_a_number_that_makes_no_sense_is_refused(argument):
    done = relationctl("top", argument)
    assert done.returncode != 0
    assert argument.split("=")[0].lstrip("-") in done.stderr


# Pages over TLS


@pytest.fixture(scope="module")
def encrypted(tmp_path_factory, authority):
    """A server that shows its pages over TLS, to those who have a certificate."""
    named = authority.server("named", "relation.example")
    with Relationd(
        tmp_path_factory.mktemp("encrypted") / "data", "--metrics-listen", "0.0.0.0:0",
        "--tls-cert", named.path, "--tls-key", named.key_path, "--client-ca", authority.path,
        "--require-client-cert", "--allow-anonymous", insecure=False,
    ) as running:  # fmt: skip
        running.pages_address = "127.0.0.1:" + running.pages.rpartition(":")[2]
        yield running


@pytest.fixture(scope="module")
def trust(authority):
    client = authority.client("operator")
    return ["--tls-ca", authority.path, "--tls-name", "relation.example",
            "--tls-cert", client.path, "--tls-key", client.key_path]


def test_pages_are_read_over_tls(encrypted, trust):
    for address in [encrypted.pages_address, f"https://{encrypted.pages_address}/"]:
        done = relationctl("connections", "--pages", address, *trust)
        assert done.returncode == 0, done.stderr
        assert rows(done.stdout)[0][:2] == ["peer", "loop"]
    done = relationctl("slow", "--pages", encrypted.pages_address, *trust)
    assert done.returncode == 0, done.stderr
    # The options may stand before the command too, as for calls.
    done = relationctl(
        *trust, "top", "--pages", encrypted.pages_address, "--interval", "1", "--count", "1")
    assert done.returncode == 0, done.stderr
    assert re.search(r"^relationd \S+  ready  up ", done.stdout)


def test_an_address_that_says_http_is_read_without_tls(server, trust):
    address = "http://" + server.pages.removeprefix("http://")
    done = relationctl("slow", "--pages", address, *trust)
    assert done.returncode == 0, done.stderr


def told(done):
    """The one line that says why a command failed."""
    assert done.returncode != 0 and done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert not any(sign in line for sign in (".swift", ".cc", ".c:", "/checkouts/")), line
    return line


def test_pages_that_do_not_speak_tls_are_told(server, trust):
    address = server.pages.removeprefix("http://")
    line = told(relationctl("slow", "--pages", address, *trust))
    assert f"the admin endpoints of {address} cannot be read: " in line
    assert "TLS, and this client does" in line


def test_pages_that_speak_tls_are_told_to_a_reader_without_it(encrypted):
    line = told(relationctl("slow", "--pages", encrypted.pages_address))
    assert "TLS, and this client does not" in line


def test_pages_of_an_authority_that_is_not_trusted_are_refused(encrypted, trust, tmp_path):
    other = Authority(tmp_path, "other")
    line = told(relationctl(
        "slow", "--pages", encrypted.pages_address, "--tls-ca", other.path, *trust[2:]))
    assert "the server's certificate is not signed by a trusted authority" in line
    line = told(relationctl("slow", "--pages", f"https://{encrypted.pages_address}"))
    assert "the server's certificate is not signed by a trusted authority" in line
    line = told(relationctl(
        "slow", "--pages", encrypted.pages_address, "--tls-ca", tmp_path / "none"))
    assert str(tmp_path / "none") in line


def test_pages_of_another_name_are_refused(encrypted, trust):
    without = [part for part in trust if part not in ("--tls-name", "relation.example")]
    line = told(relationctl("slow", "--pages", encrypted.pages_address, *without))
    assert "the server's certificate is for another name or address: it is for" in line
    assert "relation.example" in line and "127.0.0.1 was expected" in line


def test_pages_that_ask_for_a_certificate_say_so_to_a_reader_without_one(encrypted, trust):
    line = told(relationctl("slow", "--pages", encrypted.pages_address, *trust[:4]))
    assert "the server asks for a certificate, and this client shows none" in line
