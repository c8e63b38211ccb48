-- replace_shared: put one token in the place of another, of a share. The share and its fence stay the same.
--
-- KEYS   1 L   2 fence   3 shares, as enter describes it
-- ARGV   as replace
-- Answer as replace, and nothing counts adoptions: a share that nobody else's token has replaced is found by
--        its token alone

local L, F, S = unpack(KEYS)
local old, new, lease, grace = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local old_own = string.match(old, '^[^:]*:[^:]*:[^:]*:(%x+)')
local new_own = string.match(new, '^[^:]*:[^:]*:[^:]*:(%x+)')

-- include parts/whole.lua
-- include parts/fence.lua
-- include parts/share_verdict.lua

local time = redis.call('TIME')
local clock = time[1] * 1000000 + time[2]
local now = math.floor(clock / 1000)
local v = redis.call('MGET', L, F) -- a key of another type reads as missing
local value, text = v[1], v[2]
local _, _, _, closed = parse(text)
local ends, fence = from_set(old, 'f' .. old_own)
local new_ends, new_fence = from_set(new, 'f' .. new_own)
local wanted = tonumber(string.match(ARGV[5], '^%d+'))

if value == '+shared' and -new_ends > now then
	return {1, whole(new_fence), -new_ends - now} -- this request has arrived twice
end
if value ~= '+shared' or -ends <= now then
	return {verdict(value, text, ARGV[5])}
end
-- Under another fence, a late copy of the request that took this share has taken it again.
if fence > 0 and wanted > 0 and fence ~= wanted or string.find(closed, new_own, 1, true) then
	return {3}
end
if ARGV[6] ~= '0' and clock > tonumber(ARGV[6]) then
	return {err = 'LATE ' .. whole(clock)}
end

local left = lease > 0 and lease or -ends - now
redis.call('PEXPIRE', F, whole(math.max(left + grace, redis.call('PTTL', F)))) -- a first write that needs no memory
redis.call('ZREM', S, old, 'f' .. old_own, 's' .. old_own)
redis.call('ZADD', S, whole(now + left), new, whole(-fence), 'f' .. new_own)
local most = tonumber(redis.call('ZRANGE', S, -1, -1, 'WITHSCORES')[2])
redis.call('PEXPIREAT', L, whole(most))
redis.call('PEXPIREAT', S, whole(most + grace))
return {1, whole(fence), left}
