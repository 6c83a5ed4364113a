"""The rates and bounds that an operator gives to the callers of one app, below the server's."""

import time

import grpc
import pytest
from credentials import Keys, init, sign
from refusals import assert_invalid, refusal
from relationd import Relationd
from watching import Watching, live

FULL = grpc.StatusCode.RESOURCE_EXHAUSTED
NAMES = [
    "calls_per_second", "key_calls_per_second", "user_calls_per_second", "open_calls",
    "key_open_calls", "user_open_calls", "connections", "key_connections", "user_connections",
]  # fmt: skip


@pytest.fixture(scope="module")
def guarded(tmp_path_factory):
    """A server whose callers may have ten streams, and the apps of its callers twenty."""
    data = tmp_path_factory.mktemp("bounds") / "data"
    _, operator, _ = init(data)
    with Relationd(
        data, "--key-streams", "10", "--app-streams", "20", insecure=False,
    ) as running:  # fmt: skip
        running.operator = operator
        yield running


@pytest.fixture(scope="module")
def keys(guarded, stubs):
    with grpc.insecure_channel(guarded.address) as channel:
        yield Keys(stubs, channel, guarded.operator)


@pytest.fixture
def app(keys):
    app = keys.app()
    keys.accounts(app, "ann")
    return app


def bound(keys, app, **numbers):
    return keys.as_operator(app)("UpdateApp", settings={"bounds": numbers}).app


def until_throttled(relation, call, **fields):
    """How many calls came in before one was refused, which says when to come again."""
    for count in range(500):
        try:
            relation(call, **fields)
        except grpc.RpcError:
            break
    refused = refusal(relation, call, **fields)
    assert (refused.code, refused.reason) == (FULL, "THROTTLED"), refused
    assert refused.retry_seconds > 0
    return count, refused


def full(relation, limit):
    refused = Watching(relation, user_id="ann").refusal()
    assert (refused.code, refused.reason) == (FULL, "TOO_MANY_OPEN_CALLS"), refused
    assert refused.metadata == {"limit": str(limit)}


def test_a_new_app_has_the_servers_bounds(keys, app):
    settings = keys.as_operator(app)("GetApp").app.settings
    assert settings.HasField("bounds")
    assert [getattr(settings.bounds, name) for name in NAMES] == [0] * len(NAMES)


def test_a_lower_rate_holds_at_once_for_its_app_and_for_no_other(keys, app):
    one, other = keys.with_key(keys.key(app)), keys.with_key(keys.key(keys.app()))
    for _ in range(20):
        one("GetStats")
    bound(keys, app, calls_per_second=2)
    count, refused = until_throttled(one, "GetStats")
    assert count <= 400 and refused.metadata == {"limit": "2"}
    for _ in range(20):
        other("GetStats")
        keys.as_operator(app)("GetStats")
    bound(keys, app, calls_per_second=0)
    for _ in range(20):
        one("GetStats")


def test_a_key_and_a_user_have_rates_of_their_own(keys, app):
    one, other = keys.with_key(keys.key(app)), keys.with_key(keys.key(app))
    bound(keys, app, key_calls_per_second=1, user_calls_per_second=1)
    until_throttled(one, "GetStats")
    assert other("GetStats")
    secret = keys.secret(app)
    ann = keys.with_signature(sign(app, secret, "ann"))
    until_throttled(ann, "GetSelfProfile")


def test_a_lower_number_of_streams_holds_for_those_that_come(keys, app):
    one, other = keys.with_key(keys.key(app)), keys.with_key(keys.key(app))
    streams = [live(one, user_id="ann") for _ in range(3)]
    bound(keys, app, key_open_calls=2, open_calls=4)
    full(one, 2)
    # The open ones stay, and count for the app.
    streams.append(live(other, user_id="ann"))
    full(other, 4)
    for stream in streams:
        stream.cancel()


def test_a_number_above_the_servers_is_the_servers(keys, app):
    changed = bound(keys, app, key_open_calls=1_000, open_calls=1_000_000)
    assert changed.settings.bounds.key_open_calls == 1_000
    one = keys.with_key(keys.key(app))
    streams = [live(one, user_id="ann") for _ in range(10)]
    full(one, 10)
    for stream in streams:
        stream.cancel()


def test_connections_of_one_app_may_be_fewer(guarded, keys, app):
    bound(keys, app, key_connections=1)
    key = keys.key(app)
    with (
        grpc.insecure_channel(guarded.address, [("grpc.use_local_subchannel_pool", 1)]) as first,
        grpc.insecure_channel(guarded.address, [("grpc.use_local_subchannel_pool", 1)]) as second,
    ):  # fmt: skip
        assert Keys(keys.stubs, first, None).with_key(key)("GetStats")
        refused = refusal(Keys(keys.stubs, second, None).with_key(key), "GetStats")
        assert (refused.code, refused.reason) == (FULL, "TOO_MANY_CONNECTIONS")


@pytest.mark.parametrize("name", NAMES)
def test_only_an_operator_changes_a_bound(keys, app, name):
    own = keys.with_key(keys.key(app))
    for fields in (
        {"settings": {"bounds": {name: 1}}}, {"settings": {"bounds": {name: 0}}},
        {"update_mask": {"paths": [f"bounds.{name}"]}},
        {"settings": {"bounds": {name: 1}, "log_events": 7}},
    ):  # fmt: skip
        refused = refusal(own, "UpdateApp", **fields)
        assert (refused.code, refused.reason) == (
            grpc.StatusCode.PERMISSION_DENIED, "SCOPE_MISSING"), refused
    assert own("UpdateApp", settings={"log_events": 7}).applied
    changed = bound(keys, app, **{name: 1_000_000})
    assert changed.changed_settings == [f"bounds.{name}", "log_events"] or (
        changed.changed_settings == ["log_events", f"bounds.{name}"])
    refused = refusal(
        keys.as_operator(app), "UpdateApp", settings={"bounds": {name: 1_000_001}})
    assert_invalid(refused, f"settings.bounds.{name}")


def test_bounds_are_there_after_a_restart(start, stubs, tmp_path):
    _, operator, _ = init(tmp_path / "data")
    running = start("data", insecure=False)
    with grpc.insecure_channel(running.address) as channel:
        keys = Keys(stubs, channel, operator)
        app = keys.app()
        key = keys.key(app)
        bound(keys, app, key_calls_per_second=1, user_calls_per_second=1)
    assert running.stop() == 0
    running = start("data", insecure=False)
    with grpc.insecure_channel(running.address) as channel:
        keys = Keys(stubs, channel, operator)
        until_throttled(keys.with_key(key), "GetStats")
        # A second later there is room for one call more.
        deadline = time.monotonic() + 30
        while True:
            try:
                keys.with_key(key)("GetStats")
                break
            except grpc.RpcError:
                assert time.monotonic() < deadline
                time.sleep(0.1)
