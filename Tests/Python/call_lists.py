"""Writes the list of all calls that Swift has: those of the contract, in its order.

python call_lists.py OUTPUT

A service declares its methods, and this list names them. So a call stands once in the contract and
once in Swift.
"""

import pathlib
import re
import sys

PROTO = pathlib.Path(__file__).resolve().parents[2] / "proto/relation/v1"
# A service, or a call of the one before it.
LINE = re.compile(r"^(?:service (\w+) \{|  rpc (\w+)\()", re.MULTILINE)
# The services whose folder in Swift has a shorter name.
NOUNS = {"FriendGroup": "Group", "FriendApplication": "Application"}
HEADER = """import Protobuf

// Made by `make contract` from the contract: the calls of each service, in the contract's order.

extension ServiceTable {
"""


def noun(service):
    """The name of a service in Swift."""
    name = service.removesuffix("Service")
    return NOUNS.get(name, name)


def method(call):
    """The name of a call in Swift."""
    return re.sub("Id$", "ID", call[0].lower() + call[1:])


def services():
    """The calls of each service, by its name in Swift."""
    found = {}
    for path in sorted(PROTO.glob("*.proto")):
        for service, call in LINE.findall(path.read_text()):
            if service:
                calls = found.setdefault(noun(service), [])
            else:
                calls.append(method(call))
    return found


def text():
    lists = []
    for name, calls in services().items():
        lines = "".join(f"        AnyMethod({name}Methods.{call}),\n" for call in calls)
        constant = name[0].lower() + name[1:]
        lists.append(f"    static let {constant}: [AnyMethod] = [\n{lines}    ]\n")
    return HEADER + "\n".join(lists) + "}\n"


if __name__ == "__main__":
    pathlib.Path(sys.argv[1]).write_text(text())
