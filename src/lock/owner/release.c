/*
 * releaseLock: giving one lock back, or leaving one of its levels.
 */
#include "internal.h"
#include "../claim.h"

static enum rl_status give_back(struct rl_owner *owner, struct rl_lease *lease, int64_t delay_ms,
	struct rl_error *error)
{
	struct rl_release release;
	enum rl_status status;

	rl_owner_remove(owner, lease);
	rl_release_begin(&release, lease, delay_ms);
	status = rl_owner_give_back(owner, &release, rl_owner_deadline(owner), error);
	owner->backend->discard(owner, lease, rl_release_is_open(owner, &release, status));
	return status;
}

/*
 * An inner level that ends late: L may still hold our token, and the outer levels still rely on
 * it, so only look. If it does not, all levels have ended.
 */
static enum rl_status leave_late_level(struct rl_owner *owner, struct rl_lease *lease, struct rl_error *error)
{
	enum rl_status status = rl_claim_await(owner->route, lease, rl_owner_deadline(owner), error);

	if (status == RL_OK && rl_now() >= lease->safe_until) {
		status = rl_owner_inspect(owner, lease, NULL, error);
	}
	if (status == RL_OK) {
		lease->depth--;
	}
	return status == RL_NO ? give_back(owner, lease, 0, error) : status;
}

enum rl_status rl_owner_release(struct rl_owner *owner, struct rl_text key,
	struct rl_release_terms terms, struct rl_error *error)
{
	struct rl_lease *lease;
	enum rl_status status = rl_owner_use(owner, key, &lease, error);
	bool late, refused;

	if (status != RL_OK) {
		return status;
	}
	rl_claim_look(lease);
	refused = rl_claim_was_refused(lease);
	late = rl_now() >= lease->safe_until;
	if (lease->depth == 1 && !late && !refused && !terms.confirm) {
		return owner->backend->release_unconfirmed(owner, lease, terms.delay_ms, error);
	}
	if (lease->depth == 1 || refused) {
		return give_back(owner, lease, terms.delay_ms, error);
	}
	if (late) {
		return leave_late_level(owner, lease, error);
	}
	lease->depth--;
	return RL_OK;
}
