"""The views for people who write SQL: each row is as the service itself answers it."""

import json
import os
import subprocess
import uuid

import grpc
import pytest
from people import People
from relationd import ROOT, Relationd
from stubs import Relation
from test_shared_store import init, psql

VIEWS = ROOT / "Packaging" / "postgresql" / "views.sql"
pytestmark = pytest.mark.skipif(
    "RELATION_POSTGRES" not in os.environ, reason="RELATION_POSTGRES names no server")

# Ids and texts that mean something to SQL, to its arrays, to JSON, or to the decoding.
ANN, BOB, CID, DAN, EVE = "o'brien\\000", "bob; --", "{NULL}", "%_$$ \"x\"", "\\x41"
HOSTILE = [
    "'; DROP TABLE relation_kv; --", "\\x00 \\000 \\", "{\"a\",NULL}", "a\tb\r\n\x01\x7f",
    "Zoë 日本語 \U0001f600 \ufeff\u202e", "ends in zero\0", "\0", "$$ %s {} \"",
]


def install(database, check=True):
    done = subprocess.run(
        ["psql", "-qX", database, "-f", str(VIEWS)], capture_output=True, text=True, check=False)
    assert done.returncode == 0 or not check, done.stderr
    return done.stderr


def rows(database, query):
    """The rows of a query, as JSON has them."""
    return json.loads(psql(database, f"SELECT coalesce(json_agg(r), '[]') FROM ({query}) AS r"))


def refused(database, command):
    """The words with which the database refuses a command."""
    with pytest.raises(subprocess.CalledProcessError) as error:
        psql(database, command)
    return error.value.stderr


def ms(column):
    return f"(extract(epoch FROM {column}) * 1000)::bigint"


def text(value):
    """A text as the views have it: PostgreSQL takes no zero byte."""
    return value.replace("\0", "\ufffd")


def custom(values):
    return {item.key: data(item.data) if item.WhichOneof("value") == "data"
            else getattr(item, item.WhichOneof("value")) for item in values}


def data(value):
    try:
        return value.decode() if b"\0" not in value else {"hex": value.hex()}
    except UnicodeDecodeError:
        return {"hex": value.hex()}


@pytest.fixture(scope="module")
def served(tmp_path_factory, stubs):
    """A database with views, and a client of a server on it that has rows of each kind."""
    server = os.environ["RELATION_POSTGRES"]
    name = "views_" + uuid.uuid4().hex
    psql(f"{server}/postgres", f"CREATE DATABASE {name}")
    database = f"{server}/{name}"
    try:
        init(database, "--list-keys")
        with Relationd(tmp_path_factory.mktemp("views") / "server", store=database) as running:
            with grpc.insecure_channel(running.address) as channel:
                relation = Relation(stubs, channel)
                fill(relation)
                install(database)
                yield database, relation
    finally:
        psql(f"{server}/postgres", f"DROP DATABASE {name} WITH (FORCE)")


def fill(relation):
    people = People(relation)
    people.make([ANN, BOB, CID, DAN, EVE])
    relation("DefineCustomFields", items=[
        {"owner": owner, "key": key, "value_type": f"CUSTOM_FIELD_TYPE_{kind}"}
        for owner in ("CUSTOM_FIELD_OWNER_FRIEND", "CUSTOM_FIELD_OWNER_PROFILE")
        for key, kind in (("Num", "UINT64"), ("Raw", "BYTES"), ("Txt", "STRING"))])
    values = [{"key": "Num", "number": 2**64 - 1}, {"key": "Raw", "data": b"\xff\0"},
              {"key": "Txt", "data": "“ß”".encode()}]
    people.befriend(ANN, BOB, CID, DAN)
    assert people.add(ANN, EVE, add_type="ADD_TYPE_SINGLE", force=True)[0] == 0
    others = people(len(HOSTILE))
    people.befriend(ANN, *others)
    relation("UpdateFriends", user_id=ANN, items=[
        {"user_id": other, "remark": remark} for other, remark in zip(others, HOSTILE)])
    relation("UpdateFriends", user_id=ANN, items=[
        {"user_id": BOB, "remark": "B", "groups": ["z", "NULL", "a,{\"b\\"], "custom": values}])
    people.mark(ANN, BOB, starred=True, pin_order=2, mute_until_ms=2**63 - 1, ignored=True)
    people.group(ANN, "empty ä")
    people.group(ANN, "y", BOB, CID)
    relation("DeleteFriends", user_id=ANN, user_ids=[DAN])
    people.block(BOB, DAN, EVE, CID)
    relation("RemoveFromBlacklist", user_id=BOB, user_ids=[EVE])
    # Each end that an application may have, and one that waits.
    for user, wording in ((others[2], HOSTILE[0]), (CID, HOSTILE[4]), (EVE, "")):
        people.apply(DAN, user, wording=wording, source="AddSource_Type_sql", remark="R'")
    people.respond(CID, DAN, "FRIEND_RESPONSE_TYPE_AGREE")
    people.respond(EVE, DAN, "FRIEND_RESPONSE_TYPE_REJECT")
    people.apply(EVE, ANN)
    relation("WithdrawApplications", user_id=EVE, user_ids=[ANN])
    people.apply(others[0], others[1])
    relation("DeletePendencies", user_id=others[0], pendency_type=2, user_ids=[others[1]])
    people.set_profile(
        ANN, nick=HOSTILE[4], face_url=HOSTILE[0], gender=2, birthday=20000229, language=7,
        level=2**32 - 1, role=0, location=b"\0\xff\\x", self_signature=b"hi\0", msg_settings=1,
        unique_id="Ann1", email=HOSTILE[2], birthday_text="leap", location_text=HOSTILE[5],
        name=HOSTILE[1], first_name="A", middle_name="N", last_name="N", link="l",
        username="u", locale="zh_TW", picture_url="p", custom=values)
    relation("SetVisibility", user_id=ANN, visibility=3)
    people.set_profile(BOB, nick="gone", birthday=0)
    people.set_profile(BOB, nick="")
    # Another app has users of the same ids.
    other = relation("CreateApp", name=HOSTILE[0], preset="APP_PRESET_RONGCLOUD").app
    people = People(relation.in_app(other.app_id))
    people.make([ANN, BOB])
    people.befriend(ANN, BOB)


def accounts(relation):
    return [account.user_id for page in People(relation).pages("ListAccounts", 100)
            for account in page.accounts]


def test_friends_are_those_that_the_service_lists(served):
    database, relation = served
    people = People(relation)
    expected = [
        {"user_id": user, "friend_id": row.user_id, "remark": text(row.remark),
         "groups": list(row.groups), "source": row.source, "wording": row.wording,
         "added": row.add_time_ms, "remarked": row.remark_time_ms or None,
         "sequence": row.sequence, "custom": custom(row.custom), "starred": row.starred,
         "pin_order": row.pin_order, "mute_until_ms": row.mute_until_ms, "ignored": row.ignored}
        for user in accounts(relation)
        for row in sorted(people.friends(user), key=lambda row: row.user_id)]
    found = rows(
        database, f"SELECT user_id, friend_id, remark, groups, source, wording,"
        f" {ms('add_time')} AS added, {ms('remark_time')} AS remarked, sequence, custom,"
        " starred, pin_order, mute_until_ms, ignored FROM relation.friends WHERE app = 1 ORDER BY partition, friend_id COLLATE \"C\"")
    assert found == expected
    assert {row["remark"] for row in found} >= {text(remark) for remark in HOSTILE}
    assert [row["friend_id"] for row in found if row["user_id"] == EVE] == []


def test_groups_and_blacklists_are_those_that_the_service_lists(served):
    database, relation = served
    people = People(relation)
    groups, blocked = [], []
    for user in accounts(relation):
        answer = relation("GetFriendGroups", user_id=user, with_members=True)
        for result in answer.results:
            groups.append([
                user, result.name, result.group.member_count, result.group.create_time_ms])
        members = rows(
            database, "SELECT g, array_agg(friend_id ORDER BY friend_id COLLATE \"C\") AS users"
            f" FROM relation.friends_of(1, $id${user}$id$), unnest(groups) AS g GROUP BY g")
        assert {row["g"]: row["users"] for row in members} == {
            result.name: sorted(result.user_ids) for result in answer.results if result.user_ids}
        for page in people.pages("ListBlacklist", 100, user_id=user):
            blocked += [[user, entry.user_id, entry.add_time_ms] for entry in page.entries]
    assert [list(row.values()) for row in rows(
        database, f"SELECT user_id, group_name, member_count, {ms('create_time')}"
        " FROM relation.groups ORDER BY partition, number")] == groups
    assert sorted(list(row.values()) for row in rows(
        database, f"SELECT user_id, blocked_id, {ms('add_time')} FROM relation.blacklist"
        )) == sorted(blocked)
    assert len(groups) == 5 and len(blocked) == 2


def test_applications_are_those_that_the_service_lists(served):
    database, relation = served
    people = People(relation)
    states = ["waiting", "accepted", "refused", "expired", "withdrawn"]
    expected = sorted(
        [user, ["received", "sent"][row.pendency_type - 1], row.user_id, states[row.status],
         row.add_time_ms, row.operation_time_ms, row.source, row.wording, row.application_id]
        for user in accounts(relation) for row in people.applications(user))
    found = rows(
        database, "SELECT user_id, direction, other_id, state,"
        f" {ms('add_time')} AS added, {ms('coalesce(end_time, add_time)')} AS ended, source,"
        " wording, application_id FROM relation.applications")
    assert sorted(list(row.values()) for row in found) == expected
    assert {row["state"] for row in found} == set(states) - {"expired"}
    # An application that its sender took off its list stands on the other side alone.
    waiting = [row for row in found if row["state"] == "waiting"]
    assert [row["direction"] for row in waiting].count("received") == 2
    assert [row["direction"] for row in waiting].count("sent") == 1


def test_profiles_users_and_apps_are_as_the_service_answers_them(served):
    database, relation = served
    people = People(relation)
    (found,) = rows(database, f"SELECT * FROM relation.profile_of(1, $id${ANN}$id$)")
    profile = people.profile(ANN)
    words = {"gender": "female", "visibility": "friends", "allow_type": "need_confirm",
             "birthday": "2000-02-29", "custom": custom(profile.custom), "app": 1}
    for name, value in found.items():
        if name in words:
            assert value == words[name], name
        elif name in ("location", "self_signature"):
            assert value == "\\x" + getattr(profile, name).hex()
        elif name == "admin_forbid_type":
            assert value is None and not profile.HasField(name)
        elif name != "partition":
            expected = getattr(profile, name)
            assert value == (text(expected) if isinstance(expected, str) else expected), name
    (found,) = rows(database, f"SELECT * FROM relation.profile_of(1, $id${BOB}$id$)")
    assert found["nick"] is found["birthday"] is found["gender"] is None
    assert found["visibility"] == "not_set" and found["version"] == people.profile(BOB).version
    listed = [[account.user_id, account.create_time_ms]
              for page in people.pages("ListAccounts", 100) for account in page.accounts]
    assert [list(row.values()) for row in rows(
        database, f"SELECT user_id, {ms('create_time')} FROM relation.users WHERE app = 1"
        " ORDER BY partition")] == listed
    assert rows(
        database, "SELECT user_id, friend_count, blacklist_count, group_count"
        f" FROM relation.user_of(1, $id${ANN}$id$)") == [{
            "user_id": ANN, "friend_count": len(people.friends(ANN)), "blacklist_count": 0,
            "group_count": 5}]
    apps = [[app.app_id, app.name, ["", "tim", "rongcloud"][app.preset], app.create_time_ms]
            for app in relation("ListApps").apps]
    assert [list(row.values()) for row in rows(
        database, f"SELECT app, name, preset, {ms('create_time')} FROM relation.apps ORDER BY app"
        )] == apps and len(apps) == 2


def test_a_look_at_one_user_goes_by_the_primary_key(served):
    database, _ = served
    for view in ("friends", "groups", "blacklist", "applications", "profiles", "users"):
        # So few rows are read as fast from first to last, if that is not forbidden.
        plan = psql(
            database, "SET enable_seqscan = off; EXPLAIN SELECT * FROM relation."
            f"{view} WHERE partition = relation.partition(1, $id${ANN}$id$)")
        assert "relation_kv_pkey" in plan and "Index Cond: ((p = '\\x" in plan, plan
        function = {"profiles": "profile", "users": "user"}.get(view, view) + "_of"
        looks = (f"{function}(1, $id${ANN}$id$) AS r",
                 f"{view} AS r WHERE app = 1 AND user_id = $id${ANN}$id$")
        one, other = (
            rows(database, f"SELECT r::text FROM relation.{look} ORDER BY 1") for look in looks)
        assert one == other
    for app in (-1, 0, 1 + 2**32):
        assert rows(database, f"SELECT * FROM relation.friends_of({app}, $id${ANN}$id$)") == []


def test_a_reader_sees_the_views_and_no_secret(served):
    database, relation = served
    role = "reader_" + uuid.uuid4().hex
    secret = relation("RotateAppSecret", old_expire_time_ms=0).secret
    assert secret and psql(
        database, f"SELECT count(*) FROM relation_kv WHERE position('{secret}'::bytea IN v) > 0"
        ) == "1"
    psql(database, f"CREATE ROLE {role} LOGIN; GRANT USAGE ON SCHEMA relation TO {role};"
         f" GRANT SELECT ON ALL TABLES IN SCHEMA relation TO {role}")
    try:
        reader = database.replace("postgres@", f"{role}@")
        for view in ("friends", "groups", "blacklist", "applications", "profiles", "users", "apps"):
            assert rows(reader, f"SELECT * FROM relation.{view}")
        assert rows(reader, f"SELECT 1 FROM relation.friends_of(1, $id${ANN}$id$) LIMIT 1")
        for hidden in ("relation_kv", "relation_store", "relation_wire.rows"):
            assert "permission denied" in refused(reader, f"SELECT * FROM {hidden}")
        assert "cannot delete" in refused(reader, "DELETE FROM relation.friends")
        # A condition that costs nothing, and tells all that it sees, is not shown other rows.
        told = subprocess.run(
            ["psql", "-qXAt", reader, "-c", """
                CREATE FUNCTION pg_temp.tell(seen bytea) RETURNS boolean LANGUAGE plpgsql
                COST 0.0000001 AS $$ BEGIN RAISE NOTICE '%', seen; RETURN true; END $$;
                SELECT user_id FROM relation.profiles WHERE pg_temp.tell(partition)"""],
            capture_output=True, text=True, check=True)  # fmt: skip
        assert told.stderr.count("NOTICE") == len(rows(database, "SELECT 1 FROM relation.profiles"))
        for view in ("apps", "users", "profiles"):
            assert secret not in psql(reader, f"SELECT * FROM relation.{view}")
    finally:
        psql(database, f"DROP OWNED BY {role}; DROP ROLE {role}")


def test_another_format_and_a_broken_row_are_refused(served):
    database, _ = served
    words = "these views are for rows of format 6, and the store has format 7"
    psql(database, "UPDATE relation_store SET value = '7' WHERE name = 'format'")
    try:
        assert words in install(database, check=False)
        assert words in refused(database, "SELECT * FROM relation.friends")
        assert words in refused(database, f"SELECT * FROM relation.user_of(1, $id${ANN}$id$)")
    finally:
        psql(database, "UPDATE relation_store SET value = '6' WHERE name = 'format'")

    def seen(record):
        return ("BEGIN; INSERT INTO relation_kv VALUES ('\\x000000077a00', '\\x1161', "
                f"'{record}'); SELECT remark, sequence FROM relation.friends_of(7, 'z'); ROLLBACK")

    # Fields of all wire types that the record does not have, one of the highest number, and a
    # number of a second time: the last one holds.
    assert psql(database, seen(
        "\\x0a0161" "12023a29" "5001" "5a0101" "6100000000000000ff" "6d000000ff" "faffffff0f0101"
        "4001" "4002")) == ":)|2"
    for record in ("\\x0a", "\\x0a0261", "\\x40", "\\x40ff", "\\x0b", "\\x0f", "\\x00", "\\x6100",
                   "\\x6d00", "\\x40ffffffffffffffffffff01", "\\x12ffffffffffffffffff01",
                   "\\xffffffffff01"):
        error = refused(database, seen(record))
        assert "the row at \\x000000077a001161 does not decode" in error, (record, error)
    assert "is not UTF-8" in refused(database, seen("\\x1202c328"))


def test_the_file_runs_again_and_keeps_rights_and_copies(served):
    database, relation = served
    psql(database, "CREATE MATERIALIZED VIEW typed AS SELECT * FROM relation.friends;"
         " GRANT SELECT ON relation.friends TO pg_monitor")
    granted = "SELECT relacl FROM pg_class WHERE oid = 'relation.friends'::regclass"
    before = psql(database, granted)
    assert "pg_monitor" in before
    install(database)
    assert psql(database, granted) == before
    people = People(relation)
    zoe, yan = people(2)
    people.befriend(zoe, yan)
    psql(database, "REFRESH MATERIALIZED VIEW typed")
    assert psql(database, f"SELECT friend_id FROM typed WHERE user_id = '{zoe}'") == yan
    # Not even the owner writes through a view: it would pass by the rules of the service.
    for command in ("DELETE FROM relation.friends", "UPDATE relation.friends SET partition = ''"):
        assert "cannot" in refused(database, command)
