/*
 * Changing the mode of what we hold. The token stays. An upgrade is a new grant, under a higher
 * fence, and so is one that is refused, so that no copy of it upgrades later.
 */
#include "mode.h"
#include "../owner/change.h"

enum rl_status rl_mode_can_share(struct rl_owner *owner, struct rl_error *error)
{
	return owner->backend->can_share
		? RL_OK
		: rl_fail(error, RL_MISUSE, "A majority of servers has no shared locks");
}

/*
 * What becomes of a lease whose change of mode was not answered: nothing is known of it, so it is
 * given up; first where it was, so that a copy that is on its way finds nothing, and then where it
 * goes. Undos are a stack: what is to be sent second is discarded first. Not every caller is told:
 * check() is.
 */
static enum rl_status give_up(struct rl_owner *owner, struct rl_lease *lease,
	enum rl_status failure, const struct rl_doubt *doubt, rl_time deadline,
	struct rl_error *error)
{
	if (!rl_lease_is_own(lease)) {
		return failure; /* the parent's */
	}
	if (!doubt->fate_unknown) {
		rl_watch_go_on_as_before(lease);
		return failure;
	}
	rl_owner_remove(owner, lease);
	rl_past_verdicts_add(&owner->past_verdicts, lease->entry.key, RL_LOST, 0);
	rl_owner_discard_as(owner, lease, !lease->tenure.is_share);
	owner->backend->discard(owner, lease, true);
	if (failure == RL_REFUSED && deadline) {
		rl_owner_release_discarded(owner, deadline);
	}
	error->unanswered = true;
	return failure;
}

static void become_exclusive(
	struct rl_lease *lease, rl_time asked_at, const struct rl_outcome *upgraded)
{
	int64_t left_ms = rl_lease_told(upgraded->left_ms);
	struct rl_tenure *tenure = &lease->tenure;

	tenure->is_share = false;
	tenure->safe_until = rl_time_later(
		tenure->safe_until, rl_lease_safe_until(asked_at, left_ms));
	if (left_ms > lease->length_ms) {
		lease->length_ms = left_ms;
	}
	rl_watch_go_on(lease, asked_at, left_ms);
}

enum rl_status rl_mode_ask(struct rl_owner *owner, struct rl_batch_item *item, rl_time deadline,
	struct rl_error *error)
{
	struct rl_lease *lease = item->step->lease;
	enum rl_status status;

	item->outcome = (struct rl_outcome){ .fence = 0 };
	status = rl_regrant_confirm(owner, lease, deadline, &item->outcome.answer, error);
	if (status != RL_OK || item->outcome.answer != RL_ANSWER_OURS) {
		return status;
	}
	if (!rl_keys_share(&lease->keys)) {
		return rl_fail_for_memory(error);
	}
	rl_assert(!lease->tenure.unanswered_ms); /* lease.h, 4 */
	rl_watch_change(lease);
	return rl_owner_run_item_about(owner, item, deadline, error);
}

enum rl_status rl_mode_upgraded(struct rl_owner *owner, struct rl_lease *lease,
	const struct rl_step *step, enum rl_status status, const struct rl_outcome *outcome,
	rl_time deadline, struct rl_error *error)
{
	if (status != RL_OK) {
		return give_up(owner, lease, status, &step->doubt, deadline, error);
	}
	if (outcome->fence) {
		lease->tenure.fence = outcome->fence;
	}
	if (outcome->answer == RL_ANSWER_OTHER) {
		rl_watch_go_on_as_before(lease);
		owner->stats.busy++;
		return RL_NO;
	}
	if (outcome->answer != RL_ANSWER_OURS) {
		return rl_owner_end_lost(owner, lease, outcome->answer, rl_now(), deadline, error);
	}
	become_exclusive(lease, step->sent_at, outcome);
	return RL_OK;
}

static enum rl_answer note_downgrade(
	struct rl_lease *lease, const struct rl_step *step, const struct rl_outcome *outcome)
{
	bool by_another = outcome->was_over && !step->doubt.copy_out; /* of the same name */

	lease->tenure.is_share = outcome->answer == RL_ANSWER_OURS;
	if (lease->tenure.is_share) {
		lease->tenure.fence = outcome->fence;
	}
	rl_watch_go_on_as_before(lease);
	return by_another ? RL_ANSWER_OTHER : outcome->answer;
}

enum rl_status rl_mode_ask_downgrade(struct rl_owner *owner, struct rl_step *step,
	rl_time deadline, enum rl_answer *answer, struct rl_error *error)
{
	struct rl_batch_item item = { .step = step };
	enum rl_status status = rl_mode_ask(owner, &item, deadline, error);

	if (status == RL_OK) {
		*answer = note_downgrade(step->lease, step, &item.outcome);
	}
	return status;
}

enum rl_status rl_mode_downgraded(struct rl_owner *owner, struct rl_lease *lease,
	const struct rl_step *step, enum rl_status status, const struct rl_outcome *outcome,
	rl_time deadline, struct rl_error *error)
{
	enum rl_answer answer;

	if (status != RL_OK) {
		return give_up(owner, lease, status, &step->doubt, deadline, error);
	}
	answer = note_downgrade(lease, step, outcome);
	return answer == RL_ANSWER_OURS
		? RL_OK
		: rl_owner_end_lost(owner, lease, answer, rl_now(), deadline, error);
}

enum rl_status rl_mode_downgrade(struct rl_owner *owner, struct rl_lease *lease, bool for_nobody,
	rl_time deadline, struct rl_error *error)
{
	struct rl_step step = { RL_STEP_DOWNGRADE, .lease = lease, .for_nobody = for_nobody };
	struct rl_batch_item item = { .step = &step };
	struct rl_change change;
	enum rl_status status;

	rl_lease_pin(lease);
	rl_change_begin(&change, owner, lease, "made a share");
	status = rl_mode_ask(owner, &item, deadline, error);
	RL_LIST_REMOVE(&change, link); /* nothing waits before the owner knows of it */
	if (status != RL_AGAIN) {
		status = rl_mode_downgraded(
			owner, lease, &step, status, &item.outcome, deadline, error);
	}
	if (status == RL_OK) {
		status = rl_prolongate_came_in_time(owner, lease, deadline, error);
	}
	rl_lease_unpin(lease);
	return status;
}

enum rl_status rl_owner_downgrade(
	struct rl_owner *owner, struct rl_text key, struct rl_error *error)
{
	rl_time deadline = rl_owner_deadline(owner, rl_now());
	struct rl_lease *lease;
	enum rl_status status;

	do {
		status = rl_owner_use_alone(owner, key, deadline, &lease, error);
		if (status == RL_OK) {
			status = rl_mode_can_share(owner, error);
		}
		if (status == RL_OK) {
			status = lease->tenure.is_share
				? RL_NO
				: rl_mode_downgrade(owner, lease, false, deadline, error);
		}
	} while (status == RL_AGAIN);
	return status;
}
