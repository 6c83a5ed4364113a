"""AppService: apps made, changed and deleted at run time, their credentials, secrets and fields."""

import grpc
import pytest
from people import People, codes, outcomes
from refusals import Refusal, assert_invalid, refusal

PROFILE, FRIEND = 1, 2
STRING, BYTES, UINT64 = 1, 2, 3
ILLEGAL = "Err_App_CustomField_"


@pytest.fixture
def made(relation):
    """Makes an app for a test: its number and a client of it."""

    def make(**fields):
        app = relation("CreateApp", **fields).app
        return app.app_id, relation.in_app(app.app_id)

    return make


def assert_status(refused, code, reason, **metadata):
    assert (refused.code, refused.reason) == (code, reason), refused
    assert refused.domain == "relation.v1"
    for name, value in metadata.items():
        assert refused.metadata[name] == value


def limits(relation, user):
    answer = relation("GetLimits", user_id=user)
    return {limit.name: limit for limit in answer.limits}


# CreateApp, GetApp, ListApps


def test_an_app_is_made_with_what_its_preset_says(relation):
    tim = relation("CreateApp", name="one").app
    rong = relation("CreateApp", preset="APP_PRESET_RONGCLOUD").app
    assert (tim.name, tim.preset, tim.state, tim.version) == ("one", 1, 1, 1)
    assert rong.preset == 2
    assert tim.app_id != rong.app_id
    assert tim.create_time_ms > 0
    assert tim.settings.limits.friends == 3000
    assert (tim.settings.limits.nick, rong.settings.limits.nick) == (500, 32)
    assert (tim.settings.default_visibility, rong.settings.default_visibility) == (2, 1)
    assert (tim.settings.application_lifetime_ms, rong.settings.application_lifetime_ms) == (
        0, 7 * 86_400_000,
    )  # fmt: skip
    assert list(tim.changed_settings) == []
    assert relation.in_app(tim.app_id)("GetApp").app == tim


def test_a_number_that_is_asked_for_is_given_once(relation):
    assert relation("CreateApp", app_id=4_000_000).app.app_id == 4_000_000
    refused = refusal(relation, "CreateApp", app_id=4_000_000)
    assert_status(refused, grpc.StatusCode.ALREADY_EXISTS, "APP_EXISTS")


def test_a_dry_run_makes_no_app(relation):
    before = relation("ListApps").total_size
    answer = relation("CreateApp", app_id=4_000_001, options={"dry_run": True})
    assert (answer.applied, answer.app.app_id) == (False, 4_000_001)
    assert relation("ListApps").total_size == before
    refused = refusal(relation, "GetApp", app_id=4_000_001)
    assert_status(refused, grpc.StatusCode.NOT_FOUND, "APP_NOT_FOUND")


def test_every_bad_setting_of_a_new_app_is_named(relation):
    refused = refusal(
        relation, "CreateApp", name="x" * 129, preset=7,
        settings={
            "limits": {"friends": 10_001, "group_name": 0, "wording": 257},
            "default_visibility": 0, "default_allow_type": 3, "applications_per_day": 100_001,
            "application_lifetime_ms": -1, "profile_cache_seconds": 2_592_001,
            "log_lifetime_ms": 59_999, "log_events": 0,
            "applications_received_per_day": 100_001,
            "application_cooldown_ms": 90 * 86_400_000 + 1,
            "new_account_quarantine_ms": 365 * 86_400_000 + 1, "default_findability": 0,
            "applications_window_ms": 59_999,
            "applications_received_window_ms": 90 * 86_400_000 + 1,
            "reports_window_ms": 59_999, "contact_lookups_window_ms": 90 * 86_400_000 + 1,
            "tim_administrators": {"values": [f"a{i}" for i in range(11)]},
            "reviewed_fields": {"shown": {"values": ["level"]}},
            "reviewed_friend_fields": {"values": ["nick"]},
            "forbidden_words": {"values": ["ok", "x" * 65]},
        },
    )  # fmt: skip
    assert_invalid(
        refused, "name", "preset", "settings.limits.friends", "settings.limits.group_name",
        "settings.limits.wording", "settings.default_visibility", "settings.default_allow_type",
        "settings.applications_per_day", "settings.application_lifetime_ms",
        "settings.forbidden_words", "settings.profile_cache_seconds", "settings.log_lifetime_ms",
        "settings.log_events", "settings.applications_received_per_day",
        "settings.application_cooldown_ms", "settings.new_account_quarantine_ms",
        "settings.default_findability",
        "settings.tim_administrators", "settings.reviewed_fields.shown",
        "settings.reviewed_friend_fields", "settings.applications_window_ms",
        "settings.applications_received_window_ms", "settings.reports_window_ms",
        "settings.contact_lookups_window_ms",
    )  # fmt: skip


def test_pages_of_apps_make_the_whole_list_in_order(relation, made):
    for _ in range(3):
        made()
    whole = [app.app_id for app in relation("ListApps", page_size=1000).apps]
    assert whole == sorted(whole)
    assert whole[0] == 1
    token, found = "", []
    while True:
        page = relation("ListApps", page_size=2, page_token=token)
        assert page.total_size == len(whole)
        found += [app.app_id for app in page.apps]
        token = page.next_page_token
        if not token:
            break
    assert found == whole


# UpdateApp


def test_a_setting_holds_for_the_next_call(made):
    _, relation = made()
    people = People(relation)
    users = people(4)
    people.befriend(users[0], *users[1:3])
    answer = relation(
        "UpdateApp", settings={"limits": {"friends": 2}}, update_mask={"paths": ["limits.friends"]}
    )
    assert (answer.applied, answer.app.version) == (True, 2)
    assert list(answer.app.changed_settings) == ["limits.friends"]
    assert people.add(users[0], users[3])[0] == 30010
    assert limits(relation, users[0])["limits.friends"].value == 2


def test_a_limit_below_what_there_is_takes_nothing_away(made):
    _, relation = made()
    people = People(relation)
    users = people(4)
    people.befriend(users[0], *users[1:])
    relation(
        "UpdateApp", settings={"limits": {"friends": 1}}, update_mask={"paths": ["limits.friends"]}
    )
    assert people.friend_ids(users[0]) == users[1:]
    relation("UpdateApp", update_mask={"paths": ["limits.friends"]})
    assert relation("GetApp").app.settings.limits.friends == 3000
    assert list(relation("GetApp").app.changed_settings) == []


def test_a_setting_that_the_mask_does_not_name_stays(made):
    _, relation = made(settings={"log_events": 7})
    relation(
        "UpdateApp", name="new", settings={"log_events": 9, "profile_cache_seconds": 5},
        update_mask={"paths": ["profile_cache_seconds"]},
    )  # fmt: skip
    app = relation("GetApp").app
    assert (app.name, app.settings.log_events, app.settings.profile_cache_seconds) == ("new", 7, 5)


def test_forbidden_words_hold_whatever_their_case(made):
    _, relation = made(settings={"forbidden_words": {"values": ["BadWord"]}})
    people = People(relation)
    ann, bob = people(2)
    assert people.add(ann, bob, wording="a baDWORd here")[0] == 30005
    assert people.add(ann, bob, wording="a good one")[0] == 0


def test_a_stale_version_is_aborted_and_told_the_present_one(made):
    _, relation = made()
    relation("UpdateApp", name="x", expected_version=1)
    refused = refusal(relation, "UpdateApp", name="y", expected_version=1)
    assert_status(refused, grpc.StatusCode.ABORTED, "VERSION_STALE", version="2")
    assert relation("GetApp").app.name == "x"


def test_a_change_that_changes_nothing_keeps_the_version(made):
    _, relation = made(name="x")
    assert relation("UpdateApp", name="x").app.version == 1


def test_a_path_that_is_no_setting_and_a_change_of_nothing_are_invalid(made):
    _, relation = made()
    assert_invalid(refusal(relation, "UpdateApp"), "settings")
    for path in ["limits", "limits.", "friends", "limits.friends.x", "LOG_EVENTS", ""]:
        refused = refusal(relation, "UpdateApp", update_mask={"paths": [path]})
        assert_invalid(refused, "update_mask")


# DeleteApp


def test_a_deleted_app_is_gone_for_every_call_and_its_number_comes_back_empty(relation, made):
    number, doomed = made()
    people = People(doomed)
    users = people(300)
    people.befriend(users[0], *users[1:])
    doomed("CreateCredential", scopes=["SCOPE_READ"])
    answer = relation("DeleteApp", app_id=number)
    assert (answer.applied, answer.app.state) == (True, 2)
    for name in ("ListFriends", "GetApp", "DeleteAllFriends", "UpdateApp", "GetLimits"):
        fields = {} if name.endswith("App") else {"user_id": users[0]}
        if name == "UpdateApp":
            fields = {"name": "x"}
        refused = refusal(doomed, name, **fields)
        assert_status(refused, grpc.StatusCode.NOT_FOUND, "APP_NOT_FOUND")
    while True:
        try:
            app = relation("GetApp", app_id=number).app
        except grpc.RpcError as error:
            assert error.code() == grpc.StatusCode.NOT_FOUND
            break
        assert app.state == 2
        assert app.deletion.start_time_ms > 0
    assert number not in [app.app_id for app in relation("ListApps", page_size=1000).apps]
    refused = refusal(relation, "DeleteApp", app_id=number)
    assert_status(refused, grpc.StatusCode.NOT_FOUND, "APP_NOT_FOUND")
    relation("CreateApp", app_id=number)
    again = relation.in_app(number)
    assert not again("ListCredentials").credentials
    refused = refusal(again, "ListFriends", user_id=users[0])
    assert_status(refused, grpc.StatusCode.NOT_FOUND, "USER_NOT_FOUND")


def test_a_number_is_taken_until_the_last_row_of_its_app_is_gone(relation, made):
    number, doomed = made(name="doomed")
    people = People(doomed)
    users = people(3000)
    people.befriend(users[0], *users[1:])
    refused = refusal(relation, "CreateApp", app_id=number)
    assert_status(refused, grpc.StatusCode.ALREADY_EXISTS, "APP_EXISTS")
    assert relation("DeleteApp", app_id=number).applied
    refused = refusal(relation, "CreateApp", app_id=number)
    assert_status(refused, grpc.StatusCode.FAILED_PRECONDITION, "APP_BEING_DELETED")
    again = relation("DeleteApp", app_id=number)
    assert (again.applied, again.app.name, again.app.state) == (False, "doomed", 2)
    rows = [again.app.deletion.removed_rows]
    while True:
        try:
            app = relation("CreateApp", app_id=number, name="new").app
            break
        except grpc.RpcError as error:
            assert Refusal(error).reason == "APP_BEING_DELETED"
        found = [app for app in relation("ListApps", page_size=1000).apps if app.app_id == number]
        rows += [app.deletion.removed_rows for app in found]
    assert rows == sorted(rows)
    assert (app.name, app.state, app.HasField("deletion")) == ("new", 1, False)
    assert relation.in_app(number)("ListAccounts").total_size == 0


def test_a_server_has_ten_thousand_apps(stubs, start):
    from stubs import Relation

    with grpc.insecure_channel(start("many").address) as channel:
        relation = Relation(stubs, channel)
        request = stubs.request("CreateApp", {})
        answered = []
        for _ in range(50):
            calls = [relation.start("CreateApp").future(request) for _ in range(200)]
            answered += [call.code() for call in calls]
        # The first app was there.
        assert answered == [grpc.StatusCode.OK] * 9_999 + [grpc.StatusCode.RESOURCE_EXHAUSTED]
        refused = refusal(relation, "CreateApp")
        assert_status(refused, grpc.StatusCode.RESOURCE_EXHAUSTED, "TOO_MANY_APPS", limit="10000")


def test_an_app_to_delete_is_named(relation):
    assert_invalid(refusal(relation, "DeleteApp"), "app_id")


def test_apps_with_all_that_is_theirs_outlive_a_restart(stubs, start):
    from stubs import Relation

    def client(server):
        channel = grpc.insecure_channel(server.address)
        return channel, Relation(stubs, channel)

    server = start("kept")
    channel, relation = client(server)
    with channel:
        app = relation("CreateApp", name="kept", settings={"limits": {"friends": 1}}).app
        inner = relation.in_app(app.app_id)
        field = {"owner": FRIEND, "key": "Met", "value_type": STRING, "admin_reads": True}
        assert codes(inner("DefineCustomFields", items=[field])) == [0]
        made = inner("CreateCredential", scopes=["SCOPE_READ"]).credential
        inner("RotateAppSecret", old_expire_time_ms=0)
        before = inner("GetApp").app
    assert server.stop() == 0
    server = start("kept")
    channel, relation = client(server)
    with channel:
        inner = relation.in_app(app.app_id)
        assert inner("GetApp").app == before
        assert list(inner("ListCredentials").credentials) == [made]
        (found,) = inner("ListCustomFields").fields
        assert (found.owner, found.key, found.value_type) == (FRIEND, "Met", STRING)
        assert (found.admin_reads, found.admin_writes) == (True, False)
        assert relation("CreateApp").app.app_id != app.app_id


# Credentials


def test_a_key_is_answered_once_and_never_listed(made):
    number, relation = made()
    options = {"request_id": "key"}
    fields = {"name": "a backend", "scopes": ["SCOPE_WRITE", "SCOPE_READ"], "options": options}
    first = relation("CreateCredential", **fields)
    again = relation("CreateCredential", **fields)
    assert (again.replayed, again.key, again.credential) == (True, "", first.credential)
    app, public, secret = first.key.split(".")
    assert (app, public) == (str(number), first.credential.credential_id)
    assert len(secret) == 64
    listed = relation("ListCredentials")
    assert list(listed.credentials) == [first.credential]
    assert secret.encode() not in listed.SerializeToString()
    assert sorted(first.credential.scopes) == [1, 2]


def test_a_dry_run_makes_no_key(made):
    _, relation = made()
    answer = relation("CreateCredential", scopes=["SCOPE_READ"], options={"dry_run": True})
    assert (answer.applied, answer.key) == (False, "")
    assert not relation("ListCredentials").credentials


@pytest.mark.parametrize("scopes", [[], [0], [5], [1, 1], [9], [1, 5]])
def test_a_credential_has_one_to_four_scopes_of_an_app(made, scopes):
    _, relation = made()
    assert_invalid(refusal(relation, "CreateCredential", scopes=scopes), "scopes")


def test_a_credential_does_not_end_in_the_past(made):
    _, relation = made()
    for end in (-1, 1):
        refused = refusal(relation, "CreateCredential", scopes=[1], expire_time_ms=end)
        assert_invalid(refused, "expire_time_ms")


def test_an_app_has_a_hundred_credentials_and_room_again_after_one_is_revoked(made):
    _, relation = made()
    ids = [
        relation("CreateCredential", scopes=[1]).credential.credential_id for _ in range(100)
    ]
    refused = refusal(relation, "CreateCredential", scopes=[1])
    assert_status(
        refused, grpc.StatusCode.RESOURCE_EXHAUSTED, "TOO_MANY_CREDENTIALS", limit="100"
    )
    assert relation("RevokeCredential", credential_id=ids[7]).applied
    refused = refusal(relation, "RevokeCredential", credential_id=ids[7])
    assert_status(refused, grpc.StatusCode.NOT_FOUND, "CREDENTIAL_NOT_FOUND")
    listed = [item.credential_id for item in relation("ListCredentials").credentials]
    assert listed == sorted(set(ids) - {ids[7]})
    assert relation("CreateCredential", scopes=[1]).applied


def test_a_secret_is_answered_once_and_the_one_before_stays_as_long_as_stated(made):
    _, relation = made()
    first = relation("RotateAppSecret", old_expire_time_ms=0)
    assert len(first.secret) == 64
    assert [secret.expire_time_ms for secret in first.secrets] == [0]
    created = first.secrets[0].create_time_ms
    later = created + 86_400_000
    second = relation("RotateAppSecret", old_expire_time_ms=later, options={"request_id": "r"})
    assert second.secret != first.secret
    assert [secret.expire_time_ms for secret in second.secrets] == [0, later]
    again = relation("RotateAppSecret", old_expire_time_ms=later, options={"request_id": "r"})
    assert (again.replayed, again.secret) == (True, "")
    app = relation("GetApp").app
    assert list(app.secrets) == list(second.secrets)
    assert first.secret.encode() not in app.SerializeToString()
    assert len(relation("RotateAppSecret", old_expire_time_ms=0).secrets) == 1


def test_an_old_secret_stays_at_most_thirty_days(made):
    _, relation = made()
    now = relation("RotateAppSecret", old_expire_time_ms=0).secrets[0].create_time_ms
    for until in (-1, now + 31 * 86_400_000):
        refused = refusal(relation, "RotateAppSecret", old_expire_time_ms=until)
        assert_invalid(refused, "old_expire_time_ms")
    # No time is not a zero, which would end the present secret at once.
    assert_invalid(refusal(relation, "RotateAppSecret"), "old_expire_time_ms")
    assert len(relation("GetApp").app.secrets) == 1


# Custom fields


def define(relation, *fields, **more):
    names = ("owner", "key", "value_type")
    made = [dict(zip(names, field)) for field in fields]
    return outcomes(relation("DefineCustomFields", items=made, **more))


def test_each_malformed_field_fails_alone(made):
    _, relation = made()
    answer = define(
        relation, (PROFILE, "Blood", STRING), (0, "x", STRING), (3, "x", STRING),
        (PROFILE, "", STRING), (PROFILE, "x" * 9, STRING), (PROFILE, "a1", STRING),
        (PROFILE, "a_b", STRING), (PROFILE, "é", STRING), (PROFILE, "x", 0), (PROFILE, "x", 4),
        (FRIEND, "Blood", UINT64), (PROFILE, "Blood", STRING), (PROFILE, "Blood", BYTES),
    )  # fmt: skip
    assert answer == [
        (0, ""), (30001, ILLEGAL + "Owner_Illegal"), (30001, ILLEGAL + "Owner_Illegal"),
        *[(30001, ILLEGAL + "Key_Illegal")] * 5,
        (30001, ILLEGAL + "Type_Illegal"), (30001, ILLEGAL + "Duplicate"),
        (0, ""), (0, ""), (30001, ILLEGAL + "Duplicate"),
    ]  # fmt: skip
    fields = relation("ListCustomFields").fields
    listed = [(field.owner, field.key, field.value_type) for field in fields]
    assert listed == [(PROFILE, "Blood", STRING), (FRIEND, "Blood", UINT64)]
    (one,) = relation("ListCustomFields", owner=FRIEND).fields
    assert one.owner == FRIEND


def test_keys_of_rongcloud_have_digits_and_underscores(made):
    _, relation = made(preset="APP_PRESET_RONGCLOUD")
    assert define(relation, (PROFILE, "a_1" + "x" * 29, STRING)) == [(0, "")]
    illegal = (30001, ILLEGAL + "Key_Illegal")
    assert define(relation, (PROFILE, "x" * 33, STRING), (PROFILE, "a-b", STRING)) == [illegal] * 2


def letters(number):
    return "k" + chr(ord("a") + number // 26) + chr(ord("a") + number % 26)


@pytest.mark.parametrize("owner, name", [(PROFILE, "profile_keys"), (FRIEND, "friend_keys")])
def test_an_app_has_twenty_fields_of_each_kind(made, owner, name):
    _, relation = made()
    (ann,) = People(relation)(1)
    answer = define(relation, *[(owner, letters(number), STRING) for number in range(21)])
    assert answer == [(0, "")] * 20 + [(30001, ILLEGAL + "Num_Exceed_Threshold")]
    use = limits(relation, ann)["limits." + name]
    assert (use.value, use.in_use) == (20, 20)
    assert relation("RetireCustomField", owner=owner, key=letters(3)).result.code == 0
    assert define(relation, (owner, letters(20), STRING)) == [(0, "")]
    back = define(relation, (owner, letters(3), STRING))
    assert back == [(30001, ILLEGAL + "Num_Exceed_Threshold")]


def test_a_field_keeps_its_type_even_when_it_was_retired(made):
    _, relation = made()
    define(relation, (PROFILE, "Blood", STRING))
    differs = [(30001, ILLEGAL + "Type_Differs")]
    assert define(relation, (PROFILE, "Blood", UINT64)) == differs
    relation("RetireCustomField", owner=PROFILE, key="Blood")
    assert define(relation, (PROFILE, "Blood", UINT64)) == differs
    assert not relation("ListCustomFields").fields
    (old,) = relation("ListCustomFields", with_retired=True).fields
    assert old.retired
    assert define(relation, (PROFILE, "Blood", STRING)) == [(0, "")]


def test_what_is_no_field_cannot_be_retired(made):
    _, relation = made()
    define(relation, (PROFILE, "Blood", STRING))

    def retire(owner, key):
        answer = relation("RetireCustomField", owner=owner, key=key)
        return answer.result.code, answer.result.info, answer.applied

    assert retire(FRIEND, "Blood") == (40009, ILLEGAL + "Not_Exist", False)
    assert retire(PROFILE, "blood") == (40009, ILLEGAL + "Not_Exist", False)
    assert retire(0, "Blood") == (30001, ILLEGAL + "Owner_Illegal", False)
    assert retire(PROFILE, "Blood") == (0, "", True)
    assert retire(PROFILE, "Blood") == (40009, ILLEGAL + "Not_Exist", False)


def test_all_or_nothing_holds_good_fields_back(made):
    _, relation = made()
    answer = define(
        relation, (PROFILE, "Good", STRING), (PROFILE, "", STRING),
        options={"all_or_nothing": True},
    )  # fmt: skip
    assert [code for code, _ in answer] == [0, 30001]
    assert not relation("ListCustomFields").fields


def test_one_call_defines_two_hundred_fields_at_most(made):
    _, relation = made()
    fields = [{"owner": PROFILE, "key": "x", "value_type": STRING}] * 201
    refused = refusal(relation, "DefineCustomFields", items=fields)
    assert_invalid(refused, "items", reason="TOO_MANY_ITEMS")
    assert_invalid(refusal(relation, "DefineCustomFields"), "items")
    assert_invalid(refusal(relation, "ListCustomFields", owner=9), "owner")


def set_custom(relation, user, key, **value):
    return relation(
        "UpdateProfile", user_id=user, tags=[{"tag": f"Tag_Profile_Custom_{key}", **value}]
    )


def test_a_value_is_of_its_fields_type_and_a_retired_field_is_unseen(made):
    _, relation = made()
    ann, bob = People(relation)(2)
    fields = [(PROFILE, "Text", STRING), (PROFILE, "Blob", BYTES), (PROFILE, "Size", UINT64)]
    define(relation, *fields)
    assert set_custom(relation, ann, "Text", text="é").code == 0
    assert set_custom(relation, ann, "Blob", data=b"\xff\x00").code == 0
    assert set_custom(relation, ann, "Size", number=7).code == 0
    assert set_custom(relation, ann, "Size", text="7").code == 40610
    assert set_custom(relation, ann, "Text", data=b"\xff").code == 40610
    assert set_custom(relation, ann, "None", text="x").code == 40009

    def seen():
        profile = relation("GetSelfProfile", user_id=ann).profile
        return {custom.key: custom.text or custom.data or custom.number for custom in profile.custom}

    whole = {"Text": "é", "Blob": b"\xff\x00", "Size": 7}
    assert seen() == whole
    relation("RetireCustomField", owner=PROFILE, key="Size")
    assert seen() == {"Text": "é", "Blob": b"\xff\x00"}
    assert set_custom(relation, ann, "Size", number=8).code == 40009
    define(relation, (PROFILE, "Size", UINT64))
    assert seen() == whole


def test_a_field_of_administrators_is_theirs_to_read_and_write(made):
    from stubs import Relation

    number, relation = made()
    (ann,) = People(relation)(1)
    fields = [
        {"owner": PROFILE, "key": "Score", "value_type": UINT64, "admin_writes": True},
        {"owner": PROFILE, "key": "Secret", "value_type": UINT64, "admin_reads": True},
    ]
    assert codes(relation("DefineCustomFields", items=fields)) == [0, 0]
    plain = Relation(
        relation.stubs, relation.channel, [*relation.metadata, ("x-scopes", "read,write")]
    )
    assert set_custom(plain, ann, "Score", number=1).code == 40008
    assert set_custom(relation, ann, "Score", number=1).code == 0
    assert set_custom(plain, ann, "Secret", number=2).code == 0

    def seen(client):
        profile = client("GetSelfProfile", user_id=ann).profile
        return [custom.key for custom in profile.custom]

    assert (seen(plain), seen(relation)) == (["Score"], ["Score", "Secret"])


# GetLimits


def test_the_use_of_each_limit_is_what_the_user_has(made):
    settings = {"applications_per_day": 9, "applications_received_per_day": 8}
    _, relation = made(settings=settings)
    people = People(relation)
    ann, *others = people(8)
    people.befriend(ann, *others[:3])
    people.group(ann, "g", *others[:2])
    people.group(ann, "h")
    people.block(ann, others[3])
    people.apply(ann, others[4])
    people.apply(others[5], ann)
    people.apply(others[6], ann)
    relation("Subscribe", user_id=ann, user_ids=[others[0]], expiry_seconds=60)
    relation("Follow", user_id=ann, user_ids=others[:2])
    relation("Follow", user_id=others[0], user_ids=[ann])
    relation("CreateInvitation", user_id=ann, max_uses=1, expiry_seconds=60)
    relation("DismissSuggestions", user_id=ann, user_ids=others[:2])
    relation("FindContacts", user_id=ann, kind=1, digests=[b"d" * 32])
    relation("ReportUser", user_id=ann, reported_user_id=others[3], category=1)
    found = limits(relation, ann)
    use = {name: limit.in_use for name, limit in found.items() if limit.HasField("in_use")}
    assert use == {
        "limits.friends": 3,
        "limits.blacklisted_users": 1,
        "limits.groups": 2,
        "limits.pendencies.come_in": 2,
        "limits.pendencies.send_out": 1,
        "limits.profile_keys": 0,
        "limits.friend_keys": 0,
        "limits.subscriptions.online_status": 1,
        "limits.subscriptions.user_profile": 0,
        "limits.subscribers.online_status": 0,
        "limits.subscribers.user_profile": 0,
        "limits.followings": 2,
        "limits.followers": 1,
        "limits.mutual_follows": 1,
        "limits.invitations": 1,
        "limits.dismissed_suggestions": 2,
        "limits.field_visibilities": 0,
        "limits.contact_lookups": 1,
        "applications_per_day": 1,
        "applications_received_per_day": 2,
        "reports in a day": 1,
    }
    assert found["applications_per_day"].value == 9
    assert (found["limits.remark"].value, found["limits.remark"].unit) == (96, 2)


def test_units_are_those_of_the_preset(made):
    _, relation = made(preset="APP_PRESET_RONGCLOUD")
    (ann,) = People(relation)(1)
    found = limits(relation, ann)
    assert (found["limits.nick"].value, found["limits.nick"].unit) == (32, 3)
    assert (found["limits.level"].value, found["limits.level"].unit) == (100, 4)


def test_every_list_of_a_request_has_its_limit_here(people):
    from test_faults import LISTS

    (ann,) = people(1)
    found = limits(people.relation, ann)
    for name, field, _, limit in LISTS:
        if name == "GetProfiles":
            assert found["limits.profiles_per_call"].value == limit
        else:
            assert found[f"{name}.{field}"].value == limit, name
    assert len(found) == len(people.relation("GetLimits", user_id=ann).limits), "a name twice"
