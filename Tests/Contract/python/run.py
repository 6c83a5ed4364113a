"""Runs the cases of Tests/Contract against a server, with a client generated from proto/ alone.

    python run.py ADDRESS [--only CALL] [--contract proto/released.binpb]
"""

import argparse
import importlib
import json
import pathlib
import re
import secrets
import sys
import tempfile
import time
from queue import SimpleQueue

import grpc
from google.protobuf import descriptor_pool, json_format
from google.protobuf.message_factory import GetMessageClass
from google.rpc import error_details_pb2
from grpc_status import rpc_status
from grpc_tools import protoc

CASES = pathlib.Path(__file__).resolve().parents[1] / "cases"
PROTO = CASES.parents[2] / "proto"
POOL = descriptor_pool.Default()


class Client:
    """The generated messages and calls, over one channel."""
    def __init__(self, address, contract):
        names = [str(path.relative_to(PROTO)) for path in PROTO.glob("relation/v1/*.proto")]
        well_known = pathlib.Path(protoc.__file__).parent / "_proto"
        source = f"--descriptor_set_in={contract}" if contract else f"-I{PROTO}:{well_known}"
        with tempfile.TemporaryDirectory() as folder:
            sys.path.insert(0, folder)
            assert protoc.main(["protoc", source, f"--python_out={folder}", *names]) == 0
            for name in names:
                importlib.import_module(name.removesuffix(".proto").replace("/", ".") + "_pb2")
        self.channel = grpc.insecure_channel(address)

    def message(self, name):
        return GetMessageClass(POOL.FindMessageTypeByName(f"relation.v1.{name}"))

    def call(self, path, requests, metadata, seconds):
        """Makes a call: its answer, or one that runs if it streams. `requests` are bytes, or an
        iterator of bytes if the client streams."""
        method = POOL.FindMethodByName(f"relation.v1.{path}".replace("/", "."))
        shape = [("unary", "stream")[s] for s in (method.client_streaming, method.server_streaming)]
        answer = self.message(f"{method.name}Response").FromString
        call = getattr(self.channel, "_".join(shape))(f"/relation.v1.{path}", None, answer)
        return call(requests, metadata=list(metadata.items()), timeout=seconds)

    def encode(self, path, step):
        """The request of a step for a call, as bytes."""
        message = self.message(path.split("/")[1] + "Request")()
        json_format.ParseDict(step.get("request", {}), message)
        return message.SerializeToString() + bytes.fromhex(step.get("extra", ""))


def outcome(read):
    """What a call answered, in the form in which a step expects it."""
    try:
        return {"answer": json_format.MessageToDict(read())}
    except StopIteration:
        return {"end": True}
    except (json_format.ParseError, KeyError) as error:
        return {"error": {"status": f"not in this client's contract: {error}"}}
    except grpc.RpcError as error:
        details, status = {"status": error.code().name}, rpc_status.from_call(error)
    for detail in status.details if status else []:
        kind = detail.type_url.rpartition(".")[2]
        value = getattr(error_details_pb2, kind).FromString(detail.value)
        if kind == "ErrorInfo" and value.domain == "relation.v1":
            details.update({"reason": value.reason, "metadata": dict(value.metadata)})
        elif kind == "BadRequest":
            details["fields"] = [violation.field for violation in value.field_violations]
        details["retry"] = kind == "RetryInfo" or details.get("retry")
    return {"error": {key: value for key, value in details.items() if value}}


def expand(value, names):
    """A value of a case with its variables put in."""
    if isinstance(value, str):
        return re.sub(r"\$\{(\w+)\}", lambda found: names[found[1]], value)
    if isinstance(value, list):
        return [expand(item, names) for item in value]
    if isinstance(value, dict) and "$repeat" in value:
        part, times = value["$repeat"], value["times"]
        if "${index}" not in json.dumps(part):
            return expand(part, names) * times
        made = [expand(part, {**names, "index": str(index)}) for index in range(times)]
        return "".join(made) if isinstance(part, str) else sum(made, [])
    if isinstance(value, dict):
        return {expand(key, names): expand(item, names) for key, item in value.items()}
    return value


def differs(expected, came, names, path):
    """The first difference in words, or None. Saves the values that `$save` names."""
    only = isinstance(expected, dict) and len(expected) == 1
    matcher, inner = next(iter(expected.items())) if only else ("-", None)
    if matcher == "$save" and came is not None:
        return names.update({inner: str(came)})
    if matcher == "$any" and type(came) is {"string": str, "number": int, "object": dict}[inner]:
        return None
    if matcher == "$has" and isinstance(inner, list) and isinstance(came, list):
        wrong = (all(differs(item, one, names, path) for one in came) for item in inner)
        return f"{path}: expected {inner} among {came}" if any(wrong) else None
    if isinstance(expected, dict) and isinstance(came, dict) and matcher not in ("$save", "$any"):
        expected, keys = (inner, inner) if matcher == "$has" else (expected, {**expected, **came})
        pairs = [(f"{path}.{key}", expected.get(key), came.get(key)) for key in keys]
    elif isinstance(expected, list) and isinstance(came, list) and len(expected) == len(came):
        pairs = [(f"{path}[{at}]", *pair) for at, pair in enumerate(zip(expected, came))]
    else:
        same = expected == came and type(expected) is type(came)
        return None if same else f"{path}: expected {expected!r}, came {came!r}"
    return next(filter(None, (differs(one, two, names, at) for at, one, two in pairs)), None)


class Case:
    """One run of a case, with users and an app of its own."""
    def __init__(self, client, case):
        self.client, self.streams, self.names = client, {}, {"run": secrets.token_hex(5)}
        for name in case.get("users", []) + case.get("unknown", []):
            self.names[name] = f"{name}-{self.names['run']}"
        self.steps = [] if "app" not in case else [{
            "call": "AppService/CreateApp", "request": case["app"],
            "answer": {"$has": {"app": {"$has": {"appId": {"$save": "app"}}}}}}]
        self.steps += [{
            "call": "ProfileService/UpdateProfile", "answer": {"$has": {"applied": True}},
            "request": {"userId": "${%s}" % name, "profile": {"gender": 0}, "updateMask": "gender"},
        } for name in case.get("users", [])]

    def run(self, steps):
        """Does steps one after the other, and returns what was wrong, or None."""
        for number, step in enumerate(steps, 1):
            for index in range(step.get("times", 1)):
                self.names["index"] = str(index)
                if wrong := self.check(expand(step, self.names)):
                    return f"step {number}: {wrong.lstrip('.')}"

    def check(self, step):
        """Does a step until it is answered as expected or may not be repeated; the difference."""
        end = time.monotonic() + step.get("retryForMs", 0) / 1000
        expected = {key: step[key] for key in ("answer", "error", "end") if key in step}
        while wrong := differs(expected, came := self.step(step), self.names, ""):
            if not (step.get("skipping") and "answer" in came) and time.monotonic() >= end:
                return wrong

    def step(self, step):
        """Does one step, and returns what came."""
        metadata = {"x-app-id": self.names["app"]} if "app" in self.names else {}
        options = ({**metadata, **step.get("metadata", {})}, step.get("timeoutMs", 20000) / 1000)
        encode, call = self.client.encode, self.client.call
        if path := step.get("call"):
            return outcome(lambda: call(path, encode(path, step), *options))
        if "decode" in step:
            message = self.client.message(step["decode"]).FromString(bytes.fromhex(step["bytes"]))
            same = "again" not in step or message.SerializeToString().hex() == step["bytes"]
            return outcome(lambda: message) if same else {"error": {"status": "DATA_LOSS"}}
        if path := step.get("open"):
            queue = SimpleQueue()
            requests = encode(path, step) if "request" in step else iter(queue.get, None)
            self.streams[step["stream"]] = (call(path, requests, *options), queue, path)
            return {}
        action = next(key for key in ("send", "halfClose", "receive", "cancel") if key in step)
        call, queue, path = self.streams[step[action]]
        if action == "receive":
            return outcome(call.__next__)
        message = encode(path, step) if action == "send" else None
        call.cancel() if action == "cancel" else queue.put(message)
        return {}

    def end(self):
        for call, queue, _ in self.streams.values():
            queue.put(None)
            call.cancel()
        if "app" in self.names:
            self.step({"call": "AppService/DeleteApp", "request": {"appId": self.names["app"]}})


def main():
    parser = argparse.ArgumentParser()
    for argument in ("address", "--only", "--contract"):
        parser.add_argument(argument)
    options = parser.parse_args()
    client, counts = Client(options.address, options.contract), [0, 0]
    for path in sorted(CASES.glob(f"*/{options.only or '*'}.json")):
        for case in json.loads(path.read_text())["cases"]:
            running = Case(client, case)
            if wrong := running.run(running.steps) or running.run(case["steps"]):
                print(f"{path.parent.name}/{path.stem}: {case['name']}: {wrong}")
            running.end()
            counts[bool(wrong)] += 1
    print(f"{counts[0]} cases passed, {counts[1]} failed")
    sys.exit(not counts[0] or counts[1] > 0)


main() if __name__ == "__main__" else None
