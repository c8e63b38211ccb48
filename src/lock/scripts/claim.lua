-- claim: make a lease of our own from the baton that BLPOP gave us.
--
-- KEYS   1 L   2 fence
-- ARGV   1 token
--        2 baton
--        3 fence: the baton's
--        4 lease_ms
--        5 grace_ms: how much longer than the lease the fence is kept
-- Answer 1 it is ours, for the lease from now
--        2 too late: L is gone, and nobody took it
--        3 lost: L is another's, or was since
--        4 the fence is gone, so it cannot be told: counts as lost
--
-- It runs four commands: MGET, PTTL, PEXPIRE, SET. Sent again it finds L under our token.

local function whole(number)
	return string.format('%.0f', number)
end

local v = redis.pcall('MGET', KEYS[1], KEYS[2])
if v.err then
	return v
end
local value, fence = v[1], v[2]

if value ~= ARGV[2] and value ~= ARGV[1] then
	if not fence then
		return 4
	end
	if fence == ARGV[3] and redis.call('EXISTS', KEYS[1]) == 0 then
		return 2
	end
	return 3
end

-- The fence first: full memory refuses a script's first write, but not a PEXPIRE, and none
-- after it. Its expiry only ever moves later, since a fence may be ahead of the clock.
local keep = ARGV[4] + ARGV[5]
local refused = redis.pcall('PEXPIRE', KEYS[2], whole(math.max(keep, redis.call('PTTL', KEYS[2]))))
if type(refused) == 'table' then
	return refused
end
if value == ARGV[2] then
	redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[4])
elseif redis.call('PTTL', KEYS[1]) < tonumber(ARGV[4]) then
	redis.call('PEXPIRE', KEYS[1], ARGV[4]) -- come twice; it must not shorten what was prolonged since
end
if not fence then
	redis.pcall('SET', KEYS[2], ARGV[3], 'PX', whole(keep)) -- it was evicted: put it back
end
return 1
