/*
 * Looking at a lock on its server, for the operations that must know before they act.
 */
#ifndef RL_INSPECT_H
#define RL_INSPECT_H

#include "owner_internal.h"

/* Asks whether the lease holds its lock, as rl_owner_is_locking(). */
enum rl_status rl_inspect_lease(struct rl_owner *owner, const struct rl_lease *lease, int64_t *left_ms,
	struct rl_error *error);

/* Begins a call that looks who holds a lock: a verdict, or RL_OK, and a claim of ours is answered by then. */
enum rl_status rl_inspect_begin(struct rl_owner *owner, struct rl_text key, struct rl_error *error);
/* Looks, as rl_owner_holder(). */
enum rl_status rl_inspect_holder(struct rl_owner *owner, const struct rl_keys *keys,
	struct rl_holder *out, struct rl_error *error);
/* Who holds a lock that is in this state, and is not free. The state's value becomes the holder's. */
void rl_inspect_read_holder(struct rl_state *state, struct rl_holder *out);

#endif
