#include "number.h"

#include <string.h>

/*
 * The numbers below 100: two digits a division, for every command has a dozen lengths in it, and
 * some long numbers.
 */
static const char pairs[] =
	"0001020304050607080910111213141516171819"
	"2021222324252627282930313233343536373839"
	"4041424344454647484950515253545556575859"
	"6061626364656667686970717273747576777879"
	"8081828384858687888990919293949596979899";

size_t rl_number_put(char buffer[RL_NUMBER_SIZE], int64_t number)
{
	uint64_t left = number < 0 ? -(uint64_t)number : (uint64_t)number;
	char digits[2 * RL_NUMBER_SIZE], *const end = digits + RL_NUMBER_SIZE, *first = end;
	char *to = buffer;
	size_t length;

	if (number < 0) {
		*to++ = '-';
	}
	for (; left >= 10; left /= 100) {
		first -= 2;
		memcpy(first, pairs + 2 * (left % 100), 2);
	}
	if (left > 0 || first == end) {
		*--first = (char)('0' + left);
	}
	length = (size_t)(end - first);
	*end = '\0';
	/* as much as there is room for: a fixed size needs no call */
	memcpy(to, first, RL_NUMBER_SIZE - 1);
	return (size_t)(to - buffer) + length;
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
