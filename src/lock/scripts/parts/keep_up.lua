-- Sees to it that the waiting flag stays up for at least this long. It is never taken down: it is other waiters', too.
local function keep_up(flag, least_ms)
	if redis.call('PTTL', flag) < tonumber(least_ms) then
		redis.call('SET', flag, '1', 'PX', least_ms)
	end
end
