/*
 * What every call has: its beginning, by which the hook is in force, its deadline, and its end, by
 * which nothing is left that nobody wanted. And between them, one step of it that is run; if that
 * is about a lease in hand, others may use the owner while it is waited for, and end the lease.
 */
#include "internal.h"
#include "../../base/stack.h"

#include <string.h>

rl_time rl_owner_deadline(const struct rl_owner *owner, rl_time began)
{
	return began + owner->route->timeout;
}

void rl_owner_begin_call(struct rl_owner *owner)
{
	rl_hook_begin(&owner->hook);
}

/* What is still to be taken back is, or at least goes out: there may be no other call. */
void rl_owner_end_call(struct rl_owner *owner)
{
	if (owner->discarded && rl_stack_wanted() == RL_UNWANTED) {
		rl_owner_release_discarded(owner, rl_owner_deadline(owner, rl_now()));
	}
	if (rl_hook_end() && owner->discarded) {
		owner->backend->release_discarded(owner, NULL, 0, NULL);
	}
}

/* How long that may take at least. */
#define PATIENCE (200 * RL_MILLISECOND)

void rl_owner_release_discarded(struct rl_owner *owner, rl_time deadline)
{
	if (rl_stack_wanted() == RL_UNWANTED) {
		rl_stack_serve_others();
	}
	deadline = rl_time_later(deadline, rl_now() + PATIENCE);
	owner->backend->release_discarded(owner, NULL, deadline, NULL);
}

enum rl_status rl_owner_run_item(struct rl_owner *owner, struct rl_batch_item *item,
	rl_time deadline, struct rl_error *error)
{
	struct rl_batch batch = {
		.route = owner->route, .items = item, .count = 1, .deadline = deadline, .error = error
	};

	return owner->backend->run(&batch);
}

enum rl_status rl_owner_run(struct rl_owner *owner, struct rl_step *step, rl_time deadline,
	struct rl_outcome *outcome, struct rl_error *error)
{
	struct rl_batch_item item = { .step = step };
	enum rl_status status = rl_owner_run_item(owner, &item, deadline, error);

	if (status == RL_OK) {
		*outcome = item.outcome;
	}
	return status;
}

enum rl_status rl_owner_inspect(struct rl_owner *owner, const struct rl_keys *keys,
	bool everywhere, rl_time deadline, struct rl_lock_state *state, struct rl_error *error)
{
	struct rl_step step = { RL_STEP_INSPECT, .keys = keys, .everywhere = everywhere };
	struct rl_batch_item item = { .step = &step };
	enum rl_status status;

	owner->backend->release_discarded(owner, keys, deadline, NULL);
	status = rl_owner_run_item(owner, &item, deadline, error);
	if (status == RL_OK) {
		*state = item.state;
	}
	return status;
}

/* --- about a lease in hand --- */

void rl_owner_discard_as(struct rl_owner *owner, const struct rl_lease *lease, bool is_share)
{
	const struct rl_holdings *holdings = &lease->tenure.holdings;
	struct rl_lease *other;
	struct rl_error ignored;

	if (rl_lease_new_like(owner->prefix, lease, &other, &ignored) == RL_OK) {
		memcpy(other->token.text, lease->token.text, lease->token.length);
		other->tenure.is_share = is_share && rl_keys_share(&other->keys);
		other->tenure.holdings.unknown = holdings->held | holdings->unknown;
		owner->backend->discard(owner, other, true);
	}
}

/* The same lease, where it was, with what it was. */
static bool is_as_it_was(const struct rl_owner *owner, struct rl_lease *lease,
	const struct rl_tenure *was, bool was_held)
{
	rl_watch_sync(lease);
	return rl_owner_has(owner, lease) == was_held && rl_tenure_is_alike(&lease->tenure, was);
}

/* What makes a grant where there is none any more; a longer lease does not. */
static bool makes_a_grant(const struct rl_step *step)
{
	switch (step->operation) {
		case RL_STEP_EXTEND:
			return step->how != RL_EXTEND_LONGER;
		case RL_STEP_REENTER:
		case RL_STEP_UPGRADE:
		case RL_STEP_DOWNGRADE:
			return true;
		default:
			return false;
	}
}

/*
 * Others have given the lease back while that was asked for it; where it was followed by what takes
 * it back, either may have been done.
 */
static void undo_grant(
	struct rl_owner *owner, const struct rl_lease *lease, const struct rl_batch_item *item)
{
	const struct rl_step *step = item->step;
	bool is_done = step->operation == RL_STEP_REENTER ? item->grant.ours
													  : item->outcome.answer == RL_ANSWER_OURS;
	bool is_share = step->operation != RL_STEP_UPGRADE
		&& (lease->tenure.is_share || step->operation == RL_STEP_DOWNGRADE);

	if (makes_a_grant(step)
		&& (is_done || step->doubt.fate_unknown || step->doubt.copy_out)) {
		rl_owner_discard_as(owner, lease, is_share);
	}
	if (item->followed_until) {
		rl_owner_discard_as(owner, lease, false);
	}
}

enum rl_status rl_owner_run_item_about(struct rl_owner *owner, struct rl_batch_item *item,
	rl_time deadline, struct rl_error *error)
{
	struct rl_lease *lease = item->step->lease;
	bool was_held = rl_owner_has(owner, lease);
	struct rl_tenure was;
	enum rl_status status = RL_AGAIN;

	rl_watch_sync(lease);
	was = lease->tenure;
	rl_lease_pin(lease);
	if (owner->backend->release_discarded(owner, &lease->keys, deadline, NULL) == RL_INTERRUPTED) {
		status = rl_fail_unwanted(error);
	} else if (is_as_it_was(owner, lease, &was, was_held)) {
		status = rl_owner_run_item(owner, item, deadline, error);
	}
	if (!is_as_it_was(owner, lease, &was, was_held)) {
		status = RL_AGAIN;
		if (was_held && !rl_owner_has(owner, lease)) {
			undo_grant(owner, lease, item);
		}
	}
	rl_lease_unpin(lease);
	return status;
}

enum rl_status rl_owner_run_about(struct rl_owner *owner, struct rl_step *step, rl_time deadline,
	struct rl_outcome *outcome, struct rl_error *error)
{
	struct rl_batch_item item = { .step = step };
	enum rl_status status = rl_owner_run_item_about(owner, &item, deadline, error);

	*outcome = item.outcome;
	return status;
}
