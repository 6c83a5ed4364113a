"""Writes the messages and calls of the contract as types, against which the console is checked.

python console_types.py OUTPUT

All comes from the text that `relationctl describe` reads. A message is as JSON has it: a field that
has its default is left out, and numbers of 64 bits are texts. No program of the console needs the
file: it is made for the check alone.
"""

import pathlib
import re
import sys
import zlib

TEXT = pathlib.Path(__file__).resolve().parents[2] / "Sources/ContractText/contract.zz"
SCALARS = {
    "bool": "boolean", "string": "string", "bytes": "string", "int32": "number",
    "uint32": "number", "int64": "string", "uint64": "string",
    "google.protobuf.FieldMask": "string",
}


def json_name(name):
    return re.sub(r"_(.)", lambda found: found[1].upper(), name)


def type_of(text):
    """The type of a field, such as `repeated Friend` or `string, of oneof value`."""
    label, _, name = text.split(", of oneof ")[0].rpartition("repeated ")
    pair = re.fullmatch(r"map<\w+, (\w+)>", name)
    if pair:
        return f"Record<string, {type_of(pair[1])}>"
    name = name.removeprefix("optional ")
    return f"{SCALARS.get(name, name)}{'[]' if label or text.startswith('repeated ') else ''}"


def call_of(service, name, signature):
    request, answer = (each.removeprefix("stream ") for each in signature.split(" -> "))
    return f"    '{service}/{name}': {{request: {request}; answer: {answer}}};"


def declared(text):
    """The lines of the declarations, in the order of the contract."""
    calls, lines, service, end = [], [], "", None
    for line in text.splitlines():
        if not line or line.startswith(("|", "=")):
            continue
        kind, name, _, described = line.split("\t")
        if kind in "SME" and end:
            lines.append(end)
            end = None
        if kind == "S":
            service = name
        elif kind == "C":
            calls.append(call_of(service, name, described))
        elif kind == "M":
            lines.append(f"  interface {name} {{")
            end = "  }"
        elif kind == "F":
            lines.append(f"    {json_name(name)}?: {type_of(described)};")
        elif kind == "E":
            lines.append(f"  type {name} =")
            end = "  ;"
        else:
            lines.append(f"    | '{name}'")
    return ["declare namespace Relation {", *lines, *([end] if end else []),
            "  interface Calls {", *calls, "  }", "}", ""]


if __name__ == "__main__":
    output = pathlib.Path(sys.argv[1])
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text("\n".join(declared(zlib.decompress(TEXT.read_bytes()).decode())))
