"""The proxies of Packaging/proxies before servers of a test: their very files, with the ports, the
folders and the times of the test put in."""

import os
import pathlib
import re
import shutil
import signal
import subprocess

import ports
from relationd import ROOT

FOLDER = ROOT / "Packaging" / "proxies"
FILES = {
    "nginx": "nginx.conf", "haproxy": "haproxy.cfg", "apache": "apache.conf",
    "caddy": "Caddyfile", "envoy": "envoy.yaml",
}  # fmt: skip
PROGRAMS = {"apache": "apache2"}
#: The seconds of silence after which a proxy of the files ends a call.
LONG = 90
#: That number in a test.
QUIET = 1
START_SECONDS = 10
#: The library that lets the clock of a program run faster, its waits included.
FAST_CLOCK = "faketime/libfaketimeMT.so.1"

# The paths of the files that a test keeps in its own folder.
CERTIFICATE = "/etc/relation-proxy/certificate.pem"
KEY = "/etc/relation-proxy/certificate.key"
BOTH = "/etc/relation-proxy/both.pem"
WRITTEN = {
    "nginx": ["/run/nginx.pid", "/var/log/nginx/error.log"],
    "haproxy": [],
    "apache": ["/run/apache2/relation.pid", "/var/log/apache2/relation.log"],
    "caddy": [],
}
# What nginx writes beside that, where Debian has folders for it.
SCRATCH = "".join(
    f"    {kind}_temp_path {{folder}}/{kind};\n"
    for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
# The line of a further server, by its port and that of its admin endpoints.
FURTHER = {
    "nginx": "        server 127.0.0.1:{port} max_fails=1 fail_timeout=5s;\n",
    "haproxy": "    server more{port} 127.0.0.1:{port} port {pages}\n",
}


def program(name):
    """The path of a proxy's program, or None where it is not installed."""
    return shutil.which(PROGRAMS.get(name, name), path="/usr/sbin:/usr/local/sbin:/usr/bin")


def fast_clock():
    """The path of the library of fast clocks, or None where it is not installed."""
    return next(iter(sorted(pathlib.Path("/usr/lib").glob(f"*/{FAST_CLOCK}"))), None)


def swapped(text, old, new, count=1):
    """The text with a part replaced, which must be there that often."""
    assert text.count(old) == count, (old, text.count(old))
    return text.replace(old, new)


def pages_port(server):
    return int(server.pages.rpartition(":")[2])


class Proxy:
    """A proxy before servers, with a certificate for 127.0.0.1; it ends with its block.

    `changes` are lines of its file that a test has in another form. `speed` is how many seconds
    pass for it in one of the machine.
    """

    def __init__(
        self, name, folder, servers, certificate, *, quiet=QUIET, changes=(), speed=None
    ):
        self.name = name
        self.environment = dict(os.environ)
        if speed is not None:
            self.environment |= {"LD_PRELOAD": str(fast_clock()), "FAKETIME": f"+0 x{speed}"}
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(exist_ok=True)
        self.port = ports.take()
        self.path = self.folder / FILES[name]
        both = self.folder / "both.pem"
        both.touch(mode=0o600)
        both.write_bytes(certificate.pem + certificate.key_pem)
        text = (FOLDER / FILES[name]).read_text()
        for old, new in ((CERTIFICATE, certificate.path), (KEY, certificate.key_path)):
            text = swapped(text, old, str(new), text.count(old))
        text = text.replace(BOTH, str(both))
        for old in WRITTEN[name]:
            text = swapped(text, old, str(self.folder / pathlib.Path(old).name))
        text = getattr(self, f"_{name}")(text, servers, quiet)
        for old, new in changes:
            text = swapped(text, old, new)
        self.path.write_text(text)
        self.process = None

    def _nginx(self, text, servers, quiet):
        text = swapped(text, "listen 443 ", f"listen 127.0.0.1:{self.port} ")
        text = swapped(text, "127.0.0.1:7450", f"127.0.0.1:{servers[0].port}")
        text = swapped(text, "    access_log off;\n",
                       "    access_log off;\n" + SCRATCH.format(folder=self.folder))
        text = swapped(text, f"_timeout {LONG}s", f"_timeout {quiet}s", 3)
        place = "        # Each further server has a line of this form.\n"
        return swapped(text, place, self._further(servers))

    def _haproxy(self, text, servers, quiet):
        text = swapped(text, "bind :443 ", f"bind 127.0.0.1:{self.port} ")
        text = swapped(text, "127.0.0.1:7450 port 7451",
                       f"127.0.0.1:{servers[0].port} port {pages_port(servers[0])}")
        text = re.sub(rf"timeout (client|server) {LONG}s", rf"timeout \1 {quiet}s", text)
        place = "    # Each further server has a line of this form.\n"
        return swapped(text, place, self._further(servers))

    def _apache(self, text, servers, quiet):
        text = swapped(text, "Listen 443", f"Listen 127.0.0.1:{self.port}")
        text = swapped(text, "127.0.0.1:7450", f"127.0.0.1:{servers[0].port}")
        return swapped(text, f"Timeout {LONG}\n", f"Timeout {quiet}\n", 2)

    def _caddy(self, text, servers, quiet):
        del quiet
        text = swapped(text, "relation.example:443", f"127.0.0.1:{self.port}")
        self.admin = f"localhost:{ports.take()}"
        text = swapped(text, "localhost:2019", self.admin)
        addresses = " ".join(f"h2c://127.0.0.1:{server.port}" for server in servers)
        return swapped(text, "h2c://127.0.0.1:7450", addresses)

    def _further(self, servers):
        return "".join(
            FURTHER[self.name].format(port=server.port, pages=pages_port(server))
            for server in servers[1:])

    @property
    def address(self):
        return f"127.0.0.1:{self.port}"

    @property
    def output(self):
        logs = [self.folder / "output", *self.folder.glob("*.log")]
        return "".join(path.read_text() for path in logs if path.exists())

    def command(self, *, check=False):
        """What runs it, or what only looks at its file."""
        path, binary = str(self.path), program(self.name)
        if self.name == "nginx":
            return [binary, "-p", str(self.folder), "-c", path, "-e", "stderr",
                    *(["-t"] if check else ["-g", "daemon off;"])]
        if self.name == "haproxy":
            return [binary, "-f", path, *(["-c"] if check else ["-W", "-db"])]
        if self.name == "apache":
            return [binary, "-f", path, *(["-t"] if check else ["-DFOREGROUND"])]
        return [binary, "validate" if check else "run", "--adapter", "caddyfile",
                "--config", path]

    def check(self):
        return subprocess.run(self.command(check=True), capture_output=True, text=True, timeout=60)

    def reload(self):
        """Takes its file anew, as an operator does; new workers take new connections."""
        if self.name == "caddy":
            command = [program("caddy"), "reload", "--adapter", "caddyfile", "--force",
                       "--address", self.admin, "--config", str(self.path)]
            return subprocess.run(command, check=True, capture_output=True, timeout=60)
        how = {"nginx": signal.SIGHUP, "haproxy": signal.SIGUSR2, "apache": signal.SIGUSR1}
        return self.process.send_signal(how[self.name])

    def __enter__(self):
        # The output is not a pipe, which someone would have to read.
        with open(self.folder / "output", "ab") as output:
            self.process = subprocess.Popen(
                self.command(), stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                env=self.environment)
        assert ports.awaited(self.process, self.port, START_SECONDS), self.output
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
