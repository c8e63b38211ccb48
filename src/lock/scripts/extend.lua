-- extend: a new lease from now, longer or shorter.
--
-- KEYS   1 L   2 fence
-- ARGV   1 token
--        2 fence: the grant's
--        3 lease_ms
--        4 grace_ms: how much longer than the lease the fence is kept
--        5 again: '1' if L may be set anew where it is gone and nobody took it. Only for
--          prolongate(), and only after our own deadline
-- Answer 1 it is ours, for the lease from now
--        2 late: L is gone, and nobody took it; with again it is ours anew, for the lease
--        3 lost: L is another's, or was since
--        4 the fence is gone, so it cannot be told: counts as lost
--
-- It runs four commands: MGET, PTTL, PEXPIRE, PEXPIRE. Sent again with again it answers 1
-- where the first copy answered 2.

local function whole(number)
	return string.format('%.0f', number)
end

local v = redis.call('MGET', KEYS[1], KEYS[2]) -- another type reads as none
local ours, fence = v[1] == ARGV[1], v[2]

if not ours then
	if not fence then
		return 4
	end
	if fence ~= ARGV[2] or redis.call('EXISTS', KEYS[1]) == 1 then
		return 3
	end
	if ARGV[5] ~= '1' then
		return 2
	end
end

-- The fence first: full memory refuses a script's first write, but not a PEXPIRE, and none
-- after it. Its expiry only ever moves later, since a fence may be ahead of the clock.
local keep = ARGV[3] + ARGV[4]
redis.call('PEXPIRE', KEYS[2], whole(math.max(keep, redis.call('PTTL', KEYS[2]))))
if not ours then
	redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[3])
	return 2
end
redis.call('PEXPIRE', KEYS[1], ARGV[3])
if not fence then
	redis.pcall('SET', KEYS[2], ARGV[2], 'PX', whole(keep)) -- it was evicted: put it back
end
return 1
