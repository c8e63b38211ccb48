-- downgrade: the exclusive lock becomes a share, with what is left of its lease, and the same token and fence.
--
-- KEYS  as enter, which describes them
-- ARGV  1 token
--       2 fence: the grant's; 0: any, to take back an upgrade right behind it, whatever came of that
-- ->    {1, fence, left_ms}  the caller has a share; 0: or has it still
--       {2, fence, left_ms}  the same, but it had one: this request has come twice, or another of the same name has
--       {2}, {3}, {4}        as leave, of an exclusive lock: 2 nobody was granted it since
--
-- A copy finds the token gone from L, or there under another fence, since an upgrade raises it.

local token, fence = unpack(ARGV)
-- include parts/shares.lua
-- include parts/queue.lua

local any = fence == '0'
if any and excludes(token) then
	fence = last or whole(raise())
end
if not excludes(token) or last and last ~= fence then
	local ends, own = alive(token)
	if ends and (any or own == fence) then
		return {any and 1 or 2, own, ends - now}
	end
	redis.call('HDEL', H, '') -- as in verdict
	return {not last and 4 or redis.call('EXISTS', L) == 0 and last == fence and 2 or 3}
end

local left = redis.call('PTTL', L)
left = left < 0 and 1000000000000 or math.max(1, left) -- below 0: somebody removed its expiry
local who = who_is(redis.call('GETRANGE', L, 0, -1)) or ''
redis.call('DEL', S, H, R) -- a first write that full memory does not refuse
redis.call('SET', L, '+shared', 'PX', left)
redis.call('ZADD', S, now + left, token)
redis.call('HSET', H, token, fence .. ':' .. who, 'LAST', fence, 'ERA', fence)
settle(fence)
pass_on()
return {1, fence, left}
