-- upgrade: the only share becomes the exclusive lock. Asks once. Granted or not, the fence rises.
--
-- KEYS  as enter, which describes them
-- ARGV  1 value: as enter
--       2 fence: the share's
--       3 lease_ms: at least; otherwise what is left
--       4 until: as enter
-- ->    {1, fence, left_ms}  the lock is the caller's exclusively, under the same token
--       {0, fence, left_ms}  others have shares, or there is a cooldown: it is still a share, under this fence
--       {2}, {3}, {4}        as leave
--       error LATE clock     as enter
--
-- So no copy upgrades what was refused before. A first waiter asks again: it is told to park on the wake list.

local value, fence, lease, latest = unpack(ARGV)
local token = string.match(value, '^rlock1[:@]%x+:')
-- include parts/shares.lua
-- include parts/queue.lua
-- include parts/again.lua
local ends, own, who = alive(token)
if excludes(token) then
	local granted, left = again(tonumber(lease))
	return {1, whole(granted), left}
elseif not ends or own - fence < 0 then -- or this server has forgotten the grant
	return {verdict(fence)}
elseif own ~= fence then
	-- This request has come twice; or, by name, another has a new grant since.
	return string.sub(token, 7, 7) == '@' and {3} or {0, own, ends - now}
elseif latest ~= '0' and clock > tonumber(latest) then
	return redis.error_reply('LATE ' .. whole(clock))
end

local raised = whole(raise())
if redis.call('ZCARD', S) > 1 then
	redis.call('HSET', H, token, raised .. who, 'LAST', raised)
	settle(raised)
	return {0, raised, ends - now}
end
local left = math.max(ends - now, tonumber(lease))
if need then
	push(R, '+', WINDOW)
end
redis.call('DEL', S, T)
redis.call('SET', L, value, 'PX', left)
redis.call('SET', F, raised, 'PX', left + GRACE)
return {1, raised, left}
