"""The reason of a call that fails as a whole: its status and the `google.rpc` details."""

import grpc
import pytest
from google.rpc import error_details_pb2
from grpc_status import rpc_status


class Refusal:
    """The status of a refused call, taken apart."""

    def __init__(self, error):
        self.code = error.code()
        self.message = error.details()
        self.reason = ""
        self.domain = ""
        self.metadata = {}
        self.fields = []
        # What is wrong with each of them, in words.
        self.descriptions = []
        self.retry_seconds = None
        status = rpc_status.from_call(error)
        for detail in status.details if status else []:
            self._read(detail)

    def _read(self, detail):
        info = error_details_pb2.ErrorInfo()
        bad = error_details_pb2.BadRequest()
        retry = error_details_pb2.RetryInfo()
        if detail.Unpack(info):
            self.reason, self.domain = info.reason, info.domain
            self.metadata = dict(info.metadata)
        elif detail.Unpack(bad):
            assert all(violation.description for violation in bad.field_violations)
            self.fields += [violation.field for violation in bad.field_violations]
            self.descriptions += [violation.description for violation in bad.field_violations]
        elif detail.Unpack(retry):
            self.retry_seconds = retry.retry_delay.seconds + retry.retry_delay.nanos / 1e9

    def __repr__(self):
        return f"{self.code} {self.reason} {self.fields} {self.metadata}: {self.message}"


def refusal(call, *arguments, **fields):
    """Makes a call that must fail and returns its refusal; an iterator of answers is read to its
    end."""
    with pytest.raises(grpc.RpcError) as caught:
        answer = call(*arguments, **fields)
        if hasattr(answer, "__next__"):
            list(answer)
    return Refusal(caught.value)


def assert_invalid(refused, *fields, reason="INVALID_FIELD"):
    """The request's own fields were at fault: exactly `fields`, in this order."""
    assert refused.code == grpc.StatusCode.INVALID_ARGUMENT, refused
    assert refused.domain == "relation.v1", refused
    assert refused.reason == reason, refused
    assert refused.fields == list(fields), refused
