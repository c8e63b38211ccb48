/*
 * Another lease on what we hold, for the operations that find it held.
 *
 * A longer lease is a maximum, so that however late it comes it does no harm. A shorter one is a
 * new grant (regrant.h).
 */
#ifndef RL_PROLONGATE_H
#define RL_PROLONGATE_H

#include "../owner/regrant.h"

/*
 * Another may have had the lock already when the answer came: then the new lease has ended, too,
 * and that is the verdict.
 */
enum rl_status rl_prolongate_came_in_time(
	struct rl_owner *owner, struct rl_lease *lease, rl_time deadline, struct rl_error *error);
/*
 * Re-entrance: the lease becomes the longer of what is left and `lease_ms`, and a level deeper.
 * After a verdict it has ended.
 */
enum rl_status rl_prolongate_reenter(struct rl_owner *owner, struct rl_lease *lease,
	int64_t lease_ms, rl_time deadline, struct rl_error *error);

#endif
