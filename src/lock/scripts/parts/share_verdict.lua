-- For scripts on shares: the including script has L and S, the keys of the lock and of its shares' set, and parts/fence.lua.

-- The numbers for which the set has minus that number, or 0.
local function from_set(...)
	local scores = redis.pcall('ZMSCORE', S, ...)
	local numbers = {}
	for i = 1, select('#', ...) do
		numbers[i] = not scores.err and scores[i] and -tonumber(scores[i]) or 0
	end
	return unpack(numbers)
end

-- What became of a share that is not held any more, as far as fences tell: nobody has had the lock
-- exclusively since, if the fence is the share's, or that of a later share of the same era.
local function verdict(value, text, wanted)
	local number, holder = parse(text)
	if not text then
		return 4
	end
	if value and not string.find(value, '^[+-]') or not value and redis.call('EXISTS', L) == 1 then
		return 3
	end
	if holder == wanted then
		return 2
	end
	local newest, oldest = from_set('F', 'E')
	local fence = tonumber(string.match(wanted, '^%d+'))
	return number > 0 and newest == number and fence >= oldest and 2 or 3
end
