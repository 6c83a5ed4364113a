"""The service as its package installs it in a clean root: a supervisor's part is the test's."""

import json
import os
import re
import shlex
import signal
import socket
import subprocess
import urllib.request

import ports

START_SECONDS = 60
STOP_SECONDS = 60
UNIT = "/usr/lib/systemd/system/relationd.service"
SETTINGS = "/etc/relationd.yaml"
DATA = "/var/lib/relationd"


class Service:
    """What the unit of the package starts, as the unit's user.

    Tests of a backup may use it too: `start`, `call`, `stop`, and the root's own commands.
    """

    def __init__(self, root):
        self.root = root
        self.process = None
        self.key = None
        self.app = None
        self.ports = [ports.take(), ports.take()]

    def settle(self):
        """Gives the service ports of its own in its settings, as an operator would."""
        path = self.root.inside(SETTINGS)
        text = path.read_text()
        for usual, port in zip(("7450", "7451"), self.ports):
            assert f"127.0.0.1:{usual}" in text
            text = text.replace(f"127.0.0.1:{usual}", f"127.0.0.1:{port}")
        path.write_text(text)

    def unit(self):
        """The lines of the unit."""
        lines = self.root.inside(UNIT).read_text().splitlines()
        return dict(line.split("=", 1) for line in lines if re.match(r"\w+=", line))

    def begin(self):
        """Makes the key of the operator, by the command that the package names."""
        self.key = self.root.run(
            "runuser", "-u", "relationd", "--", "relationd", "init", "--config", SETTINGS
        ).split()[-1]

    def start(self, wrapper=()):
        """Starts what the unit starts, and waits until it says that it is ready."""
        words = shlex.split(self.unit()["ExecStart"])
        notify = self.root.inside("/run/notify")
        notify.unlink(missing_ok=True)
        self.words = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.words.bind(str(notify))
        os.chmod(notify, 0o777)
        self.words.settimeout(START_SECONDS)
        user = f"{self.unit()['User']}:{self.unit()['Group']}"
        self.process = subprocess.Popen(
            [*wrapper, *self.root.command(*words, user=user)],
            env={"PATH": "/usr/bin", "NOTIFY_SOCKET": "/run/notify"}, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        said = self.hear()
        assert said["READY"] == "1", said
        return said

    def hear(self):
        """The next word to the supervisor, as a dictionary of its lines."""
        try:
            lines = self.words.recv(4096).decode().splitlines()
        except TimeoutError:
            self.process.kill()
            raise AssertionError(self.process.communicate()[0]) from None
        return dict(line.split("=", 1) for line in lines)

    def stop(self):
        """Stops it as the supervisor does; it must end with status 0."""
        self.process.send_signal(signal.SIGTERM)
        assert self.hear()["STOPPING"] == "1"
        log, _ = self.process.communicate(timeout=STOP_SECONDS)
        assert self.process.returncode == 0, log
        self.words.close()
        return log

    def end(self):
        """Ends it in any case."""
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.communicate()

    def control(self, *words):
        """Runs relationctl in the root, with the operator's key."""
        command, *rest = words
        return self.root.run(
            "relationctl", command, "--server", f"127.0.0.1:{self.ports[0]}",
            *(["--app", self.app] if self.app else []), *rest,
            variables={"RELATION_API_KEY": self.key or ""})

    def call(self, name, /, **request):
        """Makes a call, and returns its answer."""
        return json.loads(self.control("call", name, json.dumps(request)))

    def page(self, path):
        address = f"http://127.0.0.1:{self.ports[1]}{path}"
        with urllib.request.urlopen(address, timeout=10) as answer:
            return answer.read().decode()
