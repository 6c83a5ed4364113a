"""Spans of calls: what they say, which calls have some, and how they go to a collector."""

import json
import re
import time

import grpc
import pytest
from collector import PATIENCE, Collector, attributes
from credentials import Keys, init, sign
from people import People
from raw_peer import RawPeer
from relationd import ROOT, Relationd
from stubs import Relation
from test_configuration import await_reload, run
from test_metrics import settled
from test_version import DECLARED

TRACE = "0af7651916cd43dd8448eb211c80319c"
SPAN = "b7ad6b7169203331"
KEPT = f"00-{TRACE}-{SPAN}-01"
FRIENDS = "relation.v1.FriendService"


def exporting(start, collector, *more, **options):
    return start("data", "--trace-endpoint", collector.url, *more, **options)


def traced(stubs, channel, parent=KEPT, *more):
    """A client that sends a `traceparent`, and more fields."""
    relation = Relation(stubs, channel)
    relation.metadata = [*relation.metadata, ("traceparent", parent), *more]
    return relation


def outcomes(running, found):
    """How many spans went where, once `found` accepts it."""
    def counts(samples):
        return {
            outcome: samples[f'relation_trace_spans_total{{outcome="{outcome}"}}']
            for outcome in ("exported", "dropped", "failed")
        }

    return counts(settled(running, lambda samples: found(counts(samples)), PATIENCE))


# What spans say


def test_a_write_is_traced_through_all_its_parts(start, stubs, tmp_path):
    with Collector() as collector:
        running = exporting(
            start, collector, "--access-log", "all", "--log-format", "json", "--trace-service",
            "friends-of-ours")  # fmt: skip
        before = time.time_ns()
        with grpc.insecure_channel(running.address) as channel:
            ann, bob = People(Relation(stubs, channel))(2)
            relation = traced(stubs, channel, KEPT, ("tracestate", "a=1"), ("tracestate", "b@c=2"))
            relation(
                "AddFriends", user_id=ann, options={"request_id": "r1"},
                items=[{"user_id": bob}])  # fmt: skip
        (call,) = collector.await_calls(1)
        resource = attributes(collector.requests[0].resource_spans[0].resource)
        parts = collector.parts(call)
        assert running.stop() == 0
    assert call.name == f"{FRIENDS}/AddFriends" and call.kind == call.SPAN_KIND_SERVER
    assert (call.trace_id.hex(), call.parent_span_id.hex()) == (TRACE, SPAN)
    assert call.trace_state == "a=1,b@c=2" and call.flags == 0x301
    said = attributes(call)
    assert re.fullmatch(r"\d+", str(said.pop("network.peer.port")))
    assert said == {
        "rpc.system": "grpc", "rpc.service": FRIENDS, "rpc.method": "AddFriends",
        "rpc.grpc.status_code": 0, "network.peer.address": "127.0.0.1", "relation.app": 1,
        "relation.caller": "anyone", "relation.request_id": "r1",
    }  # fmt: skip
    assert list(parts) == ["admission", "queue", "rules", "commit"]
    moments = [call.start_time_unix_nano]
    for part in parts.values():
        assert part.kind == part.SPAN_KIND_INTERNAL
        moments += [part.start_time_unix_nano, part.end_time_unix_nano]
    moments.append(call.end_time_unix_nano)
    assert moments == sorted(moments), moments
    assert before < moments[0] and moments[-1] < time.time_ns()
    assert parts["rules"].end_time_unix_nano == parts["commit"].start_time_unix_nano
    assert resource["service.name"] == "friends-of-ours"
    version = DECLARED.search((ROOT / "Package.swift").read_text())[1]
    assert resource["service.version"] == version
    assert re.fullmatch(
        r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}",
        resource["service.instance.id"])  # fmt: skip
    lines = [json.loads(line) for line in running.log.splitlines()]
    (line,) = [line for line in lines if line.get("trace_id")]
    assert line["trace_id"] == TRACE and line["call"].endswith("AddFriends")


def test_the_trace_of_a_line_is_that_of_the_span_if_it_begins_here(start, stubs):
    with Collector() as collector:
        running = exporting(
            start, collector, "--trace-sample", "1", "--access-log", "all", "--log-format",
            "json")  # fmt: skip
        with grpc.insecure_channel(running.address) as channel:
            for _ in range(3):
                Relation(stubs, channel)("GetStats")
        assert running.stop() == 0
        spans = collector.await_calls(3)
    lines = [json.loads(line) for line in running.log.splitlines()]
    ids = [line["trace_id"] for line in lines if line["message"] == "call"]
    assert [span.trace_id.hex() for span in spans] == ids and len(set(ids)) == 3
    assert all(not span.parent_span_id and span.flags == 0x103 for span in spans)


def test_a_read_says_whether_it_left_its_loop(start, stubs):
    with Collector() as collector:
        running = exporting(start, collector, "--trace-sample", "1")
        with grpc.insecure_channel(running.address) as channel:
            people = People(Relation(stubs, channel))
            ann = people(1)[0]
            friends = people(300)
            people.import_friends([{"user_id": ann, "friend_user_id": user} for user in friends])
            # The first ones load the circle of the user.
            for _ in range(5):
                people.relation("CheckFriends", user_id=ann, user_ids=friends[:1])
            people.relation("SyncFriends", user_id=ann)
            people.relation("AddFriends", user_id=ann, items=[
                {"user_id": user, "remark": "x" * 60} for user in friends[:40]])
        assert running.stop() == 0
        calls = {call.name.split("/")[1]: call for call in collector.calls}
        parts = {name: collector.parts(call) for name, call in calls.items()}
    assert list(parts["CheckFriends"]) == ["admission"]
    assert list(parts["SyncFriends"]) == ["admission", "queue", "work"]
    # A long request is understood by a reader, before it waits for the committer.
    long = [s.name for s in collector.spans if s.parent_span_id == calls["AddFriends"].span_id]
    assert long[:6] == ["admission", "queue", "work", "queue", "rules", "commit"]


def test_a_failed_call_says_so(start, stubs):
    with Collector() as collector:
        running = exporting(start, collector, "--trace-sample", "1")
        with grpc.insecure_channel(running.address) as channel:
            with pytest.raises(grpc.RpcError):
                Relation(stubs, channel)("CheckFriends", user_id="ann", user_ids=[])
        (call,) = collector.await_calls(1)
    said = attributes(call)
    assert said["rpc.grpc.status_code"] == 3 and said["error.type"] == "INVALID_ARGUMENT"
    # It is the client's fault, so the span of the server has no error.
    assert call.status.code == call.status.STATUS_CODE_UNSET and not call.status.message


def test_a_stream_has_a_span_when_it_ends(start, stubs):
    with Collector() as collector:
        running = exporting(start, collector)
        with grpc.insecure_channel(running.address) as channel:
            relation = traced(stubs, channel)
            ann = People(Relation(stubs, channel))(1)[0]
            stream = relation.start("Watch")(
                stubs.request("Watch", {"user_ids": {"values": [ann]}}), metadata=relation.metadata)
            next(stream)
            assert not collector.calls
            stream.cancel()
            (call,) = collector.await_calls(1)
    assert call.name.endswith("/Watch") and call.trace_id.hex() == TRACE
    assert attributes(call)["rpc.grpc.status_code"] == 1


@pytest.mark.parametrize("named", [False, True])
def test_a_user_is_named_only_if_the_operator_wants_it(start, stubs, tmp_path, named):
    _, operator, _ = init(tmp_path / "data")
    more = ["--trace-users"] if named else []
    with Collector() as collector:
        running = exporting(start, collector, *more, insecure=False)
        with grpc.insecure_channel(running.address) as channel:
            keys = Keys(stubs, channel, operator)
            app = keys.app()
            keys.accounts(app, "user-ann", "user-bob")
            token = sign(app, keys.secret(app), "user-ann")
            relation = keys.with_signature(token)
            relation.metadata = [*relation.metadata, ("traceparent", KEPT)]
            relation("CheckFriends", user_id="user-ann", user_ids=["user-bob"])
        (call,) = collector.await_calls(1)
        sent = b"".join(request.SerializeToString() for request in collector.requests)
    said = attributes(call)
    assert said["relation.app"] == app
    assert said["relation.caller"] == ("user:user-ann" if named else "user")
    assert (b"user-ann" in sent) == named
    assert b"user-bob" not in sent and token.encode() not in sent


# Which calls have some


MALFORMED = [
    "", "00", f"ff-{TRACE}-{SPAN}-01", f"00-{TRACE.upper()}-{SPAN}-01", f"00-{TRACE}-{SPAN}-01-x",
    f"00-{'0' * 32}-{SPAN}-01", f"00-{TRACE}-{'0' * 16}-01", f"00-{TRACE}-{SPAN}-0g",
    f"00-{TRACE}-{SPAN}", f"00-{TRACE}{SPAN}-01", "x" * 1_000,
]  # fmt: skip


def test_the_caller_decides_and_a_malformed_word_is_none(start, stubs):
    with Collector() as collector:
        running = exporting(start, collector)
        with grpc.insecure_channel(running.address) as channel:
            Relation(stubs, channel)("GetStats")
            for text in [f"00-{TRACE}-{SPAN}-00", *MALFORMED]:
                traced(stubs, channel, text)("GetStats")
            # Of two words, neither is known to be right. Clients of gRPC send one.
            with RawPeer(running.port) as peer:
                fields = peer.request("/relation.v1.MaintenanceService/GetStats")
                assert peer.call(fields + 2 * [("traceparent", KEPT)]).code == "0"
            traced(stubs, channel, f"cc-{TRACE}-{SPAN}-01-future")("GetStats")
        assert running.stop() == 0
        (call,) = collector.calls
    assert call.trace_id.hex() == TRACE and call.flags == 0x301


def test_a_malformed_word_leads_to_a_trace_of_its_own(start, stubs):
    with Collector() as collector:
        running = exporting(start, collector, "--trace-sample", "parent:1")
        with grpc.insecure_channel(running.address) as channel:
            for text in MALFORMED:
                traced(stubs, channel, text, ("tracestate", "a=1"))("GetStats")
            traced(stubs, channel, f"00-{TRACE}-{SPAN}-00")("GetStats")
            traced(stubs, channel, KEPT, ("tracestate", "no list"))("GetStats")
        assert running.stop() == 0
        calls = collector.calls
    assert len(calls) == len(MALFORMED) + 1
    assert len({call.trace_id for call in calls}) == len(calls)
    assert all(not call.parent_span_id and not call.trace_state for call in calls[:-1])
    # A state that breaks a rule does not take its parent with it.
    assert calls[-1].trace_id.hex() == TRACE and calls[-1].trace_state == ""


def test_a_share_of_the_calls_is_traced_by_the_number_of_the_trace(start, stubs):
    with Collector() as collector:
        running = exporting(start, collector, "--trace-sample", "0.5")
        numbers = [f"{number:016x}" for number in range(2**48, 2**56, 2**50)]
        with grpc.insecure_channel(running.address) as channel:
            for number in numbers:
                traced(stubs, channel, f"00-{'a' * 16}{number}-{SPAN}-00")("GetStats")
        assert running.stop() == 0
        kept = [call.trace_id.hex()[16:] for call in collector.calls]
    assert kept == [number for number in numbers if int(number, 16) >= 2**55]


# How they go to the collector


def test_headers_of_a_file_reach_the_collector_and_stay_secret(start, stubs, tmp_path):
    path = tmp_path / "headers"
    path.write_text("# of our vendor\n\nx-api-key: hush-hush\r\n  x-team :  blue team \n")
    with Collector() as collector:
        running = exporting(
            start, collector, "--trace-sample", "1", "--trace-headers", path, "--log-level",
            "trace")  # fmt: skip
        with grpc.insecure_channel(running.address) as channel:
            Relation(stubs, channel)("GetStats")
            collector.await_calls(1)
            path.write_text("x-api-key: psst-psst\n")
            await_reload(running)
            Relation(stubs, channel)("GetStats")
            collector.await_calls(2)
        first, second = collector.metadata
    assert first["x-api-key"] == "hush-hush" and first["x-team"] == "blue team"
    assert second["x-api-key"] == "psst-psst" and "x-team" not in second
    assert first["user-agent"].startswith("OTel-OTLP-Exporter")
    assert "hush" not in running.log and "psst" not in running.log
    _, said, complained = run(
        "config", "show", "--data", tmp_path, "--trace-endpoint", collector.url,
        "--trace-headers", path)  # fmt: skip
    assert str(path) in said and "psst" not in said + complained


@pytest.mark.parametrize("text, words", [
    ("x-api-key hush", "line 1 .* has no colon"),
    ("a: 1\nX-Api-Key: hush", "line 2 .* lower case"),
    ("grpc-timeout: hush", "line 1"), ("x-bin: hush", "line 1"), ("x: hush\x07", "line 1"),
    (": hush", "line 1"), ("x: " + "hush" * 5_000, "longer than 16384 bytes"),
])  # fmt: skip
def test_a_wrong_file_of_headers_is_refused_without_its_text(tmp_path, text, words):
    path = tmp_path / "headers"
    path.write_text(text)
    status, said, complained = run(
        "serve", "--data", tmp_path / "data", "--insecure", "--trace-endpoint",
        "http://127.0.0.1:4317", "--trace-headers", path)  # fmt: skip
    assert status != 0 and re.search(words, complained), complained
    assert str(path) in complained and "hush" not in said + complained


@pytest.mark.parametrize("flags, words", [
    (["--trace-endpoint", "127.0.0.1:4317"], "http://HOST:PORT"),
    (["--trace-endpoint", "http://127.0.0.1"], "http://HOST:PORT"),
    (["--trace-endpoint", "http://127.0.0.1:4317/v1/traces"], "http://HOST:PORT"),
    (["--trace-endpoint", "http://me:hush@127.0.0.1:0"], "http://HOST:PORT"),
    (["--trace-sample", "2"], "share from 0 to 1"),
    (["--trace-service", ""], "printable characters"),
    (["--trace-service", "x" * 129], "1 to 128"),
    (["--trace-timeout", "0"], "from 1 to 60"),
    (["--trace-endpoint", "http://10.0.0.1:4317", "--trace-headers", "/x"], "needs .* with https"),
    (["--trace-endpoint", "http://127.0.0.1:4317", "--trace-ca", "/x"], "needs .* with https"),
    (["--trace-endpoint", "https://127.0.0.1:4317", "--trace-ca", "/x/y"], "/x/y"),
    (["--trace-endpoint", "http://127.0.0.1:4317", "--trace-headers", "/x/y"], "/x/y"),
])  # fmt: skip
def test_a_setting_that_cannot_be_used_is_refused(tmp_path, flags, words):
    path = tmp_path / "relationd.yaml"
    path.write_text("insecure: true\n")
    status, _, complained = run("config", "check", path, "--data", tmp_path / "data", *flags)
    assert status != 0 and re.search(words, complained), complained


def test_the_collector_shows_a_certificate_of_the_named_authority(
        start, stubs, authority, tmp_path):
    issued = authority.server()
    credentials = grpc.ssl_server_credentials([(issued.key_pem, issued.pem)])
    with Collector(credentials=credentials) as collector:
        running = exporting(
            start, collector, "--trace-sample", "1", "--trace-ca", authority.own.path)
        with grpc.insecure_channel(running.address) as channel:
            Relation(stubs, channel)("GetStats")
        collector.await_calls(1)
        assert running.stop() == 0 and not running.complaints
        # Another authority does not count, and no call fails for it.
        with Relationd(
            tmp_path / "other", "--trace-endpoint", collector.url, "--trace-sample", "1",
        ) as other:
            with grpc.insecure_channel(other.address) as channel:
                Relation(stubs, channel)("GetStats")
            while not other.complaints:
                assert other.process.poll() is None
        (line,) = other.complaints
        assert "spans do not reach the collector" in line and "certificate" in line
        assert len(collector.calls) == 1


def test_a_collector_that_is_away_costs_its_spans_alone(start, stubs):
    with Collector() as gone:
        port = gone.port
    running = start(
        "data", "--trace-endpoint", f"http://127.0.0.1:{port}", "--trace-sample", "1")
    with grpc.insecure_channel(running.address) as channel:
        relation = Relation(stubs, channel)
        for _ in range(10):
            relation("GetStats")
        while not running.complaints:
            relation("GetStats")
        with Collector(port) as collector:
            while "spans reach the collector again" not in running.log:
                relation("GetStats")
            assert collector.calls
    assert len(running.complaints) == 1 and "UNAVAILABLE" in running.complaints[0]
    assert f"collector=127.0.0.1:{port}" in running.complaints[0]


def test_a_collector_that_refuses_is_told_of_once(start, stubs):
    with Collector() as collector:
        collector.refusal = grpc.StatusCode.PERMISSION_DENIED
        running = exporting(start, collector, "--trace-sample", "1")
        with grpc.insecure_channel(running.address) as channel:
            for count in (1, 2, 3):
                Relation(stubs, channel)("GetStats")
                while len(collector.metadata) < count:
                    assert running.process.poll() is None
        # A call with three parts.
        counts = outcomes(running, lambda counts: counts["failed"] >= 12)
    assert counts == {"exported": 0, "dropped": 0, "failed": 12}
    assert len(running.complaints) == 1 and "PERMISSION_DENIED" in running.complaints[0]


def test_spans_that_are_rejected_are_counted(start, stubs):
    with Collector() as collector:
        collector.rejects = 1
        running = exporting(start, collector, "--trace-sample", "1")
        with grpc.insecure_channel(running.address) as channel:
            Relation(stubs, channel)("GetStats")
        counts = outcomes(running, lambda counts: counts["failed"])
    assert counts == {"exported": 3, "dropped": 0, "failed": 1}


def test_a_slow_collector_holds_no_call_up(start, stubs):
    count = 9_000
    with Collector() as collector:
        collector.gate.clear()
        running = exporting(start, collector, "--trace-sample", "1")
        request = stubs.request("GetSequence", {"user_id": "ann"})
        with grpc.insecure_channel(running.address) as channel:
            relation = Relation(stubs, channel)
            call = relation.start("GetSequence")
            for _ in range(count // 1_000):
                sent = [
                    call.future(request, timeout=PATIENCE, metadata=relation.metadata)
                    for _ in range(1_000)
                ]
                codes = {one.exception().code() if one.exception() else None for one in sent}
                assert codes <= {None, grpc.StatusCode.NOT_FOUND}
        held = outcomes(running, lambda counts: counts["dropped"])
        assert held["exported"] == 0 and held["dropped"] > 0
        collector.gate.set()
        assert running.stop() == 0
    assert len(running.complaints) <= 1


def test_a_stop_sends_what_waits_and_waits_for_no_collector(start, stubs):
    with Collector() as collector:
        running = exporting(start, collector, "--trace-sample", "1")
        with grpc.insecure_channel(running.address) as channel:
            Relation(stubs, channel)("GetStats")
        assert running.stop() == 0
        assert len(collector.calls) == 1
        collector.gate.clear()
        again = exporting(start, collector, "--trace-sample", "1")
        with grpc.insecure_channel(again.address) as channel:
            Relation(stubs, channel)("GetStats")
        began = time.monotonic()
        assert again.stop() == 0 and time.monotonic() - began < PATIENCE / 2


def test_a_signal_turns_traces_on_and_off(start, stubs, tmp_path):
    path = tmp_path / "relationd.yaml"
    path.write_text("slow-call: 0\n")
    with Collector() as collector:
        running = start("data", "--config", path)
        with grpc.insecure_channel(running.address) as channel:
            relation = traced(stubs, channel)
            relation("GetStats")
            path.write_text(f"slow-call: 0\ntrace-endpoint: {collector.url}\n")
            await_reload(running)
            relation("GetStats")
            collector.await_calls(1)
            path.write_text(f"trace-endpoint: {collector.url}\ntrace-headers: /no/such/file\n")
            running.process.send_signal(1)
            while "nothing is changed" not in running.log:
                assert running.process.poll() is None
            relation("GetStats")
            collector.await_calls(2)
            path.write_text("trace-endpoint: off\n")
            await_reload(running)
            relation("GetStats")
        assert running.stop() == 0
        assert len(collector.calls) == 2
