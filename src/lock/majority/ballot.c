/*
 * A step that needs nothing but the votes of the nodes, extend or break; and many at once.
 */
#include "majority.h"

#include <stdlib.h>

/* One step, and the nodes' votes on it. */
struct ballot {
	struct rl_step *step;
	struct rl_votes votes;
	uint32_t ours;   /* nodes that say so */
	bool was_over;   /* on one of them */
	bool is_decided; /* by the votes in the end */
	struct rl_outcome outcome;
};

/* Some of them, sent as one. */
struct ballots {
	struct ballot *of;
	struct rl_words words; /* of the one that is being sent */
};

static const struct rl_call *call_step(void *context, size_t node, size_t index)
{
	struct ballots *ballots = context;

	return rl_holding_form(&ballots->words, ballots->of[index].step, node);
}

static bool read_step(
	void *context, size_t node, size_t index, const struct rl_reply *reply, bool resent)
{
	struct ballot *ballot = &((struct ballots *)context)->of[index];
	const struct rl_tenure *tenure = &ballot->step->lease->tenure;
	struct rl_outcome outcome;

	if (!rl_protocol_parse_outcome(reply, &outcome)) {
		return false;
	}
	if (rl_holding_has_vote(
			&tenure->holdings, node, outcome.answer, rl_now() < tenure->safe_until)) {
		rl_votes_count(&ballot->votes, &outcome);
		ballot->ours |= outcome.answer == RL_ANSWER_OURS ? rl_broadcast_bit(node) : 0;
		ballot->was_over |= outcome.was_over;
	}
	return true;
}

/* The fences are the nodes' own. */
static void conclude(struct ballot *ballot)
{
	struct rl_outcome *outcome = &ballot->outcome;

	*outcome = (struct rl_outcome){ .nodes = ballot->ours, .was_over = ballot->was_over };
	ballot->is_decided = rl_votes_decide(&ballot->votes, 0, &outcome->answer);
	if (ballot->is_decided && outcome->answer == RL_ANSWER_OURS) {
		outcome->left_ms = rl_votes_left(&ballot->votes);
	}
}

static bool decide_step(void *context, size_t index, size_t open)
{
	const struct ballot *ballot = &((const struct ballots *)context)->of[index];
	enum rl_answer ignored;

	return rl_votes_decide(&ballot->votes, open, &ignored);
}

/* For some steps that are put to the vote, sent as one. */
static struct rl_broadcast make_broadcast(
	struct rl_route *route, struct ballots *ballots, size_t count)
{
	struct rl_broadcast broadcast = {
		.route = route,
		.count = count,
		.call = call_step,
		.answered = read_step,
		.decided = decide_step,
		.context = ballots,
	};

	for (size_t i = 0; i < count; i++) {
		rl_votes_begin(&ballots->of[i].votes, route->node_count);
		broadcast.nodes |= rl_holding_nodes(ballots->of[i].step->lease);
	}
	return broadcast;
}

static void count_votes(struct ballot *ballot, const struct rl_broadcast *broadcast)
{
	struct rl_step *step = ballot->step;

	conclude(ballot);
	if (!step->doubt.copy_out) {
		step->sent_at = broadcast->sent_at ? broadcast->sent_at : rl_now();
	}
	step->doubt.copy_out |= broadcast->unanswered != 0;
	step->doubt.fate_unknown = !ballot->is_decided && broadcast->sent;
}

/* --- many --- */

/* As many as are sent as one. */
#define CHUNK 64

/* The next ones that are wanted, from `*at` on. Returns how many. */
static size_t gather(const struct rl_batch *batch, size_t *at, struct rl_batch_item **items)
{
	size_t count = 0;

	for (; *at < batch->count && count < CHUNK; ++*at) {
		if (rl_batch_wants(batch, *at)) {
			items[count++] = &batch->items[*at];
		}
	}
	return count;
}

/* The renewal thread insists. */
static enum rl_status run_some(
	const struct rl_batch *batch, struct rl_batch_item **items, size_t count)
{
	/* they are too large for a small stack */
	struct ballots ballots = { .of = malloc(count * sizeof *ballots.of) };
	struct rl_broadcast broadcast;
	enum rl_status status;

	if (!ballots.of) {
		return rl_fail_for_memory(batch->error);
	}
	for (size_t i = 0; i < count; i++) {
		ballots.of[i] = (struct ballot){ .step = items[i]->step };
	}
	broadcast = make_broadcast(batch->route, &ballots, count);
	broadcast.insist = batch->wanted;
	status = rl_broadcast_run(&broadcast, batch->deadline, batch->error);
	for (size_t i = 0; i < count; i++) {
		count_votes(&ballots.of[i], &broadcast);
		items[i]->answered = ballots.of[i].is_decided;
		items[i]->outcome = ballots.of[i].outcome;
	}
	free(ballots.of);
	return status;
}

enum rl_status rl_majority_vote(struct rl_batch *batch)
{
	struct rl_batch_item *items[CHUNK];
	enum rl_status status = RL_OK;

	for (size_t at = 0, count; (count = gather(batch, &at, items)) > 0;) {
		status = run_some(batch, items, count);
	}
	return status;
}
