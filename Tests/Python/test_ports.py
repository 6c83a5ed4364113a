"""The ports that tests choose for programs: none is another program's, nor is its answer."""

import contextlib
import re
import socket
import subprocess
import sys

import ports
import pytest
from relationd import ROOT

#: Listens at the port that its argument names, or ends with 1, and ends with its input.
LISTENER = """
import socket, sys
listener = socket.create_server(("127.0.0.1", int(sys.argv[1])))
print("listens", flush=True)
sys.stdin.read()
"""
#: Starts that as a process of its own, as `runuser` does.
PARENT = """
import subprocess, sys
sys.exit(subprocess.call([sys.executable, *sys.argv[1:]]))
"""


@contextlib.contextmanager
def stopped(process):
    """Ends a process by the end of its input."""
    with process:
        yield process
        process.stdin.close()


def listening(port, *before):
    process = subprocess.Popen(
        [sys.executable, *before, "-c", LISTENER, str(port)], stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "listens\n"
    return stopped(process)


def test_ports_are_not_those_that_the_kernel_gives_to_connections():
    low, high = ports.ephemeral()
    assert all(not low <= ports.take() <= high for _ in range(5))


@pytest.mark.parametrize("low, high, wanted", [
    (32_768, 60_999, range(22_768, 32_768)),
    (20_500, 60_999, range(10_500, 20_500)),
    (12_000, 60_999, range(61_000, 65_536)),
    (1_024, 60_999, range(61_000, 65_536)),
    (1_024, 65_535, range(10_000, 20_000)),
])  # fmt: skip
def test_ports_are_chosen_beside_the_range_of_the_kernel(low, high, wanted):
    assert ports.choices(low, high) == wanted


def test_no_other_process_gets_a_port_before_this_one_ends():
    among = range(ports.take(), ports.ephemeral()[1])[:400]
    code = f"import ports; print(*(ports.take({among}) for _ in range(5)))"
    mine = {ports.take(among) for _ in range(5)}
    others = []
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=ROOT / "Tests/Python", capture_output=True, text=True,
            check=True)
        others.append({int(word) for word in done.stdout.split()})
    assert len(mine) == 5 and all(len(found) == 5 and not found & mine for found in others)


def test_a_port_at_which_another_program_listens_is_not_chosen_and_its_end_is_told():
    with socket.socket() as other:
        # The program is not one of the tests, and has no lock.
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(RuntimeError, match=f"each port from {port} to {port} is taken"):
            ports.take(range(port, port + 1))


def test_a_process_listens_by_itself_or_by_one_that_it_started():
    port, other = ports.take(), ports.take()
    with listening(port) as first, listening(other, "-c", PARENT) as second:
        assert ports.listens(first.pid, port) and not ports.listens(first.pid, other)
        assert ports.listens(second.pid, other) and not ports.listens(second.pid, port)
    assert not ports.listens(first.pid, port)


def started(choose):
    """Starts a listener at the ports of a test instead of free ones."""
    return ports.launched(
        lambda port: [sys.executable, "-c", LISTENER, str(choose(port))], stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_a_process_that_met_another_program_is_started_at_another_port():
    met = []
    with contextlib.ExitStack() as others:

        def choose(port):
            if not met:
                # Between the choice and the start, as a program with a fixed port does.
                others.enter_context(listening(port))
            met.append(port)
            return port

        process, port = started(choose)
        with stopped(process):
            assert len(met) == 2 and port == met[1] and ports.listens(process.pid, port)


def test_a_process_is_started_three_times_at_most():
    met = []
    with contextlib.ExitStack() as others:

        def choose(port):
            others.enter_context(listening(port))
            met.append(port)
            return port

        with pytest.raises(RuntimeError, match="ended with 1 at port"):
            started(choose)
    assert len(met) == ports.START_TRIES == 3


def test_a_process_that_ends_for_another_reason_is_not_started_again():
    met = []

    def command(port):
        met.append(port)
        return [sys.executable, "-c", "raise SystemExit(7)"]

    with pytest.raises(RuntimeError, match="ended with 7 at port"):
        ports.launched(command)
    assert len(met) == 1


def test_a_process_that_does_not_listen_in_its_time_is_ended():
    with pytest.raises(RuntimeError, match="does not listen at port"):
        ports.launched(
            lambda port: [sys.executable, "-c", "import sys; sys.stdin.read()"],
            seconds=0, stdin=subprocess.PIPE)


def test_no_other_file_chooses_ports():
    """A port that the kernel found free a moment ago may be another's."""
    closed = re.compile(
        r"^( *)with socket\.\w+\(.*\) as (\w+):\n(?:\1    \2\.bind.*\n)?"
        r"\1    .*\2\.getsockname.*\n(?!\1 )|def free_port", re.M)
    found = [str(path.relative_to(ROOT)) for path in sorted((ROOT / "Tests").glob("*/*.py"))
             if path.name != "test_ports.py" and closed.search(path.read_text())]
    assert found == []
