"""`relationctl compare tim` goes on where it ended: two stand-ins for TIM are the two systems."""

import json
import signal
import subprocess
import threading

import pytest
from fake_tim import APP, FakeTIM, user
from relationd import executable

NICK = "Tag_Profile_IM_Nick"
CHECK = "im_open_login_svc/account_check"


def people(word):
    """250 users, some with other nicks in two systems: most of these in the last part."""
    users = {f"u{number:03}": user() for number in range(250)}
    for number in (7, 107, 207, *range(240, 250)):
        users[f"u{number:03}"]["profile"][NICK] = word
    return users


@pytest.fixture
def files(tmp_path):
    (tmp_path / "key").write_text("k" * 64 + "\n")
    (tmp_path / "accounts").write_text("".join(f"{each}\n" for each in people("")))
    return tmp_path


def command(files, old, new, *options):
    return [
        executable("relationctl"), "compare", "tim", "--host", old.address, "--sdk-app-id",
        str(APP), "--secret-file", str(files / "key"), "--accounts", str(files / "accounts"),
        "--rate", "10000", "--with", new.address, "--state", str(files / "state"), "--report",
        str(files / "report"), *options]  # fmt: skip


def run(*arguments):
    return subprocess.run(
        command(*arguments), capture_output=True, text=True, timeout=120, check=False)


def told(files):
    return [json.loads(line)["user"] for line in (files / "report").read_text().splitlines()]


def failing_at(part):
    """A fault of the answer for one part of the users."""
    asked = []

    def fault(name, _):
        asked.extend([1] if name == CHECK else [])
        return 70009 if name == CHECK and len(asked) == part else None

    return fault


def test_a_comparison_that_ends_early_goes_on_with_its_counts(files):
    with FakeTIM(people("one")) as old, FakeTIM(people("two"), failing_at(3)) as new:
        first = run(files, old, new)
        assert first.returncode == 2 and "70009" in first.stderr, first.stderr
        assert "the same command goes on" in first.stderr
        state = json.loads((files / "state").read_text())
        assert (state["users"], state["differences"]) == (200, 2)
        assert state["kinds"] == {"profile nick differs": 2}
        # A line of the part that was under way is not told twice.
        with (files / "report").open("a") as report:
            report.write('{"user":"u207"}\n{"us')
        other = run(files, old, new, "--sample", "9")
        assert other.returncode == 1 and "of other users or options" in other.stderr
        old.asked.clear()
        again = run(files, old, new)
    assert again.returncode == 5, again.stderr
    assert "goes on after 200 of 250 users" in again.stderr
    assert sorted(old.asked["sns/friend_get"]) == list(old.users)[200:]
    assert "compare: 250 users, 13 differences" in again.stdout
    assert "differs: 13 × profile nick differs" in again.stderr
    assert told(files) == ["u007", "u107", "u207", *(f"u{each}" for each in range(240, 250))]
    assert not (files / "state").exists()


def test_ctrl_c_keeps_the_place(files):
    waits, goes = threading.Event(), threading.Event()
    asked = []

    def fault(name, _):
        asked.extend([1] if name == CHECK else [])
        if len(asked) == 3 and not waits.is_set():
            waits.set()
            goes.wait(60)

    with FakeTIM(people("one")) as old, FakeTIM(people("two"), fault) as new:
        # A shell that runs the tests in the background lets them ignore the signal.
        with subprocess.Popen(
            ["env", "--default-signal=INT", *command(files, old, new)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        ) as first:  # fmt: skip
            assert waits.wait(60)
            first.send_signal(signal.SIGINT)
            assert first.wait(60) != 0
        goes.set()
        assert json.loads((files / "state").read_text())["users"] == 200
        again = run(files, old, new)
    assert "goes on after 200 of 250 users" in again.stderr, again.stderr
    assert "compare: 250 users, 13 differences" in again.stdout
    assert len(told(files)) == 13


@pytest.mark.parametrize("text", ["x", "{}", '{"identity":"a","users":-1}', "[1]", ""])
def test_a_file_that_is_no_state_is_left_alone(files, text):
    (files / "state").write_text(text + "\n")
    with FakeTIM(people("one")) as old, FakeTIM(people("one")) as new:
        done = run(files, old, new)
    assert done.returncode == 1 and "is not a state of a comparison" in done.stderr, done.stderr
    assert (files / "state").read_text() == text + "\n"


def test_a_report_that_is_not_the_one_that_was_begun_is_left_alone(files):
    with FakeTIM(people("one")) as old, FakeTIM(people("two"), failing_at(3)) as new:
        assert run(files, old, new).returncode == 2
        (files / "report").write_text("other\n")
        done = run(files, old, new)
    assert done.returncode == 1 and "is not the report that was begun" in done.stderr, done.stderr
    assert (files / "report").read_text() == "other\n"


def test_equal_systems_leave_no_state(files):
    with FakeTIM(people("one")) as old, FakeTIM(people("one")) as new:
        done = run(files, old, new)
    assert done.returncode == 0, done.stderr
    assert "compare: 250 users, 0 differences" in done.stdout
    assert not (files / "state").exists()


@pytest.mark.parametrize("word, differences, status", [("one", 0, 0), ("two", 13, 5)])
def test_the_result_of_a_comparison_is_data_too(files, word, differences, status):
    with FakeTIM(people("one")) as old, FakeTIM(people(word)) as new:
        done = run(files, old, new, "--output", "json")
    assert done.returncode == status, done.stderr
    assert json.loads(done.stdout) == {
        "users": 250, "differences": differences, "uncompared": 0}


# What could not be compared


def related():
    users = people("one")
    users["u007"] |= {"friends": {"u008": {}}, "groups": ["work"], "blacklist": {"u009": 1600000000}}
    return users


def refusing(name, code=30003):
    return lambda command, _: code if command == name else None


@pytest.mark.parametrize(("command", "kind"), [
    ("sns/friend_get", "friend"), ("sns/group_get", "group"), ("sns/black_list_get", "blacklist"),
])  # fmt: skip
@pytest.mark.parametrize("side", ["there", "here"])
def test_a_list_that_is_not_told_is_not_equal(files, command, kind, side):
    faults = {"there": lambda *_: None, "here": lambda *_: None, side: refusing(command)}
    (files / "accounts").write_text("u007\nu008\n")
    with FakeTIM(related(), faults["there"]) as old, FakeTIM(related(), faults["here"]) as new:
        done = run(files, old, new)
    assert done.returncode == 5, done.stderr
    assert "0 users, 0 differences, and 2 users that could not be compared" in done.stdout
    lines = [json.loads(line) for line in (files / "report").read_text().splitlines()]
    assert lines == [
        {"user": each, "kind": kind,
         "rule": f"could not be compared: was not returned by TIM: 30003, {side}"}
        for each in ("u007", "u008")]  # fmt: skip


def test_a_profile_that_is_not_told_is_not_equal(files):
    users = people("one")
    users["u007"]["gone"] = True
    with FakeTIM(users) as old, FakeTIM(people("one")) as new:
        done = run(files, old, new)
    assert done.returncode == 5, done.stderr
    assert "249 users, 0 differences, and 1 users that could not be compared" in done.stdout


def test_users_that_neither_system_has_could_not_be_compared(files):
    (files / "accounts").write_text("one\ntwo\nu007\n")
    users, more = people("one"), people("one")
    more["two"] = user()
    with FakeTIM(users) as old, FakeTIM(users) as new:
        done = run(files, old, new)
        assert done.returncode == 5, done.stderr
        assert "1 users, 0 differences, and 2 users that could not be compared" in done.stdout
        assert [line["rule"] for line in map(json.loads, (files / "report").open())] == [
            "could not be compared: is not an account of the app, neither"] * 2  # fmt: skip
    # A user that one of them has is a difference.
    with FakeTIM(users) as old, FakeTIM(more) as new:
        done = run(files, old, new)
    assert "2 users, 1 differences, and 1 users that could not be compared" in done.stdout


def test_what_could_not_be_compared_is_counted_over_both_tries(files):
    users = people("one")
    for each in ("u003", "u203"):
        users[each]["gone"] = True
    with FakeTIM(users) as old, FakeTIM(people("one"), failing_at(3)) as new:
        assert run(files, old, new).returncode == 2
        state = json.loads((files / "state").read_text())
        assert (state["users"], state["differences"], state["uncompared"]) == (200, 0, 1)
        done = run(files, old, new)
    assert done.returncode == 5, done.stderr
    assert "248 users, 0 differences, and 2 users that could not be compared" in done.stdout
