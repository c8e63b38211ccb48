#include "text.h"

#include <stdlib.h>
#include <string.h>

bool rl_text_equals(struct rl_text text, const char *other)
{
	return text.length == strlen(other) && memcmp(text.data, other, text.length) == 0;
}

bool rl_text_skip(struct rl_text *text, const char *start)
{
	size_t length = strlen(start);

	if (text->length < length || memcmp(text->data, start, length) != 0) {
		return false;
	}
	text->data += length;
	text->length -= length;
	return true;
}

const char *rl_text_find(struct rl_text text, char wanted)
{
	return text.length ? memchr(text.data, wanted, text.length) : NULL;
}

struct rl_text rl_text_cut(struct rl_text *text, const char *at)
{
	struct rl_text before = { text->data, at ? (size_t)(at - text->data) : text->length };
	size_t used = before.length + (at ? 1 : 0);

	text->data += used;
	text->length -= used;
	return before;
}

char *rl_text_copy(struct rl_text text)
{
	char *out = malloc(text.length + 1);

	if (out) {
		memcpy(out, text.data, text.length);
		out[text.length] = '\0';
	}
	return out;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

bool rl_text_number(struct rl_text text, int64_t max, int64_t *out)
{
	int64_t number = 0;

	for (size_t i = 0; i < text.length; i++) {
		if (!is_digit(text.data[i])) {
			return false;
		}
		number = number * 10 + (text.data[i] - '0');
		if (number > max) {
			return false;
		}
	}
	*out = number;
	return text.length > 0;
}

bool rl_text_seconds(struct rl_text text, rl_time *out)
{
	struct rl_text fraction = text;
	struct rl_text whole = rl_text_cut(&fraction, rl_text_find(text, '.'));
	rl_time time = 0, unit = RL_SECOND;
	int64_t seconds = 0;
	bool rest = false;

	if (whole.length + fraction.length == 0 || (whole.length && !rl_text_number(whole, RL_SECONDS_MAX, &seconds))) {
		return false;
	}
	for (size_t i = 0; i < fraction.length; i++) {
		if (!is_digit(fraction.data[i])) {
			return false;
		}
		unit /= 10;
		time += (fraction.data[i] - '0') * unit;
		rest = rest || (unit == 0 && fraction.data[i] != '0');
	}
	time += seconds * RL_SECOND + rest;
	*out = time;
	return time > 0 && time <= RL_SECONDS_MAX * RL_SECOND;
}

const char *rl_text_first_of(struct rl_text text, char a, char b)
{
	for (size_t i = 0; i < text.length; i++) {
		if (text.data[i] == a || text.data[i] == b) {
			return text.data + i;
		}
	}
	return NULL;
}

const char *rl_text_last(struct rl_text text, char wanted)
{
	for (size_t i = text.length; i > 0; i--) {
		if (text.data[i - 1] == wanted) {
			return text.data + i - 1;
		}
	}
	return NULL;
}

bool rl_text_mentions(struct rl_text text, const char *word)
{
	for (; text.length > 0; text.data++, text.length--) {
		struct rl_text rest = text;

		if (rl_text_skip(&rest, word)) {
			return true;
		}
	}
	return false;
}
