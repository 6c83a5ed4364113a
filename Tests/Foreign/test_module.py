"""The folder of the contract is a module of buf that makes code in nine languages."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest
from relationd import ROOT

BUF = ROOT / ".build-python/bin/buf"
JAVA = "example/git/relation/v1"
MADE = {
    "C++": ["cpp/relation/v1/friend.pb.h", "cpp/relation/v1/friend.grpc.pb.h"],
    "C#": ["csharp/Friend.cs"],
    "Go": ["go/relation/v1/friend.pb.go", "go/relation/v1/friend_grpc.pb.go"],
    "Java": [f"java/{JAVA}/Friend.java", f"java/{JAVA}/FriendServiceGrpc.java"],
    "Kotlin": [f"kotlin/{JAVA}/FriendKt.kt"],
    "Objective-C": ["objc/relation/v1/Friend.pbobjc.h"],
    "PHP": ["php/Relation/V1/Friend.php", "php/Relation/V1/FriendServiceClient.php"],
    "Python": ["python/relation/v1/friend_pb2.py", "python/relation/v1/friend_pb2_grpc.py"],
    "Ruby": ["ruby/relation/v1/friend_pb.rb", "ruby/relation/v1/friend_services_pb.rb"],
}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("module")
    subprocess.run(
        [BUF, "generate", "-o", folder], cwd=ROOT / "proto", check=True, timeout=300)
    return folder / "gen"


@pytest.mark.parametrize("language", MADE)
def test_buf_makes_code_without_an_option(made, language):
    for file in MADE[language]:
        assert (made / file).exists(), file


def test_the_service_of_receivers_is_a_package_of_its_own(made):
    for file in (
        "go/relation/hook/v1/receiver_grpc.pb.go", "cpp/relation/hook/v1/receiver.grpc.pb.h",
        "java/example/git/relation/hook/v1/HookReceiverServiceGrpc.java",
        "php/Relation/Hook/V1/HookReceiverServiceClient.php",
        "python/relation/hook/v1/receiver_pb2_grpc.py",
        "ruby/relation/hook/v1/receiver_services_pb.rb",
    ):
        assert (made / file).exists(), file


def test_the_commands_of_the_page_make_code_as_typed(tmp_path):
    """Those below "Code for your language" of docs/calling.md, beside a copy of the contract."""
    page = (ROOT / "docs" / "calling.md").read_text().split("### Code for your language")[1]
    commands = re.search(r"```sh\n(files=.*?)```", page, re.DOTALL)[1]
    shutil.copytree(ROOT / "proto", tmp_path / "proto")
    tools = pathlib.Path(sys.executable).parent
    done = subprocess.run(
        ["bash", "-euxc", commands], cwd=tmp_path, capture_output=True, text=True, check=False,
        env={**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"})
    assert done.returncode == 0, done.stderr
    for file in (
        "relation/v1/friend.grpc.pb.cc",
        "git.example/relation-chain/gen/go/relation/v1/friend_grpc.pb.go",
        f"{JAVA}/FriendServiceGrpc.java", "relation/v1/friend_pb2_grpc.py",
        "relation/v1/friend_services_pb.rb",
    ):
        assert (tmp_path / "client" / file).exists(), file
