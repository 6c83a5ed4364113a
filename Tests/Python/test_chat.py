"""The chat back end of `Examples/Chat`, whose users type commands while the server is stopped,
killed and started again."""

import queue
import subprocess
import threading

import ports
import pytest
from relationd import Relationd, executable

SECONDS = 60


class Chat:
    """The running example, with the lines that it tells."""

    def __init__(self, address):
        self.process = subprocess.Popen(
            [executable("example-chat"), address], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            text=True)
        self.lines = queue.SimpleQueue()
        self.kept = []
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(line.rstrip("\n"))

    def type(self, *commands):
        self.process.stdin.write("".join(command + "\n" for command in commands))
        self.process.stdin.flush()

    def wait_for(self, line):
        """Waits until it tells a line; lines before it are kept for later waits."""
        while line not in self.kept:
            try:
                self.kept.append(self.lines.get(timeout=SECONDS))
            except queue.Empty:
                raise AssertionError(f"no {line!r} after {self.kept[-50:]}") from None
        self.kept.remove(line)

    def asks(self, command, answer):
        self.type(command)
        self.wait_for(answer)

    def end(self):
        """Ends its input, and returns what it has told besides."""
        self.process.stdin.close()
        assert self.process.wait(SECONDS) == 0
        while not self.lines.empty():
            self.kept.append(self.lines.get())
        return self.kept


@pytest.fixture
def chat(start):
    """A chat with two users, which follows the changes, and its server."""
    server = start(listen=ports.address())
    running = Chat(server.address)
    running.wait_for("(following the changes)")
    running.asks("join ann Ann", "ann is Ann")
    running.asks("join ben Ben", "ben is Ben")
    running.server = server
    yield running
    running.process.kill()
    running.process.wait()
    running.process.stdout.close()


def test_users_of_a_chat_become_friends(chat):
    chat.asks("add ann ben", "ann has asked ben")
    chat.wait_for("[ben] ann wants to be your friend")
    chat.asks("inbox ben", 'ann "It is ann"')
    chat.asks("accept ben ann", "ben and ann are friends")
    chat.wait_for("[ann] ben is your friend now")
    chat.wait_for("[ben] ann is your friend now")
    chat.asks("friends ann", "ben")
    chat.asks("add ann ben", "ben is a friend already")
    chat.asks("add ann dan", "dan cannot be asked: REASON_SNS_FRIEND_ADD_ACCOUNT_NOT_EXIST")
    chat.asks("who ann ben dan", "Ben, no such user")
    chat.asks("inbox ann", "none")
    assert [line for line in chat.end() if line.startswith(("sorry", "("))] == []


def test_a_change_ends_a_name_that_the_chat_keeps(chat):
    chat.asks("who ann ben", "Ben")
    chat.asks("join ben Benny", "ben is Benny")
    chat.wait_for("[ben] you are Benny now")
    chat.asks("who ann ben", "Benny")


def again(server):
    """The server once more, with its data and at its address."""
    return Relationd(server.data, listen=server.address)


@pytest.mark.parametrize("end", [Relationd.stop, Relationd.kill])
def test_a_chat_goes_on_while_its_server_is_started_again(chat, end):
    chat.asks("who ann ben", "Ben")
    end(chat.server)
    chat.wait_for("(lost the changes, which go on: UNAVAILABLE)")
    # A kept name needs no server; a call waits for it.
    chat.asks("who ann ben", "Ben")
    chat.type("add ann ben")
    with again(chat.server):
        chat.wait_for("ann has asked ben")
        chat.wait_for("[ben] ann wants to be your friend")
        told = chat.end()
    assert not any(line.startswith("sorry") for line in told), told


def test_a_chat_does_each_command_once_over_a_kill_in_its_midst(chat):
    friends = [f"friend{number}" for number in range(60)]
    for friend in friends:
        chat.type(f"join {friend} {friend}", f"add {friend} ann", f"accept ann {friend}")
    chat.wait_for("ann and friend20 are friends")
    chat.server.kill()
    with again(chat.server):
        for friend in friends:
            chat.wait_for(f"[ann] {friend} is your friend now")
        chat.asks("friends ben", "none")
        told = chat.end()
    for word in ("sorry", "cannot", "already", "has not"):
        assert [line for line in told if word in line] == []
    for friend in friends[21:]:
        assert told.count(f"ann and {friend} are friends") == 1, friend


def test_a_chat_says_what_is_wrong_with_an_address():
    done = subprocess.run(
        [executable("example-chat"), "http://127.0.0.1:7450"], capture_output=True, text=True,
        timeout=SECONDS)
    assert done.returncode == 1 and "is a URL: write 127.0.0.1:7450" in done.stdout
