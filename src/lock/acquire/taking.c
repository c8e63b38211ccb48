#include "taking.h"
#include "detached.h"

#include <stdlib.h>

enum rl_status rl_taking_prepare(struct rl_owner *owner, const struct rl_acquire *request,
	rl_time deadline, struct rl_wait **out, struct rl_error *error)
{
	struct rl_lease_terms terms = {
		.prefix = owner->prefix,
		.name = request->key,
		.metadata = request->metadata,
		.is_share = request->is_shared,
		.limit = request->limit,
		.guarded = request->guarded ? request->guarded->key : (struct rl_text){ NULL, 0 },
	};
	rl_time now = rl_now();
	/* not on the stack: PHP's fatal errors leave that in the midst of a wait */
	struct rl_wait *wait = malloc(sizeof *wait);
	enum rl_status status;

	if (!wait) {
		return rl_fail_for_memory(error);
	}
	wait->attempt = (struct rl_attempt){
		.owner = owner,
		.detached = request->detached,
		.renewed_for = request->renewed_for,
		.guarded = request->guarded,
		.leaves_free = request->until_free,
		.lease_ms = request->lease_ms,
		.policy = request->policy,
		.retry = request->retry,
		.deadline = deadline,
		.began = now,
		.until = request->wait < RL_FOREVER - now ? now + request->wait : RL_FOREVER,
	};
	rl_attempt_begin(&wait->attempt, &wait->asking);
	if (request->detached) {
		terms.holder = request->detached->name;
	}
	status = rl_lease_new(&terms, &wait->attempt.lease, error);
	if (status != RL_OK) {
		free(wait);
	}
	*out = wait;
	return status;
}

/* Whoever waits longest is told, and the lock is not kept for it: our caller may be the first. */
static void leave_free(struct rl_attempt *attempt)
{
	struct rl_owner *owner = attempt->owner;
	struct rl_step step = { RL_STEP_LEAVE_FREE, .lease = attempt->lease };
	struct rl_outcome outcome;
	struct rl_error ignored;
	bool is_left = owner->backend->passes_batons
		&& rl_owner_run(owner, &step, rl_owner_deadline(owner, rl_now()), &outcome, &ignored)
			== RL_OK;
	bool maybe_held = !is_left || rl_doubt_any(&attempt->doubt);

	owner->backend->discard(owner, attempt->lease, maybe_held);
}

enum rl_status rl_taking_keep(struct rl_attempt *attempt, struct rl_error *error)
{
	struct rl_lease *lease = attempt->lease;
	int64_t lease_ms = rl_lease_told(attempt->grant.left_ms);
	enum rl_status status;

	if (attempt->leaves_free) {
		leave_free(attempt);
		return RL_OK;
	}
	lease->tenure.fence = attempt->grant.fence;
	lease->tenure.is_share = lease->tenure.is_share && !attempt->grant.is_exclusive;
	lease->waited = attempt->answered_at - attempt->began;
	status = attempt->detached
		? rl_detached_keep(attempt, error)
		: rl_owner_keep(attempt->owner, lease, attempt->asked_at, lease_ms, error);
	attempt->doubt.fate_unknown = status != RL_OK; /* granted, and not kept */
	return status;
}

void rl_taking_discard(struct rl_attempt *attempt)
{
	rl_lease_forget_fences(attempt->lease);
	attempt->owner->backend->discard(
		attempt->owner, attempt->lease, rl_doubt_any(&attempt->doubt));
}
