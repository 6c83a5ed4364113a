"""Faults by chance: conditions of named files that a seed negates, or moves by one.

Each has one place of one line. None is drawn in a check of the program's own mistakes, for such a
check ends the program, and never in a comment or in a text.
"""

import dataclasses
import pathlib
import random
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
# The code that decides about commits, feeds, leases, caches and rungs of ladders.
FILES = {
    "committer": [
        "Sources/RelationRuntime/Writes/Committer.swift",
        "Sources/RelationRuntime/Writes/Committer+State.swift",
        "Sources/RelationRuntime/Writes/Committer+Outcome.swift",
    ],
    "feed": [
        "Sources/RelationChanges/Watch/FeedFollower.swift",
        "Sources/RelationChanges/Watch/FeedPage.swift",
        "Sources/RelationChanges/Watch/WatchCore.swift",
        "Sources/RelationChanges/Watch/WatchStream.swift",
        "Sources/RelationCore/Change/Feed.swift",
        "Sources/RelationCore/Change/FeedState.swift",
    ],
    "leases": [
        "Sources/Storage/Peers/Lease.swift",
        "Sources/RelationRuntime/Peers/SharedApps.swift",
        "Sources/RelationRuntime/Peers/PeerListener.swift",
    ],
    "cache": [
        "Sources/RelationCore/Cache/ReadCache.swift",
        "Sources/RelationCore/Cache/CacheLookup.swift",
        "Sources/RelationCore/Cache/CacheReading.swift",
        "Sources/RelationCore/Cache/InvalidationLog.swift",
        "Sources/RelationCore/Cache/VersionedCache.swift",
        "Sources/RelationCore/Adjacency/AdjacencyCache.swift",
        "Sources/RelationCore/Adjacency/AdjacencyDraft.swift",
    ],
    "ladder": [
        "Sources/RelationCore/Friend/FriendRules+Add.swift",
        "Sources/RelationCore/Friend/FriendCheck.swift",
        "Sources/RelationCore/Change/ChangeView.swift",
        "Sources/RelationCore/Change/WatchedEvents.swift",
    ],
}
# The operators between two values, and what stands in their place: spaces tell them from those of
# types.
OPERATORS = {
    " < ": " <= ", " <= ": " < ", " > ": " >= ", " >= ": " > ", " == ": " != ", " != ": " == ",
    " && ": " || ", " || ": " && ",
}
# Conditions that are one expression, from the word before them to the word after them.
CONDITION = re.compile(
    r"^(?:\s*guard (?P<guard>.+?) else \{.*|\s*(?:\} else )?(?:if|while) (?P<other>.+?) \{.*)$")
# A condition of these is more than one expression, or declares something.
BINDINGS = re.compile(r"\b(?:let|var|case|try|await|_)\b|,|\?\?|\{|#|\bis\b")
CHECKS = ("precondition", "assert", "fatalError", "#if", "#else", "where Self", "@available")
# Faults that change nothing, each with the reason: these are not drawn.
SAME = {
    # Both branches give 0 then.
    "return end >= now ? end - now : 0",
    "let most = end >= now ? Double(end - now) * RuntimeLimits.waitingShare / pace : 0",
}
# Lines on which an operator belongs to a type, a default or a declaration.
DECLARATIONS = re.compile(
    r"^\s*(?:package |private |fileprivate |public |static |mutating |@\w+ )*"
    r"(?:func|init|struct|class|enum|extension|typealias|import|protocol)\b")


@dataclasses.dataclass(frozen=True)
class Place:
    """A condition, and the line that stands there with the fault."""

    part: str
    path: str
    line: int
    old: str
    new: str

    @property
    def name(self):
        return f"{pathlib.PurePath(self.path).name}:{self.line}"

    def put(self, root):
        """Puts the fault into the file below `root`, and returns the text that was there."""
        path = pathlib.Path(root) / self.path
        text = path.read_text()
        lines = text.splitlines(keepends=True)
        if lines[self.line - 1] != self.old + "\n":
            raise ValueError(f"{self.name} is not as it was when the fault was chosen")
        lines[self.line - 1] = self.new + "\n"
        path.write_text("".join(lines))
        return text


def code(line):
    """The part of a line that is neither a comment nor a text, in the same columns."""
    line = re.sub(r'"(?:[^"\\]|\\.)*"', lambda found: '"' * len(found[0]), line)
    return re.sub(r"//.*$", lambda found: " " * len(found[0]), line)


def faults(line):
    """The lines that may stand in place of one."""
    bare = code(line)
    if not bare.strip() or any(word in bare for word in CHECKS) or DECLARATIONS.match(bare):
        return []
    found = []
    for old, new in OPERATORS.items():
        start = bare.find(old)
        while start >= 0:
            found.append(line[:start] + new + line[start + len(old):])
            start = bare.find(old, start + len(old) - 1)
    condition = CONDITION.match(bare)
    if condition:
        start, end = condition.span("guard" if condition["guard"] else "other")
        if not BINDINGS.search(bare[start:end]):
            found.append(f"{line[:start]}!({line[start:end]}){line[end:]}")
    return [line for line in found if line.strip() not in SAME]


def places(root=ROOT, files=None):
    """All faults of the named files, in the order of their text."""
    found = []
    for part, paths in (files or FILES).items():
        for path in paths:
            is_text = False
            for number, line in enumerate(
                    (pathlib.Path(root) / path).read_text().splitlines(), start=1):
                starts_text = line.count('"""') % 2 == 1
                if not is_text and not starts_text:
                    found += [Place(part, path, number, line, new) for new in faults(line)]
                is_text ^= starts_text
    return found


def drawn(seed, root=ROOT, files=None):
    """All faults in the order of a seed: each part of the code in its turn, and no line twice."""
    numbers = random.Random(seed)
    queues = {}
    for place in places(root, files):
        queues.setdefault(place.part, []).append(place)
    for queue in queues.values():
        numbers.shuffle(queue)
    seen, order = set(), []
    while any(queues.values()):
        for queue in queues.values():
            while queue:
                place = queue.pop()
                if (place.path, place.line) not in seen:
                    seen.add((place.path, place.line))
                    order.append(place)
                    break
    return order
