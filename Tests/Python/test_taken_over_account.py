"""An account that a thief took over, with the credentials that a product uses: moderators stop it,
and its owner finds what the thief did and takes it back."""

import time

import grpc
import pytest
from credentials import Keys, init, sign
from people import codes
from refusals import refusal
from relationd import Relationd
from watching import live

SUSPENDED, BANNED = 2, 3


@pytest.fixture
def keys(tmp_path, stubs):
    status, operator, complaint = init(tmp_path / "data")
    assert status == 0, complaint
    with Relationd(tmp_path / "data", insecure=False) as running:
        with grpc.insecure_channel(running.address) as channel:
            yield Keys(stubs, channel, operator)


def test_an_account_is_stopped_and_given_back(keys):
    app = keys.app()
    keys.accounts(app, "ann", "bob", "eve", "troll")
    secret = keys.secret(app)
    backend = keys.with_key(keys.key(app, "read", "write"))
    moderator = keys.with_key(keys.key(app, "read", "write", "watch", "admin"))
    past = time.time() - 5
    phone, thief, bob = (
        keys.with_signature(sign(app, secret, user, at=past, userbuf=buf))
        for user, buf in (("ann", b"phone"), ("ann", b"thief"), ("bob", b"phone")))
    for friend in ("bob", "eve"):
        added = phone("AddFriends", items=[{"user_id": friend, "remark": friend.upper()}],
                      options={"device_id": "phone"})  # fmt: skip
        assert codes(added) == [0]
    known = phone("GetSequence").sequence
    # The thief removes a friend, lets a troll in and opens the profile, from a device of its own.
    own = {"options": {"device_id": "thief"}}
    assert codes(thief("DeleteFriends", user_ids=["eve"], delete_type=2, **own)) == [0]
    assert codes(thief("AddFriends", items=[{"user_id": "troll"}], **own)) == [0]
    assert codes(thief("Follow", user_ids=["troll"], **own)) == [0]
    assert thief("SetVisibility", visibility=2, **own).code == 0
    listening = live(thief, timeout=30, user_id="ann")
    assert bob("ReportUser", reported_user_id="ann", category=3, text="not ann").code == 0
    # The back end's own key is none of a moderator.
    item = {"user_id": "ann", "level": SUSPENDED, "reason_text": "taken over"}
    refused = refusal(backend, "SuspendAccounts", items=[item])
    assert refused.code == grpc.StatusCode.PERMISSION_DENIED
    (report,) = moderator("ListReports", only_open=True).reports
    assert report.reported_user_id == "ann"
    answer = moderator("SuspendAccounts", items=[item], end_sessions=True)
    assert codes(answer) == [0] and answer.results[0].changed
    # Its stream ends, and so do all signatures from before; those of others are good.
    assert listening.refusal().reason == "SESSION_REVOKED"
    for old in (thief, phone):
        assert refusal(old, "ListFriends").reason == "SESSION_REVOKED"
    assert [row.user_id for row in bob("ListFriends").friends] == ["ann"]
    # The owner proves who she is and gets a new signature: she sees all, and writes nothing yet.
    renewed = keys.with_signature(
        sign(app, secret, "ann", at=time.time() + 2, userbuf=b"new phone"))
    assert [row.user_id for row in renewed("ListFriends").friends] == ["bob", "troll"]
    refused = refusal(renewed, "DeleteFriends", user_ids=["troll"])
    assert (refused.reason, refused.metadata["level"]) == ("ACCOUNT_SUSPENDED", str(SUSPENDED))
    assert refusal(backend, "Unfollow", user_id="ann", user_ids=["troll"]).reason == (
        "ACCOUNT_SUSPENDED")
    (sent,) = backend("CanSend", user_id="ann", user_ids=["bob"]).results
    assert sent.code == 20012
    assert codes(moderator("ReinstateAccounts", user_ids=["ann"])) == [0]
    outcome = {"report_id": report.report_id, "outcome": 2, "note": "given back"}
    assert codes(moderator("ResolveReports", items=[outcome])) == [0]
    # Her log says what came from the other device since the phone last read it.
    log = renewed("ListChanges", since_sequence=known).events
    names = [keys.stubs.ChangeKind.Name(event.kind).removeprefix("CHANGE_KIND_")
             for event in log if event.device_id == "thief"]  # fmt: skip
    assert names == ["DEL_FRIEND", "ADD_FRIEND", "FOLLOWING_CHANGED", "VISIBILITY_CHANGED"]
    levels = [event.items[0].suspension.level for event in log if not event.device_id]
    assert levels == [SUSPENDED, 0]
    assert codes(renewed("DeleteFriends", user_ids=["troll"], delete_type=2)) == [0]
    assert codes(renewed("AddFriends", items=[{"user_id": "eve"}])) == [0]
    assert codes(renewed("Unfollow", user_ids=["troll"])) == [0]
    assert renewed("SetVisibility", visibility=0).code == 0
    assert [row.user_id for row in renewed("ListFriends").friends] == ["bob", "eve"]
    assert "not ann" not in str(renewed("ListChanges", since_sequence=0))
    # What was refused in between was not done, and the thief stays out.
    assert refusal(thief, "ListFriends").reason == "SESSION_REVOKED"
