"""Measures the server with real clients, over TLS, in JSON, and in the tail of its latencies.

The server has processor 0, and the load processor 1. Servers take turns, and ratios are those
within a round. README.md has the parts.
"""

import argparse
import datetime
import json
import os
import pathlib
import platform
import signal
import sys
import tempfile

import parts
import runs
from figures import table
from runs import Server, note
from setting import ROOT, Setting, pinned

PARTS = ("heads", "tls", "http1", "neighbours", "tails", "rate", "start")
PROCESSORS = {"one": (0,), "both": (0, 1)}


def machine():
    """The machine that the figures are of."""
    model = next(
        (line.partition(":")[2].strip() for line in open("/proc/cpuinfo")
         if line.startswith("model name")), "unknown")
    return {
        "date": datetime.date.today().isoformat(), "load": os.getloadavg()[0],
        "machine": f"{os.cpu_count()} × {model}, Linux {platform.release()}",
        "steal": stolen()}


def stolen():
    """The ticks of all processors that the host gave to others, and all ticks."""
    words = next(open("/proc/stat")).split()[1:9]
    return [int(words[7]), sum(map(int, words))]


def lines(found):
    """The tables of what was measured."""
    for name in ("heads", "tls"):
        if rows := found.get(name):
            yield f"\n{name}: server CPU µs a call, CheckFriends of 1, 4 × 50"
            yield from table(
                ["client and headers", "ours", "C", "grpc-go", "of C", "of grpc-go"],
                [[f"{row['client']}, {row['head']}",
                  *(f"{row['microseconds'][server]:.1f}" for server in ("ours", "C", "grpc-go")),
                  f"{row['ofC']:.2f}", f"{row['ofGo']:.2f}"] for row in rows])
    if row := found.get("http1"):
        yield "\nhttp1: server CPU µs a call, CheckFriends of 1, 200 × 1"
        yield from table(
            ["JSON", "gRPC", "net/http", "of gRPC", "of net/http"],
            [[*(f"{row['microseconds'][name]:.1f}" for name in ("JSON", "gRPC", "net/http")),
              f"{row['ofGRPC']:.2f}", f"{row['ofGo']:.2f}"]])
    if rows := found.get("neighbours"):
        yield "\nneighbours: calls that a neighbour keeps"
        yield from table(
            ["beside", "of alone", "of beside an ordinary caller", "the other's calls a second"],
            [[name, f"{row['kept']:.2f}", f"{row['ofOrdinary']:.2f}", f"{row['others']:.0f}"]
             for name, row in rows.items()])
    for name in ("tails", "rate"):
        for count, rows in found.get(name, {}).items():
            yield f"\n{name}, {count} processors: µs, {rows[0]['rate']:.0f} calls a second"
            yield from tail_lines(rows)
    if rows := found.get("start"):
        yield "\nstart: seconds"
        yield from table(
            ["", "first answer", "full speed", "calls a second"],
            [[name, f"{row['first']:.2f}", f"{row['full']:.2f}", f"{row['a_second']:.0f}"]
             for name, row in rows.items()])


def tail_lines(rows):
    alone = rows[0]
    yield from table(
        ["beside", "p50", "p99", "p99.9", "most", "p99 of alone", "p99.9 of alone",
         "the loop waited for a processor, ms/s"],
        [[row["beside"], *(f"{row[word]:,.0f}" for word in ("p50", "p99", "p999", "max")),
          f"{row['p99'] / alone['p99']:.1f}", f"{row['p999'] / alone['p999']:.1f}",
          f"{waited(row):.1f}"] for row in rows])


def waited(row):
    """How long the threads of the loops could run and had no processor, in ms of a second."""
    each = row["rounds"][0]
    loops = [figures for name, figures in each["threads"].items() if name.startswith("NIO-ELT")]
    whole = sum(figures[1] for figures in loops)
    return whole * 1_000 / row["seconds"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--part", action="append", choices=PARTS, help="only this; several times")
    parser.add_argument("--quick", action="store_true", help="one short round of each")
    parser.add_argument("--processors", choices=PROCESSORS, action="append",
                        help="of the server, in tails and rate; without it, one and then both")
    parser.add_argument("--rounds", type=int, help="rounds of each")
    parser.add_argument("--seconds", type=float, help="how long a round of a tail takes")
    parser.add_argument("--data", type=pathlib.Path, help="the store of start")
    parser.add_argument("--graph", type=pathlib.Path, help="the friendships in that store")
    parser.add_argument("--figures", type=pathlib.Path, default=ROOT / ".build-peers")
    parser.add_argument("--profiles", type=pathlib.Path, metavar="FOLDER",
                        help="have perf say where our server's time goes; no figures then")
    options = parser.parse_args()
    if options.profiles:
        runs.profiler = runs.Profiler(options.profiles)
    effort = parts.QUICK if options.quick else parts.Effort()
    if options.rounds:
        effort = effort._replace(rounds=options.rounds)
    if options.seconds:
        effort = effort._replace(tail_seconds=options.seconds)
    pinned()
    # The servers are ended as well if a signal ends this.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended by a signal"))
    found = {"machine": machine()}
    with tempfile.TemporaryDirectory(prefix="clients-", dir=ROOT / ".build-peers") as folder:
        setting = Setting(folder, effort.copies)
        for part in options.part or PARTS:
            note(f"part {part}")
            if part == "start" and not options.data:
                note("start needs --data and --graph")
                continue
            found[part] = measure(part, setting, effort, options)
            text = json.dumps(found, indent=2) + "\n"
            (options.figures / "clients.json").write_text(text)
    found["machine"]["stealAfter"] = stolen()
    print("\n".join(lines(found)))


def measure(part, setting, effort, options):
    if part in ("heads", "tls"):
        return parts.real(setting, effort, part == "tls")
    if part == "http1":
        return parts.http1(setting, effort, Server)
    if part == "neighbours":
        return parts.neighbours(setting, effort)
    if part == "start":
        pairs = [tuple(line.split()) for line in open(options.graph)]
        return parts.start(setting, effort, options.data, pairs)
    return {
        name: parts.tails(setting, effort, PROCESSORS[name], part == "rate")
        for name in options.processors or PROCESSORS}


if __name__ == "__main__":
    main()
