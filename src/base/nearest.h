/*
 * Which of several names somebody may have meant who wrote another.
 *
 *   struct rl_nearest nearest = { .wanted = what was written };
 *   rl_nearest_try()    with each of the names
 */
#ifndef RL_NEAREST_H
#define RL_NEAREST_H

#include "text.h"

struct rl_nearest {
	struct rl_text wanted;
	const char *name; /* that is near; NULL: none so far */
	size_t distance;  /* of that: letters that are too many, missing, or others */
};

void rl_nearest_try(struct rl_nearest *nearest, const char *name);

#endif
