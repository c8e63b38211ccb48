#include "anew.h"

/*
 * What was pending was told to be safe until the earlier of two ends, and is at least that,
 * whichever sending made it. An answer that took long says less.
 */
static void become(struct rl_lease *lease, rl_time asked_at, const struct rl_outcome *outcome)
{
	int64_t left_ms = rl_lease_told(outcome->left_ms);
	rl_time least = lease->pending_ms ? lease->safe_until : 0;

	rl_outcome_note_grant(outcome, lease);
	lease->safe_until = rl_time_later(least, rl_lease_safe_until(asked_at, left_ms));
	rl_watch_go_on(lease, asked_at, left_ms);
}

/* Replicas need not have what has come twice: it only tells us where we are. */
enum rl_status rl_anew_ask(struct rl_owner *owner, struct rl_lease *lease, int64_t lease_ms,
	enum rl_answer *answer, struct rl_error *error)
{
	rl_time before, shorter;
	struct rl_outcome outcome;
	struct rl_step step;
	enum rl_status status;

	rl_watch_pause(lease);
	before = lease->safe_until;
	shorter = rl_lease_safe_until(rl_now(), lease_ms);
	rl_protocol_extend(&step, lease, lease_ms, RL_EXTEND_ANEW);
	if (lease->pending_ms) {
		step.call.replicated_up_to = 0;
	}
	status = owner->backend->run(
		owner->route, &step, rl_owner_contact(owner, &lease->keys), &outcome, error);
	if (status == RL_OK) {
		*answer = outcome.answer;
	}
	if (status == RL_OK && outcome.answer == RL_ANSWER_OURS) {
		become(lease, step.call.sent_at, &outcome);
		return RL_OK;
	}
	if (step.call.maybe_done) {
		lease->pending_ms = lease_ms;
		lease->safe_until = rl_time_earlier(before, shorter);
	} else if (status == RL_OK && !lease->holdings) {
		lease->pending_ms = 0; /* it is over, under the fence that the server tells */
		lease->fence = outcome.fence ? outcome.fence : lease->fence;
	}
	rl_watch_go_on_as_before(lease);
	return status;
}

enum rl_status rl_anew_settle(
	struct rl_owner *owner, struct rl_lease *lease, enum rl_answer *answer, struct rl_error *error)
{
	*answer = RL_ANSWER_OURS;
	rl_watch_hear(lease);
	return lease->pending_ms ? rl_anew_ask(owner, lease, lease->pending_ms, answer, error) : RL_OK;
}
