"""The parts of the measurement, each a function of a setting and of an effort."""

import contextlib
import gzip
import http.client
import json
import os
import re
import socket
import statistics
import subprocess
import sys
import time
import typing
import urllib.parse

import runs
from figures import SLICE_SECONDS, Failed, checked, full_speed, median, ratio
from runs import LOAD, Beside, flood, group, note, on, run
from setting import PEERS, ROOT, framed

CHECK = "FriendService/CheckFriends"
CONNECTIONS, STREAMS = 4, 50
LANGUAGES = ("grpc-go", "grpc-java", "grpcio")
HEADS = {
    "all": "a deadline, a `traceparent` and a request id of its own",
    "deadline": "a deadline of its own",
    "none": "no deadline",
}
# A virtual machine must first compile what it runs; an interpreter has nothing to warm.
WARM = {"grpc-go": 0.5, "grpc-java": 3.0, "grpcio": 0.5}
HTTP_CONNECTIONS = 200
MOST_A_SECOND = 40_000
"""The calls of an open loop: from 200,000 on it is the load, on one processor, that is late."""
WATCHERS, WATCH_CONNECTIONS, CHANGES_A_SECOND = 1_000, 2, 20
NEIGHBOUR_STREAMS = 8


class Effort(typing.NamedTuple):
    rounds: int = 3
    seconds: float = 2.0
    tail_seconds: float = 4.0
    start_seconds: float = 8.0
    copies: int = 6
    warm: float = 1.0


QUICK = Effort(rounds=1, seconds=0.3, tail_seconds=0.4, start_seconds=3.0, copies=1, warm=0.1)


# MARK: Real clients


def title(text):
    """Names the profile of what comes, if there is to be one."""
    if runs.profiler:
        runs.profiler.title = text.replace(" ", "-").replace(",", "")


def client(language, options):
    """The command of a load by a real client."""
    if language == "grpc-go":
        return [PEERS / "go-load", *(f"-{name}={value}" for name, value in options.items())]
    words = [f"{name}={value}" for name, value in options.items()]
    if language == "grpc-java":
        return [PEERS / "java-load", *words]
    return [sys.executable, ROOT / "Benchmarks" / "clients" / "python" / "load.py", *words]


def real(setting, effort, is_secure):
    """The server's processor time of a call by real clients, of ours and of others in turns."""
    # Parts of a head are measured for one client; all clients send all of them.
    kinds = [(language, "all") for language in LANGUAGES]
    if not is_secure:
        kinds += [("grpc-go", "deadline"), ("grpc-go", "none")]
    with contextlib.ExitStack() as stack:
        servers = [stack.enter_context(server) for server in setting.peers(is_secure)]
        # Users that were asked for are in memory from then on.
        for server in servers:
            called(setting, effort, server, *kinds[0], is_secure)
        return [
            compared(setting, effort, servers, language, head, is_secure)
            for language, head in kinds]


def compared(setting, effort, servers, language, head, is_secure):
    """The rounds of one client with all servers."""
    rounds = []
    for number in range(effort.rounds):
        title(f"{language}-{head}{'-tls' if is_secure else ''}")
        rounds.append({
            server.name: called(setting, effort, server, language, head, is_secure)
            for server in servers})
        note(f"{language}, {head}, round {number + 1}: {brief(rounds[-1])}")
    return {
        "client": language, "head": head, "rounds": rounds,
        "microseconds": {name: median([each[name] for each in rounds]) for name in rounds[0]},
        "ofC": ratio(rounds, "ours", "C"), "ofGo": ratio(rounds, "ours", "grpc-go")}


def called(setting, effort, server, language, head, is_secure):
    """The server's processor time of a call in one round, in microseconds."""
    options = {
        "address": server.address, "file": setting.files["checks1"],
        "answers": setting.files["answers1"], "connections": CONNECTIONS, "streams": STREAMS,
        "warm": WARM[language] * min(1, effort.warm), "seconds": effort.seconds, "head": head,
        "key": setting.key, "ca": setting.ca if is_secure else ""}
    report, used, _ = run(server, on((LOAD,), *client(language, options)))
    checked(report, f"{language} at {server.name}")
    return used / report["calls"] * 1e6


def brief(figures):
    return ", ".join(f"{name} {figure:.2f}" for name, figure in figures.items())


# MARK: JSON over HTTP/1.1


WRK = """
local bodies, number = {}, 0
for line in io.lines("%s") do bodies[#bodies + 1] = line end
wrk.method = "POST"
wrk.headers["content-type"] = "application/json"
wrk.headers["authorization"] = "Bearer %s"
request = function()
  number = number %% #bodies + 1
  return wrk.format(nil, nil, nil, bodies[number])
end
"""


def wrk(server, setting, script, seconds):
    """The server's processor time of a call in JSON, by wrk."""
    url = f"http://{server.address}/relation.v1.{CHECK}"
    words = ["wrk", "-t1", f"-c{HTTP_CONNECTIONS}", f"-d{max(1, round(seconds))}s", "-s", script]
    pid = server.process.pid
    clock = (~pid << 3) | 2
    before = time.clock_gettime_ns(clock)
    with runs.looks(server, "json-http1"):
        done = subprocess.run(
            on((LOAD,), *words, url), capture_output=True, text=True, check=True,
            timeout=60).stdout
    used = (time.clock_gettime_ns(clock) - before) / 1e9
    if "Non-2xx" in done or "Socket errors" in done:
        raise Failed(f"{server.name}: {done}")
    return used / int(re.search(r"(\d+) requests in", done)[1]) * 1e6


def answered(server, setting, body):
    """The answer to one call in JSON."""
    link = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    link.request("POST", f"/relation.v1.{CHECK}", body, {
        "content-type": "application/json", "authorization": f"Bearer {setting.key}"})
    answer = link.getresponse()
    text = answer.read()
    link.close()
    if answer.status != 200:
        raise Failed(f"{server.name}: {answer.status} {text!r}")
    return json.loads(text)


def http1(setting, effort, server_class):
    """JSON over HTTP/1.1 beside gRPC, and beside Go's net/http that answers from nothing."""
    bodies = [
        json.dumps({"userId": user, "userIds": others}, separators=(",", ":"))
        for user, others in setting.questions(512, 1)]
    listed, script = setting.folder / "bodies", setting.folder / "wrk.lua"
    listed.write_text("\n".join(bodies) + "\n")
    script.write_text(WRK % (listed, setting.key))
    rounds = []
    with setting.fresh() as ours, server_class("net/http", [PEERS / "go-http"]) as other:
        for body in bodies[:20]:
            if (one := answered(ours, setting, body)) != (two := answered(other, setting, body)):
                raise Failed(f"{body} is answered by {one} and by {two}")
        for server in (ours, other):
            wrk(server, setting, script, 1)
        for number in range(effort.rounds):
            each = {"JSON": wrk(ours, setting, script, effort.seconds)}
            each["net/http"] = wrk(other, setting, script, effort.seconds)
            title("grpc-200x1")
            reports, used, _ = flood(
                ours, PEERS, 0.2, effort.seconds,
                checks(setting, 1, HTTP_CONNECTIONS, 1))
            each["gRPC"] = used / reports["reads"]["calls"] * 1e6
            rounds.append(each)
            note(f"HTTP/1.1, round {number + 1}: {brief(each)}")
    return {
        "rounds": rounds,
        "microseconds": {name: median([each[name] for each in rounds]) for name in rounds[0]},
        "ofGRPC": ratio(rounds, "JSON", "gRPC"), "ofGo": ratio(rounds, "JSON", "net/http")}


# MARK: Tails


def bearer(setting):
    return ("authorization", f"Bearer {setting.key}")


def checks(setting, ids, connections, streams, rate=0, name="reads"):
    return group(
        name, CHECK, setting.files[f"checks{ids}"], answers=setting.files[f"answers{ids}"],
        connections=connections, streams=streams, rate=rate, heads=[bearer(setting)])


def others(setting):
    """The work beside the reads: groups of the load, or a command that is repeated."""
    key = bearer(setting)
    operator = [("authorization", f"Bearer {setting.operator}")]
    return {
        "alone": [],
        "64 additions": [group(
            "additions", "FriendService/AddFriends", setting.files["additions"], connections=4,
            streams=16, once=1, heads=[key])],
        "an import": "import",
        "a backup": [group(
            "backups", "BackupService/CreateBackup", setting.files["backup"], heads=operator)],
        "an export": [group(
            "exports", "MaintenanceService/ExportApp", setting.files["export"], heads=[key])],
        "1,000 streams": [
            group(
                "watchers", "ChangeService/Watch", setting.files["watch"], hold=1,
                connections=WATCH_CONNECTIONS, streams=WATCHERS // WATCH_CONNECTIONS,
                heads=[key]),
            group(
                "changes", "ProfileService/UpdateProfile", setting.files["changes"],
                streams=16, rate=CHANGES_A_SECOND, heads=[key])],
    }


def capacity(setting, effort, processors):
    """The calls a second that the server and this load can do together."""
    with setting.fresh(processors=processors) as server:
        reports, _, _ = flood(
            server, PEERS, 0.3, effort.seconds, checks(setting, 1, CONNECTIONS, STREAMS))
    return reports["reads"]["a_second"]


def tail(setting, effort, named, beside, processors, reads):
    """The reads beside one other thing, on a fresh copy of the rows."""
    with setting.fresh(processors=processors) as server, contextlib.ExitStack() as stack:
        title("warm")
        flood(server, PEERS, 0, 0.3, checks(setting, 1, CONNECTIONS, STREAMS))
        if beside == "import":
            stack.enter_context(Beside(
                setting.ctl_words(server, "import", setting.graph), setting.environment))
            # Its first part looks at the file, and makes accounts.
            time.sleep(effort.warm)
            beside = []
        title(f"{named}-{len(processors)}")
        reports, used, did = flood(
            server, PEERS, effort.warm / 2, effort.tail_seconds, reads, *beside, checks=False)
        checked(reports["reads"], "reads")
    return {
        **{name: reports["reads"][name] for name in ("p50", "p99", "p999", "max", "a_second")},
        "beside": {
            name: {word: report[word] for word in ("calls", "failed", "events")}
            for name, report in reports.items() if name != "reads"},
        "used": used / effort.tail_seconds, "threads": did}


def tails(setting, effort, processors, is_open):
    """The latencies of reads beside other work: one call at a time, or at a fixed rate."""
    setting.make_additions()
    setting.make_streams()
    setting.write("backup", framed(b""))
    setting.write("export", framed(setting.encoded("ExportApp")))
    rate = min(MOST_A_SECOND, capacity(setting, effort, processors) / 2) if is_open else 0
    reads = (
        checks(setting, 1, CONNECTIONS, 1_000, rate) if is_open else checks(setting, 1, 1, 1))
    found = []
    for name, beside in others(setting).items():
        rounds = [
            tail(setting, effort, name, beside, processors, reads)
            for _ in range(effort.rounds)]
        row = {"beside": name, "rate": rate, "processors": len(processors),
            "seconds": effort.tail_seconds, "rounds": rounds}
        for word in ("p50", "p99", "p999", "max"):
            row[word] = median([each[word] for each in rounds])
        found.append(row)
        note(f"beside {name}, {rate:.0f} a second: "
             + brief({word: row[word] for word in ("p50", "p99", "p999", "max")}))
    return found


# MARK: Neighbours


def varint(value):
    text = b""
    while value > 0x7F:
        text, value = text + bytes([value & 0x7F | 0x80]), value >> 7
    return text + bytes([value])


def nested(depth):
    """A message in a field that is not known, in itself, again and again."""
    text = b""
    for _ in range(depth):
        text = b"\xfa\x07" + varint(len(text)) + text
    return text


def field(number, kind, text=b""):
    """A field of a message; kind 2 is a text with its length, and others come as they are."""
    return varint(number << 3 | kind) + (varint(len(text)) if kind == 2 else b"") + text


def groups(depth):
    """Groups in one another, which no message here has."""
    return field(127, 3) * depth + field(127, 4) * depth


def bad_messages(setting):
    """By its name each message that a neighbour should not notice: the call, and its bytes.

    Those of 1,024 bytes and less are decoded by the loop itself.
    """
    plain = setting.encoded("CheckFriends", user_id="0", user_ids=["1"])
    unknown = field(2_000, 0, b"\x01")
    return {
        "16,384 unknown fields": (CHECK, plain + unknown * 16_384),
        "300 unknown fields": (CHECK, plain + unknown * 300),
        "10,000 unknown fields in as many messages": (
            CHECK, plain + field(2, 2, unknown) * 10_000),
        "16,384 nested messages": (CHECK, plain + nested(16_384)),
        "300 groups, 90 deep": (CHECK, plain + groups(90) * 300),
        "16,384 empty texts": (CHECK, plain + field(3, 2) * 16_384),
        "450 empty texts": (CHECK, plain + field(3, 2) * 450),
        "16,384 empty messages": (
            "FriendService/AddFriends", field(1, 2, b"0") + field(2, 2) * 16_384),
        "one message in 16,384 parts": (CHECK, plain + field(2, 2) * 16_384),
        "50,000 packed numbers": (
            "ApplicationService/ListApplications", field(1, 2, b"0") + field(6, 2, b"\1" * 50_000)),
        "8,192 entries of a map": ("ProfileService/GetProfiles", field(1, 2, b"0")
            + b"".join(field(6, 2, field(1, 2, b"%d" % one) + b"\x10\x01")
                for one in range(8_192))),
    }


def bad_texts():
    """By its name each body in JSON, or query of a GET, that a neighbour should not notice."""
    asked = '"userId": "0", "userIds": ["1"]'
    unknown = ", ".join(f'"x{number}": 1' for number in range(4_096))
    return {
        "4,096 unknown keys of JSON": ({}, "{%s, %s}" % (asked, unknown)),
        "64 KiB of spaces in JSON": ({}, "{%s%s}" % (asked, " " * 65_536)),
        "16,384 empty texts of JSON": (
            {}, '{"userId": "0", "userIds": [%s]}' % ", ".join(['""'] * 16_384)),
        "a GET with a query of 8 KiB": (
            {"get": 1}, "connect=v1&encoding=json&message=%7B"
            + urllib.parse.quote(asked) + "%20" * 2_600 + "%7D"),
    }


def bad_callers(setting):
    """Callers that a neighbour should not notice, and an ordinary one to compare them with."""
    key = bearer(setting)
    rows = [
        gzip.compress(setting.encoded("ImportAccounts", row={"user_id": user}), mtime=0)
        for user in setting.users[:1_000]]

    def bad(call, number, *messages, heads=(), is_packed=False, **options):
        setting.write(f"bad{number}", framed(*messages, is_packed=is_packed))
        return [group(
            "other", call, setting.files[f"bad{number}"], streams=NEIGHBOUR_STREAMS,
            heads=[key, *heads], **options)]

    packed = [("grpc-encoding", "gzip")]
    found = {
        "alone": [],
        "an ordinary caller": [checks(setting, 100, 1, NEIGHBOUR_STREAMS, name="other")]}
    for number, (name, (call, message)) in enumerate(bad_messages(setting).items()):
        found[name] = bad(call, number, message)
    for name, (options, text) in bad_texts().items():
        found[name] = bad(CHECK, len(found), text.encode(), type="application/json", **options)
    # Nearly as long as a message may be, in a few KiB; each field is unknown.
    bomb = gzip.compress(field(2_000, 2, bytes(40)) * 90_000, mtime=0)
    found["a gzip message of 3.8 MiB"] = bad(
        CHECK, len(found), bomb, heads=packed, is_packed=True)
    found["1,000 small gzip messages a call"] = bad(
        "AccountService/ImportAccounts", len(found), *rows, heads=packed, is_packed=True,
        batch=1_000)
    return found


def neighbours(setting, effort):
    """The calls that a neighbour keeps beside bad callers, on one loop."""
    rounds = []
    callers = bad_callers(setting)
    with setting.fresh() as server:
        for number in range(effort.rounds):
            each = {}
            for name, beside in callers.items():
                title(f"neighbour-{name}")
                reports, _, _ = flood(
                    server, PEERS, 0.2, effort.seconds,
                    checks(setting, 100, 1, NEIGHBOUR_STREAMS), *beside, checks=False)
                checked(reports["reads"], f"the neighbour beside {name}")
                each[name] = reports["reads"]["a_second"]
                other = reports.get("other", {})
                each[f"{name}, its own"] = other.get("a_second", 0)
                each[f"{name}, refused"] = other.get("failed", 0)
            rounds.append(each)
            note(f"neighbours, round {number + 1}: {brief(each)}")
    return {
        name: {
            "kept": ratio(rounds, name, "alone"),
            "ofOrdinary": ratio(rounds, name, "an ordinary caller"),
            "others": median([each[f"{name}, its own"] for each in rounds]),
            "refused": median([each[f"{name}, refused"] for each in rounds])}
        for name in callers}


# MARK: Starts


def free_port():
    with contextlib.closing(socket.socket()) as made:
        made.bind(("127.0.0.1", 0))
        return made.getsockname()[1]


def forget(folder):
    """Has the system forget what it keeps in memory of the files in a folder."""
    for path in folder.rglob("*"):
        if path.is_file():
            file = os.open(path, os.O_RDONLY)
            os.fsync(file)
            os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
            os.close(file)


def start(setting, effort, data, pairs):
    """The time from the start of a server until its first answer, and until its full speed."""
    requests, answers = [], []
    answer = setting.stubs.message("CheckFriendsResponse")
    for user, friends in setting.questions(65_536, 1, pairs):
        requests.append(setting.encoded("CheckFriends", user_id=user, user_ids=friends))
        answers.append(answer(
            results=[{"user_id": friends[0], "code": 0, "relation": 3}]).SerializeToString())
    setting.write("starts", framed(*requests))
    setting.write("started", framed(*answers))
    found = {}
    for name in ("files in memory", "files forgotten"):
        rounds = []
        for _ in range(effort.rounds):
            if name == "files forgotten":
                forget(data)
            rounds.append(one_start(setting, effort, data))
            note(f"start, {name}: {brief(rounds[-1])}")
        found[name] = {
            word: statistics.median(each[word] for each in rounds) for word in rounds[0]}
    return found


def one_start(setting, effort, data):
    port = free_port()
    reads = group(
        "reads", CHECK, setting.files["starts"], answers=setting.files["started"],
        connections=CONNECTIONS, streams=STREAMS)
    load = subprocess.Popen(
        on((LOAD,), "chrt", "-f", 1, PEERS / "load", port, 0, effort.start_seconds, reads),
        stdout=subprocess.PIPE, text=True)
    began = time.monotonic_ns()
    server = setting.start(
        data, "--listen", f"127.0.0.1:{port}", "--insecure", "--kept-memory", 2_048)
    try:
        load.stdout.readline()
        report = checked(json.loads(load.stdout.readline())[0], "reads at a start")
    finally:
        load.kill()
        load.wait()
        load.stdout.close()
        server.stop()
    slices = report["slices"]
    before = (began - report["began"]) / 1e9
    return {
        "first": (report["first"] - began) / 1e9,
        "full": (full_speed(slices) + 1) * SLICE_SECONDS - before,
        "a_second": report["a_second"]}
