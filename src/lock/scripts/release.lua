-- release: free the lock, or pass it to whoever has waited longest.
--
-- KEYS   1 L   2 fence   3 waiting   4 wake; or 1 alone, while the others are elsewhere because
--        their cluster slot moves: then nobody is passed anything, and what is not ours answers 4
-- ARGV   1 token: what L must hold (or a baton that came too late to be used)
--        2 fence: the grant's; 0 if its answer never came
--        3 baton: '~RANDOM', the same however often this release is sent
--        4 window_ms: how long a baton waits for its claim
--        5 grace_ms: how much longer than the window the fence is kept
--        6 delay_ms: for how long nobody may take the lock; 0 or not given: none
-- Answer 1 freed
--        5 passed on: L holds 'baton:fence', and the wake list has the same
--        2 late: L is gone, and nobody took it
--        3 lost: L is another's, or was since
--        4 the fence is gone, so it cannot be told: counts as lost
--
-- Uncontended it runs two commands: MGET, DEL.
-- The first write is one that full memory does not refuse. What else the server refuses (READONLY,
-- MISCONF...) it refuses there, by raising: then the lock is still ours. After it nothing raises.

-- Another type reads as none.
local v = KEYS[3] and redis.call('MGET', KEYS[1], KEYS[3]) or redis.call('MGET', KEYS[1])
local value, waiting = v[1], v[2]
local delayed = ARGV[6] and ARGV[6] ~= '0'

if value == ARGV[1] and not waiting and not delayed then
	redis.call('DEL', KEYS[1])
	return 1
end

local fence = KEYS[2] and redis.call('MGET', KEYS[2])[1]

local function fence_of(text)
	local fence = text and string.find(text, '^%d+$') and tonumber(text) or 0
	return fence < 9007199254740991 and fence or 0
end

local function whole(number)
	return string.format('%.0f', number)
end

-- The tail of a hand-over: what is barred there must not keep the lock from being freed.
local function done(...)
	local answer = redis.pcall(...)
	return type(answer) ~= 'table' or not answer.err
end

if value ~= ARGV[1] then
	-- Our own request come twice has left a baton or a cooldown of this name. Only the whole of
	-- the name says so: a token's metadata is the user's and may hold anything.
	local baton = ARGV[3] .. ':'
	if value and (string.sub(value, 1, #baton) == baton or value == '-' .. ARGV[3]) then
		return 1
	end
	if not fence then
		return 4
	end
	if fence == ARGV[2] and redis.call('EXISTS', KEYS[1]) == 0 then
		return 2
	end
	return 3
end

if delayed then
	-- Nobody's until it expires, which wakes nobody: who waits asks again when L's time is over.
	redis.call('PEXPIRE', KEYS[1], ARGV[6])
	redis.pcall('SET', KEYS[1], '-' .. ARGV[3], 'PX', ARGV[6])
	return 1
end

if waiting then
	-- Whatever is in the list is not L's value, and would be served before it.
	redis.call('DEL', KEYS[4])
	-- Passing on is a grant: the fence rises, as in acquire.
	local time = redis.pcall('TIME')
	local now = time.err and 0 or time[1] * 1000000 + time[2]
	local raised = math.max(fence_of(ARGV[2]), fence_of(fence)) + 1
	local keep = ARGV[4] + ARGV[5]
	if now > raised then
		raised = now
	elseif now > 0 then
		keep = keep + math.ceil((raised - now) / 1000)
	end
	local baton = ARGV[3] .. ':' .. whole(raised)
	if done('SET', KEYS[2], whole(raised), 'PX', whole(keep))
		and done('SET', KEYS[1], baton, 'PX', ARGV[4])
		and done('RPUSH', KEYS[4], baton) then
		redis.pcall('PEXPIRE', KEYS[4], ARGV[4]) -- it dies with L
		return 5
	end
end

redis.call('DEL', KEYS[1])
return 1
