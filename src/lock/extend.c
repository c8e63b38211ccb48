/*
 * A new lease on what we hold: prolongate(), and taking a lock that we hold already.
 */
#include "owner_state.h"

static enum rl_status extend(struct rl_owner *owner, struct rl_lease *lease, int64_t lease_ms, bool again,
	rl_time *asked_at, enum rl_answer *answer, bool *sent_twice, struct rl_error *error)
{
	struct rl_step step;
	enum rl_status status;
	rl_time deadline, began;

	rl_step_extend(&step, lease, lease_ms, again);
	deadline = rl_owner_contact(owner);
	began = rl_now();
	status = rl_step_run(owner->route, &step, deadline, answer, error);
	*asked_at = step.call.sent_at;
	*sent_twice = step.call.lost > 0;
	if (status != RL_OK && step.call.doubtful && rl_safe_until(began, lease_ms) < lease->safe_until) {
		lease->safe_until = rl_safe_until(began, lease_ms); /* it may have been made shorter, by any sending */
	}
	return status;
}

/* Not ours any more: the verdict, and all levels have ended. */
static enum rl_status end_lost(struct rl_owner *owner, struct rl_lease *lease, enum rl_answer answer,
	struct rl_error *error)
{
	enum rl_status verdict = rl_owner_judge(owner, lease, answer, rl_now(), error);

	rl_owner_detach(owner, lease);
	rl_owner_discard(owner, lease, lease->shares != NULL); /* nodes of a minority may still hold it */
	return verdict;
}

/* It ran out, nobody took it, and now it is ours again: there was a gap. */
static enum rl_status report_gap(struct rl_owner *owner, const struct rl_lease *lease, rl_time late_by,
	struct rl_error *error)
{
	char name[RL_NAME_SIZE];

	owner->stats.timeouts++;
	rl_fail(error, RL_TIMED_OUT, "The lease of \"%s\" on Redis at %s had run out %.3f s ago; nobody else has had the lock, and it is held again",
		rl_owner_name(lease, name), owner->route->name, (double)late_by / (double)RL_SECOND);
	error->late_by = late_by;
	error->held = true;
	return RL_TIMED_OUT;
}

enum rl_status rl_owner_prolongate(struct rl_owner *owner, const char *key, size_t key_length,
	int64_t lease_ms, struct rl_error *error)
{
	struct rl_lease *lease;
	enum rl_answer answer;
	enum rl_status status = rl_owner_find(owner, key, key_length, &lease, error);
	rl_time asked_at, late_by;
	bool late, sent_twice;

	if (status == RL_OK) {
		status = rl_owner_settle(owner, lease, error);
	}
	if (status != RL_OK) {
		return status;
	}
	/* Gone before our deadline is lost, not late: only who is late may set it anew. */
	late = rl_now() >= lease->safe_until;
	status = extend(owner, lease, lease_ms, late, &asked_at, &answer, &sent_twice, error);
	if (status == RL_OK && answer == RL_ANSWER_GONE && !late && rl_now() >= lease->safe_until) {
		late = true;
		status = extend(owner, lease, lease_ms, true, &asked_at, &answer, &sent_twice, error);
	}
	if (status != RL_OK) {
		return status;
	}
	if (answer != RL_ANSWER_OURS && (answer != RL_ANSWER_GONE || !late)) {
		return end_lost(owner, lease, answer, error);
	}
	late_by = rl_now() - lease->safe_until;
	lease->safe_until = rl_safe_until(asked_at, lease_ms);
	/* If the answer to the first sending was lost, it may have been that one that set it anew. */
	return answer == RL_ANSWER_GONE || (late && sent_twice) ? report_gap(owner, lease, late_by, error) : RL_OK;
}

enum rl_status rl_lengthen(struct rl_owner *owner, struct rl_lease *lease, int64_t lease_ms, struct rl_error *error)
{
	enum rl_status status = rl_owner_settle(owner, lease, error);
	int64_t left_ms, longer_ms;
	enum rl_answer answer;
	rl_time asked_at;
	bool sent_twice;

	if (status != RL_OK) {
		return status;
	}
	left_ms = rl_lease_for(lease->safe_until - rl_now());
	longer_ms = left_ms > lease_ms ? left_ms : lease_ms;
	status = extend(owner, lease, longer_ms, false, &asked_at, &answer, &sent_twice, error);
	if (status != RL_OK) {
		return status;
	}
	if (answer != RL_ANSWER_OURS) {
		return end_lost(owner, lease, answer, error);
	}
	if (rl_safe_until(asked_at, longer_ms) > lease->safe_until) {
		lease->safe_until = rl_safe_until(asked_at, longer_ms);
	}
	return RL_OK;
}

enum rl_status rl_reenter(struct rl_owner *owner, struct rl_lease *lease, int64_t lease_ms, struct rl_error *error)
{
	enum rl_status status = rl_lengthen(owner, lease, lease_ms, error);

	if (status == RL_OK) {
		lease->depth++;
		owner->stats.acquired++;
	}
	return status;
}
