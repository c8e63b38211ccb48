-- leave: give a share back; also undo an enter, break a share or a cooldown, and pass on what a waiter does not need.
--
-- KEYS  as enter, which describes them
-- ARGV  1 token; or a pass that is not wanted; or '-', to break a cooldown; or '+', to break a lock without shares
--       2 fence: the share's; 0: any, only for a token that is never used again, and for a pass; -1: none, to leave
--          the turnstile alone
--       3 baton: as release
--       4 delay_ms: for how long nobody may enter; 0: none
--       5 break: given if the share is another's, who must learn that it was lost
-- ->    1 given back, or passed on
--       2 it had ended, and nobody has had the lock exclusively since
--       3 somebody has, or has it; or it was broken    4 unknown, since the fence is gone
-- After the write that gives the share back nothing raises.

local token, fence, baton, delay, breaks = unpack(ARGV)
delay = tonumber(delay)
-- include parts/shares.lua
-- include parts/queue.lua

-- Nobody holds the lock any more. It goes to the first waiter; or to the one that has a ticket, which is its baton
-- now; or to the longest waiter; or to nobody.
local function hand_over()
	if turn or waits then
		redis.call('PEXPIRE', L, WINDOW)
	end
	local text = turn and not need and turn or baton
	local passed = text == turn
	if need then
		if redis.call('PTTL', T) < WINDOW then
			redis.call('PEXPIRE', T, WINDOW)
		end
		passed = push(R, text, WINDOW)
	elseif passed then
		redis.call('DEL', T)
		redis.call('PEXPIRE', Q, WINDOW)
	elseif waits then
		passed = push(Q, text, WINDOW)
	end
	local set = passed and redis.pcall('SET', L, text, 'PX', WINDOW)
	if not set or set.err then
		redis.call('DEL', L)
	end
end

local ends, own, who = alive(token)
if ends and (fence == '0' or own == fence) or breaks and shared and redis.call('ZCARD', S) == 0 then
	redis.call('HDEL', H, token)
	if breaks and token ~= '-' then
		-- It is lost; and so are those before it, if they end late.
		local era = tonumber(redis.call('HGET', H, 'ERA') or 0)
		redis.pcall('HSET', H, 'ERA', math.max(era, own and own + 1 or raise()))
	end
	if ends and delay > 0 and now + delay > tonumber(redis.call('ZSCORE', S, '-') or 0) then
		redis.pcall('HSET', H, '-', own .. who)
		redis.pcall('ZADD', S, now + delay, '-')
	end
	-- Counted before the set may be gone: a key that is gone from a cluster's slot while that moves cannot be asked for.
	local count = redis.call('ZCARD', S)
	count = count - redis.call('ZREM', S, token)
	if count == 0 then
		hand_over()
		return 1
	end
	settle(last)
	if need and count - (redis.call('ZSCORE', S, '-') and 1 or 0) < tonumber(need) then
		push(R, '+', WINDOW)
	end
	return 1
end

local mine = turn and (turn == token or waiter == token)
local given = held == token or waiter == token and string.sub(held, 1, 1) == '~' and redis.pcall('LPOP', R) == held
if mine and shared then
	pass_on()
elseif mine or given then
	redis.call('DEL', T)
	turn, need = nil, nil
	if given then
		hand_over()
	end
end
return (mine or given or held == baton) and 1 or verdict(fence)
