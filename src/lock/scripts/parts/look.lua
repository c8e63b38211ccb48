-- Keeps the waiting flag up until the caller asks again, and returns in how many ms that is to be; 0: in a second.
-- A waiter asks every second until another has surely parked behind it: the flag holds when the last one came, and
-- when one of those that ask every second has done so last. The others come back one after the other, a second
-- apart: the flag lives until the last of them has. Of two that have come at once, nobody knows which has parked
-- behind the other: one of them parks anew (-1), behind both.
local function plan_look(key, clock, flag, sleep, came, parked)
	local up, look = redis.call('PTTL', key), 0
	if sleep then
		local last, seen = string.match(redis.call('MGET', key)[1] or '', '^(%d+):(%d+)$')
		local age = clock - (seen or 0)
		local looked = seen and seen ~= '0' and age >= 0 and age < flag * 1000
		last = looked and tonumber(last) or 0
		if last > tonumber(parked) then
			look = math.min(sleep, up - flag + 1000)
			redis.call('PEXPIRE', key, string.format('%.0f', math.max(up, look + flag)))
			return look
		end
		look = last > tonumber(came) and -1 or 0
	end
	came = (not sleep or look < 0) and clock or came
	up = up > flag + 1000 and up or flag + 1000
	redis.call('SET', key, came .. ':' .. clock, 'PX', string.format('%.0f', up))
	return look
end
