"""What clients keep, when an app goes on with another history: after a restore, after writes that were
lost, in a folder that was filled anew, after an import from elsewhere. And where it does not: after a
restart, and in a copy."""

import itertools
import shutil
import subprocess
import time

import grpc
import pytest
from people import People, codes
from refusals import assert_invalid, refusal
from relationd import Relationd, executable
from stubs import Relation
from watching import RESYNC, Watching

NUMBERS = itertools.count(1)
ANN, BOB, CARL, DORA = USERS = ["ann", "bob", "carl", "dora"]
OF_A_USER = ["ListFriends", "SyncFriends", "ListChanges"]
# Lists of the server as a whole.
OF_NO_APP = ["ListApps", "ListOperatorKeys", "ListBackups"]


def relationd(*arguments):
    command = [executable("relationd"), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


class Place:
    """A server with four users, of whom two are friends of ann."""

    def __init__(self, data, stubs, is_new=True):
        self.server = Relationd(data)
        self.channel = grpc.insecure_channel(self.server.address)
        self.relation = Relation(stubs, self.channel)
        self.people = People(self.relation)
        if is_new:
            self.fill()

    def fill_lists(self):
        """Makes two rows in each list of the app and of the server."""
        for name in ["Kind", "Tone"]:
            self.relation("DefineCustomFields", items=[
                {"owner": "CUSTOM_FIELD_OWNER_FRIEND", "key": name,
                 "value_type": "CUSTOM_FIELD_TYPE_STRING"},
            ])  # fmt: skip
            self.relation("CreateApp", name=name)
            self.relation("CreateOperatorKey", name=name)

    def back_up_twice(self):
        for _ in range(2):
            list(self.relation.start("CreateBackup")(
                self.relation.stubs.request("CreateBackup", {}), timeout=60))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.channel.close()
        if self.server.process.poll() is None:
            assert self.server.stop() == 0

    def fill(self):
        self.people.make(USERS)
        self.befriend(ANN, BOB, CARL)
        self.people.set_profile(BOB, nick="Bob")

    def befriend(self, user, *others):
        items = [{"user_id": other} for other in others]
        assert codes(self.relation("AddFriends", user_id=user, items=items)) == [0] * len(items)

    def write(self, nick):
        """What another history writes differently, as often."""
        self.people.set_profile(BOB, nick=nick)
        self.remark(BOB, nick)

    def remark(self, friend, remark):
        answer = self.relation("UpdateFriends", user_id=ANN, items=[
            {"user_id": friend, "remark": remark, "update_mask": {"paths": ["remark"]}},
        ])
        assert codes(answer) == [0]

    def app_version(self):
        return self.relation("GetApp").app.version

    def rename_app(self, name, **fields):
        return self.relation("UpdateApp", name=name, **fields).app.version

    def exported(self):
        request = self.relation.stubs.request("ExportApp", {})
        return list(self.relation.start("ExportApp")(request, timeout=60))


class Kept:
    """What a client of a place keeps."""

    def __init__(self, place, has_backups=True):
        relation = place.relation
        place.fill_lists()
        if has_backups:
            place.back_up_twice()
        with Watching(relation, user_id=ANN) as stream:
            stream.state()
            place.remark(CARL, f"note {next(NUMBERS)}")
            stream.event()
            self.token = stream.token
        with Watching(relation, app=True) as stream:
            stream.state()
            place.people.set_profile(CARL, nick=f"Carl {next(NUMBERS)}")
            stream.event()
            self.app_token = stream.token
        [result] = relation("GetProfiles", user_id=ANN, user_ids=[BOB]).results
        self.view_version, self.version = result.view_version, result.profile.version
        told = relation("GetSequence", user_id=ANN)
        self.sequence, self.first = told.sequence, told.first_sequence - 1
        self.friends_sequence = relation("ListFriends", user_id=ANN).sequence
        self.pages = {
            "ListFriends": relation("ListFriends", user_id=ANN, page_size=1).next_page_token,
            "ListAccounts": relation("ListAccounts", page_size=1).next_page_token,
            "SyncFriends": relation("SyncFriends", user_id=ANN, page_size=1).next_page_token,
            "ListChanges": relation(
                "ListChanges", user_id=ANN, page_size=1, since_sequence=self.first).next_page_token,
            "ListCustomFields": relation("ListCustomFields", page_size=1).next_page_token,
            **{call: relation(call, page_size=1).next_page_token for call in OF_NO_APP},
        }
        if not has_backups:
            del self.pages["ListBackups"]
        assert all(self.pages.values()), self.pages
        self.app_version = place.app_version()

    def streams(self, place):
        """The first event of streams that go on."""
        for fields in ({"user_id": ANN, "resume_token": self.token},
                       {"app": True, "resume_token": self.app_token}):  # fmt: skip
            with Watching(place.relation, **fields) as stream:
                place.remark(BOB, f"note {next(NUMBERS)}")
                yield stream.event().kind

    def page(self, place, call):
        fields = {"user_id": ANN} if call in OF_A_USER else {}
        if call == "ListChanges":
            fields["since_sequence"] = self.first
        return place.relation(call, page_size=1, page_token=self.pages[call], **fields)

    def known(self, place):
        [result] = place.relation(
            "GetProfiles", user_id=ANN, user_ids=[BOB], known_versions={BOB: self.view_version}
        ).results  # fmt: skip
        return result

    def update(self, place):
        return place.relation(
            "UpdateProfile", user_id=BOB, profile={"nick": "mine"},
            update_mask={"paths": ["nick"]}, expected_version=self.version)

    def guarded(self, place, sequence):
        """A write that expects the friends of a sequence."""
        return place.relation(
            "DeleteAllFriends", user_id=ANN,
            options={"dry_run": True, "expected_sequence": sequence})

    def assert_of_another_history(self, place, are_numbers_above=True):
        """Nothing counts, however far the other history has come."""
        assert list(self.streams(place)) == [RESYNC, RESYNC]
        for call in self.pages:
            refused = refusal(lambda call=call: self.page(place, call))
            assert_invalid(refused, "page_token", reason="INVALID_PAGE_TOKEN")
        result = self.known(place)
        assert not result.not_modified and result.profile.nick != "lost"
        if not are_numbers_above:
            return
        assert place.relation("SyncFriends", user_id=ANN, since_sequence=self.friends_sequence).resync
        assert place.relation("ListChanges", user_id=ANN, since_sequence=self.sequence).resync
        refused = refusal(lambda: self.update(place))
        assert (refused.code, refused.reason) == (grpc.StatusCode.ABORTED, "VERSION_STALE")
        for sequence in (self.friends_sequence, self.sequence, self.sequence + 1):
            refused = refusal(lambda sequence=sequence: self.guarded(place, sequence))
            assert (refused.code, refused.reason) == (grpc.StatusCode.ABORTED, "SEQUENCE_STALE")
        present = place.relation("GetSequence", user_id=ANN)
        assert min(present.sequence, present.friends_sequence) > self.sequence
        answers = place.relation.start("CheckIntegrity")(
            place.relation.stubs.request("CheckIntegrity", {}), timeout=60)
        assert [one.finding for one in answers if one.WhichOneof("answer") == "finding"] == []

    def assert_of_this_history(self, place):
        assert RESYNC not in self.streams(place)
        for call in self.pages:
            self.page(place, call)
        assert self.known(place).not_modified
        sync = place.relation("SyncFriends", user_id=ANN, since_sequence=self.friends_sequence)
        assert not sync.resync
        present = place.relation("GetSequence", user_id=ANN)
        for sequence in (present.friends_sequence, present.sequence):
            self.guarded(place, sequence)
        assert self.update(place).code == 0


@pytest.fixture
def place(tmp_path, stubs):
    """Opens a place in a folder of that name."""
    return lambda name, is_new=True: Place(tmp_path / name, stubs, is_new)


def backup(place, path):
    command = [
        executable("relationctl"), "--server", place.server.address, "backup", "--to", str(path)]
    subprocess.run(command, check=True, capture_output=True, timeout=120)


def test_nothing_of_a_lost_history_counts_after_a_restore(place, tmp_path):
    with place("first") as first:
        old = Kept(first)
        app = first.app_version()
        backup(first, tmp_path / "backup.tar")
        first.write("lost")
        lost = Kept(first)
        lost_app = first.rename_app("lost")
    relationd("restore", "--from", tmp_path / "backup.tar", "--data", tmp_path / "second")
    with place("second", is_new=False) as second:
        # What was there at the backup is as it was.
        assert old.update(second).version > lost.version
        assert second.app_version() == app
        second.write("other")
        lost.assert_of_another_history(second)
        assert second.rename_app("other", expected_version=app) > lost_app
        refused = refusal(lambda: second.rename_app("mine", expected_version=lost_app))
        assert refused.reason == "VERSION_STALE"
        # An app that is made now may have been made before, and lost.
        made = second.relation("CreateApp", name="new").app
        assert made.version > lost_app
        Kept(second).assert_of_this_history(second)
    with place("second", is_new=False) as again:
        kept = Kept(again)
    with place("second", is_new=False) as third:
        kept.assert_of_this_history(third)


def test_nothing_of_an_exported_app_counts_where_it_is_imported(place):
    with place("here") as here, place("there", is_new=False) as there:
        rows = [{"row": message} for message in here.exported()]
        here.write("lost")
        kept = Kept(here)
        _, progress = there.people.imported("ImportApp", rows)
        assert progress.refused == 0
        there.write("other")
        kept.assert_of_another_history(there)
        # A stream from before the import goes on, and so does its token.
        Kept(there).assert_of_this_history(there)


def test_a_stream_from_before_an_import_has_tokens_of_the_app_as_it_is(place):
    with place("here") as here, place("there", is_new=False) as there:
        rows = [{"row": message} for message in here.exported()]
        with Watching(there.relation, app=True) as stream:
            stream.state()
            _, progress = there.people.imported("ImportApp", rows)
            assert progress.refused == 0
            there.people.set_profile(DORA, nick="the end")
            stream.until(lambda event: event.items and event.items[0].profile.nick == "the end")
            token = stream.token
        with Watching(there.relation, app=True, resume_token=token) as stream:
            there.people.set_profile(DORA, nick="next")
            assert stream.event().items[0].profile.nick == "next"


def test_nothing_of_a_lost_folder_counts_in_one_that_was_filled_anew(place):
    with place("lost") as lost:
        lost.write("lost")
        kept = Kept(lost)
    with place("new") as new:
        new.write("other")
        # The numbers begin anew, and are those of a first folder.
        kept.assert_of_another_history(new, are_numbers_above=False)


def test_numbers_of_a_new_folder_are_above_those_of_a_lost_one_if_the_operator_says_so(
    place, tmp_path
):
    with place("lost") as lost:
        lost.write("lost")
        kept = Kept(lost)
        app = lost.app_version()
    said = relationd("init", "--restored", "--data", tmp_path / "new")
    assert "another history of all apps has begun" in said
    with place("new") as new:
        assert new.app_version() > app
        new.write("other")
        kept.assert_of_another_history(new)


def test_nothing_of_a_lost_history_counts_in_a_folder_that_was_restored(place, tmp_path):
    with place("data"):
        pass
    shutil.copytree(tmp_path / "data", tmp_path / "kept")
    with place("data", is_new=False) as first:
        first.write("lost")
        lost = Kept(first)
    shutil.rmtree(tmp_path / "data")
    (tmp_path / "kept").rename(tmp_path / "data")
    relationd("init", "--restored", "--data", tmp_path / "data")
    with place("data", is_new=False) as second:
        second.write("other")
        lost.assert_of_another_history(second)


def test_a_server_that_runs_begins_no_history(place, tmp_path):
    with place("data"):
        done = subprocess.run(
            [executable("relationd"), "init", "--restored", "--data", str(tmp_path / "data")],
            capture_output=True, text=True, timeout=60)  # fmt: skip
        assert done.returncode != 0 and "a server runs" in done.stderr


def test_nothing_of_lost_writes_counts_once_they_are_accepted(place, tmp_path):
    with place("data") as first:
        first.write("lost")
        # A backup would begin another log, of writes that are younger than the mark.
        kept = Kept(first, has_backups=False)
        first.server.kill()
    log = sorted((tmp_path / "data").glob("rows/*.log"))[-1]
    with open(log, "r+b") as file:
        file.truncate(log.stat().st_size // 2)
    server = Relationd(tmp_path / "data", "--accept-loss")
    assert server.stop() == 0
    with place("data", is_new=False) as second:
        second.people.make(USERS)
        assert list(kept.streams(second)) == [RESYNC, RESYNC]


def test_an_app_that_is_made_anew_under_a_number_has_another_history(place):
    with place("data") as data:
        relation = data.relation
        app = relation("CreateApp", name="first").app.app_id
        tokens = []
        for _ in range(2):
            inside = relation.in_app(app)
            People(inside).make(USERS)
            with Watching(inside, user_id=ANN) as stream:
                stream.state()
                tokens.append(stream.token)
            if len(tokens) == 2:
                break
            relation("DeleteApp", app_id=app)
            make_again(relation, app)
        with Watching(inside, user_id=ANN, resume_token=tokens[0]) as stream:
            assert stream.event().kind == RESYNC


def make_again(relation, app):
    """Makes an app under the number of a deleted one, as soon as its rows are gone."""
    end = time.monotonic() + 60
    while True:
        try:
            return relation("CreateApp", app_id=app, name="second")
        except grpc.RpcError:
            assert time.monotonic() < end, "the app is still being deleted"
            time.sleep(0.05)


def test_a_copy_goes_on_with_what_clients_keep(place, tmp_path):
    with place("first") as first:
        first.write("kept")
        kept = Kept(first)
    with place("first", is_new=False) as again:
        assert RESYNC not in kept.streams(again)
    copied = subprocess.run(
        [executable("relationd"), "copy", "--from", f"rocks:{tmp_path / 'first'}",
         "--to", f"rocks:{tmp_path / 'copy'}"], capture_output=True, text=True, timeout=120)  # fmt: skip
    assert copied.returncode == 0, copied.stderr
    with place("copy", is_new=False) as copy:
        kept.assert_of_this_history(copy)
