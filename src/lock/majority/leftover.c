/*
 * What nodes of a majority may still hold of a lease that is over: it is released there without
 * anybody waiting. A release that could not be sent, or whose answer did not come, is sent again at the
 * next contact. Every take has a token of its own, so this never frees another; where a copy of the take
 * may still come, the release closes that token, so that the copy takes nothing.
 *
 * It is also how a release that is not confirmed is sent to all nodes; then a bad verdict is told
 * by the owner's next call.
 */
#include "majority.h"
#include "../../base/poll.h"
#include "../../redis/refusal.h"

#include <stdlib.h>
#include <string.h>

#define LOOK_PAUSE RL_MILLISECOND /* between looks at connections that are being opened */

struct late {
	struct rl_deferred deferred;
	struct rl_leftover *leftover;
};

enum state {
	SILENT,  /* nobody is told what the answers mean */
	ASKING,  /* they do not decide yet */
	DECIDED, /* they do, and the owner's next call tells what they mean */
	REFUSED, /* the nodes that have not refused cannot decide: the owner's next call tells so */
	TOLD     /* it has; the key is still its caller's to read */
};

struct rl_leftover {
	struct rl_owner *owner; /* NULL: it has ended */
	struct rl_release release;
	bool kept;             /* in the owner's list, and the lease is ours */
	uint32_t to_send, out; /* nodes */
	uint32_t refused;      /* of those to send, for a reason that does not pass by itself */
	struct rl_error refusal;
	enum state state;
	enum rl_answer answer; /* decided */
	rl_time came_at;       /* the latest answer of those that decide */
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
		rl_votes_begin(&leftover->release.votes, lease->holding_count);
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

static void decide(struct rl_leftover *leftover, rl_time came_at)
{
	size_t open = rl_broadcast_count(leftover->out | leftover->to_send);

	leftover->came_at = rl_time_later(leftover->came_at, came_at);
	if (rl_votes_decide(&leftover->release.votes, open, &leftover->answer)) {
		leftover->state = DECIDED;
	}
}

/* So many have refused that the others cannot decide. */
static void refuse(struct rl_leftover *leftover, size_t node, const struct rl_reply *reply)
{
	struct rl_error refusal;

	rl_connection_refusal(leftover->late[node].deferred.connection, reply, &refusal);
	if (rl_refusal_passes_soon(&refusal)) {
		return;
	}
	leftover->refused |= rl_broadcast_bit(node);
	if (leftover->state == ASKING
		&& leftover->release.lease->holding_count - rl_broadcast_count(leftover->refused) < leftover->release.votes.needed) {
		rl_release_refuse(&leftover->refusal, &refusal);
		leftover->state = REFUSED;
	}
}

/*
 * Called by any function that reads the connection: changes this record, and frees it only if nobody else has it. The
 * owner may be in the middle of a verdict on another lock, so it judges this one by itself, later.
 */
static void on_reply(struct rl_deferred *deferred, const struct rl_reply *reply)
{
	struct rl_leftover *leftover = ((struct late *)deferred)->leftover;
	size_t node = (size_t)((struct late *)deferred - leftover->late);

	leftover->out &= ~rl_broadcast_bit(node);
	if (!leftover->owner) {
		if (leftover->out == 0) {
			end(leftover);
		}
		return;
	}
	leftover->release.unanswered_nodes |= reply ? 0 : rl_broadcast_bit(node);
	if (!reply || reply->type != RL_REPLY_INTEGER) {
		leftover->to_send |= rl_broadcast_bit(node);
		if (reply && reply->type == RL_REPLY_ERROR) {
			refuse(leftover, node, reply);
		}
		return;
	}
	rl_holding_end(&leftover->release, node, (enum rl_answer)reply->integer, false);
	if (leftover->state == ASKING) {
		decide(leftover, deferred->came_at);
	}
}

struct rl_deferred *rl_majority_defer_release(struct rl_owner *owner, struct rl_lease *lease, size_t node)
{
	struct rl_leftover *leftover = leftover_of(owner, lease);

	if (!leftover || leftover->out & rl_broadcast_bit(node)) {
		return NULL; /* one that is out already tells as much */
	}
	leftover->out |= rl_broadcast_bit(node);
	leftover->to_send &= ~rl_broadcast_bit(node);
	leftover->late[node] = (struct late){ .deferred = { .on_reply = on_reply }, .leftover = leftover };
	return &leftover->late[node].deferred;
}

/* --- sending --- */

static const struct rl_call *call_of(void *context, size_t node, size_t index, const struct rl_connection *connection)
{
	struct rl_leftover *leftover = context;

	(void)index;
	return rl_holding_call(&leftover->release.step, node, connection);
}

static struct rl_deferred *late_of(void *context, size_t node, size_t index)
{
	struct rl_leftover *leftover = context;

	(void)index;
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

	if (broadcast.nodes == 0) {
		return;
	}
	leftover->refused &= ~broadcast.nodes;
	if (leftover->state == REFUSED) {
		leftover->state = ASKING; /* nobody was told of the first time, and need not be */
	}
	rl_broadcast_send(&broadcast);
}

static bool is_ours(const struct rl_leftover *leftover)
{
	return leftover->release.lease->generation == rl_system_generation();
}

static bool is_over(const struct rl_leftover *leftover)
{
	bool is_told_of = leftover->state != SILENT && leftover->state != ASKING;

	return leftover->out == 0 && (!is_ours(leftover) || (leftover->to_send == 0 && !is_told_of));
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
	for (const struct rl_leftover *leftover = owner->leftovers; leftover; leftover = leftover->next) {
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
}

void rl_majority_repeat(struct rl_owner *owner, const struct rl_keys *near, rl_time deadline)
{
	(void)near; /* all nodes have all locks */
	(void)deadline;
	send_all(owner);
}

void rl_majority_repeat_last(struct rl_owner *owner, rl_time deadline)
{
	(void)deadline;
	send_all(owner);
}

void rl_majority_discard(struct rl_owner *owner, struct rl_lease *lease, bool maybe_held)
{
	uint32_t nodes = rl_holding_nodes(lease);

	(void)maybe_held; /* its holdings tell */
	if (nodes || lease->leftover) {
		keep(owner, lease, nodes);
		send_all(owner);
	} else {
		rl_holding_forget(lease);
	}
}

/* --- not confirmed --- */

enum rl_status rl_majority_release_unconfirmed(struct rl_owner *owner, struct rl_lease *lease, int64_t delay_ms,
	struct rl_error *error)
{
	struct rl_leftover *leftover;
	enum rl_status status;

	lease->delay_ms = delay_ms;
	leftover = leftover_of(owner, lease);
	if (!leftover) {
		return rl_fail(error, RL_NO_MEMORY, "Out of memory");
	}
	rl_owner_remove(owner, lease);
	keep(owner, lease, rl_holding_nodes(lease));
	leftover->state = ASKING;
	send(leftover);
	if (rl_broadcast_count(leftover->out) >= leftover->release.votes.needed && rl_now() < lease->safe_until) {
		return RL_OK;
	}
	/* If it cannot be sent to enough of them, or was sent too late, the answers are waited for. */
	leftover->state = SILENT;
	status = rl_release_run(owner, &leftover->release, rl_owner_deadline(owner), error);
	leftover->to_send |= rl_holding_nodes(lease) & ~leftover->out;
	return status;
}

/* Those that have come. */
static void read_answers(struct rl_leftover *leftover)
{
	for (size_t node = 0; node < leftover->release.lease->holding_count; node++) {
		if (leftover->out & rl_broadcast_bit(node)) {
			rl_connection_read_deferred(leftover->late[node].deferred.connection, 0);
		}
	}
}

/*
 * RL_OK: nothing is to be told. Sent in time is not done in time: servers that were slow may have found the lease
 * ended. So the moment counts at which the answers had come, however late they are read.
 */
static enum rl_status tell(struct rl_leftover *leftover, struct rl_error *error)
{
	enum rl_status verdict;

	if (!is_ours(leftover)) {
		return RL_OK;
	}
	if (leftover->state == REFUSED) {
		leftover->state = TOLD;
		*error = leftover->refusal;
		return RL_REFUSED;
	}
	if (leftover->state != DECIDED) {
		return RL_OK;
	}
	verdict = rl_release_conclude(leftover->owner, &leftover->release, leftover->answer, leftover->came_at, error);
	leftover->state = verdict == RL_OK ? SILENT : TOLD;
	return verdict;
}

void rl_majority_forget_told(struct rl_owner *owner)
{
	for (struct rl_leftover *leftover = owner->leftovers; leftover; leftover = leftover->next) {
		if (leftover->state == TOLD) {
			leftover->state = SILENT;
		}
	}
}

enum rl_status rl_majority_verdict(struct rl_owner *owner, struct rl_error *error)
{
	rl_majority_forget_told(owner);
	for (struct rl_leftover *leftover = owner->leftovers; leftover; leftover = leftover->next) {
		enum rl_status verdict;

		if (leftover->state == ASKING && is_ours(leftover)) {
			read_answers(leftover);
		}
		verdict = tell(leftover, error);
		if (verdict != RL_OK) {
			error->key = leftover->release.lease->entry.key;
			return verdict;
		}
	}
	return RL_OK;
}

/* --- the owner's end --- */

/* Reads what comes for this one until the deadline, or until its answers decide. */
static void await(struct rl_leftover *leftover, rl_time deadline)
{
	while (leftover->state == ASKING && leftover->out) {
		struct rl_connection *connections[RL_NODES_MAX];
		struct rl_pollfd polls[RL_NODES_MAX];
		size_t count = 0;

		for (size_t node = 0; node < leftover->release.lease->holding_count; node++) {
			if (leftover->out & rl_broadcast_bit(node)) {
				connections[count] = leftover->late[node].deferred.connection;
				polls[count] = (struct rl_pollfd){ .fd = rl_connection_fd(connections[count]), .want_read = true };
				count++;
			}
		}
		if (rl_poll(polls, count, deadline) == RL_POLL_DEADLINE) {
			return;
		}
		for (size_t i = 0; i < count; i++) {
			if (polls[i].ready) {
				rl_connection_read_deferred(connections[i], 0);
			}
		}
	}
}

static uint32_t unsent(const struct rl_owner *owner)
{
	uint32_t nodes = 0;

	for (const struct rl_leftover *leftover = owner->leftovers; leftover; leftover = leftover->next) {
		nodes |= is_ours(leftover) ? leftover->to_send & ~leftover->out : 0;
	}
	return nodes;
}

/* Continues to open a connection to this node, also if that failed a moment ago. False: there is one, or cannot be. */
static bool go_on_opening(struct rl_route *route, size_t node)
{
	struct rl_loan loan = {
		.at_once = true, .connect_timeout = route->connect_timeout, .timeout = route->timeout, .insist = true
	};
	struct rl_error ignored;
	enum rl_status status = rl_server_borrow(route->nodes[node], &loan, &ignored);

	route->reconnects += loan.reconnected;
	if (status == RL_OK) {
		rl_server_give_back(route->nodes[node], loan.connection);
	}
	return status == RL_NO;
}

/* Until all of these nodes have a connection, or cannot have one. */
static void open_connections(struct rl_route *route, uint32_t nodes, rl_time deadline)
{
	for (;;) {
		struct rl_pollfd polls[RL_NODES_MAX];
		rl_time now = rl_now();
		size_t count = 0;

		for (size_t node = 0; node < route->node_count; node++) {
			if (nodes & rl_broadcast_bit(node) && !go_on_opening(route, node)) {
				nodes &= ~rl_broadcast_bit(node);
			} else if (nodes & rl_broadcast_bit(node)) {
				polls[count] = rl_server_awaits(route->nodes[node]);
				count += polls[count].fd >= 0;
			}
		}
		if (nodes == 0 || now >= deadline) {
			return;
		}
		rl_poll(polls, count, rl_time_earlier(now + LOOK_PAUSE, deadline));
	}
}

/*
 * There is no next contact: what could not be sent yet is sent now. A missing connection has a tenth of a call's time, so
 * that a node that is down costs each owner's end no more than that.
 */
static void send_to_the_last(struct rl_owner *owner, rl_time deadline)
{
	uint32_t nodes = unsent(owner);
	rl_time until = rl_now() + owner->route->timeout / 10;

	if (nodes) {
		open_connections(owner->route, nodes, rl_time_earlier(until, deadline));
		send_all(owner);
	}
}

void rl_majority_settle(struct rl_owner *owner, rl_time deadline, struct rl_release_summary *summary)
{
	for (struct rl_leftover *leftover = owner->leftovers; leftover; leftover = leftover->next) {
		struct rl_error error;
		enum rl_status verdict;

		if (is_ours(leftover)) {
			await(leftover, deadline);
			read_answers(leftover);
			if (leftover->state == REFUSED) {
				send(leftover);
				await(leftover, deadline);
			}
		}
		verdict = tell(leftover, &error);
		if (verdict != RL_OK) {
			summary->untold += verdict != RL_REFUSED;
			rl_release_count(summary, leftover->release.lease, verdict, &error);
		}
	}
	send_to_the_last(owner, deadline);
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
