"""Streams, imports and servers that come and go, through each proxy, by gRPC's own client."""

import contextlib
import re
import time
import urllib.request

import grpc
import ports
import proxies
import pytest
from people import People
from proxies import Proxy
from relationd import Relationd
from stubs import Relation
from watching import Watching

PROXIES = ["nginx", "haproxy", "apache", "caddy"]
# Caddy ends no quiet stream.
ENDING = ["nginx", "haproxy", "apache"]
#: Seconds of silence after which a proxy ends a stream here, beyond the shortest heartbeat.
QUIET = 3
HEARTBEAT_MS = 1_000
HEARTBEATS = 10
STREAMS = 30


@pytest.fixture(params=PROXIES)
def name(request):
    if proxies.program(request.param) is None:
        pytest.skip(f"{request.param} is not installed")
    return request.param


@contextlib.contextmanager
def calling(proxy, authority, stubs):
    """A client of the proxy's address, with TLS."""
    credentials = grpc.ssl_channel_credentials(authority.pem)
    with grpc.secure_channel(proxy.address, credentials) as channel:
        yield Relation(stubs, channel)


def ended(stream):
    """The status with which a stream ends, after whatever comes before."""
    with pytest.raises(grpc.RpcError) as refused:
        while True:
            stream.next()
    return refused.value.code()


def kept(relation, user, stream):
    """The message that a stream gets of a change of now."""
    People(relation).set_profile(user, nick=f"at {time.monotonic()}")
    return stream.event()


def test_heartbeats_keep_a_stream_that_is_quiet(
    name, server, authority, certificate, stubs, tmp_path
):
    with (
        Proxy(name, tmp_path / name, [server], certificate, quiet=QUIET) as proxy,
        calling(proxy, authority, stubs) as relation,
    ):
        ann, = People(relation)(1)
        with Watching(relation, user_id=ann, heartbeat_ms=HEARTBEAT_MS) as stream:
            stream.state()
            start = time.monotonic()
            for _ in range(HEARTBEATS):
                assert not stream.next().HasField("event")
            assert time.monotonic() - start > 2 * QUIET
            assert kept(relation, ann, stream).user_id == ann


@pytest.mark.parametrize("name", ENDING, indirect=True)
def test_a_stream_without_heartbeats_is_cut_off_and_goes_on_without_a_loss(
    name, server, authority, certificate, stubs, tmp_path
):
    with (
        Proxy(name, tmp_path / name, [server], certificate, quiet=QUIET) as proxy,
        calling(proxy, authority, stubs) as relation,
    ):
        ann, = People(relation)(1)
        with Watching(relation, user_id=ann) as stream:
            stream.state()
            code = ended(stream)
            print(f"{name}: a quiet stream ended with {code.name}")
            assert code in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.INTERNAL,
                            grpc.StatusCode.UNKNOWN, grpc.StatusCode.CANCELLED), code
            token = stream.token
        People(relation).set_profile(ann, nick="meanwhile")
        with Watching(relation, user_id=ann, resume_token=token) as stream:
            assert "meanwhile" in str(stream.event())


def test_a_client_hears_of_a_dead_server_and_goes_on_at_the_next(
    name, authority, certificate, stubs, tmp_path
):
    listen, pages = ports.address(), ports.address()
    with Relationd(tmp_path / "data", "--metrics-listen", pages, listen=listen) as first:
        with (
            Proxy(name, tmp_path / name, [first], certificate, quiet=60) as proxy,
            calling(proxy, authority, stubs) as relation,
        ):
            ann, = People(relation)(1)
            stream = Watching(relation, user_id=ann)
            stream.state()
            first.kill()
            code = ended(stream)
            print(f"{name}: a stream of a dead server ended with {code.name}")
            with pytest.raises(grpc.RpcError) as refused:
                relation("GetProfiles", user_id=ann, user_ids=[ann])
            assert refused.value.code() == grpc.StatusCode.UNAVAILABLE, refused.value
            with Relationd(
                tmp_path / "data", "--metrics-listen", pages, listen=listen
            ) as second:
                until_answered(relation, ann)
                People(relation).set_profile(ann, nick="after")
                with Watching(relation, user_id=ann, resume_token=stream.token) as again:
                    assert "after" in str(again.event())
                assert second.complaints == []


def test_a_client_hears_that_a_server_stops(
    name, authority, certificate, stubs, tmp_path
):
    with (
        Relationd(tmp_path / "data") as server,
        Proxy(name, tmp_path / name, [server], certificate, quiet=60) as proxy,
        calling(proxy, authority, stubs) as relation,
    ):
        ann, = People(relation)(1)
        stream = Watching(relation, user_id=ann)
        stream.state()
        assert server.stop() == 0
        refusal = stream.refusal()
        print(f"{name}: {refusal.code} {refusal.reason}")
        assert refusal.reason == "STOPPING"


def until_answered(relation, user):
    end = time.monotonic() + 20
    while True:
        try:
            return relation("GetProfiles", user_id=user, user_ids=[user])
        except grpc.RpcError as error:
            assert error.code() == grpc.StatusCode.UNAVAILABLE and time.monotonic() < end, error
            time.sleep(0.1)


@pytest.mark.parametrize("name", ["nginx", "haproxy", "caddy"], indirect=True)
def test_reads_go_on_when_one_of_two_servers_stops(
    name, authority, certificate, stubs, tmp_path
):
    with Relationd(tmp_path / "one") as one, Relationd(tmp_path / "two") as two:
        with (
            Proxy(name, tmp_path / name, [one, two], certificate, quiet=60) as proxy,
            calling(proxy, authority, stubs) as relation,
        ):
            for number in range(100):
                if number == 50:
                    one.stop()
                relation("ListApps")
            assert all(server.complaints == [] for server in (one, two))


def test_no_call_is_lost_and_streams_go_on_while_a_proxy_reloads(
    name, server, authority, certificate, stubs, tmp_path
):
    with (
        Proxy(name, tmp_path / name, [server], certificate, quiet=60) as proxy,
        calling(proxy, authority, stubs) as relation,
    ):
        ann, = People(relation)(1)
        with Watching(relation, user_id=ann) as stream:
            stream.state()
            for number in range(400):
                if number == 100:
                    proxy.reload()
                relation("GetProfiles", user_id=ann, user_ids=[ann])
                time.sleep(0.005)
            assert kept(relation, ann, stream).user_id == ann


def rows(run, count):
    """Accounts of more than 100 bytes each."""
    for number in range(count):
        yield {"row": {"user_id": f"{run}-{number:06}", "nick": "n" * 100}}


def test_a_long_import_passes_in_one_request(
    name, server, authority, certificate, stubs, tmp_path
):
    with (
        Proxy(name, tmp_path / name, [server], certificate, quiet=60) as proxy,
        calling(proxy, authority, stubs) as relation,
    ):
        answers, progress = People(relation).imported("ImportAccounts", rows(name, 30_000))
        assert (answers, progress.accepted) == ([], 30_000)


def test_an_import_beyond_the_bound_of_a_proxy_is_told_by_http(
    server, authority, certificate, stubs, tmp_path
):
    bound = [("client_max_body_size 0", "client_max_body_size 1m")]
    with (
        Proxy("nginx", tmp_path / "nginx", [server], certificate, quiet=60,
              changes=bound) as proxy,
        calling(proxy, authority, stubs) as relation,
    ):
        with pytest.raises(grpc.RpcError) as refused:
            People(relation).imported("ImportAccounts", rows("bounded", 30_000))
        print(f"beyond the bound: {refused.value.code().name} {refused.value.details()}")
        assert refused.value.code() != grpc.StatusCode.OK
        # What was durable before stays, and a following import goes on behind it.
        found = relation("ListAccounts", page_size=1).accounts
        assert found


def test_a_refusal_keeps_its_words_and_details(
    name, server, authority, certificate, stubs, tmp_path
):
    with (
        Proxy(name, tmp_path / name, [server], certificate, quiet=60) as proxy,
        calling(proxy, authority, stubs) as relation,
    ):
        with pytest.raises(grpc.RpcError) as refused:
            relation("CheckFriends", user_id="", user_ids=[" " * count for count in range(1, 90)])
        trailers = dict(refused.value.trailing_metadata())
        assert refused.value.code() == grpc.StatusCode.INVALID_ARGUMENT
        assert re.search("user_id", refused.value.details())
        assert trailers["grpc-status-details-bin"]
        unknown = relation.channel.unary_unary("/relation.v1.FriendService/NoSuchCall")
        with pytest.raises(grpc.RpcError) as refused:
            unknown(b"", timeout=20)
        assert refused.value.code() == grpc.StatusCode.UNIMPLEMENTED


def connections(server):
    with urllib.request.urlopen(server.pages + "/metrics", timeout=10) as answer:
        return int(re.search(r"^relation_connections (\d+)", answer.read().decode(), re.M)[1])


@pytest.mark.parametrize("name", ["nginx", "haproxy", "caddy"], indirect=True)
def test_only_nginx_has_a_connection_for_each_open_call(
    name, authority, certificate, stubs, tmp_path
):
    with (
        Relationd(tmp_path / "data") as server,
        Proxy(name, tmp_path / name, [server], certificate, quiet=60) as proxy,
        calling(proxy, authority, stubs) as relation,
    ):
        ann, = People(relation)(1)
        with contextlib.ExitStack() as streams:
            for _ in range(STREAMS):
                streams.enter_context(Watching(relation, user_id=ann)).next()
            if name == "nginx":
                assert connections(server) >= STREAMS
            else:
                assert connections(server) < STREAMS / 2
