/*
 * Answers of a majority's nodes that nobody waits for any more: what a node holds of a lease is
 * known when they come. An answer to a release says that it is released there; without one, that is
 * to be sent again (discarded.c).
 */
#ifndef RL_LATE_H
#define RL_LATE_H

#include "majority.h"

struct rl_late_answer {
	struct rl_deferred deferred;
	struct rl_late *late;
	size_t node;
};

struct rl_late {
	struct rl_late_answers answers; /* the lease's */
	rl_time until;                  /* of the grant */
	struct rl_release release;      /* formed when it is needed; its lease is NULL before */
	bool kept;                      /* the lease is in the owner's list */
	uint32_t to_send, out;          /* releases */
	struct {
		struct rl_late_answer grant, release;
	} nodes[];
};

static inline struct rl_late *rl_late_of(const struct rl_lease *lease)
{
	return (struct rl_late *)lease->late;
}

/* Makes room for answers to the lease's release, which is formed. NULL: out of memory. */
struct rl_late *rl_late_begin_release(const struct rl_route *route, struct rl_lease *lease);

/*
 * What hears of a node's answer: to a call that takes the lock, and to a release. From `until` on a
 * grant says nothing any more: another may have had the lock when the call was run. NULL: out of
 * memory, or an answer of the same kind is still to come from that node.
 */
struct rl_deferred *rl_late_defer_grant(
	const struct rl_route *route, struct rl_lease *lease, size_t node, rl_time until);
/* Where a node's answer about the grant is still to come; or NULL. */
const struct rl_connection *rl_late_connection(const struct rl_lease *lease, size_t node);
struct rl_deferred *rl_late_defer_release(
	const struct rl_route *route, struct rl_lease *lease, size_t node);

#endif
