"""The bounds of migrations: of options, of what is said, of texts, and of users at one time."""

import base64
import contextlib
import http.client
import json
import resource
import socket
import subprocess
import zlib
from urllib.parse import parse_qs, urlsplit

import pytest
import test_migrate_nakama as nakama
import test_migrate_openim as openim
import test_migrate_rongcloud as rongcloud
import test_migrate_tim as tim
from fake_tim import APP, FakeTIM, user
from relationd import executable

HOST = "http://127.0.0.1:1"


@pytest.fixture
def files(tmp_path):
    """The files that an administrator prepares for TIM."""
    (tmp_path / "key").write_text("k" * 64 + "\n")
    (tmp_path / "fields").write_text("".join(json.dumps(field) + "\n" for field in tim.FIELDS))
    (tmp_path / "secret").write_text("secret\n")
    return tmp_path


def run(*words):
    return subprocess.run(
        [executable("relationctl"), *words],
        capture_output=True, text=True, timeout=60, check=False)  # fmt: skip


@pytest.mark.parametrize("rate", [0, 10_001])
def test_the_calls_a_second_are_bounded(files, rate):
    done = tim.migrate(files, HOST, ["ann"], "--rate", str(rate))
    assert done.returncode == 64 and "--rate takes 1 to 10000" in done.stderr
    done = subprocess.run(
        rongcloud.command(files, None, ["ann"], "--rate", str(rate), hosts=[HOST]),
        capture_output=True, text=True, timeout=60, check=False)  # fmt: skip
    assert done.returncode == 64 and "--rate takes 1 to 10000" in done.stderr


@pytest.mark.parametrize("seconds", [0, 86_401])
def test_the_time_between_two_counts_of_a_proxy_is_bounded(seconds):
    done = run("proxy", "tim", "--host", HOST, "--with", HOST, "--listen", "127.0.0.1:0",
               "--every", str(seconds))  # fmt: skip
    assert done.returncode == 64 and "--every takes 1 to 86400" in done.stderr


@pytest.mark.parametrize("count", [100, 101, 150])
def test_so_much_that_is_left_out_is_shown_without_a_report(tmp_path, count):
    dump = openim.collections()
    dump["friend"] += [openim.friend("ann", f"gone{number}") for number in range(count)]
    folder = openim.written(tmp_path / "dump", dump, "json")
    done = openim.migrate(folder, *openim.EX)
    assert done.returncode == 5
    lines = done.stderr.splitlines()
    assert sum("user ann: friend gone" in line for line in lines) == min(count, 100)
    assert sum(f"{count} × friend names a user" in line for line in lines) == 1


def test_so_many_kinds_of_losses_are_counted_by_themselves(files):
    tags = {f"Tag_Other_{number}": "x" for number in range(250)}
    users = {"ann": user(friends={"bob": tags}), "bob": user()}
    with FakeTIM(users) as fake:
        done = tim.migrate(files, fake, users, dry=True)
    assert done.returncode == 5
    kinds = [line for line in done.stderr.splitlines() if " × " in line]
    assert len(kinds) == 201
    [rest] = [line for line in kinds if line.endswith("of other kinds")]
    assert " 50 × " in rest


def test_so_many_users_are_read_together(files):
    users = {f"u{number:03}": user() for number in range(101)}
    with FakeTIM(users) as fake:
        done = tim.migrate(files, fake, users, "--rate", "10000")
        assert done.returncode == 0, done.stderr
        assert fake.calls["im_open_login_svc/account_check"] == 2
        assert fake.calls["profile/portrait_get"] == 2
    assert len(tim.rows(files)["account"]) == 101


def test_an_app_of_tim_has_tims_longest_wording(files):
    users = {"ann": user()}
    with FakeTIM(users) as fake:
        tim.migrate(files, fake, users)
    [app] = tim.rows(files)["app"]
    assert app["settings"]["limits"]["wording"] == 256


LIMITS = {
    "friends": 10_000, "blacklistedUsers": 10_000, "pendencies": 1_000, "nick": 1_024,
    "faceUrl": 1_024, "customValue": 1_024, "remark": 512, "wording": 256,
}  # fmt: skip


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.mark.parametrize("more", [0, 1])
def test_an_app_of_openim_has_the_widest_limits_and_longer_texts_are_left_out(tmp_path, more):
    dump = openim.collections()
    dump["user"][0] |= {
        "nickname": "n" * (1_024 + more), "face_url": "f" * (1_024 + more),
        "ex": "e" * (1_024 + more)}
    dump["friend"][0] |= {"remark": "r" * (512 + more), "ex": "e" * (1_024 + more)}
    dump["friend_request"][0]["req_msg"] = "w" * (256 + more)
    folder = openim.written(tmp_path / "dump", dump, "json")
    done = openim.migrate(
        folder, *openim.EX, "--report", str(tmp_path / "report"), to=tmp_path / "to")
    assert done.returncode == 5 * more, done.stderr
    lost = [] if not more else [each["field"] for each in lines(tmp_path / "report")]
    assert sorted(lost) == more * ["ex", "ex", "face_url", "nickname", "remark", "req_msg"]
    [app] = [row["app"] for row in lines(tmp_path / "to") if "app" in row]
    found = app["settings"]["limits"]
    assert {name: found[name] for name in LIMITS} == LIMITS


@pytest.mark.parametrize("more", [0, 1])
def test_an_app_of_nakama_has_longest_texts_and_times_that_are_none(tmp_path, more):
    dump = nakama.tables()
    dump["users"][0] |= {
        "location": "l" * (256 + more), "lang_tag": "t" * (35 + more),
        "disable_time": f"1970-01-02 00:00:00.00{more}+00"}
    folder = nakama.written(tmp_path / "tables", dump)
    done = nakama.migrate(
        folder, *nakama.FIELDS, "--report", str(tmp_path / "report"), to=tmp_path / "to")
    lost = [] if done.returncode == 0 else [
        each["field"] for each in lines(tmp_path / "report") if each["user"] == nakama.BOB]
    assert sorted(lost) == more * ["disable_time", "lang_tag", "location"], done.stderr


class Signed(FakeTIM):
    """A stand-in that keeps the signatures it was shown."""

    def __init__(self, users):
        super().__init__(users)
        self.signatures = set()

    def reply(self, path, body):
        self.signatures.update(parse_qs(urlsplit(path).query)["usersig"])
        return super().reply(path, body)


def test_a_signature_that_a_pull_makes_is_good_for_thirty_days(files):
    users = {"ann": user()}
    with Signed(users) as fake:
        assert tim.migrate(files, fake, users).returncode == 0
    [text] = fake.signatures
    packed = base64.b64decode(text.translate(str.maketrans("*-_", "+/=")))
    signature = json.loads(zlib.decompress(packed))
    assert signature["TLS.expire"] == 30 * 86_400


@contextlib.contextmanager
def proxy(host, *options, before=""):
    """A proxy before a system that is asked nothing unless a test does."""
    words = [
        executable("relationctl"), "proxy", "tim", "--host", host, "--with", HOST, "--listen",
        "127.0.0.1:0", *options]
    with subprocess.Popen(
        ["bash", "-c", f'{before} exec "$@"', "bash", *words],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    ) as process:  # fmt: skip
        try:
            yield process.pid, int(process.stdout.readline().rpartition(":")[2])
        finally:
            process.kill()


@pytest.mark.parametrize(("before", "files_open"), [
    ("ulimit -Sn 256;", 2_048), ("ulimit -Sn 256; ulimit -Hn 1024;", 1_024),
    ("ulimit -Sn 3000;", 3_000),
])  # fmt: skip
def test_a_proxy_may_open_so_many_files_as_far_as_the_system_lets_it(before, files_open):
    with proxy(HOST, before=before) as (process, _):
        assert resource.prlimit(process, resource.RLIMIT_NOFILE)[0] == files_open


def test_a_connection_that_is_not_taken_ends_before_an_answer_would():
    with socket.socket() as full, socket.socket() as first, socket.socket() as second:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        # The first one fills the queue of a system that takes no connection.
        for client in (first, second):
            client.setblocking(False)
            client.connect_ex(full.getsockname())
        host = f"http://127.0.0.1:{full.getsockname()[1]}"
        with proxy(host, "--answer-within", "60") as (_, port):
            # It gives up after the ten seconds of a connection, not after those of an answer.
            asked = http.client.HTTPConnection("127.0.0.1", port, timeout=45)
            asked.request("POST", "/v4/sns/friend_get", b"{}")
            assert asked.getresponse().status == 502


def users_of(table):
    return "".join(f"{line}\n" for line in table)


def test_of_lines_about_one_user_the_first_counts_and_the_others_are_named(files):
    table = files / "users.csv"
    table.write_text(users_of(["UserID,Name", "bob,First", "ann,Ann", "bob,Second", "bob,First"]))
    (files / "secret").write_text(rongcloud.SECRET + "\n")
    (files / "fields").write_text("")
    people = {"ann": rongcloud.user(), "bob": rongcloud.user()}
    with rongcloud.FakeRongCloud(people) as fake:
        done = rongcloud.migrate(
            files, fake, [], "--accounts", str(table), "--no-profiles", "--no-friends")
    assert done.returncode == 0, done.stderr
    assert f"{table}:4: UserID: bob stands on line 2 too, and the first line counts" in done.stderr
    assert f"{table}:5: UserID: bob stands on line 2 too, and the first line counts" in done.stderr
    assert "ann stands" not in done.stderr
    nicks = [row["profile"].get("nick") for row in rongcloud.rows(files)["profile"]]
    assert nicks == ["Ann", "First"]


def test_a_user_twice_in_the_accounts_of_tim_is_read_once_and_named(files):
    people = {"ann": user(), "bob": user()}
    with FakeTIM(people) as fake:
        done = tim.migrate(files, fake, ["bob", "ann", "", "# bob", "bob"])
    assert done.returncode == 0, done.stderr
    accounts = files / "accounts"
    assert f"{accounts}:5: the user id: bob stands on line 1 too" in done.stderr
    assert [row["userId"] for row in tim.rows(files)["account"]] == ["ann", "bob"]
    table = files / "table.csv"
    table.write_text(users_of(["Nick,identifier", "Bob,bob", '"B\nb",bob', "Ann,ann", "Bob,bob"]))
    with FakeTIM(people) as fake:
        done = tim.migrate(files, fake, [], "--accounts", str(table), dry=True)
    assert done.returncode == 0, done.stderr
    named = [line for line in done.stderr.splitlines() if "stands on line" in line]
    rule = "identifier: bob stands on line 2 too, and the first line counts"
    assert named == [f"{table}:3: {rule}", f"{table}:6: {rule}"]


@pytest.mark.parametrize("more", [100, 101])
def test_so_many_lines_about_one_user_are_named(files, more):
    with FakeTIM({"ann": user()}) as fake:
        done = tim.migrate(files, fake, ["ann"] * (more + 1), dry=True)
    assert done.returncode == 0, done.stderr
    named = [line for line in done.stderr.splitlines() if "stands on line 1 too" in line]
    assert len(named) == 100
    told = f"{more} lines name a user of an earlier line, which counts" in done.stderr
    assert told == (more > 100)


SYSTEM = ["--host", HOST, "--accounts", "users"]


@pytest.mark.parametrize(("words", "rule"), [
    (["migrate", "tim", *SYSTEM, "--sdk-app-id", "1", "--secret-file", "key", "--dry-run",
      "--administrator", ""], "--administrator takes a user id"),
    (["migrate", "rongcloud", *SYSTEM, "--secret-file", "key", "--dry-run", "--app-key", ""],
     "--app-key takes visible characters of ASCII"),
    (["migrate", "rongcloud", *SYSTEM, "--secret-file", "key", "--dry-run", "--app-key", "a b"],
     "--app-key takes visible characters of ASCII"),
    (["compare", "tim", *SYSTEM, "--sdk-app-id", "1", "--secret-file", "key", "--with", HOST,
      "--with-app-id", "0"], "--with-app-id takes the number of an app, from 1 on"),
])  # fmt: skip
def test_a_name_or_number_that_no_system_has_is_misuse(words, rule):
    done = run(*words)
    assert done.returncode == 64 and rule in done.stderr, done.stderr


def test_a_secret_file_that_is_missing_is_said_to_be(files):
    (files / "empty").write_text("")
    for name, words in [("gone", "cannot be read: No such file"), ("empty", ": has no line")]:
        done = tim.migrate(files, HOST, ["ann"], "--secret-file", str(files / name), dry=True)
        assert done.returncode == 1 and words in done.stderr, done.stderr


def test_a_comparison_says_which_system_refuses(files):
    users = {"ann": user()}
    refusing = FakeTIM(users, lambda *_: 60010)
    with FakeTIM(users) as there, refusing as here:
        tim.migrate(files, there, users, dry=True)
        for one, other in [(there, here), (here, there)]:
            done = run(
                "compare", "tim", "--host", one.address, "--sdk-app-id", str(APP),
                "--secret-file", str(files / "key"), "--accounts", str(files / "accounts"),
                "--with", other.address)  # fmt: skip
            host = here.address.removeprefix("http://")
            assert done.returncode == 2, done.stderr
            assert f"account_check of {host} is refused: 60010" in done.stderr
