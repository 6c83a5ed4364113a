"""Runs the Swift tests within a bound, so that a run that hangs says which tests did not end.

    bounded.py MINUTES COMMAND...

Prints what the command prints. If the command has not ended by then, prints the tests that had
begun and not ended, and the threads of its processes, and ends them all.
"""

import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path

# The form of Swift Testing's lines, such as `◇ Test name() started.`; a case of a test has more.
BEGUN = re.compile(r"^. (Test|Suite) (?!case |run )(.+?) started\.$")
ENDED = re.compile(r"^. (Test|Suite) (?!case |run )(.+?)(?: with \d+ test cases?)?"
                   r" (?:passed|failed|skipped)\b")
EXIT = 124  # As `timeout` of the coreutils.
# How long the rest of the output is read after the command has ended.
SECONDS_OF_THE_REST = 2


class Unended:
    """The tests that have begun and not ended, by the lines that a run prints."""

    def __init__(self):
        self.tests = {}

    def line(self, line):
        if match := BEGUN.match(line):
            self.tests[match[2]] = self.tests.get(match[2], 0) + 1
        elif match := ENDED.match(line):
            left = self.tests.get(match[2], 0) - 1
            if left > 0:
                self.tests[match[2]] = left
            else:
                self.tests.pop(match[2], None)


def threads_of(group):
    """What the kernel tells of each thread of the processes of a group."""
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if os.getpgid(int(process.name)) != group:
                continue
            for thread in sorted(process.glob("task/*")):
                waits = (thread / "wchan").read_text()
                name = (thread / "comm").read_text().strip()
                yield f"{process.name} {thread.name} {name}: {waits}"
        except (OSError, ProcessLookupError):
            continue


def main(minutes, command):
    run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                           start_new_session=True)
    unended = Unended()
    hung = threading.Event()

    def end():
        hung.set()
        print(f"The tests did not end within {minutes} minutes. Begun and not ended:", flush=True)
        for test in unended.tests.copy():
            print(f"✘ {test}", flush=True)
        for thread in threads_of(run.pid):
            print(thread, flush=True)
        os.killpg(run.pid, signal.SIGKILL)

    # Whoever ends this process ends the tests too.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: os.killpg(run.pid, signal.SIGTERM))
    timer = threading.Timer(minutes * 60, end)
    timer.start()

    def pass_on():
        for raw in run.stdout:
            sys.stdout.buffer.write(raw)
            sys.stdout.buffer.flush()
            unended.line(raw.decode(errors="replace").rstrip("\n"))

    reader = threading.Thread(target=pass_on, daemon=True)
    reader.start()
    code = run.wait()
    # What a test has left running may hold the output open, and is not waited for.
    reader.join(SECONDS_OF_THE_REST)
    timer.cancel()
    return EXIT if hung.is_set() else code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]), sys.argv[2:]))
