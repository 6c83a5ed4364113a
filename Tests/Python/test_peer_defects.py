"""Defects of peers of this service, as a claim each; other files hold those of their calls."""

import concurrent.futures
import random
import threading

import grpc
import pytest
from people import People, codes, outcomes
from refusals import assert_invalid, refusal
from stubs import Relation
from test_friend_sync import Copy

AGREE_AND_ADD = "FRIEND_RESPONSE_TYPE_AGREE_AND_ADD"
NONE, MINE, THEIRS, BOTH_WAY = range(4)


@pytest.fixture
def app(relation):
    """An app that belongs to one test: `app(limits={"friends": 3})` returns its people."""

    def make(preset=1, **settings):
        made = relation("CreateApp", preset=preset, settings=settings).app
        return People(relation.in_app(made.app_id))

    return make


class Storm:
    """Runs a function over and over on other threads while a test writes; raises its failure."""

    def __init__(self, function, threads=2):
        self._function = function
        self._ended = threading.Event()
        self._pool = concurrent.futures.ThreadPoolExecutor(threads)
        self._runs = [self._pool.submit(self._run) for _ in range(threads)]

    def _run(self):
        count = 0
        # It runs at least once, so that a test that writes quickly is checked too.
        while count == 0 or not self._ended.is_set():
            self._function()
            count += 1
        return count

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._ended.set()
        self._pool.shutdown()
        for run in self._runs:
            assert run.result() > 0


# Blacklists and unknown users


def test_adding_the_blocked_and_the_unknown_never_answers_success(people):
    # Nakama answers success for both, and makes nothing.
    ann, bob, eve, joe = people(4)
    people.block(ann, bob)
    people.block(eve, ann)
    asked = [bob, eve, people.unknown_user(), joe]
    answer = people.relation(
        "AddFriends", user_id=ann, items=[{"user_id": user} for user in asked]
    )
    assert codes(answer) == [30515, 30525, 30003, 0]
    assert all(info for _, info in outcomes(answer)[:3])
    assert people.friend_ids(ann) == [joe]


def test_no_user_is_blocked_and_friend_however_blocking_and_accepting_cross(people):
    # Nakama #264: an acceptance beside a block left both.
    pairs = [people(2) for _ in range(12)]
    for ann, bob in pairs:
        people.apply(bob, ann)
    acts = []
    for ann, bob in pairs:
        acts.append(lambda ann=ann, bob=bob: people.block(ann, bob))
        acts.append(lambda ann=ann, bob=bob: people.respond(ann, bob, AGREE_AND_ADD))
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda act: act(), acts))
    for ann, bob in pairs:
        assert people.blacklist(ann) == [bob]
        assert people.are_friends(ann, bob) == (False, False)
        assert people.pendencies(ann) == people.pendencies(bob) == []


# Applications


def test_applying_after_the_friendship_ended_is_a_new_application_that_waits(people):
    # OpenIM-Electron #45 and OpenIM #681: the old answer was shown, and no user was told.
    ann, bob = people(2)
    ids = set()
    for _ in range(3):
        before = people.sequences(bob)[1]
        people.apply(ann, bob)
        (waiting,) = people.pendencies(bob)
        ids.add(waiting.application_id)
        assert waiting.status == 0
        assert people.sequences(bob)[1] > before
        assert people.respond(bob, ann, AGREE_AND_ADD) == (0, "")
        people.relation("DeleteFriends", user_id=ann, user_ids=[bob], delete_type=2)
    assert len(ids) == 3


def test_applications_answers_and_withdrawals_at_once_leave_counts_that_a_recount_makes(people):
    # Nakama #935: counters of waiting applications drifted under concurrent calls.
    ann, *others = people(9)
    people.need_confirm(ann)
    for user in others:
        people.need_confirm(user)
    numbers = random.Random(7)
    acts = [(numbers.randrange(5), user) for user in others * 12]

    def act(what):
        kind, user = what
        if kind < 2:
            people.add(user, ann)
        elif kind == 2:
            people.respond(ann, user, "FRIEND_RESPONSE_TYPE_REJECT")
        elif kind == 3:
            people.relation("WithdrawApplications", user_id=user, user_ids=[ann])
        else:
            people.relation("DeletePendencies", user_id=ann, user_ids=[user], pendency_type=1)

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(act, acts))
    page = people.relation("ListApplications", user_id=ann, statuses=[0])
    waiting = people.pendencies(ann)
    assert page.total_size == page.unread_count == len(page.applications) == len(waiting)
    for user in others:
        mine = people.relation("ListApplications", user_id=user, statuses=[0])
        assert mine.total_size == len(mine.applications)
    progress = list(people.relation.start("CheckIntegrity")(
        people.stubs.request("CheckIntegrity", {}), timeout=60))[-1].progress
    assert (progress.findings, progress.complete) == (0, True)


# Copies of lists


def test_a_delta_of_many_thousands_of_changes_comes_in_pages_and_never_as_a_full_reload(app):
    # OpenIM answers more than 200 changes with the whole list.
    people = app(limits={"friends": 6_000})
    users = people(6_001)
    owner, friends = users[0], users[1:]
    copy = Copy(people, owner)
    copy.sync()
    people.import_friends([{"user_id": owner, "friend_user_id": user} for user in friends])
    came, went = copy.sync(page_size=1000)
    assert (sorted(came), went, copy.resyncs) == (sorted(friends), [], 0)
    for start in range(0, 3_000, 1_000):
        gone = friends[start : start + 1_000]
        people.relation("DeleteFriends", user_id=owner, user_ids=gone)
    people.import_friends(
        [{"user_id": owner, "friend_user_id": user, "remark": "r"} for user in friends[3_000:]]
    )
    copy.pages = 0
    came, went = copy.sync(page_size=500)
    assert (sorted(came), sorted(went)) == (sorted(friends[3_000:]), sorted(friends[:3_000]))
    assert (copy.pages, copy.resyncs) == (12, 0)
    copy.assert_exact()


def test_a_list_and_its_sequence_are_one_after_a_crash(start, stubs):
    # OpenIM writes the version apart from the rows, so that a crash between the two loses a change.
    server = start("crash")
    with grpc.insecure_channel(server.address) as channel:
        people = People(Relation(stubs, channel))
        users = people(41)
        owner, friends = users[0], users[1:]
        copy = Copy(people, owner)
        copy.sync()
    kept = []
    for round_ in range(4):
        some = friends[10 * round_ : 10 * round_ + 10]
        with grpc.insecure_channel(server.address) as channel:
            people.relation = copy.people.relation = Relation(stubs, channel)
            with concurrent.futures.ThreadPoolExecutor(4) as pool:
                adds = [pool.submit(people.add, owner, user) for user in some]
                adds[2].result()
                server.kill()
            # Four adds run at once, so chance decides which others are answered before the kill.
            for user, add in zip(some, adds, strict=True):
                if error := add.exception():
                    assert isinstance(error, grpc.RpcError)
                else:
                    assert add.result()[0] == 0
                    kept.append(user)
        server = start("crash")
        with grpc.insecure_channel(server.address) as channel:
            people.relation = copy.people.relation = Relation(stubs, channel)
            copy.sync(page_size=3)
            copy.assert_exact()
            rows = people.friends(owner)
            # Each add that was answered is there; one whose answer was lost may be there too.
            assert set(kept) <= {row.user_id for row in rows}
            whole = people.relation("ListFriends", user_id=owner)
            # Each friend was added by a call of its own, and each sequence has its row.
            assert whole.sequence == max(row.sequence for row in rows) == len(rows)


# Names and profiles


def test_a_name_is_never_older_than_the_sequence_that_was_asked_for(people):
    # OpenIM: a cache was filled with the old list between the deletion of its key and the commit.
    ann, bob = people(2)
    people.befriend(ann, bob)
    written = {"number": 0, "sequence": 0}

    def read():
        least = dict(written)
        answer = people.relation(
            "ListFriends", user_id=ann, order="FRIEND_ORDER_DISPLAY_NAME", with_profiles=True,
            options={"min_sequence": {"user_id": bob, "sequence": least["sequence"]}},
        )  # fmt: skip
        (row,) = answer.friends
        assert int("0" + row.display_name.removeprefix(bob)) >= least["number"]
        assert int("0" + row.profile.nick) >= least["number"]
        found = people.relation("SearchFriends", user_id=ann, keyword=str(least["number"] or bob))
        assert found.total_size <= 1

    with Storm(read, threads=4):
        for number in range(1, 80):
            answer = people.set_profile(bob, nick=str(number))
            written.update(number=number, sequence=answer.sequence)


@pytest.mark.parametrize(
    "fields",
    [
        {"nick": "Bobby"},
        {"face_url": "https://f/2"},
        {"gender": 1},
        {"self_signature": b"hi"},
        {"custom": [{"key": "Extra", "text": "x"}]},
    ],
    ids=lambda fields: next(iter(fields)),
)
def test_who_lists_a_user_one_way_sees_every_field_that_changes(people, fields):
    # OpenIM told the users in the user's own list, and not those that list it, and left `ex` out.
    ann, bob = people(2)
    people.relation("DefineCustomFields", items=[{"owner": 1, "key": "Extra", "value_type": 1}])
    people.add(ann, bob, add_type="ADD_TYPE_SINGLE")
    known = people.relation("GetProfiles", user_id=ann, user_ids=[bob]).results[0].view_version
    if "custom" in fields:
        answer = people.relation(
            "UpdateProfile", user_id=bob,
            tags=[{"tag": "Tag_Profile_Custom_Extra", "text": "x"}],
        )  # fmt: skip
        assert answer.code == 0
    else:
        people.set_profile(bob, **fields)
    listed = people.relation("ListFriends", user_id=ann, with_profiles=True).friends[0].profile
    read = people.relation(
        "GetProfiles", user_id=ann, user_ids=[bob], known_versions={bob: known}
    ).results[0]
    assert not read.not_modified
    for profile in (listed, read.profile):
        (name, value), = fields.items()
        if name == "custom":
            assert [(item.key, item.text) for item in profile.custom] == [("Extra", "x")]
        else:
            assert getattr(profile, name) == value


# Limits


def test_a_limit_of_zero_is_none_at_all_and_never_without_end(app):
    # Wildfire #463: zero meant "without limit" to those who wrote it, and "never" to the server.
    people = app(limits={"friends": 0, "blacklisted_users": 0, "groups": 0, "pendencies": 0})
    ann, bob = people(2)
    assert people.add(ann, bob)[0] == 30010
    answer = people.relation("AddToBlacklist", user_id=ann, user_ids=[bob])
    assert codes(answer) == [30013]
    answer = people.relation("CreateFriendGroups", user_id=ann, names=["g"])
    assert codes(answer) == [30011]
    people.need_confirm(bob)
    assert people.add(ann, bob)[0] == 30012
    told = {
        limit.name: limit.value
        for limit in people.relation("GetLimits", user_id=ann).limits
    }
    for name in ("friends", "blacklisted_users", "groups"):
        assert told[f"limits.{name}"] == 0


def test_a_limit_that_would_mean_nothing_is_refused_by_its_name(relation):
    for name in ("group_name", "unique_id", "profiles_per_call"):
        refused = refusal(relation, "CreateApp", settings={"limits": {name: 0}})
        assert_invalid(refused, f"settings.limits.{name}")


# Pages and batches while others write


@pytest.mark.parametrize("direction", [1, 2])
@pytest.mark.parametrize("order", range(1, 6))
def test_pages_neither_repeat_nor_skip_while_writers_run(people, order, direction):
    # OpenIM and RongCloud page by offset, which repeats or skips rows as soon as one comes or goes.
    users = people(61)
    owner, friends = users[0], users[1:]
    stay, move = friends[0::2], friends[1::2]
    people.befriend(owner, *friends)
    numbers = random.Random(order)

    def write():
        other = numbers.choice(move)
        people.relation("DeleteFriends", user_id=owner, user_ids=[other])
        people.add(owner, other, add_type="ADD_TYPE_SINGLE")

    with Storm(write):
        for size in (1, 4, 7):
            pages = people.pages(
                "ListFriends", size, user_id=owner, order=order, direction=direction
            )
            seen = [friend.user_id for page in pages for friend in page.friends]
            still = [user for user in seen if user in set(stay)]
            assert still == (stay[::-1] if direction == 2 else stay)


def test_pages_of_a_blacklist_neither_repeat_nor_skip_while_writers_run(people):
    users = people(41)
    owner, others = users[0], users[1:]
    stay, move = others[0::2], others[1::2]
    people.block(owner, *others)

    def write():
        other = random.choice(move)
        people.relation("RemoveFromBlacklist", user_id=owner, user_ids=[other])
        people.relation("AddToBlacklist", user_id=owner, user_ids=[other])

    with Storm(write):
        for size in (1, 3, 8):
            pages = people.pages("ListBlacklist", size, user_id=owner)
            seen = [entry.user_id for page in pages for entry in page.entries]
            assert sorted(user for user in seen if user in set(stay)) == stay


@pytest.mark.parametrize("call", ["CheckFriends", "GetRelations"])
def test_a_batch_read_never_shows_half_a_pair(people, call):
    # TAO's authors count one half pair in about 1,500 reads of both sides.
    ann, *others = people(21)

    def read():
        answer = people.relation(call, user_id=ann, user_ids=others)
        assert {result.relation for result in answer.results} <= {NONE, BOTH_WAY}
        # One call made or removed all of them, so each moment shows all or none.
        assert len({result.relation for result in answer.results}) == 1

    friends = [{"user_id": user} for user in others]
    with Storm(read, threads=4):
        for _ in range(40):
            people.relation("AddFriends", user_id=ann, items=friends)
            people.relation("DeleteFriends", user_id=ann, user_ids=others, delete_type=2)


def test_a_card_never_shows_a_friend_who_is_blocked(people):
    ann, bob = people(2)

    def read():
        for mine, other in ((ann, bob), (bob, ann)):
            card = people.relation("GetRelations", user_id=mine, user_ids=[other]).results[0]
            is_blocked = card.blacklisted or card.blacklisted_by
            assert not (is_blocked and card.relation != NONE)
            assert card.HasField("friend_entry") == (card.relation in (MINE, BOTH_WAY))

    with Storm(read, threads=4):
        for _ in range(40):
            assert people.add(ann, bob)[0] == 0
            people.block(ann, bob)
            people.relation("RemoveFromBlacklist", user_id=ann, user_ids=[bob])
