/*
 * What a lock's keys hold, as the script inspect tells it: who has the lock, and for how long.
 */
#ifndef RL_LOCK_STATE_H
#define RL_LOCK_STATE_H

#include "../redis/reply.h"
#include "lease.h"

struct rl_lock_state {
	char *value; /* what L holds, a copy; NULL: L is free, or of another type */
	size_t value_length;
	int64_t left_ms; /* -1: never expires; -2: free */
	int64_t fence;   /* 0: none, or not known */
	bool contended;
	struct rl_holdings holdings; /* nodes that hold this value, or another grant of the same name */
};

/* RL_OK: to be cleared afterwards. RL_UNREACHABLE: this is not inspect's answer; RL_NO_MEMORY. */
enum rl_status rl_lock_state_read(struct rl_lock_state *state, const struct rl_reply *reply);
struct rl_text rl_lock_state_value(const struct rl_lock_state *state);
/* Whether L holds a grant with this token. */
bool rl_lock_state_shows(const struct rl_lock_state *state, struct rl_text token);
/* Makes the lease that of the grant that L holds. */
void rl_lock_state_note(const struct rl_lock_state *state, struct rl_lease *lease);
void rl_lock_state_clear(struct rl_lock_state *state);

#endif
