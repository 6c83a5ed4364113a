"""More writes than fit: some are refused at once, and the others are done."""

import grpc
from people import People
from refusals import Refusal
from stubs import Relation
from test_integrity import check

OWNERS = 250
FRIENDS = 100


def test_writes_beyond_those_that_may_wait_are_refused_whole_and_another_app_goes_on(
    start, stubs
):
    server = start()
    with grpc.insecure_channel(server.address) as channel:
        relation = Relation(stubs, channel)
        people = People(relation)
        owners, friends = people(OWNERS), people(FRIENDS)
        relation("CreateApp", app_id=2)
        light = relation.in_app(2)
        ann, *others = People(light)(20)

        # One app may have half of the waiting operations: fewer than these calls have.
        call = relation.start("AddFriends")
        calls = [
            call.future(stubs.request("AddFriends", {
                "user_id": owner, "items": [{"user_id": friend} for friend in friends],
            }), timeout=60)
            for owner in owners
        ]  # fmt: skip
        # Each of these waits for one turn of the other app, whatever that has waiting.
        for other in others:
            added = light("AddFriends", user_id=ann, items=[{"user_id": other}], timeout=20)
            assert added.applied

        refused = []
        for owner, call in zip(owners, calls, strict=True):
            if call.code() == grpc.StatusCode.OK:
                expected = FRIENDS
            else:
                refusal = Refusal(call)
                stubs.answers.refusal("AddFriends", refusal)
                assert (refusal.code, refusal.reason) == (
                    grpc.StatusCode.RESOURCE_EXHAUSTED, "OVERLOADED",
                )  # fmt: skip
                assert refusal.retry_seconds > 0
                refused.append(owner)
                expected = 0
            assert relation("ListFriends", user_id=owner).total_size == expected
        assert 0 < len(refused) < OWNERS

        # Afterwards there is room again.
        assert people.add(refused[0], friends[0]) == (0, "")
        assert check(people)[0] == []
