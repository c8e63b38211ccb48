/*
 * Re-entrance that is stepped from outside: rl_mode_reenter() for those who may not wait.
 *
 *   rl_reentry_begin()      or rl_reentry_take_over()
 *   rl_reentry_set_out()
 *   rl_reentry_go_on()      until it is true: it is over
 *   rl_reentry_end()        at any time
 *
 *   SETTLING ──► LENGTHENING ──► over      a new grant that is pending; and the longer lease
 *       └──────► UPGRADING ────► over      a share becomes exclusive
 *                    └─► DOWNGRADING       but nobody wants it any more
 *
 * What is sent is about a copy of the lease, since the owner may change or end the lease itself
 * between two steps. Then what was answered says nothing, and it begins anew.
 */
#ifndef RL_REENTRY_H
#define RL_REENTRY_H

#include "../owner/stepping.h"

struct rl_reentry;

/* How it is held then. */
struct rl_reentry_terms {
	struct rl_text key;
	bool is_share; /* or exclusively, if it is held so */
	int64_t lease_ms;
};

/* RL_OK, or RL_NO_MEMORY. */
enum rl_status rl_reentry_begin(struct rl_owner *owner, struct rl_lease *held,
	const struct rl_reentry_terms *terms, struct rl_reentry **out, struct rl_error *error);
/* One that has ended, and changes that lock still; NULL: there is none. */
struct rl_reentry *rl_reentry_take_over(
	struct rl_owner *owner, const struct rl_reentry_terms *terms);
/*
 * Asks. What comes of it is told by the next step; if that can be taken at once, the moment is
 * past.
 */
void rl_reentry_set_out(struct rl_reentry *reentry, struct rl_polls *polls);
/*
 * False: it is under way, and what it waits for is added. RL_OK: a level deeper, or `*is_gone`:
 * the lock was given back meanwhile, so that there is nothing to re-enter. RL_NO: ours is not the
 * only share; a verdict; RL_UNREACHABLE, RL_REFUSED, RL_NO_MEMORY.
 */
bool rl_reentry_go_on(struct rl_reentry *reentry, enum rl_status *status, bool *is_gone,
	struct rl_polls *polls, struct rl_error *error);
/*
 * The caller is done with it. A lease that becomes longer still does no harm; but a change is gone
 * on with, and taken back, by rl_reentry_tidy().
 */
void rl_reentry_end(struct rl_reentry *reentry);
/* Goes on with what has ended so in this thread. */
void rl_reentry_tidy(void);
/* Frees those of an owner that ends. */
void rl_reentry_drop_all(struct rl_owner *owner);

#endif
