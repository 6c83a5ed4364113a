"""Clients that compress: their requests and answers are the same with and without compression."""

import json
import subprocess

import grpc
import pytest
from people import People
from relationd import executable
from stubs import Relation


@pytest.mark.parametrize("algorithm", [grpc.Compression.Gzip, grpc.Compression.Deflate])
def test_a_call_is_answered_alike_with_and_without_compression(server, stubs, algorithm):
    with (
        grpc.insecure_channel(server.address, compression=algorithm) as packed,
        grpc.insecure_channel(server.address) as plain,
    ):
        people = People(Relation(stubs, packed))
        users = people(200)
        owner, friends = users[0], users[1:]
        for start in range(0, len(friends), 100):
            people.befriend(owner, *friends[start : start + 100])
        asked = {"user_id": owner, "page_size": 200, "with_profiles": True}
        one = people.relation("ListFriends", **asked)
        other = Relation(stubs, plain)("ListFriends", **asked)
        assert one == other
        assert [friend.user_id for friend in one.friends] == friends


def test_our_command_line_compresses_when_it_is_told_to(server, people):
    users = people(60)
    owner, friends = users[0], users[1:]
    people.befriend(owner, *friends)
    request = json.dumps({"user_id": owner, "page_size": 100})
    command = [executable("relationctl"), "call", "--server", server.address]
    said = [
        subprocess.run(
            [*command, *options, "ListFriends", request],
            capture_output=True, text=True, timeout=30, check=True,
        ).stdout
        for options in ([], ["--compress"])
    ]  # fmt: skip
    assert said[0] == said[1]
    assert [friend["userId"] for friend in json.loads(said[1])["friends"]] == friends
