"""Machines of a test's own on this one: each with a network, processes, a clock and a disk that the
test can break. A test talks to what runs there by sockets in the file system, which no fault cuts.

A machine is a set of namespaces, so it needs root. All its processes end with its first one, and so
does its network. Its folders lie over `/var/lib/postgresql`, `/var/lib/etcd` and `/etc/patroni`, so the
files of a real machine hold here word for word.
"""

import contextlib
import mmap
import os
import pathlib
import shutil
import signal
import struct
import subprocess
import tempfile

import moved_clock
from waiting import until

#: How long a program or a state is waited for.
SECONDS = 60
#: The network of the machines, which this machine is not in. No machine of the world has such an
#: address: RFC 2544.
NETWORK = "198.18.0"
FOLDERS = {
    "postgresql": "/var/lib/postgresql", "etcd": "/var/lib/etcd", "patroni": "/etc/patroni",
    "run": "/run/postgresql", "pgbouncer": "/etc/pgbouncer"}  # fmt: skip
#: Where a kernel that can restore processes is told the number of the next one.
NEXT = "/proc/sys/kernel/ns_last_pid"
SETTINGS = {
    "PATH": "/usr/lib/postgresql/15/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8",
    "HOME": "/var/lib/postgresql", "XDG_RUNTIME_DIR": "/run/postgresql"}  # fmt: skip

# The wall clock is moved by the first number of the file. Each sync of a file takes as many
# microseconds more as the second one says.
SOURCE = moved_clock.SOURCE + """
    static void wait_for_disk(void) {
        if (!moved || moved[1] == 0) return;
        struct timespec pause = {moved[1] / 1000000, moved[1] % 1000000 * 1000};
        while (nanosleep(&pause, &pause) != 0) {}
    }
    int fsync(int file) {
        static int (*real)(int);
        if (!real) real = dlsym(RTLD_NEXT, "fsync");
        wait_for_disk();
        return real(file);
    }
    int fdatasync(int file) {
        static int (*real)(int);
        if (!real) real = dlsym(RTLD_NEXT, "fdatasync");
        wait_for_disk();
        return real(file);
    }
"""


def why_not():
    """Why there can be no machines here; None if they can be."""
    if os.geteuid() != 0:
        return "only root makes network namespaces"
    missing = [
        name for name in ("ip", "unshare", "nsenter", "setpriv", "cc") if not shutil.which(name)]
    return f"{', '.join(missing)} is not installed" if missing else None


def _first_process(parent):
    """The child of a process, when there is one."""
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            if int(path.read_text().rpartition(")")[2].split()[1]) == parent:
                return int(path.parts[2])
    return None


def network():
    """A process that does nothing in a network of its own."""
    made = subprocess.Popen(
        ["setpriv", "--pdeathsig", "KILL", "unshare", "--net", "sleep", "infinity"])
    until(
        lambda: os.readlink(f"/proc/{made.pid}/ns/net") != os.readlink("/proc/self/ns/net"),
        "a network does not start")
    return made


class Room:
    """The machines of one test, and the network between them."""

    def __init__(self, names):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="relation-machines-"))
        self.folder.chmod(0o755)
        self.machines = {}
        self.library = self.folder / "faults.so"
        moved_clock.build(self.library, SOURCE)
        self._switch = network()
        try:
            self.switch("link", "add", "bridge", "type", "bridge")
            self.switch("link", "set", "bridge", "up")
            hosts = ["127.0.0.1 localhost"]
            hosts += [f"{NETWORK}.{number} {name}" for number, name in enumerate(names, 1)]
            (self.folder / "hosts").write_text("\n".join(hosts) + "\n")
            for number, name in enumerate(names, 1):
                self.machines[name] = Machine(self, name, number)
        except BaseException:
            self.remove()
            raise

    def switch(self, *words):
        """Does a command of `ip` where the cables of all machines end."""
        run("nsenter", f"--net=/proc/{self._switch.pid}/ns/net", "ip", *words)

    def remove(self):
        for machine in self.machines.values():
            machine.remove()
        self._switch.kill()
        self._switch.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


class Machine:
    """One of them, switched on."""

    def __init__(self, room, name, number):
        self.room, self.name = room, name
        self.address, self.cable = f"{NETWORK}.{number}", f"cable{number}"
        self.folder = room.folder / name
        self.services = []
        self._starts = 0
        for folder in FOLDERS:
            made = self.folder / folder
            made.mkdir(parents=True)
            shutil.chown(made, "postgres", "postgres")
            made.chmod(0o700)
        faults = self.folder / "faults"
        faults.write_bytes(struct.pack("qq", 0, 0))
        with faults.open("r+b") as file:
            self._faults = mmap.mmap(file.fileno(), 16)
        self.settings = SETTINGS | {
            "LD_PRELOAD": str(room.library), "MOVED_CLOCK": str(faults)}
        # What the test itself runs on this network outlives a loss of power.
        self._network = network()
        self._ip("link", "set", "lo", "up")
        self.room.switch("link", "add", self.cable, "type", "veth", "peer", "name", "eth0",
                         "netns", self._network.pid)
        self._ip("address", "add", f"{self.address}/24", "dev", "eth0")
        self._ip("link", "set", "eth0", "up")
        self.room.switch("link", "set", self.cable, "master", "bridge")
        self.power_on()

    def power_on(self):
        # `/run` is empty after a start, and the numbers of processes go on elsewhere. Otherwise a lock
        # file of a database that lost its power would name a process that another program is now.
        for left in (self.folder / "run").iterdir():
            if left.is_dir():
                shutil.rmtree(left)
            else:
                left.unlink()
        self._starts += 1
        first = self._starts % 30 * 1_000
        mounts = [
            f"mkdir -p {there} && mount --bind {self.folder / here} {there}"
            for here, there in FOLDERS.items()]
        script = " && ".join([
            f"(test ! -e {NEXT} || echo {first} > {NEXT})",
            f"hostname {self.name}", f"mount --bind {self.room.folder / 'hosts'} /etc/hosts",
            *mounts])  # fmt: skip
        # The shell stays as the first process, which takes leave of all that end. A session of its own
        # gives each program its share of the processor beside what else runs here.
        self._holder = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", *self.on_its_network, "unshare", "--pid", "--mount", "--uts",
             "--ipc", "--fork", "--kill-child", "--mount-proc", "bash", "-c",
             f"{script} || exit 1; echo ready; while :; do sleep 3600 & wait $!; done"],
            stdout=subprocess.PIPE, stderr=(self.folder / "machine.log").open("ab"), text=True,
            start_new_session=True)
        if self._holder.stdout.readline() != "ready\n":
            raise RuntimeError(f"the machine {self.name} does not start")
        self.pid = until(lambda: _first_process(self._holder.pid), "a machine does not start")
        self.room.switch("link", "set", self.cable, "up")

    def _ip(self, *words):
        run(*self.on_its_network, "ip", *words)

    def power_off(self):
        """Ends all at once, as a machine without power does; nothing answers at its address."""
        self.room.switch("link", "set", self.cable, "down")
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        self._holder.wait(SECONDS)
        self._holder.stdout.close()
        for service in self.services:
            service.wait(SECONDS)
        self.services = []

    def remove(self):
        self.power_off()
        self._network.kill()
        self._network.wait()

    def command(self, *words, settings=None):
        """The words that run a program there, as the user of the database."""
        pairs = [f"{name}={value}" for name, value in (self.settings | (settings or {})).items()]
        return [
            "nsenter", f"--target={self.pid}", "--net", "--pid", "--mount", "--uts", "--ipc",
            "--wd=/",
            "setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", "env", "-i",
            *pairs, *map(str, words)]  # fmt: skip

    @property
    def on_its_network(self):
        """The words before a program that a test starts and stops itself, on this network."""
        return ["nsenter", f"--net=/proc/{self._network.pid}/ns/net"]

    def run(self, *words, **options):
        """Runs a program to its end, and returns what it wrote."""
        done = subprocess.run(
            self.command(*words, **options), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, timeout=SECONDS, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"{words} at {self.name} ended with {done.returncode}: {done.stdout}")
        return done.stdout.strip()

    def serve(self, *words, **options):
        """Starts a program that runs until the machine ends."""
        with (self.folder / f"{pathlib.Path(words[0]).name}.log").open("ab") as log:
            self.services.append(subprocess.Popen(
                self.command(*words, **options), stdin=subprocess.DEVNULL, stdout=log,
                stderr=subprocess.STDOUT, start_new_session=True))

    def write(self, folder, name, text, mode):
        """Writes a file into one of its folders."""
        path = self.folder / folder / name
        path.write_text(text)
        shutil.chown(path, "postgres", "postgres")
        path.chmod(mode)

    def processes(self, name=None):
        """All its processes but the first one, or those of a program."""
        own = os.readlink(f"/proc/{self.pid}/ns/pid")
        found = []
        for entry in pathlib.Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                inside = os.readlink(entry / "ns/pid") == own
                program = (entry / "comm").read_text().strip()
                if inside and int(entry.name) != self.pid and name in (None, program):
                    found.append(int(entry.name))
        return found

    def signal(self, number, name=None):
        for pid in self.processes(name):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)

    # Faults

    @contextlib.contextmanager
    def hung(self, *programs):
        """No process of these programs runs, or none at all; the kernel goes on."""
        for program in programs or [None]:
            self.signal(signal.SIGSTOP, program)
        try:
            yield
        finally:
            self.signal(signal.SIGCONT)
            # `nsenter` stops with its child, and does not go on with it.
            for service in self.services:
                service.send_signal(signal.SIGCONT)

    @contextlib.contextmanager
    def cut_off(self):
        """Its cable to the other machines is out."""
        self.room.switch("link", "set", self.cable, "down")
        try:
            yield
        finally:
            self.room.switch("link", "set", self.cable, "up")

    @contextlib.contextmanager
    def slow_disk(self, seconds):
        """Each sync takes so much longer."""
        self._faults[8:16] = struct.pack("q", int(seconds * 1e6))
        try:
            yield
        finally:
            self._faults[8:16] = struct.pack("q", 0)

    @contextlib.contextmanager
    def clock_ahead(self, seconds):
        """Its wall clock is so much ahead, or behind if that is negative."""
        self._faults[:8] = struct.pack("q", seconds)
        try:
            yield
        finally:
            self._faults[:8] = struct.pack("q", 0)


def run(*words):
    done = subprocess.run(
        [str(word) for word in words], capture_output=True, text=True, timeout=SECONDS, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{words} ended with {done.returncode}: {done.stderr}")
    return done.stdout.strip()
