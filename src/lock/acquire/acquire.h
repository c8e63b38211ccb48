/*
 * Taking one lock, as a part of a call.
 */
#ifndef RL_ACQUIRE_H
#define RL_ACQUIRE_H

#include "../owner/internal.h"

/*
 * As rl_owner_acquire(), of a call that ends at `*deadline`; a wait comes on top, and then that is
 * the deadline of its last part.
 */
enum rl_status rl_acquire_within(struct rl_owner *owner, const struct rl_acquire *terms,
	rl_time *deadline, struct rl_error *error);

#endif
