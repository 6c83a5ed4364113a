"""The pages that a newcomer types: each line does what the page says, on an empty server."""

import os
import re
import signal
import subprocess
import threading

import pytest
from relationd import ROOT, executable

FIRST_HOUR = ROOT / "docs" / "first-hour.md"
README = ROOT / "README.md"
MARKS = ROOT / "docs" / "friend-marks.md"
SUGGESTIONS = ROOT / "docs" / "suggestions.md"
EXPLAIN = ROOT / "docs" / "explain.md"
DRY_RUNS = ROOT / "docs" / "dry-runs.md"
ADDRESS = "127.0.0.1:7460"


class Step:
    """A command of a page, and the lines that it prints."""

    def __init__(self, place, command):
        self.place, self.command, self.expected = place, command, []

    def expects(self, printed):
        """Whether the lines say this, with anything in place of each `…`."""
        parts = "\n".join(self.expected).split("…")
        return re.fullmatch(".*".join(map(re.escape, parts)), printed.strip()) is not None


def steps(page, section=""):
    """The commands of the blocks of a page, or of one of its sections, in their order."""
    text = page.read_text()
    first = text.index(section) if section else 0
    end = text.find("\n## ", first + 1) if section else len(text)
    found = []
    for block in re.finditer(r"^```console\n(.*?)^```$", text[first:end], re.DOTALL | re.MULTILINE):
        line = text.count("\n", 0, first + block.start(1))
        for text_of_line in block[1].splitlines():
            line += 1
            if text_of_line.startswith("$ "):
                found.append(Step(f"{page.name}:{line}", text_of_line[2:]))
            elif text_of_line.startswith("> "):
                found[-1].command += "\n" + text_of_line[2:]
            else:
                found[-1].expected.append(text_of_line)
    return found


class Terminal:
    """A shell of somebody who has nothing yet, with a server in a second one."""

    def __init__(self, folder):
        bin = folder / "bin"
        bin.mkdir()
        for program in ["relationd", "relationctl"]:
            (bin / program).symlink_to(executable(program))
        names = [name for name in os.environ if not name.startswith("RELATION")]
        self.environment = {name: os.environ[name] for name in names} | {
            "PATH": f"{bin}:{os.environ['PATH']}", "HOME": str(folder),
            "XDG_CONFIG_HOME": str(folder / "config")}
        self.folder = folder
        self.server = None
        self.addresses = {}

    def type(self, step):
        """Types the command, and looks whether it prints what the page says."""
        command = step.command
        for shown, real in self.addresses.items():
            command = command.replace(shown, real)
        if command.startswith("relationd serve"):
            return self.serve(step, command)
        # Every line is one of the same shell, which knows what runs behind it.
        self.shell.stdin.write(f"{command}\nprintf '\\n%s %s\\n' END $?\n")
        self.shell.stdin.flush()
        printed = []
        while not (printed and printed[-1].startswith("END ")):
            line = self.shell.stdout.readline()
            assert line, (step.place, printed)
            printed.append(line.rstrip("\n"))
        status = printed.pop().removeprefix("END ")
        text = "\n".join(printed)
        assert status == "0", (step.place, text)
        for shown, real in self.addresses.items():
            text = text.replace(real, shown)
        assert step.expects(text), (step.place, text, step.expected)

    def serve(self, step, command):
        command += " --listen 127.0.0.1:0 --metrics-listen 127.0.0.1:0"
        self.server = subprocess.Popen(
            ["sh", "-c", "exec " + command], cwd=self.folder, env=self.environment,
            stdout=subprocess.PIPE, stderr=open(self.folder / "server.log", "w"), text=True)
        said = [self.server.stdout.readline() for _ in range(2)]
        assert said[0].startswith("listening on "), (step.place, said)
        self.addresses[ADDRESS] = said[0].split()[-1]
        assert step.expects("".join(said).replace(self.addresses[ADDRESS], ADDRESS)), said

    def __enter__(self):
        self.shell = subprocess.Popen(
            ["bash"], cwd=self.folder, env=self.environment, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=open(self.folder / "shell.log", "w"), text=True,
            start_new_session=True)
        # A line that never ends would hold the tests up for ever.
        self.timer = threading.Timer(120, self.end_shell)
        self.timer.start()
        return self

    def end_shell(self):
        os.killpg(self.shell.pid, signal.SIGKILL)

    def __exit__(self, *_):
        self.timer.cancel()
        self.end_shell()
        self.shell.wait()
        self.shell.stdin.close()
        self.shell.stdout.close()
        if self.server:
            self.server.terminate()
            assert self.server.wait(30) == 0
            self.server.stdout.close()


@pytest.fixture
def terminal(tmp_path):
    with Terminal(tmp_path) as terminal:
        yield terminal


def test_the_first_hour_does_what_its_page_says(terminal):
    headings = re.findall(r"^## (\d+)\. ", FIRST_HOUR.read_text(), re.MULTILINE)
    assert headings == [str(number) for number in range(1, 11)]
    typed = steps(FIRST_HOUR)
    assert len(typed) > 20
    for step in typed:
        terminal.type(step)


def test_the_walk_of_the_readme_ends_with_two_friends(terminal):
    typed = steps(README, "## With credentials")
    assert len(typed) > 5
    for step in typed:
        terminal.type(step)
    assert "CheckFriends" in typed[-1].command
    assert "FRIEND_RELATION_BOTH_WAY" in typed[-1].expected[0]


def test_the_page_of_marks_does_what_it_says(terminal):
    typed = steps(MARKS)
    assert len(typed) > 10
    for step in typed:
        terminal.type(step)


def test_the_page_of_suggestions_does_what_it_says(terminal):
    typed = steps(SUGGESTIONS)
    assert len(typed) > 8
    for step in typed:
        terminal.type(step)


def test_the_page_of_explanations_does_what_it_says(terminal):
    typed = steps(EXPLAIN)
    assert len(typed) > 6
    for step in typed:
        terminal.type(step)


def test_the_page_of_dry_runs_does_what_it_says(terminal):
    typed = steps(DRY_RUNS)
    assert len(typed) > 4
    for step in typed:
        terminal.type(step)


def test_a_page_that_says_something_else_is_found_out(terminal):
    step = Step("here", "echo one; echo two")
    for lines, is_right in [(["one", "two"], True), (["o…", "two"], True), (["one"], False),
                            (["one", "three"], False), (["…o"], False), (["one…"], False)]:
        step.expected = lines
        assert step.expects("one\ntwo\n") is is_right, lines
