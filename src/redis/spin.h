/*
 * How long to try to read an answer before sleeping until it comes.
 */
#ifndef RL_SPIN_H
#define RL_SPIN_H

#include "../base/system.h"

/* What a connection has learned. All zero: nothing yet. */
struct rl_spin {
	rl_time took; /* the last answer */
	int streak;   /* so many answers in a row came soon; below 0: did not */
};

/* For the calling thread. At first it may not. */
void rl_spin_allow(bool allowed);
/* Until when to try, once somebody waits from `now` on; 0: not at all. */
rl_time rl_spin_until(const struct rl_spin *spin, rl_time now, rl_time deadline);
/* An answer came so long after somebody began to wait for it. */
void rl_spin_learn(struct rl_spin *spin, rl_time took);

#endif
