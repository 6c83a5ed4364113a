"""Checks that every row of proto/CALLS.md has a case, or stands in the table of README.md.

    python check.py

Prints the rows that have neither, and the rows of README.md that a case covers after all. Holds
every file against case.schema.json too, by the package jsonschema.
"""

import json
import pathlib
import re
import sys

import jsonschema

HERE = pathlib.Path(__file__).resolve().parent
TABLES = (HERE.parents[1] / "proto/CALLS.md").read_text()
SCHEMA = jsonschema.Draft7Validator(json.loads((HERE / "case.schema.json").read_text()))
NEEDS = {"cancel": "cancel", "timeoutMs": "deadline"}
# A reason that not every call can have, because not every call takes a list: one case is enough.
ONCE = {"ERROR_REASON_TOO_MANY_ITEMS"}
STREAMS = {
    "Watch": "serverStream", "ExportApp": "serverStream", "CheckIntegrity": "serverStream",
    "CreateBackup": "serverStream", "ReadBackup": "serverStream",
    "ExportUser": "serverStream",
}  # fmt: skip


def rows():
    """Every row of the tables: `(call or kind, code)`, and `(call, code, reason)`."""
    before, _, rest = TABLES.partition("## The calls")
    calls, _, reasons = rest.partition("## The reasons of results")
    found, numbers, shared, place = set(), {}, {}, ""
    for line in before.splitlines():
        place = line.lstrip("# ") if line.startswith("###") else place
        if row := re.match(r"\| \d+ \| (\w+) \|", line):
            shared.setdefault(place, []).append(row[1])
    for line in calls.splitlines():
        place = line.lstrip("# ") if line.startswith("####") else place
        if row := re.search(r" → .*; (.*)\.$", line):
            for kind, codes in shared.items():
                if set(kind.split()[2:]) - {"that"} <= set(row[1].replace(",", "").split()):
                    found |= {(place, code) for code in codes if code not in ONCE}
            found.add((place,))
        if row := re.match(r"\| (\d+) \| (\w+) \|", line):
            found.add((place, row[2]))
            numbers[place, row[1]] = row[2]
    found |= {("Any call", code) for code in ONCE}
    for line in reasons.splitlines():
        if row := re.match(r"\| \d+ \| (REASON_\w+) \| [^|]* \| ([^|]*) \| ([^|]*) \|", line):
            for call in row[2].split(", "):
                for number in re.findall(r"\d+", row[3]):
                    found.add((call.strip(), numbers[call.strip(), number], row[1]))
    return found


def covered():
    """The rows that the cases expect; the reasons of errors also under "Any call"."""
    found = set()
    for path in (HERE / "cases").rglob("*.json"):
        for case in json.loads(path.read_text())["cases"]:
            streams = {}
            for step in case["steps"]:
                if "open" in step:
                    streams[step["stream"]] = step["open"]
                name = step.get("call") or streams.get(step.get("receive"), "/")
                call = name.split("/")[1]
                found.add((call,))
                look(call, step.get("answer"), found)
                if reason := step.get("error", {}).get("reason"):
                    found |= {(at, f"ERROR_REASON_{reason}") for at in (call, "Any call")}
    return found


def look(call, part, found):
    """Adds the codes and reasons that a part of an answer has."""
    if isinstance(part, list):
        for item in part:
            look(call, item, found)
    elif isinstance(part, dict):
        if isinstance(part.get("code"), str):
            found.add((call, part["code"]))
            found.add((call, part["code"], part.get("reason")))
        for item in part.values():
            look(call, item, found)


def exceptions():
    """The rows that README.md excepts, each with the test that it names."""
    text = (HERE / "README.md").read_text()
    pattern = r"^\| ([\w ]+) \| (\w+) \| .* \| \[`(.*)`\]\(.*\) \|$"
    return {tuple(row[:2]): row[2] for row in re.findall(pattern, text, re.M)}


def complaints():
    """What is wrong with the rows, in words."""
    cases, excepted = covered(), exceptions()
    for row in sorted(rows()):
        keys = {(row[0], row[-1]), ("Any call", row[-1])}
        if row in cases and keys & excepted.keys():
            yield f"{' '.join(row)}: has a case, and stands in README.md too"
        elif row not in cases and not keys & excepted.keys():
            yield f"{' '.join(row)}: has no case"
    for key, test in excepted.items():
        if not (HERE.parents[1] / "Tests" / test).exists():
            yield f"{' '.join(key)}: there is no Tests/{test}"


def faults(path):
    """The faults of one file."""
    content, place = json.loads(path.read_text()), f"{path.parent.name}/{path.stem}"
    errors = [f"{error.json_path}: {error.message[:200]}" for error in SCHEMA.iter_errors(content)]
    if errors:
        yield from (f"{place}: {error}" for error in errors)
        return
    if content["call"] != place:
        yield f"{place}: its call is {content['call']}"
    names = [case["name"] for case in content["cases"]]
    if len(set(names)) < len(names):
        yield f"{place}: two cases have one name"
    for case in content["cases"]:
        needs = {need for step in case["steps"] for key, need in NEEDS.items() if key in step}
        for step in case["steps"]:
            if "open" in step:
                needs.add(STREAMS.get(step["open"].split("/")[1], "bidirectional"))
        if needs != set(case.get("needs", [])) - {"unknownFields", "earlyAnswer"}:
            yield f"{place}: {case['name']}: needs {sorted(needs)}"
        known = {"run", "app", "index", *case.get("users", []), *case.get("unknown", [])}
        text = json.dumps(case["steps"])
        unknown = set(re.findall(r"\$\{(\w+)\}", text)) - known
        if unknown - set(re.findall(r'"\$save": "(\w+)"', text)):
            yield f"{place}: {case['name']}: variables that are not set: {unknown}"


if __name__ == "__main__":
    paths = sorted((HERE / "cases").rglob("*.json"))
    # Only files without faults can be read for their rows.
    found = [fault for path in paths for fault in faults(path)] or list(complaints())
    print(*found, sep="\n", end="\n" if found else "")
    print(f"{len(rows())} rows, {len(found)} complaints")
    sys.exit(bool(found))
