"""The parts of the page Apps for back ends: webhooks, and consumers."""

import pytest
from console import Console, call, call_until, console, console_address, needs_browser  # noqa: F401
from hands import Hands
from relationd import Relationd

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
    hands.click("Do it", within="dialog")
    hands.click("Close", within="dialog")


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
    hands.click("Do it", within="dialog")
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
    hands.click("Do it", within="dialog")
    newer = hooked.until("document.querySelector('.key')?.textContent")
    hands.click("Close", within="dialog")
    secrets = only(hooked)["secrets"]
    assert newer != secret and len(secrets) == 2 and "expireTimeMs" in secrets[1]
    hands.click(f"change {identity}")
    hands.type("name", "mails", within="dialog")
    do(hands)
    hooked.until(f"{ROWS}.some(row => row.includes('mailshttp'))")
    hands.click(f"delete {identity}")
    hands.type(f"Type {identity}", identity)
    do(hands)
    hooked.until(f"{PAGE}.includes('no webhook')")
    assert hooked.complaints() == []


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
    hands.type("time_ms", "1000", within="dialog")
    do(hands)
    hooked.until(f"{ROWS}.some(row => row.startsWith(arguments[0]))", hook)
    call(address, "HookService/DeleteHook", hookId=hook)


def test_a_server_without_hooks_says_so(console):  # noqa: F811
    hands = Hands(console)
    console.show("apps", app=1, part="hooks")
    console.until(f"{PAGE}.includes('no webhook')")
    hands.click("Make a webhook")
    hands.type("url", "https://example.org/", within="dialog")
    hands.click("Do it", within="dialog")
    console.until(f"{DIALOG}.textContent.includes('HOOKS_DISABLED')")
    hands.click("Leave it", within="dialog")
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
