"""The story that every program of `Examples` tells, and how a test runs one."""

import socket
import subprocess

from relationd import ROOT

EXAMPLES = ROOT / "Examples"
STORY = """\
accounts: 3 taken, {existed} existed, 0 refused
add example-ben: {ben}
add example-carl: a friend now
add example-unknown: FRIEND_STATUS_ACCOUNT_NOT_FOUND
page: example-ben
page: example-carl
check example-ben: FRIEND_RELATION_BOTH_WAY
check example-unknown: FRIEND_STATUS_ACCOUNT_NOT_FOUND
refused: USER_NOT_FOUND
block example-carl: FRIEND_STATUS_SUCC
event: CHANGE_KIND_ADD_BLACKLIST example-carl
"""
FIRST = STORY.format(existed=0, ben="a friend now")
AGAIN = STORY.format(existed=3, ben="a friend already")


def told(command, *arguments, **options):
    """Runs an example to its end."""
    return subprocess.run(
        [*command, *arguments], capture_output=True, text=True, timeout=60, **options)


def assert_it_tells_the_story_twice(command, address):
    """A server that has no accounts is told it first by the command line, then by the variable."""
    first = told(command, address)
    assert (first.returncode, first.stdout, first.stderr) == (0, FIRST, "")
    again = told(command, env={"RELATION_SERVER": address})
    assert (again.returncode, again.stdout, again.stderr) == (0, AGAIN, "")


def assert_it_says_that_no_server_listens(command):
    """It names the address and the system's reason, in one line."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = "127.0.0.1:%d" % taken.getsockname()[1]
        done = told(command, address)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"{address}: ") and done.stderr.count("\n") == 1, done.stderr
    assert "connection refused" in done.stderr.lower()
