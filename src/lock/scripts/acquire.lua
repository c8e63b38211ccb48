-- acquire: take the lock if it is free, in place of a baton, or again if the caller has it already.
--
-- KEYS   1 L   2 fence   3 waiting   4 wake
-- ARGV   1 value: what L is to hold, as docs/protocol/ describes it
--        2 lease_ms
--        3 until: the last microsecond, by this server's clock, in which this may run; 0: any
--        4 flag_ms: for how long releases must know that the caller waits; 0: it does not wait
--        5 heard: what BLPOP brought, a baton or '-'; or missing
--        6 grace_ms: how much longer than the lease the fence is kept; missing: an hour
-- Answer fence             the lock is the caller's, for lease_ms from now; the fence is the clock or more
--        {fence, left_ms}  the same, for left_ms
--        {0, left_ms}      it is taken for left_ms more; -1: it never expires
--        {0, left_ms, 1}   it is held shared: a waiter goes on with enter
--        error LATE clock  the request came after until. Nothing was done
--
-- Without contention it runs three commands: TIME, SET, SET. While memory is full, a free lock can be
-- taken only by a waiter that was told something. Once L is written, nothing raises.

local L, F, W, Q = unpack(KEYS)
local value, lease, limit, flag, heard = unpack(ARGV)
local grace = ARGV[6] or 3600000

-- Some services forbid TIME in scripts: then the clock is 0, and nothing is late. It stays text, since
-- making text of a number costs as much as a command.
local time = redis.pcall('TIME')
local clock = time.err and '0' or time[1] .. string.sub('00000' .. time[2], -6)
local now = clock + 0
if limit ~= '0' and now > limit + 0 then
	return {err = 'LATE ' .. clock}
end

local called, taken, full
if heard then
	redis.pcall('LPOP', Q, '0') -- takes nothing, but after a write that full memory allows it allows all
	redis.pcall('SET', W, '', 'XX', 'KEEPTTL') -- a waiter that was told is alive (see release)
	called = string.sub(heard, 1, 1) == '~' and redis.call('MGET', L)[1] == heard
end
if not called then
	taken = redis.pcall('SET', L, value, 'NX', 'PX', lease)
	if taken and taken.err then
		if not string.find(taken.err, 'OOM') then
			return taken
		end
		full, taken = taken, false -- what follows begins with writes that need no memory
	end
end

if not called and not taken then
	local held = redis.pcall('GETRANGE', L, '0', '599') -- a foreign value may be huge, or no string
	if type(held) == 'table' and not string.find(held.err, 'WRONGTYPE') then
		return held
	end
	held = type(held) == 'string' and held or ''
	if held == '+shared' then
		return {0, redis.call('PTTL', L), 1}
	end
	local token, random = string.match(value, '^(rlock1:%x+:)'), ''
	if not token then
		token, random = string.match(value, '^(rlock1@%x+:)(%x+:)')
	end
	if string.sub(held, 1, #token) == token then
		-- This request has come twice; or the name has the lock already. By name it is always a new
		-- grant, so that a release on its way does not end it; and it loses its RANDOM if that is
		-- another's, so that no undo does.
		lease = math.max(lease, redis.call('PTTL', L))
		redis.call('PEXPIRE', L, lease)
		local fence = random == '' and redis.call('MGET', F)[1]
		if fence then
			redis.call('PEXPIRE', F, lease + grace)
			return {tonumber(fence), lease}
		end
		if string.sub(held, #token + 1, #token + #random) ~= random then
			redis.call('SETRANGE', L, #token, string.rep('0', #random - 1))
			redis.call('PEXPIRE', L, lease) -- before Redis 7.2 the first may have deleted it
		end
	else
		-- A baton that still lies in the list reached nobody: the lock is free.
		local lying = redis.pcall('LPOP', Q)
		if lying ~= held or string.sub(held, 1, 1) ~= '~' then
			local short = flag ~= '0' and redis.call('PTTL', W) < tonumber(flag)
			if short and redis.call('PEXPIRE', W, flag) == 0 then
				redis.pcall('SET', W, '', 'PX', flag)
			end
			if full and redis.call('EXISTS', L) == 0 then
				return full
			end
			return {0, redis.call('PTTL', L)}
		end
		called = true
	end
end
if called then
	redis.call('SET', L, value, 'PX', lease)
	if not heard then
		redis.pcall('SET', W, '', 'XX', 'KEEPTTL')
	end
end

-- The fence is the clock; or 2 more than the last where the clock is not past that. Only extend adds
-- 1, by which it recognizes its own work.
local fence, keep = now, lease + grace
local last = redis.pcall('SET', F, clock, 'PX', keep, 'GET')
local least = type(last) == 'string' and (tonumber(last) or 0) + 2 or 2
if not (least < 2 ^ 53) then
	least = 2 -- that is no fence
end
if least > now or type(last) == 'table' then -- a key of another type refuses GET
	fence = math.max(least, now)
	redis.pcall('SET', F, fence, 'PX', keep)
end
return now > 0 and lease == ARGV[2] and fence or {fence, lease + 0}
