"""Fills the table of docs/performance.md that says what each write costs.

    write_costs.py [RELATIONBENCH [ROWS]]

It counts the instructions of the writes that have no ceiling, as `bench_check.py` counts those that
have one, and takes the others from Benchmarks/ceilings.tsv. Without RELATIONBENCH it counts nothing.
ROWS is a file with the lines of the table as `WriteCostTests` measured them, without instructions;
without it, the page's rows stay.
"""

import argparse
import pathlib
import sys
import tempfile

from bench_check import CEILINGS, Counter, Failed, read_ceilings

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "performance.md"
HEAD = "| call | rows read | rows written | bytes written | instructions |"
RULE = "|---|--:|--:|--:|--:|"
#: What stands for a number that was not counted.
NONE = "–"

#: The counted call of each row, without the size of its batch.
CALLS = {
    "`Follow`": "Follow",
    "`Unfollow`": "Unfollow",
    "`CreateInvitation`": "CreateInvitation",
    "`AcceptInvitation`": "AcceptInvitation",
    "`RevokeInvitation`": "RevokeInvitation",
    "`UpdateFriends`": "UpdateFriends.mark",
    "`RevokeUserSessions`": "RevokeUserSessions",
    "`SuspendAccounts`": "SuspendAccounts",
    "`ReinstateAccounts`": "ReinstateAccounts",
    "`ReportUser`": "ReportUser",
    "`ResolveReports`": "ResolveReports",
    "`SetStatus`": "SetStatus",
    "`DismissSuggestions`": "DismissSuggestions",
    "`RestoreSuggestions`": "RestoreSuggestions",
    "`SetFindSettings`": "SetFindSettings",
    "`SetContactDigests`": "SetContactDigests",
    "`FindContacts`": "FindContacts.one",
    "`SetVisibility`": "SetVisibility",
    "`UpdateProfile`": "UpdateProfile",
    "`UpdateProfile`, with the index of names": "UpdateProfile.found",
    "`SetFindSettings`, with the index of names": "SetFindSettings.found",
    "`DecideReviews`": "DecideReviews",
    "`DeleteAccounts`": "DeleteAccounts",
    "`DeleteAccounts` with `erase`": "DeleteAccounts.erase",
    "`ReportPresence` of a new device": "ReportPresence",
    "`ReportPresence` within the hour": "ReportPresence.again",
}


def read_rows(lines):
    """The cells of a table's lines by the first one."""
    rows = {}
    for line in lines:
        if line.startswith("| `"):
            name, *cells = (cell.strip() for cell in line.strip().strip("|").split("|"))
            rows[name] = cells
    return rows


def split(page):
    """The page before its table, the table's lines, and the page after it."""
    lines = page.split("\n")
    if HEAD not in lines:
        raise Failed(f"the page has no table with the head {HEAD}")
    start = lines.index(HEAD)
    end = lines.index("", start)
    return lines[:start], lines[start:end], lines[end:]


def filled(page, measured, instructions):
    """The page with the rows of `measured`, and with instructions where they are known.

    A number that was not counted now stays as the page has it.
    """
    before, table, after = split(page)
    old = read_rows(table)
    rows = {**old, **{name: [*cells[:3]] for name, cells in measured.items()}}
    lines = []
    for name, cells in rows.items():
        if name not in CALLS:
            raise Failed(f"write_costs.py knows no counted call for {name}")
        known = instructions.get(CALLS[name])
        kept = old.get(name, [])[3:]
        last = f"{round(known, -3):,.0f}" if known else kept[0] if kept else NONE
        lines.append(f"| {' | '.join([name, *cells[:3], last])} |")
    return "\n".join([*before, HEAD, RULE, *lines, *after])


def count(bench):
    """The instructions of one write each, by the names in `CALLS`, and what could not be counted."""
    found = {
        name.removesuffix(".batch16"): ceiling.instructions
        for name, ceiling in read_ceilings(CEILINGS.read_text()).items()
    }
    faults = []
    if not bench:
        return found, faults
    with tempfile.TemporaryDirectory() as folder:
        counter = Counter(bench.resolve(), folder)
        for name in counter.costs():
            try:
                counts = counter.counts([name])
                found[name.removesuffix(".batch16")] = counts[name].instructions
                print(f"{name:32} {counts[name].instructions:14,.0f}", flush=True)
            except Failed as error:
                faults.append(f"{name}: {error}")
    return found, faults


def main(words):
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("bench", type=pathlib.Path, nargs="?")
    parser.add_argument("rows", type=pathlib.Path, nargs="?", help="lines of WriteCostTests")
    options = parser.parse_args(words)
    measured = {}
    if options.rows and options.rows.exists():
        measured = read_rows(options.rows.read_text().splitlines())
    instructions, faults = count(options.bench)
    PAGE.write_text(filled(PAGE.read_text(), measured, instructions))
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Failed as error:
        sys.exit(str(error))
