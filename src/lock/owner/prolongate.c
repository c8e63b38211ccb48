/*
 * A new lease on what we hold: on demand, or for an operation that finds the lock held. One that ran out and that
 * nobody took is set anew on demand alone.
 */
#include "prolongate.h"
#include "../../base/number.h"

/*
 * Its first key alone does not tell a late copy of what took the lock, past the lease's end, from what it was before.
 */
static enum rl_answer believed(const struct rl_lease *lease, const struct rl_step *step, enum rl_answer answer)
{
	bool may_be_a_copy = step->call.key_count == 1 && rl_lease_is_outlived(lease, rl_now());

	return answer == RL_ANSWER_OURS && may_be_a_copy ? RL_ANSWER_NO_FENCE : answer;
}

enum rl_status rl_prolongate_run(struct rl_owner *owner, struct rl_lease *lease, int64_t lease_ms, enum rl_extend how,
	struct rl_extension *out, struct rl_error *error)
{
	rl_time deadline = rl_owner_contact(owner, &lease->keys), began;
	bool again = how == RL_EXTEND_AGAIN;
	struct rl_step step;
	enum rl_status status;

	rl_watch_pause(lease);
	lease->serial++;
	lease->sent_again |= again;
	rl_protocol_extend(&step, lease, lease_ms, how);
	began = rl_now();
	status = owner->backend->run(owner->route, &step, deadline, &out->answer, error);
	*out = (struct rl_extension){
		.answer = out->answer,
		.asked_at = step.call.sent_at,
		.safe_until = rl_protocol_extended_until(&step, lease, lease_ms),
		.sent_twice = step.call.unanswered > 0,
	};
	if (status == RL_OK) {
		out->answer = believed(lease, &step, out->answer);
		lease->in_doubt = rl_protocol_leaves_doubt(&step, lease);
	} else {
		lease->in_doubt |= step.call.maybe_done;
		if (step.call.maybe_done && rl_lease_safe_until(began, lease_ms) < lease->safe_until) {
			lease->safe_until = rl_lease_safe_until(began, lease_ms); /* it may become shorter, until a later extend is answered */
		}
		rl_watch_go_on_as_before(lease, step.call.maybe_done);
	}
	if (again && (status != RL_OK || step.call.unanswered)) {
		rl_lease_set_copies(lease, deadline);
	}
	return status;
}

/* Another may have had the lock already when the answer came: then the new lease has ended, too, and that is the verdict. */
enum rl_status rl_prolongate_came_in_time(struct rl_owner *owner, struct rl_lease *lease, struct rl_error *error)
{
	return rl_now() < lease->safe_until ? RL_OK : rl_owner_end_late(owner, lease, rl_owner_deadline(owner), error);
}

/* To the longer of what is left and `lease_ms`. */
static enum rl_status lengthen(struct rl_owner *owner, struct rl_lease *lease, int64_t lease_ms, struct rl_error *error)
{
	struct rl_extension extension = { .asked_at = 0 };
	int64_t left_ms = rl_lease_for(lease->safe_until - rl_now());
	int64_t longer_ms = left_ms > lease_ms ? left_ms : lease_ms;
	enum rl_status status = rl_prolongate_run(owner, lease, longer_ms, RL_EXTEND_LONGER, &extension, error);

	if (status != RL_OK) {
		return status;
	}
	if (extension.answer != RL_ANSWER_OURS) {
		return rl_owner_end_lost(owner, lease, extension.answer, rl_now(), error);
	}
	if (extension.safe_until > lease->safe_until) {
		lease->safe_until = extension.safe_until;
	}
	if (lease_ms > lease->length_ms) {
		lease->length_ms = lease_ms;
	}
	rl_watch_go_on(lease, extension.asked_at, longer_ms);
	return rl_prolongate_came_in_time(owner, lease, error);
}

enum rl_status rl_prolongate_reenter(struct rl_owner *owner, struct rl_lease *lease, int64_t lease_ms, struct rl_error *error)
{
	enum rl_status status = lengthen(owner, lease, lease_ms, error);

	if (status == RL_OK) {
		lease->depth++;
		owner->stats.acquired++;
	}
	return status;
}

/* --- on demand --- */

/* It ran out, nobody took it, and now it is ours again: there was a gap. */
static enum rl_status report_gap(struct rl_owner *owner, const struct rl_lease *lease, rl_time late_by,
	struct rl_error *error)
{
	char name[RL_NAME_SIZE], seconds[RL_NUMBER_SECONDS_SIZE];

	owner->stats.timeouts++;
	rl_fail(error, RL_TIMED_OUT, "The lease of \"%s\" on Redis at %s had run out %s s ago; %s, and it is held again",
		rl_lease_name(lease, name, sizeof name), owner->route->name,
		rl_number_put_seconds(seconds, late_by / RL_MILLISECOND), rl_verdict_on_others(lease));
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

	if (status != RL_OK) {
		return status;
	}
	/* A lock that is gone before our deadline is lost, not late: only a late one may be set anew. */
	late = rl_now() >= lease->safe_until;
	status = rl_prolongate_run(owner, lease, lease_ms, late ? RL_EXTEND_AGAIN : RL_EXTEND_ANEW, &extension, error);
	if (status == RL_OK && extension.answer == RL_ANSWER_GONE && !late && rl_now() >= lease->safe_until) {
		late = true;
		status = rl_prolongate_run(owner, lease, lease_ms, RL_EXTEND_AGAIN, &extension, error);
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
	status = rl_prolongate_came_in_time(owner, lease, error);
	if (status != RL_OK) {
		return status;
	}
	/* If the answer to the first sending was lost, it may have been that one that set it anew. */
	return extension.answer == RL_ANSWER_GONE || (late && extension.sent_twice)
		? report_gap(owner, lease, late_by, error)
		: RL_OK;
}
