"""Puts faults into the service, and tells whether the simulation of the whole service finds each.

`python mutations.py` tries all of them, `python mutations.py NAME…` some, each by two tests for
SECONDS_EACH=600 at most. A fault is a text of one file and what stands there with the fault;
`--check` only looks whether each text is there. Each runs in a copy of the tree, in
`.build-mutations`, where a build compiles what the fault changes. A history that fails counts only
if it passes without the fault.

`python mutations.py --random SEED COUNT` tries faults by chance: see random_mutations.py. It fails
if fewer than nine in ten are found. LEDGER=yes adds a row to docs/trials.tsv.
"""

import dataclasses
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys

import ledger
import random_mutations

ROOT = pathlib.Path(__file__).resolve().parents[2]
COPY = ROOT / ".build-mutations"
SWIFT = os.environ.get("SWIFT", "swift")
# For how many seconds each of the two tests with new seeds looks for a fault.
SECONDS = os.environ.get("SECONDS_EACH", "600")
# How much longer all tests of one fault may take before they count as hung.
MARGIN_SECONDS = 300
# How many of the faults by chance must be found.
LEAST_SHARE = 0.9
# What a told history begins with, and the seed of a result.
STORY = re.compile(r"(RELATION_(?:SHARED_)?SEED=[0-9]+), .*breaks:")
SEED = re.compile(r"(RELATION_(?:SHARED_)?SEED)=([0-9]+)")


@dataclasses.dataclass(frozen=True)
class Mutation:
    """A fault, as one change of one file."""

    name: str
    what: str
    path: str
    old: str
    new: str

    def is_possible(self):
        """Whether the text that it changes is there once."""
        return (ROOT / self.path).read_text().count(self.old) == 1


# The worst faults that this service had, or could have had.
MUTATIONS = [
    Mutation(
        "half-pair", "a deletion leaves the other side of a friendship",
        "Sources/RelationCore/Friend/Friendship.swift",
        "        if theirs { try remove(owner, of: friend, isOfBoth: isOfBoth, in: ledger) }\n",
        ""),
    Mutation(
        "failed-commit", "a commit that failed is answered as if it had not",
        "Sources/RelationRuntime/Writes/Committer.swift",
        "            for job in batch.jobs[..<failed] { job.fail(error) }\n",
        ""),
    Mutation(
        "unknown-outcome", "a write whose outcome is unknown is answered as refused",
        "Sources/RelationCalls/RPCError+Reasons.swift",
        "            self = .outcomeUnknown(error)\n",
        "            self = RPCError(.unavailable, .storageUnavailable, \"try again\")\n"),
    Mutation(
        "lost-wake-up", "the committer sleeps while writes wait",
        "Sources/RelationRuntime/Writes/Committer+State.swift",
        "        isAwake = !queue.isEmpty\n"
        "        return isAwake ? .batch(takeBatch(at: now)) : .nothing\n",
        "        isAwake = true\n"
        "        return queue.isEmpty ? .nothing : .batch(takeBatch(at: now))\n"),
    Mutation(
        "lost-hub-wake-up", "the hub of changes sleeps after a commit that it reported at once",
        "Sources/RelationChanges/Watch/ChangeHub.swift",
        "            state.isAwake = !state.inputs.isEmpty\n            return state.isAwake\n",
        "            return !state.inputs.isEmpty\n"),
    Mutation(
        "request-id", "a write that is sent again is done again",
        "Sources/RelationService/Call/WriteInvocation.swift",
        "            case .answer(let bytes): return try replay(bytes, ledger.arena)\n",
        "            case .answer: break\n"),
    Mutation(
        "stale-cache", "the caches of reads do not learn of commits",
        "Sources/RelationCore/Cache/ReadCache.swift",
        "        for part in parts { part.willCommit(version, of: transaction) }\n",
        "        _ = (version, transaction)\n"),
    Mutation(
        "failed-commit-cached", "the caches keep what a failed commit would have written",
        "Sources/RelationRuntime/Writes/Committer.swift",
        "        memory.didCommit(false)\n",
        "        memory.didCommit(true)\n"),
    Mutation(
        "unheard-loss", "streams are not told of events that they miss while the store is away",
        "Sources/RelationChanges/Watch/WatchCore.swift",
        "            watch.skip(to: position(of: app) ?? watch.position)\n",
        "            guard let position = position(of: app) else { continue }\n"
        "            watch.skip(to: position)\n"),
    Mutation(
        "forgotten-loss", "a stream that lost events while it began does not read them",
        "Sources/RelationChanges/Watch/WatchStream.swift",
        "        guard !opening.hasLost else {\n            opening.readAnew()\n"
        "            return readOn(opening, call)\n        }\n",
        ""),
    Mutation(
        "forgotten-events", "events are dropped that come while a stream begins",
        "Sources/RelationChanges/Watch/WatchStream.swift",
        "        case .opening(let opening): opening.buffer(message)\n",
        "        case .opening: break\n"),
    Mutation(
        "doubled-events", "a stream gets events twice that it has read already",
        "Sources/RelationChanges/Watch/WatchStream.swift",
        "            if message.position > 0, message.position <= position { return }\n",
        ""),
    Mutation(
        "token-ahead", "the token of an event stands for a point before its messages",
        "Sources/RelationChanges/Watch/MissedEvents.swift",
        "            if found > position { high = middle } else { low = middle + 1 }\n",
        "            if found > position + 1 { high = middle } else { low = middle + 1 }\n"),
    Mutation(
        "kept-deadline", "a call is not ended by its deadline",
        "Sources/GRPC/Server/ServerConnection.swift",
        "        if let deadline = call.deadline { loop.watch(call, deadline) }\n",
        ""),
    Mutation(
        "request-id-short", "an answer is kept under its request id for a tenth of a second",
        "Sources/RelationCore/Change/Answers.swift",
        "        guard let record, record.timeMs > ledger.now.milliseconds"
        " - Limits.requestIDMilliseconds\n",
        "        guard let record, record.timeMs > ledger.now.milliseconds - 100\n"),
    Mutation(
        "hook-ahead", "the position of a hook passes events that its receiver has not taken",
        "Sources/RelationHooks/HookLoop+Storing.swift",
        "            step.position = progress.lowWater\n",
        "            step.position = served.readThrough\n"),
    Mutation(
        "revoked-cached", "a loop recognises a key that it has seen before it was revoked",
        "Sources/RelationAdmission/RecognisedCallers.swift",
        " principal.generation == generation,\n            principal.hasShown(shown)\n",
        "\n            principal.hasShown(shown)\n"),
    Mutation(
        "revoked-stream", "a stream goes on whose key was revoked",
        "Sources/RelationAdmission/CredentialAuthenticator.swift",
        "        guard present != generation else { return }\n",
        "        guard generation == 0 else { return }\n"),
    Mutation(
        "outdated-report", "a report of presence counts that is older than the last one",
        "Sources/RelationChanges/Presence/PresentUser.swift",
        "        return ReportOrder(timeMs: timeMs, isOffline: !report.online)"
        " < devices[index].order\n",
        "        _ = (timeMs, index)\n        return false\n"),
    Mutation(
        "presence-clock", "a clock that was set back hides who is online",
        "Sources/RelationChanges/Presence/PresenceBoard.swift",
        "        state.add(appUser, max(sinceMs, createdMs))\n",
        "        state.add(appUser, sinceMs)\n"),
    Mutation(
        "client-request-id", "the Swift client sends a write again without a request id",
        "Sources/RelationClient/Client.swift",
        "                RequestIDField.append(to: &request, chance)\n",
        ""),
    Mutation(
        "client-token", "a stream of the Swift client goes on from the first token that it had",
        "Sources/RelationClient/ChangesPosition.swift",
        "            request.resumeToken = message.resumeToken\n",
        "            if request.resumeToken.isEmpty { request.resumeToken = message.resumeToken }\n"),
    Mutation(
        "client-own-write", "the Swift client's cache keeps a profile that it has changed",
        "Sources/RelationClient/Client.swift",
        "                caches.end(after: request)\n",
        ""),
    Mutation(
        "client-chain-gap", "a chain of the Swift client takes an event before those it lacks",
        "Sources/RelationClient/Chain/ChainEntries.swift",
        "        return isCurrent(kept, slot) && kept.rows.sequence == sequence\n",
        "        return isCurrent(kept, slot) && kept.rows.sequence <= sequence\n"),
    Mutation(
        "client-deadline", "each attempt of the Swift client has all of the time anew",
        "Sources/RelationClient/Client.swift",
        "clock.isSystem ? call.deadline : clock.deadline(after: timeLeft(call))\n",
        "clock.deadline(after: call.options.timeout ?? timeout)\n"),
]


def tried(mutation):
    """Whether the simulation finds the fault."""
    path = COPY / mutation.path
    text = path.read_text()
    path.write_text(text.replace(mutation.old, mutation.new))
    try:
        built(check=True)
        result = found()
    finally:
        path.write_text(text)
    return confirmed(result).startswith("found: ")


def confirmed(result):
    """The result, unless each history that it names fails without the fault too.

    The fault is taken out already. A program that ends, or never does, names no history.
    """
    seeds = SEED.findall(result)
    if not seeds:
        return result
    built(check=True)
    if any(passes(name, seed) for name, seed in seeds):
        return result
    return "NOT FOUND: what fails does so without the fault too"


def passes(name, seed):
    """Whether the history of a seed keeps every promise, in what is built."""
    suite = "SharedSimulation" if "SHARED" in name else "WholeSimulationTests.WholeSimulation"
    try:
        code, _ = tests(f"{suite}Tests/everyKnownSeed", {name: seed}, MARGIN_SECONDS)
    except subprocess.TimeoutExpired:
        return False
    return code == 0


def tests(names, variables, seconds):
    """The status of these tests, and all that they print. After so many seconds they are killed,
    and that is an error."""
    environment = os.environ | {
        "RELATION_TESTS": "WholeSimulationTests",
        # Seeds of several servers run alike in each process only so.
        "SWIFT_DETERMINISTIC_HASHING": "1"} | variables
    command = [SWIFT, "test", "--skip-build", "--disable-xctest", "--filter", names]
    with subprocess.Popen(
            command, cwd=COPY, env=environment, text=True, start_new_session=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        try:
            output, _ = process.communicate(timeout=seconds)
        except BaseException:
            # The tests are a process of their own, which `swift test` started.
            os.killpg(process.pid, signal.SIGKILL)
            raise
    return process.returncode, output


def built(*, check):
    """Builds the simulation in the copy; whether that worked."""
    environment = os.environ | {"RELATION_TESTS": "WholeSimulationTests"}
    run = subprocess.run([SWIFT, "build", "--build-tests"], cwd=COPY, env=environment, check=check,
                         stdout=subprocess.DEVNULL)
    return run.returncode == 0


def found():
    """What became of the simulation, in words that begin with "found" or not."""
    try:
        # The two tests with new seeds may run one after the other.
        code, output = tests(
            "KeepsEveryPromise|newSeeds|KeepEveryPromise", {"RELATION_SECONDS": SECONDS},
            2 * float(SECONDS) + MARGIN_SECONDS)
    except subprocess.TimeoutExpired:
        return "found: a history does not end"
    story = [line for line in output.splitlines() if "steps are enough" in line]
    if code != 0 and story:
        return f"found: {', '.join([*STORY.findall(output), story[0].strip()])}"
    # A trap ends the program before a story is told.
    if code != 0 and "unexpected signal" in output or code < 0:
        return "found: the program ends"
    return "NOT FOUND"


def tried_by_chance(place):
    """What became of a fault by chance; None if it does not compile."""
    text = place.put(COPY)
    try:
        result = found() if built(check=False) else None
    finally:
        (COPY / place.path).write_text(text)
    return result and confirmed(result)


def by_chance(seed, count):
    """Tries so many faults that a seed chooses."""
    copied()
    # What does not compile before the fault says nothing about it.
    built(check=True)
    results = []
    for place in random_mutations.drawn(seed):
        if len(results) == count:
            break
        print(f"{place.part}, {place.name}: {place.old.strip()}\n    {place.new.strip()}", flush=True)
        result = tried_by_chance(place)
        print(result or "does not compile: another one takes its place", flush=True)
        if result:
            results.append(result.startswith("found: "))
    hits = sum(results)
    print(f"{hits} of {len(results)} were found")
    is_enough = len(results) == count and hits >= LEAST_SHARE * count
    if os.environ.get("LEDGER"):
        ledger.add("mutations: conditions by chance", seed, "passed" if is_enough else "failed",
                   {"mutations": len(results), "mutations_found": hits})
    if not is_enough:
        raise SystemExit("too few of them were found, or there are too few")


def copied():
    """Copies the files of the tree, and keeps what was built of them."""
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True)
    for name in listed.stdout.splitlines():
        source, target = ROOT / name, COPY / name
        if not source.is_file() or target.is_file() and target.read_bytes() == source.read_bytes():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, target)


def main(arguments):
    impossible = [mutation.name for mutation in MUTATIONS if not mutation.is_possible()]
    if impossible:
        raise SystemExit(f"these faults fit no more: {', '.join(impossible)}")
    if "--check" in arguments:
        return
    if "--random" in arguments:
        numbers = [word for word in arguments if word != "--random"]
        if len(numbers) != 2 or not all(word.isdecimal() and int(word) > 0 for word in numbers):
            raise SystemExit("--random takes a seed and a count, both above 0")
        return by_chance(*map(int, numbers))
    names = [mutation.name for mutation in MUTATIONS]
    unknown = set(arguments) - set(names)
    if unknown:
        raise SystemExit(f"there are these faults: {', '.join(names)}")
    copied()
    missed = []
    for mutation in MUTATIONS:
        if arguments and mutation.name not in arguments:
            continue
        print(f"{mutation.name}: {mutation.what}", flush=True)
        is_found = tried(mutation)
        print("found" if is_found else "NOT FOUND", flush=True)
        if not is_found:
            missed.append(mutation.name)
    if missed:
        raise SystemExit(f"the simulation does not find: {', '.join(missed)}")


if __name__ == "__main__":
    main(sys.argv[1:])
