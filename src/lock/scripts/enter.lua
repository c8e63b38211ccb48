-- enter: take a share; or wait, for a share or exclusively, while the lock is held shared.
--
-- KEYS  1 L  2 fence  3 shares  4 record  5 waiting  6 wake  7 turnstile  8 room
-- ARGV  1 value: as acquire
--       2 lease_ms
--       3 until: the last microsecond, by this server's clock, in which this may run; 0: any
--       4 flag_ms: the caller waits, and releases must know that for this long; 0: it does not, or not any more
--       5 want: 'x': the lock exclusively; N: a share, if fewer than N are held; 0: a share
--       6 pass: what a list has brought; or the fence of the caller's share that has ended, which it takes
--         back if nobody has had the lock exclusively since; or missing
-- ->    {fence, left_ms}     the caller has a share, for left_ms from now; or the lock, if it wants that
--       {fence, left_ms, 1}  the caller's token has the lock exclusively already
--       {0, left_ms, 0}      it is taken: a waiter parks on the wake list. left_ms: when that may change by itself
--       {0, left_ms, 1}      it is taken, and the caller is first: it parks on the room, and asks each second
--       {0, left_ms, 2}      the caller itself has a share: it can but upgrade that
--       error LATE clock     the request came after until. Nothing was done
--
-- L        '+shared', as long as the longest share lasts, or the cooldown after it
-- shares   a sorted set, which counts only while L is that: TOKEN -> its end, in ms; '-' -> the cooldown's end
-- record   a hash: TOKEN -> 'FENCE:HOST:PID...'; '-' -> who has left the cooldown; LAST -> the last share's fence;
--          ERA -> the fence of the first share since the lock was exclusive. LAST tells whether that still holds
-- turnstile  who has the right of way: '~...', a ticket that the wake list brings or has brought; or 'N:TOKEN', the
--          waiter that is parked on the room until fewer than N shares are held. It counts only while L is '+shared'
-- The wake list brings '~...': a baton, if L holds it; a ticket, if the turnstile does. The room: a baton, or '+': ask.

local value, lease, latest, flag, want, pass = unpack(ARGV)
local token = string.match(value, '^rlock1[:@]%x+:')
local exclusive, limit, lease, flag = want == 'x', tonumber(want) or 0, tonumber(lease), tonumber(flag)

-- include parts/shares.lua
-- include parts/queue.lua
-- include parts/again.lua
if latest ~= '0' and clock > tonumber(latest) then
	return redis.error_reply('LATE ' .. whole(clock))
end

local first, back = waiter == token, tonumber(pass)
if back and verdict(back) ~= 2 then
	return {0, 0, 0}
end

if pass then
	redis.pcall('LPOP', Q, '0') -- takes nothing, but after a write that full memory allows it allows all
	redis.pcall('SET', W, '', 'XX', 'KEEPTTL') -- a waiter that was told is alive (see release)
end
-- So while memory is full, nobody enters without a pass.
local marker, taken, full = exclusive and value or '+shared', false, false
local called = pass and held ~= '' and (pass == held or pass == turn or pass == '+' and first)
if not called then
	taken = redis.pcall('SET', L, marker, 'NX', 'PX', lease)
	if taken and taken.err then
		if not string.find(taken.err, 'OOM') then
			return taken
		end
		full, taken = taken, false
	end
end

-- alone: nobody else has a share, and these are the record's other fields.
local function grant(fence, ends, ...)
	local last, at, alone = whole(fence), whole(ends), ...
	local noted = redis.pcall('HSET', H, token, last .. ':' .. who_is(value), 'LAST', last, ...)
	if type(noted) == 'table' then
		return noted
	end
	redis.call('ZADD', S, at, token)
	settle(last, alone and at)
	return {fence, ends - now}
end

local function raise_flag()
	if flag > 0 and redis.call('PTTL', W) < flag then
		redis.call('SET', W, '', 'PX', flag) -- never taken down: it is the other waiters', too
	end
end

if not shared and not taken and excludes(token) then
	local fence, left = again(lease)
	return {fence, left, 1}
end

if not shared and not taken then
	local lying = redis.pcall('LPOP', Q) -- it reached nobody, so nobody is parked there
	if not (string.sub(held, 1, 1) == '~' and (called or lying == held or first and redis.pcall('LPOP', R) == held)) then
		raise_flag()
		if full and held == '' then
			return full
		end
		redis.call('DEL', first and T or Q)
		return {0, redis.call('PTTL', L), 0}
	end
	redis.call('SET', L, marker, 'PX', lease)
	if not pass then
		redis.pcall('SET', W, '', 'XX', 'KEEPTTL')
	end
end

if not shared then
	-- The caller is alone. If the last grant of all was a share, its era goes on.
	local fence = raise()
	if need and not first then
		push(R, '+', WINDOW) -- a first waiter is not first any more: it must not stay in the room
	end
	if exclusive then
		redis.call('DEL', T)
		redis.call('SET', F, fence, 'PX', lease + GRACE)
		return {fence, lease}
	end
	local era = redis.pcall('HMGET', H, 'LAST', 'ERA')
	redis.call('DEL', T, S, H)
	local answer = grant(fence, now + lease, 'ERA', last and era[1] == last and era[2] or fence)
	if answer.err then
		redis.call('DEL', L) -- this user may not share: the lock must not stay taken by nobody
	else
		pass_on()
	end
	return answer
end

local ends, own = alive(token)
if ends and exclusive then
	return {0, ends - now, 2}
elseif ends then
	ends = math.max(ends, now + lease)
	-- A new grant, if a name has the share, since a release may be on its way; or if this server has forgotten
	-- the last one, since a fence never falls.
	if string.sub(token, 7, 7) == '@' or back and tonumber(own) < back then
		return grant(raise(), ends)
	end
	redis.call('ZADD', S, ends, token) -- this request has come twice
	settle(last)
	return {tonumber(own), ends - now}
end

local lying = turn and redis.pcall('LPOP', Q) -- as above
local right = not turn or called or first or lying == turn
local cooling = redis.call('ZSCORE', S, '-')
local count = redis.call('ZCARD', S) - (cooling and 1 or 0)
-- If the set is empty, it was evicted: nobody enters until L ends.
if (right or back) and not exclusive and not cooling and not full and count > 0 and (limit == 0 or count < limit) then
	local answer = grant(raise(), now + lease)
	if right then
		pass_on()
	end
	return answer
end

raise_flag()
if right and flag > 0 then
	redis.call('SET', T, (exclusive and 1 or math.max(1, limit)) .. ':' .. token, 'PX', math.min(flag, 2500))
	redis.call('DEL', R) -- what it was told before this request is known by now
elseif right and turn then
	pass_on()
end
local left = redis.call('PTTL', L)
if limit > 0 and not cooling and count > 0 then
	left = redis.call('ZRANGE', S, '0', '0', 'WITHSCORES')[2] - now
end
return {0, left, flag > 0 and right and 1 or 0}
