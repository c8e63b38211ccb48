/*
 * Looking who holds a lock, for the calls that must know before they act.
 */
#ifndef RL_OWNER_HOLDER_H
#define RL_OWNER_HOLDER_H

#include "internal.h"

/* Begins a call that looks who holds a lock: a verdict, or RL_OK, and a claim of ours is answered by then. */
enum rl_status rl_holder_begin(struct rl_owner *owner, struct rl_text key, struct rl_error *error);
/* Looks, as rl_owner_holder(). */
enum rl_status rl_holder_look(struct rl_owner *owner, const struct rl_keys *keys,
	struct rl_holder *out, struct rl_error *error);
/* Who holds a lock that is in this state, and is not free. The state's value becomes the holder's. */
void rl_holder_read(struct rl_lock_state *state, struct rl_holder *out);

#endif
