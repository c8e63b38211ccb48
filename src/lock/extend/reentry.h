/*
 * Re-entrance that is stepped from outside: rl_prolongate_reenter() for those who may not wait.
 *
 *   rl_reentry_begin()
 *   rl_reentry_go_on()     for as long as it is RL_NO
 *   rl_reentry_awaits()
 *   rl_reentry_end()       at any time: a lease that has become longer meanwhile does no harm
 *
 * What is sent is about a copy of the lease, since the owner may end the lease itself between two
 * steps.
 */
#ifndef RL_REENTRY_H
#define RL_REENTRY_H

#include "../../call/errand.h"
#include "../owner/internal.h"

struct rl_reentry {
	struct rl_owner *owner;
	struct rl_text key;    /* the caller's */
	struct rl_lease *copy; /* NULL: it has ended */
	int64_t lease_ms;
	struct rl_step step;
	struct rl_words words;
	struct rl_errand errand;
	struct rl_outcome outcome;
	bool is_gone; /* out: the lock was given back meanwhile, so that there is nothing to re-enter */
};

/*
 * Whether it can be done so: of one server, where nothing else is out for the lease and it stays
 * what it is.
 */
bool rl_reentry_is_possible(
	const struct rl_owner *owner, struct rl_lease *held, bool wants_share);
/* `key` stays the caller's. RL_OK, or RL_NO_MEMORY. */
enum rl_status rl_reentry_begin(struct rl_reentry *reentry, struct rl_owner *owner,
	const struct rl_lease *held, struct rl_text key, int64_t lease_ms, struct rl_error *error);
/* RL_OK: a level deeper, or `is_gone`; a verdict; RL_UNREACHABLE, RL_REFUSED. */
enum rl_status rl_reentry_go_on(struct rl_reentry *reentry, struct rl_error *error);
void rl_reentry_awaits(struct rl_reentry *reentry, struct rl_polls *polls);
void rl_reentry_end(struct rl_reentry *reentry);

#endif
