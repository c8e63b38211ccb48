/*
 * Puts one token in the place of another on a majority, for handOver(), adopt() and detached locks.
 */
#include "majority.h"
#include "../lock_state.h"

#include <string.h>

struct replacing {
	struct rl_replacement *replacement;
	struct rl_step step;
	struct rl_votes votes;
	uint32_t voters, heard;
	int64_t left_ms, most_left_ms; /* the least and the most of those that hold it */
};

/* Whoever gives it away knows the fences of those that granted it; whoever takes it over knows none, and asks all. */
static uint32_t voters_on(const struct rl_route *route, const struct rl_lease *lease)
{
	uint32_t nodes = 0;

	for (size_t i = 0; i < lease->holding_count; i++) {
		nodes |= strcmp(lease->holdings[i].fence_text, "0") == 0 ? 0 : rl_broadcast_bit(i);
	}
	return nodes ? nodes : rl_broadcast_all(route);
}

static bool is_adoption(const struct rl_replacement *replacement)
{
	return !replacement->given_away;
}

static const struct rl_call *call_step(void *context, size_t node, size_t index, const struct rl_connection *connection)
{
	struct replacing *replacing = context;

	(void)index;
	return rl_holding_call(&replacing->step, node, connection);
}

static const struct rl_call *call_replace(void *context, size_t node, size_t index, const struct rl_connection *connection)
{
	struct replacing *replacing = context;
	const struct rl_token *others = replacing->replacement->others;

	replacing->step.call.args[0] = others && others[node].text ? rl_token_text(&others[node]) : replacing->replacement->old;
	return call_step(context, node, index, connection);
}

static bool hear_replace(void *context, size_t node, size_t index, const struct rl_reply *reply, bool again)
{
	struct replacing *replacing = context;
	struct rl_replaced replaced;
	bool ours;

	(void)index;
	(void)again;
	if (!rl_protocol_parse_replaced(reply, &replaced)) {
		return false;
	}
	ours = replaced.answer == RL_ANSWER_OURS;
	rl_holding_read(&replacing->replacement->lease->holdings[node], reply);
	replacing->heard |= rl_broadcast_bit(node);
	if (ours || replacing->voters & rl_broadcast_bit(node)) {
		rl_votes_count(&replacing->votes, replaced.answer);
	}
	if (ours && rl_lease_told(replaced.left_ms) < replacing->left_ms) {
		replacing->left_ms = rl_lease_told(replaced.left_ms);
	}
	if (ours && rl_lease_told(replaced.left_ms) > replacing->most_left_ms) {
		replacing->most_left_ms = rl_lease_told(replaced.left_ms);
	}
	return true;
}

/*
 * A token that is to be adopted does not hold the lock once too few nodes are left that could have it. Short of that, a
 * node that cannot be asked may make it a majority.
 */
static bool decide_adoption(const struct replacing *replacing, enum rl_answer *answer)
{
	const struct rl_votes *votes = &replacing->votes;
	bool ours = votes->ours >= votes->needed;

	*answer = ours ? RL_ANSWER_OURS : RL_ANSWER_TAKEN;
	return ours || replacing->replacement->lease->holding_count - votes->gone - votes->other < votes->needed;
}

static bool decide(const struct replacing *replacing, size_t open, enum rl_answer *answer)
{
	return is_adoption(replacing->replacement) ? decide_adoption(replacing, answer)
											   : rl_votes_decide(&replacing->votes, open, answer);
}

static bool decide_replace(void *context, size_t open)
{
	enum rl_answer ignored;

	return decide(context, open, &ignored);
}

static struct rl_deferred *late_replace(void *context, size_t node, size_t index)
{
	struct replacing *replacing = context;

	(void)index;
	return rl_holding_defer(&replacing->replacement->lease->holdings[node]);
}

/* The grant stays the same, and the nodes count their fences each by itself. False: out of memory. */
static bool begin_holdings(const struct rl_replacement *replacement, size_t node_count)
{
	struct rl_lease *lease = replacement->lease;

	if (!rl_holding_begin(lease, node_count)) {
		return false;
	}
	for (size_t i = 0; replacement->given_away && i < node_count; i++) {
		memcpy(lease->holdings[i].fence_text, replacement->given_away->holdings[i].fence_text, RL_FENCE_SIZE);
	}
	return true;
}

static bool hear_old_token(void *context, size_t node, size_t index, const struct rl_reply *reply, bool again)
{
	struct replacing *replacing = context;
	struct rl_lock_state state;
	bool holds;

	(void)node;
	(void)index;
	(void)again;
	if (rl_lock_state_read(&state, reply) != RL_OK) {
		return false;
	}
	holds = rl_lock_state_shows(&state, replacing->replacement->old);
	rl_lock_state_clear(&state);
	rl_votes_count(&replacing->votes, holds ? RL_ANSWER_OURS : RL_ANSWER_TAKEN);
	return true;
}

/*
 * Whether a majority holds the token that is to be adopted. Nodes are asked this before any of them replaces it: a token
 * that less than a majority holds may be a part of a lock elsewhere, which nothing would put back. What a detached lock's
 * name has is the name's under each of its tokens.
 */
static enum rl_status find_old_token(struct rl_route *route, struct replacing *replacing, rl_time deadline,
	struct rl_error *error)
{
	struct rl_replacement *replacement = replacing->replacement;
	struct rl_broadcast broadcast = {
		.route = route,
		.nodes = rl_broadcast_all(route),
		.count = 1,
		.call = call_step,
		.answered = hear_old_token,
		.decided = decide_replace,
		.context = replacing,
	};
	enum rl_status status;

	rl_protocol_inspect(&replacing->step, &replacement->lease->keys, (struct rl_text){ NULL, 0 });
	rl_votes_begin(&replacing->votes, route->node_count);
	status = rl_broadcast_run(&broadcast, deadline, error);
	decide(replacing, 0, &replacement->answer);
	return status;
}

/*
 * What was not adopted is not released where the new token has taken its place all the same: whoever holds the lock may
 * rely on that node.
 */
static void leave_to_its_lease(struct rl_lease *lease)
{
	for (size_t i = 0; i < lease->holding_count; i++) {
		lease->holdings[i].state = RL_HOLDING_NONE;
	}
}

/* Where the new token has taken its place there is nothing left of the lease that is given away. */
static void note_given_away(const struct rl_replacement *replacement)
{
	for (size_t i = 0; replacement->given_away && i < replacement->lease->holding_count; i++) {
		if (replacement->lease->holdings[i].state == RL_HOLDING_HELD) {
			replacement->given_away->holdings[i].state = RL_HOLDING_NONE;
		}
	}
}

enum rl_status rl_majority_replace(struct rl_owner *owner, struct rl_replacement *replacement, rl_time deadline,
	struct rl_error *error)
{
	struct rl_route *route = owner->route;
	struct replacing replacing = { .replacement = replacement, .left_ms = INT64_MAX };
	bool adopts = is_adoption(replacement), looks = adopts && !replacement->was_found;
	struct rl_broadcast broadcast = {
		.route = route,
		.nodes = rl_broadcast_all(route),
		.count = 1,
		.call = call_replace,
		.answered = hear_replace,
		.decided = decide_replace,
		.late = late_replace,
		.context = &replacing,
		.everywhere = true, /* the new token is used elsewhere, where it may arrive before an answer that is out */
	};
	enum rl_status status = RL_OK;

	replacement->maybe_done = false;
	if (!begin_holdings(replacement, route->node_count)) {
		return rl_fail(error, RL_NO_MEMORY, "Out of memory");
	}
	if (looks) {
		status = find_old_token(route, &replacing, deadline, error);
	}
	if (status != RL_OK || (looks && replacement->answer != RL_ANSWER_OURS)) {
		return status;
	}
	rl_protocol_replace(&replacing.step, replacement->lease, replacement->old, replacement->lease_ms, adopts);
	replacing.voters = voters_on(route, replacement->lease);
	rl_votes_begin(&replacing.votes, route->node_count);
	status = rl_majority_note(&replacing.step, &broadcast, rl_broadcast_run(&broadcast, deadline, error));
	rl_holding_note_unheard(replacement->lease, &broadcast, replacing.heard, deadline);
	if (status == RL_OK) {
		decide(&replacing, 0, &replacement->answer);
		replacement->left_ms = replacing.left_ms;
		replacement->most_left_ms = replacing.most_left_ms;
	}
	/* A node that has not put the token there may still do so, unless it has said that it does not hold the old one. */
	replacement->maybe_done = replacing.step.call.maybe_done || (status == RL_OK && replacement->answer != RL_ANSWER_OURS);
	replacement->asked_at = replacing.step.call.sent_at;
	note_given_away(replacement);
	if (looks && (status != RL_OK || replacement->answer != RL_ANSWER_OURS)) {
		leave_to_its_lease(replacement->lease);
	}
	return status;
}
