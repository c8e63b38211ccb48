/*
 * Errors as text: complete, printable, never longer than their buffer.
 */
#include "error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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

/* C0 and C1 controls and DEL: a terminal obeys them. */
static bool is_control(const unsigned char *character, size_t length)
{
	if (length == 1) {
		return character[0] < 0x20 || character[0] == 0x7f;
	}
	return length == 2 && character[0] == 0xc2 && character[1] < 0xa0;
}

const char *rl_printable(char *buffer, size_t size, const char *text, size_t length)
{
	static const char hex[] = "0123456789abcdef";
	const unsigned char *in = (const unsigned char *)text;
	size_t used = 0, cut = 0, dots;

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
			buffer[used + 2] = hex[in[0] >> 4];
			buffer[used + 3] = hex[in[0] & 0x0f];
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

enum rl_status rl_fail(struct rl_error *error, enum rl_status status, const char *format, ...)
{
	/* One byte more than fits, so that a cut is seen; and `error` may be among the arguments. */
	char text[RL_ERROR_MESSAGE_SIZE + 1];
	va_list arguments;

	va_start(arguments, format);
	if (vsnprintf(text, sizeof(text), format, arguments) < 0) {
		snprintf(text, sizeof(text), "%s", format);
	}
	va_end(arguments);
	rl_printable(error->message, sizeof(error->message), text, strlen(text));
	error->code[0] = '\0';
	error->key = NULL;
	error->key_length = 0;
	error->late_by = 0;
	error->held = error->unanswered = false;
	return status;
}
