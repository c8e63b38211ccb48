-- leave: give back a share, or an exclusive grant for which enter was used; or stop waiting at the
-- turnstile.
--
-- KEYS   as enter, where the shares' set and the turnstile are described
-- ARGV   1 to 7 as release. The token may also be a ticket, '=NAME', that a waiter does not need any more
--        8 until: the last microsecond, by this server's clock, in which this may run, if the share is
--          another's, which is broken; 0 or missing: any
-- Answer 1 freed, or the waiter is gone from the turnstile
--        5 the same, and a waiter was told that it comes next
--        2 late: the share has ended, and nobody has had the lock exclusively since
--        3 lost: another client has or had it exclusively, or the share was broken
--        4 unknown, because the fence is gone; counts as lost
--        error LATE  the request came after until, and nothing was done. The server's clock follows
--
-- Without contention it runs four commands: MGET, ZRANGE, ZREM, DEL. As in release, the first write needs
-- no memory, and after it nothing raises.

local L, F, W, Q, S, T, R = unpack(KEYS)
local token = ARGV[1]
local own = string.match(token, '^[^:]*:[^:]*:[^:]*:(%x+)') or ''

-- The common case, in few steps: the only share, and nobody waits. In the set, no other share's end comes before it,
-- nor a delay's. No scores are asked for, and numbers are text: to make one of the other takes Redis long.
local v = redis.call('MGET', L, W, T) -- a key of another type reads as missing
local value, waiting, turnstile = v[1], v[2], v[3]
if value == '+shared' and not waiting and not turnstile and not ARGV[6] then
	local last = redis.call('ZRANGE', S, '-2', '-1')
	if last[2] == token and string.find(last[1], '^[EFfs]') then
		redis.call('ZREM', S, token, 'f' .. own, 's' .. own)
		redis.call('DEL', L)
		return 1
	end
end

local name, window, keep_ms = ARGV[3] or '~' .. own, ARGV[4] or '1000', ARGV[5] or '3601000'
local delay = tonumber(ARGV[6] or 0)

-- include parts/whole.lua
-- include parts/fence.lua
-- include parts/print_fence.lua
-- include parts/close.lua
-- include parts/share_verdict.lua

if ARGV[8] and ARGV[8] ~= '0' then
	local time = redis.call('TIME')
	local clock = time[1] * 1000000 + time[2]
	if clock > tonumber(ARGV[8]) then
		return {err = 'LATE ' .. whole(clock)}
	end
end

local need = turnstile and tonumber(string.match(turnstile, '^(%d+):'))

-- Whether L begins with this text. What follows may be metadata, which can hold anything.
local function begins(with)
	return value and string.sub(value, 1, #with) == with
end

-- include parts/done.lua
-- include parts/push.lua

-- The first waiter is to ask, and is known by its token. Until then nobody takes its place.
local function nudge()
	if redis.call('PTTL', T) < tonumber(window) then
		redis.call('PEXPIRE', T, window)
	end
	push(R, '1', window)
	return 5
end

-- Passing the lock on is a grant, so the fence rises as in release. False: it was not possible.
local function pass_baton()
	redis.call('PEXPIRE', L, window)
	local time = redis.pcall('TIME')
	local clock = time.err and 0 or time[1] * 1000000 + time[2]
	local last, _, _, closed = parse(redis.call('MGET', F)[1])
	local fence = math.max(last + 1, clock)
	local keep = tonumber(keep_ms)
	if clock > 0 then
		keep = keep + math.ceil((fence - clock) / 1000)
	end
	local baton = name .. ':' .. whole(fence)
	return done('SET', F, print_fence(whole(fence), 0, closed), 'PX', whole(keep))
		and done('SET', L, baton, 'PX', window)
		and push(Q, baton, window)
end

-- Nobody holds the lock, and for this long nobody may take it but whom the text admits.
local function reserve(text, life_ms)
	redis.call('PEXPIRE', L, life_ms)
	redis.pcall('SET', L, text, 'PX', life_ms)
end

-- Nobody holds the lock any more: it goes to the first waiter, to the one that has a ticket, or as by release.
local function hand_over()
	if need then
		reserve('+kept', window)
		return nudge()
	end
	if turnstile and redis.pcall('LINDEX', Q, 0) ~= turnstile then
		reserve('+kept', whole(math.max(1, redis.call('PTTL', T))))
		return 5
	end
	if turnstile then
		-- The ticket has reached nobody. A waiter that is about to park gets a baton.
		redis.call('DEL', T, Q)
	end
	if waiting and pass_baton() then
		return 5
	end
	redis.call('DEL', L)
	return 1
end

-- The turnstile is open: the waiter that has been parked longest is to ask next.
local function pass_ticket()
	local time = redis.call('TIME')
	local ticket = '=' .. whole(time[1] * 1000000 + time[2]) .. ':' .. string.sub(name, 2)
	redis.call('DEL', T)
	if waiting and push(Q, ticket, window) then
		redis.pcall('SET', T, ticket, 'PX', window)
		return 5
	end
	return 1
end

-- The cooldown that this release leaves: its name, and who had the lock.
local function cooldown()
	return '-' .. name .. (string.gsub(token, '^[^:]*(:[^:]*:[^:]*):%x+', '%1'))
end

-- Nobody may take L until this cooldown is over. One waiter is told to ask, as by release, and learns until when that is.
local function cool(text, life)
	reserve(text, whole(life))
	redis.pcall('PEXPIRE', F, whole(math.max(life + keep_ms, redis.call('PTTL', F))))
	if waiting or need then
		push(need and R or Q, '-', whole(life))
	end
	if turnstile then
		redis.call('DEL', T)
	end
	return 1
end

-- What follows when a share was given back with a delay, or beside others.
local function go_on(now)
	local cooling = tonumber(redis.call('ZSCORE', S, '-') or 0)
	if delay > 0 and now + delay > cooling then
		cooling = now + delay
		redis.pcall('ZREMRANGEBYSCORE', S, '-0.5', '-0.5')
		redis.pcall('ZADD', S, whole(cooling), '-', '-0.5', 'c' .. cooldown())
	end
	local held = redis.call('ZCOUNT', S, '(' .. whole(now), '+inf') - (cooling > now and 1 or 0)
	if held > 0 then
		-- The one that was given back may have been the one that lasted longest.
		local most = tonumber(redis.call('ZRANGE', S, -1, -1, 'WITHSCORES')[2])
		redis.call('PEXPIREAT', L, whole(most))
		redis.pcall('PEXPIREAT', S, whole(most + keep_ms))
		return need and held < need and cooling <= now and nudge() or 1
	end
	if cooling <= now then
		return hand_over()
	end
	local text = redis.call('ZRANGE', S, '-0.5', '-0.5', 'BYSCORE')[1]
	return cool(text and string.sub(text, 2) or cooldown(), cooling - now)
end

local cooling = '-' .. name
local twice = begins(name .. ':') or value == cooling or begins(cooling .. ':')
local text = ARGV[7] and redis.call('MGET', F)[1]
if ARGV[7] and not twice then
	close(F, text, own, keep_ms)
end

if value == token then
	-- Exclusive. Under another fence, a late copy of the request that took L has taken it again.
	local number, holder = parse(text)
	local answer = delay > 0 and cool(cooldown(), delay) or hand_over()
	return ARGV[2] ~= '0' and number > 0 and holder ~= ARGV[2] and 3 or answer
end

if value == '+shared' then
	local time = redis.call('TIME')
	local now = time[1] * 1000 + math.floor(time[2] / 1000)
	local held = redis.call('ZRANGE', S, '(' .. whole(now), '+inf', 'BYSCORE', 'LIMIT', 0, 2)
	local alone = #held == 1 and held[1] == token
	local ends = alone or redis.call('ZSCORE', S, token)
	if alone or (ends and tonumber(ends) > now) then
		local fence, wanted = ARGV[7] and from_set('f' .. own) or 0, tonumber(string.match(ARGV[2], '^%d+'))
		redis.call('ZREM', S, token, 'f' .. own, 's' .. own)
		local answer = alone and delay == 0 and hand_over() or go_on(now)
		return fence > 0 and wanted > 0 and fence ~= wanted and 3 or answer
	end
end

if turnstile and (turnstile == token or need and string.match(turnstile, '^%d+:(.*)$') == token) then
	-- The caller was the first waiter, or was to be. The next one is that now.
	if value == '+shared' then
		return pass_ticket()
	end
	redis.call('DEL', T)
	turnstile, need = nil, nil
	return value == '+kept' and hand_over() or 1
end

return twice and 1 or verdict(value, redis.call('MGET', F)[1], ARGV[2])
