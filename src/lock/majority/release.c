/*
 * Releases, of one lease or of many, on a majority: one broadcast, and if that is waited for, the
 * votes of each lease.
 */
#include "late.h"

struct giving {
	struct rl_route *route;
	struct rl_release *releases;
	size_t count;
	struct rl_words words;
};

static const struct rl_call *call_release(void *context, size_t node, size_t index)
{
	struct giving *giving = context;

	return rl_holding_form(&giving->words, &giving->releases[index].step, node);
}

static bool read_release(
	void *context, size_t node, size_t index, const struct rl_reply *reply, bool resent)
{
	struct giving *giving = context;
	struct rl_outcome outcome;

	if (!rl_protocol_parse_outcome(reply, &outcome)) {
		return false;
	}
	rl_holding_end(&giving->releases[index], node, outcome.answer, resent);
	return true;
}

static bool decide_release(void *context, size_t index, size_t open)
{
	const struct giving *giving = context;
	enum rl_answer ignored;

	return rl_votes_decide(&giving->releases[index].votes, open, &ignored);
}

static struct rl_deferred *late_release(void *context, size_t node, size_t index)
{
	struct giving *giving = context;

	return rl_late_defer_release(giving->route, giving->releases[index].lease, node);
}

/*
 * A release that overtakes its take leaves the lock there. Of many, those whose takes went on
 * different connections may: then a node has a lock for its lease that has no majority.
 */
static const struct rl_connection *behind_take(void *context, size_t node)
{
	const struct giving *giving = context;
	const struct rl_connection *connection = NULL;

	for (size_t i = 0; i < giving->count && !connection; i++) {
		connection = rl_late_connection(giving->releases[i].lease, node);
	}
	return connection;
}

/* What nodes said before counts on, also if one of these has to be sent again. */
static size_t answered_before(const struct rl_release *releases, size_t count)
{
	return count == 1 ? rl_votes_counted(&releases[0].votes) : 0;
}

static struct rl_broadcast broadcast_of(struct giving *giving)
{
	return (struct rl_broadcast){
		.route = giving->route,
		.count = giving->count,
		.call = call_release,
		.answered = read_release,
		.decided = decide_release,
		.late = late_release,
		.behind = behind_take,
		.context = giving,
	};
}

static enum rl_status send(struct rl_route *route, struct rl_release *releases, size_t count,
	rl_time deadline, struct rl_error *error)
{
	struct giving giving = { .route = route, .releases = releases, .count = count };
	struct rl_broadcast broadcast = broadcast_of(&giving);
	enum rl_status status;

	for (size_t i = 0; i < count; i++) {
		if (releases[i].votes.needed == 0) {
			rl_votes_begin(&releases[i].votes, route->node_count);
		}
		broadcast.nodes |= rl_holding_nodes(releases[i].lease);
	}
	broadcast.answered_before = answered_before(releases, count);
	status = rl_broadcast_run(&broadcast, deadline, error);
	for (size_t i = 0; i < count; i++) {
		releases[i].copies_out |= broadcast.sent & rl_holding_nodes(releases[i].lease);
		releases[i].step.doubt.copy_out |= broadcast.unanswered != 0;
	}
	return status;
}

/* RL_OK: the votes may decide; those that do not are open. */
enum rl_status rl_majority_release(struct rl_batch *batch)
{
	enum rl_status status = send(
		batch->route, batch->releases, batch->count, batch->deadline, batch->error);

	for (size_t i = 0; i < batch->count; i++) {
		batch->items[i].answered = rl_votes_decide(
			&batch->releases[i].votes, 0, &batch->items[i].outcome.answer);
	}
	return status;
}

/* --- not waited for --- */

void rl_majority_release_unheard(struct rl_route *route, struct rl_late *late)
{
	struct giving giving = { .route = route, .releases = &late->release, .count = 1 };
	struct rl_broadcast broadcast = broadcast_of(&giving);

	broadcast.nodes = late->to_send & ~late->out;
	if (broadcast.nodes) {
		rl_broadcast_send(&broadcast);
	}
}

/* It goes out to every node that is writable now. */
bool rl_majority_send_release(struct rl_owner *owner, struct rl_release *release, rl_time deadline)
{
	struct rl_late *late = rl_late_begin_release(owner->route, release->lease);

	if (!late) {
		return false;
	}
	late->to_send = rl_holding_nodes(release->lease);
	rl_majority_release_unheard(owner->route, late);
	release->copies_out |= late->out;
	return rl_broadcast_count(late->out) >= rl_route_majority_of(owner->route->node_count);
}
