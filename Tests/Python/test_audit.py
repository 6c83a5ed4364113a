"""The audit: records of writes and refusals, chained by hashes, and files of them."""

import base64
import hashlib
import json
import os
import struct
import subprocess
import time

import grpc
import pytest
from credentials import Keys, init, sign
from erasing import RARE
from operator_files import new_store
from people import People
from postgres import Cluster
from refusals import assert_invalid, refusal
from relationd import Relationd, executable
from test_hooks import FLAGS
from test_metrics import metrics
from tim_caller import ADMINISTRATOR, Caller
from web import HTTP1, Wire

#: The fields that are hashed, in their order.
HASHED = (
    "sequence", "kind", "time_ms", "method", "caller", "caller_name", "user_digest", "code",
    "reason", "request_id", "request_bytes", "applied", "address", "count", "subject",
    "subject_hash",
)  # fmt: skip
CALL, REFUSAL, ERASURE = 1, 2, 3
DENIED, UNKNOWN = 7, 16
SECONDS = 30


def hash_of(record):
    """The hash of a record, as the contract describes it."""
    parts = [record.previous_hash]
    for name in HASHED + ("request_digest",) * bool(record.request_digest):
        value = getattr(record, name)
        if name == "request_digest":
            value = value[:32]
        if name == "request_id" and record.request_digest:
            value = ""
        if isinstance(value, str):
            value = value.encode()
        if isinstance(value, bytes):
            parts += [struct.pack(">q", len(value)), value]
        else:
            parts.append(struct.pack(">q", int(value)))
    return hashlib.sha256(b"".join(parts)).digest()


def assert_whole(records):
    """Each record follows the one before, and has the hash of its fields."""
    previous = bytes(32) if records[0].sequence == 1 else records[0].previous_hash
    for number, record in enumerate(records, records[0].sequence):
        assert record.sequence == number
        assert record.previous_hash == previous and record.hash == hash_of(record), record
        previous = record.hash
        digest = hashlib.sha256(record.user_salt + record.user_id.encode()).digest()
        assert not record.user_id or record.user_digest == digest
        digest, salt = record.request_digest[:32], record.request_digest[32:]
        assert bool(record.request_id) == bool(salt)
        assert not salt or digest == hashlib.sha256(salt + record.request_id.encode()).digest()


def listed(relation, **fields):
    """All records, by pages of two."""
    records, token = [], ""
    while not records or token:
        page = relation("ListAuditRecords", page_size=2, page_token=token, **fields)
        records += page.records
        token = page.next_page_token
        if not page.records:
            break
    return records


def until(relation, is_wanted):
    """All records, when there is a wanted one: some are stored a moment after their call."""
    deadline = time.monotonic() + SECONDS
    while True:
        if any(map(is_wanted, listed(relation))):
            # The earlier pages may have been read before the record was stored.
            records = listed(relation)
            assert_whole(records)
            return records
        assert time.monotonic() < deadline, "the record does not come"
        time.sleep(0.1)


@pytest.fixture
def audited(tmp_path):
    """Starts a server that keeps an audit; `audited.operator` is its operator's key."""
    data = tmp_path / "data"
    status, operator, complaint = init(data)
    assert status == 0, complaint

    def start(*flags):
        return Relationd(data, "--audit-days", "30", *flags, insecure=False)

    start.operator = operator
    return start


@pytest.fixture
def office(audited, stubs):
    """A server that keeps an audit, and its operator."""
    with audited() as running, grpc.insecure_channel(running.address) as channel:
        keys = Keys(stubs, channel, audited.operator)
        keys.address, keys.pages = running.address, running.pages
        yield keys


def ctl(*arguments, **variables):
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("RELATION_")}
    done = subprocess.run(
        [executable("relationctl"), *map(str, arguments)], capture_output=True, text=True,
        timeout=60, env={**environment, **variables})
    return done.returncode, done.stdout, done.stderr


def test_a_write_is_recorded_with_its_caller_user_and_outcome(office):
    app = office.app()
    key = office.key(app, name="shop")
    backend = office.with_key(key)
    assert listed(backend)[-1].method.endswith("/CreateCredential")
    People(backend).make(["ann", "bob"])
    start = len(until(backend, lambda record: record.method.endswith("/ImportAccounts")))
    backend("AddFriends", user_id="ann", items=[{"user_id": "bob"}], options={"request_id": "r1"})
    # It was recorded with its write, a dry run changes nothing, and a read is not a record.
    backend("AddFriends", user_id="ann", items=[{"user_id": "bob"}], options={"request_id": "r1"})
    backend("DeleteFriends", user_id="ann", user_ids=["bob"], options={"dry_run": True})
    backend("ListFriends", user_id="ann")
    assert refusal(backend, "RevokeCredential", credential_id="0" * 16)
    records = listed(backend)
    assert_whole(records)
    added, ended = records[start:]
    assert added.method == "relation.v1.FriendService/AddFriends" and added.kind == CALL
    assert (added.caller, added.caller_name) == (f"key:{key.split('.')[1]}", "shop")
    assert (added.user_id, added.request_id, added.applied) == ("ann", "r1", True)
    assert (added.code, added.address, added.count) == (0, "loopback", 1)
    assert added.request_bytes > 0 and abs(added.time_ms - time.time() * 1_000) < 60_000
    assert (ended.code, ended.applied, ended.user_id) == (5, False, "")
    page = backend("ListAuditRecords", after_sequence=start)
    assert [record.sequence for record in page.records] == [start + 1, start + 2]
    assert (page.total_size, page.last_sequence) == (start + 2, start + 2)
    assert page.last_hash == records[-1].hash and page.audit_days == 30
    assert_invalid(refusal(backend, "ListAuditRecords", after_sequence=-1), "after_sequence")


def test_a_history_has_the_credential_and_the_address_in_the_words_of_the_audit(office):
    app = office.app()
    admin, plain = office.key(app), office.key(app, "read", "write")
    backend = office.with_key(admin)
    backend("UpdateApp", settings={"history_days": 1})
    People(backend).make(["ann", "bob", "carl", "dan"])
    own = office.with_signature(sign(app, office.secret(app), "ann"))

    def last():
        entry = backend("ListHistory", page_size=1).entries[0]
        return entry.credential, entry.address

    for relation in (backend, office.as_operator(app)):
        relation("Follow", user_id="ann", user_ids=["bob"])
        record = listed(backend)[-1]
        assert record.method.endswith("/Follow")
        assert last() == (record.caller, record.address)
        relation("Unfollow", user_id="ann", user_ids=["bob"])
    office.with_key(plain)("Follow", user_id="ann", user_ids=["bob"])
    assert last() == (f"key:{plain.split('.')[1]}", "loopback")
    # A long request is understood by another thread.
    long = [{"user_id": "carl", "remark": "x", "wording": "w" * 100}]
    long += [{"user_id": f"unknown{number}", "wording": "w" * 200} for number in range(60)]
    own("AddFriends", user_id="ann", items=long, add_type=2)
    assert last() == ("user", "loopback")
    People(backend).befriend("ann", "dan")
    assert last() == (f"key:{admin.split('.')[1]}", "loopback")


def test_no_record_has_a_secret_or_a_text_of_a_user(office):
    app = office.app()
    backend = office.with_key(office.key(app))
    People(backend).make(["ann"], nick="a nick of ann")
    until = int(time.time() * 1_000) + 60_000
    secret = backend("RotateAppSecret", old_expire_time_ms=until).secret
    created = backend("CreateCredential", scopes=["SCOPE_READ"], name="reader").key
    text = b"".join(record.SerializeToString() for record in listed(backend))
    for hidden in (secret, created, "a nick of ann"):
        assert hidden.encode() not in text


def test_operators_calls_without_an_app_have_an_audit_of_their_own(office):
    app = office.app()
    operator = office.as_operator(app)
    office.as_operator()("CreateOperatorKey", name="anna", expire_time_ms=4_102_444_800_000)
    records = listed(operator, of_server=True)
    assert_whole(records)
    methods = [record.method.split("/")[1] for record in records]
    assert methods[:2] == ["CreateApp", "CreateOperatorKey"]
    assert all(record.caller.startswith("operator:") for record in records)
    refused = refusal(office.with_key(office.key(app)), "ListAuditRecords", of_server=True)
    assert refused.reason == "SCOPE_MISSING"


@pytest.mark.skipif(
    os.environ.get("RELATION_STORE") == "postgresql",
    reason="relationd init writes to a database by itself")


def test_a_key_that_the_owner_makes_beside_the_server_is_recorded(audited, stubs):
    with audited() as running, grpc.insecure_channel(running.address) as channel:
        keys = Keys(stubs, channel, audited.operator)
        operator = keys.as_operator(keys.app())
        assert init(running.data, "--add-key", "anna")[0] == 0
        record = listed(operator, of_server=True)[-1]
        assert (record.method, record.caller, record.applied) == ("owner/add", "owner", True)


def test_an_export_is_recorded_though_it_writes_nothing(office):
    app = office.app()
    backend = office.with_key(office.key(app))
    request = backend.stubs.request("ExportApp", {})
    assert list(backend.start("ExportApp")(request, metadata=backend.metadata))
    until(backend, lambda record: record.method.endswith("/ExportApp"))


def test_refusals_are_counted_and_stored_at_the_stop(audited, stubs):
    with audited() as running, grpc.insecure_channel(running.address) as channel:
        keys = Keys(stubs, channel, audited.operator)
        app = keys.app()
        reader = keys.key(app, "read")
        for _ in range(5):
            assert refusal(keys.with_key(reader), "CreateInvitation", user_id="ann")
            assert refusal(keys.with_key(f"{app}.none.secret"), "ListFriends", user_id="ann")
    with audited() as running, grpc.insecure_channel(running.address) as channel:
        records = listed(Keys(stubs, channel, audited.operator).as_operator(app))
    assert_whole(records)
    found = {record.code: record for record in records if record.kind == REFUSAL}
    assert (found[DENIED].count, found[UNKNOWN].count) == (5, 5)
    assert found[DENIED].caller == f"key:{reader.split('.')[1]}"
    assert found[DENIED].method == "relation.v1.InvitationService/CreateInvitation"
    assert found[UNKNOWN].caller == ""


def test_a_refusal_is_a_record_wherever_its_call_was_understood(audited, stubs):
    """On a loop, on each pool of readers, by the committer, and in streams after they begin."""
    with audited() as running, grpc.insecure_channel(running.address) as channel:
        keys = Keys(stubs, channel, audited.operator)
        app = keys.app()
        admin = keys.with_key(keys.key(app))
        keys.as_operator(app)("UpdateApp", settings={"history_days": 30})
        People(admin).make(["ann", "bob"])
        token = sign(app, keys.secret(app), "ann")
        user = keys.with_signature(token)
        watcher = keys.with_key(keys.key(app, "read", "watch"))

        def stream(relation, call, **fields):
            answer = relation.start(call)(
                relation.stubs.request(call, fields), metadata=relation.metadata, timeout=20)
            return refusal(lambda: list(answer))

        def rows(relation, call, **fields):
            messages = iter([relation.stubs.request(call, fields)])
            answer = relation.start(call)(messages, metadata=relation.metadata, timeout=20)
            return refusal(lambda: list(answer))

        past = {"as_of_ms": 1}
        refused = [
            (refusal(user, call, user_id="bob", **fields), call) for call, fields in [
                ("ListFriends", {"page_size": 1_000}), ("SearchFriends", {"keyword": "x"}),
                ("GetProfiles", {"user_ids": ["ann"] * 100}), ("GetVisibility", {}),
                ("FindUsers", {"keyword": "x"}), ("SyncFriends", {})]]
        refused += [
            (refusal(watcher, call, user_id="ann", options=past, **fields), call)
            for call, fields in [("GetRelations", {"user_ids": ["bob"]})]]
        refused += [
            (stream(user, "Watch", user_id="bob"), "Watch"),
            (stream(admin, "ExportApp", include_secrets=True), "ExportApp"),
            (rows(user, "ImportFriends", row={"user_id": "ann", "friend_user_id": "bob"}),
             "ImportFriends")]
        admin("SuspendAccounts", items=[{"user_id": "ann", "level": 3}])
        refused.append((refusal(user, "Follow", user_id="ann", user_ids=["bob"]), "Follow"))
        assert {answer.code for answer, _ in refused} == {grpc.StatusCode.PERMISSION_DENIED}
    with audited() as running, grpc.insecure_channel(running.address) as channel:
        records = listed(Keys(stubs, channel, audited.operator).as_operator(app))
    assert_whole(records)
    found = {record.method.split("/")[1]: record for record in records if record.kind == REFUSAL}
    assert sorted(found) == sorted(call for _, call in refused)
    assert {record.code for record in found.values()} == {DENIED}
    assert (found["Follow"].reason, found["Follow"].user_id) == ("ACCOUNT_SUSPENDED", "ann")
    # It handed nothing out.
    assert not any(
        record.kind == CALL and record.method.endswith("/ExportApp") for record in records)


def test_a_refusal_before_a_hook_is_asked_is_a_record(audited, stubs):
    with audited(*FLAGS) as running, grpc.insecure_channel(running.address) as channel:
        keys = Keys(stubs, channel, audited.operator)
        app = keys.app()
        admin = keys.with_key(keys.key(app))
        People(admin).make(["ann", "bob"])
        user = keys.with_signature(sign(app, keys.secret(app), "ann"))
        fields = {"user_id": "ann", "items": [{"user_id": "bob"}], "force": True}
        # Its own loop understands the first call. The hook is not there, and need not be.
        assert refusal(user, "AddFriends", **fields).reason == "SCOPE_MISSING"
        admin("CreateHook", url="http://127.0.0.1:19999/", asks_only=True,
              asks=["HOOK_QUESTION_ADD_FRIENDS"])
        assert refusal(user, "AddFriends", **fields).reason == "SCOPE_MISSING"
    with audited() as running, grpc.insecure_channel(running.address) as channel:
        records = listed(Keys(stubs, channel, audited.operator).as_operator(app))
    assert_whole(records)
    assert [(record.method, record.code, record.count) for record in records
            if record.kind == REFUSAL] == [
        ("relation.v1.FriendService/AddFriends", DENIED, 2)]


def test_a_signature_that_does_not_open_tims_api_is_recorded(audited, stubs):
    with (audited() as running, grpc.insecure_channel(running.address) as channel,
          Wire(running.port, HTTP1) as wire):
        keys = Keys(stubs, channel, audited.operator)
        app = keys.app()
        keys.as_operator(app)("UpdateApp", settings={
            "tim_rest": True, "tim_administrators": {"values": [ADMINISTRATOR]}})
        caller = Caller(wire, app, "another")
        for _ in range(5):
            assert caller.code("sns/friend_get", {"From_Account": "ann"}) == 70009
    with audited() as running, grpc.insecure_channel(running.address) as channel:
        records = listed(Keys(stubs, channel, audited.operator).as_operator(app))
    assert_whole(records)
    [found] = [record for record in records if record.kind == REFUSAL]
    assert (found.code, found.count, found.caller) == (UNKNOWN, 5, "")
    assert found.method == "v4/sns/friend_get"


def test_an_erased_user_is_in_no_record_and_its_receipt_is(office, tmp_path):
    app = office.app()
    backend = office.with_key(office.key(app))
    people = People(backend)
    people.make([RARE, "bob"])
    # A request id may have the id, in a write of the user, of another one, or for none.
    for number, user in enumerate([RARE, "bob"]):
        other = {RARE: "bob", "bob": RARE}[user]
        backend("AddFriends", user_id=user, items=[{"user_id": other}],
                options={"request_id": f"{number}:{RARE}"})
    backend("AddFriends", user_id=RARE, items=[{"user_id": "bob"}],
            options={"request_id": "with a telephone number"})
    backend("SuspendAccounts", items=[{"user_id": RARE, "level": 1}],
            options={"request_id": f"suspend {RARE}"})
    backend("UpdateProfile", user_id="bob", profile={"nick": "n"},
            update_mask={"paths": ["nick"]}, options={"request_id": f"{RARE}y"})
    before = listed(backend)
    named = [record.sequence for record in before if RARE in record.request_id]
    assert len(named) == 4 and sum(record.user_id == RARE for record in before) == 2
    backend("DeleteAccounts", user_ids=[RARE], erase=True)
    records = until(backend, lambda record: record.kind == ERASURE)
    assert any(record.user_digest and not record.user_id for record in records)
    # The id of another user that begins alike stays.
    left = [record for record in records if RARE.encode() in record.SerializeToString()]
    assert [record.request_id for record in left] == [f"{RARE}y"]
    assert not any(record.request_id.startswith("with a") for record in records)
    assert [record.hash for record in records[:len(before)]] == [
        record.hash for record in before]
    erased = [record.sequence for record in records
              if record.request_digest and not record.request_id]
    assert set(named[:3]) <= set(erased) and len(erased) == 4
    path = tmp_path / "audit.jsonl"
    server = ("--server", office.address, "--app", app, "--key", office.operator)
    status, output, complaint = ctl("audit", "export", path, *server)
    assert status == 0, complaint
    status, output, complaint = ctl("audit", "verify", path, "--head", output.split()[-1])
    assert status == 0, complaint
    assert "4 have lost a user or a request id to an erasure" in output
    # The request id of an erased user is not what the chain is made of, but its digest is.
    rows = path.read_text().splitlines()
    changed = json.loads(rows[erased[0] - 1])
    changed["requestDigest"] = base64.b64encode(bytes(32)).decode()
    rows[erased[0] - 1] = json.dumps(changed)
    path.write_text("\n".join(rows))
    assert f"record {erased[0]} was changed" in told(path)
    answer = backend.start("CheckIntegrity")(
        backend.stubs.request("CheckIntegrity", {}), metadata=backend.metadata)
    assert not any(part.HasField("finding") for part in answer)


@pytest.fixture(params=["folder", "database"])
def fleet(request, tmp_path):
    """Starts the servers of a store: one of a folder, or two of a database."""
    flags = ("--audit-days", "30")
    if request.param == "folder":
        status, operator, complaint = init(tmp_path / "data")
        assert status == 0, complaint
        yield operator, lambda: [Relationd(tmp_path / "data", *flags, insecure=False)]
        return
    cluster = Cluster()
    try:
        store = new_store(cluster)
        operator = subprocess.run(
            [executable("relationd"), "init", "--store", store, "--replace-key"],
            capture_output=True, text=True, check=True, timeout=SECONDS).stdout.strip()
        yield operator, lambda: [
            Relationd(tmp_path / name, *flags, insecure=False, store=store) for name in "ab"]
    finally:
        cluster.remove()


def test_a_refusal_that_is_stored_after_an_erasure_names_no_one(fleet, stubs):
    operator, start = fleet

    def run(body):
        servers = start()
        channels = [grpc.insecure_channel(server.address) for server in servers]
        try:
            return body(*(Keys(stubs, channels[place], operator) for place in (0, -1)))
        finally:
            for channel in channels:
                channel.close()
            assert [server.stop() for server in servers] == [0] * len(servers)

    def erase(one, other):
        app = one.app()
        backend = one.with_key(one.key(app))
        People(backend).make([RARE, "bob"])
        secret = one.secret(app)
        rare, bob = (other.with_signature(sign(app, secret, user)) for user in (RARE, "bob"))
        for own in (rare, bob):
            assert refusal(own, "ListAuditRecords").code is grpc.StatusCode.PERMISSION_DENIED
        backend("DeleteAccounts", user_ids=[RARE], erase=True)
        until(backend, lambda record: record.kind == ERASURE)
        # It may call on, and is refused.
        assert refusal(rare, "ListAuditRecords")
        return app

    app = run(erase)
    records = run(lambda one, _: listed(one.as_operator(app)))
    assert_whole(records)
    assert not [record for record in records if RARE.encode() in record.SerializeToString()]
    found = [record for record in records if record.kind == REFUSAL and record.code == DENIED]
    assert {record.user_id for record in found} == {"", "bob"}
    assert sum(record.count for record in records if record.kind == REFUSAL) == 3


def test_status_tells_of_the_audit(office):
    app = office.app()
    asked = ("status", "--server", office.address, "--app", app, "--output", "json", "--key")
    for key, words in (
            (office.operator, "writes of administrators and operators, for 30 days"),
            (office.key(app), "writes of administrators and operators, for 30 days"),
            (office.key(app, "read"), None)):
        status, output, complaint = ctl(*asked, key)
        assert status == 0, complaint
        assert json.loads(output).get("audit") == words


def test_a_server_without_the_setting_records_nothing(relation):
    answer = relation("ListAuditRecords")
    assert not answer.records and answer.audit_days == 0 and not answer.records_every_call


# Every call


def called(records, call, **fields):
    """The records of a call with these fields."""
    return [record for record in records if record.method.endswith(f"/{call}") and all(
        getattr(record, name) == value for name, value in fields.items())]  # fmt: skip


def test_every_call_of_an_administrator_is_a_record_if_the_operator_wants_it(audited, stubs):
    with audited("--audit-calls", "all") as running, \
            grpc.insecure_channel(running.address) as channel:  # fmt: skip
        office = Keys(stubs, channel, audited.operator)
        app = office.app()
        key = office.key(app)
        backend, reader = office.with_key(key), office.with_key(office.key(app, "read"))
        People(backend).make(["ann", "bob"])
        start = len(until(backend, lambda record: record.method.endswith("/ImportAccounts")))
        # Reads on their loops and beside them, good and bad.
        for _ in range(3):
            backend("ListFriends", user_id="ann")
        backend("GetProfiles", user_id="bob", user_ids=["ann"])
        assert refusal(backend, "ListFriends", user_id="eve").reason == "USER_NOT_FOUND"
        assert refusal(backend, "ListFriends", user_id="ann", page_token="x").fields
        list(backend.start("CheckIntegrity")(
            stubs.request("CheckIntegrity", {}), metadata=backend.metadata))
        reader("ListFriends", user_id="bob")
        # Writes that change nothing.
        add = {"user_id": "ann", "items": [{"user_id": "bob"}]}
        backend("AddFriends", **add, options={"request_id": "r1"})
        assert backend("AddFriends", **add, options={"request_id": "r1"}).replayed
        backend("DeleteFriends", user_id="ann", user_ids=["bob"], options={"dry_run": True})
        assert refusal(backend, "DeleteFriends", user_id="").fields
        # A stream of changes.
        watch = backend.start("Watch")(
            stubs.request("Watch", {"user_id": "ann"}), metadata=backend.metadata)
        watch.initial_metadata()
        records = until(backend, lambda record: record.method.endswith("/Watch"))[start:]
        watch.cancel()
        assert backend("ListAuditRecords").records_every_call
        # The call under way has a place.
        samples = metrics(running)
        assert samples["relation_audit_max_waiting_records"] == 4_000
        assert 0 <= samples["relation_audit_waiting_records"] < 100
        assert samples["relation_audit_refused_calls_total"] == 0
        status, output, complaint = ctl("status", "--server", running.address, "--app", app,
                                        "--key", audited.operator)
        assert status == 0, complaint
        assert "every call of administrators and operators, for 30 days" in output
    mine = {"caller": f"key:{key.split('.')[1]}", "kind": CALL}
    found = called(records, "ListFriends", user_id="ann", code=0, **mine)
    assert sum(record.count for record in found) == 3
    assert all(record.request_bytes > 0 and not record.applied for record in found)
    assert len(called(records, "GetProfiles", user_id="bob", code=0, **mine)) == 1
    # No erasure reaches a user without an account, so it is not named.
    assert [record.user_id for record in called(
        records, "ListFriends", reason="USER_NOT_FOUND")] == [""]  # fmt: skip
    assert len(called(records, "ListFriends", code=3, **mine)) == 1
    assert called(records, "CheckIntegrity", code=0, **mine)
    # The reader's key has no scope of an administrator.
    assert not called(records, "ListFriends", user_id="bob")
    assert [record.applied for record in called(records, "AddFriends", **mine)] == [True, False]
    assert [(record.code, record.applied) for record in called(
        records, "DeleteFriends", **mine)] == [(0, False), (3, False)]  # fmt: skip
    assert called(records, "Watch", code=0, **mine)
    assert called(records, "ListAuditRecords", code=0, **mine)


def test_reads_of_the_last_moment_are_stored_at_the_stop(audited, stubs):
    with audited("--audit-calls", "all") as running, \
            grpc.insecure_channel(running.address) as channel:  # fmt: skip
        keys = Keys(stubs, channel, audited.operator)
        app = keys.app()
        People(keys.as_operator(app)).make(["last"])
        keys.as_operator(app)("ListFriends", user_id="last")
    with audited() as running, grpc.insecure_channel(running.address) as channel:
        records = listed(Keys(stubs, channel, audited.operator).as_operator(app))
    assert_whole(records)
    [last] = called(records, "ListFriends")
    assert (last.user_id, last.code, last.count) == ("last", 0, 1)


def test_every_call_needs_days(tmp_path):
    done = subprocess.run(
        [executable("relationd"), "serve", "--data", str(tmp_path / "data"), "--audit-calls",
         "all", "--insecure"],
        capture_output=True, text=True, timeout=SECONDS)  # fmt: skip
    assert done.returncode != 0 and "--audit-calls needs --audit-days above 0" in done.stderr


# Files


@pytest.fixture
def file(office, tmp_path):
    """A file of some records, and the hash of the last one."""
    app = office.app()
    backend = office.with_key(office.key(app))
    People(backend).make([f"u{number}" for number in range(3)])
    for number in range(3):
        backend("UpdateProfile", user_id=f"u{number}", profile={"nick": "n"},
                update_mask={"paths": ["nick"]})
    path = tmp_path / "audit.jsonl"
    status, output, complaint = ctl(
        "audit", "export", path, "--server", office.address, "--app", app, "--key",
        office.operator)
    assert status == 0, complaint
    head = output.split()[-1]
    assert len(head) == 64 and (path.stat().st_mode & 0o777) == 0o600
    return path, head


def lines(path):
    return path.read_text().splitlines()


def told(path, *arguments):
    """The complaint about a file that is not whole."""
    status, _, complaint = ctl("audit", "verify", path, *arguments)
    assert status == 1, complaint
    return complaint


def test_a_file_is_whole_as_it_was_written(file):
    path, head = file
    status, output, complaint = ctl("audit", "verify", path, "--head", head)
    assert status == 0, complaint
    assert f"records 1 to {len(lines(path))} are whole" in output and head in output


def test_a_whole_file_is_told_as_data(file):
    path, head = file
    status, output, complaint = ctl("audit", "verify", path, "--output", "json")
    assert status == 0, complaint
    assert json.loads(output) == {
        "firstSequence": "1", "lastSequence": str(len(lines(path))), "erased": 0, "hash": head}


def test_a_change_is_found_at_its_record(file):
    path, _ = file
    rows = lines(path)
    for number, row in enumerate(rows, 1):
        record = json.loads(row)
        record["timeMs"] = str(int(record["timeMs"]) + 1)
        path.write_text("\n".join([*rows[:number - 1], json.dumps(record), *rows[number:]]))
        assert f"record {number} was changed" in told(path)
    renamed = [row.replace('"u1"', '"u2"') for row in rows]
    path.write_text("\n".join(renamed))
    changed = 1 + next(number for number, row in enumerate(rows) if row != renamed[number])
    assert f"record {changed} was changed: it was made for another user" in told(path)


def without_fields(record, *fields):
    return {name: value for name, value in record.items() if name not in fields}


def without(row, *fields):
    return json.dumps(without_fields(json.loads(row), *fields))


def test_a_user_that_was_removed_by_hand_is_found(file):
    path, head = file
    rows = lines(path)
    numbers = [number for number, row in enumerate(rows) if "userId" in json.loads(row)]
    assert len(numbers) > 2
    for number in numbers:
        for fields, words in (
                (["userId"], "its user was removed, but not by an erasure"),
                (["userSalt"], "it was made for another user"),
                (["userId", "userDigest"], "its hash is not that of its fields")):
            changed = without(rows[number], *fields)
            path.write_text("\n".join([*rows[:number], changed, *rows[number + 1:]]))
            assert f"record {number + 1} was changed: {words}" in told(path, "--head", head)
    # The digest stays if bytes move between the salt and the user, so a salt has one length.
    record = json.loads(rows[numbers[0]])
    salt = base64.b64decode(record["userSalt"]) + record["userId"][:1].encode()
    record |= {"userId": record["userId"][1:], "userSalt": base64.b64encode(salt).decode()}
    path.write_text("\n".join(
        [*rows[:numbers[0]], json.dumps(record), *rows[numbers[0] + 1:]]))
    words = f"record {numbers[0] + 1} was changed: it was made for another user"
    assert words in told(path, "--head", head)
    # An erasure leaves the digest alone, and the records are named.
    first, second, *_, last = numbers
    assert second == first + 1
    for erased, words in (
            ([first], f"1 have lost a user or a request id to an erasure: {first + 1};"),
            ([first, second, last],
             f"3 have lost a user or a request id to an erasure: {first + 1} to "
             + (f"{last + 1};" if last == second + 1 else f"{second + 1}, {last + 1};"))):
        path.write_text("\n".join(
            without(row, "userId", "userSalt") if number in erased else row
            for number, row in enumerate(rows)))
        status, output, complaint = ctl("audit", "verify", path, "--head", head)
        assert status == 0, complaint
        assert words in output, output


def test_a_request_id_that_was_changed_or_removed_by_hand_is_found(office, tmp_path):
    app = office.app()
    backend = office.with_key(office.key(app))
    People(backend).make(["ann"])
    backend("UpdateProfile", user_id="ann", profile={"nick": "n"},
            update_mask={"paths": ["nick"]}, options={"request_id": "r1"})
    path = tmp_path / "audit.jsonl"
    status, output, complaint = ctl(
        "audit", "export", path, "--server", office.address, "--app", app, "--key",
        office.operator)
    assert status == 0, complaint
    head, rows = output.split()[-1], lines(path)
    [number] = [number for number, row in enumerate(rows, 1)
                if json.loads(row).get("requestId") == "r1"]
    whole = json.loads(rows[number - 1])
    digest = base64.b64decode(whole["requestDigest"])
    assert len(digest) == 48

    def write(row):
        path.write_text("\n".join([*rows[:number - 1], json.dumps(row), *rows[number:]]))

    # A file of an older server has the id in the hash, and this one is not made so.
    hashed = "its hash is not that of its fields"
    for fields, words in (
            ({"requestId": "r2"}, "it was made for another request id"),
            ({"requestId": None}, "its request id was removed, but not by an erasure"),
            ({"requestDigest": None}, hashed), ({"requestDigest": bytes(48)}, hashed),
            ({"requestId": None, "requestDigest": None}, hashed),
            ({"requestDigest": digest[:32]}, "it was made for another request id"),
            ({"requestDigest": digest[:40]}, "it was made for another request id")):
        changed = dict(whole)
        for name, value in fields.items():
            if isinstance(value, bytes):
                value = base64.b64encode(value).decode()
            changed[name] = value
            if value is None:
                del changed[name]
        write(changed)
        assert f"record {number} was changed: {words}" in told(path, "--head", head), fields
    # An erasure leaves the digest alone.
    write({**without_fields(whole, "requestId"),
           "requestDigest": base64.b64encode(digest[:32]).decode()})
    status, output, complaint = ctl("audit", "verify", path, "--head", head)
    assert status == 0, complaint
    assert f"1 have lost a user or a request id to an erasure: {number};" in output


def test_a_file_of_an_older_server_is_whole(tmp_path):
    """Its records have no digest of the request id, which the hash covers as it is."""
    previous, rows = bytes(32), []
    for number in range(1, 4):
        fields = [number, CALL, 1_764_000_000_000, "m", "key:1", "", b"", 0, "", f"r{number}", 7,
                  True, "loopback", 1, 0, b""]  # fmt: skip
        parts = [previous]
        for value in fields:
            value = value.encode() if isinstance(value, str) else value
            parts += [struct.pack(">q", len(value)), value] if isinstance(value, bytes) else [
                struct.pack(">q", value)]
        made = hashlib.sha256(b"".join(parts)).digest()
        rows.append({
            "sequence": str(number), "kind": "AUDIT_KIND_CALL", "timeMs": "1764000000000",
            "method": "m", "caller": "key:1", "requestId": f"r{number}", "requestBytes": "7",
            "applied": True, "address": "loopback", "count": "1",
            "previousHash": base64.b64encode(previous).decode(),
            "hash": base64.b64encode(made).decode()})
        previous = made
    path = tmp_path / "audit.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    status, output, complaint = ctl("audit", "verify", path, "--head", previous.hex())
    assert status == 0 and "records 1 to 3 are whole;" in output, (output, complaint)
    rows[1]["requestId"] = "r9"
    path.write_text("\n".join(map(json.dumps, rows)))
    assert "record 2 was changed: its hash is not that of its fields" in told(path)


def test_a_file_without_a_record_is_refused(file):
    path, _ = file
    path.write_text("")
    assert "the file has no record" in told(path)


def test_so_many_ranges_of_erased_users_are_named_and_no_more(office, tmp_path):
    app = office.app()
    backend = office.with_key(office.key(app))
    People(backend).make(["ann"])
    for number in range(45):
        backend("UpdateProfile", user_id="ann", profile={"nick": f"n{number}"},
                update_mask={"paths": ["nick"]})
    path = tmp_path / "audit.jsonl"
    status, _, complaint = ctl(
        "audit", "export", path, "--server", office.address, "--app", app, "--key",
        office.operator)
    assert status == 0, complaint
    rows = lines(path)
    numbers = [number for number, row in enumerate(rows) if "userId" in json.loads(row)][:43:2]
    assert len(numbers) == 22
    for named in (20, 22):
        erased = numbers[:named]
        path.write_text("\n".join(
            without(row, "userId", "userSalt") if number in erased else row
            for number, row in enumerate(rows)))
        _, output, _ = ctl("audit", "verify", path)
        names = [str(number + 1) for number in erased[:20]]
        more = [f"and {named - 20} more"] if named > 20 else []
        told_names = ", ".join(names + more)
        words = f"{named} have lost a user or a request id to an erasure: {told_names};"
        assert words in output, output


def test_missing_swapped_and_cut_records_are_found(file):
    path, head = file
    rows = lines(path)
    path.write_text("\n".join(rows[:2] + rows[3:]))
    assert "record 3 is missing" in told(path)
    path.write_text("\n".join([*rows[:2], rows[3], rows[2], *rows[4:]]))
    assert "record 3 is missing" in told(path)
    path.write_text("\n".join([*rows[:3], rows[1], *rows[3:]]))
    assert "record 2 stands after record 3" in told(path)
    path.write_text("\n".join(rows[2:]))
    assert "records before 3 are missing" in told(path)
    path.write_text("\n".join(rows[:-1]))
    status, _, _ = ctl("audit", "verify", path)
    assert status == 0, "the hash of the last record was not given"
    assert f"records after {len(rows) - 1} are missing" in told(path, "--head", head)
    path.write_text("no record\n")
    assert "audit.jsonl:1: is not a record of an audit" in told(path)


def test_a_file_goes_on_after_another_one(office, file, tmp_path):
    path, head = file
    first, rest = tmp_path / "first", tmp_path / "rest"
    rows = lines(path)
    first.write_text("\n".join(rows[:3]))
    rest.write_text("\n".join(rows[3:]))
    _, output, _ = ctl("audit", "verify", first)
    status, _, complaint = ctl(
        "audit", "verify", rest, "--after", output.split()[-1], "--head", head)
    assert status == 0, complaint
    assert "does not follow" in told(rest, "--after", "0" * 64)


@pytest.mark.skipif(
    os.environ.get("RELATION_STORE") == "postgresql", reason="the backup is of a folder")
def test_an_audit_goes_on_after_a_restore_and_a_kept_hash_shows_what_it_lacks(
        audited, stubs, tmp_path):
    def rename(relation, nick, **options):
        relation("UpdateProfile", user_id="ann", profile={"nick": nick},
                 update_mask={"paths": ["nick"]}, options=options)

    tar, path = tmp_path / "backup.tar", tmp_path / "audit.jsonl"
    with audited() as running, grpc.insecure_channel(running.address) as channel:
        keys = Keys(stubs, channel, audited.operator)
        app = keys.app()
        backend = keys.with_key(keys.key(app))
        People(backend).make(["ann"])
        rename(backend, "before", request_id="r1")
        kept = until(backend, lambda record: record.method.endswith("/ImportAccounts"))
        status, _, complaint = ctl(
            "backup", "--to", tar, "--server", running.address, "--key", audited.operator)
        assert status == 0, complaint
        rename(backend, "after")
        lost = listed(backend)[-1]
    done = subprocess.run(
        [executable("relationd"), "restore", "--from", str(tar), "--data", str(tmp_path / "new")],
        capture_output=True, text=True, timeout=SECONDS)
    assert done.returncode == 0, done.stderr
    with (Relationd(tmp_path / "new", "--audit-days", "30", insecure=False) as running,
          grpc.insecure_channel(running.address) as channel):
        operator = Keys(stubs, channel, audited.operator).as_operator(app)
        rename(operator, "again")
        records = listed(operator)
        assert_whole(records)
        assert records[:len(kept)] == kept and lost not in records
        status, _, complaint = ctl(
            "audit", "export", path, "--server", running.address, "--app", app, "--key",
            audited.operator)
        assert status == 0, complaint
    assert ctl("audit", "verify", path, "--head", kept[-1].hash.hex())[0] == 0
    assert "no record has the hash" in told(path, "--head", lost.hash.hex())


def test_arguments_that_are_no_hash_or_sequence_are_refused(tmp_path):
    for arguments in (["verify", tmp_path, "--head", "x"],
                      ["verify", tmp_path, "--after", "é" * 64],
                      ["export", tmp_path, "--after", "-1"], []):
        assert ctl("audit", *arguments)[0] == 64, arguments
