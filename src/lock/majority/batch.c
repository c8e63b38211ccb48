/*
 * Many steps at once, each of which needs nothing but the votes of the nodes.
 */
#include "majority.h"

#define CHUNK 64

struct batch_part {
	struct rl_batch_item *items[CHUNK];
	struct rl_ballot ballots[CHUNK];
	size_t count;
};

static const struct rl_call *call_batch(void *context, size_t node, size_t index)
{
	struct batch_part *part = context;

	return rl_majority_call_step(&part->ballots[index], node, 0);
}

static bool hear_batch(void *context, size_t node, size_t index, const struct rl_reply *reply, bool again)
{
	struct batch_part *part = context;

	return rl_majority_hear_step(&part->ballots[index], node, 0, reply, again);
}

/* Or all that will answer have. */
static bool decide_batch(void *context, size_t open)
{
	struct batch_part *part = context;
	size_t i = 0;

	while (i < part->count && rl_majority_decide_step(&part->ballots[i], open)) {
		i++;
	}
	return i == part->count || open == 0;
}

static void run_batch_part(struct rl_batch *batch, struct batch_part *part)
{
	struct rl_broadcast broadcast = {
		.route = batch->route,
		.count = part->count,
		.call = call_batch,
		.answered = hear_batch,
		.decided = decide_batch,
		.context = part,
		.insist = true,
	};
	struct rl_error ignored;

	for (size_t i = 0; i < part->count; i++) {
		part->ballots[i].step = part->items[i]->step;
		rl_votes_begin(&part->ballots[i].votes, batch->route->node_count);
		broadcast.nodes |= rl_majority_nodes_of(batch->route, part->items[i]->step);
	}
	rl_broadcast_run(&broadcast, batch->deadline, &ignored);
	for (size_t i = 0; i < part->count; i++) {
		struct rl_batch_item *item = part->items[i];

		item->answered = rl_votes_decide(&part->ballots[i].votes, 0, &item->answer);
		rl_majority_note(item->step, &broadcast, item->answered ? RL_OK : RL_UNREACHABLE);
	}
}

void rl_majority_run_batch(struct rl_batch *batch)
{
	struct batch_part part;

	for (size_t i = 0; i < batch->count;) {
		for (part.count = 0; i < batch->count && part.count < CHUNK; i++) {
			if (rl_batch_wants(batch, i)) {
				part.items[part.count++] = &batch->items[i];
			}
		}
		if (part.count > 0) {
			run_batch_part(batch, &part);
		}
	}
}
