/*
 * The deadline that a call has.
 */
#include "internal.h"

rl_time rl_owner_deadline(const struct rl_owner *owner, rl_time began)
{
	return began + owner->route->timeout;
}

/* How long that may take at least. */
#define PATIENCE (200 * RL_MILLISECOND)

void rl_owner_take_back(struct rl_owner *owner, rl_time deadline)
{
	owner->backend->repeat(owner, NULL, rl_time_later(deadline, rl_now() + PATIENCE), NULL);
}
