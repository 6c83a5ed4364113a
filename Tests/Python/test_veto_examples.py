"""The hook of Examples/Veto in each language whose tools this machine has: it has at most 20 lines,
refuses the word, and answers no caller that does not know its secret."""

import base64
import contextlib
import hmac
import http.client
import json
import os
import re
import shutil
import subprocess
import sys

import grpc
import ports
import pytest
from examples import EXAMPLES
from relationd import ROOT, Relationd
from stubs import Relation
from test_hooks import FLAGS

SECONDS = 300
LINES = 20
KEY = bytes(range(64))
SECRET = "whsec_" + base64.b64encode(KEY).decode()
FOLDER = EXAMPLES / "Veto"
#: The tool of a language, the hook, what builds it, and what runs it at a port.
LANGUAGES = {
    "python": (sys.executable, "veto.py", [], [sys.executable, "veto.py", "{port}"]),
    "node": ("node", "veto.mjs", [], ["node", "veto.mjs", "{port}"]),
    "php": ("php", "veto.php", [], ["php", "-S", "127.0.0.1:{port}", "veto.php"]),
    "ruby": ("ruby", "veto.rb", [], ["ruby", "veto.rb", "{port}"]),
    "java": ("javac", "Veto.java", ["javac", "-d", "{out}", "Veto.java", "Signature.java"],
             ["java", "-cp", "{out}", "Veto", "{port}"]),
    "go": ("go", "veto.go", ["go", "build", "-o", "{out}", "veto.go", "signature.go"],
           ["{out}", "{port}"]),
    # Its header of HTTP takes long to compile, so `make foreign` runs it.
    "cpp": ("g++", "veto.cc", [
        "g++", "-std=c++20", "-Wall", "-Wextra", "-Werror", "-o", "{out}", "veto.cc",
        "-lcpp-httplib", "-lcrypto"], ["{out}", "{port}"]),
    # Its packages take minutes, so `make foreign` runs it. A folder of the build keeps them.
    "swift": ("swift", "Swift/Sources/main.swift", [
        "swift", "build", "--package-path", "Swift", "--scratch-path", f"{ROOT}/.build-veto"],
        [f"{ROOT}/.build-veto/debug/veto", "{port}"]),
}  # fmt: skip


def lines(path):
    """The lines of code: all but blank ones and comments, with imports and braces."""
    text = re.sub(r'\A""".*?"""', "", path.read_text(), flags=re.DOTALL)
    return [line for line in text.splitlines()
            if line.strip() and not re.match(r"\s*(//|#(?!include))", line)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_hook_has_no_more_than_twenty_lines(language):
    path = FOLDER / LANGUAGES[language][1]
    assert len(lines(path)) <= LINES, "\n".join(lines(path))
    assert all(len(line) <= 110 for line in path.read_text().splitlines())


@pytest.mark.parametrize("language", sorted(LANGUAGES.keys() - {"cpp", "swift"}))
def test_a_hook_refuses_the_word_and_allows_others(language, tmp_path, stubs):
    try_hook(language, tmp_path, stubs)


def try_hook(language, tmp_path, stubs):
    tool, _, build, _ = LANGUAGES[language]
    if shutil.which(tool) is None:
        pytest.skip(f"no {tool}")
    out = tmp_path / "veto"
    if build:
        subprocess.run([word.format(out=out) for word in build], cwd=FOLDER, check=True)
    with running(language, SECRET, out) as port:
        spam = ask(port, "spam!", signature("spam!"))
        assert spam.get("code") == 38001 or [
            (item["index"], item["code"]) for item in spam["items"]] == [(1, 38001)]
        fine = ask(port, "fine", signature("fine"))
        assert not fine.get("code") and not fine.get("items")
        # While a secret is exchanged, there are two signatures.
        for some in ([other(), signature("spam!")], [signature("spam!"), other()]):
            assert ask(port, "spam!", " ".join(some)) == spam
        for wrong in (signature("fine"), other(), signature("spam!")[:-5], "", None):
            assert ask(port, "spam!", wrong) == 401, wrong
    with (Relationd(tmp_path / "data", *FLAGS) as server,
          grpc.insecure_channel(server.address) as channel):
        relation = Relation(stubs, channel)
        relation("UpdateApp", settings={"makes_accounts_implicitly": True})
        # The hook has its secret from the server, which asks at the port that was chosen before.
        port = ports.take()
        made = relation(
            "CreateHook", url=f"http://127.0.0.1:{port}/", asks_only=True,
            asks=["HOOK_QUESTION_UPDATE_PROFILE"], silence="HOOK_SILENCE_FAIL",
            ask_timeout_ms=10_000)
        with running(language, made.secret, out, port):
            codes = [relation("UpdateProfile", user_id="ann", profile={"nick": nick}).code
                     for nick in ("Ann", "spam!", "Anna")]
        assert codes == [0, 38001, 0]


@contextlib.contextmanager
def running(language, secret, out, port=None):
    """The hook as a process that takes connections, at this port or at one of its own."""

    def command(port):
        return [word.format(out=out, port=port) for word in LANGUAGES[language][3]]

    process, port = ports.launched(
        command, port=port, seconds=SECONDS, cwd=FOLDER, env={**os.environ, "SECRET": secret})
    try:
        yield port
    finally:
        process.kill()
        process.wait()


def body(text):
    """A question about two items, of which the second has the text."""
    items = [{"userId": "bob", "texts": {}}, {"userId": "carl", "texts": {"remark": text}}]
    return json.dumps({"data": {"items": items}}).encode()


def signature(text, key=KEY):
    code = hmac.digest(key, b"an-id.1700000000." + body(text), "sha256")
    return "v1," + base64.b64encode(code).decode()


def other():
    """A signature with another secret."""
    return signature("spam!", b"k" * 32)


def ask(port, text, signed):
    """The answer to a question, or the status of a refusal."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=SECONDS)
    headers = {"webhook-id": "an-id", "webhook-timestamp": "1700000000"}
    headers |= {} if signed is None else {"webhook-signature": signed}
    connection.request("POST", "/", body(text), headers)
    response = connection.getresponse()
    content = response.read()
    connection.close()
    return json.loads(content) if response.status == 200 else response.status
