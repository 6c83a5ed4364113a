"""proto/CALLS.md links the handler and the rule of each call, as the sources say them."""

import re

import call_sources

PAGE = call_sources.ROOT / "proto" / "CALLS.md"


def test_the_page_links_what_the_sources_say():
    page = PAGE.read_text()
    made = call_sources.with_sources(call_sources.without_sources(page))
    assert page == made, "run make docs"


def test_each_call_has_a_handler_and_each_link_leads_to_its_function():
    page = PAGE.read_text()
    calls = re.findall(r"^#### (\w+)\n\n.*\n(Handlers? .*)$", page, flags=re.MULTILINE)
    assert len(calls) == page.count("\n#### ") > 70
    for call, line in calls:
        links = re.findall(r"\[`(\w+)(?:\.(\w+))?`\]\(\.\./(Sources/[^)]+)\)", line)
        assert links, call
        for kind, function, path in links:
            text = (call_sources.ROOT / path).read_text()
            assert re.search(rf"\b{kind}\b", text), f"{call}: no {kind} in {path}"
            if function:
                assert f"func {function}" in text, f"{call}: no {function} in {path}"


def test_most_calls_have_a_rule():
    lines = re.findall(r"^Handlers? .*", PAGE.read_text(), flags=re.MULTILINE)
    ruleless = [line for line in lines if "without a rule" in line]
    # These answer from the settings of the app, from files of backups, or from the user's own row.
    assert len(ruleless) <= 8, ruleless
    for line in set(lines) - set(ruleless):
        assert re.search(r" · rules? .*Sources/RelationCore/", line), line


def test_a_read_from_memory_and_a_write_name_what_they_run():
    calls = call_sources.CallSources().calls
    handlers, rules = calls["Friend", "checkFriends"]
    assert [rule.name for rule in rules] == ["cached", "run"]
    assert {handler.type for handler in handlers} == {"FriendHandlers"}
    _, (rule,) = calls["Friend", "addFriends"]
    assert (rule.type, rule.name) == ("FriendRules", "add")
