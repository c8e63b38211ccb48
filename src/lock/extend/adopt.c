/*
 * Taking a lock over by its token: a new grant to this owner, with the metadata that it has.
 */
#include "../owner/internal.h"

/* RL_NO: the token does not hold the lock. */
static enum rl_status keep(struct rl_owner *owner, struct rl_step *step,
	const struct rl_outcome *outcome, struct rl_error *error)
{
	enum rl_status status;

	if (outcome->answer != RL_ANSWER_OURS) {
		return RL_NO;
	}
	step->lease->tenure.fence = outcome->fence;
	status = rl_owner_keep(
		owner, step->lease, step->sent_at, rl_lease_told(outcome->left_ms), error);
	step->doubt.fate_unknown = status != RL_OK;
	if (step->lease_ms == 0 && status == RL_UNREACHABLE) {
		status = RL_NO; /* its time was as good as over, which is no failure */
	}
	return status;
}

static enum rl_status take_over(struct rl_owner *owner, struct rl_lease *lease, struct rl_text old,
	int64_t lease_ms, struct rl_error *error)
{
	rl_time now = rl_now(), deadline = rl_owner_deadline(owner, now);
	struct rl_step step = { RL_STEP_ADOPT, .lease = lease, .text = old, .lease_ms = lease_ms };
	struct rl_outcome outcome;
	enum rl_status status;

	owner->backend->release_discarded(owner, &lease->keys, deadline, NULL);
	status = rl_owner_run(owner, &step, deadline, &outcome, error);
	if (status == RL_OK) {
		status = keep(owner, &step, &outcome, error);
	}
	if (status == RL_OK) {
		lease->waited = rl_now() - now;
		return RL_OK;
	}
	owner->backend->discard(owner, lease, step.doubt.fate_unknown);
	if (step.doubt.fate_unknown && status == RL_REFUSED) {
		rl_owner_release_discarded(owner, deadline);
	}
	return status;
}

/* What has been adopted is nobody else's any more: so the thread that it needs comes first. */
enum rl_status rl_owner_adopt(struct rl_owner *owner, struct rl_text key, struct rl_text token,
	int64_t lease_ms, struct rl_error *error)
{
	struct rl_value old = rl_token_read_value(token);
	struct rl_lease_terms terms = {
		.prefix = owner->prefix, .name = key, .metadata = old.metadata
	};
	struct rl_lease *held, *lease;
	enum rl_status status = rl_owner_can_hand_over(owner, error);

	if (status == RL_OK) {
		status = rl_owner_finish_changes(owner, key, error);
	}
	if (status != RL_OK) {
		return status;
	}
	status = rl_owner_find(owner, key, &held, error);
	if (status != RL_OK && status != RL_NO) {
		return status;
	}
	if (old.kind != RL_VALUE_TOKEN || old.metadata.length > RL_METADATA_MAX) {
		return RL_NO;
	}
	status = rl_watch_expect(&owner->watch, owner->watch.renew, error);
	if (status != RL_OK) {
		return status;
	}
	status = rl_lease_new(&terms, &lease, error);
	if (status == RL_OK) {
		status = take_over(owner, lease, old.token, lease_ms, error);
	}
	rl_watch_expect_no_more(&owner->watch, owner->watch.renew);
	return status;
}
