"""The page Events: the live feed of a user and of the app, over restarts of the server."""

import json
import os
import re
import urllib.request

import ports
import pytest
from browser import CHROMIUM
from console import Console, call, console, console_address, needs_browser  # noqa: F401
from hands import Hands
from relationd import Relationd

pytestmark = needs_browser
STATE = "document.querySelector('.state strong')?.textContent"
BUTTON = "document.querySelector('.state button')"
# The events that came while the page was open; those from before stand below.
ROWS = ("[...document.querySelectorAll('.events li:not([hidden]):not(.past)')]"
        ".map(row => row.textContent)")
PAST = "[...document.querySelectorAll('.events .past:not([hidden])')].map(row => row.textContent)"


def group(address, name, user="11"):
    """Makes or deletes a group of a user, which is one event."""
    made = call(address, "FriendGroupService/CreateFriendGroups", userId=user, names=[name])
    if not made.get("applied"):
        call(address, "FriendGroupService/DeleteFriendGroups", userId=user, names=[name])


def import_accounts(address, *users):
    rows = [json.dumps({"row": {"userId": user}}).encode() for user in users]
    framed = b"".join(len(row).to_bytes(5, "big") + row for row in rows)
    urllib.request.urlopen(urllib.request.Request(
        f"{address}/relation.v1.AccountService/ImportAccounts", framed,
        {"content-type": "application/connect+json"}), timeout=20).read()


@pytest.fixture
def hands(console):  # noqa: F811
    return Hands(console)


def test_the_feed_of_a_user_is_live_and_can_be_paused_and_filtered(console, hands):  # noqa: F811
    console.show("events")
    hands.type("User", "11")
    hands.click("Follow")
    console.until(f"{STATE} === 'live' && location.hash === '#events?user=11'")
    assert "friends" in console.until("document.querySelector('.snapshot').textContent")
    group(console.address, "seen")
    row = console.until(f"{ROWS}[0]")
    assert "Group " in row and "(seen)" in row and "#" in row
    assert console.ask("return document.querySelector('.events .words a').hash") == "#user?id=11"
    assert console.ask("return document.querySelector('.events .kind a').hash") == (
        "#user?id=11&part=groups"), "an event opens what it changed"
    hands.click("details")
    console.until("document.querySelector('.events pre').textContent.includes('feedPosition')")
    hands.click("Pause")
    group(console.address, "held")
    console.until("document.body.textContent.includes('paused, 1 new ones wait')")
    assert console.ask(f"return {ROWS}.length") == 1
    hands.click("Go on")
    console.until(f"{ROWS}.length === 2")
    hands.click("Kinds: all")
    hands.click("Presence", "label")
    console.until(f"{ROWS}.length === 0 && document.body.textContent.includes(' of other')")
    kind = console.ask("return document.querySelector('.events .kind').title")
    hands.click(kind, "label")
    console.until(f"{ROWS}.length > 0")
    console.until("document.querySelector('.kinds summary').textContent.includes('Presence, ')")


def test_an_event_says_why_it_comes_to_a_user_or_not(console, hands):  # noqa: F811
    address = console.address
    call(address, "FriendService/AddFriends", userId="19", items=[{"userId": "17"}], force=True)
    call(address, "BlacklistService/AddToBlacklist", userId="17", userIds=["18"])
    call(address, "ProfileService/SetVisibility", userId="17", fields=[
        {"field": "email", "visibility": "VISIBILITY_INVISIBLE"}])
    call(address, "ProfileService/UpdateProfile", userId="17",
         profile={"nick": "Eve", "email": "eve@example.org"})
    console.show("events", user="17")
    console.until(f"{PAST}.some(row => row.includes('nickname, mail address changed'))")
    hands.click("details of Profile changed", "button")
    hands.type("Stream of user", "19", within=".events")
    hands.click("Explain what comes", "button")
    heads = "[...document.querySelectorAll('.events .chain summary')].map(each => each.textContent)"
    assert console.until(f"{heads}.length && {heads}") == [
        "Comes to 19: yes", "Nickname: shown",
        "Mail address: the user shows this field to no other user"]
    hands.type("Stream of user", "18", within=".events")
    hands.click("Explain what comes", "button")
    assert console.until(f"{heads}[0] === 'Comes to 18: no' && {heads}") == ["Comes to 18: no"]
    hands.type("Stream of user", "17", within=".events")
    hands.click("Explain what comes", "button")
    assert console.until(f"{heads}[0] === 'Comes to 17: yes' && {heads}")[1:] == [
        "Nickname: shown", "Mail address: shown"]
    call(address, "BlacklistService/RemoveFromBlacklist", userId="17", userIds=["18"])


# Counts the look-ups of names, and refuses those of more than so many users, as some apps do.
FEW_NAMES = """
    window.lookups = [];
    const plain = window.fetch;
    window.fetch = (...asked) => {
        if (!String(asked[0]).endsWith('/GetProfiles')) return plain(...asked);
        const {userIds} = JSON.parse(asked[1].body);
        window.lookups.push(userIds.length);
        return userIds.length <= MOST ? plain(...asked) : Promise.resolve(Response.json(
            {code: 'invalid_argument', message: 'user_ids: at most MOST'}, {status: 400}));
    };
"""


@pytest.mark.parametrize("most, lookups", [(100, [4]), (2, [4, 2, 2]), (0, [4, 2, 2, 1, 1, 1, 1])])
def test_events_have_the_names_of_users_by_one_look_up(console, most, lookups):  # noqa: F811
    address = console.address
    for user, nick in (("31", "Zoë"), ("32", "小龙"), ("33", "")):
        call(address, "ProfileService/UpdateProfile", userId=user, profile={"nick": nick},
             updateMask="nick")
    for user in ("32", "33", "34"):
        call(address, "BlacklistService/AddToBlacklist", userId="31", userIds=[user])
    console.send("Page.addScriptToEvaluateOnNewDocument",
                 source=FEW_NAMES.replace("MOST", str(most)))
    console.show("events", user="31", kinds="ADD_BLACKLIST")
    # A user without a name, or whose name cannot be read, is its id.
    words = "[...document.querySelectorAll('.events .past:not([hidden]) .words')]"
    zoe, long = ("Zoë 31", "小龙 32") if most else ("31", "32")
    console.until(f"lookups.length === args[0] && args[1].every(text => {words}.some(each => "
                  "each.textContent === text))", len(lookups),
                  [f"{zoe} blacklisted: {other}" for other in (long, "33", "34")])
    assert console.ask("return lookups") == lookups
    assert console.ask(f"return {words}[0].querySelector('a').hash") == "#user?id=31"
    for user in ("32", "33", "34"):
        call(address, "BlacklistService/RemoveFromBlacklist", userId="31", userIds=[user])


def test_the_last_events_of_a_user_are_there_at_once(console):  # noqa: F811
    for nick in ("first", "last"):
        call(console.address, "ProfileService/UpdateProfile", userId="14", profile={"nick": nick})
    for number in range(49):
        group(console.address, f"past{number % 2}", user="14")
    console.show("events", user="14")
    rows = console.until(f"{PAST}.length === 50 && {PAST}")
    assert "past0" in rows[0] and "nickname changed" in rows[49]
    group(console.address, "live", user="14")
    console.until(f"{ROWS}.length === 1 && {PAST}.length === 50")
    # A link chooses several kinds.
    console.show("events", user="14", kinds="GROUP_CREATED,PRESENCE")
    assert all("made groups" in row for row in console.until(f"{PAST}.length > 20 && {PAST}"))


def test_the_feed_of_the_app_begins_now_and_drops_what_is_too_old(console):  # noqa: F811
    console.show("events")
    console.until(f"{STATE} === 'live'")
    assert console.ask(f"return {ROWS}.length") == 0, "what is stored is left out"
    for number in range(302):
        group(console.address, "often", user="12")
    console.until("/the oldest [12] were dropped/.test(document.body.textContent)")
    assert console.ask(f"return {ROWS}.length") == 300
    # A page that is loaded anew goes on after the last event, and so shows none of them twice.
    console.ask("location.reload()")
    console.until(f"{STATE} === 'live' && document.querySelectorAll('.events').length === 1")
    group(console.address, "later", user="12")
    row = console.until(f"{ROWS}[0]")
    assert "(later)" in row and console.ask(f"return {ROWS}.length") == 1


@pytest.mark.skipif(
    "CONSOLE_ADDRESS" in os.environ, reason="the console that runs cannot be restarted")
def test_the_feed_goes_on_over_a_restart_without_a_gap(tmp_path):
    assert CHROMIUM
    listen = ports.address()
    flags = [f"--metrics-listen={ports.address()}"]
    with Relationd(tmp_path / "data", *flags, listen=listen) as server:
        address = server.pages
        import_accounts(address, "ann", "bob")
        with Console(address) as browser:
            browser.show("events", user="ann")
            browser.until(f"{STATE} === 'live'")
            group(address, "before", user="ann")
            browser.until(f"{ROWS}.length === 1")
            server.kill()
            assert browser.until(f"{STATE}?.startsWith('waiting') && {STATE}").endswith(
                "s to connect again")
            with Relationd(tmp_path / "data", *flags, listen=listen):
                group(address, "meanwhile", user="ann")
                # On a slow machine the page's own time may have come before.
                browser.ask(f"{BUTTON}?.click()")
                browser.until(f"{STATE} === 'live' && {ROWS}.length === 2")
                group(address, "after", user="ann")
                rows = browser.until(f"{ROWS}.length === 3 && {ROWS}")
                assert [name in row for name, row in zip(
                    ("(after)", "(meanwhile)", "(before)"), rows, strict=True)] == [True] * 3
                browser.go("about:blank")
            # The tries while no server was there are what the browser complains of.
            assert all(re.search("net::ERR_|status of 503", entry["message"])
                           for entry in browser.complaints())


def test_the_button_stays_while_the_page_counts_down(tmp_path):
    with Relationd(tmp_path / "data") as server, Console(server.pages) as browser:
        import_accounts(server.pages, "ann")
        browser.show("events", user="ann")
        browser.until(f"{STATE} === 'live'")
        server.kill()
        # The waits grow; one of four seconds has room for what follows.
        first = browser.until(f"parseInt({STATE}?.split(' ')[1]) >= 4 && {STATE}")
        browser.ask(f"window.button = {BUTTON}; window.button.focus()")
        told = browser.until(f"{STATE} !== args[0] && [{STATE}, window.button.isConnected, "
                             "document.activeElement === window.button]", first)
        assert told[0].startswith("waiting") and told[1:] == [True, True]
        browser.go("about:blank")
        browser.complaints()
