"""Several apps in one server: nothing crosses from one to another. Also apps whose users need no
import."""

import grpc
import pytest
from people import People, codes, outcomes
from refusals import refusal

ANN, BOB, CAT, DAN, EVE = "ann", "bob", "cat", "dan", "eve"
EVERYBODY = [ANN, BOB, CAT, DAN, EVE]


@pytest.fixture
def two(relation):
    """People of two new apps that have the same users."""
    apps = [relation("CreateApp").app.app_id for _ in range(2)]
    both = [People(relation.in_app(app)) for app in apps]
    for people in both:
        people.make(EVERYBODY)
    return both


def fill(people):
    """Makes a row of every kind for the same users."""
    relation = people.relation
    fields = [{"owner": 1, "key": "Blood", "value_type": 1},
              {"owner": 2, "key": "Met", "value_type": 1}]  # fmt: skip
    assert codes(relation("DefineCustomFields", items=fields)) == [0, 0]
    people.set_profile(ANN, nick="Ann", unique_id="ann1", birthday=19900101)
    relation("SetVisibility", user_id=ANN, visibility=3)
    people.befriend(ANN, BOB, CAT)
    people.group(ANN, "g", BOB, CAT)
    people.block(ANN, DAN)
    people.apply(ANN, EVE)
    people.apply(DAN, BOB)
    people.respond(BOB, DAN, 2)
    item = {
        "user_id": BOB, "remark": "r", "custom": [{"key": "Met", "data": b"x"}],
        "update_mask": {"paths": ["remark", "custom"]},
    }  # fmt: skip
    assert codes(relation("UpdateFriends", user_id=ANN, items=[item])) == [0]
    relation("CreateCredential", scopes=["SCOPE_READ"])
    relation("RotateAppSecret", old_expire_time_ms=0)


def state(people):
    """Everything that reads tell about the users of an app."""
    relation = people.relation
    found = [
        relation("GetApp"), relation("ListCredentials"), relation("ListCustomFields"),
        relation("ListAccounts"), relation("CheckAccounts", user_ids=EVERYBODY),
    ]  # fmt: skip
    others = {"user_ids": EVERYBODY}
    for user in EVERYBODY:
        for name, fields in [
            ("GetSelfProfile", {}), ("GetVisibility", {}), ("GetProfiles", others),
            ("ListFriends", {}), ("CheckFriends", others), ("GetFriends", others),
            ("SyncFriends", {}), ("GetRelations", others), ("SuggestFriends", {}),
            ("ListPendencies", {}), ("ListApplications", {}), ("ListBlacklist", {}),
            ("CheckBlacklist", others), ("CanSend", others),
            ("GetFriendGroups", {"with_members": True}), ("GetLimits", {}),
            ("FindProfileByUniqueId", {"unique_id": "ann1"}),
        ]:  # fmt: skip
            found.append(relation(name, user_id=user, **fields))
    return [message.SerializeToString(deterministic=True) for message in found]


def test_what_one_app_writes_no_other_sees(two):
    here, there = two
    before = state(there)
    fill(here)
    filled = state(here)
    assert filled != before
    assert state(there) == before
    fill(there)
    assert state(here) == filled


def test_what_one_app_removes_every_other_keeps(relation, two):
    here, there = two
    fill(here)
    fill(there)
    before = state(there)
    for call, fields in [
        ("DeleteAllFriends", {"user_id": ANN}),
        ("DeleteFriendGroups", {"user_id": ANN, "names": ["g"]}),
        ("RemoveFromBlacklist", {"user_id": ANN, "user_ids": [DAN]}),
        ("WithdrawApplications", {"user_id": ANN, "user_ids": [EVE]}),
        ("RetireCustomField", {"owner": 1, "key": "Blood"}),
        ("DeleteAccounts", {"user_ids": [BOB]}),
        ("UpdateApp", {"name": "x"}),
    ]:
        assert here.relation(call, **fields).applied
    assert state(there) == before
    number = here.relation("GetApp").app.app_id
    relation("DeleteApp", app_id=number)
    assert state(there) == before


def test_an_account_is_one_of_its_app_only(two):
    here, there = two
    here.make(["only here"])
    for name, fields in [("ListFriends", {}), ("DeleteAllFriends", {}), ("GetLimits", {})]:
        refused = refusal(there.relation, name, user_id="only here", **fields)
        assert (refused.code, refused.reason) == (grpc.StatusCode.NOT_FOUND, "USER_NOT_FOUND")
    assert there.add(ANN, "only here")[0] == 30003
    answer = there.relation("AddToBlacklist", user_id=ANN, user_ids=["only here"])
    assert codes(answer) == [30003]


def test_a_unique_id_is_one_in_its_app_only(two):
    here, there = two
    here.set_profile(ANN, unique_id="same")
    there.set_profile(BOB, unique_id="same")
    for people, owner in ((here, ANN), (there, BOB)):
        found = people.relation("FindProfileByUniqueId", user_id=CAT, unique_id="same")
        assert found.profile.user_id == owner


def test_a_request_id_is_one_in_its_app_only(two):
    here, there = two
    fields = {"user_id": ANN, "items": [{"user_id": BOB}], "options": {"request_id": "same"}}
    for people in (here, there):
        answer = people.relation("AddFriends", **fields)
        assert (answer.applied, answer.replayed) == (True, False)
        assert people.are_friends(ANN, BOB) == (True, True)
    options = {"request_id": "settings"}
    for people in (here, there):
        assert not people.relation("UpdateApp", name="n", options=options).replayed


def test_a_deletion_and_a_credential_are_known_in_their_app_only(two):
    here, there = two
    (begun,) = here.relation("DeleteAccounts", user_ids=[EVE]).results
    refused = refusal(there.relation, "GetDeletion", deletion_id=begun.deletion_id)
    assert refused.code == grpc.StatusCode.NOT_FOUND
    made = here.relation("CreateCredential", scopes=["SCOPE_READ"]).credential
    refused = refusal(there.relation, "RevokeCredential", credential_id=made.credential_id)
    assert refused.reason == "CREDENTIAL_NOT_FOUND"


# Accounts made implicitly


@pytest.fixture
def open_house(relation):
    """People of a new app whose users need no import."""
    app = relation("CreateApp", settings={"makes_accounts_implicitly": True}).app
    return People(relation.in_app(app.app_id))


def exist(people, *users):
    answer = people.relation("CheckAccounts", user_ids=users)
    return [result.create_time_ms > 0 for result in answer.results]


def test_a_write_makes_accounts_of_all_whom_it_names(open_house):
    assert open_house.add(ANN, BOB) == (0, "")
    assert open_house.are_friends(ANN, BOB) == (True, True)
    assert exist(open_house, ANN, BOB, CAT) == [True, True, False]
    answer = open_house.relation("ListAccounts")
    assert [account.user_id for account in answer.accounts] == [ANN, BOB]


@pytest.mark.parametrize(
    "name, fields, code",
    [
        ("DeleteFriends", {"user_ids": [BOB]}, 31704),
        ("UpdateFriends",
         {"items": [{"user_id": BOB, "remark": "x", "update_mask": {"paths": ["remark"]}}]}, 30001),
        ("RespondToApplications", {"items": [{"user_id": BOB, "response_type": 0}]}, 30614),
        ("DeletePendencies", {"pendency_type": 1, "user_ids": [BOB]}, 30614),
        ("WithdrawApplications", {"user_ids": [BOB]}, 30614),
        ("AddToBlacklist", {"user_ids": [BOB]}, 0),
        ("RemoveFromBlacklist", {"user_ids": [BOB]}, 31503),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_whoever_a_write_names_is_an_account_from_then_on(open_house, name, fields, code):
    answer = open_house.relation(name, user_id=ANN, **fields)
    assert codes(answer) == [code]
    assert exist(open_house, ANN, BOB) == [True, True]


def test_an_acting_user_is_an_account_even_if_it_writes_of_no_other(open_house):
    open_house.relation("DeleteAllFriends", user_id=ANN)
    open_house.relation("SetVisibility", user_id=BOB, visibility=2)
    assert exist(open_house, ANN, BOB) == [True, True]


def test_an_import_of_friends_makes_both_sides(open_house):
    open_house.import_friends([{"user_id": ANN, "friend_user_id": BOB}])
    assert exist(open_house, ANN, BOB) == [True, True]


def test_what_is_taken_back_makes_no_account(open_house):
    fields = {"user_id": ANN, "items": [{"user_id": BOB}, {"user_id": ANN}]}
    answer = open_house.relation("AddFriends", options={"dry_run": True}, **fields)
    assert [code for code, _ in outcomes(answer)] == [0, 30001]
    answer = open_house.relation("AddFriends", options={"all_or_nothing": True}, **fields)
    assert [code for code, _ in outcomes(answer)] == [0, 30001]
    assert not answer.applied
    client = open_house.register_client("client")
    answer = open_house.relation(
        "GrantPermissions", user_id=ANN, client_app_id=client,
        names=["email", "unknown"], options={"all_or_nothing": True},
    )  # fmt: skip
    assert not answer.applied
    malformed = refusal(open_house.relation, "AddFriends", user_id=ANN, items=[])
    assert malformed.code == grpc.StatusCode.INVALID_ARGUMENT
    assert exist(open_house, ANN, BOB) == [False, False]
    assert open_house.relation("ListAccounts").accounts == []


def test_a_request_id_holds_for_who_was_made_by_its_call(open_house):
    fields = {"user_id": ANN, "items": [{"user_id": BOB}], "options": {"request_id": "one"}}
    first = open_house.relation("AddFriends", **fields)
    again = open_house.relation("AddFriends", **fields)
    assert (first.replayed, again.replayed) == (False, True)
    assert outcomes(again) == outcomes(first) == [(0, "")]


def test_a_read_takes_an_unknown_user_for_a_new_account_and_makes_it_none(open_house):
    relation = open_house.relation
    assert open_house.friends(ANN) == []
    assert open_house.pendencies(ANN) == []
    assert open_house.blacklist(ANN) == []
    assert open_house.groups(ANN) == {}
    assert open_house.profile(ANN).user_id == ANN
    assert relation("SyncFriends", user_id=ANN).sequence == 0
    for name in ("CheckFriends", "CheckBlacklist", "CanSend", "GetProfiles", "GetRelations"):
        assert codes(relation(name, user_id=ANN, user_ids=[BOB])) == [0], name
    assert relation("ListMutualFriends", user_id=ANN, other_user_id=BOB).code == 0
    assert exist(open_house, ANN, BOB) == [False, False]


def test_the_mode_holds_as_soon_as_it_is_set_and_no_longer(relation):
    people = People(relation.in_app(relation("CreateApp").app.app_id))
    refused = refusal(people.relation, "ListFriends", user_id=ANN)
    assert refused.reason == "USER_NOT_FOUND"
    mask = {"paths": ["makes_accounts_implicitly"]}
    people.relation("UpdateApp", settings={"makes_accounts_implicitly": True}, update_mask=mask)
    assert people.add(ANN, BOB)[0] == 0
    people.relation("UpdateApp", update_mask=mask)
    assert people.add(ANN, CAT)[0] == 30003
    assert people.friend_ids(ANN) == [BOB]
