/*
 * Takes and releases of which nobody knows whether they were done: the answer was lost, and
 * what was written behind them may never have been read. Their release is repeated at the next
 * contact with their server, at the latest when the owner ends, with the delay that was asked for.
 * Every take has a token of its own, so this never frees another.
 *
 * A copy of a take may still be on its way. Its undo closes its token, so that the copy takes nothing.
 */
#ifndef RL_UNDO_H
#define RL_UNDO_H

#include "lease.h"
#include "../route/route.h"

struct rl_undo {
	struct rl_undo *next;
	struct rl_lease *lease;
};

/* Takes the lease over. Without memory to remember it, its expiry must free it. */
void rl_undo_add(struct rl_undo **undos, struct rl_lease *lease);
/*
 * Tries those on the server of the lock `near`, or all if that is NULL. What cannot be sent stays, and with it what is
 * for the same server; that must not keep the others from being tried. After a fork they are the parent's and dropped.
 */
void rl_undo_run(struct rl_undo **undos, struct rl_route *route, const struct rl_keys *near, rl_time deadline);
/* Whether one is there for the same lock as `lease`. */
bool rl_undo_has(const struct rl_undo *undos, const struct rl_lease *lease);
/* Tries the one that was added last. */
void rl_undo_first(struct rl_undo **undos, struct rl_route *route, rl_time deadline);
void rl_undo_clear(struct rl_undo **undos);

#endif
