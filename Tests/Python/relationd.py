"""The real server as a child process of a test."""

import hashlib
import os
import pathlib
import re
import signal
import subprocess
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
START_SECONDS = 30
STOP_SECONDS = 30


def executable(name):
    """The path of a built executable: from the variable of its name, or where a build puts it."""
    variable = name.upper().replace("-", "_")
    path = pathlib.Path(os.environ.get(variable, ROOT / ".build" / "debug" / name))
    if not path.exists():
        raise FileNotFoundError(f"{path}: build it first, or name another in {variable}")
    return str(path)


def place(data):
    """The flags that name the store for `data`: that folder, or a database that stands for it.

    With `RELATION_STORE=postgresql` it is a database on the server of `RELATION_POSTGRES`.
    """
    if os.environ.get("RELATION_STORE") != "postgresql":
        return ["--data", str(data)]
    server = os.environ["RELATION_POSTGRES"]
    name = "data_" + hashlib.sha256(str(data).encode()).hexdigest()[:16]
    flags = ["--store", f"{server}/{name}"]
    made = subprocess.run(
        ["psql", "-qX", f"{server}/postgres", "-c", f"CREATE DATABASE {name}"],
        capture_output=True, text=True, check=False)
    if made.returncode == 0:
        subprocess.run(
            [executable("relationd"), "init", *flags, "--list-keys"], check=True,
            capture_output=True, timeout=START_SECONDS)
    elif "already exists" not in made.stderr:
        raise RuntimeError(made.stderr)
    return flags


class Relationd:
    """A running `relationd`, which listens at `address`.

    It must be stopped with `stop` or `kill`; as a context manager it stops and must exit with
    status 0.
    """

    def __init__(
        self, data, *arguments, listen="127.0.0.1:0", insecure=True, wrapper=(), store=None
    ):
        self.data = data
        command = [*wrapper, executable("relationd"), "serve"]
        command += ["--listen", listen, *(["--store", store] if store else place(data))]
        command += ["--insecure"] if insecure else []
        # A fixed port would be taken by the next server on this machine.
        if not any(str(argument).startswith("--metrics-listen") for argument in arguments):
            command += ["--metrics-listen", "127.0.0.1:0"]
        self.log_path = pathlib.Path(f"{data}.log")
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(
                [*command, *arguments], stdout=subprocess.PIPE, stderr=log, text=True
            )
        try:
            self.address = self._await_address()
            self.pages = self._await_pages(arguments)
        except BaseException:
            self.kill()
            raise

    def _await_address(self):
        # Killed if it stays silent: its standard output then ends, and so does the read.
        timer = threading.Timer(START_SECONDS, self.process.kill)
        timer.start()
        try:
            line = self.process.stdout.readline()
        finally:
            timer.cancel()
        words = line.split()
        if words[:2] != ["listening", "on"] or len(words) != 3:
            raise RuntimeError(f"relationd did not start: {line!r}\n{self.log}")
        return words[2]

    def _await_pages(self, arguments):
        if "off" in arguments:
            return None
        words = self.process.stdout.readline().split()
        if words[:2] != ["metrics", "on"] or not words[2].endswith("/metrics"):
            raise RuntimeError(f"relationd did not tell where its metrics are: {words}\n{self.log}")
        return words[2].removesuffix("/metrics")

    @property
    def port(self):
        return int(self.address.rpartition(":")[2])

    @property
    def log(self):
        """The text that it wrote to standard error."""
        return self.log_path.read_text(errors="replace")

    def await_log(self, pattern, after=0):
        """Waits for a match in its log behind so many characters.

        Use it for the lines that follow "listening on": the server does not wait for its log.
        """
        pattern = re.compile(pattern)
        end = time.monotonic() + START_SECONDS
        while not (found := pattern.search(self.log, after)):
            assert self.process.poll() is None and time.monotonic() < end, self.log
            time.sleep(0.01)
        return found

    @property
    def complaints(self):
        """The lines of its log that tell of a problem."""
        levels = (" warning ", " error ", " critical ")
        return [line for line in self.log.splitlines() if any(level in line for level in levels)]

    def stop(self, how=signal.SIGTERM):
        """Asks it to stop and returns its exit status."""
        self.process.send_signal(how)
        try:
            return self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()
            raise
        finally:
            self.process.stdout.close()

    def kill(self):
        """Ends it at once, without a chance to write anything."""
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if self.process.poll() is not None:
            self.process.stdout.close()
            assert kind is not None or self.process.returncode in (0, -signal.SIGKILL), self.log
            return
        status = self.stop()
        assert kind is not None or status == 0, f"exit status {status}\n{self.log}"
