"""Tries each target of FuzzTests for some seconds by libFuzzer: `fuzz.py PROGRAM [TARGET...]`.

PROGRAM is the program of FuzzTests, built with libFuzzer. It begins with the inputs of the corpus
and those that earlier runs found, which stay in `.build-fuzz/inputs`. An input that breaks
something is kept there too, and is tried again when it is copied into the corpus.
"""

import os
import pathlib
import random
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
CORPUS = ROOT / "Tests" / "FuzzTests" / "Corpus"
WORK = ROOT / ".build-fuzz" / "inputs"
# Time beyond the given one: for the start, the inputs that are there, and the last input.
GRACE_SECONDS = 120


def arguments(name, seconds, seed, work):
    """The arguments for libFuzzer."""
    return [
        f"-max_total_time={seconds}", f"-seed={seed}", "-max_len=5000", "-timeout=20",
        "-rss_limit_mb=3000", "-detect_leaks=0", "-print_final_stats=1", "-verbosity=1",
        f"-artifact_prefix={work / 'broken'}/{name}-", str(work / name), str(CORPUS / name),
    ]  # fmt: skip


def executions(log):
    """How many inputs were tried, by libFuzzer's own count; 0 if it does not say."""
    numbers = re.findall(r"stat::number_of_executed_units:\s+(\d+)", log) or re.findall(
        r"^#(\d+)\s", log, re.MULTILINE
    )
    return int(numbers[-1]) if numbers else 0


def kept(log):
    """The file with the input that broke something, or None."""
    written = re.search(r"Test unit written to (\S+)", log)
    return pathlib.Path(written[1]) if written else None


def reason(log):
    """The line that names the broken promise."""
    marks = ("Fatal error:", "ERROR:", "SUMMARY:", "Precondition failed")
    lines = [line for line in log.splitlines() if any(mark in line for mark in marks)]
    return lines[0].strip() if lines else "the process ended"


def run(program, name, seconds, seed):
    """Tries one target, and returns whether everything held."""
    for folder in (WORK / name, WORK / "broken"):
        folder.mkdir(parents=True, exist_ok=True)
    environment = {
        **os.environ,
        "RELATION_FUZZ_TARGET": name,
        "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=0",
    }
    command = [program, *arguments(name, seconds, seed, WORK)]
    try:
        ended = subprocess.run(
            command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, errors="replace", timeout=seconds + GRACE_SECONDS,
        )  # fmt: skip
        status, log = ended.returncode, ended.stdout
    except subprocess.TimeoutExpired as late:
        status, log = -1, (late.stdout or b"").decode(errors="replace")
    (WORK / f"{name}.log").write_text(log)
    count = executions(log)
    print(f"{name}: {count} executions in {seconds} s, seed {seed}", flush=True)
    if status == 0 and count > 0:
        return True
    print(f"  BROKEN: {reason(log)}; all of it is in {WORK / name}.log")
    if file := kept(log):
        print(
            f"  The input is {file}. To try it again, copy it into {CORPUS / name}:\n"
            "  swift test --filter everyKeptInputIsBorne"
        )
    return False


def main(program, chosen):
    seconds = int(os.environ.get("FUZZ_SECONDS", "20"))
    seed = int(os.environ.get("FUZZ_SEED") or random.randrange(1, 1 << 31))
    names = chosen or sorted(folder.name for folder in CORPUS.iterdir())
    results = [run(program, name, seconds, seed) for name in names]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
