-- Plans when a parked waiter asks again, so that all waiters of a lock together ask about once a second. Returns in how
-- many ms (0: in a second; -1: at once, after it has parked anew), and for how long the waiting flag stays up, which is
-- least_ms or longer.
--
-- One waiter looks every second, for all. The flag holds when that one came, when it last asked, and until when it will
-- wait. How another waiter compares with it:
-- - Parked before that one came, it is served first, and relies on it until one of them leaves or the lock's time is over
--   (left_ms; -1: never). Such waiters ask one after the other, 1.25 s apart: each at the end of the flag, which it puts off.
-- - Came later: if it will also wait longer, it takes the place in the flag. In either case it asks in a second.
-- - Came at about the same time: nobody knows which of the two has parked behind the other. So it parks anew, behind
--   both, and takes the place in the flag, as one that comes now.
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
