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
	bool is_shared;  /* the value, what is left and the fence are those of one share; no value: none is known */
	bool was_shared; /* it is held exclusively, and was a share before: leave gives it back */
	/* Of a majority. */
	uint32_t holders, silent; /* nodes that hold this value or another of the name's tokens, and those that have not answered */
	struct rl_token *others;  /* find: by node, another of the name's tokens, which is there; NULL: nowhere */
};

/* RL_OK: to be cleared afterwards. RL_UNREACHABLE: this is not inspect's answer; RL_NO_MEMORY. */
enum rl_status rl_lock_state_read(struct rl_lock_state *state, const struct rl_reply *reply);
/* Whether L holds this token, whatever the fence. */
bool rl_lock_state_shows(const struct rl_lock_state *state, struct rl_text token);
/* Whether the lease holds the lock. */
bool rl_lock_state_is_of(const struct rl_lock_state *state, const struct rl_lease *lease);
void rl_lock_state_clear(struct rl_lock_state *state);

#endif
