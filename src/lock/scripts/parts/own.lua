-- Whether the name of a detached lock, which this token says, may hold it with this value: a baton may be on its way to
-- another process that says the same name.
local function may_be_own(token, value)
	local head = string.match(token, '^rlock1@%x+:')
	return head and (string.sub(value, 1, #head) == head or string.sub(value, 1, 1) == '~')
end
