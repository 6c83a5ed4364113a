"""What a client in Swift sees of the package: the compiler's symbol graphs of the modules that the
product has, and the comments of the contract beside them."""

import collections
import functools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from google.protobuf import descriptor_pb2
from relationd import ROOT, executable

MODULES = ["Protobuf", "RelationModel", "RelationAPI", "RelationClient"]
WORDS = {"id": "ID", "ids": "IDs", "rest": "REST", "tim": "TIM", "url": "URL", "sha256": "SHA256"}


def module_maps(scratch, products):
    """The options with which the modules' own imports are found."""
    folders = [ROOT / "Sources", *scratch.glob("checkouts/*/Sources")]
    maps = [path for folder in folders for path in folder.glob("*/module.modulemap")]
    maps += [path for folder in folders for path in folder.glob("*/include/module.modulemap")]
    maps += products.glob("*.build/module.modulemap")
    for path in maps:
        yield from ["-Xcc", f"-fmodule-map-file={path}"]
    for folder in folders:
        for path in folder.glob("*/include"):
            yield from ["-Xcc", "-I", "-Xcc", str(path)]


def compiler_options():
    """The options with which the modules of the build that is tested are imported."""
    products = pathlib.Path(executable("example-swift")).resolve().parent
    return ["-I", str(products / "Modules"), "-target", products.parent.name,
            *module_maps(products.parent.parent, products)]


def write_graphs(folder):
    """Writes the symbol graph of each module into a folder."""
    for module in MODULES:
        command = [os.environ.get("SWIFT", "swift"), "symbolgraph-extract",
                   "-module-name", module, "-output-dir", str(folder),
                   "-minimum-access-level", "public", *compiler_options()]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr


@functools.cache
def graphs():
    """The symbol graph of each module."""
    with tempfile.TemporaryDirectory() as folder:
        write_graphs(folder)
        return [json.loads(path.read_text())
                for path in sorted(pathlib.Path(folder).glob("*.symbols.json"))]


@functools.cache
def symbols():
    """All public declarations, without those that Swift's own protocols add to every type."""
    return [symbol for module in MODULES for symbol in symbols_of(module)]


def symbols_of(module):
    """The public declarations of one module."""
    return [symbol for graph in graphs() if graph["module"]["name"] == module
            for symbol in graph["symbols"]
            if "::SYNTHESIZED::" not in symbol["identifier"]["precise"]]


def name(symbol):
    return ".".join(symbol["pathComponents"])


def declaration(symbol):
    return "".join(part["spelling"] for part in symbol["declarationFragments"])


def named_types(symbol):
    """The types that a declaration names, without its own generic parameters."""
    return {part["spelling"] for part in symbol["declarationFragments"]
            if part["kind"] == "typeIdentifier" and "preciseIdentifier" in part}


def documentation(symbol):
    """The lines of a documentation comment."""
    return "\n".join(line["text"] for line in symbol.get("docComment", {}).get("lines", []))


def comment(symbol):
    """The words of a documentation comment."""
    return words(documentation(symbol))


def words(text):
    return " ".join(text.split())


@functools.cache
def conformances():
    """For each public type the protocols to which it conforms."""
    found = {}
    for graph in graphs():
        for relation in graph["relationships"]:
            if relation["kind"] == "conformsTo":
                protocol = relation.get("targetFallback") or relation["target"]
                found.setdefault(relation["source"], set()).add(protocol.split(".")[-1])
    return found


def swift_name(field):
    """The name of a property for a name of the contract: `user_ids` is `userIDs`."""
    first, *rest = field.split("_")
    return first + "".join(WORDS.get(word, word.capitalize()) for word in rest)


class ContractMessage:
    """A message of the contract: its fields in order, each with the words of its comment.

    The cases of a `oneof` are one field, at the place of the first case.
    """

    def __init__(self, message, comments):
        self.fields = []
        self.cases = {}
        for number, field in enumerate(message.field):
            words_of_field = comments[(2, number)]
            if not field.HasField("oneof_index") or field.proto3_optional:
                self.fields.append((swift_name(field.name), words_of_field))
                continue
            oneof = swift_name(message.oneof_decl[field.oneof_index].name)
            if oneof not in self.cases:
                self.fields.append((oneof, comments[(8, field.oneof_index)]))
            self.cases.setdefault(oneof, []).append((swift_name(field.name), words_of_field))


def contract_names():
    """The full names of the messages of the contract, which its sources say without a compiler."""
    return sorted(
        f"relation.v1.{name}" for file in (ROOT / "proto/relation/v1").glob("*.proto")
        for name in re.findall(r"^message (\w+)", file.read_text(), re.MULTILINE))


@functools.cache
def contract():
    """Every message of the contract by its full name."""
    proto = ROOT / "proto"
    # No client has the messages of receivers.
    files = sorted(str(path.relative_to(proto)) for path in proto.glob("relation/v1/*.proto"))
    with tempfile.NamedTemporaryFile(suffix=".binpb") as output:
        subprocess.run(
            [sys.executable, "-m", "grpc_tools.protoc", f"--proto_path={proto}",
             "--include_source_info", f"--descriptor_set_out={output.name}", *files],
            check=True, timeout=60)
        described = descriptor_pb2.FileDescriptorSet.FromString(
            pathlib.Path(output.name).read_bytes())
    messages = {}
    for file in described.file:
        comments = {tuple(place.path): words(place.leading_comments)
                    for place in file.source_code_info.location}
        for index, message in enumerate(file.message_type):
            prefix = (4, index)
            own = {path[2:]: text for path, text in comments.items() if path[:2] == prefix}
            messages[f"{file.package}.{message.name}"] = ContractMessage(message, own)
    return messages


@functools.cache
def swift_types():
    """The Swift type of each message of the contract, as its line in the sources says."""
    pattern = re.compile(
        r'^public struct (\w+)|Schemas?\(\s*"(relation\.v1\.\w+)",\s*(\w+)\.self', re.MULTILINE)
    sources = [*ROOT.glob("Sources/RelationAPI/**/*.swift"),
               *ROOT.glob("Sources/RelationModel/**/*.swift")]
    types = {}
    for source in sources:
        struct = None
        for found in pattern.finditer(source.read_text()):
            if found[1]:
                struct = found[1]
            else:
                types[found[2]] = struct if found[3] == "Self" else found[3]
    return types


@functools.cache
def shared_words():
    """The comments that protocols and generic messages, such as `ItemsAnswer`, have for the fields
    of all their messages, by the names."""
    pattern = re.compile(
        r"((?:^    /// .*\n)+)    (?:(?:@inlinable )?public )?var (\w+)\b", re.MULTILINE)
    found = collections.defaultdict(set)
    for source in ROOT.glob("Sources/RelationAPI/Shared/*.swift"):
        if source.stem == "SharedMessages":
            continue
        for lines, field in pattern.findall(source.read_text()):
            found[field].add(words(lines.replace("///", " ")))
    return found
