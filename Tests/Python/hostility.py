"""Attacks by a hostile client: each case is one attack, on connections of its own, that ends by
itself.

A case gets the `Victim`. It does not check the result: the test checks that the server goes on and
has lost nothing.
"""

import gzip
import os
import socket
import ssl
import struct

from raw_peer import (
    ACK, CONTINUATION, DATA, END_HEADERS, END_STREAM, GOAWAY, HEADERS, PREFACE, PRIORITY,
    PUSH_PROMISE, SETTINGS, RawPeer, envelope, frame, integer, literal, ping, reset, settings,
    window_update,
)  # fmt: skip

CASES = {}


class Victim:
    """A server under attack: its address, and its credentials."""

    def __init__(self, port, stubs, *metadata, secure=None):
        self.port = port
        self.stubs = stubs
        self.metadata = list(metadata)
        self.secure = secure

    def peer(self, **options):
        return RawPeer(self.port, secure=self.secure, **options)

    def socket(self):
        """A connection on which nothing has been sent, not even for TLS."""
        return socket.create_connection(("127.0.0.1", self.port), timeout=20)

    def head(self, peer, call, **changes):
        """The fields of a request for a call of the contract."""
        stub, method = self.stubs.method(call)
        path = f"/{method.containing_service.full_name}/{method.name}"
        return peer.request(path, **changes) + self.metadata

    def block(self, peer, call):
        """The fields of a request, as a header block that no table remembers."""
        return b"".join(literal(name, value) for name, value in self.head(peer, call))

    def message(self, call, **fields):
        return envelope(self.stubs.request(call, fields).SerializeToString())


def case(attack):
    CASES[attack.__name__] = attack
    return attack


def until_closed(peer, frames, times=400):
    """Sends over and over until the server has had enough; it must have closed at the end."""
    for _ in range(times):
        if peer.is_closed:
            return
        peer.send(frames)
    peer.goaway()


# Resets


def flood_of_streams(victim, end):
    """Opens streams by the thousand, and lets `end` make the frame that ends each."""
    with victim.peer() as peer:
        block = victim.block(peer, "Watch")
        for _ in range(40):
            frames = []
            for _ in range(50):
                stream = peer.new_stream()
                frames += [peer.headers(stream, None, block=block), end(stream)]
            peer.send(*frames)
        peer.goaway()


@case
def rapid_reset(victim):
    flood_of_streams(victim, reset)


@case
def resets_of_calls_that_have_begun(victim):
    message = victim.message("GetRelations", user_id="ann", user_ids=["bob", "unknown"])
    watch = victim.message("Watch", user_id="ann")
    with victim.peer() as peer:
        for call, body in [("GetRelations", message), ("Watch", watch)] * 100:
            stream = peer.new_stream()
            peer.send(peer.headers(stream, None, block=victim.block(peer, call)))
            peer.data(stream, body, end=True)
            peer.send(reset(stream))
        peer.round_trip()


@case
def resets_that_the_server_is_made_to_send(victim):
    flood_of_streams(victim, lambda stream: window_update(stream, (1 << 31) - 1))


@case
def streams_that_are_refused_to_who_does_not_read(victim):
    with victim.peer() as peer:
        peer.socket.settimeout(5)
        block = victim.block(peer, "Watch")
        for _ in range(300):
            if peer.is_closed:
                break
            peer.send(*(peer.headers(peer.new_stream(), None, block=block) for _ in range(100)))


# Headers


@case
def a_flood_of_continuations(victim):
    with victim.peer() as peer:
        peer.send(frame(HEADERS, 0, 1, victim.block(peer, "ListFriends")))
        until_closed(peer, frame(CONTINUATION, 0, 1, literal("a", "b" * 10_000)))


@case
def a_head_that_never_ends(victim):
    with victim.peer() as peer:
        peer.send(frame(HEADERS, 0, 1, victim.block(peer, "ListFriends")))
        peer.send(frame(CONTINUATION, 0, 1, literal("a", "b")))


@case
def a_flood_of_headers(victim):
    with victim.peer() as peer:
        more = literal("x-more", "y" * 400) * 30
        for _ in range(20):
            stream = peer.new_stream()
            peer.send(peer.headers(stream, None, block=victim.block(peer, "Watch") + more))
        peer.round_trip()


@case
def huge_names_of_headers(victim):
    with victim.peer() as peer:
        for size in (8_000, 15_900):
            stream = peer.new_stream()
            block = victim.block(peer, "Watch") + literal("x" * size, "")
            for start in range(0, len(block), 16_000):
                part = block[start : start + 16_000]
                flags = END_HEADERS if start + 16_000 >= len(block) else 0
                peer.send(frame(HEADERS if start == 0 else CONTINUATION, flags, stream, part))
        peer.round_trip()


@case
def heads_that_are_kept(victim):
    with victim.peer() as peer:
        block = victim.block(peer, "AddFriends") + literal("x-more", "y" * 15_000)
        peer.send(*(peer.headers(peer.new_stream(), None, block=block) for _ in range(1_000)))
        peer.round_trip()


@case
def a_bomb_of_references(victim):
    with victim.peer() as peer:
        block = victim.block(peer, "ListFriends")
        block += b"\x40" + integer(1, 7) + b"a" + integer(3_000, 7) + b"x" * 3_000
        peer.send(peer.headers(1, None, block=block + bytes([0x80 | 62]) * 8_000))
        peer.goaway()


@case
def a_wrong_reference(victim):
    with victim.peer() as peer:
        peer.send(peer.headers(1, None, block=b"\xff" * 12))
        peer.goaway()


@case
def tables_that_change_their_size(victim):
    with victim.peer() as peer:
        for _ in range(200):
            stream = peer.new_stream()
            block = integer(0, 5, 0x20) + integer(4_096, 5, 0x20) + victim.block(peer, "Watch")
            peer.send(peer.headers(stream, None, block=block, end=True))
        peer.round_trip()


# Floods


def flood(name, *frames):
    def attack(victim):
        with victim.peer() as peer:
            peer.open(victim.head(peer, "ImportFriends"), end=False)
            until_closed(peer, b"".join(frames) * 100)

    attack.__name__ = name
    case(attack)


flood("a_flood_of_pings", ping())
flood("a_flood_of_settings", settings())
flood("a_flood_of_windows_in_settings", settings(initial_window_size=5))
flood("a_flood_of_priorities", frame(PRIORITY, 0, 1, b"\0\0\0\0\x10"))
flood("a_flood_of_empty_data", frame(DATA, 0, 1))
flood("pushes", frame(PUSH_PROMISE, END_HEADERS, 1, struct.pack(">I", 2)))
flood("data_without_a_stream", frame(DATA, 0, 0, b"x"))
flood("frames_beyond_their_size", b"\xff\xff\xff" + frame(DATA, 0, 1)[3:])
flood("answers_to_pings_that_were_not_sent", ping(5, ACK), settings())
flood("windows_beyond_their_largest", window_update(0, (1 << 31) - 1))


@case
def settings_that_move_the_windows_of_many_streams(victim):
    with victim.peer() as peer:
        block = victim.block(peer, "Watch")
        peer.send(*(peer.headers(peer.new_stream(), None, block=block) for _ in range(1_000)))
        many = b"".join(struct.pack(">HI", 4, 65_535 + number % 2) for number in range(32))
        until_closed(peer, frame(SETTINGS, payload=many) * 50)


@case
def a_flood_of_unknown_frames(victim):
    with victim.peer() as peer:
        for _ in range(50):
            peer.send(frame(0x42, 0xFF, 0, b"x" * 100) * 100)
        peer.round_trip()


@case
def a_flood_of_window_updates(victim):
    with victim.peer() as peer:
        stream = peer.open(victim.head(peer, "Watch"), end=False)
        for _ in range(50):
            peer.send((window_update(stream, 1) + window_update(0, 1)) * 100)
        peer.round_trip()


@case
def answers_that_are_not_read(victim):
    with victim.peer() as peer:
        peer.socket.settimeout(5)
        block = victim.block(peer, "GetLimits")
        body = victim.message("GetLimits", user_id="ann")
        for _ in range(600):
            if peer.is_closed:
                break
            stream = peer.new_stream()
            head = peer.headers(stream, None, block=block)
            peer.send(head, frame(DATA, END_STREAM, stream, body), ping())


# Windows, and slowness


@case
def windows_that_stay_shut(victim):
    with victim.peer(initial_window_size=0) as peer:
        for _ in range(100):
            peer.open(victim.head(peer, "ListFriends"), victim.message("ListFriends", user_id="ann"))
            peer.open(victim.head(peer, "Watch"), victim.message("Watch", user_id="ann"))
        peer.round_trip()


@case
def many_idle_streams(victim):
    with victim.peer() as peer:
        for _ in range(300):
            peer.open(victim.head(peer, "Watch"), victim.message("Watch", user_id="ann"))
        peer.round_trip()


@case
def messages_that_stay_half_sent(victim):
    body = victim.message(
        "AddFriends", user_id="ann", items=[{"user_id": "carl", "remark": "r" * 90}])
    with victim.peer() as peer:
        for size in (1, 5, len(body) - 1, len(body)):
            # The last one is whole, except for its end.
            peer.open(victim.head(peer, "AddFriends"), body[:size], end=False)
        peer.round_trip()


@case
def imports_that_stay_half_sent(victim):
    row = victim.message("ImportFriends", row={"user_id": "ann", "friend_user_id": "carl"})
    with victim.peer() as peer:
        peer.open(victim.head(peer, "ImportFriends"), row[:-1], end=False)
        peer.round_trip()


@case
def a_preface_byte_by_byte(victim):
    with victim.peer(preface=b"") as peer:
        for byte in PREFACE[:-1]:
            peer.send(bytes([byte]))


@case
def frames_byte_by_byte(victim):
    with victim.peer() as peer:
        head = peer.headers(1, victim.head(peer, "AddFriends"))
        for byte in head + frame(DATA, 0, 1, b"\0\0\0\1"):
            peer.send(bytes([byte]))
        peer.round_trip()


@case
def a_crowd_that_says_nothing(victim):
    crowd = [victim.socket() for _ in range(100)]
    for one in crowd:
        one.close()


@case
def a_crowd_that_resets_its_sockets(victim):
    for _ in range(50):
        one = victim.socket()
        one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        one.send(PREFACE)
        one.close()


# Bytes of other kinds, and frames out of order


def bytes_of(name, sent):
    def attack(victim):
        with victim.socket() as one:
            try:
                one.sendall(sent)
                one.shutdown(socket.SHUT_WR)
                while one.recv(65_536):
                    pass
            except OSError:
                # The server closed before everything was sent.
                pass

    attack.__name__ = name
    case(attack)


bytes_of("http_1_1", b"POST /relation.v1.FriendService/AddFriends HTTP/1.1\r\nhost: x\r\n\r\n")
bytes_of("http_1_1_that_wants_more", b"GET / HTTP/1.1\r\nupgrade: h2c\r\n" + b"x: y\r\n" * 9_000)
bytes_of("half_a_client_hello", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(40))
bytes_of("the_preface_and_noise", PREFACE + settings() + bytes(range(256)) * 100)
bytes_of("noise", bytes(reversed(range(256))) * 100)


@case
def chance(victim):
    with victim.socket() as one:
        try:
            for _ in range(20):
                one.sendall(os.urandom(4_000))
        except OSError:
            pass


@case
def a_half_closed_socket(victim):
    with victim.peer() as peer:
        peer.open(victim.head(peer, "Watch"), victim.message("Watch", user_id="ann"))
        peer.open(victim.head(peer, "AddFriends"), b"\0\0\0\1", end=False)
        peer.round_trip()
        if victim.secure is None:
            peer.leave()


@case
def calls_after_the_own_goaway(victim):
    with victim.peer() as peer:
        peer.send(frame(GOAWAY, payload=struct.pack(">II", 0, 0)))
        for _ in range(50):
            peer.open(victim.head(peer, "Watch"), victim.message("Watch", user_id="ann"))


@case
def trailers_without_an_end(victim):
    with victim.peer() as peer:
        stream = peer.open(victim.head(peer, "AddFriends"), b"\0\0\0\1\0", end=False)
        peer.send(peer.headers(stream, None, block=literal("x-trailer", "y")))
        peer.round_trip()


@case
def data_after_the_end(victim):
    with victim.peer() as peer:
        stream = peer.open(
            victim.head(peer, "Watch"), victim.message("Watch", user_id="ann"), end=True)
        peer.send(frame(DATA, 0, stream, b"x") * 10)
        peer.goaway()


@case
def streams_with_even_numbers(victim):
    with victim.peer() as peer:
        peer.send(peer.headers(2, None, block=victim.block(peer, "Watch")))
        peer.goaway()


@case
def messages_that_claim_to_be_long(victim):
    with victim.peer() as peer:
        for length in (0xFFFF_FFFF, 5 << 20):
            head = b"\0" + struct.pack(">I", length)
            stream = peer.open(victim.head(peer, "AddFriends"), head + bytes(1_000), end=False)
            peer.answer(stream)


@case
def a_bomb_of_gzip(victim):
    bomb = gzip.compress(bytes(40 << 20))
    with victim.peer() as peer:
        fields = victim.head(peer, "AddFriends", **{"grpc-encoding": "gzip"})
        peer.round_trip()
        stream = peer.open(fields, b"", end=False)
        peer.data(stream, envelope(bomb, 1), end=True)
        peer.answer(stream)


@case
def names_that_are_to_be_watched(victim):
    with victim.peer() as peer:
        # Names of 1,025 bytes and of 100 kB, which are the first field of the request.
        for name, code in [
            (b"\x0a\x81\x08" + b"n" * 1_025, "3"), (b"\x0a\xa0\x8d\x06" + b"n" * 100_000, "8"),
        ]:
            for _ in range(20):
                stream = peer.open(peer.request("/grpc.health.v1.Health/Watch"), end=False)
                peer.data(stream, envelope(name), end=True, size=1_000)
                assert peer.answer(stream).code == code


@case
def messages_that_are_none(victim):
    with victim.peer() as peer:
        for call in ("AddFriends", "ImportFriends", "Watch", "ListFriends", "ExportApp"):
            for body in (b"\xff" * 50, b"\x0a\xff\xff\xff\xff\x0f", b"\x0b" * 1_000):
                peer.answer(peer.open(victim.head(peer, call), envelope(body)))


# TLS

TLS_CASES = {}


def tls_case(attack):
    TLS_CASES[attack.__name__] = attack
    return attack


def hello(victim, **options):
    """The first flight of a handshake that is never finished."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.set_alpn_protocols(["h2"])
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    try:
        context.wrap_bio(incoming, outgoing).do_handshake()
    except ssl.SSLWantReadError:
        pass
    return outgoing.read()


@tls_case
def handshakes_that_stop_halfway(victim):
    for size in (1, 5, 50, 100_000):
        with victim.socket() as one:
            one.sendall(hello(victim)[:size])
            if size == 100_000:
                assert one.recv(1)


@tls_case
def a_handshake_byte_by_byte(victim):
    with victim.socket() as one:
        one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for byte in hello(victim):
            one.sendall(bytes([byte]))
        assert one.recv(1)


@tls_case
def noise_after_the_first_flight(victim):
    with victim.socket() as one:
        one.sendall(hello(victim) + bytes(range(256)) * 100)
        try:
            while one.recv(65_536):
                pass
        except OSError:
            pass


@tls_case
def a_storm_of_handshakes(victim):
    for _ in range(30):
        with victim.peer(preface=b""):
            pass


@tls_case
def other_protocols(victim):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.set_alpn_protocols(["http/1.1"])
    try:
        with context.wrap_socket(victim.socket()) as one:
            one.sendall(b"GET / HTTP/1.1\r\n\r\n")
            while one.recv(65_536):
                pass
    except OSError:
        pass


@tls_case
def records_that_are_cut(victim):
    with victim.peer() as peer:
        peer.round_trip()
        # A record of 16 KiB whose bytes never come.
        plain = socket.socket(fileno=os.dup(peer.socket.fileno()))
        plain.sendall(b"\x17\x03\x03\x40\x00" + bytes(100))
        plain.close()
