local function behind()
local refusal = redis.pcall('PEXPIRE', KEYS[1], 'no number')
return string.find(refusal.err, '^READONLY') and refusal
end
local L, F, W, Q = unpack(KEYS)
local stale = behind()
if stale then
return stale
end
local left, value = redis.call('PTTL', L), redis.pcall('GETRANGE', L, 0, 69999)
if type(value) == 'table' and not string.find(value.err, 'WRONGTYPE') then
return value
end
if left == -2 or type(value) == 'table' then
value = false
elseif string.sub(value, 1, 1) == '~' and redis.pcall('LINDEX', Q, 0) == value then
value, left = false, -2
end
local v = redis.call('MGET', F, W)
return {value, left, v[1], v[2] and 1 or 0}
