#include "number.h"

#include <string.h>

size_t rl_number_put(char buffer[RL_NUMBER_SIZE], int64_t number)
{
	char digits[RL_NUMBER_SIZE];
	char *first = digits + sizeof digits;
	uint64_t left = number < 0 ? -(uint64_t)number : (uint64_t)number;
	size_t length;

	*--first = '\0';
	do {
		*--first = (char)('0' + left % 10);
		left /= 10;
	} while (left);
	if (number < 0) {
		*--first = '-';
	}
	length = (size_t)(digits + sizeof digits - first);
	memcpy(buffer, first, length);
	return length - 1;
}
