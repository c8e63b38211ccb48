/*
 * The deadline that a call has, and how a call begins.
 */
#include "internal.h"

rl_time rl_owner_deadline(struct rl_owner *owner)
{
	return owner->deadline ? owner->deadline : rl_owner_deadline_anew(owner);
}

rl_time rl_owner_deadline_anew(struct rl_owner *owner)
{
	return owner->deadline = rl_now() + owner->route->timeout;
}

rl_time rl_owner_contact(struct rl_owner *owner, const struct rl_keys *keys)
{
	rl_time deadline = rl_owner_deadline(owner);

	owner->backend->repeat(owner, keys, deadline, NULL);
	return deadline;
}

/* How long that may take at least. */
#define PATIENCE (200 * RL_MILLISECOND)

void rl_owner_take_back(struct rl_owner *owner)
{
	rl_time deadline = rl_time_later(rl_owner_deadline(owner), rl_now() + PATIENCE);

	owner->backend->repeat(owner, NULL, deadline, NULL);
}

void rl_owner_begin(struct rl_owner *owner)
{
	if (!owner->goes_on) {
		owner->deadline = 0;
	}
	owner->goes_on = false;
}

void rl_owner_go_on(struct rl_owner *owner)
{
	owner->goes_on = true;
}
