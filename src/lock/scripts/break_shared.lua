-- break_shared: find the shares that are to be broken, one by its fence or all, so that their holders learn that
-- they were lost. The caller gives each of them back then (leave, with close).
--
-- KEYS   1 L   2 fence   3 shares, as enter describes it
-- ARGV   1 fence: that share's; 0: all
--        2 grace_ms: how much longer than the shares the fence is kept
--        3 until: the last microsecond, by this server's clock, in which this may run; 0: any
-- Answer {token, ...}: none, if the lock is not held shared, or no share has this fence
--        error LATE  the request came after until, and nothing was done. The server's clock follows

local L, F, S = unpack(KEYS)

local function whole(number)
	return string.format('%.0f', number)
end

-- Reads the text of a fence, FENCE[:ADOPTIONS[:SERIAL[:CLOSED]]]. Returns its number, or 0 if the text
-- is not ours (a number from 2^53 has no successor here; ours get there in the year 2255); its
-- holder, which is FENCE or FENCE:ADOPTIONS; its serial; its closed tokens.
local function parse(text)
	local number, rest = string.match(type(text) == 'string' and text or '', '^(%d+)(.*)$')
	local adoptions, serial, closed = string.match(rest or '', '^:(%d+):?(%d*):?([%x,]*)$')
	if not number or (rest ~= '' and not adoptions) or tonumber(number) >= 9007199254740991 then
		return 0, nil, 0, ''
	end
	local holder = tonumber(adoptions or 0) > 0 and number .. ':' .. adoptions or number
	return tonumber(number), holder, tonumber(serial or 0) or 0, closed or ''
end

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

local broken, newest = {}, 0
for _, token in ipairs(redis.call('ZRANGE', S, '(' .. whole(now), '+inf', 'BYSCORE')) do
	local own = string.match(token, '^[^:]*:[^:]*:[^:]*:(%x+)') or ''
	local fence = -tonumber(redis.call('ZSCORE', S, 'f' .. own) or 0)
	if fence > 0 and (ARGV[1] == '0' or fence == tonumber(ARGV[1])) then
		broken[#broken + 1] = token
		newest = math.max(newest, fence)
	end
end
if #broken == 0 then
	return broken
end

-- The era begins behind them. A share with a lower fence that ends late is told that it was lost, too.
local last, _, _, closed = parse(redis.call('MGET', F)[1])
local raised = math.max(last + 1, clock)
local keep = math.max(redis.call('PTTL', L) + ARGV[2], redis.call('PTTL', F))
local era = math.max(newest + 1, -tonumber(redis.call('ZSCORE', S, 'E') or 0))
redis.call('PEXPIRE', F, whole(keep)) -- a first write that needs no memory
redis.call('ZADD', S, whole(-raised), 'F', whole(-era), 'E')
redis.call('SET', F, whole(raised) .. (closed ~= '' and ':0:0:' .. closed or ''), 'PX', whole(keep))
return broken
