"""Runs the cases of Tests/Contract against a server, with a client generated from proto/ alone.

    python run.py ADDRESS [--only CALL] [--contract FILE] [--key KEY]

`--contract` generates the client from a descriptor set, such as proto/released.binpb, instead.
Needs grpcio, grpcio-tools and grpcio-status.
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
from google.protobuf import json_format
from google.rpc import error_details_pb2
from grpc_status import rpc_status
from grpc_tools import protoc

CONTRACT = pathlib.Path(__file__).resolve().parents[1]
PROTO = CONTRACT.parents[1] / "proto"
SECONDS = 20
TYPES = {"string": str, "boolean": bool, "object": dict, "list": list}


class Client:
    """The generated messages and calls, over one channel."""

    def __init__(self, address, contract, key):
        folder = tempfile.mkdtemp()
        names = sorted(str(path.relative_to(PROTO)) for path in PROTO.rglob("*.proto"))
        source = f"--descriptor_set_in={contract}" if contract else f"-I{PROTO}"
        well_known = pathlib.Path(protoc.__file__).parent / "_proto"
        options = [source] if contract else [source, f"-I{well_known}"]
        assert protoc.main(["protoc", *options, f"--python_out={folder}", *names]) == 0
        sys.path.insert(0, folder)
        self.files = [importlib.import_module(name[:-6].replace("/", ".") + "_pb2") for name in names]
        self.channel = grpc.insecure_channel(
            address, options=[("grpc.max_receive_message_length", 4 << 20)])
        self.metadata = [("authorization", f"Bearer {key}")] if key else []

    def message(self, name):
        return next(getattr(file, name) for file in self.files if hasattr(file, name))

    def start(self, path, requests, metadata, seconds):
        """Starts a call. `requests` are bytes, or an iterator of bytes if the client streams."""
        service, name = path.split("/")
        method = next(
            file.DESCRIPTOR.services_by_name[service] for file in self.files
            if service in file.DESCRIPTOR.services_by_name).methods_by_name[name]
        shape = "_".join(
            "stream" if streams else "unary"
            for streams in (method.client_streaming, method.server_streaming))
        call = getattr(self.channel, shape)(
            f"/relation.v1.{path}",
            response_deserializer=self.message(f"{name}Response").FromString)
        metadata = [*self.metadata, *metadata.items()]
        options = {"metadata": metadata, "timeout": seconds, "wait_for_ready": True}
        return (call if method.server_streaming else call.future)(requests, **options)

    def encode(self, name, step):
        """A request of a step, as bytes."""
        message = json_format.ParseDict(step.get("request", {}), self.message(name)())
        return message.SerializeToString() + bytes.fromhex(step.get("extra", ""))


def outcome(read):
    """What a call answered, as the member of a step that expects it."""
    try:
        answer = read()
    except StopIteration:
        return {"end": True}
    except (grpc.RpcError, grpc.FutureCancelledError) as error:
        return {"error": refusal(error)}
    return {"answer": json_format.MessageToDict(answer)}


def refusal(error):
    if isinstance(error, grpc.FutureCancelledError):
        return {"status": "CANCELLED"}
    told = {"status": error.code().name}
    status = rpc_status.from_call(error)
    for detail in status.details if status else []:
        info, bad, retry = (
            getattr(error_details_pb2, name)() for name in ("ErrorInfo", "BadRequest", "RetryInfo"))
        if detail.Unpack(info) and info.domain == "relation.v1":
            told["reason"] = info.reason
            told.update({"metadata": dict(info.metadata)} if info.metadata else {})
        elif detail.Unpack(bad):
            told["fields"] = [violation.field for violation in bad.field_violations]
        elif detail.Unpack(retry):
            told["retry"] = True
    return told


def expand(value, names):
    """A value of a case, with its variables and its repetitions put in."""
    if isinstance(value, str):
        return re.sub(r"\$\{(\w+)\}", lambda found: names[found[1]], value)
    if isinstance(value, list):
        return [expand(item, names) for item in value]
    if not isinstance(value, dict):
        return value
    if "$repeat" in value:
        part = value["$repeat"]
        made = (expand(part, {**names, "index": str(at)}) for at in range(value["times"]))
        return "".join(made) if isinstance(part, str) else sum(made, [])
    return {expand(key, names): expand(item, names) for key, item in value.items()}


def differs(expected, came, names, path="answer"):
    """The first difference in words, or None. Saves the values that `$save` names."""
    if isinstance(expected, dict) and any(key.startswith("$") for key in expected):
        (kind, inner), = expected.items()
        if kind == "$save":
            names[inner] = str(came)
            return None if came is not None else f"{path}: nothing came to save"
        if kind == "$any":
            fits = isinstance(came, TYPES[inner]) if inner in TYPES else (
                inner == "integer" and re.fullmatch(r"-?\d+", str(came)))
            return None if fits else f"{path}: expected any {inner}, came {came!r}"
        if kind == "$has" and isinstance(inner, dict):
            parts = ((key, (came or {}).get(key)) for key in inner)
            return next(filter(None, (
                differs(inner[key], part, names, f"{path}.{key}") for key, part in parts)), None)
        rest = list(came or [])
        for item in inner:
            found = next((at for at in rest if not differs(item, at, names, path)), None)
            if found is None:
                return f"{path}: expected one of them to be {item}, came {came}"
            rest.remove(found)
        return f"{path}: not expected: {rest}" if rest and kind == "$unordered" else None
    if isinstance(expected, dict) and isinstance(came, dict):
        keys = [*expected, *(key for key in came if key not in expected)]
        return next(filter(None, (
            differs(expected.get(key), came.get(key), names, f"{path}.{key}") for key in keys)), None)
    if isinstance(expected, list) and isinstance(came, list) and len(expected) == len(came):
        return next(filter(None, (
            differs(item, came[at], names, f"{path}[{at}]") for at, item in enumerate(expected))), None)
    same = expected == came and type(expected) is type(came)
    return None if same else f"{path}: expected {expected!r}, came {came!r}"


class Case:
    """One run of a case, with users and an app of its own."""

    def __init__(self, client, case):
        self.client, self.streams, self.app = client, {}, {}
        run = secrets.token_hex(5)
        self.names = {"run": run}
        for name in [*case.get("users", []), *case.get("strangers", [])]:
            self.names[name] = f"{name}-{run}"
        if "app" in case:
            made = self.sure("AppService/CreateApp", {"name": run, **case["app"]})
            self.names["app"] = str(made["app"]["appId"])
            self.app = {"x-app-id": self.names["app"]}
        for name in case.get("users", []):
            self.sure("ProfileService/UpdateProfile", {
                "userId": self.names[name], "profile": {"gender": "GENDER_UNKNOWN"},
                "updateMask": "gender"})

    def sure(self, path, request):
        came = self.step({"call": path, "request": request})
        assert "answer" in came, f"the case could not begin: {path} answered {came}"
        return came["answer"]

    def step(self, step):
        """Does one step, and returns what came."""
        metadata = {**self.app, **step.get("metadata", {})}
        seconds = step.get("timeoutMs", SECONDS * 1000) / 1000
        if path := step.get("call"):
            data = self.client.encode(path.split("/")[1] + "Request", step)
            return outcome(self.client.start(path, data, metadata, seconds).result)
        if "decode" in step:
            data = bytes.fromhex(step["bytes"])
            message = self.client.message(step["decode"]).FromString(data)
            kept = message.SerializeToString() == data
            return {"answer": json_format.MessageToDict(message), "kept": kept}
        if path := step.get("open"):
            queue, data = SimpleQueue(), path.split("/")[1] + "Request"
            one = "request" in step or "extra" in step
            requests = self.client.encode(data, step) if one else iter(queue.get, None)
            call = self.client.start(path, requests, metadata, seconds)
            self.streams[step["stream"]] = (call, queue, data)
            return {}
        action = next(key for key in ("send", "halfClose", "receive", "cancel") if key in step)
        call, queue, name = self.streams[step[action]]
        if action == "receive":
            return outcome(call.__next__)
        if action == "cancel":
            call.cancel()
        else:
            queue.put(self.client.encode(name, step) if action == "send" else None)
        return {}

    def check(self, step):
        """Does one step until it answers as expected, if the step may be repeated; the difference."""
        end = time.monotonic() + step.get("retryForMs", 0) / 1000
        while True:
            made = expand(step, self.names)
            came = self.step(made)
            expected = {key: made[key] for key in ("answer", "error", "end", "kept") if key in made}
            kept = {} if "kept" in expected else {"kept": None}
            wrong = differs(expected, {**came, **kept}, self.names, "")
            skips = made.get("skipping") and "answer" in came
            if not wrong or (not skips and time.monotonic() >= end):
                return wrong
            time.sleep(0 if skips else 0.05)

    def end(self):
        for call, queue, _ in self.streams.values():
            queue.put(None)
            call.cancel()
        if self.app:
            self.step({"call": "AppService/DeleteApp", "request": {"appId": int(self.app["x-app-id"])}})


def run(client, case):
    """Runs a case, and returns what was wrong, or None."""
    running = None
    try:
        running = Case(client, case)
        for number, step in enumerate(case["steps"], 1):
            if wrong := running.check(step):
                return f"step {number}: {wrong.lstrip('.')}"
    except (AssertionError, json_format.ParseError, StopIteration, KeyError) as error:
        return f"{type(error).__name__}: {error}"
    finally:
        if running:
            running.end()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("address")
    for option in ("--only", "--contract", "--key"):
        parser.add_argument(option)
    options = parser.parse_args()
    client = Client(options.address, options.contract, options.key)
    counts = {True: 0, False: 0}
    for path in sorted((CONTRACT / "cases").rglob("*.json")):
        if options.only and path.stem != options.only:
            continue
        for case in json.loads(path.read_text())["cases"]:
            wrong = run(client, case)
            counts[not wrong] += 1
            if wrong:
                print(f"{path.parent.name}/{path.stem}: {case['name']}: {wrong}")
    print(f"{counts[True]} cases passed, {counts[False]} failed")
    sys.exit(0 if counts[True] and not counts[False] else 1)


if __name__ == "__main__":
    main()
