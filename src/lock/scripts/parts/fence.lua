-- Reads the text of a fence, FENCE[:ADOPTIONS[:SERIAL[:CLOSED]]]. Returns its number, or 0 if the text
-- is not ours (a number from 2^53 has no successor here; ours get there in the year 2255); its
-- holder, which is FENCE or FENCE:ADOPTIONS; its serial; its closed tokens.
local function parse(text)
	local number, rest = string.match(type(text) == 'string' and text or '', '^(%d+)(.*)$')
	local adoptions, serial, closed = string.match(rest or '', '^:(%d+):?(%d*):?([%x,]*)$')
	if not number or (rest ~= '' and not adoptions) or tonumber(number) >= 9007199254740991 then
		return 0, nil, 0, ''
	end
	local holder = tonumber(adoptions or 0) > 0 and number .. ':' .. adoptions or number
	return tonumber(number), holder, tonumber(serial or 0) or 0, closed or ''
end
