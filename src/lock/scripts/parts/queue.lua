-- How the lock and the right of way are passed on. What is written here comes after a write that full memory
-- does not refuse.

local need, waiter = string.match(turn or '', '^(%d+):(.*)$')

local function push(list, item, life)
	redis.call('DEL', list)
	local reached = redis.pcall('RPUSH', list, item) == 1
	redis.pcall('PEXPIRE', list, life)
	return reached
end

-- The longest waiter comes next. Until it asks, or the window is over, nobody else may enter.
local function pass_on()
	local ticket = '~' .. whole(clock)
	if waits and push(Q, ticket, WINDOW) then
		redis.pcall('SET', T, ticket, 'PX', WINDOW)
	elseif turn then
		redis.call('DEL', T)
	end
end
