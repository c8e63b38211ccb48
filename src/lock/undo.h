/*
 * Takes and releases of which nobody knows whether they were done: the answer was lost, and
 * what was written behind them may never have been read. Their release is repeated at the next
 * contact, at the latest when the owner ends, with the delay that was asked for. Every take has
 * a token of its own, so this never frees another.
 */
#ifndef RL_UNDO_H
#define RL_UNDO_H

#include "lease.h"
#include "../redis/route.h"

struct rl_undo {
	struct rl_undo *next;
	struct rl_lease *lease;
};

/* Takes the lease over. Without memory to remember it, its expiry must free it. */
void rl_undo_add(struct rl_undo **undos, struct rl_lease *lease);
/* Tries each once, in order, until one cannot be sent. After a fork they are the parent's and dropped. */
void rl_undo_run(struct rl_undo **undos, struct rl_route *route, rl_time deadline);
void rl_undo_clear(struct rl_undo **undos);

#endif
