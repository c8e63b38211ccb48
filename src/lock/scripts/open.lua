-- open: an acquire that reads the value which the lock guards, in the same step. Sessions are kept so.
--
-- KEYS   1 L   2 fence   3 waiting   4 wake   5 the value's
-- ARGV   1 to 4 as acquire   5 heard: as acquire, or missing
--        last but one: life_ms: once the lock is the caller's, the value lives so long; 0: as long as it does
--        last: 'known'  the lock is free and there is no value: nothing is taken
--              'any'    it is taken then, too
-- Answer {A, value}  A as acquire answers, and never more than 50 ms are left of a foreign lock; the value is nil if there is none, or if the lock is not the caller's
--        {0}         known: nothing was taken, and no key was made
--        error WRONGTYPE   the value is no string. Nothing was taken
--        error             as acquire
--
-- Such locks are many and short, so their fence outlives the lease by a minute only.

local L, V = KEYS[1], KEYS[5]
local which, life = table.remove(ARGV), table.remove(ARGV)

local kept = redis.pcall('GET', V)
if type(kept) == 'table' then
	return kept
end
-- Who has waited takes the lock, and gives it back if the value is gone: so the next waiter is told.
if which == 'known' and not kept and not ARGV[5] and redis.call('EXISTS', L) == 0 then
	return {0}
end

ARGV[6] = 60000
local function acquire()
-- include acquire.lua
end

local answer = acquire()
if type(answer) == 'table' and answer.err then
	return answer
end
if type(answer) == 'table' and answer[1] == 0 then
	-- The release of another library's client wakes nobody: so who waits for that asks often.
	local held = redis.pcall('GETRANGE', L, '0', '5')
	if type(held) == 'string' and held ~= 'rlock1' and not string.find(held, '^[~+-]') then
		answer[2] = answer[2] < 0 and 50 or math.min(answer[2], 50)
	end
	return {answer, false}
end
if kept and life ~= '0' then
	redis.call('PEXPIRE', V, life)
end
return {answer, kept}
