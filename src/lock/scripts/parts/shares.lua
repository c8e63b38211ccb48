-- What the scripts for shares have in common. KEYS are as enter describes them. Shares end by the
-- clock: where TIME is barred, this raises its error.

local L, F, S, H, W, Q, T, R = unpack(KEYS)
local GRACE, WINDOW = 3600000, 1000
local time = redis.call('TIME')
local clock = time[1] * 1000000 + time[2]
local now = math.floor(clock / 1000)

local function whole(number)
	return string.format('%.0f', number)
end

local last, turn, waits = unpack(redis.call('MGET', F, T, W)) -- a key of another type reads as missing
local held = redis.pcall('GETRANGE', L, '0', '599') -- not all of it: a foreign value may be huge
if type(held) == 'table' and not string.find(held.err, 'WRONGTYPE') then
	return held
end
held = type(held) == 'string' and held or '?'
local shared = held == '+shared'

-- What follows the token and the RANDOM in a value: who the caller is.
local function who_is(value)
	return string.match(value, '^rlock1:%x+:(.*)$') or string.match(value, '^rlock1@%x+:%x+:(.*)$')
end

-- Whether the token has the lock exclusively.
local function excludes(token)
	return string.sub(held, 1, #token) == token
end

-- When this share ends, its fence, as text, and who has it; or nil. Removes those that have ended: first writes
-- that full memory does not refuse.
local function alive(token)
	if not shared then
		return nil
	end
	local past = '(' .. whole(now)
	for _, ended in ipairs(redis.call('ZRANGE', S, '-inf', past, 'BYSCORE')) do
		redis.call('HDEL', H, ended)
	end
	redis.call('ZREMRANGEBYSCORE', S, '-inf', past)
	local ends, record = redis.call('ZSCORE', S, token), redis.call('HGET', H, token)
	if ends and record then
		return tonumber(ends), string.match(record, '^(%d+)(.*)$')
	end
end

-- L and the set end with the longest share, or with a cooldown after it; the record and the fence, as text, later.
-- nil: there is no fence.
local function settle(fence, ends)
	ends = ends or redis.call('ZRANGE', S, '-1', '-1', 'WITHSCORES')[2]
	local later = whole(ends + GRACE)
	redis.call('PEXPIREAT', L, ends)
	redis.call('PEXPIREAT', S, ends)
	redis.call('PEXPIREAT', H, later)
	if fence then
		redis.call('SET', F, fence, 'PXAT', later)
	end
end

-- A new grant's fence: the clock, or 2 more than the last, since 1 more is for extend.
local function raise()
	local least = (tonumber(last or 0) or 0) + 2
	return math.max(least < 2 ^ 53 and least or 2, clock)
end

-- What became of a share that is not alive: 2 nobody has had the lock exclusively since; 3 somebody has, or
-- has it, or the share was broken, or that cannot be told; 4 the fence is gone.
local function verdict(fence)
	redis.call('HDEL', H, '') -- there is none: a replica, which may be behind, refuses to write
	local era = redis.call('HMGET', H, 'LAST', 'ERA')
	local other = held == '' and redis.call('EXISTS', L) == 1 or not shared and held ~= '' and not string.find(held, '^[~-]')
	return not last and 4 or not other and last == era[1] and era[2] and tonumber(fence) >= tonumber(era[2]) and 2 or 3
end
