"""The parts of the page Apps for back ends: webhooks, and consumers."""

import pytest
from console import Console, call, call_until, console, console_address, needs_browser  # noqa: F401
from hands import Hands
from relationd import Relationd
from test_hooks import receiver  # noqa: F401

pytestmark = needs_browser
PAGE = "document.querySelector('.page').textContent"
DIALOG = "document.querySelector('dialog.operation')"
# Nothing listens there.
URL = "http://127.0.0.1:65500/"
ROWS = "[...document.querySelectorAll('.page tbody tr')].map(row => row.textContent)"


@pytest.fixture(scope="module")
def hooked(tmp_path_factory):
    """The console of a server that allows hooks; nothing listens where its hook goes."""
    data = tmp_path_factory.mktemp("hooked") / "data"
    flags = ["--hooks", "--hook-allow-plaintext", "--hook-allow-private"]
    with Relationd(data, *flags) as running, Console(running.pages) as shown:
        call(shown.address, "AppService/UpdateApp", settings={"makesAccountsImplicitly": True})
        yield shown


def do(hands):
    hands.click("Run", within="dialog")
    hands.click("Close", within="dialog")


def delete(shown, identity):
    """Deletes a hook once the page reads it no more."""
    shown.go("about:blank")
    call(shown.address, "HookService/DeleteHook", hookId=identity)


def only(shown):
    [hook] = call(shown.address, "HookService/ListHooks")["hooks"]
    return hook


def test_a_webhook_is_made_paused_and_deleted(hooked):
    hands = Hands(hooked)
    hooked.show("apps", app=1, part="hooks")
    hooked.until(f"{PAGE}.includes('no webhook')")
    hands.click("Make a webhook")
    hands.type("name", "orders", within="dialog")
    hands.type("url", URL, within="dialog")
    hands.click("Run", within="dialog")
    secret = hooked.until("document.querySelector('.key')?.textContent")
    assert secret.startswith("whsec_")
    hands.click("Close", within="dialog")
    hooked.until(f"{ROWS}.some(row => row.includes('orders' + arguments[0] + 'active'))", URL)
    identity = only(hooked)["hookId"]
    hands.click(f"pause {identity}")
    assert "gets no events" in hooked.until(f"{DIALOG}.textContent")
    do(hands)
    hooked.until(f"{ROWS}.some(row => row.includes('/paused'))")
    hands.click(f"go on {identity}")
    do(hands)
    hooked.until(f"{ROWS}.some(row => row.includes('/active'))")
    hands.click(f"new secret {identity}")
    hands.click("Run", within="dialog")
    newer = hooked.until("document.querySelector('.key')?.textContent")
    hands.click("Close", within="dialog")
    secrets = only(hooked)["secrets"]
    assert newer != secret and len(secrets) == 2 and "expireTimeMs" in secrets[1]
    # A secret that the receiver has already is not shown again.
    hands.click(f"new secret {identity}")
    hands.type("secret", "token", within="dialog")
    hands.click("Run", within="dialog")
    assert "whsec_" in fault(hooked, "secret")
    hands.type("secret", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", within="dialog")
    hands.click("Run", within="dialog")
    hooked.until(f"{DIALOG}.querySelector('.answer')")
    assert not hooked.until(f"[{DIALOG}.querySelector('.key')]")[0]
    hands.click("Close", within="dialog")
    hands.sees_failed_calls(400)
    assert only(hooked)["secrets"] != secrets
    hands.click(f"change {identity}")
    hands.type("name", "mails", within="dialog")
    do(hands)
    hooked.until(f"{ROWS}.some(row => row.includes('mailshttp'))")
    hands.click(f"delete {identity}")
    hands.type(f"Type {identity}", identity)
    do(hands)
    hooked.until(f"{PAGE}.includes('no webhook')")
    assert hooked.complaints() == []


def fault(shown, path):
    """What the dialog says is wrong with a field, once it says something."""
    return shown.until(
        f"{DIALOG}.querySelector(`[data-path=\"${{arguments[0]}}\"] > .error`)?.textContent", path)


def test_a_webhook_is_asked_before_calls(hooked):
    hands = Hands(hooked)
    hooked.show("apps", app=1, part="hooks")
    hands.click("Make a webhook")
    hands.type("url", URL, within="dialog")
    hands.choose("form", "GRPC")
    for question in "ADD_FRIENDS", "FOLLOW":
        hands.click(question, "[data-path=asks] option")
    hands.choose("silence", "REFUSE")
    hands.tick("asks_only", within="dialog")
    hands.type("Ask timeout", "0.0001", within="dialog")
    hands.click("Run", within="dialog")
    hooked.until(f"{DIALOG}.textContent.includes("
                 "'this is not a whole number of milliseconds')")
    # It is no 0, which would stand for the usual time.
    hands.type("Ask timeout", "1e-12", within="dialog")
    assert "not a whole number of" in fault(hooked, "ask_timeout_ms")
    hands.type("Ask timeout", "9999999999999999", within="dialog")
    hooked.until(f"{DIALOG}.textContent.includes('may be sent')")
    hands.type("Ask timeout", "0.05", within="dialog")
    hands.click("Run", within="dialog")
    assert "is 50" in fault(hooked, "ask_timeout_ms")
    hands.choose("Unit of Ask timeout", "milliseconds")
    hands.type("Ask timeout", "300", within="dialog")
    do(hands)
    hooked.until(f"{ROWS}.some(row => row.includes("
                 "'activegrpcadd friends, follow300 milliseconds, then refuse; gets no events0'))")
    made = only(hooked)
    assert made["asks"] == ["HOOK_QUESTION_ADD_FRIENDS", "HOOK_QUESTION_FOLLOW"]
    identity = made["hookId"]
    hands.click(f"change {identity}")
    stood = hooked.until(f"{DIALOG}.querySelector('[data-path=ask_timeout_ms] input').value")
    assert stood == "300"
    # Meanwhile another administrator names it: the form sends only what was changed in it.
    call(hooked.address, "HookService/UpdateHook", hookId=identity, name="theirs")
    hands.click("FOLLOW", '[data-path="asks.values"] option')
    hands.type("Ask timeout", "", within="dialog")
    do(hands)
    hooked.until(f"{ROWS}.some(row => row.includes("
                 "'activegrpcadd friends2 seconds, then refuse; gets no events0'))")
    assert only(hooked)["name"] == "theirs"
    hands.click(f"change {identity}")
    hands.click("clear asks", within="dialog")
    hands.click("Run", within="dialog")
    assert "must not be empty with asks_only" in fault(hooked, "asks")
    hands.choose("asks_only", "no")
    do(hands)
    hooked.until(f"{ROWS}.some(row => row.includes('activegrpc–'))")
    assert {"asks", "asksOnly"}.isdisjoint(only(hooked))
    hands.sees_failed_calls(400)
    delete(hooked, identity)


def test_a_call_that_another_webhook_is_asked_about_is_told_at_its_field(hooked):
    hands = Hands(hooked)
    made = call(hooked.address, "HookService/CreateHook", url=URL, asks=["HOOK_QUESTION_FOLLOW"])
    hooked.show("apps", app=1, part="hooks")
    hands.click("Make a webhook")
    hands.type("url", URL, within="dialog")
    hands.click("FOLLOW", "[data-path=asks] option")
    hands.click("Run", within="dialog")
    assert "another hook of the app asks" in fault(hooked, "asks")
    hooked.until(f"{DIALOG}.textContent.includes('HOOK_QUESTION_TAKEN')")
    hands.click("Cancel", within="dialog")
    hands.sees_failed_calls(400)
    delete(hooked, made["hook"]["hookId"])


def test_a_webhook_is_tested(hooked, receiver):  # noqa: F811
    hands = Hands(hooked)
    made = call(hooked.address, "HookService/CreateHook", url=receiver.url, paused=True)
    identity = made["hook"]["hookId"]
    hooked.show("apps", app=1, part="hooks")
    hands.click(f"test {identity}")
    hands.click("Dry run", within="dialog")
    hooked.until(f"{DIALOG}.textContent.includes('nothing was changed')")
    hands.click("Run", within="dialog")
    hooked.until(f"{DIALOG}.textContent.includes('confirmed the event with the status 204 in ')")
    hands.click("Close", within="dialog")
    # The time of the test stands in the list.
    hooked.until("document.querySelectorAll('[aria-label=Webhooks] tbody time').length === 1")
    assert receiver.requests.qsize() == 1
    receiver.status = 500
    hands.click(f"test {identity}")
    hands.click("Run", within="dialog")
    told = hooked.until(f"{DIALOG}.querySelector('.answer .bad')?.textContent")
    assert told.startswith("The receiver did not confirm the event, after ")
    assert told.endswith(" ms: the receiver answered 500.")
    hands.click("Close", within="dialog")
    assert hooked.complaints() == []
    delete(hooked, identity)


def test_what_failed_is_shown_and_sent_again(hooked):
    hands = Hands(hooked)
    address = hooked.address
    hook = call(address, "HookService/CreateHook", url=URL)["hook"]["hookId"]
    call(address, "FollowService/Follow", userId="ann", userIds=["bob"])
    call_until(lambda answer: "failures" in answer, address, "HookService/ListHookFailures",
               hookId=hook)
    hooked.show("apps", app=1, part="hooks")
    row = hooked.until(f"{ROWS}.find(row => /(ann|bob)1 from /.test(row))")
    assert "the receiver takes no connection" in row
    hands.click(f"replay {hook}")
    # The keys of a field for times depend on the browser's language.
    hooked.ask("const field = document.querySelector('dialog [type=datetime-local]');"
               "field.value = '2001-02-03T04:05:06'; field.dispatchEvent(new Event('input'));")
    do(hands)
    hooked.until(f"{ROWS}.some(row => row.startsWith(arguments[0]))", hook)
    delete(hooked, hook)


def test_a_server_without_hooks_says_so(console):  # noqa: F811
    hands = Hands(console)
    console.show("apps", app=1, part="hooks")
    console.until(f"{PAGE}.includes('no webhook')")
    hands.click("Make a webhook")
    hands.type("url", "https://example.org/", within="dialog")
    hands.click("Run", within="dialog")
    console.until(f"{DIALOG}.textContent.includes('HOOKS_DISABLED')")
    hands.click("Cancel", within="dialog")
    hands.sees_failed_calls(400)


def test_a_consumer_is_made_moved_and_deleted(hooked):
    hands = Hands(hooked)
    address = hooked.address
    call(address, "ProfileService/UpdateProfile", userId="joe", profile={"nick": "J"})
    hooked.show("apps", app=1, part="consumers")
    hooked.until(f"{PAGE}.includes('no consumer')")
    hands.click("Make a consumer")
    hands.type("consumer", "orders", within="dialog")
    do(hands)
    hooked.until(f"{ROWS}.some(row => row.startsWith('orders0in the log'))")
    call(address, "ProfileService/UpdateProfile", userId="joe", profile={"nick": "Joe"})
    hooked.show("apps", app=1, part="consumers")
    hooked.until(f"{ROWS}.some(row => row.startsWith('orders1in the log'))")
    hands.click("move orders")
    assert "loses its reader" in hooked.until(f"{DIALOG}.textContent")
    do(hands)
    hooked.until(f"{ROWS}.some(row => row.startsWith('orders0in the log'))")
    hands.click("delete orders")
    hands.type("Type orders", "orders")
    do(hands)
    hooked.until(f"{PAGE}.includes('no consumer')")
    assert hooked.complaints() == []
