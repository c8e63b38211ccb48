-- extend: a longer lease, or a new grant of a lock that is held, to the same holder or to another.
--
-- KEYS   1 L   2 fence; or, for longer, L alone while its cluster slot moves; 4: it is not the caller's
-- ARGV   1 token: what L must begin with
--        2 fence: the grant's, as it was answered; 0: any, to adopt a lock
--        3 lease_ms; anew: 0 keeps what is left
--        4 until: as acquire; for longer it is not looked at
--        5 how: 'longer'  the lease becomes the longer of what is left and lease_ms
--               'again'   the same; or, if L is gone and nobody was granted it since, L is set anew
--               'anew'    a new grant: the lease becomes lease_ms, also if shorter; the fence rises
--        6 value: again: what L is to hold. anew: 'rlock1:RANDOM:HOST:PID' of the new holder, which
--          gets the metadata; or missing: the holder stays
-- Answer {1, fence, left_ms}  the lock is the caller's, for left_ms from now; -1: it never expires
--        {2, fence, left_ms}  again: it had ended, and was set anew
--        {2}, {3}, {4}        as release
--        error LATE clock     as acquire
--
-- However late it comes, a longer lease does no harm, and a new grant is made once, since it changes
-- the fence that it asks for: by 1, which nothing else does, so that a repetition is recognized.

local L, F = KEYS[1], KEYS[2]
local token, fence, lease, limit, how, value = unpack(ARGV)
local v = redis.call('MGET', unpack(KEYS)) -- a key of another type reads as missing
local held, last = v[1], v[2]
local anew = how == 'anew'

local function begins(with)
	return held and string.sub(held, 1, #with) == with
end

local successor = anew and value and string.match(value, '^rlock1:%x+:') or token
local done = anew and last == string.format('%.0f', fence + 1)
if anew and last and begins(successor) and (successor ~= token or done) then
	return {1, tonumber(last), redis.call('PTTL', L)} -- this request has come twice
end

local gone = not held and redis.call('EXISTS', L) == 0
local ours = begins(token) and (not last or last == fence or anew and fence == '0')
local again = how == 'again' and gone and last == fence
if not ours and not again then
	-- A replica may be behind its master, so it answers with the error READONLY. F is never a list.
	local popped = F and redis.pcall('LPOP', F)
	if type(popped) == 'table' and string.find(popped.err, '^READONLY') then
		return popped
	end
	return {not last and 4 or gone and (last == fence or done) and 2 or 3}
end

local time = (again or anew) and redis.pcall('TIME') or {err = ''}
local now = time.err and 0 or time[1] * 1000000 + time[2]
if limit ~= '0' and now > tonumber(limit) then
	return {err = string.format('LATE %.0f', now)}
end

local left = redis.call('PTTL', L)
if anew then
	left = lease == '0' and left or tonumber(lease)
else
	left = math.max(left, tonumber(lease))
end
local keep, life = string.format('%.0f', left + 3600000), string.format('%.0f', left)

local number = tonumber(last or fence) -- a fence that was evicted is put back
if anew then
	number = fence ~= '0' and number + 1 or math.max(number + 2, last and 0 or now)
end
-- The first write is one that full memory allows; after it nothing raises.
local kept = F and redis.call('PEXPIRE', F, keep) == 1
if again then
	redis.call('SET', L, value, 'PX', life)
	return {2, number, left}
end
if left > 0 then
	redis.call('PEXPIRE', L, life)
end
if F and (anew or not kept) then
	redis.pcall('SET', F, string.format('%.0f', number), 'PX', keep)
end
if anew and value then
	redis.pcall('SET', L, value .. string.match(held, '^[^:]*:[^:]*:[^:]*:[^:]*(.*)$'), 'KEEPTTL')
end
return {1, number, left}
