/*
 * Puts an adopter's token in the place of the one that it has been given, on a majority.
 */
#include "late.h"

struct adoption {
	struct rl_route *route;
	struct rl_step *step;      /* that is asked for */
	const struct rl_step *now; /* that is being sent: that one, or a look before it */
	struct rl_words words;
	struct rl_votes votes;
};

static const struct rl_call *call_step(void *context, size_t node, size_t index)
{
	struct adoption *adoption = context;

	return rl_holding_form(&adoption->words, adoption->now, node);
}

/*
 * The token does not hold the lock once too few nodes are left that could have it. Short of that, a
 * node that cannot be asked may make it a majority.
 */
static bool decide(const struct adoption *adoption, enum rl_answer *answer)
{
	const struct rl_votes *votes = &adoption->votes;
	bool ours = votes->ours >= votes->needed;

	*answer = ours ? RL_ANSWER_OURS : RL_ANSWER_TAKEN;
	return ours || adoption->route->node_count - votes->gone - votes->other < votes->needed;
}

static bool is_decided(void *context, size_t index, size_t open)
{
	enum rl_answer ignored;

	return decide(context, &ignored);
}

/* --- whether it holds the lock --- */

static bool read_old_token(
	void *context, size_t node, size_t index, const struct rl_reply *reply, bool resent)
{
	struct adoption *adoption = context;
	struct rl_outcome outcome = { .answer = RL_ANSWER_TAKEN };
	struct rl_lock_state state;

	if (rl_lock_state_read(&state, reply) != RL_OK) {
		return false;
	}
	if (rl_lock_state_shows(&state, adoption->step->text)) {
		outcome.answer = RL_ANSWER_OURS;
	}
	rl_lock_state_clear(&state);
	rl_votes_count(&adoption->votes, &outcome);
	return true;
}

/*
 * Nodes are asked this before any of them is changed: a token that less than a majority holds may
 * be a part of a lock elsewhere, which nothing would put back.
 */
static enum rl_status find_old_token(struct adoption *adoption, rl_time deadline,
	enum rl_answer *answer, struct rl_error *error)
{
	struct rl_step look = { RL_STEP_INSPECT, .keys = &adoption->step->lease->keys };
	struct rl_broadcast broadcast = {
		.route = adoption->route,
		.nodes = rl_broadcast_all(adoption->route),
		.count = 1,
		.call = call_step,
		.answered = read_old_token,
		.decided = is_decided,
		.context = adoption,
	};
	enum rl_status status;

	adoption->now = &look;
	rl_votes_begin(&adoption->votes, adoption->route->node_count);
	status = rl_broadcast_run(&broadcast, deadline, error);
	decide(adoption, answer);
	return status;
}

/* --- taking it over --- */

static void note_adopted(struct rl_lease *lease, size_t node, const struct rl_outcome *outcome)
{
	rl_holding_note(lease, node, outcome->answer == RL_ANSWER_OURS, outcome->fence);
}

static void read_late(struct rl_lease *lease, size_t node, const struct rl_reply *reply)
{
	struct rl_outcome outcome;

	if (rl_protocol_parse_outcome(reply, &outcome)) {
		note_adopted(lease, node, &outcome);
	}
}

static bool read_adopted(
	void *context, size_t node, size_t index, const struct rl_reply *reply, bool resent)
{
	struct adoption *adoption = context;
	struct rl_outcome outcome;

	if (!rl_protocol_parse_outcome(reply, &outcome)) {
		return false;
	}
	note_adopted(adoption->step->lease, node, &outcome);
	rl_votes_count(&adoption->votes, &outcome);
	return true;
}

static struct rl_deferred *late_adopted(void *context, size_t node, size_t index)
{
	struct adoption *adoption = context;

	return rl_late_defer_grant(
		adoption->route, adoption->step->lease, node, RL_FOREVER, read_late);
}

/*
 * What was not adopted is not released where the token has been replaced: who holds the lock may
 * rely on that node.
 */
static void leave_alone(struct rl_step *step)
{
	step->lease->tenure.holdings = (struct rl_holdings){ .held = 0 };
	step->doubt.fate_unknown = false;
}

static enum rl_status take_over(struct adoption *adoption, rl_time deadline,
	struct rl_outcome *outcome, struct rl_error *error)
{
	struct rl_step *step = adoption->step;
	struct rl_broadcast broadcast = {
		.route = adoption->route,
		.nodes = rl_broadcast_all(adoption->route),
		.count = 1,
		.call = call_step,
		.answered = read_adopted,
		.decided = is_decided,
		.late = late_adopted,
		.context = adoption,
		.everywhere = true,
	};
	enum rl_status status;

	adoption->now = step;
	rl_votes_begin(&adoption->votes, adoption->route->node_count);
	status = rl_majority_note(step, &broadcast, rl_broadcast_run(&broadcast, deadline, error));
	rl_holding_note_unanswered(step->lease, &broadcast);
	if (status == RL_OK) {
		decide(adoption, &outcome->answer);
	}
	if (status == RL_OK && outcome->answer == RL_ANSWER_OURS) {
		outcome->left_ms = rl_votes_left(&adoption->votes);
	} else {
		leave_alone(step);
	}
	return status;
}

enum rl_status rl_majority_adopt(struct rl_batch *batch)
{
	struct rl_batch_item *item = batch->items;
	struct adoption adoption = { .route = batch->route, .step = item->step };
	enum rl_answer *answer = &item->outcome.answer;
	enum rl_status status = find_old_token(&adoption, batch->deadline, answer, batch->error);

	return status == RL_OK && *answer == RL_ANSWER_OURS
		? take_over(&adoption, batch->deadline, &item->outcome, batch->error)
		: status;
}
