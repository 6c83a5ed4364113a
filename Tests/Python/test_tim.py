"""TIM's REST API, in front of the service: the tables in `tim` say which answer each command gives,
by what the vendor tells its customers, and not by our code."""

import json
import pathlib
import re
import time
import urllib.request

import grpc
import pytest
from credentials import Keys, init, sign
from refusals import refusal
from relationd import Relationd
from stubs import Relation
from test_logs import calls
from test_metrics import metrics, settled
from tim_caller import ADMINISTRATOR, Caller, envelope, filled, is_like
from web import HTTP1, HTTP2, Reply, Wire

TABLES = sorted((pathlib.Path(__file__).parent / "tim").glob("*.json"))
FIELDS = [
    {"owner": 1, "key": "Mood", "value_type": 1},
    {"owner": 1, "key": "Size", "value_type": 3},
    {"owner": 2, "key": "Rank", "value_type": 3},
]
ADD = "sns/friend_add"
CHECK = "im_open_login_svc/account_check"
ONE = {"CheckItem": [{"UserID": "ann"}]}


@pytest.fixture(scope="module")
def guarded(tmp_path_factory):
    """A server that asks for credentials, and its operator's key."""
    data = tmp_path_factory.mktemp("guarded") / "data"
    status, operator, complaint = init(data)
    assert status == 0, complaint
    with Relationd(data, insecure=False) as running:
        running.operator = operator
        yield running


@pytest.fixture(scope="module")
def keys(guarded, stubs):
    with grpc.insecure_channel(guarded.address) as channel:
        yield Keys(stubs, channel, guarded.operator)


@pytest.fixture(scope="module", params=[HTTP1, HTTP2])
def wire(guarded, request):
    with Wire(guarded.port, request.param) as made:
        yield made


def settings(**changed):
    return {"tim_rest": True, "tim_administrators": {"values": [ADMINISTRATOR]}, **changed}


@pytest.fixture
def caller(keys, wire):
    """A caller of a new app with the users ann and bob."""
    app = keys.app()
    operator = keys.as_operator(app)
    operator("UpdateApp", settings=settings())
    operator("DefineCustomFields", items=FIELDS)
    keys.accounts(app, "ann", "bob")
    return Caller(wire, app, keys.secret(app))


@pytest.mark.parametrize("table", TABLES, ids=lambda path: path.stem)
def test_every_command_answers_as_its_table_says(keys, wire, table):
    rows = json.loads(table.read_text())
    app = keys.app()
    keys.as_operator(app)("UpdateApp", settings=settings())
    keys.as_operator(app)("DefineCustomFields", items=FIELDS)
    keys.accounts(app, *rows["accounts"])
    caller, kept = Caller(wire, app, keys.secret(app)), {}
    for number, step in enumerate(rows["steps"], 1):
        answer = caller(step["ask"], filled(step["body"], kept))
        code = step.get("fail", 0)
        wanted = {**filled(step.get("ok", {}), {}), **envelope(step["ask"], code)}
        assert is_like(answer, wanted), f"{number}: {step['ask']} {step['body']}\n{answer}"
        for name, member in step.get("keep", {}).items():
            kept[name] = answer[member]


def test_the_tables_have_every_command():
    asked = {step["ask"] for table in TABLES for step in json.loads(table.read_text())["steps"]}
    page = (pathlib.Path(__file__).parents[2] / "docs" / "tim-rest.md").read_text()
    told = {line.split("`")[1] for line in page.splitlines() if line.startswith("| `")}
    assert asked == {command for command in told if "/" in command}


# Signatures


def test_each_fault_of_a_signature_has_its_code(keys, caller):
    app, secret = caller.app, caller.secret
    now = int(time.time())

    def code(**changed):
        return caller.code(CHECK, ONE, **changed)

    assert code() == 0
    assert code(usersig="eJwno") == 70003
    assert code(usersig=caller.signature[:-4]) == 70003
    assert code(usersig="a b\r\nx-app-id: 1") == 70003
    future = sign(app, secret, ADMINISTRATOR, at=now + 3600)
    assert code(usersig=future) == 70003
    assert "after the present" in caller(CHECK, ONE, usersig=future)["ErrorInfo"]
    assert code(usersig=sign(app, secret, ADMINISTRATOR, at=now - 7200)) == 70001
    assert code(usersig=sign(app, "another", ADMINISTRATOR)) == 70009
    assert code(usersig=sign(app, secret, "other")) == 70013
    assert code(identifier="other") == 70013
    assert code(usersig=sign(1, secret, ADMINISTRATOR)) == 70014
    assert code(usersig=sign(app, secret, "ann"), identifier="ann") == 60010
    assert code(sdkappid=4_000_000_000) == 70020
    assert code(sdkappid=None) == 60012
    assert code(sdkappid="one") == 60006
    assert code(identifier=None) == 60025
    assert code(usersig=None) == 60025
    assert code(contenttype="xml") == 60025
    assert code(contenttype=None, random=None) == 0


def test_a_refused_request_is_counted_and_logged_as_an_error(tmp_path, stubs):
    """The status of HTTP is 200; metrics, the log and the audit see what the body tells."""
    _, operator, _ = init(tmp_path / "data")
    get = "v4/sns/friend_get"
    unknown = {"From_Account": "who", "StartIndex": 0}
    flags = ("--log-format", "json", "--access-log", "all")
    with (Relationd(tmp_path / "data", *flags, insecure=False) as running,
          grpc.insecure_channel(running.address) as channel, Wire(running.port, HTTP1) as wire):
        keys = Keys(stubs, channel, operator)
        app = keys.app()
        keys.as_operator(app)("UpdateApp", settings=settings())
        keys.accounts(app, "ann", "bob")
        caller = Caller(wire, app, keys.secret(app))
        before = metrics(running)
        forged = sign(app, "another", ADMINISTRATOR)
        for _ in range(5):
            assert caller.code("sns/friend_get", unknown, usersig=forged) == 70009
        assert caller.code("sns/friend_get", unknown) == 30003
        assert caller.code("sns/friend_get", {"From_Account": "ann", "StartIndex": -1}) == 30001
        assert caller.code("sns/friend_get", {"From_Account": "ann", "StartIndex": 0}) == 0

        def counted(code):
            return f'relation_calls_total{{method="{get}",code="{code}"}}'

        after = settled(running, lambda found: found.get(counted("OK"), 0) >= 1)
        assert after[counted("OK")] == 1
        assert after[counted("UNAUTHENTICATED")] == 5
        assert after[counted("NOT_FOUND")] == after[counted("INVALID_ARGUMENT")] == 1
        for reason, count in (("CREDENTIAL_INVALID", 5), ("USER_NOT_FOUND", 1)):
            name = f'relation_call_failures_total{{reason="{reason}"}}'
            assert after[name] == before[name] + count, reason
        assert running.stop() == 0
        lines = [
            line for message in ("call", "call failed") for line in calls(running, 0, message)]
        asked = [line for line in lines if line["call"] == f"/{get}"]
        assert sorted(line["code"] for line in asked) == [
            "INVALID_ARGUMENT", "NOT_FOUND", "OK"] + ["UNAUTHENTICATED"] * 5
        for line in asked:
            assert re.fullmatch(r"127\.0\.0\.1:\d+", line["peer"])
            if line["code"] == "UNAUTHENTICATED":
                assert line["reason"] == "CREDENTIAL_INVALID" and "caller" not in line
            else:
                assert (line["app"], line["caller"]) == (app, "administrator")
        inside = {line["peer"] for line in lines if line["call"].endswith("/ListFriends")}
        assert inside and inside <= {line["peer"] for line in asked}


def test_an_app_that_has_not_switched_it_on_is_not_opened(keys, caller):
    operator = keys.as_operator(caller.app)
    operator("UpdateApp", settings={"tim_rest": False})
    assert caller.code(CHECK, ONE) == 60017
    operator("UpdateApp", settings={"tim_rest": True, "tim_administrators": {"values": ["x"]}})
    assert caller.code(CHECK, ONE) == 60010
    operator("UpdateApp", settings={"tim_administrators": {"values": ["x", ADMINISTRATOR]}})
    assert caller.code(CHECK, ONE) == 0


def test_a_signature_whose_sessions_were_ended_opens_nothing(keys, caller):
    keys.accounts(caller.app, ADMINISTRATOR)
    ahead = int(time.time() * 1000) + 30_000
    keys.as_operator(caller.app)(
        "RevokeUserSessions", user_ids=[ADMINISTRATOR], before_time_ms=ahead)
    assert caller.code(CHECK, ONE) == 70001


def test_the_signature_acts_for_the_app_in_calls_of_the_contract_too(keys, caller):
    """The gateway has no rights of its own: it shows what it was shown."""

    def acting(signature):
        return Relation(keys.stubs, keys.channel, [("authorization", f"TIMAdmin {signature}")])

    admin = acting(caller.signature)
    answer = admin("CheckAccounts", user_ids=["ann"])
    assert answer.results[0].status == 1
    user = acting(sign(caller.app, caller.secret, "ann"))
    refused = refusal(user, "CheckAccounts", user_ids=["ann"])
    assert refused.reason == "CREDENTIAL_INVALID"
    assert refusal(admin, "ListApps").code == grpc.StatusCode.PERMISSION_DENIED


def test_a_server_without_credentials_looks_at_the_names_alone(server, relation):
    app = relation("CreateApp", settings=settings()).app.app_id
    with Wire(server.port) as wire:
        caller = Caller(wire, app, "any")
        assert caller.code(CHECK, ONE, usersig="none") == 0
        assert caller.code(CHECK, ONE, usersig="a\r\nb: c") == 70003
        assert caller.code(CHECK, ONE, usersig="none", identifier="ann") == 60010
        assert caller.code(CHECK, ONE, sdkappid=4_000_000_000) == 70020


def test_an_app_may_keep_what_tim_stores_without_a_check(keys, caller):
    """A birthday that is not a day and a source with a digit are refused until allowed."""
    birthday = {"From_Account": "ann", "ProfileItem": [
        {"Tag": "Tag_Profile_IM_BirthDay", "Value": 19900231}]}  # fmt: skip
    source = "AddSource_Type_App1"
    friend = {"To_Account": "bob", "AddSource": source}
    adding = {"From_Account": "ann", "AddFriendItem": [friend]}

    def results(command):
        return [item["ResultCode"] for item in caller(command, adding)["ResultItem"]]

    assert caller.code("profile/portrait_set", birthday) == 40605
    assert results(ADD) == results("sns/friend_import") == [30001]
    keys.as_operator(caller.app)("UpdateApp", settings=settings(keeps_tim_values=True))
    assert caller.code("profile/portrait_set", birthday) == 0
    assert results(ADD) == [0]
    assert results("sns/friend_import") == [0]
    asked = {"To_Account": ["ann"], "TagList": ["Tag_Profile_IM_BirthDay"]}
    [profile] = caller("profile/portrait_get", asked)["UserProfileItem"]
    assert profile["ProfileItem"] == [{"Tag": "Tag_Profile_IM_BirthDay", "Value": 19900231}]
    for owner in ("ann", "bob"):
        answer = caller("sns/friend_get", {"From_Account": owner, "StartIndex": 0})
        [row] = answer["UserDataItem"]
        assert {"Tag": "Tag_SNS_IM_AddSource", "Value": source} in row["ValueItem"]
    friend["AddSource"] = "AddSource_Type_123456789"
    assert results(ADD) == [30001]
    birthday["ProfileItem"][0]["Value"] = 2**32
    assert caller.code("profile/portrait_set", birthday) == 40605


# Bad input


@pytest.mark.parametrize(
    "body", [b"", b"x", b"[]", b"7", b'{"From_Account":', b'{"a":1}{}', b'{"a":"\xff"}',
             b'{"a":1,"a":2}', b"[" * 300 + b"]" * 300],
)  # fmt: skip
def test_a_body_that_is_no_json_object_is_refused(caller, body):
    assert caller.raw(ADD, body)["ErrorCode"] == 60003
    assert caller.raw("openim/query_online_status", body)["ErrorCode"] == 90001


# What stands in the place of a value, or of the whole body: other types, and borders of numbers.
OTHERS = [
    None, True, -1, 0, 1.5, 2**31, 2**63, 2**64, "", "0", "x" * 65, "\0", "\u4f60", [], [None],
    [[]], {}, [{}], ["ann", "ann"],
]  # fmt: skip
# The service has erred, or its store does not answer.
INTERNAL = {30006, 40006, 60008, 70500, 91000}


def neighbours(value):
    """Values that differ from one in a part: it is missing, or another one of `OTHERS`."""
    yield from OTHERS
    parts = value.items() if isinstance(value, dict) else enumerate(value)
    for name, part in list(parts) if isinstance(value, (dict, list)) else ():
        if isinstance(value, dict):
            yield {key: other for key, other in value.items() if key != name}
        inner = neighbours(part) if isinstance(part, (dict, list)) else OTHERS
        for other in inner:
            changed = value.copy()
            changed[name] = other
            yield changed


def names_ours(words):
    """Whether an error names a field of ours, as `user_id`: values stand in quotes."""
    return re.search(r"\b[a-z]+_[a-z_]+\b", re.sub(r'"[^"]*"', "", words))


@pytest.mark.parametrize("table", TABLES, ids=lambda path: path.stem)
def test_neighbours_of_every_example_have_an_answer_in_its_form(guarded, keys, some_of, table):
    """Whatever a body has, the answer has TIM's envelope, and no code of a server that erred."""
    rows = json.loads(table.read_text())
    app = keys.app()
    keys.as_operator(app)("UpdateApp", settings=settings())
    keys.as_operator(app)("DefineCustomFields", items=FIELDS)
    keys.accounts(app, *rows["accounts"])
    # What deletes accounts comes last, so that the others find them.
    steps = sorted(rows["steps"], key=lambda step: "delete" in step["ask"])
    asked = {
        (step["ask"], json.dumps(body)): None
        for step in steps for body in neighbours(filled(step["body"], {}))
    }  # fmt: skip
    with Wire(guarded.port) as wire:
        caller = Caller(wire, app, keys.secret(app))
        for command, body in some_of(asked, 3):
            answer = caller.raw(command, body.encode())
            around = envelope(command, answer["ErrorCode"])
            found = {name: answer[name] for name in around if name in answer}
            assert is_like(found, around), (command, body, answer)
            assert not answer["ErrorCode"] or answer.keys() == around.keys(), (command, body)
            items = [item for value in answer.values() if isinstance(value, list) for item in value]
            codes = {item.get("ResultCode", 0) for item in items if isinstance(item, dict)}
            assert not INTERNAL & {answer["ErrorCode"], *codes}, (command, body, answer)
            infos = [item.get("ResultInfo", "") for item in items if isinstance(item, dict)]
            for words in (answer["ErrorInfo"], *infos):
                assert not names_ours(words), (command, body, words)
    assert guarded.process.poll() is None


@pytest.mark.parametrize("command, body, field", [
    ("sns/friend_get", {"From_Account": "", "StartIndex": 0}, "From_Account"),
    ("sns/friend_delete", {"From_Account": "x" * 65, "To_Account": ["bob"]}, "From_Account"),
    ("sns/friend_delete_all", {"From_Account": "who"}, "From_Account"),
    ("follow/follow_get",
     {"From_Account": "ann", "FollowType": 1, "StartCursor": "a", "WantNum": 1}, "StartCursor"),
    ("im_open_login_svc/multiaccount_import",
     {"AccountList": [{"UserID": "x"}] * 100, "Accounts": ["y"]}, "AccountList and Accounts"),
    ("sns/friend_import", {"From_Account": "ann", "AddFriendItem": [
        {"To_Account": "bob", "AddSource": "", "AddTime": 1_700_000_000_000}]}, "AddTime"),
    ("sns/friend_import", {"From_Account": "ann", "AddFriendItem": [
        {"To_Account": "bob", "AddSource": "", "RemarkTime": 2**32}]}, "RemarkTime"),
])  # fmt: skip
def test_an_error_names_the_field_of_tim(caller, command, body, field):
    answer = caller(command, body)
    assert answer["ErrorCode"] != 0 and answer["ErrorInfo"].startswith(field), answer


def test_a_source_has_tims_prefix_unless_the_app_keeps_what_tim_keeps(keys, caller):
    """Our calls take a bare keyword, and none: TIM asks for the prefix in each item."""
    items = [
        {"To_Account": "bob", "AddSource": source}
        for source in ("", "Web", "AddSource_Type_", "addsource_type_Web")]

    def results(command):
        return [
            caller(command, {"From_Account": "ann", "AddFriendItem": [item]})["ResultItem"][0]
            for item in items]

    for command, word in ((ADD, "FriendAdd"), ("sns/friend_import", "FriendImport")):
        for result in results(command):
            assert result["ResultCode"] == 30001
            assert result["ResultInfo"] == f"Err_SNS_{word}_Source_Illegal"
    keys.as_operator(caller.app)("UpdateApp", settings=settings(keeps_tim_values=True))
    assert [item["ResultCode"] for item in results("sns/friend_import")] == [0, 0, 30001, 30001]


@pytest.mark.parametrize("command, body, code", [
    ("sns/friend_add", {"From_Account": "ann", "AddFriendItem": [
        {"To_Account": "", "AddSource": "AddSource_Type_Web"}]}, 30001),
    ("sns/friend_update", {"From_Account": "ann", "UpdateItem": [
        {"To_Account": "", "SnsItem": [{"Tag": "Tag_SNS_IM_Remark", "Value": "r"}]}]}, 30001),
    ("sns/black_list_add", {"From_Account": "ann", "To_Account": [""]}, 30001),
    ("follow/follow_add", {"From_Account": "ann", "FollowItem": [{"To_Account": ""}]}, 30001),
])  # fmt: skip
def test_an_empty_user_of_an_item_is_refused(caller, command, body, code):
    [result] = caller(command, body)["ResultItem"]
    assert result["ResultCode"] == code, result


@pytest.mark.parametrize("command, body, code", [
    ("sns/friend_check", {"To_Account": ["bob"], "CheckType": ""}, 30001),
    ("sns/group_add", {"GroupName": [""]}, 30001),
    ("sns/friend_get_list", {"To_Account": ["bob"], "TagList": [""]}, 30001),
    ("profile/portrait_set", {"ProfileItem": [{"Tag": "", "Value": "x"}]}, 40009),
    ("profile/portrait_get", {"To_Account": ["ann"], "TagList": [""]}, 40009),
    ("im_open_login_svc/account_import", {"UserID": ""}, 70402),
    ("im_open_login_svc/kick", {"UserID": ""}, 70402),
])  # fmt: skip
def test_a_text_that_must_be_given_is_not_empty(caller, command, body, code):
    answer = caller(command, {"From_Account": "ann", **body})
    assert answer["ErrorCode"] == code, answer


def test_both_lists_of_accounts_are_imported(caller):
    answer = caller("im_open_login_svc/multiaccount_import", {
        "AccountList": [{"UserID": "new", "Nick": "N"}], "Accounts": ["old", "new", "x" * 33]})
    assert (answer["ErrorCode"], answer["FailAccounts"]) == (0, ["x" * 33])
    asked = {"CheckItem": [{"UserID": "new"}, {"UserID": "old"}]}
    assert [item["AccountStatus"] for item in caller(CHECK, asked)["ResultItem"]] == [
        "Imported"] * 2
    caller("im_open_login_svc/multiaccount_import", {"AccountList": [], "Accounts": ["third"]})


def test_metrics_name_each_command(guarded, caller):
    caller(CHECK, ONE)
    caller("sns/none", {})
    with urllib.request.urlopen(f"{guarded.pages}/metrics") as page:
        text = page.read().decode()
    assert f'method="v4/{CHECK}"' in text and "v4/sns/none" not in text


def test_any_start_of_a_page_is_taken(caller):
    """Of a number that no list reaches the page is empty, and the last one."""
    caller("sns/black_list_add", {"From_Account": "bob", "To_Account": ["ann"]})
    caller("sns/friend_import", {"From_Account": "ann", "AddFriendItem": [
        {"To_Account": "bob", "AddSource": "AddSource_Type_Web"}]})  # fmt: skip
    for start in (1, 2, 1000, 1001, 2**31 - 1, 2**31, 2**63 - 1):
        page = caller("sns/friend_get", {"From_Account": "ann", "StartIndex": start})
        assert page["UserDataItem"] == [] and page["FriendNum"] == 1, start
        assert (page["CompleteFlag"], page["NextStartIndex"]) == (1, 0), start
        for most in (1, 1001, 2**63 - 1):
            page = caller("sns/black_list_get", {
                "From_Account": "bob", "StartIndex": start, "MaxLimited": most})  # fmt: skip
            assert (page["BlackListItem"], page["StartIndex"]) == ([], 0), (start, most)
    for most in (1, 2**63 - 1):
        page = caller("sns/black_list_get", {
            "From_Account": "bob", "StartIndex": 0, "MaxLimited": most})  # fmt: skip
        assert (len(page["BlackListItem"]), page["StartIndex"]) == (1, 0), most


def test_sequences_that_are_not_the_present_one_bring_the_rows(caller):
    caller(ADD, {"From_Account": "ann", "AddFriendItem": [
        {"To_Account": "bob", "AddSource": "AddSource_Type_Web"}]})  # fmt: skip

    def page(standard, custom):
        return caller("sns/friend_get", {
            "From_Account": "ann", "StartIndex": 0, "StandardSequence": standard,
            "CustomSequence": custom})  # fmt: skip

    present = page(0, 0)["StandardSequence"]
    assert page(present, str(present))["UserDataItem"] == []
    for other in (0, None, present + 1, present + 2**31, 2**63 - 1):
        [row] = page(other, other)["UserDataItem"]
        assert row["ValueItem"], other
        [row] = page(present, other)["UserDataItem"]
        assert row["ValueItem"] == [], other
    assert page(-1, 0)["ErrorCode"] == 30001


def test_a_user_twice_in_a_request_has_two_results(caller):
    friend = {"To_Account": "bob", "AddSource": "AddSource_Type_Web"}
    for command, more in [
        (ADD, {"AddFriendItem": [friend] * 2}),
        ("sns/friend_import", {"AddFriendItem": [friend] * 2}),
        ("sns/friend_delete", {"To_Account": ["bob"] * 2}),
        ("sns/black_list_add", {"To_Account": ["bob"] * 2}),
        ("sns/black_list_delete", {"To_Account": ["bob"] * 2}),
        ("follow/follow_add", {"FollowItem": [{"To_Account": "bob"}] * 2}),
        ("follow/follow_delete", {"To_Account": ["bob"] * 2}),
    ]:
        answer = caller(command, {"From_Account": "ann", **more})
        results = [(item["To_Account"], item["ResultCode"]) for item in answer["ResultItem"]]
        assert results == [("bob", 0)] * 2, (command, answer)


def test_a_group_name_that_is_taken_refuses_the_whole_request(caller):
    """With members or without: no other group of the request is made."""
    befriend(caller, "ann", "bob")
    assert caller.code("sns/group_add", {"From_Account": "ann", "GroupName": ["big"]}) == 0
    for members in ([], ["bob"], ["who"], ["bob", "who"]):
        answer = caller("sns/group_add", {
            "From_Account": "ann", "GroupName": ["new", "big"], "To_Account": members})
        assert answer["ErrorCode"] == 30001, members
        groups = caller("sns/group_get", {"From_Account": "ann"})["ResultItem"]
        assert [group["GroupName"] for group in groups] == ["big"], members


def test_a_member_that_fails_holds_no_other_back(caller):
    befriend(caller, "ann", "bob")
    answer = caller("sns/group_add", {
        "From_Account": "ann", "GroupName": ["one", "two"], "To_Account": ["who", "bob", "x y"]})
    codes = [(item["To_Account"], item["ResultCode"] == 0) for item in answer["ResultItem"]]
    assert codes == [("who", False), ("bob", True), ("x y", False)]
    assert answer["Fail_Account"] == ["who", "x y"]
    answer = caller("sns/group_get", {"From_Account": "ann", "NeedFriend": "Need_Friend_Type_Yes"})
    assert [(group["GroupName"], group["To_Account"]) for group in answer["ResultItem"]] == [
        ("one", ["bob"]), ("two", ["bob"])]


def befriend(caller, user, other):
    answer = caller(ADD, {"From_Account": user, "AddFriendItem": [
        {"To_Account": other, "AddSource": "AddSource_Type_Web"}]})  # fmt: skip
    assert answer["ResultItem"][0]["ResultCode"] == 0, answer


def test_a_suspended_user_has_tims_code(keys, caller):
    keys.as_operator(caller.app)("SuspendAccounts", items=[
        {"user_id": "ann", "level": "SUSPENSION_LEVEL_SUSPENDED"}])
    adding = {"From_Account": "ann", "AddFriendItem": [
        {"To_Account": "bob", "AddSource": "AddSource_Type_Web"}]}  # fmt: skip
    assert caller.code(ADD, adding) == 30009


def test_an_unknown_field_of_a_friend_has_a_code_of_friends(caller):
    befriend(caller, "ann", "bob")
    tag = {"Tag": "Tag_SNS_Custom_None", "Value": "x"}
    for command, more in (
        ("sns/friend_import", {"AddFriendItem": [
            {"To_Account": "bob", "AddSource": "AddSource_Type_Web", "CustomItem": [tag]}]}),
        ("sns/friend_update", {"UpdateItem": [{"To_Account": "bob", "SnsItem": [tag]}]}),
    ):  # fmt: skip
        [result] = caller(command, {"From_Account": "ann", **more})["ResultItem"]
        assert result["ResultCode"] == 30001, command


def test_values_of_tags_keep_their_types(caller):
    """Numbers of parameters may stand in quotes; a field of numbers takes no text."""
    for tag in ("Tag_Profile_IM_Level", "Tag_Profile_IM_BirthDay", "Tag_Profile_Custom_Size"):
        item = {"From_Account": "ann", "ProfileItem": [{"Tag": tag, "Value": "7"}]}
        assert caller.code("profile/portrait_set", item) == 40610, tag
    for tag in ("Gender", "AllowType", "AdminForbidType", "Nick", "Location"):
        item = {"From_Account": "ann", "ProfileItem": [
            {"Tag": f"Tag_Profile_IM_{tag}", "Value": 1}]}  # fmt: skip
        assert caller.code("profile/portrait_set", item) == 40610, tag


@pytest.mark.parametrize("command, body", [
    ("account_import", {"UserID": 7}), ("account_import", {"Identifier": [7]}),
    ("kick", {"UserID": True}), ("account_check", {"CheckItem": [{"UserID": 7}]}),
    ("account_delete", {"DeleteItem": [{"UserID": {}}]}),
    ("multiaccount_import", {"AccountList": [{"UserID": 7}]}),
    ("multiaccount_import", {"Accounts": ["new", 7]}),
])  # fmt: skip
def test_an_account_that_is_no_text_has_the_code_of_the_gateway(caller, command, body):
    assert caller.code(f"im_open_login_svc/{command}", body) == 60015
    assert caller(CHECK, {"CheckItem": [{"UserID": "new"}]})["ResultItem"][0][
        "AccountStatus"] == "NotImported"


def test_a_body_in_chunks_is_taken(caller):
    stream = caller.wire.open("POST", f"/v4/{CHECK}?{caller.query()}", ())
    for byte in json.dumps(ONE).encode():
        stream.send(bytes([byte]))
    stream.finish()
    assert Reply(stream).json["ErrorCode"] == 0


def test_a_signature_in_the_body_or_in_a_field_is_none(caller):
    body = json.dumps({**ONE, "usersig": caller.signature}).encode()
    fields = [("authorization", f"TIMAdmin {caller.signature}")]
    assert caller.raw(CHECK, body, fields, usersig=None)["ErrorCode"] == 60025
    # A field of the request takes nothing from the one of the query either.
    assert caller.raw(CHECK, body, [("authorization", "Bearer x")])["ErrorCode"] == 0


def test_paths_of_other_versions_are_none_of_tim(caller):
    body = json.dumps(ONE).encode()
    kind = [("content-type", "application/json")]
    for version in ("v3", "v5", "V4", "v40"):
        reply = caller.wire.ask("POST", f"/{version}/sns/friend_add?{caller.query()}", kind, body)
        assert (reply.status, reply.code) == (404, "unimplemented"), version
        assert reply.json["message"].endswith("call /relation.v1.FriendService/AddFriends")


def test_a_command_that_is_not_there_is_refused(caller):
    for command in ("sns/none", "none/friend_add", "sns", "sns/friend_add/more", ""):
        assert caller.code(command, {}) == 60009, command
    assert caller.code("group_open_http_svc/create_group", {}) == 60009


def test_any_content_type_is_taken_and_a_packed_body_is_not(caller):
    body = json.dumps(ONE).encode()
    for kind in ("text/plain", "application/x-www-form-urlencoded", "application/json; charset=x"):
        assert caller.raw(CHECK, body, [("content-type", kind)])["ErrorCode"] == 0, kind
    assert caller.raw(CHECK, body, [("content-encoding", "gzip")])["ErrorCode"] == 60003


def test_its_paths_are_none_of_grpc(keys, caller):
    call = keys.channel.unary_unary(f"/v4/{CHECK}")
    with pytest.raises(grpc.RpcError) as refused:
        call(b"", timeout=20)
    assert refused.value.code() == grpc.StatusCode.UNIMPLEMENTED


def test_only_post_is_taken(caller):
    reply = caller.wire.ask("GET", f"/v4/{CHECK}?{caller.query()}")
    assert reply.status == 405


def test_a_body_that_is_too_long_is_refused(caller):
    body = json.dumps({"From_Account": "ann", "more": "x" * (1 << 20)}).encode()
    assert caller.raw(ADD, body)["ErrorCode"] == 30001


def test_a_target_that_is_malformed_or_too_long_is_refused(caller):
    assert caller.code(CHECK, ONE, random="x" * 8_192) == 60002
    reply = caller.wire.ask("POST", f"/v4/{CHECK}?sdkappid=%zz", (), b"{}")
    assert reply.json["ErrorCode"] == 60002


@pytest.mark.parametrize("command, name, most, code", [
    ("sns/friend_delete", "To_Account", 1000, 30001),
    ("sns/friend_check", "To_Account", 1000, 30001),
    ("sns/black_list_add", "To_Account", 1000, 30001),
    ("sns/friend_get_list", "To_Account", 100, 30001),
    ("profile/portrait_get", "To_Account", 100, 40001),
    ("openim/query_online_status", "To_Account", 500, 90011),
    ("follow/follow_delete", "To_Account", 20, 30001),
    ("follow/follow_check", "To_Account", 100, 30001),
    ("follow/follow_get_info", "To_Account", 20, 30001),
])  # fmt: skip
def test_a_list_of_users_has_its_bound(caller, command, name, most, code):
    rest = {
        "From_Account": "ann", "CheckType": "CheckResult_Type_Both",
        "TagList": ["Tag_Profile_IM_Nick"],
    }  # fmt: skip
    users = [f"u{number}" for number in range(most)]
    assert caller.code(command, {**rest, name: [*users, "more"]}) == code
    answer = caller(command, {**rest, name: [*users[:-1], "bob"]})
    assert answer["ErrorCode"] == 0, answer


@pytest.mark.parametrize("command, body, code", [
    ("profile/portrait_get", {"To_Account": ["ann"]}, 40001),
    ("sns/friend_get_list", {"From_Account": "ann", "To_Account": ["bob"]}, 30001),
])  # fmt: skip
def test_a_list_of_tags_has_its_bound(caller, command, body, code):
    tag = "Tag_Profile_IM_Nick"
    assert caller.code(command, {**body, "TagList": 101 * [tag]}) == code
    assert caller.code(command, {**body, "TagList": 100 * [tag]}) == 0


@pytest.mark.parametrize("command, name", [
    ("account_check", "CheckItem"), ("account_delete", "DeleteItem"),
    ("multiaccount_import", "AccountList"),
])  # fmt: skip
def test_a_list_of_accounts_has_its_bound(caller, command, name):
    users = [{"UserID": f"u{number}"} for number in range(101)]
    assert caller.code(f"im_open_login_svc/{command}", {name: users}) == 70402
    assert caller.code(f"im_open_login_svc/{command}", {name: users[:100]}) == 0


def test_a_thousand_items_are_one_answer_in_order(caller):
    users = [f"u{number}" for number in range(1000)]
    for start in range(0, 1000, 100):
        caller("im_open_login_svc/multiaccount_import", {"Accounts": users[start : start + 100]})
    items = [{"To_Account": user, "AddSource": "AddSource_Type_Web"} for user in users]
    for command in (ADD, "sns/friend_import"):
        answer = caller(command, {"From_Account": "ann", "AddFriendItem": items})
        assert [result["To_Account"] for result in answer["ResultItem"]] == users
        assert {result["ResultCode"] for result in answer["ResultItem"]} == {0}
        assert caller.code(command, {"From_Account": "ann", "AddFriendItem": [*items, items[0]]})
    more = {"UpdateItem": [
        {"To_Account": user, "SnsItem": [{"Tag": "Tag_SNS_IM_Remark", "Value": user}]}
        for user in reversed(users)
    ]}  # fmt: skip
    answer = caller("sns/friend_update", {"From_Account": "ann", **more})
    assert [result["To_Account"] for result in answer["ResultItem"]] == users[::-1]


def test_the_writes_of_a_request_have_request_ids_of_its_own(keys, caller):
    operator = keys.as_operator(caller.app)
    operator("UpdateApp", settings={"history_days": 1})
    users = [f"u{number}" for number in range(100)]
    caller("im_open_login_svc/multiaccount_import", {"Accounts": users})
    items = [{"To_Account": user, "AddSource": "AddSource_Type_Web"} for user in [*users, "bob"]]
    found = []
    for _ in range(2):
        caller(ADD, {"From_Account": "ann", "AddFriendItem": items})
        entries = operator("ListHistory", about_user_id="ann", page_size=1000).entries
        found.append({entry.request_id for entry in entries})
        # The body is the same, and is done anew all the same.
        caller("sns/friend_delete_all", {"From_Account": "ann", "DeleteType": "Delete_Type_Both"})
        assert operator("ListFriends", user_id="ann").total_size == 0
    form = re.compile(r"tim-([0-9a-f]{32})-([12])")
    requests = [form.fullmatch(each) for each in found[1]]
    assert all(requests) and len(found[0]) == 2 and found[0] < found[1]
    # Two additions of two calls, and the deletion between them.
    assert len({each[1] for each in requests}) == 3 and len(requests) == 5


def test_pages_of_friends_make_the_whole_list(caller):
    users = sorted(f"u{number}" for number in range(1200))
    for start in range(0, 1200, 100):
        caller("im_open_login_svc/multiaccount_import", {"Accounts": users[start : start + 100]})
    for start in (0, 600):
        items = [
            {"To_Account": user, "AddSource": "AddSource_Type_Web"}
            for user in users[start : start + 600]
        ]
        caller("sns/friend_import", {"From_Account": "ann", "AddFriendItem": items})
    found, index, pages = [], 0, 0
    while True:
        page = caller("sns/friend_get", {"From_Account": "ann", "StartIndex": index})
        found += [row["To_Account"] for row in page["UserDataItem"]]
        assert page["FriendNum"] == 1200
        pages += 1
        if page["CompleteFlag"]:
            break
        index = page["NextStartIndex"]
    assert (found, pages) == (users, 2)


def test_numbers_in_quotes_and_nulls_are_taken(caller):
    answer = caller("sns/friend_get", {"From_Account": "ann", "StartIndex": "0"})
    assert answer["ErrorCode"] == 0
    answer = caller(
        "sns/black_list_get",
        {"From_Account": "ann", "StartIndex": "0", "MaxLimited": "5", "LastSequence": None})
    assert answer["ErrorCode"] == 0
    for number in (-1, 1.5, "x", True, [0]):
        assert caller.code("sns/friend_get", {"From_Account": "ann", "StartIndex": number}) == 30001


def test_more_requests_at_once_than_the_bound_are_told_to_come_later(guarded, caller):
    users = [f"u{number}" for number in range(100)]
    body = json.dumps({"To_Account": users, "TagList": ["Tag_Profile_IM_Nick"]}).encode()
    target = f"/v4/profile/portrait_get?{caller.query()}"
    # Each takes a hundred calls, so the last one comes long before the first one is done.
    with Wire(guarded.port, HTTP2) as wire:
        streams = [wire.open("POST", target, (), body) for _ in range(90)]
        codes = [Reply(stream).json["ErrorCode"] for stream in streams]
    assert set(codes) == {0, 60007}
    assert codes.count(0) >= 32


# The same calls


def test_the_calls_behind_it_are_counted_and_bounded(keys, caller):
    operator = keys.as_operator(caller.app)
    operator("UpdateApp", settings={"bounds": {"key_calls_per_second": 1}})
    codes = {caller.code(CHECK, ONE) for _ in range(20)}
    assert codes == {0, 60007}


def test_a_request_costs_one_call_whatever_it_becomes(keys, caller):
    """The longest requests fit into a rate of which their calls are several times as many."""
    users = [f"u{number}" for number in range(100)]
    accounts = [{"UserID": user, "Nick": user} for user in users]
    imports = "im_open_login_svc/multiaccount_import"
    assert caller.code(imports, {"AccountList": accounts}) == 0
    keys.as_operator(caller.app)(
        "UpdateApp", settings={"bounds": {"key_calls_per_second": 2, "calls_per_second": 2}})
    renamed = [{**account, "Nick": account["Nick"].upper()} for account in accounts]
    asked = {"To_Account": users, "TagList": ["Tag_Profile_IM_Nick"]}
    answer = until_admitted(caller, imports, {"AccountList": renamed})
    assert answer["FailAccounts"] == []
    answer = until_admitted(caller, "profile/portrait_get", asked)
    assert [
        row["ProfileItem"][0]["Value"] for row in answer["UserProfileItem"]
    ] == [user.upper() for user in users]
    # The bound still holds for requests.
    codes = {caller.code(CHECK, ONE) for _ in range(30)}
    assert codes == {0, 60007}


@pytest.mark.parametrize("kind", ["accounts", "friends", "updates"])
def test_a_request_of_many_calls_is_done_as_a_whole_at_the_bound_of_open_calls(
        keys, guarded, caller, kind):
    """One call of the administrator may be open. Of requests that come at once some find no room,
    and nothing of them is done."""
    count = 100 if kind == "accounts" else 400
    sides = [[f"{side}{number}" for number in range(count)] for side in "pqr"]
    accounts = "im_open_login_svc/multiaccount_import"
    owners = ["ann", "bob", "eve"]
    for users in [*sides, [*owners, "dan"]]:
        for start in range(0, len(users), 100):
            assert caller.code(accounts, {"Accounts": users[start:start + 100]}) == 0

    def request(owner, users, text):
        if kind == "accounts":
            return accounts, {"AccountList": [{"UserID": user, "Nick": text} for user in users]}
        if kind == "friends":
            return "sns/friend_add", {
                "From_Account": owner, "AddFriendItem": [
                    {"To_Account": user, "AddSource": "AddSource_Type_Test", "Remark": text}
                    for user in users], "AddType": "Add_Type_Single", "ForceAddFlags": 1}
        return "sns/friend_update", {
            "From_Account": owner, "UpdateItem": [
                {"To_Account": user, "SnsItem": [{"Tag": "Tag_SNS_IM_Remark", "Value": text}]}
                for user in users]}

    def texts(owner, users):
        if kind == "accounts":
            answer = until_admitted(caller, "profile/portrait_get", {
                "To_Account": users, "TagList": ["Tag_Profile_IM_Nick"]})
            return [[tag["Value"] for tag in row["ProfileItem"]]
                    for row in answer["UserProfileItem"]]
        answers = [until_admitted(caller, "sns/friend_get_list", {
            "From_Account": owner, "To_Account": users[start:start + 100],
            "TagList": ["Tag_SNS_IM_Remark"]}) for start in range(0, count, 100)]
        return [[tag["Value"] for tag in row.get("SnsProfileItem", [])]
                for answer in answers for row in answer["InfoItem"]]

    if kind == "updates":
        for owner, users in zip(owners, sides):
            assert caller.code("sns/friend_add", {
                "From_Account": owner, "AddFriendItem": [
                    {"To_Account": user, "AddSource": "AddSource_Type_Test"} for user in users],
                "AddType": "Add_Type_Single", "ForceAddFlags": 1}) == 0
    bounds = {"key_open_calls": 1}
    relation = keys.as_operator(caller.app)
    codes = []
    for number in range(4):
        relation("UpdateApp", settings={"bounds": bounds})
        targets = owners if kind != "friends" else [f"new{number}{owner}" for owner in owners]
        if kind == "friends":
            until_admitted(caller, accounts, {"Accounts": targets})
        before = [texts(*side) for side in zip(targets, sides)]
        short = "profile/portrait_set", {
            "From_Account": "dan", "ProfileItem": [{"Tag": "Tag_Profile_IM_Nick", "Value": "D"}]}
        with Wire(guarded.port, HTTP2) as wire:
            def send(command, body):
                return wire.open(
                    "POST", f"/v4/{command}?{caller.query()}", (), json.dumps(body).encode())

            # Short ones come all the time, and would take the room between two calls.
            streams = []
            for owner, users in zip(targets, sides):
                streams.append(send(*request(owner, users, f"text {number}")))
                for _ in range(40):
                    assert Reply(send(*short)).json["ErrorCode"] in (0, 60007)
            answers = [Reply(stream).json for stream in streams]
        for answer, owner, users, old in zip(answers, targets, sides, before):
            codes.append(answer["ErrorCode"])
            done = texts(owner, users)
            assert done == (old if codes[-1] else [[f"text {number}"]] * count), answer
            assert answer.get("FailAccounts", []) == []
    assert set(codes) <= {0, 60007} and 0 in codes, codes


def until_admitted(caller, command, body):
    """The answer to a request, once the rate of the app has room for it."""
    end = time.monotonic() + 20
    while (answer := caller(command, body))["ErrorCode"] == 60007:
        assert time.monotonic() < end, answer
    return answer


def test_presence_is_answered_with_its_devices(keys, caller):
    keys.as_operator(caller.app)("ReportPresence", items=[
        {"user_id": "ann", "device_id": "d", "platform": "iPhone", "online": True,
         "lease_seconds": 60}])  # fmt: skip
    answer = caller("openim/query_online_status", {"To_Account": ["ann"], "IsNeedDetail": 1})
    assert answer["QueryResult"] == [{
        "To_Account": "ann", "Status": "Online",
        "Detail": [{"Platform": "iPhone", "Status": "Online"}],
    }]  # fmt: skip


def test_a_device_without_a_platform_has_tims_word_for_it(keys, caller):
    keys.as_operator(caller.app)("ReportPresence", items=[
        {"user_id": "ann", "device_id": "d", "online": True, "lease_seconds": 60}])
    answer = caller("openim/query_online_status", {"To_Account": ["ann"], "IsNeedDetail": 1})
    [found] = answer["QueryResult"]
    assert found["Detail"] == [{"Platform": "Unknown", "Status": "Online"}]


def test_a_kick_ends_the_signatures_of_the_user(keys, caller):
    ann = keys.with_signature(sign(caller.app, caller.secret, "ann", at=int(time.time()) - 60))
    assert ann("GetSelfProfile")
    assert caller.code("im_open_login_svc/kick", {"UserID": "ann"}) == 0
    assert refusal(ann, "GetSelfProfile").reason == "SESSION_REVOKED"
