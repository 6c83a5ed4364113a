"""Secrets of hooks that their receivers have already: taken, never told, used at once."""

import base64
import hashlib
import time

import grpc
import pytest
from people import People
from refusals import refusal
from test_hook_tim import callbacks  # noqa: F401
from test_hook_tim import Receiver as Callbacks
from test_hooks import hooked, nick, receiver, signature  # noqa: F401

OWN = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
URL = "https://receiver.invalid/"
TIM = "HOOK_FORM_TIM_CALLBACKS"
#: The longest that each form takes.
LONGEST = {
    "HOOK_FORM_CLOUD_EVENTS": "whsec_" + base64.b64encode(b"k" * 64).decode(),
    "HOOK_FORM_GRPC": "whsec_" + base64.b64encode(b"k" * 64).decode(),
    TIM: "~" * 128,
}
#: What each form refuses.
BAD = [
    *(("HOOK_FORM_CLOUD_EVENTS", secret) for secret in (
        "whsec_", OWN.removeprefix("whsec_"), OWN.upper(), OWN + " ", OWN[:-1] + "!", "token",
        "whsec_" + base64.b64encode(b"k" * 23).decode(),
        "whsec_" + base64.b64encode(b"k" * 65).decode(), "w" * 129)),
    ("HOOK_FORM_GRPC", "token"),
    *((TIM, secret) for secret in (" token", "a token", "t\n", "jetón", "~" * 129)),
]


def end(relation, receiver):  # noqa: F811
    """Changes something, and answers the headers and the body of the request that tells of it."""
    nick(relation, f"{time.monotonic_ns()}")
    _, headers, body = receiver.next()
    return headers, body


def test_events_are_signed_with_the_secret_that_the_app_gave(hooked, receiver):  # noqa: F811
    _, relation = hooked
    made = relation(
        "CreateHook", url=receiver.url, kinds=["CHANGE_KIND_PROFILE_CHANGE"], secret=OWN)
    assert (made.applied, made.secret, len(made.hook.secrets)) == (True, "", 1)
    hook = made.hook.hook_id
    assert signature(OWN, *end(relation, receiver))
    # Beside the next one of the server, and then beside the next one of the app.
    later = int(time.time() * 1_000) + 3_600_000
    served = relation("RotateHookSecret", hook_id=hook, old_expire_time_ms=later).secret
    headers, body = end(relation, receiver)
    assert signature(OWN, headers, body) and signature(served, headers, body)
    other = LONGEST["HOOK_FORM_CLOUD_EVENTS"]
    rotated = relation(
        "RotateHookSecret", hook_id=hook, old_expire_time_ms=later, secret=other)
    assert (rotated.applied, rotated.secret) == (True, "")
    headers, body = end(relation, receiver)
    assert [signature(secret, headers, body) for secret in (other, served, OWN)] == [
        True, True, True]
    # The newest secret once more changes nothing, and so leaves the one before.
    again = relation("RotateHookSecret", hook_id=hook, old_expire_time_ms=0, secret=other)
    assert (again.applied, list(again.hook.secrets)) == (False, list(rotated.hook.secrets))


def test_callbacks_of_tim_are_signed_with_the_token_of_the_receiver(hooked):  # noqa: F811
    _, relation = hooked
    receiver = Callbacks()  # noqa: F811
    made = relation("CreateHook", url=receiver.url, form=TIM, secret="token")
    assert made.secret == ""
    nick(relation, "Anna")
    told = dict(receiver.callbacks.get(timeout=30)[0])
    receiver.server.shutdown()
    assert told["Sign"] == hashlib.sha256(f"token{told['RequestTime']}".encode()).hexdigest()


@pytest.mark.parametrize("form, secret", LONGEST.items())
def test_the_longest_secret_of_a_form_is_taken(hooked, form, secret):  # noqa: F811
    _, relation = hooked
    hook = relation("CreateHook", url=URL, form=form, paused=True).hook.hook_id
    fields = {"hook_id": hook, "old_expire_time_ms": 0}
    assert relation("RotateHookSecret", **fields, secret=secret).applied
    assert relation("CreateHook", url=URL, form=form, paused=True, secret=secret).applied


@pytest.mark.parametrize("form, secret", BAD)
def test_a_secret_that_does_not_fit_is_refused_and_not_echoed(hooked, form, secret):  # noqa: F811
    running, relation = hooked
    hook = relation("CreateHook", url=URL, form=form, paused=True).hook
    for call, fields in (
        ("CreateHook", {"url": URL, "form": form, "paused": True}),
        ("RotateHookSecret", {"hook_id": hook.hook_id, "old_expire_time_ms": 0}),
    ):
        refused = refusal(relation, call, secret=secret, **fields)
        assert (refused.code, refused.reason, list(refused.fields)) == (
            grpc.StatusCode.INVALID_ARGUMENT, "INVALID_FIELD", ["secret"])
        rule = "visible characters of ASCII" if form == TIM else "`whsec_` and 24 to 64 bytes"
        assert rule in str(refused) or "visible characters" in str(refused)
        if len(secret) > 6:
            assert secret not in str(refused) and secret not in running.log
    (listed,) = relation("ListHooks").hooks
    assert list(listed.secrets) == list(hook.secrets)


def test_a_hook_of_tim_changes_its_form_once_its_secret_signs(hooked, receiver):  # noqa: F811
    _, relation = hooked
    hook = relation("CreateHook", url=receiver.url, form=TIM, secret="token").hook.hook_id
    forms = ["HOOK_FORM_CLOUD_EVENTS", "HOOK_FORM_GRPC"]
    # The URL has a path, which one of gRPC has not.
    for form, fields in zip(forms, (["form"], ["url", "form"])):
        refused = refusal(relation, "UpdateHook", hook_id=hook, form=form)
        assert (refused.reason, list(refused.fields)) == ("INVALID_FIELD", fields)
    assert relation("UpdateHook", hook_id=hook, name="renamed", form=TIM).applied
    later = int(time.time() * 1_000) + 3_600_000
    relation("RotateHookSecret", hook_id=hook, old_expire_time_ms=later, secret=OWN)
    assert relation("UpdateHook", hook_id=hook, form=forms[0]).applied
    headers, body = end(relation, receiver)
    # The token before is not a secret of this form, so one signature is there.
    assert signature(OWN, headers, body) and body.startswith(b'{"specversion"')
    assert len(dict((name.lower(), value) for name, value in headers.items())[
        "webhook-signature"].split()) == 1


def rows(relation, **fields):
    request = relation.stubs.request("ExportApp", fields)
    return list(relation.start("ExportApp")(request, timeout=30, metadata=relation.metadata))


def test_a_secret_is_in_no_answer_and_no_log_and_in_the_exports_of_secrets(hooked):  # noqa: F811
    running, relation = hooked
    app = relation.in_app(relation("CreateApp").app.app_id)
    request = {"url": URL, "paused": True, "secret": OWN, "options": {"request_id": "one"}}
    made, again = app("CreateHook", **request), app("CreateHook", **request)
    assert again.replayed and made.hook == again.hook
    tried = app("CreateHook", url=URL, secret=OWN, options={"dry_run": True})
    texts = [str(made), str(again), str(tried), str(app("ListHooks")), str(app("GetApp"))]
    hooks = [str(row) for row in rows(app) if row.WhichOneof("row") == "hook"]
    assert len(hooks) == 1
    assert not any(OWN in text for text in [*texts, *hooks, running.log])
    # An operator who takes the secrets along gives them to the copy.
    messages = rows(app, include_secrets=True)
    (told,) = [row.hook for row in messages if row.WhichOneof("row") == "hook"]
    assert [secret.secret for secret in told.secrets] == [OWN]
    copy = relation.in_app(relation("CreateApp").app.app_id)
    refused, last = People(copy).imported("ImportApp", [{"row": row} for row in messages])
    assert (refused, last.refused) == ([], 0)
    again = copy("RotateHookSecret", hook_id=made.hook.hook_id, old_expire_time_ms=0, secret=OWN)
    assert not again.applied, "it is the newest secret of the copy"
    # A row whose secret signs nothing is refused.
    (row,) = [row for row in messages if row.WhichOneof("row") == "hook"]
    row.hook.secrets[0].secret = "token"
    other = relation.in_app(relation("CreateApp").app.app_id)
    refused, _ = People(other).imported("ImportApp", [{"row": row} for row in messages])
    assert [(one.kind, one.field) for one in refused] == [("hook", "secrets")]
