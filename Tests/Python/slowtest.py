"""Runs the tests that are too long for every change, as many of them as a budget of minutes allows.

It begins with the tests that failed last, goes on with those of sources that have changed since
they last passed, and then takes those that have waited longest. Its memory of earlier runs is in
`.build-slowtest`, with the logs.
"""

import dataclasses
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORK = ROOT / ".build-slowtest"
# The files on which every part depends, whatever its own paths.
SHARED = ("Package.swift", "Makefile")


@dataclasses.dataclass(frozen=True)
class Part:
    """One kind of long test."""

    name: str
    what: str
    # Folders whose change makes it worth running again.
    paths: tuple
    # Minutes that it takes, until a run has shown how many.
    minutes: float
    # A target of the Makefile; `{minutes}` is its share of the budget.
    command: tuple
    # Whether it uses all the time that it gets.
    fills: bool = False


WIRE = ("Sources/Memory", "Sources/Protobuf", "Sources/HTTP2", "Sources/Compression", "Sources/RPC",
        "Sources/GRPC", "Sources/GRPCClient", "Sources/GRPCWire")
CALLS = ("Sources/RelationCalls", "Sources/RelationAdmission", "Sources/RelationRuntime",
         "Sources/RelationChanges", "Sources/RelationService")
SERVICE = (*WIRE, "Sources/Storage", "Sources/RelationCore", *CALLS)
PARTS = (
    Part(
        "asan", "the codec and the wire under AddressSanitizer",
        (*WIRE, "Tests/MemoryTests", "Tests/ProtobufTests", "Tests/HTTP2Tests", "Tests/GRPCTests",
         "Tests/FuzzTests"),
        8, ("asan",),
    ),
    Part(
        "tsan", "callers of all kinds under ThreadSanitizer",
        (*SERVICE, "Tests/RaceTests"), 8, ("tsan",),
    ),
    Part(
        "fuzz", "new inputs for every reader of untrusted bytes",
        (*WIRE, "Sources/RelationAccess", *CALLS, "Tests/FuzzTests"),
        8, ("fuzz", "FUZZ_SECONDS={seconds}"), fills=True,
    ),
    Part(
        "console", "the form of each call, in a browser",
        ("Sources/RelationConsole", "Sources/CConsole", "Sources/AdminEndpoints",
         "Sources/ContractText", "proto"),
        2, ("every-form",),
    ),
    Part(
        "foreign", "gRPC's C++ client and server, examples in other languages, the bench's peers",
        (*WIRE, "Tests/RelationInterop", "Tests/RelationInteropClient", "Tests/Foreign",
         "Examples", "Benchmarks", "proto"),
        10, ("foreign",),
    ),
    Part(
        "contract-tests", "the contract's cases in eight languages, and in all protocols of the web",
        (*SERVICE, "Sources/RelationClient", "Tests/Contract", "Examples", "proto"),
        10, ("contract-tests",),
    ),
    Part(
        "clients", "packages of clients, installed without a network, with the contract's cases",
        (*CALLS, "Packaging/clients", "Tests/Clients", "Tests/Contract", "proto"),
        10, ("client-tests",),
    ),
    Part(
        "dependents", "packages that depend on this one",
        (*WIRE, "Sources/RelationModel", "Sources/RelationAPI", "Sources/RelationClient",
         "Tests/Dependents"),
        12, ("dependents",),
    ),
    Part(
        "simulate", "long random histories with new seeds",
        (*SERVICE, "Sources/StorageRocks", "Sources/StoragePostgres", "Tests/RelationSuite",
         "Tests/SimulationTests", "Sources/Webhooks", "Tests/WebhooksTests"),
        4, ("simulate", "MINUTES={minutes}"), fills=True,
    ),
    Part(
        "kill", "servers that are killed among writes, with new seeds",
        (*SERVICE, "Sources/StorageRocks", "Sources/relationd"),
        4, ("kill", "MINUTES={minutes}"), fills=True,
    ),
    Part(
        "failover", "databases that fail over, connections that are cut, processes that hang, and"
        " machines under two managers",
        (*SERVICE, "Sources/StoragePostgres", "Sources/relationd", "Packaging/postgresql"),
        25, ("failover",),
    ),
    Part(
        "crowd", "a busy server that has as many connections as it may",
        (*SERVICE, "Sources/StorageRocks", "Sources/relationd"), 4, ("crowd",),
    ),
    Part(
        "hooks", "a receiver of webhooks that keeps a book of a million events through 100 kills, and"
        " one beside two servers of a database",
        (*SERVICE, "Sources/StorageRocks", "Sources/StoragePostgres", "Sources/Webhooks",
         "Sources/RelationHooks", "Sources/relationd"),
        35, ("hooks",),
    ),
    Part(
        "longest", "messages of apps with any settings",
        (*SERVICE, "Sources/RelationModel"), 6, ("longest",),
    ),
    Part(
        "trial", "an app of a stand-in for TIM that moves over while it is in use",
        ("Sources/Migrations", "Sources/TIMGateway", "Sources/relationctl", "Tests/Trial"),
        10, ("trial",),
    ),
    Part(
        "codes", "the contract's cases against answers with a changed code",
        (*SERVICE, "Tests/Contract", "proto"), 8, ("codes",),
    ),
    Part(
        "whole", "the tests in Python that `make test` does in part",
        (*SERVICE, "Sources/relationctl", "Sources/TIMGateway", "Sources/RelationConsole",
         "Tests/Contract", "proto"), 6, ("whole",),
    ),
    Part(
        "scrape", "Prometheus, which scrapes a server and answers the dashboards' queries",
        (*SERVICE, "Sources/Meters", "Sources/AdminEndpoints", "Sources/relationd", "Packaging",
         "Tests/Prometheus"),
        2, ("scrape",),
    ),
    Part(
        "proxies", "the contract's cases and streams through four proxies",
        (*SERVICE, "Packaging/proxies", "Tests/Proxies", "Tests/Contract"), 25, ("proxies",),
    ),
    Part(
        "site", "the site with the pages of all messages, and its links",
        ("docs", "proto", "Examples", "Packaging/site", "Sources/RelationAPI",
         "Sources/RelationModel", "Sources/RelationClient"), 3, ("whole-site",),
    ),
    Part(
        "packages", "packages, archive and image, in clean roots",
        ("Packaging", "Sources/relationd", "Sources/relationctl", "Sources/Release",
         "Sources/CRelease", "Tests/Packages"),
        25, ("packages",),
    ),
    Part(
        "cost", "what a call costs in the client, beside the channel below it",
        (*WIRE, "Sources/RelationAPI", "Sources/RelationClient", "Benchmarks"), 12, ("cost",),
    ),
)  # fmt: skip


# The order, without a clock or a process


def touches(part, changed):
    """Whether `part` depends on one of the changed files; True if `changed` is None, which means
    unknown."""
    if changed is None:
        return True
    return any(
        file in SHARED or any(file.startswith(path + "/") for path in part.paths)
        for file in changed
    )


def order(parts, state, changed):
    """The parts in the order in which they are run.

    `state` has for each part that was ever run `failed` and `time`, the end of its last run;
    `changed` has the files that changed since it last passed.
    """

    def rank(part):
        known = state.get(part.name, {})
        if known.get("failed"):
            kind = 0
        elif "time" not in known:
            kind = 1
        else:
            kind = 2 if touches(part, changed.get(part.name)) else 3
        return kind, known.get("time", 0)

    return sorted(parts, key=rank)


def needed(part, state):
    """Minutes that a part is expected to take at least."""
    known = state.get(part.name, {}).get("minutes")
    return part.minutes if known is None else known


def choose(part, waiting, left, state):
    """Minutes for `part`, or None if it does not fit into those that are left.

    A part that fills its time leaves the others that wait the time that they need, if possible.
    """
    least = needed(part, state) if not part.fills else min(part.minutes, needed(part, state))
    if least > left:
        return None
    if not part.fills:
        return left
    spare = left - sum(needed(other, state) for other in waiting)
    return max(least, min(left, spare))


# The runs


def git(*arguments):
    """The output of git, or None where there is no repository."""
    run = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)
    return run.stdout.strip() if run.returncode == 0 else None


def changes(state):
    """For each part the files that changed since it last passed, or None if that is unknown."""
    untracked = git("ls-files", "--others", "--exclude-standard")
    found = {}
    for name, known in state.items():
        if (passed := known.get("passed")) is None:
            continue
        files = git("diff", "--name-only", passed)
        found[name] = None if files is None else files.split("\n") + (untracked or "").split("\n")
    return found


def run(part, minutes):
    """Runs a part: True if it passed, False if it failed, None if the time was over before."""
    words = [
        word.format(minutes=max(1, int(minutes)), seconds=max(5, int(minutes * 60 / 16)))
        for word in part.command
    ]
    with open(WORK / f"{part.name}.log", "wb") as log:
        process = subprocess.Popen(
            ["make", *words], cwd=ROOT, stdin=subprocess.DEVNULL, stdout=log,
            stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
        try:
            return process.wait(minutes * 60) == 0
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return None


def tail(part):
    lines = (WORK / f"{part.name}.log").read_text(errors="replace").splitlines()
    return "\n".join("    " + line for line in lines[-25:])


def main():
    budget = float(os.environ.get("SLOWTEST_MINUTES", "20"))
    WORK.mkdir(exist_ok=True)
    memory = WORK / "state.json"
    state = json.loads(memory.read_text()) if memory.exists() else {}
    end = time.monotonic() + budget * 60
    waiting = order(PARTS, state, changes(state))
    results, left_out = {True: [], False: []}, []
    while waiting:
        part, *waiting = waiting
        minutes = choose(part, waiting, (end - time.monotonic()) / 60, state)
        if minutes is None:
            left_out.append(f"{part.name} (takes about {needed(part, state):.0f} minutes)")
            continue
        start = time.monotonic()
        passed = run(part, minutes)
        took = (time.monotonic() - start) / 60
        word = {True: "passed", False: "FAILED", None: "not ended"}[passed]
        print(f"{part.name}: {part.what}: {word} in {took:.1f} minutes", flush=True)
        known = state.setdefault(part.name, {})
        if passed is None:
            left_out.append(f"{part.name} (not ended in {took:.0f} minutes)")
            known["minutes"] = max(known.get("minutes", 0), took)
        else:
            results[passed].append(part)
            known.update(failed=not passed, time=time.time(), minutes=took)
            if passed:
                known["passed"] = git("rev-parse", "HEAD")
            else:
                print(f"{tail(part)}\n    All of it: {WORK / part.name}.log", flush=True)
        memory.write_text(json.dumps(state, indent=1))
    if left_out:
        print(f"Left out, for want of time: {', '.join(left_out)}")
    print(f"{len(results[True])} passed, {len(results[False])} failed, {len(left_out)} skipped")
    return 1 if results[False] else 0


if __name__ == "__main__":
    sys.exit(main())
