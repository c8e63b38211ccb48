-- downgrade: an exclusive grant becomes a share, with what is left of its lease, and the same token and fence.
--
-- KEYS   as enter, where the shares' set and the turnstile are described
-- ARGV   1 token
--        2 fence: this holder's, as the server told it; 0 if it is not known
--        3 serial: as extend
--        4 grace_ms: how much longer than the lease the fence is kept
--        5 window_ms: how long a ticket waits for its waiter
-- Answer 1 it is a share
--        2 late: L is gone, and nobody took it
--        3 lost: another client has L, or had it since
--        4 unknown, because the fence is gone; counts as lost
--
-- An upgrade raises the fence, and the serial is kept behind it: so no late copy of this, of an upgrade or of an
-- extend finds what it was sent for.

local L, F, W, Q, S, T, R = unpack(KEYS)
local token, serial, grace, window = ARGV[1], tonumber(ARGV[3]), tonumber(ARGV[4]), ARGV[5]
local own = string.match(token, '^[^:]*:[^:]*:[^:]*:(%x+)')

-- include parts/whole.lua
-- include parts/fence.lua
-- include parts/print_fence.lua

local v = redis.call('MGET', L, F, W, T) -- a key of another type reads as missing
local value, text, waiting, turnstile = v[1], v[2], v[3], v[4]
local number, holder, last, closed = parse(text)

local time = redis.call('TIME')
local clock = time[1] * 1000000 + time[2]
local now = math.floor(clock / 1000)

if value ~= token then
	local z = value == '+shared' and redis.call('ZMSCORE', S, token, 's' .. own)
	if z and z[1] and tonumber(z[1]) > now and z[2] and -tonumber(z[2]) >= serial then
		return 1 -- this request has arrived twice
	end
	if not text then
		return 4
	end
	return holder == ARGV[2] and redis.call('EXISTS', L) == 0 and 2 or 3
end
-- Under another fence, a late copy of the request that took L has taken it again.
if number > 0 and ARGV[2] ~= '0' and (holder ~= ARGV[2] or serial <= last) then
	return 3
end

local left = redis.call('PTTL', L)
left = left < 0 and 1000000000000 or math.max(1, left) -- below 0: somebody removed its expiry
if number == 0 then
	number, holder = parse(ARGV[2])
	if number == 0 then
		number, holder = clock, whole(clock)
	end
end
local keep = whole(math.max(left + grace, redis.call('PTTL', F)))
local minus = whole(-number)
redis.call('PEXPIRE', L, whole(left)) -- a first write that needs no memory
redis.call('DEL', S)
redis.call('ZADD', S, whole(now + left), token, minus, 'f' .. own, whole(-serial), 's' .. own, minus, 'F', minus, 'E')
redis.call('SET', L, '+shared', 'PX', whole(left))
redis.call('PEXPIREAT', S, whole(now + left + grace))
redis.call('SET', F, print_fence(holder, serial, closed), 'PX', keep)

-- include parts/push.lua

if turnstile then
	push(R, '1', window) -- it was the first waiter before this grant was upgraded: it asks, and sees
elseif waiting then
	local ticket = '=' .. whole(number)
	if push(Q, ticket, window) then
		redis.pcall('SET', T, ticket, 'PX', window)
	end
end
return 1
