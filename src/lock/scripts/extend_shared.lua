-- extend_shared: begin the lease of a share anew from now, longer or shorter.
--
-- KEYS   1 L   2 fence   3 shares, as enter describes it
-- ARGV   as extend, and
--        8 limit: the share's own, for again; 0: none
-- Answer as extend. With again, also 3 if the limit is reached or a delay runs
--
-- A late copy finds its serial in the set: for as long as the share lasts, and for a minute after it.

local L, F, S = unpack(KEYS)
local token, lease, grace, serial = ARGV[1], tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local own = string.match(token, '^[^:]*:[^:]*:[^:]*:(%x+)')

-- include parts/whole.lua
-- include parts/fence.lua
-- include parts/share_verdict.lua

local time = redis.call('TIME')
local clock = time[1] * 1000000 + time[2]
local now = math.floor(clock / 1000)
local v = redis.call('MGET', L, F) -- a key of another type reads as missing
local value, text = v[1], v[2]
local number, _, _, closed = parse(text)
local ends, fence, last = from_set(token, 'f' .. own, 's' .. own)
local wanted = tonumber(string.match(ARGV[2], '^%d+'))
local ours = value == '+shared' and -ends > now

-- Under another fence, a late copy of the request that took this share has taken it again.
if ours and fence > 0 and wanted > 0 and fence ~= wanted then
	return 3
end
if ours and serial <= last then
	return 1
end
local begins = not ours
if begins then
	local answer = verdict(value, text, ARGV[2])
	if answer ~= 2 or ARGV[6] ~= '1' then
		return answer
	end
	if serial <= last or string.find(closed, own, 1, true) then
		return 3 -- this copy has already run, or a release has closed its token
	end
	if ARGV[7] ~= '0' and clock > tonumber(ARGV[7]) then
		return {err = 'LATE ' .. whole(clock)}
	end
	local delayed, era = from_set('-', 'E')
	local limit = tonumber(ARGV[8] or 0)
	if value and value ~= '+shared' or -delayed > now or era == 0 then
		return 3
	end
	if value and limit > 0 and redis.call('ZCOUNT', S, '(' .. whole(now), '+inf') >= limit then
		return 3
	end
elseif ARGV[6] == '2' then
	lease = math.max(lease, -ends - now)
end

-- The fence's expiry only moves later, and this first write needs no memory.
local most = value and tonumber(redis.call('ZRANGE', S, -1, -1, 'WITHSCORES')[2]) or 0
local keep = math.max(lease, most - now) + grace
redis.call('PEXPIRE', F, whole(math.max(keep, redis.call('PTTL', F))))
if begins and not value then
	redis.call('ZREMRANGEBYSCORE', S, '(' .. whole(now), '+inf') -- L was deleted
	redis.call('SET', L, '+shared', 'PX', ARGV[3])
end
redis.call('ZADD', S, whole(now + lease), token, whole(-wanted), 'f' .. own, whole(-serial), 's' .. own)
most = tonumber(redis.call('ZRANGE', S, -1, -1, 'WITHSCORES')[2])
redis.call('PEXPIREAT', L, whole(most))
redis.call('PEXPIREAT', S, whole(most + grace))
if number == 0 then
	redis.pcall('SET', F, whole(math.max(wanted, from_set('F'))), 'PX', whole(keep)) -- it was evicted: put it back
end
return begins and 2 or 1
