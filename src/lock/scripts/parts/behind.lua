-- A replica may be behind its master. It refuses to write, by which it is known; a master changes nothing here.
local function behind()
	local refusal = redis.pcall('PEXPIRE', KEYS[1], 'no number')
	return string.find(refusal.err, '^READONLY') and refusal
end
