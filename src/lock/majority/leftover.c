/*
 * What nodes of a majority may still hold of a lease that is over: it is released there without
 * anybody waiting. A release that could not be sent, or whose answer did not come, is sent again at
 * the next contact. Every take has a token of its own, so this never frees another.
 */
#include "majority.h"

#include <stdlib.h>
#include <string.h>

struct late {
	struct rl_deferred deferred;
	struct rl_leftover *leftover;
};

struct rl_leftover {
	struct rl_owner *owner; /* NULL: it has ended */
	struct rl_release release;
	bool kept;             /* in the owner's list, and the lease is ours */
	uint32_t to_send, out; /* nodes */
	struct rl_leftover *next;
	struct late late[]; /* one for each node */
};

static struct rl_leftover *leftover_of(struct rl_owner *owner, struct rl_lease *lease)
{
	struct rl_leftover *leftover = lease->leftover;

	if (!leftover) {
		leftover = calloc(1, sizeof *leftover + lease->holding_count * sizeof leftover->late[0]);
	}
	if (leftover && !lease->leftover) {
		leftover->owner = owner;
		rl_release_begin(&leftover->release, lease, lease->delay_ms);
		lease->leftover = leftover;
	}
	return leftover;
}

static void end(struct rl_leftover *leftover)
{
	leftover->release.lease->leftover = NULL;
	if (leftover->kept) {
		rl_holding_forget(leftover->release.lease);
	}
	free(leftover);
}

/* --- answers --- */

/*
 * Called by any function that reads the connection: changes this record, and frees it only if
 * nobody else has it.
 */
static void on_reply(struct rl_deferred *deferred, const struct rl_reply *reply)
{
	struct rl_leftover *leftover = ((struct late *)deferred)->leftover;
	size_t node = (size_t)((struct late *)deferred - leftover->late);
	struct rl_outcome outcome;

	leftover->out &= ~rl_broadcast_bit(node);
	if (!leftover->owner) {
		if (leftover->out == 0) {
			end(leftover);
		}
		return;
	}
	leftover->release.unanswered_nodes |= reply ? 0 : rl_broadcast_bit(node);
	if (!reply || !rl_protocol_parse_outcome(reply, &outcome)) {
		leftover->to_send |= rl_broadcast_bit(node);
		return;
	}
	if (leftover->kept) { /* else its owner sends another, and hears from that */
		rl_holding_end(&leftover->release, node, outcome.answer, false);
	}
}

struct rl_deferred *rl_majority_defer_release(
	struct rl_owner *owner, struct rl_lease *lease, size_t node)
{
	struct rl_leftover *leftover = leftover_of(owner, lease);

	if (!leftover || leftover->out & rl_broadcast_bit(node)) {
		return NULL; /* one that is out already tells as much */
	}
	leftover->out |= rl_broadcast_bit(node);
	leftover->to_send &= ~rl_broadcast_bit(node);
	leftover->late[node] = (struct late){ .deferred = { .on_reply = on_reply },
		.leftover = leftover };
	return &leftover->late[node].deferred;
}

/* --- sending --- */

static const struct rl_call *call_of(void *context, size_t node, size_t index)
{
	struct rl_leftover *leftover = context;

	return rl_holding_call(&leftover->release.step, node);
}

static struct rl_deferred *late_of(void *context, size_t node, size_t index)
{
	struct rl_leftover *leftover = context;

	return rl_majority_defer_release(leftover->owner, leftover->release.lease, node);
}

static void send(struct rl_leftover *leftover)
{
	struct rl_broadcast broadcast = {
		.route = leftover->owner->route,
		.nodes = leftover->to_send & ~leftover->out,
		.count = 1,
		.call = call_of,
		.late = late_of,
		.context = leftover,
	};

	if (broadcast.nodes) {
		rl_broadcast_send(&broadcast);
	}
}

static bool is_ours(const struct rl_leftover *leftover)
{
	return leftover->release.lease->generation == rl_system_generation();
}

static bool is_over(const struct rl_leftover *leftover)
{
	return leftover->out == 0 && (!is_ours(leftover) || leftover->to_send == 0);
}

/* Sends what is to be sent and can be at once; forgets what is over. */
static void send_all(struct rl_owner *owner)
{
	struct rl_leftover **link = &owner->leftovers, *leftover;

	while ((leftover = *link)) {
		if (is_ours(leftover)) {
			send(leftover);
		}
		if (is_over(leftover)) {
			*link = leftover->next;
			end(leftover);
		} else {
			link = &leftover->next;
		}
	}
}

bool rl_majority_is_to_repeat(struct rl_owner *owner, const struct rl_lease *lease)
{
	for (const struct rl_leftover *leftover = owner->leftovers; leftover;
		 leftover = leftover->next) {
		if (leftover->release.unanswered_nodes & (leftover->out | leftover->to_send)
			&& rl_lease_is_alike(leftover->release.lease, lease)) {
			return true;
		}
	}
	return false;
}

/*
 * Takes over a lease that is out of the owner, to be released on those of `nodes` where no answer
 * is out. Without memory to remember it, its expiry must free it.
 */
static void keep(struct rl_owner *owner, struct rl_lease *lease, uint32_t nodes)
{
	struct rl_leftover *leftover = leftover_of(owner, lease);

	if (!leftover) {
		rl_holding_forget(lease);
		return;
	}
	leftover->kept = true;
	leftover->to_send |= nodes & ~leftover->out;
	leftover->next = owner->leftovers;
	owner->leftovers = leftover;
	send(leftover);
}

/* Of no key in particular: all nodes have all locks. */
void rl_majority_repeat(struct rl_owner *owner, const struct rl_keys *near, rl_time deadline)
{
	send_all(owner);
}

/* The lease's holdings tell what may be held. */
void rl_majority_discard(struct rl_owner *owner, struct rl_lease *lease, bool maybe_held)
{
	uint32_t nodes = rl_holding_nodes(lease);

	if (nodes || lease->leftover) {
		keep(owner, lease, nodes);
	} else {
		rl_holding_forget(lease);
	}
}

/* --- not confirmed --- */

/* It goes out to every node that is writable now, and none is waited for. */
bool rl_majority_send_release(struct rl_owner *owner, struct rl_release *release, rl_time deadline)
{
	struct rl_leftover *leftover = leftover_of(owner, release->lease);

	if (!leftover) {
		return false;
	}
	leftover->to_send = rl_holding_nodes(release->lease);
	send(leftover);
	release->unanswered_nodes |= leftover->out;
	return rl_broadcast_count(leftover->out) >= release->votes.needed;
}

/* --- the owner's end --- */

static uint32_t unsent(const struct rl_owner *owner)
{
	uint32_t nodes = 0;

	for (const struct rl_leftover *leftover = owner->leftovers; leftover;
		 leftover = leftover->next) {
		nodes |= is_ours(leftover) ? leftover->to_send & ~leftover->out : 0;
	}
	return nodes;
}

/*
 * There is no next contact: what could not be sent yet is sent now. A missing connection has a
 * tenth of a call's time, so that a node that is down costs each owner's end no more than that. It
 * is no error if some refuse: a minority keeps nobody out.
 */
enum rl_status rl_majority_repeat_at_end(
	struct rl_owner *owner, rl_time deadline, struct rl_error *error)
{
	uint32_t nodes = unsent(owner);
	rl_time now = rl_now(), until = now + owner->route->timeout / 10;

	if (nodes && now < deadline) {
		rl_broadcast_open(owner->route, nodes, rl_time_earlier(until, deadline));
		send_all(owner);
	}
	return RL_OK;
}

void rl_majority_abandon(struct rl_owner *owner)
{
	while (owner->leftovers) {
		struct rl_leftover *leftover = owner->leftovers;

		owner->leftovers = leftover->next;
		leftover->owner = NULL; /* whoever reads or closes the last connection ends it */
		if (leftover->out == 0) {
			end(leftover);
		}
	}
}
