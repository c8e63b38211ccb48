/*
 * Releases, of one lease or of many, on a majority: one broadcast, and if that is waited for, the
 * votes of each lease.
 */
#include "late.h"

struct giving {
	struct rl_route *route;
	struct rl_batch_item *items;
	size_t count;
	struct rl_words words;
};

static struct rl_release *release_of(const struct giving *giving, size_t index)
{
	return giving->items[index].release;
}

static const struct rl_call *call_release(void *context, size_t node, size_t index)
{
	struct giving *giving = context;

	return rl_holding_form(&giving->words, giving->items[index].step, node);
}

static bool read_release(
	void *context, size_t node, size_t index, const struct rl_reply *reply, bool resent)
{
	struct rl_outcome outcome;

	if (!rl_protocol_parse_outcome(reply, &outcome)) {
		return false;
	}
	rl_holding_end(release_of(context, index), node, outcome.answer, resent);
	return true;
}

static bool decide_release(void *context, size_t index, size_t open)
{
	enum rl_answer ignored;

	return rl_votes_decide(&release_of(context, index)->votes, open, &ignored);
}

static struct rl_deferred *late_release(void *context, size_t node, size_t index)
{
	struct giving *giving = context;

	return rl_late_defer_release(giving->route, release_of(giving, index)->lease, node);
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
		connection = rl_late_connection(release_of(giving, i)->lease, node);
	}
	return connection;
}

/* What nodes said before counts on, also if one of these has to be sent again. */
static size_t answered_before(const struct giving *giving)
{
	return giving->count == 1 ? rl_votes_counted(&release_of(giving, 0)->votes) : 0;
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

/* RL_OK: the votes may decide; those that do not are open. */
enum rl_status rl_majority_release(struct rl_batch *batch)
{
	struct giving giving = { .route = batch->route, .items = batch->items, .count = batch->count };
	struct rl_broadcast broadcast = broadcast_of(&giving);
	enum rl_status status;

	for (size_t i = 0; i < giving.count; i++) {
		struct rl_release *release = release_of(&giving, i);

		if (release->votes.needed == 0) {
			rl_votes_begin(&release->votes, batch->route->node_count);
		}
		broadcast.nodes |= rl_holding_nodes(release->lease);
	}
	broadcast.answered_before = answered_before(&giving);
	status = rl_broadcast_run(&broadcast, batch->deadline, batch->error);
	for (size_t i = 0; i < giving.count; i++) {
		struct rl_release *release = release_of(&giving, i);

		release->copies_out |= broadcast.sent & rl_holding_nodes(release->lease);
		release->step.doubt.copy_out |= broadcast.unanswered != 0;
		batch->items[i].answered = rl_votes_decide(
			&release->votes, 0, &batch->items[i].outcome.answer);
	}
	return status;
}

void rl_majority_release_unheard(
	struct rl_route *route, struct rl_release *release, uint32_t nodes)
{
	struct rl_batch_item item = { .step = &release->step, .release = release };
	struct giving giving = { .route = route, .items = &item, .count = 1 };
	struct rl_broadcast broadcast = broadcast_of(&giving);

	broadcast.nodes = nodes;
	rl_broadcast_send(&broadcast);
}
