-- The tables that a team would make for friendships: rows in both directions, a head for each user
-- with its count and its sequence, and a log of changes.
CREATE TABLE friends (
    user_id text NOT NULL,
    friend_id text NOT NULL,
    added_ms bigint NOT NULL,
    source text NOT NULL,
    PRIMARY KEY (user_id, friend_id)
);
CREATE TABLE heads (
    user_id text PRIMARY KEY,
    friends integer NOT NULL,
    sequence bigint NOT NULL
);
CREATE TABLE changes (
    user_id text NOT NULL,
    sequence bigint NOT NULL,
    friend_id text NOT NULL,
    PRIMARY KEY (user_id, sequence)
);
INSERT INTO heads
    SELECT side || '-' || number, 0, 0
    FROM unnest(ARRAY['adder', 'added']) AS side, generate_series(0, :pairs - 1) AS number;
VACUUM ANALYZE heads;
CHECKPOINT;
