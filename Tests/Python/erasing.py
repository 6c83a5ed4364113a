"""A user with every relation, with an id and texts that occur nowhere else, and its erasure."""

from people import codes
from watching import Watching

# The beginning of the id and of every text of the user that is erased.
MARK = "zq7"
RARE = f"{MARK}-id"
KEY = "a secret of the app"

# Every call that only reads and that another user may make, with what it needs.
READS = {
    "ListFriends": {}, "GetFriends": {"user_ids": [RARE]}, "CheckFriends": {"user_ids": [RARE]},
    "SyncFriends": {}, "GetFriendGroups": {}, "ListPendencies": {}, "ListApplications": {},
    "ListBlacklist": {}, "CheckBlacklist": {"user_ids": [RARE]}, "ListFollowing": {},
    "ListFollowers": {}, "ListMutualFollows": {}, "ListSubscriptions": {},
    "ListDismissedSuggestions": {}, "ListInvitations": {}, "SuggestFriends": {},
    "GetSequence": {}, "ListChanges": {},
}  # fmt: skip
# These repeat the id that the request has.
NAMING = {"GetFriends", "CheckFriends", "CheckBlacklist"}


def do(people, call, **fields):
    answer = people.relation(call, **fields)
    assert set(codes(answer)) <= {0}, (call, answer)
    return answer


def fill(people, others):
    """Gives a user of the rare id relations of each kind with the others; some have ended."""
    ann, bob, eve, joe, kim = others
    people.make([RARE], nick=f"{MARK} nick")
    people.befriend(RARE, ann, joe)
    do(people, "UpdateFriends", user_id=ann, items=[
        {"user_id": RARE, "remark": f"{MARK} remark", "update_mask": {"paths": ["remark"]}}])
    do(people, "CreateFriendGroups", user_id=ann, names=["team"], user_ids=[RARE])
    do(people, "DeleteFriends", user_id=joe, user_ids=[RARE], delete_type=2)
    people.block(eve, RARE)
    do(people, "RemoveFromBlacklist", user_id=eve, user_ids=[RARE])
    people.block(kim, RARE)
    people.relation(
        "UpdateProfile", user_id=bob, profile={"allow_type": 1},
        update_mask={"paths": ["allow_type"]})
    people.relation("AddFriends", user_id=RARE, items=[
        {"user_id": bob, "wording": f"{MARK} wording"}])
    people.respond(bob, RARE, 2)
    for one, other in ((ann, RARE), (RARE, ann), (joe, RARE)):
        do(people, "Follow", user_id=one, user_ids=[other])
    do(people, "Unfollow", user_id=joe, user_ids=[RARE])
    do(people, "DismissSuggestions", user_id=joe, user_ids=[RARE])
    for one, other in ((RARE, kim), (kim, RARE)):
        answer = people.relation(
            "ReportUser", user_id=one, reported_user_id=other, category=1, text=f"{MARK} report")
        assert answer.code == 0
    do(people, "CheckFollows", user_id=eve, user_ids=[RARE])
    do(people, "Follow", user_id=eve, user_ids=[RARE], options={"request_id": "kept"})


def erase(people, **fields):
    answer = people.relation(
        "DeleteAccounts", user_ids=[RARE], erase=True, end_sessions=True, erasure_key=KEY,
        options={"request_id": "erase"}, **fields)
    assert codes(answer) == [0]
    return people.await_deletion(answer.results[0].deletion_id)


def answers(relation, users):
    """What every read of the users answers, and all exports and streams, each with its name."""
    for user in users:
        for call, fields in READS.items():
            fields = {"user_id": user, "page_size": 500, **fields}
            fields = {name: value for name, value in fields.items()
                      if name in relation.stubs.request(call, {}).DESCRIPTOR.fields_by_name}
            answer = relation(call, **fields)
            if call in NAMING:
                for result in answer.results:
                    result.user_id = ""
            yield call, answer
        for row in relation.start("ExportUser")(
                relation.stubs.request("ExportUser", {"exported_user_id": user}), timeout=60,
                metadata=relation.metadata):
            yield "ExportUser", row
        yield from (("Watch", event) for event in Watching(relation, user_id=user).state())
    yield "ListReports", relation("ListReports")
    for hook in relation("ListHooks").hooks:
        yield "ListHookFailures", relation("ListHookFailures", hook_id=hook.hook_id)
    rows = relation.start("ExportApp")(
        relation.stubs.request("ExportApp", {}), timeout=60, metadata=relation.metadata)
    yield from (("ExportApp", row) for row in rows)
    yield from (("Watch", event) for event in Watching(relation, app=True).state())


def named(relation, users):
    return {call for call, answer in answers(relation, users) if MARK in str(answer)}
