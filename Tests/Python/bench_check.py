"""Counts instructions and allocations of the hottest calls, and holds them to their ceilings.

    bench_check.py RELATIONBENCH                    compares each call with its ceiling
    bench_check.py RELATIONBENCH --only CALL        counts some calls, and compares nothing
    bench_check.py RELATIONBENCH --write [WHY]      writes what was counted as new ceilings

`relationbench count` makes the calls of a row on one thread, without sockets and without a clock.
Valgrind's callgrind counts in user space what happens between two functions of it. Everything that
chooses instructions by the machine is fixed: see `ENVIRONMENT`.

A count of more than `TOLERANCE` above its ceiling fails; one that is as much below asks to lower
the ceiling, and fails from `SLACK` on. Whoever raises a ceiling gives the reason in the same line.
"""

import argparse
import collections
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import typing

ROOT = pathlib.Path(__file__).parents[2]
CEILINGS = ROOT / "Benchmarks" / "ceilings.tsv"

# How far a count may be above its ceiling, and below it before the ceiling is to be lowered.
TOLERANCE = 0.03
# How far a count may be below its ceiling before that is a failure: from here on a change could
# make the call slower by an eighth, and it would not be seen.
SLACK = 0.10
# Two allocations in a hundred calls are those of memory that grows once in a while.
FREE_ALLOCATIONS = 0.02

# What the machine would choose otherwise: the C library's functions for memory and strings by what
# the processor can, BoringSSL's by the same, Swift's hashes by chance. Valgrind shows programs an
# older processor of its own, and of the newer features AVX2 at most.
FEATURES = (
    "AVX", "AVX2", "AVX512F", "AVX512VL", "AVX512BW", "AVX_Fast_Unaligned_Load", "BMI1", "BMI2",
    "ERMS", "FMA", "FMA4", "FSRM", "LZCNT", "MOVBE", "POPCNT", "RTM", "SSE4_1", "SSE4_2", "SSSE3",
    "XSAVE", "XSAVEC", "Fast_Unaligned_Copy", "Fast_Unaligned_Load", "Prefer_ERMS", "Prefer_FSRM",
)  # fmt: skip
TUNABLES = (
    "glibc.cpu.hwcaps=" + ",".join("-" + name for name in FEATURES),
    "glibc.cpu.x86_data_cache_size=32768",
    "glibc.cpu.x86_shared_cache_size=1048576",
    "glibc.cpu.x86_non_temporal_threshold=786432",
    "glibc.malloc.arena_max=1",
)
ENVIRONMENT = {
    "GLIBC_TUNABLES": ":".join(TUNABLES),
    "LD_BIND_NOW": "1",
    "OPENSSL_ia32cap": "0:0",
    "PATH": "/usr/bin:/bin",
    "SWIFT_DETERMINISTIC_HASHING": "1",
}

# A call in JSON is held to a multiple of the same call in protobuf.
JSON, JSON_FACTOR = ".json", 3
# So is a write in an app that keeps a history, of the same write in one without it.
HISTORY, HISTORY_FACTOR = ".history", 1.3

ALLOCATORS = {
    "malloc", "calloc", "realloc", "posix_memalign", "aligned_alloc", "memalign", "valloc",
}  # fmt: skip
# Between these two functions of `relationbench` everything counts, as often as they are called.
# Swift's names hold these words.
BEGIN, END = "*11countBegins*", "*9countEnds*"

# How many rows one process counts: as many on each machine, so that each row comes after the same.
GROUP = 13


class Failed(Exception):
    """The count could not be made."""


class Count(typing.NamedTuple):
    instructions: float
    allocations: float


class Ceiling(typing.NamedTuple):
    instructions: float
    allocations: float
    reason: str


# MARK: Profiles


class Profile(typing.NamedTuple):
    """What one thread did between the two functions."""

    instructions: int
    allocations: int
    # The instructions of each function by itself.
    functions: collections.Counter


def read_profile(text):
    """Reads a file of callgrind."""
    files, names = {}, {}
    functions = collections.Counter()
    instructions = allocations = 0
    file = function = called = None
    is_call = False
    for line in text.splitlines():
        if match := re.fullmatch(r"(c?)fn=\((\d+)\)(?: (.*))?", line):
            if match[3] is not None:
                names[match[2]] = re.sub(r"'\d+$", "", match[3])
            if match[1]:
                called = names[match[2]]
            else:
                function = names[match[2]]
        elif match := re.fullmatch(r"ob=(\(\d+\))(?: (.*))?", line):
            file = files[match[1]] = match[2] if match[2] is not None else files[match[1]]
        elif match := re.fullmatch(r"cob=(\(\d+\)) (.*)", line):
            files[match[1]] = match[2]
        elif line.startswith("calls="):
            is_call = True
            # What the C library calls of itself is part of an allocation that is counted.
            if called in ALLOCATORS and "/libc.so" not in file:
                allocations += int(line[6:].split()[0])
        elif match := re.fullmatch(r"[-+*\d]\S* (\d+)", line):
            # The line after that of a call has the cost of what was called.
            if not is_call:
                functions[function] += int(match[1])
            is_call = False
        elif line.startswith("summary:"):
            instructions = int(line.split()[1])
    if instructions == 0:
        raise Failed("callgrind has counted nothing")
    return Profile(instructions, allocations, functions)


def run(*words, **options):
    done = subprocess.run(
        [str(word) for word in words], capture_output=True, text=True, check=False, **options)
    if done.returncode != 0:
        raise Failed(f"{words[0]} failed: {(done.stderr or done.stdout)[-2000:]}")
    return done.stdout


class Counter:
    """Counts calls of one build, over one data folder."""

    def __init__(self, bench, folder, environment=None):
        self.folder = pathlib.Path(folder)
        self.environment = environment or ENVIRONMENT
        self.program = self.folder / "relationbench"
        # Valgrind fails on the debug information of a Swift program; names may stay.
        run("strip", "--strip-debug", "-o", self.program, bench)
        run(self.program, "count", "--prepare", "--data", self.folder / "data")
        self.names = run(self.program, "count", "--list").splitlines()
        # What was counted so far: each row's profile, and its number of calls or events.
        self.profiles = {}

    def costs(self):
        """The names of the calls that have no ceiling."""
        return run(self.program, "count", "--list", "--costs").splitlines()

    def profile(self, names):
        """Counts some rows in one process: valgrind takes longer to begin than for their calls."""
        folder = self.folder / names[0]
        out = folder / "callgrind"
        words = []
        for name in names:
            data = folder / f"{name}.data"
            shutil.copytree(self.folder / "data", data)
            words += ["--call", name, "--data", data]
        printed = run(
            "/usr/bin/valgrind", "--quiet", "--tool=callgrind", "--separate-threads=yes",
            f"--zero-before={BEGIN}", f"--dump-before={END}", f"--callgrind-out-file={out}",
            self.program, "count", *words, env=self.environment,
        )  # fmt: skip
        # The thread that makes the calls is the first. Each part is what it did before an end.
        parts = sorted(folder.glob(f"{out.name}.*-01"), key=number_of_part)
        for name, line in zip(names, printed.splitlines(), strict=True):
            calls, events, length = map(int, line.split())
            of_row, parts = parts[:length], parts[length:]
            profile = together([read_profile(path.read_text()) for path in of_row])
            self.profiles[name] = profile, events or calls
        if parts:
            raise Failed(f"callgrind has {len(parts)} parts too many")
        shutil.rmtree(folder)

    def counts(self, names, jobs=None):
        """The counts of rows: of each call, or of each event."""
        groups = [names[start:start + GROUP] for start in range(0, len(names), GROUP)]
        with concurrent.futures.ThreadPoolExecutor(jobs or os.cpu_count()) as pool:
            # To go through the results tells the errors.
            for _ in pool.map(self.profile, groups):
                pass
        return {name: count(*self.profiles[name]) for name in names}


def number_of_part(path):
    """The number of a file of callgrind, such as `callgrind.12-01`."""
    return int(path.name.rpartition(".")[2].partition("-")[0])


def together(profiles):
    if not profiles:
        raise Failed("callgrind has counted nothing")
    functions = sum((profile.functions for profile in profiles), collections.Counter())
    return Profile(
        sum(profile.instructions for profile in profiles),
        sum(profile.allocations for profile in profiles),
        functions,
    )


def count(profile, calls):
    return Count(profile.instructions / calls, profile.allocations / calls)


# MARK: Ceilings

HEAD = """\
# The most instructions and allocations of one call, in user space, and why they are that many.
#
# `make bench-check` compares them with what it counts; CONTRIBUTING.md says when they change. A
# line: the call, instructions, allocations, the reason of the present numbers; tabs between.
"""


def read_ceilings(text):
    ceilings = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        fields = line.split("\t")
        if len(fields) != 4:
            raise Failed(f"line {number} of the ceilings has {len(fields)} fields, not 4")
        name, instructions, allocations, reason = fields
        if name in ceilings:
            raise Failed(f"line {number} of the ceilings names {name} again")
        ceilings[name] = Ceiling(float(instructions), float(allocations), reason.strip())
    return ceilings


def write_ceilings(ceilings):
    lines = (
        f"{name}\t{ceiling.instructions:.0f}\t{ceiling.allocations:.2f}\t{ceiling.reason}\n"
        for name, ceiling in ceilings.items()
    )
    return HEAD + "".join(lines)


def judge(counts, ceilings):
    """The faults of counts, and what is to be asked for."""
    faults, requests = [], []
    for name in ceilings.keys() - counts.keys():
        faults.append(f"{name} has a ceiling, and no call has that name")
    for name, found in counts.items():
        if name not in ceilings:
            faults.append(f"{name} has no ceiling")
            continue
        ceiling = ceilings[name]
        if not ceiling.reason:
            faults.append(f"{name} has a ceiling without a reason")
        for kind in Count._fields:
            most, seen = getattr(ceiling, kind), getattr(found, kind)
            room = FREE_ALLOCATIONS if kind == "allocations" else 0
            words = f"{name} takes {seen:,.2f} {kind}, its ceiling is {most:,.2f}"
            if seen > most * (1 + TOLERANCE) + room:
                faults.append(f"{words} ({change(seen, most)}): raise it with a reason, or make it cheaper")
            elif seen < most * (1 - SLACK) - room:
                faults.append(f"{words} ({change(seen, most)}): lower it")
            elif seen <= most * (1 - TOLERANCE) - room:
                requests.append(f"{words} ({change(seen, most)}): please lower it")
    faults += dear(counts, JSON, JSON_FACTOR) + dear(counts, HISTORY, HISTORY_FACTOR)
    return faults, requests


def dear(counts, ending, factor):
    """The calls of that ending that take too many times what they take without it."""
    return [
        f"{name} takes {found.instructions / counts[plain].instructions:.2f} times what {plain} "
        f"takes, and may take {factor} times as much"
        for name, found in counts.items()
        if name.endswith(ending) and (plain := name.removesuffix(ending)) in counts
        and found.instructions > factor * counts[plain].instructions
    ]  # fmt: skip


def change(seen, most):
    return f"{seen / most - 1:+.1%}" if most else "there were none"


def unexplained(before, after):
    """The rows whose ceiling was raised while the reason stayed."""
    return [
        name
        for name, new in after.items()
        if (old := before.get(name)) and new.reason == old.reason
        and (new.instructions > old.instructions or new.allocations > old.allocations)
    ]  # fmt: skip


def renewed(counts, ceilings, why):
    """New ceilings of what was counted; a row that rises, or is new, needs a reason."""
    new = {}
    for name, found in counts.items():
        found = Count(round(found.instructions), round(found.allocations, 2))
        old = ceilings.get(name)
        if old and found.instructions <= old.instructions and found.allocations <= old.allocations:
            new[name] = Ceiling(*found, old.reason)
        elif why:
            new[name] = Ceiling(*found, why)
        else:
            raise Failed(f"{name} rises or is new: say why, as in BENCH_CHECK=write WHY='…'")
    return new


def before_last_change(path, root=ROOT):
    """The ceilings as they were before they changed last; None if no history tells."""

    def git(*words):
        words = ["git", "-C", str(root), *words]
        return subprocess.run(words, capture_output=True, text=True, check=False)

    if not shutil.which("git"):
        return None
    name = str(path.relative_to(root))
    commits = git("log", "-2", "--format=%H", "--", name).stdout.split()
    # What is not committed yet has changed last.
    number = 0 if git("diff", "--quiet", "HEAD", "--", name).returncode == 1 else 1
    if len(commits) <= number:
        return None
    old = git("show", f"{commits[number]}:{name}")
    return read_ceilings(old.stdout) if old.returncode == 0 else None


# MARK: The command


def print_counts(counts, ceilings):
    print(f"{'call':32} {'instructions':>14} {'ceiling':>12} {'allocations':>12} {'ceiling':>9}")
    for name, found in counts.items():
        most = ceilings.get(name)
        of = (f"{most.instructions:,.0f}", f"{most.allocations:,.2f}") if most else ("", "")
        print(
            f"{name:32} {found.instructions:14,.0f} {of[0]:>12} "
            f"{found.allocations:12,.2f} {of[1]:>9}"
        )


def print_functions(counter, names, rows=40):
    for name in names:
        profile, calls = counter.profiles[name]
        print(f"\n{name}: instructions a call of each function by itself")
        for function, cost in profile.functions.most_common(rows):
            print(f"{cost / calls:12,.0f}  {function[:150]}")


def main(words):
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("bench", type=pathlib.Path)
    parser.add_argument("--only", action="append", help="count only these, and compare nothing")
    parser.add_argument("--functions", action="store_true", help="print where the time goes")
    parser.add_argument("--write", nargs="?", const="", metavar="WHY", help="write new ceilings")
    options = parser.parse_args(words)
    ceilings = read_ceilings(CEILINGS.read_text()) if CEILINGS.exists() else {}
    with tempfile.TemporaryDirectory() as folder:
        counter = Counter(options.bench.resolve(), folder)
        names = options.only or counter.names
        counts = counter.counts(names)
        print_counts(counts, ceilings)
        if options.functions:
            print_functions(counter, names)
    if options.only:
        return 0
    if options.write is not None:
        CEILINGS.write_text(write_ceilings(renewed(counts, ceilings, options.write)))
        return 0
    faults, requests = judge(counts, ceilings)
    before = before_last_change(CEILINGS)
    for name in unexplained(before or {}, ceilings):
        faults.append(f"{name} has a higher ceiling than before, with the reason of before")
    for line in requests + faults:
        print(line)
    return 1 if faults else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Failed as error:
        sys.exit(str(error))
