"""TIM's callbacks over HTTP, field by field beside the table of the documentation."""

import hashlib
import http.server
import json
import queue
import re
import threading
import time
import urllib.parse

import grpc
import pytest
from credentials import Keys, init
from refusals import refusal
from relationd import ROOT, Relationd
from test_hooks import FLAGS, SECONDS, hooked  # noqa: F401
from test_tim import settings
from test_veto import Veto
from tim_caller import ADMINISTRATOR, Caller
from web import HTTP1, Wire

ANSWER = b'{"ActionStatus":"OK","ErrorCode":0,"ErrorInfo":""}'
QUERY = ["SdkAppid", "CallbackCommand", "contenttype", "ClientIP", "OptPlatform", "Sign",
         "RequestTime"]


def documented():
    """The fields of each command in their order, as docs/webhooks.md has them."""
    text = (ROOT / "docs/webhooks.md").read_text().partition("## TIM's callbacks")[2]
    text = text.partition("\n## ")[0]
    rows = re.findall(r"^\| `(\w+\.\w+)` \| (.+?) \|", text, re.MULTILINE)
    return {command: re.findall("`(.+?)`", fields) for command, fields in rows}


def fields(content):
    """The names of the fields in their order; below a list, those of its first object."""
    for name, value in content.items():
        yield name
        if isinstance(value, list):
            yield from fields(value[0])
        if isinstance(value, dict):
            yield from fields(value)


class Receiver:
    def __init__(self):
        self.callbacks = queue.Queue()
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                query = urllib.parse.parse_qsl(
                    urllib.parse.urlsplit(self.path).query, keep_blank_values=True)
                outer.callbacks.put((query, self.headers["content-type"], json.loads(body)))
                self.send_response(200)
                self.send_header("content-length", str(len(ANSWER)))
                self.end_headers()
                self.wfile.write(ANSWER)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/tim?receiver=1"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


@pytest.fixture
def callbacks(hooked):  # noqa: F811
    """A way to make a call, and to get the callbacks that it leads to, those of a user's log
    beside those of another's in any order."""
    _, relation = hooked
    receiver = Receiver()
    made = relation("CreateHook", url=receiver.url, form="HOOK_FORM_TIM_CALLBACKS")

    def after(call, count, platform="RESTAPI", **request):
        relation(call, **request)
        got = []
        for _ in range(count):
            query, kind, body = receiver.callbacks.get(timeout=SECONDS)
            command = body.pop("CallbackCommand")
            assert kind == "application/json"
            assert [name for name, _ in query] == ["receiver", *QUERY]
            told = dict(query)
            assert told["CallbackCommand"] == command
            assert (told["contenttype"], told["ClientIP"], told["OptPlatform"]) == (
                "json", "127.0.0.1", platform)
            sign = hashlib.sha256((made.secret + told["RequestTime"]).encode()).hexdigest()
            assert told["Sign"] == sign
            assert abs(int(told["RequestTime"]) - time.time()) < 60
            assert list(fields(body)) == documented()[command]
            got.append((command, body))
        assert receiver.callbacks.empty()
        return sorted(got, key=str)

    yield after
    receiver.server.shutdown()


def pair(user, other, **more):
    return {"From_Account": user, "To_Account": other, **more}


def set_profile(callbacks, user, count, **profile):
    return callbacks("UpdateProfile", count, user_id=user, profile=profile,
                     update_mask={"paths": list(profile)})


def test_each_callback_has_the_fields_that_the_documentation_has(hooked, callbacks):  # noqa: F811
    _, relation = hooked
    started = time.time() * 1000
    ((command, body),) = set_profile(callbacks, "bob", 1, nick="Bob", level=3)
    told = body.pop("EventTime")
    assert started - 1000 < told <= time.time() * 1000
    assert (command, body) == ("Profile.CallbackPortraitSet", {
        "Operator_Account": "bob", "From_Account": "bob", "ProfileItem": [
            {"Tag": "Tag_Profile_IM_Nick", "Value": "Bob"},
            {"Tag": "Tag_Profile_IM_Level", "Value": 3}]})
    commands = {command}

    # A field that is cleared has a word of TIM's where TIM has words.
    ((_, body),) = set_profile(callbacks, "bob", 1, gender="GENDER_FEMALE", nick="B")
    ((_, body),) = callbacks("UpdateProfile", 1, user_id="bob", profile={},
                             update_mask={"paths": ["gender", "nick"]})
    assert body["ProfileItem"] == [
        {"Tag": "Tag_Profile_IM_Gender", "Value": "Gender_Type_Unknown"},
        {"Tag": "Tag_Profile_IM_Nick", "Value": ""}]

    def expect(call, name, bodies, **request):
        # What tells of a device has the device's platform.
        got = callbacks(call, len(bodies), **request)
        commands.add(name)
        for _, body in got:
            body.pop("EventTime", None)
        assert got == sorted(((name, body) for body in bodies), key=str)

    def friends(user, other, initiator, command):
        return {"PairList": [pair(user, other, Initiator_Account=initiator)],
                "ClientCmd": command, "Admin_Account": "", "ForceFlag": 0}

    item = [{"user_id": "bob", "source": "Web"}]
    expect("AddFriends", "Sns.CallbackFriendAdd", [
        friends("ann", "bob", "ann", "friend_add"), friends("bob", "ann", "ann", "friend_add"),
    ], user_id="ann", items=item)
    expect("DeleteFriends", "Sns.CallbackFriendDelete", [
        {"PairList": [pair("ann", "bob")]}, {"PairList": [pair("bob", "ann")]},
    ], user_id="ann", user_ids=["bob"], delete_type=2)
    # A consent: the applicant is the initiator on both sides.
    set_profile(callbacks, "bob", 1, allow_type=1)
    callbacks("AddFriends", 0, user_id="ann", items=item)
    expect("RespondToApplications", "Sns.CallbackFriendAdd", [
        friends("ann", "bob", "ann", "friend_response"),
        friends("bob", "ann", "ann", "friend_response"),
    ], user_id="bob", items=[{"user_id": "ann", "response_type": 1}])
    # TIM tells of no import, and neither is one told that notifies the owner. It would come before
    # the next callback of the same log.
    list(relation.stream("ImportFriends", [
        {"notify": True, "row": {"user_id": "ann", "friend_user_id": "eve"}}]))
    expect("Follow", "Follow.CallbackAfterFollowAdd", [
        {"From_Account": "ann", "FollowList": [{"To_Account": "bob"}]},
    ], user_id="ann", user_ids=["bob"])
    expect("Unfollow", "Follow.CallbackAfterFollowDelete", [
        {"From_Account": "ann", "FollowList": [{"To_Account": "bob"}]},
    ], user_id="ann", user_ids=["bob"])
    callbacks("DeleteFriends", 2, user_id="ann", user_ids=["bob"], delete_type=2)
    expect("AddToBlacklist", "Sns.CallbackBlackListAdd", [
        {"PairList": [pair("ann", "bob")]},
    ], user_id="ann", user_ids=["bob"])
    expect("RemoveFromBlacklist", "Sns.CallbackBlackListDelete", [
        {"PairList": [pair("ann", "bob")]},
    ], user_id="ann", user_ids=["bob"])
    for online, words in ((True, ("Login", "Register")), (False, ("Logout", "Unregister"))):
        expect("ReportPresence", "State.StateChange", [{"Info": {
            "Action": words[0], "To_Account": "ann", "Reason": words[1]}}],
            platform="IOS", items=[report("ann", online)])
    assert commands == {name for name in documented() if "Prev" not in name}


def test_the_devices_of_a_deleted_account_go_offline_at_once(hooked, callbacks):  # noqa: F811
    set_profile(callbacks, "dan", 1, nick="Dan")
    for device in ("phone", "desk"):
        callbacks("ReportPresence", 1, platform="IOS", items=[
            {"user_id": "dan", "device_id": device, "platform": "ios", "online": True,
             "lease_seconds": 3_600}])
    # What is tried only, or not done at all, ends nothing.
    callbacks("DeleteAccounts", 0, user_ids=["dan"], options={"dry_run": True})
    callbacks("DeleteAccounts", 0, user_ids=["dan", "b d"], options={"all_or_nothing": True})
    told = callbacks("DeleteAccounts", 2, platform="IOS", user_ids=["dan", "unknown"])
    assert [(command, body["Info"]) for command, body in told] == 2 * [
        ("State.StateChange", {"Action": "Logout", "To_Account": "dan", "Reason": "Unregister"})]
    callbacks("DeleteAccounts", 0, user_ids=["dan"])


def test_a_friend_that_is_added_over_an_application_is_added(hooked, callbacks):  # noqa: F811
    """Only an answer is `friend_response`, and no other user of the call is an applicant."""
    set_profile(callbacks, "ann", 1, allow_type=1)
    for user in ("bob", "cid", "dan"):
        set_profile(callbacks, user, 1, nick=user.capitalize())
    callbacks("AddFriends", 0, user_id="bob", items=[{"user_id": "ann"}])

    def told(call, count, **request):
        return {
            (body["ClientCmd"], body["ForceFlag"], told["From_Account"], told["To_Account"],
             told["Initiator_Account"])
            for _, body in callbacks(call, count, **request) for told in body["PairList"]}

    def both(command, force, initiator, *pairs):
        return {
            (command, force, *sides, initiator)
            for one, other in pairs for sides in ((one, other), (other, one))}

    # One call adds an applicant and two others: ann is the initiator of all.
    items = [{"user_id": user} for user in ("bob", "cid", "dan")]
    assert told("AddFriends", 4, user_id="ann", items=items) == both(
        "friend_add", 0, "ann", ("ann", "bob"), ("ann", "cid"), ("ann", "dan"))
    for user in ("bob", "cid", "dan"):
        callbacks("DeleteFriends", 2, user_id="ann", user_ids=[user], delete_type=2)
    # An addition by force over an application that waits.
    callbacks("AddFriends", 0, user_id="bob", items=[{"user_id": "ann"}])
    assert told("AddFriends", 2, user_id="ann", force=True, items=items[:1]) == both(
        "friend_add", 1, "ann", ("ann", "bob"))
    callbacks("DeleteFriends", 2, user_id="ann", user_ids=["bob"], delete_type=2)
    # An answer to several: each applicant is the initiator of its own pairs.
    for user in ("bob", "cid"):
        callbacks("AddFriends", 0, user_id=user, items=[{"user_id": "ann"}])
    answers = [{"user_id": user, "response_type": 1} for user in ("bob", "cid")]
    got = told("RespondToApplications", 3, user_id="ann", items=answers)
    assert got == both("friend_response", 0, "bob", ("ann", "bob")) | both(
        "friend_response", 0, "cid", ("ann", "cid"))


def report(user, online, platform="iPhone", seconds=60):
    lease = {"lease_seconds": seconds} if online else {}
    return {"user_id": user, "device_id": "d", "platform": platform, "online": online, **lease}


def test_a_device_that_stays_online_is_told_once(hooked, callbacks):  # noqa: F811
    callbacks("ReportPresence", 1, "Android", items=[report("ann", True, "android")])
    callbacks("ReportPresence", 0, items=[report("ann", True, "android")])
    # An unknown word of a platform is none of TIM's; the next callback is not one of before.
    ((_, body),) = callbacks(
        "ReportPresence", 1, "Unknown", items=[report("bob", True, "watch")])
    assert body["Info"]["To_Account"] == "bob"


def test_kinds_say_whether_logins_are_told(hooked, callbacks):  # noqa: F811
    _, relation = hooked
    (hook,) = relation("ListHooks").hooks
    relation("UpdateHook", hook_id=hook.hook_id, kinds={"values": ["CHANGE_KIND_DEL_FRIEND"]})
    callbacks("ReportPresence", 0, items=[report("ann", True)])
    relation("UpdateHook", hook_id=hook.hook_id, kinds={"values": ["CHANGE_KIND_PRESENCE"]})
    ((_, body),) = callbacks("ReportPresence", 1, "IOS", items=[report("bob", True)])
    assert body["Info"]["To_Account"] == "bob"
    refused = refusal(relation, "UpdateHook", hook_id=hook.hook_id, form="HOOK_FORM_CLOUD_EVENTS")
    assert "kinds.values[0]" in refused.message
    refused = refusal(
        relation, "CreateHook", url="http://127.0.0.1:9/", kinds=["CHANGE_KIND_PRESENCE"])
    assert "kinds[0]" in refused.message


def test_calls_of_tims_api_name_their_administrator(tmp_path, stubs):
    _, operator, _ = init(tmp_path / "data")
    receiver = Receiver()
    with (Relationd(tmp_path / "data", *FLAGS, insecure=False) as running,
          grpc.insecure_channel(running.address) as channel, Wire(running.port, HTTP1) as wire):
        keys = Keys(stubs, channel, operator)
        app = keys.app()
        keys.as_operator(app)("UpdateApp", settings=settings())
        keys.accounts(app, "ann", "bob")
        keys.as_operator(app)(
            "CreateHook", url=receiver.url, form="HOOK_FORM_TIM_CALLBACKS")
        caller = Caller(wire, app, keys.secret(app))

        def told():
            _, _, body = receiver.callbacks.get(timeout=SECONDS)
            return body

        caller("profile/portrait_set", {"From_Account": "bob", "ProfileItem": [
            {"Tag": "Tag_Profile_IM_AllowType", "Value": "AllowType_Type_DenyAny"}]})
        assert told()["Operator_Account"] == ADMINISTRATOR
        item = {"To_Account": "bob", "AddSource": "AddSource_Type_Web"}
        caller("sns/friend_add", {
            "From_Account": "ann", "AddFriendItem": [item], "ForceAddFlags": 1})
        for body in (told(), told()):
            assert (body["CallbackCommand"], body["ClientCmd"]) == (
                "Sns.CallbackFriendAdd", "friend_add")
            assert (body["Admin_Account"], body["ForceFlag"]) == (ADMINISTRATOR, 1)
            assert body["PairList"][0]["Initiator_Account"] == "ann"
        # No client learns who called: the user's own log tells neither.
        changes = keys.as_operator(app)("ListChanges", user_id="ann").SerializeToString()
        assert ADMINISTRATOR.encode() not in changes
        # The back end's key is not an administrator of TIM's API.
        keys.as_operator(app)("DeleteFriends", user_id="ann", user_ids=["bob"], delete_type=2)
        assert {told()["CallbackCommand"] for _ in range(2)} == {"Sns.CallbackFriendDelete"}
        keys.as_operator(app)("AddFriends", user_id="ann", force=True, items=[{"user_id": "bob"}])
        for body in (told(), told()):
            assert (body["Admin_Account"], body["ForceFlag"]) == ("", 1)
    receiver.server.shutdown()


def test_a_server_without_credentials_names_the_administrator_too(hooked, callbacks):  # noqa: F811
    server, relation = hooked
    app = relation("UpdateApp", settings=settings()).app.app_id
    with Wire(server.port, HTTP1) as wire:
        caller = Caller(wire, app, "any")
        portrait = {"From_Account": "ann", "ProfileItem": [
            {"Tag": "Tag_Profile_IM_Nick", "Value": "Anna"}]}  # fmt: skip
        assert caller.code("profile/portrait_set", portrait) == 0
        # The next call of a client makes no callback of its own.
        ((_, body),) = callbacks("GetStats", 1)
        assert body["Operator_Account"] == ADMINISTRATOR


def test_each_question_has_the_fields_that_the_documentation_has(hooked):  # noqa: F811
    _, relation = hooked
    veto = Veto()
    made = relation(
        "CreateHook", url=veto.url, form="HOOK_FORM_TIM_CALLBACKS", asks_only=True,
        asks=["HOOK_QUESTION_ADD_FRIENDS", "HOOK_QUESTION_RESPOND_TO_APPLICATIONS"])
    relation("AddFriends", user_id="ann", force=True, add_type="ADD_TYPE_SINGLE", items=[
        {"user_id": "bob", "remark": "r", "group": "g", "source": "AddSource_Type_Web",
         "wording": "w"}])
    relation("RespondToApplications", user_id="bob", items=[
        {"user_id": user, "response_type": f"FRIEND_RESPONSE_TYPE_{kind}", "remark": "r",
         "group": "g"}
        for user, kind in (("ann", "AGREE"), ("cid", "AGREE_AND_ADD"), ("dan", "REJECT"))])
    told = {}
    for path, headers, body in veto.asked:
        query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(path).query))
        assert list(query) == QUERY
        sign = hashlib.sha256((made.secret + query["RequestTime"]).encode()).hexdigest()
        assert query["Sign"] == sign and headers["content-type"] == "application/json"
        content = json.loads(body)
        command = content.pop("CallbackCommand")
        assert (query["CallbackCommand"], documented()[command]) == (command, list(fields(content)))
        assert abs(content.pop("EventTime") / 1000 - time.time()) < 60
        told[command] = content
    assert told == {
        "Sns.CallbackPrevFriendAdd": {
            "Requester_Account": "ann", "From_Account": "ann", "FriendItem": [
                {"To_Account": "bob", "Remark": "r", "GroupName": "g",
                 "AddSource": "AddSource_Type_Web", "AddWording": "w"}],
            "AddType": "Add_Type_Single", "ForceAddFlags": 1},
        "Sns.CallbackPrevFriendResponse": {
            "Requester_Account": "bob", "From_Account": "bob", "ResponseFriendItem": [
                {"To_Account": user, "Remark": "r", "TagName": "g",
                 "ResponseAction": f"Response_Action_{word}"}
                for user, word in (("ann", "Agree"), ("cid", "AgreeAndAdd"), ("dan", "Reject"))]}}
    veto.server.shutdown()


def test_a_back_end_is_asked_about_too_but_not_for_an_import(tmp_path, stubs):
    _, operator, _ = init(tmp_path / "data")
    veto = Veto()
    veto.answer = lambda _: {"ActionStatus": "OK", "ErrorCode": 0, "ErrorInfo": "", "ResultItem": [
        {"To_Account": "bob", "ResultCode": 38001, "ResultInfo": "closed"}]}
    with (Relationd(tmp_path / "data", *FLAGS, insecure=False) as running,
          grpc.insecure_channel(running.address) as channel, Wire(running.port, HTTP1) as wire):
        keys = Keys(stubs, channel, operator)
        app = keys.app()
        keys.as_operator(app)("UpdateApp", settings=settings())
        keys.accounts(app, "ann", "bob")
        keys.as_operator(app)(
            "CreateHook", url=veto.url, form="HOOK_FORM_TIM_CALLBACKS", asks_only=True,
            asks=["HOOK_QUESTION_ADD_FRIENDS"])
        caller = Caller(wire, app, keys.secret(app))
        item = {"To_Account": "bob", "AddSource": "AddSource_Type_Web"}
        answer = caller("sns/friend_add", {"From_Account": "ann", "AddFriendItem": [item]})
        assert [row["ResultCode"] for row in answer["ResultItem"]] == [38001]
        ((path, _, body),) = veto.asked
        query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(path).query))
        assert (query["CallbackCommand"], query["OptPlatform"]) == (
            "Sns.CallbackPrevFriendAdd", "RESTAPI")
        content = json.loads(body)
        assert (content["Requester_Account"], content["From_Account"]) == (ADMINISTRATOR, "ann")
        answer = caller("sns/friend_import", {"From_Account": "ann", "AddFriendItem": [item]})
        assert [row["ResultCode"] for row in answer["ResultItem"]] == [0]
        assert len(veto.asked) == 1
    veto.server.shutdown()
