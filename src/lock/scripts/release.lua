-- release: free the lock, or pass it to whoever has waited longest.
--
-- KEYS   1 L   2 fence   3 waiting   4 wake
-- ARGV   1 token: what L must hold (or a baton that came too late to be used)
--        2 fence: the grant's; 0 if its answer never came
--        3 baton: '~RANDOM', the same however often this release is sent
--        4 window_ms: how long a baton waits for its claim
--        5 grace_ms: how much longer than the window the fence is kept
--        6 delay_ms: for how long nobody may take the lock; 0: none
-- Answer 1 freed
--        5 passed on: L holds 'baton:fence', and the wake list has the same
--        2 late: L is gone, and nobody took it
--        3 lost: L is another's, or was since
--        4 the fence is gone, so it cannot be told: counts as lost
--
-- Uncontended it runs two commands: MGET, DEL.
-- The first write is one that full memory does not refuse; what else the server refuses
-- (READONLY, MISCONF...) it refuses there, and that is the answer. Nothing raises after it.

local function fence_of(text)
	local fence = text and string.find(text, '^%d+$') and tonumber(text) or 0
	return fence < 9007199254740991 and fence or 0
end

local function whole(number)
	return string.format('%.0f', number)
end

local function refused(answer)
	return type(answer) == 'table' and answer.err
end

local v = redis.pcall('MGET', KEYS[1], KEYS[3], KEYS[2])
if v.err then
	return v
end
local value, waiting, fence = v[1], v[2], v[3]

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

if ARGV[6] ~= '0' then
	-- Nobody's until it expires, which wakes nobody: who waits asks again when L's time is over.
	local answer = redis.pcall('PEXPIRE', KEYS[1], ARGV[6])
	if refused(answer) then
		return answer
	end
	redis.pcall('SET', KEYS[1], '-' .. ARGV[3], 'PX', ARGV[6])
	return 1
end

if waiting then
	-- Whatever is in the list is not L's value, and would be served before it.
	local answer = redis.pcall('DEL', KEYS[4])
	if refused(answer) then
		return answer
	end
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
	if not refused(redis.pcall('SET', KEYS[2], whole(raised), 'PX', whole(keep)))
		and not refused(redis.pcall('SET', KEYS[1], baton, 'PX', ARGV[4]))
		and not refused(redis.pcall('RPUSH', KEYS[4], baton)) then
		redis.pcall('PEXPIRE', KEYS[4], ARGV[4]) -- it dies with L
		return 5
	end
	-- Something of it is barred: then it is freed like any other.
end

local answer = redis.pcall('DEL', KEYS[1])
return refused(answer) and answer or 1
