"""Every call of the contract by its form in the API explorer: opened, filled with nothing, sent.

It takes longer than a change may wait for, so it needs `EVERY_FORM=1`.
"""

import os
import pathlib
import re
import shutil
import subprocess

import pytest
from console import console, console_address, needs_browser  # noqa: F401
from hands import Hands
from relationd import ROOT, executable

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
# The code in a language of each call, with a value in every field that is not too deep.
CODE_OF_ALL = """
    const {contract} = await import('/console/shared/contract.js');
    const {LANGUAGES} = await import('/console/explorer/languages.js');
    const all = await contract();
    const scalar = ({type}) => all.enums.has(type) ? all.enums.get(type).values.at(-1).name
        : type === 'google.protobuf.FieldMask' ? 'userId' : type === 'bytes' ? 'AQI='
        : type === 'bool' ? true : type === 'string' ? 'a "b" \\\\ c' : /64/.test(type) ? '5' : 3;
    const filled = (type, depth) => {
        const request = {}, seen = new Set();
        for (const field of all.messages.get(type).fields) {
            if (field.oneof && seen.has(field.oneof)) continue;
            seen.add(field.oneof);
            const isMessage = all.messages.has(field.type);
            if (isMessage && depth > 1) continue;
            const value = isMessage ? filled(field.type, depth + 1) : scalar(field);
            const name = field.name.replace(/_(.)/g, (_, letter) => letter.toUpperCase());
            request[name] = field.map ? {k: value} : field.repeated ? [value, value] : value;
        }
        return request;
    };
    const who = {
        credential: 'secret', app: '1', place: {address: '127.0.0.1:7450', encrypted: false}};
    return [...all.calls.values()].map(call =>
        LANGUAGES[args[0]](all, call, [filled(call.request, 0)], who));
"""


def test_the_code_in_swift_of_each_call_is_right(console, tmp_path):  # noqa: F811
    console.show("explorer")
    made = console.ask(CODE_OF_ALL, "Swift")
    source = tmp_path / "all.swift"
    lines = ["import Foundation", "import RelationClient"]
    for number, code in enumerate(made):
        assert "secret" not in code
        body = [line for line in code.split("\n") if not line.startswith("import ")]
        lines += [f"func call{number}() async throws {{", *body, "}"]
    source.write_text("\n".join(lines))
    built = pathlib.Path(executable("example-swift")).resolve().parent
    maps = [*ROOT.glob("Sources/C*/module.modulemap"),
            *ROOT.glob(".build/checkouts/*/Sources/*/include/module.modulemap"),
            *built.glob("*.build/module.modulemap")]
    words = [word for path in maps for word in ("-Xcc", f"-fmodule-map-file={path}")]
    checked = subprocess.run(
        ["swiftc", "-typecheck", "-swift-version", "6", "-I", built / "Modules", *words, source],
        capture_output=True, text=True, timeout=300)
    assert checked.returncode == 0, checked.stderr
    assert len(made) > 80


@pytest.mark.parametrize("name, end, parser", [
    ("Go", ".go", ["gofmt", "-e", "-l"]),
    ("Java", ".java", ["javac", "-proc:none", "-XDshould-stop.ifError=PARSE", "-d", "classes"]),
])  # fmt: skip
def test_the_code_of_each_call_is_well_formed(
        console, tmp_path, name, end, parser):  # noqa: F811
    if not shutil.which(parser[0]):
        pytest.skip(f"{parser[0]} is missing")
    console.show("explorer")
    made = console.ask(CODE_OF_ALL, name)
    for number, code in enumerate(made):
        if name == "Java":
            code = "\n".join(line for line in code.split("\n") if not line.startswith("import "))
            code = f"final class Call{number} {{ void run() throws Exception {{\n{code}\n}} }}\n"
        (tmp_path / f"Call{number}{end}").write_text(code)
    parsed = subprocess.run(
        [*parser, *sorted(tmp_path.glob(f"*{end}"))], cwd=tmp_path, capture_output=True, text=True,
        timeout=300)
    # Go's parser says nothing else; of Java's names none is known without the packages.
    unknown = re.compile("error: (cannot find symbol|package .* does not exist)")
    told = [line for line in parsed.stderr.splitlines()
            if "error" in line and not unknown.search(line) and not re.search(r"^\d+ error", line)]
    assert told == [] and (name == "Java" or parsed.returncode == 0), parsed.stderr
    assert len(made) > 80


def test_the_page_knows_which_calls_read_as_the_contract_marks_them(console):  # noqa: F811
    console.show("explorer")
    calls = console.until("(await import('/console/explorer/explorer.js')).allCalls()")
    text = "".join(path.read_text() for path in (ROOT / "proto/relation/v1").glob("*.proto"))
    marked = set(re.findall(
        r"rpc (\w+)\([^;{]*\{\s*option idempotency_level = NO_SIDE_EFFECTS", text))
    assert {call["path"].split("/")[1] for call in calls if call["reads"]} == marked
    assert len(calls) == len(re.findall(r"^\s+rpc ", text, re.MULTILINE))


def test_every_form_makes_a_request_that_is_answered_or_explained(console):  # noqa: F811
    hands = Hands(console)
    console.show("explorer")
    calls = console.until("(await import('/console/explorer/explorer.js')).allCalls()")
    wrong = []
    for call in calls:
        console.show("explorer", call=call["path"])
        fields = console.until("document.querySelector('.fields').children.length > 0")
        text = console.ask("return document.querySelector('label.wide textarea').value")
        if re.sub(r"\s", "", text) not in ("{}", "[{}]"):
            wrong.append((call["path"], text))
        if call["reads"] or call["dryRun"]:
            hands.click("Dry run" if call["dryRun"] else "Send")
            said = console.until(f"/HTTP|running|ended|failed/.test({OUTCOME}) && {OUTCOME}")
            if "does not know" in said:
                wrong.append((call["path"], said))
        assert fields and console.ask(OPEN_ALL) is not None
    assert wrong == []
    hands.sees_failed_calls(400, 404, 409, 412, 501)
