-- replace: put one token in the place of another. The grant stays the same, and so does its fence.
--
-- KEYS   1 L   2 fence
-- ARGV   1 old token
--        2 new token
--        3 lease_ms; 0: keep what is left
--        4 grace_ms: how much longer than the lease the fence is kept
--        5 adopt: '1' if whoever uses the old token must learn that it lost the lock
--        6 fence: the grant's, as text; '0' if the caller does not know it
-- Answer {1, fence, left_ms}  L holds the new token; -1: for ever, somebody took its expiry away
--        {2} L is gone, and nobody took it   {3} L is another's, or was since
--        {4} the fence is gone, so it cannot be told
--
-- A release compares the fence as text. An adopted grant's is written with one more zero in
-- front: the same number, but no longer the text that the former user knows.

local function whole(number)
	return string.format('%.0f', number)
end

local v = redis.call('MGET', KEYS[1], KEYS[2]) -- another type reads as none
local value, fence = v[1], v[2]

if value ~= ARGV[1] and value ~= ARGV[2] then
	if not fence then
		return {4}
	end
	if fence == ARGV[6] and redis.call('EXISTS', KEYS[1]) == 0 then
		return {2}
	end
	return {3}
end

local left = tonumber(ARGV[3])
if left == 0 then
	left = redis.call('PTTL', KEYS[1])
end
-- The fence first: full memory refuses a script's first write, but not a PEXPIRE.
local keep = whole(math.max(left + ARGV[4], redis.call('PTTL', KEYS[2])))
redis.call('PEXPIRE', KEYS[2], keep)
if value ~= ARGV[2] then
	if ARGV[3] == '0' then
		redis.call('SET', KEYS[1], ARGV[2], 'KEEPTTL')
	else
		redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
	end
	if not (fence and string.find(fence, '^%d+$')) then
		local time = redis.pcall('TIME')
		fence = ARGV[6] ~= '0' and ARGV[6] or whole(time.err and 1 or time[1] * 1000000 + time[2])
	end
	if ARGV[5] == '1' then
		fence = '0' .. (#fence < 40 and fence or whole(tonumber(fence)))
	end
	redis.pcall('SET', KEYS[2], fence, 'PX', keep)
end
return {1, fence or '0', left}
