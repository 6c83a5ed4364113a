-- One friendship, with a round trip for each statement. Each session has pairs of its own.
\set pair :first + :client_id * :each + :n
\set n :n + 1
BEGIN ISOLATION LEVEL READ COMMITTED;
SELECT user_id, friends, sequence FROM heads
    WHERE user_id IN ('adder-' || :pair, 'added-' || :pair) ORDER BY user_id FOR UPDATE;
INSERT INTO friends VALUES
    ('adder-' || :pair, 'added-' || :pair,
        (extract(epoch FROM clock_timestamp()) * 1000)::bigint, 'AddSource_Type_Bench'),
    ('added-' || :pair, 'adder-' || :pair,
        (extract(epoch FROM clock_timestamp()) * 1000)::bigint, 'AddSource_Type_Bench');
UPDATE heads SET friends = friends + 1, sequence = sequence + 1
    WHERE user_id IN ('adder-' || :pair, 'added-' || :pair);
INSERT INTO changes
    SELECT user_id, sequence,
        CASE user_id WHEN 'adder-' || :pair THEN 'added-' ELSE 'adder-' END || :pair
    FROM heads WHERE user_id IN ('adder-' || :pair, 'added-' || :pair);
COMMIT;
