/*
 * A step that needs nothing but the votes of the nodes: extend, break.
 */
#include "majority.h"

const struct rl_call *rl_majority_call_step(void *context, size_t node, size_t index)
{
	struct rl_ballot *ballot = context;

	(void)index;
	return rl_holding_call(ballot->step, node);
}

bool rl_majority_hear_step(void *context, size_t node, size_t index, const struct rl_reply *reply, bool again)
{
	struct rl_ballot *ballot = context;
	enum rl_answer answer;

	(void)index;
	(void)again;
	if (!rl_protocol_parse_answer(reply, &answer)) {
		return false;
	}
	if (!ballot->step->lease || rl_holding_has_vote(ballot->step->lease, node, answer, rl_now())) {
		rl_votes_count(&ballot->votes, answer);
	}
	return true;
}

bool rl_majority_decide_step(void *context, size_t open)
{
	const struct rl_ballot *ballot = context;
	enum rl_answer ignored;

	return rl_votes_decide(&ballot->votes, open, &ignored);
}

uint32_t rl_majority_nodes_of(const struct rl_route *route, const struct rl_step *step)
{
	return step->lease ? rl_holding_nodes(step->lease) : rl_broadcast_all(route);
}

enum rl_status rl_majority_note(struct rl_step *step, const struct rl_broadcast *broadcast, enum rl_status status)
{
	if (step->call.unanswered == 0) {
		step->call.sent_at = broadcast->sent_at ? broadcast->sent_at : rl_now();
	}
	step->call.unanswered += broadcast->unanswered != 0;
	step->call.maybe_done = status != RL_OK && broadcast->sent;
	return status;
}

enum rl_status rl_majority_run(struct rl_route *route, struct rl_step *step, rl_time deadline,
	enum rl_answer *answer, struct rl_error *error)
{
	struct rl_ballot ballot = { .step = step };
	struct rl_broadcast broadcast = {
		.route = route,
		.nodes = rl_majority_nodes_of(route, step),
		.count = 1,
		.call = rl_majority_call_step,
		.answered = rl_majority_hear_step,
		.decided = rl_majority_decide_step,
		.context = &ballot,
	};
	enum rl_status status;

	rl_votes_begin(&ballot.votes, route->node_count);
	status = rl_majority_note(step, &broadcast, rl_broadcast_run(&broadcast, deadline, error));
	if (status == RL_OK) {
		rl_votes_decide(&ballot.votes, 0, answer);
	}
	return status;
}
