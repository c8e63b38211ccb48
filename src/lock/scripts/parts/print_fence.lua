-- The text that parts/fence.lua reads.
local function print_fence(holder, serial, closed)
	if serial == 0 and closed == '' then
		return holder
	end
	local text = holder .. (string.find(holder, ':', 1, true) and ':' or ':0:') .. string.format('%.0f', serial)
	return closed == '' and text or text .. ':' .. closed
end
