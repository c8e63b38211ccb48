/*
 * A change of a lock that is held, under way while others may run (../../base/stack.h): from a
 * share to exclusive or back, or into other hands. A request about the lock as it was would be
 * misunderstood. So whoever is to make one steps the change's stack until it is known what became
 * of it: rl_owner_use_alone(). What is under way on the thread's own stack cannot be waited for, by
 * what its hook runs.
 */
#ifndef RL_CHANGE_H
#define RL_CHANGE_H

#include "internal.h"
#include "../../base/stack.h"

struct rl_change {
	struct rl_text key;
	struct rl_stack *stack; /* NULL: the thread's own */
	uint64_t generation;
	const char *what; /* as "made a share" */
	bool is_hurried;  /* somebody else waits for it */
	RL_LINK(struct rl_change, link);
};

/* It is kept where it is until it has ended, and so is the lease. */
void rl_change_begin(struct rl_change *change, struct rl_owner *owner,
	const struct rl_lease *lease, const char *what);
/*
 * What became of it is in the owner's table. If somebody else has waited for it, this comes back
 * when it is stepped by its own: what was true before may be true no more.
 */
RL_MUST_USE enum rl_wanted rl_change_end(struct rl_change *change);

#endif
