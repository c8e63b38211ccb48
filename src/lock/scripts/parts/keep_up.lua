-- Sees to it that the waiting flag stays up for at least this long, and returns for how long it does. What it holds stays.
local function keep_up(flag, least_ms)
	local up = redis.call('PTTL', flag)
	if up >= least_ms then
		return up
	end
	local life = string.format('%.0f', least_ms + 1000)
	if up < 0 then
		redis.call('SET', flag, '1', 'PX', life)
	else
		redis.call('PEXPIRE', flag, life)
	end
	return least_ms + 1000
end
