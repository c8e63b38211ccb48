-- The caller's token has the lock exclusively: this request has come twice, or a name has the lock
-- already. By name it is a new grant without a RANDOM, if that is another's, as in acquire.
local function again(lease)
	local random = string.match(value, '^rlock1@%x+:(%x+:)')
	local left = math.max(lease, redis.call('PTTL', L))
	redis.call('PEXPIRE', L, left)
	if random and string.sub(held, #token + 1, #token + #random) ~= random then
		redis.call('SETRANGE', L, #token, string.rep('0', #random - 1))
		redis.call('PEXPIRE', L, left) -- before Redis 7.2 the first may have deleted it
	end
	local fence = last and not random and tonumber(last) or raise()
	redis.call('SET', F, fence, 'PX', left + GRACE)
	return fence, left
end
