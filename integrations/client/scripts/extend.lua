local L, F, V = unpack(KEYS)
local token, fence, lease, limit, how, value, grace = unpack(ARGV)
local v = F and redis.call('MGET', L, F) or redis.call('MGET', L)
local held, last = v[1], v[2]
local anew = how == 'anew'
local function behind()
local refusal = redis.pcall('PEXPIRE', KEYS[1], 'no number')
return string.find(refusal.err, '^READONLY') and refusal
end
local function begins(with)
return held and string.sub(held, 1, #with) == with
end
local function is_next()
return last == string.format('%.0f', fence + 1)
end
local successor = anew and value and string.match(value, '^rlock1:%x+:') or token
local done = anew and is_next()
if anew and last and begins(successor) and (successor ~= token or done) then
return behind() or {2, tonumber(last), redis.call('PTTL', L)}
end
local gone = not held and redis.call('EXISTS', L) == 0
local ours = begins(token) and (not last or last == fence or fence == '0')
local again = how == 'again' and gone and last == fence
if not ours and not again then
if done and gone then
return behind() or {2, tonumber(last), -2}
end
local name = how == 'longer' and string.match(token, '^rlock1@%x+:')
local kept = last == fence and (begins('-~') or held == '+shared')
if name and (begins(name) or is_next() or kept) then
return behind() or {5}
end
return behind() or {not last and 4 or gone and last == fence and 2 or 3}
end
local time = (again or anew) and redis.pcall('TIME') or {err = ''}
local now = time.err and 0 or time[1] * 1000000 + time[2]
if limit ~= '0' and now > tonumber(limit) then
return {err = string.format('LATE %.0f', now)}
end
local left = redis.call('PTTL', L)
if anew then
left = lease == '0' and (left == 0 and 1 or left) or tonumber(lease)
elseif left ~= -1 then
left = math.max(left, tonumber(lease))
end
local keep = left + (grace or 3600000)
local number = tonumber(last or fence)
if lease == '0' and not anew then
return behind() or {1, number, redis.call('PTTL', L)}
end
if anew then
number = fence ~= '0' and number + 1 or math.max(number < 2 ^ 53 and number + 2 or 2, last and 0 or now)
end
local kept = F and redis.call('PEXPIRE', F, keep) == 1
if again then
redis.call('SET', L, value, 'PX', left)
return {2, number, left}
end
if left > 0 then
redis.call('PEXPIRE', L, left)
end
local life = V and redis.call('PTTL', V) or -1
if left > 0 and life >= 0 and life < left then
redis.call('PEXPIRE', V, left)
end
if F and (anew or not kept and number > 0) then
redis.pcall('SET', F, number, 'PX', keep)
end
if anew and value and value ~= '' then
local text = value .. string.match(held, '^[^:]*:[^:]*:[^:]*:[^:]*(.*)$')
redis.pcall('SET', L, text, unpack(left > 0 and {'PX', left} or {'KEEPTTL'}))
end
return {1, number, left}
