-- acquire: take the lock, or say how long it stays taken.
--
-- KEYS   1 L   2 fence   3 waiting   4 wake
-- ARGV   1 token
--        2 lease_ms
--        3 keep_ms: for how long the fence is kept: the lease and the grace
--        4 until: the last microsecond, by this server's clock, in which this may run; 0: any
--        5 flag_ms: for how long from now the waiting flag must be up at least; 0 or none: only ask
--        6 turn: '~RANDOM' if the wake list brought '+~RANDOM', which says that we come next after this
--          cooldown: it is ours in its last 20 ms, and we let them pass; or none
-- Answer {1, fence}    it is ours, for the lease from now
--        {0, left_ms}  it is taken; -1: it never expires
--        error LATE    it came after until, or after a release that has closed its token; nothing was
--                      done; the clock follows
--
-- Uncontended it runs three commands: SET, TIME, SET.
-- A copy that arrives late, when nobody waits for its answer any more, must not take the lock for
-- nobody, or throw out a baton: therefore until.
-- Sent again with the same token it finds the same grant. What the server refuses (OOM, READONLY,
-- MISCONF...) it refuses at the first command; once L is ours nothing raises.

local free = redis.pcall('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2])
if free and free.err then
	local full = string.match(free.err, 'OOM .*')
	if not full then
		free = redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) -- raises it
	else
		-- It cannot be taken, but passed on to those that wait, as long as the flag is up.
		local flag = tonumber(ARGV[5] or 0)
		if flag > 0 and redis.call('PTTL', KEYS[3]) < flag then
			redis.pcall('PEXPIRE', KEYS[3], string.format('%.0f', flag + 1000))
		end
		return {err = full}
	end
end

-- Some services bar TIME: then the clock is 0, and nothing is late. It is put together as text,
-- which costs less than to format a number.
local time = redis.pcall('TIME')
local clock = time.err and '0' or time[1] .. string.sub('00000' .. time[2], -6)
if ARGV[4] ~= '0' and tonumber(clock) > tonumber(ARGV[4]) then
	if free then
		redis.call('DEL', KEYS[1])
	end
	return {err = 'LATE ' .. clock}
end

-- A fence's text is FENCE[:ADOPTIONS[:SERIAL[:CLOSED]]]. Its number, 0 if it is none of ours (beyond
-- 2^53 a number has no successor here, and none of ours gets there before the year 2255); its
-- holder, FENCE or FENCE:ADOPTIONS; its serial; its closed tokens.
local function parse(text)
	local number, rest = string.match(type(text) == 'string' and text or '', '^(%d+)(.*)$')
	local adoptions, serial, closed = string.match(rest or '', '^:(%d+):?(%d*):?([%x,]*)$')
	if not number or (rest ~= '' and not adoptions) or tonumber(number) >= 9007199254740991 then
		return 0, nil, 0, ''
	end
	local holder = tonumber(adoptions or 0) > 0 and number .. ':' .. adoptions or number
	return tonumber(number), holder, tonumber(serial or 0) or 0, closed or ''
end

if not free then
	-- A foreign value may be huge. What is compared here is a token, a baton of at most 50 bytes, or a cooldown's name.
	local value = redis.pcall('GETRANGE', KEYS[1], 0, math.max(#ARGV[1], 64))
	if type(value) == 'table' and not string.find(value.err, '^WRONGTYPE') then
		return value
	end

	if value == ARGV[1] then
		-- Our own request has come twice. Its lease has begun, and may have been extended since.
		local fence = parse(redis.call('MGET', KEYS[2])[1])
		if fence > 0 then
			return {1, fence}
		end
		-- The fence is gone: the grant gets another.
	else
		-- A baton still in the list reached nobody. It is taken out in any case: what the BLPOP
		-- gets that we send after this answer must have been pushed after this request, since
		-- its deadline is counted from here. The DEL is for what is no list of ours.
		local baton = redis.pcall('LPOP', KEYS[4])
		if baton then
			redis.pcall('DEL', KEYS[4])
		end
		local life = ARGV[2]
		if not baton or baton ~= value then
			local left = redis.call('PTTL', KEYS[1])
			local text = type(value) == 'string' and value or ''
			if not (ARGV[6] and string.sub(text, 1, #ARGV[6] + 1) == '-' .. ARGV[6] and left <= 20) then
				-- Raised early enough to stay up until we ask again; never taken down.
				local flag = tonumber(ARGV[5] or 0)
				if flag > 0 and redis.call('PTTL', KEYS[3]) < flag then
					redis.call('SET', KEYS[3], '1', 'PX', string.format('%.0f', flag + 1000))
				end
				return {0, left}
			end
			life = string.format('%.0f', life + left)
		end
		redis.call('SET', KEYS[1], ARGV[1], 'PX', life)
	end
end

-- The fence is the clock, or the last fence plus one if the clock is not past it (it came back,
-- or two grants fell into one microsecond). Without a clock it only counts.
local fence = tonumber(clock)
local text = redis.pcall('SET', KEYS[2], clock, 'PX', ARGV[3], 'GET')
if type(text) == 'table' then
	text = false -- another type lay there, which GET refuses
	redis.pcall('SET', KEYS[2], clock, 'PX', ARGV[3])
end
local last, _, _, closed = parse(text)
if last < fence and closed == '' then
	return {1, fence}
end

-- Ahead of the clock it is kept until the clock has caught up, lest the next one be lower.
local keep = ARGV[3]
if fence > 0 and last >= fence then
	keep = keep + math.ceil((last + 1 - fence) / 1000)
end
keep = string.format('%.0f', keep)
local own = string.match(ARGV[1], '^[^:]*:[^:]*:[^:]*:(%x+)')
if own and string.find(closed, own, 1, true) then
	redis.call('DEL', KEYS[1])
	redis.pcall('SET', KEYS[2], text, 'PX', keep)
	return {err = 'LATE ' .. clock}
end
fence = math.max(fence, last + 1)
-- In full: left to themselves Redis 7.2.0 to 7.2.4 write 100000000 as 1e+8, which they do not
-- read, and Lua writes 14 digits.
text = string.format('%.0f', fence)
if closed ~= '' then
	text = text .. ':0:0:' .. closed
end
redis.pcall('SET', KEYS[2], text, 'PX', keep)
return {1, fence}
