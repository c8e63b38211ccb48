-- sharers: who holds shares.
--
-- KEYS   1 L   2 fence   3 waiting   4 turnstile   5 shares, as enter describes it
-- Answer {waiting, token, left_ms, fence, token, left_ms, fence, ...}: those that end first come first
--        waiting  1 if somebody is known to wait, else 0
--        {} if the lock is not held shared
--
-- It changes nothing. As inspect, it is not answered by a replica.

local S = KEYS[5]
local popped = redis.pcall('LPOP', KEYS[2]) -- the fence is never a list, so this removes nothing
if type(popped) == 'table' and string.find(popped.err, '^READONLY') then
	return popped
end
if redis.pcall('GETRANGE', KEYS[1], 0, 64) ~= '+shared' then
	return {}
end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local v = redis.call('MGET', KEYS[3], KEYS[4])
local answer = {(v[1] or v[2]) and 1 or 0}
local shares = redis.call('ZRANGE', S, string.format('(%.0f', now), '+inf', 'BYSCORE', 'WITHSCORES')
for i = 1, #shares, 2 do
	local own = string.match(shares[i], '^[^:]*:[^:]*:[^:]*:(%x+)')
	if own then
		local fence = -tonumber(redis.call('ZSCORE', S, 'f' .. own) or 0)
		local at = #answer
		answer[at + 1], answer[at + 2], answer[at + 3] = shares[i], tonumber(shares[i + 1]) - now, fence
	end
end
return answer
