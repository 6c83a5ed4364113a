-- The friend rows, the log rows, the counts and the sequences of all heads, and the friend rows
-- that lack their reverse.
SELECT (SELECT count(*) FROM friends), (SELECT count(*) FROM changes),
    (SELECT sum(friends) FROM heads), (SELECT sum(sequence) FROM heads),
    (SELECT count(*) FROM friends f WHERE NOT EXISTS (
        SELECT FROM friends r WHERE r.user_id = f.friend_id AND r.friend_id = f.user_id));
