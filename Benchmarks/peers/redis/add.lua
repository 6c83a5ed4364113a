-- One friendship, as in postgres/add.sql: rows in both directions, two heads with count and
-- sequence, and two rows of the log. It answers the first user's sequence, or 0 for a friend.
local one, other, added, source = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local row = added .. ' ' .. source
if redis.call('HSETNX', KEYS[1], other, row) == 0 then return 0 end
redis.call('HSETNX', KEYS[2], one, row)
local sequence = redis.call('HINCRBY', KEYS[3], 'sequence', 1)
local reverse = redis.call('HINCRBY', KEYS[4], 'sequence', 1)
redis.call('HINCRBY', KEYS[3], 'friends', 1)
redis.call('HINCRBY', KEYS[4], 'friends', 1)
redis.call('RPUSH', KEYS[5], sequence .. ' ' .. other)
redis.call('RPUSH', KEYS[6], reverse .. ' ' .. one)
return sequence
