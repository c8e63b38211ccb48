/*
 * Answers of nodes that nobody waits for any more: what a node holds of a lease is known when they
 * come, and what it may still hold of one that is over is released there. A release that could not
 * be sent, or whose answer did not come, is sent again at the next contact. Every take has a token
 * of its own, so this never frees another.
 */
#include "majority.h"

#include <stdlib.h>

struct answer {
	struct rl_deferred deferred;
	struct late *late;
	size_t node;
};

struct late {
	struct rl_late_answers answers; /* the lease's */
	/* Of the grant. */
	rl_time until;
	void (*read)(struct rl_lease *lease, size_t node, const struct rl_reply *reply);
	struct rl_release release; /* formed when it is needed; its lease is NULL before */
	bool kept;                 /* the lease is in the owner's list */
	uint32_t to_send, out;     /* releases */
	struct {
		struct answer grant, release;
	} nodes[];
};

static struct late *late_of(struct rl_lease *lease)
{
	return (struct late *)lease->late;
}

/* NULL: out of memory. */
static struct late *begin(const struct rl_route *route, struct rl_lease *lease)
{
	struct late *late = late_of(lease);

	if (!late) {
		late = calloc(1, sizeof *late + route->node_count * sizeof late->nodes[0]);
	}
	if (late && !lease->late) {
		late->answers.lease = lease;
		lease->late = &late->answers;
	}
	return late;
}

static struct late *begin_release(const struct rl_route *route, struct rl_lease *lease)
{
	struct late *late = begin(route, lease);

	if (late && !late->release.lease) {
		rl_release_begin(&late->release, lease, lease->delay_ms);
	}
	return late;
}

static struct rl_deferred *defer(struct late *late, size_t node, struct answer *answer,
	void (*on_reply)(struct rl_deferred *deferred, const struct rl_reply *reply))
{
	late->answers.out++;
	*answer = (struct answer){
		.deferred = { .on_reply = on_reply }, .late = late, .node = node
	};
	return &answer->deferred;
}

/* Counts an answer. NULL: its lease is gone. */
static struct rl_lease *count_answer(struct late *late)
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
	struct answer *answer = (struct answer *)deferred;
	struct late *late = answer->late;
	size_t node = answer->node;
	struct rl_lease *lease;

	answer->late = NULL;
	lease = count_answer(late);
	if (lease && !late->release.lease && reply && rl_now() < late->until) {
		late->read(lease, node, reply);
	}
}

struct rl_deferred *rl_majority_defer_grant(const struct rl_route *route, struct rl_lease *lease,
	size_t node, rl_time until,
	void (*read)(struct rl_lease *lease, size_t node, const struct rl_reply *reply))
{
	struct late *late = begin(route, lease);

	rl_holding_doubt(lease, rl_broadcast_bit(node));
	if (!late || late->nodes[node].grant.late) {
		return NULL;
	}
	late->until = until;
	late->read = read;
	return defer(late, node, &late->nodes[node].grant, on_grant);
}

/* --- releases --- */

static void on_release(struct rl_deferred *deferred, const struct rl_reply *reply)
{
	struct answer *answer = (struct answer *)deferred;
	struct late *late = answer->late;
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

struct rl_deferred *rl_majority_defer_release(
	const struct rl_route *route, struct rl_lease *lease, size_t node)
{
	struct late *late = begin_release(route, lease);

	if (!late || late->out & rl_broadcast_bit(node)) {
		return NULL; /* one that is out already tells as much */
	}
	late->out |= rl_broadcast_bit(node);
	late->to_send &= ~rl_broadcast_bit(node);
	return defer(late, node, &late->nodes[node].release, on_release);
}

static void send(struct rl_route *route, struct late *late)
{
	uint32_t nodes = late->to_send & ~late->out;

	if (nodes) {
		rl_majority_release_unheard(route, &late->release, nodes);
	}
}

/* --- leases that are over --- */

static bool is_ours(const struct late *late)
{
	return late->answers.lease->generation == rl_system_generation();
}

static bool is_over(const struct late *late)
{
	return late->out == 0 && (!is_ours(late) || late->to_send == 0);
}

/* Sends what is to be sent and can be at once; forgets what is over. */
static void send_all(struct rl_owner *owner)
{
	struct rl_table_entry **link = &owner->later;

	while (*link) {
		struct late *late = late_of((struct rl_lease *)*link);

		if (is_ours(late)) {
			send(owner->route, late);
		}
		if (is_over(late)) {
			rl_owner_drop_later(link);
		} else {
			link = &(*link)->next;
		}
	}
}

bool rl_majority_is_to_repeat(struct rl_owner *owner, const struct rl_lease *taken)
{
	for (struct rl_table_entry *entry = owner->later; entry; entry = entry->next) {
		const struct late *late = late_of((struct rl_lease *)entry);

		if (late->release.copies_out & (late->out | late->to_send)
			&& rl_lease_is_alike(late->answers.lease, taken)) {
			return true;
		}
	}
	return false;
}

/* Without memory to remember it, its expiry must free it. */
static void keep(struct rl_owner *owner, struct rl_lease *lease)
{
	struct late *late = begin_release(owner->route, lease);

	if (!late) {
		rl_lease_free(lease);
		return;
	}
	late->kept = true;
	late->to_send |= rl_holding_nodes(lease) & ~late->out;
	rl_owner_add_later(owner, lease);
	send(owner->route, late);
}

/* The lease's holdings tell what may be held. */
void rl_majority_discard(struct rl_owner *owner, struct rl_lease *lease, bool maybe_held)
{
	const struct late *late = late_of(lease);

	if (rl_holding_nodes(lease) || (late && late->out)) {
		keep(owner, lease);
	} else {
		rl_lease_free(lease);
	}
}

static uint32_t unsent(const struct rl_owner *owner)
{
	uint32_t nodes = 0;

	for (struct rl_table_entry *entry = owner->later; entry; entry = entry->next) {
		const struct late *late = late_of((struct rl_lease *)entry);

		nodes |= is_ours(late) ? late->to_send & ~late->out : 0;
	}
	return nodes;
}

/*
 * There is no next contact: what could not be sent yet is sent now. A missing connection has a
 * tenth of a call's time, so that a node that is down costs each owner's end no more than that.
 */
static void open_missing(struct rl_owner *owner, rl_time deadline)
{
	rl_time now = rl_now(), until = now + owner->route->timeout / 10;
	uint32_t nodes = unsent(owner);

	if (nodes && now < deadline) {
		rl_broadcast_open(owner->route, nodes, rl_time_earlier(until, deadline));
	}
}

/*
 * All nodes have all locks, whatever is near. It is no error if some refuse: a minority keeps
 * nobody out.
 */
enum rl_status rl_majority_repeat(struct rl_owner *owner, const struct rl_keys *near,
	rl_time deadline, struct rl_error *error)
{
	if (owner->ends && !near) {
		open_missing(owner, deadline);
	}
	send_all(owner);
	return RL_OK;
}

/* None is waited for. */
bool rl_majority_undo_next(struct rl_owner *owner, const struct rl_keys *near,
	struct rl_lease **lease, struct rl_step *step)
{
	send_all(owner);
	return false;
}

/* --- not confirmed --- */

/* It goes out to every node that is writable now, and none is waited for. */
bool rl_majority_send_release(struct rl_owner *owner, struct rl_release *release, rl_time deadline)
{
	struct late *late = begin_release(owner->route, release->lease);

	if (!late) {
		return false;
	}
	late->to_send = rl_holding_nodes(release->lease);
	send(owner->route, late);
	release->copies_out |= late->out;
	return rl_broadcast_count(late->out) >= rl_route_majority_of(owner->route->node_count);
}
