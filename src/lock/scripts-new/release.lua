-- release: give the lock back, and pass it to the waiter that has waited longest. It also undoes an
-- acquire, passes on a baton that is not wanted, and breaks a lock.
--
-- KEYS   1 L   2 fence   3 waiting   4 wake; or L alone while its cluster slot moves: then it is
--        passed to nobody, and the answer is 4 if the lock is not the caller's
-- ARGV   1 token: what L must begin with; or the baton; or, to break it, what inspect saw in L, as
--          much as it shows; '': L was no string
--        2 fence: the grant's, as it was answered; 0: any, for a token that is never used again
--        3 baton: '~RANDOM', the same however often this is sent, and of no other request
--        4 delay_ms: for how long nobody may take the lock; 0: none
--        5 until: to break it: as acquire; missing: it is the caller's
-- Answer 1 given back, passed on, or broken
--        2 L is gone, and nobody was granted it since   3 somebody was, or has it
--        4 unknown, since the fence is gone
--        error LATE clock  to break: as acquire
--
-- Without contention it runs two commands: MGET, DEL. The first write is one that full memory
-- allows, and after it nothing raises.

local L, F, W, Q = unpack(KEYS)
local token, fence, baton, delay, limit = unpack(ARGV)
-- A key of another type reads as missing.
local v = F and redis.call('MGET', L, F, W) or redis.call('MGET', L)
local held, last, waiting = v[1], v[2], v[3]

local function begins(with)
	return held and string.sub(held, 1, #with) == with
end

local known = not last or fence == '0' or fence == last
local ours = known and begins(token)
if limit then
	local time = redis.pcall('TIME')
	if not time.err and limit ~= '0' and time[1] * 1000000 + time[2] > tonumber(limit) then
		return {err = string.format('LATE %.0f', time[1] * 1000000 + time[2])}
	end
	local seen = held and string.sub(held, 1, 70000) or redis.call('EXISTS', L) == 1 and ''
	ours = known and seen == token
end

if not ours then
	local gone = not held and redis.call('EXISTS', L) == 0
	local broken = limit and gone and last == string.format('%.0f', fence + 2)
	if begins(baton) or begins('-' .. baton) or broken then
		return 1 -- this request has come twice
	end
	return not last and 4 or gone and last == fence and 2 or 3
end

if not waiting and delay == '0' and not limit then
	redis.call('DEL', L)
	return 1
end

redis.call('PEXPIRE', L, delay == '0' and 1000 or delay)
if limit and last then
	redis.pcall('INCRBY', F, 2) -- the holder is to learn that its lock was lost
end

-- Puts this into the list, for a waiter that is parked or parks within that time.
local function push(what, life)
	redis.pcall('DEL', Q)
	local length = redis.pcall('RPUSH', Q, what)
	redis.pcall('PEXPIRE', Q, life)
	return length == 1
end

if delay ~= '0' then
	-- Nobody may take it before this expires. It tells who had it. One waiter asks, and learns when.
	local who = string.match(held or '', '^rlock1@?%x*:%x+:(.*)$') or ''
	redis.pcall('SET', L, '-' .. baton .. ':' .. who, 'PX', delay)
	if waiting then
		push('-', delay)
	end
	return 1
end
-- The flag holds '~' from when a baton is pushed until a waiter that was told something asks. If it
-- still does, that one may be dead, and so may others: then the lock is left free, and one is told.
-- A waiter that passes its baton on is alive.
local doubt = waiting == '~' and string.sub(token, 1, 1) ~= '~'
if waiting and not doubt and not redis.pcall('SET', L, baton, 'PX', 1000).err then
	redis.pcall('SET', W, '~', 'XX', 'KEEPTTL')
	if push(baton, 1000) then
		return 1
	end
end
redis.call('DEL', L)
if waiting then
	push('-', 1000)
end
return 1
