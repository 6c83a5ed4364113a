"""Ports of loopback for programs that cannot be asked for any free one.

A port that the kernel found free may be another's a moment later: it gives such a port to every
connection that begins. So these ports lie outside the kernel's own range, and each is held by a
lock from its choice to the end of this process. The lock is the name of a socket, which ends with
its process, and which processes share that share ports.
"""

import os
import pathlib
import socket
import subprocess
import time

COUNT = 10_000
LEAST = 10_000
START_SECONDS = 30
START_TRIES = 3
#: The state of a socket that takes connections, in `/proc/net/tcp`.
LISTENS = "0A"

_held = {}


def ephemeral():
    """The first and the last port that the kernel gives to connections."""
    words = pathlib.Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()
    return int(words[0]), int(words[1])


def choices(low, high):
    """The ports to choose from, where the kernel uses those from `low` to `high` by itself."""
    below, above = range(max(low - COUNT, LEAST), low), range(high + 1, 65_536)
    # Where the kernel uses all, the lock still keeps other tests away.
    return max(below, above, key=len) or range(LEAST, LEAST + COUNT)


def take(among=None):
    """A port that no process listens at, and that no other one gets here before this one ends.

    `RuntimeError` if all of them are taken.
    """
    among = among or choices(*ephemeral())
    # Each process begins somewhere else, so it meets few locks of others.
    first = os.getpid() * 37 + len(_held)
    for step in range(len(among)):
        port = among[(first + step) % len(among)]
        if port not in _held and _lock(port) and not _is_used(port):
            return port
    raise RuntimeError(f"each port from {among[0]} to {among[-1]} is taken")


def address():
    """`127.0.0.1` with such a port: for a server that is started there more than once."""
    return f"127.0.0.1:{take()}"


def _lock(port):
    lock = socket.socket(socket.AF_UNIX)
    try:
        lock.bind(f"\0relation-chain-test-port-{port}")
    except OSError:
        lock.close()
        return False
    _held[port] = lock
    return True


def _is_used(port):
    with socket.socket() as tried:
        try:
            # Also refused where another listens at one address, or a connection has just ended.
            tried.bind(("", port))
        except OSError:
            return True
    return False


def launched(command, *, port=None, seconds=START_SECONDS, **options):
    """A process that listens, and its port: `command` makes its words from the port.

    A process that ended because another listens at its port is started again at another one,
    unless the caller named the port. `RuntimeError` if it ends otherwise, or ended `START_TRIES`
    times, or does not listen in time.
    """
    for _ in range(START_TRIES if port is None else 1):
        tried = take() if port is None else port
        process = subprocess.Popen(command(tried), **options)
        if awaited(process, tried, seconds):
            return process, tried
        if not _listeners(tried):
            break
    raise RuntimeError(f"{process.args} ended with {process.returncode} at port {tried}")


def awaited(process, port, seconds=START_SECONDS):
    """Waits until a process listens; False if it ends before that."""
    end = time.monotonic() + seconds
    while not listens(process.pid, port):
        if process.poll() is not None:
            return False
        if time.monotonic() > end:
            process.kill()
            process.wait()
            raise RuntimeError(f"{process.args} does not listen at port {port}")
        time.sleep(0.02)
    return True


def listens(pid, port):
    """Whether a process takes connections at a port, or one of those that it started."""
    found = _listeners(port)
    return bool(found) and any(_sockets(one) & found for one in _family(pid))


def _listeners(port):
    """The sockets that take connections at a port, as the folder of open files names them."""
    found = set()
    for table in ("tcp", "tcp6"):
        path = pathlib.Path("/proc/net") / table
        for line in path.read_text().splitlines()[1:] if path.exists() else []:
            _, local, _, state, *_, inode = line.split()[:10]
            if state == LISTENS and int(local.rpartition(":")[2], 16) == port:
                found.add(f"socket:[{inode}]")
    return found


def _sockets(pid):
    found = set()
    folder = f"/proc/{pid}/fd"
    try:
        for name in os.listdir(folder):
            found.add(os.readlink(f"{folder}/{name}"))
    except OSError:
        # It ended, or closed one, meanwhile: the next look sees the rest.
        pass
    return found


def _family(pid):
    """The process, and all below it."""
    below = {}
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            # The name of the program, which may have spaces, stands in brackets.
            parent = int(path.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        below.setdefault(parent, []).append(int(path.parts[2]))
    found = [pid]
    for one in found:
        found += below.get(one, [])
    return found
