"""A server that asks another one and changes one code in its answers: for the test that the cases
of Tests/Contract see that.

A code is the status of a call, the reason of its error, or an enum in its answer.
"""

import copy
import json
import pathlib
import re
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import grpc
from google.protobuf import json_format
from google.rpc import error_details_pb2, status_pb2

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Contract" / "python"))
import run  # noqa: E402

STATUSES = [status for status in grpc.StatusCode if status is not grpc.StatusCode.OK]
# A client makes these by itself, so no server can change them.
OF_THE_CLIENT = {"error": {"status": "CANCELLED"}}, {"error": {"status": "DEADLINE_EXCEEDED"}}
DETAILS = "grpc-status-details-bin"
# Metadata with the name of a stream, which ends at this server.
STREAM = "x-stream"
UNLIMITED = [("grpc.max_receive_message_length", -1)]
SECONDS = 30


def reaching(address, client):
    """The client for another server."""
    other = copy.copy(client)
    other.channel = grpc.insecure_channel(address)
    return other


# What a case looks at


def expectation(step):
    return {key: step[key] for key in ("answer", "error", "end") if key in step}


def asked(case):
    """The steps of a case that a server answers, as `(number, step, call)`."""
    streams = {}
    for number, step in enumerate(case["steps"]):
        if "open" in step:
            streams[step["stream"]] = step["open"]
        if call := step.get("call") or streams.get(step.get("receive")):
            yield number, step, call


def codes(client, case):
    """The codes that a case looks at, as `(number of the step, path)`.

    The path of a status is `status`, that of a reason `reason`, and that of an enum has a pair for
    each message: the field, and the index in its list.
    """
    names = dict.fromkeys(re.findall(r"\$\{(\w+)\}", json.dumps(case)), "0")
    for number, step, call in asked(case):
        expected = run.expand(expectation(step), names)
        # A message of a stream comes before its status.
        if expected not in OF_THE_CLIENT and not ("receive" in step and "answer" in step):
            yield number, "status"
        if "reason" in step.get("error", {}):
            yield number, "reason"
        kind = client.message(call.split("/")[1] + "Response").DESCRIPTOR
        for path in enums(expected.get("answer"), kind):
            yield number, path


def enums(expected, kind):
    if not isinstance(expected, dict) or expected.keys() & {"$any", "$save"}:
        return
    for key, value in expected.get("$has", expected).items():
        field = named(kind, key)
        for index, item in enumerate(items(value)):
            if field.enum_type and not isinstance(item, dict):
                yield [(key, index)]
            elif field.message_type:
                yield from ([(key, index), *rest] for rest in enums(item, field.message_type))


def named(kind, key):
    return next(field for field in kind.fields if field.json_name == key)


def items(value):
    """The items of an expected list; one value as a list of it alone."""
    value = value.get("$has", value) if isinstance(value, dict) else value
    return value if isinstance(value, list) else [value]


# The change


class Change:
    """Changes the code at `path` in an answer that is as expected."""

    def __init__(self, expected, path, names, chance):
        self.expected, self.path, self.names, self.chance = expected, path, names, chance

    def fits(self, came, expected=None):
        return not run.differs(expected or self.expected, came, dict(self.names), "")

    def another(self, values, present):
        return self.chance.choice([value for value in values if value != present])

    def status(self, status):
        return self.another(STATUSES, status) if self.path == "status" else status

    def details(self, status, encoded):
        """The details of an error, with the changed status or another reason."""
        details = status_pb2.Status.FromString(encoded)
        details.code = status.value[0]
        for detail in details.details if self.path == "reason" else []:
            info = error_details_pb2.ErrorInfo()
            if detail.Unpack(info):
                reasons = run.POOL.FindEnumTypeByName("relation.v1.ErrorReason").values_by_name
                others = [name.removeprefix("ERROR_REASON_") for name in reasons]
                info.reason = self.another(others, info.reason)
                detail.Pack(info)
        return details.SerializeToString()

    def enum(self, message, expected, path):
        """Changes the number at `path`, in every item that the expectation may mean."""
        (key, index), *rest = path
        field, value = named(message.DESCRIPTOR, key), expected.get("$has", expected)[key]
        part, item = getattr(message, field.name), items(value)[index]
        present = items(json_format.MessageToDict(message)[key])
        anywhere = isinstance(value, dict) and isinstance(value.get("$has"), list)
        for at, came in enumerate(present):
            if not (self.fits(came, item) if anywhere else at == index):
                continue
            if rest:
                self.enum(part[at] if field.is_repeated else part, item, rest)
                continue
            numbers = [value.number for value in field.enum_type.values]
            number = self.another(numbers, part[at] if field.is_repeated else part)
            if field.is_repeated:
                part[at] = number
            else:
                setattr(message, field.name, number)


class Meddler(grpc.GenericRpcHandler):
    """The server: it makes `change` in the first answer that fits it, and forgets it then."""

    def __init__(self, client, behind):
        self.change = None
        # A message of a stream is sent when the client waits for it, so that a change can be made
        # in the one for which a step waits.
        self.turns = {}
        self.channel = grpc.insecure_channel(behind, options=UNLIMITED)
        self.server = grpc.server(ThreadPoolExecutor(20), [self], options=UNLIMITED)
        self.address = f"127.0.0.1:{self.server.add_insecure_port('127.0.0.1:0')}"
        self.server.start()
        self.client = reaching(self.address, client)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.stop(None).wait()
        self.channel.close()

    def service(self, details):
        return grpc.stream_stream_rpc_method_handler(
            lambda requests, context: self.answers(details.method, requests, context))

    def answers(self, path, requests, context):
        metadata = dict(context.invocation_metadata())
        metadata.pop("user-agent", None)
        turn = self.turns.get(metadata.pop(STREAM, None))
        ask = self.channel.stream_stream(path)
        call = ask(requests, timeout=context.time_remaining(), metadata=list(metadata.items()))
        context.add_callback(lambda: (call.cancel(), turn and turn.release()))
        kind = self.client.message(path.rpartition("/")[2] + "Response")
        messages = []

        def read():
            messages.append(next(call))
            return kind.FromString(messages[-1])

        while True:
            if turn:
                turn.acquire()
            came, change = run.outcome(read), self.change
            if change and change.fits(came):
                self.change = None
            else:
                change = None
            if change and "answer" in came and change.path != "status":
                message = kind.FromString(messages[-1])
                change.enum(message, change.expected["answer"], change.path)
                yield message.SerializeToString()
            elif change or "answer" not in came:
                return self.end(call, "answer" in came, context, change)
            else:
                yield messages[-1]

    @staticmethod
    def end(call, early, context, change):
        status = grpc.StatusCode.OK if early else call.code()
        changed = change.status(status) if change else status
        trailing = [] if early else call.trailing_metadata()
        context.set_trailing_metadata([
            (key, change.details(changed, value) if change and key == DETAILS else value)
            for key, value in trailing
        ])
        if changed is not grpc.StatusCode.OK:
            context.abort(changed, "changed" if early else call.details())


class MeddledCase(run.Case):
    """A case whose users the server itself makes, and whose steps ask the meddler."""

    def __init__(self, client, case):
        super().__init__(client, case)
        self.steps_of_case = case["steps"]

    def differs(self, meddler, code, chance):
        """How the case fails if that code is changed; None if it passes, or fails elsewhere."""
        number, self.path = code
        steps = [{**step, "change": at == number} for at, step in enumerate(self.steps_of_case)]
        self.meddler, self.chance, self.changed = meddler, chance, False
        wrong = self.run(self.steps)
        self.client = meddler.client
        wrong = wrong or self.run(steps)
        meddler.change = None
        self.end()
        here = self.changed and (wrong or "").startswith(f"step {number + 1}:")
        return wrong if here else None

    def check(self, step):
        """Does the step that sees the change once: tried again, it would see the true answer."""
        if not step.get("change"):
            return super().check(step)
        end = time.monotonic() + SECONDS
        expected, going_on = expectation(step), True
        self.meddler.change = Change(expected, self.path, self.names, self.chance)
        while going_on:
            came = self.step(step)
            self.changed = self.meddler.change is None
            again = "retryForMs" in step or ("skipping" in step and "answer" in came)
            going_on = again and not self.changed and time.monotonic() < end
        return run.differs(expected, came, self.names, "")

    def step(self, step):
        if "open" in step:
            name = f"{step['stream']}-{self.names['run']}"
            self.turns = {**getattr(self, "turns", {}), step["stream"]: threading.Semaphore(0)}
            self.meddler.turns[name] = self.turns[step["stream"]]
            step = {**step, "metadata": {**step.get("metadata", {}), STREAM: name}}
        if "receive" in step:
            self.turns[step["receive"]].release()
        return super().step(step)
