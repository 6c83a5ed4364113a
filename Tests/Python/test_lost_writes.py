"""Writes that are lost at rest: a log of the engine that was removed, cut or damaged."""

import re
import shutil
import struct
import subprocess
import time

import grpc
import pytest
from people import People
from relationd import Relationd, executable
from stubs import Relation
from test_start import assert_refused, serve

WRITES = 60
LOST_WRITES = 7
# Many times the time that a mark needs to be written.
MARK_SECONDS = 30
# A mark is numbers of eight bytes: a sign, its number, flags, how many states, and these.
MARK_BYTES = 4096
MARK_SIGN = b"RCMARK01"


def logs(data):
    """The engine's logs with something in them."""
    return [path for path in sorted((data / "rows").glob("*.log")) if path.stat().st_size]


def marked_writes(data):
    """The number of writes in the newest mark."""
    content = (data / "MARK").read_bytes()
    number, writes = -1, 0
    for start in (0, MARK_BYTES):
        words = struct.unpack_from(f"<{MARK_BYTES // 8}Q", content, start)
        assert content[start:start + 8] == MARK_SIGN
        if words[1] > number:
            number, writes = words[1], words[4 + 3 * (words[3] - 1) + 1]
    return writes


def await_mark(data, writes):
    deadline = time.monotonic() + MARK_SECONDS
    while marked_writes(data) < writes:
        assert time.monotonic() < deadline, (marked_writes(data), writes)
        time.sleep(0.05)


@pytest.fixture
def killed(tmp_path, stubs):
    """The folder of a server that was killed after many writes, and a mark of them.

    The writes are all that the log has; users and apps are in files.
    """
    data = tmp_path / "data"
    with Relationd(data) as running, grpc.insecure_channel(running.address) as channel:
        people = People(Relation(stubs, channel))
        people.relation("CreateApp", name="other", app_id=7)
        ann, *others = people(WRITES + 1)
    running = Relationd(data)
    before = marked_writes(data)
    with grpc.insecure_channel(running.address) as channel:
        people = People(Relation(stubs, channel))
        for other in others:
            assert people.add(ann, other) == (0, "")
    await_mark(data, before + WRITES)
    running.kill()
    return data


def remove(log):
    log.unlink()


def cut(log):
    with open(log, "r+b") as file:
        file.truncate(log.stat().st_size // 2)


def flip(log):
    content = bytearray(log.read_bytes())
    content[len(content) // 2] ^= 1
    log.write_bytes(content)


def findings(address, stubs, app=None, **fields):
    """The findings of a check of the app."""
    options = {"metadata": [("x-app-id", str(app))]} if app else {}
    with grpc.insecure_channel(address) as channel:
        people = People(Relation(stubs, channel))
        request = people.stubs.request("CheckIntegrity", fields)
        answers = people.relation.start("CheckIntegrity")(request, timeout=60, **options)
        return [a.finding for a in answers if a.WhichOneof("answer") == "finding"]


@pytest.mark.parametrize("damage", [remove, cut, flip])
def test_a_log_that_lost_writes_is_told_refused_and_gone_on_without(killed, stubs, damage):
    damage(logs(killed)[-1])
    for _ in range(2):
        answer = serve(killed, "--insecure")
        assert_refused(answer, "lost writes", f"--data {killed} --accept-loss", ".log")
        most = int(re.search(r"at most (\d+) writes", answer[2])[1])
        # The maintenance may have written once or twice.
        assert (WRITES if damage is remove else 1) <= most <= WRITES + 3
        assert re.search(r"made after \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC", answer[2])

    with Relationd(killed, "--accept-loss") as running:
        assert f"goes on without what was lost: at most {most} writes" in running.log
        found, _ = losses(running, stubs)
        assert found.lost_writes.most_writes == most
        assert 0 < found.lost_writes.since_time_ms <= found.lost_writes.until_time_ms
        assert found.lost_writes.until_time_ms <= found.lost_writes.found_time_ms

    # The next start reports nothing, and the check still reports the loss.
    before = running.complaints
    assert len(before) == 1
    with Relationd(killed) as running:
        assert running.complaints == before
        found, _ = losses(running, stubs)
        assert not found.repaired
        found, _ = losses(running, stubs, repair=True)
        assert found.repaired
        assert losses(running, stubs) == (None, [])


def losses(running, stubs, **fields):
    """The finding that tells of lost writes, and all others."""
    found = findings(running.address, stubs, **fields)
    lost = [finding for finding in found if finding.fault == LOST_WRITES]
    assert len(lost) <= 1
    return (lost or [None])[0], [finding for finding in found if finding.fault != LOST_WRITES]


def test_every_app_that_was_there_is_told_and_none_that_came_later(killed, stubs):
    remove(logs(killed)[-1])
    with Relationd(killed, "--accept-loss") as running:
        with grpc.insecure_channel(running.address) as channel:
            Relation(stubs, channel)("CreateApp", name="later", app_id=8)
        for app, repair, told in [
            (1, True, 1), (1, False, 0), (7, False, 1), (7, True, 1), (7, False, 0), (8, False, 0),
        ]:  # fmt: skip
            lost = [f for f in findings(running.address, stubs, app, repair=repair)
                    if f.fault == LOST_WRITES]
            assert len(lost) == told, (app, repair)
            assert all(finding.repaired == repair for finding in lost)


def test_the_operators_key_is_not_made_beside_a_loss(killed):
    remove(logs(killed)[-1])
    done = subprocess.run(
        [executable("relationd"), "init", "--data", str(killed)],
        capture_output=True, text=True, timeout=30,
    )  # fmt: skip
    assert_refused((done.returncode, done.stdout, done.stderr), "lost writes", "--accept-loss")


def test_a_folder_that_was_copied_without_writes_starts_without_a_word(killed, tmp_path, stubs):
    # A socket is not a file that can be copied, and the copy's server makes one of its own.
    shutil.copytree(killed, tmp_path / "copy", ignore=shutil.ignore_patterns("*.sock"))
    with Relationd(tmp_path / "copy") as running:
        assert running.complaints == []
        assert losses(running, stubs) == (None, [])


@pytest.mark.parametrize("name, damage", [
    ("CURRENT", remove), ("CURRENT", cut), ("MANIFEST-*", remove), ("MANIFEST-*", flip),
    ("*.sst", remove), ("*.sst", cut),
])  # fmt: skip
def test_files_of_the_engine_that_are_damaged_are_told_in_words(killed, name, damage):
    damage(sorted((killed / "rows").glob(name))[-1])
    answer = serve(killed, "--insecure")
    assert_refused(answer, killed, "is damaged, and cannot be opened", "from a copy")
