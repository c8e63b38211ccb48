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

bool rl_number_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

int rl_number_hex(char c)
{
	if (rl_number_is_digit(c)) {
		return c - '0';
	}
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool rl_number_read(struct rl_text text, int64_t max, int64_t *out)
{
	int64_t number = 0;

	for (size_t i = 0; i < text.length; i++) {
		int64_t digit = text.data[i] - '0';

		if (!rl_number_is_digit(text.data[i]) || digit > max || number > (max - digit) / 10) {
			return false;
		}
		number = number * 10 + digit;
	}
	*out = number;
	return text.length > 0;
}

bool rl_number_read_seconds(struct rl_text text, int64_t max_s, rl_time *out)
{
	struct rl_text fraction = text;
	struct rl_text whole = rl_text_cut(&fraction, rl_text_find(text, '.'));
	rl_time time = 0, unit = RL_SECOND;
	int64_t seconds = 0;
	bool rest = false;

	if (whole.length + fraction.length == 0
		|| (whole.length && !rl_number_read(whole, max_s, &seconds))) {
		return false;
	}
	for (size_t i = 0; i < fraction.length; i++) {
		if (!rl_number_is_digit(fraction.data[i])) {
			return false;
		}
		unit /= 10;
		time += (fraction.data[i] - '0') * unit;
		rest = rest || (unit == 0 && fraction.data[i] != '0');
	}
	time += seconds * RL_SECOND + rest;
	*out = time;
	return time <= max_s * RL_SECOND;
}
