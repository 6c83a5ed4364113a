"""proto/CALLS.md links the handler and the rule of each call, as the sources say them."""

import re

import call_sources

PAGE = call_sources.ROOT / "proto" / "CALLS.md"


def test_the_page_links_what_the_sources_say():
    page = PAGE.read_text()
    made = call_sources.with_sources(call_sources.without_sources(page))
    assert page == made, "run make docs"


def rows():
    """Each call with its handlers and its rules, as the tables of the page link them."""
    return call_sources.ROW.findall(PAGE.read_text())


def test_each_call_has_a_handler_and_each_link_leads_to_its_function():
    calls = re.findall(r"^#### (\w+)$", PAGE.read_text(), flags=re.MULTILINE)
    assert [call for call, _, _ in rows()] == calls and len(calls) > 70
    for call, *parts in rows():
        links = re.findall(r"\[`(\w+)(?:\.(\w+))?`\]\(\.\./(Sources/[^)]+)\)", " ".join(parts))
        assert links, call
        for kind, function, path in links:
            text = (call_sources.ROOT / path).read_text()
            assert re.search(rf"\b{kind}\b", text), f"{call}: no {kind} in {path}"
            if function:
                assert f"func {function}" in text, f"{call}: no {function} in {path}"


def test_most_calls_have_a_rule():
    ruleless = [call for call, _, rule in rows() if rule == "no rule"]
    # These answer from the settings of the app, from files of backups, or from the user's own row.
    assert len(ruleless) <= 8, ruleless
    for call, _, rule in rows():
        assert call in ruleless or "Sources/RelationCore/" in rule, call


def test_a_read_from_memory_and_a_write_name_what_they_run():
    calls = call_sources.CallSources().calls
    handlers, rules = calls["Friend", "checkFriends"]
    assert [rule.name for rule in rules] == ["cached", "run"]
    assert {handler.type for handler in handlers} == {"FriendHandlers"}
    # The rule, and the ladder that it shares with an explanation.
    _, rules = calls["Friend", "addFriends"]
    assert {(rule.type, rule.name) for rule in rules} == {("FriendRules", "add")}
