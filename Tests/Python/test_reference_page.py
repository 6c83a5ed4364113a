"""The reference of the contract: whole without a network or a script, and with a search."""

import html.parser
import re

import pytest
from console import console, console_address, needs_browser  # noqa: F401
from contract_model import PACKAGE, ROOT, contract
from test_console_rules import RULES, TOO_WIDE

PAGE = ROOT / "docs/reference.html"
MOST_BYTES = 12 << 17
ADD = f"{PACKAGE}.FriendService.AddFriends"
FIND = """
    const field = document.querySelector('#search input');
    field.value = arguments[0];
    field.dispatchEvent(new Event('input'));
    const seen = [...document.querySelectorAll('[id]')].filter(each => each.checkVisibility());
    return {hits: document.querySelector('output').textContent, seen: seen.map(each => each.id)};
"""


class Names(html.parser.HTMLParser):
    """The places of a page, where its links lead, and what else it names."""

    def __init__(self):
        super().__init__()
        self.ids, self.links, self.sources = [], [], []

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == "id":
                self.ids.append(value)
            elif name == "href":
                self.links.append(value)
            elif name in ("src", "srcset", "action") or name.startswith("on"):
                self.sources.append((tag, name, value))


@pytest.fixture(scope="module")
def names():
    found = Names()
    found.feed(PAGE.read_text())
    return found


def test_each_part_of_the_contract_has_a_place_of_its_own(names):
    places = [f"{PACKAGE}.{service.name}" for service in contract().services]
    places += [f"{PACKAGE}.{call.service}.{call.name}" for call in contract().calls]
    for part in contract().messages.values():
        places += [f"{PACKAGE}.{part.name}"]
        places += [f"{PACKAGE}.{part.name}.{field.name}" for field in part.fields]
    for part in contract().enums.values():
        places += [f"{PACKAGE}.{part.name}"]
        places += [f"{PACKAGE}.{part.name}.{value.name}" for value in part.values]
    assert len(names.ids) == len(set(names.ids))
    assert not set(places) - set(names.ids)


def test_each_link_leads_to_a_place_of_the_page_or_to_the_other_file(names):
    inside = {link[1:] for link in names.links if link.startswith("#")}
    assert not inside - set(names.ids)
    assert {link for link in names.links if not link.startswith("#")} == {"data:,", "openapi.json"}


def test_it_needs_no_network_and_is_not_large(names):
    text = PAGE.read_text()
    assert names.sources == [] and "@import" not in text and "url(" not in text
    assert len(text) < MOST_BYTES


def test_each_comment_of_a_field_stands_there():
    """Their words; names in code may be links."""
    text = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", PAGE.read_text()))
    for message in contract().messages.values():
        for field in message.fields:
            words = field.comment.split("\n\n")[0].replace("`", "").replace("\n", " ")
            words = words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
            assert words.split(" - ")[0].strip() in text, (message.name, field.name)


@needs_browser
def test_the_search_finds_calls_fields_reasons_and_names_of_tim(console):  # noqa: F811
    console.go("about:blank")
    console.go(f"{console.address}/reference")
    whole = console.ask(FIND, "")
    assert whole["hits"] == "" and ADD in whole["seen"]
    for words, place in {
        "AddFriends": ADD, "friend_add": ADD, "ADD_TYPE_SINGLE": f"{PACKAGE}.AddType.ADD_TYPE_SINGLE",
        "page_token": f"{PACKAGE}.ListFriendsRequest.page_token",
        "30515": f"{PACKAGE}.FriendStatus.FRIEND_STATUS_IN_SELF_BLACK_LIST",
        "REASON_SNS_FRIEND_ADD_SELF": f"{PACKAGE}.Reason.REASON_SNS_FRIEND_ADD_SELF",
    }.items():  # fmt: skip
        found = console.ask(FIND, words)
        assert place in found["seen"], words
        assert len(found["seen"]) < len(whole["seen"]) / 4, words
        assert re.fullmatch(r"\d+ hits?", found["hits"])
    nothing = console.ask(FIND, "no such words")
    assert nothing["hits"] == "0 hits" and ADD not in nothing["seen"]
    # A link leads also to what the search hides.
    console.go(f"{console.address}/reference#{ADD}")
    console.until(f"document.getElementById('{ADD}').checkVisibility()")
    assert console.complaints() == []


@needs_browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_keeps_the_rules_of_the_console_s_pages(console, scheme):  # noqa: F811
    def emulate(command, **parameters):
        console._say("POST", f"/session/{console.session}/goog/cdp/execute", {
            "cmd": f"Emulation.{command}", "params": parameters})  # fmt: skip

    emulate("setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
    emulate("setDeviceMetricsOverride", width=360, height=700, deviceScaleFactor=1, mobile=True)
    try:
        console.go("about:blank")
        console.go(f"{console.address}/reference")
        assert console.ask(TOO_WIDE) == []
        # The rules look at each element in turn, so they look at two services.
        console.ask("for (const each of [...document.querySelectorAll('main > section')].slice(2))"
                    " each.remove();")
        assert console.ask(RULES) == []
        assert console.complaints() == []
    finally:
        emulate("clearDeviceMetricsOverride")
        emulate("setEmulatedMedia", features=[])
