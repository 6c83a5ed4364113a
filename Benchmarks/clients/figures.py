"""Makes figures of rounds: ratios within a round, medians, the time until full speed, tables."""

import statistics

SLICE_SECONDS = 0.05
"""The length of a slice of load.c: `SLICE`."""

FULL = 0.9
"""The share of its last rate from which on a server is at full speed."""


class Failed(Exception):
    """The measurement could not be made, or an answer was wrong."""


def median(values):
    return statistics.median(values)


def ratio(rounds, one, other):
    """The median of the ratios within a round; a round is a mapping of names to figures."""
    return median([each[one] / each[other] for each in rounds])


def spread(values):
    """The least and the most, of the median."""
    middle = median(values)
    return (min(values) / middle, max(values) / middle)


def full_speed(slices, last=20):
    """The number of the first slice from which on the rate is full.

    The full rate is the median of the last slices. From the slice on, two slices must be full: one
    alone may be a burst of calls that had waited.
    """
    if len(slices) < last + 2:
        raise Failed(f"{len(slices)} slices are too few to tell a full rate")
    full = FULL * median(slices[-last:])
    for number in range(len(slices) - 1):
        if min(slices[number], slices[number + 1]) >= full > 0:
            return number
    raise Failed("the server never came to its full speed")


def checked(report, name):
    """The report of a load; fails if a call failed, or an answer was not the right one."""
    for word in ("failed", "wrong", "unanswered"):
        if report.get(word):
            raise Failed(f"{name}: {report[word]} calls {word}")
    if report["calls"] == 0:
        raise Failed(f"{name}: no call ended")
    return report


def table(head, rows):
    """Lines of a table in Markdown; all but the first column are numbers."""
    lines = ["| " + " | ".join(head) + " |", "|---" + "|--:" * (len(head) - 1) + "|"]
    return lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
