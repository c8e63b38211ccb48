-- Returns in how many ms a parked waiter is to ask again, and for how long the waiting flag, which is to be kept up for
-- least_ms, stays up.
--
-- The flag holds one waiter that asks every second: when it came, when it last asked, and until when it will wait. Whoever
-- has surely parked before that one came leaves looking to it for as long as it stays, since it is served later. Those that
-- need not look come back one after the other, 1.25 s apart, and the flag lives until the last of them has. All
-- others ask in a second (0); and of those, who came later and will wait longer takes the place in the flag. Of two that
-- have come at once, nobody knows which has parked behind the other: one of them parks anew (-1), behind both, and takes
-- the place in the flag, having come now. Whoever asks when the time of the lock is over (left_ms; -1: never) takes no
-- turn after that.
local function plan_look(flag, least_ms, clock, left_ms, stay_ms, sleep_ms, came, parked)
	local up = keep_up(flag, least_ms)
	local other, seen, stays = string.match(redis.call('MGET', flag)[1] or '', '^(%d+):(%d+):(%d+)$')
	local looks = other and clock - seen >= 0 and clock - seen < 1500000 and stays - clock > 0
	if looks and other - parked > 0 then
		local look = math.min(sleep_ms, up - 250, math.ceil((stays - clock) / 1000), left_ms < 0 and up or left_ms)
		if look + 1500 > up then
			up = look + 1500
			redis.call('PEXPIRE', flag, string.format('%.0f', up))
		end
		return look, up
	end
	local ends = clock + stay_ms * 1000
	if looks and other ~= came and ends - stays < 0 then
		return 0, up
	end
	local anew = looks and other - came > 0
	local holds = (anew and clock or came) .. ':' .. clock .. ':' .. string.format('%.0f', ends)
	redis.call('SET', flag, holds, 'PX', string.format('%.0f', up))
	return anew and -1 or 0, up
end
