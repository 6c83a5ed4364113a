"""ImportApp: what ExportApp says comes back into an empty app."""

import subprocess

import grpc
import pytest
from credentials import Keys, init
from people import People
from refusals import assert_invalid, refusal
from relationd import executable


@pytest.fixture
def keys(start, stubs, tmp_path):
    """The operator of a server that asks for credentials."""
    _, operator, _ = init(tmp_path / "guarded")
    running = start("guarded", insecure=False)
    with grpc.insecure_channel(running.address) as channel:
        keys = Keys(stubs, channel, operator)
        keys.address = running.address
        yield keys


def exported(relation, **fields):
    request = relation.stubs.request("ExportApp", fields)
    return list(relation.start("ExportApp")(request, timeout=240, metadata=relation.metadata))


def imported(relation, messages, **first):
    """The rows that an import told of, and its last progress."""
    rows = [{"row": message} for message in messages]
    rows[0].update(first)
    return People(relation).imported("ImportApp", rows)


SEQUENCES = [
    "sequence", "friends_sequence", "pendencies_sequence", "blacklist_sequence",
    "groups_sequence", "subscriptions_sequence", "consents_sequence",
    "following_sequence", "followers_sequence", "invitations_sequence", "dismissals_sequence",
    "reverse_friends_sequence",
]  # fmt: skip


def comparable(messages, is_copy=False):
    """The rows without what the contract says differs: a copy counts sequences anew."""
    rows = []
    for message in messages:
        kind = message.WhichOneof("row")
        if kind in ("point", "credential", "secret"):
            continue
        row = type(message)()
        row.CopyFrom(message)
        if kind == "account":
            if not is_copy:
                row.account.former_sequence += row.account.sequence
            for field in SEQUENCES:
                row.account.ClearField(field)
        elif kind == "friend_entry":
            row.friend_entry.entry.ClearField("sequence")
        elif kind == "app":
            row.app.ClearField("create_time_ms")
            row.app.ClearField("app_id")
        rows.append(row)
    return rows


def told(rows):
    return [(row.row_number, row.kind, row.code, row.info, row.field) for row in rows]


@pytest.fixture
def full(keys):
    """An app with a row of each kind, as its operator."""
    number = keys.app()
    relation = keys.as_operator(number)
    keys.key(number)
    keys.secret(number)
    own = People(relation)
    relation(
        "UpdateApp", settings={
            "limits": {"remark": 90}, "bounds": {"calls_per_second": 50_000},
            "keeps_tim_values": True})
    relation("DefineCustomFields", items=[
        {"owner": "CUSTOM_FIELD_OWNER_FRIEND", "key": key, "value_type": "CUSTOM_FIELD_TYPE_STRING"}
        for key in ("Note", "Old")
    ])
    ann, bob, carl, dora, eve = own(5)
    relation("AddFriends", user_id=ann, items=[{"user_id": bob, "source": "App1"}])
    own.group(ann, "close", bob)
    own.group(ann, "empty")
    relation("UpdateFriends", user_id=ann, items=[
        {"user_id": bob, "remark": "Bobby", "custom": [{"key": "Old", "data": b"v"}],
         "update_mask": {"paths": ["remark", "custom"]}},
    ])
    relation("RetireCustomField", owner="CUSTOM_FIELD_OWNER_FRIEND", key="Old")
    own.set_profile(ann, nick="Ann", unique_id="annie", birthday=20000)
    # What the app took under the setting stays, and comes back without it.
    relation("UpdateApp", settings={"keeps_tim_values": False})
    own.block(ann, carl)
    made = relation(
        "CreateInvitation", user_id=dora, max_uses=2, expiry_seconds=3_600, pre_approved=True,
        text="come")
    assert relation("AcceptInvitation", user_id=bob, invitation_code=made.invitation_code).applied
    own.apply(dora, ann, wording="hello", remark="A")
    own.apply(carl, dora)
    own.respond(dora, carl, 2)
    own.apply(eve, dora)
    relation("DeletePendencies", user_id=eve, pendency_type=2, user_ids=[dora])
    client = own.register_client("reader")
    own.grant(ann, client, "email")
    relation("RevokeUserSessions", user_ids=[ann])
    relation(
        "Subscribe", user_id=ann, subscribe_type="SUBSCRIBE_TYPE_USER_PROFILE",
        expiry_seconds=3600, user_ids=[dora])
    relation("Follow", user_id=ann, user_ids=[bob, dora])
    relation("Follow", user_id=dora, user_ids=[ann])
    relation("DismissSuggestions", user_id=dora, user_ids=[eve])
    relation("SetStatus", user_id=dora, text="away", expiry_seconds=3_600)
    relation("ReportUser", user_id=ann, reported_user_id=carl, category=1, text="advertises")
    relation("SuspendAccounts", items=[{"user_id": carl, "level": 2, "reason_text": "spam"}])
    relation("SetFindSettings", user_id=dora, settings={"by_name": 1, "by_id": 2})
    relation("SetContactDigests", user_id=dora, kind=1, digests=[b"a" * 32, b"b" * 32])
    relation("SetContactDigests", user_id=eve, kind=2, digests=[b"a" * 32])
    relation("ReportPresence", items=[
        {"user_id": ann, "device_id": "phone", "platform": "ios", "online": False},
        {"user_id": ann, "device_id": "desk", "online": True, "lease_seconds": 60}])
    return relation


def test_an_export_of_every_kind_comes_back_into_an_empty_app(keys, full):
    messages = exported(full, include_secrets=True)
    kinds = {message.WhichOneof("row") for message in messages}
    names = {field.name for field in messages[0].DESCRIPTOR.oneofs_by_name["row"].fields}
    # This server has no webhooks; tests of hooks export them.
    assert kinds == names - {"permission", "hook"}
    copy = keys.as_operator(keys.app())
    dry, _ = imported(copy, messages, options={"dry_run": True})
    left = [message.WhichOneof("row") for message in exported(copy)]
    assert left == ["point", "app", "point", "point"]
    rows, progress = imported(copy, messages, import_id="copy")
    # The key names another app's number, so it opens nothing here.
    assert [(row.kind, row.code, row.info) for row in rows] == [
        ("credential", 0, "Err_App_Import_Credential_Missing")
    ]
    assert told(dry) == told(rows)
    assert (progress.accepted, progress.refused) == (len(messages), 0)
    assert comparable(exported(copy), is_copy=True) == comparable(messages)
    checked = list(integrity(copy))
    assert checked[-1].progress.complete and checked[-1].progress.findings == 0


def test_an_export_with_texts_as_bytes_is_imported_too(keys, full):
    """Servers before the first release wrote the text of a custom field into `data`."""
    messages = exported(full)
    older = [type(message).FromString(message.SerializeToString()) for message in messages]
    values = [value for message in older if message.WhichOneof("row") == "friend_entry"
              for value in message.friend_entry.entry.custom]
    assert [(value.key, value.text) for value in values] == [("Old", "v")]
    for value in values:
        value.data = value.text.encode()
    copy = keys.as_operator(keys.app())
    _, progress = imported(copy, older, import_id="older")
    assert (progress.accepted, progress.refused) == (len(older), 0)
    assert comparable(exported(copy), is_copy=True) == comparable(messages)


def integrity(relation):
    request = relation.stubs.request("CheckIntegrity", {})
    return relation.start("CheckIntegrity")(request, timeout=240, metadata=relation.metadata)


def test_an_import_that_is_cut_goes_on_under_its_id(keys, full):
    messages = exported(full)
    copy = keys.as_operator(keys.app())
    for cut in range(4, len(messages), 7):
        imported(copy, messages[:cut], import_id="i")
    _, progress = imported(copy, messages, import_id="i")
    assert progress.accepted + progress.refused == len(messages)
    assert comparable(exported(copy), is_copy=True) == comparable(messages)
    refused = refusal(lambda: imported(copy, messages, import_id="other"))
    assert (refused.code, refused.reason) == (
        grpc.StatusCode.FAILED_PRECONDITION, "APP_NOT_EMPTY",
    )  # fmt: skip


def test_only_operators_export_and_import_secrets(keys, full):
    admin = keys.with_key(keys.key(exported(full)[1].app.app_id))
    refused = refusal(lambda: exported(admin, include_secrets=True))
    assert (refused.code, refused.reason) == (
        grpc.StatusCode.PERMISSION_DENIED, "SCOPE_MISSING",
    )  # fmt: skip
    number = keys.app()
    copy = keys.with_key(keys.key(number))
    rows, _ = imported(copy, exported(admin))
    assert {(row.kind, row.info) for row in rows} == {
        ("bounds", "Err_App_Import_Operators_Only"),
        ("credential", "Err_App_Import_Credential_Missing"),
        ("secret", "Err_App_Import_Credential_Missing"),
    }
    assert all(row.description for row in rows)


def test_a_newer_export_is_refused_before_anything_is_written(keys, full):
    messages = exported(full)
    messages[0].point.format = 2
    copy = keys.as_operator(keys.app())
    refused = refusal(lambda: imported(copy, messages))
    assert (refused.code, refused.reason, refused.metadata) == (
        grpc.StatusCode.FAILED_PRECONDITION, "EXPORT_FORMAT_NEWER", {"limit": "1", "actual": "2"},
    )  # fmt: skip
    assert_invalid(refusal(lambda: imported(copy, messages[1:])), "row")
    assert not [row for row in exported(copy) if row.WhichOneof("row") == "account"]


def test_a_row_that_is_refused_names_its_number_field_and_rule(keys):
    copy = keys.as_operator(keys.app())
    rows, progress = imported(copy, [
        {"point": {"format": 1}},
        {"account": {"user_id": "ann"}},
        {"profile": {"profile": {"user_id": "ann", "unique_id": "same"}}},
        {"friend_entry": {"user_id": "ann", "entry": {"user_id": "ann"}}},
        {"friend_entry": {"user_id": "ann", "entry": {"user_id": "bob", "remark": "x" * 97}}},
        {"friend_entry": {"user_id": "eve", "entry": {"user_id": "bob"}}},
        {"account": {"user_id": "bob"}},
        {"profile": {"profile": {"user_id": "bob", "unique_id": "same"}}},
        {"account": {"user_id": "ann"}},
        {},
        {"account": {"user_id": "eve"}},
        {"profile": {"profile": {"user_id": "eve", "birthday": 20000}}},
        {"friend_entry": {"user_id": "eve", "entry": {"user_id": "bob", "source": "App1"}}},
    ])  # fmt: skip
    assert told(rows) == [
        (4, "friend_entry", 30001, "Err_App_Import_Row_Illegal", "entry.user_id"),
        (5, "friend_entry", 30001, "Err_App_Import_Row_Illegal", "entry.remark"),
        (6, "friend_entry", 30001, "Err_App_Import_Order", "user_id"),
        (8, "profile", 30001, "Err_App_Import_Unique_Id_Taken", "profile.unique_id"),
        (9, "account", 30001, "Err_App_Import_Order", "user_id"),
        (10, "", 30001, "Err_App_Import_Row_Illegal", ""),
        (12, "profile", 30001, "Err_App_Import_Row_Illegal", "profile.birthday"),
        (13, "friend_entry", 30001, "Err_App_Import_Row_Illegal", "entry.source"),
    ]
    assert (progress.accepted, progress.refused) == (5, 8)


@pytest.mark.parametrize(("secret", "is_taken"), [
    ("a", False), ("s" * 31, False), ("s" * 32, True), ("s" * 128, True), ("s" * 129, False),
    ("s" * 31 + " ", False), ("s" * 31 + "\u00e9", False), ("s" * 40 + "\n", False),
])  # fmt: skip
def test_a_secret_has_the_length_and_the_characters_of_one(keys, secret, is_taken):
    copy = keys.as_operator(keys.app())
    rows, _ = imported(copy, [
        {"point": {"format": 1}},
        {"app": {"app_id": 7, "preset": "APP_PRESET_TIM"}},
        {"secret": {"create_time_ms": 1_600_000_000_000, "secret": secret}},
        {"account": {"user_id": "ann"}},
    ])  # fmt: skip
    refused = (3, "secret", 30001, "Err_App_Import_Row_Illegal", "secret")
    assert [row for row in told(rows) if row[1] == "secret"] == ([] if is_taken else [refused])


def test_devices_that_no_server_has_exported_are_refused(keys):
    def row(*devices, user="ann"):
        return {"devices": {"user_id": user, "devices": list(devices)}}

    copy = keys.as_operator(keys.app())
    phone = {"device_id": "phone", "last_seen_time_ms": 1}
    rows, progress = imported(copy, [
        {"point": {"format": 1}},
        {"account": {"user_id": "ann"}},
        row(),
        row(*({"device_id": f"d{number:02}"} for number in range(21))),
        row({"last_seen_time_ms": 1}),
        row({"device_id": "x" * 65}),
        row(phone, phone),
        row(phone, {"device_id": "desk"}),
        row({"device_id": "phone", "platform": "x" * 33}),
        row({"device_id": "phone", "last_seen_time_ms": -1}),
        row(phone, user="bob"),
        row(*({"device_id": f"d{number:02}"} for number in range(20))),
        row(phone),
    ])  # fmt: skip
    assert told(rows) == [
        (number, "devices", 30001, "Err_App_Import_Row_Illegal", field)
        for number, field in enumerate([
            "devices", "devices", "devices.device_id", "devices.device_id", "devices.device_id",
            "devices.device_id", "devices.platform", "devices.last_seen_time_ms"], 3)
    ] + [
        (11, "devices", 30001, "Err_App_Import_Order", "user_id"),
        (13, "devices", 30001, "Err_App_Import_Order", ""),
    ]  # fmt: skip
    assert (progress.accepted, progress.refused) == (3, 10)
    (kept,) = [row.devices for row in exported(copy) if row.WhichOneof("row") == "devices"]
    assert [device.device_id for device in kept.devices] == [f"d{n:02}" for n in range(20)]


def test_the_command_line_writes_an_app_into_a_file_and_reads_it_back(keys, full, tmp_path):
    def ctl(*arguments, app):
        return subprocess.run(
            [executable("relationctl"), *arguments, "--server", keys.address, "--app", str(app),
             "--key", keys.operator],
            capture_output=True, text=True, timeout=60, check=False)

    messages = exported(full)
    file = tmp_path / "app.jsonl"
    made = ctl("export", "--to", str(file), app=messages[1].app.app_id)
    assert made.returncode == 0, made.stderr
    assert file.stat().st_mode & 0o777 == 0o600
    number = keys.app()
    for options in (["--dry-run"], [], []):
        # A second import of the same file goes on behind its last row.
        read = ctl("import-app", "--from", str(file), *options, app=number)
        assert read.returncode == 0, read.stderr
    assert comparable(exported(keys.as_operator(number)), is_copy=True) == comparable(messages)
    broken = tmp_path / "broken.jsonl"
    broken.write_text("".join(file.read_text().splitlines(keepends=True)[:-1]))
    refused = ctl("import-app", "--from", str(broken), app=keys.app())
    assert refused.returncode != 0 and "not a complete file of export" in refused.stderr


def test_rows_in_any_order_are_sorted_and_named_by_their_lines(keys, full, tmp_path):
    def ctl(*arguments, app):
        return subprocess.run(
            [executable("relationctl"), *arguments, "--server", keys.address, "--app", str(app),
             "--key", keys.operator],
            capture_output=True, text=True, timeout=60, check=False)

    messages = exported(full)
    file = tmp_path / "app.jsonl"
    assert ctl("export", "--to", str(file), app=messages[1].app.app_id).returncode == 0
    first, *rows, last = file.read_text().splitlines(keepends=True)
    # A person writes all accounts, then all groups and so on, and any order is as good.
    for order in (list(reversed(rows)), sorted(rows)):
        # Definitions of one kind keep their order.
        other = tmp_path / "other.jsonl"
        other.write_text("".join([first, *order, last]))
        number = keys.app()
        read = ctl("import-app", "--from", str(other), app=number)
        assert read.returncode == 0, read.stderr
        assert "the rows are sorted" in read.stderr
        copied = comparable(exported(keys.as_operator(number)), is_copy=True)
        wanted = comparable(messages)
        assert sorted(map(str, copied)) == sorted(map(str, wanted))
    again = ctl("import-app", "--from", str(other), app=number)
    assert again.returncode == 0, again.stderr
    spoiled = [row for row in rows if '"account"' not in row]
    other.write_text("".join([first, *reversed(spoiled), last]))
    refused = ctl("import-app", "--from", str(other), app=keys.app())
    assert refused.returncode == 5 and f"{other}:2 (" in refused.stderr
