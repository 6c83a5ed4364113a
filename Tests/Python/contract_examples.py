"""Examples of calls, taken from the cases of the contract: a request, its answer, and an error.

A case has variables and expectations, for which an example has a value of the field's type.
"""

import base64
import json
import re

from contract_model import MASK, ROOT, STATUSES
from google.rpc import error_details_pb2

CASES = ROOT / "Tests/Contract/cases"
#: An example that is longer than this is taken only if there is no shorter one.
FITTING = 1_500
#: 2026-01-01 in milliseconds since 1970.
TIME = "1767225600000"


class Examples:
    """The examples of a contract's calls."""

    def __init__(self, contract):
        self.contract = contract

    def answered(self, call):
        """The name of a case, a request and its answer; none if no case has one that is plain."""
        found = None
        for name, step in self.steps(call):
            if "answer" not in step or not step["answer"]:
                continue
            request = self.message(step["request"], call.request)
            answer = self.message(step["answer"], call.answer)
            found = found or (name, request, answer)
            if len(json.dumps([request, answer])) <= FITTING:
                return name, request, answer
        return found

    def refused(self, call):
        """The name of a case, a request, and the error that answers it."""
        for name, step in self.steps(call):
            if step.get("error", {}).get("reason"):
                request = self.message(step["request"], call.request)
                return name, request, error(step["error"])
        return None

    def steps(self, call):
        """The plain steps of the cases of a call, each with the name of its case."""
        path = CASES / call.service / f"{call.name}.json"
        if not path.exists():
            return
        for case in json.loads(path.read_text())["cases"]:
            for step in case["steps"]:
                text = json.dumps(step)
                if step.get("call") == f"{call.service}/{call.name}" and not (
                        "extra" in step or "metadata" in step or "$repeat" in text):  # fmt: skip
                    yield case["name"], step

    def message(self, value, name):
        """A message of a case, in which each field has a value of its type."""
        value = value.get("$has", value)
        fields = {}
        for field in self.contract.messages[name].fields:
            fields[field.json] = fields[field.name] = field
        made = {}
        for key, part in value.items():
            field = fields[key]
            if field.key:
                made[key] = {
                    plain(name): self._value(each, field) for name, each in part.items()}
            elif field.is_repeated:
                parts = part.get("$has", []) if isinstance(part, dict) else part
                made[key] = [self._value(each, field) for each in parts]
            else:
                made[key] = self._value(part, field)
        return made

    def _value(self, value, field):
        if isinstance(value, dict) and ("$any" in value or "$save" in value):
            return self._sample(field)
        if field.type in self.contract.messages:
            return self.message(value, field.type)
        if not isinstance(value, str):
            return value
        text = plain(value)
        if field.type.startswith(("int", "uint")) and not re.fullmatch(r"-?\d+", text):
            return self._sample(field)
        if field.type == "bytes" and "${" in value:
            return self._sample(field)
        return text

    def _sample(self, field):
        """A value of the field's type, in the place of one that a server makes."""
        if field.type in self.contract.enums:
            return self.contract.enums[field.type].values[1].name
        if field.type in self.contract.messages:
            return {}
        samples = {
            "int64": TIME if field.name.endswith("_ms") else "1", "uint64": "1", "int32": 1,
            "uint32": 1, "bool": True, "bytes": "AQID", MASK: ""}  # fmt: skip
        return samples.get(field.type, field.name.replace("_", "-"))


def plain(text):
    """A text of a case with the names of its variables in their places."""
    return re.sub(r"\$\{(\w+)\}", r"\1", text)


def error(expected):
    """The error that a case expects, as Connect writes it; its words are not part of a case."""
    info = error_details_pb2.ErrorInfo(reason=expected["reason"], domain="relation.v1")
    debug = {"reason": info.reason, "domain": info.domain}
    for name, value in expected.get("metadata", {}).items():
        info.metadata[name] = plain(value) if isinstance(value, str) else "1"
    if info.metadata:
        debug["metadata"] = dict(sorted(info.metadata.items()))
    details = [detail(info, debug)]
    if fields := expected.get("fields"):
        bad = error_details_pb2.BadRequest()
        for field in fields:
            bad.field_violations.add(field=plain(field))
        violations = [{"field": plain(field)} for field in fields]
        details.append(detail(bad, {"fieldViolations": violations}))
    return {"code": STATUSES[expected["status"]][0], "details": details}


def detail(message, debug):
    value = base64.b64encode(message.SerializeToString(deterministic=True)).decode().rstrip("=")
    return {"type": message.DESCRIPTOR.full_name, "value": value, "debug": debug}
