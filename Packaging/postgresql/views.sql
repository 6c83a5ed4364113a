-- Read-only views of the data of a relation-chain store in PostgreSQL, for people who write SQL.
--
-- They are for rows of format 6 (the row `format` of relation_store). With another format this file
-- changes nothing, and views that were made before refuse to answer: run the file of that version.
--
-- The owner of the tables runs it, again after each upgrade:
--
--     psql -X -v ON_ERROR_STOP=1 -h db1 -U relation relation -f views.sql
--
-- All happens in one transaction, and needs no extension. The views are in the schema `relation`,
-- and the functions that decode rows in `relation_wire`. Nothing is dropped, so rights and
-- materialized views stay when the file runs again.
--
-- Texts are as the service answers them, with one difference: a text of PostgreSQL holds no zero
-- byte, so U+FFFD stands in its place. The views show rows as they stand. So they may show for a
-- moment what the service hides already: lists of an account that is being deleted, an application
-- that has just expired, and one that ended 90 days ago.

\set ON_ERROR_STOP on
BEGIN;
SET LOCAL client_min_messages = warning;

DO $$
DECLARE
    found text;
BEGIN
    IF to_regclass('relation_store') IS NULL OR to_regclass('relation_kv') IS NULL THEN
        RAISE 'this database has no tables of a relation-chain store';
    END IF;
    SELECT value INTO found FROM relation_store WHERE name = 'format';
    IF found IS DISTINCT FROM '6' THEN
        RAISE 'these views are for rows of format 6, and the store has format %',
            coalesce(found, 'none');
    END IF;
END
$$;

CREATE SCHEMA IF NOT EXISTS relation;
CREATE SCHEMA IF NOT EXISTS relation_wire;
-- PostgreSQL looks up the names in a function's body with the rights of the reader. The functions
-- decode bytes that they are given, so they are for all; the view in that schema is for no reader.
GRANT USAGE ON SCHEMA relation_wire TO PUBLIC;
COMMENT ON SCHEMA relation IS 'Read-only views of a relation-chain store, for rows of format 6.';
COMMENT ON SCHEMA relation_wire IS 'The decoding beneath the views of the schema relation.';

-- The fields of a message: numbers and pieces of bytes, each at the number of its field.
DO $$
BEGIN
    IF to_regtype('relation_wire.fields') IS NULL THEN
        CREATE TYPE relation_wire.fields AS (
            numbers bigint[],
            pieces bytea[],
            -- The pieces of a field that comes again but for the last one, and the field's number.
            earlier bytea[],
            earlier_at integer[]
        );
    END IF;
END
$$;

-- Whether the rows are of the format that the views know; raises if not.
CREATE OR REPLACE FUNCTION relation_wire.is_known(format text) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    IF format IS DISTINCT FROM '6' THEN
        RAISE 'these views are for rows of format 6, and the store has format %',
            coalesce(format, 'none')
            USING HINT = 'Run the file views.sql of the version that serves the store.';
    END IF;
    RETURN true;
END
$$;

-- The fields of the message `v`. Fields above 120 are of no table here, and are passed over.
--
-- `at` names the row in errors. The codec's own limits do not matter here: it wrote the rows.
CREATE OR REPLACE FUNCTION relation_wire.read(v bytea, at bytea DEFAULT '')
RETURNS relation_wire.fields
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
    size constant integer := octet_length(v);
    place integer := 0;
    byte integer;
    tag bigint;
    field integer;
    value bigint;
    shift integer;
    numbers bigint[];
    pieces bytea[];
    earlier bytea[];
    earlier_at integer[];
BEGIN
    WHILE place < size LOOP
        byte := get_byte(v, place);
        place := place + 1;
        tag := byte;
        IF byte > 127 THEN
            tag := byte & 127;
            shift := 7;
            LOOP
                IF place >= size OR shift > 28 THEN
                    RAISE 'the row at % does not decode: its byte % is no tag', at, place;
                END IF;
                byte := get_byte(v, place);
                place := place + 1;
                tag := tag | ((byte & 127)::bigint << shift);
                EXIT WHEN byte < 128;
                shift := shift + 7;
            END LOOP;
        END IF;
        field := tag >> 3;
        IF field = 0 OR field > 536870911 THEN
            RAISE 'the row at % does not decode: it has a field of number %', at, field;
        END IF;
        CASE tag & 7
        WHEN 0, 2 THEN
            -- A number, or the length of a piece: mostly one byte, and six for a time.
            value := 0;
            shift := 0;
            LOOP
                IF place >= size OR shift > 63 THEN
                    RAISE 'the row at % does not decode: field % is cut off', at, field;
                END IF;
                byte := get_byte(v, place);
                place := place + 1;
                value := value | ((byte & 127)::bigint << shift);
                EXIT WHEN byte < 128;
                shift := shift + 7;
            END LOOP;
            IF tag & 7 = 0 THEN
                IF field <= 120 THEN
                    numbers[field] := value;
                END IF;
            ELSE
                IF value < 0 OR value > size - place THEN
                    RAISE 'the row at % does not decode: field % is cut off', at, field;
                END IF;
                IF field <= 120 THEN
                    IF pieces[field] IS NOT NULL THEN
                        earlier := earlier || pieces[field];
                        earlier_at := earlier_at || field;
                    END IF;
                    pieces[field] := substr(v, place + 1, value::integer);
                END IF;
                place := place + value;
            END IF;
        WHEN 1 THEN
            place := place + 8;
        WHEN 5 THEN
            place := place + 4;
        ELSE
            RAISE 'the row at % does not decode: field % is of wire type %', at, field, tag & 7;
        END CASE;
    END LOOP;
    IF place > size THEN
        RAISE 'the row at % does not decode: its last field is cut off', at;
    END IF;
    RETURN (numbers, pieces, earlier, earlier_at);
END
$$;

-- All pieces of a field that has one, in their order.
CREATE OR REPLACE FUNCTION relation_wire.list(r relation_wire.fields, field integer)
RETURNS bytea[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT array(
        SELECT each.piece
        FROM unnest(r.earlier, r.earlier_at) WITH ORDINALITY AS each (piece, at, place)
        WHERE each.at = field ORDER BY each.place) || r.pieces[field]
$$;

-- Whether bytes are UTF-8 as PostgreSQL takes it, but for zero bytes.
CREATE OR REPLACE FUNCTION relation_wire.is_utf8(piece bytea) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT encode(piece, 'hex') ~ ('^(?:[0-7].|(?:c[2-9a-f]|d.)[89ab].|e0[ab].[89ab].'
        || '|(?:e[1-9abcef])(?:[89ab].){2}|ed[89].[89ab].|f0[9ab].(?:[89ab].){2}'
        || '|f[1-3](?:[89ab].){3}|f48.(?:[89ab].){2})*$')
$$;

-- The text of bytes that are not plain ASCII.
CREATE OR REPLACE FUNCTION relation_wire.odd_text(piece bytea) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    IF NOT relation_wire.is_utf8(piece) THEN
        RAISE 'a row does not decode: a text in it is not UTF-8: %', piece;
    END IF;
    IF position('\x00'::bytea IN piece) > 0 THEN
        SELECT string_agg(
                CASE get_byte(piece, at) WHEN 0 THEN '\xefbfbd' ELSE substr(piece, at + 1, 1) END,
                ''::bytea ORDER BY at)
            INTO piece FROM generate_series(0, octet_length(piece) - 1) AS at;
    END IF;
    RETURN convert_from(piece, 'UTF8');
END
$$;

-- The text of bytes. `escape` changes all bytes but plain ASCII, and is fast.
CREATE OR REPLACE FUNCTION relation_wire.text(piece bytea) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN octet_length(piece) = length(encode(piece, 'escape'))
        THEN encode(piece, 'escape') ELSE relation_wire.odd_text(piece) END
$$;

CREATE OR REPLACE FUNCTION relation_wire.texts_of(list bytea[]) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT array(SELECT relation_wire.text(each.piece)
        FROM unnest(list) WITH ORDINALITY AS each (piece, place) ORDER BY each.place)
$$;

-- The texts of a field that comes again and again. Most rows have none. PostgreSQL takes this body
-- into the query, and so calls no function for them.
CREATE OR REPLACE FUNCTION relation_wire.texts(r relation_wire.fields, field integer)
RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN r.pieces[field] IS NULL THEN '{}'::text[]
        ELSE relation_wire.texts_of(relation_wire.list(r, field)) END
$$;

-- The moment of a number of milliseconds; null for none.
CREATE OR REPLACE FUNCTION relation_wire.moment(ms bigint) RETURNS timestamptz
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT to_timestamp(nullif(ms, 0)::double precision / 1000)
$$;

-- A number without a sign, which may be above the highest bigint.
CREATE OR REPLACE FUNCTION relation_wire.unsigned(number bigint) RETURNS numeric
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN number < 0 THEN number + 18446744073709551616 ELSE number END
$$;

-- The values of custom fields: a number, a text, or {"hex": …} of bytes that are no text.
CREATE OR REPLACE FUNCTION relation_wire.custom_of(list bytea[]) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT coalesce(jsonb_object_agg(
        relation_wire.text((r).pieces[1]),
        CASE
            WHEN (r).numbers[3] IS NOT NULL
                THEN to_jsonb(relation_wire.unsigned((r).numbers[3]))
            WHEN position('\x00'::bytea IN (r).pieces[2]) = 0
                AND relation_wire.is_utf8((r).pieces[2])
                THEN to_jsonb(relation_wire.text((r).pieces[2]))
            ELSE jsonb_build_object('hex', encode((r).pieces[2], 'hex'))
        END), '{}')
    FROM (SELECT relation_wire.read(piece) AS r FROM unnest(list) AS piece OFFSET 0) AS each
$$;

CREATE OR REPLACE FUNCTION relation_wire.custom(r relation_wire.fields, field integer)
RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN r.pieces[field] IS NULL THEN '{}'::jsonb
        ELSE relation_wire.custom_of(relation_wire.list(r, field)) END
$$;

-- The app of a partition, and its user.
CREATE OR REPLACE FUNCTION relation_wire.app(p bytea) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT (get_byte(p, 0)::bigint << 24)
        + (get_byte(p, 1) << 16) + (get_byte(p, 2) << 8) + get_byte(p, 3)
$$;

CREATE OR REPLACE FUNCTION relation_wire.name(p bytea) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT relation_wire.text(substr(p, 5, octet_length(p) - 5))
$$;

-- The moment at the beginning of a row key: eight bytes with the sign turned, so that they sort.
CREATE OR REPLACE FUNCTION relation_wire.moment(k bytea, place integer) RETURNS timestamptz
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT relation_wire.moment(
        ((get_byte(k, place) # 128)::bigint << 56) | (get_byte(k, place + 1)::bigint << 48)
        | (get_byte(k, place + 2)::bigint << 40) | (get_byte(k, place + 3)::bigint << 32)
        | (get_byte(k, place + 4)::bigint << 24) | (get_byte(k, place + 5)::bigint << 16)
        | (get_byte(k, place + 6)::bigint << 8) | get_byte(k, place + 7))
$$;

-- The word of a number; a number that is not known here stands for itself.
CREATE OR REPLACE FUNCTION relation_wire.word(number bigint, words text[]) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT coalesce(words[number::integer + 1], number::text)
$$;

-- The partition of a user; null for a number that no app has.
CREATE OR REPLACE FUNCTION relation.partition(app bigint, user_id text) RETURNS bytea
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN app BETWEEN 0 AND 4294967295 THEN
        substr(int8send(app), 5) || decode(replace(user_id, '\', '\\'), 'escape') || '\x00' END
$$;
COMMENT ON FUNCTION relation.partition IS
    'The column "partition" of the rows of a user: a query that names it uses the primary key.';

-- All rows, with their fields. It is a barrier so that it stays a query of its own: then a row is
-- read once for all columns, and not at all if a query needs its key alone. The columns that are
-- made of the key stand here, so that a condition on them comes before the reading.
CREATE OR REPLACE VIEW relation_wire.rows WITH (security_barrier) AS
SELECT
    p,
    k,
    relation_wire.app(p) AS app,
    relation_wire.name(p) AS user_id,
    relation_wire.text(substr(k, 2)) AS named,
    relation_wire.read(v, p || k) AS r
-- A view of two tables takes no writes, whoever tries.
FROM relation_kv, (SELECT) AS read_only
WHERE relation_wire.is_known((SELECT value FROM relation_store WHERE name = 'format'));

-- The views are barriers, or else a reader's own function in WHERE could see rows of other kinds:
-- PostgreSQL may ask it before it asks for the kind. Those rows hold secrets of apps.

CREATE OR REPLACE VIEW relation.friends WITH (security_barrier) AS
SELECT
    app,
    user_id,
    named AS friend_id,
    coalesce(relation_wire.text((r).pieces[2]), '') AS remark,
    relation_wire.texts(r, 3) AS groups,
    coalesce(relation_wire.text((r).pieces[4]), '') AS source,
    coalesce(relation_wire.text((r).pieces[5]), '') AS wording,
    relation_wire.moment((r).numbers[6]) AS add_time,
    relation_wire.moment((r).numbers[7]) AS remark_time,
    coalesce((r).numbers[8], 0) AS sequence,
    relation_wire.custom(r, 9) AS custom,
    p AS partition,
    -- A view that is there already takes further columns at its end alone.
    coalesce((r).numbers[13], 0) <> 0 AS starred,
    coalesce((r).numbers[14], 0) AS pin_order,
    -- A mute for good is later than any moment.
    coalesce((r).numbers[15], 0) AS mute_until_ms,
    coalesce((r).numbers[16], 0) <> 0 AS ignored
FROM relation_wire.rows
WHERE k >= '\x11' AND k < '\x12';
COMMENT ON VIEW relation.friends IS 'Friend lists: a row for each direction of a friendship.';

CREATE OR REPLACE VIEW relation.groups WITH (security_barrier) AS
SELECT
    app,
    user_id,
    named AS group_name,
    coalesce((r).numbers[1], 0) AS number,
    coalesce((r).numbers[2], 0) AS member_count,
    relation_wire.moment((r).numbers[3]) AS create_time,
    p AS partition
FROM relation_wire.rows
WHERE k >= '\x21' AND k < '\x22';
COMMENT ON VIEW relation.groups IS
    'Friend groups, in the order of "number"; the column "groups" of friends tells the members.';

CREATE OR REPLACE VIEW relation.blacklist WITH (security_barrier) AS
SELECT
    app,
    user_id,
    named AS blocked_id,
    relation_wire.moment((r).numbers[2]) AS add_time,
    p AS partition
FROM relation_wire.rows
WHERE k >= '\x41' AND k < '\x42';
COMMENT ON VIEW relation.blacklist IS 'Blacklists: a row for each user that a user blocks.';

CREATE OR REPLACE VIEW relation.applications WITH (security_barrier) AS
SELECT
    app,
    user_id,
    CASE side WHEN 1 THEN 'received' ELSE 'sent' END AS direction,
    relation_wire.text(other) AS other_id,
    relation_wire.word(
        state, '{waiting,accepted,refused,expired,withdrawn}') AS state,
    relation_wire.moment((r).numbers[3]) AS add_time,
    end_time,
    coalesce(relation_wire.text((r).pieces[4]), '') AS source,
    coalesce(relation_wire.text((r).pieces[5]), '') AS wording,
    coalesce(relation_wire.text((r).pieces[6]), '') AS remark,
    coalesce(relation_wire.text((r).pieces[7]), '') AS group_name,
    coalesce(relation_wire.text((r).pieces[2]), '') AS application_id,
    relation_wire.custom(r, 20) AS custom,
    p AS partition
FROM (
    SELECT p, app, user_id, r, get_byte(k, 1) AS side, 0 AS state, substr(k, 3) AS other,
        NULL::timestamptz AS end_time
    FROM relation_wire.rows WHERE k >= '\x31' AND k < '\x32'
    UNION ALL
    SELECT p, app, user_id, r, get_byte(k, 9), get_byte(k, 10), substr(k, 12),
        relation_wire.moment(k, 1)
    FROM relation_wire.rows WHERE k >= '\x33' AND k < '\x34'
) AS records;
COMMENT ON VIEW relation.applications IS
    'Friend applications that wait or have ended: a row for each side that still has it.';

CREATE OR REPLACE VIEW relation.profiles WITH (security_barrier) AS
SELECT
    app,
    user_id,
    nullif(relation_wire.text((r).pieces[2]), '') AS nick,
    nullif(relation_wire.text((r).pieces[3]), '') AS face_url,
    relation_wire.word((r).numbers[4], '{allow_any,need_confirm,deny_any}') AS allow_type,
    relation_wire.word((r).numbers[5], '{unknown,male,female}') AS gender,
    make_date(
        (nullif((r).numbers[6], 0) / 10000)::integer,
        ((r).numbers[6] / 100 % 100)::integer, ((r).numbers[6] % 100)::integer) AS birthday,
    nullif((r).pieces[7], '') AS location,
    (r).numbers[8] AS language,
    (r).numbers[9] AS level,
    (r).numbers[10] AS role,
    nullif((r).pieces[11], '') AS self_signature,
    (r).numbers[12] AS msg_settings,
    relation_wire.word((r).numbers[13], '{none,send_out}') AS admin_forbid_type,
    nullif(relation_wire.text((r).pieces[15]), '') AS unique_id,
    nullif(relation_wire.text((r).pieces[16]), '') AS email,
    nullif(relation_wire.text((r).pieces[17]), '') AS birthday_text,
    nullif(relation_wire.text((r).pieces[18]), '') AS location_text,
    nullif(relation_wire.text((r).pieces[19]), '') AS name,
    nullif(relation_wire.text((r).pieces[20]), '') AS first_name,
    nullif(relation_wire.text((r).pieces[21]), '') AS middle_name,
    nullif(relation_wire.text((r).pieces[22]), '') AS last_name,
    nullif(relation_wire.text((r).pieces[23]), '') AS link,
    nullif(relation_wire.text((r).pieces[24]), '') AS username,
    nullif(relation_wire.text((r).pieces[25]), '') AS locale,
    nullif(relation_wire.text((r).pieces[26]), '') AS picture_url,
    relation_wire.word(
        coalesce((r).numbers[101], 0), '{not_set,invisible,everyone,friends}') AS visibility,
    coalesce((r).numbers[14], 0) AS version,
    relation_wire.custom(r, 28) AS custom,
    p AS partition
FROM relation_wire.rows
WHERE k >= '\x02' AND k < '\x03';
COMMENT ON VIEW relation.profiles IS
    'Profiles that were ever set, hidden fields included; a field without value is null.';

CREATE OR REPLACE VIEW relation.users WITH (security_barrier) AS
SELECT
    app,
    user_id,
    relation_wire.moment((r).numbers[23]) AS create_time,
    coalesce((r).numbers[1], 0) AS sequence,
    coalesce((r).numbers[10], 0) AS friend_count,
    coalesce((r).numbers[11], 0) AS blacklist_count,
    coalesce((r).numbers[12], 0) AS group_count,
    coalesce((r).numbers[13], 0) AS received_count,
    coalesce((r).numbers[14], 0) AS sent_count,
    coalesce((r).numbers[15], 0) AS unread_count,
    p AS partition
FROM relation_wire.rows
WHERE k >= '\x01' AND k < '\x02';
COMMENT ON VIEW relation.users IS
    'Accounts; received_count, sent_count and unread_count are of applications that wait.';

-- Secrets, settings and the client apps of an app are not here, on purpose.
CREATE OR REPLACE VIEW relation.apps WITH (security_barrier) AS
SELECT
    relation_wire.app(substr(k, 2)) AS app,
    coalesce(relation_wire.text((r).pieces[2]), '') AS name,
    relation_wire.word(coalesce((r).numbers[1], 0), '{unspecified,tim,rongcloud}') AS preset,
    relation_wire.word(coalesce((r).numbers[3], 0), '{unspecified,active,deleting}') AS state,
    relation_wire.moment((r).numbers[4]) AS create_time
FROM relation_wire.rows
WHERE p = '\x000000000500' AND k >= '\x91' AND k < '\x92';
COMMENT ON VIEW relation.apps IS 'The apps of the store.';

-- The rows of one user, by the primary key. STRICT keeps PostgreSQL from taking the body into the
-- query around it, where a barrier would keep the key from the index.

CREATE OR REPLACE FUNCTION relation.friends_of(app bigint, user_id text)
RETURNS SETOF relation.friends
LANGUAGE sql STABLE STRICT PARALLEL SAFE ROWS 100 AS $$
    SELECT * FROM relation.friends AS rows
    WHERE rows.partition = relation.partition($1, $2)
$$;

CREATE OR REPLACE FUNCTION relation.groups_of(app bigint, user_id text)
RETURNS SETOF relation.groups
LANGUAGE sql STABLE STRICT PARALLEL SAFE ROWS 100 AS $$
    SELECT * FROM relation.groups AS rows
    WHERE rows.partition = relation.partition($1, $2)
$$;

CREATE OR REPLACE FUNCTION relation.blacklist_of(app bigint, user_id text)
RETURNS SETOF relation.blacklist
LANGUAGE sql STABLE STRICT PARALLEL SAFE ROWS 100 AS $$
    SELECT * FROM relation.blacklist AS rows
    WHERE rows.partition = relation.partition($1, $2)
$$;

CREATE OR REPLACE FUNCTION relation.applications_of(app bigint, user_id text)
RETURNS SETOF relation.applications
LANGUAGE sql STABLE STRICT PARALLEL SAFE ROWS 100 AS $$
    SELECT * FROM relation.applications AS rows
    WHERE rows.partition = relation.partition($1, $2)
$$;

CREATE OR REPLACE FUNCTION relation.profile_of(app bigint, user_id text)
RETURNS SETOF relation.profiles
LANGUAGE sql STABLE STRICT PARALLEL SAFE ROWS 1 AS $$
    SELECT * FROM relation.profiles AS rows
    WHERE rows.partition = relation.partition($1, $2)
$$;

CREATE OR REPLACE FUNCTION relation.user_of(app bigint, user_id text)
RETURNS SETOF relation.users
LANGUAGE sql STABLE STRICT PARALLEL SAFE ROWS 1 AS $$
    SELECT * FROM relation.users AS rows
    WHERE rows.partition = relation.partition($1, $2)
$$;

COMMIT;
