"""FriendService: cards of several users, friends in common, and friends of friends."""

import pytest
from people import codes, outcomes
from refusals import assert_invalid, refusal
from stubs import Relation
from test_metrics import metrics, settled


@pytest.fixture(scope="module")
def modest(stubs, channel):
    """A client whose credential has no scope `admin`."""
    return Relation(stubs, channel, [("x-scopes", "read,write")])


def show(people, user, visibility):
    people.relation("SetVisibility", user_id=user, visibility=f"VISIBILITY_{visibility}")


# GetRelations


def test_a_card_holds_the_friendship_both_ways(people):
    ann, both, mine, theirs, none = people(5)
    people.befriend(ann, both)
    people.add(ann, mine, add_type=1, remark="x", group="g")
    people.add(theirs, ann, add_type=1)
    asked = [both, mine, theirs, none, ann, both]
    cards = people.relation("GetRelations", user_id=ann, user_ids=asked).results
    assert [card.user_id for card in cards] == asked
    assert [card.relation for card in cards] == [3, 1, 2, 0, 0, 3]
    assert [card.HasField("friend_entry") for card in cards] == [
        True, True, False, False, False, True,
    ]  # fmt: skip
    assert cards[1].friend_entry == people.friend(ann, mine)
    assert cards[0] == cards[5]
    checked = people.relation("CheckFriends", user_id=ann, user_ids=asked).results
    assert [card.relation for card in cards] == [result.relation for result in checked]


def test_a_card_tells_whom_the_caller_blocks_and_only_an_administrator_who_blocks_it(
    people, modest
):
    ann, bob, eve = people(3)
    people.block(ann, bob)
    people.block(eve, ann)
    fields = {"user_id": ann, "user_ids": [bob, eve]}
    cards = people.relation("GetRelations", **fields).results
    assert [card.blacklisted for card in cards] == [True, False]
    assert [card.blacklisted_by for card in cards] == [False, True]
    cards = modest("GetRelations", **fields).results
    assert [card.blacklisted for card in cards] == [True, False]
    assert not any(card.HasField("blacklisted_by") for card in cards)


def test_a_card_holds_the_applications_that_wait_both_ways(people):
    ann, bob, eve = people(3)
    people.apply(ann, bob, wording="hi", source="Card")
    people.apply(eve, ann, wording="ho")
    cards = people.relation("GetRelations", user_id=ann, user_ids=[bob, eve]).results
    sent, received = cards[0].sent, cards[1].received
    assert (sent.user_id, sent.wording, sent.source) == (bob, "hi", "AddSource_Type_Card")
    assert (sent.pendency_type, received.pendency_type) == (2, 1)
    assert (received.user_id, received.wording) == (eve, "ho")
    assert not cards[0].HasField("received") and not cards[1].HasField("sent")
    listed = {item.user_id: item.application_id for item in people.pendencies(ann)}
    assert listed == {bob: sent.application_id, eve: received.application_id}
    people.relation("DeletePendencies", user_id=ann, pendency_type=2, user_ids=[bob])
    card = people.relation("GetRelations", user_id=ann, user_ids=[bob]).results[0]
    assert not card.HasField("sent")


def test_cards_of_many_friends_are_kept_and_tell_each_change_at_once(server, people):
    ann, *friends = people(21)
    people.befriend(ann, *friends)
    eve = people.unknown_user()
    asked = [*friends, eve, ann]

    def cards():
        return people.relation("GetRelations", user_id=ann, user_ids=asked).results

    def look_ups():
        return metrics(server)['relation_cache_hits_total{cache="friend_rows"}']

    listed = {friend.user_id: friend for friend in people.friends(ann)}
    first = cards()
    assert [card.friend_entry for card in first[:20]] == [listed[user] for user in friends]
    assert [card.code for card in first[20:]] == [30003, 0]
    found = look_ups()
    assert cards() == first and cards() == first
    settled(server, lambda samples: look_ups() >= found + 2)
    assert look_ups() >= found + 2

    people.relation(
        "UpdateFriends", user_id=ann, items=[
            {"user_id": friends[3], "remark": "new", "update_mask": {"paths": ["remark"]}}])
    assert [card.friend_entry.remark for card in cards()[2:5]] == ["", "new", ""]
    people.relation("DeleteFriends", user_id=ann, user_ids=[friends[5]], delete_type=2)
    gone = cards()[5]
    assert gone.relation == 0 and not gone.HasField("friend_entry")
    people.block(ann, friends[7])
    assert cards()[7].blacklisted
    people.apply(ann, friends[5], wording="again")
    assert cards()[5] == cards()[5]
    people.relation("DeleteFriends", user_id=friends[9], user_ids=[ann], delete_type=1)
    assert cards()[9].relation == 1
    assert [card.relation for card in cards()] == [
        result.relation
        for result in people.relation("CheckFriends", user_id=ann, user_ids=asked).results
    ]


def test_a_card_has_the_profile_that_the_caller_may_see(people, modest):
    ann, bob = people(2)
    people.set_profile(bob, nick="Bob", level=7)
    fields = {"user_id": ann, "user_ids": [bob, ann]}
    cards = modest("GetRelations", **fields).results
    assert not any(card.HasField("profile") for card in cards)
    seen = modest("GetRelations", with_profiles=True, **fields).results[0].profile
    assert (seen.user_id, seen.nick, seen.level) == (bob, "Bob", 7)
    show(people, bob, "INVISIBLE")
    seen = modest("GetRelations", with_profiles=True, **fields).results[0].profile
    assert (seen.nick, seen.level) == ("Bob", 0)
    mask = {"paths": ["level"]}
    seen = people.relation(
        "GetRelations", with_profiles=True, profile_mask=mask, **fields
    ).results[0].profile
    assert (seen.nick, seen.level) == ("", 7)


def test_each_id_of_a_card_is_answered_by_itself(people):
    ann, bob = people(2)
    asked = [people.unknown_user(), "x" * 65, bob, ""]
    answer = people.relation("GetRelations", user_id=ann, user_ids=asked)
    assert outcomes(answer) == [
        (30003, "Err_SNS_RelationGet_Account_Not_Exist"),
        (30001, "Err_SNS_RelationGet_UserId_Illegal"),
        (0, ""),
        (30001, "Err_SNS_RelationGet_UserId_Illegal"),
    ]


@pytest.mark.parametrize(
    "extra, limit", [({}, 1000), ({"with_profiles": True}, 100), ({"with_custom": True}, 100)]
)
def test_one_card_too_many_is_refused(people, extra, limit):
    (ann,) = people(1)
    answer = people.relation("GetRelations", user_id=ann, user_ids=[ann] * limit, **extra)
    assert len(answer.results) == limit
    refused = refusal(
        people.relation, "GetRelations", user_id=ann, user_ids=[ann] * (limit + 1), **extra
    )
    assert_invalid(refused, "user_ids", reason="TOO_MANY_ITEMS")
    assert refused.metadata == {"limit": str(limit), "actual": str(limit + 1)}


def test_no_card_at_all_and_a_mask_without_profiles_are_refused(people):
    (ann,) = people(1)
    assert_invalid(refusal(people.relation, "GetRelations", user_id=ann), "user_ids")
    fields = {"user_id": ann, "user_ids": [ann], "profile_mask": {"paths": ["nick"]}}
    assert_invalid(refusal(people.relation, "GetRelations", **fields), "profile_mask")
    fields = {**fields, "with_profiles": True, "profile_mask": {"paths": ["nix"]}}
    assert_invalid(refusal(people.relation, "GetRelations", **fields), "profile_mask")


# ListMutualFriends


def test_mutual_friends_are_those_in_both_lists(people):
    ann, bob, one, two, three = people(5)
    people.befriend(ann, bob, one, two)
    people.befriend(bob, two, three, one)
    answer = people.relation("ListMutualFriends", user_id=ann, other_user_id=bob)
    assert (answer.other_user_id, answer.code, answer.total_size) == (bob, 0, 2)
    assert list(answer.user_ids) == [one, two] and not answer.bounded
    fields = {"user_id": ann, "other_user_id": bob, "page_size": 1}
    answer = people.relation("ListMutualFriends", **fields)
    assert (list(answer.user_ids), answer.total_size) == ([one], 2)
    answer = people.relation(
        "ListMutualFriends", page_token=answer.next_page_token, **fields)
    assert (list(answer.user_ids), answer.total_size, answer.next_page_token) == ([two], 2, "")


def test_a_mutual_friend_whose_list_is_hidden_counts_and_has_no_name(people, modest):
    ann, bob, one, two = people(4)
    people.befriend(ann, bob, one, two)
    people.befriend(bob, one, two)
    show(people, one, "INVISIBLE")
    fields = {"user_id": ann, "other_user_id": bob}
    answer = modest("ListMutualFriends", **fields)
    assert (list(answer.user_ids), answer.total_size) == ([two], 2)
    assert list(people.relation("ListMutualFriends", **fields).user_ids) == [one, two]
    show(people, bob, "INVISIBLE")
    # A count would tell of a list that the caller may not see.
    answer = modest("ListMutualFriends", **fields)
    assert (list(answer.user_ids), answer.total_size) == ([], 0)


def test_a_token_of_mutual_friends_serves_only_the_two_users(people):
    users = people(5)
    ann, bob, eve = users[:3]
    for user in (ann, bob, eve):
        people.befriend(user, *(set(users) - {user}))
    fields = {"user_id": ann, "other_user_id": bob}
    token = people.relation("ListMutualFriends", page_size=1, **fields).next_page_token
    for other in ({"other_user_id": eve}, {"user_id": eve}, {"user_id": bob, "other_user_id": ann}):
        refused = refusal(
            people.relation, "ListMutualFriends", page_token=token, **{**fields, **other})
        assert_invalid(refused, "page_token", reason="INVALID_PAGE_TOKEN")
    refused = refusal(people.relation, "SuggestFriends", user_id=ann, page_token=token)
    assert_invalid(refused, "page_token", reason="INVALID_PAGE_TOKEN")


def test_whom_one_has_no_mutual_friends_with(people):
    ann, bob = people(2)
    fields = {"user_id": ann}
    for other, code, reason in (
        (bob, 0, ""),
        (ann, 30001, "Err_SNS_FriendMutual_Self"),
        ("x" * 65, 30001, "Err_SNS_FriendMutual_UserId_Illegal"),
        ("", 30001, "Err_SNS_FriendMutual_UserId_Illegal"),
        (people.unknown_user(), 30003, "Err_SNS_FriendMutual_Account_Not_Exist"),
    ):
        answer = people.relation("ListMutualFriends", other_user_id=other, **fields)
        assert (answer.code, answer.info, answer.total_size) == (code, reason, 0)


# SuggestFriends


def suggestions(people, user, **fields):
    answer = people.relation("SuggestFriends", user_id=user, **fields)
    assert not answer.bounded
    return [(item.user_id, item.mutual_count) for item in answer.suggestions]


def test_friends_of_friends_come_by_common_count_and_then_by_id(people):
    ann, one, two, p, q, r = people(6)
    people.befriend(ann, one, two)
    people.befriend(one, r, p)
    people.befriend(two, r, q)
    assert suggestions(people, ann) == [(r, 2), (p, 1), (q, 1)]
    assert suggestions(people, ann, page_size=1) == [(r, 2)]
    answer = people.relation("SuggestFriends", user_id=ann, page_size=1)
    assert list(answer.suggestions[0].mutual_user_ids) == [one, two]
    pages = list(people.pages("SuggestFriends", 1, user_id=ann))
    assert [page.suggestions[0].user_id for page in pages] == [r, p, q]
    assert [page.total_size for page in pages] == [3, 3, 3]


def test_neither_of_two_who_block_is_suggested_to_the_other(people):
    ann, friend, bob = people(3)
    people.befriend(friend, ann, bob)
    assert suggestions(people, ann) == [(bob, 1)]
    assert suggestions(people, bob) == [(ann, 1)]
    people.block(ann, bob)
    assert suggestions(people, ann) == suggestions(people, bob) == []


def test_whom_an_application_waits_for_or_was_refused_by_is_not_suggested(people):
    ann, friend, bob = people(3)
    people.befriend(friend, ann, bob)
    people.apply(ann, bob)
    assert suggestions(people, ann) == suggestions(people, bob) == []
    assert people.respond(bob, ann, "FRIEND_RESPONSE_TYPE_REJECT") == (0, "")
    assert suggestions(people, ann) == suggestions(people, bob) == []


def test_who_was_dismissed_is_not_suggested_until_it_is_restored(people):
    ann, friend, bob, carl = people(4)
    people.befriend(friend, ann, bob, carl)
    assert suggestions(people, ann) == [(bob, 1), (carl, 1)]
    assert codes(people.relation("DismissSuggestions", user_id=ann, user_ids=[bob])) == [0]
    assert suggestions(people, ann) == [(carl, 1)]
    assert suggestions(people, bob) == [(ann, 1), (carl, 1)]
    answer = people.relation("ListDismissedSuggestions", user_id=ann)
    assert [user.user_id for user in answer.users] == [bob] and answer.total_size == 1
    assert answer.users[0].dismiss_time_ms > 0
    assert codes(people.relation("RestoreSuggestions", user_id=ann, user_ids=[bob])) == [0]
    assert suggestions(people, ann) == [(bob, 1), (carl, 1)]


def test_a_friend_whose_list_is_hidden_gives_no_suggestion(people, modest):
    ann, one, two, bob, carl = people(5)
    people.befriend(ann, one, two)
    people.befriend(bob, one, two)
    people.befriend(carl, one)
    show(people, one, "INVISIBLE")
    found = modest("SuggestFriends", user_id=ann)
    [suggestion] = found.suggestions
    assert (suggestion.user_id, suggestion.mutual_count) == (bob, 1) and found.total_size == 1
    assert list(suggestion.mutual_user_ids) == [two]
    assert suggestions(people, ann) == [(bob, 2), (carl, 1)]


def test_pages_of_suggestions_name_the_two_hundred_best_and_no_more(people):
    ann, friend, *others = people(212)
    people.befriend(ann, friend)
    people.befriend(friend, *others)
    pages = list(people.pages("SuggestFriends", 150, user_id=ann))
    assert [len(page.suggestions) for page in pages] == [150, 50]
    assert [page.total_size for page in pages] == [200, 200]
    named = [item.user_id for page in pages for item in page.suggestions]
    assert named == sorted(others)[:200]
