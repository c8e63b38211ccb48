/*
 * A step that needs nothing but the votes of the nodes, extend or break; and many at once.
 */
#include "majority.h"

/* One step, and the nodes' votes on it. */
struct ballot {
	struct rl_step *step;
	struct rl_votes votes;
	uint32_t ours; /* nodes that say so */
	bool was_over; /* on one of them */
};

static const struct rl_call *call_step(
	void *context, size_t node, size_t index, const struct rl_connection *connection)
{
	struct ballot *ballot = context;

	(void)index;
	(void)connection;
	return rl_holding_call(ballot->step, node);
}

static bool has_vote(const struct rl_step *step, size_t node, enum rl_answer answer)
{
	uint32_t bit = rl_broadcast_bit(node);

	return !step->lease
		|| rl_holding_has_vote(
			step->held & bit, step->unknown & bit, answer, rl_now() < step->safe_until);
}

static bool hear_step(
	void *context, size_t node, size_t index, const struct rl_reply *reply, bool again)
{
	struct ballot *ballot = context;
	struct rl_outcome outcome;

	(void)index;
	(void)again;
	if (!rl_protocol_parse_outcome(reply, &outcome)) {
		return false;
	}
	if (has_vote(ballot->step, node, outcome.answer)) {
		rl_votes_count(&ballot->votes, &outcome);
		ballot->ours |= outcome.answer == RL_ANSWER_OURS ? rl_broadcast_bit(node) : 0;
		ballot->was_over |= outcome.was_over;
	}
	return true;
}

/* False: too few have answered to tell. The fences are the nodes' own. */
static bool conclude(const struct ballot *ballot, struct rl_outcome *outcome)
{
	*outcome = (struct rl_outcome){ .nodes = ballot->ours, .was_over = ballot->was_over };
	if (!rl_votes_decide(&ballot->votes, 0, &outcome->answer)) {
		return false;
	}
	if (outcome->answer == RL_ANSWER_OURS) {
		outcome->left_ms = rl_votes_left(&ballot->votes);
	}
	return true;
}

static bool decide_step(void *context, size_t open)
{
	const struct ballot *ballot = context;
	enum rl_answer ignored;

	return rl_votes_decide(&ballot->votes, open, &ignored);
}

/* The nodes to which a step is sent. */
static uint32_t nodes_of(const struct rl_route *route, const struct rl_step *step)
{
	return step->lease ? step->held | step->unknown : rl_broadcast_all(route);
}

enum rl_status rl_majority_note(
	struct rl_step *step, const struct rl_broadcast *broadcast, enum rl_status status)
{
	if (step->call.unanswered == 0) {
		step->call.sent_at = broadcast->sent_at ? broadcast->sent_at : rl_now();
	}
	step->call.unanswered += broadcast->unanswered != 0;
	step->call.maybe_done = status != RL_OK && broadcast->sent;
	return status;
}

enum rl_status rl_majority_run(struct rl_route *route, struct rl_step *step, rl_time deadline,
	struct rl_outcome *outcome, struct rl_error *error)
{
	struct ballot ballot = { .step = step };
	struct rl_broadcast broadcast = {
		.route = route,
		.nodes = nodes_of(route, step),
		.count = 1,
		.call = call_step,
		.answered = hear_step,
		.decided = decide_step,
		.context = &ballot,
	};
	enum rl_status status;

	rl_votes_begin(&ballot.votes, route->node_count);
	status = rl_majority_note(step, &broadcast, rl_broadcast_run(&broadcast, deadline, error));
	if (status == RL_OK) {
		conclude(&ballot, outcome);
	}
	return status;
}

/* --- many at once --- */

#define CHUNK 64

struct batch_part {
	struct rl_batch_item *items[CHUNK];
	struct ballot ballots[CHUNK];
	size_t count;
};

static const struct rl_call *call_batch(
	void *context, size_t node, size_t index, const struct rl_connection *connection)
{
	struct batch_part *part = context;

	return call_step(&part->ballots[index], node, 0, connection);
}

static bool hear_batch(
	void *context, size_t node, size_t index, const struct rl_reply *reply, bool again)
{
	struct batch_part *part = context;

	return hear_step(&part->ballots[index], node, 0, reply, again);
}

/* Or all that will answer have. */
static bool decide_batch(void *context, size_t open)
{
	struct batch_part *part = context;
	size_t i = 0;

	while (i < part->count && decide_step(&part->ballots[i], open)) {
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

	for (size_t i = 0; i < part->count; i++) {
		part->ballots[i] = (struct ballot){ .step = part->items[i]->step };
		rl_votes_begin(&part->ballots[i].votes, batch->route->node_count);
		broadcast.nodes |= nodes_of(batch->route, part->items[i]->step);
	}
	rl_broadcast_run(&broadcast, batch->deadline, &batch->error);
	for (size_t i = 0; i < part->count; i++) {
		struct rl_batch_item *item = part->items[i];

		item->answered = conclude(&part->ballots[i], &item->outcome);
		rl_majority_note(item->step, &broadcast, item->answered ? RL_OK : RL_UNREACHABLE);
	}
}

void rl_majority_run_batch(struct rl_batch *batch)
{
	struct batch_part part;

	batch->error.message[0] = '\0';
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
