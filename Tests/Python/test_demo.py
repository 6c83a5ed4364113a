"""`relationd demo`: a server for a first look and for the tests of a client. The helper in Python
of `Examples/Testing` starts it."""

import errno
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

import grpc
import pytest
from refusals import Refusal
from relationd import ROOT, Relationd, executable
from stubs import Relation
from watching import Watching

sys.path.insert(0, str(ROOT / "Examples" / "Testing" / "Python"))
from relation_demo import RelationDemo  # noqa: E402

LIST = "/relation.v1.FriendService/ListFriends"
DAY_MS = 86_400_000


@pytest.fixture(autouse=True)
def program(monkeypatch, tmp_path):
    """The program that the helper starts; what it keeps for a while is in a folder of the test."""
    monkeypatch.setenv("RELATIOND", executable("relationd"))
    monkeypatch.setenv("TMPDIR", str(tmp_path))


@pytest.fixture(scope="module")
def shared():
    os.environ.setdefault("RELATIOND", executable("relationd"))
    with RelationDemo() as demo:
        yield demo


@pytest.fixture
def app(shared):
    return shared.new_app()


def refused(*arguments):
    """What a demo says that ends before it serves."""
    done = subprocess.run(
        [executable("relationd"), "demo", "--port", "0", *map(str, arguments)],
        capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode > 0 and "listening" not in done.stdout, done
    return done.stderr


def friends(demo, user, app=None):
    answer = demo.call("FriendService/ListFriends", {"userId": user}, app)
    return sorted(friend["userId"] for friend in answer.get("friends", []))


def raw(stubs, address, path, request, *metadata, **options):
    """A call that the record of answers does not see, since its faults are none of the contract."""
    method = stubs.method(path)[1]
    answer = stubs.message(method.output_type.name)
    with grpc.insecure_channel(address) as channel:
        call = channel.unary_unary(
            path, request_serializer=lambda message: message.SerializeToString(),
            response_deserializer=answer.FromString)
        return call(stubs.request(path, request), metadata=metadata, timeout=30, **options)


def fault(stubs, demo, text, path=LIST, request=None):
    """How a call of a demo fails that asks for a fault."""
    with pytest.raises(grpc.RpcError) as raised:
        raw(stubs, demo.address, path, request or {"user_id": "ann"}, ("x-demo-fault", text))
    return Refusal(raised.value)


# Its life


def test_it_tells_where_it_is_and_ends_without_a_trace(tmp_path):
    """The folder is in memory where that has room, and in the one for temporary files otherwise."""
    def folders():
        memory = pathlib.Path("/dev/shm")
        return {*tmp_path.glob("relationd-demo-*"), *memory.glob("relationd-demo-*")}

    before = folders()
    process = subprocess.Popen(
        [executable("relationd"), "demo", "--memory", "--port", "0"], stdout=subprocess.PIPE,
        text=True)
    lines = []
    for line in process.stdout:
        lines.append(line.rstrip())
        if lines[-1] == "ready":
            break
    assert re.fullmatch(r"listening on 127\.0\.0\.1:\d+", lines[0])
    assert re.fullmatch(r"metrics on http://127\.0\.0\.1:\d+/metrics", lines[1])
    assert "nothing is kept" in lines and not any(line.startswith("key") for line in lines)
    made = folders() - before
    assert len(made) >= 1
    # The call that it gives to try is one.
    (call,) = [line.removeprefix("try: ") for line in lines if line.startswith("try: ")]
    answer = subprocess.run(["sh", "-c", call], capture_output=True, text=True, check=True)
    assert json.loads(answer.stdout)["friends"]
    process.terminate()
    assert process.wait(30) == 0
    process.stdout.close()
    # Other tests may have demos of their own.
    assert any(not folder.exists() for folder in made)


def test_an_empty_one_starts_soon():
    """The bound is for a machine with other work; alone it is a tenth of a second."""
    times = []
    for _ in range(3):
        begin = time.monotonic()
        with RelationDemo("--empty"):
            times.append(time.monotonic() - begin)
    print(f"starts took {[round(1000 * taken) for taken in times]} ms")
    assert min(times) < 2


def test_a_variable_or_a_file_of_settings_changes_nothing(tmp_path, monkeypatch):
    file = tmp_path / "relationd.yaml"
    file.write_text(f"data: {tmp_path / 'other'}\n")
    monkeypatch.setenv("RELATIOND_CONFIG", str(file))
    monkeypatch.setenv("RELATIOND_STORE", "postgresql://127.0.0.1:1/none")
    with RelationDemo():
        assert not (tmp_path / "other").exists()


def test_the_sample_has_nicknames_and_portraits():
    with RelationDemo("--sample") as demo:
        answer = demo.call(
            "FriendService/ListFriends", {"userId": "alice", "withProfiles": True})
        (bob,) = [friend for friend in answer["friends"] if friend["userId"] == "bob"]
        assert bob["remark"] == "Bobby" and bob["groups"]
        profiles = demo.call(
            "ProfileService/GetProfiles", {"userId": "alice", "userIds": ["bob", "yuki"]})
        text = json.dumps(profiles)
        assert '"Bob"' in text and "data:image/svg+xml" in text
        assert "wanda" in json.dumps(
            demo.call("BlacklistService/ListBlacklist", {"userId": "bob"}))


def test_a_folder_is_kept_for_another_time(tmp_path):
    folder = tmp_path / "kept"
    with RelationDemo("--data", str(folder), "--empty", "--app", "chat") as demo:
        (number,) = demo.apps.values()
        demo.call(
            "AppService/UpdateApp", {"settings": {"makesAccountsImplicitly": True}}, number)
        demo.call(
            "FriendService/AddFriends",
            {"userId": "ann", "items": [{"userId": "bob", "source": "Web"}]}, number)
    with RelationDemo("--data", str(folder)) as demo:
        assert friends(demo, "ann", number) == ["bob"]
    assert "is there already" in refused("--data", folder, "--sample")


@pytest.mark.parametrize("arguments, words", [
    (["--memory", "--data", "x"], "--memory and --data exclude each other"),
    (["--empty", "--sample"], "--empty, --sample and --fixture exclude each other"),
    (["--app", ""], "--app takes a name of 1 to 64 bytes"),
    (["--app", "x" * 65], "--app takes a name of 1 to 64 bytes"),
    (["--app", "x", "--app", "x"], "--app takes a name once"),
    ([part for name in range(101) for part in ("--app", str(name))], "at most 100 times"),
    (["--app", "a\nb"], "--app takes a name without hidden characters"),
    (["--app", "a\u202eb"], "--app takes a name without hidden characters"),
    (["--address", "not an address"], "--address takes a host without a port"),
    (["--address", "127.0.0.1:7460"], "--address takes a host without a port"),
    (["--address", ""], "--address takes a host without a port"),
    (["--address", "192.0.2.1"], "cannot listen on 192.0.2.1:"),
    (["--fixture", "/nowhere/fixture.json"], "/nowhere/fixture.json"),
    (["--fixture", ""], "--fixture takes the path of a file"),
    (["--data", ""], "--data takes the path of a file or folder"),
])
def test_a_wrong_flag_is_refused(arguments, words):
    assert words in refused(*arguments)


#: The reserve of a store, and the room for a demo's rows.
NEEDED = 1_684_432_486 + (64 << 20)


def in_little_room(folder, memory, temporary):
    """What a demo says, and where it was, with that many bytes in memory and for temporary files."""
    script = f"""mount -t tmpfs -o size={memory} tmpfs /dev/shm || exit 77
        mount -t tmpfs -o size={temporary} tmpfs {folder} || exit 77
        {executable('relationd')} demo --empty --port 0 > {folder}/said &
        until grep -q ready {folder}/said || ! kill -0 $!; do read -r -t 0.01 < /dev/zero; done
        ls -d /dev/shm/relationd-demo-* {folder}/relationd-demo-* 2> {folder}/none
        kill $! && wait $!"""
    done = subprocess.run(
        ["unshare", "-m", "bash", "-c", script], capture_output=True, text=True, timeout=60,
        env={**os.environ, "TMPDIR": str(folder)}, check=False)
    if done.returncode == 77 or "unshare" in done.stderr:
        pytest.skip(f"this machine allows no mount: {done.stderr}")
    return done


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a small disk")
def test_its_folder_is_where_a_store_has_room(tmp_path):
    # A page more is enough for the folder of the mount itself.
    enough = NEEDED + 64 * 1024
    done = in_little_room(tmp_path, enough, "1m")
    assert done.returncode == 0 and done.stdout.startswith("/dev/shm/relationd-demo-"), done
    done = in_little_room(tmp_path, NEEDED - 4096, enough)
    assert done.returncode == 0 and done.stdout.startswith(f"{tmp_path}/relationd-demo-"), done
    done = in_little_room(tmp_path, "64m", NEEDED - 4096)
    assert done.returncode > 0 and done.stdout == "", done
    assert f"{tmp_path} has " in done.stderr
    assert f"a demo needs {NEEDED}: TMPDIR names another folder" in done.stderr


@pytest.mark.parametrize("port", ["abc", "65536", "-1", "+7", "7450 ", "unix:/tmp/x"])
def test_a_wrong_port_is_refused_by_its_own_option(port):
    done = subprocess.run(
        [executable("relationd"), "demo", f"--port={port}"], capture_output=True, text=True,
        timeout=60, check=False)
    assert done.returncode > 0 and done.stdout == ""
    assert "--port takes a number from 0 to 65535" in done.stderr
    assert "--listen" not in done.stderr


def test_a_port_without_a_number_is_refused_by_its_own_option():
    done = subprocess.run(
        [executable("relationd"), "demo", "--port="], capture_output=True, text=True, timeout=60,
        check=False)
    assert done.returncode > 0 and done.stdout == ""
    assert "Missing value for '--port <port>'" in done.stderr and "--listen" not in done.stderr


def begun(*arguments, contents=("--empty",)):
    """The lines of a demo up to the last one before it serves, and what it says of its start."""
    process = subprocess.Popen(
        [executable("relationd"), "demo", *contents, *arguments], stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True)
    try:
        lines = []
        for line in process.stdout:
            lines.append(line.rstrip("\n"))
            if lines[-1] == "ready":
                break
    finally:
        process.terminate()
        _, said = process.communicate(timeout=60)
    return lines, said


@pytest.fixture
def taken():
    """Takes ports of all addresses, if they are not taken already."""
    held = []

    def take(port):
        listener = socket.socket()
        held.append(listener)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(("0.0.0.0", port))
            listener.listen()
        except OSError as error:
            assert error.errno == errno.EADDRINUSE, error

    yield take
    for listener in held:
        listener.close()


@pytest.mark.parametrize("arguments", [
    [], ["--address", "127.0.0.1"], ["--address", "0.0.0.0"]])
def test_the_usual_ports_are_asked_for_by_no_one(taken, arguments):
    taken(7450)
    taken(7451)
    lines, said = begun(*arguments)
    assert lines[-1:] == ["ready"], said
    assert not re.search(r":745[01]$", lines[0]) and ":7451/" not in lines[1], lines
    assert "7450 is taken" in said and "--port" in said and "7451 is taken" in said
    assert "--listen" not in said and "--metrics-listen" not in said


def test_a_port_that_is_asked_for_is_not_another_one(taken):
    with socket.create_server(("0.0.0.0", 0)) as listener:
        port = listener.getsockname()[1]
        for more in ([], ["--address", "0.0.0.0"]):
            lines, said = begun("--port", str(port), *more)
            assert lines == [] and f":{port}: Address already in use" in said
            assert "--listen" not in said and "--metrics-listen" not in said
    taken(7451)
    for more in ([], ["--address", "0.0.0.0"]):
        lines, said = begun("--port", str(port), *more)
        assert lines[-1:] == ["ready"] and lines[0].endswith(f":{port}"), said
        assert "7451 is taken" in said and "--metrics-listen" not in said


def test_a_demo_with_the_port_of_the_metrics_has_them_elsewhere():
    lines, said = begun("--port", "7451")
    if "Address already in use" not in said:
        assert lines[0].endswith(":7451") and lines[-1] == "ready", said
        assert ":7451/" not in lines[1]


def test_the_name_of_an_app_stays_on_its_line(tmp_path):
    name = "a\nready\u202e"
    fixture = written(tmp_path, {"apps": [{"name": name, "users": []}]})
    lines, _ = begun("--port", "0", contents=("--fixture", fixture))
    assert any(line.startswith("app a\\nready\\u202e is ") for line in lines), lines


# What it begins with


FIXTURE = {
    "users": [{"user_id": "ann", "profile": {"nick": "Ann"}}],
    "apps": [
        {"name": "chat", "preset": "APP_PRESET_TIM", "users": [
            {"user_id": "bob", "profile": {"nick": "Bob", "allowType": "ALLOW_TYPE_DENY_ANY"},
             "friends": [{"user_id": "carl", "remark": "Carlo", "groups": ["work"]},
                         {"user_id": "dora", "one_way": True}],
             "groups": ["work", "empty"], "blacklist": ["emil"]},
            {"user_id": "carl"}, {"user_id": "dora"}, {"user_id": "emil"}]},
        {"name": "shop", "users": [{"user_id": "bob"}]}],
}


def written(folder, value):
    file = folder / "fixture.json"
    file.write_text(value if isinstance(value, str) else json.dumps(value))
    return str(file)


def test_a_fixture_is_what_it_begins_with(tmp_path):
    with RelationDemo("--fixture", written(tmp_path, FIXTURE), "--app", "other") as demo:
        assert list(demo.apps) == ["chat", "shop", "other"]
        chat = demo.apps["chat"]
        assert friends(demo, "bob", chat) == ["carl", "dora"]
        assert friends(demo, "carl", chat) == ["bob"] and friends(demo, "dora", chat) == []
        groups = demo.call("FriendGroupService/GetFriendGroups", {"userId": "bob"}, chat)
        assert {group["name"] for group in groups["results"]} == {"work", "empty"}
        blocked = demo.call("BlacklistService/ListBlacklist", {"userId": "bob"}, chat)
        assert "emil" in json.dumps(blocked)
        own = demo.call("ProfileService/GetSelfProfile", {"userId": "bob"}, chat)
        assert "ALLOW_TYPE_DENY_ANY" in json.dumps(own)
        # Each app has users of its own.
        assert friends(demo, "bob", demo.apps["shop"]) == []
        with pytest.raises(RuntimeError, match="USER_NOT_FOUND"):
            friends(demo, "bob", demo.apps["other"])
        assert friends(demo, "ann") == []


@pytest.mark.parametrize("value, words", [
    ("{", "fixture.json: line 1: "),
    ('{"users": [\n\n{"user_id": "a"},\n]}', "fixture.json: line 4: JSON, byte "),
    ('{"users": [{"user_id": "a"},\n{"user_id": 7}]}', "fixture.json: line 2: users[1].user_id: "),
    ({"users": [{"user_id": "a", "profile": {"nik": "A"}}]}, "users[0].profile"),
    ({"users": [{"user_id": "a"}, {"user_id": "a"}]}, "users[1].user_id: another user has it"),
    ({"apps": [{"name": "a", "users": [{"user_id": "b", "friends": [{"user_id": "c"}]}]}]},
     "apps[0].users[0].friends[0].user_id: the fixture has no such user"),
    # The rules of the server refuse these.
    ({"users": [{"user_id": "a"}, {"user_id": " b"}]}, "users[1].user_id: "),
    ({"users": [{"user_id": "a", "profile": {"nick": "n" * 501}}]}, "users[0].profile: "),
    ('{"users": [{"user_id": "a",\n"groups": ["%s"]}]}' % ("g" * 31), ": line 2: users[0].groups "),
    ({"users": [{"user_id": "a"}, {"user_id": "b", "friends": [
        {"user_id": "a", "remark": "r" * 97}]}]}, "users[1].friends[0]: "),
    ({"users": [{"user_id": "a", "groups": ["g" * 31]}]}, "users[0].groups"),
    ({"users": [{"user_id": "a", "blacklist": ["unknown"]}]}, "users[0].blacklist unknown"),
    ({"apps": [{"name": "a", "settings": {"limits": {"friends": -1}}}]},
     "apps[0].settings.limits.friends: "),
    ({"apps": [{"name": "a", "settings": {"limits": {"friends": 2**32 - 1}}}]}, "apps[0]: "),
])
def test_a_wrong_fixture_is_refused_by_its_field(tmp_path, value, words):
    assert words in refused("--fixture", written(tmp_path, value))


def test_the_refusal_of_a_fixture_has_the_name_of_its_code(tmp_path):
    said = refused("--fixture", written(tmp_path, {"users": [{"user_id": " b"}]}))
    assert "users[0].user_id: FRIEND_STATUS_" in said and ".invalid" not in said, said
    said = refused("--fixture", written(
        tmp_path, {"users": [{"user_id": "a", "profile": {"nick": "n" * 501}}]}))
    assert "users[0].profile: " in said and "ProfileViolation" not in said, said


def test_a_fixture_has_its_longest_file(tmp_path):
    longest = 4 << 20
    with RelationDemo("--fixture", written(tmp_path, "{}".ljust(longest))):
        pass
    said = refused("--fixture", written(tmp_path, "{}".ljust(longest + 1)))
    assert f"longer than {longest} bytes" in said


def test_apps_are_isolated(shared):
    one, other = shared.new_app("one"), shared.new_app("other")
    shared.call(
        "FriendService/AddFriends",
        {"userId": "ann", "items": [{"userId": "bob", "source": "Web"}]}, one)
    assert friends(shared, "ann", one) == ["bob"] and friends(shared, "ann", other) == []


# The clock


def test_the_clock_moves_what_rules_read():
    with RelationDemo() as demo:
        app = demo.new_app()
        wish = {"userId": "ann", "userIds": ["bob"], "expirySeconds": "3600",
                "subscribeType": "SUBSCRIBE_TYPE_ONLINE_STATUS"}
        demo.call(
            "FriendService/AddFriends",
            {"userId": "ann", "items": [{"userId": "bob", "source": "Web"}]}, app)
        assert demo.call("SubscriptionService/Subscribe", wish, app)["results"]
        listed = {"userId": "ann", "subscribeType": "SUBSCRIBE_TYPE_ONLINE_STATUS"}
        assert "bob" in json.dumps(
            demo.call("SubscriptionService/ListSubscriptions", listed, app))
        stopped = demo.set_clock(stopped=True)
        assert stopped["stopped"] and demo.now_ms() == stopped["now_ms"]
        demo.set_clock(advance_ms=3_600_000)
        assert demo.now_ms() == stopped["now_ms"] + 3_600_000
        demo.set_clock(stopped=False, advance_ms=1_000)
        assert "bob" not in json.dumps(
            demo.call("SubscriptionService/ListSubscriptions", listed, app))
        # A new row has the time of the clock.
        demo.set_clock(now_ms=demo.now_ms() + 400 * DAY_MS)
        now = demo.now_ms()
        demo.call(
            "FriendService/AddFriends",
            {"userId": "ann", "items": [{"userId": "carl", "source": "Web"}]}, app)
        rows = demo.call("FriendService/ListFriends", {"userId": "ann"}, app)["friends"]
        (carl,) = [row for row in rows if row["userId"] == "carl"]
        assert now <= int(carl["addTimeMs"]) <= demo.now_ms()


def test_heartbeats_go_by_the_clock(stubs):
    """An hour of them comes in a moment: one for each 25 seconds, and none while it stands."""
    with RelationDemo("--sample") as demo, grpc.insecure_channel(demo.address) as channel:
        demo.set_clock(stopped=True)
        relation = Relation(stubs, channel)
        with Watching(relation, user_id="alice", heartbeat_ms=25_000) as stream:
            stream.state()
            for _ in range(144):
                demo.set_clock(advance_ms=24_999)
                demo.set_clock(advance_ms=1)
                message = stream.next()
                assert message.resume_token and not message.HasField("event")
            # More than one was not sent: the next message is that of a change.
            demo.call("ProfileService/UpdateProfile", {
                "userId": "alice", "profile": {"nick": "after an hour"}, "updateMask": "nick"})
            assert "after an hour" in str(stream.next().event)


@pytest.mark.parametrize("change, words", [
    ({}, "is needed"),
    ({"advance_ms": -1}, "never goes back"),
    ({"now_ms": 1}, "never goes back"),
    ({"advance_ms": 36_525 * DAY_MS + 1}, "ahead"),
    ({"advance_ms": 1, "now_ms": 2}, "exclude each other"),
    ({"tomorrow": True}, "tomorrow"),
])
def test_a_wrong_change_of_the_clock_is_refused(shared, change, words):
    with pytest.raises(RuntimeError, match=words):
        shared.set_clock(**change)


# Faults


def test_a_call_gets_the_code_that_it_asks_for(stubs, shared):
    refusal = fault(
        stubs, shared,
        "code=RESOURCE_EXHAUSTED; reason=THROTTLED; message=slowly; retry-ms=1500")
    assert refusal.code == grpc.StatusCode.RESOURCE_EXHAUSTED
    assert (refusal.reason, refusal.message) == ("THROTTLED", "slowly")
    assert refusal.retry_seconds == 1.5
    assert fault(stubs, shared, "code=DATA_LOSS").code == grpc.StatusCode.DATA_LOSS


def test_a_call_is_held_up(shared, app):
    begin = time.monotonic()
    shared.call(
        "FriendService/AddFriends",
        {"userId": "ann", "items": [{"userId": "bob", "source": "Web"}]}, app,
        fault="delay-ms=300")
    assert time.monotonic() - begin >= 0.3
    assert friends(shared, "ann", app) == ["bob"]


def test_a_call_is_held_up_beyond_its_deadline(stubs, shared):
    with pytest.raises(grpc.RpcError) as raised:
        method = stubs.method(LIST)[1]
        with grpc.insecure_channel(shared.address) as channel:
            channel.unary_unary(
                LIST, request_serializer=lambda message: message.SerializeToString(),
                response_deserializer=stubs.message(method.output_type.name).FromString)(
                    stubs.request(LIST, {"user_id": "ann"}), timeout=0.2,
                    metadata=[("x-demo-fault", "delay-ms=60000")])
    assert raised.value.code() == grpc.StatusCode.DEADLINE_EXCEEDED


def test_a_connection_is_cut(stubs, shared, app):
    assert fault(stubs, shared, "cut").code == grpc.StatusCode.UNAVAILABLE
    with pytest.raises((urllib.error.URLError, ConnectionError)):
        shared.call("FriendService/ListFriends", {"userId": "ann"}, app, fault="cut")
    shared.call(
        "FriendService/AddFriends",
        {"userId": "ann", "items": [{"userId": "bob", "source": "Web"}]}, app)
    assert friends(shared, "ann", app) == ["bob"]


def test_a_token_is_stale(stubs, shared):
    refusal = fault(stubs, shared, "stale-token")
    assert refusal.code == grpc.StatusCode.INVALID_ARGUMENT
    assert (refusal.reason, refusal.fields) == ("INVALID_PAGE_TOKEN", ["page_token"])
    watch = "/relation.v1.ChangeService/Watch"
    answers = stubs.message(stubs.method(watch)[1].output_type.name)
    with grpc.insecure_channel(shared.address) as channel:
        stream = channel.unary_stream(
            watch, request_serializer=lambda message: message.SerializeToString(),
            response_deserializer=answers.FromString)(
                stubs.request(watch, {"user_id": "ann"}), timeout=30,
                metadata=[("x-demo-fault", "stale-token; delay-ms=50")])
        with pytest.raises(grpc.RpcError) as raised:
            next(stream)
    assert Refusal(raised.value).reason == "INVALID_RESUME_TOKEN"


def test_a_counted_fault_passes_in_the_end(shared, app):
    text = "code=UNAVAILABLE; reason=OVERLOADED; times=2; name=a retry"
    said = []
    for _ in range(3):
        try:
            said.append(shared.call(
                "AccountService/CheckAccounts", {"userIds": ["ann"]}, app, fault=text))
        except RuntimeError as error:
            said.append(str(error))
    assert ["OVERLOADED" in str(answer) for answer in said] == [True, True, False]


@pytest.mark.parametrize("text, words", [
    ("delay-ms=60001", "delay-ms takes 1 to 60000"),
    ("code=BROKEN", "code takes a code of gRPC"),
    ("nothing", "nothing takes a value"),
    ("cut; stale-token", "exclude each other"),
    ("x" * 1_025, "has at most 1024 bytes"),
])
def test_a_malformed_fault_is_an_error_of_its_own(stubs, shared, text, words):
    refusal = fault(stubs, shared, text)
    assert refusal.code == grpc.StatusCode.INVALID_ARGUMENT
    assert refusal.fields == ["x-demo-fault"] and words in refusal.message


def test_a_server_in_production_knows_nothing_of_this(stubs, tmp_path):
    with Relationd(tmp_path / "data") as server:
        with pytest.raises(grpc.RpcError) as raised:
            raw(stubs, server.address, LIST, {"user_id": "ann"},
                ("x-demo-fault", "code=DATA_LOSS"))
        assert Refusal(raised.value).reason == "USER_NOT_FOUND"
        for data in (None, b"{}"):
            with pytest.raises(urllib.error.HTTPError) as answered:
                urllib.request.urlopen(
                    urllib.request.Request(
                        f"{server.pages}/demo/clock", data,
                        {"content-type": "application/json"}), timeout=30)
            with answered.value as error:
                assert error.code in (404, 405)


# Beyond loopback


def test_beyond_loopback_it_asks_for_the_key_of_this_one_time(stubs):
    process = subprocess.Popen(
        [executable("relationd"), "demo", "--address", "0.0.0.0", "--port", "0", "--app", "chat"],
        stdout=subprocess.PIPE, text=True)
    lines = []
    for line in process.stdout:
        lines.append(line.rstrip())
        if lines[-1] == "ready":
            break
    try:
        address = lines[0].removeprefix("listening on ").replace("0.0.0.0", "127.0.0.1")
        (key,) = [line.split()[1] for line in lines if line.startswith("key ")]
        (clock,) = [line.split()[2] for line in lines if line.startswith("clock on ")]
        clock = clock.replace("0.0.0.0", "127.0.0.1")
        with pytest.raises(grpc.RpcError) as raised:
            raw(stubs, address, LIST, {"user_id": "alice"})
        assert raised.value.code() == grpc.StatusCode.UNAUTHENTICATED
        answer = raw(
            stubs, address, LIST, {"user_id": "alice"}, ("authorization", f"Bearer {key}"),
            ("x-app-id", "1"))
        assert answer.friends
        for header, status in ((None, 401), (f"Bearer {key}", 200)):
            headers = {"content-type": "application/json"}
            if header:
                headers["authorization"] = header
            request = urllib.request.Request(clock, b'{"advance_ms": 1}', headers)
            if status == 200:
                urllib.request.urlopen(request, timeout=30).close()
            else:
                with pytest.raises(urllib.error.HTTPError) as answered:
                    urllib.request.urlopen(request, timeout=30)
                with answered.value as error:
                    assert error.code == status
    finally:
        process.terminate()
        assert process.wait(30) == 0
        process.stdout.close()


# The helpers


def test_the_fixtures_for_pytest_are_good_tests(tmp_path):
    folder = tmp_path / "copied"
    shutil.copytree(
        ROOT / "Examples" / "Testing" / "Python", folder,
        ignore=shutil.ignore_patterns("__pycache__"))
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(folder)],
        capture_output=True, text=True, timeout=120, check=False, cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "3 passed" in done.stdout


def test_an_empty_demo_costs_little_to_start(tmp_path):
    """It is started for each test of a client: 80 ms of a processor, of which ten times as much is
    allowed here, and few megabytes, since its files reserve no room for rows that never come."""
    running = subprocess.Popen(
        [executable("relationd"), "demo", "--memory", "--empty", "--port", "0"],
        stdout=subprocess.PIPE, text=True)
    try:
        assert any(line.strip() == "ready" for line in running.stdout)
        process = pathlib.Path(f"/proc/{running.pid}")
        user, system = (process / "stat").read_text().rpartition(")")[2].split()[11:13]
        seconds = (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")
        links = {os.readlink(link) for link in (process / "fd").iterdir() if link.is_symlink()}
        [folder] = {re.match(r".*/relationd-demo-[^/]*", link)[0] for link in links
                    if "/relationd-demo-" in link}
        files = [path for path in pathlib.Path(folder).rglob("*") if path.is_file()]
        taken = sum(path.stat().st_blocks * 512 for path in files)
    finally:
        running.terminate()
        assert running.wait(timeout=60) == 0
    assert seconds < 0.8
    assert files and taken < 8 << 20
    assert not pathlib.Path(folder).exists()
