/*
 * A step that needs nothing but the votes of the nodes, extend or break; and many at once.
 */
#include "majority.h"

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

static bool has_vote(const struct rl_step *step, size_t node, enum rl_answer answer)
{
	return !step->lease
		|| rl_holding_has_vote(
			&step->lease->holdings, node, answer, rl_now() < step->lease->safe_until);
}

static bool hear_step(
	void *context, size_t node, size_t index, const struct rl_reply *reply, bool again)
{
	struct ballot *ballot = &((struct ballots *)context)->of[index];
	struct rl_outcome outcome;

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

/* The nodes to which a step is sent. */
static uint32_t nodes_of(const struct rl_route *route, const struct rl_step *step)
{
	return step->lease ? rl_holding_nodes(step->lease) : rl_broadcast_all(route);
}

enum rl_status rl_majority_note(
	struct rl_step *step, const struct rl_broadcast *broadcast, enum rl_status status)
{
	if (step->unanswered == 0) {
		step->sent_at = broadcast->sent_at ? broadcast->sent_at : rl_now();
	}
	step->unanswered += broadcast->unanswered != 0;
	step->maybe_done = status != RL_OK && broadcast->sent;
	return status;
}

/* Puts some steps to the vote, sent as one. */
static enum rl_status put(struct rl_route *route, struct ballot *of, size_t count,
	bool insist, rl_time deadline, struct rl_error *error)
{
	struct ballots ballots = { .of = of };
	struct rl_broadcast broadcast = {
		.route = route,
		.count = count,
		.call = call_step,
		.answered = hear_step,
		.decided = decide_step,
		.context = &ballots,
		.insist = insist,
	};
	enum rl_status status;

	for (size_t i = 0; i < count; i++) {
		rl_votes_begin(&of[i].votes, route->node_count);
		broadcast.nodes |= nodes_of(route, of[i].step);
	}
	status = rl_broadcast_run(&broadcast, deadline, error);
	for (size_t i = 0; i < count; i++) {
		conclude(&of[i]);
		rl_majority_note(
			of[i].step, &broadcast, of[i].is_decided ? RL_OK : RL_UNREACHABLE);
	}
	return status;
}

enum rl_status rl_majority_run(struct rl_route *route, struct rl_step *step, rl_time deadline,
	struct rl_outcome *outcome, struct rl_error *error)
{
	struct ballot ballot = { .step = step };
	enum rl_status status = put(route, &ballot, 1, false, deadline, error);

	if (status == RL_OK) {
		*outcome = ballot.outcome;
	}
	return status;
}

/* As many as are sent as one. */
#define CHUNK 64

void rl_majority_run_batch(struct rl_batch *batch)
{
	struct rl_batch_item *items[CHUNK];
	struct ballot ballots[CHUNK];

	batch->error.message[0] = '\0';
	for (size_t i = 0, count; i < batch->count;) {
		for (count = 0; i < batch->count && count < CHUNK; i++) {
			if (rl_batch_wants(batch, i)) {
				items[count] = &batch->items[i];
				ballots[count++] = (struct ballot){ .step = batch->items[i].step };
			}
		}
		if (count > 0) {
			put(batch->route, ballots, count, true, batch->deadline, &batch->error);
		}
		while (count-- > 0) {
			items[count]->answered = ballots[count].is_decided;
			items[count]->outcome = ballots[count].outcome;
		}
	}
}
