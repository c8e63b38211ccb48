-- free: free the lock, and pass it to nobody.
--
-- Follows a release that goes by its hash and whose answer nobody reads soon: should the server's script
-- cache have been flushed, this frees the lock all the same. It goes by its text, which is short.
--
-- KEYS   1 L
-- ARGV   1 token: what L must hold
-- Answer 1 freed; 0 L holds something else, or nothing

-- A key of another type reads as missing.
return redis.call('MGET', KEYS[1])[1] == ARGV[1] and redis.call('DEL', KEYS[1]) or 0
