"""The scope of each call: every call of the contract with every scope, and a user's own callers."""

import grpc
import pytest
from refusals import refusal
from stubs import Relation
from test_bad_input import CALLS, taken
from test_faults import FOR_OPERATORS, path_of

# Calls that act for no user and that every service of the app makes, administrator or not.
FOR_SERVICES = {
    "ReportPresence": "write", "AcquireConsumer": "watch", "AcknowledgeChanges": "watch",
    "ListConsumers": "watch", "DeleteConsumer": "watch",
}  # fmt: skip
# Calls that follow changes.
WATCHING = {"Watch"}
SCOPES = ["read", "write", "watch", "admin", "operator"]


def scope_of(stubs, call):
    """The one scope that opens a call, which follows from whom its request acts for."""
    if call in FOR_OPERATORS:
        return "operator"
    if call in FOR_SERVICES:
        return FOR_SERVICES[call]
    if call in WATCHING:
        return "watch"
    request = stubs.method(call)[1].input_type
    if "user_id" not in request.fields_by_name:
        return "admin"
    return "read" if request.fields_by_name["options"].message_type.name == "ReadOptions" else "write"


def outcome(stubs, channel, call, *metadata, request=b""):
    """The status and reason of a call without a request's bytes; None if it is answered."""
    method = stubs.method(call)[1]
    kind = ("stream" if method.client_streaming else "unary",
            "stream" if method.server_streaming else "unary")  # fmt: skip
    function = getattr(channel, "_".join(kind))(path_of(stubs, call))
    argument = iter([]) if method.client_streaming else request
    try:
        answer = function(argument, metadata=metadata, timeout=20)
        if method.server_streaming:
            taken(call, answer)
    except grpc.RpcError:
        again = iter([]) if method.client_streaming else request
        refused = refusal(function, again, metadata=metadata, timeout=20)
        stubs.answers.refusal(call, refused)
        return refused
    return None


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("scope", SCOPES)
def test_a_call_is_opened_by_its_own_scope_and_no_other(stubs, channel, call, scope):
    refused = outcome(stubs, channel, call, ("x-scopes", scope))
    if scope == scope_of(stubs, call):
        assert refused is None or refused.reason != "SCOPE_MISSING"
    else:
        assert refused.code == grpc.StatusCode.PERMISSION_DENIED
        assert (refused.domain, refused.reason) == ("relation.v1", "SCOPE_MISSING")


@pytest.mark.parametrize("call", CALLS)
def test_a_user_has_no_scope_but_those_on_itself(stubs, channel, people, call):
    (ann,) = people(1)
    refused = outcome(stubs, channel, call, ("x-user-id", ann), ("x-scopes", ",".join(SCOPES)))
    if scope_of(stubs, call) in ("admin", "operator") or call in FOR_SERVICES:
        assert (refused.code, refused.reason) == (
            grpc.StatusCode.PERMISSION_DENIED, "SCOPE_MISSING",
        )  # fmt: skip
    else:
        assert refused is None or refused.reason != "SCOPE_MISSING"


@pytest.mark.parametrize("call", CALLS)
def test_a_user_acts_for_itself_only(stubs, channel, people, call):
    if scope_of(stubs, call) in ("admin", "operator") or call in FOR_SERVICES:
        pytest.skip("acts for no user")
    ann, bob = people(2)
    name = stubs.method(call)[1].input_type.name
    for user, is_own in ((ann, True), ("", True), (bob, False), (people.unknown_user(), False)):
        request = stubs.message(name)(user_id=user).SerializeToString()
        refused = outcome(stubs, channel, call, ("x-user-id", ann), request=request)
        if is_own:
            assert refused is None or (refused.reason, "user_id" in refused.fields) not in [
                ("FOREIGN_USER", False), ("INVALID_FIELD", True),
            ]  # fmt: skip
        else:
            assert refused.code == grpc.StatusCode.PERMISSION_DENIED, refused
            assert refused.reason == "FOREIGN_USER"
            assert refused.metadata["code"] == "30004"


def test_a_request_that_names_no_user_is_of_the_one_that_acts(stubs, channel, people):
    ann, bob = people(2)
    mine = Relation(stubs, channel, [("x-user-id", ann)])
    assert mine("GetSelfProfile").profile.user_id == ann
    people.befriend(ann, bob)
    assert [friend.user_id for friend in mine("ListFriends").friends] == [bob]


def test_a_user_that_is_no_account_is_not_made_one_by_its_profile(stubs, channel, people):
    unknown = people.unknown_user()
    mine = Relation(stubs, channel, [("x-user-id", unknown)])
    refused = refusal(
        mine, "UpdateProfile", profile={"nick": "x"}, update_mask={"paths": ["nick"]}
    )
    assert (refused.code, refused.reason) == (grpc.StatusCode.NOT_FOUND, "USER_NOT_FOUND")


def test_force_and_an_administrators_fields_need_more_than_the_call(stubs, channel, people):
    ann, bob = people(2)
    mine = Relation(stubs, channel, [("x-user-id", ann)])
    refused = refusal(mine, "AddFriends", items=[{"user_id": bob}], force=True)
    assert (refused.code, refused.reason) == (
        grpc.StatusCode.PERMISSION_DENIED, "SCOPE_MISSING",
    )  # fmt: skip
    answer = mine(
        "UpdateProfile", profile={"admin_forbid_type": 1},
        update_mask={"paths": ["admin_forbid_type"]},
    )  # fmt: skip
    assert answer.code == 40008


def test_another_app_is_read_by_operators_only(stubs, channel, relation):
    other = relation("CreateApp").app
    admin = Relation(stubs, channel, [("x-scopes", "admin")])
    refused = refusal(admin, "GetApp", app_id=other.app_id)
    assert (refused.code, refused.reason) == (
        grpc.StatusCode.PERMISSION_DENIED, "SCOPE_MISSING",
    )  # fmt: skip
    assert admin("GetApp", app_id=1).app.app_id == 1
    assert relation("GetApp", app_id=other.app_id).app == other


@pytest.mark.parametrize(
    "header, value",
    [
        ("x-scopes", "reading"),
        ("x-scopes", "read,unspecified"),
        ("x-user-id", "x" * 65),
        ("x-user-id", ""),
    ],
)
def test_malformed_metadata_is_invalid(stubs, channel, people, header, value):
    (ann,) = people(1)
    odd = Relation(stubs, channel, [(header, value)])
    refused = refusal(odd, "ListFriends", user_id=ann)
    assert refused.code == grpc.StatusCode.INVALID_ARGUMENT
    assert header in refused.fields


def test_no_scope_opens_nothing(stubs, channel, people):
    (ann,) = people(1)
    refused = refusal(Relation(stubs, channel, [("x-scopes", "")]), "ListFriends", user_id=ann)
    assert (refused.code, refused.reason) == (
        grpc.StatusCode.PERMISSION_DENIED, "SCOPE_MISSING",
    )  # fmt: skip
