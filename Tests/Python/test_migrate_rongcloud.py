"""`relationctl migrate rongcloud` reads a RongCloud app into a file that import-app takes: a stand-in
that fails, and that the vendor's own client has tried, is the RongCloud."""

import collections
import json
import subprocess

import pytest
from fake_rongcloud import APP, SECRET, FakeRongCloud, user
from relationd import executable
from test_app_import import exported

FIELDS = [
    {"owner": "CUSTOM_FIELD_OWNER_PROFILE", "key": "ext_city",
     "value_type": "CUSTOM_FIELD_TYPE_STRING"},
    {"owner": "CUSTOM_FIELD_OWNER_FRIEND", "key": "ext_rank",
     "value_type": "CUSTOM_FIELD_TYPE_UINT64"},
]  # fmt: skip
# When the users of the stand-in were registered: 10:38:19 in China.
REGISTERED = 1464057499000


@pytest.fixture
def files(tmp_path):
    """The files that an administrator prepares."""
    (tmp_path / "secret").write_text(SECRET + "\n")
    (tmp_path / "fields").write_text("".join(json.dumps(field) + "\n" for field in FIELDS))
    return tmp_path


def command(files, fake, users, *options, hosts=None, dry=False):
    accounts = files / "accounts"
    accounts.write_text("".join(f"{each}\n" for each in users))
    place = ["--dry-run"] if dry else ["--to", str(files / "app.jsonl")]
    named = [each for host in hosts or [fake.address] for each in ("--host", host)]
    return [
        executable("relationctl"), "migrate", "rongcloud", *named, "--app-key", APP,
        "--secret-file", str(files / "secret"), "--accounts", str(accounts), "--custom-fields",
        str(files / "fields"), *place, *options]  # fmt: skip


def migrate(*arguments, **options):
    return subprocess.run(
        command(*arguments, **options), capture_output=True, text=True, timeout=120, check=False)


def rows(files):
    """The rows of the file by their kinds."""
    found = collections.defaultdict(list)
    for line in (files / "app.jsonl").read_text().splitlines():
        [(kind, row)] = json.loads(line).items()
        found[kind].append(row)
    return found


def full():
    """Users with all that RongCloud tells of them."""
    return {
        "ann": user(
            name="Push Ann", portrait="http://push/ann", permission=1,
            profile={"name": "Ann", "uniqueId": "Ann1", "email": "a@b", "birthday": "spring",
                     "gender": 2, "location": "Xi'an", "role": 3, "level": "4"},
            ext={"ext_city": "Bath"},
            friends={
                "eve": {"remark": "Evie", "ext": {"ext_rank": "9"}, "time": 1500000000123},
                "bob": {"time": 1500000002000}, "Zoe": {}},
            blacklist=["eve", "Zoe", "bob"]),
        "bob": user(name="Bob", friends={"ann": {}}, permission=3),
        "Zoe": user(), "eve": user(),
    }  # fmt: skip


def test_what_rongcloud_tells_stands_in_the_order_of_exports(files):
    with FakeRongCloud(full()) as fake:
        done = migrate(files, fake, ["eve", "ann", "bob", "Zoe", "ann"])
    assert done.returncode == 0, done.stderr
    found = rows(files)
    [app] = found["app"]
    assert app["preset"] == "APP_PRESET_RONGCLOUD"
    assert app["settings"] == {
        "defaultVisibility": "VISIBILITY_INVISIBLE", "keepsFriendshipOnBlacklist": True}
    assert [row["userId"] for row in found["account"]] == ["Zoe", "ann", "bob", "eve"]
    profiles = {row["profile"]["userId"]: row["profile"] for row in found["profile"]}
    assert profiles["ann"] == {
        "userId": "ann", "nick": "Ann", "allowType": "ALLOW_TYPE_ALLOW_ANY",
        "gender": "GENDER_FEMALE", "level": 4, "role": 3, "uniqueId": "Ann1", "email": "a@b",
        "birthdayText": "spring", "locationText": "Xi'an",
        "custom": [{"key": "ext_city", "text": "Bath"}],
    }  # fmt: skip
    assert profiles["bob"] == {"userId": "bob", "allowType": "ALLOW_TYPE_DENY_ANY"}
    friends = {row["entry"]["userId"]: row["entry"] for row in found["friendEntry"]
               if row["userId"] == "ann"}  # fmt: skip
    assert list(friends) == ["Zoe", "bob", "eve"]
    assert friends["eve"] == {
        "userId": "eve", "remark": "Evie", "addTimeMs": "1500000000123",
        "custom": [{"key": "ext_rank", "number": "9"}],
    }  # fmt: skip
    entries = [row["entry"] for row in found["blacklistEntry"]]
    assert [entry["userId"] for entry in entries] == ["Zoe", "bob", "eve"]
    assert {entry["addTimeMs"] for entry in entries} == {found["account"][0]["createTimeMs"]}
    assert not (files / "app.jsonl.part").exists()


def test_an_app_comes_over_whole(relation, server, files):
    with FakeRongCloud(full()) as fake:
        assert migrate(files, fake, full(), "--default-visibility", "friends").returncode == 0
    app = relation("CreateApp").app.app_id
    read = subprocess.run(
        [executable("relationctl"), "import-app", "--from", str(files / "app.jsonl"), "--server",
         server.address, "--app", str(app)],
        capture_output=True, text=True, timeout=60, check=False)  # fmt: skip
    assert read.returncode == 0, read.stderr
    copy = relation.in_app(app)
    kinds = collections.Counter(message.WhichOneof("row") for message in exported(copy))
    assert [kinds[kind] for kind in ("account", "friend_entry", "blacklist_entry")] == [4, 4, 3]
    ann = copy("GetSelfProfile", user_id="ann").profile
    assert (ann.nick, ann.unique_id, ann.custom[0].text) == ("Ann", "Ann1", "Bath")
    [evie] = [row for row in copy("ListFriends", user_id="ann").friends if row.user_id == "eve"]
    assert (evie.remark, evie.add_time_ms, evie.custom[0].number) == ("Evie", 1500000000123, 9)
    assert copy("GetVisibility", user_id="ann").effective == 3


def test_calls_that_fail_are_made_again(files):
    def fault(_, number):
        return {1: 1008, 3: "gateway", 5: "garbage", 7: "drop", 9: 1000, 2: "gzip"}.get(number)

    with FakeRongCloud(full()) as fake:
        assert migrate(files, fake, full()).returncode == 0
    wanted = rows(files)
    with FakeRongCloud(full(), fault) as fake:
        done = migrate(files, fake, full())
    assert done.returncode == 0 and "5 were repeated" in done.stdout, done.stderr + done.stdout
    for kind in ("profile", "friendEntry"):
        assert rows(files)[kind] == wanted[kind]


def test_another_host_takes_the_place_of_one_that_does_not_answer(files):
    with FakeRongCloud(full()) as gone:
        pass
    with FakeRongCloud(full()) as fake:
        done = migrate(files, fake, full(), hosts=[gone.address, fake.address])
    assert done.returncode == 0 and "1 were repeated" in done.stdout, done.stderr + done.stdout


def test_a_migration_that_ends_early_goes_on_after_its_last_users(files):
    users = {f"u{number:03}": user() for number in range(250)}
    stopped = []

    def fault(path, _):
        stopped.extend([1] if path == "user/profile/batch/query" else [])
        return 1007 if len(stopped) == 3 else None

    with FakeRongCloud(users, fault) as fake:
        first = migrate(files, fake, users, "--rate", "10000")
        assert first.returncode == 2 and "1007" in first.stderr, first.stderr
        assert "goes on" in first.stderr and not (files / "app.jsonl").exists()
        part = files / "app.jsonl.part"
        part.write_bytes(part.read_bytes() + b"{\"account\":{\"userId\":\"cut")
        other = migrate(files, fake, list(users)[1:], "--rate", "10000")
        assert other.returncode == 1 and "other accounts or options" in other.stderr
        fake.asked.clear()
        again = migrate(files, fake, users, "--rate", "10000")
    assert again.returncode == 0, again.stderr
    assert "goes on after 200 of 250 users" in again.stderr
    assert sorted(fake.asked["friend/get"]) == list(users)[200:]
    assert [row["userId"] for row in rows(files)["account"]] == list(users)
    end = rows(files)["point"][-1]
    assert end["complete"] and end["rows"] == str(2 * 250 + 1 + len(FIELDS))


def test_a_migration_that_is_killed_goes_on(files):
    users = {f"u{number:03}": user(friends={"u000": {}}) for number in range(1, 150)}
    users["u000"] = user()
    running = []

    def fault(path, number):
        # The lists of the second hundred of users are being read.
        if number > 250 and running:
            running.pop().kill()
        return None

    with FakeRongCloud(users, fault) as fake:
        running.append(subprocess.Popen(command(files, fake, users, "--rate", "10000")))
        [process] = running
        assert process.wait(timeout=60) == -9
        assert not (files / "app.jsonl").exists()
        again = migrate(files, fake, users, "--rate", "10000")
    assert again.returncode == 0, again.stderr
    assert "goes on after 100 of 150 users" in again.stderr
    assert [row["userId"] for row in rows(files)["account"]] == sorted(users)
    assert len(rows(files)["friendEntry"]) == 149


def test_a_second_pass_brings_what_changed(files):
    users = full()
    with FakeRongCloud(users) as fake:
        assert migrate(files, fake, users).returncode == 0
        users["bob"]["friends"]["eve"] = {"remark": "new"}
        users["ann"]["blacklist"].remove("eve")
        assert migrate(files, fake, users).returncode == 0
    found = rows(files)
    assert "new" in [row["entry"].get("remark") for row in found["friendEntry"]]
    assert [row["entry"]["userId"] for row in found["blacklistEntry"]] == ["Zoe", "bob"]


def test_what_cannot_be_brought_over_is_reported(files):
    users = full()
    users["ann"]["profile"].update(level=101, uniqueId="a b", other=1, gender=7, name="n" * 33)
    users["ann"]["ext"]["ext_new"] = "x"
    users["ann"]["friends"]["eve"]["ext"]["ext_rank"] = "first"
    users["ann"]["friends"]["bob"]["remark"] = "r" * 65
    users["ann"]["friends"]["é"] = {}
    users["ann"]["blacklist"].append("ann")
    users["ann"]["permission"] = 4
    users["gone"] = user()
    report = files / "report"
    with FakeRongCloud(users) as fake:
        fake.endless.add("bob")
        fake.miscounted.add("eve")
        fake.gone.add("gone")
        done = migrate(files, fake, [*users, "a,b", "x" * 65], "--report", str(report))
    assert done.returncode == 5, done.stderr
    lines = [json.loads(line) for line in report.read_text().splitlines()]
    told = {(line["user"], line["kind"], line.get("other", ""), line.get("field", ""))
            for line in lines}  # fmt: skip
    assert told == {
        *(("ann", "profile", "", field) for field in
          ("level", "uniqueId", "other", "gender", "name", "ext_new", "permission")),
        ("ann", "friend", "eve", "ext_rank"), ("ann", "friend", "bob", "remarkName"),
        ("ann", "friend", "é", ""), ("ann", "blacklist", "ann", ""),
        ("bob", "friend", "", ""), ("eve", "friend", "", ""),
        ("gone", "friend", "", ""), ("gone", "blacklist", "", ""), ("a,b", "account", "", ""),
        ("x" * 65, "account", "", ""),
    }  # fmt: skip
    rules = [line["rule"] for line in lines if (line["user"], line["kind"]) == ("eve", "friend")]
    assert rules == ["has 0 rows, and RongCloud counts 1"]
    [ann] = [row["profile"] for row in rows(files)["profile"] if row["profile"]["userId"] == "ann"]
    assert "nick" not in ann and "level" not in ann and ann["email"] == "a@b"
    assert len(rows(files)["account"]) == 5


def test_a_list_that_changes_between_its_pages_is_read_anew(files):
    with FakeRongCloud(full()) as fake:
        fake.changing.add("ann")
        done = migrate(files, fake, full())
        assert done.returncode == 0, done.stderr
        assert fake.asked["friend/get"].count("ann") == 4
    assert len(rows(files)["friendEntry"]) == 4


def test_calls_keep_their_rate_and_a_dry_run_writes_nothing(files):
    with FakeRongCloud(full()) as fake:
        done = migrate(files, fake, full(), "--rate", "20", dry=True)
        assert done.returncode == 0, done.stderr
        spent = fake.moments[-1] - fake.moments[0]
        assert spent >= (len(fake.moments) - 1) / 20 * 0.8
    assert not [path.name for path in files.iterdir() if path.name.startswith("app")]


def test_rongcloud_lists_the_users_of_the_app(files):
    table = files / "users.csv"
    users = full()
    users["eve"]["name"] = 'Eve, "E"'
    with FakeRongCloud(users) as fake:
        listed = ("--accounts", str(table), "--list-accounts", "--no-profiles")
        done = migrate(files, fake, [], *listed)
        assert done.returncode == 0, done.stderr
        assert "lists 4 of 4 users" in done.stderr
        found = rows(files)
        assert {row["createTimeMs"] for row in found["account"]} == {str(REGISTERED)}
        nicks = [row["profile"].get("nick") for row in found["profile"]]
        assert nicks == [None, "Push Ann", "Bob", 'Eve, "E"']
        assert found["profile"][1]["profile"]["faceUrl"] == "http://push/ann"
        pages = fake.calls["user/query"]
        assert migrate(files, fake, [], *listed).returncode == 0
        assert fake.calls["user/query"] == pages, "the table that is there is kept"
        for lie in ({"missing": 1}, {"repeats": True}):
            table.unlink()
            vars(fake).update({"missing": 0, "repeats": False, **lie})
            done = migrate(files, fake, [], *listed)
            assert done.returncode == 2 and "user/query" in done.stderr, done.stderr
            assert not table.exists()
            table.touch()


def test_a_table_tells_the_visibility_that_users_have_chosen(files):
    table = files / "users.csv"
    table.write_text(
        "user_id,Visibility,RegTime\nann,friends,1500000000000\nbob,,never\nZoe,2,\neve,all,\n")
    report = files / "report"
    with FakeRongCloud(full()) as fake:
        done = migrate(files, fake, [], "--accounts", str(table), "--report", str(report))
    assert done.returncode == 5, done.stderr
    chosen = {row["profile"]["userId"]: row.get("visibility") for row in rows(files)["profile"]}
    assert chosen == {
        "ann": "VISIBILITY_FRIENDS", "bob": None, "Zoe": "VISIBILITY_EVERYONE", "eve": None}
    times = {row["userId"]: row["createTimeMs"] for row in rows(files)["account"]}
    assert times["ann"] == "1500000000000"
    lines = [json.loads(line) for line in report.read_text().splitlines()]
    assert [(line["user"], line["field"]) for line in lines] == [
        ("bob", "RegTime"), ("eve", "Visibility")]


@pytest.mark.parametrize(("path", "code", "words"), [
    ("user/profile/batch/query", 1009, "has not enabled"),
    ("friend/permission/get", 1009, "has not enabled"),
    ("friend/get", 1002, "is refused: 1002 no"),
])  # fmt: skip
def test_a_call_that_is_refused_ends_the_command(files, path, code, words):
    with FakeRongCloud(full(), lambda asked, _: code if asked == path else None) as fake:
        done = migrate(files, fake, full())
        assert done.returncode == 2 and path in done.stderr and words in done.stderr, done.stderr
        (files / "app.jsonl.part").unlink()
        done = migrate(files, fake, full(), "--no-profiles", "--no-friends")
        assert done.returncode == 0, done.stderr
        assert not rows(files)["friendEntry"] and len(rows(files)["blacklistEntry"]) == 3


def test_a_wrong_secret_is_refused(files):
    (files / "secret").write_text("other\n")
    with FakeRongCloud(full()) as fake:
        done = migrate(files, fake, full())
    assert done.returncode == 2 and "1004" in done.stderr, done.stderr
    assert len(fake.moments) == 1


def test_the_client_of_the_vendor_finds_the_stand_in_as_it_finds_rongcloud(files):
    from rongcloud.rongcloud import RongCloud

    with FakeRongCloud({}) as fake:
        people = RongCloud(APP, SECRET, fake.address).get_user()
        for name in ("ann", "bob", "eve"):
            answer = people.register(name, name.title(), f"http://faces/{name}")
            assert (answer["code"], answer["userId"]) == (200, name)
        assert people.query("ann") == {
            "code": 200, "userName": "Ann", "userPortrait": "http://faces/ann",
            "createTime": "2016-05-24 10:38:19"}  # fmt: skip
        blacklist = people.get_blacklist()
        assert blacklist.add("ann", ["bob", "eve"]) == {"code": 200}
        assert blacklist.remove("ann", "eve") == {"code": 200}
        assert blacklist.query("ann") == {"code": 200, "users": ["bob"]}
        refused = RongCloud(APP, "other", fake.address).get_user().query("ann")
        assert json.loads(refused)["code"] == 1004
        done = migrate(files, fake, ["ann", "bob", "eve"], "--no-profiles", "--no-friends")
    assert done.returncode == 0, done.stderr
    [entry] = rows(files)["blacklistEntry"]
    assert (entry["userId"], entry["entry"]["userId"]) == ("ann", "bob")


@pytest.mark.parametrize(("path", "name"), [
    ("user/profile/batch/query", "userList"), ("friend/permission/get", "permissionSettings"),
])  # fmt: skip
def test_a_list_that_is_none_is_not_an_empty_one(files, path, name):
    class Odd(FakeRongCloud):
        def reply(self, *arguments):
            reply = super().reply(*arguments)
            return odd(reply) if path in str(arguments[0]) else reply

    def odd(reply):
        answer = json.loads(reply[1])
        answer[name] = {"0": {}}
        return reply[0], json.dumps(answer).encode(), *reply[2:]

    with Odd(full()) as fake:
        done = migrate(files, fake, full())
    assert done.returncode == 2, done.stderr
    assert f"{path} has no list of objects {name}" in done.stderr
    assert not (files / "app.jsonl").exists()
