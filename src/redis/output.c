#include "output.h"
#include "../base/number.h"

#include <stdlib.h>
#include <string.h>

#define HEAD_MAX (1 + RL_NUMBER_SIZE + 2)
#define TO_KEEP  (16 * 1024)

/* There was a password among them. */
static void discard(struct rl_output *output)
{
	rl_system_wipe(output->bytes, output->size);
	free(output->bytes);
}

/* Room for this many bytes more. False: out of memory. */
static bool reserve(struct rl_output *output, size_t length)
{
	size_t needed = output->length + length, size;
	char *larger;

	if (needed <= output->size) {
		return true;
	}
	size = needed > 2 * output->size ? needed : 2 * output->size;
	larger = malloc(size);
	if (!larger) {
		return false;
	}
	if (output->length > 0) {
		memcpy(larger, output->bytes, output->length);
	}
	discard(output);
	output->bytes = larger;
	output->size = size;
	return true;
}

/* "$5\r\n": what comes, and its number. Returns where it ends. */
static inline char *put_head(char *at, char type, size_t number)
{
	*at++ = type;
	if (number < 100) { /* as nearly all are: not worth a call */
		if (number >= 10) {
			*at++ = (char)('0' + number / 10);
		}
		*at++ = (char)('0' + number % 10);
	} else {
		at += rl_number_put(at, (int64_t)number);
	}
	*at++ = '\r';
	*at++ = '\n';
	return at;
}

bool rl_output_append(struct rl_output *output, const struct rl_text *words, size_t count)
{
	size_t most = HEAD_MAX;
	char *at;

	for (size_t i = 0; i < count; i++) {
		most += HEAD_MAX + words[i].length + 2;
	}
	if (!reserve(output, most)) {
		return false;
	}
	at = put_head(output->bytes + output->length, '*', count);
	for (size_t i = 0; i < count; i++) {
		at = put_head(at, '$', words[i].length);
		memcpy(at, words[i].data, words[i].length);
		at += words[i].length;
		*at++ = '\r';
		*at++ = '\n';
	}
	output->length = (size_t)(at - output->bytes);
	return true;
}

void rl_output_clear(struct rl_output *output)
{
	output->length = output->sent = 0;
	if (output->size > TO_KEEP) {
		rl_output_free(output);
	}
}

void rl_output_free(struct rl_output *output)
{
	discard(output);
	*output = (struct rl_output){ .bytes = NULL };
}
