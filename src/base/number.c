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
