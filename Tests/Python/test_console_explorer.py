"""The API explorer: every call of the contract by its form, as JSON and as code."""

import json
import subprocess
import urllib.request

import pytest
from console import Console, console, console_address, needs_browser  # noqa: F401
from hands import Hands

pytestmark = needs_browser
TEXT = "document.querySelector('.call label.wide textarea')"
OUTCOME = "document.querySelector('.answer')?.textContent"


@pytest.fixture
def hands(console):  # noqa: F811
    return Hands(console)


def shows(console, text):  # noqa: F811
    """Waits for the answer to have a text."""
    return console.until(f"{OUTCOME}.includes(arguments[0]) && {OUTCOME}", text)


def test_a_call_is_found_filled_in_and_answered_in_words(console, hands):  # noqa: F811
    console.show("explorer")
    hands.type("Filter the calls", "addfriends")
    hands.click("AddFriends", "a")
    hands.type("user_id", "0")
    hands.click("items", "summary")
    hands.click("Add to items")
    hands.type("user_id", "1", within=".item")
    hands.click("Dry run")
    said = shows(console, "a dry run: nothing was changed")
    assert "HTTP 200" in said and " ms" in said
    assert "every row to make exists already" in said, "the contract's own words for the reason"
    assert console.ask(f"return JSON.parse({TEXT}.value)") == {
        "userId": "0", "items": [{"userId": "1"}]}


@pytest.mark.parametrize("name, ours, calls", [
    ("friend_add", "AddFriends", ["AddFriends"]),
    ("getPendencyList", "ListPendencies", ["ListPendencies"]),
    ("TIMFriendResponse", "FriendResponse", ["RespondToApplications"]),
    ("v4/sns/friend_add", "AddFriends", ["AddFriends"]),
])  # fmt: skip
def test_the_filter_takes_a_name_of_another_system(console, hands, name, ours, calls):  # noqa: F811
    console.show("explorer")
    hands.type("Filter the calls", name)
    assert console.until("document.querySelector('.ours:not([hidden])')?.textContent") == \
        f"{name} is here: {ours}"
    shown = console.ask(
        "return [...document.querySelectorAll('.calls a')].filter(each => each.checkVisibility())"
        ".map(each => each.textContent)")
    assert shown == calls


def test_the_text_and_the_form_are_one_request_and_a_mistake_is_located(
        console, hands):  # noqa: F811
    console.show("explorer", call="ProfileService/UpdateProfile")
    hands.type("The request as JSON", '{"user_id": "0",\n "profile": {"level": 7}}')
    level = "document.querySelector('[data-path=\"profile.level\"] input')"
    assert console.until(f"{level}?.value") == "7"
    hands.type("level", "4294967296", within='[data-path="profile.level"]')
    assert console.until(f"{level}.closest('.field').querySelector('.error').textContent") == \
        "0 to 4294967295 may be sent"
    hands.click("Run")
    assert "Not sent" in shows(console, "profile.level")
    hands.type("The request as JSON", '{"userId": "0",\n "profil": {}}')
    fault = "document.querySelector('#json-error').textContent"
    assert console.until(fault) == 'Line 2: UpdateProfileRequest has no field "profil".'
    hands.type("The request as JSON", '{"userId": "0",\n ]')
    assert "line 2" in console.until(f"{fault}.startsWith('No JSON') && {fault}")


def test_what_the_server_refuses_is_explained_beside_its_field(console, hands):  # noqa: F811
    console.show("explorer", call="FriendService/AddFriends")
    hands.click("Dry run")
    said = shows(console, "INVALID_FIELD")
    assert "invalid_argument, HTTP 400" in said and "names every one" in said
    assert "1 to 100 may be sent" in console.ask(
        "return document.querySelector('[data-path=items]').textContent")
    hands.sees_failed_calls(400)


def test_streams_show_answers_as_they_come_and_are_stopped(console, hands):  # noqa: F811
    console.show("explorer", call="ChangeService/Watch")
    hands.choose("scope", "user_id")
    hands.type("user_id", "1")
    hands.click("Send")
    console.until("document.querySelectorAll('.answers li').length > 3")
    hands.click("Stop")
    shows(console, "stopped")
    # Two requests of one call; an import asks before it writes, since it has no dry run.
    console.show("explorer", call="AccountService/ImportAccounts")
    hands.type("The requests as JSON", '[{"row": {"userId": "0"}}, {"row": {"userId": "1"}}]')
    assert console.until("document.querySelectorAll('.fields > fieldset').length") == 2
    hands.click("Run")
    hands.click("Run", within="dialog")
    assert "not a refusal" in shows(console, "EXISTED")


def test_a_request_is_a_link_and_code_and_neither_has_the_credential(
        console, hands, tmp_path):  # noqa: F811
    request = {"userId": "0", "userIds": ["4038", "it's"]}
    console.show("explorer", call="FriendService/CheckFriends", request=json.dumps(request))
    hands.click("curl")
    code = "document.querySelector('.code pre').textContent"
    shell = console.until(code)
    # The calls have a port of their own; the pages take them too, for this page.
    served = json.loads(get(f"{console.address}/console/calls.json"))
    assert f"http://{served['address']}/relation.v1." in shell
    assert served["address"] != console.address.removeprefix("http://")
    ran = subprocess.run(["bash", "-c", shell], capture_output=True, check=True, timeout=20)
    assert json.loads(ran.stdout)["results"][0]["relation"] == "FRIEND_RELATION_NONE"
    console.ask("sessionStorage.setItem('relation.credential', 'quite-secret'); location.reload()")
    for name, word in ("Python", "RELATION_API_KEY"), ("Swift", "RELATION_API_KEY"), (
            "curl", "$RELATION_API_KEY"):
        hands.click(name)
        assert word in console.until(f"{code}.includes(arguments[0]) && {code}", word)
        assert "quite-secret" not in console.ask(
            "return document.documentElement.outerHTML + location.href")
        if name == "Python":
            compile(console.ask(f"return {code}"), "snippet", "exec")
        if name != "curl":
            host, port = served["address"].split(":")
            said = (f'"http://{host}:{port}"' if name == "Python"
                    else f'host: "{host}", port: {port}')
            assert said in console.ask(f"return {code}")


def get(address):
    with urllib.request.urlopen(address, timeout=20) as answer:
        return answer.read()


def test_code_calls_all_addresses_by_the_name_of_the_page(start):
    running = start("data", "--allow-plaintext", listen="0.0.0.0:0", insecure=False)
    with Console(running.pages.replace("127.0.0.1", "localhost")) as console:  # noqa: F811
        console.show("explorer", call="AppService/ListApps")
        shell = console.until("document.querySelector('.code pre')?.textContent")
        assert f"http://localhost:{running.port}/relation.v1.AppService/ListApps" in shell


def test_code_calls_a_socket_by_its_path(start, tmp_path):
    path = tmp_path / "it's"
    running = start("data", listen=f"unix:{path}")
    with Console(running.pages) as console:  # noqa: F811
        console.show("explorer", call="AppService/ListApps", request="{}")
        shell = console.until("document.querySelector('.code pre')?.textContent")
        ran = subprocess.run(["bash", "-c", shell], capture_output=True, check=True, timeout=20)
        assert json.loads(ran.stdout)["apps"][0]["appId"] == 1
        for name, said in (
                ("Python", f'"http://unix:{path}"'), ("Swift", f'.unixSocket(path: "{path}")')):
            Hands(console).click(name)
            assert said in console.ask("return document.querySelector('.code pre').textContent")


def test_code_calls_an_encrypted_server_so(start, certificate):
    running = start(
        "data", "--tls-cert", certificate.path, "--tls-key", certificate.key_path,
        "--allow-anonymous", insecure=False)  # fmt: skip
    with Console(running.pages) as console:  # noqa: F811
        console.show("explorer", call="AppService/ListApps")
        shell = console.until("document.querySelector('.code pre')?.textContent")
        assert f" https://{running.address}/relation.v1." in shell
        for name, said in (("Python", 'Client("https://'), ("Swift", ".tls()")):
            Hands(console).click(name)
            code = console.ask("return document.querySelector('.code pre').textContent")
            assert said in code
            if name == "Python":
                compile(code, "snippet", "exec")


def test_friends_come_first_and_values_are_kept_between_calls(console, hands):  # noqa: F811
    console.show("explorer")
    assert console.until("document.querySelector('.calls section h2')?.textContent") == "Friend"
    console.show("explorer", call="FriendService/ListFriends")
    hands.type("user_id", "7")
    hands.type("page_size", "3")
    hands.click("GetRelations", "a")
    console.until("document.querySelector('h2.name').textContent.endsWith('/GetRelations')")
    # Another call begins with the same user, and the first one is as it was left.
    assert console.ask(f"return JSON.parse({TEXT}.value)") == {"userId": "7"}
    hands.click("ListFriends", "a")
    console.until("document.querySelector('h2.name').textContent.endsWith('/ListFriends')")
    assert console.ask(f"return JSON.parse({TEXT}.value)") == {"userId": "7", "pageSize": 3}


def test_an_example_of_the_contract_fills_the_form(console, hands):  # noqa: F811
    console.show("explorer", call="FriendService/AddFriends")
    hands.click("Example", "button")
    said = shows(console, "from a test of the contract")
    assert "adding a user" in said, said
    request = console.ask(f"return JSON.parse({TEXT}.value)")
    assert request["userId"] == "ann" and request["items"][0]["userId"] == "bob"
    assert console.ask("return document.querySelector('[data-path=user_id] input').value") == "ann"
    # Another call's example is about the same user.
    hands.type("user_id", "7")
    hands.click("ListFriends", "a")
    console.until("document.querySelector('h2.name').textContent.endsWith('/ListFriends')")
    hands.click("Example", "button")
    shows(console, "from a test of the contract")
    assert console.ask(f"return JSON.parse({TEXT}.value)")["userId"] == "7"


@pytest.mark.parametrize("name, lines", [
    ("Go", ['relation.Dial("http://HOST", relation.Options{})', "client.Friend.AddFriends(ctx, ",
            'UserId: "ann"', "AddType: v1.AddType_ADD_TYPE_BOTH", '&v1.AddFriend{UserId: "bob"}']),
    ("TypeScript", ['new Client("http://HOST")', "await client.friend.addFriends({",
                    'userId: "ann"', 'addType: "ADD_TYPE_BOTH"']),
    ("Java", ['RelationClient.to("http://HOST").open()', "client.friend().addFriends(",
              '.setUserId("ann")', ".setAddType(AddType.ADD_TYPE_BOTH)",
              '.addItems(AddFriend.newBuilder().setUserId("bob"))']),
])  # fmt: skip
def test_a_call_is_code_for_our_clients(console, hands, name, lines):  # noqa: F811
    request = {"userId": "ann", "items": [{"userId": "bob"}], "addType": "ADD_TYPE_BOTH"}
    console.show("explorer", call="FriendService/AddFriends", request=json.dumps(request))
    hands.click(name, "button")
    code = console.ask("return document.querySelector('.code pre').textContent")
    served = json.loads(get(f"{console.address}/console/calls.json"))["address"]
    for line in lines:
        assert line.replace("HOST", served) in code, code
    # The credential is a placeholder here too.
    console.ask("sessionStorage.setItem('relation.credential', 'quite-secret'); location.reload()")
    hands.click(name, "button")
    said = console.until("document.querySelector('.code pre').textContent.includes('KEY') &&"
                         "document.querySelector('.code pre').textContent")
    assert "RELATION_API_KEY" in said and "quite-secret" not in said


@pytest.mark.parametrize("call", ["AppService/ListApps", "SubscriptionService/Subscribe"])
def test_a_chosen_call_is_seen_in_its_list_and_the_page_stays_where_it_is(
        console, call):  # noqa: F811
    """Also the last one, which is far down its list."""
    console.show("explorer")
    last = console.ask("const all = await (await import('/console/shared/contract.js')).contract();"
                       "return [...all.calls.keys()].at(-1)")
    for name in (call, last):
        console.show("explorer", call=name)
        console.until("document.querySelector('.calls [aria-current]')")
        # The list is brought to its place before the next drawing.
        console.ask("for (let i = 0; i < 3; i++) await new Promise(requestAnimationFrame)")
        top, one, list = console.ask("""
            const of = name => document.querySelector(name).getBoundingClientRect();
            const [header, one, list] = ['header', '.calls [aria-current]', '.calls'].map(of);
            return [scrollY + Math.min(0, header.top), [one.top, one.bottom],
                [list.top, list.bottom]]""")
        assert top == 0, name
        assert list[0] <= one[0] and one[1] <= list[1] + 1, (name, one, list)
