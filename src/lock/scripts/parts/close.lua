-- Closes the token of this RANDOM, so that no request that is still on its way takes the lock under it: whatever takes the
-- lock looks for its token among those that are closed. The last 64 are kept, more than are closed within one call's
-- timeout. The text is what is in the fence's key; there is none where that is on another node.
-- A server with full memory allows a script whose first write is a PEXPIRE.
local function close(key, text, random, keep_ms)
	local _, holder, serial, closed = parse(text)
	if not key or string.find(closed, random, 1, true) then
		return
	end
	closed = string.sub(closed == '' and random or random .. ',' .. closed, 1, 64 * (#random + 1) - 1)
	local keep = string.format('%.0f', math.max(keep_ms, redis.call('PTTL', key)))
	redis.pcall('PEXPIRE', key, keep)
	redis.pcall('SET', key, print_fence(holder or '0', serial, closed), 'PX', keep)
end
