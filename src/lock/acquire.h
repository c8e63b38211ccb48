/*
 * Taking a lock, for acquire_all.c.
 */
#ifndef RL_ACQUIRE_H
#define RL_ACQUIRE_H

#include "owner_internal.h"

/* As rl_owner_acquire(), with a hook in place of the owner's. */
enum rl_status rl_acquire_hooked(struct rl_owner *owner, const struct rl_acquire *request, struct rl_wait_hook hook,
	struct rl_error *error);

#endif
