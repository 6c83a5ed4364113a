"""The open calls and connections that a key, a user, an app and an address may hold at once; and
that a call or connection that has ended, in any way, no longer counts."""

import socket
import time

import grpc
import pytest
from credentials import Keys, bearer, init, sign
from raw_peer import RawPeer, envelope, reset
from refusals import Refusal, refusal
from relationd import Relationd
from stubs import Relation
from watching import Watching, live

FULL = grpc.StatusCode.RESOURCE_EXHAUSTED
PATIENCE = 30


@pytest.fixture(scope="module")
def bounded(tmp_path_factory):
    """A server whose callers may hold little."""
    data = tmp_path_factory.mktemp("bounded") / "data"
    _, operator, _ = init(data)
    with Relationd(
        data, "--app-streams", "5", "--key-streams", "3", "--user-streams", "2",
        "--app-connections", "4", "--key-connections", "3", "--user-connections", "2",
        "--address-connections", "20", insecure=False,
    ) as running:  # fmt: skip
        running.operator = operator
        yield running


@pytest.fixture(scope="module")
def keys(bounded, stubs):
    with grpc.insecure_channel(bounded.address) as channel:
        yield Keys(stubs, channel, bounded.operator)


@pytest.fixture
def app(keys):
    """An app that holds nothing yet, with the user ann."""
    app = keys.app()
    keys.accounts(app, "ann", "bob")
    return app


def assert_full(refused, reason, limit):
    assert (refused.code, refused.reason, refused.domain) == (FULL, reason, "relation.v1"), refused
    assert refused.metadata == {"limit": str(limit)}
    assert refused.retry_seconds > 0


def assert_no_more_streams(relation, limit, **fields):
    assert_full(Watching(relation, user_id="ann").refusal(), "TOO_MANY_OPEN_CALLS", limit)


def eventually(check):
    """The result of `check` once it is no longer refused."""
    end = time.monotonic() + PATIENCE
    while True:
        try:
            return check()
        except grpc.RpcError as error:
            assert Refusal(error).reason in ("TOO_MANY_OPEN_CALLS", "TOO_MANY_CONNECTIONS")
            assert time.monotonic() < end
            time.sleep(0.01)


# So many that the relations to them are not read on the loop of the call.
LONG = ["bob", "cat", "dan"]


def channel_to(running):
    """A channel with a connection of its own."""
    return grpc.insecure_channel(
        running.address, options=[("grpc.use_local_subchannel_pool", 1)])


def test_a_key_has_so_many_streams_and_its_app_so_many_more(keys, app):
    one, other = keys.with_key(keys.key(app)), keys.with_key(keys.key(app))
    streams = [live(one, user_id="ann") for _ in range(3)]
    assert_no_more_streams(one, 3)
    # A call that is answered within one turn does not count as open.
    for _ in range(20):
        assert one("ListFriends", user_id="ann", page_size=20).total_size == 0
    streams += [live(other, user_id="ann") for _ in range(2)]
    assert_no_more_streams(other, 5)
    # Operators get through, and other apps.
    operator = live(keys.as_operator(app), user_id="ann")
    foreign = keys.app()
    keys.accounts(foreign, "ann")
    live(keys.with_key(keys.key(foreign)), user_id="ann").cancel()
    for stream in [*streams, operator]:
        stream.cancel()


def test_writes_and_other_streams_count_like_streams_of_changes(keys, app, stubs):
    key = keys.with_key(keys.key(app))
    streams = [live(key, user_id="ann") for _ in range(3)]
    for refused in (
        refusal(key, "UpdateProfile", user_id="ann", profile={"nick": "A"},
                update_mask={"paths": ["nick"]}),
        refusal(key, "GetRelations", user_id="ann", user_ids=LONG),
        refusal(key.stream, "ImportFriends", [
            {"row": {"user_id": "ann", "friend_user_id": "bob"}}]),
        refusal(key.start("ExportApp"), stubs.request("ExportApp", {}), metadata=key.metadata),
    ):  # fmt: skip
        assert_full(refused, "TOO_MANY_OPEN_CALLS", 3)
    streams.pop().cancel()
    answer = eventually(lambda: key("UpdateProfile", user_id="ann", profile={"nick": "A"},
                                    update_mask={"paths": ["nick"]}))  # fmt: skip
    assert answer.applied
    # Each of these has ended when the next begins.
    for _ in range(10):
        key("AddFriends", user_id="ann", items=[{"user_id": "bob"}])
        key("GetRelations", user_id="ann", user_ids=LONG)
    for stream in streams:
        stream.cancel()


def test_a_user_has_so_many_streams_whatever_signature_it_shows(keys, app):
    secret = keys.secret(app)
    tokens = [sign(app, secret, "ann", expire=1_000 + number) for number in range(3)]
    streams = [live(keys.with_signature(token), user_id="ann") for token in tokens[:2]]
    assert_no_more_streams(keys.with_signature(tokens[2]), 2)
    bob = live(keys.with_signature(sign(app, secret, "bob")), user_id="bob")
    for stream in [*streams, bob]:
        stream.cancel()


@pytest.mark.parametrize("end", ["cancel", "cut", "deadline", "refusal", "revocation"])
def test_a_stream_is_held_no_longer_than_it_lasts(bounded, keys, stubs, app, end):
    key = keys.key(app)
    relation = keys.with_key(key)
    others = [live(relation, user_id="ann") for _ in range(2)]
    for _ in range(5):
        if end == "cancel":
            eventually(lambda: live(relation, user_id="ann")).cancel()
        elif end == "deadline":
            refused = Watching(relation, timeout=0.3, user_id="ann").refusal()
            assert refused.code == grpc.StatusCode.DEADLINE_EXCEEDED or (
                refused.reason == "TOO_MANY_OPEN_CALLS"), refused
        elif end == "refusal":
            refused = Watching(relation, user_id="unknown").refusal()
            assert refused.reason in ("USER_NOT_FOUND", "TOO_MANY_OPEN_CALLS")
        elif end == "revocation":
            # Another key's streams end with it, and leave the app its room.
            third = keys.key(app)
            streams = [eventually(lambda: live(keys.with_key(third), user_id="ann"))
                       for _ in range(3)]  # fmt: skip
            keys.as_operator(app)("RevokeCredential", credential_id=third.split(".")[1])
            for stream in streams:
                assert stream.refusal().reason == "CREDENTIAL_INVALID"
        else:
            with RawPeer(bounded.port) as peer:
                fields = peer.request("/relation.v1.ChangeService/Watch") + [bearer(key)]
                body = envelope(stubs.request("Watch", {"user_id": "ann"}).SerializeToString())
                peer.open(fields, body)
                peer.round_trip()
    last = eventually(lambda: live(relation, user_id="ann"))
    for stream in [*others, last]:
        stream.cancel()


def test_a_key_comes_on_so_many_connections_and_its_app_on_so_many_more(bounded, keys, app):
    one, other = keys.key(app), keys.key(app)
    # One connection is that of `keys` itself, on which neither has called.
    channels = [channel_to(bounded) for _ in range(5)]
    made = [Keys(keys.stubs, channel, "") for channel in channels]
    for place in range(3):
        assert made[place].with_key(one)("GetStats")
    assert_full(refusal(made[3].with_key(one), "GetStats"), "TOO_MANY_CONNECTIONS", 3)
    # Another may use the very connection.
    assert made[3].with_key(other)("GetStats")
    assert_full(refusal(made[4].with_key(other), "GetStats"), "TOO_MANY_CONNECTIONS", 4)
    assert made[0].with_key(one)("GetStats")
    channels[0].close()
    assert eventually(lambda: made[4].with_key(other)("GetStats"))
    for channel in channels:
        channel.close()


def test_a_user_comes_on_so_many_connections(bounded, keys, app):
    token = sign(app, keys.secret(app), "ann")
    channels = [channel_to(bounded) for _ in range(3)]
    ann = [Keys(keys.stubs, channel, "").with_signature(token) for channel in channels]
    for place in range(2):
        assert ann[place]("GetSelfProfile")
    assert_full(refusal(ann[2], "GetSelfProfile"), "TOO_MANY_CONNECTIONS", 2)
    channels[1].close()
    assert eventually(lambda: ann[2]("GetSelfProfile"))
    for channel in channels:
        channel.close()


def connect(running, source):
    return socket.create_connection(
        ("127.0.0.1", running.port), timeout=PATIENCE, source_address=(source, 0))


def is_refused(one):
    """Whether the server closes a connection at once that has sent nothing."""
    try:
        return one.recv(1) == b""
    except ConnectionError:
        return True


def test_an_address_has_so_many_connections_and_shuts_no_other_out(bounded, keys, app):
    silent = [connect(bounded, "127.0.0.2") for _ in range(20)]
    for _ in range(3):
        with connect(bounded, "127.0.0.2") as late:
            assert is_refused(late)
    # A client from another address is served.
    with RawPeer(bounded.port, source="127.0.0.3") as peer:
        assert peer.call(peer.request("/grpc.health.v1.Health/Check")).code == "0"
    assert keys.as_operator(app)("GetStats")
    for one in silent:
        one.close()
    end = time.monotonic() + PATIENCE
    while True:
        with RawPeer(bounded.port, source="127.0.0.2", preface=b"") as peer:
            peer.socket.settimeout(0.2)
            try:
                refused = is_refused(peer.socket)
            except TimeoutError:
                refused = False
        if not refused:
            break
        assert time.monotonic() < end
    assert "too_many_connections_of_address" in bounded.log


def test_an_address_makes_so_many_connections_a_second_and_holds_up_no_other(start):
    running = start("data", "--address-rate", "5")
    made = 0
    while "too_fast_connections_of_address" not in running.log:
        with connect(running, "127.0.0.2") as one:
            # We close a connection that was accepted; one that was not has ended already.
            try:
                one.shutdown(socket.SHUT_WR)
                one.recv(1)
            except OSError:
                pass
        made += 1
        # Far more than the five a second that it may make.
        assert made < 400
    assert made > 20
    with RawPeer(running.port, source="127.0.0.3") as peer:
        assert peer.call(peer.request("/grpc.health.v1.Health/Check")).code == "0"


def test_all_connections_together_hold_so_much_and_the_greedy_lose_it(start, stubs):
    running = start("data", "--memory", "16")
    half = envelope(bytes(4_000_000))[:200_000]
    call = "/relation.v1.FriendService/CheckFriends"
    with RawPeer(running.port) as modest, RawPeer(running.port) as greedy:
        kept = modest.open(modest.request(call), half, end=False)
        streams = [greedy.open(greedy.request(call), half, end=False) for _ in range(100)]
        greedy.round_trip()
        codes = [greedy.of(stream).code for stream in streams]
        assert set(codes) == {None, "8"}
        assert codes.count(None) < (16 << 20) / 200_000
        modest.round_trip()
        assert modest.of(kept).code is None
        with grpc.insecure_channel(running.address) as channel:
            assert Relation(stubs, channel)("GetStats")
    assert running.log.count("too_large_share_of_memory") == 1


def test_the_log_stays_short_whoever_offends_how_often(bounded, keys):
    before = len(bounded.log)
    begun = time.monotonic()
    for _ in range(300):
        with socket.create_connection(("127.0.0.1", bounded.port), timeout=PATIENCE) as one:
            one.sendall(b"GET / HTTP/1.1\r\n\r\n")
            while one.recv(4_096):
                pass
    seconds = time.monotonic() - begun
    lines = bounded.log[before:].splitlines()
    assert 0 < len(lines) <= 50 + 5 * (seconds + 2)
    assert all("violation=" in line for line in lines), lines[:3]


def test_resets_of_calls_do_not_make_room_before_their_work_is_done(bounded, keys, stubs, app):
    key = keys.key(app)
    body = envelope(stubs.request(
        "GetRelations", {"user_id": "ann", "user_ids": LONG}).SerializeToString())
    with RawPeer(bounded.port) as peer:
        fields = peer.request("/relation.v1.FriendService/GetRelations") + [bearer(key)]
        for _ in range(50):
            peer.send(reset(peer.open(fields, body)))
        peer.round_trip()
        # All of the room comes back in the end.
        end = time.monotonic() + PATIENCE
        while (code := peer.call(fields, body=body).code) != "0":
            assert code == "8" and time.monotonic() < end
