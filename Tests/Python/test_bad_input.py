"""Every field of every request is spoiled in every way that its type allows. Nothing crashes, a
wrong field is refused by its name, and a refused request changes nothing."""

import re

import grpc
import pytest
from bad_input import BAD_IDS, Spoiled, good, spoiled
from people import People
from refusals import Refusal
from relationd import ROOT

# The places where a value of that form is allowed: call, field and form, each with its reason.
# - The id in a profile that was read is ignored if the profile is sent back.
# - An import looks at no token of the export.
ALLOWED = {("UpdateProfile", "profile.user_id", how) for how in BAD_IDS} | {
    ("ImportProfiles", "row.profile.user_id", how) for how in BAD_IDS} | {
    ("ImportApp", "row.point.resume_token", "huge")
}

CALLS = sorted(
    set(re.findall(
        r"rpc (\w+)\(",
        "".join(path.read_text() for path in (ROOT / "proto/relation/v1").glob("*.proto")))))


class Walk:
    """Sends the spoiled requests of one call and judges the answers."""

    def __init__(self, relation, people, call):
        self.relation = relation
        self.call = call
        self.stub, self.method = relation.stubs.method(call)
        self.people = people
        self.ann, self.bob = people(2)
        people.register_client("client")
        # An import needs an empty app.
        self.target = relation
        if call == "ImportApp":
            self.target = relation.in_app(relation("CreateApp").app.app_id)
        self.faults = []

    def examples(self):
        return {
            "user_id": self.ann,
            "user_ids": [self.bob],
            "from_user_id": self.ann,
            # A user does not force.
            "ExplainAddFriendRequest.as_user": False,
            "options": None,
            "timestamp_ms": 1_700_000_000_000,
            "names": ["group"],
            "keyword": "a",
            "AddFriendsToGroupRequest.name": "group",
            "RemoveFriendsFromGroupRequest.name": "group",
            "UpdateAppRequest.name": "an app",
            "CreateOperatorKeyRequest.name": "a key",
            **self.made(),
            "client_app_id": "client",
            "RegisterClientAppRequest.name": "A client app",
            "GrantPermissionsRequest.names": ["email"],
            "DeclinePermissionsRequest.names": ["email"],
            "RevokePermissionsRequest.names": ["email"],
            "SubscribeRequest.expiry_seconds": 60,
            "CreateInvitationRequest.max_uses": 1,
            "CreateInvitationRequest.expiry_seconds": 60,
            "invitation_code": "0" * 32,
            "ExplainAcceptInvitationRequest.invitation_id": "0" * 32,
            "FindContactsRequest.digests": [b"d" * 32],
            "PresenceReport.device_id": "phone",
            "PresenceReport.online": False,
            "UndoChangesRequest.positions": [1],
            **{f"UndoChangesRequest.{name}": None for name in (
                "of_request_id", "actor_user_id", "caller", "since_time_ms", "until_time_ms",
                "before_position", "max_entries")},
            "RotateAppSecretRequest.old_expire_time_ms": 0,
            "ImportAppSecretRequest.old_expire_time_ms": 0,
            "ImportAppSecretRequest.secret": "s" * 64,
            "RotateHookSecretRequest.old_expire_time_ms": 0,
            "CreateHookRequest.url": "https://receiver.invalid/",
            "UpdateHookRequest.url": "https://receiver.invalid/",
            # No receiver would answer the questions of such a hook.
            "CreateHookRequest.asks": None,
            "HookQuestions.values": None,
            # A replay goes to a time or to a token.
            "ReplayHookRequest.time_ms": 1,
            "ReplayHookRequest.resume_token": None,
            # New values stand in fields or in tags.
            "UpdateProfileRequest.tags": None,
            "FriendUpdate.tags": None,
            "Profile.custom": None,
            # An update of the app writes what is set: here, the defaults.
            "AppSettings.default_visibility": 2,
            "AppSettings.default_allow_type": 0,
            "AppSettings.field_defaults": None,
            "AppSettings.reviewed_fields": None,
            "AppSettings.reviewed_friend_fields": None,
            "ListReviewsRequest.field": "nick",
            # The choice for a field: no group need exist.
            "FieldVisibility.field": "email",
            "FieldVisibility.visibility": 3,
            "FieldVisibility.group_names": None,
            "PermissionDefinition.name": "walked",
            "PermissionDefinition.kind": 4,
            "PermissionDefinition.fields": ["level"],
            # A list of all friends, and not of some.
            "ListFriendsRequest.relation": 0,
            "ListFriendsRequest.mark": 0,
            # A stream of one user, and not of several or of the app.
            "WatchRequest.user_ids": None,
            "WatchRequest.client_app_id": None,
            "AcquireConsumerRequest.consumer": "walked",
            "AcquireConsumerRequest.take_over": True,
            "DeleteConsumerRequest.consumer": "walked",
        }

    def made(self):
        """Makes everything that the call needs."""
        if self.call in ("DeleteApp", "ImportAppSecret"):
            return {"app_id": self.relation("CreateApp").app.app_id}
        if self.call == "RevokeInvitation":
            made = self.relation(
                "CreateInvitation", user_id=self.ann, max_uses=1, expiry_seconds=60)
            return {"invitation_id": made.invitation.invitation_id or "0" * 32}
        if self.call == "ExportUser":
            return {"exported_user_id": self.ann}
        if "hook_id" in self.method.input_type.fields_by_name:
            made = self.relation("CreateHook", url="https://receiver.invalid/", paused=True)
            return {"hook_id": made.hook.hook_id}
        if self.call == "RevokeCredential":
            made = self.relation("CreateCredential", scopes=["SCOPE_READ"])
            return {"credential_id": made.credential.credential_id}
        if self.call == "RevokeOperatorKey":
            made = self.relation("CreateOperatorKey", name="anna", expire_time_ms=1 << 60)
            return {"credential_id": made.operator_key.credential_id}
        if self.call in ("AcknowledgeChanges", "Watch"):
            made = self.relation("AcquireConsumer", consumer="walked", take_over=True).consumer
            reader = {"consumer": made.consumer, "reader": made.reader}
            name = "AcknowledgeChangesRequest" if self.call != "Watch" else "ConsumerReader"
            return {f"{name}.{field}": value for field, value in reader.items()}
        if self.call == "ReadBackup":
            return {
                "ReadBackupRequest.name": self.backup(), "ReadBackupRequest.path": "BACKUP"}
        if self.call == "GetDeletion":
            (carl,) = self.people(1)
            made = self.relation("DeleteAccounts", user_ids=[carl])
            return {"deletion_id": made.results[0].deletion_id}
        return {}

    def backup(self):
        """The name of a backup that is there, or of a new one."""
        kept = self.relation("ListBackups").backups
        if kept:
            return kept[0].name
        send = self.relation.start("CreateBackup")
        request = self.relation.stubs.request("CreateBackup", {})
        return list(send(request, metadata=self.relation.metadata))[-1].backup.name

    def requests(self):
        for examples in self.variants():
            request = good(
                self.relation.stubs.message(self.method.input_type.name)(), examples)
            if self.call == "ImportApp":
                # Every export begins with a point.
                request.row.point.format = 1
            yield Spoiled("", "good", request, False)
            yield from spoiled(request)

    def variants(self):
        """The examples of the good requests: one, and for an update also one that uses tags."""
        examples = self.examples()
        yield examples
        if self.call in ("UpdateProfile", "UpdateFriends"):
            examples = {name: value for name, value in examples.items() if ".tags" not in name}
            yield examples | {"UpdateProfileRequest.profile": None, "FriendUpdate.custom": None}

    def run(self):
        for case in self.requests():
            if (self.call, case.path, case.how) in ALLOWED:
                continue
            before = self.state()
            refused = self.send(case.request)
            if case.must and refused is None:
                self.faults.append(f"{case} was accepted")
            if refused is not None and self.state() != before:
                self.faults.append(f"{case} was refused and changed something")
            if isinstance(refused, Refusal):
                self.judge(case, refused)

    def send(self, request):
        """The refusal of the request: a `Refusal`, or the codes of its items; None if it was
        accepted."""
        send = self.target.start(self.call)
        metadata = self.target.metadata
        try:
            if self.method.client_streaming:
                answers = list(send(iter([request]), timeout=20, metadata=metadata))
            elif self.method.server_streaming:
                answers = taken(self.call, send(request, timeout=20, metadata=metadata))
            else:
                answers = [send(request, timeout=20, metadata=metadata)]
        except grpc.RpcError as error:
            return Refusal(error)
        codes = [code for answer in answers for code in outcomes(answer)]
        return codes if codes and all(code not in (0, 30539) for code in codes) else None

    def judge(self, case, refused):
        if case.how == "good":
            self.faults.append(f"the request that is to be spoiled is not good: {refused}")
        elif refused.code == grpc.StatusCode.INVALID_ARGUMENT:
            if not refused.fields and not refused.reason:
                self.faults.append(f"{case}: no field and no reason: {refused}")
            elif case.must and refused.fields and not self.names(refused, case.path):
                self.faults.append(f"{case}: {refused.fields} were named")
        elif case.must or refused.code not in (
            grpc.StatusCode.NOT_FOUND, grpc.StatusCode.ABORTED,
            grpc.StatusCode.FAILED_PRECONDITION, grpc.StatusCode.PERMISSION_DENIED,
        ):
            self.faults.append(f"{case}: {refused}")

    def names(self, refused, path):
        plain = [re.sub(r"\[[^]]*\]", "", field) for field in refused.fields]
        return any(
            path == field or path.startswith(field + ".") or field.startswith(path + ".")
            for field in plain)

    def state(self):
        """The sequences of both users: every change for a user moves its own."""
        return [self.sequence(user) for user in (self.ann, self.bob)]

    def sequence(self, user):
        """The sequence of a user; None once a request has deleted it."""
        try:
            return self.relation(
                "DeleteFriends", user_id=user, user_ids=["unknown"], options={"dry_run": True}
            ).sequence
        except grpc.RpcError as error:
            if Refusal(error).reason != "USER_NOT_FOUND":
                raise
            return None


def taken(call, stream):
    """The answers of a stream; only the first of a stream without end."""
    if call != "Watch":
        return list(stream)
    answers = [next(stream)]
    stream.cancel()
    return answers


def outcomes(message):
    """The codes of an answer and of its items."""
    if "code" in message.DESCRIPTOR.fields_by_name:
        yield message.code
    for field, value in message.ListFields():
        if field.message_type and field.message_type.GetOptions().map_entry:
            continue
        if field.message_type and field.is_repeated:
            for item in value:
                if "code" in item.DESCRIPTOR.fields_by_name:
                    yield item.code
        elif field.message_type and "code" in field.message_type.fields_by_name:
            yield value.code


@pytest.mark.parametrize("call", CALLS)
def test_whatever_is_wrong_with_a_request_is_refused_and_changes_nothing(
    relation, people, server, call
):
    if call == "UpdateApp":
        # Settings that are accepted hold for all calls of their app.
        relation = relation.in_app(relation("CreateApp").app.app_id)
        people = People(relation)
    walk = Walk(relation, people, call)
    walk.run()
    assert server.process.poll() is None, server.log
    assert walk.faults == []
