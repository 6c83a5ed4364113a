"""The hook of Examples/Veto in each language whose tools this machine has."""

import http.client
import json
import shutil
import socket
import subprocess
import sys
import time

import pytest
from examples import EXAMPLES

SECONDS = 120
#: The tool of a language, what builds the program, and what runs it at a port.
LANGUAGES = {
    "python": (sys.executable, [], [sys.executable, "veto.py", "{port}"]),
    "node": ("node", [], ["node", "veto.mjs", "{port}"]),
    "php": ("php", [], ["php", "-S", "127.0.0.1:{port}", "veto.php"]),
    "ruby": ("ruby", [], ["ruby", "veto.rb", "{port}"]),
    "java": ("java", [], ["java", "Veto.java", "{port}"]),
    "go": ("go", ["go", "build", "-o", "{out}", "veto.go"], ["{out}", "{port}"]),
    "cpp": ("g++", ["g++", "-Wall", "-Wextra", "-Werror", "-o", "{out}", "veto.cc"],
            ["{out}", "{port}"]),
    "swift": ("swiftc", ["swiftc", "-parse-as-library", "-o", "{out}", "Veto.swift"],
              ["{out}", "{port}"]),
}  # fmt: skip


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_hook_refuses_the_word_and_allows_others(language, tmp_path):
    tool, build, run = LANGUAGES[language]
    if shutil.which(tool) is None:
        pytest.skip(f"no {tool}")
    words = {"out": tmp_path / "veto", "port": free_port()}
    folder = EXAMPLES / "Veto"
    if build:
        subprocess.run([word.format(**words) for word in build], cwd=folder, check=True)
    process = subprocess.Popen([word.format(**words) for word in run], cwd=folder)
    try:
        end = time.monotonic() + SECONDS
        while socket.socket().connect_ex(("127.0.0.1", words["port"])):
            assert process.poll() is None and time.monotonic() < end
            time.sleep(0.05)
        spam = ask(words["port"], "spam!")
        assert spam.get("code") == 38001 or [
            (item["index"], item["code"]) for item in spam["items"]] == [(1, 38001)]
        fine = ask(words["port"], "fine")
        assert not fine.get("code") and not fine.get("items")
    finally:
        process.kill()
        process.wait()


def ask(port, text):
    """The answer to a question about two items, of which the second has the text."""
    items = [{"userId": "bob", "texts": {}}, {"userId": "carl", "texts": {"remark": text}}]
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=SECONDS)
    connection.request("POST", "/", json.dumps({"data": {"items": items}}))
    response = connection.getresponse()
    assert response.status == 200
    return json.loads(response.read())
