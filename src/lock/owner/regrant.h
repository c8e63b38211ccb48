/*
 * A new grant of what we hold, the protocol's anew, which may have a shorter lease: it asks for the
 * fence and raises it, so that it is made once.
 *
 * While it is unanswered (the protocol says: pending), the lease counts as the shorter of the two,
 * and nothing else is sent for it but the same request, by the renewal thread or by the owner's
 * next call.
 */
#ifndef RL_REGRANT_H
#define RL_REGRANT_H

#include "internal.h"

/*
 * Asks for one. RL_OK: `answer` says whether it is ours. RL_AGAIN, here and below, as
 * rl_owner_run_about().
 */
enum rl_status rl_regrant_ask(struct rl_owner *owner, struct rl_lease *lease, int64_t lease_ms,
	rl_time deadline, enum rl_answer *answer, struct rl_error *error);
/* Asks again for one that is unanswered. RL_OK: `answer` is OURS if there was none. */
enum rl_status rl_regrant_confirm(struct rl_owner *owner, struct rl_lease *lease, rl_time deadline,
	enum rl_answer *answer, struct rl_error *error);
/* The same; but half of the time is left for a release behind it. */
enum rl_status rl_regrant_confirm_before_release(struct rl_owner *owner, struct rl_lease *lease,
	rl_time deadline, enum rl_answer *answer, struct rl_error *error);

#endif
