"""Runs loads against servers, each on its processor, and reads what the server did meanwhile."""

import contextlib
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
import time

from figures import Failed, checked

SERVER, LOAD = 0, 1
"""The processors. The load has one to itself, but where a server is to have both."""

PRIORITY = 1
"""The priority of load.c among real-time threads: nothing on its processor delays its clock."""

LONGEST_SECONDS = 120
START_SECONDS = 60

LISTENING = re.compile(r"listening on \S*?:(\d+)")


def on(processors, *words):
    return ["taskset", "-c", ",".join(map(str, processors)), *map(str, words)]


def processor_seconds(pid):
    """The processor time of a process, also of its threads that have ended, exact."""
    return time.clock_gettime_ns((~pid << 3) | 2) / 1e9


def threads(pid):
    """Of each thread its name, its time on a processor, and its time of waiting for one."""
    found = {}
    for folder in pathlib.Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            ran, waited, _ = map(int, (folder / "schedstat").read_text().split())
            faults = int((folder / "stat").read_text().rpartition(")")[2].split()[7])
            found[folder.name] = (
                (folder / "comm").read_text().strip(), ran / 1e9, waited / 1e9, faults)
    return found


def differences(before, after):
    """The work of each thread in between, by its name; threads of one name are taken together."""
    found = {}
    for thread, (name, *figures) in after.items():
        name = kind(name)
        old = before.get(thread, (name, 0, 0, 0))[1:]
        sums = found.setdefault(name, [0, 0, 0])
        for place, (new, was) in enumerate(zip(figures, old, strict=True)):
            sums[place] += new - was
    return found


def kind(name):
    """The kind of a thread: numbers at its end tell threads of a kind apart."""
    return re.sub(r"[-#0-9]+$", "", name)


class Server:
    """A server as a child process, on its processors, that says where it listens."""

    def __init__(self, name, words, processors=(SERVER,), log=None):
        self.name = name
        self.process = subprocess.Popen(
            on(processors, *words), stdout=subprocess.PIPE, text=True,
            stderr=open(log, "ab") if log else subprocess.DEVNULL)
        timer = threading.Timer(START_SECONDS, self.process.kill)
        timer.start()
        line = self.process.stdout.readline()
        timer.cancel()
        found = LISTENING.search(line)
        if not found:
            self.kill()
            raise Failed(f"{name} did not start: {line!r}")
        self.port = int(found[1])

    @property
    def address(self):
        return f"127.0.0.1:{self.port}"

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(START_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()
            raise Failed(f"{self.name} did not stop") from None
        self.process.stdout.close()

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if self.process.poll() is None:
            self.kill() if kind else self.stop()


class Profiler:
    """Has perf look at our server while a load is measured, and writes where its time goes."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.title = "profile"

    @contextlib.contextmanager
    def look(self, pid):
        data = self.folder / "perf.data"
        recorder = subprocess.Popen(
            ["perf", "record", "--quiet", "-F", "4000", "-e", "cpu-clock", "-p", str(pid),
             "-o", data], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            yield
        finally:
            recorder.send_signal(signal.SIGINT)
            recorder.wait()
        with open(self.folder / f"{self.title}.txt", "w") as file:
            for columns in ("comm", "dso", "comm,dso,symbol"):
                subprocess.run(
                    ["perf", "report", "--stdio", "--no-children", "--percent-limit", "0.4",
                     "--sort", columns, "-i", data], stdout=file, stderr=subprocess.DEVNULL,
                    check=True)
        data.unlink()


profiler = None
"""Of this run, if it is to have profiles. Its figures are not a measurement then."""


def looks(server, title=None):
    """A profiler that looks at a server while it is measured; nothing without one."""
    if profiler is None or server.name != "ours":
        return contextlib.nullcontext()
    profiler.title = title or profiler.title
    return profiler.look(server.process.pid)


def run(server, words):
    """Runs a load that prints `begin` and later its report: the report, and what the server did."""
    load = subprocess.Popen(
        [str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    timer = threading.Timer(LONGEST_SECONDS, load.kill)
    timer.start()
    try:
        pid = server.process.pid
        line = load.stdout.readline()
        if line.strip() != "begin":
            load.kill()
            raise Failed(f"a load against {server.name} failed: {line}{load.stderr.read()}")
        before, threads_before = processor_seconds(pid), threads(pid)
        with looks(server):
            line = load.stdout.readline()
        used = processor_seconds(pid) - before
        did = differences(threads_before, threads(pid))
        errors = load.stderr.read()
        if load.wait() != 0 or not line:
            raise Failed(f"a load against {server.name} failed: {errors}")
        return json.loads(line), used, did
    finally:
        timer.cancel()
        if load.poll() is None:
            load.kill()
        load.wait()


def group(name, call, file, **options):
    """A group of load.c; `heads` are fields of the head."""
    heads = options.pop("heads", ())
    words = {"name": name, "path": f"/relation.v1.{call}", "file": file, **options}
    return ",".join(
        [f"{key}={value}" for key, value in words.items()]
        + [f"head={key}:{value}" for key, value in heads])


def flood(server, folder, warm, seconds, *groups, checks=True):
    """Runs load.c, and gives the reports of its groups by name, and what the server did."""
    load = [folder / "load", server.port, warm, seconds, *groups]
    words = on((LOAD,), "chrt", "-f", PRIORITY, *load)
    reports, used, did = run(server, words)
    if checks:
        for report in reports:
            if report["events"] == 0:
                checked(report, f"{report['name']} at {server.name}")
    return {report["name"]: report for report in reports}, used, did


class Beside:
    """Runs a command again and again, on the load's processor, until it is asked to end."""

    def __init__(self, words, environment=None):
        self.words = on((LOAD,), "nice", "-n", "10", *words)
        self.environment = {**os.environ, **(environment or {})}
        self.count, self.failure = 0, None
        self.process = None
        self.is_over = False
        self.lock = threading.Lock()
        self.thread = threading.Thread(target=self.repeat)

    def repeat(self):
        while True:
            with self.lock:
                if self.is_over:
                    return
                self.process = subprocess.Popen(
                    self.words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                    env=self.environment)
            errors = self.process.communicate()[1]
            with self.lock:
                if self.is_over:
                    return
                if self.process.returncode != 0:
                    self.failure = errors[-500:]
                    return
                self.count += 1

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, kind, *_):
        with self.lock:
            self.is_over = True
            if self.process and self.process.poll() is None:
                self.process.kill()
        self.thread.join()
        if self.failure and not kind:
            raise Failed(f"{self.words}: {self.failure}")


def note(text):
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)
