/*
 * Takes a lock on a majority: asks all nodes at once, counts who grants it, and discards what did
 * not suffice.
 */
#include "late.h"
#include "../acquire/ask.h"
#include "../../redis/refusal.h"
#include "../../route/independent.h"

#include <stdlib.h>

struct ask {
	struct rl_route *route;
	struct rl_lease *lease;
	int64_t lease_ms;
	struct rl_step step;
	struct rl_words words;
	struct rl_broadcast broadcast;
	struct rl_votes votes;         /* OURS: granted; OTHER: busy */
	int64_t busy_ms[RL_NODES_MAX]; /* what is left where it is busy */
};

static const struct rl_call *call_ask(void *context, size_t node, size_t index)
{
	struct ask *ask = context;

	return rl_holding_form(&ask->words, &ask->step, node);
}

static bool read_ask(
	void *context, size_t node, size_t index, const struct rl_reply *reply, bool resent)
{
	struct ask *ask = context;
	struct rl_grant grant;
	struct rl_outcome outcome = { .answer = RL_ANSWER_OTHER };

	if (!rl_protocol_parse_grant(reply, ask->lease_ms, &grant)) {
		return false;
	}
	rl_holding_note(ask->lease, node, grant.ours, grant.fence);
	if (grant.ours) {
		outcome = (struct rl_outcome){ .answer = RL_ANSWER_OURS, .left_ms = grant.left_ms };
	} else {
		ask->busy_ms[ask->votes.other] = grant.left_ms < 0 ? INT64_MAX : grant.left_ms;
	}
	rl_votes_count(&ask->votes, &outcome);
	return true;
}

static bool decide_ask(void *context, size_t index, size_t open)
{
	const struct rl_votes *votes = &((const struct ask *)context)->votes;

	return votes->ours >= votes->needed
		|| (votes->ours + open < votes->needed && rl_votes_counted(votes) >= votes->needed);
}

static struct rl_deferred *late_ask(void *context, size_t node, size_t index)
{
	struct ask *ask = context;

	return rl_late_defer_grant(ask->route, ask->lease, node,
		rl_lease_safe_until(ask->broadcast.sent_at, ask->lease_ms));
}

static int compare_ms_left(const void *a, const void *b)
{
	int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;

	return (left > right) - (left < right);
}

/*
 * When a majority will be free at the latest, if nobody gives back; 0: nobody has a majority now;
 * -1: never.
 */
static int64_t busy_for(struct ask *ask)
{
	const struct rl_votes *votes = &ask->votes;
	int64_t left_ms;

	if (votes->other < votes->needed) {
		return 0;
	}
	qsort(ask->busy_ms, votes->other, sizeof ask->busy_ms[0], compare_ms_left);
	left_ms = ask->busy_ms[votes->needed - votes->ours - 1];
	return left_ms == INT64_MAX ? -1 : left_ms;
}

/*
 * A lease that was not granted is given back wherever it may be held, and the next try has a token
 * of its own: the release of the old one may come at any time.
 */
static enum rl_status discard(
	struct rl_attempt *attempt, enum rl_status status, struct rl_error *error)
{
	struct rl_error ignored;
	enum rl_status discarded = rl_ask_replace_token(attempt, status == RL_OK ? error : &ignored);

	return status == RL_OK ? discarded : status;
}

static void note_answers(struct rl_attempt *attempt, struct ask *ask, bool has_answer)
{
	const struct rl_broadcast *broadcast = &ask->broadcast;

	attempt->asked_at = ask->broadcast.sent_at;
	attempt->answered_at = rl_now();
	attempt->grant = (struct rl_grant){ .ours = has_answer
			&& ask->votes.ours >= ask->votes.needed };
	attempt->grant.left_ms = attempt->grant.ours ? rl_votes_left(&ask->votes) : busy_for(ask);
	/*
	 * Nodes that were sent it and were not heard have said neither yes nor no; and where a sending
	 * was lost, a copy of it may have taken the lock: that it was busy says nothing of that one.
	 */
	rl_holding_doubt(ask->lease,
		(broadcast->sent & ~broadcast->answered_by)
			| (broadcast->unanswered & ~rl_holding_nodes(ask->lease)));
}

enum rl_status rl_majority_ask(
	struct rl_attempt *attempt, struct rl_ask_terms *how, struct rl_error *error)
{
	struct rl_route *route = attempt->owner->route;
	struct ask ask = {
		.route = route,
		.lease = attempt->lease,
		.lease_ms = attempt->lease_ms,
		.step = { RL_STEP_ACQUIRE, .lease = attempt->lease, .lease_ms = attempt->lease_ms },
		.broadcast = {
			.route = route,
			.nodes = rl_broadcast_all(route),
			.count = 1,
			.call = call_ask,
			.answered = read_ask,
			.decided = decide_ask,
			.late = late_ask,
			.context = &ask,
			.to_take = true,
		},
	};
	enum rl_status status;

	rl_votes_begin(&ask.votes, route->node_count);
	status = rl_broadcast_run(&ask.broadcast, how->deadline, error);
	if (status == RL_OK) {
		status = rl_independent_check(route, error);
	}
	attempt->is_transient = status == RL_REFUSED && rl_refusal_passes_soon(error);
	note_answers(attempt, &ask, status == RL_OK);
	return attempt->grant.ours ? RL_OK : discard(attempt, status, error);
}
