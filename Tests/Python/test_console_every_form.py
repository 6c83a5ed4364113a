"""Every call of the contract by its form in the API explorer: opened, filled with nothing, sent.

Most of it takes longer than a change may wait for, so it needs `EVERY_FORM=1`.
"""

import importlib
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest
from console import console, console_address, needs_browser  # noqa: F401
from hands import Hands
from relationd import ROOT, executable

pytestmark = needs_browser
is_long = pytest.mark.skipif("EVERY_FORM" not in os.environ, reason="only with EVERY_FORM=1")
# The packages of clients that `make clients` builds.
CLIENTS = ROOT / ".build-clients"
OUTCOME = "document.querySelector('.answer').textContent"
# All calls in the order of the contract, as the page knows them.
CALLS = """import('/console/shared/contract.js').then(({contract}) => contract()).then(all =>
    [...all.calls.values()].map(({path, reads, dryRun, sends, gives}) => (
        {path, reads, dryRun, sends, gives})))"""
TURNS = range(8)
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
# The code in a language of each call, with a value in every field that is not too deep: again for
# each value of an enum and each case of a oneof, without what is the same. Of eight turns it takes
# those of a list.
CODE_OF_ALL = """
    const {contract} = await import('/console/shared/contract.js');
    const {LANGUAGES} = await import('/console/explorer/languages.js');
    const all = await contract();
    let turn = 0;
    const chosen = list => list[turn % list.length];
    const scalar = ({type}) => all.enums.has(type) ? chosen(all.enums.get(type).values).name
        : type === 'google.protobuf.FieldMask' ? 'userId' : type === 'bytes' ? 'AQI='
        : type === 'bool' ? true : type === 'string' ? 'a "b" \\\\ c' : /64/.test(type) ? '5' : 3;
    const filled = (type, depth) => {
        const request = {}, {fields} = all.messages.get(type);
        for (const field of fields) {
            const cases = fields.filter(({oneof}) => oneof === field.oneof);
            if (field.oneof && field !== chosen(cases)) continue;
            const isMessage = all.messages.has(field.type);
            if (isMessage && depth > 1) continue;
            const value = isMessage ? filled(field.type, depth + 1) : scalar(field);
            const name = field.name.replace(/_(.)/g, (_, letter) => letter.toUpperCase());
            request[name] = field.map ? {k: value} : field.repeated ? [value, value] : value;
        }
        return request;
    };
    const who = {
        credential: 'quite-secret', app: '1', place: {address: '127.0.0.1:7450', encrypted: false}};
    const made = new Set(), turns = Math.max(...[...all.enums.values()]
        .filter(({name}) => name !== 'ErrorReason').map(({values}) => values.length));
    for (; turn < turns; turn++) {
        if (!args[1].includes(turn % 8)) continue;
        for (const call of all.calls.values()) {
            made.add(LANGUAGES[args[0]](all, call, [filled(call.request, 0)], who));
        }
    }
    return [...made];
"""


def test_the_code_in_swift_of_each_call_is_right(console, some_of, tmp_path):  # noqa: F811
    console.show("explorer")
    made = console.ask(CODE_OF_ALL, "Swift", some_of(TURNS, 4))
    source = tmp_path / "all.swift"
    lines = ["import Foundation", "import RelationClient"]
    for number, code in enumerate(made):
        assert "quite-secret" not in code
        body = [line for line in code.split("\n") if not line.startswith("import ")]
        lines += [f"func call{number}() async throws {{", *body, "}"]
    source.write_text("\n".join(lines))
    built = pathlib.Path(executable("example-swift")).resolve().parent
    maps = [*ROOT.glob("Sources/C*/module.modulemap"),
            *ROOT.glob(".build/checkouts/*/Sources/*/include/module.modulemap"),
            *built.glob("*.build/module.modulemap")]
    words = [word for path in maps for word in ("-Xcc", f"-fmodule-map-file={path}")]
    checked = subprocess.run(
        ["swiftc", "-typecheck", "-swift-version", "6", "-warnings-as-errors", "-I",
         built / "Modules", *words, source], capture_output=True, text=True, timeout=300)
    assert checked.returncode == 0, checked.stderr
    assert len(made) > 80
    # One field stands in the line of its message, and more of them have a line each.
    console.show("explorer", call="FriendService/AddFriends",
                 request='{"userId": "0", "items": [{"userId": "4038"}]}')
    Hands(console).click("Swift", "button")
    assert """let request = AddFriendsRequest.with {
    $0.userID = "0"
    $0.items = [.with { $0.userID = "4038" }]
}
""" in console.ask("return document.querySelector('.code pre').textContent")


@is_long
@pytest.mark.parametrize("name, end, parser", [
    ("Go", ".go", ["gofmt", "-e", "-l"]),
    ("Java", ".java", ["javac", "-proc:none", "-XDshould-stop.ifError=PARSE", "-d", "classes"]),
])  # fmt: skip
def test_the_code_of_each_call_is_well_formed(
        console, tmp_path, name, end, parser):  # noqa: F811
    if not shutil.which(parser[0]):
        pytest.skip(f"{parser[0]} is missing")
    console.show("explorer")
    made = console.ask(CODE_OF_ALL, name, list(TURNS))
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


def java(folder, made):
    """Compiles each piece of code as a class of its own."""
    (jar,) = (path for path in (CLIENTS / "java/repository").rglob("*.jar")
              if not path.name.endswith("-sources.jar"))
    text = (ROOT / "Packaging/clients/build_java.py").read_text()
    jars = re.search(r'JARS = """(.*?)"""', text, re.DOTALL)[1].split()
    for number, code in enumerate(made):
        lines = code.split("\n")
        body = [line for line in lines if not line.startswith("import ")]
        (folder / f"Call{number}.java").write_text("\n".join([
            *(line for line in lines if line.startswith("import ")),
            f"final class Call{number} {{ void run() throws Exception {{", *body, "} }"]))
    return ["javac", "-proc:none", "-nowarn", "-d", "classes", "-cp",
            ":".join([str(jar), *(f"/usr/share/java/{name}.jar" for name in jars)]),
            *sorted(folder.glob("*.java"))], {}


def go(folder, made):
    """Compiles each piece of code as a program of its own, with Debian's modules alone."""
    sys.path[:0] = [str(ROOT / "Tests/Clients"), str(ROOT / "Packaging/clients")]
    client = importlib.import_module("packed").Go(CLIENTS, folder)
    for number, code in enumerate(made):
        place = folder / f"module/call{number}"
        place.mkdir()
        (place / "main.go").write_text(code)
    return ["go", "vet", "./..."], client.options


def typescript(folder, made):
    """Compiles all of it as one module."""
    (folder / "node_modules").mkdir()
    (folder / "node_modules/relation-client").symlink_to(CLIENTS / "typescript/source")
    lines = ['import { apiKey, Client } from "relation-client";', "declare const process: any;"]
    for number, code in enumerate(made):
        body = [line for line in code.split("\n") if not line.startswith("import ")]
        lines += [f"async function call{number}() {{", *body, "}"]
    (folder / "all.mts").write_text("\n".join(lines))
    return ["tsc", "--noEmit", "--strict", "--target", "es2022", "--module", "node16",
            "--moduleResolution", "node16", "--lib", "es2022,dom", "all.mts"], {}


def python(folder, made):
    """Makes each request, and names the call of the client that takes it."""
    lines = ["import os", "os.environ['RELATION_API_KEY'] = 'key'"]
    for code in made:
        assert compile(code, "snippet", "exec")
        made, _, called = code.partition("\nwith Client")
        # The client connects with its first call.
        lines += [made, f"with Client{called.partition(chr(10))[0]}",
                  f"    {re.search(r'client[.][a-z_.]+', called)[0]}"]
    (folder / "all.py").write_text("\n".join(lines))
    options = {"env": os.environ | {"PYTHONPATH": str(CLIENTS / "python/source")}}
    return [sys.executable, "all.py"], options


@is_long
@pytest.mark.parametrize("name, check", [
    ("Go", go), ("Java", java), ("Python", python), ("TypeScript", typescript)])
def test_the_code_of_each_call_compiles_with_our_package(
        console, tmp_path, name, check):  # noqa: F811
    if not (CLIENTS / name.lower()).exists():
        pytest.skip(f"`make clients LANGUAGES={name.lower()}` builds the package")
    console.show("explorer")
    made = console.ask(CODE_OF_ALL, name, list(TURNS))
    assert len(made) > 80
    command, options = check(tmp_path, made)
    checked = subprocess.run(command, **{"cwd": tmp_path} | options, capture_output=True,
                             text=True, timeout=600)
    assert checked.returncode == 0, checked.stdout + checked.stderr


@is_long
def test_the_page_knows_which_calls_read_as_the_contract_marks_them(console):  # noqa: F811
    console.show("explorer")
    calls = console.until(CALLS)
    text = "".join(path.read_text() for path in (ROOT / "proto/relation/v1").glob("*.proto"))
    marked = set(re.findall(
        r"rpc (\w+)\([^;{]*\{\s*option idempotency_level = NO_SIDE_EFFECTS", text))
    assert {call["path"].split("/")[1] for call in calls if call["reads"]} == marked
    assert len(calls) == len(re.findall(r"^\s+rpc ", text, re.MULTILINE))


@is_long
def test_every_form_makes_a_request_that_is_answered_or_explained(console):  # noqa: F811
    hands = Hands(console)
    console.show("explorer")
    calls = console.until(CALLS)
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
