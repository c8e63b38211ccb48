-- peek: the value that a lock guards, without the lock.
--
-- KEYS   1 the value's
-- ARGV   1 life_ms: from now on it lives so long; 0: as long as it does; -1: it is deleted
-- Answer {value}   nil: there is none
--        error WRONGTYPE   it is no string

local kept = redis.call('GET', KEYS[1])
if kept and ARGV[1] ~= '0' then
	redis.call('PEXPIRE', KEYS[1], ARGV[1])
end
return {kept}
