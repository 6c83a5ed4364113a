"""ExplainCheckFriend over the wire: what CheckFriends answers, with the rungs up to it."""

import pytest

UNIDIRECTION, BIDIRECTION = 1, 2


def explained(people, caller, other, kind=BIDIRECTION):
    """The code, the relation and the last rung of the explanation; CheckFriends answers alike."""
    told = people.relation(
        "ExplainCheckFriend", from_user_id=caller, to_user_id=other, check_type=kind)
    (checked,) = people.relation(
        "CheckFriends", user_id=caller, user_ids=[other], check_type=kind).results
    for name in ("code", "reason", "info", "relation"):
        assert getattr(told, name) == getattr(checked, name), name
    assert told.HasField("relation") == (told.code == 0)
    assert [rung.decided for rung in told.rungs] == [False] * (len(told.rungs) - 1) + [True]
    last = people.stubs.RungKind.Name(told.rungs[-1].kind)
    return told.code, told.relation, last, [row.present for row in told.rungs[-1].rows]


@pytest.mark.parametrize("sides", [[], [(0, 1)], [(1, 0)], [(0, 1), (1, 0)]])
def test_the_relation_is_told_with_its_rows(people, sides):
    pair = people(2)
    for one, other in sides:
        people.import_friends([{"user_id": pair[one], "friend_user_id": pair[other]}])
    mine, theirs = (0, 1) in sides, (1, 0) in sides
    code, _, last, rows = explained(people, *pair)
    assert (code, last, rows) == (0, "RUNG_KIND_FRIENDSHIP", [mine, theirs])
    code, _, last, rows = explained(people, *pair, UNIDIRECTION)
    assert (code, last, rows) == (0, "RUNG_KIND_FRIENDSHIP", [mine])


def test_the_first_rung_that_refuses_ends_the_ladder(people):
    (ann,) = people(1)
    assert explained(people, ann, " ")[::2] == (30001, "RUNG_KIND_PEER_ID")
    assert explained(people, ann, people.unknown_user())[::2] == (30003, "RUNG_KIND_PEER_ACCOUNT")
    assert explained(people, ann, ann)[::2] == (0, "RUNG_KIND_FRIENDSHIP")
    told = people.relation("ExplainCheckFriend", from_user_id=people.unknown_user(), to_user_id=ann)
    assert told.code == 30003 and len(told.rungs) == 1 and told.rungs[0].decided
