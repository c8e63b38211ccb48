-- Wakes the waiter that has been parked longest on this list, which then holds nothing else.
local function push(list, text, life_ms)
	local length = redis.pcall('RPUSH', list, text)
	if length ~= 1 then
		-- The list held another value, which would be delivered before this one.
		redis.pcall('DEL', list)
		length = redis.pcall('RPUSH', list, text)
	end
	if length == 1 then
		redis.pcall('PEXPIRE', list, life_ms)
	end
	return length == 1
end
