/*
 * What each node of a majority holds of a lease (struct rl_holdings in lease.h), as far as its
 * answers tell, and which of them have a vote on the lease's end.
 */
#ifndef RL_HOLDING_H
#define RL_HOLDING_H

#include "../../call/broadcast.h"
#include "../lease.h"
#include "../owner/release.h"

/* Nodes that may hold the lease. */
uint32_t rl_holding_nodes(const struct rl_lease *lease);

/* A node has answered what grants it: yes, under this fence, or no. */
void rl_holding_note(struct rl_lease *lease, size_t node, bool is_held, int64_t fence);
/* Nodes have been asked, and nobody knows whether they hold it. */
void rl_holding_doubt(struct rl_lease *lease, uint32_t nodes);

/* Forms a step about a lease as a call to one node, which knows the grant under its own fence. */
const struct rl_call *rl_holding_form(
	struct rl_words *words, const struct rl_step *step, size_t node);

/*
 * Whether a node's answer on the lease's end counts. A node that never granted the lock has no
 * vote. One of which we have not heard whether it did has one only by having the lock, and within
 * the lease: what else it says is what it would say if it had never heard of us, and later on a
 * copy of the take may have come there.
 */
bool rl_holding_has_vote(
	const struct rl_holdings *holdings, size_t node, enum rl_answer answer, bool within_lease);

/*
 * A node has answered the release: counts its vote, and notes that it holds nothing any more.
 * `resent`: it has answered a second sending, and the first one's answer was lost.
 */
void rl_holding_end(struct rl_release *release, size_t node, enum rl_answer answer, bool resent);

#endif
