"""What users do at the same moment: the last uses of a code, follows against blocks, a star's first
minute, and the bounds that hold in between."""

import itertools
import random
from concurrent.futures import ThreadPoolExecutor

import pytest
from people import codes
from products import Product, ids

HANDS = 12
MUTUAL = 3


@pytest.fixture
def hands():
    with ThreadPoolExecutor(HANDS) as pool:
        yield pool


def findings(product):
    relation = product.relation
    answers = relation.start("CheckIntegrity")(
        product.stubs.request("CheckIntegrity", {}), timeout=60, metadata=relation.metadata)
    return [answer.finding for answer in answers if answer.HasField("finding")]


def limit(device, name):
    (one,) = [limit for limit in device("GetLimits").limits if limit.name == name]
    return one.value, one.in_use


def test_a_code_lets_in_as_many_as_it_says_and_no_user_twice(relation, hands):
    product = Product(relation)
    (host,) = product("host")
    guests = [f"guest{number:02}" for number in range(30)]
    product.make(guests)
    product.need_confirm("host")
    made = host("CreateInvitation", max_uses=10, expiry_seconds=600, pre_approved=True)
    use = {"invitation_code": made.invitation_code}
    answers = list(hands.map(
        lambda user: product.device(user).told("AcceptInvitation", **use), guests + guests))
    entered = {user for user, told in zip(guests + guests, answers) if told[0] == 0}
    # Who is in is told that it is a friend; all others that the code is used up.
    assert len(entered) == 10
    for user, told in zip(guests + guests, answers):
        assert told in (
            {(0, "UNSPECIFIED"), (30001, "INVITATION_ACCEPT_FRIEND_EXIST")} if user in entered
            else {(30001, "INVITATION_ACCEPT_USED_UP")}), (user, told)  # fmt: skip
    assert ids(host("ListFriends").friends) == sorted(entered)
    (row,) = host("ListInvitations").invitations
    assert (row.state, row.use_count, row.max_uses) == (3, 10, 10) and row.end_time_ms > 0
    # Its log tells each of them, in the order in which they came.
    events = host("ListChanges", kinds=["CHANGE_KIND_INVITATION_CHANGED"]).events
    assert [event.items[0].invitation.use_count for event in events] == list(range(11))
    assert {event.items[0].user_id for event in events[1:]} == entered
    assert findings(product) == []


def test_follows_and_blocks_cross_and_leave_no_half(relation, hands, seed):
    product = Product(relation)
    users = [f"user{number}" for number in range(6)]
    product.make(users)
    pairs = [(one, other) for one in users for other in users if one != other]
    numbers = random.Random(seed)
    kinds = ["Follow"] * 4 + ["Unfollow", "AddToBlacklist"] + ["RemoveFromBlacklist"] * 2
    acts = [(numbers.choice(kinds), *numbers.choice(pairs)) for _ in range(600)]
    answers = list(hands.map(
        lambda act: codes(product.device(act[1])(act[0], user_ids=[act[2]])), acts))
    # What is left at the end is chance; that each kind of call changed rows is not.
    assert {kind for (kind, *_), answer in zip(acts, answers) if answer == [0]} == set(kinds)
    following = {user: set(product.follows(user)[0]) for user in users}
    followers = {user: set(product.follows(user)[1]) for user in users}
    for one, other in pairs:
        assert (other in following[one]) == (one in followers[other]), (one, other)
        blocked = other in product.blacklist(one)
        assert not (blocked and (other in following[one] or other in followers[one]))
    for user in users:
        device = product.device(user)
        mutual = {row.user_id for row in device("ListMutualFollows").entries}
        assert mutual == following[user] & followers[user]
        (counts,) = device("GetFollowCounts", user_ids=[user]).results
        assert (counts.counts.following, counts.counts.followers, counts.counts.mutual) == (
            len(following[user]), len(followers[user]), len(mutual))
    assert findings(product) == []


def test_bounds_of_follows_hold_while_all_follow_at_once(relation, hands):
    product = Product(relation, limits={
        "followers": 20, "followings": 8, "mutual_follows": MUTUAL})
    stars = [f"star{number}" for number in range(10)]
    fans = [f"fan{number:02}" for number in range(30)]
    product.make([*stars, *fans])
    answers = list(hands.map(
        lambda fan: codes(product.device(fan)("Follow", user_ids=stars)), fans))
    # Twenty fans fill the first eight stars, and the ten that come later follow the other two.
    taken = [sum(answer[place] == 0 for answer in answers) for place in range(10)]
    assert taken == [20] * 8 + [10] * 2
    assert sorted(answers) == sorted([[0] * 8 + [32100] * 2] * 20 + [[32101] * 8 + [0] * 2] * 10)
    for place, star in enumerate(stars):
        assert limit(product.device(star), "limits.followers") == (20, taken[place])
    # All stars follow their fans back at once: of each side only three become mutual.
    def follow_back(star):
        own = product.follows(star)[1]
        return codes(product.device(star)("Follow", user_ids=own[:8])) if own else []

    told = list(hands.map(follow_back, stars))
    assert {code for answer in told for code in answer} <= {0, 32101, 32102, 32103}
    mutual = {user: product.device(user)("ListMutualFollows").total_size
              for user in [*stars, *fans]}  # fmt: skip
    assert max(mutual.values()) == MUTUAL
    assert sum(mutual[star] for star in stars) == sum(mutual[fan] for fan in fans) > 0
    assert findings(product) == []


def test_a_day_of_contacts_and_the_room_for_friends_are_shared_fairly(relation, hands):
    product = Product(relation, limits={"contact_lookups": 500, "dismissed_suggestions": 40})
    (ann,) = product("ann")
    users = [f"user{number:03}" for number in range(120)]
    product.make(users)
    digests = [bytes([number]) * 32 for number in range(30)]
    answers = list(hands.map(
        lambda _: ann("FindContacts", kind=1, digests=digests), range(24)))
    # Sixteen uploads of thirty fit into five hundred; each that was taken lowers the rest.
    left = sorted(answer.left_today for answer in answers if answer.code == 0)
    assert left == list(range(20, 500, 30))
    assert [answer.code for answer in answers].count(30001) == 8
    assert limit(ann, "limits.contact_lookups") == (500, 480)
    told = list(hands.map(
        lambda first: codes(ann("DismissSuggestions", user_ids=users[first:first + 10])),
        range(0, 120, 10)))  # fmt: skip
    assert sum(answer.count(0) for answer in told) == 40
    assert ann("ListDismissedSuggestions").total_size == 40
    assert limit(ann, "limits.dismissed_suggestions") == (40, 40)


def test_moderators_and_reporters_get_in_each_others_way(relation, hands):
    """One troll is reported by a crowd while two moderators suspend and reinstate it."""
    product = Product(relation)
    (troll,) = product("troll")
    crowd = [f"fan{number:02}" for number in range(40)]
    product.make(crowd)

    def work(number):
        if number % 4 == 0:
            item = {"user_id": "troll", "level": 1 + number % 3}
            return product.relation("SuspendAccounts", items=[item]).results[0].code
        if number % 4 == 1:
            return product.relation("ReinstateAccounts", user_ids=["troll"]).results[0].code
        fan = product.device(crowd[number % 40])
        return fan("ReportUser", reported_user_id="troll", category=1, text=f"{number}").code

    assert set(hands.map(work, range(160))) == {0}
    reports = [one for page in product.pages("ListReports", 9) for one in page.reports]
    assert len({one.report_id for one in reports}) == len(reports) == 20
    assert sum(one.count for one in reports) == 80
    assert product.relation("ListReports").open_size == 20
    told = [event.items[0].suspension.level for event in troll("ListChanges", page_size=500).events]
    held = product.relation("ListSuspensions").suspensions
    assert [one.level for one in held] == [level for level in told[-1:] if level]
    assert all(one != other for one, other in itertools.pairwise(told)), told
    assert findings(product) == []
