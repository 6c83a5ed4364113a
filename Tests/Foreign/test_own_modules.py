"""The commands of docs/calling.md make code for a module of one's own."""

import re
import subprocess

import pytest
from relationd import ROOT

PAGE = (ROOT / "docs/calling.md").read_text()
# For each language: a file that is made, and the line that names its module.
NAMED = {
    "Go": ("relationv1/friend.pb.go", "package relationv1"),
    "Go's calls": ("relationv1/friend_grpc.pb.go", "package relationv1"),
    "Java": ("com/example/relation/Friend.java", "package com.example.relation;"),
    "C#": ("Friend.cs", "namespace Example.Relation {"),
    "Ruby": ("relation/v1/friend_pb.rb", "module Example"),
    "PHP": ("Example/Relation/Friend.php", "namespace Example\\Relation;"),
    "Objective-C": ("relation/v1/Friend.pbobjc.h", "@interface EXRFriend"),
}


def block(language, text):
    """The block of code that has that text."""
    blocks = re.findall(rf"```{language}\n(.*?)```", PAGE, re.S)
    (found,) = [block for block in blocks if text in block]
    return found


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("own")
    (folder / "proto").symlink_to(ROOT / "proto")
    (folder / "buf.gen.yaml").write_text(block("yaml", "managed:"))
    buf = ROOT / ".build-python/bin/buf"
    subprocess.run([buf, "generate"], cwd=folder, check=True, timeout=120)
    return folder / "client"


@pytest.mark.parametrize("language", NAMED)
def test_buf_names_the_module_of_each_language(made, language):
    file, line = NAMED[language]
    assert line in (made / file).read_text()


def test_protoc_names_a_module_of_go(tmp_path):
    (tmp_path / "proto").symlink_to(ROOT / "proto")
    files = next(line for line in block("sh", "# C++").splitlines() if line.startswith("files="))
    script = f"set -eu\n{files}\n{block('sh', 'own=example.com')}"
    subprocess.run(["bash", "-c", script], cwd=tmp_path, check=True, timeout=120)
    for name in ("friend.pb.go", "friend_grpc.pb.go"):
        assert "package relationv1" in (tmp_path / "relationv1" / name).read_text()
