"""The callers that may come in where credentials are required: by keys, users' signatures, and the
operator's key."""

import base64
import json
import queue
import subprocess
import time
import zlib

import grpc
import pytest
from credentials import Keys, bearer, init, sign, usersig
from refusals import Refusal, assert_invalid, refusal
from relationd import Relationd, executable
from stubs import Relation
from test_bad_input import CALLS
from test_scopes import FOR_SERVICES, outcome, scope_of
from watching import Watching, live

UNAUTHENTICATED = grpc.StatusCode.UNAUTHENTICATED
SCOPES = ["read", "write", "watch", "admin"]


@pytest.fixture(scope="module")
def guarded(tmp_path_factory):
    """A server that asks for credentials, and its operator's key."""
    data = tmp_path_factory.mktemp("guarded") / "data"
    status, operator, complaint = init(data)
    assert status == 0, complaint
    with Relationd(data, insecure=False) as running:
        running.operator = operator
        yield running


@pytest.fixture(scope="module")
def keys(guarded, stubs):
    with grpc.insecure_channel(guarded.address) as channel:
        yield Keys(stubs, channel, guarded.operator)


@pytest.fixture(scope="module")
def app(keys):
    return keys.app()


@pytest.fixture(scope="module")
def signed(keys):
    """An app with the users ann and bob, and the secret of its signatures."""
    app = keys.app()
    keys.accounts(app, "ann", "bob")
    return app, keys.secret(app)


def assert_refused(refused, reason):
    assert (refused.code, refused.domain, refused.reason) == (
        UNAUTHENTICATED, "relation.v1", reason,
    ), refused  # fmt: skip


# The table: every call, every kind of credential (client certificates are in test_tls)


@pytest.fixture(scope="module")
def table(keys, app, signed):
    """From each kind of credential to its metadata, and to the scopes that it has."""
    # Signatures are of another app, whose secret no call of this walk replaces.
    other, secret = signed
    kinds = {scope: ([bearer(keys.key(app, scope))], {scope}) for scope in SCOPES}
    kinds["service"] = ([bearer(keys.key(app))], set(SCOPES))
    kinds["operator"] = (
        [bearer(keys.operator), ("x-app-id", str(app))], {*SCOPES, "operator"},
    )  # fmt: skip
    kinds["user"] = ([usersig(sign(other, secret, "ann"))], {"read", "write", "watch"})
    return kinds


def assert_opens_its_calls(stubs, channel, call, kind, metadata, scopes):
    """The call is answered if it needs one of the scopes, and refused for its scope otherwise."""
    refused = outcome(stubs, channel, call, *metadata)
    is_opened = scope_of(stubs, call) in scopes and not (kind == "user" and call in FOR_SERVICES)
    if is_opened:
        assert refused is None or (
            refused.code != UNAUTHENTICATED and refused.reason != "SCOPE_MISSING"
        ), refused
    else:
        assert (refused.code, refused.reason) == (
            grpc.StatusCode.PERMISSION_DENIED, "SCOPE_MISSING",
        )  # fmt: skip


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("kind", [*SCOPES, "service", "operator", "user"])
def test_a_credential_opens_exactly_the_calls_of_its_scopes(stubs, keys, table, call, kind):
    assert_opens_its_calls(stubs, keys.channel, call, kind, *table[kind])


@pytest.mark.parametrize("call", CALLS)
def test_what_is_no_credential_opens_no_call(stubs, keys, app, signed, call):
    revoked = keys.key(app)
    keys.as_operator(app)("RevokeCredential", credential_id=revoked.split(".")[1])
    other, secret = signed
    for metadata, reason in {
        (): "CREDENTIAL_MISSING",
        (("x-app-id", str(app)), ("x-scopes", "admin"), ("x-user-id", "ann")): "CREDENTIAL_MISSING",
        (bearer(revoked),): "CREDENTIAL_INVALID",
        (usersig(sign(app, secret, "ann")),): "CREDENTIAL_INVALID",
        (usersig(sign(other, secret, "ann", expire=-1)),): "CREDENTIAL_EXPIRED",
    }.items():
        assert_refused(outcome(stubs, keys.channel, call, *metadata), reason)


# Keys


def test_a_key_acts_for_every_user_of_its_app_and_of_no_other(keys, app):
    keys.accounts(app, "ann", "bob")
    service = keys.with_key(keys.key(app))
    answer = service("AddFriends", user_id="ann", items=[{"user_id": "bob"}])
    assert answer.applied
    assert [friend.user_id for friend in service("ListFriends", user_id="bob").friends] == ["ann"]
    other = keys.with_key(keys.key(keys.app()))
    refused = refusal(other, "ListFriends", user_id="ann")
    assert (refused.code, refused.reason) == (grpc.StatusCode.NOT_FOUND, "USER_NOT_FOUND")


def test_a_key_may_name_its_own_app_and_no_other(keys, app):
    key = keys.key(app)
    assert keys.with_key(key, ("x-app-id", str(app)))("GetStats")
    for other in (app + 1, 0, 4_294_967_295):
        refused = refusal(keys.with_key(key, ("x-app-id", str(other))), "GetStats")
        assert_refused(refused, "CREDENTIAL_INVALID")
    for text in ("", "+1", "x", "4294967296", f"{app} 1"):
        refused = refusal(keys.with_key(key, ("x-app-id", text)), "GetStats")
        assert refused.code == grpc.StatusCode.INVALID_ARGUMENT
        assert refused.fields == ["x-app-id"]


def test_a_revoked_key_opens_nothing_from_the_answer_on(keys, app):
    mine = keys.with_key(keys.key(app))
    listed = mine("ListCredentials").credentials
    assert mine("GetStats")
    for credential in listed:
        if credential.credential_id == mine.metadata[0][1].split(".")[1]:
            mine("RevokeCredential", credential_id=credential.credential_id)
    assert_refused(refusal(mine, "GetStats"), "CREDENTIAL_INVALID")


def test_the_lists_tell_when_each_key_was_used_last(keys, app):
    def used(listed):
        return {each.credential_id: each.last_use_time_ms for each in listed}

    mine, other = keys.key(app), keys.key(app)
    operator = keys.as_operator(app)
    ids = [key.split(".")[1] for key in (mine, other)]
    before = used(operator("ListCredentials").credentials)
    assert [before[each] for each in ids] == [0, 0]
    begun = time.time() * 1000
    assert keys.with_key(mine)("GetStats")
    after = used(operator("ListCredentials").credentials)
    assert after[ids[0]] >= begun - 1 and after[ids[1]] == 0
    # An operator that asks uses its own key.
    own = used(operator("ListOperatorKeys").operator_keys)
    assert own[keys.operator.split(".")[1]] > begun - 60_000


def test_the_last_use_of_a_key_outlives_the_server(stubs, tmp_path):
    data = tmp_path / "data"
    _, operator, _ = init(data)

    def last_uses(running, uses=()):
        with grpc.insecure_channel(running.address) as channel:
            keys = Keys(stubs, channel, operator)
            for key in uses:
                assert keys.with_key(key)("GetStats")
            as_operator = keys.as_operator(1)
            return {each.credential_id: each.last_use_time_ms for each in [
                *as_operator("ListCredentials").credentials,
                *as_operator("ListOperatorKeys").operator_keys]}

    with Relationd(data, insecure=False) as running:
        with grpc.insecure_channel(running.address) as channel:
            key, unused = (Keys(stubs, channel, operator).key(1) for _ in range(2))
        before = last_uses(running, [key])
    with Relationd(data, insecure=False) as running:
        after = last_uses(running)
    ids = [each.split(".")[1] for each in (key, unused)]
    assert before[ids[0]] == after[ids[0]] > 0
    assert before[ids[1]] == after[ids[1]] == 0
    # The operator's own key was shown again.
    assert after[operator.split(".")[1]] >= before[operator.split(".")[1]] > 0


def test_of_a_key_every_part_counts(keys, app):
    key = keys.key(app)
    number, name, secret = key.split(".")
    last = "0" if secret[-1] != "0" else "1"
    for other in [
        f"{number}.{name}.{secret[:-1]}{last}", f"{number}.{name}.{secret[:-1]}",
        f"{number}.{name}.{secret}0", f"{number}.{name}.", f"{number}.{name}", f"{number}.",
        f"{int(number) + 1}.{name}.{secret}", f"0.{name}.{secret}", f"0{number}.{name}.{secret}",
        f"{number}.{name}0.{secret}", f"{number}..{secret}", secret, ".", "..", "x" * 8_000,
    ]:  # fmt: skip
        refused = refusal(keys.with_key(other), "GetStats")
        assert_refused(refused, "CREDENTIAL_INVALID")


@pytest.mark.parametrize(
    "value",
    ["", "Bearer", "Bearer ", "Basic YTpi", "KEY", "Bearer,KEY", "BearerKEY", "UserSig KEY"],
)
def test_another_scheme_opens_nothing(stubs, keys, app, value):
    text = value.replace("KEY", keys.key(app))
    odd = Relation(stubs, keys.channel, [("authorization", text)])
    assert_refused(refusal(odd, "GetStats"), "CREDENTIAL_INVALID")


@pytest.mark.parametrize("scheme", ["bearer ", "BEARER ", "Bearer   "])
def test_the_scheme_is_read_in_any_case_and_with_blanks(stubs, keys, app, scheme):
    assert Relation(stubs, keys.channel, [("authorization", scheme + keys.key(app))])("GetStats")


def test_of_several_credentials_none_counts(stubs, keys, app, signed):
    key = bearer(keys.key(app))
    for metadata in ([key, key], [key, bearer("none")], [key, usersig(sign(*signed, "ann"))]):
        odd = Relation(stubs, keys.channel, metadata)
        assert_refused(refusal(odd, "GetStats"), "CREDENTIAL_INVALID")
    named = ("x-app-id", str(app))
    refused = refusal(Relation(stubs, keys.channel, [key, named, named]), "GetStats")
    assert_invalid(refused, "x-app-id")


def test_an_app_that_moves_keeps_the_signatures_of_its_devices(keys):
    app, secret = keys.app(), "5bd2850fff3ecb11d7c805251c51ee463a25727bddc2385f3fa8bfee1bb93b5e"
    token = sign(app, secret, "ann")
    keys.accounts(app, "ann")
    assert_refused(refusal(keys.with_signature(token), "ListFriends"), "CREDENTIAL_INVALID")
    taken = keys.as_operator()("ImportAppSecret", app_id=app, secret=secret, old_expire_time_ms=0)
    assert taken.applied and secret.encode() not in taken.SerializeToString()
    assert keys.with_signature(token)("ListFriends").total_size == 0
    # The next one may be given too, and leaves the one before good for a while.
    until = taken.secrets[0].create_time_ms + 60_000
    keys.as_operator(app)("RotateAppSecret", secret=secret[::-1], old_expire_time_ms=until)
    for each in (token, sign(app, secret[::-1], "ann")):
        assert keys.with_signature(each)("ListFriends").total_size == 0
    keys.secret(app)
    assert_refused(refusal(keys.with_signature(token), "ListFriends"), "CREDENTIAL_INVALID")


def test_only_an_operator_brings_the_secret_of_an_app_along(keys):
    app = keys.app()
    refused = refusal(
        keys.with_key(keys.key(app)), "ImportAppSecret", app_id=app, secret="s" * 64,
        old_expire_time_ms=0)
    assert refused.code == grpc.StatusCode.PERMISSION_DENIED
    assert refused.reason == "SCOPE_MISSING"


def test_the_credentials_of_a_deleted_app_open_nothing(keys):
    app = keys.app()
    key = keys.key(app)
    token = sign(app, keys.secret(app), "ann")
    assert keys.with_key(key)("GetStats")
    keys.as_operator()("DeleteApp", app_id=app)
    assert_refused(refusal(keys.with_key(key), "GetStats"), "CREDENTIAL_INVALID")
    assert_refused(refusal(keys.with_signature(token), "ListFriends"), "CREDENTIAL_INVALID")


def test_credentials_are_good_after_a_restart_and_revoked_ones_are_not(start, stubs, tmp_path):
    _, operator, _ = init(tmp_path / "data")
    running = start("data", insecure=False)
    with grpc.insecure_channel(running.address) as channel:
        keys = Keys(stubs, channel, operator)
        good, revoked = keys.key(1), keys.key(1)
        keys.as_operator(1)("RevokeCredential", credential_id=revoked.split(".")[1])
        keys.accounts(1, "ann")
        token = sign(1, keys.secret(1), "ann")
    assert running.stop() == 0
    again = start("data", insecure=False)
    with grpc.insecure_channel(again.address) as channel:
        keys = Keys(stubs, channel, operator)
        assert keys.with_key(good)("GetStats")
        assert keys.with_signature(token)("ListFriends").total_size == 0
        assert_refused(refusal(keys.with_key(revoked), "GetStats"), "CREDENTIAL_INVALID")


def test_a_stream_of_changes_ends_when_its_credential_does(keys):
    app = keys.app()
    keys.accounts(app, "ann", "bob", "cid")
    key = keys.key(app)
    token = sign(app, keys.secret(app), "ann")
    service = keys.with_key(keys.key(app))
    revoked = live(keys.with_key(key), user_id="ann")
    signed = live(keys.with_signature(token), user_id="ann")
    going = live(service, user_id="ann")
    keys.as_operator(app)("RevokeCredential", credential_id=key.split(".")[1])
    service("AddFriends", user_id="ann", items=[{"user_id": "bob"}])
    assert_refused(revoked.refusal(), "CREDENTIAL_INVALID")
    assert [item.user_id for item in signed.event().items] == ["bob"]
    keys.secret(app)
    service("AddFriends", user_id="ann", items=[{"user_id": "cid"}])
    assert_refused(signed.refusal(), "CREDENTIAL_INVALID")
    assert [len(going.event().items) for _ in range(2)] == [1, 1]
    going.cancel()


def test_an_import_writes_no_row_of_a_key_that_was_revoked(keys):
    app = keys.app()
    key = keys.key(app)
    rows = queue.SimpleQueue()
    answers = keys.with_key(key).stream("ImportAccounts", iter(rows.get, None))
    rows.put({"row": {"user_id": "ann"}})
    check = keys.as_operator(app)
    while [each.status for each in check("CheckAccounts", user_ids=["ann"]).results] != [1]:
        pass
    keys.as_operator(app)("RevokeCredential", credential_id=key.split(".")[1])
    rows.put({"row": {"user_id": "bob"}})
    told = []
    with pytest.raises(grpc.RpcError) as caught:
        for answer in answers:
            told.append(answer.progress.last_durable_row)
    rows.put(None)
    assert_refused(Refusal(caught.value), "CREDENTIAL_INVALID")
    assert told[-1:] == [1]
    results = check("CheckAccounts", user_ids=["ann", "bob"]).results
    assert [each.status for each in results] == [1, 2]


def test_an_export_ends_with_its_credential(keys):
    app = keys.app()
    key = keys.key(app)
    rows = [{"row": {"user_id": f"u{number}", "nick": "n" * 500}} for number in range(4000)]
    list(keys.as_operator(app).stream("ImportAccounts", rows))
    # The answers are more than the connection carries while the client reads none.
    answers = keys.with_key(key).start("ExportApp")(
        keys.stubs.request("ExportApp", {}), timeout=60, metadata=[bearer(key)])
    next(answers)
    keys.as_operator(app)("RevokeCredential", credential_id=key.split(".")[1])
    with pytest.raises(grpc.RpcError) as caught:
        list(answers)
    assert_refused(Refusal(caught.value), "CREDENTIAL_INVALID")


# Users' signatures


@pytest.mark.parametrize("userbuf", [None, b"", b"abc", bytes(range(256))])
def test_a_signature_of_the_vendors_generator_acts_as_its_user(keys, signed, userbuf):
    app, secret = signed
    mine = keys.with_signature(sign(app, secret, "ann", userbuf=userbuf))
    assert mine("GetSelfProfile").profile.user_id == "ann"
    assert mine("GetSelfProfile", user_id="ann").profile.user_id == "ann"
    for user in ("bob", "unknown"):
        refused = refusal(mine, "GetSelfProfile", user_id=user)
        assert (refused.code, refused.reason, refused.metadata["code"]) == (
            grpc.StatusCode.PERMISSION_DENIED, "FOREIGN_USER", "30004",
        )  # fmt: skip


def test_a_signature_may_name_its_own_app_and_no_other(keys, signed, app):
    number, secret = signed
    token = sign(number, secret, "ann")
    assert keys.with_signature(token, ("x-app-id", str(number)))("GetSelfProfile")
    refused = refusal(keys.with_signature(token, ("x-app-id", str(app))), "GetSelfProfile")
    assert_refused(refused, "CREDENTIAL_INVALID")


def test_a_signature_is_good_from_its_time_to_its_end(keys, signed):
    app, secret = signed
    now = time.time()
    for at, expire in ((now, 3600), (now - 1_000, 3_600), (now, 10**15)):
        assert keys.with_signature(sign(app, secret, "ann", at=at, expire=expire))("GetSelfProfile")
    for at, expire in ((now - 100, 50), (now, -1), (0, 0), (-(10**15), 5)):
        token = sign(app, secret, "ann", at=at, expire=expire)
        assert_refused(refusal(keys.with_signature(token), "GetSelfProfile"), "CREDENTIAL_EXPIRED")
    for at in (now + 3_600, 10**15):
        token = sign(app, secret, "ann", at=at)
        assert_refused(refusal(keys.with_signature(token), "GetSelfProfile"), "CREDENTIAL_INVALID")


def changed(token, **claims):
    """The token with other claims under its signature."""
    packed = base64.b64decode(token.translate(str.maketrans("*-_", "+/=")))
    known = json.loads(zlib.decompress(packed))
    known.update({f"TLS.{name}": value for name, value in claims.items()})
    text = base64.b64encode(zlib.compress(json.dumps(known).encode())).decode()
    return text.translate(str.maketrans("+/=", "*-_"))


def test_a_forged_signature_opens_nothing(keys, signed, app):
    number, secret = signed
    token = sign(number, secret, "ann")
    forged = [
        sign(number, "0" * 64, "ann"),
        sign(number, "", "ann"),
        # Signatures of another app, and of none.
        sign(app, secret, "ann"),
        sign(number, keys.secret(app), "ann"),
        sign(4_000_000_000, secret, "ann"),
        sign(0, secret, "ann"),
        changed(token, identifier="bob"),
        changed(token, sdkappid=app),
        changed(token, expire=10**9),
        changed(token, time=int(time.time()) - 5),
        changed(token, userbuf="YWJj"),
        changed(token, sig=""),
        changed(token, ver="1.0"),
        changed(token, identifier=""),
        changed(token, more="x"),
        sign(number, secret, "no user id" * 20),
    ]
    assert keys.with_signature(changed(token))("GetSelfProfile")
    for text in forged:
        refused = refusal(keys.with_signature(text), "GetSelfProfile")
        assert_refused(refused, "CREDENTIAL_INVALID")


def test_a_truncated_signature_opens_nothing(keys, signed):
    token = sign(*signed, "ann")
    for length in range(len(token)):
        refused = refusal(keys.with_signature(token[:length]), "GetSelfProfile")
        assert_refused(refused, "CREDENTIAL_INVALID")
    for longer in (token + "A", token + "AAAA", token + "____", "A" + token):
        refused = refusal(keys.with_signature(longer), "GetSelfProfile")
        assert_refused(refused, "CREDENTIAL_INVALID")


def test_a_signature_that_expands_to_a_megabyte_opens_nothing(keys, signed):
    token = changed(sign(*signed, "ann"), userbuf="A" * 1_000_000)
    assert len(token) < 4_096
    assert_refused(refusal(keys.with_signature(token), "GetSelfProfile"), "CREDENTIAL_INVALID")


def test_the_old_secret_is_good_as_long_as_the_rotation_said(keys):
    app = keys.app()
    keys.accounts(app, "ann")
    old = sign(app, keys.secret(app), "ann")
    assert keys.with_signature(old)("GetSelfProfile")
    until = int(time.time() * 1_000) + 3_600_000
    newer = sign(app, keys.secret(app, old_expire_time_ms=until), "ann")
    for token in (old, newer):
        assert keys.with_signature(token)("GetSelfProfile")
    newest = sign(app, keys.secret(app), "ann")
    assert keys.with_signature(newest)("GetSelfProfile")
    for token in (old, newer):
        assert_refused(refusal(keys.with_signature(token), "GetSelfProfile"), "CREDENTIAL_INVALID")


# The operator


def test_an_operator_names_the_app_that_it_acts_in(keys, app):
    refused = refusal(keys.as_operator(), "GetStats")
    assert refused.code == grpc.StatusCode.INVALID_ARGUMENT
    assert refused.fields == ["x-app-id"]
    for number in (0, 4_294_967_295):
        refused = refusal(keys.as_operator(number), "GetStats")
        assert (refused.code, refused.reason) == (grpc.StatusCode.NOT_FOUND, "APP_NOT_FOUND")
    assert keys.as_operator(app)("GetStats")
    # A call that acts for no app takes the name of any.
    assert keys.as_operator()("ListApps").total_size == keys.as_operator(7)("ListApps").total_size


def test_an_operator_finds_an_app_that_was_just_made(keys):
    number = 4_000_000_123
    refused = refusal(keys.as_operator(number), "GetStats")
    assert refused.reason == "APP_NOT_FOUND"
    keys.as_operator()("CreateApp", app_id=number)
    assert keys.as_operator(number)("GetStats")


def test_the_operators_key_is_made_once_and_replaced_on_demand(start, stubs, tmp_path):
    data = tmp_path / "data"
    status, first, _ = init(data)
    assert status == 0 and first.startswith("0.")
    status, said, complaint = init(data)
    assert status != 0 and said == "" and "--replace-key" in complaint
    status, second, _ = init(data, "--replace-key")
    assert status == 0 and second not in ("", first)
    running = start("data", insecure=False)
    with grpc.insecure_channel(running.address) as channel:
        assert Keys(stubs, channel, second).as_operator()("ListApps").total_size == 1
        refused = refusal(Keys(stubs, channel, first).as_operator(), "ListApps")
        assert_refused(refused, "CREDENTIAL_INVALID")


@pytest.mark.parametrize("output", [">/dev/full", ">&-"])
def test_a_key_that_was_never_read_is_an_error(tmp_path, output):
    command = [executable("relationd"), "init", "--data", str(tmp_path / "data")]
    done = subprocess.run(
        ["bash", "-c", f'"$@" {output}', "full", *command],
        capture_output=True, text=True, timeout=30,
    )  # fmt: skip
    assert done.returncode != 0
    assert "print" in done.stderr, done.stderr
    status, key, _ = init(tmp_path / "data", "--replace-key")
    assert status == 0 and key.startswith("0.")


def test_no_secret_stands_in_the_data(start, stubs, tmp_path):
    data = tmp_path / "data"
    _, operator, _ = init(data)
    running = start("data", insecure=False)
    with grpc.insecure_channel(running.address) as channel:
        key = Keys(stubs, channel, operator).key(1)
    assert running.stop() == 0
    for path in data.rglob("*"):
        if path.is_file():
            found = path.read_bytes()
            assert operator.split(".")[2].encode() not in found, path
            assert key.split(".")[2].encode() not in found, path
    assert operator not in running.log and key not in running.log


def test_the_operators_key_is_no_fault_of_the_data(keys, app):
    operator = keys.as_operator(app)
    answers = list(operator.start("CheckIntegrity")(
        keys.stubs.request("CheckIntegrity", {}), metadata=operator.metadata, timeout=60))
    assert answers and not any(answer.HasField("finding") for answer in answers)


def test_a_server_without_a_credential_says_how_to_make_one(start):
    assert "relationd init" in start("data", insecure=False).log


@pytest.mark.parametrize("version", ["v1", "v1alpha"])
def test_whoever_has_any_credential_may_ask_for_the_description(keys, app, signed, version):
    path = f"/grpc.reflection.{version}.ServerReflection/ServerReflectionInfo"
    call = keys.channel.stream_stream(path)
    request = b"\x3a\x01*"
    for metadata in (
        bearer(keys.operator), bearer(keys.key(app, "watch")), usersig(sign(*signed, "ann")),
    ):  # fmt: skip
        assert b"relation.v1.FriendService" in next(
            iter(call(iter([request]), metadata=[metadata], timeout=20)))
    refused = refusal(call, iter([request]), metadata=[bearer("1.2.3")], timeout=20)
    assert_refused(refused, "CREDENTIAL_INVALID")


# How often


@pytest.fixture(scope="module")
def slow(tmp_path_factory):
    """A server that lets an app call twenty times a second, a key twice and a user once."""
    data = tmp_path_factory.mktemp("slow") / "data"
    _, operator, _ = init(data)
    rates = ["--app-rate", "20", "--key-rate", "2", "--user-rate", "1"]
    with Relationd(data, *rates, insecure=False) as running:
        running.operator = operator
        yield running


def until_refused(call, *arguments, **fields):
    """Calls until a call is refused; returns how many were accepted, and the refusal."""
    for count in range(2_000):
        try:
            call(*arguments, **fields)
        except grpc.RpcError as error:
            return count, Refusal(error)
    raise AssertionError("never refused")


@pytest.mark.parametrize("kind, burst", [("key", 4), ("user", 5)])
def test_who_calls_too_often_is_told_when_to_come_back(slow, stubs, kind, burst):
    with grpc.insecure_channel(slow.address) as channel:
        keys = Keys(stubs, channel, slow.operator)
        app = keys.app()
        keys.accounts(app, "ann")
        if kind == "key":
            mine = keys.with_key(keys.key(app))
        else:
            mine = keys.with_signature(sign(app, keys.secret(app), "ann"))
        count, refused = until_refused(mine, "GetLimits", user_id="ann")
        assert count >= burst
        assert (refused.code, refused.reason) == (
            grpc.StatusCode.RESOURCE_EXHAUSTED, "THROTTLED",
        )  # fmt: skip
        assert 0 < refused.retry_seconds <= 1
        assert refused.metadata == {"limit": {"key": "2", "user": "1"}[kind]}
        # Others of the server go on.
        assert keys.with_key(keys.key(keys.app()))("GetStats")
        assert keys.as_operator(app)("GetStats")


# Streams


def test_a_quiet_stream_ends_with_its_credential_too(keys, app):
    keys.accounts(app, "ann")
    key = keys.key(app)
    other = Watching(keys.with_key(keys.key(app)), user_id="ann")
    other.state()
    stream = Watching(keys.with_key(key), user_id="ann")
    stream.state()
    keys.as_operator(app)("RevokeCredential", credential_id=key.split(".")[1])
    assert_refused(stream.refusal(), "CREDENTIAL_INVALID")
    # The stream of another caller goes on.
    keys.with_key(keys.key(app))(
        "UpdateProfile", user_id="ann", profile={"nick": "Ann"}, update_mask={"paths": ["nick"]})
    assert other.event().kind == 110
    other.cancel()
