"""What the console shows is what stands, and it writes no more than a person changed."""

import base64
import json
import urllib.request

import pytest
from console import Console, call, console, console_address, needs_browser  # noqa: F401
from credentials import init
from hands import Hands
from relationd import Relationd

pytestmark = needs_browser
DIALOG = "document.querySelector('dialog[open]')"
TEXT = "document.querySelector('.content').textContent"
# Turns all that follows it in its paragraph.
OVERRIDE = "\u202e"


@pytest.fixture
def hands(console):  # noqa: F811
    return Hands(console)


def packed(content):
    return base64.b64encode(content).decode()


def profile(address, user):
    read = call(address, "ProfileService/GetSelfProfile", userId=user).get("profile", {})
    return {name: value for name, value in read.items() if name not in ("userId", "version", "ageRange")}


def test_a_feed_of_an_app_without_history_says_so(console):  # noqa: F811
    # It comes first: a history stays for a while after the app keeps none.
    console.show("events")
    console.until("document.querySelector('.snapshot').textContent.includes('History days')")


def make(address, *users):
    """Makes accounts of these users, whose nicknames are their ids."""
    for user in users:
        call(address, "ProfileService/UpdateProfile", userId=user, profile={"nick": user})


PLACE = packed(b"\0\0\0\1\0\0\0\2\0\0\0\3\0\0\0\4")


@pytest.mark.parametrize("name, value, label", [
    ("location", PLACE, "Place"), ("location", packed(b"\xff"), "Place"),
    ("location", packed(b"a\x07b"), "Place"), ("selfSignature", packed(b"\xff\xfe"), "Words about"),
    ("selfSignature", packed(b"one\r\ntwo"), "Words about"),
    ("nick", "two\nlines", "Nickname"), ("email", " a\rb", "Mail address"),
    ("birthday", 19900231, "Birthday"), ("birthday", 101, "Birthday"),
])  # fmt: skip
def test_a_value_that_no_control_can_show_stays_as_it_is(console, hands, name, value, label):  # noqa: F811
    address, user = console.address, "4060"
    call(address, "AppService/UpdateApp", settings={"keepsTimValues": True},
         updateMask="keepsTimValues")
    call(address, "ProfileService/UpdateProfile", userId=user, profile={name: value})
    call(address, "AppService/UpdateApp", updateMask="keepsTimValues")
    before = profile(address, user)
    assert before[name] == value
    console.show("user", id=user)
    hands.click("Edit the profile")
    shown = console.until(
        f"[...{DIALOG}.querySelectorAll('label')].find(each => each.textContent.startsWith("
        "arguments[0]))", label)
    assert shown is not None
    find = (f"[...{DIALOG}.querySelectorAll('label')].find(each =>"
            " each.textContent.startsWith(args[0]))")
    assert console.ask(f"return {find}.control.readOnly", label)
    assert "Read-only" in console.ask(f"return {find}.textContent", label)
    # Another field is changed beside it.
    hands.type("Mail address" if name != "email" else "Nickname", "other", within="dialog")
    hands.click("Save", within="dialog")
    console.until("!document.querySelector('dialog[open]')")
    assert profile(address, user) == before | {"nick" if name == "email" else "email": "other"}
    call(address, "ProfileService/UpdateProfile", userId=user, profile={},
         updateMask="nick,email,birthday,location,selfSignature")


def test_a_form_that_is_saved_as_it_was_opened_writes_nothing(console, hands):  # noqa: F811
    address, user = console.address, "4061"
    whole = {"nick": "Ann", "birthday": 19991231, "gender": "GENDER_FEMALE",
             "selfSignature": packed("at sea\nor not".encode())}
    call(address, "ProfileService/UpdateProfile", userId=user, profile=whole)
    sequence = call(address, "ChangeService/GetSequence", userId=user)["sequence"]
    console.show("user", id=user)
    hands.click("Edit the profile")
    assert console.until(f"{DIALOG}?.querySelector('textarea')?.value") == "at sea\nor not"
    hands.click("Save", within="dialog")
    console.until("!document.querySelector('dialog[open]')")
    assert profile(address, user) == whole
    assert call(address, "ChangeService/GetSequence", userId=user)["sequence"] == sequence


def test_a_choice_that_cannot_be_unset_is_not_offered_so(console, hands):  # noqa: F811
    address, user = console.address, "4062"
    call(address, "ProfileService/UpdateProfile", userId=user, profile={"nick": "Bo"})
    options = (f"[...[...{DIALOG}.querySelectorAll('label')].find(each =>"
               " each.textContent.startsWith(args[0])).control.options].map(each => each.value)")
    console.show("user", id=user)
    hands.click("Edit the profile")
    console.until(f"{DIALOG} !== null")
    assert "" in console.ask(f"return {options}", "Users who apply")
    hands.choose("Users who apply", "are refused")
    hands.click("Save", within="dialog")
    told = console.until("document.querySelector('.undo').textContent")
    assert "cannot be unset" in told and "Undo" not in told
    hands.click("Edit the profile")
    console.until(f"{DIALOG} !== null")
    assert "" not in console.ask(f"return {options}", "Users who apply")
    assert "" in console.ask(f"return {options}", "Gender")
    hands.choose("Gender", "male")
    hands.click("Save", within="dialog")
    console.until("document.querySelector('.undo').textContent.includes('Undo')")
    hands.click("Edit the profile")
    hands.choose("Gender", "not set")
    hands.click("Save", within="dialog")
    console.until("!document.querySelector('dialog[open]')")
    assert profile(address, user) == {"nick": "Bo", "allowType": "ALLOW_TYPE_DENY_ANY"}


@pytest.mark.parametrize("sign", [OVERRIDE, "\u2067", "\u200f", "\u0085"])
def test_a_name_turns_no_id_beside_it(console, hands, sign):  # noqa: F811
    address = console.address
    make(address, "4063", "4064")
    call(address, "ProfileService/UpdateProfile", userId="4063", profile={"nick": f"{sign}31"})
    call(address, "FriendService/AddFriends", userId="4064", force=True,
         items=[{"userId": "4063", "remark": f"{sign}pal"}])
    call(address, "FriendService/UpdateFriends", userId="4064",
         items=[{"userId": "4063", "remark": f"{sign}pal"}])
    written = f"\\u{ord(sign):04x}"
    console.show("user", id="4063")
    console.until("document.querySelector('.head h2').textContent === arguments[0]",
                  f"{written}31 4063")
    console.show("user", id="4064", part="friends")
    assert f"{written}pal" in console.until(f"{TEXT}.includes('4063') && {TEXT}")
    assert console.ask("return getComputedStyle(document.querySelector('.content td a'))"
                       ".unicodeBidi") == "isolate"
    assert not console.ask("return document.body.textContent.includes(args[0])", sign)


def test_a_history_says_what_was_taken_back_and_no_text_is_an_enum(console):  # noqa: F811
    address, one, two = console.address, "4065", "4066"
    make(address, one, two)
    call(address, "AppService/UpdateApp", settings={"historyDays": 30}, updateMask="historyDays")
    call(address, "FriendService/AddFriends", userId=one, force=True, items=[{"userId": two}])

    def update(**fields):
        call(address, "FriendService/UpdateFriends", userId=one, items=[
            {"userId": two, "updateMask": "remark,starred,pinOrder", **fields}])

    update(remark="HELLO_WORLD", starred=True, pinOrder=5)
    update()
    call(address, "ProfileService/UpdateProfile", userId=one,
         profile={"location": packed(b"a\x07b")})
    console.show("user", id=one, part="history")
    cells = "[...document.querySelectorAll('.content tbody tr')].map(row =>" \
            " [...row.cells].slice(4, 6).map(cell => cell.innerText))"
    rows = console.until(f"{cells}.length > 3 && {cells}")
    assert rows[0] == ["Place: not set", f"Place: {packed(b'a' + bytes([7]) + b'b')} (base64)"]
    for line in ("Remark: HELLO_WORLD", "Starred: yes", "Pin order: 5"):
        assert line in rows[1][0] and line in rows[2][1]
    for line in ("Remark: none", "Starred: no", "Pin order: none"):
        assert line in rows[1][1] and line in rows[2][0]
    # A link with a moment that no calendar has is one like any other.
    console.show("user", id=one, part="history", since="99999999999999999")
    console.until(f"{TEXT}.includes('No such change is kept')")
    assert console.ask("return document.querySelector('#note').textContent") == ""
    # The feed of the app begins with the same changes.
    console.show("events")
    past = "[...document.querySelectorAll('.events li.past .line')].map(each => each.textContent)"
    rows = console.until(f"{past}.length > 3 && {past}")
    assert "4065 place changed" in rows[0] and "4066" in rows[1]
    assert "latest of the history" in console.ask(
        "return document.querySelector('.snapshot').textContent")
    call(address, "ProfileService/UpdateProfile", userId=one, profile={"nick": "live"})
    console.until("document.querySelector('.events li:not(.past)')?.textContent.includes('4065')")
    assert console.ask(f"return {past}.length") == len(rows)
    call(address, "AppService/UpdateApp", updateMask="historyDays")


def test_an_explanation_names_the_reason_and_who_is_no_account(console):  # noqa: F811
    address = console.address
    console.show("user", **{"id": "13", "part": "seen", "as": "no-such", "and": "13"})
    console.until("[...document.querySelectorAll('.content li')].some(each =>"
                  " each.textContent === 'no-such: no-such is not an account of the app.')")
    # The code says less than the reason does.
    call(address, "AppService/UpdateApp", settings={"historyDays": 30}, updateMask="historyDays")
    make(address, "4067")
    call(address, "FriendService/AddFriends", userId="4067", items=[{"userId": "13"}], force=True)
    call(address, "FriendService/UpdateFriends", userId="4067",
         items=[{"userId": "13", "remark": "first"}])
    call(address, "FriendService/UpdateFriends", userId="4067",
         items=[{"userId": "13", "remark": "second"}])
    console.show("user", id="4067", part="history")
    console.until("document.querySelectorAll('.content tbody tr').length > 2")
    console.ask("document.querySelectorAll('.content tbody button')[1].click()")
    told = console.until(f"{DIALOG}?.textContent.includes('1 conflict') && {DIALOG}.textContent")
    assert "A row of the entry was changed since" in told
    assert "Err_ChangeUndo_Changed_Since" in told and "REASON_" not in told
    call(address, "AppService/UpdateApp", updateMask="historyDays")


@pytest.mark.parametrize("page", ["apps", "apps?app=1&part=keys"])
def test_a_page_without_its_scope_says_which_it_needs(tmp_path, page):
    _, key, _ = init(tmp_path / "data")
    with Relationd(tmp_path / "data", insecure=False) as running, \
            Console(running.pages) as looking:
        asked = urllib.request.Request(
            f"{running.pages}/relation.v1.AppService/CreateCredential",
            json.dumps({"name": "a meter", "scopes": ["SCOPE_READ"]}).encode(),
            {"content-type": "application/json", "authorization": f"Bearer {key}",
             "x-app-id": "1"})
        with urllib.request.urlopen(asked, timeout=20) as answer:
            made = json.load(answer)["key"]
        looking.show("overview")
        looking.ask("sessionStorage.setItem('relation.credential', args[0])", made)
        looking.show(page)
        told = looking.until("document.querySelector('.page > .warn')?.textContent")
        assert "needs the scope" in told and "another credential" in told
        assert "Loading" not in looking.ask("return document.querySelector('.page').textContent")
        Hands(looking).sees_failed_calls()
