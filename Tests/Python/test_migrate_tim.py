"""`relationctl migrate tim` reads a TIM app into a file that import-app takes: our own REST API for
TIM and a stand-in that fails are the TIM."""

import collections
import json
import subprocess

import grpc
import pytest
from credentials import Keys, init, sign
from fake_tim import APP, FakeTIM, user
from people import People
from relationd import executable

FIELDS = [
    {"owner": "CUSTOM_FIELD_OWNER_PROFILE", "key": "Mood",
     "value_type": "CUSTOM_FIELD_TYPE_STRING"},
    {"owner": "CUSTOM_FIELD_OWNER_FRIEND", "key": "Rank",
     "value_type": "CUSTOM_FIELD_TYPE_UINT64"},
]  # fmt: skip
FRIEND = "Tag_SNS_IM_"
PROFILE = "Tag_Profile_IM_"


@pytest.fixture
def files(tmp_path):
    """The files that an administrator prepares."""
    (tmp_path / "key").write_text("k" * 64 + "\n")
    (tmp_path / "fields").write_text("".join(json.dumps(field) + "\n" for field in FIELDS))
    return tmp_path


def migrate(files, fake, users, *options, app=APP, dry=False, timeout=120):
    accounts = files / "accounts"
    accounts.write_text("".join(f"{each}\n" for each in users))
    place = ["--dry-run"] if dry else ["--to", str(files / "app.jsonl")]
    return subprocess.run(
        [executable("relationctl"), "migrate", "tim", "--host", getattr(fake, "address", fake),
         "--sdk-app-id", str(app), "--secret-file", str(files / "key"), "--accounts",
         str(accounts), "--custom-fields", str(files / "fields"), *place, *options],
        capture_output=True, text=True, timeout=timeout, check=False)  # fmt: skip


def rows(files):
    """The rows of the file by their kinds."""
    found = collections.defaultdict(list)
    for line in (files / "app.jsonl").read_text().splitlines():
        [(kind, row)] = json.loads(line).items()
        found[kind].append(row)
    return found


def full():
    """Users with all that TIM tells of them."""
    return {
        "ann": user(
            profile={
                f"{PROFILE}Nick": "Ann", f"{PROFILE}Gender": "Gender_Type_Female",
                f"{PROFILE}BirthDay": 19990131, f"{PROFILE}AllowType": "AllowType_Type_NeedConfirm",
                f"{PROFILE}Level": "3", "Tag_Profile_Custom_Mood": "glad"},
            friends={
                "eve": {f"{FRIEND}AddSource": "AddSource_Type_Web", f"{FRIEND}Remark": "Evie",
                        f"{FRIEND}Group": ["work", "old"], f"{FRIEND}AddTime": 1500000000,
                        f"{FRIEND}AddWording": "w" * 200, f"{FRIEND}RemarkTime": 1500000001,
                        "Tag_SNS_Custom_Rank": 9},
                "bob": {f"{FRIEND}AddTime": 1500000002},
                "Zoe": {f"{FRIEND}Group": ["new"]}},
            groups=["work", "empty", "Also"],
            blacklist={"eve": 1600000000, "Zoe": 1600000001, "bob": 1600000002},
            follows={"bob": 1700000000, "Zoe": 1700000001, "eve": 1700000002}),
        "bob": user(friends={"ann": {}}),
        "Zoe": user(), "eve": user(),
    }  # fmt: skip


def test_what_tim_tells_stands_in_the_order_of_exports(files):
    with FakeTIM(full()) as fake:
        done = migrate(files, fake, ["eve", "ann", "bob", "Zoe", "ann"], "--follows")
    assert done.returncode == 0, done.stderr
    found = rows(files)
    assert [row["userId"] for row in found["account"]] == ["Zoe", "ann", "bob", "eve"]
    [profile] = [row["profile"] for row in found["profile"]]
    assert (profile["nick"], profile["birthday"], profile["level"]) == ("Ann", 19990131, 3)
    assert profile["custom"] == [{"key": "Mood", "text": "glad"}]
    groups = [(row["group"]["name"], row["number"]) for row in found["group"]]
    assert groups == [("Also", "3"), ("empty", "2"), ("new", "5"), ("old", "4"), ("work", "1")]
    friends = {row["entry"]["userId"]: row["entry"] for row in found["friendEntry"]
               if row["userId"] == "ann"}  # fmt: skip
    assert list(friends) == ["Zoe", "bob", "eve"]
    assert friends["eve"] == {
        "userId": "eve", "remark": "Evie", "groups": ["work", "old"],
        "source": "AddSource_Type_Web", "wording": "w" * 200, "addTimeMs": "1500000000000",
        "remarkTimeMs": "1500000001000", "custom": [{"key": "Rank", "number": "9"}],
    }  # fmt: skip
    for kind, first, field in [("blacklistEntry", 1600000001, "addTimeMs"),
                               ("follow", 1700000001, "followTimeMs")]:
        entries = [row["entry"] for row in found[kind]]
        assert [entry["userId"] for entry in entries] == ["Zoe", "bob", "eve"]
        assert entries[0][field] == str(first * 1000)
    assert not (files / "app.jsonl.part").exists() and "secret" not in found


def test_a_field_that_is_told_twice_is_written_once(files):
    """A source may answer more tags than it is asked for, and one of them twice."""
    class Talkative(FakeTIM):
        def friend_get_list(self, request):
            tags = {tag for each in self.users.values() for friend in each["friends"].values()
                    for tag in friend}
            return super().friend_get_list({**request, "TagList": sorted(tags)})

        def portrait_get(self, request):
            answer = super().portrait_get(request)
            for item in answer["UserProfileItem"]:
                item["ProfileItem"] *= 2
            return answer

    with Talkative(full()) as fake:
        assert migrate(files, fake, full()).returncode == 0
    found = rows(files)
    [profile] = [row["profile"] for row in found["profile"]]
    assert profile["custom"] == [{"key": "Mood", "text": "glad"}]
    [friend] = [row["entry"] for row in found["friendEntry"]
                if (row["userId"], row["entry"]["userId"]) == ("ann", "eve")]  # fmt: skip
    assert friend["custom"] == [{"key": "Rank", "number": "9"}]
    assert friend["groups"] == ["work", "old"]


def test_a_field_stands_once_in_the_file_of_fields(files):
    (files / "fields").write_text("".join(json.dumps(field) + "\n" for field in [*FIELDS, FIELDS[0]]))
    done = migrate(files, "http://127.0.0.1:1", ["ann"])
    assert done.returncode == 1
    assert "fields:3: key is that of a field that is there already: Mood" in done.stderr
    assert not (files / "app.jsonl.part").exists()


def field(key, owner="FRIEND", kind="STRING"):
    return {"owner": f"CUSTOM_FIELD_OWNER_{owner}", "key": key,
            "valueType": f"CUSTOM_FIELD_TYPE_{kind}"}  # fmt: skip


@pytest.mark.parametrize("fields, words", [
    ([{"key": "Rank", "valueType": "CUSTOM_FIELD_TYPE_STRING"}],
     "fields:1: owner must be PROFILE or FRIEND: Rank"),
    ([field("Mood"), field("Mood", "PROFILE"), field("Rank9")],
     "fields:3: key must be 1 to 8 letters: Rank9"),
    ([field("")], "fields:1: key must be 1 to 8 letters"),
    ([field("Ranksixes")], "fields:1: key must be 1 to 8 letters: Ranksixes"),
    ([{"owner": "CUSTOM_FIELD_OWNER_FRIEND", "key": "Rank"}],
     "fields:1: value_type is not a type that this server knows: Rank"),
    ([field("K" + chr(65 + n // 26) + chr(65 + n % 26)) for n in range(101)],
     "fields:101: key is one field of its owner more than 100"),
])  # fmt: skip
def test_a_field_that_an_import_refuses_is_told_before_anything_is_read(files, fields, words):
    (files / "fields").write_text("".join(json.dumps(each) + "\n" for each in fields))
    done = migrate(files, "http://127.0.0.1:1", ["ann"])
    assert done.returncode == 1 and words in done.stderr, done.stderr
    assert not (files / "app.jsonl.part").exists()


BAD_HOSTS = {
    "ftp://x": "the scheme must be https or http", "//x": "a path has no place in it",
    "://x": "the scheme must be https or http", "https://x/v4": "a path has no place in it",
    "http://x?a=b": "a path has no place in it", "http://x#a": "a path has no place in it",
    "http://u:p@x": "a user name has no place in it", "u@x": "a user name has no place in it",
    "x:": "the port must be 1 to 65535", "http://x:/": "the port must be 1 to 65535",
    "x:0": "the port must be 1 to 65535", "x:+80": "the port must be 1 to 65535",
    "x:65536": "the port must be 1 to 65535", "mailto:x": "the port must be 1 to 65535",
    "http://": "the host must be a name",
    "a b": "the host must be a name", "h\u00e9": "the host must be a name",
    "[::1": "the host must be a name", "::1": "the host must be a name",
}  # fmt: skip
TIM_OPTIONS = ["--sdk-app-id", "1", "--secret-file", "key", "--accounts", "accounts"]
HOSTS = {
    "migrate tim": ("--host", [*TIM_OPTIONS, "--to", "out"]),
    "migrate rongcloud": ("--host", [
        "--app-key", "a", "--secret-file", "key", "--accounts", "accounts", "--to", "out"]),
    "compare tim": ("--host", [*TIM_OPTIONS, "--with", "http://127.0.0.1:1"]),
    "compare tim with": ("--with", TIM_OPTIONS),
    "proxy tim": ("--host", ["--with", "http://127.0.0.1:1", "--listen", "127.0.0.1:0"]),
    "proxy tim with": ("--with", ["--listen", "127.0.0.1:0"]),
}  # fmt: skip


@pytest.mark.parametrize("command", HOSTS)
def test_a_host_that_is_none_is_refused_with_the_option_and_the_rule(tmp_path, command):
    option, more = HOSTS[command]
    for host, rule in BAD_HOSTS.items():
        done = subprocess.run(
            [executable("relationctl"), *command.removesuffix(" with").split(),
             f"{option}={host}", *more],
            capture_output=True, text=True, timeout=60, check=False, cwd=tmp_path)  # fmt: skip
        assert done.returncode != 0, host
        assert f"{option} {host}: {rule}" in done.stderr, (host, done.stderr)
    done = subprocess.run(
        [executable("relationctl"), *command.removesuffix(" with").split(), f"{option}=", *more],
        capture_output=True, text=True, timeout=60, check=False, cwd=tmp_path)  # fmt: skip
    assert (done.returncode, done.stderr.splitlines()[0]) == (
        64, f"Error: Missing value for '{option} <{option[2:]}>'")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("secret", ["k" * 31, "k" * 129, "k" * 40 + " k", "a"])
def test_a_secret_key_is_one_that_an_app_takes(files, secret):
    (files / "key").write_text(secret + "\n")
    done = migrate(files, "http://127.0.0.1:1", ["ann"], "--include-secret")
    assert done.returncode == 1, done.stderr
    assert "must be 32 to 128 visible characters of ASCII" in done.stderr
    assert not (files / "app.jsonl.part").exists()


def test_an_app_has_a_number(files):
    done = migrate(files, "http://127.0.0.1:1", ["ann"], app=0)
    assert done.returncode == 64 and "--sdk-app-id takes the number of an app" in done.stderr


def test_times_in_milliseconds_are_left_out_and_reported(files):
    users = {
        "ann": user(
            friends={"bob": {f"{FRIEND}AddTime": 1500000000000, f"{FRIEND}RemarkTime": 2**32}},
            blacklist={"bob": 1600000000000}, follows={"bob": 1700000000000}),
        "bob": user()}  # fmt: skip
    report = files / "report"
    with FakeTIM(users) as fake:
        done = migrate(files, fake, users, "--follows", "--report", str(report))
    assert done.returncode == 5, done.stderr
    lost = [json.loads(line) for line in report.read_text().splitlines()]
    assert {(line["kind"], line["other"], line["field"]) for line in lost} == {
        ("friend", "bob", f"{FRIEND}AddTime"), ("friend", "bob", f"{FRIEND}RemarkTime"),
        ("blacklist", "bob", "AddBlackTimeStamp"), ("follow", "bob", "FollowTime")}
    assert {line["rule"] for line in lost} == {"is not a time in seconds"}
    found = rows(files)
    assert found["blacklistEntry"][0]["entry"] == found["follow"][0]["entry"] == {"userId": "bob"}


def test_calls_that_fail_are_made_again(files):
    def fault(_, number):
        return {3: "throttle", 7: "gateway", 11: "garbage", 15: "drop"}.get(number)

    with FakeTIM(full()) as fake:
        assert migrate(files, fake, full()).returncode == 0
    wanted = rows(files)
    with FakeTIM(full(), fault) as fake:
        done = migrate(files, fake, full())
    assert done.returncode == 0 and "4 were repeated" in done.stdout, done.stderr + done.stdout
    for kind in ("profile", "friendEntry", "blacklistEntry"):
        assert rows(files)[kind] == wanted[kind]


def test_a_migration_that_ends_early_goes_on_after_its_last_users(files):
    users = {f"u{number:03}": user() for number in range(250)}
    stopped = []

    def fault(command, _):
        stopped.extend([1] if command == "im_open_login_svc/account_check" else [])
        return 70009 if len(stopped) == 3 else None

    with FakeTIM(users, fault) as fake:
        first = migrate(files, fake, users, "--rate", "10000")
        assert first.returncode == 2 and "70009" in first.stderr, first.stderr
        assert "goes on" in first.stderr and not (files / "app.jsonl").exists()
        part = files / "app.jsonl.part"
        part.write_bytes(part.read_bytes() + b"{\"account\":{\"userId\":\"cut")
        other = migrate(files, fake, list(users)[1:], "--rate", "10000")
        assert other.returncode == 1 and "other accounts or options" in other.stderr
        fake.asked.clear()
        again = migrate(files, fake, users, "--rate", "10000")
    assert again.returncode == 0, again.stderr
    assert "goes on after 200 of 250 users" in again.stderr
    assert sorted(fake.asked["sns/friend_get"]) == list(users)[200:]
    assert [row["userId"] for row in rows(files)["account"]] == list(users)
    end = rows(files)["point"][-1]
    assert end["complete"] and end["rows"] == str(250 + 1 + len(FIELDS))


def test_what_cannot_be_brought_over_is_reported(files):
    users = full()
    users["ann"]["profile"][f"{PROFILE}BirthDay"] = 19990231
    users["ann"]["profile"]["Tag_Profile_Custom_Other"] = "x"
    users["ann"]["friends"]["eve"][f"{FRIEND}AddSource"] = "AddSource_Type_App1"
    users["ann"]["friends"]["é"] = {}
    users["ann"]["blacklist"]["ann"] = 1
    users["gone"] = user(gone=True)
    report = files / "report"
    with FakeTIM(users) as fake:
        fake.endless.add("bob")
        done = migrate(
            files, fake, [*users, "missing", "x" * 33], "--report", str(report), "--strict")
    assert done.returncode == 5, done.stderr
    lines = [json.loads(line) for line in report.read_text().splitlines()]
    told = {(line["user"], line["kind"], line.get("other", ""), line.get("field", ""))
            for line in lines}  # fmt: skip
    assert told == {
        ("ann", "profile", "", f"{PROFILE}BirthDay"),
        ("ann", "profile", "", "Tag_Profile_Custom_Other"),
        ("ann", "friend", "eve", f"{FRIEND}AddSource"), ("ann", "friend", "é", ""),
        ("ann", "blacklist", "ann", ""), ("bob", "friend", "", ""), ("gone", "profile", "", ""),
        ("gone", "friend", "", ""), ("missing", "account", "", ""), ("x" * 33, "account", "", ""),
    }  # fmt: skip
    assert f"left out: 1 × profile {PROFILE}BirthDay is not a day as yyyymmdd" in done.stderr
    found = rows(files)
    assert len(found["account"]) == 5
    [app] = found["app"]
    assert "keepsTimValues" not in app["settings"]


def test_what_tim_keeps_without_a_check_comes_over_too(files):
    users = full()
    users["ann"]["profile"][f"{PROFILE}BirthDay"] = 19990231
    users["ann"]["friends"]["eve"][f"{FRIEND}AddSource"] = "AddSource_Type_App1"
    with FakeTIM(users) as fake:
        done = migrate(files, fake, users)
    assert done.returncode == 0, done.stderr
    found = rows(files)
    [app] = found["app"]
    assert app["settings"]["keepsTimValues"] is True
    assert 19990231 in {row["profile"].get("birthday") for row in found["profile"]}
    entries = [row["entry"] for row in found["friendEntry"]]
    assert "AddSource_Type_App1" in {entry.get("source") for entry in entries}


def test_a_list_that_changes_between_its_pages_is_read_anew(files):
    with FakeTIM(full()) as fake:
        fake.changing.add("ann")
        done = migrate(files, fake, full())
        assert done.returncode == 0, done.stderr
        assert fake.asked["sns/friend_get"].count("ann") == 4
    assert len(rows(files)["friendEntry"]) == 4


def test_calls_keep_their_rate_and_a_dry_run_writes_nothing(files):
    with FakeTIM(full()) as fake:
        done = migrate(files, fake, full(), "--rate", "20", dry=True)
        assert done.returncode == 0, done.stderr
        spent = fake.moments[-1] - fake.moments[0]
        assert spent >= (len(fake.moments) - 1) / 20 * 0.8
    assert not [path.name for path in files.iterdir() if path.name.startswith("app")]


def test_a_table_of_the_console_names_the_accounts(files):
    table = files / "table.csv"
    table.write_text('Nick,UserID\n"Ann, the first",ann\nBob,bob\nZoe,Zoe\nEve,eve\n')
    with FakeTIM(full()) as fake:
        for options, code in [((), 0), (("--column", "Nick"), 5), (("--column", "None"), 1)]:
            done = migrate(files, fake, [], "--accounts", str(table), *options, dry=True)
            assert done.returncode == code, done.stderr


@pytest.fixture
def keys(start, stubs, tmp_path):
    _, operator, _ = init(tmp_path / "guarded")
    running = start("guarded", insecure=False)
    with grpc.insecure_channel(running.address) as channel:
        keys = Keys(stubs, channel, operator)
        keys.address = running.address
        yield keys


def comparable(relation, app):
    """The rows of an app without what TIM does not tell; times are in seconds there."""
    request = relation.stubs.request("ExportApp", {"include_secrets": True})
    answer = relation.start("ExportApp")(request, timeout=60, metadata=relation.metadata)
    found = []
    for message in answer:
        kind = message.WhichOneof("row")
        if kind == "friend_entry":
            entry = message.friend_entry.entry
            found.append((
                kind, message.friend_entry.user_id, entry.user_id, entry.remark,
                list(entry.groups), entry.source, entry.wording, entry.add_time_ms // 1000,
                entry.remark_time_ms // 1000, str(entry.custom)))
        elif kind in ("blacklist_entry", "follow"):
            row = getattr(message, kind)
            time = getattr(row.entry, "add_time_ms" if kind != "follow" else "follow_time_ms")
            found.append((kind, row.user_id, row.entry.user_id, time // 1000))
        elif kind == "group":
            found.append((kind, message.group.user_id, message.group.group.name))
        elif kind == "profile":
            profile = message.profile.profile
            profile.ClearField("version")
            found.append((kind, str(profile)))
        elif kind in ("account", "secret"):
            row = getattr(message, kind)
            found.append((kind, row.user_id if kind == "account" else row.secret))
    return found


def test_an_app_of_our_own_gateway_comes_over_whole(keys, files):
    number = keys.app()
    operator = keys.as_operator(number)
    operator("UpdateApp", settings={
        "tim_rest": True, "tim_administrators": {"values": ["administrator"]},
        "keeps_tim_values": True})
    operator("DefineCustomFields", items=FIELDS)
    keys.accounts(number, "ann", "bob", "Zoe", "eve")
    people = People(operator)
    people.set_profile("ann", nick="Ann", gender=2, birthday=19990231, level=3)
    people.import_friends([
        {"user_id": "ann", "friend_user_id": "bob", "both_ways": True, "remark": "Bobby",
         "groups": {"values": ["work"]}, "source": "AddSource_Type_App1", "wording": "hello",
         "add_time_ms": 1_500_000_000_000, "remark_time_ms": 1_500_000_001_000,
         "custom": [{"key": "Rank", "number": 9}]},
        {"user_id": "ann", "friend_user_id": "Zoe", "add_time_ms": 1_500_000_002_000}])
    people.group("ann", "empty")
    people.group("ann", "also", "Zoe")
    people.block("ann", "eve")
    operator("Follow", user_id="ann", user_ids=["bob", "Zoe"])
    secret = keys.secret(number)
    (files / "key").write_text(secret)
    done = migrate(
        files, f"http://{keys.address}", ["ann", "bob", "Zoe", "eve"], "--follows",
        "--include-secret", app=number)
    assert done.returncode == 0, done.stderr
    copy = keys.app()
    read = subprocess.run(
        [executable("relationctl"), "import-app", "--from", str(files / "app.jsonl"), "--server",
         keys.address, "--app", str(copy), "--key", keys.operator],
        capture_output=True, text=True, timeout=60, check=False)  # fmt: skip
    assert read.returncode == 0, read.stderr
    assert comparable(keys.as_operator(copy), copy) == comparable(operator, number)
    signed = keys.with_signature(sign(copy, secret, "ann"))
    assert signed("ListFriends").total_size == 2
    # The copy speaks TIM's API too, once its settings say so, and both tell the same.
    settings = {"tim_rest": True, "tim_administrators": {"values": ["administrator"]}}
    keys.as_operator(copy)("UpdateApp", settings=settings)
    compared = compare(files, keys.address, number, copy)
    assert compared.returncode == 0, compared.stderr
    assert "4 users, 0 differences" in compared.stdout
    others = People(keys.as_operator(copy))
    others.set_profile("ann", nick="Anna")
    others.relation("RemoveFromBlacklist", user_id="ann", user_ids=["eve"])
    others.relation("Follow", user_id="bob", user_ids=["ann"])
    compared = compare(files, keys.address, number, copy, "--report", str(files / "report"))
    assert compared.returncode == 5, compared.stderr
    lines = [json.loads(line) for line in (files / "report").read_text().splitlines()]
    assert [(line["user"], line["kind"], line.get("other"), line.get("field"), line["rule"])
            for line in lines] == [
        ("ann", "blacklist", "eve", None, "is not here"),
        ("ann", "profile", None, "nick", "differs: Ann there, Anna here"),
        ("bob", "follow", "ann", None, "is here, and not at the other system"),
    ]  # fmt: skip
    assert "differs: 1 × profile nick differs" in compared.stderr
    sampled = compare(files, keys.address, number, copy, "--sample", "1")
    assert "1 users, 0 differences" in sampled.stdout, sampled.stdout


def compare(files, address, app, copy, *options):
    return subprocess.run(
        [executable("relationctl"), "compare", "tim", "--host", f"http://{address}",
         "--sdk-app-id", str(app), "--secret-file", str(files / "key"), "--accounts",
         str(files / "accounts"), "--custom-fields", str(files / "fields"), "--follows",
         "--with", f"http://{address}", "--with-app-id", str(copy), *options],
        capture_output=True, text=True, timeout=60, check=False)  # fmt: skip


# Items of an answer that have an error


class Faulty(FakeTIM):
    """TIM, which answers a call about several users with an error of one of them, so many times."""

    def __init__(self, users, command, code, times, user_id="ann"):
        super().__init__(users)
        self.faulty, self.code, self.times, self.user_id = command, code, times, user_id

    def reply(self, path, body):
        reply = super().reply(path, body)
        if f"/{self.faulty}?" not in path or not self.times:
            return reply
        self.times -= 1
        answer = json.loads(reply[1])
        for name in ("ResultItem", "UserProfileItem", "InfoItem"):
            for item in answer.get(name, []):
                if self.user_id in (item.get("UserID"), item.get("To_Account")):
                    for value in ("AccountStatus", "ProfileItem", "SnsProfileItem"):
                        item.pop(value, None)
                    item["ResultCode"] = self.code
        return reply[0], json.dumps(answer).encode()


@pytest.mark.parametrize(("command", "code", "user_id"), [
    ("im_open_login_svc/account_check", 70169, "ann"), ("profile/portrait_get", 40006, "ann"),
    ("sns/friend_get_list", 30006, "eve"), ("sns/friend_get_list", 60007, "bob"),
])  # fmt: skip
def test_an_error_of_an_item_that_passes_is_asked_for_again(files, command, code, user_id):
    with FakeTIM(full()) as fake:
        assert migrate(files, fake, full()).returncode == 0
    wanted = rows(files)
    with Faulty(full(), command, code, 2, user_id) as fake:
        done = migrate(files, fake, full())
    assert done.returncode == 0, done.stderr
    for kind in ("account", "profile", "friendEntry"):
        assert [each | {"createTimeMs": ""} for each in rows(files)[kind]] == [
            each | {"createTimeMs": ""} for each in wanted[kind]]  # fmt: skip


@pytest.mark.parametrize("code", [70169, 70398, 0])
def test_an_account_that_is_not_told_is_not_taken_for_gone(files, code):
    with Faulty(full(), "im_open_login_svc/account_check", code, 9) as fake:
        done = migrate(files, fake, full())
    assert done.returncode == 2, done.stderr
    assert f"does not tell whether ann is an account: ResultCode {code}" in done.stderr
    assert not (files / "app.jsonl").exists()


@pytest.mark.parametrize("code", [30006, 30001])
def test_fields_of_a_friend_that_are_not_told_are_reported(files, code):
    report = files / "report"
    with Faulty(full(), "sns/friend_get_list", code, 9, "eve") as fake:
        done = migrate(files, fake, full(), "--report", str(report))
    assert done.returncode == 5, done.stderr
    lines = [json.loads(line) for line in report.read_text().splitlines()]
    assert [(line["user"], line["other"], line["field"], line["rule"]) for line in lines] == [
        ("ann", "eve", tag, f"was not returned by TIM: {code}")
        for tag in (f"{FRIEND}AddWording", f"{FRIEND}RemarkTime")]  # fmt: skip
    marks = [row["resumeToken"].rpartition("-")[2] for row in rows(files)["point"]]
    assert [mark for mark in marks if mark.startswith("unread:")] == [
        "unread:follow", "unread:friend.values"]  # fmt: skip


def test_rows_about_users_outside_the_file_are_left_out_and_reported(relation, server, files):
    report = files / "report"
    with FakeTIM(full()) as fake:
        done = migrate(files, fake, ["Zoe", "ann", "bob"], "--follows", "--report", str(report))
    assert done.returncode == 5, done.stderr
    lines = [json.loads(line) for line in report.read_text().splitlines()]
    assert {(line["user"], line["kind"], line["other"], line["rule"]) for line in lines} == {
        ("ann", kind, "eve", "names a user that the accounts do not have")
        for kind in ("friend", "blacklist", "follow")}  # fmt: skip
    assert "eve" not in {row["entry"]["userId"] for row in rows(files)["friendEntry"]}
    app = relation("CreateApp").app.app_id
    read = subprocess.run(
        [executable("relationctl"), "import-app", "--from", str(files / "app.jsonl"), "--server",
         server.address, "--app", str(app)],
        capture_output=True, text=True, timeout=60, check=False)  # fmt: skip
    assert read.returncode == 0, read.stderr
    own = relation.in_app(app)
    answers = own.start("CheckIntegrity")(
        relation.stubs.request("CheckIntegrity", {}), timeout=60, metadata=own.metadata)
    assert not [answer for answer in answers if answer.HasField("finding")]
