"""`relationctl import-changes` brings an app from one pass over another system to the next one, while
the app is in use: what it makes of an app is what an import of the second pass alone makes."""

import collections
import gzip
import json
import os
import subprocess

import pytest
import test_migrate_nakama as nakama
import test_migrate_openim as openim
import test_migrate_rongcloud as rongcloud
import test_migrate_tim as tim
from fake_rongcloud import SECRET, FakeRongCloud
from fake_tim import FakeTIM, user
from people import People
from relationd import executable
from stalling_proxy import StallingProxy
from test_app_import import exported

# Times that a source tells are before it; others are those of a pass, which each import has anew.
TOLD = 1_750_000_000_000
PASSES = 1_790_000_000_000


def ctl(server, app, *arguments, timeout=120):
    return subprocess.run(
        command(server, app, *arguments), capture_output=True, text=True, timeout=timeout,
        check=False)  # fmt: skip


def command(server, app, *arguments):
    return [
        executable("relationctl"), *map(str, arguments), "--server", server.address, "--app",
        str(app)]  # fmt: skip


def new_app(relation, **fields):
    return relation("CreateApp", **fields).app.app_id


def filled(relation, server, file, **fields):
    """An app with the rows of a file."""
    app = new_app(relation, **fields)
    read = ctl(server, app, "import-app", "--from", file)
    assert read.returncode == 0, read.stderr
    return app


def changes(server, app, first, second, *options):
    return ctl(
        server, app, "import-changes", "--before", first, "--from", second, *options)


def time(milliseconds):
    return milliseconds if milliseconds < TOLD else 0


def shown(relation, app):
    """The lists of the users of an app, without what each app counts for itself."""
    found = collections.defaultdict(list)
    groups = collections.defaultdict(list)
    for message in exported(relation.in_app(app)):
        kind = message.WhichOneof("row")
        row = getattr(message, kind)
        if kind == "account":
            found[row.user_id].append(kind)
        elif kind == "profile":
            row.profile.ClearField("version")
            found[row.profile.user_id].append((kind, str(row.profile), row.visibility))
        elif kind == "group":
            groups[row.user_id].append((row.number, row.group.name))
        elif kind == "friend_entry":
            entry = row.entry
            entry.add_time_ms, entry.sequence = time(entry.add_time_ms), 0
            entry.remark_time_ms = time(entry.remark_time_ms)
            found[row.user_id].append((kind, str(entry)))
        elif kind == "blacklist_entry":
            found[row.user_id].append((kind, row.entry.user_id, time(row.entry.add_time_ms)))
        elif kind == "follow":
            found[row.user_id].append((kind, row.entry.user_id, time(row.entry.follow_time_ms)))
    for name, numbered in groups.items():
        found[name].append(("groups", [group for _, group in sorted(numbered)]))
    return dict(found)


def expect_equal(relation, server, app, second, **fields):
    assert shown(relation, app) == shown(relation, filled(relation, server, second, **fields))
    findings = [
        answer.finding for answer in relation.in_app(app).start("CheckIntegrity")(
            relation.stubs.request("CheckIntegrity", {}), timeout=60,
            metadata=relation.in_app(app).metadata)
        if answer.HasField("finding")]  # fmt: skip
    assert findings == []


# The four sources


@pytest.fixture
def files(tmp_path):
    """The files that an administrator prepares for TIM and RongCloud."""
    (tmp_path / "key").write_text("k" * 64 + "\n")
    (tmp_path / "secret").write_text(SECRET + "\n")
    return tmp_path


def kept(files, name):
    """Keeps the file of a pass under another name."""
    return (files / "app.jsonl").rename(files / name)


def at_tim():
    """Users of TIM, and the same users later: something of each kind came, changed and went."""
    before = tim.full()
    before["joe"] = user(friends={"ann": {}}, groups=["one", "two", "three"])
    after = tim.full()
    ann = after["ann"]
    # An allow type stays: no call clears it.
    ann["profile"] = {f"{tim.PROFILE}Nick": "Anna", f"{tim.PROFILE}SelfSignature": "hi",
                      f"{tim.PROFILE}AllowType": "AllowType_Type_NeedConfirm",
                      "Tag_Profile_Custom_Mood": "sad"}
    del ann["friends"]["Zoe"], ann["friends"]["eve"]["Tag_SNS_Custom_Rank"]
    del ann["friends"]["eve"][f"{tim.FRIEND}RemarkTime"]
    ann["friends"]["eve"] |= {f"{tim.FRIEND}Remark": "", f"{tim.FRIEND}Group": ["old"]}
    ann["friends"]["kim"] = {f"{tim.FRIEND}AddTime": 1500000003, f"{tim.FRIEND}Remark": "Kimmy",
                             f"{tim.FRIEND}Group": ["new"]}
    ann["groups"] = ["empty", "old", "Also"]
    ann["blacklist"] = {"eve": 1600000009, "bob": 1600000002, "kim": 1600000004}
    ann["follows"] = {"Zoe": 1700000001, "eve": 1700000009, "kim": 1700000004}
    after["bob"]["friends"] = {}
    after["joe"] = user(friends={"ann": {f"{tim.FRIEND}Group": ["three"]}},
                        groups=["three", "one", "four"])
    after["kim"] = user(profile={f"{tim.PROFILE}Nick": "Kim"}, friends={"ann": {}},
                        groups=["late", "early"], blacklist={"ann": 1600000005})
    return before, after


def tim_passes(files):
    (files / "fields").write_text("".join(json.dumps(each) + "\n" for each in tim.FIELDS))
    passes = []
    for name, users in zip(("first", "second"), at_tim(), strict=True):
        with FakeTIM(users) as fake:
            done = tim.migrate(files, fake, users, "--follows")
            assert done.returncode == 0, done.stderr
        passes.append(kept(files, name))
    return passes


def test_what_changed_at_tim_comes_over_into_an_app_in_use(relation, server, files):
    first, second = tim_passes(files)
    app = filled(relation, server, first)
    # What users change here stays, where the source has not changed it.
    own = relation.in_app(app)
    People(own).set_profile("ann", role=5)
    dry = changes(server, app, first, second, "--dry-run")
    assert dry.returncode == 0 and "nothing was written" in dry.stdout, dry.stderr
    told = dict(line.rsplit(": ", 1) for line in dry.stdout.splitlines()[:-1])
    assert told == {
        "accounts that came": "1", "profiles": "2", "friends that came": "2",
        "friends that changed": "2", "friends that went": "2", "groups that came": "3",
        "groups that went": "2", "groups of another order": "3",
        "blacklist entries that came": "2", "blacklist entries that changed": "1",
        "blacklist entries that went": "1", "follows that came": "1",
        "follows that changed": "1", "follows that went": "1",
    }  # fmt: skip
    assert shown(relation, app)["joe"] == shown(relation, filled(relation, server, first))["joe"]
    done = changes(server, app, first, second)
    assert done.returncode == 0, done.stderr
    assert own("GetSelfProfile", user_id="ann").profile.role == 5
    own("UpdateProfile", user_id="ann", profile={}, update_mask={"paths": ["role"]})
    [entry] = [row for row in own("ListBlacklist", user_id="ann").entries if row.user_id == "eve"]
    assert entry.add_time_ms == 1600000009000
    expect_equal(relation, server, app, second)
    again = changes(server, app, first, second)
    assert again.returncode == 0, again.stderr
    expect_equal(relation, server, app, second)


def test_what_changed_at_rongcloud_comes_over(relation, server, files):
    (files / "fields").write_text("".join(json.dumps(each) + "\n" for each in rongcloud.FIELDS))
    before, after = rongcloud.full(), rongcloud.full()
    after["ann"]["profile"]["name"] = "Anna"
    after["ann"]["friends"]["eve"]["remark"] = "Eve"
    del after["ann"]["friends"]["Zoe"]
    after["ann"]["blacklist"] = ["bob", "eve"]
    passes = []
    for name, users in (("first", before), ("second", after)):
        with FakeRongCloud(users) as fake:
            done = rongcloud.migrate(files, fake, users)
            assert done.returncode == 0, done.stderr
        passes.append(kept(files, name))
    app = filled(relation, server, passes[0], preset="APP_PRESET_RONGCLOUD")
    dry = changes(server, app, *passes, "--dry-run")
    # RongCloud tells no times of blacklists, so the times of the passes are not changes.
    assert dry.stdout.splitlines()[:-1] == [
        "blacklist entries that went: 1", "friends that changed: 1", "friends that went: 1",
        "profiles: 1"]  # fmt: skip
    done = changes(server, app, *passes)
    assert done.returncode == 0, done.stderr
    expect_equal(relation, server, app, passes[1], preset="APP_PRESET_RONGCLOUD")


def test_what_changed_at_openim_comes_over_but_for_applications(relation, server, tmp_path):
    before, after = openim.collections(), openim.collections()
    after["user"].append(openim.user("kim"))
    after["friend"] = [openim.friend("ann", "kim"), openim.friend("bob", "ann", remark="A")]
    after["black"] = [openim.black("ann", "eve"), openim.black("bob", "eve")]
    after["friend_request"].append(openim.request("kim", "bob", create_time=openim.date(openim.BASE + 9)))
    passes = []
    for name, dump in (("first", before), ("second", after)):
        folder = openim.written(tmp_path / f"{name}-dump", dump, "json")
        done = openim.migrate(folder, *openim.EX, to=tmp_path / name)
        assert done.returncode == 0, done.stderr
        passes.append(tmp_path / name)
    app = filled(relation, server, passes[0])
    report = tmp_path / "report"
    done = changes(server, app, *passes, "--report", report)
    assert done.returncode == 5, done.stderr
    lines = [json.loads(line) for line in report.read_text().splitlines()]
    assert {(line["user"], line["kind"], line["other"]) for line in lines} == {
        ("kim", "application", "bob"), ("bob", "application", "kim")}
    expect_equal(relation, server, app, passes[1])


def test_what_changed_at_nakama_comes_over(relation, server, tmp_path):
    before, after = nakama.tables(), nakama.tables()
    after["users"][0]["display_name"] = "Robert"
    after["user_edge"] = [
        edge for edge in after["user_edge"]
        if (edge["source_id"], edge["state"]) not in [(nakama.BOB, 0), (nakama.ANN, 3)]]
    after["user_edge"].append(nakama.edge(nakama.EVE, nakama.BLOCKED, nakama.ANN))
    passes = []
    for name, dump in (("first", before), ("second", after)):
        folder = nakama.written(tmp_path / f"{name}-tables", dump)
        done = nakama.migrate(folder, *nakama.FIELDS, to=tmp_path / name)
        assert done.returncode == 0, done.stderr
        passes.append(tmp_path / name)
    app = filled(relation, server, passes[0])
    done = changes(server, app, *passes)
    assert done.returncode == 0, done.stderr
    expect_equal(relation, server, app, passes[1])


# Files that a test writes itself


def pass_of(path, users, begin=PASSES, app=7, gone=(), **head):
    """A file of a pass: the rows of each user by their kinds."""
    first = {"point": {"resumeToken": f"{path.name}-1", "timeMs": str(begin), "format": 1}}
    rows = [first | head.pop("first", {}), {"app": {"appId": app, "preset": "APP_PRESET_TIM", **head}}]
    for name in sorted(users, key=str.encode):
        if name in gone:
            continue
        rows.append({"account": {"userId": name, "createTimeMs": "1000"}})
        rows += users[name]
    rows.append({"point": {"resumeToken": f"{path.name}-2", "timeMs": str(begin),
                           "rows": str(len(rows) - 1), "complete": True, "format": 1}})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def friend(owner, other, **fields):
    entry = {"userId": other, "addTimeMs": "1600000000000", **fields}
    return {"friendEntry": {"userId": owner, "entry": entry}}


def blocked(owner, other, milliseconds=1_600_000_000_000):
    entry = {"userId": other, "addTimeMs": str(milliseconds)}
    return {"blacklistEntry": {"userId": owner, "entry": entry}}


def named(name, nick):
    return {"profile": {"profile": {"userId": name, "nick": nick},
                        "visibility": "VISIBILITY_NOT_SET"}}


def crowd(number, count=120):
    """Many users, each with a profile, friends and a blacklist that differ from pass to pass."""
    names = [f"u{index:04}" for index in range(count)]
    users = {}
    for index, name in enumerate(names):
        others = sorted(names[(index + step) % count] for step in range(1 + number, 31 + number))
        blocks = sorted(names[(index + 60 + step) % count] for step in range(number, 5 + number))
        users[name] = [
            named(name, f"nick {number}"), *[friend(name, other) for other in others],
            *[blocked(name, other, 1_600_000_000_000 + number) for other in blocks]]
    return users


def test_an_import_of_changes_that_is_killed_goes_on(relation, server, tmp_path):
    first = pass_of(tmp_path / "first", crowd(1))
    second = pass_of(tmp_path / "second", crowd(3), PASSES + 1)
    app = filled(relation, server, first)
    for mark in ("calls: ", "profiles: ", "friends: ", "blacklists: "):
        with subprocess.Popen(
            command(server, app, "import-changes", "--before", first, "--from", second),
            stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True,
        ) as running:  # fmt: skip
            for line in running.stderr:
                if line.startswith(mark):
                    running.kill()
                    break
    done = changes(server, app, first, second)
    assert done.returncode == 0, done.stderr
    assert "0 refused" in done.stdout
    expect_equal(relation, server, app, second)


def test_rows_that_are_refused_are_reported_and_the_others_come_over(relation, server, tmp_path):
    users = {name: [] for name in ("ann", "bob", "kim")}
    first = pass_of(tmp_path / "first", users)
    users["ann"] = [
        named("ann", "n" * 600), friend("ann", "bob"), friend("ann", "unknown"),
        blocked("ann", "bob"), blocked("ann", "ghost")]
    second = pass_of(tmp_path / "second", users, PASSES + 1)
    app = filled(relation, server, first)
    report = tmp_path / "report"
    done = changes(server, app, first, second, "--report", report)
    assert done.returncode == 5, done.stderr
    lines = [json.loads(line) for line in report.read_text().splitlines()]
    told = [(line["user"], line["kind"], line.get("other"), line.get("field"), line["rule"][:5])
            for line in lines]  # fmt: skip
    assert told == [
        ("ann", "profile", None, "nick", "40601"), ("ann", "friend", "unknown", None, "30003"),
        ("ann", "blacklist", "ghost", None, "30003")]
    own = relation.in_app(app)
    assert [row.user_id for row in own("ListFriends", user_id="ann").friends] == ["bob"]
    assert [row.user_id for row in own("ListBlacklist", user_id="ann").entries] == ["bob"]


def test_an_account_that_went_is_reported_or_deleted(relation, server, tmp_path):
    users = {"ann": [friend("ann", "bob")], "bob": [], "kim": []}
    first = pass_of(tmp_path / "first", users)
    second = pass_of(tmp_path / "second", {"ann": [], "kim": []}, PASSES + 1)
    app = filled(relation, server, first)
    own = relation.in_app(app)
    done = changes(server, app, first, second)
    assert done.returncode == 5 and "--delete-accounts" in done.stderr, done.stderr
    assert len(own("ListAccounts").accounts) == 3
    done = changes(server, app, first, second, "--delete-accounts")
    assert done.returncode == 0, done.stderr
    assert [row.user_id for row in own("ListAccounts").accounts] == ["ann", "kim"]


def test_an_allow_type_that_went_is_reported_and_stays(relation, server, tmp_path):
    profile = {"userId": "ann", "nick": "Ann", "allowType": "ALLOW_TYPE_NEED_CONFIRM"}
    row = {"profile": {"profile": profile, "visibility": "VISIBILITY_NOT_SET"}}
    first = pass_of(tmp_path / "first", {"ann": [row], "bob": []})
    second = pass_of(tmp_path / "second", {"ann": [named("ann", "Ann")], "bob": []}, PASSES + 1)
    third = pass_of(tmp_path / "third", {"ann": [named("ann", "Anna")], "bob": []}, PASSES + 2)
    app = filled(relation, server, first)
    own = relation.in_app(app)
    report = tmp_path / "report"
    lost = {"user": "ann", "kind": "profile", "field": "allow_type",
            "rule": "went: no call clears it"}  # fmt: skip
    dry = changes(server, app, first, second, "--report", report, "--dry-run")
    assert dry.returncode == 5 and "dry run: 0 changes" in dry.stdout, dry.stderr
    assert [json.loads(line) for line in report.read_text().splitlines()] == [lost]
    kept = own("GetSelfProfile", user_id="ann").profile
    assert kept.allow_type
    # The other fields come over.
    for after, told, nick in [(second, "0 rows and 0 calls", "Ann"), (third, "1 rows and 0", "Anna")]:
        report.unlink()
        done = changes(server, app, first, after, "--report", report)
        assert done.returncode == 5 and told in done.stdout, done.stderr
        assert [json.loads(line) for line in report.read_text().splitlines()] == [lost]
        profile = own("GetSelfProfile", user_id="ann").profile
        assert (profile.nick, profile.allow_type) == (nick, kept.allow_type)


CHANGED = {
    "an account fewer": ("second", lambda path: os.truncate(path, line_of(path, '"kim"'))),
    "an account more": ("second", lambda path: path.open("a").write(
        json.dumps({"account": {"userId": "zoe", "createTimeMs": "1000"}}) + "\n")),
    "an account fewer in the first": (
        "first", lambda path: os.truncate(path, line_of(path, '"kim"'))),
}  # fmt: skip


def line_of(path, words):
    """Where the first line with some words begins."""
    text = path.read_text()
    return text.rindex("\n", 0, text.index(words)) + 1


@pytest.mark.parametrize("case", CHANGED)
def test_a_file_that_has_changed_meanwhile_ends_the_import(relation, server, tmp_path, case):
    """Both files are checked before the server is asked; what follows reads them anew."""
    name, change = CHANGED[case]
    users = {"ann": [named("ann", "A")], "bob": [], "kim": []}
    first = pass_of(tmp_path / "first", users)
    app = filled(relation, server, first)
    users["ann"] = [named("ann", "B")]
    second = pass_of(tmp_path / "second", users, PASSES + 1)
    proxy = StallingProxy(server.port)
    proxy.stall()
    try:
        with subprocess.Popen(
            [executable("relationctl"), "import-changes", "--before", first, "--from", second,
             "--server", f"127.0.0.1:{proxy.port}", "--app", str(app)],
            stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        ) as running:  # fmt: skip
            # The first connection comes when both files were checked.
            proxy.connected.wait(60)
            change(tmp_path / name)
            proxy.go_on()
            _, complaint = running.communicate(timeout=60)
    finally:
        proxy.close()
    assert running.returncode == 1 and f"{name}: has changed meanwhile" in complaint, complaint
    [profile] = relation.in_app(app)("GetProfiles", user_id="bob", user_ids=["ann"]).results
    assert profile.profile.nick == "A"


def test_choices_for_fields_come_over(relation, server, tmp_path):
    """A choice for groups has them by their numbers, which each file has its own of."""

    def group(number, name):
        return {"group": {"userId": "ann", "number": number,
                          "group": {"name": name, "createTimeMs": "1000"}}}

    def choosing(*fields):
        return {"profile": {"profile": {"userId": "ann", "nick": "A", "email": "a@x.example",
                                        "version": "3"},
                            "visibility": "VISIBILITY_NOT_SET", "fields": [
                                {"field": field, "visibility": f"VISIBILITY_{word}",
                                 "groupNumbers": numbers, "version": "1",
                                 "formerVisibility": "VISIBILITY_NOT_SET"}
                                for field, word, numbers in fields]}}

    first = pass_of(tmp_path / "first", {"ann": [
        choosing(("birthday", "FRIENDS", []), ("email", "GROUPS", [1]), ("level", "FRIENDS", [])),
        group(1, "old"), group(2, "work")]})
    second = pass_of(tmp_path / "second", {"ann": [
        choosing(("email", "GROUPS", [1, 2]), ("level", "INVISIBLE", []), ("role", "GROUPS", [9])),
        group(2, "new"), group(1, "work")]}, PASSES + 1)
    app = filled(relation, server, first)
    report = tmp_path / "report"
    done = changes(server, app, first, second, "--report", report)
    assert done.returncode == 5, done.stderr
    [line] = [json.loads(line) for line in report.read_text().splitlines()]
    assert (line["kind"], line["field"]) == ("field_visibility", "role")
    chosen = relation.in_app(app)("GetVisibility", user_id="ann").fields
    assert {(each.field, each.visibility, *sorted(each.group_names)) for each in chosen} == {
        ("email", visibility("GROUPS"), "new", "work"), ("level", visibility("INVISIBLE")),
        ("role", visibility("INVISIBLE"))}


def visibility(word):
    return {"INVISIBLE": 1, "GROUPS": 5}[word]


def test_a_pass_that_found_nothing_new_writes_nothing(relation, server, tmp_path):
    first = pass_of(tmp_path / "first", crowd(1, 40))
    second = pass_of(tmp_path / "second", crowd(1, 40), PASSES + 1)
    app = filled(relation, server, first)
    own = relation.in_app(app)
    sequence = own("ListFriends", user_id="u0001").sequence
    done = changes(server, app, first, second)
    assert done.returncode == 0 and "0 rows and 0 calls" in done.stdout, done.stderr
    assert own("ListFriends", user_id="u0001").sequence == sequence


def broken(path, change):
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(change(lines)))
    return path


BAD = {
    "another app": (
        lambda path, users: pass_of(path, users, PASSES + 1, app=8), "app.app_id is 8"),
    "another preset": (
        lambda path, users: pass_of(path, users, PASSES + 1, preset="APP_PRESET_RONGCLOUD"),
        "app.preset differs"),
    "the passes the wrong way round": (
        lambda path, users: pass_of(path, users, PASSES - 1), "point.time_ms"),
    "a newer form": (
        lambda path, users: pass_of(path, users, PASSES + 1, first={"point": {
            "resumeToken": "x", "timeMs": str(PASSES + 1), "format": 2}}),
        "point.format is 2"),
    "no order": (
        lambda path, users: broken(pass_of(path, users, PASSES + 1), lambda lines: [
            *lines[:2], lines[4], lines[2], lines[3], *lines[5:]]),
        ":4: stands out of the order of exports"),
    "a friend before its account": (
        lambda path, users: broken(pass_of(path, users, PASSES + 1), lambda lines: [
            *lines[:2], lines[3], lines[2], *lines[4:]]),
        ":3: friend_entry.user_id is ann, and no account is above"),
    "an account twice": (
        lambda path, users: broken(pass_of(path, users, PASSES + 1), lambda lines: [
            *lines[:3], *lines[2:]]),
        ":4: account comes twice"),
    "a friend twice": (
        lambda path, users: broken(pass_of(path, users, PASSES + 1), lambda lines: [
            *lines[:4], *lines[3:]]),
        ":5: friend_entry comes twice"),
    "a profile twice": (
        lambda path, users: pass_of(
            path, users | {"kim": [named("kim", "Kim"), named("kim", "Kimmy")]}, PASSES + 1),
        ":8: profile comes twice"),
    "an app twice": (
        lambda path, users: broken(pass_of(path, users, PASSES + 1), lambda lines: [
            *lines[:2], *lines[1:]]),
        ":3: app comes twice"),
    "rows without their account": (
        lambda path, users: broken(
            pass_of(path, users | {"annie": [friend("annie", "bob")]}, PASSES + 1),
            lambda lines: [line for line in lines if '{"account": {"userId": "annie"' not in line]),
        ":5: friend_entry.user_id is annie, and the account above is ann"),
    "a profile without its account": (
        lambda path, users: pass_of(path, users | {"bob": [named("bobby", "Bob")]}, PASSES + 1),
        ":6: profile.profile.user_id is bobby, and the account above is bob"),
    "no row": (
        lambda path, users: broken(pass_of(path, users, PASSES + 1), lambda lines: [
            *lines[:2], "{}\n", *lines[2:]]),
        ":3: must have a row"),
    "cut off": (
        lambda path, users: broken(pass_of(path, users, PASSES + 1), lambda lines: lines[:-1]),
        "is cut off"),
    "a line cut off": (
        lambda path, users: broken(
            pass_of(path, users, PASSES + 1), lambda lines: [*lines[:-1], lines[-1][:20]]),
        "is not a message of ExportApp"),
    "no app": (
        lambda path, users: broken(
            pass_of(path, users, PASSES + 1), lambda lines: [lines[0], *lines[2:]]),
        "must have a row app"),
    "more behind the end": (
        lambda path, users: broken(
            pass_of(path, users, PASSES + 1), lambda lines: [*lines, lines[2]]),
        "after the point that ends"),
    "no point first": (
        lambda path, users: broken(pass_of(path, users, PASSES + 1), lambda lines: lines[1:]),
        "must be a point"),
    "no text": (lambda path, users: path.write_bytes(b"\xff\n") and path, "is not UTF-8"),
    "empty": (lambda path, users: path.write_text("") or path, "is cut off"),
    "a friend of the account after it": (
        lambda path, users: pass_of(
            path, users | {"ann": [friend("bob", "ann")]}, PASSES + 1),
        ":4: friend_entry.user_id is bob, and the account above is ann"),
    "a row of no kind": (
        lambda path, users: broken(pass_of(path, users, PASSES + 1), lambda lines: [
            *lines[:-1], '{"foo": 1}\n', lines[-1]]),
        "is not a message of ExportApp"),
    "an array of rows": (
        lambda path, users: broken(pass_of(path, users, PASSES + 1), lambda lines: [
            f"[{','.join(line.strip() for line in lines)}]\n"]),
        ":1: is not a message of ExportApp"),
    "a table of users": (
        lambda path, users: path.write_text("UserID\nann\n") and path,
        ":1: is not a message of ExportApp"),
    "a packed file": (
        lambda path, users: path.write_bytes(gzip.compress(b"{}\n")) and path,
        "is packed by gzip: unpack it first"),
    "a folder": (lambda path, users: path.mkdir() or path, "cannot be read"),
    "no file": (lambda path, users: path, "cannot be read"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_a_bad_file_is_told_before_anything_is_written(relation, server, tmp_path, case):
    make, words = BAD[case]
    first = pass_of(tmp_path / "first", {"ann": [], "bob": []})
    app = filled(relation, server, first)
    users = {"ann": [friend("ann", "bob")], "bob": [], "kim": []}
    second = make(tmp_path / "second", users)
    done = changes(server, app, first, second)
    assert done.returncode == 1 and words in done.stderr, done.stderr
    assert "second" in done.stderr
    assert len(relation.in_app(app)("ListAccounts").accounts) == 2


@pytest.mark.parametrize("form", ["lines of Windows", "a mark of bytes first", "no last line end"])
def test_files_of_other_systems_are_read_alike(relation, server, tmp_path, form):
    first = pass_of(tmp_path / "first", {"ann": [], "bob": []})
    app = filled(relation, server, first)
    second = pass_of(
        tmp_path / "second", {"ann": [friend("ann", "bob")], "bob": [], "kim": []}, PASSES + 1)
    written = second.read_bytes()
    second.write_bytes({
        "lines of Windows": written.replace(b"\n", b"\r\n"),
        "a mark of bytes first": b"\xef\xbb\xbf" + written,
        "no last line end": written.removesuffix(b"\n"),
    }[form])  # fmt: skip
    done = changes(server, app, first, second)
    assert done.returncode == 0 and "2 rows and 0 calls" in done.stdout, done.stderr


def test_the_name_of_an_import_of_changes_has_a_bound(server, tmp_path):
    first = pass_of(tmp_path / "first", {})
    done = changes(server, 1, first, first, "--import-id", "x" * 41)
    assert done.returncode == 64 and "1 to 40 bytes" in done.stderr, done.stderr


@pytest.mark.parametrize("name", ["again", "x" * 40])
def test_a_name_that_is_given_again_names_an_import_of_other_files(relation, server, tmp_path, name):
    users = {"ann": [friend("ann", "bob")], "bob": [], "kim": []}
    passes = [pass_of(tmp_path / "first", users)]
    users["ann"] = [named("ann", "Ann"), friend("ann", "kim")]
    passes.append(pass_of(tmp_path / "second", users, PASSES + 1))
    users["ann"] = [named("ann", "Anna"), friend("ann", "bob")]
    passes.append(pass_of(tmp_path / "third", users, PASSES + 2))
    # The same points, as of a file that was repaired by hand.
    repaired = passes[2].read_text().replace("Anna", "Anne")
    passes.append(tmp_path / "fourth")
    passes[3].write_text(repaired)
    app = filled(relation, server, passes[0])
    own = relation.in_app(app)
    for before, after, nick, friends in [
            (0, 1, "Ann", ["kim"]), (1, 2, "Anna", ["bob"]), (2, 3, "Anne", ["bob"])]:  # fmt: skip
        done = changes(server, app, passes[before], passes[after], "--import-id", name)
        assert done.returncode == 0 and "0 refused" in done.stdout, done.stderr
        assert own("GetSelfProfile", user_id="ann").profile.nick == nick
        assert [row.user_id for row in own("ListFriends", user_id="ann").friends] == friends
    # Accounts that go are not part of an import without the flag.
    del users["kim"]
    last = pass_of(tmp_path / "last", users, PASSES + 3)
    done = changes(server, app, passes[3], last, "--import-id", name)
    assert done.returncode == 5 and "--delete-accounts" in done.stderr, done.stderr
    done = changes(server, app, passes[3], last, "--import-id", name, "--delete-accounts")
    assert done.returncode == 0 and "1 calls" in done.stdout, done.stderr
    assert [row.user_id for row in own("ListAccounts").accounts] == ["ann", "bob"]


BLANKS = {
    "after the brace": lambda line: line.replace("{", "{ ", 1),
    "before the line": lambda line: " \t" + line,
    "everywhere": lambda line: " " + json.dumps(json.loads(line), separators=(" , ", " : ")) + " \n",
    "the names of the contract": lambda line: line.replace('"userId"', '"user_id"'),
}  # fmt: skip


@pytest.mark.parametrize("form", BLANKS)
def test_blanks_in_a_file_hide_no_account(relation, server, tmp_path, form):
    users = {"ann": [friend("ann", "bob")], "bob": [], "kim": []}
    first = pass_of(tmp_path / "first", users)
    app = filled(relation, server, first)
    # A server has devices of its own, so they are not a change.
    users["kim"] = [{"devices": {"userId": "kim", "devices": [{"deviceId": "phone"}]}}]
    second = broken(pass_of(tmp_path / "second", users, PASSES + 1), lambda lines: [
        BLANKS[form](line) for line in lines])  # fmt: skip
    done = changes(server, app, first, second, "--delete-accounts")
    assert done.returncode == 0 and "0 rows and 0 calls" in done.stdout, done.stderr
    assert len(relation.in_app(app)("ListAccounts").accounts) == 3
    # What another file lacks is found in the same way.
    del users["kim"]
    third = broken(pass_of(tmp_path / "third", users, PASSES + 2), lambda lines: [
        BLANKS[form](line) for line in lines])  # fmt: skip
    done = changes(server, app, second, third, "--delete-accounts")
    assert done.returncode == 0 and "0 rows and 1 calls" in done.stdout, done.stderr
    assert [row.user_id for row in relation.in_app(app)("ListAccounts").accounts] == ["ann", "bob"]


# Files that are written

TIM = ["migrate", "tim", "--sdk-app-id", 1, "--secret-file", "key", "--accounts", "users"]
COMPARE = ["compare", "tim", *TIM[2:], "--with", "http://127.0.0.1:1"]
RONGCLOUD = [
    "migrate", "rongcloud", "--app-key", "k", "--secret-file", "key", "--accounts", "users.csv"]
SECOND = ["import-changes", "--before", "first", "--from", "second", "--report"]
# A command that names one file twice, and how it names it.
ONE_FILE = [
    ([*SECOND, "second"], "--from and --report"),
    ([*SECOND, "first"], "--before and --report"),
    ([*SECOND, "./folder/../second"], "--from and --report"),
    ([*SECOND, "link"], "--from and --report"),
    ([*SECOND, "hard-link"], "--from and --report"),
    ([*SECOND, "second", "--dry-run"], "--from and --report"),
    ([*TIM, "--to", "new", "--report", "new"], "--to and --report"),
    ([*TIM, "--to", "new", "--report", "new.part"], "--to with .part and --report"),
    ([*TIM, "--to", "new", "--report", "no-end"], "--to and --report"),
    ([*TIM, "--to", "users"], "--accounts and --to"),
    ([*TIM, "--to", "key"], "--secret-file and --to"),
    ([*TIM, "--to", "new", "--custom-fields", "new.part"], "--custom-fields and --to with .part"),
    ([*TIM, "--dry-run", "--report", "users"], "--accounts and --report"),
    ([*RONGCLOUD, "--to", "users.csv"], "--accounts and --to"),
    ([*RONGCLOUD, "--dry-run", "--report", "key"], "--secret-file and --report"),
    ([*RONGCLOUD, "--list-accounts", "--to", "users.csv.part"],
     "--to and --accounts with .part"),
    (["migrate", "openim", "folder", "--to", "folder/user.json"], "user.json of the dump and --to"),
    (["migrate", "openim", "folder", "--to", "new", "--report", "new"], "--to and --report"),
    (["migrate", "nakama", "folder", "--to", "new", "--report", "folder/users.csv"],
     "users.csv of the dump and --report"),
    ([*COMPARE, "--report", "new", "--state", "new"], "--report and --state"),
    ([*COMPARE, "--report", "new.new", "--state", "new"], "--report and --state with .new"),
    ([*COMPARE, "--state", "users"], "--accounts and --state"),
    (["apply-changes", "first", "second", "--to", "first"], "the file of export and --to"),
    (["apply-changes", "first", "new.part", "--to", "new"],
     "the file of changes and --to with .part"),
    (["export", "--tls-ca", "key", "--to", "key"], "--tls-ca and --to"),
    (["export-changes", "--tls-ca", "new.part", "--since", "2026-11-29T18:00:00Z", "--to", "new"],
     "--tls-ca and --to with .part"),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "words"), ONE_FILE)
def test_a_file_that_is_written_is_no_other_of_the_command(tmp_path, arguments, words):
    (tmp_path / "folder").mkdir()
    for name in ("first", "second", "key", "users", "users.csv", "folder/user.json", "folder/users.csv"):
        (tmp_path / name).write_text(f"{name}\n")
    (tmp_path / "link").symlink_to("second")
    (tmp_path / "hard-link").hardlink_to(tmp_path / "second")
    # A link to a file that is not there yet.
    (tmp_path / "no-end").symlink_to("new")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    done = subprocess.run(
        [executable("relationctl"), *map(str, arguments)], cwd=tmp_path, capture_output=True,
        text=True, timeout=60, check=False)  # fmt: skip
    assert done.returncode == 64 and f"{words} must name two files" in done.stderr, done.stderr
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


# A command that is to write to standard output, and the name of the file that it wants.
NO_FILE = [
    ([*SECOND, "-"], "--report"),
    ([*TIM, "--to", "-"], "--to"),
    ([*TIM, "--dry-run", "--report", "-"], "--report"),
    ([*RONGCLOUD, "--to", "-"], "--to"),
    (["migrate", "nakama", "folder", "--to", "-"], "--to"),
    (["migrate", "openim", "folder", "--to", ""], "--to"),
    ([*COMPARE, "--state", "-"], "--state"),
    (["apply-changes", "first", "second", "--to", "-"], "--to"),
    (["export", "--to", "-"], "--to"),
    (["export-changes", "--since", "2026-11-29T18:00:00Z", "--to", "-"], "--to"),
    (["export-user", "ann", "--to", "-"], "--to"),
    (["audit", "export", "-"], "the file to write"),
    (["graph", "ann", "--svg", "-"], "--svg"),
    (["import", "users", "--refused", "-"], "--refused"),
    (["proxy", "tim", "--with", "http://127.0.0.1:1", "--listen", "127.0.0.1:0", "--report", "-"],
     "--report"),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "words"), NO_FILE)
def test_standard_output_is_no_file_that_is_written(tmp_path, arguments, words):
    (tmp_path / "folder").mkdir()
    for name in ("first", "second", "key", "users", "users.csv"):
        (tmp_path / name).write_text(f"{name}\n")
    before = set(tmp_path.rglob("*"))
    done = subprocess.run(
        [executable("relationctl"), *map(str, arguments)], cwd=tmp_path, capture_output=True,
        text=True, timeout=60, check=False)  # fmt: skip
    assert done.returncode == 64 and f"{words} must name a file" in done.stderr, done.stderr
    assert set(tmp_path.rglob("*")) == before


def test_a_device_may_be_named_twice(tmp_path):
    done = subprocess.run(
        [executable("relationctl"), "compare", "tim", "--sdk-app-id", "1", "--secret-file",
         "/dev/null", "--accounts", str(tmp_path / "users"), "--with", "http://127.0.0.1:1",
         "--report", "/dev/null"], capture_output=True, text=True, timeout=60,
        check=False)  # fmt: skip
    # There are no users to read, which is told after the options.
    assert done.returncode == 1 and "users" in done.stderr, done.stderr


# A line that is not a row, and what is told of it.
NO_ROWS = {
    '{"friendEntry": {"userId": "ann", "entry": {"userId": 5}}}':
        "friend_entry.entry.user_id: a value of type string was expected",
    '{"friend": {}}': "friend: relation.v1.ExportAppResponse has no such field",
    '{"friendEntry": {"userId": "ann"': "JSON, byte",
    "UserID": "JSON, byte 0: no value begins like this",
    '{"account": {"userId": "ann"}} {}': "text after the value",
}  # fmt: skip


@pytest.mark.parametrize("command", ["import-app", "import-changes", "apply-changes"])
@pytest.mark.parametrize("line", NO_ROWS)
def test_a_line_that_is_no_row_is_told_with_the_field_and_the_rule(tmp_path, command, line):
    first = pass_of(tmp_path / "first", {"ann": [], "bob": []})
    second = broken(
        pass_of(tmp_path / "second", {"ann": [friend("ann", "bob")], "bob": []}, PASSES + 1),
        lambda lines: [*lines[:3], f"{line}\n", *lines[4:]])  # fmt: skip
    (tmp_path / "none").write_text("")
    options = {
        "import-app": ["--from", second, "--server", "127.0.0.1:1"],
        "import-changes": ["--before", first, "--from", second, "--dry-run"],
        "apply-changes": [second, tmp_path / "none", "--to", tmp_path / "new"],
    }[command]  # fmt: skip
    done = subprocess.run(
        [executable("relationctl"), command, *map(str, options)], capture_output=True, text=True,
        timeout=60, check=False)  # fmt: skip
    assert done.returncode == 1, done.stderr
    assert f"{second}:4: is not a message of ExportApp: " in done.stderr, done.stderr
    assert NO_ROWS[line] in done.stderr, done.stderr


# Passes that have not read everything


class Portraitless(FakeTIM):
    """TIM, which does not tell a profile."""

    def portrait_get(self, request):
        answer = super().portrait_get(request)
        for item in answer["UserProfileItem"]:
            if item["To_Account"] == "ann":
                item.pop("ProfileItem")
                item["ResultCode"] = 40003
        return answer


def refusing(command):
    return lambda name, _: 30003 if name == command else None


# What a pass cannot read, as a stand-in for TIM, and the kinds that it lacks for that reason.
UNREAD = {
    "a profile": (lambda users: Portraitless(users), {"profile"}),
    "friends": (lambda users: FakeTIM(users, refusing("sns/friend_get")), {"friend", "group"}),
    "wordings": (lambda users: FakeTIM(users, refusing("sns/friend_get_list")), {"friend.values"}),
    "groups": (lambda users: FakeTIM(users, refusing("sns/group_get")), {"group"}),
    "blacklists": (lambda users: FakeTIM(users, refusing("sns/black_list_get")), {"blacklist"}),
    "follows": (lambda users: FakeTIM(users, refusing("follow/follow_get")), {"follow"}),
}  # fmt: skip


def full_passes(files, second, *options):
    """A whole pass over TIM, and a second one over the same users."""
    (files / "fields").write_text("".join(json.dumps(each) + "\n" for each in tim.FIELDS))
    passes = []
    for name, fake, more, status in (
        ("first", FakeTIM(tim.full()), ["--follows"], 0), ("second", second, options, 5),
    ):  # fmt: skip
        with fake:
            done = tim.migrate(files, fake, tim.full(), *more)
        assert done.returncode in (0, status), done.stderr
        passes.append(kept(files, name))
    return passes


@pytest.mark.parametrize("what", UNREAD)
def test_what_a_pass_could_not_read_is_not_taken_for_gone(relation, server, files, what):
    fake, kinds = UNREAD[what]
    first, second = full_passes(files, fake(tim.full()), "--follows")
    app = filled(relation, server, first)
    before = shown(relation, app)
    report = files / "report"
    done = changes(server, app, first, second, "--report", report)
    assert done.returncode == 5, done.stderr
    told = [json.loads(line) for line in report.read_text().splitlines()]
    assert {line["kind"] for line in told} == {kind.partition(".")[0] for kind in kinds}
    assert {line["rule"].partition(":")[0] for line in told} == {
        "was not read whole in the second pass"}  # fmt: skip
    assert shown(relation, app) == before


def test_what_is_read_of_an_account_comes_over_beside_what_is_not(relation, server, files):
    users = tim.full()
    users["ann"]["friends"]["kim"] = {}
    users["ann"]["profile"][f"{tim.PROFILE}Nick"] = "Anna"
    users["kim"] = user()
    first, _ = full_passes(files, FakeTIM(tim.full()), "--follows")
    with FakeTIM(users) as fake:
        fake.endless.add("ann")
        assert tim.migrate(files, fake, users, "--follows").returncode == 5
    second = kept(files, "third")
    app = filled(relation, server, first)
    done = changes(server, app, first, second)
    assert done.returncode == 5 and "kept as it is here" in done.stderr, done.stderr
    own = relation.in_app(app)
    # Its list ended after its first page, of two friends.
    assert {row.user_id for row in own("ListFriends", user_id="ann").friends} == {
        "eve", "bob", "Zoe"}  # fmt: skip
    assert own("GetSelfProfile", user_id="ann").profile.nick == "Anna"


@pytest.mark.parametrize(("options", "words"), [
    ([], "was read without follow"), (["--follows", "--no-wordings"], "was read without wording"),
])  # fmt: skip
def test_a_second_pass_that_asks_for_less_is_refused(files, server, options, words):
    first, second = full_passes(files, FakeTIM(tim.full()), *options)
    done = changes(server, 7, first, second, "--dry-run")
    assert done.returncode == 1 and words in done.stderr, done.stderr
    with FakeTIM(tim.full()) as fake:
        assert tim.migrate(files, fake, tim.full(), "--follows").returncode == 0
    # A later pass may ask for more.
    done = changes(server, 7, second, kept(files, "third"), "--dry-run")
    assert done.returncode == 0, done.stderr


def test_a_dump_without_blacklists_is_not_one_of_empty_ones(files, server):
    passes = []
    for name in ("first", "second"):
        folder = files / f"dump-{name}"
        folder.mkdir()
        (folder / "user.json").write_text('{"user_id":"ann"}\n{"user_id":"bob"}\n')
        (folder / "friend.json").write_text("")
        if name == "first":
            (folder / "black.json").write_text('{"owner_user_id":"ann","block_user_id":"bob"}\n')
        passes.append(files / name)
        done = subprocess.run(
            [executable("relationctl"), "migrate", "openim", str(folder), "--to",
             str(passes[-1])], capture_output=True, text=True, timeout=60, check=False)  # fmt: skip
        assert passes[-1].exists(), done.stderr
    done = changes(server, 7, *passes, "--dry-run")
    assert done.returncode == 1 and "was read without blacklist" in done.stderr, done.stderr


def test_values_of_a_field_that_a_pass_does_not_define_stay(relation, server, files):
    first, _ = full_passes(files, FakeTIM(tim.full()), "--follows")
    (files / "fields").write_text("")
    with FakeTIM(tim.full()) as fake:
        assert tim.migrate(files, fake, tim.full(), "--follows").returncode in (0, 5)
    second = kept(files, "third")
    app = filled(relation, server, first)
    before = shown(relation, app)
    assert changes(server, app, first, second).returncode == 5
    assert shown(relation, app) == before


def followed(owner, other, milliseconds=1_600_000_000_000):
    entry = {"userId": other, "followTimeMs": str(milliseconds)}
    return {"follow": {"userId": owner, "entry": entry}}


OUTSIDE = "names a user that the accounts do not have: zoe"


def test_rows_about_accounts_that_a_file_lacks_are_refused_and_the_others_come_over(
        relation, server, tmp_path):
    """By import-app as by import-changes, which asks the server."""
    rows = [friend("ann", "bob"), friend("ann", "zoe"), blocked("ann", "bob"),
            blocked("ann", "zoe"), followed("ann", "bob", -5), followed("ann", "zoe")]  # fmt: skip
    file = pass_of(tmp_path / "file", {"ann": rows, "bob": [friend("bob", "ann")]})
    refused = [
        f"{file}:5 (friend_entry of user ann): entry.user_id: {OUTSIDE}",
        f"{file}:7 (blacklist_entry of user ann): entry.user_id: {OUTSIDE}",
        f"{file}:9 (follow of user ann): entry.user_id: {OUTSIDE}"]  # fmt: skip
    app = new_app(relation)
    # The last one finds its rows there already, and refuses those of the file alone.
    for options, counts in [(["--dry-run"], "8 accepted, 4"), ([], "8 accepted, 4"),
                            ([], "0 accepted, 3")]:  # fmt: skip
        done = ctl(server, app, "import-app", "--from", file, *options)
        assert done.returncode == 5, done.stderr
        assert [line for line in done.stderr.splitlines() if OUTSIDE in line] == refused
        assert f"rows: {counts} refused" in done.stdout, done.stdout
    # The server counts rows as they are sent, and they are told by their place in the file.
    first = ctl(server, new_app(relation), "import-app", "--from", file)
    assert "row 8 (follow of user ann)" in first.stderr, first.stderr
    good = pass_of(tmp_path / "good", {"ann": [rows[0], rows[2]], "bob": [friend("bob", "ann")]})
    assert shown(relation, app) == shown(relation, filled(relation, server, good))
    findings = [
        answer.finding for answer in relation.in_app(app).start("CheckIntegrity")(
            relation.stubs.request("CheckIntegrity", {}), timeout=60,
            metadata=relation.in_app(app).metadata)
        if answer.HasField("finding")]  # fmt: skip
    assert findings == []
    # Rows that a person has put into another order are told by their lines too.
    begin, *lines, end = file.read_text().splitlines(keepends=True)
    file.write_text("".join([begin, *reversed(lines), end]))
    done = ctl(server, new_app(relation), "import-app", "--from", file)
    for line, kind in [(4, "follow"), (6, "blacklist_entry"), (8, "friend_entry")]:
        told = f"{file}:{line} ({kind} of user ann): entry.user_id: {OUTSIDE}"
        assert told in done.stderr, done.stderr


# A row that breaks a rule of all rows, and what is told of it.
BAD_ROWS = {
    "no entry": ({"friendEntry": {"userId": "ann"}}, "friend_entry.entry must be given"),
    "no id": (
        friend("ann", "u 0\u00e9"), "friend_entry.entry.user_id must be a user id"),
    "no blocked id": (blocked("ann", ""), "blacklist_entry.entry.user_id must be a user id"),
    "no followed user": ({"follow": {"userId": "ann"}}, "follow.entry must be given"),
    "a time before 1970": (
        friend("ann", "bob", addTimeMs="-5"), "friend_entry.entry.add_time_ms is -5"),
    "a block before 1970": (
        blocked("ann", "bob", -1), "blacklist_entry.entry.add_time_ms is -1"),
    "a group without a name": (
        {"group": {"userId": "ann", "number": "1", "group": {}}}, "group.group.name must be given"),
}  # fmt: skip


@pytest.mark.parametrize("which", [0, 1])
@pytest.mark.parametrize("what", BAD_ROWS)
def test_a_row_that_breaks_a_rule_is_refused_before_anything_is_written(tmp_path, what, which):
    row, words = BAD_ROWS[what]
    passes = []
    for number, name in enumerate(("first", "second")):
        users = {"ann": [row] if number == which else [], "bob": []}
        passes.append(pass_of(tmp_path / name, users, PASSES + number))
    done = subprocess.run(
        [executable("relationctl"), "import-changes", "--before", str(passes[0]), "--from",
         str(passes[1]), "--dry-run"],
        capture_output=True, text=True, timeout=60, check=False)  # fmt: skip
    assert done.returncode == 1, done.stderr
    assert f"{passes[which]}:4: {words}" in done.stderr, done.stderr


def test_two_groups_of_a_user_have_two_numbers(tmp_path):
    def group(owner, name, number):
        return {"group": {"userId": owner, "number": str(number), "group": {"name": name}}}

    users = {"ann": [group("ann", "a", 1), group("ann", "b", 2)], "bob": [group("bob", "a", 1)]}
    good = pass_of(tmp_path / "good", users)
    users["ann"][1] = group("ann", "b", 1)
    bad = pass_of(tmp_path / "bad", users)
    for file, code, words in [
        (good, 0, ""), (bad, 1, "bad:5: group.number is 1, as in a row of another group"),
    ]:  # fmt: skip
        done = subprocess.run(
            [executable("relationctl"), "import-changes", "--before", str(file), "--from",
             str(file), "--dry-run"],
            capture_output=True, text=True, timeout=60, check=False)  # fmt: skip
        assert done.returncode == code and words in done.stderr, done.stderr
