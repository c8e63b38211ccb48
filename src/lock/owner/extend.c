/*
 * Making a lease longer that we hold.
 */
#include "extend.h"

/*
 * Its first key alone does not tell a late copy of what took the lock, past the lease's end, from what it was before.
 */
static enum rl_answer believed(const struct rl_lease *lease, const struct rl_step *step, enum rl_answer answer)
{
	bool may_be_a_copy = step->call.key_count == 1 && rl_lease_is_outlived(lease, rl_now());

	return answer == RL_ANSWER_OURS && may_be_a_copy ? RL_ANSWER_NO_FENCE : answer;
}

enum rl_status rl_extend_run(struct rl_owner *owner, struct rl_lease *lease, int64_t lease_ms, bool again,
	struct rl_extension *out, struct rl_error *error)
{
	rl_time deadline = rl_owner_contact(owner, &lease->keys), began;
	struct rl_step step;
	enum rl_status status;

	rl_watch_pause(lease);
	lease->serial++;
	lease->sent_again |= again;
	rl_protocol_extend(&step, lease, lease_ms, again);
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

enum rl_status rl_extend_came_in_time(struct rl_owner *owner, struct rl_lease *lease, struct rl_error *error)
{
	return rl_now() < lease->safe_until ? RL_OK : rl_owner_end_late(owner, lease, rl_owner_deadline(owner), error);
}

enum rl_status rl_extend_lease(struct rl_owner *owner, struct rl_lease *lease, int64_t lease_ms, struct rl_error *error)
{
	struct rl_extension extension = { .asked_at = 0 };
	enum rl_status status = rl_owner_await_claim(owner, lease, error);
	int64_t left_ms, longer_ms;

	if (status != RL_OK) {
		return status;
	}
	left_ms = rl_lease_for(lease->safe_until - rl_now());
	longer_ms = left_ms > lease_ms ? left_ms : lease_ms;
	status = rl_extend_run(owner, lease, longer_ms, false, &extension, error);
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
	return rl_extend_came_in_time(owner, lease, error);
}

enum rl_status rl_extend_reenter(struct rl_owner *owner, struct rl_lease *lease, int64_t lease_ms, struct rl_error *error)
{
	enum rl_status status = rl_extend_lease(owner, lease, lease_ms, error);

	if (status == RL_OK) {
		lease->depth++;
		owner->stats.acquired++;
	}
	return status;
}
