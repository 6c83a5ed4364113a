"""The options of a write, `WriteOptions`, by writes of each kind.

`test_every_call` has rules for the options of every write and every read."""

import grpc
import pytest
from people import People, codes, outcomes
from refusals import assert_invalid, refusal
from stubs import Relation

# A write of each kind by the first user about the second; the first may be any user.
WRITES = {
    "AddFriends": lambda other: {"items": [{"user_id": other}]},
    "DeleteFriends": lambda other: {"user_ids": [other]},
    "DeleteAllFriends": lambda other: {"delete_type": 2},
    "UpdateFriends": lambda other: {
        "items": [{"user_id": other, "remark": "x", "update_mask": {"paths": ["remark"]}}]
    },
    "RespondToApplications": lambda other: {"items": [{"user_id": other, "response_type": 2}]},
    "DeletePendencies": lambda other: {"pendency_type": 1, "user_ids": [other]},
    "WithdrawApplications": lambda other: {"user_ids": [other]},
    "AddToBlacklist": lambda other: {"user_ids": [other]},
    "RemoveFromBlacklist": lambda other: {"user_ids": [other]},
    "DeleteFriendGroups": lambda other: {"names": ["old"]},
    "AddFriendsToGroup": lambda other: {"name": "new", "user_ids": [other]},
    "RemoveFriendsFromGroup": lambda other: {"name": "old", "user_ids": [other]},
    "RenameFriendGroup": lambda other: {"name": "old", "new_name": "older"},
    "Subscribe": lambda other: {"user_ids": [other], "expiry_seconds": 60},
    "Follow": lambda other: {"user_ids": [other]},
    "Unfollow": lambda other: {"user_ids": [other]},
    "UpdateProfile": lambda other: {
        "profile": {"nick": other}, "update_mask": {"paths": ["nick"]},
    },
}  # fmt: skip


@pytest.fixture
def ready(people):
    """Prepares two users so that a write of the given kind answers 0 and changes something."""

    def prepare(name):
        ann, bob = people(2)
        if name in ("DeleteFriends", "DeleteAllFriends", "UpdateFriends"):
            people.befriend(ann, bob)
        if name in ("RespondToApplications", "DeletePendencies"):
            people.apply(bob, ann)
        if name == "WithdrawApplications":
            people.apply(ann, bob)
        if name == "Unfollow":
            people.relation("Follow", user_id=ann, user_ids=[bob])
        if name == "RemoveFromBlacklist":
            people.block(ann, bob)
        if "Group" in name:
            people.befriend(ann, bob)
            people.group(ann, "new")
            people.group(ann, "old", bob)
        return ann, bob

    return prepare


def state(people, *users):
    """Everything that calls can tell about some users."""
    return [
        (
            people.sequences(user),
            people.friends(user),
            people.pendencies(user),
            people.blacklist(user),
            people.groups(user),
            people.profile(user),
            people.subscriptions(user),
            people.follows(user),
        )
        for user in users
    ]


def all_codes(answer):
    if hasattr(answer, "results"):
        return codes(answer)
    # A call without an outcome of its own was done.
    return [answer.result.code if hasattr(answer, "result") else getattr(answer, "code", 0)]


def changes(answer):
    """`changed` of each result, if the answer has results."""
    if hasattr(answer, "result"):
        return [answer.result.changed]
    return [result.changed for result in getattr(answer, "results", [])]


# request_id


@pytest.mark.parametrize("name", WRITES)
def test_a_repeated_request_has_the_first_answer_and_changes_nothing(people, ready, name):
    ann, bob = ready(name)
    fields = {"user_id": ann, "options": {"request_id": "r-1"}, **WRITES[name](bob)}
    first = people.relation(name, **fields)
    assert all_codes(first) == [0]
    assert (first.applied, first.replayed) == (True, False)
    after = state(people, ann, bob)
    again = people.relation(name, **fields)
    assert again.replayed
    again.replayed = False
    assert again == first
    assert state(people, ann, bob) == after


# DeleteAllFriends names no other user, and so has nothing to refuse.
@pytest.mark.parametrize("name", [name for name in WRITES if name != "DeleteAllFriends"])
def test_an_answer_that_refused_an_item_is_repeated_too(people, name):
    ann, bob = people(2)
    fields = WRITES[name](people.unknown_user())
    if name == "UpdateProfile":
        fields["profile"] = {"nick": "x" * 501}
    fields = {"user_id": ann, "options": {"request_id": "r-1"}, **fields}
    first = people.relation(name, **fields)
    assert all_codes(first) != [0] and not first.replayed
    again = people.relation(name, **fields)
    assert again.replayed and all_codes(again) == all_codes(first)


def test_the_first_answer_holds_though_the_world_has_changed(people):
    ann, bob = people(2)
    people.need_confirm(bob)
    fields = {"user_id": ann, "options": {"request_id": "r"}, **WRITES["AddFriends"](bob)}
    assert codes(people.relation("AddFriends", **fields)) == [30539]
    people.respond(bob, ann, 1)
    again = people.relation("AddFriends", **fields)
    assert (codes(again), again.replayed) == ([30539], True)
    people.relation("DeleteFriends", user_id=ann, user_ids=[bob], delete_type=2)
    assert people.relation("AddFriends", **fields).replayed
    assert people.are_friends(ann, bob) == (False, False)


@pytest.mark.parametrize(
    "change",
    [
        {"items": [{"user_id": "other"}]},
        {"add_type": 1},
        {"force": True},
        {"options": {"request_id": "r", "device_id": "pc"}},
    ],
    ids=["item", "type", "force", "option"],
)
def test_a_request_id_with_another_body_is_refused(people, change):
    ann, bob = people(2)
    fields = {"user_id": ann, "options": {"request_id": "r"}, **WRITES["AddFriends"](bob)}
    people.relation("AddFriends", **fields)
    refused = refusal(people.relation, "AddFriends", **{**fields, **change})
    assert_invalid(refused, "options.request_id", reason="REQUEST_ID_REUSED")


def test_a_request_id_with_another_call_is_refused(people):
    ann, bob = people(2)
    fields = {"user_id": ann, "options": {"request_id": "r"}, "user_ids": [bob]}
    people.relation("AddToBlacklist", **fields)
    refused = refusal(people.relation, "RemoveFromBlacklist", **fields)
    assert refused.reason == "REQUEST_ID_REUSED"
    assert people.blacklist(ann) == [bob]


def test_a_request_id_is_the_acting_users_own(people):
    ann, bob, eve = people(3)
    for user in (ann, bob):
        fields = {"user_id": user, "options": {"request_id": "r"}, "user_ids": [eve]}
        assert not people.relation("AddToBlacklist", **fields).replayed


def test_no_request_id_is_no_repetition(people):
    ann, bob = people(2)
    for expected in (0, 31307):
        answer = people.relation(
            "AddToBlacklist", user_id=ann, options={"request_id": ""}, user_ids=[bob]
        )
        assert (codes(answer), answer.replayed) == ([expected], False)


@pytest.mark.parametrize("request_id", ["x" * 64, "é" * 32, "\0", "a\0b", " "])
def test_a_request_id_is_any_text_of_64_bytes(people, request_id):
    ann, bob = people(2)
    fields = {"user_id": ann, "options": {"request_id": request_id}, "user_ids": [bob]}
    replayed = [people.relation("AddToBlacklist", **fields).replayed for _ in range(2)]
    assert replayed == [False, True]


def test_request_ids_that_only_look_the_same_are_two(people):
    ann, bob, eve = people(3)
    for request_id, user in (("caf\u00e9", bob), ("cafe\u0301", eve)):
        answer = people.relation(
            "AddToBlacklist", user_id=ann, options={"request_id": request_id}, user_ids=[user]
        )
        assert (codes(answer), answer.replayed) == ([0], False)


def test_a_call_that_failed_as_a_whole_is_not_kept(people):
    (bob,) = people(1)
    newcomer = people.unknown_user()
    fields = {"user_id": newcomer, "options": {"request_id": "r"}, "user_ids": [bob]}
    assert refusal(people.relation, "AddToBlacklist", **fields).reason == "USER_NOT_FOUND"
    people.make([newcomer])
    assert not people.relation("AddToBlacklist", **fields).replayed


def test_one_request_sent_1000_times_at_once_is_done_once(people):
    ann, bob = people(2)
    request = people.stubs.request(
        "AddToBlacklist",
        {"user_id": ann, "options": {"request_id": "r"}, "user_ids": [bob]},
    )
    send = people.relation.start("AddToBlacklist")
    sent = [send.future(request, timeout=60) for _ in range(1000)]
    answers = [call.result() for call in sent]
    assert [answer.replayed for answer in answers].count(False) == 1
    for answer in answers:
        answer.replayed = False
    assert all(answer == answers[0] for answer in answers)
    assert codes(answers[0]) == [0]
    assert people.sequences(ann)[2] == 1


def test_a_repeated_request_is_known_after_a_restart(start, stubs):
    answers = []
    for _ in range(2):
        running = start("kept")
        with grpc.insecure_channel(running.address) as channel:
            relation = Relation(stubs, channel)
            People(relation).imported(
                "ImportAccounts", [{"row": {"user_id": user}} for user in ("ann", "bob")]
            )
            answers.append(
                relation(
                    "AddFriends",
                    user_id="ann",
                    options={"request_id": "r"},
                    items=[{"user_id": "bob"}],
                )
            )
        assert running.stop() == 0
    assert [answer.replayed for answer in answers] == [False, True]
    answers[1].replayed = False
    assert answers[0] == answers[1]


# dry_run


@pytest.mark.parametrize("name", WRITES)
def test_a_dry_run_answers_what_would_be_and_writes_nothing(people, ready, name):
    ann, bob = ready(name)
    before = state(people, ann, bob)
    sequence = people.relation("GetSequence", user_id=ann).sequence
    fields = WRITES[name](bob)
    dry = people.relation(name, user_id=ann, options={"dry_run": True}, **fields)
    assert all_codes(dry) == [0]
    assert (dry.applied, dry.replayed, any(changes(dry))) == (False, False, False)
    assert dry.sequence == sequence
    assert state(people, ann, bob) == before
    real = people.relation(name, user_id=ann, **fields)
    assert real.applied and all(changes(real)) and real.sequence > dry.sequence
    assert all_codes(real) == [0]
    assert state(people, ann, bob) != before


def test_a_dry_run_sees_the_items_before_it(people):
    ann, bob = people(2)
    people.import_friends([{"user_id": ann, "friend_user_id": bob}])
    item = {"user_id": bob, "update_mask": {"paths": ["groups"]}}
    for number in range(32):
        people.relation("UpdateFriends", user_id=ann, items=[{**item, "groups": [f"g{number}"]}])
    # There is no room for the 33rd group, in the dry run as in the real call.
    fields = {"user_id": ann, "items": [{**item, "groups": ["one more"]}]}
    dry = people.relation("UpdateFriends", options={"dry_run": True}, **fields)
    assert outcomes(dry) == outcomes(people.relation("UpdateFriends", **fields))
    assert codes(dry) == [30011]


def test_a_dry_run_makes_no_account(people):
    newcomer = people.unknown_user()
    answer = people.relation(
        "UpdateProfile",
        user_id=newcomer,
        options={"dry_run": True},
        profile={"nick": "x"},
        update_mask={"paths": ["nick"]},
    )
    assert (answer.code, answer.applied) == (0, False)
    refused = refusal(people.relation, "GetSelfProfile", user_id=newcomer)
    assert refused.code == grpc.StatusCode.NOT_FOUND


# all_or_nothing


def test_one_refused_item_holds_all_back(people):
    ann, bob, eve, joe = people(4)
    people.need_confirm(eve)
    people.deny_any(joe)
    before = state(people, ann, bob, eve)
    answer = people.relation(
        "AddFriends",
        user_id=ann,
        options={"all_or_nothing": True},
        items=[{"user_id": user} for user in (bob, eve, joe, people.unknown_user(), "")],
    )
    assert codes(answer) == [0, 30539, 30516, 30003, 30001]
    assert not answer.applied and not any(changes(answer))
    assert answer.sequence == 0
    assert state(people, ann, bob, eve) == before


def test_a_waiting_application_holds_nothing_back(people):
    ann, bob, eve = people(3)
    people.need_confirm(eve)
    answer = people.relation(
        "AddFriends",
        user_id=ann,
        options={"all_or_nothing": True},
        items=[{"user_id": bob}, {"user_id": eve}],
    )
    assert (codes(answer), changes(answer), answer.applied) == ([0, 30539], [True, True], True)
    assert people.friend_ids(ann) == [bob]
    assert people.outgoing(ann) == [eve]


def test_items_that_pass_a_limit_together_answer_it_each(people):
    ann, bob, eve = people(3)
    people.befriend(ann, bob, eve)
    friend = {"user_id": bob, "update_mask": {"paths": ["groups"]}}
    for number in range(31):
        people.relation("UpdateFriends", user_id=ann, items=[{**friend, "groups": [f"g{number}"]}])
    items = [
        {**friend, "groups": ["new"]},
        {**friend, "user_id": eve, "groups": ["newer"]},
    ]
    # Together the second item passes the limit of 32 groups; alone, either has room. The third gets
    # the answer that it would get alone.
    alone = people.relation(
        "UpdateFriends",
        user_id=ann,
        options={"all_or_nothing": True},
        items=[*items, {**friend, "user_id": people.unknown_user()}],
    )
    assert (codes(alone), alone.applied) == ([30011, 30011, 30003], False)
    together = people.relation("UpdateFriends", user_id=ann, items=items)
    assert (codes(together), changes(together)) == ([0, 30011], [True, False])
    assert together.applied


@pytest.mark.parametrize("name", [name for name in WRITES if name != "UpdateProfile"])
def test_all_or_nothing_applies_when_all_is_well(people, ready, name):
    ann, bob = ready(name)
    before = state(people, ann)
    answer = people.relation(
        name, user_id=ann, options={"all_or_nothing": True}, **WRITES[name](bob)
    )
    assert (all_codes(answer), answer.applied) == ([0], True)
    assert state(people, ann) != before


def test_an_answer_that_was_held_back_is_kept_under_its_request_id(people):
    ann, bob = people(2)
    fields = {
        "user_id": ann,
        "options": {"request_id": "r", "all_or_nothing": True},
        "user_ids": [bob, people.unknown_user()],
    }
    first = people.relation("AddToBlacklist", **fields)
    again = people.relation("AddToBlacklist", **fields)
    assert (first.applied, first.replayed) == (False, False)
    assert (again.applied, again.replayed) == (False, True)


# expected_sequence


LISTS = {
    "Pendenc": "pendencies_sequence", "Applications": "pendencies_sequence",
    "Blacklist": "blacklist_sequence", "Group": "groups_sequence",
    "ubscribe": "subscriptions_sequence", "ollow": "following_sequence", "Profile": "sequence", "Friends": "friends_sequence",
}  # fmt: skip


def last_change(people, name, user):
    """The sequence of the last change of the list that a call writes."""
    field = next(field for part, field in LISTS.items() if part in name)
    return getattr(people.relation("GetSequence", user_id=user), field)


@pytest.mark.parametrize("name", WRITES)
def test_a_write_that_expects_another_sequence_changes_nothing(people, ready, name):
    ann, bob = ready(name)
    fields = WRITES[name](bob)
    last = last_change(people, name, ann)
    before = state(people, ann, bob)
    present = people.relation("GetSequence", user_id=ann).sequence
    for sequence in {last - 1, present + 1, 2**62} - {-1}:
        for more in ({}, {"dry_run": True}, {"all_or_nothing": True}, {"request_id": "r"}):
            options = {"expected_sequence": sequence, **more}
            refused = refusal(people.relation, name, user_id=ann, options=options, **fields)
            assert (refused.code, refused.reason) == (grpc.StatusCode.ABORTED, "SEQUENCE_STALE")
            assert refused.metadata == {"sequence": str(last)}
    assert state(people, ann, bob) == before
    # A refusal is not kept under the request's id.
    options = {"expected_sequence": last, "request_id": "r"}
    done = people.relation(name, user_id=ann, options=options, **fields)
    assert done.applied and not done.replayed
    assert people.relation(name, user_id=ann, options=options, **fields).replayed
    options["request_id"] = "s"
    refused = refusal(people.relation, name, user_id=ann, options=options, **fields)
    assert refused.reason == "SEQUENCE_STALE"
    options["expected_sequence"] = done.sequence
    people.relation(name, user_id=ann, options=options, **fields)


def test_an_expected_sequence_is_not_negative(people):
    ann, bob = people(2)
    fields = {"user_id": ann, "user_ids": [bob], "options": {"expected_sequence": -1}}
    assert_invalid(refusal(people.relation, "DeleteFriends", **fields), "options.expected_sequence")


# device_id and the lengths


@pytest.mark.parametrize("name", WRITES)
def test_texts_of_the_options_have_64_bytes_at_most(people, name):
    ann, bob = people(2)
    long = {"request_id": "x" * 65, "device_id": "é" * 33}
    refused = refusal(people.relation, name, user_id=ann, options=long, **WRITES[name](bob))
    assert_invalid(refused, "options.request_id", "options.device_id")
    fits = {"request_id": "x" * 64, "device_id": "é" * 32}
    people.relation(name, user_id=ann, options=fits, **WRITES[name](bob))
