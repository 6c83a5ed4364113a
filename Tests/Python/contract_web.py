"""Runs the cases of Tests/Contract over one protocol, form of messages, and version of HTTP.

    python contract_web.py PORT PROTOCOL FORM VERSION [--authority FILE] [--only CALL]
        [--part 0/4] [--proxied] [--shared]
"""

import argparse
import collections
import functools
import itertools
import json
import pathlib
import sys
import time
import types

import grpc
from google.protobuf import json_format

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Contract" / "python"))

import run  # noqa: E402
import web  # noqa: E402

MALFORMED = b"MALFORMED_MESSAGE"
CANCELLED = {"canceled": "CANCELLED", "ok": "OK"}


class Refused(grpc.RpcError):
    """The outcome of a call in the form in which gRPC's client raises it."""

    def __init__(self, outcome, is_connect=False):
        name = CANCELLED.get(outcome.code, outcome.code.upper())
        self._code = types.SimpleNamespace(name=name, value=(0,))
        self._message = outcome.message
        self._status = None
        if outcome.code in web.CODES:
            self._status = outcome.status
            self._code.value = (self._status.code,)
            if is_connect and MALFORMED in self._status.SerializeToString():
                # Connect has another code for what is INTERNAL in gRPC.
                self._code.name = "INTERNAL"

    def code(self):
        return self._code

    def details(self):
        return self._message

    def trailing_metadata(self):
        if self._status is None or not self._status.details:
            return ()
        return (("grpc-status-details-bin", self._status.SerializeToString()),)


class Running:
    """A call in the form in which gRPC's client has it."""

    def __init__(self, client, call, answer, seconds):
        self.end = time.monotonic() + seconds
        self.client = client
        self.call = call
        self.answer = answer
        self.is_cancelled = False

    def send(self, message):
        self.call.send(message)

    def finish(self):
        self.call.finish()

    def cancel(self):
        self.is_cancelled = True
        self.call.cancel()

    def __next__(self):
        if self.is_cancelled:
            raise Refused(web.Outcome("canceled"))
        try:
            return self.client.decoded(next(self.call), self.answer)
        except StopIteration:
            if self.call.outcome.code != "ok":
                raise self.refused() from None
            raise
        except (web.Ended, TimeoutError) as ended:
            # So ends a call of which something on the way made nothing.
            raise Refused(web.Outcome("unavailable", f"cut off: {ended}")) from None

    def result(self):
        """The answer of a unary call, after which the outcome comes."""
        answer = next(self)
        if time.monotonic() > self.end:
            # As each client does, it keeps to its own time too.
            raise Refused(web.Outcome("deadline_exceeded"))
        assert next(self.call, None) is None
        if self.call.outcome.code != "ok":
            raise self.refused()
        return answer

    def refused(self):
        return Refused(self.call.outcome, self.client.caller.protocol == "connect")


@functools.cache
def generate():
    """Has the messages generated, once for all clients of a process."""
    run.Client("127.0.0.1:1", None)


class Client(run.Client):
    """The runner's client, whose calls go the way of this file."""

    def __init__(self, caller):
        generate()
        self.caller = caller

    def call(self, path, requests, metadata, seconds):
        method = run.POOL.FindMethodByName(f"relation.v1.{path}".replace("/", "."))
        call = web.Call(
            self.caller, f"/relation.v1.{path}", metadata.items(), seconds,
            unary=not (method.client_streaming or method.server_streaming))
        running = Running(self, call, self.message(f"{method.name}Response"), seconds)
        if isinstance(requests, bytes):
            running.send(requests)
            running.finish()
        return running if method.server_streaming else running.result()

    def encode(self, path, step):
        data = super().encode(path, step)
        if self.caller.form == "proto":
            return data
        message = self.message(path.split("/")[1] + "Request").FromString(data)
        return json_format.MessageToJson(message).encode()

    def decoded(self, data, answer):
        if self.caller.form == "proto":
            return answer.FromString(data)
        return json_format.Parse(data, answer())


class Case(run.Case):
    """A case whose streams are written at once, without a thread."""

    def step(self, step):
        name = step.get("send") or step.get("halfClose")
        if name is None:
            return super().step(step)
        call, _, path = self.streams[name]
        if "send" in step:
            call.send(self.client.encode(path, step))
        else:
            call.finish()
        return {}


# It fills a message of protobuf to its limit, and is longer than that in JSON.
LONGEST = "a request and an answer of almost four megabytes pass"
# Its answer comes before the request is sent. Over HTTP/1.1 a proxy may close a connection with
# bytes that it has not read, and then the answer is lost.
TOO_LONG = "a message of five million bytes"
# Of rows in a database there is no backup of the server's own, so another rule refuses it first.
OF_A_FOLDER = "a backup that the server does not have is not found"


def says_what_json_cannot(case, form):
    """Whether a request of the case has bytes that stand for nothing in JSON, or too many."""
    return form == "json" and ('"extra"' in json.dumps(case) or case["name"].startswith(LONGEST))


class Way:
    """One protocol, form of messages and version of HTTP, in which `run` does a part of the cases.

    `counts` says how many cases passed, failed and were skipped; `wrongs` has a line for each that
    failed.
    """

    def __init__(
        self, port, protocol, form, version, authority=None, only=None, part="0/1", proxied=False,
        shared=False
    ):
        secure = authority and pathlib.Path(authority).read_bytes()
        self.wire = web.Wire(int(port), version, secure, keeps=not proxied)
        self.client = Client(web.Caller(self.wire, protocol, form))
        self.only = only
        self.part, self.parts = map(int, part.split("/"))
        self.proxied, self.shared = proxied, shared
        self.counts = collections.Counter(passed=0, failed=0, skipped=0)
        self.wrongs = []

    def run(self):
        with self.wire:
            for name, case in itertools.islice(cases(self.only), self.part, None, self.parts):
                self._do(name, case)
        return self

    def _do(self, name, case):
        if self._cannot(case):
            self.counts["skipped"] += 1
            return
        running = Case(self.client, case)
        wrong = running.run(running.steps) or running.run(case["steps"])
        if wrong:
            self.wrongs.append(f"{name}: {wrong[:600]}")
        running.end()
        self.counts["failed" if wrong else "passed"] += 1

    def _cannot(self, case):
        """Whether the case is one that this way cannot do."""
        caller = self.client.caller
        if self.proxied and self.wire.version == web.HTTP1 and case["name"].startswith(TOO_LONG):
            return True
        if self.shared and case["name"].startswith(OF_A_FOLDER):
            return True
        if caller.protocol == "grpc-web-text" and "bidirectional" in case.get("needs", []):
            return True
        return says_what_json_cannot(case, caller.form)

    @property
    def has_passed(self):
        """Whether cases ran, and none failed."""
        return self.counts["passed"] > 0 and self.counts["failed"] == 0

    def __str__(self):
        counts = ", ".join(f"{count} {word}" for word, count in self.counts.items())
        return "\n".join([*self.wrongs, counts])


@functools.cache
def cases(only=None):
    """The cases of all files, or of one call's, each with its name."""
    return [
        (f"{path.parent.name}/{path.stem}: {case['name']}", case)
        for path in sorted(run.CASES.glob(f"*/{only or '*'}.json"))
        for case in json.loads(path.read_text())["cases"]
    ]


def main():
    parser = argparse.ArgumentParser()
    for argument in ("port", "protocol", "form", "version", "--authority", "--only"):
        parser.add_argument(argument)
    parser.add_argument("--part", default="0/1")
    # A proxy stands before the server, and ends kept connections when it wants.
    parser.add_argument("--proxied", action="store_true")
    # The rows are in a database, whose backups are not the server's work.
    parser.add_argument("--shared", action="store_true")
    way = Way(**vars(parser.parse_args())).run()
    print(way)
    sys.exit(not way.has_passed)


main() if __name__ == "__main__" else None
