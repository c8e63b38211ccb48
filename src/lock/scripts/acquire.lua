-- acquire: take the lock, or say how long it stays taken.
--
-- KEYS   1 L   2 fence   3 waiting   4 wake
-- ARGV   1 token
--        2 lease_ms
--        3 keep_ms: for how long the fence is kept: the lease and the grace
--        4 until: the last microsecond, by this server's clock, in which this may run; 0: any
--        5 flag_ms: the caller will wait, so the waiting flag must stay up for at least this long; 0
--          or missing: the caller only asks
-- Answer fence, an integer from 1: the lock is the caller's, for the lease from now
--        {0, left_ms, 0}  the lock is taken; -1: it never expires
--        {0, left_ms, 1}  it is held shared, and nothing was done: a waiter goes on with enter
--        2 in place of that 0: the lock is detached, and the caller's own name may hold it: it is to look
--        error LATE    the request came after until, or after a release that has closed its token.
--                      Nothing was done. The server's clock follows
--
-- Without contention it runs three commands: SET, TIME, SET.
-- A copy may arrive when nobody waits for its answer any more. It must neither take the lock nor
-- discard a baton; `until` prevents that.
-- A repetition with the same token finds the same grant. If the server refuses writes (OOM, READONLY,
-- MISCONF...), the first command raises the error; once L is the caller's, nothing raises.

local free = redis.pcall('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2])
if free and free.err then
	local full = string.match(free.err, 'OOM .*')
	if not full then
		free = redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) -- raises it
	else
		-- The lock cannot be taken, but it can still be passed on to waiters while the flag is up.
		local flag = tonumber(ARGV[5] or 0)
		if flag > 0 and redis.call('PTTL', KEYS[3]) < flag then
			redis.pcall('PEXPIRE', KEYS[3], ARGV[5])
		end
		return {err = full}
	end
end

-- Some services forbid TIME in scripts: then the clock is 0, and nothing counts as late. The clock is
-- joined and compared as text because that costs less than to make a number of it and the reverse; and `+ 0` makes
-- a number of it in half the time of tonumber, which converts it twice.
local time = redis.pcall('TIME')
local clock = time.err and '0' or time[1] .. (#time[2] == 6 and time[2] or string.sub('00000' .. time[2], -6))
if ARGV[4] ~= '0' and (#clock > #ARGV[4] or #clock == #ARGV[4] and clock > ARGV[4]) then
	if free then
		redis.call('DEL', KEYS[1])
	end
	return {err = 'LATE ' .. clock}
end

if not free then
	-- A foreign value may be huge. Only a token, a baton (at most 50 bytes) or the name of a cooldown is
	-- compared here. The numbers are text because Redis takes as long to make text of two as to run the command.
	local value = redis.pcall('GETRANGE', KEYS[1], '0', #ARGV[1] < 128 and '127' or #ARGV[1])
	if type(value) == 'table' and not string.find(value.err, '^WRONGTYPE') then
		return value
	end

	if value == '+shared' or value == '+kept' then
		return {0, redis.call('PTTL', KEYS[1]), 1}
	end

	if value == ARGV[1] then
		-- This request has arrived twice. Its lease has begun, and may have been extended since.
-- include parts/fence.lua
		local fence = parse(redis.call('MGET', KEYS[2])[1])
		if fence > 0 then
			return fence
		end
		-- The fence is gone: the grant gets another.
	else
		-- A baton that is still in the list reached nobody. It is removed in any case: whatever the
		-- caller's next BLPOP receives must have been pushed after this request, because the caller
		-- counts its deadline from here. The DEL removes a value that is not our list.
		local baton = redis.pcall('LPOP', KEYS[4])
		if baton then
			redis.pcall('DEL', KEYS[4])
		end
		if not baton or baton ~= value then
			if ARGV[5] and ARGV[5] ~= '0' then
-- include parts/keep_up.lua
				keep_up(KEYS[3], ARGV[5])
			end
-- include parts/own.lua
			local text = type(value) == 'string' and value or ''
			return {0, redis.call('PTTL', KEYS[1]), may_be_own(ARGV[1], text) and 2 or 0}
		elseif redis.call('PTTL', KEYS[3]) > 2500 then
			redis.call('PEXPIRE', KEYS[3], 2500) -- nobody was parked: who waits asks within a second
		end
		redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
	end
end

-- The fence is the clock, or the last fence plus one if the clock is not past it (because it was set
-- back, or because two grants fell into one microsecond). Without a clock the fence only counts.
local fence = clock + 0
local text = redis.pcall('SET', KEYS[2], clock, 'PX', ARGV[3], 'GET')
if type(text) == 'table' then
	text = false -- the key had another type, which GET refuses
	redis.pcall('SET', KEYS[2], clock, 'PX', ARGV[3])
end
-- The common case, in few steps: there is a clock, and the last fence is a lower number of as many digits.
if fence > 0 and (not text or #text == #clock and text < clock) then
	return fence
end
-- include parts/fence.lua
local last, _, _, closed = parse(text)
if last < fence and closed == '' then
	return fence
end

-- A fence ahead of the clock is kept until the clock has caught up; otherwise the next could be lower.
local keep = ARGV[3]
if fence > 0 and last >= fence then
	keep = keep + math.ceil((last + 1 - fence) / 1000)
end
keep = string.format('%.0f', keep)
local own = string.match(ARGV[1], '^[^:]*:[^:]*:[^:]*:(%x+)')
if own and string.find(closed, own, 1, true) then
	redis.call('DEL', KEYS[1])
	redis.pcall('SET', KEYS[2], text, 'PX', keep)
	return {err = 'LATE ' .. clock}
end
fence = math.max(fence, last + 1)
-- Formatted in full, because Redis 7.2.0 to 7.2.4 would write 100000000 as 1e+8, which they cannot
-- read, and Lua would write only 14 digits.
text = string.format('%.0f', fence)
if closed ~= '' then
	text = text .. ':0:0:' .. closed
end
redis.pcall('SET', KEYS[2], text, 'PX', keep)
return fence
