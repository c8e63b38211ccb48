#include "late.h"

#include <stdlib.h>

/* NULL: out of memory. */
static struct rl_late *begin(const struct rl_route *route, struct rl_lease *lease)
{
	struct rl_late *late = rl_late_of(lease);

	if (!late) {
		late = calloc(1, sizeof *late + route->node_count * sizeof late->nodes[0]);
	}
	if (late && !lease->late) {
		late->answers.lease = lease;
		lease->late = &late->answers;
	}
	return late;
}

struct rl_late *rl_late_begin_release(const struct rl_route *route, struct rl_lease *lease)
{
	struct rl_late *late = begin(route, lease);

	if (late && !late->release.lease) {
		rl_release_begin(&late->release, lease, lease->delay_ms);
	}
	return late;
}

static struct rl_deferred *defer(struct rl_late *late, size_t node, struct rl_late_answer *answer,
	void (*on_reply)(struct rl_deferred *deferred, const struct rl_reply *reply))
{
	late->answers.out++;
	*answer = (struct rl_late_answer){
		.deferred = { .on_reply = on_reply }, .late = late, .node = node
	};
	return &answer->deferred;
}

/* Counts an answer. NULL: its lease is gone. */
static struct rl_lease *count_answer(struct rl_late *late)
{
	struct rl_lease *lease = late->answers.lease;

	if (--late->answers.out == 0 && !lease) {
		free(late);
	}
	return lease;
}

/* --- grants --- */

/*
 * Once the lease is to be released it is asked whatever its fence is, which under a name may be an
 * earlier grant's.
 */
static void on_grant(struct rl_deferred *deferred, const struct rl_reply *reply)
{
	struct rl_late_answer *answer = (struct rl_late_answer *)deferred;
	struct rl_late *late = answer->late;
	size_t node = answer->node;
	struct rl_grant grant;
	struct rl_lease *lease;

	answer->late = NULL;
	lease = count_answer(late);
	if (lease && !late->release.lease && reply && rl_now() < late->until
		&& rl_protocol_parse_grant(reply, 0, &grant)) {
		rl_holding_note(lease, node, grant.ours, grant.fence);
	}
}

struct rl_deferred *rl_late_defer_grant(
	const struct rl_route *route, struct rl_lease *lease, size_t node, rl_time until)
{
	struct rl_late *late = begin(route, lease);

	rl_holding_doubt(lease, rl_broadcast_bit(node));
	if (!late || late->nodes[node].grant.late) {
		return NULL;
	}
	late->until = until;
	return defer(late, node, &late->nodes[node].grant, on_grant);
}

const struct rl_connection *rl_late_connection(const struct rl_lease *lease, size_t node)
{
	const struct rl_late *late = rl_late_of(lease);

	return late && late->nodes[node].grant.late ? late->nodes[node].grant.deferred.connection
												: NULL;
}

/* --- releases --- */

static void on_release(struct rl_deferred *deferred, const struct rl_reply *reply)
{
	struct rl_late_answer *answer = (struct rl_late_answer *)deferred;
	struct rl_late *late = answer->late;
	uint32_t bit = rl_broadcast_bit(answer->node);
	struct rl_outcome outcome;

	if (!count_answer(late)) {
		return;
	}
	late->out &= ~bit;
	late->release.copies_out |= reply ? 0 : bit;
	if (!reply || !rl_protocol_parse_outcome(reply, &outcome)) {
		late->to_send |= bit;
		return;
	}
	if (late->kept) { /* otherwise its owner sends another, whose answer tells */
		rl_holding_end(&late->release, answer->node, outcome.answer, false);
	}
}

struct rl_deferred *rl_late_defer_release(
	const struct rl_route *route, struct rl_lease *lease, size_t node)
{
	struct rl_late *late = rl_late_begin_release(route, lease);

	if (!late || late->out & rl_broadcast_bit(node)) {
		return NULL; /* one that is out already tells as much */
	}
	late->out |= rl_broadcast_bit(node);
	late->to_send &= ~rl_broadcast_bit(node);
	return defer(late, node, &late->nodes[node].release, on_release);
}
