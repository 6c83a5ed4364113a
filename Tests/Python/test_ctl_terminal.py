"""The command line on a terminal: pages that fit, keys that end them, and a pager."""

import fcntl
import http.server
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import threading
import time

import pytest
from relationd import executable


class Terminal:
    """A command on a terminal of a size, with standard input there too."""

    def __init__(self, *arguments, rows=24, columns=80, **variables):
        self.reading, writing = pty.openpty()
        fcntl.ioctl(writing, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.before = termios.tcgetattr(writing)
        self.writing = writing
        environment = {name: value for name, value in os.environ.items() if name != "PAGER"}
        # Code of this process between fork and exec would meet the threads of gRPC, which aborts.
        self.process = subprocess.Popen(
            ["setsid", "--ctty", executable("relationctl"), *map(str, arguments)], stdin=writing,
            stdout=writing, stderr=subprocess.PIPE,
            env=environment | {"TERM": "xterm", "NO_COLOR": "1", **variables})
        self.output = ""

    def wait_for(self, pattern, seconds=30, meanwhile=lambda: None):
        end = time.monotonic() + seconds
        while not re.search(pattern, self.output, re.M):
            assert time.monotonic() < end, self.output
            meanwhile()
            self._read(0.1)

    def _read(self, seconds):
        if select.select([self.reading], [], [], seconds)[0]:
            self.output += os.read(self.reading, 65_536).decode(errors="replace")

    def type(self, text):
        os.write(self.reading, text.encode())

    def end(self):
        """Its status, when all that it wrote is read."""
        end = time.monotonic() + 30
        while self.process.poll() is None:
            assert time.monotonic() < end, self.output
            self._read(0.1)
        self._read(0)
        self.after = termios.tcgetattr(self.writing)
        self.process.stderr.close()
        return self.process.returncode

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        os.close(self.reading)
        os.close(self.writing)


@pytest.mark.parametrize("key", ["q", "Q"])
def test_top_ends_with_q_and_leaves_the_terminal_as_it_was(server, key):
    with Terminal("top", "--pages", server.pages, "--interval", "1") as shown:
        shown.wait_for(r"^calls ")
        assert not termios.tcgetattr(shown.writing)[3] & termios.ECHO
        shown.type("x" + key)
        assert shown.end() == 0
        assert shown.after == shown.before and "x" + key not in shown.output


def test_top_puts_the_terminal_back_when_it_is_interrupted(server):
    with Terminal("top", "--pages", server.pages, "--interval", "1") as shown:
        shown.wait_for(r"^calls ")
        shown.type("\x03")
        assert shown.end() == -signal.SIGINT
        assert shown.after == shown.before


# None says its width as 0; one of 20 columns breaks the lines of the least page.
@pytest.mark.parametrize("columns, most", [(120, 120), (80, 80), (60, 60), (48, 48), (20, 48),
                                           (0, 80)])  # fmt: skip
def test_top_fits_a_terminal(server, people, columns, most):
    ann, bob = people(2)
    with Terminal("top", "--pages", server.pages, "--interval", "1", rows=26,
                  columns=columns) as shown:
        # The table of calls stands last: its names are cut, and never its numbers.
        shown.wait_for(r"^Get[A-Za-z]*…? .* 0\r?$", meanwhile=lambda: people.relation(
            "GetMutualFriendCounts", user_id=ann, user_ids=[bob]))
        shown.type("q")
        assert shown.end() == 0
    page = shown.output.replace("\r\n", "\n").split("\x1b[H\x1b[2J")[-1]
    lines = page.splitlines()
    assert all(len(line) <= most for line in lines), page
    assert len(lines) <= 26, page
    assert max(map(len, lines)) > min(most, 60) - 20, page


REASONS = [f"REASON_NUMBER_{number}" for number in range(20)]


class Pages(http.server.BaseHTTPRequestHandler):
    """The figures of a server whose calls fail for many reasons, and ever more of them."""

    asked = 0

    def do_GET(self):
        Pages.asked += 1
        text = "".join(
            f'relation_call_failures_total{{reason="{reason}"}} {Pages.asked * 1000}\n'
            for reason in [*REASONS, "LONG" * 30])
        self.send_response(200)
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_):
        pass


def test_top_goes_on_below_what_80_columns_do_not_hold():
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Pages) as pages:
        threading.Thread(target=pages.serve_forever, daemon=True).start()
        done = subprocess.run(
            [executable("relationctl"), "top", "--pages", f"127.0.0.1:{pages.server_port}",
             "--interval", "1", "--count", "1"], capture_output=True, text=True, timeout=60)
        pages.shutdown()
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert all(len(line) <= 80 for line in lines), done.stdout
    first = next(number for number, line in enumerate(lines) if line.startswith("failed    REASON"))
    assert lines[first + 1].startswith(" " * 10 + "REASON_NUMBER_")
    assert all(reason in done.stdout for reason in REASONS)
    assert any(line.startswith(" " * 10 + "LONG") and line.endswith("…") for line in lines)


# The pager


@pytest.fixture
def pager(tmp_path):
    """A pager that keeps what it was given."""
    script, kept = tmp_path / "pager", tmp_path / "kept"
    script.write_text(f"#!/bin/sh\ncat > {kept}\necho paged\n")
    script.chmod(0o755)
    return script, kept


def test_long_output_goes_through_a_pager(pager):
    script, kept = pager
    for command in (["describe"], ["methods"], ["describe", "AddFriends"]):
        with Terminal(*command, PAGER=str(script)) as shown:
            assert shown.end() == 0
        assert shown.output.strip() == "paged", shown.output
        plain = subprocess.run(
            [executable("relationctl"), *command], capture_output=True, text=True, timeout=60)
        assert kept.read_text() == plain.stdout


def test_what_a_terminal_shows_at_once_goes_through_none(pager):
    script, kept = pager
    with Terminal("explain", "UNAVAILABLE", PAGER=str(script)) as shown:
        assert shown.end() == 0
    assert "do: Try again." in shown.output and not kept.exists()


@pytest.mark.parametrize("name", ["cat", "", "/no/such/pager"])
def test_without_a_pager_all_is_printed(name):
    with Terminal("describe", PAGER=name) as shown:
        assert shown.end() == 0
    assert "FriendService" in shown.output and "BlacklistService" in shown.output


def test_a_pager_that_is_left_early_is_no_error():
    with Terminal("methods", PAGER="true") as shown:
        assert shown.end() == 0
    assert "FriendService" not in shown.output
