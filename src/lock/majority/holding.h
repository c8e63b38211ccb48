/*
 * What each node of a majority holds of a lease (struct rl_holding in lease.h), as far as its answers tell, and which
 * of them have a vote on the lease's end.
 */
#ifndef RL_HOLDING_H
#define RL_HOLDING_H

#include "../../call/broadcast.h"
#include "../lease.h"
#include "../lock_state.h"
#include "../release.h"

/* Makes room for what `node_count` nodes hold. False: out of memory. */
bool rl_holding_begin(struct rl_lease *lease, size_t node_count);
/* The same, with what each node was found to hold, as the backend's note_holders() says. */
bool rl_holding_note_found(struct rl_owner *owner, struct rl_lease *lease, struct rl_lock_state *state);
/* Frees the lease with its holdings, whatever the nodes hold. */
void rl_holding_forget(struct rl_lease *lease);

/* Nodes that may hold the lease. */
uint32_t rl_holding_nodes(const struct rl_lease *lease);

/*
 * The step's call as one node is sent it on this connection, with the fence that this node knows and the token that is
 * there. Valid until the next.
 */
const struct rl_call *rl_holding_call(struct rl_step *step, size_t node, const struct rl_connection *connection);

/* The answer of acquire, the fence or {0, left, whose}, or of replace: {1, fence as text, left} or {why not}. */
void rl_holding_read(struct rl_holding *holding, const struct rl_reply *reply);
/* What hears of such an answer that nobody waits for. NULL: out of memory. */
struct rl_deferred *rl_holding_defer(struct rl_holding *holding);
/*
 * After a call that takes the lock: nodes that were sent it and are not among those `heard` have said neither yes nor
 * no; and where a sending was lost, copies of it may still come, until `deadline`.
 */
void rl_holding_note_unheard(struct rl_lease *lease, const struct rl_broadcast *broadcast, uint32_t heard,
	rl_time deadline);

/*
 * Whether a node's answer on the lease's end counts. A node that never granted the lock has no vote. One of which we
 * have not heard whether it did has one only by having the lock: what else it says is what it would say if it had
 * never heard of us. And if a copy of the take may have come there when the lease was over, having the lock tells
 * nothing. `asked_at`: when the node was asked, or the moment of its answer.
 */
bool rl_holding_has_vote(const struct rl_lease *lease, size_t node, enum rl_answer answer, rl_time asked_at);

/*
 * A node has answered the release: counts its vote, and notes that it holds nothing any more. `again`: it has
 * answered a second sending, and the first one's answer was lost.
 */
void rl_holding_end(struct rl_release *release, size_t node, enum rl_answer answer, bool again);

#endif
