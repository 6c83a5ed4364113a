"""Writes docs/tim.md: each name of the sources, and the name that this contract has for it.

    python foreign_names.py > docs/tim.md

The names stand in Tests/Data/foreign_names.tsv. The counterpart of a name is looked up in the text
of the contract, whose comments tell it: `relationctl describe` finds the same. A row of the list has
a counterpart of its own only if no comment tells it, and a dash with a note if there is none.
"""

import dataclasses
import itertools
import pathlib
import sys
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
NAMES = ROOT / "Tests/Data/foreign_names.tsv"
TEXT = ROOT / "Sources/ContractText/contract.zz"
PAGE = ROOT / "docs/tim.md"
# The most counterparts of one name that a row shows.
SHOWN = 3
NONE = "–"
WHOLE = "SME"
HEADINGS = {
    "call": "Calls", "code": "Codes", "enum": "Enums", "field": "Fields", "key": "Keys",
    "kind": "Kinds", "notification": "Notifications", "parameter": "Parameters",
    "permission": "Permissions", "tag": "Tags", "text": "Texts of results", "type": "Types",
    "value": "Values", "webhook": "Webhooks",
}  # fmt: skip


@dataclasses.dataclass
class Entry:
    """One thing of the contract, with the names that others have for it."""

    kind: str
    parent: str
    name: str
    number: str
    foreign: list[str]

    @property
    def full_name(self):
        return f"{self.parent}.{self.name}" if self.kind in "CF" else self.name


@dataclasses.dataclass(frozen=True)
class Name:
    """One name of another system, as the list has it."""

    system: str
    kind: str
    name: str
    ours: str
    note: str


def plain(name):
    """A name as `relationctl describe` compares it."""
    return name.lower().replace("_", "").replace("-", "")


def entries(text):
    """What the text of the contract holds."""
    found, parent = [], ""
    for line in text.splitlines():
        if line.startswith("="):
            found[-1].foreign += line[1:].split()
        elif not line.startswith("|"):
            kind, name, number, _ = line.split("\t")
            parent = name if kind in WHOLE else parent
            found.append(Entry(kind, "" if kind in WHOLE else parent, name, number, []))
    return found


def names():
    for line in NAMES.read_text().splitlines():
        if not line.startswith("#"):
            parts = line.split("\t")
            yield Name(*parts, *[""] * (5 - len(parts)))


class Index:
    def __init__(self, contract=None):
        self.entries = contract or entries(zlib.decompress(TEXT.read_bytes()).decode())

    def named(self, name):
        """What has this name of ours."""
        return [each for each in self.entries if name in (each.full_name, each.name)]

    def told(self, name):
        """What a comment says this name of another system is."""
        wanted = plain(name)
        return self._large([
            each for each in self.entries if wanted in map(plain, each.foreign)])

    def ours(self, row):
        """The counterparts of a row of the list."""
        if row.ours == "-":
            return []
        if row.ours:
            return self.named(row.ours)
        if row.kind == "code":
            return [each for each in self.entries if each.kind == "V" and each.number == row.name
                    and each.parent.endswith("Status")]
        owner, dot, name = row.name.partition(".")
        if dot and row.kind in ("field", "parameter"):
            within = {each.name for each in self.told(owner) if each.kind in WHOLE}
            parts = [each for each in self.entries if each.parent in within]
            return ([each for each in parts if plain(name) in map(plain, each.foreign)]
                    or [each for each in parts if plain(each.name) == plain(name)])
        return self.told(row.name)

    @staticmethod
    def _large(found):
        """The calls, messages and enums of several things; their parts if there are none."""
        large = [each for each in found if each.kind not in "FV"]
        return large or found


HEAD = """# Names of TIM, RongCloud and Facebook

Each call, type, field, code and notification of the systems that the service stands for, with its
name in this contract. `make docs` writes this page from the comments of the
[contract](../proto/relation/v1), and a test holds it fresh and complete.

The programs find these names too:

- `relationctl describe friend_add` explains what it is here, and `relationctl call friend_add` says
  which call to make;
- the filter of the calls in the [console](console.md) takes them;
- a path that ends in one of them, such as `/v3/sns/friend_add`, is answered with the path to call;
  below `/v4/`, [TIM's REST API](tim-rest.md) answers.

A dash says that there is no counterpart, and why.
"""


def page(index):
    lines = [HEAD]
    rows = list(names())
    for system in dict.fromkeys(row.system for row in rows):
        lines.append(f"## {system}\n")
        of_system = [row for row in rows if row.system == system]
        for kind in dict.fromkeys(row.kind for row in of_system):
            lines += [f"### {HEADINGS[kind]} of {system}\n", "| there | here |", "|---|---|"]
            of_kind = [row for row in of_system if row.kind == kind]
            # Names without a counterpart for the same reason share a row.
            for (ours, note), group in itertools.groupby(
                    of_kind, lambda row: (here(index.ours(row)), row.note)):
                there = [f"`{row.name}`" for row in group]
                if ours != NONE:
                    lines += [f"| {name} | {joined(ours, note)} |" for name in there]
                else:
                    lines.append(f"| {', '.join(there)} | {joined(ours, note)} |")
            lines.append("")
    return "\n".join(lines).rstrip("\n") + "\n"


def here(found):
    shown = ", ".join(f"`{each.full_name}`" for each in found[:SHOWN])
    if len(found) > SHOWN:
        shown += f" and {len(found) - SHOWN} more"
    return shown or NONE


def joined(ours, note):
    return f"{ours} {note}" if ours == NONE else f"{ours}; {note}" if note else ours


if __name__ == "__main__":
    sys.stdout.write(page(Index()))
