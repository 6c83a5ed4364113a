"""A hook that is asked before calls: it allows, refuses, or changes texts."""

import http.server
import json
import subprocess
import threading
import time

import grpc
import pytest
from refusals import refusal
from relationd import executable
from stubs import Relation
from test_hooks import FLAGS, signature
from tim_caller import Caller
from web import Wire

ALL = [
    "ADD_FRIENDS", "RESPOND_TO_APPLICATIONS", "UPDATE_PROFILE", "FOLLOW", "ADD_TO_BLACKLIST",
    "UPDATE_FRIENDS",
]  # fmt: skip
FRIENDS = ["bob", "carl", "dan"]
APP_LIMIT = 200
SETTINGS = {
    "makes_accounts_implicitly": True, "default_allow_type": "ALLOW_TYPE_ALLOW_ANY",
}  # fmt: skip


class Veto:
    """A receiver of questions: `answer` makes its answer from the data of a question."""

    def __init__(self):
        self.asked = []
        self.answer = lambda data: {}
        self.gate = threading.Event()
        self.gate.set()
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            # The head and the body are two writes: the second one waits for no acknowledgement.
            disable_nagle_algorithm = True

            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                outer.asked.append((self.path, dict(self.headers), body))
                outer.gate.wait(30)
                event = json.loads(body)
                said = outer.answer(event.get("data", event))
                status, text = said if isinstance(said, tuple) else (200, json.dumps(said))
                self.send_response(status)
                self.send_header("content-length", str(len(text.encode())))
                self.end_headers()
                self.wfile.write(text.encode())

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 256

        self.server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/veto"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def last(self):
        return json.loads(self.asked[-1][2])["data"]


@pytest.fixture
def veto():
    veto = Veto()
    yield veto
    veto.gate.set()
    veto.server.shutdown()


@pytest.fixture(scope="module")
def open_server(tmp_path_factory):
    from relationd import Relationd

    with Relationd(tmp_path_factory.mktemp("relationd") / "data", *FLAGS) as running:
        yield running


@pytest.fixture
def relation(open_server, stubs):
    """Calls of an app of its own."""
    with grpc.insecure_channel(open_server.address) as channel:
        relation = Relation(stubs, channel)
        app = relation("CreateApp", settings=SETTINGS).app.app_id
        yield relation.in_app(app)


def ask(relation, veto, *questions, **fields):
    return relation(
        "CreateHook", url=veto.url, asks_only=True,
        asks=[f"HOOK_QUESTION_{question}" for question in questions or ALL], **fields)


def calls(relation, user="ann"):
    """Each call that a hook is asked about, made for one user; its outcome."""
    one = relation("RespondToApplications", user_id=user, items=[
        {"user_id": "bob", "response_type": "FRIEND_RESPONSE_TYPE_AGREE", "remark": "r"}])
    two = relation("AddFriends", user_id=user, items=[{"user_id": "bob", "remark": "r"}])
    three = relation("UpdateFriends", user_id=user, items=[{"user_id": "bob", "remark": "s"}])
    four = relation("Follow", user_id=user, user_ids=["bob"])
    five = relation("AddToBlacklist", user_id=user, user_ids=["bob"])
    six = relation("UpdateProfile", user_id=user, profile={"nick": "N"})
    return [*(answer.results[0] for answer in (one, two, three, four, five)), six]


def test_each_call_is_asked_about_and_refused_with_the_words_of_the_hook(relation, veto):
    made = ask(relation, veto)
    veto.answer = lambda data: {"code": 38000, "info": "not today"}
    assert {(result.code, result.reason, result.info) for result in calls(relation)} == {
        (38000, 5600, "not today")}
    kinds = [json.loads(body)["type"] for _, _, body in veto.asked]
    assert kinds == [
        f"relation.v1.ask.{kind.lower()}" for kind in (
            "RESPOND_TO_APPLICATIONS", "ADD_FRIENDS", "UPDATE_FRIENDS", "FOLLOW",
            "ADD_TO_BLACKLIST", "UPDATE_PROFILE")]
    assert len({json.loads(body)["id"] for _, _, body in veto.asked}) == 6
    assert all(signature(made.secret, headers, body) for _, headers, body in veto.asked)
    # It gets no events, and nothing was written.
    assert relation("ListHooks").hooks[0].behind == 0
    assert not relation("ListFollowing", user_id="ann").entries
    assert not relation("ListHookFailures", hook_id=made.hook.hook_id).failures


def test_a_code_of_the_app_is_passed_on_as_it_is_and_the_rest_goes_on(relation, veto):
    ask(relation, veto, "FOLLOW")
    veto.answer = lambda data: {"items": [{"index": 1, "code": 38123, "info": "no carl"}]}
    answer = relation("Follow", user_id="ann", user_ids=["bob", "carl", "bob", "d\n"])
    assert [result.code for result in answer.results] == [0, 38123, 0, 30001]
    assert answer.results[1].info == "no carl"
    # A malformed id, and one that stands there twice, are not asked about again.
    assert [item["userId"] for item in veto.last["items"]] == ["bob", "carl"]
    assert [row.user_id for row in relation("ListFollowing", user_id="ann").entries] == ["bob"]


def test_all_or_nothing_holds_all_back(relation, veto):
    ask(relation, veto, "FOLLOW")
    veto.answer = lambda data: {"items": [{"index": 1, "code": 39000}]}
    answer = relation("Follow", user_id="ann", user_ids=["bob", "carl"],
                      options={"all_or_nothing": True})
    assert answer.results[1].code == 39000
    assert not relation("ListFollowing", user_id="ann").entries


def test_texts_change_before_the_rules_run(relation, veto):
    ask(relation, veto)
    veto.answer = lambda data: {
        "items": [{"index": 0, "texts": {name: "mild" for name in data["items"][0]["texts"]}}]}
    relation("UpdateProfile", user_id="ann", profile={"nick": "Rude", "gender": "GENDER_MALE"})
    assert veto.last["items"][0]["texts"] == {"nick": "Rude"}
    assert veto.last["items"][0]["fields"] == ["nick", "gender"]
    profile = relation("GetSelfProfile", user_id="ann").profile
    assert (profile.nick, profile.gender) == ("mild", 1)
    relation("UpdateProfile", user_id="ann", tags=[{"tag": "Tag_Profile_IM_Nick", "text": "Bad"}])
    assert relation("GetSelfProfile", user_id="ann").profile.nick == "mild"
    relation("AddFriends", user_id="ann", items=[{"user_id": "bob", "remark": "Rude"}])
    friends = relation("ListFriends", user_id="ann").friends
    assert [friend.remark for friend in friends] == ["mild"]


def befriended(relation):
    """Calls of an app with custom fields, in which ann has friends."""
    relation("DefineCustomFields", items=[{
        "owner": "CUSTOM_FIELD_OWNER_FRIEND", "key": "Met",
        "value_type": "CUSTOM_FIELD_TYPE_STRING"}])
    relation("AddFriends", user_id="ann", items=[{"user_id": user} for user in FRIENDS])
    return relation


def friends(relation):
    return {row.user_id: row for row in relation("ListFriends", user_id="ann").friends}


def test_an_update_of_friends_is_asked_about_with_its_paths_and_texts(relation, veto):
    befriended(relation)
    ask(relation, veto, "UPDATE_FRIENDS")
    veto.answer = lambda data: {"items": [{"index": 1, "code": 38123, "info": "no carl"}]}
    answer = relation("UpdateFriends", user_id="ann", items=[
        {"user_id": "bob", "remark": "B", "starred": True},
        {"user_id": "carl", "update_mask": {"paths": ["remark", "groups", "custom"]},
         "remark": "C", "groups": ["work"], "custom": [{"key": "Met", "text": "here"}]},
        {"user_id": "bob", "remark": "B", "starred": True},
        {"user_id": "d\n", "remark": "D"},
    ])
    assert [result.code for result in answer.results] == [0, 38123, 0, 30001]
    assert (answer.results[1].reason, answer.results[1].info) == (5600, "no carl")
    # A malformed id, and one that stands there twice, are not asked about again.
    assert [(row["userId"], row["fields"], row["texts"], row["groups"])
            for row in veto.last["items"]] == [
        ("bob", ["remark", "starred"], {"remark": "B"}, []),
        ("carl", ["remark", "groups", "custom.Met"], {"remark": "C", "custom.Met": "here"},
         ["work"])]
    rows = friends(relation)
    assert (rows["bob"].remark, rows["bob"].starred) == ("B", True)
    assert (rows["carl"].remark, list(rows["carl"].groups), list(rows["carl"].custom)) == (
        "", [], [])


def test_texts_of_friends_change_and_their_fields_stay(relation, veto):
    befriended(relation)
    ask(relation, veto, "UPDATE_FRIENDS")
    veto.answer = lambda data: {
        "items": [{"index": index, "texts": {name: "mild" for name in item["texts"]}}
                  for index, item in enumerate(data["items"])]}
    relation("UpdateFriends", user_id="ann", items=[
        {"user_id": "bob", "remark": "Rude", "custom": [{"key": "Met", "text": "Rude"}]},
        {"user_id": "carl", "tags": [
            {"tag": "Tag_SNS_IM_Remark", "text": "Bad"},
            {"tag": "Tag_SNS_Custom_Met", "text": "Bad"}]},
        {"user_id": "dan", "pin_order": 1},
    ])
    assert [row["texts"] for row in veto.last["items"]] == [
        {"remark": "Rude", "custom.Met": "Rude"}, {"remark": "Bad", "custom.Met": "Bad"}, {}]
    rows = friends(relation)
    for user in ("bob", "carl"):
        assert rows[user].remark == "mild"
        assert [(value.key, value.text) for value in rows[user].custom] == [("Met", "mild")]
    assert (rows["dan"].remark, rows["dan"].pin_order) == ("", 1)
    # A text that the hook empties is taken away, although the update has no mask.
    veto.answer = lambda data: {"items": [{"index": 0, "texts": {"remark": ""}}]}
    answer = relation("UpdateFriends", user_id="ann", items=[{"user_id": "bob", "remark": "Rude"}])
    assert answer.results[0].code == 0
    assert friends(relation)["bob"].remark == ""


def test_custom_texts_of_an_application_and_of_its_answer_change(relation, veto):
    relation("DefineCustomFields", items=[{
        "owner": "CUSTOM_FIELD_OWNER_FRIEND", "key": "Met",
        "value_type": "CUSTOM_FIELD_TYPE_STRING"}])
    relation("UpdateProfile", user_id="bob", profile={"allow_type": "ALLOW_TYPE_NEED_CONFIRM"})
    ask(relation, veto, "ADD_FRIENDS", "RESPOND_TO_APPLICATIONS")
    veto.answer = lambda data: {"items": [{"index": 0, "texts": {"custom.Met": "mild"}}]}
    custom = [{"key": "Met", "text": "Rude"}]
    relation("AddFriends", user_id="ann", items=[{"user_id": "bob", "custom": custom}])
    assert veto.last["items"][0]["texts"] == {"remark": "", "wording": "", "custom.Met": "Rude"}
    relation("RespondToApplications", user_id="bob", items=[{
        "user_id": "ann", "response_type": "FRIEND_RESPONSE_TYPE_AGREE_AND_ADD",
        "custom": custom}])
    assert veto.last["items"][0]["texts"] == {"remark": "", "custom.Met": "Rude"}
    for user, friend in (("ann", "bob"), ("bob", "ann")):
        rows = relation("GetFriends", user_id=user, user_ids=[friend]).results
        assert [(value.key, value.text) for value in rows[0].friend_entry.custom] == [
            ("Met", "mild")]


@pytest.mark.parametrize("said", [
    {"items": [{"index": 0, "texts": {"remark": "x" * 97}}]},
    {"items": [{"index": 0, "texts": {"custom.Met": "x"}}]},
    {"items": [{"index": 1}]}, {"items": [{"index": 0, "texts": {"groups": "x"}}]},
])
def test_an_answer_that_does_not_fit_an_update_is_a_failure(relation, veto, said):
    befriended(relation)
    ask(relation, veto, "UPDATE_FRIENDS", silence="HOOK_SILENCE_FAIL")
    veto.answer = lambda data: said
    refused = refusal(relation, "UpdateFriends", user_id="ann", items=[
        {"user_id": "bob", "remark": "r"}])
    assert (refused.code, refused.reason) == (grpc.StatusCode.UNAVAILABLE, "HOOK_SILENT")
    assert friends(relation)["bob"].remark == ""


def test_custom_texts_of_a_profile_change_too(relation, veto):
    relation("DefineCustomFields", items=[{
        "owner": "CUSTOM_FIELD_OWNER_PROFILE", "key": "Motto",
        "value_type": "CUSTOM_FIELD_TYPE_STRING"}])
    ask(relation, veto, "UPDATE_PROFILE")
    veto.answer = lambda data: {"items": [{"index": 0, "texts": {"custom.Motto": "mild"}}]}
    custom = {"custom": [{"key": "Motto", "text": "Rude"}]}
    relation("UpdateProfile", user_id="ann", profile=custom)
    assert veto.last["items"][0]["texts"] == {"custom.Motto": "Rude"}
    profile = relation("GetSelfProfile", user_id="ann").profile
    assert [(value.key, value.text) for value in profile.custom] == [("Motto", "mild")]


@pytest.mark.parametrize("answer", [
    (200, "{"), (200, "[]"), (200, ""), (200, "x" * 70_000), (500, "{}"), (204, ""),
    (301, "{}"), (200, '{"code": 1}'), (200, '{"code": 39001}'), (200, '{"other": 1}'),
    (200, '{"items": [{"index": 7, "code": 38000}]}'),
    (200, '{"items": [{"index": 0}, {"index": 0}]}'),
    (200, '{"items": [{"index": 0, "texts": {"remark": "' + "x" * 5_000 + '"}}]}'),
    (200, '{"items": [{"index": 0, "texts": {"source": "x"}}]}'),
])
def test_an_answer_that_answers_nothing_is_a_failure(relation, veto, answer):
    made = ask(relation, veto, "ADD_FRIENDS", silence="HOOK_SILENCE_FAIL")
    veto.answer = lambda data: answer
    refused = refusal(relation, "AddFriends", user_id="ann", items=[{"user_id": "bob"}])
    assert (refused.code, refused.reason) == (grpc.StatusCode.UNAVAILABLE, "HOOK_SILENT")
    deadline = time.monotonic() + 30
    while not (rows := relation("ListHookFailures", hook_id=made.hook.hook_id).failures):
        assert time.monotonic() < deadline, "no failure is told"
        time.sleep(0.1)
    assert (rows[0].status, rows[0].events, rows[0].user_id) == (answer[0], 0, "ann")
    assert "xxxx" not in rows[0].cause


def test_a_call_that_has_waited_goes_by_the_present_settings(relation, veto):
    ask(relation, veto, "UPDATE_PROFILE", "ADD_FRIENDS", ask_timeout_ms=10_000)
    veto.gate.clear()

    def begin(call, **fields):
        return relation.start(call).future(
            relation.stubs.request(call, fields), timeout=30, metadata=relation.metadata)

    update = begin("UpdateProfile", user_id="ann", profile={"nick": "Rude"})
    addition = begin("AddFriends", user_id="ann", items=[{"user_id": "bob", "remark": "my bob"}])
    deadline = time.monotonic() + 30
    while len(veto.asked) < 2:
        assert time.monotonic() < deadline, "the hook is not asked"
        time.sleep(0.01)
    relation(
        "UpdateApp",
        settings={"forbidden_words": {"values": ["rude"]}, "limits": {"remark": 5}},
        update_mask={"paths": ["forbidden_words", "limits.remark"]})
    veto.gate.set()
    assert update.result().code == 40005
    (result,) = addition.result().results
    assert (result.code, result.info) == (30001, "Err_SNS_FriendAdd_Remark_Illegal")


@pytest.mark.parametrize("silence", ["ALLOW", "REFUSE", "FAIL"])
def test_silence_means_what_the_app_says(relation, veto, silence):
    ask(relation, veto, silence=f"HOOK_SILENCE_{silence}", ask_timeout_ms=100)
    veto.gate.clear()
    began = time.monotonic()
    if silence == "FAIL":
        for call, fields in (
            ("AddFriends", {"items": [{"user_id": "bob"}]}),
            ("RespondToApplications", {"items": [
                {"user_id": "bob", "response_type": "FRIEND_RESPONSE_TYPE_AGREE"}]}),
            ("UpdateProfile", {"profile": {"nick": "N"}}),
            ("Follow", {"user_ids": ["bob"]}),
            ("AddToBlacklist", {"user_ids": ["bob"]}),
            ("UpdateFriends", {"items": [{"user_id": "bob", "remark": "r"}]}),
        ):
            refused = refusal(relation, call, user_id="ann", **fields)
            assert (refused.code, refused.reason) == (
                grpc.StatusCode.UNAVAILABLE, "HOOK_SILENT")
    elif silence == "REFUSE":
        assert {(result.code, result.reason) for result in calls(relation)} == {(38000, 5601)}
    else:
        assert [result.code for result in calls(relation)][1:] == [0, 0, 0, 0, 0]
    assert time.monotonic() - began < 5
    # After three questions the receiver is left alone for a while.
    assert len(veto.asked) == 3


@pytest.mark.parametrize("silence", ["ALLOW", "FAIL"])
def test_the_history_tells_what_the_hook_said(relation, open_server, veto, silence):
    """Of each entry the call of its hook: a refused item has none."""
    none, allowed, changed, silent = range(4)
    relation("UpdateApp", settings={"history_days": 1})
    hook = ask(relation, veto, silence=f"HOOK_SILENCE_{silence}", ask_timeout_ms=100).hook.hook_id

    def last():
        return relation("ListHistory", page_size=1).entries[0]

    # A kind of call that no hook is asked about.
    relation("CreateFriendGroups", user_id="ann", names=["work"])
    assert last().hook_answer == none
    relation("Follow", user_id="ann", user_ids=["bob"])
    assert last().hook_answer == allowed and last().changes[0].other_user_id == "bob"
    veto.answer = lambda data: {"items": [{"index": 0, "code": 38000}]}
    relation("Follow", user_id="ann", user_ids=["carl", "dan"])
    assert last().hook_answer == allowed and last().changes[0].other_user_id == "dan"
    assert len(relation("ListHistory").entries) == 3
    veto.answer = lambda data: {"items": [{"index": 0, "texts": {"nick": "mild"}}]}
    relation("UpdateProfile", user_id="ann", profile={"nick": "Rude"})
    assert last().hook_answer == changed and last().changes[0].profile_after.nick == "mild"
    veto.answer = lambda data: (500, "")
    blocked = {"user_id": "ann", "user_ids": ["eve"]}
    if silence == "FAIL":
        assert refusal(relation, "AddToBlacklist", **blocked).reason == "HOOK_SILENT"
        assert last().hook_answer == changed
    else:
        relation("AddToBlacklist", **blocked)
        assert last().hook_answer == silent
    relation("UpdateHook", hook_id=hook, paused=True)
    relation("Follow", user_id="ann", user_ids=["fay"])
    assert last().hook_answer == none and last().changes[0].other_user_id == "fay"
    # A support person reads the same in a table, the latest first.
    done = subprocess.run(
        [executable("relationctl"), "history", "--server", open_server.address, "--app",
         dict(relation.metadata)["x-app-id"]],
        check=False, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    head, *rows = done.stdout.splitlines()
    at, end = head.index("HOOK"), head.index("CHANGES")
    words = [row[at:end].strip() for row in rows if row[:at].strip()]
    silences = ["silent"] * (silence == "ALLOW")
    assert words == ["-", *silences, "changed", "allowed", "allowed", "-"], done.stdout


def test_a_dry_run_says_so_and_writes_nothing(relation, veto):
    ask(relation, veto)
    relation("UpdateProfile", user_id="ann", profile={"nick": "N"}, options={"dry_run": True})
    assert veto.last["dryRun"] is True
    relation("UpdateProfile", user_id="ann", profile={"nick": "N"})
    assert veto.last["dryRun"] is False
    assert veto.last["userId"] == "ann"


def test_a_request_id_that_has_its_answer_is_not_asked_about_again(relation, veto):
    ask(relation, veto)
    relation("Follow", user_id="ann", user_ids=["x"])
    veto.answer = lambda data: {"code": 38000, "info": "once"}
    again = []
    for _ in range(2):
        again.append(relation(
            "Follow", user_id="ann", user_ids=["bob"], options={"request_id": "one"}))
    assert [answer.replayed for answer in again] == [False, True]
    assert again[0].results == again[1].results
    assert veto.last["requestId"] == "one"
    assert len(veto.asked) == 2


def test_the_form_of_tim_asks_as_tim_does(relation, veto):
    refused = refusal(
        relation, "CreateHook", url=veto.url, form="HOOK_FORM_TIM_CALLBACKS",
        asks=["HOOK_QUESTION_FOLLOW"])
    assert refused.fields == ["asks"]
    refused = refusal(
        relation, "CreateHook", url=veto.url, form="HOOK_FORM_TIM_CALLBACKS",
        asks=["HOOK_QUESTION_UPDATE_FRIENDS"])
    assert refused.fields == ["asks"]
    ask(relation, veto, "ADD_FRIENDS", form="HOOK_FORM_TIM_CALLBACKS")
    veto.answer = lambda data: {
        "ActionStatus": "OK", "ErrorCode": 0, "ErrorInfo": "", "ResultItem": [
            {"To_Account": "bob", "ResultCode": 38001, "ResultInfo": "closed"}]}
    answer = relation("AddFriends", user_id="ann", items=[
        {"user_id": "bob", "source": "AddSource_Type_Web", "wording": "hi"}, {"user_id": "cid"}])
    assert [(row.code, row.info) for row in answer.results] == [(38001, "closed"), (0, "")]
    path, _, body = veto.asked[0]
    assert "CallbackCommand=Sns.CallbackPrevFriendAdd" in path and "Sign=" in path
    asked = json.loads(body)
    assert asked.pop("EventTime") > 0
    assert asked == {
        "CallbackCommand": "Sns.CallbackPrevFriendAdd", "Requester_Account": "ann",
        "From_Account": "ann", "AddType": "Add_Type_Both", "ForceAddFlags": 0,
        "FriendItem": [
            {"To_Account": "bob", "Remark": "", "GroupName": "",
             "AddSource": "AddSource_Type_Web", "AddWording": "hi"},
            {"To_Account": "cid", "Remark": "", "GroupName": "", "AddSource": "",
             "AddWording": ""}]}


def test_a_request_of_tim_says_which_items_are_done_when_a_later_call_fails(
        open_server, relation, veto):
    """The receiver is silent from its second question on: the first hundred items are done."""
    relation("UpdateApp", settings={
        "tim_rest": True, "tim_administrators": {"values": ["administrator"]}})
    ask(relation, veto, "ADD_FRIENDS", silence="HOOK_SILENCE_FAIL")
    answers = [{}]
    veto.answer = lambda data: answers.pop() if answers else (500, "")
    users = [f"u{number}" for number in range(250)]
    app = int(dict(relation.metadata)["x-app-id"])

    def add(users):
        return caller("sns/friend_add", {"From_Account": "ann", "AddFriendItem": [
            {"To_Account": user, "AddSource": "AddSource_Type_Web"} for user in users]})

    with Wire(open_server.port) as wire:
        caller = Caller(wire, app, "any")
        answer = add(users)
        assert answer["ErrorCode"] == 0, answer
        assert [item["To_Account"] for item in answer["ResultItem"]] == users
        assert [item["ResultCode"] for item in answer["ResultItem"]] == [0] * 100 + [30006] * 150
        assert answer["Fail_Account"] == users[100:]
        assert len(relation("ListFriends", user_id="ann", page_size=1000).friends) == 100
        # Nothing is done before the first call: the request as a whole is refused.
        refused = add(answer["Fail_Account"])
        assert (refused["ErrorCode"], refused.get("ResultItem")) == (30006, None)
        assert len(relation("ListFriends", user_id="ann", page_size=1000).friends) == 100


def test_one_hook_asks_about_a_call(relation, veto):
    first = ask(relation, veto, "FOLLOW").hook.hook_id
    for call, fields in (
        ("CreateHook", {"url": veto.url}), ("UpdateHook", {"hook_id": relation(
            "CreateHook", url=veto.url).hook.hook_id}),
    ):
        questions = ["HOOK_QUESTION_FOLLOW"]
        asks = questions if call == "CreateHook" else {"values": questions}
        refused = refusal(relation, call, asks=asks, **fields)
        assert (refused.code, refused.reason) == (
            grpc.StatusCode.FAILED_PRECONDITION, "HOOK_QUESTION_TAKEN")
    hook = relation("UpdateHook", hook_id=first, silence="HOOK_SILENCE_FAIL",
                    ask_timeout_ms=10_000).hook
    assert (hook.silence, hook.ask_timeout_ms) == (3, 10_000)
    assert refusal(relation, "UpdateHook", hook_id=first, asks={}).fields == ["asks"]


def test_the_rules_run_on_what_is_stored_when_the_hook_has_answered(relation, veto):
    ask(relation, veto, "ADD_FRIENDS")
    relation("Follow", user_id="bob", user_ids=["ann"])
    veto.gate.clear()
    request = relation.stubs.request(
        "AddFriends", {"user_id": "ann", "items": [{"user_id": "bob"}]})
    stub, _ = relation.stubs.method("AddFriends")
    waiting = stub(relation.channel).AddFriends.future(
        request, timeout=60, metadata=relation.metadata)
    deadline = time.monotonic() + 30
    while not veto.asked:
        assert time.monotonic() < deadline, "the hook is not asked"
        time.sleep(0.01)
    # Neither user's rows are held meanwhile.
    relation("AddToBlacklist", user_id="bob", user_ids=["ann"])
    assert not waiting.done()
    veto.gate.set()
    (result,) = waiting.result().results
    assert result.code == 30525, result


def test_a_paused_hook_is_not_asked(relation, veto):
    hook = ask(relation, veto).hook.hook_id
    relation("UpdateHook", hook_id=hook, paused=True)
    relation("Follow", user_id="ann", user_ids=["bob"])
    assert not veto.asked


def test_so_many_calls_wait_and_other_apps_go_on(relation, veto, open_server, stubs):
    ask(relation, veto, ask_timeout_ms=10_000)
    veto.gate.clear()
    channels = [grpc.insecure_channel(open_server.address, [("grpc.use_local_subchannel_pool", 1)])
                for _ in range(4)]
    waiting = []
    for number in range(APP_LIMIT):
        follow = stubs.method("Follow")[0](channels[number % 4]).Follow
        waiting.append(follow.future(
            stubs.request("Follow", {"user_id": "ann", "user_ids": [f"u{number}"]}),
            metadata=relation.metadata, timeout=60))
    deadline = time.monotonic() + 30
    text = ""
    while f"relation_hook_waiting_questions {APP_LIMIT}" not in text:
        assert time.monotonic() < deadline, "not all calls wait"
        time.sleep(0.1)
        text = metrics(open_server)
    for call, fields in (
        ("AddFriends", {"items": [{"user_id": "bob"}]}),
        ("RespondToApplications", {"items": [
            {"user_id": "bob", "response_type": "FRIEND_RESPONSE_TYPE_AGREE"}]}),
        ("UpdateProfile", {"profile": {"nick": "N"}}),
        ("Follow", {"user_ids": ["bob"]}),
        ("AddToBlacklist", {"user_ids": ["bob"]}),
        ("UpdateFriends", {"items": [{"user_id": "bob", "remark": "r"}]}),
    ):
        refused = refusal(relation, call, user_id="ann", **fields)
        assert (refused.code, refused.reason, refused.metadata) == (
            grpc.StatusCode.RESOURCE_EXHAUSTED, "TOO_MANY_QUESTIONS",
            {"limit": str(APP_LIMIT)})
    # Other calls of the app, and the same calls of another app, wait for nothing.
    began = time.monotonic()
    relation("Unfollow", user_id="ann", user_ids=["bob"])
    other = relation.in_app(relation("CreateApp", settings=SETTINGS).app.app_id)
    for number in range(20):
        other("Follow", user_id="ann", user_ids=[f"u{number}"])
    assert time.monotonic() - began < 5
    veto.gate.set()
    assert all(call.result().results[0].code == 0 for call in waiting)
    for channel in channels:
        channel.close()


def metrics(running):
    import urllib.request

    with urllib.request.urlopen(running.pages + "/metrics", timeout=10) as answer:
        return answer.read().decode()


# Explanations


def test_an_explanation_names_the_hook_and_its_silence_and_asks_no_receiver(relation, veto):
    hook = ask(relation, veto, silence="HOOK_SILENCE_FAIL").hook.hook_id
    pair = {"from_user_id": "ann", "to_user_id": "bob"}
    for call, fields in [
        ("ExplainAddFriend", pair), ("ExplainRespond", pair), ("ExplainFollow", pair),
        ("ExplainBlock", pair), ("ExplainUpdateProfile", {"from_user_id": "ann"}),
    ]:
        (rung,) = (rung for rung in relation(call, **fields).rungs if rung.hook_id)
        assert (rung.hook_id, rung.value, rung.decided) == (hook, "HOOK_SILENCE_FAIL", False), call
    relation("UpdateHook", hook_id=hook, paused=True)
    told = relation("ExplainUpdateProfile", from_user_id="ann")
    assert not any(rung.hook_id for rung in told.rungs)
    assert veto.asked == []
