"""Counts what a call costs in a client, by valgrind: instructions in user space, and allocations.

    client_cost.py RELATIONBENCH

A call is made through the public client, through the channel below it with messages, and through
the channel alone with bytes. Each way runs twice, with few calls and with more, so that the
difference comes from the calls alone. The server is another process.

It fails if a call through the client takes more than LIMIT times the instructions of the channel.
"""

import pathlib
import re
import signal
import subprocess
import sys
import tempfile

# The two numbers of calls. The first ones also pay for what is made once.
CALLS = (200, 600)
LIMIT = 1.5
WAYS = ("client", "codec", "channel")
# The reads, and the way with whose cost that of the client is compared: an answer of a hundred
# friends has ten thousand bytes, and the channel alone makes no messages of them.
READS = {"check": "channel", "checks": "codec", "friends": "codec"}


def valgrind(tool, folder, program, *arguments):
    """Runs a program under a tool of valgrind; returns its words."""
    run = subprocess.run(
        ["valgrind", f"--tool={tool}", *folder, str(program), *arguments],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if run.returncode != 0:
        sys.exit(f"{tool} failed: {run.stderr[-2000:]}")
    return run.stderr


def instructions(program, folder, *arguments):
    out = folder / "callgrind.out"
    valgrind("callgrind", [f"--callgrind-out-file={out}"], program, *arguments)
    found = re.search(r"^(?:summary|totals): (\d+)", out.read_text(), re.M)
    return int(found[1])


def allocations(program, folder, *arguments):
    words = valgrind("memcheck", ["--leak-check=no", "--undef-value-errors=no"], program, *arguments)
    found = re.search(r"total heap usage: ([\d,]+) allocs", words)
    return int(found[1].replace(",", ""))


def slope(count, program, folder, address, way, read):
    """What one more call costs."""
    few, many = (
        count(
            program, folder, "call", "--server", address, "--through", way, "--read", read,
            "--calls", str(calls),
        )
        for calls in CALLS
    )  # fmt: skip
    return (many - few) / (CALLS[1] - CALLS[0])


def measure(bench, folder, address):
    # Valgrind fails on the debug information of a Swift program.
    program = folder / "client"
    subprocess.run(["strip", "--strip-debug", "-o", program, bench], check=True)
    print("| call | way | instructions | allocations |\n|---|---|--:|--:|")
    faults = []
    for read, base in READS.items():
        costs = {}
        for way in WAYS:
            costs[way] = slope(instructions, program, folder, address, way, read)
            made = slope(allocations, program, folder, address, way, read)
            print(f"| {read} | {way} | {costs[way]:,.0f} | {made:.1f} |", flush=True)
        ratio = costs["client"] / costs[base]
        print(f"{read}: the client takes {ratio:.2f} times the instructions of the {base}")
        if ratio > LIMIT:
            faults.append(f"{read}: {ratio:.2f} is more than {LIMIT}")
    return faults


def main():
    bench = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        server = subprocess.Popen(
            [bench, "serve", "--data", folder / "data"], stdout=subprocess.PIPE, text=True)
        try:
            address = server.stdout.readline().removeprefix("listening on ").strip()
            subprocess.run(
                [bench, "call", "--server", address, "--through", "client", "--read", "check",
                 "--calls", "1", "--prepare"], check=True,
            )  # fmt: skip
            faults = measure(bench, folder, address)
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait()
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
