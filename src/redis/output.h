/*
 * Commands on their way to a server: formatted as Redis reads them, in the order in which they will
 * be sent.
 */
#ifndef RL_OUTPUT_H
#define RL_OUTPUT_H

#include "../base/text.h"

struct rl_output {
	char *bytes;
	size_t sent, length, size; /* of the bytes: gone; in all; that there is room for */
};

/* One command more. False: out of memory. */
bool rl_output_append(struct rl_output *output, const struct rl_text *words, size_t count);
/* Forgets the bytes, all of which have been sent. The room that commands need as a rule is kept. */
void rl_output_clear(struct rl_output *output);
void rl_output_free(struct rl_output *output);

#endif
