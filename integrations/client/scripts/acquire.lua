local L, F, W, Q = unpack(KEYS)
local value, lease, limit, flag, heard = unpack(ARGV)
local grace = ARGV[6] or 3600000
local time = redis.pcall('TIME')
local clock = time.err and '0' or time[1] .. string.sub('00000' .. time[2], -6)
local now = clock + 0
if limit ~= '0' and now > limit + 0 then
return {err = 'LATE ' .. clock}
end
local called, taken, full
if heard then
redis.pcall('LPOP', Q, '0')
redis.pcall('SET', W, '', 'XX', 'KEEPTTL')
called = string.sub(heard, 1, 1) == '~' and redis.call('MGET', L)[1] == heard
end
if not called then
taken = redis.pcall('SET', L, value, 'NX', 'PX', lease)
if taken and taken.err then
if not string.find(taken.err, 'OOM') then
return taken
end
full, taken = taken, false
end
end
if not called and not taken then
local held = redis.pcall('GETRANGE', L, '0', '599')
if type(held) == 'table' and not string.find(held.err, 'WRONGTYPE') then
return held
end
held = type(held) == 'string' and held or ''
if held == '+shared' then
return {0, redis.call('PTTL', L), 1}
end
local token, random = string.match(value, '^(rlock1:%x+:)'), ''
if not token then
token, random = string.match(value, '^(rlock1@%x+:)(%x+:)')
end
if string.sub(held, 1, #token) == token then
lease = math.max(lease, redis.call('PTTL', L))
redis.call('PEXPIRE', L, lease)
local fence = random == '' and redis.call('MGET', F)[1]
if fence then
redis.call('PEXPIRE', F, lease + grace)
return {tonumber(fence), lease}
end
if string.sub(held, #token + 1, #token + #random) ~= random then
redis.call('SETRANGE', L, #token, string.rep('0', #random - 1))
redis.call('PEXPIRE', L, lease)
end
else
local lying = redis.pcall('LPOP', Q)
if lying ~= held or string.sub(held, 1, 1) ~= '~' then
local short = flag ~= '0' and redis.call('PTTL', W) < tonumber(flag)
if short and redis.call('PEXPIRE', W, flag) == 0 then
redis.pcall('SET', W, '', 'PX', flag)
end
if full and redis.call('EXISTS', L) == 0 then
return full
end
return {0, redis.call('PTTL', L)}
end
called = true
end
end
if called then
redis.call('SET', L, value, 'PX', lease)
if not heard then
redis.pcall('SET', W, '', 'XX', 'KEEPTTL')
end
end
local fence, keep = now, lease + grace
local last = redis.pcall('SET', F, clock, 'PX', keep, 'GET')
local least = type(last) == 'string' and (tonumber(last) or 0) + 2 or 2
if not (least < 2 ^ 53) then
least = 2
end
if least > now or type(last) == 'table' then
fence = math.max(least, now)
redis.pcall('SET', F, fence, 'PX', keep)
end
return now > 0 and lease == ARGV[2] and fence or {fence, lease + 0}
