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

/* What is sent for it. */
struct rl_step rl_regrant_step(struct rl_lease *lease, int64_t lease_ms);
/*
 * Until when the lease is safe whichever sending makes it: the earlier of two ends. To be known
 * before it is sent.
 */
rl_time rl_regrant_least(const struct rl_lease *lease, int64_t lease_ms);
/* What came of that; NULL: no answer. The lease's tenure and the renewal thread know of it. */
void rl_regrant_answered(struct rl_lease *lease, const struct rl_step *step, rl_time least,
	const struct rl_outcome *outcome);
/*
 * All of that. RL_OK: `answer` says whether it is ours. RL_AGAIN, here and below, as
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
