"""The documentation of the Swift client, and the code that it shows.

As a program it writes DocC's pages into an archive: `guide.py ARCHIVE`.
"""

import dataclasses
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from public_interface import write_graphs
from relationd import ROOT

CATALOGUE = ROOT / "Sources/RelationClient/RelationClient.docc"


@dataclasses.dataclass(frozen=True)
class Block:
    """A block of Swift: the file that shows it, the number of its first line, and its text."""

    file: str
    line: int
    text: str

    @property
    def is_manifest(self):
        return "PackageDescription" in self.text or ".package(" in self.text

    @property
    def is_program(self):
        """Whether it is a whole file: it begins with what it imports."""
        return self.text.startswith("import ") and not self.is_manifest


def blocks(text, file, first_line=1):
    """The blocks of Swift in a text of Markdown."""
    return [
        Block(file, first_line + text.count("\n", 0, found.start(1)), found[1])
        for found in re.finditer(r"^```swift\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)]


def blocks_of(path):
    """The blocks of Swift in a file."""
    path = pathlib.Path(path)
    return blocks(path.read_text(), str(path.relative_to(ROOT)))


def manifest_and_program():
    """The manifest that the first article shows, and the README's program."""
    [manifest] = [block for block in blocks_of(CATALOGUE / "FirstCall.md") if block.is_manifest]
    [program] = [block for block in blocks_of(ROOT / "README.md") if block.is_program]
    return manifest, program


def toolchain(program):
    """The path of a program of the toolchain; None if it has none."""
    swift = pathlib.Path(shutil.which(os.environ.get("SWIFT", "swift"))).resolve()
    return shutil.which(program, path=os.pathsep.join([str(swift.parent), os.environ["PATH"]]))


def convert(archive):
    """Makes DocC's pages of the client's modules, and returns the finished process.

    Its output has the warnings, which make it fail.
    """
    with tempfile.TemporaryDirectory() as graphs:
        write_graphs(graphs)
        return subprocess.run(
            [toolchain("docc"), "convert", CATALOGUE, "--additional-symbol-graph-dir", graphs,
             "--output-path", archive, "--warnings-as-errors"],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300)


if __name__ == "__main__":
    done = convert(sys.argv[1])
    print(done.stdout, end="")
    sys.exit(done.returncode)
