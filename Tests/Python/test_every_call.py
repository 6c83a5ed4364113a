"""Rules for every write and every read of the contract. Each call is found in the contract and gets
a request made by its schema, so that a call that is added later is covered."""

import concurrent.futures

import grpc
import pytest
from bad_input import good
from refusals import assert_invalid, refusal
from stubs import Relation
from test_bad_input import CALLS, Walk
from test_faults import FOR_OPERATORS, UNARY, closed, path_of
from test_scopes import outcome

# A fixture of another file, used here too.
__all__ = ["closed"]

# The fields that only the first of equal requests gets.
SECRETS = {"key", "secret", "invitation_code"}
# What the receiver of a test's event answered: only the call that sent it tells.
ONCE = {"TestHook": {"confirmed", "status", "cause", "duration_ms"}}


@pytest.fixture(scope="module", autouse=True)
def client_app(people):
    people.register_client("client")


@pytest.fixture
def request_of(relation, people):
    """Makes a good request of a call, and returns the call's function beside it."""

    def make(call):
        walk = Walk(relation, people, call)
        name = walk.method.input_type.name
        request = good(relation.stubs.message(name)(), walk.examples())
        return relation.start(call), request

    return make


def takes(stubs, options):
    """The unary calls whose request has a field `options` of that type."""
    found = []
    for call in CALLS:
        method = stubs.method(call)[1]
        field = method.input_type.fields_by_name.get("options")
        if field is not None and field.message_type.name == options:
            if not method.client_streaming and not method.server_streaming:
                found.append(call)
    return found


def test_every_unary_call_reads_or_writes(stubs):
    reads, writes = takes(stubs, "ReadOptions"), takes(stubs, "WriteOptions")
    streams = [
        call for call in CALLS
        if stubs.method(call)[1].client_streaming or stubs.method(call)[1].server_streaming
    ]  # fmt: skip
    assert sorted(reads + writes + streams) == CALLS


@pytest.mark.parametrize("call", CALLS)
def test_a_dry_run_answers_what_the_write_then_does(relation, request_of, call):
    if call not in takes(relation.stubs, "WriteOptions"):
        pytest.skip("reads")
    send, request = request_of(call)
    request.options.dry_run = True
    first = send(request, timeout=20)
    # That no result says that it changed something is held for every answer by `Answers`.
    assert not first.applied
    assert results(send(request, timeout=20)) == results(first)
    request.options.dry_run = False
    done = send(request, timeout=20)
    assert results(done) == results(first)


@pytest.mark.parametrize("call", CALLS)
def test_a_dry_run_lists_the_rows_of_the_write(relation, request_of, call):
    """That they are the rows which the write then makes is held by `WriteEffectsTests`."""
    if call not in takes(relation.stubs, "WriteOptions"):
        pytest.skip("reads")
    send, request = request_of(call)
    request.options.list_effects = True
    assert_invalid(refusal(send, request, timeout=20), "options.list_effects")
    request.options.dry_run = True
    told = send(request, timeout=20)
    assert told.HasField("effects")
    effects = told.effects
    assert effects.row_count == len(effects.rows) and not effects.cut
    assert effects.event_count == len(effects.events)
    assert effects.row_bytes == sum(row.bytes for row in effects.rows)
    told.ClearField("effects")
    request.options.list_effects = False
    # Secrets and times are new in each answer.
    assert results(send(request, timeout=20)) == results(told)
    request.options.dry_run = False
    done = send(request, timeout=20)
    if call not in ("ReportPresence", "TestHook"):
        assert effects.rows or not done.applied


@pytest.mark.parametrize("call", CALLS)
def test_a_request_id_makes_a_write_safe_to_repeat(relation, request_of, call):
    if call not in takes(relation.stubs, "WriteOptions"):
        pytest.skip("reads")
    send, request = request_of(call)
    request.options.request_id = f"every-{call}"
    # An app may have four tests of hooks under way, those included that are answered again.
    with concurrent.futures.ThreadPoolExecutor(4 if call == "TestHook" else 8) as threads:
        answers = list(threads.map(lambda _: send(request, timeout=20), range(16)))
    assert sorted(answer.replayed for answer in answers) == [False] + [True] * 15
    for answer in answers:
        answer.replayed = False
        # Secrets are returned once, and never again.
        for name in (SECRETS | ONCE.get(call, set())) & set(answer.DESCRIPTOR.fields_by_name):
            answer.ClearField(name)
    assert all(answer == answers[0] for answer in answers)
    request.options.device_id = "another body"
    refused = refusal(send, request, timeout=20)
    assert (refused.code, refused.reason) == (
        grpc.StatusCode.INVALID_ARGUMENT, "REQUEST_ID_REUSED",
    )  # fmt: skip


@pytest.mark.parametrize("call", [call for call in CALLS if call not in FOR_OPERATORS])
def test_a_read_sees_a_sequence_that_was_answered(relation, people, request_of, call):
    if call not in takes(relation.stubs, "ReadOptions"):
        pytest.skip("writes")
    send, request = request_of(call)
    ann, bob = people(2)
    least = request.options.min_sequence
    least.user_id = ann
    least.sequence = relation("AddToBlacklist", user_id=ann, user_ids=[bob]).sequence
    send(request, timeout=20)
    if "user_id" not in request.DESCRIPTOR.fields_by_name:
        return
    # Without a name, the sequence is that of the acting user.
    least.user_id = ""
    least.sequence = relation(
        "AddToBlacklist", user_id=request.user_id, user_ids=[bob]).sequence
    send(request, timeout=20)
    least.sequence += 1
    assert_invalid(
        refusal(send, request, timeout=20), "options.min_sequence", reason="SEQUENCE_NOT_ISSUED")


@pytest.mark.parametrize("call", CALLS)
def test_a_read_refuses_a_malformed_min_sequence(relation, request_of, call):
    if call not in takes(relation.stubs, "ReadOptions"):
        pytest.skip("writes")
    send, request = request_of(call)
    request.options.min_sequence.user_id = " "
    request.options.min_sequence.sequence = -1
    refused = refusal(send, request, timeout=20)
    assert refused.reason == "INVALID_FIELD"
    assert set(refused.fields) == {
        "options.min_sequence.sequence", "options.min_sequence.user_id",
    }  # fmt: skip


@pytest.mark.parametrize("call", CALLS)
def test_a_read_waits_for_no_sequence_that_was_never_issued(
    relation, people, request_of, call
):
    if call not in takes(relation.stubs, "ReadOptions"):
        pytest.skip("writes")
    send, request = request_of(call)
    (ann,) = people(1)
    request.options.min_sequence.user_id = ann
    send(request, timeout=20)
    request.options.min_sequence.sequence = 1 << 40
    refused = refusal(send, request, timeout=20)
    assert (refused.code, refused.reason) == (
        grpc.StatusCode.INVALID_ARGUMENT, "SEQUENCE_NOT_ISSUED",
    )  # fmt: skip


# Callers and their purposes, also for calls that stream and calls that act for no user


@pytest.mark.parametrize("call", [call for call in CALLS if call not in FOR_OPERATORS])
def test_no_call_finds_an_app_that_is_not_there(stubs, channel, call):
    refused = outcome(stubs, channel, call, ("x-app-id", str(2**32 - 1)))
    assert (refused.code, refused.reason) == (grpc.StatusCode.NOT_FOUND, "APP_NOT_FOUND")


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("name, value", [("x-app-id", "one"), ("x-scopes", "all")])
def test_every_call_names_metadata_that_is_malformed(stubs, channel, call, name, value):
    assert_invalid(outcome(stubs, channel, call, (name, value)), name)


@pytest.mark.parametrize("call", CALLS)
def test_bytes_that_are_no_message_are_internal_to_every_call(stubs, channel, call):
    method = stubs.method(call)[1]
    shape = "_".join(
        "stream" if streams else "unary"
        for streams in (method.client_streaming, method.server_streaming)
    )
    data = b"\x1a\x05abc"
    sent = iter([data]) if method.client_streaming else data
    refused = refusal(getattr(channel, shape)(path_of(stubs, call)), sent, timeout=20)
    assert (refused.code, refused.domain, refused.reason) == (
        grpc.StatusCode.INTERNAL, "relation.v1", "MALFORMED_MESSAGE",
    )  # fmt: skip
    stubs.answers.refusal(call, refused)


@pytest.mark.parametrize("call", UNARY)
def test_a_users_own_credential_makes_no_account(stubs, channel, people, call):
    mine = Relation(stubs, channel, [("x-user-id", people.unknown_user())])
    refused = refusal(mine, call, **UNARY[call])
    assert (refused.code, refused.reason) == (grpc.StatusCode.NOT_FOUND, "USER_NOT_FOUND")


@pytest.mark.parametrize("call", CALLS)
def test_a_server_with_authentication_takes_no_call(stubs, closed, call):
    refused = outcome(stubs, closed, call)
    assert (refused.code, refused.domain, refused.reason) == (
        grpc.StatusCode.UNAUTHENTICATED, "relation.v1", "CREDENTIAL_MISSING",
    )  # fmt: skip


def results(answer):
    """An answer in words, without the fields in which a dry run differs from a write, and without
    times."""
    copy = type(answer)()
    copy.CopyFrom(answer)
    for name in {"sequence", "applied", "replayed"} | SECRETS & set(copy.DESCRIPTOR.fields_by_name):
        copy.ClearField(name)
    # A dry run makes nothing that could have a name.
    chance = ("_ms:", "version", "credential_id", "deletion_id", "invitation_id", "hook_id", "event_id", "reader:",
              "changed:", "cause:")
    return [line for line in str(copy).splitlines() if not any(word in line for word in chance)]
