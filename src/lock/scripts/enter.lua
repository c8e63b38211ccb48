-- enter: take a share; or wait, for a share or exclusively, while the lock is held shared.
--
-- KEYS   1 L   2 fence   3 waiting   4 wake   5 shares   6 turnstile   7 room
-- ARGV   1 token
--        2 lease_ms
--        3 keep_ms: for how long the fence is kept: the lease and the grace
--        4 until: the last microsecond, by this server's clock, in which this may run; 0: any
--        5 flag_ms: as acquire; 0 or missing: the caller only asks, or asks for the last time
--        6 want: 'x': the lock exclusively; N: a share, if fewer than N are held; 0 or missing: a share
--        7 window_ms: how long a ticket waits for its waiter; missing: 1000
--        8 pass: what the wake list has brought, a baton or a ticket; or missing
-- Answer fence, an integer from 1: granted, for the lease from now
--        {0, left_ms, 0}  taken: a waiter parks on the wake list
--        2 in place of that 0: as acquire
--        {0, left_ms, 1}  taken, and the caller is first: it parks on the room
--        {2}              the pass is not valid any more, and nothing was done
--        error LATE       the request came after until, or after a release that has closed its token.
--                         Nothing was done. The server's clock follows
--
-- Shares, a sorted set, which is true only while L holds '+shared':
--   token      when this share ends, in ms by the server's clock
--   f..RANDOM  minus its fence             s..RANDOM  minus the serial of its last extend; missing: 0
--   F, E       minus the last share's fence; minus the first fence since the lock was last exclusive
--   -          until when nobody may enter, since a share was given back with a delay
--   c..VALUE   -0.5: the cooldown that this is: it tells who gave the share back
--   U          minus the fence of a grant that was a share before it became exclusive
-- A share that has ended stays for a minute, so that late copies of its requests find its serial.
-- '+kept' in L: nobody holds the lock, and it is kept for the waiter that the turnstile names.
-- Turnstile: 'N:TOKEN', the first waiter, which may enter as soon as fewer than N shares are held
-- (1: none); or '=NAME', a ticket that the wake list has or has brought to somebody.
--
-- Without contention it runs eight commands: TIME, SET, MGET, ZSCORE, ZCARD, ZADD, PEXPIRE, SET.

local L, F, W, Q, S, T, R = unpack(KEYS)
local token, want, pass = ARGV[1], ARGV[6] or '0', ARGV[8] or ''
local exclusive = want == 'x'
local own = string.match(token, '^[^:]*:[^:]*:[^:]*:(%x+)')

-- Shares end by the clock: where TIME is forbidden, this raises its error. The clock is joined and compared as
-- text, as in acquire.
local time = redis.call('TIME')
local moment = time[1] .. (#time[2] == 6 and time[2] or string.sub('00000' .. time[2], -6))
if ARGV[4] ~= '0' and (#moment > #ARGV[4] or #moment == #ARGV[4] and moment > ARGV[4]) then
	return {err = 'LATE ' .. moment}
end
local clock = moment + 0
local now = math.floor(clock / 1000)

-- A baton or a ticket needs no free lock, and is good with full memory, too.
local passed = pass ~= ''
local taken = exclusive and token or '+shared'
local free = not passed and redis.pcall('SET', L, taken, 'NX', 'PX', ARGV[2])
if free and free.err then
	local full = string.match(free.err, 'OOM .*')
	if not full then
		free = redis.call('SET', L, taken, 'NX', 'PX', ARGV[2]) -- raises it
	else
		-- Nobody enters, but the lock can still be passed on to waiters while the flag is up.
		local flag = tonumber(ARGV[5] or 0)
		if flag > 0 and redis.call('PTTL', W) < flag then
			redis.pcall('PEXPIRE', W, ARGV[5])
		end
		return {err = full}
	end
end

-- A key of another type reads as missing.
local v = redis.call('MGET', F, W, T)
local waiting, turnstile = v[2], v[3]

-- The common case, in few steps: a share of a lock that nobody has or waits for. After a share that was given back,
-- F and E alone are left in the set. If the fence is still that of the last share, nobody has had the lock
-- exclusively since E, and those whose share ended since then may hear so. No more than one score is asked for,
-- since Redis takes long to make text of a score.
if free and not exclusive and not waiting and not turnstile and v[1] and #v[1] == #moment and v[1] < moment
	and redis.pcall('ZSCORE', S, 'F') == '-' .. v[1] and redis.pcall('ZCARD', S) == 2 then
	local added = redis.pcall('ZADD', S, string.format('%.0f', now + ARGV[2]), token, '-' .. moment, 'f' .. own, '-' .. moment, 'F')
	if type(added) == 'table' then
		redis.call('DEL', L) -- this user may not share: the lock must not stay taken by nobody
		return added
	end
	redis.call('PEXPIRE', S, ARGV[3])
	redis.call('SET', F, moment, 'PX', ARGV[3])
	return clock
end

local lease, flag, window = tonumber(ARGV[2]), tonumber(ARGV[5] or 0), ARGV[7] or '1000'
local limit, grace = tonumber(want) or 0, ARGV[3] - lease
-- include parts/whole.lua

local value
if not free then
	-- A foreign value may be huge. No longer text is compared here.
	value = redis.pcall('GETRANGE', L, '0', #token < 128 and '127' or #token)
	if type(value) == 'table' and not string.find(value.err, '^WRONGTYPE') then
		return value
	end
	value = type(value) == 'string' and value or '?'
end
-- include parts/fence.lua

local last, _, _, closed = parse(v[1])
if own and string.find(closed, own, 1, true) then
	if free then
		redis.call('DEL', L)
	end
	return {err = 'LATE ' .. moment}
end

local occupied = value == '+shared'
if value == '' then
	value = nil -- it is over, and the caller has a pass
end

-- This request has arrived twice. Its lease has begun, and may have been extended since.
if value == token and last > 0 then
	return last
end
local head = string.match(token, '^rlock1@%x+:')
local delayed = 0 -- until when nobody may enter
if occupied and head then
	-- The name of a detached lock has but one share, which its other processes find.
	for _, share in ipairs(redis.call('ZRANGE', S, '(' .. whole(now), '+inf', 'BYSCORE')) do
		if share ~= token and string.sub(share, 1, #head) == head then
			return {0, redis.call('PTTL', L), 2}
		end
	end
end
if occupied then
	local z = redis.call('ZMSCORE', S, token, 'f' .. own, '-')
	if z[1] and z[2] and tonumber(z[1]) > now then
		return -tonumber(z[2])
	end
	delayed = tonumber(z[3] or 0)
end

-- Whether the caller is the first in the queue, and whether nobody holds the lock.
local first = free or value == token
local empty = first or not value or value == '+kept'
if passed then
	first, empty = pass == turnstile or pass == value, empty or pass == value
	if not first then
		return {2}
	end
end
if not free then
	-- What is still in the wake list reached nobody. It is removed in any case, as in acquire.
	local lying = redis.pcall('LPOP', Q)
	if lying then
		redis.pcall('DEL', Q)
	end
	if lying and lying == value then
		first, empty = true, true
	else
		local named = turnstile and string.match(turnstile, '^%d+:(.*)$') == token
		first = first or named or (lying and lying == turnstile) or (not turnstile and (occupied or empty))
	end
end

local minute = 60000
local most, held = 0, 0 -- when the last share ends, and how many there are as far as that matters
if occupied and first then
	local ended = redis.call('ZRANGE', S, '(0', whole(now - minute), 'BYSCORE')
	for i = 1, #ended do
		local random = string.match(ended[i], '^[^:]*:[^:]*:[^:]*:(%x+)') or ''
		redis.call('ZREM', S, ended[i], 'f' .. random, 's' .. random)
	end
	most = tonumber(redis.call('ZRANGE', S, -1, -1, 'WITHSCORES')[2] or 0)
	held = redis.call('ZCOUNT', S, '(' .. whole(now), '+inf')
	if delayed > now then
		held = held - 1
	end
end

-- include parts/push.lua

-- Tells the waiter that has been parked longest that it is to ask next; otherwise the turnstile is open.
local function pass_on(name)
	if waiting and push(Q, name, window) then
		redis.pcall('SET', T, name, 'PX', window)
		return
	end
	if turnstile then
		redis.call('DEL', T)
	end
end

-- Nobody enters where no share is known: the set was evicted, so others may be inside until L ends.
local room = occupied and not exclusive and held > 0 and delayed <= now and (limit == 0 or held < limit)
if first and (empty or room) then
	local fence = math.max(last + 1, clock)
	local ends = now + lease
	local keep = math.max(most, ends) - now + grace + math.ceil((fence - clock) / 1000)
	local text = whole(fence) .. (closed ~= '' and ':0:0:' .. closed or '')
	local minus = whole(-fence)
	if not free then
		redis.call('PEXPIRE', L, whole(math.max(most, ends) - now)) -- a first write that needs no memory
	end
	if exclusive then
		if not free then
			redis.call('SET', L, token, 'PX', whole(lease))
		end
		redis.call('SET', F, text, 'PX', whole(keep))
		if turnstile then
			redis.call('DEL', T)
		end
		return fence
	end
	if empty then
		-- After a share that was given back, F and E alone are left. If the fence is still that of the last
		-- share, nobody has had the lock exclusively since E, and those who came then may hear so.
		local z = redis.pcall('ZRANGE', S, 0, 2, 'WITHSCORES')
		if z.err then
			redis.call('DEL', S)
			z = {}
		end
		local era = fence
		if #z == 4 and (z[1] == 'F' or z[1] == 'E') and (z[3] == 'F' or z[3] == 'E') then
			local newest, oldest = -tonumber(z[2]), -tonumber(z[4])
			era = newest == last and oldest or fence
		elseif #z > 0 then
			local known = redis.call('ZMSCORE', S, 'E', 'F')
			if known[1] and known[2] and -tonumber(known[2]) == last then
				era = -tonumber(known[1])
				redis.call('ZREMRANGEBYSCORE', S, '(' .. whole(now), '+inf') -- L was deleted
			else
				redis.call('DEL', S)
			end
		end
		local added = redis.pcall('ZADD', S, whole(ends), token, minus, 'f' .. own, minus, 'F', whole(-era), 'E')
		if type(added) == 'table' then
			redis.call('DEL', L)
			return added
		end
		if not free then
			redis.call('SET', L, '+shared', 'PX', whole(lease))
		end
		redis.call('PEXPIREAT', S, whole(ends + grace))
	else
		redis.call('ZADD', S, whole(ends), token, minus, 'f' .. own, minus, 'F')
		redis.call('PEXPIREAT', S, whole(math.max(most, ends) + grace))
	end
	redis.call('SET', F, text, 'PX', whole(keep))
	if waiting or turnstile then
		pass_on('=' .. whole(fence))
	end
	return fence
end

-- include parts/keep_up.lua
-- include parts/own.lua

-- When the lock may be free by itself, or, for a share, the first place.
local left = redis.call('PTTL', L)
if first and occupied and not exclusive then
	if delayed > now then
		left = delayed - now
	elseif held > 0 then
		local ending = redis.call('ZRANGE', S, '(' .. whole(now), '+inf', 'BYSCORE', 'LIMIT', 0, 1, 'WITHSCORES')
		left = tonumber(ending[2]) - now
	end
end
-- An exclusive grant that was a share before gives the lock to the first waiter. Any other passes batons to the wake list:
-- there the first waiter has to be, too.
local stays = occupied
if first and turnstile and value and string.sub(value, 1, 6) == 'rlock1' then
	local upgraded = redis.pcall('ZSCORE', S, 'U')
	stays = type(upgraded) == 'string' and -tonumber(upgraded) == last
end
if flag > 0 then
	if first and stays then
		keep_up(W, flag) -- until the caller asks again; it is never taken down
		redis.call('SET', T, whole(math.max(limit, 1)) .. ':' .. token, 'PX', ARGV[5])
		redis.call('DEL', R) -- what it was told before this request is known by now
		return {0, left, 1}
	end
elseif first and occupied and turnstile then
	pass_on('=' .. whole(clock) .. ':' .. own)
	turnstile = nil
end
if first and turnstile then
	redis.call('DEL', T)
end
if flag > 0 then
	keep_up(W, flag)
end
return {0, left, may_be_own(token, value or '') and 2 or 0}
