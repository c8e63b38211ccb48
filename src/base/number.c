#include "number.h"

size_t rl_number_put(char buffer[RL_NUMBER_SIZE], int64_t number)
{
	uint64_t left = number < 0 ? -(uint64_t)number : (uint64_t)number;
	size_t length = number < 0 ? 2 : 1;
	char *digit;

	for (uint64_t rest = left; rest >= 10; rest /= 10) {
		length++;
	}
	buffer[0] = '-';
	digit = buffer + length;
	*digit = '\0';
	do {
		*--digit = (char)('0' + left % 10);
		left /= 10;
	} while (left);
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
