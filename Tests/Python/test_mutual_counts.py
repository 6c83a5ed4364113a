"""Limits that two lists share: counts of common friends, mutual follows, dismissals."""

import pytest
from people import codes


def test_counts_of_common_friends_are_those_of_the_lists(app):
    people = app()
    ann, bob, joe, *others = people(6)
    people.befriend(ann, *others)
    people.befriend(bob, *others[:2])
    answer = people.relation("GetMutualFriendCounts", user_id=ann, user_ids=[bob, joe, ann, "no"])
    assert codes(answer) == [0, 0, 30001, 30003]
    assert [result.mutual_count for result in answer.results] == [2, 0, 0, 0]
    for result in answer.results[:2]:
        listed = people.relation(
            "ListMutualFriends", user_id=ann, other_user_id=result.user_id)
        assert listed.total_size == result.mutual_count


def test_mutual_follows_have_limits_on_both_sides(app):
    people = app(limits={"mutual_follows": 1})
    ann, bob, joe, eve = people(4)
    for one, other in ((ann, bob), (bob, ann), (joe, ann), (ann, eve)):
        assert codes(people.relation("Follow", user_id=one, user_ids=[other])) == [0]
    # The caller has one already; and then the other has one.
    assert codes(people.relation("Follow", user_id=ann, user_ids=[joe])) == [32102]
    assert codes(people.relation("Follow", user_id=eve, user_ids=[ann])) == [32103]


def test_no_more_suggestions_are_dismissed_than_the_app_allows(app):
    people = app(limits={"dismissed_suggestions": 1})
    ann, bob, joe = people(3)
    answer = people.relation("DismissSuggestions", user_id=ann, user_ids=[bob, joe])
    assert codes(answer) == [0, 30001]
    name = people.stubs.Reason.Name(answer.results[1].reason)
    assert name == "REASON_SUGGESTION_DISMISS_NUM_EXCEED_THRESHOLD"


def test_follows_have_limits_and_end_at_blacklists(app):
    people = app(limits={"followings": 1, "followers": 1})
    ann, bob, joe, eve, zoe = people(5)

    def follow(one, other):
        return codes(people.relation("Follow", user_id=one, user_ids=[other]))

    assert follow(ann, bob) == [0]
    assert follow(ann, joe) == [32100]
    assert follow(eve, bob) == [32101]
    people.block(joe, zoe)
    assert follow(joe, zoe) == [30515]
    assert follow(zoe, joe) == [30525]
    people.block(bob, ann)
    assert people.relation("ListFollowing", user_id=ann).total_size == 0
    assert follow(eve, bob) == [0]


@pytest.mark.parametrize("call", ["Follow", "Unfollow", "CheckFollows", "GetFollowCounts"])
def test_calls_about_follows_refuse_wrong_users(app, call):
    people = app()
    (ann,) = people(1)
    answer = people.relation(call, user_id=ann, user_ids=["", people.unknown_user(), ann])
    found = codes(answer)
    assert found[:2] == [30001, 30003]
    # The user itself has counts, and no follow of itself.
    assert found[2] == (30001 if call in ("Follow", "Unfollow") else 0)
