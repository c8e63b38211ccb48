#include "prolongate.h"
#include "../../base/number.h"

/* --- asking --- */

/* What became of asking for another lease. */
struct extension {
	/* OURS: lease->tenure.safe_until, the fence and the renewal thread know of it */
	enum rl_answer answer;
	bool was_gone; /* OURS: it had ended, and was set anew */
};

static void lengthen(struct rl_lease *lease, rl_time asked_at, const struct rl_outcome *outcome)
{
	rl_time safe_until = rl_lease_safe_until(asked_at, rl_lease_told(outcome->left_ms));

	lease->tenure.safe_until = rl_time_later(lease->tenure.safe_until, safe_until);
	rl_watch_lengthened(lease, asked_at, rl_lease_told(outcome->left_ms));
}

static void become(struct rl_lease *lease, rl_time asked_at, int64_t told_ms)
{
	int64_t left_ms = rl_lease_told(told_ms);

	lease->tenure.safe_until = rl_lease_safe_until(asked_at, left_ms);
	rl_watch_go_on(lease, asked_at, left_ms);
}

/*
 * Longer, or again: requests whose late copies do no harm. If the answer to the first sending was
 * lost, it may have been that one that set it anew.
 */
static enum rl_status ask(struct rl_owner *owner, struct rl_lease *lease, int64_t lease_ms,
	enum rl_extend how, rl_time deadline, struct extension *out, struct rl_error *error)
{
	struct rl_outcome outcome;
	struct rl_step step = {
		RL_STEP_EXTEND, .lease = lease, .lease_ms = lease_ms, .how = how
	};
	enum rl_status status;

	rl_assert(!lease->tenure.unanswered_ms); /* lease.h, 4 */
	status = rl_owner_run_about(owner, &step, deadline, &outcome, error);
	if (status != RL_OK) {
		return status;
	}
	out->answer = outcome.answer;
	if (outcome.answer == RL_ANSWER_OURS && how == RL_EXTEND_LONGER) {
		lengthen(lease, step.sent_at, &outcome);
	} else if (outcome.answer == RL_ANSWER_OURS) {
		out->was_gone = outcome.was_over || step.doubt.copy_out;
		become(lease, step.sent_at, outcome.left_ms);
	}
	return RL_OK;
}

/* Of a share. It is entered anew; if that cannot be, its verdict is asked for. */
static enum rl_status ask_reenter(struct rl_owner *owner, struct rl_lease *lease, int64_t lease_ms,
	rl_time deadline, struct extension *out, struct rl_error *error)
{
	struct rl_step step = { RL_STEP_REENTER, .lease = lease, .lease_ms = lease_ms };
	struct rl_batch_item item = { .step = &step };
	const struct rl_grant *grant = &item.grant;
	enum rl_status status;

	rl_watch_pause(lease);
	lease->tenure.unanswered_ms = lease_ms; /* under which fence, an anew tells */
	status = rl_owner_run_item_about(owner, &item, deadline, error);
	if (status == RL_AGAIN) {
		return status;
	}
	if (!step.doubt.fate_unknown) {
		lease->tenure.unanswered_ms = 0;
	}
	if (status != RL_OK || !grant->ours) {
		rl_watch_go_on_as_before(lease);
		return status == RL_OK
			? ask(owner, lease, 0, RL_EXTEND_LONGER, deadline, out, error)
			: status;
	}
	out->answer = RL_ANSWER_OURS;
	out->was_gone = grant->fence != lease->tenure.fence || step.doubt.copy_out;
	lease->tenure.fence = grant->fence;
	become(lease, step.sent_at, grant->left_ms);
	return RL_OK;
}

static enum rl_status extend(struct rl_owner *owner, struct rl_lease *lease, int64_t lease_ms,
	enum rl_extend how, rl_time deadline, struct extension *out, struct rl_error *error)
{
	enum rl_status status = rl_regrant_confirm(owner, lease, deadline, &out->answer, error);
	bool may_be_set_anew = how == RL_EXTEND_AGAIN && out->answer == RL_ANSWER_GONE
		&& !lease->tenure.unanswered_ms;

	out->was_gone = false;
	if (status != RL_OK || (out->answer != RL_ANSWER_OURS && !may_be_set_anew)) {
		return status;
	}
	if (how == RL_EXTEND_ANEW) {
		return rl_regrant_ask(owner, lease, lease_ms, deadline, &out->answer, error);
	}
	return how == RL_EXTEND_AGAIN && lease->tenure.is_share
		? ask_reenter(owner, lease, lease_ms, deadline, out, error)
		: ask(owner, lease, lease_ms, how, deadline, out, error);
}

enum rl_status rl_prolongate_came_in_time(
	struct rl_owner *owner, struct rl_lease *lease, rl_time deadline, struct rl_error *error)
{
	return rl_now() < lease->tenure.safe_until
		? RL_OK
		: rl_owner_end_late(owner, lease, deadline, error);
}

enum rl_status rl_prolongate_reenter(struct rl_owner *owner, struct rl_lease *lease,
	int64_t lease_ms, rl_time deadline, struct rl_error *error)
{
	struct extension extension;
	enum rl_status status = extend(
		owner, lease, lease_ms, RL_EXTEND_LONGER, deadline, &extension, error);

	if (status != RL_OK) {
		return status;
	}
	if (extension.answer != RL_ANSWER_OURS) {
		return rl_owner_end_lost(owner, lease, extension.answer, rl_now(), deadline, error);
	}
	if (lease_ms > lease->length_ms) {
		lease->length_ms = lease_ms;
	}
	status = rl_prolongate_came_in_time(owner, lease, deadline, error);
	if (status == RL_OK) {
		lease->depth++;
		owner->stats.acquired++;
	}
	return status;
}

/* --- on demand --- */

/* It ran out, nobody took it, and now it is ours again: there was a gap. */
static enum rl_status report_gap(
	struct rl_owner *owner, const struct rl_lease *lease, rl_time late_by, struct rl_error *error)
{
	char name[RL_NAME_SIZE], seconds[RL_NUMBER_SECONDS_SIZE];

	owner->stats.timeouts++;
	rl_fail(error, RL_TIMED_OUT,
		"The lease of \"%s\" on Redis at %s had run out %s s ago; %s, and it is held again",
		rl_lease_name(lease, name, sizeof name), owner->route->name,
		rl_number_put_seconds(seconds, late_by / RL_MILLISECOND), rl_verdict_on_others(lease));
	error->late_by = late_by;
	error->held = true;
	return RL_TIMED_OUT;
}

static enum rl_extend how_to_extend(const struct rl_lease *lease, int64_t lease_ms)
{
	rl_time now = rl_now();

	/*
	 * A lock that is gone before our deadline is lost, not late: only a late one may be set anew.
	 */
	if (now >= lease->tenure.safe_until) {
		return RL_EXTEND_AGAIN;
	}
	return rl_lease_safe_until(now, lease_ms) >= lease->tenure.safe_until ? RL_EXTEND_LONGER
																		  : RL_EXTEND_ANEW;
}

static enum rl_status prolongate(struct rl_owner *owner, struct rl_lease *lease,
	int64_t lease_ms, rl_time deadline, struct rl_error *error)
{
	enum rl_extend how = how_to_extend(lease, lease_ms);
	rl_time ended_at = lease->tenure.safe_until;
	struct extension extension;
	enum rl_status status;

	lease->length_ms = lease_ms; /* the renewal thread's, too */
	status = extend(owner, lease, lease_ms, how, deadline, &extension, error);
	if (status == RL_OK && extension.answer == RL_ANSWER_GONE && how != RL_EXTEND_AGAIN
		&& rl_now() >= ended_at) {
		status = extend(owner, lease, lease_ms, RL_EXTEND_AGAIN, deadline, &extension, error);
	}
	if (status != RL_OK) {
		return status;
	}
	if (extension.answer != RL_ANSWER_OURS) {
		return rl_owner_end_lost(owner, lease, extension.answer, rl_now(), deadline, error);
	}
	status = rl_prolongate_came_in_time(owner, lease, deadline, error);
	return status == RL_OK && extension.was_gone
		? report_gap(owner, lease, rl_now() - ended_at, error)
		: status;
}

enum rl_status rl_owner_prolongate(struct rl_owner *owner, struct rl_text key,
	int64_t lease_ms, struct rl_error *error)
{
	rl_time deadline = rl_owner_deadline(owner, rl_now());
	struct rl_lease *lease;
	enum rl_status status;

	do {
		status = rl_owner_use_alone(owner, key, deadline, &lease, error);
		if (status == RL_OK) {
			rl_lease_pin(lease);
			status = prolongate(owner, lease, lease_ms, deadline, error);
			rl_lease_unpin(lease);
		}
	} while (status == RL_AGAIN);
	return status;
}
