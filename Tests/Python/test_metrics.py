"""The pages for operators: metrics, liveness, readiness, version, and how they are bounded."""

import pathlib
import re
import signal
import socket
import ssl
import subprocess
import time
import urllib.error
import urllib.request

import grpc
import pytest
from relationd import executable
from stubs import Relation
from watching import Watching

# With each command of TIM's REST API asked once: until then it has no series.
MOST_SERIES = 7_400
# Of each app that is counted by itself, and of all others together; ten are, unless a setting says
# otherwise.
APP_SERIES = 14
COUNTED_APPS = 10


def page(running, path, **options):
    """The status, the kind and the text of a page."""
    try:
        with urllib.request.urlopen(running.pages + path, timeout=10, **options) as answer:
            return answer.status, answer.headers["content-type"], answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.headers["content-type"], error.read().decode()


def metrics(running):
    """All samples of the server, by their name with labels, as they are now."""
    first = shown(running)
    # A page is shown again for a moment, which may be from before the test began.
    while (samples := shown(running))["relation_uptime_seconds"] == first[
            "relation_uptime_seconds"]:
        pass
    return samples


def shown(running):
    """The samples of the page that is shown."""
    status, kind, text = page(running, "/metrics")
    assert status == 200 and kind.startswith("text/plain; version=0.0.4")
    samples = {}
    for line in text.splitlines():
        if not line.startswith("#"):
            name, _, value = line.rpartition(" ")
            assert name not in samples, f"{name} comes twice"
            samples[name] = float(value)
    return samples


def settled(running, found, seconds=10):
    """The first samples that `found` accepts: a page is shown again for a moment."""
    end = time.monotonic() + seconds
    while True:
        samples = metrics(running)
        if found(samples) or time.monotonic() > end:
            return samples


def calls(method, code="OK"):
    return f'relation_calls_total{{method="{method}",code="{code}"}}'


CHECK = "relation.v1.FriendService/CheckFriends"
ADD = "relation.v1.FriendService/AddFriends"


def test_the_server_tells_where_its_pages_are(server):
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+", server.pages)
    # The root is the console; whoever asks for a page that is not there is told of all.
    status, _, text = page(server, "/no-such-page")
    assert status == 404
    assert {"/metrics", "/livez", "/readyz", "/version"} <= set(text.split())


def test_calls_are_counted_by_method_and_code(server, relation, people):
    ann, bob = people(2)
    before = metrics(server)
    for _ in range(3):
        relation("CheckFriends", user_id=ann, user_ids=[bob])
    with pytest.raises(grpc.RpcError):
        relation("CheckFriends", user_id=ann, user_ids=[])
    after = settled(server, lambda found: found[calls(CHECK)] >= before[calls(CHECK)] + 3)
    assert after[calls(CHECK)] == before[calls(CHECK)] + 3
    assert after[calls(CHECK, "INVALID_ARGUMENT")] == 1
    reason = 'relation_call_failures_total{reason="INVALID_FIELD"}'
    assert after[reason] == before[reason] + 1
    count = f'relation_call_duration_seconds_count{{method="{CHECK}"}}'
    assert after[count] == before[count] + 4
    sent = f'relation_call_sent_bytes_total{{method="{CHECK}"}}'
    assert after[sent] > before[sent]


def test_writes_are_counted_with_their_transactions(server, relation, people):
    ann, bob, cid = people(3)
    before = metrics(server)
    relation("AddFriends", user_id=ann, items=[{"user_id": bob}, {"user_id": cid}])
    name = "relation_commits_total"
    after = settled(server, lambda found: found[name] > before[name])
    assert after[name] == before[name] + 1
    operations = "relation_commit_batch_operations_sum"
    assert after[operations] == before[operations] + 2
    waits = "relation_commit_wait_seconds_count"
    assert after[waits] == before[waits] + 1
    sync = 'relation_commit_part_seconds_total{part="sync"}'
    assert after[sync] > before[sync]
    assert after["relation_store_commits_total"] > before["relation_store_commits_total"]


def test_streams_are_counted_while_they_are_open(server, relation, people):
    ann, bob = people(2)
    stream = Watching(relation, user_id=ann)
    stream.next()
    opened = settled(server, lambda found: found["relation_watch_streams"] == 1)
    assert opened["relation_watch_streams"] == 1
    watch = "relation.v1.ChangeService/Watch"
    assert opened[f'relation_open_calls{{method="{watch}"}}'] == 1
    relation("AddFriends", user_id=ann, items=[{"user_id": bob}])
    name = "relation_watch_lag_seconds_count"
    told = settled(server, lambda found: found[name] > opened[name])
    assert told[name] > opened[name]
    assert told["relation_watch_events_total"] > opened["relation_watch_events_total"]
    stream.cancel()
    closed = settled(server, lambda found: found["relation_watch_streams"] == 0)
    assert closed["relation_watch_streams"] == 0
    assert closed[f'relation_open_calls{{method="{watch}"}}'] == 0
    assert closed[calls(watch, "CANCELLED")] >= 1


def test_the_process_and_the_store_are_told(server):
    samples = metrics(server)
    assert samples["process_resident_memory_bytes"] > 1 << 20
    assert 0 < samples["process_open_fds"] < samples["process_max_fds"]
    assert samples['relation_thread_cpu_seconds_total{kind="loop"}'] >= 0
    assert samples['relation_threads{kind="pages"}'] == 1
    assert samples["relation_store_free_bytes"] > 0
    assert samples["relation_store_reserve_bytes"] > 1 << 30
    assert samples['relation_store_stalls_total{cause="memtable_compaction"}'] == 0
    assert samples['relation_cache_max_bytes{cache="adjacency"}'] > 0
    assert samples["relation_connections"] >= 0
    assert samples["relation_ready"] == 1


def test_prometheus_finds_nothing_wrong_with_the_metrics(server, relation, people):
    (ann,) = people(1)
    relation("GetSelfProfile", user_id=ann)
    _, _, text = page(server, "/metrics")
    checked = subprocess.run(
        ["promtool", "check", "metrics"], input=text, capture_output=True, text=True, timeout=30)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert checked.stdout + checked.stderr == ""


def test_the_series_are_bounded_and_name_no_user(server, relation, people):
    (ann,) = people(1)
    relation("GetSelfProfile", user_id=ann)
    samples = metrics(server)
    methods = {match for name in samples for match in re.findall('method="([^"]+)"', name)}
    codes = 17
    counted = [name for name in samples if name.startswith("relation_calls_total")]
    of_apps = [name for name in samples if 'app="' in name]
    assert 0 < len(of_apps) <= APP_SERIES * (COUNTED_APPS + 1)
    # As many as if every method had ended with every code.
    most = len(samples) - len(of_apps) - len(counted) + len(methods) * codes
    assert most < MOST_SERIES, most
    assert not any(ann in name for name in samples)
    labels = {match for name in samples for match in re.findall(r'(\w+)="', name)}
    assert labels <= {"app", "cache", "cause", "code", "contract", "kind", "le", "level", "method",
                      "outcome", "part", "pool", "reason", "result", "version",
                      "violation"}


def of_app(app, outcome="ok"):
    return f'relation_app_calls_total{{app="{app}",outcome="{outcome}"}}'


def test_calls_are_counted_by_app_up_to_a_number_of_apps(start, stubs):
    """The first apps that call have series of their own, and all others share one."""
    running = start("data", "--metrics-apps", "2")
    with grpc.insecure_channel(running.address) as channel:
        check_counted_apps(running, Relation(stubs, channel))


def check_counted_apps(running, caller):
    first = caller("CreateApp").app.app_id
    second, third = (caller("CreateApp").app.app_id for _ in range(2))
    # A call that acts for no app, as CreateApp, is counted for none.
    assert not any(name.startswith('relation_app_calls_total{app="' + str(app)) for app in (
        first, second, third) for name in metrics(running))
    for app, count in ((first, 2), (third, 3), (second, 4)):
        for _ in range(count):
            caller.in_app(app)("GetApp")
    with pytest.raises(grpc.RpcError):
        caller.in_app(first)("CheckFriends", user_id="u0", user_ids=[])
    count = f'relation_app_call_duration_seconds_count{{app="{first}"}}'
    samples = settled(running, lambda found: found.get(count, 0) >= 3)
    assert samples[of_app(first)] == 2
    assert samples[of_app(first, "refused")] == 1
    assert samples[of_app(third)] == 3
    assert samples[of_app("other")] == 4
    assert of_app(second) not in samples
    assert samples[count] == 3
    assert samples[f'relation_app_sent_bytes_total{{app="{third}"}}'] > 0
    of_apps = [name for name in samples if 'app="' in name]
    assert len({name for name in of_apps if f'app="{first}"' in name}) == APP_SERIES
    assert len(of_apps) <= APP_SERIES * 3


def test_no_app_is_counted_where_none_is_asked_for(start, stubs):
    running = start("data", "--metrics-apps", "0")
    with grpc.insecure_channel(running.address) as channel:
        Relation(stubs, channel)("ListAccounts")
    assert not any("relation_app_" in name for name in metrics(running))


@pytest.mark.parametrize("number", ["1001", "-1", "many"])
def test_the_number_of_counted_apps_is_bounded(tmp_path, number):
    ended = subprocess.run(
        [executable("relationd"), "serve", "--insecure", "--listen", "127.0.0.1:0",
         "--data", str(tmp_path / "d"), f"--metrics-apps={number}"],
        capture_output=True, text=True, timeout=30)
    assert ended.returncode != 0
    assert "metrics-apps" in ended.stderr and "1000" in ended.stderr.replace(",", "")


def test_every_method_of_the_contract_has_its_series(server, stubs):
    samples = metrics(server)
    for method in ("CheckFriends", "AddFriends"):
        assert calls(f"relation.v1.FriendService/{method}") in samples
    assert sum(name.startswith("relation_calls_total{method=\"relation.v1") for name in samples) > 60


def test_unknown_methods_share_a_series(server, channel):
    before = metrics(server).get(calls("none", "UNIMPLEMENTED"), 0)
    for number in range(5):
        with pytest.raises(grpc.RpcError):
            channel.unary_unary(f"/relation.v1.Made/Up{number}")(b"", timeout=10)
    name = calls("none", "UNIMPLEMENTED")
    after = settled(server, lambda found: found.get(name, 0) >= before + 5)
    assert after[name] == before + 5
    assert not any("Made" in name for name in after)


def test_a_server_that_serves_is_live_and_ready(server):
    assert page(server, "/livez")[::2] == (200, "live\n")
    assert page(server, "/readyz")[::2] == (200, "ready\n")
    status, kind, text = page(server, "/version")
    assert (status, kind) == (200, "application/json")
    assert '"contract":"relation.v1"' in text


def test_a_server_that_stops_is_live_and_says_why_it_is_not_ready(start):
    running = start("data", "--stop-delay", "30")
    running.process.send_signal(signal.SIGTERM)
    end = time.monotonic() + 10
    while page(running, "/readyz")[0] == 200:
        assert time.monotonic() < end
    assert page(running, "/readyz")[::2] == (
        503, "not ready: stopping: running calls finish, and new ones go elsewhere\n")
    assert page(running, "/livez")[0] == 200
    # The next signal ends the delay.
    assert running.stop() == 0


def test_pages_are_off_if_an_operator_says_so(start):
    running = start("data", "--metrics-listen", "off")
    assert running.pages is None
    assert running.stop() == 0


def test_a_port_that_is_taken_is_named(server, tmp_path):
    address = server.pages.removeprefix("http://")
    ended = subprocess.run(
        [executable("relationd"), "serve", "--insecure", "--listen", "127.0.0.1:0",
         "--data", str(tmp_path / "d"), "--metrics-listen", address],
        capture_output=True, text=True, timeout=30)
    assert ended.returncode != 0
    assert f"cannot listen on {address} for the metrics: Address already in use" in ended.stderr
    assert "--metrics-listen" in ended.stderr
    assert not (tmp_path / "d").exists(), "the store was opened before that was known"


@pytest.mark.parametrize("address", ["0.0.0.0:0", "[::]:0"])
def test_pages_that_others_can_reach_need_tls_or_a_word(tmp_path, address):
    ended = subprocess.run(
        [executable("relationd"), "serve", "--insecure", "--listen", "127.0.0.1:0",
         "--data", str(tmp_path / "d"), "--metrics-listen", address],
        capture_output=True, text=True, timeout=30)
    assert ended.returncode != 0
    assert "--metrics-allow-plaintext" in ended.stderr and "--tls-cert" in ended.stderr


def test_a_word_lets_others_read_them_without_tls(start):
    running = start("data", "--metrics-listen", "0.0.0.0:0", "--metrics-allow-plaintext")
    port = running.pages.rpartition(":")[2]
    running.pages = f"http://127.0.0.1:{port}"
    assert page(running, "/livez")[0] == 200


def test_pages_that_others_can_reach_are_shown_over_tls(start, authority, certificate):
    running = start(
        "data", "--metrics-listen", "0.0.0.0:0", "--tls-cert", str(certificate.path),
        "--tls-key", str(certificate.key_path), insecure=False)
    assert running.pages.startswith("https://0.0.0.0:")
    port = running.pages.rpartition(":")[2]
    running.pages = f"https://127.0.0.1:{port}"
    context = ssl.create_default_context(cafile=authority.path)
    context.check_hostname = False
    assert page(running, "/livez", context=context)[::2] == (200, "live\n")
    with pytest.raises(Exception, match="(?i)http|closed|reset|status"):
        urllib.request.urlopen(f"http://127.0.0.1:{port}/livez", timeout=10)


def test_a_connection_too_many_takes_the_place_of_another(server, relation, people):
    (ann,) = people(1)
    host, _, port = server.pages.removeprefix("http://").rpartition(":")
    held = [socket.create_connection((host, int(port)), timeout=10) for _ in range(33)]
    try:
        # The first one has waited for the longest time.
        assert held[0].recv(1) == b""
        assert page(server, "/livez")[0] == 200
        assert relation("GetSelfProfile", user_id=ann)
    finally:
        for connection in held:
            connection.close()


def test_the_thread_of_the_pages_stands_back(server):
    tasks = pathlib.Path(f"/proc/{server.process.pid}/task")
    (stat,) = [text for task in tasks.iterdir()
               if "(pages)" in (text := (task / "stat").read_text())]
    niceness = int(stat.rpartition(")")[2].split()[16])
    assert niceness >= 10


def test_an_operator_who_reads_all_the_time_does_not_read_more_often(server):
    """The counters are read twice a second at most: between, a page is shown again."""
    first = page(server, "/metrics")[2]
    texts = {page(server, "/metrics")[2] for _ in range(20)}
    assert len(texts | {first}) <= 4
