/*
 * What nobody knows of a request: an answer was lost, or does not count. It travels with what was
 * asked, from a call to its step or its attempt, and in the end says whether what was asked for is
 * to be undone.
 *
 * Of a majority it is the same for the step as a whole; which nodes have not answered is known to
 * their holdings and releases.
 */
#ifndef RL_DOUBT_H
#define RL_DOUBT_H

#include <stdbool.h>

struct rl_doubt {
	/* It was not done as far as we know, and may have been, or may yet be. An answer clears it. */
	bool fate_unknown;
	/* A sending was never answered, and may be run at any time. Nothing clears it. */
	bool copy_out;
};

/* A sending will not be answered. */
static inline void rl_doubt_lost(struct rl_doubt *doubt)
{
	doubt->fate_unknown = doubt->copy_out = true;
}

static inline void rl_doubt_add(struct rl_doubt *doubt, const struct rl_doubt *more)
{
	doubt->fate_unknown |= more->fate_unknown;
	doubt->copy_out |= more->copy_out;
}

static inline bool rl_doubt_any(const struct rl_doubt *doubt)
{
	return doubt->fate_unknown || doubt->copy_out;
}

#endif
