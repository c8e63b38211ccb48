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

uint32_t rl_text_code_point(struct rl_text character)
{
	uint32_t code = (unsigned char)character.data[0]
		& (character.length == 1 ? 0x7f : 0x7f >> character.length);

	for (size_t i = 1; i < character.length; i++) {
		code = code << 6 | ((unsigned char)character.data[i] & 0x3f);
	}
	return code;
}

/*
 * What a terminal obeys, and what Unicode has fonts leave blank (Default_Ignorable_Code_Point, and
 * the blank pattern of Braille). In order.
 */
static const struct range {
	uint32_t first, last;
} unseen[] = {
	{ 0x00, 0x1f },       /* C0 */
	{ 0x7f, 0x9f },       /* DEL, C1 */
	{ 0xad, 0xad },       /* the soft hyphen */
	{ 0x34f, 0x34f },     /* what joins graphemes */
	{ 0x61c, 0x61c },     /* a mark of a direction */
	{ 0x115f, 0x1160 },   /* fillers of Hangul */
	{ 0x17b4, 0x17b5 },   /* vowels of Khmer that are not written */
	{ 0x180b, 0x180f },   /* Mongolian selectors of a variation */
	{ 0x200b, 0x200f },   /* of no width; marks of a direction */
	{ 0x2028, 0x202e },   /* what ends a line, or turns the direction */
	{ 0x2060, 0x206f },   /* of no width; isolates */
	{ 0x2800, 0x2800 },   /* Braille without a dot */
	{ 0x3164, 0x3164 },   /* a filler of Hangul */
	{ 0xfe00, 0xfe0f },   /* selectors of a variation */
	{ 0xfeff, 0xfeff },   /* the mark of a byte order */
	{ 0xffa0, 0xffa0 },   /* a filler of Hangul */
	{ 0xfff0, 0xfffb },   /* annotations */
	{ 0x1bca0, 0x1bca3 }, /* of shorthand */
	{ 0x1d173, 0x1d17a }, /* of music */
	{ 0xe0000, 0xe0fff }, /* tags, and more selectors */
};

bool rl_text_is_unseen(struct rl_text character)
{
	uint32_t code = rl_text_code_point(character);

	for (size_t i = 0; i < sizeof unseen / sizeof unseen[0] && unseen[i].first <= code; i++) {
		if (code <= unseen[i].last) {
			return true;
		}
	}
	return false;
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
		bool plain = take > 0
			&& !rl_text_is_unseen((struct rl_text){ (const char *)in, take });
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
