/*
 * What to do about a server's refusal, for people who do not know what its words mean. Each kind of
 * route has a table of its own, beside the one for all.
 */
#ifndef RL_ADVICE_H
#define RL_ADVICE_H

#include "../base/error.h"

struct rl_advice {
	const char *said; /* the refusal's code, or at least two words of its text */
	const char *advice;
};

/*
 * Adds to the message of a refusal what to do about it, if there is advice. `of_route` ends with an
 * empty one; or NULL.
 */
void rl_advice_add(const struct rl_advice *of_route, struct rl_error *error);

#endif
