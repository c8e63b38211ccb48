#ifndef RL_REENTER_H
#define RL_REENTER_H

#include "mode.h"

/*
 * Re-entrance of what is held either way, as a share or exclusively. RL_NO: an exclusive lock is
 * asked for, and ours is not the only share. RL_AGAIN: what is held is to be looked for again.
 */
enum rl_status rl_reenter(struct rl_owner *owner, struct rl_lease *held, bool wants_share,
	int64_t lease_ms, rl_time deadline, struct rl_error *error);

#endif
