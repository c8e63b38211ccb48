/*
 * What a call that takes a lock and a Pending have in common: the attempt before it asks, and what
 * becomes of the lease in the end.
 */
#ifndef RL_TAKING_H
#define RL_TAKING_H

#include "wait.h"

/* RL_OK: the wait has an attempt, which has not asked yet. The caller frees the wait. */
enum rl_status rl_taking_prepare(struct rl_owner *owner, const struct rl_acquire *request,
	rl_time deadline, struct rl_wait **out, struct rl_error *error);
/*
 * What was granted is the owner's, or the name's, from now on. Asks no server; but one that only
 * waits until the lock is free gives it back.
 */
enum rl_status rl_taking_keep(struct rl_attempt *attempt, struct rl_error *error);
/* Otherwise the lease is released at the next contact, if it may be held. */
void rl_taking_discard(struct rl_attempt *attempt);

#endif
