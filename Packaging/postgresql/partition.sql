-- Makes eight partitions of the table of all rows, by a hash of the app and the user.
--
--     psql -X -v ON_ERROR_STOP=1 -h db1 -U relation relation -f partition.sql
--
-- Stop all servers first, and drop both schemas of views.sql, with the rights on them. It is one
-- transaction, writes all rows anew, and needs as much room again.
--
-- The table is a new one. An operator's own settings of relation_kv are lost, so make them again
-- afterwards: rights (GRANT), publications that name it, and storage options such as those of
-- autovacuum, which each partition has for itself. The owner of the tables runs this.
--
-- Vacuum and pg_repack then take one partition after another. docs/postgresql.md has the figures.

BEGIN;
DO $$ BEGIN
    IF (SELECT relkind FROM pg_class WHERE oid = to_regclass('relation_kv')) = 'p' THEN
        RAISE 'relation_kv is in partitions already; nothing is changed';
    END IF;
END $$;
-- No server starts meanwhile: it would write its row here first.
LOCK TABLE relation_server, relation_kv IN ACCESS EXCLUSIVE MODE;
DO $$ BEGIN
    IF EXISTS (SELECT FROM relation_server WHERE until > clock_timestamp()) THEN
        RAISE 'servers have the store open; stop them first';
    END IF;
END $$;
ALTER TABLE relation_kv RENAME TO relation_kv_before;
ALTER INDEX relation_kv_pkey RENAME TO relation_kv_before_pkey;
CREATE TABLE relation_kv (p bytea NOT NULL, k bytea NOT NULL, v bytea NOT NULL,
    PRIMARY KEY (p, k)) PARTITION BY HASH (p);
COMMENT ON TABLE relation_kv IS 'All rows of a relation-chain store: p is the partition, k the key '
    'within it, v a message.';
DO $$ BEGIN
    FOR number IN 0..7 LOOP
        EXECUTE format('CREATE TABLE relation_kv_%s PARTITION OF relation_kv FOR VALUES WITH '
            '(MODULUS 8, REMAINDER %s) WITH (fillfactor = 85, '
            'autovacuum_vacuum_scale_factor = 0.02, '
            'autovacuum_vacuum_insert_scale_factor = 0.02)', number, number);
    END LOOP;
END $$;
INSERT INTO relation_kv SELECT * FROM relation_kv_before;
DROP TABLE relation_kv_before;
COMMIT;
ANALYZE relation_kv;
