"""Each page of the console as a person reads it, part by part: its words, its heads, its paper."""

import re

import pytest
import screens
from console import call, needs_browser
from hands import TAB, Hands

pytestmark = needs_browser
# What is seen of a page, without what a person typed or a server named.
TEXTS = """
    const shown = kind => [...document.querySelectorAll(`.page ${kind}`)]
        .filter(each => each.checkVisibility() && !each.closest('pre, code'))
        .map(each => each.textContent.trim()).filter(Boolean);
    return {hints: shown('.hint'), cells: shown(':is(td, li, label, option)'), heads: shown(
        ':is(th, caption, h2, h3, .counts dt, button, summary):not(.help *, td *, .groups *)')};
"""
# Names of the contract: with underscores, in capitals, and of types.
RAW = re.compile(r"\b[a-z]+_[a-z_]+\b|\b[A-Z]+_[A-Z_]+\b|\bu?int(?:32|64)\b|\bUNSPECIFIED\b")


@pytest.fixture(scope="module")
def console():
    with screens.sample_console() as address, screens.Screens(address) as browser:
        yield browser


@pytest.fixture(scope="module")
def texts(console):
    """The texts of each page but those of the API explorer, which shows the contract itself."""
    found = {}
    for name in screens.SCREENS:
        if not name.startswith("explorer"):
            screens.open_screen(console, name, 1280, "light")
            found[name] = console.ask(TEXTS)
    return found


def told(found):
    return "\n".join(map(str, found))


def test_each_head_begins_like_a_sentence(texts):
    found = [(name, head) for name, each in texts.items() for head in each["heads"]
             if head[0].islower()]
    assert sum(len(each["heads"]) for each in texts.values()) > 200
    assert not found, told(found)


def test_no_help_stands_twice_on_a_page(texts):
    found = [(name, hint) for name, each in texts.items() for hint in set(each["hints"])
             if len(hint) > 30 and each["hints"].count(hint) > 1]
    assert not found, told(found)


def test_no_cell_has_a_name_of_the_contract(texts):
    # The overview counts failures by the codes with which operators look them up.
    found = [(name, cell[:200]) for name, each in texts.items() for cell in each["cells"]
             if RAW.search(cell) and name != "overview"]
    assert not found, told(found)


def test_a_profile_is_told_in_the_words_of_its_form(console):
    call(console.address, "ProfileService/UpdateProfile", userId="5", profile={
        "gender": "GENDER_FEMALE", "birthday": 19900131, "allowType": "ALLOW_TYPE_NEED_CONFIRM",
        "adminForbidType": "ADMIN_FORBID_TYPE_SEND_OUT", "email": "eve@example.org"})
    console.show("user", id="5")
    rows = console.until("document.querySelector('.content tbody') && Object.fromEntries("
                         "[...document.querySelectorAll('.content tr')].map(row => "
                         "[row.cells[0].textContent, row.cells[1].textContent]))")
    expected = {
        "Gender": "female", "Birthday": "1990-01-31", "Mail address": "eve@example.org",
        "Users who apply for friendship": "wait for its answer",
        "Forbidden by administrators": "to add others"}
    assert {name: rows.get(name) for name in expected} == expected
    Hands(console).click("Edit the profile", "button")
    labels = console.ask("return [...document.querySelectorAll('dialog[open] .field > label')]"
                         ".map(each => each.firstChild.textContent)")
    assert {*expected} - {*labels} == {"Forbidden by administrators"}
    Hands(console).click("Cancel", "button", "dialog[open]")


# Holds the answer of a call back until the page is told to go on.
HOLDING = """
    const plain = window.fetch;
    const free = new Promise(done => { window.release = done; });
    window.fetch = async (...asked) => {
        if (asked[0].includes('GetSelfProfile')) await free;
        return plain(...asked);
    };
"""


def test_a_profile_is_edited_once_it_is_read(console):
    hands = Hands(console)
    console.show("overview")
    console.until("document.querySelector('.page-overview .counts')")
    console.ask(HOLDING)
    console.ask("location.hash = '#user?id=10'")
    hands.click("Edit the profile", "button")
    assert not console.ask("return document.querySelector('dialog.operation[open]') !== null")
    console.ask("window.release()")
    console.until("document.querySelector('dialog.operation[open]')")
    assert console.ask("return document.querySelector('dialog.operation[open] input').value") == (
        "Clara Silva")
    hands.click("Cancel", "button", "dialog[open]")


# Answers as the server does to the credential of a user, which may not know the rules.
AS_A_USER = """
    const plain = window.fetch;
    const answer = (status, body) => Promise.resolve(new Response(JSON.stringify(body),
        {status, headers: {'content-type': 'application/json'}}));
    window.fetch = (...asked) => asked[0].includes('ExplainProfile')
        ? answer(403, {code: 'permission_denied', message: 'the scope admin is needed'})
        : asked[0].includes('GetProfiles') ? answer(200, {results: [{
            profile: {userId: '10', nick: 'Clara'},
            fieldAccess: [{field: 'email', access: 'FIELD_ACCESS_STATE_HIDDEN'},
                {field: 'birthday', access: 'FIELD_ACCESS_STATE_ONLY_FRIENDS'},
                {field: 'gender', access: 'FIELD_ACCESS_STATE_NOT_SET'}]}]}) : plain(...asked);
"""


def test_a_credential_that_may_not_know_the_rules_sees_what_is_hidden(console):
    console.show("overview")
    console.until("document.querySelector('.page-overview .counts')")
    console.ask(AS_A_USER)
    console.ask("location.hash = '#user?id=10&part=seen&as=0&and=10'")
    rows = console.until("document.querySelector('.content tbody') && "
                         "[...document.querySelectorAll('.content tbody tr')].map(row => "
                         "[...row.cells].slice(0, 2).map(cell => cell.textContent))")
    assert rows == [["Nickname", "Clara"], ["Picture address", "not set"],
                    ["Mail address", "Hidden – by the server"],
                    ["Birthday", "Hidden – only friends"], ["Gender", "not set"]]
    assert "0: 2 of the fields are hidden." in console.ask(
        "return document.querySelector('.content').innerText")
    assert console.ask("return document.querySelectorAll('.content td details').length") == 0


def test_a_rule_in_a_narrow_table_has_room_for_its_words(console):
    call(console.address, "ProfileService/UpdateProfile", userId="9", profile={
        "email": "eve.with.a.long.name@example.org"})
    hands = Hands(console)
    console.look(360, "light")
    try:
        console.show("user", **{"id": "9", "part": "seen", "as": "4000", "and": "8"})
        console.until("document.querySelector('td details')")
        # The mark stands beside the value, and a name is not torn.
        assert console.ask("""
            return [...document.querySelectorAll('td summary')].every(each =>
                getComputedStyle(each).listStylePosition === 'outside') &&
                [...document.querySelectorAll('td:first-child')].find(each =>
                each.textContent === 'Nickname').getClientRects()[0].width >= 90""")
        hands.click("eve.with", "summary", "td")
        width = console.until("document.querySelector('td details[open] ol')?.offsetWidth")
        assert width >= 200
        assert console.ask("return document.documentElement.scrollWidth") <= 360
    finally:
        console.look(1280, "light")


def test_the_other_user_may_be_named(console):
    hands = Hands(console)
    console.show("user", id="0")
    hands.type("Other user", f"clara silva{TAB}")
    console.until("document.querySelector('#acts-relation button')")
    assert console.ask("return document.querySelector('#acts-error').textContent") == ""
    hands.click("Clara Silva", "#acts-relation button")
    console.until("document.querySelector('#acts-relation').textContent.includes('friend')")
    assert console.ask("return document.querySelector('.acts input').value") == "10"
    hands.type("Other user", f"no one at all{TAB}")
    told = console.until("document.querySelector('#acts-error').textContent")
    assert told == "No account of the app has this id or name."
    assert console.ask("return document.querySelector('#acts-relation').textContent") == ""


def test_an_explanation_in_a_list_stays_on_paper(console):
    made = call(console.address, "InvitationService/CreateInvitation", userId="7", maxUses=1,
                expirySeconds="3600")
    hands = Hands(console)
    console.show("user", id="7", part="invitations")
    hands.type("User", "8", within=".content")
    hands.type("Id of the invitation", made["invitation"]["invitationId"])
    hands.click("Explain its use", "button")
    console.until("document.querySelector('.content .chain')")
    console.send("Emulation.setEmulatedMedia", media="print")
    try:
        assert console.ask("return document.querySelector('.content .chain').checkVisibility()")
        assert not console.ask("return document.querySelector('.content form').checkVisibility()")
    finally:
        console.send("Emulation.setEmulatedMedia", media="")


def test_the_word_about_a_call_is_a_whole_sentence(console):
    for name in ("FriendService/CheckFriends", "FriendService/AddFriends",
                 "ModerationService/ExplainProfile"):
        console.show("explorer", call=name)
        about = console.until("document.querySelector('.call .about, .about')?.textContent")
        assert about.endswith("."), about
