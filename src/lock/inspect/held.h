/*
 * Asking the server whether we have a lock, for calls that have found the lease.
 */
#ifndef RL_HELD_H
#define RL_HELD_H

#include "../owner/internal.h"

/*
 * Asks whether the lease holds its lock. RL_OK: `left_ms`, or NULL, is told what is left of it, -1
 * for ever; RL_NO; RL_AGAIN: the lease, which may be freed, is not held any more.
 */
enum rl_status rl_held_verify(struct rl_owner *owner, struct rl_lease *lease, rl_time deadline,
	int64_t *left_ms, struct rl_error *error);

#endif
