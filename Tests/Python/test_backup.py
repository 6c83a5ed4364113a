"""Backups: made while the server runs, brought, verified, restored, and found whole or not."""

import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
import tarfile
import time
import urllib.request

import grpc
import pytest
from credentials import Keys, init
from people import People
from refusals import assert_invalid, refusal
from relationd import ROOT, Relationd, executable
from stubs import Relation
from test_shared_store import integrity_findings
from watching import RESYNC, Watching

EDGES = ROOT / "Tests" / "Data" / "facebook_edges.txt"
FORMAT_5 = ROOT / "Tests" / "Data" / "Formats" / "format-5.tar"
PRECONDITION = grpc.StatusCode.FAILED_PRECONDITION

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a small disk")


def ctl(server, *arguments):
    command = [executable("relationctl"), "--server", server.address, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout, done.stderr


def relationd(*arguments):
    command = [executable("relationd"), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout, done.stderr


def bring(server, path, *arguments):
    """The name of a backup that relationctl has brought into the archive."""
    status, told, complaint = ctl(server, "backup", "--to", path, *arguments)
    assert status == 0, complaint
    return re.match(r"brought the backup (\S+): \d+ bytes in ", told).group(1)


def another_second(relation):
    """Waits until a backup gets another name than the newest one."""
    newest = relation("ListBackups").backups[-1].create_time_ms // 1000
    while int(time.time()) <= newest:
        time.sleep(0.05)


def create(relation):
    """The messages of a new backup."""
    request = relation.stubs.request("CreateBackup", {})
    return list(relation.start("CreateBackup")(request, metadata=relation.metadata))


def read(relation, **fields):
    request = relation.stubs.request("ReadBackup", fields)
    return b"".join(piece.data for piece in relation.start("ReadBackup")(request))


def lists(relation, users):
    """The friend lists of the users, as they are answered."""
    found = {}
    for user in users:
        page = relation("ListFriends", user_id=user, page_size=1000)
        found[user] = [friend.SerializeToString() for friend in page.friends]
    return found


@pytest.fixture(scope="module")
def graph(tmp_path_factory):
    """A server with a part of the sample graph; its tests add to it."""
    folder = tmp_path_factory.mktemp("backup")
    edges = folder / "edges.txt"
    edges.write_text("".join(EDGES.read_text().splitlines(keepends=True)[:2_000]))
    with Relationd(folder / "data") as running:
        status, _, complaint = ctl(running, "import", edges)
        assert status == 0, complaint
        yield running


@pytest.fixture(scope="module")
def graph_channel(graph):
    with grpc.insecure_channel(graph.address) as channel:
        yield channel


@pytest.fixture
def relation(graph_channel, stubs):
    return Relation(stubs, graph_channel)


USERS = [str(number) for number in range(0, 340, 7)]


# The whole way


def test_a_lost_folder_is_restored_with_every_list_as_it_was(start, stubs, tmp_path):
    lost = start("lost")
    edges = tmp_path / "edges.txt"
    edges.write_text("".join(EDGES.read_text().splitlines(keepends=True)[:1_000]))
    status, _, complaint = ctl(lost, "import", edges)
    assert status == 0, complaint
    with grpc.insecure_channel(lost.address) as channel:
        people = Relation(stubs, channel)
        people("AddToBlacklist", user_id="0", user_ids=["5"])
        people("CreateFriendGroups", user_id="0", names=["near"], user_ids=["1"])
        before = lists(people, USERS)
    bring(lost, tmp_path / "backup.tar")
    assert lost.stop() == 0
    shutil.rmtree(lost.data)
    status, told, complaint = relationd(
        "restore", "--from", tmp_path / "backup.tar", "--data", lost.data)
    assert status == 0 and told.startswith("restored the backup "), complaint
    assert relationd("verify", lost.data)[0] == 0
    again = start("lost")
    with grpc.insecure_channel(again.address) as channel:
        people = Relation(stubs, channel)
        assert lists(people, USERS) == before
        assert [row.user_id for row in people("ListBlacklist", user_id="0").entries] == ["5"]
        [result] = people("GetFriendGroups", user_id="0").results
        assert (result.group.name, result.group.member_count) == ("near", 1)


def test_a_history_is_restored_and_taken_back_there(start, stubs, tmp_path):
    kept = start("kept")
    with grpc.insecure_channel(kept.address) as channel:
        people = People(Relation(stubs, channel))
        ann, bob = people(2)
        people.relation("UpdateApp", settings={"history_days": 30})
        people.add(ann, bob, remark="pal")
        people.block(ann, bob)
        before = people.relation("ListHistory")
        assert len(before.entries) == 2
    bring(kept, tmp_path / "backup.tar")
    assert kept.stop() == 0
    status, _, complaint = relationd(
        "restore", "--from", tmp_path / "backup.tar", "--data", tmp_path / "restored")
    assert status == 0, complaint
    with grpc.insecure_channel(start("restored").address) as channel:
        people = People(Relation(stubs, channel))
        assert people.relation("ListHistory") == before
        latest = before.entries[0].position
        assert people.relation("UndoChanges", positions=[latest]).applied
        assert people.friend(ann, bob).remark == "pal" and not people.blacklist(ann)
        assert integrity_findings(people.relation) == []


def test_streams_begin_anew_after_a_restore(start, stubs, tmp_path):
    first = start("first")
    with grpc.insecure_channel(first.address) as channel:
        relation = Relation(stubs, channel)
        users = People(relation)(3)
        stream = Watching(relation, user_id=users[0])
        stream.state()
        old = stream.token
        bring(first, tmp_path / "backup.tar")
        relation("AddFriends", user_id=users[0], items=[{"user_id": users[1]}])
        stream.event()
        lost = stream.token
    assert relationd(
        "restore", "--from", tmp_path / "backup.tar", "--data", tmp_path / "second")[0] == 0
    second = start("second")
    assert "was restored from the backup" in second.log
    with grpc.insecure_channel(second.address) as channel:
        relation = Relation(stubs, channel)
        # Other events get the positions of those that are gone.
        for _ in range(3):
            relation("AddFriends", user_id=users[0], items=[{"user_id": users[2]}])
            relation("DeleteFriends", user_id=users[0], user_ids=[users[2]])
        for token in (old, lost):
            stream = Watching(relation, user_id=users[0], resume_token=token)
            assert stream.event().kind == RESYNC
            stream.state()
        # From then on a token is good again, over a restart too.
        newest = stream.token
    assert second.stop() == 0
    third = start("second")
    assert third.log.count("was restored from the backup") == 1
    with grpc.insecure_channel(third.address) as channel:
        relation = Relation(stubs, channel)
        stream = Watching(relation, user_id=users[0], resume_token=newest)
        relation("AddFriends", user_id=users[0], items=[{"user_id": users[1]}])
        assert stream.event().kind != RESYNC


# The calls


def test_a_backup_is_told_made_listed_and_read(graph, relation):
    *told, last = create(relation)
    backup = last.backup
    done = [message.progress.bytes_done for message in told]
    assert told and done == sorted(done)
    assert told[-1].progress.bytes_total == backup.size_bytes
    assert backup == relation("ListBackups", page_size=1000).backups[-1]
    manifest = read(relation, name=backup.name, path="BACKUP")
    assert hashlib.sha256(manifest).hexdigest() == backup.manifest_sha256
    listed = json.loads(manifest)
    assert listed["name"] == backup.name and listed["format"] == backup.format
    assert len(listed["files"]) == backup.file_count
    assert sum(int(file["bytes"]) for file in listed["files"]) == backup.size_bytes
    for file in listed["files"]:
        content = read(relation, name=backup.name, path=file["path"])
        assert hashlib.sha256(content).hexdigest() == file["sha256"], file
    # Any place in a file is a beginning, and nothing stands behind the end.
    place = len(content) // 3
    assert read(relation, name=backup.name, path=file["path"], offset=place) == content[place:]
    for beyond in (1 << 40, (1 << 63) - 1):
        assert read(relation, name=backup.name, path=file["path"], offset=beyond) == b""
    [counts] = listed["apps"]
    stats = relation("GetStats").app
    assert (counts["app"], int(counts["accounts"])) == (1, stats.accounts)
    assert int(counts["friends"]) == stats.friends


def test_a_second_backup_in_one_second_is_refused(relation):
    """Also a backup of which no step is made: its stream is not read."""
    if relation("ListBackups").backups:
        another_second(relation)
    request = relation.stubs.request("CreateBackup", {})
    first = relation.start("CreateBackup")(request)
    next(first)
    refused = refusal(relation.start("CreateBackup"), request)
    assert (refused.code, refused.reason) == (PRECONDITION, "BACKUP_UNDER_WAY"), refused
    assert list(first)[-1].backup.name


@pytest.mark.parametrize("name, path", [
    ("20000101T000000Z", "BACKUP"), ("", "BACKUP"), ("..", "BACKUP"), (None, "rows/none.sst"),
    (None, ""), (None, "../../FORMAT"), (None, "rows/../BACKUP"), (None, "/etc/passwd"),
])
def test_other_names_and_paths_lead_nowhere(graph, relation, tmp_path, name, path):
    if not relation("ListBackups").backups:
        create(relation)
    name = relation("ListBackups").backups[-1].name if name is None else name
    refused = refusal(relation, "ReadBackup", name=name, path=path)
    assert (refused.code, refused.reason) == (
        grpc.StatusCode.NOT_FOUND, "BACKUP_NOT_FOUND"), refused


def test_fields_of_a_read_have_bounds(relation):
    assert_invalid(refusal(relation, "ReadBackup", name="x" * 17, path="BACKUP"), "name")
    assert_invalid(refusal(relation, "ReadBackup", name="x", path="p" * 65), "path")
    assert_invalid(refusal(relation, "ReadBackup", name="x", path="p", offset=-1), "offset")


def test_only_operators_make_and_read_backups(stubs, tmp_path):
    status, operator, complaint = init(tmp_path / "data")
    assert status == 0, complaint
    with Relationd(tmp_path / "data", insecure=False) as running:
        with grpc.insecure_channel(running.address) as channel:
            keys = Keys(stubs, channel, operator)
            app = keys.as_operator()("CreateApp").app.app_id
            own = keys.with_key(keys.key(app))
            for call in ("CreateBackup", "ListBackups", "ReadBackup"):
                assert refusal(own, call).code == grpc.StatusCode.PERMISSION_DENIED, call
            assert create(keys.as_operator())[-1].backup.name


# Bringing


def test_an_archive_goes_on_wherever_it_was_cut(graph, relation, tmp_path):
    another_second(relation) if relation("ListBackups").backups else None
    whole = tmp_path / "whole.tar"
    name = bring(graph, whole)
    content = whole.read_bytes()
    with tarfile.open(whole) as archive:
        assert {member.name.split("/")[0] for member in archive} == {name}
    for size in (0, 700, 3_000, len(content) // 2, len(content) - 600, len(content)):
        part = tmp_path / "again.tar.part"
        part.write_bytes(content[:size])
        status, _, complaint = ctl(
            graph, "backup", "--to", tmp_path / "again.tar", "--name", name)
        assert status == 0, complaint
        assert (tmp_path / "again.tar").read_bytes() == content
        assert not part.exists()
        (tmp_path / "again.tar").unlink()


def test_files_of_an_older_archive_are_not_sent_again(graph, relation, tmp_path):
    another_second(relation) if relation("ListBackups").backups else None
    bring(graph, tmp_path / "old.tar")
    another_second(relation)
    name = bring(graph, tmp_path / "new.tar", "--reuse", tmp_path / "old.tar")
    bring(graph, tmp_path / "plain.tar", "--name", name)
    assert (tmp_path / "new.tar").read_bytes() == (tmp_path / "plain.tar").read_bytes()


def test_an_archive_that_is_there_is_not_written_over(graph, tmp_path):
    (tmp_path / "mine.tar").write_text("mine")
    status, _, complaint = ctl(graph, "backup", "--to", tmp_path / "mine.tar")
    assert status != 0 and "is there already" in complaint
    assert (tmp_path / "mine.tar").read_text() == "mine"


def test_the_oldest_backups_are_removed(start, stubs):
    running = start("data", "--backup-keep", "2")
    with grpc.insecure_channel(running.address) as channel:
        relation = Relation(stubs, channel)
        made = []
        for _ in range(3):
            made.append(create(relation)[-1].backup.name)
            another_second(relation)
        assert [backup.name for backup in relation("ListBackups").backups] == made[1:]
        assert sorted(os.listdir(running.data / "backups")) == made[1:]


def test_a_backup_is_made_by_time_and_its_age_is_a_metric(start, tmp_path):
    running = start("data", "--backup-every", "60", "--backup-folder", str(tmp_path / "kept"))
    end = time.monotonic() + 30
    while time.monotonic() < end:
        with urllib.request.urlopen(f"{running.pages}/metrics") as page:
            text = page.read().decode()
        found = re.search(r"^relation_backup_last_success_timestamp_seconds (\d+)$", text, re.M)
        if int(found.group(1)) > 0:
            break
        time.sleep(0.1)
    assert abs(int(found.group(1)) - time.time()) < 60
    assert "relation_backup_interval_seconds 3600\n" in text
    assert "relation_backups 1\n" in text
    [name] = os.listdir(tmp_path / "kept")
    assert relationd("verify", tmp_path / "kept" / name)[0] == 0


# Faults


@pytest.fixture
def archive(graph, relation, tmp_path):
    backups = relation("ListBackups").backups
    if backups:
        bring(graph, tmp_path / "backup.tar", "--name", backups[-1].name)
    else:
        bring(graph, tmp_path / "backup.tar")
    return tmp_path / "backup.tar"


def test_a_damaged_archive_is_found_and_not_restored(archive, tmp_path):
    content = bytearray(archive.read_bytes())
    content[len(content) // 2] ^= 1
    archive.write_bytes(content)
    status, _, complaint = relationd("verify", archive)
    assert status != 0 and "damaged" in complaint
    status, _, complaint = relationd("restore", "--from", archive, "--data", tmp_path / "new")
    assert status != 0 and "nothing was restored" in complaint and "damaged" in complaint
    assert not (tmp_path / "new" / "FORMAT").exists()
    # The same folder takes a good one afterwards.
    content[len(content) // 2] ^= 1
    archive.write_bytes(content)
    assert relationd("restore", "--from", archive, "--data", tmp_path / "new")[0] == 0
    assert relationd("verify", tmp_path / "new")[0] == 0


def test_a_cut_archive_is_found(archive, tmp_path):
    archive.write_bytes(archive.read_bytes()[:-700])
    status, _, complaint = relationd("restore", "--from", archive, "--data", tmp_path / "new")
    assert status != 0 and "nothing was restored" in complaint
    assert relationd("verify", archive)[0] != 0
    assert not [name for name in os.listdir(tmp_path) if "verify" in name]


def test_a_file_that_was_damaged_on_the_server_is_not_brought(start, stubs, tmp_path):
    running = start("data")
    with grpc.insecure_channel(running.address) as channel:
        relation = Relation(stubs, channel)
        People(relation)(5)
        name = create(relation)[-1].backup.name
    rows = running.data / "backups" / name / "rows"
    [file] = [path for path in rows.iterdir() if path.name.startswith("MANIFEST")]
    content = bytearray(file.read_bytes())
    content[20] ^= 1
    file.write_bytes(content)
    status, _, complaint = ctl(
        running, "backup", "--to", tmp_path / "backup.tar", "--name", name)
    assert status != 0 and "came damaged" in complaint
    assert not (tmp_path / "backup.tar").exists()
    assert relationd("verify", running.data / "backups" / name)[0] != 0


def test_a_folder_that_is_not_empty_is_not_touched(archive, tmp_path):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "letter").write_text("mine")
    status, _, complaint = relationd("restore", "--from", archive, "--data", tmp_path / "full")
    assert status != 0 and "is not empty: it holds letter" in complaint
    assert os.listdir(tmp_path / "full") == ["letter"]


def test_a_restore_that_was_killed_is_begun_anew(archive, tmp_path):
    whole = tmp_path / "whole"
    assert relationd("restore", "--from", archive, "--data", whole)[0] == 0
    # The states in which a kill may leave the folder, in their order.
    for names in (["restore.new"], ["restore.new", "rows"], ["restore.new", "rows", "RESTORED"]):
        broken = tmp_path / "broken"
        broken.mkdir()
        (broken / "restore.new").mkdir()
        shutil.copy(whole / "FORMAT", broken / "restore.new" / "FORMAT")
        if "rows" in names:
            shutil.copytree(whole / "rows", broken / "rows")
        if "RESTORED" in names:
            shutil.copy(whole / "RESTORED", broken / "RESTORED")
        status, _, complaint = relationd("serve", "--insecure", "--data", broken)
        assert status != 0 and "files of something else" in complaint
        status, _, complaint = relationd("restore", "--from", archive, "--data", broken)
        assert status == 0, complaint
        assert relationd("verify", broken)[0] == 0
        shutil.rmtree(broken)


def test_what_is_no_backup_is_named(tmp_path):
    (tmp_path / "letter").write_text("dear ann")
    (tmp_path / "empty").mkdir()
    for path in ("letter", "empty", "none"):
        status, _, complaint = relationd(
            "restore", "--from", tmp_path / path, "--data", tmp_path / "new")
        assert status != 0 and "nothing was restored" in complaint and path in complaint
        assert not (tmp_path / "new").exists()
    status, _, complaint = relationd("verify", tmp_path / "empty")
    assert status != 0 and "is not a data folder" in complaint


def test_a_folder_in_use_is_not_verified(graph):
    status, _, complaint = relationd("verify", graph.data)
    assert status != 0 and "in use" in complaint


def on_a_small_disk(tmp_path, size, command):
    """Runs the command of a shell with a disk of that size at SMALL."""
    small = tmp_path / "small"
    small.mkdir()
    script = f"mount -t tmpfs -o size={size} tmpfs {small} || exit 77\n{command}"
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", script.replace("SMALL", str(small))],
        capture_output=True, text=True, timeout=120)
    if done.returncode == 77 or "unshare" in done.stderr:
        pytest.skip(f"this machine allows no mount: {done.stderr}")
    return done.returncode, done.stdout, done.stderr


@as_root
def test_a_backup_to_a_full_disk_says_so_and_goes_on_elsewhere(graph, relation, tmp_path):
    name = create(relation)[-1].backup.name if not relation("ListBackups").backups else (
        relation("ListBackups").backups[-1].name)
    ctl_path = executable("relationctl")
    status, _, complaint = on_a_small_disk(
        tmp_path, "64k",
        f"{ctl_path} --server {graph.address} backup --to SMALL/b.tar --name {name}; s=$?;"
        f" cp SMALL/b.tar.part {tmp_path}/b.tar.part; exit $s")
    assert status == 1 and "No space left on device" in complaint
    assert "goes on from" in complaint
    assert (tmp_path / "b.tar.part").exists()
    assert bring(graph, tmp_path / "b.tar", "--name", name) == name
    assert relationd("verify", tmp_path / "b.tar")[0] == 0


@as_root
def test_a_restore_onto_a_small_disk_is_refused_before_it_begins(archive, tmp_path):
    status, _, complaint = on_a_small_disk(
        tmp_path, "8m", f"{executable('relationd')} restore --from {archive} --data SMALL/d;"
        " s=$?; ls -A SMALL/d >&2; exit $s")
    assert status == 1 and re.search(r"needs \d+ bytes for the backup, and \d+ are free", complaint)
    assert complaint.strip().endswith("free")


# Formats


def restored_format_5(tmp_path, name="old"):
    data = tmp_path / name
    status, _, complaint = relationd("restore", "--from", FORMAT_5, "--data", data)
    assert status == 0, complaint
    assert (data / "FORMAT").read_text() == "relation-chain store, format 5\n"
    return data


def assert_as_in_format_5(relation):
    assert [row.user_id for row in relation("ListBlacklist", user_id="1").entries] == ["3"]
    page = relation("ListFriends", user_id="0", page_size=100)
    remarks = {friend.user_id: friend.remark for friend in page.friends}
    assert page.total_size == len(remarks) and remarks["1"] == "One"
    [result] = relation("GetFriendGroups", user_id="0").results
    assert (result.group.name, result.group.member_count) == ("near", 2)
    [profile] = [
        result.profile for result in relation("GetProfiles", user_id="1", user_ids=["0"]).results]
    assert profile.nick == "Zero"


def test_a_folder_of_format_5_is_upgraded_after_a_backup(start, stubs, tmp_path):
    data = restored_format_5(tmp_path)
    running = start("old")
    assert (data / "FORMAT").read_text() == "relation-chain store, format 6\n"
    assert "a backup is made before its upgrade" in running.log
    assert "has format 6 now" in running.log
    with grpc.insecure_channel(running.address) as channel:
        relation = Relation(stubs, channel)
        assert_as_in_format_5(relation)
        [backup] = relation("ListBackups").backups
        assert backup.format == "relation-chain store, format 5"
    assert running.stop() == 0
    assert relationd("verify", data)[0] == 0
    # The backup is the way back: what it restores has the format before.
    assert relationd(
        "restore", "--from", data / "backups" / backup.name, "--data", tmp_path / "back")[0] == 0
    assert (tmp_path / "back" / "FORMAT").read_text() == "relation-chain store, format 5\n"


def test_only_serve_upgrades_a_folder(tmp_path):
    data = restored_format_5(tmp_path)
    status, _, complaint = relationd("init", "--data", data)
    assert status != 0 and "relationd serve upgrades it to format 6" in complaint
    status, _, complaint = relationd("verify", data)
    assert status != 0 and "older format" in complaint
    assert (data / "FORMAT").read_text() == "relation-chain store, format 5\n"


def test_a_newer_format_is_refused_with_what_to_do(tmp_path):
    data = restored_format_5(tmp_path)
    for line in ("format 7", "format 6, on its way to 7"):
        (data / "FORMAT").write_text(f"relation-chain store, {line}\n")
        status, _, complaint = relationd("serve", "--insecure", "--data", data)
        assert status != 0 and "Serve it with the newer version that wrote it" in complaint
    (data / "FORMAT").write_text("relation-chain store, format 4\n")
    status, _, complaint = relationd("serve", "--insecure", "--data", data)
    assert status != 0 and "Serve it with the versions between first" in complaint
    (data / "FORMAT").write_text("shopping list, format 5\n")
    status, _, complaint = relationd("serve", "--insecure", "--data", data)
    assert status != 0 and "a file of another program" in complaint


def wait_for_its_end(data):
    """Waits until a killed server has let go of its folder.

    Its process may have no command line any more, and still hold the lock.
    """
    folder = os.open(data, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
    finally:
        os.close(folder)


def test_an_upgrade_that_is_killed_at_any_step_goes_on(stubs, tmp_path):
    """It is killed at each name that it changes, and each folder that it makes."""
    kills = 0
    for number in range(1, 60):
        data = restored_format_5(tmp_path, f"old-{number}")
        command = [
            "strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=rename,mkdir",
            "-e", f"inject=rename,mkdir:signal=KILL:when={number}",
            executable("relationd"), "serve", "--insecure", "--listen", "127.0.0.1:0",
            "--metrics-listen", "off", "--data", str(data)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        listens = process.stdout.readline().startswith(b"listening")
        process.kill()
        process.wait()
        process.stdout.close()
        subprocess.run(["pkill", "-KILL", "-f", str(data)], check=False)
        wait_for_its_end(data)
        kills += not listens
        with Relationd(data) as running:
            with grpc.insecure_channel(running.address) as channel:
                relation = Relation(stubs, channel)
                assert_as_in_format_5(relation)
                backups = relation("ListBackups").backups
                assert backups and {backup.format for backup in backups} == {
                    "relation-chain store, format 5"}
        assert (data / "FORMAT").read_text() == "relation-chain store, format 6\n"
        assert relationd("verify", data)[0] == 0
        shutil.rmtree(data)
        if listens:
            break
    assert kills >= 4, "the kills came too late"
