"""The page Apps: apps, settings, limits, keys, and work on an app as a whole."""

import re

import pytest
from console import Console, call, call_until, console, console_address, needs_browser  # noqa: F401
from credentials import init
from hands import Hands
from relationd import Relationd

pytestmark = needs_browser
DIALOG = "document.querySelector('dialog.operation')"


@pytest.fixture
def hands(console):  # noqa: F811
    return Hands(console)


def show(console, app, part, text):  # noqa: F811
    """Opens a part of an app, and waits for a text on it."""
    console.show("apps", app=app, part=part)
    console.until("document.querySelector('.page').textContent.includes(arguments[0])", text)


@pytest.mark.parametrize("app", ["", "99"])
@pytest.mark.parametrize("page", ["graph", "user?id=ann", "events", "events?user=ann"])
def test_an_operator_without_an_app_is_asked_for_one(guarded, page, app):
    console, key = guarded
    console.ask("sessionStorage.setItem('relation.credential', args[0]);"
                "if (args[1]) sessionStorage.setItem('relation.app', args[1])", key, app)
    console.show(page)
    hands = Hands(console)
    console.until("document.querySelector('.page h2')?.textContent === 'Which app?'")
    assert console.ask("return document.querySelector('#note').textContent") == ""
    hands.click("App 1")
    console.until("document.querySelector('#caller').textContent.endsWith('app 1')")
    console.until("!document.querySelector('.page').textContent.includes('Which app?')")
    assert console.ask("return sessionStorage.getItem('relation.app')") == "1"
    console.ask("sessionStorage.clear()")
    hands.sees_failed_calls()


@pytest.fixture(scope="module")
def guarded(tmp_path_factory):
    """The console of a server that asks for credentials, and its operator's key."""
    data = tmp_path_factory.mktemp("guarded") / "data"
    _, key, _ = init(data)
    with Relationd(data, insecure=False) as running, Console(running.pages) as console:  # noqa: F811
        console.show("apps")
        yield console, key


def test_an_app_is_made_changed_and_deleted_by_its_name(console, hands):  # noqa: F811
    console.show("apps")
    hands.click("Make an app")
    hands.type("name", "chess", within="dialog")
    hands.click("Run", within="dialog")
    app = console.until(f"/appId\": (\\d+)/.exec({DIALOG}?.textContent)?.[1]")
    hands.click("Close", within="dialog")
    hands.choose("App", f"{app}: chess")
    console.until("location.hash === `#apps?app=${arguments[0]}` &&"
                  " document.querySelector('section h2')?.textContent.endsWith(': chess')", app)
    show(console, app, "settings", "Nothing is changed.")
    hands.type("friends", "2999")
    save = "document.querySelector('.save').textContent"
    assert "Limits › Friends: 3000 → 2999" in console.until(f"{save}.includes('2999') && {save}")
    hands.click("Save")
    assert "Limits › Friends" in console.until(f"{DIALOG}.textContent")
    hands.click("Dry run", within="dialog")
    console.until(f"{DIALOG}.textContent.includes('nothing was changed')")
    hands.click("Run", within="dialog")
    hands.click("Close", within="dialog")
    console.until("document.querySelector('.page').textContent.includes('itself: Limits › Friends')")
    hands.click("All apps", "summary")
    hands.click(f"delete app {app}")
    assert console.ask(f"return [...{DIALOG}.querySelectorAll('button')].find(each => "
                       "each.textContent === 'Run').disabled")
    hands.type("Type chess", "chess")
    hands.click("Run", within="dialog")
    hands.click("Close", within="dialog")
    console.until("!document.querySelector('.page section table')?.textContent.includes("
                  "'chess') || document.body.textContent.includes('deleting')")
    # The page asks once more for the app that is gone; it asks nothing once it is left.
    console.go("about:blank")
    hands.sees_failed_calls(404)


def test_a_key_is_shown_once_and_ended_by_its_id(console, hands):  # noqa: F811
    show(console, 1, "keys", "Credentials of backends")
    hands.click("Make a credential")
    hands.type("name", "backend", within="dialog")
    hands.click("Run", within="dialog")
    key = console.until("document.querySelector('.key')?.textContent")
    hands.click("Close", within="dialog")
    console.until(f"!{DIALOG} && document.querySelector('td')?.textContent")
    kept = console.ask(
        "return document.documentElement.outerHTML + JSON.stringify([{...localStorage},"
        " {...sessionStorage}, location.href])")
    assert key not in kept and len(key) > 20
    listed = call(console.address, "AppService/ListCredentials")["credentials"]
    identity = next(each["credentialId"] for each in listed if each["credentialId"] in key)
    console.until("[...document.querySelectorAll('td')].some(each =>"
                  " each.textContent.endsWith(' 0 days ago'))")
    hands.click(f"end {identity}")
    hands.type(f"Type {identity}", identity)
    hands.click("Run", within="dialog")
    hands.click("Close", within="dialog")
    console.until("!document.body.textContent.includes(arguments[0])", identity)


def test_the_parts_show_use_of_limits_fields_and_work(console, hands):  # noqa: F811
    show(console, 1, "overview", " of 3,000")
    assert re.search(r"Accounts\s*4,0", console.ask(
        "return document.querySelector('.counts').textContent"))
    # The limit that is nearest to its bound comes first.
    shares = console.ask(
        "return [...document.querySelectorAll('meter')].map(each => each.value / each.max)")
    assert shares == sorted(shares, reverse=True) and shares[0] > 0
    show(console, 1, "fields", "Custom fields")
    hands.click("Define a field")
    hands.type("key", "Blood", within="dialog")
    hands.click("Dry run", within="dialog")
    console.until(f"{DIALOG}.textContent.includes('FriendStatus')")
    hands.click("Cancel", within="dialog")
    show(console, 1, "work", "integrity")
    hands.click("Check", "button")
    # A check of all rows takes some seconds, so it tells how far it has come, and can be stopped.
    console.until("/[1-9].* users/.test(document.querySelector('.running').textContent)")
    hands.click("Stop")
    console.until("document.querySelector('.running').textContent.includes('stopped')")
    show(console, 1, "server", "Backups")
    hands.click("Make a backup")
    hands.click("Run", within="dialog")
    console.until("[...document.querySelectorAll('td')].some(each => "
                  "each.textContent.includes('store, format'))")


def test_the_chain_of_the_audit_is_verified_in_the_browser(tmp_path):
    def page(console, text):
        console.until("document.querySelector('.page').textContent.includes(arguments[0])", text)

    with Relationd(tmp_path / "data", "--audit-days", "30") as running, \
            Console(running.pages) as console:  # noqa: F811
        for nick in ("a", "é", "c"):
            call(running.pages, "AppService/UpdateApp", name=nick)
        call(running.pages, "AppService/UpdateApp", settings={"makesAccountsImplicitly": True},
             updateMask="makesAccountsImplicitly")
        call(running.pages, "ProfileService/UpdateProfile", userId="ann", profile={"nick": "Ann"},
             options={"requestId": "r1"})
        console.show("apps", app=1, part="audit")
        hands = Hands(console)
        page(console, "There are 5; the latest come first.")
        # A name and the id stand in the column of users.
        page(console, "Ann ann")
        hands.click("Verify")
        page(console, "Whole: records 1 to 5.")
        head = console.ask("return document.querySelector('code.key').textContent")
        hands.type("A hash that was kept elsewhere", head.upper())
        hands.click("Verify")
        page(console, "Whole: ")
        hands.type("A hash that was kept elsewhere", "0" * 64)
        hands.click("Verify")
        page(console, "no record has that hash")
        hands.type("A hash that was kept elsewhere", "")
        # What a server shows that has changed a field, left a record out, or moved one.
        for change, said in (
            ("records[1].reason = 'OTHER'", "the hash of record 2 is not that of its fields"),
            ("records.splice(1, 1)", "record 2 is missing"),
            ("records.splice(0, 1)", "records before 2 are missing"),
            ("records[1].userId = 'eve'", "record 2 was made for another user"),
            # The rule of `relationctl audit verify`: an erasure removes the id and the salt.
            ("delete records[4].userId",
             "the user of record 5 was removed, but not by an erasure"),
            ("delete records[4].userSalt", "record 5 was made for another user"),
            ("records[4].userSalt = btoa(atob(records[4].userSalt) + records[4].userId[0]);"
             "records[4].userId = records[4].userId.slice(1)",
             "record 5 was made for another user"),
            ("delete records[4].userId; delete records[4].userSalt",
             "Whole: records 1 to 5; 1 of them lost a name by an erasure."),
            ("records[4].requestId = 'r2'", "record 5 was made for another request id"),
            ("delete records[4].requestId",
             "the request id of record 5 was removed, but not by an erasure"),
            ("delete records[4].requestDigest",
             "the hash of record 5 is not that of its fields"),
            ("delete records[4].requestId; records[4].requestDigest = btoa("
             "atob(records[4].requestDigest).slice(0, 32))",
             "Whole: records 1 to 5; 1 of them lost a name by an erasure."),
        ):
            console.ask("""
                window.plain ??= fetch;
                window.fetch = async (...asked) => {
                    const answer = await plain(...asked);
                    if (!String(asked[0]).endsWith('ListAuditRecords')) return answer;
                    const {records = [], ...rest} = await answer.json();
                    CHANGE;
                    return Response.json({records, ...rest});
                };""".replace("CHANGE", change))
            hands.click("Verify")
            page(console, said if "Whole" in said else f"Changed: {said}")


def test_a_user_is_erased_with_a_receipt(console, hands):  # noqa: F811
    address = console.address
    call(address, "AppService/UpdateApp", settings={"makesAccountsImplicitly": True},
         updateMask="makesAccountsImplicitly")
    call(address, "ProfileService/UpdateProfile", userId="gone", profile={"nick": "Gone"})
    show(console, 1, "work", "integrity")
    hands.click("Delete and erase users")
    hands.type("user_ids", "gone", within="dialog")
    hands.type("erasure_key", "key", within="dialog")
    hands.type("Type erase", "erase")
    hands.click("Run", within="dialog")
    deletion = console.until(f"/deletionId\": \"([^\"]+)/.exec({DIALOG}?.textContent)?.[1]")
    hands.click("Close", within="dialog")
    call_until(lambda answer: answer["state"] == "DELETION_STATE_DONE", address,
               "AccountService/GetDeletion", deletionId=deletion)
    hands.type("Id of the deletion", deletion)
    hands.click("Look")
    text = console.until("document.querySelector('pre[aria-label=receipt]')?.textContent")
    assert re.search(r'"digest": "[0-9a-f]{64}"', text)
    assert "a user that was erased: done" in console.ask("return document.body.textContent")
    call(address, "AppService/UpdateApp", updateMask="makesAccountsImplicitly")
