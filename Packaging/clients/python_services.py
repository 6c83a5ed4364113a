"""The services of the client in Python: a class for each, with an object for each call."""

from contract import snake

HEAD = '''\
"""The calls of the contract. Made by Packaging/clients; see calls.py for the forms of a call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import v1
from .calls import BothStream, Paged, Pages, ServerStream, Unary

if TYPE_CHECKING:
    from .client import Client
'''
TYPES = {"TYPE_STRING": "str"}


def item_type(contract, method):
    field = contract.field(method.response, method.items)
    if field.type == field.TYPE_STRING:
        return "str"
    return "v1." + field.type_name.rpartition(".")[2]


def call(contract, method):
    messages = f"v1.{method.request}, v1.{method.response}"
    arguments = f'client, "{method.path}", {messages}'
    if method.client_streams:
        return f"BothStream[{messages}]", f"BothStream({arguments})"
    if method.server_streams:
        return f"ServerStream[{messages}]", f"ServerStream({arguments})"
    if method.items:
        kind = f"Paged[{messages}, {item_type(contract, method)}]"
        return kind, f"Paged({arguments}, lambda page: page.{method.items})"
    if method.items == "":
        return f"Pages[{messages}]", f"Pages({arguments})"
    return f"Unary[{messages}]", f"Unary({arguments}, writes={method.writes})"


def services(contract):
    parts = [HEAD]
    for name, methods in contract.services.items():
        lines = [f"\n\nclass {name}Service:", f'    """The calls of {name}Service."""', "",
                 "    def __init__(self, client: Client) -> None:"]
        for method in methods:
            kind, made = call(contract, method)
            lines.append(f"        self.{snake(method.name)}: {kind} = {made}")
        parts.append("\n".join(lines) + "\n")
    parts.append("\n\nclass Services:\n    \"\"\"All services.\"\"\"\n\n"
                 "    def _make_services(self, client: Client) -> None:\n")
    parts += [f"        self.{snake(name)} = {name}Service(client)\n" for name in contract.services]
    return "".join(parts)


def messages(contract):
    """One module with all messages and enums, for programs and for checkers of types."""
    lines = ['"""All messages and enums of the contract. Made by Packaging/clients."""\n']
    lines += [f"from {name.removesuffix('.proto').replace('/', '.')}_pb2 import *"
              for name in sorted(file.name for file in contract.files)]
    return "\n".join(lines) + "\n"
