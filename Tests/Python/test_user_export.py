"""ExportUser: everything that an app has of one user, as it was at one moment."""

import json
import subprocess

import grpc
import pytest
from people import People
from refusals import assert_invalid, refusal
from relationd import executable


@pytest.fixture
def own(relation):
    """People of an app of their own."""
    return People(relation.in_app(relation("CreateApp").app.app_id))


def exported(people, user):
    relation = people.relation
    request = relation.stubs.request("ExportUser", {"exported_user_id": user})
    return list(relation.start("ExportUser")(request, timeout=60, metadata=relation.metadata))


def of(parts, kind):
    return [getattr(part, kind) for part in parts if part.WhichOneof("part") == kind]


def rows(parts):
    return [row.WhichOneof("row") for row in of(parts, "row")]


def test_every_row_of_the_user_is_sent_and_none_of_others(own):
    ann, bob, eve, joe = own(4)
    own.set_profile(ann, nick="Ann")
    own.befriend(ann, bob)
    own.group(ann, "close", bob)
    own.block(ann, joe)
    own.apply(eve, ann, wording="hello")
    client = own.register_client("reader")
    own.grant(ann, client, "email")
    own.relation("Subscribe", user_id=ann, user_ids=[bob], expiry_seconds=60)
    own.relation("Follow", user_id=ann, user_ids=[bob])
    made = own.relation("CreateInvitation", user_id=ann, max_uses=1, expiry_seconds=60)
    assert made.invitation_code
    own.relation("RevokeUserSessions", user_ids=[ann])
    own.relation("ReportPresence", items=[
        {"user_id": user, "device_id": "phone", "online": False} for user in (ann, bob)])
    parts = exported(own, ann)
    kinds = rows(parts)
    assert kinds[:2] == ["account", "profile"]
    assert sorted(kinds[2:]) == sorted([
        "group", "friend_entry", "application", "blacklist_entry", "consent", "consent", "subscription",
        "follow", "invitation", "devices", "session_end",
    ])
    assert of(parts, "row")[0].account.user_id == ann
    # They are the rows that an export of the app sends.
    request = own.stubs.request("ExportApp", {})
    whole = own.relation.start("ExportApp")(request, timeout=60, metadata=own.relation.metadata)
    sent = [answer for answer in whole if answer.WhichOneof("row") != "point"]
    assert all(row in sent for row in of(parts, "row"))
    last = of(parts, "point")[-1]
    assert last.complete and last.rows == len(parts) - len(of(parts, "point"))


def test_the_events_are_those_of_the_log(own):
    ann, *others = own(301)
    for other in others:
        own.block(ann, other)
    parts = exported(own, ann)
    listed, token = [], ""
    while token or not listed:
        page = own.relation("ListChanges", user_id=ann, page_token=token)
        listed += page.events
        token = page.next_page_token
    assert of(parts, "event") == listed
    assert len(listed) >= 300


def test_others_that_have_the_user_on_a_list_are_counted_and_not_named(own):
    ann, bob, eve, joe = own(4)
    own.block(bob, ann)
    own.relation(
        "AddFriends", user_id=eve, items=[{"user_id": ann}], add_type="ADD_TYPE_SINGLE", force=True)
    own.relation("Subscribe", user_id=joe, user_ids=[ann], expiry_seconds=60)
    own.relation("Follow", user_id=eve, user_ids=[ann])
    own.relation("DismissSuggestions", user_id=eve, user_ids=[ann])
    parts = exported(own, ann)
    (mentions,) = of(parts, "mentions")
    assert (mentions.blacklists, mentions.friends, mentions.subscribers) == (1, 1, 1)
    assert (mentions.followers, mentions.dismissals) == (1, 1)
    text = " ".join(str(part) for part in parts)
    assert bob not in text and joe not in text


def test_the_reports_that_the_user_made_are_sent_without_what_became_of_them(own):
    """More than the server reads at once; reports about the user are others' words."""
    ann, *others = own(61)
    texts = {other: f"about number {number}" for number, other in enumerate(others)}
    for other, text in texts.items():
        made = own.relation(
            "ReportUser", user_id=ann, reported_user_id=other, category=2, text=text,
            reference="m1")
        assert made.code == 0
    own.relation("ReportUser", user_id=others[0], reported_user_id=ann, category=1, text="hers")
    listed = own.relation("ListReports", page_size=100).reports
    number = next(each.report_id for each in listed if each.reported_user_id == others[0])
    own.relation("ResolveReports", items=[{"report_id": number, "outcome": 3, "note": "secret"}])
    parts = exported(own, ann)
    reports = of(parts, "made_report")
    assert [each.reported_user_id for each in reports] == sorted(others, key=str.encode)
    assert {each.reported_user_id: each.text for each in reports} == texts
    assert {(each.reporter_user_id, each.reference, each.category, each.count, each.outcome,
             each.resolve_time_ms) for each in reports} == {(ann, "m1", 2, 1, 0, 0)}  # fmt: skip
    text = " ".join(str(part) for part in parts)
    assert "secret" not in text and "hers" not in text


def test_a_user_that_is_no_account_is_not_found(own):
    assert refusal(exported, own, own.unknown_user()).reason == "USER_NOT_FOUND"
    assert_invalid(refusal(exported, own, " "), "exported_user_id")


def test_an_export_keeps_no_snapshot_when_it_has_ended(own):
    (ann,) = own(1)
    before = own.relation("GetStats").store.open_exports
    for _ in range(5):
        exported(own, ann)
    assert own.relation("GetStats").store.open_exports <= before


def test_the_command_line_writes_the_user_into_a_file(server, own, tmp_path):
    ann, bob = own(2)
    own.befriend(ann, bob)
    file = tmp_path / "ann.jsonl"
    app = dict(own.relation.metadata)["x-app-id"]
    done = subprocess.run(
        [executable("relationctl"), "export-user", ann, "--to", str(file), "--server",
         server.address, "--app", app],
        capture_output=True, text=True, timeout=60, check=False)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert file.stat().st_mode & 0o777 == 0o600
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert lines[0]["row"]["account"]["userId"] == ann
    assert lines[-1]["point"]["complete"]


def test_only_so_many_exports_are_read_at_once_and_only_of_accounts(own, server):
    ann, *others = own(2_000)
    # More rows than a stream that is not read can send.
    own.import_friends([
        {"user_id": ann, "friend_user_id": other, "remark": "x" * 90, "wording": "y" * 100}
        for other in others
    ])
    relation = own.relation
    request = relation.stubs.request("ExportUser", {"exported_user_id": ann})
    # On a busy machine grpcio would read far ahead, and an export would end unread.
    options = [("grpc.http2.lookahead_bytes", 65_536), ("grpc.http2.bdp_probe", 0)]
    channel = grpc.insecure_channel(server.address, options=options)
    slow = type(relation)(relation.stubs, channel, relation.metadata)
    # Two of an app, and one more of its operator.
    open_ones = [
        slow.start("ExportUser")(request, timeout=60, metadata=relation.metadata)
        for _ in range(3)
    ]
    for answers in open_ones:
        next(answers)
    assert refusal(lambda: exported(own, ann)).reason == "TOO_MANY_EXPORTS"
    for answers in open_ones:
        assert list(answers)[-1].point.complete
    channel.close()
    assert refusal(lambda: exported(own, "unknown")).reason == "USER_NOT_FOUND"
