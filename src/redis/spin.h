/*
 * How long to try to read an answer before sleeping until it comes.
 *
 * Most of the time of a short request to a server nearby goes into putting a CPU to sleep and
 * waking it up. To keep reading, with no sleep in between, saves one of two such wakes, and its CPU
 * time. It is of no use where the server needs that very CPU, or takes long. A client cannot tell,
 * so each connection compares: of every 1,024 answers it sleeps for the first 16, tries to read the
 * next 16, and then does what was faster, as long as that is so. Of fewer the first would count too
 * much: the kernel may still have both on one CPU then. It ends by itself after a few answers that
 * came late, because the server is slow or far away.
 *
 * What is faster for one client may be slower for all: one that stays awake keeps others from the
 * CPU, the server among them. So none tries where those that it slept for came late, or where more
 * threads want to run than there are CPUs; nor does a connection that had to wait for a lock, until
 * it compares again, since those that it waits with need the CPUs to be woken.
 *
 * Giving the CPU away between two tries, by sched_yield(2), helps where the server waits for this
 * CPU, but costs a whole time slice where other programs do.
 *
 *   until = rl_spin_until()
 *   ...                      try to read until then; after that, sleep until the answer comes
 *   rl_spin_learn()
 *   rl_spin_rest()           before the connection waits for a lock
 */
#ifndef RL_SPIN_H
#define RL_SPIN_H

#include "../base/system.h"

/* What a connection has learned. All zero: nothing yet. */
struct rl_spin {
	unsigned answers;
	/* how long they took on average of late, if it slept at once, and if it tried first */
	rl_time slept, spun;
	/* after those that it slept for, others wanted the CPUs; or it has waited for a lock */
	bool crowded;
};

/*
 * Whether the calling thread may, where it has more than one CPU. Not at first: a thread that works
 * in the background has no need to.
 */
void rl_spin_allow(bool allowed);
/* Until when to try to read an answer that is awaited from `now` on; 0: not at all. */
rl_time rl_spin_until(const struct rl_spin *spin, rl_time now, rl_time deadline);
/* The answer took so long. `spun`: the caller has tried first. */
void rl_spin_learn(struct rl_spin *spin, bool spun, rl_time took);
/* It does not try until it compares again. */
void rl_spin_rest(struct rl_spin *spin);

#endif
