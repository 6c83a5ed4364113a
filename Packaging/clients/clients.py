"""Builds the packages of clients from the frozen contract: `make clients`.

    python Packaging/clients/clients.py [LANGUAGE…] [--contract FILE] [--out FOLDER] [--compile]

Without languages it builds all. Each language has a folder in the output, with its sources in
`LANGUAGE/source`, and what one installs beside them. `typescript --compile` packs nothing, so it
needs no npm: `make lint` does so.
"""

import argparse
import importlib
import os
import pathlib
import re
import shutil
import subprocess
import sys

from contract import Contract

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
LANGUAGES = ("python", "typescript", "go", "java", "php", "csharp")


def version():
    """The version that Package.swift says; RELATION_VERSION builds another one."""
    said = re.search(r'"RELATION_VERSION"\] \?\? "(.*)"', (ROOT / "Package.swift").read_text())[1]
    return os.environ.get("RELATION_VERSION") or said


def run(*command, **options):
    """Runs a tool; what it says is shown only if it fails."""
    command = [str(word) for word in command]
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode:
        sys.exit(f"{' '.join(command)}:\n{done.stdout}{done.stderr}")
    return done.stdout


class Build:
    """The build of one language: its folder of sources, and what is known of all."""

    def __init__(self, language, contract, out):
        self.language, self.contract, self.out = language, contract, out / language
        self.source, self.version = self.out / "source", version()

    def begin(self):
        """Lays the hand-written files out anew."""
        shutil.rmtree(self.out, ignore_errors=True)
        shutil.copytree(
            HERE / self.language, self.source, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / "LICENSE", self.source)

    def write(self, name, text):
        path = self.source / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def protoc(self, *options, protoc=("protoc",)):
        """Generates from the descriptors alone: no file of `proto` is read."""
        names = self.contract.names
        run(*protoc, f"--descriptor_set_in={self.contract.path}", *options, *names)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("languages", nargs="*", metavar="LANGUAGE")
    parser.add_argument("--contract", type=pathlib.Path, default=ROOT / "proto/released.binpb")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / ".build-clients")
    parser.add_argument("--compile", action="store_true")
    options = parser.parse_args()
    if unknown := set(options.languages) - set(LANGUAGES):
        parser.error(f"no client in {', '.join(sorted(unknown))}: {', '.join(LANGUAGES)}")
    if options.compile and options.languages != ["typescript"]:
        parser.error("--compile is for typescript alone")
    step = "compile" if options.compile else "build"
    contract = Contract(options.contract.resolve())
    for language in options.languages or LANGUAGES:
        build = Build(language, contract, options.out.resolve())
        build.begin()
        print(getattr(importlib.import_module(f"build_{language}"), step)(build), flush=True)


main() if __name__ == "__main__" else None
