"""The rules of every page of the console: for readers of the screen, for keys, for secrets."""

import base64
import json
import urllib.request

import pytest
from console import console, console_address, needs_browser  # noqa: F401
from hands import TAB, Hands

pytestmark = needs_browser
PAGES = {
    "overview": [{}], "graph": [{}, {"id": 13}],
    "user": [{}, {"id": 13}, {"id": 13, "part": "friends"}, {"id": 13, "part": "history"},
             {"id": 13, "why": 0}],
    "events": [{"user": 13}],
    "explorer": [{}, {"call": "ProfileService/UpdateProfile"}],
    "apps": [{"app": 1, "part": part} for part in
             ("overview", "settings", "keys", "moderation", "hooks", "consumers", "audit", "server")],
}
TITLES = {"overview": "Overview", "graph": "Graph", "user": "Users", "events": "Events",
          "explorer": "API explorer", "apps": "Apps"}
# A text that would become an element, were it taken for markup.
MARKUP = "<b class=planted>bold</b>"
# Waits until the page has drawn what it has to draw at first.
SETTLED = """
    let same = 0, before = '';
    for (let tries = 0; tries < 100 && same < 8; tries++) {
        await new Promise(done => setTimeout(done, 25));
        const now = `${document.querySelector('.page')?.querySelectorAll('*').length}`;
        same = now === before && now > 1 ? same + 1 : 0;
        before = now;
    }
    return same;
"""
# Gives a line for each rule that is broken, with the element that breaks it.
RULES = """
    const broken = [];
    const tell = (rule, element) => broken.push(
        `${rule}: ${element.outerHTML.slice(0, 160).replace(/\\s+/g, ' ')}`);
    const seen = element => element.checkVisibility({visibilityProperty: true});
    const all = kind => [...document.querySelectorAll(kind)].filter(seen);
    const text = element => (element.getAttribute('aria-label') ||
        (element.getAttribute('aria-labelledby') ?? '').split(' ').map(id =>
            document.getElementById(id)?.textContent ?? '').join(' ') ||
        [...element.labels ?? []].map(label => label.textContent).join(' ') ||
        element.querySelector('title')?.textContent ||
        (element.matches('input, select, textarea') ? '' : element.textContent)).trim();
    for (const each of all('a[href], button, summary, input, select, textarea, [tabindex="0"]')) {
        if (!text(each)) tell('has no name', each);
    }
    for (const each of all('label')) if (!each.control) tell('is the label of nothing', each);
    let level = 0;
    for (const each of all('h1, h2, h3, h4, h5, h6')) {
        const own = Number(each.tagName[1]);
        if (own > level + 1) tell(`comes after a heading of level ${level}`, each);
        level = own;
    }
    for (const each of all('img, canvas, svg')) {
        if (!text(each) && !each.closest('[aria-hidden=true]')) tell('has no name', each);
    }
    const ids = [...document.querySelectorAll('[id]')].map(each => each.id);
    for (const id of ids.filter((each, at) => ids.indexOf(each) < at)) {
        broken.push(`id twice: ${id}`);
    }
    for (const each of document.querySelectorAll('[aria-describedby]')) {
        for (const id of each.getAttribute('aria-describedby').split(' ')) {
            if (!document.getElementById(id)) tell(`is described by no ${id}`, each);
        }
    }
    if (document.querySelector('.planted')) broken.push('a text became markup');
    // Colours are drawn on a canvas, which knows all ways to write them.
    const brush = new OffscreenCanvas(1, 1).getContext('2d', {willReadFrequently: true});
    const rgb = color => {
        brush.clearRect(0, 0, 1, 1);
        brush.fillStyle = color;
        brush.fillRect(0, 0, 1, 1);
        return [...brush.getImageData(0, 0, 1, 1).data];
    };
    const light = color => rgb(color).slice(0, 3).map(value => value / 255).map(value =>
        value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
        .reduce((sum, value, at) => sum + value * [0.2126, 0.7152, 0.0722][at], 0);
    const ground = element => {
        for (let each = element; each; each = each.parentElement) {
            const color = getComputedStyle(each).backgroundColor;
            if (rgb(color)[3] > 250) return color;
        }
        return getComputedStyle(document.body).backgroundColor;
    };
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const told = new Set();
    while (walker.nextNode()) {
        const each = walker.currentNode.parentElement;
        if (!walker.currentNode.textContent.trim() || !seen(each) || told.has(each)) continue;
        if (each.closest('svg, .skip, option')) continue;
        told.add(each);
        const both = [light(getComputedStyle(each).color), light(ground(each))].sort();
        const ratio = (Math.max(...both) + 0.05) / (Math.min(...both) + 0.05);
        if (ratio < 4.5) tell(`has a contrast of ${ratio.toFixed(2)}`, each);
    }
    return broken;
"""
TOO_WIDE = """
    return [...document.querySelectorAll('body *')].filter(each => each.checkVisibility() &&
        !each.closest('.scroll *, pre *, .skip, svg *') &&
        each.getBoundingClientRect().right > 360.5)
        .map(each => `${each.getBoundingClientRect().right}: ${each.outerHTML.slice(0, 120)}`)
        .slice(0, 5);
"""
FOLLOW_FOCUS = """
    window.reached = new Set();
    window.unseen = [];
    document.body.tabIndex = -1;
    document.body.focus();
    addEventListener('focusin', ({target}) => {
        // Behind the last stop the tab leaves the page, and its window has no focus for a moment.
        // If the next tab is faster, the first stop is drawn without an outline: it was judged
        // before.
        if (reached.has(target)) return;
        reached.add(target);
        const {outlineStyle, outlineWidth} = getComputedStyle(target);
        if (outlineStyle === 'none' || outlineWidth === '0px') {
            unseen.push(`the focus is not seen: ${target.outerHTML.slice(0, 120)}`);
        }
    });
    const stops = document.querySelectorAll(
        'a, button, summary, input, select, textarea, [tabindex]');
    window.there = new Set(stops);
    return stops.length;
"""
NOT_REACHED = """
    // Of radio buttons the tab reaches one, and the arrows the others. A card of a friend, which
    // appears where the focus rests, may come when the tabs have passed its place.
    return [...unseen, ...[...document.querySelectorAll(
        'a[href], button, summary, input:not([type=radio]), select, textarea, [tabindex="0"]')]
        .filter(each => each.checkVisibility() && !each.disabled && !each.closest('[inert]') &&
            there.has(each) && !reached.has(each))
        .map(each => `no tab reaches ${each.outerHTML.slice(0, 120)}`)].slice(0, 10);
"""
# Answers each call as a server does that asks for credentials, and shows the page anew.
REFUSING = """
    const fetched = window.fetch;
    window.fetch = async (address, options) => {
        if (!address.startsWith('/relation.v1.')) return fetched(address, options);
        const error = {code: 'unauthenticated', message: 'no credential', details: [
            {type: 'google.rpc.ErrorInfo', debug: {reason: 'CREDENTIAL_MISSING'}}]};
        if (options.headers['content-type'] === 'application/json') {
            return new Response(JSON.stringify(error), {status: 401});
        }
        const end = new TextEncoder().encode(JSON.stringify({error}));
        return new Response(new Blob([Uint8Array.of(2, 0, 0, 0, end.length), end]));
    };
    document.querySelector('dialog[open]')?.close();
    dispatchEvent(new HashChangeEvent('hashchange'));
"""


@pytest.fixture(scope="module")
def planted(console_address):  # noqa: F811
    """A user of the sample has markup in its nick."""
    body = json.dumps({"userId": "13", "profile": {"nick": MARKUP}}).encode()
    urllib.request.urlopen(urllib.request.Request(
        f"{console_address}/relation.v1.ProfileService/UpdateProfile", body,
        {"content-type": "application/json"}), timeout=20).read()


@pytest.mark.parametrize("page", PAGES)
def test_each_page_keeps_the_rules_for_all_its_readers(console, planted, page):  # noqa: F811
    broken = []
    for parameters in PAGES[page]:
        console.look(1280, "light")
        console.show(page, **parameters)
        console.ask(SETTLED)
        broken += console.ask(RULES)
        steps = console.ask(FOLLOW_FOCUS)
        Hands(console).press(TAB * min(steps + 20, 400))
        missed = console.ask(NOT_REACHED)
        if missed:
            # A busy machine may have drawn more since the steps were counted.
            Hands(console).press(TAB * 100)
            missed = console.ask(NOT_REACHED)
        broken += missed
        console.look(360, "dark")
        broken += console.ask(RULES) + console.ask(TOO_WIDE)
    assert broken == []


def test_a_credential_is_in_no_address_and_a_missing_one_is_asked_for(console):  # noqa: F811
    hands = Hands(console)
    console.show("overview")
    hands.click("Sign in", "#caller")
    hands.type("Credential", "quite-secret", within="dialog")
    hands.type("App", "1", within="dialog")
    hands.click("Use it")
    # The order of the pages is that of their worth to a person.
    assert console.ask("return [...document.querySelectorAll('header nav a')]"
                       ".map(each => each.textContent)") == list(TITLES.values())
    for page, title in TITLES.items():
        hands.click(title, "nav a")
        console.until("document.querySelector('h1').textContent.startsWith(arguments[0])", title)
        console.ask(SETTLED)
        places = console.ask(
            "return JSON.stringify([location.href, {...localStorage},"
            " [...document.querySelectorAll('[href], [src]')].map(each => each.href ?? each.src),"
            " performance.getEntriesByType('resource').map(each => each.name)])")
        secret = ["quite-secret", base64.b64encode(b"quite-secret").decode().rstrip("=")]
        assert "http" in places and not any(each in places for each in secret)
    # The page gets the answer of a server that asks for credentials.
    for page in PAGES:
        console.show(page, **PAGES[page][-1])
        console.ask(SETTLED)
        console.ask(REFUSING)
        if page == "explorer":
            hands.click("Dry run")
        console.until("document.querySelector('body > dialog').open")
        assert "CREDENTIAL_MISSING" in console.until("document.querySelector('#note').textContent")
