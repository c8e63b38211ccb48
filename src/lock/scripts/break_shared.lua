-- break_shared: find the shares that are to be broken, one by its fence or all, so that their holders learn that
-- they were lost. The caller gives each of them back then (leave, with close). Where L says that it is held shared and
-- no share is alive, the caller gets one, so that there is one to be given back, and the lock goes on from there.
--
-- KEYS   1 L   2 fence   3 shares, as enter describes it
-- ARGV   1 fence: that share's; 0: all, and the delay that runs
--        2 grace_ms: how much longer than the shares the fence is kept
--        3 until: the last microsecond, by this server's clock, in which this may run; 0: any
--        4 token: of the share that the caller gets where none is alive. A second copy finds it
-- Answer {token, ...}: none, if the lock is not held shared, or no share has this fence
--        error LATE  the request came after until, and nothing was done. The server's clock follows

local L, F, S = unpack(KEYS)

-- include parts/whole.lua
-- include parts/fence.lua

local value = redis.pcall('GETRANGE', L, 0, 64)
if value ~= '+shared' then
	return {}
end
local time = redis.call('TIME')
local clock = time[1] * 1000000 + time[2]
local now = math.floor(clock / 1000)
if ARGV[3] ~= '0' and clock > tonumber(ARGV[3]) then
	return {err = 'LATE ' .. whole(clock)}
end

local last, _, _, closed = parse(redis.call('MGET', F)[1])
local cooling = tonumber(redis.call('ZSCORE', S, '-') or 0) > now
local broken, newest, alive = {}, 0, 0
for _, token in ipairs(redis.call('ZRANGE', S, '(' .. whole(now), '+inf', 'BYSCORE')) do
	local own = string.match(token, '^[^:]*:[^:]*:[^:]*:(%x+)') or ''
	local fence = -tonumber(redis.call('ZSCORE', S, 'f' .. own) or 0)
	alive = alive + (token ~= '-' and 1 or 0)
	if fence > 0 and (ARGV[1] == '0' or fence == tonumber(ARGV[1]) or token == ARGV[4]) then
		broken[#broken + 1] = token
		newest = math.max(newest, fence)
	end
end
-- Where none is alive, only a delay is left, or the set was evicted.
local empty = alive == 0 and (ARGV[1] == '0' or cooling and tonumber(ARGV[1]) == last)
if #broken == 0 and not empty then
	return broken
end

-- The era begins behind them. A share with a lower fence that ends late is told that it was lost, too; so is any if
-- the set was evicted.
local raised = math.max(last + 1, clock)
local left = redis.call('PTTL', L)
local keep = math.max(left + ARGV[2], redis.call('PTTL', F))
local era = math.max(newest + 1, -tonumber(redis.call('ZSCORE', S, 'E') or -raised))
redis.call('PEXPIRE', F, whole(keep)) -- a first write that needs no memory
if ARGV[1] == '0' or empty then
	redis.call('ZREM', S, '-')
	redis.call('ZREMRANGEBYSCORE', S, '-0.5', '-0.5')
end
if empty then
	local own = string.match(ARGV[4], '^[^:]*:[^:]*:[^:]*:(%x+)')
	redis.call('ZADD', S, whole(now + (left > 0 and left or ARGV[2])), ARGV[4], whole(-raised), 'f' .. own)
	redis.call('PEXPIRE', S, whole(keep))
	broken[1] = ARGV[4]
end
redis.call('ZADD', S, whole(-raised), 'F', whole(-era), 'E')
redis.call('SET', F, whole(raised) .. (closed ~= '' and ':0:0:' .. closed or ''), 'PX', whole(keep))
return broken
