#include "number.h"

#include <string.h>

size_t rl_number_put(char buffer[RL_NUMBER_SIZE], int64_t number)
{
	uint64_t left = number < 0 ? -(uint64_t)number : (uint64_t)number;
	char digits[RL_NUMBER_SIZE], *first = digits + sizeof digits;
	size_t length;

	do {
		*--first = (char)('0' + left % 10);
		left /= 10;
	} while (left);
	if (number < 0) {
		*--first = '-';
	}
	length = (size_t)(digits + sizeof digits - first);
	memcpy(buffer, first, length);
	buffer[length] = '\0';
	return length;
}

const char *rl_number_put_seconds(char buffer[RL_NUMBER_SECONDS_SIZE], int64_t milliseconds)
{
	uint64_t left = milliseconds < 0 ? -(uint64_t)milliseconds : (uint64_t)milliseconds;
	char *end = buffer;

	if (milliseconds < 0) {
		*end++ = '-';
	}
	end += rl_number_put(end, (int64_t)(left / 1000));
	*end++ = '.';
	*end++ = (char)('0' + left / 100 % 10);
	*end++ = (char)('0' + left / 10 % 10);
	*end++ = (char)('0' + left % 10);
	*end = '\0';
	return buffer;
}
