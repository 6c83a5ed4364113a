"""ImportApp and the numbers of its rows: whatever number an export has, the row is refused, or the
server goes on from it. A sum beyond the type would end the process, and so all apps with it."""

import pytest
from google.protobuf.descriptor import FieldDescriptor
from people import codes
from test_app_import import exported, full, imported, keys  # noqa: F401

#: The latest time of a row, which is the end of the year 9999, and the highest sequence.
LATEST, MOST = 253_402_300_799_999, 1 << 60
#: The ends of each type of numbers.
ENDS = {
    FieldDescriptor.TYPE_INT32: (-(1 << 31), (1 << 31) - 1),
    FieldDescriptor.TYPE_INT64: (-(1 << 63), (1 << 63) - 1),
    FieldDescriptor.TYPE_UINT32: ((1 << 32) - 1,),
    FieldDescriptor.TYPE_UINT64: ((1 << 64) - 1,),
}


def numbers(message, path=()):
    """The numbers of a row: the path of each, and its type."""
    for field in message.DESCRIPTOR.fields:
        if field.type in ENDS and not field.is_repeated:
            yield (*path, field.name), field.type
        elif field.message_type and field.is_repeated:
            for part in getattr(message, field.name):
                yield from numbers(part, (*path, field.name))
        elif field.message_type and message.HasField(field.name):
            yield from numbers(getattr(message, field.name), (*path, field.name))


def put(message, path, number):
    """Gives each field of that path the number."""
    name, *rest = path
    if not rest:
        setattr(message, name, number)
    elif message.DESCRIPTOR.fields_by_name[name].is_repeated:
        for part in getattr(message, name):
            put(part, rest, number)
    elif message.HasField(name):
        put(getattr(message, name), rest, number)


def ends(path, kind):
    """The numbers to try at that place: both ends of the type, and the highest one of a row."""
    highest = (LATEST if path[-1].endswith("_ms") else MOST,)
    return ENDS[kind] + (highest if kind == FieldDescriptor.TYPE_INT64 else ())


def changed(messages, path, number):
    """An export in which each row has the number there."""
    rows = [type(message).FromString(message.SerializeToString()) for message in messages]
    for row in rows:
        put(row, path, number)
    return rows


def use(relation, users, actors):
    """Writes rows of each kind for some users, as far as the app lets them."""
    relation("ReinstateAccounts", user_ids=users)
    for user in actors:
        others = [other for other in users if other != user]
        for call, fields in {
            "UpdateProfile": {"user_id": user, "profile": {"level": 9}},
            "SetVisibility": {"user_id": user, "visibility": 3},
            "AddFriends": {
                "user_id": user, "items": [{"user_id": other} for other in others]},
            "RespondToApplications": {
                "user_id": user,
                "items": [{"user_id": other, "response_type": 2} for other in others]},
            "CreateFriendGroups": {"user_id": user, "names": ["one more", "another"]},
            "Follow": {"user_id": user, "user_ids": others},
            "Subscribe": {"user_id": user, "user_ids": others, "expiry_seconds": 60},
            "DismissSuggestions": {"user_id": user, "user_ids": others},
            "SetStatus": {"user_id": user, "text": "here", "expiry_seconds": 60},
            "CreateInvitation": {"user_id": user, "max_uses": 1, "expiry_seconds": 60},
            "AddToBlacklist": {"user_id": user, "user_ids": others},
            "ReportPresence": {"items": [
                {"user_id": user, "device_id": device, "online": False}
                for device in ("phone", "desk", "other")]},
            "RevokeUserSessions": {"user_ids": [user]},
            "GetLimits": {"user_id": user}, "ListFriends": {"user_id": user, "order": 1},
            "ListApplications": {"user_id": user}, "ListInvitations": {"user_id": user},
            "ListSubscriptions": {"user_id": user}, "SyncFriends": {"user_id": user},
        }.items():  # fmt: skip
            relation(call, **fields)
        for other in others:
            relation("ReportUser", user_id=user, reported_user_id=other, category=1)
    relation("ListSuspensions")
    relation("ListReports")


def test_no_number_of_a_row_ends_the_server(keys, full):  # noqa: F811
    full("UpdateApp", settings={"default_allow_type": 1})
    messages = exported(full)
    users = [row.account.user_id for row in messages if row.WhichOneof("row") == "account"]
    places = dict(found for row in messages for found in numbers(row))
    assert len(places) > 60
    for path, kind in places.items():
        if path[0] in ("point", "app"):
            continue
        for number in ends(path, kind):
            copy = keys.as_operator(keys.app())
            refused, _ = imported(copy, changed(messages, path, number))
            # What is refused is not there; what is taken is used by the two with most rows.
            if not any(row.kind == path[0] and row.code for row in refused):
                use(copy, users, (users[0], users[3]))


@pytest.mark.parametrize("path, number, field", [
    (("account", "create_time_ms"), LATEST, None),
    (("account", "create_time_ms"), LATEST + 1, "create_time_ms"),
    (("profile", "profile", "version"), MOST, None),
    (("profile", "profile", "version"), MOST + 1, "profile.version"),
    (("profile", "profile", "version"), -1, "profile.version"),
    (("group", "number"), (1 << 30) + 1, "number"),
    (("report", "count"), 1 << 30, None),
    (("report", "count"), (1 << 30) + 1, "count"),
    (("report", "count"), -1, "count"),
    (("report", "report_id"), str(MOST), None),
    (("report", "report_id"), str(MOST + 1), "report_id"),
    (("report", "report_id"), str((1 << 64) - 1), "report_id"),
    (("devices", "devices", "last_seen_time_ms"), LATEST + 1, "devices.last_seen_time_ms"),
])  # fmt: skip
def test_a_number_too_high_is_refused_by_its_field(keys, full, path, number, field):  # noqa: F811
    copy = keys.as_operator(keys.app())
    refused, _ = imported(copy, changed(exported(full), path, number))
    own = {row.field for row in refused if row.kind == path[0]}
    assert own == ({field} if field else set())


def test_a_count_of_applications_that_is_full_stays_full(keys, full):  # noqa: F811
    full("UpdateApp", settings={"default_allow_type": 1})
    messages = exported(full)
    users = [row.account.user_id for row in messages if row.WhichOneof("row") == "account"]
    path = ("account", "applications_today")
    copy = keys.as_operator(keys.app())
    refused, _ = imported(copy, changed(messages, path, (1 << 32) - 1))
    assert not any(row.code for row in refused)
    # The two users of these have no relation yet.
    assert codes(copy("AddFriends", user_id=users[-1], items=[{"user_id": users[0]}])) == [30539]
    told = {limit.name: limit.in_use for limit in copy("GetLimits", user_id=users[-1]).limits}
    assert told["applications_per_day"] in (1, (1 << 32) - 1), "the count is of today, or is 1"
