"""`relationd copy`: all data from a folder into a database, and back."""

import os
import signal
import subprocess
import uuid

import grpc
import pytest
from people import People, codes
from relationd import Relationd, executable
from stubs import Relation
from test_shared_store import add, friends, integrity_findings, psql

SECONDS = 60
pytestmark = pytest.mark.skipif(
    "RELATION_POSTGRES" not in os.environ, reason="RELATION_POSTGRES names no server")


@pytest.fixture
def database():
    """The address of an empty database without tables."""
    server = os.environ["RELATION_POSTGRES"]
    name = "copy_" + uuid.uuid4().hex
    psql(f"{server}/postgres", f"CREATE DATABASE {name}")
    yield f"{server}/{name}"
    psql(f"{server}/postgres", f"DROP DATABASE {name} WITH (FORCE)")


def copy(source, target):
    """Runs it to its end, and returns its status and all that it says."""
    done = subprocess.run(
        [executable("relationd"), "copy", "--from", source, "--to", target],
        capture_output=True, text=True, timeout=SECONDS)  # fmt: skip
    return done.returncode, done.stdout + done.stderr


@pytest.fixture
def serve(tmp_path, stubs):
    """Calls a function with a client of a server of a place."""

    def call(place, body):
        with Relationd(tmp_path / "server", "--audit-days", "30", store=place) as server:
            with grpc.insecure_channel(server.address) as channel:
                return body(Relation(stubs, channel))

    return call


@pytest.fixture
def folder(tmp_path, serve):
    """A folder with an app of some users, as a place, and what a server answered about it."""
    place = f"rocks:{tmp_path / 'data'}"

    def fill(relation):
        relation("UpdateApp", settings={"history_days": 30})
        ann, *others = People(relation)(40)
        for user in others:
            add(relation, ann, user)
        relation("CreateFriendGroups", user_id=ann, names=["close"], user_ids=others[:3])
        assert codes(relation("AddToBlacklist", user_id=ann, user_ids=others[:1])) == [0]
        return ann

    ann = serve(place, fill)
    # The audit has the import of the accounts after the stop at the latest.
    return place, ann, serve(place, lambda relation: look(relation, ann))


def look(relation, ann):
    """What the service answers about a user, with the places of streams, the history, the audit."""
    history, audit = relation("ListHistory"), relation("ListAuditRecords", page_size=1_000)
    assert history.total_size > 40 and audit.last_sequence == len(audit.records) > 40
    groups = relation("GetFriendGroups", user_id=ann, with_members=True)
    return (
        friends(relation, ann), groups.SerializeToString(deterministic=True),
        relation("GetSequence", user_id=ann).SerializeToString(deterministic=True),
        [change.SerializeToString(deterministic=True)
         for change in relation("ListChanges", user_id=ann, page_size=100).events],
        history.SerializeToString(deterministic=True), audit.SerializeToString(deterministic=True))


def test_a_folder_becomes_a_database_and_a_folder_again(folder, database, tmp_path, serve):
    place, ann, seen = folder
    status, said = copy(place, database)
    assert status == 0 and "and compared them" in said, said
    assert serve(database, lambda relation: look(relation, ann)) == seen
    # Writes go on where they were, and the way back has them too.
    later = serve(database, lambda relation: written(relation, ann))
    back = f"rocks:{tmp_path / 'back'}"
    status, said = copy(database, back)
    assert status == 0, said
    assert serve(back, lambda relation: look(relation, ann)) == later
    assert serve(back, integrity_findings) == []
    # The source stays as it was.
    assert serve(place, lambda relation: look(relation, ann)) == seen


def written(relation, ann):
    (bob,) = People(relation)(1)
    add(relation, ann, bob)
    return look(relation, ann)


def test_a_target_that_has_anything_is_refused_and_stays(folder, database, tmp_path, serve):
    place, ann, seen = folder
    full = tmp_path / "full"
    full.mkdir()
    (full / "file").write_text("mine")
    status, said = copy(place, f"rocks:{full}")
    assert status != 0 and "is there, and not empty" in said
    assert (full / "file").read_text() == "mine"
    assert copy(place, database)[0] == 0
    status, said = copy(place, database)
    assert status != 0 and "has rows already" in said
    assert serve(database, lambda relation: look(relation, ann)) == seen


def test_a_store_that_a_server_has_open_is_not_copied(folder, database, tmp_path, serve):
    place, *_ = folder

    def attempt(source, target):
        status, said = copy(source, target)
        assert status != 0
        return said

    assert "in use" in serve(place, lambda _: attempt(place, database))
    assert copy(place, database)[0] == 0
    target = tmp_path / "target"
    said = serve(database, lambda _: attempt(database, f"rocks:{target}"))
    assert "servers have" in said
    assert not target.exists() and not target.with_suffix(".copying").exists()


def test_a_copy_that_was_killed_is_not_served_and_is_begun_anew(folder, database, serve):
    place, ann, seen = folder
    assert copy(place, database)[0] == 0
    # As a kill leaves it: rows, and the note that they are not all.
    psql(database, "INSERT INTO relation_store VALUES ('copying', 'now')")
    refused = subprocess.run(
        [executable("relationd"), "serve", "--store", database, "--insecure",
         "--listen", "127.0.0.1:0", "--metrics-listen", "off"],
        capture_output=True, text=True, timeout=SECONDS)  # fmt: skip
    assert refused.returncode != 0 and "has not come to its end" in refused.stderr
    status, said = copy(place, database)
    assert status == 0, said
    assert serve(database, lambda relation: look(relation, ann)) == seen


@pytest.mark.parametrize("sign", ["tables", "rows"])
def test_a_copy_is_no_store_from_its_first_moment_on(folder, database, serve, sign):
    place, ann, seen = folder
    signs = {
        "tables": "SELECT to_regclass('relation_kv') IS NOT NULL",
        "rows": "SELECT to_regclass('relation_kv') IS NOT NULL "
                "AND (SELECT reltuples FROM pg_class WHERE relname = 'relation_kv') IS NOT NULL "
                "AND pg_relation_size(to_regclass('relation_kv')) > 0",
    }  # fmt: skip
    running = subprocess.Popen(
        [executable("relationd"), "copy", "--from", place, "--to", database],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while psql(database, signs[sign]) != "t" and running.poll() is None:
        pass
    running.send_signal(signal.SIGKILL)
    running.wait(SECONDS)
    # The mark goes in the last transaction. Without it the copy is whole, as below, even if the
    # process was killed on its way out.
    if psql(database, "SELECT count(*) FROM relation_store WHERE name = 'copying'") == "1":
        refused = subprocess.run(
            [executable("relationd"), "serve", "--store", database, "--insecure",
             "--listen", "127.0.0.1:0", "--metrics-listen", "off"],
            capture_output=True, text=True, timeout=SECONDS)  # fmt: skip
        assert refused.returncode != 0 and "has not come to its end" in refused.stderr
        status, said = copy(place, database)
        assert status == 0, said
    assert serve(database, lambda relation: look(relation, ann)) == seen


def test_a_copy_into_a_folder_that_is_killed_leaves_no_folder(folder, database, tmp_path):
    place, *_ = folder
    assert copy(place, database)[0] == 0
    target = tmp_path / "target"
    left = tmp_path / "target.copying"
    # The copy waits at its first row.
    holder = subprocess.Popen(
        ["psql", "-qXAt", database], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    holder.stdin.write("BEGIN; LOCK TABLE relation_kv;\n\\echo held\n")
    holder.stdin.flush()
    assert holder.stdout.readline() == "held\n"
    running = subprocess.Popen(
        [executable("relationd"), "copy", "--from", database, "--to", f"rocks:{target}"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while not left.exists() and running.poll() is None:
        pass
    running.send_signal(signal.SIGKILL)
    running.wait(SECONDS)
    assert not target.exists()
    holder.communicate("ROLLBACK;\n", timeout=SECONDS)
    status, said = copy(database, f"rocks:{target}")
    assert status == 0, said
    assert target.exists() and not left.exists()


@pytest.mark.parametrize("source, target, words", [
    ("rocks:here", "rocks:here", "name one store"),
    ("here", "rocks:there", "--from takes rocks:FOLDER"),
    ("rocks:here", "postgresql://me:secret@host/relation", "--to takes rocks:FOLDER"),
    ("rocks:no-such-folder", "rocks:there", "nothing was copied"),
])
def test_stores_that_cannot_be_copied_are_told(source, target, words, tmp_path):
    done = subprocess.run(
        [executable("relationd"), "copy", "--from", source, "--to", target],
        capture_output=True, text=True, timeout=SECONDS, cwd=tmp_path)  # fmt: skip
    assert done.returncode != 0 and words in done.stderr
    assert "secret" not in done.stderr
    assert list(tmp_path.iterdir()) == []
