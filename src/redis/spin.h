/*
 * How long to try to read an answer before sleeping until it comes.
 *
 * Most of the time of a short request to a server nearby goes into putting a CPU to sleep and
 * waking it up. To keep reading, with no sleep in between, saves one of two such wakes, and its CPU
 * time. It is of no use where the server needs that very CPU, or takes long. A client cannot tell,
 * so each connection compares, and that is the whole rule: of every 1,024 answers it sleeps for the
 * first 16, tries to read the next 16, and then does what was faster, as long as that is so. Of
 * fewer the first would count too much: the kernel may still have both on one CPU then. It ends by
 * itself after a few answers that came late, because the server is slow or far away.
 *
 * What is faster for one client may be slower for all: one that stays awake keeps others from the
 * CPU, the server among them. No client can see that in its own answers, so no thread tries unless
 * it was told to.
 *
 *   until = rl_spin_until()
 *   ...                      try to read until then; after that, sleep until the answer comes
 *   rl_spin_learn()
 */
#ifndef RL_SPIN_H
#define RL_SPIN_H

#include "../base/system.h"

/* What a connection has learned. All zero: nothing yet. */
struct rl_spin {
	unsigned answers;
	/* how long they took on average of late, if it slept at once, and if it tried first */
	rl_time slept, spun;
};

/* Whether the calling thread may try. Not at first. */
void rl_spin_allow(bool allowed);
/* Whether it may. If not, there is nothing to learn. */
bool rl_spin_is_allowed(void);
/* Until when to try to read an answer that is awaited from `now` on; 0: not at all. */
rl_time rl_spin_until(const struct rl_spin *spin, rl_time now, rl_time deadline);
/* The answer took this long. `spun`: the caller has tried first. */
void rl_spin_learn(struct rl_spin *spin, bool spun, rl_time took);

#endif
