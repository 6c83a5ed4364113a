"""Writes the OpenAPI document of the calls in JSON, as Connect has them.

    python openapi_document.py > docs/openapi.json

All of it comes from the contract and its comments, from `proto/CALLS.md`, and from the cases of the
contract. Calls of many messages have no place in OpenAPI: `x-streams` names them.
"""

import json
import re
import sys

from contract_examples import Examples
from contract_model import MASK, PACKAGE, ROOT, STATUSES, contract
from contract_prose import first_sentence, prose

WIDTH = 100
VERSION = re.compile(r'^let version = .*"RELATION_VERSION"\] \?\? "([^"]+)"$', re.MULTILINE)
JSON = "application/json"
#: The names of HTTP for the statuses with which calls fail.
HTTP = {
    400: "BadRequest", 401: "Unauthorized", 403: "Forbidden", 404: "NotFound", 409: "Conflict",
    429: "TooManyRequests", 500: "InternalServerError", 503: "ServiceUnavailable",
    504: "GatewayTimeout",
}  # fmt: skip
#: The scopes that a user's own signature has.
SCOPES_OF_USERS = ("read", "write", "watch")
MASK_HELP = (
    'Paths with a comma between two, such as `"allowType,custom.favColor"`. The names of fields are'
    " in lowerCamelCase or as in the contract; the key after `custom.` is taken letter by letter.")
INTRODUCTION = """\
The calls of the relation-chain service in JSON, by the protocol Connect. A call is a `POST` of its
request to its path. `docs/web.md` of the service says more, and `reference.html` has the contract
with all its comments.

- Names are in lowerCamelCase in answers. A request may have them as the contract does
  (`user_id`), too. A field that a request does not have is refused by its name.
- Numbers of 64 bits are texts in answers; a request may have them as numbers. Enums are their
  names; with the field `json-enums: number`, which these schemas leave out, answers have their
  numbers (`x-enum-numbers`). Bytes are base64.
- A field that has its default is left out of answers, unless `x-explicit-presence` says that a
  field that is not set differs from one that has the default.
- The outcome of an item is in the answer: its `code` and its `reason`. An error means that the
  call as a whole was not understood or not allowed.
- A call that only reads may be a `GET`.
- `x-limits` has the bounds of a request. The schemas have those that count items of a list.
- Calls of many messages stand in `x-streams`: OpenAPI has no words for them."""


class Document:
    """The document of a contract."""

    def __init__(self, contract, version):
        self.contract = contract
        self.version = version
        self.examples = Examples(contract)
        self.sent = {
            name for call in contract.calls for name in contract.reachable(call.request)}
        self.given = {
            name for call in contract.calls for name in contract.reachable(call.answer)}
        self.limits = {call.request: call.limits for call in contract.calls}

    def made(self):
        calls = [call for call in self.contract.calls if not call.is_stream]
        return {
            "openapi": "3.1.0",
            "info": {
                "title": "relation chain", "version": self.version,
                "summary": "Who is whose friend, who asked to be, who is blocked, and what changed",
                "description": prose(INTRODUCTION),
                "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
            },
            "servers": [{
                "url": "http://127.0.0.1:7450",
                "description": "The server of `make run`; the console's address takes calls too.",
            }],
            "tags": [
                {"name": service.name, "description": prose(service.comment)}
                for service in self.contract.services if not all(
                    call.is_stream for call in service.calls)],
            "paths": {call.path: self._path(call) for call in calls},
            "x-streams": {
                call.path: self._stream(call) for call in self.contract.calls if call.is_stream},
            "components": {
                "schemas": self._schemas(),
                "responses": {
                    name: {
                        "description": f"The call failed: HTTP {status}.",
                        "content": {JSON: {"schema": ref("ConnectError")}},
                    } for status, name in HTTP.items()},
                "parameters": PARAMETERS,
                "securitySchemes": SECURITY,
            },
        }  # fmt: skip

    # Calls

    def _path(self, call):
        made = {}
        # The calls of operators act in no app.
        shared = ["Timeout"] if call.scope == "operator" else ["App", "Timeout"]
        made["parameters"] = [{"$ref": f"#/components/parameters/{name}"} for name in shared]
        made["post"] = self._post(call)
        if call.is_safe:
            made["get"] = self._get(call)
        return made

    def _post(self, call):
        answered, refused = self.examples.answered(call), self.examples.refused(call)
        request, answer = {"schema": ref(call.request)}, {"schema": ref(call.answer)}
        if answered:
            name, sent, given = answered
            request["examples"] = {"answered": {"summary": name, "value": sent}}
            answer["examples"] = {"answered": {"summary": name, "value": given}}
        errors = self._errors(call)
        if refused:
            name, sent, given = refused
            request.setdefault("examples", {})["refused"] = {"summary": name, "value": sent}
            status = str(next(
                http for word, http in STATUSES.values() if word == given["code"]))
            errors[status] = {
                "description": errors[status]["description"],
                "content": {JSON: {
                    "schema": ref("ConnectError"),
                    "examples": {"refused": {"summary": name, "value": given}},
                }},
            }  # fmt: skip
        made = {
            "operationId": f"{call.service}_{call.name}", "tags": [call.service],
            "summary": first_sentence(call.comment), "description": prose(call.comment),
            "x-access": call.kind,
        }  # fmt: skip
        if call.limits:
            made["x-limits"] = [
                {"field": limit.field}
                | ({"most": limit.most, "unit": limit.unit} if limit.most else
                   {"isSettingOfTheApp": True})
                for limit in call.limits]
        if codes := [code.name for code in call.codes if not code.is_error]:
            made["x-codes"] = codes
        return made | {
            "security": self._security(call),
            "requestBody": {"required": True, "content": {JSON: request}},
            "responses": {
                "200": {"description": f"`{call.answer}`", "content": {JSON: answer}}, **errors},
        }

    def _get(self, call):
        return {
            "operationId": f"{call.service}_{call.name}_get", "tags": [call.service],
            "summary": first_sentence(call.comment),
            "description": "The same call as a link, which changes nothing and is in no cache.",
            "security": self._security(call),
            "parameters": [
                {
                    "name": "message", "in": "query", "required": True,
                    "description": f"The JSON of a `{call.request}`.",
                    "schema": {
                        "type": "string", "contentMediaType": JSON,
                        "contentSchema": ref(call.request),
                    },
                },
                {"$ref": "#/components/parameters/Encoding"},
                {"$ref": "#/components/parameters/Connect"},
            ],
            "responses": {
                "200": {
                    "description": f"`{call.answer}`",
                    "content": {JSON: {"schema": ref(call.answer)}},
                },
                "default": {
                    "description": "The call failed, as the `POST` says.",
                    "content": {JSON: {"schema": ref("ConnectError")}},
                },
            },
        }  # fmt: skip

    @staticmethod
    def _errors(call):
        """The statuses of HTTP with which the call fails, each with the reasons."""
        found = {504: ["`connect-timeout-ms` is over"]}
        for code in [*call.codes, *call.shared]:
            # Bytes that are not a message are another error in JSON: a field that is invalid.
            if code.is_error and code.short != "MALFORMED_MESSAGE":
                for status in code.statuses:
                    found.setdefault(STATUSES[status][1], []).append(f"`{code.short}`")
        return {
            str(status): {
                "$ref": f"#/components/responses/{HTTP[status]}",
                "description": ", ".join(dict.fromkeys(reasons)),
            } for status, reasons in sorted(found.items())}  # fmt: skip

    @staticmethod
    def _security(call):
        """The credentials that may make the call; none is for servers with `--insecure`."""
        made = [{"apiKey": [call.scope]}]
        if call.is_for_users and call.scope in SCOPES_OF_USERS:
            made.append({"userSignature": []})
        if call.scope != "operator":
            made.append({"clientCertificate": [call.scope]})
        return [*made, {}]

    def _stream(self, call):
        made = {
            "tags": [call.service], "summary": first_sentence(call.comment),
            "description": prose(call.comment), "x-access": call.kind,
            "contentType": "application/connect+json",
            "sends": ("stream of " if call.sends_stream else "") + call.request,
            "answers": ("stream of " if call.gives_stream else "") + call.answer,
            "request": ref(call.request), "answer": ref(call.answer),
            "security": self._security(call),
            "errors": {
                status: error["description"] for status, error in self._errors(call).items()},
        }  # fmt: skip
        if codes := [code.name for code in call.codes if not code.is_error]:
            made["x-codes"] = codes
        return made

    # Schemas

    def _schemas(self):
        used = self.sent | self.given
        made = {name: self._message(self.contract.messages[name]) for name in used}
        types = {field.type for name in used for field in self.contract.messages[name].fields}
        made |= {
            name: self._enum(enum) for name, enum in self.contract.enums.items() if name in types}
        return dict(sorted(made.items())) | self._error_schemas()

    def _message(self, message):
        made = {"type": "object"}
        if message.comment:
            made["description"] = prose(message.comment)
        limits = {limit.field: limit.most for limit in self.limits.get(message.name, [])
                  if limit.unit == "items"}
        properties = {}
        for field in message.fields:
            schema = self._field(field, message.name in self.sent)
            if field.is_repeated and limits.get(field.name):
                schema["maxItems"] = limits[field.name]
            properties[field.json] = schema
        if properties:
            made["properties"] = properties
        # An answer may have fields from later versions; a request has none that it does not know.
        if message.name not in self.given:
            made["additionalProperties"] = False
        rules = []
        for oneof in message.oneofs:
            names = [{"required": [field.json]} for field in message.fields if field.oneof == oneof]
            rules.append({"if": {"anyOf": names}, "then": {"oneOf": names}})
        if len(rules) == 1:
            made |= rules[0]
        elif rules:
            made["allOf"] = rules
        return made

    def _field(self, field, is_sent):
        one = self._one(field, is_sent)
        comment = prose(field.comment)
        if field.type == MASK:
            comment = f"{comment}\n\n{MASK_HELP}".strip()
        if field.key:
            made = {"type": "object", "additionalProperties": one}
        elif field.is_repeated:
            made = {"type": "array", "items": one}
        else:
            made = one
        if comment:
            made["description"] = comment
        if field.oneof:
            made["x-oneof"] = field.oneof
        elif field.has_presence and field.type not in self.contract.messages:
            made["x-explicit-presence"] = True
        return made

    def _one(self, field, is_sent):
        if field.type in self.contract.messages or field.type in self.contract.enums:
            return ref(field.type)
        numbers = {
            "int32": {"type": "integer", "format": "int32"},
            "uint32": {"type": "integer", "minimum": 0, "maximum": 2**32 - 1},
        }
        if field.type in numbers:
            return dict(numbers[field.type])
        if field.type in ("int64", "uint64"):
            return {"type": ["string", "integer"] if is_sent else "string", "format": field.type}
        return {
            "bool": {"type": "boolean"}, "string": {"type": "string"}, MASK: {"type": "string"},
            "bytes": {"type": "string", "contentEncoding": "base64"},
        }[field.type] | {}  # fmt: skip

    @staticmethod
    def _enum(enum):
        return {
            "type": "string", "description": prose(enum.comment),
            "enum": [value.name for value in enum.values],
            "x-enum-numbers": [value.number for value in enum.values],
            "x-enum-descriptions": [prose(value.comment) for value in enum.values],
        }  # fmt: skip

    def _error_schemas(self):
        reasons = [
            value for value in self.contract.enums["ErrorReason"].values if value.number]
        return {
            "ConnectError": {
                "type": "object", "required": ["code"],
                "description": "Why a call failed as a whole.",
                "properties": {
                    "code": {
                        "type": "string", "enum": [word for word, _ in STATUSES.values()],
                        "description": "The status of gRPC in the words of Connect.",
                    },
                    "message": {"type": "string", "description": "Words for people."},
                    "details": {"type": "array", "items": ref("ErrorDetail")},
                },
            },
            "ErrorDetail": {
                "type": "object", "required": ["type", "value"],
                "properties": {
                    "type": {
                        "type": "string",
                        "description": "`google.rpc.ErrorInfo`, `google.rpc.BadRequest` or"
                                       " `google.rpc.RetryInfo`.",
                    },
                    "value": {
                        "type": "string", "contentEncoding": "base64",
                        "description": "The message in protobuf; the base64 has no padding.",
                    },
                    "debug": {
                        "description": "The same message in JSON.",
                        "anyOf": [ref("ErrorInfo"), ref("BadRequest"), ref("RetryInfo")],
                    },
                },
            },
            "ErrorInfo": {
                "type": "object", "required": ["reason", "domain"],
                "properties": {
                    "reason": ref("ErrorReason"),
                    "domain": {"type": "string", "const": PACKAGE},
                    "metadata": {"type": "object", "additionalProperties": {"type": "string"}},
                },
            },
            "ErrorReason": {
                "type": "string",
                "description": "The names of `ErrorReason` in the contract, without the prefix"
                               " `ERROR_REASON_`.",
                "enum": [value.name.removeprefix("ERROR_REASON_") for value in reasons],
                "x-enum-descriptions": [prose(value.comment) for value in reasons],
            },
            "BadRequest": {
                "type": "object", "required": ["fieldViolations"],
                "properties": {"fieldViolations": {"type": "array", "items": {
                    "type": "object", "required": ["field"],
                    "properties": {
                        "field": {
                            "type": "string",
                            "description": "The path of the field, such as `items[2].user_id`.",
                        },
                        "description": {
                            "type": "string", "description": "The rule that it breaks.",
                        },
                    },
                }}},
            },
            "RetryInfo": {
                "type": "object", "required": ["retryDelay"],
                "properties": {"retryDelay": {
                    "type": "string", "description": "Seconds with an `s`, such as `0.5s`.",
                }},
            },
        }  # fmt: skip


PARAMETERS = {
    "App": {
        "name": "x-app-id", "in": "header", "schema": {"type": "integer", "minimum": 1},
        "description": "The app in which the call acts, for credentials that are not of one app.",
    },
    "Timeout": {
        "name": "connect-timeout-ms", "in": "header",
        "schema": {"type": "integer", "minimum": 0, "maximum": 9_999_999_999},
        "description": "How long the caller waits, in milliseconds.",
    },
    "Encoding": {
        "name": "encoding", "in": "query", "required": True,
        "schema": {"type": "string", "enum": ["json"]},
    },
    "Connect": {
        "name": "connect", "in": "query", "schema": {"type": "string", "enum": ["v1"]},
        "description": "The version of the protocol.",
    },
}  # fmt: skip
SECURITY = {
    "apiKey": {
        "type": "http", "scheme": "bearer",
        "description": "A key of an operator, or of an app's backend with the named scope.",
    },
    "userSignature": {
        "type": "apiKey", "in": "header", "name": "authorization",
        "description": "`UserSig` and a blank before a user's signature, which the app makes in"
                       " TIM's format TLSSigAPIv2. It acts as that user.",
    },
    "clientCertificate": {
        "type": "mutualTLS",
        "description": "A client certificate that is registered for an app, with the named scope.",
    },
}  # fmt: skip


def ref(name):
    return {"$ref": f"#/components/schemas/{name}"}


def written(value, indent=0, before=0):
    """JSON with a line for each part of what is too long for a line.

    So much of the line stands before it; a comma may follow.
    """
    text = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, (dict, list)) or not value or before + len(text) < WIDTH:
        return text
    pad, close = " " * (indent + 1), " " * indent
    if isinstance(value, list):
        parts = [pad + written(each, indent + 1, len(pad)) for each in value]
        return "[\n" + ",\n".join(parts) + f"\n{close}]"
    parts = []
    for name, each in value.items():
        head = f"{pad}{json.dumps(name)}: "
        parts.append(head + written(each, indent + 1, len(head)))
    return "{\n" + ",\n".join(parts) + f"\n{close}}}"


def document():
    """The text of the document, as the sources say it today."""
    version = VERSION.search((ROOT / "Package.swift").read_text())[1]
    return written(Document(contract(), version).made()) + "\n"


if __name__ == "__main__":
    sys.stdout.write(document())
