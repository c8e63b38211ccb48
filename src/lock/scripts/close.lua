-- close: a release that first writes the value which the lock guards, in the same step.
--
-- KEYS   1 L   2 fence   3 waiting   4 wake   5 the value's
-- ARGV   1 to 4 as release
--        5 how: 'new'      the value becomes the given one
--               'write'    the same, unless there is none any more: what is gone stays gone
--               'touch'    it only lives for longer
--               'delete'   it is deleted, also by who has lost the lock
--        6 life_ms: of the value; to delete, until: when who has lost the lock may still do it, as acquire
--        7 value
--        8 'keep'   the lock is not given back; or missing
-- Answer as release, and to keep it 1 or 3; written or touched was only with 1. After an error nothing was done
--        error WRONGTYPE   the value is no string any more: the client gives the lock back by release
--        {A, 'none'}  A is that answer; the lock was the caller's, but there was no value any more to
--                     be written, touched or deleted
--
-- A copy that comes late finds another token in L, and writes nothing.

local V = KEYS[5]
local keeps = ARGV[8] and table.remove(ARGV)
local value, life, how = table.remove(ARGV), table.remove(ARGV), table.remove(ARGV)

-- A key of another type reads as missing.
local seen = redis.call('MGET', KEYS[1], KEYS[2])
local mine = seen[1] and string.sub(seen[1], 1, #ARGV[1]) == ARGV[1]
	and (not seen[2] or seen[2] == ARGV[2] or ARGV[2] == '0')

local kept = (mine or how == 'delete') and redis.pcall('GETRANGE', V, '0', '0')
if type(kept) == 'table' then
	return kept
end

-- A copy that comes late might delete what was begun since.
local function may_delete()
	local time = not mine and life ~= '0' and redis.pcall('TIME')
	return not time or time.err or time[1] * 1000000 + time[2] <= life + 0
end

local found = 1
if how == 'delete' then
	if may_delete() then
		found = redis.call('DEL', V)
	end
elseif mine and how == 'touch' then
	found = redis.call('PEXPIRE', V, life)
elseif mine and (how == 'new' or redis.call('EXISTS', V) == 1) then
	redis.call('SET', V, value, 'PX', life)
else
	found = 0
end

local function release()
-- include release.lua
end

local answer = not keeps and release() or mine and 1 or 3
return mine and found == 0 and {answer, 'none'} or answer
