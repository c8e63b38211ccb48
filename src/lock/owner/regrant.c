#include "regrant.h"

/* `least`: it is safe until then, whatever the answer says; 0: no more is known. */
static void become(
	struct rl_lease *lease, rl_time asked_at, const struct rl_outcome *outcome, rl_time least)
{
	int64_t left_ms = rl_lease_told(outcome->left_ms);

	rl_lease_note_grant(lease, outcome->fence, outcome->nodes);
	lease->tenure.safe_until = rl_time_later(least, rl_lease_safe_until(asked_at, left_ms));
	rl_watch_go_on(lease, asked_at, left_ms);
}

/* What came of asking for it; NULL: no answer. The renewal thread knows of it, too. */
static void note(struct rl_lease *lease, const struct rl_step *step, rl_time least,
	const struct rl_outcome *outcome)
{
	if (outcome && outcome->answer == RL_ANSWER_OURS) {
		/* After a first sending, what another answer says is left has partly gone by. */
		bool repeated = step->is_repeated || step->doubt.copy_out;

		become(lease, step->sent_at, outcome, repeated ? least : 0);
		return;
	}
	if (step->doubt.fate_unknown) {
		lease->tenure.unanswered_ms = step->lease_ms;
		lease->tenure.safe_until = least;
	} else if (outcome && lease->tenure.fence) {
		lease->tenure.unanswered_ms = 0; /* it is over, under the fence that the server tells */
		lease->tenure.fence = outcome->fence ? outcome->fence : lease->tenure.fence;
	}
	rl_watch_go_on_as_before(lease);
}

enum rl_status rl_regrant_ask(struct rl_owner *owner, struct rl_lease *lease, int64_t lease_ms,
	rl_time deadline, enum rl_answer *answer, struct rl_error *error)
{
	struct rl_step step = {
		RL_STEP_EXTEND, .how = RL_EXTEND_ANEW, .lease = lease, .lease_ms = lease_ms
	};
	struct rl_outcome outcome;
	struct rl_tenure before;
	rl_time least; /* it is safe until then, whichever sending makes it: the earlier of two ends */
	enum rl_status status;

	rl_watch_pause(lease);
	before = lease->tenure;
	least = rl_time_earlier(before.safe_until, rl_lease_safe_until(rl_now(), lease_ms));
	/* Replicas need not have what has come twice: it only tells us where we are. */
	step.is_repeated = before.unanswered_ms > 0;
	/* Whoever uses the owner meanwhile knows that it is out. */
	lease->tenure.unanswered_ms = lease_ms;
	lease->tenure.safe_until = least;
	status = rl_owner_run_about(owner, &step, deadline, &outcome, error);
	if (status == RL_AGAIN) {
		return status;
	}
	lease->tenure.unanswered_ms = before.unanswered_ms;
	lease->tenure.safe_until = before.safe_until;
	note(lease, &step, least, status == RL_OK ? &outcome : NULL);
	if (status == RL_OK) {
		*answer = outcome.answer;
	}
	return status;
}

enum rl_status rl_regrant_confirm(struct rl_owner *owner, struct rl_lease *lease, rl_time deadline,
	enum rl_answer *answer, struct rl_error *error)
{
	enum rl_status status = RL_OK;

	*answer = RL_ANSWER_OURS;
	rl_watch_sync(lease);
	if (lease->tenure.unanswered_ms) {
		status = rl_regrant_ask(owner, lease, lease->tenure.unanswered_ms, deadline, answer, error);
	}
	rl_assert(status != RL_OK || *answer != RL_ANSWER_OURS
		|| !lease->tenure.unanswered_ms); /* lease.h, 4 */
	return status;
}

/*
 * The release can do without the fence, so half of the time is left for it. While a cluster's slot
 * moves, an anew is refused for as long as there is time.
 */
enum rl_status rl_regrant_confirm_before_release(struct rl_owner *owner, struct rl_lease *lease,
	rl_time deadline, enum rl_answer *answer, struct rl_error *error)
{
	rl_watch_sync(lease);
	if (lease->tenure.unanswered_ms) {
		deadline = rl_time_half_way(rl_now(), deadline);
	}
	return rl_regrant_confirm(owner, lease, deadline, answer, error);
}
