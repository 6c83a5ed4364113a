"""The names of TIM, RongCloud and Facebook: the index that the contract's comments give, its page
docs/tim.md, and the programs that answer such a name with ours."""

import functools
import json
import subprocess
import urllib.error
import urllib.request

import described
import foreign_names
import grpc
import pytest
from relationd import executable
from test_ctl_describe import page, told


@functools.cache
def index():
    return foreign_names.Index(foreign_names.entries(described.description().decode()))


def test_the_page_is_the_one_that_the_contract_gives_today():
    assert foreign_names.PAGE.read_text() == foreign_names.page(index()), "run 'make docs'"


def test_every_name_of_the_list_has_a_counterpart_or_a_reason_for_having_none():
    for row in foreign_names.names():
        if row.ours == "-":
            assert row.note, f"{row.name}: a dash says why"
            assert row.kind == "parameter" or not index().told(row.name), f"{row.name}: a comment tells a counterpart"
        else:
            assert index().ours(row), f"no comment of the contract names {row.name}"


def test_the_list_has_each_call_and_enum_once():
    rows = [(row.system, row.kind, row.name) for row in foreign_names.names()]
    assert len(rows) == len(set(rows))
    calls = {name for system, kind, name in rows if (system, kind) == ("TIM's client", "call")}
    enums = {name for system, kind, name in rows if kind == "enum" and system.startswith("TIM")}
    assert len(calls) == 22 and len(enums) >= 23


def test_a_comment_tells_the_names_of_others():
    names = described.foreign_names
    ours = {"user_ids", "timestamp_ms"}
    assert names("Adds friends. TIM's addFriend and friend_add.", ours) == [
        "addFriend", "friend_add"]
    assert names("The users: 1 to 9. TIM's `users` and To_Account.", ours) == [
        "users", "To_Account"]
    assert names("The remark. Tag_SNS_IM_Remark.", ours) == ["Tag_SNS_IM_Remark"]
    assert names("Ends `user_ids` as TIM's default, by RongCloud's words.", ours) == []
    assert names("Pages. TIM's getX, where `timestamp_ms` is the place.", ours) == ["getX"]


@pytest.mark.parametrize("name, heading", [
    ("friend_add", "FriendService/AddFriends"),
    ("getPendencyList", "FriendApplicationService/ListPendencies"),
    ("Tag_SNS_IM_Remark", "Friend.remark = 2: string"),
    ("AllowType_Type_NeedConfirm", "ALLOW_TYPE_NEED_CONFIRM = 1, of AllowType"),
    ("TIMFriend", "message Friend"),
    ("RCUserProfileVisibility", "enum Visibility"),
    ("FBFriendSortByLastName", "FRIEND_ORDER_LAST_NAME = 4, of FriendOrder"),
])  # fmt: skip
def test_describe_explains_a_name_of_another_system(name, heading):
    assert heading in page(name).splitlines()


def test_describe_explains_each_call_of_the_list(some_of):
    calls = [row for row in foreign_names.names() if row.kind == "call"]
    for row in some_of(calls, 4):
        if index().told(row.name):
            ours = index().told(row.name)[0]
            assert f"{ours.parent}/{ours.name}" in page(row.name), row.name


def call(*words):
    return subprocess.run(
        [executable("relationctl"), "call", *words], capture_output=True, text=True, timeout=60)


def test_call_names_the_call_to_make():
    assert told(call("friend_add", "{}"), 64).endswith("no call friend_add: here it is AddFriends")
    assert "here it is ListFriends or SyncFriends" in told(call("friend_get", "{}"), 64)


def post(server, path, **headers):
    request = urllib.request.Request(
        f"http://{server.address}{path}", b"{}", {"content-type": "application/json", **headers})
    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(request, timeout=30)
    return caught.value.code, json.loads(caught.value.read())


@pytest.mark.parametrize("path, meant", [
    ("/relation.v1.FriendService/addfriends", "AddFriends"),
    ("/relation.v1.GroupService/AddFriends", "AddFriends"),
    ("/user/subscribe/set.json", "Subscribe"),
])  # fmt: skip
def test_a_wrong_path_is_answered_with_the_path_to_call(server, path, meant):
    status, answer = post(server, path)
    assert status == 404 and answer["code"] == "unimplemented"
    assert ": call /relation.v1." in answer["message"] and f"/{meant}" in answer["message"]


def test_a_wrong_path_of_nothing_and_one_of_grpc(server, channel):
    status, answer = post(server, "/nothing/of/ours")
    assert (status, answer["message"]) == (404, "there is no method /nothing/of/ours")
    with pytest.raises(grpc.RpcError) as caught:
        channel.unary_unary("/v4/openim/getPendencyList")(b"", timeout=30)
    assert caught.value.details() == (
        "there is no method /v4/openim/getPendencyList: "
        "call /relation.v1.FriendApplicationService/ListPendencies")
