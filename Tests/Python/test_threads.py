"""How many threads serve connections: one for each processor that the process may use."""

import os
import pathlib
import subprocess

import pytest
from relationd import Relationd, executable


def loops(running):
    """The number of threads that serve connections."""
    tasks = pathlib.Path(f"/proc/{running.process.pid}/task")
    names = [(task / "comm").read_text() for task in tasks.iterdir()]
    return sum(name.startswith("NIO-ELT") for name in names)


def test_a_server_has_a_thread_for_each_processor_that_it_may_use(tmp_path):
    allowed = sorted(os.sched_getaffinity(0))
    for count in {1, len(allowed)}:
        wrapper = ["taskset", "-c", ",".join(map(str, allowed[:count]))]
        with Relationd(tmp_path / f"{count}", wrapper=wrapper) as running:
            # A quota of the container may allow fewer processors than the affinity does.
            assert 1 <= loops(running) <= count


@pytest.mark.parametrize("count", [1, 3])
def test_an_operator_may_choose_another_number(tmp_path, count):
    with Relationd(tmp_path / "data", "--threads", str(count)) as running:
        assert loops(running) == count


@pytest.mark.parametrize("count", ["0", "65", "-1", "many"])
def test_a_number_that_makes_no_sense_is_refused(tmp_path, count):
    ended = subprocess.run(
        [executable("relationd"), "serve", "--data", str(tmp_path / "data"), f"--threads={count}"],
        capture_output=True, text=True, timeout=30)
    assert ended.returncode != 0 and "threads" in ended.stderr
