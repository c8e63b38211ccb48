local L, F, W, Q = unpack(KEYS)
local token, fence, baton, delay, limit = unpack(ARGV)
local v = F and redis.call('MGET', L, F, W) or redis.call('MGET', L)
local held, last, waiting = v[1], v[2], v[3]
local raises = last == fence and string.sub(token, 7, 7) == '@' and delay == '0'
if held and not waiting and delay == '0' and not limit and (last == fence or not last)
and string.sub(held, 1, #token) == token then
redis.call('DEL', L)
if raises then
redis.pcall('SET', F, string.format('%.0f', fence + 1), 'KEEPTTL')
end
return 1
end
local function behind()
local refusal = redis.pcall('PEXPIRE', KEYS[1], 'no number')
return string.find(refusal.err, '^READONLY') and refusal
end
local function begins(with)
return held and string.sub(held, 1, #with) == with
end
local known = not last or fence == '0' or fence == last
local ours = known and begins(token)
if limit then
local time = redis.pcall('TIME')
if not time.err and limit ~= '0' and time[1] * 1000000 + time[2] > tonumber(limit) then
return {err = string.format('LATE %.0f', time[1] * 1000000 + time[2])}
end
local seen = held and string.sub(held, 1, 70000) or redis.call('EXISTS', L) == 1 and ''
ours = known and seen == token
end
if not ours then
local gone = not held and redis.call('EXISTS', L) == 0
local broken = limit and gone and last == string.format('%.0f', fence + 2)
if begins(baton) or begins('-' .. baton) or broken then
return 1
end
return behind() or not last and 4 or gone and last == fence and 2 or 3
end
redis.call('PEXPIRE', L, delay == '0' and 1000 or delay)
if limit and last then
redis.pcall('SET', F, (tonumber(last) or 0) + 2, 'KEEPTTL')
elseif raises then
redis.pcall('SET', F, string.format('%.0f', fence + 1), 'KEEPTTL')
end
local function push(what, life)
redis.pcall('DEL', Q)
local length = redis.pcall('RPUSH', Q, what)
redis.pcall('PEXPIRE', Q, life)
return length == 1
end
if delay ~= '0' then
local who = string.match(held or '', '^rlock1@?%x*:%x+:(.*)$') or ''
redis.pcall('SET', L, '-' .. baton .. ':' .. who, 'PX', delay)
if waiting then
push('-', delay)
end
return 1
end
local doubt = waiting == '~' and string.sub(token, 1, 1) ~= '~'
if waiting and not doubt and baton ~= '' and not redis.pcall('SET', L, baton, 'PX', 1000).err then
redis.pcall('SET', W, '~', 'XX', 'KEEPTTL')
if push(baton, 1000) then
return 1
end
end
redis.call('DEL', L)
if waiting then
push('-', 1000)
end
return 1
