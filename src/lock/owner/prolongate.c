/*
 * A new lease on what we hold, on demand. A lock that ran out and that nobody took is set anew.
 */
#include "extend.h"
#include "../../base/number.h"

/* It ran out, nobody took it, and now it is ours again: there was a gap. */
static enum rl_status report_gap(struct rl_owner *owner, const struct rl_lease *lease, rl_time late_by,
	struct rl_error *error)
{
	char name[RL_NAME_SIZE], seconds[RL_NUMBER_SECONDS_SIZE];

	owner->stats.timeouts++;
	rl_fail(error, RL_TIMED_OUT, "The lease of \"%s\" on Redis at %s had run out %s s ago; nobody else has had the lock, and it is held again",
		rl_lease_name(lease, name, sizeof name), owner->route->name, rl_number_put_seconds(seconds, late_by / RL_MILLISECOND));
	error->late_by = late_by;
	error->held = true;
	return RL_TIMED_OUT;
}

enum rl_status rl_owner_prolongate(struct rl_owner *owner, struct rl_text key,
	int64_t lease_ms, struct rl_error *error)
{
	struct rl_lease *lease;
	struct rl_extension extension = { .asked_at = 0 };
	enum rl_status status = rl_owner_use(owner, key, &lease, error);
	rl_time late_by;
	bool late;

	if (status == RL_OK) {
		status = rl_owner_await_claim(owner, lease, error);
	}
	if (status != RL_OK) {
		return status;
	}
	/* A lock that is gone before our deadline is lost, not late: only a late one may be set anew. */
	late = rl_now() >= lease->safe_until;
	status = rl_extend_run(owner, lease, lease_ms, late, &extension, error);
	if (status == RL_OK && extension.answer == RL_ANSWER_GONE && !late && rl_now() >= lease->safe_until) {
		late = true;
		status = rl_extend_run(owner, lease, lease_ms, true, &extension, error);
	}
	if (status != RL_OK) {
		return status;
	}
	if (extension.answer != RL_ANSWER_OURS && (extension.answer != RL_ANSWER_GONE || !late)) {
		return rl_owner_end_lost(owner, lease, extension.answer, rl_now(), error);
	}
	late_by = rl_now() - lease->safe_until;
	lease->length_ms = lease_ms;
	lease->safe_until = extension.safe_until;
	rl_watch_go_on(lease, extension.asked_at, lease_ms);
	status = rl_extend_came_in_time(owner, lease, error);
	if (status != RL_OK) {
		return status;
	}
	/* If the answer to the first sending was lost, it may have been that one that set it anew. */
	return extension.answer == RL_ANSWER_GONE || (late && extension.sent_twice)
		? report_gap(owner, lease, late_by, error)
		: RL_OK;
}
