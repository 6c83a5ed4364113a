"""The ledger of long trials: `LEDGER=yes` lets each of them add its row to `docs/trials.tsv`.

A row stands for one run of one trial, whether it passed or failed. `docs/reliability.md` has the sums,
which `python ledger.py` writes anew. `python ledger.py NAME SEED passed COUNT=NUMBER…` adds a row by
hand, for trials that are not written in Python.
"""

import dataclasses
import datetime
import functools
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
LEDGER = ROOT / "docs/trials.tsv"
PAGE = ROOT / "docs/reliability.md"
BEGIN, END = "<!-- The sums of trials.tsv -->", "<!-- The end of the sums -->"
COLUMNS = ("day", "commit", "machine", "trial", "seed", "counts", "result")
# What is counted of all trials together, with the number to reach.
GOALS = {
    "kills": ("servers killed among writes", 10_000),
    "power_cuts": ("power cuts, of a disk that is simulated", 1_000),
    "failovers": ("failovers of a database", 1_000),
    "freezes": ("servers, databases and links that froze and woke up", 1_000),
    "cuts": ("connections cut in the midst of a message", 10_000),
    "events": ("events that a receiver of webhooks put in a book", 1_000_000),
    "histories": ("histories of the whole service under one seed", 100_000),
    "shared_histories": (
        "histories of several servers on one database under one seed", 100_000),
    "mutations": ("conditions changed by chance, for the simulation to find", 200),
    "mutations_found": ("of them found", 180),
    "steps": ("steps of random histories beside a model of the rules", 1_000_000),
}


@dataclasses.dataclass(frozen=True)
class Row:
    """One run of one trial."""

    day: str
    commit: str
    machine: str
    trial: str
    seed: str
    counts: dict
    result: str

    @classmethod
    def read(cls, line):
        values = dict(zip(COLUMNS, line.split("\t"), strict=True))
        pairs = (pair.split("=") for pair in values.pop("counts").split())
        return cls(**values, counts={name: int(number) for name, number in pairs})

    def __str__(self):
        values = dataclasses.asdict(self)
        values["counts"] = " ".join(f"{name}={number}" for name, number in self.counts.items())
        return "\t".join(values[name] for name in COLUMNS)


def rows(text):
    """The rows of a ledger, whose first line names the columns."""
    heads, *lines = text.splitlines()
    assert heads == "\t".join(COLUMNS), heads
    return [Row.read(line) for line in lines]


class Trial:
    """Adds a row when its block ends: `failed` with the kind of the error if there was one."""

    def __init__(self, name, seed, **counts):
        self.name, self.seed, self.counts = name, seed, counts

    def __enter__(self):
        # The tree may go on while a long trial runs.
        self.commit = commit() if os.environ.get("LEDGER") else ""
        return self

    def __exit__(self, kind, *_):
        if os.environ.get("LEDGER"):
            # How far a failed run came is not known, so it counts for nothing.
            result = f"failed: {kind.__name__}" if kind else "passed"
            add(self.name, self.seed, result, {} if kind else self.counts, self.commit)


def trial(name, **counts):
    """Lets a test with a seed be a trial."""
    def of(test):
        @functools.wraps(test)
        def run(*arguments, **fixtures):
            with Trial(name, fixtures["seed"], **counts):
                return test(*arguments, **fixtures)

        return run

    return of


def add(name, seed, result, counts, at=None, path=LEDGER):
    unknown = set(counts) - set(GOALS)
    if unknown:
        raise ValueError(f"no counts of a trial: {sorted(unknown)}; there are {list(GOALS)}")
    day = datetime.datetime.now(datetime.UTC).date().isoformat()
    row = Row(day, at or commit(), machine(), name, str(seed), counts, result)
    with open(path, "a", encoding="utf-8") as ledger:
        ledger.write(f"{row}\n")


def commit():
    """The commit that is checked out, with a plus if sources differ from it."""
    def git(*words):
        return subprocess.run(
            ["git", *words], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()

    changed = git("status", "--porcelain", "--", "Sources", "Package.swift")
    return git("rev-parse", "--short=12", "HEAD") + ("+" if changed else "")


def machine():
    """The processors of this machine."""
    text = pathlib.Path("/proc/cpuinfo").read_text()
    model = re.search(r"^model name\s*:\s*(.*)$", text, re.MULTILINE)
    return f"{os.cpu_count()} × {model[1] if model else 'unknown'}"


def sums(made):
    """The tables of a page: the goals, and each trial."""
    done = {name: sum(row.counts.get(name, 0) for row in made) for name in GOALS}
    lines = ["| counted | so far | to reach |", "|---|--:|--:|"]
    lines += [
        f"| {words} | {done[name]:,} | {goal:,} |" for name, (words, goal) in GOALS.items()]
    lines += ["", "| trial | runs | failed | last run | at commit |", "|---|--:|--:|---|---|"]
    for trial in sorted({row.trial for row in made}):
        own = [row for row in made if row.trial == trial]
        failed = sum(row.result != "passed" for row in own)
        last = own[-1]
        lines.append(f"| {trial} | {len(own)} | {failed} | {last.day} | `{last.commit}` |")
    return "\n".join(lines)


def page(text, made):
    """The page with the sums of the ledger."""
    before, _, rest = text.partition(BEGIN)
    after = rest.partition(END)[2]
    return f"{before}{BEGIN}\n\n{sums(made)}\n\n{END}{after}"


if __name__ == "__main__":
    if len(sys.argv) > 1:
        trial, its_seed, ending, *pairs = sys.argv[1:]
        numbers = {name: int(number) for name, number in (pair.split("=") for pair in pairs)}
        add(trial, its_seed, ending, numbers)
    PAGE.write_text(page(PAGE.read_text(), rows(LEDGER.read_text())))
