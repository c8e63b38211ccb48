-- Runs a command that tells the waiters. If it is forbidden, the lock must be freed all the same.
local function done(...)
	local answer = redis.pcall(...)
	return type(answer) ~= 'table' or not answer.err
end
