"""The record of the platforms on which the service was tried, and the page that tells it.

    PLATFORMS=docs/platforms.json …       tests write their results there
    python3 Tests/Python/platforms.py > docs/platforms.md

Nothing stands in the record but what a test wrote after it had passed.
"""

import datetime
import json
import os
import pathlib
import platform
import re
import subprocess

from relationd import ROOT, executable

RECORD = ROOT / "docs" / "platforms.json"


def record(kind, name, **facts):
    """Keeps what a test has tried, if the caller asks for it."""
    if not os.environ.get("PLATFORMS"):
        return
    path = ROOT / os.environ["PLATFORMS"]
    known = json.loads(path.read_text()) if path.exists() else {}
    facts["day"] = datetime.date.today().isoformat()
    facts["commit"] = commit()
    facts["architecture"] = platform.machine()
    known.setdefault(kind, {})[name] = facts
    path.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n")


def commit():
    """The commit of the sources, with a plus if something in them was changed since.

    The record and its page do not count: they change while they are made.
    """
    def git(*arguments):
        return said("git", "-C", str(ROOT), *arguments).strip()

    ours = [":(exclude)docs/platforms.json", ":(exclude)docs/platforms.md"]
    changed = git("status", "--porcelain", "--untracked-files=no", "--", ".", *ours)
    return git("rev-parse", "--short=12", "HEAD") + ("+" if changed else "")


def tried(row):
    """When a row was tried, and on which commit; older rows have none."""
    return [row["day"], row.get("commit", "not noted")]


def cases():
    """How many cases the contract has."""
    folder = ROOT / "Tests" / "Contract" / "cases"
    return sum(len(json.loads(path.read_text())["cases"]) for path in folder.glob("*/*.json"))


def said(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def built_with():
    """What the program that the tests run was built with, as far as this machine tells it."""
    libraries = dict(re.findall(r"^\s*(\S+) => (\S+)", said("ldd", executable("relationd")), re.M))

    def package(beginning):
        """The version of the package that a library came with."""
        (path,) = [path for name, path in libraries.items() if name.startswith(beginning)]
        real = pathlib.Path(path).resolve()
        for each in (path, real, str(real).removeprefix("/usr")):
            found = subprocess.run(
                ["dpkg-query", "--search", str(each)], capture_output=True, text=True)
            if found.returncode == 0:
                owner = found.stdout.split(":")[0]
                version = said("dpkg-query", "--show", "--showformat=${Version}", owner)
                # Neither an epoch nor a revision of the distribution.
                return re.sub(r"^[0-9]+:|-[^-]*$", "", version)
        raise FileNotFoundError(path)

    system = dict(re.findall(r'^(\w+)="?([^"\n]*)"?$', pathlib.Path("/etc/os-release").read_text(),
                             re.M))  # fmt: skip
    return {
        "system": f"{system['NAME'].split()[0]} {system['VERSION_ID']}",
        "swift": re.search(r"Swift version (\S+)", said("swift", "--version"))[1],
        "rocksdb": package("librocksdb"), "libpq": package("libpq"),
    }  # fmt: skip


def table(heads, rows):
    lines = ["| " + " | ".join(map(str, row)) + " |" for row in [heads, *rows]]
    lines.insert(1, "|---" * len(heads) + "|")
    return "\n".join(lines)


def version(name):
    return [int(part) for part in re.findall(r"[0-9]+", name)]


def of_all(row):
    """How many cases passed, of how many there were."""
    return f"{row['cases']} of {row['of']}"


def builds(known):
    rows = [
        [row["system"], row["architecture"], row["swift"], row["rocksdb"], row["libpq"],
         of_all(row), *tried(row)] for _, row in sorted(known.get("build", {}).items())]
    return table(
        ["system", "processor", "Swift", "RocksDB", "libpq", "cases", "tried", "commit"], rows)


def databases(known):
    rows = sorted(known.get("postgresql", {}).items(), key=lambda each: version(each[0]))
    return table(
        ["server", "of", "cases", "tried", "commit"],
        [[name, row["system"], of_all(row), *tried(row)] for name, row in rows])


def archives(known):
    rows = sorted(known.get("archive", {}).items())
    if not rows:
        return "No run of it is recorded here yet."
    return table(
        ["system", "processor", "glibc", "tried", "commit"],
        [[name, row["architecture"], row["glibc"], *tried(row)] for name, row in rows])


def page(known):
    """The page of a record."""
    return PAGE.format(
        builds=builds(known), databases=databases(known), archives=archives(known))


PAGE = """\
# Platforms

`make platforms` wrote this page from what its tests have tried. A version that is not here was not
tried; it may work all the same. The cases are those that were run, of all that there are; none
failed. Each row names the day and the commit; a plus says that the sources were changed since that
commit.

## Builds

Cases of the [contract](../Tests/Contract/README.md) passed with these, on rows in RocksDB:

{builds}

RocksDB and libpq are those of the system. Another RocksDB needs a build of its own, since its
library has another name in each version.

## PostgreSQL

Each is the server of a Debian or an Ubuntu in a clean root. Cases of the contract passed. Two
servers shared a database, which then crashed and came back: both went on, and nothing was lost.

{databases}

A version was tried on one system alone.

## Systems without a build

`make packages` tries whether the [archive](operating.md#install) of the programs serves in clean
roots of other systems.

{archives}

## Not tried

- arm64. A build for it on another machine needs a Swift SDK of another system and Debian's
  libraries of arm64, which only a root of arm64 has. No machine of that kind was there to run it.
  On an arm64 machine the same commands build it.
- macOS and Windows. The server runs on Linux.
- Services of clouds that speak the protocol of PostgreSQL.

## Renew this page

```sh
make platforms
```

It tries the build, databases of five systems, and the archive on four systems, and then writes this
page. It needs the rights of root, since it makes systems in folders. `PARTS='build databases'`
leaves the archive out, and `PARTS=archive` tries nothing else. A part that fails leaves the rows of
the others as they were tried.
"""


if __name__ == "__main__":
    print(page(json.loads(RECORD.read_text())), end="")
