-- inspect: who holds the lock. It changes nothing, and raises for no type of value.
--
-- KEYS   1 L   2 fence   3 waiting   4 wake
-- Answer {value, left_ms, fence, waiting}
--        value    what L holds, at most its first 70,000 bytes; nil if L is free or not a string
--        left_ms  how long L lives; -2: it is free; -1: it never expires
--        fence    of the last grant; nil if there is none
--        waiting  1 if somebody may be waiting, else 0
--
-- A replica may be behind its master, so it answers with the error READONLY, as to a write.

local L, F, W, Q = unpack(KEYS)
local popped = redis.pcall('LPOP', F) -- the fence is never a list, so this removes nothing
if type(popped) == 'table' and string.find(popped.err, '^READONLY') then
	return popped
end

local left, value = redis.call('PTTL', L), redis.pcall('GETRANGE', L, 0, 69999)
if left == -2 or type(value) == 'table' then
	value = false -- nil would end the answer's array
elseif string.sub(value, 1, 1) == '~' and redis.pcall('LINDEX', Q, 0) == value then
	value, left = false, -2 -- a baton that reached nobody: the next that asks takes the lock
end
local v = redis.call('MGET', F, W)
return {value, left, v[1], v[2] and 1 or 0}
