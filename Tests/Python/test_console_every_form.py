"""Every call of the contract by its form on the page Try: opened, filled with nothing, and sent.

It takes longer than a change may wait for, so it needs `EVERY_FORM=1`.
"""

import os
import re

import pytest
from console import console, console_address, needs_browser  # noqa: F401
from hands import Hands
from relationd import ROOT

pytestmark = [needs_browser, pytest.mark.skipif(
    "EVERY_FORM" not in os.environ, reason="only with EVERY_FORM=1")]
OUTCOME = "document.querySelector('.answer').textContent"
# Opens all parts of a form until no closed one is left, or the form is deep enough.
OPEN_ALL = """
    for (let depth = 0; depth < 2; depth++) {
        for (const part of document.querySelectorAll('.fields details.field:not([open])')) {
            part.open = true;
        }
        for (const add of [...document.querySelectorAll('.fields .add')].slice(0, 3)) add.click();
        await new Promise(done => setTimeout(done, 20));
    }
    return document.querySelectorAll('.fields .field').length;
"""
def test_the_page_knows_which_calls_read_as_the_contract_marks_them(console):  # noqa: F811
    console.show("try")
    calls = console.until("(await import('/console/try.js')).allCalls()")
    text = "".join(path.read_text() for path in (ROOT / "proto/relation/v1").glob("*.proto"))
    marked = set(re.findall(
        r"rpc (\w+)\([^;{]*\{\s*option idempotency_level = NO_SIDE_EFFECTS", text))
    assert {call["path"].split("/")[1] for call in calls if call["reads"]} == marked
    assert len(calls) == len(re.findall(r"^\s+rpc ", text, re.MULTILINE))


def test_every_form_makes_a_request_that_is_answered_or_explained(console):  # noqa: F811
    hands = Hands(console)
    console.show("try")
    calls = console.until("(await import('/console/try.js')).allCalls()")
    wrong = []
    for call in calls:
        console.show("try", call=call["path"])
        fields = console.until("document.querySelector('.fields').children.length > 0")
        text = console.ask("return document.querySelector('label.wide textarea').value")
        if re.sub(r"\s", "", text) not in ("{}", "[{}]"):
            wrong.append((call["path"], text))
        if call["reads"] or call["dryRun"]:
            hands.click("Dry run" if call["dryRun"] else "Send")
            said = until(
                console, f"/HTTP|running|ended|failed/.test({OUTCOME}) && {OUTCOME}")
            if "does not know" in said:
                wrong.append((call["path"], said))
        assert fields and console.ask(OPEN_ALL) is not None
    assert wrong == []
    hands.sees_failed_calls(400, 404, 409, 412, 501)
