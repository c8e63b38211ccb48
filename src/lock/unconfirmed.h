/*
 * Releases that were sent and not waited for. Their answers are read before the next one on
 * the same connection; a bad verdict is told by the owner's next call.
 */
#ifndef RL_UNCONFIRMED_H
#define RL_UNCONFIRMED_H

#include "owner_state.h"

/*
 * Sends the release of a lease that is still safe. RL_OK: sent in time; what cannot be sent, or
 * was sent too late, is waited for as ever.
 */
enum rl_status rl_release_unconfirmed(struct rl_owner *owner, struct rl_lease *lease, int64_t delay_ms,
	struct rl_error *error);

/*
 * Whether a release of this lock by the same owner, which an ask has just found taken, was lost or refused. One whose answer has
 * not come is out on another connection than the ask was, and is given up.
 */
bool rl_unconfirmed_is_lost(struct rl_owner *owner, const struct rl_lease *lease);
/* The key of what an earlier call was told has been read. */
void rl_unconfirmed_let_go_of_told(struct rl_owner *owner);
/* Forgets what is over; what is to be repeated is the owner's to undo. Does no I/O. */
void rl_unconfirmed_sort_out(struct rl_owner *owner);

/* The next verdict among those that have arrived, once each; RL_OK: none. */
enum rl_status rl_unconfirmed_verdict(struct rl_owner *owner, struct rl_error *error);

/* Waits for all, and counts the bad ones. */
void rl_unconfirmed_settle_all(struct rl_owner *owner, rl_time deadline, struct rl_release_summary *summary);

/* The owner ends: nobody is told any more. */
void rl_unconfirmed_abandon(struct rl_owner *owner);

#endif
