"""What a newcomer does on the first day, by what the pages say alone."""

import pytest
import screens
from console import call, needs_browser
from hands import TAB, Hands
from sample import nick

pytestmark = needs_browser
PAGE = "document.querySelector('.page').textContent"
DIALOG = "document.querySelector('dialog[open]')"


@pytest.fixture(scope="module")
def sample():
    with screens.sample_console() as address:
        yield address


def test_a_newcomer_finds_explains_undoes_and_copies_without_a_page_to_read(sample):
    with screens.Screens(sample, in_memory=False) as console:
        console.send("Browser.grantPermissions", origin=sample, permissions=[
            "clipboardReadWrite", "clipboardSanitizedWrite"])
        hands = Hands(console)
        console.go(sample)
        # Finds a user by its name.
        hands.click("Users", "nav a")
        hands.type("Find a user", "clara silva")
        hands.click("Find", "button")
        hands.click("Clara Silva", "tbody a")
        console.until("document.querySelector('.head h2')?.textContent.startsWith('Clara Silva')")
        user = console.ask("return new URLSearchParams(location.hash.split('?')[1]).get('id')")
        [friend] = call(sample, "FriendService/ListFriends", userId=user, pageSize=1)["friends"]
        other = friend["userId"]
        # Where people read, users have names.
        one, two = (f"{nick(int(each))} {each}" for each in (user, other))

        # Sees why a message may not pass.
        call(sample, "BlacklistService/AddToBlacklist", userId="4000", userIds=[user])
        hands.type("Other user", f"4000{TAB}")
        console.until("document.querySelector('#acts-relation').textContent.startsWith("
                      f"'{nick(4000)} 4000: ')")
        hands.click("Explain", within=".acts")
        said = console.until("document.querySelector('.chain[open]')?.innerText")
        assert "Send a message: The sender is on the receiver's blacklist" in said
        assert f"Whether 4000 has {user} on its blacklist: it ends here" in said
        hands.click(f"May 4000 do so to {user}?")
        console.until("document.querySelector('.chain')?.textContent.startsWith("
                      "'Send a message: yes')")
        console.go(f"{sample}/#user?id={user}")

        # Deletes a friend, finds that in the history, and takes it back.
        hands.click("Friends", "nav a")
        hands.click(f"Actions for {other}", "button")
        hands.click("Delete a friend", within=".menu")
        hands.click("Run", within="dialog")
        console.until(f"{DIALOG}.textContent.includes('{other}: done')")
        hands.click("Close", within="dialog")
        hands.click("History", "nav a")
        row = f"[...document.querySelectorAll('tbody tr')].find(each => each.textContent.includes(" \
              f"'{one} lost the friend {two}'))"
        assert "none" in console.until(f"{row}?.lastElementChild.previousElementSibling.textContent")
        hands.click("Undo change", "tbody button")
        console.until(f"{DIALOG}?.textContent.includes('Nothing stands in the way of the undo')")
        found = call(sample, "FriendService/GetFriends", userId=user, userIds=[other])
        assert "friendEntry" not in found["results"][0]
        hands.click("Undo", within="dialog")
        hands.click("Close", within="dialog")
        console.until(f"{PAGE}.includes('{one} got the friend {two}')")
        # Once more it conflicts, and says so before anything happens.
        found = call(sample, "FriendService/GetFriends", userId=user, userIds=[other])
        assert found["results"][0]["friendEntry"]["addTimeMs"] == friend["addTimeMs"]

        # Copies a call into a language.
        hands.click("API explorer", "nav a")
        hands.type("Filter the calls", "check friends")
        hands.click("CheckFriends", ".calls a")
        hands.click("Example", "button")
        hands.click("Go", "button", ".code")
        hands.click("Copy the code", "button")
        console.until("[...document.querySelectorAll('[role=status]')]"
                      ".some(each => each.textContent === 'copied')")
        code = console.ask("return navigator.clipboard.readText()")
        assert "CheckFriends(" in code and "package main" in code
        assert sample.split("//")[1].split(":")[0] in code
        assert console.complaints() == []
