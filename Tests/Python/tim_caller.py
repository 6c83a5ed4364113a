"""Calls of TIM's REST API, as a back end of the vendor's customers makes them."""

import json
import re
from urllib.parse import quote, urlencode

from credentials import sign

ADMINISTRATOR = "administrator"
# The services whose answers have `ErrorDisplay`.
DISPLAYING = {"sns", "profile", "follow"}


class Caller:
    """Asks commands of one app, with an administrator's signature."""

    def __init__(self, wire, app, secret):
        self.wire = wire
        self.app = app
        self.secret = secret
        self.signature = sign(app, secret, ADMINISTRATOR)

    def query(self, **changed):
        """The query of a target; a parameter that is None is left out."""
        fields = {
            "sdkappid": self.app, "identifier": ADMINISTRATOR, "usersig": self.signature,
            "random": 7, "contenttype": "json", **changed,
        }  # fmt: skip
        return urlencode({name: value for name, value in fields.items() if value is not None})

    def raw(self, command, body, fields=(), **changed):
        """The answer to a body of bytes; its status always is 200, and it is JSON."""
        target = f"/v4/{quote(command)}?{self.query(**changed)}"
        reply = self.wire.ask("POST", target, fields, body)
        assert reply.status == 200, reply.status
        assert reply.fields["content-type"] == "application/json"
        return reply.json

    def __call__(self, command, body, **changed):
        return self.raw(command, json.dumps(body).encode(), **changed)

    def code(self, command, body, **changed):
        """The code of a request that is refused as a whole."""
        answer = self(command, body, **changed)
        assert answer["ActionStatus"] == ("FAIL" if answer["ErrorCode"] else "OK"), answer
        return answer["ErrorCode"]


def envelope(command, code=0):
    """The members around each answer."""
    around = {
        "ActionStatus": "FAIL" if code else "OK", "ErrorCode": code,
        "ErrorInfo": "<text>" if code else "",
    }  # fmt: skip
    if command.partition("/")[0] in DISPLAYING:
        around["ErrorDisplay"] = ""
    return around


def filled(value, kept):
    """A body of the tables: `<x*501>` is a text of that length, `<name>` a value from before."""
    if isinstance(value, dict):
        return {name: filled(part, kept) for name, part in value.items()}
    if isinstance(value, list):
        return [filled(part, kept) for part in value]
    if isinstance(value, str):
        if match := re.fullmatch(r"<(.)\*(\d+)>", value):
            return match[1] * int(match[2])
        if match := re.fullmatch(r"<(\w+)>", value):
            return kept.get(match[1], value)
    return value


def is_like(found, wanted):
    """Whether an answer is the one of a table; entries of tags may come in any order."""
    if wanted == "<any>":
        return True
    if wanted == "<text>":
        return isinstance(found, str) and found != ""
    if wanted == "<int32>":
        return type(found) is int and 0 <= found < 2**31
    if isinstance(wanted, dict):
        return (
            isinstance(found, dict) and found.keys() == wanted.keys()
            and all(is_like(found[name], wanted[name]) for name in wanted)
        )  # fmt: skip
    if isinstance(wanted, list):
        if not isinstance(found, list) or len(found) != len(wanted):
            return False
        if any(isinstance(one, dict) and "Tag" in one for one in wanted):
            found, wanted = (sorted(side, key=lambda one: one["Tag"]) for side in (found, wanted))
        return all(is_like(one, other) for one, other in zip(found, wanted))
    return type(found) is type(wanted) and found == wanted
