/*
 * releaseLock: giving one lock back, or leaving one of its levels.
 */
#include "../inspect/held.h"
#include "../owner/regrant.h"

static enum rl_status give_back(struct rl_owner *owner, struct rl_lease *lease,
	struct rl_release_terms terms, rl_time deadline, struct rl_error *error)
{
	struct rl_release release;
	enum rl_answer answer;
	rl_time safe_until;
	enum rl_status status;

	terms.confirm |= rl_now() >= lease->tenure.safe_until;
	status = rl_regrant_confirm_before_release(owner, lease, deadline, &answer, error);
	if (status == RL_AGAIN) {
		return status;
	}
	if (status == RL_OK && answer != RL_ANSWER_OURS) {
		return rl_owner_end_lost(owner, lease, answer, rl_now(), deadline, error);
	}
	safe_until = lease->tenure.safe_until;
	rl_owner_remove(owner, lease);
	rl_release_begin(&release, lease, terms.delay_ms);
	rl_release_guard(&release, terms.guarded);
	if (!terms.confirm && owner->backend->send_release(owner, &release, deadline)
		&& rl_now() < safe_until) {
		owner->backend->discard(owner, lease, false);
		return RL_OK;
	}
	owner->ends = terms.last;
	status = rl_owner_give_back(owner, &release, deadline, error);
	owner->ends = false;
	owner->backend->discard(owner, lease,
		rl_release_is_unconfirmed(&release, status) && !(terms.last && status == RL_REFUSED));
	return status;
}

/*
 * An inner level that ends late: L may still hold our token, and the outer levels still rely on
 * it, so only look. If it does not, all levels have ended.
 */
static enum rl_status leave_level(
	struct rl_owner *owner, struct rl_lease *lease, rl_time deadline, struct rl_error *error)
{
	enum rl_status status = rl_now() >= lease->tenure.safe_until
		? rl_held_verify(owner, lease, deadline, NULL, error)
		: RL_OK;

	if (status == RL_OK) {
		lease->depth--;
	}
	return status == RL_NO
		? give_back(owner, lease, (struct rl_release_terms){ .confirm = true }, deadline, error)
		: status;
}

enum rl_status rl_owner_release(struct rl_owner *owner, struct rl_text key,
	struct rl_release_terms terms, struct rl_error *error)
{
	rl_time deadline = rl_owner_deadline(owner, rl_now());
	struct rl_lease *lease;
	enum rl_status status;

	do {
		status = rl_owner_use_alone(owner, key, deadline, &lease, error);
		if (status == RL_OK) {
			status = lease->depth > 1 ? leave_level(owner, lease, deadline, error)
									  : give_back(owner, lease, terms, deadline, error);
		}
	} while (status == RL_AGAIN);
	return status;
}
