"""GetLimits tells each limit as the call enforces it: each is called at its limit, and one above."""

import grpc
import pytest
from bad_input import good
from google.protobuf.descriptor import FieldDescriptor
from people import People
from refusals import Refusal
from stubs import Relation
from test_bad_input import CALLS, Walk

#: Limits that add up over calls, or that concern what the server keeps and answers: another test
#: reaches each of them.
NO_FIELDS = {
    "devices of a user", "permissions of the app", "client apps", "credentials",
    "operator keys", "open exports",
    "an export is kept for", "an export is kept, while it is read, for", "page", "message",
    "request ids kept", "request ids kept for", "applications in the history",
    "applications in the history for", "applications_per_day", "applications_received_per_day",
    "application_cooldown_ms", "new_account_quarantine_ms",
    "applications_window_ms", "applications_received_window_ms",
    "reports_window_ms", "contact_lookups_window_ms",
    "friend groups of the fields' visibility", "hooks", "failures of a hook kept",
    "calls that wait for a hook",
    "ended invitations", "ended invitations for", "suggestions", "common friends of a suggestion",
    "friends whose lists give suggestions", "rows that give suggestions",
    "no suggestion after a refusal for", "rows that mutual friends are counted in",
    "rows that mutual friends are listed from", "reverse friends that are counted",
    "names that a page of found users looks at", "users with one digest", "reports in a day",
    "open reports about a user", "reports of the app", "reports of the app for",
    "entries of a history that a read of the past looks at",
    "bytes of a history that a read of the past looks at",
    "suspensions of the app", "users with an end of their sessions",
    # A text of any length is not a URL, and no secret that signs; tests of hooks try the longest
    # ones.
    "CreateHook.url", "UpdateHook.url", "CreateHook.secret", "RotateHookSecret.secret",
}
PROFILE, FRIEND = "CUSTOM_FIELD_OWNER_PROFILE", "CUSTOM_FIELD_OWNER_FRIEND"
STRING = "CUSTOM_FIELD_TYPE_STRING"
KEYS = [f"key{first}{second}" for first in "abcdefgh" for second in "abcdefghi"]
#: Fields of profiles for which users choose who sees them.
SEEN = [f"seen{first}{second}" for first in "abcdefghij" for second in "abcdefghij"]
#: What stands in the comments of the contract about reports, suspensions, sessions and finding.
TOLD = {
    "reports in a day": 100, "open reports about a user": 100, "reports of the app": 100_000,
    "suspensions of the app": 100_000, "users with an end of their sessions": 100_000,
    "entries of a history that a read of the past looks at": 5_000,
    "bytes of a history that a read of the past looks at": 16 << 20,
    "users with one digest": 4, "ended invitations": 100,
    "SuspendAccounts.items.reason_text": 500, "ReportUser.text": 1_000,
    "ReportUser.reference": 256, "ResolveReports.items.note": 500,
    "DecideReviews.items.reason_text": 500,
}
#: Fields that many calls have.
SHARED = ["user_id", "options.request_id", "options.device_id", "client_app_id"]
#: Lists whose length the rest of the request bounds, or that do not concern users.
UNBOUNDED = {
    # A scope is one of a few, and a repeated one counts once.
    "CreateCredential.scopes",
    # A kind of call is one of a few, and stands there once.
    "CreateHook.asks", "UpdateHook.asks.values",
    # They count for `items.groups`.
    "UpdateFriends.items.tags.texts.values",
    # No tag of a profile has texts as its value.
    "UpdateProfile.tags.texts.values",
    # A setting itself bounds its list.
    "CreateApp.settings.forbidden_words.values", "UpdateApp.settings.forbidden_words.values",
    *(f"{call}.settings.field_defaults.{level}.values" for call in ("CreateApp", "UpdateApp")
      for level in ("oneself", "friends", "followers", "everyone")),
    *(f"{call}.settings.reviewed_fields.{kind}.values" for call in ("CreateApp", "UpdateApp")
      for kind in ("held", "shown")),
    "CreateApp.settings.reviewed_friend_fields.values",
    "UpdateApp.settings.reviewed_friend_fields.values",
    "CreateApp.settings.tim_administrators.values",
    "UpdateApp.settings.tim_administrators.values",
}


@pytest.fixture(scope="module")
def app(server, stubs):
    with grpc.insecure_channel(server.address) as channel:
        relation = Relation(stubs, channel)
        most = {"friend_keys": 100, "profile_keys": 100, "field_visibilities": 100}
        made = relation("CreateApp", settings={"limits": most}).app.app_id
        relation = relation.in_app(made)
        relation("DefineCustomFields", items=[
            {"owner": PROFILE, "key": key, "value_type": STRING} for key in SEEN])
        # Tags of one item are different ones, so there must be enough.
        for part in (KEYS[:50], KEYS[50:]):
            relation("DefineCustomFields", items=[
                {"owner": FRIEND, "key": key, "value_type": STRING}
                for key in part])
        yield Asker(relation, People(relation))


class Asker:
    def __init__(self, relation, people):
        self.relation, self.people = relation, people
        self.walk = Walk(relation, people, "GetProfiles")
        self.limits = {
            limit.name: limit
            for limit in relation("GetLimits", user_id=self.walk.ann).limits
        }

    def request(self, call):
        self.walk.call = call
        method = self.relation.stubs.method(call)[1]
        examples = self.walk.examples() | {
            "source": None, "custom": None,
            "ReportUserRequest.reported_user_id": self.walk.bob,
            "ReportResolution.report_id": "1", "ReviewVerdict.review_id": "1"}
        return good(self.relation.stubs.message(method.input_type.name)(), examples)

    def verdict(self, call, request):
        """The fields for which the call is refused, or the answers of its items."""
        method = self.relation.stubs.method(call)[1]
        metadata = self.relation.metadata
        send = self.relation.start(call)
        try:
            if method.server_streaming:
                stream = send(request, timeout=60, metadata=metadata)
                next(stream)
                # A server makes one backup at a time, and a later case needs another.
                if call == "CreateBackup":
                    list(stream)
                stream.cancel()
                return "taken"
            answer = send(request, timeout=60, metadata=metadata)
        except grpc.RpcError as error:
            refused = Refusal(error)
            return refused.fields or "refused otherwise"
        results = getattr(answer, "results", [answer])
        return {getattr(result, "info", "") for result in results}


def put(message, path, limit, count):
    """Fills the field with `count` of its unit."""
    *outer, name = path.split(".")
    for part in outer:
        field = message.DESCRIPTOR.fields_by_name[part]
        message = getattr(message, part)
        if field.is_repeated:
            message = message[0] if message else message.add()
    field = message.DESCRIPTOR.fields_by_name[name]
    # A list that is one choice of several stands in a message of its own.
    if field.message_type and [part.name for part in field.message_type.fields] == ["values"]:
        return put(message, f"{name}.values", limit, count)
    if field.message_type and field.message_type.GetOptions().map_entry:
        values = field.message_type.fields_by_name["value"]
        for number in range(count):
            getattr(message, name)[f"someone{number}"] = (
                "an id" if values.type == FieldDescriptor.TYPE_STRING else 1)
    elif field.is_repeated and field.message_type:
        items = getattr(message, name)
        example = type(items[0])() if items else items.add()
        example.CopyFrom(items[0])
        del items[:]
        for number in range(count):
            item = items.add()
            item.CopyFrom(example)
            for key in ("user_id", "name", "key"):
                if key in item.DESCRIPTOR.fields_by_name:
                    setattr(item, key, f"some{number}")
            if "tag" in item.DESCRIPTOR.fields_by_name:
                item.tag, item.text = f"Tag_SNS_Custom_{KEYS[number]}", "x"
    elif field.is_repeated:
        del getattr(message, name)[:]
        values = [1] * count
        if field.type == FieldDescriptor.TYPE_STRING:
            values = [f"some{number}" for number in range(count)]
        if field.type == FieldDescriptor.TYPE_BYTES:
            values = [number.to_bytes(32, "big") for number in range(count)]
        if name == "paths":
            values = ["nick"] * count
        getattr(message, name).extend(values)
    elif field.type == FieldDescriptor.TYPE_STRING:
        setattr(message, name, "x" * count)
    else:
        setattr(message, name, count)


def test_every_limit_of_a_field_is_the_one_that_its_call_enforces(app):
    faults = []
    for name, limit in app.limits.items():
        call, _, path = name.partition(".")
        if name in NO_FIELDS or name in SHARED or call in ("limits", "bounds"):
            continue
        # More than the limit of a page is not a fault; test_pages holds what it means.
        if name.endswith("page_size"):
            continue
        if name == "CreateFriendGroups.names by user_ids":
            check_product(app, limit.value, faults)
            continue
        if name == "field mask":
            calls = [("GetSelfProfile", "read_mask.paths")]
        elif ", with profiles" in name:
            calls = [(call, "user_ids")]
        else:
            assert call in CALLS, name
            calls = [(call, path)]
        for call, path in calls:
            check(app, name, call, path, limit, faults)
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("name", SHARED)
def test_every_call_that_has_a_shared_field_enforces_its_limit(app, name):
    limit, path = app.limits[name], name
    faults = []
    for call in CALLS:
        method = app.relation.stubs.method(call)[1]
        field = method.input_type.fields_by_name.get(path.split(".")[0])
        own = f"{call}.{path}" in app.limits or call in ("DeleteApp", "DeleteAccounts")
        if field is None or own or method.client_streaming or call in ("RevokeCredential", "RevokeOperatorKey"):
            continue
        if "." in path and path.split(".")[1] not in field.message_type.fields_by_name:
            continue
        check(app, name, call, path, limit, faults)
    assert not faults, "\n".join(faults)


def check(app, name, call, path, limit, faults):
    verdicts = []
    for count in (limit.value, limit.value + 1):
        request = app.request(call)
        if "with profiles" in name:
            request.with_profiles = True
        if call == "GetRelations" and "with profiles" not in name:
            request.with_profiles = request.with_custom = False
            request.ClearField("profile_mask")
        if call == "Watch" and path == "user_ids":
            request.ClearField("user_id")
        if path.startswith("options.") and path.endswith("request_id"):
            request.options.dry_run = True
        if call == "Watch" and path == "client_app_id":
            request.ClearField("user_id")
            request.app = True
        if call == "ReportPresence":
            request.items[0].online = True
        if call == "SuspendAccounts":
            # Other calls need the user.
            request.options.dry_run = True
        if path == "tags":
            request.ClearField("profile")
        if call == "UpdateFriends":
            for field in ("update_mask", "remark", "groups", "custom"):
                request.items[0].ClearField(field)
        put(request, path, limit, count)
        if path == "fields":
            for field, key in zip(request.fields, SEEN):
                field.field = f"custom.{key}"
        if path == "fields.group_names":
            request.fields[0].visibility = "VISIBILITY_GROUPS"
        if path == "application_ids":
            request.user_ids[:] = list(request.application_ids)[:limit.value]
        verdicts.append(app.verdict(call, request))
    least = path.removesuffix(".paths").split(".")[-1]
    at, over = verdicts
    if at == over:
        faults.append(f"{name} ({call}): {at} at {limit.value} and above")
    if isinstance(at, list) and any(least in field for field in at):
        faults.append(f"{name} ({call}): refused at its limit of {limit.value}: {at}")
    if isinstance(over, list) and not any(least in field for field in over):
        faults.append(f"{name} ({call}): {over} above {limit.value} does not name {path}")


def check_product(app, limit, faults):
    verdicts = []
    for users in (limit // 100, limit // 100 + 1):
        request = app.request("CreateFriendGroups")
        request.options.dry_run = True
        put(request, "names", None, 100)
        put(request, "user_ids", None, users)
        verdicts.append(app.verdict("CreateFriendGroups", request))
    if isinstance(verdicts[0], list) or verdicts[1] != ["user_ids"]:
        faults.append(f"names by user_ids: {verdicts}")


def test_every_list_of_a_request_has_its_limit(app):
    missing = []
    for call in CALLS:
        method = app.relation.stubs.method(call)[1]
        if not method.client_streaming:
            missing += [
                path for path in lists(method.input_type, call)
                if path.removesuffix(".values") not in app.limits and path not in UNBOUNDED
            ]
    assert missing == []


def lists(message, prefix, depth=0):
    """The paths of all lists in the message, except masks and the custom values of a friend, which
    have a limit of their own: the keys that the app has."""
    for field in message.fields:
        path = f"{prefix}.{field.name}"
        if path == "UpdateProfile.profile.custom" or (
                field.is_repeated and field.name not in ("custom", "paths")):
            yield path
        if field.message_type and depth < 3 and not field.message_type.GetOptions().map_entry:
            if field.message_type.full_name != message.full_name:
                yield from lists(field.message_type, path, depth + 1)


def test_a_custom_field_of_bytes_counts_them_where_texts_count_characters(relation):
    made = relation("CreateApp", preset="APP_PRESET_RONGCLOUD").app.app_id
    relation = relation.in_app(made)
    people = People(relation)
    (ann,) = people(1)
    relation("DefineCustomFields", items=[
        {"owner": PROFILE, "key": "b", "value_type": "CUSTOM_FIELD_TYPE_BYTES"},
        {"owner": PROFILE, "key": "t", "value_type": STRING}])
    limits = {limit.name: limit.value for limit in relation("GetLimits", user_id=ann).limits}
    bytes_, characters = limits["limits.custom_value of bytes"], limits["limits.custom_value"]

    def code(key, **value):
        return relation("UpdateProfile", user_id=ann, update_mask={"paths": [f"custom.{key}"]},
                        profile={"custom": [{"key": key, **value}]}).code

    assert (code("b", data=b"x" * bytes_), code("b", data=b"x" * (bytes_ + 1))) == (0, 24364)
    text = "中".encode()
    assert (code("t", data=text * characters), code("t", data=text * (characters + 1))) == (0, 24364)


def test_the_numbers_that_add_up_over_calls_are_told(app):
    told = {name: limit.value for name, limit in app.limits.items()}
    day = 86_400_000
    assert {name: told[name] for name in TOLD} == TOLD
    assert told["ended invitations for"] == 30 * day and told["reports of the app for"] == 180 * day


def test_the_times_of_settings_against_abuse_are_told(relation):
    settings = {"application_cooldown_ms": 3_000, "new_account_quarantine_ms": 2_000,
                "applications_window_ms": 60_000, "applications_received_window_ms": 90_000,
                "reports_window_ms": 70_000, "contact_lookups_window_ms": 80_000}
    relation = relation.in_app(relation("CreateApp", settings=settings).app.app_id)
    (ann,) = People(relation)(1)
    told = {limit.name: limit for limit in relation("GetLimits", user_id=ann).limits}
    for name, value in settings.items():
        assert (told[name].value, told[name].HasField("in_use")) == (value, False)
        assert told[name].unit == relation.stubs.LimitUnit.Value("LIMIT_UNIT_MILLISECONDS")


def test_a_user_is_told_how_many_reports_it_has_made_today(relation):
    people = People(relation)
    ann, bob, carl = people(3)

    def used(user):
        limits = relation("GetLimits", user_id=user).limits
        return next(limit.in_use for limit in limits if limit.name == "reports in a day")

    for reported in (bob, carl):
        code = relation("ReportUser", user_id=ann, reported_user_id=reported, category=1).code
        assert code == 0
    assert (used(ann), used(bob)) == (2, 0)
