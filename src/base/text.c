#include "text.h"

#include <stdlib.h>
#include <string.h>

struct rl_text rl_text_of(const char *string)
{
	return (struct rl_text){ string, strlen(string) };
}

bool rl_text_is(struct rl_text a, struct rl_text b)
{
	return a.length == b.length && memcmp(a.data, b.data, a.length) == 0;
}

bool rl_text_equals(struct rl_text text, const char *other)
{
	return text.length == strlen(other) && memcmp(text.data, other, text.length) == 0;
}

bool rl_text_consists_of(struct rl_text text, const char *characters)
{
	for (size_t i = 0; i < text.length; i++) {
		if (!memchr(characters, text.data[i], strlen(characters))) {
			return false;
		}
	}
	return true;
}

char *rl_text_put(char *to, struct rl_text text)
{
	if (text.length > 0) {
		memcpy(to, text.data, text.length);
	}
	return to + text.length;
}

char *rl_text_put_hex(char *to, const unsigned char *bytes, size_t count)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < count; i++) {
		*to++ = digits[bytes[i] >> 4];
		*to++ = digits[bytes[i] & 0x0f];
	}
	return to;
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

void rl_text_wipe(char *text)
{
	if (text) {
		rl_system_wipe(text, strlen(text));
		free(text);
	}
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

/* --- for messages --- */

/* What a text that was cut ends in. */
static const char ELLIPSIS[] = "...";
#define ELLIPSIS_LENGTH (sizeof(ELLIPSIS) - 1)

/* The length of the well-formed UTF-8 character at `text`, or 0. */
static size_t utf8_length(const unsigned char *text, size_t length)
{
	size_t need, i;

	if (text[0] < 0x80) {
		return 1;
	}
	if (text[0] >= 0xc2 && text[0] <= 0xdf) {
		need = 2;
	} else if (text[0] >= 0xe0 && text[0] <= 0xef) {
		need = 3;
	} else if (text[0] >= 0xf0 && text[0] <= 0xf4) {
		need = 4;
	} else {
		return 0;
	}
	if (length < need) {
		return 0;
	}
	for (i = 1; i < need; i++) {
		if ((text[i] & 0xc0) != 0x80) {
			return 0;
		}
	}
	/* Overlong forms, surrogates, and what lies above U+10FFFF. */
	if ((text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xed && text[1] > 0x9f)
		|| (text[0] == 0xf0 && text[1] < 0x90) || (text[0] == 0xf4 && text[1] > 0x8f)) {
		return 0;
	}
	return need;
}

size_t rl_text_character(struct rl_text text)
{
	return utf8_length((const unsigned char *)text.data, text.length);
}

static bool is_among(
	const unsigned char *character, const char *first, const char *last, size_t length)
{
	return memcmp(character, first, length) >= 0 && memcmp(character, last, length) <= 0;
}

static bool is_control(const unsigned char *character, size_t length)
{
	switch (length) {
		case 1:
			return character[0] < 0x20 || character[0] == 0x7f;
		case 2:
			return is_among(character, "\xc2\x80", "\xc2\x9f", length)  /* C1 */
				|| is_among(character, "\xd8\x9c", "\xd8\x9c", length); /* U+061C */
		case 3:
			return is_among(character, "\xe2\x80\x8e", "\xe2\x80\x8f", length) /* U+200E, U+200F */
				/* U+2028 to U+202E */
				|| is_among(character, "\xe2\x80\xa8", "\xe2\x80\xae", length)
				|| is_among(
					character, "\xe2\x81\xa6", "\xe2\x81\xa9", length); /* U+2066 to U+2069 */
		default:
			return false;
	}
}

bool rl_text_is_control(struct rl_text character)
{
	return is_control((const unsigned char *)character.data, character.length);
}

const char *rl_text_printable(char *buffer, size_t size, struct rl_text text)
{
	const unsigned char *in = (const unsigned char *)text.data;
	size_t length = text.length, used = 0, cut = 0, dots;

	if (size == 0) {
		return buffer;
	}
	while (length > 0) {
		size_t take = utf8_length(in, length);
		bool plain = take > 0 && !is_control(in, take);
		size_t need = plain ? take : 4;

		if (used + need > size - 1) {
			dots = size - 1 - cut;
			if (dots > ELLIPSIS_LENGTH) {
				dots = ELLIPSIS_LENGTH;
			}
			memcpy(buffer + cut, ELLIPSIS, dots);
			used = cut + dots;
			break;
		}
		if (plain) {
			memcpy(buffer + used, in, take);
		} else {
			take = 1;
			buffer[used] = '\\';
			buffer[used + 1] = 'x';
			rl_text_put_hex(buffer + used + 2, in, 1);
		}
		used += need;
		if (used + ELLIPSIS_LENGTH <= size - 1) {
			cut = used;
		}
		in += take;
		length -= take;
	}
	buffer[used] = '\0';
	return buffer;
}
