/*
 * Making a lease that we hold longer, for the operations that find it held.
 */
#ifndef RL_EXTEND_H
#define RL_EXTEND_H

#include "owner_internal.h"

/* The lease becomes the longer of what is left and `lease_ms`. After a verdict it has ended. */
enum rl_status rl_extend_lease(struct rl_owner *owner, struct rl_lease *lease, int64_t lease_ms, struct rl_error *error);
/* Re-entrance: the same, and a level deeper. */
enum rl_status rl_extend_reenter(struct rl_owner *owner, struct rl_lease *lease, int64_t lease_ms,
	struct rl_error *error);

#endif
