-- upgrade: a share that is the only one becomes an exclusive grant, with the same token and a new fence.
--
-- KEYS   1 L   2 fence   3 wake   4 shares   5 turnstile, as enter describes them
-- ARGV   1 token
--        2 fence: the share's
--        3 lease_ms: at least; otherwise what is left
--        4 grace_ms: how much longer than the lease the fence is kept
--        5 serial: as extend
--        6 until: the last microsecond, by this server's clock, in which this may run; 0: any
-- Answer {1, fence, left_ms}  the lock is the caller's exclusively
--        {0}  it is not the only share, or a delay runs; it stays a share
--        {2}, {3}, {4}  as leave
--        error LATE  the request came after until, and nothing was done. The server's clock follows
--
-- The fence rises so that those whose share ended before learn that somebody had the lock. The first waiter
-- stays the first.

local L, F, Q, S, T = unpack(KEYS)
local token, lease, grace, serial = ARGV[1], tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local own = string.match(token, '^[^:]*:[^:]*:[^:]*:(%x+)')

-- include parts/whole.lua
-- include parts/fence.lua
-- include parts/print_fence.lua
-- include parts/share_verdict.lua

local time = redis.call('TIME')
local clock = time[1] * 1000000 + time[2]
local now = math.floor(clock / 1000)
local v = redis.call('MGET', L, F, T) -- a key of another type reads as missing
local value, text, turnstile = v[1], v[2], v[3]
local number, _, behind, closed = parse(text)

if value == token and behind >= serial then
	return {1, number, redis.call('PTTL', L)} -- this request has arrived twice
end
local ends, fence, last = from_set(token, 'f' .. own, 's' .. own)
local wanted = tonumber(string.match(ARGV[2], '^%d+'))
if value ~= '+shared' or -ends <= now then
	return {verdict(value, text, ARGV[2])}
end
if fence > 0 and wanted > 0 and fence ~= wanted then
	return {3} -- a late copy of the request that took this share has taken it again
end
if ARGV[6] ~= '0' and clock > tonumber(ARGV[6]) then
	return {err = 'LATE ' .. whole(clock)}
end
if serial <= last then
	return {0} -- a late copy
end

-- Also if it is refused, so that no copy does later what this one did not.
redis.call('ZADD', S, whole(-serial), 's' .. own)
if #redis.call('ZRANGE', S, '(' .. whole(now), '+inf', 'BYSCORE', 'LIMIT', 0, 2) ~= 1 then
	return {0}
end
local left = math.max(-ends - now, lease)
local raised = math.max(number + 1, clock)
local keep = left + grace + math.ceil((raised - clock) / 1000)
redis.call('SET', L, token, 'PX', whole(left))
redis.call('ZREM', S, token, 'f' .. own, 's' .. own)
redis.call('ZADD', S, whole(-raised), 'U')
redis.call('SET', F, print_fence(whole(raised), serial, closed), 'PX', whole(keep))
-- A ticket that reached nobody would mislead the next client that asks.
if turnstile and redis.pcall('LINDEX', Q, 0) == turnstile then
	redis.call('DEL', Q, T)
end
return {1, raised, left}
