"""`relationctl proxy tim` answers from TIM, asks this service the same, and tells what differs:
stand-ins for TIM are both systems."""

import contextlib
import http.client
import json
import re
import select
import socket
import subprocess
import threading
import time

import pytest
from fake_tim import APP, FakeTIM, user
from relationd import executable

NICK = "Tag_Profile_IM_Nick"
SIGNATURE = "eJwsSECRET"
FRIENDS = {"From_Account": "ann", "StartIndex": 0, "StandardSequence": 0, "CustomSequence": 0}
COUNTS = re.compile(
    r"proxy: (\d+) requests, (\d+) without an answer of TIM; (\d+) compared, (\d+) differ, "
    r"(\d+) not asked here, (\d+) without an answer here, (\d+) writes that TIM refused")


class TIM(FakeTIM):
    """A stand-in that takes a write too."""

    def friend_delete_all(self, request):
        self.users[request["From_Account"]]["friends"] = {}
        return {}


def world(**friends):
    """Ann with friends, each with its tags."""
    return {"ann": user(friends=friends), "bob": user(profile={NICK: "Bob"})}


class Proxy:
    def __init__(self, process, port):
        self.process = process
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)

    def ask(self, command, body, method="POST"):
        target = f"/v4/{command}?sdkappid={APP}&usersig={SIGNATURE}&contenttype=json"
        text = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.connection.request(method, target, text)
        reply = self.connection.getresponse()
        return reply.status, reply.read()

    def counts(self, least=0, **wanted):
        """The counts that are told once they are these, of so many requests, and the lines until
        then."""
        names = ("requests", "unanswered", "compared", "different", "unasked", "silent", "refused")
        lines = []
        for line in self.process.stderr:
            lines.append(line)
            if told := COUNTS.match(line):
                found = dict(zip(names, map(int, told.groups()), strict=True))
                if found["requests"] >= least and all(
                        found[name] == count for name, count in wanted.items()):
                    return found, lines
        raise AssertionError("".join(lines))


@contextlib.contextmanager
def proxied(old, new, *options, seconds=120):
    with subprocess.Popen(
        [executable("relationctl"), "proxy", "tim", "--host", getattr(old, "address", old),
         "--with", getattr(new, "address", new), "--listen", "127.0.0.1:0", "--every", "1",
         *map(str, options)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        # A test that waits in vain ends.
        watch = threading.Timer(seconds, process.kill)
        watch.start()
        try:
            port = int(process.stdout.readline().rpartition(":")[2])
            yield Proxy(process, port)
        finally:
            watch.cancel()
            process.kill()


@contextlib.contextmanager
def both(there, here, *options, fault=lambda *_: None, page=2):
    """A proxy between two systems, with these."""
    with (
        TIM(there, page=page) as old, TIM(here, fault, page) as new,
        proxied(old, new, *options) as proxy,
    ):  # fmt: skip
        yield proxy, old, new


def test_answers_come_from_the_old_system_and_differences_are_told(tmp_path):
    report = tmp_path / "report"
    there = world(bob={"Tag_SNS_IM_Remark": "Bobby", "Tag_SNS_IM_AddTime": 1500000000}, eve={})
    here = world(bob={"Tag_SNS_IM_Remark": "Rob", "Tag_SNS_IM_AddTime": 1500000020}, zoe={})
    with both(there, here, "--report", report, page=9) as (proxy, _, new):
        new.sequence = 99
        status, text = proxy.ask("sns/friend_get", FRIENDS)
        assert status == 200
        rows = json.loads(text)["UserDataItem"]
        assert [row["To_Account"] for row in rows] == ["bob", "eve"]
        portrait = {"To_Account": ["bob"], "TagList": [NICK]}
        assert proxy.ask("profile/portrait_get", portrait)[0] == 200
        found, lines = proxy.counts(compared=2)
    assert (found["requests"], found["different"], found["unasked"]) == (2, 1, 0)
    told = [json.loads(line) for line in report.read_text().splitlines()]
    assert [(line["user"], line["kind"], line.get("other"), line["field"], line["rule"])
            for line in told] == [
        ("ann", "sns/friend_get", "bob", "Tag_SNS_IM_Remark", "differs: Bobby there, Rob here"),
        ("ann", "sns/friend_get", "eve", "UserDataItem", "is not here"),
        ("ann", "sns/friend_get", "zoe", "UserDataItem", "is here, and not at the other system"),
    ]  # fmt: skip
    assert SIGNATURE not in report.read_text() + "".join(lines)


def test_codes_are_compared_and_parts_of_lists_are_not(tmp_path):
    report, faults = tmp_path / "report", []
    there, here = world(bob={}, eve={}), world(bob={}, zoe={})
    with both(
        there, here, "--report", report, page=1, fault=lambda *_: faults.pop() if faults else None,
    ) as (proxy, *_):  # fmt: skip
        assert proxy.ask("sns/friend_get", FRIENDS)[0] == 200
        proxy.counts(compared=1, different=0)
        faults.append(30003)
        assert proxy.ask("sns/friend_get", FRIENDS)[0] == 200
        proxy.counts(compared=2, different=1)
    [line] = map(json.loads, report.read_text().splitlines())
    assert (line["field"], line["rule"]) == ("ErrorCode", "differs: 0 there, 30003 here")


@pytest.mark.parametrize("fault", ["drop", "gateway"])
def test_a_new_system_that_gives_no_answer_is_counted(fault):
    with both(world(bob={}), world(bob={}), fault=lambda *_: fault) as (proxy, *_):
        assert proxy.ask("sns/friend_get", FRIENDS)[0] == 200
        proxy.counts(requests=1, silent=1, compared=0)


def test_a_new_system_that_hangs_delays_no_answer_and_what_waits_is_bounded():
    goes = threading.Event()

    def hang(*_):
        goes.wait(60)

    try:
        with both(world(bob={}), world(bob={}), fault=hang) as (proxy, *_):
            for _ in range(600):
                assert proxy.ask("sns/friend_get", FRIENDS)[0] == 200
            # One is asked at a time, and 512 wait behind it.
            found, _ = proxy.counts(requests=600, unanswered=0)
            assert found["unasked"] >= 600 - 513 - found["silent"] > 0
    finally:
        goes.set()


class Frozen:
    """A fault: the system takes requests, and answers none until it thaws."""

    def __init__(self):
        self.thaws = threading.Event()

    def __call__(self, *_):
        self.thaws.wait(120)


@contextlib.contextmanager
def frozen(*options):
    """A proxy before an old system that is frozen."""
    fault = Frozen()
    with TIM(world(bob={}), fault) as old, TIM(world(bob={})) as new:
        try:
            with proxied(old, new, *options) as proxy:
                yield proxy, old, new, fault.thaws
        finally:
            fault.thaws.set()


def test_an_old_system_that_freezes_is_waited_for_so_long_and_then_goes_on():
    with frozen("--answer-within", "1") as (proxy, _, new, thaws):
        begin = time.monotonic()
        assert proxy.ask("sns/friend_get", FRIENDS) == (502, b"")
        assert 1 <= time.monotonic() - begin < 20
        # The connection of the back end goes on.
        assert proxy.ask("sns/friend_get", FRIENDS) == (502, b"")
        proxy.counts(requests=2, unanswered=2, compared=0, silent=0)
        assert not new.calls
        thaws.set()
        assert proxy.ask("sns/friend_get", FRIENDS)[0] == 200
        proxy.counts(requests=3, unanswered=2, compared=1, different=0)


def test_requests_that_a_back_end_gives_up_do_not_pile_up_before_a_frozen_system():
    """A back end with a shorter patience asks again and again; what is under way is bounded."""
    body = json.dumps(FRIENDS).encode()
    head = (
        f"POST /v4/sns/friend_get?sdkappid={APP}&usersig={SIGNATURE}&contenttype=json HTTP/1.1\r\n"
        f"host: tim\r\ncontent-length: {len(body)}\r\n\r\n").encode()
    with frozen("--answer-within", "60") as (proxy, old, new, thaws):
        for _ in range(600):
            with socket.create_connection(("127.0.0.1", proxy.connection.port)) as connection:
                with contextlib.suppress(ConnectionError):
                    connection.sendall(head + body)
        end = time.monotonic() + 50
        while sum(old.calls.values()) < 512 and time.monotonic() < end:
            time.sleep(0.05)
        assert sum(old.calls.values()) == 512 and not new.calls
        thaws.set()
        # Connections that waited to be accepted may be taken now, so more than these are answered.
        proxy.counts(least=512, unanswered=0)
        end = time.monotonic() + 50
        while proxy.ask("sns/friend_get", FRIENDS)[0] != 200:
            assert time.monotonic() < end, "the proxy does not go on"
            time.sleep(0.05)


def test_so_many_connections_to_the_old_system_are_kept():
    """Of 70 that answer at one time 64 are kept, so another 70 need six new ones."""
    target = f"/v4/sns/friend_get?sdkappid={APP}&usersig={SIGNATURE}&contenttype=json"
    body = json.dumps(FRIENDS).encode()
    with frozen("--answer-within", "60") as (proxy, old, _, thaws):
        for count in (70, 140):
            thaws.clear()
            with contextlib.ExitStack() as stack:
                streams = []
                for _ in range(70):
                    stream = http.client.HTTPConnection("127.0.0.1", proxy.connection.port)
                    streams.append(stack.enter_context(contextlib.closing(stream)))
                    stream.request("POST", target, body)
                end = time.monotonic() + 30
                while sum(old.calls.values()) < count and time.monotonic() < end:
                    time.sleep(0.01)
                assert sum(old.calls.values()) == count
                thaws.set()
                assert {stream.getresponse().status for stream in streams} == {200}
        assert old.connections == 76


@pytest.mark.parametrize("seconds", [0, 61])
def test_how_long_an_answer_may_take_is_bounded(seconds):
    done = subprocess.run(
        [executable("relationctl"), "proxy", "tim", "--with", "http://127.0.0.1:1",
         "--answer-within", str(seconds)],
        capture_output=True, text=True, timeout=60, check=False)  # fmt: skip
    assert done.returncode == 64 and "--answer-within takes 1 to 60" in done.stderr


def test_without_the_old_system_there_is_no_answer():
    with TIM(world(bob={})) as new, proxied("http://127.0.0.1:1", new) as proxy:
        assert proxy.ask("sns/friend_get", FRIENDS) == (502, b"")
        proxy.counts(requests=1, unanswered=1)
        assert not new.calls


@pytest.mark.parametrize(
    ("options", "compared", "left"), [((), 2, {}), (("--reads-only",), 1, {"bob": {}})])
def test_writes_are_made_at_both_unless_only_reads_are_asked(options, compared, left):
    with both(world(bob={}), world(bob={}), *options) as (proxy, old, new):
        assert proxy.ask("sns/friend_delete_all", {"From_Account": "ann"})[0] == 200
        assert proxy.ask("sns/friend_get", FRIENDS)[0] == 200
        proxy.counts(requests=2, compared=compared)
        assert old.users["ann"]["friends"] == {}
        assert new.users["ann"]["friends"] == left


@pytest.mark.parametrize("fault", [60007, 30006, "garbage", "gateway"])
def test_a_write_that_the_old_system_refuses_is_not_made_in_the_new_one(fault):
    faults = [fault]
    with (
        TIM(world(bob={}), lambda *_: faults.pop() if faults else None) as old,
        TIM(world(bob={})) as new, proxied(old, new) as proxy,
    ):  # fmt: skip
        proxy.ask("sns/friend_delete_all", {"From_Account": "ann"})
        # A read is asked whatever the code is, since codes are compared.
        faults.append(30003)
        assert proxy.ask("sns/friend_get", FRIENDS)[0] == 200
        refused = 0 if fault == "gateway" else 1
        proxy.counts(requests=2, compared=1, different=1, unasked=0, refused=refused)
        assert new.users["ann"]["friends"] == {"bob": {}}
        assert not new.calls["sns/friend_delete_all"]


def test_other_methods_and_long_bodies_are_refused():
    with both(world(bob={}), world(bob={})) as (proxy, old, _):
        assert proxy.ask("sns/friend_get", b"", "GET")[0] == 405
        assert proxy.ask("sns/friend_get", b" " * (1 << 20) + b"{}")[0] == 413
        assert proxy.ask("sns/friend_get", FRIENDS)[0] == 200
        assert old.calls["sns/friend_get"] == 1


def test_connections_are_bounded():
    with both(world(bob={}), world(bob={})) as (proxy, *_), contextlib.ExitStack() as stack:
        assert proxy.ask("sns/friend_get", FRIENDS)[0] == 200
        address = ("127.0.0.1", proxy.connection.port)
        poll = select.poll()
        for _ in range(512):
            poll.register(stack.enter_context(socket.create_connection(address)), select.POLLIN)
        # With that of the client they are one too many, and one of them is closed.
        assert len(poll.poll(30_000)) == 1
        assert proxy.ask("sns/friend_get", FRIENDS)[0] == 200


def test_an_address_that_is_none_is_misuse():
    done = subprocess.run(
        [executable("relationctl"), "proxy", "tim", "--with", "http://127.0.0.1:1", "--listen",
         "a b"],
        capture_output=True, text=True, timeout=60, check=False)  # fmt: skip
    assert done.returncode == 64, done.stderr
