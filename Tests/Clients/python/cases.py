"""Runs the contract's cases with the installed wheel: python cases.py RUNNER ADDRESS [--only CALL]

The runner is Tests/Contract/python/run.py. Its client is replaced by that of the wheel.
"""

import importlib.util
import sys

from relation_client import CallError, Client
from relation_client.calls import BothStream, ServerStream, Unary

path = sys.argv.pop(1)
specification = importlib.util.spec_from_file_location("run", path)
run = importlib.util.module_from_spec(specification)
specification.loader.exec_module(run)
runners_outcome = run.outcome


class Installed(run.Client):
    """The client of the wheel. Cases look at the first answer, and some send broken bytes."""

    def __init__(self, address, contract):
        self.client = Client(address, retries=None)

    def call(self, path, requests, metadata, seconds):
        method = run.POOL.FindMethodByName(f"relation.v1.{path}".replace("/", "."))
        form = (BothStream if method.client_streaming
                else ServerStream if method.server_streaming else Unary)
        messages = (self.message(f"{method.name}{end}") for end in ("Request", "Response"))
        call = form(self.client, f"/relation.v1.{path}", *messages)
        call._encode = bytes
        return call(requests, timeout=seconds, metadata=list(metadata.items()))


def outcome(read):
    """What a call answered, with the errors of the wheel in the form of a step."""
    try:
        return runners_outcome(read)
    except CallError as error:
        details = {
            "status": error.code.name, "reason": error.reason, "metadata": error.metadata,
            "fields": [field for field, _ in error.fields], "retry": error.retry_after is not None,
        }
    return {"error": {key: value for key, value in details.items() if value}}


run.Client, run.outcome = Installed, outcome
run.main()
