/*
 * What nodes of a majority may still hold of a lease that is over: it is released there without
 * anybody waiting. A release that could not be sent, or whose answer did not come, is sent again at the
 * next contact. Every take has a token of its own, so this never frees another; where a copy of the take
 * may still come, the release closes that token, so that the copy takes nothing.
 *
 * It is also how a release that is not confirmed is sent to all nodes; then a bad verdict is told
 * by the owner's next call.
 */
#ifndef RL_LEFTOVER_H
#define RL_LEFTOVER_H

#include "owner_state.h"

/* What hears of a late answer to a release on this node. NULL: out of memory. */
struct rl_deferred *rl_leftover_late(struct rl_owner *owner, struct rl_lease *lease, size_t node);

/*
 * Takes over a lease that is out of the owner, to be released on those of `nodes` where no answer
 * is out. Without memory to remember it, its expiry must free it.
 */
void rl_leftover_keep(struct rl_owner *owner, struct rl_lease *lease, uint32_t nodes);

/* Sends what is to be sent and can be at once; forgets what is over. */
void rl_leftovers_send(struct rl_owner *owner);

/* Whether nodes may still hold a lease of this lock whose release was lost there. */
bool rl_leftovers_hold(const struct rl_owner *owner, const struct rl_lease *lease);

/* As rl_release_unconfirmed(). */
enum rl_status rl_leftover_release(struct rl_owner *owner, struct rl_lease *lease, int64_t delay_ms,
	struct rl_error *error);
/* As rl_unconfirmed_verdict(). */
enum rl_status rl_leftovers_verdict(struct rl_owner *owner, struct rl_error *error);
/*
 * As rl_unconfirmed_settle_all(): waits for verdicts, and a moment for connections by which what could not be sent
 * yet can be.
 */
void rl_leftovers_settle(struct rl_owner *owner, rl_time deadline, struct rl_release_summary *summary);

/* The owner ends. */
void rl_leftovers_abandon(struct rl_owner *owner);

#endif
