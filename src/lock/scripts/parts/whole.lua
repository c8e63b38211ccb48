local function whole(number)
	return string.format('%.0f', number)
end
