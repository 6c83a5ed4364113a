"""Reads at a past moment over the wire, and the changes between two moments as files."""

import json
import random
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

import grpc
import pytest
from google.rpc import error_details_pb2, status_pb2
from people import People
from refusals import refusal
from relationd import executable
from stubs import Relation

ORDERS = range(1, 7)


@pytest.fixture
def people(relation):
    made = relation("CreateApp", settings={"history_days": 30}).app.app_id
    return People(relation.in_app(made))


@pytest.fixture
def ctl(server):
    def run(*arguments, app=None, status=0):
        where = ["--server", server.address] if app else []
        chosen = ["--app", str(app)] if app else []
        done = subprocess.run(
            [executable("relationctl"), *map(str, arguments), *where, *chosen],
            check=False, capture_output=True, text=True, timeout=60)
        assert done.returncode == status, (done.returncode, done.stdout, done.stderr)
        return done.stderr if status else done.stdout

    return run


def moment(people):
    """A millisecond after all that was written, before which nothing else is written."""
    entries = people.relation("ListHistory", page_size=1).entries
    last = entries[0].time_ms if entries else int(time.time() * 1_000)
    while int(time.time() * 1_000) <= last + 1:
        pass
    return last + 1


def pages(people, user, **fields):
    """All friends of a list by pages of two, with its size and sections."""
    friends, token = [], ""
    while True:
        page = people.relation(
            "ListFriends", user_id=user, page_size=2, page_token=token, **fields)
        friends += page.friends
        token = page.next_page_token
        if not token:
            return friends, page.total_size, list(page.sections)


def test_pages_of_each_order_are_those_of_then(people):
    ann, *others = people(6)
    for number, other in enumerate(others):
        people.add(ann, other, remark=f"name {9 - number}", force=True)
    people.mark(ann, others[0], starred=True)
    asked = [{"order": order} for order in ORDERS] + [
        {"relation": 3}, {"mark": 1}, {"display_order": 1}, {"with_profiles": True}]
    # Presence and versions of profiles are not kept.
    before = [pages(people, ann, **fields) for fields in asked]
    then = moment(people)
    for other in others[:3]:
        people.relation("DeleteFriends", user_id=ann, user_ids=[other], delete_type=2)
    people.mark(ann, others[3], starred=True)
    for fields, (friends, size, sections) in zip(asked, before, strict=True):
        found = pages(people, ann, options={"as_of_ms": then}, **fields)
        for row in [*friends, *found[0]]:
            row.profile.ClearField("version")
        assert found == (friends, size, sections), fields


def test_a_row_of_then_has_its_sequence_and_the_list_has_none(people):
    ann, ben, eve = people(3)
    people.add(ann, ben, force=True)
    before = people.relation("ListFriends", user_id=ann)
    then = moment(people)
    people.mark(ann, ben, starred=True)
    people.add(ann, eve, force=True)
    found = people.relation("ListFriends", user_id=ann, options={"as_of_ms": then})
    assert before.sequence > 0 and found.sequence == 0
    assert [row.sequence for row in found.friends] == [row.sequence for row in before.friends]
    assert all(row.sequence for row in found.friends)


@pytest.mark.parametrize("mode, nick", [("held", "old"), ("shown", "new")])
def test_a_value_under_review_was_there_then_if_it_was_shown(people, mode, nick):
    relation = people.relation
    relation("UpdateApp", settings={"reviewed_fields": {mode: {"values": ["nick"]}}})
    ann, ben = people(2)
    people.set_profile(ann, nick="old")
    own = [("x-scopes", "read,write"), ("x-user-id", ann)]
    caller = Relation(relation.stubs, relation.channel, [*relation.metadata, *own])
    caller("UpdateProfile", user_id=ann, profile={"nick": "new"},
           update_mask={"paths": ["nick"]})
    then = moment(people)
    people.set_profile(ann, nick="later")
    (found,) = relation("GetProfiles", user_id=ben, user_ids=[ann],
                        options={"as_of_ms": then}).results
    assert found.profile.nick == nick


def test_a_token_belongs_to_its_moment(people):
    ann, *others = people(4)
    for other in others:
        people.add(ann, other, force=True)
    then = moment(people)
    page = people.relation(
        "ListFriends", user_id=ann, page_size=2, options={"as_of_ms": then})
    refused = refusal(lambda: people.relation(
        "ListFriends", user_id=ann, page_size=2, page_token=page.next_page_token))
    assert refused.reason == "INVALID_PAGE_TOKEN"


@pytest.mark.parametrize("scopes, user", [("read,write,watch", None), ("read,write", "own")])
def test_who_may_not_list_a_history_reads_no_past(people, scopes, user):
    # Ben took his signature back, and Ann may see signatures: she must not learn what it was.
    ann, ben = people(2)
    relation = people.relation
    relation("UpdateProfile", user_id=ben, profile={"self_signature": b"secret"},
             update_mask={"paths": ["self_signature"]})
    then = moment(people)
    relation("UpdateProfile", user_id=ben, profile={},
             update_mask={"paths": ["self_signature"]})
    own = [("x-scopes", scopes)] + ([("x-user-id", ann)] if user else [])
    caller = Relation(relation.stubs, relation.channel, [*relation.metadata, *own])
    asked = {"user_id": ann, "user_ids": [ben], "options": {"as_of_ms": then}}
    for call in ("GetProfiles", "GetRelations"):
        assert refusal(lambda call=call: caller(call, **asked)).reason == "SCOPE_MISSING"
    (found,) = relation("GetProfiles", **asked).results
    assert found.profile.self_signature == b"secret"


def test_a_read_looks_at_so_many_changes_and_no_more(people):
    ann, *others = people(101)
    people.befriend(ann, *others)
    then = moment(people)
    for number in range(50):
        people.relation("UpdateFriends", user_id=ann, items=[
            {"user_id": other, "remark": f"{number}"} for other in others])
    asked = {"user_id": ann, "options": {"as_of_ms": then}}
    named = asked | {"user_ids": [ann]}
    # The user counts as one, beside 5,000 entries.
    for call, fields in [
            ("ListFriends", asked), ("GetRelations", named), ("GetProfiles", named)]:
        refused = refusal(lambda call=call, fields=fields: people.relation(call, **fields))
        assert (refused.reason, refused.metadata["limit"]) == ("TOO_MANY_CHANGES", "5000")


def test_a_moment_before_the_history_is_refused_with_its_beginning(people):
    (ann,) = people(1)
    plain = People(people.relation.in_app(people.relation("CreateApp").app.app_id))
    plain.make([ann])
    for each, since in ((people, range(1, moment(people) + 1)), (plain, range(1))):
        refused = refusal(lambda each=each: each.relation(
            "ListFriends", user_id=ann, options={"as_of_ms": 1}))
        assert (refused.code, refused.reason) == (
            grpc.StatusCode.FAILED_PRECONDITION, "HISTORY_NOT_KEPT")
        assert int(refused.metadata["since_time_ms"]) in since


def export(ctl, app, path):
    ctl("export", "--to", path, app=app)
    return [json.loads(line) for line in path.read_text().splitlines()]


KEPT = ("friendEntry", "blacklistEntry", "follow", "group", "profile")


def kept(rows, *without):
    """The rows that a history has, without what it does not have of them."""
    found = []
    for row in rows:
        for kind in KEPT:
            if kind not in row:
                continue
            row = json.loads(json.dumps(row[kind]))
            if kind == "group":
                row.pop("number", None)
                row["group"].pop("createTimeMs", None)
            if kind == "profile":
                row = {"profile": row["profile"]}
                row["profile"].pop("version", None)
            for name in without:
                row.get("entry", {}).pop(name, None)
            found.append((kind, json.dumps(row, sort_keys=True)))
    return sorted(found)


def wander(people, users, numbers, steps):
    """Random changes of all kinds that a history has."""
    relation = people.relation
    for _ in range(steps):
        one, other = numbers.sample(users, 2)
        match numbers.randrange(8):
            case 0 | 1:
                people.relation(
                    "AddFriends", user_id=one, force=True, add_type="ADD_TYPE_BOTH",
                    items=[{"user_id": other, "group": numbers.choice(["", "g", "h"])}])
            case 2:
                relation("DeleteFriends", user_id=one, user_ids=[other],
                         delete_type=numbers.choice([1, 2]))
            case 3:
                relation("UpdateFriends", user_id=one,
                         items=[{"user_id": other, "remark": f"r{numbers.randrange(9)}"}])
            case 4:
                relation("AddToBlacklist", user_id=one, user_ids=[other])
            case 5:
                relation("RemoveFromBlacklist", user_id=one, user_ids=[other])
            case 6:
                relation(numbers.choice(["Follow", "Unfollow"]), user_id=one, user_ids=[other])
            case 7:
                relation("UpdateProfile", user_id=one,
                         profile={"nick": numbers.choice(["", "n", "m"])},
                         update_mask={"paths": ["nick"]})


@pytest.mark.parametrize("known", [1, 2, None])
def test_an_export_and_the_changes_since_are_the_later_export(
        people, ctl, tmp_path, seed, known):
    seed = known or seed
    numbers = random.Random(seed)
    users = list(people(5))
    app = dict(people.relation.metadata)["x-app-id"]
    wander(people, users, numbers, 40)
    since = moment(people)
    first, changes, later = (tmp_path / name for name in ("first", "changes", "later"))
    export(ctl, app, first)
    wander(people, users, numbers, 60)
    wanted = export(ctl, app, tmp_path / "wanted")
    ctl("export-changes", "--since", since, "--to", changes, app=app)
    ctl("apply-changes", first, changes, "--to", later)
    found = [json.loads(line) for line in later.read_text().splitlines()]
    assert kept(found) == kept(wanted), f"seed {seed}"
    # What is brought to the later moment is an export: a new app takes it.
    made = people.relation("CreateApp").app.app_id
    ctl("import-app", "--from", later, app=made)
    again = export(ctl, made, tmp_path / "again")
    # Sequences go on above those that the app has given out.
    assert kept(again, "sequence") == kept(wanted, "sequence"), f"seed {seed}"


def regroup(people, owner, friends, numbers, steps):
    """Random changes of few groups: each name is made, renamed, deleted and made again.

    Two of the names look alike, and are different ones.
    """
    relation, names = people.relation, ["a", "b", "\N{LATIN SMALL LETTER E WITH ACUTE}",
                                        "e\N{COMBINING ACUTE ACCENT}"]
    for _ in range(steps):
        one, other = numbers.sample(names, 2)
        match numbers.randrange(5):
            case 0:
                relation("CreateFriendGroups", user_id=owner, names=[one, other])
            case 1 | 2:
                relation("DeleteFriendGroups", user_id=owner, names=[one])
            case 3:
                relation("RenameFriendGroup", user_id=owner, name=one, new_name=other)
            case 4:
                relation("UpdateFriends", user_id=owner, items=[
                    {"user_id": numbers.choice(friends), "groups": {"values": [one]}}])


def groups(rows):
    """The groups of each user in their order, with the times at which they were made."""
    found = sorted(
        (row["group"]["userId"], int(row["group"].get("number", 0)), row["group"]["group"]["name"],
         row["group"]["group"]["createTimeMs"]) for row in rows if "group" in row)
    return [(user, name, made) for user, _, name, made in found]


@pytest.mark.parametrize("known", [*range(1, 7), None])
def test_groups_that_were_deleted_and_made_again_keep_their_order(
        people, ctl, tmp_path, seed, known):
    """The changes of the hour before are in the file, and the export has them."""
    seed = known or seed
    numbers = random.Random(seed)
    ann, *friends = people(4)
    for friend in friends:
        people.add(ann, friend, force=True)
    app = dict(people.relation.metadata)["x-app-id"]
    regroup(people, ann, friends, numbers, 20)
    since = moment(people)
    first, changes, later = (tmp_path / name for name in ("first", "changes", "later"))
    export(ctl, app, first)
    # The second time, nothing was changed since.
    for steps in (0, 12, 12):
        regroup(people, ann, friends, numbers, steps)
        wanted = export(ctl, app, tmp_path / "wanted")
        ctl("export-changes", "--since", since, "--to", changes, app=app)
        ctl("apply-changes", first, changes, "--to", later)
        found = [json.loads(line) for line in later.read_text().splitlines()]
        assert groups(found) == groups(wanted), f"seed {seed}"
        assert kept(found) == kept(wanted), f"seed {seed}"


@pytest.fixture
def files(people, ctl, tmp_path):
    """An export, and the changes of three entries since."""
    ann, *others = people(4)
    app = dict(people.relation.metadata)["x-app-id"]
    since = moment(people)
    first, changes = tmp_path / "first", tmp_path / "changes"
    export(ctl, app, first)
    for other in others:
        people.add(ann, other, force=True)
    ctl("export-changes", "--since", since, "--to", changes, app=app)
    return first, changes


def refused_changes(ctl, tmp_path, first, changes):
    """What is told of changes that are not applied: there is no file then."""
    told = ctl("apply-changes", first, changes, "--to", tmp_path / "later", status=1)
    assert not list(tmp_path.glob("later*")), told
    return told


@pytest.mark.parametrize("cut, words", [
    (lambda rows: rows[:-1], "the file was cut"),
    (lambda rows: rows[:1], "the file was cut"),
    (lambda rows: [], "does not begin with the line"),
    (lambda rows: rows[1:], "does not begin with the line"),
    (lambda rows: [*rows[:2], *rows[3:]], "changes:4: the file has 2 entries"),
    (lambda rows: [*rows, rows[1]], "changes:6: stands after the end"),
    (lambda rows: [*rows, *rows], "changes:6: stands after the end"),
    (lambda rows: [rows[0], rows[2], rows[1], *rows[3:]], "changes:3: the latest entry must come"),
    (lambda rows: [rows[0], "{}", *rows[1:]], "changes:2: the latest entry must come"),
    (lambda rows: [*rows[:2], rows[2][:-9], *rows[3:]], "changes:3: is not an entry"),
])  # fmt: skip
def test_changes_that_are_not_whole_are_refused(ctl, files, tmp_path, cut, words):
    first, changes = files
    rows = changes.read_text().splitlines()
    assert len(rows) == 5
    changes.write_text("".join(f"{row}\n" for row in cut(rows)))
    assert words in refused_changes(ctl, tmp_path, first, changes)


def test_changes_of_another_app_are_refused(people, ctl, files, tmp_path):
    first, changes = files
    begin, *rows = changes.read_text().splitlines()
    number = json.loads(begin)["exportChanges"]["appId"] + 1
    for name, value in (("appId", number), ("appCreateTimeMs", "1764000000000")):
        other = json.loads(begin)
        other["exportChanges"][name] = value
        changes.write_text("\n".join([json.dumps(other), *rows]))
        assert "and the export is of app" in refused_changes(ctl, tmp_path, first, changes)
    made = people.relation("CreateApp", settings={"history_days": 30}).app.app_id
    since = moment(People(people.relation.in_app(made)))
    ctl("export-changes", "--since", since, "--to", changes, app=made)
    assert f"the changes are of app {made}" in refused_changes(ctl, tmp_path, first, changes)


def test_changes_that_begin_after_the_export_or_end_before_it_are_refused(
        people, ctl, files, tmp_path):
    first, changes = files
    app = dict(people.relation.metadata)["x-app-id"]
    later = moment(people)
    ctl("export-changes", "--since", later, "--to", changes, app=app)
    assert "changes between these are missing" in refused_changes(ctl, tmp_path, first, changes)
    people(1)
    export(ctl, app, first)
    ctl("export-changes", "--since", later - 1, "--until", later, "--to", changes, app=app)
    assert "before the moment of the export" in refused_changes(ctl, tmp_path, first, changes)


def test_changes_of_more_bytes_than_are_applied_are_refused(ctl, files, tmp_path):
    first, changes = files
    with open(changes, "r+b") as file:
        file.truncate((1 << 30) + 1)
    assert f"{changes}: has more than {1 << 30} bytes" in refused_changes(
        ctl, tmp_path, first, changes)


class Behind(grpc.GenericRpcHandler):
    """A server in front of another one, by whose clock a moment has passed or has not."""

    def __init__(self, address, request, has_passed):
        #: The message of GetProfiles.
        self.request = request
        self.has_passed = has_passed
        #: The moments that were asked for, with the answers.
        self.asked = []
        self.channel = grpc.insecure_channel(address)
        self.server = grpc.server(ThreadPoolExecutor(2), handlers=[self])
        self.address = f"127.0.0.1:{self.server.add_insecure_port('127.0.0.1:0')}"

    def __enter__(self):
        self.server.start()
        return self

    def __exit__(self, *_):
        self.server.stop(None).wait()
        self.channel.close()

    def service(self, details):
        reads = details.method.endswith("/GetProfiles")
        answer = self.profiles if reads else lambda request, context: self.channel.unary_unary(
            details.method)(request, metadata=[
                pair for pair in context.invocation_metadata() if pair.key == "x-app-id"])
        return grpc.unary_unary_rpc_method_handler(answer)

    def profiles(self, request, context):
        moment = self.request.FromString(request).options.as_of_ms
        self.asked.append((moment, self.has_passed(moment)))
        if self.has_passed(moment):
            return b""
        status = status_pb2.Status(code=grpc.StatusCode.INVALID_ARGUMENT.value[0], message="later")
        info = error_details_pb2.ErrorInfo(reason="INVALID_FIELD", domain="relation.v1")
        field = error_details_pb2.BadRequest.FieldViolation(
            field="options.as_of_ms", description="is later than now")
        for detail in info, error_details_pb2.BadRequest(field_violations=[field]):
            status.details.add().Pack(detail)
        context.set_trailing_metadata((("grpc-status-details-bin", status.SerializeToString()),))
        context.abort(grpc.StatusCode.INVALID_ARGUMENT, "later")


def test_changes_end_at_a_moment_that_has_passed_by_the_servers_clock_too(
        people, server, tmp_path):
    """No change is lost that the server makes at a moment which is over by the clock here."""
    app = dict(people.relation.metadata)["x-app-id"]
    changes = tmp_path / "changes"
    request = type(people.relation.stubs.request("GetProfiles", {}))
    now = int(time.time() * 1_000)

    def until(since, has_passed):
        with Behind(server.address, request, has_passed) as behind:
            done = subprocess.run(
                [executable("relationctl"), "export-changes", "--since", str(since), "--to",
                 str(changes), "--server", behind.address, "--app", app],
                check=False, capture_output=True, text=True, timeout=60)
            assert done.returncode == 0, done.stderr
        return int(head(changes)["untilTimeMs"]), behind.asked

    server_now = now - 3_000
    found, asked = until(now - 60_000, lambda moment: moment <= server_now)
    assert found == asked[-1][0] <= server_now
    # The beginning, and an hour before it: changes of then may have been stored later.
    assert [moment for moment, _ in asked[:2]] == [now - 60_000, now - 60_000 - 3_600_000]
    assert [answer for _, answer in asked[2:]] == [False] * (len(asked) - 3) + [True]
    # The moments go back by 1, 2, 4 … milliseconds: the end is not further back than it must be.
    backs = [asked[2][0] - moment for moment, _ in asked[2:]]
    assert backs == [0] + [1 << number for number in range(len(backs) - 1)]
    # No later moment than the first has passed: the changes begin and end there.
    found, asked = until(now - 60_000, lambda moment: moment <= now - 60_000)
    assert found == now - 60_000 and len(asked) > 10


def head(changes):
    return json.loads(changes.read_text().splitlines()[0])["exportChanges"]


def test_an_export_is_brought_to_one_moment_after_another(people, ctl, files, tmp_path):
    first, changes = files
    app = dict(people.relation.metadata)["x-app-id"]
    # A moment that is to come is not the end: its changes are not there yet.
    ctl("export-changes", "--since", head(changes)["sinceTimeMs"], "--to", changes,
        "--until", "2200-01-01T00:00:00Z", app=app)
    then = int(head(changes)["untilTimeMs"])
    assert then < 1_000 * time.time() + 1
    later, latest = tmp_path / "later", tmp_path / "latest"
    ctl("apply-changes", first, changes, "--to", later)
    points = [row["point"] for row in map(json.loads, later.read_text().splitlines())
              if "point" in row]
    assert [int(point["timeMs"]) for point in points] == [then, then]
    moment(people)
    ann, ben = people(2)
    people.add(ann, ben, remark="later", force=True)
    wanted = export(ctl, app, tmp_path / "wanted")
    ctl("export-changes", "--since", then, "--to", changes, app=app)
    ctl("apply-changes", later, changes, "--to", latest)
    assert kept(map(json.loads, latest.read_text().splitlines())) == kept(wanted)
    assert "changes between these are missing" in ctl(
        "apply-changes", first, changes, "--to", latest, status=1)


def put_off(path, milliseconds):
    """An export as if it had been made so much later, and the changes since stored after it."""
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    for row in rows:
        if "point" in row:
            row["point"]["timeMs"] = str(int(row["point"]["timeMs"]) + milliseconds)
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return int(rows[0]["point"]["timeMs"])


def test_changes_that_were_stored_after_a_later_moment_are_in_the_next_file(
        people, ctl, tmp_path):
    """A call has the time at which it came; an export may be made before it is stored."""
    app = dict(people.relation.metadata)["x-app-id"]
    ann, ben, eve = people(3)
    people.add(ann, eve, force=True, group="g")
    first, changes, later = (tmp_path / name for name in ("first", "changes", "later"))
    export(ctl, app, first)
    people.add(ann, ben, force=True, remark="late")
    people.relation("UpdateFriends", user_id=ann, items=[{"user_id": eve, "remark": "late"}])
    while moment(people) > put_off(first, 1_000):
        pass
    since = put_off(first, 0)
    while int(time.time() * 1_000) <= since:
        pass
    wanted = export(ctl, app, tmp_path / "wanted")
    ctl("export-changes", "--since", since, "--to", changes, app=app)
    ctl("apply-changes", first, changes, "--to", later)
    assert kept(map(json.loads, later.read_text().splitlines())) == kept(wanted)


def test_changes_that_an_export_has_already_change_nothing(people, ctl, tmp_path):
    app = dict(people.relation.metadata)["x-app-id"]
    ann, ben, eve = people(3)
    relation = people.relation
    people.add(ann, ben, force=True, group="g")
    people.add(ann, eve, force=True, group="other")
    relation("RenameFriendGroup", user_id=ann, name="g", new_name="h")
    relation("DeleteFriends", user_id=ann, user_ids=[eve], delete_type=2)
    people.set_profile(ann, nick="n")
    since = moment(people)
    first, changes, later = (tmp_path / name for name in ("first", "changes", "later"))
    wanted = export(ctl, app, first)
    ctl("export-changes", "--since", since, "--to", changes, app=app)
    # All of them are of the hour before.
    assert len(changes.read_text().splitlines()) > 6
    ctl("apply-changes", first, changes, "--to", later)
    found = [json.loads(line) for line in later.read_text().splitlines()]
    # A group has its number and its time still.
    assert [row for row in found if "point" not in row] == [
        row for row in wanted if "point" not in row]
    # So has one with a member that is renamed later.
    relation("RenameFriendGroup", user_id=ann, name="h", new_name="k")
    wanted = export(ctl, app, tmp_path / "wanted")
    ctl("export-changes", "--since", since, "--to", changes, app=app)
    ctl("apply-changes", first, changes, "--to", later)
    found = [json.loads(line) for line in later.read_text().splitlines()]
    groups = [[row["group"] for row in rows if "group" in row] for rows in (found, wanted)]
    assert groups[0] == groups[1] and "k" in str(groups[0])


def test_entries_of_before_the_history_began_again_are_not_applied(people, ctl, tmp_path):
    app = dict(people.relation.metadata)["x-app-id"]
    ann, ben = people(2)
    relation = people.relation
    people.add(ann, ben, force=True, remark="old")
    relation("UpdateApp", settings={"history_days": 0})
    relation("UpdateFriends", user_id=ann, items=[{"user_id": ben, "remark": "new"}])
    relation("UpdateApp", settings={"history_days": 30})
    since = int(time.time() * 1_000) + 1
    while int(time.time() * 1_000) <= since:
        pass
    first, changes, later = (tmp_path / name for name in ("first", "changes", "later"))
    wanted = export(ctl, app, first)
    ctl("export-changes", "--since", since, "--to", changes, app=app)
    ctl("apply-changes", first, changes, "--to", later)
    assert kept(map(json.loads, later.read_text().splitlines())) == kept(wanted)


@pytest.mark.parametrize("is_sorted", [True, False])
def test_what_a_pass_could_not_read_of_a_user_is_marked_there_later_too(
        ctl, files, tmp_path, is_sorted):
    first, changes = files
    begin, *rows, end = map(json.loads, first.read_text().splitlines())
    marked, users = [], []
    for row in rows:
        if "point" in row:
            continue
        if "account" in row:
            users.append(row["account"]["userId"])
            token = f"a-1-{len(users)}-unread:friend+{users[-1]}"
            mark = {"point": {"resumeToken": token, "timeMs": begin["point"]["timeMs"],
                              "format": 1}}  # fmt: skip
        elif marked and "point" in marked[-1]:
            marked.insert(-1, row)
            continue
        marked.append(row)
        if "account" in row:
            marked.append(mark)
    if not is_sorted:
        # Each mark stays behind the row above it.
        at = next(number for number, row in enumerate(marked) if "account" in row)
        end_of = 1 + next(
            number for number, row in enumerate(marked) if number > at and "point" in row)
        marked[at:] = [*marked[end_of:], *marked[at:end_of]]
    first.write_text("".join(f"{json.dumps(row)}\n" for row in [begin, *marked, end]))
    ctl("apply-changes", first, changes, "--to", tmp_path / "later")
    found, owner = [], None
    for row in list(map(json.loads, (tmp_path / "later").read_text().splitlines()))[1:-1]:
        if "account" in row:
            owner = row["account"]["userId"]
            found.append([])
        elif "point" in row:
            assert row["point"]["resumeToken"].endswith(f"unread:friend+{owner}")
            found[-1].append("mark")
        elif owner:
            assert "mark" not in found[-1], "the rows of a user stand above its mark"
    assert found == len(users) * [["mark"]]


def in_its_time(people, ctl, folder, change):
    """An export of before the change, and the changes since."""
    app = dict(people.relation.metadata)["x-app-id"]
    since = moment(people)
    first, changes = folder / "first", folder / "changes"
    export(ctl, app, first)
    change()
    ctl("export-changes", "--since", since, "--to", changes, app=app)
    return app, first, changes


def with_settings(people, **settings):
    """An app that never had other settings: longer texts of before would be taken."""
    made = people.relation("CreateApp", settings={"history_days": 30, **settings}).app.app_id
    return People(people.relation.in_app(made))


def test_rows_that_an_import_would_refuse_are_named_and_no_file_is_written(
        people, ctl, tmp_path):
    limits = {"remark": 20, "wording": 10, "group_name": 5, "nick": 4, "self_signature": 6,
              "custom_value": 3, "groups": 1}  # fmt: skip
    raised = {name: 30 for name in limits}
    fields = [{"owner": 1, "key": "Both", "value_type": 1},
              {"owner": 2, "key": "Both", "value_type": 2}]  # fmt: skip
    later = [{"owner": 1, "key": "Knew", "value_type": 3},
             {"owner": 2, "key": "Fnew", "value_type": 1}]  # fmt: skip
    people = with_settings(people, limits=limits)
    relation = people.relation
    ann, ben, eve = people(3)
    people.befriend(ann, ben, eve)
    relation("DefineCustomFields", items=fields)

    def change():
        relation("UpdateApp", settings={"limits": raised})
        relation("DefineCustomFields", items=later)
        relation("UpdateProfile", user_id=ann, profile={
            "nick": "Annie", "self_signature": b"1234567", "custom": [
                {"key": "Both", "text": "long"}, {"key": "Knew", "number": 7}]})
        relation("UpdateProfile", user_id=eve, profile={"nick": "Eve"})
        relation("CreateFriendGroups", user_id=ann, names=["longer", "g"])
        relation("UpdateFriends", user_id=ann, items=[
            {"user_id": ben, "remark": "x" * 21, "groups": ["longer", "g"], "custom": [
                {"key": "Both", "data": b"long"}, {"key": "Fnew", "text": "f"}]},
            {"user_id": eve, "remark": "x" * 20}])

    app, first, changes = in_its_time(people, ctl, tmp_path, change)
    told = ctl("apply-changes", first, changes, "--to", tmp_path / "later", status=5)
    *named, last = told.splitlines()
    profile = f"the profile of user {ann}: profile."
    friend = f"the friend {ben} of user {ann}: entry."
    group = f"the group longer of user {ann}: group."
    assert [line.removeprefix("apply-changes: ") for line in named] == [
        profile + "nick: is longer than the 4 bytes that the app allows",
        profile + "self_signature: is longer than the 6 bytes that the app allows",
        profile + "custom.Both: is longer than the 3 bytes that the app allows",
        profile + "custom.Knew: is a field that the app has not defined",
        group + "name: is longer than the 5 bytes that the app allows",
        friend + "remark: is longer than the 20 bytes that the app allows",
        friend + "groups: are more than the 1 that the app allows",
        friend + "custom.Both: is longer than the 3 bytes that the app allows",
        friend + "custom.Fnew: is a field that the app has not defined",
    ]
    assert "would refuse 3 rows" in last
    assert not list(tmp_path.glob("later*"))
    # The same file with the later settings and fields takes all of it, and so does an import.
    rows = [row for row in map(json.loads, first.read_text().splitlines())
            if "customField" not in row]
    for row in rows:
        if "app" in row:
            row["app"].pop("highest", None)
            row["app"]["settings"]["limits"].update(
                {name: 30 for name in row["app"]["settings"]["limits"]})
    at = 1 + next(number for number, row in enumerate(rows) if "app" in row)
    now = export(ctl, app, tmp_path / "now")
    rows[at:at] = [row for row in now if "customField" in row]
    first.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    ctl("apply-changes", first, changes, "--to", tmp_path / "later")
    made = relation("CreateApp").app.app_id
    ctl("import-app", "--from", tmp_path / "later", app=made)
    again = export(ctl, made, tmp_path / "again")
    assert kept(again, "sequence") == kept(now, "sequence")


def test_texts_that_tim_alone_takes_are_named_if_the_app_did_not_take_them(
        people, ctl, tmp_path):
    people = with_settings(people)
    ann, ben = people(2)

    def change():
        people.relation("UpdateApp", settings={"keeps_tim_values": True})
        people.relation("UpdateProfile", user_id=ann, profile={"birthday": 20261340})
        people.add(ann, ben, source="AddSource_Type_web2", force=True)

    _, first, changes = in_its_time(people, ctl, tmp_path, change)
    told = ctl("apply-changes", first, changes, "--to", tmp_path / "later", status=5)
    assert "profile.birthday: is not a day" in told
    assert "entry.source: is not AddSource_Type_ and 1 to 8 letters" in told
