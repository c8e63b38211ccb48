/*
 * Changing the kind of what we hold. The token stays, and the serial rises as for an extend, so that no earlier extend
 * counts any more.
 */
#include "kind.h"

enum rl_status rl_kind_can_share(struct rl_owner *owner, struct rl_error *error)
{
	return owner->backend->can_share ? RL_OK : rl_fail(error, RL_MISUSE, "A majority of servers has no shared locks");
}

enum rl_status rl_kind_fail(struct rl_owner *owner, struct rl_lease *lease, enum rl_status failure, bool maybe_done,
	struct rl_error *error)
{
	if (!maybe_done) {
		rl_watch_go_on_as_before(lease, false);
		return failure;
	}
	rl_owner_remove(owner, lease);
	lease->sent_again = true; /* its release closes it */
	owner->backend->discard(owner, lease, true);
	if (failure == RL_REFUSED) {
		owner->backend->repeat_last(owner, rl_owner_deadline(owner)); /* by too few replicas */
	}
	error->unanswered = true;
	return failure;
}

static bool read_upgraded(void *context, const struct rl_reply *reply)
{
	return rl_protocol_parse_upgraded(reply, context);
}

static void become_exclusive(struct rl_lease *lease, rl_time asked_at, const struct rl_upgraded *upgraded)
{
	int64_t left_ms = rl_lease_told(upgraded->left_ms);
	rl_time safe_until = rl_lease_safe_until(asked_at, left_ms);

	lease->is_share = false;
	lease->in_doubt = false;
	rl_lease_set_fence(lease, upgraded->fence);
	if (safe_until > lease->safe_until) {
		lease->safe_until = safe_until;
	}
	if (left_ms > lease->length_ms) {
		lease->length_ms = left_ms;
	}
}

enum rl_status rl_kind_ask_upgrade(struct rl_owner *owner, struct rl_lease *lease, int64_t lease_ms, enum rl_answer *answer,
	bool *maybe_done, struct rl_error *error)
{
	rl_time deadline = rl_owner_contact(owner, &lease->keys);
	struct rl_upgraded upgraded;
	enum rl_status status;
	struct rl_step step;

	rl_watch_pause(lease);
	lease->serial++;
	rl_protocol_upgrade(&step, lease, lease_ms);
	status = owner->backend->query(owner->route, &step, deadline, read_upgraded, &upgraded, error);
	*maybe_done = step.call.maybe_done;
	*answer = upgraded.answer;
	if (status == RL_OK && upgraded.answer == RL_ANSWER_OURS) {
		become_exclusive(lease, step.call.sent_at, &upgraded);
		rl_watch_go_on(lease, step.call.sent_at, rl_lease_told(upgraded.left_ms));
	}
	return status;
}

enum rl_status rl_kind_upgrade(struct rl_owner *owner, struct rl_lease *lease, int64_t lease_ms, struct rl_error *error)
{
	enum rl_answer answer;
	bool maybe_done;
	enum rl_status status = rl_kind_ask_upgrade(owner, lease, lease_ms, &answer, &maybe_done, error);

	if (status != RL_OK) {
		return rl_kind_fail(owner, lease, status, maybe_done, error);
	}
	if (answer == RL_ANSWER_OTHER) {
		rl_watch_go_on_as_before(lease, false);
		owner->stats.busy++;
		return RL_NO;
	}
	if (answer != RL_ANSWER_OURS) {
		return rl_owner_end_lost(owner, lease, answer, rl_now(), error);
	}
	status = rl_prolongate_came_in_time(owner, lease, error);
	if (status == RL_OK) {
		lease->depth++;
		owner->stats.acquired++;
	}
	return status;
}

enum rl_status rl_kind_ask_downgrade(struct rl_owner *owner, struct rl_lease *lease, enum rl_answer *answer,
	bool *maybe_done, struct rl_error *error)
{
	rl_time deadline = rl_owner_contact(owner, &lease->keys);
	enum rl_status status = rl_lease_use_turnstile(lease, error);
	struct rl_step step;

	*maybe_done = false;
	if (status != RL_OK) {
		return status;
	}
	rl_watch_pause(lease);
	lease->serial++;
	rl_protocol_downgrade(&step, lease);
	status = owner->backend->run(owner->route, &step, deadline, answer, error);
	*maybe_done = step.call.maybe_done;
	if (status == RL_OK && *answer == RL_ANSWER_OURS) {
		lease->is_share = true;
		lease->in_doubt = false;
		rl_watch_go_on_as_before(lease, false);
	}
	return status;
}

enum rl_status rl_kind_downgrade(struct rl_owner *owner, struct rl_lease *lease, struct rl_error *error)
{
	enum rl_answer answer;
	bool maybe_done;
	enum rl_status status = rl_kind_ask_downgrade(owner, lease, &answer, &maybe_done, error);

	if (status != RL_OK) {
		return rl_kind_fail(owner, lease, status, maybe_done, error);
	}
	return answer == RL_ANSWER_OURS
		? rl_prolongate_came_in_time(owner, lease, error)
		: rl_owner_end_lost(owner, lease, answer, rl_now(), error);
}
