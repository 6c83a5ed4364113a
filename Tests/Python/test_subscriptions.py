"""SubscriptionService: the users that a user follows, the answer for each id, and the list."""

import grpc
import pytest
from people import People, codes, outcomes
from refusals import assert_invalid, refusal
from stubs import Relation

ONLINE, PROFILE, FRIEND_ONLINE, FRIEND_PROFILE = 1, 2, 3, 4
DAY = 86_400
CALLS = ["Subscribe", "Unsubscribe", "QuerySubscriptions", "ListSubscriptions"]


def subscribe(people, user, *others, seconds=DAY, **fields):
    fields = {"expiry_seconds": seconds, "subscribe_type": ONLINE, **fields}
    return people.relation("Subscribe", user_id=user, user_ids=others, **fields)


def follow(people, user, *others, **fields):
    answer = subscribe(people, user, *others, **fields)
    assert codes(answer) == [0] * len(others), answer
    return answer


def followed(people, user, page_size=200, **fields):
    """The users that the user follows, by pages."""
    pages = people.pages("ListSubscriptions", page_size, user_id=user, **fields)
    return [(item.subscribe_type, item.user_id) for page in pages for item in page.subscriptions]


def events(people, user, since=0):
    return people.relation("ListChanges", user_id=user, since_sequence=since).events


def arguments(name):
    """A right request of the call, without its user and the ids."""
    return {"expiry_seconds": DAY} if name == "Subscribe" else {}


# Subscribe


def test_subscribing_answers_each_id(people):
    ann, bob = people(2)
    unknown = people.unknown_user()
    asked = [bob, ann, "", unknown, bob]
    answer = subscribe(people, ann, *asked)
    assert [result.user_id for result in answer.results] == asked
    assert outcomes(answer) == [
        (0, ""),
        (34308, "Err_Subscribe_Self"),
        (34308, "Err_Subscribe_UserId_Illegal"),
        (30003, "Err_Subscribe_Account_Not_Exist"),
        (0, ""),
    ]
    assert (answer.applied, answer.sequence) == (True, 1)
    assert followed(people, ann) == [(ONLINE, bob)]


def test_the_answer_tells_until_when_and_renewing_counts_from_now(people):
    ann, bob = people(2)
    first = follow(people, ann, bob, seconds=60).results[0].subscription
    assert (first.user_id, first.subscribe_type) == (bob, ONLINE)
    assert first.expire_time_ms == first.subscribe_time_ms + 60_000
    again = follow(people, ann, bob, seconds=30 * DAY).results[0].subscription
    assert again.expire_time_ms == again.subscribe_time_ms + 30 * DAY * 1000
    assert again.subscribe_time_ms >= first.subscribe_time_ms
    (listed,) = people.relation("ListSubscriptions", user_id=ann).subscriptions
    assert listed == again


def test_no_type_means_the_online_status(people):
    ann, bob = people(2)
    follow(people, ann, bob, subscribe_type=0)
    assert followed(people, ann) == [(ONLINE, bob)]
    query = people.relation("QuerySubscriptions", user_id=ann, user_ids=[bob])
    assert query.results[0].subscription.subscribe_type == ONLINE
    people.relation("Unsubscribe", user_id=ann, user_ids=[bob])
    assert followed(people, ann) == []


@pytest.mark.parametrize("seconds", [0, -1, 59, 30 * DAY + 1, 2**63 - 1, -(2**63)])
def test_a_time_out_of_its_bounds_is_invalid(people, seconds):
    ann, bob = people(2)
    assert_invalid(refusal(subscribe, people, ann, bob, seconds=seconds), "expiry_seconds")
    assert followed(people, ann) == []


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("kind", [FRIEND_ONLINE, FRIEND_PROFILE])
def test_friends_need_no_subscription(people, name, kind):
    ann, bob = people(2)
    people.befriend(ann, bob)
    fields = {} if name == "ListSubscriptions" else {"user_ids": [bob], **arguments(name)}
    refused = refusal(people.relation, name, user_id=ann, subscribe_type=kind, **fields)
    assert_invalid(refused, "subscribe_type")
    assert "needs no subscription" in refused.message


def test_every_bad_field_is_named(people):
    (ann,) = people(1)
    refused = refusal(subscribe, people, ann, seconds=5, subscribe_type=77)
    assert_invalid(refused, "user_ids", "subscribe_type", "expiry_seconds")


def test_full_lists_refuse_each_id_alone_and_the_own_one_first(relation):
    settings = {"limits": {"subscriptions": 2, "subscribers": 1}}
    people = People(relation.in_app(relation("CreateApp", settings=settings).app.app_id))
    ann, bob, eve, dan, gus = people(5)
    follow(people, ann, bob)
    mine = (26022, "Err_Subscribe_My_Num_Exceed_Threshold")
    theirs = (26021, "Err_Subscribe_Peer_Num_Exceed_Threshold")
    assert outcomes(subscribe(people, eve, bob, ann, dan, gus)) == [theirs, (0, ""), (0, ""), mine]
    # A user that follows already needs no room, and the other type has room of its own.
    assert outcomes(subscribe(people, eve, bob, dan)) == [mine, (0, "")]
    assert outcomes(subscribe(people, eve, bob, subscribe_type=PROFILE)) == [(0, "")]
    assert outcomes(subscribe(people, gus, bob, subscribe_type=PROFILE)) == [theirs]
    people.relation("Unsubscribe", user_id=ann, user_ids=[bob])
    people.relation("Unsubscribe", user_id=eve, user_ids=[ann])
    assert outcomes(subscribe(people, eve, bob)) == [(0, "")]


def test_a_user_follows_a_thousand_of_each_type(people):
    users = people(1002)
    for start in range(0, 1000, 200):
        follow(people, users[0], *users[1 + start : 201 + start])
    assert codes(subscribe(people, users[0], users[1001])) == [26022]
    assert len(followed(people, users[0])) == 1000
    limits = {
        limit.name: (limit.value, limit.in_use)
        for limit in people.relation("GetLimits", user_id=users[0]).limits
    }
    assert limits["limits.subscriptions.online_status"] == (1000, 1000)
    assert limits["limits.subscriptions.user_profile"] == (1000, 0)
    assert limits["limits.subscribers.online_status"] == (5000, 0)
    follow(people, users[0], users[1001], subscribe_type=PROFILE)


def test_limits_tell_who_follows(people):
    ann, bob, eve = people(3)
    follow(people, ann, eve)
    follow(people, bob, eve)
    use = {
        limit.name: limit.in_use
        for limit in people.relation("GetLimits", user_id=eve).limits
        if limit.name.startswith("limits.subscribers")
    }
    assert use == {
        "limits.subscribers.online_status": 2, "limits.subscribers.user_profile": 0,
    }  # fmt: skip


def test_a_blacklist_ends_no_subscription(people):
    ann, bob = people(2)
    follow(people, ann, bob)
    people.block(bob, ann)
    assert followed(people, ann) == [(ONLINE, bob)]
    assert codes(subscribe(people, ann, bob)) == [0]


def test_in_an_app_of_implicit_accounts_everybody_can_be_followed(relation):
    settings = {"makes_accounts_implicitly": True}
    people = People(relation.in_app(relation("CreateApp", settings=settings).app.app_id))
    follow(people, "new", "newer")
    assert followed(people, "new") == [(ONLINE, "newer")]
    asked = people.relation("QuerySubscriptions", user_id="new", user_ids=["unknown yet"])
    assert outcomes(asked) == [(0, "")]


# Unsubscribe


def test_unsubscribing_answers_each_id_and_may_be_repeated(people):
    ann, bob, eve = people(3)
    follow(people, ann, bob)
    asked = [bob, eve, ann, " ", people.unknown_user()]
    wanted = [
        (0, ""),
        (0, ""),
        (34308, "Err_Unsubscribe_Self"),
        (34308, "Err_Unsubscribe_UserId_Illegal"),
        (0, ""),
    ]
    first = people.relation("Unsubscribe", user_id=ann, subscribe_type=ONLINE, user_ids=asked)
    assert outcomes(first) == wanted
    again = people.relation("Unsubscribe", user_id=ann, subscribe_type=ONLINE, user_ids=asked)
    assert outcomes(again) == wanted
    assert again.sequence == first.sequence
    assert not any(result.HasField("subscription") for result in first.results)
    assert followed(people, ann) == []


def test_one_type_ends_and_the_other_stays(people):
    ann, bob = people(2)
    follow(people, ann, bob)
    follow(people, ann, bob, subscribe_type=PROFILE)
    people.relation("Unsubscribe", user_id=ann, subscribe_type=ONLINE, user_ids=[bob])
    assert followed(people, ann) == [(PROFILE, bob)]


# QuerySubscriptions


def test_a_query_answers_each_id(people):
    ann, bob, eve = people(3)
    follow(people, ann, bob)
    follow(people, ann, eve, subscribe_type=PROFILE)
    asked = [bob, eve, ann, people.unknown_user(), "é"]
    answer = people.relation(
        "QuerySubscriptions", user_id=ann, subscribe_type=ONLINE, user_ids=asked)
    assert outcomes(answer) == [
        (0, ""),
        (0, ""),
        (34308, "Err_SubscriptionQuery_Self"),
        (30003, "Err_SubscriptionQuery_Account_Not_Exist"),
        (34308, "Err_SubscriptionQuery_UserId_Illegal"),
    ]
    has = [result.HasField("subscription") for result in answer.results]
    assert has == [True, False, False, False, False]
    assert answer.results[0].subscription.user_id == bob


# ListSubscriptions


@pytest.fixture(scope="module")
def reader(people):
    """A user that follows five users, two of them with both types."""
    users = people(6)
    follow(people, users[0], *users[1:])
    follow(people, users[0], users[4], users[2], subscribe_type=PROFILE)
    rows = [(ONLINE, user) for user in users[1:]] + [(PROFILE, users[2]), (PROFILE, users[4])]
    return users[0], rows


@pytest.mark.parametrize("size", [1, 2, 3, 7, 200])
def test_the_list_comes_by_pages_in_order(people, reader, size):
    user, rows = reader
    assert followed(people, user, size) == rows
    assert followed(people, user, size, subscribe_type=ONLINE) == rows[:5]
    assert followed(people, user, size, subscribe_type=PROFILE) == rows[5:]


@pytest.mark.parametrize("size", [1, 3, 200])
def test_the_list_comes_by_start_index_too(people, reader, size):
    user, rows = reader
    found = []
    while True:
        page = people.relation(
            "ListSubscriptions", user_id=user, page_size=size, start_index=len(found))
        found += [(item.subscribe_type, item.user_id) for item in page.subscriptions]
        assert page.total_size == len(rows)
        if not page.subscriptions:
            break
    assert found == rows
    # A page that began so has a token like any other.
    page = people.relation("ListSubscriptions", user_id=user, page_size=1, start_index=5)
    assert [(item.subscribe_type, item.user_id) for item in page.subscriptions] == rows[5:6]
    page = people.relation(
        "ListSubscriptions", user_id=user, page_token=page.next_page_token)
    assert [(item.subscribe_type, item.user_id) for item in page.subscriptions] == rows[6:]


def test_a_page_tells_how_many_there_are_and_when_they_changed(people, reader):
    user, rows = reader
    for kind, count in [(0, 7), (ONLINE, 5), (PROFILE, 2)]:
        page = people.relation("ListSubscriptions", user_id=user, subscribe_type=kind, page_size=1)
        assert (page.total_size, page.sequence) == (count, 2)
    past = people.relation("ListSubscriptions", user_id=user, start_index=2**31 - 1)
    assert (list(past.subscriptions), past.next_page_token, past.total_size) == ([], "", 7)


def test_a_row_that_stays_comes_once_whatever_is_renewed_meanwhile(people):
    users = people(7)
    follow(people, users[0], *users[1:])
    first = people.relation("ListSubscriptions", user_id=users[0], page_size=3)
    follow(people, users[0], users[1], users[6])
    people.relation("Unsubscribe", user_id=users[0], user_ids=[users[2], users[4]])
    rest = people.relation(
        "ListSubscriptions", user_id=users[0], page_size=3, page_token=first.next_page_token)
    assert [item.user_id for item in rest.subscriptions] == [users[5], users[6]]
    assert rest.next_page_token == ""


def test_bad_pages_are_invalid(people, reader):
    user, _ = reader
    ask = {"user_id": user}
    assert_invalid(
        refusal(people.relation, "ListSubscriptions", start_index=-1, **ask), "start_index")
    token = people.relation("ListSubscriptions", page_size=1, **ask).next_page_token
    assert_invalid(
        refusal(people.relation, "ListSubscriptions", start_index=1, page_token=token, **ask),
        "start_index")
    (other,) = people(1)
    for fields in (
        {"user_id": other}, {"user_id": user, "subscribe_type": ONLINE},
        {"user_id": user, "page_token": token[:-2]},
    ):
        refused = refusal(people.relation, "ListSubscriptions", **{"page_token": token, **fields})
        assert_invalid(refused, "page_token", reason="INVALID_PAGE_TOKEN")


# Options


def test_all_or_nothing_holds_everything_back(people):
    ann, bob = people(2)
    answer = subscribe(people, ann, bob, people.unknown_user(), options={"all_or_nothing": True})
    assert (codes(answer), answer.applied) == ([0, 30003], False)
    assert followed(people, ann) == []
    answer = subscribe(people, ann, bob, options={"all_or_nothing": True})
    assert answer.applied and followed(people, ann) == [(ONLINE, bob)]


def test_a_dry_run_tells_and_writes_nothing(people):
    ann, bob = people(2)
    answer = subscribe(people, ann, bob, options={"dry_run": True})
    assert (codes(answer), answer.applied, answer.sequence) == ([0], False, 0)
    assert followed(people, ann) == []


def test_a_read_may_wait_for_its_own_write(people):
    ann, bob = people(2)
    sequence = follow(people, ann, bob).sequence
    options = {"min_sequence": {"sequence": sequence}}
    page = people.relation("ListSubscriptions", user_id=ann, options=options)
    assert page.total_size == 1


# Events


def test_the_subscribers_devices_are_told_and_the_followed_user_is_not(people):
    ann, bob, eve = people(3)
    options = {"device_id": "phone", "request_id": "r"}
    answer = follow(people, ann, bob, eve, options=options)
    (event,) = events(people, ann)
    assert people.stubs.ChangeKind.Name(event.kind) == "CHANGE_KIND_SUBSCRIPTION_CHANGED"
    assert (event.actor_user_id, event.device_id, event.request_id) == (ann, "phone", "r")
    assert [item.user_id for item in event.items] == [bob, eve]
    told = [item.subscription for item in event.items]
    assert told == [result.subscription for result in answer.results]
    people.relation("Unsubscribe", user_id=ann, user_ids=[bob])
    (event,) = events(people, ann, event.sequence)
    assert [(item.user_id, item.subscription.expire_time_ms) for item in event.items] == [(bob, 0)]
    assert list(events(people, bob)) == []
    sequences = people.relation("GetSequence", user_id=ann)
    assert sequences.subscriptions_sequence == sequences.sequence == event.sequence


def test_what_changes_nothing_is_no_event(people):
    ann, bob = people(2)
    people.relation("Unsubscribe", user_id=ann, user_ids=[bob])
    subscribe(people, ann, ann, people.unknown_user())
    assert list(events(people, ann)) == []


def test_a_deleted_account_is_followed_by_no_user(people):
    ann, bob, eve = people(3)
    follow(people, ann, bob)
    follow(people, bob, ann, eve)
    follow(people, ann, eve, subscribe_type=PROFILE)
    deletion = people.relation("DeleteAccounts", user_ids=[bob]).results[0].deletion_id
    assert codes(subscribe(people, ann, bob)) == [30003]
    for _ in range(10_000):
        if people.relation("GetDeletion", deletion_id=deletion).state == 2:
            break
    assert followed(people, ann) == [(PROFILE, eve)]
    last = events(people, ann)[-1]
    assert [(item.user_id, item.subscription.expire_time_ms) for item in last.items] == [(bob, 0)]
    assert last.actor_user_id == ""


def test_subscriptions_are_exported_and_counted(start, stubs):
    with grpc.insecure_channel(start().address) as channel:
        own = People(Relation(stubs, channel))
        ann, bob = own(2)
        row = follow(own, ann, bob, subscribe_type=PROFILE).results[0].subscription
        answers = list(own.relation.start("ExportApp")(stubs.request("ExportApp", {}), timeout=20))
        found = [item.subscription for item in answers if item.WhichOneof("row") == "subscription"]
        assert [(item.user_id, item.subscription) for item in found] == [(ann, row)]
        account = next(
            item.account for item in answers if item.WhichOneof("row") == "account")
        assert (account.user_id, account.subscriptions_sequence) == (ann, 1)
        assert own.relation("GetStats").app.subscriptions == 1
        request = stubs.request("CheckIntegrity", {})
        checked = list(own.relation.start("CheckIntegrity")(request, timeout=20))
        assert not any(item.WhichOneof("answer") == "finding" for item in checked)


@pytest.mark.parametrize("name", ["Subscribe", "Unsubscribe"])
def test_two_hundred_ids_may_be_sent(people, name):
    (ann,) = people(1)
    ids = [f"unknown{number}" for number in range(201)]
    refused = refusal(people.relation, name, user_id=ann, user_ids=ids, **arguments(name))
    assert_invalid(refused, "user_ids", reason="TOO_MANY_ITEMS")
    assert refused.metadata == {"limit": "200", "actual": "201"}
    answer = people.relation(name, user_id=ann, user_ids=ids[:200], **arguments(name))
    assert set(codes(answer)) == {30003 if name == "Subscribe" else 0}
    assert_invalid(
        refusal(people.relation, name, user_id=ann, user_ids=[], **arguments(name)), "user_ids")
