"""ExplainSend over the wire: for each code of CanSend the same answer, with the rungs up to it."""

import pytest
from people import People

SUSPENDED = 2
RUNGS = {
    "RUNG_KIND_OWN_ACCOUNT", "RUNG_KIND_PEER_ID", "RUNG_KIND_OWN_SUSPENSION",
    "RUNG_KIND_PEER_ACCOUNT", "RUNG_KIND_PEER_BLACKLIST",
}  # fmt: skip


@pytest.fixture
def strict(relation):
    """An app that asks for a friendship before a message."""
    settings = {"checks_friendship_on_send": True}
    made = relation("CreateApp", settings=settings).app.app_id
    return People(relation.in_app(made))


def explained(people, sender, receiver):
    """Code and rungs of the explanation, whose outcome CanSend answers too."""
    told = people.relation("ExplainSend", from_user_id=sender, to_user_id=receiver)
    (sent,) = people.relation("CanSend", user_id=sender, user_ids=[receiver]).results
    outcome = (told.code, told.reason, told.info, told.muted, told.ignored)
    assert outcome == (sent.code, sent.reason, sent.info, sent.muted, sent.ignored)
    rungs = [people.stubs.RungKind.Name(rung.kind) for rung in told.rungs]
    # The last rung decides, but for the marks that follow where the message may be sent.
    deciding = [rung.decided for rung in told.rungs]
    assert deciding.count(True) == 1 and (deciding[-1] or told.code == 0)
    return told.code, rungs


def test_a_message_between_friends_passes_all_rungs(strict):
    ann, bob = strict(2)
    strict.befriend(ann, bob)
    code, rungs = explained(strict, ann, bob)
    assert code == 0 and set(rungs) > RUNGS and rungs[-1] == "RUNG_KIND_PEER_MARKS"


@pytest.mark.parametrize(("sides", "code"), [
    ([], 20009), ([(0, 1)], 20010), ([(1, 0)], 20011),
])
def test_a_missing_side_of_the_friendship_decides(strict, sides, code):
    pair = strict(2)
    for one, other in sides:
        strict.import_friends([{"user_id": pair[one], "friend_user_id": pair[other]}])
    assert explained(strict, *pair)[0] == code


def test_the_first_rung_that_refuses_ends_the_ladder(people):
    ann, bob = people(2)
    assert explained(people, ann, " ") == (30001, ["RUNG_KIND_OWN_ACCOUNT", "RUNG_KIND_PEER_ID"])
    code, rungs = explained(people, ann, people.unknown_user())
    assert code == 30003 and rungs[-1] == "RUNG_KIND_PEER_ACCOUNT"
    people.block(bob, ann)
    code, rungs = explained(people, ann, bob)
    assert code == 20007 and rungs[-1] == "RUNG_KIND_PEER_BLACKLIST"
    people.relation("SuspendAccounts", items=[{"user_id": ann, "level": SUSPENDED}])
    code, rungs = explained(people, ann, bob)
    assert code == 20012 and rungs[-1] == "RUNG_KIND_OWN_SUSPENSION"


def test_a_sender_that_is_unknown_has_a_code_here(people):
    (bob,) = people(1)
    told = people.relation("ExplainSend", from_user_id=people.unknown_user(), to_user_id=bob)
    assert told.code == 30003 and len(told.rungs) == 1 and told.rungs[0].decided
