-- sharers: who has shares. Changes nothing.
--
-- KEYS  as enter, which describes them
-- ->    {waiting, token, left_ms, record, token, left_ms, record, ...}: those that end first come first
--       waiting  1 if somebody may be waiting, else 0
--       token    '-': a cooldown, and record tells who has left it
--       record   'FENCE:HOST:PID...'
--       {}       the lock is not held shared

-- include parts/behind.lua
local stale = behind()
if stale then
	return stale
end
-- include parts/shares.lua
if not shared then
	return {}
end
local answer = {(waits or turn) and 1 or 0}
local shares = redis.call('ZRANGE', S, now, '+inf', 'BYSCORE', 'WITHSCORES')
for i = 1, #shares, 2 do
	local at, record = #answer, redis.call('HGET', H, shares[i]) or '0:'
	answer[at + 1], answer[at + 2], answer[at + 3] = shares[i], shares[i + 1] - now, record
end
return answer
