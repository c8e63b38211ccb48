-- extend_shared: a longer lease of a share; or a new grant of it, to the same holder, with a shorter one.
--
-- KEYS  as enter, which describes them
-- ARGV  1 token
--       2 fence: the share's; longer: 0: any, while it is not known
--       3 lease_ms; longer: 0 only looks
--       4 until: as enter
--       5 how: 'longer'  the share ends at the later of its end and lease_ms from now
--              'anew'    it ends lease_ms from now, be it earlier, and the fence rises
-- ->    {1, fence, left_ms}  the caller has its share, for left_ms from now
--       {2, fence, left_ms}  anew: the same, but it has a new grant since: this request has come twice, or
--                            another of the same name has
--       {2}, {3}, {4}        as leave
--       error LATE clock     as enter
--
-- A new grant happens once, since it changes the fence that it demands. To take back a share that has ended, enter.

local token, fence, lease, latest, how = unpack(ARGV)
-- include parts/shares.lua

local ends, own, who = alive(token)
local newer = ends and own - fence or 0 -- above 0: it has a new grant since; below: one is forgotten
if how == 'longer' and fence == '0' then
	newer = 0
end
if not ends or newer < 0 or how == 'longer' and newer > 0 then
	return {verdict(fence)}
end
if how == 'longer' then
	ends = math.max(ends, now + tonumber(lease))
	redis.call('ZADD', S, ends, token)
elseif newer == 0 then
	if latest ~= '0' and clock > tonumber(latest) then
		return redis.error_reply('LATE ' .. whole(clock))
	end
	own, ends = whole(raise()), now + tonumber(lease)
	redis.call('ZADD', S, ends, token)
	redis.call('HSET', H, token, own .. who, 'LAST', own)
	last = own
end
settle(last)
return {newer > 0 and 2 or 1, own, ends - now}
