"""Clients that compress: what they send and get is the same with and without."""

import grpc
import pytest
from people import People
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
