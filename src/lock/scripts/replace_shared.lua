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

-- The numbers for which the set has minus that number, or 0.
local function from_set(...)
	local scores = redis.pcall('ZMSCORE', S, ...)
	local numbers = {}
	for i = 1, select('#', ...) do
		numbers[i] = not scores.err and scores[i] and -tonumber(scores[i]) or 0
	end
	return unpack(numbers)
end

-- What became of a share that is not held any more, as far as fences tell: nobody has had the lock
-- exclusively since, if the fence is the share's, or that of a later share of the same era.
local function verdict(value, text, wanted)
	local number, holder = parse(text)
	if not text then
		return 4
	end
	if value and not string.find(value, '^[+-]') or not value and redis.call('EXISTS', L) == 1 then
		return 3
	end
	if holder == wanted then
		return 2
	end
	local newest, oldest = from_set('F', 'E')
	local fence = tonumber(string.match(wanted, '^%d+'))
	return number > 0 and newest == number and fence >= oldest and 2 or 3
end

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
