"""The ways around in the console: the palette, the menu of a narrow screen, and old links."""

import pytest
from console import console, console_address, needs_browser  # noqa: F401
from hands import ENTER, ESCAPE, Hands

pytestmark = needs_browser
DOWN = "\ue015"
CHOICES = "[...document.querySelectorAll('.palette [role=option]')].map(each => each.textContent)"


def open_palette(console):  # noqa: F811
    console.ask("dispatchEvent(new KeyboardEvent('keydown',"
                "{key: 'k', ctrlKey: true, cancelable: true}))")
    console.until("document.querySelector('.palette[open]')")


def test_the_palette_finds_pages_calls_and_users_by_keys_alone(console):  # noqa: F811
    hands = Hands(console)
    console.show("overview")
    open_palette(console)
    assert console.until(f"{CHOICES}.length === 6 && {CHOICES}")[0] == "Overview page"
    hands.press("addfriends")
    told = console.until(f"{CHOICES}.some(each => each.startsWith('AddFriends ')) && {CHOICES}")
    assert "addfriends the user with this id" in told
    index = [each.startswith("AddFriends ") for each in told].index(True)
    hands.press(DOWN * index + ENTER)
    console.until("location.hash === '#explorer?call=FriendService%2FAddFriends'")
    assert not console.ask("return Boolean(document.querySelector('.palette'))")
    open_palette(console)
    hands.press("17" + ENTER)
    console.until("location.hash === '#user?id=17'")
    open_palette(console)
    hands.press(ESCAPE)
    console.until("!document.querySelector('.palette')")


def test_the_pages_are_a_menu_on_a_narrow_screen(console):  # noqa: F811
    hands = Hands(console)
    console.look(360, "light")
    console.show("overview")
    shown = "document.querySelector('#pages').checkVisibility()"
    console.until(f"!{shown}")
    hands.click("Menu", "button")
    console.until(shown)
    hands.click("Events", "nav a")
    console.until(f"location.hash === '#events' && !{shown}")
    console.look(1280, "light")
    assert console.ask(f"return {shown}")


@pytest.mark.parametrize("old, new", [
    ("now", "Overview"), ("try", "API explorer"), ("users", "Users"), ("no-page", "Overview"),
])  # fmt: skip
def test_links_to_the_names_of_old_go_on(console, old, new):  # noqa: F811
    console.show(old)
    assert console.until("document.querySelector('h1')?.textContent") == new
    assert console.until("document.querySelector('nav [aria-current]')?.textContent") == new
